"""Commands: plain values posted to the simulation, which applies them before its next step."""

from __future__ import annotations

import itertools
import math
import re
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import Any, Protocol

import numpy as np
from numpy.typing import ArrayLike, NDArray

from .body import BodyMesh, check_body_mesh
from .errors import ParameterError
from .grid import Grid
from .params import Value

MAX_HEIGHT = 1e5
"""Largest height of a drop [m], far above any wave on Earth; heights are clipped to it, too."""

DROP_RADIUS = 0.028
"""Radius of the usual drop, as a share of the water's longer side."""

DROP_STEEPNESS = 0.45
"""Height of the usual drop in the middle, as a share of its radius."""

MAX_FLOW = 1e6
"""Largest discharge that a water is given [m²/s], a thousand times that of the widest ocean current."""

MAX_RAIN = 10_000.0
"""Most drops of rain a second."""

MAX_SPEED = 100.0
"""Largest speed that a body is given for its course [m/s], about twice that of the fastest boats."""

MAX_NAME = 32
"""Most letters of a gauge's name."""


class HeightSource(Protocol):
    """A source of ground heights: the HeightMapInterface of Bressler (2007, §4.3)."""

    def height_at(self, x: NDArray[np.floating], z: NDArray[np.floating]) -> NDArray[np.floating]:
        """World height [m] of the ground at world x and z [m]; arrays broadcast, the result has their shape."""
        ...


@dataclass(frozen=True)
class Drop:
    """A round bump released from rest: ½(cos(π r/radius) + 1)·height inside `radius`.

    Attributes:
        x, z: centre in the world [m].
        height: height at the centre [m]; a negative drop presses the water down.
        radius: distance at which it ends [m]; at least one cell is disturbed.
        neutral: whether a ring around it takes the same volume away, so that the mean level does not rise.

    Raises:
        ParameterError: a number is not finite, |height| exceeds `MAX_HEIGHT` or radius is not above 0.
    """

    x: float
    z: float
    height: float
    radius: float
    neutral: bool = True

    def __post_init__(self) -> None:
        if not all(math.isfinite(value) for value in (self.x, self.z, self.height, self.radius)):
            raise ParameterError(
                f"a drop at {self.x}, {self.z} of height {self.height} and radius {self.radius}: "
                "allowed are finite numbers"
            )
        if abs(self.height) > MAX_HEIGHT:
            raise ParameterError(f"a drop of height {self.height:g} m: allowed are −{MAX_HEIGHT:g} to {MAX_HEIGHT:g} m")
        if self.radius <= 0.0:
            raise ParameterError(f"a drop of radius {self.radius:g} m: allowed are values above 0")


@dataclass(frozen=True)
class TimedDrop:
    """A drop that falls at `time` [s] of simulated time."""

    drop: Drop
    time: float = 0.0


def usual_gust(grid: Grid, x: float, z: float, direction: float) -> Gust:
    """A gust over world (x, z) [m] that suits the water on `grid`; it blows along (cos, sin) of `direction` [rad]."""
    reach = 0.2 * max(grid.size)
    dx, dz = reach * math.cos(direction), reach * math.sin(direction)
    width = 0.5 * reach
    height = min(0.1 * DROP_STEEPNESS * DROP_RADIUS * max(grid.size), MAX_HEIGHT)
    return Gust(x - 0.5 * dx, z - 0.5 * dz, dx, dz, height, width)


def usual_drop(grid: Grid, x: float, z: float, size: float = 1.0, steepness: float = DROP_STEEPNESS) -> Drop:
    """A drop at world x, z [m] that suits the water on `grid`; `size` is a multiple of the usual radius.

    It is no higher than `MAX_HEIGHT`, however large the grid.
    """
    radius = size * DROP_RADIUS * max(grid.size)
    return Drop(x, z, min(max(steepness * radius, -MAX_HEIGHT), MAX_HEIGHT), radius)


@dataclass(frozen=True)
class SetHeight:
    """Set one grid point to `height` [m] and release it from rest (Bressler 2007, §4.4); a fixed point stays 0."""

    ix: int
    iz: int
    height: float


