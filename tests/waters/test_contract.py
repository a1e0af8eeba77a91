"""The contract that every model of MODELS honours; a new model is held to it as soon as it is entered there."""

import copy
import pickle

import numpy as np
import pytest
from support.waters import Ground, dam, run

from waterview.core.commands import MAX_HEIGHT, Drop, Gust
from waterview.core.errors import InputError
from waterview.core.params import declarations
from waterview.waters import MODELS


def of_models(chosen):
    """Marks tests that hold for the models alone of which `chosen(model)` is true."""
    return pytest.mark.parametrize("make", [name for name, model in MODELS.items() if chosen(model)], indirect=True)


DISTURBED = of_models(lambda model: model.can_be_disturbed)

COAST = Ground(lambda x, z: np.where((x < 4.0) | (np.hypot(x - 12.0, z - 8.0) < 2.0), 1.0, -2.0))
"""Land for x < 4, an island around (12, 8), the rest 2 m deep."""


@pytest.fixture(params=list(MODELS))
def make(request):
    """Makes a water of 20 m × 16 m with points 0.5 m apart that is still until it is disturbed."""
    model = MODELS[request.param]

    def make(**parameters):
        return model(20.0, 16.0, 41, **(model.calm | parameters))

    return make


@pytest.fixture
def make_moving(make):
    """Makes the same water, but one that cannot be disturbed moves by itself: `calm` would leave nothing to test."""
    model = type(make())

    def make_moving(**parameters):
        return make(**parameters) if model.can_be_disturbed else model(20.0, 16.0, 41, **parameters)

    return make_moving


@pytest.fixture
def moving(make_moving):
    return make_moving()


@pytest.fixture
def moving_coast(make_moving):
    water = make_moving()
    water.set_height_map(COAST)
    return water


@pytest.fixture
def water(make):
    return make()


@pytest.fixture
def coast(make):
    water = make()
    water.set_height_map(COAST)
    return water


def assert_bounded(water):
    """Heights and slopes are numbers, heights no higher than is documented, and land has none.

    Shallow water that piles up is not cut off: what fell in 40 times may stand upon itself.
    """
    frame = water.publish(1)
    most = 40.0 * MAX_HEIGHT if water.name == "shallow-water" else MAX_HEIGHT
    for heights in (frame.heights, water.height):
        assert np.abs(heights).max() <= most  # not where one is no number, either
        assert not heights[water.fixed].any()
    assert np.isfinite(frame.normals).all()


def assert_alike_to_all_sides(heights, tolerance):
    """Heights, shape (nz, nx), are their own mirror images along x and along z."""
    for turned in (heights[::-1], heights[:, ::-1]):
        np.testing.assert_allclose(turned, heights, atol=tolerance)


def drop(water, *numbers, **more):
    if water.can_be_disturbed:
        water.disturb(Drop(*numbers, **more))


def test_it_is_entered_under_its_own_name(make):
    water = make()
    assert MODELS[water.name] is type(water)
    assert water.summary and "\n" not in water.summary


def test_still_water_stays_still(coast):
    run(coast, 50)
    frame = coast.publish(1)
    assert not frame.heights.any()
    assert not frame.normals.any()


def test_time_goes_by_one_fixed_step_at_a_time(water):
    run(water, 7)
    rate = water.params.steps_per_second
    assert water.time == 7 / rate  # to the bit: no rounding adds up
    assert water.publish(1).time == water.time
    water.set_parameter("steps_per_second", 2.0 * rate)
    run(water, 3)
    assert water.time == 7 / rate + 3 / (2.0 * rate)


@pytest.mark.parametrize("copied", [copy.deepcopy, lambda water: pickle.loads(pickle.dumps(water))])
def test_a_copy_goes_on_to_the_bit_and_apart(moving_coast, copied):
    drop(moving_coast, 10.0, 4.0, 0.3, 1.2)
    run(moving_coast, 4)
    other = copied(moving_coast)
    before = moving_coast.height.copy()
    run(other, 3)
    assert np.array_equal(moving_coast.height, before)
    run(moving_coast, 3)
    assert other.time == moving_coast.time
    assert moving_coast.height.any() and np.array_equal(other.height, moving_coast.height)
    assert np.array_equal(other.bed, moving_coast.bed) and other.params == moving_coast.params


