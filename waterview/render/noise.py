"""A seamless tile of noise, from which shaders make rock, soil and ripples."""

from __future__ import annotations

from functools import cache

import moderngl
import numpy as np
from numpy.typing import NDArray

from waterview.render.render_pass import FrameContext, RenderPass, Setup, Textures

SIZE = 256
"""Texels along a side of a tile."""
RIPPLES = 64
"""Texels along a side of the tile of ripples."""
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


def ripple_tile() -> NDArray[np.float32]:
    """Broad features of the noise, of which shaders make the ripples of a pool, the same on every run.

    Returns:
        Its derivatives along columns and rows per tile, shape (RIPPLES, RIPPLES, 2).
    """
    square = SIZE // RIPPLES
    slopes = noise_tile()[..., 1:3]
    return np.asarray(slopes.reshape(RIPPLES, square, RIPPLES, square, 2).mean(axis=(1, 3)), np.float32)


class TilePass(RenderPass):
    """Holds seamless tiles as repeating half-float textures with mipmaps, under the names that it writes."""

    def __init__(self, setup: Setup, *tiles: NDArray[np.float32]) -> None:
        super().__init__(setup)
        self._textures: Textures = {}
        for name, tile in zip(self.writes, tiles, strict=True):
            texture = setup.ctx.texture(tile.shape[:2], tile.shape[2], tile.astype(np.float16).tobytes(), dtype="f2")
            texture.build_mipmaps()
            texture.filter = setup.tier.mipmaps, moderngl.LINEAR
            self._textures[name] = self._own(texture)

    def update(self, context: FrameContext) -> None:
        """Let later passes read the tiles."""
        context.textures.update(self._textures)


class NoisePass(TilePass):
    """Holds the tile of noise and that of ripples.

    The latter is two channels of a mipmap level of the former: software OpenGL would look up all four.
    """

    name, writes = "noise", ("noise", "ripple_tile")

    def __init__(self, setup: Setup) -> None:
        super().__init__(setup, noise_tile(), ripple_tile())
