"""Films a new user's first minute: `python docs/first_minute.py` into out/first-minute; look at each screenshot.

On a virtual screen the program starts as it does for somebody who has never had it: with empty folders for settings and
data, with `--cold` without compiled kernels, too. A real mouse and keyboard do what `EVENTS` lists. They wait for what
the program is doing, not for the clock, so a slow machine films the same minute. The film is made by the program's own
recorder (F10), without the interface; the screenshots show the whole window. It needs Xvfb and xdotool, on Linux.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from PIL import ImageGrab

import waterview.ui
from waterview.cli import run
from waterview.scene.presets import find_preset
from waterview.ui.window import WindowProgram

FOLDER = Path(__file__).parents[1] / "out" / "first-minute"
SIZE = (1280, 720)
PATIENCE = 600.0
"""Longest wait for an event [s]: on two busy cores the kernels of a model take minutes."""

EVENTS = """
preset bay, seconds 0.3           key F10
film on, seconds 1                shot 01-first-picture
seconds 1                         click 0.45,0.64
touched, seconds 0.7              shot 02-a-drop-falls
seconds 0.5                       drag 0.30,0.70 0.42,0.74 0.56,0.66
seconds 0.5                       shot 03-a-wake-is-drawn
seconds 0.5                       key Escape
gallery closed                    click button:body
tool body                         click 0.62,0.62
bodies 2, seconds 1               shot 04-a-body-of-ones-own
seconds 0.5                       click button:rain
rain on, seconds 1.5              shot 05-rain
seconds 0.5                       click button:rain
rain off                          turn 0.50,0.55 0.62,0.50 0.72,0.46
seconds 0.5                       wheel 0.50,0.55 4
seconds 1                         shot 06-turned-and-nearer
seconds 0.5                       key F3
gallery open                      click preset:pool
preset pool, seconds 1.5          point 0.50,0.35
seconds 0.5                       shot 07-the-pool
seconds 0.2                       key F3
gallery closed                    click button:drop
tool drop                         click 0.40,0.60
seconds 0.6                       click 0.62,0.50
seconds 0.9                       shot 08-rings-in-the-pool
seconds 0.2                       key d
under water, seconds 1            shot 09-under-water
seconds 0.5                       key d
above water                       click 0.45,0.55
seconds 0.3                       key c
columns on, seconds 0.5           shot 10-columns-of-a-row
seconds 0.2                       key c
columns off                       click 0.50,0.50
seconds 0.3                       key v
map on, seconds 0.7               shot 11-a-map-of-what-happens-inside
seconds 0.2                       key F2
panel open, seconds 1             shot 12-every-setting
seconds 0.2                       key F2
panel closed                      key F10
film off                          key Escape
map off                           key Escape Escape
"""
"""What is waited for, and what is done then; a place is a share of the window's width and height, or of a button."""


@dataclass(frozen=True)
class Moment:
    """The program when the last event was done.

    Attributes:
        ground: of its scene; another one means another scene.
        time: simulated [s].
    """

    ground: object
    time: float


def is_on(word: str) -> bool:
    """Whether the word says that something is there."""
    return {"on": True, "open": True, "off": False, "closed": False}[word]


def is_preset_there(program: WindowProgram, name: str) -> bool:
    """Whether the water and the bodies of a preset have arrived."""
    preset, viewer = find_preset(name), program.viewer
    chosen = {entry.name: value for entry, value in viewer.scene_settings()}["preset"]
    has_arrived = viewer.title in {"", preset.title}  # the first scene has no title
    return chosen == name and has_arrived and len(viewer.frame.bodies) == len(preset.bodies)


