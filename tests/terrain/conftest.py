"""Writers of small heightmap files."""

import struct
import warnings
import zlib
from pathlib import Path

import numpy as np
import pytest
import rasterio
from rasterio import Affine
from rasterio.errors import NotGeoreferencedWarning


@pytest.fixture
def write_tiff(tmp_path):
    """write_tiff(heights or bands, name="a.tif", **profile) → path; `corner` and `cell` make it georeferenced."""

    def write(heights, name="a.tif", corner=None, cell=(10.0, 10.0), scale=None, offset=None, units=None, **profile):
        bands = np.asarray(heights)
        bands = bands[None] if bands.ndim == 2 else bands
        if corner is not None:
            profile["transform"] = Affine(cell[0], 0.0, corner[0], 0.0, -cell[1], corner[1])
        path = tmp_path / name
        count, height, width = bands.shape
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", NotGeoreferencedWarning)
            shape = {"count": count, "height": height, "width": width}
            with rasterio.open(path, "w", driver="GTiff", dtype=bands.dtype, **shape, **profile) as dataset:
                dataset.write(bands)
                if scale is not None:
                    dataset.scales, dataset.offsets = (scale,), (offset,)
                if units is not None:
                    dataset.units = (units,)
        return path

    return write


@pytest.fixture
def write_asc(tmp_path):
    """write_asc(heights, name="a.asc", **header) → path."""

    def write(heights, name="a.asc", **header):
        nz, nx = np.shape(heights)
        given = {"ncols": nx, "nrows": nz, "xllcorner": 1000, "yllcorner": 2000, "cellsize": 5} | header
        lines = [f"{key} {value}" for key, value in given.items() if value is not None]
        lines += [" ".join(str(value) for value in row) for row in np.asarray(heights).tolist()]
        path = tmp_path / name
        path.write_text("\n".join(lines) + "\n")
        return path

    return write


def png_chunk(kind: bytes, data: bytes) -> bytes:
    return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))


def png_file(path: Path, width: int, height: int, depth: int, packed: bytes) -> Path:
    """A grey PNG with the given header, whatever its packed content is."""
    header = struct.pack(">IIBBBBB", width, height, depth, 0, 0, 0, 0)
    chunks = png_chunk(b"IHDR", header) + png_chunk(b"IDAT", packed) + png_chunk(b"IEND", b"")
    path.write_bytes(b"\x89PNG\r\n\x1a\n" + chunks)
    return path


@pytest.fixture
def forge_png(tmp_path):
    """forge_png(width, height, depth, packed) → path."""
    return lambda width, height, depth, packed: png_file(tmp_path / "forged.png", width, height, depth, packed)


@pytest.fixture
def huge_png(tmp_path):
    """huge_png(side) → path of a square 8-bit PNG whose columns rise by 7 modulo 256, written without unpacking it."""

    def write(side, rows_at_once=100):
        rows = (b"\0" + (np.arange(side) * 7).astype(np.uint8).tobytes()) * rows_at_once
        # After a full flush the packed bytes of equal rows are equal: one block, repeated, is the whole picture.
        packer = zlib.compressobj(1)
        first = packer.compress(rows) + packer.flush(zlib.Z_FULL_FLUSH)
        again = packer.compress(rows) + packer.flush(zlib.Z_FULL_FLUSH)
        checksum = 1
        for _ in range(side // rows_at_once):
            checksum = zlib.adler32(rows, checksum)
        end = packer.flush(zlib.Z_FINISH)[:-4] + struct.pack(">I", checksum)
        packed = first + again * (side // rows_at_once - 1) + end
        return png_file(tmp_path / "huge.png", side, side, 8, packed)

    return write
