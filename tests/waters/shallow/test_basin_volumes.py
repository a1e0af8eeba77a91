"""The law: shallow water keeps its volume, on thin water and moving shores too, and every lake its own."""

import numpy as np
import pytest
from support.waters import Ground

from waterview.core.commands import AddBody, Drop
from waterview.core.errors import InputError
from waterview.sim.world import World
from waterview.waters.common.volume import VOLUME_STEPS
from waterview.waters.shallow.shallow_water import ShallowWater


def beach(x, z):
    """A beach with horns, its shore near x = 5, the sea 2 m deep."""
    return np.maximum(0.25 * (x - 5.0) + 0.15 * np.sin(3.0 * z), -2.0)


def lagoon(x, z):
    """Nowhere deeper than a hand is wide."""
    return -0.05 + 0.04 * np.sin(5.0 * x) * np.cos(4.0 * z)


def ridge(x, z):
    """Two lakes 0.5 m deep, the second beyond x = 4.5, with a ridge between them 0.3 m high."""
    return np.where(np.abs(x - 4.0) < 0.5, 0.3, -0.5)


def water_over(ground, **parameters):
    water = ShallowWater(8.0, 8.0, 41, **{"damping": 0.0, "border": "reflecting", **parameters})
    water.set_height_map(Ground(ground))
    return water


def world_over(ground, **parameters):
    """With rain and three bodies."""
    world = World(water_over(ground, **parameters), rain=40.0, seed=3)
    for kind, x, z in (("sphere", 2.0, 3.0), ("box", 4.5, 4.0), ("duck", 4.0, 6.5)):
        world.apply(AddBody(kind, 400.0, x, z))
    return world


def seen_volume(water):
    """The sum of all depths [m³]; dry cells lack next to nothing until water comes that makes it good."""
    depth = water.field_maps()["depth"].values
    assert -depth[depth < 0.0].sum(dtype=float) < 1e-6 * depth.sum(dtype=float)
    return depth.sum(dtype=float) * water.grid.spacing**2


@pytest.mark.slow
@pytest.mark.parametrize("ground", [beach, lagoon])
def test_rain_bodies_and_great_drops_leave_it_on_thin_water_and_moving_shores(ground):
    """Cut off at the ground, troughs and what bodies push away would make a thirtieth of the sea in these seconds."""
    world = world_over(ground)
    water, rng = world.water, np.random.default_rng(1)
    still = seen_volume(water)
    for number in range(600):
        if number % 60 == 0:
            x, z, radius = rng.uniform(0.0, 8.0), rng.uniform(0.0, 8.0), rng.uniform(0.3, 1.5)
            world.apply(Drop(x, z, 0.5 * rng.choice([-1.0, 1.0]), radius))
        world.step()
        if number % 5 == 0:
            assert abs(seen_volume(water) / still - 1.0) < 1e-7  # measured: 5e-9
    assert np.abs(water.height[water.wet]).max() > 0.01, "there were no waves"


@pytest.mark.slow
@pytest.mark.parametrize("keep", [True, False])
def test_what_rounding_would_take_in_an_hour_is_put_back(keep):
    world = world_over(beach, keep_volume=keep)
    water = world.water
    for _ in range(VOLUME_STEPS + 5):
        world.step()
    before = seen_volume(water)
    (rise,) = water.neutral_levels
    moving = (rise != 0.0) & water.wet
    rise[moving] -= np.float32(6e-6 * before / water.grid.spacing**2 / moving.sum())
    for _ in range(VOLUME_STEPS):
        world.step()
    lost = 1.0 - seen_volume(water) / before
    assert abs(lost) < 2e-7 if keep else lost > 4e-6


class TestLakes:
    def test_a_neutral_drop_on_the_shore_of_one_takes_nothing_from_another(self):
        water = water_over(ridge)
        (rise,) = water.neutral_levels
        water.disturb(Drop(3.3, 4.0, 0.2, 1.2))
        assert np.abs(rise[:, :20]).max() > 0.1 and not rise[:, 20:].any()
        assert abs(rise[:, :20].sum(dtype=float)) < 1e-5

    @pytest.mark.slow
    def test_one_at_rest_stays_so_to_the_bit_beside_a_stormy_one(self):
        water = water_over(ridge)
        (rise,) = water.neutral_levels
        for number in range(3 * VOLUME_STEPS):
            if number % 16 == 0:
                water.disturb(Drop(1.5, 4.0, 0.15, 1.0))
            water.step()
        rise[:, :10] += np.float32(1e-4)
        for _ in range(2 * VOLUME_STEPS):
            water.step()
        assert rise[:, :20].any() and not rise[:, 20:].any()
        assert abs(rise.mean(dtype=float)) < 1e-6

    def test_each_keeps_its_own(self):
        water = water_over(ridge)
        (rise,) = water.neutral_levels
        for x in (1.5, 6.5):
            water.disturb(Drop(x, 4.0, 0.1, 1.0))
        for _ in range(VOLUME_STEPS):
            water.step()
        rise[:, :16] += np.float32(1e-5)
        rise[:, 25:] -= np.float32(1e-5)
        for _ in range(VOLUME_STEPS):
            water.step()
        assert abs(rise[:, :20].mean(dtype=float)) < 2e-7 and abs(rise[:, 20:].mean(dtype=float)) < 2e-7

    @pytest.mark.slow
    def test_what_has_run_over_the_ridge_stays_where_it_ran(self):
        water = water_over(ridge, friction=0.0, damping=1.0)
        for _ in range(VOLUME_STEPS):
            water.step()
        water.disturb(Drop(2.0, 4.0, 2.0, 2.0, neutral=False))
        poured = water.volume
        for _ in range(20 * VOLUME_STEPS):
            water.step()
        (rise,) = water.neutral_levels
        over = rise[:, 24:].mean(dtype=float)
        assert over > 0.02 and rise[:, :17].mean(dtype=float) > over + 0.02
        assert water.volume == pytest.approx(poured, rel=1e-6)


