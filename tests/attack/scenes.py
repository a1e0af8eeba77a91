"""Random settings, and random commands on random scenes: what every model must keep to, and what must agree."""

import contextlib
import math
import random
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache, partial
from pathlib import Path
from typing import Any, get_args

import numpy as np
from support.stability import run_random_setting
from support.worlds import assert_same

from attack.files import every_declaration, value_of
from waterview.bodies.kinds import kinds
from waterview.core import commands
from waterview.core.errors import InputError
from waterview.core.grid import Grid
from waterview.core.params import Declaration, declarations
from waterview.gpu.water import gpu_models
from waterview.output.recording import RecordingFile, read_recording
from waterview.output.session import read_session, save_session
from waterview.render.offscreen import opengl
from waterview.scene.replay import Recorder, commands_by_step
from waterview.scene.serialise import world_from_dict, world_to_dict
from waterview.sim.maxima import maxima_names
from waterview.sim.world import World
from waterview.waters import MODELS
from waterview.waters.common.water import Water
from waterview.waters.common.wavemaker import WAVEMAKER_NAMES
from waterview.waters.eddies.detail import Detail

CLIP = commands.MAX_HEIGHT
"""Largest height of a surface that is documented [m]."""

STEPS = 500

SETTINGS = 20
"""Settings that a case tries on one water, one after the other."""

UNTAMED = 20
"""Of so many cases one holds what makes steps ten times as long."""

_DONE_EACH_STEP = (
    *(commands.AddBody, commands.SetRain, commands.AddGauge, commands.SetMeasured),
    *(commands.ShowField, commands.ShowNextField),
)
"""What makes steps ten times as long, and so is left out of most cases, as waves that come in are."""

MOST_PARTICLES = (1_000, 1_000, 1_000, 5_000)
"""Millions are allowed, and take their time."""


class Hills:
    """Ground of random waves."""

    def __init__(self, rng: random.Random, grid: Grid) -> None:
        self._height = rng.choice((0.0, 0.1, 0.3, 3.0)) * min(grid.size)
        self._still, self._level = rng.uniform(-0.5, 0.3) * min(grid.size), grid.level
        self._waves = [(rng.uniform(-9, 9) / max(grid.size), rng.uniform(-9, 9) / max(grid.size)) for _ in range(3)]

    def height_at(self, x, z):
        return self._level + self._still + self._height * sum(np.sin(a * x + b * z + 1.0) for a, b in self._waves) / 3.0


def random_water(
    rng: random.Random,
    name: str,
    models: Any = MODELS,
    extremes: bool = True,
    entries: Sequence[Declaration] | None = None,
) -> Water:
    """A small water with random parameters on random ground; only what its declarations allow.

    Parameters are chosen among `entries`; None stands for all.

    Raises:
        ParameterError: parameters do not go together.
    """
    entries = declarations(MODELS[name].Params) if entries is None else entries
    chosen = rng.sample(entries, rng.randrange(min(len(entries), 7))) if extremes else ()
    values = {entry.name: value_of(rng, entry, wrong=0.0) for entry in chosen}
    if extremes and any(entry.name == "most_particles" for entry in entries):
        values["most_particles"] = rng.choice(MOST_PARTICLES)
    size = 10.0 ** rng.uniform(-1, 4) if extremes else 20.0
    points = rng.choice((3, 5, 9, 17, 17, 24, 33))
    water = models[name](
        size, size * rng.choice((0.5, 0.7, 1.0)), points, (-0.5 * size, rng.choice((0.0, 2.0)), 0.0), **values
    )
    if rng.random() < 0.7:
        water.set_height_map(Hills(rng, water.grid))
    return water


def guard_case(rng: random.Random, folder: Path) -> None:
    """500 steps of the wave equation with settings up to and far beyond what is stable as asked stay bounded."""
    run_random_setting(np.random.default_rng(rng.getrandbits(64)), STEPS)


