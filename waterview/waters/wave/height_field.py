"""Müller's height field fluid: columns of height u that move at velocity v (Müller 2008; Riehm 2021)."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import astuple, dataclass
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from waterview.core.commands import MAX_HEIGHT, Drop
from waterview.core.errors import ParameterError
from waterview.core.params import param
from waterview.core.saved import entry_of
from waterview.simd.layout import interior, padded
from waterview.waters.common.drops import drop_heights
from waterview.waters.common.stability import STILL_COURANT, StableStep, motion_ratio, stable_step
from waterview.waters.common.water import WaterParams, restore
from waterview.waters.common.wave_params import damping_param, wave_speed_param
from waterview.waters.wave.step import STENCILS, Velocity

from . import step
from .grid_water import GridWaterParams
from .two_level_water import SweptWater

PUSH_SECONDS = 0.1
"""A drop that pushes gives its place the velocity that would raise it to the drop's height in this time [s]."""

RISE_STEPS = 256
"""Steps after which heights are looked at, and for which a column may go on as fast as it is now: where waves are slow,
nothing pulls back for hours what has once been pushed."""

BREAKING_SLOPE = 2.0
"""A wave breaks where it rises by more than this many cells from one point to the next (Chentanez and Müller 2010)."""

CLAMPED = 1.05
"""How much shorter than elsewhere the square of the largest step is: at the limit itself heights and velocities of the
shortest waves all but cancel, and to clamp the heights alone sets free what the velocities hold."""


@dataclass(frozen=True, kw_only=True)
class HeightFieldParams(GridWaterParams):
    """The parameters of `HeightFieldWater`."""

    wave_speed: float = wave_speed_param()
    damping: float = damping_param(0.3)
    velocity_scale: float = param(
        1.0,
        low=0.0,
        high=1.0,
        step=0.005,
        doc="What every step leaves of the velocities besides: damping that depends on the number of steps.",
    )
    stencil: str = param(
        "five-point", choices=("five-point", "isotropic"), doc="Neighbours that act on a point: four, or all eight."
    )
    spike_slope: float = param(
        1.0,
        low=0.01,
        high=100.0,
        step=1.25,
        scale="log",
        doc="How many cells a point may stand above or below the mean of its neighbours; what is more is clamped.",
    )
    overshoot: float = param(
        0.3, low=0.0, high=0.5, step=0.05, doc="How much of a breaking crest each step takes away; 0 leaves it."
    )
    drops: str = param(
        "water", choices=("water", "force"), doc="What a drop does: adds water, or pushes the water that is there."
    )


