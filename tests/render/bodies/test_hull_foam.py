"""Foam where the hulls of moving bodies meet the water."""

import dataclasses

import numpy as np
import pytest
from support.scenes import make_frame

from waterview.bodies.kinds import shape_of
from waterview.core.body import BodyState, Mesh
from waterview.render.bodies.hull_foam import moving_hulls
from waterview.render.camera.camera import OrbitCamera
from waterview.render.renderer import Renderer
from waterview.render.settings import ViewParams
from waterview.render.water.spray import SprayPass
from waterview.render.water.surface import SurfacePass

HALF = 10.0
"""Half the sea's shorter side [m]."""
CORNERS = np.array([(x, y, z) for x in (-0.5, 0.5) for y in (-0.5, 0.5) for z in (-0.5, 0.5)], np.float32)
FACES = ((0, 1, 3, 2), (4, 6, 7, 5), (0, 4, 5, 1), (2, 3, 7, 6), (0, 2, 6, 4), (1, 5, 7, 3))
BOX = Mesh(
    CORNERS,
    CORNERS / np.linalg.norm(CORNERS, axis=1, keepdims=True),
    np.array([corner for a, b, c, d in FACES for corner in ((a, b, c), (a, c, d))], np.uint32),
    np.full((8, 3), 200, np.uint8),
)


def barge(x, y=0.0, size=4.0, number=1):
    return BodyState(number, "box", BOX, np.array((x, y, 0.0)), np.eye(3), np.full(3, size), 500.0)


def test_only_hulls_that_move_leave_foam_the_faster_the_more():
    still, drifting, sailing, bobbing = barge(0.0), barge(0.2, number=2), barge(1.3, number=3), barge(0, 2.0, number=4)
    before = {body.number: barge(0.0, number=body.number) for body in (still, drifting, sailing, bobbing)}
    hulls = moving_hulls((still, drifting, sailing, bobbing, barge(9.0, number=5)), before, 0.5, texel=0.1)
    ((x, z, half, foam, row, reach, *course, speed),) = hulls
    assert course == pytest.approx((1.0, 0.0)) and speed == pytest.approx(2.6)
    assert (x, z, row) == pytest.approx((1.3, 0.0, 2.0))
    assert half > 4.0 and reach == pytest.approx(0.2)
    # Froude number 2.6 / √(9.81 · 4) = 0.415: as much as can be, 3 a second.
    assert foam == pytest.approx(1.5)
    assert moving_hulls((sailing,), before, 1.0, texel=0.1)[0, 3] == pytest.approx(3.0 * (0.2075 - 0.1) / 0.3, rel=1e-2)
    assert len(moving_hulls((sailing,), before, 0.0, texel=0.1)) == 0


def test_what_the_water_carries_leaves_no_foam_and_what_it_passes_does():
    """The speed that counts is that through the water."""
    carried, moored = (
        dataclasses.replace(barge(x, number=number), flow=np.array((2.5, 0.3, 0.0)))
        for number, x in enumerate((1.25, 0.0))
    )
    hulls = moving_hulls((carried, moored), {body.number: barge(0.0) for body in (carried, moored)}, 0.5, texel=0.1)
    np.testing.assert_allclose(hulls[:, [0, 4]], [(0.0, 1.0)])


@pytest.mark.slow
def test_foam_lies_along_the_line_where_the_hull_meets_the_water(ctx):
    """A barge sails east: foam grows before and behind it and is left there, and there is little at its sides."""
    renderer = Renderer(ctx, ViewParams(quality="low", water="sea"))
    first = make_frame((81, 121), 0.25)
    for number in range(12):
        body = barge(-3.0 + 0.3 * number)
        frame = dataclasses.replace(first, serial=number, time=0.1 * number, bodies=(body,))
        renderer.render(frame, OrbitCamera.framing(frame), (64, 36), ctx.rest)
        if number == 2:
            early = foam_along_x(renderer)
    late, all_of_it = foam_along_x(renderer), foam_map(renderer)
    ctx.rest.use()
    renderer.release()
    x = np.linspace(-15.0, 15.0, len(late))
    hull = 0.3
    assert late[np.abs(x - (hull + 2.0)) < 0.1].min() > 0.2  # at the bow
    assert late[np.abs(x - (hull - 2.0)) < 0.1].min() > 0.3  # at the stern
    assert late[(x > hull - 4.0) & (x < hull - 2.5)].min() > 0.3  # and behind it
    assert late[(x > hull + 2.6) | (x < -6.5)].max() < 0.01
    beside = all_of_it[:, np.abs(x - hull) < 1.0][np.abs(np.abs(np.linspace(-10.0, 10.0, len(all_of_it))) - 2.2) < 0.3]
    assert beside.max() < 0.5 * late[(x > hull - 4.0) & (x < hull - 2.5)].min()
    assert early[np.abs(x + 2.4) < 1.0].max() < 0.01  # none inside, before the stern has passed


