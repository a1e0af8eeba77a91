"""The examples of the documentation: each runs unchanged, in a process or a namespace of its own, and is looked at."""

import ast
import base64
import io
import json
import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

EXAMPLES = Path(__file__).parent.parent / "docs" / "examples"

# What a stranger does to the window of embed.py: look at it, click into its middle, look again, close it.
STRANGER = """
import runpy, sys
import glfw, moderngl, numpy
from waterview import Drop, Simulation

shown, posted, pools = [], [], []
swap, post = glfw.swap_buffers, Simulation.post

def look(window):
    size = glfw.get_framebuffer_size(window)
    pixels = moderngl.get_context().screen.read(viewport=(0, 0, *size), components=3)
    shown.append(numpy.frombuffer(pixels, numpy.uint8).reshape(size[1], size[0], 3)[::-1])
    swap(window)
    if len(shown) == 2:
        glfw.get_cursor_pos = lambda window: tuple(0.5 * side for side in glfw.get_window_size(window))
        click(window, glfw.MOUSE_BUTTON_LEFT, glfw.PRESS, 0)
    if posted and pools[0].latest().time > 0.5:
        glfw.set_window_should_close(window, True)

def hear(window, callback):
    global click
    click = callback

def note(simulation, command, water=0):
    posted.append(command)
    pools.append(simulation)
    post(simulation, command, water)

glfw.swap_buffers, glfw.set_mouse_button_callback, Simulation.post = look, hear, note
runpy.run_path(sys.argv[1], run_name="__main__")
assert isinstance(posted[0], Drop), posted
numpy.savez(sys.argv[2], before=shown[1], after=shown[-1])
"""


@pytest.mark.slow
def test_the_water_in_a_window_of_ones_own(tmp_path):
    environment = {name: value for name, value in os.environ.items() if name not in {"DISPLAY", "WAYLAND_DISPLAY"}}
    program = [sys.executable, "-c", STRANGER, EXAMPLES / "embed.py", tmp_path / "seen.npz"]
    screen = ["xvfb-run", "--auto-servernum", "--server-args=-screen 0 1024x768x24"]
    done = subprocess.run(
        [*screen, *map(str, program)], env=environment, capture_output=True, text=True, timeout=120, check=False
    )
    assert done.returncode == 0, done.stdout + done.stderr
    with np.load(tmp_path / "seen.npz") as seen:
        before, after = seen["before"].astype(int), seen["after"].astype(int)
    assert before.shape == (540, 960, 3)
    red, _, blue = before[200:340, 400:560].mean((0, 1))
    assert blue > red + 30, "there is no water in the middle"
    assert np.abs(after - before).max() > 10, "the drop cannot be seen"
    assert np.abs(after - before)[:20].mean() < 2.0, "the sky has changed"


# The same for own_window.py, without a screen: moderngl-window's headless window calls nobody by itself.
HEADLESS = """
import runpy, sys, time
import moderngl_window, numpy

def look(pool):
    pool.wnd.use()
    pool.on_render(0.0, 0.0)
    size = pool.wnd.buffer_size
    return numpy.frombuffer(pool.wnd.fbo.read(components=3), numpy.uint8).reshape(size[1], size[0], 3)[::-1].copy()

def run(kind):
    pool = moderngl_window.create_window_config_instance(kind, args=["--window", "headless", "--backend", "egl"])
    before = look(pool)
    pool.on_mouse_press_event(480, 270, pool.wnd.mouse.left)
    for _ in range(4000):
        time.sleep(0.02)
        if pool.simulation.latest().time > 0.5:
            break
    after = look(pool)
    pool.wnd.mouse_states.right = True
    pool.on_mouse_drag_event(500, 270, 200, 0)
    turned = look(pool)
    pool.on_close()
    heights = pool.simulation.latest().heights
    numpy.savez(sys.argv[2], before=before, after=after, turned=turned, heights=heights)

moderngl_window.run_window_config = run
runpy.run_path(sys.argv[1], run_name="__main__")
"""


@pytest.mark.slow
def test_the_water_in_a_window_of_moderngl_window(tmp_path):
    program = [sys.executable, "-c", HEADLESS, EXAMPLES / "own_window.py", tmp_path / "seen.npz"]
    done = subprocess.run(list(map(str, program)), capture_output=True, text=True, timeout=120, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    with np.load(tmp_path / "seen.npz") as seen:
        before, after, turned = (seen[name].astype(int) for name in ("before", "after", "turned"))
        assert np.abs(seen["heights"]).max() > 0.01, "no drop has fallen"
    assert before.shape == (540, 960, 3)
    assert np.abs(after - before).max() > 10, "the drop cannot be seen"
    assert np.abs(turned - after).mean() > 10.0, "the view has not turned"


def test_it_is_as_short_as_is_said():
    lines = (EXAMPLES / "embed.py").read_text(encoding="utf-8").splitlines()
    code = [line for line in lines if line.strip() and not line.strip().startswith(('"""', "#"))]
    assert len(code) <= 30


@pytest.mark.slow
def test_arrays_and_nothing_else(tmp_path):
    program = f"import runpy, sys; runpy.run_path({str(EXAMPLES / 'numpy_only.py')!r}, run_name='__main__'); "
    program += "assert not {'moderngl', 'glfw', 'typer', 'imgui_bundle'} & set(sys.modules)"
    done = subprocess.run(
        [sys.executable, "-c", program], cwd=tmp_path, capture_output=True, text=True, timeout=120, check=False
    )
    assert done.returncode == 0, done.stderr
    assert "behind the island 0.0" in done.stdout
    with np.load(tmp_path / "water.npz") as data:
        assert data["height"].shape == data["fixed"].shape == (121, 161)
        assert not data["height"][data["fixed"]].any()
        assert np.abs(data["height"]).max() > 0.005


@pytest.mark.slow
def test_every_cell_of_the_notebook_shows_what_is_kept_with_it(tmp_path, monkeypatch):
    """Without the notebook's program: cells run in order, and what a cell ends with is what it shows."""
    notebook = json.loads((EXAMPLES / "notebook.ipynb").read_text(encoding="utf-8"))
    assert (notebook["nbformat"], notebook["metadata"]["kernelspec"]["language"]) == (4, "python")
    monkeypatch.chdir(tmp_path)
    space = {}
    for cell in (cell for cell in notebook["cells"] if cell["cell_type"] == "code"):
        *statements, last = ast.parse("".join(cell["source"])).body
        exec(compile(ast.Module(statements, []), "notebook", "exec"), space)
        shown = eval(compile(ast.Expression(last.value), "notebook", "eval"), space)
        (output,) = cell["outputs"]
        if "image/png" in output["data"]:
            kept = Image.open(io.BytesIO(base64.b64decode(output["data"]["image/png"]))).convert("RGB")
            assert kept.size == shown.size
            # Drivers and renderers differ; that the water is the same, the cell of numbers shows.
            assert min(np.asarray(kept).std(), np.asarray(shown).std()) > 10.0
        else:
            assert ast.literal_eval("".join(output["data"]["text/plain"])) == shown
