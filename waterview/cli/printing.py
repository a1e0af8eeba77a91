"""Standard output that may be full, or that nobody reads any more."""

from __future__ import annotations

import io
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from waterview.core.errors import InputError, WaterviewError


class ReaderGoneError(WaterviewError):
    """Who read standard output has closed it, as `head` does, and has what it wanted: there is nothing to tell."""


class _Output(io.FileIO):
    """A file that drops what it cannot write and all that comes after it, and remembers why."""

    failure: OSError | None = None

    def write(self, data: Any) -> int:
        if self.failure is None:
            try:
                return super().write(data)
            except OSError as error:
                self.failure = error
        return len(data)


@contextmanager
def printing() -> Iterator[None]:
    """Print to standard output within this; at its end all is written out, or it is known that it cannot be.

    Raises:
        InputError: it cannot be written to.
        ReaderGoneError: nobody reads it any more.
    """
    before = sys.stdout
    if not isinstance(before, io.TextIOWrapper) or before.isatty():
        yield
        return
    before.flush()
    output = _Output(before.fileno(), "w", closefd=False)
    at_once = before.line_buffering or before.write_through
    sys.stdout = io.TextIOWrapper(io.BufferedWriter(output), before.encoding, before.errors, None, at_once)
    try:
        yield
    finally:
        sys.stdout.close()
        sys.stdout = before
    if isinstance(output.failure, BrokenPipeError):
        raise ReaderGoneError from output.failure
    if output.failure is not None:
        raise InputError(f"standard output cannot be written to ({output.failure.strerror}): send it elsewhere")