def settings_case(name: str, rng: random.Random, folder: Path) -> None:
    """A model steps 500 times with each of `SETTINGS` random settings in turn, disturbed and commanded before each.

    Everything stays finite and within bounds. In one case of `UNTAMED` waves come in, bodies float, it rains, and
    heights go to the limits, all of which take a step at a time; in the others steps are taken together.
    """
    untamed = rng.randrange(UNTAMED) == 0
    entries = [e for e in declarations(MODELS[name].Params) if untamed or e.name not in WAVEMAKER_NAMES]
    left_out = (commands.ReplaceWater, *(() if untamed else _DONE_EACH_STEP))
    world = World(_water_that_goes(rng, name, entries), seed=rng.randrange(100))
    for number in range(SETTINGS):
        changes = [partial(_setting, entries)] * (rng.randrange(1, 5) if number else 0)
        for make in (*changes, _drop, *[random_command] * rng.randrange(3)):
            with contextlib.suppress(InputError):
                command = make(rng, world, untamed)
                if not isinstance(command, left_out):
                    world.apply(command)
        left = STEPS
        while left:
            steps = min(rng.choice((1, 7, 100, 100, 100, 100)), left)
            world.advance(steps)
            left -= steps
            _check_height(world)
        _check_bounds(world)


def _water_that_goes(rng: random.Random, name: str, entries: Sequence[Declaration]) -> Water:
    """`random_water`, tried until its parameters go together."""
    while True:
        with contextlib.suppress(InputError):
            return random_water(rng, name, entries=entries)


def _check_height(world: World) -> None:
    """The surface is finite and within bounds."""
    height, name = world.water.height, world.water.name
    highest = max(float(height.max()), -float(height.min()))
    assert math.isfinite(highest), f"{name}: not finite"
    # Shallow water that piles up is not cut off: it would be lost.
    assert highest <= CLIP * 1.000001 or name == "shallow-water", f"{name}: {highest:g} m high"


def _check_bounds(world: World) -> None:
    """All that is shown is finite."""
    frame, name = world.publish(1), world.water.name
    assert np.isfinite(frame.heights).all() and np.isfinite(frame.normals).all(), f"{name}: not finite"
    for body in frame.bodies:
        assert np.isfinite(body.position).all() and np.isfinite(body.rotation).all(), f"{name}: a body is nowhere"


# --- commands


def random_command(rng: random.Random, world: World, bold: bool = False) -> commands.Command:
    """Any command; `bold` ones go to the limits of what is allowed.

    Raises:
        InputError: the numbers are not allowed.
    """
    return _MAKERS[rng.choice(_OFTEN)](rng, world, bold)


def _place(rng, world):
    grid = world.water.grid
    x, z = (rng.uniform(-0.2, 1.2) for _ in range(2))
    return grid.origin[0] + x * grid.size[0], grid.origin[2] + z * grid.size[1]


def _high(rng, world, bold):
    return (
        rng.choice((1e5, -1e5, 1e3))
        if bold and rng.random() < 0.3
        else rng.uniform(-0.05, 0.05) * min(world.water.grid.size)
    )


def _drop(rng, world, bold):
    reach = max(world.water.grid.size)
    return commands.Drop(
        *_place(rng, world), _high(rng, world, bold), rng.choice((0.01, 0.1, 0.3)) * reach, rng.random() < 0.7
    )


def _gust(rng, world, bold):
    reach = max(world.water.grid.size)
    way = rng.uniform(-0.4, 0.4) * reach, rng.uniform(-0.4, 0.4) * reach
    return commands.Gust(*_place(rng, world), *way, 0.1 * _high(rng, world, bold), 0.2 * reach)


def _parameter(rng, world, bold):
    entries = [
        *declarations(type(world.water.params)),
        *(e for e in every_declaration() if e.name.split("_")[0] in world.params),
    ]
    entry = rng.choice([entry for entry in entries if entry.name not in ("steps_per_second", "most_particles")])
    return commands.SetParameter(entry.name, value_of(rng, entry, wrong=0.02))


def _setting(entries, rng, world, bold):
    entry = rng.choice([entry for entry in entries if entry.name != "most_particles"])
    return commands.SetParameter(entry.name, value_of(rng, entry, wrong=0.0))


def _state(rng, world, bold):
    shape = world.water.grid.shape
    heights = np.full(shape, 0.01 * min(world.water.grid.size) * rng.random(), np.float32)
    return commands.SetState(heights, np.zeros((2, *shape), np.float32) if rng.random() < 0.5 else None)


