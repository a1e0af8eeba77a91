"""The command line: options made from declared parameters, errors in one line each."""

from .program import main, make_app, run

__all__ = ["main", "make_app", "run"]
