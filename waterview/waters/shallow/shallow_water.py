"""Shallow water over the ground as it is: waves slow down, bend, steepen and run up the beach."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from waterview.core.commands import MAX_HEIGHT, Drop
from waterview.core.diagnostics import FieldMap
from waterview.core.frame import Frame
from waterview.core.params import Value
from waterview.waters.common.drops import drop_heights
from waterview.waters.common.water import Water, WaterParams
from waterview.waters.shallow.kernels.shallow_water import THIN, Shallows, Taken
from waterview.waters.shallow.kernels.shallow_water_implicit import ImplicitWaves

from .shallow_params import ShallowWaterParams
from .shallow_view import ShallowView
from .shallow_volume import ShallowVolume

MAX_SUBSTEPS = 8
"""Most parts that a step is divided into for the scheme to be stable; then time runs slower instead."""


class ShallowWater(Water):
    """Water whose waves feel the ground, by one of two schemes.

    "kurganov-petrova": the non-linear shallow-water equations with dry and wet ground; the shore moves. Points above
    still water are in `fixed` until water first reaches them; what is fixed is dry and at height 0. A point that has
    fallen dry again lies a hair below its ground, so that the ground is seen.

    "kass-miller": h_tt + k h_t = g ∇·(d ∇h), implicit, with points above still water fixed at height 0.

    Gravity g is either given or follows from the wave speed, g = c²/d̄ with the mean depth d̄ of still water; waves run
    at √(gd) over a depth d. Where even `MAX_SUBSTEPS` parts of a step are too long for the first scheme, time runs
    slower for the water: all its speeds are then effectively smaller, as if by less gravity. The frame says so.

    Args and errors as `Water`.
    """

    name: ClassVar[str] = "shallow-water"
    Params: ClassVar[type[WaterParams]] = ShallowWaterParams
    params: ShallowWaterParams

    def __init__(
        self,
        x_size: float,
        z_size: float,
        x_res: int,
        origin: tuple[float, float, float] = (0.0, 0.0, 0.0),
        **parameters: Value,
    ) -> None:
        super().__init__(x_size, z_size, x_res, origin, **parameters)
        self._taken = Taken(1, 0.0, 1.0)
        self._view: ShallowView | None = None
        self._land = self.fixed
        self._solver = self._make_solver()
        self._volume = self._volume_of(self._solver)

    # --- the water

    def step(self) -> None:
        """Take one fixed time step of 1/steps_per_second."""
        for ix, iz, height in self._take_pending():
            self._set_point(ix, iz, height)
        params, solver = self.params, self._solver
        solver.border = params.border
        if isinstance(solver, Shallows):
            self._taken = solver.advance(
                self.time_step,
                gravity=self.gravity,
                damping=params.damping,
                drag=params.friction,
                most=MAX_SUBSTEPS,
            )
        else:
            self._taken = solver.advance(
                self.time_step, gravity=self.gravity, damping=params.damping, dissipation=params.dissipation
            )
        if self._volume is not None:
            self._volume.count_step(params.keep_volume)
        self.time += self.time_step
        self._forget()
        if isinstance(solver, Shallows) and solver.news:
            self._fix(~solver.seen)

    def disturb(self, drop: Drop) -> None:
        """Add a drop to the surface at once, without motion of its own; one on dry ground does nothing.

        A trough reaches no deeper than the ground, and heights stay within ±`MAX_HEIGHT`. A neutral drop takes what it
        adds from its own lake or sea; where there is too little water for that, it is smaller.
        """
        shape = drop_heights(drop, self.grid, self._dry_to(drop))
        if shape is not None:
            self._solver.add(*shape, MAX_HEIGHT, drop.neutral)
            self._forget()
            if not drop.neutral:
                self._pour()

    def reset(self) -> None:
        """Calm the water: every height 0 and at rest, shores where they were; heights waiting to be set are dropped."""
        self._take_pending()
        self._solver = self._make_solver()
        self._volume = self._volume_of(self._solver)
        self._fix_land()
        self._forget()

    def publish(self, serial: int) -> Frame:
        """The surface as it is now; the frame's arrays are its own and will not change."""
        view = self._look()
        return Frame(
            serial=serial,
            time=self.time,
            grid=self.grid,
            heights=view.heights,
            normals=view.normals(self.grid.spacing),
            bed=self.bed,
            fixed=self.fixed,
            params=self.params,
            effective=self.effective,
        )

    @property
    def effective(self) -> dict[str, float]:
        """What the solver really used in the last step, by name."""
        share = self._taken.share
        return {
            "wave_speed": share * math.sqrt(self.gravity * self._mean_depth),
            "gravity": share * share * self.gravity,
            "damping": share * self.params.damping,
            "courant": self._taken.courant,
            "substeps": float(self._taken.parts),
        }

    @property
    def height(self) -> NDArray[np.float32]:
        """Height above still water [m], shape (nz, nx), read-only; on dry ground that was wet, a hair below it."""
        return self._look().heights

    @property
    def wet(self) -> NDArray[np.bool_]:
        """Points with more than a film of water, shape (nz, nx), read-only."""
        return self._look().shown

    @property
    def gravity(self) -> float:
        """Gravity g [m/s²]: the one asked for, or the one that gives the wave speed over the mean depth."""
        if self.params.gravity > 0.0:
            return self.params.gravity
        return self.params.wave_speed**2 / self._mean_depth

    @property
    def volume(self) -> float:
        """How much more water there is than still water holds [m³], all digits counted."""
        return float(self._solver.rise.sum(dtype=np.float64)) * self.grid.spacing**2

    def set_parameter(self, name: str, value: Value) -> None:
        """Change one declared parameter; another scheme goes on with the same surface, released from rest."""
        before = self.params.scheme
        super().set_parameter(name, value)
        if name == "border" and isinstance(self._solver, ImplicitWaves):
            self._solver.border = self.params.border
            self._solver.keep_level()
        if self.params.scheme != before:
            heights = np.where(self._land, 0.0, self._look().heights)
            self._solver = self._make_solver()
            self._solver.add((slice(None), slice(None)), heights, MAX_HEIGHT)
            self._volume = self._volume_of(self._solver)
            self._fix_land()
            self._forget()

    def on_fixed_changed(self) -> None:
        """Waves go on where there was water and still is; other places start from still water."""
        self._land = self.fixed
        self._solver.border = self.params.border
        self._solver = self._make_solver(self._solver)
        self._volume = self._volume_of(self._solver)
        self._forget()

    # --- bodies, maps, and being saved

    @property
    def time_levels(self) -> tuple[NDArray[np.float32], ...]:
        """The array of depths less those of still water; none in the implicit scheme, whose numbers are longer."""
        self._pour()
        return self.neutral_levels

    @property
    def neutral_levels(self) -> tuple[NDArray[np.float32], ...]:
        """Likewise, for pushes that leave every water its volume; `on_pushed` is to be told where."""
        self._forget()
        return (self._solver.rise,) if isinstance(self._solver, Shallows) else ()

    def on_pushed(self, rows: slice, columns: slice) -> None:
        """Where more water was pushed away than there is, the water around gives it; what was seen before is old."""
        if isinstance(self._solver, Shallows):
            self._solver.settle_debts(rows, columns)
        self._forget()

    def field_maps(self) -> dict[str, FieldMap]:
        """As every model's, and where the water moves, its depth and speed."""
        views = super().field_maps()
        if isinstance(self._solver, Shallows):
            depth = self._solver.depth
            flow = np.hypot(*self._solver.cells[1:]) / np.maximum(depth, THIN * self.grid.spacing)
            for view in (FieldMap("depth", depth, "m", False), FieldMap("speed", flow, "m/s", False)):
                views[view.name] = view
        return views

    def _state(self) -> dict[str, Any]:
        return {
            "solver": self._solver.saved(),
            "fixed": self.fixed.copy(),
            "taken": list(self._taken),
            "volume": {} if self._volume is None else self._volume.saved(),
        }

    def _load_state(self, state: Mapping[str, Any]) -> None:
        fixed = np.array(state["fixed"], bool)
        if fixed.shape != self.grid.shape:
            raise ValueError(f"fixed points of shape {fixed.shape}")
        parts, courant, share = state["taken"]
        self._solver.load(state["solver"])
        if self._volume is not None:
            self._volume.load(state.get("volume", {}))
        self._taken = Taken(int(parts), float(courant), float(share))
        if isinstance(self._solver, Shallows):
            self._solver.seen[...] = ~fixed
        if (fixed != self.fixed).any():
            self._fix(fixed)
        self._forget()

    # --- inside

    def _make_solver(self, before: Shallows | ImplicitWaves | None = None) -> Shallows | ImplicitWaves:
        """Still water over the ground, or the waves of `before` where there was water and still is."""
        ground = self.bed.astype(np.float64) - self.grid.level
        ground = np.where(self._land, np.maximum(ground, 0.0), ground)
        wet = ground < 0.0
        self._mean_depth = float(-ground[wet].mean()) if wet.any() else 1.0
        if self.params.scheme != "kurganov-petrova":
            return ImplicitWaves(ground, self.grid.spacing, before)
        made = Shallows(ground, self.grid.spacing, before)
        made.seen[...] = ~self._land
        return made

    def _set_point(self, ix: int, iz: int, height: float) -> None:
        """Set one point's height and release it from rest; dry land stays as it is."""
        if self._look().shown[iz, ix]:
            window = slice(iz, iz + 1), slice(ix, ix + 1)
            value = min(max(height, -MAX_HEIGHT), MAX_HEIGHT)
            self._solver.set(window, np.full((1, 1), value))
            self._forget()
            self._pour()

    def _dry_to(self, drop: Drop) -> NDArray[np.bool_]:
        """The points without water that a drop could take part in, shape (nz, nx)."""
        dry = ~self._look().shown
        nearest = self.grid.nearest(drop.x, drop.z)
        if drop.neutral and self._volume is not None and nearest is not None:
            apart = self._volume.apart_from(*nearest)
            if apart is not None:
                dry |= apart
        return dry

    def _pour(self) -> None:
        """Volume is changed on purpose: what it is from then on is to be kept."""
        if self._volume is not None:
            self._volume.forget()

    def _volume_of(self, solver: Shallows | ImplicitWaves) -> ShallowVolume | None:
        """The numbers of the implicit scheme are so long that nothing need be held."""
        return ShallowVolume(solver) if isinstance(solver, Shallows) else None

    def _fix_land(self) -> None:
        """Let the points above still water be fixed again, and no others."""
        if self.fixed is not self._land:
            self._fix(self._land)

    def _fix(self, fixed: NDArray[np.bool_]) -> None:
        fixed.setflags(write=False)
        self.fixed = fixed
        self.on_indices_changed()

    def _forget(self) -> None:
        self._view = None

    def _look(self) -> ShallowView:
        if self._view is None:
            self._view = ShallowView.of(self._solver, self.fixed)
        return self._view
