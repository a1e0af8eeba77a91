"""One step of all bodies: look at the water, move in sub-steps, bump, push the water aside."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from .bodies_contacts import SOFT, meet_ground, meet_walls, near_ground
from .bodies_displacement import push_aside
from .bodies_forces import mesh_forces, sphere_forces
from .bodies_motion import accelerate, drift, follow_hand, is_finite, substeps, update_inverse
from .bodies_pairs import meet
from .bodies_surface import look_at_water
from .jit import jit

Floats = NDArray[np.float32]

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
        sphere_forces(body, world, vertices)
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
def step_bodies(
    bodies: Any,
    worlds: Any,
    vertices: NDArray[np.float64],
    faces: NDArray[np.int64],
    balls: NDArray[np.float64],
    pool: Floats,
    bed: Floats,
    tops: Floats,
    basins: NDArray[np.int32],
    blocks: NDArray[np.int32],
) -> None:
    """`bodies.step` with everything checked."""
    world, count = worlds[0], bodies.shape[0]
    most = 1
    for k in range(count):
        most = max(most, bodies[k].end_vertex - bodies[k].first_vertex)
    work = np.empty((most, 4))
    for k in range(count):
        body = bodies[k]
        own, triangles = vertices[body.first_vertex : body.end_vertex], faces[body.first_face : body.end_face]
        if not body.remembered:
            look_at_water(body, world)
        # A body feels what it has just pushed up. Were its push felt a step later only, half levelled out already, the
        # water behind it would on average stand higher than before it, and would drive it on.
        if world.levels > 0 and (not body.remembered or (world.count + k) % world.every == 0):
            push_aside(body, world, own, triangles, work, pool, basins, blocks)
        look_at_water(body, world)
        body.remembered = 1
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
            for k in range(count):
                for j in range(k):
                    meet(bodies[k], bodies[j], world, balls)
            for k in range(count):
                body = bodies[k]
                own = vertices[body.first_vertex : body.end_vertex]
                if near_ground(body, world, tops):
                    meet_ground(body, world, own, bed)
                meet_walls(body, world, own)
