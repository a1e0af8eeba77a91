"""How long until the first picture, what an idle window costs, and how soon a click is seen.

    python benchmarks/start.py [--runs 7] [--seconds 10]

Start: processes in turn, each until it shows its first picture: the program with warm caches, the program with cold
ones (of compiled shaders and kernels), and beside both an empty moderngl-window program with the same caches. Idle:
the share of a core that the program takes while paused and while its water is asleep. Click: a drop posted to the
running simulation until it is in a published surface. Needs a display; prints medians.
"""

from __future__ import annotations

import argparse
import os
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

FIRST_PICTURE = """
import sys, time, glfw
began, left, swap = float(sys.argv.pop(1)), int(sys.argv.pop(1)), glfw.swap_buffers
def swap_once(window):
    global left
    swap(window)
    left -= 1
    if left:
        return
    print(time.monotonic() - began, flush=True)
    import os
    os._exit(0)
glfw.swap_buffers = swap_once
"""

EMPTY = (
    FIRST_PICTURE
    + """
import moderngl_window
from moderngl_window.context.glfw.window import Window
window = Window(
    title="empty", size=(1280, 720), gl_version=(3, 3), resizable=True, vsync=True, aspect_ratio=None, samples=0
)
moderngl_window.activate_context(window=window)
window.ctx.clear(0.1, 0.2, 0.3)
window.swap_buffers()
"""
)

PROGRAM = (
    FIRST_PICTURE
    + """
from waterview.cli import main
main()
"""
)

IDLE = """
import sys, threading, time
from waterview.core.commands import Pause
from waterview.sim.loop import Simulation
made = []
init = Simulation.__init__
def noted(self, *worlds, **more):
    init(self, *worlds, **more)
    made.append(self)
Simulation.__init__ = noted
paused, seconds = sys.argv.pop(1) == "paused", float(sys.argv.pop(1))
def watch():
    while not made or made[0].latest().serial < 3 or made[0].preparing:
        time.sleep(0.1)
    if paused:
        made[0].post(Pause(True))
    time.sleep(8.0)
    cpu, began = time.process_time(), time.monotonic()
    time.sleep(seconds)
    print((time.process_time() - cpu) / (time.monotonic() - began), flush=True)
    import os
    os._exit(0)
threading.Thread(target=watch, daemon=True).start()
from waterview.cli import main
main()
"""


def run(source: str, *arguments: str, **environment: str) -> float:
    """The number that a process of `source` prints."""
    command = [sys.executable, "-c", source, *arguments]
    done = subprocess.run(command, env=os.environ | environment, capture_output=True, text=True, check=False)
    if done.returncode:
        raise SystemExit(done.stderr)
    return float(done.stdout)


def picture(source: str, number: int = 1, **environment: str) -> float:
    """Time from before a process is started to after its first picture, or a later one [s]."""
    return run(source, repr(time.monotonic()), str(number), **environment)


def caches(folder: Path) -> dict[str, str]:
    """Where compiled shaders and kernels are kept."""
    for name in ("mesa", "numba"):
        (folder / name).mkdir(parents=True, exist_ok=True)  # Mesa makes no parents
    return {"MESA_SHADER_CACHE_DIR": str(folder / "mesa"), "NUMBA_CACHE_DIR": str(folder / "numba")}


def start(runs: int) -> None:
    """Print medians of the time until the first picture, and until the first that is no preview."""
    names = ("empty, warm", "waterview, warm", "in full, warm", "empty, cold", "waterview, cold")
    times: dict[str, list[float]] = {name: [] for name in names}
    with tempfile.TemporaryDirectory() as folder:
        # Installed programs have their bytecode beside them.
        os.environ |= {"PYTHONDONTWRITEBYTECODE": "", "PYTHONPYCACHEPREFIX": str(Path(folder) / "bytecode")}
        warm = caches(Path(folder) / "warm")
        for source in (EMPTY, PROGRAM):
            picture(source, **warm)
        picture(PROGRAM, 2, **warm)
        for number in range(runs):
            for name, source in (("empty", EMPTY), ("waterview", PROGRAM)):
                times[f"{name}, warm"].append(picture(source, **warm))
                cold = caches(Path(folder) / f"{name}-{number}")
                times[f"{name}, cold"].append(picture(source, **cold))
            times["in full, warm"].append(picture(PROGRAM, 2, **warm))
    medians = {name: statistics.median(each) for name, each in times.items()}
    for name, seconds in medians.items():
        print(f"{name:20} {seconds:6.2f} s")
    for kind, most in (("warm", 1.5), ("cold", 2.0)):
        ratio = medians[f"waterview, {kind}"] / medians[f"empty, {kind}"]
        print(f"{kind}: {ratio:.2f} times the empty program (wanted: at most {most})")


def idle(seconds: float) -> None:
    """Print the share of a core that a window takes where nothing changes."""
    for name in ("paused", "asleep"):
        share = run(IDLE, name, repr(seconds))
        print(f"{name:20} {100 * share:6.1f} % of a core (wanted: at most 5)")


def click(runs: int) -> None:
    """Print how long a drop takes into a published surface, and how long a step and a frame are."""
    import numpy as np

    from waterview.core.commands import Drop, Reset
    from waterview.sim.loop import PUBLISH_INTERVAL, Simulation
    from waterview.waters.wave.wave_equation import WaveEquationWater

    water = WaveEquationWater(40.0, 40.0, 512)
    water.disturb(Drop(20.0, 20.0, height=0.5, radius=1.0))
    waits = []
    with Simulation(water) as simulation:
        for _ in range(1 + 10 * runs):
            simulation.post(Reset())
            serial = simulation.latest().serial
            while simulation.latest().serial < serial + 3 or np.any(simulation.latest().heights):
                time.sleep(0.001)
            began = time.monotonic()
            simulation.post(Drop(20.0, 20.0, height=0.5, radius=1.0))
            while not np.any(simulation.latest().heights[250:260, 250:260]):
                time.sleep(0.0002)
            waits.append(time.monotonic() - began)
    waits = waits[1:]  # a window has long stepped on all threads when it is first clicked into
    print(f"click {1e3 * statistics.median(waits):.1f} ms, longest {1e3 * max(waits):.1f} ms until it is published")
    print(f"a step and a frame: {1e3 * (water.time_step + PUBLISH_INTERVAL):.1f} ms")


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--runs", type=int, default=7)
    parser.add_argument("--seconds", type=float, default=10.0)
    options = parser.parse_args()
    start(options.runs)
    idle(options.seconds)
    click(options.runs)


if __name__ == "__main__":
    main()
