"""What comes in: its numbers as text, the shapes of waves, and changes without a jump."""

import math

import numpy as np
import pytest

from waterview.core.errors import InputError, ParameterError
from waterview.core.grid import Grid
from waterview.waters.common.incoming_waves import (
    IncomingWaves,
    Tide,
    long_wave_velocity,
    series_text,
    tide_text,
)
from waterview.waters.common.wavemaker import (
    SIDES,
    Places,
    TidalParams,
    Wavemaker,
    WavemakerParams,
    middle,
    sides_text,
)

HERE = np.zeros((1, 1))
SERIES = "0 0;1 0.5;2 0"


def at_origin(time, **asked):
    return float(IncomingWaves(**asked).signal(HERE, HERE)(time).surface[0, 0])


def surface_of(sines, x, z):
    return sum(a * np.cos(kx * x + kz * z + phase) for kx, kz, a, phase in sines.astype(float))


class TestSinesOutside:
    @pytest.mark.parametrize("dispersion", [0.0, 1.2])
    @pytest.mark.parametrize("asked", [{"kind": "sine"}, {"kind": "spectrum"}, {"kind": "spectrum", "spreading": 20.0}])
    def test_their_sum_is_the_wave_that_is_sent_in(self, asked, dispersion):
        waves = IncomingWaves(
            **asked, height=0.4, period=5.0, direction=(0.6, 0.8), origin=(3.0, -7.0), depth=4.0, start=2.0,
            dispersion=dispersion,
        )  # fmt: skip
        x, z = np.random.default_rng(0).uniform(-90.0, 90.0, (2, 40))
        for time in (2.0, 9.7, 4000.0):
            expected = waves.signal(x, z)(time).surface
            assert surface_of(waves.sines(time), x, z) == pytest.approx(expected, abs=1e-9)

    def test_others_have_none(self):
        for waves in (IncomingWaves(), IncomingWaves(kind="solitary"), IncomingWaves(kind="series", series=SERIES)):
            assert waves.sines(1.0).shape == (0, 4)
        assert Wavemaker().sines(32) is None

    def test_the_highest_of_a_random_sea_hold_most_of_its_energy(self):
        wavemaker = Wavemaker()
        params = WavemakerParams(wavemaker="spectrum", wavemaker_height=0.4, wavemaker_period=5.0)
        wavemaker.ask(params, (0.0, 0.0), 4.0, 9.81)
        wavemaker.time = 100.0
        few, all_of_them = (0.5 * (wavemaker.sines(most)[:, 2].astype(float) ** 2).sum() for most in (32, 96))
        assert all_of_them == pytest.approx(0.1**2, rel=1e-6)
        assert 0.7 * all_of_them < few < all_of_them


class TestSeriesAsText:
    def test_a_file_becomes_its_numbers(self, tmp_path):
        path = tmp_path / "wave.csv"
        path.write_text("time [s],surface [cm],flow [m2/s]\n0,0,0\n0.5,12.5,0.25\n")
        assert series_text(str(path)) == "0.0 0.0 0.0;0.5 0.125 0.25"

    def test_its_text_stays_as_it_is_to_the_last_digit(self):
        text = ";".join(f"{t!r} {v!r}" for t, v in zip((0.1, 0.2, 1 / 3), (1 / 7, math.pi, -1e-9), strict=True))
        assert series_text(text) == text == series_text(series_text(text))

    def test_none_is_empty(self):
        assert series_text(" ") == ""

    @pytest.mark.parametrize(
        ("text", "said"),
        [
            ("0 0;1 nan", "every surface must be a number from"),
            ("0 0;1 1e6", "every surface must be a number from"),
            ("0 0;1e300 0", "every time must be a number from"),
            ("0 0 0;1 0 1e7", "every flow must be a number from"),
            ("0 0;0 1", "row 2"),
            ("0 0;1 1;0.5 1", "row 3"),
            ("0 0;1", "needed"),
            ("0 0 0 0;1 0 0 0", "needed"),
            ("0 zero;1 1", "needed"),
            ("0 0;", "needed"),
            ("there is none.csv", "cannot read"),
        ],
    )
    def test_what_makes_no_sense_is_refused_in_one_line(self, text, said):
        with pytest.raises(InputError, match=said) as refused:
            series_text(text)
        assert "\n" not in str(refused.value)


