"""The compiled part of `published_surface`: copies of heights, and their slopes as half floats.

Every `surface` is a `published_surface.PublishedSurface`.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numba
import numpy as np
from numba.extending import overload
from numpy.typing import NDArray

from waterview.simd.choices import with_lane, within
from waterview.simd.jit import INLINED, Static, float_pointer, jit, part, word_pointer
from waterview.simd.processor import HALVES
from waterview.simd.vectors import SIZE, give, give_halves, load_anywhere, width_of
from waterview.waters.common.active_tiles import TILE_COLUMNS, TILE_ROWS

KEPT, PAST = Static(0), Static(1)  # whether what is written may stay in the caches

u32 = np.uint32  # numba widens every sum to 64 bits; narrowing each again lets twice as many fit into a vector


class Row(NamedTuple):
    """One row of a surface.

    Attributes:
        row, up, down: addresses of its first height and of those that count as above and below.
        along: what to multiply their difference by [1/m].
        slopes, heights: addresses of the first words to write, or 0.
    """

    row: int
    up: int
    down: int
    along: np.float32
    slopes: int
    heights: int


# --- single points


@jit
def half_bits(value: np.float32) -> np.uint32:
    """The bits of `value`, at most 65,504 in size, as a half float, rounded to the nearest, ties to even.

    In integers, because not every processor that numba compiles for has an instruction for it. Half floats below
    2⁻¹⁴ have no leading 1: adding ½ lets the floating-point unit shift and round those.
    """
    bits = np.float32(value).view(np.uint32)
    size = u32(bits & u32(0x7FFFFFFF))
    even = u32(u32(size >> u32(13)) & u32(1))
    usual = u32(u32(u32(size - u32(0x38000000 - 0x0FFF)) + even) >> u32(13))
    small = u32(np.float32(np.float32(abs(value)) + np.float32(0.5)).view(np.uint32) - u32(0x3F000000))
    sign = u32(u32(bits >> u32(16)) & u32(0x8000))
    return u32((small if size < u32(0x38800000) else usual) | sign)


@jit
def clipped(value: np.float32, bound: np.float32) -> np.float32:
    """`value`, held within ±`bound`."""
    return min(max(value, -bound), bound)


# --- rows


@part
def _end_slope(row: Row, column: int, surface: Any) -> np.float32:
    """−∂h/∂x at the first or last point, as if a neighbour were missing."""
    c = numba.carray(float_pointer(row.row), surface.nx)
    other = 1 if column == 0 else surface.nx - 2
    difference = c[0] - c[other] if column == 0 else c[other] - c[column]
    return clipped(difference * (surface.half_inverse + surface.half_inverse), surface.bound)


def _in_loops(width: Any, past: Any, row: Row, start: int, stop: int, surface: Any) -> None:
    n, at = stop - start, start * SIZE
    o, centre = numba.carray(word_pointer(row.slopes + at), n), numba.carray(float_pointer(row.row + at), n)
    u, d = numba.carray(float_pointer(row.up + at), n), numba.carray(float_pointer(row.down + at), n)
    left = numba.carray(float_pointer(row.row + at - SIZE), n)
    right = numba.carray(float_pointer(row.row + at + SIZE), n)
    for j in range(n):
        x = half_bits(clipped((left[j] - right[j]) * surface.half_inverse, surface.bound))
        z = half_bits(clipped((u[j] - d[j]) * row.along, surface.bound))
        o[j] = x | u32(z << u32(16))
    if start == 0:
        o[0] = half_bits(_end_slope(row, 0, surface)) | (o[0] & u32(0xFFFF0000))
    if stop == surface.nx:
        o[n - 1] = half_bits(_end_slope(row, stop - 1, surface)) | (o[n - 1] & u32(0xFFFF0000))
    if row.heights:
        copy = numba.carray(float_pointer(row.heights + at), n)
        for j in range(n):
            copy[j] = centre[j]


@part
def _write_vector(width: Any, past: Any, row: Row, column: int, surface: Any) -> None:
    at, last = column * SIZE, surface.nx - 1 - column
    x = surface.half_inverse * (load_anywhere(width, row.row + at - SIZE) - load_anywhere(width, row.row + at + SIZE))
    z = row.along * (load_anywhere(width, row.up + at) - load_anywhere(width, row.down + at))
    x = within(surface.bound, x)
    # Here, and not in memory afterwards: to read what was written past the caches takes as long as to write a row.
    if column == 0:
        x = with_lane(x, 0, _end_slope(row, 0, surface))
    if last < width_of(width):
        x = with_lane(x, last, _end_slope(row, column + last, surface))
    give_halves(past, row.slopes + at, x, within(surface.bound, z))
    if row.heights:
        give(past, row.heights + at, load_anywhere(width, row.row + at))


def _in_vectors(width: Any, past: Any, row: Row, start: int, stop: int, surface: Any) -> None:
    length = width_of(width)
    for column in range(start, stop - length + 1, length):
        _write_vector(width, past, row, column, surface)
    if (stop - start) % length:  # once more, in part over what the last whole vector has written
        _write_vector(width, past, row, stop - length, surface)


def write_columns(width: Any, past: Any, row: Row, start: int, stop: int, surface: Any) -> None:
    """Write the columns `start` to `stop` − 1 of a row: (left − right)·half_inverse and (up − down)·along."""


@overload(write_columns, jit_options=INLINED)  # type: ignore[untyped-decorator]
def _write_columns(width: Any, past: Any, row: Row, start: int, stop: int, surface: Any) -> Any:
    return _in_vectors if HALVES and width.value > 1 else _in_loops


@part
def _row_of(level: int, i: int, surface: Any) -> Row:
    row, at = level + i * surface.stride, i * surface.nx * SIZE
    up, down, along = row - surface.stride, row + surface.stride, surface.half_inverse
    if i in (0, surface.nz - 1):
        up, down = (row if i == 0 else up), (down if i == 0 else row)
        along = along + along
    return Row(row, up, down, along, surface.slopes + at, surface.heights + at if surface.heights else 0)


@jit
def write_rows(width: Any, level: int, top: int, bottom: int, surface: Any) -> None:
    """Write the slopes of the rows `top` to `bottom` − 1, and their heights if asked for, where tiles are stale.

    Args:
        width: floats to a vector, a `Static`; no longer than a row, and 1 for loops over single points.
        level: address of the field's first height.
        top: first row.
        bottom: row after the last.
        surface: what to write.
    """
    for i in range(top, bottom):
        tiles, start = surface.stale[i // TILE_ROWS], 0
        row = _row_of(level, i, surface)
        for j in range(tiles.size):
            if not tiles[j]:
                start = j + 1
            elif j + 1 == tiles.size or not tiles[j + 1]:
                stop = min((j + 1) * TILE_COLUMNS, surface.nx)
                first = min(start * TILE_COLUMNS, stop - width_of(width))
                if surface.past:
                    write_columns(width, PAST, row, first, stop, surface)
                else:
                    write_columns(width, KEPT, row, first, stop, surface)


@jit
def write_at_points(
    out: NDArray[np.uint16],
    heights: NDArray[np.float32],
    places: NDArray[np.int64],
    scales: NDArray[np.float32],
    bound: np.float32,
) -> None:
    """Write the slopes of single points.

    Args:
        out: half floats −∂h/∂x and −∂h/∂z, by their bits, shape (nz, nx, 2).
        heights: h [m], shape (nz, nx).
        places: of each point its row and column, the columns west and east whose heights to subtract, and the rows
            north and south, shape (6, m).
        scales: what to multiply both differences by [1/m], shape (2, m).
        bound: largest slope.
    """
    for k in range(places.shape[1]):
        i, j = places[0, k], places[1, k]
        along_x = (heights[i, places[2, k]] - heights[i, places[3, k]]) * scales[0, k]
        along_z = (heights[places[4, k], j] - heights[places[5, k], j]) * scales[1, k]
        out[i, j, 0] = half_bits(clipped(along_x, bound))
        out[i, j, 1] = half_bits(clipped(along_z, bound))
