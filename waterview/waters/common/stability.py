"""Which time step is stable for the damped wave equation, and what replaces a request that is not.

For a wave with −L(h) = S·h, Bressler's step (2007, eq. 2) is the recurrence z² − (2 − κ − λ²S)z + (1 − κ) = 0, where
κ = kΔt is the damping of one step and λ = cΔt/Δx the Courant number. For 0 ≤ κ ≤ 1 both roots lie within the unit
circle if and only if κ + λ²S/2 ≤ 2; Bressler's eq. (6) is the case S = 8. Fixed points and borders can only lower the
largest S.
"""

from __future__ import annotations

import functools
import math
from dataclasses import dataclass

MARGIN = 0.99
"""The share of the limit that is used: at the limit itself an undamped wave grows linearly."""

MAX_SUBSTEPS = 8
"""Most sub-steps that one time step is divided into; then the wave is slowed instead."""

STILL_COURANT = 1e-4
"""Below this Courant number the motion of a wave is lost in the rounding of its height, and not scaled up again."""


@dataclass(frozen=True)
class StableStep:
    """How one time step is really taken.

    Attributes:
        wave_speed: effective c [m/s]; less than requested where even `substeps` = `MAX_SUBSTEPS` was not enough.
        damping: effective k [1/s]; less than requested in the same case.
        substeps: number of equal parts that the time step is divided into.
        step_damping: κ = kΔt of one sub-step: the share of the motion that it takes away.
        courant: the Courant number λ of one sub-step.
    """

    wave_speed: float
    damping: float
    substeps: int
    step_damping: float
    courant: float


@functools.lru_cache(maxsize=64)  # it is asked for in every step, and again for every frame
def stable_step(
    wave_speed: float,
    damping: float,
    time_step: float,
    spacing: float,
    largest_symbol: float = 8.0,
) -> StableStep:
    """The stable step closest to the request.

    The request is met with the fewest sub-steps that are stable. If `MAX_SUBSTEPS` are not enough, damping is lowered
    to κ ≤ 1, and then the wave is slowed to the largest speed that is stable with it.

    Args:
        wave_speed: c [m/s], 0 or more.
        damping: k [1/s], 0 or more.
        time_step: Δt [s], above 0.
        spacing: Δx [m], above 0.
        largest_symbol: the largest S of the stencil; 8 for Bressler's eq. (3) and eq. (4).
    """
    whole_damping, whole_courant = damping * time_step, wave_speed * time_step / spacing
    for parts in range(1, MAX_SUBSTEPS + 1):
        step_damping, courant = whole_damping / parts, whole_courant / parts
        if step_damping <= 1.0 and courant <= largest_courant(step_damping, largest_symbol):
            return StableStep(wave_speed, damping, parts, step_damping, courant)
    step_damping = min(step_damping, 1.0)
    courant = min(courant, largest_courant(step_damping, largest_symbol))
    part = time_step / parts
    wave_speed, damping = min(courant * spacing / part, wave_speed), min(step_damping / part, damping)
    return StableStep(wave_speed, damping, parts, step_damping, courant)


def largest_courant(step_damping: float, largest_symbol: float) -> float:
    """The largest λ that is used with a κ of 0 to 1: that of κ + λ²S/2 = 2, with a margin of `MARGIN`."""
    return math.sqrt((2.0 * MARGIN - step_damping) * 2.0 / largest_symbol)


def motion_ratio(before: float, now: float, still: float = STILL_COURANT) -> float:
    """The factor for the motion of waves that continue at another speed, so that they keep shape and direction.

    Args:
        before: the speed until now, as a Courant number or in any unit.
        now: that from now on.
        still: `STILL_COURANT` in that unit.
    """
    if 0.0 < before >= now:
        return now / before
    return max(now, still) / max(before, still)
