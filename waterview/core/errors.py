"""The errors that a user may meet. Each message is one line: what, where, what is allowed, what to do."""

from __future__ import annotations

import re

_LONGEST_WORD, _LONGEST_MESSAGE = 400, 2000


class WaterviewError(Exception):
    """Base of every error raised on purpose. `exit_code` is what the command line ends with."""

    exit_code = 1


class InputError(WaterviewError):
    """A value or file from the user cannot be used; what ran before goes on.

    Args:
        message: what, where, what is allowed, what to do. Signs that cannot be printed are escaped, and of what is very
            long the middle is left out: files and names from elsewhere may hold anything.
    """

    exit_code = 2

    def __init__(self, message: str = "") -> None:
        words = re.sub(rf"\S{{{_LONGEST_WORD},}}", lambda word: _short(word[0], _LONGEST_WORD), message)
        text = "".join(sign if sign.isprintable() else sign.encode("unicode_escape").decode() for sign in words)
        super().__init__(_short(text, _LONGEST_MESSAGE))


class ParameterError(InputError):
    """A value lies outside what its declaration allows."""


class TerrainError(InputError):
    """A heightmap cannot be read or makes no sense."""


class DisplayError(InputError):
    """This machine offers no window or no OpenGL 3.3."""


class SimulationError(WaterviewError):
    """The simulation loop ended with an error; `__cause__` is that error."""


class CompilationCancelled(BaseException):  # no Exception: after one, numba tries another way to compile
    """The user does not want to wait for the compiler; what was compiled so far is kept."""


def _short(text: str, longest: int) -> str:
    return text if len(text) <= longest else f"{text[: longest // 2]}…{text[-longest // 4 :]}"
