"""Linear algebra for compiled code: vectors are tuples of three numbers, quaternions are unit (w, x, y, z)."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

from waterview.simd.jit import callee

Vector = tuple[float, float, float]
Matrix = NDArray[np.float64]


@callee
def vector(array: Any) -> Vector:
    """The three numbers of an array."""
    return array[0], array[1], array[2]


@callee
def cross(a: Vector, b: Vector) -> Vector:
    """The vector product."""
    return a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]


@callee
def dot(a: Vector, b: Vector) -> float:
    """The scalar product."""
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]


@callee
def length(a: Vector) -> float:
    """The length."""
    return math.sqrt(dot(a, a))


@callee
def minus(a: Vector, b: Vector) -> Vector:
    """The difference a − b."""
    return a[0] - b[0], a[1] - b[1], a[2] - b[2]


@callee
def scaled(factor: float, a: Vector) -> Vector:
    """The product of a number and a vector."""
    return factor * a[0], factor * a[1], factor * a[2]


@callee
def plus(a: Vector, factor: float, b: Vector) -> Vector:
    """The sum a + factor·b."""
    return a[0] + factor * b[0], a[1] + factor * b[1], a[2] + factor * b[2]


@callee
def times(matrix: Matrix, a: Vector) -> Vector:
    """The product of a matrix and a vector."""
    return (
        matrix[0, 0] * a[0] + matrix[0, 1] * a[1] + matrix[0, 2] * a[2],
        matrix[1, 0] * a[0] + matrix[1, 1] * a[1] + matrix[1, 2] * a[2],
        matrix[2, 0] * a[0] + matrix[2, 1] * a[1] + matrix[2, 2] * a[2],
    )


@callee
def transpose_times(matrix: Matrix, a: Vector) -> Vector:
    """The product of a matrix's transpose and a vector."""
    return (
        matrix[0, 0] * a[0] + matrix[1, 0] * a[1] + matrix[2, 0] * a[2],
        matrix[0, 1] * a[0] + matrix[1, 1] * a[1] + matrix[2, 1] * a[2],
        matrix[0, 2] * a[0] + matrix[1, 2] * a[1] + matrix[2, 2] * a[2],
    )


@callee
def arm_to(body: Any, vertices: NDArray[np.float64], k: int) -> Vector:
    """The vector from a body's centre of mass to a vertex of its mesh, in world axes [m]."""
    own = (body.scale[0] * vertices[k, 0], body.scale[1] * vertices[k, 1], body.scale[2] * vertices[k, 2])
    return times(body.rotation, own)


@callee
def store(array: Any, a: Vector) -> None:
    """Write a vector into an array."""
    array[0], array[1], array[2] = a


@callee
def rotated_tensor(inner: Matrix, rotation: Matrix, factor: float, out: Matrix) -> None:
    """Write factor · rotation · inner · rotationᵀ to `out`, the symmetric tensor `inner` in other axes."""
    for i in range(3):
        row = (
            rotation[i, 0] * inner[0, 0] + rotation[i, 1] * inner[1, 0] + rotation[i, 2] * inner[2, 0],
            rotation[i, 0] * inner[0, 1] + rotation[i, 1] * inner[1, 1] + rotation[i, 2] * inner[2, 1],
            rotation[i, 0] * inner[0, 2] + rotation[i, 1] * inner[1, 2] + rotation[i, 2] * inner[2, 2],
        )
        for j in range(3):
            out[i, j] = factor * (row[0] * rotation[j, 0] + row[1] * rotation[j, 1] + row[2] * rotation[j, 2])


@callee
def rotation_of(q: Any, out: Matrix) -> None:
    """Write the rotation of a unit quaternion to `out`."""
    w, x, y, z = q[0], q[1], q[2], q[3]
    out[0, 0], out[0, 1], out[0, 2] = 1.0 - 2.0 * (y * y + z * z), 2.0 * (x * y - w * z), 2.0 * (x * z + w * y)
    out[1, 0], out[1, 1], out[1, 2] = 2.0 * (x * y + w * z), 1.0 - 2.0 * (x * x + z * z), 2.0 * (y * z - w * x)
    out[2, 0], out[2, 1], out[2, 2] = 2.0 * (x * z - w * y), 2.0 * (y * z + w * x), 1.0 - 2.0 * (x * x + y * y)


@callee
def rotate_quaternion(q: Any, spin: Vector, seconds: float) -> None:
    """Rotate a quaternion by an angular velocity `spin` in the world [1/s], exactly, and normalise it."""
    speed = length(spin)
    half = 0.5 * speed * seconds
    share = math.sin(half) / speed if speed > 1e-12 else 0.5 * seconds
    a, (b, c, d) = math.cos(half), (share * spin[0], share * spin[1], share * spin[2])
    w, x, y, z = q[0], q[1], q[2], q[3]
    q[0] = a * w - b * x - c * y - d * z
    q[1] = a * x + b * w + c * z - d * y
    q[2] = a * y - b * z + c * w + d * x
    q[3] = a * z + b * y - c * x + d * w
    size = math.sqrt(q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3])
    for i in range(4):
        q[i] /= size


@callee
def solve(m: Matrix, a: Vector) -> Vector:
    """The x of m·x = a for a symmetric positive matrix."""
    c0 = (
        m[1, 1] * m[2, 2] - m[1, 2] * m[2, 1],
        m[1, 2] * m[2, 0] - m[1, 0] * m[2, 2],
        m[1, 0] * m[2, 1] - m[1, 1] * m[2, 0],
    )
    c1 = (
        m[0, 2] * m[2, 1] - m[0, 1] * m[2, 2],
        m[0, 0] * m[2, 2] - m[0, 2] * m[2, 0],
        m[0, 1] * m[2, 0] - m[0, 0] * m[2, 1],
    )
    c2 = (
        m[0, 1] * m[1, 2] - m[0, 2] * m[1, 1],
        m[0, 2] * m[1, 0] - m[0, 0] * m[1, 2],
        m[0, 0] * m[1, 1] - m[0, 1] * m[1, 0],
    )
    determinant = m[0, 0] * c0[0] + m[0, 1] * c0[1] + m[0, 2] * c0[2]
    return (
        (c0[0] * a[0] + c1[0] * a[1] + c2[0] * a[2]) / determinant,
        (c0[1] * a[0] + c1[1] * a[1] + c2[1] * a[2]) / determinant,
        (c0[2] * a[0] + c1[2] * a[1] + c2[2] * a[2]) / determinant,
    )
