"""The guard: its figures, its limit, and ten thousand random settings."""

import math

import numpy as np
import pytest
from support.fields import PLAIN_BORDERS, advance
from support.stability import run_random_setting
from support.thinned import thinned

from waterview.simd.layout import TwoLevels
from waterview.waters.common.stability import MARGIN, MAX_SUBSTEPS, largest_courant, stable_step
from waterview.waters.wave.step import STENCILS

DAMPINGS = [0.0, 0.01, 0.5, 1.0]


def stable(damping, courant, symbol):
    return 0.0 <= damping <= 1.0 and damping + courant**2 * symbol / 2.0 <= 2.0 * MARGIN + 1e-12


class TestFigures:
    def test_what_is_stable_is_done_as_asked(self):
        step = stable_step(wave_speed=3.0, damping=0.5, time_step=0.1, spacing=1.0)
        assert (step.wave_speed, step.damping, step.substeps) == (3.0, 0.5, 1)
        assert step.step_damping == pytest.approx(0.05) and step.courant == pytest.approx(0.3)

    @pytest.mark.parametrize("symbol", [8.0, 4.0])
    @pytest.mark.parametrize("courant", [0.9, 1.5, 4.0, 5.5])
    def test_the_fewest_substeps_that_are_stable_are_taken(self, symbol, courant):
        step = stable_step(wave_speed=courant, damping=0.3, time_step=1.0, spacing=1.0, largest_symbol=symbol)
        assert (step.wave_speed, step.damping) == (courant, 0.3)
        assert step.courant == pytest.approx(courant / step.substeps)
        assert step.step_damping == pytest.approx(0.3 / step.substeps)
        assert stable(step.step_damping, step.courant, symbol)
        fewer = step.substeps - 1
        assert fewer == 0 or not stable(0.3 / fewer, courant / fewer, symbol)

    def test_beyond_the_cap_the_wave_is_slowed_to_the_limit(self):
        step = stable_step(wave_speed=1e5, damping=0.0, time_step=0.01, spacing=2.0)
        assert step.substeps == MAX_SUBSTEPS
        assert step.courant == largest_courant(0.0, 8.0)
        assert step.wave_speed == pytest.approx(step.courant * 2.0 / (0.01 / MAX_SUBSTEPS))
        assert step.wave_speed < 1e5

    def test_beyond_the_cap_damping_is_lowered_too(self):
        step = stable_step(wave_speed=1.0, damping=1000.0, time_step=1.0, spacing=10.0)
        assert (step.substeps, step.step_damping) == (MAX_SUBSTEPS, 1.0)
        assert step.damping == pytest.approx(MAX_SUBSTEPS)
        assert step.wave_speed == 1.0

    def test_the_limit_is_that_of_the_equation_with_a_margin(self):
        assert largest_courant(0.0, 8.0) ** 2 * 4.0 == pytest.approx(2.0 * MARGIN)
        assert 0.4 + largest_courant(0.4, 8.0) ** 2 * 4.0 == pytest.approx(2.0 * MARGIN)
        assert 0.4 + largest_courant(0.4, 4.0) ** 2 * 2.0 == pytest.approx(2.0 * MARGIN)

    @pytest.mark.parametrize("spacing", [5e-324, 1e-200, 1e300])
    @pytest.mark.parametrize("wave_speed", [0.0, 1e-300, 1e5])
    def test_absurd_sizes_give_finite_figures(self, spacing, wave_speed):
        step = stable_step(wave_speed, 1000.0, 1.0, spacing)
        assert all(map(math.isfinite, (step.wave_speed, step.damping, step.step_damping, step.courant)))
        assert 0.0 <= step.wave_speed <= wave_speed and stable(step.step_damping, step.courant, 8.0)


class TestLimit:
    """The limit is where the step really blows up, not sooner and not later."""

    def largest_after(self, stencil, border, damping, share, steps=250):
        """Largest height after `steps` from noise between −1 and 1, at `share` of the limit without its margin."""
        shape = (48, 48)
        field = TwoLevels(shape)
        field.heights[...] = np.random.default_rng(0).uniform(-1.0, 1.0, shape)
        field.heights_before[...] = field.heights
        courant = math.sqrt((2.0 * share - damping) * 2.0 / STENCILS[stencil].largest_symbol)
        runs = np.zeros(shape, bool)
        advance(field, runs, stencil=stencil, border=border, damping=damping, courant=courant, steps=steps)
        return np.abs(field.heights).max()

    @pytest.mark.parametrize(("stencil", "border", "damping"), thinned(STENCILS, PLAIN_BORDERS, DAMPINGS))
    def test_just_below_it_waves_stay_bounded_and_just_above_they_grow(self, stencil, border, damping):
        assert self.largest_after(stencil, border, damping, 0.99) < 20.0
        assert self.largest_after(stencil, border, damping, 1.02) > 1e4


@pytest.mark.slow
def test_ten_thousand_random_settings_stay_bounded():
    """As `make attack` tries them by the hundred thousand, for longer."""
    rng = np.random.default_rng(7)
    slowed = divided = 0
    for _ in range(10_000):
        step, wave_speed = run_random_setting(rng, steps=100)
        divided += step.substeps > 1
        slowed += step.wave_speed < wave_speed
    assert divided > 1000 and slowed > 1000, "the sweep must go beyond what is stable as asked"
