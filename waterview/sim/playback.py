"""A water that plays what was computed before: it stands in the place of a model, and takes its frames from disk."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple, NoReturn

import numpy as np
from numpy.typing import NDArray

from waterview.core.diagnostics import FieldMap
from waterview.core.errors import InputError
from waterview.core.frame import Frame
from waterview.core.gauges import GaugeSeries
from waterview.core.grid import Grid
from waterview.core.params import param
from waterview.core.playback import Part, PlaybackState, Recorded
from waterview.core.rectangle import Rectangle
from waterview.waters.common.published_surface import MAX_SLOPE
from waterview.waters.common.water import Water, WaterParams

from .read_ahead import Arrays, ReadAhead

Floats = NDArray[np.float32]

USUAL_CACHE = 128
"""Memory for frames that were read [MiB]."""

_FRAMES_IN_CACHE = 64
"""A frame is so small that so many of them fit into the cache."""
_FEWEST, _MOST = 128, 4096
"""Bounds of the longer side of a frame [points]."""
_REACH = 4.0
"""How far a frame reaches at least, in distances from the eye to what it looks at."""
_STAY = 1.25
"""How much more than that may be asked of a frame before a coarser level takes its place."""
_COARSER = 2
"""How many levels coarser is what is shown until the level that is wanted is there."""
_SNAP = 8
"""Parts of a level begin at multiples of this share of their side."""
_SLOWEST, _FASTEST = 5.0, 30.0
"""Bounds of the frames a second that a recording is first played with: else as fast as time ran in it."""


@dataclass(frozen=True, kw_only=True)
class PlaybackParams(WaterParams):
    """How a recording is played."""

    steps_per_second: float = param(
        30.0,
        unit="1/s",
        low=0.01,
        high=240.0,
        step=1.25,
        scale="log",
        doc="Recorded frames played a second; at first as many as time ran by in life, but 5 to 30.",
    )
    loop: bool = param(True, doc="Begin again after the last frame.")


class _Surface(NamedTuple):
    """Reads heights of a frame."""

    number: int
    part: Part


class _Ground(NamedTuple):
    """Reads the ground."""

    part: Part


_Key = _Surface | _Ground


class PlayedWater(Water):
    """Plays a recording: a step is a frame, and what is shown is as fine as the distance of the eye asks for.

    A frame shows all of the recording at a coarse level, or a part of it at a finer one around what is looked at.
    Reading never delays a frame: a coarser level is shown until the finer one is there.

    Args:
        recorded: what is played; its first frame is read at once, at a coarse level.
        cache: memory for frames that were read [MiB].
        points: most points along the longer side of a frame; None is what suits the cache.

    Raises:
        InputError: its ground cannot be read.

    Attributes:
        recorded: what is played.
        number: of the frame that is shown.
    """

    name = "playback"
    summary = "frames that were computed before"
    Params = PlaybackParams
    can_be_disturbed = False
    can_be_coupled = False
    params: PlaybackParams

    def __init__(self, recorded: Recorded, cache: float = USUAL_CACHE, points: int | None = None) -> None:
        room = int(cache * 2**20)
        self._points = points or _points_for(room)
        self._whole = self._part_of_all(recorded, self._points)
        grid = self._whole.grid(recorded.grid(self._whole.level))
        super().__init__(*grid.size, grid.shape[1], grid.origin, steps_per_second=_usual_rate(recorded))
        self.recorded, self.number, self._room = recorded, 0, room
        self.place = recorded.place
        self._problem = ""
        self._ahead: ReadAhead[_Key] = ReadAhead(self._read, room)
        self._stride = 1
        self._maps: dict[tuple[str, Part], FieldMap] = {}
        self._heights = self._first(recorded)
        self._wanted = self._part
        self._is_final = False

    def _first(self, recorded: Recorded) -> Floats:
        """Show the first frame as a whole."""
        self._show_part(self._whole, *recorded.ground(self._whole))
        heights, problem = recorded.heights(range(1), self._whole)
        self._problem = problem or recorded.damage
        first: Floats = heights[0]
        return first

    @staticmethod
    def _part_of_all(recorded: Recorded, points: int) -> Part:
        """All of the finest level with at most so many points along the longer side."""
        level = 0
        while level < recorded.levels - 1 and max(recorded.grid(level).shape) > points:
            level += 1
        nz, nx = recorded.grid(level).shape
        return Part(level, Rectangle(0, nz, 0, nx))

    # --- what users ask for

    def show(self, number: int) -> None:
        """Go to a frame.

        Raises:
            InputError: there is none of that number.
        """
        count = len(self.recorded.times)
        if not 0 <= number < count:
            raise InputError(f"frame {number} of {self.recorded.title}: allowed are 0 to {count - 1}")
        self.number, self._stride = number, 1
        self.time = self.recorded.times[number]

    def look_at(self, x: float, z: float, distance: float) -> None:
        """Show what lies around world x, z [m] as fine as an eye at such a `distance` [m] can see it."""
        self._wanted = self._part_for(x, z, distance)

    def advance(self, steps: int, shown: bool = False) -> None:
        """Go on by so many frames; from the last to the first if it is played in a loop, else it stays there."""
        count = len(self.recorded.times)
        ahead = self.number + steps
        last = ahead % count if self.params.loop else min(ahead, count - 1)
        self.show(last)
        self._stride = max(steps, 1)

    def step(self) -> None:
        """Go on by a frame."""
        self.advance(1)

    def reset(self) -> None:
        """Go to the first frame."""
        self.show(0)

    # --- what is shown

    @property
    def at_rest(self) -> bool:
        """Whether the last frame is shown, as finely as is wanted, and nothing comes after it."""
        return self._is_final and not self.params.loop and self.number == len(self.recorded.times) - 1

    @property
    def awaits_news(self) -> bool:
        """Whether something finer than what is shown is being read."""
        return not self._is_final

    def take_news(self) -> bool:
        """Whether there is something new to be shown though no step was taken."""
        return not self._is_final and self._ahead.take_news()

    def wait(self, seconds: float) -> bool:
        """Wait until what is wanted is there, at most so long [s]; for those who have no window to keep alive."""
        self.publish(0)
        return self._ahead.wait(seconds)

    @property
    def height(self) -> Floats:
        """Heights that are shown [m], shape (nz, nx)."""
        return self._heights

    def publish_still(self) -> Frame:
        """The frame as far as it is there."""
        return self.publish(0)

    def publish(self, serial: int) -> Frame:
        """The frame, at a coarser level where the finer one is not there yet."""
        self._take_up_part()
        self._ahead.request(*self._requests())
        found = self._ahead.get(_Surface(self.number, self._part))
        self._is_final = found is not None and self._part == self._wanted
        if found is not None:
            self._heights = found[0]
        else:
            coarse = self._coarse(self._part)
            rough = self._ahead.get(_Surface(self.number, coarse))
            if rough is not None:
                self._heights = _resampled(rough[0], coarse.grid(self.recorded.grid(coarse.level)), self.grid)
        self._flood()
        state = PlaybackState(self.recorded, self.number, self._is_final, self._problem)
        frame = self._frame(serial, self._heights, _slopes(self._heights, self.grid.spacing))
        return frame.changed(playback=state, gauges=tuple(_until(gauge, self.time) for gauge in self.recorded.gauges))

    def field_maps(self) -> dict[str, FieldMap]:
        """Heights, land and the recording's fields over the run."""
        return super().field_maps() | {name: self._map(name) for name in self.recorded.map_names}

    def _map(self, name: str) -> FieldMap:
        if (name, self._part) not in self._maps:
            self._maps = {key: kept for key, kept in self._maps.items() if key[1] == self._part}
            try:
                self._maps[name, self._part] = self.recorded.field_map(name, self._part)
            except InputError as damage:
                self._problem = str(damage)
                nothing = np.full(self.grid.shape, np.nan, np.float32)
                self._maps[name, self._part] = FieldMap(name, nothing, "", diverging=False)
        return self._maps[name, self._part]

    def _flood(self) -> None:
        """Let land be wet where shallow water has run up: it has heights of its own there."""
        if self.recorded.model == "shallow-water":
            dry = self._dry & (self._heights == 0.0)
            if not np.array_equal(dry, self.fixed):
                dry.setflags(write=False)
                self.fixed = dry

    def _take_up_part(self) -> None:
        """Show the part that is wanted if its ground is there; what it shows first is what was seen before."""
        if self._wanted == self._part:
            return
        ground = self._ahead.get(_Ground(self._wanted))
        if ground is None:
            return
        before, heights = self.grid, self._heights
        bed, fixed = ground
        self._show_part(self._wanted, bed, fixed)
        self._heights = _resampled(heights, before, self.grid)

    def _show_part(self, part: Part, bed: Floats, fixed: NDArray[np.bool_]) -> None:
        self._part = part
        self.grid = part.grid(self.recorded.grid(part.level))
        self.extent = self.grid.size
        self.bed = self._ground = bed
        self.fixed = self._dry = fixed
        self.walls = np.zeros(bed.shape, bool)
        for array in (bed, fixed, self.walls):
            array.setflags(write=False)

    # --- what is read when

    def _part_for(self, x: float, z: float, distance: float) -> Part:
        """The part to be shown: as fine as its number of points allows, and around what is looked at."""
        side = max(_REACH * distance, 0.0)
        level = 0
        while level < self._whole.level and side > self._points * self.recorded.grid(level).spacing:
            level += 1
        is_near = side <= _STAY * self._points * self.grid.spacing
        if self._part.level == level - 1 and is_near:
            level = self._part.level
        if level == self._whole.level:
            return self._whole
        whole = self.recorded.grid(level)
        if self._part.level == level and self._is_in_the_middle(x, z, whole):
            return self._part
        column, row = whole.to_cell(x, z)
        (top, bottom), (left, right) = (
            _around(at, min(self._points, points), points)
            for at, points in zip((row, column), whole.shape, strict=True)
        )
        return Part(level, Rectangle(top, bottom, left, right))

    def _is_in_the_middle(self, x: float, z: float, whole: Grid) -> bool:
        """Whether what is looked at lies so far inside the part shown that another one would show no more."""
        column, row = whole.to_cell(x, z)
        part, quarter = self._part.rectangle, self._points // 4
        return all(
            (begin == 0 or at >= begin + quarter) and (end == points or at <= end - quarter)
            for at, begin, end, points in (
                (row, part.top, part.bottom, whole.shape[0]),
                (column, part.left, part.right, whole.shape[1]),
            )
        )

    def _coarse(self, part: Part) -> Part:
        """What is shown until a part is there."""
        level = min(part.level + _COARSER, self.recorded.levels - 1)
        if level == part.level:
            return part
        return Part.over(part.grid(self.recorded.grid(part.level)), self.recorded.grid(level), level)

    def _requests(self) -> tuple[list[_Key], list[_Key]]:
        """What is to be read: coarse and small things, and the part that is wanted; the frames to come after it."""
        wanted, coarse = self._wanted, self._coarse(self._wanted)
        numbers = self._frames_to_come()
        quick: list[_Key] = [_Ground(wanted), *(_Surface(number, coarse) for number in numbers)]
        shown: list[_Key] = [] if self._part == wanted else [_Surface(self.number, self._part)]
        return quick, [*shown, *(_Surface(number, wanted) for number in numbers)]

    def _frames_to_come(self) -> list[int]:
        """This frame and those after it, as many as two thirds of the cache hold beside the ground."""
        points = self._wanted.shape[0] * self._wanted.shape[1]
        each = 4 * points * (1.0 + 0.25**_COARSER)
        count = len(self.recorded.times)
        fit = max(int((0.66 * self._room - 10 * points) / each) - 1, 1)
        numbers = (self.number + self._stride * k for k in range(min(fit, count)))
        return list(dict.fromkeys(number % count for number in numbers if self.params.loop or number < count))

    def _read(self, key: _Key) -> Mapping[_Key, Arrays]:
        """Read from disk, on a thread of the reader's."""
        if isinstance(key, _Ground):
            return {key: self.recorded.ground(key.part)}
        together = self.recorded.together(key.number)
        if 4 * len(together) * key.part.shape[0] * key.part.shape[1] > self._room // 8:
            together = range(key.number, key.number + 1)
        heights, problem = self.recorded.heights(together, key.part)
        self._problem = problem or self._problem
        # A slice would keep all of them in memory as long as one is used.
        each = heights if len(together) == 1 else map(np.array, heights)
        return {_Surface(number, key.part): (array,) for number, array in zip(together, each, strict=True)}

    # --- what a recording does not do

    def set_parameter(self, name: str, value: Any) -> None:
        """Change how it is played.

        Raises:
            ParameterError: the name is unknown or the value not allowed; nothing has changed then.
        """
        super().set_parameter(name, value)
        self._is_final = False

    def refuse(self) -> NoReturn:
        """Refuse what would change the water.

        Raises:
            InputError: always.
        """
        raise InputError(f"{self.recorded.title} is played as it was computed: S makes a live scene of what is seen")

    def _state(self) -> dict[str, Any]:
        raise InputError(f"{self.recorded.title} is on disk already; S makes a live scene of it, which can be saved")


