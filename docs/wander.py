"""Draws sheets of random views: `python docs/wander.py --seed N` into out/wander; look at each sheet critically.

Every terrain and preset is seen by every kind of camera, at all tiers, under any sun and in any sea. Nobody composed
these views, so they show what composed pictures hide. The same seed draws the same sheets; `--only K --size 1280x720`
draws one view again, in large.
"""

from __future__ import annotations

import argparse
import math
import random
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

import moderngl
import numpy as np
from numpy.typing import NDArray
from PIL import Image, ImageDraw

from waterview.bodies.kinds import kinds
from waterview.cli.arguments import SceneArguments
from waterview.cli.scene_setup import set_up_scene
from waterview.core.commands import AddBody, TimedDrop, usual_drop
from waterview.core.errors import InputError
from waterview.core.frame import Frame
from waterview.core.params import Value
from waterview.output import offline as headless
from waterview.render import offscreen
from waterview.render.camera.bounds import Bounds
from waterview.render.camera.camera import OrbitCamera, Point, lowest_eye
from waterview.render.quality import TIERS
from waterview.render.renderer import Renderer
from waterview.render.settings import LOOKS, SURROUNDINGS, ViewParams
from waterview.scene.presets import preset_paths
from waterview.terrain.library import bundled
from waterview.waters import MODELS

FOLDER = Path(__file__).parents[1] / "out" / "wander"
SIZE = (320, 180)
COLUMNS, ROWS = 4, 4
GRID = 160
SECONDS, FOLLOWED, LEAD_IN = 2.0, 1.0, 10.0
"""Simulated [s], for how long before the picture foam is followed [s], and with how many frames a second."""
CAMERAS = ("above", "below", "waterline", "cut side", "straight down", "far")
SEAS = ("calm", "lively", "steep", "huge")
TRIES = 60


@dataclass(frozen=True)
class Wandered:
    """A random view: of which place and sea, from where, and drawn how.

    Attributes:
        caption: tells it in a line.
        frames: of the world, the last of which is drawn.
        camera: sees it.
        settings: of the view.
    """

    caption: str
    frames: list[Frame]
    camera: OrbitCamera
    settings: ViewParams


# --- worlds


def places() -> list[tuple[str, str]]:
    """Everything that a view may be of: ("preset", name) and ("terrain", name)."""
    return [*(("preset", name) for name in preset_paths()), *(("terrain", name) for name in bundled())]


def world_of(chance: random.Random, kind: str, name: str) -> tuple[str, list[Frame], Mapping[str, Value]]:
    """A line about a random sea there, its frames, and the settings that it was declared with."""
    declared: dict[str, Value] = {"grid": GRID}
    if kind == "terrain":
        declared["model"] = chance.choice(sorted(MODELS))
    setup = set_up_scene(SceneArguments(declared=declared, **{"preset" if kind == "preset" else "heightmap": name}))
    world, sea = setup.scene.make_world(), chance.choice(SEAS)
    model, drops = MODELS[setup.scene.params.model], list[TimedDrop]()
    grid, bodies = world.water.grid, 0
    wet = np.argwhere(world.water.bed < grid.level - 0.01 * max(grid.size))

    def somewhere() -> tuple[float, float]:
        row, column = chance.choice(wet) if len(wet) else (0, 0)
        return float(grid.x[column]), float(grid.z[row])

    if model.can_be_disturbed and sea != "calm":
        steepness = {"lively": 0.2, "steep": 0.6, "huge": 1.6}[sea]
        for _ in range(chance.randint(1, 5)):
            drop = usual_drop(grid, *somewhere(), chance.uniform(0.6, 2.5), steepness * chance.choice((1, 1, -1)))
            drops.append(TimedDrop(drop, chance.uniform(0.0, 0.8 * SECONDS)))
    if model.can_be_coupled:
        for _ in range(chance.choice((0, 1, 2, 4))):
            try:
                world.apply(AddBody(chance.choice(sorted(kinds())), chance.choice((None, 300.0, 900.0)), *somewhere()))
                bodies += 1
            except InputError:
                continue  # there is no room for it
    frames = list(headless.run(world, SECONDS, LEAD_IN, drops))[-1 - round(FOLLOWED * LEAD_IN) :]
    return f"{kind} {name} {setup.scene.params.model} {sea} {bodies} bodies", frames, setup.settings


