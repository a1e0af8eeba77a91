"""What a body lifts in open water, against a plain twin."""

import numpy as np
import pytest

from waterview.bodies.kernels.open_water import SPREAD, lift_open_water
from waterview.bodies.kernels.records import BODY, STRIP, WORLD
from waterview.bodies.kernels.ring import RING

SHAPE, SPACING, SHARE = (80, 96), 0.1, 0.7
OUTER = 20.3  # of the ring [cells]


def smoothed(change):
    """¼, ½, ¼ along both axes, twice."""
    for axis in (0, 0, 1, 1):
        change = 0.5 * change + 0.25 * (np.roll(change, 1, axis) + np.roll(change, -1, axis))
    return change


def ring(middle):
    """(r² − 1/RING²)(1 − r²) where that is above 0, over its sum."""
    rows, columns = np.indices(SHAPE)
    square = ((rows - middle[0]) ** 2 + (columns - middle[1]) ** 2) / OUTER**2
    weights = np.maximum((square - 1.0 / RING**2) * (1.0 - square), 0.0)
    return weights / weights.sum()


def lifted(levels, change, middle, window, spread):
    """Let a body lift both levels; what that says is the volume."""
    world, body = np.zeros(1, WORLD), np.zeros(1, BODY)
    world["x"], world["z"], world["spacing"], world["displacement"] = -3.0, 2.0, SPACING, SHARE
    for name, level in zip(("first", "second"), levels, strict=True):
        world[name] = level.__array_interface__["data"][0], level.strides[0] // 4
    body["position"] = -3.0 + middle[1] * SPACING, 0.0, 2.0 + middle[0] * SPACING
    rows = np.zeros((spread[2] + 1, spread[3]), np.float32)
    rows[:-1] = np.roll(change[spread[0] :][: spread[2], spread[1] :][:, : spread[3]], -SPREAD, axis=0)
    return lift_open_water(body[0], world[0], OUTER, window, rows[:-1], spread)


@pytest.mark.parametrize("middle", [(40.0, 45.0), (38.3, 47.9), (41.6, 50.2)])
@pytest.mark.parametrize(("place", "size"), [((33, 34), (13, 28)), ((40, 48), (1, 1)), ((29, 50), (20, 14))])
def test_it_is_the_smoothed_change_less_the_ring(middle, place, size):
    rng = np.random.default_rng(8)
    change = np.zeros(SHAPE, np.float32)
    change[place[0] : place[0] + size[0], place[1] : place[1] + size[1]] = rng.normal(0.3, 1.0, size)
    left = (place[1] - SPREAD) // STRIP * STRIP
    right = -(-(place[1] + size[1] + SPREAD) // STRIP) * STRIP
    spread = place[0] - SPREAD, left, size[0] + 2 * SPREAD, right - left
    before = [rng.normal(0.0, 1.0, SHAPE).astype(np.float32) for _ in range(2)]
    levels = [level.copy() for level in before]
    volume = lifted(levels, change, middle, (10, 16, 60, 80), spread)
    assert volume == pytest.approx(SHARE * change.sum(dtype=float), abs=1e-5)
    expected = SHARE * smoothed(change.astype(float)) - volume * ring(middle)
    for level, was in zip(levels, before, strict=True):
        np.testing.assert_allclose(level - was, expected, atol=2e-6)
    still = [np.zeros(SHAPE, np.float32) for _ in range(2)]
    lifted(still, change, middle, (10, 16, 60, 80), spread)
    assert abs(still[0].sum(dtype=float)) <= 1e-6 * abs(still[0]).sum(dtype=float)
    np.testing.assert_array_equal(*still)
