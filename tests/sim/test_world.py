"""A water with all that acts on it."""

import numpy as np
import pytest
from support.worlds import make_water

from waterview.bodies.params import BodyParams
from waterview.core.commands import (
    AddBody,
    DragBody,
    Drop,
    GrabBody,
    Gust,
    PaintWall,
    RaiseWaterLevel,
    ReleaseBody,
    RemoveBodies,
    ReplaceWater,
    SetParameter,
    SetRain,
    SetState,
    SetWaterLevel,
    ShowField,
    ShowNextField,
)
from waterview.core.errors import InputError, ParameterError
from waterview.sim.world import WORLD_PARAMS, World, world_declarations
from waterview.waters import MODELS
from waterview.waters.eddies.detail import Detail, DetailParams


def run(world, steps):
    for _ in range(steps):
        world.step()
    return world.publish(1)


@pytest.mark.slow
def test_rain_falls_on_every_model_that_can_be_disturbed_and_is_refused_by_the_others():
    for name, model in MODELS.items():
        if model.can_be_disturbed:
            frame = run(World(make_water(name), rain=200.0), 40)
            assert np.abs(frame.heights).max() > 1e-4, name
        else:
            with pytest.raises(InputError, match=name):
                World(make_water(name), rain=200.0)
            with pytest.raises(InputError, match=name):
                World(make_water(name)).apply(SetRain(5.0))


def test_the_same_seed_is_the_same_rain():
    pictures = [run(World(make_water(), rain=50.0, seed=seed), 60).heights for seed in (3, 3, 4)]
    assert np.array_equal(pictures[0], pictures[1])
    assert not np.array_equal(pictures[0], pictures[2])


def test_walls_and_gusts_reach_the_water():
    world = World(make_water())
    world.apply(PaintWall(0.0, 0.0, 1.0))
    assert world.publish(1).fixed.sum() > 5
    world.apply(Gust(-4.0, 0.0, 8.0, 0.0, 0.1, 1.0))
    frame = run(world, 2)
    assert np.abs(frame.heights).max() > 1e-3
    assert np.all(frame.heights[frame.fixed] == 0.0)


def test_totals_are_summed_once_a_second_and_at_once_where_time_stands_still(monkeypatch):
    world = World(make_water())
    summed, totals = [], world.water.totals
    monkeypatch.setattr(world.water, "totals", lambda: summed.append(world.water.time) or totals())
    for number in range(1, 241):
        assert run(world, 1).totals.mean_level == pytest.approx(0.0, abs=1e-6)
        assert summed[-1] > world.water.time - 1.01, f"frame {number}"
    assert len(summed) == pytest.approx(240 * world.time_step, abs=1.5)
    world.apply(Drop(0.0, 0.0, 0.5, 1.0, neutral=False))
    raised = world.publish(241).totals
    assert raised.mean_level > 1e-3
    assert raised.potential > 0.0


def test_maps_are_gone_through_and_come_with_totals():
    world = World(make_water(), detail=Detail(size=2.0, points=32))
    assert world.publish(1).field_map is None
    seen = []
    for _ in range(20):
        world.apply(ShowNextField())
        frame = run(world, 1)
        if frame.field_map is None:
            break
        assert frame.totals is not None
        seen.append(frame.field_map.name)
    assert {"height", "fixed", "pressure", "streamlines"} <= set(seen)
    assert len(set(seen)) == len(seen)
    world.apply(ShowField("pressure"))
    assert world.publish(2).field_map.name == "pressure"


@pytest.mark.parametrize("model", [model for model in MODELS.values() if model.can_be_coupled])
def test_detail_hides_no_map_of_the_water(model):
    water, detail = model(8.0, 6.0, 17), Detail(size=2.0, points=32)
    world = World(water, detail=detail)
    assert not water.field_maps().keys() & detail.field_maps().keys()
    for name, view in (water.field_maps() | detail.field_maps()).items():
        world.apply(ShowField(name))
        assert world.publish(1).field_map.values.shape == view.values.shape


