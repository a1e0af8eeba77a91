import re
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
import rasterio

from waterview.core.errors import TerrainError
from waterview.core.files import data_path
from waterview.scene.scene import Scene, SceneParams
from waterview.terrain.heightmap import Heightmap
from waterview.terrain.inspect import inspect_file
from waterview.terrain.library import bundled, resolve
from waterview.terrain.options import TerrainOptions


def test_every_bundled_terrain_loads_and_shows_a_shore():
    assert {"coast", "basin"} <= set(bundled())
    for name, source in bundled().items():
        heightmap = source.load()
        assert source.name == name and heightmap.title == source.title
        assert heightmap.relief_hint() == "" and inspect_file(source.path, source.options).hints == ()
        assert 0.1 < heightmap.land_share < 0.9


def test_the_coast_is_the_real_one():
    heightmap = Heightmap.load(bundled()["coast"].path)
    assert heightmap.heights.shape == (91, 120) and heightmap.nodata_count == 0
    assert heightmap.range == (-1437.0, 2205.0)
    assert heightmap.land_share == pytest.approx(0.556, abs=0.001)
    assert heightmap.cell == pytest.approx((2435, 2435), rel=0.003)
    # The Pacific lies in the southwest, Vancouver Island's mountains to its north, the mainland in the northeast.
    west, north = -0.5 * heightmap.size[0], -0.5 * heightmap.size[1]
    assert heightmap.height_at(west, -north) < -1000.0
    assert heightmap.height_at(-west, north) > 1000.0
    assert heightmap.height_at(west, north) > 0.0


def test_the_coast_lies_where_the_globe_has_it():
    with np.load(bundled()["coast"].path) as file:
        longitude, latitude = file["longitude"] - 360.0, file["latitude"]
        assert file["topo"].dtype == np.int16
    ends = (longitude[0], latitude[0], longitude[-1], latitude[-1])
    assert ends == pytest.approx((-125.983, 48.016, -122.017, 49.984), abs=0.001)


def test_the_coast_is_shown_as_a_model_with_visible_relief():
    heightmap = bundled()["coast"].load()
    assert max(heightmap.size) == pytest.approx(400.0)
    assert 0.08 <= (heightmap.range[1] - heightmap.range[0]) / 400.0 <= 0.10
    assert heightmap.water_level == 0.0


def test_the_basin_is_a_flat_floor_inside_a_rim():
    heightmap = bundled()["basin"].load()
    assert heightmap.size == pytest.approx((12.0, 9.0)) and heightmap.range == (-2.0, 0.5)
    x, z = np.linspace(-5.4, 5.4, 50)[None, :], np.linspace(-3.9, 3.9, 40)[:, None]
    assert (heightmap.height_at(x, z) == -2.0).all()
    edge = np.concatenate([heightmap.heights[0], heightmap.heights[-1], *heightmap.heights[:, [0, -1]]])
    assert (edge == 0.5).all()


@pytest.mark.slow
def test_the_generator_makes_the_same_files_again(tmp_path):
    script = data_path("assets") / "terrains" / "make.py"
    (tmp_path / "make.py").write_bytes(script.read_bytes())
    with np.load(bundled()["coast"].path) as file:
        kept = {name: file[name] for name in ("topo", "latitude", "longitude")}
    rows = 1646.5 + np.arange(91)  # the grid's own numbering, in steps of 1/30° of a spherical Mercator map
    latitude = np.degrees(np.arctan(np.sinh(np.radians(rows / 30.0))))
    np.testing.assert_allclose(kept["latitude"], latitude, atol=1e-4)
    np.testing.assert_allclose(kept["longitude"], (7020.5 + np.arange(120)) / 30.0, atol=1e-4)
    np.savez(tmp_path / "topobathy.npz", **(kept | {"topo": kept["topo"].astype(np.float32)}))
    subprocess.run([sys.executable, tmp_path / "make.py", tmp_path / "topobathy.npz"], check=True)
    with np.load(tmp_path / "coast.npz") as made:
        assert all(np.array_equal(made[name], values) for name, values in kept.items())
    name = "basin.tif"
    with rasterio.open(tmp_path / name) as made, rasterio.open(script.parent / name) as basin:
        assert np.array_equal(made.read(1), basin.read(1))
        assert made.crs == basin.crs and made.transform.almost_equals(basin.transform)


def test_every_asset_is_listed_with_its_source():
    assets = data_path("assets")
    listed = re.findall(r"^## (\S+)$", (assets / "README.md").read_text(encoding="utf-8"), re.MULTILINE)
    terrains = {
        f"terrains/{path.name}" for path in (assets / "terrains").iterdir() if path.suffix in {".tif", ".npz", ".toml"}
    }
    assert terrains <= set(listed)
    licence = (assets / "terrains" / "coast.LICENSE.txt").read_text(encoding="utf-8")
    assert "Matplotlib Development Team; All Rights Reserved" in licence and "LICENSE AGREEMENT" in licence


def test_names_and_paths_are_resolved(write_tiff):
    path = write_tiff(np.arange(9.0, dtype=np.float32).reshape(3, 3), name="lake.tif")
    assert resolve("coast") == bundled()["coast"]
    source = resolve(path)
    assert (source.name, source.title, source.path, source.options) == ("lake", "lake.tif", path, TerrainOptions())
    assert source.load().title == "lake.tif"
    assert resolve(str(path)) == source


def test_a_file_called_like_a_terrain_is_reached_by_its_folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    Path("coast").write_bytes(b"x")
    assert resolve("coast") == bundled()["coast"]
    assert resolve("./coast").path == Path("coast")


@pytest.mark.parametrize("name", ["a" * 300, "\0"])
def test_a_name_that_no_file_can_have_is_an_unknown_one(name):
    with pytest.raises(TerrainError, match="no such file or terrain"):
        resolve(name)


def test_an_unknown_name_lists_the_known_ones():
    with pytest.raises(TerrainError, match=r"nowhere: there is no such file or terrain; .* coast, basin"):
        resolve("nowhere")


def test_options_may_be_changed_on_the_way():
    source = bundled()["coast"]
    other = source.with_options(source.options.changed(water_level=-100.0))
    assert other.load().water_level == pytest.approx(-1.0) and source.load().water_level == 0.0


def test_the_bed_is_as_fine_as_the_grid_and_what_is_left_out_is_said(tmp_path, write_tiff):
    """Stripes one sample wide, which a thinned raster would lose."""
    stripes = np.where(np.arange(3000) % 2, 4.0, -8.0) * np.ones((40, 1))
    source = resolve(write_tiff(stripes.astype(np.float32), corner=(5e5, 5e6), crs="EPSG:32631"))
    fine, thin = source.load(3000), source.load(512)
    assert np.array_equal(fine.heights, stripes) and fine.notes == ()
    bed = Scene(fine, SceneParams(grid=3000)).make_water().bed
    assert np.array_equal(bed, stripes[:, :3000])
    assert thin.heights.shape == (27, 2048)
    assert "3,000 × 40 samples and is read as 2,048 × 27: a --grid above 2,048" in thin.notes[0]
