"""The blocks of one worker: steps them, and exchanges halos with other owners, without anyone between."""

from __future__ import annotations

import time
from abc import ABC, abstractmethod
from collections import defaultdict
from collections.abc import Mapping, Sequence
from importlib.metadata import version
from typing import Any, Generic, NamedTuple, TypeVar

import numpy as np
from numpy.typing import NDArray

from waterview import __version__
from waterview.core.rectangle import Rectangle
from waterview.sim.maxima import Maxima
from waterview.waters.common.water import Observation
from waterview.waters.shallow.finite_volume import MAX_SUBSTEPS, Peaks, next_part

from .blocks import HaloTransfer, Number
from .checkpoints import read_block, save_block
from .instruments import LakeGauge, Reading
from .lake import Action, Advance, Drops, Fill, Lake, Look, ReadGauges, Show
from .messages import Mailbox, Peer
from .remote import StorePath
from .shallow_block import Places, ShallowBlock, ShallowLaw, drop_rectangle, rise_with_drop
from .start import LakeStart
from .store import StoreWriter
from .wave_block import WaveBlock, WaveLaw

BlockKind = TypeVar("BlockKind", WaveBlock, ShallowBlock)


def versions() -> tuple[str, str]:
    """Versions of waterview and numba."""
    return __version__, version("numba")


class Done(NamedTuple):
    """What an owner has done.

    Attributes:
        points: how many points were stepped, by parts; those of sleeping blocks do not count.
        stepping, waiting, writing: how long that took [s].
        readings: of gauges that it has read: number of the gauge, number of the reading, and what it was.
    """

    points: int = 0
    stepping: float = 0.0
    waiting: float = 0.0
    writing: float = 0.0
    readings: tuple[tuple[int, int, Reading], ...] = ()


class _Seen(NamedTuple):
    """A block at a moment [s], as fields over the run look at it."""

    block: WaveBlock | ShallowBlock
    time: float

    def observe(self) -> Observation:
        """At all points that it owns."""
        return self.block.observe()


_MAXIMA = "maxima "
"""What names of fields over the run begin with in the state of a block."""


def _unprefixed(state: Mapping[str, Any]) -> dict[str, Any]:
    return {name.removeprefix(_MAXIMA): array for name, array in state.items() if name.startswith(_MAXIMA)}


