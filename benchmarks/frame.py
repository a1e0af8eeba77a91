"""What a picture costs, pass by pass, for every quality, beside moderngl's own port of WebGL Water.

Run it as `python benchmarks/frame.py --peer PATH`, where PATH is the folder examples/water of a checkout of moderngl;
without it the peer is left out. On a machine with a graphics card, larger pictures and grids say more:
`python benchmarks/frame.py --sizes 1920x1080 3840x2160 --grid 2048`.

The scene is the tiled pool, from so near that it fills the picture (`--camera 0,0,30,30,30` shows it as small as the
peer shows its own); every picture shows newly moved water, and stepping it is part of the frame, as it is of
the peer's. The programs take turns in one process, each in an OpenGL context of its own without a window, so a machine
that slows down slows them all: ratios hold better than figures. Where other programs compute at the same time,
`--processor-time` counts the processor's time on all threads instead of the clock's; software OpenGL computes there.
Passes are timed in other turns than whole frames, as waiting for the graphics card after each of them costs time, too.
"""

from __future__ import annotations

import argparse
import json
import statistics
import sys
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import moderngl
from rich.console import Console
from rich.table import Table

from waterview.core.commands import Drop
from waterview.render.quality import TIERS
from waterview.render.renderer import Renderer
from waterview.render.settings import ViewParams
from waterview.scene.arguments import CameraPlace, parse_camera
from waterview.scene.presets import find_preset
from waterview.scene.scene import Scene, split_settings

Size = tuple[int, int]
Clock = Callable[[], float]
CAMERA = "0,0.3,10,30,32"  # near: water fills most of the picture
DROP_EVERY = 10  # frames


class Pool:
    """Our pool with renderers of all tiers, in one context."""

    def __init__(self, size: Size, grid: int, tiers: list[str], place: CameraPlace, clock: Clock) -> None:
        self._clock = clock
        preset = find_preset("pool")
        params, model = split_settings({**preset.settings, "grid": grid})
        self.world = Scene(preset.terrain().load(), params, model).make_world()
        self.ctx = moderngl.create_context(standalone=True, backend="egl", require=330)
        self.size, self.serial = size, 0
        with self.ctx:
            self.target = self.ctx.simple_framebuffer(size)
            self.target.use()
            self.renderers = {tier: Renderer(self.ctx, ViewParams(quality=tier, sun_elevation=42.0)) for tier in tiers}
        self.world.step()
        self.camera = place.of(self.world.publish(0))

    def draw(self, tier: str) -> None:
        """Let the water move and draw it; the context must be current."""
        self.serial += 1
        if self.serial % DROP_EVERY == 1:
            self.world.apply(Drop(-2.0 + self.serial % 7, 1.0 - self.serial % 3, 0.25, 0.6))
        self.world.step()
        frame = self.world.publish(self.serial)
        self.renderers[tier].render(frame, self.camera, self.size, self.target, seconds=1 / 60)

    def frame(self, tier: str) -> float:
        """Draw a whole frame; returns how long it took [s]."""
        with self.ctx:
            began = self._clock()
            self.draw(tier)
            self.ctx.finish()
            return self._clock() - began

    def passes(self, tier: str) -> dict[str, float]:
        """Draw a frame; returns how long each pass took [s]."""
        taken: dict[str, float] = {}
        last = 0.0

        def lap(name: str) -> None:
            nonlocal last
            self.ctx.finish()
            now = self._clock()
            taken[name] = taken.get(name, 0.0) + now - last
            last = now

        with self.ctx:
            renderer = self.renderers[tier]
            renderer.lap = lap
            last = self._clock()
            self.draw(tier)
            renderer.lap = lambda name: None
        return taken


class Peer:
    """moderngl's examples/water without its window; a drop falls as often as into our pool."""

    def __init__(self, folder: Path, size: Size, clock: Clock) -> None:
        import moderngl_window as mglw
        from moderngl_window.context.headless import Window

        if not (folder / "water_main.py").is_file():
            raise SystemExit(f"--peer {folder}: there is no water_main.py; give the folder examples/water of moderngl")
        self._clock = clock
        found: list[Any] = []
        mglw.run_window_config = lambda config, **_: found.append(config)  # it would open a window on import
        sys.path.insert(0, str(folder))
        __import__("water_main")
        window = Window(size=size, backend="egl", gl_version=(3, 3), aspect_ratio=size[0] / size[1])
        self.window, self.ctx, self.count = window, window.ctx, 0
        self.ctx._screen = window.fbo  # what the example draws into; a context without a window has none
        mglw.activate_context(ctx=self.ctx)
        moderngl.get_context = lambda: self.ctx
        with self.ctx:
            self.example = found[0](ctx=self.ctx, wnd=window, timer=None)

    def frame(self) -> float:
        """Draw a whole frame; returns how long it took [s]."""
        self.count += 1
        with self.ctx:
            if self.count % DROP_EVERY == 1:
                self.example.water.add_drop(-0.3, 0.2, 0.03, 0.01)
            began = self._clock()
            self.window.clear()
            self.example.on_render(0.0, 1 / 60)
            self.ctx.finish()
            return self._clock() - began


