"""What every water model is to the rest of the program."""

from __future__ import annotations

import math
import sys
from abc import abstractmethod
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass
from types import MappingProxyType
from typing import Any, ClassVar, NamedTuple, TypeVar, Unpack

import numpy as np
from numpy.typing import ArrayLike, NDArray

from waterview.core.commands import Drop, Gust, HeightSource, PaintWall, SetState
from waterview.core.diagnostics import FieldMap, Totals
from waterview.core.errors import InputError, ParameterError
from waterview.core.frame import Frame, Land
from waterview.core.georeference import LOCAL, Georeference
from waterview.core.grid import Grid
from waterview.core.parameter_names import WaterParameters
from waterview.core.params import Params, Value
from waterview.core.saved import LARGEST, check_within, entry_of

from .drops import Window, gust_drops
from .real_time import RealTime
from .walls import brush, with_walls, without_puddles
from .wave_params import steps_param

_T = TypeVar("_T", bound=np.generic)

WHOLE_GRID: Window = (slice(None), slice(None))
"""All rows and columns of a grid."""

DEFAULT_DEPTH = 0.25
"""Depth of the flat ground under water without a heightmap, as a share of the shorter side."""


HIGHEST_LEVEL = 1e6
"""Largest world height of still water, up or down [m]: heights are single precision."""

LARGEST_SIZE = 1e18
"""Longest side of a water, and farthest place [m]: their squares are numbers in single precision."""


@dataclass(frozen=True, kw_only=True)
class WaterParams(Params):
    """Base of every model's parameters."""

    steps_per_second: float = steps_param()


class Observation(NamedTuple):
    """What instruments measure at the points of a window of the grid; views or copies of its shape.

    Attributes:
        heights: of the surface above still water [m], float32; meaningless where it is not wet.
        wet: whether there is water, bool.
        velocity: horizontal velocity along x and along z, averaged over the depth [m/s], shape (2, …) float32; 0 where
            it is not wet. None for a model that has no velocities.
    """

    heights: NDArray[np.float32]
    wet: NDArray[np.bool_]
    velocity: NDArray[np.float32] | None = None


class _CountedTime(NamedTuple):
    """Simulated time as a start [s] and the number of steps since, at so many a second."""

    start: float
    steps: int
    rate: float

    @property
    def time(self) -> float:
        """Simulated time [s]."""
        return self.start + self.steps / self.rate


