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
from waterview.core.saved import entry_of
from waterview.waters.common.borders import Sides, border_param
from waterview.waters.common.published_surface import MAX_SLOPE, slopes_of_part
from waterview.waters.common.stability import StableStep, motion_ratio, stable_step
from waterview.waters.common.water import WaterParams
from waterview.waters.common.wave_params import damping_param, wave_speed_param
from waterview.waters.common.wavemaker import SIDES, SINES_OUTSIDE, WAVEMAKER_NAMES, WavemakerParams, inwards
from waterview.waters.wave.step import STENCILS

from . import step
from .grid_water import GridWaterParams
from .two_level_water import TwoLevelWater
from .wave_source import WaveSource, opened

ROWS_AT_ONCE = 64
"""Rows that are changed at a time where a whole field is: what is needed beside it stays small."""


@dataclass(frozen=True, kw_only=True)
class WaveEquationParams(WavemakerParams, GridWaterParams):
    """The parameters of `WaveEquationWater`."""

    wave_speed: float = wave_speed_param()
    damping: float = damping_param(0.3)
    stencil: str = param(
        "isotropic",
        choices=tuple(STENCILS),
        doc="Neighbours that act on a point: four, all eight (waves run √2 too fast), or all eight at the true speed"
        " (isotropic: nearly alike in all directions; compact: alike).",
    )
    border: str = border_param("zero")


def speed_of(plan: StableStep, stencil: str) -> float:
    """The speed that waves have when a step is taken so with a stencil [m/s]."""
    return plan.wave_speed * math.sqrt(STENCILS[stencil].laplacians)


def _outermost(side: str, shape: tuple[int, int], count: int) -> tuple[slice, slice]:
    """Rows and columns of the outermost `count` points along a side of a grid of `shape` (nz, nx)."""
    (nz, nx), every = shape, slice(None)
    return {
        "west": (every, slice(0, count)),
        "east": (every, slice(max(nx - count, 0), nx)),
        "north": (slice(0, count), every),
        "south": (slice(max(nz - count, 0), nz), every),
    }[side]