@dataclass(frozen=True, eq=False)
class SetState:
    """Give the whole water a surface and a flow, in place of those it has; what was moving is gone.

    Attributes:
        heights: of the surface above still water [m], shape (nz, nx) float32, read-only. There is water where the
            surface lies above the ground.
        flow: discharge along x and along z, depth times velocity [m²/s], shape (2, nz, nx) float32, read-only; None
            starts from rest.

    Raises:
        ParameterError: a shape is wrong, a number is not finite, or it exceeds `MAX_HEIGHT` or `MAX_FLOW`.
    """

    heights: NDArray[np.float32]
    flow: NDArray[np.float32] | None = None

    def __post_init__(self) -> None:
        heights = _given("a surface", self.heights, "m", MAX_HEIGHT)
        if heights.ndim != 2:
            raise ParameterError(f"a surface of shape {heights.shape}: needed is (nz, nx)")
        object.__setattr__(self, "heights", heights)
        if self.flow is not None:
            flow = _given("a flow", self.flow, "m²/s", MAX_FLOW)
            if flow.shape != (2, *heights.shape):
                raise ParameterError(f"a flow of shape {flow.shape}: needed is {(2, *heights.shape)}, along x and z")
            object.__setattr__(self, "flow", flow)


def _given(what: str, values: ArrayLike, unit: str, most: float) -> NDArray[np.float32]:
    """A copy of an array that somebody gave; `most` is the largest number allowed."""
    try:
        if np.iscomplexobj(values):
            raise TypeError("complex numbers")
        with np.errstate(over="ignore", invalid="ignore"):  # what is not finite is refused below
            array = np.array(values, np.float32)
    except (TypeError, ValueError) as error:
        raise ParameterError(f"{what} that is no array of numbers ({error}): needed is shape (nz, nx)") from error
    if not np.isfinite(array).all():
        count = array.size - np.count_nonzero(np.isfinite(array))
        raise ParameterError(f"{what} with {count} values that are not finite: fill them, such as with 0")
    largest = float(np.abs(array).max(initial=0.0))
    if largest > most:
        raise ParameterError(f"{what} of up to {largest:g} {unit}: allowed are −{most:g} to {most:g} {unit}")
    array.setflags(write=False)
    return array


@dataclass(frozen=True)
class SetParameter:
    """Set a declared parameter of the water, or, with a prefix, of bodies or detail, such as "bodies_drag"."""

    name: str
    value: Value


@dataclass(frozen=True)
class SetWaterLevel:
    """Set the world height of still water [m]; fixed points follow."""

    level: float


@dataclass(frozen=True)
class RaiseWaterLevel:
    """Raise still water by `by` [m], or lower it if negative."""

    by: float


@dataclass(frozen=True)
class PaintWall:
    """Build a wall on the points within `radius` [m] of world (x, z), at least the nearest, or remove walls there.

    Walls remain when terrain or water level change. Removing a wall does not flood ground that is dry anyway.

    Attributes:
        start: world (x, z) [m] where a stroke to (x, z) begins; None for a single disc.

    Raises:
        ParameterError: x or z is not finite, or the radius not a number of 0 or more.
    """

    x: float
    z: float
    radius: float
    wall: bool = True
    start: tuple[float, float] | None = None

    def __post_init__(self) -> None:
        x, z = self.start or (self.x, self.z)
        if not (all(map(math.isfinite, (self.x, self.z, x, z, self.x - x, self.z - z))) and self.radius >= 0.0):
            raise ParameterError(
                f"a wall at {self.x}, {self.z} of radius {self.radius}: allowed are finite places, radius 0 or more"
            )


@dataclass(frozen=True)
class Gust:
    """A gust of wind from world (x, z) to (x + dx, z + dz) [m] that raises ripples on its path.

    Attributes:
        x, z: start [m].
        dx, dz: way [m]; not both 0.
        strength: height of the ripples [m].
        width: width of the path [m]; the length of the ripples follows from it.

    Raises:
        ParameterError: a number is not finite, |strength| exceeds `MAX_HEIGHT`, or path or width have no length.
    """

    x: float
    z: float
    dx: float
    dz: float
    strength: float
    width: float

    def __post_init__(self) -> None:
        numbers = (self.x, self.z, self.dx, self.dz, self.strength, self.width)
        if not all(map(math.isfinite, numbers)) or abs(self.strength) > MAX_HEIGHT:
            raise ParameterError(
                f"a gust of {numbers}: allowed are finite numbers and ripples of up to {MAX_HEIGHT:g} m"
            )
        if self.width <= 0.0 or math.hypot(self.dx, self.dz) == 0.0:
            raise ParameterError(
                f"a gust of width {self.width:g} m along ({self.dx:g}, {self.dz:g}) m: allowed are lengths above 0"
            )


