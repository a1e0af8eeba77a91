"""The damped wave equation on a grid with fixed points: Bressler's water (2007), the backbone of the program."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from waterview.core.commands import MAX_HEIGHT, Drop
from waterview.core.frame import Frame
from waterview.core.params import Value, param
from waterview.kernels.awake import AwakeTiles
from waterview.kernels.layout import TwoLevels
from waterview.kernels.slopes import slopes
from waterview.kernels.team import Team
from waterview.kernels.wave import BORDERS, STENCILS, advance, free_points

from .base import Water, WaterParams
from .drops import drop_heights
from .stability import StableStep, stable_step

STILL_COURANT = 1e-4
"""Below this Courant number the motion of a wave is lost in the rounding of its height, and is not magnified again."""

REST = 1e-7
"""Heights below this share of a cell are taken for 0, so that water comes to rest and costs nothing: a published slope
can hardly be so small."""

ROWS_AT_ONCE = 64
"""Rows that are changed at a time where a whole field is: what is needed beside it stays small."""


@dataclass(frozen=True, kw_only=True)
class WaveEquationParams(WaterParams):
    """The parameters of `WaveEquationWater`."""

    wave_speed: float = param(
        20.0,
        unit="m/s",
        low=0.0,
        high=100_000.0,
        step=1.25,
        scale="log",
        smallest=0.01,
        keys=("down", "up"),
        doc="How fast waves run; 0 holds them where they are.",
    )
    damping: float = param(
        0.3,
        unit="1/s",
        low=0.0,
        high=1000.0,
        step=1.25,
        scale="log",
        smallest=0.001,
        keys=("left", "right"),
        doc="How fast waves lose their energy; 0 lets them run for ever.",
    )
    stencil: str = param(
        "isotropic",
        choices=tuple(STENCILS),
        doc="Neighbours that act on a point: four, all eight (waves run √2 too fast), or all eight at the true speed"
        " (isotropic: nearly alike in all directions; compact: alike).",
    )
    border: str = param(
        "zero",
        choices=BORDERS,
        doc="What lies outside the grid: still water that throws waves back upside down, or a wall that keeps volume.",
    )


class WaveEquationWater(Water):
    """h_tt + k·h_t = c²∇²h by Bressler's step (2007, eq. 2); points under the heightmap are fixed at height 0.

    The step that is taken is always stable: where wave speed and damping ask for more, it is divided into sub-steps,
    and then the wave is slowed (`waterview.models.stability`). `params` holds what was asked for, `plan` what is done.

    When a parameter changes, waves keep their shape and direction and go on at the new speed: h⁻ is moved so that
    h − h⁻ stays in proportion to the Courant number. Left as it is, every change of the number of sub-steps would
    show as a jolt.

    Args and errors as `Water`.
    """

    name: ClassVar[str] = "wave-equation"
    Params: ClassVar[type[WaterParams]] = WaveEquationParams
    params: WaveEquationParams

    def __init__(
        self,
        x_size: float,
        z_size: float,
        x_res: int,
        origin: tuple[float, float, float] = (0.0, 0.0, 0.0),
        **parameters: Value,
    ) -> None:
        super().__init__(x_size, z_size, x_res, origin, **parameters)
        self._field = TwoLevels(self.grid.shape)
        self._free = free_points(self.fixed)
        self._tiles = AwakeTiles(self.grid.shape)
        self._team = Team(self.grid.shape[0] * self.grid.shape[1])
        self._settled: tuple[StableStep, str, str] | None = None
        self._shift = 0.0

    # --- the water

    def step(self) -> None:
        """Take one fixed time step of 1/steps_per_second, in as many sub-steps as are stable."""
        self.advance(1)

    def advance(self, steps: int) -> None:
        """Take several fixed time steps; faster than one by one and the same to the bit."""
        if steps < 1:
            return
        self._set_pending_heights()
        plan = self.plan
        conditions = (plan, self.params.stencil, self.params.border)
        if conditions != self._settled:
            self._settle(plan)
            self._settled = conditions
        with self._team.at_work(steps * plan.substeps):
            advance(
                self._field,
                self._free,
                stencil=self.params.stencil,
                border=self.params.border,
                kappa=plan.kappa,
                courant=plan.courant,
                steps=steps * plan.substeps,
                rest=REST * self.grid.spacing if plan.courant > 0.0 else 0.0,
                tiles=self._tiles,
            )
        self.time += steps * self.time_step

    def disturb(self, drop: Drop) -> None:
        """Add a drop at once to the heights of both time levels: it moves nothing yet, so it starts from rest.

        Heights stay within ±`MAX_HEIGHT`. A drop on dry ground does nothing.
        """
        shape = drop_heights(drop, self.grid, self.fixed)
        if shape is None:
            return
        window, added = shape
        for level in (self._field.heights[window], self._field.heights_before[window]):
            level[...] = np.clip(level + added, -MAX_HEIGHT, MAX_HEIGHT)
        self._tiles.wake(*window)

    def reset(self) -> None:
        """Calm the water: every height 0 and at rest; heights waiting to be set are dropped."""
        self._take_pending()
        self._field.now.fill(0.0)
        self._field.before.fill(0.0)

    def publish(self, serial: int) -> Frame:
        """The surface as it is now; the frame's arrays are its own and will not change."""
        return Frame(
            serial=serial,
            time=self.time,
            grid=self.grid,
            heights=self._field.heights.copy(),
            normals=slopes(self._field, self.grid.spacing),
            bed=self.bed,
            fixed=self.fixed,
            params=self.params,
            effective=self.effective,
        )

    @property
    def effective(self) -> dict[str, float]:
        """What the solver really uses, by name."""
        plan = self.plan
        return {
            "wave_speed": plan.wave_speed,
            "damping": plan.damping,
            "courant": plan.courant,
            "substeps": float(plan.substeps),
        }

    @property
    def height(self) -> NDArray[np.float32]:
        """Height above still water [m], shape (nz, nx); a read-only view of the state, valid until the next step."""
        view = self._field.heights
        view.setflags(write=False)
        return view

    @property
    def time_levels(self) -> tuple[NDArray[np.float32], ...]:
        """Both time levels h and h⁻, shape (nz, nx) each: views to be written, if at all, before the next step."""
        self._tiles.wake()
        return self._field.heights, self._field.heights_before

    @property
    def plan(self) -> StableStep:
        """How the next step will be taken: effective wave speed and damping, sub-steps, κ and λ."""
        params = self.params
        symbol = STENCILS[params.stencil].largest_symbol
        return stable_step(params.wave_speed, params.damping, self.time_step, self.grid.spacing, symbol)

    def on_fixed_changed(self) -> None:
        """Newly fixed points go to 0; newly freed ones start from there."""
        self._free = free_points(self.fixed)
        self._field.heights[self.fixed] = 0.0
        self._field.heights_before[self.fixed] = 0.0
        self._settled = None

    # --- changes between two steps

    def _set_pending_heights(self) -> None:
        for ix, iz, height in self._take_pending():
            value = 0.0 if self.fixed[iz, ix] else min(max(height, -MAX_HEIGHT), MAX_HEIGHT)
            self._field.heights[iz, ix] = value
            self._field.heights_before[iz, ix] = value
            self._tiles.wake(slice(iz, iz + 1), slice(ix, ix + 1))

    def _settle(self, plan: StableStep) -> None:
        """Fit h⁻ to changed parameters or fixed points, and hold both levels in bounds.

        Between changes the step is stable, but changes in time with a wave feed it: so this is the place to bound it.
        """
        ratio, mean = self._motion_ratio(plan), np.float32(0.0)
        if self.params.border == "reflecting" and not self.fixed.any():
            # Nothing holds the mean level of a closed basin: a mean motion left over from before would go on for ever.
            total = sum(float((h - before).sum(dtype=np.float64)) for h, before in self._some_rows())
            mean = np.float32(ratio * total / self._field.heights.size)
        for h, before in self._some_rows():
            motion = (h - before) * ratio - mean
            np.clip(h, -MAX_HEIGHT, MAX_HEIGHT, out=h)
            np.clip(h - motion, -MAX_HEIGHT, MAX_HEIGHT, out=before)
        self._tiles.wake()

    def _some_rows(self) -> Iterator[tuple[NDArray[np.float32], NDArray[np.float32]]]:
        """Both levels, `ROWS_AT_ONCE` rows at a time; views."""
        for start in range(0, self.grid.shape[0], ROWS_AT_ONCE):
            rows = slice(start, start + ROWS_AT_ONCE)
            yield self._field.heights[rows], self._field.heights_before[rows]

    def _motion_ratio(self, plan: StableStep) -> np.float32:
        """What to multiply h − h⁻ by: the ratio of the distances [cells] that a wave runs in a sub-step."""
        was = self._shift
        self._shift = plan.courant * math.sqrt(STENCILS[self.params.stencil].laplacians)
        if 0.0 < was >= self._shift:
            return np.float32(self._shift / was)
        return np.float32(max(self._shift, STILL_COURANT) / max(was, STILL_COURANT))
