"""Files of other libraries lie where they lie: the peak is found at its place on Earth to a metre, in and out."""

import numpy as np
import pytest
import rasterio
from PIL import Image
from pyproj import Transformer
from rasterio.shutil import copy
from rasterio.transform import Affine

import waterview

CELL, WEST, NORTH, CRS = 30.0, 500_000.0, 5_200_000.0, "EPSG:32633"
HEIGHTS = np.full((31, 41), -20, np.int16)
HEIGHTS[7, 30] = 100
PEAK = WEST + 30.5 * CELL, NORTH - 7.5 * CELL
"""Coordinates of the middle of the highest sample [m]."""

X, Y = WEST + CELL * (np.arange(41) + 0.5), NORTH - CELL * (np.arange(31) + 0.5)


def by_gdal(folder, driver, name):
    profile = {"width": 41, "height": 31, "count": 1, "dtype": "int16", "crs": CRS}
    with rasterio.open(
        folder / "first.tif", "w", driver="GTiff", transform=Affine(CELL, 0, WEST, 0, -CELL, NORTH), **profile
    ) as file:
        file.write(HEIGHTS, 1)
    options = {"QUALITY": "100", "REVERSIBLE": "YES"} if driver == "JP2OpenJPEG" else {}
    copy(folder / "first.tif", folder / name, driver=driver, **options)


def by_netcdf4(folder, name):
    import netCDF4

    with netCDF4.Dataset(folder / name, "w") as file:
        for axis, values in (("y", Y), ("x", X)):
            file.createDimension(axis, len(values))
            variable = file.createVariable(axis, "f8", (axis,))
            variable[:], variable.units, variable.standard_name = values, "m", f"projection_{axis}_coordinate"
        mapping = file.createVariable("crs", "i4")
        mapping.spatial_ref = rasterio.crs.CRS.from_user_input(CRS).to_wkt()
        heights = file.createVariable("elevation", "i2", ("y", "x"))
        heights[:], heights.grid_mapping = HEIGHTS, "crs"


def by_xarray(folder, name):
    import rioxarray  # noqa: F401  # gives arrays their reference
    import xarray

    array = xarray.DataArray(HEIGHTS, {"y": Y, "x": X}, ("y", "x"), "elevation").rio.write_crs(CRS)
    array.rio.write_coordinate_system().to_netcdf(folder / name, engine="scipy")


def by_numpy_as_table(folder, name):
    x, y = np.meshgrid(X, Y)
    np.savetxt(folder / name, np.stack((x.ravel(), y.ravel(), HEIGHTS.ravel()), 1), "%.3f")


def by_numpy(folder, name):
    np.savez(folder / name, x=X, y=Y, heights=HEIGHTS)


def by_pillow(folder, name):
    Image.fromarray((HEIGHTS + 20).astype(np.uint8)).save(folder / name)
    world = (CELL, 0.0, 0.0, -CELL, float(X[0]), float(Y[0]))
    (folder / name).with_suffix(".pgw").write_text("\n".join(map(str, world)))


WRITERS = {
    "GeoTIFF": ("a.tif", lambda folder, name: by_gdal(folder, "GTiff", name)),
    "Arc/Info grid": ("a.asc", lambda folder, name: by_gdal(folder, "AAIGrid", name)),
    "Erdas Imagine": ("a.img", lambda folder, name: by_gdal(folder, "HFA", name)),
    "JPEG 2000": ("a.jp2", lambda folder, name: by_gdal(folder, "JP2OpenJPEG", name)),
    "virtual raster": ("a.vrt", lambda folder, name: by_gdal(folder, "VRT", name)),
    "NetCDF 4": ("a.nc", by_netcdf4),
    "NetCDF 3": ("a.nc", by_xarray),
    "table": ("a.xyz", by_numpy_as_table),
    "NumPy": ("a.npz", by_numpy),
    "PNG with a world file": ("a.png", by_pillow),
}
NO_REFERENCE = {"table", "NumPy", "PNG with a world file"}
"""Formats that hold coordinates, but cannot name their reference."""


@pytest.mark.parametrize("kind", WRITERS)
@pytest.mark.slow
def test_the_peak_is_where_it_was_in_the_map_that_is_written(kind, tmp_path):
    name, write = WRITERS[kind]
    write(tmp_path, name)
    scene = waterview.open_scene(tmp_path / name, grid=41)
    frame = scene.frame
    j, i = np.unravel_index(frame.bed.argmax(), frame.bed.shape)
    assert frame.place.coordinates(frame.grid.x[i], frame.grid.z[j]) == pytest.approx(PEAK, abs=1.0)
    with rasterio.open(scene.save(tmp_path / "surface.tif")) as surface:
        land = np.isnan(surface.read(1))
        rows, columns = np.nonzero(land)
        x, y = surface.xy(rows.mean(), columns.mean())
        crs = surface.crs
    if crs is not None and not crs.is_projected:
        crs = None  # axes without a place on Earth
    assert (crs is None) == (kind in NO_REFERENCE)
    to_degrees = Transformer.from_crs(CRS if crs is None else crs.to_wkt(), "EPSG:4326", always_xy=True)
    found = np.array(to_degrees.transform(x, y))
    true = np.array(Transformer.from_crs(CRS, "EPSG:4326", always_xy=True).transform(*PEAK))
    metres = (found - true) * (111_320.0 * np.cos(np.radians(true[1])), 111_190.0)
    assert np.abs(metres).max() < 1.0, metres
