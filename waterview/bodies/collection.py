"""All bodies of a scene: they are added, grabbed, thrown and stepped here."""

from __future__ import annotations

import math
from bisect import bisect
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from functools import cached_property
from typing import Any, Unpack

import numpy as np
from numpy.typing import NDArray

from waterview.bodies.kernels.records import BODY, ENVIRONMENT, SPHERE, TURNING_WATER, Ground, ShapeTables
from waterview.core.body import BodyState
from waterview.core.errors import InputError, ParameterError
from waterview.core.grid import Grid
from waterview.core.parameter_names import BodyParameters
from waterview.core.params import Params, Value
from waterview.core.saved import array_of, entry_of, params_of

from .course import Course, facing, steer
from .flotation import floating_height, volume_and_moment
from .kinds import kinds, shape_of
from .meshes import own_shape
from .params import BodyParams
from .placement import free_place, place_on, scale_of
from .records import (
    fill_environment,
    finite_vector,
    forget,
    make_room,
    new_record,
    records_from,
    rotated,
    rotation_matrix,
    set_addresses,
    set_density,
    set_place,
    shape_tables,
    state_of,
)
from .shapes import Shape
from .water import WaterAroundBodies

Array = NDArray[np.float64]

MOST_BODIES = 512
"""Most bodies at once."""


@dataclass(frozen=True, eq=False)
class BodyCopy:
    """A body at one moment, from which it can come back.

    Attributes:
        number: its number.
        record: its record of `BODY`.
        shape: its shape.
        course: its course, or None.
    """

    number: int
    record: Any
    shape: Shape
    course: Course | None


