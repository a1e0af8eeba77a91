"""A camera that orbits a point of the scene.

Matrices are float64 and act on column vectors: clip = projection @ view @ (x, y, z, 1). Screen points are counted from
the top left corner, in the unit of the `size` that is given with them.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Self

import numpy as np
from numpy.typing import NDArray

from waterview.core.frame import Frame
from waterview.core.grid import bilinear
from waterview.render.gl.gpu_frame import height_near
from waterview.render.settings import DEFAULT_SUN_AZIMUTH

from .bounds import CLEARANCE, LAND_DETAIL, Bounds

Array = NDArray[np.float64]
Size = tuple[int, int]
Point = tuple[float, float, float]

LOWEST, HIGHEST = math.radians(0.5), math.radians(90.0)
"""Limits of the elevation [rad]: not below the horizon, not over the top."""
DEEPEST = math.radians(-80.0)
"""Limit of the elevation [rad] for a camera that may dive."""
NEAREST, FARTHEST = 2.5, 4.0
"""Limits of the distance: the least in units of `Bounds.clearance`, the most in the scene's longer sides."""
ZOOM_STEP = 0.88
"""Factor by which one notch of the wheel changes the distance."""
_DEFAULT_FOV = math.radians(36.0)
_FILLED = 0.97
_LEAST_DEPTH = 3.0
"""Depth of water that the eye dives into, in clearances."""
_UPWARDS = math.radians(-4.0)  # elevation of a camera that has just dived: it sees the surface from below
# Where the ground is out of sight it sees the edge of Snell's window, which holds the sun however low that is.
_TO_THE_WINDOW, _WIDE = math.radians(-28.0), math.radians(60.0)


