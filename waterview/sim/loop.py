"""The simulation loop, the only place with threads: clock, command queue and mailbox (after Bressler 2007, §4.5)."""

from __future__ import annotations

import math
import threading
import time
from collections import deque
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import asdict, replace
from types import MappingProxyType, TracebackType
from typing import TYPE_CHECKING, Any, Protocol, Self

from waterview.core.commands import (
    AddBody,
    BeginChange,
    Command,
    Drop,
    Pause,
    RemoveBodies,
    ReplaceWater,
    StepOnce,
    UndoChange,
)
from waterview.core.errors import CompilationCancelled, InputError, ParameterError, SimulationError
from waterview.core.frame import Frame
from waterview.waters import MODELS
from waterview.waters.common.water import Water

from .step_clock import RATE_WINDOW, Meter, StepClock
from .world import World

if TYPE_CHECKING:
    from waterview.simd.compiling import Compiling

PUBLISH_INTERVAL = 1.0 / 90.0
"""Shortest time between two frames of one water [s]; most screens show no more, and each costs a pass over the grid."""

NEWS_INTERVAL = 0.02
"""How often a recording is asked whether more of it was read [s]."""

_PREPARATION_INTERVAL = 0.1

_PATIENCE = 1.0  # a first step whose kernels are on disk takes less [s]
_TOLD_EVERY = 5.0  # how often the seconds are told anew [s]: to draw them takes processor time from the compiler

KERNEL_COUNTS = MappingProxyType({"wave-equation": 7, "airy": 8, "shallow-water": 26, "ocean": 28, "layered": 32})
"""How many kernels the first step, picture and drop of a model need, as counted; other settings may need more."""


class Preparation(Protocol):
    """Work that must be done once before bodies can be stepped.

    Attributes:
        note: a line about it for the user.
    """

    note: str

    def start(self) -> None:
        """Start; returns at once."""

    @property
    def is_done(self) -> bool:
        """Whether bodies can be stepped."""
        ...

    def end(self) -> None:
        """Stop, done or not."""


class RunningWorld:
    """A world that the loop steps, with its clock and its newest frame.

    Attributes:
        world: what is stepped.
        step_clock: how many steps are due.
        serial: serial number of the newest frame.
        steps: number of steps taken.
        frame: the newest frame.
        is_changed: whether something happened since that frame.
        is_fresh: whether no step was taken yet since the water was made.
        unseen: serial number of the first frame of a new water, until somebody has seen it; else None.
        published_at: when the newest frame was published, in seconds of the loop's clock.
    """

    def __init__(self, world: World) -> None:
        self.world = world
        self.step_clock = StepClock()
        self.serial = 0
        self.steps = 0
        self.frame = world.publish_still()
        self.is_changed = True
        self.is_fresh = True
        self.unseen: int | None = None
        self.published_at = float("-inf")

    def due(self, now: float, paused: bool, time_scale: float = 1.0) -> float:
        """When there is something to do after a turn at the time `now` [s]; steps wait until a frame may show them."""
        next_frame = self.published_at + PUBLISH_INTERVAL
        if self.is_changed:
            return next_frame
        next_step = math.inf if paused else now + self.step_clock.until_next(self.world.time_step) / time_scale
        news = now + NEWS_INTERVAL if self.world.awaits_news else math.inf
        return max(min(next_step, news), next_frame)

    def may_publish(self, now: float) -> bool:
        """Whether the newest frame is old enough at the time `now` [s] for another."""
        return now - self.published_at >= PUBLISH_INTERVAL

    def publish(self, now: float) -> Frame:
        """The world as it is, at the time `now` [s] of the loop's clock."""
        self.serial += 1
        self.is_changed, self.published_at = False, now
        frame = self.world.publish(self.serial)
        if frame.land is not None:
            _ = frame.land.detail  # grown here, once, so that the picture does not wait for it
        return frame