STATES: dict[str, Callable[[WindowProgram, str], bool]] = {
    "preset": is_preset_there,
    "film": lambda program, word: program.film.on == is_on(word),
    "gallery": lambda program, word: program.welcome.shown == is_on(word),
    "panel": lambda program, word: program.panel.shown == is_on(word),
    "columns": lambda program, word: (program.viewer.row is not None) == is_on(word),
    "map": lambda program, word: (program.viewer.frame.field_map is not None) == is_on(word),
    "rain": lambda program, word: (program.viewer.interaction.rain > 0.0) == is_on(word),
    "tool": lambda program, name: program.viewer.pointer.tool == name,
    "touched": lambda program, _: program.viewer.pointer.has_disturbed,
    "bodies": lambda program, count: len(program.viewer.frame.bodies) == int(count),
    "under": lambda program, _: program.viewer.camera.dive,
    "above": lambda program, _: not program.viewer.camera.dive,
}
"""What may be waited for, by its first word; the second is the argument. Besides there is `seconds`, simulated ones."""


@dataclass(frozen=True)
class Event:
    """A line of `EVENTS`.

    Attributes:
        waits: pairs of a state and its argument, all of which are waited for; then simulated seconds.
        what: key, shot, point, click, drag, turn or wheel.
        words: keys, the name of a screenshot, or places.
    """

    waits: tuple[tuple[str, str], ...]
    what: str
    words: tuple[str, ...]

    @classmethod
    def parse(cls, line: str) -> Event:
        """The event of a line: what is waited for, two spaces or more, and what is done."""
        waits, _, act = line.strip().partition("  ")
        what, *words = act.split()
        return cls(tuple((w.partition(" ")[0], w.partition(" ")[2]) for w in waits.split(", ")), what, tuple(words))

    def is_due(self, program: WindowProgram, last: Moment) -> bool:
        """Whether all that is waited for has come."""
        frame = program.viewer.frame
        began = last.time if frame.bed is last.ground else 0.0
        seconds = sum(float(argument) for name, argument in self.waits if name == "seconds")
        states = all(STATES[name](program, argument) for name, argument in self.waits if name != "seconds")
        return states and frame.time - began >= seconds


