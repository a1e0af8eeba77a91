"""Camera paths: once around the scene, or a smooth flight through saved keyframes."""

from __future__ import annotations

import math
import tomllib
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from waterview.core.errors import InputError, ParameterError
from waterview.core.files import read_text
from waterview.core.frame import Frame
from waterview.core.saved import entry_of

from .camera import DEEPEST, FARTHEST, HIGHEST, NEAREST, OrbitCamera, Point, lowest_eye

Array = NDArray[np.float64]
Flight = Callable[[OrbitCamera, Frame, float], OrbitCamera]
"""Maps the first camera, the frame and the time since the start [s] to the camera at that time."""

TURN_SECONDS = 20.0
"""Default duration of one turn of the turntable [s]."""
_FAR = 0.6
"""Distance beyond which a camera shows most of the block, in units of its longer side."""

MAX_SECONDS = 1e6
"""Latest time of a keyframe, and longest turn [s]."""

_LEAST_INTERVAL = 1e-6  # between keyframes [s]
_LARGEST_EXPONENT = 700.0  # e to this power is still a number
_WIDEST = 120.0


@dataclass(frozen=True)
class Keyframe:
    """The camera at one time.

    Attributes:
        time: since the start of the path [s].
        target: the point looked at [m].
        distance: from eye to target [m].
        azimuth: direction from target to eye, from +z towards +x [degrees].
        elevation: of the eye above the horizon seen from the target [degrees].
        fov: vertical field of view [degrees].
    """

    time: float
    target: tuple[float, float, float]
    distance: float
    azimuth: float
    elevation: float
    fov: float = 36.0

    @classmethod
    def of(cls, camera: OrbitCamera, time: float) -> Keyframe:
        """The keyframe of `camera` at `time` [s]."""
        angles = (math.degrees(angle) for angle in (camera.azimuth, camera.elevation, camera.fov))
        return cls(time, camera.target, camera.distance, *angles)


class Turntable:
    """Circles the block, or the first camera's target if that camera is near, once every `seconds` [s].

    The opening view looks at a point in front of the block's middle; around that point the block would leave the view.

    Raises:
        ParameterError: the time is not above 0, or longer than `MAX_SECONDS`.
    """

    def __init__(self, seconds: float = TURN_SECONDS) -> None:
        if not 0.0 < seconds <= MAX_SECONDS:
            raise ParameterError(f"a turn in {seconds:g} s: allowed are values above 0 up to {MAX_SECONDS:g} s")
        self.seconds = seconds

    def __call__(self, first: OrbitCamera, frame: Frame, time: float) -> OrbitCamera:
        """The camera at `time` [s]."""
        angle = math.tau * (time / self.seconds % 1.0)
        target = first.target
        if first.distance > _FAR * first.bounds.extent:
            target = _turned(target, first.bounds.middle, angle)
        azimuth = math.remainder(first.azimuth + angle, math.tau)
        return _above_ground(replace(first, target=target, azimuth=azimuth), frame)


class FlyThrough:
    """Flies through keyframes along a Catmull–Rom spline, and rests before the first and after the last.

    Between two keyframes the spline is a cubic Hermite spline. Its slope at a keyframe is that of the parabola through
    it and its neighbours, so keyframes may have uneven times. Distances are interpolated by their logarithms; azimuths
    turn the short way.

    Args:
        keyframes: at least one, at rising times.
        dive: whether the camera may go under water; it stays above the ground in any case.

    Raises:
        ParameterError: there is none, their times do not rise, or a number is not allowed.
    """

    def __init__(self, keyframes: Sequence[Keyframe], dive: bool = False) -> None:
        if not keyframes:
            raise ParameterError("a camera path without keyframes: at least one is needed")
        for number, key in enumerate(keyframes, 1):
            _check(key, number)
        times = np.array([key.time for key in keyframes])
        too_soon = np.diff(times) < _LEAST_INTERVAL
        if too_soon.any():
            late = int(np.argmax(too_soon)) + 1
            raise ParameterError(
                f"keyframe {late + 1} at {times[late]:g} s after {times[late - 1]:g} s: times must rise, by "
                f"{_LEAST_INTERVAL:g} s or more"
            )
        self.keyframes = tuple(keyframes)
        self.dive = dive
        self._times = times
        self._values = np.array([_numbers(key) for key in keyframes])
        self._values[:, 4] = np.unwrap(self._values[:, 4])
        # Those of the parabolas through three keyframes, and 0 at both ends, where the camera rests.
        self._slopes = np.zeros_like(self._values)
        if len(times) > 2:
            self._slopes[1:-1] = np.gradient(self._values, times, axis=0)[1:-1]

    @property
    def seconds(self) -> float:
        """Time of the last keyframe [s]."""
        return float(self._times[-1])

    def __call__(self, first: OrbitCamera, frame: Frame, time: float) -> OrbitCamera:
        """The camera at `time` [s]; only the scene's bounds are taken from the `first` camera."""
        x, y, z, distance, azimuth, elevation, fov = (float(value) for value in self._at(time))
        away = math.exp(min(distance, _LARGEST_EXPONENT))  # between uneven times the curve overshoots
        camera = replace(
            first,
            target=(x, y, z),
            distance=min(max(away, NEAREST * first.bounds.clearance), FARTHEST * first.bounds.extent),
            azimuth=math.remainder(azimuth, math.tau),
            elevation=min(max(elevation, DEEPEST), HIGHEST),
            fov=min(max(fov, math.radians(1.0)), math.radians(_WIDEST)),
            dive=self.dive,
        )
        return _above_ground(camera, frame)

    def _at(self, time: float) -> Array:
        """The numbers of `_numbers` at `time` [s], shape (7,)."""
        times = self._times
        if len(times) == 1:
            return np.asarray(self._values[0], np.float64)
        time = min(max(time, float(times[0])), float(times[-1]))
        i = min(max(int(np.searchsorted(times, time, "right")) - 1, 0), len(times) - 2)
        length = float(times[i + 1] - times[i])
        s = (time - float(times[i])) / length
        (p, q), (u, v) = self._values[i : i + 2], length * self._slopes[i : i + 2]
        smooth = s * s * (3.0 - 2.0 * s)
        found = (1.0 - smooth) * p + smooth * q + s * (1.0 - s) * ((1.0 - s) * u - s * v)
        return np.asarray(found, np.float64)