def test_detail_is_published_and_stirred_by_drops_and_bodies():
    quiet, floating, moving, dripped = (
        World(make_water(), detail=Detail(size=3.0, points=32, wind_speed=1.0)) for _ in range(4)
    )
    dripped.apply(Drop(0.0, 0.0, 0.3, 0.5))
    for world, speed in ((floating, 0.0), (moving, 1.0)):
        world.apply(AddBody("sphere", 400.0, 1.0, 1.0))
        world.bodies.set_velocity(world.publish(1).bodies[0].number, (speed, 0.0, 0.0))
    detail, *others = (run(world, 24).detail for world in (quiet, dripped, moving))
    assert detail.size == 3.0
    assert detail.slopes.shape == (32, 32, 2)
    assert not any(np.array_equal(detail.slopes, other.slopes) for other in others)
    assert not np.array_equal(run(floating, 24).detail.slopes, others[1].slopes)


def test_a_body_comes_is_thrown_makes_waves_and_goes():
    world = World(make_water())
    world.apply(AddBody("sphere", 400.0, 1.0, 1.0))
    (body,) = run(world, 5).bodies
    assert (body.position[0], body.position[2]) == pytest.approx((1.0, 1.0), abs=0.2)
    world.apply(GrabBody(body.number, tuple(body.position)))
    for number in range(30):
        world.apply(DragBody((1.0 - 0.05 * number, float(body.position[1]), 1.0)))
        world.step()
    world.apply(ReleaseBody())
    frame = run(world, 10)
    assert frame.bodies[0].position[0] < 0.5
    assert not frame.bodies[0].grabbed
    assert np.abs(frame.heights).max() > 1e-3
    world.apply(RemoveBodies())
    assert run(world, 1).bodies == ()


@pytest.mark.parametrize("model", ["wave-equation", "dual-buffer"])
def test_what_bodies_and_rain_do_after_a_step_is_in_a_surface_prepared_with_it(model):
    worlds = (
        World(make_water(model, border="reflecting"), rain=20.0),
        World(make_water(model, border="reflecting"), rain=20.0),
    )
    for world in worlds:
        world.apply(AddBody("sphere", 400.0, 1.0, 1.0))
        world.apply(PaintWall(-2.0, 0.0, 1.0))
    for number in range(30):
        first, second = (world.publish(number) for world in worlds)
        assert first.heights.tobytes() == second.heights.tobytes(), number
        assert first.normals.tobytes() == second.normals.tobytes(), number
        worlds[0].advance(3, publish_next=True)
        worlds[1].advance(3)
    assert np.abs(first.heights).max() > 1e-3


def test_a_body_moved_through_wave_particles_sends_fronts():
    world = World(make_water("wave-particles"))
    world.apply(AddBody("sphere", 400.0, 2.0, 0.0))
    run(world, 5)
    (number,) = world.bodies.numbers
    world.apply(GrabBody(number, tuple(world.publish(1).bodies[0].position)))
    before = np.abs(run(world, 1).heights).max()
    for step in range(40):
        world.apply(DragBody((2.0 - 0.05 * step, 0.0, 0.0)))
        world.step()
    assert np.abs(world.publish(2).heights).max() > before + 1e-3


def test_another_model_keeps_bodies_another_terrain_does_not():
    world = World(make_water(), rain=10.0)
    world.apply(AddBody("box"))
    world.apply(ReplaceWater(lambda: make_water("layered"), keep_bodies=True))
    assert len(run(world, 3).bodies) == 1
    world.apply(ReplaceWater(lambda: make_water("ocean")))
    frame = run(world, 3)
    assert frame.bodies == ()
    assert world.rain.rate == 0.0


def test_another_water_keeps_the_level_where_that_is_asked_for():
    world = World(make_water())
    world.apply(SetWaterLevel(0.25))
    world.apply(RaiseWaterLevel(0.25))
    world.apply(ReplaceWater(lambda: make_water("layered"), keep_level=True))
    assert world.water.grid.level == 0.5
    for made in (make_water("layered"), World(make_water("layered"))):
        world.apply(ReplaceWater(lambda made=made: made))
        assert world.water.grid.level == 0.0
        world.apply(RaiseWaterLevel(0.5))


