"""Grey PNG pictures without GDAL, where it is not installed."""

from __future__ import annotations

import warnings
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from PIL import Image

from waterview.terrain.options import TerrainOptions
from waterview.terrain.raster import Raster, check_expansion, check_shape, decimated_shape, in_units

_GREY, _GREY_WITH_ALPHA = 0, 4
"""Types of colour in the header (PNG specification, 11.2.2)."""

_PLACES = (".pgw", ".wld", ".prj")
"""Endings of files beside a picture that say where it lies."""


def is_plain_grey(path: Path) -> bool:
    """Whether `read_png` understands a PNG: one of grey samples, without a file beside it that says where it lies."""
    with path.open("rb") as stream:
        depth, colour = stream.read(26)[24:26]
    is_read = colour == _GREY or (colour == _GREY_WITH_ALPHA and depth == 8)
    beside = [path.with_suffix(ending) for ending in _PLACES] + [path.with_name(path.name + ".aux.xml")]
    return is_read and not any(each.exists() for each in beside)


def read_png(path: Path, max_points: int, options: TerrainOptions) -> Raster:
    """Read the PNG file `path`, for which `is_plain_grey`, as `gdal_reader.read_gdal` does.

    Raises:
        TerrainError: it is too large.
        Exception: of any type, if it is damaged.
    """
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", Image.DecompressionBombWarning)  # `check_expansion` knows better
        with Image.open(path, formats=("PNG",)) as picture:
            check_shape(path, *picture.size)
            check_expansion(path, picture.width * picture.height * 2)
            samples = np.asarray(picture)
            values = (samples[..., 0] if samples.ndim == 3 else samples).astype(np.float32)
            valid = samples[..., 1] > 0 if samples.ndim == 3 else np.ones(values.shape, bool)
            clear = picture.info.get("transparency")
            if isinstance(clear, int):
                valid &= values != clear
    full = (values.shape[0], values.shape[1])
    shape = decimated_shape(full, max_points)
    if shape != full:
        share = _means(valid.astype(np.float32), shape)
        with np.errstate(invalid="ignore"):
            values = _means(np.where(valid, values, np.float32(0.0)), shape) / share
        valid = share > 0.0
    cell = (full[1] / shape[1], full[0] / shape[0])
    return in_units(Raster(str(path), "PNG", values, valid, cell, full, relative=True), options.units, False)


def _means(values: NDArray[np.float32], shape: tuple[int, int]) -> NDArray[np.float32]:
    """Means of `values` over the cells of a coarser grid of `shape` (nz, nx)."""
    return np.asarray(Image.fromarray(values).resize(shape[::-1], Image.Resampling.BOX))
