"""Where foam appears on the ocean and how it decays, compiled; see `ocean.foam`."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from waterview.simd.jit import jit

FOAM_RAMP = np.float32(0.15)  # of J's smaller eigenvalue, from no foam to full foam
ZERO, HALF, ONE = np.float32(0.0), np.float32(0.5), np.float32(1.0)

Floats = NDArray[np.float32]


@jit
def foam_row(
    new: Floats, old: Floats, jxx: Floats, jzz: Floats, jxz: Floats, threshold: np.float32, decay: np.float32
) -> None:
    """Foam of one row: max(decay·old, how far J's smaller eigenvalue is below the threshold).

    J₋ = ½(Jxx + Jzz) − √(¼(Jxx − Jzz)² + Jxz²). Foam is full where J₋ is `FOAM_RAMP` below the threshold.

    Args:
        new: written, shape (nx,).
        old: foam before.
        jxx: Jxx − 1 = ∂s_x/∂x.
        jzz: Jzz − 1 = ∂s_z/∂z.
        jxz: Jxz = ∂s_z/∂x.
        threshold: of J₋.
        decay: the share of the old foam that is left.
    """
    for j in range(len(new)):
        difference = HALF * (jxx[j] - jzz[j])
        smaller = ONE + HALF * (jxx[j] + jzz[j]) - np.sqrt(difference * difference + jxz[j] * jxz[j])
        new[j] = max(old[j] * decay, min(max((threshold - smaller) / FOAM_RAMP, ZERO), ONE))