def medians(samples: list[dict[str, float]]) -> dict[str, float]:
    """Median of each entry [ms]."""
    return {name: 1e3 * statistics.median(sample[name] for sample in samples) for name in samples[0]}


def measure(
    size: Size, grid: int, tiers: list[str], place: CameraPlace, peer: Path | None, turns: int, clock: Clock
) -> tuple[dict[str, float], dict[str, dict[str, float]]]:
    """Milliseconds of a whole frame of each tier and of the peer, and of each tier's passes."""
    pool = Pool(size, grid, tiers, place, clock)
    programs: dict[str, Callable[[], float]] = {tier: partial(pool.frame, tier) for tier in tiers}
    if peer:
        programs["peer"] = Peer(peer, size, clock).frame
    frames: list[dict[str, float]] = []
    passes: dict[str, list[dict[str, float]]] = {tier: [] for tier in tiers}
    for turn in range(turns + 2):
        # The first of two frames after another program finds caches full of that one's things.
        taken = {name: (draw(), draw())[1] for name, draw in programs.items()}
        parts = {tier: pool.passes(tier) for tier in tiers}
        if turn >= 2:  # the first compile and warm up
            frames.append(taken)
            for tier in tiers:
                passes[tier].append(parts[tier])
    return medians(frames), {tier: medians(samples) for tier, samples in passes.items()}


def table(title: str, frames: dict[str, float], passes: dict[str, dict[str, float]]) -> Table:
    """What was measured, a column a program."""
    shown = Table(title=title)
    shown.add_column("ms")
    for name in frames:
        shown.add_column(name, justify="right")
    for part in dict.fromkeys(part for parts in passes.values() for part in parts):
        cells = (passes.get(name, {}).get(part) for name in frames)
        shown.add_row(part, *("" if cell is None else f"{cell:.1f}" for cell in cells))
    shown.add_section()
    shown.add_row("whole frame", *(f"{frame:.1f}" for frame in frames.values()))
    shown.add_row("frames a second", *(f"{1e3 / frame:.0f}" for frame in frames.values()))
    if "peer" in frames:
        shown.add_row("share of the peer", *(f"{frame / frames['peer']:.2f}" for frame in frames.values()))
    return shown


def main() -> None:
    """Measure the sizes asked for and print a table for each."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--peer", type=Path, metavar="PATH", help="the folder examples/water of moderngl")
    parser.add_argument("--sizes", type=parse_size, nargs="+", default=[(1280, 720)], metavar="WxH")
    parser.add_argument("--grid", type=int, default=384, help="points along the water's longer side")
    parser.add_argument("--tiers", nargs="+", default=list(TIERS), choices=list(TIERS))
    parser.add_argument("--camera", type=parse_camera, default=CAMERA, metavar="X,Z,DISTANCE,AZIMUTH,ELEVATION")
    parser.add_argument("--turns", type=int, default=15, help="turns each; medians are printed")
    parser.add_argument("--processor-time", action="store_true", help="on all threads, instead of the clock's")
    parser.add_argument("--json", type=Path, help="a file for the figures")
    options = parser.parse_args()
    console = Console()
    if not options.peer:
        console.print("Without --peer PATH there is nothing to compare with: moderngl's examples/water is left out.")
    clock = time.process_time if options.processor_time else time.perf_counter
    results = []
    for size in options.sizes:
        wanted = options.grid, options.tiers, options.camera, options.peer, options.turns, clock
        frames, passes = measure(size, *wanted)
        title = f"pool, {size[0]} × {size[1]}, grid {options.grid}, median of {options.turns} turns"
        console.print(table(title, frames, passes))
        results.append({"size": size, "grid": options.grid, "frames": frames, "passes": passes})
    if options.json:
        options.json.write_text(json.dumps({"results": results}, indent=1))


def parse_size(text: str) -> Size:
    """A width and a height from "WxH"."""
    width, height = text.split("x")
    return int(width), int(height)


if __name__ == "__main__":
    main()
