import contextlib
import math
import socket
import threading

import numpy as np
import pytest
import rasterio
from PIL import Image
from rasterio import Affine
from support.refusals import refused

from waterview.core.errors import TerrainError
from waterview.terrain.georeference import metres_per_degree
from waterview.terrain.heightmap import Heightmap
from waterview.terrain.options import TerrainOptions
from waterview.terrain.readers import read_raster

PLACE = {"corner": (5e5, 5e6), "crs": "EPSG:32631"}


@pytest.fixture
def pattern():
    """7 rows, 5 columns, no symmetry."""
    return (np.arange(35).reshape(7, 5) ** 2) % 251


# Pictures


@pytest.mark.parametrize(("dtype", "factor"), [(np.uint8, 1), (np.uint16, 257)])
def test_png_keeps_every_bit(tmp_path, pattern, dtype, factor):
    levels = (pattern * factor).astype(dtype)
    Image.fromarray(levels).save(tmp_path / "a.png")
    raster = read_raster(tmp_path / "a.png")
    assert np.array_equal(raster.values, levels) and raster.values.dtype == np.float32
    assert raster.relative and raster.valid.all()
    assert (raster.format, raster.cell, raster.full_shape, raster.crs) == ("PNG", (1.0, 1.0), (7, 5), "")


def test_all_65536_levels_stay_apart(tmp_path):
    levels = np.arange(65536, dtype=np.uint16).reshape(256, 256)
    Image.fromarray(levels).save(tmp_path / "a.png")
    assert np.unique(read_raster(tmp_path / "a.png").values).size == 65536


def test_bilevel_pictures_are_0_and_1(tmp_path):
    Image.fromarray(np.eye(6, dtype=bool)).save(tmp_path / "a.png")
    assert np.array_equal(read_raster(tmp_path / "a.png").values, np.eye(6))


@pytest.mark.parametrize("mode", ["RGB", "RGBA"])
def test_grey_stored_as_colour_is_grey(tmp_path, pattern, mode):
    Image.fromarray(pattern.astype(np.uint8)).convert(mode).save(tmp_path / "a.png")
    raster = read_raster(tmp_path / "a.png")
    assert raster.relative and np.array_equal(raster.values, pattern)


def test_transparent_samples_are_gaps(tmp_path, pattern):
    grey = Image.fromarray(pattern.astype(np.uint8))
    alpha = np.full(pattern.shape, 255, np.uint8)
    alpha[2, 3] = 0
    Image.merge("LA", (grey, Image.fromarray(alpha))).save(tmp_path / "a.png")
    raster = read_raster(tmp_path / "a.png")
    assert np.argwhere(~raster.valid).tolist() == [[2, 3]]
    assert np.array_equal(raster.values[raster.valid], pattern[raster.valid])


def test_a_grey_palette_is_looked_up(tmp_path, pattern):
    picture = Image.fromarray(pattern.astype(np.uint8), mode=None).convert("P")
    picture.putpalette([255 - level for level in range(256) for _ in range(3)])
    picture.save(tmp_path / "a.png")
    assert np.array_equal(read_raster(tmp_path / "a.png").values, 255 - pattern)


def test_colour_is_refused(tmp_path):
    red = Image.new("RGB", (4, 4), (200, 10, 10))
    red.save(tmp_path / "rgb.png")
    red.convert("P", palette=Image.Palette.ADAPTIVE).save(tmp_path / "p.png")
    assert "is a colour picture" in refused(tmp_path / "rgb.png")
    assert "is a colour picture with a palette" in refused(tmp_path / "p.png")


# TIFF


@pytest.mark.parametrize("dtype", ["uint8", "int16", "uint16", "int32", "uint32", "float32", "float64"])
@pytest.mark.parametrize("compress", [None, "deflate", "lzw"])
def test_tiff_round_trip(write_tiff, pattern, dtype, compress):
    heights = pattern.astype(dtype)
    raster = read_raster(write_tiff(heights, compress=compress))
    assert np.array_equal(raster.values, heights) and raster.valid.all()
    assert raster.relative == (dtype in {"uint8", "uint16"})  # the others are metres
    assert raster.format == "TIFF"


def test_geotiff_in_metres(write_tiff, pattern):
    path = write_tiff(pattern.astype("float32"), corner=(5e5, 5e6), cell=(10.0, 20.0), crs="EPSG:32631")
    raster = read_raster(path)
    assert raster.cell == (10.0, 20.0) and not raster.relative
    assert raster.format == "GeoTIFF" and raster.crs.startswith("WGS 84 / UTM zone 31N, EPSG:32631")
    assert np.array_equal(raster.values, pattern)


