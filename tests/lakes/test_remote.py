"""Lakes that are opened, and baked, by a URL."""

import fsspec
import numpy as np
import pytest
import zarr
from lakes.test_run import Ends
from lakes.test_run import lake as planned_lake
from support.coast import COAST

import waterview
from waterview.cli.program import run
from waterview.core.errors import InputError
from waterview.core.playback import Part
from waterview.core.rectangle import Rectangle
from waterview.lakes.checkpoints import checkpoints_of, read_block, save_block
from waterview.lakes.cluster import cluster
from waterview.lakes.played import open_recording
from waterview.lakes.recorded import open_lake
from waterview.lakes.remote import RemotePath, is_url, store_path
from waterview.lakes.run import SingleProcess, bake


@pytest.fixture(scope="module")
def lake(tmp_path_factory):
    path = tmp_path_factory.mktemp("remote") / "lake.zarr"
    drop, size = waterview.Drop(-125.0, 85.0, 3.0, 20.0), {"size_m": 400.0, "vertical_scale": 0.01}
    return waterview.bake(COAST.path, path, **size, seconds=0.1, every=0.1, grid=150, drops=[drop])


@pytest.fixture(params=["file", "memory"])
def url(request, lake):
    if request.param == "file":
        return lake.path.as_uri()
    memory = fsspec.filesystem("memory")
    memory.put(str(lake.path), "/bucket/lake.zarr", recursive=True)
    return "memory://bucket/lake.zarr"


@pytest.mark.slow
def test_a_lake_is_read_by_its_url(lake, url):
    found = open_lake(url)
    assert str(found.path) == url and found.times == lake.times
    assert found.heights(1).any()
    for level in range(lake.levels):
        np.testing.assert_array_equal(found.heights(1, level), lake.heights(1, level))
    np.testing.assert_array_equal(found.frame(1).heights, lake.frame(1).heights)
    np.testing.assert_array_equal(found.to_xarray(1).heights[1], lake.heights(1, 1))
    played = open_recording(url)
    heights, problem = played.heights(range(1, 2), Part(0, Rectangle(10, 50, 20, 90)))
    assert played.title == "lake.zarr" and problem == ""
    np.testing.assert_array_equal(heights[0], lake.heights(1)[10:50, 20:90])


@pytest.mark.slow
def test_heights_of_a_lake_and_of_a_store_of_render_are_written_from_urls(lake, url, tmp_path):
    assert run(["render", url, "--out", str(tmp_path / "copy.zarr")]) == 0
    assert run(["render", (tmp_path / "copy.zarr").as_uri(), "--out", str(tmp_path / "copy.npz")]) == 0
    np.testing.assert_array_equal(np.load(tmp_path / "copy.npz")["heights"][-1], lake.heights(1))


@pytest.mark.slow
def test_what_fails_where_it_lies_is_named(lake, monkeypatch):
    class ConnectionLostError(Exception):
        """As packages for storage have errors of their own."""

    def fail(*_):
        raise ConnectionLostError("no connection")

    found = open_lake(lake.path.as_uri())
    monkeypatch.setattr(zarr.Array, "__getitem__", fail)
    with pytest.raises(InputError, match=r"file://.*heights of frame 0.*no connection"):
        found.heights(0)


@pytest.mark.parametrize(
    ("url", "reason"),
    [
        ("memory://nowhere/lake.zarr", "memory://nowhere/lake.zarr cannot be played"),
        ("nothing://bucket/lake.zarr", "nothing://bucket/lake.zarr/zarr.json cannot be read: Protocol not known"),
    ],
)
def test_a_url_with_no_lake_is_refused_in_one_line(url, reason, tmp_path, capfd):
    assert run(["render", url, "--out", str(tmp_path / "a.png")]) == 2
    told = capfd.readouterr().err
    assert reason in told and len(told.splitlines()) == 1
    assert not list(tmp_path.iterdir())


@pytest.fixture
def planned():
    return planned_lake(seconds=0.5)


@pytest.fixture(params=["file", "memory"])
def new_url(request, tmp_path):
    """Where nothing is yet; what tests leave in memory goes with them."""
    yield (tmp_path / "new" / "lake.zarr").as_uri() if request.param == "file" else "memory://new/lake.zarr"
    memory = fsspec.filesystem("memory")
    if memory.exists("/new"):
        memory.rm("/new", recursive=True)


