"""Shadows of meshes: under water, and on themselves."""

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


@pytest.mark.slow
def test_light_on_a_mesh_changes_without_steps(drawing):
    """Where a duck turns away from the sun, and where its head shades its back."""
    duck = BodyState(
        1, "duck", shape_of("duck").visual_mesh, np.array((0.0, 2.0, 0.0)), np.eye(3), np.full(3, 4.0), density=300.0
    )
    frame = make_frame(bodies=(duck,))
    camera = OrbitCamera.framing(frame)
    camera.azimuth = 0.0
    seen = []
    for camera.target, camera.distance, camera.elevation in (((0.7, 2.2, 0.0), 4.0, 0.05), ((0.0, 2.9, 0.6), 3.0, 0.5)):
        picture = drawing((320, 180))(
            frame, camera, sun_elevation=50.0, sun_azimuth=102.0, look="natural", auto_exposure=False
        )
        seen.append(picture.sum(axis=2))
    breast, back = seen[0][78:150, 30:190], seen[1][80:118, 85:170]
    assert np.ptp(breast) > 150.0 and np.ptp(back) > 150.0  # sunlit and shaded
    assert np.abs(np.diff(breast, axis=1)).max() < 16.0
    assert max(np.abs(np.diff(back, axis=axis)).max() for axis in (0, 1)) < 60.0