@pytest.mark.slow
def test_foam_astern_climbs_the_hull(drawing):
    """Seen from astern, on a barge that moves through the water and on one that goes with it."""
    draw, first, climbed = drawing((160, 90), water="sea"), make_frame((81, 121), 0.25), []
    dark = dataclasses.replace(BOX, colours=np.full((8, 3), 40, np.uint8))
    for serial, flow in ((0, None), (100, np.array((3.0, 0.0, 0.0)))):
        for number in range(12):
            body = dataclasses.replace(barge(-3.0 + 0.3 * number), mesh=dark, flow=flow)
            frame = dataclasses.replace(first, serial=serial + number, time=serial + 0.1 * number, bodies=(body,))
            camera = OrbitCamera.framing(frame)
            camera.target, camera.distance = (body.position[0] - 2.0, 0.1, 0.0), 2.5
            camera.azimuth, camera.elevation = np.radians(270.0), np.radians(4.0)
            picture = draw(frame, camera)
        stern = body.position[0] - 2.0
        rows = [camera.project((stern, y, 0.0), (160, 90))[1] for y in (0.4, 0.04)]
        columns = [camera.project((stern, 0.1, z), (160, 90))[0] for z in (-0.7, 0.7)]
        above, at_waterline = (picture[round(row), round(min(columns)) : round(max(columns)), 1].mean() for row in rows)
        climbed.append(at_waterline / above)
    assert climbed[0] > 2.0 * climbed[1]


@pytest.mark.slow
@pytest.mark.parametrize("pictures", [15, 60])
def test_a_bow_throws_foam_aside_along_the_hull(ctx, pictures):
    """However many pictures are drawn: dense at the shoulder, farther out and thinner aft, none before the stem."""
    renderer = sail(ctx, 3.0, pictures)
    x, beside = foam_beside(renderer)
    drops = renderer.find(SprayPass).particles()[:, 3]
    ctx.rest.use()
    renderer.release()
    assert max(foam.max() for at, foam in zip(x, beside, strict=True) if at > 2.65) < 0.02  # the stem is at 2.24
    at_bow, at_shoulder, at_stern, behind = (beside[np.abs(x - at).argmin()] for at in (1.6, 0.4, -1.6, -4.0))
    outermost = [np.flatnonzero(foam > 0.25)[-1] * HALF / len(foam) for foam in (at_bow, at_shoulder, at_stern)]
    assert outermost[0] > 0.5 and outermost[1] > outermost[0] + 0.15 and outermost[2] > outermost[1] + 0.05
    assert outermost[2] > 0.72 + 0.15  # half the beam, and well outside of it
    outside = [foam[int(0.75 / HALF * len(foam)) :].max() for foam in (at_shoulder, at_stern, behind)]
    assert outside[0] > 0.5 and outside[1] > 0.5 and outside[2] < 0.7 * outside[1]
    assert not drops.any()  # foam that runs aside is not born there: it throws up no spray


@pytest.mark.slow
def test_a_bow_throws_as_much_foam_however_many_pictures_are_drawn(ctx):
    thrown = []
    for pictures in (15, 30, 60):
        renderer = sail(ctx, 3.0, pictures)
        x, beside = foam_beside(renderer)
        ctx.rest.use()
        renderer.release()
        thrown.append(beside[np.abs(x) < 1.0][:, int(0.8 / HALF * beside.shape[1]) :].mean())
    assert max(thrown) < 1.2 * min(thrown)


