"""A flow in a periodic square that is stable with any time step (Stam 1999; Stam 2001 for the transforms).

This module checks and names; the compiled code is in `stable_fluids_loops`, imported when it is first needed.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

Float = NDArray[np.float32]

MAX_SPEED = 1e6
"""Velocities are held within ± this [m/s], so that whatever pushes the flow, it stays finite."""


class PeriodicFlow:
    """An incompressible flow on n × n points that repeats in x and z; at rest at first.

    Args:
        points: n, even, at least 4.
        size: length of the square's side [m].

    Attributes:
        size: as given.
        velocity: (x, z) [m/s], shape (2, n, n) float32; may be written.
    """

    def __init__(self, points: int, size: float) -> None:
        if points < 4 or points % 2:
            raise ValueError(f"{points} points: an even number from 4 on is needed")
        self.size = size
        self.velocity = np.zeros((2, points, points), np.float32)
        k = 2.0 * math.pi * np.fft.fftfreq(points, size / points)
        k[points // 2] = 0.0  # a Nyquist wave has no slope
        self._kz = k.astype(np.float32)
        self._kx = np.abs(self._kz[: points // 2 + 1])
        self._squares = np.square(k[: points // 2 + 1])[None, :] + np.square(k)[:, None]
        self._before = np.zeros_like(self.velocity)
        self._spectra = np.zeros((2, points, points // 2 + 1), np.complex64)
        self._pressure = np.zeros((1, points, points // 2 + 1), np.complex64)
        self._time_step = 1.0

    @property
    def points(self) -> int:
        """Number of points along each side."""
        return int(self.velocity.shape[1])

    @property
    def spacing(self) -> float:
        """Distance of neighbouring points [m]."""
        return self.size / self.points

    def push(self, x: float, z: float, vx: float, vz: float, radius: float) -> None:
        """Add the velocity (vx, vz) [m/s] at (x, z) [m], e^(−d²/radius²) of it at distance d, round edges too."""
        along_x, along_z = (self._distances(at) for at in (x, z))
        share = np.exp(-(along_x[None, :] ** 2 + along_z[:, None] ** 2) / radius**2)
        for component, value in zip(self.velocity, (vx, vz), strict=True):
            component[...] = np.clip(component + value * share, -MAX_SPEED, MAX_SPEED)

    def step(
        self,
        time_step: float,
        viscosity: float = 0.0,
        drag: float = 0.0,
        stirring: Sequence[tuple[int, int, complex]] = (),
    ) -> None:
        """Take a step: the flow carries itself along, is stirred, thickens, and loses what would pile up.

        Args:
            time_step: Δt [s], above 0; any.
            viscosity: ν [m²/s]; a wave of wave number k keeps e^(−νk²Δt) of itself, exactly.
            drag: all of the flow but its mean keeps e^(−drag·Δt) [1/s].
            stirring: accelerations [m/s²] of single waves: column and row of the wave vector in units of 2π/size, the
                column above 0, and the amplitude across it. They have no divergence.
        """
        from .stable_fluids_loops import advect, project, to_fields, to_spectra

        advect(self.velocity, self._before, np.float32(time_step / self.spacing))
        to_spectra(self._before, self._spectra)
        for column, row, amplitude in stirring:
            across = np.array([-row, column]) / math.hypot(row, column)
            # Half of a wave is in the half of the spectrum that is not stored.
            self._spectra[:, row, column] += 0.5 * self.points**2 * time_step * amplitude * across
        decay = np.exp(-(viscosity * self._squares + drag) * time_step)
        decay[0, 0] = 1.0
        project(self._spectra, self._pressure[0], self._kx, self._kz, decay.astype(np.float32))
        to_fields(self._spectra, self.velocity)
        self._time_step = time_step

    def set_mean(self, vx: float, vz: float) -> None:
        """Let the whole flow drift at (vx, vz) [m/s] on average."""
        wanted = np.array((vx, vz)) - self.velocity.mean(axis=(1, 2), dtype=np.float64)
        self.velocity += wanted.astype(np.float32)[:, None, None]

    def pressure(self) -> Float:
        """Pressure over density [m²/s²] that the last step worked against, its mean 0, shape (n, n)."""
        from .stable_fluids_loops import to_fields

        field = np.empty((1, self.points, self.points), np.float32)
        to_fields(self._pressure / np.float32(self._time_step), field)
        return np.asarray(field[0])

    def carry(self, places: Float, time_step: float, trails: Float, weight: float) -> None:
        """Move particles with the flow and let each leave weight·speed along its way.

        Args:
            places: (column, row) of each, shape (m, 2) float32; changed.
            time_step: [s].
            trails: what is left behind, shape (n, n) float32; changed.
            weight: as said.
        """
        from .stable_fluids_loops import trace

        trace(places, self.velocity, np.float32(time_step / self.spacing), trails, np.float32(weight))

    def slopes(self, field: Float, smoothing: float) -> Float:
        """(−∂/∂x, −∂/∂z) of a periodic field, shape (n, n), as waves have it, not as differences: no seam anywhere.

        Args:
            field: as said.
            smoothing: width σ of the Gaussian that the field is smoothed by first [m].

        Returns:
            Shape (n, n, 2) float32.
        """
        from .stable_fluids_loops import derive, to_fields, to_spectra

        spectrum, both = np.empty_like(self._pressure), np.empty_like(self._spectra)
        to_spectra(field[None], spectrum)
        smooth = np.exp(-0.5 * smoothing**2 * self._squares).astype(np.float32)
        smooth[self.points // 2] = smooth[:, -1] = 0.0
        derive(spectrum[0], self._kx, self._kz, smooth, both)
        fields = np.empty_like(self.velocity)
        to_fields(both, fields)
        return np.ascontiguousarray(np.moveaxis(fields, 0, -1))

    def _distances(self, at: float) -> NDArray[np.float64]:
        """Shortest signed distance of every point of a row from `at` [m], the way round the edge included."""
        offset = self.spacing * np.arange(self.points) - at
        return np.asarray(offset - self.size * np.rint(offset / self.size))
