"""The compiled motion of wave particles: where they are, and what becomes of them in time."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from waterview.simd.jit import jit

from .particles_reflection import (
    AMPLITUDE,
    DISTANCE,
    LAG,
    OX,
    OZ,
    REST,
    SPREAD,
    STRENGTH,
    UX,
    UZ,
    X,
    Z,
    bounce,
    is_marked,
    meet_bodies,
    meets_land,
)

# Ends of the grid, as `particles.BORDERS`.
ZERO, REFLECTING, OPEN = range(3)

THIRD = 1.0 / 3.0
BLOCK = 2048  # particles placed at once; their rows should fit in the first-level cache

Floats = NDArray[np.float32]


@jit
def gain(way: np.float32, inverse_radius: np.float32) -> np.float32:
    """By how much the particles of a ring grow until distance `way`, for the ring to keep its energy.

    A particle's share of the front's length grows with the distance d, so without this a ring's height would fall like
    1/d and its energy with it. Energy is kept where it falls like 1/√d. n → ∞ particles of amplitude 1/n at distance
    d ≫ r make a ring with ∫η² = (9/16) r² · (2/3π)(r/d); a bump at rest gives half its energy to the ring's motion,
    and so to a half of (9/16) r² leads gain² = ¾π d/r.
    """
    ratio = np.float32(0.75 * math.pi) * way * inverse_radius
    return np.float32(math.sqrt(math.sqrt(np.float32(1.0) + ratio * ratio)))


@jit
def _distances(out: Floats, born: NDArray[np.float64], path: float) -> None:
    for i in range(out.shape[0]):
        out[i] = np.float32(path - born[i])


@jit
def _along(out: Floats, origin: Floats, direction: Floats, distance: Floats) -> None:
    for i in range(out.shape[0]):
        out[i] = origin[i] + distance[i] * direction[i]


@jit
def _strengths(
    out: Floats, amplitude: Floats, distance: Floats, lag: Floats, rest: Floats, inverse_radius: np.float32
) -> None:
    for i in range(out.shape[0]):
        out[i] = amplitude[i] * (gain(distance[i] + lag[i], inverse_radius) - rest[i])


@jit
def _fade(amplitude: Floats, keep: np.float32) -> None:
    for i in range(amplitude.shape[0]):
        amplitude[i] *= keep


@jit
def place(
    state: Floats,
    born: NDArray[np.float64],
    now: Floats,
    first: int,
    last: int,
    path: float,
    inverse_radius: np.float32,
) -> None:
    """Fill `now` for the particles `first` to `last` − 1: x = O + d·û with d = path − born."""
    for low in range(first, last, BLOCK):
        high = min(low + BLOCK, last)
        distance = now[DISTANCE, low:high]
        _distances(distance, born[low:high], path)
        _along(now[X, low:high], state[OX, low:high], state[UX, low:high], distance)
        _along(now[Z, low:high], state[OZ, low:high], state[UZ, low:high], distance)
        lag, rest = state[LAG, low:high], state[REST, low:high]
        _strengths(now[STRENGTH, low:high], state[AMPLITUDE, low:high], distance, lag, rest, inverse_radius)


@jit
def _move_column(state: Floats, born: NDArray[np.float64], now: Floats, source: int, target: int) -> None:
    for k in range(state.shape[0]):
        state[k, target] = state[k, source]
    for k in range(now.shape[0]):
        now[k, target] = now[k, source]
    born[target] = born[source]


@jit
def _turn(state: Floats, i: int, angle: float) -> None:
    """Turn the direction of particle i about its origin; made a unit vector again, for it is turned many times."""
    cosine, sine = math.cos(angle), math.sin(angle)
    ux, uz = np.float64(state[UX, i]), np.float64(state[UZ, i])
    tx, tz = cosine * ux - sine * uz, sine * ux + cosine * uz
    length = math.sqrt(tx * tx + tz * tz)
    state[UX, i] = np.divide(tx, length)
    state[UZ, i] = np.divide(tz, length)


@jit
def _split(
    state: Floats, born: NDArray[np.float64], now: Floats, i: int, count: int, path: float, inverse: np.float32
) -> None:
    """Particle i becomes three of a third of its amplitude and of its angle (Yuksel et al. 2007, §4.2)."""
    state[AMPLITUDE, i] *= np.float32(THIRD)
    state[SPREAD, i] *= np.float32(THIRD)
    now[STRENGTH, i] *= np.float32(THIRD)
    for child, side in ((count, -1.0), (count + 1, 1.0)):
        _move_column(state, born, now, i, child)
        _turn(state, child, side * state[SPREAD, i])
    place(state, born, now, count, count + 2, path, inverse)


@jit
def advance_particles(
    state: Floats,
    born: NDArray[np.float64],
    now: Floats,
    count: int,
    most: int,
    path: float,
    step: float,
    keep: np.float32,
    lowest: np.float32,
    radius: float,
    growth: np.float32,
    border: int,
    land: NDArray[np.bool_],
    normals: Floats,
    some_land: bool,
    near: NDArray[np.bool_],
    discs: NDArray[np.float64],
    edges: NDArray[np.float64],
    first: NDArray[np.int64],
) -> int:
    """`ParticleSet.advance` with everything checked; returns the new number of particles."""
    nz, nx = land.shape
    _fade(state[AMPLITUDE, :count], keep)
    place(state, born, now, 0, count, path, growth)
    # Where a border throws waves back, its mirror lies half a cell outside the edge points for a crest that stays a
    # crest, one cell outside for one that becomes a trough: as for a grid whose outside neighbours are copies or 0.
    beyond = radius if border == OPEN else (0.5 if border == REFLECTING else 1.0)
    low, high_x, high_z = -beyond, nx - 1.0 + beyond, nz - 1.0 + beyond
    apart = np.float32(0.5 * radius)
    i = 0
    while i < count:
        if now[DISTANCE, i] * state[SPREAD, i] > apart and count + 2 <= most:
            _split(state, born, now, i, count, path, growth)
            count += 2
        alive = abs(now[STRENGTH, i]) >= lowest or abs(state[AMPLITUDE, i]) >= lowest
        if not (low <= now[X, i] <= high_x and low <= now[Z, i] <= high_z):
            if border == OPEN:
                # One that still comes in, as the ring around a drop does at first, is on its way.
                alive = alive and now[DISTANCE, i] < 0.0
            else:
                bounce(state, now, i, X, low, high_x, border == ZERO)
                bounce(state, now, i, Z, low, high_z, border == ZERO)
        if some_land and alive and is_marked(land, now[X, i], now[Z, i]):
            alive = meets_land(state, now, i, land, normals, step)
        if discs.shape[0] > 0 and alive and is_marked(near, now[X, i], now[Z, i]):
            meet_bodies(state, now, i, discs, edges, first, step)
        if alive:
            i += 1
        else:
            count -= 1
            _move_column(state, born, now, count, i)
    return count
