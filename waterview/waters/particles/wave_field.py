"""The surface of wave particles: for every radius a grid of amplitudes, filtered along both axes.

With v = offset/r a particle of amplitude a adds to the field (Yuksel et al. 2007, §§3 and 5)

    height  a·f(v_x)·f(v_z)                  f(v) = ½(cos πv + 1),  s(v) = −½ sin πv,  both 0 where |v| ≥ 1
    slopes  a·(π/r)·s(v_x)·f(v_z)            and the same with x and z exchanged
    shift   a·C·2f(v_x)s(v_x)·f(v_z)²        and the same with x and z exchanged

Filtering costs the same for one particle as for a million. The product of cosines is not quite round: it differs from
½(cos π|v| + 1) by up to 0.064 a. Where that matters the radial kernel can be applied by Fourier transform.
"""

from __future__ import annotations

import math
from functools import cached_property, lru_cache
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from waterview.simd.layout import aligned_zeros, row_stride

from .particle_set import ParticleSet

KERNELS = ("separable", "radial")
"""Product of two cosines, by filters; or the radial one, by Fourier transform: exact, its cost independent of r."""

VOLUME = {"separable": 1.0, "radial": math.pi / 2.0 - 2.0 / math.pi}
"""Volume under a particle of amplitude 1 and radius 1, for each kernel: the second is 0.934."""

SHIFT_GAIN = 1.22
"""C: with it a straight front of particles is shifted as by the exact longitudinal waveform −sin(πu/r)û, within
0.035 a; without it, as published, a fifth too little."""

Floats = NDArray[np.float32]


class WaveField(NamedTuple):
    """The surface that particles make; every array of shape (nz, nx) float32.

    Attributes:
        height: η [m].
        slope_x, slope_z: ∂η/∂x and ∂η/∂z.
        shift_x, shift_z: sideways shift of the surface [m].
    """

    height: Floats
    slope_x: Floats
    slope_z: Floats
    shift_x: Floats
    shift_z: Floats

    @classmethod
    def zeros(cls, shape: tuple[int, int]) -> WaveField:
        """Still water; the arrays share one block of memory."""
        return cls(*np.zeros((5, *shape), np.float32))


@lru_cache(maxsize=16)
def bump_of(kernel: str, radius: float) -> NDArray[np.float64]:
    """Height of a particle of amplitude 1 and `radius` [cells], by rows and columns away: a quarter, shape (n, n)."""
    away = np.arange(max(math.ceil(radius), 1)) / radius
    if kernel == "radial":
        return np.asarray(0.5 * (np.cos(np.pi * np.minimum(np.hypot(away[:, None], away), 1.0)) + 1.0))
    f = 0.5 * (np.cos(np.pi * away) + 1.0)
    return np.outer(f, f)


