"""Undo and redo in the viewer: what it keeps, what it asks of the world, and what counts as one change."""

import numpy as np
import pytest
from support.scenes import make_frame
from support.viewers import SIZE, FakeScenes, TunedParams, pointer_over

from waterview.core.body import BodyState, Mesh
from waterview.core.commands import (
    PaintWall,
    RedoChange,
    RemoveBody,
    ReplaceWater,
    SetParameter,
    SetRain,
    UndoChange,
)
from waterview.core.params import declaration, declarations
from waterview.render.settings import ViewParams
from waterview.scene.interaction import InteractionParams
from waterview.scene.navigator import SceneChange, StartParams
from waterview.scene.scene import SceneParams
from waterview.ui.edits import TOGETHER_SECONDS, Edits
from waterview.ui.glfw_window import meant_modifiers
from waterview.ui.keys import ACTIONS, key_label
from waterview.ui.pointer import LEFT, RIGHT
from waterview.ui.viewer import Viewer
from waterview.waters import MODELS


class Clock:
    now = 0.0

    def __call__(self):
        return self.now


@pytest.fixture
def clock(viewer, loop, messages):
    clock = Clock()
    viewer.edits = Edits(viewer.post, messages.append, clock)
    return clock


def undo(viewer):
    viewer.key("z", {"ctrl"})


def redo(viewer):
    viewer.key("z", {"ctrl", "shift"})


def test_a_parameter_is_undone_in_the_window_and_in_the_world(viewer, loop, messages, clock):
    viewer.key("up")
    assert viewer.params.wave_speed == 4.0
    (number,) = loop.begun
    undo(viewer)
    assert viewer.params.wave_speed == 2.0
    assert loop.posted[-1] == UndoChange(number)
    assert messages[-1] == "undone: wave speed"
    redo(viewer)
    assert viewer.params.wave_speed == 4.0
    assert loop.posted[-1] == RedoChange(number)
    assert messages[-1] == "done again: wave speed"
    viewer.key("y", {"ctrl"})
    assert messages[-1] == "nothing to redo"
    undo(viewer)
    undo(viewer)
    assert messages[-1] == "nothing to undo"


def test_what_only_the_window_knows_asks_nothing_of_the_world(viewer, loop, clock):
    before = viewer.view
    viewer.key("w")
    assert viewer.view.wireframe
    undo(viewer)
    assert viewer.view == before
    assert loop.posted == loop.begun == []
    redo(viewer)
    assert viewer.view.wireframe


def test_a_held_key_is_one_change_and_a_pause_begins_another(viewer, loop, clock):
    for _ in range(3):
        viewer.key("up")
        clock.now += 0.5 * TOGETHER_SECONDS
    clock.now += 2.0 * TOGETHER_SECONDS
    viewer.key("down")
    assert len(loop.begun) == 2
    assert [type(command) for command in loop.posted] == [SetParameter] * 4
    undo(viewer)
    assert viewer.params.wave_speed == 10.0
    undo(viewer)
    assert viewer.params.wave_speed == 2.0
    viewer.key("up")
    assert len(loop.begun) == 3, "what comes after undoing is a change of its own"


def test_rain_comes_back_in_the_panel_and_in_the_world(viewer, loop, clock):
    viewer.key("u")
    assert loop.posted == [SetRain(5.0)]
    undo(viewer)
    assert viewer.interaction.rain == 0.0
    assert loop.posted[-1] == UndoChange(loop.begun[-1])


def test_a_stroke_of_a_wall_is_one_change_however_long_it_takes(viewer, loop, clock):
    viewer.pointer.press(LEFT, *pointer_over(viewer, -4.0, 3.0), SIZE, {"ctrl"})
    for x in (-2.0, 0.0, 2.0):
        clock.now += 10.0
        viewer.pointer.drag(*pointer_over(viewer, x, 3.0), 9.0, 0.0, SIZE)
    viewer.pointer.release()
    assert sum(isinstance(command, PaintWall) for command in loop.posted) == 4
    viewer.pointer.press(RIGHT, *pointer_over(viewer, -4.0, 3.0), SIZE, {"ctrl"})
    assert len(loop.begun) == 2


