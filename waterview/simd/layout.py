"""The memory layout that kernels work on: heights with room around them, so that no cell needs a special case.

A field of nz × nx points lies in the middle of a larger buffer: one halo row above and one below it, at least 16
floats left and right of it, rows that start on a cache line. A step reads the neighbours outside the grid from the halo
like any others, and a vector may begin and end outside the grid without touching another row's points.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

# Compiled code holds these as constants.
PAD = 16
"""Floats between the start of a row and its first point; one vector of 64 bytes."""

LINE = 64
"""Length of a cache line, and the alignment of every row [bytes]."""


def aligned_zeros(rows: int, columns: int) -> NDArray[np.float32]:
    """Zeros of shape (rows, columns), C-contiguous, the first on a 64-byte boundary."""
    size = rows * columns * np.dtype(np.float32).itemsize
    memory = np.zeros(size + LINE, np.uint8)
    start = -memory.ctypes.data % LINE
    return memory[start : start + size].view(np.float32).reshape(rows, columns)


def row_stride(nx: int) -> int:
    """Floats from one row of a buffer to the next, for nx points a row: whole cache lines, never a power of two.

    The 64 floats beyond the points keep rows from falling onto the same few places of the cache, which a stride of
    4,096 bytes would do.
    """
    return -(-nx // PAD) * PAD + 64


def padded(shape: tuple[int, int]) -> NDArray[np.float32]:
    """A buffer of zeros for a field of `shape` (nz, nx); its own shape is (nz + 2, row_stride(nx))."""
    nz, nx = shape
    return aligned_zeros(nz + 2, row_stride(nx))


def interior(buffer: NDArray[np.float32], shape: tuple[int, int]) -> NDArray[np.float32]:
    """The field of `shape` (nz, nx) inside `buffer`: a view."""
    nz, nx = shape
    return buffer[1 : nz + 1, PAD : PAD + nx]


def address(array: NDArray[Any]) -> int:
    """Where the first element of `array` lies in memory."""
    return int(array.__array_interface__["data"][0])  # half the time that array.ctypes takes


class TwoLevels:
    """A field at two times, h and h⁻, with what a kernel needs to step it; starts at zero.

    Args:
        shape: (nz, nx) of the field.

    Attributes:
        shape: as given.
        now, before: the buffers of h and h⁻, made by `padded`. Their halo may hold anything between steps.
        steps: how many `wave.advance` has taken.
        addresses: of the first points of h and of h⁻.
    """

    def __init__(self, shape: tuple[int, int]) -> None:
        self.shape = shape
        self.now = padded(shape)
        self.before = padded(shape)
        self.steps = 0
        self.addresses = address(self.now[1, PAD:]), address(self.before[1, PAD:])
        self._views = interior(self.now, shape), interior(self.before, shape)
        self._shown = self._views[0].view(), self._views[1].view()
        for shown in self._shown:
            shown.setflags(write=False)

    @property
    def levels(self) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
        """`heights` and `heights_before`."""
        return self._views

    @property
    def heights(self) -> NDArray[np.float32]:
        """The heights h [m], shape (nz, nx); a view, which an odd number of steps turns into one of h⁻.

        There are but two such views, which take turns: who asks again and again may know them again.
        """
        return self._views[0]

    @property
    def heights_before(self) -> NDArray[np.float32]:
        """The heights h⁻ a step earlier [m], shape (nz, nx); the other view."""
        return self._views[1]

    @property
    def shown(self) -> NDArray[np.float32]:
        """As `heights`, read-only."""
        return self._shown[0]

    def swap(self) -> None:
        """Let h and h⁻ change places."""
        self.now, self.before = self.before, self.now
        self.addresses = self.addresses[::-1]
        self._views, self._shown = self._views[::-1], self._shown[::-1]
