"""One step of all bodies: they push the water aside and observe it, then move in sub-steps and resolve contacts."""

from __future__ import annotations

import math
from typing import Any

import numba
import numpy as np
from numba import from_dtype
from numpy.typing import NDArray

from waterview.simd.jit import Codes, callee, double_pointer, float_pointer, index_pointer, int_pointer, jit, pointer_to

from .contacts import BOUNCE_THRESHOLD, are_apart, meet_body, meet_ground, meet_walls, near_ground
from .displacement import push_aside
from .drag import LEAST_WORK
from .forces import water_forces
from .local_water import AVERAGING_TIME, FLOW_DECAY_RATE, observe_water
from .motion import accelerate, advance, follow_pointer, is_finite, substeps, update_rotation
from .records import BLOCK, BODY, Ground, ShapeTables

Floats = NDArray[np.float32]

ROUNDS = 2
"""Most rounds of contacts in a sub-step: a contact may make room for the next."""


body_pointer = pointer_to(from_dtype(BODY))


@jit
def step_bodies(environment: Any) -> tuple[int, int, int, int]:
    """Move all bodies by one time step of the water and let them push it aside; call `set_water` before.

    Args:
        environment: one record of `ENVIRONMENT`, shape (1,), changed in place. Its addresses are trusted.

    Returns:
        The window of the grid where the water was lifted: first row and column, and those after the last.
    """
    env = environment[0]
    bodies, tables, ground = numba.carray(body_pointer(env.bodies), env.body_count), tables_of(env), ground_of(env)
    begin_step(env)
    most = LEAST_WORK
    for k in range(bodies.shape[0]):
        most = max(most, bodies[k].end_vertex - bodies[k].first_vertex)
    work = np.empty((most, 4))
    for k in range(bodies.shape[0]):
        push_and_observe(bodies[k], env, tables, ground, work)
    env.steps += 1
    parts = substeps(bodies, env)
    dt = env.time_step / parts
    env.bounce_threshold = BOUNCE_THRESHOLD + 2.0 * env.gravity * dt
    for _ in range(parts):
        for k in range(bodies.shape[0]):
            move(bodies[k], env, dt, tables, work)
        for _ in range(ROUNDS):
            if not resolve_contacts(bodies, env, tables, ground):
                break  # nothing has changed: another round would find the same
    return env.touched[0], env.touched[1], env.touched[2], env.touched[3]


@callee
def tables_of(env: Any) -> ShapeTables:
    """The tables of shapes."""
    return ShapeTables(
        numba.carray(double_pointer(env.vertices), (env.vertex_count, 3)),
        numba.carray(index_pointer(env.faces), (env.face_count, 3)),
        numba.carray(double_pointer(env.spheres), (env.sphere_count, 4)),
    )


@callee
def shape_of(body: Any, tables: ShapeTables) -> tuple[NDArray[np.float64], NDArray[np.int64]]:
    """The vertices and faces of a body's shape."""
    return tables.vertices[body.first_vertex : body.end_vertex], tables.faces[body.first_face : body.end_face]


