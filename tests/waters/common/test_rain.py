import numpy as np
import pytest

from waterview.core.commands import DROP_RADIUS, MAX_HEIGHT
from waterview.core.errors import ParameterError
from waterview.core.grid import Grid
from waterview.waters.common.rain import SIZE, SIZES, Rain

GRID = Grid((81, 161), 0.5, (-40.0, 0.0, -20.0))
SEA = np.zeros(GRID.shape, bool)


def falling(rain, seconds, dt, fixed=SEA, grid=GRID):
    drops = []
    for number in range(round(seconds / dt)):
        drops += rain.due(number * dt, dt, grid, fixed)
    return drops


@pytest.mark.parametrize("delay", [0.0, 0.1])
def test_however_time_is_cut_the_same_drops_fall_in_the_same_order(delay):
    rain = Rain(40.0, seed=3, delay=delay)
    whole = falling(rain, 8.0, 8.0)
    assert len(whole) > 100
    assert falling(rain, 8.0, 0.5) == whole
    assert falling(rain, 8.0, 1.0 / 128.0) == whole
    assert falling(Rain(40.0, seed=3, delay=delay), 8.0, 2.0) == whole


def test_a_drop_at_the_very_end_of_a_step_falls_in_the_next_one():
    rain = Rain(40.0, seed=3, delay=0.0)
    whole = rain.due(0.0, 1.0, GRID, SEA)
    before, after = 0.0, 1.0  # of the first drop; neighbouring numbers in the end
    while np.nextafter(before, 1.0) < after:
        middle = 0.5 * (before + after)
        before, after = (before, middle) if rain.due(0.0, middle, GRID, SEA) else (middle, after)
    for cut in (np.nextafter(before, 0.0), before, after):
        assert [*rain.due(0.0, cut, GRID, SEA), *rain.due(cut, 1.0 - cut, GRID, SEA)] == whole
    assert rain.due(before, 0.1, GRID, SEA)[0] == whole[0], "it falls at that time, not just before it"


def test_another_seed_is_another_rain():
    assert falling(Rain(40.0, seed=3), 4.0, 1.0) != falling(Rain(40.0, seed=4), 4.0, 1.0)


@pytest.mark.slow
def test_as_many_fall_as_were_asked_for():
    """A Poisson process: mean and variance of the number a second are both the rate."""
    rain = Rain(50.0, seed=1, delay=0.0)
    counts = [len(rain.due(float(second), 1.0, GRID, SEA)) for second in range(400)]
    assert np.mean(counts) == pytest.approx(50.0, abs=4.0 * np.sqrt(50.0 / 400.0))
    assert np.var(counts) == pytest.approx(50.0, rel=0.3)


def test_they_fall_everywhere_alike():
    drops = falling(Rain(500.0, delay=0.0), 10.0, 1.0)
    x, z = np.array([[drop.x, drop.z] for drop in drops]).T
    assert x.min() >= -40.0 and x.max() <= 40.0 and z.min() >= -20.0 and z.max() <= 20.0
    counts, _, _ = np.histogram2d(x, z, bins=(4, 2))
    np.testing.assert_allclose(counts, len(drops) / 8.0, rtol=0.2)


def test_small_drops_are_many_and_large_ones_few():
    """A share of e^(−r) is larger than r times the mean, between the two bounds."""
    fine = Grid((641, 1281), 0.0625)
    radii = np.array(
        [drop.radius for drop in falling(Rain(500.0, delay=0.0), 20.0, 1.0, np.zeros(fine.shape, bool), fine)]
    )
    sizes = radii / (SIZE * DROP_RADIUS * max(fine.size))
    assert sizes.min() == pytest.approx(SIZES[0]) and sizes.max() == pytest.approx(SIZES[1])
    for size in (0.5, 1.0, 2.0):
        assert np.mean(sizes > size) == pytest.approx(np.exp(-size), abs=0.02)


def test_no_drop_is_too_small_for_the_grid():
    coarse = Grid((9, 17), 5.0)
    assert min(drop.radius for drop in falling(Rain(50.0), 5.0, 1.0, np.zeros(coarse.shape, bool), coarse)) == 10.0


def test_every_crest_is_followed_by_its_trough():
    rain = Rain(30.0, delay=0.2)
    drops = falling(rain, 20.0, 0.05)
    crests = [drop for drop in drops if drop.height > 0.0]
    troughs = [drop for drop in drops if drop.height < 0.0]
    assert len(crests) > 100
    assert [(drop.x, drop.z, -drop.height) for drop in troughs] == [
        (drop.x, drop.z, drop.height) for drop in crests[: len(troughs)]
    ]
    assert 0 <= len(crests) - len(troughs) < 20


def test_none_fall_on_land_and_none_when_it_does_not_rain():
    half = SEA.copy()
    half[:, :80] = True
    drops = falling(Rain(100.0), 5.0, 0.5, half)
    assert drops and all(drop.x > -0.5 for drop in drops)
    assert falling(Rain(0.0), 5.0, 0.5) == []


@pytest.mark.parametrize("bad", [{"rate": -1.0}, {"rate": float("nan")}, {"rate": 1.0, "delay": -0.1}])
def test_senseless_rain_is_refused(bad):
    with pytest.raises(ParameterError, match="allowed"):
        Rain(**bad)


def test_rain_on_a_grid_as_large_as_the_earth_is_no_higher_than_drops_may_be():
    grid = Grid((33, 65), 6e5, (0.0, 0.0, 0.0))
    drops = falling(Rain(40.0, seed=3), 2.0, 0.5, np.zeros(grid.shape, bool), grid)
    assert max(abs(drop.height) for drop in drops) == MAX_HEIGHT
