import numpy as np
import pytest
from scenes import make_frame

from waterview.render.bounds import Bounds
from waterview.render.camera import OrbitCamera
from waterview.render.light import Light
from waterview.render.settings import ViewParams
from waterview.render.shaders import Shader
from waterview.render.view import View


@pytest.fixture
def view():
    frame = make_frame(level=1.5)
    bounds = Bounds.of(frame)
    return View(OrbitCamera.framing(frame), frame.grid, bounds, Light.of(ViewParams(), bounds), (640, 360), 3.0)


def test_the_block_is_as_large_as_the_shaders_say(ctx, view):
    shader = Shader(ctx, "sky", vertex="screen")
    assert shader.program["View"].size == view.packed().nbytes
    shader.release()


def test_the_matrix_is_stored_column_by_column(view):
    matrix = view.packed()[:16].reshape(4, 4).T.astype(np.float64)
    expected = view.camera.projection(640 / 360) @ view.camera.view()
    np.testing.assert_allclose(matrix, expected, rtol=1e-5, atol=1e-5)


def test_the_picture_ray_of_a_corner_is_the_cameras_ray(view):
    rows = view.packed().reshape(-1, 4)[:, :3]
    right, up, forward = rows[5], rows[6], rows[7]
    corner = forward + right + up
    _, ray = view.camera.ray(640.0, 0.0, (640, 360))
    np.testing.assert_allclose(corner / np.linalg.norm(corner), ray, atol=1e-5)


def test_depths_are_turned_back_into_distances(view):
    near, far = view.camera.near_far()
    matrix = view.camera.projection(640 / 360)
    for distance in (near, 3.0 * near, far):
        clip = matrix @ [0.0, 0.0, -distance, 1.0]
        depth = 0.5 + 0.5 * clip[2] / clip[3]
        assert near * far / (far - depth * (far - near)) == pytest.approx(distance)


def test_time_and_level_are_where_the_shaders_look(view):
    rows = view.packed().reshape(-1, 4)
    assert rows[4, 3] == 3.0
    assert rows[12, 3] == 1.5
