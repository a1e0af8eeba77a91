"""How much memory a lake larger than memory takes where it is played in the window, and how long its frames take.

    python benchmarks/playback.py bake lake.zarr --points 16384
    xvfb-run -s "-screen 0 1280x800x24" python benchmarks/playback.py play lake.zarr --pictures pictures

`bake` makes a coast with islands, on a GeoTIFF of as many samples as the lake has points, and bakes waves on it. `play`
opens the lake in the window of `waterview view`, drags the slider with the screen's pointer (xdotool), flies the eye to
a shore, to another one and back, and lets the lake play. It tells the most memory that the program ever took, and the
longest frame of each part by the clock and by processor time, of all threads. The clock needs a quiet machine.
"""

from __future__ import annotations

import argparse
import subprocess
import time
from dataclasses import replace
from pathlib import Path

import numpy as np
import rasterio
from PIL import Image
from rasterio.windows import Window

from waterview.core.commands import Drop, TimedDrop
from waterview.core.params import Value
from waterview.core.playback import Part, Recorded
from waterview.core.rectangle import Rectangle
from waterview.lakes.cluster import cluster
from waterview.lakes.played import open_recording
from waterview.lakes.run import Progress, bake
from waterview.lakes.scene import plan_lake
from waterview.render.camera.camera import OrbitCamera
from waterview.render.prepared_ground import prepare_ground
from waterview.render.settings import ViewParams
from waterview.scene.arguments import parse_size
from waterview.scene.navigator import Navigator
from waterview.scene.scene import Scene
from waterview.sim.loop import Simulation
from waterview.sim.playback import USUAL_CACHE, PlayedWater
from waterview.terrain.library import resolve
from waterview.ui.plain_window import GROUND_TURNS
from waterview.ui.window import WindowProgram, open_window

Place = tuple[float, float]
"""World x and z [m]."""

OCTAVES = 6, 12, 24, 48, 96, 192, 384
"""Hills along a side of the coast; each octave is half as high as the one before."""
HIGHEST = 200.0
"""Height of the hills of the first octave [m]."""
TILE = 2048
DROPS_ALONG = 10
EVERY = 0.5
"""Simulated time between two frames [s]."""
NEAR, LOW, ALONG = 60.0, 0.3, 1500.0
"""How near the eye comes to the shore [m], how high above it [rad], and how far it flies to another one [m]."""
FRAMES = 40
"""Frames that are drawn on each part of the way."""


def write_coast(path: Path, points: int) -> None:
    """Write a coast of hills of all sizes, a metre a sample, most of it under water; some rows at a time."""
    chance = np.random.default_rng(3)
    tables = [chance.normal(-0.3 if n == OCTAVES[0] else 0.0, 1.0, (n + 3, n + 3)) for n in OCTAVES]
    profile = {
        "driver": "GTiff",
        "dtype": "float32",
        "count": 1,
        "width": points,
        "height": points,
        "crs": "EPSG:32633",
    }
    place = rasterio.transform.from_origin(500_000.0, 5_000_000.0, 1.0, 1.0)
    tiled = {"tiled": True, "blockxsize": 256, "blockysize": 256, "compress": "zstd"}
    with rasterio.open(path, "w", transform=place, **profile, **tiled) as file:
        for top in range(0, points, TILE):
            rows = np.arange(top, min(top + TILE, points)) / points
            heights = np.zeros((len(rows), points), np.float32)
            for k, (table, n) in enumerate(zip(tables, OCTAVES, strict=True)):
                lines = splines(rows, n) @ table
                heights += HIGHEST * 0.5**k * (lines @ splines(np.arange(points) / points, n).T)
            file.write(heights, 1, window=Window(0, top, points, len(rows)))


def splines(places: np.ndarray, count: int) -> np.ndarray:
    """Weights of cubic B-splines at places from 0 to 1, for a table of `count` + 3 values; shape (places, values)."""
    at = places * count
    first, t = at.astype(int), at % 1.0
    each = (1 - t) ** 3, 3 * t**3 - 6 * t**2 + 4, -3 * t**3 + 3 * t**2 + 3 * t + 1, t**3
    weights = np.zeros((len(places), count + 3), np.float32)
    for k, weight in enumerate(each):
        weights[np.arange(len(places)), first + k] = weight / 6.0
    return weights