@dataclass(frozen=True)
class SetRain:
    """Let `rate` drops a second fall on the whole water; 0 ends the rain.

    Raises:
        ParameterError: the rate is not 0 to `MAX_RAIN`.
    """

    rate: float

    def __post_init__(self) -> None:
        if not 0.0 <= self.rate <= MAX_RAIN:
            raise ParameterError(f"rain of {self.rate:g} drops a second: allowed are 0 to {MAX_RAIN:g}")


@dataclass(frozen=True)
class AddBody:
    """Add a floating body.

    Attributes:
        kind: name of its kind, see `waterview.bodies.kinds`; with a `mesh`, what to call it.
        density: mass over volume [kg/m³]; None means the usual one of its kind.
        x, z: place [m]; None means the middle of the widest water.
        heading, speed: its course, as in `SetCourse`; it begins with its bow that way. None leaves it adrift.
        size: longest side [m]; None means a twentieth of the water's longer side.
        mesh: a body of one's own, in place of a kind.

    Raises:
        ParameterError: heading or speed is not allowed, or the mesh is none.
    """

    kind: str
    density: float | None = None
    x: float | None = None
    z: float | None = None
    heading: float | None = None
    speed: float = 0.0
    size: float | None = None
    mesh: BodyMesh | None = field(default=None, compare=False, repr=False)

    def __post_init__(self) -> None:
        check_course(self.heading, self.speed)
        if self.mesh is not None:
            check_body_mesh(self.mesh)


@dataclass(frozen=True)
class RemoveBody:
    """Remove body `number`."""

    number: int


@dataclass(frozen=True)
class RemoveBodies:
    """Remove all bodies."""


@dataclass(frozen=True)
class GrabBody:
    """Grab body `number` at the world point `point` [m]."""

    number: int
    point: tuple[float, float, float]


@dataclass(frozen=True)
class DragBody:
    """Pull the grabbed body by that point towards the world point `point` [m]."""

    point: tuple[float, float, float]


@dataclass(frozen=True)
class ReleaseBody:
    """Release the grabbed body; it keeps its velocity."""


@dataclass(frozen=True)
class SetBodyDensity:
    """Give every body the density `density` [kg/m³]."""

    density: float


@dataclass(frozen=True)
class SetCourse:
    """Let body `number` go by itself from now on, or leave it adrift again.

    Attributes:
        number: of the body.
        heading: where to, in degrees clockwise from north (−z), −360 to 360; None ends its course.
        speed: over the ground [m/s], 0 to `MAX_SPEED`.

    Raises:
        ParameterError: heading or speed is not allowed.
    """

    number: int
    heading: float | None
    speed: float = 0.0

    def __post_init__(self) -> None:
        check_course(self.heading, self.speed)


def check_course(heading: float | None, speed: float) -> None:
    """Refuse a heading or a speed that no body can be given; see `SetCourse`.

    Raises:
        ParameterError: one is not allowed.
    """
    if heading is not None and not -360.0 <= heading <= 360.0:
        raise ParameterError(f"a course of {heading:g} degrees: allowed are −360 to 360, clockwise from north")
    if not 0.0 <= speed <= MAX_SPEED:
        raise ParameterError(f"a course at {speed:g} m/s: allowed are 0 to {MAX_SPEED:g} m/s")


@dataclass(frozen=True)
class AddGauge:
    """Measure the water at a place from now on.

    Attributes:
        name: its name, in files too; one to `MAX_NAME` letters, digits, spaces and signs of "_.+-".
        x, z: place in the world [m].

    Raises:
        ParameterError: the name has other signs or another length, or x or z is not finite.
    """

    name: str
    x: float
    z: float

    def __post_init__(self) -> None:
        if re.fullmatch(rf"[\w.+-](?:[\w .+-]{{0,{MAX_NAME - 2}}}[\w.+-])?", self.name) is None:
            raise ParameterError(
                f"a gauge called '{self.name[:40]}': allowed are 1 to {MAX_NAME} letters, digits, spaces and _.+-"
            )
        if not (math.isfinite(self.x) and math.isfinite(self.z)):
            raise ParameterError(f"the gauge '{self.name}' at {self.x}, {self.z}: allowed are finite places")


@dataclass(frozen=True)
class RemoveGauge:
    """Take the gauge called `name` away, with what it has measured."""

    name: str


