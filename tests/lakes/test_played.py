"""Baked lakes and heights that were written, opened to be played, drawn and brought to life."""

import shutil

import numpy as np
import pytest
from PIL import Image
from support.coast import COAST

import waterview
from waterview.cli.program import run
from waterview.core.commands import ShowField, ShowFrame
from waterview.core.errors import InputError, ParameterError
from waterview.core.playback import Part
from waterview.core.rectangle import Rectangle
from waterview.lakes.played import is_playable, open_recording
from waterview.sim.playback import PlayedWater
from waterview.sim.world import World

SIZE = {"size_m": 400.0, "vertical_scale": 0.01}
DROP = waterview.Drop(-125.0, 85.0, 3.0, 20.0)


@pytest.fixture(scope="module")
def lake(tmp_path_factory):
    path = tmp_path_factory.mktemp("played") / "lake.zarr"
    measured = {"gauges": ["G1:-125,85"], "maxima": True}
    options = {**SIZE, **measured, "grid": 300, "block": 128, "drops": [DROP]}
    return waterview.bake(COAST.path, path, seconds=0.4, every=0.2, **options)


@pytest.fixture(scope="module")
def written(tmp_path_factory):
    """The same heights as .npz and as .zarr."""
    folder = tmp_path_factory.mktemp("written")
    for name in ("heights.npz", "heights.zarr"):
        size = ["--size-m", "400", "--vertical-scale", "0.01", "--grid", "300", "--drop", "-125,85,3,20"]
        times = ["--seconds", "0.4", "--fps", "5"]
        assert run(["render", str(COAST.path), *size, *times, "--out", str(folder / name)]) == 0
    return folder


@pytest.mark.slow
def test_a_baked_lake_is_read_by_parts_of_its_levels(lake):
    recorded = open_recording(lake.path)
    assert (recorded.title, list(recorded.times), recorded.levels) == ("lake.zarr", lake.times, lake.levels)
    assert recorded.settings["wave_speed"] == 40.0
    part = Part(1, Rectangle(3, 60, 10, 100))
    heights, problem = recorded.heights(range(1, 3), part)
    assert not problem
    np.testing.assert_array_equal(heights, [lake.heights(number, 1)[3:60, 10:100] for number in (1, 2)])
    bed, fixed = recorded.ground(part)
    whole = lake.frame(0, 1)
    np.testing.assert_array_equal(bed, whole.bed[3:60, 10:100])
    np.testing.assert_array_equal(fixed, whole.fixed[3:60, 10:100])


@pytest.mark.slow
def test_gauges_and_fields_that_were_baked_are_shown(lake):
    world = World(PlayedWater(open_recording(lake.path)))
    world.apply(ShowFrame(1))
    (gauge,) = world.publish(1).gauges
    assert gauge.name == "G1" and gauge.times[-1] == pytest.approx(0.2, abs=0.051) and gauge.times[0] == 0.0
    world.apply(ShowField("largest surface"))
    field = world.publish(2).field_map
    np.testing.assert_array_equal(field.values, lake.maxima("largest_surface"))
    assert field.unit == "m"


@pytest.mark.slow
@pytest.mark.parametrize("name", ["heights.npz", "heights.zarr"])
def test_written_heights_are_read_by_parts_and_every_second_point_is_a_level(written, name):
    recorded = open_recording(written / name)
    with np.load(written / "heights.npz") as saved:
        heights, bed, origin, spacing = (saved[key] for key in ("heights", "bed", "origin", "spacing"))
    assert list(recorded.times) == pytest.approx([0.0, 0.2, 0.4]) and recorded.levels == 3
    assert recorded.grid(0).origin == pytest.approx(tuple(origin)) and recorded.grid(1).spacing == 2.0 * spacing
    found, problem = recorded.heights(range(3), Part(0, Rectangle(0, heights.shape[1], 0, 300)))
    assert not problem and heights.any()
    np.testing.assert_array_equal(found, heights)
    part = Part(1, Rectangle(5, 60, 20, 120))
    np.testing.assert_array_equal(recorded.heights(range(2, 3), part)[0][0], heights[2, 10:119:2, 40:239:2])
    np.testing.assert_array_equal(recorded.ground(part)[0], bed[10:119:2, 40:239:2])
    assert 1 in recorded.together(1)


@pytest.mark.slow
def test_a_heightmap_and_a_plain_folder_are_not_playable(written, tmp_path):
    np.savez(tmp_path / "bed.npz", z=np.zeros((5, 6)))
    assert not is_playable(tmp_path / "bed.npz") and not is_playable(tmp_path) and not is_playable(COAST.path)
    assert is_playable(written / "heights.npz") and is_playable(written / "heights.zarr")
    with pytest.raises(InputError, match="needed is a lake of waterview bake"):
        open_recording(tmp_path)


def wrong_bed(arrays):
    arrays["bed"] = arrays["bed"][1:]


def wrong_times(arrays):
    arrays["times"] = arrays["times"][::-1]


def no_heights(arrays):
    arrays["heights"] = arrays["heights"].astype(complex)


@pytest.mark.slow
@pytest.mark.parametrize("spoil", [wrong_bed, wrong_times, no_heights])
def test_arrays_that_do_not_agree_are_refused_in_a_line(written, tmp_path, spoil):
    with np.load(written / "heights.npz") as saved:
        arrays = dict(saved)
    spoil(arrays)
    np.savez(tmp_path / "spoilt.npz", **arrays)
    with pytest.raises(InputError, match=r"spoilt\.npz cannot be played") as error:
        open_recording(tmp_path / "spoilt.npz")
    assert "\n" not in str(error.value)


