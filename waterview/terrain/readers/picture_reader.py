"""Aerial pictures, read by GDAL in a process of its own and warped to the coordinates of a map."""

from __future__ import annotations

import json
import warnings
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from waterview.core.apart import serve
from waterview.core.errors import TerrainError
from waterview.core.georeference import Georeference
from waterview.terrain.raster import check_expansion, decimated_shape, one_line, refusal

from .apart import answered, ask

if TYPE_CHECKING:
    from rasterio.io import DatasetReader

PROCESSOR_SECONDS = 20.0
"""Processor time that reading and warping a small picture may take [s]."""

MAX_BANDS = 64
"""Bands of a picture, of which three are shown; GDAL takes milliseconds to set up each."""

_COLOURS = ("red", "green", "blue")
_METRES = 'LOCAL_CS["unknown",UNIT["metre",1]]'


def read_picture(
    path: Path, driver: str, most: int, place: Georeference | None, shape: tuple[int, int]
) -> tuple[NDArray[np.uint8], tuple[str, ...]]:
    """Read a picture in a process of its own: what lies on a map, corner to corner, or the whole where nobody knows.

    Args:
        path: of the picture.
        driver: GDAL's name of its format.
        most: pixels that the longer side of the result may have; it has no more than suits the picture's.
        place: of the samples of the map; None for one without a reference.
        shape: (nz, nx) of the map's samples.

    Returns:
        sRGB colours and how opaque they are, shape (n, m, 4), northernmost row first; and what was assumed, a sentence
        each.

    Raises:
        TerrainError: the file is no picture, or does not overlap the map.
        ReadingError: it is damaged.
    """
    request = driver, most, None if place is None else asdict(place), shape
    head, _, pixels = ask(__name__, path, request, PROCESSOR_SECONDS).partition(b"\n")
    size, notes = json.loads(head)
    return np.frombuffer(pixels, np.uint8).reshape(*size, 4), tuple(notes)


def main() -> None:
    """Run in the process."""
    import rasterio.vrt  # noqa: F401  # what is imported is not counted

    serve(answer)


def answer(request: str) -> tuple[int, bytes]:
    """Read what `request` names: the arguments of `read_picture`, as JSON.

    Returns:
        0 and the shape and notes as a line of JSON with the pixels after it, or another number and why there is none.
    """
    name, driver, most, place, shape = json.loads(request)

    def packed() -> bytes:
        pixels, notes = _read(Path(name), driver, most, None if place is None else Georeference(**place), shape)
        return json.dumps([pixels.shape[:2], notes]).encode() + b"\n" + pixels.tobytes()

    return answered(packed)


def _read(
    path: Path, driver: str, most: int, place: Georeference | None, shape: Sequence[int]
) -> tuple[NDArray[np.uint8], list[str]]:
    import rasterio
    from rasterio.errors import NotGeoreferencedWarning

    from .gdal_reader import check_dataset, checked_name, environment
    from .vrt import checked_content

    content = checked_content(path) if driver == "VRT" else None
    name = content or checked_name(path)
    with warnings.catch_warnings(), environment(path, content):
        warnings.simplefilter("ignore", NotGeoreferencedWarning)
        with rasterio.open(name, driver=driver) as dataset:
            check_dataset(path, dataset)
            if dataset.driver != "VRT":
                check_expansion(path, dataset.width * dataset.height * dataset.count)
            if "OVERVIEW_FILE" not in dataset.tags(ns="OVERVIEWS"):
                return _laid(path, dataset, most, place, shape)
        # The file names another one, or an address on the network, for its overviews.
        with rasterio.open(name, driver=driver, OVERVIEW_LEVEL="NONE") as dataset:
            return _laid(path, dataset, most, place, shape)


def _laid(
    path: Path, dataset: DatasetReader, most: int, place: Georeference | None, shape: Sequence[int]
) -> tuple[NDArray[np.uint8], list[str]]:
    """The picture on the map, and what was assumed."""
    from rasterio import Affine
    from rasterio.enums import Resampling
    from rasterio.vrt import WarpedVRT

    bands, table = _bands(path, dataset)
    resampling = Resampling.nearest if table is not None else Resampling.bilinear
    name, notes = one_line(path.name), list[str]()
    lacks = place is None or dataset.transform.is_identity
    if lacks:
        whose = f"{name} does" if place is not None else "the terrain does"
        notes.append(f"{whose} not say where on Earth it lies: {name} is laid over the terrain corner to corner")
        full = dataset.height, dataset.width
        kept = decimated_shape(full, most)
        if kept != full and table is None:
            resampling = Resampling.average
        pixels = dataset.read(bands, out_shape=(len(bands), *kept), resampling=resampling)
        mask = dataset.dataset_mask(out_shape=kept)
    else:
        assert place is not None, "it does not lack"
        crs = dataset.crs or place.crs or _METRES
        if bool(dataset.crs) != bool(place.crs):
            silent = "the terrain" if dataset.crs else name
            notes.append(f"{silent} names no coordinate reference system: that of the other is taken for both")
        full = _size_on_map(path, dataset, crs, place, shape)
        kept = decimated_shape(full, most)
        # Corner to corner: from the first sample of the map to the last.
        width, length = place.x_step * (shape[1] - 1), place.y_step * (shape[0] - 1)
        to_map = Affine(width / kept[1], 0.0, place.west, 0.0, -length / kept[0], place.north)
        goal = {"crs": place.crs or crs, "transform": to_map, "width": kept[1], "height": kept[0]}
        has_alpha = _alpha(dataset) is not None
        with WarpedVRT(dataset, src_crs=crs, resampling=resampling, add_alpha=not has_alpha, **goal) as warped:
            pixels = warped.read(bands)
            mask = warped.read(_alpha(dataset) if has_alpha else warped.count)
        if not mask.any():
            raise refusal(path, "does not overlap the map", _extents(dataset, place, shape))
    if kept != tuple(full):
        notes.append(f"{name} is thinned from {full[1]:,} × {full[0]:,} to {kept[1]:,} × {kept[0]:,} pixels")
    colours = np.moveaxis(pixels, 0, -1) if table is None else table[pixels[0]]
    return np.concatenate([np.broadcast_to(colours, (*kept, 3)), mask[..., None]], axis=-1), notes


