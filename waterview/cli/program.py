"""The program `waterview`: finds the command, runs it, and prints an error as one line."""

from __future__ import annotations

import io
import os
import re
import sys
from collections.abc import Callable, Iterable, Sequence
from functools import cache
from importlib import import_module
from typing import TYPE_CHECKING, Annotated, Any, NoReturn

from waterview.core.errors import InputError, WaterviewError
from waterview.core.params import nearest

from .end_signals import EndSignals, leave
from .terminal import OutputClosedError, printing

if TYPE_CHECKING:
    import typer

COMMANDS = {
    "view": "view_command",
    "render": "render_command",
    "bake": "bake_command",
    "inspect": "info_commands",
    "presets": "info_commands",
    "models": "info_commands",
    "doctor": "info_commands",
    "bench": "info_commands",
}
"""The commands and their modules; only the module of the command that runs is imported."""

_OF_SCENES = {"view", "render", "bake"}
"""Commands with an option for every declared parameter."""

_COMPLETION = "_WATERVIEW_COMPLETE"  # set by shells that ask for completions
_VERBOSE = "WATERVIEW_VERBOSE"
_LONGEST_WORD, _LONGEST_LINE = 240, 1200
_GENERAL = {"--help", "-h", "--version", "--install-completion", "--show-completion"}


def make_app(names: Iterable[str] = COMMANDS) -> typer.Typer:
    """The command line with the commands of these names."""
    import typer

    from .options import with_verbose

    app = typer.Typer(
        name="waterview",
        help="Real water on real terrain. Without a command: view.",
        add_completion=True,
        pretty_exceptions_enable=False,
        rich_markup_mode=None,
        context_settings={"help_option_names": ["--help", "-h"]},
    )
    for name in names:
        command = getattr(import_module(f".{COMMANDS[name]}", __package__), name)
        kind = import_module(".help", __package__).SceneCommand if name in _OF_SCENES else None
        app.command(cls=kind)(with_verbose(command))

    def show_version(wanted: bool) -> None:
        from waterview import __version__

        if wanted:
            print(f"waterview {__version__}")
            raise typer.Exit

    version = typer.Option("--version", help="Print the version and stop.", callback=show_version, is_eager=True)

    def program(version: bool = False) -> None:
        """Real water on real terrain. Without a command: view."""

    program.__annotations__["version"] = Annotated[bool, version]
    app.callback()(program)
    return app


def run(arguments: Sequence[str]) -> int:
    """Run the command line with `arguments`; returns the exit code.

    0 after a normal end, 1 after an error of the program, 2 after one of the user. `END_SIGNALS` end with SystemExit.
    """
    try:
        with printing():
            return _run(arguments)
    except OutputClosedError as error:
        return error.exit_code
    except InputError as error:
        return _report(str(error), error.exit_code)
    except WaterviewError as error:
        if error.__cause__ is not None:
            _print_trace(error.__cause__)
        return _report(str(error), error.exit_code)
    except KeyboardInterrupt:
        return 130


def _run(arguments: Sequence[str]) -> int:
    threads = os.environ.get("NUMBA_NUM_THREADS", "1")
    if not re.fullmatch(r"0*[1-9]\d{0,2}", threads):
        raise InputError(f"NUMBA_NUM_THREADS={threads}: allowed are whole numbers from 1 to 999; change it or unset it")
    if arguments or not {_COMPLETION, _VERBOSE}.isdisjoint(os.environ):
        return _run_command(arguments)
    # Without arguments typer is not needed, and the first picture comes sooner.
    from .arguments import ViewArguments
    from .view import view

    view(ViewArguments())
    return 0


@cache
def _command(names: tuple[str, ...]) -> Callable[..., Any]:
    """`make_app` made callable, once: that takes typer longer than to read most command lines."""
    import typer

    return typer.main.get_command(make_app(names))


def _run_command(arguments: Sequence[str]) -> int:
    import typer

    if len(arguments) > 1 and arguments[0] in {"-v", "--verbose"} and arguments[1] in COMMANDS:
        arguments = [arguments[1], arguments[0], *arguments[2:]]  # as other programs take it, before the command
    first = given = arguments[0] if arguments else ""
    if first not in COMMANDS.keys() | _GENERAL:
        first, arguments = "view", ["view", *arguments]
    command = _command(tuple([first] if first in COMMANDS and _COMPLETION not in os.environ else COMMANDS))
    try:
        code = command(list(arguments), prog_name="waterview", standalone_mode=False)
    except typer.TyperException as error:
        return _report(error.format_message(), error.exit_code)
    except InputError as error:
        # A name that is no file may be a misspelt command.
        if given == first or not str(error).startswith(given) or "did you mean" in str(error):
            raise
        return _report(f"{error}{nearest(given, COMMANDS)}", error.exit_code)
    except typer.Abort:
        return 130
    return code if isinstance(code, int) else 0


def _report(message: str, code: int) -> int:
    words = " ".join(_shortened(word, _LONGEST_WORD) for word in message.split())
    print(f"waterview: {_shortened(words, _LONGEST_LINE)}", file=sys.stderr)
    return code


def _shortened(text: str, longest: int) -> str:
    """`text`, without its middle if it is longer than `longest`."""
    return text if len(text) <= longest else f"{text[: longest // 2]}…{text[-longest // 3 :]}"


def _print_trace(error: BaseException) -> None:
    import traceback

    traceback.print_exception(error)


def main() -> NoReturn:
    """The entry point of the program."""
    # File names may hold characters that the terminal cannot show, or bytes that are no text: print escapes for them.
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")
    try:
        with EndSignals():
            code = run(sys.argv[1:])
    except SystemExit as end:
        code = end.code if isinstance(end.code, int) else 1
    leave(code)
