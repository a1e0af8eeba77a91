"""From what a user asks for to the lake that is baked."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any, Unpack, cast

from waterview.core.commands import Drop, PaintWall, TimedDrop
from waterview.core.errors import ParameterError
from waterview.core.extras import extra
from waterview.core.params import Declaration, Params, Value, declarations, nearest, unprefixed_values, values_for
from waterview.scene.arguments import GaugePlace, parse_gauge
from waterview.scene.given_start import STILL_WATER, GivenStart
from waterview.scene.scene import CROSSING_SECONDS, check_driven_sides, suited_height
from waterview.sim.gauges import GaugeParams
from waterview.sim.maxima import MaximaParams
from waterview.sim.world import world_declarations
from waterview.terrain.library import TerrainSource, resolve
from waterview.terrain.options import TerrainOptions
from waterview.terrain.raster import DEFAULT_POINTS, refusal
from waterview.waters import MODELS
from waterview.waters.common.borders import Sides, border_sides
from waterview.waters.common.stability import stable_step
from waterview.waters.shallow.shallow_params import ShallowWaterParams
from waterview.waters.wave.step import STENCILS
from waterview.waters.wave.two_level_water import HIGH
from waterview.waters.wave.wave_equation import WaveEquationParams
from waterview.waters.wave.wave_source import opened

from .blocks import BLOCK_UNIT, Blocks, LakeGrid
from .driven import depth_along, driven_shores, driven_waves, is_land
from .ground import Ground, Map
from .instruments import check_count, lake_gauges
from .lake import PARTS, Lake
from .recorded import RecordedLake, open_lake
from .remote import output_store
from .run import CHECKPOINT_SECONDS, Progress, SingleProcess, Workers
from .run import bake as bake_lake
from .shallow_block import HALO, ShallowLaw
from .start import LakeStart
from .wave_block import WaveLaw

if TYPE_CHECKING:
    from waterview.core.parameter_names import LakeSettings

USUAL_MODEL = "wave-equation"
"""The model of a lake unless another is asked for."""

BAKED: dict[str, type[WaveEquationParams] | type[ShallowWaterParams]] = {
    USUAL_MODEL: WaveEquationParams,
    "shallow-water": ShallowWaterParams,
}
"""The models that blocks can be stepped with, and their parameters."""

OF_THE_GRID = "grid", "model", "maxima"
"""Settings of a lake that belong to no part of it; a grid may be larger than that of a scene in a window."""

_GLOBAL_SCHEMES = {
    "boussinesq": "its pressure is found on the whole lake at once",
    "kass-miller": "it steps whole rows and columns at once",
}
"""Schemes of shallow water that blocks cannot be stepped with, and why."""

USUAL_SIDE = 2048
"""Points along each side of a block, unless the grid is smaller: two levels of it and its land take 60 MB."""

MOST_GRID = 1 << 17
"""Most points along the longer side."""

_REFUSED = {
    "rain": ("rain falls by chance on the whole water", "--rain 0"),
    "detail": ("fine detail is laid over the whole water", "--no-detail"),
    "keep_volume": ("the volume of a basin is a sum over the whole water", "--no-keep-volume"),
    "smoothing": ("smoothing takes the whole terrain", "--smoothing 0"),
}
"""Settings that must be off, why, and what turns off that of a preset."""

WHOLE = 4096
"""Rasters with at most so many samples a side are held whole by every worker; larger ones are read by windows."""


def open_map(terrain: TerrainSource, points: int) -> Map:
    """The ground of a lake whose grid has so many points along its longer side.

    Raises:
        TerrainError: the file cannot be read, or has more samples than the grid has points.
    """
    with extra("geo", "a lake from a raster"):
        from waterview.terrain.windows import WindowedHeightmap, samples_of

    longer = max(samples_of(terrain.path))
    if longer <= WHOLE:
        return terrain.load(min(points, WHOLE))
    if longer > max(points, DEFAULT_POINTS):
        what = f"has {longer:,} samples along its longer side, more than the {points:,} points of the grid"
        raise refusal(terrain.path, what, "choose as many with --grid, or make it smaller with gdal_translate -outsize")
    return WindowedHeightmap.open(terrain.path, terrain.options)


def plan_lake(
    terrain: TerrainSource,
    settings: Mapping[str, Value],
    *,
    seconds: float,
    every: float,
    drops: Sequence[TimedDrop] = (),
    side: int | None = None,
    flow: bool = False,
    gauges: Sequence[GaugePlace] = (),
    walls: Sequence[PaintWall] = (),
    start: GivenStart = STILL_WATER,
) -> Lake:
    """The lake that is asked for.

    Args:
        terrain: what it lies on.
        settings: parameters of the scene by name, as on the command line.
        seconds: to simulate.
        every: simulated time between two frames [s].
        drops: what falls when.
        side: points along a side of a block; chosen if None.
        flow: keep depth times velocity, too.
        gauges: what is measured where.
        walls: painted on the ground, in order.
        start: the files of the surface and flow that it starts with.

    Raises:
        ParameterError: a value is not allowed, or the scene has what cannot be stepped in blocks.
        InputError: as `open_map`, or the start cannot be used.
    """
    model = str(settings.get("model", USUAL_MODEL))
    allowed = " or ".join(BAKED)
    if model not in MODELS:
        raise ParameterError(f"model '{model}': allowed is {allowed} where a lake is baked")
    if model not in BAKED:
        raise ParameterError(
            f"the {model} model cannot be baked: it is not stepped in blocks; choose --model {allowed}"
        )
    params = BAKED[model]()
    own = {entry.name for entry in declarations(type(params))}
    params = params.changed(**{name: value for name, value in settings.items() if name in own})
    _check_supported(settings)
    points = int(settings.get("grid", 512))
    if not 2 <= points <= MOST_GRID:
        raise ParameterError(f"--grid {points}: allowed are 2 to {MOST_GRID} points where a lake is baked")
    heights = open_map(terrain, points)
    grid = _grid(heights, points)
    speed = params.wave_speed if "wave_speed" in settings else max(grid.size) / CROSSING_SECONDS
    sides = border_sides(params.border)
    if isinstance(params, WaveEquationParams):
        sides = opened(sides, params.driven_sides)
    ground = Ground(heights, grid, sides.wraps, tuple(walls))
    if params.has_driven_sides and "wavemaker_height" not in settings:
        edges = (depth_along(side, ground) for side in params.wavemaker_sides.split(","))
        params = params.changed(wavemaker_height=suited_height(grid, edges))
    check_driven_sides(params, lambda side: is_land(side, ground))
    law, halo = _law(params, speed, ground, sides, drops)
    if flow and not isinstance(law, ShallowLaw):
        raise ParameterError(f"the flow is kept of shallow water alone: the {model} model has none")
    about = {
        "terrain": str(terrain.path),
        "terrain_options": {entry.name: getattr(terrain.options, entry.name) for entry in declarations(TerrainOptions)},
        "grid": [*grid.shape, grid.spacing, *grid.origin],
        "params": {name: getattr(params, name) for name in sorted(own)} | {"wave_speed": speed},
        "drops": [[timed.time, *_numbers(timed)] for timed in drops],
        "seconds": seconds,
        "every": every,
    }
    # Only where they differ from what older stores have, so that these can be gone on with.
    about |= {"model": model} if model != USUAL_MODEL else {}
    about |= {"flow": True} if flow else {}
    about |= {"walls": [list(asdict(wall).values()) for wall in walls]} if walls else {}
    about |= {"start": {name: str(path) for name, path in asdict(start).items() if path}} if start else {}
    placed = lake_gauges(gauges, ground, heights.world_place)
    interval = GaugeParams().changed(**unprefixed_values("gauges", settings)).interval
    maxima = MaximaParams().changed(**unprefixed_values("maxima", settings)) if settings.get("maxima") else None
    about |= (
        {"gauges": [[gauge.name, gauge.x, gauge.z] for gauge in placed], "gauges_interval": interval} if placed else {}
    )
    about |= {"maxima": [maxima.interval, maxima.threshold]} if maxima is not None else {}
    made = Lake(
        ground,
        Blocks(grid.shape, side or _usual_side(grid.shape), halo, sides),
        law,
        params.steps_per_second,
        seconds,
        every,
        tuple(sorted(drops, key=lambda timed: timed.time)),
        terrain.title,
        heights.world_place,
        flow,
        placed,
        interval,
        maxima,
        start,
        tuple(about.items()),
    )
    check_count(len(made.reading_times))
    if start:
        LakeStart(start, ground).check()
    return made


def _law(
    params: WaveEquationParams | ShallowWaterParams,
    speed: float,
    ground: Ground,
    sides: Sides,
    drops: Sequence[TimedDrop],
) -> tuple[WaveLaw | ShallowLaw, int]:
    """How a lake is stepped, and how deep halos must be for that [points].

    Raises:
        ParameterError: a value is not allowed where a lake is baked.
    """
    time_step = 1.0 / params.steps_per_second
    if isinstance(params, WaveEquationParams):
        for timed in drops:
            if abs(timed.drop.height) > HIGH:
                raise ParameterError(f"a drop of {timed.drop.height:g} m: in a lake that is baked at most {HIGH:g} m")
        symbol = STENCILS[params.stencil].largest_symbol
        plan = stable_step(speed, params.damping, time_step, ground.grid.spacing, symbol)
        waves = driven_waves(params, ground, sides, plan, time_step) if params.has_driven_sides else None
        return WaveLaw(plan, params.stencil, params.shoreline, waves), PARTS + 1
    if params.scheme in _GLOBAL_SCHEMES:
        raise ParameterError(
            f"--scheme {params.scheme}: {_GLOBAL_SCHEMES[params.scheme]}, so it cannot be stepped in blocks; "
            "choose kurganov-petrova"
        )
    if params.gravity <= 0.0:
        raise ParameterError(
            "--gravity: a lake of shallow water needs it given, 9.81 on Earth; what follows from the wave speed takes "
            "the mean depth of the whole lake"
        )
    shores = driven_shores(params, ground) if params.has_driven_sides else None
    return ShallowLaw(time_step, params.gravity, params.damping, params.friction, params.border, shores), HALO


def _numbers(timed: TimedDrop) -> list[Any]:
    drop = timed.drop
    return [drop.x, drop.z, drop.height, drop.radius, drop.neutral]


def _check_supported(settings: Mapping[str, Value]) -> None:
    for name, (why, off) in _REFUSED.items():
        asked = settings.get(name)
        if asked:
            raise ParameterError(
                f"--{name.replace('_', '-')}: {why}, so a lake that is baked goes without; leave it away, or give {off}"
            )
    for entry in world_declarations():
        if entry.name in settings and not entry.name.startswith(("gauges_", "maxima_")):
            raise ParameterError(f"{entry.flag}: a lake that is baked has none of that; leave it away")


def _grid(heights: Map, points: int) -> LakeGrid:
    """As `Scene.grid`."""
    x_size, z_size = heights.size
    x_res = points if x_size >= z_size else max(2, round((points - 1) * x_size / z_size) + 1)
    origin = (-0.5 * x_size, heights.water_level, -0.5 * z_size)
    return LakeGrid.from_size(x_size, z_size, x_res, origin)


def _usual_side(shape: tuple[int, int]) -> int:
    """At least four blocks, so that there is something to share; no more than `USUAL_SIDE` points."""
    half = -(-max(shape) // (2 * BLOCK_UNIT)) * BLOCK_UNIT
    return max(min(USUAL_SIDE, half), BLOCK_UNIT)


def lake_settings(model: type[Params]) -> dict[str, Declaration]:
    """What may be set in a lake of a model with these parameters, by name, but for `OF_THE_GRID`."""
    known = {entry.name: entry for params in (TerrainOptions, model) for entry in declarations(params)}
    return known | {
        entry.name: entry for entry in world_declarations() if entry.name.startswith(("gauges_", "maxima_"))
    }


def bake(
    terrain: str | Path,
    out: str | Path,
    *,
    seconds: float,
    every: float = 1.0,
    drops: Sequence[Drop | TimedDrop] = (),
    client: Any = None,
    block: int | None = None,
    flow: bool = False,
    gauges: Sequence[str | GaugePlace] = (),
    walls: Sequence[PaintWall] = (),
    start: GivenStart = STILL_WATER,
    resume: bool = False,
    checkpoint_seconds: float = CHECKPOINT_SECONDS,
    report: Callable[[Progress], None] | None = None,
    **settings: Unpack[LakeSettings],
) -> RecordedLake:
    """Compute a lake that may be larger than a machine, in blocks, and keep it as a Zarr store.

    Every point has the bits that `waterview render --no-keep-volume` has in one piece.

    Args:
        terrain: a heightmap file, or the name of a terrain that comes with waterview. A GeoTIFF or a virtual raster of
            more than 4096 samples a side is read by windows; all workers must reach it by this path.
        out: the store, a folder that does not exist yet, or a URL that fsspec writes to, such as
            "s3://bucket/lake.zarr".
        seconds: to simulate.
        every: simulated time between two frames [s].
        drops: what falls, at the start where no time is given.
        client: of `dask.distributed`, whose workers own the blocks; None computes in this process.
        block: points along each side of a block, a multiple of 64; chosen if None.
        flow: keep depth times velocity of shallow water, too.
        gauges: what is measured where, such as "harbour:120,-40" in metres from the middle of the map.
        walls: painted on the terrain, in order.
        start: the files of the surface and flow that it starts with.
        resume: go on with a store that was begun.
        checkpoint_seconds: time between two checkpoints [s].
        report: called after every frame.
        settings: parameters of the terrain, of the model, of gauges and of fields over the run by name, such as
            `grid=16384`, `border="open"`, `maxima=True`.

    Raises:
        ParameterError: a value is not allowed, or the scene has what cannot be stepped in blocks.
        InputError: a file cannot be read, the store exists, or the disk has no room.
    """
    model = BAKED.get(str(settings.get("model", USUAL_MODEL)), WaveEquationParams)
    known, given = lake_settings(model), cast("Mapping[str, Value]", settings)
    for name in given:
        if name not in known and name not in OF_THE_GRID:
            raise ParameterError(f"no setting of a lake is called '{name}'{nearest(name, known)}")
    checked = {name: known[name].check(value) if name in known else value for name, value in given.items()}
    source = resolve(terrain)
    source = source.with_options(source.options.changed(**values_for(TerrainOptions, checked)))
    places = [parse_gauge(gauge) if isinstance(gauge, str) else gauge for gauge in gauges]
    timed = [drop if isinstance(drop, TimedDrop) else TimedDrop(drop, 0.0) for drop in drops]
    lake = plan_lake(
        source,
        checked,
        seconds=seconds,
        every=every,
        drops=timed,
        side=block,
        flow=flow,
        gauges=places,
        walls=walls,
        start=start,
    )
    workers: Workers = SingleProcess()
    if client is not None:
        from .cluster import Cluster

        workers = Cluster(client)
    bake_lake(
        lake,
        output_store(out),
        workers,
        resume=resume,
        checkpoint_seconds=checkpoint_seconds,
        report=report or (lambda progress: None),
    )
    return open_lake(out)