def test_geotiff_in_degrees(write_tiff, pattern):
    path = write_tiff(pattern.astype("int16"), corner=(8.0, 47.07), cell=(0.02, 0.02), crs="EPSG:4326")
    per_x, per_z = metres_per_degree(47.0)
    assert read_raster(path).cell == pytest.approx((0.02 * per_x, 0.02 * per_z), rel=1e-9)


def test_georeferenced_bytes_are_metres(write_tiff, pattern):
    assert not read_raster(write_tiff(pattern.astype("uint8"), corner=(0, 0), crs="EPSG:32631")).relative


@pytest.mark.parametrize(
    ("transform", "turned"),
    [
        (Affine(10.0, 0.0, 0.0, 0.0, 10.0, 0.0), np.s_[::-1]),  # south row first
        (Affine(-10.0, 0.0, 0.0, 0.0, -10.0, 0.0), np.s_[:, ::-1]),  # east column first
    ],
)
def test_north_comes_first_and_west_to_the_left(write_tiff, pattern, transform, turned):
    path = write_tiff(pattern.astype("int16"), transform=transform, crs="EPSG:32631")
    raster = read_raster(path)
    assert np.array_equal(raster.values, pattern[turned]) and raster.cell == (10.0, 10.0)


@pytest.mark.parametrize("crs", ["EPSG:32631", None])
@pytest.mark.parametrize("dtype", ["int16", "float32"])
def test_a_rotated_raster_is_turned_north_up_and_lies_where_it_did(write_tiff, dtype, crs):
    cosine, sine = math.cos(math.radians(30)), math.sin(math.radians(30))
    turned = Affine(10 * cosine, 20 * sine, 5e5, 10 * sine, -20 * cosine, 5e6)
    z, x = np.mgrid[0:150, 0:200]
    heights = (2 * x + 3 * z).astype(dtype)
    heights[75, 100] = -32768  # a void of 16-bit numbers
    path = write_tiff(heights, transform=turned, crs=crs, nodata=-32768 if dtype == "float32" else None)
    ground = Heightmap.load(path)
    assert 0.4 < ground.nodata_count / ground.heights.size < 0.6  # the corners
    columns, rows = np.array([60.0, 30.0, 110.0]), np.array([60.0, 110.0, 40.0])
    x_map = turned.a * (columns + 0.5) + turned.b * (rows + 0.5) + turned.c
    y_map = turned.d * (columns + 0.5) + turned.e * (rows + 0.5) + turned.f
    found = ground.height_at(*ground.to_world(x_map, y_map))
    assert found == pytest.approx(2 * columns + 3 * rows, abs=1.0)


def test_shear_and_a_quarter_turn_are_undone_too(write_tiff, pattern):
    heights = pattern.astype("float32")
    quarter = read_raster(write_tiff(heights, transform=Affine(0, 10, 5e5, 10, 0, 5e6), crs="EPSG:32631"))
    assert np.array_equal(quarter.values, heights.T[::-1]) and quarter.cell == (10.0, 10.0)
    sheared = read_raster(write_tiff(heights, "b.tif", transform=Affine(10, 4, 0, 0, -10, 0)))
    assert sheared.valid.any() and not sheared.valid.all()


def test_declared_nodata_nan_and_infinity_are_gaps(write_tiff, pattern):
    heights = pattern.astype("float32")
    heights[0, 0], heights[1, 1], heights[2, 2], heights[3, 3] = -9999, np.nan, np.inf, -3.4e38
    raster = read_raster(write_tiff(heights, nodata=-9999))
    assert np.argwhere(~raster.valid).tolist() == [[0, 0], [1, 1], [2, 2], [3, 3]]


def test_the_lowest_16_bit_number_is_a_void_even_if_undeclared(write_tiff, pattern):
    heights = pattern.astype("int16")
    heights[4, 1] = -32768
    assert np.argwhere(~read_raster(write_tiff(heights)).valid).tolist() == [[4, 1]]


def test_scale_offset_and_vertical_unit_are_applied(write_tiff, pattern):
    raster = read_raster(write_tiff(pattern.astype("int16"), scale=0.5, offset=-100.0, units="ft"))
    assert np.allclose(raster.values, (0.5 * pattern - 100.0) * 0.3048, atol=1e-4)


@pytest.mark.parametrize("dtype", ["complex64", "complex128"])
def test_complex_numbers_are_refused(write_tiff, pattern, dtype):
    assert "heights must be integers or floating-point numbers" in refused(write_tiff(pattern.astype(dtype)))


def test_several_bands_without_a_clear_choice_are_refused(write_tiff):
    assert "choose with --variable NAME among 1, 2" in refused(
        write_tiff(np.zeros((2, 4, 4), "float32"), photometric="MINISBLACK")
    )
    assert "has 5 bands" in refused(write_tiff(np.zeros((5, 4, 4), "float32"), photometric="MINISBLACK"))


