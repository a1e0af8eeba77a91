"""Rock is grey, lies in beds, and has neither the white of snow nor black spots."""

import math

import numpy as np
import pytest
from PIL import Image
from support.scenes import make_frame

from waterview.render.camera.bounds import Bounds
from waterview.render.camera.camera import OrbitCamera
from waterview.render.renderer import Renderer
from waterview.render.settings import ViewParams

SIZE = (160, 90)
LUMINANCE = np.array([0.2126, 0.7152, 0.0722])
SAND = LUMINANCE @ (0.60, 0.52, 0.38)
"""What dry sand reflects (shaders/ground_maps.frag)."""


def cliff():
    """Beach along the south, and behind it a wall of rock 65 m high."""
    z = np.linspace(-100.0, 100.0, 201)
    heights = np.interp(z, [-20.0, 10.0, 60.0, 100.0], [70.0, 5.0, 0.5, -3.0])
    return make_frame((201, 201), 1.0, bed=np.broadcast_to(heights[:, None], (201, 201)))


@pytest.fixture(params=["low", "high"])
def drawn(ctx, request):
    """The cliff from the south, the sun from the side: its picture, and the maps of colours and of slopes."""
    settings = ViewParams(quality=request.param, auto_exposure=False, look="natural", surroundings="floor", trees=False)
    settings = settings.changed(snow_line=1e4, sun_elevation=50.0, sun_azimuth=100.0)
    renderer, target = Renderer(ctx, settings), ctx.simple_framebuffer(SIZE)
    frame = cliff()
    camera = OrbitCamera(Bounds.of(frame), (0.0, 38.0, -5.0), 120.0, 0.0, 0.4, 0.35)
    renderer.render(frame, camera, SIZE, target)
    maps = [
        np.frombuffer(renderer.textures[name].read(alignment=1), kind).reshape(*renderer.textures[name].size[::-1], 4)
        for name, kind in (("albedo_map", np.uint8), ("relief_map", np.float16))
    ]
    picture = renderer.snapshot(target, SIZE) / 255.0
    yield picture, maps[0] / 255.0, maps[1].astype(float)
    renderer.release()
    target.release()


def test_rock_reflects_as_much_as_weathered_limestone_and_granite_do(drawn):
    _, albedo, _ = drawn
    rock = albedo[albedo[..., 3] > 0.98][:, :3]
    assert len(rock) > 1000
    light = rock @ LUMINANCE
    assert 0.18 < light.mean() < 0.26
    assert light.min() > 0.12 and light.max() < 0.32
    assert np.ptp(rock.mean(axis=0)) < 0.15 * light.mean(), "grey"
    assert light.mean() < 0.45 * SAND


def test_rock_lies_in_beds(drawn):
    _, albedo, relief = drawn
    rows = np.linspace(-100.0, 100.0, len(albedo))
    wall = (rows > -16.0) & (rows < 6.0)
    for field in (albedo[wall][..., :3] @ LUMINANCE, relief[wall][..., 1]):
        along, up = (np.std(np.diff(field, axis=axis)) for axis in (1, 0))
        assert up > 1.5 * along


@pytest.mark.parametrize("quality", ["low", "medium", "high"])
def test_no_texel_of_a_wall_differs_from_the_next_by_chance(ctx, quality):
    """Down a wall the map's texels are drawn out to dark strokes. Of level ground they are as they were."""
    renderer, target = Renderer(ctx, ViewParams(quality=quality)), ctx.simple_framebuffer(SIZE)
    chance = []
    for steepness in (0.3, 4.0):
        south = np.linspace(-20.0, 20.0, 201)
        frame = make_frame((201, 201), 0.2, bed=np.broadcast_to((-1.0 - steepness * south)[:, None], (201, 201)))
        renderer.render(frame, OrbitCamera.framing(frame), SIZE, target)
        texture = renderer.textures["relief_map"]
        relief = np.frombuffer(texture.read(alignment=1), np.float16).reshape(*texture.size[::-1], 4).astype(float)
        quarter = len(relief) // 4
        along_x = relief[quarter:-quarter, quarter:-quarter, 0]
        chance.append(np.diff(along_x, axis=0).std() / along_x.std())
    renderer.release()
    target.release()
    level, wall = chance
    assert wall < 0.85 * level


def test_a_sunlit_wall_of_rock_has_no_black_spots(drawn):
    picture, _, _ = drawn
    wall = picture[30:60, 40:120] @ LUMINANCE
    assert np.percentile(wall, 1) > 0.65 * np.median(wall)


