"""How long foam lasts, and the pattern that shows it."""

import dataclasses

import numpy as np
import pytest
from support.scenes import make_frame

from waterview.render.noise import SIZE
from waterview.render.water.foam import foam_left, foam_pattern_tile

FOAM_LIFE = 2.0


def test_foam_does_not_outlive_a_jump_in_time_or_another_terrain():
    frame = make_frame()
    assert foam_left(None, frame, FOAM_LIFE) == 0.0
    assert foam_left(frame, dataclasses.replace(frame, time=FOAM_LIFE / 2), FOAM_LIFE) == pytest.approx(np.exp(-0.5))
    for other in (
        dataclasses.replace(frame, time=-0.1),
        dataclasses.replace(frame, time=1e3),
        make_frame(),
        dataclasses.replace(frame, grid=frame.grid.with_level(1.0)),
    ):
        assert foam_left(frame, other, FOAM_LIFE) == 0.0


@pytest.mark.parametrize("density", [0.0, 0.1, 0.5, 0.9, 1.0])
def test_foam_of_a_density_covers_that_share_of_the_water(density):
    covered = foam_pattern_tile() <= density
    assert covered.mean() == pytest.approx(density, abs=1.0 / SIZE)


def test_the_pattern_repeats_without_a_seam():
    tile = foam_pattern_tile()[..., 0]
    for axis in (0, 1):
        steps = np.abs(np.diff(np.concatenate((tile, tile.take([0], axis)), axis), axis=axis))
        seam = steps.take([-1], axis).mean()
        assert seam < 1.5 * steps.mean()
