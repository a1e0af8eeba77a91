"""The formula of the wave step, and the discrete Laplacians that it takes.

Points are vectors or blocks of them (`waterview.simd.vectors`), so a line here is what happens to 16 or 64 points.

Every Laplacian is exactly 0 where the water is level: each of its roundings is then exact, or still water would not
stay still. To sum column by column needs the fewest operations: a vector of columns is summed once, and its neighbours'
sums are the same numbers, shifted by one lane.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
from numba.extending import overload

from waterview.simd.jit import INLINED, part
from waterview.simd.vectors import fma

TWO, FOUR, MINUS_FOUR, MINUS_EIGHT = np.float32(2.0), np.float32(4.0), np.float32(-4.0), np.float32(-8.0)

# --- the formula


@part
def damped_step(h: Any, h_before: Any, laplacian: Any, damping: float, gain: np.float32) -> Any:
    """h⁺ = h + (1 − damping)(h − h⁻) + λ²·L(h), where gain·laplacian = λ²·L(h) (Bressler 2007, eq. 2).

    Not h·(2 − damping − …) − (1 − damping)·h⁻ + …: to fold the factors of h saves an operation and costs three digits.
    """
    return fma(gain, laplacian, fma(np.float32(1.0 - damping), h - h_before, h))


@part
def damped_velocity(velocity: Any, laplacian: Any, damping: float, gain: np.float32) -> Any:
    """v⁺ = (1 − damping)(v + (λ²/Δt)·L(h)), where gain·laplacian = (λ²/Δt)·L(h); then h⁺ = h + v⁺Δt (Müller 2008)."""
    return np.float32(1.0 - damping) * fma(gain, laplacian, velocity)


# --- what is summed of a column, from a point c, the one above it and the one below


def _beside(stencil: Any, up: Any, c: Any, down: Any) -> Any:
    return c, up + down


def _twice(stencil: Any, up: Any, c: Any, down: Any) -> Any:
    return c, (up + c) + (c + down)  # pairs that the rows above and below share


# --- the Laplacians, from the sums of three columns


def _cross(stencil: Any, left: Any, here: Any, right: Any, centre: np.float32) -> Any:
    c, pair = here
    return fma(centre, c, pair) + left[0] + right[0]


def _square(stencil: Any, left: Any, here: Any, right: Any, centre: np.float32) -> Any:
    c, column = here
    return fma(TWO, fma(MINUS_EIGHT, c, column), left[1]) + right[1]


def _compact(stencil: Any, left: Any, here: Any, right: Any, centre: np.float32) -> Any:
    c, pair = here
    sides = fma(MINUS_FOUR, c, pair) + left[0] + right[0]
    return fma(MINUS_FOUR, c, fma(FOUR, sides, left[1])) + right[1]


class Sums(NamedTuple):
    """How a Laplacian is summed.

    On level water every partial sum is 0 or c times a power of two, so nothing is rounded (3c may be). A new sum of
    sides and corners with other factors copies `_compact`: first Σ sides − 4c, which is 0 there, then Σ corners − 4c.

    Attributes:
        column: what is summed of a column: the point c, and its sum with the points above and below.
        laplacian: what is made of three columns.
        corners: whether the corners of a square count.
    """

    column: Callable[..., Any]
    laplacian: Callable[..., Any]
    corners: bool


SUMS = {
    "cross": Sums(_beside, _cross, corners=False),
    "square": Sums(_twice, _square, corners=True),
    "compact": Sums(_beside, _compact, corners=True),
}
"""Σ sides − 4c, Σ corners + 2 Σ sides − 12c, and Σ corners + 4 Σ sides − 20c."""


def column_sum(stencil: Any, up: Any, c: Any, down: Any) -> Any:
    """The point c, and what `stencil`, a `Static` key of `SUMS`, sums of its column."""


def laplacian(stencil: Any, left: Any, here: Any, right: Any, centre: np.float32) -> Any:
    """The sum of `stencil` around the points of the column `here`; `centre` is the factor of c in "cross", −4 or less.

    It is less than −4 where heights are drawn to 0 (`step.advance`).
    """


def has_corners(stencil: Any) -> Any:
    """Whether the corners of a square count for `stencil`."""


@overload(column_sum, jit_options=INLINED)  # type: ignore[untyped-decorator]
def _column_sum(stencil: Any, up: Any, c: Any, down: Any) -> Any:
    return SUMS[stencil.value].column


@overload(laplacian, jit_options=INLINED)  # type: ignore[untyped-decorator]
def _laplacian(stencil: Any, left: Any, here: Any, right: Any, centre: np.float32) -> Any:
    return SUMS[stencil.value].laplacian


@overload(has_corners, jit_options=INLINED)  # type: ignore[untyped-decorator]
def _has_corners(stencil: Any) -> Any:
    corners = SUMS[stencil.value].corners

    def count(stencil: Any) -> Any:
        return corners

    return count
