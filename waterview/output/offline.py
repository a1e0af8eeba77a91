"""The loop without a window: frames by simulated time, independent of the machine's speed, and files made of them."""

from __future__ import annotations

import itertools
import math
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from waterview.core.commands import TimedDrop
from waterview.core.frame import Frame
from waterview.render.offscreen import OffscreenRenderer, offscreen_renderer
from waterview.render.shot import Shot
from waterview.sim.world import World

from .film import film_frame_count
from .picture import settings_of
from .writers import WRITERS, FilmWriter, FrameWriter, PictureWriter, SeriesWriter, is_numbered, writer_for

_FOAM_SECONDS = 8.0
"""How long foam is followed before a single picture [s]; the renderer's own fades to a third in two, or sooner."""
_FOAM_RATE = 15.0
"""Fewest frames that foam is followed through [1/s]."""


class Replay(Protocol):
    """Runs a recording again; see `waterview.scene.replay.play`."""

    def __call__(self, frames_per_second: float = ..., *, last: float | None = ...) -> Iterator[Frame]:
        """A frame for every 1/frames_per_second [s], or only those of the `last` seconds and the end."""


def run(world: World, seconds: float, frames_per_second: float, drops: Sequence[TimedDrop] = ()) -> Iterator[Frame]:
    """Simulate `seconds` [s] and yield a frame for every 1/frames_per_second [s], the first at time 0.

    Frames fall on whole time steps, so two runs with the same inputs give the same bits.
    """
    waiting = deque(sorted(drops, key=lambda timed: timed.time))
    rate = world.water.params.steps_per_second
    taken = 0
    for number in range(frame_count(seconds, frames_per_second)):
        due = round(number / frames_per_second * rate)
        while True:
            while waiting and waiting[0].time * rate < taken + 0.5:
                world.apply(waiting.popleft().drop)
            if taken == due:
                break
            together = 1 if waiting else due - taken
            world.advance(together, publish_next=taken + together == due)
            taken += together
        yield world.publish(number)


def frame_count(seconds: float, frames_per_second: float) -> int:
    """Number of frames that `run` yields."""
    return int(seconds * frames_per_second + 1e-9) + 1


def written_frame_count(out: Path, seconds: float, frames_per_second: float) -> int:
    """Number of frames that `write` makes for `out`: a film does not show the moment of its end."""
    is_film = isinstance(WRITERS.get(out.suffix), FilmWriter)
    return (film_frame_count if is_film else frame_count)(seconds, frames_per_second)


def write(
    world: World,
    out: Path,
    seconds: float,
    frames_per_second: float,
    drops: Sequence[TimedDrop],
    shot: Shot,
    progress: Callable[[], None] = lambda: None,
) -> list[Path]:
    """Simulate, and write what the ending of `out` stands for in `waterview.output.writers.WRITERS`.

    Returns:
        The paths written. `progress` is called after every frame of `written_frame_count`.

    Raises:
        InputError: the ending is unknown, or the place cannot be written to.
        DisplayError: pictures are asked for and there is no OpenGL.
    """
    writer = writer_for(out, frames_per_second)
    interval = _drawing_interval(frames_per_second) if isinstance(writer, PictureWriter | FilmWriter) else 1
    count = interval * (written_frame_count(out, seconds, frames_per_second) - 1) + 1
    frames = itertools.islice(run(world, seconds, frames_per_second * interval, drops), count)
    match writer:
        case SeriesWriter():
            writer.save(_counted(frames, progress), count, world.water.grid, out)
            return [out]
        case FrameWriter():
            return _save_frames(writer, frames, out, progress)
        case FilmWriter():
            return _film(writer, frames, out, shot, frames_per_second, interval, progress)
        case PictureWriter():
            return draw(frames, out, shot, progress, frames_per_second, interval, count)


def write_replay(replay: Replay, out: Path, frames_per_second: float, shot: Shot) -> list[Path]:
    """Replay a recording into a film or numbered files, or its end into one picture or file of numbers.

    Returns:
        The paths written.

    Raises:
        InputError, DisplayError: as `write`; or the recording makes no sense.
    """
    writer = writer_for(out, frames_per_second)
    interval = _drawing_interval(frames_per_second)
    match writer:
        case SeriesWriter():
            (end,) = replay(last=0.0)
            writer.save((end,), 1, end.grid, out)
            return [out]
        case FrameWriter():
            return _save_frames(writer, replay(frames_per_second, last=None if is_numbered(out) else 0.0), out)
        case FilmWriter():
            return _film(writer, replay(frames_per_second * interval), out, shot, frames_per_second, interval)
        case PictureWriter() if is_numbered(out):
            frames = replay(frames_per_second * interval)
            return draw(frames, out, shot, frames_per_second=frames_per_second, interval=interval)
        case PictureWriter():
            frames = replay(_FOAM_RATE, last=_FOAM_SECONDS)
            return draw(frames, out, shot, frames_per_second=_FOAM_RATE)


