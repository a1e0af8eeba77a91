import math
from dataclasses import replace

import numpy as np
import pytest
from rasterio import Affine
from rasterio.crs import CRS

from waterview.core.errors import TerrainError
from waterview.core.georeference import Georeference
from waterview.terrain.georeference import (
    DEGREES,
    along_axes,
    degrees_to_metres,
    describe_crs,
    ground_cell,
    longitude_latitude,
    metres_per_degree,
    transformed,
)
from waterview.terrain.heightmap import Heightmap
from waterview.terrain.raster import Raster, in_units


def ground(crs, cell, corner, shape=(100, 100)):
    transform = Affine(cell[0], 0.0, corner[0], 0.0, -cell[1], corner[1])
    return ground_cell(transform, CRS.from_user_input(crs) if crs else None, shape)


@pytest.mark.parametrize(
    "crs",
    [
        "",
        'LOCAL_CS["site",UNIT["metre",1]]',
        'GEOGCS["Mars",DATUM["Mars",SPHEROID["Mars",3396190,0]],PRIMEM["0",0],UNIT["degree",0.0174532925199433]]',
    ],
)
def test_what_does_not_lie_on_earth_has_no_longitude(crs):
    assert longitude_latitude(Georeference(crs, 0.0, 0.0, 1.0, 1.0), 3.0, 4.0) is None


# Published lengths of a degree on WGS 84 [m]: latitude, along the parallel, along the meridian.
@pytest.mark.parametrize(
    ("latitude", "along_x", "along_z"),
    [(0, 111_319.5, 110_574.3), (15, 107_550.0, 110_648.7), (45, 78_846.8, 111_131.7), (75, 28_902.0, 111_618.3)],
)
def test_degrees_have_the_published_lengths(latitude, along_x, along_z):
    assert metres_per_degree(latitude) == pytest.approx((along_x, along_z), abs=1.0)
    assert metres_per_degree(-latitude) == metres_per_degree(latitude)


def test_a_quarter_meridian_is_the_published_one():
    n = 9000
    quarter = sum(metres_per_degree((i + 0.5) * 90 / n)[1] for i in range(n)) * 90 / n
    assert quarter == pytest.approx(10_001_965.729, abs=0.01)  # NIMA TR8350.2, WGS 84


def test_degrees_are_measured_at_the_middle_latitude():
    assert ground("EPSG:4326", (0.01, 0.02), (8.0, 49.0)) == pytest.approx(
        (0.01 * metres_per_degree(48.0)[0], 0.02 * metres_per_degree(48.0)[1])
    )


def test_other_angular_units_are_understood():
    in_grads = ground("EPSG:4807", (0.01, 0.01), (5.0, 50.5))  # NTF (Paris): 50 grads are 45°
    assert in_grads == pytest.approx([0.009 * length for length in metres_per_degree(45.0)])


@pytest.mark.parametrize("latitude", [90.0, -90.0, 120.0, math.nan])
def test_the_poles_and_beyond_are_refused(latitude):
    with pytest.raises(TerrainError, match="latitude"):
        degrees_to_metres((0.1, 0.1), latitude)


def test_metres_are_metres():
    assert ground("EPSG:32631", (10.0, 20.0), (5e5, 5e6)) == (10.0, 20.0)
    assert ground(None, (10.0, 20.0), (0.0, 0.0)) == (10.0, 20.0)


def test_feet_are_feet():
    foot = 1200 / 3937
    assert ground("EPSG:2225", (10.0, 30.0), (6e6, 2e6)) == pytest.approx((10.0 * foot, 30.0 * foot))


@pytest.mark.parametrize("north_first", [True, False])
@pytest.mark.parametrize("west_first", [True, False])
def test_coordinates_in_any_order_put_north_and_west_first(north_first, west_first):
    x, y = np.array([3.0, 5.0, 7.0]), np.array([9.0, 8.0, 7.0, 6.0])
    cell, order, place = along_axes(x if west_first else x[::-1], y if north_first else y[::-1], "")
    assert cell == (2.0, 1.0)
    assert place == Georeference("", 3.0, 9.0, 2.0, 1.0)
    np.testing.assert_array_equal((y if north_first else y[::-1])[order[0]], y)
    np.testing.assert_array_equal((x if west_first else x[::-1])[order[1]], x)


