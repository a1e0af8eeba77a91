import math

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from support.scenes import make_frame

from waterview.core.body import BodyState, Mesh
from waterview.render.camera.camera import OrbitCamera
from waterview.render.camera.picking import pick, pick_body, still_plane

ABOVE = (2.0, 20.0, 6.0)


def towards(point, origin=ABOVE):
    return np.array(point, float) - np.array(origin)


@pytest.mark.slow
@given(st.floats(-14.0, 14.0), st.floats(-9.0, 9.0), st.floats(-3.0, 3.0))
@example(13.75, 1.1, 0.3)  # as far from two grid points
def test_still_water_is_met_where_the_plane_is(x, z, level):
    hit = pick(make_frame(level=level), ABOVE, towards((x, level, z)))
    assert hit.kind == "water"
    assert (hit.x, hit.y, hit.z) == pytest.approx((x, level, z), abs=1e-9)
    assert abs(hit.ix - (x + 15.0) / 0.5) <= 0.5 + 1e-9
    assert abs(hit.iz - (z + 10.0) / 0.5) <= 0.5 + 1e-9


@pytest.mark.slow
@given(st.floats(-10.0, 10.0), st.floats(-6.0, 6.0), st.floats(-0.2, 0.2), st.floats(-0.2, 0.2))
def test_a_tilted_surface_is_met_where_its_own_plane_is(x, z, a, b):
    frame = make_frame()
    heights = a * frame.grid.x[None, :] + b * frame.grid.z[:, None]
    frame = make_frame(heights=heights, bed=np.full((41, 61), -20.0))
    direction = towards((x, 0.0, z))
    t = (a * ABOVE[0] + b * ABOVE[2] - ABOVE[1]) / (direction[1] - a * direction[0] - b * direction[2])
    hit = pick(frame, ABOVE, direction)
    assert (hit.x, hit.y, hit.z) == pytest.approx(tuple(ABOVE + t * direction), abs=1e-5)


@pytest.mark.slow
@given(st.floats(-13.0, 13.0), st.floats(-8.0, 6.9), st.floats(0.1, 3.0), st.floats(2.0, 25.0))
@example(9.0, 4.0, 0.125, 2.0)
@example(2.0, 3.0, 2.9375, 2.875)  # a crest thinner than half a cell
def test_the_hit_lies_on_the_waves_and_nothing_lies_before_it(x, z, wave, height):
    frame = make_frame()
    heights = 0.6 * np.sin(wave * frame.grid.x)[None, :] * np.cos(frame.grid.z)[:, None]
    frame = make_frame(heights=heights)
    origin = np.array((-14.0, height, 7.0))
    direction = towards((x, 0.0, z), origin)
    hit = pick(frame, origin, direction)
    if hit is None:
        # A flat ray may leave the block over a trough.
        reach = min((15.0 - origin[0]) / direction[0], abs((np.sign(direction[2]) * 10.0 - origin[2]) / direction[2]))
    else:
        assert hit.y == pytest.approx(frame.grid.sample(frame.heights, hit.x, hit.z), abs=1e-9)
        reach = np.linalg.norm(np.array((hit.x, hit.y, hit.z)) - origin) / np.linalg.norm(direction)
    for t in np.linspace(0.0, 0.999 * reach, 400):
        px, py, pz = origin + t * direction
        assert py > frame.grid.sample(frame.heights, px, pz) - 1e-9


def hill():
    frame = make_frame()
    bed = -2.0 + 8.0 * np.exp(-((frame.grid.x[None, :] - 4.0) ** 2 + frame.grid.z[:, None] ** 2) / 6.0)
    return make_frame(bed=bed)


def test_ground_in_front_of_the_water_takes_the_ray():
    frame, origin = hill(), (14.0, 4.0, 0.0)
    hit = pick(frame, origin, towards((-8.0, 0.0, 0.0), origin))
    assert hit.kind == "terrain"
    assert hit.x > 4.0
    assert hit.y == pytest.approx(frame.grid.sample(frame.bed, hit.x, hit.z), abs=1e-9)


def test_water_beside_the_hill_is_met():
    origin = (14.0, 4.0, 9.0)
    assert pick(hill(), origin, towards((-8.0, 0.0, 8.0), origin)).kind == "water"


