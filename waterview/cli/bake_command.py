"""`waterview bake`: a lake larger than a machine, computed by many workers into a store."""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Annotated, Any

import typer

from waterview.core.commands import TimedDrop
from waterview.core.errors import ParameterError
from waterview.core.params import Value
from waterview.core.rectangle import Rectangle
from waterview.lakes.lake import Lake
from waterview.lakes.recorded import open_lake
from waterview.lakes.remote import output_store
from waterview.lakes.run import CHECKPOINT_SECONDS, Progress, SingleProcess
from waterview.lakes.run import bake as bake_lake
from waterview.lakes.scene import plan_lake
from waterview.output.gauge_files import NO_GAUGES, check_gauges_out, save_gauges
from waterview.scene.arguments import parse_drop, parse_gauge
from waterview.scene.given_start import STILL_WATER
from waterview.scene.presets import Preset, find_preset

from .arguments import SceneArguments
from .options import DROP, number, with_scene_options
from .scene_setup import check_range, find_terrain, start_of

_LEFT_OUT = {
    "body": "bodies",
    "replay": "recordings",
}
"""Options of a scene that a lake does not know yet, and what they are about."""


@with_scene_options()
def bake(
    arguments: SceneArguments,
    *,
    out: Annotated[str, typer.Option(metavar="PATH", help="The Zarr store to make: a new folder, or a URL.")],
    seconds: Annotated[float, typer.Option(parser=number, metavar="NUMBER", help="How long to simulate.")] = 10.0,
    every: Annotated[
        float, typer.Option(parser=number, metavar="NUMBER", help="Simulated seconds between two frames.")
    ] = 1.0,
    drop: Annotated[list[str] | None, DROP] = None,
    block: Annotated[
        int | None, typer.Option(metavar="N", help="Points along each side of a block, a multiple of 64.")
    ] = None,
    keep_flow: Annotated[
        bool, typer.Option("--keep-flow", help="Keep depth times velocity of shallow water, too, as flow_x and flow_z.")
    ] = False,
    workers: Annotated[
        int | None,
        typer.Option(metavar="N", help="Workers on this machine, one a core by default; 0 computes without Dask."),
    ] = None,
    memory: Annotated[
        str | None, typer.Option(metavar="SIZE", help="Most memory of each worker on this machine, such as 1.5GiB.")
    ] = None,
    scheduler: Annotated[
        str | None, typer.Option(metavar="ADDRESS", help="A Dask scheduler to compute on, such as tcp://head:8786.")
    ] = None,
    scheduler_file: Annotated[
        Path | None, typer.Option(metavar="FILE", help="A file that a Dask scheduler has written its address to.")
    ] = None,
    resume: Annotated[bool, typer.Option("--resume", help="Go on with a store that was begun.")] = False,
    checkpoint: Annotated[
        float,
        typer.Option(parser=number, metavar="NUMBER", help="Seconds between two checkpoints; 0 makes one each frame."),
    ] = CHECKPOINT_SECONDS,
) -> None:
    """Compute a lake larger than a machine with many workers, and keep it as a Zarr store."""
    check_range("--seconds", seconds, 0.0, 1e6)
    check_range("--every", every, 1e-3, 1e6)
    check_range("--checkpoint", checkpoint, 0.0, 1e6)
    check_range("--workers", 1 if workers is None else workers, 0, 4096)
    if block is not None and (block < 64 or block % 64 or block > 16_384):
        raise ParameterError(f"--block {block}: allowed are multiples of 64 from 64 to 16384")
    store = output_store(out)
    for name, what in _LEFT_OUT.items():
        if getattr(arguments, name):
            raise ParameterError(f"--{name.replace('_', '-')}: a lake that is baked knows no {what} yet; leave it away")
    if arguments.maxima_out is not None and arguments.maxima_out.suffix != ".tif":
        raise ParameterError(f"--maxima-out {arguments.maxima_out}: of a lake that is baked only .tif is written")
    preset = None if arguments.preset is None else find_preset(arguments.preset)
    # On another terrain a preset brings nothing but settings.
    placed = None if preset is None or arguments.heightmap is not None else preset
    if placed is not None:
        _check_preset(placed)
    gauges = [*(placed.gauges if placed is not None else ()), *map(parse_gauge, arguments.gauge or ())]
    if arguments.gauges_out is not None:
        check_gauges_out(arguments.gauges_out)
        if not gauges:
            raise ParameterError(f"--gauges-out {arguments.gauges_out}: {NO_GAUGES}")
    settings: Mapping[str, Value] = arguments.declared
    settings = settings if preset is None else preset.overridden_by(settings, placed is not None)
    settings = settings if arguments.maxima_out is None else {**settings, "maxima": True}
    terrain = find_terrain(arguments.heightmap, settings, None if placed is None else placed.terrain())
    how: dict[str, Any] = {"seconds": seconds, "every": every, "side": block, "flow": keep_flow, "gauges": gauges}
    how |= _begun_with(placed, arguments)
    lake = plan_lake(terrain, settings, **how)
    drops = [TimedDrop(each, 0.0) for each in (placed.drops if placed is not None else ())]
    drops += [parse_drop(text, lake.ground.grid) for text in drop or ()]
    if drops:
        lake = plan_lake(terrain, settings, **how, drops=drops)
    _warn_of_lost_drops(lake)
    display = _Display(lake.frames)
    if workers == 0 and scheduler is None and scheduler_file is None:
        bake_lake(
            lake,
            store,
            SingleProcess(),
            resume=resume,
            checkpoint_seconds=checkpoint,
            report=display.show,
            say=display.say,
        )
    else:
        from waterview.lakes.cluster import cluster

        with cluster(workers, memory, scheduler, scheduler_file, display.say) as owners:
            display.memory = owners.memory
            bake_lake(
                lake, store, owners, resume=resume, checkpoint_seconds=checkpoint, report=display.show, say=display.say
            )
    display.end()
    print(store)
    if arguments.gauges_out is not None:
        baked = open_lake(store)
        save_gauges(baked.gauges, arguments.gauges_out, baked.place)
        print(arguments.gauges_out)
    if arguments.maxima_out is not None:
        open_lake(store).save_maxima(arguments.maxima_out)
        print(arguments.maxima_out)


