"""What every scheme of shallow water offers to the model: a state, a step, and a surface to draw."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar, NamedTuple, Self

import numpy as np
from numpy.typing import NDArray

from waterview.core.diagnostics import FieldMap
from waterview.waters.common.drops import Window
from waterview.waters.common.published_surface import MAX_SLOPE
from waterview.waters.common.water import Observation

from .driven_sides import DrivenSides
from .shallow_params import ShallowWaterParams


class StepTaken(NamedTuple):
    """How a time step was taken.

    Attributes:
        substeps: number of parts that it was divided into.
        courant: greatest Courant number of a part.
        time_share: share of the time step that has gone by; below 1 where even the most parts were too few.
        flooded: number of points that water has covered for the first time.
    """

    substeps: int = 1
    courant: float = 0.0
    time_share: float = 1.0
    flooded: int = 0


@dataclass(frozen=True, eq=False)
class SurfaceView:
    """The surface at one moment; the arrays are read-only.

    Attributes:
        heights: height above still water [m], shape (nz, nx) float32.
        wet: points where water is seen, shape (nz, nx) bool.
    """

    heights: NDArray[np.float32]
    wet: NDArray[np.bool_]

    def __post_init__(self) -> None:
        self.heights.setflags(write=False)
        self.wet.setflags(write=False)

    def normals(self, spacing: float) -> NDArray[np.float16]:
        """(−∂h/∂x, −∂h/∂z) from neighbours with water, 0 where there is none, shape (nz, nx, 2) float16."""
        from .kernels.view import fill_normals

        normals = np.empty((*self.heights.shape, 2), np.float16)
        # Held finite, or 0 heights on an absurdly fine grid would give 0·∞.
        inverse = np.float32(min(1.0 / spacing, 1e30))
        # The kernel writes both halves of a point as one number: every processor that numba runs on is little-endian.
        fill_normals(self.heights, self.wet, inverse, np.float32(MAX_SLOPE), normals.view(np.uint32)[..., 0])
        return normals


class Scheme(ABC):
    """Shallow water on a grid, and one way to step it.

    Args:
        bed: height of the ground above still water [m], shape (nz, nx).
        spacing: Δx [m].
        border: what waves meet at the ends of the grid, one of `shallow_params.BORDERS`.

    Attributes:
        name: what users call the scheme (of the class).
        dispersion: α of its dispersion relation (`incoming_waves.IncomingWaves`), 0 where all waves are long (of the
            class).
        spacing: Δx [m].
        border: what waves meet at the ends of the grid; `set_border` changes it.
        driven: the sides by which waves come in, None for none; it may be set between steps.
        flooded: points that water has ever covered by more than a film, shape (nz, nx) bool; all others are fixed.
    """

    name: ClassVar[str]
    dispersion: ClassVar[float] = 0.0

    def __init__(self, bed: NDArray[np.floating], spacing: float, border: str = "zero") -> None:
        self.spacing = spacing
        self.border = border
        self.driven: DrivenSides | None = None
        self.flooded = np.ascontiguousarray(bed < 0.0)

    # --- the state

    @property
    @abstractmethod
    def rise(self) -> NDArray[np.floating]:
        """Depth less that of still water [m], shape (nz, nx); a view."""

    @property
    def time_levels(self) -> tuple[NDArray[np.float32], ...]:
        """Arrays of heights that bodies may push, as `Water.time_levels`; call `settle` after that."""
        return ()

    @abstractmethod
    def over(self, bed: NDArray[np.floating]) -> Self:
        """The same water over another bed, shape (nz, nx): waves go on where there was water and still is."""

    @abstractmethod
    def state(self) -> dict[str, Any]:
        """Everything that moves, as "solver" and "volume", to go on from with `load_state`."""

    @abstractmethod
    def load_state(self, state: Mapping[str, Any]) -> None:
        """Go on from what `state` gave over the same bed.

        Raises:
            KeyError, ValueError: it makes no sense.
        """

    # --- what moves it

    @abstractmethod
    def step(self, time_step: float, gravity: float, params: ShallowWaterParams) -> StepTaken:
        """Take a step of `time_step` [s] under `gravity` [m/s²]."""

    @abstractmethod
    def add(self, window: Window, heights: NDArray[np.floating], bound: float, neutral: bool = False) -> None:
        """Raise the surface by `heights` [m] in a window of the grid, without motion of its own.

        The surface stays below `bound` [m]. If `neutral`, the volume stays the same.
        """

    @abstractmethod
    def set(self, window: Window, heights: NDArray[np.floating]) -> None:
        """Set the surface to `heights` [m] in a window of the grid, at rest."""

    @abstractmethod
    def set_state(
        self, heights: NDArray[np.float32], flow: NDArray[np.float32] | None, time_step: float, gravity: float
    ) -> None:
        """Start from a surface and a flow; `flooded` takes in what lies under water then.

        Args:
            heights: of the surface above still water [m], shape (nz, nx); there is water where it is above the ground.
            flow: depth times the velocities along x and z [m²/s], shape (2, nz, nx); None is rest.
            time_step: Δt of the step that comes next [s].
            gravity: g [m/s²].

        Raises:
            InputError: the scheme cannot start so.
        """

    def set_border(self, border: str) -> None:
        """Change what waves meet at the ends of the grid."""
        self.border = border

    def settle(self, rows: slice, columns: slice) -> None:
        """Put right what pushes on `time_levels` in these rows and columns have left."""

    # --- the volume of closed basins

    def reset_volume(self) -> None:
        """The volume was changed on purpose: what it is from now on is to be kept."""

    def other_basins(self, ix: int, iz: int) -> NDArray[np.bool_] | None:
        """Points of other basins than that of point (ix, iz), shape (nz, nx); None if the scheme knows of no others."""
        return None

    # --- what is seen

    def observe(self, window: Window, fixed: NDArray[np.bool_]) -> Observation:
        """What is measured in a window of the grid; the points of `fixed`, of that window, are never wet."""
        return Observation(self.rise[window].astype(np.float32), ~fixed)

    @abstractmethod
    def view(self, fixed: NDArray[np.bool_]) -> SurfaceView:
        """The surface as it is now; the points of `fixed`, shape (nz, nx), never show water."""

    def field_maps(self) -> tuple[FieldMap, ...]:
        """Maps of what is inside, beside those that every model has."""
        return ()
