"""Lakes that are opened by a URL."""

import fsspec
import numpy as np
import pytest
import zarr
from support.coast import COAST

import waterview
from waterview.cli.program import run
from waterview.core.errors import InputError, ParameterError
from waterview.core.playback import Part
from waterview.core.rectangle import Rectangle
from waterview.lakes.played import open_recording
from waterview.lakes.recorded import open_lake
from waterview.lakes.remote import RemotePath, is_url, store_path


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


def test_a_lake_is_not_baked_to_a_url(tmp_path, monkeypatch, capfd):
    monkeypatch.chdir(tmp_path)
    assert run(["bake", str(COAST.path), "--out", "memory://bucket/new.zarr"]) == 2
    assert "--out memory://bucket/new.zarr: a lake is written to a folder" in capfd.readouterr().err
    with pytest.raises(ParameterError, match="written to a folder"):
        waterview.bake(COAST.path, "s3://bucket/new.zarr", seconds=0.1)
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("text", ["s3://b/lake.zarr", "simplecache::s3://b/lake.zarr"])
def test_urls_are_told_from_paths(text):
    assert is_url(text) and store_path(text) == RemotePath(text)
    assert (store_path(text) / "level_1").name == "level_1"
    assert str(store_path(f"{text}/") / "a") == f"{text}/a" and store_path(text) / "" == store_path(text)


@pytest.mark.parametrize("text", ["C:\\lake.zarr", "C://lake.zarr", "/vsicurl/https://a/b.tif", "a::b", "lake.zarr"])
def test_paths_are_no_urls(text):
    assert not is_url(text)
