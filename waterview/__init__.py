"""Real water on real terrain: a viewer and a library.

The names below are all that most programs need:

    import waterview

    scene = waterview.open_scene("coast.tif", model="shallow-water", grid=256)
    scene.drop(0.0, 0.0).run(seconds=5.0)
    print(scene.height.max())
    scene.save("waves.png")

They are imported when first used, so that `import waterview` costs nothing.
"""

from __future__ import annotations

import logging
from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from waterview.bodies.collection import Bodies
    from waterview.lakes.recorded import open_lake
    from waterview.lakes.scene import bake
    from waterview.live_scene import LiveScene, open_scene, simulate_from
    from waterview.output.dataset import to_xarray
    from waterview.render.camera.camera import OrbitCamera
    from waterview.render.camera.picking import pick
    from waterview.render.offscreen import opengl
    from waterview.sim.loop import Simulation
    from waterview.waters.common.water import Water
    from waterview.waters.wave.wave_equation import WaveEquationWater

    from .core.commands import Drop
    from .core.errors import ParameterError, WaterviewError
    from .core.frame import Frame
    from .core.grid import Grid
    from .render.renderer import Renderer
    from .terrain.heightmap import Heightmap
    from .waters import MODELS

__version__ = "0.2.0"

logging.getLogger(__name__).addHandler(logging.NullHandler())  # who wants to read it adds a handler

_HOMES = {
    "Bodies": "bodies.collection",
    "Drop": "core.commands",
    "Frame": "core.frame",
    "Grid": "core.grid",
    "Heightmap": "terrain.heightmap",
    "LiveScene": "live_scene",
    "MODELS": "waters",
    "OrbitCamera": "render.camera.camera",
    "ParameterError": "core.errors",
    "Renderer": "render.renderer",
    "Simulation": "sim.loop",
    "Water": "waters.common.water",
    "WaterviewError": "core.errors",
    "WaveEquationWater": "waters.wave.wave_equation",
    "bake": "lakes.scene",
    "open_lake": "lakes.recorded",
    "open_scene": "live_scene",
    "opengl": "render.offscreen",
    "pick": "render.camera.picking",
    "simulate_from": "live_scene",
    "to_xarray": "output.dataset",
}

__all__ = [
    "MODELS",
    "Bodies",
    "Drop",
    "Frame",
    "Grid",
    "Heightmap",
    "LiveScene",
    "OrbitCamera",
    "ParameterError",
    "Renderer",
    "Simulation",
    "Water",
    "WaterviewError",
    "WaveEquationWater",
    "__version__",
    "bake",
    "open_lake",
    "open_scene",
    "opengl",
    "pick",
    "simulate_from",
    "to_xarray",
]


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module 'waterview' has no attribute '{name}'")
    return getattr(import_module(f".{_HOMES[name]}", __name__), name)


def __dir__() -> list[str]:
    return __all__
