"""The same water and the same picture without a window, frame by frame and independent of the machine's speed."""

from __future__ import annotations

import itertools
import math
import re
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from waterview.core.commands import TimedDrop
from waterview.core.errors import InputError
from waterview.core.frame import Frame
from waterview.render.offscreen import OffscreenRenderer, offscreen_renderer
from waterview.render.shot import Shot
from waterview.sim.world import World

from .film import FILM_ENDINGS, Film, check_film, film_frame_count, is_film
from .geotiff import save_geotiff
from .heights import save_heights
from .mesh import save_mesh
from .picture import save_picture, settings_of
from .zarr_store import save_zarr

_FOAM_SECONDS = 8.0
"""How long foam is followed before a single picture [s]; the renderer's own fades to a third in two, or sooner."""
_FOLLOWED = 15.0
"""How often foam is followed at least [1/s]."""
_NUMBERED = re.compile(r"[^%]*%0?[0-9]{0,2}d[^%]*")
_SAVERS = {".tif": save_geotiff, ".glb": save_mesh, ".obj": save_mesh}
_NUMBERS = {".npz": save_heights, ".zarr": save_zarr}


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
            world.advance(together, shown=taken + together == due)
            taken += together
        yield world.publish(number)


def frame_count(seconds: float, frames_per_second: float) -> int:
    """Number of frames that `run` yields."""
    return int(seconds * frames_per_second + 1e-9) + 1


def draw(
    frames: Iterable[Frame],
    out: Path,
    shot: Shot,
    progress: Callable[[], None] = lambda: None,
    frames_per_second: float = 30.0,
    often: int = 1,
    count: int | None = None,
) -> list[Path]:
    """Draw frames into numbered pictures, or the last one into one picture where `out` has no number.

    Args:
        frames: what to draw; their serial numbers count from where the camera's path begins.
        out: a .png file; with a number such as %04d in its name frames are drawn one by one.
        shot: how.
        progress: called after every frame that is drawn, or may be the last.
        frames_per_second: those that are drawn, by which the camera moves on its path.
        often: of so many frames one is drawn, the first to begin with; the others leave their foam and spray only.
        count: how many frames there are, if for one picture those of the last seconds will do.

    Returns:
        The paths written.

    Raises:
        DisplayError: there is no OpenGL.
        InputError: the place cannot be written to.
    """
    if not is_numbered(out):
        return _draw_last(frames, out, shot, progress, frames_per_second, often, count)
    written: list[Path] = []
    with offscreen_renderer(shot) as renderer:
        for number, (frame, picture) in enumerate(_pictures(frames, renderer, frames_per_second, often)):
            written.append(out.with_name(out.name % number))
            save_picture(picture, written[-1], settings_of(frame, shot.view))
            progress()
    return written


def _draw_last(
    frames: Iterable[Frame],
    out: Path,
    shot: Shot,
    progress: Callable[[], None],
    frames_per_second: float,
    often: int,
    count: int | None,
) -> list[Path]:
    """Draw the last of some frames, with the foam of those before it; for arguments see `draw`."""
    rate = frames_per_second * often
    seldom = max(1, round(rate / _FOLLOWED))
    last: Frame | None = None
    with offscreen_renderer(shot) as renderer:
        for number, frame in enumerate(frames):
            last, left = frame, 0 if count is None else count - 1 - number
            if count is None or (0 < left <= _FOAM_SECONDS * rate and left % seldom == 0):
                renderer.follow(frame, frame.serial / rate)
            if number % often == 0:
                progress()
        if last is None:
            return []
        save_picture(renderer.render(last, last.serial / rate), out, settings_of(last, shot.view))
    return [out]


def film(
    frames: Iterable[Frame],
    out: Path,
    shot: Shot,
    frames_per_second: float,
    progress: Callable[[], None],
    often: int = 1,
) -> None:
    """Draw every frame into the film `out`; stopped by whatever exception, it can be played as far as it came.

    Of `often` frames one is drawn, the first to begin with.

    Raises:
        DisplayError: there is no OpenGL.
        InputError: the place cannot be written to, or is full.
    """
    with offscreen_renderer(shot) as renderer, Film(out, shot.size, frames_per_second) as written:
        for _, picture in _pictures(frames, renderer, frames_per_second, often):
            written.add(picture)
            progress()


def _pictures(
    frames: Iterable[Frame], renderer: OffscreenRenderer, frames_per_second: float, often: int
) -> Iterator[tuple[Frame, NDArray[np.uint8]]]:
    """One of `often` frames and its picture, from the first on; the others leave their foam."""
    for number, frame in enumerate(frames):
        seconds = frame.serial / (frames_per_second * often)
        if number % often == 0:
            yield frame, renderer.render(frame, seconds)
        else:
            renderer.follow(frame, seconds)


def _followed(frames_per_second: float) -> int:
    """How many frames there must be for each that is drawn so that foam is followed closely."""
    return max(1, math.ceil(_FOLLOWED / frames_per_second))


