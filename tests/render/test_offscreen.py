"""Where OpenGL without a window comes from."""

import ctypes

import pytest

from waterview.core.errors import DisplayError
from waterview.render.offscreen import opengl


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
