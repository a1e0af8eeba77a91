"""The command line: its options are made from the declared parameters, its errors are one line each."""

from .program import main, make_app, run

__all__ = ["main", "make_app", "run"]
