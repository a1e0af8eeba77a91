"""The terminal: output that may be full or closed, and a progress bar."""

from __future__ import annotations

import io
import logging
import platform
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress

from waterview import __version__
from waterview.core.errors import InputError, WaterviewError
from waterview.output.atomic import KeepsError


class OutputClosedError(WaterviewError):
    """Whoever read standard output has closed it, as `head` does: no error to report."""


@contextmanager
def printing() -> Iterator[None]:
    """Standard output that is flushed at the end of the block, where a failed write becomes an error.

    Raises:
        InputError: it cannot be written to.
        OutputClosedError: the reader has closed it.
    """
    before = sys.stdout
    if not isinstance(before, io.TextIOWrapper) or before.isatty():
        yield
        return
    before.flush()
    output = KeepsError(before.fileno(), "w", closefd=False)
    at_once = before.line_buffering or before.write_through
    sys.stdout = io.TextIOWrapper(io.BufferedWriter(output), before.encoding, before.errors, None, at_once)
    try:
        yield
    finally:
        sys.stdout.close()
        sys.stdout = before
    if isinstance(output.failure, BrokenPipeError):
        raise OutputClosedError from output.failure
    if output.failure is not None:
        raise InputError(f"standard output cannot be written to ({output.failure.strerror}): send it elsewhere")


class _StderrHandler(logging.Handler):
    """Writes to what standard error is at that time: a progress bar puts itself there for a while."""

    def emit(self, record: logging.LogRecord) -> None:
        """Write a line, unless nobody can read it."""
        if sys.stderr is not None:  # a program without a console has none
            with suppress(OSError):
                print(self.format(record), file=sys.stderr)


def log_to_stderr() -> Callable[[], None]:
    """Write what the program logs to standard error; gives what ends that."""
    logger, handler = logging.getLogger("waterview"), _StderrHandler()
    handler.setFormatter(logging.Formatter("%(asctime)s %(levelname)s %(name)s: %(message)s"))
    before = logger.level
    logger.addHandler(handler)
    logger.setLevel(logging.DEBUG)
    logger.info("waterview %s, Python %s, %s", __version__, platform.python_version(), platform.platform())

    def end() -> None:
        logger.removeHandler(handler)
        logger.setLevel(before)

    return end


@contextmanager
def progress_bar(total: int, of: str = "frames") -> Iterator[Callable[[], None]]:
    """A progress bar on standard error, if that is a terminal; gives what counts one of `total` parts."""
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

    columns = TextColumn(of), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn()
    console = Console(stderr=True)
    with Progress(*columns, console=console, disable=not console.is_terminal) as bar:
        task = bar.add_task(of, total=total)
        yield lambda: bar.advance(task)
