"""What a bake on Dask workers costs.

    python benchmarks/baking.py weak --points 2048
    python benchmarks/baking.py beside --points 8192
    python benchmarks/baking.py larger --model shallow-water --points 8192 --workers 2 --memory 2.7GiB
    python benchmarks/baking.py actors

`weak` gives each worker a square of the sea: one worker one square, two workers two squares side by side. `beside`
steps the same sea in one piece and by workers, without frames, and checks that both have the same bits. Every case is
a process of its own, with a cluster of its own, and the cases take turns. `larger` bakes a lake and tells the most
memory that its processes took. `actors` takes the same rounds by owners that are actors, as a bake does, and by tasks
on futures. Its tasks change blocks in place and pass one message from worker to worker, the best that futures can do;
such tasks could not be computed anew where a worker is lost.

Speeds are points × steps a second. They need a quiet machine; shares of processor time need none.
"""

from __future__ import annotations

import argparse
import json
import resource
import statistics
import subprocess
import sys
import tempfile
import time
import zlib
from collections import defaultdict
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from waterview.core.commands import Drop, TimedDrop
from waterview.lakes.blocks import Number
from waterview.lakes.cluster import Cluster, assigned
from waterview.lakes.lake import Advance, Drops, Fill, Lake, Show
from waterview.lakes.recorded import open_lake
from waterview.lakes.run import Progress, bake
from waterview.lakes.scene import plan_lake
from waterview.lakes.store import create_store
from waterview.lakes.wave_block import WaveBlock, WaveLaw
from waterview.scene.scene import Scene, SceneParams
from waterview.terrain.heightmap import Heightmap
from waterview.terrain.library import resolve
from waterview.terrain.options import TerrainOptions

DROPS_ALONG = 8
"""Drops along a side of a square: as wide as they are apart, so that all of the sea moves from the start."""

MODELS: dict[str, dict[str, Any]] = {
    "wave-equation": {"wave_speed": 30.0, "steps_per_second": 120.0},
    "shallow-water": {"gravity": 9.81, "steps_per_second": 30.0},
}


class Length(NamedTuple):
    """How long a lake is baked.

    Attributes:
        frames: that are timed, after one that is not.
        steps: between two frames.
    """

    frames: int = 4
    steps: int = 96


def sea(folder: Path, points: int, squares: int, model: str, length: Length, side: int | None = None) -> Lake:
    """A sea of some squares of points side by side, a metre apart and 20 m deep, with drops all over it."""
    path, columns = folder / "sea.npy", (points - 1) * squares + 1
    np.save(path, np.full((65, 64 * squares + 1), -20.0, np.float32))
    width, height = columns - 1.0, points - 1.0
    source = resolve(path)
    source = source.with_options(TerrainOptions(size_m=width))
    settings = {"model": model, "grid": columns, "border": "reflecting", **MODELS[model]}
    apart = points / DROPS_ALONG
    places = [
        (x, z)
        for x in np.arange(0.5 * apart, width, apart) - 0.5 * width
        for z in np.arange(0.5 * apart, height, apart) - 0.5 * height
    ]
    drops = [TimedDrop(Drop(float(x), float(z), 0.5, 0.5 * apart, neutral=False), 0.0) for x, z in places]
    every = length.steps / settings["steps_per_second"]
    return plan_lake(source, settings, seconds=(length.frames + 1) * every, every=every, drops=drops, side=side)


@contextmanager
def workers_here(count: int, memory: str | None = None) -> Iterator[Any]:
    """A client of workers with one thread each on this machine."""
    from distributed import Client, LocalCluster

    quiet: dict[str, Any] = {"dashboard_address": "127.0.0.1:0", "silence_logs": 50}
    limit = memory or "auto"
    with (
        LocalCluster(n_workers=count, threads_per_worker=1, memory_limit=limit, **quiet) as local,
        Client(local) as client,
    ):
        yield client


def peak() -> int:
    """The most memory that this process ever took [bytes]."""
    return 1024 * resource.getrusage(resource.RUSAGE_SELF).ru_maxrss


def bake_case(
    points: int, workers: int, squares: int, model: str, length: Length, memory: str | None, side: int | None
) -> dict[str, float]:
    """A bake on a cluster of this machine: how long the timed frames took, by what, and how much memory."""
    told: list[Progress] = []
    with tempfile.TemporaryDirectory() as folder, workers_here(workers, memory) as client:
        lake = sea(Path(folder), points, squares, model, length, side)
        bake(lake, Path(folder) / "lake.zarr", Cluster(client), checkpoint_seconds=1e9, report=told.append)
        peaks = list(client.run(peak).values())
    timed = told[2:]
    stepping = sum(max(each.stepping + each.waiting for each in progress.done) for progress in timed)
    return {
        "speed": sum(progress.points for progress in timed) / stepping,
        "waiting": sum(statistics.fmean(each.waiting for each in progress.done) for progress in timed) / stepping,
        "seconds": sum(progress.seconds for progress in timed),
        "largest worker": max(peaks),
        "all processes": sum(peaks) + peak(),
    }


