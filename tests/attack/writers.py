"""Everything that the program writes, on a disk that fails and by a program that is killed, at every call in turn."""

import contextlib
import errno
import itertools
import random
import shutil
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

import av
import numpy as np
from support.worlds import water_of

from attack.failing_disk import run
from waterview.core.commands import AddGauge, Drop
from waterview.output.film import Film
from waterview.output.gauge_files import GAUGE_WRITERS, save_gauges
from waterview.output.maxima_files import MAXIMA_WRITERS, save_maxima
from waterview.output.recording import RecordingFile, read_recording
from waterview.output.session import read_session, save_session
from waterview.output.writers import WRITERS, FilmWriter, FrameWriter, PictureWriter, SeriesWriter
from waterview.scene.serialise import world_to_dict
from waterview.sim.world import World
from waterview.ui.panel.memory import PanelMemory, read_memory, write_memory

ERRORS = (errno.ENOSPC, errno.EIO)
"""A full disk, and a broken one."""

FRAMES = 5
"""Least frames of a film or series, and lines of a recording."""


@dataclass(frozen=True)
class Writer:
    """Something that writes a file or a folder.

    Attributes:
        name: its name in the table, which ends with that of the file.
        write: writes the content number 0 or 1 to a path.
        read: raises an error unless the file at a path can be read; a film gives the number of its frames.
        is_stream: whether what was written so far can be read at any moment.
        pieces: how many frames of a film, or lines of a recording, a whole one has.
        may_be_silent: whether a failure is no error to report.
    """

    name: str
    write: Callable[[Path, int], object]
    read: Callable[[Path], object] = lambda path: None
    is_stream: bool = False
    pieces: int = 0
    may_be_silent: bool = False


@dataclass
class DiskTally:
    """What became of the runs: failed calls, kills, and what went wrong."""

    failed: int = 0
    killed: int = 0
    findings: list[str] = field(default_factory=list)


def world(height: float) -> World:
    """A small world with gauges and fields over the run, and the waves of a drop."""
    made = World(water_of("wave-equation"), seed=1)
    made.apply(AddGauge("A", -6.0, 1.0))
    made.gather_maxima()
    made.apply(Drop(-6.0, 1.0, height, 2.0))
    for _ in range(4):
        made.step()
    return made


def writers(count: int = FRAMES) -> Iterator[Writer]:
    """Every writer of the program's own tables, and of what else it keeps; films and recordings of `count` pieces."""
    worlds = world(0.1), world(0.4)
    made = worlds[1]
    frames = [made.publish(number) for number in range(count)]
    state = world_to_dict(made)
    rows = np.random.default_rng(1).integers(0, 255, (2, 48, 64, 3), np.uint8)
    for ending, writer in WRITERS.items():
        match writer:
            case PictureWriter():
                yield Writer(ending, lambda path, n, save=writer.save: save(rows[n], path))
            case FilmWriter():
                yield Writer(ending, lambda path, n: _film(path, rows[n], count), count_frames, True, count)
            case SeriesWriter():
                write = lambda path, n, save=writer.save: save(iter(frames[n:]), count - n, made.water.grid, path)  # noqa: E731
                yield Writer(ending, write)
            case FrameWriter():
                others = [frames[0], frames[0].changed(heights=frames[0].heights * np.float32(0.5))]
                yield Writer(ending, lambda path, n, save=writer.save, others=others: save(others[n], path))
    for ending in GAUGE_WRITERS:
        yield Writer(f"gauges {ending}", lambda path, n: save_gauges(tuple(worlds[n].gauges), path))
    for ending in MAXIMA_WRITERS:
        yield Writer(f"maxima {ending}", lambda path, n: save_maxima(worlds[n], path))
    yield Writer("session .waterview", lambda path, n: save_session(path, {"tank": state, "n": n}), read_session)
    yield Writer("recording .jsonl", lambda path, n: _record(path, state, n, count), read_recording, True, count)
    yield Writer(
        "panel .json", lambda path, n: write_memory(PanelMemory(x=1.0 + n), path), _read_panel, may_be_silent=True
    )


def _film(path: Path, picture: np.ndarray, count: int) -> None:
    with Film(path, (64, 48), 2.0) as film:
        for number in range(count):
            film.add(np.roll(picture, number, axis=0))


def count_frames(path: Path) -> int:
    """Number of frames of a film; raises an error if it cannot be played."""
    with av.open(path) as container:
        return sum(1 for _ in container.decode(video=0))


def _record(path: Path, state, n: int, count: int) -> None:
    with RecordingFile(path, state) as file:
        for step in range(count):
            file.note(step, Drop(-6.0, 1.0, 0.1 * (n + 1), 1.0))
        file.end(count)


