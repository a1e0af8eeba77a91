"""The open sea beyond the block: periodic patches of waves, evaluated for each frame, small enough to cost little.

Where the model knows its sea (`Frame.sea`) these are its own waves, so that they run on across the block's sides. Else
they are waves of a fresh breeze, which the shaders make as steep as the block's water is (include/open_sea.glsl).
"""

from __future__ import annotations

import math
from functools import cache

import moderngl
import numpy as np
from numpy.typing import NDArray

from waterview.core.constants import GRAVITY
from waterview.core.frame import OpenSea, WavePatch
from waterview.render.noise import SEED
from waterview.render.render_pass import FrameContext, RenderPass, Setup
from waterview.render.view import PATCHES

POINTS = 128
"""Texels along a side of the texture of a patch."""

USUAL_SIZES = (0.62, 0.23)
"""Sides of the patches where the model knows nothing of its sea, in the block's longer side."""

_LONGEST, _SHORTEST = 4, 40  # waves along a side of such a patch
_LEAST_AREA = 0.1  # of a folded part of the surface, so that its slope stays finite

Floats = NDArray[np.float32]


@cache
def usual_sea(extent: float) -> OpenSea:
    """Patches of random waves for a block whose longer side is `extent` [m]: mean square of the slopes 1, no shift."""
    patches = tuple(_usual_patch(share * extent, number) for number, share in enumerate(USUAL_SIZES))
    return OpenSea(patches, choppiness=0.0, roughness=0.0, scale=1.0, wind=0.0, wind_speed=0.0)


def _usual_patch(size: float, number: int) -> WavePatch:
    random = np.random.default_rng([SEED, number])
    kz, kx = np.fft.fftfreq(POINTS, 1.0 / POINTS)[:, None], np.fft.rfftfreq(POINTS, 1.0 / POINTS)[None, :]
    count, angle = np.hypot(kx, kz), np.arctan2(kz, kx)
    along = np.abs(np.cos(0.5 * (angle - 0.7)))  # most run one way, some across
    inside = (count > _LONGEST) & (count < _SHORTEST)
    size_of_wave = np.where(inside, along**3 * np.maximum(count, 1.0) ** -2.5, 0.0)
    forward = size_of_wave * np.exp(2j * math.pi * random.random(count.shape))
    forward[:, 0] = 0.0
    unit = 2.0 * math.pi / size
    # Of h̃ = h₀ e^(−iωt).
    terms = np.stack((forward.real, forward.imag, forward.imag, -forward.real))
    energy = 2.0 * np.square(np.abs(forward)) * np.square(unit * count)
    terms *= math.sqrt(1.0 / (PATCHES * energy.sum()))
    frequency = np.sqrt(GRAVITY * unit * count)
    return WavePatch(terms.astype(np.float32), frequency, unit * kx[0], unit * kz[:, 0])


def surface_of(patch: WavePatch, choppiness: float, time: float) -> tuple[Floats, Floats]:
    """A patch at a time, in two layers of `POINTS` × `POINTS` texels: its shape, shape (POINTS, POINTS, 3) each.

    Returns:
        Height and shift along x and z [m]; −slopes along x and z of the moved surface, and their squares.
    """
    kz, kx = patch.kz[:, None].astype(np.float64), patch.kx[None, :].astype(np.float64)
    phase = np.remainder(patch.frequency * time, 2.0 * math.pi).astype(np.float32)
    cosine, sine = np.cos(phase), np.sin(phase)
    p, q, u, v = patch.terms
    wave = (p * cosine + q * sine) + 1j * (u * cosine + v * sine)
    k = np.maximum(np.hypot(kx, kz), 1e-30)
    along = 1j * choppiness / k
    factors = np.stack(np.broadcast_arrays(np.ones_like(k), 1j * kx, 1j * kz, along * kx, along * kz))
    # Patches of fewer or more waves are brought to POINTS texels by leaving the missing ones 0.
    whole = np.zeros((5, POINTS, POINTS // 2 + 1), np.complex64)
    half, columns = min(len(patch.kz), POINTS) // 2, min(len(patch.kx), POINTS // 2 + 1)
    spectra = (factors * wave).astype(np.complex64)
    whole[:, :half, :columns], whole[:, -half:, :columns] = spectra[:, :half, :columns], spectra[:, -half:, :columns]
    height, slope_x, slope_z, shift_x, shift_z = np.fft.irfft2(whole, (POINTS, POINTS), norm="forward")
    if choppiness > 0.0:
        steps = [POINTS / (2.0 * side) for side in patch.size]
        xx, zz, xz = (
            steps[axis] * (np.roll(field, -1, 1 - axis) - np.roll(field, 1, 1 - axis))
            for field, axis in ((shift_x, 0), (shift_z, 1), (shift_z, 0))
        )
        area = np.maximum((1.0 + xx) * (1.0 + zz) - xz * xz, _LEAST_AREA)
        slope_x, slope_z = (
            ((1.0 + zz) * slope_x - xz * slope_z) / area,
            ((1.0 + xx) * slope_z - xz * slope_x) / area,
        )
    shape = np.stack((height, shift_x, shift_z), axis=-1)
    slopes = np.stack((-slope_x, -slope_z, slope_x**2 + slope_z**2), axis=-1)
    return shape, slopes


class OpenSeaPass(RenderPass):
    """Holds the patches of the sea beyond the block as one texture: of each patch its shape, then its slopes."""

    name, writes = "open sea", ("sea",)

    def __init__(self, setup: Setup) -> None:
        super().__init__(setup)
        self._texture: moderngl.TextureArray = self._own(
            setup.ctx.texture_array((POINTS, POINTS, 2 * PATCHES), 3, dtype="f2")
        )
        self._texture.filter = moderngl.LINEAR_MIPMAP_LINEAR, moderngl.LINEAR
        self._known: tuple[int, float, float] | None = None
        self._sea: OpenSea | None = None  # kept, so that no other gets its id

    def update(self, context: FrameContext) -> None:
        """Evaluate the sea at the frame's time, if there is one around the block."""
        context.textures["sea"] = self._texture
        sea = context.view.sea
        gain, drawn = context.view.sea_gain, (id(sea), context.frame.time, context.view.sea_gain)
        if sea is None or "SEA" not in context.features or self._known == drawn:
            return
        self._known, self._sea = drawn, sea
        layers = np.zeros((2 * PATCHES, POINTS, POINTS, 3), np.float16)
        for number, patch in enumerate(sea.patches[:PATCHES]):
            shape, slopes = surface_of(patch, sea.choppiness, context.frame.time)
            layers[2 * number : 2 * number + 2] = gain * shape, gain * slopes * (1.0, 1.0, gain)
        self._texture.write(layers)
        self._texture.build_mipmaps()


def sea_of(known: OpenSea | None, extent: float) -> OpenSea:
    """The sea that is drawn around a block whose longer side is `extent` [m]: the model's own, or the usual one."""
    return known if known is not None and known.patches else usual_sea(extent)
