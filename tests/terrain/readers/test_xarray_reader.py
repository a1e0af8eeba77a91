"""Arrays of xarray, rioxarray and dask become the heightmap that a file with the same content would."""

import numpy as np
import pytest
import xarray

from waterview.core.errors import TerrainError
from waterview.terrain.georeference import DEGREES, degrees_to_metres
from waterview.terrain.heightmap import Heightmap
from waterview.terrain.options import TerrainOptions

HEIGHTS = (np.arange(13)[:, None] * 100.0 + np.arange(17)).astype(np.float32)
"""Heights that rise northwards and eastwards, south first."""
LATITUDE, LONGITUDE = 40.0 + 0.05 * np.arange(13), 10.0 + 0.05 * np.arange(17)


def bay(rows="lat", columns="lon", **attributes):
    return xarray.DataArray(HEIGHTS, {rows: LATITUDE, columns: LONGITUDE}, (rows, columns), "elevation", attributes)


@pytest.mark.parametrize("names", [("lat", "lon"), ("latitude", "longitude"), ("rows", "columns")])
@pytest.mark.parametrize("turn", ["as it is", "north first", "west last", "transposed", "with time"])
def test_degrees_in_any_direction_become_metres_with_north_first(names, turn):
    array = bay(*names)
    for name, axis, unit in ((names[0], "Y", "degrees_north"), (names[1], "X", "degrees_east")):
        array[name].attrs.update(axis=axis, units=unit)
    turned = {
        "as it is": array,
        "north first": array.isel({names[0]: slice(None, None, -1)}),
        "west last": array.isel({names[1]: slice(None, None, -1)}),
        "transposed": array.transpose(),
        "with time": array.expand_dims("time"),
    }
    ground = Heightmap.from_xarray(turned[turn])
    assert np.array_equal(ground.heights, HEIGHTS[::-1]) and not ground.notes
    assert ground.cell == pytest.approx(degrees_to_metres((0.05, 0.05), 40.3))
    assert ground.size[0] == pytest.approx(67_900, rel=0.01), "a bay of 68 km stays one"
    assert np.allclose(ground.to_longitude(0.0, 0.0), (10.4, 40.3)) and ground.place.crs == DEGREES


@pytest.mark.slow
def test_it_is_what_a_file_of_the_same_content_is(tmp_path):
    bay(units="m").to_netcdf(tmp_path / "a.nc", engine="scipy")
    by_file, by_array = Heightmap.load(tmp_path / "a.nc"), Heightmap.from_xarray(bay(units="m"))
    assert np.array_equal(by_file.heights, by_array.heights)
    assert by_file.cell == pytest.approx(by_array.cell) and np.allclose(
        by_file.to_longitude([-9e3, 2e4], [5e3, -1e4]), by_array.to_longitude([-9e3, 2e4], [5e3, -1e4])
    )


@pytest.mark.parametrize(("unit", "metres"), [("m", 1.0), ("km", 1000.0), ("ft", 0.3048), ("", 1.0)])
def test_lengths_have_their_units(unit, metres):
    coordinates = {"y": ("y", 5.0 * np.arange(13), {"units": unit}), "x": ("x", 2.0 * np.arange(17), {"units": unit})}
    ground = Heightmap.from_xarray(xarray.DataArray(HEIGHTS, coordinates, ("y", "x")))
    assert ground.cell == pytest.approx((2.0 * metres, 5.0 * metres))
    assert ground.to_coordinates(0.0, 0.0) == pytest.approx((16.0, 30.0))


def test_bare_numbers_that_look_like_degrees_are_taken_so_and_said():
    assert "taken as degrees" in Heightmap.from_xarray(bay("y", "x")).notes[0]
    assert Heightmap.from_xarray(bay("y", "x"), options=TerrainOptions(units="metres")).cell == pytest.approx(
        (0.05, 0.05)
    )
    bare = Heightmap.from_xarray(xarray.DataArray(HEIGHTS))
    assert bare.cell == (1.0, 1.0) and np.array_equal(bare.heights, HEIGHTS)