class TestTidesAsText:
    def test_constituents_get_their_phases(self):
        assert tide_text("1.2:44712,0.4:43200:90") == "1.2:44712:0,0.4:43200:90"

    def test_a_series_is_kept(self):
        assert tide_text(SERIES) == "0.0 0.0;1.0 0.5;2.0 0.0"

    @pytest.mark.parametrize("text", ["1:0", "1:-3", "1:x", "1:2:3:4", "inf:2", "1:2,", "1e9:3"])
    def test_what_makes_no_sense_is_refused(self, text):
        with pytest.raises(ParameterError, match="constituents"):
            tide_text(text)

    def test_the_level_is_the_sum_of_its_constituents(self):
        tide = Tide(tide_text("2:40,1:10:90"))
        assert tide.level(0.0) == pytest.approx(1.0)
        assert tide.level(10.0) == pytest.approx(2.0 + 1.0)
        assert tide.period == 10.0

    def test_a_series_keeps_its_last_level(self):
        assert [Tide("0 0;10 3").level(time) for time in (5.0, 10.0, 99.0)] == [1.5, 3.0, 3.0]


class TestSides:
    def test_several_may_be_named(self):
        assert sides_text("west, north") == "west,north"

    @pytest.mark.parametrize("text", ["top", "west,west", "", "west,"])
    def test_there_are_four(self, text):
        with pytest.raises(ParameterError, match="side"):
            sides_text(text)


class TestParameters:
    def test_a_period_of_fewer_than_four_steps_is_refused(self):
        WavemakerParams(wavemaker="sine", wavemaker_period=0.04, steps_per_second=100.0)
        with pytest.raises(ParameterError, match="wavemaker period"):
            WavemakerParams(wavemaker="sine", wavemaker_period=0.039, steps_per_second=100.0)
        with pytest.raises(ParameterError, match="tide period"):
            TidalParams(tide="1:0.039", steps_per_second=100.0)

    def test_a_series_is_needed(self):
        with pytest.raises(ParameterError, match="series"):
            WavemakerParams(wavemaker="series")


class TestWaves:
    def test_a_sine_has_height_and_period(self):
        waves = {"kind": "sine", "height": 0.4, "period": 8.0}
        assert [at_origin(time, **waves) for time in (0.0, 2.0, 6.0, 10.0)] == pytest.approx([0.0, 0.2, -0.2, 0.2])

    def test_a_solitary_wave_has_its_crest_when_it_is_asked_for(self):
        waves = {"kind": "solitary", "height": 0.1, "crest_time": 7.0, "depth": 0.5}
        assert at_origin(7.0, **waves) == pytest.approx(0.1)
        half = math.acosh(math.sqrt(2.0)) / math.sqrt(0.75 * 0.1 * 9.81 * 0.6 / 0.5**3)
        assert at_origin(7.0 + half, **waves) == pytest.approx(0.05)

    def test_without_a_time_it_comes_in_whole(self):
        waves = {"kind": "solitary", "height": 0.1, "depth": 0.5}
        assert 0.0 < at_origin(0.0, **waves) < 1e-4

    def test_a_series_is_interpolated_and_then_still(self):
        waves = {"kind": "series", "series": SERIES}
        assert [at_origin(time, **waves) for time in (-1.0, 0.5, 1.5, 2.0, 9.0)] == [0.0, 0.25, 0.25, 0.0, 0.0]

    def test_a_series_may_tell_the_flow(self):
        waves = IncomingWaves(kind="series", series="0 0.1 0.3;9 0.1 0.3", depth=2.0)
        surface, along, sideways = waves.signal(HERE, HERE)(4.0)
        velocity = long_wave_velocity(along, surface, 2.0, waves.gravity)
        assert velocity * (2.0 + surface) == pytest.approx(0.3) and surface == pytest.approx(0.1)
        assert not sideways.any()

    def test_waves_run_along_their_direction_with_the_speed_of_long_ones(self):
        angle = math.radians(30.0)
        waves = IncomingWaves(
            kind="sine", height=2.0, period=5.0, depth=4.0, direction=(math.cos(angle), math.sin(angle))
        )
        x, z = np.array([[0.0, 3.0, 7.0]]), np.array([[0.0, -2.0, 1.0]])
        wave = waves.signal(x, z)(3.0)
        way = x * math.cos(angle) + z * math.sin(angle)
        expected = np.sin(2.0 * math.pi * (3.0 - way / math.sqrt(9.81 * 4.0)) / 5.0)
        assert wave.surface == pytest.approx(expected)
        assert wave.along_z == pytest.approx(expected * math.sin(angle))


