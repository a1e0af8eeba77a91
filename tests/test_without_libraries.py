"""What works where only the core is installed, and what is said of the rest."""

import json
import tomllib
from pathlib import Path

import numpy as np
import pytest
from PIL import Image
from support.without import run_without

from waterview.terrain.readers import read_raster

ROOT = Path(__file__).parent.parent

READ = """
import json, sys
import numpy as np
from waterview.core.errors import WaterviewError
from waterview.terrain.readers import read_raster
said = {}
for name in sys.argv[2:]:
    try:
        raster = read_raster(name, 16)
        said[name] = [raster.values.tolist(), raster.valid.tolist(), raster.cell, raster.relative]
    except WaterviewError as error:
        said[name] = str(error)
json.dump(said, open(sys.argv[1], "w"))
"""


@pytest.fixture
def pictures(tmp_path):
    """PNG files of several kinds by name."""
    rng = np.random.default_rng(3)
    grey = rng.integers(0, 255, (12, 16), np.uint8)
    fine = rng.integers(0, 65_535, (12, 16), np.uint16)
    clear = np.where(np.arange(16) < 5, 0, 255).astype(np.uint8) * np.ones((12, 1), np.uint8)
    made = {
        "grey": Image.fromarray(grey),
        "fine": Image.fromarray(fine),
        "large": Image.fromarray(np.repeat(np.repeat(grey, 4, 0), 4, 1)),
        "clear": Image.fromarray(np.stack((grey, clear), -1)),
    }
    paths = {name: tmp_path / f"{name}.png" for name in made}
    for name, picture in made.items():
        picture.save(paths[name])
    paths["void"] = tmp_path / "void.png"
    Image.fromarray(grey).save(paths["void"], transparency=int(grey[3, 4]))
    return paths


@pytest.mark.slow
def test_grey_pictures_and_arrays_are_read_without_gdal_as_with_it(pictures, tmp_path):
    colour, map_, placed = tmp_path / "colour.png", tmp_path / "a.tif", tmp_path / "placed.png"
    Image.fromarray(np.eye(12, dtype=np.uint8)[..., None] * np.array((9, 7, 5), np.uint8)).save(colour)
    Image.fromarray(np.eye(12, dtype=np.uint8)).save(map_)
    Image.fromarray(np.eye(12, dtype=np.uint8)).save(placed)
    placed.with_suffix(".pgw").write_text("2\n0\n0\n-2\n100\n200\n")
    np.save(tmp_path / "a.npy", np.arange(12.0).reshape(3, 4))
    out = tmp_path / "out.json"
    done = run_without(READ, out, *pictures.values(), tmp_path / "a.npy", colour, map_, placed)
    assert done.returncode == 0, done.stderr
    said = json.loads(out.read_text())
    for path in (*pictures.values(), tmp_path / "a.npy"):
        raster = read_raster(path, 16)
        values, valid, cell, relative = said[str(path)]
        assert np.array_equal(valid, raster.valid), path
        assert np.allclose(np.where(valid, values, 0.0), np.where(valid, raster.values, 0.0), atol=0.5), path
        assert tuple(cell) == raster.cell and relative == raster.relative
    for path, title in ((colour, "PNG"), (placed, "PNG"), (map_, "TIFF")):
        assert said[str(path)] == (
            f"{path.name}: reading {title} needs rasterio, which is not installed: pip install 'waterview[geo]'"
        )


USE = """
import waterview
from waterview.cli.program import run
from waterview.terrain.library import bundled
scene = waterview.open_scene("a.npy", preset="pool", grid=48, quality="low").run(0.1)
for name in ("a.png", "a.npz", "a.nc", "a.obj", "a.glb", "a.stl"):
    scene.save(name, size=(64, 36))
for source in bundled().values():
    source.load()
assert len(waterview.open_scene(preset="pool", grid=48).world.bodies) == 2
for name in ("b.mp4", "b.tif"):
    assert run(["render", "a.npy", "--grid", "17", "--out", name]) == 2
"""


@pytest.mark.slow
def test_the_core_makes_pictures_and_numbers_and_says_at_once_what_it_cannot_write(tmp_path):
    np.save(tmp_path / "a.npy", -1.0 - np.eye(9, 12))
    done = run_without(USE, cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    for name in ("a.png", "a.npz", "a.nc", "a.obj", "a.glb", "a.stl"):
        assert (tmp_path / name).stat().st_size > 500
    left_out, *refused = done.stderr.splitlines()
    assert "of the preset pool belong to its own terrain" in left_out
    assert refused == [
        f"waterview: writing {ending} needs {library}, which is not installed: pip install 'waterview[{name}]'"
        for ending, library, name in (
            (".mp4", "av", "film"),
            (".tif", "rasterio", "geo"),
        )
    ]
    assert not list(tmp_path.glob("b.*"))


def test_every_library_that_may_be_missing_comes_with_an_extra():
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    extras = {name: " ".join(needed) for name, needed in project["optional-dependencies"].items()}
    for name, library in (("geo", "rasterio"), ("film", "av"), ("panel", "imgui-bundle")):
        assert library in extras[name]
    assert "waterview[film,geo,panel]" in project["dependencies"]


def test_a_picture_of_one_row_or_cut_short_is_refused(tmp_path):
    from waterview.terrain.options import TerrainOptions
    from waterview.terrain.readers.png_reader import read_png

    Image.fromarray(np.zeros((1, 8), np.uint8)).save(tmp_path / "row.png")
    with pytest.raises(Exception, match="each side needs at least 2"):
        read_png(tmp_path / "row.png", 16, TerrainOptions())
    Image.fromarray(np.random.default_rng(1).integers(0, 255, (64, 64), np.uint8)).save(tmp_path / "whole.png")
    (tmp_path / "cut.png").write_bytes((tmp_path / "whole.png").read_bytes()[:2000])
    with pytest.raises(OSError, match="truncated"):
        read_png(tmp_path / "cut.png", 16, TerrainOptions())
