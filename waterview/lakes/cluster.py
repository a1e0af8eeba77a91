"""Owners of blocks on the workers of a Dask cluster: actors that exchange halos.

An actor keeps its blocks where they are. Its halos go from worker to worker: neither the client nor the scheduler sees
them. Tasks on futures could do the same, but Dask would compute them anew where a worker is lost, from blocks that have
been stepped on since; an actor that is lost is known to be lost.
"""

from __future__ import annotations

import importlib.util
import os
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from waterview.core.errors import InputError

from .blocks import Number
from .lake import Action, Lake
from .owner import Done, owner_of, versions
from .remote import RemotePath, StorePath
from .run import LostWorkerError
from .shallow_block import ShallowLaw
from .wave_block import WaveLaw

SCHEDULER_SECONDS = 10.0
"""How long to look for a scheduler [s]."""

_LOOK_SECONDS = 0.5
"""Time between two looks whether all workers are still there [s]."""

_NEW_WORKER_SECONDS = 20.0
"""How long to wait for another worker in the place of one that is lost [s]."""


class Cluster:
    """The workers of a Dask client, each the owner of some blocks next to each other.

    Args:
        client: of `distributed`.
    """

    def __init__(self, client: Any) -> None:
        self._client = client
        self._owners: list[Any] = []
        self._workers: list[str] = []

    # --- as `run.Workers`

    def check(self, lake: Lake, out: StorePath) -> None:
        """Refuse what these workers cannot do, before anything is written.

        Raises:
            InputError: as `begin`, or the store is in the memory of this process and workers are others.
        """
        try:
            self._shared_out(lake)
        except LostWorkerError as error:
            raise InputError(f"{error}: try again") from error
        others = set(self.processes().values()) - {os.getpid()}
        if isinstance(out, RemotePath) and out.is_in_memory and others:
            raise InputError(f"{out}: only this process has that memory; take --workers 0, or choose another place")

    def begin(self, lake: Lake, out: StorePath, checkpoint: StorePath | None) -> None:
        """Make the owners anew, as at the start or at a checkpoint, on all workers that are there.

        Raises:
            InputError: there is no worker, too little memory on one, or it has another version.
            LostWorkerError: a worker is gone.
        """
        self._drop_owners()
        owners = self._shared_out(lake)
        sent_lake = self._client.scatter(lake, broadcast=True, hash=False)
        kind, where = owner_of(lake), (out.absolute(), checkpoint)
        made = [
            self._client.submit(kind, sent_lake, owners, me, *where, actor=True, workers=[worker], pure=False)
            for me, worker in enumerate(self._workers)
        ]
        self._owners = self._results([_Waiting(future) for future in made])
        for me, owner in enumerate(self._owners):
            self._results([owner.connect([None if k == me else other for k, other in enumerate(self._owners)])])

    def write_ground(self) -> None:
        """Let all owners write the ground."""
        self._results([owner.write_ground() for owner in self._owners])

    def run(self, actions: Sequence[Action]) -> list[Done]:
        """Let all owners carry out the same actions."""
        return self._results([owner.run(actions) for owner in self._owners])

    def save(self, folder: StorePath) -> None:
        """Let all owners save their blocks."""
        self._results([owner.save(folder.absolute()) for owner in self._owners])

    # --- what is seen of the workers

    @property
    def dashboard(self) -> str:
        """The address of Dask's dashboard."""
        return str(self._client.dashboard_link)

    @property
    def count(self) -> int:
        """Number of workers."""
        return len(self._workers)

    def memory(self) -> int:
        """Memory of all workers together [bytes]."""
        return sum(used for used, _ in self._client.run(_memory_of).values())

    def processes(self) -> dict[str, int]:
        """The number of each worker's process, by its address."""
        return dict(self._client.run(os.getpid))

    # --- inside

    def _present(self) -> set[str]:
        threads: dict[str, int] = self._client.nthreads()
        return set(threads)

    def _results(self, waiting: Sequence[Any]) -> list[Any]:
        """What all of them give, or a LostWorkerError as soon as a worker is gone."""
        results: list[Any] = []
        try:
            for each in waiting:
                while not each.done():
                    self._wait(each)
                    if not set(self._workers) <= self._present():
                        raise LostWorkerError("a worker is lost")
                results.append(each.result())
        except InputError:
            self._stop()
            raise
        except (OSError, RuntimeError, KeyError) as error:
            # What a lost worker looks like to the others, and to this client.
            # The scheduler hears of the loss later than those who were connected to the worker.
            time.sleep(2.0 * _LOOK_SECONDS)
            if set(self._workers) <= self._present():
                self._stop()
                raise
            self._stop()
            raise LostWorkerError("a worker is lost") from error
        except LostWorkerError:
            self._stop()
            raise
        return results

    @staticmethod
    def _wait(each: Any) -> None:
        """Give it a moment, after which the caller looks whether its worker is still there."""
        try:
            each.result(timeout=_LOOK_SECONDS)
        except TimeoutError:
            return

    def _stop(self) -> None:
        """Let owners that are left wait for nobody."""
        present = self._present()
        for owner, worker in zip(self._owners, self._workers, strict=False):
            if worker in present:
                owner.stop()

    def _drop_owners(self) -> None:
        """Forget owners of before, and give the cluster a moment to replace a worker that was lost."""
        if self._owners:
            before, until = len(self._workers), time.monotonic() + _NEW_WORKER_SECONDS
            self._owners = []
            while len(self._present()) < before and time.monotonic() < until:
                time.sleep(_LOOK_SECONDS)

    def _shared_out(self, lake: Lake) -> dict[Number, int]:
        """Choose workers, and give each of them some blocks; raises as `begin`."""
        self._workers = sorted(self._present())
        if not self._workers:
            raise InputError("the Dask cluster has no worker: start some, and try again")
        self._check_versions()
        owners = assigned(lake, len(self._workers))
        self._workers = self._workers[: max(owners.values()) + 1]
        self._check_memory(lake, owners)
        return owners

    def _check_memory(self, lake: Lake, owners: dict[Number, int]) -> None:
        limits = {worker: limit for worker, (_, limit) in self._client.run(_memory_of).items()}
        for me, worker in enumerate(self._workers):
            blocks = [number for number, owner in owners.items() if owner == me]
            needed = PROCESS_BYTES + sum(block_bytes(lake, number) for number in blocks)
            limit = limits.get(worker)
            if limit and needed > limit:
                raise InputError(
                    f"worker {worker} may have {limit / 1e9:.1f} GB, and its {len(blocks)} blocks take about "
                    f"{needed / 1e9:.1f} GB when all of them move: take more workers, or give each more --memory"
                )

    def _check_versions(self) -> None:
        mine = versions()
        for worker, theirs in self._client.run(versions, workers=self._workers, on_error="return").items():
            if isinstance(theirs, OSError):
                raise LostWorkerError("a worker is lost") from theirs
            if isinstance(theirs, Exception):
                raise InputError(
                    f"worker {worker} cannot use waterview ({theirs}): install waterview[bake] {mine[0]} there, too"
                )
            if tuple(theirs) != mine:
                raise InputError(
                    f"worker {worker} has waterview {theirs[0]} and numba {theirs[1]}, this program {mine[0]} and "
                    f"{mine[1]}: install the same everywhere, or the bits would differ"
                )