def in_process(what: str, **asked: object) -> dict[str, float]:
    """A case in a process of its own."""
    arguments = [text for name, value in asked.items() if value is not None for text in (f"--{name}", str(value))]
    done = subprocess.run([sys.executable, __file__, what, *arguments], capture_output=True, text=True, check=False)
    if done.returncode:
        raise SystemExit(done.stderr)
    return dict(json.loads(done.stdout.splitlines()[-1]))


def weak(points: int, model: str, turns: int, side: int) -> None:
    """One worker with a square, two workers with two, in turns, all in blocks of the same side."""
    ratios = []
    for turn in range(turns):
        one, two = (in_process("case", points=points, workers=n, squares=n, model=model, block=side) for n in (1, 2))
        ratios.append(two["speed"] / (2.0 * one["speed"]))
        speeds = " and ".join(f"{each['speed'] / 1e6:,.0f} (waiting {each['waiting']:.0%})" for each in (one, two))
        print(
            f"turn {turn + 1}: {speeds} million points × steps/s by one and two workers, scaling {ratios[-1]:.2f}",
            flush=True,
        )
    print(f"{model}, {points}² a worker: weak scaling {statistics.median(ratios):.2f}")


# --- blocks beside one piece


def in_piece(lake: Lake, model: str, steps: int) -> dict[str, float]:
    """Step a lake in one piece, as the window does; the second portion of steps is timed."""
    assert isinstance(lake.ground.heights, Heightmap)
    settings = {"keep_volume": False, "border": "reflecting", **MODELS[model]}
    world = Scene(lake.ground.heights, SceneParams(grid=max(lake.blocks.shape), model=model), settings).make_world()
    for each in lake.drops:
        world.water.disturb(each.drop)
    world.advance(steps)
    began, before = time.perf_counter(), time.process_time()
    world.advance(steps)
    seconds, processor = time.perf_counter() - began, time.process_time() - before
    bits = zlib.crc32(world.publish(0).heights)
    return {"seconds": seconds, "processor": processor, "bits": bits, "memory": peak()}


def in_blocks(lake: Lake, out: Path, workers: int) -> dict[str, float]:
    """Step a lake by workers; what leads to its third frame is timed, without the frame."""

    def work(frame: int) -> None:
        owners.run([action for action in lake.actions(frame) if not isinstance(action, Show)])

    with workers_here(workers) as client:
        create_store(out, lake)
        owners = Cluster(client)
        owners.begin(lake, out, None)
        work(0)
        work(1)
        began, before = time.perf_counter(), sum(client.run(time.process_time).values())
        work(2)
        seconds = time.perf_counter() - began
        processor = sum(client.run(time.process_time).values()) - before
        owners.run([Show(0)])
        peaks = client.run(peak).values()
    bits = zlib.crc32(open_lake(out).heights(0))
    return {"seconds": seconds, "processor": processor, "bits": bits, "memory": sum(peaks)}


def beside(points: int, workers: int, model: str, turns: int, steps: int, side: int | None) -> None:
    """The same sea in one piece and by workers, in turns."""
    asked = {"points": points, "workers": workers, "model": model, "steps": steps, "block": side}
    by_clock, by_processor = [], []
    for turn in range(turns):
        piece, blocks = in_process("piece", **asked), in_process("blocks", **asked)
        if piece["bits"] != blocks["bits"]:
            raise SystemExit("blocks and one piece differ")
        by_clock.append(piece["seconds"] / blocks["seconds"])
        by_processor.append(piece["processor"] / blocks["processor"])
        times = " and ".join(
            f"{each['seconds']:.2f} s ({each['processor']:.2f} s of processor time, {each['memory'] / 2**30:.1f} GiB)"
            for each in (piece, blocks)
        )
        print(f"turn {turn + 1}: {times} in one piece and in blocks, {by_clock[-1]:.2f} times its speed", flush=True)
    print(
        f"{model}, {points}², {workers} workers: {statistics.median(by_clock):.2f} times the speed of one piece, "
        f"{statistics.median(by_processor):.2f} by processor time; the same bits"
    )


# --- actors beside futures


class Part:
    """The blocks of one worker, for tasks on futures."""

    def __init__(self, lake: Lake, owners: dict[Number, int], me: int) -> None:
        assert isinstance(lake.law, WaveLaw)
        own = [number for number in lake.blocks.numbers if owners[number] == me]
        self.blocks = {number: WaveBlock(number, lake.blocks, lake.ground, lake.law) for number in own}
        every = [transfer for number in lake.blocks.numbers for transfer in lake.blocks.transfers_to(number)]
        self.transfers = dict(enumerate(every))
        self.owners, self.me = owners, me
        for block in self.blocks.values():
            for timed in lake.drops:
                block.drop(timed.drop)

    def pack(self) -> dict[int, dict[int, Any]]:
        """All halos that its blocks send, by owner and number of the transfer."""
        for block in self.blocks.values():
            block.settle()
        packed: dict[int, dict[int, Any]] = defaultdict(dict)
        for k, each in self.transfers.items():
            if self.owners[each.sender] == self.me:
                packed[self.owners[each.receiver]][k] = self.blocks[each.sender].pack_halo(each)
        return packed

    def advance(self, parts: int, *arrived: dict[int, Any]) -> Part:
        """Unpack what has arrived and take some parts of steps; the same object."""
        for k, halo in (item for halos in arrived for item in halos.items()):
            self.blocks[self.transfers[k].receiver].unpack_halo(self.transfers[k], halo)
        for block in self.blocks.values():
            block.advance(parts)
        return self


