import numpy as np
import pytest
from scenes import make_frame

from waterview.core.errors import InputError
from waterview.render.surface import Surface, check_texture_size


def read(texture, dtype):
    return np.frombuffer(texture.read(), dtype)


def test_a_frame_is_uploaded_once_and_as_it_is(ctx):
    surface = Surface(ctx)
    frame = make_frame((5, 7), heights=np.arange(35.0).reshape(5, 7))
    for _ in range(3):
        surface.take(frame)
    assert surface.uploads == 1
    np.testing.assert_array_equal(read(surface.heights, np.float32).reshape(5, 7), frame.heights)
    np.testing.assert_array_equal(read(surface.slopes, np.float16).reshape(5, 7, 2), frame.normals)
    surface.release()


def test_a_new_serial_is_uploaded(ctx):
    surface = Surface(ctx)
    surface.take(make_frame(serial=1))
    surface.take(make_frame(serial=2, heights=np.ones((41, 61))))
    assert surface.uploads == 2
    assert read(surface.heights, np.float32).min() == 1.0
    surface.release()


def test_another_water_with_the_same_serial_is_uploaded(ctx):
    surface = Surface(ctx)
    surface.take(make_frame(serial=1))
    surface.take(make_frame(serial=1, heights=np.ones((41, 61))))
    assert surface.uploads == 2
    surface.release()


def test_grids_of_any_shape_follow_each_other(ctx):
    surface = Surface(ctx)
    for serial, shape in enumerate(((2, 2), (3, 101), (101, 3), (64, 64))):
        surface.take(make_frame(shape, serial=serial, heights=np.full(shape, float(serial))))
        assert surface.heights.size == surface.slopes.size == shape[::-1]
        assert read(surface.heights, np.float32).max() == serial
    surface.release()


def test_a_grid_larger_than_textures_is_refused_in_words(ctx):
    limit = ctx.info["GL_MAX_TEXTURE_SIZE"]
    check_texture_size(ctx, (limit, limit))
    with pytest.raises(InputError, match=f"{limit + 1} × 2 points.*{limit}.*--grid"):
        check_texture_size(ctx, (limit + 1, 2))
