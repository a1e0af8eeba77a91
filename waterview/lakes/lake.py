"""A lake to be baked: a scene whose water is stepped in blocks, and what is done with it when."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from waterview.core.commands import TimedDrop
from waterview.core.errors import ParameterError
from waterview.core.georeference import LOCAL, Georeference
from waterview.core.params import Value, declarations
from waterview.output.offline import frame_count
from waterview.scene.scene import CROSSING_SECONDS
from waterview.sim.world import world_declarations
from waterview.terrain.library import TerrainSource
from waterview.terrain.options import TerrainOptions
from waterview.waters import MODELS
from waterview.waters.common.active_tiles import REST_PERIOD
from waterview.waters.common.borders import border_sides
from waterview.waters.common.stability import stable_step
from waterview.waters.wave.step import STENCILS
from waterview.waters.wave.two_level_water import HIGH
from waterview.waters.wave.wave_equation import WaveEquationParams

from .blocks import BLOCK_UNIT, Blocks, LakeGrid
from .ground import Ground, Map
from .wave_block import WaveLaw

MODEL = "wave-equation"
"""The model that blocks can be stepped with."""

USUAL_SIDE = 2048
"""Points along each side of a block, unless the grid is smaller: two levels of it and its land take 60 MB."""

PARTS = 32
"""Parts of steps between two exchanges of halos; a divisor of `REST_PERIOD`."""

MOST_GRID = 1 << 17
"""Most points along the longer side."""

_REFUSED = {
    "rain": "rain falls by chance on the whole water",
    "detail": "fine detail is laid over the whole water",
    "maxima": "fields over the run are not gathered yet",
    "wavemaker": "waves that come in by a side are not baked yet",
    "keep_volume": "the volume of a basin is a sum over the whole water",
    "smoothing": "smoothing takes the whole terrain",
}
"""Settings that must be left off, and why."""


class Drops(NamedTuple):
    """Let the drop of this number fall."""

    number: int


class Fill(NamedTuple):
    """Let what has come to rest be at rest, and fill the halos."""


class Advance(NamedTuple):
    """Take so many parts of steps."""

    parts: int


class Show(NamedTuple):
    """Write the frame of this number."""

    frame: int


Action = Drops | Fill | Advance | Show


@dataclass(frozen=True)
class Lake:
    """All that a worker must know to own blocks of a lake.

    Attributes:
        ground: what the water stands on, with the whole grid.
        blocks: how it is cut.
        law: how it is stepped.
        steps_per_second: time steps [1/s].
        seconds, every: simulated time, and that between two frames [s].
        drops: what falls when, by time.
        title: name of the terrain.
        place: coordinates of the terrain's file by world x and z [m].
        about: all that makes the scene, as names and numbers, by which a store is known.
    """

    ground: Ground
    blocks: Blocks
    law: WaveLaw
    steps_per_second: float
    seconds: float
    every: float
    drops: tuple[TimedDrop, ...] = ()
    title: str = ""
    place: Georeference = LOCAL
    about: tuple[tuple[str, Any], ...] = ()

    @property
    def frames(self) -> int:
        """Number of frames, the one at the start among them."""
        return frame_count(self.seconds, 1.0 / self.every)

    @property
    def steps(self) -> int:
        """Number of time steps in all."""
        return self._due(self.frames - 1)

    def _due(self, frame: int) -> int:
        """How many steps come before a frame, as `offline.run` has them."""
        return round(frame / (1.0 / self.every) * self.steps_per_second)

    @property
    def times(self) -> list[float]:
        """Simulated time of every frame [s]."""
        return [self._due(frame) / self.steps_per_second for frame in range(self.frames)]

    def actions(self, frame: int) -> list[Action]:
        """What leads from the frame before to this one; the halos may hold anything at first.

        The order is that of `offline.run`: steps, then drops, then the frame.
        """
        first = 0 if frame == 0 else self._due(frame - 1)
        falls = [self._falls_at(number) for number in range(len(self.drops))]
        actions: list[Action] = []
        for step in range(first, self._due(frame) + 1):
            if step > first:
                actions.append(Advance(self.law.plan.substeps))
            # Those that fell at the frame before are in it.
            actions += [Drops(k) for k, at in enumerate(falls) if at == step and (frame == 0 or step > first)]
        return [*_with_fills(actions, first * self.law.plan.substeps, self.blocks.halo - 1), Show(frame)]

    def _falls_at(self, number: int) -> int:
        """The step before which a drop falls."""
        at = self.drops[number].time * self.steps_per_second
        step = max(int(at) - 1, 0)
        while not at < step + 0.5:
            step += 1
        return step


def _with_fills(actions: Sequence[Action], parts: int, halo: int) -> Iterator[Action]:
    """The same actions, parts of steps taken together as far as halos reach, and halos filled before."""
    valid = 0
    for kind, group in itertools.groupby(actions, type):
        if kind is not Advance:
            yield from group
            continue
        left = sum(action.parts for action in group if isinstance(action, Advance))
        while left:
            if valid == 0 or parts % REST_PERIOD == 0:
                yield Fill()
                valid = halo
            together = min(left, valid, REST_PERIOD - parts % REST_PERIOD)
            yield Advance(together)
            left, valid, parts = left - together, valid - together, parts + together


def plan_lake(
    heights: Map,
    terrain: TerrainSource,
    settings: Mapping[str, Value],
    *,
    seconds: float,
    every: float,
    drops: Sequence[TimedDrop] = (),
    side: int | None = None,
) -> Lake:
    """The lake that is asked for.

    Args:
        heights: the ground.
        terrain: where it comes from.
        settings: parameters of the scene by name, as on the command line.
        seconds: to simulate.
        every: simulated time between two frames [s].
        drops: what falls when.
        side: points along a side of a block; chosen if None.

    Raises:
        ParameterError: a value is not allowed, or the scene has what cannot be stepped in blocks.
    """
    model = str(settings.get("model", MODEL))
    if model not in MODELS:
        raise ParameterError(f"model '{model}': allowed is {MODEL} where a lake is baked")
    if model != MODEL:
        raise ParameterError(f"the {model} model cannot be baked: it is not stepped in blocks; choose --model {MODEL}")
    own = {entry.name for entry in declarations(WaveEquationParams)}
    params = WaveEquationParams().changed(**{name: value for name, value in settings.items() if name in own})
    _check_supported(settings, params)
    grid = _grid(heights, int(settings.get("grid", 512)))
    speed = params.wave_speed if "wave_speed" in settings else max(grid.size) / CROSSING_SECONDS
    symbol = STENCILS[params.stencil].largest_symbol
    plan = stable_step(speed, params.damping, 1.0 / params.steps_per_second, grid.spacing, symbol)
    sides = border_sides(params.border)
    for timed in drops:
        if abs(timed.drop.height) > HIGH:
            raise ParameterError(f"a drop of {timed.drop.height:g} m: in a lake that is baked at most {HIGH:g} m")
    about = {
        "terrain": str(terrain.path),
        "terrain_options": {entry.name: getattr(terrain.options, entry.name) for entry in declarations(TerrainOptions)},
        "grid": [*grid.shape, grid.spacing, *grid.origin],
        "params": {name: getattr(params, name) for name in sorted(own)} | {"wave_speed": speed},
        "drops": [[timed.time, *_numbers(timed)] for timed in drops],
        "seconds": seconds,
        "every": every,
    }
    return Lake(
        Ground(heights, grid, sides.wraps),
        Blocks(grid.shape, side or _usual_side(grid.shape), PARTS + 1, sides),
        WaveLaw(plan, params.stencil, params.shoreline),
        params.steps_per_second,
        seconds,
        every,
        tuple(sorted(drops, key=lambda timed: timed.time)),
        terrain.title,
        heights.world_place,
        tuple(about.items()),
    )


def _numbers(timed: TimedDrop) -> list[Any]:
    drop = timed.drop
    return [drop.x, drop.z, drop.height, drop.radius, drop.neutral]


def _check_supported(settings: Mapping[str, Value], params: WaveEquationParams) -> None:
    for name, why in _REFUSED.items():
        asked = settings.get(name)
        if asked and not (name == "wavemaker" and not params.has_driven_sides):
            raise ParameterError(
                f"--{name.replace('_', '-')}: {why}, so a lake that is baked goes without; leave it away"
            )
    for entry in world_declarations():
        if entry.name in settings:
            raise ParameterError(f"{entry.flag}: a lake that is baked has none of that; leave it away")


def _grid(heights: Map, points: int) -> LakeGrid:
    """As `Scene.grid`."""
    if not 2 <= points <= MOST_GRID:
        raise ParameterError(f"--grid {points}: allowed are 2 to {MOST_GRID} points where a lake is baked")
    x_size, z_size = heights.size
    x_res = points if x_size >= z_size else max(2, round((points - 1) * x_size / z_size) + 1)
    origin = (-0.5 * x_size, heights.water_level, -0.5 * z_size)
    return LakeGrid.from_size(x_size, z_size, x_res, origin)


def _usual_side(shape: tuple[int, int]) -> int:
    """At least four blocks, so that there is something to share; no more than `USUAL_SIDE` points."""
    half = -(-max(shape) // (2 * BLOCK_UNIT)) * BLOCK_UNIT
    return max(min(USUAL_SIDE, half), BLOCK_UNIT)
