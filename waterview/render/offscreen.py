"""Pictures of frames without a window: an OpenGL context of its own, and the renderer that draws in it."""

from __future__ import annotations

import math
import sys
from collections.abc import Iterator
from contextlib import contextmanager, nullcontext
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray
from PIL import Image

from waterview.core.errors import DisplayError, InputError
from waterview.core.frame import Frame
from waterview.render.shot import Shot

if TYPE_CHECKING:
    import moderngl

    from waterview.render.camera.camera import OrbitCamera

    from .renderer import Renderer


@contextmanager
def opengl() -> Iterator[moderngl.Context]:
    """An OpenGL 3.3 context without a window, current inside the `with`: by EGL on Linux, else by the system's own way.

    Raises:
        DisplayError: this machine has no OpenGL 3.3.
    """
    ctx = standalone_context()
    try:
        # If it stayed current, this thread could never make a window's context current.
        with ctx:
            yield ctx
    finally:
        ctx.release()


def standalone_context() -> moderngl.Context:
    """An OpenGL 3.3 context without a window, current on this thread.

    Raises:
        DisplayError: this machine has no OpenGL 3.3.
    """
    import moderngl

    # Linux falls back on a display where EGL is missing; other systems have no EGL.
    ways: tuple[dict[str, Any], ...] = ({"backend": "egl"}, {}) if sys.platform.startswith("linux") else ({},)
    reasons = []
    for way in ways:
        try:
            return moderngl.create_context(standalone=True, require=330, **way)
        except Exception as error:  # glcontext raises bare Exception
            reasons.append(str(error))
    advice = "install Mesa (libegl1, libgl1) or a graphics driver" if len(ways) > 1 else "update the graphics driver"
    raise DisplayError(f"no OpenGL 3.3 can be had without a window ({'; '.join(reasons)}): {advice}")


class OffscreenRenderer:
    """Draws frames into pictures.

    The camera stays where it was for the first frame, or follows its path from there. It is placed anew whenever the
    water's size changes.

    Args:
        shot: size, camera and view settings of the pictures.
        renderer: draws them.
        target: what it draws into.
    """

    def __init__(self, shot: Shot, renderer: Renderer, target: moderngl.Framebuffer) -> None:
        self._shot, self._renderer, self._target = shot, renderer, target
        self._camera: OrbitCamera | None = None
        self._place: object = None
        self._drawn_at = math.inf

    def render(self, frame: Frame, seconds: float) -> NDArray[np.uint8]:
        """The picture of a frame `seconds` after the first [s], shape (height, width, 3).

        Its exposure adapts in the time since the last picture; that of the first is adapted.
        """
        drawn, shrink = self._target.size, self._shot.supersample
        since, self._drawn_at = max(seconds - self._drawn_at, 0.0), seconds
        camera, view = self._seen_from(frame, seconds), self._shot.view
        self._renderer.render(frame, camera, drawn, self._target, view, adapts_in=since)
        picture = self._renderer.snapshot(self._target, drawn)
        return np.asarray(Image.fromarray(picture).reduce(shrink)) if shrink > 1 else picture

    def aim(self, frame: Frame) -> OrbitCamera:
        """Place the camera for a scene that begins with a frame, whatever is followed before it is drawn."""
        self._camera, self._place = self._shot.camera(frame), frame.grid.size
        return self._camera

    def follow(self, frame: Frame, seconds: float) -> None:
        """Take in a frame without drawing it, so that later pictures show the foam it leaves."""
        self._renderer.follow(frame, self._seen_from(frame, seconds), self._shot.view)

    def _seen_from(self, frame: Frame, seconds: float) -> OrbitCamera:
        placed = self._camera if self._place == frame.grid.size else None
        camera, flight = placed or self.aim(frame), self._shot.flight
        return camera if flight is None else flight(camera, frame, seconds)


@contextmanager
def offscreen_renderer(shot: Shot) -> Iterator[OffscreenRenderer]:
    """A renderer without a window, alive inside the `with`.

    Raises:
        DisplayError: there is no OpenGL.
        InputError: the pictures are larger than the graphics card can draw.
    """
    from .renderer import Renderer

    with opengl() if shot.ctx is None else nullcontext(shot.ctx) as ctx:
        drawn = (shot.size[0] * shot.supersample, shot.size[1] * shot.supersample)
        limit = int(ctx.info["GL_MAX_TEXTURE_SIZE"])
        if max(drawn) > limit:
            raise InputError(
                f"pictures drawn with {drawn[0]} × {drawn[1]} pixels: this graphics card allows {limit} a side; "
                "choose a smaller --size or --supersample"
            )
        target = ctx.simple_framebuffer(drawn)
        renderer = Renderer(ctx)
        try:
            yield OffscreenRenderer(shot, renderer, target)
        finally:
            renderer.release()