@pytest.mark.slow
def test_packed_heights_are_played_too(written, tmp_path):
    with np.load(written / "heights.npz") as saved:
        np.savez_compressed(tmp_path / "packed.npz", **saved)
    part = Part(0, Rectangle(0, 20, 0, 30))
    packed, plain = open_recording(tmp_path / "packed.npz"), open_recording(written / "heights.npz")
    np.testing.assert_array_equal(packed.heights(range(2, 3), part)[0], plain.heights(range(2, 3), part)[0])


def damaged_copy(lake, folder, level=""):
    """A copy of a lake with one damaged chunk in frame 1, and the path of the copy."""
    shutil.copytree(lake.path, folder / "lake.zarr")
    shards = (folder / "lake.zarr" / level / "heights" / "c" / "1").rglob("*")
    shard = max((path for path in shards if path.is_file()), key=lambda path: path.stat().st_size)
    content = bytearray(shard.read_bytes())
    content[len(content) // 3] ^= 255
    shard.write_bytes(content)
    return folder / "lake.zarr"


@pytest.mark.slow
def test_a_damaged_chunk_is_named_and_taken_from_the_coarser_level(lake, tmp_path):
    recorded = open_recording(damaged_copy(lake, tmp_path))
    nz, nx = lake.grid.shape
    heights, problem = recorded.heights(range(1, 2), Part(0, Rectangle(0, nz, 0, nx)))
    assert "heights of frame 1, level 0, is damaged" in problem
    right = lake.heights(1)
    differs = heights[0] != right
    assert 0 < differs.sum() <= 256 * 256
    assert np.abs(heights[0] - right)[differs].mean() < 0.1 * np.abs(right[differs]).mean()
    whole, problem = recorded.heights(range(2, 3), Part(0, Rectangle(0, nz, 0, nx)))
    assert not problem
    np.testing.assert_array_equal(whole[0], lake.heights(2))


@pytest.mark.slow
def test_damage_is_told_while_pictures_are_drawn_and_heights_are_not_made_up(lake, tmp_path, capfd):
    path = str(damaged_copy(lake, tmp_path))
    out = str(tmp_path / "p_%02d.png")
    assert run(["render", path, "--size", "64x48", "--quality", "low", "--out", out]) == 0
    assert "frame 1, level 0, is damaged" in capfd.readouterr().err
    assert len(list(tmp_path.glob("p_*.png"))) == 3
    assert run(["render", path, "--out", str(tmp_path / "h.npz")]) == 2
    assert "is damaged" in capfd.readouterr().err and not (tmp_path / "h.npz").exists()


@pytest.mark.slow
@pytest.mark.parametrize("name", ["heights.npz", "heights.zarr"])
def test_written_heights_are_drawn_and_those_near_the_eye_are_finer(written, name, tmp_path):
    for number, camera in enumerate(("0,0,700", "-125,85,30,20,60")):
        out = tmp_path / f"{number}.png"
        arguments = ["--camera", camera, "--size", "64x48", "--quality", "low", "--out", str(out)]
        assert run(["render", str(written / name), *arguments]) == 0
        assert np.asarray(Image.open(out)).std() > 5.0


@pytest.mark.slow
def test_what_a_recording_cannot_heed_is_refused(written, tmp_path, capfd):
    path = str(written / "heights.npz")
    for extra in (["--damping", "1"], ["--gauge", "A:0,0"], ["--drop", "0,0"]):
        assert run(["render", path, *extra, "--out", str(tmp_path / "x.png")]) == 2
        assert f"{extra[0]}: {path} is computed already" in capfd.readouterr().err
    assert run(["render", path, "--out", path]) == 2
    assert "would be lost" in capfd.readouterr().err
    # The bed in it is a terrain where it is asked for by name, as before.
    assert run(["inspect", path, "--variable", "bed"]) == 0


@pytest.mark.slow
def test_a_window_of_a_lake_goes_on_alive_as_the_lake_does(lake):
    scene = waterview.simulate_from(lake, at=0.21)
    assert scene.time == 0.0 and scene.water.grid.shape == lake.grid.shape
    start, later = lake.heights(1), lake.heights(2)
    np.testing.assert_array_equal(scene.height, start)
    from_rest = waterview.simulate_from(lake, at=0.2)
    from_rest.water.set_state(start)
    errors = [np.abs(water.run(0.2).height - later).max() for water in (scene, from_rest)]
    assert errors[0] < 0.5 * errors[1], "heights alone miss by far more"
    part = waterview.simulate_from(str(lake.path), at=0.2, window=(-125.0, 85.0, 60.0))
    assert part.water.grid.size == pytest.approx((60.0, 60.0), abs=3.0)
    assert part.water.params.border == "open"
    assert np.abs(part.height).max() == np.abs(start).max()
    assert part.water.ground[0, 0] in lake.frame(0).bed


@pytest.mark.slow
@pytest.mark.parametrize(
    ("at", "window"), [(9.0, None), (float("nan"), None), (0.2, (900.0, 0.0, 10.0)), (0.2, (0.0, 0.0, 0.0))]
)
def test_what_is_not_in_the_lake_is_not_brought_to_life(lake, at, window):
    with pytest.raises(ParameterError, match=r"lake\.zarr"):
        waterview.simulate_from(lake, at, window)
