"""The textures that follow the water: heights, sideways shift, slopes and foam of the newest frame."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import moderngl
import numpy as np
from numpy.typing import NDArray

from waterview.core.frame import DetailMap, Frame
from waterview.render.gl.gpu_frame import GpuFrame
from waterview.render.gl.shaders import Variants
from waterview.render.gl.targets import Resource, check_texture_size, field_texture, free, scaled

_LONGEST_GAP = 2.0


class Surface:
    """What meshes and shaders read of the water, brought up to date once for every new frame.

    Foam outlives the frame that it was found in: it is carried by the waves and fades with simulated time. So a picture
    of foam depends on the frames drawn before, unless time has jumped.

    Args:
        ctx: the OpenGL context.
        detail: texels along the longer side of `waves`.
        mipmaps: how those of `waves` are read, as moderngl numbers it.
        fine: fine ripples.

    Attributes:
        heights: above still water [m], R32F, one texel a grid point; where the water lies on the card, its own.
        slopes: −∂h/∂x and −∂h/∂z, RG16F, one texel a grid point.
        shift: how far points have moved sideways [m], RG32F; a single 0 where the frame has none.
        waves: slopes, the mean of their squares, and foam, RGBA16F, with mipmaps: what water is shaded with.
        waves_before: the same of the frame before.
        drift: how fast the waves carry what lies on the water along x and z [m/s], RG16F, as fine as `waves`.
        detail: fine waves that repeat: slopes and the mean of their squares, RGBA16F with mipmaps; a single 0 if none.
        uploads: how often frames were uploaded.
        elapsed: simulated time from the frame before to the last [s]; 0 where they do not follow each other.
    """

    waves: moderngl.Texture
    waves_before: moderngl.Texture
    drift: moderngl.Texture
    _drift_before: moderngl.Texture
    _framebuffer: moderngl.Framebuffer
    _framebuffer_before: moderngl.Framebuffer

    def __init__(
        self,
        ctx: moderngl.Context,
        detail: int,
        mipmaps: int = moderngl.LINEAR_MIPMAP_LINEAR,
        *,
        fine: bool = True,
    ) -> None:
        self._ctx, self._detail, self._mipmaps = ctx, detail, mipmaps
        self._taken: Frame | None = None
        self.uploads = 0
        self._finished = True
        self.elapsed = 0.0
        defines = {"FINE": int(fine), "DETAIL": 0}
        self._deriving = Variants(ctx, "waves", "screen", defines, ("SMOOTH", "POOL", "OWN"))
        self._allocate((1, 1))
        self.shift = field_texture(ctx, (1, 1), 2, "f4")
        self._foam = field_texture(ctx, (1, 1), 1, "f4")
        self.detail = field_texture(ctx, (1, 1), 4, "f2")

    def take(
        self, frame: Frame, bed: moderngl.Texture, foam_life: float, ripples: moderngl.Texture | None = None
    ) -> None:
        """Upload `frame` unless it is the one that is there; the view must have been written.

        Args:
            frame: what to upload.
            bed: its ground (`GroundMaps.bed`).
            foam_life: time in which foam fades to a third [s].
            ripples: noise for the breath of wind on a pool, if `waves` shall hold it.

        Raises:
            InputError: the grid is larger than the graphics card's textures.
        """
        last = self._taken
        # Two simulations may count alike: what they count tells them apart.
        if last is not None and frame.serial == last.serial and _source(frame) is _source(last):
            return
        size = frame.grid.shape[::-1]
        if self._memory[0].size != size:
            check_texture_size(self._ctx, size)
            # Nothing may be released while it is bound: the new framebuffers come first.
            old = self._fields()
            self._allocate(size)
            free(*old)
        if not (last is not None and last.at_rest and frame.at_rest and last.grid.shape == frame.grid.shape):
            self._take_surface(frame)  # at rest all heights are 0, and they are there already
        self.shift = self._upload(self.shift, frame.shift)
        self._foam = self._upload(self._foam, frame.foam)
        if frame.detail is not None and (last is None or frame.detail is not last.detail):
            self._take_detail(frame.detail)
        left = foam_left(last, frame, foam_life)
        self.elapsed = frame.time - last.time if last is not None and left > 0.0 else 0.0
        self._taken = frame
        self.uploads += 1
        self._derive_waves(bed, ripples, left, frame.foam is None)

    def _take_surface(self, frame: Frame) -> None:
        if isinstance(frame, GpuFrame):
            self.heights, self.slopes = frame.surface.heights, frame.surface.slopes
            return
        self.heights, self.slopes = self._memory
        self.heights.write(np.ascontiguousarray(frame.heights, np.float32))
        self.slopes.write(np.ascontiguousarray(frame.normals, np.float16))

    def _upload(self, texture: moderngl.Texture, values: NDArray[np.float32] | None) -> moderngl.Texture:
        """A texture with these values, shape (nz, nx) or (nz, nx, n), or with a single 0 for None."""
        if values is None:
            values = np.zeros((1, 1, texture.components), np.float32)
        size = (values.shape[1], values.shape[0])
        if texture.size != size:
            components = texture.components
            texture.release()
            texture = field_texture(self._ctx, size, components, "f4")
        texture.write(np.ascontiguousarray(values, np.float32))
        return texture

    def _take_detail(self, detail: DetailMap) -> None:
        slopes = detail.slopes.astype(np.float32)
        squares = np.square(slopes).sum(axis=-1, keepdims=True)
        values = np.concatenate((slopes, squares, np.zeros_like(squares)), axis=-1).astype(np.float16)
        size = (values.shape[1], values.shape[0])
        if self.detail.size != size:
            self.detail.release()
            self.detail = self._ctx.texture(size, 4, dtype="f2")
        self.detail.write(values)
        self.detail.build_mipmaps()
        self.detail.filter = moderngl.LINEAR_MIPMAP_LINEAR, moderngl.LINEAR

    def _derive_waves(self, bed: moderngl.Texture, ripples: moderngl.Texture | None, left: float, own: bool) -> None:
        self.waves, self.waves_before = self.waves_before, self.waves
        self.drift, self._drift_before = self._drift_before, self.drift
        self._framebuffer, self._framebuffer_before = self._framebuffer_before, self._framebuffer
        self._ctx.enable_only(moderngl.NOTHING)
        self._framebuffer.use()
        has = {"SMOOTH": self.waves.width > self.slopes.width, "POOL": ripples is not None, "OWN": own}
        now = {"heights": self.heights, "slopes": self.slopes, "foam": self._foam, "bed": bed, "noise": ripples or bed}
        earlier = {"before": self.waves_before, "drift_before": self._drift_before}
        flags = frozenset(flag for flag, there in has.items() if there)
        self._deriving.render(flags, now | earlier, left=left, elapsed=self.elapsed)
        self._finished = False

    def draw_foam(self, draw: Callable[[], None]) -> None:
        """Let `draw` add foam to `waves`, in alpha; its place is that of the grid's texels."""
        # moderngl's types know framebuffers with one texture only.
        foam_only: Any = ((False, False, False, True), (False,) * 4)
        everything: Any = ((True,) * 4, (True,) * 4)
        self._framebuffer.color_mask = foam_only
        self._framebuffer.use()
        draw()
        self._framebuffer.color_mask = everything
        self._finished = False

    def finish(self) -> None:
        """Bring the mipmaps of `waves` up to date, once all that changes it has been drawn."""
        if not self._finished:
            self.waves.build_mipmaps()
            self.waves.filter = self._mipmaps, moderngl.LINEAR
            self._finished = True

    def _allocate(self, size: tuple[int, int]) -> None:
        self._memory = field_texture(self._ctx, size, 1, "f4"), field_texture(self._ctx, size, 2, "f2")
        self.heights, self.slopes = self._memory
        detail = scaled(size, self._detail)
        self.waves, self.waves_before = (field_texture(self._ctx, detail, 4, "f2") for _ in range(2))
        self.drift, self._drift_before = (field_texture(self._ctx, detail, 2, "f2") for _ in range(2))
        pairs = (self.waves, self.drift), (self.waves_before, self._drift_before)
        self._framebuffer, self._framebuffer_before = (self._ctx.framebuffer(pair) for pair in pairs)

    def _fields(self) -> list[Resource]:
        textures = [*self._memory, self.waves, self.waves_before, self.drift, self._drift_before]
        return [self._framebuffer, self._framebuffer_before, *textures]

    def release(self) -> None:
        """Free everything."""
        free(*self._fields(), self.shift, self._foam, self.detail, self._deriving)


def _source(frame: Frame) -> object:
    """What holds a frame's heights: they need not be read back from the card to be told apart."""
    return frame.surface if isinstance(frame, GpuFrame) else frame.heights


def foam_left(last: Frame | None, frame: Frame, life: float) -> float:
    """Share of foam that outlives the time between two frames; none where the second does not follow the first.

    `life` is the time in which it fades to a third [s].
    """
    if last is None or last.bed is not frame.bed or last.grid != frame.grid:
        return 0.0
    elapsed = frame.time - last.time
    return math.exp(-elapsed / life) if 0.0 <= elapsed <= _LONGEST_GAP else 0.0