class HeightFieldWater(SweptWater):
    """u_tt = c²∇²u − k·u_t in two arrays: v += (c²L(u)/Δx²)Δt; v *= s·e^(−kΔt); u += vΔt.

    Afterwards spikes are clamped and breaking crests lowered; what that takes away is given back to the whole of the
    water it was taken from. The step is always stable: where the wave speed asks for more it is divided, and then the
    wave is slowed (`waterview.waters.common.stability`).

    Args and errors as `Water`.
    """

    name: ClassVar[str] = "height-field"
    summary: ClassVar[str] = "columns of water that push each other: splashes, breaking waves, constant volume"
    Params: ClassVar[type[WaterParams]] = HeightFieldParams
    params: HeightFieldParams
    _other_is_velocity: ClassVar[bool] = True

    def _create_state(self) -> None:
        super()._create_state()
        self._velocity = padded(self.grid.shape)
        self._depth = self._still_depth()
        self._settled: tuple[StableStep, float] | None = None

    # --- the water

    def advance(self, steps: int, shown: bool = False) -> None:
        """Take several fixed time steps; the same to the bit as one by one.

        Where the surface will be `shown` afterwards, it is written with the last of them, and written anew where spikes
        are clamped after it.
        """
        for taken, written in self._sweeps(steps, shown):
            self._fit_motion()
            plan, params = self.plan, self.params
            damping = 1.0 - params.velocity_scale ** (1.0 / plan.substeps) * math.exp(-params.damping * self._part)
            how: dict[str, Any] = {"stencil": params.stencil, "damping": damping, "courant": plan.courant}
            velocity = Velocity(self._velocity, self._part)
            for left in reversed(range(taken)):
                with self._sweep(plan.substeps, written and left == 0) as where:
                    step.advance(self._field, self._domain, velocity=velocity, **how, **where)
                if self._clamp(plan, where["threads"]):
                    # The step alone is stable, but spikes are moved where it does not expect them.
                    self._hold_in_bounds()
                    if self._keeps_volume:
                        self._keep_level()  # points that were stopped take their share of the motion out of the sum

    def disturb(self, drop: Drop) -> None:
        """Add a drop's water at once, at rest; or with `drops` "force" its velocity, and no water.

        Heights stay within ±`MAX_HEIGHT`. A drop on dry ground does nothing.
        """
        if self.params.drops == "water":
            self._add(drop)
            return
        shape = drop_heights(drop, self.grid, self.fixed)
        if shape is not None:
            window, added = shape
            velocity = np.zeros(self.grid.shape)
            velocity[window] = added / PUSH_SECONDS
            self._push(velocity)

    def add_water(self, ix: int, iz: int, height: float) -> None:
        """Raise one column by `height` [m], at once; its free neighbours give the water up, in equal parts.

        A column that is fixed stays 0, one without free neighbours as it is.

        Raises:
            ParameterError: the point is not on the grid or the height not finite.
        """
        ix, iz = self._checked_point(ix, iz)
        if not math.isfinite(height):
            raise ParameterError(f"a column raised by {height} m: allowed are finite values")
        nz, nx = self.grid.shape
        around = ((iz - 1, ix), (iz + 1, ix), (iz, ix - 1), (iz, ix + 1))
        free = [(i, j) for i, j in around if 0 <= i < nz and 0 <= j < nx and not self.fixed[i, j]]
        if free and not self.fixed[iz, ix]:
            heights = self._field.heights
            height = min(max(height, -MAX_HEIGHT), MAX_HEIGHT)
            heights[iz, ix] += height
            for i, j in free:
                heights[i, j] -= height / len(free)
            self._on_written(slice(max(iz - 1, 0), iz + 2), slice(max(ix - 1, 0), ix + 2))

    def apply_force(self, ix: int, iz: int, velocity: float) -> None:
        """Add `velocity` [m/s] to one column, at once. With `keep_volume` the whole of its water sinks as much.

        Raises:
            ParameterError: the point is not on the grid or the velocity not finite.
        """
        ix, iz = self._checked_point(ix, iz)
        if not math.isfinite(velocity):
            raise ParameterError(f"a column pushed by {velocity} m/s: allowed are finite values")
        pushed = np.zeros(self.grid.shape)
        pushed[iz, ix] = velocity
        self._push(pushed)

    def reset(self) -> None:
        """Calm the water: every height 0 and at rest; heights waiting to be set are dropped."""
        super().reset()
        self._velocity.fill(0.0)

    @property
    def _levels(self) -> tuple[NDArray[np.float32], ...]:
        return (self._field.heights,)

    @property
    def at_rest(self) -> bool:
        """Whether every height and velocity was 0 when last looked at, and nothing was written since."""
        return not (self._pending or self._tiles.marks.awake.any())

    @property
    def effective(self) -> dict[str, float]:
        """What the solver really uses, by name."""
        plan = self.plan
        return {
            "wave_speed": plan.wave_speed,
            "damping": self.params.damping,
            "courant": plan.courant,
            "substeps": float(plan.substeps),
        }

    @property
    def plan(self) -> StableStep:
        """How the next step will be taken; damping is no part of it, for this step is stable with any."""
        symbol = CLAMPED * STENCILS[self.params.stencil].largest_symbol
        return stable_step(self.params.wave_speed, 0.0, self.time_step, self.grid.spacing, symbol)

    def on_fixed_changed(self) -> None:
        """Newly fixed columns go to 0 and rest; newly freed ones start from there."""
        super().on_fixed_changed()
        self._v[self.fixed] = 0.0
        self._depth = self._still_depth()

    # --- to be saved

    def _state(self) -> dict[str, Any]:
        settled = None if self._settled is None else [*astuple(self._settled[0]), self._settled[1]]
        return super()._state() | {"velocity": self.velocity, "settled": settled}

    def _load_state(self, state: Mapping[str, Any]) -> None:
        super()._load_state(state)
        restore(self._v, state["velocity"])
        settled = entry_of(state, "settled", tuple[float, float, int, float, float, float] | None)
        if settled is not None and settled[-1] <= 0.0:
            raise ValueError(f"steps of {settled[-1]:g} s")
        self._settled = None if settled is None else (StableStep(*settled[:-1]), settled[-1])

    # --- inside

    def _clamp(self, plan: StableStep, threads: int) -> int:
        """Clamp spikes and lower breaking crests; returns the number of points changed."""
        from .kernels.spikes import clamp_spikes

        symbol = STENCILS[self.params.stencil].largest_symbol
        return clamp_spikes(
            self._field,
            self._velocity,
            self._domain.water,
            self._depth,
            self._basins,
            most=self.params.spike_slope * self.grid.spacing,
            step=BREAKING_SLOPE * self.grid.spacing,
            share=self.params.overshoot,
            turn=0.25 * symbol * plan.courant**2 / self._part,
            give_back=self.params.keep_volume,
            tiles=self._tiles,
            threads=threads,
        )

    def _fit_motion(self) -> None:
        self._settle(self.plan)

    def _settle(self, plan: StableStep) -> None:
        """Fit velocities to a changed wave speed, so that waves keep their shape and direction, and hold all in bounds.

        Between changes the step is stable, but changes in time with a wave feed it: so this is the place to bound it.
        """
        settled = (plan, self.time_step)
        if settled == self._settled:
            return
        if self._settled is not None:
            before, time_step = self._settled
            still = STILL_COURANT * self.grid.spacing / time_step
            self._v[...] *= np.float32(motion_ratio(before.wave_speed, plan.wave_speed, still))
            self._domain.border_memory.scale_motion(motion_ratio(before.courant, plan.courant))
        self._settled = settled
        self._hold_in_bounds()
        self._on_written()

    def _on_written(
        self, rows: slice = slice(None), columns: slice = slice(None), highest: float | None = None
    ) -> None:
        super()._on_written(rows, columns)  # the caller knows heights, but not how fast they are

    @property
    def _bounds_are_due(self) -> bool:
        return self._steps % RISE_STEPS == 0

    def _highest(self, rows: slice, columns: slice) -> float:
        # Or how far columns go at their speed until somebody looks again.
        moved = self._v[rows, columns]
        fastest = float(max(moved.max(), -moved.min())) if moved.size else 0.0
        return max(super()._highest(rows, columns), fastest * self.time_step * RISE_STEPS)

    def _hold_in_bounds(self) -> None:
        fastest = MAX_HEIGHT / self.time_step
        np.clip(self._field.heights, -MAX_HEIGHT, MAX_HEIGHT, out=self._field.heights)
        np.clip(self._v, -fastest, fastest, out=self._v)
        self._domain.border_memory.clip(MAX_HEIGHT)

    def _release(self, ix: int, iz: int, height: float) -> None:
        super()._release(ix, iz, height)
        self._v[iz, ix] = 0.0

    def _push(self, velocity: NDArray[np.float64]) -> None:
        self._accelerate(velocity)
        if self.params.keep_volume:
            self._keep_level()

    def _accelerate(self, velocity: NDArray[np.float64]) -> None:
        fastest = MAX_HEIGHT / self.time_step
        pushed = np.clip(self._v + velocity, -fastest, fastest)
        self._v[...] = np.where(self.fixed, 0.0, pushed)
        self._tiles.wake(shown=False)

    def _keep_level(self) -> None:
        self._remove_mean_motion(self._v)
        self._tiles.wake(shown=False)

    @property
    def _other(self) -> NDArray[np.float32]:
        return self._v

    @property
    def _v(self) -> NDArray[np.float32]:
        return interior(self._velocity, self.grid.shape)
