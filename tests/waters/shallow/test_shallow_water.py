"""Shallow water as a model: speeds, shores that move, volume, and what is shown of it."""

import numpy as np
import pytest
from support.waters import Ground

from waterview.core.commands import Drop
from waterview.core.errors import InputError
from waterview.core.params import declarations
from waterview.waters.shallow.finite_volume import MAX_SUBSTEPS
from waterview.waters.shallow.shallow_water import SCHEMES, ShallowWater

GRAVITY = 9.81
every_scheme = pytest.mark.parametrize("scheme", SCHEMES)


def beach(x, z):
    """1 in 10, its shore at x = 0, the sea at lower x 2 m deep."""
    return np.maximum(0.1 * x, -2.0)


def make(x_size=40.0, z_size=10.0, points=81, ground=None, **parameters):
    parameters = {"gravity": GRAVITY, "damping": 0.0, "friction": 0.0, "steps_per_second": 30.0} | parameters
    water = ShallowWater(x_size, z_size, points, (-x_size / 2, 0.0, -z_size / 2), **parameters)
    if ground is not None:
        water.set_height_map(Ground(ground))
    return water


def raise_along_z(water, profile):
    """Raise whole columns by `profile`, one value for each x."""
    for ix, height in enumerate(profile):
        if height:
            for iz in range(water.grid.shape[0]):
                water.set_height(ix, iz, float(height))


def test_users_are_offered_every_scheme():
    (offered,) = (entry.choices for entry in declarations(ShallowWater.Params) if entry.name == "scheme")
    assert set(offered) == set(SCHEMES)


class TestGravity:
    def test_it_is_the_one_asked_for(self):
        water = make(gravity=3.7)
        assert water.gravity == 3.7
        assert water.publish(1).effective["gravity"] == pytest.approx(3.7)

    def test_else_the_one_that_gives_the_wave_speed_over_the_mean_depth(self):
        water = make(gravity=0.0, wave_speed=6.0, ground=lambda x, z: np.where(x < 0.2, -1.0, -3.0))
        mean = -water.bed.mean()
        assert water.gravity == pytest.approx(36.0 / mean)
        assert water.publish(1).effective["wave_speed"] == pytest.approx(6.0)

    def test_without_any_water_there_are_still_numbers(self):
        water = make(gravity=0.0, ground=lambda x, z: 1.0)
        water.step()
        assert not water.height.any() and np.isfinite(list(water.publish(1).effective.values())).all()

    @pytest.mark.slow
    @pytest.mark.parametrize("scheme", [name for name in SCHEMES if name != "boussinesq"])
    @pytest.mark.parametrize("depth", [0.5, 4.0])
    def test_waves_run_at_the_root_of_gd(self, scheme, depth):
        water = make(80.0, 2.0, 401, lambda x, z: -depth, scheme=scheme, border="reflecting", steps_per_second=120.0)
        x = water.grid.x
        raise_along_z(water, np.where(np.abs(x + 20) < 8, 1e-3 * np.exp(-(((x + 20) / 2) ** 2)), 0.0))
        speed = np.sqrt(GRAVITY * depth)
        steps = round(30.0 / speed * 120.0)
        for _ in range(steps):
            water.step()
        right = np.where(x > -20.0, water.height[2], 0.0).astype(float)
        right[right < 1e-5] = 0.0
        measured = ((right * x).sum() / right.sum() + 20.0) / (steps / 120.0)
        assert measured == pytest.approx(speed, rel=0.01)

    @every_scheme
    def test_waves_that_are_held_stay_where_they_are(self, scheme):
        water = make(gravity=0.0, wave_speed=0.0, scheme=scheme)
        water.disturb(Drop(0.0, 0.0, 0.5, 3.0))
        before = water.height.copy()
        water.simulate(1.0)
        np.testing.assert_allclose(water.height, before, atol=1e-6)


