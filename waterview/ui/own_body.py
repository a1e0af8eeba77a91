"""A body from a mesh file: it is read while the water runs, then size, density and place are asked for."""

from __future__ import annotations

import math
from collections.abc import Callable
from pathlib import Path

from waterview.bodies.mesh_files import BodyFile, MeshReading
from waterview.bodies.meshes import OWN_DENSITY
from waterview.bodies.placement import LARGEST_SIZE, USUAL_SIZE
from waterview.bodies.shapes import HIGHEST_DENSITY, LOWEST_DENSITY
from waterview.core.commands import AddBody
from waterview.core.errors import InputError
from waterview.core.grid import Grid

_SMALLEST = 1e-3
"""Smallest size that is taken, as a share of the largest."""


class OwnBody:
    """The mesh file that was opened last, as long as bodies may be made of it.

    Args:
        notify: shows a message to the user.

    Attributes:
        found: the mesh; None while there is none.
        size: longest side of the next body of it [m].
        density: its mass over volume [kg/m³].
        most: largest size that the water allows [m].
        typed: numbers that are being typed, by the names "size" and "density".
    """

    def __init__(self, notify: Callable[[str], None]) -> None:
        self._notify = notify
        self._reading: MeshReading | None = None
        self.found: BodyFile | None = None
        self.size, self.density, self.most = 1.0, OWN_DENSITY, 1.0
        self.typed: dict[str, float] = {}

    @property
    def note(self) -> str:
        """What is being read; "" if nothing is."""
        return "" if self._reading is None else f"reading {self._reading.path.name} …"

    def open(self, path: Path) -> None:
        """Begin to read a mesh file, in place of the one before; the user is notified if that is impossible."""
        self.close()
        try:
            self._reading = MeshReading(path)
        except InputError as error:
            self._notify(str(error))

    def update(self, grid: Grid) -> bool:
        """Take up a mesh that is read, for the water on `grid`; returns whether one has come."""
        self.most = LARGEST_SIZE * min(grid.size)
        self.size = min(self.size, self.most)
        reading = self._reading
        if reading is None or not reading.is_done:
            return False
        self._reading = None
        try:
            self.found = reading.result()
        except InputError as error:
            self._notify(str(error))
            return False
        self.size, self.density = min(USUAL_SIZE * max(grid.size), self.most), OWN_DENSITY
        return True

    def range(self, name: str) -> tuple[float, float]:
        """The lowest and the highest "size" [m] or "density" [kg/m³]."""
        return (_SMALLEST * self.most, self.most) if name == "size" else (LOWEST_DENSITY, HIGHEST_DENSITY)

    def choose(self, name: str, wanted: float, label: str) -> None:
        """Give the next body a "size" or "density"; the user is told what was taken in place of one out of range."""
        low, high = self.range(name)
        value = min(max(wanted, low), high)
        if not math.isclose(value, wanted, rel_tol=1e-6):  # sliders have single precision
            unit = "m" if name == "size" else "kg/m³"
            self._notify(f"{label} {wanted:g}: corrected to {value:.3g}, allowed are {low:.3g} to {high:.3g} {unit}")
        setattr(self, name, value)

    def body(self, x: float, z: float) -> AddBody:
        """The command that adds a body of it at world x, z [m]; there must be a mesh."""
        assert self.found is not None
        return AddBody(self.found.name, self.density, x, z, size=self.size, mesh=self.found.mesh)

    def close(self) -> None:
        """Make no more bodies of it, and read no further."""
        if self._reading is not None:
            self._reading.end()
        self._reading = self.found = None
        self.typed.clear()
