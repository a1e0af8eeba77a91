"""What the program loads before it shows anything, and what it does while nothing moves."""

import json
import os
import subprocess
import sys

import pytest
from support.screen import PATIENCE, shown, until

from waterview.core.commands import Pause, usual_drop
from waterview.core.grid import widest_water
from waterview.scene.scene import Scene, SceneParams
from waterview.terrain.library import resolve

NEVER_AT_START = {"numba", "llvmlite", "rasterio", "av", "trimesh", "scipy", "matplotlib", "rocket_fft"}
"""What nothing needs before the first picture."""

TELL = "import json, os, sys; print(json.dumps(sorted({name.partition('.')[0] for name in sys.modules})), flush=True)"

FIRST_PICTURE = f"""
import glfw
swap = glfw.swap_buffers
def swap_once(window):
    swap(window)
    {TELL}
    os._exit(0)
glfw.swap_buffers = swap_once
from waterview.cli import main
main()
"""


def loaded(source):
    """The packages that a process of `source` has loaded in the end."""
    command = [sys.executable, "-c", source]
    done = subprocess.run(command, env=dict(os.environ), capture_output=True, text=True, timeout=PATIENCE, check=False)
    assert done.stdout, done.stderr
    return set(json.loads(done.stdout.splitlines()[-1]))


def test_the_package_costs_nothing():
    assert not loaded(f"import waterview; {TELL}") & (NEVER_AT_START | {"numpy", "moderngl", "glfw", "PIL", "typer"})


def test_help_needs_no_window_and_no_kernels():
    found = loaded(f"from waterview.cli import run; run(['--help']); {TELL}")
    assert not found & (NEVER_AT_START | {"glfw", "moderngl_window", "imgui_bundle"})


def test_the_first_picture_comes_before_text_kernels_and_the_command_lines_machinery(screen):
    found = loaded(FIRST_PICTURE)
    assert {"numpy", "moderngl", "glfw"} <= found
    assert not found & (NEVER_AT_START | {"imgui_bundle", "typer", "pydantic", "rich"})


@pytest.fixture
def program(screen):
    terrain = resolve("basin")
    scene = Scene(terrain.load(), SceneParams(grid=64), {"damping": 2.0})
    with shown(scene, [terrain], (300, 200), frames=0) as program:
        yield program


def test_a_graphics_card_draws_sleeping_water_whose_ripples_move_and_rests_when_it_is_paused(monkeypatch, request):
    monkeypatch.setattr("waterview.ui.plain_window.is_software", lambda ctx: False)
    program = request.getfixturevalue("program")  # which asks when it is made
    until(program.frame, lambda: program.viewer.frame.at_rest)
    for _ in range(40):  # more than are drawn after the last change
        time = program.viewer.frame.time
        until(program.frame, lambda time=time: program.viewer.frame.time > time)
        assert program.is_changing()
    program.loop.post(Pause(True))
    until(program.frame, lambda: not program.is_changing())


def test_in_software_a_window_of_sleeping_water_draws_no_more_until_something_moves(program, monkeypatch):
    drawn = []
    monkeypatch.setattr(program.window, "swap_buffers", lambda: drawn.append(1))

    def drew_nothing():
        count = len(drawn)
        program.frame()
        return len(drawn) == count

    until(program.frame, lambda: program.viewer.frame.at_rest)
    until(program.frame, drew_nothing)
    count, time = len(drawn), program.viewer.frame.time
    for _ in range(10):
        program.frame()
    assert len(drawn) == count
    assert program.viewer.frame.time > time
    frame = program.viewer.frame
    program.loop.post(usual_drop(frame.grid, *widest_water(frame.grid, frame.fixed), 2.0))
    until(program.frame, lambda: len(drawn) > count)
    assert not program.viewer.frame.at_rest
