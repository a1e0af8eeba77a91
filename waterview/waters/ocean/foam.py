"""Foam of the ocean: what `Frame.foam` holds, where it comes from and how long it stays (Tessendorf 2001).

Foam appears where the sideways shift squeezes the surface: where the smaller eigenvalue of its Jacobian J = ∂(x + s)/∂x
is below a threshold. It decays exponentially. `kernels.foam` computes both while the surface is composed. Threshold and
lifetime are the parameters `foam` and `foam_life` (`ocean_params.py`).
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

RATE = 30.0
"""How often new foam is looked for [1/s]: fixed in simulated time, so that it does not depend on who watches."""


class FoamUpdate(NamedTuple):
    """What the foam becomes after some time.

    Attributes:
        amount: foam before, 0 to 1, shape (nz, nx) float32.
        threshold: foam appears where J's smaller eigenvalue is below this; 0 for none.
        decay: the share of the old foam that is left.
    """

    amount: NDArray[np.float32]
    threshold: float
    decay: float


def steps_between(steps_per_second: float) -> int:
    """The number of steps from one update of the foam to the next."""
    return max(1, round(steps_per_second / RATE))


def decay(elapsed: float, life: float) -> float:
    """The share of foam that is left after `elapsed` [s], if it falls to a third (1/e) in `life` [s]."""
    return math.exp(-elapsed / life)
