"""Heights of every model stay within ±`MAX_HEIGHT`, whatever falls into the water."""

import numpy as np
import pytest

from waterview.core.commands import MAX_HEIGHT, Drop
from waterview.waters import MODELS

BOUNDS = {"shallow-water": 2.0 * MAX_HEIGHT}
"""Water there cannot vanish: where it piles up higher than what fell in, it is not cut off."""

TOUCHED = [name for name, model in MODELS.items() if model.can_be_disturbed]


@pytest.mark.slow
@pytest.mark.parametrize("name", TOUCHED)
def test_waves_that_meet_do_not_add_up_beyond_the_highest(name):
    water = MODELS[name](40.0, 30.0, 33)
    chance, highest = np.random.default_rng(5), 0.0
    for number in range(120):
        if number < 40:
            x, z = chance.uniform(2.0, 38.0), chance.uniform(2.0, 28.0)
            water.disturb(Drop(x, z, MAX_HEIGHT * chance.choice([-1.0, 1.0]), chance.uniform(1.0, 9.0), neutral=False))
        water.advance(3, shown=True)
        heights = water.publish(number).heights
        assert np.isfinite(heights).all()
        bound = BOUNDS.get(name, MAX_HEIGHT)
        assert np.abs(heights).max() <= bound and np.abs(water.height).max() <= bound
        highest = max(highest, float(np.abs(heights).max()))
    assert highest > 0.1 * MAX_HEIGHT
