"""Options of the commands: those that several share, and those made from declared parameters."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable
from dataclasses import fields
from typing import Annotated, Any, get_type_hints

import typer

from waterview.core.params import Declaration, Params, Value, declarations
from waterview.output.gauge_files import GAUGE_WRITERS
from waterview.render.settings import ViewParams
from waterview.scene.interaction import InteractionParams
from waterview.scene.scene import USUAL, SceneParams
from waterview.sim.world import world_declarations
from waterview.terrain.options import TerrainOptions
from waterview.waters import MODELS

from .arguments import SceneArguments
from .terminal import log_to_stderr

_KEYWORD = inspect.Parameter.KEYWORD_ONLY

SCENE_OPTIONS: dict[str, Any] = {
    "heightmap": typer.Argument(metavar="HEIGHTMAP", help="A heightmap file, or the name of a bundled terrain."),
    "camera": typer.Option(
        metavar="X,Z,DISTANCE[,AZIMUTH[,ELEVATION]]",
        help="The point looked at and the distance of the camera in metres, its azimuth (0 is +z, 90 is +x) and "
        "elevation in degrees (-89 to 90; below 0.5 it is under water).",
    ),
    "camera_path": typer.Option(
        metavar="PATH",
        help="How the camera moves: turntable, turntable:SECONDS for one turn, or a file of keyframes saved with F7.",
    ),
    "body": typer.Option(
        metavar="KIND[@SIZE][:DENSITY[:X,Z[:HEADING@SPEED]]]",
        help="A floating sphere, box, duck or boat, or a mesh file (.stl, .glb, .obj, .ply), its longest side in "
        "metres, its density in kg/m³ (water has 1000) and its place. With a heading in degrees clockwise from north "
        "and a speed in m/s it goes by itself, such as boat@3:::90@2. May be repeated.",
    ),
    "gauge": typer.Option(
        metavar="NAME:X,Z[@map|@lonlat][:FILE]",
        help="A gauge and its place in metres, in coordinates of the terrain's file (@map) or in degrees (@lonlat); "
        "measurements from FILE are laid over its own. May be repeated.",
    ),
    "gauges_out": typer.Option(metavar="FILE", help=f"Write what the gauges measured: {', '.join(GAUGE_WRITERS)}."),
    "maxima_out": typer.Option(
        metavar="FILE",
        help="Write fields over the run: a .tif of largest surface, arrival time and more, or the inundation line as "
        ".csv. Turns on --maxima.",
    ),
    "preset": typer.Option(
        metavar="NAME",
        help="A whole scene with all its settings: a name that `waterview presets` lists, or a .toml file. Other "
        "options override it.",
    ),
    "drape": typer.Option(
        metavar="FILE",
        help="An aerial picture that is laid over the land by its coordinates, in any reference system; without any it "
        "covers the whole terrain.",
    ),
    "surface": typer.Option(
        metavar="FILE",
        help="A raster of heights above still water in metres that the water starts with, such as a tsunami's source; "
        "it is laid on the map by its coordinates.",
    ),
    "flow_x": typer.Option(
        metavar="FILE", help="A raster of the discharge to the east in m²/s that the water starts with."
    ),
    "flow_z": typer.Option(
        metavar="FILE", help="A raster of the discharge to the south in m²/s that the water starts with."
    ),
    "fault": typer.Option(
        metavar="FILE",
        help="A .toml file of faults in the ground, whose slip lifts the water (Okada 1985); the bed stays as it is.",
    ),
    "replay": typer.Option(
        metavar="FILE", help="Replay a recording to the bit. It brings its own terrain, water and length."
    ),
    "solver": typer.Option(
        metavar="NAME",
        help="Where waves are computed: on the processor (cpu) or the graphics card (gpu). The gpu solver has only the "
        "wave equation, without open borders, bodies and fine detail.",
    ),
}
"""The options that fill `SceneArguments`, by the names there."""

DROP = typer.Option(
    metavar="X,Z[,HEIGHT[,RADIUS[,TIME]]]",
    help="A drop at x, z [m] (0,0 is the middle of the map), its height and radius [m] and when it falls [s]; "
    "may be repeated.",
)
"""The option `--drop` of those commands that write what happens."""


def _show_all_help(context: typer.Context, wanted: bool) -> None:
    if wanted:
        print(context.command.full_help(context))  # type: ignore[attr-defined]  # a `help.SceneCommand`
        raise typer.Exit


HELP_ALL = Annotated[
    bool, typer.Option("--help-all", help="Show every option.", callback=_show_all_help, is_eager=True)
]
"""The option of `help.SceneCommand` that shows every other one."""


def _start_log(context: typer.Context, wanted: bool) -> None:
    if wanted:
        context.call_on_close(log_to_stderr())


_VERBOSE = typer.Option(
    "--verbose",
    "-v",
    help="Tell on standard error what happens inside.",
    envvar="WATERVIEW_VERBOSE",
    show_envvar=True,
    callback=_start_log,
    is_eager=True,
)


def with_verbose(command: Callable[..., None]) -> Callable[..., None]:
    """Give a command the option --verbose."""
    before = inspect.signature(command, eval_str=True)
    entry = inspect.Parameter("verbose", _KEYWORD, default=False, annotation=Annotated[bool, _VERBOSE])

    @functools.wraps(command)
    def wrapped(verbose: bool, **values: Any) -> None:
        command(**values)

    wrapped.__signature__ = before.replace(parameters=[*before.parameters.values(), entry])  # type: ignore[attr-defined]
    wrapped.__annotations__ = {**command.__annotations__, "verbose": entry.annotation}
    return wrapped


def number(text: str) -> float:
    """Parse a number for a typer option.

    Raises:
        typer.BadParameter: `text` is no number.
    """
    try:
        return float(text)
    except ValueError as error:
        raise typer.BadParameter(f"'{text}' is not a number") from error


def _option(entry: Declaration) -> inspect.Parameter:
    allowed = "" if entry.kind is bool else f" [{entry.allowed}]"
    flag = f"{entry.flag}/--no-{entry.flag[2:]}" if entry.kind is bool else entry.flag
    parser = {int: number, float: number}.get(entry.kind)
    metavar = {int: "N", float: entry.unit or "NUMBER", str: "NAME"}.get(entry.kind)
    option = typer.Option(
        flag, help=f"{entry.doc}{allowed}{_default(entry)}", show_default=False, parser=parser, metavar=metavar
    )
    return inspect.Parameter(entry.name, _KEYWORD, default=None, annotation=Annotated[entry.kind | None, option])


def _default(entry: Declaration) -> str:
    """The default as a sentence, with the models that have it where they differ; "" for switches and empty texts."""
    if entry.kind is bool or entry.default == "":
        return ""
    if entry.name in USUAL:
        return f" Default: {USUAL[entry.name]}."
    of_models = dict[Value, list[str]]()
    for name, model in MODELS.items():
        for other in declarations(model.Params):
            if other.name == entry.name:
                of_models.setdefault(other.default, []).append(name)
    if len(of_models) <= 1:
        return f" Default: {entry.default}."
    most = max(of_models, key=lambda value: len(of_models[value]))
    others = (f"{value} ({', '.join(names)})" for value, names in of_models.items() if value != most)
    return f" Default: {most}; {', '.join(others)}."


def declared_parameters() -> tuple[Declaration, ...]:
    """Every parameter with a flag: of scene, terrain, all models, bodies, detail and view.

    Where several have one name, the first counts: the seed of the scene comes before that of the ocean.
    """
    of_models = (entry for model in MODELS.values() for entry in declarations(model.Params))
    entries = [*declarations(SceneParams), *declarations(TerrainOptions), *of_models]
    entries += [*world_declarations(), *declarations(ViewParams)]
    by_name = {entry.name: entry for entry in reversed(entries)}
    return tuple(by_name[name] for name in dict.fromkeys(entry.name for entry in entries))


def offered_parameters() -> tuple[Declaration, ...]:
    """`declared_parameters`, and those of keys and mouse, which only the window has."""
    entries = {entry.name: entry for entry in declarations(InteractionParams)}
    return tuple((entries | {entry.name: entry for entry in declared_parameters()}).values())


def with_scene_options(*more: type[Params]) -> Callable[[Callable[..., None]], Callable[..., None]]:
    """Give a command `SCENE_OPTIONS`, and an option for every declared parameter and those of `more`.

    The command receives all of them as its first argument, `SceneArguments`.
    """
    entries = {entry.name: entry for params in more for entry in declarations(params)}
    entries |= {entry.name: entry for entry in declared_parameters()}
    kinds, defaults = get_type_hints(SceneArguments), {entry.name: entry.default for entry in fields(SceneArguments)}

    def decorated(command: Callable[..., None]) -> Callable[..., None]:
        def with_scene(declared: dict[str, Value], **values: Any) -> None:
            shared = {name: values.pop(name) for name in SCENE_OPTIONS}
            del values["help_all"]
            command(SceneArguments(**shared, declared=declared), **values)

        _, *own = inspect.signature(command, eval_str=True).parameters.values()
        shared = [
            inspect.Parameter(name, _KEYWORD, default=defaults[name], annotation=Annotated[kinds[name], option])
            for name, option in SCENE_OPTIONS.items()
        ]
        whole = inspect.Parameter("help_all", _KEYWORD, default=False, annotation=HELP_ALL)
        with_scene.__signature__ = inspect.Signature([shared[0], *own, *shared[1:], whole])  # type: ignore[attr-defined]
        with_scene.__name__, with_scene.__doc__ = command.__name__, command.__doc__
        return with_options_of(*entries.values())(with_scene)

    return decorated


def with_options_of(*entries: Declaration) -> Callable[[Callable[..., None]], Callable[..., None]]:
    """Give a command an option for each of `entries`; it receives the values that were given as `declared`, by name."""
    options = [_option(entry) for entry in entries]

    def decorated(command: Callable[..., None]) -> Callable[..., None]:
        def wrapped(**values: Any) -> None:
            given = {option.name: values.pop(option.name) for option in options}
            command(**values, declared={name: value for name, value in given.items() if value is not None})

        own = [
            parameter.replace(kind=_KEYWORD)
            for parameter in inspect.signature(command, eval_str=True).parameters.values()
            if parameter.name != "declared"
        ]
        wrapped.__signature__ = inspect.Signature(own + options)  # type: ignore[attr-defined]
        wrapped.__annotations__ = {parameter.name: parameter.annotation for parameter in own + options}
        wrapped.__name__, wrapped.__doc__ = command.__name__, command.__doc__
        return wrapped

    return decorated
