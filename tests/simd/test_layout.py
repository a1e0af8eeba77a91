"""The padded layout that every kernel relies on."""

import numpy as np
import pytest

from waterview.simd.layout import LINE, PAD, TwoLevels, interior, padded, row_stride

SHAPES = [(2, 2), (2, 17), (3, 16), (31, 33), (64, 1024)]


@pytest.mark.parametrize("shape", SHAPES)
def test_rows_start_on_cache_lines_and_have_room_around_them(shape):
    nz, nx = shape
    buffer = padded(shape)
    assert buffer.dtype == np.float32
    assert buffer.shape == (nz + 2, row_stride(nx))
    assert buffer.flags.c_contiguous
    assert buffer.ctypes.data % LINE == 0
    assert buffer.strides[0] % LINE == 0
    assert interior(buffer, shape).ctypes.data % LINE == 0
    assert buffer.shape[1] - PAD - nx >= PAD
    assert not buffer.any()


@pytest.mark.parametrize("nx", [2, 192, 448, 960, 1024, 2048, 4032])
def test_no_row_is_a_power_of_two_long(nx):
    stride = row_stride(nx)
    assert nx + 64 <= stride < nx + 64 + PAD
    assert stride < 512 or stride & (stride - 1) or nx + 64 == stride


@pytest.mark.parametrize("shape", SHAPES)
def test_the_interior_is_a_view_of_the_middle(shape):
    buffer = padded(shape)
    interior(buffer, shape)[...] = 1.0
    assert buffer.sum() == shape[0] * shape[1]
    assert not buffer[0].any() and not buffer[-1].any()
    assert not buffer[:, :PAD].any() and not buffer[:, PAD + shape[1] :].any()


def test_two_levels_change_places():
    field = TwoLevels((3, 4))
    field.heights[...] = 1.0
    field.heights_before[...] = 2.0
    views = field.heights, field.heights_before
    field.swap()
    assert (field.heights == 2.0).all() and (field.heights_before == 1.0).all()
    assert field.heights is views[1] and field.heights_before is views[0]


def test_what_is_shown_is_the_newest_level_and_cannot_be_written():
    field = TwoLevels((3, 4))
    for number in range(3):
        field.heights[...] = number
        assert (field.shown == number).all()
        with pytest.raises(ValueError, match="read-only"):
            field.shown[0, 0] = 1.0
        field.swap()
