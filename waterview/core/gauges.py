"""What gauges in the water have measured, as others see it."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from .body import freeze


@dataclass(frozen=True, eq=False)
class MeasuredSeries:
    """A series from elsewhere, such as a laboratory, to lay over that of a gauge; its arrays are read-only.

    Attributes:
        times: rising [s of simulated time], shape (n,).
        surface: height above still water [m], shape (n,).
    """

    times: NDArray[np.float64]
    surface: NDArray[np.float64]

    def __post_init__(self) -> None:
        freeze(self)


@dataclass(frozen=True, eq=False)
class GaugeSeries:
    """A gauge and what it has measured so far; its arrays are read-only, of shape (n,), and will not change.

    Attributes:
        name: as the user calls it; no other gauge has it.
        x, z: its place in the world [m].
        times: when it was read [s of simulated time].
        surface: height above still water [m]; where it has fallen dry, that of the ground.
        depth: of the water [m].
        velocity_x, velocity_z: horizontal velocity averaged over the depth [m/s]; NaN if the model has no velocities.
        measured: a series to compare with, or None.
    """

    name: str
    x: float
    z: float
    times: NDArray[np.float64]
    surface: NDArray[np.float32]
    depth: NDArray[np.float32]
    velocity_x: NDArray[np.float32]
    velocity_z: NDArray[np.float32]
    measured: MeasuredSeries | None = None

    def __post_init__(self) -> None:
        freeze(self)

    @property
    def values(self) -> tuple[NDArray[np.float32], ...]:
        """The four series in the order of `QUANTITIES`."""
        return tuple(getattr(self, quantity.name) for quantity in QUANTITIES)


@dataclass(frozen=True)
class Quantity:
    """One of the quantities that a gauge measures.

    Attributes:
        name: of the attribute of `GaugeSeries`.
        unit: SI unit.
        title: its name in tables.
        doc: what it is, for people.
        standard_name: its name in the CF conventions.
    """

    name: str
    unit: str
    title: str
    doc: str
    standard_name: str


QUANTITIES = (
    Quantity(
        "surface", "m", "surface", "height of the surface above still water", "sea_surface_height_above_mean_sea_level"
    ),
    Quantity("depth", "m", "depth", "depth of the water", "sea_floor_depth_below_sea_surface"),
    Quantity(
        "velocity_x",
        "m/s",
        "velocity x",
        "velocity to the east (along x), averaged over the depth",
        "barotropic_sea_water_x_velocity",
    ),
    Quantity(
        "velocity_z",
        "m/s",
        "velocity z",
        "velocity to the south (along z), averaged over the depth",
        "barotropic_sea_water_y_velocity",
    ),
)
"""Everything that a gauge measures, in the order of files."""
