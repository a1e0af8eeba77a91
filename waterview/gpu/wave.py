"""The damped wave equation in fragment passes: three textures of heights that take turns."""

from __future__ import annotations

import moderngl
import numpy as np
from numpy.typing import NDArray

from waterview.core.commands import MAX_HEIGHT
from waterview.render.gl.shaders import Fill
from waterview.render.gl.targets import Target, check_texture_size, free
from waterview.waters.common.borders import Sides
from waterview.waters.common.published_surface import MAX_SLOPE
from waterview.waters.wave.step import Stencil

_MAX_SCALE = 1e30  # 0 heights on an absurdly fine grid must not give 0·∞

Window = tuple[slice, slice]

NEIGHBOURS = ((-1, -1), (-1, 0), (-1, 1), (0, -1), (0, 1), (1, -1), (1, 0), (1, 1))
"""Offsets (row, column) of the neighbours of bits 0 to 7."""

ALL, WATER = 255, 256

SUMS = ("cross", "square", "compact")
"""The sums over a point's neighbours (`Stencil.sum`) by their numbers in `wave_step.frag`."""

_CREST_BLOCKS = 32
"""Blocks along each side in which the highest point is looked for, at most."""


class GpuWave:
    """Heights at two times on the graphics card, and the passes that step them; at rest at first.

    Everything is to be called where `ctx` is current. Passes leave their framebuffer bound.

    Args:
        ctx: an OpenGL context of version 3.3 or later.
        shape: (nz, nx) of the grid.
        spacing: distance of neighbouring points [m].

    Raises:
        InputError: the grid is larger than the graphics card's textures.

    Attributes:
        crests: the highest point of each block of the grid [m], shape (rows, columns), as it was when `find_crests` was
            called the time before last: nothing waits for the card.
    """

    def __init__(self, ctx: moderngl.Context, shape: tuple[int, int], spacing: float) -> None:
        self._ctx, self._shape = ctx, shape
        size = shape[::-1]
        check_texture_size(ctx, size)
        self._levels = [Target(ctx, "1f4", size=size) for _ in range(3)]  # h, h⁻, and room for the next h
        self._slopes = Target(ctx, "2f2", size=size)
        self._crests = Target(ctx, "1f4", size=(min(size[0], _CREST_BLOCKS), min(size[1], _CREST_BLOCKS)))
        for target in (*self._levels, self._slopes, self._crests):
            target.framebuffer.clear()
        self.crests = np.zeros(self._crests.size[::-1], np.float32)
        self._on_their_way = [ctx.buffer(self.crests.tobytes()) for _ in range(2)]
        self._links = ctx.texture(size, 1, dtype="u2", alignment=1)
        self._links.filter = moderngl.NEAREST, moderngl.NEAREST
        names = "wave_step", "wave_slopes", "wave_add", "wave_crests"
        self._step, self._slope, self._add, self._find_crests = (Fill(ctx, name) for name in names)
        self._slope.set(scale=min(0.5 / spacing, _MAX_SCALE), steepest=MAX_SLOPE)

    @property
    def heights(self) -> moderngl.Texture:
        """The heights h now [m], R32F, a texel a point; another texture after a step."""
        return self._levels[0].colour

    @property
    def slopes(self) -> moderngl.Texture:
        """−∂h/∂x and −∂h/∂z as of `draw_slopes`, RG16F, a texel a point."""
        return self._slopes.colour

    # --- between memory and graphics card

    def write(self, heights: NDArray[np.float32], before: NDArray[np.float32]) -> None:
        """Let these be h and h⁻ [m], shape (nz, nx)."""
        for level, values in zip(self._levels, (heights, before), strict=False):
            level.colour.write(np.ascontiguousarray(values, np.float32))

    def read(self) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
        """H and h⁻ [m], shape (nz, nx); waits for the card."""
        now, before = (
            np.frombuffer(level.colour.read(), np.float32).reshape(self._shape) for level in self._levels[:2]
        )
        return now, before

    def read_heights(self) -> NDArray[np.float32]:
        """H [m], shape (nz, nx), read-only; waits for the card."""
        return np.frombuffer(self.heights.read(), np.float32).reshape(self._shape)

    def read_slopes(self) -> NDArray[np.float16]:
        """The slopes, shape (nz, nx, 2), read-only; waits for the card."""
        return np.frombuffer(self.slopes.read(), np.float16).reshape(*self._shape, 2)

    def set_links(self, links: NDArray[np.uint16]) -> None:
        """Which neighbours act on each point, shape (nz, nx); see `links_of`."""
        self._links.write(links)

    # --- the passes

    def step(self, steps: int, sides: Sides, *, stencil: Stencil, damping: float, courant: float) -> None:
        """Take `steps` steps h⁺ = h + (1 − damping)(h − h⁻) + λ²·L(h), with the bits of `waters.wave.step.advance`.

        Args:
            steps: 0 or more.
            sides: what lies in the north, east, south and west; kinds that the graphics card can step beside.
            stencil: the discrete Laplacian L.
            damping: k·Δt, the damping of a step.
            courant: λ = c·Δt/Δx.
        """
        self._ctx.enable_only(moderngl.NOTHING)
        weights, wraps = tuple(kind.weight for kind in sides.kinds), sides.wraps[::-1]
        gain = stencil.gain * courant * courant
        self._step.set(
            ghost_weight=weights, wraps=wraps, stencil=SUMS.index(stencil.sum), keep=1.0 - damping, gain=gain
        )
        for _ in range(steps):
            now, before, room = self._levels
            room.framebuffer.use()
            self._step.draw({"heights": now.colour, "before": before.colour, "links": self._links})
            self._levels = [room, now, before]

    def draw_slopes(self) -> None:
        """Bring `slopes` up to the heights."""
        self._ctx.enable_only(moderngl.NOTHING)
        self._slopes.framebuffer.use()
        self._slope.draw({"heights": self.heights, "links": self._links})

    def find_crests(self) -> None:
        """Let the card find the highest point of each block, and fetch what it found the time before last."""
        self._ctx.enable_only(moderngl.NOTHING)
        self._crests.framebuffer.use()
        self._find_crests.draw({"heights": self.heights}, blocks=self._crests.size)
        buffer, later = self._on_their_way
        self.crests = np.frombuffer(buffer.read(), np.float32).reshape(self.crests.shape)
        self._crests.colour.read_into(buffer)
        self._on_their_way = [later, buffer]

    def add(self, window: Window, added: NDArray[np.floating]) -> None:
        """Raise h and h⁻ in the rows and columns of `window` by `added` [m]: the water there starts from rest.

        Heights stay within ±`MAX_HEIGHT`.
        """
        z, x = (each.indices(n)[0] for each, n in zip(window, self._shape, strict=True))
        rows, columns = added.shape
        rounded = added.astype(np.float32)
        parts = np.stack((rounded, (added - rounded).astype(np.float32)), axis=-1)
        texture = self._ctx.texture((columns, rows), 2, parts.tobytes(), dtype="f4")
        self._ctx.enable_only(moderngl.NOTHING)
        room = self._levels[2]
        for level in self._levels[:2]:
            for source, target, share in ((level, room, 1.0), (room, level, 0.0)):
                picture = target.framebuffer
                picture.use()
                picture.viewport = x, z, columns, rows
                textures = {"level": source.colour, "added": texture}
                self._add.draw(textures, first=(x, z), share=share, highest=MAX_HEIGHT)
                picture.viewport = 0, 0, *picture.size
        texture.release()

    def set_height(self, ix: int, iz: int, height: float) -> None:
        """Let h and h⁻ be `height` [m] at a point."""
        value = np.float32(height).tobytes()
        for level in self._levels[:2]:
            level.colour.write(value, viewport=(ix, iz, 1, 1))

    def release(self) -> None:
        """Free everything on the graphics card."""
        free(*self._levels, self._slopes, self._crests, *self._on_their_way, self._links)
        free(self._step, self._slope, self._add, self._find_crests)


def links_of(fixed: NDArray[np.bool_], walls: bool, wraps: tuple[bool, bool]) -> NDArray[np.uint16]:
    """Bits that the card reads, shape (nz, nx): 0–7 for neighbours that act on a point, 8 for water; land has none.

    Args:
        fixed: land, shape (nz, nx); outside the grid it goes on as at the edge.
        walls: whether land throws waves back: it does not act then. Else it acts with its height of 0.
        wraps: whether the grid's rows, and its columns, go on at the opposite end.
    """
    if not walls:
        return np.where(fixed, 0, ALL | WATER).astype(np.uint16)
    around = fixed
    for axis, wrap in enumerate(wraps):
        width = [(1, 1) if axis == each else (0, 0) for each in (0, 1)]
        around = np.pad(around, width, mode="wrap" if wrap else "edge")
    nz, nx = fixed.shape
    bits = np.full(fixed.shape, WATER, np.uint16)
    for k, (dz, dx) in enumerate(NEIGHBOURS):
        bits |= np.left_shift(~around[1 + dz : 1 + dz + nz, 1 + dx : 1 + dx + nx], k, dtype=np.uint16)
    return np.where(fixed, 0, bits).astype(np.uint16)
