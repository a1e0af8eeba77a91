"""Every vector width, and rows to load vectors from."""

import numpy as np
import pytest

from waterview.simd.layout import aligned_zeros
from waterview.simd.processor import WIDTHS

ALL_WIDTHS = pytest.mark.parametrize("width", [*WIDTHS, 1])
SIZE = 4


def rows(number, seed=0):
    """Random rows of 64 floats whose 16th lies at an address that suits every vector."""
    rows = aligned_zeros(number, 64)
    rows[:3] = np.random.default_rng(seed).uniform(-2.0, 2.0, (min(number, 3), 64))
    return rows, rows.ctypes.data + 16 * SIZE, rows.strides[0]