@pytest.mark.parametrize(("rise", "bare"), [(0.35, False), (1.0, True)])
def test_a_shore_too_steep_for_sand_is_bare_rock(ctx, rise, bare):
    """Sand lies on no slope steeper than 34 degrees."""
    renderer, target = Renderer(ctx, ViewParams(quality="low", look="natural")), ctx.simple_framebuffer(SIZE)
    z = np.linspace(-100.0, 100.0, 201)
    # A steeper hill inland, so that the shore is not what counts as steep here.
    heights = rise * np.clip(10.0 - z, -12.0, 12.0) + 3.0 * np.clip(-20.0 - z, 0.0, None)
    frame = make_frame((201, 201), 1.0, bed=np.broadcast_to(heights[:, None], (201, 201)))
    renderer.render(frame, OrbitCamera.framing(frame), SIZE, target)
    texture = renderer.textures["albedo_map"]
    ground = np.frombuffer(texture.read(alignment=1), np.uint8).reshape(*texture.size[::-1], 4) / 255.0
    shore = np.abs(np.linspace(-100.0, 100.0, len(ground)) - 9.5) < 0.4
    rocky = ground[shore][..., 3].mean()
    renderer.release()
    target.release()
    assert rocky > 0.6 if bare else rocky < 0.1


def test_algae_make_rock_brown_under_water_and_not_above_it(ctx):
    renderer, target = Renderer(ctx, ViewParams(quality="low", look="natural")), ctx.simple_framebuffer(SIZE)
    z = np.linspace(-100.0, 100.0, 201)
    heights = 2.5 * np.clip(10.0 - z, -12.0, 12.0) + 3.0 * np.clip(-20.0 - z, 0.0, None)
    frame = make_frame((201, 201), 1.0, bed=np.broadcast_to(heights[:, None], (201, 201)))
    renderer.render(frame, OrbitCamera.framing(frame), SIZE, target)
    texture = renderer.textures["albedo_map"]
    ground = np.frombuffer(texture.read(alignment=1), np.uint8).reshape(*texture.size[::-1], 4) / 255.0
    renderer.release()
    target.release()
    height = np.interp(np.linspace(-100.0, 100.0, len(ground)), z, heights)
    rock = ground[..., 3] > 0.9
    red = {}
    for name, low, high in (("above", 0.5, 25.0), ("below", -25.0, -5.0)):
        some = ground[rock & ((height > low) & (height < high))[:, None]]
        assert len(some) > 1000
        red[name] = some[:, 0].mean() / some[:, 2].mean()
    assert red["below"] > 1.2 * red["above"]


def shaded_face(ctx, quality, distance, spacing=1.0):
    """Luminance of a steep face of rock in the shade, seen straight on, 66 points of the grid high."""
    settings = ViewParams(quality=quality, auto_exposure=False, look="natural", surroundings="floor", trees=False)
    settings = settings.changed(snow_line=1e4, sun_elevation=60.0, sun_azimuth=100.0)
    renderer, target = Renderer(ctx, settings), ctx.simple_framebuffer((256, 256))
    rise = math.radians(70.0)
    x = np.linspace(-100.0, 100.0, 201)
    heights = spacing * (40.0 + math.tan(rise) * np.clip(x, -12.0, 12.0))
    frame = make_frame((201, 201), spacing, bed=np.broadcast_to(heights, (201, 201)))
    middle = (0.0, spacing * 40.0, 0.0)
    tilt = math.pi / 2 - rise
    camera = OrbitCamera(Bounds.of(frame), middle, distance, -math.pi / 2, tilt, math.radians(20.0))
    renderer.render(frame, camera, (256, 256), target)
    light = renderer.snapshot(target, (256, 256))[80:176, 80:176] @ LUMINANCE
    renderer.release()
    target.release()
    return light


@pytest.mark.slow
@pytest.mark.parametrize(("quality", "distance"), [("low", 30.0), ("low", 300.0), ("high", 30.0)])
def test_grain_of_a_steep_face_in_the_shade_is_as_long_as_wide(ctx, quality, distance):
    """Grain pressed flat was horizontal dark strokes; the maps alone would be streaks down the face."""
    face = shaded_face(ctx, quality, distance)
    across, down = (np.diff(face, axis=axis).std() for axis in (1, 0))
    assert 0.85 < across / down < 1.2


