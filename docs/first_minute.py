"""Films a new user's first minute: `python docs/first_minute.py` into out/first-minute; look at each screenshot.

On a virtual screen the program starts as it does for somebody who has never had it: with empty folders for settings and
data. A mouse and a keyboard do what `EVENTS` lists. The film is made by the program's own recorder (F10), without the
interface; the screenshots show the whole window. It needs Xvfb and xdotool, on Linux.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import tempfile
import time
from contextlib import ExitStack
from pathlib import Path

from PIL import ImageGrab

FOLDER = Path(__file__).parents[1] / "out" / "first-minute"
SIZE = (1280, 720)

EVENTS = """
 0 key F10
 1 shot 01-first-picture
 3 mousemove 640 420 click 1
 5 shot 02-a-drop-falls
 6 mousemove 500 380 mousedown 1
 7 mousemove 560 410
 7 mousemove 640 430
 8 mousemove 720 420 mouseup 1
 9 shot 03-a-wake-is-drawn
10 key Escape
12 mousemove 241 31 click 1
13 mousemove 600 520 click 1
16 shot 04-a-body-of-ones-own
18 mousemove 365 31 click 1
21 shot 05-rain
22 mousemove 365 31 click 1
23 mousemove 640 400 mousedown 3
24 mousemove 760 360
25 mousemove 860 330 mouseup 3
27 mousemove 640 400 click --repeat 3 4
29 shot 06-turned-and-nearer
30 key F3
32 mousemove 853 640 click 1
35 mousemove 640 250
36 shot 07-the-pool
37 key F3
37 mousemove 198 31 click 1
38 mousemove 500 400 click 1
39 mousemove 860 330 click 1
42 shot 08-rings-in-the-pool
43 key d
46 shot 09-under-water
47 key d
48 key c
50 shot 10-columns-of-a-row
51 key c
51 key v
53 shot 11-a-map-of-what-happens-inside
54 key F2
57 shot 12-every-setting
59 key F2
60 key F10
62 key Escape Escape
"""
"""What is done, and after how many seconds: words of xdotool, or a screenshot and its name."""


def display(stack: ExitStack) -> str:
    """Start a virtual screen, which ends with `stack`; returns its DISPLAY."""
    read, write = os.pipe()
    size = "x".join(map(str, (*SIZE, 24)))
    command = ["Xvfb", "-displayfd", str(write), "-screen", "0", size, "-nolisten", "tcp", "-noreset"]
    server = subprocess.Popen(command, pass_fds=[write], stderr=subprocess.DEVNULL)
    stack.callback(server.wait)
    stack.callback(server.terminate)
    os.close(write)
    with os.fdopen(read) as pipe:
        return f":{pipe.readline().strip()}"


def film(folder: Path, wait: float, pace: float, events: str = EVENTS) -> int:
    """Do the events in a window and write film and screenshots into a folder; returns the program's exit code.

    Args:
        folder: made if need be.
        wait: how long the program may compile and load before the first event [s].
        pace: seconds for one second of `EVENTS`, for machines that draw slowly.
        events: as `EVENTS`.
    """
    folder.mkdir(parents=True, exist_ok=True)
    with ExitStack() as stack:
        home = stack.enter_context(tempfile.TemporaryDirectory())
        screen = display(stack)
        own = {"XDG_CONFIG_HOME": f"{home}/config", "XDG_DATA_HOME": f"{home}/data", "XDG_VIDEOS_DIR": str(folder)}
        environment = {**os.environ, **own, "DISPLAY": screen, "XDG_SESSION_TYPE": "x11"}
        environment.pop("WAYLAND_DISPLAY", None)
        program = subprocess.Popen([sys.executable, "-m", "waterview", "view"], env=environment)
        stack.callback(program.wait)
        stack.callback(program.terminate)
        time.sleep(wait)
        began = time.monotonic()
        for line in filter(None, events.splitlines()):
            seconds, what, *words = line.split()
            time.sleep(max(pace * float(seconds) - (time.monotonic() - began), 0.0))
            if program.poll() is not None:
                break
            if what == "shot":
                ImageGrab.grab(xdisplay=screen).save(folder / f"{words[0]}.png")
                print(folder / f"{words[0]}.png", flush=True)
            else:
                subprocess.run(["xdotool", what, *words], env=environment, check=True)
        return program.wait(60.0)


def main() -> int:
    """Film it."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--wait", type=float, default=15.0, help="seconds before the first event; more when all is new")
    parser.add_argument("--pace", type=float, default=1.0, help="seconds for one of the script's, on a slow machine")
    parser.add_argument("--out", type=Path, default=FOLDER, help="the folder for film and screenshots")
    given = parser.parse_args()
    return film(given.out.resolve(), given.wait, given.pace)


if __name__ == "__main__":
    sys.exit(main())
