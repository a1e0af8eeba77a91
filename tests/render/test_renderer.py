import dataclasses

import moderngl
import numpy as np
import pytest
from support.scenes import make_frame

from waterview.core.commands import usual_drop
from waterview.render.camera.camera import OrbitCamera
from waterview.render.gbuffer import GBufferPass
from waterview.render.materials import GROUND_SIDE, TERRAIN, WATER_SIDE
from waterview.render.renderer import Renderer
from waterview.render.settings import ViewParams
from waterview.render.water.surface import SurfacePass
from waterview.scene.scene import Scene, SceneParams
from waterview.terrain.library import resolve

SIZE = (320, 180)


class CountingContext:
    """Hands everything on to a context and remembers what was made."""

    def __init__(self, ctx):
        object.__setattr__(self, "inner", ctx)
        object.__setattr__(self, "made", [])

    def __getattr__(self, name):
        value = getattr(self.inner, name)
        if name not in {"texture", "depth_texture", "buffer", "vertex_array", "framebuffer", "program"}:
            return value

        def make(*args, **options):
            self.made.append(value(*args, **options))
            return self.made[-1]

        return make

    def __setattr__(self, name, value):
        setattr(self.inner, name, value)

    def alive(self):
        return [thing for thing in self.made if not isinstance(thing.mglo, moderngl.mgl.InvalidObject)]


@pytest.fixture(scope="module")
def target(context):
    with context:
        framebuffer = context.simple_framebuffer(SIZE)
    yield framebuffer
    with context:
        context.simple_framebuffer((1, 1)).use()
        framebuffer.release()


@pytest.fixture
def draw(ctx, renderers, target):
    def picture(frame, camera=None, quality="low", size=SIZE, **settings):
        renderer = renderers[quality]
        camera = camera or OrbitCamera.framing(frame)
        renderer.render(frame, camera, size, target, ViewParams(quality=quality, **settings))
        assert ctx.error == "GL_NO_ERROR"
        return renderer.snapshot(target, (max(size[0], 1), max(size[1], 1)))

    return picture


def around(picture, camera, point, reach=2):
    """Mean colour of the pixels around a world point."""
    x, y, _ = camera.project(point, SIZE)
    part = picture[round(y) - reach : round(y) + reach + 1, round(x) - reach : round(x) + reach + 1]
    return part.reshape(-1, 3).mean(axis=0)


@pytest.mark.slow
@pytest.mark.parametrize("quality", ["low", "medium", "high"])
def test_every_tier_shows_water_where_water_is_and_land_where_land_is(draw, island, quality):
    camera = OrbitCamera.framing(island)
    # Sun from behind the viewer: land in the shade is as blue as the sky.
    picture = draw(island, camera, quality, sun_azimuth=np.degrees(camera.azimuth) % 360.0)
    assert picture.shape == (180, 320, 3) and picture.dtype == np.uint8
    assert 20 < picture.mean() < 220
    for x, z in ((-14.0, -12.0), (-24.0, 12.0), (22.0, 12.0)):
        red, green, blue = around(picture, camera, (x, 0.0, z))
        assert blue > green > red and blue > red + 40
    for x, z in ((6.0, -2.0), (4.0, 1.0)):
        y = island.grid.sample(island.bed, x, z)
        red, _, blue = around(picture, camera, (x, y, z), 1)
        assert blue < red + 20


