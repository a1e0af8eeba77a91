"""The passes alone, against a plain step in float64."""

import numpy as np
import pytest
from support.fields import PLAIN_BORDERS, everywhere

from waterview.gpu.wave import GpuWave, links_of
from waterview.waters.common.borders import Sides

SHAPE = (13, 17)
SIDES = Sides("reflecting", "wrapping", "reflecting", "wrapping")
MODES = {"zero": "constant", "reflecting": "edge", "wrapping": "wrap"}


@pytest.fixture
def card(ctx):
    card = GpuWave(ctx, SHAPE, 0.5)
    card.set_links(links_of(np.zeros(SHAPE, bool), True, (False, False)))
    yield card
    ctx.rest.use()
    card.release()


def plain_step(h, before, side, corner, keep, gain):
    around = np.pad(h, 1, mode=MODES[side])
    square = around[:-2, 1:-1] + around[2:, 1:-1] + around[1:-1, :-2] + around[1:-1, 2:] - 4 * h
    cross = around[:-2, :-2] + around[2:, 2:] + around[:-2, 2:] + around[2:, :-2] - 4 * h
    return h + keep * (h - before) + gain * ((1 - 2 * corner) * square + corner * cross)


@pytest.mark.parametrize("side", PLAIN_BORDERS)
@pytest.mark.parametrize("corner", [0.0, 0.25, 1.0 / 6.0])
def test_steps_are_those_of_the_plain_twin(card, rng, side, corner):
    h, before = rng.uniform(-1.0, 1.0, (2, *SHAPE)).astype(np.float32)
    card.write(h, before)
    card.step(40, everywhere(side), corner=corner, damping=0.01, gain=0.4)
    now, last = h.astype(np.float64), before.astype(np.float64)
    for _ in range(40):
        now, last = plain_step(now, last, side, corner, 0.99, 0.4), now
    for got, wanted in zip(card.read(), (now, last), strict=True):
        np.testing.assert_allclose(got, wanted, atol=1e-5)


def test_level_water_stays_level_to_the_bit(card):
    level = np.full(SHAPE, 0.1, np.float32)
    card.write(level, level)
    card.step(50, SIDES, corner=0.25, damping=0.0, gain=0.5)
    assert np.array_equal(card.read_heights(), level)


def test_a_window_is_raised_in_both_levels_and_nothing_else_ever_is_cut_off(card, rng):
    added = rng.uniform(-1.0, 1.0, (3, 5)).astype(np.float32)
    card.add((slice(4, 7), slice(2, 7)), added)
    card.add((slice(None), slice(None)), np.full(SHAPE, 0.25, np.float32))
    wanted = np.full(SHAPE, 0.25, np.float32)
    wanted[4:7, 2:7] += added
    for level in card.read():
        np.testing.assert_allclose(level, wanted, atol=1e-6)
    card.step(1, everywhere("reflecting"), corner=0.0, damping=1.0, gain=0.1)
    assert card.read_heights()[3, 4] != np.float32(0.25)


def test_slopes_are_differences_one_sided_at_the_edges(card, rng):
    h = rng.uniform(-1.0, 1.0, SHAPE).astype(np.float32)
    card.write(h, h)
    card.draw_slopes()
    dz, dx = np.gradient(h.astype(np.float64), 0.5)
    np.testing.assert_allclose(card.read_slopes(), np.stack((-dx, -dz), axis=-1), atol=4e-3)


@pytest.fixture
def rng():
    return np.random.default_rng(5)
