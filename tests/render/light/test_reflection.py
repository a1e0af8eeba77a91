"""What water mirrors: land hangs on its own foot."""

import numpy as np
import pytest
from support.scenes import make_frame

from waterview.render.camera.camera import OrbitCamera

SIZE = (240, 135)


@pytest.fixture
def draw(drawing):
    return drawing(SIZE, look="natural", surroundings="floor", sun_elevation=60.0, auto_exposure=False)


@pytest.mark.slow
def test_the_mirror_image_of_land_begins_at_its_foot_on_waves_as_on_still_water(draw):
    """Waves draw the image out but leave no band of sky between it and the shore."""
    x, z = np.linspace(-15.0, 15.0, 121)[None, :], np.linspace(-10.0, 10.0, 81)[:, None]
    waves = 0.04 * (np.sin(4.0 * z + x) + np.sin(3.1 * z - 1.7 * x) + np.sin(5.3 * z + 0.4 * x))
    camera = OrbitCamera.framing(make_frame((81, 121), 0.25, bed=np.where(z < -4.0, 6.0, -3.0) + 0.0 * x))
    camera.azimuth, camera.elevation, camera.distance, camera.target = 0.0, np.radians(6.0), 16.0, (0.0, 0.0, 0.0)
    foot = round(camera.project((0.0, 0.0, -3.9), SIZE)[1])
    darker = []
    for heights in (waves, 0.0 * waves):
        rows = []
        for there in (True, False):
            bed = np.where((z < -4.0) & there, 6.0, -3.0) + 0.0 * x
            frame = make_frame((81, 121), 0.25, bed=bed, heights=heights, serial=2 + there)
            rows.append(draw(frame, camera)[foot + 2 : foot + 10, 60:180].mean())
        darker.append(rows[1] - rows[0])
    # Of about 100 steps of 255 between sky and land; where sky is blurred in at the foot it is half of that.
    assert darker[0] > 50.0 and darker[1] > 75.0
