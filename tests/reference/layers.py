"""Open borders as a slow, plain twin: all sides and corners at once, on one array with the layers around it."""

import numpy as np

DEPTH = 4
SIDE = DEPTH + 1  # of what lies outside: the layer, and zeros


def retained(depths, courant):
    """b = e^(−σΔt) where σ = 3 (depth/4)², whose integral over the four cells is 4 times the wave speed."""
    return np.exp(-courant * 3.0 * (np.maximum(depths, 0.0) / DEPTH) ** 2)


class Stretched:
    """Second differences along an axis of n points of a grid, whose coordinate is stretched in the layers beside it."""

    def __init__(self, shape, axis, courant):
        self.axis = axis
        n = shape[axis] - 2 * SIDE
        at = np.arange(shape[axis]) - SIDE
        between = at[:-1] + 0.5
        along = [1, 1]
        along[axis] = -1
        self.at_points = retained(np.maximum(-at, at - n + 1) - 0.5, courant)[1:-1].reshape(along)
        self.between = retained(np.maximum(-between, between - n + 1) - 0.5, courant).reshape(along)
        self.outer, self.inner = 0.0, 0.0

    def of(self, h):
        """The second differences of h, 0 in the outermost points; what is remembered moves on."""
        change = np.diff(h, axis=self.axis)
        flux = self.between * (self.outer + change)
        self.outer = flux - change
        change = np.diff(flux, axis=self.axis)
        second = self.at_points * (self.inner + change)
        self.inner = second - change
        return np.pad(second, [(1, 1) if axis == self.axis else (0, 0) for axis in (0, 1)])


def plain(h, axis):
    """Second differences along an axis, 0 in the outermost points."""
    second = np.diff(h, n=2, axis=axis)
    return np.pad(second, [(1, 1) if each == axis else (0, 0) for each in (0, 1)])


def open_run(start, corner, damping, courant, laplacians, steps):
    """Heights after some steps from rest between four open sides, in float64.

    In the west and east L is δ_x(1 + w δ_z) + δ_z with a stretched δ_x; in the north and south it is
    δ_z(1 + w δ_x) + δ_x with a stretched δ_z, and in the corners with both stretched.
    """
    gain = laplacians * courant**2
    h = np.pad(start.astype(float), SIDE)
    before, inside = h.copy(), np.zeros(h.shape, bool)
    inside[1:-1, 1:-1] = True
    beside = np.zeros(h.shape, bool)
    beside[SIDE:-SIDE] = True
    rows, columns, of_corners = (Stretched(h.shape, axis, np.sqrt(gain)) for axis in (0, 1, 1))
    for _ in range(steps):
        along_x, along_z = plain(h, 1), plain(h, 0)
        west_east = columns.of(h + corner * along_z) + along_z
        north_south = rows.of(h + corner * along_x) + of_corners.of(h)
        change = (1.0 - damping) * (h - before) + gain * np.where(beside, west_east, north_south)
        h, before = np.where(inside, h + change, 0.0), h
    return h[SIDE:-SIDE, SIDE:-SIDE]
