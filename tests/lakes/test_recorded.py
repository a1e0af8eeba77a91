"""A baked lake, read again and drawn."""

import shutil

import numpy as np
import pytest
import rasterio
from support.coast import COAST

import waterview
from waterview.cli.program import run
from waterview.core.errors import InputError, ParameterError
from waterview.core.rectangle import Rectangle
from waterview.lakes.recorded import open_lake
from waterview.output import geotiff

SIZE = ["--size-m", "400", "--vertical-scale", "0.01"]


@pytest.fixture(scope="module")
def lake(tmp_path_factory):
    path = tmp_path_factory.mktemp("recorded") / "lake.zarr"
    drop = waterview.Drop(-125.0, 85.0, 3.0, 20.0)
    size = {"size_m": 400.0, "vertical_scale": 0.01}
    return waterview.bake(COAST.path, path, **size, seconds=0.4, every=0.2, grid=300, block=128, drops=[drop])


@pytest.mark.slow
def test_windows_of_levels_are_parts_of_the_whole(lake):
    assert len(lake) == 3 and lake.times == [0.0, 0.2, 0.4]
    for level in range(lake.levels):
        whole = lake.heights(2, level)
        assert whole.any()
        np.testing.assert_array_equal(lake.heights(2, level, Rectangle(3, 40, 5, 70)), whole[3:40, 5:70])
        np.testing.assert_array_equal(lake.to_xarray(level).heights[2], whole)


@pytest.mark.slow
def test_a_frame_lies_where_its_window_does(lake):
    frame = lake.frame(1, 1, Rectangle(10, 60, 20, 90))
    fine = lake.grid
    assert frame.grid.spacing == 2.0 * fine.spacing
    assert frame.grid.x[0] == pytest.approx(0.5 * (fine.x[40] + fine.x[41]))
    assert frame.grid.z[-1] == pytest.approx(0.5 * (fine.z[118] + fine.z[119]))
    np.testing.assert_allclose(
        frame.normals[20, 30, 0],
        (frame.heights[20, 29] - frame.heights[20, 31]) / (2.0 * frame.grid.spacing),
        atol=1e-3,
    )
    assert lake.frame(1).place.crs


@pytest.mark.slow
def test_the_finest_level_that_is_small_enough_is_shown(lake):
    assert [lake.level_for(points) for points in (1000, 300, 299, 1)] == [0, 0, 1, lake.levels - 1]


@pytest.mark.parametrize(
    "ask",
    [
        lambda lake: lake.heights(3),
        lambda lake: lake.heights(0, 9),
        lambda lake: lake.heights(0, 0, Rectangle(0, 10, 0, 301)),
        lambda lake: lake.to_xarray(-1),
    ],
)
def test_what_is_not_there_is_refused(lake, ask):
    with pytest.raises(ParameterError, match="it has"):
        ask(lake)


@pytest.mark.slow
def test_damaged_chunks_are_named_and_the_rest_is_read(lake, tmp_path):
    shutil.copytree(lake.path, tmp_path / "lake.zarr")
    shard = max((tmp_path / "lake.zarr" / "heights" / "c" / "1").rglob("*"), key=lambda path: path.stat().st_size)
    content = bytearray(shard.read_bytes())
    content[len(content) // 3] ^= 255
    shard.write_bytes(content)
    damaged = open_lake(tmp_path / "lake.zarr")
    with pytest.raises(InputError, match=r"heights of frame 1, level 0, is damaged in rows 0 to"):
        damaged.heights(1)
    np.testing.assert_array_equal(damaged.heights(2), lake.heights(2))


def test_a_folder_that_is_no_lake_is_refused(tmp_path):
    with pytest.raises(InputError, match="no store of a baked lake"):
        open_lake(tmp_path)


@pytest.mark.parametrize("name", ["gravity", "colour"])
def test_settings_that_a_lake_does_not_know_are_refused(tmp_path, name):
    with pytest.raises(ParameterError, match=f"no setting of a lake is called '{name}'"):
        waterview.bake(COAST.path, tmp_path / "lake.zarr", seconds=0.1, **{name: 1.0})


@pytest.mark.slow
def test_a_lake_is_baked_and_filmed_on_the_command_line(tmp_path, monkeypatch, capfd):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(geotiff, "STRIP_POINTS", 7_000)  # some strips of rows
    how = [*SIZE, "--grid", "150", "--seconds", "0.2", "--every", "0.1", "--drop=-125,85", "--workers", "0"]
    how += ["--gauge", "sea:-125,85", "--gauges-out", "sea.csv", "--maxima-out", "sea.tif"]
    assert run(["bake", str(COAST.path), *how, "--out", "lake.zarr"]) == 0
    told = capfd.readouterr().err
    assert "frame 2 of 2" in told and "dry land" not in told
    assert run(["bake", str(COAST.path), *how, "--out", "lake.zarr"]) == 2
    assert "exists already" in capfd.readouterr().err
    before = open_lake(tmp_path / "lake.zarr").heights(2)
    assert run(["bake", str(COAST.path), *how, "--out", "lake.zarr", "--resume"]) == 0
    np.testing.assert_array_equal(open_lake(tmp_path / "lake.zarr").heights(2), before)
    assert (tmp_path / "sea.csv").read_text().startswith("time [s],sea surface [m],sea depth [m]\n")
    largest = open_lake("lake.zarr").maxima("largest_surface")
    assert np.nanmax(largest) > 0.1
    with rasterio.open("sea.tif") as raster:
        np.testing.assert_array_equal(raster.read(1), largest)
        np.testing.assert_array_equal(raster.read(2), open_lake("lake.zarr").maxima("arrival_time"))
        assert raster.descriptions == ("largest surface [m]", "arrival time [s]") and raster.crs is not None
    assert run(["render", "lake.zarr", "--out", "lake.gif", "--size", "64x36", "--quality", "low"]) == 0
    assert (tmp_path / "lake.gif").stat().st_size > 1000
    assert run(["render", "lake.zarr", "--out", "heights.npz"]) == 0
    np.testing.assert_array_equal(np.load(tmp_path / "heights.npz")["heights"][-1], before)


@pytest.mark.parametrize(
    ("more", "reason"),
    [
        (["--gauge", "a:9e9,0"], "the gauge 'a' at 9e+09, 0 lies outside the map"),
        ([*SIZE, "--gauge", "a:-125,85", "--gauge", "a:-125,85"], "two gauges called 'a'"),
        ([*SIZE, "--gauge", "a:-50,40"], "lies on land"),
        (["--maxima-out", "a.csv"], "--maxima-out a.csv: of a lake that is baked only .tif is written"),
        (["--gauges-out", "a.csv"], "there are no gauges to write"),
        (["--block", "100"], "--block 100: allowed are multiples of 64"),
        (["--preset", "wake"], "the airy model cannot be baked"),
        (["--workers", "-1"], "--workers"),
        (["--every", "0"], "--every"),
        (["--model", "layered"], "the layered model cannot be baked"),
    ],
)
def test_what_cannot_be_baked_is_told_in_one_line(tmp_path, more, reason, capfd):
    assert run(["bake", str(COAST.path), "--out", str(tmp_path / "lake.zarr"), *more]) == 2
    assert reason in capfd.readouterr().err
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize(
    ("content", "reason"),
    [
        ('bodies = ["duck"]', "--preset scene: it has bodies"),
        ('gauges = ["A:-125,85:measured.csv"]', "measured.csv"),
        ("[settings]\nrain = 5.0", "goes without; leave it away, or give --rain 0"),
        ("surface = 'nowhere.npy'", "nowhere.npy: there is no such file"),
    ],
)
def test_what_a_preset_has_that_cannot_be_baked_is_named(tmp_path, monkeypatch, content, reason, capfd):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "scene.toml").write_text(content)
    assert run(["bake", "--preset", "scene.toml", "--out", "lake.zarr"]) == 2
    told = capfd.readouterr().err
    assert reason in told and len(told.splitlines()) == 1
    assert [each.name for each in tmp_path.iterdir()] == ["scene.toml"]


