"""How a push is smoothed, shared among basins and given back by a ring, against plain twins."""

import numpy as np
import pytest
from support.compiled import callable_from_python

from waterview.bodies.kernels import displacement
from waterview.bodies.kernels.records import BLOCK, BODY, ENVIRONMENT, STRIP, Ground, Window
from waterview.simd.layout import address
from waterview.waters.common.kernels.basins import label_basins

RING = displacement.RING
basin_mask, lift_surface, next_basin, open_basin, smooth, union, widened, zeros_on = map(
    callable_from_python,
    (
        displacement.basin_mask,
        displacement.lift_surface,
        displacement.next_basin,
        displacement.open_basin,
        displacement.smooth,
        displacement.union,
        displacement.widened,
        displacement.zeros_on,
    ),
)
SHAPE, SPACING, SHARE = (80, 96), 0.1, 0.7
OUTER = 20.3  # of the ring [cells]


def exchanged(change, basins):
    """¼, ½, ¼ along both axes, twice, exchanging only between neighbours of one basin."""
    result = change.astype(float)
    for axis in (0, 1, 0, 1):
        values, numbers = np.moveaxis(result, axis, 0), np.moveaxis(basins, axis, 0)
        flow = 0.25 * (values[1:] - values[:-1]) * (numbers[1:] == numbers[:-1])
        after = values.copy()
        after[:-1] += flow
        after[1:] -= flow
        result = np.moveaxis(after, 0, axis)
    return result


def ring(middle, wet):
    """(r² − 1/RING²)(1 − r²) where that is above 0 and the water is, over its sum."""
    rows, columns = np.indices(SHAPE)
    square = ((rows - middle[0]) ** 2 + (columns - middle[1]) ** 2) / OUTER**2
    weights = np.maximum((square - 1.0 / RING**2) * (1.0 - square), 0.0) * wet
    return weights / weights.sum()


def lifted(levels, change, middle, touched, fixed):
    """Let a body lift both levels; what it says is the volume."""
    env, body = np.zeros(1, ENVIRONMENT), np.zeros(1, BODY)
    env["x"], env["z"], env["spacing"], env["displacement"] = -3.0, 2.0, SPACING, SHARE
    env["rows"], env["columns"] = SHAPE
    env["levels"] = 2
    for name, level in zip(("first", "second"), levels, strict=True):
        env[f"{name}_level"], env[f"{name}_stride"] = address(level), level.strides[0] // 4
    body["position"] = -3.0 + middle[1] * SPACING, 0.0, 2.0 + middle[0] * SPACING
    frame, domain = Window(*widened(touched, 4)), Window(*widened(touched, 40))
    part, copy = zeros_on(frame), zeros_on(frame)
    inside = np.pad(change, 64)
    part[:] = inside[frame.row + 64 :, frame.column + 64 :][: frame.rows, : frame.columns]
    ground = Ground.of(np.zeros(SHAPE, np.float32), fixed)
    return lift_surface(body[0], env[0], part, copy, frame, OUTER, domain, ground)


def walled():
    """A shore beside the body, in one basin."""
    fixed = np.zeros(SHAPE, bool)
    fixed[:, :28] = True
    return fixed


@pytest.mark.parametrize("fixed", [np.zeros(SHAPE, bool), walled()], ids=["open", "shore"])
@pytest.mark.parametrize("middle", [(40.0, 45.0), (38.3, 47.9), (41.6, 50.2), (6.0, 90.0)])
@pytest.mark.parametrize(("row", "column", "size"), [(-7, -11, (13, 28)), (0, 3, (1, 1)), (-11, 5, (20, 4))])
def test_it_is_the_smoothed_change_less_the_ring(middle, row, column, size, fixed):
    rng = np.random.default_rng(8)
    change = np.zeros(SHAPE, np.float32)
    first = max(int(middle[0]) + row, 0), min(max(int(middle[1]) + column, 0), SHAPE[1] - 1)
    window = change[first[0] : first[0] + size[0], first[1] : first[1] + size[1]]
    window[:] = rng.normal(0.3, 1.0, window.shape)
    before = [rng.normal(0.0, 1.0, SHAPE).astype(np.float32) for _ in range(2)]
    levels = [level.copy() for level in before]
    touched = Window(*first, *window.shape)
    wet = ~fixed
    volume = lifted(levels, change, middle, touched, fixed)
    change *= wet
    assert volume == pytest.approx(SHARE * change.sum(dtype=float), abs=1e-4)
    expected = SHARE * exchanged(change, label_basins(fixed)) - volume * ring(middle, wet)
    for level, was in zip(levels, before, strict=True):
        np.testing.assert_allclose(level - was, expected, atol=2e-6)
    still = [np.zeros(SHAPE, np.float32) for _ in range(2)]
    lifted(still, change, middle, touched, fixed)
    assert abs(still[0].sum(dtype=float)) <= 1e-6 * abs(still[0]).sum(dtype=float)
    np.testing.assert_array_equal(*still)


