"""Reflection of wave particles: at the ends of the grid, at shores and at floating bodies.

Every reflection mirrors origin and direction, so a front that was part of a ring remains part of one, around the mirror
image of its origin.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from waterview.simd.jit import jit

# Rows of `Particles.state`: origin, unit direction, amplitude, dispersion angle, lag and gain offset.
OX, OZ, UX, UZ, AMPLITUDE, SPREAD, LAG, OFFSET = range(8)
# Rows of `Particles.now`: position, distance from the origin, strength.
X, Z, DISTANCE, STRENGTH = range(4)

MOST_TAKEN = 0.9
"""Largest share of a wave's energy that a body takes."""

HALVINGS = 12  # of the distance of one step, to find where a particle met the shore: to 1/4096 of a cell

Floats = NDArray[np.float32]
Doubles = NDArray[np.float64]
Line = tuple[float, float, float, float]  # a point of the line and its unit normal


class Particles(NamedTuple):
    """The arrays of a `ParticleSet`: see its attributes of the same names."""

    state: Floats
    born: Doubles
    now: Floats


class Obstacles(NamedTuple):
    """What reflects particles inside the grid: the arrays of an `obstacles.Shore` and of `obstacles.Outlines`."""

    land: NDArray[np.bool_]
    normals: Floats
    near: NDArray[np.bool_]
    discs: Doubles
    edges: Doubles
    first: NDArray[np.int64]
    owed: Doubles


@jit
def reflect_at_ends(particles: Particles, i: int, axis: int, low: float, high: float, flips: bool) -> None:
    """Mirror particle i along one axis in the walls at `low` and `high` until it lies between them."""
    state, now = particles.state, particles.now
    twice = 2.0 * (high - low)
    if abs(now[axis, i] - low) > 16.0 * twice:
        # Two mirrorings are a shift, which far away may be less than the spacing of numbers and bring it no nearer.
        near = np.float32(low + (now[axis, i] - low) % twice)
        state[OX + axis, i] += near - now[axis, i]
        now[axis, i] = near
    while now[axis, i] < low or now[axis, i] > high:
        wall = np.float32(low if now[axis, i] < low else high)
        state[OX + axis, i] = wall + wall - state[OX + axis, i]
        state[UX + axis, i] = -state[UX + axis, i]
        now[axis, i] = wall + wall - now[axis, i]
        if flips:
            state[AMPLITUDE, i] = -state[AMPLITUDE, i]
            now[STRENGTH, i] = -now[STRENGTH, i]


@jit
def is_marked(marks: NDArray[np.bool_], x: float, z: float) -> bool:
    """Whether the point nearest to column x and row z is marked; False outside the grid."""
    row, column = math.floor(z + 0.5), math.floor(x + 0.5)
    inside = 0 <= row < marks.shape[0] and 0 <= column < marks.shape[1]
    return inside and bool(marks[int(row), int(column)])


@jit
def _shore_crossing(state: Floats, land: NDArray[np.bool_], i: int, before: float, after: float) -> tuple[float, float]:
    """The last distance at which particle i was in the water and the first on land, by bisection."""
    wet, dry = before, after
    for _ in range(HALVINGS):
        middle = 0.5 * (wet + dry)
        if is_marked(land, state[OX, i] + middle * state[UX, i], state[OZ, i] + middle * state[UZ, i]):
            dry = middle
        else:
            wet = middle
    return wet, dry


@jit
def _mirror(particles: Particles, i: int, px: float, pz: float, nx: float, nz: float) -> None:
    """Mirror origin, direction and position of particle i in the line through (px, pz) with unit normal (nx, nz)."""
    state, now = particles.state, particles.now
    for row_x, array, qx, qz in ((OX, state, px, pz), (UX, state, 0.0, 0.0), (X, now, px, pz)):
        ax, az = np.float64(array[row_x, i]), np.float64(array[row_x + 1, i])
        twice = 2.0 * ((ax - qx) * nx + (az - qz) * nz)
        array[row_x, i] = ax - twice * nx
        array[row_x + 1, i] = az - twice * nz


