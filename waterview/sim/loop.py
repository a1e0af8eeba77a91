"""The only place with threads: clock, run/kill loop, mutex, command queue and mailbox (after Bressler 2007, §4.5)."""

from __future__ import annotations

import math
import threading
import time
from collections import deque
from collections.abc import Callable, Mapping, Sequence
from types import MappingProxyType, TracebackType
from typing import Protocol, Self

from waterview.core.commands import AddBody, Command, Pause, RemoveBodies, ReplaceWater, StepOnce
from waterview.core.errors import InputError, ParameterError, SimulationError
from waterview.core.frame import Frame
from waterview.waters.common.water import Water

from .step_clock import RATE_WINDOW, Meter, StepClock
from .world import World

PUBLISH_INTERVAL = 1.0 / 90.0
"""Shortest time between two frames of one water [s]: screens show no more and publishing costs a pass over the grid."""

_PREPARATION_INTERVAL = 0.1

_FIRST_STEP = "compiling the water, once on this machine …"
_PATIENCE = 1.0  # a first step of compiled code is done by then [s]


class Preparation(Protocol):
    """Work that has to be done once before bodies can be stepped.

    Attributes:
        note: what is happening, in words.
    """

    note: str

    def start(self) -> None:
        """Begin; does not wait for the end."""

    @property
    def is_done(self) -> bool:
        """Whether bodies can be stepped."""
        ...

    def end(self) -> None:
        """Give up what is not done."""


class Lane:
    """A `world` in the loop with its step clock and its newest frame; `fresh` until it has been stepped."""

    def __init__(self, world: World) -> None:
        self.world = world
        self.step_clock = StepClock()
        self.serial = 0
        self.steps = 0
        self.frame = world.publish_still()
        self.changed = True
        self.fresh = True
        self.published_at = float("-inf")

    def due(self, now: float, paused: bool) -> float:
        """When there is something to do again after a turn at the time `now` [s]; steps wait until they can be seen."""
        next_frame = self.published_at + PUBLISH_INTERVAL
        if self.changed:
            return next_frame
        return math.inf if paused else max(now + self.step_clock.until_next(self.world.time_step), next_frame)

    def may_publish(self, now: float) -> bool:
        """Whether the last frame is old enough at the time `now` [s] for another."""
        return now - self.published_at >= PUBLISH_INTERVAL

    def publish(self, now: float) -> Frame:
        """The world as it is at the time `now` [s] of the loop's clock."""
        self.serial += 1
        self.changed, self.published_at = False, now
        return self.world.publish(self.serial)


