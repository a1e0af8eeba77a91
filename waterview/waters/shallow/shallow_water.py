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
from waterview.core.saved import array_of, entry_of
from waterview.waters.common.compared_surface import ComparedSurface, ComparedSurfaces
from waterview.waters.common.drops import Window, drop_heights
from waterview.waters.common.water import WHOLE_GRID, Observation, Water, WaterParams
from waterview.waters.common.wavemaker import SINES_OUTSIDE, WAVEMAKER_NAMES

from .boussinesq import Boussinesq
from .driven_sides import DrivenSides
from .finite_volume import FiniteVolumes
from .kass_miller import KassMiller
from .scheme import Scheme, StepTaken, SurfaceView
from .shallow_params import ShallowWaterParams

SCHEMES: Mapping[str, type[Scheme]] = {scheme.name: scheme for scheme in (FiniteVolumes, Boussinesq, KassMiller)}
"""Every scheme by the name that users call it; `shallow_params` declares the names."""


_DRIVING = WAVEMAKER_NAMES | {"gravity", "wave_speed"}
"""Parameters that change what comes in by driven sides."""


class ShallowWater(Water):
    """Water whose waves feel the ground, by one of three schemes.

    "kurganov-petrova": the non-linear shallow-water equations with dry and wet ground; the shore moves. Points above
    still water are in `fixed` until water first reaches them; what is fixed is dry and at height 0. A point that has
    fallen dry again lies a film below its ground, so that the ground is seen.

    "boussinesq": as that, with the dispersion of waves that are not long.

    "kass-miller": h_tt + k h_t = g ∇·(d ∇h), implicit, with points above still water fixed at height 0.

    Gravity g is either given or follows from the wave speed, g = c²/d̄ with the mean depth d̄ of still water; waves run
    at √(gd) over a depth d. Where a step is too long for a scheme, time runs slower for the water: all its speeds are
    then effectively smaller, as if by less gravity. The frame says so.

    Args and errors as `Water`.
    """

    name: ClassVar[str] = "shallow-water"
    summary: ClassVar[str] = "waves that feel the ground: they slow down, bend, steepen and run up the beach"
    memory_per_point: ClassVar[int] = 200
    Params: ClassVar[type[WaterParams]] = ShallowWaterParams
    params: ShallowWaterParams
    can_be_given_state: ClassVar[bool] = True

    def _create_state(self) -> None:
        self._taken = StepTaken()
        self._view: SurfaceView | None = None
        self._compared = ComparedSurfaces(self.grid.shape)
        self._shown: ComparedSurface | None = None
        self._land = self.fixed
        self._start_from_still_water()

    # --- the water

    def step(self) -> None:
        """Take one fixed time step of 1/steps_per_second."""
        for ix, iz, height in self._take_pending():
            self._set_point(ix, iz, height)
        self._taken = self._scheme.step(self.time_step, self.gravity, self.params)
        self._let_time_pass()
        self._view = None
        if self._taken.flooded:
            self._fix(~self._scheme.flooded)

    def disturb(self, drop: Drop) -> None:
        """Add a drop to the surface at once, without motion of its own; one on dry ground does nothing.

        A trough reaches no deeper than the ground, and heights stay within ±`MAX_HEIGHT`. A neutral drop takes what it
        adds from its own lake or sea; where there is too little water for that, it is smaller.
        """
        shape = drop_heights(drop, self.grid, self._dry_to(drop))
        if shape is not None:
            self._scheme.add(*shape, MAX_HEIGHT, drop.neutral)
            self._view = None
            if not drop.neutral:
                self._scheme.reset_volume()

    def reset(self) -> None:
        """Calm the water: every height 0 and at rest, shores where they were; heights waiting to be set are dropped."""
        self._take_pending()
        self._start_from_still_water()
        self._fix_land()

    def _set_state(self, heights: NDArray[np.float32], flow: NDArray[np.float32] | None) -> None:
        scheme = self._still_scheme()
        scheme.driven = self._driven
        scheme.set_state(heights, flow, self.time_step, self.gravity)
        self._take_pending()
        self._scheme, self._view = scheme, None
        self._fix(~scheme.flooded)

    def publish(self, serial: int) -> Frame:
        """The surface as it is now; the frame's arrays are its own and will not change."""
        view = self._current_view()
        if self._shown is None or self._shown.heights is not view.heights:
            self._shown = self._compared.surface(view.heights, view.normals(self.grid.spacing))
        frame = self._frame(serial, view.heights, self._shown.normals)
        return frame.changed(changes=self._shown.changes)

    def _incoming(self) -> NDArray[np.float32] | None:
        return self._driven.wavemaker.sines(SINES_OUTSIDE) if self._driven.names else None

    @property
    def effective(self) -> dict[str, float]:
        """What the solver really used in the last step, by name."""
        share = self._taken.time_share
        return {
            "wave_speed": share * math.sqrt(self.gravity * self._mean_depth),
            "gravity": share * share * self.gravity,
            "damping": share * self.params.damping,
            "courant": self._taken.courant,
            "substeps": float(self._taken.substeps),
        }

    @property
    def height(self) -> NDArray[np.float32]:
        """Height above still water [m], shape (nz, nx), read-only; on dry ground that was wet, a film below it."""
        return self._current_view().heights

    @property
    def wet(self) -> NDArray[np.bool_]:
        """Points with more than a film of water, shape (nz, nx), read-only."""
        return self._current_view().wet

    def observe(self, window: Window = WHOLE_GRID) -> Observation:
        """What gauges and maps over the run measure; the finite volumes know velocities, too."""
        return self._scheme.observe(window, self.fixed[window])

    @property
    def gravity(self) -> float:
        """Gravity g [m/s²]: the one asked for, or the one that gives the wave speed over the mean depth."""
        if self.params.gravity > 0.0:
            return self.params.gravity
        return self.params.wave_speed**2 / self._mean_depth

    @property
    def volume(self) -> float:
        """How much more water there is than still water holds [m³], summed in double precision."""
        return float(self._scheme.rise.sum(dtype=np.float64)) * self.grid.spacing**2

    @property
    def inflow(self) -> float:
        """Water that has come in through the sides less what has left, while waves or a tide came in [m³].

        Summed in double precision over the faces, as the finite volumes take it from there: without drops and bodies
        `volume` rises by as much, to rounding.
        """
        return self._driven.inflow

    def set_parameter(self, name: str, value: Value) -> None:
        """Change one declared parameter; another scheme goes on with the same surface, released from rest."""
        before = self.params.scheme
        super().set_parameter(name, value)
        if name == "border":
            self._scheme.set_border(self.params.border)
        elif name in _DRIVING:
            self._driven.ask(self.params, self.gravity, SCHEMES[self.params.scheme].dispersion)
        if self.params.scheme != before:
            heights = np.where(self._land, 0.0, self.height)
            self._start_from_still_water()
            self._scheme.add((slice(None), slice(None)), heights, MAX_HEIGHT)
            self._fix_land()

    def on_fixed_changed(self) -> None:
        """Waves go on where there was water and still is; other places start from still water."""
        self._land = self.fixed
        self._adopt(self._scheme.over(self._bed()))

    # --- bodies, maps, and being saved

    @property
    def time_levels(self) -> tuple[NDArray[np.float32], ...]:
        """The array of depths less those of still water."""
        self._scheme.reset_volume()
        return self.neutral_levels

    @property
    def neutral_levels(self) -> tuple[NDArray[np.float32], ...]:
        """As `time_levels`, for pushes that leave every basin its volume; call `on_pushed` after them."""
        self._view = None
        return self._scheme.time_levels

    def on_pushed(self, rows: slice, columns: slice) -> None:
        """Where more water was pushed away than there is, the water around gives it."""
        self._scheme.settle(rows, columns)
        self._view = None

    def field_maps(self) -> dict[str, FieldMap]:
        """As every model's, and those of the scheme."""
        return super().field_maps() | {view.name: view for view in self._scheme.field_maps()}

    def _state(self) -> dict[str, Any]:
        taken = [self._taken.substeps, self._taken.courant, self._taken.time_share]
        return {**self._scheme.state(), "fixed": self.fixed.copy(), "taken": taken, "driven": self._driven.state()}

    def _load_state(self, state: Mapping[str, Any]) -> None:
        fixed = array_of(state, "fixed", np.bool_, self.grid.shape)
        taken = StepTaken(*entry_of(state, "taken", tuple[int, float, float]))
        self._scheme.load_state(state)
        if "driven" in state:  # files of older versions do not have it
            self._driven.load_state(entry_of(state, "driven", dict))
        self._scheme.flooded[...] = ~fixed
        self._taken, self._view = taken, None
        if (fixed != self.fixed).any():
            self._fix(fixed)

    # --- inside

    def _start_from_still_water(self) -> None:
        self._driven = DrivenSides(self.grid)
        self._adopt(self._still_scheme())

    def _still_scheme(self) -> Scheme:
        scheme = SCHEMES[self.params.scheme](self._bed(), self.grid.spacing, self.params.border)
        scheme.flooded[...] = ~self._land
        return scheme

    def _adopt(self, scheme: Scheme) -> None:
        scheme.flooded[...] = ~self._land
        scheme.driven = self._driven
        self._driven.over(np.asarray(np.maximum(-self._bed(), 0.0), np.float32))
        self._driven.ask(self.params, self.gravity, SCHEMES[self.params.scheme].dispersion)
        self._scheme, self._view = scheme, None

    def _bed(self) -> NDArray[np.float64]:
        """Height of the ground above still water [m], shape (nz, nx), never below it on land; sets the mean depth."""
        bed = self.bed.astype(np.float64) - self.grid.level
        bed = np.where(self._land, np.maximum(bed, 0.0), bed)
        wet = bed < 0.0
        self._mean_depth = float(-bed[wet].mean()) if wet.any() else 1.0
        return bed

    def _set_point(self, ix: int, iz: int, height: float) -> None:
        """Set one point's height and release it from rest; dry land stays as it is."""
        if self.wet[iz, ix]:
            window = slice(iz, iz + 1), slice(ix, ix + 1)
            self._scheme.set(window, np.full((1, 1), min(max(height, -MAX_HEIGHT), MAX_HEIGHT)))
            self._scheme.reset_volume()
            self._view = None

    def _dry_to(self, drop: Drop) -> NDArray[np.bool_]:
        """The points without water that a drop could take part in, shape (nz, nx)."""
        dry = ~self.wet
        nearest = self.grid.nearest(drop.x, drop.z)
        if drop.neutral and nearest is not None:
            others = self._scheme.other_basins(*nearest)
            if others is not None:
                dry |= others
        return dry

    def _fix_land(self) -> None:
        """Let the points above still water be fixed again, and no others."""
        if self.fixed is not self._land:
            self._fix(self._land)

    def _fix(self, fixed: NDArray[np.bool_]) -> None:
        fixed.setflags(write=False)
        self.fixed = fixed
        self.on_indices_changed()

    def _current_view(self) -> SurfaceView:
        if self._view is None:
            self._view = self._scheme.view(self.fixed)
        return self._view
