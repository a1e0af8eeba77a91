"""Small frames made by hand, for tests that need no model."""

import numpy as np

from waterview.core.frame import Frame
from waterview.core.grid import Grid
from waterview.waters.common.water import WaterParams


def make_frame(shape=(41, 61), spacing=0.5, level=0.0, bed=None, heights=None, serial=1, params=None, **more):
    """A frame centred on x = z = 0; without `bed` the ground lies flat, 2 m under still water."""
    nz, nx = shape
    grid = Grid(shape, spacing, (-0.5 * (nx - 1) * spacing, level, -0.5 * (nz - 1) * spacing))
    bed = np.full(shape, level - 2.0, np.float32) if bed is None else np.asarray(bed, np.float32)
    heights = np.zeros(shape, np.float32) if heights is None else np.asarray(heights, np.float32)
    dz, dx = np.gradient(heights.astype(np.float64), spacing)
    slopes = np.stack((-dx, -dz), axis=-1).astype(np.float16)
    return Frame(serial, 0.0, grid, heights, slopes, bed, bed > level, params or WaterParams(), **more)
