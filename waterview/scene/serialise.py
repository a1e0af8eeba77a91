"""A world as plain data and back: numbers, names and arrays that recordings and sessions store."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from waterview.core.errors import InputError
from waterview.core.frame import Frame
from waterview.core.georeference import LOCAL, Georeference
from waterview.core.grid import Grid
from waterview.core.params import Value, declarations, values_for
from waterview.core.saved import LARGEST, check_numbers, made_of
from waterview.output.session import read_session, save_session
from waterview.render.settings import ViewParams
from waterview.sim.world import World
from waterview.terrain.drape import MAX_SIDE
from waterview.terrain.heightmap import Heightmap
from waterview.waters import MODELS, Models, maker
from waterview.waters.common.water import Water
from waterview.waters.eddies.detail import Detail

from .interaction import InteractionParams
from .landscape import grown_land

if TYPE_CHECKING:
    from waterview.render.camera.camera import OrbitCamera

_DAMAGED = (KeyError, IndexError, TypeError, ValueError, AttributeError, ArithmeticError, RecursionError)
"""What data that was changed after it was written may raise."""

_CONTENT = re.compile(r".*;.*|[-+.0-9eE:, ]*", re.DOTALL)
"""A text that stands for itself where a parameter may name a file, too."""

_EARLIER = {"growth": "constant-peak"}
"""Parameters that earlier files do not have, and the values with which their water goes on as it was."""

_CAMERA = ("distance", "azimuth", "elevation", "fov")


def water_to_dict(water: Water) -> dict[str, Any]:
    """All that makes a water as it is: model, size, parameters, ground, walls, and its state.

    Raises:
        InputError: its model cannot be saved.
    """
    return {
        "model": water.name,
        "extent": list(water.extent),
        "points": water.grid.shape[1],
        "origin": list(water.grid.origin),
        "params": asdict(water.params),
        "ground": water.ground,
        "walls": water.walls,
        "place": asdict(water.place),
        "drape": water.drape,
        "state": water.state(),
    }


def water_from_dict(data: Mapping[str, Any], models: Models = MODELS) -> Water:
    """The water that `water_to_dict` described, made by one of `models`.

    Raises:
        InputError: the data makes no sense.
    """
    try:
        check_numbers(data)
        check_names_no_file(data["params"])
        x, y, z = data["origin"]
        width, depth = data["extent"]
        # Before anything is made: a forged number of points would take all memory.
        shape = Grid.from_size(width, depth, data["points"], (x, y, z)).shape
        if not np.shape(data["ground"]) == np.shape(data["walls"]) == shape:
            raise ValueError(f"ground of shape {np.shape(data['ground'])} under a grid of {shape}")
        make = maker(models, data["model"])
        params = values_for(MODELS[data["model"]].Params, _EARLIER) | data["params"]
        water = make(width, depth, data["points"], (x, y, z), **params)
        water.set_ground(data["ground"], data["walls"])
        water.place = made_of(Georeference, data.get("place", asdict(LOCAL)))  # files of earlier versions have none
        water.drape = _checked_drape(data.get("drape"))
        spacing, level = water.grid.spacing, water.grid.level
        ground = Heightmap(np.array(water.ground), (spacing, spacing), "session", water_level=level)
        water.land = grown_land(ground, water)
        water.load_state(data["state"])
    except _DAMAGED as error:
        raise InputError(f"a saved water makes no sense ({error}): choose another file") from error
    return water


def _checked_drape(drape: object) -> NDArray[np.uint8] | None:
    """A saved picture over the land.

    Raises:
        ValueError: it is none.
    """
    if drape is None:
        return None
    if not isinstance(drape, np.ndarray) or drape.dtype != np.uint8 or drape.ndim != 3 or drape.shape[2] != 4:
        raise ValueError("the picture over the land is none")
    if not 1 <= min(drape.shape[:2]) <= max(drape.shape[:2]) <= MAX_SIDE:
        raise ValueError(f"a picture over the land of {drape.shape[1]} × {drape.shape[0]} pixels")
    return drape


def check_names_no_file(params: Mapping[str, object]) -> None:
    """Refuse saved parameters of which one names a file: it must hold the file's content, as it was saved.

    Else a session from elsewhere could make the program open any file.

    Raises:
        ValueError: one names a file.
    """
    for model in MODELS.values():
        for entry in declarations(model.Params):
            if entry.is_file and _CONTENT.fullmatch(str(params.get(entry.name, ""))) is None:
                raise ValueError(f"{entry.label} names a file")


def world_to_dict(world: World) -> dict[str, Any]:
    """All that makes a world as it is: its water, rain, bodies and detail, and the map that is shown.

    Raises:
        InputError: a body or the water cannot be saved.
    """
    return {
        "water": water_to_dict(world.water),
        "rain": world.rain.rate,
        "seed": world.rain.seed,
        "detail": None if world.detail is None else asdict(world.detail.params),
        "beside": world.state(),
    }


def world_from_dict(data: Mapping[str, Any], models: Models = MODELS) -> World:
    """The world that `world_to_dict` described, its water made by one of `models`.

    Raises:
        InputError: the data makes no sense.
    """
    try:
        check_numbers(data)
        goes_on = data.get("detail_goes_on", False)
        detail = None if goes_on or data["detail"] is None else Detail(**data["detail"])
        water = water_from_dict(data["water"], models)
        world = World(water, rain=float(data["rain"]), detail=detail, seed=int(data["seed"]))
        world.load_state(data["beside"])
    except _DAMAGED as error:
        raise InputError(f"a saved scene makes no sense ({error}): choose another file") from error
    return world


@dataclass(frozen=True)
class Session:
    """A saved session: a world, and how it was seen.

    Attributes:
        world: ready to be stepped.
        view: values of `ViewParams`, by name.
        interaction: values of `InteractionParams`, by name.
        camera: makes the camera from the first frame.
    """

    world: World
    view: Mapping[str, Value]
    interaction: Mapping[str, Value]
    camera: Callable[[Frame], OrbitCamera]


def view_to_dict(view: ViewParams, interaction: InteractionParams, camera: OrbitCamera) -> dict[str, Any]:
    """How a world is seen: view settings, interaction settings and camera."""
    placed = {name: getattr(camera, name) for name in _CAMERA} | {"target": list(camera.target), "dive": camera.dive}
    return {"view": asdict(view), "hand": asdict(interaction), "camera": placed}


def write_session(path: Path, world: World, view: Mapping[str, Any]) -> None:
    """Write a session: the world, and what `view_to_dict` gave.

    Raises:
        InputError: something in the world cannot be saved, or the place cannot be written to.
    """
    save_session(path, {"tank": world_to_dict(world), "seen": view})


def open_session(path: Path, models: Models = MODELS) -> Session:
    """The session in a file, its water made by one of `models`.

    Raises:
        InputError: it cannot be read, or makes no sense.
    """
    data = read_session(path)
    try:
        check_numbers(data["seen"])
        world, seen = world_from_dict(data["tank"], models), data["seen"]
        view = asdict(ViewParams().changed(**seen["view"]))
        interaction = asdict(InteractionParams().changed(**seen["hand"])) | {"rain": world.rain.rate}
        placed = {name: float(seen["camera"][name]) for name in _CAMERA}
        x, y, z = map(float, seen["camera"]["target"])
        dive = bool(seen["camera"]["dive"])
        if max(map(abs, (x, y, z, *placed.values()))) > LARGEST or placed["distance"] <= 0.0:
            raise ValueError("the camera is nowhere")
    except _DAMAGED as error:
        raise InputError(f"the session {path} makes no sense ({error}): choose another file") from error

    def camera(frame: Frame) -> OrbitCamera:
        from waterview.render.camera.camera import OrbitCamera

        found = OrbitCamera.framing(frame)
        found.target, found.dive = (x, y, z), dive
        for name, value in placed.items():
            setattr(found, name, value)
        found.keep_above(frame)
        return found

    return Session(world, view, interaction, camera)
