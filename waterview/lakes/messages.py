"""What the owners of blocks tell each other, from worker to worker, with nobody between."""

from __future__ import annotations

import threading
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

PATIENCE = 600.0
"""How long to wait for a message [s]; whoever leads the run ends the wait sooner when a worker is lost."""


class Peer(Protocol):
    """Another owner, wherever it is."""

    def receive(self, round_number: int, sender: int, message: Any) -> Any:
        """Hand over a message; what comes back has a `result`, which waits until it has arrived."""


class Mailbox:
    """The messages of one owner.

    All owners send and wait in the same order. So the number of a round and of its sender tell what a message is for.

    Args:
        me: the number of the owner.

    Attributes:
        peers: all owners, in order; the place of this one is None.
    """

    def __init__(self, me: int) -> None:
        self._me = me
        self.peers: Sequence[Peer | None] = (None,)
        self._round, self._is_stopped = 0, False
        self._arrived: dict[tuple[int, int], Any] = {}
        self._news = threading.Condition()

    def exchange(self, outgoing: Mapping[int, Any], senders: Iterable[int]) -> dict[int, Any]:
        """Send messages to other owners, and wait for those of `senders`; returns them by their sender.

        Raises:
            RuntimeError: one has not come, or the wait was ended.
        """
        self._round += 1
        sent = []
        for other, message in outgoing.items():
            peer = self.peers[other]
            assert peer is not None
            sent.append(peer.receive(self._round, self._me, message))
        received = {other: self._wait_for(other) for other in senders}
        for each in sent:
            each.result(PATIENCE)
        return received

    def largest(self, values: Sequence[float]) -> list[float]:
        """The largest of each of some values among all owners.

        Each tells the owner 1, 2, 4, … places farther on what it knows: after log₂ of their number all know all
        (dissemination: Hensgen, Finkel and Manber 1988).
        """
        known, count, step = np.array(values, np.float64), len(self.peers), 1
        while step < count:
            other = (self._me - step) % count
            heard: NDArray[np.float64] = self.exchange({(self._me + step) % count: known}, [other])[other]
            known, step = np.maximum(known, heard), 2 * step
        return [float(value) for value in known]

    def _wait_for(self, other: int) -> Any:
        with self._news:
            key = self._round, other
            if not self._news.wait_for(lambda: key in self._arrived or self._is_stopped, PATIENCE) or self._is_stopped:
                raise RuntimeError(f"nothing has come from owner {other}")
            return self._arrived.pop(key)

    def put(self, round_number: int, sender: int, message: Any) -> None:
        """A message has come; called on another thread than the rest."""
        with self._news:
            self._arrived[round_number, sender] = message
            self._news.notify_all()

    def stop(self) -> None:
        """End every wait; called on another thread than the rest."""
        with self._news:
            self._is_stopped = True
            self._news.notify_all()
