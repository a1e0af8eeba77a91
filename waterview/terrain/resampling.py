"""From samples to a smooth ground: gaps filled, a Gaussian blur, and heights between the samples."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray


def fill_gaps(values: NDArray[np.float32], valid: NDArray[np.bool_]) -> NDArray[np.float32]:
    """Fill the samples of `values`, shape (nz, nx), that are not `valid`; valid samples are unchanged.

    The pull-push algorithm (Gortler, Grzeszczuk, Szeliski & Cohen, The Lumigraph, SIGGRAPH 1996): average over ever
    coarser blocks until every block has data, then interpolate the averages bilinearly back into the gaps. The cost is
    a few passes over the array, however large the gaps are. Filled values stay in the range of the valid ones.

    Raises:
        ValueError: nothing is valid.
    """
    if not valid.any():
        raise ValueError("no sample is valid")
    if valid.all():
        return values
    return _pull_push(np.where(valid, values, np.float32(0)), valid.astype(np.float32))


def _pull_push(total: NDArray[np.float32], count: NDArray[np.float32]) -> NDArray[np.float32]:
    """The mean total/count where count > 0, and the next coarser level elsewhere."""
    mean = np.asarray(total / np.maximum(count, 1), np.float32)
    if count.all():
        return mean
    coarse = _pull_push(_block_sums(total), _block_sums(count))
    nz, nx = total.shape
    return np.where(count > 0, mean, _upsampled_rows(_upsampled_rows(coarse).T).T[:nz, :nx])


def _block_sums(field: NDArray[np.float32]) -> NDArray[np.float32]:
    """Sums over blocks of 2 × 2 samples; an odd last row or column is a block by itself."""
    nz, nx = field.shape
    even = np.pad(field, ((0, nz % 2), (0, nx % 2)))
    return np.asarray(even[0::2, 0::2] + even[0::2, 1::2] + even[1::2, 0::2] + even[1::2, 1::2], np.float32)


def _upsampled_rows(field: NDArray[np.float32]) -> NDArray[np.float32]:
    """Twice as many rows, by linear interpolation between the centres of the blocks."""
    padded = np.pad(field, ((1, 1), (0, 0)), mode="edge")
    result = np.empty((2 * field.shape[0], field.shape[1]), np.float32)
    result[0::2] = 0.75 * field + 0.25 * padded[:-2]
    result[1::2] = 0.75 * field + 0.25 * padded[2:]
    return result


def smooth(heights: NDArray[np.float32], sigma: float) -> NDArray[np.float32]:
    """Convolve `heights`, shape (nz, nx), with a Gaussian of standard deviation `sigma` [cells] along both axes.

    Edges are mirrored, so the mean does not change. The kernel is positive, so values stay in their range but for
    rounding. The convolution is an FFT of the mirrored signal, so the cost does not depend on sigma.
    """
    if sigma <= 0.0:
        return heights
    return _smooth_rows(_smooth_rows(heights, sigma).T, sigma).T


def _smooth_rows(heights: NDArray[np.float32], sigma: float) -> NDArray[np.float32]:
    n = heights.shape[1]
    distance = np.minimum(np.arange(2 * n), 2 * n - np.arange(2 * n))
    # The kernel is sampled, then normalised. Its analytic transform would ring for sigma below one cell.
    kernel = np.exp(-0.5 * (distance / sigma) ** 2)
    transfer = np.fft.rfft(kernel / kernel.sum()).real.astype(np.float32)
    mirrored = np.concatenate((heights, heights[:, ::-1]), axis=1)
    return np.asarray(np.fft.irfft(np.fft.rfft(mirrored) * transfer, 2 * n)[:, :n], np.float32)


class _Bounded(NamedTuple):
    """Weighted sums of samples, and the lowest and highest of these samples."""

    value: NDArray[np.float32]
    low: NDArray[np.float32]
    high: NDArray[np.float32]

    def at(self, index: NDArray[np.intp]) -> _Bounded:
        return _Bounded(self.value[index], self.low[index], self.high[index])


def catmull_rom(
    heights: NDArray[np.float32], columns: NDArray[np.float64], rows: NDArray[np.float64]
) -> NDArray[np.float32]:
    """Interpolate `heights`, shape (nz, nx), 2 or more a side, at fractional `columns` and `rows`, which broadcast.

    Separable cubic convolution with a = −½ (Catmull & Rom 1974; Keys, IEEE ASSP 29, 1981), exact at the samples and on
    planes. The result is clamped to the range of its 4 × 4 samples: without that it would overshoot beside a wall and
    raise false islands from the water. Outside the raster the value of the edge is used. Columns of shape (1, n) with
    rows of shape (m, 1) are interpolated axis by axis, which is several times as fast.
    """
    columns, rows = np.asarray(columns), np.asarray(rows)
    ix, wx = _support(columns, heights.shape[1])
    iz, wz = _support(rows, heights.shape[0])
    if columns.ndim == rows.ndim == 2 and columns.shape[0] == rows.shape[1] == 1:
        along_x = _weighted_sum([_samples(heights[:, index[0]]) for index in ix], [w[0] for w in wx])
        parts = [along_x.at(index[:, 0]) for index in iz]
    else:
        parts = [_weighted_sum([_samples(heights[row, column]) for column in ix], wx) for row in iz]
    value, low, high = _weighted_sum(parts, wz)
    return np.clip(value, low, high)


def _support(position: NDArray[np.float64], count: int) -> tuple[list[NDArray[np.intp]], list[NDArray[np.float32]]]:
    """Indices of the four samples around each `position`, and their weights."""
    position = np.clip(position, 0.0, count - 1.0)
    first = np.minimum(position.astype(np.intp), count - 2)
    t = position - first
    before = t * (-0.5 + t * (1.0 - 0.5 * t))
    left = 1.0 + t * t * (1.5 * t - 2.5)
    right = t * (0.5 + t * (2.0 - 1.5 * t))
    after = t * t * (0.5 * t - 0.5)
    # A sample beyond the edge is extrapolated linearly: p₋₁ = 2p₀ − p₁.
    at_start, at_end = np.where(first == 0, before, 0.0), np.where(first == count - 2, after, 0.0)
    weights = (
        before - at_start,
        left + 2.0 * at_start - at_end,
        right + 2.0 * at_end - at_start,
        after - at_end,
    )
    indices = [np.clip(first + offset, 0, count - 1) for offset in (-1, 0, 1, 2)]
    return indices, [np.asarray(weight, np.float32) for weight in weights]


def _samples(samples: NDArray[np.float32]) -> _Bounded:
    return _Bounded(samples, samples, samples)


def _weighted_sum(parts: list[_Bounded], weights: list[NDArray[np.float32]]) -> _Bounded:
    value = parts[0].value * weights[0]
    low, high = parts[0].low, parts[0].high
    for part, weight in zip(parts[1:], weights[1:], strict=True):
        value = value + part.value * weight
        low, high = np.minimum(low, part.low), np.maximum(high, part.high)
    return _Bounded(value, low, high)