def test_a_map_across_the_date_line_is_measured_as_one_beside_it():
    """The middle of a world map whose central meridian lies there."""
    beside = ground("+proj=merc +lon_0=170 +datum=WGS84", (1000.0, 1000.0), (-5e4, 6e6))
    assert ground("+proj=merc +lon_0=180 +datum=WGS84", (1000.0, 1000.0), (-5e4, 6e6)) == pytest.approx(beside)


@pytest.mark.parametrize("latitude", [-30.0, 15.0, 49.0, 80.0])
def test_web_mercator_is_measured_on_the_ground(latitude):
    north = 6_378_137.0 * math.asinh(math.tan(math.radians(latitude)))
    step = 1000.0
    found = ground("EPSG:3857", (step, step), (1e6 - 50 * step, north + 50 * step))
    # One metre of the map is 1/R radians of longitude, and cos φ/R of latitude.
    degrees = math.degrees(step / 6_378_137.0)
    per_x, per_z = metres_per_degree(latitude)
    assert found == pytest.approx((degrees * per_x, degrees * math.cos(math.radians(latitude)) * per_z), rel=1e-4)


def test_a_map_outside_its_projection_is_taken_at_its_word():
    assert ground("EPSG:32631", (10.0, 10.0), (1e9, 1e9)) == (10.0, 10.0)
    assert ground("EPSG:3857", (10.0, 10.0), (0.0, 1e12)) == (10.0, 10.0)


def test_a_local_system_is_taken_at_its_word():
    local = 'LOCAL_CS["wave tank",UNIT["metre",1]]'
    assert ground(local, (0.05, 0.05), (0.0, 0.0)) == (0.05, 0.05)


def raster_without_reference(cell, corner, shape=(100, 100)):
    nothing = np.zeros(shape, np.float32)
    place = Georeference("", corner[0] + 0.5 * cell, corner[1] - 0.5 * cell, cell, cell)
    return Raster("a.asc", "grid", nothing, nothing == 0, (cell, cell), shape, place=place)


def test_without_a_system_only_what_looks_like_degrees_is_guessed_and_said():
    looks = raster_without_reference(0.01, (-124.0, 49.0))
    guessed = in_units(looks, "auto", True)
    assert guessed.cell == pytest.approx(degrees_to_metres((0.01, 0.01), 48.5)) and guessed.place.crs == DEGREES
    assert "taken as degrees (--units metres if they are not)" in guessed.notes[0]
    for kept in (
        in_units(looks, "auto", False),
        in_units(looks, "metres", True),
        in_units(raster_without_reference(5.0, (0.0, 50.0), (10, 10)), "auto", True),
        in_units(raster_without_reference(0.01, (4000.0, 49.0)), "auto", True),
    ):
        assert kept.cell in {(0.01, 0.01), (5.0, 5.0)} and kept.place.crs == "" and not kept.notes


def test_the_unit_can_be_said():
    basin = raster_without_reference(0.014, (0.0, 3.4), (244, 393))
    assert in_units(basin, "feet", True).cell == pytest.approx((0.014 * 0.3048,) * 2)
    degrees = in_units(basin, "degrees", False)
    assert degrees.cell == pytest.approx(degrees_to_metres((0.014, 0.014), 3.4 - 0.014 * 122)) and not degrees.notes
    with pytest.raises(TerrainError, match=r"says itself in which units.*leave --units away"):
        in_units(degrees, "metres", False)
    with pytest.raises(TerrainError, match="no coordinates that could be degrees"):
        in_units(replace(basin, place=None), "degrees", False)
    with pytest.raises(TerrainError, match=r"latitude.*other --units"):
        in_units(raster_without_reference(5.0, (0.0, 900.0)), "degrees", False)


