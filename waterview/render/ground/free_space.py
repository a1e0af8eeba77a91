"""The space above the ground that is free of ground: rays through the water step along it."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

WIDEST = 100.0
"""The cone where nothing near is higher."""
LEVEL_RISE = 0.001
"""Rise of a pool's floor that counts as none, as a share of the mean depth: less than `CLOSE` in water_rays.glsl."""


def free_space(bed: NDArray[np.float32], spacing: float, flat: float) -> NDArray[np.float32]:
    """A cone and a cylinder above each point that no ground rises into, shape (nz, nx, 2).

    First the radius of the cone that stands on the ground on its tip, one metre above it [m] (cone step maps; Dummer
    2006). Then the radius of the cylinder that begins `flat` metres above the ground [m]: near the foot of a wall it is
    the wider. Distances to higher ground are known to a factor of two. Both are those of the worst neighbour, so that
    they hold between points as well, where height and radius are interpolated.

    Args:
        bed: height of the ground [m], shape (nz, nx).
        spacing: between its points [m].
        flat: how far ground may rise within the cylinder [m].
    """
    bed = np.ascontiguousarray(bed, np.float32)
    reach, highest = 1, _highest_within(bed, 1)
    cone = np.full_like(bed, WIDEST)
    cylinder = np.zeros_like(bed)
    while True:
        rise = highest - bed
        np.copyto(cylinder, reach * spacing, where=rise <= flat)
        # What is new in this square lies more than half its reach away. In place: the arrays may be large.
        np.maximum(rise, spacing / WIDEST, out=rise)
        np.divide(max(reach // 2, 1) * spacing, rise, out=rise)
        np.minimum(cone, rise, out=cone)
        del rise
        if reach >= max(bed.shape):
            del highest
            free = np.empty((*bed.shape, 2), np.float32)
            for k, radius in enumerate((cone, cylinder)):
                np.negative(_highest_within(-radius, 1), out=free[..., k])
            return free
        reach, highest = 2 * reach, _highest_within(highest, reach)


def level_rectangle(bed: NDArray[np.float32], rise: float) -> tuple[int, int, int, int]:
    """A large rectangle of points as low as the lowest: its first row and column, and its last.

    It is one of the largest squares of such points, drawn out over as many rows as it can, then over columns.

    Args:
        bed: height of the ground [m], shape (nz, nx).
        rise: how much higher than the lowest such points may be [m].
    """
    low = bed <= np.nanmin(bed) + rise
    if not low.any():  # the ground has heights that are no numbers
        return 0, 0, 0, 0
    before = np.zeros((bed.shape[0] + 1, bed.shape[1] + 1), np.int32)  # points so low in the rows and columns before
    before[1:, 1:] = low.cumsum(axis=0, dtype=np.int32).cumsum(axis=1, dtype=np.int32)

    def squares(n: int) -> NDArray[np.bool_]:
        """Whether the square of n × n points that begins at each point is that low."""
        inside = before[n:, n:] - before[:-n, n:] - before[n:, :-n] + before[:-n, :-n]
        return np.asarray(inside == n * n)

    side, too_large = 1, min(bed.shape) + 1
    while too_large - side > 1:
        middle = (side + too_large) // 2
        side, too_large = (middle, too_large) if squares(middle).any() else (side, middle)
    top, left = (int(first) for first in np.argwhere(squares(side))[0])
    top, bottom = _drawn_out(np.all(low[:, left : left + side], axis=1), top, top + side - 1)
    left, right = _drawn_out(np.all(low[top : bottom + 1], axis=0), left, left + side - 1)
    return top, left, bottom, right


def _drawn_out(there: NDArray[np.bool_], first: int, last: int) -> tuple[int, int]:
    """The longest run of what is there that holds all from the first to the last."""
    while first > 0 and there[first - 1]:
        first -= 1
    while last < len(there) - 1 and there[last + 1]:
        last += 1
    return first, last


def _highest_within(heights: NDArray[np.float32], reach: int) -> NDArray[np.float32]:
    """The highest of each point and of those `reach` rows, columns or both away."""
    wider = heights.copy()
    np.maximum(wider[reach:], heights[:-reach], out=wider[reach:])
    np.maximum(wider[:-reach], heights[reach:], out=wider[:-reach])
    highest = wider.copy()
    np.maximum(highest[:, reach:], wider[:, :-reach], out=highest[:, reach:])
    np.maximum(highest[:, :-reach], wider[:, reach:], out=highest[:, :-reach])
    return highest