def _memory_of(dask_worker: Any) -> tuple[int, int | None]:
    """What a worker's process takes, and may take [bytes]."""
    return int(dask_worker.monitor.get_process_memory()), dask_worker.memory_manager.memory_limit


class _Waiting:
    """A Dask future, asked as that of an actor."""

    def __init__(self, future: Any) -> None:
        self._future = future

    def done(self) -> bool:
        return bool(self._future.done())

    def result(self, timeout: float | None = None) -> Any:
        return self._future.result(timeout=timeout)


PROCESS_BYTES = 300 << 20
"""What a worker takes with no block: Python, numba and its kernels."""

_BYTES_A_POINT = {WaveLaw: 14, ShallowLaw: 60}
"""Two levels of the wave equation, fixed points, water and coast of a point, or three planes of shallow water before
and after, its ground, and where water has come; and some of it twice while it is made."""

_BYTES_OF_MAXIMA = 14
"""Fields over the run of a point."""


def block_bytes(lake: Lake, number: Number) -> int:
    """About how much memory a block takes when all of it moves [bytes]."""
    nz, nx = lake.blocks.held(number).shape
    return (_BYTES_A_POINT[type(lake.law)] + (_BYTES_OF_MAXIMA if lake.maxima is not None else 0)) * nz * nx


