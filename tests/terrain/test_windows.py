"""A large raster by windows: the same ground as from all of it."""

import numpy as np
import pytest
import rasterio
from rasterio.windows import Window

from waterview.core.errors import TerrainError
from waterview.terrain.heightmap import Heightmap
from waterview.terrain.options import TerrainOptions
from waterview.terrain.windows import WindowedHeightmap, samples_of


def from_origin(west, north, x, y):
    return rasterio.Affine(x, 0.0, west, 0.0, -y, north)


HEIGHTS = np.random.default_rng(3).normal(size=(60, 90)).astype(np.float32) * 10.0


def write(path, heights=HEIGHTS, transform=None, crs="EPSG:32633", **more):
    transform = transform or from_origin(500_000.0, 5_000_000.0, 20.0, 20.0)
    shape = {"height": heights.shape[0], "width": heights.shape[1]}
    with rasterio.open(
        path, "w", driver="GTiff", count=1, dtype=heights.dtype, crs=crs, transform=transform, **shape, **more
    ) as file:
        file.write(heights, 1)
    return path


def windows_of(ground, x, z, pieces=4):
    rows = [
        np.concatenate([ground.height_at(part[None, :], some[:, None]) for part in np.array_split(x, pieces)], axis=1)
        for some in np.array_split(z, pieces)
    ]
    return np.concatenate(rows)


@pytest.mark.parametrize(
    ("options", "crs", "transform"),
    [
        ({}, "EPSG:32633", None),
        ({"vertical_scale": 2.5, "size_m": 700.0, "water_level": 1.0}, "EPSG:32633", None),
        ({"depth_positive_down": True}, "EPSG:4326", from_origin(10.0, 54.0, 0.001, 0.001)),
        ({}, "EPSG:3857", from_origin(1e6, 7e6, 20.0, 20.0)),
    ],
)
def test_windows_have_the_bits_of_the_whole(tmp_path, options, crs, transform):
    path, options = write(tmp_path / "a.tif", crs=crs, transform=transform), TerrainOptions(**options)
    whole, by_windows = Heightmap.load(path, options=options), WindowedHeightmap.open(path, options)
    assert by_windows.size == whole.size
    assert by_windows.water_level == whole.water_level
    assert by_windows.world_place == whole.world_place
    width, depth = whole.size
    x, z = np.linspace(-0.5 * width, 0.5 * width, 131), np.linspace(-0.5 * depth, 0.5 * depth, 97)
    found = windows_of(by_windows, x, z)
    np.testing.assert_array_equal(found.view(np.uint32), whole.height_at(x[None, :], z[:, None]).view(np.uint32))


def test_only_the_window_is_read(tmp_path, monkeypatch):
    ground, read = WindowedHeightmap.open(write(tmp_path / "a.tif"), TerrainOptions()), []

    def recorded(*window):
        read.append(Window(*window))
        return read[-1]

    monkeypatch.setattr("waterview.terrain.windows.Window", recorded)
    ground.height_at(np.zeros((1, 1)), np.zeros((1, 1)))
    (window,) = read
    assert window.width <= 9 and window.height <= 9


def test_integers_with_a_scale_and_an_offset_become_metres(tmp_path):
    path = write(tmp_path / "a.tif", np.arange(5400, dtype=np.int16).reshape(60, 90))
    with rasterio.open(path, "r+") as file:
        file.scales, file.offsets = (0.5,), (-100.0,)
    whole, by_windows = Heightmap.load(path), WindowedHeightmap.open(path, TerrainOptions())
    place = np.array([[3.3]]), np.array([[-7.1]])
    assert by_windows.height_at(*place) == whole.height_at(*place)


@pytest.mark.parametrize(
    ("more", "options", "reason"),
    [
        ({}, {"smoothing": 2.0}, "--smoothing needs the whole"),
        ({"transform": rasterio.Affine(20.0, 1.0, 0.0, 1.0, -20.0, 0.0)}, {}, "warp it first"),
    ],
)
def test_what_needs_the_whole_is_refused(tmp_path, more, options, reason):
    with pytest.raises(TerrainError, match=reason):
        WindowedHeightmap.open(write(tmp_path / "a.tif", **more), TerrainOptions(**options))


@pytest.mark.parametrize("void", [np.nan, np.inf])
def test_gaps_are_refused_where_they_are_met(tmp_path, void):
    heights = HEIGHTS.copy()
    heights[50, 80] = void
    ground = WindowedHeightmap.open(write(tmp_path / "a.tif", heights), TerrainOptions())
    assert np.isfinite(ground.height_at(np.zeros((1, 1)), np.zeros((1, 1))))
    with pytest.raises(TerrainError, match="gdal_fillnodata"):
        ground.height_at(np.array([[700.0]]), np.array([[410.0]]))


def test_a_file_cut_short_is_named(tmp_path):
    path = write(tmp_path / "a.tif", compress="deflate")
    path.write_bytes(path.read_bytes()[:900])
    with pytest.raises(TerrainError, match=r"a\.tif: is damaged or cut short"):
        WindowedHeightmap.open(path, TerrainOptions()).height_at(np.zeros((1, 1)), np.zeros((1, 1)))


def test_a_virtual_raster_is_read_by_windows_if_all_of_it_can_be_checked(tmp_path):
    write(tmp_path / "a.tif")
    vrt = tmp_path / "a.vrt"
    vrt.write_text(
        '<VRTDataset rasterXSize="90" rasterYSize="60"><GeoTransform>500000, 20, 0, 5000000, 0, -20</GeoTransform>'
        '<VRTRasterBand dataType="Float32" band="1"><SimpleSource><SourceFilename relativeToVRT="1">a.tif'
        "</SourceFilename><SourceBand>1</SourceBand></SimpleSource></VRTRasterBand></VRTDataset>"
    )
    ground = WindowedHeightmap.open(vrt, TerrainOptions())
    assert samples_of(vrt) == ground.shape == (60, 90)
    place = np.array([[3.3]]), np.array([[-7.1]])
    assert ground.height_at(*place) == Heightmap.load(vrt).height_at(*place)
    vrt.write_text(vrt.read_text().replace("a.tif", "/etc/passwd"))
    with pytest.raises(TerrainError):
        WindowedHeightmap.open(vrt, TerrainOptions())


def test_other_formats_have_no_windows(tmp_path):
    np.save(tmp_path / "a.npy", HEIGHTS)
    assert samples_of(tmp_path / "a.npy") == (0, 0)
    with pytest.raises(TerrainError, match="GeoTIFF and virtual rasters"):
        WindowedHeightmap.open(tmp_path / "a.npy", TerrainOptions())
