"""Smooth heights between the samples of a raster."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray


class _Blend(NamedTuple):
    """Weighted sums of neighbours, with the least and the greatest of them."""

    value: NDArray[np.float32]
    low: NDArray[np.float32]
    high: NDArray[np.float32]

    def taken(self, index: NDArray[np.intp]) -> _Blend:
        return _Blend(self.value[index], self.low[index], self.high[index])


def catmull_rom(
    heights: NDArray[np.float32], columns: NDArray[np.float64], rows: NDArray[np.float64]
) -> NDArray[np.float32]:
    """Value of `heights`, shape (nz, nx) with at least 2 a side, at fractional `columns` and `rows`, which broadcast.

    Separable cubic convolution with a = −½ (Catmull & Rom 1974; Keys, IEEE ASSP 29, 1981): exact at the samples and on
    planes. It is clamped to the range of the 4 × 4 samples it is made of, because beside a wall it would overshoot and
    raise false islands from the water. Outside, the edge's value holds. A row of columns, shape (1, n), against a
    column of rows, shape (m, 1), is done axis by axis, several times as fast.
    """
    columns, rows = np.asarray(columns), np.asarray(rows)
    ix, wx = _support(columns, heights.shape[1])
    iz, wz = _support(rows, heights.shape[0])
    if columns.ndim == rows.ndim == 2 and columns.shape[0] == rows.shape[1] == 1:
        across = _blended([_alone(heights[:, index[0]]) for index in ix], [w[0] for w in wx])
        parts = [across.taken(index[:, 0]) for index in iz]
    else:
        parts = [_blended([_alone(heights[row, column]) for column in ix], wx) for row in iz]
    value, low, high = _blended(parts, wz)
    return np.clip(value, low, high)


def _support(position: NDArray[np.float64], count: int) -> tuple[list[NDArray[np.intp]], list[NDArray[np.float32]]]:
    """The four samples around each `position`, and their weights."""
    position = np.clip(position, 0.0, count - 1.0)
    first = np.minimum(position.astype(np.intp), count - 2)
    t = position - first
    before = t * (-0.5 + t * (1.0 - 0.5 * t))
    left = 1.0 + t * t * (1.5 * t - 2.5)
    right = t * (0.5 + t * (2.0 - 1.5 * t))
    after = t * t * (0.5 * t - 0.5)
    # A sample missing beyond an edge lies on the line through the two nearest: p₋₁ = 2p₀ − p₁.
    at_start, at_end = np.where(first == 0, before, 0.0), np.where(first == count - 2, after, 0.0)
    weights = (
        before - at_start,
        left + 2.0 * at_start - at_end,
        right + 2.0 * at_end - at_start,
        after - at_end,
    )
    indices = [np.clip(first + offset, 0, count - 1) for offset in (-1, 0, 1, 2)]
    return indices, [np.asarray(weight, np.float32) for weight in weights]


def _alone(samples: NDArray[np.float32]) -> _Blend:
    return _Blend(samples, samples, samples)


def _blended(parts: list[_Blend], weights: list[NDArray[np.float32]]) -> _Blend:
    value = parts[0].value * weights[0]
    low, high = parts[0].low, parts[0].high
    for part, weight in zip(parts[1:], weights[1:], strict=True):
        value = value + part.value * weight
        low, high = np.minimum(low, part.low), np.maximum(high, part.high)
    return _Blend(value, low, high)