@pytest.mark.slow
@pytest.mark.parametrize("spacing", [1.0, 15.0])
def test_rock_near_the_eye_has_joints_as_fine_in_a_large_scene(ctx, spacing):
    face = shaded_face(ctx, "high", 8.0, spacing)
    assert np.abs(np.diff(face, axis=1)).mean() > 0.0265 * face.mean()


@pytest.mark.slow
@pytest.mark.parametrize("colour", [(40, 60, 25), (52, 50, 46)], ids=["turf", "sand"])
def test_ground_near_the_eye_is_as_fine_in_a_large_scene(ctx, colour):
    """Before, 3 m from the eye it was blurred in a scene of 3 km."""
    settings = ViewParams(quality="high", auto_exposure=False, look="natural", surroundings="floor", trees=False)
    renderer, target = Renderer(ctx, settings), ctx.simple_framebuffer(SIZE)
    drape = np.full((2, 2, 4), (*colour, 255), np.uint8)
    contrasts = []
    for spacing in (2.0, 8.0, 30.0):
        frame = make_frame((101, 101), spacing, bed=np.full((101, 101), 6.0), drape=drape)
        camera = OrbitCamera(Bounds.of(frame), (-3.0, 6.0, 2.0), 3.0, 0.4, 1.4, 0.6)
        renderer.render(frame, camera, SIZE, target)
        light = renderer.snapshot(target, SIZE) @ LUMINANCE
        contrasts.append(np.abs(np.diff(light, axis=1)).mean() / light.mean())
    renderer.release()
    target.release()
    assert min(contrasts[1:]) > 0.85 * contrasts[0]


@pytest.mark.slow
def test_a_bank_along_which_one_looks_has_no_streaks(ctx):
    """Perspective presses flat ground to streaks. Bumps are seen from their sides, in the shade as well."""
    settings = ViewParams(quality="high", auto_exposure=False, look="natural", surroundings="floor", trees=False)
    settings = settings.changed(snow_line=1e4, sun_elevation=30.0, sun_azimuth=300.0)
    renderer, target = Renderer(ctx, settings), ctx.simple_framebuffer((256, 256))
    x = np.linspace(-200.0, 200.0, 201)
    frame = make_frame((201, 201), 2.0, bed=np.broadcast_to(60.0 + np.clip(x, -50.0, 50.0), (201, 201)))
    camera = OrbitCamera(Bounds.of(frame), (0.0, 60.0, 0.0), 60.0, math.radians(-12.0), math.radians(6.0), 0.25)
    renderer.render(frame, camera, (256, 256), target)
    light = renderer.snapshot(target, (256, 256))[48:-48, 48:-48] @ LUMINANCE
    renderer.release()
    target.release()
    # Streaks run up to the right, across the normal of the bank.
    along, across = (light[1:, :-1] - light[:-1, 1:]).std(), (light[1:, 1:] - light[:-1, :-1]).std()
    assert along > 3.0 and across < 2.5 * along


@pytest.mark.slow
@pytest.mark.parametrize(
    ("distance", "fov", "least", "most"), [(2.0, 0.6, 1.5, 2.5), (2.0, 0.015, 0.9, 1.2), (7.0, 0.6, 0.9, 1.2)]
)
def test_tufts_have_more_light_and_shade_than_sand(ctx, distance, fov, least, most):
    """But are no lumps where they are drawn large, nor is a tile of them seen to repeat far away."""
    settings = ViewParams(quality="high", auto_exposure=False, look="natural", surroundings="floor")
    renderer, target = Renderer(ctx, settings), ctx.simple_framebuffer(SIZE)
    height = np.interp(np.linspace(-100.0, 100.0, 101), [-100.0, 60.0, 100.0], [6.0, 6.0, -5.0])
    frame = make_frame((101, 101), 2.0, bed=np.broadcast_to(height, (101, 101)))
    camera = OrbitCamera(Bounds.of(frame), (-30.0, 6.0, 0.0), distance, 0.4, 1.4, fov)
    contrasts = []
    for colour in ((40, 60, 25, 255), (52, 50, 46, 255)):  # of turf, of sand
        renderer.render(frame.changed(drape=np.full((2, 2, 4), colour, np.uint8)), camera, SIZE, target)
        light = renderer.snapshot(target, SIZE) @ LUMINANCE
        contrasts.append(np.abs(np.diff(light, axis=1)).mean() / light.mean())
    renderer.release()
    target.release()
    assert least < contrasts[0] / contrasts[1] < most


