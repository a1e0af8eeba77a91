"""The program in each phase of its life, and each way of ending it there."""

import ctypes
import ctypes.util
import os
import signal
import subprocess
import sys
import time
from contextlib import contextmanager

from support.screen import PATIENCE, User

SIGNALS = {"SIGINT": 130, "SIGTERM": 143, "SIGHUP": 129}
"""The signals that end the program, with its exit code."""

WINDOW_WAYS = {"close": 0, "Escape": 0}
"""What a user does to the window, with the program's exit code."""

SMALL = ["--grid", "48", "--window-size", "200x120"]
VIEW = ["view", "basin", *SMALL]
RENDER = ["render", "basin", "--grid", "48", "--seconds", "100000"]

_BEGIN = """
import hashlib, importlib.abc, os, sys
def here(): open(os.environ["HERE"], "w").close()
def native(*_, **__):
    here()
    hashlib.pbkdf2_hmac("sha256", b"", b"", 10 ** 9)  # minutes of native code, deaf to signals
class Watch(importlib.abc.MetaPathFinder):
    def find_spec(self, name, path, target=None):
        if name == WATCHED: wait()
wait = here
def call(old):
    def new(*given, **more):
        here()
        return old(*given, **more)
    return new
"""
_RUN = "\nfrom waterview.__main__ import main; main()\n"
_WATER = "from waterview.waters.wave.wave_equation import WaveEquationWater as Water\n"
_LOAD = "from waterview.terrain.heightmap import Heightmap; Heightmap.load = native\n"
_INSPECT = "import waterview.terrain.inspect as told; told.inspect_file = native\n"

PHASES = {
    "start": ("WATCHED = 'waterview.core.errors'; sys.meta_path.insert(0, Watch())", VIEW, False),
    "a terrain is read": (_LOAD, VIEW, True),
    "ImGui is imported": ("WATCHED = 'imgui_bundle'; sys.meta_path.insert(0, Watch())", VIEW, True),
    "ImGui takes long to import": (
        "WATCHED = 'imgui_bundle'; wait = native; sys.meta_path.insert(0, Watch())",
        VIEW,
        True,
    ),
    "kernels are compiled": (_WATER + "Water.advance = native", VIEW, True),
    "the water runs": (_WATER + "Water.advance = call(Water.advance)", VIEW, True),
    "it is recorded": (_WATER + "Water.advance = call(Water.advance)", [*VIEW, "--record", "a.jsonl"], True),
    "a film is made": (_WATER + "Water.advance = call(Water.advance)", VIEW, True),
    "render reads a terrain": (_LOAD, [*RENDER, "--out", "a.npz"], False),
    "render compiles": (_WATER + "Water.advance = native", [*RENDER, "--out", "a.npz"], False),
    "render writes": (_WATER + "Water.advance = call(Water.advance)", [*RENDER, "--out", "a.npz"], False),
    "inspect reads": (_INSPECT, ["inspect", "basin"], False),
}
"""What makes the program enter each phase, its arguments, and whether it has a window there."""


@contextmanager
def in_phase(phase, folder):
    """The program in a phase, with `folder` as its own, and its window's number or None."""
    patch, arguments, has_window = PHASES[phase]
    mark = folder / "here"
    environment = {**os.environ, "HERE": str(mark), "XDG_VIDEOS_DIR": str(folder), "XDG_DATA_HOME": str(folder)}
    command = [sys.executable, "-c", _BEGIN + patch + _RUN, *arguments]
    with subprocess.Popen(
        command, cwd=folder, env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    ) as process:
        try:
            window = _window(process) if has_window else None
            _wait(process, mark.exists)
            if phase == "a film is made":
                _begin_film(process, folder)
            yield process, window
        finally:
            process.kill()


def end(process, way, window):
    """Ask the program to end; returns the time until it has [s], its exit code, and what it said on stderr."""
    began = time.monotonic()
    if way in SIGNALS:
        process.send_signal(getattr(signal, way))
    elif way == "close":
        close_window(window)
    else:
        _wait(process, lambda: _press(way) or process.poll() is not None, until_end=True)
    _, said = process.communicate(timeout=PATIENCE)
    return time.monotonic() - began, process.returncode, said


def _begin_film(process, folder):
    """F10 begins a film and ends it again; pressed before the window listens it is lost."""
    pressed = 0.0

    def is_there():
        nonlocal pressed
        if time.monotonic() - pressed > 10.0:
            _press("F10")
            pressed = time.monotonic()
        return list(folder.glob("**/*.mp4"))

    _wait(process, is_there)


def _press(key):
    User(os.environ["DISPLAY"]).key(key)
    time.sleep(0.1)


def _wait(process, condition, until_end=False):
    limit = time.monotonic() + PATIENCE
    while not condition():
        assert time.monotonic() < limit, "what was waited for did not happen"
        assert until_end or process.poll() is None, process.stderr.read()
        time.sleep(0.02)


def _window(process):
    found = []

    def is_there():
        command = ["xdotool", "search", "--onlyvisible", "--name", "waterview"]
        found[:] = subprocess.run(command, capture_output=True, text=True, check=False).stdout.split()
        return found

    _wait(process, is_there)
    return int(found[0])


class _ClientMessage(ctypes.Structure):
    _fields_ = (
        ("type", ctypes.c_int),
        ("serial", ctypes.c_ulong),
        ("send_event", ctypes.c_int),
        ("display", ctypes.c_void_p),
        ("window", ctypes.c_ulong),
        ("message_type", ctypes.c_ulong),
        ("format", ctypes.c_int),
        ("data", ctypes.c_long * 5),
        ("rest", ctypes.c_long * 14),
    )


def close_window(window):
    """Ask the program to close a window, as a window manager does when its cross is clicked (ICCCM §4.2.8)."""
    x = ctypes.CDLL(ctypes.util.find_library("X11"))
    x.XOpenDisplay.restype = ctypes.c_void_p
    x.XInternAtom.restype = ctypes.c_ulong
    display = ctypes.c_void_p(x.XOpenDisplay(os.environ["DISPLAY"].encode()))
    protocols, delete = (x.XInternAtom(display, name, 0) for name in (b"WM_PROTOCOLS", b"WM_DELETE_WINDOW"))
    message = _ClientMessage(33, 0, 1, display.value, window, protocols, 32, (delete, 0, 0, 0, 0))
    x.XSendEvent(display, ctypes.c_ulong(window), 0, ctypes.c_long(0), ctypes.byref(message))
    x.XCloseDisplay(display)
