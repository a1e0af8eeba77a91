"""The damped wave equation on a grid with fixed points: Bressler's water (2007), the backbone of the program."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from waterview.core.commands import MAX_HEIGHT
from waterview.core.params import Value, param
from waterview.kernels import grid_step
from waterview.kernels.awake import AwakeTiles
from waterview.kernels.borders import KINDS
from waterview.kernels.surfaces import Surfaces
from waterview.kernels.team import Team
from waterview.kernels.wave import STENCILS

from .base import WaterParams
from .borders import FORM, border_text
from .grid_water import VOLUME_STEPS, GridWaterParams
from .lasting import fill
from .stability import StableStep, stable_step
from .two_level_water import TwoLevelWater
from .wave_params import damping_param, wave_speed_param

STILL_COURANT = 1e-4
"""Below this Courant number the motion of a wave is lost in the rounding of its height, and is not magnified again."""

REST = 1e-7
"""Heights below this share of a cell are taken for 0, so that water comes to rest and costs nothing: a published slope
can hardly be so small."""

ROWS_AT_ONCE = 64
"""Rows that are changed at a time where a whole field is: what is needed beside it stays small."""


@dataclass(frozen=True, kw_only=True)
class WaveEquationParams(GridWaterParams):
    """The parameters of `WaveEquationWater`."""

    wave_speed: float = wave_speed_param()
    damping: float = damping_param(0.3)
    stencil: str = param(
        "isotropic",
        choices=tuple(STENCILS),
        doc="Neighbours that act on a point: four, all eight (waves run √2 too fast), or all eight at the true speed"
        " (isotropic: nearly alike in all directions; compact: alike).",
    )
    border: str = param(
        "zero",
        choices=KINDS,
        parse=border_text,
        form=FORM,
        doc="What lies outside the grid: still water, a wall, the opposite edge, or open water (open-ghost: roughly).",
    )


class WaveEquationWater(TwoLevelWater):
    """h_tt + k·h_t = c²∇²h by Bressler's step (2007, eq. 2); points under the heightmap are fixed.

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
        self._tiles = AwakeTiles(self.grid.shape)
        self._surfaces = Surfaces(self.grid.shape, self.grid.spacing, self._tiles)
        self._team = Team(self.grid.shape[0] * self.grid.shape[1])
        self._settled: tuple[StableStep, str, str] | None = None
        self._shift = 0.0

    # --- the water

    def advance(self, steps: int) -> None:
        """Take several fixed time steps; faster than one by one and the same to the bit."""
        while steps > 0:
            taken = min(steps, VOLUME_STEPS - self._steps % VOLUME_STEPS)
            self._take_steps(taken)
            steps -= taken

    def _take_steps(self, steps: int) -> None:
        """Steps between which nothing else is due."""
        self._release_pending()
        plan = self.plan
        conditions = (plan, self.params.stencil, self.params.border)
        if conditions != self._settled:
            self._settle(plan)
            self._settled = conditions
        self._step_levels(plan, steps * plan.substeps)
        self._count(steps)

    def _step_levels(self, plan: StableStep, substeps: int) -> None:
        """Take sub-steps of `plan`."""
        with self._team.at_work(substeps):
            grid_step.advance(
                self._field,
                self._basin,
                stencil=self.params.stencil,
                kappa=plan.kappa,
                courant=plan.courant,
                steps=substeps,
                rest=REST * self.grid.spacing if plan.courant > 0.0 else 0.0,
                tiles=self._tiles,
            )

    def step(self) -> None:
        """Take one fixed time step of 1/steps_per_second, in as many sub-steps as are stable."""
        self.advance(1)

    def _advance(self) -> None:
        self._take_steps(1)

    def _on_written(self, rows: slice = slice(None), columns: slice = slice(None)) -> None:
        self._tiles.wake(rows, columns)

    def _copies(self) -> tuple[NDArray[np.float32], NDArray[np.float16]]:
        return self._surfaces.copy(self._field, self._mend_slopes)

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
    def plan(self) -> StableStep:
        """How the next step will be taken: effective wave speed and damping, sub-steps, κ and λ."""
        params = self.params
        symbol = STENCILS[params.stencil].largest_symbol
        return stable_step(params.wave_speed, params.damping, self.time_step, self.grid.spacing, symbol)

    def on_fixed_changed(self) -> None:
        """Newly fixed points go to 0; newly freed ones start from there."""
        super().on_fixed_changed()
        self._settled = None

    # --- to be saved

    def _state(self) -> dict[str, Any]:
        return super()._state() | {
            "shift": self._shift,
            "settled": self._settled == (self.plan, self.params.stencil, self.params.border),
            "tiles": {name: array.copy() for name, array in self._tiles.marks._asdict().items()},
        }

    def _load_state(self, state: Mapping[str, Any]) -> None:
        super()._load_state(state)
        self._shift = float(state["shift"])
        self._settled = (self.plan, self.params.stencil, self.params.border) if state["settled"] else None
        for name, marks in self._tiles.marks._asdict().items():
            fill(marks, state["tiles"][name])
        self._tiles.marks.changed[:] = True  # no frame of this water has shown any of them

    # --- changes between two steps

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
