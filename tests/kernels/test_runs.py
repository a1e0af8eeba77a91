"""Fixed points as runs."""

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from waterview.kernels.runs import fixed_runs


@settings(max_examples=60, deadline=None, derandomize=True)
@given(shape=st.tuples(st.integers(2, 9), st.integers(2, 40)), seed=st.integers(0, 999), land=st.floats(0.0, 1.0))
def test_runs_cover_exactly_the_fixed_points(shape, seed, land):
    fixed = np.random.default_rng(seed).random(shape) < land
    runs = fixed_runs(fixed)
    drawn = np.zeros(shape, int)
    for row in range(shape[0]):
        for start, stop in runs.ends[runs.first[row] : runs.first[row + 1]]:
            assert start < stop
            drawn[row, start:stop] += 1
    np.testing.assert_array_equal(drawn, fixed)
    assert runs.first[-1] == len(runs.ends)