def _point(rng, world):
    x, z = _place(rng, world)
    return x, world.water.grid.level + rng.uniform(-1.0, 1.0), z


def _wall(rng, world, bold):
    start = _place(rng, world) if rng.random() < 0.5 else None
    return commands.PaintWall(
        *_place(rng, world), 0.1 * rng.random() * max(world.water.grid.size), rng.random() < 0.7, start
    )


def _replaced(rng, world, bold):
    seed, name = rng.random(), rng.choice(list(MODELS))
    keeps = {key: rng.random() < 0.5 for key in ("keep_bodies", "keep_walls", "keep_level")}
    return commands.ReplaceWater(lambda: random_water(random.Random(seed), name, extremes=False), **keeps)


def _raised(rng, world, bold):
    return commands.RaiseWaterLevel(rng.uniform(-0.05, 0.05) * min(world.water.grid.size))


def _density(rng):
    return rng.choice((None, 100.0, 500.0, 2000.0))


_MAKERS = {
    commands.Drop: _drop,
    commands.SetHeight: lambda rng, world, bold: commands.SetHeight(
        rng.randrange(world.water.grid.shape[1]), rng.randrange(world.water.grid.shape[0]), _high(rng, world, bold)
    ),
    commands.SetState: _state,
    commands.SetParameter: _parameter,
    commands.SetWaterLevel: lambda rng, world, bold: commands.SetWaterLevel(rng.uniform(-1.0, 2.0)),
    commands.RaiseWaterLevel: _raised,
    commands.PaintWall: _wall,
    commands.Gust: _gust,
    commands.SetRain: lambda rng, world, bold: commands.SetRain(rng.choice((0.0, 5.0, 200.0))),
    commands.AddBody: lambda rng, world, bold: commands.AddBody(
        rng.choice(list(kinds())), _density(rng), *_place(rng, world)
    ),
    commands.RemoveBody: lambda rng, world, bold: commands.RemoveBody(rng.choice((1, 2, 3))),
    commands.RemoveBodies: lambda rng, world, bold: commands.RemoveBodies(),
    commands.GrabBody: lambda rng, world, bold: commands.GrabBody(rng.choice((1, 2, 3)), _point(rng, world)),
    commands.DragBody: lambda rng, world, bold: commands.DragBody(_point(rng, world)),
    commands.ReleaseBody: lambda rng, world, bold: commands.ReleaseBody(),
    commands.SetBodyDensity: lambda rng, world, bold: commands.SetBodyDensity(rng.choice((50.0, 900.0, 3000.0))),
    commands.SetCourse: lambda rng, world, bold: commands.SetCourse(
        rng.choice((1, 2)), rng.choice((None, 40.0)), rng.uniform(0, 5)
    ),
    commands.AddGauge: lambda rng, world, bold: commands.AddGauge(rng.choice("ABC"), *_place(rng, world)),
    commands.RemoveGauge: lambda rng, world, bold: commands.RemoveGauge(rng.choice("ABC")),
    commands.SetMeasured: lambda rng, world, bold: commands.SetMeasured(rng.choice("ABC"), (0.0, 1.0), (0.0, 0.5)),
    commands.ShowField: lambda rng, world, bold: commands.ShowField(
        rng.choice((None, "height", "fixed", "depth", *maxima_names(world.water)))
    ),
    commands.ShowNextField: lambda rng, world, bold: commands.ShowNextField(),
    commands.ShowFrame: lambda rng, world, bold: commands.ShowFrame(rng.choice((-1, 0, 1))),
    commands.LookAt: lambda rng, world, bold: commands.LookAt(0.0, 0.0, 1.0),
    commands.Reset: lambda rng, world, bold: commands.Reset(),
    commands.BeginChange: lambda rng, world, bold: commands.BeginChange(rng.choice((1, 2, 3))),
    commands.UndoChange: lambda rng, world, bold: commands.UndoChange(rng.choice((1, 2, 3))),
    commands.RedoChange: lambda rng, world, bold: commands.RedoChange(rng.choice((1, 2, 3))),
    commands.ReplaceWater: _replaced,
}
"""Makers of random commands by their kind. `Pause`, `StepOnce` and `SaveWorld` change no water."""

