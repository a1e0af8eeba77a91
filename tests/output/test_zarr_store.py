"""Zarr stores, opened by the library that everyone opens them with."""

import os
import subprocess
import sys
from dataclasses import replace

import numpy as np
import pytest
from support.peers import open_zarr
from support.scenes import make_frame

from waterview.core.errors import InputError
from waterview.output.zarr_store import save_zarr


def frames(count):
    chance = np.random.default_rng(1)
    bed = np.full((21, 31), -2.0)
    bed[:4] = 5.0
    for number in range(count):
        made = make_frame((21, 31), 0.5, level=0.25, bed=bed, heights=chance.normal(size=(21, 31)))
        yield replace(made, time=0.1 * number)


def test_everything_is_read_as_it_was(tmp_path):
    path = tmp_path / "new folder" / "a.zarr"
    for _ in range(2):  # the second replaces the first
        save_zarr(frames(3), 3, next(frames(1)).grid, path)
    store = open_zarr(path)
    expected = list(frames(3))
    assert sorted(store.array_keys()) == ["bed", "fixed", "heights", "time", "world_x", "world_z", "x", "y"]
    assert store["heights"].chunks == (3, 21, 31) and store.metadata.zarr_format == 3
    np.testing.assert_array_equal(store["heights"][:], np.stack([frame.heights for frame in expected]))
    np.testing.assert_array_equal(store["time"][:], [frame.time for frame in expected])
    np.testing.assert_array_equal(store["bed"][:], expected[0].bed)
    np.testing.assert_array_equal(store["fixed"][:], expected[0].fixed)
    np.testing.assert_array_equal(store["x"][:], expected[0].grid.x)
    np.testing.assert_array_equal(store["y"][:], -expected[0].grid.z)
    np.testing.assert_array_equal(store["world_z"][:], expected[0].grid.z)
    assert {"spacing": 0.5, "level": 0.25, "units": "m"}.items() <= dict(store.attrs).items()
    assert store["heights"].metadata.dimension_names == ("time", "y", "x")
    assert store.metadata.consolidated_metadata is not None


def test_stopped_half_way_it_can_be_read(tmp_path):
    def stopped():
        yield from frames(2)
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        save_zarr(stopped(), 5, next(frames(1)).grid, tmp_path / "a.zarr")
    heights = open_zarr(tmp_path / "a.zarr")["heights"]
    assert heights.shape == (5, 21, 31)
    np.testing.assert_array_equal(heights[1], list(frames(2))[1].heights)
    assert np.isnan(heights[2:]).all()


def test_nothing_else_is_replaced(tmp_path):
    (tmp_path / "a.zarr").mkdir()
    (tmp_path / "a.zarr" / "thesis.txt").write_text("years of work")
    with pytest.raises(InputError, match="something else has that name"):
        save_zarr(frames(1), 1, next(frames(1)).grid, tmp_path / "a.zarr")
    assert (tmp_path / "a.zarr" / "thesis.txt").exists()


def test_a_link_to_a_store_is_not_replaced(tmp_path):
    save_zarr(frames(1), 1, next(frames(1)).grid, tmp_path / "a.zarr")
    (tmp_path / "link.zarr").symlink_to(tmp_path / "a.zarr", target_is_directory=True)
    with pytest.raises(InputError, match="something else has that name"):
        save_zarr(frames(2), 2, next(frames(1)).grid, tmp_path / "link.zarr")
    assert open_zarr(tmp_path / "a.zarr")["heights"].shape[0] == 1


FULL = """
import resource, signal, sys
from pathlib import Path
import numpy as np
from support.scenes import make_frame
from waterview.core.errors import InputError
from waterview.output.zarr_store import save_zarr
frame = make_frame((65, 65), heights=np.random.default_rng(1).random((65, 65)))
signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
resource.setrlimit(resource.RLIMIT_FSIZE, (5000, 5000))
try:
    save_zarr([frame], 1, frame.grid, Path(sys.argv[1]))
except InputError as error:
    print(error)
"""


@pytest.mark.slow
def test_a_full_disk_is_one_line(tmp_path):
    here = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    command = [sys.executable, "-c", FULL, str(tmp_path / "a.zarr")]
    done = subprocess.run(command, capture_output=True, text=True, timeout=120, check=True, env=here)
    assert "cannot write the heights" in done.stdout and len(done.stdout.splitlines()) == 1, done.stdout


def test_an_earlier_store_stays_until_the_new_one_is_complete(tmp_path):
    path, beside = tmp_path / "a.zarr", tmp_path / "a.part.zarr"
    save_zarr(frames(3), 3, next(frames(1)).grid, path)

    def stopped():
        yield from frames(2)
        raise KeyboardInterrupt

    for _ in range(2):  # the second replaces what the first left
        with pytest.raises(KeyboardInterrupt):
            save_zarr(stopped(), 5, next(frames(1)).grid, path)
        assert open_zarr(path)["heights"].shape == (3, 21, 31)
        heights = open_zarr(beside)["heights"]
        assert heights.shape == (5, 21, 31) and not np.isnan(heights[1]).any()
    save_zarr(frames(2), 2, next(frames(1)).grid, path)
    assert open_zarr(path)["heights"].shape == (2, 21, 31)
    assert [each.name for each in tmp_path.iterdir()] == ["a.zarr"]


@pytest.mark.slow
def test_chunks_suit_a_series_at_a_point_and_fill_up_at_the_edges(tmp_path):
    """35 frames of 300 × 260 points: two chunks along time, and two along each side."""
    import zarr

    chance = np.random.default_rng(2)
    made = [make_frame((300, 260), heights=chance.normal(size=(300, 260))) for _ in range(35)]
    save_zarr(iter(made), 35, made[0].grid, tmp_path / "a.zarr")
    heights = zarr.open_group(tmp_path / "a.zarr", mode="r")["heights"]
    assert heights.chunks == (32, 256, 256)
    np.testing.assert_array_equal(heights[:], np.stack([frame.heights for frame in made]))
    assert len([each for each in (tmp_path / "a.zarr" / "heights").rglob("*") if each.is_file()]) == 1 + 2 * 2 * 2


def test_a_store_of_an_earlier_version_is_replaced(tmp_path):
    import zarr

    path = tmp_path / "a.zarr"
    group = zarr.open_group(path, mode="w", zarr_format=2)
    for name in ("heights", "z", "fixed"):
        group.create_array(name, shape=(4, 5), dtype="f4")[:] = 1.0
    save_zarr(frames(2), 2, next(frames(1)).grid, path)
    assert "z" not in zarr.open_group(path, mode="r")


@pytest.mark.parametrize("name", ["map.tif", "heights/map.tif", "notes/1.0.0", "0.0.tif", "heights/c/0/0/notes"])
def test_a_store_with_somebodys_file_in_it_is_not_replaced(tmp_path, name):
    path = tmp_path / "a.zarr"
    save_zarr(frames(1), 1, next(frames(1)).grid, path)
    (path / name).parent.mkdir(exist_ok=True)
    (path / name).write_text("years of work")
    with pytest.raises(InputError, match="would be lost"):
        save_zarr(frames(1), 1, next(frames(1)).grid, path)
    assert (path / name).read_text() == "years of work"