class Owner(ABC, Generic[BlockKind]):
    """The blocks of one worker; `owner_of` tells which kind of owner a lake needs.

    Args:
        lake: what they are blocks of.
        owners: the number of the owner of each block.
        me: which of them this is.
        out: the store to write frames to; None writes none.
        checkpoint: the folder of a checkpoint to go on from, or None.

    Raises:
        InputError: the ground or the start cannot be read, or the checkpoint is damaged.
    """

    def __init__(
        self,
        lake: Lake,
        owners: Mapping[Number, int],
        me: int,
        out: StorePath | None = None,
        checkpoint: StorePath | None = None,
    ) -> None:
        self._lake, self._me, self._owners = lake, me, dict(owners)
        self._mailbox = Mailbox(me)
        own = [number for number in lake.blocks.numbers if owners[number] == me]
        self._blocks: dict[Number, BlockKind] = {number: self._make_block(number) for number in own}
        if lake.start and checkpoint is None:
            start = LakeStart(lake.start, lake.ground)
            for block in self._blocks.values():
                block.begin(start, 1.0 / lake.steps_per_second)
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
        self._writer = None if out is None else StoreWriter(out, lake)
        self._maxima: dict[Number, Maxima] = {}
        if lake.maxima is not None:
            self._maxima = {number: Maxima(_Seen(block, 0.0), lake.maxima) for number, block in self._blocks.items()}
        gauges = enumerate(lake.gauges)
        self._gauges = [(k, gauge) for k, gauge in gauges if gauge.block(lake.ground, lake.blocks.side) in self._blocks]
        for number, block in self._blocks.items():
            if checkpoint is not None:
                parts, state = read_block(checkpoint, number)
                block.load_state({name: array for name, array in state.items() if not name.startswith(_MAXIMA)}, parts)
                if number in self._maxima:
                    self._maxima[number].load_state(_unprefixed(state) | {"elapsed": 0.0})

    # --- what depends on the model

    @abstractmethod
    def _make_block(self, number: Number) -> BlockKind:
        """A block at rest."""

    @abstractmethod
    def _advance(self, parts: int) -> int:
        """Take so many parts of steps, or steps; returns how many points times parts were stepped."""

    @abstractmethod
    def _drop(self, number: int) -> None:
        """Let the drop of this number fall."""

    # --- what is asked of it

    def connect(self, peers: Sequence[Peer | None]) -> None:
        """Be told of all owners, in order; the place of this one is None."""
        self._mailbox.peers = peers

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
        readings: list[tuple[int, int, Reading]] = []
        for action in actions:
            began = time.perf_counter()
            match action:
                case Drops(number):
                    self._drop(number)
                case Fill():
                    self._fill()
                case Advance(parts):
                    points += self._advance(parts)
                case ReadGauges(number):
                    readings += [(k, number, self._read(gauge)) for k, gauge in self._gauges]
                case Look(moment):
                    for place, maxima in self._maxima.items():
                        if not self._blocks[place].is_flat:
                            maxima.look(_Seen(self._blocks[place], moment))
                case Show(frame):
                    self._write(frame)
            times[type(action)] += time.perf_counter() - began
        stepping = times[Advance] + times[Drops] + times[Look] + times[ReadGauges]
        return Done(points, stepping, times[Fill], times[Show], tuple(readings))

    def _write(self, frame: int) -> None:
        for number, block in self._blocks.items() if self._writer is not None else ():
            assert self._writer is not None
            if not block.is_flat:
                self._writer.write_frame(number, frame, block.heights, self._flow_of(block))

            if frame == self._lake.frames - 1 and number in self._maxima:
                self._writer.write_maxima(number, self._maxima[number])

    def _read(self, gauge: LakeGauge) -> Reading:
        block = self._blocks[gauge.block(self._lake.ground, self._lake.blocks.side)]
        return gauge.read(self._lake.ground, block.observe(gauge.cell(self._lake.ground)))

    def heights(self) -> dict[Number, NDArray[np.float32]]:
        """The heights [m] that each block owns; copies."""
        return {number: block.heights.copy() for number, block in self._blocks.items()}

    def save(self, folder: StorePath) -> None:
        """Save the state of every block in a folder.

        Raises:
            InputError: the disk is full, or gone.
        """
        for number, block in self._blocks.items():
            fields = self._maxima[number].state() if number in self._maxima else {}
            kept = {f"{_MAXIMA}{name}": field for name, field in fields.items() if isinstance(field, np.ndarray)}
            save_block(folder, number, block.parts, {**block.state(), **kept})

    def _flow_of(self, block: BlockKind) -> NDArray[np.float32] | None:
        """What is kept of the motion of a block."""
        return None

    # --- halos

    def _fill(self) -> None:
        """Exchange halos."""
        outgoing: dict[int, dict[int, dict[str, NDArray[Any]]]] = {}
        for other, transfers in self._outgoing.items():
            packed = {k: self._blocks[transfer.sender].pack_halo(transfer) for k, transfer in transfers.items()}
            outgoing[other] = {k: halo for k, halo in packed.items() if halo}
        for transfer in self._internal:
            self._blocks[transfer.receiver].unpack_halo(transfer, self._blocks[transfer.sender].pack_halo(transfer))
        for other, halos in self._mailbox.exchange(outgoing, self._incoming).items():
            for k, transfer in self._incoming[other].items():
                self._blocks[transfer.receiver].unpack_halo(transfer, halos.get(k, {}))

    # On the worker's event loop, beside what `run` does.

    async def receive(self, round_number: int, sender: int, message: Any) -> None:
        """Receive what another owner has sent."""
        self._mailbox.put(round_number, sender, message)

    async def stop(self) -> None:
        """Let `run` wait no longer."""
        self._mailbox.stop()