def _read_panel(path: Path) -> None:
    assert read_memory(path) != PanelMemory(), "the panel is forgotten"


def content(path: Path):
    """All bytes of a file or a folder; None where there is none."""
    if path.is_dir():
        return {
            inside.relative_to(path).as_posix(): inside.read_bytes() for inside in path.rglob("*") if inside.is_file()
        }
    return path.read_bytes() if path.exists() else None


def attack_disk(writer: Writer, place: Path, *, until: float, points: int, rng: random.Random) -> DiskTally:
    """Let calls of a writer fail, and kill it, with and without an earlier file of that name.

    Args:
        writer: what writes.
        place: a folder to write in.
        until: value of `time.monotonic` after which nothing more is begun.
        points: most points of failure for each kind of end; all, in any order, where there are no more calls.
        rng: chooses the points where there are more.
    """
    tally, ending = DiskTally(), writer.name.split()[-1]
    path = place / f"out{ending}"
    with _fresh(place):
        whole = run(lambda: writer.write(path, 1), place)
        if whole.end != "done":
            tally.findings.append(f"{writer.name}: {whole.end}")
            return tally
        new = content(path)
        least = _least(writer, path) if writer.is_stream else 0
    with _fresh(place):
        writer.write(path, 0)
        counts = {False: len(whole.calls), True: len(run(lambda: writer.write(path, 1), place).calls)}
    plan = []
    for is_there, end in itertools.product((True, False), (*ERRORS, None)):
        count = counts[is_there]
        plan += [(is_there, end, at) for at in rng.sample(range(count), min(count, points))]
    rng.shuffle(plan)
    for is_there, end, at in plan:
        if time.monotonic() >= until:
            break
        with _fresh(place):
            if is_there:
                writer.write(path, 0)
            old = content(path)
            ended = run(lambda: writer.write(path, 1), place, at, end)
            tally.killed += end is None
            tally.failed += end is not None
            call = ended.calls[at] if at < len(ended.calls) else "a call"
            way = "killed" if end is None else errno.errorcode[end]
            over = "over an earlier file" if is_there else "a new file"
            where = f"{writer.name}, {call} {at} of {counts[is_there]}, {way}, {over}"
            tally.findings += [f"{where}: {found}" for found in _problems(writer, path, ended, old, new, least, end)]
    return tally


def _problems(writer, path, ended, old, new, least, end) -> Iterator[str]:
    now = content(path)
    if ended.end not in ("done", "refused", "killed"):
        yield ended.end[-700:]
    is_whole = now == new or (writer.is_stream and now is not None and _reads_like(writer, path))
    if ended.end == "done" and not is_whole and not (writer.may_be_silent and now == old):
        yield "nothing was said, and the file is not whole"
    if old is not None and now != old and not is_whole:
        yield "the earlier file is lost" if now is None else "the earlier file is damaged"
    if (
        ended.end == "refused"
        and old is None
        and not writer.is_stream
        and now is not None
        and now != new
        and not path.is_dir()
    ):
        yield "half a file is left under its name"
    left = [each.name for each in path.parent.iterdir() if each.name.startswith(".waterview-")]
    if left and end is not None:
        yield f"{left} left behind"
    for stream in (path, path.with_name(f"{path.stem}.part{path.suffix}")):
        if writer.is_stream and stream.exists() and stream.stat().st_size >= least:
            try:
                writer.read(stream)
            except Exception as error:
                yield f"{stream.name} of {stream.stat().st_size} bytes cannot be read: {type(error).__name__} {error}"[
                    :300
                ]


def _least(writer: Writer, path: Path) -> int:
    """How many of the first bytes of a file can be read by themselves: a film begins with a head without a picture."""
    whole, part = path.read_bytes(), path.with_name(f"least{path.suffix}")
    low, high = 0, len(whole)
    while high - low > 1:
        middle = (low + high) // 2
        part.write_bytes(whole[:middle])
        try:
            is_enough = writer.read(part) != 0
        except Exception:
            is_enough = False
        low, high = (low, middle) if is_enough else (middle, high)
    return high


def _reads_like(writer, path) -> bool:
    """Whether a film, whose bytes may differ, has all its frames, or a recording all its lines."""
    try:
        found = writer.read(path)
    except Exception:
        return False
    return (found if isinstance(found, int) else len(found.entries)) == writer.pieces


@contextlib.contextmanager
def _fresh(place: Path) -> Iterator[None]:
    place.mkdir(parents=True)
    try:
        yield
    finally:
        shutil.rmtree(place)
