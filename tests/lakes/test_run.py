"""A bake in this process: the bits of `render`, a store that others read, and how it goes on after an end."""

import json
import math
import shutil
from dataclasses import replace

import numpy as np
import pytest
import xarray
import zarr
from support.coast import COAST

from waterview.core.commands import Drop, TimedDrop
from waterview.core.errors import InputError, ParameterError
from waterview.lakes import checkpoints, store
from waterview.lakes.instruments import due_steps
from waterview.lakes.recorded import open_lake
from waterview.lakes.run import LostWorkerError, SingleProcess, bake
from waterview.lakes.scene import plan_lake
from waterview.output.offline import run
from waterview.scene.arguments import GaugePlace
from waterview.scene.scene import Scene, SceneParams

DROPS = (TimedDrop(Drop(-125.0, 85.0, 5.0, 20.0), 0.0), TimedDrop(Drop(0.0, 0.0, 1.0, 9.0), 0.6))
SOURCE = COAST
GAUGES = (GaugePlace("offshore", -125.0, 85.0),)


def lake(side=64, seconds=1.0, **settings):
    given = {"grid": 150, "border": "open", "maxima": True, **settings}
    return plan_lake(SOURCE, given, seconds=seconds, every=0.25, drops=DROPS, side=side, gauges=GAUGES)


def in_one_piece(border="open"):
    settings = {"border": border, "keep_volume": False}
    world = Scene(SOURCE.load(), SceneParams(grid=150, maxima=True), settings, gauges=GAUGES).make_world()
    return world, list(run(world, 1.0, 4.0, DROPS))


@pytest.fixture(scope="module")
def baked(tmp_path_factory):
    path = tmp_path_factory.mktemp("bake") / "lake.zarr"
    bake(lake(), path, SingleProcess())
    return path


class Ends(SingleProcess):
    """Ends with an error after so many frames, as a worker that is killed or a user who has had enough."""

    def __init__(self, frames, error):
        self.left, self.error = frames, error

    def run(self, actions):
        self.left -= 1
        if self.left < 0 and self.error is not None:
            error, self.error = self.error, None
            raise error
        return super().run(actions)


@pytest.mark.slow
def test_frames_have_the_bits_of_a_run_in_one_piece(baked):
    found = xarray.open_zarr(baked)
    world, frames = in_one_piece()
    for frame in frames:
        heights = found.heights[frame.serial].values
        np.testing.assert_array_equal(heights.view(np.uint32), frame.heights.view(np.uint32))
        assert found.time[frame.serial] == frame.time
    np.testing.assert_array_equal(found.bed, frame.bed)
    np.testing.assert_array_equal(found.fixed, frame.fixed)
    x, z = frame.grid.x, frame.grid.z
    np.testing.assert_array_equal(found.world_x, x)
    np.testing.assert_array_equal(found.x, frame.place.coordinates(x, 0.0)[0])
    np.testing.assert_array_equal(found.y, frame.place.coordinates(0.0, z)[1])
    recorded = open_lake(baked)
    for name in ("largest surface", "arrival time"):
        np.testing.assert_array_equal(recorded.maxima(name.replace(" ", "_")), world.maxima.field_maps()[name].values)
    (measured,), (gauge,) = recorded.gauges, world.gauges
    assert len(measured.times) == 121
    np.testing.assert_array_equal((measured.times, *measured.values), (gauge.times, *gauge.values))
    assert "WGS" in found.spatial_ref.attrs["crs_wkt"]


