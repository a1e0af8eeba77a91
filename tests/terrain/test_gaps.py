import numpy as np
import pytest

from waterview.terrain.gaps import fill_gaps


def test_without_gaps_nothing_changes():
    values = np.random.default_rng(1).normal(size=(7, 9)).astype(np.float32)
    assert np.array_equal(fill_gaps(values, np.ones((7, 9), bool)), values)


@pytest.mark.parametrize("shape", [(2, 2), (5, 8), (33, 17), (64, 64), (2, 101)])
def test_valid_samples_are_untouched_and_the_others_stay_in_their_range(shape):
    random = np.random.default_rng(2)
    values = random.normal(size=shape).astype(np.float32)
    valid = random.random(shape) < 0.3
    valid[0, 0] = True
    garbage = np.where(valid, values, np.float32(np.nan))
    filled = fill_gaps(garbage, valid)
    assert filled.dtype == np.float32 and np.isfinite(filled).all()
    assert np.array_equal(filled[valid], values[valid])
    assert values[valid].min() <= filled.min() and filled.max() <= values[valid].max()


def test_a_single_sample_fills_everything():
    values, valid = np.zeros((50, 31), np.float32), np.zeros((50, 31), bool)
    values[17, 29], valid[17, 29] = 4.5, True
    assert np.array_equal(fill_gaps(values, valid), np.full((50, 31), 4.5, np.float32))


def test_a_gap_in_a_slope_is_bridged():
    z, x = np.mgrid[0:64, 0:64].astype(np.float32)
    slope = 2.0 * x + z
    valid = np.ones((64, 64), bool)
    valid[24:36, 20:44] = False
    filled = fill_gaps(slope, valid)
    assert np.abs(filled - slope)[~valid].max() < 0.15 * np.ptp(slope)
    assert np.abs(np.diff(filled, axis=1)).max() < 20.0  # no cliffs at the gap's rim


def test_no_side_is_preferred():
    random = np.random.default_rng(3)
    values, valid = random.normal(size=(32, 32)).astype(np.float32), random.random((32, 32)) < 0.1
    filled = fill_gaps(values, valid)
    for turned in (np.s_[::-1], np.s_[:, ::-1]):
        assert np.allclose(fill_gaps(values[turned], valid[turned]), filled[turned], atol=1e-6)
    assert np.allclose(fill_gaps(values.T, valid.T), filled.T, atol=1e-6)


def test_nothing_valid_is_an_error():
    with pytest.raises(ValueError, match="no sample is valid"):
        fill_gaps(np.zeros((3, 3), np.float32), np.zeros((3, 3), bool))