def test_a_drag_of_the_sun_is_undone(viewer, clock):
    before = viewer.view
    viewer.pointer.press(RIGHT, 300.0, 200.0, SIZE, {"alt"})
    for step in range(5):
        viewer.pointer.drag(300.0 + step, 200.0, 1.0, 2.0, SIZE)
    undo(viewer)
    assert viewer.view == before


def test_del_takes_away_the_body_under_the_pointer_alone(viewer, loop, messages):
    viewer.key("delete")
    assert loop.posted == [] and "no body under the pointer" in messages[-1]
    corners = np.array([[-1, 0, -1], [1, 0, -1], [0, 0, 2], [0, 2, 0]], np.float32)
    triangles = np.array([(0, 1, 2), (0, 1, 3), (1, 2, 3), (2, 0, 3)], np.uint32)
    mesh = Mesh(corners, corners, triangles, np.zeros((4, 3), np.uint8))
    bodies = [
        BodyState(number, "box", mesh, np.array([x, 0.0, 4.0]), np.eye(3), np.ones(3), 500.0)
        for number, x in ((3, -4.0), (7, 3.0))
    ]
    loop.frame = make_frame(params=TunedParams(), bodies=tuple(bodies))
    viewer.update()
    px, py, _ = viewer.camera.project((3.0, 0.7, 4.0), SIZE)
    viewer.pointer.move(px, py, SIZE)
    viewer.key("delete")
    assert loop.posted == [RemoveBody(7)]


class TwoPlaces(FakeScenes):
    """Two terrains and a grid, each of which another water belongs to."""

    def __init__(self):
        self.values = {"preset": "none", "terrain": "coast", "grid": 64}

    def settings(self):
        entries = [declaration(StartParams, "preset"), declaration(StartParams, "terrain")]
        entries.append(declaration(SceneParams, "grid"))
        return [(entry, self.values[entry.name]) for entry in entries]

    def change(self, name, value, now):
        self.values[name] = value
        return SceneChange(f"{name} {value}", (ReplaceWater(lambda: None),), is_new_place=False)


def test_another_grid_is_undone_and_forgets_what_was_before(loop, messages):
    scenes = TwoPlaces()
    viewer = Viewer(loop, ViewParams(), scenes, messages.append, messages.append)

    def arrives():
        loop.goes_on(make_frame(bed=loop.frame.bed.copy(), params=TunedParams()))
        loop.posted.clear()
        viewer.update()

    viewer.key("up")
    viewer.change("scene", "grid", 128)
    arrives()
    undo(viewer)
    assert messages[-1] == "undone: grid"
    arrives()
    assert scenes.values["grid"] == 64
    undo(viewer)
    assert messages[-1] == "nothing to undo"
    redo(viewer)
    arrives()
    assert scenes.values["grid"] == 128


TAKEN_BY_MACOS = {f"cmd+{key}" for key in (*"qwhmn,`", "tab", "space")} | {
    *(f"ctrl+{key}" for key in ("up", "down", "left", "right", "space")),
    *("f11", "cmd+shift+3", "cmd+shift+4", "cmd+shift+5", "alt+cmd+esc"),
}
"""Keys that macOS or its menus take before a program sees them; F11 shows the desktop."""


def test_every_action_has_a_key_that_macos_leaves_to_it(viewer):
    keys = {action.name: action.keys for action in ACTIONS}
    for params in (*(model.Params for model in MODELS.values()), type(viewer.view), InteractionParams):
        keys |= {f"{entry.name} {key}": (key,) for entry in declarations(params) for key in entry.keys or ()}
    for name, those in keys.items():
        assert {key.replace("ctrl+", "cmd+") for key in those} - TAKEN_BY_MACOS, f"{name}: {those}"


def test_on_macos_the_command_key_is_ctrl():
    assert meant_modifiers({"super", "shift"}, on_mac=True) == {"ctrl", "shift"}
    assert meant_modifiers({"ctrl"}, on_mac=True) == {"ctrl"}
    assert meant_modifiers({"super", "alt"}, on_mac=False) == {"alt"}
    assert key_label("ctrl+shift+z", on_mac=True) == "Cmd+Shift+Z"
    assert key_label("ctrl+shift+z") == "Ctrl+Shift+Z"