class TestDispersion:
    waves = IncomingWaves(kind="sine", height=0.1, period=2.0, depth=1.0, dispersion=1.2)

    def test_numbers_solve_the_relation(self):
        frequency = np.array([0.1, 1.0, 3.0, 6.0])
        square = self.waves.numbers(frequency) ** 2
        assert frequency**2 == pytest.approx(9.81 * square * (1.0 + 0.2 * square / 3.0) / (1.0 + 1.2 * square / 3.0))

    def test_it_comes_in_as_a_long_wave_with_the_flow_of_energy_that_it_has_inside(self):
        frequency, step = math.pi, 1e-4
        low, high = self.waves.numbers(frequency + np.array([-step, step]))
        group_speed = 2.0 * step / (high - low)
        surface, along, _ = self.waves.signal(HERE, HERE)(0.5)  # at the crest
        assert surface**2 * math.sqrt(9.81) == pytest.approx(0.05**2 * group_speed, rel=1e-6)
        assert along == pytest.approx(surface)
        assert group_speed < self.waves.speed < 0.9 * math.sqrt(9.81)

    def test_long_waves_come_in_as_high_as_asked_for(self):
        assert self.waves.entering(np.array([1e-3])) == pytest.approx(1.0)
        assert IncomingWaves(kind="sine").entering(np.array([5.0])) == pytest.approx(1.0)

    @pytest.mark.slow
    def test_a_solitary_wave_comes_in_as_its_long_and_short_waves_do(self):
        waves = IncomingWaves(kind="solitary", height=0.02, crest_time=40.0, dispersion=1.2)
        times = np.arange(8000) * 0.01
        asked = 0.02 / np.cosh(math.sqrt(0.75 * 0.02 * 9.81) * (times - 40.0)) ** 2
        frequency = 2.0 * math.pi * np.fft.rfftfreq(len(times), 0.01)
        lowered = np.where(frequency < 3.0, waves.entering(np.minimum(frequency, 3.0)), 0.0)
        expected = np.fft.irfft(np.fft.rfft(asked) * lowered, len(times))
        signal = waves.signal(HERE, HERE)
        found = np.array([signal(time).surface.item() for time in times])
        assert found == pytest.approx(expected, abs=2e-3 * 0.02)
        assert found.max() < 0.995 * 0.02