@jit
def reflect_at_shore(particles: Particles, i: int, obstacles: Obstacles, step: float) -> bool:
    """Reflect particle i, which is over land, at the shore; False if it is so far inland that no shore is near."""
    state, now, land = particles.state, particles.now, obstacles.land
    distance = np.float64(now[DISTANCE, i])
    ux, uz = np.float64(state[UX, i]), np.float64(state[UZ, i])
    before = distance - step
    x, z = state[OX, i] + before * ux, state[OZ, i] + before * uz
    came_from_water = not is_marked(land, x, z)
    if came_from_water:
        wet, dry = _shore_crossing(state, land, i, before, distance)
        px, pz = state[OX, i] + dry * ux, state[OZ, i] + dry * uz
        x, z = state[OX, i] + wet * ux, state[OZ, i] + wet * uz
    else:
        px, pz = np.float64(now[X, i]), np.float64(now[Z, i])
        x, z = px, pz
    row = min(max(math.floor(z + 0.5), 0), land.shape[0] - 1)
    column = min(max(math.floor(x + 0.5), 0), land.shape[1] - 1)
    normal = obstacles.normals[row, column]
    nx, nz = np.float64(normal[0]), np.float64(normal[1])
    if nx == 0.0 and nz == 0.0:
        # A channel one cell wide: straight back. By its length, or rounding of that would grow fivefold each time.
        length = math.sqrt(ux * ux + uz * uz)
        nx, nz = -ux / length, -uz / length
        if not came_from_water:
            return False
    if ux * nx + uz * nz < 0.0:
        _mirror(particles, i, px, pz, nx, nz)
    return True


@jit
def _tangent_of_disc(disc: Doubles, x: float, z: float, ux: float, uz: float, step: float) -> Line:
    """The tangent at which a particle entered a disc in this step, or the nearest one if the disc ran onto it."""
    dx, dz, radius = x - disc[0], z - disc[1], disc[2]
    along = dx * ux + dz * uz
    back = along + math.sqrt(max(along * along + radius * radius - dx * dx - dz * dz, 0.0))
    if back <= step:
        dx, dz = dx - back * ux, dz - back * uz
    distance = math.sqrt(dx * dx + dz * dz)
    nx, nz = (dx / distance, dz / distance) if distance > 0.0 else (-ux, -uz)
    return disc[0] + radius * nx, disc[1] + radius * nz, nx, nz


@jit
def _edge_of_outline(edges: Doubles, x: float, z: float, ux: float, uz: float, step: float) -> tuple[bool, Line]:
    """Whether a particle is inside a convex outline, and the edge through which it entered, or else the nearest."""
    shortest, entry, least, nearest = step, -1, math.inf, 0
    for k in range(edges.shape[0]):
        px, pz, nx, nz = edges[k]
        depth = (px - x) * nx + (pz - z) * nz
        if depth <= 0.0:
            return False, (px, pz, nx, nz)
        against = -(ux * nx + uz * nz)
        if against > 0.0 and depth <= shortest * against:
            shortest, entry = depth / against, k
        if depth < least:
            least, nearest = depth, k
    px, pz, nx, nz = edges[entry if entry >= 0 else nearest]
    return True, (px, pz, nx, nz)


@jit
def energy_of(particles: Particles, i: int, radius: float) -> float:
    """Energy of particle i by itself, over ½ρg: ∫(η² + (q/c)²) = 2(¾r)² times its strength squared [m²·cells²].

    As part of a front it has more, but of crests and troughs that run into each other less. So what a body takes is
    rather too much than too little.
    """
    strength = np.float64(particles.now[STRENGTH, i])
    return 1.125 * radius * radius * strength * strength


@jit
def _pay(particles: Particles, i: int, body: int, owed: Doubles, radius: float) -> None:
    """Take from particle i what a body that throws it back has gained in waves."""
    energy = energy_of(particles, i, radius)
    taken = min(owed[body], MOST_TAKEN * energy)
    if taken > 0.0:
        factor = np.float32(math.sqrt(1.0 - taken / energy))
        particles.state[AMPLITUDE, i] *= factor
        particles.now[STRENGTH, i] *= factor
        owed[body] -= taken


@jit
def reflect_at_bodies(particles: Particles, i: int, obstacles: Obstacles, step: float, radius: float) -> None:
    """Reflect particle i where it is inside a body; one that a body has run onto is moved out at the nearest side."""
    state, now = particles.state, particles.now
    for body in range(obstacles.discs.shape[0]):
        disc = obstacles.discs[body]
        x, z = np.float64(now[X, i]), np.float64(now[Z, i])
        dx, dz, radius = x - disc[0], z - disc[1], disc[2]
        if dx * dx + dz * dz >= radius * radius:
            continue
        ux, uz = np.float64(state[UX, i]), np.float64(state[UZ, i])
        edges = obstacles.edges[obstacles.first[body] : obstacles.first[body + 1]]
        if edges.shape[0] == 0:
            px, pz, nx, nz = _tangent_of_disc(disc, x, z, ux, uz, step)
        else:
            inside, (px, pz, nx, nz) = _edge_of_outline(edges, x, z, ux, uz, step)
            if not inside:
                continue
        if ux * nx + uz * nz < 0.0:
            _mirror(particles, i, px, pz, nx, nz)
            _pay(particles, i, body, obstacles.owed, radius)
        else:
            twice = 2.0 * ((px - x) * nx + (pz - z) * nz)
            for row_x, array in ((OX, state), (X, now)):
                array[row_x, i] += np.float32(twice * nx)
                array[row_x + 1, i] += np.float32(twice * nz)
