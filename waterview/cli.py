"""The command line: its options are made from the declared parameters, its errors are one line each."""

from __future__ import annotations

import math
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Annotated, NoReturn

import typer

from waterview import __version__
from waterview.bodies.parse import parse_body
from waterview.core.commands import Drop, usual_drop
from waterview.core.errors import DisplayError, InputError, ParameterError, WaterviewError
from waterview.core.params import Value
from waterview.core.shore import widest_water
from waterview.declared import number, part, with_declared_options
from waterview.headless import Look, TimedDrop
from waterview.models import MODELS, in_a_line
from waterview.models.base import Water
from waterview.options import parse_camera, parse_drop, parse_size
from waterview.output.recording import Recording, read_recording
from waterview.presets import Preset, find_preset, preset_lines
from waterview.progress import ProgressBar
from waterview.render.settings import ViewParams
from waterview.saved import simulating
from waterview.scene import Scene, SceneCycle, split_settings
from waterview.signals import EndSignals
from waterview.terrain.library import TerrainSource, bundled, resolve
from waterview.terrain.options import TerrainOptions
from waterview.ui.hand import HandParams

DEFAULT_TERRAIN = "coast"

app = typer.Typer(
    name="waterview",
    help="Real water on real terrain. Without a command: view.",
    add_completion=True,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
)

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

ReplayOption = Annotated[
    Path | None,
    typer.Option(metavar="FILE", help="Do again, to the bit, what was recorded; terrain and water come from there."),
]

PresetOption = Annotated[
    str | None,
    typer.Option(
        metavar="NAME",
        help="A whole scene with all its settings, see `waterview presets`, or a .toml file; what else is given on the "
        "command line goes before it.",
    ),
]


@dataclass(frozen=True)
class _Start:
    """The scene that a command begins with."""

    terrain: TerrainSource
    scene: Scene
    settings: Mapping[str, Value]
    preset: Preset | None
    keeps_place: bool

    @property
    def drops(self) -> tuple[Drop, ...]:
        """Those of the preset, which belong to its place."""
        return self.preset.drops if self.preset is not None and self.keeps_place else ()


def _start(
    heightmap: str | None, preset_name: str | None, bodies: Sequence[str] | None, declared: Mapping[str, Value]
) -> _Start:
    added = tuple(parse_body(text) for text in bodies or ())
    preset = None if preset_name is None else find_preset(preset_name)
    keeps_place = preset is not None and heightmap is None
    settings = declared if preset is None else preset.under(declared, keeps_place)
    source = preset.terrain() if preset is not None and keeps_place else None
    terrain = _terrain(heightmap, settings, source)
    scene = _scene(terrain, settings)
    if preset is not None and keeps_place:
        scene = replace(scene, walls=preset.walls)
    return _Start(terrain, replace(scene, bodies=added), settings, preset, keeps_place)


def _terrain(name: str | None, declared: Mapping[str, Value], source: TerrainSource | None = None) -> TerrainSource:
    source = source or resolve(name or DEFAULT_TERRAIN)
    return source.with_options(source.options.changed(**part(TerrainOptions, declared)))


def _scene(terrain: TerrainSource, declared: Mapping[str, Value]) -> Scene:
    params, wanted = split_settings(declared)  # a wrong value is told before the terrain is read
    heightmap = terrain.load()
    hint = heightmap.relief_hint()
    if hint:
        print(f"waterview: {hint}", file=sys.stderr)
    return Scene(heightmap, params, wanted)


def _look(flag: str, size: str, camera: str | None, start: _Start) -> Look:
    aim = start.preset.camera if start.preset is not None and start.keeps_place else None
    if camera is not None:
        aim = parse_camera(camera).of
    return Look(parse_size(flag, size), ViewParams().changed(**part(ViewParams, start.settings)), aim)


# Commands


@app.command()
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
    body: BodyOption = None,
    preset: PresetOption = None,
    record: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Write down all that is asked of the water, to be replayed.")
    ] = None,
    replay: ReplayOption = None,
    *,
    declared: dict[str, Value],
) -> None:
    """Open the window: click to drop, drag to draw a wake, H for all keys."""
    _check("--fps-limit", fps_limit, 1.0, 1000.0)
    if exit_after is not None:
        _check("--exit-after", exit_after, 0.0, 1e9)
    parse_size("--window-size", window_size)
    start = _start(heightmap, preset, body, declared)
    look = _look("--window-size", window_size, camera, start)
    recording = None if replay is None else read_recording(replay)
    try:
        _show(start, look, fps_limit, exit_after, record, recording)
    except DisplayError as error:
        if without_display is None:
            raise
        print(f"waterview: {error}; drawing into {without_display}/ instead", file=sys.stderr)
        _draw_instead(start.scene, without_display, look)


def _show(
    start: _Start,
    look: Look,
    fps_limit: float,
    exit_after: float | None,
    record: Path | None,
    recording: Recording | None,
) -> None:
    from waterview.ui.window import WindowProgram, open_window

    signals = EndSignals()
    scene, terrain = start.scene, start.terrain
    window = open_window(f"waterview — {scene.heightmap.title}", look.size)
    try:
        others = [source for source in bundled().values() if source.path != terrain.path]
        cycle = SceneCycle(scene, [terrain, *others], None if start.preset is None else start.preset.name)
        with simulating(scene, record, recording) as simulation:
            aim = look.aim if recording is None else None
            program = WindowProgram(window, simulation, look.view, cycle, aim, fps_limit, exit_after, signals.check)
            program.viewer.hand = HandParams().changed(**part(HandParams, start.settings))
            for drop in start.drops if recording is None else ():
                simulation.post(drop)
            # The first picture comes before the kernels are loaded or compiled: still water needs none.
            program.frame()
            with simulation:
                program.run()
    finally:
        window.destroy()


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


