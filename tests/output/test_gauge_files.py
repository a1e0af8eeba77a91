"""What gauges have measured, on disk."""

import csv

import numpy as np
import pytest
import rasterio
from rasterio.transform import Affine
from support.peers import open_netcdf
from support.worlds import make_world

from waterview.core.commands import AddGauge, Drop
from waterview.core.errors import InputError
from waterview.core.gauges import QUANTITIES
from waterview.core.georeference import Georeference
from waterview.core.series import read_series
from waterview.output.gauge_files import GAUGE_WRITERS, save_gauges
from waterview.terrain.heightmap import Heightmap


def measured(name="shallow-water"):
    """Two gauges, the second from the fourth reading on."""
    world = make_world(name)
    world.apply(AddGauge("A", 1.0, 0.3))
    world.apply(Drop(0.0, 0.0, 0.3, 1.0))
    world.advance(3)
    world.apply(AddGauge("buoy 2", -1.0, 0.3))
    world.advance(20)
    return tuple(world.gauges)


def test_a_table_is_read_back_to_the_bit(tmp_path):
    first, second = measured()
    save_gauges((first, second), tmp_path / "new folder" / "a.csv")
    with (tmp_path / "new folder" / "a.csv").open(newline="") as file:
        head, *rows = csv.reader(file)
    assert head == [
        "time [s]",
        *("A surface [m]", "A depth [m]", "A velocity x [m/s]", "A velocity z [m/s]"),
        *("buoy 2 surface [m]", "buoy 2 depth [m]", "buoy 2 velocity x [m/s]", "buoy 2 velocity z [m/s]"),
    ]
    columns = list(zip(*rows, strict=True))
    assert np.array_equal(np.array(columns[0], float), first.times)
    for number, gauge in enumerate((first, second)):
        late = len(first.times) - len(gauge.times)
        for place, values in enumerate(gauge.values, 1 + number * len(QUANTITIES)):
            assert columns[place][:late] == ("",) * late
            assert np.array_equal(np.array(columns[place][late:], np.float32), values)


def test_a_table_can_be_laid_over_another_run_and_has_no_empty_columns(tmp_path):
    first, _ = measured("wave-equation")
    save_gauges((first,), tmp_path / "a.csv")
    table = read_series(tmp_path / "a.csv")
    assert list(table.columns) == ["A surface", "A depth"]
    assert np.array_equal(table.column("A", "A surface").astype(np.float32), first.surface)


def test_what_cannot_be_written_is_told(tmp_path):
    gauges = measured("wave-equation")
    with pytest.raises(InputError, match="there are no gauges"):
        save_gauges((), tmp_path / "a.csv")
    with pytest.raises(InputError, match="allowed endings are"):
        save_gauges(gauges, tmp_path / "a.txt")
    (tmp_path / "folder.csv").mkdir()
    with pytest.raises(InputError, match=r"folder\.csv"):
        save_gauges(gauges, tmp_path / "folder.csv")


def georeferenced(tmp_path):
    """Water 5 m deep, 30 cells of 10 m to the east and 20 to the south, by UTM coordinates."""
    where = {"crs": "EPSG:32633", "transform": Affine(10.0, 0.0, 500_000.0, 0.0, -10.0, 5_300_000.0)}
    with rasterio.open(tmp_path / "bay.tif", "w", "GTiff", 31, 21, 1, dtype="float32", **where) as raster:
        raster.write(np.full((21, 31), -5.0, np.float32), 1)
    return Heightmap.load(tmp_path / "bay.tif")


@pytest.mark.slow
def test_xarray_opens_netcdf_with_names_units_and_places(tmp_path):
    first, second = measured()
    heightmap = georeferenced(tmp_path)
    save_gauges((first, second), tmp_path / "a.nc", heightmap.world_place)
    with open_netcdf(tmp_path / "a.nc") as data:
        assert data.attrs["Conventions"] == "CF-1.8" and data.attrs["featureType"] == "timeSeries"
        assert dict(data.sizes) == {"station": 2, "time": len(first.times)}
        assert data.station_name.values.tolist() == ["A", "buoy 2"]
        assert np.array_equal(data.time, first.times) and data.time.attrs["units"] == "s"
        assert data.surface.dims == ("station", "time") and data.surface.dtype == np.float32
        assert {"longitude", "latitude", "x", "z", "station_name"} <= set(data.surface.coords)
        for quantity in QUANTITIES:
            found = data[quantity.name]
            assert found.attrs["standard_name"] == quantity.standard_name
            assert found.attrs["units"] == quantity.unit.replace("m/s", "m s-1")
            late = len(first.times) - len(second.times)
            assert np.array_equal(found[0], getattr(first, quantity.name))
            assert np.array_equal(found[1, late:], getattr(second, quantity.name))
            assert np.isnan(found[1, :late]).all() and late == 3
        by_name = data.set_index(station="station_name").surface.sel(station="buoy 2")
        assert np.array_equal(by_name[late:], second.surface)
        assert data.x.values.tolist() == [1.0, -1.0] and data.z.values.tolist() == [0.3, 0.3]
        x, z = heightmap.at_longitude(data.longitude.values, data.latitude.values)
        assert np.allclose(x, data.x, atol=1e-4) and np.allclose(z, data.z, atol=1e-4)
        assert np.allclose(data.latitude, 47.85, atol=0.02) and data.latitude.attrs["units"] == "degrees_north"


@pytest.mark.slow
@pytest.mark.parametrize("crs", ["", 'LOCAL_CS["site",UNIT["metre",1]]'])
def test_netcdf_without_a_place_on_earth_has_no_longitudes_and_a_model_without_velocities_has_none(tmp_path, crs):
    gauges = measured("wave-equation")
    save_gauges(gauges, tmp_path / "a.nc", Georeference(crs, 0.0, 0.0, 1.0, 1.0))
    with open_netcdf(tmp_path / "a.nc") as data:
        assert "longitude" not in data.variables
        assert np.isnan(data.velocity_x).all() and np.array_equal(data.surface[0], gauges[0].surface)


def test_the_same_gauges_give_the_same_bytes(tmp_path):
    for ending in GAUGE_WRITERS:
        for name in ("a", "b"):
            save_gauges(measured(), tmp_path / f"{name}{ending}")
        assert (tmp_path / f"a{ending}").read_bytes() == (tmp_path / f"b{ending}").read_bytes()