class TestSpectrum:
    def made(self, **more):
        asked = {"kind": "spectrum", "height": 1.5, "period": 8.0, "seed": 3, "depth": 10.0} | more
        signal = IncomingWaves(**asked).signal(HERE, HERE)
        return np.array([signal(time).surface[0, 0] for time in np.arange(0.0, 4000.0, 0.7)])

    @pytest.mark.slow
    def test_four_standard_deviations_are_the_significant_height(self):
        assert 4.0 * self.made().std() == pytest.approx(1.5, rel=0.03)

    @pytest.mark.slow
    def test_most_energy_is_at_the_peak(self):
        surface = self.made()
        energy = np.abs(np.fft.rfft(surface)) ** 2
        frequency = np.fft.rfftfreq(len(surface), 0.7)
        near = np.abs(frequency * 8.0 - 1.0) < 0.2
        assert 0.35 < energy[near].sum() / energy.sum() < 0.7
        assert energy[frequency * 8.0 > 3.2].sum() < 0.01 * energy.sum()

    @pytest.mark.slow
    def test_the_seed_decides(self):
        assert (self.made() == self.made()).all() and (self.made() != self.made(seed=4)).any()

    def test_directions_spread(self):
        x = z = np.linspace(-40.0, 40.0, 30)[None, :]
        waves = {"kind": "spectrum", "height": 1.0, "period": 6.0, "depth": 10.0}
        straight = IncomingWaves(**waves).signal(0.0 * x, z)(9.0)
        spread = IncomingWaves(**waves, spreading=25.0).signal(0.0 * x, z)(9.0)
        assert np.ptp(straight.surface) == pytest.approx(0.0, abs=1e-12) and not straight.along_z.any()
        assert np.ptp(spread.surface) > 0.2 and np.abs(spread.along_z).max() > 0.1


class TestChanges:
    def made(self, **params):
        maker = Wavemaker()
        self.ask(maker, **params)
        return maker

    def ask(self, maker, **params):
        maker.ask(TidalParams(wavemaker_period=4.0, **params), (0.0, 0.0), 2.0, 9.81)

    def surface(self, maker):
        return float(maker.waves_at(Places(HERE, HERE), "west").surface[0, 0])

    def largest_change(self, maker, seconds, step=0.001):
        surfaces = []
        for _ in range(round(seconds / step)):
            surfaces.append(self.surface(maker))
            maker.time += step
        return np.abs(np.diff(surfaces)).max() / step

    def test_a_sine_begins_within_a_period(self):
        maker = self.made(wavemaker="sine", wavemaker_height=2.0)
        steepest = 2.0 * math.pi / 4.0
        assert self.largest_change(maker, 2.0) < steepest
        maker.time = 5.0
        assert self.surface(maker) == pytest.approx(1.0)

    @pytest.mark.slow
    def test_another_height_comes_without_a_jump(self):
        maker = self.made(wavemaker="sine", wavemaker_height=2.0)
        maker.time = 9.0
        self.ask(maker, wavemaker="sine", wavemaker_height=6.0)
        assert self.surface(maker) == pytest.approx(1.0)
        assert self.largest_change(maker, 4.0) < 3.0 * 2.0 * math.pi / 4.0
        maker.time = 21.0
        assert self.surface(maker) == pytest.approx(3.0)

    def test_a_slider_that_is_drawn_makes_no_jump(self):
        maker = self.made(wavemaker="sine", wavemaker_height=2.0)
        maker.time = 9.0
        surfaces = []
        for number in range(100):
            self.ask(maker, wavemaker="sine", wavemaker_height=2.0 + 0.05 * number)
            surfaces.append(self.surface(maker))
            maker.time += 1.0 / 60.0
        assert np.abs(np.diff(surfaces)).max() < 0.1

    def test_waves_are_computed_once_for_each_place_however_many_fade(self, monkeypatch):
        maker, places, made = self.made(wavemaker="sine", wavemaker_height=2.0), Places(HERE, HERE), []
        plain = IncomingWaves.signal
        monkeypatch.setattr(IncomingWaves, "signal", lambda waves, *at: made.append(waves) or plain(waves, *at))
        for number in range(60):
            maker.time += 0.1
            self.ask(maker, wavemaker="sine", wavemaker_height=2.0 + 0.05 * number)
            maker.waves_at(places)
        assert len(maker.waves.changes) > 20
        assert len(made) == len(set(made))

    def test_what_goes_off_fades_and_then_leaves_the_side(self):
        maker = self.made(wavemaker="sine", wavemaker_height=2.0)
        maker.time = 9.0
        self.ask(maker)
        assert maker.sides == ("west",) and self.surface(maker) == pytest.approx(1.0)
        maker.time = 13.1
        assert maker.sides == ()

    def test_a_series_begins_when_it_is_asked_for_and_only_once(self):
        maker = self.made(wavemaker="sine", wavemaker_height=0.0)
        maker.time = 50.0
        self.ask(maker, wavemaker="series", wavemaker_series=SERIES)
        maker.time = 51.0
        assert self.surface(maker) == pytest.approx(0.5)
        maker.ask(WavemakerParams(wavemaker="series", wavemaker_series=SERIES), (0.0, 0.0), 3.0, 9.81)
        assert self.surface(maker) == pytest.approx(0.5)
        maker.time = 60.0
        assert self.surface(maker) == 0.0

    def test_asking_twice_at_once_counts_once(self):
        maker = self.made(wavemaker="series", wavemaker_series=SERIES)
        maker.ask(WavemakerParams(wavemaker="series", wavemaker_series=SERIES), (0.0, 0.0), 3.0, 9.81)
        maker.time = 0.5
        assert self.surface(maker) == pytest.approx(0.25)

    def test_it_goes_on_from_its_state(self):
        maker = self.made(wavemaker="sine", wavemaker_height=2.0, tide="1:100")
        maker.time = 9.0
        self.ask(maker, wavemaker="spectrum", wavemaker_height=6.0, tide="2:100")
        maker.time = 10.0
        again = Wavemaker()
        again.load_state(maker.state())
        for each in (maker, again):
            each.time = 10.5
        assert self.surface(again) == self.surface(maker) and again.level("west") == maker.level("west") != 0.0

    @pytest.mark.parametrize("key", ["waves", "tide", "time"])
    def test_a_state_that_lacks_something_is_refused(self, key):
        state = self.made(wavemaker="sine").state()
        del state[key]
        with pytest.raises(KeyError):
            Wavemaker().load_state(state)

    def test_a_tide_changes_without_a_jump(self):
        maker = self.made(tide="1:100")
        maker.time = 25.0
        assert maker.level("west") == pytest.approx(1.0) and maker.level("east") == 0.0
        self.ask(maker, tide="3:100")
        assert maker.level("west") == pytest.approx(1.0)
        maker.time = 125.0
        assert maker.level("west") == pytest.approx(3.0)


