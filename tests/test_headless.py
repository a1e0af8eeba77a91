"""Where OpenGL without a window comes from."""

import dataclasses

import numpy as np
import pytest
import reference_pictures
from PIL import Image

from waterview.core.errors import DisplayError
from waterview.headless import draw, opengl
from waterview.look import Look
from waterview.render.settings import ViewParams


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


def test_a_context_is_current_only_inside(monkeypatch):
    with opengl() as ctx:
        ctx.simple_framebuffer((4, 4)).clear()
        assert ctx.version_code >= 330


def test_a_single_picture_shows_the_foam_of_the_moments_before_it_as_the_last_of_many_does(tmp_path):
    drawn = reference_pictures.coast()
    before, now = drawn.frames
    frames = dataclasses.replace(before, foam=np.full(before.grid.shape, 0.9, np.float32)), now
    look = Look(reference_pictures.SIZE, ViewParams(quality="low", **drawn.settings), lambda _: drawn.camera)
    many = draw(frames, tmp_path / "%d.png", look, frames_per_second=10.0)
    (one,) = draw(frames, tmp_path / "one.png", look, frames_per_second=10.0, count=2)
    (none,) = draw(frames[1:], tmp_path / "none.png", look)
    shown, expected, without = (np.asarray(Image.open(path)) for path in (one, many[-1], none))
    np.testing.assert_array_equal(shown, expected)
    assert (np.abs(shown.astype(int) - without).max(axis=-1) > 8).mean() > 0.05
