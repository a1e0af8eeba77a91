"""What is done along the way of the pointer: wakes, walls, and bodies that are dragged."""

import itertools
import math
from types import SimpleNamespace

import numpy as np
import pytest
from support.ponds import Pond, one_body
from support.scenes import make_frame
from support.viewers import SIZE, FakeScenes, pointer_over

from waterview.core.commands import DragBody, GrabBody, PaintWall, SetWaterLevel
from waterview.render.settings import ViewParams
from waterview.sim.world import World
from waterview.ui.pointer import LEFT, RIGHT, BodyDrag, Position, body_under
from waterview.ui.viewer import Viewer
from waterview.waters import MODELS

# --- wakes


def test_a_drag_draws_a_wake_without_gaps(viewer, loop):
    viewer.pointer.press(LEFT, *pointer_over(viewer, -8.0, 4.0), SIZE)
    viewer.pointer.drag(*pointer_over(viewer, 8.0, 4.0), 10.0, 0.0, SIZE)
    drops = loop.drops()
    assert drops[-1].x == pytest.approx(8.0, abs=1e-6)
    gaps = [math.hypot(b.x - a.x, b.z - a.z) for a, b in itertools.pairwise(drops)]
    assert max(gaps) < drops[0].radius
    assert all(drop.height < drops[0].height for drop in drops[1:])


def test_a_wake_interrupted_by_land_goes_on_after_it(viewer, loop):
    viewer.pointer.press(LEFT, *pointer_over(viewer, -8.0, 4.0), SIZE)
    px, py, _ = viewer.camera.project((0.0, 3.0, -9.0), SIZE)
    viewer.pointer.drag(px, py, 5.0, 0.0, SIZE)
    count = len(loop.drops())
    viewer.pointer.drag(*pointer_over(viewer, 8.0, 4.0), 5.0, 0.0, SIZE)
    assert len(loop.drops()) == count, "it was drawn over the land"
    viewer.pointer.drag(*pointer_over(viewer, 6.0, 4.0), 5.0, 0.0, SIZE)
    assert len(loop.drops()) > count


# --- walls


def test_control_drag_paints_walls_and_the_right_button_takes_them_away(viewer, loop):
    viewer.pointer.press(LEFT, *pointer_over(viewer, -3.0, 4.0), SIZE, {"ctrl"})
    viewer.pointer.drag(*pointer_over(viewer, 3.0, 4.0), 5.0, 0.0, SIZE)
    viewer.pointer.release()
    viewer.pointer.press(RIGHT, *pointer_over(viewer, 0.0, 4.0), SIZE, {"ctrl"})
    walls = [(command.x, command.wall) for command in loop.posted if isinstance(command, PaintWall)]
    raised = [x for x, wall in walls if wall]
    assert raised == pytest.approx([-3.0, 3.0], abs=1e-5)
    assert loop.posted[0].start is None
    assert loop.posted[1].start == (loop.posted[0].x, loop.posted[0].z), "the stroke has a gap"
    assert [x for x, wall in walls if not wall] == pytest.approx([0.0], abs=1e-5)
    assert loop.drops() == []


@pytest.mark.slow
def test_the_same_way_painted_and_taken_away_leaves_no_wall(loop, messages):
    world = World(MODELS["wave-equation"](20.0, 14.0, 321, (-10.0, 0.0, -7.0)))
    world.apply(SetWaterLevel(1.0))
    loop.frame = world.publish(1)
    viewer = Viewer(loop, ViewParams(), FakeScenes(), messages.append, messages.append)
    ways = [pointer_over(viewer, -5.0 + 0.5 * number, 1.0 + 0.1 * number) for number in range(21)]
    for button, is_left in ((LEFT, True), (RIGHT, False)):
        viewer.pointer.press(button, *ways[0], SIZE, {"ctrl"})
        for place in ways[1:]:
            viewer.pointer.drag(*place, 1.0, 1.0, SIZE)
        viewer.pointer.release()
        for command in loop.posted:
            world.apply(command)
        loop.posted.clear()
        loop.frame = world.publish(1)
        viewer.update()
        assert world.water.walls.any() == is_left


