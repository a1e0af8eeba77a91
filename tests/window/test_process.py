"""The program as a process: how it starts, and how each way of ending it ends."""

import os
import signal
import subprocess
import sys
import time

import pytest
from support.screen import PATIENCE, User

PROGRAM = [sys.executable, "-m", "waterview", "view", "basin", "--grid", "48", "--window-size", "200x120"]


@pytest.fixture
def start(screen):
    """Start the program and wait for its window."""
    started = []

    def start(*arguments, program=PROGRAM):
        process = subprocess.Popen([*program, *arguments], stderr=subprocess.PIPE, text=True)
        started.append(process)
        return process

    yield start
    for process in started:
        if process.poll() is None:
            process.kill()
        process.wait()
        process.stderr.close()


@pytest.fixture
def window(screen):
    """Wait for the program's window and return its number."""

    def window(process):
        end = time.monotonic() + PATIENCE
        while time.monotonic() < end:
            assert process.poll() is None, f"it ended with {process.returncode}: {process.stderr.read()}"
            command = ["xdotool", "search", "--onlyvisible", "--name", "waterview"]
            found = subprocess.run(command, capture_output=True, text=True, check=False, env=dict(os.environ))
            if found.stdout.split():
                return found.stdout.split()[0]
            time.sleep(0.05)
        raise AssertionError("no window came")

    return window


def press_until_it_ends(process, key):
    """Keys pressed before the window listens are lost, so press again."""
    user = User(os.environ["DISPLAY"])
    end = time.monotonic() + PATIENCE
    while process.poll() is None and time.monotonic() < end:
        user.key(key)
        try:
            process.wait(0.3)
        except subprocess.TimeoutExpired:
            continue


def ended(process, code):
    assert process.wait(PATIENCE) == code, process.stderr.read()


def test_it_closes_by_itself_after_the_time_asked_for(start):
    process = start("--exit-after", "0.5")
    ended(process, 0)
    assert process.stderr.read() == ""


def test_esc_ends_with_0(start, window):
    process = start()
    window(process)
    press_until_it_ends(process, "Escape")
    ended(process, 0)


@pytest.mark.parametrize(("number", "code"), [(signal.SIGINT, 130), (signal.SIGTERM, 143)])
def test_signals_end_it_within_a_second(start, window, number, code):
    process = start()
    window(process)
    process.send_signal(number)
    ended(process, code)
    assert "Traceback" not in process.stderr.read()


BROKEN = """
import sys
from waterview import cli
from waterview.{module} import {owner}

def broken(self, *arguments, **more):
    raise ZeroDivisionError("broken on purpose")

{owner}.{method} = broken
sys.exit(cli.run(sys.argv[1:]))
"""


@pytest.mark.parametrize(
    ("module", "owner", "method"),
    [
        ("waters.wave.wave_equation", "WaveEquationWater", "advance"),
        ("ui.viewer", "Viewer", "key"),
        ("ui.viewer", "Viewer", "update"),
    ],
)
def test_an_error_anywhere_ends_with_1_and_its_reason(start, window, module, owner, method):
    source = BROKEN.format(module=module, owner=owner, method=method)
    process = start(program=[sys.executable, "-c", source, *PROGRAM[3:]])
    if method == "key":
        window(process)
        press_until_it_ends(process, "r")
    ended(process, 1)
    assert "broken on purpose" in process.stderr.read()
