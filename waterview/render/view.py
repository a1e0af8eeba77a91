"""What every shader is told about the moment: one uniform block, written once a picture."""

from __future__ import annotations

import math
from dataclasses import dataclass

import moderngl
import numpy as np
from numpy.typing import NDArray

from waterview.core.grid import Grid

from .bounds import Bounds
from .camera import OrbitCamera
from .light import HAZE, RAYLEIGH, SUN_POWER, Light
from .shaders import VIEW_BINDING

EDGE = 5e-4
"""How far the water keeps inside the block, as a share of its longer side: so cut ground and cut water never share a
plane."""
_VECTORS = 18


@dataclass(frozen=True, eq=False)
class View:
    """One moment, seen by one camera.

    Attributes:
        camera: who looks.
        grid: where the water's points lie.
        bounds: the scene's box.
        light: sun, air and water.
        size: the scene's picture [pixels].
        time: simulated time [s].
    """

    camera: OrbitCamera
    grid: Grid
    bounds: Bounds
    light: Light
    size: tuple[int, int]
    time: float

    def packed(self) -> NDArray[np.float32]:
        """The uniform block `View` of include/view.glsl in std140 layout, shape (4 · 18,) float32."""
        camera, grid, bounds, light = self.camera, self.grid, self.bounds, self.light
        width, height = self.size
        near, far = camera.near_far()
        tangent = math.tan(0.5 * camera.fov)
        inset = EDGE * bounds.extent
        matrix = camera.projection(width / height) @ camera.view()
        rows = (
            *matrix.T,
            (*camera.eye, self.time),
            (*(camera.right * tangent * width / height), near),
            (*(camera.up * tangent), far),
            (*-camera.backward, bounds.extent),
            (*light.towards_sun, light.sun_mass),
            (*light.sun, SUN_POWER),
            (*RAYLEIGH, 0.0),
            (*HAZE, 0.0),
            (bounds.low[0], bounds.base, bounds.low[2], grid.level),
            (*bounds.high, inset),
            (grid.spacing, bounds.low[1], 1.0 / grid.shape[1], 1.0 / grid.shape[0]),
            (*light.absorption, bounds.depth),
            (*light.scatter, 0.0),
            (width, height, 1.0 / width, 1.0 / height),
        )
        return np.array(rows, np.float32).ravel()


class ViewBlock:
    """The uniform buffer that all programs read the view from."""

    def __init__(self, ctx: moderngl.Context) -> None:
        self._buffer = ctx.buffer(reserve=16 * _VECTORS, dynamic=True)

    def write(self, view: View) -> None:
        """Make `view` the one that everything is drawn with from now on."""
        self._buffer.write(view.packed().tobytes())
        self._buffer.bind_to_uniform_block(VIEW_BINDING)

    def release(self) -> None:
        """Free the buffer."""
        self._buffer.release()
