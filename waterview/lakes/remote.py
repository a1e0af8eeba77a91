"""Stores that are not on this machine: what fsspec reaches by a URL, such as s3://bucket/lake.zarr."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from waterview.core.errors import InputError, ParameterError

_URL = re.compile(r"[A-Za-z][\w+.-]+(::[\w+.-]+)*://")


def is_url(text: object) -> bool:
    """Whether a text is a URL, chained ones such as "simplecache::s3://bucket/lake.zarr" too."""
    return isinstance(text, str) and _URL.match(text) is not None


@dataclass(frozen=True)
class RemotePath:
    """A place that fsspec reaches, with what readers of stores need of a `Path`.

    Attributes:
        url: such as "s3://bucket/lake.zarr".
    """

    url: str

    def __str__(self) -> str:
        return self.url

    def __truediv__(self, name: str) -> RemotePath:
        return RemotePath(f"{self.url.rstrip('/')}/{name}") if name else self

    @property
    def name(self) -> str:
        """What is after the last slash."""
        return self.url.rstrip("/").rpartition("/")[2]

    def read_text(self, encoding: str = "utf-8") -> str:
        """All of an object.

        Raises:
            FileNotFoundError: there is none.
            UnicodeDecodeError: it is no text.
            InputError: it cannot be reached, or what reaches it is not installed.
        """
        try:
            import fsspec
        except ImportError as error:
            raise InputError("fsspec is not installed: run pip install 'waterview[bake]'") from error
        try:
            with fsspec.open(self.url, "rb") as file:
                content: bytes = file.read()
        except FileNotFoundError:
            raise
        except Exception as error:  # each file system has errors of its own
            reason = str(error) or type(error).__name__
            raise InputError(f"{self.url} cannot be read: {reason.splitlines()[0]}") from error
        return content.decode(encoding)


StorePath = Path | RemotePath
"""Where a store is."""


def store_path(place: str | StorePath) -> StorePath:
    """A URL is a `RemotePath`, any other text a path on this machine."""
    if isinstance(place, str):
        return RemotePath(place) if is_url(place) else Path(place)
    return place


def local_store(out: str | Path) -> Path:
    """Where a store shall be written.

    Raises:
        ParameterError: that is a URL.
    """
    if is_url(out):
        raise ParameterError(f"--out {out}: a lake is written to a folder; choose one, and copy it there afterwards")
    return Path(out)


def zarr_place(path: StorePath) -> Any:
    """What zarr and xarray call a place."""
    return path.url if isinstance(path, RemotePath) else path


def read_errors(path: StorePath) -> tuple[type[Exception], ...]:
    """What zarr may raise where a store cannot be read; each remote file system has errors of its own."""
    return (Exception,) if isinstance(path, RemotePath) else (OSError, ValueError, RuntimeError)