@pytest.mark.slow
@pytest.mark.parametrize("edge", ["between walls", "between wall and slope"])
def test_near_the_eye_relief_has_no_edge_where_the_side_changes_that_it_is_seen_from(ctx, edge):
    """Two faces, turned by half a degree, look alike on both sides of the change."""
    settings = ViewParams(quality="high", auto_exposure=False, look="natural", surroundings="floor", trees=False)
    settings = settings.changed(snow_line=1e4, sun_elevation=50.0, sun_azimuth=100.0)
    renderer, target = Renderer(ctx, settings), ctx.simple_framebuffer((128, 128))
    x, z = np.meshgrid(*2 * [np.linspace(-50.0, 50.0, 201)])
    pictures = []
    for turned in (-0.25, 0.25):
        azimuth, rise = (45.0 + turned, 66.0) if edge == "between walls" else (20.0, 60.0 + turned)
        along = x * math.cos(math.radians(azimuth)) + z * math.sin(math.radians(azimuth))
        bed = 40.0 - math.tan(math.radians(rise)) * np.clip(along, -12.0, 12.0)
        frame = make_frame(bed.shape, 0.5, bed=bed)
        away = math.pi / 2 - math.radians(azimuth)
        camera = OrbitCamera(Bounds.of(frame), (0.0, 40.0, 0.0), 4.0, away, math.radians(90.0 - rise + 62.0), 0.1)
        renderer.render(frame, camera, target.size, target)
        pictures.append(renderer.snapshot(target, target.size) @ LUMINANCE)
    renderer.release()
    target.release()
    assert np.abs(pictures[0] - pictures[1]).mean() < 0.55 * pictures[0].std()


@pytest.mark.slow
def test_boulders_on_a_crest_along_which_one_looks_are_no_specks(ctx):
    """A picture shows what one three times the size does: bumps far before a crest, on lower ground, do not hide it."""
    settings = ViewParams(quality="high", auto_exposure=False, look="natural", surroundings="floor", trees=False)
    renderer = Renderer(ctx, settings.changed(snow_line=1e4, sun_elevation=50.0, sun_azimuth=100.0))
    x, z = np.meshgrid(*2 * [np.linspace(-100.0, 100.0, 401)])
    bed = 30.0 - 0.8 * np.clip(z, 0.0, 8.0) - 0.15 * np.clip(z - 8.0, 0.0, 60.0)
    bed += np.sin(x / 4.0) * np.exp(-z * z / 36.0)
    frame = make_frame(bed.shape, 0.5, bed=bed)
    camera = OrbitCamera(Bounds.of(frame), (0.0, 30.0, -2.0), 20.0, 0.0, math.radians(4.0), 0.5)
    shown = []
    for often in (1, 3):
        size = often * 240, often * 135
        target = ctx.simple_framebuffer(size)
        renderer.render(frame, camera, size, target)
        shown.append(np.asarray(Image.fromarray(renderer.snapshot(target, size)).reduce(often)).astype(float))
        ctx.rest.use()
        target.release()
    renderer.release()
    assert np.mean(np.abs(shown[0] - shown[1]).max(axis=-1) > 24.0) < 0.055


@pytest.mark.slow
def test_bumps_bring_no_colour_along(ctx):
    """An edge between two colours that runs across the picture is as straight on ground that is seen along it."""
    settings = ViewParams(quality="high", auto_exposure=False, look="natural", surroundings="floor", snow_line=1e4)
    renderer, target = Renderer(ctx, settings.changed(sun_elevation=60.0)), ctx.simple_framebuffer((256, 256))
    heights = np.interp(np.linspace(-100.0, 100.0, 401), [-100.0, 90.0, 100.0], [25.0, 15.5, -5.0])
    frame = make_frame((401, 401), 0.5, bed=np.broadcast_to(heights[:, None], (401, 401)))
    photo = np.full((400, 2, 4), (30, 70, 20, 255), np.uint8)
    photo[200:] = 90, 100, 20, 255
    camera = OrbitCamera(Bounds.of(frame), (0.0, 20.0, 0.0), 20.0, 0.0, math.radians(4.0), 0.2)
    renderer.render(frame.changed(drape=photo), camera, target.size, target)
    red, green, _ = np.moveaxis(renderer.snapshot(target, target.size).astype(float), -1, 0)
    renderer.release()
    target.release()
    hue = red / green
    assert hue[-1].mean() > 1.2 * hue[110].mean(), "both are seen"
    assert hue.std(axis=1).max() < 0.03