@callee
def ground_of(env: Any) -> Ground:
    """The ground."""
    shape, blocks = (env.rows, env.columns), (-(-env.rows // BLOCK), -(-env.columns // BLOCK))
    return Ground(
        numba.carray(float_pointer(env.bed), shape),
        numba.carray(float_pointer(env.highest), blocks),
        numba.carray(int_pointer(env.basins), shape),
        numba.carray(int_pointer(env.block_basins), blocks),
    )


_ANY_KIND = np.zeros((2, 4), np.float32)[:, ::2]
"""An array that is neither contiguous nor may be written to: code for its kind takes every kind."""
_ANY_KIND.setflags(write=False)


def set_water(environment: Any, heights: Floats, first: Floats, second: Floats, third: Floats, levels: int) -> bool:
    """Note where the water's arrays lie, for `step_bodies`, which gets them as addresses.

    numba would compile a kernel anew for every kind of array, contiguous or not, read-only or not.

    Args:
        environment: one record of `ENVIRONMENT`, shape (1,), changed in place.
        heights: of the surface above still water [m], shape (nz, nx).
        first: what bodies push aside is added to it.
        second: and to this; any array as large if there is one level only.
        third: and to this; any array as large if there are two levels only.
        levels: 0 to 3 of them.

    Returns:
        Whether all have the grid's shape and rows of contiguous float32; nothing else may be stepped.
    """
    for array in (heights, first, second, third):
        if array.dtype != np.float32 or array.ndim != 2:
            return False
    code = _SET_WATER.of("any kind", (environment, _ANY_KIND, _ANY_KIND, _ANY_KIND, _ANY_KIND, 0))
    return bool(code(environment, heights, first, second, third, levels))


@jit
def _set_water(environment: Any, heights: Floats, first: Floats, second: Floats, third: Floats, levels: int) -> bool:
    """`set_water` without a look at types."""
    env = environment[0]
    shape = (env.rows, env.columns)
    env.heights, env.heights_stride = heights.ctypes.data, heights.strides[0] // 4
    env.first_level, env.first_stride = first.ctypes.data, first.strides[0] // 4
    env.second_level, env.second_stride = second.ctypes.data, second.strides[0] // 4
    env.third_level, env.third_stride = third.ctypes.data, third.strides[0] // 4
    env.levels = levels
    same_shape = heights.shape == first.shape == second.shape == third.shape == shape
    return bool(same_shape and heights.strides[1] == first.strides[1] == second.strides[1] == third.strides[1] == 4)


_SET_WATER = Codes(_set_water)


@callee
def begin_step(env: Any) -> None:
    """Set what depends on the time step, and begin with nothing touched."""
    env.points_per_metre = 1.0 / env.spacing
    env.mean_level_gain = 1.0 - math.exp(-env.time_step / AVERAGING_TIME)
    env.flow_decay = math.exp(-FLOW_DECAY_RATE * env.time_step)
    env.touched[0], env.touched[1], env.touched[2], env.touched[3] = env.rows, env.columns, 0, 0


@callee
def push_and_observe(body: Any, env: Any, tables: ShapeTables, ground: Ground, work: NDArray[np.float64]) -> None:
    """Let a body push the water aside, if it is time to, and observe how the water moves around it.

    All bodies push in the same step, because every call of the water's `on_pushed` costs as much as two pushes.

    A body feels what it has just pushed up. If it felt its push one step later, half levelled out already, the water
    behind it would on average stand higher than the water ahead, and would drive it on.
    """
    if not body.has_history:
        observe_water(body, env)
    if env.levels > 0 and (not body.has_history or env.steps % env.push_interval == 0):
        vertices, faces = shape_of(body, tables)
        push_aside(body, env, vertices, faces, work, ground)
    observe_water(body, env)
    body.has_history = 1


@callee
def move(body: Any, env: Any, dt: float, tables: ShapeTables, work: NDArray[np.float64]) -> None:
    """Forces, velocity and place of one body in one sub-step of `dt` [s]."""
    x, y, z = body.position[0], body.position[1], body.position[2]
    vertices, faces = shape_of(body, tables)
    wet_before = body.wet_volume
    water_forces(body, env, vertices, faces, work)
    update_rotation(body, env)
    accelerate(body, env, dt, wet_before)
    if body.grabbed:
        follow_pointer(body, env, dt)
    advance(body, env, dt)
    if not is_finite(body):
        # Nothing known leads here; if something does, one body stops instead of taking the water with it.
        body.position[0], body.position[1], body.position[2] = x, y, z
        body.orientation[:] = 0.0
        body.orientation[0] = 1.0
        body.velocity[:] = 0.0
        body.spin[:] = 0.0
        update_rotation(body, env)


@callee
def resolve_contacts(bodies: Any, env: Any, tables: ShapeTables, ground: Ground) -> bool:
    """Let all bodies meet each other, the ground and the walls once; whether any of them touched anything."""
    touched = False
    for k in range(bodies.shape[0]):
        for j in range(k):
            if not are_apart(bodies[k], bodies[j]):
                touched |= meet_body(bodies[k], bodies[j], env, tables.spheres)
    for k in range(bodies.shape[0]):
        body = bodies[k]
        vertices, _ = shape_of(body, tables)
        if near_ground(body, env, ground):
            touched |= meet_ground(body, env, vertices, ground.bed)
        touched |= meet_walls(body, env, vertices)
    return touched
