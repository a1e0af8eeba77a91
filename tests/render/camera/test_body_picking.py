import numpy as np
import pytest

from waterview.core.body import BodyState, Mesh
from waterview.render.camera.picking import pick_body


def cube(number, position, scale=(1.0, 1.0, 1.0), rotation=None):
    corners = np.array([[x, y, z] for x in (-0.5, 0.5) for y in (-0.5, 0.5) for z in (-0.5, 0.5)], np.float32)
    quads = [(0, 1, 3, 2), (4, 6, 7, 5), (0, 4, 5, 1), (2, 3, 7, 6), (0, 2, 6, 4), (1, 5, 7, 3)]
    triangles = np.array([t for a, b, c, d in quads for t in ((a, b, c), (a, c, d))], np.uint32)
    mesh = Mesh(corners, corners / np.linalg.norm(corners, axis=1)[:, None], triangles, np.zeros((8, 3), np.uint8))
    rotation = np.eye(3) if rotation is None else rotation
    return BodyState(number, "cube", mesh, np.array(position, float), rotation, np.array(scale, float), 500.0)


def test_the_nearer_of_two_bodies_is_taken_where_the_ray_enters():
    bodies = (cube(1, (0.0, 0.0, -10.0)), cube(2, (0.0, 0.0, -5.0)))
    body, point = pick_body(bodies, (0.1, 0.2, 0.0), (0.0, 0.0, -2.0))
    assert body.number == 2
    assert point == pytest.approx((0.1, 0.2, -4.5))


def test_scale_and_rotation_count():
    quarter = np.array([[0.0, 0.0, 1.0], [0.0, 1.0, 0.0], [-1.0, 0.0, 0.0]])
    long = cube(1, (0.0, 0.0, 0.0), scale=(6.0, 1.0, 1.0), rotation=quarter)
    _, point = pick_body((long,), (0.0, 5.0, 2.9), (0.0, -1.0, 0.0))
    assert point == pytest.approx((0.0, 0.5, 2.9))
    assert pick_body((long,), (2.9, 5.0, 0.0), (0.0, -1.0, 0.0)) is None


def test_bodies_behind_or_beside_are_missed():
    bodies = (cube(1, (0.0, 0.0, 5.0)),)
    assert pick_body(bodies, (0.0, 0.0, 0.0), (0.0, 0.0, -1.0)) is None
    assert pick_body(bodies, (2.0, 0.0, 0.0), (0.0, 0.0, 1.0)) is None
    assert pick_body((), (0.0, 0.0, 0.0), (0.0, 0.0, 1.0)) is None
