"""A water that plays what was computed before: it stands in the place of a model, and takes its frames from disk."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
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

USUAL_CACHE = 64
"""Memory for frames that were read [MiB]."""

_FRAMES_IN_CACHE = 32
"""A frame is so small that so many of them fit into the cache."""
_FEWEST, _MOST = 128, 4096
"""Bounds of the longer side of a frame [points]."""
_REACH = 4.0
"""How far a frame reaches at least, in distances from the eye to what it looks at."""
_STAY = 1.25
"""How much more than that may be asked of a frame before a coarser level takes its place."""
_COARSER = 3
"""How many levels coarser what surrounds a part is, until it is all of the recording."""
_GROUND_BYTES = 10.0, 24.0
"""Memory that the ground takes for each point, without and with what the renderer needs of it [bytes]."""
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


@dataclass(eq=False)
class _Shown:
    """A part that is shown: its ground, and the water that was there last.

    Attributes:
        part: which.
        grid: where its points lie.
        bed, dry: its ground [m], and points that are dry where no water has come.
        fixed: points that are dry now.
        prepared: what the renderer needs of the ground, or None.
        heights: above still water [m].
        slopes: as `Frame.normals`, of these heights.
        number: of the frame that the heights are of; None where they only stand for those of a frame.
        stands_for: the number of that frame.
    """

    part: Part
    grid: Grid
    bed: Floats
    dry: NDArray[np.bool_]
    fixed: NDArray[np.bool_]
    prepared: Any
    heights: Floats
    slopes: NDArray[np.float16]
    number: int | None = None
    stands_for: int | None = None

    def take(self, heights: Floats, *, floods: bool) -> None:
        """Show other heights; if the water `floods` land, it is wet where they are not 0."""
        if heights is self.heights:
            return
        self.heights, self.slopes = heights, _slopes(heights, self.grid.spacing)
        dry = self.dry & (heights == 0.0) if floods else self.dry
        if not np.array_equal(dry, self.fixed):
            dry.setflags(write=False)
            self.fixed = dry


class PlayedWater(Water):
    """Plays a recording: a step is a frame, and what is shown is as fine as the distance of the eye asks for.

    A frame shows all of the recording at a coarse level. Around what is looked at lies a part of it at a finer level,
    in one at a level between them where they are far apart. Reading never delays a frame: a coarser level is shown
    until the finer one is there.

    Args:
        recorded: what is played; its first frame is read at once, at a coarse level.
        cache: memory for frames that were read [MiB].
        points: most points along the longer side of a frame; None is what suits the cache.
        prepare: works out what the renderer needs of new ground, on the threads that read it; None does not.

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

    def __init__(
        self,
        recorded: Recorded,
        cache: float = USUAL_CACHE,
        points: int | None = None,
        prepare: Callable[[Frame], Any] | None = None,
    ) -> None:
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
        self._prepare = prepare
        self._is_final = False
        self._wanted: tuple[Part, ...] = (self._whole,)
        self._levels: tuple[_Shown, ...] = (self._first(recorded),)
        self._stand_on(self._levels[0])

    def _first(self, recorded: Recorded) -> _Shown:
        """The first frame as a whole."""
        bed, dry = recorded.ground(self._whole)
        heights, problem = recorded.heights(range(1), self._whole)
        self._problem = problem or recorded.damage
        shown = self._shown(self._whole, bed, dry, self._prepared(self._whole, bed, dry), heights[0])
        shown.number = shown.stands_for = 0
        return shown

    def _shown(self, part: Part, bed: Floats, dry: NDArray[np.bool_], prepared: Any, heights: Floats) -> _Shown:
        grid = part.grid(self.recorded.grid(part.level))
        for array in (bed, dry):
            array.setflags(write=False)
        return _Shown(part, grid, bed, dry, dry, prepared, heights, _slopes(heights, grid.spacing))

    def _prepared(self, part: Part, bed: Floats, dry: NDArray[np.bool_]) -> Any:
        """What the renderer needs of the ground of a part."""
        if self._prepare is None:
            return None
        grid, nothing = part.grid(self.recorded.grid(part.level)), np.broadcast_to(np.float32(0.0), part.shape)
        slopes = np.broadcast_to(np.float16(0.0), (*part.shape, 2))
        return self._prepare(Frame(0, 0.0, grid, nothing, slopes, bed, dry, self.params))

    def _stand_on(self, shown: _Shown) -> None:
        """Have the grid and the ground of the finest part that is shown."""
        self.grid, self.extent = shown.grid, shown.grid.size
        self.bed = self._ground = shown.bed
        self.fixed = shown.fixed
        if self.walls.shape != shown.part.shape:
            self.walls = np.zeros(shown.part.shape, bool)
            self.walls.setflags(write=False)

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
        wanted = self._parts_for(x, z, distance)
        if wanted != self._wanted:
            self._wanted = wanted
            # New ground takes memory for a while: what was read ahead of parts that go makes room for it.
            self._ahead.forget(self._is_needless)

    def _is_needless(self, key: _Key) -> bool:
        """Whether something that was read belongs to a part that is not wanted, and is not shown."""
        is_shown = key.part in self._parts and (isinstance(key, _Ground) or key.number == self.number)
        return key.part not in self._wanted and not is_shown

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
        return self._levels[0].heights

    def publish_still(self) -> Frame:
        """The frame as far as it is there."""
        return self.publish(0)

    def publish(self, serial: int) -> Frame:
        """The frame, at a coarser level where the finer one is not there yet."""
        self._take_up_parts()
        self._ahead.request(*self._requests())
        floods = self.recorded.model == "shallow-water"
        coarser: _Shown | None = None
        for shown in reversed(self._levels):
            found = self._ahead.get(_Surface(self.number, shown.part))
            if found is not None:
                shown.take(found[0], floods=floods)
                shown.number = shown.stands_for = self.number
            elif coarser is not None and coarser.stands_for == self.number != shown.stands_for:
                shown.take(_resampled(coarser.heights, coarser.grid, shown.grid), floods=floods)
                shown.number, shown.stands_for = None, self.number
            coarser = shown
        self._is_final = all(each.number == self.number for each in self._levels) and self._parts == self._wanted
        self._stand_on(self._levels[0])
        state = PlaybackState(self.recorded, self.number, self._is_final, self._problem)
        around: Frame | None = None
        for shown in reversed(self._levels):
            frame = self._frame(serial, shown.heights, shown.slopes).changed(
                grid=shown.grid, bed=shown.bed, fixed=shown.fixed, prepared=shown.prepared, around=around
            )
            around = frame
        return frame.changed(playback=state, gauges=tuple(_until(gauge, self.time) for gauge in self.recorded.gauges))

    @property
    def _parts(self) -> tuple[Part, ...]:
        """The parts that are shown, finest first."""
        return tuple(shown.part for shown in self._levels)

    def _incoming(self) -> Floats | None:
        return self.recorded.incoming(self.time)

    def field_maps(self) -> dict[str, FieldMap]:
        """Heights, land and the recording's fields over the run."""
        return super().field_maps() | {name: self._map(name) for name in self.recorded.map_names}

    def _map(self, name: str) -> FieldMap:
        part = self._levels[0].part
        if (name, part) not in self._maps:
            self._maps = {key: kept for key, kept in self._maps.items() if key[1] == part}
            try:
                self._maps[name, part] = self.recorded.field_map(name, part)
            except InputError as damage:
                self._problem = str(damage)
                nothing = np.full(self.grid.shape, np.nan, np.float32)
                self._maps[name, part] = FieldMap(name, nothing, "", diverging=False)
        return self._maps[name, part]

    def _take_up_parts(self) -> None:
        """Show the parts that are wanted if their ground is there; what they show first is what was seen before."""
        if self._wanted == self._parts:
            return
        known = {shown.part: shown for shown in self._levels}
        grounds = {part: self._ahead.get(_Ground(part)) for part in self._wanted if part not in known}
        for part in reversed(self._wanted):
            if part not in known:
                ground = grounds[part]
                if ground is None:
                    return
                bed, dry, *prepared = ground
                grid = part.grid(self.recorded.grid(part.level))
                before = self._finest_over(grid)
                heights = _resampled(before.heights, before.grid, grid)
                known[part] = self._shown(part, bed, dry, prepared[0] if prepared else None, heights)
        self._levels = tuple(known[part] for part in self._wanted)

    def _finest_over(self, grid: Grid) -> _Shown:
        """The finest part shown that reaches over all of a grid."""

        def covers(there: Grid) -> bool:
            ends = zip((there.x, there.z), (grid.x, grid.z), strict=True)
            return all(wide[0] <= narrow[0] and narrow[-1] <= wide[-1] for wide, narrow in ends)

        return next((shown for shown in self._levels if covers(shown.grid)), self._levels[-1])

    # --- what is read when

    def _parts_for(self, x: float, z: float, distance: float) -> tuple[Part, ...]:
        """The parts to be shown, finest first: as fine as the number of points allows, around what is looked at."""
        side = max(_REACH * distance, 0.0)
        level, shown = 0, self._levels[0]
        while level < self._whole.level and side > self._points * self.recorded.grid(level).spacing:
            level += 1
        is_near = side <= _STAY * self._points * shown.grid.spacing
        if shown.part.level == level - 1 and is_near:
            level = shown.part.level
        finer = range(level, max(self._whole.level - 1, level + 1), _COARSER) if level < self._whole.level else ()
        return (*(self._part_at(each, x, z) for each in finer), self._whole)

    def _part_at(self, level: int, x: float, z: float) -> Part:
        """The part of a level to be shown around world x, z [m]; the one shown before if that lies well inside it."""
        whole = self.recorded.grid(level)
        column, row = whole.to_cell(x, z)
        for shown in self._levels:
            if shown.part.level == level and self._is_in_the_middle(column, row, shown.part.rectangle, whole.shape):
                return shown.part
        (top, bottom), (left, right) = (
            _around(at, min(self._points, points), points)
            for at, points in zip((row, column), whole.shape, strict=True)
        )
        return Part(level, Rectangle(top, bottom, left, right))

    def _is_in_the_middle(self, column: float, row: float, part: Rectangle, whole: tuple[int, int]) -> bool:
        """Whether a place lies so far inside a part that another part would show no more around it."""
        quarter = self._points // 4
        return all(
            (begin == 0 or at >= begin + quarter) and (end == points or at <= end - quarter)
            for at, begin, end, points in (
                (row, part.top, part.bottom, whole[0]),
                (column, part.left, part.right, whole[1]),
            )
        )

    def _requests(self) -> tuple[list[_Key], list[_Key]]:
        """What is to be read: grounds, and the frames to come of coarser parts; those of the finest part."""
        finest, *coarser = self._wanted
        coarser, numbers = coarser[::-1], self._frames_to_come()
        quick: list[_Key] = [_Ground(part) for part in (*coarser, finest) if part not in self._parts]
        quick += [_Surface(number, part) for number in numbers for part in coarser]
        shown = (part for part in self._parts if part not in self._wanted)
        slow: list[_Key] = [_Surface(self.number, part) for part in shown]
        return quick, slow + [_Surface(number, finest) for number in numbers]

    def _frames_to_come(self) -> list[int]:
        """This frame and those after it, as many as two thirds of the cache hold beside the ground."""
        points = sum(part.rectangle.points for part in self._wanted)
        count = len(self.recorded.times)
        ground = _GROUND_BYTES[self._prepare is not None] * points
        fit = max(int((0.66 * self._room - ground) / (4 * points)) - 1, 1)
        numbers = (self.number + self._stride * k for k in range(min(fit, count)))
        return list(dict.fromkeys(number % count for number in numbers if self.params.loop or number < count))

    def _read(self, key: _Key) -> Mapping[_Key, Arrays]:
        """Read from disk, on a thread of the reader's."""
        if isinstance(key, _Ground):
            bed, dry = self.recorded.ground(key.part)
            prepared = self._prepared(key.part, bed, dry)
            return {key: (bed, dry) if prepared is None else (bed, dry, prepared)}
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
