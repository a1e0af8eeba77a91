"""Cells of shallow water (`FiniteVolumes`, `Boussinesq`) that tests step without a model around them."""

import numpy as np
import pytest

from waterview.waters.shallow.finite_volume import COURANT

G = 9.81


def run(water, seconds, steps=1, damping=0.0, friction=0.0, gravity=G):
    """Go on for so many seconds, in `steps` parts; all of the time must be taken, with no substep too long."""
    for _ in range(steps):
        taken = water.advance(seconds / steps, gravity=gravity, damping=damping, friction=friction, max_substeps=10_000)
        assert taken.time_share == pytest.approx(1.0) and taken.courant <= COURANT * (1 + 1e-6)
    return water


def volume(water):
    """Water in all cells, in volumes of a cell 1 m deep."""
    return water.conserved[0].sum(dtype=float) + water.still.sum(dtype=float)


def channel(profile, rows=3):
    """The same profile in every row."""
    return np.repeat(np.asarray(profile, float)[None, :], rows, axis=0)
