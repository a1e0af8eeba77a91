"""Libraries that only a part of the program needs: where one is missing, that part says so in one line."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from .errors import InputError


class MissingError(InputError):
    """A library is not installed that only a part of the program needs."""


@contextmanager
def extra(name: str, purpose: str) -> Iterator[None]:
    """Import a library inside the `with` that comes with the extra `name` of pyproject.toml.

    Args:
        name: such as "film", for `pip install 'waterview[film]'`.
        purpose: what needs it, such as "a film"; it begins the message.

    Raises:
        MissingError: the library, or one that it needs, is not installed.
    """
    try:
        yield
    except ModuleNotFoundError as error:
        missing = (error.name or str(error)).partition(".")[0]
        if missing == "waterview":
            raise
        advice = f"pip install 'waterview[{name}]'"
        raise MissingError(f"{purpose} needs {missing}, which is not installed: {advice}") from error
