"""How glibc, which hands out the memory of numpy, of numba and of software OpenGL, treats what is freed.

Other C libraries are left as they are.
"""

from __future__ import annotations

import ctypes
import sys

import numpy as np

_LARGEST = 31 << 20
"""Just below the largest block that glibc adapts to [bytes]."""
# Numbers of glibc's mallopt (malloc.h), and what they are set to.
_MMAP_THRESHOLD, _LARGE = -3, 2 << 20
"""From which size on each array has memory of its own [bytes]."""
_ARENA_MAX, _ARENAS = -8, 2
"""How many places threads share for what is smaller."""


def keep_freed_memory() -> None:
    """Let up to 62 MB stay with the program once they are freed, for software that needs them again at once.

    Mesa's software renderer frees the triangles of every picture. By itself glibc returns them to the system if they
    happen to lie at the heap's end, and has their pages made anew for the next picture. It stops that once it has seen
    a large block freed, unless it was told otherwise (`give_back_freed_memory`).
    """
    np.empty(_LARGEST, np.uint8)


def give_back_freed_memory() -> None:
    """Let large arrays go back to the system once they are freed.

    By itself glibc keeps more and more of them for reuse, in a place of their own for every thread: after some visits
    to new ground 200 MB.
    """
    if not sys.platform.startswith("linux"):
        return
    try:
        mallopt = ctypes.CDLL(None).mallopt
    except (OSError, AttributeError):  # another library than glibc
        return
    mallopt(_MMAP_THRESHOLD, _LARGE)
    mallopt(_ARENA_MAX, _ARENAS)
