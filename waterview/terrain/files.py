"""Is this a file, and of which kind? Asked before anything is opened that might block, and before memory is taken."""

from __future__ import annotations

import os
import stat
from pathlib import Path
from typing import Literal

from waterview.core.errors import TerrainError

Format = Literal["PNG", "GTiff", "AAIGrid", "SRTMHGT", "npy", "npz"]
"""What a file holds; the first four are GDAL's names of its drivers."""

ALLOWED = ".png, .tif, .tiff, .asc, .hgt, .npy and .npz"
"""What may be loaded, in words."""

MAX_SIDE = 65_536
"""Most samples on a side. Reading is decimated, so memory is bounded in any case; this bounds time."""

_SUFFIXES = (".png", ".tif", ".tiff", ".asc", ".hgt", ".npy", ".npz")
_ASCII_GRID_KEYS = (b"ncols", b"nrows", b"xll", b"yll", b"dx", b"dy", b"cellsize", b"nodata_value")
_TIFF_MAGICS = (b"II*\0", b"MM\0*", b"II+\0", b"MM\0+")


def refusal(path: Path | str, what: str, advice: str) -> TerrainError:
    """The error to raise about `path`: one line that says what is wrong and what was allowed or can be done."""
    return TerrainError(f"{one_line(str(path))}: {one_line(what)}; {one_line(advice)}")


def one_line(text: str) -> str:
    """`text` with everything unprintable, line ends above all, written as escapes."""
    return "".join(c if c.isprintable() else c.encode("unicode_escape").decode() for c in text)


def check_file(path: Path) -> int:
    """Size of `path` in bytes, once it is known to be an ordinary, readable file with something in it.

    Raises:
        TerrainError: it is missing, unreadable, empty, a directory, or a pipe or device, which could block for ever.
    """
    try:
        status = os.stat(path)
    except PermissionError as error:
        raise refusal(path, "may not be read", "give yourself the right to read it and its folder") from error
    except (OSError, ValueError) as error:  # ValueError: a zero byte in the name
        raise refusal(path, "there is no such file", f"allowed are {ALLOWED} files; check the path") from error
    if stat.S_ISDIR(status.st_mode):
        raise refusal(path, "is a directory", f"name a file in it; allowed are {ALLOWED}")
    if not stat.S_ISREG(status.st_mode):
        raise refusal(path, "is a pipe, socket or device", "copy its content into an ordinary file first")
    if status.st_size == 0:
        raise refusal(path, "is empty", "write or download it again")
    return status.st_size


def sniff(path: Path) -> Format:
    """What the first bytes of the checked file `path` say it is; its name decides for .hgt, which has no signature.

    Raises:
        TerrainError: it cannot be read, or is nothing that can be loaded.
    """
    try:
        with path.open("rb") as stream:
            head = stream.read(32)
    except OSError as error:
        raise refusal(path, "may not be read", "give yourself the right to read it and its folder") from error
    found = _by_content(head)
    if found is None and path.suffix.lower() == ".hgt":
        return "SRTMHGT"
    if found is None and path.suffix.lower() in _SUFFIXES:
        raise refusal(
            path,
            f"does not begin as a {path.suffix.lower()} file does, so it is damaged or of another kind",
            f"allowed are {ALLOWED}; write or download it again",
        )
    if found is None:
        raise refusal(path, "is no heightmap of a known kind", f"allowed are {ALLOWED}; convert it to one of them")
    return found


def _by_content(head: bytes) -> Format | None:
    if head.startswith(b"\x89PNG\r\n\x1a\n"):
        return "PNG"
    if head[:4] in _TIFF_MAGICS:
        return "GTiff"
    if head.startswith(b"\x93NUMPY"):
        return "npy"
    if head.startswith(b"PK\x03\x04"):
        return "npz"
    return "AAIGrid" if head.lower().startswith(_ASCII_GRID_KEYS) else None


def check_shape(path: Path, nx: int, nz: int) -> None:
    """Refuse what is no area, and what is so large that only a forged or mistaken header can claim it.

    Raises:
        TerrainError: a side has fewer than 2 or more than `MAX_SIDE` samples.
    """
    if min(nx, nz) < 2:
        raise refusal(path, f"has {nx} × {nz} samples", "each side needs at least 2; choose an area, not a line")
    if max(nx, nz) > MAX_SIDE:
        raise refusal(
            path, f"claims {nx:,} × {nz:,} samples", f"at most {MAX_SIDE:,} a side are allowed; cut it into tiles"
        )
