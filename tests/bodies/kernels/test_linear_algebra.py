"""Small vectors and quaternions against numpy."""

import numpy as np
import pytest

from waterview.bodies.kernels import linear_algebra as vectors

RNG = np.random.default_rng(0)


def test_products():
    a, b, matrix = RNG.normal(size=3), RNG.normal(size=3), RNG.normal(size=(3, 3))
    assert vectors.cross(tuple(a), tuple(b)) == pytest.approx(np.cross(a, b))
    assert vectors.dot(tuple(a), tuple(b)) == pytest.approx(a @ b)
    assert vectors.times(matrix, tuple(a)) == pytest.approx(matrix @ a)
    assert vectors.transpose_times(matrix, tuple(a)) == pytest.approx(matrix.T @ a)
    assert vectors.plus(tuple(a), 2.5, tuple(b)) == pytest.approx(a + 2.5 * b)
    assert vectors.scaled(2.5, tuple(b)) == pytest.approx(2.5 * b)


def test_solving():
    root = RNG.normal(size=(3, 3))
    matrix, right = root @ root.T + np.eye(3), RNG.normal(size=3)
    assert vectors.solve(matrix, tuple(right)) == pytest.approx(np.linalg.solve(matrix, right))


def test_tensors_seen_from_other_axes():
    q = RNG.normal(size=4)
    rotation, out = np.empty((3, 3)), np.empty((3, 3))
    vectors.rotation_of(q / np.linalg.norm(q), rotation)
    np.testing.assert_allclose(rotation @ rotation.T, np.eye(3), atol=1e-12)
    inner = np.diag((1.0, 2.0, 5.0))
    vectors.rotated_tensor(inner, rotation, 0.5, out)
    np.testing.assert_allclose(out, 0.5 * rotation @ inner @ rotation.T, atol=1e-12)


def test_turning_is_exact_and_stays_a_rotation():
    q, spin = np.array([1.0, 0.0, 0.0, 0.0]), np.array([0.3, -1.2, 0.7])
    for _ in range(1000):
        vectors.rotate_quaternion(q, tuple(spin), 0.01)
    angle = 10.0 * np.linalg.norm(spin)
    expected = np.array([np.cos(angle / 2), *(np.sin(angle / 2) * spin / np.linalg.norm(spin))])
    np.testing.assert_allclose(q, expected, atol=1e-9)
    assert np.linalg.norm(q) == pytest.approx(1.0, abs=1e-14)