@dataclass
class OrbitCamera:
    """A camera at some distance and in some direction from its target.

    Attributes:
        bounds: the scene's box, which limits the motions and determines the near and far planes.
        target: the point looked at [m].
        distance: from eye to target [m].
        azimuth: direction from target to eye, from +z towards +x [rad].
        elevation: of the eye above the horizon seen from the target [rad].
        fov: vertical field of view [rad].
        dive: whether it may go under water, and for that below the horizon.
        whole: the box of all that is drawn, if the scene's box is a part of it.
    """

    bounds: Bounds
    target: Point
    distance: float
    azimuth: float
    elevation: float
    fov: float = _DEFAULT_FOV
    dive: bool = False
    whole: Bounds | None = None

    @classmethod
    def framing(cls, frame: Frame, aspect: float = 16.0 / 9.0) -> Self:
        """The view that a scene opens with: over its water towards its land. The block fills a picture of `aspect`."""
        bounds = Bounds.of(frame)
        x, y, z = (float(value) for value in bounds.middle)
        camera = cls(bounds, (x, y, z), bounds.extent, *_opening_angles(frame))
        for _ in range(4):
            camera._back_off(aspect)
            camera._centre()
        return camera

    # --- where it is ---------------------------------------------------------------------------------------------

    @property
    def backward(self) -> Array:
        """Unit vector from the target to the eye, shape (3,)."""
        flat = math.cos(self.elevation)
        return np.array([flat * math.sin(self.azimuth), math.sin(self.elevation), flat * math.cos(self.azimuth)])

    @property
    def right(self) -> Array:
        """Unit vector to the right of the picture, shape (3,); always horizontal."""
        return np.array([math.cos(self.azimuth), 0.0, -math.sin(self.azimuth)], np.float64)

    @property
    def up(self) -> Array:
        """Unit vector to the top of the picture, shape (3,); also defined straight above the target."""
        steep = math.sin(self.elevation)
        return np.array([-steep * math.sin(self.azimuth), math.cos(self.elevation), -steep * math.cos(self.azimuth)])

    @property
    def eye(self) -> Array:
        """Position of the camera [m], shape (3,)."""
        return np.array(self.target, np.float64) + self.distance * self.backward

    # --- matrices and rays ---------------------------------------------------------------------------------------

    def view(self) -> Array:
        """World to eye coordinates, shape (4, 4): x to the right, y up, z towards the viewer."""
        matrix = np.eye(4)
        matrix[:3, :3] = self.right, self.up, self.backward
        matrix[:3, 3] = -matrix[:3, :3] @ self.eye
        return matrix

    def near_far(self) -> tuple[float, float]:
        """Distances of the near and far plane [m]: as tight as the scene's box allows."""
        eye, drawn = self.eye, self.whole or self.bounds
        outside = drawn.distance_to(eye)
        near = max(0.5 * outside, min(0.25 * self.bounds.clearance, 0.05 * self.distance))
        far = float(np.linalg.norm(drawn.corners() - eye, axis=1).max())
        return near, max(1.1 * far, 2.0 * near)

    def projection(self, aspect: float, near_far: tuple[float, float] | None = None) -> Array:
        """Eye coordinates to clip space for a picture `aspect` times as wide as high, shape (4, 4).

        It is the matrix of `gluPerspective` (OpenGL 2.1), with other distances of the planes [m] if they are given.
        """
        near, far = near_far or self.near_far()
        focal = 1.0 / math.tan(0.5 * self.fov)
        matrix = np.diag([focal / aspect, focal, (far + near) / (near - far), 0.0])
        matrix[2, 3] = 2.0 * far * near / (near - far)
        matrix[3, 2] = -1.0
        return matrix

    def ray(self, px: float, py: float, size: Size) -> tuple[Array, Array]:
        """Origin [m] and unit direction of the ray through the screen point (px, py), each of shape (3,)."""
        width, height = max(size[0], 1), max(size[1], 1)
        tangent = math.tan(0.5 * self.fov)
        across = (2.0 * px / width - 1.0) * tangent * width / height
        upward = (1.0 - 2.0 * py / height) * tangent
        direction = across * self.right + upward * self.up - self.backward
        return self.eye, direction / np.linalg.norm(direction)

    def project(self, points: Array | Point, size: Size) -> Array:
        """Screen points (px, py) of world points [m], and their distances in front of the eye [m] (negative behind).

        Args:
            points: shape (3,) or (n, 3).
            size: width and height of the screen.

        Returns:
            px, py and distance, shape as `points`.
        """
        width, height = max(size[0], 1), max(size[1], 1)
        places = np.asarray(points, np.float64)
        clip = np.insert(places, 3, 1.0, axis=-1) @ (self.projection(width / height) @ self.view()).T
        w = np.where(clip[..., 3] == 0.0, math.inf, clip[..., 3])
        x, y = 0.5 * (1.0 + clip[..., 0] / w) * width, 0.5 * (1.0 - clip[..., 1] / w) * height
        return np.stack((x, y, clip[..., 3]), axis=-1)

    # --- motions -------------------------------------------------------------------------------------------------

    def orbit(self, dx: float, dy: float, size: Size, about: Point | None = None) -> None:
        """Turn by a drag of (dx, dy) screen units: half a turn across the height of the window.

        Args:
            dx: the drag to the right.
            dy: the drag downwards.
            size: width and height of the screen.
            about: a point [m] that stays where it is on the screen; None is the target.
        """
        before, eye = np.stack((self.right, self.up, self.backward)), self.eye
        angle = math.pi / max(size[1], 1)
        self.azimuth = math.remainder(self.azimuth - dx * angle, math.tau)
        self.elevation = min(max(self.elevation + dy * angle, DEEPEST if self.dive else LOWEST), HIGHEST)
        if about is not None:
            turned = np.stack((self.right, self.up, self.backward)).T @ before
            self._look_from(np.array(about) + turned @ (eye - np.array(about)), about[1])

    def _look_from(self, eye: Array, height: float) -> None:
        """Put the eye somewhere [m]; the target is what it then looks at, at that height if that is in the scene."""
        low, high, backward = self.bounds.low, self.bounds.high, self.backward
        reach = (float(eye[1]) - height) / float(backward[1]) if backward[1] else math.inf
        if not NEAREST * self.bounds.clearance <= reach <= FARTHEST * self.bounds.extent:
            reach = self.distance
        target = eye - reach * backward
        if not (low[0] <= target[0] <= high[0] and low[2] <= target[2] <= high[2]):
            reach, target = self.distance, eye - self.distance * backward
        self.distance, self.target = reach, (float(target[0]), float(target[1]), float(target[2]))

    def pan(self, dx: float, dy: float, size: Size) -> None:
        """Move horizontally, so that points at the target's height follow a drag of (dx, dy) screen units."""
        scale = 2.0 * self.distance * math.tan(0.5 * self.fov) / max(size[1], 1)
        ahead = np.array([-math.sin(self.azimuth), 0.0, -math.cos(self.azimuth)])
        # Near the horizon a pixel covers more and more ground; the limit keeps the speed finite.
        steepness = max(math.sin(self.elevation), 0.25)
        self._aim(np.array(self.target) - dx * scale * self.right + dy * scale / steepness * ahead)

    def zoom(self, notches: float, pointer: tuple[float, float], size: Size, anchor: Point | None = None) -> None:
        """Go closer by `notches` of the wheel (negative: away); the point under the pointer stays where it is.

        Args:
            notches: each multiplies the distance by `ZOOM_STEP`.
            pointer: position of the mouse, on a screen of `size`.
            size: width and height of the screen.
            anchor: the world point under the pointer; if None, where the pointer's ray meets the target's height.
        """
        extent = self.bounds.extent
        wanted = self.distance * ZOOM_STEP**notches
        distance = min(max(wanted, NEAREST * self.bounds.clearance), FARTHEST * extent)
        point = np.array(anchor, np.float64) if anchor is not None else self._pointed_at(pointer, size)
        self._aim(point + (np.array(self.target) - point) * (distance / self.distance))
        self.distance = distance

    def keep_above(self, frame: Frame) -> None:
        """Raise the eye around its target until it is clear of the ground and, unless it may dive, the water."""
        for elevation in np.linspace(self.elevation, HIGHEST, 48):
            self.elevation = float(elevation)
            if self.eye[1] >= lowest_eye(frame, self.eye, self.bounds, dry=not self.dive):
                return
        lift = lowest_eye(frame, self.eye, self.bounds, dry=not self.dive) - self.target[1]
        self.distance = max(lift, self.distance)

    def dive_at(
        self, frame: Frame, x: float, z: float, sight: float = math.inf, sun_azimuth: float | None = None
    ) -> bool:
        """Put the eye into the water at world x, z, a third of the way down, and look ahead and slightly up.

        Where the ground would be out of sight, the eye stays closer to the surface and looks up at it with a wide lens.

        Args:
            frame: the scene.
            x: where to dive [m].
            z: where to dive [m].
            sight: how far one sees in the water [m].
            sun_azimuth: direction to the sun, from +z towards +x [rad], to turn to it where the ground is out of sight.

        Returns:
            Whether the water there is deep enough; if not, nothing changes.
        """
        level = frame.grid.level + frame.grid.sample(frame.heights, x, z)
        depth, clearance = level - frame.grid.sample(frame.bed, x, z), self.bounds.clearance
        if depth < _LEAST_DEPTH * clearance:
            return False
        self.dive = True
        self.elevation, down, ahead = _UPWARDS, depth / 3.0, 3.0 * depth
        if depth - down > sight:
            down = max(min(down, sight / 3.0), clearance)
            self.elevation, self.fov, ahead = _TO_THE_WINDOW, max(self.fov, _WIDE), 3.0 * down
            self.azimuth = self.azimuth if sun_azimuth is None else math.remainder(sun_azimuth + math.pi, math.tau)
        self.distance = max(ahead, NEAREST * self.bounds.clearance)
        target = np.array((x, level - down, z)) - self.distance * self.backward
        self.target = (float(target[0]), float(target[1]), float(target[2]))
        return True

    def dive_near(
        self, frame: Frame, x: float, z: float, sight: float = math.inf, sun_azimuth: float | None = None
    ) -> bool:
        """Dive as `dive_at` does, at the deep enough water nearest to world x, z [m]; returns whether there is any."""
        depth = frame.grid.level + frame.heights - frame.bed
        deep = ~frame.fixed & (depth > _LEAST_DEPTH * self.bounds.clearance)
        if not deep.any():
            return False
        away = np.hypot(frame.grid.x[None, :] - x, frame.grid.z[:, None] - z)
        row, column = np.unravel_index(np.where(deep, away, np.inf).argmin(), deep.shape)
        return self.dive_at(frame, float(frame.grid.x[column]), float(frame.grid.z[row]), sight, sun_azimuth)

    def sink(self, frame: Frame, share: float) -> float:
        """Go down by a `share` of the depth under the surface (up where below 0), with the same view.

        Returns:
            How deep the eye then is [m], between the surface and the ground.
        """
        x, y, z = map(float, self.eye)
        level = frame.grid.level + frame.grid.sample(frame.heights, x, z)
        ground, lowest = frame.grid.sample(frame.bed, x, z), lowest_eye(frame, self.eye, self.bounds, dry=False)
        wanted = min(max(y - share * (level - ground), lowest), max(level - self.bounds.clearance, lowest))
        self.target = (self.target[0], self.target[1] + wanted - y, self.target[2])
        return level - wanted

    def _pointed_at(self, pointer: tuple[float, float], size: Size) -> Array:
        origin, direction = self.ray(*pointer, size)
        drop = self.target[1] - origin[1]
        reach = drop / direction[1] if direction[1] * drop > 0.0 else math.inf
        return origin + reach * direction if reach < 4.0 * self.distance else np.array(self.target, np.float64)

    def _aim(self, target: Array) -> None:
        """Shot at `target` [m], or at the point of the scene's box closest to it."""
        low, high = self.bounds.low, self.bounds.high
        x, y, z = (float(np.clip(value, low[i], high[i])) for i, value in enumerate(target))
        self.target = (x, y, z)

    def _back_off(self, aspect: float) -> None:
        """Go to the distance at which the block's corners take up a share `_FILLED` of the picture."""
        near, far = 0.1 * self.bounds.extent, FARTHEST * self.bounds.extent
        corners = self.bounds.corners() - np.array(self.target)
        across, upward, depth = corners @ self.right, corners @ self.up, corners @ self.backward
        tangent = _FILLED * math.tan(0.5 * self.fov)
        for _ in range(40):
            middle = 0.5 * (near + far)
            room = (middle - depth) * tangent
            fits = bool(np.all(room > np.abs(upward)) and np.all(room * aspect > np.abs(across)))
            near, far = (near, middle) if fits else (middle, far)
        self.distance = far

    def _centre(self) -> None:
        """Move horizontally towards or away from the viewer until the block is in the middle between top and bottom."""
        corners = self.bounds.corners() - self.eye
        upward = corners @ self.up / -(corners @ self.backward)
        offset = 0.5 * (upward.max() + upward.min()) * self.distance / math.sin(self.elevation)
        self._aim(np.array(self.target) - offset * np.array([math.sin(self.azimuth), 0.0, math.cos(self.azimuth)]))


