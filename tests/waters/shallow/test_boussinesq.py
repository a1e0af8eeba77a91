"""Waves with dispersion against their relation and closed forms; what was measured stands beside what is allowed."""

import numba
import numpy as np
import pytest
from support.cells import G, channel, run, volume
from support.waters import Ground

from waterview.core.commands import Drop
from waterview.waters.shallow import boussinesq
from waterview.waters.shallow.boussinesq import ALPHA, Boussinesq
from waterview.waters.shallow.finite_volume import FiniteVolumes
from waterview.waters.shallow.shallow_params import BORDERS
from waterview.waters.shallow.shallow_water import ShallowWater


def frequency(k, depth=1.0):
    """ω of the scheme's own relation."""
    s = ALPHA * (k * depth) ** 2 / 3.0
    return np.sqrt(G * depth * k * k * (1.0 + s * (ALPHA - 1.0) / ALPHA) / (1.0 + s))


def standing_wave(k, cells, diagonal):
    """Measured ω of a wave that stands between walls, with `cells` to its length (along x); by its crossings of 0."""
    along = k / np.sqrt(2.0) if diagonal else k
    spacing = 2.0 * np.pi / along / cells
    row = np.cos(along * (np.arange(cells // 2) + 0.5) * spacing)
    shape = 1e-4 * (np.outer(row, row) if diagonal else channel(row))
    water = Boussinesq(np.full(shape.shape, -1.0), spacing, "reflecting")
    water.conserved[0] = shape
    part = 2.0 * np.pi / frequency(k) / 60
    heights = [1.0]
    for _ in range(150):
        run(water, part)
        heights.append(float((water.rise * shape).sum() / (shape * shape).sum()))
    heights = np.array(heights)
    (before,) = np.nonzero((heights[:-1] > 0) != (heights[1:] > 0))
    crossings = before + heights[before] / (heights[before] - heights[before + 1])
    return np.pi * (len(crossings) - 1) / ((crossings[-1] - crossings[0]) * part)


class TestDispersion:
    @pytest.mark.sampled
    @pytest.mark.parametrize("diagonal", [False, True])
    @pytest.mark.parametrize("k", [0.5, 1.0, 2.0, 3.0])
    def test_waves_run_as_their_relation_says_and_nearly_as_airys(self, k, diagonal):
        """kd up to 3, 32 cells to a wave."""
        found = standing_wave(k, 32, diagonal)
        assert found == pytest.approx(frequency(k), rel=0.01)  # measured: 0.2 to 0.5 %
        assert found == pytest.approx(np.sqrt(G * k * np.tanh(k)), rel=0.05)  # measured: 2.8 % at most

    @pytest.mark.slow
    def test_a_drop_in_deep_water_moves_as_if_the_pressure_were_found_to_its_end(self, monkeypatch):
        """Waves far shorter than the depth, where nearly all of their motion hangs on Π."""
        heights = []
        for cycles in (boussinesq.CYCLES, 16):
            monkeypatch.setattr(boussinesq, "CYCLES", cycles)
            water = ShallowWater(20.0, 16.0, 81, scheme="boussinesq", border="reflecting")
            water.disturb(Drop(10.0, 8.0, 0.05, 0.6))
            for _ in range(40):
                water.step()
            heights.append(water.height.copy())
        found, right = heights
        assert np.abs(found - right).max() < 0.014 * np.abs(right).max()  # measured: 0.9 %; 3.6 % with 3 cycles

    @pytest.mark.slow
    def test_errors_fall_with_the_square_of_the_spacing(self):
        coarse, fine = (abs(standing_wave(2.0, cells, False) / frequency(2.0) - 1.0) for cells in (16, 32))
        assert fine < coarse / 3.0  # measured: a quarter

    @pytest.mark.slow
    def test_long_waves_run_at_the_root_of_gd(self):
        x = 0.25 * np.arange(400)
        wave = 1e-3 * np.exp(-(((x - 30.0) / 12.0) ** 2))
        water = Boussinesq(channel(np.full(400, -0.25)), 0.25, "reflecting")
        water.conserved[0], water.conserved[1] = wave, np.sqrt(0.25 * G) * wave
        run(water, 40.0 / np.sqrt(0.25 * G))
        assert (water.rise[1] * x).sum() / water.rise[1].sum() - 30.0 == pytest.approx(40.0, rel=2e-3)

    @pytest.mark.slow
    def test_waves_run_alike_along_both_axes_and_both_ways(self):
        x, z = np.arange(46.0)[None, :], np.arange(34.0)[:, None]
        bed = -3.0 + np.cos(0.2 * x + 0.3 * z)
        rise = 0.1 * np.exp(-(((x - 18.0) / 4.0) ** 2) - ((z - 15.0) / 5.0) ** 2)
        for border in BORDERS:
            made = []
            for ground, heights in ((bed, rise), (bed.T, rise.T), (bed[:, ::-1], rise[:, ::-1])):
                water = Boussinesq(ground, 1.0, border)
                water.conserved[0] = heights
                made.append(run(water, 4.0).conserved)
            # The multigrid pairs cells from the west and the north: mirrored, what is left of its error differs.
            np.testing.assert_allclose(made[1][[0, 2, 1]].swapaxes(1, 2), made[0], atol=2e-5)
            np.testing.assert_allclose(made[2][:, :, ::-1] * [[[1]], [[-1]], [[1]]], made[0], atol=1e-4)

    @pytest.mark.slow
    def test_a_solitary_wave_keeps_its_height(self):
        """It starts as the one of Serre's equations (α = 1) and becomes that of these, which has no closed form."""
        height, spacing = 0.2, 0.1
        x = np.arange(0.0, 220.0, spacing)
        speed, width = np.sqrt(G * (1.0 + height)), np.sqrt(3.0 * height) / (2.0 * np.sqrt(1.0 + height))
        wave = height / np.cosh(width * (x - 20.0)) ** 2
        crests = {}
        for model in (Boussinesq, FiniteVolumes):
            water = model(channel(np.full(len(x), -1.0)), spacing, "reflecting")
            water.conserved[0], water.conserved[1] = wave, speed * wave
            crests[model] = [float(run(water, 20.0 / speed, 10).rise.max()) for _ in range(8)]
            if model is Boussinesq:
                assert not water.breaking.any()
                assert x[water.rise[1].argmax()] - 20.0 == pytest.approx(160.0, rel=3e-3)  # measured: 0.14 %
        settled, last = crests[Boussinesq][2], crests[Boussinesq][-1]  # after 60 and 160 depths
        assert last == pytest.approx(settled, rel=0.02)  # measured: +0.06 %
        assert settled == pytest.approx(height, rel=0.03)  # measured: +2.2 %
        assert crests[FiniteVolumes][-1] < 0.5 * height  # shallow water makes a bore of it, which wears off


class TestRest:
    @pytest.mark.sampled
    @pytest.mark.parametrize("border", BORDERS)
    @pytest.mark.parametrize("depth", [1.0, 1000.0])
    def test_a_lake_over_a_rough_bed_with_islands_keeps_still_to_the_last_bit(self, border, depth):
        bed = depth * (np.random.default_rng(1).normal(size=(40, 50)) - 0.7)
        water = Boussinesq(bed, 1.0, border)
        water.active[:] = True
        run(water, 10.0 / np.sqrt(depth), 10)
        assert not water.conserved.any()

    def test_a_lake_high_above_still_water_keeps_still_but_for_rounding(self):
        bed = np.random.default_rng(2).uniform(-1.0, 1.0, (40, 50))
        water = Boussinesq(bed, 1.0, "reflecting")
        water.conserved[0] = np.maximum(0.4 - bed, 0.0) - water.still
        run(water, 20.0)
        wet = water.depth > 1e-3
        assert np.abs(water.surface[wet] - 0.4).max() < 1e-5
        assert np.abs(water.conserved[1:]).max() < 2e-5

    @pytest.mark.slow
    def test_waves_fade_and_fall_asleep(self):
        water = Boussinesq(np.full((24, 100), -1.0), 1.0, "open")
        water.conserved[0, :, :20] = 0.05 * np.exp(-(((np.arange(20.0) - 8.0) / 3.0) ** 2))
        for _ in range(400):
            water.advance(1.0, gravity=G, damping=0.2, friction=0.0, max_substeps=8)
        assert not water.conserved[1:].any() and not water.active.any()


class TestBorders:
    def packet(self, border, k, depth=1.0, seconds=1.75):
        """A packet of waves that has met the end of a channel: energy left in it, and its height there, as shares."""
        spacing = min(2.0 * np.pi / k / 24.0, 0.5)
        length = 2.0 * np.pi / k
        x = (np.arange(int(20 * length / spacing)) + 0.5) * spacing
        bed = channel(np.full(len(x), -depth), 12)
        bed[:2] = bed[-2:] = depth
        wave = 1e-4 * np.exp(-(((x - 12 * length) / (2 * length)) ** 2)) * np.cos(k * (x - 12 * length))
        water = Boussinesq(bed, spacing, border)
        water.conserved[0, 2:-2], water.conserved[1, 2:-2] = wave, frequency(k) / k * wave
        before = float((water.rise[5].astype(float) ** 2).sum())
        half = 0.5 * 1e-3 * k
        group = (frequency(k + half) - frequency(k - half)) / (2 * half)
        run(water, seconds * 8 * length / group, 20)
        return float((water.rise[5].astype(float) ** 2).sum()) / before

    @pytest.mark.slow
    @pytest.mark.parametrize("k", [0.5, 1.0, 3.0])
    def test_over_an_open_border_they_leave(self, k):
        assert self.packet("open", k) < 0.01  # measured: 0.2 % at most; the strip in which they fade is 2 depths wide

    @pytest.mark.slow
    @pytest.mark.parametrize("border", ["reflecting", "zero"])
    def test_walls_and_a_held_level_throw_them_back(self, border):
        assert self.packet(border, 1.0) > 0.5


class TestShores:
    def run_up(self, model, height, spacing, cotangent=19.85):
        """The highest point that a solitary wave reaches on a plane beach; depth 1."""
        gamma = np.sqrt(0.75 * height)
        middle = cotangent + np.arccosh(np.sqrt(20.0)) / gamma
        x = np.arange(-8.0, middle + 30.0, spacing)
        wave = height / np.cosh(gamma * (x - middle)) ** 2
        bed = np.where(x < cotangent, -x / cotangent, -1.0)
        water = model(channel(bed), spacing, "reflecting")
        water.conserved[0] = np.maximum(np.maximum(wave, bed) - bed, 0.0) - water.still
        water.conserved[1] = -np.sqrt(G * (1.0 + height)) * wave
        highest = 0.0
        for _ in range(60):
            run(water, 0.1 if highest else 15.0)
            first = np.nonzero(water.depth[1] > 1e-2 * spacing)[0][0]
            highest = max(highest, float(water.surface[1, first]))
        return highest

    @pytest.mark.slow
    def test_a_solitary_wave_runs_up_as_high_as_synolakis_says(self):
        law = 2.831 * np.sqrt(19.85) * 0.0185**1.25
        assert self.run_up(Boussinesq, 0.0185, 0.1) == pytest.approx(law, rel=0.06)

    @pytest.mark.slow
    def test_no_depth_falls_below_0_and_nothing_is_lost_however_wild_the_water(self):
        rng = np.random.default_rng(5)
        for border in BORDERS:
            bed = 2.0 * rng.normal(size=(30, 40)) - rng.uniform(0.0, 4.0)
            water = Boussinesq(bed, 0.5, border)
            surface = bed + rng.uniform(0.0, 6.0, bed.shape) * (rng.random(bed.shape) < 0.3)
            water.conserved[0] = np.maximum(surface - bed, 0.0) - water.still
            start = volume(water)
            for _ in range(40):
                water.advance(0.2, gravity=G, damping=0.0, friction=0.0, max_substeps=8)
                assert water.depth.min() >= 0.0 and np.isfinite(water.conserved).all()
            if border == "reflecting":
                assert volume(water) == pytest.approx(start, rel=1e-5)

    @pytest.mark.slow
    def test_waves_over_a_sea_of_many_cells_depth_stay_as_high_as_they_were(self):
        """As in a pool by default: 128 cells deep, and waves far shorter than that."""
        rng = np.random.default_rng(6)
        water = Boussinesq(np.full((64, 80), -128.0), 1.0, "reflecting")
        water.conserved[0] = 0.3 * rng.normal(size=(64, 80))
        highest = float(np.abs(water.rise).max())
        run(water, 60.0, 60)
        assert np.abs(water.rise).max() < highest

    @pytest.mark.slow
    def test_a_bore_breaks_and_a_gentle_wave_does_not(self):
        x = 0.05 * np.arange(400) - 10.0
        water = Boussinesq(channel(np.full(400, -0.1)), 0.05, "reflecting")
        water.conserved[0] = np.where(x < 0.0, 0.4, 0.0)
        run(water, 1.0, 10)
        shallow = FiniteVolumes(channel(np.full(400, -0.1)), 0.05, "reflecting")
        shallow.conserved[0] = np.where(x < 0.0, 0.4, 0.0)
        run(shallow, 1.0, 10)
        front = int(np.nonzero(shallow.rise[1] > 0.05)[0][-1])
        assert water.breaking[1, front - 3 : front + 1].max() > 0.9
        # Where it breaks it is the bore of shallow water: as fast, and without a train of waves behind it.
        assert np.nonzero(water.rise[1] > 0.05)[0][-1] == pytest.approx(front, abs=4)
        assert np.abs(water.rise[1, front - 20 : front] - shallow.rise[1, front - 20 : front]).max() < 0.04
        gentle = Boussinesq(channel(np.full(400, -1.0)), 0.05, "reflecting")
        gentle.conserved[0] = 0.1 * np.exp(-(x**2))
        run(gentle, 2.0, 10)
        assert not gentle.breaking.any()


class TestState:
    def water(self):
        rng = np.random.default_rng(8)
        bed = np.minimum(np.linspace(-3.0, 0.5, 60)[None, :] + 0.1 * rng.normal(size=(50, 60)), 1.0)
        water = Boussinesq(bed, 1.0, "reflecting")
        water.conserved[0, 20:30, 10:20] = 0.8
        return bed, water

    def test_it_goes_on_from_its_state_with_the_same_bits(self):
        bed, water = self.water()
        run(water, 2.0, 10)
        other = Boussinesq(bed, 1.0, "reflecting")
        other.load_state(water.state())
        for each in (water, other):
            run(each, 2.0, 10)
        assert other.conserved.tobytes() == water.conserved.tobytes()
        assert other.breaking.tobytes() == water.breaking.tobytes()

    def test_what_makes_no_sense_is_refused_and_changes_nothing(self):
        bed, water = self.water()
        run(water, 1.0)
        before, state = water.conserved.copy(), Boussinesq(bed, 1.0, "reflecting").state()
        state["solver"]["dispersion"]["breaking"] = np.zeros((3, 3))
        with pytest.raises(ValueError, match="'breaking' has shape"):
            water.load_state(state)
        np.testing.assert_array_equal(water.conserved, before)

    def test_a_shallow_water_goes_on_with_dispersion(self):
        bed, water = self.water()
        shallow = run(FiniteVolumes(bed, 1.0, "reflecting"), 1.0)
        water.load_state(shallow.state())
        np.testing.assert_array_equal(water.conserved, shallow.conserved)
        assert np.isfinite(run(water, 1.0).conserved).all()

    @pytest.mark.slow
    def test_any_number_of_threads_gives_the_same_bits(self):
        rng = np.random.default_rng(6)
        bed = rng.normal(size=(210, 300)) - 2.0
        found = []
        for threads in (1, numba.config.NUMBA_NUM_THREADS):
            numba.set_num_threads(threads)  # with more than one, some steps are shared and some are not
            water = Boussinesq(bed, 1.0, "reflecting")
            water.conserved[0, 100:120, 40:90] += np.maximum(0.5 - water.land[100:120, 40:90], 0.0)
            found.append(run(water, 2.0, steps=12).conserved.tobytes())
        assert found[0] == found[1]


class TestModel:
    def pool(self, **parameters):
        parameters = {"scheme": "boussinesq", "gravity": G, "steps_per_second": 30.0} | parameters
        water = ShallowWater(40.0, 20.0, 81, (-20.0, 0.0, -10.0), **parameters)
        water.set_height_map(Ground(lambda x, z: np.maximum(0.1 * x, -1.5)))
        return water

    def test_rings_of_a_drop_have_short_waves_behind_long_ones(self):
        water = self.pool(damping=0.0, border="reflecting")
        water.disturb(Drop(-10.0, 0.0, 0.2, 1.0))
        for _ in range(60):
            water.step()
        assert (np.diff(np.sign(water.height[20, :60][np.abs(water.height[20, :60]) > 1e-4])) != 0).sum() >= 3
        (breaking,) = (view for name, view in water.field_maps().items() if name == "breaking")
        assert breaking.values.shape == water.height.shape

    def test_the_scheme_is_changed_while_it_runs(self):
        water = self.pool()
        water.disturb(Drop(-10.0, 0.0, 0.2, 1.0))
        for scheme in ("kurganov-petrova", "boussinesq", "kass-miller", "boussinesq"):
            for _ in range(5):
                water.step()
            before = water.height.copy()
            water.set_parameter("scheme", scheme)
            np.testing.assert_allclose(water.height[water.wet], before[water.wet], atol=1e-5)

    def test_waves_go_on_over_another_ground(self):
        water = self.pool()
        water.disturb(Drop(-10.0, 0.0, 0.2, 1.0))
        water.simulate(1.0)
        before = water.height.copy()
        water.set_height_map(Ground(lambda x, z: np.maximum(0.1 * x, -1.0)))
        np.testing.assert_allclose(water.height[:, :30], before[:, :30], atol=1e-5)
        water.simulate(1.0)
        assert np.isfinite(water.height).all() and np.abs(water.height).max() > 1e-3


class TestDrivenSides:
    def channel(self, length, **driven):
        cells = round(8 * length)
        still = {"gravity": G, "damping": 0.0, "friction": 0.0, "border": "reflecting"}
        water = ShallowWater(length, 2.0, cells + 1, scheme="boussinesq", **still, **driven)
        water.set_height_map(Ground(lambda x, z: -1.0))
        return water

    @pytest.mark.slow
    def test_a_solitary_wave_is_as_high_as_asked_for(self):
        driven = {"wavemaker": "solitary", "wavemaker_sides": "west", "wavemaker_height": 0.1, "wavemaker_time": 4.0}
        water = self.channel(60.0, **driven)
        water.simulate(20.0)
        assert water.height.max() == pytest.approx(0.1, rel=0.02)  # measured: +0.7 %, 20 m inside

    # Measured: 0.4 and 0.6 % too low, before what the other side throws back arrives.
    @pytest.mark.slow
    @pytest.mark.parametrize("period", [2.5, 4.0])
    def test_a_sine_is_as_high_as_asked_for(self, period):
        driven = {"wavemaker": "sine", "wavemaker_sides": "west,east", "wavemaker_height": 0.02}
        water = self.channel(60.0, wavemaker_period=period, **driven)
        water.simulate(30.0)
        times, heights = [], []
        while water.time < 30.0 + 2.0 * period:
            water.step()
            times.append(water.time)
            heights.append(float(water.height[2, 160]))
        turned = np.exp(2j * np.pi * np.array(times) / period)
        assert 2.0 * abs((np.array(heights) * turned).mean()) == pytest.approx(0.01, rel=0.02)