def test_the_sea_beyond_every_driven_side_has_the_waves():
    maker = Wavemaker()
    params = WavemakerParams(wavemaker="sine", wavemaker_sides="west,north,east", wavemaker_angle=30.0)
    maker.ask(params, (0.0, 0.0), 1.0, 9.81)
    maker.time = 5.0
    beyond = {side: maker.waves_at(Places(HERE + 0.3, HERE), side).surface[0, 0] for side in SIDES}
    assert beyond["west"] == beyond["east"] == beyond["north"] != 0.0 == beyond["south"]
    assert maker.sides == ("west", "east", "north")


@pytest.mark.parametrize("kind", ["sine", "spectrum", "solitary"])
@pytest.mark.parametrize(("angle", "spreading"), [(45.0, 0.0), (20.0, 10.0)])
def test_some_of_all_places_have_the_waves_that_they_have_among_all(kind, angle, spreading):
    grid, maker = Grid((60, 50), 0.37), Wavemaker()
    how = {"wavemaker_angle": angle, "wavemaker_spreading": spreading, "wavemaker_time": 3.0}
    maker.ask(WavemakerParams(wavemaker=kind, **how), middle(grid, "west"), 1.0, 9.81)
    maker.time = 3.7
    whole = maker.waves_at(Places.along("west", grid, range(3)), "west")
    part = maker.waves_at(Places.along("west", grid, range(3), slice(31, 44)), "west")
    for ours, theirs in zip(part, whole, strict=True):
        np.testing.assert_array_equal(ours, theirs[:, 31:44])
    assert np.abs(part.surface).max() > 1e-3
