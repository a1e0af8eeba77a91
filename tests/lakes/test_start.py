"""Walls and a given start in a lake that is baked have the bits of the same scene in one piece."""

import numpy as np
import pytest
from lakes.test_run import DROPS, SOURCE
from lakes.test_shallow_block import SETTINGS
from support.coast import COAST

from waterview.cli.program import run as run_command
from waterview.core.commands import PaintWall
from waterview.core.errors import InputError
from waterview.lakes.recorded import open_lake
from waterview.lakes.run import SingleProcess, bake
from waterview.lakes.scene import plan_lake
from waterview.output.offline import run
from waterview.scene.given_start import STILL_WATER, GivenStart
from waterview.scene.presets import load_preset
from waterview.scene.scene import Scene, SceneParams

FAULT = """
horizontal = true
[[faults]]
x = {x}
z = {z}
depth = {depth}
length = {length}
width = {length}
strike = 30
dip = 40
rake = 90
slip = {slip}
"""


@pytest.fixture(scope="module")
def files(tmp_path_factory):
    """A start by rasters and a fault, for a terrain some hundred metres wide."""
    folder = tmp_path_factory.mktemp("start")
    z, x = np.meshgrid(np.linspace(-1.0, 1.0, 31), np.linspace(-1.0, 1.0, 41), indexing="ij")
    np.save(folder / "surface.npy", (2.0 * np.exp(-9.0 * ((x + 0.2) ** 2 + z**2)) + 0.3 * x).astype(np.float32))
    np.save(folder / "flow.npy", np.cos(3.0 * x + z).astype(np.float32))
    (folder / "fault.toml").write_text(FAULT.format(x=-60, z=40, depth=60, length=90, slip=3))
    return GivenStart(folder / "surface.npy", folder / "flow.npy", fault=folder / "fault.toml")


def walls_on(source):
    """Strokes over several blocks, one that is partly removed, and a dab."""
    x, z = (0.5 * size for size in source.load().size)
    return (
        PaintWall(0.1 * x, 0.9 * z, 0.01 * x, start=(0.1 * x, -0.8 * z)),
        PaintWall(0.1 * x, 0.0, 0.1 * x, wall=False),
        PaintWall(-0.5 * x, -0.5 * z, 0.0),
    )


def check(source, settings, how, tmp_path, side, walls=(), start=STILL_WATER, drops=DROPS):
    """Bake, and compare every frame with the scene in one piece."""
    lake = plan_lake(source, {"grid": 150, **settings}, **how, drops=drops, side=side, walls=walls, start=start)
    path = tmp_path / "lake.zarr"
    bake(lake, path, SingleProcess())
    of_scene = {name: value for name, value in settings.items() if name != "model"} | {"keep_volume": False}
    params = SceneParams(grid=150, model=settings.get("model", "wave-equation"))
    world = Scene(source.load(), params, of_scene, walls=walls, start=start).make_world()
    baked = open_lake(path)
    for frame in run(world, how["seconds"], 1.0 / how["every"], drops):
        np.testing.assert_array_equal(baked.heights(frame.serial).view(np.uint32), frame.heights.view(np.uint32))
    return world, baked


@pytest.mark.slow
@pytest.mark.parametrize(
    ("border", "side"), [("open", 64), ("reflecting", 128), ("zero,east=wrapping,west=wrapping", 64)]
)
def test_the_wave_equation_starts_from_files_as_in_one_piece(files, tmp_path, border, side):
    how = {"seconds": 0.5, "every": 0.25}
    world, baked = check(SOURCE, {"border": border}, how, tmp_path, side, walls_on(SOURCE), files)
    assert np.abs(baked.heights(0)).max() > 1.0 and world.water.walls.any()


@pytest.mark.slow
@pytest.mark.parametrize("side", [64, 128])
def test_shallow_water_starts_from_files_as_in_one_piece(files, tmp_path, side):
    how, settings = {"seconds": 4.0, "every": 2.0}, {"model": "shallow-water", "border": "open", **SETTINGS}
    world, baked = check(COAST, settings, how, tmp_path, side, walls_on(COAST), files, drops=())
    assert np.abs(baked.heights(0)).max() > 1.0 and world.water.walls.any()


