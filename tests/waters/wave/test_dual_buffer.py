"""What is particular to Elias' dual buffer: its recurrence, the misprint, random sizes and droplets."""

import math

import numpy as np
import pytest
from reference import equations as reference
from support.fields import advance
from support.waters import Ground, raise_to, run

from waterview.core.commands import DROP_RADIUS, Drop
from waterview.core.constants import GRAVITY
from waterview.core.grid import Grid
from waterview.simd.layout import TwoLevels
from waterview.waters import DualBufferWater
from waterview.waters.common.drops import drop_heights
from waterview.waters.wave.splashes import BIG, LANDING, SMALLEST, Splashes

PLAIN = {"drop_variation": 0.0, "splash": 0.0}


def elias(now, before, factor, divisor, steps):
    """The two loops of the paper, with nothing beyond the edges."""
    for _ in range(steps):
        around = np.pad(now, 1)
        total = around[1:-1, :-2] + around[1:-1, 2:] + around[:-2, 1:-1] + around[2:, 1:-1]
        now, before = (total / divisor - before) * factor, now
    return now


@pytest.mark.parametrize("factor", [1.0, 0.99, 0.5, 0.0])
@pytest.mark.parametrize(("divisor", "number"), [("two", 2.0), ("four-as-printed", 4.0)])
def test_it_is_the_loop_of_the_paper(factor, divisor, number):
    water = DualBufferWater(6.0, 4.0, 31, border="zero", damping_factor=factor, divisor=divisor, **PLAIN)
    rng = np.random.default_rng(0)
    now, before = rng.uniform(-1.0, 1.0, (2, *water.grid.shape))
    levels = water.time_levels
    levels[0][...], levels[1][...] = now, before
    run(water, 60)
    np.testing.assert_allclose(water.height, elias(now, before, factor, number, 60), atol=2e-5)


def test_it_equals_the_wave_equation_at_half_a_squared_courant_number():
    water = DualBufferWater(6.0, 4.0, 31, border="zero", shoreline="zero", damping_factor=1.0, **PLAIN)
    shape = water.grid.shape
    water.set_height_map(Ground(np.where(np.random.default_rng(1).random(shape) < 0.1, 1.0, -1.0)))
    start = np.where(water.fixed, 0.0, np.random.default_rng(2).uniform(-1.0, 1.0, shape))
    raise_to(water, start)
    field = TwoLevels(shape)
    field.heights[...] = field.heights_before[...] = start
    run(water, 200)
    free = water.fixed
    advance(field, free, stencil="five-point", border="zero", damping=0.0, courant=math.sqrt(0.5), steps=200)
    np.testing.assert_allclose(water.height, field.heights, atol=1e-5)
    assert water.effective == {
        "wave_speed": pytest.approx(math.sqrt(0.5) * 0.2 * 120.0),
        "damping": 0.0,
        "courant": pytest.approx(math.sqrt(0.5)),
        "substeps": 1.0,
    }


@pytest.mark.parametrize("factor", [0.999, 0.99, 0.9])
def test_damping_takes_as_much_as_that_of_the_wave_equation(factor):
    """Both recurrences have the product of roots 1 − κ = factor: heights fall by √factor a step."""
    water = DualBufferWater(6.0, 6.0, 31, damping_factor=factor, **PLAIN)
    shape, tx, _ = reference.mode(water.grid.shape, 15, 0, "reflecting")
    raise_to(water, shape)
    s = reference.symbol("five-point", tx, 0.0)
    z = np.roots([1.0, -factor * (2.0 - s / 2.0), factor])
    np.testing.assert_allclose(np.abs(z), math.sqrt(factor), rtol=1e-9)
    alpha = (1.0 - 1.0 / z[1]) / (1.0 / z[0] - 1.0 / z[1])
    for steps in (10, 50):
        raise_to(water, shape)
        run(water, steps)
        expected = (alpha * z[0] ** steps + (1.0 - alpha) * z[1] ** steps).real
        np.testing.assert_allclose(water.height, expected * shape, atol=1e-5)
    assert water.effective["damping"] == pytest.approx((1.0 - factor) * 120.0)


def test_with_the_misprint_a_level_surface_flickers_and_with_two_it_stays():
    """h, h, 0, −h, −h, 0: with 4 as divisor flat water has period 6."""
    for divisor, expected in (("two", [1.0] * 7), ("four-as-printed", [0.0, -1.0, -1.0, 0.0, 1.0, 1.0, 0.0])):
        water = DualBufferWater(6.0, 6.0, 31, damping_factor=1.0, divisor=divisor, **PLAIN)
        raise_to(water, 1.0)
        seen = []
        for _ in range(7):
            water.step()
            seen.append(float(water.height[15, 15]))
        assert seen == pytest.approx(expected, abs=1e-6)


class TestRandomSizes:
    def sizes(self, **parameters):
        water = DualBufferWater(40.0, 40.0, 161, splash=0.0, **parameters)
        heights = []
        for _ in range(200):
            water.reset()
            water.disturb(Drop(20.0, 20.0, 1.0, 4.0))
            heights.append(float(water.height[80, 80]))
        return heights

    def test_they_differ_around_the_size_asked_for(self):
        heights = self.sizes(drop_variation=0.4)
        assert 0.6 <= min(heights) < 0.65 and 1.35 < max(heights) <= 1.4
        assert np.mean(heights) == pytest.approx(1.0, abs=0.06)

    @pytest.mark.slow
    def test_the_same_seed_gives_the_same_drops(self):
        first = self.sizes(drop_variation=0.4, drop_seed=5)
        assert self.sizes(drop_variation=0.4, drop_seed=5) == first
        assert self.sizes(drop_variation=0.4, drop_seed=6) != first

    def test_without_variation_every_drop_is_as_asked(self):
        assert self.sizes(drop_variation=0.0) == [1.0] * 200