@of_models(lambda model: not model.can_be_disturbed)
def test_water_that_knows_no_drops_says_what_does(water):
    with pytest.raises(InputError, match="--model layered"):
        water.disturb(Drop(10.0, 8.0, 0.5, 2.0))
    with pytest.raises(InputError, match="--model layered"):
        water.set_height(3, 3, 0.5)


@DISTURBED
class TestDrops:
    def test_a_drop_is_there_at_once_and_runs_outwards(self, water):
        water.disturb(Drop(10.0, 8.0, 0.5, 2.0))
        ix, iz = water.grid.nearest(10.0, 8.0)
        assert water.get_height(ix, iz) == pytest.approx(0.5, rel=1e-3)
        assert water.get_height(ix + 14, iz) == 0.0
        run(water, 60)
        assert abs(water.get_height(ix, iz)) < 0.4
        assert np.isfinite(water.height).all()
        assert abs(water.height[iz, ix + 14 :]).max() > 1e-3

    def test_it_spreads_alike_to_all_sides(self, water):
        water.disturb(Drop(10.0, 8.0, 0.5, 2.0))
        run(water, 25)
        assert_alike_to_all_sides(water.height, 1e-6)

    def test_a_neutral_drop_keeps_the_volume(self, coast):
        coast.disturb(Drop(6.0, 7.0, 0.5, 2.0, neutral=True))
        assert abs(coast.height.sum(dtype=float)) < 1e-6 * np.abs(coast.height).sum(dtype=float)
        coast.disturb(Drop(6.0, 7.0, 0.5, 2.0, neutral=False))
        assert coast.height.sum(dtype=float) > 1.0

    def test_a_drop_on_land_does_nothing(self, coast):
        coast.disturb(Drop(1.0, 8.0, 0.5, 1.0))
        assert not coast.height.any()

    def test_several_at_once_are_to_the_bit_those_one_after_the_other(self, coast):
        twin = copy.deepcopy(coast)
        drops = [Drop(9.0, 5.0, 0.3, 1.5), Drop(10.0, 6.0, -0.2, 2.0, neutral=False), Drop(1.0, 1.0, 0.3, 1.0)]
        coast.disturb_all(drops)
        for drop in drops:
            twin.disturb(drop)
        for water in (coast, twin):
            run(water, 5)
        assert coast.height.any()
        np.testing.assert_array_equal(coast.height, twin.height)

    @pytest.mark.sampled
    @pytest.mark.parametrize("height", [1e5, -1e5])
    def test_the_highest_drops_again_and_again_stay_in_bounds(self, coast, height):
        for _ in range(40):
            coast.disturb(Drop(9.0, 7.0, height, 3.0, neutral=False))
            coast.step()
            assert_bounded(coast)
        run(coast, 100)
        assert_bounded(coast)


@DISTURBED
class TestFixedPoints:
    def test_they_stay_at_exactly_zero_whatever_runs_over_them(self, coast):
        assert coast.fixed.any() and not coast.fixed.all()
        for x in np.linspace(0.0, 20.0, 30):
            coast.disturb(Drop(x, 8.0, 0.5, 1.5))
            coast.step()
            assert not coast.height[coast.fixed].any()
        assert coast.height[~coast.fixed].any()

    def test_a_height_set_on_one_stays_zero(self, coast):
        assert coast.fixed[5, 7] and not coast.fixed[5, 8]
        coast.set_height(7, 5, 1.0)
        coast.step()
        assert not coast.height.any()

    def test_a_changed_level_takes_hold_while_waves_run(self, coast):
        coast.disturb(Drop(8.0, 3.0, 0.5, 2.0))
        run(coast, 10)
        for level in (2.0, -5.0, 0.0):
            coast.set_water_level(level)
            np.testing.assert_array_equal(coast.fixed, coast.bed > level)
            assert not coast.height[coast.fixed].any()
            run(coast, 10)
            frame = coast.publish(1)
            assert frame.grid.level == level
            assert frame.fixed is coast.fixed
            assert np.isfinite(frame.heights).all()
            assert not frame.heights[frame.fixed].any()

    def test_waves_do_not_pass_a_dam(self, make):
        water = make()
        water.set_height_map(Ground(dam))
        water.disturb(Drop(5.0, 8.0, 0.5, 2.0))
        run(water, 120)
        beyond = water.grid.x > 10.2
        assert water.height[:, ~beyond].any()
        assert not water.height[:, beyond].any()


