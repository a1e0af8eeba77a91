import re
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from waterview.core.errors import TerrainError
from waterview.core.files import data_path
from waterview.scene.scene import Scene, SceneParams
from waterview.terrain.inspect import inspect_file
from waterview.terrain.library import bundled, resolve
from waterview.terrain.options import TerrainOptions


def test_every_bundled_terrain_loads_and_shows_a_shore():
    assert {"bay", "basin"} <= set(bundled())
    for name, source in bundled().items():
        heightmap = source.load()
        assert source.name == name and heightmap.title == source.title
        assert heightmap.relief_hint() == "" and inspect_file(source.path, source.options).hints == ()
        assert 0.09 < heightmap.land_share < 0.9


@pytest.mark.parametrize(
    ("name", "size", "deepest", "highest"),
    [
        ("bay", (640, 480), -26, 68),
        ("harbour", (320, 240), -12, 26),
        ("fjord", (2400, 1800), -110, 401),
        ("lagoon", (768, 576), -8, 17),
        ("monai", (2195.2, 1360.8), -54.2, 50.0),
        ("aonae", (4660, 3935), -92.1, 50.0),
    ],
)
def test_the_coasts_have_their_true_scale(name, size, deepest, highest):
    heightmap = bundled()[name].load()
    cell = heightmap.cell[0]
    assert heightmap.size == pytest.approx(size, abs=2.0 * cell)
    assert heightmap.range == pytest.approx((deepest, highest), abs=1.0)
    assert bundled()[name].options.water_level == heightmap.water_level == 0.0


def test_every_coast_but_the_lagoon_has_a_side_open_to_the_sea():
    for name in ("bay", "harbour", "fjord", "monai", "aonae"):
        heights = bundled()[name].load().heights
        edge = np.concatenate([heights[0], heights[-1], *heights[:, [0, -1]]])
        assert (edge < 0.0).any() and (edge > 0.0).any(), name


def test_no_cliff_stands_under_the_bay_s_water():
    """Sand and rubble do not lie steeper than 45 to 50°; a cliff is a dark line in the water."""
    heightmap = bundled()["bay"].load()
    slope = np.hypot(*np.gradient(heightmap.heights, *heightmap.cell[::-1]))
    assert slope[heightmap.heights < 0.0].max() < 1.2


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
    subprocess.run([sys.executable, tmp_path / "make.py"], check=True)
    for name in ("bay", "fjord", "lagoon", "harbour", "basin"):
        with np.load(tmp_path / f"{name}.npz") as made, np.load(script.with_name(f"{name}.npz")) as kept:
            assert all(np.array_equal(made[axis], kept[axis]) for axis in "xy")
            # Other versions of the Fourier transform round otherwise, by a step of height at most.
            np.testing.assert_allclose(made["z"], kept["z"], atol=1.0 / 64.0)


def test_every_asset_is_listed_with_its_source():
    assets = data_path("assets")
    listed = re.findall(r"^## (\S+)$", (assets / "README.md").read_text(encoding="utf-8"), re.MULTILINE)
    terrains = {f"terrains/{path.name}" for path in (assets / "terrains").iterdir() if path.suffix in {".npz", ".toml"}}
    assert terrains <= set(listed)


def test_names_and_paths_are_resolved(write_tiff):
    path = write_tiff(np.arange(9.0, dtype=np.float32).reshape(3, 3), name="lake.tif")
    assert resolve("bay") == bundled()["bay"]
    source = resolve(path)
    assert (source.name, source.title, source.path, source.options) == ("lake", "lake.tif", path, TerrainOptions())
    assert source.load().title == "lake.tif"
    assert resolve(str(path)) == source


def test_a_file_called_like_a_terrain_is_reached_by_its_folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    Path("bay").write_bytes(b"x")
    assert resolve("bay") == bundled()["bay"]
    assert resolve("./bay").path == Path("bay")


@pytest.mark.parametrize("name", ["a" * 300, "\0"])
def test_a_name_that_no_file_can_have_is_an_unknown_one(name):
    with pytest.raises(TerrainError, match="no such file or terrain"):
        resolve(name)


def test_an_unknown_name_lists_the_known_ones():
    with pytest.raises(TerrainError, match=r"nowhere: there is no such file or terrain; .* bay, basin"):
        resolve("nowhere")


def test_options_may_be_changed_on_the_way():
    source = bundled()["monai"]
    other = source.with_options(source.options.changed(water_level=-0.01))
    assert other.load().water_level == pytest.approx(-4.0) and source.load().water_level == 0.0


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
