"""Texts of the command line become places in the scene."""

import math

import numpy as np
import pytest
from support.scenes import make_frame

from waterview.core.errors import ParameterError
from waterview.scene.arguments import parse_camera, parse_drop


def test_a_camera_stands_where_its_numbers_say():
    frame = make_frame(level=1.5)
    camera = parse_camera("3,-2,40,90,30").of(frame)
    assert camera.target == (3.0, 1.5, -2.0)
    flat, up = 40.0 * math.cos(math.radians(30.0)), 20.0
    np.testing.assert_allclose(camera.eye, (3.0 + flat, 1.5 + up, -2.0), atol=1e-9)


def test_what_is_left_out_of_a_drop_is_as_usual():
    grid = make_frame().grid
    whole, usual = parse_drop("1,-2,0.5,3,0.25", grid), parse_drop("1,-2", grid)
    assert (whole.drop.x, whole.drop.z, whole.drop.height, whole.drop.radius, whole.time) == (1.0, -2.0, 0.5, 3.0, 0.25)
    assert usual.time == 0.0 and usual.drop.height > 0.0
    assert parse_drop("1,-2,0.5", grid).drop.radius == pytest.approx(usual.drop.radius)


def test_a_camera_below_the_horizon_is_under_water_and_above_the_ground():
    frame = make_frame(bed=np.full((41, 61), -4.0, np.float32))
    camera = parse_camera("0,0,6,20,-30").of(frame)
    assert camera.dive and -4.0 < camera.eye[1] < 0.0
    assert not parse_camera("0,0,6,20,30").of(frame).dive
    with pytest.raises(ParameterError, match="elevations of -89 to 90"):
        parse_camera("0,0,6,20,-89.5")
