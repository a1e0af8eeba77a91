"""The ocean as a water: its statistics, its motion, its shores."""

import laws
import numpy as np
import pytest
from support.waters import Ground, run

from waterview.core.commands import MAX_HEIGHT, Drop
from waterview.core.errors import InputError, ParameterError
from waterview.waters.ocean.ocean import RISE, OceanWater
from waterview.waters.ocean.spectra import significant_height

SIZE = 1000.0


def ocean(points=128, size=SIZE, **parameters):
    """A square sea at its true size, of one cascade unless said otherwise."""
    return OceanWater(size, size, points, **{"sea_size": 0.0, "cascades": 1, **parameters})


BEACH = Ground(lambda x, z: np.maximum(0.05 * (100.0 - x), -40.0))
"""Land for x < 100, then 1 in 20 down to 40 m."""


class TestStatistics:
    @pytest.mark.slow
    @pytest.mark.parametrize("spectrum", ["jonswap", "tma", "phillips"])
    def test_significant_height_is_that_of_the_spectrum(self, spectrum):
        assert abs(laws.sea_height_error(spectrum)) < 0.05

    def test_heights_are_normally_distributed(self):
        values = np.concatenate([ocean(seed=seed).height.ravel() for seed in range(6)]).astype(float)
        values /= values.std()
        assert abs(values.mean()) < 0.01
        assert abs((values**3).mean()) < 0.1
        assert (values**4).mean() == pytest.approx(3.0, abs=0.25)

    @pytest.mark.slow
    def test_choppy_crests_are_sharper_than_troughs(self):
        water = ocean(256, 400.0, wind_speed=15.0, smallest=1.0)
        x, z = np.meshgrid(np.linspace(50.0, 350.0, 301), np.linspace(50.0, 350.0, 301))

        def skewness_of_curvature():
            h = water.height_at(x, z)
            bend = 4.0 * h[1:-1, 1:-1] - h[2:, 1:-1] - h[:-2, 1:-1] - h[1:-1, 2:] - h[1:-1, :-2]
            return ((bend / bend.std()) ** 3).mean()

        choppy = skewness_of_curvature()
        water.set_parameter("choppiness", 0.0)
        assert abs(skewness_of_curvature()) < 0.1 < 0.25 < choppy

    @pytest.mark.parametrize("wind", [5.0, 8.0, 20.0])
    def test_nothing_repeats_within_the_water(self, wind):
        water = ocean(256, 1000.0, cascades=3, wind_speed=wind)
        h = water.height.astype(float)
        for lag in (h.shape[0] * 3 // 8, h.shape[0] * 5 // 8, h.shape[0] // 2):
            for a, b in ((h[lag:], h[:-lag]), (h[:, lag:], h[:, :-lag])):
                assert np.corrcoef(a.ravel(), b.ravel())[0, 1] < 0.4


class TestMotion:
    @pytest.mark.parametrize("depth", [5.0, 4000.0])
    def test_every_wave_turns_at_its_own_frequency(self, depth):
        error, told = laws.frequency_error(depth)
        assert told > 500
        assert error < 1e-4

    @pytest.mark.parametrize("direction", [0.0, 90.0, 200.0])
    def test_waves_run_downwind(self, direction):
        water = ocean(128, 500.0, wind_direction=direction, swell=1.0, choppiness=0.0)
        before = np.fft.fft2(water.height)
        run(water, 6)
        after = np.fft.fft2(water.height)
        k = 2 * np.pi * np.fft.fftfreq(128, 500.0 / 127.0)
        along = np.cos(np.radians(direction)) * k[None, :] + np.sin(np.radians(direction)) * k[:, None]
        # A wave that runs along +k turns backwards in phase.
        turned = (after * before.conj()).imag
        assert (turned * np.sign(along)).sum() < -0.8 * np.abs(turned).sum()

    @pytest.mark.slow
    def test_the_loop_returns_to_its_start(self):
        water = ocean(loop_period=5.0, steps_per_second=30.0, cascades=2)
        water.reset()
        run(water, round(30 * RISE))
        start, halfway = water.height.copy(), None
        for step in range(150):
            water.step()
            if step == 70:
                halfway = water.height.copy()
        assert np.abs(water.height - start).max() < 1e-5 * np.abs(start).max()
        assert np.abs(halfway - start).max() > 0.5 * np.abs(start).max()

    def test_it_is_a_function_of_time_alone(self):
        fine, coarse = ocean(steps_per_second=120.0), ocean(steps_per_second=10.0)
        run(fine, 240)
        run(coarse, 20)
        np.testing.assert_allclose(fine.height, coarse.height, atol=1e-5)

    @pytest.mark.parametrize("foam", [0.0, 0.5])
    def test_after_a_step_it_is_the_sea_of_that_time(self, foam):
        stepped, other = ocean(steps_per_second=5.0, foam=foam), ocean(steps_per_second=50.0, foam=foam)
        run(stepped, 3)
        other.time = 0.6
        other.set_parameter("choppiness", other.params.choppiness)
        assert stepped.time == pytest.approx(0.6)
        np.testing.assert_allclose(stepped.height, other.height, atol=1e-5)
        before = stepped.height.copy()
        stepped.step()
        assert np.abs(stepped.height - before).max() > 0.01

    def test_it_still_moves_truly_after_a_day(self):
        water = ocean(loop_period=60.0)
        start = water.height.copy()
        water.time = 86_400.0
        water.set_parameter("choppiness", 0.5)
        np.testing.assert_allclose(water.height, start, atol=1e-5 * np.abs(start).max())


class TestChance:
    def test_the_same_seed_gives_the_same_sea(self):
        frames = []
        for _ in range(2):
            water = ocean(seed=7, cascades=2)
            run(water, 20)
            frames.append(water.publish(1))
        for name in ("heights", "normals", "shift", "foam"):
            assert getattr(frames[0], name).tobytes() == getattr(frames[1], name).tobytes()

    def test_another_seed_gives_another_sea(self):
        first, second = ocean(seed=1).height.ravel(), ocean(seed=2).height.ravel()
        assert abs(np.corrcoef(first, second)[0, 1]) < 0.2

    def test_foam_does_not_depend_on_who_watches(self):
        watched, alone = (ocean(wind_speed=25.0, foam=0.9) for _ in "ab")
        for _ in range(31):
            watched.step()
            watched.publish(1)
            alone.step()
        first, second = watched.publish(1).foam, alone.publish(1).foam
        assert first.max() > 127
        np.testing.assert_array_equal(first, second)


class TestScale:
    def test_a_model_of_a_sea_is_that_sea_made_smaller(self):
        true, model = ocean(size=1000.0), ocean(size=10.0, sea_size=1000.0)
        np.testing.assert_allclose(model.height, 0.01 * true.height, atol=1e-6)
        first, second = true.publish(0), model.publish(0)
        shift = 0.01 * first.shift.astype(float)
        np.testing.assert_allclose(second.shift, shift, rtol=2e-3, atol=1e-6)
        np.testing.assert_allclose(second.normals, first.normals, atol=1e-3)
        assert second.effective["significant_height"] == pytest.approx(0.01 * first.effective["significant_height"])

    def test_a_grid_of_any_shape_will_do(self):
        for size in ((100.0, 30.0, 70), (10.0, 50.0, 33), (5.0, 5.0, 2)):
            water = OceanWater(*size, origin=(-3.0, 2.0, 7.0))
            assert water.height.shape == water.grid.shape
            assert np.isfinite(water.height).all()


class TestShores:
    def test_land_stays_dry_and_waves_fade_towards_it(self):
        water = ocean(shore=2.0)
        open_sea = water.height.copy()
        water.set_height_map(BEACH)
        frame = water.publish(1)
        assert not frame.heights[frame.fixed].any() and not frame.shift[frame.fixed].any()
        limit = 2.0 * significant_height(water.sea)
        deep = water.bed < -limit
        np.testing.assert_array_equal(frame.heights[deep], open_sea[deep])
        shallow = (water.bed < 0.0) & (water.bed > -0.5 * limit)
        assert 0.0 < np.abs(frame.heights[shallow]).sum() < 0.6 * np.abs(open_sea[shallow]).sum()
        assert np.abs(frame.heights[shallow]).max() < limit

    def test_a_changed_level_moves_the_shore(self):
        water = ocean()
        water.set_height_map(BEACH)
        before = water.height.copy()
        water.set_water_level(-10.0)
        assert not water.height[water.fixed].any()
        water.set_water_level(0.0)
        np.testing.assert_array_equal(water.height, before)


class TestQueries:
    def test_the_height_at_a_moved_point_is_its_own(self):
        water = ocean(256, 400.0, wind_speed=12.0)
        inside = (slice(20, -20, 3), slice(20, -20, 3))
        frame = water.publish(1)
        place = water.position.astype(float)[inside] + frame.shift[inside]
        found = water.height_at(place[..., 0], place[..., 1])
        np.testing.assert_allclose(found, frame.heights[inside], atol=0.01 * frame.heights.std())

    def test_undisplaced_undoes_the_shift(self):
        water = ocean(256, 400.0, wind_speed=12.0)
        x, z = water.undisplaced(200.0, 150.0)
        at = [water.grid.sample(water.publish(0).shift[..., axis], float(x), float(z)) for axis in (0, 1)]
        assert (float(x) + at[0], float(z) + at[1]) == pytest.approx((200.0, 150.0), abs=1e-3)

    def test_outside_the_water_the_edge_counts(self):
        water = ocean(choppiness=0.0)
        assert water.height_at(-50.0, -50.0) == pytest.approx(water.height[0, 0])


class TestCommands:
    def test_it_says_that_it_knows_no_drops(self):
        water = ocean()
        assert not water.can_be_disturbed
        with pytest.raises(InputError, match="--model layered"):
            water.disturb(Drop(10.0, 10.0, 1.0, 5.0))
        with pytest.raises(InputError, match="--model layered"):
            water.set_height(3, 3, 1.0)

    @pytest.mark.slow
    def test_reset_calms_the_sea_and_the_wind_raises_it_again(self):
        water = ocean()
        usual = water.height.std()
        run(water, 10)
        water.reset()
        assert not water.height.any() and not water.publish(0).foam.any()
        run(water, round(0.5 * RISE * 60))
        assert 0.3 * usual < water.height.std() < 0.7 * usual
        run(water, round(0.5 * RISE * 60))
        assert water.height.std() == pytest.approx(usual, rel=0.2)

    def test_without_wind_it_is_flat(self):
        water = ocean(**OceanWater.calm)
        run(water, 5)
        frame = water.publish(1)
        assert not frame.heights.any() and not frame.normals.any() and not frame.shift.any() and not frame.foam.any()

    def test_more_wind_makes_the_same_sea_higher(self):
        water = ocean(wind_speed=8.0, smallest=3.0)
        low = water.height.copy()
        water.set_parameter("wind_speed", 9.0)
        assert water.height.std() > low.std()
        assert np.corrcoef(low.ravel(), water.height.ravel())[0, 1] > 0.8

    def test_a_refused_value_changes_nothing(self):
        water = ocean()
        before = water.height.copy()
        with pytest.raises(ParameterError, match="choppiness"):
            water.set_parameter("choppiness", 9.0)
        np.testing.assert_array_equal(water.height, before)

    def test_shift_and_foam_are_left_out_when_there_are_none(self):
        frame = ocean(choppiness=0.0, foam=0.0).publish(1)
        assert frame.shift is None and frame.foam is None
        frame = ocean().publish(1)
        assert (frame.shift.shape, frame.shift.dtype) == ((128, 128, 2), np.float16)
        assert (frame.foam.shape, frame.foam.dtype) == ((128, 128), np.uint8)
        assert not frame.shift.flags.writeable and not frame.foam.flags.writeable

    def test_what_is_inside_can_be_looked_at(self):
        water = ocean(wind_speed=25.0, foam=0.9)
        run(water, 4)
        frame, fields = water.publish(1), water.field_maps()
        np.testing.assert_allclose(fields["foam"].values, frame.foam / 255.0, atol=0.501 / 255.0)
        shift = np.hypot(*np.moveaxis(frame.shift.astype(float), -1, 0))
        np.testing.assert_allclose(fields["shift"].values, shift, rtol=1e-3, atol=1e-6)
        np.testing.assert_array_equal(fields["height"].values, frame.heights)
        kept = fields["foam"].values.copy()
        run(water, 4)
        assert fields["foam"].values.tobytes() == kept.tobytes()

    def test_foam_that_was_saved_is_shown_as_before(self):
        water, other = (ocean(wind_speed=25.0, foam=0.9) for _ in "ab")
        run(water, 31)
        other.load_state(water.state())
        assert water.publish(1).foam.max() > 127
        np.testing.assert_array_equal(other.publish(1).foam, water.publish(1).foam)

    @pytest.mark.parametrize(
        ("name", "value"), [("foam", -0.1), ("foam", 1.1), ("calmed_at", 7.0)], ids=["no foam", "foam", "calmed later"]
    )
    def test_a_forged_state_is_refused(self, name, value):
        water = ocean(foam=0.9)
        forged = np.full(water.grid.shape, value, np.float32) if name == "foam" else value
        with pytest.raises(InputError, match="makes no sense"):
            water.load_state(water.state() | {name: forged})

    def test_a_frame_does_not_change_any_more(self):
        water = ocean(wind_speed=25.0, foam=0.9)
        run(water, 4)
        frame = water.publish(1)
        kept = [np.copy(array) for array in (frame.heights, frame.shift, frame.foam)]
        run(water, 10)
        water.reset()
        for array, copy in zip((frame.heights, frame.shift, frame.foam), kept, strict=True):
            np.testing.assert_array_equal(array, copy)


def test_the_most_enlarged_sea_stays_within_bounds():
    """1,000 m for a millimetre of sea: its waves are higher than heights may be."""
    water = ocean(17, sea_size=1e-3, spectrum="gerstner", wind_speed=40.0, shore=0.0)
    assert water.effective["significant_height"] > 4.0 * MAX_HEIGHT
    for heights in (water.height, water.publish(1).heights, water.height_at(500.0, 500.0)):
        assert np.abs(heights).max() == MAX_HEIGHT
