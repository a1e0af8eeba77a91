"""Changes of a world that can be undone and redone: each keeps what it replaced, and gives it back.

They are part of the world, so that a recording needs to hold no more than the wish to undo.
"""

from __future__ import annotations

import contextlib
import copy
from abc import abstractmethod
from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np
from numpy.typing import NDArray

from waterview.core.commands import (
    AddBody,
    Command,
    GrabBody,
    PaintWall,
    RaiseWaterLevel,
    RemoveBodies,
    RemoveBody,
    Reset,
    SetBodyDensity,
    SetCourse,
    SetParameter,
    SetRain,
    SetWaterLevel,
)
from waterview.core.errors import InputError
from waterview.core.params import Value

if TYPE_CHECKING:
    from waterview.bodies.collection import BodyCopy

    from .world import World

MOST_CHANGES = 200
"""Most changes that are kept."""

MOST_BYTES = 256 << 20
"""Most memory that they take [bytes]; the oldest are forgotten first."""


class Replaced(Protocol):
    """What a command replaced in a world.

    Attributes:
        key: what it is the value of, where a change needs only the first; else "".
        size: memory that it takes [bytes].
    """

    key: str = ""
    size: int = 0

    @abstractmethod
    def swap(self, world: World) -> None:
        """Give it back, and keep what is there now in its place.

        Raises:
            InputError: the world cannot have it any more; nothing has changed.
        """


class _Change:
    """All that was replaced in one change, oldest first."""

    def __init__(self, number: int) -> None:
        self.number = number
        self.parts: list[Replaced] = []

    @property
    def size(self) -> int:
        return sum(part.size for part in self.parts)

    def swap(self, world: World) -> None:
        """Undo it, or redo it if it is undone."""
        done: list[Replaced] = []
        try:
            for part in reversed(self.parts):
                part.swap(world)
                done.append(part)
        except InputError:
            for part in reversed(done):
                part.swap(world)
            raise
        self.parts.reverse()


class History:
    """The changes of a world, for `BeginChange`, `UndoChange`, `RedoChange`. Before one begins nothing is kept."""

    def __init__(self) -> None:
        self._begun: int | None = None
        self._done: list[_Change] = []
        self._undone: list[_Change] = []

    def begin(self, number: int) -> None:
        """What comes next belongs to the change `number`."""
        self._begun = number

    def clear(self) -> None:
        """Forget all changes: another water has come."""
        self._done, self._undone = [], []

    @contextlib.contextmanager
    def noting(self, world: World, command: Command) -> Iterator[None]:
        """While `command` is applied to `world`: note what it replaces, if a change has begun and it can be undone."""
        replaced = None if self._begun is None else _replaced_by(world, command, self._parts)
        yield
        if replaced is None or self._begun is None:
            return
        if isinstance(replaced, _Bodies):
            replaced.note_added(world)
        if not self._done or self._done[-1].number != self._begun:
            self._done.append(_Change(self._begun))
        self._done[-1].parts.append(replaced)
        self._undone = []
        while len(self._done) > MOST_CHANGES or (len(self._done) > 1 and self._size > MOST_BYTES):
            del self._done[0]

    @property
    def _parts(self) -> Sequence[Replaced]:
        """Those of the change that has begun, so far."""
        return self._done[-1].parts if self._done and self._done[-1].number == self._begun else ()

    @property
    def _size(self) -> int:
        return sum(change.size for change in self._done)

    def undo(self, world: World, number: int) -> None:
        """Undo the change `number`.

        Raises:
            InputError: there is no such change, or it cannot be undone; nothing has changed.
        """
        _move(number, self._done, self._undone, world, "undo")

    def redo(self, world: World, number: int) -> None:
        """Redo the change `number`, which was undone.

        Raises:
            InputError: there is no such change, or it cannot be redone; nothing has changed.
        """
        _move(number, self._undone, self._done, world, "redo")


def _move(number: int, here: list[_Change], there: list[_Change], world: World, verb: str) -> None:
    for change in reversed(here):
        if change.number == number:
            change.swap(world)
            here.remove(change)
            there.append(change)
            return
    raise InputError(f"nothing to {verb}: what was asked for has changed nothing, or is forgotten")


def _replaced_by(world: World, command: Command, before: Sequence[Replaced]) -> Replaced | None:
    """What `command` will replace in `world`; None if it cannot be undone, or if `before` holds the same already."""
    found: Replaced | None = None
    match command:
        case PaintWall():
            found = _Walls(world.water.walls)
        case SetWaterLevel() | RaiseWaterLevel():
            found = _Level(world.water.grid.level)
        case SetParameter(name):
            found = _Parameter.of(world, name)
        case SetRain():
            found = _Rain(world.rain.rate)
        case Reset():
            found = _Waves.of(world)
        case AddBody() | RemoveBody() | RemoveBodies() | GrabBody() | SetCourse() | SetBodyDensity():
            found = _bodies_replaced_by(world, command)
    is_known = found is not None and found.key and any(part.key == found.key for part in before)
    return None if is_known else found


