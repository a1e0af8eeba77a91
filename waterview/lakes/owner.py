"""The blocks of one worker: steps them, and exchanges halos with other owners, without anyone between."""

from __future__ import annotations

import threading
import time
from collections import defaultdict
from collections.abc import Mapping, Sequence
from importlib.metadata import version
from pathlib import Path
from typing import Any, NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from waterview import __version__

from .blocks import HaloTransfer, Number
from .lake import Action, Advance, Drops, Fill, Lake, Show
from .store import StoreWriter, read_block, save_block
from .wave_block import WaveBlock

PATIENCE = 600.0
"""How long to wait for the halos of others [s]; whoever leads the run ends the wait sooner when one of them is lost."""

Message = dict[int, dict[str, NDArray[Any]]]
"""What fills halos, by the number of the transfer."""


class Peer(Protocol):
    """Another owner, wherever it is."""

    def receive(self, fill: int, sender: int, message: Message) -> Any:
        """Hand over a message; what comes back has a `result`, which waits until it has arrived."""


def versions() -> tuple[str, str]:
    """Versions of waterview and numba."""
    return __version__, version("numba")


class Done(NamedTuple):
    """What an owner has done.

    Attributes:
        points: how many points were stepped, by parts; those of sleeping blocks do not count.
        stepping, waiting, writing: how long that took [s].
    """

    points: int = 0
    stepping: float = 0.0
    waiting: float = 0.0
    writing: float = 0.0


class Owner:
    """The blocks of one worker.

    Args:
        lake: what they are blocks of.
        owners: the number of the owner of each block.
        me: which of them this is.
        out: the store to write frames to; None writes none.
        checkpoint: the folder of a checkpoint to go on from, or None.

    Raises:
        InputError: the ground cannot be read, or the checkpoint is damaged.
    """

    def __init__(
        self, lake: Lake, owners: Mapping[Number, int], me: int, out: Path | None = None, checkpoint: Path | None = None
    ) -> None:
        self._lake, self._me = lake, me
        self._peers: Sequence[Peer | None] = ()
        numbers = [number for number in lake.blocks.numbers if owners[number] == me]
        self._blocks = {number: WaveBlock(number, lake.blocks, lake.ground, lake.law) for number in numbers}
        transfers = [transfer for receiver in lake.blocks.numbers for transfer in lake.blocks.transfers_to(receiver)]
        self._internal: list[HaloTransfer] = []
        self._outgoing: dict[int, dict[int, HaloTransfer]] = defaultdict(dict)
        self._incoming: dict[int, dict[int, HaloTransfer]] = defaultdict(dict)
        for k, transfer in enumerate(transfers):
            sender, receiver = owners[transfer.sender], owners[transfer.receiver]
            if sender == receiver == me:
                self._internal.append(transfer)
            elif receiver == me:
                self._incoming[sender][k] = transfer
            elif sender == me:
                self._outgoing[receiver][k] = transfer
        self._fills, self._is_stopped = 0, False
        self._arrived: dict[tuple[int, int], Message] = {}
        self._news = threading.Condition()
        self._writer = None if out is None else StoreWriter(out, lake)
        for number, block in self._blocks.items():
            if checkpoint is not None:
                parts, state = read_block(checkpoint, number)
                block.load_state(state, parts)

    def versions(self) -> tuple[str, str]:
        """`versions`, where this owner is."""
        return versions()

    def connect(self, peers: Sequence[Peer | None]) -> None:
        """Be told of all owners, in order; the place of this one is None."""
        self._peers = peers

    def write_ground(self) -> None:
        """Write the ground of all blocks into the store."""
        for number, block in self._blocks.items() if self._writer is not None else ():
            assert self._writer is not None
            bed = self._lake.ground.bed(block.owned)
            self._writer.write_ground(number, bed, self._lake.ground.grid.level)
            self._writer.write_fixed(number, block.fixed[block.owned.of(block.held)])

    def run(self, actions: Sequence[Action]) -> Done:
        """Carry out actions, in order.

        Raises:
            InputError: something in the scene cannot be done, or the disk is full.
            RuntimeError: it was stopped, or another owner did not answer.
        """
        points, times = 0, defaultdict[type, float](float)
        for action in actions:
            began = time.perf_counter()
            match action:
                case Drops(number):
                    for block in self._blocks.values():
                        block.drop(self._lake.drops[number].drop)
                case Fill():
                    self._fill()
                case Advance(parts):
                    for block in self._blocks.values():
                        points += 0 if block.is_calm else parts * block.owned.shape[0] * block.owned.shape[1]
                        block.advance(parts)
                case Show(frame):
                    self._write(frame)
            times[type(action)] += time.perf_counter() - began
        return Done(points, times[Advance] + times[Drops], times[Fill], times[Show])

    def _write(self, frame: int) -> None:
        for number, block in self._blocks.items() if self._writer is not None else ():
            assert self._writer is not None
            if not block.is_calm:
                self._writer.write_frame(number, frame, block.heights)

    def heights(self) -> dict[Number, NDArray[np.float32]]:
        """The heights [m] that each block owns; copies."""
        return {number: block.heights.copy() for number, block in self._blocks.items()}

    def save(self, folder: Path) -> None:
        """Save the state of every block in a folder.

        Raises:
            InputError: the disk is full, or gone.
        """
        for number, block in self._blocks.items():
            save_block(folder, number, block.parts, block.state())

    # --- halos

    def _fill(self) -> None:
        self._fills += 1
        for block in self._blocks.values():
            block.settle()
        sent = []
        for other, transfers in self._outgoing.items():
            peer, packed = self._peers[other], {}
            for k, transfer in transfers.items():
                halo = self._blocks[transfer.sender].pack_halo(transfer)
                if halo:
                    packed[k] = halo
            assert peer is not None
            sent.append(peer.receive(self._fills, self._me, packed))
        for transfer in self._internal:
            self._blocks[transfer.receiver].unpack_halo(transfer, self._blocks[transfer.sender].pack_halo(transfer))
        for other, transfers in self._incoming.items():
            message = self._wait_for(other)
            for k, transfer in transfers.items():
                self._blocks[transfer.receiver].unpack_halo(transfer, message.get(k, {}))
        for each in sent:
            each.result(PATIENCE)

    def _wait_for(self, other: int) -> Message:
        with self._news:
            key = self._fills, other
            if not self._news.wait_for(lambda: key in self._arrived or self._is_stopped, PATIENCE) or self._is_stopped:
                raise RuntimeError(f"no halo has come from owner {other}")
            return self._arrived.pop(key)

    # On the worker's event loop, beside what `run` does.

    async def receive(self, fill: int, sender: int, message: Message) -> None:
        """Receive the halos that another owner has sent."""
        with self._news:
            self._arrived[fill, sender] = message
            self._news.notify_all()

    async def stop(self) -> None:
        """Let `run` wait no longer."""
        with self._news:
            self._is_stopped = True
            self._news.notify_all()