@dataclass(frozen=True)
class SetMeasured:
    """Lay a series from elsewhere over that of a gauge, or none if it is empty.

    Attributes:
        gauge: name of the gauge.
        times: rising [s of simulated time].
        surface: height above still water [m], as many as times.

    Raises:
        ParameterError: the numbers differ, one is not finite, or times do not rise.
    """

    gauge: str
    times: tuple[float, ...] = ()
    surface: tuple[float, ...] = ()

    def __post_init__(self) -> None:
        if len(self.times) != len(self.surface) or not all(map(math.isfinite, (*self.times, *self.surface))):
            raise ParameterError(
                f"{len(self.times)} times and {len(self.surface)} heights for the gauge '{self.gauge}': "
                "needed are as many of each, and finite ones"
            )
        if any(after <= before for before, after in itertools.pairwise(self.times)):
            raise ParameterError(f"times for the gauge '{self.gauge}' do not rise: each must be later than the last")


@dataclass(frozen=True)
class ShowField:
    """Publish the field map called `name` with every frame (see `Water.field_maps`), or none."""

    name: str | None


@dataclass(frozen=True)
class ShowNextField:
    """Publish the next field map of the water; after the last comes none."""


@dataclass(frozen=True)
class ShowFrame:
    """Go to the frame `number` of the recording that is played."""

    number: int


@dataclass(frozen=True)
class LookAt:
    """Show a recording as fine as can be seen.

    Attributes:
        x, z: place in the world that is looked at [m].
        distance: of the eye from there [m].

    Raises:
        ParameterError: one is not finite.
    """

    x: float
    z: float
    distance: float

    def __post_init__(self) -> None:
        if not all(map(math.isfinite, (self.x, self.z, self.distance))):
            raise ParameterError(f"a look at {self.x}, {self.z} from {self.distance} m: allowed are finite numbers")


@dataclass(frozen=True)
class Reset:
    """Calm the water: every height 0 and at rest."""


@dataclass(frozen=True)
class BeginChange:
    """From now on, changes that can be undone belong to the change `number`, until another one begins.

    Attributes:
        number: chosen by who posts it; `UndoChange` and `RedoChange` name it.
    """

    number: int


@dataclass(frozen=True)
class UndoChange:
    """Undo all that was done in the change `number`, in the opposite order; the waves since then stay."""

    number: int


@dataclass(frozen=True)
class RedoChange:
    """Do again what `UndoChange` undid."""

    number: int


@dataclass(frozen=True)
class Pause:
    """Pause (`on`) or continue; None toggles."""

    on: bool | None = None


@dataclass(frozen=True)
class StepOnce:
    """Take one time step, also while paused."""


@dataclass(frozen=True)
class ReplaceWater:
    """Replace the water, for another terrain, grid or model.

    Attributes:
        make: makes the new water, or a world with its own rain and detail; called on the thread of the simulation.
        keep_bodies: whether bodies stay; on another terrain their places would be arbitrary.
        keep_walls: whether the present walls replace those of the new water.
        keep_level: whether still water keeps its height.
        replaces_all: whether `make` makes a world, so that rain and detail are replaced as well.
        cancelled: called on the thread of the simulation if the water is taken away before it was shown.
    """

    make: Callable[[], Any]
    keep_bodies: bool = False
    keep_walls: bool = False
    keep_level: bool = False
    replaces_all: bool = False
    cancelled: Callable[[], None] = lambda: None

    def supersedes(self, earlier: ReplaceWater) -> bool:
        """Whether `earlier`, applied just before, would leave nothing but what this keeps."""
        return self.replaces_all or not earlier.replaces_all

    def merged_with(self, earlier: ReplaceWater) -> ReplaceWater:
        """This command for the case that `earlier` is skipped: it keeps only what both keep."""
        return replace(
            self,
            keep_bodies=self.keep_bodies and earlier.keep_bodies,
            keep_walls=self.keep_walls and earlier.keep_walls,
            keep_level=self.keep_level and earlier.keep_level,
        )


@dataclass(frozen=True)
class SaveWorld:
    """Call `save` with the world between two steps.

    Attributes:
        save: reads the world and does not change it; called on the thread of the simulation. An InputError that it
            raises is reported.
    """

    save: Callable[[Any], None]


Command = (
    Drop
    | SetHeight
    | SetState
    | SetParameter
    | SetWaterLevel
    | RaiseWaterLevel
    | PaintWall
    | Gust
    | SetRain
    | AddBody
    | RemoveBody
    | RemoveBodies
    | GrabBody
    | DragBody
    | ReleaseBody
    | SetBodyDensity
    | SetCourse
    | AddGauge
    | RemoveGauge
    | SetMeasured
    | ShowField
    | ShowNextField
    | ShowFrame
    | LookAt
    | Reset
    | BeginChange
    | UndoChange
    | RedoChange
    | Pause
    | StepOnce
    | ReplaceWater
    | SaveWorld
)
