import numpy as np
import pytest
from PIL import Image
from rasterio.crs import CRS

from waterview.core.errors import TerrainError
from waterview.terrain.inspect import inspect_file
from waterview.terrain.options import TerrainOptions


@pytest.fixture
def valley(write_tiff):
    heights = np.arange(35, dtype=np.float32).reshape(7, 5) - 10
    heights[0, 0] = -9999
    return write_tiff(heights, corner=(5e5, 5e6), cell=(10.0, 20.0), crs="EPSG:32631", nodata=-9999)


def test_the_figures(valley):
    found = inspect_file(valley, TerrainOptions(vertical_scale=2.0, water_level=4.0))
    assert (found.samples, found.read) == ((5, 7), (5, 7))
    assert found.heightmap.size == (40.0, 120.0) and found.cell == (10.0, 20.0)
    assert found.heightmap.range == (-18.0, 48.0) and found.heightmap.nodata_count == 1
    assert found.heightmap.water_level == 8.0 and found.heightmap.land_share == pytest.approx(20 / 35)
    assert found.raster.crs == "WGS 84 / UTM zone 31N, EPSG:32631, datum WGS_1984"
    assert found.hints == ()


def test_every_line_can_be_printed_whatever_the_file_names(tmp_path, write_asc):
    path = write_asc(np.arange(12.0).reshape(3, 4))
    path.with_suffix(".prj").write_text(
        CRS.from_epsg(32631).to_wkt().replace("WGS 84 / UTM", "\x1b[31m" + "x" * 3000, 1)
    )
    lines = inspect_file(path).lines()
    assert all(line.isprintable() and len(line) < 400 for line in lines)
    assert any("reference   \\x1b[31mxxx" in line for line in lines)


def test_the_lines(valley):
    assert inspect_file(valley, TerrainOptions(water_level=4.0)).lines() == [
        f"file        {valley}",
        "format      GeoTIFF",
        "reference   WGS 84 / UTM zone 31N, EPSG:32631, datum WGS_1984",
        "samples     5 × 7",
        "size        40 × 120 m",
        "cell        10 × 20 m",
        "heights     -9 to 24 m",
        "nodata      1 of 35 samples (2.9 %), filled",
        "water level 4 m",
        "land        57.1 % of the samples lie above the water level",
    ]


def test_decimation_is_reported_and_the_cell_is_the_files_own(valley):
    found = inspect_file(valley, max_points=4)
    assert found.samples == (5, 7) and found.read == (3, 4)
    assert found.cell == pytest.approx((10.0, 20.0))
    assert "read        3 × 4, decimated" in found.lines()


def test_a_picture_is_reported_to_have_no_unit(tmp_path):
    Image.fromarray(np.arange(64, dtype=np.uint8).reshape(8, 8)).save(tmp_path / "a.png")
    lines = inspect_file(tmp_path / "a.png").lines()
    assert "format      PNG, a picture whose grey has no unit" in lines
    assert "reference   none" in lines and "nodata      none" in lines
    (told,) = [line for line in lines if line.startswith("heights ")]
    assert "-0.875 to 0.875 m, a guess: black to white is taken as 25 % of the shorter side; --vertical-scale" in told


@pytest.mark.parametrize(
    ("level", "hint"),
    [(30.0, "all of it is under water"), (24.0, "all of it"), (-20.0, "none of it is under water")],
)
def test_a_level_without_a_shore_is_hinted_at(valley, level, hint):
    found = inspect_file(valley, TerrainOptions(water_level=level, vertical_scale=3.0))
    assert found.hints[-1].startswith(hint)
    assert found.hints[-1].endswith("a --water-level between -9 and 24 would give a shore")
    assert found.heightmap.land_share == (0.0 if level > 0 else 1.0)


def test_flat_relief_is_hinted_at(valley):
    hints = inspect_file(valley, TerrainOptions(vertical_scale=0.01, water_level=1.0)).hints
    assert len(hints) == 1 and "--vertical-scale 40 times larger" in hints[0]


def test_errors_are_those_of_loading(tmp_path):
    with pytest.raises(TerrainError, match="there is no such file"):
        inspect_file(tmp_path / "no.tif")
