"""What every shader knows about a picture: one uniform block, written once per picture."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import moderngl
import numpy as np
from numpy.typing import NDArray

from waterview.core.frame import OpenSea
from waterview.core.grid import Grid
from waterview.render.camera.bounds import Bounds
from waterview.render.camera.camera import OrbitCamera
from waterview.render.daylight import Light
from waterview.render.gl.shaders import VIEW_BINDING
from waterview.render.settings import GROUTS

REFLECTION_WIDER = 1.12
"""Field of view of the reflected picture relative to the picture: waves also reflect what lies beside it."""
PATCHES = 2
"""Patches of waves that the open sea is drawn with."""
SEA_REACH = 24.0
"""How far the open sea has a mesh, in units of the block's longer side; beyond that it is flat."""
NO_FLOOR = (0.0, 0.0, -1.0, -1.0)
"""`View.level_floor` where no floor is known to be level: nothing lies in it."""
_VECTORS = 32

Array = NDArray[np.float64]


def sea_planes(camera: OrbitCamera, bounds: Bounds) -> tuple[float, float]:
    """Distances of the near and far plane [m]: the camera's, but wider for a sea that begins at its feet."""
    near, far = camera.near_far()
    above = abs(float(camera.eye[1]) - bounds.level)
    return min(near, max(0.1 * above, 1e-3 * bounds.extent)), max(far, SEA_REACH * bounds.extent + above)


def in_sight(matrix: Array, low: Array, high: Array, heights: tuple[float, float]) -> NDArray[np.bool_]:
    """Which boxes may be in the picture, shape (n,).

    Args:
        matrix: world to clip space, shape (4, 4).
        low: lowest x and z of each, shape (n, 2).
        high: highest, shape (n, 2).
        heights: lowest and highest y of all.
    """
    ends, one = (low, high), np.ones(len(low))
    corners = np.array([(x[:, 0], y * one, z[:, 1], one) for x in ends for y in heights for z in ends])
    return _may_be_seen(np.einsum("ij,cjn->nci", matrix, corners))


def _may_be_seen(clip: Array) -> NDArray[np.bool_]:
    """Which boxes may be in the picture, by their corners in clip space, shape (n, corners, 4)."""
    place, w = clip[..., :3], clip[..., 3:]
    beyond = np.all(np.concatenate((place < -w, place > w), axis=2), axis=1)  # all corners, for each plane
    return np.asarray(~np.any(beyond, axis=1))