@DISTURBED
class TestWalls:
    def test_waves_do_not_pass_a_painted_dam(self, make):
        water = make()
        for z in water.grid.z:
            water.paint_wall(10.0, z, 0.6)
        assert not water.height.any() and water.walls.any()
        water.disturb(Drop(5.0, 8.0, 0.5, 2.0))
        run(water, 120)
        beyond = water.grid.x > 10.0
        assert water.height[:, ~beyond].any()
        assert not water.height[:, beyond].any()
        water.paint_wall(10.0, 8.0, 3.0, wall=False)
        run(water, 120)
        assert water.height[:, beyond].any()

    def test_painting_over_running_waves_raises_none_and_leaves_walls_at_zero(self, coast):
        coast.disturb(Drop(8.0, 8.0, 0.5, 2.0))
        for number in range(30):
            coast.paint_wall(6.0 + 0.3 * number, 8.0, 0.8, wall=number % 4 != 3)
            run(coast, 3)
            assert np.abs(coast.height).max() <= 0.5
            assert not coast.height[coast.fixed].any()


@DISTURBED
class TestInside:
    def test_maps_are_as_large_as_the_grid_and_named(self, coast):
        coast.disturb(Drop(8.0, 3.0, 0.5, 2.0))
        run(coast, 5)
        views = coast.field_maps()
        assert {"height", "fixed"} <= set(views)
        np.testing.assert_array_equal(views["height"].values, coast.height)
        np.testing.assert_array_equal(views["fixed"].values, coast.fixed)
        for name, view in views.items():
            assert view.name == name
            assert view.values.shape == (33, 41)
            assert np.isfinite(view.values).all()
        coast.disturb(Drop(12.0, 3.0, 0.5, 2.0))  # maps are read-only, and the water is not
        coast.step()

    def test_the_mean_level_is_that_of_the_water(self, coast):
        coast.disturb(Drop(8.0, 3.0, 0.5, 2.0, neutral=False))
        expected = coast.height.sum(dtype=float) / np.count_nonzero(~coast.fixed)
        assert coast.totals().mean_level == pytest.approx(expected, rel=1e-6)

    def test_a_gust_raises_ripples_on_its_path_and_nowhere_else(self, water):
        water.blow(Gust(6.0, 8.0, 6.0, 0.0, 0.1, 3.0))
        raised = np.abs(water.height)
        path = (np.abs(water.grid.z - 8.0) <= 3.0)[:, None] & ((water.grid.x >= 4.5) & (water.grid.x <= 13.5))[None, :]
        assert 0.02 < raised[path].max() < 0.2
        assert raised[~path].max() < 0.01 * raised.max()
        assert abs(water.height.sum(dtype=float)) < 1e-3 * raised.sum(dtype=float)
        run(water, 20)
        assert np.abs(water.height).max() < raised.max()
        np.testing.assert_allclose(water.height[::-1], water.height, atol=1e-6)  # it blows along the middle


@DISTURBED
class TestSetHeight:
    def test_it_is_taken_up_at_the_next_step(self, water):
        water.set_height(20, 16, 0.5)
        assert not water.height.any()
        water.step()
        assert water.height[16, 20] != 0.0
        run(water, 20)
        assert water.height[16, 30] != 0.0 or np.count_nonzero(water.height) > 9

    def test_whatever_is_set_the_water_stays_in_bounds(self, water):
        for height in (1e300, -1e300, 1e-300):
            water.set_height(5, 5, height)
            run(water, 30)
            assert_bounded(water)


