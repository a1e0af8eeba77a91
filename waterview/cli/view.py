"""`waterview view`: the window."""

from __future__ import annotations

import sys
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from waterview.core.commands import usual_drop
from waterview.core.errors import DisplayError
from waterview.core.params import Value
from waterview.core.shore import widest_water
from waterview.headless import Look, TimedDrop
from waterview.options import parse_size
from waterview.output.recording import Recording, read_recording
from waterview.saved import simulating
from waterview.scene import Scene, SceneCycle
from waterview.signals import EndSignals
from waterview.simulation import Simulation
from waterview.terrain.library import bundled
from waterview.ui.hand import HandParams

from .declared import number, part, with_declared_options
from .scene_options import (
    BodyOption,
    CameraOption,
    CameraPathOption,
    HeightmapArgument,
    PresetOption,
    ReplayOption,
    SolverOption,
    Start,
    check,
    check_solver,
    look_from,
    solved_without_window,
    start_from,
)

if TYPE_CHECKING:
    from moderngl import Context


@with_declared_options(HandParams)
def view(
    heightmap: HeightmapArgument = None,
    window_size: Annotated[str, typer.Option(help="Size of the window.", metavar="WxH")] = "1280x720",
    fps_limit: Annotated[
        float, typer.Option(parser=number, metavar="NUMBER", help="Most frames drawn a second.")
    ] = 60.0,
    exit_after: Annotated[
        float | None, typer.Option(help="Close the window after so many seconds.", metavar="SECONDS", parser=number)
    ] = None,
    without_display: Annotated[
        Path | None,
        typer.Option(help="Where no window can be opened, draw the scene into this folder instead.", metavar="FOLDER"),
    ] = None,
    camera: CameraOption = None,
    camera_path: CameraPathOption = None,
    body: BodyOption = None,
    preset: PresetOption = None,
    record: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Write down all that is asked of the water, to be replayed.")
    ] = None,
    replay: ReplayOption = None,
    solver: SolverOption = "cpu",
    *,
    declared: dict[str, Value],
) -> None:
    """Open the window: click to drop, drag to draw a wake, H for all keys."""
    check("--fps-limit", fps_limit, 1.0, 1000.0)
    if exit_after is not None:
        check("--exit-after", exit_after, 0.0, 1e9)
    parse_size("--window-size", window_size)
    start = start_from(heightmap, preset, body, declared)
    check_solver(solver, start, record, replay)
    look = look_from("--window-size", window_size, camera, start, camera_path)
    recording = None if replay is None else read_recording(replay)
    try:
        _show(start, look, fps_limit, exit_after, record, recording, solver)
    except DisplayError as error:
        if without_display is None:
            raise
        print(f"waterview: {error}; drawing into {without_display}/ instead", file=sys.stderr)
        with solved_without_window(solver, start.scene, look) as (scene, look):
            _draw_instead(scene, without_display, look)


def _show(
    start: Start,
    look: Look,
    fps_limit: float,
    exit_after: float | None,
    record: Path | None,
    recording: Recording | None,
    solver: str,
) -> None:
    from waterview.ui.window import WindowProgram, open_window

    signals = EndSignals()
    terrain = start.terrain
    window = open_window(f"waterview — {start.scene.heightmap.title}", look.size)
    try:
        scene, kind = _solved_by(solver, start.scene, window.ctx)
        others = [source for source in bundled().values() if source.path != terrain.path]
        cycle = SceneCycle(scene, [terrain, *others], None if start.preset is None else start.preset.name)
        with simulating(scene, record, recording, kind) as simulation:
            aim = look.aim if recording is None else None
            program = WindowProgram(
                window, simulation, look.view, cycle, aim, fps_limit, exit_after, signals.check, look.flight
            )
            program.viewer.hand = HandParams().changed(**part(HandParams, start.settings))
            for drop in start.drops if recording is None else ():
                simulation.post(drop)
            # The first picture comes before the kernels are loaded or compiled: still water needs none.
            program.frame()
            with simulation:
                program.run()
    finally:
        window.destroy()


def _solved_by(solver: str, scene: Scene, ctx: Context) -> tuple[Scene, type[Simulation]]:
    """`scene` computed by `solver`, and the simulation that can step it."""
    if solver == "cpu":
        return scene, Simulation
    from waterview.gpu.loop import FrameLoop
    from waterview.gpu.water import card_models

    return replace(scene, models=card_models(ctx)), FrameLoop


def _draw_instead(scene: Scene, folder: Path, look: Look) -> None:
    """A picture and a short sequence of ripples: what the window would have shown after a click."""
    from waterview import headless

    water = scene.make_water()
    drops = [TimedDrop(usual_drop(water.grid, *widest_water(water.grid, water.fixed), size=2.0))]
    for out, seconds, frames_per_second in (
        (folder / "waterview.png", 2.0, 1.0),
        (folder / "frame_%04d.png", 2.0, 6.0),
    ):
        for path in headless.write(scene.make_tank(), out, seconds, frames_per_second, drops, look):
            print(path)
