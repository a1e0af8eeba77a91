"""Windows on a virtual screen, with a real mouse and keyboard."""

import os
import subprocess
import time
from contextlib import contextmanager

from waterview.render.settings import ViewParams
from waterview.scene.navigator import Navigator
from waterview.sim.loop import Simulation
from waterview.ui.window import WindowProgram, open_window

PATIENCE = 60.0


def start_screen():
    """Xvfb on a number of its own choosing, so that parallel test runs do not meet."""
    read, write = os.pipe()
    server = subprocess.Popen(
        # -noreset: else the server starts over whenever its last client leaves, and refuses those who come meanwhile.
        ["Xvfb", "-displayfd", str(write), "-screen", "0", "1024x960x24", "-nolisten", "tcp", "-noreset"],
        pass_fds=[write],
        stderr=subprocess.DEVNULL,
    )
    os.close(write)
    with os.fdopen(read) as pipe:
        number = pipe.readline().strip()
    assert number, "Xvfb did not start"
    return server, f":{number}"


class User:
    """A real mouse and keyboard, by xdotool."""

    def __init__(self, display):
        self._environment = {**os.environ, "DISPLAY": display}

    def do(self, *words):
        subprocess.run(["xdotool", *map(str, words)], env=self._environment, check=True, timeout=PATIENCE)

    def click(self, x, y, button=1):
        self.do("mousemove", round(x), round(y), "click", button)

    def key(self, *names):
        for name in names:
            self.do("key", name)


@contextmanager
def shown(scene, terrains, size, frames=3, script=None, **options):
    """The program of a window that shows a running scene in low quality; `frames` have been drawn.

    `script` holds commands by the number of steps taken before them.
    """
    window = open_window("waterview test", size)
    try:
        with Simulation(scene.make_world(), script=script or {}) as simulation:
            navigator = Navigator(scene, terrains)
            program = WindowProgram(window, simulation, ViewParams(quality="low"), navigator, **options)
            try:
                for _ in range(frames):
                    program.frame()
                yield program
            finally:
                program.release()
    finally:
        window.destroy()


def until(frame, condition, patience=PATIENCE):
    """Draw frames until `condition` holds.

    After a second they are fewer: what is waited for is slow, as a compiler is, and needs the processor.
    """
    began = time.monotonic()
    while not condition():
        waited = time.monotonic() - began
        assert waited < patience, "what was waited for did not happen"
        frame()
        time.sleep(0.001 if waited < 1.0 else 0.1)


def settings(program):
    """What is chosen of scene and terrain, by name."""
    return {entry.name: value for entry, value in program.viewer.scene_settings()}
