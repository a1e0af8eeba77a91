"""The step of the damped wave equation (Bressler 2007, eq. 2), for any stencil, border and set of fixed points.

This module checks and names; the compiled code is in `wave_rows`, imported when it is first needed so that programs
that take no step need not wait for numba.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from .layout import TwoLevels


class Stencil(NamedTuple):
    """A discrete Laplacian L, as a multiple of the sum that the kernel takes over a point's neighbours.

    Attributes:
        corners: whether the four diagonal neighbours count.
        gain: L = gain · sum; the sums are those of `wave_rows`.
        largest_symbol: the largest value S of −L on any wave, which bounds the stable time step.
        laplacians: L approximates this multiple of Δx²·∇², so that waves run √laplacians times as fast as set.
    """

    corners: bool
    gain: float
    largest_symbol: float
    laplacians: float


STENCILS = {
    "five-point": Stencil(corners=False, gain=1.0, largest_symbol=8.0, laplacians=1.0),
    "nine-point": Stencil(corners=True, gain=0.5, largest_symbol=8.0, laplacians=2.0),
    "isotropic": Stencil(corners=True, gain=0.25, largest_symbol=4.0, laplacians=1.0),
}
"""Bressler 2007, eq. (3); eq. (4) as printed, which approximates 2∇²; eq. (4) halved, whose waves keep their speed."""

BORDERS = ("zero", "reflecting")
"""What lies outside the grid: zeros (Bressler 2007, §3.1), or at each place the edge point beside it."""


class FixedRuns(NamedTuple):
    """Fixed points as runs along the rows: cheaper to zero than to skip, and no second array is read.

    Attributes:
        shape: (nz, nx) of the field.
        first: number of the first run of each row and, at the end, of all runs, shape (nz + 1,) int64.
        ends: first column of each run and the column after its last, shape (m, 2) int64.
    """

    shape: tuple[int, int]
    first: NDArray[np.int64]
    ends: NDArray[np.int64]


def fixed_runs(fixed: NDArray[np.bool_]) -> FixedRuns:
    """The runs of `fixed`, shape (nz, nx) bool."""
    nz, nx = fixed.shape
    edges = np.diff(np.pad(fixed, ((0, 0), (1, 1))).astype(np.int8), axis=1)
    rows, starts = np.nonzero(edges == 1)
    _, stops = np.nonzero(edges == -1)
    first = np.zeros(nz + 1, np.int64)
    np.cumsum(np.bincount(rows, minlength=nz), out=first[1:])
    return FixedRuns((nz, nx), first, np.ascontiguousarray(np.stack((starts, stops), axis=1), np.int64))


def advance(
    field: TwoLevels,
    runs: FixedRuns,
    *,
    stencil: str,
    border: str,
    kappa: float,
    courant: float,
    steps: int = 1,
) -> None:
    """Take `steps` steps h⁺ = h + (1 − κ)(h − h⁻) + λ²·L(h) in place; fixed points become 0.

    The result does not depend on how many steps are taken in one call; several are faster than one.

    Args:
        field: h and h⁻ [m].
        runs: the fixed points of a field of the same shape.
        stencil: a key of `STENCILS`.
        border: one of `BORDERS`.
        kappa: κ = k·Δt, damping times time step.
        courant: λ = c·Δt/Δx. Not checked here: `waterview.models.stability` says which κ and λ are stable.
        steps: 0 or more.

    Raises:
        KeyError: no stencil is called so.
        ValueError: the border is unknown, or field and fixed points differ in shape.
    """
    from .wave_rows import advance_rows

    if field.shape != runs.shape:
        raise ValueError(f"fixed points of shape {runs.shape} for a field of shape {field.shape}: they must agree")
    if border not in BORDERS:
        raise ValueError(f"border '{border}': allowed are {', '.join(BORDERS)}")
    chosen = STENCILS[stencil]
    keep, gain = np.float32(1.0 - kappa), np.float32(chosen.gain * courant * courant)
    arrays = (field.now, field.before, field.scratch, runs.first, runs.ends)
    advance_rows(*arrays, field.shape[1], keep, gain, chosen.corners, border == "reflecting", steps)
    if steps % 2:
        field.swap()
