"""What every reader returns, whatever the format of the file: samples, gaps, and the size of a cell on the ground."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from waterview.core.errors import TerrainError
from waterview.core.georeference import Georeference
from waterview.core.params import nearest

from .georeference import DEGREES, FOOT, degrees_to_metres

DEFAULT_POINTS = 2048
"""Most samples that are kept on the longer side: twice what a fine water grid needs."""

MAX_SIDE = 65_536
"""Most samples on a side of a file. Reading is decimated, which bounds memory in any case; this bounds time."""

FREE_BYTES = 256 << 20
"""So many bytes of samples are unpacked from any file, however small it is."""

MAX_EXPANSION = 100
"""Beyond that, so many for each byte of the file. Heights are packed to a half or a tenth; forged files claim more."""

VERTICAL_UNITS = {
    "ft": 0.3048,
    "foot": 0.3048,
    "feet": 0.3048,
    "us survey foot": 1200 / 3937,
    "ftus": 1200 / 3937,
    "us-ft": 1200 / 3937,
    "km": 1000.0,
    "dm": 0.1,
    "cm": 0.01,
    "mm": 0.001,
}
"""Metres in a unit of heights, by its name in lower case; every other unit is taken as metres."""


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
        depth_positive_down: the file says that its values count depth downwards; they are given as in the file.
        notes: what was assumed about the file, a sentence each.
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
    depth_positive_down: bool = False
    notes: tuple[str, ...] = ()


def decimated_shape(shape: tuple[int, int], max_points: int) -> tuple[int, int]:
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


HEIGHT_NAMES = ("topo", "heights", "elevation", "z", "altitude", "bathymetry", "topography", "depth", "dem", "band1")
"""What heights are called among several variables, in lower case; the first one found is taken."""


def chosen(path: Path | str, kind: str, names: Iterable[str], wanted: str) -> str:
    """The one of the `names` of a file's variables or bands (`kind`) that is `wanted`; of a heightmap if that is "".

    Raises:
        TerrainError: there is none, or there are several and none is called as heights are.
    """
    known = list(names)
    if wanted:
        if wanted in known:
            return wanted
        raise refusal(path, f"has no {kind} '{wanted}'", f"it has {', '.join(known)}{nearest(wanted, known)}")
    by_lower = {name.lower(): name for name in reversed(known)}
    usual = [by_lower[name] for name in HEIGHT_NAMES if name in by_lower] or (known if len(known) == 1 else [])
    if not usual:
        what = f"has {len(known)} {kind}s and none is named as heights are"
        raise refusal(path, what, f"choose with --variable NAME among {', '.join(known)}")
    return usual[0]


def in_units(raster: Raster, units: str, guesses_degrees: bool) -> Raster:
    """`raster` with its coordinates in the `units` that `TerrainOptions.units` allows.

    A raster with a reference says its units itself. Without one, "auto" means metres, but with `guesses_degrees` it
    means degrees where cells are smaller than 0.1 and the coordinates fit on the globe; a note then says so.

    Raises:
        TerrainError: the units contradict the file, or the map lies off the globe.
    """
    place, (nz, nx), full = raster.place, raster.values.shape, raster.full_shape
    if units != "auto" and place is not None and place.crs:
        name = raster.crs or "longitude and latitude"
        raise refusal(raster.source, f"says itself in which units its coordinates are: {name}", "leave --units away")
    if units == "degrees" and place is None:
        raise refusal(raster.source, "has no coordinates that could be degrees", "give its size with --size-m")
    notes = raster.notes
    if units == "auto" and guesses_degrees and place is not None and not place.crs:
        ends = (place.west, place.west + place.x_step * (nx - 1)), (place.north, place.north - place.y_step * (nz - 1))
        fine = max(place.x_step * nx / full[1], place.y_step * nz / full[0]) < 0.1
        if fine and max(map(abs, ends[0])) <= 360.0 and max(map(abs, ends[1])) <= 90.0:
            units = "degrees"
            name = one_line(Path(raster.source).name)
            what = "names no reference, and its coordinates are taken as degrees (--units metres if they are not)"
            notes += (f"{name} {what}",)
    if units == "feet":
        return replace(raster, cell=(raster.cell[0] * FOOT, raster.cell[1] * FOOT))
    if units != "degrees" or place is None:
        return raster
    try:
        cell = degrees_to_metres((place.x_step, place.y_step), place.north - 0.5 * place.y_step * (nz - 1))
    except TerrainError as error:
        raise refusal(raster.source, str(error), "correct its coordinates, or choose other --units") from error
    return replace(raster, cell=cell, place=replace(place, crs=DEGREES), notes=notes)


def check_expansion(path: Path, unpacked: int, free: int = FREE_BYTES) -> None:
    """Refuse a file from which far more would be unpacked [bytes] than it holds: that would take long, for nothing.

    Raises:
        TerrainError: it is more than `free`, and more than `MAX_EXPANSION` times the size of the file.
    """
    stored = path.stat().st_size
    if unpacked > max(free, MAX_EXPANSION * stored):
        raise refusal(
            path,
            f"would unpack {stored:,} bytes to {unpacked >> 20:,} MiB",
            f"allowed are {free >> 20} MiB, or {MAX_EXPANSION} times the size of the file; make it smaller first, such "
            "as with gdal_translate -outsize",
        )


def refusal(path: Path | str, what: str, advice: str) -> TerrainError:
    """The error to raise about `path`: one line that says what is wrong, and what is allowed or can be done."""
    return TerrainError(f"{one_line(str(path))}: {one_line(what)}; {one_line(advice)}")


def one_line(text: str) -> str:
    """`text` with every unprintable character, such as a line break, written as an escape sequence."""
    return "".join(c if c.isprintable() else c.encode("unicode_escape").decode() for c in text)
