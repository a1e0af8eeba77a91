"""Motion of wave particles: position, gain, damping, splitting and removal (Yuksel et al. 2007, §4)."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from waterview.simd.jit import jit

from .reflection import (
    AMPLITUDE,
    DISTANCE,
    LAG,
    OFFSET,
    OX,
    SPREAD,
    STRENGTH,
    UX,
    UZ,
    Doubles,
    Floats,
    Obstacles,
    Particles,
    X,
    Z,
    is_marked,
    reflect_at_bodies,
    reflect_at_ends,
    reflect_at_shore,
)

THIRD = np.float32(1.0 / 3.0)
WIDEST_HELD = 4.0 / 3.0
"""Arc over r of a front with the energy of a single bump of its height: 1.5 r³a²/(dφ) = 1.125 r²a² (`gain`)."""
BLOCK = 2048  # particles placed at once; their rows should fit in the first-level cache


@jit
def gain(distance: np.float32, growth: np.float32) -> np.float32:
    """By how much the particles of a ring have grown at `distance` [cells], for the ring to conserve its energy.

    A particle's share of the front's length grows with the distance d, so without gain the height of a ring would fall
    like 1/d and its energy with it. Energy is conserved if the height falls like 1/√d. n → ∞ particles of amplitude
    1/n at distance d ≫ r form a ring with ∫η² = (9/16) r² · (2/3π)(r/d). A bump at rest passes on half its energy to
    the motion of the ring, so that ∫η² is half of (9/16) r²: this gives gain² = ¾π d/r.
    """
    ratio = np.float32(0.75 * math.pi) * distance * growth
    return np.float32(math.sqrt(math.sqrt(np.float32(1.0) + ratio * ratio)))


@jit
def place(particles: Particles, first: int, last: int, path: float, growth: np.float32) -> None:
    """Compute `now` for the particles `first` to `last` − 1: x = O + d·û with d = path − born."""
    state, now = particles.state, particles.now
    for low in range(first, last, BLOCK):
        high = min(low + BLOCK, last)
        born, distance = particles.born[low:high], now[DISTANCE, low:high]
        for i in range(distance.size):
            distance[i] = np.float32(path - born[i])
        for axis in range(2):
            position, origin, direction = (
                now[X + axis, low:high],
                state[OX + axis, low:high],
                state[UX + axis, low:high],
            )
            for i in range(distance.size):
                position[i] = origin[i] + distance[i] * direction[i]
        strength, amplitude = now[STRENGTH, low:high], state[AMPLITUDE, low:high]
        lag, offset = state[LAG, low:high], state[OFFSET, low:high]
        for i in range(distance.size):
            strength[i] = amplitude[i] * (gain(distance[i] + lag[i], growth) - offset[i])


@jit
def _copy(particles: Particles, source: int, target: int) -> None:
    particles.state[:, target] = particles.state[:, source]
    particles.now[:, target] = particles.now[:, source]
    particles.born[target] = particles.born[source]


@jit
def _turn(state: Floats, i: int, angle: float) -> None:
    """Turn the direction of particle i about its origin, and normalise it: it is turned many times."""
    cosine, sine = math.cos(angle), math.sin(angle)
    ux, uz = np.float64(state[UX, i]), np.float64(state[UZ, i])
    tx, tz = cosine * ux - sine * uz, sine * ux + cosine * uz
    length = math.sqrt(tx * tx + tz * tz)
    state[UX, i] = np.divide(tx, length)
    state[UZ, i] = np.divide(tz, length)


@jit
def _split(particles: Particles, i: int, count: int, path: float, growth: np.float32) -> None:
    """Particle i becomes three, each with a third of its amplitude and dispersion angle (Yuksel et al. 2007, §4.2)."""
    particles.state[AMPLITUDE, i] *= THIRD
    particles.state[SPREAD, i] *= THIRD
    particles.now[STRENGTH, i] *= THIRD
    for child, side in ((count, -1.0), (count + 1, 1.0)):
        _copy(particles, i, child)
        _turn(particles.state, child, side * particles.state[SPREAD, i])
    place(particles, count, count + 2, path, growth)


@jit
def _hold(particles: Particles, i: int, step: float, widest: float, growth: np.float32) -> None:
    """Keep particle i, for which there is no room to split, as high as it is, and its piece of the front at `widest`.

    A front whose particles stand too far apart to make one is a crowd of single bumps. If they went on to grow like √d,
    their energy would grow with them. If their pieces went on to widen, one that found room at last would split into
    three that lie far apart, mirrored by other walls: a bump would vanish in one place and others rise elsewhere.
    """
    state, now = particles.state, particles.now
    ahead = now[DISTANCE, i] + state[LAG, i]
    grown = gain(ahead, growth) - state[OFFSET, i]
    before = gain(ahead - np.float32(step), growth) - state[OFFSET, i]
    if grown > before > 0.0:
        state[AMPLITUDE, i] *= before / grown
        now[STRENGTH, i] *= before / grown
    state[SPREAD, i] = min(state[SPREAD, i], np.float32(widest / now[DISTANCE, i]))


@jit
def advance(
    state: Floats, born: Doubles, now: Floats, count: int, most: int,
    path: float, step: float, decay: np.float32, faintest: np.float32, radius: float, widest: np.float32,
    growth: np.float32,
    beyond: float, flips: bool, open_ends: bool,
    land: NDArray[np.bool_], normals: Floats, has_land: bool,
    near: NDArray[np.bool_], discs: Doubles, edges: Doubles, first: NDArray[np.int64], owed: Doubles,
) -> int:  # fmt: skip
    """`ParticleSet.advance` in one step of length `step` [cells]; returns the new number of particles.

    Particles whose piece of the front is longer than `widest` [cells] split. The arguments are plain: to pass named
    tuples takes longer than the step of a few particles.
    """
    particles, obstacles = Particles(state, born, now), Obstacles(land, normals, near, discs, edges, first, owed)
    amplitude = state[AMPLITUDE, :count]
    for j in range(count):
        amplitude[j] *= decay
    place(particles, 0, count, path, growth)
    reach, widest_held = radius if open_ends else beyond, max(WIDEST_HELD * radius, float(widest))
    low, high_x, high_z = -reach, land.shape[1] - 1.0 + reach, land.shape[0] - 1.0 + reach
    i = 0
    while i < count:
        if now[DISTANCE, i] * state[SPREAD, i] > widest:
            if count + 2 <= most:
                _split(particles, i, count, path, growth)
                count += 2
            else:
                _hold(particles, i, step, widest_held, growth)
        alive = abs(now[STRENGTH, i]) >= faintest or abs(state[AMPLITUDE, i]) >= faintest
        if not (low <= now[X, i] <= high_x and low <= now[Z, i] <= high_z):
            if open_ends:
                # One that still comes in, as the ring around a drop does at first, is on its way.
                alive = alive and now[DISTANCE, i] < 0.0
            else:
                reflect_at_ends(particles, i, X, low, high_x, flips)
                reflect_at_ends(particles, i, Z, low, high_z, flips)
        if has_land and alive and is_marked(land, now[X, i], now[Z, i]):
            alive = reflect_at_shore(particles, i, obstacles, step)
        # A trough that has not come to its origin yet is inside the body that sends it.
        if discs.shape[0] > 0 and alive and now[DISTANCE, i] >= 0.0 and is_marked(near, now[X, i], now[Z, i]):
            reflect_at_bodies(particles, i, obstacles, step, radius)
        if alive:
            i += 1
        else:
            count -= 1
            _copy(particles, count, i)
    return count


@jit
def remove_weakest(particles: Particles, count: int, number: int) -> int:
    """Remove the `number` weakest of the first `count` particles; the others stay in order. Returns how many are left.

    Rain on a full house does this for every drop: to sort all particles took as long as everything else.
    """
    if number >= count:
        return 0
    strengths = np.abs(particles.now[STRENGTH, :count])
    bound = np.partition(strengths, number - 1)[number - 1]
    equal = number - np.count_nonzero(strengths < bound)  # of those at the bound so many go
    left = np.empty(count - number, np.int64)
    found = 0
    for i in range(count):
        if strengths[i] == bound and equal > 0:
            equal -= 1
        elif strengths[i] >= bound:
            left[found] = i
            found += 1
    for array in (particles.state, particles.now):
        for row in range(array.shape[0]):
            for k in range(found):
                array[row, k] = array[row, left[k]]
    for k in range(found):
        particles.born[k] = particles.born[left[k]]
    return found
