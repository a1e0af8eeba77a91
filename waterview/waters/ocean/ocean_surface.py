"""The surface of deep water as a sum of periodic patches: cascades by inverse Fourier transforms (Tessendorf 2001)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from waterview.simd.threads import ThreadChoice

from .cascades import FIELDS, REACH, Waves, spline_weights
from .foam import FoamUpdate

Floats = NDArray[np.float32]


class DisplacedSurface(NamedTuple):
    """What `SeaSurface.compose` returns.

    Attributes:
        heights: [m], shape (nz, nx) float32.
        slopes: (−∂h/∂x, −∂h/∂z) of the surface after its points have moved, shape (nz, nx, 2) float16.
        shift: how far they have moved (x, z) [m], shape (nz, nx, 2) float32.
        shown_shift: the same in half floats, which is what frames have.
        foam: 0 to 1, shape (nz, nx) float32, or None.
        shown_foam: the same in 255ths, which is what frames have, shape (nz, nx) uint8, or None.
    """

    heights: Floats
    slopes: NDArray[np.float16]
    shift: Floats
    shown_shift: NDArray[np.float16]
    foam: Floats | None
    shown_foam: NDArray[np.uint8] | None


class SeaSurface:
    """Periodic patches of sea in memory, and their sum over a grid; `evaluate` fills them.

    Args:
        shapes: of each patch's fields, (nz, 5, nx·stretch).
        stretches: of each, as `Waves.stretch`.

    Attributes:
        fields: of each patch, as of the last `evaluate`: h [m], ∂h/∂z, ∂h/∂x and the shift Σ ik̂h̃e^{ik·x} [m] in x and
            z. Along x a patch is already interpolated to the grid's points.
    """

    def __init__(self, shapes: Sequence[tuple[int, int, int]], stretches: Sequence[int]) -> None:
        ends = np.cumsum([0] + [int(np.prod(shape)) for shape in shapes])
        self._store = np.zeros(ends[-1], np.float32)
        self.fields = [
            self._store[start:end].reshape(shape) for start, end, shape in zip(ends[:-1], ends[1:], shapes, strict=True)
        ]
        layouts = [
            (start, rows, n, stretch) for start, (rows, _, n), stretch in zip(ends, shapes, stretches, strict=False)
        ]
        self._layouts = np.array(layouts, np.int64)
        self._weights = spline_weights(stretches)
        self._compose_threads: ThreadChoice | None = None

    def evaluate(self, time: float, gain: float = 1.0) -> None:
        """Bring `fields` to `time` [s]; `gain` multiplies every wave."""
        raise NotImplementedError

    def compose(
        self,
        shape: tuple[int, int],
        spacing: float,
        *,
        choppiness: float,
        fade: Floats | None = None,
        ripples: Floats | None = None,
        foam: FoamUpdate | None = None,
    ) -> DisplacedSurface:
        """Lay the patches as of the last `evaluate` over a grid; their corners lie on its corner.

        With S the sum of all shifts and f the fade, every point moves by s = c·f·S, and J = ∂(x + s)/∂x. The slopes are
        −J⁻¹∇(f·h + ripples), those of the surface after the move.

        Args:
            shape: (nz, nx).
            spacing: Δx [m].
            choppiness: c; 1 gives the sharp crests of Gerstner's waves, 0 none.
            fade: f, shape (nz + 4, nx + 4), two points wider than the grid on every side; None means 1.
            ripples: heights to superpose [m], shape (nz + 2, nx + 2), one point wider; None means 0.
            foam: how it is to be updated; None leaves it out.
        """
        from .kernels.compose import compose

        amount = None if foam is None else foam.amount
        for array, margin in ((fade, REACH), (ripples, 1), (amount, 0)):
            if array is not None and array.shape != (shape[0] + 2 * margin, shape[1] + 2 * margin):
                raise ValueError(f"an array of shape {array.shape} for a grid of {shape}: {margin} wider on every side")
        # All in one block: systems back large ones with large pages, and it takes a third of the time to touch them.
        block = np.empty((5 if foam is None else 6, *shape), np.float32)
        heights, slopes, shift, halves = block[0], block[1], block[2:4], block[4]
        empty = np.zeros((0, 0), np.float32)
        old, threshold, decay = (empty, 0.0, 1.0) if foam is None else foam
        new = empty if foam is None else block[5]
        shown_foam = np.empty((0, 0) if foam is None else shape, np.uint8)
        if self._compose_threads is None:
            self._compose_threads = ThreadChoice(shape[0] * shape[1])
        with self._compose_threads.at_work():
            compose(
                self._store,
                self._layouts,
                self._weights,
                np.float32(choppiness),
                empty if fade is None else fade,
                empty if ripples is None else ripples,
                np.float32(1.0 / (12.0 * spacing)),
                heights,
                # Both halves of a point are one word: no machine that numba runs on puts the second half first.
                slopes.view(np.uint32),
                shift.reshape(shape[0], -1),
                halves.view(np.uint32),
                old,
                new,
                shown_foam,
                np.float32(threshold),
                np.float32(decay),
            )
        pairs, shown = (words.view(np.float16).reshape(*shape, 2) for words in (slopes, halves))
        moved = heights, pairs, shift.reshape(*shape, 2), shown
        return DisplacedSurface(*moved, None, None) if foam is None else DisplacedSurface(*moved, new, shown_foam)


class OceanSurface(SeaSurface):
    """The sum of cascades, with the memory that their transforms need.

    Args:
        waves: of each cascade.

    Attributes:
        waves: of each cascade.
    """

    def __init__(self, waves: Sequence[Waves]) -> None:
        self.waves = tuple(waves)
        super().__init__(
            [(w.kz.size, FIELDS, 2 * (w.kx.size - 1) * w.stretch) for w in waves], [w.stretch for w in waves]
        )
        self._spectra = [np.zeros((4, *w.turns.shape), np.complex64) for w in waves]
        self._transform_threads = [ThreadChoice(fields.size // FIELDS) for fields in self.fields]

    def evaluate(self, time: float, gain: float = 1.0) -> None:
        """Bring `fields` to `time` [s]; `gain` multiplies every wave."""
        from .kernels.spectrum import transform_columns, transform_rows, waves_at

        cascades = zip(self.waves, self._spectra, self.fields, self._transform_threads, strict=True)
        for waves, spectra, fields, threads in cascades:
            halves = spectra.view(np.float32)
            with threads.at_work():
                waves_at(waves.terms, waves.turns, waves.kx, waves.kz, float(time), np.float32(gain), halves)
                transform_columns(spectra)
                transform_rows(spectra.transpose(1, 0, 2), halves, waves.kx, fields)
