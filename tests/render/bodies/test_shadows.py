"""Shadows of meshes under water."""

import math

import numpy as np
import pytest
from support.scenes import make_frame

from waterview.bodies.kinds import shape_of
from waterview.core.body import BodyState
from waterview.render.camera.camera import OrbitCamera


@pytest.mark.slow
def test_no_light_falls_through_the_shadow_of_a_floating_mesh(drawing, renderers):
    """Where it is shaded in the air it is in the water, too: no lit gap lies between the two shadows."""
    turned = np.array([[math.cos(0.6), 0.0, math.sin(0.6)], [0.0, 1.0, 0.0], [-math.sin(0.6), 0.0, math.cos(0.6)]])
    duck = BodyState(
        1, "duck", shape_of("duck").visual_mesh, np.array((0.0, 0.12, 0.0)), turned, np.ones(3), density=300.0
    )
    x, z = np.linspace(-1.6, 1.6, 81)[None, :], np.linspace(-1.2, 1.2, 61)[:, None]
    bed = np.where((np.abs(x) < 1.5) & (np.abs(z) < 1.1), -0.5, 0.05)
    frame = make_frame(bed.shape, 0.04, bed=bed, bodies=(duck,))
    drawing((32, 18))(frame, OrbitCamera.framing(frame), sun_elevation=38.0, sun_azimuth=70.0, look="pool")
    light = renderers["low"].textures["caustic_map"]
    on_ground = np.frombuffer(light.read(), np.float16).reshape(*light.size[::-1], 4)[40:150, 40:216, 1]
    shaded = on_ground < 0.3
    assert shaded.sum() > 2000
    gaps = [row[row.argmax() : row.size - row[::-1].argmax()] for row in shaded if row.any()]
    assert sum(np.count_nonzero(~gap) for gap in gaps) < 80  # between tail and neck light may pass
