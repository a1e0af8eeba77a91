"""What every shader is told about the moment: one uniform block, written once a picture."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import moderngl
import numpy as np
from numpy.typing import NDArray

from waterview.core.grid import Grid
from waterview.render.camera.bounds import Bounds
from waterview.render.camera.camera import OrbitCamera
from waterview.render.gl.shaders import VIEW_BINDING
from waterview.render.light.light import RAYLEIGH, SUN_POWER, Light

EDGE = 5e-4
"""How near the block's sides ground is looked up for rays in the water, as a share of its longer side."""
MIRROR_WIDER = 1.12
"""Field of view of the mirrored picture relative to the picture's own: waves also mirror what lies beside it."""
_VECTORS = 29

Array = NDArray[np.float64]


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
        lit_area: lowest x and z of the light map, and its sides [m].
        tile: side of the pool's tiles [m], 0 for natural ground.
        detail: length that fine waves repeat after [m].
        mirror_lift: how far above still water mirrored rays are looked up in the mirrored picture [m]; 0 without one.
    """

    camera: OrbitCamera
    grid: Grid
    bounds: Bounds
    light: Light
    size: tuple[int, int]
    time: float
    lit_area: tuple[float, float, float, float] = (0.0, 0.0, 1.0, 1.0)
    tile: float = 0.0
    detail: float = 1.0
    mirror_lift: float = 0.0

    @cached_property
    def matrix(self) -> Array:
        """World to clip space, shape (4, 4)."""
        return self.camera.projection(self.size[0] / self.size[1]) @ self.camera.view()

    def members(self, *, mirrored: bool = False) -> dict[str, Array]:
        """The members of the uniform block `View` in include/view.glsl by name, in its order, each of shape (n, 4).

        Args:
            mirrored: as the camera sees it that looks up from below still water at what the water mirrors.
        """
        camera, grid, bounds, light = self.camera, self.grid, self.bounds, self.light
        width, height = self.size
        near, far = camera.near_far()
        tangent = math.tan(0.5 * camera.fov) * (MIRROR_WIDER if mirrored else 1.0)
        matrix = self.matrix
        mirror_matrix = self._mirror_matrix(matrix)
        eye, right, up, forward = camera.eye, camera.right, camera.up, -camera.backward
        if mirrored:
            eye[1] = 2.0 * grid.level - eye[1]
            for vector in (right, up, forward):
                vector[1] = -vector[1]
        west, north, across, along = self.lit_area
        rows: dict[str, Sequence[float] | Array] = {
            "view_projection": (mirror_matrix if mirrored else matrix).T,
            "mirror_projection": mirror_matrix.T,
            "eye": (*eye, self.time),
            "right": (*(right * tangent * width / height), near),
            "up": (*(up * tangent), far),
            "forward": (*forward, bounds.extent),
            "sun": (*light.towards_sun, light.sun_mass),
            "sun_light": (*light.sun, SUN_POWER),
            "rayleigh": (*RAYLEIGH, 0.0),
            "haze": (*light.haze, 0.0),
            "sky_light": np.pad(light.sky, ((0, 0), (0, 1))),
            "sunk": (*light.sunk, light.entering),
            "lit_area": (west, north, 1.0 / across, 1.0 / along),
            "box_low": (bounds.low[0], bounds.base, bounds.low[2], grid.level),
            "box_high": (*bounds.high, EDGE * bounds.extent),
            "grid": (grid.spacing, bounds.low[1], 1.0 / grid.shape[1], 1.0 / grid.shape[0]),
            "absorption": (*light.absorption, bounds.depth),
            "scatter": (*light.scatter, 2.0 * tangent / height),
            "screen": (width, height, 1.0 / width, 1.0 / height),
            "look": (self.tile, 1.0 / self.detail, 0.0, self.mirror_lift),
        }
        return {name: np.asarray(row, np.float64).reshape(-1, 4) for name, row in rows.items()}

    def packed(self, *, mirrored: bool = False) -> NDArray[np.float32]:
        """`members` as one array, in std140 layout, shape (4 · 29,) float32."""
        return np.concatenate(list(self.members(mirrored=mirrored).values())).astype(np.float32).ravel()

    def _mirror_matrix(self, matrix: Array) -> Array:
        """World to the clip space of the mirrored picture: mirrored at still water, and a little wider."""
        mirror = np.eye(4)
        mirror[1, 1], mirror[1, 3] = -1.0, 2.0 * self.grid.level
        return np.diag((1.0 / MIRROR_WIDER, 1.0 / MIRROR_WIDER, 1.0, 1.0)) @ matrix @ mirror


class ViewBlock:
    """The uniform buffer that all programs read the view from."""

    def __init__(self, ctx: moderngl.Context) -> None:
        self._buffer = ctx.buffer(reserve=16 * _VECTORS, dynamic=True)

    def write(self, view: View, *, mirrored: bool = False) -> None:
        """Make `view` the one that everything is drawn with from now on."""
        self._buffer.write(view.packed(mirrored=mirrored).tobytes())
        self.use()

    def use(self) -> None:
        """Draw with what was written last."""
        self._buffer.bind_to_uniform_block(VIEW_BINDING)

    def release(self) -> None:
        """Free the buffer."""
        self._buffer.release()