def test_water_under_a_hill_is_never_met():
    hit = pick(hill(), (4.0, 30.0, 0.0), (0.0, -1.0, 0.0))
    assert hit.kind == "terrain" and hit.y == pytest.approx(6.0, abs=1e-6)


@pytest.mark.parametrize(
    ("origin", "direction"),
    [
        (ABOVE, (0.0, 1.0, 0.0)),  # away from the water: pyrr would find the plane behind
        (ABOVE, (1.0, 0.0, 0.0)),  # level, above everything
        (ABOVE, (0.0, 0.0, 0.0)),
        (ABOVE, (math.nan, -1.0, 0.0)),
        ((math.inf, 1.0, 0.0), (0.0, -1.0, 0.0)),
        ((16.0, 5.0, 0.0), (0.0, -1.0, 0.0)),  # beside the grid
        ((2.0, 5.0, -10.1), (0.0, -1.0, 0.0)),
        ((30.0, 1.0, 0.0), (-1.0, -0.5, 0.0)),  # comes to the block below its ground
    ],
)
def test_rays_that_meet_nothing(origin, direction):
    assert pick(make_frame(), origin, direction) is None


def test_the_corners_of_the_grid_belong_to_it():
    frame = make_frame()
    for x, z, cell in ((-15.0, -10.0, (0, 0)), (15.0, 10.0, (60, 40))):
        hit = pick(frame, (x, 3.0, z), (0.0, -1.0, 0.0))
        assert (hit.ix, hit.iz) == cell


def test_the_cut_side_shows_water():
    hit = pick(make_frame(), (30.0, -1.0, 0.0), (-1.0, 0.0, 0.0))
    assert (hit.kind, hit.x, hit.y) == ("water", pytest.approx(15.0), pytest.approx(-1.0))


def test_from_under_water_the_surface_and_the_ground_are_met():
    frame = make_frame()
    assert pick(frame, (0.0, -1.0, 0.0), (0.0, 1.0, 0.0)).y == pytest.approx(0.0)
    assert pick(frame, (0.0, -1.0, 0.0), (0.0, -1.0, 0.0)).kind == "terrain"


def test_whole_numbers_and_any_length_of_direction_are_taken():
    assert pick(make_frame(), (0, 10, 0), (0, -7, 0)).y == pytest.approx(0.0)


def test_the_smallest_grid_can_be_picked():
    hit = pick(make_frame((2, 2), 1.0), (0.0, 5.0, 0.0), (0.0, -1.0, 0.0))
    assert hit.kind == "water" and hit.ix in (0, 1)


def test_still_plane_lies_ahead_only():
    frame = make_frame(level=2.0)
    assert still_plane(frame, np.array([0.0, 5.0, 0.0]), np.array([0.0, -1.0, 0.0])) == pytest.approx(3.0)
    assert still_plane(frame, np.array([0.0, 5.0, 0.0]), np.array([0.0, 1.0, 0.0])) is None
    assert still_plane(frame, np.array([0.0, 5.0, 0.0]), np.array([1.0, 0.0, 0.0])) is None


def test_the_picture_and_the_pick_agree(island):
    view = OrbitCamera.framing(island)
    size = (800, 450)
    for px, py in ((300.0, 240.0), (400.0, 225.0), (500.0, 200.0)):
        hit = pick(island, *view.ray(px, py, size))
        assert view.project((hit.x, hit.y, hit.z), size)[:2] == pytest.approx((px, py), abs=1e-6)


def cube(number, position, scale=(1.0, 1.0, 1.0), rotation=None):
    corners = np.array([[x, y, z] for x in (-0.5, 0.5) for y in (-0.5, 0.5) for z in (-0.5, 0.5)], np.float32)
    quads = [(0, 1, 3, 2), (4, 6, 7, 5), (0, 4, 5, 1), (2, 3, 7, 6), (0, 2, 6, 4), (1, 5, 7, 3)]
    triangles = np.array([t for a, b, c, d in quads for t in ((a, b, c), (a, c, d))], np.uint32)
    mesh = Mesh(corners, corners / np.linalg.norm(corners, axis=1)[:, None], triangles, np.zeros((8, 3), np.uint8))
    rotation = np.eye(3) if rotation is None else rotation
    return BodyState(number, "cube", mesh, np.array(position, float), rotation, np.array(scale, float), 500.0)