class Water(RealTime):
    """A water surface: plain, single-threaded and deterministic.

    Args:
        x_size, z_size: extent [m].
        x_res: number of grid points along x; those along z follow so that cells are square (`Grid.from_size`).
        origin: world position of the corner with the lowest x and z [m]; its y is the height of still water.
        parameters: values for the model's `Params`; the others have their defaults.

    Raises:
        ParameterError: a number or name is not allowed.

    Attributes:
        name: what users call the model (of the class).
        summary: what it is, in a line, for people who choose one (of the class).
        Params: the class that declares its parameters (of the class).
        can_be_disturbed: whether drops and set heights have an effect; if not, they raise an InputError (of the class).
        can_be_coupled: whether floating bodies and fine detail can be stepped with it, and its totals measured all the
            time; if not, bodies and detail raise an InputError (of the class).
        can_be_given_state: whether it can start from a surface and a flow; if not, `set_state` raises an InputError (of
            the class).
        memory_per_point: about how much memory it takes for a point of its grid while it is made and stepped [bytes]
            (of the class).
        calm: parameters with which the water stays still until it is disturbed (of the class). Needed for a model that
            moves by itself, such as a sea under wind.
        extent: x_size and z_size [m].
        grid: where the points lie.
        params: the requested parameters.
        time: simulated time [s].
        place: coordinates of the terrain's file by world x and z [m].
        drape, land: as those of `Frame`.
        bed: world height of the ground with its walls [m], shape (nz, nx) float32, read-only; a new array whenever it
            changes.
        walls: points on which walls were painted, shape (nz, nx) bool, read-only.
        fixed: points that stay at height 0, shape (nz, nx) bool, read-only; a new array whenever they change.
    """

    name: ClassVar[str]
    summary: ClassVar[str] = ""
    Params: ClassVar[type[WaterParams]]
    can_be_disturbed: ClassVar[bool] = True
    can_be_coupled: ClassVar[bool] = True
    can_be_given_state: ClassVar[bool] = False
    memory_per_point: ClassVar[int] = 100
    calm: ClassVar[Mapping[str, Value]] = MappingProxyType({})

    def __init__(
        self,
        x_size: float,
        z_size: float,
        x_res: int,
        origin: tuple[float, float, float] = (0.0, 0.0, 0.0),
        **parameters: Unpack[WaterParameters],
    ) -> None:
        super().__init__()
        self.extent = (float(x_size), float(z_size))
        self.grid = Grid.from_size(x_size, z_size, x_res, origin)
        _check_level(self.grid.level)
        if max(self.grid.size) > LARGEST_SIZE:
            raise ParameterError(f"a water of {max(self.grid.size):g} m: at most {LARGEST_SIZE:g} m are allowed")
        if max(abs(self.grid.origin[0]), abs(self.grid.origin[2])) > LARGEST_SIZE:
            x, _, z = self.grid.origin
            raise ParameterError(f"a water at {x:g}, {z:g} m: allowed are places up to {LARGEST_SIZE:g} m away")
        self.params = self.Params().changed(**parameters)
        self.time = 0.0
        self._counted = _CountedTime(self.time, 0, self.params.steps_per_second)
        self.place = LOCAL
        self.drape: NDArray[np.uint8] | None = None
        self.land: Land | None = None
        self.bed = _frozen(np.full(self.grid.shape, self.grid.level - DEFAULT_DEPTH * min(self.grid.size), np.float32))
        self.walls = _frozen(np.zeros(self.grid.shape, bool))
        self._ground = self.bed
        self.fixed = _frozen(np.zeros(self.grid.shape, bool))
        self._pending: list[tuple[int, int, float]] = []
        self._create_state()

    # --- what a model is

    def _create_state(self) -> None:
        """Create the arrays and numbers of a model, at the end of `__init__`; a model of a model calls super()."""

    @abstractmethod
    def step(self) -> None:
        """Take one fixed time step of 1/steps_per_second."""

    def advance(self, steps: int, shown: bool = False) -> None:
        """Take `steps` fixed time steps; a model may do that faster than one by one.

        `shown` tells that the surface will be published next: then it may do some of that with the last step.
        """
        for _ in range(steps):
            self.step()

    def disturb(self, drop: Drop) -> None:
        """Release a drop from rest, at once; every model that can be disturbed overrides this.

        Raises:
            InputError: the water cannot be disturbed.
        """
        raise InputError(f"the {self.name} model knows no drops: the layered one (Tab, --model layered) can be touched")

    def disturb_all(self, drops: Sequence[Drop]) -> None:
        """Release several drops at once: the same to the bit as one after the other, and maybe faster.

        Raises:
            InputError: the water cannot be disturbed.
        """
        for drop in drops:
            self.disturb(drop)

    def set_state(self, heights: ArrayLike, flow: ArrayLike | None = None) -> None:
        """Give the whole water a surface and a flow, at once, in place of those it has.

        Args:
            heights: of the surface above still water [m], shape (nz, nx). Fixed points that stay so keep height 0.
            flow: discharge along x and along z, depth times velocity [m²/s], shape (2, nz, nx); None starts from rest.

        Raises:
            ParameterError: a shape or a number is not allowed (see `SetState`); nothing has changed then.
            InputError: the model has no surface that could be given; nothing has changed then.
        """
        state = SetState(heights, flow)  # type: ignore[arg-type]  # it makes arrays of them
        if not self.can_be_given_state:
            raise InputError(
                f"the {self.name} model cannot start from a given surface: the shallow-water and the wave-equation "
                "model can (Tab, --model)"
            )
        if state.heights.shape != self.grid.shape:
            raise ParameterError(f"a surface of shape {state.heights.shape}: the grid needs {self.grid.shape}")
        self._set_state(state.heights, state.flow)

    def _set_state(self, heights: NDArray[np.float32], flow: NDArray[np.float32] | None) -> None:
        """What a model that can be given a state does with it, checked and as `set_state` describes it."""

    @abstractmethod
    def publish(self, serial: int) -> Frame:
        """The surface as it is now; the frame's arrays are its own and will not change."""

    def publish_still(self) -> Frame:
        """The surface at rest, serial 0: a first picture that needs no kernel, and so no compiler."""
        heights = np.zeros(self.grid.shape, np.float32)
        slopes = np.zeros((*self.grid.shape, 2), np.float16)
        surface = self.time, self.grid, heights, slopes, self.bed, self.fixed
        return Frame(0, *surface, self.params, place=self.place, drape=self.drape)

    def _frame(
        self,
        serial: int,
        heights: NDArray[np.float32],
        normals: NDArray[np.float16],
        shift: NDArray[np.floating] | None = None,
        foam: NDArray[np.uint8] | None = None,
    ) -> Frame:
        """The frame of these arrays; see `Frame`."""
        surface = self.time, self.grid, heights, normals, self.bed, self.fixed
        known: dict[str, Any] = {"place": self.place, "incoming": self._incoming(), "drape": self.drape}
        known["land"] = self.land
        return Frame(serial, *surface, self.params, self.effective, shift, foam, **known)

    def _incoming(self) -> NDArray[np.float32] | None:
        """`Frame.incoming`."""
        return None

    @abstractmethod
    def reset(self) -> None:
        """Calm the water: every height 0 and at rest. What is driven, such as by wind, may rise again, but slowly."""

    @property
    def at_rest(self) -> bool:
        """Whether it is known that nothing moves, and nothing will until something disturbs the water."""
        return False

    @property
    @abstractmethod
    def height(self) -> NDArray[np.float32]:
        """Height above still water [m], shape (nz, nx); a view of the state, valid until the next step.

        It may go below the bed: most models know no depth, and only the shallow-water model keeps above it.
        """

    def observe(self, window: Window = WHOLE_GRID) -> Observation:
        """What gauges and maps over the run measure in a window of the grid now, valid until the next step."""
        return Observation(self.height[window], ~self.fixed[window])

    def undisplaced(self, x: ArrayLike, z: ArrayLike) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Where the points that are now at world x and z [m] would lie on flat water [m]; elsewhere if it is choppy."""
        return np.asarray(x, np.float64), np.asarray(z, np.float64)

    @property
    def time_levels(self) -> tuple[NDArray[np.float32], ...]:
        """The one or two arrays of heights, shape (nz, nx), from which the next step starts: writable views.

        A height added to all of them lifts the surface and releases it from rest: this is how floating bodies push
        water aside. Empty for a water whose heights are not its state: bodies then only follow it.
        """
        return ()

    @property
    def neutral_levels(self) -> tuple[NDArray[np.float32], ...]:
        """As `time_levels`, for pushes that conserve the volume of every basin, as bodies do; see `on_pushed`.

        It may hold one array more, which lasts for this step: that of a `height` that is made of the state.
        """
        return self.time_levels

    def on_pushed(self, rows: slice, columns: slice) -> None:
        """Must be called after `neutral_levels` were written, with the rows and columns that have changed."""

    # --- time, parameters, ground and level

    def _let_time_pass(self, steps: int = 1) -> None:
        """Let the time of steps that were taken pass. Steps are counted, so that no rounding adds up over hours."""
        rate = self.params.steps_per_second
        if self._counted.rate != rate or self._counted.time != self.time:
            self._counted = _CountedTime(self.time, 0, rate)
        self._counted = self._counted._replace(steps=self._counted.steps + steps)
        self.time = self._counted.time

    @property
    def time_step(self) -> float:
        """Length Δt of one step [s]."""
        return 1.0 / self.params.steps_per_second

    @property
    def effective(self) -> dict[str, float]:
        """What the solver really uses, by name; see `Frame.effective`. Every model names at least one figure."""
        return {}

    def set_parameter(self, name: str, value: Value) -> None:
        """Change one declared parameter from the next step on.

        Raises:
            ParameterError: the name is unknown or the value not allowed; nothing has changed then.
        """
        self.params = self.params.changed(**{name: value})

    def set_height_map(self, heightmap: HeightSource) -> None:
        """Make `heightmap` the ground; points are fixed where the ground is above still water (Bressler, §4.3).

        Raises:
            ParameterError: the heightmap gave values that are not finite.
        """
        bed = np.asarray(heightmap.height_at(self.grid.x[None, :], self.grid.z[:, None]), np.float32)
        bed = np.array(np.broadcast_to(bed, self.grid.shape), order="C")
        if not np.isfinite(bed).all():
            raise ParameterError("the heightmap gave heights that are not finite: fill its gaps first")
        self._ground = _frozen(bed)
        self.place = getattr(heightmap, "world_place", LOCAL)  # not every source of heights knows where it lies
        self._update_fixed()

    @property
    def ground(self) -> NDArray[np.float32]:
        """World height of the ground without walls [m], shape (nz, nx), read-only."""
        return self._ground

    def set_ground(self, ground: NDArray[np.float32], walls: NDArray[np.bool_]) -> None:
        """Set the world heights of the ground [m] and the points with walls, both shape (nz, nx).

        Raises:
            ParameterError: a shape is wrong, or heights are not finite.
        """
        if ground.shape != self.grid.shape or walls.shape != self.grid.shape or not np.isfinite(ground).all():
            raise ParameterError(
                f"ground of shape {ground.shape}, walls of {walls.shape}: needed are finite heights, {self.grid.shape}"
            )
        self._ground = _frozen(np.array(ground, np.float32, order="C"))
        self.walls = _frozen(np.array(walls, bool, order="C"))
        self._update_fixed()

    def set_water_level(self, level: float) -> None:
        """Put still water at world height `level` [m]; waves continue where there still is water.

        Raises:
            ParameterError: it is not −`HIGHEST_LEVEL` to `HIGHEST_LEVEL`; nothing has changed then.
        """
        _check_level(level)
        self.grid = self.grid.with_level(level)
        self._update_fixed()

    def paint_wall(
        self, x: float, z: float, radius: float, wall: bool = True, start: tuple[float, float] | None = None
    ) -> None:
        """Raise a wall within `radius` [m] of world (x, z), at least on the nearest point, or remove walls there.

        With a `start`, world x and z [m], the wall reaches from there to (x, z) without a gap, at the cost of a single
        dab. Walls stay when terrain or water level change; where one is removed, the ground is as it was.

        Raises:
            ParameterError: see `PaintWall`.
        """
        asked = PaintWall(x, z, radius, wall, start)
        touched = brush(self.grid, asked.x, asked.z, asked.radius, asked.start)
        changed = touched & (self.walls != wall)
        if changed.any():
            self.walls = _frozen(self.walls ^ changed)
            self._update_fixed()

    def _update_fixed(self) -> None:
        self.bed = _frozen(with_walls(self._ground, self.walls, self.grid)) if self.walls.any() else self._ground
        self.fixed = _frozen(without_puddles(self.bed > self.grid.level))
        self.on_fixed_changed()
        self.on_indices_changed()

    def on_fixed_changed(self) -> None:
        """Called after `fixed` has changed, for a model to adapt its own arrays."""

    # --- wind and diagnostics

    def blow(self, gust: Gust) -> None:
        """Raise the ripples of a gust of wind on its path, at once."""
        for drop in gust_drops(gust, self.grid):
            self.disturb(drop)

    def field_maps(self) -> dict[str, FieldMap]:
        """Maps of the state by name, in the order in which key V shows them; every model has "height" and "fixed"."""
        views = (
            FieldMap("height", self.height.copy(), "m", diverging=True),
            FieldMap("fixed", self.fixed, "", diverging=False),
        )
        return {view.name: view for view in views}

    def totals(self) -> Totals:
        """Mean level, and energies if the model knows them."""
        free = ~self.fixed
        return Totals(float(self.height[free].mean(dtype=np.float64)) if free.any() else 0.0)

    # --- state to save

    def state(self) -> dict[str, Any]:
        """Everything that changes in time, as numbers and arrays: a water made alike goes on from it to the bit.

        Raises:
            InputError: this water cannot be saved.
        """
        return {
            "time": self.time,
            "counted": list(self._counted),
            "banked": self._banked,
            "pending": [list(entry) for entry in self._pending],
            **self._state(),
        }

    def load_state(self, state: Mapping[str, Any]) -> None:
        """Go on from the `state` of a water with the same grid, ground and parameters.

        Raises:
            InputError: the state makes no sense.
        """
        try:
            self._load_state(state)
            self.time, self._banked = entry_of(state, "time", float), entry_of(state, "banked", float, low=0.0)
            # A file of an earlier version has no count: it begins there.
            counted = self.time, 0, float(self.params.steps_per_second)
            self._counted = _CountedTime(*entry_of(state, "counted", tuple[float, int, float], counted))
            if self._counted.steps < 0 or not self._counted.rate >= 1.0 / LARGEST:
                raise ValueError(f"{self._counted.steps} steps, {self._counted.rate:g} a second")
            # Heights may be set to any finite ones: only when a step takes them they are clipped.
            most = sys.float_info.max
            pending = entry_of(state, "pending", list[tuple[int, int, float]], low=-most, high=most)
            self._pending = [(*self._checked_point(ix, iz), height) for ix, iz, height in pending]
        except (KeyError, ValueError, ParameterError) as error:
            raise InputError(f"a saved water makes no sense ({error}): choose another file") from error

    def __reduce__(self) -> tuple[Any, ...]:
        """Copied and pickled as what it is made of: the copy goes on to the bit, with arrays of its own.

        Raises:
            InputError: this water cannot be saved.
        """
        place = self.extent, self.grid.shape[1], self.grid.origin
        return _made_alike, (type(self), place, asdict(self.params), self._ground, self.walls, self.place, self.state())

    def bring_back(self, state: Mapping[str, Any]) -> None:
        """Let the waves be again as `state` of this water gave them; time goes on from now.

        Raises:
            InputError: the state makes no sense, such as that of another water.
        """
        now = self.time
        self.load_state(state)
        self.time = now

    def _state(self) -> dict[str, Any]:
        """What a model adds to `state`."""
        raise InputError(f"the {self.name} model cannot be saved: choose another with Tab or --model")

    def _load_state(self, state: Mapping[str, Any]) -> None:
        """Load what `_state` returned; raises a KeyError or ValueError where it makes no sense."""
        raise InputError(f"the {self.name} model cannot be loaded: choose another with Tab or --model")

    # --- Bressler's interface (2007, §4)

    @property
    def position(self) -> NDArray[np.float32]:
        """World (x, z) of every point [m], shape (nz, nx, 2)."""
        return self.grid.positions()

    @property
    def indices(self) -> NDArray[np.uint32]:
        """Triangles over the free points, shape (m, 3), counter-clockwise seen from above."""
        return self.grid.triangles(self.fixed)

    @property
    def normals(self) -> NDArray[np.float32]:
        """Unit normals pointing to positive y, shape (nz, nx, 3)."""
        slopes = self.publish(0).normals.astype(np.float32)
        normals = np.stack((slopes[..., 0], np.ones(self.grid.shape, np.float32), slopes[..., 1]), axis=-1)
        return np.asarray(normals / np.linalg.norm(normals, axis=-1, keepdims=True), np.float32)

    def on_indices_changed(self) -> None:
        """Called when `indices` has changed: Bressler's updateIndices, for a subclass to override."""

    def set_height(self, ix: int, iz: int, height: float) -> None:
        """Set a point's height [m] at the start of the next step and release it from rest; fixed points stay 0.

        Raises:
            InputError: the water cannot be disturbed.
            ParameterError: the point is not on the grid or the height not finite.
        """
        if not self.can_be_disturbed:
            raise InputError(
                f"the {self.name}'s heights cannot be set: the layered one (Tab, --model layered) can be touched"
            )
        point = self._checked_point(ix, iz)
        if not math.isfinite(height):
            raise ParameterError(f"a height of {height} m: allowed are finite values")
        self.acquire_lock()
        self._pending.append((*point, float(height)))
        self.release_lock()

    def get_height(self, ix: int, iz: int) -> float:
        """Height of a point above still water [m], as of the last step.

        Raises:
            ParameterError: the point is not on the grid.
        """
        ix, iz = self._checked_point(ix, iz)
        self.acquire_lock()
        try:
            return float(self.height[iz, ix])
        finally:
            self.release_lock()

    def _take_pending(self) -> list[tuple[int, int, float]]:
        """The heights that were set since the last step, for a model's `step` to write and its `reset` to drop.

        They may lie on fixed points, which stay at 0, and beyond ±`MAX_HEIGHT`.
        """
        pending, self._pending = self._pending, []
        return pending

    def _checked_point(self, ix: int, iz: int) -> tuple[int, int]:
        nz, nx = self.grid.shape
        if not (0 <= ix < nx and 0 <= iz < nz and float(ix).is_integer() and float(iz).is_integer()):
            raise ParameterError(
                f"point ({ix}, {iz}): allowed are whole numbers, 0 to {nx - 1} along x and 0 to {nz - 1} along z"
            )
        return int(ix), int(iz)

    def intersect_coords(self, pos: Sequence[float], direction: Sequence[float]) -> tuple[float, float, float] | None:
        """Where the line through `pos` along `direction` meets still water inside the grid [m]; None if it does not.

        As in Bressler (2007, §4.6) the whole line counts, including the part behind `pos`.
        """
        (px, py, pz), (dx, dy, dz) = pos, direction
        if dy == 0.0 or not all(map(math.isfinite, (*pos, *direction))):
            return None
        t = (self.grid.level - py) / dy
        x, z = px + t * dx, pz + t * dz
        # A line almost parallel to the water may meet it farther away than a float can express.
        inside = math.isfinite(x) and math.isfinite(z) and self.grid.nearest(x, z) is not None
        return (x, self.grid.level, z) if inside else None

    def intersect_element(self, pos: Sequence[float], direction: Sequence[float]) -> tuple[int, int] | None:
        """The point (ix, iz) closest to `intersect_coords`, or None."""
        hit = self.intersect_coords(pos, direction)
        return None if hit is None else self.grid.nearest(hit[0], hit[2])


