"""Random events in a window on a virtual screen, and a long run that counts what the program holds.

`python -m attack.window storm SEED EVENTS` and `python -m attack.window soak MINUTES` print what they saw as JSON.
"""

import ctypes
import faulthandler
import gc
import json
import os
import random
import shutil
import sys
import tempfile
import threading
import time
from pathlib import Path
from types import SimpleNamespace

import glfw
from support.coast import COAST
from support.screen import shown, start_screen, until

from attack import files
from waterview.bodies.kinds import kinds
from waterview.core.commands import AddBody, AddGauge, Drop, PaintWall, ReplaceWater, ShowField
from waterview.scene.scene import Scene, SceneParams
from waterview.terrain import library
from waterview.waters import MODELS

SIZE = (320, 240)

WARM_ROUNDS = 3
"""Rounds of the soak after which everything has been loaded and shown once and more often."""

_KEYS = [getattr(glfw, name) for name in dir(glfw) if name.startswith("KEY_") and name != "KEY_UNKNOWN"]
_NOT_KEYS = (glfw.KEY_ESCAPE,)  # it ends the program, as it should
_OBJECTS = ("Texture", "Buffer", "Framebuffer", "Renderbuffer", "VertexArray", "Program", "Shader", "Query")
_MOST_NAMES = 20_000


def gl_objects() -> dict[str, int]:
    """How many objects of each kind OpenGL holds in the current context."""
    found = {}
    for kind in _OBJECTS:
        is_one = ctypes.CFUNCTYPE(ctypes.c_ubyte, ctypes.c_uint)(glfw.get_proc_address(f"glIs{kind}"))
        found[kind] = sum(1 for name in range(1, _MOST_NAMES) if is_one(name))
    return found


def _modifiers(rng: random.Random) -> SimpleNamespace:
    return SimpleNamespace(shift=rng.random() < 0.2, ctrl=rng.random() < 0.2, alt=rng.random() < 0.2)


class Storm:
    """Random events for a window's program; what they are follows from the seed."""

    def __init__(self, program, seed: int, folder: Path) -> None:
        self._program, self._rng, self._folder = program, random.Random(seed), folder
        self._buttons: set[int] = set()

    def event(self) -> str:
        """Let one thing happen; its name."""
        rng = self._rng
        kinds = ("key", "key", "key", "press", "move", "drag", "drag", "release", "scroll", "letter")
        kind = rng.choice((*kinds * 20, "resize", "drop", "hide"))
        getattr(self, f"_{kind}")()
        return kind

    def _at(self):
        return self._rng.randrange(-20, SIZE[0] + 20), self._rng.randrange(-20, SIZE[1] + 20)

    def _key(self):
        code = self._rng.choice([key for key in _KEYS if key not in _NOT_KEYS])
        window, modifiers = self._program.window, _modifiers(self._rng)
        if code == glfw.KEY_F11:  # full screen resizes the virtual screen itself
            return
        window.key_event_func(code, glfw.PRESS, modifiers)
        if self._rng.random() < 0.2:
            window.key_event_func(code, glfw.REPEAT, modifiers)
        window.key_event_func(code, glfw.RELEASE, modifiers)

    def _press(self):
        button = self._rng.choice((1, 2, 3))
        self._buttons.add(button)
        self._program.window.mouse_press_event_func(*self._at(), button)

    def _release(self):
        button = self._rng.choice((1, 2, 3))
        self._buttons.discard(button)
        self._program.window.mouse_release_event_func(*self._at(), button)

    def _move(self):
        self._program.window.mouse_position_event_func(*self._at(), 1, 1)

    def _drag(self):
        self._program.window.mouse_drag_event_func(*self._at(), 2, 3)

    def _scroll(self):
        self._program.window.mouse_scroll_event_func(0.0, self._rng.choice((-1.0, 1.0, 0.1, 30.0, -30.0)))

    def _letter(self):
        self._program.window.unicode_char_entered_func(self._rng.choice("a1.-e ä\t"))

    def _resize(self):
        self._program.window.size = self._rng.choice((SIZE, (2, 2), (900, 30), (30, 700), (500, 400)))

    def _hide(self):
        self._program.window.visible = False
        self._program.frame()
        self._program.window.visible = True

    def _drop(self):
        """A damaged file, or a good preset, is dropped into the window."""
        rng = self._rng
        folder = Path(tempfile.mkdtemp(dir=self._folder))
        kind = rng.choice([kind for kind in files.FILES if kind.name not in ("recording", "panel.json")])
        self._program.viewer.open(kind.write(rng, folder))