def test_the_nearer_of_two_bodies_is_taken_where_the_ray_enters():
    bodies = (cube(1, (0.0, 0.0, -10.0)), cube(2, (0.0, 0.0, -5.0)))
    body, point = pick_body(bodies, (0.1, 0.2, 0.0), (0.0, 0.0, -2.0))
    assert body.number == 2
    assert point == pytest.approx((0.1, 0.2, -4.5))


def test_scale_and_rotation_count():
    quarter = np.array([[0.0, 0.0, 1.0], [0.0, 1.0, 0.0], [-1.0, 0.0, 0.0]])
    long = cube(1, (0.0, 0.0, 0.0), scale=(6.0, 1.0, 1.0), rotation=quarter)
    _, point = pick_body((long,), (0.0, 5.0, 2.9), (0.0, -1.0, 0.0))
    assert point == pytest.approx((0.0, 0.5, 2.9))
    assert pick_body((long,), (2.9, 5.0, 0.0), (0.0, -1.0, 0.0)) is None


@pytest.mark.parametrize("axis", [0, 1, 2])
def test_a_body_is_met_as_it_is_turned_and_not_the_other_way_round(axis):
    """By a third of a right angle about each axis: a box that is turned back instead lies elsewhere."""
    first, second = (axis + 1) % 3, (axis + 2) % 3
    turn = np.eye(3)
    turn[[first, second, first, second], [first, second, second, first]] = (
        np.cos(0.5),
        np.cos(0.5),
        -np.sin(0.5),
        np.sin(0.5),
    )
    along = turn[:, first]  # where the long side of the box points
    box = cube(1, (1.0, 2.0, 3.0), scale=np.where(np.arange(3) == first, 6.0, 1.0), rotation=turn)
    tip = np.array((1.0, 2.0, 3.0)) + 2.9 * along
    for ray in (np.eye(3)[axis], -turn[:, second]):
        found = pick_body((box,), tip - 5.0 * ray, ray)
        assert found is not None and found[1] == pytest.approx(tip - 0.5 * ray)


def test_bodies_behind_or_beside_are_missed():
    bodies = (cube(1, (0.0, 0.0, 5.0)),)
    assert pick_body(bodies, (0.0, 0.0, 0.0), (0.0, 0.0, -1.0)) is None
    assert pick_body(bodies, (2.0, 0.0, 0.0), (0.0, 0.0, 1.0)) is None
    assert pick_body((), (0.0, 0.0, 0.0), (0.0, 0.0, 1.0)) is None


def test_a_part_in_a_coarser_whole_has_no_sides_and_hides_what_the_whole_shows_there():
    whole = make_frame((21, 21), 10.0)
    part = make_frame((21, 21), 1.0, heights=np.full((21, 21), 0.5))
    frame = part.changed(around=whole)
    down = pick(frame, (3.0, 50.0, 4.0), (0.0, -1.0, 0.0))
    assert (down.x, down.y, down.z) == pytest.approx((3.0, 0.5, 4.0))
    beside = pick(frame, (40.0, 50.0, 4.0), (0.0, -1.0, 0.0))
    assert (beside.x, beside.y, beside.z) == pytest.approx((40.0, 0.0, 4.0)) and (beside.ix, beside.iz) == (14, 10)
    # It passes below the surface of the part where that begins, after it has met the whole.
    slanting = pick(frame, (-40.0, 29.5, 0.0), (1.0, -1.0, 0.0))
    assert (slanting.x, slanting.y) == pytest.approx((-10.5, 0.0))
    # It meets the part, and would meet the whole beyond it.
    leaving = pick(frame, (0.0, 5.4, 0.0), (1.0, -0.5, 0.0))
    assert (leaving.x, leaving.y) == pytest.approx((9.8, 0.5))
    assert pick(frame, (0.0, 50.0, 0.0), (0.0, 1.0, 0.0)) is None