@pytest.mark.slow
@pytest.mark.parametrize("quality", ["low", "medium", "high"])
def test_where_ground_and_water_are_cut_no_lip_of_ground_shows(draw, renderers, quality):
    """Ground that water covers everywhere is seen through water only: its own colour would be a bright line."""
    x, z = np.linspace(-1.0, 1.0, 91)[None, :], np.linspace(-1.0, 1.0, 65)[:, None]
    bed = -4.0 + 1.5 * np.sin(5.0 * x) * np.cos(4.0 * z) + 0.7 * np.sin(17.0 * x + 3.0 * z)
    frame = make_frame(bed.shape, bed=bed, heights=0.3 * np.sin(9.0 * x + 1.0) * np.cos(7.0 * z))
    camera = OrbitCamera.framing(frame)
    ground, cut, mixed = 0, 0, 0
    for azimuth, elevation, distance in ((-0.6, 0.3, 20.0), (0.3, 0.9, 12.0), (1.2, 0.5, 60.0), (2.5, 0.15, 8.0)):
        camera.azimuth, camera.elevation, camera.distance = azimuth, elevation, distance
        camera.target = (22.0 * np.sign(np.sin(azimuth)), 0.0, 16.0 * np.sign(np.cos(azimuth)))
        draw(frame, camera, quality, surroundings="floor")
        marks = renderers[quality].find(GBufferPass).materials()[::-1]
        ground, cut = ground + np.count_nonzero(marks == TERRAIN), cut + np.count_nonzero(marks == WATER_SIDE)
        mixed += np.count_nonzero((marks[:-1] == GROUND_SIDE) & (marks[1:] == WATER_SIDE))
    assert cut > 10_000
    assert ground < 0.001 * cut
    assert mixed <= 1  # nor water on the cut ground


@pytest.mark.slow
def test_tiers_agree_on_the_picture(draw, island):
    low, medium, high = (draw(island, quality=quality).astype(float) for quality in ("low", "medium", "high"))
    assert np.abs(low - medium).mean() < 10.0
    assert np.abs(high - medium).mean() < 8.0


@pytest.mark.slow
def test_the_same_frame_gives_the_same_bytes(ctx, draw, island, target):
    first = draw(island, quality="medium")
    draw(make_frame(), quality="medium")
    np.testing.assert_array_equal(draw(island, quality="medium"), first)
    other = Renderer(ctx, ViewParams(quality="medium"))
    other.render(island, OrbitCamera.framing(island), SIZE, target)
    np.testing.assert_array_equal(other.snapshot(target, SIZE), first)
    other.release()


@pytest.mark.slow
def test_waves_change_the_picture_where_they_are(draw, island):
    calm = dataclasses.replace(island, serial=99, heights=0 * island.heights, normals=0 * island.normals)
    camera = OrbitCamera.framing(island)
    changed = np.abs(draw(island, camera).astype(int) - draw(calm, camera).astype(int)).sum(axis=2)
    ring = around(changed[..., None].repeat(3, 2), camera, (-18.0, 0.0, 6.0), 10)[0]
    far = around(changed[..., None].repeat(3, 2), camera, (24.0, 0.0, -14.0), 4)[0]
    assert ring > 6.0 and far < 0.25 * ring


@pytest.mark.slow
def test_frames_are_uploaded_once(ctx, target, island):
    renderer = Renderer(ctx, ViewParams(quality="low"))
    camera = OrbitCamera.framing(island)
    for _ in range(3):
        renderer.render(island, camera, SIZE, target)
        camera.orbit(10.0, 0.0, SIZE)
    assert renderer.find(SurfacePass).uploads == 1
    renderer.render(dataclasses.replace(island, serial=island.serial + 1), camera, SIZE, target)
    assert renderer.find(SurfacePass).uploads == 2
    renderer.release()


@pytest.mark.slow
def test_terrains_of_other_shapes_follow_each_other(draw, island):
    first = draw(island)
    for shape in ((2, 2), (2, 40), (40, 2), (17, 90)):
        random = np.random.default_rng(1)
        picture = draw(make_frame(shape, 1.0, bed=random.normal(size=shape)), size=(96, 54))
        assert picture.std() > 3.0
    np.testing.assert_array_equal(draw(island), first)


@pytest.mark.slow
def test_a_change_of_level_floods_the_land(draw):
    bed = np.tile(np.linspace(-4.0, 4.0, 61), (41, 1))
    camera = OrbitCamera.framing(make_frame(bed=bed))
    dry, wet = draw(make_frame(bed=bed), camera), draw(make_frame(bed=bed, level=3.9), camera)
    point = (6.0, 1.6, 0.0)
    before, after = around(dry, camera, point), around(wet, camera, (6.0, 3.9, 0.0))
    assert before[0] > before[2]
    assert after[2] > after[0]