# --- cameras


def eye_and_target(chance: random.Random, kind: str, frame: Frame, bounds: Bounds) -> tuple[Point, Point]:
    """A random place for a camera of this kind, and a point that it looks at [m]."""
    grid, extent = frame.grid, bounds.extent
    low, high = np.array(bounds.low), np.array(bounds.high)

    def inside(margin: float = 0.02) -> tuple[float, float]:
        x, z = (low[i] + chance.uniform(margin, 1.0 - margin) * (high[i] - low[i]) for i in (0, 2))
        return float(x), float(z)

    def surface(x: float, z: float) -> float:
        return max(grid.level + grid.sample(frame.heights, x, z), grid.sample(frame.bed, x, z))

    (x, z), (to_x, to_z) = inside(), inside()
    target = to_x, surface(to_x, to_z), to_z
    if kind == "above":
        lowest = min(math.log10(1.5 * bounds.clearance / extent), -2.2)
        return (x, surface(x, z) + extent * 10.0 ** chance.uniform(lowest, -0.4), z), target
    if kind == "straight down":
        high_up = surface(x, z) + extent * 10.0 ** chance.uniform(-1.5, 0.2)
        return (x, high_up, z), (x, 0.0, z - 1e-3 * high_up)
    if kind in {"below", "waterline"}:
        level, ground = grid.level + grid.sample(frame.heights, x, z), grid.sample(frame.bed, x, z)
        share = chance.uniform(0.1, 0.9) if kind == "below" else chance.uniform(-0.01, 0.02)
        return (x, level - share * (level - ground), z), (to_x, level + chance.uniform(-0.15, 0.15) * extent, to_z)
    turn = chance.uniform(0.0, math.tau)
    rise = {"cut side": chance.uniform(-0.05, 0.1), "far": chance.uniform(0.02, 1.5)}[kind]
    away = {"cut side": chance.uniform(0.72, 1.0), "far": chance.uniform(1.0, 3.5)}[kind] * extent
    middle = bounds.middle
    eye = (
        middle[0] + away * math.sin(turn),
        max(bounds.base, middle[1]) + rise * away,
        middle[2] + away * math.cos(turn),
    )
    return (float(eye[0]), float(eye[1]), float(eye[2])), target


def camera_of(chance: random.Random, kind: str, frame: Frame) -> OrbitCamera | None:
    """A random camera of this kind with its eye outside all rock; None if there is no room for one."""
    bounds = Bounds.of(frame)
    for _ in range(TRIES):
        eye, target = eye_and_target(chance, kind, frame, bounds)
        back = np.subtract(eye, target)
        distance = float(np.linalg.norm(back))
        if distance < 0.02 * bounds.extent:
            continue
        camera = OrbitCamera(
            bounds,
            target,
            distance,
            math.atan2(back[0], back[2]),
            math.asin(back[1] / distance),
            math.radians(chance.choice((28.0, 36.0, 50.0, 75.0))),
            dive=True,
        )
        room = 0.5 * bounds.clearance
        around = (camera.eye + np.array((dx, 0.0, dz)) for dx in (-room, 0.0, room) for dz in (-room, 0.0, room))
        if all(lowest_eye(frame, each, bounds, dry=False) < camera.eye[1] for each in around):
            return camera
    return None


def settings_of(chance: random.Random, own: Mapping[str, Value]) -> ViewParams:
    """Random settings for the views of a place, in a third of places those of its preset.

    Views of a place share them but for the sun, so that few variants of shaders are compiled.
    """
    known = {name: value for name, value in own.items() if name in ViewParams.__dataclass_fields__}
    settings = ViewParams().changed(**known).changed(quality=chance.choice(sorted(TIERS)))
    if chance.random() < 1.0 / 3.0:
        return settings
    return settings.changed(
        turbidity=chance.choice((1.0, 2.0, 2.0, 5.0, 15.0)),
        surroundings=chance.choice(SURROUNDINGS),
        look=chance.choice((LOOKS[0], LOOKS[0], *LOOKS)),
    )


