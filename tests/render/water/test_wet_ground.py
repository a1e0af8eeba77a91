"""Ground that water has left is wet, and dries."""

import dataclasses

import numpy as np
import pytest
from support.scenes import make_frame

from waterview.render.camera.camera import OrbitCamera
from waterview.render.water.surface import DRYING

SIZE = (96, 54)
X = np.linspace(-6.0, 6.0, 61)[None, :] * np.ones((41, 1))


@pytest.mark.slow
def test_a_wave_leaves_a_beach_wet_until_it_dries(drawing):
    """A wave runs 3 m up a beach and back: the sand below its mark is dark, and light again after some minutes."""
    beach = 0.1 * X
    draw = drawing(SIZE, look="natural", auto_exposure=False, surroundings="floor")
    flooded = np.where(X < 3.0, 0.4, beach - 0.01)
    calm = np.where(X < 0.0, 0.0, beach - 0.01)
    first = make_frame((41, 61), 0.2, bed=beach, heights=calm, serial=1)
    camera = OrbitCamera.framing(first)
    camera.target, camera.distance, camera.azimuth, camera.elevation = (2.0, 0.2, 0.0), 7.0, 0.0, 1.55
    dry = draw(first, camera)
    level = dataclasses.replace(first, heights=flooded.astype(np.float32), serial=2, time=0.5)
    draw(level, camera)
    wet = draw(dataclasses.replace(first, serial=3, time=1.0), camera)
    for number in range(1, 1 + round(2.0 * DRYING)):
        later = draw(dataclasses.replace(first, serial=3 + number, time=1.0 + 2.0 * number), camera)
        if number == round(0.5 * DRYING):
            drying = later
    columns = [camera.project((x, 0.1 * x, 0.0), SIZE)[0] for x in (1.5, 2.5, 3.5, 4.5)]
    left, right, far, end = (round(column) for column in columns)

    def brightness(picture):
        covered, beyond = picture[24:30, left:right].mean(), picture[24:30, far:end].mean()
        return covered, beyond

    (was, there), (is_wet, beside), (in_between, _), (is_dry, _) = map(brightness, (dry, wet, drying, later))
    assert is_wet < 0.85 * was and beside == pytest.approx(there, rel=0.01)
    assert is_wet < in_between < is_dry
    assert is_dry == pytest.approx(was, rel=0.03)
