"""What a scene will cost, known before it is made."""

from __future__ import annotations

import contextlib
import math
import os
from dataclasses import dataclass
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


LARGE = 500e6
"""Grids of more memory [bytes] are asked about before they are made: a slip of a slider must not cost half a minute."""


@dataclass(frozen=True)
class GridCost:
    """What a grid would cost.

    Attributes:
        shape: (nz, nx) of the grid.
        memory: that its water takes [bytes].
        rate: steps a second that this machine may take; infinite where no step was measured yet.
        wanted: steps a second of simulated time.
    """

    shape: tuple[int, int]
    memory: int
    rate: float
    wanted: float

    @classmethod
    def of(cls, model: type[Water], now: tuple[int, int], grid: int, step_seconds: float, wanted: float) -> GridCost:
        """The cost of `grid` points along the longer side.

        Args:
            model: of the water.
            now: (nz, nx) of the present grid.
            grid: points along the longer side.
            step_seconds: what a step takes on the present grid [s]; 0 where that is not known.
            wanted: steps a second of simulated time.
        """
        share = (grid - 1) / max(max(now) - 1, 1)
        nz, nx = (max(round(share * (points - 1)) + 1, 2) for points in now)
        seconds = step_seconds * nz * nx / (now[0] * now[1])
        return cls((nz, nx), needed_memory(model, (nz, nx)), 1.0 / seconds if seconds > 0.0 else math.inf, wanted)

    @property
    def is_large(self) -> bool:
        """Whether the user has to be asked: it takes much memory, or the water would fall behind time by far."""
        return self.memory > LARGE or self.rate < 0.5 * self.wanted

    @property
    def words(self) -> str:
        """The cost for people."""
        nz, nx = self.shape
        rate = "" if math.isinf(self.rate) else f", about {round(self.rate)} steps/s of {self.wanted:.4g}"
        return f"{nx} × {nz} points, {in_words(self.memory)}{rate}"


def in_words(memory: float) -> str:
    """An amount of memory [bytes] for people."""
    return f"{memory / 1e9:.1f} GB" if memory >= 1e9 else f"{memory / 1e6:.0f} MB"