class WaveEquationWater(TwoLevelWater):
    """h_tt + k·h_t = c²∇²h by Bressler's step (2007, eq. 2); points under the heightmap are fixed.

    The step that is taken is always stable: where wave speed and damping ask for more, it is divided into sub-steps,
    and then the wave is slowed (`waters.common.stability`). `params` holds what was asked for, `plan` what is done.

    When a parameter changes, waves keep their shape and direction and go on at the new speed: h⁻ is moved so that
    h − h⁻ stays in proportion to the Courant number. Left as it is, every change of the number of sub-steps would
    show as a jolt.

    Args and errors as `Water`.
    """

    name: ClassVar[str] = "wave-equation"
    summary: ClassVar[str] = "damped waves of one speed: fast and exact, with every kind of border and shore"
    Params: ClassVar[type[WaterParams]] = WaveEquationParams
    params: WaveEquationParams

    def _create_state(self) -> None:
        self._source = WaveSource()
        super()._create_state()
        self._settled: tuple[StableStep, str, str] | None = None
        self._shift = 0.0
        self._ask_for_waves()

    # --- the water

    def advance(self, steps: int, shown: bool = False) -> None:
        """Take steps h⁺ = h + (1 − damping)(h − h⁻) + λ²·L(h) at every point: `kernels.stencils.damped_step`.

        Where the surface will be `shown` afterwards, it is written with the last of them. While waves come in, steps
        are taken one by one.
        """
        for taken, written in self._sweeps(steps, shown):
            self._fit_motion()
            plan, stencil, waves = self.plan, self.params.stencil, bool(self._source.names)
            how: dict[str, Any] = {"stencil": stencil, "damping": plan.step_damping, "courant": plan.courant}
            parts = taken * plan.substeps
            for together in [1] * parts if waves else [parts]:
                with self._sweep(together, written and not waves) as where:
                    step.advance(self._field, self._domain, **how, **where)
                if waves:
                    self._let_waves_in(plan)

    def _let_waves_in(self, plan: StableStep) -> None:
        """Add to the step just taken what comes in by driven sides."""
        stencil = STENCILS[self.params.stencil]
        self._source.add_to(self._field.heights, stencil.laplacians * plan.courant**2, stencil.corner)
        for name in self._source.names:
            self._on_written(*_outermost(name, self.grid.shape, 2))
        self._source.advance(self.time_step / plan.substeps)
        if self._source.has_ended:
            self._ask_for_waves()

    def _ask_for_waves(self) -> None:
        """Let what the parameters ask for come in from now on."""
        speed = speed_of(self.plan, self.params.stencil)
        edge = inwards(self._still_depth(), (self.params.driven_sides or SIDES)[0])[0]
        self._source.ask(self.params, edge, self.grid, speed)
        if self._sides != self._domain.sides:
            super()._refit()
        self._source.fit(self.fixed, self._sides, self.grid)

    def _refit(self) -> None:
        super()._refit()
        self._source.fit(self.fixed, self._sides, self.grid)

    @property
    def height(self) -> NDArray[np.float32]:
        """Height above still water [m], shape (nz, nx); read-only, valid until the next step."""
        whole = self._source.whole(super().height, self.fixed)
        whole.setflags(write=False)
        return whole

    def _incoming(self) -> NDArray[np.float32] | None:
        return self._source.wavemaker.sines(SINES_OUTSIDE) if self._source.names else None

    def _copies(self) -> tuple[NDArray[np.float32], NDArray[np.float16]]:
        heights, normals = super()._copies()
        if self._source.names:
            heights = self._source.whole(heights, self.fixed)
            self._mend_driven_sides(normals, heights)
        return heights, normals

    def _mend_driven_sides(self, normals: NDArray[np.float16], heights: NDArray[np.float32]) -> None:
        """Let slopes along driven sides be those of the whole field: they were taken between points of both kinds.

        At the edge they are those of a parabola through three points, for the sea goes on beyond it without a crease.
        """
        for name in self._source.names:
            beside = _outermost(name, self.grid.shape, 3)
            walls = self.fixed[beside] & (self._domain.shore == "no-flux")
            mended = np.stack(slopes_of_part(heights[beside], walls, self.grid.spacing))
            across = inwards(mended[int(name in {"north", "south"})], name)
            across[0] += np.where(inwards(walls, name).any(axis=0), 0.0, across[0] - across[1])
            mended = np.moveaxis(np.clip(mended, -MAX_SLOPE, MAX_SLOPE), 0, -1)
            normals[_outermost(name, self.grid.shape, 2)] = mended[_outermost(name, walls.shape, 2)]

    @property
    def _sides(self) -> Sides:
        """The kinds of the borders; driven ones are open."""
        return opened(super()._sides, self._source.names)

    def set_parameter(self, name: str, value: Value) -> None:
        """Change one declared parameter from the next step on.

        Raises:
            ParameterError: the name is unknown or the value not allowed; nothing has changed then.
        """
        super().set_parameter(name, value)
        if name in WAVEMAKER_NAMES or name in {"wave_speed", "stencil", "steps_per_second"}:
            self._ask_for_waves()

    def reset(self) -> None:
        """Calm the water: every height 0 and at rest; waves that come in begin anew."""
        self._source = WaveSource()
        super().reset()
        self._ask_for_waves()

    @property
    def at_rest(self) -> bool:
        """Whether every height was 0 at both times when last looked at, and nothing was written or comes in."""
        return not (self._source.names or self._pending or self._tiles.marks.awake.any())

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

    @property
    def _conditions(self) -> tuple[StableStep, str, str]:
        """What h⁻ has to be fitted to anew when it changes."""
        return self.plan, self.params.stencil, self.params.border

    def on_fixed_changed(self) -> None:
        """Newly fixed points go to 0; newly freed ones start from there."""
        super().on_fixed_changed()
        self._settled = None
        self._ask_for_waves()

    # --- to be saved

    def _state(self) -> dict[str, Any]:
        return super()._state() | {
            "shift": self._shift,
            "settled": self._settled == self._conditions,
            "source": self._source.state(),
        }

    def _load_state(self, state: Mapping[str, Any]) -> None:
        if "source" in state:  # files of older versions do not have it
            self._source.load_state(entry_of(state, "source", dict))
            self._ask_for_waves()
        super()._load_state(state)
        self._shift = entry_of(state, "shift", float, low=0.0)
        self._settled = self._conditions if entry_of(state, "settled", bool) else None

    # --- changes between two steps

    def _fit_motion(self) -> None:
        conditions = self._conditions
        if conditions != self._settled:
            self._settle(conditions[0])
            self._settled = conditions

    def _settle(self, plan: StableStep) -> None:
        """Fit h⁻ to changed parameters or fixed points, and hold both levels in bounds.

        Between changes the step is stable, but changes in time with a wave feed it: so this is the place to bound it.
        """
        ratio, mean = self._motion_ratio(plan), np.float32(0.0)
        if self.params.border == "reflecting" and not self.fixed.any() and not self._source.names:
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
        return np.float32(motion_ratio(was, self._shift))
