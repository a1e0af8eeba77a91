"""The loop without a window: frames by simulated time, independent of the machine's speed, and files made of them."""

from __future__ import annotations

import copy
import itertools
import math
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from waterview.core.commands import TimedDrop
from waterview.core.frame import Frame
from waterview.render.offscreen import OffscreenRenderer, offscreen_renderer
from waterview.render.shot import Shot
from waterview.sim.world import World
from waterview.waters.common.water import Water

from .film import film_frame_count
from .picture import settings_of
from .writers import WRITERS, FilmWriter, FrameWriter, PictureWriter, SeriesWriter, is_numbered, writer_for

_FOAM_SECONDS = 8.0
"""How long foam is followed before a single picture [s]; the renderer's own fades to a third in two, or sooner."""
_LEAD_IN = 4.0
"""For how long before its first picture the foam of a film of a sea is followed [s]."""
_FOAM_RATE = 15.0
"""Fewest frames that foam is followed through [1/s]."""


class Replay(Protocol):
    """Runs a recording again; see `waterview.scene.replay.play`."""

    def __call__(self, frames_per_second: float = ..., *, last: float | None = ...) -> Iterator[Frame]:
        """A frame for every 1/frames_per_second [s], or only those of the `last` seconds and the end."""


def run(
    world: World, seconds: float, frames_per_second: float, drops: Sequence[TimedDrop] = (), *, measured: bool = False
) -> Iterator[Frame]:
    """Simulate `seconds` [s] and yield a frame for every 1/frames_per_second [s], the first at time 0.

    Frames fall on whole time steps, so two runs with the same inputs give the same bits. With `measured` frames also
    hold velocities, where the model has them, and the fields over the run, where they are gathered.
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
        yield with_measurements(world.publish(number), world) if measured else world.publish(number)


def with_measurements(frame: Frame, world: World) -> Frame:
    """A frame of the `world` as it is now, with its velocities and the fields over the run."""
    seen = world.water.observe().velocity if world.water.can_be_coupled else None
    maxima = {} if world.maxima is None else world.maxima.field_maps()
    return frame.changed(velocity=None if seen is None else np.array(seen), maxima=maxima)


def frame_count(seconds: float, frames_per_second: float) -> int:
    """Number of frames that `run` yields."""
    return int(seconds * frames_per_second + 1e-9) + 1


def written_frame_count(out: Path, seconds: float, frames_per_second: float) -> int:
    """Number of frames that `write` makes for `out`: films and numbered pictures end before the moment of the end."""
    return (film_frame_count if is_film(out) else frame_count)(seconds, frames_per_second)


def is_film(out: Path) -> bool:
    """Whether `out` stands for a film or numbered pictures."""
    writer = WRITERS.get(out.suffix)
    return isinstance(writer, FilmWriter) or (isinstance(writer, PictureWriter) and "%" in out.name)


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
    drawn = isinstance(writer_for(out, frames_per_second), PictureWriter | FilmWriter)
    interval = _drawing_interval(frames_per_second) if drawn else 1
    count = interval * (written_frame_count(out, seconds, frames_per_second) - 1) + 1
    measured = isinstance(WRITERS[out.suffix], SeriesWriter)
    frames = itertools.islice(run(world, seconds, frames_per_second * interval, drops, measured=measured), count)
    lead_in = sea_before(world) if is_film(out) else ()
    return Output(out, shot, frames_per_second, interval, count, progress, lead_in).write(frames)


def sea_before(world: World) -> Iterator[Frame]:
    """What a sea that begins now may have been like before, for its foam: frames of the `_LEAD_IN` seconds up to now.

    They are those that come, of its water alone and dated back: a wind sea is much the same at any time. There are none
    of water that begins at rest, or has run for a while.
    """
    now = world.water.publish(0)
    return iter(()) if now.sea is None or now.time > 0.0 else _dated_back(copy.deepcopy(world.water), now)


def _dated_back(water: Water, now: Frame) -> Iterator[Frame]:
    every = max(1, round(water.params.steps_per_second / _FOAM_RATE))
    seconds = every / water.params.steps_per_second
    for number in range(-round(_LEAD_IN / seconds), 0):
        for _ in range(every):
            water.step()
        # The renderer follows foam over the same ground only, which is told by the array.
        yield water.publish(number).changed(time=number * seconds, bed=now.bed, fixed=now.fixed)


def write_replay(
    replay: Replay, out: Path, frames_per_second: float, shot: Shot, world: World | None = None
) -> list[Path]:
    """Replay a recording into a film or numbered files, or its end into one picture or file of numbers.

    The `world` that is replayed, if given, adds velocities and fields over the run to numbers.

    Returns:
        The paths written.

    Raises:
        InputError, DisplayError: as `write`; or the recording makes no sense.
    """
    writer = writer_for(out, frames_per_second)
    if isinstance(writer, PictureWriter) and not is_numbered(out):
        return Output(out, shot, _FOAM_RATE).write(replay(_FOAM_RATE, last=_FOAM_SECONDS))
    if isinstance(writer, PictureWriter | FilmWriter):
        interval = _drawing_interval(frames_per_second)
        return Output(out, shot, frames_per_second, interval).write(replay(frames_per_second * interval))
    frames = replay(frames_per_second, last=None if is_numbered(out) else 0.0)
    if world is not None and isinstance(writer, SeriesWriter):
        frames = (with_measurements(frame, world) for frame in frames)
    return Output(out, shot).write(frames)


@dataclass(frozen=True)
class Output:
    """The files that frames are written to.

    Attributes:
        out: one file; with a number such as %04d in its name every frame has a file, else a picture, a map or a mesh
            shows the last one.
        shot: size, camera and view settings of pictures.
        frames_per_second: those that are written, by which the camera moves on its path.
        interval: one frame of so many is drawn, beginning with the first; the others only leave foam and spray.
        count: number of frames; None if it is not known.
        progress: called after every frame that is written, or may be the last.
        lead_in: frames before the first, which leave their foam in it.
    """

    out: Path
    shot: Shot
    frames_per_second: float = 30.0
    interval: int = 1
    count: int | None = None
    progress: Callable[[], None] = lambda: None
    lead_in: Iterable[Frame] = ()

    def write(self, frames: Iterable[Frame]) -> list[Path]:
        """Write frames, whose serial numbers count from where the camera's path begins; returns the paths written.

        Raises:
            DisplayError: pictures are asked for and there is no OpenGL.
            InputError: the ending is unknown, or the place cannot be written to.
        """
        writer, frames = writer_for(self.out, self.frames_per_second), self._counted(frames)
        written: list[Path] = []
        match writer:
            case SeriesWriter():
                first = next(frames)
                writer.save(itertools.chain((first,), frames), self.count or 1, first.grid, self.out)
                written.append(self.out)
            case FrameWriter():
                for number, frame in enumerate(frames if is_numbered(self.out) else deque(frames, maxlen=1)):
                    written.append(self._place(number))
                    writer.save(frame, written[-1])
            case FilmWriter():
                with (
                    offscreen_renderer(self.shot) as renderer,
                    writer.open(self.out, self.shot.size, self.frames_per_second) as film,
                ):
                    for _, picture in self._pictures(frames, renderer):
                        film.add(picture)
                written.append(self.out)
            case PictureWriter():
                with offscreen_renderer(self.shot) as renderer:
                    draw = self._pictures if is_numbered(self.out) else self._last_picture
                    for number, (frame, picture) in enumerate(draw(frames, renderer)):
                        written.append(self._place(number))
                        writer.save(picture, written[-1], settings_of(frame, self.shot.view))
        return written

    def _place(self, number: int) -> Path:
        return self.out.with_name(self.out.name % number) if is_numbered(self.out) else self.out

    def _counted(self, frames: Iterable[Frame]) -> Iterator[Frame]:
        for number, frame in enumerate(frames):
            yield frame
            if number % self.interval == 0:
                self.progress()

    def _pictures(
        self, frames: Iterable[Frame], renderer: OffscreenRenderer
    ) -> Iterator[tuple[Frame, NDArray[np.uint8]]]:
        """One frame in `interval` and its picture; the others leave their foam."""
        for number, frame in enumerate(frames):
            seconds = frame.serial / (self.frames_per_second * self.interval)
            if number == 0:
                renderer.aim(frame)
                for earlier in self.lead_in:
                    renderer.follow(earlier, seconds)
            if number % self.interval == 0:
                yield frame, renderer.render(frame, seconds)
            else:
                renderer.follow(frame, seconds)

    def _last_picture(
        self, frames: Iterable[Frame], renderer: OffscreenRenderer
    ) -> Iterator[tuple[Frame, NDArray[np.uint8]]]:
        """The last frame and its picture, after `renderer` has followed the foam of those before it."""
        rate = self.frames_per_second * self.interval
        stride = max(1, round(rate / _FOAM_RATE))
        last: Frame | None = None
        for number, frame in enumerate(frames):
            last, left = frame, 0 if self.count is None else self.count - 1 - number
            if self.count is None or (0 < left <= _FOAM_SECONDS * rate and left % stride == 0):
                renderer.follow(frame, frame.serial / rate)
        if last is not None:
            yield last, renderer.render(last, last.serial / rate)


def _drawing_interval(frames_per_second: float) -> int:
    """Number of frames to simulate for each that is drawn, so that foam is followed closely enough."""
    return max(1, math.ceil(_FOAM_RATE / frames_per_second))
