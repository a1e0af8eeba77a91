import numpy as np
import pytest
from support.scenes import make_frame

from waterview.render.camera.camera import OrbitCamera
from waterview.render.preview import ScenePreview
from waterview.render.renderer import Renderer
from waterview.render.settings import ViewParams

SIZE = (160, 90)


@pytest.fixture
def drawn(ctx):
    """Draw with a preview or a renderer; shape (height, width, 3), from 0 to 1."""
    colour, depth = ctx.texture(SIZE, 4), ctx.depth_renderbuffer(SIZE)
    target = ctx.framebuffer([colour], depth)
    painters = []

    def drawn(kind, frame):
        painters.append(kind(ctx))
        if kind is ScenePreview:
            painters[-1].draw(frame, OrbitCamera.framing(frame), SIZE, target)
        else:
            painters[-1].render(frame, OrbitCamera.framing(frame), SIZE, target, ViewParams(quality="low"))
        pixels = np.frombuffer(target.read(components=3, alignment=1), np.uint8)
        return pixels.reshape(SIZE[1], SIZE[0], 3)[::-1] / 255.0

    yield drawn
    ctx.rest.use()
    for thing in (*painters, target, colour, depth):
        thing.release()
    assert ctx.error == "GL_NO_ERROR"


def bluish(picture):
    return picture[..., 2] > picture[..., 0] + 0.15


@pytest.mark.slow
def test_water_and_land_are_where_the_real_picture_has_them(drawn, island):
    preview, real = drawn(ScenePreview, island), drawn(Renderer, island)
    assert 0.2 < bluish(preview).mean() < 0.7
    assert np.mean(bluish(real)[bluish(preview)]) > 0.7
    land = preview[..., 0] > preview[..., 2] + 0.1
    assert 0.01 < land.mean() < 0.2
    assert np.mean(bluish(real)[land]) < 0.2


def test_a_level_higher_by_the_height_of_the_land_drowns_it(drawn, island):
    bed = island.bed - 20.0
    drowned = make_frame(island.grid.shape, island.grid.spacing, bed=bed)
    assert bluish(drawn(ScenePreview, drowned)).sum() > bluish(drawn(ScenePreview, island)).sum()


def test_the_smallest_grid_and_dry_land_are_drawn(drawn):
    picture = drawn(ScenePreview, make_frame((2, 2), 1.0, bed=np.full((2, 2), 1.0)))
    assert not bluish(picture).any()
    assert picture.std() > 0.02