@pytest.mark.slow
@pytest.mark.parametrize("depth", [-3.0, 5.0])
def test_all_land_and_all_water(draw, depth):
    bed = np.full((20, 30), -depth) + np.random.default_rng(2).normal(0.0, 0.1, (20, 30))
    frame = make_frame((20, 30), 1.0, bed=bed)
    camera = OrbitCamera.framing(frame)
    red, _, blue = around(draw(frame, camera), camera, (0.0, max(0.0, -depth), 0.0), 8)
    assert (blue > red + 20) == (depth > 0.0)


@pytest.mark.slow
def test_flat_ground_exactly_at_the_water_level(draw):
    assert draw(make_frame(bed=np.zeros((41, 61)))).std() > 3.0


@pytest.mark.slow
@pytest.mark.parametrize("size", [(0, 0), (1, 1), (1, 50), (50, 1), (7, 3)])
def test_tiny_pictures(draw, island, size):
    assert draw(island, size=size).shape == (max(size[1], 1), max(size[0], 1), 3)


@pytest.mark.slow
@pytest.mark.parametrize("elevation", [0.01, 0.5, np.pi / 2])
@pytest.mark.parametrize("distance", [0.5, 30.0, 200.0])
def test_no_view_is_black_or_broken(draw, island, elevation, distance):
    camera = OrbitCamera.framing(island)
    camera.elevation, camera.distance, camera.target = elevation, distance, (-10.0, 0.0, 5.0)
    camera.keep_above(island)
    assert draw(island, camera, "medium").mean() > 10.0


@pytest.mark.slow
def test_scenes_look_alike_at_any_scale(draw):
    x, z = np.linspace(-1.0, 1.0, 61)[None, :], np.linspace(-1.0, 1.0, 41)[:, None]
    bed = -0.1 + 0.3 * np.exp(-8.0 * (x**2 + z**2))
    sizes = 0.01, 1000.0
    # Optics of `auto` are those of metres of sea where it is deep, and air is that of metres.
    small, large = (
        draw(make_frame(spacing=s, bed=bed * 30.0 * s), water="sea", snow_line=10000.0, air=0.0).astype(float)
        for s in sizes
    )
    assert np.abs(small - large).mean() < 2.0


@pytest.mark.slow
def test_wireframe_shows_edges_only(draw, island):
    camera = OrbitCamera.framing(island)
    camera.distance = 12.0
    full, edges = draw(island, camera), draw(island, camera, wireframe=True)
    assert np.abs(full.astype(int) - edges.astype(int)).mean() > 5.0
    np.testing.assert_array_equal(draw(island, camera), full)


@pytest.mark.slow
def test_exposure_brightens(draw, island):
    means = [draw(island, exposure=stops).mean() for stops in (-2.0, 0.0, 2.0)]
    assert means[0] < means[1] - 10 < means[2] - 20


@pytest.mark.slow
def test_the_sun_moves_the_shadows(draw, island):
    camera = OrbitCamera.framing(island)
    west, east = (draw(island, camera, sun_azimuth=azimuth).astype(int) for azimuth in (270.0, 90.0))
    assert np.abs(west - east).mean() > 4.0


@pytest.mark.slow
def test_clear_water_shows_more_of_the_ground(draw):
    x, z = np.meshgrid(np.arange(61), np.arange(41))
    frame = make_frame(bed=-2.0 + 0.5 * np.sin(x * 0.6) * np.sin(z * 0.6))
    camera = OrbitCamera.framing(frame)
    camera.elevation, camera.distance = np.pi / 2, 25.0
    murky, clear = (draw(frame, camera, clarity=clarity).astype(float)[70:110, 130:190] for clarity in (0.1, 10.0))
    assert clear.std(axis=(0, 1)).mean() > 3.0 * murky.std(axis=(0, 1)).mean()


