"""The passes alone, against the processor's kernels to the bit and against a plain step in float64."""

import numpy as np
import pytest
from support.fields import PLAIN_BORDERS, advance, everywhere, field_of, needs_fma

from waterview.core.commands import MAX_HEIGHT
from waterview.gpu.wave import SUMS, GpuWave, links_of
from waterview.waters.common.borders import Sides
from waterview.waters.wave.domain import SHORES
from waterview.waters.wave.step import STENCILS

SHAPE = (13, 17)
SIDES = Sides("reflecting", "wrapping", "reflecting", "wrapping")
MODES = {"zero": "constant", "reflecting": "edge", "wrapping": "wrap"}
MIXED = [SIDES, Sides("wrapping", "zero", "wrapping", "reflecting"), Sides("zero", "zero", "reflecting", "zero")]


@pytest.fixture
def card(ctx):
    card = GpuWave(ctx, SHAPE, 0.5)
    card.set_links(links_of(np.zeros(SHAPE, bool), True, (False, False)))
    yield card
    ctx.rest.use()
    card.release()


@needs_fma
@pytest.mark.parametrize("shore", SHORES)
@pytest.mark.parametrize("stencil", STENCILS)
@pytest.mark.parametrize("sides", [*map(everywhere, PLAIN_BORDERS), *MIXED], ids="-".join)
def test_heights_have_the_bits_of_the_processors(card, rng, sides, stencil, shore):
    how = {"damping": 0.0123, "courant": 0.37}
    for share in (0.0, 0.1, 0.4, 0.7):
        fixed = rng.uniform(size=SHAPE) < share
        h, before = np.where(fixed, 0.0, rng.uniform(-1.0, 1.0, (2, *SHAPE))).astype(np.float32)
        field = field_of(h, before)
        advance(field, fixed, border=sides, shore=shore, stencil=stencil, steps=60, **how)
        card.set_links(links_of(fixed, shore == "no-flux", sides.wraps))
        card.write(h, before)
        card.step(60, sides, stencil=STENCILS[stencil], **how)
        for got, wanted in zip(card.read(), field.levels, strict=True):
            assert np.array_equal(got, wanted)


def test_every_sum_of_the_processor_is_known_to_the_card():
    assert {stencil.sum for stencil in STENCILS.values()} == set(SUMS)


def plain_step(h, before, side, stencil, damping, courant):
    around = np.pad(h, 1, mode=MODES[side])
    square = around[:-2, 1:-1] + around[2:, 1:-1] + around[1:-1, :-2] + around[1:-1, 2:] - 4 * h
    cross = around[:-2, :-2] + around[2:, 2:] + around[:-2, 2:] + around[2:, :-2] - 4 * h
    laplacian = stencil.laplacians * ((1 - 2 * stencil.corner) * square + stencil.corner * cross)
    return h + (1 - damping) * (h - before) + courant**2 * laplacian


@pytest.mark.parametrize("side", PLAIN_BORDERS)
@pytest.mark.parametrize("stencil", STENCILS.values(), ids=STENCILS)
def test_steps_are_those_of_the_plain_twin(card, rng, side, stencil):
    h, before = rng.uniform(-1.0, 1.0, (2, *SHAPE)).astype(np.float32)
    card.write(h, before)
    card.step(40, everywhere(side), stencil=stencil, damping=0.01, courant=0.4)
    now, last = h.astype(np.float64), before.astype(np.float64)
    for _ in range(40):
        now, last = plain_step(now, last, side, stencil, 0.01, 0.4), now
    for got, wanted in zip(card.read(), (now, last), strict=True):
        np.testing.assert_allclose(got, wanted, atol=1e-5)


def test_level_water_stays_level_to_the_bit(card):
    level = np.full(SHAPE, 0.1, np.float32)
    card.write(level, level)
    card.step(50, SIDES, stencil=STENCILS["nine-point"], damping=0.0, courant=0.5)
    assert np.array_equal(card.read_heights(), level)


def test_a_window_is_raised_in_both_levels_and_nothing_else_ever_is_cut_off(card, rng):
    added = rng.uniform(-1.0, 1.0, (3, 5)).astype(np.float32)
    card.add((slice(4, 7), slice(2, 7)), added)
    card.add((slice(None), slice(None)), np.full(SHAPE, 0.25, np.float32))
    wanted = np.full(SHAPE, 0.25, np.float32)
    wanted[4:7, 2:7] += added
    for level in card.read():
        np.testing.assert_allclose(level, wanted, atol=1e-6)
    card.step(1, everywhere("reflecting"), stencil=STENCILS["five-point"], damping=1.0, courant=0.3)
    assert card.read_heights()[3, 4] != np.float32(0.25)


def test_what_falls_in_is_added_in_double_precision_within_bounds(card, rng):
    h = rng.uniform(-1.0, 1.0, SHAPE).astype(np.float32)
    added = rng.uniform(-1.0, 1.0, SHAPE) * 10.0 ** rng.integers(-9, 3, SHAPE)
    added[0, :2] = 3 * MAX_HEIGHT, -3 * MAX_HEIGHT
    card.write(h, 0.5 * h)
    card.add((slice(None), slice(None)), added)
    for got, before in zip(card.read(), (h, np.float32(0.5) * h), strict=True):
        wanted = np.clip(before + added, -MAX_HEIGHT, MAX_HEIGHT).astype(np.float32)
        assert np.array_equal(got, wanted)


def test_slopes_are_differences_one_sided_at_the_edges(card, rng):
    h = rng.uniform(-1.0, 1.0, SHAPE).astype(np.float32)
    card.write(h, h)
    card.draw_slopes()
    dz, dx = np.gradient(h.astype(np.float64), 0.5)
    np.testing.assert_allclose(card.read_slopes(), np.stack((-dx, -dz), axis=-1), atol=4e-3)


@pytest.fixture
def rng():
    return np.random.default_rng(5)