class TestReset:
    def test_it_calms_the_water(self, moving_coast):
        coast = moving_coast
        drop(coast, 8.0, 3.0, 0.5, 2.0)
        run(coast, 10)
        if coast.can_be_disturbed:
            coast.set_height(20, 3, 1.0)
        fixed, before = coast.fixed, np.abs(coast.height).max()
        assert before > 0.0
        coast.reset()
        assert not coast.height.any()
        assert coast.fixed is fixed
        run(coast, 10)
        # What drives a water that cannot be disturbed raises it again, slowly.
        assert np.abs(coast.height).max() <= (0.0 if coast.can_be_disturbed else 0.1 * before)

    def test_calm_water_stays_calm(self, coast):
        drop(coast, 8.0, 3.0, 0.5, 2.0)
        coast.reset()
        run(coast, 10)
        assert not coast.height.any()


class TestFrames:
    def test_they_tell_what_they_hold(self, moving_coast):
        coast = moving_coast
        drop(coast, 8.0, 3.0, 0.5, 2.0)
        frame = coast.publish(42)
        assert frame.heights.any()
        assert frame.serial == 42
        assert frame.grid is coast.grid
        assert frame.params is coast.params
        assert (frame.heights.dtype, frame.heights.shape) == (np.float32, (33, 41))
        assert (frame.normals.dtype, frame.normals.shape) == (np.float16, (33, 41, 2))
        assert frame.bed is coast.bed and frame.fixed is coast.fixed
        np.testing.assert_array_equal(frame.heights, coast.height)
        for array in (frame.heights, frame.normals, frame.bed, frame.fixed):
            assert not array.flags.writeable
        for array in (frame.heights, frame.normals, frame.shift, frame.foam):
            assert array is None or array.flags.c_contiguous  # it goes to the graphics card as it is

    def test_they_tell_what_the_water_tells_of_its_solver(self, coast):
        run(coast, 3)
        assert coast.effective and coast.publish(1).effective == coast.effective

    def test_they_do_not_change_any_more(self, moving):
        water = moving
        drop(water, 10.0, 8.0, 0.5, 2.0)
        frame = water.publish(1)
        assert frame.heights.any() and frame.normals.any()
        heights, normals = frame.heights.copy(), frame.normals.copy()
        run(water, 5)
        drop(water, 10.0, 8.0, 0.5, 2.0)
        water.reset()
        np.testing.assert_array_equal(frame.heights, heights)
        np.testing.assert_array_equal(frame.normals, normals)

    def test_publishing_does_not_disturb_the_water(self, make_moving):
        waters = make_moving(), make_moving()
        for water in waters:
            drop(water, 10.0, 8.0, 0.5, 2.0)
        for _ in range(20):
            waters[0].step()
            waters[1].publish(1)
            waters[1].step()
        assert waters[0].height.any()
        np.testing.assert_array_equal(waters[0].height, waters[1].height)

    def test_those_prepared_with_the_last_step_are_like_the_others(self, make_moving):
        waters = make_moving(), make_moving()
        for water in waters:
            water.set_height_map(COAST)
        for k in range(40):
            frames = []
            for water in waters:
                if k % 5 == 0:
                    drop(water, 6.0 + 0.3 * k, 4.0, 0.3, 1.2, neutral=k % 2 == 0)
                water.advance(1 + k % 9, shown=water is waters[0])
                if k % 7 == 0:
                    drop(water, 15.0, 10.0, 0.3, 1.2)
                if k == 20:
                    water.paint_wall(8.0, 8.0, 1.0)
                frames.append(water.publish(k))
            assert frames[0].heights.any()
            assert frames[0].heights.tobytes() == frames[1].heights.tobytes(), k
            assert frames[0].normals.tobytes() == frames[1].normals.tobytes(), k

    def test_normals_are_the_slopes_of_the_heights(self, moving):
        water = moving
        drop(water, 10.0, 8.0, 0.5, 4.0)
        run(water, 10)
        frame = water.publish(1)
        assert frame.normals.any()
        along_z, along_x = np.gradient(frame.heights.astype(float), water.grid.spacing)
        if not water.can_be_disturbed:
            # The waves of a random sea are as short as two points, too short for differences: only the trend is right.
            slopes = -np.stack((along_x, along_z), axis=-1)  # together: one is 0 where waves run along an axis
            assert np.corrcoef(frame.normals.ravel(), slopes.ravel())[0, 1] > 0.6
            return
        # Models that know better than differences of neighbours may differ from them a little.
        error = 1e-3 + 0.05 * max(np.abs(along_x).max(), np.abs(along_z).max())
        np.testing.assert_allclose(frame.normals[..., 0], -along_x, atol=error)
        np.testing.assert_allclose(frame.normals[..., 1], -along_z, atol=error)