def test_the_snapshot_begins_with_the_top_row(ctx, renderers):
    framebuffer = ctx.simple_framebuffer((6, 4))
    framebuffer.clear(0.0, 0.0, 1.0)
    framebuffer.clear(1.0, 0.0, 0.0, viewport=(0, 2, 6, 2))
    picture = renderers["low"].snapshot(framebuffer, (6, 4))
    assert (picture[:2] == (255, 0, 0)).all() and (picture[2:] == (0, 0, 255)).all()
    ctx.simple_framebuffer((1, 1)).use()
    framebuffer.release()


@pytest.mark.slow
def test_auto_follows_the_time_between_frames(ctx, target, island):
    renderer = Renderer(ctx)
    assert renderer.tier.name == "low"  # this machine draws in software
    camera = OrbitCamera.framing(island)
    for _ in range(20):
        renderer.render(island, camera, (32, 18), target, seconds=0.001)
    assert renderer.tier.name == "medium"
    renderer.render(island, camera, (32, 18), target, ViewParams(quality="low"))
    assert renderer.tier.name == "low"
    renderer.release()


@pytest.mark.slow
def test_nothing_is_left_behind(ctx, target, island):
    counting = CountingContext(ctx)
    renderer = Renderer(counting, ViewParams(quality="low"))
    frames = island, make_frame((30, 20), 0.3), make_frame((30, 20), 0.3, level=0.5, bed=np.zeros((30, 20)))

    def draw_all(quality="low"):
        for frame in frames:
            for size in ((64, 36), (36, 64)):
                settings = ViewParams(quality=quality, sun_elevation=40.0)
                renderer.render(frame, OrbitCamera.framing(frame), size, target, settings)

    draw_all("medium")
    draw_all()
    count = len(counting.alive())
    draw_all("medium")
    draw_all()
    assert len(counting.alive()) == count > 20
    renderer.release()
    assert counting.alive() == []
    assert ctx.error == "GL_NO_ERROR"


@pytest.fixture(scope="module")
def basin_frames():
    """The empty basin at rest, and 0.6 s after a click into its middle."""
    world = Scene(resolve("basin").load(), SceneParams(grid=128)).make_world()
    still = world.publish(1)
    world.apply(usual_drop(still.grid, 0.0, 0.0))
    while world.water.time < 0.6:
        world.step()
    return still, world.publish(2)


@pytest.mark.slow
@pytest.mark.parametrize("quality", ["low", "medium", "high"])
def test_the_ring_of_a_drop_is_seen_in_the_basin_at_every_quality(draw, basin_frames, quality):
    still, moved = (draw(frame, OrbitCamera.framing(frame), quality).astype(float) for frame in basin_frames)
    change = np.abs(moved - still).max(axis=-1)
    assert np.mean(change > 25.0) > 0.003, "a tenth of full brightness, over as much as a word in a line of text"


@pytest.mark.parametrize("software", [True, False])
def test_freed_memory_is_kept_for_software_opengl_only(ctx, monkeypatch, software):
    kept = []
    monkeypatch.setattr("waterview.render.renderer.is_software", lambda ctx: software)
    monkeypatch.setattr("waterview.render.renderer.keep_freed_memory", lambda: kept.append(True))
    Renderer(ctx, ViewParams(quality="low")).release()
    assert kept == [True] * software


@pytest.mark.parametrize(("points", "pool", "natural"), [(257, 768, 1024), (900, 900, 1024), (1500, 1024, 1024)])
def test_a_pool_has_a_smaller_map_of_waves_but_none_coarser_than_its_grid(draw, renderers, points, pool, natural):
    frame = make_frame((33, points), 0.05, bed=np.full((33, points), -1.5))
    for look, texels in (("pool", pool), ("natural", natural), ("pool", pool)):
        frame = dataclasses.replace(frame, serial=frame.serial + 1)  # while it is drawn
        picture = draw(frame, quality="high", look=look)
        assert renderers["high"].textures["waves"].width == texels
        assert picture.std() > 5.0