class AmplitudeGrid:
    """The grid of amplitudes of all particles of one radius, and the filters that make a surface of it.

    Args:
        shape: (nz, nx) of the field.
        spacing: Δx [m].
        radius: r [cells], above 0.
    """

    def __init__(self, shape: tuple[int, int], spacing: float, radius: float) -> None:
        self.shape, self.spacing, self.radius = shape, spacing, radius
        taps = -(-max(int(np.ceil(radius)) - 1, 0) // 4) * 4
        self.margin = max(taps, int(np.ceil(radius))) + 2
        self.amplitudes = aligned_zeros(shape[0] + 2 * self.margin, row_stride(shape[1] + 2 * self.margin))
        v = np.minimum(np.arange(taps + 1) / radius, 1.0)
        f, s = 0.5 * (np.cos(np.pi * v) + 1.0), -0.5 * np.sin(np.pi * v)
        gradient = np.pi / (radius * spacing)
        self._f, self._s, self._gs = (np.asarray(w, np.float32) for w in (f, s, gradient * s))
        self._fs, self._ff = np.asarray(SHIFT_GAIN * 2.0 * f * s, np.float32), np.asarray(f * f, np.float32)

    def collect(self, particles: ParticleSet) -> None:
        """Splat the particles onto the grid, and the mirror images behind their border into the margin around it."""
        from .kernels.field import splat

        self.amplitudes.fill(0.0)
        splat(self.amplitudes, self.margin, particles.x, particles.z, particles.strength, particles.count)
        for axis, count in enumerate(self.shape):
            _fill_margins(np.moveaxis(self.amplitudes, axis, 0), self.margin, count, particles.border)

    def add_separable(self, field: WaveField) -> None:
        """Add height, slopes and shift to `field` with the separable kernels, by filters."""
        f, fs, ff = (self._f, False), (self._fs, True), (self._ff, False)
        self._filter(f, ((*f, field.height), (self._gs, True, field.slope_z)))
        self._filter((self._gs, True), ((*f, field.slope_x),))
        self._filter(fs, ((*ff, field.shift_x),))
        self._filter(ff, ((*fs, field.shift_z),))

    def add_radial(self, field: WaveField) -> None:
        """Add height, slopes and shift to `field` with the radial kernels, by Fourier transform."""
        spectrum = np.fft.rfft2(self.amplitudes)
        nz, nx = self.shape
        inside = slice(self.margin, self.margin + nz), slice(self.margin, self.margin + nx)
        outputs = (field.height, field.slope_x, field.slope_z, field.shift_x, field.shift_z)
        for kernel, total in zip(self._radial_kernels, outputs, strict=True):
            np.add(
                total, np.fft.irfft2(spectrum * kernel, self.amplitudes.shape)[inside], out=total, casting="same_kind"
            )

    @cached_property
    def _scratch(self) -> Floats:
        return aligned_zeros(self.amplitudes.shape[0], row_stride(self.shape[1]))

    def _filter(self, across: tuple[Floats, bool], down: tuple[tuple[Floats, bool, Floats], ...]) -> None:
        """Filter the amplitudes along rows, then down columns into each of the outputs."""
        from .kernels.field import convolve

        columns = self.shape[1]
        convolve(self._scratch, self.amplitudes, columns, self.margin, False, *across, False)
        for weights, odd, out in down:
            convolve(out, self._scratch, columns, self.margin, True, weights, odd, True)

    @cached_property
    def _radial_kernels(self) -> tuple[NDArray[np.complex128], ...]:
        """Spectra of the radial kernels of height, slopes and shift."""
        rows, columns = self.amplitudes.shape
        z, x = np.fft.fftfreq(rows, 1.0 / rows)[:, None], np.fft.fftfreq(columns, 1.0 / columns)[None, :]
        distance = np.hypot(x, z)
        v = np.minimum(distance / self.radius, 1.0)
        bump, wave = 0.5 * (np.cos(np.pi * v) + 1.0), -0.5 * np.sin(np.pi * v)
        out_x, out_z = x / np.maximum(distance, 1e-9), z / np.maximum(distance, 1e-9)
        slope, shift = np.pi / (self.radius * self.spacing) * wave, SHIFT_GAIN * 2.0 * bump * wave
        kernels = (bump, slope * out_x, slope * out_z, shift * out_x, shift * out_z)
        return tuple(np.fft.rfft2(kernel) for kernel in kernels)


def _fill_margins(amplitudes: Floats, margin: int, count: int, border: str) -> None:
    """Fill the margins at both ends of the first axis, of `count` points, with the mirror images behind the border.

    A particle between the edge point and the mirror has added a part of its amplitude to the margin; its image adds the
    same part to the edge point.
    """
    if border == "open":
        return
    if border == "reflecting":
        amplitudes[margin] += amplitudes[margin - 1]
        amplitudes[margin + count - 1] += amplitudes[margin + count]
    outside, image, sign = _images(margin, count, border)
    amplitudes[outside] = sign * amplitudes[image]


@lru_cache
def _images(margin: int, count: int, border: str) -> tuple[NDArray[np.intp], NDArray[np.intp], Floats]:
    """Rows of the margins, the rows whose images they are, and the signs of these, shape (2 margin, 1)."""
    outside = np.concatenate((np.arange(-margin, 0), np.arange(count, count + margin)))
    if border == "reflecting":
        place = outside % (2 * count)
        image, sign = np.where(place < count, place, 2 * count - 1 - place), np.ones(len(outside))
    else:
        place = (outside + 1) % (2 * (count + 1))
        image = np.clip(np.where(place <= count, place, 2 * (count + 1) - place) - 1, 0, count - 1)
        sign = np.where(place <= count, 1.0, -1.0) * ((place != 0) & (place != count + 1))
    return outside + margin, image + margin, sign[:, None].astype(np.float32)
