"""The collection: adding and taking away, grabbing, what it publishes, and its promises."""

import math

import numpy as np
import pytest
from support.ponds import Pond, one_body, only, run

from waterview.bodies.collection import MOST_BODIES, Bodies
from waterview.bodies.kinds import kinds, shape_of
from waterview.bodies.params import BodyParams
from waterview.bodies.placement import free_place
from waterview.core.errors import InputError, ParameterError
from waterview.core.params import declarations
from waterview.waters.wave.wave_equation import WaveEquationWater

DT = 1.0 / 60.0


class TestAdding:
    def test_numbers_name_bodies_for_ever(self):
        pond, bodies = Pond(), Bodies()
        numbers = [bodies.add(pond, "sphere", x=k, z=0.0) for k in range(3)]
        bodies.remove(numbers[1])
        last = bodies.add(pond, "box", x=-2.0, z=0.0)
        assert last not in numbers
        assert bodies.numbers == (numbers[0], numbers[2], last)
        assert [state.number for state in bodies.states()] == list(bodies.numbers)
        assert [state.kind for state in bodies.states()] == ["sphere", "sphere", "box"]
        bodies.clear()
        assert len(bodies) == 0
        assert bodies.states() == ()
        bodies.step(pond, DT)

    def test_those_who_stay_go_on_undisturbed(self):
        ponds = Pond(), Pond()
        places = []
        for pond, visited in zip(ponds, (False, True), strict=True):
            bodies, _ = one_body(pond, "duck", None, y=0.5)
            run(bodies, pond, 0.5)
            if visited:
                other = bodies.add(pond, "boat", x=4.0, z=4.0)
                run(bodies, pond, 0.5)
                bodies.remove(other)
            else:
                run(bodies, pond, 0.5)
            run(bodies, pond, 0.5)
            places.append(bodies.states()[0].position)
        np.testing.assert_allclose(*places, atol=0.01)

    def test_what_is_left_out_is_usual(self):
        fixed = np.zeros((121, 121), bool)
        fixed[:, :60] = True
        pond, bodies = Pond(fixed=fixed), Bodies()
        bodies.add(pond, "sphere")
        state = only(bodies)
        assert state.density == pytest.approx(shape_of("sphere").density)
        assert state.scale == pytest.approx([0.6] * 3)
        assert not fixed[pond.grid.nearest(*state.position[[0, 2]])[::-1]]
        assert state.position[0] == pytest.approx(3.0, abs=0.2)

    @pytest.mark.parametrize("density", [0.0, -5.0, math.nan, math.inf, 1e9])
    def test_densities_that_no_body_has(self, density):
        pond = Pond()
        with pytest.raises(ParameterError, match="allowed are 1 to 25000"):
            Bodies().add(pond, "sphere", density)
        bodies, number = one_body(pond)
        with pytest.raises(ParameterError, match="allowed are 1 to 25000"):
            bodies.set_density(density, number)
        assert only(bodies).density == pytest.approx(500.0)

    @pytest.mark.parametrize("size", [0.0, -1.0, math.nan, 6.1, (1.0, 2.0), (0.5, 0.5, math.inf)])
    def test_sizes_that_no_body_has(self, size):
        with pytest.raises(ParameterError, match="of size"):
            Bodies().add(Pond(), "box", size=size)

    def test_a_place_on_land_is_not_free(self):
        fixed = np.zeros((121, 121), bool)
        fixed[40:81, 40:81] = True  # 2 m around the middle
        others = np.zeros(0, [("position", "f8", 3), ("bounding_radius", "f8")])
        x, z = free_place(Pond(fixed=fixed), (0.0, 0.0), 0.3, others)
        assert max(abs(x), abs(z)) > 2.0
        assert free_place(Pond(), (0.0, 0.0), 0.3, others) == (0.0, 0.0)

    def test_only_boxes_have_three_sides(self):
        pond, bodies = Pond(), Bodies()
        with pytest.raises(ParameterError, match="needed is one number"):
            bodies.add(pond, "duck", size=(0.5, 0.5, 0.5))
        bodies.add(pond, "box", 500.0, size=(0.5, 0.2, 1.0))
        assert only(bodies).scale == pytest.approx((0.5, 0.2, 1.0))

    @pytest.mark.parametrize("place", [(7.0, 0.0), (0.0, -6.2), (math.nan, 0.0), (0.0, math.inf)])
    def test_places_beside_the_water(self, place):
        with pytest.raises(ParameterError, match="outside the water: allowed are x from -6 to 6 m"):
            Bodies().add(Pond(), "sphere", 500.0, *place)

    def test_kinds_that_are_none(self):
        with pytest.raises(InputError, match=r"no body is called 'dukc'; allowed are sphere, .*did you mean 'duck'"):
            Bodies().add(Pond(), "dukc")

    @pytest.mark.slow
    def test_there_is_room_for_so_many_and_no_more(self):
        pond, bodies = Pond(), Bodies()
        for _ in range(MOST_BODIES):
            bodies.add(pond, "sphere", x=0.0, z=0.0, size=0.1)
        with pytest.raises(ParameterError, match="allowed are 512"):
            bodies.add(pond, "sphere")

    @pytest.mark.parametrize("ask", ["remove", "set_velocity", "place", "grab", "motion", "wet_volume"])
    def test_bodies_that_are_not_there(self, ask):
        bodies, _ = one_body(Pond())
        arguments = {"set_velocity": [(0, 0, 0)], "place": [(0, 0, 0)], "grab": [(0, 0, 0)]}
        with pytest.raises(InputError, match="no body has the number 77: there are 1"):
            getattr(bodies, ask)(77, *arguments.get(ask, []))

    def test_numbers_that_are_not_finite(self):
        bodies, number = one_body(Pond())
        bad = (0.0, math.nan, 0.0)
        for ask in (
            lambda: bodies.place(number, bad),
            lambda: bodies.place(number, (0.0, 0.0, 0.0), (0.0, 0.0, 0.0, 0.0)),
            lambda: bodies.set_velocity(number, bad),
            lambda: bodies.grab(number, bad),
            lambda: bodies.drag_to(bad),
            lambda: bodies.release(bad),
            lambda: bodies.step(Pond(), math.nan),
            lambda: bodies.step(Pond(), 0.0),
        ):
            with pytest.raises(ParameterError):
                ask()


