"""What every reader returns, whatever the format of the file: samples, gaps, and the size of a cell on the ground."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from waterview.core.errors import TerrainError

from .georeference import Georeference

DEFAULT_POINTS = 2048
"""Most samples that are kept on the longer side: twice what a fine water grid needs."""

MAX_SIDE = 65_536
"""Most samples on a side of a file. Reading is decimated, which bounds memory in any case; this bounds time."""


@dataclass(frozen=True, eq=False)
class Raster:
    """Samples of a file, northernmost row first.

    Attributes:
        source: path or name.
        format: the file's format in words.
        values: shape (nz, nx) float32, metres unless `relative`; meaningless where not `valid`.
        valid: False where the file has no data, or a number that is not finite; shape (nz, nx) bool.
        cell: spacing (x, z) of `values` on the ground [m].
        full_shape: (nz, nx) of the file; larger than the shape of `values` if the file was decimated.
        relative: the values are grey levels without a unit.
        crs: name of the coordinate reference system; "" if the file names none.
        place: where `values` lie in the coordinates of the file; None if it has none.
    """

    source: str
    format: str
    values: NDArray[np.float32]
    valid: NDArray[np.bool_]
    cell: tuple[float, float]
    full_shape: tuple[int, int]
    relative: bool = False
    crs: str = ""
    place: Georeference | None = None


def decimated(shape: tuple[int, int], max_points: int) -> tuple[int, int]:
    """`shape` reduced in proportion until the longer side has at most `max_points`; no side has fewer than 2."""
    factor = max(max(shape) / max(max_points, 2), 1.0)
    return max(round(shape[0] / factor), 2), max(round(shape[1] / factor), 2)


def check_shape(path: Path | str, nx: int, nz: int) -> None:
    """Refuse a line of samples, and a size that only a forged or mistaken header can claim.

    Raises:
        TerrainError: a side has fewer than 2 or more than `MAX_SIDE` samples.
    """
    if min(nx, nz) < 2:
        raise refusal(path, f"has {nx} × {nz} samples", "each side needs at least 2; choose an area, not a line")
    if max(nx, nz) > MAX_SIDE:
        raise refusal(
            path, f"claims {nx:,} × {nz:,} samples", f"at most {MAX_SIDE:,} a side are allowed; cut it into tiles"
        )


def refusal(path: Path | str, what: str, advice: str) -> TerrainError:
    """The error to raise about `path`: one line that says what is wrong, and what is allowed or can be done."""
    return TerrainError(f"{one_line(str(path))}: {one_line(what)}; {one_line(advice)}")


def one_line(text: str) -> str:
    """`text` with every unprintable character, such as a line break, written as an escape sequence."""
    return "".join(c if c.isprintable() else c.encode("unicode_escape").decode() for c in text)