@dataclass(frozen=True, eq=False)
class View:
    """What one camera sees at one time.

    Attributes:
        camera: where it is seen from.
        grid: where the water's points lie.
        bounds: the scene's box.
        light: sun, air and water.
        size: width and height of the scene's target [pixels].
        time: simulated time [s].
        caustic_area: lowest x and z of the caustic map, and its sides [m].
        tile: side of the pool's tiles [m], 0 for natural ground.
        detail: length after which fine waves repeat [m].
        reflection_lift: height above still water at which rays are looked up in the reflected picture [m]; 0 if there
            is none.
        grain: unit of what is finer than the ground's maps [m]; 0 is the scene's longer side.
        sea: the waves of the open sea, or None if nobody needs them.
        sea_gain: factor of its waves.
        sea_known: whether the model knows them; else they are as steep as the block's.
        planes: distances of the near and far plane [m], or None for the camera's.
        air_begins: how far from the eye the air begins that dims what is far away [m].
        grout: albedo of the joints between the pool's tiles, linear RGB.
        waterline_rows: middle of the two dark rows of tiles, above still water [tiles].
        level_floor: lowest x and z, highest x and z of a rectangle in which a pool's floor is level [m].
    """

    camera: OrbitCamera
    grid: Grid
    bounds: Bounds
    light: Light
    size: tuple[int, int]
    time: float
    caustic_area: tuple[float, float, float, float] = (0.0, 0.0, 1.0, 1.0)
    tile: float = 0.0
    detail: float = 1.0
    reflection_lift: float = 0.0
    grain: float = 0.0
    sea: OpenSea | None = None
    sea_gain: float = 1.0
    sea_known: bool = False
    planes: tuple[float, float] | None = None
    air_begins: float = 0.0
    grout: tuple[float, float, float] = GROUTS["grey"]
    waterline_rows: float = 0.5
    level_floor: tuple[float, float, float, float] = NO_FLOOR

    @cached_property
    def near_far(self) -> tuple[float, float]:
        """Distances of the near and far plane [m]."""
        return self.planes or self.camera.near_far()

    @cached_property
    def matrix(self) -> Array:
        """World to clip space, shape (4, 4)."""
        return self.camera.projection(self.size[0] / self.size[1], self.near_far) @ self.camera.view()

    def sides_in_picture(self) -> tuple[int, int, int, int] | None:
        """The rectangle of pixels in which cut sides of the block may be seen: lowest x and y, width and height.

        None where there are none: each is turned away from the eye or out of sight.
        """
        (west, _, north), (east, _, south), eye = self.bounds.low, self.bounds.high, self.camera.eye
        across = [x for x, is_seen in ((west, eye[0] < west), (east, eye[0] > east)) if is_seen]
        along = [z for z, is_seen in ((north, eye[2] < north), (south, eye[2] > south)) if is_seen]
        facing = [((x, north), (x, south)) for x in across] + [((west, z), (east, z)) for z in along]
        heights = self.bounds.base, self.bounds.drawn_top
        corners = np.array([[(x, y, z, 1.0) for x, z in side for y in heights] for side in facing]).reshape(-1, 4, 4)
        clip = corners @ self.matrix.T
        clip = clip[_may_be_seen(clip)].reshape(-1, 4)
        if len(clip) == 0:
            return None
        # A corner behind the eye has no place in the picture, nor has one whose height is no number.
        if not clip[:, 3].min() > 0.0:
            return 0, 0, *self.size
        pixels = (0.5 + 0.5 * clip[:, :2] / clip[:, 3:]) * self.size
        (left, bottom), (right, upper) = pixels.min(axis=0).tolist(), pixels.max(axis=0).tolist()
        width, height = self.size
        # A pixel more on all sides: the mesh of the sides has more corners, which are rounded each for itself.
        first = min(max(int(left) - 1, 0), width), min(max(int(bottom) - 1, 0), height)
        behind = min(max(int(right) + 2, first[0]), width), min(max(int(upper) + 2, first[1]), height)
        return *first, behind[0] - first[0], behind[1] - first[1]

    def members(self, *, mirrored: bool = False) -> dict[str, Array]:
        """The members of the uniform block `View` (include/view.list) by name, in its order, each of shape (n, 4).

        Args:
            mirrored: as seen by the camera mirrored at still water, which draws the reflected picture.
        """
        camera, grid, bounds, light = self.camera, self.grid, self.bounds, self.light
        width, height = self.size
        near, far = self.near_far
        tangent = math.tan(0.5 * camera.fov) * (REFLECTION_WIDER if mirrored else 1.0)
        matrix = self.matrix
        reflection_matrix = self._reflection_matrix(matrix)
        eye, right, up, forward = camera.eye, camera.right, camera.up, -camera.backward
        if mirrored:
            eye[1] = 2.0 * grid.level - eye[1]
            for vector in (right, up, forward):
                vector[1] = -vector[1]
        west, north, across, along = self.caustic_area
        wind = 0.0 if self.sea is None else self.sea.wind
        air = light.air_dimming(float(camera.eye[1]) - grid.level)
        rows: dict[str, Sequence[float] | Array] = {
            "view_projection": (reflection_matrix if mirrored else matrix).T,
            "reflection_projection": reflection_matrix.T,
            "eye_and_time": (*eye, self.time),
            "right_and_near": (*(right * tangent * width / height), near),
            "up_and_far": (*(up * tangent), far),
            "forward_and_extent": (*forward, bounds.extent),
            "sun_direction": (*light.towards_sun, air[0]),
            "sun_irradiance": (*light.sun, air[1]),
            "haze": (*light.haze, self.grain or bounds.extent),
            "sky_light": np.column_stack((light.sky, (*self._clouds(), air[2]))),
            "refracted_sun_and_transmittance": (*light.refracted_sun, light.sun_transmittance),
            "caustic_area": (west, north, 1.0 / across, 1.0 / along),
            "box_low_and_level": (bounds.low[0], bounds.base, bounds.low[2], grid.level),
            "box_high_and_air": (*bounds.high, self.air_begins),
            "grid_layout": (grid.spacing, bounds.low[1], 1.0 / grid.shape[1], 1.0 / grid.shape[0]),
            "absorption_and_depth": (*light.absorption, bounds.depth),
            "backscatter_and_pixel": (*light.backscatter, 2.0 * tangent / height),
            "picture_and_wind": (width, height, math.cos(wind), math.sin(wind)),
            "scales": (self.tile, 1.0 / self.detail, bounds.depth_around, self.reflection_lift),
            "pool_lining": (*self.grout, self.waterline_rows),
            "level_floor": self.level_floor,
            "sea_patches": self._sea_patches(),
            "open_sea": self._open_sea(),
        }
        return {name: np.asarray(row, np.float64).reshape(-1, 4) for name, row in rows.items()}

    def packed(self, *, mirrored: bool = False) -> NDArray[np.float32]:
        """`members` as one array in std140 layout, shape (4 · 32,) float32."""
        return np.concatenate(list(self.members(mirrored=mirrored).values())).astype(np.float32).ravel()

    def _clouds(self) -> tuple[float, float, float]:
        clouds = self.light.clouds
        if clouds is None:
            return 0.0, 0.0, 1.0
        drift = clouds.drift(self.time) - clouds.drift(clouds.lit_at(self.time))
        return float(drift[0]), float(drift[1]), clouds.height

    def _sea_patches(self) -> list[float]:
        patches = () if self.sea is None else self.sea.patches[:PATCHES]
        sides = [1.0 / side for each in patches for side in each.size]
        return sides + [1.0] * (2 * PATCHES - len(sides))

    def _open_sea(self) -> tuple[float, float, float, float]:
        if self.sea is None:
            return (0.0,) * 4
        known = max(sum(patch.steepness for patch in self.sea.patches[:PATCHES]), 1e-9) if self.sea_known else 0.0
        return known, self.sea.roughness, self.sea.scale, self.sea.wind_speed

    def _reflection_matrix(self, matrix: Array) -> Array:
        """World to the clip space of the reflected picture: mirrored at still water, and a little wider."""
        mirror = np.eye(4)
        mirror[1, 1], mirror[1, 3] = -1.0, 2.0 * self.grid.level
        return np.diag((1.0 / REFLECTION_WIDER, 1.0 / REFLECTION_WIDER, 1.0, 1.0)) @ matrix @ mirror


class ViewBlock:
    """The uniform buffer from which all programs read the view."""

    def __init__(self, ctx: moderngl.Context) -> None:
        self._buffer = ctx.buffer(reserve=16 * _VECTORS, dynamic=True)
        self._held: tuple[View, bool] | None = None

    def write(self, view: View, *, mirrored: bool = False) -> None:
        """Use `view` for all that is drawn from now on."""
        if self._held != (view, mirrored):
            self._buffer.write(view.packed(mirrored=mirrored).tobytes())
            self._held = view, mirrored
        self.use()

    def use(self) -> None:
        """Use what was written last."""
        self._buffer.bind_to_uniform_block(VIEW_BINDING)

    def release(self) -> None:
        """Free the buffer."""
        self._buffer.release()