def test_land_just_reached_takes_from_its_own_lake_at_once_what_a_push_took_from_it():
    water = water_over(ridge)
    for _ in range(VOLUME_STEPS):
        water.step()
    (rise,) = water.neutral_levels
    rise[20, 18] = 0.05  # on the ridge
    water.step()
    rise[20, 18] = -0.05
    pushed, other = rise.sum(dtype=float), rise[:, 20:].tobytes()
    water.on_pushed(slice(20, 21), slice(18, 19))
    assert water.field_maps()["depth"].values.min() == 0.0
    assert rise.sum(dtype=float) == pytest.approx(pushed, abs=1e-6) and rise[:, 20:].tobytes() == other


class TestPouring:
    @pytest.mark.slow
    def test_what_is_poured_in_while_it_is_kept_stays(self):
        water = water_over(beach)
        for _ in range(VOLUME_STEPS + 3):
            water.step()
        water.disturb(Drop(2.0, 4.0, 0.3, 1.0, neutral=False))
        poured = water.volume
        assert poured > 0.1
        for _ in range(3 * VOLUME_STEPS):
            water.step()
        assert water.volume == pytest.approx(poured, rel=1e-5)

    @pytest.mark.slow
    @pytest.mark.parametrize("border", ["open", "zero"])
    def test_over_other_borders_than_walls_water_comes_and_goes(self, border):
        water = water_over(beach, border=border, damping=0.5)
        water.disturb(Drop(2.0, 4.0, 0.3, 1.0, neutral=False))
        poured = water.volume
        for _ in range(6 * VOLUME_STEPS):
            water.step()
        assert abs(water.volume) < 0.1 * poured

    @pytest.mark.slow
    def test_behind_walls_that_were_open_it_is_kept_at_what_it_is_then(self):
        water = water_over(beach, border="reflecting")
        water.disturb(Drop(2.0, 4.0, 0.3, 1.0))
        for _ in range(VOLUME_STEPS):
            water.step()
        water.set_parameter("border", "open")
        water.disturb(Drop(2.0, 4.0, 0.5, 1.5, neutral=False))
        for _ in range(2 * VOLUME_STEPS):
            water.step()
        water.set_parameter("border", "reflecting")
        left = water.volume
        for _ in range(3 * VOLUME_STEPS):
            water.step()
        assert water.volume == pytest.approx(left, abs=1e-5)
        assert abs(left) > 1e-3


class TestSaved:
    def run(self, world, steps):
        for _ in range(steps):
            world.step()

    @pytest.mark.slow
    def test_it_goes_on_to_the_bit_and_is_put_back_to_the_same(self):
        first = world_over(beach)
        self.run(first, 2 * VOLUME_STEPS + 7)
        (rise,) = first.water.neutral_levels
        rise[rise != 0.0] += np.float32(1e-5)
        second = World(water_over(beach), rain=40.0, seed=3)
        second.water.load_state(first.water.state())
        second.load_state(first.state())
        for world in (first, second):
            self.run(world, VOLUME_STEPS + 20)
        assert first.water.height.tobytes() == second.water.height.tobytes()
        np.testing.assert_array_equal(first.water.fixed, second.water.fixed)
        still = -np.minimum(first.water.bed, 0.0).sum(dtype=float) * first.water.grid.spacing**2
        assert abs(second.water.volume) < 2e-7 * still

    def test_files_that_know_nothing_of_it_can_still_be_read(self):
        world = world_over(beach)
        self.run(world, 40)
        state = world.water.state()
        del state["volume"], state["solver"]["reached"]
        other = water_over(beach)
        other.load_state(state)
        other.step()
        assert np.isfinite(other.height).all()

    @pytest.mark.parametrize(("name", "value"), [("waters", np.zeros((3, 4), bool)), ("means", np.zeros(7))])
    def test_what_makes_no_sense_is_refused(self, name, value):
        world = world_over(beach)
        self.run(world, VOLUME_STEPS)
        state = world.water.state()
        state["volume"][name] = value
        with pytest.raises(InputError, match="makes no sense"):
            water_over(beach).load_state(state)