class TestParameters:
    def test_they_are_checked(self):
        with pytest.raises(ParameterError):
            Bodies(drag=-1.0)
        with pytest.raises(ParameterError):
            Bodies(colour="red")
        bodies = Bodies(bounce=0.9)
        bodies.set_parameter("bounce", 0.1)
        assert bodies.params.bounce == 0.1
        with pytest.raises(ParameterError):
            bodies.set_parameter("bounce", 2.0)

    @pytest.mark.sampled
    @pytest.mark.parametrize("entry", declarations(BodyParams), ids=lambda entry: entry.name)
    def test_at_every_bound_everything_stays_finite(self, entry):
        for value in (entry.low, entry.high):
            water = WaveEquationWater(6.0, 6.0, 48, steps_per_second=30.0, border="reflecting")
            bodies = Bodies()
            for k, kind in enumerate(kinds()):
                bodies.add(water, kind, 300.0, 1.0 + k, 3.0, 0.5, y=0.4)
            run(bodies, water, 1.0, rate=30.0)
            bodies.set_parameter(entry.name, value)
            run(bodies, water, 4.0, rate=30.0)
            assert np.isfinite(water.height).all()
            assert all(np.isfinite(state.position).all() for state in bodies.states())
            assert np.abs(water.height).max() < 1.0

    def test_density_changes_the_draught_while_it_floats(self):
        pond = Pond()
        bodies, _ = one_body(pond, "box", 200.0, size=(1.0, 0.3, 1.0))
        bodies.set_density(800.0)
        run(bodies, pond, 15.0)
        assert 0.15 - only(bodies).position[1] == pytest.approx(0.24, abs=0.003)


