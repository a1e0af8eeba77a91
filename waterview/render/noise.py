"""Seamless tiles of noise, from which shaders make rock and soil, and of short waves, from which they make ripples."""

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
CHOPPINESS = 0.3
"""By how much short waves' points move towards crests: the steepness of waves whose shape this is."""


def _wave_numbers(size: int) -> tuple[NDArray[np.float64], NDArray[np.float64], NDArray[np.float64]]:
    """Waves along columns and rows, and their root sum square but at least 1, as `irfft2` takes them."""
    kx, ky = np.fft.rfftfreq(size, 1.0 / size)[None, :], np.fft.fftfreq(size, 1.0 / size)[:, None]
    return np.asarray(kx), np.asarray(ky), np.asarray(np.maximum(np.hypot(kx, ky), 1.0))


@cache
def noise_tile(size: int = SIZE) -> NDArray[np.float32]:
    """Seamless fractal noise, the same on every run.

    Returns:
        Shape (size, size, 4): a field of mean 0 and deviation ½, its derivatives along columns and rows per tile,
        and a second field like the first. The power of the waves falls with the cube of their frequency.
    """
    random = np.random.default_rng(SEED)
    kx, ky, k = _wave_numbers(size)
    # Features broader than a quarter of the tile would make its repetition visible.
    amplitude = np.where((k > 3.5) & (k < size / 4), k**-1.4, 0.0)

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


@cache
def train_tile() -> NDArray[np.float32]:
    """Seamless short waves that run along x, of which shaders make ripples outdoors, the same on every run.

    Directions spread about the wind's, the more the shorter waves are, as at sea, so crests lie across it. The power
    of each wave falls with its wave number to the power 4.2. At sea it is the fourth, which makes all octaves as steep,
    but here tiles whose bands overlap lie over each other. Points move towards crests, which are narrower than troughs.

    Returns:
        Shape (SIZE, SIZE, 4): slopes of the normal along columns and rows, the sum of their squares, whose mean is 1,
        and a field of mean 0: height plus the noise's second field, each of deviation ½.
    """
    fine = 2 * SIZE  # points move by half texels
    kx, ky, k = _wave_numbers(fine)
    # Fewer than five waves in the tile would make its repetition visible.
    amplitude = np.where((k > 5.0) & (k < SIZE / 4), (kx / k) ** (1.2 * (5.0 / k) ** (1 / 3)) * k**-2.1, 0.0)
    waves = amplitude * np.exp(2j * np.pi * np.random.default_rng(SEED + 1).random(k.shape))
    height, *shift = (np.fft.irfft2(layer, (fine, fine)) for layer in (waves, 1j * kx / k * waves, 1j * ky / k * waves))
    steepness = 2.0 * np.pi / fine * np.sqrt(sum(np.fft.irfft2(each * waves).var() for each in (1j * kx, 1j * ky)))
    still = np.meshgrid(*2 * (np.arange(0, fine, 2),))
    came = list(still)  # whence each point's water has moved there: found by going back from it again and again
    for _ in range(8):
        moved = (CHOPPINESS / steepness * each[came[1] % fine, came[0] % fine] for each in shift)
        came = [place - np.rint(by).astype(int) for place, by in zip(still, moved, strict=True)]
    kx, ky, k = _wave_numbers(SIZE)
    waves = np.where((k > 5.0) & (k < SIZE / 4), np.fft.rfft2(height[came[1] % fine, came[0] % fine]), 0.0)
    height, *slopes = (np.fft.irfft2(layer) for layer in (waves, -1j * kx * waves, -1j * ky * waves))
    square = slopes[0] ** 2 + slopes[1] ** 2
    steep, square = slopes / np.sqrt(square.mean()), square / square.mean()
    return np.stack((*steep, square, 0.5 * height / height.std() + noise_tile()[..., 3]), axis=-1).astype(np.float32)


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
    """Holds the tiles of noise, of a pool's ripples and of short waves.

    The second is two channels of a mipmap level of the first: software OpenGL would look up all four.
    """

    name, writes = "noise", ("noise", "ripple_tile", "trains")

    def __init__(self, setup: Setup) -> None:
        super().__init__(setup, noise_tile(), ripple_tile(), train_tile())
