"""A bake on the workers of a Dask cluster of this machine."""

import dataclasses
import os
import signal
import subprocess
import sys

import numpy as np
import pytest
import zarr
from distributed import Client, LocalCluster
from lakes.test_run import in_one_piece, lake
from lakes.test_shallow_block import DROPS as SHALLOW_DROPS
from lakes.test_shallow_block import FRAMES_PER_SECOND, SECONDS
from lakes.test_shallow_block import lake as shallow_lake
from lakes.test_shallow_block import world as shallow_world

from waterview.core.errors import InputError
from waterview.lakes.cluster import Cluster, assigned, cluster
from waterview.lakes.run import SingleProcess, bake
from waterview.output.offline import run

pytestmark = [pytest.mark.slow, pytest.mark.filterwarnings("ignore")]


QUIET = {"dashboard_address": "127.0.0.1:0", "silence_logs": 50}


def heights(path):
    return zarr.open_group(path)["heights"][...]


@pytest.mark.parametrize("planned", [lake(), shallow_lake()], ids=["wave equation", "shallow water"])
def test_any_number_of_workers_has_the_same_bits_also_after_one_was_killed(tmp_path, planned):
    bake(planned, tmp_path / "here.zarr", SingleProcess())
    killed, said = [], []
    with cluster(2, "1GiB") as workers:

        def kill(progress):
            if progress.frame == 2 and not killed:
                killed.append(next(iter(workers.processes().values())))
                os.kill(killed[0], signal.SIGKILL)

        path = tmp_path / "there.zarr"
        bake(planned, path, workers, checkpoint_seconds=0.0, report=kill, say=said.append)
    assert killed and any("a worker is lost" in text for text in said)
    np.testing.assert_array_equal(heights(path), heights(tmp_path / "here.zarr"))


def test_four_workers_have_the_bits_of_one_piece_for_both_models(tmp_path):
    _, wave = in_one_piece("wrapping")
    shallow = list(run(shallow_world(), SECONDS, FRAMES_PER_SECOND, SHALLOW_DROPS))
    # Four workers that talk by sockets, in one process, for each process would load all kernels anew.
    four = {"n_workers": 4, "threads_per_worker": 1, "processes": False, "protocol": "tcp://", **QUIET}
    with LocalCluster(**four) as local, Client(local) as client:
        workers = Cluster(client)
        for name, planned, frames in (("wave", lake(border="wrapping"), wave), ("shallow", shallow_lake(), shallow)):
            path, done = tmp_path / f"{name}.zarr", []
            bake(planned, path, workers, report=lambda progress, done=done: done.append(progress.done))
            assert workers.count == 4 and all(each.points for each in done[-1]), "each of them has stepped blocks"
            expected = np.stack([frame.heights for frame in frames])
            np.testing.assert_array_equal(heights(path).view(np.uint32), expected.view(np.uint32))


def test_a_program_that_ends_before_its_workers_prints_no_warning(tmp_path):
    program = tmp_path / "program.py"
    program.write_text(
        "import os\n"
        "from waterview.lakes.cluster import cluster\n"
        "if __name__ == '__main__':\n"
        "    with cluster(1, '1GiB'):\n"
        "        os._exit(3)\n"
    )
    # Ended like this, it is the tracker of semaphores that writes last, and closes standard error.
    done = subprocess.run([sys.executable, program], capture_output=True, text=True, timeout=120, check=False)
    assert done.returncode == 3
    assert done.stderr == ""


def test_too_little_memory_is_told_before_the_first_step(tmp_path):
    with cluster(1, "350MiB") as workers, pytest.raises(InputError, match=r"may have .* GB, and its"):
        bake(lake(grid=8192, side=2048), tmp_path / "lake.zarr", workers)
    assert not list(tmp_path.iterdir()), "the same command can be given again with more"


def test_workers_with_other_versions_or_without_waterview_are_told_before_anything_is_written(tmp_path):
    with LocalCluster(n_workers=1, threads_per_worker=1, **QUIET) as local, Client(local) as client:
        for changed, said in (
            ("owner.__version__ = '0.0.1'", r"has waterview 0\.0\.1 and numba .*, this program .*: install the same"),
            ("sys.modules['waterview.lakes.owner'] = None", r"cannot use waterview \(.*\): install waterview\[bake\]"),
        ):
            client.run(exec, f"import sys; from waterview.lakes import owner; {changed}", {})
            with pytest.raises(InputError, match=said):
                bake(lake(), tmp_path / "lake.zarr", Cluster(client))
    assert not list(tmp_path.iterdir())


def test_a_scheduler_that_is_not_there_is_told_in_one_line():
    with (
        pytest.raises(InputError, match=r"no Dask scheduler answers at tcp://127\.0\.0\.1:9"),
        cluster(scheduler="tcp://127.0.0.1:9"),
    ):
        pass


@pytest.mark.parametrize("memory", ["much", "", "100MB"])
def test_a_memory_that_makes_no_sense_is_told_in_one_line(memory):
    with pytest.raises(InputError, match="--memory"), cluster(1, memory):
        pass


def test_a_file_that_no_scheduler_has_written_is_told_in_one_line(tmp_path):
    with pytest.raises(InputError, match="there is no file"), cluster(scheduler_file=tmp_path / "scheduler.json"):
        pass


def test_blocks_are_shared_out_evenly_and_in_order():
    planned = lake()
    owners = assigned(planned, 4)
    counts = [list(owners.values()).count(me) for me in range(4)]
    assert max(counts) - min(counts) <= 1
    assert list(owners.values()) == sorted(owners.values())


@pytest.mark.parametrize("workers", [2, 3, 4])
def test_owners_have_as_many_points_also_where_the_last_blocks_are_slivers(workers):
    planned = lake()
    slivered = dataclasses.replace(planned, blocks=dataclasses.replace(planned.blocks, shape=(8194, 16384), side=2048))
    owners = assigned(slivered, workers)
    points = [
        sum(slivered.blocks.owned(number).points for number, owner in owners.items() if owner == me)
        for me in range(workers)
    ]
    assert sum(points) == 8194 * 16384
    assert max(points) <= 1.1 * sum(points) / workers
    assert list(owners.values()) == sorted(owners.values())


def test_no_worker_is_left_without_a_block():
    owners = assigned(lake(), 5)
    assert set(owners.values()) == set(range(5))
    assert len(set(assigned(lake(), 100).values())) == len(owners)
