"""Land does not shimmer while the camera turns slowly."""

import math

import numpy as np
import pytest
from PIL import Image
from support.scenes import make_frame

from waterview.render.camera.bounds import Bounds
from waterview.render.camera.camera import OrbitCamera
from waterview.render.renderer import Renderer
from waterview.render.settings import ViewParams

SIZE, FRAMES = (240, 135), 4


def hills():
    x, z = np.linspace(-200.0, 200.0, 161)[None, :], np.linspace(-150.0, 150.0, 121)[:, None]
    bed = 14.0 + 9.0 * np.sin(0.031 * x + 0.9) * np.cos(0.027 * z) + 3.0 * np.sin(0.11 * x) * np.sin(0.09 * z + 1.0)
    return make_frame(bed.shape, 2.5, bed=bed)


def land(ctx, renderer, frame, supersample, distance, elevation):
    """The lower half of the picture, which is land, of some frames, shape (frames, rows, columns, 3)."""
    size = tuple(supersample * side for side in SIZE)
    target = ctx.simple_framebuffer(size)
    shown = []
    for number in range(FRAMES):
        turned = 0.5 + math.radians(0.1 * number)
        camera = OrbitCamera(Bounds.of(frame), (0.0, 14.0, 0.0), distance, turned, math.radians(elevation))
        renderer.render(frame, camera, size, target)
        drawn = Image.fromarray(renderer.snapshot(target, size)).reduce(supersample)
        shown.append(np.asarray(drawn)[SIZE[1] // 2 :].astype(float))
    ctx.rest.use()
    target.release()
    return np.array(shown)


def changes(*view):
    """Changes of the land from one frame to the next."""
    return np.abs(np.diff(land(*view), axis=0)).max(axis=-1)


@pytest.mark.slow
@pytest.mark.parametrize(("quality", "distance", "elevation"), [("medium", 150.0, 8.0), ("high", 180.0, 14.0)])
def test_land_changes_no_more_than_if_it_were_supersampled(ctx, quality, distance, elevation):
    """In high it has trees a few pixels wide."""
    renderer = Renderer(ctx, ViewParams(quality=quality, auto_exposure=False, look="natural", surroundings="floor"))
    try:
        once, often = (
            np.quantile(changes(ctx, renderer, hills(), times, distance, elevation), 0.999) for times in (1, 3)
        )
    finally:
        renderer.release()
    assert 5.0 < once <= 1.1 * often


@pytest.mark.slow
@pytest.mark.parametrize("quality", ["medium", "high"])
def test_turf_seen_aslant_is_no_blur(ctx, quality):
    """From pixel to pixel it changes 0.574 times as much as supersampled; with the grain of before 0.54 times."""
    settings = ViewParams(quality=quality, auto_exposure=False, look="natural", surroundings="floor", trees=False)
    renderer = Renderer(ctx, settings)
    try:
        once, often = (
            np.abs(np.diff(land(ctx, renderer, hills(), times, 150.0, 8.0), axis=2)).mean() for times in (1, 3)
        )
    finally:
        renderer.release()
    assert once > 0.56 * often
