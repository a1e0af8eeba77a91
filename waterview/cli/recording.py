"""What `view` and `render` do with a baked lake, or with heights that were written before: it is shown as it is."""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from pathlib import Path

from waterview.core.errors import ParameterError
from waterview.core.params import Params, declarations, values_for
from waterview.lakes.remote import StorePath, is_url, store_path
from waterview.render.settings import ViewParams
from waterview.render.shot import Shot
from waterview.scene.arguments import parse_camera, parse_size

from .arguments import SceneArguments

_OF_A_LIVE_WATER = (
    *("preset", "body", "gauge", "gauges_out", "maxima_out"),
    *("drape", "surface", "flow_x", "flow_z", "fault", "replay"),
)
"""Arguments that what is computed already cannot heed."""


def recording_asked_for(arguments: SceneArguments) -> StorePath | None:
    """The file, folder or URL to be played; None if a scene is asked for, also by `--variable` of such a file."""
    name = arguments.heightmap
    if is_url(name):
        return store_path(str(name))
    # os.path.exists takes names of any length, unlike Path.exists.
    if name is None or "variable" in arguments.declared or not os.path.exists(name):
        return None
    if not (name.lower().endswith(".npz") or os.path.isfile(os.path.join(name, "zarr.json"))):
        return None
    from waterview.lakes.played import is_playable

    return Path(name) if is_playable(Path(name)) else None


def check_played(arguments: SceneArguments, allowed: Sequence[type[Params]], **more: object) -> None:
    """Refuse what a recording cannot heed: all but settings of these kinds, and `more` that must be false.

    Raises:
        ParameterError: something of that is given.
    """
    known = {entry.name for params in allowed for entry in declarations(params)}
    given = [name for name in arguments.declared if name not in known]
    given += [name for name in _OF_A_LIVE_WATER if getattr(arguments, name)]
    given += [name for name, value in more.items() if value]
    given += ["solver"] if arguments.solver != "cpu" else []
    if given:
        raise ParameterError(
            f"--{given[0].replace('_', '-')}: {arguments.heightmap} is computed already, and is shown as it is; "
            "leave it away"
        )


def shot_of_recording(flag: str, size: str, arguments: SceneArguments, supersample: int = 1) -> Shot:
    """How pictures of it are made; the text of `flag` is the size."""
    flight = None
    if arguments.camera_path is not None:
        from waterview.render.camera.camera_path import parse_path

        flight = parse_path(arguments.camera_path)
    aim = None if arguments.camera is None else parse_camera(arguments.camera).of
    view = ViewParams().changed(**values_for(ViewParams, arguments.declared))
    return Shot(parse_size(flag, size), view, aim, supersample, flight)


def write_played(
    path: StorePath, arguments: SceneArguments, out: Path, fps: float, size: str, supersample: int, drops: Sequence[str]
) -> list[Path]:
    """Pictures, a film or heights of a recording; returns the paths.

    Raises:
        InputError: a value is not allowed, or a file cannot be read or written.
        DisplayError: pictures are asked for and there is no OpenGL.
    """
    from waterview.lakes.played import open_recording, write_recording

    from .terminal import progress_bar

    check_played(arguments, [ViewParams], drop=drops)
    shot = shot_of_recording("--size", size, arguments, supersample)
    if isinstance(path, Path) and os.path.exists(out) and out.samefile(path):
        raise ParameterError(f"--out {out}: it is read for it and would be lost; choose another name")
    recorded = open_recording(path)

    def warn(problem: str) -> None:
        print(f"waterview: {problem}; shown from a coarser level", file=sys.stderr)

    with progress_bar(len(recorded.times)) as advance:
        return write_recording(recorded, out, shot, fps, advance, warn)
