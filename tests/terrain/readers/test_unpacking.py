"""Files that claim far more than they hold: what is unpacked is bounded, and with it the time to read them."""

import struct
import zipfile

import numpy as np
import pytest
import rasterio
from rasterio.windows import Window

from waterview.core.errors import TerrainError
from waterview.terrain.raster import FREE_BYTES, MAX_EXPANSION, check_expansion
from waterview.terrain.readers import gdal_reader, read_raster

pytestmark = pytest.mark.filterwarnings("ignore::rasterio.errors.NotGeoreferencedWarning")


def test_small_files_may_unpack_to_much_and_large_ones_to_a_multiple(tmp_path):
    path = tmp_path / "a"
    path.write_bytes(bytes(10))
    check_expansion(path, FREE_BYTES)
    with pytest.raises(TerrainError, match="would unpack 10 bytes to 256 MiB; allowed are 256 MiB, or 100 times"):
        check_expansion(path, FREE_BYTES + 1)
    check_expansion(path, 10 * MAX_EXPANSION, free=0)


def test_a_picture_that_unpacks_to_gigabytes_is_refused(forge_png):
    with pytest.raises(TerrainError, match="would unpack"):
        read_raster(forge_png(30_000, 30_000, 16, bytes(1000)))


def test_an_archive_that_unpacks_to_gigabytes_is_refused(tmp_path):
    with zipfile.ZipFile(tmp_path / "a.npz", "w", zipfile.ZIP_DEFLATED) as archive, archive.open("z.npy", "w") as file:
        described = {"shape": (30_000, 30_000), "fortran_order": False, "descr": "<f4"}
        np.lib.format.write_array_header_1_0(file, described)
        file.write(bytes(1000))
    with pytest.raises(TerrainError, match="would unpack"):
        read_raster(tmp_path / "a.npz")


def test_a_strip_that_unpacks_to_hundreds_of_megabytes_is_refused(tmp_path):
    profile = {"driver": "GTiff", "width": 8192, "height": 8192, "count": 1, "dtype": "float32", "compress": "lzma"}
    with rasterio.open(tmp_path / "a.tif", "w", **profile, blockysize=8192, sparse_ok=True):
        pass
    with pytest.raises(TerrainError, match=r"would unpack .* to 256 MiB; allowed are 64 MiB"):
        read_raster(tmp_path / "a.tif")


def test_more_tiles_than_a_file_has_room_for_are_refused_and_not_looked_for(tmp_path):
    """The header of a small picture claims 12.8 million tiles, which took ten seconds to look for."""
    profile = {"driver": "GTiff", "width": 50_000, "height": 16, "count": 1, "dtype": "float32", "sparse_ok": True}
    with rasterio.open(tmp_path / "a.tif", "w", **profile, tiled=True, blockxsize=16, blockysize=16):
        pass
    content = bytearray((tmp_path / "a.tif").read_bytes())
    length = content.index(struct.pack("<HHI", 257, 3, 1)) + 8  # the entry of ImageLength, a SHORT
    content[length : length + 2] = struct.pack("<H", 65_535)
    (tmp_path / "a.tif").write_bytes(content)
    with pytest.raises(TerrainError, match=r"claims 12,800,000 tiles of 16 × 16 samples in \S+ bytes; it is damaged"):
        read_raster(tmp_path / "a.tif")


@pytest.fixture(params=["zeros", "nodata", "mask of its own"])
def sparse(tmp_path, request):
    """A GeoTIFF of 530 × 400 samples of which only a few tiles are stored."""
    profile = {"driver": "GTiff", "width": 530, "height": 400, "count": 1, "dtype": "float32", "sparse_ok": True}
    profile |= {"tiled": True, "blockxsize": 16, "blockysize": 16, "compress": "deflate"}
    profile |= {"nodata": -7.0} if request.param == "nodata" else {}
    path, rng = tmp_path / "sparse.tif", np.random.default_rng(3)
    with rasterio.Env(GDAL_TIFF_INTERNAL_MASK=True), rasterio.open(path, "w", **profile) as dataset:
        for left, top in ((0, 0), (250, 130), (500, 380)):
            window = Window(left, top, 30, 20)
            dataset.write(rng.uniform(1.0, 9.0, (20, 30)).astype("f4"), 1, window=window)
            if request.param == "mask of its own":
                dataset.write_mask(np.full((20, 30), 255, "u1"), window=window)
    return path


@pytest.mark.parametrize("points", [530, 200, 77, 3])
@pytest.mark.slow
def test_tiles_that_a_sparse_file_leaves_out_change_nothing(sparse, points, monkeypatch):
    whole = read_raster(sparse, points)
    monkeypatch.setattr(gdal_reader, "FREE_BYTES", 0)  # so that it is read in pieces
    pieces = read_raster(sparse, points)
    assert np.array_equal(pieces.valid, whole.valid)
    assert pieces.values[pieces.valid] == pytest.approx(whole.values[whole.valid], rel=1e-5)
    assert whole.values[whole.valid].max() > 0.0


@pytest.mark.slow
def test_a_sparse_file_of_gigabytes_is_read_tile_by_tile(tmp_path, monkeypatch):
    profile = {"driver": "GTiff", "width": 65_536, "height": 65_536, "count": 1, "dtype": "uint8", "sparse_ok": True}
    profile |= {"tiled": True, "blockxsize": 1024, "blockysize": 1024}
    with rasterio.open(tmp_path / "a.tif", "w", **profile) as dataset:
        dataset.write(np.full((1024, 1024), 5, "u1"), 1, window=Window(2048, 4096, 1024, 1024))
    read = []

    def counted(*window):
        read.append(window)
        return Window(*window)

    monkeypatch.setattr(gdal_reader, "Window", counted)
    values = read_raster(tmp_path / "a.tif").values
    assert len(read) == 1, "one piece of 1024 holds the tile"
    assert (values[128:160, 64:96] == 5.0).all() and values.sum() == 5.0 * 32 * 32


def test_a_colour_picture_is_still_refused_and_grey_in_three_channels_read(tmp_path):
    grey = np.random.default_rng(1).integers(0, 255, (1, 40, 50)).astype("u1")
    for name, bands in (("grey.tif", np.repeat(grey, 3, axis=0)), ("red.tif", np.concatenate([grey, grey, 0 * grey]))):
        profile = {"driver": "GTiff", "width": 50, "height": 40, "count": 3, "dtype": "uint8", "photometric": "rgb"}
        with rasterio.open(tmp_path / name, "w", **profile) as dataset:
            dataset.write(bands)
    assert np.array_equal(read_raster(tmp_path / "grey.tif").values, grey[0])
    with pytest.raises(TerrainError, match="is a colour picture"):
        read_raster(tmp_path / "red.tif")


def test_a_map_farther_away_than_earth_is_wide_keeps_its_cells(tmp_path):
    transform = rasterio.Affine(1e15, 0, 0, 0, -1e15, 0)
    profile = {"driver": "GTiff", "width": 8, "height": 8, "count": 1, "dtype": "float32", "crs": "EPSG:3857"}
    with rasterio.open(tmp_path / "a.tif", "w", **profile, transform=transform) as dataset:
        dataset.write(np.ones((1, 8, 8), "f4"))
    assert read_raster(tmp_path / "a.tif").cell == (1e15, 1e15)
