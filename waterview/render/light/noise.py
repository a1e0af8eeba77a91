"""A tile of noise that shaders make rock, soil and ripples from."""

from __future__ import annotations

from functools import cache

import moderngl
import numpy as np
from numpy.typing import NDArray

SIZE = 256
_SEED = 7
_BUBBLES = 420


@cache
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


@cache
def lace_tile() -> NDArray[np.float32]:
    """A seamless lace of bubbles, the same on every run: how dense foam must be to cover each place.

    Bubbles are the cells around scattered points; foam first fills the borders between them (Worley 1996), larger
    patches of some bubbles go before others. Values are spread evenly over 0-1, so that foam of density d covers d.

    Returns:
        Shape (SIZE, SIZE).
    """
    random = np.random.default_rng(_SEED + 1)
    share = (np.arange(SIZE) + 0.5) / SIZE
    nearest, second = np.full((2, SIZE, SIZE), np.inf)
    for x, z in random.random((_BUBBLES, 2)):
        across, along = (np.abs(share - middle) for middle in (x, z))
        # The tile repeats, so that nothing is farther away than half of it.
        across, along = np.minimum(across, 1.0 - across), np.minimum(along, 1.0 - along)
        distance = np.square(across)[None, :] + np.square(along)[:, None]
        second = np.minimum(second, np.maximum(nearest, distance))
        nearest = np.minimum(nearest, distance)
    roots = np.sqrt(nearest), np.sqrt(second)
    border = roots[1] - roots[0]
    patches = noise_tile()[..., 0]
    order = (border / border.std() + 1.1 * patches / patches.std()).ravel().argsort().argsort()
    return np.asarray(order.reshape(SIZE, SIZE) / (SIZE * SIZE - 1.0), np.float32)


def lace_texture(ctx: moderngl.Context) -> moderngl.Texture:
    """The lace as a repeating half-float texture with mipmaps."""
    texture = ctx.texture((SIZE, SIZE), 1, lace_tile().astype(np.float16).tobytes(), dtype="f2")
    texture.build_mipmaps()
    texture.filter = moderngl.LINEAR_MIPMAP_LINEAR, moderngl.LINEAR
    return texture