def _check_level(level: float) -> None:
    if not abs(level) <= HIGHEST_LEVEL:
        raise ParameterError(f"still water at {level:g} m: allowed are −{HIGHEST_LEVEL:g} to {HIGHEST_LEVEL:g} m")


def restore(array: NDArray[Any], saved: object, low: float = -LARGEST, high: float = LARGEST) -> None:
    """Overwrite the values of an array with saved ones of `low` to `high`, in the unit of the array.

    Raises:
        ValueError: it is no array, has another shape or type, or a number lies outside `low` to `high`.
    """
    if not isinstance(saved, np.ndarray) or saved.shape != array.shape or saved.dtype != array.dtype:
        raise ValueError(f"no array of shape {array.shape} and type {array.dtype} where one is needed")
    check_within(saved, low, high, "array")
    array[...] = saved


def _frozen(array: NDArray[_T]) -> NDArray[_T]:
    array.setflags(write=False)
    return array


def _made_alike(
    model: Callable[..., Water],
    place: tuple[tuple[float, float], int, tuple[float, float, float]],
    params: Mapping[str, Value],
    ground: NDArray[np.float32],
    walls: NDArray[np.bool_],
    georeference: Georeference,
    state: Mapping[str, Any],
) -> Water:
    extent, points, origin = place
    water = model(*extent, points, origin, **params)
    water.set_ground(ground, walls)
    water.place = georeference
    water.load_state(state)
    return water
