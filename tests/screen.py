"""A real mouse and keyboard for windows on a virtual screen."""

import os
import subprocess
import time

PATIENCE = 60.0


class Hands:
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


def until(frame, condition, patience=PATIENCE):
    """Draw frames until `condition` holds."""
    end = time.monotonic() + patience
    while not condition():
        assert time.monotonic() < end, "what was waited for did not happen"
        frame()
