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
from waterview.core.gauges import GaugeSeries
from waterview.core.grid import widest_water
from waterview.core.params import Value
from waterview.output.gauge_files import NO_GAUGES, check_gauges_out, save_gauges
from waterview.output.recording import read_recording
from waterview.output.writers import allowed_endings, writer_for
from waterview.scene.arguments import parse_drop, parse_size
from waterview.scene.given_start import GivenStart
from waterview.scene.replay import LastFrame, play
from waterview.waters.common.water import Water

from .options import (
    BodyOption,
    CameraOption,
    CameraPathOption,
    FaultOption,
    FlowXOption,
    FlowZOption,
    GaugeOption,
    GaugesOutOption,
    HeightmapArgument,
    PresetOption,
    ReplayOption,
    SolverOption,
    SurfaceOption,
    number,
    with_declared_options,
)
from .scene_setup import (
    check_keeps,
    check_range,
    check_replay,
    check_solver,
    offscreen_solver,
    set_up_scene,
    set_up_shot,
)
from .terminal import progress_bar


@with_declared_options()
def render(
    heightmap: HeightmapArgument = None,
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
    drop: Annotated[
        list[str] | None,
        typer.Option(
            metavar="X,Z[,HEIGHT[,RADIUS[,TIME]]]",
            help="A drop at x, z [m] (0,0 is the middle of the map), its height and radius [m] and when it falls [s]; "
            "may be repeated.",
        ),
    ] = None,
    camera: CameraOption = None,
    camera_path: CameraPathOption = None,
    body: BodyOption = None,
    gauge: GaugeOption = None,
    gauges_out: GaugesOutOption = None,
    preset: PresetOption = None,
    surface: SurfaceOption = None,
    flow_x: FlowXOption = None,
    flow_z: FlowZOption = None,
    fault: FaultOption = None,
    replay: ReplayOption = None,
    solver: SolverOption = "cpu",
    *,
    declared: dict[str, Value],
) -> None:
    """Draw or compute the same water without a window."""
    from waterview.output import offline

    check_range("--seconds", seconds, 0.0, 1e6)
    check_range("--fps", fps, 1e-3, 1e4)
    parse_size("--size", size)
    check_range("--supersample", supersample, 1, 8)
    writer_for(out, fps)
    if gauges_out is not None:
        check_gauges_out(gauges_out)
    start = GivenStart(surface, flow_x, flow_z, fault)
    check_replay(replay, start, drop, body, gauge)
    recording = None if replay is None else read_recording(replay)
    setup = set_up_scene(heightmap, preset, body, declared, start, gauge)
    if gauges_out is not None and recording is None and not setup.scene.gauges:
        raise ParameterError(f"--gauges-out {gauges_out}: {NO_GAUGES}")
    for flag, place in (("--out", out), ("--gauges-out", gauges_out)):
        if place is not None:
            check_keeps(flag, place, *setup.files, replay)
    check_solver(solver, setup, replay)
    shot = replace(set_up_shot("--size", size, camera, setup, camera_path), supersample=supersample)
    if recording is not None:
        with progress_bar(recording.steps, "steps") as advance:
            replayed = LastFrame(partial(play, recording, progress=advance))
            _print_paths(offline.write_replay(replayed, out, fps, shot))
        _save_gauges(replayed.frame.gauges if replayed.frame is not None else (), gauges_out)
        return
    drops = [parse_drop(text, setup.scene.grid) for text in drop or []]
    drops += [TimedDrop(drop) for drop in setup.drops]
    with offscreen_solver(solver, setup.scene, shot) as (scene, shot):
        world = scene.make_world()
        _warn_of_lost_drops(world.water, drops, seconds)
        with progress_bar(offline.written_frame_count(out, seconds, fps)) as advance:
            paths = offline.write(world, out, seconds, fps, drops, shot, advance)
    _print_paths(paths)
    _save_gauges(tuple(world.gauges), gauges_out)


def _save_gauges(gauges: Sequence[GaugeSeries], path: Path | None) -> None:
    """Write what gauges measured, where that is asked for."""
    if path is not None:
        save_gauges(gauges, path)
        print(path)


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