def _points_for(room: int) -> int:
    """Longer side of a frame that suits a cache of so many bytes: a power of two."""
    side = math.sqrt(room / (4 * _FRAMES_IN_CACHE))
    return min(max(1 << int(math.log2(max(side, 1.0))), _FEWEST), _MOST)


def _usual_rate(recorded: Recorded) -> float:
    times = recorded.times
    length = times[-1] - times[0]
    return min(max((len(times) - 1) / length, _SLOWEST), _FASTEST) if length > 0.0 else _FASTEST


def _around(at: float, side: int, points: int) -> tuple[int, int]:
    """Where `side` of so many points begin and end, around one of them; beginnings are few, so that parts are, too."""
    snap = max(side // _SNAP, 1)
    begin = round((at - 0.5 * side) / snap) * snap
    begin = min(max(begin, 0), points - side)
    return begin, begin + side


def _resampled(field: Floats, grid: Grid, onto: Grid) -> Floats:
    """A field at the points of another grid, bilinear; beyond its edge it goes on as it is there."""
    rows, below, down = _between(onto.z, grid.origin[2], grid.spacing, grid.shape[0])
    columns, right, along = _between(onto.x, grid.origin[0], grid.spacing, grid.shape[1])
    lines = field[rows] + (field[below] - field[rows]) * down[:, None]
    return np.asarray(lines[:, columns] + (lines[:, right] - lines[:, columns]) * along, np.float32)


def _between(
    places: NDArray[np.float64], origin: float, spacing: float, points: int
) -> tuple[NDArray[np.intp], NDArray[np.intp], Floats]:
    """The points before and after places on a line, and how far between them each place lies, from 0 to 1."""
    at = np.clip((places - origin) / spacing, 0.0, points - 1.0)
    before = np.minimum(at.astype(np.intp), points - 2)
    return before, before + 1, (at - before).astype(np.float32)


def _slopes(heights: Floats, spacing: float) -> NDArray[np.float16]:
    """As `Frame.normals`."""
    found = np.empty((*heights.shape, 2), np.float16)
    for k, axis in enumerate((1, 0)):
        found[..., k] = np.clip(-np.gradient(heights, spacing, axis=axis), -MAX_SLOPE, MAX_SLOPE)
    return found


def _until(gauge: GaugeSeries, time: float) -> GaugeSeries:
    """What a gauge had measured at a time [s]."""
    count = int(np.searchsorted(gauge.times, time, "right"))
    surface, depth, along_x, along_z = (values[:count] for values in gauge.values)
    place = gauge.name, gauge.x, gauge.z
    return GaugeSeries(*place, gauge.times[:count], surface, depth, along_x, along_z, gauge.measured)
