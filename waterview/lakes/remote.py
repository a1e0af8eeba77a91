"""Stores that are not on this machine: what fsspec reaches by a URL, such as s3://bucket/lake.zarr."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager, suppress
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
    """A place that fsspec reaches, with what readers and writers of stores need of a `Path`.

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

    def with_name(self, name: str) -> RemotePath:
        """The place of that name beside this one."""
        return RemotePath(self.url.rstrip("/").rpartition("/")[0] + f"/{name}")

    def absolute(self) -> RemotePath:
        """This place, which is the same seen from everywhere."""
        return self

    @property
    def is_in_memory(self) -> bool:
        """Whether only this process can reach it."""
        return self.url.startswith("memory://")

    def exists(self) -> bool:
        """Whether there is an object, or any whose name begins with this one and a slash.

        Raises:
            InputError: it cannot be reached, or what reaches it is not installed.
        """
        with self._reaching() as (files, path):
            try:
                files.info(path)
            except FileNotFoundError:
                return False
            return True

    def read_text(self, encoding: str = "utf-8") -> str:
        """All of an object.

        Raises:
            FileNotFoundError: there is none.
            UnicodeDecodeError: it is no text.
            InputError: it cannot be reached, or what reaches it is not installed.
        """
        with self._reaching() as (files, path):
            content: bytes = files.cat_file(path)
        return content.decode(encoding)

    def write_text(self, text: str) -> None:
        """Let this text be the object: readers see all of it, or what was there before.

        Raises:
            InputError: it cannot be reached or written to.
        """
        with self._reaching("written") as (files, path):
            files.pipe_file(path, text.encode())

    @contextmanager
    def open(self, mode: str) -> Iterator[Any]:
        """The object as a file that is read ("rb") or made anew ("wb"); errors are those of the file system."""
        files, path = _file_system(self.url)
        with files.open(path, mode) as file:
            yield file

    def remove(self) -> None:
        """Remove the object and all whose names begin with this one and a slash, if there are any.

        Raises:
            InputError: it cannot be reached, or they cannot be removed.
        """
        with suppress(FileNotFoundError), self._reaching("removed") as (files, path):
            files.invalidate_cache()  # others have written there
            files.rm(path, recursive=True)

    @contextmanager
    def _reaching(self, done: str = "read") -> Iterator[tuple[Any, str]]:
        try:
            yield _file_system(self.url)
        except (FileNotFoundError, InputError):
            raise
        except Exception as error:  # each file system has errors of its own
            raise InputError(f"{self.url} cannot be {done}: {reason_of(error)}") from error


def _file_system(url: str) -> tuple[Any, str]:
    """What reaches a URL, and its path there."""
    try:
        import fsspec
    except ImportError as error:
        raise InputError("fsspec is not installed: run pip install 'waterview[bake]'") from error
    files, path = fsspec.url_to_fs(url, **_options(url))
    return files, path


def reason_of(error: Exception) -> str:
    """One line that says what went wrong."""
    text = str(getattr(error, "strerror", None) or error) or type(error).__name__
    return text.splitlines()[0]


StorePath = Path | RemotePath
"""Where a store is."""


def store_path(place: str | StorePath) -> StorePath:
    """A URL is a `RemotePath`, any other text a path on this machine."""
    if isinstance(place, str):
        return RemotePath(place) if is_url(place) else Path(place)
    return place


def output_store(out: str | StorePath) -> StorePath:
    """Where a store shall be written.

    Raises:
        ParameterError: that is a chained URL.
    """
    if is_url(out) and "::" in str(out):
        raise ParameterError(f"--out {out}: a lake is written to one place; leave away all before the last ::")
    return store_path(out)


def zarr_place(path: StorePath, *, read_only: bool = True) -> Any:
    """What zarr and xarray call a place. URLs always go by fsspec: what zarr makes of them depends on its version."""
    if isinstance(path, Path):
        return path
    from zarr.storage import FsspecStore

    return FsspecStore.from_url(path.url, storage_options=_options(path.url), read_only=read_only)


def _options(url: str) -> dict[str, Any]:
    """What fsspec is to be told of a place that is written to: make folders where a file system has some."""
    return {"auto_mkdir": True} if url.startswith(("file://", "local://")) else {}


def read_errors(path: StorePath) -> tuple[type[Exception], ...]:
    """What zarr may raise where a store cannot be read; each remote file system has errors of its own."""
    return (Exception,) if isinstance(path, RemotePath) else (OSError, ValueError, RuntimeError)


def write_errors(path: StorePath) -> tuple[type[Exception], ...]:
    """What may be raised where a store cannot be written; each remote file system has errors of its own."""
    return (Exception,) if isinstance(path, RemotePath) else (OSError,)


def remove(path: StorePath) -> None:
    """Remove a file or an object, if it is there; errors are those of the file system, or an InputError."""
    if isinstance(path, RemotePath):
        path.remove()
    else:
        path.unlink(missing_ok=True)


@contextmanager
def writing(path: StorePath) -> Iterator[None]:
    """Tell a user in one line what cannot be written.

    Raises:
        InputError: it cannot.
    """
    try:
        yield
    except InputError:
        raise
    except write_errors(path) as error:
        raise InputError(
            f"cannot write the lake {path}: {reason_of(error)}; make room and go on with --resume, or choose "
            "another place"
        ) from error