def test_two_runs_give_the_same_bits(make_moving):
    frames = []
    for _ in range(2):
        water = make_moving()
        water.set_height_map(COAST)
        for k in range(60):
            if k % 7 == 0:
                drop(water, 6.0 + 0.2 * k, 4.0, 0.3, 1.2)
            if k == 30:
                water.set_water_level(0.5)
                if water.can_be_disturbed:
                    water.set_height(25, 5, 0.4)
            water.step()
        frames.append(water.publish(1))
    assert frames[0].heights.any()
    for name in ("heights", "normals", "shift"):
        first, second = (getattr(frame, name) for frame in frames)
        assert (first is None and second is None) or first.tobytes() == second.tobytes(), name


def test_parameters_of_one_name_are_of_one_kind_in_every_model():
    """They share a flag on the command line."""
    kinds = {}
    for name, model in MODELS.items():
        for entry in declarations(model.Params):
            kinds.setdefault(entry.name, {})[name] = (entry.kind, entry.unit)
    assert {name: each for name, each in kinds.items() if len(set(each.values())) > 1} == {}


TEXTS = {"wavemaker_series": ("0 0;0.5 0.1;1 0",), "tide": ("0.05:60",)}
"""Values of parameters that are texts of a form of their own."""

NEEDED = {("wavemaker", "series"): {"wavemaker_series": TEXTS["wavemaker_series"][0]}}
"""What must be set before a choice is allowed."""


@pytest.mark.sampled
def test_under_every_choice_and_bound_of_every_parameter_a_ring_stays_round(make_moving):
    """Incoming waves and the random sea under layered water are not round. The multigrid of boussinesq ends before
    its last digit, and does not halve the grid from both sides alike.
    """
    name = make_moving().name
    for entry in declarations(make_moving().Params):
        values = TEXTS.get(entry.name) or entry.choices or ((True, False) if entry.kind is bool else ())
        for value in values or (entry.low, entry.high, entry.stepped(entry.default, +1)):
            water = make_moving(**NEEDED.get((entry.name, value), {}))
            drop(water, 10.0, 8.0, 0.5, 2.0)
            run(water, 5)
            water.set_parameter(entry.name, value)
            run(water, 20)
            assert_bounded(water)
            if water.can_be_disturbed and name != "layered" and not entry.name.startswith(("wavemaker", "tide")):
                assert_alike_to_all_sides(water.height, 2e-3 if value == "boussinesq" else 1e-5)
            assert getattr(water.publish(1).params, entry.name) == entry.check(value)


def has_walls(model):
    return "border" in {entry.name for entry in declarations(model.Params)}