def test_a_band_is_chosen_by_number_or_name_or_because_it_is_called_so(write_tiff, pattern):
    bands = np.stack([pattern, pattern + 1, pattern + 2]).astype("float32")
    path = write_tiff(bands, photometric="MINISBLACK", **PLACE)
    with rasterio.open(path, "r+") as file:
        file.descriptions = ("quality", "Elevation", "rain: sum")
    assert np.array_equal(read_raster(path).values, pattern + 1)
    for name, number in (("1", 0), ("quality", 0), ("3", 2), ("rain: sum", 2)):
        assert np.array_equal(read_raster(path, options=TerrainOptions(variable=name)).values, pattern + number)
    with pytest.raises(TerrainError, match="has no band '4'; it has quality, Elevation, rain: sum"):
        read_raster(path, options=TerrainOptions(variable="4"))


@pytest.mark.parametrize("shape", [(1, 9), (9, 1), (1, 1)])
def test_lines_are_refused(write_tiff, shape):
    assert "each side needs at least 2" in refused(write_tiff(np.zeros(shape, "float32")))


# Arc/Info grid


def test_asc_with_corner_centre_and_nodata(write_asc, pattern):
    raster = read_raster(write_asc(pattern, nodata_value=4))
    assert raster.format == "Arc/Info grid" and raster.cell == (5.0, 5.0) and not raster.relative
    assert np.array_equal(raster.valid, pattern != 4) and (~raster.valid).any()
    assert np.array_equal(raster.values[raster.valid], pattern[raster.valid])
    centred = write_asc(pattern + 0.25, "b.asc", xllcorner=None, yllcorner=None, xllcenter=0, yllcenter=0)
    assert np.array_equal(read_raster(centred).values, pattern + 0.25)


def test_asc_with_cells_that_are_not_square(write_asc, pattern):
    assert read_raster(write_asc(pattern, cellsize=None, dx=2, dy=3)).cell == (2.0, 3.0)


def test_asc_without_a_nodata_line_uses_the_default(write_asc, pattern):
    heights = np.where(pattern == 4, -9999, pattern)
    assert np.array_equal(read_raster(write_asc(heights)).valid, pattern != 4)


def test_asc_in_degrees_is_recognised(write_asc, pattern):
    path = write_asc(pattern, xllcorner=-124, yllcorner=48, cellsize=0.01)
    per_x, per_z = metres_per_degree(48.035)
    assert read_raster(path).cell == pytest.approx((0.01 * per_x, 0.01 * per_z), rel=1e-9)


def test_asc_with_a_projection_file(write_asc, pattern):
    path = write_asc(pattern)
    path.with_suffix(".prj").write_text(rasterio.crs.CRS.from_epsg(2225).to_wkt(version="WKT1_ESRI"))
    assert read_raster(path).cell == pytest.approx((5 * 1200 / 3937,) * 2)