class TestGrabbing:
    def test_a_grabbed_body_comes_to_the_pointer_and_stays(self):
        pond = Pond()
        bodies, number = one_body(pond, density=800.0)
        bodies.grab(number, only(bodies).position)
        bodies.drag_to((2.0, 1.0, -1.5))
        assert bodies.grabbed == number
        assert only(bodies).grabbed
        run(bodies, pond, 1.5)
        np.testing.assert_allclose(only(bodies).position, (2.0, 1.0, -1.5), atol=0.03)
        run(bodies, pond, 1.0)
        np.testing.assert_allclose(only(bodies).position, (2.0, 1.0, -1.5), atol=0.03)

    def test_it_hangs_from_the_point_where_it_is_grabbed(self):
        pond = Pond(level=SPACE)
        bodies, number = one_body(pond, "box", 500.0, size=(0.2, 0.2, 1.0), y=0.0)
        bodies.grab(number, (0.0, 0.0, 0.5))
        run(bodies, pond, 6.0)
        assert abs(only(bodies).rotation[1, 2]) > 0.98  # its long axis points down
        np.testing.assert_allclose(only(bodies).position, (0.0, -0.5, 0.5), atol=0.06)

    def test_however_far_away_the_point_is_the_lever_is_no_longer_than_the_body(self):
        bodies, number = one_body(Pond(level=SPACE), "box", 500.0, y=0.0)
        bodies.grab(number, (1e300, 0.0, 0.0))
        assert bodies.grabbed == number and np.isfinite(only(bodies).position).all()

    @pytest.mark.parametrize("turned", [0.0, 2.0, 1e200])
    def test_saved_bodies_that_are_turned_by_no_rotation_are_refused(self, turned):
        pond = Pond(level=SPACE)
        bodies, _ = one_body(pond, "box", 500.0, y=0.0)
        state = bodies.state()
        records = {**state["records"], "orientation": turned * state["records"]["orientation"]}
        with pytest.raises(ValueError, match=r"turned by no rotation|orientation"):
            bodies.load_state({**state, "records": records}, pond.grid)

    def test_let_go_it_keeps_its_motion_or_takes_that_of_the_throw(self):
        pond = Pond(level=SPACE)
        for throw in (None, (3.0, 4.0, 0.0)):
            bodies, number = one_body(pond, y=0.0)
            bodies.grab(number, (0.0, 0.0, 0.0))
            for step in range(30):
                bodies.drag_to((0.05 * step, 0.0, 0.0))
                bodies.step(pond, DT)
            before, _ = bodies.motion(number)
            bodies.release(throw)
            assert bodies.grabbed is None
            assert not only(bodies).grabbed
            velocity, _ = bodies.motion(number)
            np.testing.assert_array_equal(velocity, before if throw is None else throw)
            assert before[0] > 1.0
            run(bodies, pond, 0.5)
            assert bodies.motion(number)[0][1] < 0.0

    @pytest.mark.slow
    def test_a_thrown_ball_flies_splashes_and_floats(self):
        water = WaveEquationWater(12.0, 12.0, 96, (-6.0, 0.0, -6.0), steps_per_second=60.0, wave_speed=3.0)
        bodies, number = one_body(water, density=300.0, y=1.0)
        bodies.grab(number, (0.0, 1.0, 0.0))
        bodies.release((3.0, 2.0, 0.0))
        run(bodies, water, 0.5)
        assert only(bodies).position[1] > 0.5
        assert not water.height.any()
        run(bodies, water, 1.0)
        assert np.abs(water.height).max() > 0.005
        run(bodies, water, 20.0)
        assert abs(only(bodies).position[1]) < 0.2

    def test_the_pointer_holds_one_body_and_nothing_when_it_is_gone(self):
        pond, bodies = Pond(), Bodies()
        a, b = (bodies.add(pond, "sphere", x=x, z=0.0) for x in (-1.0, 1.0))
        bodies.grab(a, (-1.0, 0.0, 0.0))
        bodies.grab(b, (1.0, 0.0, 0.0))
        assert [state.grabbed for state in bodies.states()] == [False, True]
        bodies.remove(b)
        assert bodies.grabbed is None
        bodies.drag_to((0.0, 0.0, 0.0))
        bodies.release()

    def test_a_pointer_far_away_grabs_the_rim(self):
        bodies, number = one_body(Pond(), y=0.0)
        bodies.grab(number, (100.0, 0.0, 0.0))
        assert np.linalg.norm(bodies.state()["records"]["anchor"][0]) == pytest.approx(0.3)


SPACE = -1000.0


class TestStates:
    def test_they_are_read_only_and_do_not_change_any_more(self):
        pond = Pond()
        bodies, _ = one_body(pond, "boat", y=1.0)
        state = only(bodies)
        place, rotation = state.position.copy(), state.rotation.copy()
        run(bodies, pond, 0.5)
        np.testing.assert_array_equal(state.position, place)
        np.testing.assert_array_equal(state.rotation, rotation)
        assert only(bodies).mesh is state.mesh
        for array in (state.position, state.rotation, state.scale, state.mesh.vertices, state.mesh.indices):
            assert not array.flags.writeable

    def test_the_rotation_is_that_which_was_asked_for(self):
        bodies, _ = one_body(Pond(), "box", rotation=(math.cos(0.3), 0.0, math.sin(0.3), 0.0))
        cos, sin = math.cos(0.6), math.sin(0.6)
        np.testing.assert_allclose(only(bodies).rotation, [[cos, 0, sin], [0, 1, 0], [-sin, 0, cos]], atol=1e-12)