def draw(
    frames: Iterable[Frame],
    out: Path,
    shot: Shot,
    progress: Callable[[], None] = lambda: None,
    frames_per_second: float = 30.0,
    interval: int = 1,
    count: int | None = None,
) -> list[Path]:
    """Draw frames into numbered pictures, or the last one into one picture where `out` has no number.

    Args:
        frames: what to draw; their serial numbers count from where the camera's path begins.
        out: a picture; with a number such as %04d in its name each frame is drawn into a file.
        shot: size, camera and view settings.
        progress: called after every frame that is drawn, or may be the last.
        frames_per_second: those that are drawn, by which the camera moves on its path.
        interval: one frame of so many is drawn, beginning with the first; the others only leave foam and spray.
        count: number of frames, if those of the last seconds are enough for one picture.

    Returns:
        The paths written.

    Raises:
        DisplayError: there is no OpenGL.
        InputError: the place cannot be written to.
    """
    writer = writer_for(out, frames_per_second)
    assert isinstance(writer, PictureWriter)
    written: list[Path] = []
    with offscreen_renderer(shot) as renderer:
        if is_numbered(out):
            for number, (frame, picture) in enumerate(_pictures(frames, renderer, frames_per_second, interval)):
                written.append(out.with_name(out.name % number))
                writer.save(picture, written[-1], settings_of(frame, shot.view))
                progress()
            return written
        last = _last_followed(frames, renderer, frames_per_second, interval, count, progress)
        if last is not None:
            picture = renderer.render(last, last.serial / (frames_per_second * interval))
            writer.save(picture, out, settings_of(last, shot.view))
            written.append(out)
    return written


def _last_followed(
    frames: Iterable[Frame],
    renderer: OffscreenRenderer,
    frames_per_second: float,
    interval: int,
    count: int | None,
    progress: Callable[[], None],
) -> Frame | None:
    """The last frame, after `renderer` has followed the foam of those before it; for arguments see `draw`."""
    rate = frames_per_second * interval
    stride = max(1, round(rate / _FOAM_RATE))
    last: Frame | None = None
    for number, frame in enumerate(frames):
        last, left = frame, 0 if count is None else count - 1 - number
        if count is None or (0 < left <= _FOAM_SECONDS * rate and left % stride == 0):
            renderer.follow(frame, frame.serial / rate)
        if number % interval == 0:
            progress()
    return last


def _film(
    writer: FilmWriter,
    frames: Iterable[Frame],
    out: Path,
    shot: Shot,
    frames_per_second: float,
    interval: int,
    progress: Callable[[], None] = lambda: None,
) -> list[Path]:
    """Draw one frame in `interval` into the film `out`, which can be played as far as it came, whatever stops it."""
    with offscreen_renderer(shot) as renderer, writer.open(out, shot.size, frames_per_second) as film:
        for _, picture in _pictures(frames, renderer, frames_per_second, interval):
            film.add(picture)
            progress()
    return [out]


def _pictures(
    frames: Iterable[Frame], renderer: OffscreenRenderer, frames_per_second: float, interval: int
) -> Iterator[tuple[Frame, NDArray[np.uint8]]]:
    """One frame in `interval` and its picture, beginning with the first; the others leave their foam."""
    for number, frame in enumerate(frames):
        seconds = frame.serial / (frames_per_second * interval)
        if number % interval == 0:
            yield frame, renderer.render(frame, seconds)
        else:
            renderer.follow(frame, seconds)


def _drawing_interval(frames_per_second: float) -> int:
    """Number of frames to simulate for each that is drawn, so that foam is followed closely enough."""
    return max(1, math.ceil(_FOAM_RATE / frames_per_second))


def _save_frames(
    writer: FrameWriter, frames: Iterable[Frame], out: Path, progress: Callable[[], None] = lambda: None
) -> list[Path]:
    """Save every frame to a numbered file, or the last one where `out` has no number."""
    written: list[Path] = []
    last: Frame | None = None
    for number, frame in enumerate(frames):
        if is_numbered(out):
            written.append(out.with_name(out.name % number))
            writer.save(frame, written[-1])
        last = frame
        progress()
    if not is_numbered(out) and last is not None:
        written.append(out)
        writer.save(last, out)
    return written


def _counted(frames: Iterable[Frame], progress: Callable[[], None]) -> Iterator[Frame]:
    for frame in frames:
        yield frame
        progress()