def test_levels_are_means_of_four_points(baked):
    fine, coarse = xarray.open_zarr(baked), xarray.open_zarr(baked, group="level_1")
    expected = fine.heights[-1].values[:112].reshape(56, 2, 75, 2).mean(axis=(1, 3))
    np.testing.assert_allclose(coarse.heights[-1][:56], expected, atol=1e-6)
    np.testing.assert_allclose(coarse.x, fine.x.values.reshape(75, 2).mean(axis=1))
    assert coarse.heights.shape[1:] == (-(-fine.heights.shape[1] // 2), 75)


def test_points_at_an_odd_end_are_means_of_fewer():
    field = np.arange(15, dtype=np.float32).reshape(3, 5)
    assert store.coarser(field).tolist() == [[3.0, 5.0, 6.5], [10.5, 12.5, 14.0]]


@pytest.mark.slow
@pytest.mark.parametrize("error", [LostWorkerError("a worker is lost"), KeyboardInterrupt()])
def test_a_run_that_was_ended_goes_on_to_the_same_bits(baked, tmp_path, error):
    path = tmp_path / "lake.zarr"
    said = []
    try:
        bake(lake(side=128), path, Ends(3, error), checkpoint_seconds=0.0, say=said.append)
    except KeyboardInterrupt:
        shard = path / "heights" / "c" / "3" / "0" / "0"
        shard.parent.mkdir(parents=True)
        shard.write_bytes(b"half of what was written when the power failed")
        bake(lake(side=128), path, SingleProcess(), resume=True, say=said.append)
    assert "goes on from frame 2" in said[-1]
    np.testing.assert_array_equal(zarr.open_group(path)["heights"][...], zarr.open_group(baked)["heights"][...])
    assert not checkpoints.checkpoints_of(path).folder.exists()


class Idle(SingleProcess):
    """Computes nothing."""

    def run(self, actions):
        raise AssertionError("it is done already")


@pytest.mark.slow
def test_a_lake_that_is_done_is_not_baked_again(baked):
    said, before = [], contents(baked)
    bake(lake(), baked, Idle(), resume=True, say=said.append)
    assert said == [f"{baked} is done already: remove it to bake it anew"]
    assert contents(baked) == before and len(xarray.open_zarr(baked).time) == 5
    with pytest.raises(AssertionError, match="done already"):
        bake(lake(), baked.with_name("new.zarr"), Idle())


def contents(path):
    """The bytes of all frames of a store, by file."""
    return {each: each.read_bytes() for each in (path / "heights").rglob("*") if each.is_file()}


def test_a_checkpoint_counts_whole_or_not_at_all(tmp_path):
    kept = checkpoints.checkpoints_of(tmp_path / "lake.zarr")
    assert kept.newest() is None
    (kept.place(3) / "block-0-0.npz").write_bytes(b"half")
    assert kept.newest() is None
    kept.complete(3)
    kept.place(7)
    assert kept.newest() == 3
    kept.complete(7)
    assert [each.name for each in kept.folder.iterdir()] == ["frame-7"]


def test_a_damaged_checkpoint_is_named(tmp_path):
    (tmp_path / "block-0-1.npz").write_bytes(b"no archive")
    with pytest.raises(InputError, match=r"block-0-1\.npz is damaged"):
        checkpoints.read_block(tmp_path, (0, 1))


def test_a_store_that_exists_is_left_as_it_is(tmp_path):
    (tmp_path / "lake.zarr").mkdir()
    with pytest.raises(InputError, match="exists already"):
        bake(lake(), tmp_path / "lake.zarr", SingleProcess())
    assert not list((tmp_path / "lake.zarr").iterdir())


@pytest.mark.slow
def test_only_the_store_of_the_same_scene_is_gone_on_with(baked, tmp_path):
    with pytest.raises(InputError, match=r"another scene \(params differ\)"):
        bake(lake(damping=0.5), baked, SingleProcess(), resume=True)
    with pytest.raises(InputError, match=r"another scene \(blocks differ\)"):
        bake(lake(side=128), baked, SingleProcess(), resume=True)
    with pytest.raises(InputError, match="no store of a baked lake"):
        bake(lake(), tmp_path, SingleProcess(), resume=True)
    (tmp_path / "zarr.json").write_text(json.dumps({"attributes": {}}))
    with pytest.raises(InputError, match="no store of a baked lake"):
        bake(lake(), tmp_path, SingleProcess(), resume=True)


def test_room_on_the_disk_is_looked_for_before_the_first_step(tmp_path, monkeypatch):
    free = shutil.disk_usage(tmp_path)._replace(free=100_000)
    monkeypatch.setattr(shutil, "disk_usage", lambda path: free)
    with pytest.raises(InputError, match=r"5 frames of 150 × 113 points take about .* GB, and 0\.0 GB are free"):
        bake(lake(), tmp_path / "lake.zarr", SingleProcess())
    assert not (tmp_path / "lake.zarr").exists()


def test_a_disk_that_is_full_ends_in_one_line(tmp_path, monkeypatch):
    path = tmp_path / "lake.zarr"
    store.create_store(path, lake())
    writer = store.StoreWriter(path, lake())

    def full(*_):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(zarr.Array, "__setitem__", full)
    with pytest.raises(InputError, match="No space left on device; make room and go on with --resume"):
        writer.write_frame((0, 0), 0, np.zeros((64, 64), np.float32))


@pytest.mark.parametrize(
    ("settings", "reason"),
    [
        ({"model": "ocean"}, "the ocean model cannot be baked"),
        ({"rain": 3.0}, "--rain"),
        ({"keep_volume": True}, "--keep-volume"),
        ({"bodies_drag": 2.0}, "--bodies-drag"),
        ({"grid": 200_000}, "--grid 200000"),
        ({"border": "wet"}, "no border"),
    ],
)
def test_what_blocks_cannot_do_is_refused(settings, reason):
    with pytest.raises(ParameterError, match=reason):
        lake(**settings)


def test_a_grid_larger_than_a_water_may_have_can_be_planned():
    planned = lake(grid=32_768, side=None)
    assert planned.ground.grid.shape[1] == 32_768
    assert planned.blocks.side == 2048
    assert planned.ground.bed(planned.blocks.held((3, 3))._replace(bottom=6200, right=6200)).shape[0] > 0


def test_instruments_are_read_after_the_same_steps_as_those_of_a_world():
    """A gauge that is read late keeps its pace, as `tests/sim/test_gauges.py` asks of a world; a maximum waits anew."""
    at_pace = [math.ceil(2.5 * number - 1e-6) for number in range(1, 41)]
    assert list(due_steps(100, 0.01, 0.025, keeps_rest=True)) == at_pace
    assert list(due_steps(100, 0.01, 0.025, keeps_rest=False)) == list(range(3, 101, 3))


def test_actions_take_every_step_once():
    planned = replace(lake(), steps_per_second=130.0)
    parts = [sum(getattr(action, "parts", 0) for action in planned.actions(frame)) for frame in range(planned.frames)]
    assert sum(parts) == planned.steps * planned.law.plan.substeps
    assert max(getattr(action, "parts", 0) for action in planned.actions(1)) < planned.blocks.halo