@app.command()
@with_declared_options()
def render(
    heightmap: HeightmapArgument = None,
    out: Annotated[
        Path,
        typer.Option(
            help="A picture a.png, numbered pictures frame_%04d.png, a film a.mp4, a.webm or a.gif, heights a.npz, "
            "a map a.tif or a mesh a.glb or a.obj; maps and meshes may be numbered too."
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
    body: BodyOption = None,
    preset: PresetOption = None,
    replay: ReplayOption = None,
    *,
    declared: dict[str, Value],
) -> None:
    """Draw or compute the same water without a window."""
    from waterview import headless

    _check("--seconds", seconds, 0.0, 1e6)
    _check("--fps", fps, 1e-3, 1e4)
    parse_size("--size", size)
    _check("--supersample", supersample, 1, 8)
    headless.check_out(out, fps)
    recording = None if replay is None else read_recording(replay)
    start = _start(heightmap, preset, body, declared)
    look, scene = replace(_look("--size", size, camera, start), supersample=supersample), start.scene
    if recording is not None:
        with ProgressBar(recording.steps, "steps") as advance:
            _tell_paths(headless.write_replay(recording, out, fps, look, advance))
        return
    drops = [parse_drop(text, scene.grid) for text in drop or []]
    drops += [TimedDrop(drop) for drop in start.drops]
    tank = scene.make_tank()
    _tell_of_dry_drops(tank.water, drops)
    with ProgressBar(headless.wanted_frames(out, seconds, fps)) as advance:
        paths = headless.write(tank, out, seconds, fps, drops, look, advance)
    _tell_paths(paths)


def _tell_paths(paths: Sequence[Path]) -> None:
    for path in [*paths[:1], *paths[-1:]] if len(paths) > 1 else paths:
        print(path)


def _tell_of_dry_drops(water: Water, drops: Sequence[TimedDrop]) -> None:
    for drop in (timed.drop for timed in drops):
        point = water.grid.nearest(drop.x, drop.z)
        if point is not None and water.fixed[point[1], point[0]]:
            x, z = widest_water(water.grid, water.fixed)
            print(
                f"waterview: the drop at {drop.x:g},{drop.z:g} falls on dry land; open water is at {x:.4g},{z:.4g}",
                file=sys.stderr,
            )


@app.command("inspect")
@with_declared_options()
def inspect_(heightmap: Annotated[str, typer.Argument(metavar="FILE")], *, declared: dict[str, Value]) -> None:
    """Say what a heightmap holds: size, cells, range, gaps, land and water."""
    from waterview.terrain.inspect import inspect_file

    terrain = _terrain(heightmap, declared)
    for line in inspect_file(terrain.path, terrain.options).lines():
        print(line)


@app.command()
def presets() -> None:
    """List the presets: whole scenes for --preset NAME."""
    for line in preset_lines():
        print(line)


@app.command()
def models() -> None:
    """List the water models: names for --model NAME."""
    for name, model in MODELS.items():
        print(f"{name:16} {in_a_line(model)}")


@app.command()
def doctor() -> None:
    """Print versions, the OpenGL renderer, numba's threading layer and the places of caches."""
    from waterview.doctor import report

    for name, value in report():
        print(f"{name:24} {value}")


def _show_version(wanted: bool) -> None:
    if wanted:
        print(f"waterview {__version__}")
        raise typer.Exit


@app.callback()
def _program(
    version: Annotated[
        bool, typer.Option("--version", help="Print the version and stop.", callback=_show_version, is_eager=True)
    ] = False,
) -> None:
    """Real water on real terrain. Without a command: view."""


# Running it


def _check(flag: str, value: float, low: float, high: float) -> None:
    if not (math.isfinite(value) and low <= value <= high):
        raise ParameterError(f"{flag} {value:g}: allowed are {low:g} to {high:g}; choose a value in that range")


def run(arguments: Sequence[str]) -> int:
    """Run the command line with `arguments`; returns the exit code.

    0 after a normal end, 1 after an error of the program, 2 after one of the user, 130 after Ctrl-C, 143 after SIGTERM.
    """
    commands = {"view", "render", "inspect", "presets", "models", "doctor"}
    general = {"--help", "--version", "--install-completion", "--show-completion"}
    first = arguments[0] if arguments else ""
    if first not in commands | general:
        arguments = ["view", *arguments]
    try:
        code = app(list(arguments), prog_name="waterview", standalone_mode=False)
    except typer.TyperException as error:
        return _complain(error.format_message(), error.exit_code)
    except InputError as error:
        return _complain(str(error), error.exit_code)
    except WaterviewError as error:
        if error.__cause__ is not None:
            _print_trace(error.__cause__)
        return _complain(str(error), error.exit_code)
    except (KeyboardInterrupt, typer.Abort):
        return 130
    return code if isinstance(code, int) else 0


def _complain(message: str, code: int) -> int:
    print("waterview: " + " ".join(message.split()), file=sys.stderr)
    return code


def _print_trace(error: BaseException) -> None:
    import traceback

    traceback.print_exception(error)


def main() -> NoReturn:
    """The entry point `waterview`."""
    EndSignals()
    sys.exit(run(sys.argv[1:]))
