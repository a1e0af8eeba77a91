"""Foam of the ocean: where it appears, how long it stays and how often it is updated."""

import math

import numpy as np
import pytest

from waterview.waters.ocean.foam import decay, steps_between
from waterview.waters.ocean.kernels.foam import FOAM_RAMP, foam_row


def test_it_decays_to_1_over_e_in_its_life_however_time_is_cut():
    assert decay(4.0, 4.0) == pytest.approx(1.0 / math.e)
    assert decay(1.0, 3.0) ** 2 == pytest.approx(decay(2.0, 3.0))


@pytest.mark.parametrize(("rate", "steps"), [(1.0, 1), (30.0, 1), (60.0, 2), (120.0, 4), (1000.0, 33)])
def test_it_is_updated_about_thirty_times_a_second(rate, steps):
    assert steps_between(rate) == steps


def test_it_appears_where_the_smaller_eigenvalue_is_below_the_threshold():
    rng = np.random.default_rng(0)
    xx, zz, xz = rng.uniform(-1.0, 0.5, (3, 200)).astype(np.float32)
    old, new = rng.uniform(0.0, 1.0, 200).astype(np.float32), np.zeros(200, np.float32)
    foam_row(new, old, xx, zz, xz, np.float32(0.7), np.float32(0.5))
    jacobians = np.stack((np.stack((1.0 + xx, xz)), np.stack((xz, 1.0 + zz)))).transpose(2, 0, 1).astype(float)
    smaller = np.linalg.eigvalsh(jacobians)[:, 0]
    expected = np.maximum(0.5 * old, np.clip((0.7 - smaller) / FOAM_RAMP, 0.0, 1.0))
    np.testing.assert_allclose(new, expected, atol=1e-5)