def test_several_basins_keep_what_they_have():
    fixed = np.zeros(SHAPE, bool)
    fixed[:, 46:48] = True
    rng = np.random.default_rng(8)
    change = np.zeros(SHAPE, np.float32)
    change[35:45, 40:56] = rng.normal(0.3, 1.0, (10, 16))
    levels = [np.zeros(SHAPE, np.float32) for _ in range(2)]
    lifted(levels, change, (40.0, 47.0), Window(35, 40, 10, 16), fixed)
    assert not levels[0][fixed].any()
    for side in (levels[0][:, :46], levels[0][:, 48:]):
        assert abs(side).sum() > 1.0
        assert abs(side.sum(dtype=float)) <= 1e-6 * abs(side).sum(dtype=float)


def test_blocks_know_their_ground_and_whether_they_are_open():
    rng = np.random.default_rng(4)
    bed, fixed = rng.normal(size=(40, 70)).astype(np.float32), np.zeros((40, 70), bool)
    fixed[5, 20] = True
    ground = Ground.of(bed, fixed)
    assert ground.block_basins.shape == ground.highest.shape == (3, 5)
    assert ground.block_basins[0, 1] == 0
    assert (np.delete(ground.block_basins.ravel(), 1) == 1).all()
    for i in range(3):
        for j in range(5):
            rows, columns = (slice(max(k * BLOCK - 1, 0), (k + 1) * BLOCK + 1) for k in (i, j))
            assert ground.highest[i, j] == bed[rows, columns].max()
    assert open_basin(ground, Window(0, 32, 40, 30)) == 1
    assert open_basin(ground, Window(0, 0, 10, 30)) == 0
    assert open_basin(ground, Window(-1, 32, 40, 30)) == 0


def test_unions_and_margins():
    assert union(Window(3, 4, 5, 6), Window(10, 2, 1, 3)) == (3, 2, 8, 8)
    assert union(Window(3, 4, 5, 6), Window(0, 0, 0, 0)) == (3, 4, 5, 6)
    assert union(Window(0, 0, 0, 7), Window(3, 4, 5, 6)) == (3, 4, 5, 6)
    row, column, rows, columns = widened(Window(3, 4, 5, 6), 6)
    assert (row, rows) == (-3, 17)
    assert column % STRIP == columns % STRIP == 0
    assert column <= -2 and column + columns >= 16


def test_the_basins_of_a_window_and_their_points():
    basins = np.array([[0, 2, 2], [0, 2, 0], [3, 0, 0]], np.int32)
    ground = Ground(np.zeros((3, 3), np.float32), np.zeros((1, 1), np.float32), basins, np.zeros((1, 1), np.int32))
    assert [next_basin(ground, Window(0, 0, 3, 3), last) for last in (0, 2, 3)] == [2, 3, 0]
    assert next_basin(ground, Window(-5, -5, 7, 30), 2) == 0
    np.testing.assert_array_equal(basin_mask(ground, Window(-1, 1, 3, 4), 2), [[0] * 4, [1, 1, 0, 0], [1, 0, 0, 0]])


@pytest.mark.parametrize("shape", [(12, 16), (30, 32)])
def test_smoothing_at_shores_and_edges_keeps_every_basin_to_itself(shape):
    for seed in range(8):
        rng = np.random.default_rng(seed)
        wet = (rng.random(shape) < 0.8).astype(np.float32)
        change = np.zeros(shape, np.float32)
        change[3:-3, 3:-3] = rng.normal(size=(shape[0] - 6, shape[1] - 6)) * wet[3:-3, 3:-3]
        expected = exchanged(change, wet) * wet
        total = change.sum(dtype=float)
        smooth(change, np.zeros_like(change), wet.ravel())
        np.testing.assert_allclose(change, expected, atol=1e-6)
        assert change.sum(dtype=float) == pytest.approx(total, abs=1e-5)
