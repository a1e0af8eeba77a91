"""Under which title a parameter stands: in the panel, and in the help of the command line."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Literal

from waterview.core.params import Declaration, declarations
from waterview.render.settings import ViewParams
from waterview.terrain.options import TerrainOptions
from waterview.waters.common.wavemaker import WAVEMAKER_NAMES

from .interaction import InteractionParams
from .scene import SceneParams

WorldOwner = Literal["bodies", "detail", "gauges", "maxima"]

SCENE = "Scene and terrain"
MODEL = "Water model"
WAVES = "Incoming waves"
ACTIONS = "Drops, rain, bodies"
GAUGES = "Gauges"
VIEW = "View and light"

OF_WORLD: Mapping[WorldOwner, str] = {
    "bodies": "Floating bodies",
    "detail": "Fine detail",
    "gauges": GAUGES,
    "maxima": "Fields over the run",
}
"""Titles of the parameters of a world, by their owners in `waterview.sim.world.WORLD_PARAMS`."""

ELSEWHERE = {"text_scale": "view", "pivot": "view", "left_drag": "view", "gauge_span": "gauges", "maxima": "maxima"}
"""Parameters of interaction and of the scene that stand in the section of another owner."""


def in_sections(entries: Iterable[Declaration]) -> dict[str, list[Declaration]]:
    """Parameters with flags by the title of their section, in the panel's order."""
    scene, view, actions = (
        {entry.name for params in kinds for entry in declarations(params)}
        for kinds in ((SceneParams, TerrainOptions), (ViewParams,), (InteractionParams,))
    )

    def title(name: str) -> str:
        owner = ELSEWHERE.get(name, "" if name in scene else name.partition("_")[0])
        of_world = next((place for each, place in OF_WORLD.items() if each == owner), "")
        if of_world or name in ELSEWHERE:
            return of_world or VIEW
        if name == "rain" or name in actions:
            return ACTIONS
        places = {SCENE: scene - {"model"}, VIEW: view, WAVES: WAVEMAKER_NAMES}
        return next((place for place, names in places.items() if name in names), MODEL)

    found: dict[str, list[Declaration]] = {
        each: [] for each in (SCENE, MODEL, WAVES, ACTIONS, *OF_WORLD.values(), VIEW)
    }
    for entry in entries:
        found[title(entry.name)].append(entry)
    return {each: own for each, own in found.items() if own}
