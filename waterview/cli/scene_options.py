"""The options that say which scene a command begins with."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

HeightmapArgument = Annotated[
    str | None,
    typer.Argument(metavar="HEIGHTMAP", help="A heightmap file, or the name of a terrain that comes along."),
]
BodyOption = Annotated[
    list[str] | None,
    typer.Option(
        metavar="KIND[:DENSITY[:X,Z]]",
        help="A floating sphere, box, duck or boat, its density in kg/m³ (1000 is water) and where; may be repeated.",
    ),
]

CameraOption = Annotated[
    str | None,
    typer.Option(
        metavar="X,Z,DISTANCE[,AZIMUTH[,ELEVATION]]",
        help="The point looked at, how far away the eye is, in metres, from which side (0 is +z, 90 is +x) and how "
        "high above the horizon, in degrees.",
    ),
]

CameraPathOption = Annotated[
    str | None,
    typer.Option(
        metavar="PATH",
        help="How the camera moves: turntable, turntable:SECONDS for a turn, or a file of keyframes saved with F7.",
    ),
]

ReplayOption = Annotated[
    Path | None,
    typer.Option(
        metavar="FILE", help="Do again, to the bit, what was recorded; terrain, water and length are its own."
    ),
]

PresetOption = Annotated[
    str | None,
    typer.Option(
        metavar="NAME",
        help="A whole scene with all its settings, see `waterview presets`, or a .toml file; what else is given on the "
        "command line goes before it.",
    ),
]


SolverOption = Annotated[
    str,
    typer.Option(
        metavar="NAME",
        help="What computes the waves: the processor (cpu), or the graphics card (gpu), which knows the wave equation "
        "without open borders, bodies and fine detail.",
    ),
]