assert {*_MAKERS, commands.Pause, commands.StepOnce, commands.SaveWorld} == set(get_args(commands.Command))

_RARE = (commands.ReplaceWater, commands.Reset, commands.RemoveBodies)
_OFTEN = [kind for kind in _MAKERS for _ in range(1 if kind in _RARE else 4)]


@dataclass
class _Twin:
    """Another world that must stay the same to the bit."""

    world: World
    what: str


def commands_case(rng: random.Random, folder: Path) -> None:
    """A random script: its recording and sessions saved on the way go on to the same bits."""
    name = rng.choice(list(MODELS))
    detail = Detail(points=16, size=5.0, seed=3) if rng.random() < 0.3 else None
    world = World(random_water(rng, name, extremes=False), detail=detail, seed=rng.randrange(100))
    begin = world_to_dict(world)
    twins: list[_Twin] = []
    with RecordingFile(folder / "a.jsonl", begin) as file:
        recorder = Recorder(file, world)
        for step in range(rng.randrange(10, 60)):
            for _ in range(rng.choice((0, 0, 1, 2))):
                with contextlib.suppress(InputError):
                    command = random_command(rng, world)
                    if twins and isinstance(command, (commands.UndoChange, commands.RedoChange)):
                        continue  # a session does not hold what can be undone
                    world.apply(command)
                    recorder.note(step, command, world)
                    for twin in twins:
                        twin.world.apply(command)
            if rng.random() < 0.04 and len(twins) < 2:
                world.apply(commands.ReleaseBody())  # a session holds no hand
                recorder.note(step, commands.ReleaseBody(), world)
                for twin in twins:
                    twin.world.apply(commands.ReleaseBody())
                save_session(folder / "a.waterview", world_to_dict(world))
                twins.append(_Twin(world_from_dict(read_session(folder / "a.waterview")), f"session of step {step}"))
            world.step()
            for twin in twins:
                twin.world.step()
        file.end(step + 1)
    for twin in twins:
        _compare(world, twin.world, twin.what)
    recording = read_recording(folder / "a.jsonl")
    replayed = world_from_dict(recording.world)
    script = commands_by_step(recording, replayed)
    for step in range(recording.steps):
        for command in script.get(step, ()):
            replayed.apply(command)
        replayed.step()
    _compare(world, replayed, "the recording")


def _compare(world: World, other: World, what: str) -> None:
    one, two = world.publish(1), other.publish(1)
    try:
        assert_same(one, two)
    except AssertionError as error:
        raise AssertionError(f"{world.water.name}, {what}: {error} differ") from error


_opened = contextlib.ExitStack()


@cache
def _gpu_models() -> Any:
    """The models of the card's solver, in a context that stays open until this process ends."""
    return gpu_models(_opened.enter_context(opengl()))


def gpu_case(rng: random.Random, folder: Path) -> None:
    """Commands on the graphics card's solver and on the processor's give the same water."""
    seed = rng.random()
    name = rng.choice(list(_gpu_models()))
    waters = [random_water(random.Random(seed), name, models, extremes=False) for models in (MODELS, _gpu_models())]
    one, card = (World(water, seed=3) for water in waters)
    try:
        for _ in range(rng.randrange(5, 40)):
            for _ in range(rng.choice((0, 1, 2))):
                with contextlib.suppress(InputError):
                    command = random_command(rng, one)
                    if not isinstance(command, commands.ReplaceWater):
                        card.apply(command)  # it knows less than the processor's: what it refuses is left out
                        _apply_accepted(one, command)
            one.step()
            card.step()
        a, b = one.publish(1), card.publish(1)
        assert np.array_equal(a.fixed, b.fixed), "other points are fixed"
        scale = max(float(np.abs(a.heights).max()), 1e-3)
        error = float(np.abs(a.heights - b.heights).max()) / scale
        assert math.isfinite(error) and error <= 1e-5, f"heights differ by {error:.1e} of the highest"
    finally:
        card.water.release()


def _apply_accepted(world: World, command: commands.Command) -> None:
    try:
        world.apply(command)
    except InputError as error:
        raise AssertionError(f"{command} is accepted by the card's solver alone: {error}") from error
