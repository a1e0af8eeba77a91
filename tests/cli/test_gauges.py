"""Gauges on the command line: where they stand, and that they measure what Python does, to the bit."""

import numpy as np
import pytest
import rasterio
from rasterio.transform import Affine

from waterview.core.commands import Drop, Pause, StepOnce
from waterview.core.series import read_series
from waterview.scene.arguments import GaugePlace, parse_gauge
from waterview.scene.replay import simulating
from waterview.scene.scene import Scene, SceneParams
from waterview.sim.world import World
from waterview.terrain.heightmap import Heightmap

PLACES = (GaugePlace("north", -12.0, -9.0), GaugePlace("south", 11.3, 9.7))
GAUGES = ("--gauge", "north:-12,-9", "--gauge", "south:11.3,9.7")


def columns(path):
    table = read_series(path)
    return {"times": table.times, **{name: values.astype(np.float32) for name, values in table.columns.items()}}


@pytest.mark.slow
def test_gauges_of_render_have_the_bits_of_python_whatever_the_frames(call, tmp_path, islands):
    tables = []
    for fps in ("2", "30"):
        out = tmp_path / f"{fps}.csv"
        how = ("--model", "shallow-water", "--grid", "48", "--seconds", "1", "--fps", fps, "--drop", "-12,-8,0.5,3")
        code, printed, _ = call("render", islands, *how, *GAUGES, "--out", tmp_path / "a.npz", "--gauges-out", out)
        assert code == 0 and str(out) in printed
        tables.append(columns(out))
    world = Scene(Heightmap.load(islands), SceneParams(model="shallow-water", grid=48), gauges=PLACES).make_world()
    world.apply(Drop(-12.0, -8.0, 0.5, 3.0))
    world.advance(round(world.water.params.steps_per_second))
    for gauge in world.gauges:
        for table in tables:
            assert np.array_equal(table["times"], gauge.times)
            assert np.array_equal(table[f"{gauge.name} surface"], gauge.surface)
            assert np.array_equal(table[f"{gauge.name} velocity x"], gauge.velocity_x)
    assert np.abs(world.gauges["north"].surface).max() > 0.01


def test_measurements_are_laid_over_the_gauge_whose_name_their_column_has(tmp_path, islands):
    path = tmp_path / "laboratory.csv"
    path.write_text("time [s],ch5 [cm],ch7 [cm]\n0,1,10\n1,2,20\n")
    world = World(Scene(Heightmap.load(islands), SceneParams(grid=32)).make_water())
    for text in (f"ch7:12,9:{path}", f"other:13,9:{path}"):
        for command in parse_gauge(text).commands(Heightmap.load(islands)):
            world.apply(command)
    assert world.gauges["ch7"].measured.surface.tolist() == [0.1, 0.2]
    assert world.gauges["other"].measured.surface.tolist() == [0.01, 0.02]


def test_places_are_metres_coordinates_of_the_file_or_degrees(tmp_path):
    path = tmp_path / "bay.tif"
    heights = np.full((21, 31), -5.0, np.float32)
    where = {"crs": "EPSG:32633", "transform": Affine(10.0, 0.0, 500_000.0, 0.0, -10.0, 5_300_000.0)}
    with rasterio.open(path, "w", "GTiff", 31, 21, 1, dtype="float32", **where) as raster:
        raster.write(heights, 1)
    heightmap = Heightmap.load(path)
    (metres,) = parse_gauge("A:20,-30").commands(heightmap)
    assert (metres.x, metres.z) == (20.0, -30.0)
    # The middle of the map is the centre of its sixteenth column and eleventh row.
    (mapped,) = parse_gauge("A:500175,5299925@map").commands(heightmap)
    assert (mapped.x, mapped.z) == (20.0, -30.0)
    longitude, latitude = 15.0023397, 47.8534
    (degrees,) = parse_gauge(f"A:{longitude},{latitude}@lonlat").commands(heightmap)
    (x,), (y,) = rasterio.warp.transform("EPSG:4326", "EPSG:32633", [longitude], [latitude])
    assert np.allclose((degrees.x, degrees.z), (x - 500_155.0, 5_299_895.0 - y), atol=0.01)


def test_a_replay_measures_what_the_run_did_and_can_be_looked_at_afterwards(call, tmp_path, islands):
    scene = Scene(Heightmap.load(islands), SceneParams(grid=32), gauges=PLACES)
    with simulating(scene, tmp_path / "a.jsonl", None) as simulation:
        simulation.post(Pause(True))
        simulation.post(Drop(-12.0, -8.0, 0.5, 3.0))
        for _ in range(30):
            simulation.post(StepOnce())
            simulation.turn(0.0)
    outs = ("--out", tmp_path / "a.npz", "--gauges-out", tmp_path / "a.csv", "--maxima-out", tmp_path / "a.tif")
    code, _, _ = call("render", "--replay", tmp_path / "a.jsonl", *outs)
    assert code == 0
    table = columns(tmp_path / "a.csv")
    for gauge in simulation.world.gauges:
        assert np.array_equal(table["times"], gauge.times) and len(gauge.times) == 31
        assert np.array_equal(table[f"{gauge.name} surface"], gauge.surface)
    with rasterio.open(tmp_path / "a.tif") as raster:
        assert np.nanmax(raster.read(1)) > 0.1
