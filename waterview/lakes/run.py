"""A bake from its first frame to its last: who steps the blocks, what is kept, and how it goes on after an end."""

from __future__ import annotations

import logging
import time
from collections.abc import Callable, Sequence
from typing import NamedTuple, Protocol

from .checkpoints import Checkpoints, checkpoints_of
from .lake import Action, Lake
from .owner import Done, ShallowOwner, WaveOwner, owner_of
from .remote import RemotePath, StorePath
from .store import check_is_of, create_store, is_complete, mark_complete, needed_bytes, write_readings

_log = logging.getLogger(__name__)

CHECKPOINT_SECONDS = 120.0
"""Time between two checkpoints [s]."""


class LostWorkerError(Exception):
    """A worker is gone; those that are left can go on from the last checkpoint."""


class Workers(Protocol):
    """All owners of a lake's blocks, wherever they are."""

    def check(self, lake: Lake, out: StorePath) -> None:
        """Refuse a lake that these workers cannot bake, or a store that some cannot reach; raises an InputError."""

    def begin(self, lake: Lake, out: StorePath, checkpoint: StorePath | None) -> None:
        """Make the owners anew, as at the start or at a checkpoint."""

    def write_ground(self) -> None:
        """Let all owners write the ground."""

    def run(self, actions: Sequence[Action]) -> list[Done]:
        """Let all owners carry out the same actions."""

    def save(self, folder: StorePath) -> None:
        """Let all owners save their blocks."""


class SingleProcess:
    """All blocks in this process, one after the other, without Dask."""

    _owner: WaveOwner | ShallowOwner

    def check(self, lake: Lake, out: StorePath) -> None:
        """This process reaches every place."""

    def begin(self, lake: Lake, out: StorePath, checkpoint: StorePath | None) -> None:
        """Make the owner anew, as at the start or at a checkpoint."""
        self._owner = owner_of(lake)(lake, dict.fromkeys(lake.blocks.numbers, 0), 0, out, checkpoint)

    def write_ground(self) -> None:
        """Write the ground."""
        self._owner.write_ground()

    def run(self, actions: Sequence[Action]) -> list[Done]:
        """Carry out actions."""
        return [self._owner.run(actions)]

    def save(self, folder: StorePath) -> None:
        """Save the blocks."""
        self._owner.save(folder)


class Progress(NamedTuple):
    """How far a bake is.

    Attributes:
        frame: the last that was written.
        points: points × parts of steps that were taken for it; sleeping blocks do not count.
        seconds: that it took [s].
        done: what every owner has done for it.
    """

    frame: int
    points: int
    seconds: float
    done: tuple[Done, ...]


def bake(
    lake: Lake,
    out: StorePath,
    workers: Workers,
    *,
    resume: bool = False,
    checkpoint_seconds: float = CHECKPOINT_SECONDS,
    report: Callable[[Progress], None] = lambda progress: None,
    say: Callable[[str], None] = lambda text: None,
) -> None:
    """Step a lake to its end and write every frame into a store.

    A worker that is lost under way is noticed: those that are left go on from the last checkpoint, to the same bits.

    Args:
        lake: what is baked.
        out: the store, which does not exist yet, or one to go on with.
        workers: who owns the blocks.
        resume: go on with a store that was begun.
        checkpoint_seconds: time between two checkpoints [s]; 0 makes one after each frame.
        report: called after every frame.
        say: called with a sentence about what a user should know.

    Raises:
        InputError: the store exists or is of another scene, the disk has no room, or the scene cannot be done.
    """
    checkpoints = checkpoints_of(out)
    workers.check(lake, out)
    if resume:
        check_is_of(out, lake)
        if is_complete(out):
            say(f"{out} is done already: remove it to bake it anew")
            return
    else:
        create_store(out, lake)
        if isinstance(out, RemotePath):
            say(f"needs up to {needed_bytes(lake) / 1e9:.1f} GB; how much room is left at {out} is not known")
        checkpoints.remove()
    while True:
        try:
            _run(lake, out, workers, checkpoints, checkpoint_seconds, report, say)
            break
        except LostWorkerError as error:
            newest = checkpoints.newest()
            _log.warning("%s; the newest checkpoint is of frame %s", error, newest)
            say(f"{error}; its blocks are taken up by the others from frame {0 if newest is None else newest} on")
    mark_complete(out)
    checkpoints.remove()


def _run(
    lake: Lake,
    out: StorePath,
    workers: Workers,
    checkpoints: Checkpoints,
    checkpoint_seconds: float,
    report: Callable[[Progress], None],
    say: Callable[[str], None],
) -> None:
    newest = checkpoints.newest()
    workers.begin(lake, out, None if newest is None else checkpoints.saved(newest))
    if newest is None:
        workers.write_ground()
    else:
        say(f"goes on from frame {newest}")
    saved = time.monotonic()
    for frame in range(0 if newest is None else newest + 1, lake.frames):
        began = time.perf_counter()
        done = workers.run(lake.actions(frame))
        is_last = frame == lake.frames - 1
        if not is_last and time.monotonic() - saved >= checkpoint_seconds:
            workers.save(checkpoints.place(frame))
            checkpoints.complete(frame)
            saved = time.monotonic()
            _log.info("checkpoint of frame %d", frame)
        write_readings(out, [reading for each in done for reading in each.readings])
        report(Progress(frame, sum(each.points for each in done), time.perf_counter() - began, tuple(done)))