def bake_coast(out: Path, points: int, frames: int, workers: int, memory: str | None) -> None:
    """Bake waves on a coast; the GeoTIFF lies beside the store."""
    ground = out.with_suffix(".tif")
    if not ground.exists():
        write_coast(ground, points)
    source = resolve(ground)
    apart = points / DROPS_ALONG
    middles = np.arange(0.5 * apart, points, apart) - 0.5 * points
    drops = [
        TimedDrop(Drop(float(x), float(z), 4.0, 0.3 * apart, neutral=False), 0.0) for x in middles for z in middles
    ]
    settings: dict[str, Value] = {"grid": points, "border": "reflecting", "wave_speed": 30.0, "steps_per_second": 60.0}
    lake = plan_lake(source, settings, seconds=(frames - 1) * EVERY, every=EVERY, drops=drops)

    def report(progress: Progress) -> None:
        print(f"frame {progress.frame} of {frames} took {progress.seconds:.0f} s", flush=True)

    with cluster(workers, memory) as owners:
        bake(lake, out, owners, report=report)


class Probe:
    """Watches a program while it draws: how long its frames take, and how much memory it takes.

    Args:
        program: the window's.
        pictures: the folder for a picture of each part, or None.
    """

    def __init__(self, program: WindowProgram, pictures: Path | None) -> None:
        self.program, self._pictures = program, pictures
        self._times: list[tuple[float, float]] = []

    def frame(self) -> None:
        """Draw a frame, and note what it took."""
        began, before = time.perf_counter(), time.process_time()
        self.program.frame()
        self._times.append((time.perf_counter() - began, time.process_time() - before))

    def settle(self, seconds: float = 60.0) -> None:
        """Draw until all levels of detail are there and drawn."""
        until = time.monotonic() + seconds
        while time.monotonic() < until:
            playback = self.program.viewer.frame.playback
            if playback is not None and playback.is_finest:
                break
            self.frame()
        for _ in range(3 * GROUND_TURNS):  # two parts, and one more
            self.frame()

    def tell(self, part: str) -> None:
        """Print what a part took, and begin the next one."""
        by_clock, by_processor = (np.array(each) for each in zip(*self._times, strict=True))
        frame, levels = self.program.viewer.frame, 1
        spacing = frame.grid.spacing
        while frame.around is not None:
            frame, levels = frame.around, levels + 1
        print(
            f"{part}: {len(by_clock)} frames, by the clock {np.median(by_clock):.2f} s in the median and "
            f"{by_clock.max():.2f} s at most, by processor time {np.median(by_processor):.2f} and "
            f"{by_processor.max():.2f} s; peak {peak():.0f} MiB; {levels} levels, the finest {spacing:g} m",
            flush=True,
        )
        if self._pictures is not None:
            name = f"{part.replace(' ', '-')}.png"
            Image.fromarray(self.program.picture()).save(self._pictures / name)
        self._times.clear()


def peak() -> float:
    """The most memory that this process ever had in use [MiB], as Linux tells it."""
    lines = Path("/proc/self/status").read_text(encoding="ascii").splitlines()
    return next(int(line.split()[1]) / 1024.0 for line in lines if line.startswith("VmHWM:"))


def shores(recorded: Recorded) -> tuple[Place, Place]:
    """A shore near the middle and another one about `ALONG` from it."""
    level = recorded.levels - 1
    grid = recorded.grid(level)
    _, dry = recorded.ground(Part(level, Rectangle(0, grid.shape[0], 0, grid.shape[1])))
    row, column = np.nonzero(dry[:, 1:] & ~dry[:, :-1])
    x, z = grid.x[column], grid.z[row]
    first = np.argmin(np.hypot(x, z))
    second = np.argmin(np.abs(np.hypot(x - x[first], z - z[first]) - ALONG))
    return (float(x[first]), float(z[first])), (float(x[second]), float(z[second]))


