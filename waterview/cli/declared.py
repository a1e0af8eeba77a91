"""Command-line options made from the declared parameters, so that a parameter is declared once."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable, Iterable
from typing import Annotated, Any

import typer

from waterview.core.params import Declaration, Params, Value, declarations
from waterview.render.settings import ViewParams
from waterview.scene.scene import USUAL, SceneParams
from waterview.sim.world import world_declarations
from waterview.terrain.options import TerrainOptions
from waterview.waters import MODELS


def number(text: str) -> float:
    """The number that `text` is; what a typer option's parser needs.

    Raises:
        typer.BadParameter: it is none.
    """
    try:
        return float(text)
    except ValueError as error:
        raise typer.BadParameter(f"'{text}' is not a number") from error


def model_declarations() -> dict[str, Declaration]:
    """The parameters of all models together, by name."""
    return _by_name(entry for model in MODELS.values() for entry in declarations(model.Params))


def _by_name(entries: Iterable[Declaration]) -> dict[str, Declaration]:
    """Of those of one name the first: the scene tells of its seed before the ocean does."""
    known: dict[str, Declaration] = {}
    for entry in entries:
        known.setdefault(entry.name, entry)
    return known


def _option(entry: Declaration) -> inspect.Parameter:
    allowed = "" if entry.kind is bool else f" [{entry.allowed}]"
    flag = f"{entry.flag}/--no-{entry.flag[2:]}" if entry.kind is bool else entry.flag
    parser = {int: number, float: number}.get(entry.kind)
    metavar = {int: "N", float: entry.unit or "NUMBER", str: "NAME"}.get(entry.kind)
    option = typer.Option(
        flag, help=f"{entry.doc}{allowed}{_default(entry)}", show_default=False, parser=parser, metavar=metavar
    )
    return inspect.Parameter(
        entry.name, inspect.Parameter.KEYWORD_ONLY, default=None, annotation=Annotated[entry.kind | None, option]
    )


def _default(entry: Declaration) -> str:
    """What is taken where the option is left out, in words; "" for switches and names without any."""
    if entry.kind is bool or entry.default == "":
        return ""
    if entry.name in USUAL:
        return f" Default: {USUAL[entry.name]}."
    alike = len(_model_defaults().get(entry.name, (entry.default,))) == 1
    return f" Default: {entry.default}." if alike else " The default is the model's."


@functools.cache
def _model_defaults() -> dict[str, set[Value]]:
    """The defaults that models have for the parameters of a name."""
    found: dict[str, set[Value]] = {}
    for model in MODELS.values():
        for entry in declarations(model.Params):
            found.setdefault(entry.name, set()).add(entry.default)
    return found


def declared_parameters() -> tuple[Declaration, ...]:
    """Every parameter that has a flag: of scene and terrain, all models, bodies and detail, and the view."""
    entries = [entry for params in (SceneParams, TerrainOptions) for entry in declarations(params)]
    entries += model_declarations().values()
    entries += world_declarations()
    entries += declarations(ViewParams)
    return tuple(_by_name(entries).values())


def with_declared_options(*more: type[Params]) -> Callable[[Callable[..., None]], Callable[..., None]]:
    """Give a command one option for every declared parameter, of `more` too; it receives those given as `declared`."""
    entries = {entry.name: entry for params in more for entry in declarations(params)}
    entries |= {entry.name: entry for entry in declared_parameters()}
    return with_options_of(*entries.values())


def with_options_of(*entries: Declaration) -> Callable[[Callable[..., None]], Callable[..., None]]:
    """As `with_declared_options`, with one option for each of `entries` alone."""
    options = [_option(entry) for entry in entries]

    def decorated(command: Callable[..., None]) -> Callable[..., None]:
        return _with_options(command, options)

    return decorated


def _with_options(command: Callable[..., None], options: list[inspect.Parameter]) -> Callable[..., None]:
    own = [
        parameter
        for parameter in inspect.signature(command, eval_str=True).parameters.values()
        if parameter.name != "declared"
    ]

    def wrapped(**values: Any) -> None:
        given = {option.name: values.pop(option.name) for option in options}
        command(**values, declared={name: value for name, value in given.items() if value is not None})

    keyword = [parameter.replace(kind=inspect.Parameter.KEYWORD_ONLY) for parameter in own]
    wrapped.__signature__ = inspect.Signature(keyword + options)  # type: ignore[attr-defined]
    wrapped.__annotations__ = {parameter.name: parameter.annotation for parameter in keyword + options}
    wrapped.__name__, wrapped.__doc__ = command.__name__, command.__doc__
    return wrapped