def assigned(lake: Lake, workers: int) -> dict[Number, int]:
    """The number of the owner of each block: each owner has some that follow each other row by row.

    All owners have about as many points, for they wait for the one with the most. The blocks at the ends of a grid may
    be slivers, so their number tells little.
    """
    points = {number: lake.blocks.held(number).points for number in lake.blocks.numbers}
    owners, blocks_left, points_left = dict[Number, int](), len(points), sum(points.values())
    owner, own, most = 0, 0, min(workers, len(points))
    for number, size in points.items():
        owners_left = most - owner  # this one among them
        is_full = (own + 0.5 * size) * owners_left > points_left
        if own and owners_left > 1 and (is_full or blocks_left < owners_left):
            owner, points_left, own = owner + 1, points_left - own, 0
        owners[number] = owner
        own, blocks_left = own + size, blocks_left - 1
    return owners


@contextmanager
def cluster(
    workers: int | None = None,
    memory: str | None = None,
    scheduler: str | None = None,
    scheduler_file: Path | None = None,
    say: Callable[[str], None] = lambda text: None,
) -> Iterator[Cluster]:
    """The workers of a scheduler, or of this machine: one a core, which share its memory.

    Args:
        workers: how many on this machine; one a core if None.
        memory: most memory of each on this machine, such as "1.5GiB"; its share of the machine's if None.
        scheduler: address of a scheduler, such as "tcp://head:8786"; None for this machine.
        scheduler_file: a file that a scheduler has written its address to.
        say: called with the dashboard's address.

    Raises:
        InputError: `distributed` is not installed, or no scheduler answers.
    """
    try:
        from distributed import Client, LocalCluster
    except ImportError as error:
        raise InputError("dask.distributed is not installed: run pip install 'waterview[bake]'") from error
    _check_memory_limit(memory)
    if scheduler_file is not None and not scheduler_file.is_file():  # Dask would wait for it for ever
        raise InputError(
            f"there is no file {scheduler_file}: start one with dask scheduler --scheduler-file {scheduler_file}"
        )
    if scheduler is None and scheduler_file is None:
        _start_tracker()
        with (
            LocalCluster(
                n_workers=workers,
                threads_per_worker=1,
                processes=True,
                memory_limit=memory or "auto",
                dashboard_address="127.0.0.1:0",
                silence_logs=50,
                preload=["waterview.lakes.worker_setup"],
            ) as local,
            Client(local) as client,
        ):
            yield _told(client, say, "" if importlib.util.find_spec("bokeh") else ", which needs pip install bokeh")
        return
    try:
        client = Client(scheduler, scheduler_file=scheduler_file and str(scheduler_file), timeout=SCHEDULER_SECONDS)
    except (OSError, ValueError) as error:
        where = scheduler or scheduler_file
        raise InputError(
            f"no Dask scheduler answers at {where} within {SCHEDULER_SECONDS:g} s: start one with dask scheduler"
        ) from error
    with client:
        yield _told(client, say)


def _start_tracker() -> None:
    """Start Python's tracker of semaphores so that it warns of none that it frees.

    Ctrl-C ends this program within a second, and Dask takes longer to end its workers. What they leave is then freed by
    the tracker, as it should be; but it would print a warning that no user can do anything about.
    """
    if os.name != "posix":  # elsewhere there is no tracker
        return
    from multiprocessing import resource_tracker

    before = os.environ.get("PYTHONWARNINGS")
    ours = "ignore:resource_tracker:UserWarning"
    os.environ["PYTHONWARNINGS"] = ours if before is None else f"{before},{ours}"
    try:
        resource_tracker.ensure_running()
    finally:
        if before is None:
            del os.environ["PYTHONWARNINGS"]
        else:
            os.environ["PYTHONWARNINGS"] = before


def _check_memory_limit(memory: str | None) -> None:
    from dask.utils import parse_bytes

    try:
        is_enough = memory is None or parse_bytes(memory) > PROCESS_BYTES
    except ValueError:
        is_enough = False
    if not is_enough:
        least = f"{PROCESS_BYTES >> 20} MiB"
        raise InputError(f"--memory {memory}: needed is a size above {least}, such as 1.5GiB")


def _told(client: Any, say: Callable[[str], None], note: str = "") -> Cluster:
    made = Cluster(client)
    say(f"dashboard: {made.dashboard}{note}")
    return made
