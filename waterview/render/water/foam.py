"""Foam that the renderer draws: how much of it is left from frame to frame, and the pattern that makes it visible.

Shaders do the rest: foam_motion.glsl lets foam be born and carries it (in `waves`, see `surface.py`), foam.glsl shades
it. Spray lands as foam (`spray.py`). Lifetimes are in `WATER_TYPES` (`water_types.py`); threshold and lifetime of the
foam that the ocean publishes are its parameters `foam` and `foam_life`.
"""

from __future__ import annotations

import math
from functools import cache

import numpy as np
from numpy.typing import NDArray

from waterview.core.frame import Frame
from waterview.render.noise import SEED, SIZE, TilePass, noise_tile
from waterview.render.render_pass import Setup

_BUBBLES_IN_PATTERN = 420
_LONGEST_GAP = 2.0
"""Longest time between two frames over which foam is followed [s]."""


def foam_left(last: Frame | None, frame: Frame, life: float) -> float:
    """Share of foam that has not faded between two frames; 0 if the second does not follow the first.

    `life` is the time in which foam fades to a third [s].
    """
    if last is None or last.bed is not frame.bed or last.grid != frame.grid:
        return 0.0
    elapsed = frame.time - last.time
    return math.exp(-elapsed / life) if 0.0 <= elapsed <= _LONGEST_GAP else 0.0


@cache
def foam_pattern_tile() -> NDArray[np.float32]:
    """A seamless pattern of bubbles, the same on every run: the density at which foam covers each place.

    Bubbles are the cells around scattered points. Foam first fills the borders between them (Worley 1996), in some
    patches before others. Values are spread evenly over 0-1, so that foam of density d covers a share d.

    Returns:
        Shape (SIZE, SIZE, 1).
    """
    random = np.random.default_rng(SEED + 1)
    share = (np.arange(SIZE) + 0.5) / SIZE
    nearest, second = np.full((2, SIZE, SIZE), np.inf)
    for x, z in random.random((_BUBBLES_IN_PATTERN, 2)):
        across, along = (np.abs(share - middle) for middle in (x, z))
        # The tile repeats, so nothing is farther away than half of it.
        across, along = np.minimum(across, 1.0 - across), np.minimum(along, 1.0 - along)
        distance = np.square(across)[None, :] + np.square(along)[:, None]
        second = np.minimum(second, np.maximum(nearest, distance))
        nearest = np.minimum(nearest, distance)
    roots = np.sqrt(nearest), np.sqrt(second)
    border = roots[1] - roots[0]
    patches = noise_tile()[..., 0]
    order = (border / border.std() + 1.1 * patches / patches.std()).ravel().argsort().argsort()
    return np.asarray(order.reshape(SIZE, SIZE, 1) / (SIZE * SIZE - 1.0), np.float32)


def _with_slopes(tile: NDArray[np.float32]) -> NDArray[np.float32]:
    """A seamless tile, shape (n, n, 1), and its derivatives along columns and rows per tile, shape (n, n, 3)."""
    slopes = [0.5 * len(tile) * (np.roll(tile, -1, axis) - np.roll(tile, 1, axis)) for axis in (1, 0)]
    return np.concatenate((tile, *slopes), axis=-1)


class FoamPatternPass(TilePass):
    """Holds the pattern of bubbles and its slopes."""

    name, writes = "foam pattern", ("foam_pattern",)

    def __init__(self, setup: Setup) -> None:
        super().__init__(setup, _with_slopes(foam_pattern_tile()))
