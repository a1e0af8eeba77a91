"""Sums in vectors of doubles, beside exact ones."""

import math

import numpy as np
import pytest

from waterview.simd.jit import jit
from waterview.simd.vector_sums import AT_ONCE, sum_of


@jit
def summed(start, n):
    return sum_of(start, n)


@pytest.mark.parametrize("first", [0, 1, 7])
@pytest.mark.parametrize("n", [0, 1, AT_ONCE - 1, AT_ONCE, AT_ONCE + 1, 4 * AT_ONCE + 5, 1000])
def test_it_is_the_sum_of_just_these_floats(n, first):
    row = np.full(n + first + 40, np.nan, np.float32)
    row[first : first + n] = np.random.default_rng(n).normal(1.0, 3.0, n)
    found = summed(row.ctypes.data + 4 * first, n)
    assert found == pytest.approx(math.fsum(row[first : first + n].tolist()), rel=1e-13, abs=1e-13)


def test_small_numbers_count_beside_large_ones():
    row = np.full(1 << 16, 2.0**-24, np.float32)
    row[::2] = 1.0
    assert summed(row.ctypes.data, row.size) == 2.0**15 * (1.0 + 2.0**-24)
