"""Fields over the run on disk, opened by the libraries that people open them with."""

import csv

import numpy as np
import pytest
import rasterio
from rasterio.transform import Affine

from waterview.cli import run
from waterview.core.commands import Drop
from waterview.core.errors import InputError
from waterview.output.maxima_files import save_maxima
from waterview.scene.scene import Scene, SceneParams
from waterview.sim.maxima import inundation_line
from waterview.terrain.heightmap import Heightmap

PLACE = Affine(10.0, 0.0, 500_000.0, 0.0, -10.0, 5_300_000.0)


@pytest.fixture
def bay(tmp_path):
    """A bay of 600 × 400 m with a beach in the east, by UTM coordinates."""
    x, z = np.meshgrid(np.arange(61), np.arange(41))
    heights = (0.2 * (x - 45) + 0.0 * z).astype(np.float32)
    path = tmp_path / "bay.tif"
    with rasterio.open(path, "w", "GTiff", 61, 41, 1, dtype="float32", crs="EPSG:32633", transform=PLACE) as raster:
        raster.write(heights, 1)
    return path


def flooded_world(bay, model="shallow-water"):
    heightmap = Heightmap.load(bay)
    world = Scene(heightmap, SceneParams(model=model, grid=61, maxima=True)).make_world()
    world.apply(Drop(50.0, 30.0, 4.0, 150.0, neutral=False))
    world.advance(300)
    return world, heightmap


def test_rasterio_opens_maps_at_the_terrains_coordinates(bay, tmp_path):
    world, _ = flooded_world(bay)
    save_maxima(world, tmp_path / "new folder" / "a.tif")
    maxima = world.maxima
    with rasterio.open(tmp_path / "new folder" / "a.tif") as raster:
        assert raster.crs.to_epsg() == 32633
        assert raster.transform == pytest.approx(PLACE)
        assert raster.descriptions == ("largest surface [m]", "arrival time [s]", "largest speed [m/s]", "flooded")
        for number, field in enumerate((maxima.surface, maxima.arrival, maxima.speed, maxima.flooded), 1):
            assert np.array_equal(raster.read(number), field.astype(np.float32), equal_nan=True)
        # The drop's middle, 50 m east and 30 m south of the middle of the map.
        (value,) = raster.sample([(500_305.0 + 50.0, 5_299_795.0 - 30.0)])
        assert value[0] == maxima.surface[23, 35] > 0.5


def test_without_a_terrain_coordinates_count_from_the_middle(bay, tmp_path):
    ground = Heightmap.from_array(Heightmap.load(bay).heights, cell=10.0)
    save_maxima(Scene(ground, SceneParams(grid=61, maxima=True)).make_world(), tmp_path / "a.tif")
    with rasterio.open(tmp_path / "a.tif") as raster:
        assert raster.count == 2 and not (raster.crs and raster.crs.to_epsg())
        assert (raster.transform.a, raster.transform.e, raster.transform.c) == (10.0, -10.0, -305.0)


@pytest.mark.slow
def test_the_inundation_line_is_a_table(bay, tmp_path):
    world, heightmap = flooded_world(bay)
    assert world.maxima.flooded.any()
    save_maxima(world, tmp_path / "a.csv")
    with (tmp_path / "a.csv").open(newline="") as file:
        head, *rows = csv.reader(file)
    assert head == ["x [m]", "z [m]", "ground [m]", "longitude", "latitude"]
    table = np.array(rows, float)
    assert np.array_equal(table[:, :3], inundation_line(world.maxima, world.water))
    x, z = heightmap.at_longitude(table[:, 3], table[:, 4])
    assert np.allclose(x, table[:, 0], atol=1e-3) and np.allclose(z, table[:, 1], atol=1e-3)
    assert table[:, 2].max() > 0.2, "water ran up the beach"


@pytest.mark.slow
def test_render_writes_them_and_the_bits_are_pythons(bay, tmp_path, capfd):
    where = ["--model", "shallow-water", "--grid", "61", "--drop", "50,30,4,150", "--seconds", "2"]
    out = tmp_path / "a.tif"
    assert run(["render", str(bay), *where, "--out", str(tmp_path / "a.npz"), "--maxima-out", str(out)]) == 0
    assert str(out) in capfd.readouterr().out
    heightmap = Heightmap.load(bay)
    world = Scene(heightmap, SceneParams(model="shallow-water", grid=61, maxima=True)).make_world()
    world.apply(Drop(50.0, 30.0, 4.0, 150.0))
    world.advance(round(2 * world.water.params.steps_per_second))
    with rasterio.open(out) as raster:
        assert np.array_equal(raster.read(1), world.maxima.surface, equal_nan=True)
        assert raster.crs.to_epsg() == 32633


def test_what_cannot_be_written_is_told(bay, tmp_path):
    world, _ = flooded_world(bay, "wave-equation")
    with pytest.raises(InputError, match=r"allowed endings are \.tif, \.csv"):
        save_maxima(world, tmp_path / "a.txt")
    world.maxima = None
    with pytest.raises(InputError, match="start with --maxima"):
        save_maxima(world, tmp_path / "a.tif")