def storm(seed: int, count: int) -> dict:
    """Random events, and a picture after every few; an error that is not told but raised ends it.

    The events are printed on stderr, for what happened before a crash.
    """
    with _program(folder_of("storm")) as (program, folder):
        events, began = Storm(program, seed, folder), time.monotonic()
        for number in range(count):
            print(number, events.event(), file=sys.stderr, flush=True)
            if number % 8 == 0:
                program.frame()
        for _ in range(10):
            program.frame()
        frame = program.loop.latest()
        files.check_frame(frame)
        assert program.picture().any(), "the picture is black"
        return {"events": count, "seconds": time.monotonic() - began, "messages": len(program.hud.messages)}


def soak(minutes: float) -> dict:
    """All models in turn, over and over, each with drops, bodies, a gauge, a wall, a map, a film and the panel.

    What the process holds after each round is printed on stderr.
    """
    with _program(folder_of("soak")) as (program, folder):
        program.film.folder = folder / "films"
        rounds, end, ground = [], time.monotonic() + 60.0 * minutes, library.resolve("basin").load()
        frames = 0

        def frame() -> None:
            nonlocal frames
            program.frame()
            frames += 1

        while time.monotonic() < end or len(rounds) < 2 * WARM_ROUNDS:
            for name, model in MODELS.items():
                scene = Scene(ground, SceneParams(grid=48, model=name))
                program.loop.post(ReplaceWater(scene.make_water))
                until(frame, lambda params=model.Params: type(program.loop.latest().params) is params)
                for command in (AddGauge("A", 5.0, 1.0), PaintWall(30.0, 0.0, 9.0), ShowField("height")):
                    program.loop.post(command)
                program.panel.toggle()
                for number in range(30):
                    if number % 5 == 0:
                        program.loop.post(Drop(float(number), 0.0, 1.0, 30.0))
                    if number % 10 == 0:
                        program.loop.post(AddBody(list(kinds())[number // 10], None, 9.0, float(number)))
                    frame()
                begun = program.loop.latest().time
                until(frame, lambda begun=begun: program.loop.latest().time > begun)
            for _ in range(2):
                program.film.toggle(program.window.buffer_size, time.monotonic())
                frame()
            shutil.rmtree(program.film.folder)
            gc.collect()
            rounds.append(held())
            print(frames, program.loop.steps, rounds[-1], file=sys.stderr, flush=True)
        return {"frames": frames, "steps": program.loop.steps, "rows": rounds}


def held() -> dict:
    """What the process holds: resident memory [KiB], threads, file handles, objects of OpenGL."""
    status = dict(line.split(":", 1) for line in Path("/proc/self/status").read_text().splitlines())
    return {
        "memory": int(status["VmRSS"].split()[0]),
        "threads": threading.active_count(),
        "system threads": int(status["Threads"]),
        "handles": len(os.listdir("/proc/self/fd")),
        "objects": sum(gl_objects().values()),
    }


def folder_of(name: str) -> Path:
    """A new folder; the user's own folders are in it, so that nothing of theirs is read or written."""
    folder = Path(tempfile.mkdtemp(prefix=f"waterview-{name}-"))
    for variable in ("XDG_CONFIG_HOME", "XDG_DATA_HOME", "XDG_PICTURES_DIR", "XDG_VIDEOS_DIR", "HOME"):
        os.environ[variable] = str(folder)
    return folder


class _program:
    """The program in a window on a virtual screen of its own."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def __enter__(self):
        self._server, display = start_screen()
        os.environ.pop("WAYLAND_DISPLAY", None)
        os.environ.update(DISPLAY=display, XDG_SESSION_TYPE="x11")
        terrains = [library.resolve("basin"), COAST]
        scene = Scene(terrains[0].load(), SceneParams(grid=32), {"damping": 0.5})
        self._shown = shown(scene, terrains, SIZE, frames_per_second=200.0)
        return self._shown.__enter__(), self._folder

    def __exit__(self, *error):
        try:
            self._shown.__exit__(*error)
        finally:
            self._server.terminate()
            self._server.wait()


if __name__ == "__main__":
    faulthandler.enable()
    found = storm(int(sys.argv[2]), int(sys.argv[3])) if sys.argv[1] == "storm" else soak(float(sys.argv[2]))
    print(json.dumps(found))
