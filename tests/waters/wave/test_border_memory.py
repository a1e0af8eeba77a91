"""What borders remember: how strongly layers absorb, where they are land, and what is taken over."""

import numpy as np
import pytest
from support.fields import bump, dry, everywhere, field_of

from waterview.core.commands import MAX_HEIGHT
from waterview.simd.layout import PAD
from waterview.waters.common.borders import BORDER_KINDS, Sides
from waterview.waters.wave.border_memory import DEPTH, LINKS, WET, BorderMemory, Layer, absorption
from waterview.waters.wave.domain import Domain
from waterview.waters.wave.step import advance
from waterview.waters.wave.wave_equation import WaveEquationWater

OPEN = everywhere("open")
SHAPE = (6, 5)


def filled(sides, fixed):
    memory = BorderMemory(sides, fixed, walls=True)
    for array in memory.arrays.values():
        array[...] = np.random.default_rng(1).uniform(1.0, 2.0, array.shape)
    return memory


def depths(memory, name, start, stop):
    """A layer's array from one point of its side to another."""
    return memory.arrays[name][1 : DEPTH + 1, PAD + start : PAD + stop]


@pytest.mark.parametrize("courant", [0.1, 0.9])
def test_a_layer_damps_more_the_deeper_and_as_much_in_all_at_any_courant_number(courant):
    at, between = absorption(courant)
    decay = -np.log(np.ravel([at, between], order="F").astype(float)) / courant
    assert (np.diff(decay) > 0.0).all()
    # Simpson's rule on σ at the depths ½, 1, 1½ …, and nothing at 0: exact for its square.
    assert np.dot([1, 4, 2, 4, 2, 4, 2, 4, 1], [0.0, *decay]) / 6.0 == pytest.approx(4.0, rel=1e-5)


@pytest.mark.parametrize("kind", BORDER_KINDS.values(), ids=lambda kind: kind.name)
def test_there_is_room_for_what_a_kind_remembers(kind):
    memory = BorderMemory(everywhere(kind.name), dry(SHAPE))
    assert memory.remembers == (kind.memory != "none")
    assert ("north now" in memory.arrays) == (kind.memory == "layer")


@pytest.mark.parametrize("walls", [True, False])
def test_land_at_the_edge_goes_on_outwards(walls):
    layer = Layer(np.array([True, False, False, True, False]), walls, wraps=False)
    np.testing.assert_array_equal(layer.land[WET, PAD - 5 : PAD + 10], [0] * 6 + [1, 1, 0] + [1] * 6)
    expected = [0, 0, 1, 0, 0, 1] if walls else [1] * 6
    np.testing.assert_array_equal(layer.land[LINKS, PAD : PAD + 6], expected)


def test_links_go_around_where_the_grid_wraps():
    layer = Layer(np.array([True, False, False, False, False]), walls=True, wraps=True)
    np.testing.assert_array_equal(layer.land[LINKS, PAD : PAD + 6], [0, 0, 1, 1, 1, 0])


def test_after_an_odd_number_of_steps_h_and_h_before_have_changed_places():
    memory = filled(OPEN, dry(SHAPE))
    now, before = memory.arrays["north now"], memory.arrays["north before"]
    memory.leave(2)
    assert np.shares_memory(memory.arrays["north now"], now)
    memory.leave(3)
    assert np.shares_memory(memory.arrays["north now"], before)
    assert np.shares_memory(memory.arrays["north before"], now)


def test_all_is_taken_over_where_all_sides_are_alike():
    its, mine = filled(OPEN, dry(SHAPE)), BorderMemory(OPEN, dry(SHAPE), walls=True)
    its.leave(1)
    mine.take_over(its)
    for side, n in zip(Sides._fields, (5, 6, 5, 6), strict=True):
        for name in ("now", "before", "outer", "inner", "along outer", "along inner"):
            shown = f"{side} {name}", -DEPTH, n + DEPTH
            np.testing.assert_array_equal(depths(mine, *shown), depths(its, *shown))


def test_a_corner_is_taken_over_with_both_of_its_sides_only():
    its, mine = filled(Sides("open", "open", "zero", "open"), dry(SHAPE)), BorderMemory(OPEN, dry(SHAPE), walls=True)
    its_west_is_closed = filled(Sides("open", "open", "open", "zero"), dry(SHAPE))
    mine.take_over(its_west_is_closed)
    assert depths(mine, "north outer", 0, 5 + DEPTH).all() and not depths(mine, "north outer", -DEPTH, 0).any()
    assert depths(mine, "east outer", 0, 6).all() and not depths(mine, "west outer", 0, 6).any()
    mine = BorderMemory(OPEN, dry(SHAPE), walls=True)
    mine.take_over(its)
    assert depths(mine, "north outer", -DEPTH, 5 + DEPTH).all() and not mine.arrays["south outer"].any()


def test_new_land_becomes_level():
    its, fixed = filled(OPEN, dry(SHAPE)), dry(SHAPE)
    fixed[2, 0] = fixed[5, 4] = True
    mine = BorderMemory(OPEN, fixed, walls=True)
    mine.take_over(its)
    for name in ("now", "before"):
        assert not depths(mine, f"west {name}", 2, 3).any() and depths(mine, f"west {name}", 3, 6).all()
        assert not depths(mine, f"east {name}", 5, 6).any()
        assert not depths(mine, f"south {name}", 4, 5 + DEPTH).any() and depths(mine, f"south {name}", 0, 4).all()


@pytest.mark.parametrize("kind", [kind.name for kind in BORDER_KINDS.values() if kind.memory != "none"])
def test_arrays_that_are_restored_go_on_to_the_bit(kind):
    one, start = Domain(dry((20, 33)), everywhere(kind)), field_of(bump((20, 33), 3, 4, 4.0))
    rules = {"stencil": "isotropic", "damping": 0.0, "courant": 0.7}
    advance(start, one, steps=21, **rules)
    other, same = Domain(dry((20, 33)), everywhere(kind)), field_of(start.heights, start.heights_before)
    other.border_memory.restore({name: array.copy() for name, array in one.border_memory.arrays.items()})
    for field, domain in ((start, one), (same, other)):
        advance(field, domain, steps=30, **rules)
    np.testing.assert_array_equal(start.heights, same.heights)


def test_what_layers_remember_does_not_grow_where_heights_are_held_in_bounds():
    """Heights were held after each step and ψ was not: it lifted them again, each time by more, to infinity."""
    water = WaveEquationWater(
        4.9, 2.45, 3, steps_per_second=1.01, border="wrapping", stencil="isotropic", damping=0.3, wave_speed=20.0,
        wavemaker="solitary", wavemaker_height=0.0,
    )  # fmt: skip
    rng = np.random.default_rng(4)
    for level in water.time_levels:
        level[...] = rng.choice((-MAX_HEIGHT, MAX_HEIGHT), level.shape)
    for _ in range(200):
        water.step()
    assert max(float(np.abs(array).max()) for array in water._domain.border_memory.arrays.values()) < 10.0 * MAX_HEIGHT
    assert np.abs(water.height).max() <= MAX_HEIGHT