class TestShores:
    def sea_running_up(self, **parameters):
        water = make(ground=beach, border="reflecting", **parameters)
        x = water.grid.x
        raise_along_z(water, np.where(x < -8.0, 0.6 * np.exp(-(((x + 13.0) / 4.0) ** 2)), 0.0))
        return water

    @pytest.mark.slow
    def test_water_runs_up_the_beach_and_back_and_what_it_reached_is_no_longer_fixed(self):
        water = self.sea_running_up()
        shore = int(np.nonzero(water.grid.x > 0.0)[0][0])
        assert water.fixed[:, shore:].all() and not water.fixed[:, :shore].any()
        reached = []
        for _ in range(600):
            water.step()
            reached.append(int(np.nonzero(water.wet[5])[0].max()))
        assert max(reached) > shore + 5
        assert reached[-1] < max(reached) - 3
        assert not water.fixed[5, : max(reached) + 1].any() and water.fixed[5, max(reached) + 2 :].all()
        assert not water.height[water.fixed].any()

    @pytest.mark.slow
    def test_a_frame_lies_below_dry_ground_and_above_wet(self):
        water = self.sea_running_up()
        for _ in range(12):
            water.simulate(0.8)
            frame = water.publish(1)
            dry = ~water.wet
            assert (frame.heights[dry] <= frame.bed[dry]).all()
            assert (frame.heights[dry & (frame.bed < 0)] < frame.bed[dry & (frame.bed < 0)]).all()
            assert (frame.heights[~dry] > frame.bed[~dry]).all()
            assert not frame.normals[dry].any()
            assert frame.fixed is water.fixed

    def test_the_fixed_points_are_the_same_object_until_they_change(self):
        water = make(ground=beach)
        fixed = water.fixed
        water.disturb(Drop(-15.0, 0.0, 0.1, 2.0))
        for _ in range(10):
            water.step()
            assert water.publish(1).fixed is fixed

    @pytest.mark.slow
    def test_what_water_has_reached_is_the_same_however_often_it_is_looked_at(self):
        looked_at, left_alone = self.sea_running_up(), self.sea_running_up()
        for _ in range(150):
            looked_at.step()
            looked_at.publish(1)
            left_alone.step()
        assert looked_at.fixed.sum() < (looked_at.bed > 0.0).sum()
        np.testing.assert_array_equal(looked_at.fixed, left_alone.fixed)

    def test_reset_brings_the_shore_back(self):
        water = self.sea_running_up()
        before = water.fixed
        water.simulate(5.0)
        water.publish(1)
        assert (water.fixed != before).any()
        water.reset()
        np.testing.assert_array_equal(water.fixed, before)
        assert not water.height.any() and not water.publish(1).heights.any()

    def test_whoever_draws_is_told_of_new_triangles(self):
        changes = []

        class Told(ShallowWater):
            def on_indices_changed(self):
                changes.append(self.fixed.sum())

        water = Told(40.0, 10.0, 81, (-20.0, 0.0, -5.0), gravity=GRAVITY, steps_per_second=30.0)
        water.set_height_map(Ground(beach))
        water.disturb(Drop(-3.0, 0.0, 0.8, 3.0, neutral=False))
        for _ in range(120):
            water.step()
            water.publish(1)
        assert len(changes) > 3 and changes == sorted(changes, reverse=True)

    def test_kass_and_millers_shores_stay(self):
        water = self.sea_running_up(scheme="kass-miller")
        fixed = water.fixed
        water.simulate(5.0)
        assert water.publish(1).fixed is fixed
        assert not water.height[fixed].any() and water.height[~fixed].any()

    @every_scheme
    def test_a_lake_at_rest_over_rough_ground_keeps_still(self, scheme):
        rough = np.random.default_rng(1).normal(size=(21, 81)) - 0.5
        water = make(ground=lambda x, z: rough, scheme=scheme)
        water.simulate(3.0)
        frame = water.publish(1)
        assert not frame.heights.any() and not frame.normals.any()

    @every_scheme
    def test_a_new_level_takes_hold_while_waves_run(self, scheme):
        water = make(ground=beach, scheme=scheme)
        water.disturb(Drop(-12.0, 0.0, 0.4, 3.0))
        water.simulate(0.5)
        before = water.height.copy()
        water.set_water_level(0.5)
        np.testing.assert_array_equal(water.fixed, water.bed > 0.5)
        np.testing.assert_allclose(water.height[:, :30], before[:, :30], atol=1e-6)
        water.simulate(1.0)
        assert np.isfinite(water.height).all() and water.height.any()