class Hand:
    """Does events in a window between its pictures: `next` goes on until it has to see the next picture.

    Args:
        program: the window's.
        events: in their order.
        folder: for screenshots.
        patience: longest wait for an event [s].
        do: runs xdotool with these words.
        grab: writes a picture of the screen to a path.
        clock: tells the time [s].
    """

    def __init__(
        self,
        program: WindowProgram,
        events: list[Event],
        folder: Path,
        patience: float = PATIENCE,
        do: Callable[..., Any] = lambda *words: subprocess.run(["xdotool", *words], check=True),
        grab: Callable[[Path], Any] = lambda path: ImageGrab.grab(xdisplay=os.environ["DISPLAY"]).save(path),
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._program, self._events, self._folder, self._patience = program, events, folder, patience
        self._do, self._grab, self._clock = do, grab, clock

    def __iter__(self) -> Iterator[None]:
        """Do the events, and yield whenever the window has to draw.

        Raises:
            TimeoutError: an event was waited for in vain.
        """
        for event in self._events:
            frame, began = self._program.viewer.frame, self._clock()
            last = Moment(frame.bed, frame.time)
            yield from self._pictures(3)
            while not event.is_due(self._program, last):
                if self._clock() - began > self._patience:
                    raise TimeoutError(self._vain(event))
                yield
            yield from self._act(event.what, event.words)

    def _vain(self, event: Event) -> str:
        waits, viewer = ", ".join(" ".join(pair).strip() for pair in event.waits), self._program.viewer
        doing = self._program.loop.preparing or f"{viewer.title or 'the first scene'} at {viewer.frame.time:.1f} s"
        return f"{self._patience:g} s of waiting for '{waits}' before {event.what} {' '.join(event.words)}: {doing}"

    def _pictures(self, count: int) -> Iterator[None]:
        """The interface knows what the hand did from its next pictures."""
        yield from (None for _ in range(count))

    def _act(self, what: str, words: tuple[str, ...]) -> Iterator[None]:
        if what == "key":
            self._do("key", *words)
        elif what == "shot":
            self._grab(self._folder / f"{words[0]}.png")
            print(self._folder / f"{words[0]}.png", flush=True)
        elif what == "wheel":
            yield from self._move(words[0])
            self._do("click", "--repeat", words[1], "4")
        else:
            yield from self._move(words[0])
            if what == "point":
                return
            button = {"click": "1", "drag": "1", "turn": "3"}[what]
            self._do("mousedown", button)
            yield from self._pictures(2)
            for word in words[1:]:
                yield from self._move(word)
            self._do("mouseup", button)

    def _move(self, word: str) -> Iterator[None]:
        """Move the pointer to a place: shares of the window, or the middle of a button of toolbar or gallery."""
        kind, _, name = word.rpartition(":")
        left, top = self._program.window.position
        width, height = self._program.window.size
        if kind:
            found = self._program.toolbar.places if kind == "button" else self._program.panel.gallery.places
            x, y, wide, high = found[name]
            place = x + 0.5 * wide, y + 0.5 * high
        else:
            across, down = map(float, name.split(","))
            place = across * width, down * height
        self._do("mousemove", str(round(left + place[0])), str(round(top + place[1])))
        yield from self._pictures(3)


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


def film(folder: Path, patience: float = PATIENCE, *, is_cold: bool = False, options: Sequence[str] = ()) -> int:
    """Do the events in a window and write film and screenshots into a folder; returns the program's exit code.

    Args:
        folder: made if need be.
        patience: longest wait for an event [s].
        is_cold: whether kernels and shaders are compiled anew.
        options: of `waterview view`.

    Raises:
        TimeoutError: an event was waited for in vain; `stuck.png` shows the window.
        RuntimeError: the window was closed before the last event.
    """
    folder.mkdir(parents=True, exist_ok=True)
    with ExitStack() as stack:
        home = stack.enter_context(tempfile.TemporaryDirectory())
        os.environ.pop("WAYLAND_DISPLAY", None)
        os.environ |= {"XDG_CONFIG_HOME": f"{home}/config", "XDG_DATA_HOME": f"{home}/data"}
        os.environ |= {"XDG_VIDEOS_DIR": str(folder), "XDG_SESSION_TYPE": "x11", "DISPLAY": display(stack)}
        if is_cold:
            os.environ |= {"XDG_CACHE_HOME": f"{home}/cache", "NUMBA_CACHE_DIR": f"{home}/kernels"}
        done = []

        class Filmed(WindowProgram):
            """The program, with a hand at its mouse and keyboard."""

            def __init__(self, *arguments: Any, **options: Any) -> None:
                super().__init__(*arguments, **options)
                events = [Event.parse(line) for line in EVENTS.splitlines() if line]
                self._hand = iter(Hand(self, events, folder, patience))

            def frame(self) -> None:
                """Draw, and let the hand do what it sees."""
                super().frame()
                try:
                    next(self._hand)
                except StopIteration:
                    done.append(True)
                except TimeoutError:
                    ImageGrab.grab(xdisplay=os.environ["DISPLAY"]).save(folder / "stuck.png")
                    raise

        waterview.ui.window_program = lambda: Filmed
        code = run(["view", *options])
    if not done:
        raise RuntimeError("the window was closed before the last event")
    return code


def main() -> int:
    """Film it."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--patience", type=float, default=PATIENCE, help="longest wait for an event, in seconds")
    parser.add_argument("--cold", action="store_true", help="compile kernels and shaders anew, as a new user does")
    parser.add_argument("--fps-limit", default="60", help="most pictures a second; on a busy machine few")
    parser.add_argument("--out", type=Path, default=FOLDER, help="the folder for film and screenshots")
    given = parser.parse_args()
    options = ("--fps-limit", given.fps_limit)
    return film(given.out.resolve(), given.patience, is_cold=given.cold, options=options)


if __name__ == "__main__":
    sys.exit(main())
