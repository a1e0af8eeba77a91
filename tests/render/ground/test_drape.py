"""An aerial picture is the colour of dry land, and of nothing else."""

import math

import numpy as np
import pytest
from support.scenes import make_frame

from waterview.render.camera.bounds import Bounds
from waterview.render.camera.camera import OrbitCamera
from waterview.render.ground.drape import Drape
from waterview.render.renderer import Renderer
from waterview.render.settings import ViewParams

SIZE = (96, 64)


@pytest.mark.slow
def test_a_picture_colours_the_land_and_leaves_the_water(ctx):
    x = np.linspace(-60.0, 60.0, 61)
    bed = np.broadcast_to(np.where(x < 0.0, 8.0, -8.0).astype(np.float32), (41, 61)).copy()
    bed[:, :5] += np.linspace(4.0, 0.0, 5)  # a landscape is not all level
    photo = np.zeros((200, 300, 4), np.uint8)
    photo[:100] = 200, 30, 30, 255
    photo[100:] = 30, 30, 200, 255
    photo[:, :50, 3] = 0
    settings = ViewParams(quality="low", auto_exposure=False, look="natural", surroundings="floor", exposure=-2.0)
    renderer, target = Renderer(ctx, settings), ctx.simple_framebuffer(SIZE)
    plain = make_frame(bed.shape, 2.0, bed=bed)
    camera = OrbitCamera(Bounds.of(plain), (0.0, 0.0, 0.0), 130.0, 0.0, math.radians(88.0))
    shown = []
    try:
        for frame in (plain, plain.changed(drape=photo), plain):
            renderer.render(frame, camera, SIZE, target)
            shown.append(renderer.snapshot(target, SIZE).astype(int))
    finally:
        renderer.release()
        target.release()
    before, draped, after = shown
    assert np.array_equal(before, after)
    north, south = draped[24, 32], draped[40, 32]
    assert north[0] > 2 * north[2]
    assert south[2] > 2 * south[0]
    water = slice(56, 64)
    assert np.abs(draped - before)[20:44, water].max() <= 2
    assert np.abs(draped - before)[20:44, 4:10].max() <= 3  # where the picture is transparent


def test_a_picture_larger_than_the_card_allows_is_thinned(ctx):
    assert ctx.error == "GL_NO_ERROR"
    drape = Drape(ctx, np.zeros((2, ctx.info["GL_MAX_TEXTURE_SIZE"] + 2, 4), np.uint8))
    try:
        assert ctx.error == "GL_NO_ERROR"
    finally:
        drape.release()
