"""Gaussian smoothing of a raster."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray


def smooth(heights: NDArray[np.float32], sigma: float) -> NDArray[np.float32]:
    """`heights`, shape (nz, nx), convolved with a Gaussian of standard deviation `sigma` [cells] along both axes.

    The edges mirror, so the mean is kept; the kernel is positive, so but for rounding no value leaves the range there
    was. The cost does not depend on sigma, because the convolution is done by FFT on the mirrored signal.
    """
    if sigma <= 0.0:
        return heights
    return _smooth_rows(_smooth_rows(heights, sigma).T, sigma).T


def _smooth_rows(heights: NDArray[np.float32], sigma: float) -> NDArray[np.float32]:
    n = heights.shape[1]
    distance = np.minimum(np.arange(2 * n), 2 * n - np.arange(2 * n))
    # Sampled and then normalised, not its analytic transform: that one rings for sigma below one cell.
    kernel = np.exp(-0.5 * (distance / sigma) ** 2)
    transfer = np.fft.rfft(kernel / kernel.sum()).real.astype(np.float32)
    mirrored = np.concatenate((heights, heights[:, ::-1]), axis=1)
    return np.asarray(np.fft.irfft(np.fft.rfft(mirrored) * transfer, 2 * n)[:, :n], np.float32)