def _alpha(dataset: Any) -> int | None:
    """Number of the band that says how opaque the picture is."""
    names = [meaning.name for meaning in dataset.colorinterp]
    return names.index("alpha") + 1 if "alpha" in names else None


def _bands(path: Path, dataset: Any) -> tuple[list[int], NDArray[np.uint8] | None]:
    """Numbers of the bands with red, green and blue, or of the only one; and the palette, shape (256, 3), if any."""
    if dataset.count > MAX_BANDS:
        what = f"has {dataset.count:,} bands, allowed are {MAX_BANDS}"
        raise refusal(path, what, "choose those of its colours with gdal_translate -b")
    names = [meaning.name for meaning in dataset.colorinterp]
    if set(dataset.dtypes) != {"uint8"}:
        what = f"holds {dataset.dtypes[0]} numbers, no picture of 8 bits a colour"
        raise refusal(path, what, "convert it, such as with gdal_translate -ot Byte -scale")
    if names[0] == "palette":
        table = np.zeros((256, 3), np.uint8)
        for index, colour in dataset.colormap(1).items():
            table[index & 255] = colour[:3]
        return [1], table
    if all(colour in names for colour in _COLOURS):
        return [names.index(colour) + 1 for colour in _COLOURS], None
    coloured = [number for number, name in enumerate(names, 1) if name != "alpha"]
    if len(coloured) == 1 or len(coloured) >= 3:
        return coloured[:3], None
    raise refusal(path, f"has {len(coloured)} bands of colour", "needed are 1 or 3; choose some with gdal_translate -b")


def _size_on_map(path: Path, dataset: Any, crs: Any, place: Georeference, shape: Sequence[int]) -> tuple[int, int]:
    """How many of the picture's pixels lie along the map's sides, (nz, nx)."""
    from waterview.terrain.georeference import transformed

    columns, rows = (np.linspace(0.0, count - 1.0, 5) for count in (shape[1], shape[0]))
    x, y = place.coordinates(columns[None, :], rows[:, None])
    try:
        x, y = transformed(x, y, place.crs, str(crs)) if place.crs else (x, y)
    except TerrainError as error:
        what = f"lies in a coordinate system that does not fit the map ({error})"
        raise refusal(path, what, "bring it into that of the map, such as with gdalwarp -t_srs") from error
    x, y = np.where(np.isfinite(x), x, np.nan), np.where(np.isfinite(y), y, np.nan)
    back = ~dataset.transform
    u, v = back.a * x + back.b * y + back.c, back.d * x + back.e * y + back.f
    if np.isnan(u).all():
        raise refusal(path, "does not overlap the map", _extents(dataset, place, shape))
    along = [
        max(float(np.nansum(np.hypot(*(np.diff(each, axis=axis) for each in (u, v))), axis=axis).max()), 2.0)
        for axis in (0, 1)
    ]
    return min(round(along[0]), 1 << 20), min(round(along[1]), 1 << 20)


def _extents(dataset: Any, place: Georeference, shape: Sequence[int]) -> str:
    """Where the picture lies and where the map does, each in its own coordinates."""
    t, ends = dataset.transform, np.array([[0.0, 0.0], [1.0, 0.0], [0.0, 1.0], [1.0, 1.0]])
    u, v = (ends * (dataset.width, dataset.height)).T
    x, y = t.a * u + t.b * v + t.c, t.d * u + t.e * v + t.f
    (west, east), (north, south) = place.coordinates([0, shape[1] - 1], [0, shape[0] - 1])
    its = f"it reaches from {x.min():.6g} to {x.max():.6g} and from {y.min():.6g} to {y.max():.6g}"
    return f"{its}, the map from {west:.6g} to {east:.6g} and from {south:.6g} to {north:.6g}"