@pytest.mark.slow
def test_a_wall_that_is_seen_while_it_is_painted_does_not_creep_towards_the_eye(loop, messages):
    world = World(MODELS["wave-equation"](20.0, 14.0, 321, (-10.0, 0.0, -7.0)))
    loop.frame = world.publish(1)
    viewer = Viewer(loop, ViewParams(), FakeScenes(), messages.append, messages.append)
    viewer.pointer.press(LEFT, *pointer_over(viewer, -5.0, 1.0), SIZE, {"ctrl"})
    for tenths in range(1, 101):
        for command in loop.posted[-1:]:
            world.apply(command)
        loop.frame = world.publish(1)
        viewer.update()
        viewer.pointer.drag(*pointer_over(viewer, -5.0 + 0.1 * tenths, 1.0), 1.0, 0.0, SIZE)
    assert loop.posted[-1].x == pytest.approx(5.0, abs=0.1)
    assert [command.z for command in loop.posted] == pytest.approx([1.0] * len(loop.posted), abs=1e-6)
    viewer.pointer.drag(0.5 * SIZE[0], -10.0 * SIZE[1], 1.0, 0.0, SIZE)
    assert loop.posted[-1].x == pytest.approx(5.0, abs=0.1), "the sky has no level"


def test_a_pointer_that_hardly_moves_paints_no_wall_anew(viewer, loop):
    viewer.pointer.press(LEFT, *pointer_over(viewer, 0.0, 4.0), SIZE, {"ctrl"})
    radius = loop.posted[0].radius
    for tenths in range(1, 21):
        viewer.pointer.drag(*pointer_over(viewer, 0.1 * tenths * radius, 4.0), 0.1, 0.0, SIZE)
    assert 4 <= len(loop.posted) <= 5
    assert loop.posted[-1].x > 1.4 * radius


# --- bodies


@pytest.mark.parametrize(("top", "hidden"), [(3.0, True), (-1.0, False)])
def test_land_before_a_body_hides_it_from_the_pointer_and_water_does_not(top, hidden):
    bodies, number = one_body(Pond(), y=-0.5)
    bed = np.full((41, 61), -2.0)
    bed[24:28] = top  # at z = 2 to 3.5
    frame = make_frame(bed=bed, bodies=bodies.states())
    camera = SimpleNamespace(ray=lambda *_: (np.array([0.0, 1.5, 8.0]), np.array([0.0, -2.0, -8.0])))
    found = body_under(Position(0.0, 0.0, SIZE), SimpleNamespace(camera=camera, frame=frame))
    assert (found is None) == hidden
    assert hidden or found[0].number == number


def test_a_body_before_land_is_grabbed(viewer, loop):
    bodies, number = one_body(Pond())
    bed = np.full((41, 61), -2.0)
    bed[:16] = 3.0
    loop.frame = loop.frame.changed(bed=bed.astype(np.float32), bodies=bodies.states())
    viewer.update()
    viewer.pointer.press(LEFT, *pointer_over(viewer, 0.0, 0.0), SIZE)
    assert [command.number for command in loop.posted] == [number]


@pytest.mark.parametrize(
    ("direction", "point"), [((0.0, 0.0, -1.0), (2.0, 3.0, 0.0)), ((0.0, 1.0, 0.0), (0.0, 1.0, 0.0))]
)
def test_a_dragged_body_follows_the_ray_on_its_plane_and_stays_where_the_ray_misses_it(direction, point):
    camera = SimpleNamespace(backward=np.array([0.0, 0.0, 1.0]))
    camera.ray = lambda *_: (np.array([2.0, 3.0, 10.0]), np.array(direction))
    posted = []
    body = BodyDrag(SimpleNamespace(camera=camera, post=posted.append), np.array([0.0, 1.0, 0.0]))
    body.drag(Position(0.0, 0.0, SIZE))
    assert posted[0].point == pytest.approx(point)


def test_a_body_stays_grabbed_while_another_button_is_pressed(viewer, loop):
    bodies, _ = one_body(Pond())
    loop.frame = loop.frame.changed(bodies=bodies.states())
    viewer.update()
    azimuth = viewer.camera.azimuth
    x, y = pointer_over(viewer, 0.0, 0.0)
    viewer.pointer.press(LEFT, x, y, SIZE)
    viewer.pointer.press(RIGHT, x + 200.0, y, SIZE)
    viewer.pointer.drag(x + 230.0, y, 30.0, 0.0, SIZE)
    assert [type(command) for command in loop.posted] == [GrabBody, DragBody]
    assert viewer.camera.azimuth == azimuth
