"""From what a user asks for to the lake that is baked."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from waterview.core.commands import Drop, TimedDrop
from waterview.core.errors import ParameterError
from waterview.core.params import Value, declarations, nearest, values_for
from waterview.terrain.library import TerrainSource, resolve
from waterview.terrain.options import TerrainOptions
from waterview.terrain.raster import DEFAULT_POINTS, refusal
from waterview.waters.wave.wave_equation import WaveEquationParams

from .ground import Map
from .lake import Lake, plan_lake
from .recorded import RecordedLake, open_lake
from .run import CHECKPOINT_SECONDS, Crew, Here, Progress
from .run import bake as bake_lake

WHOLE = 4096
"""Rasters with at most so many samples a side are held whole by every worker; larger ones are read by windows."""


def open_map(terrain: TerrainSource, points: int) -> Map:
    """The ground of a lake whose grid has so many points along its longer side.

    Raises:
        TerrainError: the file cannot be read, or has more samples than the grid has points.
    """
    from waterview.terrain.windows import WindowedHeightmap, samples_of

    longer = max(samples_of(terrain.path))
    if longer <= WHOLE:
        return terrain.load(min(points, WHOLE))
    if longer > max(points, DEFAULT_POINTS):
        what = f"has {longer:,} samples along its longer side, more than the {points:,} points of the grid"
        raise refusal(terrain.path, what, "choose as many with --grid, or make it smaller with gdal_translate -outsize")
    return WindowedHeightmap.open(terrain.path, terrain.options)


def lake_of(
    terrain: TerrainSource,
    settings: Mapping[str, Value],
    *,
    seconds: float,
    every: float,
    drops: Sequence[TimedDrop] = (),
    side: int | None = None,
) -> Lake:
    """The lake on a terrain; arguments and errors as `plan_lake`."""
    ground = open_map(terrain, int(settings.get("grid", 512)))
    return plan_lake(ground, terrain, settings, seconds=seconds, every=every, drops=drops, side=side)


def bake(
    terrain: str | Path,
    out: str | Path,
    *,
    seconds: float,
    every: float = 1.0,
    drops: Sequence[Drop | TimedDrop] = (),
    client: Any = None,
    block: int | None = None,
    resume: bool = False,
    checkpoint_seconds: float = CHECKPOINT_SECONDS,
    report: Callable[[Progress], None] | None = None,
    **settings: Value,
) -> RecordedLake:
    """Compute a lake that may be larger than a machine, in blocks, and keep it as a Zarr store.

    Every point has the bits that `waterview render --no-keep-volume` has in one piece.

    Args:
        terrain: a heightmap file, or the name of a terrain that comes with waterview. A GeoTIFF or a virtual raster of
            more than 4096 samples a side is read by windows; all workers must reach it by this path.
        out: the store, a folder that does not exist yet.
        seconds: to simulate.
        every: simulated time between two frames [s].
        drops: what falls, at the start where no time is given.
        client: of `dask.distributed`, whose workers own the blocks; None computes in this process.
        block: points along each side of a block, a multiple of 64; chosen if None.
        resume: go on with a store that was begun.
        checkpoint_seconds: time between two checkpoints [s].
        report: called after every frame.
        settings: parameters of the terrain and of the wave equation by name, such as `grid=16384`, `border="open"`.

    Raises:
        ParameterError: a value is not allowed, or the scene has what cannot be stepped in blocks.
        InputError: a file cannot be read, the store exists, or the disk has no room.
    """
    known = {entry.name: entry for params in (TerrainOptions, WaveEquationParams) for entry in declarations(params)}
    for name in settings:
        if name not in known and name not in ("grid", "model"):
            raise ParameterError(f"no setting of a lake is called '{name}'{nearest(name, known)}")
    checked = {name: known[name].check(value) if name in known else value for name, value in settings.items()}
    source = resolve(terrain)
    source = source.with_options(source.options.changed(**values_for(TerrainOptions, checked)))
    timed = [drop if isinstance(drop, TimedDrop) else TimedDrop(drop, 0.0) for drop in drops]
    lake = lake_of(source, checked, seconds=seconds, every=every, drops=timed, side=block)
    crew: Crew = Here()
    if client is not None:
        from .cluster import Cluster

        crew = Cluster(client)
    bake_lake(
        lake,
        Path(out),
        crew,
        resume=resume,
        checkpoint_seconds=checkpoint_seconds,
        report=report or (lambda progress: None),
    )
    return open_lake(out)