@pytest.mark.slow
def test_a_start_goes_on_from_a_checkpoint_and_belongs_to_the_scene(files, tmp_path):
    def lake(start=files):
        return plan_lake(SOURCE, {"grid": 96}, seconds=0.2, every=0.1, side=64, start=start)

    class Ends(SingleProcess):
        runs = 0

        def run(self, actions):
            self.runs += 1
            if self.runs == 3:
                raise KeyboardInterrupt
            return super().run(actions)

    bake(lake(), tmp_path / "whole.zarr", SingleProcess())
    with pytest.raises(KeyboardInterrupt):
        bake(lake(), tmp_path / "lake.zarr", Ends(), checkpoint_seconds=0.0)
    with pytest.raises(InputError, match=r"another scene \(start differ\)"):
        bake(lake(GivenStart(files.surface)), tmp_path / "lake.zarr", SingleProcess(), resume=True)
    bake(lake(), tmp_path / "lake.zarr", SingleProcess(), resume=True)
    ours, whole = open_lake(tmp_path / "lake.zarr"), open_lake(tmp_path / "whole.zarr")
    np.testing.assert_array_equal(ours.heights(2), whole.heights(2))
    assert np.abs(whole.heights(2)).max() > 0.5


@pytest.mark.parametrize(
    ("text", "reason"),
    [(FAULT.format(x=0, z=0, depth=60, length=-1, slip=3), "length"), ("[[faults]]\nx = 1e8\nz = 0", "depth")],
)
def test_a_start_that_makes_no_sense_is_refused_before_anything_is_made(tmp_path, text, reason):
    (tmp_path / "fault.toml").write_text(text)
    with pytest.raises(InputError, match=rf"fault\.toml.*{reason}"):
        plan_lake(SOURCE, {"grid": 96}, seconds=1.0, every=1.0, start=GivenStart(fault=tmp_path / "fault.toml"))


def test_walls_and_start_of_a_preset_are_baked(files, tmp_path, monkeypatch, capfd):
    monkeypatch.chdir(tmp_path)
    settings = "[settings]\nsize_m = 400.0\nvertical_scale = 0.01\ngrid = 96\n"
    walls = "[[walls]]\nfrom = [-130, 60]\nto = [-110, 110]\nradius = 4.0\n"
    (tmp_path / "scene.toml").write_text(f"terrain = '{COAST.path}'\nsurface = '{files.surface}'\n{settings}{walls}")
    how = ["--seconds", "0.1", "--every", "0.1", "--workers", "0"]
    assert run_command(["bake", "--preset", "scene.toml", *how, "--out", "preset.zarr"]) == 0
    assert "nothing disturbs the water" not in capfd.readouterr().err
    asked = load_preset(tmp_path / "scene.toml")
    lake = plan_lake(COAST, {"grid": 96}, seconds=0.1, every=0.1, walls=asked.walls, start=asked.start)
    bake(lake, tmp_path / "lake.zarr", SingleProcess())
    found, expected = open_lake("preset.zarr"), open_lake("lake.zarr")
    np.testing.assert_array_equal(found.heights(1), expected.heights(1))
    wall = found.frame(0).grid.nearest(-120.0, 85.0)
    assert found.frame(0).fixed[wall[::-1]] and not found.heights(1)[wall[::-1]]
    assert not open_lake("lake.zarr").frame(0).fixed.all() and np.abs(found.heights(1)).max() > 0.5
    # What is asked for comes before what the preset has.
    np.save("calm.npy", np.zeros((8, 8), np.float32))
    more = ["--surface", "calm.npy", "--out", "calm.zarr"]
    assert run_command(["bake", "--preset", "scene.toml", *how, *more]) == 0
    assert not open_lake("calm.zarr").heights(1).any()
