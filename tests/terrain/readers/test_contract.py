"""What every reader owes its callers, run over the whole table."""

import gzip

import numpy as np
import pytest
import rasterio
import rasterio.shutil
from PIL import Image
from rasterio import Affine

from waterview.core.errors import TerrainError
from waterview.terrain import readers
from waterview.terrain.raster import Raster
from waterview.terrain.readers import ENDINGS, READERS, GdalFormat, Reader, read_raster, recognise

SIDE = 1201  # the smallest SRTM tile
SLOPE = (np.arange(SIDE)[:, None] // 10 + np.arange(SIDE)[None, :] // 40).astype(np.int16)
"""Heights that rise southwards and eastwards and fit into every format, 8 bits of grey included."""


def save_netcdf(path, slope, write_tiff, write_asc):
    import netCDF4

    latitude, longitude = 50.0 - 0.01 * np.arange(len(slope)), 8.0 + 0.01 * np.arange(slope.shape[1])
    with netCDF4.Dataset(path, "w") as file:
        for name, values, unit in (("lat", latitude, "degrees_north"), ("lon", longitude, "degrees_east")):
            file.createDimension(name, len(values))
            axis = file.createVariable(name, "f8", (name,))
            axis[:], axis.units = values, unit
        file.createVariable("elevation", "i2", ("lat", "lon"))[:] = slope


def save_imagine(path, slope, write_tiff, write_asc):
    shape = {"height": slope.shape[0], "width": slope.shape[1], "count": 1, "dtype": slope.dtype}
    place = {"crs": "EPSG:32631", "transform": Affine(10, 0, 5e5, 0, -10, 5e6)}
    with rasterio.open(path, "w", driver="HFA", **shape, **place) as file:
        file.write(slope, 1)


def save_virtual(path, slope, write_tiff, write_asc):
    source = write_tiff(slope, "tile.tif", corner=(5e5, 5e6), crs="EPSG:32631")
    rasterio.shutil.copy(source, path, driver="VRT")


def save_table(path, slope, write_tiff, write_asc):
    z, x = np.mgrid[: slope.shape[0], : slope.shape[1]]
    np.savetxt(path, np.stack((100.0 + 5.0 * x, 900.0 - 5.0 * z, slope), axis=-1).reshape(-1, 3), fmt="%g")


def save_gzip(path, slope, write_tiff, write_asc):
    path.write_bytes(gzip.compress(write_tiff(slope, "packed.tif").read_bytes()))


def save_picture(kind):
    return lambda path, slope, *_: Image.fromarray(slope.astype(np.uint8)).save(path, format=kind, lossless=True)


FILE_MAKERS = {
    "PNG": save_picture("PNG"),
    "GTiff": lambda path, slope, write_tiff, _: write_tiff(slope, path.name, corner=(5e5, 5e6), crs="EPSG:32631"),
    "AAIGrid": lambda path, slope, _, write_asc: write_asc(slope, path.name),
    "netCDF": save_netcdf,
    "SRTMHGT": lambda path, slope, *_: path.write_bytes(slope.astype(">i2").tobytes()),
    "HFA": save_imagine,
    "JP2OpenJPEG": save_picture("JPEG2000"),
    "WEBP": save_picture("WEBP"),
    "VRT": save_virtual,
    "XYZ": save_table,
    "npy": lambda path, slope, *_: np.save(path, slope),
    "zip": lambda path, slope, *_: np.savez(path, heights=slope),
    "gzip": save_gzip,
}
"""How a file of each format is made, by the reader's `format`; a new reader needs one, too."""


ALL = [reader for reader in READERS if reader.endings[0] in ENDINGS]


def format_of(reader):
    return reader.format


APART = ("netCDF", "HFA", "JP2OpenJPEG")
"""Formats that are read in a process of their own, which takes long to start: `make quick` reads one file of each."""


def all_but(*formats):
    """All readers but those of some formats, as parameters; those of `APART` are slow."""
    chosen = [reader for reader in ALL if reader.format not in formats]
    return [pytest.param(each, marks=[pytest.mark.slow] if each.format in APART else []) for each in chosen]


@pytest.fixture(params=ALL, ids=format_of)
def reader(request):
    return request.param


@pytest.fixture
def slope(reader):
    """The heights in the file; only an SRTM tile has to be that large."""
    return SLOPE if reader.format == "SRTMHGT" else SLOPE[:240, :200]


@pytest.fixture
def path(reader, slope, tmp_path, write_tiff, write_asc):
    """A file of the reader's format with heights `slope`."""
    path = tmp_path / f"N10E010{reader.endings[0]}"
    if reader.format not in FILE_MAKERS:
        pytest.fail(
            f"READERS has {reader.format!r}: add a function to FILE_MAKERS here that makes such a file of a slope"
        )
    FILE_MAKERS[reader.format](path, slope, write_tiff, write_asc)
    return path


def test_its_own_files_are_recognised(reader, path):
    assert recognise(path) is reader


def test_heights_come_north_first_with_a_cell_in_metres(path, slope):
    raster = read_raster(path)
    assert raster.source == str(path) and raster.format
    assert raster.values.dtype == np.float32 and raster.values.flags.c_contiguous
    assert raster.full_shape == raster.values.shape == raster.valid.shape == slope.shape
    assert raster.valid.all() and np.array_equal(raster.values, slope)
    assert all(length > 0.0 for length in raster.cell)


@pytest.mark.parametrize("reader", all_but(), ids=format_of, indirect=True)
def test_large_files_are_decimated_and_keep_their_extent(path, slope):
    raster, full = read_raster(path, 100), read_raster(path)
    assert max(raster.values.shape) <= 100 and raster.full_shape == slope.shape
    assert np.allclose(raster.values.mean(), slope.mean(), rtol=0.02)
    for axis in (0, 1):
        extent = raster.cell[1 - axis] * raster.values.shape[axis]
        assert extent == pytest.approx(full.cell[1 - axis] * slope.shape[axis], rel=0.02)


# A table says nowhere how long it is: half of it is a smaller map.
@pytest.mark.parametrize("reader", all_but("XYZ"), ids=format_of, indirect=True)
def test_half_a_file_is_refused_with_advice(path):
    path.write_bytes(path.read_bytes()[: path.stat().st_size // 2])
    with pytest.raises(TerrainError, match="; ") as caught:
        read_raster(path)
    assert str(caught.value).startswith(str(path)) and str(caught.value).isprintable()


def test_a_new_format_needs_one_entry_in_the_table(tmp_path, monkeypatch):
    def read(path, max_points, options):
        values = np.loadtxt(path, np.float32, skiprows=1)[:max_points, :max_points]
        return Raster(str(path), "text", values, np.ones(values.shape, bool), (1.0, 1.0), values.shape)

    (tmp_path / "a.dummy").write_text("heights\n1 2\n3 4\n")
    with pytest.raises(TerrainError, match="no heightmap of a known kind"):
        read_raster(tmp_path / "a.dummy")
    monkeypatch.setattr(readers, "READERS", (*READERS, Reader("dummy", (".dummy",), (b"heights",), read)))
    assert read_raster(tmp_path / "a.dummy").values.tolist() == [[1.0, 2.0], [3.0, 4.0]]


@pytest.mark.parametrize("guesses_degrees", [True, False])
def test_a_format_that_gdal_reads_needs_one_entry_with_its_facts(tmp_path, monkeypatch, guesses_degrees):
    """A grid of Surfer, in steps of a thousandth of a degree or of a metre."""
    path = tmp_path / "a.dummy"
    path.write_text("DSAA\n3 2\n10.0 10.002\n50.0 50.001\n1 6\n4 5 6\n1 2 3\n")
    kind = GdalFormat(driver="GSAG", title="Surfer grid", grey_levels=False, guesses_degrees=guesses_degrees, voids={})
    monkeypatch.setattr(readers, "READERS", (*READERS, Reader("dummy", (".dummy",), (b"DSAA",), kind.read)))
    raster = read_raster(path)
    assert raster.format == "Surfer grid" and not raster.relative
    assert raster.values.tolist() == [[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]]
    assert raster.cell == pytest.approx((71.7, 111.2) if guesses_degrees else (0.001, 0.001), rel=0.01)


def test_endings_and_signatures_belong_to_one_format():
    endings = [ending for reader in READERS for ending in reader.endings]
    assert len(set(endings)) == len(endings)
    for reader in READERS:
        others = [other for other in READERS if other is not reader]
        assert not any(other.recognises(signature) for other in others for signature in reader.signatures)
