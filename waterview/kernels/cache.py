"""Where compiled kernels are kept, mended in two places.

numba keeps a kernel's code until the kernel's own file changes. But a kernel is made of other files' functions and
constants as well: after a change there it would go on as it was. So its code is kept only until one of the files
changes that its own imports from beside it.

And numba numbers the codes of one kernel for different arguments. Two processes that compile it for different ones at
the same time may give both the same number, and then one runs the other's code. So a code is named by its arguments.
"""

from __future__ import annotations

import functools
import hashlib
import re
from pathlib import Path
from typing import Any

from numba.core.caching import IndexDataCacheFile

_IMPORT = re.compile(r"^\s*from \.(\w+) import", re.MULTILINE)


def sources(file: Path) -> set[Path]:
    """`file` and all that it imports from its own folder, and so on."""
    found, left = set[Path](), {file}
    while left:
        source = left.pop()
        found.add(source)
        names = _IMPORT.findall(source.read_text(encoding="utf-8"))
        left |= {path for name in names if (path := source.with_name(f"{name}.py")).exists()} - found
    return found


@functools.cache
def _stamp(file: Path) -> str:
    """Another text whenever one of the `sources` of `file` has changed."""
    states = ((source.name, (state := source.stat()).st_mtime_ns, state.st_size) for source in sorted(sources(file)))
    return repr(list(states))


class KernelFile(IndexDataCacheFile):  # type: ignore[misc]
    """The codes of one kernel on disk, for all the kinds of arguments that it was called with.

    Args:
        kept: numba's own object for the same, which this replaces.
        file: the kernel's source.
    """

    def __init__(self, kept: IndexDataCacheFile, file: Path) -> None:
        self.__dict__.update(vars(kept))
        self._source_stamp = _stamp(file)

    def save(self, key: Any, data: Any) -> None:
        """Keep `data` for the arguments in `key`."""
        codes = self._load_index()
        codes[key] = self._data_name_pattern.replace("{number:d}", hashlib.sha256(repr(key).encode()).hexdigest()[:16])
        self._save_index(codes)
        self._save_data(codes[key], data)


def mend_cache(kernel: Any) -> None:
    """Let the code of `kernel`, a numba dispatcher that is kept on disk, be kept as said above."""
    file = Path(kernel.py_func.__code__.co_filename)
    if file.exists():
        kernel._cache._cache_file = KernelFile(kernel._cache._cache_file, file)
