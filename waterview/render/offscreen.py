"""Pictures of frames without a window: OpenGL that shows nothing, and what draws with it."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager, nullcontext
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray
from PIL import Image

from waterview.core.errors import DisplayError, InputError
from waterview.core.frame import Frame
from waterview.scene.look import Look

if TYPE_CHECKING:
    import moderngl

    from waterview.render.camera.camera import OrbitCamera

    from .renderer import Renderer


@contextmanager
def opengl() -> Iterator[moderngl.Context]:
    """An OpenGL 3.3 context without a window, current inside the `with`: through EGL on Linux, else the system's own.

    Raises:
        DisplayError: there is no OpenGL 3.3 here.
    """
    ctx = _standalone_context()
    try:
        # Left current, it would keep this thread from ever making a window's context current.
        with ctx:
            yield ctx
    finally:
        ctx.release()


def _standalone_context() -> moderngl.Context:
    import moderngl

    # On Linux a display will do where EGL is missing; nowhere else is there any EGL.
    ways: tuple[dict[str, Any], ...] = ({"backend": "egl"}, {}) if sys.platform.startswith("linux") else ({},)
    reasons = []
    for way in ways:
        try:
            return moderngl.create_context(standalone=True, require=330, **way)
        except Exception as error:  # glcontext raises bare Exception
            reasons.append(str(error))
    advice = "install Mesa (libegl1, libgl1) or a graphics driver" if len(ways) > 1 else "update the graphics driver"
    raise DisplayError(f"no OpenGL 3.3 can be had without a window ({'; '.join(reasons)}): {advice}")


class Painter:
    """Makes pictures of frames.

    All are seen from where the first is looked at, or along the camera's path from there. Where the water has another
    size from one frame on, that one is looked at anew.

    Args:
        look: how.
        renderer: draws them.
        target: what it draws into.
    """

    def __init__(self, look: Look, renderer: Renderer, target: moderngl.Framebuffer) -> None:
        self._look, self._renderer, self._target = look, renderer, target
        self._camera: OrbitCamera | None = None
        self._place: object = None

    def paint(self, frame: Frame, seconds: float) -> NDArray[np.uint8]:
        """The picture of a frame so many seconds after the first, shape (height, width, 3)."""
        drawn, shrink = self._target.size, self._look.supersample
        self._renderer.render(frame, self._seen_from(frame, seconds), drawn, self._target, self._look.view)
        picture = self._renderer.snapshot(self._target, drawn)
        return np.asarray(Image.fromarray(picture).reduce(shrink)) if shrink > 1 else picture

    def follow(self, frame: Frame, seconds: float) -> None:
        """Let the pictures of later frames have the foam of this one."""
        self._renderer.follow(frame, self._seen_from(frame, seconds), self._look.view)

    def _seen_from(self, frame: Frame, seconds: float) -> OrbitCamera:
        if self._camera is None or self._place != frame.grid.size:
            self._camera, self._place = self._look.camera(frame), frame.grid.size
        flight = self._look.flight
        return self._camera if flight is None else flight(self._camera, frame, seconds)


@contextmanager
def painter(look: Look) -> Iterator[Painter]:
    """What makes pictures, inside the `with`.

    Raises:
        DisplayError: there is no OpenGL.
        InputError: pictures as large as that cannot be drawn here.
    """
    from .renderer import Renderer

    with opengl() if look.ctx is None else nullcontext(look.ctx) as ctx:
        drawn = (look.size[0] * look.supersample, look.size[1] * look.supersample)
        _check_size(drawn, int(ctx.info["GL_MAX_TEXTURE_SIZE"]))
        target = ctx.simple_framebuffer(drawn)
        renderer = Renderer(ctx)
        try:
            yield Painter(look, renderer, target)
        finally:
            renderer.release()


def _check_size(size: tuple[int, int], limit: int) -> None:
    if max(size) > limit:
        raise InputError(
            f"pictures drawn with {size[0]} × {size[1]} pixels: this graphics card allows {limit} a side; "
            "choose a smaller --size or --supersample"
        )
