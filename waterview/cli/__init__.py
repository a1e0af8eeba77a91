"""The command line: its options are made from the declared parameters, its errors are one line each."""

from .program import app, main, run

__all__ = ["app", "main", "run"]
