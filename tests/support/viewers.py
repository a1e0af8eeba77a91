"""What tests of the viewer share: positions in a window, parameters with keys, other scenes."""

from dataclasses import dataclass

from waterview.core.commands import ReplaceWater
from waterview.core.params import param
from waterview.scene.navigator import SceneChange
from waterview.waters.common.water import WaterParams

SIZE = (640, 360)


@dataclass(frozen=True, kw_only=True)
class TunedParams(WaterParams):
    wave_speed: float = param(2.0, low=0.0, high=10.0, step=2.0, scale="log", smallest=0.1, keys=("down", "up"))


class FakeScenes:
    def settings(self):
        return []

    def next_terrain(self):
        return SceneChange("another coast", (ReplaceWater(lambda: None),))

    def next_model(self):
        return "another model", ReplaceWater(lambda: None, keep_level=True)


def pointer_over(viewer, x, z):
    """Where in the window of `SIZE` still water at a world place is seen."""
    px, py, depth = viewer.camera.project((x, viewer.frame.grid.level, z), SIZE)
    assert depth > 0.0
    return px, py
