"""A shot: how pictures of a scene are made, with their size, view settings and camera."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import moderngl

    from waterview.core.frame import Frame
    from waterview.render.camera.camera import OrbitCamera
    from waterview.render.camera.camera_path import Flight
    from waterview.render.settings import ViewParams


@dataclass(frozen=True)
class Shot:
    """How pictures are made.

    Attributes:
        size: width and height [pixels].
        view: exposure, quality, sun and so on.
        aim: makes the camera from the first frame; None frames the whole scene.
        supersample: every pixel is the mean of so many along each side, for smooth edges and no sparkle.
        flight: moves the camera from its first place on; None leaves it.
        ctx: the OpenGL context to draw in, current there; None makes one.
    """

    size: tuple[int, int]
    view: ViewParams
    aim: Callable[[Frame], OrbitCamera] | None = None
    supersample: int = 1
    flight: Flight | None = None
    ctx: moderngl.Context | None = None

    def camera(self, frame: Frame) -> OrbitCamera:
        """The camera for a scene that begins with `frame`."""
        from waterview.render.camera.camera import OrbitCamera

        return self.aim(frame) if self.aim else OrbitCamera.framing(frame, self.size[0] / self.size[1])
