"""Where compiled kernels are kept on disk: numba's cache, with three faults corrected.

numba keeps a kernel's machine code until the kernel's own file changes. But a kernel is made of functions and constants
of other files as well, and would go on with the old ones after a change there. Here its code is kept until one of the
files changes that it imports, directly or through others, in any package of the program.

numba also numbers the codes of one kernel for different arguments. Two processes that compile it at the same time for
different arguments may give both codes the same number, and one of them then runs the other's code. Here a code is
named by its arguments.

And of processes that need the same code at the same time, such as workers that have just started, one compiles it and
the others wait for it.
"""

from __future__ import annotations

import ast
import functools
import hashlib
import logging
import os
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from numba.core.caching import IndexDataCacheFile
from numba.core.compiler_lock import global_compiler_lock

from waterview.core.lock import lock_file

_log = logging.getLogger(__name__)

_OWN_ROOT = Path(__file__).resolve().parents[2]
"""The folder that holds the package `waterview`: kernels anywhere may import from it."""

_PATIENCE = 120.0
"""How long to wait for another process [s]. It may have been stopped: then the kernel is compiled here, too."""


def sources(file: Path) -> set[Path]:
    """`file` and every source file that it imports, directly or through others.

    Followed are relative imports, absolute imports of the package that `file` belongs to, and those of `waterview`.
    Other packages are installed with a version of their own and are not followed.
    """
    found, left = set[Path](), {file.resolve()}
    while left:
        source = left.pop()
        found.add(source)
        left |= _imported(source) - found
    return found


@functools.cache
def _imported(file: Path) -> frozenset[Path]:
    """The source files that `file` imports at its top: a kernel is made of nothing that is imported later."""
    root = file.parent
    while (root / "__init__.py").is_file():
        root = root.parent
    found = set[Path]()
    for statement in ast.parse(file.read_bytes()).body:
        if isinstance(statement, ast.Import):
            for alias in statement.names:
                for folder in {root, _OWN_ROOT}:
                    found |= _files(folder, alias.name, ())
        elif isinstance(statement, ast.ImportFrom):
            names = tuple(alias.name for alias in statement.names)
            for folder in {root, _OWN_ROOT} if statement.level == 0 else {file.parents[statement.level - 1]}:
                found |= _files(folder, statement.module or "", names)
    return frozenset(found)


def _files(folder: Path, module: str, names: tuple[str, ...]) -> set[Path]:
    """The files of `module`, seen from `folder`; where it is a package, those of its modules called `names`, too."""
    path = folder.joinpath(*module.split("."))
    if not path.is_dir():
        return {file for file in [path.with_name(f"{path.name}.py")] if file.is_file()}
    inside = (
        path / "__init__.py",
        *(path / f"{name}.py" for name in names),
        *(path / name / "__init__.py" for name in names),
    )
    return {file for file in inside if file.is_file()}


@functools.cache
def _stamp(file: Path) -> str:
    """Another text whenever one of the `sources` of `file` has changed.

    What they say counts, not when they were written: another branch and back, or the same version installed again,
    keeps its kernels.
    """
    folder = file.resolve().parent  # names as seen from there: a copy of the program keeps its kernels
    states = [(os.path.relpath(source, folder), _digest(source)) for source in sorted(sources(file))]
    return hashlib.sha256(repr(states).encode()).hexdigest()


@functools.cache
def _digest(file: Path) -> str:
    return hashlib.sha256(file.read_bytes()).hexdigest()


class KernelFile(IndexDataCacheFile):  # type: ignore[misc]
    """The codes of one kernel on disk, for all the kinds of arguments that it was called with.

    Args:
        numba_file: numba's own object for the same, which this replaces.
        file: the kernel's source.
    """

    def __init__(self, numba_file: IndexDataCacheFile, file: Path) -> None:
        self.__dict__.update({name: value for name, value in vars(numba_file).items() if name != "_source_stamp"})
        self._file = file

    @property
    def _source_stamp(self) -> str:
        """What numba compares before it uses what is kept: only then the sources are looked at."""
        return _stamp(self._file)

    def _load_index(self) -> dict[Any, str]:
        try:
            codes: dict[Any, str] = super()._load_index()
        except (ImportError, AttributeError):  # kept by a version whose modules had other names
            return {}
        return codes

    def save(self, key: Any, data: Any) -> None:
        """Keep `data` for the arguments in `key`."""
        name = self._data_name_pattern.replace("{number:d}", _short(repr(key)))
        self._save_data(name, data)
        with _locked(Path(f"{self._index_path}.lock")):
            self._save_index(self._load_index() | {key: name})
        _log.info("compiled %s", name.partition("-")[0])


def mend_cache(kernel: Any) -> None:
    """Correct the cache of `kernel`, a numba dispatcher that is kept on disk, as this module's docstring says."""
    file = Path(kernel.py_func.__code__.co_filename)
    if file.exists():
        kernel._cache._cache_file = KernelFile(kernel._cache._cache_file, file)
        kernel.compile = _once(kernel, kernel.compile)


def _once(kernel: Any, compile_here: Callable[[Any], Any]) -> Callable[[Any], Any]:
    """The kernel's method `compile`, which waits where another process compiles the same."""

    def compile_or_wait(signature: Any) -> Any:
        if signature in kernel.overloads:
            return compile_here(signature)
        index = Path(kernel._cache._cache_file._index_path)
        with global_compiler_lock, _locked(index.with_suffix(f".{_short(repr(signature))}.lock")):
            return compile_here(signature)

    return compile_or_wait


@contextmanager
def _locked(path: Path) -> Iterator[None]:
    """Keep other processes out. Where locks cannot be had they are not kept out: then some work is done twice."""
    file, end = None, time.monotonic() + _PATIENCE
    try:
        while (file := lock_file(path)) is None and time.monotonic() < end:
            time.sleep(0.02)
    except OSError as error:
        _log.debug("no lock on %s: %s", path, error)
    try:
        yield
    finally:
        if file is not None:
            file.close()


def _short(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()[:16]
