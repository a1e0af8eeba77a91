"""Random settings of the wave equation, run under the guard that keeps them stable."""

from __future__ import annotations

import numpy as np

from support.fields import PLAIN_BORDERS, advance
from waterview.simd.layout import TwoLevels
from waterview.waters.common.stability import StableStep, stable_step
from waterview.waters.wave.step import STENCILS


def run_random_setting(rng: np.random.Generator, steps: int) -> tuple[StableStep, float]:
    """Step noise with any mask, stencil, border, wave speed, damping, time step and cell size that a user may set.

    No wave may grow more than tenfold: at 0.99 of the limit that is what releasing one from rest can come to.

    Returns:
        What the guard made of the setting, and the wave speed that was asked for [m/s].
    """
    shape = (int(rng.integers(2, 14)), int(rng.integers(2, 20)))
    fixed = rng.random(shape) < rng.choice([0.0, 0.1, 0.5])
    wave_speed = float(rng.choice([0.0, 10.0 ** rng.uniform(-2.0, 5.0)]))
    damping = rng.choice([0.0, 10.0 ** rng.uniform(-3.0, 3.0), 1000.0])
    time_step = 1.0 / 10.0 ** rng.uniform(0.0, 4.0)
    spacing = 10.0 ** rng.uniform(-2.0, 3.0)
    stencil, border = str(rng.choice(list(STENCILS))), str(rng.choice(PLAIN_BORDERS))
    step = stable_step(wave_speed, damping, time_step, spacing, STENCILS[stencil].largest_symbol)
    field = TwoLevels(shape)
    field.heights[...] = np.where(fixed, 0.0, rng.standard_normal(shape))
    field.heights_before[...] = field.heights
    before = np.linalg.norm(field.heights)
    advance(
        field,
        fixed,
        stencil=stencil,
        border=border,
        damping=step.step_damping,
        courant=step.courant,
        steps=steps * step.substeps,
    )
    assert np.isfinite(field.heights).all(), (shape, stencil, border, wave_speed, damping, time_step, spacing)
    assert np.linalg.norm(field.heights) <= 10.1 * before, (shape, stencil, border, wave_speed, damping, spacing)
    return step, wave_speed