@pytest.mark.parametrize("name", MODELS)
def test_steps_taken_together_are_those_taken_one_by_one(name):
    """To the bit, time too, and across the steps at which closed waters are held."""
    single, together = (World(make_water(name)) for _ in range(2))
    for world in (single, together):
        world.apply(PaintWall(2.0, 0.0, 1.0))
        if world.water.can_be_disturbed:
            world.apply(Drop(1.0, -1.0, 0.3, 1.5))
    for _ in range(37):
        single.step()
    for steps in (3, 20, 0, 14):
        together.advance(steps)
    one, other = single.publish(1), together.publish(1)
    assert one.time == other.time
    assert one.heights.tobytes() == other.heights.tobytes() and one.heights.any()


def test_rain_and_bodies_are_stepped_with_the_water():
    single, together = (World(make_water(), rain=80.0) for _ in range(2))
    for world in (single, together):
        world.apply(AddBody("sphere", 300.0, 0.0, 0.0))
    for _ in range(20):
        single.step()
    together.advance(20)
    one, other = single.publish(1), together.publish(1)
    assert one.heights.tobytes() == other.heights.tobytes()
    assert (one.bodies[0].position == other.bodies[0].position).all()


@pytest.mark.parametrize("detail", [False, True])
def test_between_steps_of_bodies_and_detail_the_water_takes_its_own_at_once(detail, monkeypatch):
    """Bodies are stepped with every third step here: the same to the bit as one by one."""
    fine = [Detail(size=3.0, points=32) if detail else None for _ in range(2)]
    single, together = (World(make_water(steps_per_second=180.0), detail=each) for each in fine)
    for world in (single, together):
        world.apply(AddBody("box", 300.0, 0.0, 0.0))
        world.apply(Drop(2.0, 0.0, 0.3, 1.5))
    for _ in range(20):
        single.step()
    taken, advance = [], together.water.advance
    monkeypatch.setattr(together.water, "advance", lambda *how: (taken.append(how[0]), advance(*how)))
    together.advance(20)
    assert taken == [3] * 6 + [2] if not detail else len(taken) < 12 and sum(taken) == 20
    one, other = (world.publish(1) for world in (single, together))
    assert one.heights.tobytes() == other.heights.tobytes() and one.heights.any()
    assert (one.bodies[0].position == other.bodies[0].position).all()
    assert not detail or (one.detail.slopes == other.detail.slopes).all()


def falling_ball(steps_per_second):
    world = World(make_water(steps_per_second=steps_per_second))
    world.apply(AddBody("sphere", None, 0.0, 0.0))
    (number,) = world.bodies.numbers
    world.bodies.place(number, (0.3, 5.0, 0.2))
    world.bodies.set_velocity(number, (0.5, 0.0, 0.0), (0.0, 0.0, 2.0))
    return world


def test_bodies_step_sixty_times_a_second_or_with_the_water_and_are_shown_as_they_move_between():
    quick, slow = falling_ball(240.0), falling_ball(60.0)
    heights, angles = [], []
    for _ in range(12):
        run(quick, 1)
        (body,) = quick.publish(1).bodies
        heights.append(body.position[1])
        angles.append(np.arctan2(body.rotation[1, 0], body.rotation[0, 0]))
        np.testing.assert_allclose(body.rotation @ body.rotation.T, np.eye(3), atol=1e-12)
    run(slow, 3)
    (stepped,), (seen,) = quick.bodies.states(), slow.bodies.states()
    np.testing.assert_array_equal(stepped.position, seen.position)
    assert np.all(np.diff(heights[3:]) < 0.0), "it stands still between its steps"
    np.testing.assert_allclose(np.diff(angles[3:]), 2.0 / 240.0, rtol=0.01)


def test_a_tank_saved_between_two_steps_of_its_bodies_goes_on_to_the_bit():
    world = falling_ball(240.0)
    run(world, 6)
    other = World(make_water(steps_per_second=240.0))
    other.load_state(world.state())
    for each in (world, other):
        run(each, 7)
    np.testing.assert_array_equal(world.bodies.states()[0].position, other.bodies.states()[0].position)


