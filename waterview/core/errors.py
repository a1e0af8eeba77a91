"""The errors that a user may meet. Each message is one line: what, where, what is allowed, what to do."""

from __future__ import annotations


class WaterviewError(Exception):
    """Base of every error raised on purpose. `exit_code` is what the command line ends with."""

    exit_code = 1


class InputError(WaterviewError):
    """A value or file from the user cannot be used; what ran before goes on."""

    exit_code = 2


class ParameterError(InputError):
    """A value lies outside what its declaration allows."""


class TerrainError(InputError):
    """A heightmap cannot be read or makes no sense."""


class DisplayError(InputError):
    """This machine offers no window or no OpenGL 3.3."""


class SimulationError(WaterviewError):
    """The simulation loop ended with an error; `__cause__` is that error."""
