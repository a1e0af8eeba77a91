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
from waterview.core.params import Value, declaration, declarations, values_for
from waterview.core.saved import LARGEST_INT, check_numbers, entry_of, made_of, params_of
from waterview.output.session import read_session, save_session
from waterview.render.settings import ViewParams
from waterview.sim.world import World
from waterview.terrain.drape import MAX_SIDE
from waterview.terrain.heightmap import Heightmap
from waterview.waters import MODELS, Models, maker
from waterview.waters.common.water import Water
from waterview.waters.eddies.detail import Detail, DetailParams

from .interaction import InteractionParams
from .landscape import grown_land

if TYPE_CHECKING:
    from waterview.render.camera.camera import OrbitCamera

_DAMAGED = (KeyError, IndexError, ValueError, ArithmeticError, RecursionError)
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
        model, params = entry_of(data, "model", str), entry_of(data, "params", dict)
        check_names_no_file(params)
        origin, points = entry_of(data, "origin", tuple[float, float, float]), entry_of(data, "points", int)
        width, depth = entry_of(data, "extent", tuple[float, float])
        # Before anything is made: a forged number of points would take all memory.
        shape = Grid.from_size(width, depth, points, origin).shape
        ground, walls = entry_of(data, "ground", np.ndarray), entry_of(data, "walls", np.ndarray)
        if not ground.shape == walls.shape == shape:
            raise ValueError(f"ground of shape {ground.shape} under a grid of {shape}")
        make = maker(models, model)
        for name in params:
            declaration(MODELS[model].Params, name)  # or it could be taken for another argument of the model
        params = values_for(MODELS[model].Params, _EARLIER) | params
        water = make(width, depth, points, origin, **params)
        water.set_ground(ground, walls)
        water.place = made_of(Georeference, data.get("place", asdict(LOCAL)))  # files of earlier versions have none
        water.drape = _checked_drape(data.get("drape"))
        spacing, level = water.grid.spacing, water.grid.level
        land = Heightmap(np.array(water.ground), (spacing, spacing), "session", water_level=level)
        water.land = grown_land(land, water)
        water.load_state(entry_of(data, "state", dict))
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
        goes_on = entry_of(data, "detail_goes_on", bool, False)
        has_detail = not goes_on and entry_of(data, "detail", dict | None) is not None
        detail = Detail(**asdict(params_of(data, "detail", DetailParams))) if has_detail else None
        rain, seed = entry_of(data, "rain", float), entry_of(data, "seed", int, low=0, high=LARGEST_INT)
        world = World(water_from_dict(entry_of(data, "water", dict), models), rain=rain, detail=detail, seed=seed)
        world.load_state(entry_of(data, "beside", dict))
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
        seen = entry_of(data, "seen", dict)
        check_numbers(seen)
        world = world_from_dict(entry_of(data, "tank", dict), models)
        view = asdict(params_of(seen, "view", ViewParams))
        interaction = asdict(params_of(seen, "hand", InteractionParams)) | {"rain": world.rain.rate}
        saved = entry_of(seen, "camera", dict)
        placed = {name: entry_of(saved, name, float) for name in _CAMERA}
        x, y, z = entry_of(saved, "target", tuple[float, float, float])
        dive = entry_of(saved, "dive", bool)
        if placed["distance"] <= 0.0:
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