def play(path: Path, cache: float, size: tuple[int, int], pictures: Path | None) -> None:
    """Play a lake in the window, as `waterview view` does; see the module."""
    basin = resolve("basin")
    recorded = open_recording(path)
    window = open_window("waterview", size)
    try:
        with Simulation(PlayedWater(recorded, cache, prepare=prepare_ground)) as simulation:
            scenes = Navigator(Scene(basin.load()), [basin])
            program = WindowProgram(window, simulation, ViewParams(), scenes, cache=cache)
            try:
                course(Probe(program, pictures), *shores(recorded))
            finally:
                program.release()
    finally:
        window.destroy()
    print(f"the program took {peak():.0f} MiB at most")


def course(probe: Probe, shore: Place, other: Place) -> None:
    """What a user does: watch, drag the slider, fly to a shore, to another one and back, and watch again."""
    program, viewer = probe.program, probe.program.viewer
    probe.frame()
    probe.tell("first picture")
    if program.loop.paused:
        viewer.key("space")
    for _ in range(FRAMES):
        probe.frame()
    probe.tell("the whole plays")
    drag_slider(probe)
    probe.tell("slider over the whole")
    home = replace(viewer.camera)
    middle = home.target[0], home.target[2]
    for part, begin, end, near in (
        ("flight to the shore", middle, shore, (0.0, 1.0)),
        ("flight to another shore", shore, other, (1.0, 1.0)),
    ):
        fly(probe, home, (begin, end), near)
        probe.tell(part)
    drag_slider(probe)
    probe.tell("slider at the shore")
    for _ in range(FRAMES):
        probe.frame()
    probe.tell("the shore plays")
    fly(probe, home, (other, middle), (1.0, 0.0))
    probe.tell("flight back")


def fly(probe: Probe, home: OrbitCamera, way: tuple[Place, Place], near: tuple[float, float]) -> None:
    """Move the eye from place to place, and between the height of `home`, at 0, and close to the water, at 1."""
    for share in np.linspace(0.0, 1.0, FRAMES):
        camera, viewer = probe.program.viewer.camera, probe.program.viewer
        low = near[0] + share * (near[1] - near[0])
        (x, z), y = way[0] + share * (np.array(way[1]) - way[0]), home.target[1]
        camera.target = float(x), y + low * (viewer.frame.grid.level - y), float(z)
        camera.distance = home.distance ** (1.0 - low) * NEAR**low
        camera.elevation = home.elevation + low * (LOW - home.elevation)
        camera.keep_above(viewer.frame)
        probe.frame()
    probe.settle()


def drag_slider(probe: Probe) -> None:
    """Drag the slider from end to end and back with the screen's pointer."""
    program = probe.program
    left, top = program.window.position
    x, y, width, height = program.timeline.places["slider"]

    def move(share: float, *more: str) -> None:
        at = round(left + x + 3 + share * (width - 6)), round(top + y + 0.5 * height)
        subprocess.run(["xdotool", "mousemove", *map(str, at), *more], check=True)

    move(0.0, "mousedown", "1")
    for share in (*np.linspace(0.0, 1.0, FRAMES // 3), *np.linspace(1.0, 0.4, FRAMES // 5)):
        move(share)
        for _ in range(3):
            probe.frame()
    move(0.4, "mouseup", "1")
    probe.settle()


def main() -> None:
    """See the module."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("what", choices=("bake", "play"))
    parser.add_argument("lake", type=Path, help="the store")
    parser.add_argument("--points", type=int, default=16384, help="along a side")
    parser.add_argument("--frames", type=int, default=8)
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--memory", default=None, help="most of each worker, such as 1.5GiB")
    parser.add_argument("--cache", type=float, default=USUAL_CACHE, help="as of waterview view [MiB]")
    parser.add_argument("--size", default="960x600", help="of the window")
    parser.add_argument("--pictures", type=Path, default=None, help="a folder for a picture of each part")
    asked = parser.parse_args()
    if asked.what == "bake":
        bake_coast(asked.lake, asked.points, asked.frames, asked.workers, asked.memory)
        return
    if asked.pictures is not None:
        asked.pictures.mkdir(parents=True, exist_ok=True)
    play(asked.lake, asked.cache, parse_size("--size", asked.size), asked.pictures)


if __name__ == "__main__":
    main()
