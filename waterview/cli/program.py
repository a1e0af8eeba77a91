"""The program `waterview`: its commands, and its errors in one line each."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from typing import Annotated, NoReturn

import typer

from waterview import __version__
from waterview.core.errors import InputError, WaterviewError
from waterview.signals import EndSignals

from .render import render
from .tell import bench, doctor, inspect, models, presets
from .view import view

COMMANDS = (view, render, inspect, presets, models, doctor, bench)

app = typer.Typer(
    name="waterview",
    help="Real water on real terrain. Without a command: view.",
    add_completion=True,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
)
for _command in COMMANDS:
    app.command()(_command)


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


def run(arguments: Sequence[str]) -> int:
    """Run the command line with `arguments`; returns the exit code.

    0 after a normal end, 1 after an error of the program, 2 after one of the user, 130 after Ctrl-C, 143 after SIGTERM.
    """
    commands = {command.__name__ for command in COMMANDS}
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
