"""Key D with a real keyboard: under the surface, deeper, and out again."""

import numpy as np
import pytest
from support.screen import shown, until

from waterview.scene.scene import Scene, SceneParams
from waterview.terrain.library import resolve


@pytest.fixture
def program(screen):
    terrain = resolve("basin")
    scene = Scene(terrain.load(), SceneParams(grid=64), {"damping": 0.5})
    with shown(scene, [terrain], (480, 300)) as program:
        yield program


def test_d_dives_and_comes_out_and_shift_d_goes_deeper(program, user):
    above = program.picture().astype(int)
    user.key("d")
    until(program.frame, lambda: program.viewer.camera.dive)
    height = program.viewer.camera.eye[1]
    assert -2.0 < height < 0.0
    assert abs(program.picture().astype(int) - above).mean() > 10.0, "another picture is seen under water"
    user.do("key", "shift+d")
    until(program.frame, lambda: program.viewer.camera.eye[1] < height - 0.1)
    user.key("d")
    until(program.frame, lambda: not program.viewer.camera.dive and program.viewer.camera.eye[1] > 0.0)


def test_where_there_is_no_water_deep_enough_the_eye_stays_and_that_is_told(program, user, tmp_path):
    viewer = program.viewer
    np.save(tmp_path / "land.npy", np.full((20, 20), 3.0, np.float32))
    viewer.open(tmp_path / "land.npy")
    until(program.frame, lambda: viewer.frame.bed.max() == pytest.approx(3.0))
    eye = viewer.camera.eye
    user.key("d")
    until(program.frame, lambda: any("no water deep enough to dive into" in text for text in program.hud.messages))
    assert not viewer.camera.dive and viewer.camera.eye == pytest.approx(eye)
    user.key("shift+d")
    until(program.frame, lambda: any("dive first" in text for text in program.hud.messages))
