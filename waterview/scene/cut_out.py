"""A part of a recording, brought to life: its heights and motion at a moment become the start of a water."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from waterview.core.errors import InputError, ParameterError
from waterview.core.georeference import LOCAL, Georeference
from waterview.core.grid import Grid
from waterview.core.params import Value, declarations
from waterview.core.playback import MOST_LIVE_POINTS, Part, Recorded
from waterview.terrain.heightmap import Heightmap
from waterview.waters import MODELS
from waterview.waters.common.borders import Sides, border_sides, border_text
from waterview.waters.common.water import Water
from waterview.waters.wave.grid_water import GridWater

from .cost import check_memory
from .scene import CROSSING_SECONDS


@dataclass(frozen=True)
class CutOut:
    """What a part of a recording becomes.

    Attributes:
        water: with the heights and the motion of the moment; its middle lies at x = z = 0.
        ground: under it.
        middle: where in the recording its middle was, x and z [m].
        note: what was taken, in a line.
    """

    water: Water
    ground: Heightmap
    middle: tuple[float, float]
    note: str


def part_around(recorded: Recorded, grid: Grid, most: int = MOST_LIVE_POINTS) -> Part:
    """The part of a recording that a grid covers, at the finest level that has at most so many points a side."""
    for level in range(recorded.levels):
        part = Part.over(grid, recorded.grid(level), level)
        if max(part.shape) <= most:
            return part
    return part


def cut_out(recorded: Recorded, number: int, part: Part) -> CutOut:
    """A water that goes on from a part of a frame.

    Its motion is the flow of that moment where the recording keeps it. For the wave equation it is how far the frames
    before and after lie apart: right for waves that pass slowly beside the time between frames. Else it starts from
    rest. Sides that were inside the recording are open.

    Raises:
        ParameterError: there is no such frame, or the part has more than `MOST_LIVE_POINTS` a side.
        InputError: what is read is damaged, or there is too little memory.
    """
    if not 0 <= number < len(recorded.times):
        raise ParameterError(f"frame {number} of {recorded.title}: it has {len(recorded.times)}, counted from 0")
    if max(part.shape) > MOST_LIVE_POINTS:
        nz, nx = part.shape
        raise ParameterError(f"{nx} × {nz} points to be simulated: allowed are {MOST_LIVE_POINTS} along each side")
    model = MODELS[recorded.model]
    check_memory(model, part.shape)
    bed, fixed = recorded.ground(part)
    there = part.grid(recorded.grid(part.level))
    x_size, z_size = there.size
    middle = there.origin[0] + 0.5 * x_size, there.origin[2] + 0.5 * z_size
    origin = (-0.5 * x_size, there.level, -0.5 * z_size)
    water = model(x_size, z_size, there.shape[1], origin, **_settings(recorded, part, model))
    if water.grid.shape != part.shape:
        raise AssertionError(f"a part of shape {part.shape} became a water of {water.grid.shape}")
    ground = Heightmap(np.array(bed), (there.spacing, there.spacing), recorded.title, water_level=there.level)
    ground = replace(ground, place=_moved(recorded.place, there))
    water.set_ground(ground.heights, np.zeros(bed.shape, bool))
    water.place = recorded.place if recorded.place == LOCAL else ground.world_place
    heights = _heights(recorded, number, part)
    flow = recorded.flow(number, part)
    dry = fixed & water.fixed
    if not isinstance(water, GridWater):  # land that water has run up has heights of its own
        dry &= heights == 0.0
    water.set_state(np.where(dry, np.float32(0.0), heights), flow)
    motion = "and flow"
    if flow is None:
        motion = _let_rise(water, recorded, number, part)
    nz, nx = part.shape
    moment = f"from {recorded.times[number]:.6g} s of {recorded.title}"
    return CutOut(water, ground, middle, f"live {moment}: {nx} × {nz} points, heights {motion}")


def _settings(recorded: Recorded, part: Part, model: type[Water]) -> dict[str, Any]:
    known = {entry.name for entry in declarations(model.Params)}
    kept = {name: value for name, value in recorded.settings.items() if name in known}
    # Waves that come in by a side of the whole do not come in by the sides of a part.
    values: dict[str, Any] = {name: value for name, value in kept.items() if not name.startswith("wavemaker")}
    if "wave_speed" in known:
        values.setdefault("wave_speed", max(recorded.grid(0).size) / CROSSING_SECONDS)
    if "border" in known:
        values["border"] = _border(values, recorded.grid(part.level), part, model)
    return values


def _border(values: Mapping[str, Value], whole: Grid, part: Part, model: type[Water]) -> str:
    """The borders of the whole where the part reaches them; open water elsewhere."""
    own = border_sides(str(values.get("border", getattr(model.Params(), "border", "open"))))
    nz, nx = whole.shape
    reached = Sides._fields
    top, bottom, left, right = part.rectangle
    at_end = dict(zip(reached, (top == 0, right == nx, bottom == nz, left == 0), strict=True))
    wraps_z, wraps_x = own.wraps
    lost = {"north", "south"} if wraps_z and not (at_end["north"] and at_end["south"]) else set[str]()
    lost |= {"east", "west"} if wraps_x and not (at_end["east"] and at_end["west"]) else set[str]()
    kinds = (f"{side}={getattr(own, side) if at_end[side] and side not in lost else 'open'}" for side in reached)
    return border_text(",".join(kinds))


def _heights(recorded: Recorded, number: int, part: Part) -> NDArray[np.float32]:
    heights, problem = recorded.heights(range(number, number + 1), part)
    if problem:
        raise InputError(problem)
    found: NDArray[np.float32] = heights[0]
    return found


def _let_rise(water: Water, recorded: Recorded, number: int, part: Part) -> str:
    """Give the water the motion between the frames before and after; says what was given."""
    first, last = max(number - 1, 0), min(number + 1, len(recorded.times) - 1)
    apart = recorded.times[last] - recorded.times[first]
    if not isinstance(water, GridWater) or apart <= 0.0:
        return "at rest"
    risen = _heights(recorded, last, part) - _heights(recorded, first, part)
    water.let_rise(risen / np.float32(apart))
    return f"and their motion between frames {apart:.3g} s apart"


def _moved(place: Georeference, there: Grid) -> Georeference | None:
    """Where the samples of the ground lie, for a heightmap."""
    if place == LOCAL:
        return None
    west, north = map(float, place.coordinates(there.origin[0], there.origin[2]))
    return Georeference(place.crs, west, north, place.x_step * there.spacing, place.y_step * there.spacing)
