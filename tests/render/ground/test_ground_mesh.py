"""The ground seen closely."""

import numpy as np
import pytest
from support.scenes import make_frame

from waterview.cli.arguments import SceneArguments
from waterview.cli.scene_setup import set_up_scene
from waterview.render.camera.bounds import Bounds
from waterview.render.camera.camera import OrbitCamera, lowest_eye
from waterview.render.ground.ground_mesh import NearbyGround
from waterview.render.quality import TIERS
from waterview.render.renderer import Renderer
from waterview.render.settings import ViewParams


@pytest.mark.slow
def test_grain_on_a_cliff_is_as_fine_up_and_down_as_along_it(drawing):
    z = np.linspace(-30.0, 30.0, 121)[:, None]
    bed = np.broadcast_to(np.clip(-3.0 * z, -4.0, 60.0), (121, 121))
    frame = make_frame((121, 121), 0.5, bed=bed)
    camera = OrbitCamera(Bounds.of(frame), (0.0, 30.0, -10.0), 14.0, azimuth=0.0, elevation=0.0)
    draw = drawing((256, 256), quality="medium", sun_azimuth=0.0, sun_elevation=30.0)
    cliff = draw(frame, camera).mean(axis=-1)[64:192, 64:192]
    along, down = (np.diff(cliff, axis=axis).std() for axis in (1, 0))
    # The cliff leans back, and what is seen of it is drawn together by 3/√10.
    assert 0.8 < down / along < 1.4, "laid on from above alone, grain is three times as long as wide"
    assert along > 1.0


@pytest.mark.slow
def test_land_near_the_eye_is_no_blur_in_low(drawing):
    x = np.linspace(-200.0, 200.0, 101)
    frame = make_frame((101, 101), 4.0, bed=np.broadcast_to(8.0 + 0.06 * x, (101, 101)))
    draw = drawing((128, 128), look="natural", sun_elevation=60.0)
    near, far = (
        draw(frame, OrbitCamera(Bounds.of(frame), (80.0, 13.0, 0.0), away, azimuth=0.0, elevation=1.5)).mean(axis=-1)
        for away in (14.0, 400.0)
    )
    # A texel of the baked maps is ten pixels wide here.
    assert np.diff(near, axis=1).std() > 0.4 * np.diff(far[32:96, 32:96], axis=1).std()


@pytest.mark.slow
def test_land_near_the_eye_is_no_blur_in_low_where_the_scene_is_large(drawing):
    frame = make_frame((101, 101), 40.0, bed=np.full((101, 101), 8.0))
    camera = OrbitCamera(Bounds.of(frame), (0.0, 8.0, 0.0), 12.0, azimuth=0.0, elevation=1.5)
    near = drawing((128, 128), look="natural", sun_elevation=60.0)(frame, camera).mean(axis=-1)
    # The coarsest grain alone has texels of 0.27 m here, 25 pixels.
    assert np.diff(near, axis=1).std() > 0.145 * near.std()


@pytest.mark.slow
def test_there_is_no_edge_in_low_where_the_sides_change_from_which_grain_is_laid_on(drawing):
    x = np.linspace(-40.0, 40.0, 161)
    cone = np.clip(50.0 - 2.0 * np.hypot(x, x[:, None]), -4.0, 50.0)
    frame = make_frame((161, 161), 0.5, bed=cone)
    target = 10.0 * np.array((np.sin(np.pi / 4), 0.0, np.cos(np.pi / 4))) + (0.0, 30.0, 0.0)
    draw = drawing((256, 256), look="natural", sun_azimuth=45.0, sun_elevation=40.0, surroundings="floor")
    spikes = []
    for azimuth in np.radians((45.0, 46.0, 44.0)):
        camera = OrbitCamera(Bounds.of(frame), tuple(target), 5.0, azimuth=azimuth, elevation=0.1)
        steps = np.abs(np.diff(draw(frame, camera).mean(axis=-1), axis=1))[64:192, 64:192].mean(axis=0)
        spikes.append(steps.max() / np.median(steps))
    assert np.median(spikes) < 1.8, "an edge in the middle is as high as two steps of grain"