def pick(packed: dict[int, dict[int, Any]], other: int) -> dict[int, Any]:
    """What one owner is sent."""
    return packed.get(other, {})


def by_futures(client: Any, parts: list[Any], rounds: int, depth: int) -> list[Any]:
    """Let tasks take some rounds, all of which are submitted at once."""
    from distributed import wait

    where = sorted(client.nthreads())
    for _ in range(rounds):
        packed = [client.submit(Part.pack, part, workers=[w], pure=False) for part, w in zip(parts, where, strict=True)]
        parts = [
            client.submit(
                Part.advance,
                part,
                depth,
                *(client.submit(pick, sent, me, workers=[where[k]], pure=False) for k, sent in enumerate(packed)),
                workers=[where[me]],
                pure=False,
            )
            for me, part in enumerate(parts)
        ]
    wait(parts)
    return parts


def actors(points: int, turns: int, side: int) -> None:
    """The same rounds by actors and by futures, in turns."""
    with tempfile.TemporaryDirectory() as folder, workers_here(2) as client:
        lake, out = sea(Path(folder), points, 1, "wave-equation", Length(), side), Path(folder) / "lake.zarr"
        create_store(out, lake)
        owners, depth, rounds = Cluster(client), lake.blocks.halo - 1, 16
        owners.begin(lake, out, None)
        owners.run([Drops(number) for number in range(len(lake.drops))])
        shared, where = assigned(lake, 2), sorted(client.nthreads())
        sent = client.scatter(lake, broadcast=True, hash=False)
        parts = [client.submit(Part, sent, shared, me, workers=[w], pure=False) for me, w in enumerate(where)]
        parts = by_futures(client, parts, 2, depth)
        owners.run([Fill(), Advance(depth)] * 2)
        ratios = []
        for turn in range(turns):
            began = time.perf_counter()
            owners.run([Fill(), Advance(depth)] * rounds)
            by_actors = (time.perf_counter() - began) / rounds
            began = time.perf_counter()
            parts = by_futures(client, parts, rounds, depth)
            futures = (time.perf_counter() - began) / rounds
            ratios.append(futures / by_actors)
            times = f"{1e3 * by_actors:.1f} ms by actors, {1e3 * futures:.1f} ms by futures"
            print(f"turn {turn + 1}: a round of {depth} parts takes {times}, {ratios[-1]:.2f} times as long")
        print(f"{points}² in blocks of {side}²: futures take {statistics.median(ratios):.2f} times as long")


def main() -> None:
    """See the module."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("what", choices=("weak", "beside", "larger", "actors", "case", "piece", "blocks"))
    parser.add_argument("--points", type=int, default=2048, help="along a side of a square")
    parser.add_argument("--model", choices=tuple(MODELS), default="wave-equation")
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--squares", type=int, default=1)
    parser.add_argument("--memory", default=None, help="most of each worker, such as 1.5GiB")
    parser.add_argument("--block", type=int, default=None, help="points along a side of a block")
    parser.add_argument("--turns", type=int, default=5)
    parser.add_argument("--frames", type=int, default=Length().frames, help="that are timed, after one that is not")
    parser.add_argument("--steps", type=int, default=Length().steps, help="between two frames")
    asked = parser.parse_args()
    length = Length(asked.frames, asked.steps)
    match asked.what:
        case "weak":
            weak(asked.points, asked.model, asked.turns, asked.block or 1024)
        case "beside":
            beside(asked.points, asked.workers, asked.model, asked.turns, asked.steps, asked.block)
        case "actors":
            actors(asked.points, asked.turns, asked.block or 512)
        case "piece" | "blocks":
            with tempfile.TemporaryDirectory() as folder:
                lake = sea(Path(folder), asked.points, 1, asked.model, length, asked.block)
                if asked.what == "piece":
                    found = in_piece(lake, asked.model, asked.steps)
                else:
                    found = in_blocks(lake, Path(folder) / "lake.zarr", asked.workers)
            print(json.dumps(found))
        case _:
            how = asked.points, asked.workers, asked.squares, asked.model, length, asked.memory, asked.block
            found = bake_case(*how)
            if asked.what == "case":
                print(json.dumps(found))
                return
            print(
                f"{asked.model}, {asked.points}²: {found['speed'] / 1e6:,.0f} million points × steps/s while stepping"
            )
            print(f"{asked.frames} frames took {found['seconds']:,.0f} s; the largest worker took ", end="")
            print(f"{found['largest worker'] / 2**30:.2f} GiB, all processes {found['all processes'] / 2**30:.2f} GiB")


if __name__ == "__main__":
    main()
