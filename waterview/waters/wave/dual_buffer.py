"""Hugo Elias' dual buffer (1998; Lew 2012): half the sum of four neighbours, less what was there before, damped."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, replace
from types import MappingProxyType
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from waterview.core.commands import MAX_HEIGHT, Drop
from waterview.core.params import Value, param
from waterview.core.saved import entry_of, random_state
from waterview.simd.layout import TwoLevels
from waterview.waters.common.water import WaterParams

from . import step
from .grid_water import GridWaterParams
from .splashes import Splashes
from .two_level_water import TwoLevelWater

DIVISORS = {"two": 2.0, "four-as-printed": 4.0}
"""What the sum of four neighbours is divided by: Elias' 2, or the 4 that Lew prints, with which no long wave runs."""


@dataclass(frozen=True, kw_only=True)
class DualBufferParams(GridWaterParams):
    """The parameters of `DualBufferWater`."""

    damping_factor: float = param(
        0.9975,
        low=0.0,
        high=1.0,
        step=0.0025,
        keys=("right", "left"),
        doc="What every step leaves of the heights; 1 lets waves run for ever.",
    )
    divisor: str = param(
        "two",
        choices=tuple(DIVISORS),
        doc="What the sum of four neighbours is divided by: two, as Elias does, or four, a misprint that stops waves.",
    )
    drop_variation: float = param(
        0.3, low=0.0, high=0.9, step=0.1, doc="How much the sizes of drops differ at random, as a share of their size."
    )
    drop_seed: int = param(0, low=0, high=2**31 - 1, step=1, doc="Another number gives other random drops.")
    splash: float = param(
        0.5, low=0.0, high=0.8, step=0.1, doc="How high big drops throw a droplet up, as a share of twice their height."
    )


class DualBufferWater(TwoLevelWater):
    """next = damping_factor · (½ · (sum of four neighbours) − previous): the wave equation at λ² = ½.

    There is no wave speed to set: waves run √½ of a cell a step, so steps_per_second sets how fast they are. The
    factor draws the heights themselves to 0, not only their motion; without it (1) this is Bressler's step undamped.

    Args and errors as `Water`.
    """

    name: ClassVar[str] = "dual-buffer"
    summary: ClassVar[str] = "the classic ripples of two buffers: simple, with one speed that the grid sets"
    Params: ClassVar[type[WaterParams]] = DualBufferParams
    calm: ClassVar[Mapping[str, Value]] = MappingProxyType({"drop_variation": 0.0, "splash": 0.0})
    params: DualBufferParams

    def _create_state(self) -> None:
        super()._create_state()
        self._random = np.random.default_rng(self.params.drop_seed)
        self._splashes = Splashes()
        self._shown: TwoLevels | None = None

    # --- the water

    def advance(self, steps: int, shown: bool = False) -> None:
        """Take several fixed time steps; faster than one by one and the same to the bit.

        Where the surface will be `shown` afterwards, it is written with the last of them.
        """
        factor, divisor = self.params.damping_factor, DIVISORS[self.params.divisor]
        # d·(Σ/m − h⁻) with Σ = L + 4h is h + d·(h − h⁻) + (d/m)·L + (4d/m − 1 − d)·h.
        pull = 4.0 * factor / divisor - 1.0 - factor
        how: dict[str, Any] = {
            "stencil": "five-point",
            "damping": 1.0 - factor,
            "courant": math.sqrt(factor / divisor),
            "pull": pull,
        }
        for taken, written in self._sweeps(steps, shown):
            in_the_air = len(self._splashes) > 0  # shown with the surface, which must then be another one
            with self._sweep(taken, written and not in_the_air) as where:
                step.advance(self._field, self._domain, **how, **where)
            for drop in self._splashes.step(self.time_step, self.params.splash):
                self._add(drop)
            self._shown = None

    def disturb(self, drop: Drop) -> None:
        """Add a drop of random size around the one given, at once and at rest; a big one throws a droplet up later.

        Heights stay within ±`MAX_HEIGHT`. A drop on dry ground does nothing.
        """
        variation = self.params.drop_variation
        size = 1.0 + variation * (2.0 * self._random.random() - 1.0) if variation else 1.0
        height = min(max(size * drop.height, -MAX_HEIGHT), MAX_HEIGHT)
        drop = replace(drop, height=height, radius=size * drop.radius)
        self._add(drop)
        point = self.grid.nearest(drop.x, drop.z)
        if point is not None and not self.fixed[point[1], point[0]]:
            self._splashes.throw(drop, self.grid, self.params.splash, self.effective["wave_speed"])

    def reset(self) -> None:
        """Calm the water: every height 0 and at rest; heights waiting to be set and droplets in the air are dropped."""
        super().reset()
        self._splashes.clear()

    def set_parameter(self, name: str, value: Value) -> None:
        """Change one declared parameter from the next step on; another seed starts its random numbers anew.

        Raises:
            ParameterError: the name is unknown or the value not allowed; nothing has changed then.
        """
        time_step = self.time_step
        super().set_parameter(name, value)
        self._splashes.scale_motion(self.time_step / time_step)
        if name == "drop_seed":
            self._random = np.random.default_rng(self.params.drop_seed)

    @property
    def height(self) -> NDArray[np.float32]:
        """Height above still water with the droplets in the air [m], shape (nz, nx), read-only."""
        return self._surface.shown

    @property
    def droplets(self) -> int:
        """Number of droplets that were thrown and have not come down for good."""
        return len(self._splashes)

    @property
    def effective(self) -> dict[str, float]:
        """What the step amounts to in the words of the wave equation, by name; with four as divisor of short waves."""
        rate = self.params.steps_per_second
        courant = math.sqrt(1.0 / DIVISORS[self.params.divisor])
        return {
            "wave_speed": courant * self.grid.spacing * rate,
            "damping": (1.0 - self.params.damping_factor) * rate,
            "courant": courant,
            "substeps": 1.0,
        }

    def _on_written(
        self, rows: slice = slice(None), columns: slice = slice(None), highest: float | None = None
    ) -> None:
        super()._on_written(rows, columns, highest)
        self._shown = None

    # --- to be saved

    def _state(self) -> dict[str, Any]:
        chance = self._random.bit_generator.state
        return super()._state() | {"chance": chance, "splashes": self._splashes.saved()}

    def _load_state(self, state: Mapping[str, Any]) -> None:
        super()._load_state(state)
        self._random.bit_generator.state = random_state(state, "chance")
        self._splashes.load(entry_of(state, "splashes", list[dict[str, float]]))

    # --- inside

    @property
    def _most_together(self) -> int:
        return 1 if len(self._splashes) else super()._most_together

    def _copies(self) -> tuple[NDArray[np.float32], NDArray[np.float16]]:
        if len(self._splashes):
            return self.height.copy(), self._slopes(self._surface)
        return super()._copies()

    @property
    def _surface(self) -> TwoLevels:
        """The field, with the droplets on it if there are any."""
        if not len(self._splashes):
            return self._field
        if self._shown is None:
            self._shown = TwoLevels(self.grid.shape)
            self._shown.heights[...] = self._field.heights
            self._splashes.add_to(self._shown.heights, self.grid, self.fixed)
            np.clip(self._shown.heights, -MAX_HEIGHT, MAX_HEIGHT, out=self._shown.heights)
        return self._shown

    @property
    def _keeps_volume(self) -> bool:
        # With damping the factor draws the level itself to 0.
        return super()._keeps_volume and self.params.damping_factor == 1.0 and self.params.divisor == "two"
