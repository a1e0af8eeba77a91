"""How far a long piece of work is."""

from __future__ import annotations

from collections.abc import Callable


class ProgressBar:
    """A progress bar on the terminal; nothing where standard error is no terminal.

    Args:
        total: how much there is to do.
        of: what is counted, such as "frames".
    """

    def __init__(self, total: int, of: str = "frames") -> None:
        from rich.console import Console
        from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

        columns = TextColumn(of), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn()
        console = Console(stderr=True)
        self._bar = Progress(*columns, console=console, disable=not console.is_terminal)
        self._task = self._bar.add_task(of, total=total)

    def __enter__(self) -> Callable[[], None]:
        self._bar.start()
        return lambda: self._bar.advance(self._task)

    def __exit__(self, *_: object) -> None:
        self._bar.stop()
