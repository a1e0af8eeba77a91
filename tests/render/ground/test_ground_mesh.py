"""The ground seen closely."""

import numpy as np
import pytest
from support.scenes import make_frame

from waterview.render.camera.bounds import Bounds
from waterview.render.camera.camera import OrbitCamera


@pytest.mark.slow
def test_grain_on_a_cliff_is_as_fine_up_and_down_as_along_it(drawing):
    z = np.linspace(-30.0, 30.0, 121)[:, None]
    bed = np.broadcast_to(np.clip(-3.0 * z, -4.0, 60.0), (121, 121))
    frame = make_frame((121, 121), 0.5, bed=bed)
    camera = OrbitCamera(Bounds.of(frame), (0.0, 30.0, -10.0), 14.0, azimuth=0.0, elevation=0.0)
    draw = drawing((256, 256), quality="medium", sun_azimuth=0.0, sun_elevation=30.0)
    cliff = draw(frame, camera).mean(axis=-1)[64:192, 64:192]
    along, down = (np.diff(cliff, axis=axis).std() for axis in (1, 0))
    # The cliff leans back, and what is seen of it is drawn together by 3/√10.
    assert 0.8 < down / along < 1.4, "laid on from above alone, grain is three times as long as wide"
    assert along > 1.0
