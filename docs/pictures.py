"""Draws the pictures of the documentation: run `make pictures`, then look at each of them."""

from __future__ import annotations

import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np
from PIL import Image

HERE = Path(__file__).parent / "pictures"
ISLANDS = ("bay", "--camera=-95,62,200,40,26")
"""The bay, with the camera before its islands."""
DROPS = ("--drop", "-135,82,5,10", "--drop", "-70,108,3,8,0.4")
RIDGE = ("--drop", "-288,178,5,26", "--drop", "-268,197,5,26", "--drop", "-248,216,5,26")
RIDGE += ("--wavemaker", "none", "--wave-speed", "16")
"""Side by side over the deep corner of the bay's sea the drops make one ridge, parallel to the coast."""

RING: tuple[float, *tuple[str, ...]] = (0.4, *ISLANDS, "--wave-speed", "40", *DROPS)
STRIPS: dict[str, tuple[float, *tuple[str, ...]]] = {
    "wave-equation": RING,
    "dual-buffer": (0.4, *ISLANDS, "--drop", "-135,82,5,14", *DROPS[2:]),  # so wide that it throws a droplet
    "height-field": RING,
    "wave-particles": RING,
    "shallow-water": (4.0, "--preset", "tsunami", "--camera=-95,62,260,40,26", *RIDGE),
    "ocean": (0.5, *ISLANDS),
    "layered": RING,
}
"""Seconds from one picture to the next, and what happens in the film strip of each model."""


def render(out: Path, size: str, *arguments: str) -> None:
    """Draw with the program's own command line."""
    command = [sys.executable, "-m", "waterview", "render", "--size", size, "--quality", "high"]
    subprocess.run([*command, *arguments, "--out", str(out)], check=True, stdout=subprocess.DEVNULL)


def picture(name: str, *arguments: str) -> None:
    """Draw one picture."""
    with tempfile.TemporaryDirectory() as folder:
        out = Path(folder) / "picture.png"
        render(out, "1280x720", *arguments)
        with Image.open(out) as drawn:
            drawn.convert("RGB").save(HERE / name, quality=88, optimize=True)


def strip(model: str, apart: float, *arguments: str) -> None:
    """Draw six moments of a model, so many seconds `apart`, in two rows."""
    with tempfile.TemporaryDirectory() as folder:
        frames = Path(folder) / "frame_%d.png"
        times = "--seconds", f"{6.01 * apart:g}", "--fps", f"{1.0 / apart:.9g}"
        render(frames, "480x270", "--model", model, *times, *arguments)
        sheet = Image.new("RGB", (3 * 480, 2 * 270))
        for number in range(6):
            with Image.open(frames.with_name(f"frame_{number}.png")) as frame:
                sheet.paste(frame, (number % 3 * 480, number // 3 * 270))
        sheet.save(HERE / f"strip-{model}.jpg", quality=88)


def tsunami() -> None:
    """Waves come to a coast of 50 km with an islet before it, as somebody's own heightmap."""
    x, north = np.meshgrid(np.linspace(0.0, 1.0, 144), np.linspace(1.0, 0.0, 120))
    inland = north - (0.72 + 0.08 * np.sin(7.0 * x) + 0.03 * np.sin(23.0 * x + 1.0))
    hills = 3200.0 * np.clip(inland, 0.0, None) ** 0.8
    deep = 1400.0 * np.clip(-inland / 0.7, 0.0, 1.0) ** 1.3
    islet = 1200.0 * np.exp(-((x - 0.6) ** 2 + (north - 0.45) ** 2) / 0.002)
    with tempfile.TemporaryDirectory() as folder:
        np.save(Path(folder) / "coast.npy", (hills - deep + islet).astype(np.float32))
        own = (str(Path(folder) / "coast.npy"), "--size-m", "50000", "--preset", "tsunami", "--wavemaker-height", "70")
        frame = Path(folder) / "frame_%d.png"
        where = ("--camera", "1000,-9000,36000,-30,24", "--grid", "320")
        render(frame, "1280x560", *own, *where, "--seconds", "28.01", "--fps", "0.0714")
        with Image.open(frame.with_name("frame_1.png")) as drawn:
            drawn.convert("RGB").save(HERE / "tsunami.jpg", quality=85, optimize=True)


def moved_body() -> None:
    """Somebody drags a ball through the pool: the command line cannot do that, the library can."""
    from waterview.core.commands import AddBody, DragBody, GrabBody
    from waterview.output import offline as headless
    from waterview.render.settings import ViewParams
    from waterview.scene.arguments import CameraPlace
    from waterview.scene.scene import Scene
    from waterview.terrain.library import resolve

    world = Scene(resolve("basin").load()).make_world()
    world.apply(AddBody("sphere", 300.0, 3.0, 1.0))
    world.step()
    (body,) = world.publish(0).bodies
    world.apply(GrabBody(body.number, tuple(float(value) for value in body.position)))
    for number in range(320):
        world.apply(DragBody((3.0 - 0.0085 * number, float(body.position[1]), 1.0)))
        world.step()
    shot = headless.Shot((1280, 720), ViewParams(quality="high"), CameraPlace(0.0, 0.3, 10.0, 30.0, 32.0).of)
    headless.Output(HERE / "moved-body.png", shot).write([world.publish(1)])


def main() -> None:
    """Draw them all."""
    HERE.mkdir(exist_ok=True)
    bay = ("bay", "--wave-speed", "30", "--seconds", "2")
    picture("coast.jpg", *bay, "--drop", "-125,85,3,12")
    picture("shore.jpg", *bay, "--drop", "-125,85,2,8", "--camera=-70,50,130,205,20")
    picture("basin.png", "basin", "--seconds", "0.9", "--drop", "-2,1,0.2,0.5", "--drop", "2,-1.5,0.2,0.4,0.2")
    pool = ("basin", "--camera", "0,0.3,10,30,32")
    picture("wall.png", *pool, "--damping", "0.1", "--drop", "-4.2,0,0.3,0.5", "--seconds", "2.2")
    picture("body.png", *pool, "--drop", "-1.2,0.5,0.3,0.5", "--body", "box:900:0.8,0.5", "--seconds", "1.9")
    picture("crossing.png", *pool, "--drop", "-1.8,0,0.3,0.5", "--drop", "1.8,0,0.3,0.5", "--seconds", "1.7")
    picture("rain.png", *pool, "--rain", "60", "--seconds", "3")
    moved_body()
    tsunami()
    for model, arguments in STRIPS.items():
        strip(model, *arguments)


if __name__ == "__main__":
    main()