def test_asc_with_too_few_or_foreign_words_is_damaged(write_asc, pattern):
    path = write_asc(pattern)
    text = path.read_text()
    path.write_text(text[: len(text) // 2])
    assert "is damaged or cut short" in refused(path)


def test_an_asc_header_that_claims_too_much_is_refused(write_asc, pattern):
    text = refused(write_asc(pattern, ncols=2_000_000, nrows=2_000_000))
    # GDAL 3.12 compares the header with the size of the file before we can.
    assert "at most 65,536 a side" in text or "Too large raster dimension 2000000" in text


def test_an_asc_with_more_columns_than_allowed_is_refused(write_asc):
    assert "at most 65,536 a side" in refused(write_asc(np.zeros((2, 65_537), int)))


# SRTM


def test_hgt_is_big_endian_with_voids_and_lies_where_its_name_says(tmp_path):
    heights = np.random.default_rng(7).integers(-50, 2000, (1201, 1201)).astype(">i2")
    heights[100, 200] = -32768
    path = tmp_path / "N48W124.hgt"
    path.write_bytes(heights.tobytes())
    raster = read_raster(path)
    per_x, per_z = metres_per_degree(48.5)
    assert raster.cell == pytest.approx((per_x / 1200, per_z / 1200), rel=1e-9)
    assert np.argwhere(~raster.valid).tolist() == [[100, 200]]
    assert np.array_equal(raster.values[raster.valid], heights.astype(np.float32)[raster.valid])


def test_hgt_of_another_name_or_size_says_what_is_needed(tmp_path):
    (tmp_path / "mine.hgt").write_bytes(bytes(1201 * 1201 * 2))
    (tmp_path / "N48W124.hgt").write_bytes(bytes(1000))
    for name in ("mine.hgt", "N48W124.hgt"):
        assert "named after its corner, such as N48W124.hgt" in refused(tmp_path / name)


# Decimation


def test_decimation_takes_means_and_keeps_the_ground(write_tiff):
    z, x = np.mgrid[0:40, 0:64].astype("float32")
    path = write_tiff(3 * x + z, corner=(5e5, 5e6), cell=(10.0, 20.0), crs="EPSG:32631")
    raster = read_raster(path, max_points=16)
    assert raster.values.shape == (10, 16) and raster.full_shape == (40, 64) and raster.cell == (40.0, 80.0)
    means = (3 * x + z).reshape(10, 4, 16, 4).mean(axis=(1, 3))
    assert np.allclose(raster.values, means, atol=1e-3)


def test_decimation_leaves_gaps_out_of_the_means(write_tiff):
    heights = np.full((8, 8), 5.0, "float32")
    heights[0, 0] = -9999
    heights[4:6, 4:6] = -9999
    raster = read_raster(write_tiff(heights, nodata=-9999), max_points=4)
    assert np.argwhere(~raster.valid).tolist() == [[2, 2]]
    assert (raster.values[raster.valid] == 5.0).all()


def test_undeclared_voids_are_not_mixed_into_means(write_tiff):
    heights = np.full((8, 8), 100, "int16")
    heights[3, 3] = -32768
    raster = read_raster(write_tiff(heights), max_points=4)
    assert set(raster.values[raster.valid].tolist()) == {100.0}


def test_a_long_narrow_map_keeps_two_lines(write_tiff):
    raster = read_raster(write_tiff(np.zeros((2, 400), "float32")), max_points=20)
    assert raster.values.shape == (2, 20) and raster.cell == (20.0, 1.0)


# What GDAL must not do


def test_reading_leaves_nothing_behind(tmp_path, write_tiff, pattern, capfd):
    path = write_tiff(pattern.astype("float32"))
    read_raster(path)
    assert [entry.name for entry in tmp_path.iterdir()] == [path.name]
    assert capfd.readouterr() == ("", "")


@pytest.mark.slow
def test_a_strip_that_fills_the_memory_is_refused_on_the_header(write_tiff):
    path = write_tiff(np.zeros((12_000, 12_000), "int16"), compress="deflate", blockysize=12_000, zlevel=1)
    assert "stored in strips of 12,000 × 12,000" in refused(path)


def test_a_name_that_is_no_text_is_reported_and_not_taken_for_damage(tmp_path, write_tiff):
    odd = write_tiff(np.zeros((3, 4), np.float32)).rename(tmp_path / "k\udcfcste.tif")
    with pytest.raises(TerrainError, match="not UTF-8, which GDAL needs; rename the file") as caught:
        read_raster(odd)
    assert str(caught.value).isprintable()


@pytest.mark.parametrize("ending", [".other.tif", ".ovr", ".msk"])
def test_no_other_file_than_the_named_one_is_opened(write_tiff, ending):
    """A heightmap from somebody else must not make the program read what that person chose."""
    heights = np.arange(256 * 256, dtype=np.float32).reshape(256, 256)
    path = write_tiff(heights, **PLACE)
    other = np.zeros((128, 128), np.float32) if ending != ".msk" else np.zeros((256, 256), np.uint8)
    other_path = write_tiff(other, name=f"a.tif{ending}", cell=(20.0, 20.0), **PLACE)
    with rasterio.open(other_path, "r+") as raster:
        raster.update_tags(INTERNAL_MASK_FLAGS_1=2)
    if ending == ".other.tif":
        with rasterio.open(path, "r+") as raster:
            raster.update_tags(ns="OVERVIEWS", OVERVIEW_FILE=other_path)
    raster = read_raster(path, 128)
    assert raster.values.shape == (128, 128) and raster.valid.all()
    assert raster.values.mean() == pytest.approx(heights.mean(), rel=0.01)


def test_no_heightmap_calls_an_address_on_the_network(write_tiff):
    calls = []
    with socket.create_server(("127.0.0.1", 0)) as server:

        def answer():
            with contextlib.suppress(OSError):
                while True:
                    server.accept()[0].close()
                    calls.append(1)

        thread = threading.Thread(target=answer, daemon=True)
        thread.start()
        path = write_tiff(np.zeros((256, 256), np.float32), **PLACE)
        with rasterio.open(path, "r+") as raster:
            address = f"/vsicurl/http://127.0.0.1:{server.getsockname()[1]}/a.tif"
            raster.update_tags(ns="OVERVIEWS", OVERVIEW_FILE=address)
        assert read_raster(path, 128).values.shape == (128, 128)
        server.shutdown(socket.SHUT_RDWR)
    thread.join()
    assert not calls