class Bodies:
    """Rigid bodies that float, sink, collide and push water aside; single-threaded and deterministic.

    Call `step` after steps of the water. A body is named by the number that `add` returns.

    Args:
        parameters: values for `BodyParams`; those left out keep their defaults.

    Raises:
        ParameterError: a name is unknown or a value not allowed.

    Attributes:
        params: the parameters.
        interventions: how often bodies were changed by anything but water and contacts, a course excepted.
    """

    def __init__(self, **parameters: Unpack[BodyParameters]) -> None:
        self.params = BodyParams().changed(**parameters)
        self._records = np.zeros(0, BODY)
        self._numbers: list[int] = []
        self._shapes: list[Shape] = []
        self._next = 1
        self._tables: ShapeTables | None = None
        self._pool = np.zeros(0, np.float32)
        self._ground: tuple[Any, Any, Ground] | None = None
        self._grid: Grid | None = None
        self._environment = np.zeros(1, ENVIRONMENT)
        self._environment_is_for: tuple[BodyParams, float, Params] | None = None
        self._grabbed: int | None = None
        self._courses: dict[int, Course] = {}
        self.interventions = 0

    def __len__(self) -> int:
        return len(self._numbers)

    @property
    def numbers(self) -> tuple[int, ...]:
        """The bodies' numbers, in the order in which they came."""
        return tuple(self._numbers)

    def set_parameter(self, name: str, value: Value) -> None:
        """Change one declared parameter from the next step on.

        Raises:
            ParameterError: the name is unknown or the value not allowed; nothing has changed then.
        """
        self.params = self.params.changed(**{name: value})

    # --- adding, changing and removing

    def add(
        self,
        water: WaterAroundBodies,
        kind: str | Shape,
        density: float | None = None,
        x: float | None = None,
        z: float | None = None,
        size: float | Sequence[float] | None = None,
        *,
        y: float | None = None,
        rotation: Sequence[float] | None = None,
        heading: float | None = None,
    ) -> int:
        """Add a body at rest; returns its number. It pushes no water aside by appearing.

        Args:
            water: the water it is to float on.
            kind: a name of `waterview.bodies.kinds.kinds`, or a shape of one's own.
            density: mass over volume [kg/m³]; None means the usual density of its kind.
            x: where, in the world [m]; None means the middle of the widest water, or beside the bodies that are there.
            z: the same along z.
            size: longest side [m], or for a box its three sides; None means a twentieth of the water's longer side.
            y: world height of its centre of mass [m]; None means as high as it floats, if it does, and else just wet.
            rotation: orientation as a quaternion w, x, y, z of any length above 0; None is level, as `heading` says.
            heading: where its bow points, in degrees clockwise from north (−z); None means along +x.

        Raises:
            ParameterError: a value is not allowed, the place is not in the water, or there are `MOST_BODIES` already.
            InputError: no kind has that name.
        """
        shape = shape_of(kind) if isinstance(kind, str) else kind
        if len(self) >= MOST_BODIES:
            raise ParameterError(f"{len(self)} bodies already: allowed are {MOST_BODIES}; take some away first")
        is_placed = x is not None and z is not None
        x, z = place_on(water, x, z)
        record = new_record(shape, scale_of(water.grid, shape, size), shape.density if density is None else density)
        if not is_placed:
            x, z = free_place(water, (x, z), float(record["bounding_radius"]), self._records)
        if rotation is None and heading is not None:
            rotation = facing(heading)
        set_place(record, (x, 0.0 if y is None else y, z), rotation)
        if y is None:
            turned, share = (
                rotation_matrix(record["orientation"]),
                record["mass"] / record["volume"] / self.params.water_density,
            )
            height = floating_height(shape, record["scale"], turned, float(share))
            record["position"][1] = water.grid.level + water.grid.sample(water.height, x, z) + height
        self._records = np.append(self._records, record)
        self._shapes.append(shape)
        self._numbers.append(self._next)
        self._next += 1
        self._tables = None
        return self._numbers[-1]

    def remove(self, number: int) -> None:
        """Remove a body; the water closes without a splash.

        Raises:
            InputError: no body has that number.
        """
        index = self._index(number)
        if number == self._grabbed:
            self._grabbed = None
        self._courses.pop(number, None)
        self._records = np.delete(self._records, index)
        del self._shapes[index], self._numbers[index]
        self._tables = None

    def copy(self, number: int) -> BodyCopy:
        """A body as it is now, but held by no pointer.

        Raises:
            InputError: no body has that number.
        """
        index = self._index(number)
        record = self._records[index].copy()
        record["grabbed"] = 0
        return BodyCopy(number, record, self._shapes[index], self._courses.get(number))

    def put_back(self, body: BodyCopy) -> None:
        """Let a body be again as it was copied, in place of the one of its number if there is one; without a splash.

        Raises:
            ParameterError: there are `MOST_BODIES` already.
        """
        if body.number in self._numbers:
            self.remove(body.number)
        if len(self) >= MOST_BODIES:
            raise ParameterError(f"{len(self)} bodies already: allowed are {MOST_BODIES}; take some away first")
        index = bisect(self._numbers, body.number)
        record = body.record.copy()
        forget(record)
        self._records = np.insert(self._records, index, record)
        self._shapes.insert(index, body.shape)
        self._numbers.insert(index, body.number)
        self._next = max(self._next, body.number + 1)
        if body.course is not None:
            self._courses[body.number] = body.course
        self._tables = None
        self.interventions += 1

    def density(self, number: int) -> float:
        """Mass over volume of a body [kg/m³].

        Raises:
            InputError: no body has that number.
        """
        record = self._record(number)
        return float(record["mass"] / record["volume"])

    def course(self, number: int) -> Course | None:
        """The course of a body; None where it is adrift.

        Raises:
            InputError: no body has that number.
        """
        self._index(number)
        return self._courses.get(number)

    def clear(self) -> None:
        """Remove all bodies."""
        for number in self.numbers:
            self.remove(number)

    def place(self, number: int, position: Sequence[float], rotation: Sequence[float] | None = None) -> None:
        """Put a body elsewhere, at rest and without a splash.

        Args:
            number: which.
            position: of its centre of mass in the world [m].
            rotation: quaternion w, x, y, z of any length above 0; None leaves it as it is.

        Raises:
            ParameterError: a number is not finite, or the quaternion is 0.
            InputError: no body has that number.
        """
        set_place(self._record(number), position, rotation)
        self.interventions += 1

    def set_velocity(self, number: int, velocity: Sequence[float], spin: Sequence[float] = (0.0, 0.0, 0.0)) -> None:
        """Give a body a velocity [m/s] and an angular velocity in the world [1/s].

        Raises:
            ParameterError: a number is not finite.
            InputError: no body has that number.
        """
        record = self._record(number)
        record["velocity"], record["spin"] = finite_vector("a velocity", velocity), finite_vector("a spin", spin)
        self.interventions += 1

    def set_flow(self, number: int, velocity: NDArray[np.floating]) -> None:
        """Set the velocity of the water around a body for its next step [m/s], shape (3,).

        Raises:
            InputError: no body has that number.
        """
        self._record(number)["flow"] = velocity

    def set_density(self, density: float, number: int | None = None) -> None:
        """Give one body another density [kg/m³], or all of them.

        Raises:
            ParameterError: it is not allowed; nothing has changed then.
            InputError: no body has that number.
        """
        for chosen in self.numbers if number is None else (number,):
            index = self._index(chosen)
            set_density(self._records[index], self._shapes[index], density)
            self.interventions += 1

    def set_course(self, number: int, heading: float | None, speed: float = 0.0) -> None:
        """Let a body go by itself: an engine brings it to the speed, and a helm turns its bow to the heading.

        It goes while some of it is under water and the pointer does not hold it.

        Args:
            number: which.
            heading: in degrees clockwise from north (−z), −360 to 360; None leaves the body adrift.
            speed: along the heading over the ground [m/s], 0 to `waterview.core.commands.MAX_SPEED`.

        Raises:
            ParameterError: a number is not allowed; nothing has changed then.
            InputError: no body has that number.
        """
        self._index(number)
        if heading is None:
            self._courses.pop(number, None)
        else:
            self._courses[number] = Course.checked(heading, speed)

    # --- grabbed by the pointer

    @property
    def grabbed(self) -> int | None:
        """The number of the grabbed body, or None."""
        return self._grabbed

    def grab(self, number: int, point: Sequence[float]) -> None:
        """Grab a body at a point of the world [m] near it; one that was grabbed before is released.

        Raises:
            ParameterError: a number is not finite.
            InputError: no body has that number.
        """
        at = finite_vector("the point to grab", point)
        record = self._record(number)
        self.release()
        away = at - record["position"]
        with np.errstate(over="ignore"):  # infinitely far is far
            distance = float(np.linalg.norm(away))
        # A point far away would be a lever that no body has.
        away *= min(1.0, float(record["bounding_radius"]) / distance) if distance > 0.0 else 0.0
        record["anchor"] = rotation_matrix(record["orientation"]).T @ away
        record["target"], record["grabbed"] = record["position"] + away, 1
        self._grabbed = number

    def drag_to(self, point: Sequence[float]) -> None:
        """Move the pointer to a point of the world [m]; the grabbed body, if any, follows in the next steps.

        Raises:
            ParameterError: a number is not finite.
        """
        at = finite_vector("the point to drag to", point)
        if self._grabbed is not None:
            self._record(self._grabbed)["target"] = at

    def release(self, velocity: Sequence[float] | None = None) -> None:
        """Release the grabbed body, if any.

        Args:
            velocity: to throw it with [m/s]; None leaves it the motion it has.

        Raises:
            ParameterError: a number is not finite; the body stays grabbed then.
        """
        thrown = None if velocity is None else finite_vector("a velocity", velocity)
        if self._grabbed is None:
            return
        record, self._grabbed = self._record(self._grabbed), None
        record["grabbed"] = 0
        self.interventions += 1
        if thrown is not None:
            record["velocity"] = thrown

    # --- the step

    def step(self, water: WaterAroundBodies, dt: float) -> None:
        """Move all bodies by `dt` [s] and let them push the water aside; call it after the water's own step.

        Bodies enter a water on another grid without a splash.

        Raises:
            ParameterError: `dt` is not above 0 and finite.
        """
        if not 0.0 < dt < math.inf:
            raise ParameterError(f"a time step of {dt} s: allowed are finite values above 0")
        if not self._numbers:
            return
        self._prepare(water)
        if self._environment_is_for != (self.params, dt, water.params):
            wave_speed = water.effective.get("wave_speed", 0.0)
            fill_environment(self._environment, self.params, water.grid, dt, wave_speed, self._records)
            self._environment_is_for = (self.params, dt, water.params)
        levels, heights = water.neutral_levels, water.height
        first, second, third = (*levels, heights, heights, heights)[:3]
        kernels = self._kernels
        if len(levels) > 3 or not kernels.set_water(self._environment, heights, first, second, third, len(levels)):
            shapes = ", ".join(f"{each.shape} {each.dtype}" for each in (heights, *levels))
            raise ValueError(f"needed are heights and up to 3 levels, {water.grid.shape} float32; given are {shapes}")
        for number, course in self._courses.items():
            steer(self._record(number), course, self.params.gravity, dt)
        top, left, bottom, right = kernels.step_bodies(self._environment)
        if top < bottom:
            water.on_pushed(slice(top, bottom), slice(left, right))

    def states(self, ahead: float = 0.0) -> tuple[BodyState, ...]:
        """All bodies for the renderer and for picking, extrapolated by `ahead` [s]."""
        return tuple(
            BodyState(
                number=number,
                kind=shape.kind,
                mesh=shape.visual_mesh,
                position=record["position"] + ahead * record["velocity"],
                rotation=rotation_matrix(rotated(record["orientation"], ahead * record["spin"])),
                scale=record["scale"].copy(),
                density=float(record["mass"] / record["volume"]),
                grabbed=number == self._grabbed,
                course=self._courses.get(number),
                flow=record["flow"].copy(),
            )
            for number, shape, record in zip(self._numbers, self._shapes, self._records, strict=True)
        )

    def motion(self, number: int) -> tuple[Array, Array]:
        """Velocity [m/s] and angular velocity in the world [1/s] of a body, shape (3,) each.

        Raises:
            InputError: no body has that number.
        """
        record = self._record(number)
        return record["velocity"].copy(), record["spin"].copy()

    def flow(self, number: int) -> Array:
        """Velocity of the water around a body [m/s], as of the last step, shape (3,).

        Raises:
            InputError: no body has that number.
        """
        return np.array(self._record(number)["flow"])

    def wet_volume(self, number: int) -> float:
        """Volume of a body under water [m³], as of the last step.

        Raises:
            InputError: no body has that number.
        """
        return float(self._record(number)["wet_volume"])

    def volume_below(self, number: int, level: float) -> float:
        """Volume of a body below the world height `level` [m³].

        Raises:
            InputError: no body has that number.
        """
        return self.in_still_water(number, level)[0]

    def energy(self, number: int, level: float) -> float:
        """Energy of a body in still water at world height `level` [J]: kinetic, of its height, and of buoyancy.

        Kinetic energy is that of the body and the water that moves along, as of the last step.

        Raises:
            InputError: no body has that number.
        """
        return self.in_still_water(number, level)[1]

    def in_still_water(self, number: int, level: float) -> tuple[float, float]:
        """`volume_below` and `energy` of a body at once, which takes half as long.

        Raises:
            InputError: no body has that number.
        """
        index = self._index(number)
        record, shape, params = self._records[index], self._shapes[index], self.params
        turned, above = rotation_matrix(record["orientation"]), float(record["position"][1]) - level
        volume, moment = volume_and_moment(shape, record["scale"], turned, -above)
        wet = params.water_density * float(record["wet_volume"])
        own_spin = turned.T @ record["spin"]
        inertia = 1.0 if shape.geometry == SPHERE else 1.0 + TURNING_WATER * wet / float(record["mass"])
        kinetic = (float(record["mass"]) + params.added_mass * wet) * float(record["velocity"] @ record["velocity"])
        kinetic += inertia * float(own_spin @ record["inertia"] @ own_spin)
        pressed = params.water_density * moment
        return volume, 0.5 * kinetic + params.gravity * (float(record["mass"]) * above + pressed)

    # --- saving and loading

    def state(self, grid: Grid | None = None) -> dict[str, Any]:
        """The whole state of the bodies as plain numbers, names and arrays, with no body grabbed.

        Args:
            grid: that of the water in which they go on; where its level has changed since their last step, they forget
                where they were, as that step would let them. None is the grid of their last step.

        Raises:
            InputError: a body has a shape that was made in a program.
        """
        own = dict[int, tuple[Shape, list[int]]]()
        for number, shape in zip(self._numbers, self._shapes, strict=True):
            if shape.mesh is not None:
                own.setdefault(id(shape), (shape, []))[1].append(number)
            elif kinds().get(shape.kind, lambda: None)() is not shape:
                raise InputError(f"a body of the shape '{shape.kind}' cannot be saved: take it away first")
        copies = self._records.copy()
        for record in copies if grid is not None and grid is not self._grid else ():
            forget(record)
        records = state_of(copies)
        records["held"] = np.zeros_like(records["held"])
        return {
            "params": asdict(self.params),
            "kinds": [shape.kind for shape in self._shapes],
            "own": [{"bodies": numbers, "mesh": list(shape.mesh or ())} for shape, numbers in own.values()],
            "numbers": list(self._numbers),
            "next": self._next,
            "records": records,
            "pool": self._pool.copy(),
            "count": int(self._environment["steps"][0]),
            "courses": [[number, *course] for number, course in self._courses.items()],
        }

    def load_state(self, state: Mapping[str, Any], grid: Grid) -> None:
        """Continue from what `state` gave, on a water on the same `grid` as then.

        Raises:
            InputError: a kind is unknown, or a mesh makes no sense.
            KeyError, ValueError: an entry is missing or makes no sense.
        """
        pool = array_of(state, "pool", np.float32, (-1,))
        numbers, names = entry_of(state, "numbers", list[int]), entry_of(state, "kinds", list[str])
        # Missing in files of older versions.
        own: dict[int, Any] = {
            number: tuple(entry_of(each, "mesh", list[np.ndarray]))
            for each in entry_of(state, "own", list, [])
            for number in entry_of(each, "bodies", list[int])
        }
        if not own.keys() <= set(numbers) or any(len(mesh) != 5 for mesh in own.values()):
            raise ValueError(f"meshes of the bodies {list(own)}, bodies {numbers}")
        shapes = [
            own_shape(kind, own[number]) if number in own else shape_of(kind)
            for number, kind in zip(numbers, names, strict=True)
        ]
        if not len(shapes) == len(set(numbers)) <= MOST_BODIES:
            raise ValueError(f"{len(shapes)} bodies with the numbers {numbers}")
        records = records_from(entry_of(state, "records", dict), shapes, pool, grid)
        # Missing in files of older versions.
        saved = entry_of(state, "courses", list[tuple[int, float, float]], [])
        courses = {number: Course.checked(*course) for number, *course in saved}
        if not courses.keys() <= set(numbers):
            raise ValueError(f"courses of {sorted(courses)}, bodies {numbers}")
        count, following = entry_of(state, "count", int, low=0), entry_of(state, "next", int)
        self.params = params_of(state, "params", BodyParams)
        self._records, self._shapes, self._numbers, self._next = records, shapes, numbers, following
        self._pool, self._grid, self._step, self._grabbed = pool, grid, None, None
        self._environment["steps"], self._courses = count, courses

    # --- inside

    def _index(self, number: int) -> int:
        if number not in self._numbers:
            known = ", ".join(map(str, self._numbers)) or "none"
            raise InputError(f"no body has the number {number}: there are {known}")
        return self._numbers.index(number)

    def _record(self, number: int) -> Any:
        return self._records[self._index(number)]

    @cached_property
    def _kernels(self) -> Any:
        """The compiled code; imported when the first body takes its first step."""
        from waterview.bodies.kernels import step

        return step

    def _prepare(self, water: WaterAroundBodies) -> None:
        """Bring tables, ground, pool and environment into line with the bodies and the water."""
        if self._ground is None or self._ground[0] is not water.bed or self._ground[1] is not water.fixed:
            self._ground, self._tables = (water.bed, water.fixed, Ground.of(water.bed, water.fixed)), None
        if self._grid is not water.grid:
            self._grid, self._tables = water.grid, None
            for record in self._records:
                forget(record)
        if self._tables is None:
            self._environment_is_for = None
            self._tables = shape_tables(self._records, self._shapes)
            self._pool = make_room(self._records, self._pool, water.grid)
            set_addresses(self._environment, self._records, self._tables, self._pool, self._ground[2])
