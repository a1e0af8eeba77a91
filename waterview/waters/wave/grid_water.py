"""What models of waves on a grid have in common: land, shores and borders, drops, volume and what the inside shows."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from waterview.core.commands import MAX_HEIGHT, Drop, Gust
from waterview.core.diagnostics import FieldMap, Totals
from waterview.core.errors import ParameterError
from waterview.core.frame import Frame
from waterview.core.params import Value, param
from waterview.core.saved import array_of, entry_of
from waterview.simd.layout import TwoLevels
from waterview.waters.common.basins import Basins, find_basins, remove_means
from waterview.waters.common.borders import Sides, border_param, border_sides
from waterview.waters.common.drops import drop_heights, gust_drops
from waterview.waters.common.given_state import rising_speed
from waterview.waters.common.published_surface import ShoreSlopes, slopes
from waterview.waters.common.volume import FIRST_STEPS, VOLUME_STEPS, VolumeCorrection
from waterview.waters.common.water import Water, WaterParams, restore
from waterview.waters.common.wave_params import keep_volume_param
from waterview.waters.wave.domain import SHORES, Domain
from waterview.waters.wave.wave_diagnostics import WaveDiagnostics, column_mass


@dataclass(frozen=True, kw_only=True)
class GridWaterParams(WaterParams):
    """Parameters of every `GridWater`."""

    border: str = border_param("reflecting")
    shoreline: str = param(
        "no-flux",
        choices=SHORES,
        doc="What waves meet at land: a wall, which throws them back upright, or a surface held at 0.",
    )
    keep_volume: bool = keep_volume_param()


class GridWater(Water):
    """Waves on a grid, by a step that every border and shore is made for (`waterview.waters.wave.domain`).

    Points under the ground, and those of painted walls, are fixed. Args and errors as `Water`.
    """

    Params: ClassVar[type[WaterParams]] = GridWaterParams
    params: GridWaterParams
    can_be_given_state: ClassVar[bool] = True

    def _create_state(self) -> None:
        self._field = TwoLevels(self.grid.shape)
        self._domain = Domain(self.fixed, self._sides, self.params.shoreline)
        self._known_basins: Basins | None = None
        self._known_slopes: ShoreSlopes | None = None
        self._known_volume: VolumeCorrection | None = None
        self._known_mass: float | None = None
        self._steps = 0

    # --- what a model is

    @abstractmethod
    def _accelerate(self, velocity: NDArray[np.float64]) -> None:
        """Add to the velocity of every point [m/s], shape (nz, nx); to be called after `_fit_motion`."""

    def _fit_motion(self) -> None:
        """Bring the motion into terms of the step that comes next, where parameters have changed since the last."""

    @abstractmethod
    def _keep_level(self) -> None:
        """Take the mean motion out of closed waters."""

    @property
    @abstractmethod
    def _levels(self) -> tuple[NDArray[np.float32], ...]:
        """As `time_levels`, for writing that `_on_written` is told of."""

    @property
    @abstractmethod
    def _other(self) -> NDArray[np.float32]:
        """What the field's motion is known by: heights a solver's step before [m], or velocities [m/s]; a view."""

    _other_is_velocity: ClassVar[bool] = False

    @property
    def velocity(self) -> NDArray[np.float32]:
        """How fast the surface rises [m/s], shape (nz, nx); a copy."""
        return self._diagnostics.velocity

    @property
    @abstractmethod
    def effective(self) -> dict[str, float]:
        """What the solver really uses, by name."""

    # --- the water

    def _release_pending(self) -> None:
        for ix, iz, height in self._take_pending():
            self._release(ix, iz, 0.0 if self.fixed[iz, ix] else min(max(height, -MAX_HEIGHT), MAX_HEIGHT))

    def _count(self, steps: int) -> None:
        """Let time go on by steps that were taken; at most up to the next of `FIRST_STEPS` at once."""
        self._steps += steps
        if self._steps % FIRST_STEPS == 0:
            self._keep_volume()
        self._let_time_pass(steps)

    def _keep_volume(self) -> None:
        """Hold closed waters where they are, or let them go.

        Where they have drifted, or might from now on, their mean motion is taken out, too: what rounding gives a level
        adds up to motion, and motion to height.
        """
        if not self._keeps_volume:
            self._forget_volume()
            return
        is_held = self._known_volume is not None and self._known_volume.means is not None
        is_due = not is_held or self._steps % VOLUME_STEPS == 0
        if is_due and not self.at_rest and self._has_closed_waters:
            has_drifted = self._volume.correct(self._levels)
            if has_drifted or not is_held:
                self._keep_level()
                self._on_written()

    @property
    def _has_closed_waters(self) -> bool:
        return (self._domain.sides.closed or bool(self.fixed.any())) and bool(self._basins.closed.any())

    def _forget_volume(self) -> None:
        """It is changed on purpose: what it is from then on is to be kept."""
        if self._known_volume is not None:
            self._known_volume.reset()

    @property
    def _keeps_volume(self) -> bool:
        return self.params.keep_volume

    def disturb(self, drop: Drop) -> None:
        """Add a drop at once: it moves nothing yet, so it starts from rest.

        Heights stay within ±`MAX_HEIGHT`. A drop on dry ground does nothing.
        """
        self._add(drop)

    def _add(self, drop: Drop) -> None:
        from waterview.waters.common.kernels.drops import raise_heights

        shape = drop_heights(drop, self.grid, self.fixed)
        if shape is not None:
            (rows, columns), added = shape
            highest = [raise_heights(level, rows.start, columns.start, added, MAX_HEIGHT) for level in self._levels]
            self._on_written(rows, columns, max(highest))
            if not drop.neutral:
                self._forget_volume()

    def blow(self, gust: Gust) -> None:
        """Let a gust of wind raise ripples on its path, at once; they run with the wind."""
        self._fit_motion()
        before = self._field.heights.copy()
        for drop in gust_drops(gust, self.grid):
            self._add(drop)
        raised = (self._field.heights - before).astype(np.float64)
        along_z, along_x = np.gradient(raised, self.grid.spacing)
        downwind = (gust.dx * along_x + gust.dz * along_z) / np.hypot(gust.dx, gust.dz)
        self._accelerate(np.where(self.fixed, 0.0, -self.effective["wave_speed"] * downwind))
        if self._keeps_volume:
            self._keep_level()

    def reset(self) -> None:
        """Calm the water: every height 0 and at rest; heights waiting to be set are dropped."""
        self._take_pending()
        self._field.now.fill(0.0)
        self._field.before.fill(0.0)
        self._domain.border_memory.calm()
        self._forget_volume()
        self._on_written()

    def _set_state(self, heights: NDArray[np.float32], flow: NDArray[np.float32] | None) -> None:
        self.reset()
        self._fit_motion()
        rise = np.where(self.fixed, np.float32(0.0), heights)
        for level in self._levels:
            level[...] = rise
        lead = 0.5 * self.time_step / self.effective["substeps"] * self.effective["wave_speed"] ** 2
        walls = self.fixed if self._domain.shore == "no-flux" else np.zeros_like(self.fixed)
        given = np.zeros((2, *rise.shape)) if flow is None else flow
        self._accelerate(rising_speed(given, rise, lead, self.grid.spacing, walls, self._domain.sides))
        self._on_written()

    def let_rise(self, speed: NDArray[np.float32]) -> None:
        """Let every point rise faster by a speed [m/s], shape (nz, nx): what a surface seen at two times has moved by.

        Raises:
            ParameterError: the shape is another one, or a number is not finite.
        """
        if speed.shape != self.grid.shape or not np.isfinite(speed).all():
            raise ParameterError(f"speeds of shape {speed.shape}: needed are finite ones of shape {self.grid.shape}")
        self._accelerate(speed.astype(np.float64))
        self._on_written()

    def publish(self, serial: int) -> Frame:
        """The surface as it is now; the frame's arrays will not change as long as anything refers to them."""
        heights, normals = self._copies()
        return self._frame(serial, heights, normals)

    @property
    def height(self) -> NDArray[np.float32]:
        """Height above still water [m], shape (nz, nx); a read-only view of the state, valid until the next step."""
        return self._field.shown

    @property
    def time_levels(self) -> tuple[NDArray[np.float32], ...]:
        """The arrays of heights that the next step starts from, shape (nz, nx): views to be written before it."""
        self._forget_volume()
        self._on_written()
        return self._levels

    @property
    def neutral_levels(self) -> tuple[NDArray[np.float32], ...]:
        """As `time_levels`, for pushes that leave every water its volume; `on_pushed` is to be told where."""
        return self._levels

    def on_pushed(self, rows: slice, columns: slice) -> None:
        """Called after `neutral_levels` were written in these rows and columns."""
        self._on_written(rows, columns)

    # --- parameters and land

    def set_parameter(self, name: str, value: Value) -> None:
        """Change one declared parameter from the next step on; open borders that stay go on with what runs out there.

        Raises:
            ParameterError: the name is unknown or the value not allowed; nothing has changed then.
        """
        super().set_parameter(name, value)
        if name in ("border", "shoreline"):
            self._refit()

    def on_fixed_changed(self) -> None:
        """Newly fixed points go to 0; newly freed ones start from there."""
        for level in (self._field.heights, self._field.heights_before):
            level[self.fixed] = 0.0
        self._on_written()
        self._refit()

    def _refit(self) -> None:
        self._domain = self._domain.refitted(self.fixed, self._sides, self.params.shoreline)
        self._known_basins = self._known_slopes = self._known_volume = self._known_mass = None

    @property
    def _sides(self) -> Sides:
        """The kinds of the borders."""
        return border_sides(self.params.border)

    @property
    def _basins(self) -> Basins:
        if self._known_basins is None:
            self._known_basins = self._find_basins()
        return self._known_basins

    def _find_basins(self) -> Basins:
        return find_basins(self.fixed, self._domain.sides, self._domain.shore == "no-flux")

    @property
    def _volume(self) -> VolumeCorrection:
        if self._known_volume is None:
            self._known_volume = VolumeCorrection(self._basins, self._still_depth(), self.grid.spacing)
        return self._known_volume

    def _still_depth(self) -> NDArray[np.float32]:
        return np.asarray(self.grid.level - self.bed, np.float32)

    # --- what is inside

    def field_maps(self) -> dict[str, FieldMap]:
        """Maps of what is inside: height, fixed points, velocity, energy and Courant number, by name."""
        return super().field_maps() | self._diagnostics.field_maps()

    def totals(self) -> Totals:
        """Mean level and energies."""
        return self._diagnostics.totals()

    @property
    def _diagnostics(self) -> WaveDiagnostics:
        effective = self.effective
        if self._known_mass is None:
            self._known_mass = column_mass(self._still_depth(), self.fixed)
        return WaveDiagnostics(
            grid=self.grid,
            mass=self._known_mass,
            fixed=self.fixed,
            heights=self._field.heights,
            other=self._other,
            other_is_velocity=self._other_is_velocity,
            time_step=self.time_step / effective["substeps"],
            wave_speed=effective["wave_speed"],
            courant=effective["courant"],
            sides=self._domain.sides,
            walls=self.params.shoreline == "no-flux",
        )

    # --- to be saved

    def _state(self) -> dict[str, Any]:
        means = self._volume.means
        return {
            "heights": self._field.heights.copy(),
            "before": self._field.heights_before.copy(),
            "steps": self._steps,
            "means": np.zeros(0) if means is None else means.copy(),
            "outside": {name: array.copy() for name, array in self._domain.border_memory.arrays.items()},
        }

    def _load_state(self, state: Mapping[str, Any]) -> None:
        restore(self._field.heights, state["heights"])
        restore(self._field.heights_before, state["before"])
        self._steps = entry_of(state, "steps", int, low=0)
        means = array_of(state, "means", np.float64, (-1,))
        if len(means) not in (0, len(self._basins.sizes)):
            raise ValueError(f"{len(means)} mean levels where {len(self._basins.sizes)} are needed")
        self._volume.means = means.copy() if len(means) else None
        self._domain.border_memory.restore(entry_of(state, "outside", dict))
        self._on_written()

    # --- changes between two steps

    def _on_written(
        self, rows: slice = slice(None), columns: slice = slice(None), highest: float | None = None
    ) -> None:
        """Called after heights in these rows and columns were written other than by a step.

        Args:
            rows: all of them by default.
            columns: all of them by default.
            highest: the largest amount of a height there [m], where the caller knows it.
        """

    def _release(self, ix: int, iz: int, height: float) -> None:
        """Set a point's height [m] and let it start from rest."""
        for level in self._levels:
            level[iz, ix] = height
        self._forget_volume()
        self._on_written(slice(iz, iz + 1), slice(ix, ix + 1))

    def _copies(self) -> tuple[NDArray[np.float32], NDArray[np.float16]]:
        """Heights and slopes for a frame."""
        return self.height.copy(), self._slopes(self._field)

    def _slopes(self, field: TwoLevels) -> NDArray[np.float16]:
        """Slopes of a field."""
        normals = slopes(field, self.grid.spacing)
        self._mend_slopes(normals, field.heights)
        return normals

    def _mend_slopes(self, normals: NDArray[np.float16], heights: NDArray[np.float32]) -> None:
        """Let slopes beside walls be as if the water went on behind them as high as before them."""
        if self._domain.shore == "no-flux" and self.fixed.any():
            if self._known_slopes is None:
                self._known_slopes = ShoreSlopes(self.fixed, self.grid.spacing)
            self._known_slopes.mend(normals, heights)

    def _remove_mean_motion(self, motion: NDArray[np.float32], base: NDArray[np.float32] | None = None) -> None:
        remove_means(motion, self._basins, base)
