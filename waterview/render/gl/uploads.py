"""Sends arrays to textures, on a graphics card through buffers, so that neither side waits for the other."""

from __future__ import annotations

import moderngl
import numpy as np
from numpy.typing import NDArray

from waterview.render.gl.shaders import is_software
from waterview.render.gl.targets import free

COUNT = 3
"""Buffers in the ring: one is filled while the card reads another, and one more for a card that is a picture behind."""

SMALLEST = 1 << 16
"""Bytes from which on an array goes through a buffer; drivers copy less at once."""


class Uploads:
    """A ring of buffers by which arrays go to textures.

    Each buffer gets new memory before it is filled, so nothing waits until the card has read what it held before.
    Software OpenGL reads the arrays themselves: a copy would only cost time.
    """

    def __init__(self, ctx: moderngl.Context) -> None:
        direct = is_software(ctx)
        self._ring = [] if direct else [ctx.buffer(reserve=4, dynamic=True) for _ in range(COUNT)]
        self._next = 0

    def write(self, texture: moderngl.Texture, values: NDArray[np.generic], place: tuple[slice, slice]) -> None:
        """Write contiguous `values`, of the texture's type and shape (rows, columns, …), at these rows and columns."""
        rows, columns = place
        viewport = columns.start, rows.start, columns.stop - columns.start, rows.stop - rows.start
        if not self._ring or values.nbytes < SMALLEST:
            texture.write(values, viewport=viewport)
            return
        buffer, self._next = self._ring[self._next], (self._next + 1) % COUNT
        buffer.orphan(values.nbytes)
        buffer.write(values)
        texture.write(buffer, viewport=viewport)

    def release(self) -> None:
        """Free the buffers."""
        free(*self._ring)