@pytest.mark.slow
def test_the_bottom_of_a_valley_sees_the_sky_above_its_horizon(ctx):
    x = np.linspace(-100.0, 100.0, 201)
    frame = make_frame((201, 201), 1.0, level=-50.0, bed=np.broadcast_to(np.abs(x), (201, 201)))
    renderer = Renderer(ctx, ViewParams(quality="low", look="natural", surroundings="floor"))
    target = ctx.simple_framebuffer((32, 32))
    try:
        renderer.render(frame, OrbitCamera.framing(frame), (32, 32), target)
        relief = renderer.textures["relief_map"]
        data = np.frombuffer(relief.read(), np.float16).reshape(*relief.size[::-1], 4)
        middle = data[relief.size[1] // 2, relief.size[0] // 2, 3]
    finally:
        renderer.release()
        target.release()
    # tan h = |cos φ| in direction φ, and the mean of cos² h is 1/√2; the valley ends at the block's sides.
    assert float(middle) == pytest.approx(np.sqrt(0.5), abs=0.03)


def sun_on(ctx, frame):
    """Share of the sun that ground in the middle row sees; it stands 30° high where x is positive."""
    settings = {"look": "natural", "surroundings": "floor", "sun_azimuth": 90.0, "sun_elevation": 30.0}
    renderer, target = Renderer(ctx, ViewParams(quality="low", **settings)), ctx.simple_framebuffer((32, 32))
    try:
        renderer.render(frame, OrbitCamera.framing(frame), (32, 32), target)
        relief = renderer.textures["relief_map"]
        data = np.frombuffer(relief.read(), np.float16).reshape(*relief.size[::-1], 4)
        return data[relief.size[1] // 2, :, 2].astype(float)
    finally:
        renderer.release()
        target.release()


@pytest.mark.slow
def test_ground_below_the_water_level_is_in_the_shade_of_land_above_it(ctx):
    """It may be dry: behind a dam, or where the sea draws back."""
    x = np.linspace(-30.0, 30.0, 241)
    bed = np.broadcast_to(np.where(x > 15.0, 20.0, -4.0), (241, 241))
    sun = sun_on(ctx, make_frame((241, 241), 0.25, bed=bed))
    places = np.interp(np.arange(len(sun)) + 0.5, (0, len(sun)), (-30.25, 30.25))
    assert sun[(places > -12.0) & (places < 13.0)].max() < 0.1


@pytest.mark.slow
@pytest.mark.parametrize(("top", "end"), [(-1.0, 1.0), (2.0, 0.9)])
def test_a_wall_under_water_keeps_the_sun_from_the_ground_behind_it(ctx, top, end):
    """As far as the sun, refracted, stands low; where the ray comes out of a dry wall, the caustic map tells."""
    x = np.linspace(-30.0, 30.0, 241)
    frame = make_frame((241, 241), 0.25, bed=np.broadcast_to(np.where(np.abs(x) < 0.5, top, -6.0), (241, 241)))
    sun = sun_on(ctx, frame)
    behind = -0.5 - np.interp(np.arange(len(sun)) + 0.5, (0, len(sun)), (-30.25, 30.25))
    sideways = np.cos(np.radians(30.0)) / 1.333
    reach = (min(top, 0.0) + 6.0) * sideways / np.sqrt(1.0 - sideways**2)
    assert sun[(behind > 0.6) & (behind < end * reach - 0.5)].max() < 0.1
    assert sun[(behind > reach + 1.5) & (behind < 20.0)].min() > 0.9
    assert sun[(behind < -1.8) & (behind > -20.0)].min() > 0.9


@pytest.mark.slow
@pytest.mark.parametrize("quality", ["low", "medium", "high"])
def test_an_eye_as_low_as_may_be_is_above_the_mesh_of_a_fjord(quality):
    """Far away, rough land is drawn metres from its heights, most of all where it is high."""
    setup = set_up_scene(SceneArguments(declared={"grid": 256}, heightmap="fjord"))
    frame = setup.scene.make_world().publish(1)
    bounds = Bounds.of(frame)
    ground = NearbyGround(frame, bounds, TIERS[quality].ground_points)
    chance, above = np.random.default_rng(1), []
    for x, z in chance.uniform(np.array(bounds.low)[[0, 2]], np.array(bounds.high)[[0, 2]], (300, 2)):
        lowest = lowest_eye(frame, np.array((x, 0.0, z)), bounds, dry=False)
        above.append(lowest - height_on(*ground.seen_from(np.array((x, lowest, z))), x, z))
    assert min(above) > 0.5 * bounds.clearance


def height_on(points, triangles, x, z):
    """Height of a mesh under a place [m]."""
    a, b, c = (points[triangles[:, i]].astype(float) - (x, 0.0, z) for i in range(3))
    shares = np.stack([p[:, 2] * q[:, 0] - p[:, 0] * q[:, 2] for p, q in ((b, c), (c, a), (a, b))])
    shares /= shares.sum(axis=0)
    inside = shares.min(axis=0).argmax()
    return float(sum(share[inside] * p[inside, 1] for share, p in zip(shares, (a, b, c), strict=True)))
