"""Draws the pictures of the documentation: run `make pictures`, then look at each of them."""

from __future__ import annotations

import subprocess
import sys
import tempfile
from pathlib import Path

from PIL import Image

HERE = Path(__file__).parent / "pictures"
TERRAIN = (str(HERE.parents[1] / "tests" / "support" / "coast.npz"), "--size-m", "400", "--vertical-scale", "0.01")
"""The coast of the tests, around Vancouver Island, as a model 400 m long."""
COAST = ("--camera", "-120,100,150,40,24")
DROPS = ("--drop", "-172,118,3,9", "--drop", "-140,82,1.5,8,0.4")
RIDGE = ("--drop", "-288,178,5,26", "--drop", "-268,197,5,26", "--drop", "-248,216,5,26")
"""Side by side over the deep corner of the bay's sea these make one ridge, parallel to the coast."""

RING: tuple[float, *tuple[str, ...]] = (0.4, *TERRAIN, *COAST, *DROPS)
STRIPS: dict[str, tuple[float, *tuple[str, ...]]] = {
    "wave-equation": RING,
    "dual-buffer": (0.4, *TERRAIN, *COAST, "--drop", "-172,118,3,13", *DROPS[2:]),  # so wide that it throws a droplet
    "height-field": RING,
    "wave-particles": RING,
    "shallow-water": (1.0, "--preset", "tsunami", "--wavemaker", "none", "--wave-speed", "16", *RIDGE),
    "ocean": (0.5, *TERRAIN, *COAST),
    "layered": (0.4, *TERRAIN, *COAST, *DROPS),
}
"""Seconds from one picture to the next, and what happens in the film strip of each model, on the real coast."""


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
    picture("ripple.png", *TERRAIN, "--seconds", "1.3", "--drop", "-135,90,3,9", "--drop", "-112,98,2.2,6,0.5", *COAST)
    picture("shore.jpg", *bay, "--drop", "-125,85,2,8", "--camera=-70,50,130,205,20")
    picture("basin.png", "basin", "--seconds", "0.9", "--drop", "-2,1,0.2,0.5", "--drop", "2,-1.5,0.2,0.4,0.2")
    pool = ("basin", "--camera", "0,0.3,10,30,32")
    picture("wall.png", *pool, "--damping", "0.1", "--drop", "-4.2,0,0.3,0.5", "--seconds", "2.2")
    picture("body.png", *pool, "--drop", "-1.2,0.5,0.3,0.5", "--body", "box:900:0.8,0.5", "--seconds", "1.9")
    picture("crossing.png", *pool, "--drop", "-1.8,0,0.3,0.5", "--drop", "1.8,0,0.3,0.5", "--seconds", "1.7")
    picture("rain.png", *pool, "--rain", "60", "--seconds", "3")
    moved_body()
    for model, arguments in STRIPS.items():
        strip(model, *arguments)


if __name__ == "__main__":
    main()
