"""Deep water by inverse Fourier transforms (Tessendorf 2001): from waves to the surface on a grid.

The sea is the sum of periodic patches of different lengths. Each patch holds waves of its own range of lengths; its
points lie on the grid's, every one of them or every second or fourth, so that laying it over the grid takes no search.

This module checks and names; the compiled code is in `ocean_waves` and `ocean_surface`, imported when it is first
needed so that programs that show no sea need not wait for numba.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from waterview.simd.threads import ThreadChoice

Float = NDArray[np.float32]

REACH = 2
"""Points that arrays of `compose` reach beyond the grid on every side: a difference of fourth order needs them."""

FIELDS = 5
"""Fields a patch has: h, ∂h/∂z, ∂h/∂x and the x and z of the shift."""


class Waves(NamedTuple):
    """The waves of one patch of nz × nx points, nx even: h̃(k, t) = h₀(k)e^{−iωt} + h₀*(−k)e^{+iωt}.

    Attributes:
        terms: p, q, u, v [m] of h̃ = (p cos ωt + q sin ωt) + i(u cos ωt + v sin ωt), shape (4, nz, nx/2 + 1) float32.
        turns: ω/2π [1/s], shape (nz, nx/2 + 1) float64.
        kx: wave numbers of the columns [rad/m], shape (nx/2 + 1,) float32.
        kz: wave numbers of the rows [rad/m], shape (nz,) float32, in the order of numpy.fft.fftfreq.
        stretch: grid points from one point of the patch to the next.
    """

    terms: Float
    turns: NDArray[np.float64]
    kx: Float
    kz: Float
    stretch: int


def terms_of(forward: NDArray[np.complexfloating], backward: NDArray[np.complexfloating]) -> Float:
    """`Waves.terms` from h₀(k) and h₀*(−k) [m], shapes (nz, m) complex."""
    p, u = (forward + backward).real, (forward + backward).imag
    q, v = (forward - backward).imag, (backward - forward).real
    return np.stack((p, q, u, v)).astype(np.float32)


class Patches:
    """Periodic patches of sea with the memory that their transforms need.

    Args:
        waves: of each patch; see `Waves`.

    Attributes:
        fields: of each patch, shape (nz, 5, nx·stretch) float32, as of the last `evaluate`: h [m], ∂h/∂z, ∂h/∂x and
            the shift Σ ik̂h̃e^{ik·x} [m] in x and z. Between its points a patch is already filled in along x.
    """

    def __init__(self, waves: Sequence[Waves]) -> None:
        self.waves = tuple(waves)
        shapes = [(w.kz.size, FIELDS, 2 * (w.kx.size - 1) * w.stretch) for w in waves]
        ends = np.cumsum([0] + [int(np.prod(shape)) for shape in shapes])
        self._store = np.zeros(ends[-1], np.float32)
        self.fields = [
            self._store[start:end].reshape(shape) for start, end, shape in zip(ends[:-1], ends[1:], shapes, strict=True)
        ]
        self._spectra = [np.zeros((4, *w.turns.shape), np.complex64) for w in waves]
        self._table = np.array(
            [(start, shape[0], shape[2], w.stretch) for start, shape, w in zip(ends[:-1], shapes, waves, strict=True)],
            np.int64,
        )
        self._teams = [ThreadChoice(fields.size // FIELDS) for fields in self.fields]
        self._composers: ThreadChoice | None = None
        self._weights = _spline_weights([w.stretch for w in waves])

    def evaluate(self, time: float, gain: float = 1.0) -> None:
        """Bring `fields` to `time` [s]; `gain` multiplies every wave."""
        from .ocean_waves import transform_columns, transform_rows, waves_at

        for waves, spectra, fields, team in zip(self.waves, self._spectra, self.fields, self._teams, strict=True):
            halves = spectra.view(np.float32)
            with team.at_work():
                waves_at(waves.terms, waves.turns, waves.kx, waves.kz, float(time), np.float32(gain), halves)
                transform_columns(spectra)
                transform_rows(spectra.transpose(1, 0, 2), halves, waves.kx, fields)

    def compose(
        self,
        shape: tuple[int, int],
        spacing: float,
        *,
        choppiness: float,
        fade: Float | None = None,
        ripples: Float | None = None,
        foam: Float | None = None,
        threshold: float = 0.0,
        keep: float = 1.0,
    ) -> Surface:
        """Lay the patches as of the last `evaluate` over a grid of `shape` (nz, nx); their corners lie on its corner.

        With S the sum of all shifts and f the fade, every point moves by s = c·f·S and J = ∂(x + s)/∂x. The slopes are
        −J⁻¹∇(f·h + ripples), those of the surface after the move. Foam is where J's smaller eigenvalue falls short of
        `threshold` (Tessendorf 2001): from none there to nothing else at 0.15 less.

        Args:
            shape: as said.
            spacing: Δx [m].
            choppiness: c; 1 gives the sharp crests of Gerstner's waves, 0 none.
            fade: f, shape (nz + 4, nx + 4), two points wider than the grid on every side; None means 1.
            ripples: heights to superpose [m], shape (nz + 2, nx + 2), one point wider; None means 0.
            foam: what there was, shape (nz, nx); needed where `threshold` is above 0.
            threshold: 0 leaves foam out.
            keep: share of the old foam that is left.
        """
        from .ocean_surface import compose

        for array, margin in ((fade, REACH), (ripples, 1), (foam, 0)):
            if array is not None and array.shape != (shape[0] + 2 * margin, shape[1] + 2 * margin):
                raise ValueError(f"an array of shape {array.shape} for a grid of {shape}: {margin} wider on every side")
        # All in one block: systems back large ones with large pages, and it takes a third of the time to touch them.
        block = np.empty((4 if foam is None else 5, *shape), np.float32)
        heights, slopes = block[0], block[1].view(np.float16).reshape(*shape, 2)
        shift = block[2:4].reshape(*shape, 2)
        empty = np.zeros((0, 0), np.float32)
        old, new = (empty, empty) if foam is None else (foam, block[4])
        if self._composers is None:
            self._composers = ThreadChoice(shape[0] * shape[1])
        with self._composers.at_work():
            compose(
                self._store,
                self._table,
                self._weights,
                np.float32(choppiness),
                empty if fade is None else fade,
                empty if ripples is None else ripples,
                np.float32(1.0 / (12.0 * spacing)),
                heights,
                # Both halves of a point are one word: no machine that numba runs on puts the second half first.
                block[1].view(np.uint32),
                shift.reshape(shape[0], -1),
                old,
                new,
                np.array((0.0 if foam is None else threshold, keep), np.float32),
            )
        return Surface(heights, slopes, shift, None if foam is None else new)


class Surface(NamedTuple):
    """What `Patches.compose` returns.

    Attributes:
        heights: [m], shape (nz, nx) float32.
        slopes: (−∂h/∂x, −∂h/∂z) of the surface after its points have moved, shape (nz, nx, 2) float16.
        shift: where they have moved (x, z) [m], shape (nz, nx, 2) float32.
        foam: 0 to 1, shape (nz, nx) float32, or None.
    """

    heights: Float
    slopes: NDArray[np.float16]
    shift: Float
    foam: Float | None


def _spline_weights(stretches: Sequence[int]) -> Float:
    """Cubic B-spline weights of rows −1 … 2 around a row in between, shape (patches, largest stretch, 4)."""
    weights = np.zeros((len(stretches), max(stretches), 4))
    for number, stretch in enumerate(stretches):
        t = np.arange(stretch) / stretch
        w = ((1 - t) ** 3, 3 * t**3 - 6 * t**2 + 4, -3 * t**3 + 3 * t**2 + 3 * t + 1, t**3)
        weights[number, :stretch] = np.stack(w, axis=-1) / 6.0
    return weights.astype(np.float32)


def spline_loss(kz: NDArray[np.floating], spacing: float, stretch: int) -> NDArray[np.float64]:
    """What the spline leaves of waves along z at the patch's own points; divide h₀ by it.

    Args:
        kz: wave numbers [rad/m].
        spacing: of the grid [m].
        stretch: of the patch; with 1 nothing is blended and nothing lost.
    """
    if stretch == 1:
        return np.ones(kz.shape)
    return np.asarray((2.0 + np.cos(kz * spacing * stretch)) / 3.0, np.float64)
