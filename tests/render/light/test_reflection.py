"""What water mirrors: land hangs on its own foot, and ripples break its outlines and those of clouds up smoothly."""

import numpy as np
import pytest
from support.scenes import make_frame

from waterview.core.files import data_path
from waterview.render.camera.bounds import Bounds
from waterview.render.camera.camera import OrbitCamera
from waterview.render.daylight import Light
from waterview.render.light import reflection
from waterview.render.renderer import Renderer
from waterview.render.settings import ViewParams
from waterview.render.view import View

SIZE = (240, 135)


@pytest.fixture
def draw(drawing):
    return drawing(SIZE, look="natural", surroundings="floor", sun_elevation=60.0, auto_exposure=False)


@pytest.mark.slow
def test_the_mirror_image_of_land_begins_at_its_foot_on_waves_as_on_still_water(draw):
    """Waves draw the image out but leave no band of sky between it and the shore."""
    x, z = np.linspace(-15.0, 15.0, 121)[None, :], np.linspace(-10.0, 10.0, 81)[:, None]
    waves = 0.04 * (np.sin(4.0 * z + x) + np.sin(3.1 * z - 1.7 * x) + np.sin(5.3 * z + 0.4 * x))
    camera = OrbitCamera.framing(make_frame((81, 121), 0.25, bed=np.where(z < -4.0, 6.0, -3.0) + 0.0 * x))
    camera.azimuth, camera.elevation, camera.distance, camera.target = 0.0, np.radians(6.0), 16.0, (0.0, 0.0, 0.0)
    foot = round(camera.project((0.0, 0.0, -3.9), SIZE)[1])
    darker = []
    for heights in (waves, 0.0 * waves):
        rows = []
        for there in (True, False):
            bed = np.where((z < -4.0) & there, 6.0, -3.0) + 0.0 * x
            frame = make_frame((81, 121), 0.25, bed=bed, heights=heights, serial=2 + there)
            rows.append(draw(frame, camera)[foot + 2 : foot + 10, 60:180].mean())
        darker.append(rows[1] - rows[0])
    # Of about 100 steps of 255 between sky and land; where sky is blurred in at the foot it is half of that.
    assert darker[0] > 50.0 and darker[1] > 75.0


@pytest.mark.slow
def test_the_mirrored_camera_does_not_see_through_land_from_below(ctx):
    """A plain by the water, behind which a mountain rises: water mirrors of it what stands above the plain's edge."""
    z = np.linspace(-60.0, 60.0, 121)[:, None]
    bed = np.where(z > 0.0, -3.0, np.where(z > -40.0, 1.5, 40.0)) + np.zeros((1, 121))
    frame = make_frame((121, 121), 1.0, bed=bed)
    camera = OrbitCamera(Bounds.of(frame), (0.0, 0.0, 0.0), 40.0, azimuth=0.0, elevation=np.radians(9.0))
    settings = ViewParams(quality="medium", look="natural", surroundings="floor")
    renderer, target = Renderer(ctx, settings), ctx.simple_framebuffer(SIZE)
    try:
        renderer.render(frame, camera, SIZE, target)
        mirrored = renderer.textures["reflection"]
        alpha = np.frombuffer(mirrored.read(), np.float16).reshape(*mirrored.size[::-1], 4)[..., 3]
    finally:
        renderer.release()
        target.release()
    view = View(camera, frame.grid, Bounds.of(frame), Light.of(settings, Bounds.of(frame)), SIZE, 0.0)
    project = view.members()["reflection_projection"].T
    eye = camera.eye
    seen = {}
    for height in (2.0, 4.0, 20.0, 30.0):
        crossed = eye[2] + (-40.5 - eye[2]) * eye[1] / (eye[1] + height)  # where the line from below leaves the water
        clip = project @ (0.0, height, -40.5, 1.0)
        column, row = ((0.5 + 0.5 * clip[:2] / clip[3]) * mirrored.size).astype(int)
        seen[height] = crossed, float(alpha[row, column])
    assert [crossed > 0.0 for crossed, _ in seen.values()] == [False, False, True, True]
    assert [share for _, share in seen.values()] == pytest.approx([0.0, 0.0, 1.0, 1.0], abs=0.05)


def hard_edges(picture):
    """Share of the pixels in the lower part of a picture that differ by more than 20 steps of 255 from those above."""
    return float((np.abs(np.diff(picture[80:].mean(axis=2), axis=0)) > 20.0).mean())


def near_the_water(bed):
    """A frame of still water with a light breeze, and a camera 4 m above it that looks at it."""
    frame = make_frame((121, 161), 10.0, bed=bed)
    camera = OrbitCamera.framing(frame)
    camera.azimuth, camera.elevation, camera.distance, camera.target = 0.0, np.radians(12.0), 20.0, (0.0, 0.0, 0.0)
    return frame, camera