def parse_path(text: str) -> Flight:
    """The path called "turntable[:SECONDS]", or the one in a file of keyframes.

    Raises:
        InputError: it is neither.
    """
    name, colon, seconds = text.partition(":")
    if name == "turntable":
        try:
            return Turntable(float(seconds) if colon else TURN_SECONDS)
        except ValueError as error:
            raise ParameterError(
                f"--camera-path '{text}': needed is turntable:SECONDS, for example turntable:30"
            ) from error
        except ParameterError as error:
            raise ParameterError(f"--camera-path '{text}': {error}") from error
    return read_path(Path(text))


def read_path(path: Path) -> FlyThrough:
    """Read a fly-through from a file.

    Raises:
        InputError: it cannot be read, or makes no sense.
    """
    try:
        content = tomllib.loads(read_text(path))
    except (OSError, ValueError, RecursionError) as error:
        reason = error.strerror if isinstance(error, OSError) else f"it is no TOML: {error}"
        raise InputError(
            f"cannot read the camera path {path}: {reason}; give turntable:SECONDS or a file saved with F7"
        ) from error
    try:
        keyframes = [_keyframe(table) for table in entry_of(content, "keyframes", list)]
        return FlyThrough(keyframes, entry_of(content, "dive", bool, False))
    except ParameterError as error:
        raise InputError(f"camera path {path}: {error}") from error
    except (KeyError, ValueError) as error:
        raise InputError(
            f"the camera path {path} makes no sense ({error}): each of [[keyframes]] needs time, target = [x, y, z], "
            "distance, azimuth and elevation as numbers, dive is true or false"
        ) from error


def path_text(path: FlyThrough) -> str:
    """The text of a file that `read_path` reads."""
    lines = ["# A camera path of waterview: time in s, target and distance in m, angles in degrees."]
    lines += ["dive = true"] if path.dive else []
    for key in path.keyframes:
        x, y, z = key.target
        lines += ["", "[[keyframes]]", f"time = {key.time!r}", f"target = [{x!r}, {y!r}, {z!r}]"]
        lines += [f"{name} = {getattr(key, name)!r}" for name in ("distance", "azimuth", "elevation", "fov")]
    return "\n".join(lines) + "\n"


def _keyframe(table: object) -> Keyframe:
    target = entry_of(table, "target", tuple[float, float, float])
    numbers = {name: entry_of(table, name, float) for name in ("time", "distance", "azimuth", "elevation")}
    return Keyframe(target=target, fov=entry_of(table, "fov", float, Keyframe.fov), **numbers)


def _check(key: Keyframe, number: int) -> None:
    for name, value, low, high in (
        ("time", key.time, 0.0, MAX_SECONDS),
        ("distance", key.distance, 1e-6, 1e9),
        ("azimuth", key.azimuth, -1e6, 1e6),
        ("elevation", key.elevation, math.degrees(DEEPEST), 90.0),
        ("fov", key.fov, 1.0, _WIDEST),
        *(("target", value, -1e9, 1e9) for value in key.target),
    ):
        if not low <= value <= high:
            raise ParameterError(f"keyframe {number}, {name} {value:g}: allowed are {low:g} to {high:g}")


def _numbers(key: Keyframe) -> tuple[float, ...]:
    angles = (math.radians(angle) for angle in (key.azimuth, key.elevation, key.fov))
    return (*key.target, math.log(key.distance), *angles)


def _turned(point: Point, middle: Array, angle: float) -> Point:
    """`point` [m] turned about a vertical axis through `middle`, from +z towards +x [rad]."""
    x, z = point[0] - float(middle[0]), point[2] - float(middle[2])
    cosine, sine = math.cos(angle), math.sin(angle)
    return float(middle[0]) + cosine * x + sine * z, point[1], float(middle[2]) + cosine * z - sine * x


def _above_ground(camera: OrbitCamera, frame: Frame) -> OrbitCamera:
    """The camera and its target, lifted until the eye is clear of the ground and, unless it may dive, the water.

    Turning the camera up about its target (`OrbitCamera.keep_above`) would make the view jump.
    """
    eye = camera.eye
    low = lowest_eye(frame, eye, camera.bounds, dry=not camera.dive)
    x, y, z = camera.target
    return replace(camera, target=(x, y + max(low - float(eye[1]), 0.0), z))
