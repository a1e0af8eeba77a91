"""Whether to share a kernel's work among threads, decided by trial.

On an idle processor two threads take half the time of one. On a busy one the kernel waits again and again for a thread
that something else has pushed aside, and may take ten times as long. A program cannot know beforehand, and it changes
while it runs: so both ways are tried now and then. Kernels of `jit.parallel_jit` give the same bits either way.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext

LEAST_POINTS = 60_000
"""With fewer points, about half a millisecond of work, waking a thread costs more than it brings."""

LEAST_SHARED = 1 << 15
"""Grids of fewer points are stepped on one thread: a step of them takes less time than to call the other threads."""

FIRST_TRIAL, LAST_TRIAL = 50, 3200
"""Calls until the other way is tried again: twice as many each time that it does not win, up to a bound."""

_MEMORY = 0.7  # of the time that one way takes: so a few slow calls end it


def most_threads(shape: tuple[int, int]) -> int:
    """How many threads to use for a field of `shape` (nz, nx): as many as numba may, or one for small grids."""
    import numba

    return int(numba.get_num_threads()) if shape[0] * shape[1] >= LEAST_SHARED else 1


# The program steps all its water on one thread. Whoever embeds it may step several waters on a thread each; numba's
# threads are the process's, and so is what keeps two kernels from running on them at once.
_turn = threading.Lock()


def shared_turn(threads: int) -> AbstractContextManager[int]:
    """Within this a kernel may run on as many threads as it yields: `threads`, or 1 while another one runs so.

    For two at once end the program where numba has no other threading layer than "workqueue".
    """
    return _in_turn(threads) if threads > 1 else _ALONE


_ALONE = nullcontext(1)


@contextmanager
def _in_turn(threads: int) -> Iterator[int]:
    shares = _turn.acquire(blocking=False)
    try:
        yield threads if shares else 1
    finally:
        if shares:
            _turn.release()


def whole_turn() -> AbstractContextManager[object]:
    """Within this no other kernel with a parallel loop runs where two at once would end the program.

    They do so on a thread each, too. It may wait for another one to end.
    """
    import numba

    try:
        layer = numba.threading_layer()
    except ValueError:  # it is chosen when the first of them is called
        layer = ""
    return nullcontext() if layer in {"omp", "tbb"} else _turn


# --- how many threads are worth it


class ThreadChoice:
    """Chooses the number of threads for one kind of work.

    Args:
        points: how many points the work has; with less than `LEAST_POINTS` it is never shared.
        clock: seconds that never run backwards; tests bring their own.

    Attributes:
        shares: whether the work of the last call was shared.
    """

    def __init__(self, points: int, clock: Callable[[], float] = time.perf_counter) -> None:
        self.shares = False
        self._small = points < LEAST_POINTS
        self._clock = clock
        self._seconds: dict[bool, float] = {}
        self._calls = 0
        self._began = 0.0
        self._trial, self._until_trial = FIRST_TRIAL, FIRST_TRIAL

    @contextmanager
    def at_work(self) -> Iterator[None]:
        """Call kernels within this: they then use one thread or all that numba may. It may wait for other threads."""
        import numba

        with whole_turn():
            everyone = numba.get_num_threads()
            numba.set_num_threads(self.begin())
            try:
                yield
            finally:
                numba.set_num_threads(everyone)
                self.end()

    def begin(self) -> int:
        """The number of threads to use for the work that begins now; `end` is to be told of its end.

        This is for kernels that are told how many threads to use: to tell numba takes as long as to step a small grid.
        """
        import numba

        most = 1 if self._small or not self._choice() else int(numba.get_num_threads())
        self.shares = most > 1
        self._began = self._clock()
        return most

    def end(self, amount: float = 1.0) -> None:
        """Learn how long that took; `amount` says how much there was to do this time, in any unit, above 0."""
        self._learn((self._clock() - self._began) / amount)

    def _choice(self) -> bool:
        for way in (False, True):
            if way not in self._seconds:
                return way
        better = self._seconds[True] < self._seconds[False]
        return better if self._until_trial > 0 else not better

    def _learn(self, seconds: float) -> None:
        self._calls += 1
        if self._calls == 1:
            return  # it compiled the kernels, or loaded them
        trial, way = self._until_trial <= 0, self.shares
        known = self._seconds.get(way, seconds)
        self._seconds[way] = seconds if trial else _MEMORY * known + (1.0 - _MEMORY) * seconds
        if trial:
            won = self._seconds[way] < self._seconds.get(not way, seconds)
            self._trial = FIRST_TRIAL if won else min(2 * self._trial, LAST_TRIAL)
            self._until_trial = self._trial
        else:
            self._until_trial -= 1