class TestSplashes:
    GRID = Grid((41, 41), 0.5)
    DRY = np.zeros((41, 41), bool)

    def big(self, height=0.5):
        return Drop(10.0, 10.0, height, 1.01 * BIG * DROP_RADIUS * 20.0)

    def test_only_big_drops_throw(self):
        splashes = Splashes()
        splashes.throw(Drop(10.0, 10.0, 0.5, 0.99 * BIG * DROP_RADIUS * 20.0), self.GRID, 0.5, 1.0)
        splashes.throw(self.big(), self.GRID, 0.0, 1.0)
        assert len(splashes) == 0
        splashes.throw(self.big(), self.GRID, 0.5, 1.0)
        assert len(splashes) == 1

    @pytest.mark.parametrize(
        ("name", "value"), [("peak", -1.0), ("lowest", -1.0), ("radius", 0.0), ("wait", 1e300), ("x", math.nan)]
    )
    def test_saved_droplets_without_sense_are_refused(self, name, value):
        splashes = Splashes()
        splashes.throw(self.big(), self.GRID, 0.5, 1.0)
        words = splashes.saved()
        Splashes().load(words)
        with pytest.raises(ValueError, match=r"droplets without sense|of Splash is"):
            Splashes().load([words[0] | {name: value}])

    def test_a_flight_is_that_of_a_stone(self):
        """It peaks at the share of twice the drop's height, after √(2·peak/g); bounces are lower by the share."""
        splashes, dt = Splashes(), 1e-3
        splashes.throw(self.big(0.5), self.GRID, 0.5, 1.0)
        wait = self.big().radius
        heights, drops = [], []
        while len(splashes):
            landed = splashes.step(dt, 0.5)
            drops += landed
            shown = np.zeros((41, 41), np.float32)
            splashes.add_to(shown, self.GRID, self.DRY)
            heights.append(float(shown[20, 20]))
            assert abs(shown.sum(dtype=float)) < 1e-5
        heights = np.array(heights)
        fall = math.sqrt(2.0 * 0.5 / GRAVITY)
        top = int(heights.argmax())
        assert heights[top] == pytest.approx(0.5, rel=0.02)
        assert top * dt == pytest.approx(wait + fall, abs=0.01)
        assert [drop.height for drop in drops] == pytest.approx([LANDING * 0.5 * 0.5**n for n in range(len(drops))])
        assert 0.5 ** len(drops) < SMALLEST <= 0.5 ** (len(drops) - 1)

    def test_in_the_water_it_flies_lands_and_makes_rings_of_its_own(self):
        water = DualBufferWater(20.0, 20.0, 81, drop_variation=0.0, damping_factor=1.0)
        plain = DualBufferWater(20.0, 20.0, 81, drop_variation=0.0, damping_factor=1.0, splash=0.0)
        for each in (water, plain):
            each.disturb(self.big())
        seen = 0.0
        while water.droplets:
            water.step()
            plain.step()
            seen = max(seen, float((water.height - plain.height).max()))
            assert water.height.sum(dtype=float) == pytest.approx(0.0, abs=1e-3)
        assert seen > 0.4
        run(water, 5)
        run(plain, 5)
        assert np.abs(water.height - plain.height).max() > 0.01

    def test_it_is_seen_in_frames_and_calmed_with_the_water(self):
        water = DualBufferWater(20.0, 20.0, 81, drop_variation=0.0)
        water.disturb(self.big())
        run(water, 60)
        frame = water.publish(1)
        np.testing.assert_array_equal(frame.heights, water.height)
        along_z, along_x = np.gradient(frame.heights.astype(float), water.grid.spacing)
        np.testing.assert_allclose(frame.normals[..., 0], -along_x, atol=2e-3)
        np.testing.assert_allclose(frame.normals[..., 1], -along_z, atol=2e-3)
        water.reset()
        assert water.droplets == 0
        run(water, 60)
        assert not water.height.any()

    def test_other_steps_leave_the_flight_as_it_is(self):
        peaks = []
        for later in (120.0, 480.0):
            water = DualBufferWater(20.0, 20.0, 81, drop_variation=0.0, damping_factor=0.0)
            water.disturb(self.big(2.0))
            while water.height[40, 40] < 0.3:
                water.step()
            water.set_parameter("steps_per_second", later)
            heights = []
            for _ in range(round(0.5 * later)):
                water.step()
                heights.append(float(water.height[40, 40]))
            peaks.append(max(heights))
        assert peaks[0] == pytest.approx(peaks[1], rel=0.1)


def test_a_droplets_shape_found_once_is_that_of_a_drop_of_its_height():
    water = DualBufferWater(8.0, 8.0, 33, drop_variation=0.0, splash=0.5)
    water.disturb(Drop(4.0, 3.0, 0.3, 0.6))
    flying = 0
    for _ in range(200):
        water.step()
        state = water.state()
        shown = water.height - state["heights"]
        for splash in state["splashes"]:
            if splash["height"] > 0.0:
                flying += 1
                droplet = Drop(splash["x"], splash["z"], splash["height"], splash["radius"])
                window, added = drop_heights(droplet, water.grid, water.fixed)
                np.testing.assert_allclose(shown[window], added, atol=1e-6)
    assert flying > 10
