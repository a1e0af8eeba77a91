"""GDAL's virtual rasters: mosaics of files beside them, and of nothing else."""

from __future__ import annotations

import re
import xml.etree.ElementTree as ET
from pathlib import Path

from waterview.terrain.options import TerrainOptions
from waterview.terrain.raster import Raster, refusal

_MOST_BYTES = 64 << 20

_RASTER = {"SRS", "GeoTransform", "Metadata", "VRTRasterBand"}
_BAND = {"Description", "UnitType", "Offset", "Scale", "NoDataValue", "ColorInterp", "Metadata"}
_BAND |= {"SimpleSource", "ComplexSource"}
_SOURCE = {
    "SourceFilename",
    "SourceBand",
    "SrcRect",
    "DstRect",
    "NODATA",
    "ScaleOffset",
    "ScaleRatio",
    "SourceProperties",
}
_PARTS = {"VRTDataset": _RASTER, "VRTRasterBand": _BAND, "SimpleSource": _SOURCE, "ComplexSource": _SOURCE}
_PARTS["Metadata"] = {"MDI"}
_IGNORED = {"HideNoDataValue", "Histograms", "OverviewList", "CategoryNames", "BlockXSize", "BlockYSize"}
"""Parts that change no height. Every other part that is not listed could name further files, or compute."""

_SOURCES = {"GTiff", "PNG", "JP2OpenJPEG"}
"""Formats of sources. GDAL chooses their driver by itself, and these begin with bytes that no other driver takes: a
text, such as an Arc/Info grid, could also be understood as a virtual raster."""


def read_vrt(path: Path, max_points: int, options: TerrainOptions) -> Raster:
    """Read a virtual raster whose sources are files in its folder or below it, of another format that can be read.

    GDAL is given a description that is written anew from what was understood, so it opens nothing that was not checked.

    Raises:
        TerrainError: it is no virtual raster, or needs anything else: an address, another folder, a nested virtual
            raster, masks, warping or computed bands.
    """
    from . import GdalFormat
    from .gdal_reader import read_gdal

    kind = GdalFormat(driver="VRT", title="virtual raster", grey_levels=False, guesses_degrees=False, voids={})
    return read_gdal(path, kind, max_points, options, checked_content(path))


def checked_content(path: Path) -> str:
    """The description of a virtual raster, written anew from what was understood of it.

    Raises:
        TerrainError: as `read_vrt`.
    """
    text = path.read_bytes()
    if len(text) > _MOST_BYTES or b"<!DOCTYPE" in text or b"<!ENTITY" in text:
        raise refusal(path, "is no plain virtual raster", "write it with gdalbuildvrt")
    root = ET.fromstring(text)  # noqa: S314  # entities, its danger, were refused
    if root.tag != "VRTDataset":
        raise refusal(path, f"holds {root.tag}, no virtual raster", "allowed is what gdalbuildvrt writes")
    return ET.tostring(_checked(path, root), encoding="unicode")


def _checked(path: Path, node: ET.Element) -> ET.Element:
    """A copy of a part with the parts that are known, and with its sources under their full names."""
    if node.get("subClass"):
        raise refusal(
            path, f"is computed ({node.get('subClass')})", "save it as a GeoTIFF, such as with gdal_translate"
        )
    copy = ET.Element(node.tag, {name: value for name, value in node.attrib.items() if name != "relativeToVRT"})
    copy.text = node.text
    if node.tag == "SourceFilename":
        copy.text = str(_source(path, node))
    if node.tag.endswith("Source"):  # its own overviews could be named in it, and lie anywhere
        ET.SubElement(ET.SubElement(copy, "OpenOptions"), "OOI", {"key": "OVERVIEW_LEVEL"}).text = "NONE"
    for part in node:
        if part.tag in _PARTS.get(node.tag, ()):
            copy.append(_checked(path, part))
        elif part.tag not in _IGNORED:
            what = f"has a part {part.tag} in {node.tag}, which could read other files"
            raise refusal(path, what, "save it as a GeoTIFF, such as with gdal_translate")
    return copy


def _source(path: Path, node: ET.Element) -> Path:
    """The file that a source names, if it lies beside the virtual raster and has a format that GDAL is let read."""
    from . import check_file, recognise

    name, folder = (node.text or "").strip(), path.absolute().parent
    place = folder / name
    is_beside = folder.resolve() in place.resolve().parents and not re.match(r"[\w+.-]+:", name)
    if node.get("relativeToVRT") != "1" or not is_beside:
        what = f"names '{name}', which is no file beside it"
        raise refusal(path, what, "put its files into its folder and write it there with gdalbuildvrt")
    check_file(place)
    if recognise(place).format not in _SOURCES:
        allowed = f"allowed are {', '.join(sorted(_SOURCES))}; save it as a GeoTIFF, such as with gdal_translate"
        raise refusal(path, f"names '{name}' of another format", allowed)
    return place
