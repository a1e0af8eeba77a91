"""Pictures from many frames."""

import dataclasses

import numpy as np
import reference_pictures
from PIL import Image

from waterview.headless import draw
from waterview.look import Look
from waterview.render.settings import ViewParams


def test_a_single_picture_shows_the_foam_of_the_moments_before_it_as_the_last_of_many_does(tmp_path):
    drawn = reference_pictures.coast()
    before, now = drawn.frames
    frames = dataclasses.replace(before, foam=np.full(before.grid.shape, 0.9, np.float32)), now
    look = Look(reference_pictures.SIZE, ViewParams(quality="low", **drawn.settings), lambda _: drawn.camera)
    many = draw(frames, tmp_path / "%d.png", look, frames_per_second=10.0)
    (one,) = draw(frames, tmp_path / "one.png", look, frames_per_second=10.0, count=2)
    (none,) = draw(frames[1:], tmp_path / "none.png", look)
    shown, expected, without = (np.asarray(Image.open(path)) for path in (one, many[-1], none))
    np.testing.assert_array_equal(shown, expected)
    assert (np.abs(shown.astype(int) - without).max(axis=-1) > 8).mean() > 0.05