@pytest.mark.slow
def test_a_bake_to_a_url_that_was_ended_goes_on_to_the_same_bits(planned, new_url, tmp_path):
    bake(planned, tmp_path / "here.zarr", SingleProcess())
    path, said = store_path(new_url), []
    with pytest.raises(KeyboardInterrupt):
        bake(planned, path, Ends(2, KeyboardInterrupt()), checkpoint_seconds=0.0, say=said.append)
    files, place = fsspec.url_to_fs(new_url, auto_mkdir=True)
    assert "how much room is left" in said[0] and checkpoints_of(path).newest() == 1
    assert not files.exists(f"{place}.checkpoint/frame-0")
    # What was being written, in the store and of the next checkpoint, counts for nothing.
    files.pipe_file(f"{place}.checkpoint/frame-7/block-0-0.npz", b"half")
    shard = next(name for name in files.find(place) if "/heights/c/1/" in name)
    files.pipe_file(f"{place}/heights/c/2/{shard.split('/c/1/')[1]}", files.cat_file(shard)[:100])
    with pytest.raises(InputError, match="exists already"):
        bake(planned, path, SingleProcess())
    bake(planned, path, SingleProcess(), resume=True, say=said.append)
    assert said[-1] == "goes on from frame 1"
    for name in ("heights", "fixed", "largest_surface"):
        expected = zarr.open_group(tmp_path / "here.zarr")[name][...]
        np.testing.assert_array_equal(zarr.open_group(new_url, mode="r")[name][...], expected)
    assert len(open_lake(new_url).gauges[0].times) == 61
    assert not files.exists(f"{place}.checkpoint")
    bake(planned, path, SingleProcess(), resume=True, say=said.append)
    assert said[-1] == f"{path} is done already: remove it to bake it anew"


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore")
def test_workers_write_to_a_url_and_are_refused_the_memory_of_another_process(planned, tmp_path):
    bake(planned, tmp_path / "here.zarr", SingleProcess())
    with cluster(2, "1GiB") as workers:
        with pytest.raises(InputError, match="only this process has that memory"):
            bake(planned, store_path("memory://new/lake.zarr"), workers)
        assert not fsspec.filesystem("memory").exists("/new")
        bake(planned, store_path((tmp_path / "there.zarr").as_uri()), workers, checkpoint_seconds=0.0)
    for name in ("heights", "largest_surface"):
        one, other = (zarr.open_group(tmp_path / f"{where}.zarr")[name][...] for where in ("here", "there"))
        np.testing.assert_array_equal(one, other)


def test_a_store_that_is_only_half_made_is_not_gone_on_with(planned, new_url, monkeypatch):
    def full(*_):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(zarr, "consolidate_metadata", full)
    with pytest.raises(InputError, match="No space left on device; make room"):
        bake(planned, store_path(new_url), SingleProcess())
    with pytest.raises(InputError, match="was ended while it was made"):
        bake(planned, store_path(new_url), SingleProcess(), resume=True)


def test_a_checkpoint_at_a_url_stays_until_there_is_one_of_another_frame(new_url):
    kept = checkpoints_of(store_path(new_url))
    for frame in (3, 3, 5):
        save_block(kept.place(frame), (0, 1), frame, {"now": np.ones((2, 2), np.float32)})
        kept.complete(frame)
        assert kept.newest() == frame and read_block(kept.saved(frame), (0, 1))[0] == frame
    with pytest.raises(InputError, match="frame-3"):
        read_block(kept.saved(3), (0, 1))


def test_a_damaged_checkpoint_at_a_url_is_named(new_url):
    kept = checkpoints_of(store_path(new_url))
    assert kept.newest() is None
    save_block(kept.place(3), (0, 1), 8, {"now": np.ones((2, 2), np.float32)})
    assert read_block(kept.saved(3), (0, 1))[0] == 8
    files, place = fsspec.url_to_fs(new_url)
    files.pipe_file(f"{place}.checkpoint/frame-3/block-0-1.npz", b"no archive")
    with pytest.raises(InputError, match=r"frame-3/block-0-1\.npz is damaged"):
        read_block(kept.saved(3), (0, 1))
    files.pipe_file(f"{place}.checkpoint/newest", b"")
    with pytest.raises(InputError, match=r"newest is damaged"):
        kept.newest()


@pytest.mark.parametrize(
    ("url", "reason"),
    [
        ("simplecache::memory://new/lake.zarr", "--out simplecache::memory://new/lake.zarr: a lake is written to one"),
        ("nothing://bucket/new.zarr", "nothing://bucket/new.zarr cannot be read: Protocol not known"),
    ],
)
def test_a_url_that_cannot_be_written_to_is_refused_in_one_line(url, reason, capfd):
    assert run(["bake", str(COAST.path), "--drop", "-125,85,3", "--workers", "0", "--out", url]) == 2
    assert reason in capfd.readouterr().err.splitlines()[-1]


@pytest.mark.parametrize("text", ["s3://b/lake.zarr", "simplecache::s3://b/lake.zarr"])
def test_urls_are_told_from_paths(text):
    assert is_url(text) and store_path(text) == RemotePath(text)
    assert (store_path(text) / "level_1").name == "level_1"
    assert str(store_path(f"{text}/") / "a") == f"{text}/a" and store_path(text) / "" == store_path(text)


@pytest.mark.parametrize("text", ["C:\\lake.zarr", "C://lake.zarr", "/vsicurl/https://a/b.tif", "a::b", "lake.zarr"])
def test_paths_are_no_urls(text):
    assert not is_url(text)
