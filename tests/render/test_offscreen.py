"""Where OpenGL without a window comes from."""

import ctypes
import math

import pytest
from support.scenes import make_frame

from waterview.core.errors import DisplayError
from waterview.render.offscreen import OffscreenRenderer, opengl
from waterview.render.renderer import Renderer
from waterview.render.settings import ViewParams
from waterview.render.shot import Shot


@pytest.fixture
def asked(monkeypatch):
    """The backends that were asked for; each fails with its name."""
    asked = []

    def refuse(*, backend="own", **more):
        asked.append(backend)
        raise Exception(f"no {backend}")

    monkeypatch.setattr("moderngl.create_context", refuse)
    return asked


@pytest.mark.parametrize(
    ("platform", "backends", "advice"),
    [
        ("linux", ["egl", "own"], "install Mesa"),
        ("darwin", ["own"], "update the graphics driver"),
        ("win32", ["own"], "update the graphics driver"),
    ],
)
def test_every_system_is_asked_for_what_it_has_and_refuses_in_one_line(asked, monkeypatch, platform, backends, advice):
    monkeypatch.setattr("sys.platform", platform)
    with pytest.raises(DisplayError) as error, opengl():
        pass
    assert asked == backends
    text = str(error.value)
    assert "\n" not in text and advice in text
    assert all(f"no {backend}" in text for backend in backends)


def test_a_context_is_current_only_inside():
    current = ctypes.CDLL("libEGL.so.1").eglGetCurrentContext
    current.restype = ctypes.c_void_p
    before = current()
    with opengl() as ctx:
        assert current() not in (None, before)
        ctx.simple_framebuffer((4, 4)).clear()
        assert ctx.version_code >= 330
    assert current() == before


@pytest.mark.slow
def test_the_exposure_of_a_film_adapts_after_a_cut(ctx):
    """Where a film cuts from the sun to the sky behind it, brightness follows in the time of the film."""

    def cut(camera, frame, seconds):
        camera.elevation, camera.azimuth = 0.02, 0.0 if seconds < 1.0 else math.pi
        return camera

    frame, size = make_frame(), (32, 18)
    target, renderer = ctx.simple_framebuffer(size), Renderer(ctx)
    try:
        view = ViewParams(quality="low", sun_elevation=8.0, sun_azimuth=180.0, turbidity=5.0)
        film = OffscreenRenderer(Shot(size, view, flight=cut), renderer, target)
        before, cut_to, soon, late, later = (film.render(frame, time).mean() for time in (0.9, 1.0, 1.4, 9.0, 17.0))
    finally:
        ctx.rest.use()
        renderer.release()
        target.release()
    assert abs(late - later) < 0.1 < 3.0 < abs(late - cut_to)
    assert abs(late - soon) < 0.6 * abs(late - cut_to)
    assert before != cut_to
