"""Ground, waves and time for tests of all waters."""

import numpy as np


class Ground:
    """The ground under a water: its heights [m], shape (nz, nx), or a function of world x and z that gives them."""

    def __init__(self, heights):
        self.heights = heights

    def height_at(self, x, z):
        return self.heights(x, z) + 0.0 * (x + z) if callable(self.heights) else self.heights


def dam(x, z):
    """Ground 1 m under water with a dam along x = 10, as high above it."""
    return np.where(np.abs(x - 10.0) < 0.3, 1.0, -1.0)


def raise_to(water, heights):
    """Release the water from rest at `heights` [m], shape (nz, nx)."""
    for level in water.time_levels:
        level[...] = np.where(water.fixed, 0.0, heights)


def run(water, steps):
    """Take so many time steps."""
    for _ in range(steps):
        water.step()


def heights_at(water, ix, seconds):
    """Times [s] and heights [m] after each step, at column `ix` of row 2."""
    times, heights = [], []
    for _ in range(round(seconds * water.params.steps_per_second)):
        water.step()
        times.append(water.time)
        heights.append(float(water.height[2, ix]))
    return np.array(times), np.array(heights)