def sun_moved(chance: random.Random, settings: ViewParams) -> ViewParams:
    """The settings under another sun: at the horizon, low, anywhere or overhead."""
    elevation = chance.choice((2.0, chance.uniform(2.0, 12.0), chance.uniform(12.0, 60.0), 90.0))
    return settings.changed(sun_elevation=elevation, sun_azimuth=chance.uniform(0.0, 360.0))


def wander(seed: int, count: int | None = None, only: int | None = None) -> Iterator[tuple[int, Wandered]]:
    """The views of a seed, of all places or the first `count`, with their numbers; or `only` one of them."""
    chosen = places()
    random.Random(seed).shuffle(chosen)
    for index, (kind, name) in enumerate(chosen[:count]):
        # Each place has a chance of its own, so that one view can be drawn without all before it.
        own, first = random.Random(f"{seed} {kind} {name}"), index * len(CAMERAS)
        if only is not None and not first <= only < first + len(CAMERAS):
            continue
        line, frames, declared = world_of(own, kind, name)
        settings = settings_of(own, declared)
        for number, camera_kind in enumerate(CAMERAS, first):
            camera, view = camera_of(own, camera_kind, frames[-1]), sun_moved(own, settings)
            if camera is None or only not in {None, number}:
                continue
            told = f"{camera_kind} {view.quality} sun {view.sun_elevation:.0f} {view.surroundings} {view.look}"
            yield number, Wandered(f"{number} {line}\n{told}", frames, camera, view)


# --- pictures


def picture(
    ctx: moderngl.Context, renderers: dict[str, Renderer], target: moderngl.Framebuffer, view: Wandered
) -> NDArray[np.uint8]:
    """The picture of a view, shape (height, width, 3); `renderers` holds one for each tier that was drawn."""
    if view.settings.quality not in renderers:
        renderers[view.settings.quality] = Renderer(ctx, view.settings)
    renderer = renderers[view.settings.quality]
    for frame in view.frames[:-1]:
        renderer.follow(frame, view.camera, view.settings)
    renderer.render(view.frames[-1], view.camera, target.size, target, view.settings)
    return renderer.snapshot(target, target.size)


def sheets(
    seed: int, folder: Path, size: tuple[int, int] = SIZE, count: int | None = None, only: int | None = None
) -> Iterator[Path]:
    """Draw views as `wander` and yield the files written: sheets, or the picture of the one."""
    folder.mkdir(parents=True, exist_ok=True)
    per_sheet = 1 if only is not None else COLUMNS * ROWS
    columns = 1 if only is not None else COLUMNS
    with offscreen.opengl() as ctx:
        target = ctx.simple_framebuffer(size)
        renderers = dict[str, Renderer]()
        drawn, number = list[Image.Image](), 0
        for each, view in wander(seed, count, only):
            image = Image.fromarray(picture(ctx, renderers, target, view))
            ImageDraw.Draw(image).text((3, 2), view.caption, fill="white", stroke_fill="black", stroke_width=1)
            drawn.append(image)
            print(view.caption.replace("\n", ", "), flush=True)
            if len(drawn) == per_sheet:
                yield _written(drawn, columns, folder / f"seed-{seed}-{each if only is not None else number}.png")
                drawn, number = [], number + 1
        if drawn:
            yield _written(drawn, columns, folder / f"seed-{seed}-{number}.png")
        for renderer in renderers.values():
            renderer.release()


def _written(drawn: list[Image.Image], columns: int, path: Path) -> Path:
    width, height = drawn[0].size
    sheet = Image.new("RGB", (columns * width, -(-len(drawn) // columns) * height))
    for place, image in enumerate(drawn):
        sheet.paste(image, (place % columns * width, place // columns * height))
    sheet.save(path)
    return path


def main() -> None:
    """Draw the sheets."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seed", type=int, default=0, help="other seeds draw other views")
    parser.add_argument("--places", type=int, help="how many terrains and presets to visit; all if not given")
    parser.add_argument("--only", type=int, help="number of the one view to draw")
    parser.add_argument("--size", default=f"{SIZE[0]}x{SIZE[1]}", help="of each picture, in pixels")
    parser.add_argument("--out", type=Path, default=FOLDER, help="the folder to draw into")
    given = parser.parse_args()
    width, height = map(int, given.size.split("x"))
    for path in sheets(given.seed, given.out, (width, height), given.places, given.only):
        print(path)


if __name__ == "__main__":
    main()