def other_value(entry):
    """An allowed value that is not the usual one, and not so large that it takes long."""
    return entry.stepped(entry.default, +1) if entry.default != entry.high else entry.stepped(entry.default, -1)


@pytest.mark.parametrize("detail", [False, True])
@pytest.mark.parametrize("body", [False, True])
def test_every_parameter_of_bodies_and_detail_is_set_while_it_runs_with_any_or_none(detail, body):
    world = World(make_water(), detail=Detail(points=16) if detail else None)
    if body:
        world.apply(AddBody("sphere"))
    # The detail's first, for another seed begins it anew.
    wanted = {
        entry.name: 16 + 16 * detail if entry.name == "detail_points" else other_value(entry)
        for entry in reversed(world_declarations())
        if entry.step
    }
    for name, value in wanted.items():
        world.apply(SetParameter(name, value))
    world.apply(RemoveBodies())
    world.apply(AddBody("box"))
    told = run(world, 2).world_params
    for name, value in wanted.items():
        owner, _, own = name.partition("_")
        assert getattr(told[owner], own) == pytest.approx(value), name
    assert world.bodies.params == told["bodies"]
    assert world.water.params == make_water().params


def test_a_value_that_bodies_or_detail_do_not_allow_changes_nothing():
    world = World(make_water())
    for name in ("bodies_drag", "detail_trail", "bodies_colour", "detail"):
        with pytest.raises(ParameterError):
            world.apply(SetParameter(name, -1.0))
    assert world.params == {owner: params() for owner, params in WORLD_PARAMS.items()}


def test_drag_set_while_a_body_drifts_slows_it():
    speeds = []
    for drag in (0.0, 5.0):
        world = World(make_water())
        world.apply(AddBody("sphere", 900.0, 0.0, 0.0))
        world.bodies.set_velocity(1, (2.0, 0.0, 0.0))
        world.apply(SetParameter("bodies_drag", drag))
        run(world, 30)
        speeds.append(float(world.bodies.motion(1)[0][0]))
    assert speeds[1] < 0.9 * speeds[0]


def test_another_water_keeps_what_bodies_and_detail_go_by_unless_it_brings_its_own():
    world = World(make_water())
    world.apply(AddBody("sphere"))
    world.apply(SetParameter("bodies_drag", 2.0))
    world.apply(SetParameter("detail_trail", 3.0))
    world.apply(ReplaceWater(lambda: make_water("dual-buffer")))
    assert (world.body_params.drag, world.detail_params.trail) == (2.0, 3.0)
    world.apply(AddBody("sphere"))
    brought = World(make_water(), body_params=BodyParams(drag=4.0), detail_params=DetailParams(trail=5.0))
    world.apply(ReplaceWater(lambda: brought, keep_bodies=True))
    assert (world.bodies.params.drag, world.detail_params.trail) == (4.0, 5.0)


def test_a_state_that_does_not_fit_the_water_is_refused_and_one_that_does_is_shown():
    world = World(make_water("shallow-water"))
    world.apply(Drop(0.0, 0.0, 0.3, 1.0))
    before = world.publish(1).heights.copy()
    with pytest.raises(ParameterError, match=r"a surface of shape \(3, 4\): the grid needs \(37, 49\)"):
        world.apply(SetState(np.zeros((3, 4))))
    assert np.array_equal(world.publish(2).heights, before)
    world.apply(SetState(np.full((37, 49), 0.05)))
    assert np.allclose(world.publish(3).heights, 0.05)


def test_ground_is_read_alike_in_every_order_of_memory():
    def place_of_sphere(order):
        water = make_water()
        x, z = np.meshgrid(water.grid.x, water.grid.z)
        shore = np.where(x - x.min() < 0.3 * np.ptp(x), 1.0, -2.0).astype(np.float32, order=order)
        water.set_ground(shore, np.zeros(water.grid.shape, bool, order=order))
        world = World(water)
        world.apply(AddBody("sphere", 500.0, float(x.min() + 0.2 * np.ptp(x)), float(z.max() - 0.2 * np.ptp(z))))
        run(world, 60)
        return world.bodies.states()[0].position

    assert np.array_equal(place_of_sphere("F"), place_of_sphere("C"))
