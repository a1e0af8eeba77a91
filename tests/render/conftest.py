"""Renderers, and an island for them."""

import numpy as np
import pytest
from support.scenes import make_frame

from waterview.render.renderer import Renderer
from waterview.render.settings import ViewParams


class Renderers(dict):
    """Renderers by their quality, each made when it is first asked for."""

    def __init__(self, context):
        super().__init__()
        self._context = context

    def __missing__(self, quality):
        self[quality] = Renderer(self._context, ViewParams(quality=quality))
        return self[quality]


@pytest.fixture(scope="module")
def renderers(context):
    """One for each quality, shared by the tests of a file."""
    made = Renderers(context)
    yield made
    with context:
        context.rest.use()
        for renderer in made.values():
            renderer.release()


@pytest.fixture
def drawing(ctx, renderers):
    """drawing(size, **settings) → draw(frame, camera, **more) → picture as floats; quality is low by default."""
    targets = []

    def drawing(size, **settings):
        target = ctx.simple_framebuffer(size)
        targets.append(target)

        def draw(frame, camera, **more):
            view = ViewParams(**({"quality": "low"} | settings | more))
            renderer = renderers[view.quality]
            renderer.render(frame, camera, size, target, view)
            assert ctx.error == "GL_NO_ERROR"
            return renderer.snapshot(target, size).astype(float)

        return draw

    yield drawing
    ctx.rest.use()
    for target in targets:
        target.release()


@pytest.fixture
def island():
    """A round island in water that is 4 m deep, with a ring of waves beside it; 60 m × 40 m."""
    x, z = np.linspace(-30.0, 30.0, 91)[None, :], np.linspace(-20.0, 20.0, 61)[:, None]
    bed = -4.0 + 12.0 * np.exp(-((x - 6.0) ** 2 + z**2) / 60.0)
    ring = np.hypot(x + 18.0, z - 6.0)
    heights = np.where(bed > 0.0, 0.0, 0.3 * np.cos(2.0 * ring) * np.exp(-ring / 4.0))
    return make_frame((61, 91), 60.0 / 90.0, bed=bed, heights=heights)
