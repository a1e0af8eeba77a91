"""Camera paths in the window: a key saves keyframes, another flies along them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

from platformdirs import user_videos_path

from waterview.core.errors import InputError
from waterview.core.frame import Frame
from waterview.output.atomic import write_atomically
from waterview.output.picture import dated_path
from waterview.render.camera.camera import OrbitCamera
from waterview.render.camera.camera_path import Flight, FlyThrough, Keyframe, Turntable, path_text

KEYFRAME_SECONDS = 4.0
"""Time from one keyframe to the next [s]; it can be edited in the file."""


class FlightCapture:
    """Saves keyframes, and moves the camera along a path until the user moves it.

    Args:
        notify: shows a message to the user.
        flight: the first path to fly along; None is a turntable around the scene.
        folder: where paths are saved; None is the user's folder of videos, where films go.
    """

    def __init__(self, notify: Callable[[str], None], flight: Flight | None = None, folder: Path | None = None) -> None:
        self._notify = notify
        self._flight = flight
        self.folder = folder
        self._file: Path | None = None
        self.keyframes: tuple[Keyframe, ...] = ()
        self._start: float | None = None
        self._first: OrbitCamera | None = None  # where the flight began
        self._last: Keyframe | None = None  # where the camera was put last

    @property
    def on(self) -> bool:
        """Whether the camera follows a path."""
        return self._start is not None

    def add(self, camera: OrbitCamera) -> None:
        """Save the position of `camera` as the next keyframe; the whole file is written each time."""
        time = self.keyframes[-1].time + KEYFRAME_SECONDS if self.keyframes else 0.0
        path = FlyThrough((*self.keyframes, Keyframe.of(camera, time)), dive=camera.dive)
        file = self._file or dated_path(self.folder or user_videos_path() / "waterview", ".toml")
        try:
            write_atomically(file, "camera path", lambda place: place.write_text(path_text(path), encoding="utf-8"))
        except InputError as error:
            self._notify(str(error))
            return
        self._file, self.keyframes, self._flight = file, path.keyframes, path
        self._notify(f"keyframe {len(path.keyframes)} at {time:g} s in {file}; F8 flies along")

    def begin_anew(self) -> None:
        """Let the next keyframe be the first of another path."""
        self._file, self.keyframes = None, ()
        self._notify("the next F7 begins another camera path")

    def toggle(self, camera: OrbitCamera, now: float) -> None:
        """Begin to fly at time `now` [s] from `camera`, or stop."""
        if self.on:
            self._start = None
            return
        self._flight = self._flight or Turntable()
        self._start, self._first, self._last = now, replace(camera), Keyframe.of(camera, 0.0)

    def camera(self, current: OrbitCamera, frame: Frame, now: float) -> OrbitCamera:
        """The camera at time `now` [s]: on the path while it flies, else the `current` one.

        If the current camera is not where the flight put it last, the user or another scene moved it, and the flight
        ends.
        """
        if self._start is None or self._first is None or self._flight is None:
            return current
        if Keyframe.of(current, 0.0) != self._last:
            self._start = None
            return current
        time = now - self._start
        if isinstance(self._flight, FlyThrough) and time > self._flight.seconds:
            self._start = None
        camera = self._flight(self._first, frame, time)
        self._last = Keyframe.of(camera, 0.0)
        return camera
