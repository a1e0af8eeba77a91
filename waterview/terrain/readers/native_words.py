"""What libraries in native code print by themselves while a file is read: it does not reach the user."""

from __future__ import annotations

import contextlib
import os
import re
import sys
import tempfile
import threading
from collections.abc import Iterator
from contextlib import contextmanager

_ERRORS = 2
_WORDS = re.compile(
    rb"(?:_?tiff\w*|internal_proj_\w+|Error: Key|Warning: Key).*\n"
    rb"|(?:\w+: .*\n)?Exception ignored in: 'rasterio\.(?:.*\n)(?:Traceback .*\n(?:  .*\n)+\w+: .*\n)?",
    re.IGNORECASE,
)
"""Libtiff, libgeotiff and PROJ print some errors, rasterio those that are no text. GDAL tells of each once more."""

_redirected = threading.Lock()


@contextmanager
def without_native_words() -> Iterator[None]:
    """Keep what these libraries print on standard error from it; all else is printed, after the `with` block.

    The stream belongs to the whole process: one block at a time redirects it, others that run beside it do not.
    """
    if not _redirected.acquire(blocking=False):
        yield
        return
    try:
        with contextlib.ExitStack() as stack:
            try:
                kept = stack.enter_context(tempfile.TemporaryFile())
                before = os.dup(_ERRORS)
            except OSError:  # no room, or no such stream: a program without a console
                yield
                return
            try:
                os.dup2(kept.fileno(), _ERRORS)
                yield
            finally:
                if sys.stderr is not None:
                    sys.stderr.flush()
                os.dup2(before, _ERRORS)
                os.close(before)
                kept.seek(0)
                rest = _WORDS.sub(b"", kept.read())
                if rest:
                    os.write(_ERRORS, rest)
    finally:
        _redirected.release()