@pytest.mark.slow
def test_a_slow_bow_throws_little_foam(ctx):
    thrown = []
    for speed in (1.0, 2.0, 3.0):
        renderer = sail(ctx, speed, 15)
        x, beside = foam_beside(renderer)
        ctx.rest.use()
        renderer.release()
        thrown.append(beside[np.abs(x) < 1.0][:, int(0.8 / HALF * beside.shape[1]) :].mean())
    assert thrown[0] < 0.3 * thrown[1] and thrown[1] < 0.7 * thrown[2]


@pytest.mark.slow
def test_the_wake_astern_outlasts_the_foam_that_the_bow_has_thrown_aside(ctx):
    """Of foam that just covered the water a twentieth would be left after 6 s, of the wake about half."""
    left = []
    for seconds in (0, 6):
        renderer = sail(ctx, 3.0, 10, seconds)
        x, beside = foam_beside(renderer)
        ctx.rest.use()
        renderer.release()
        aside = beside[np.abs(x) < 1.0][:, int(0.8 / HALF * beside.shape[1]) :]
        left.append((beside[np.abs(x + 3.5).argmin(), 0], aside.max()))
    (astern_then, aside_then), (astern, aside) = left
    assert astern_then > 1.0 and 0.3 < astern < 0.7
    assert aside_then > 0.5 and aside < 0.1 * aside_then


def foam_beside(renderer):
    """Places x along the middle, and foam on the way from it to the south there."""
    foam = foam_map(renderer)
    return np.linspace(-15.0, 15.0, foam.shape[1]), foam[len(foam) // 2 :].T


def sail(ctx, speed, pictures, lying=0):
    """Renderer of a sea on which a boat of 4 m has sailed east for 2 s, to 0, and then lain there for some more."""
    renderer = Renderer(ctx, ViewParams(quality="medium", water="sea"))
    first, boat = make_frame((81, 121), 0.25), shape_of("boat").visual_mesh
    for number in range((2 + lying) * pictures + 1):
        time = number / pictures
        place = np.array((speed * min(time - 2.0, 0.0), -0.35, 0.0))
        body = BodyState(1, "boat", boat, place, np.eye(3), np.full(3, 4.0), 500.0)
        frame = dataclasses.replace(first, serial=number, time=time, bodies=(body,))
        renderer.render(frame, OrbitCamera.framing(frame), (64, 36), ctx.rest)
    return renderer


@pytest.mark.slow
def test_the_wake_of_a_boat_is_finite_beside_a_ball(ctx):
    """The ball's volume lies on the boat's: nothing of it is seen above the boat's highest points."""
    renderer = Renderer(ctx, ViewParams(quality="low", water="sea"))
    first = make_frame((81, 121), 0.25)
    boat, ball = shape_of("boat").visual_mesh, shape_of("sphere").visual_mesh
    for number in range(3):
        bodies = (
            BodyState(1, "boat", boat, np.array((0.3 * number, -0.4, 0.0)), np.eye(3), np.full(3, 4.0), 500.0),
            BodyState(2, "sphere", ball, np.array((8.0, 0.0, 0.0)), np.eye(3), np.full(3, 1.0), 500.0),
        )
        frame = dataclasses.replace(first, serial=number, time=0.1 * number, bodies=bodies)
        renderer.render(frame, OrbitCamera.framing(frame), (64, 36), ctx.rest)
    foam = foam_map(renderer)
    ctx.rest.use()
    renderer.release()
    assert np.isfinite(foam).all() and foam.max() > 0.1


def foam_map(renderer):
    """Foam in the map of waves, from west to east and from north to south."""
    texture = renderer.find(SurfacePass).waves
    width, height = texture.size
    return np.frombuffer(texture.read(), np.float16).reshape(height, width, 4)[..., 3].astype(float)


def foam_along_x(renderer):
    """The same along the middle."""
    foam = foam_map(renderer)
    return foam[len(foam) // 2]
