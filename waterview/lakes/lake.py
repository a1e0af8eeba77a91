"""A lake to be baked: a scene whose water is stepped in blocks, and what is done with it when."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

from waterview.core.commands import TimedDrop
from waterview.core.georeference import LOCAL, Georeference
from waterview.output.offline import frame_count
from waterview.scene.given_start import STILL_WATER, GivenStart
from waterview.sim.maxima import MaximaParams
from waterview.waters.common.active_tiles import REST_PERIOD

from .blocks import Blocks
from .ground import Ground
from .instruments import LakeGauge, due_steps
from .shallow_block import ShallowLaw
from .wave_block import WaveLaw

PARTS = 32
"""Parts of steps between two exchanges of halos; a divisor of `REST_PERIOD`."""


class Drops(NamedTuple):
    """Let the drop of this number fall."""

    number: int


class Fill(NamedTuple):
    """Let what has come to rest be at rest, and fill the halos."""


class Advance(NamedTuple):
    """Take so many parts of steps of the wave equation, or steps of shallow water."""

    parts: int


class Show(NamedTuple):
    """Write the frame of this number."""

    frame: int


class ReadGauges(NamedTuple):
    """Read all gauges; the halos are right as far as their cells reach."""

    number: int


class Look(NamedTuple):
    """Gather the fields over the run at this simulated time [s]."""

    time: float


Action = Drops | Fill | Advance | Show | ReadGauges | Look


@dataclass(frozen=True)
class Lake:
    """All that a worker must know to own blocks of a lake.

    Attributes:
        ground: what the water stands on, with the whole grid.
        blocks: how it is cut.
        law: how it is stepped.
        steps_per_second: time steps [1/s].
        seconds, every: simulated time, and that between two frames [s].
        drops: what falls when, by time.
        title: name of the terrain.
        place: coordinates of the terrain's file by world x and z [m].
        keeps_flow: whether depth times velocity is kept in the store, too; of shallow water alone.
        gauges: those that are read.
        gauges_interval: simulated time between two readings of all gauges [s]; 0 reads them after each step.
        maxima: how fields over the run are gathered, or None.
        start: the files of the surface and flow that it starts with.
        about: all that makes the scene, as names and numbers, by which a store is known.
    """

    ground: Ground
    blocks: Blocks
    law: WaveLaw | ShallowLaw
    steps_per_second: float
    seconds: float
    every: float
    drops: tuple[TimedDrop, ...] = ()
    title: str = ""
    place: Georeference = LOCAL
    keeps_flow: bool = False
    gauges: tuple[LakeGauge, ...] = ()
    gauges_interval: float = 0.0
    maxima: MaximaParams | None = None
    start: GivenStart = STILL_WATER
    about: tuple[tuple[str, Any], ...] = ()

    @property
    def frames(self) -> int:
        """Number of frames, the one at the start among them."""
        return frame_count(self.seconds, 1.0 / self.every)

    @property
    def steps(self) -> int:
        """Number of time steps in all."""
        return self._due(self.frames - 1)

    def _due(self, frame: int) -> int:
        """How many steps come before a frame, as `offline.run` has them."""
        return round(frame / (1.0 / self.every) * self.steps_per_second)

    @property
    def times(self) -> list[float]:
        """Simulated time of every frame [s]."""
        return [self._due(frame) / self.steps_per_second for frame in range(self.frames)]

    def actions(self, frame: int) -> list[Action]:
        """What leads from the frame before to this one; the halos may hold anything at first.

        The order is that of `offline.run`: steps, then drops, then the frame.
        """
        first = 0 if frame == 0 else self._due(frame - 1)
        falls = [self._falls_at(number) for number in range(len(self.drops))]
        actions: list[Action] = []
        for step in range(first, self._due(frame) + 1):
            if step > first:
                actions.append(Advance(self.parts_of_step))
            if frame == 0 or step > first:
                actions += self._readings_at(step)
            # Those that fell at the frame before are in it.
            actions += [Drops(k) for k, at in enumerate(falls) if at == step and (frame == 0 or step > first)]
        if isinstance(self.law, ShallowLaw):  # its halos are filled before each part of a step
            return [*actions, Fill(), Show(frame)]
        return [*_with_fills(actions, first * self.parts_of_step, self.blocks.halo - 1), Show(frame)]

    def _readings_at(self, step: int) -> Iterator[Action]:
        """What is measured after a step, or at the start."""
        if step in self._looks:
            yield Look(step / self.steps_per_second)
        if step in self._readings:
            if isinstance(self.law, ShallowLaw):
                yield Fill()
            yield ReadGauges(self._readings[step])

    @property
    def reading_times(self) -> list[float]:
        """Simulated times at which gauges are read [s]."""
        return [step / self.steps_per_second for step in self._readings]

    @cached_property
    def _readings(self) -> dict[int, int]:
        """The number of each reading of the gauges, by the steps before it."""
        if not self.gauges:
            return {}
        due = due_steps(self.steps, 1.0 / self.steps_per_second, self.gauges_interval, keeps_rest=True)
        return {step: number for number, step in enumerate((0, *due))}

    @cached_property
    def _looks(self) -> frozenset[int]:
        """After how many steps the fields over the run are gathered; at the start they are made."""
        if self.maxima is None:
            return frozenset()
        return frozenset(due_steps(self.steps, 1.0 / self.steps_per_second, self.maxima.interval, keeps_rest=False))

    @property
    def parts_of_step(self) -> int:
        """Parts of a step; 1 for shallow water, which divides each step as its fastest wave needs."""
        return self.law.plan.substeps if isinstance(self.law, WaveLaw) else 1

    def _falls_at(self, number: int) -> int:
        """The step before which a drop falls."""
        at = self.drops[number].time * self.steps_per_second
        step = max(int(at) - 1, 0)
        while not at < step + 0.5:
            step += 1
        return step


def _with_fills(actions: Sequence[Action], parts: int, halo: int) -> Iterator[Action]:
    """The same actions, parts of steps taken together as far as halos reach, and halos filled before."""
    valid = 0
    for kind, group in itertools.groupby(actions, type):
        if kind is not Advance:
            yield from group
            continue
        left = sum(action.parts for action in group if isinstance(action, Advance))
        while left:
            if valid == 0 or parts % REST_PERIOD == 0:
                yield Fill()
                valid = halo
            together = min(left, valid, REST_PERIOD - parts % REST_PERIOD)
            yield Advance(together)
            left, valid, parts = left - together, valid - together, parts + together