class TestVolume:
    @pytest.mark.slow
    @every_scheme
    def test_between_walls_it_is_kept(self, scheme):
        rough = np.random.default_rng(2).normal(size=(21, 81)) - 1.0
        water = make(ground=lambda x, z: rough, scheme=scheme, border="reflecting")
        still = -water.bed[water.bed < 0].sum(dtype=float) * 0.25
        water.disturb(Drop(3.0, 1.0, 0.8, 4.0, neutral=False))
        before = water.volume
        assert before > 1.0
        water.simulate(20.0)
        assert abs(water.volume - before) < 1e-6 * (still + before)

    @pytest.mark.sampled
    @every_scheme
    @pytest.mark.parametrize("change", ["level", "wall", "border"])
    def test_it_stays_where_shores_or_borders_change_under_way(self, scheme, change):
        """What a new shore cut off was half of a motion; the other half went on and lowered the lake for ever."""
        border = "open" if change == "border" else "reflecting"
        water = make(ground=lambda x, z: np.minimum(0.05 * x, 0.5) - 0.3, scheme=scheme, border=border)
        water.disturb(Drop(-9.0, 1.0, 0.3, 4.0, neutral=False))
        water.simulate(3.0)
        if change == "level":
            water.set_water_level(-0.3)
        elif change == "wall":
            water.paint_wall(-8.0, -5.0, 0.5, start=(-8.0, 5.0))
        else:
            water.set_parameter("border", "reflecting")
        before = water.volume
        water.simulate(20.0)
        assert abs(water.volume - before) < 1e-4

    @every_scheme
    def test_a_neutral_drop_has_none(self, scheme):
        water = make(scheme=scheme)
        water.disturb(Drop(3.0, 1.0, 0.8, 2.0))
        assert abs(water.volume) < 1e-5

    def test_a_trough_reaches_no_deeper_than_the_ground(self):
        water = make(ground=lambda x, z: -1.0)
        water.disturb(Drop(0.0, 0.0, -5.0, 3.0, neutral=False))
        assert water.height.min() >= -1.01
        water.simulate(2.0)
        assert np.isfinite(water.height).all()


