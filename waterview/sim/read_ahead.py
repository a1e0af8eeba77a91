"""Reads from disk on threads of its own what is needed next, and keeps it in bounded memory."""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Callable, Hashable, Mapping, Sequence
from typing import Any, Generic, TypeVar

from waterview.core.allocator import give_back_freed_memory

Key = TypeVar("Key", bound=Hashable)
Arrays = tuple[Any, ...]
"""Arrays, or other things that say how many bytes they take in `nbytes`."""

_IDLE_SECONDS = 1.0
"""A thread that nothing is asked of for so long ends; the next request starts another."""


class ReadAhead(Generic[Key]):
    """A cache of arrays that are read before they are needed.

    There is a thread for each queue of requests, so that what is small need not wait for what is large. A new request
    takes the place of all earlier ones: what nobody needs any more is not read.

    Args:
        read: reads what belongs to a key, and perhaps to others that lie with it.
        room: most memory for what is kept [bytes]; what was asked for last goes beyond it only by a single read.
    """

    def __init__(self, read: Callable[[Key], Mapping[Key, Arrays]], room: int) -> None:
        give_back_freed_memory()
        self._read, self._room = read, room
        self._mutex = threading.Condition()
        self._kept: OrderedDict[Key, Arrays] = OrderedDict()
        self._size = 0
        self._queues: list[list[Key]] = []
        self._running: set[int] = set()
        self._reading: set[Key] = set()
        self._has_news = False
        self._error: BaseException | None = None

    @property
    def size(self) -> int:
        """Memory that is taken [bytes]."""
        return self._size

    def get(self, key: Key) -> Arrays | None:
        """What belongs to a key, if it is there; never waits.

        Raises:
            BaseException: whatever the reader failed with.
        """
        with self._mutex:
            if self._error is not None:
                raise self._error
            if key in self._kept:
                self._kept.move_to_end(key)
            return self._kept.get(key)

    def request(self, *queues: Sequence[Key]) -> None:
        """Read these from now on, in this order, and nothing else; never waits."""
        with self._mutex:
            self._queues = [[key for key in queue if key not in self._kept] for queue in queues]
            for number, queue in enumerate(self._queues):
                if queue and number not in self._running:
                    self._running.add(number)
                    name = f"waterview reader {number}"
                    threading.Thread(target=self._run, args=(number,), name=name, daemon=True).start()
            self._mutex.notify_all()

    def forget(self, is_needless: Callable[[Key], bool]) -> None:
        """Let go at once of what nobody needs any more, before others push it out."""
        with self._mutex:
            for key in [key for key in self._kept if is_needless(key)]:
                self._size -= _size(self._kept.pop(key))

    def take_news(self) -> bool:
        """Whether something was read since the last call."""
        with self._mutex:
            news, self._has_news = self._has_news, False
            return news or self._error is not None

    def wait(self, seconds: float) -> bool:
        """Wait until all that is requested is there, at most so long [s]; returns whether it is.

        Raises:
            BaseException: whatever the reader failed with.
        """
        with self._mutex:
            self._mutex.wait_for(lambda: self._error is not None or not self._is_busy, seconds)
            if self._error is not None:
                raise self._error
            return not self._is_busy

    @property
    def _is_busy(self) -> bool:
        return bool(self._reading) or any(self._next(number) is not None for number in range(len(self._queues)))

    def _next(self, number: int) -> Key | None:
        queue = self._queues[number] if number < len(self._queues) else []
        return next((key for key in queue if key not in self._kept and key not in self._reading), None)

    def _run(self, number: int) -> None:
        while True:
            with self._mutex:
                if not self._mutex.wait_for(lambda: self._next(number) is not None, _IDLE_SECONDS):
                    self._running.discard(number)
                    return
                key = self._next(number)
                assert key is not None
                self._reading.add(key)
            try:
                found = self._read(key)
            except BaseException as error:  # it goes to whoever asks for something
                with self._mutex:
                    self._error = error
                    self._running.discard(number)
                    self._mutex.notify_all()
                return
            with self._mutex:
                self._reading.discard(key)
                self._keep(found)
                self._mutex.notify_all()

    def _keep(self, found: Mapping[Key, Arrays]) -> None:
        for key, arrays in found.items():
            if key not in self._kept:
                self._kept[key] = arrays
                self._size += _size(arrays)
        self._has_news = True
        # The oldest goes first; what was read just now is the newest.
        while self._size > self._room and len(self._kept) > len(found):
            _, arrays = self._kept.popitem(last=False)
            self._size -= _size(arrays)


def _size(arrays: Arrays) -> int:
    return sum(int(array.nbytes) for array in arrays)
