"""`waterview view`: the window."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from waterview.scene.interaction import InteractionParams

from .arguments import SceneArguments, ViewArguments
from .options import number, with_scene_options
from .view import view as run_view


@with_scene_options(InteractionParams)
def view(
    scene: SceneArguments,
    *,
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
    record: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Record every command to this file, to replay it later.")
    ] = None,
    cache: Annotated[
        float,
        typer.Option(parser=number, metavar="MIB", help="Memory for a lake or heights that are played back, in MiB."),
    ] = ViewArguments.cache,
) -> None:
    """Open the window: click to drop, drag to draw a wake, H for all keys.

    A baked lake (.zarr), or heights that render wrote (.npz, .zarr), are played back.
    """
    own = {
        "window_size": window_size,
        "fps_limit": fps_limit,
        "exit_after": exit_after,
        "record": record,
        "cache": cache,
    }
    given: dict[str, Any] = {**vars(scene), **own, "without_display": without_display}
    run_view(ViewArguments(**given))