class TestSteps:
    def test_time_runs_slower_where_waves_are_too_fast_and_the_frame_says_so(self):
        water = make(gravity=1e5, steps_per_second=10.0)
        water.disturb(Drop(0.0, 0.0, 0.1, 3.0))
        water.simulate(1.0)
        effective = water.publish(1).effective
        assert effective["substeps"] == MAX_SUBSTEPS
        assert effective["courant"] == pytest.approx(0.45, rel=1e-3)
        assert 0.0 < effective["gravity"] < 1e3
        assert np.isfinite(water.height).all()

    @pytest.mark.slow
    def test_damping_calms_the_water_and_friction_stops_a_stream(self):
        heights = {}
        for damping, friction in ((0.0, 0.0), (2.0, 0.0), (0.0, 1.0)):
            water = make(ground=lambda x, z: -0.3, damping=damping, friction=friction, border="reflecting")
            water.disturb(Drop(0.0, 0.0, 0.2, 3.0))
            water.simulate(4.0)
            heights[damping, friction] = np.abs(water.height).max()
        assert heights[2.0, 0.0] < 0.3 * heights[0.0, 0.0]
        assert heights[0.0, 1.0] < 0.9 * heights[0.0, 0.0]

    def test_another_scheme_goes_on_with_the_same_surface(self):
        water = make(ground=beach, border="reflecting")
        water.disturb(Drop(-8.0, 0.0, 0.8, 4.0))
        water.simulate(1.0)
        sea = water.bed < 0
        before = np.maximum(water.height, water.bed)[sea]
        for scheme in ("kass-miller", "kurganov-petrova"):
            water.set_parameter("scheme", scheme)
            np.testing.assert_allclose(np.maximum(water.height, water.bed)[sea], before, atol=2e-3)
            np.testing.assert_array_equal(water.fixed, water.bed > 0)
        water.simulate(1.0)
        assert np.isfinite(water.height).all()

    @every_scheme
    def test_two_runs_give_the_same_bits(self, scheme):
        frames = []
        for _ in range(2):
            water = make(ground=beach, scheme=scheme)
            for k in range(40):
                water.disturb(Drop(-15.0 + 0.3 * k, 0.1 * k, 0.2, 1.5))
                water.step()
            frames.append(water.publish(1))
        assert frames[0].heights.tobytes() == frames[1].heights.tobytes()
        assert frames[0].normals.tobytes() == frames[1].normals.tobytes()

    @every_scheme
    def test_saved_water_goes_on_to_the_bit(self, scheme):
        def run(water, steps):
            for k in range(steps):
                water.disturb(Drop(-15.0 + 0.3 * k, 0.1 * k, 0.3, 1.5, neutral=False))
                water.step()

        first, second = (make(ground=beach, scheme=scheme) for _ in range(2))
        run(first, 45)
        first.set_height(20, 5, 0.2)
        second.load_state(first.state())
        np.testing.assert_array_equal(second.fixed, first.fixed)
        for water in (first, second):
            run(water, 20)
        assert first.publish(1).heights.tobytes() == second.publish(1).heights.tobytes()
        np.testing.assert_array_equal(second.fixed, first.fixed)

    @every_scheme
    @pytest.mark.parametrize("broken", ["shape", "nan", "fixed", "taken", "nothing"])
    def test_a_saved_water_that_makes_no_sense_is_refused(self, scheme, broken):
        water = make(ground=beach, scheme=scheme)
        water.disturb(Drop(-10.0, 0.0, 0.3, 2.0))
        before, state = water.height.copy(), water.state()
        name = next(iter(state["solver"]))
        if broken == "shape":
            state["solver"][name] = state["solver"][name][..., 1:]
        elif broken == "nan":
            state["solver"][name][...] = np.nan
        elif broken == "fixed":
            state["fixed"] = state["fixed"][1:]
        elif broken == "taken":
            state["taken"] = [1]
        else:
            del state["solver"]
        with pytest.raises(InputError, match="makes no sense"):
            water.load_state(state)
        np.testing.assert_array_equal(water.height, before)

    @pytest.mark.parametrize("scheme", SCHEMES)
    def test_what_bodies_push_aside_is_seen(self, scheme):
        water = make(scheme=scheme)
        for level in water.time_levels:
            level[10, 40] += 0.25
        assert water.height[10, 40] == 0.25
        assert water.volume == pytest.approx(0.25 * 0.5**2)
        for level in water.neutral_levels:
            level[12:14, 40] += np.float32(0.25), np.float32(-0.25)
        published = water.publish(0)
        shown = published.heights.copy()
        water.on_pushed(slice(10, 14), slice(40, 41))
        assert water.height[12:14, 40].tolist() == [0.25, -0.25]
        assert water.volume == pytest.approx(0.25 * 0.5**2)
        water.step()
        assert 0.0 < water.height[10, 40] < 0.25
        np.testing.assert_array_equal(published.heights, shown)

    def test_its_maps_are_those_of_every_model_and_depth_and_speed(self):
        water = make(ground=beach)
        water.disturb(Drop(-10.0, 0.0, 0.3, 2.0))
        water.simulate(1.0)
        maps = water.field_maps()
        assert list(maps) == ["height", "fixed", "depth", "speed"]
        sea = ~water.fixed
        np.testing.assert_allclose(maps["depth"].values[sea], (water.height - water.bed)[sea], atol=1e-5)
        assert 0.0 < maps["speed"].values.max() < 1.0
        assert list(make(scheme="kass-miller").field_maps()) == ["height", "fixed"]

    @pytest.mark.slow
    def test_any_setting_stays_finite(self):
        rng = np.random.default_rng(3)
        for _ in range(40):
            size = 10.0 ** rng.uniform(-3, 5)
            rough = size * rng.uniform(0, 0.3) * (rng.normal(size=(9, 13)) - rng.uniform(-1, 2))
            water = ShallowWater(
                size,
                size * 2 / 3,
                13,
                scheme=str(rng.choice(list(SCHEMES))),
                border=str(rng.choice(["zero", "reflecting", "open"])),
                wave_speed=10.0 ** rng.uniform(-2, 5),
                gravity=float(rng.choice([0.0, 10.0 ** rng.uniform(-2, 6)])),
                steps_per_second=10.0 ** rng.uniform(0, 4),
                dissipation=rng.uniform(),
                friction=rng.uniform(),
            )
            water.set_height_map(Ground(lambda x, z, rough=rough: rough[: len(z), : x.shape[1]]))
            for _ in range(15):
                x, z, height, radius = size * rng.uniform(0, 1, 4)
                water.disturb(Drop(x, z, min(height, 1e5) * rng.choice([-1, 1]), radius + 1e-9))
                water.step()
                frame = water.publish(1)
                assert np.isfinite(frame.heights).all() and np.isfinite(frame.normals).all()
