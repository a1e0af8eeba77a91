"""The few kinds of error that a user may meet; each is one line: what, where, what was allowed, what to do."""

from __future__ import annotations


class WaterviewError(Exception):
    """Base of every error raised on purpose. `exit_code` is what the command line ends with."""

    exit_code = 1


class InputError(WaterviewError):
    """Something that the user gave cannot be used; nothing that ran before is lost."""

    exit_code = 2


class ParameterError(InputError):
    """A value lies outside what its declaration allows."""


class TerrainError(InputError):
    """A heightmap cannot be read or makes no sense."""


class DisplayError(InputError):
    """No window or no OpenGL 3.3 can be had on this machine."""


class SimulationError(WaterviewError):
    """The simulation loop ended with an error; `__cause__` is that error."""