def test_descriptions_name_system_code_and_datum():
    assert describe_crs(None) == ""
    assert describe_crs(CRS.from_epsg(32631)) == "WGS 84 / UTM zone 31N, EPSG:32631, datum WGS_1984"


def test_a_map_whose_rows_lie_next_to_nothing_apart_is_refused(write_tiff, tmp_path):
    """Places are divided by their distance, to more than numbers reach."""
    tiff = write_tiff(np.zeros((5, 5), np.float32), corner=(5e5, 5e6), cell=(10.0, 1e-305))
    np.savez(tmp_path / "a.npz", heights=np.zeros((5, 5)), x=np.arange(5.0), y=1e-305 * np.arange(5.0))
    for path, why in ((tiff, "has cells of 10 × -1e-305"), (tmp_path / "a.npz", "'y' that are not evenly spaced")):
        with pytest.raises(TerrainError, match=why):
            Heightmap.load(path)


@pytest.mark.parametrize(("corner", "cell"), [((5e5, 1e300), (10, 20)), ((-1e31, 0), (10, 20)), ((0, 0), (1e29, 1e29))])
def test_a_map_that_lies_beyond_all_numbers_is_refused(write_tiff, corner, cell):
    path = write_tiff(np.zeros((21, 41), np.float32), corner=corner, cell=cell)
    with pytest.raises(TerrainError, match=r"has coordinates up to \S+; allowed are up to 1e\+30; correct its georef"):
        Heightmap.load(path)


class TestPlace:
    """Where a heightmap lies: from the file's coordinates to the world's and back."""

    def test_the_middle_of_the_world_is_the_middle_of_the_map(self, write_tiff):
        ground = Heightmap.load(write_tiff(np.zeros((21, 41), np.float32), corner=(5e5, 5e6), crs="EPSG:32631"))
        assert ground.to_coordinates(0.0, 0.0) == (5e5 + 205.0, 5e6 - 105.0)
        assert ground.to_world(5e5 + 5.0, 5e6 - 5.0) == (-200.0, -100.0)  # the north-western sample

    def test_a_decimated_map_lies_where_the_whole_one_does(self, write_tiff):
        path = write_tiff(np.zeros((200, 400), np.float32), corner=(5e5, 5e6), crs="EPSG:32631")
        whole, part = (Heightmap.load(path, max_points=most) for most in (400, 100))
        assert np.allclose(part.to_coordinates(0.0, 0.0), whole.to_coordinates(0.0, 0.0))
        assert part.to_coordinates(-1980.0, -980.0) == pytest.approx((5e5 + 20.0, 5e6 - 20.0))

    def test_longitude_and_latitude_find_the_map_of_any_system(self, write_tiff):
        ground = Heightmap.load(write_tiff(np.zeros((21, 41), np.float32), corner=(5e5, 5e6), crs="EPSG:32631"))
        lon, lat = transformed(5e5 + 205.0, 5e6 - 105.0, "EPSG:32631", "EPSG:4326")
        assert lon == pytest.approx(3.0026, abs=1e-3)
        assert np.allclose(ground.at_longitude(lon, lat), 0.0, atol=1e-4)

    def test_rows_that_run_north_lie_where_they_are(self, tmp_path):
        path = tmp_path / "a.npz"
        np.savez(path, z=np.zeros((3, 5)), lon=np.arange(5) * 0.1 + 10.0, lat=np.arange(3) * 0.1 + 40.0)
        ground = Heightmap.load(path)
        assert np.allclose(ground.at_longitude(10.2, 40.1), 0.0)
        x, z = ground.at_longitude(10.4, 40.2)
        assert (x, z) == pytest.approx((0.5 * ground.size[0], -0.5 * ground.size[1]))

    def test_a_map_that_says_nothing_has_its_middle_at_zero(self):
        ground = Heightmap.from_array(np.zeros((3, 5)), cell=2.0)
        assert ground.to_coordinates(1.0, 1.0) == (1.0, -1.0)
        with pytest.raises(TerrainError, match="does not say where on Earth"):
            ground.at_longitude(0.0, 0.0)