class Simulation:
    """Runs one or more worlds in real time on a thread of their own.

    As a context manager it starts the thread and kills it at the end. A mutex guards the command queue and the mailbox.
    It is never held during a step, so neither side waits for the other's work.

    Args:
        worlds: worlds or waters, numbered from 0. Once the loop runs, nobody else may touch them.
        clock: seconds that never run backwards.
        note: called with every command that the first world has applied, after the number of steps taken before it. The
            first InputError that it raises is reported, and it is not called again.
        script: further commands for the first world, by the number of steps taken before.

    Attributes:
        patience: how long the end of a `with` block waits for the step under way [s]; a step in native code, such as
            the compiler's, cannot be stopped.
        time_scale: how fast time runs, 1 as in life; may be set at any time. Steps and what they compute stay the same.
        awaits_pictures: whether another first world takes one step, which may have to be compiled, and then waits for
            `note_seen`: to make its first picture takes a window longer than all others, and it would begin unseen.

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
        self.patience = math.inf
        self.time_scale = 1.0
        self.awaits_pictures = False
        self._running = [RunningWorld(world if isinstance(world, World) else World(world)) for world in worlds]
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
        self._waiting_bodies: list[tuple[int, Command]] = []
        self._begun: BeginChange | None = None
        self._loading_since: float | None = None
        self._turn_since: float | None = None
        self._is_first = False
        self._told_parts = "", 0
        self._compiling: Compiling | None = None
        self._compiled_before = 0
        self._compiler_since: float | None = None
        self._before: list[tuple[RunningWorld, ReplaceWater, dict[str, Any]]] = []

    # --- for other threads

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

    def kill(self, patience: float = math.inf) -> bool:
        """End the loop. May be called more than once.

        Args:
            patience: how long to wait for it [s].

        Returns:
            Whether `run` has returned. If not, it will after the step under way; the water may not be touched before.
        """
        with self._mutex:
            self._kill = True
            self._mutex.notify_all()
        limit = None if patience == math.inf else patience
        if not self._ended.wait(limit):
            if self._preparation is not None:
                self._preparation.end()
            return False
        if self._thread is not None:
            self._thread.join()
        return True

    def post(self, command: Command, water: int = 0) -> None:
        """Queue a command for a water, which applies it before its next step. Never waits for a step.

        Of several queued replacements of the water, only the newest is made.

        Raises:
            ParameterError: no water has that number.
        """
        if water not in range(len(self._running)):
            raise ParameterError(f"water {water}: allowed are 0 to {len(self._running) - 1}")
        with self._mutex:
            if isinstance(command, ReplaceWater):
                command = self._merged_with_superseded(command, water)
            self._commands.append((water, command))
            self._mutex.notify_all()

    def _merged_with_superseded(self, command: ReplaceWater, water: int) -> ReplaceWater:
        """`command` merged with the queued replacements that it supersedes, which are removed."""
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
            return self._running[water].frame

    def note_seen(self, frame: Frame) -> None:
        """A frame of the first world was seen: if it is of a water that waits for that, time goes on."""
        running = self._running[0]
        with self._mutex:
            if running.unseen is not None and frame.serial >= running.unseen:
                running.unseen = None

    def take_problem(self) -> InputError | None:
        """The oldest command that failed and was not yet reported, or None; such a command changes nothing."""
        with self._mutex:
            return self._problems.popleft() if self._problems else None

    def prepare(self, work: Preparation) -> None:
        """Let bodies wait for `work`, which starts with the loop; to be called before that runs."""
        self._preparation = work

    @property
    def preparing(self) -> str:
        """A line about what the user waits for: another water, its first step, kernels of bodies; "" if for nothing."""
        loading, turn, compiling = self._loading_since, self._turn_since, self._compiling
        if loading is not None:
            return f"loading … {time.monotonic() - loading:.0f} s"
        compiler = self._compiler_since
        if compiler is not None and time.monotonic() - compiler > _PATIENCE:
            return f"loading the compiler: {_told(time.monotonic() - compiler)}"
        waited = 0.0 if turn is None else time.monotonic() - turn
        if waited > _PATIENCE and (self._is_first or (compiling is not None and compiling.is_under_way)):
            return self._first_step_note(waited)
        work, has_bodies = self._preparation, self._running[0].world.bodies is not None
        # It may be done before the first picture is.
        waits = work is not None and not work.is_done and (has_bodies or self._waiting_bodies)
        return work.note if work is not None and waits else ""

    def _first_step_note(self, waited: float) -> str:
        """What the first step of a water, or one that compiles, has been doing for so many seconds."""
        seconds = _told(waited)
        compiling = self._compiling
        if compiling is None or not compiling.is_under_way:
            return f"the first step takes long: {seconds}"
        number = compiling.begun - self._compiled_before
        names = {running.world.water.name for running in self._running if running.is_fresh}
        counts = [KERNEL_COUNTS.get(name, 0) for name in names]
        of_all = f" of {max(sum(counts), number)}" if counts and all(counts) else ""
        if seconds != self._told_parts[0]:  # told anew no more often than the seconds
            self._told_parts = seconds, compiling.parts
        parts = f" (part {self._told_parts[1]})" if self._told_parts[1] else ""
        return f"compiling the water, once on this machine: kernel {number}{of_all}, {seconds}{parts}"

    @property
    def can_cancel(self) -> bool:
        """Whether another water waits for the compiler, so that `cancel` brings back the one before."""
        return bool(self._before and self._compiling is not None and self._compiling.is_under_way)

    def cancel(self) -> None:
        """Take away the water that waits for the compiler, if there is one, and go on with the one before."""
        if self.can_cancel and self._compiling is not None:
            self._compiling.cancel()

    @property
    def paused(self) -> bool:
        """Whether time stands still."""
        return self._paused

    @property
    def world(self) -> World:
        """The first world, for those who want to look at it once the loop has ended."""
        return self._running[0].world

    @property
    def steps(self) -> int:
        """Number of steps that the first world has taken; final once the loop has ended."""
        return self._running[0].steps

    @property
    def step_seconds(self) -> float:
        """What a step of the first world takes [s]; 0 before it is known."""
        return self._running[0].step_clock.cost

    @property
    def steps_per_second(self) -> float:
        """Steps taken a second, all waters together, over the last half second."""
        return self._meter.rate

    def __enter__(self) -> Self:
        self.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.kill(self.patience)

    # --- the loop

    def run(self) -> None:
        """Simulate in real time until `kill`; may be the target of the caller's own thread.

        An error in a model ends the loop and is raised by `latest`; it is not raised here.
        """
        self._ended.clear()
        self._run_started()

    def _run_started(self) -> None:
        try:
            self._compiler_since = time.monotonic()
            from waterview.simd.compiling import Compiling  # loads the compiler, which the first picture does not need

            self._compiler_since = None
            with Compiling() as self._compiling:
                last = self._clock()
                while not self._kill:
                    last = self.turn(last)
                    self._wait(last)
        except BaseException as error:  # a thread must not die silently: latest() raises this again
            with self._mutex:
                self._error = error
        finally:
            if self._preparation is not None:
                self._preparation.end()
            self._ended.set()

    def turn(self, last: float) -> float:
        """One turn: apply queued commands, take the steps due since the time `last` [s], publish; returns the time now.

        `run` calls it. Without a thread it may be called instead, and everything happens on the caller's thread.
        """
        now = self._clock()
        self._take_commands()
        self._is_first, self._turn_since = any(running.is_fresh for running in self._running), time.monotonic()
        self._compiled_before = 0 if self._compiling is None else self._compiling.begun
        try:
            self._advance(0.0 if self._paused else self.time_scale * (now - last), now)
            self._publish(now)
        except CompilationCancelled:
            self._take_back()
        self._before = [each for each in self._before if each[0].is_fresh]
        if self._compiling is not None:
            self._compiling.go_on()
        if self._compiling is not None and self._compiling.begun > self._compiled_before:
            for running in self._running:
                _compile_drops(running.world.water)
        self._turn_since = None
        return now

    def _take_commands(self) -> None:
        with self._mutex:
            commands, self._commands = self._commands, deque()
        for number, command in [*self._prepared(), *commands]:
            if self._preparation is not None and self._keep_waiting(number, command):
                continue
            if isinstance(command, RemoveBodies) or (isinstance(command, ReplaceWater) and not command.keep_bodies):
                self._waiting_bodies.clear()
            self._try(self._running[number], command)

    def _keep_waiting(self, number: int, command: Command) -> bool:
        """Whether `command` waits until bodies can be stepped, or takes one away that does."""
        if isinstance(command, BeginChange):
            self._begun = command
        elif isinstance(command, AddBody):
            self._waiting_bodies += (
                [(number, command)] if self._begun is None else [(number, self._begun), (number, command)]
            )
            return True
        elif isinstance(command, UndoChange):
            for waiting in tuple(self._waiting_bodies):
                if waiting == (number, BeginChange(command.number)):
                    place = self._waiting_bodies.index(waiting)
                    del self._waiting_bodies[place : place + 2]
                    return True
        return False

    def _prepared(self) -> list[tuple[int, Command]]:
        """Start the preparation; when it is done and there is a picture, return the commands that waited for it."""
        work = self._preparation
        if work is None:
            return []
        if not self._is_preparing:  # beside the first step: both waits are one
            self._is_preparing = True
            work.start()
        if not self._running[0].serial or not work.is_done:
            return []
        waiting, self._waiting_bodies, self._preparation = self._waiting_bodies, [], None
        # Each with the change that it belongs to; what comes after them belongs to the newest one.
        return waiting if self._begun is None else [*waiting, (0, self._begun)]

    def _try(self, running: RunningWorld, command: Command) -> None:
        """Apply a command, or keep the error for `take_problem`."""
        try:
            self._apply(running, command)
            self._note_down(running, command)
        except InputError as problem:
            with self._mutex:
                self._problems.append(problem)

    def _note_down(self, running: RunningWorld, command: Command) -> None:
        if self._note is None or running is not self._running[0]:
            return
        try:
            self._note(running.steps, command, running.world)
        except InputError:
            self._note = None
            raise

    def _apply(self, running: RunningWorld, command: Command) -> None:
        running.is_changed = True
        match command:
            case Pause(on):
                self._paused = not self._paused if on is None else on
            case StepOnce():
                self._single_steps += 1
            case ReplaceWater():
                self._replace(running, command)
            case _:
                running.world.apply(command)

    def _replace(self, running: RunningWorld, command: ReplaceWater) -> None:
        """Make another water; the window stays alive and shows a note while a large file is read."""
        self._loading_since = time.monotonic()
        try:
            before = dict(vars(running.world))
            running.world.apply(command)
            running.is_fresh = True
            if self.awaits_pictures and running is self._running[0]:
                running.unseen = running.serial + 1
            self._before.append((running, command, before))
            # What was left of a long step of the water before would be many steps of this one.
            running.step_clock = StepClock()
        finally:
            self._loading_since = None

    def _take_back(self) -> None:
        """Bring back the waters before those that wait for the compiler."""
        for running, command, before in reversed(self._before):
            running.world.take_back(before)
            running.is_fresh, running.is_changed = False, True
            command.cancelled()
            problems = [InputError("cancelled: the water is the one before")]
            try:
                self._note_down(running, replace(command, keep_bodies=False))
            except InputError as problem:
                problems.append(problem)
            with self._mutex:
                self._problems.extend(problems)
        self._before = []

    def _advance(self, elapsed: float, now: float) -> None:
        single, self._single_steps = self._single_steps, 0
        taken = 0
        for running in self._running:
            steps = running.step_clock.steps(elapsed, running.world.time_step, self.time_scale)
            if running.unseen is not None:
                steps = min(steps, int(running.is_fresh))
            steps += single
            if self._preparation is not None and running.world.bodies is not None:
                steps = 0  # a scene that starts with bodies stands still until their kernels are ready
            began = self._clock()
            self._take_steps(running, steps, publish_next=running.may_publish(now))
            running.step_clock.took(steps, self._clock() - began)
            running.is_fresh = running.is_fresh and steps == 0
            running.is_changed = running.world.take_news() or running.is_changed or steps > 0
            taken += steps
        self._meter.count(taken, now)

    def _take_steps(self, running: RunningWorld, steps: int, publish_next: bool) -> None:
        """Take steps, as many together as the script allows; `publish_next` as for `World.advance`."""
        script = self._script if running is self._running[0] else {}
        while steps > 0:
            for command in script.get(running.steps, ()):
                self._try(running, command)
            together = next((n for n in range(1, steps) if running.steps + n in script), steps)
            running.world.advance(together, publish_next and together == steps)
            running.steps += together
            steps -= together

    def _publish(self, now: float) -> None:
        for running in self._running:
            if running.is_changed and running.may_publish(now):
                frame = running.publish(now)
                with self._mutex:
                    running.frame = frame

    def _wait(self, last: float) -> None:
        """Sleep after a turn at the time `last` [s] until something is due, a command comes or the loop is killed."""
        with self._mutex:
            if self._commands or self._kill:
                return
            due = self._due(last)
            self._mutex.wait(None if due == math.inf else max(due - self._clock(), 0.0))

    def _due(self, last: float) -> float:
        """When there is something to do after a turn at the time `last` [s]."""
        due = min(running.due(last, self._paused, self.time_scale) for running in self._running)
        if self._paused and self._meter.rate:
            due = min(due, last + RATE_WINDOW)  # one more turn, after which the rate reads 0
        return due if self._preparation is None else min(due, last + _PREPARATION_INTERVAL)


def _told(waited: float) -> str:
    """Seconds waited, as they are told."""
    return f"{max(_TOLD_EVERY * (waited // _TOLD_EVERY), 1.0):.0f} s"


def _compile_drops(water: Water) -> None:
    """Let a drop fall on a tiny water of the same kind, so that the first one on `water` does not stop in the air."""
    if MODELS.get(water.name) is not type(water) or not water.can_be_disturbed:
        return
    # Settings may suit the real grid alone: then the first drop compiles what it needs.
    with suppress(InputError):
        tiny = type(water)(1.0, 1.0, 32, (-0.5, 0.0, -0.5), **asdict(water.params))
        tiny.disturb(Drop(0.0, 0.0, 0.01, 0.2))
        tiny.step()
        tiny.publish(0)


def _reason(error: BaseException) -> str:
    return f"{type(error).__name__}: {error}"
