"""A tile of noise that shaders make rock, soil and ripples from."""

from __future__ import annotations

import moderngl
import numpy as np
from numpy.typing import NDArray

SIZE = 256
_SEED = 7


def noise_tile(size: int = SIZE) -> NDArray[np.float32]:
    """Seamless fractal noise, the same on every run.

    Returns:
        Shape (size, size, 4): a field of mean 0 and deviation ½, its derivatives along columns and rows per tile,
        and a second field like the first. The power of the waves falls with the cube of their frequency.
    """
    random = np.random.default_rng(_SEED)
    ky = np.fft.fftfreq(size, 1.0 / size)[:, None]
    kx = np.fft.rfftfreq(size, 1.0 / size)[None, :]
    k = np.hypot(kx, ky)
    # Nothing broader than a quarter of the tile: such shapes would give its repetition away.
    amplitude = np.where((k > 3.5) & (k < size / 4), np.maximum(k, 1.0) ** -1.4, 0.0)

    def field() -> NDArray[np.complex128]:
        phases = np.exp(2j * np.pi * random.random(k.shape))
        spectrum = amplitude * phases
        spread = np.fft.irfft2(spectrum, (size, size)).std()
        return np.asarray(spectrum * (0.5 / spread))

    first, second = field(), field()
    layers = (first, 2j * np.pi * kx * first, 2j * np.pi * ky * first, second)
    return np.stack([np.fft.irfft2(layer, (size, size)) for layer in layers], axis=-1).astype(np.float32)


def noise_texture(ctx: moderngl.Context) -> moderngl.Texture:
    """The tile as a repeating half-float texture with mipmaps."""
    texture = ctx.texture((SIZE, SIZE), 4, noise_tile().astype(np.float16).tobytes(), dtype="f2")
    texture.build_mipmaps()
    texture.filter = moderngl.LINEAR_MIPMAP_LINEAR, moderngl.LINEAR
    return texture
