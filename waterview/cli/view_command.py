"""`waterview view`: the window."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from waterview.core.params import Value
from waterview.scene.given_start import GivenStart
from waterview.scene.interaction import InteractionParams

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
from .view import ViewArguments
from .view import view as run_view


@with_declared_options(InteractionParams)
def view(
    heightmap: HeightmapArgument = None,
    window_size: Annotated[str, typer.Option(help="Size of the window.", metavar="WxH")] = "1280x720",
    fps_limit: Annotated[
        float, typer.Option(parser=number, metavar="NUMBER", help="Highest number of frames drawn a second.")
    ] = 60.0,
    exit_after: Annotated[
        float | None, typer.Option(help="Close the window after this time.", metavar="SECONDS", parser=number)
    ] = None,
    without_display: Annotated[
        Path | None,
        typer.Option(help="If no window can be opened, draw the scene into this folder instead.", metavar="FOLDER"),
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
    record: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Record every command to this file, to replay it later.")
    ] = None,
    replay: ReplayOption = None,
    solver: SolverOption = "cpu",
    *,
    declared: dict[str, Value],
) -> None:
    """Open the window: click to drop, drag to draw a wake, H for all keys."""
    run_view(
        ViewArguments(
            heightmap=heightmap,
            window_size=window_size,
            fps_limit=fps_limit,
            exit_after=exit_after,
            without_display=without_display,
            camera=camera,
            camera_path=camera_path,
            bodies=tuple(body or ()),
            gauges=tuple(gauge or ()),
            gauges_out=gauges_out,
            preset=preset,
            start=GivenStart(surface, flow_x, flow_z, fault),
            record=record,
            replay=replay,
            solver=solver,
            declared=declared,
        )
    )