def crowd(water, bodies, kinds, seed=3):
    rng = np.random.default_rng(seed)
    width = water.grid.size[0]
    for k, kind in enumerate(kinds):
        density = 2500.0 if k % 7 == 0 else rng.uniform(100.0, 900.0)
        x, z = rng.uniform(1.0, width - 1.0, 2)
        y, size, rotation = rng.uniform(0.2, 3.0), rng.uniform(0.3, 0.9), rng.normal(size=4)
        bodies.add(water, kind, density, x, z, size, y=y, rotation=rotation)


@pytest.mark.slow
def test_two_runs_give_the_same_bits():
    results = []
    for _ in range(2):
        water = WaveEquationWater(8.0, 8.0, 80, border="reflecting", steps_per_second=60.0, wave_speed=4.0)
        bodies = Bodies()
        crowd(water, bodies, ("sphere", "box", "sphere", "duck", "boat", "box") * 2)
        run(bodies, water, 4.0)
        bodies.grab(bodies.numbers[3], bodies.states()[3].position)
        bodies.drag_to((4.0, 1.0, 4.0))
        run(bodies, water, 1.0)
        bodies.release((1.0, 2.0, 3.0))
        run(bodies, water, 3.0)
        results.append((water.height.copy(), bodies.state()["records"]))
    np.testing.assert_array_equal(results[0][0], results[1][0])
    for name, values in results[0][1].items():
        np.testing.assert_array_equal(values, results[1][1][name], name)


@pytest.mark.slow
def test_fifty_bodies_in_a_pool_stay_for_ten_minutes():
    """At twenty steps a second, which is as hard on bodies and water as steps can be; the benchmark has sixty."""
    rate, water = 20.0, WaveEquationWater(12.0, 12.0, 256, border="reflecting", wave_speed=3.0, steps_per_second=20.0)
    bodies = Bodies()
    crowd(water, bodies, ["sphere"] * 42 + ["box"] * 4 + ["duck"] * 2 + ["boat"] * 2)
    for _ in range(10):
        run(bodies, water, 60.0, rate=rate)
        places = np.array([state.position for state in bodies.states()])
        assert np.isfinite(places).all() and np.isfinite(water.height).all()
        assert places[:, [0, 2]].min() > 0.0 and places[:, [0, 2]].max() < 12.0
        assert places[:, 1].min() > -3.0 and places[:, 1].max() < 1.0
    assert np.abs(water.height).max() < 0.01
    assert max(np.linalg.norm(bodies.motion(number)[0]) for number in bodies.numbers) < 0.1
    assert abs(water.height.mean(dtype=float)) < 1e-6 * 3.0


@pytest.mark.slow
def test_bodies_without_a_place_come_beside_each_other_in_the_water():
    fixed = np.zeros((121, 121), bool)
    fixed[:, 70:] = True
    pond, bodies = Pond(fixed=fixed), Bodies()
    for kind in ("sphere", "duck", "boat", "box") * 5:
        bodies.add(pond, kind)
    states = bodies.states()
    for body in states:
        ix, iz = pond.grid.nearest(body.position[0], body.position[2])
        assert not fixed[iz, ix]
    places = np.array([body.position[[0, 2]] for body in states])
    apart = np.hypot(*(places[:, None] - places[None]).T) + 10.0 * np.eye(len(places))
    assert apart.min() > 0.6, "a body is 0.6 m long here"


def test_a_place_that_is_given_is_taken_even_if_a_body_is_there():
    pond, bodies = Pond(), Bodies()
    for _ in range(2):
        bodies.add(pond, "sphere", x=1.0, z=2.0)
    assert [tuple(body.position[[0, 2]]) for body in bodies.states()] == [(1.0, 2.0)] * 2


@pytest.mark.slow
def test_where_no_place_is_free_bodies_share_one():
    pond, bodies = Pond(size=1.0, points=11), Bodies()
    for _ in range(40):
        bodies.add(pond, "sphere", size=0.45)
    assert len(bodies) == 40
