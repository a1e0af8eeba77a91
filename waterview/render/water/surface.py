"""The textures of the water's surface: heights, sideways shift, slopes and foam of the newest frame."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from typing import Any

import moderngl
import numpy as np
from numpy.typing import NDArray

from waterview.core.frame import Changes, DetailMap, Frame
from waterview.render.gl.gpu_frame import GpuFrame
from waterview.render.gl.shaders import AnyTexture, Variants
from waterview.render.gl.targets import Target, check_texture_size, scaled
from waterview.render.gl.uploads import Uploads
from waterview.render.render_pass import FrameContext, RenderPass, Setup

from .foam import foam_left

DRYING = 40.0
"""Time in which ground that water has left dries to a third [s]."""

_MERGE, _RISE = 2.0, 30.0
"""Times in which a wake's foam that just covers the water is halved, and fades to a third [lives of other foam].

It lies on water full of fine bubbles, which rise for as long as a minute and renew it, and thins with the square of its
density, as bubbles meet and merge: what is dense soon becomes a lace, and that a long trail.
"""

_BEFORE = "before", "drift_before", "wet_and_wake_before"
_MOST = 0.75
"""Share of the tiles from which on everything is uploaded: it needs no copies."""


class SurfacePass(RenderPass):
    """Brings the textures of the surface up to date, once for every new frame.

    Foam outlives the frame that it was born in: waves carry it, and it fades with simulated time. So a picture of foam
    depends on the frames drawn before, unless time has jumped.

    Attributes:
        heights: above still water [m], R32F, one texel per grid point; those of a `GpuFrame` are its own.
        slopes: −∂h/∂x and −∂h/∂z, RG16F, one texel per grid point.
        uploads: how many frames were uploaded.
        drawn: how many times the map of waves was drawn: once for each frame, and once more if its ripples change.
        elapsed: simulated time from the last frame but one to the last [s]; 0 if they do not follow each other.
    """

    name, shaders = "surface", ("waves",)
    reads = ("bed", "ripple_tile")
    writes = ("heights", "shift", "waves", "waves_before", "drift", "wet_ground", "detail", "swell")

    def __init__(self, setup: Setup) -> None:
        super().__init__(setup)
        self._last: Frame | None = None
        self._ripples = 1.0  # strength with which the map of waves was drawn
        self._held: Changes | None = None  # what is in the textures, if it is known
        self.uploads = self.drawn = 0
        self._has_mipmaps = True
        self.elapsed = 0.0
        defines = {"FINE": int(setup.tier.fine), "DETAIL": 0}
        shader = Variants(setup.ctx, "waves", "screen", defines, ("SMOOTH", "POOL", "FIND_FOAM", "HULLS"))
        self._waves_shader = self._own(shader)
        self._uploads = self._own(Uploads(setup.ctx))
        formats = ("1f4",), ("2f2",), ("2f2",), ("1f1",), ("4f2",), ("4f4",)
        made = (self._own(Target(setup.ctx, *each)) for each in formats)
        self._heights, self._slopes, self._shift, self._foam, self._detail, self._swell = made
        # The map of waves, the velocity at which the surface carries foam [m/s], wet ground and foam of wakes.
        self._now, self._before = (self._own(Target(setup.ctx, "4f2", "2f2", "2f4")) for _ in range(2))
        self.heights, self.slopes = self._heights.colour, self._slopes.colour

    @property
    def waves(self) -> moderngl.Texture:
        """Slopes, the mean of their squares, and foam, RGBA16F, with mipmaps."""
        return self._now.colour

    @property
    def shift(self) -> moderngl.Texture:
        """Sideways displacement of the points [m], RG16F or RG32F as the frame's; a single 0 if it has none."""
        return self._shift.colour

    def update(self, context: FrameContext) -> None:
        """Upload the frame unless it is there already.

        Raises:
            InputError: the grid is larger than the graphics card's textures.
        """
        # Only a calm pool has its ripples in the map of waves (include/ripples.glsl).
        rippled = "POOL" in context.features and "DETAIL" not in context.features
        inputs = self.inputs(context)
        tile, strength = (inputs["ripple_tile"], context.settings.ripples) if rippled else (None, 1.0)
        self.upload(context.frame, inputs["bed"], context.view.light.drawn_foam_life, tile, strength)
        maps = {"waves": self.waves, "waves_before": self._before.colour, "detail": self._detail.colour}
        maps.update(swell=self._swell.colour, drift=self._now.colours[1], wet_ground=self._now.colours[2])
        context.textures.update(heights=self.heights, shift=self.shift, **maps)

    def draw(self, context: FrameContext) -> None:
        """Bring the mipmaps of `waves` up to date, now that spray has landed."""
        if not self._has_mipmaps:
            self.waves.build_mipmaps()
            self.waves.filter = self._tier.mipmaps, moderngl.LINEAR
            self._has_mipmaps = True

    def upload(
        self,
        frame: Frame,
        bed: AnyTexture,
        foam_life: float,
        ripple_tile: AnyTexture | None = None,
        ripples: float = 1.0,
    ) -> None:
        """Upload `frame` unless it is there already, and draw the map of waves; the view must have been written.

        Args:
            frame: what to upload.
            bed: its ground (see `GroundMapsPass`).
            foam_life: time in which foam that the renderer makes fades to a third [s].
            ripple_tile: what the ripples of a pool are made of, if `waves` should contain them.
            ripples: how strong these are; 1 is the usual strength.

        Raises:
            InputError: the grid is larger than the graphics card's textures.
        """
        last = self._last
        # Two simulations may use the same serial numbers; their heights tell them apart.
        if last is not None and frame.serial == last.serial and _heights_of(frame) is _heights_of(last):
            if ripples != self._ripples:  # no time has passed: foam stays as it is
                self._draw_waves(frame, bed, ripple_tile, ripples, 1.0, 0.0)
            return
        size = frame.grid.shape[::-1]
        if self._heights.size != size:
            check_texture_size(self._ctx, size)
            self._held = None
            for target in (self._heights, self._slopes):
                target.resize(size)
        if not (last is not None and last.at_rest and frame.at_rest and last.grid.shape == frame.grid.shape):
            self._upload_surface(frame)  # at rest all heights are 0, and they are there already
        self._fill(self._shift, frame.shift)
        self._fill(self._foam, frame.foam)
        self._fill(self._swell, None if frame.incoming is None else frame.incoming[None])
        if frame.detail is not None and (last is None or frame.detail is not last.detail):
            self._upload_detail(frame.detail)
        left = foam_left(last, frame, foam_life)
        waves = scaled(size, self._texels(size, pool=ripple_tile is not None))
        if self._now.size != waves:
            left = 0.0
            for target in (self._now, self._before):
                target.resize(waves)
        self.elapsed = frame.time - last.time if last is not None and left > 0.0 else 0.0
        self._last = frame
        self.uploads += 1
        self._draw_waves(frame, bed, ripple_tile, ripples, left, self.elapsed)

    def draw_foam(self, draw: Callable[[], None], *, drifts: bool = False) -> None:
        """Let `draw` add foam to the alpha of `waves`, in the coordinates of `field_uv` (include/view.glsl).

        With `drifts` its second output goes to the velocity at which the surface carries foam [m/s], a third to wakes.
        """
        # moderngl's types know framebuffers with one texture only.
        foam_only: Any = ((False, False, False, True), (drifts, drifts, False, False), (False, drifts, False, False))
        everything: Any = ((True,) * 4,) * 3
        self._now.framebuffer.color_mask = foam_only
        self._now.framebuffer.use()
        draw()
        self._now.framebuffer.color_mask = everything
        self._has_mipmaps = False

    def _texels(self, size: tuple[int, int], *, pool: bool) -> int:
        """Texels along the longer side of the map of waves over a grid of `size`."""
        tier = self._tier
        # A grid with more points keeps all of its waves.
        return max(tier.pool_waves, min(max(size), tier.waves)) if pool else tier.waves

    def _upload_surface(self, frame: Frame) -> None:
        if isinstance(frame, GpuFrame):
            self.heights, self.slopes = frame.surface.heights, frame.surface.slopes
            return
        self.heights, self.slopes = self._heights.colour, self._slopes.colour
        # Heights may have been replaced in a copy of the frame.
        changes = frame.changes if frame.changes is not None and frame.changes.heights is frame.heights else None
        for place in _rectangles(changes, self._held, frame.grid.shape):
            self._uploads.write(self.heights, np.ascontiguousarray(frame.heights[place], np.float32), place)
            self._uploads.write(self.slopes, np.ascontiguousarray(frame.normals[place], np.float16), place)
        self._held = changes

    def _fill(self, target: Target, values: NDArray[np.generic] | None) -> None:
        """Fill a target with values, shape (nz, nx) or (nz, nx, n), in their own type; None is a single 0."""
        if values is None:
            target.resize((1, 1))
            target.framebuffer.clear()
            return
        nz, nx = values.shape[:2]
        target.resize((nx, nz), f"{target.colour.components}f{values.itemsize}")
        self._uploads.write(target.colour, np.ascontiguousarray(values), (slice(0, nz), slice(0, nx)))

    def _upload_detail(self, detail: DetailMap) -> None:
        slopes = detail.slopes.astype(np.float32)
        squares = np.square(slopes).sum(axis=-1, keepdims=True)
        values = np.concatenate((slopes, squares, np.zeros_like(squares)), axis=-1).astype(np.float16)
        self._detail.resize((values.shape[1], values.shape[0]))
        detail_map = self._detail.colour
        detail_map.write(values)
        detail_map.build_mipmaps()
        detail_map.filter = moderngl.LINEAR_MIPMAP_LINEAR, moderngl.LINEAR
        detail_map.repeat_x = detail_map.repeat_y = True

    def _draw_waves(
        self, frame: Frame, bed: AnyTexture, ripple_tile: AnyTexture | None, ripples: float, left: float, elapsed: float
    ) -> None:
        self._ripples = ripples
        self.drawn += 1
        self._now, self._before = self._before, self._now
        self._before.colours[1].filter = moderngl.NEAREST, moderngl.NEAREST
        self._now.colours[1].filter = moderngl.LINEAR, moderngl.LINEAR
        self._ctx.enable_only(moderngl.NOTHING)
        self._now.framebuffer.use()
        has = {"SMOOTH": self.waves.width > self.slopes.width, "POOL": ripple_tile is not None}
        has["FIND_FOAM"] = frame.foam is None
        has["HULLS"] = self._last is not None and bool(self._last.bodies)  # a wake goes with the last body
        foam, earlier = self._foam.colour, dict(zip(_BEFORE, self._before.colours, strict=True))
        now = {"heights": self.heights, "slopes": self.slopes, "foam": foam, "bed": bed}
        if ripple_tile is not None:
            now["ripple_tile"] = ripple_tile
        flags = frozenset(flag for flag, there in has.items() if there)
        passed = {"left": left, "elapsed": elapsed, "dried": math.exp(-elapsed / DRYING)}
        lives = -math.log(left) if left > 0.0 else 0.0
        passed.update(merged=lives / _MERGE, renewed=math.exp(-lives / _RISE))
        self._waves_shader.render(flags, now | earlier, ripple_strength=ripples, **passed)
        self._has_mipmaps = False


def _rectangles(changes: Changes | None, held: Changes | None, shape: tuple[int, int]) -> Iterator[tuple[slice, slice]]:
    """Rows and columns in which a surface of `shape` (nz, nx) may differ from the one that is held."""
    stale = changes.since(held) if changes is not None else None
    if changes is None or stale is None or stale.mean() > _MOST:
        yield slice(0, shape[0]), slice(0, shape[1])
        return
    height, width = changes.tile
    for row in np.flatnonzero(stale.any(axis=1)):
        ends = np.flatnonzero(np.diff(stale[row].astype(np.int8), prepend=0, append=0)) * width
        for start, stop in ends.reshape(-1, 2):
            yield slice(height * row, min(height * (row + 1), shape[0])), slice(start, min(stop, shape[1]))


def _heights_of(frame: Frame) -> object:
    """What holds a frame's heights; to tell frames apart, nothing need be read back from the GPU."""
    return frame.surface if isinstance(frame, GpuFrame) else frame.heights
