"""Rings of new wave particles, which drops send, and the volumes of crest and trough next to land and borders."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from waterview.simd.jit import jit

from .motion import place
from .reflection import AMPLITUDE, LAG, OFFSET, OX, OZ, SPREAD, UX, UZ, Doubles, Floats, Particles

LARGEST_BALANCE = 8.0
"""A trough that is hidden almost wholly is not made deeper than so many crests."""


@jit
def add_rings(
    state: Floats, born: Doubles, now: Floats, count: int, path: float, growth: np.float32,
    directions: Doubles, rings: Doubles,
) -> int:  # fmt: skip
    """Add rings after the first `count` particles, for which there is room; returns the new number of particles.

    Args:
        state: of a `ParticleSet`.
        born: see `state`.
        now: see `state`.
        count: number of particles.
        path: of the set [cells].
        growth: see `motion.gain`.
        directions: unit vectors (x, z) of a ring's particles, shape (2, n).
        rings: shape (m, 6): column and row of the origin [cells], the sum of the particles' amplitudes [m], their
            distance from the origin [cells], which is negative if they still run towards it, their lag [cells] and
            their gain offset.
    """
    particles, n, first = Particles(state, born, now), directions.shape[1], count
    for ring in range(rings.shape[0]):
        x, z, height, ahead, lag, offset = rings[ring]
        for i in range(n):
            state[OX, count], state[OZ, count] = x, z
            state[UX, count], state[UZ, count] = directions[0, i], directions[1, i]
            state[AMPLITUDE, count], state[SPREAD, count] = height / n, 2.0 * math.pi / n
            state[LAG, count], state[OFFSET, count] = lag, offset
            born[count] = path - ahead
            count += 1
    place(particles, first, count, path, growth)
    return count


@jit
def balances(
    columns: Doubles, rows: Doubles, basins: NDArray[np.int32], basin: int, bump: Doubles, radius: float,
    directions: Doubles, beyond: float, flips: bool, open_ends: bool,
) -> Doubles:  # fmt: skip
    """What `ParticleSystem.balances` returns.

    Args:
        columns: middles of the drops [cells], shape (m,).
        rows: see `columns`.
        basins: number of the basin of each point, shape (nz, nx).
        basin: that of the drops.
        bump: height of a particle of amplitude 1 by rows and columns away, shape (n, n).
        radius: of the particles [cells].
        directions: unit vectors (x, z) of a ring's particles.
        beyond: see `obstacles.Ends`.
        flips: see `obstacles.Ends`.
        open_ends: see `obstacles.Ends`.
    """
    out = np.ones(columns.shape[0])
    behind, here = radius + 1.0, np.zeros((2, 1))
    for k in range(columns.shape[0]):
        if not _is_amid(columns[k], rows[k], 2.0 * behind, basins):
            ends = beyond, flips, open_ends
            crest = _ring_volume(columns[k], rows[k], 0.0, here, basins, basin, bump, ends)
            trough = _ring_volume(columns[k], rows[k], -behind, directions, basins, basin, bump, ends)
            if trough > 0.0:
                out[k] = min(max(crest / trough, 0.0), LARGEST_BALANCE)
    return out


@jit
def _is_amid(column: float, row: float, reach: float, basins: NDArray[np.int32]) -> bool:
    """Whether all within `reach` of a place [cells] is water."""
    left, right = math.ceil(column - reach), math.floor(column + reach)
    top, bottom = math.ceil(row - reach), math.floor(row + reach)
    if left < 0 or top < 0 or right >= basins.shape[1] or bottom >= basins.shape[0]:
        return False
    for i in range(top, bottom + 1):
        for j in range(left, right + 1):
            if basins[i, j] == 0:
                return False
    return True


@jit
def _ring_volume(
    column: float, row: float, distance: float, directions: Doubles, basins: NDArray[np.int32], basin: int,
    bump: Doubles, ends: tuple[float, bool, bool],
) -> float:  # fmt: skip
    """Volume that particles of all `directions` at `distance` from a place raise in a basin, for a sum of 1."""
    margin = math.ceil(abs(distance)) + 1
    top, left = math.floor(row) - margin, math.floor(column) - margin
    amplitudes, n = np.zeros((2 * margin + 2, 2 * margin + 2)), directions.shape[1]
    for i in range(n):
        x, z = column + distance * directions[0, i] - left, row + distance * directions[1, i] - top
        ix, iz = int(x), int(z)
        tx, tz = x - ix, z - iz
        amplitudes[iz, ix] += (1.0 - tz) * (1.0 - tx) / n
        amplitudes[iz, ix + 1] += (1.0 - tz) * tx / n
        amplitudes[iz + 1, ix] += tz * (1.0 - tx) / n
        amplitudes[iz + 1, ix + 1] += tz * tx / n
    volume = 0.0
    for i in range(amplitudes.shape[0]):
        for j in range(amplitudes.shape[1]):
            if amplitudes[i, j] != 0.0:
                volume += amplitudes[i, j] * _point_volume(top + i, left + j, basins, basin, bump, ends)
    return volume


@jit
def _point_volume(
    row: int, column: int, basins: NDArray[np.int32], basin: int, bump: Doubles, ends: tuple[float, bool, bool]
) -> float:
    """Volume that an amplitude of 1 at a point and its images behind the borders raise in a basin."""
    volume = 0.0
    for down in range(3):
        z, sign_z = _image(row, down, basins.shape[0], ends)
        for across in range(3):
            x, sign_x = _image(column, across, basins.shape[1], ends)
            if sign_z * sign_x != 0.0:
                volume += sign_z * sign_x * _seen_volume(z, x, basins, basin, bump)
    return volume


@jit
def _image(place: int, number: int, points: int, ends: tuple[float, bool, bool]) -> tuple[int, float]:
    """Where image `number` of a point lies along one axis, and its sign; 0 if there is none. Image 0 is itself.

    As on the grid of amplitudes: what lies outside a wall half a cell away belongs to the edge, and else is not seen.
    """
    beyond, flips, open_ends = ends
    if open_ends:
        return place, 1.0 if number == 0 else 0.0
    if not flips and place in (-1, points):
        place = min(max(place, 0), points - 1)
    if not 0 <= place < points:
        return place, 0.0
    if number == 0:
        return place, 1.0
    twice = int(2.0 * beyond)
    return (-twice if number == 1 else 2 * points - 2 + twice) - place, -1.0 if flips else 1.0


@jit
def _seen_volume(row: int, column: int, basins: NDArray[np.int32], basin: int, bump: Doubles) -> float:
    """Volume that one bump around a point, which may lie outside the grid, raises in a basin."""
    reach, volume = bump.shape[0] - 1, 0.0
    for i in range(max(row - reach, 0), min(row + reach + 1, basins.shape[0])):
        for j in range(max(column - reach, 0), min(column + reach + 1, basins.shape[1])):
            if basins[i, j] == basin:
                volume += bump[abs(i - row), abs(j - column)]
    return volume