class WaveOwner(Owner[WaveBlock]):
    """The blocks of one worker in a lake of the wave equation."""

    def _make_block(self, number: Number) -> WaveBlock:
        assert isinstance(self._lake.law, WaveLaw)
        return WaveBlock(number, self._lake.blocks, self._lake.ground, self._lake.law)

    def _advance(self, parts: int) -> int:
        points = 0
        for block in self._blocks.values():
            points += 0 if block.is_calm else parts * block.owned.points
            block.advance(parts)
        return points

    def _drop(self, number: int) -> None:
        for block in self._blocks.values():
            block.drop(self._lake.drops[number].drop)

    def _fill(self) -> None:
        for block in self._blocks.values():
            block.settle()
        super()._fill()


class ShallowOwner(Owner[ShallowBlock]):
    """The blocks of one worker in a lake of shallow water."""

    _deepest: float | None = None

    def _make_block(self, number: Number) -> ShallowBlock:
        return ShallowBlock(number, self._lake.blocks, self._lake.ground, self._law)

    @property
    def _law(self) -> ShallowLaw:
        assert isinstance(self._lake.law, ShallowLaw)
        return self._lake.law

    def _advance(self, parts: int) -> int:
        if self._deepest is None:
            own = max((block.deepest for block in self._blocks.values()), default=0.0)
            (self._deepest,) = self._mailbox.largest([own])
            for block in self._blocks.values():
                block.deepest = self._deepest
        return sum(self._step() for _ in range(parts))

    def _step(self) -> int:
        """Take a step in as many parts as the whole lake needs; returns the points times parts that were stepped."""
        law, points, taken = self._law, 0, 0
        left = law.time_step
        while taken < MAX_SUBSTEPS and left > 1e-9 * law.time_step:
            self._fill()
            part = self._next_part(left, MAX_SUBSTEPS - taken)
            if part is None:
                break
            for block in self._blocks.values():
                points += 0 if block.is_calm else block.owned.points
                block.take_part(part)
            left, taken = left - part, taken + 1
        for block in self._blocks.values():
            block.end_step()
        return points

    def _next_part(self, left: float, parts: int) -> float | None:
        """How long the next part of the step is [s]; None if nothing moves anywhere."""
        assert self._deepest is not None
        own = np.zeros(4)
        for block in self._blocks.values():
            own = np.maximum(own, (*block.peaks(), block.fastest_beyond(), not block.is_calm))
        speed, depth, beyond, moves = self._mailbox.largest(own.tolist())
        if not moves:
            return None
        fastest = max(Peaks(speed, max(depth, self._deepest)).fastest(self._law.gravity), beyond)
        return next_part(left, parts, fastest, self._lake.ground.grid.spacing)[0]

    def _drop(self, number: int) -> None:
        lake, drop = self._lake, self._lake.drops[number].drop
        window = drop_rectangle(drop, lake.ground)
        known: dict[Rectangle, Places] = {}
        for block in self._blocks.values():
            place = block.owned.and_(window)
            found = None if place.is_empty else block.known(window)
            if found is not None:
                known[place] = found
        numbers = lake.blocks.numbers
        senders = {self._owners[k] for k in numbers if not lake.blocks.owned(k).and_(window).is_empty} - {self._me}
        receivers = {self._owners[k] for k in numbers if not lake.blocks.held(k).and_(window).is_empty} - {self._me}
        is_sender = any(not block.owned.and_(window).is_empty for block in self._blocks.values())
        is_receiver = any(not block.held.and_(window).is_empty for block in self._blocks.values())
        message = {tuple(place): tuple(found) for place, found in known.items()}
        arrived = self._mailbox.exchange(
            dict.fromkeys(receivers, message) if is_sender else {}, senders if is_receiver else ()
        )
        if not is_receiver:
            return
        for pieces in arrived.values():
            known |= {Rectangle(*place): Places(*found) for place, found in pieces.items()}
        rise = rise_with_drop(drop, lake.ground, window, known)
        for block in self._blocks.values() if rise is not None else ():
            assert rise is not None
            block.set_rise(window, rise)

    def _flow_of(self, block: ShallowBlock) -> NDArray[np.float32] | None:
        return block.flow if self._lake.keeps_flow else None


def owner_of(lake: Lake) -> type[WaveOwner] | type[ShallowOwner]:
    """The kind of owner that the blocks of a lake need."""
    return ShallowOwner if isinstance(lake.law, ShallowLaw) else WaveOwner