def _warn_of_lost_drops(lake: Lake) -> None:
    """Warn of drops that will not be seen, on dry land or after the end, and where there is none at all."""
    if not (lake.drops or lake.start) and lake.law.driven is None:
        print("waterview: nothing disturbs the water, which stays calm: let a drop fall with --drop", file=sys.stderr)
    for drop, time in ((timed.drop, timed.time) for timed in lake.drops):
        what = f"waterview: the drop at {drop.x:g},{drop.z:g} falls"
        ix, iz = lake.ground.grid.nearest(drop.x, drop.z) or (0, 0)
        if time > lake.seconds:
            print(f"{what} at {time:g} s, after the end; --seconds is {lake.seconds:g}", file=sys.stderr)
        elif lake.ground.fixed(Rectangle(iz, iz + 1, ix, ix + 1)).all():
            print(f"{what} on dry land", file=sys.stderr)


def _begun_with(placed: Preset | None, arguments: SceneArguments) -> dict[str, Any]:
    """The walls and the start, of a preset and as asked for."""
    start = (STILL_WATER if placed is None else placed.start).overridden_by(start_of(arguments))
    return {"walls": () if placed is None else placed.walls, "start": start}


def _check_preset(preset: Preset) -> None:
    """Refuse a preset with bodies.

    Raises:
        ParameterError: it has some.
    """
    if preset.bodies:
        raise ParameterError(
            f"--preset {preset.name}: it has bodies, which push and feel the water of many blocks in every step and "
            "are not baked; give its settings as options"
        )


class _Display:
    """What a user sees on standard error while a lake is baked: a line that is written anew on a terminal."""

    def __init__(self, frames: int) -> None:
        self._frames, self._seconds, self._shown = frames, 0.0, 0
        self._is_terminal = sys.stderr.isatty()
        self._has_line = False
        self.memory: Callable[[], int] = int

    def say(self, text: str) -> None:
        """A sentence on a line of its own."""
        self.end()
        print(f"waterview: {text}", file=sys.stderr)

    def show(self, progress: Progress) -> None:
        """How far it is."""
        self._seconds, self._shown = self._seconds + progress.seconds, self._shown + 1
        left = self._seconds / self._shown * (self._frames - 1 - progress.frame)
        speed = progress.points / max(progress.seconds, 1e-9)
        memory = self.memory()
        parts = [
            f"frame {progress.frame} of {self._frames - 1}",
            f"{speed / 1e6:,.0f} million points × steps/s",
            f"{left / 60.0:,.0f} min left" if left > 90.0 else f"{left:,.0f} s left",
            f"{len(progress.done)} workers" if len(progress.done) != 1 else "1 worker",
            *([f"{memory / 1e9:.1f} GB"] if memory else []),
        ]
        if self._is_terminal:
            print(f"\r\x1b[K{', '.join(parts)}", end="", file=sys.stderr, flush=True)
            self._has_line = True
        elif progress.frame in (0, self._frames - 1) or (progress.frame * 10) // max(self._frames - 1, 1) != (
            (progress.frame - 1) * 10
        ) // max(self._frames - 1, 1):
            print(", ".join(parts), file=sys.stderr, flush=True)

    def end(self) -> None:
        """Leave the line as it is."""
        if self._has_line:
            print(file=sys.stderr)
            self._has_line = False