@of_models(lambda model: model.can_be_given_state and has_walls(model))
class TestGivenWave:
    """Long waves that a water between walls is given; `airy`, whose sides are open, has tests of its own."""

    @pytest.fixture
    def channel(self, make):
        """An undamped basin of 2 m depth with walls all around, and the speed of its waves."""
        names = {entry.name for entry in declarations(type(make()).Params)}
        known = {"damping": 0.0, "damping_factor": 1.0, "friction": 0.0, "gravity": 2.0, "dissipation": 0.0}
        water = make(border="reflecting", **{name: value for name, value in known.items() if name in names})
        water.set_height_map(Ground(lambda x, z: -2.0))
        return water, water.effective["wave_speed"]

    @staticmethod
    def hump(water):
        return np.exp(-(((water.grid.x - 7.0) / 1.5) ** 2)) * np.full(water.grid.shape, 0.01)

    def test_a_flow_sends_the_whole_wave_one_way(self, channel):
        water, speed = channel
        hump = self.hump(water)
        water.set_state(hump, np.array([speed * hump, 0.0 * hump]))
        assert np.allclose(water.height, hump, atol=1e-7)
        steps = round(5.0 / speed / water.time_step)
        run(water, steps)
        x, row = water.grid.x, water.height[10]
        assert x[row.argmax()] == pytest.approx(7.0 + speed * steps * water.time_step, abs=0.6)
        assert row.max() > 0.8 * 0.01
        assert np.abs(row[x < 5.0]).max() < 0.04 * 0.01  # released from rest it would be half the wave

    def test_without_a_flow_it_starts_from_rest(self, channel):
        water, _ = channel
        hump = self.hump(water)
        hump += hump[:, ::-1]
        water.set_state(hump)
        run(water, 10)
        assert np.allclose(water.height, water.height[:, ::-1], atol=1e-6)
        assert water.height.sum(dtype=float) == pytest.approx(hump.sum(), rel=1e-4)

    def test_it_takes_the_place_of_what_was_there(self, channel):
        water, _ = channel
        drop(water, 10.0, 8.0, 0.5, 2.0)
        water.set_height(3, 3, 0.2)
        run(water, 5)
        water.set_height(3, 3, 0.2)
        water.set_state(np.zeros(water.grid.shape), np.zeros((2, *water.grid.shape)))
        run(water, 5)
        assert not water.height.any()

    def test_a_volume_that_is_given_stays(self, channel):
        water, _ = channel
        water.set_state(np.full(water.grid.shape, 0.05), np.full((2, *water.grid.shape), 0.01))
        run(water, 200)
        assert water.height.mean(dtype=float) == pytest.approx(0.05, rel=1e-4)


@of_models(lambda model: model.can_be_given_state)
class TestGivenState:
    """Whatever a water is given, and what it refuses, for every model that can be given a state."""

    @pytest.mark.parametrize("number", [1e5, -1e5])
    def test_whatever_is_given_the_water_stays_in_bounds(self, coast, number):
        coast.set_state(np.full(coast.grid.shape, number), np.full((2, *coast.grid.shape), 10.0 * number))
        run(coast, 40)
        assert_bounded(coast)

    def test_what_is_refused_changes_nothing(self, coast):
        drop(coast, 12.0, 12.0, 0.5, 2.0)
        before, shape = coast.height.copy(), coast.grid.shape
        for arguments, words in [
            ((np.zeros((3, 4)),), "shape"),
            ((np.zeros(5),), "shape"),
            ((np.full(shape, np.nan),), "not finite"),
            ((np.full(shape, 2e5),), "allowed are"),
            ((np.zeros(shape), np.zeros(shape)), "along x and z"),
            ((np.zeros(shape), np.full((2, *shape), np.inf)), "not finite"),
            ((np.zeros(shape), (np.zeros(shape), np.zeros((2, 2)))), "no array"),
        ]:
            with pytest.raises(InputError, match=words):
                coast.set_state(*arguments)
        assert np.array_equal(coast.height, before)


@of_models(lambda model: not model.can_be_given_state)
def test_water_that_cannot_be_given_a_state_says_which_can(coast):
    drop(coast, 12.0, 12.0, 0.5, 2.0)
    before = coast.height.copy()
    with pytest.raises(InputError, match="the shallow-water and the wave-equation"):
        coast.set_state(np.zeros(coast.grid.shape))
    assert np.array_equal(coast.height, before)


def test_what_is_added_to_every_time_level_lifts_the_surface_from_rest(make):
    water = make()
    assert not water.height.any()
    levels = water.time_levels
    assert len(levels) <= 2
    for level in levels:
        level[11:22, 15:26] += 0.25
    assert water.height[16, 20] == pytest.approx(0.25 if levels else 0.0)
    still = water.height.copy()
    water.step()
    # No point has the speed that a drop of this height would give it, and in the middle nothing has happened yet.
    assert abs(water.height - still)[14:19, 18:23].max() < 0.01
