import numpy as np
import pytest

from waterview.core.frame import Frame
from waterview.core.grid import Grid
from waterview.core.params import Params


def test_a_frames_arrays_are_read_only():
    shape = (3, 4)
    frame = Frame(
        serial=1,
        time=0.0,
        grid=Grid(shape, 1.0),
        heights=np.zeros(shape, np.float32),
        normals=np.zeros((*shape, 2), np.float16),
        bed=np.zeros(shape, np.float32),
        fixed=np.zeros(shape, bool),
        params=Params(),
    )
    for array in (frame.heights, frame.normals, frame.bed, frame.fixed):
        with pytest.raises(ValueError, match="read-only"):
            array[0, 0] = 1
