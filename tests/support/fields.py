"""What tests of the kernels' steps share: fields of heights, and what they lie in."""

import numpy as np

from waterview.simd.layout import TwoLevels
from waterview.waters.common.kernels.borders import Sides


def field_of(heights, before=None):
    """A field at rest at these heights, shape (nz, nx), or with others a step before."""
    field = TwoLevels(heights.shape)
    field.heights[...] = heights
    field.heights_before[...] = heights if before is None else before
    return field


def bump(shape, row, column, radius):
    """A round hill of height 1 on a field of `shape`."""
    z, x = np.mgrid[: shape[0], : shape[1]]
    return np.exp(-((x - column) ** 2 + (z - row) ** 2) / radius**2)


def dry(shape):
    """No fixed points."""
    return np.zeros(shape, bool)


def everywhere(kind):
    """The same border on all sides."""
    return Sides(kind, kind, kind, kind)