def test_depths_feet_and_gaps_are_heeded():
    assert Heightmap.from_xarray(bay(positive="down")).range == (-1216.0, 0.0)
    assert Heightmap.from_xarray(bay(units="ft")).range[1] == pytest.approx(1216 * 0.3048)
    assert Heightmap.from_xarray(bay(_FillValue=1216.0)).nodata_count == 1
    assert Heightmap.from_xarray(bay().where(bay() > 500)).nodata_count == np.count_nonzero(HEIGHTS <= 500)


@pytest.mark.filterwarnings("ignore:Use `@` matmul:PendingDeprecationWarning")  # rioxarray's own
def test_the_reference_of_rioxarray_is_kept(write_tiff):
    import rioxarray

    path = write_tiff(HEIGHTS, corner=(5e5, 5e6), cell=(30.0, 20.0), crs="EPSG:32631", nodata=-9999)
    with rioxarray.open_rasterio(path) as array:
        ground, by_file = Heightmap.from_xarray(array), Heightmap.load(path)
    assert np.array_equal(ground.heights, by_file.heights) and ground.cell == pytest.approx(by_file.cell)
    assert np.allclose(ground.to_longitude(100.0, 50.0), by_file.to_longitude(100.0, 50.0), atol=1e-9)


@pytest.mark.slow
def test_an_array_of_dask_is_thinned_window_by_window():
    import dask.array

    loaded = []

    def block(block_info=None):
        rows, columns = block_info[None]["array-location"]
        loaded.append((rows, columns))
        z, x = np.mgrid[slice(*rows), slice(*columns)]
        return (z + 2.0 * x).astype(np.float32)

    lazy = dask.array.map_blocks(block, chunks=((512,) * 8, (4096,)), dtype=np.float32)
    array = xarray.DataArray(lazy, {"y": -10.0 * np.arange(4096), "x": 10.0 * np.arange(4096)}, ("y", "x"))
    with dask.config.set(scheduler="synchronous"):
        ground = Heightmap.from_xarray(array, max_points=512)
    assert sorted(set(loaded)) == sorted(loaded) and len(loaded) == 8, "every chunk is read once"
    z, x = np.mgrid[:512, :512]
    assert np.allclose(ground.heights, 8.0 * z + 3.5 + 2.0 * (8.0 * x + 3.5)) and ground.cell == (80.0, 80.0)
    assert ground.to_coordinates(*(-0.5 * size for size in ground.size)) == pytest.approx((35.0, -35.0))
    assert "4,096 × 4,096 samples and is read as 512 × 512" in ground.notes[0]


def test_gaps_are_left_out_of_the_means_of_thinned_arrays():
    heights = np.arange(16.0).reshape(4, 4)
    heights[0, 0] = heights[1, 1] = np.nan
    array = xarray.DataArray(heights, {"y": -10.0 * np.arange(4), "x": 10.0 * np.arange(4)}, ("y", "x"))
    ground = Heightmap.from_xarray(array, max_points=2)
    assert np.array_equal(ground.heights, [[2.5, 4.5], [10.5, 12.5]])


def test_a_dataset_gives_its_heights():
    data = xarray.Dataset({"tid": bay() * 0, "elevation": bay()})
    assert Heightmap.from_xarray(data).range == (0.0, 1216.0)
    assert Heightmap.from_xarray(data, options=TerrainOptions(variable="tid")).range == (0.0, 0.0)
    with pytest.raises(TerrainError, match="has no variable 'tod'"):
        Heightmap.from_xarray(data, options=TerrainOptions(variable="tod"))


def test_what_is_no_map_is_refused():
    with pytest.raises(TerrainError, match=r"has the dimensions time, lat, lon; choose one map, as by isel"):
        Heightmap.from_xarray(xarray.concat([bay(), bay()], "time"))
    with pytest.raises(TerrainError, match="coordinates 'lon' that are not evenly spaced"):
        Heightmap.from_xarray(bay().isel(lon=[0, 1, 2, 5, 9]))
    with pytest.raises(TerrainError, match="heights must be real numbers"):
        Heightmap.from_xarray(bay().astype(str))
