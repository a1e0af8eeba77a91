"""Slopes beside walls, beside a plain loop and where they are known."""

import numpy as np
import pytest

from waterview.waters.common.published_surface import MAX_SLOPE, ShoreSlopes


def mended_by_loops(fixed, spacing, heights, normals):
    """A fixed neighbour counts as high as the point itself; at the grid's edges slopes are one-sided."""
    out = normals.astype(np.float64)
    nz, nx = fixed.shape
    for i, j in np.argwhere(~fixed):
        around = [(i, j - 1), (i, j + 1), (i - 1, j), (i + 1, j)]
        inside = [0 <= k < nz and 0 <= m < nx for k, m in around]
        if not any(fixed[at] for at, there in zip(around, inside, strict=True) if there):
            continue
        west, east, north, south = (
            heights[at] if there and not fixed[at] else heights[i, j] for at, there in zip(around, inside, strict=True)
        )
        for part, (low, high, both) in enumerate(((west, east, all(inside[:2])), (north, south, all(inside[2:])))):
            slope = (float(low) - float(high)) / spacing / (2.0 if both else 1.0)
            out[i, j, part] = min(max(slope, -MAX_SLOPE), MAX_SLOPE)
    return out


@pytest.mark.parametrize("spacing", [0.05, 3.0, 1e-12])
def test_it_equals_a_plain_loop(spacing):
    rng = np.random.default_rng(0)
    fixed = rng.random((17, 23)) < 0.3
    heights = np.where(fixed, 0.0, rng.uniform(-1.0, 1.0, fixed.shape)).astype(np.float32)
    normals = rng.uniform(-1.0, 1.0, (*fixed.shape, 2)).astype(np.float16)
    expected = mended_by_loops(fixed, spacing, heights, normals)
    ShoreSlopes(fixed, spacing).mend(normals, heights)
    np.testing.assert_allclose(normals, expected, rtol=1.1 * 2.0**-11, atol=1e-6)


def test_raised_water_is_level_up_to_a_wall():
    fixed = np.zeros((8, 8), bool)
    fixed[:, :3] = fixed[5, 5] = True
    normals = np.full((8, 8, 2), 9.0, np.float16)
    ShoreSlopes(fixed, 0.5).mend(normals, np.where(fixed, 0.0, 1.0).astype(np.float32))
    beside = (normals == 0.0).all(axis=2)
    assert np.argwhere(beside).tolist() == sorted([*([i, 3] for i in range(8)), [4, 5], [6, 5], [5, 4], [5, 6]])
    assert (normals[~beside] == 9.0).all()