def save_each(frames: Iterable[Frame], out: Path, progress: Callable[[], None] = lambda: None) -> list[Path]:
    """Save frames as numbered maps or meshes, or the last one where `out` has no number; returns the paths written.

    Raises:
        InputError: the place cannot be written to.
    """
    save, numbered = _SAVERS[out.suffix], is_numbered(out)
    written: list[Path] = []
    last: Frame | None = None
    for number, frame in enumerate(frames):
        if numbered:
            written.append(out.with_name(out.name % number))
            save(frame, written[-1])
        last = frame
        progress()
    if not numbered and last is not None:
        written.append(out)
        save(last, out)
    return written


def is_numbered(out: Path) -> bool:
    """Whether a file name has a place for a number, such as frame_%04d.png.

    Raises:
        InputError: it has something like one that is none, or more than one.
    """
    if "%" not in out.name:
        return False
    if _NUMBERED.fullmatch(out.name) is None:
        raise InputError(f"{out.name}: one number such as %04d is allowed in the name, as in frame_%04d.png")
    return True


def check_out(out: Path, frames_per_second: float) -> None:
    """Refuse what `write` could not write, before any work is done.

    Raises:
        InputError: the ending is unknown, the number in the name not usable, or the film too fast for its kind.
    """
    if out.suffix not in {".png", *FILM_ENDINGS, *_NUMBERS, *_SAVERS}:
        raise InputError(
            f"cannot write {out}: allowed endings are .png, %04d.png (numbered pictures), "
            f"{', '.join(FILM_ENDINGS)} (films), .npz, .zarr (heights), .tif (maps) and .glb, .obj (meshes)"
        )
    check_film(out, frames_per_second)
    if is_numbered(out) and (is_film(out) or out.suffix in _NUMBERS):
        raise InputError(f"{out}: all frames go into one {out.suffix}; leave the number out of its name")


def wanted_frames(out: Path, seconds: float, frames_per_second: float) -> int:
    """Number of frames that `write` makes for `out`: a film does not show the moment of its end."""
    return (film_frame_count if is_film(out) else frame_count)(seconds, frames_per_second)


def write(
    world: World,
    out: Path,
    seconds: float,
    frames_per_second: float,
    drops: Sequence[TimedDrop],
    shot: Shot,
    progress: Callable[[], None] = lambda: None,
) -> list[Path]:
    """Simulate and write a picture (.png), pictures (%04d.png), a film, numbers, maps or meshes; returns the paths.

    Raises:
        InputError: the ending is another one, or the place cannot be written to.
        DisplayError: a picture is asked for and there is no OpenGL.
    """
    check_out(out, frames_per_second)
    wanted = wanted_frames(out, seconds, frames_per_second)
    often = _followed(frames_per_second) if out.suffix == ".png" or is_film(out) else 1
    count = max(0, often * (wanted - 1) + 1)
    frames = itertools.islice(run(world, seconds, frames_per_second * often, drops), count)
    if out.suffix in _NUMBERS:
        _NUMBERS[out.suffix](_counted(frames, progress), count, world.water.grid, out)
        return [out]
    if is_film(out):
        film(frames, out, shot, frames_per_second, progress, often)
        return [out]
    if out.suffix in _SAVERS:
        return save_each(frames, out, progress)
    return draw(frames, out, shot, progress, frames_per_second, often, count)


class Replay(Protocol):
    """Replays a recording as frames; see `waterview.scene.replay.play`."""

    def __call__(self, frames_per_second: float = 30.0, *, last: float | None = None) -> Iterator[Frame]:
        """A frame for every 1/frames_per_second [s], only those of the last `last` seconds if that is given."""
        ...


def write_replay(
    replay: Replay,
    out: Path,
    frames_per_second: float,
    shot: Shot,
) -> list[Path]:
    """Write a replay as a film or numbered pictures, or its end as a picture or numbers; returns the paths written.

    Raises:
        InputError, DisplayError: as `write`; or the recording makes no sense.
    """
    check_out(out, frames_per_second)
    if out.suffix in _NUMBERS:
        (end,) = replay(last=0.0)
        _NUMBERS[out.suffix]((end,), 1, end.grid, out)
        return [out]
    if out.suffix in _SAVERS:
        moves = is_numbered(out)
        return save_each(replay(frames_per_second, last=None if moves else 0.0), out)
    often = _followed(frames_per_second)
    if is_film(out):
        film(replay(frames_per_second * often), out, shot, frames_per_second, lambda: None, often)
        return [out]
    if is_numbered(out):
        frames = replay(frames_per_second * often)
        return draw(frames, out, shot, frames_per_second=frames_per_second, often=often)
    frames = replay(_FOLLOWED, last=_FOAM_SECONDS)
    return draw(frames, out, shot, frames_per_second=_FOLLOWED)


def _counted(frames: Iterable[Frame], progress: Callable[[], None]) -> Iterator[Frame]:
    for frame in frames:
        yield frame
        progress()