class Simulation:
    """Runs one or more worlds in real time on a thread of their own.

    Used as a context manager it starts the thread and kills it at the end. A mutex guards the command queue and the
    mailbox and is never held during a step, so neither side waits for the other's work.

    Args:
        worlds: the worlds, or bare waters, numbered from 0; the loop is the only one to touch them once it runs.
        clock: seconds that never run backwards; tests bring their own.
        note: told of everything that the first world did because it was asked to, with the number of steps that it had
            taken before; an InputError that it raises is told once, and it is asked no more.
        script: what the first world is to do besides, by the number of steps taken before.

    Raises:
        ParameterError: there is no world.
    """

    def __init__(
        self,
        *worlds: World | Water,
        clock: Callable[[], float] = time.monotonic,
        note: Callable[[int, Command, World], None] | None = None,
        script: Mapping[int, Sequence[Command]] = MappingProxyType({}),
    ) -> None:
        if not worlds:
            raise ParameterError("a simulation of no water: needed are one or more")
        self._lanes = [Lane(world if isinstance(world, World) else World(world)) for world in worlds]
        self._clock = clock
        self._note = note
        self._script = script
        self._mutex = threading.Condition()
        self._commands: deque[tuple[int, Command]] = deque()
        self._problems: deque[InputError] = deque()
        self._error: BaseException | None = None
        self._kill = False
        self._paused = False
        self._single_steps = 0
        self._ended = threading.Event()
        self._ended.set()
        self._thread: threading.Thread | None = None
        self._meter = Meter()
        self._preparation: Preparation | None = None
        self._is_preparing = False
        self._held: list[tuple[int, Command]] = []
        self._loading_since: float | None = None
        self._first_since: float | None = None

    # --- for the threads that watch and ask

    def start(self) -> None:
        """Run the loop on a new thread; once in the life of a simulation.

        Raises:
            SimulationError: it has been started before.
        """
        if self._thread is not None:
            raise SimulationError("a simulation is started once: make another one of the same water")
        self._ended.clear()
        self._thread = threading.Thread(target=self._run_started, name="waterview simulation", daemon=True)
        self._thread.start()

    def kill(self) -> None:
        """End the loop; when this returns, `run` has returned. May be called more than once."""
        with self._mutex:
            self._kill = True
            self._mutex.notify_all()
        self._ended.wait()
        if self._thread is not None:
            self._thread.join()

    def post(self, command: Command, water: int = 0) -> None:
        """Ask something of a water; it is done before its next step. Never waits for a step.

        Of other waters that wait to be made only the newest is.

        Raises:
            ParameterError: no water has that number.
        """
        if water not in range(len(self._lanes)):
            raise ParameterError(f"water {water}: allowed are 0 to {len(self._lanes) - 1}")
        with self._mutex:
            if isinstance(command, ReplaceWater):
                command = self._merged_with_superseded(command, water)
            self._commands.append((water, command))
            self._mutex.notify_all()

    def _merged_with_superseded(self, command: ReplaceWater, water: int) -> ReplaceWater:
        """`command` as it has to be after the waters that it supersedes have been struck out."""
        for waiting in tuple(self._commands):
            number, earlier = waiting
            if number == water and isinstance(earlier, ReplaceWater) and command.supersedes(earlier):
                self._commands.remove(waiting)
                command = command.merged_with(earlier)
        return command

    def latest(self, water: int = 0) -> Frame:
        """The newest frame; never waits for a step.

        Raises:
            SimulationError: the loop has ended with an error, which is the cause of this one.
        """
        with self._mutex:
            if self._error is not None:
                raise SimulationError(f"the simulation stopped: {_reason(self._error)}") from self._error
            return self._lanes[water].frame

    def take_problem(self) -> InputError | None:
        """The oldest request that could not be met and was not yet told, or None; the water went on as it was."""
        with self._mutex:
            return self._problems.popleft() if self._problems else None

    def prepare(self, work: Preparation) -> None:
        """Let bodies wait for `work`, which begins as soon as the water runs; to be called before the loop runs."""
        self._preparation = work

    @property
    def preparing(self) -> str:
        """What is being waited for, in words: other water, its first step, what bodies need; empty where nothing is."""
        loading, first = self._loading_since, self._first_since
        if loading is not None:
            return f"loading … {time.monotonic() - loading:.0f} s"
        if first is not None and time.monotonic() - first > _PATIENCE:
            return _FIRST_STEP  # no seconds: to draw them would keep the processor from compiling
        work = self._preparation
        return work.note if work is not None and (self._held or self._lanes[0].world.bodies is not None) else ""

    @property
    def paused(self) -> bool:
        """Whether time stands still."""
        return self._paused

    @property
    def steps(self) -> int:
        """Number of steps that the first world has taken; does not change once the loop has ended."""
        return self._lanes[0].steps

    @property
    def steps_per_second(self) -> float:
        """Steps really taken a second, all waters together, over the last half second."""
        return self._meter.rate

    def __enter__(self) -> Self:
        self.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.kill()

    # --- the loop

    def run(self) -> None:
        """Simulate in real time until `kill`; may be the target of a thread that the caller brings.

        An error in a model ends the loop and is raised by `latest`; it is not raised here.
        """
        self._ended.clear()
        self._run_started()

    def _run_started(self) -> None:
        try:
            last = self._clock()
            while not self._kill:
                last = self._turn(last)
                self._wait(last)
        except BaseException as error:  # a thread must not die silently: latest() raises this again
            with self._mutex:
                self._error = error
        finally:
            if self._preparation is not None:
                self._preparation.end()
            self._ended.set()

    def _turn(self, last: float) -> float:
        """Do what is asked and what is due since the time `last` [s]; returns the time it is now."""
        now = self._clock()
        self._take_commands()
        self._first_since = time.monotonic() if any(lane.fresh for lane in self._lanes) else None
        self._advance(0.0 if self._paused else now - last, now)
        self._publish(now)
        self._first_since = None
        return now

    def _take_commands(self) -> None:
        with self._mutex:
            commands, self._commands = self._commands, deque()
        for number, command in [*self._prepared(), *commands]:
            if self._preparation is not None and isinstance(command, AddBody):
                self._held.append((number, command))
                continue
            if isinstance(command, RemoveBodies):
                self._held.clear()
            self._try(self._lanes[number], command)

    def _prepared(self) -> list[tuple[int, Command]]:
        """Begin what is to be prepared once there is a picture, and give back what waited for it once it is done."""
        work = self._preparation
        if work is None or not self._lanes[0].serial:
            return []
        if not self._is_preparing:
            self._is_preparing = True
            work.start()
        if not work.is_done:
            return []
        held, self._held, self._preparation = self._held, [], None
        return held

    def _try(self, lane: Lane, command: Command) -> None:
        """Do what is asked, or keep the reason why not."""
        try:
            self._obey(lane, command)
            self._tell(lane, command)
        except InputError as problem:
            with self._mutex:
                self._problems.append(problem)

    def _tell(self, lane: Lane, command: Command) -> None:
        if self._note is None or lane is not self._lanes[0]:
            return
        try:
            self._note(lane.steps, command, lane.world)
        except InputError:
            self._note = None
            raise

    def _obey(self, lane: Lane, command: Command) -> None:
        lane.changed = True
        match command:
            case Pause(on):
                self._paused = not self._paused if on is None else on
            case StepOnce():
                self._single_steps += 1
            case ReplaceWater():
                self._replace(lane, command)
            case _:
                lane.world.apply(command)

    def _replace(self, lane: Lane, command: ReplaceWater) -> None:
        """Make other water; to read a large file takes a while, in which the window runs on and tells of it."""
        self._loading_since = time.monotonic()
        try:
            lane.world.apply(command)
            lane.fresh = True
        finally:
            self._loading_since = None

    def _advance(self, elapsed: float, now: float) -> None:
        single, self._single_steps = self._single_steps, 0
        taken = 0
        for lane in self._lanes:
            steps = lane.step_clock.steps(elapsed, lane.world.time_step) + single
            if self._preparation is not None and lane.world.bodies is not None:
                steps = 0  # a scene that has bodies from the start waits as it is
            began = self._clock()
            self._take_steps(lane, steps, shown=lane.may_publish(now))
            lane.step_clock.took(steps, self._clock() - began)
            lane.fresh = lane.fresh and steps == 0
            lane.changed = lane.changed or steps > 0
            taken += steps
        self._meter.count(taken, now)

    def _take_steps(self, lane: Lane, steps: int, shown: bool) -> None:
        """Take steps, as many together as the script leaves alone; `shown` as for `World.advance`."""
        script = self._script if lane is self._lanes[0] else {}
        while steps > 0:
            for command in script.get(lane.steps, ()):
                self._try(lane, command)
            together = next((n for n in range(1, steps) if lane.steps + n in script), steps)
            lane.world.advance(together, shown and together == steps)
            lane.steps += together
            steps -= together

    def _publish(self, now: float) -> None:
        for lane in self._lanes:
            if lane.changed and lane.may_publish(now):
                frame = lane.publish(now)
                with self._mutex:
                    lane.frame = frame

    def _wait(self, last: float) -> None:
        """Sleep after a turn at the time `last` [s] until a frame is due, a command comes or the loop is killed."""
        with self._mutex:
            if self._commands or self._kill:
                return
            due = self._due(last)
            self._mutex.wait(None if due == math.inf else max(due - self._clock(), 0.0))

    def _due(self, last: float) -> float:
        """When there is something to do again after a turn at the time `last` [s]."""
        due = min(lane.due(last, self._paused) for lane in self._lanes)
        if self._paused and self._meter.rate:
            due = min(due, last + RATE_WINDOW)  # once more, so that the rate shown falls to 0
        return due if self._preparation is None else min(due, last + _PREPARATION_INTERVAL)


def _reason(error: BaseException) -> str:
    return f"{type(error).__name__}: {error}"
