"""Samples without data take their values from around them."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray


def fill_gaps(values: NDArray[np.float32], valid: NDArray[np.bool_]) -> NDArray[np.float32]:
    """`values`, shape (nz, nx), with smooth values where not `valid`; valid samples are untouched.

    Means over ever coarser blocks are taken until every block has data, then handed down bilinearly into the gaps
    ("pull-push": Gortler, Grzeszczuk, Szeliski & Cohen, The Lumigraph, SIGGRAPH 1996). The cost is that of a few
    passes over the array however large the gaps are, and no filled value leaves the range of the valid ones.

    Raises:
        ValueError: nothing is valid.
    """
    if not valid.any():
        raise ValueError("no sample is valid")
    if valid.all():
        return values
    return _filled(np.where(valid, values, np.float32(0)), valid.astype(np.float32))


def _filled(total: NDArray[np.float32], count: NDArray[np.float32]) -> NDArray[np.float32]:
    """Means total/count where count > 0; elsewhere what the next coarser level says."""
    mean = np.asarray(total / np.maximum(count, 1), np.float32)
    if count.all():
        return mean
    coarse = _filled(_block_sums(total), _block_sums(count))
    nz, nx = total.shape
    return np.where(count > 0, mean, _doubled(_doubled(coarse).T).T[:nz, :nx])


def _block_sums(field: NDArray[np.float32]) -> NDArray[np.float32]:
    """Sums over blocks of 2 × 2; an odd last row or column stands alone."""
    nz, nx = field.shape
    even = np.pad(field, ((0, nz % 2), (0, nx % 2)))
    return np.asarray(even[0::2, 0::2] + even[0::2, 1::2] + even[1::2, 0::2] + even[1::2, 1::2], np.float32)


def _doubled(field: NDArray[np.float32]) -> NDArray[np.float32]:
    """Twice the rows, linear between the centres of the blocks."""
    padded = np.pad(field, ((1, 1), (0, 0)), mode="edge")
    result = np.empty((2 * field.shape[0], field.shape[1]), np.float32)
    result[0::2] = 0.75 * field + 0.25 * padded[:-2]
    result[1::2] = 0.75 * field + 0.25 * padded[2:]
    return result
