"""Small vectors and quaternions against numpy."""

import numpy as np
import pytest
from support.compiled import callable_from_python

from waterview.bodies.kernels import linear_algebra

cross, dot, times, transpose_times, plus, scaled = map(
    callable_from_python,
    (
        linear_algebra.cross,
        linear_algebra.dot,
        linear_algebra.times,
        linear_algebra.transpose_times,
        linear_algebra.plus,
        linear_algebra.scaled,
    ),
)
solve, rotation_of, rotated_tensor, rotate_quaternion = map(
    callable_from_python,
    (linear_algebra.solve, linear_algebra.rotation_of, linear_algebra.rotated_tensor, linear_algebra.rotate_quaternion),
)
RNG = np.random.default_rng(0)


def test_products():
    a, b, matrix = RNG.normal(size=3), RNG.normal(size=3), RNG.normal(size=(3, 3))
    assert cross(tuple(a), tuple(b)) == pytest.approx(np.cross(a, b))
    assert dot(tuple(a), tuple(b)) == pytest.approx(a @ b)
    assert times(matrix, tuple(a)) == pytest.approx(matrix @ a)
    assert transpose_times(matrix, tuple(a)) == pytest.approx(matrix.T @ a)
    assert plus(tuple(a), 2.5, tuple(b)) == pytest.approx(a + 2.5 * b)
    assert scaled(2.5, tuple(b)) == pytest.approx(2.5 * b)


def test_solving():
    root = RNG.normal(size=(3, 3))
    matrix, right = root @ root.T + np.eye(3), RNG.normal(size=3)
    assert solve(matrix, tuple(right)) == pytest.approx(np.linalg.solve(matrix, right))


def test_tensors_seen_from_other_axes():
    q = RNG.normal(size=4)
    rotation, out = np.empty((3, 3)), np.empty((3, 3))
    rotation_of(q / np.linalg.norm(q), rotation)
    np.testing.assert_allclose(rotation @ rotation.T, np.eye(3), atol=1e-12)
    inner = np.diag((1.0, 2.0, 5.0))
    rotated_tensor(inner, rotation, 0.5, out)
    np.testing.assert_allclose(out, 0.5 * rotation @ inner @ rotation.T, atol=1e-12)


def test_turning_is_exact_and_stays_a_rotation():
    q, spin = np.array([1.0, 0.0, 0.0, 0.0]), np.array([0.3, -1.2, 0.7])
    for _ in range(1000):
        rotate_quaternion(q, tuple(spin), 0.01)
    angle = 10.0 * np.linalg.norm(spin)
    expected = np.array([np.cos(angle / 2), *(np.sin(angle / 2) * spin / np.linalg.norm(spin))])
    np.testing.assert_allclose(q, expected, atol=1e-9)
    assert np.linalg.norm(q) == pytest.approx(1.0, abs=1e-14)