@pytest.mark.slow
def test_drops_and_gauges_of_a_preset_are_baked(tmp_path, monkeypatch, capfd):
    monkeypatch.chdir(tmp_path)
    settings = "[settings]\nsize_m = 400.0\nvertical_scale = 0.01\ngrid = 150\n"
    falls = "[[drops]]\nx = -125.0\nz = 85.0\nheight = 3.0\nradius = 20.0\n"
    start = f"terrain = '{COAST.path}'\ngauges = ['A:-125,85:measured.csv']\n"
    (tmp_path / "measured.csv").write_text("time [s],A [cm]\n0,3\n0.1,-4\n")
    (tmp_path / "scene.toml").write_text(start + settings + falls)
    how = ["--seconds", "0.2", "--every", "0.1", "--workers", "0"]
    later, gauge = ["--drop=-120,80,2,20,0.1"], ["--gauge", "B:-120,80"]
    assert run(["bake", "--preset", "scene.toml", *how, *later, *gauge, "--out", "preset.zarr"]) == 0
    options = [*SIZE, "--grid", "150", "--drop=-125,85,3,20"]
    assert run(["bake", str(COAST.path), *options, *how, *later, "--out", "options.zarr"]) == 0
    found, expected = open_lake("preset.zarr"), open_lake("options.zarr")
    for number in range(3):
        np.testing.assert_array_equal(found.heights(number), expected.heights(number))
    assert found.heights(0).max() > 1.0
    one, other = found.gauges
    assert (one.name, other.name) == ("A", "B") and other.measured is None
    np.testing.assert_allclose((one.measured.times, one.measured.surface), [[0.0, 0.1], [0.03, -0.04]])
    # On another terrain a preset is its settings alone.
    assert run(["bake", str(COAST.path), *SIZE, "--preset", "scene.toml", *how, "--out", "still.zarr"]) == 0
    assert "nothing disturbs the water" in capfd.readouterr().err
    assert not open_lake("still.zarr").heights(2).any() and not open_lake("still.zarr").gauges


@pytest.mark.slow
def test_a_drop_on_dry_land_is_told(tmp_path, capfd):
    how = [*SIZE, "--grid", "65", "--seconds", "0", "--workers", "0", "--out", str(tmp_path / "lake.zarr")]
    assert run(["bake", str(COAST.path), *how, "--drop=-50,40", "--drop=-125,85,1,9,7"]) == 0
    told = capfd.readouterr().err
    assert "the drop at -50,40 falls on dry land" in told
    assert "the drop at -125,85 falls at 7 s, after the end" in told


def test_a_baked_lake_is_no_heightmap(lake, capfd):
    assert run(["inspect", str(lake.path)]) == 2
    assert "waterview render draws it" in capfd.readouterr().err


@pytest.mark.slow
def test_a_baked_lake_is_shown_as_it_is(lake, tmp_path, capfd):
    assert run(["render", str(lake.path), "--out", str(tmp_path / "a.png"), "--damping", "1"]) == 2
    assert "--damping" in capfd.readouterr().err
