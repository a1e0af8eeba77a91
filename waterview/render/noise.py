"""A seamless tile of noise, from which shaders make rock, soil and ripples."""

from __future__ import annotations

from functools import cache

import moderngl
import numpy as np
from numpy.typing import NDArray

from waterview.render.render_pass import FrameContext, RenderPass, Setup

SIZE = 256
"""Texels along a side of a tile."""
SEED = 7


@cache
def noise_tile(size: int = SIZE) -> NDArray[np.float32]:
    """Seamless fractal noise, the same on every run.

    Returns:
        Shape (size, size, 4): a field of mean 0 and deviation ½, its derivatives along columns and rows per tile,
        and a second field like the first. The power of the waves falls with the cube of their frequency.
    """
    random = np.random.default_rng(SEED)
    ky = np.fft.fftfreq(size, 1.0 / size)[:, None]
    kx = np.fft.rfftfreq(size, 1.0 / size)[None, :]
    k = np.hypot(kx, ky)
    # Features broader than a quarter of the tile would make its repetition visible.
    amplitude = np.where((k > 3.5) & (k < size / 4), np.maximum(k, 1.0) ** -1.4, 0.0)

    def field() -> NDArray[np.complex128]:
        phases = np.exp(2j * np.pi * random.random(k.shape))
        spectrum = amplitude * phases
        spread = np.fft.irfft2(spectrum, (size, size)).std()
        return np.asarray(spectrum * (0.5 / spread))

    first, second = field(), field()
    layers = (first, 2j * np.pi * kx * first, 2j * np.pi * ky * first, second)
    return np.stack([np.fft.irfft2(layer, (size, size)) for layer in layers], axis=-1).astype(np.float32)


class TilePass(RenderPass):
    """Holds a seamless tile as a repeating half-float texture with mipmaps, under the name that it writes."""

    def __init__(self, setup: Setup, tile: NDArray[np.float32]) -> None:
        super().__init__(setup)
        data = tile.astype(np.float16).tobytes()
        self._texture = self._own(setup.ctx.texture(tile.shape[:2], tile.shape[2], data, dtype="f2"))
        self._texture.build_mipmaps()
        self._texture.filter = setup.tier.mipmaps, moderngl.LINEAR

    def update(self, context: FrameContext) -> None:
        """Let later passes read the tile."""
        context.textures[self.writes[0]] = self._texture


class NoisePass(TilePass):
    """Holds the tile of noise."""

    name, writes = "noise", ("noise",)

    def __init__(self, setup: Setup) -> None:
        super().__init__(setup, noise_tile())