def _bodies_replaced_by(world: World, command: Command) -> Replaced | None:
    bodies = world.bodies
    numbers = () if bodies is None else bodies.numbers
    match command:
        case AddBody():
            return _Bodies(numbers)
        case RemoveBody(number) | GrabBody(number) if bodies is not None and number in numbers:
            return _Bodies(numbers, (bodies.copy(number),))
        case RemoveBodies() if bodies is not None:
            return _Bodies(numbers, tuple(map(bodies.copy, numbers)))
        case SetCourse(number) if bodies is not None and number in numbers:
            return _Course(number, bodies.course(number))
        case SetBodyDensity() if bodies is not None:
            return _Densities({number: bodies.density(number) for number in numbers})
    return None


class _Walls(Replaced):
    key = "walls"

    def __init__(self, walls: NDArray[np.bool_]) -> None:
        self._walls, self.size = walls, walls.nbytes

    def swap(self, world: World) -> None:
        water, walls = world.water, self._walls
        if walls.shape != water.grid.shape:
            raise InputError("these walls belong to another water")
        self._walls = water.walls
        water.set_ground(water.ground, walls)


class _Level(Replaced):
    key = "level"

    def __init__(self, level: float) -> None:
        self._level = level

    def swap(self, world: World) -> None:
        now = world.water.grid.level
        world.carry_out(SetWaterLevel(self._level))
        self._level = now


class _Parameter(Replaced):
    def __init__(self, name: str, value: Value) -> None:
        self._name, self._value = name, value
        self.key = f"parameter {name}"

    @classmethod
    def of(cls, world: World, name: str) -> _Parameter | None:
        value = world.parameter(name)
        return None if value is None else cls(name, value)

    def swap(self, world: World) -> None:
        now = world.parameter(self._name)
        world.carry_out(SetParameter(self._name, self._value))
        self._value = self._value if now is None else now


class _Rain(Replaced):
    key = "rain"

    def __init__(self, rate: float) -> None:
        self._rate = rate

    def swap(self, world: World) -> None:
        now = world.rain.rate
        world.carry_out(SetRain(self._rate))
        self._rate = now


class _Waves(Replaced):
    """The waves that were calmed."""

    def __init__(self, state: Mapping[str, Any]) -> None:
        self._state, self.size = state, _size_of(state)

    @classmethod
    def of(cls, world: World) -> _Waves | None:
        try:
            return cls(copy.deepcopy(world.water.state()))
        except InputError:  # the water cannot be saved
            return None

    def swap(self, world: World) -> None:
        now = copy.deepcopy(world.water.state())
        world.water.bring_back(self._state)
        self._state = now


class _Bodies(Replaced):
    """Bodies that were added, taken away or grabbed.

    Args:
        numbers: of all bodies there were.
        copies: of those that come back.
    """

    def __init__(self, numbers: Sequence[int], copies: Sequence[BodyCopy] = ()) -> None:
        self._before, self._copies = frozenset(numbers), tuple(copies)
        self._added: tuple[int, ...] = ()

    def note_added(self, world: World) -> None:
        """The command was applied: the bodies that have come since go again."""
        numbers = () if world.bodies is None else world.bodies.numbers
        self._added = tuple(number for number in numbers if number not in self._before)

    def swap(self, world: World) -> None:
        present = () if world.bodies is None else world.bodies.numbers
        going = [number for number in self._added if number in present]
        changed = [body.number for body in self._copies if body.number in present]
        kept = () if world.bodies is None else tuple(map(world.bodies.copy, (*going, *changed)))
        came = tuple(body.number for body in self._copies if body.number not in present)
        world.put_back_bodies(self._copies)
        for number in going:
            world.carry_out(RemoveBody(number))
        self._copies, self._added = kept, came


class _Course(Replaced):
    def __init__(self, number: int, course: tuple[float, float] | None) -> None:
        self._number, self._course = number, course

    def swap(self, world: World) -> None:
        now = None if world.bodies is None else world.bodies.course(self._number)
        heading, speed = (None, 0.0) if self._course is None else self._course
        world.carry_out(SetCourse(self._number, heading, speed))
        self._course = now


class _Densities(Replaced):
    def __init__(self, densities: Mapping[int, float]) -> None:
        self._densities = dict(densities)

    def swap(self, world: World) -> None:
        bodies = world.bodies
        if bodies is None:
            return
        for number in self._densities.keys() & set(bodies.numbers):
            density, self._densities[number] = self._densities[number], bodies.density(number)
            bodies.set_density(density, number)


def _size_of(state: object) -> int:
    if isinstance(state, np.ndarray):
        return state.nbytes
    if isinstance(state, Mapping):
        return sum(map(_size_of, state.values()))
    return sum(map(_size_of, state)) if isinstance(state, list | tuple) else 0