def _opening_angles(frame: Frame) -> tuple[float, float]:
    """Opening azimuth and elevation [rad]: water in front, land behind, the sun ahead and to the side.

    If ground surrounds the water evenly, as in a basin, the camera looks in from higher up.
    """
    grid = frame.grid
    height = np.clip(frame.bed - grid.level, -1e30, 1e30).astype(np.float64)
    rise_x = float((height.mean(axis=0) * (grid.x - grid.x.mean())).sum())
    rise_z = float((height.mean(axis=1) * (grid.z - grid.z.mean())).sum())
    if math.hypot(rise_x, rise_z) < 1e-3 * float(np.abs(height).mean()) * max(grid.size) * max(grid.shape):
        return math.remainder(DEFAULT_SUN_AZIMUTH - math.radians(122.0), math.tau), math.radians(36.0)
    towards_water = math.atan2(-rise_x, -rise_z)
    sides = (towards_water - math.radians(28.0), towards_water + math.radians(28.0))
    best = min(sides, key=lambda side: abs(math.cos(side - DEFAULT_SUN_AZIMUTH) + 0.55))
    return math.remainder(best, math.tau), math.radians(27.0)


def lowest_eye(frame: Frame, eye: Array, bounds: Bounds, *, dry: bool) -> float:
    """Least height of an eye there [m]: clear of the ground, and of the water if it must stay `dry`.

    From the ground it keeps the farther, the higher that is above the shore or the deeper below it, up to
    `CLEARANCE`: so much farther from the ground's heights may the mesh be that is drawn of a recording.
    """
    x, z = float(eye[0]), float(eye[2])
    if not (bounds.low[0] <= x <= bounds.high[0] and bounds.low[2] <= z <= bounds.high[2]):
        return bounds.base + bounds.clearance
    ground = _highest_ground(frame, x, z)
    from_shore = max(ground - bounds.level, 0.25 * (bounds.level - ground))
    clear = ground + min(CLEARANCE * bounds.extent, bounds.clearance + from_shore)
    return max(clear, frame.grid.level + height_near(frame, x, z) + bounds.clearance) if dry else clear


def _highest_ground(frame: Frame, x: float, z: float) -> float:
    """Height of the ground at world x, z [m]: the grid's, or that of finer land (`land_heights`) where it is higher."""
    grid, ground = frame.grid, frame.grid.sample(frame.bed, x, z)
    if frame.land is None:
        return ground
    offset = frame.land.detail.offset
    ix, iz, tx, tz = grid.cell(x, z)
    column = (ix + tx) / (grid.shape[1] - 1) * (offset.shape[1] - 1)
    row = (iz + tz) / (grid.shape[0] - 1) * (offset.shape[0] - 1)
    j, i = min(int(column), offset.shape[1] - 2), min(int(row), offset.shape[0] - 2)
    most = LAND_DETAIL * max(ground - grid.level, 0.0)
    return ground + min(max(bilinear(offset[i : i + 2, j : j + 2], column - j, row - i), 0.0), most)