@pytest.mark.slow
def test_ripples_break_up_the_outline_of_mirrored_land_smoothly(drawing):
    """Ripples too fine to be drawn blur it: it has neither dashes nor blotches with hard edges."""
    draw = drawing((320, 180), quality="high", look="natural", surroundings="sea", auto_exposure=False)
    z = np.linspace(-600.0, 600.0, 121)[:, None] + np.zeros((1, 161))
    bed = np.where(z < -350.0, -40.0 + np.minimum(1.6 * (-350.0 - z), 160.0), -40.0)
    assert hard_edges(draw(*near_the_water(bed), sun_elevation=25.0, sun_azimuth=60.0)) < 0.055  # was 0.068


@pytest.mark.slow
def test_before_the_sun_the_outline_of_mirrored_land_has_no_dashes(drawing):
    """The sky is many times as bright as the land, so steps between the picture's mipmap levels would be seen."""
    draw = drawing((320, 180), quality="high", look="natural", surroundings="sea", auto_exposure=False)
    z = np.linspace(-600.0, 600.0, 121)[:, None] + np.zeros((1, 161))
    bed = np.where(z < -400.0, -40.0 + np.minimum(1.2 * (-400.0 - z), 200.0), -40.0)
    frame, camera = near_the_water(bed)
    camera.elevation, camera.distance = np.radians(8.0), 60.0
    picture = draw(frame, camera, sun_elevation=12.0, sun_azimuth=180.0)
    assert hard_edges(picture[:110]) < 0.14  # was 0.179


@pytest.mark.slow
def test_ripples_break_up_mirrored_clouds_smoothly(drawing):
    draw = drawing((320, 180), quality="high", look="natural", surroundings="sea", auto_exposure=False)
    frame, camera = near_the_water(np.full((121, 161), -40.0))
    assert hard_edges(draw(frame, camera, clouds=0.5, sun_elevation=40.0, sun_azimuth=100.0)) < 0.06  # was 0.081


def wavy_pool(height, degrees):
    """A pool with even waves so high, and a camera that looks at it from so low."""
    x, z = np.linspace(-6.0, 6.0, 257)[None, :], np.linspace(-4.5, 4.5, 193)[:, None]
    inside = np.maximum(np.abs(x) / 5.8, np.abs(z) / 4.3) < 1.0
    heights = np.where(inside, height * np.cos(2.0 * np.pi * (x + 0.4 * z) / 3.0), 0.0)
    frame = make_frame((193, 257), 12.0 / 256, bed=np.where(inside, -1.7, 0.7), heights=heights)
    place = (0.0, 0.0, 0.0), 5.0, 1.3, np.radians(degrees), np.radians(40.0)
    return frame, OrbitCamera(Bounds.of(frame), *place, dive=True)


POOL = {"look": "pool", "surroundings": "floor", "ripples": 0.0}


@pytest.mark.slow
@pytest.mark.parametrize(("height", "degrees"), [(0.08, 3.0), (0.06, 2.0)])
def test_a_pool_mirrors_its_walls_alike_in_small_and_large_pictures(drawing, height, degrees):
    """Waves seen from near the water mirror a blur of the walls that is as wide in pictures of any size."""
    seen = wavy_pool(height, degrees)
    small, large = (drawing((320 * times, 180 * times), quality="high", **POOL)(*seen) for times in (1, 4))
    # Means of 10 × 10 pixels: edges and lines of light are finer in the large picture.
    means = [picture.reshape(18, picture.shape[0] // 18, 32, -1, 3).mean(axis=(1, 3)) for picture in (small, large)]
    assert np.abs(means[0] - means[1]).max() < 12.0  # was 22 and 15


def test_shader_and_pass_agree_about_the_coarsest_level_of_a_pool_s_mirror_image():
    text = (data_path("shaders") / "include" / "mirror.glsl").read_text(encoding="utf-8")
    assert f"const float COARSEST = {reflection.COARSEST};" in text


@pytest.mark.parametrize("quality", ["low", "high"])
def test_all_mipmaps_of_its_mirror_image_are_made_that_a_pool_looks_up(drawing, quality, monkeypatch):
    draw, (frame, camera) = drawing((640, 360), quality=quality, **POOL), wavy_pool(0.1, 8.0)
    pictures = []
    for serial, texels in enumerate((reflection.COARSEST, 1.0, 4.0 * reflection.COARSEST)):
        monkeypatch.setattr(reflection, "COARSEST", texels)
        pictures.append(draw(frame.changed(serial=serial), camera))
    np.testing.assert_array_equal(pictures[1], pictures[0])
    assert (pictures[2] != pictures[0]).any()
