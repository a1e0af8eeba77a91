"""One step of all bodies: look at the water, move in sub-steps, bump, push the water aside."""

from __future__ import annotations

import math
from typing import Any

import numba
import numpy as np
from numba import from_dtype
from numpy.typing import NDArray

from waterview.simd.jit import double_pointer, float_pointer, index_pointer, int_pointer, jit, pointer_to

from .collisions import are_apart, meet
from .contacts import SOFT, meet_ground, meet_walls, near_ground
from .displacement import push_aside
from .forces import mesh_forces
from .local_water import CALMING, FADING, look_at_water
from .motion import accelerate, drift, follow_hand, is_finite, substeps, update_inverse
from .records import BLOCK, BODY, WORLD
from .spheres import LEAST_WORK, sphere_forces

Floats = NDArray[np.float32]

world_pointer, body_pointer = pointer_to(from_dtype(WORLD)), pointer_to(from_dtype(BODY))

ROUNDS = 2
"""How often contacts are looked for in a sub-step, so that one may make room for the next."""


@jit
def _move(
    body: Any,
    world: Any,
    dt: float,
    vertices: NDArray[np.float64],
    faces: NDArray[np.int64],
    work: NDArray[np.float64],
) -> None:
    """Forces, velocities and places of one body in one sub-step."""
    x, y, z = body.position[0], body.position[1], body.position[2]
    body.force[:] = 0.0
    body.torque[:] = 0.0
    body.drag[:] = 0.0
    body.drag_torque[:] = 0.0
    if body.form == 0:
        sphere_forces(body, world, work)
    else:
        mesh_forces(body, world, vertices, faces, work)
    update_inverse(body, world)
    accelerate(body, world, dt)
    if body.held:
        follow_hand(body, world, dt)
    drift(body, world, dt)
    if not is_finite(body):
        # Nothing known leads here; if something does, one body stops instead of taking the water with it.
        body.position[0], body.position[1], body.position[2] = x, y, z
        body.orientation[:] = 0.0
        body.orientation[0] = 1.0
        body.velocity[:] = 0.0
        body.spin[:] = 0.0
        update_inverse(body, world)


@jit
def _meet_all(
    bodies: Any, world: Any, vertices: NDArray[np.float64], balls: NDArray[np.float64], bed: Floats, tops: Floats
) -> bool:
    """Let all bodies meet each other, the ground and the walls once; whether any of them touched anything."""
    touched = False
    for k in range(bodies.shape[0]):
        for j in range(k):
            if not are_apart(bodies[k], bodies[j]):
                touched |= meet(bodies[k], bodies[j], world, balls)
    for k in range(bodies.shape[0]):
        body = bodies[k]
        own = vertices[body.first_vertex : body.end_vertex]
        if near_ground(body, world, tops):
            touched |= meet_ground(body, world, own, bed)
        touched |= meet_walls(body, world, own)
    return touched


@jit
def _look_and_push(
    body: Any,
    world: Any,
    vertices: NDArray[np.float64],
    faces: NDArray[np.int64],
    work: NDArray[np.float64],
    pool: Floats,
    basins: NDArray[np.int32],
    blocks: NDArray[np.int32],
) -> None:
    """Let a body push the water aside, if it is time to, and find out how the water moves around it.

    All do so in the same step: then the water need not be told of it in every step, which costs as much as two pushes.

    A body feels what it has just pushed up. Were its push felt a step later only, half levelled out already, the water
    behind it would on average stand higher than before it, and would drive it on.
    """
    if not body.remembered:
        look_at_water(body, world)
    if world.levels > 0 and (not body.remembered or world.count % world.every == 0):
        push_aside(body, world, vertices, faces, work, pool, basins, blocks)
    look_at_water(body, world)
    body.remembered = 1


@jit
def _take_up(world: Any, numbers: NDArray[np.int64]) -> None:
    """Begin a step in which nothing is touched yet."""
    world.touched[0], world.touched[1], world.touched[2], world.touched[3] = world.rows, world.columns, 0, 0
    world.levels = numbers[0]
    for k in range(2):
        world.heights[k], world.first[k], world.second[k] = numbers[1 + k], numbers[3 + k], numbers[5 + k]


@jit
def step_bodies(address: int, water: int) -> tuple[int, int, int, int]:
    """`calls.Step` with everything checked; returns what it returns.

    Args:
        address: of a record of `records.WORLD`.
        water: address of the last numbers of that record, from `levels` on: what they are in this step.
    """
    world = numba.carray(world_pointer(address), 1)[0]
    _take_up(world, numba.carray(index_pointer(water), 7))
    count, shape = world.bodies[1], (world.rows, world.columns)
    blocked = -(-shape[0] // BLOCK), -(-shape[1] // BLOCK)
    bodies = numba.carray(body_pointer(world.bodies[0]), count)
    vertices = numba.carray(double_pointer(world.vertices[0]), (world.vertices[1], 3))
    faces = numba.carray(index_pointer(world.faces[0]), (world.faces[1], 3))
    balls = numba.carray(double_pointer(world.balls[0]), (world.balls[1], 4))
    pool = numba.carray(float_pointer(world.pool[0]), world.pool[1])
    bed, tops = numba.carray(float_pointer(world.bed), shape), numba.carray(float_pointer(world.tops), blocked)
    basins, blocks = numba.carray(int_pointer(world.basins), shape), numba.carray(int_pointer(world.blocks), blocked)
    world.per_metre = 1.0 / world.spacing
    world.calming, world.keeping = 1.0 - math.exp(-world.time_step / CALMING), math.exp(-FADING * world.time_step)
    most = LEAST_WORK
    for k in range(count):
        most = max(most, bodies[k].end_vertex - bodies[k].first_vertex)
    work = np.empty((most, 4))
    for k in range(count):
        body = bodies[k]
        own, triangles = vertices[body.first_vertex : body.end_vertex], faces[body.first_face : body.end_face]
        _look_and_push(body, world, own, triangles, work, pool, basins, blocks)
    world.count += 1
    parts = substeps(bodies, world)
    dt = world.time_step / parts
    world.soft = SOFT + 2.0 * world.gravity * dt
    for _ in range(parts):
        for k in range(count):
            body = bodies[k]
            own = vertices[body.first_vertex : body.end_vertex]
            _move(body, world, dt, own, faces[body.first_face : body.end_face], work)
        for _ in range(ROUNDS):
            if not _meet_all(bodies, world, vertices, balls, bed, tops):
                break  # nothing has changed: another round would find the same
    return world.touched[0], world.touched[1], world.touched[2], world.touched[3]
