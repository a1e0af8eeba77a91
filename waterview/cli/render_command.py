"""`waterview render`: pictures, films and heights without a window."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Annotated

import typer

from waterview.core.commands import TimedDrop
from waterview.core.errors import ParameterError
from waterview.core.grid import widest_water
from waterview.output.gauge_files import NO_GAUGES
from waterview.output.recording import read_recording
from waterview.output.writers import SeriesWriter, allowed_endings, writer_for
from waterview.scene.arguments import parse_drop, parse_size
from waterview.scene.replay import play
from waterview.waters.common.water import Water

from .arguments import SceneArguments
from .options import DROP, number, with_scene_options
from .recording import recording_asked_for, write_played
from .scene_setup import (
    check_added,
    check_keeps,
    check_range,
    check_solver,
    offscreen_solver,
    replayed_world,
    set_up_scene,
    set_up_shot,
    telling_new_folders,
    write_measurements,
)
from .terminal import progress_bar


@with_scene_options()
def render(
    arguments: SceneArguments,
    *,
    out: Annotated[
        Path,
        typer.Option(
            help=f"What to write, by its ending: {allowed_endings()}. %04d is the number of the frame; without it "
            "the last frame is written."
        ),
    ] = Path("waterview.png"),
    seconds: Annotated[float, typer.Option(parser=number, metavar="NUMBER", help="How long to simulate.")] = 2.0,
    fps: Annotated[
        float, typer.Option(parser=number, metavar="NUMBER", help="Frames a second of simulated time.")
    ] = 30.0,
    size: Annotated[str, typer.Option(help="Size of pictures.", metavar="WxH")] = "1280x720",
    supersample: Annotated[
        int,
        typer.Option(metavar="N", help="Draw N times as wide and high and take the mean: smooth edges, no sparkle."),
    ] = 1,
    drop: Annotated[list[str] | None, DROP] = None,
) -> None:
    """Draw or compute the same water without a window; or what was computed before (.zarr, .npz), as it is."""
    from waterview.output import offline

    check_range("--seconds", seconds, 0.0, 1e6)
    check_range("--fps", fps, 1e-3, 1e4)
    parse_size("--size", size)
    check_range("--supersample", supersample, 1, 8)
    writer = writer_for(out, fps)
    played = recording_asked_for(arguments)
    if played is not None:
        _print_paths(write_played(played, arguments, out, fps, size, supersample, drop or []))
        return
    check_added(arguments, drop)
    recording = None if arguments.replay is None else read_recording(arguments.replay)
    setup = set_up_scene(arguments)
    if arguments.gauges_out is not None and recording is None and not setup.scene.gauges:
        raise ParameterError(f"--gauges-out {arguments.gauges_out}: {NO_GAUGES}")
    check_keeps("--out", out, arguments, setup)
    check_solver(arguments, setup)
    shot = replace(set_up_shot("--size", size, arguments, setup), supersample=supersample)
    with telling_new_folders(out, arguments):
        if recording is not None:
            with progress_bar(recording.steps, "steps") as advance:
                world = replayed_world(recording, arguments)
                replay = partial(play, recording, progress=advance, world=world)
                _print_paths(offline.write_replay(replay, out, fps, shot, world))
            write_measurements(world, arguments)
            return
        if isinstance(writer, SeriesWriter):
            writer.check(offline.written_frame_count(out, seconds, fps), setup.scene.grid, out)
        drops = [parse_drop(text, setup.scene.grid) for text in drop or []]
        drops += [TimedDrop(drop) for drop in setup.drops]
        with offscreen_solver(arguments.solver, setup.scene, shot) as (scene, shot):
            world = scene.make_world()
            _warn_of_lost_drops(world.water, drops, seconds)
            with progress_bar(offline.written_frame_count(out, seconds, fps)) as advance:
                paths = offline.write(world, out, seconds, fps, drops, shot, advance)
        _print_paths(paths)
        write_measurements(world, arguments)


def _print_paths(paths: Sequence[Path]) -> None:
    for path in [*paths[:1], *paths[-1:]] if len(paths) > 1 else paths:
        print(path)


def _warn_of_lost_drops(water: Water, drops: Sequence[TimedDrop], seconds: float) -> None:
    """Warn of drops that will not be seen: on dry land, or after the end."""
    for drop, time in ((timed.drop, timed.time) for timed in drops):
        what = f"waterview: the drop at {drop.x:g},{drop.z:g} falls"
        point = water.grid.nearest(drop.x, drop.z)
        if time > seconds:
            print(f"{what} at {time:g} s, after the end; --seconds is {seconds:g}", file=sys.stderr)
        elif point is not None and water.fixed[point[1], point[0]]:
            x, z = widest_water(water.grid, water.fixed)
            water_is = (
                "there is no water: raise --water-level" if water.fixed.all() else f"open water is at {x:.4g},{z:.4g}"
            )
            print(f"{what} on dry land; {water_is}", file=sys.stderr)
