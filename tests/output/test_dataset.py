"""Fields of the water for xarray, NetCDF and Zarr, read by the libraries that people read them with."""

from functools import partial

import numpy as np
import pytest
import rasterio

from waterview.core.errors import InputError
from waterview.output.dataset import save_series_netcdf, to_xarray
from waterview.output.offline import run, with_measurements
from waterview.output.zarr_store import save_zarr
from waterview.scene.scene import Scene, SceneParams
from waterview.sim.world import World
from waterview.terrain.heightmap import Heightmap
from waterview.waters import WaveEquationWater

CORNER = (15.0, 54.0)
CRSS = ("EPSG:32633", "EPSG:4326", None)


@pytest.fixture(params=CRSS)
def frames(request, tmp_path):
    """Three frames with velocities over a sloping bed whose heights tell their place in the file."""
    step = 0.001 if request.param == "EPSG:4326" else 100.0
    west, north = corner(request.param)
    z, x = np.mgrid[:41, :61]
    profile = {"crs": request.param, "transform": rasterio.Affine(step, 0, west, 0, -step, north), "dtype": "float32"}
    with rasterio.open(tmp_path / "bay.tif", "w", "GTiff", 61, 41, 1, **profile) as raster:
        raster.write((x + 100.0 * z - 2000.0).astype(np.float32), 1)
    frame = Scene(Heightmap.load(tmp_path / "bay.tif"), SceneParams(grid=61)).make_water().publish_still()
    flow = np.stack([np.full_like(frame.bed, 1.0), np.full_like(frame.bed, 2.0)])
    return [frame.changed(time=0.1 * k, heights=frame.bed + np.float32(k), velocity=flow) for k in range(3)]


def corner(crs):
    import pyproj

    return pyproj.Transformer.from_crs("EPSG:4326", crs or "EPSG:32633", always_xy=True).transform(*CORNER)


def opened(path):
    import xarray

    return xarray.open_zarr(path, consolidated=True) if path.suffix == ".zarr" else xarray.open_dataset(path)


@pytest.mark.parametrize("ending", [".zarr", ".nc"])
@pytest.mark.slow
def test_files_hold_what_xarray_is_given_with_its_types_and_units(frames, tmp_path, ending):
    import xarray

    given = to_xarray(frames)
    save = save_zarr if ending == ".zarr" else save_series_netcdf
    save(iter(frames), len(frames), frames[0].grid, tmp_path / f"a{ending}")
    with opened(tmp_path / f"a{ending}") as found:
        xarray.testing.assert_equal(found.load(), given)
        assert found.fixed.dtype == bool and found.heights.dtype == np.float32
        for name in ("heights", "u", "v", "bed", "x", "y"):
            kept = {key: found[name].attrs[key] for key in ("units", "standard_name") if key in given[name].attrs}
            assert kept == {key: given[name].attrs[key] for key in kept} and kept["units"]
        assert found.attrs["Conventions"] == "CF-1.8"
    assert (given.u == 1.0).all() and (given.v == -2.0).all()  # z runs south, v north
    assert given.heights.attrs["standard_name"] == "sea_surface_height_above_mean_sea_level"
    assert np.array_equal(given.heights[2], frames[2].heights) and given.time.values.tolist() == [0.0, 0.1, 0.2]


@pytest.mark.filterwarnings("ignore:Use `@` matmul:PendingDeprecationWarning")  # rioxarray's own
@pytest.mark.parametrize("ending", [".zarr", ".nc"])
@pytest.mark.parametrize("frames", CRSS[:2], indirect=True)
def test_files_lie_on_earth_where_their_terrain_does(frames, tmp_path, ending):
    """By rioxarray and pyproj, to a metre."""
    import pyproj
    import rioxarray  # noqa: F401

    save = save_zarr if ending == ".zarr" else save_series_netcdf
    save(iter(frames), len(frames), frames[0].grid, tmp_path / f"a{ending}")
    with opened(tmp_path / f"a{ending}") as found:
        crs = found.rio.crs
        x, y = np.meshgrid(found.x, found.y)
        heights = found.heights[0].values.astype(float) + 2000.0
    west, north = corner(crs.to_string())
    step = 0.001 if crs.is_geographic else 100.0
    column = heights - 100.0 * np.clip((north - y) / step - 0.5, 0.0, 40.0)  # the last row may jut out
    to_earth = pyproj.Transformer.from_crs(crs, "EPSG:4326", always_xy=True)
    found_at, true_at = to_earth.transform(x, y), to_earth.transform(west + (column + 0.5) * step, y)
    assert np.max(pyproj.Geod(ellps="WGS84").inv(*found_at, *true_at)[2]) < 1.0


def test_gdal_finds_the_reference_of_netcdf(frames, tmp_path):
    """As QGIS opens it."""
    save_series_netcdf(iter(frames), len(frames), frames[0].grid, tmp_path / "a.nc")
    place = frames[0].place
    with rasterio.open(f"netcdf:{tmp_path / 'a.nc'}:heights") as raster:
        assert (raster.crs is None) == (place.crs == "")
        assert raster.count == 3 and np.array_equal(raster.read(2), frames[1].heights)
        x, y = place.coordinates(frames[0].grid.origin[0], frames[0].grid.origin[2])
        assert (raster.transform.c + 0.5 * raster.transform.a, raster.transform.f + 0.5 * raster.transform.e) == (
            pytest.approx((x, y), rel=1e-9)
        )


def test_velocities_and_fields_over_the_run_come_with_models_that_have_them(tmp_path):
    world = Scene(
        Heightmap.from_array(np.full((9, 13), -2.0)), SceneParams(model="shallow-water", grid=13, maxima=True)
    ).make_world()
    found = to_xarray(list(run(world, 0.1, 20.0, measured=True)))
    assert {"u", "v", "largest_surface", "arrival_time", "largest_speed", "flooded"} <= set(found.data_vars)
    assert found.sizes["time"] == 3 and found.flooded.dtype == bool
    pond = World(WaveEquationWater(12.0, 12.0, 9))
    plain = to_xarray(with_measurements(pond.publish(0), pond))
    assert set(plain.data_vars) == {"heights", "bed", "fixed"} and plain.sizes["time"] == 1


def test_what_is_too_large_or_empty_is_told(tmp_path, monkeypatch):
    frame = World(WaveEquationWater(12.0, 12.0, 9)).publish_still()
    with pytest.raises(InputError, match="no frame is given"):
        to_xarray([])
    monkeypatch.setattr("waterview.output.dataset.MOST_BYTES", 1000)
    for action in (to_xarray, partial(save_series_netcdf, count=9, grid=frame.grid, path=tmp_path / "a.nc")):
        with pytest.raises(InputError, match=r"a \.zarr, which is written piece by piece"):
            action([frame] * 9)
