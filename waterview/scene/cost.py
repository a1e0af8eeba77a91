"""What a scene will cost, known before it is made."""

from __future__ import annotations

import contextlib
import os
from pathlib import Path

from waterview.core.errors import ParameterError
from waterview.waters.common.water import Water

_MEMORY = Path("/proc/meminfo")
_LIMIT, _USED = Path("/sys/fs/cgroup/memory.max"), Path("/sys/fs/cgroup/memory.current")


def needed_memory(model: type[Water], shape: tuple[int, int]) -> int:
    """About how much memory a water of `model` with `shape` (nz, nx) takes while it is made and stepped [bytes]."""
    return model.memory_per_point * shape[0] * shape[1]


def free_memory() -> float:
    """How much memory this process may still have [bytes]; infinite where the system does not say."""
    found = [float("inf")]
    try:
        entries = dict(line.split(":") for line in _MEMORY.read_text().splitlines())
        found.append(1024.0 * float(entries["MemAvailable"].split()[0]))
    except (OSError, KeyError, ValueError):
        names = getattr(os, "sysconf_names", {})
        if "SC_AVPHYS_PAGES" in names:
            found.append(float(os.sysconf("SC_AVPHYS_PAGES")) * os.sysconf("SC_PAGE_SIZE"))
    with contextlib.suppress(OSError, ValueError):  # no container, or one without a limit, which says "max"
        found.append(float(_LIMIT.read_text()) - float(_USED.read_text()))
    return min(found)


def check_memory(model: type[Water], shape: tuple[int, int], free: float | None = None) -> None:
    """Refuse a water for which there is not enough memory, before it is begun.

    Args:
        model: of the water.
        shape: (nz, nx) of its grid.
        free: bytes that it may have; those that are free now if None.

    Raises:
        ParameterError: it needs more.
    """
    needed, free = needed_memory(model, shape), free_memory() if free is None else free
    if needed > free:
        nz, nx = shape
        raise ParameterError(
            f"a grid of {nx} × {nz} points takes about {in_words(needed)} with the model {model.name}, and "
            f"{in_words(free)} are free: choose a smaller --grid"
        )


def in_words(memory: float) -> str:
    """An amount of memory [bytes] for people."""
    return f"{memory / 1e9:.1f} GB" if memory >= 1e9 else f"{memory / 1e6:.0f} MB"
