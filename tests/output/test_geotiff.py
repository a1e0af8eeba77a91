"""Maps of the surface: read again they lie where the water lies."""

import os
import subprocess
import sys

import numpy as np
import pytest
import rasterio
from support.scenes import make_frame

from waterview.core.errors import InputError
from waterview.output import geotiff
from waterview.output.geotiff import save_geotiff
from waterview.scene.scene import Scene, SceneParams
from waterview.terrain.heightmap import Heightmap
from waterview.terrain.options import TerrainOptions


def test_a_map_has_the_surface_at_its_place(tmp_path):
    bed = np.full((21, 31), -2.0)
    bed[:4] = 5.0
    heights = np.zeros((21, 31))
    heights[10, 20] = 0.75
    frame = make_frame((21, 31), 0.5, level=0.25, bed=bed, heights=heights)
    save_geotiff(frame, tmp_path / "new folder" / "a.tif")
    with rasterio.open(tmp_path / "new folder" / "a.tif") as raster:
        surface = raster.read(1)
        assert np.array_equal(np.isnan(surface), frame.fixed)
        assert surface[10, 20] == 1.0
        assert surface[15, 5] == 0.25
        # The middle of a cell is the grid's point; north is −z.
        place = raster.transform
        assert (place.a, place.b, place.d, place.e) == (0.5, 0.0, 0.0, -0.5)
        assert place.c + 20.5 * place.a == pytest.approx(frame.grid.x[20])
        assert place.f + 10.5 * place.e == pytest.approx(-frame.grid.z[10])


def test_a_map_that_is_written_strip_by_strip_is_the_same(tmp_path, monkeypatch):
    frame = make_frame((21, 31), 0.5, heights=np.arange(21 * 31.0).reshape(21, 31))
    monkeypatch.setattr(geotiff, "STRIP_POINTS", 4 * 31)
    save_geotiff(frame, tmp_path / "a.tif")
    with rasterio.open(tmp_path / "a.tif") as raster:
        np.testing.assert_array_equal(raster.read(1), frame.heights)


@pytest.mark.parametrize("crs", ["EPSG:32633", "EPSG:4326", "EPSG:3857", "EPSG:2180"])
def test_a_map_lies_on_earth_where_its_terrain_does(tmp_path, crs):
    """As a geographic information system places it: by pyproj, to a metre."""
    import pyproj

    west, north = pyproj.Transformer.from_crs("EPSG:4326", crs, always_xy=True).transform(15.0, 54.0)
    step = 0.001 if crs == "EPSG:4326" else 100.0
    z, x = np.mgrid[:41, :61]
    profile = {"crs": crs, "transform": rasterio.Affine(step, 0, west, 0, -step, north), "dtype": "float32"}
    with rasterio.open(tmp_path / "bay.tif", "w", "GTiff", 61, 41, 1, **profile) as raster:
        raster.write((x + 100.0 * z - 9000.0).astype(np.float32), 1)  # every height tells its place
    for size_m in (0.0, 800.0):
        ground = Heightmap.load(tmp_path / "bay.tif", options=TerrainOptions(size_m=size_m))
        frame = Scene(ground, SceneParams(grid=121)).make_water().publish_still()
        save_geotiff(frame.changed(heights=frame.bed), tmp_path / "a.tif")
        with rasterio.open(tmp_path / "a.tif") as raster:
            rows, columns = np.indices(raster.shape)
            x, y = rasterio.transform.xy(raster.transform, rows.ravel(), columns.ravel())
            found = pyproj.Transformer.from_crs(raster.crs, "EPSG:4326", always_xy=True).transform(x, y)
            heights = raster.read(1).ravel().astype(float) + 9000.0
        to_earth = pyproj.Transformer.from_crs(crs, "EPSG:4326", always_xy=True)
        at = frame.grid.positions().reshape(-1, 2).astype(float)
        file_column, file_row = at[:, 0] / ground.cell[0] + 30.0, at[:, 1] / ground.cell[1] + 20.0
        assert np.allclose(
            heights, file_column + 100.0 * np.minimum(file_row, 40.0), atol=0.01
        )  # the last row juts out
        true = to_earth.transform(west + (file_column + 0.5) * step, north - (file_row + 0.5) * step)
        away = pyproj.Geod(ellps="WGS84").inv(found[0], found[1], *true)[2]
        assert np.max(away) < 1.0


def test_a_place_that_cannot_be_written_is_reported(tmp_path):
    (tmp_path / "file").touch()
    with pytest.raises(InputError, match="cannot write the map"):
        save_geotiff(make_frame(), tmp_path / "file" / "a.tif")


FULL = """
import resource, signal, sys
from pathlib import Path
import numpy as np
from support.scenes import make_frame
from waterview.core.errors import InputError
from waterview.output.geotiff import save_geotiff
from waterview.scene.scene import Scene, SceneParams
from waterview.terrain.heightmap import Heightmap
from waterview.terrain.options import TerrainOptions
frame = make_frame((65, 65), heights=np.random.default_rng(1).random((65, 65)))
signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
resource.setrlimit(resource.RLIMIT_FSIZE, (5000, 5000))
try:
    save_geotiff(frame, Path(sys.argv[1]))
except InputError as error:
    print(error)
"""


@pytest.mark.slow
def test_a_full_disk_is_one_line_and_what_was_there_stays(tmp_path):
    (tmp_path / "a.tif").write_text("before")
    here = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    command = [sys.executable, "-c", FULL, str(tmp_path / "a.tif")]
    done = subprocess.run(command, capture_output=True, text=True, timeout=120, check=True, env=here)
    assert "cannot write the map" in done.stdout and len(done.stdout.splitlines()) == 1, done.stdout
    assert done.stderr == ""
    assert [(path.name, path.read_text()) for path in tmp_path.iterdir()] == [("a.tif", "before")]
