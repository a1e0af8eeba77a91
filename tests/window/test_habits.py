"""What hands expect of any program: Esc, undo and redo, going on where one was, a toolbar, nothing over another."""

import threading
from itertools import combinations

import numpy as np
import pytest
from imgui_bundle import imgui
from support.compiled import compiled_water
from support.screen import PATIENCE, until

from waterview.core.commands import AddBody, AddGauge, Drop, Pause, ReplaceWater
from waterview.core.grid import widest_water
from waterview.ui.hud.probe import Probe
from waterview.ui.welcome import WelcomeMemory


def on_screen(program, x, z, y=None):
    camera, level = program.viewer.camera, program.viewer.frame.grid.level
    px, py, depth = camera.project((x, level if y is None else y, z), program.window.size)
    assert depth > 0.0
    left, top = program.window.position
    return round(left + px), round(top + py)


def drag(program, user, start, end, held="ctrl"):
    user.do("keydown", held, "mousemove", *start, "mousedown", 1)
    program.frame()
    user.do("mousemove", *end)
    program.frame()
    user.do("mouseup", 1, "keyup", held)
    program.frame()


def test_a_parameter_is_undone_and_done_again(program, user):
    before = program.viewer.frame.params.wave_speed
    user.key("Up")
    until(program.frame, lambda: program.viewer.frame.params.wave_speed != before)
    after = program.viewer.frame.params.wave_speed
    user.key("ctrl+z")
    until(program.frame, lambda: program.viewer.frame.params.wave_speed == before)
    assert program.viewer.params.wave_speed == before
    assert "undone: wave speed" in program.hud.messages
    user.key("ctrl+shift+z")
    until(program.frame, lambda: program.viewer.frame.params.wave_speed == after)


def test_a_wall_is_undone_stroke_by_stroke(program, user):
    x, z = widest_water(program.viewer.frame.grid, program.viewer.frame.fixed)
    reach = 0.1 * max(program.viewer.frame.grid.size)
    counts = [np.count_nonzero(program.viewer.frame.fixed)]
    for offset in (-reach, reach):
        drag(program, user, on_screen(program, x - reach, z + offset), on_screen(program, x + reach, z + offset))
        until(program.frame, lambda: np.count_nonzero(program.viewer.frame.fixed) > counts[-1])
        for _ in range(5):
            program.frame()
        counts.append(np.count_nonzero(program.viewer.frame.fixed))
    for count in (counts[1], counts[0]):
        user.key("ctrl+z")
        until(program.frame, lambda count=count: np.count_nonzero(program.viewer.frame.fixed) == count)
    user.key("ctrl+shift+z")
    until(program.frame, lambda: np.count_nonzero(program.viewer.frame.fixed) == counts[1])


def test_calm_water_gets_its_waves_back(program, user):
    program.loop.post(Pause(True))
    x, z = widest_water(program.viewer.frame.grid, program.viewer.frame.fixed)
    program.loop.post(Drop(x, z, 0.1, 2.0))
    until(program.frame, lambda: np.any(program.viewer.frame.heights))
    heights = program.viewer.frame.heights
    user.key("r")
    until(program.frame, lambda: not np.any(program.viewer.frame.heights))
    user.key("ctrl+z")
    until(program.frame, lambda: np.array_equal(program.viewer.frame.heights, heights))


def test_del_takes_one_body_away_and_undo_brings_it_back(program, user):
    x, z = widest_water(program.viewer.frame.grid, program.viewer.frame.fixed)
    reach = 0.15 * max(program.viewer.frame.grid.size)
    for place in (x - reach, x + reach):
        program.loop.post(AddBody("sphere", 400.0, place, z))
    until(program.frame, lambda: len(program.viewer.frame.bodies) == 2)
    first = program.viewer.frame.bodies[0]
    user.do("mousemove", *on_screen(program, *first.position[[0, 2]], y=first.position[1] + 0.3 * first.scale[1]))
    until(program.frame, lambda: (found := program.viewer.pointer.body()) is not None and found.number == 1)
    user.key("Delete")
    until(program.frame, lambda: [body.number for body in program.viewer.frame.bodies] == [2])
    user.key("ctrl+z")
    until(program.frame, lambda: [body.number for body in program.viewer.frame.bodies] == [1, 2])


def test_a_water_level_a_body_and_a_setting_of_the_view_are_undone_in_turn(program, user):
    viewer = program.viewer
    program.loop.post(Pause(True))
    level = viewer.frame.grid.level
    user.key("Page_Up")
    until(program.frame, lambda: viewer.frame.grid.level > level)
    x, z = widest_water(viewer.frame.grid, viewer.frame.fixed)
    user.do("mousemove", *on_screen(program, x, z))
    program.frame()
    user.key("b", "w")
    until(program.frame, lambda: viewer.frame.bodies and viewer.view.wireframe)
    user.key("ctrl+z")
    until(program.frame, lambda: not viewer.view.wireframe)
    assert viewer.frame.bodies
    user.key("ctrl+z")
    until(program.frame, lambda: not viewer.frame.bodies)
    assert viewer.frame.grid.level > level
    user.key("ctrl+z")
    until(program.frame, lambda: viewer.frame.grid.level == level)
    user.key("ctrl+y", "ctrl+shift+z")
    until(program.frame, lambda: viewer.frame.grid.level > level and viewer.frame.bodies)


def test_esc_closes_list_help_panel_and_film_and_then_asks(program, user, tmp_path):
    program.film.folder = tmp_path
    user.key("F2")
    until(program.frame, lambda: "scene.model" in program.panel.places)
    for _ in range(3):
        program.frame()
    x, y, width, height = program.panel.places["scene.model"]
    left, top = program.window.position
    user.click(left + x + 0.5 * width, top + y + 0.5 * height)
    is_list_open = lambda: imgui.is_popup_open("", imgui.PopupFlags_.any_popup)  # noqa: E731
    until(program.frame, is_list_open)
    program.viewer.act("film")
    program.frame()
    assert program.film.on
    user.key("Escape")
    until(program.frame, lambda: not is_list_open())
    assert program.panel.shown and program.film.on
    program.viewer.act("help")
    program.frame()
    assert program.hud.help_shown
    user.key("Escape")
    until(program.frame, lambda: not program.hud.help_shown)
    assert program.panel.shown and program.film.on
    user.key("Escape")
    until(program.frame, lambda: not program.panel.shown)
    assert program.film.on
    user.key("Escape")
    until(program.frame, lambda: not program.film.on)
    assert len(list(tmp_path.glob("*.mp4"))) == 1
    user.key("Escape")
    until(program.frame, lambda: any("Esc once more" in text for text in program.hud.messages))
    assert not program.window.is_closing
    user.key("Escape")
    until(program.frame, lambda: program.window.is_closing)


def test_esc_or_shift_v_closes_the_map_that_v_opened(program, user):
    for close in ("Escape", "shift+v"):
        for _ in range(2):
            shown = program.viewer.frame.field_map
            user.key("v")
            until(program.frame, lambda shown=shown: program.viewer.frame.field_map is not shown)
        user.key(close)
        until(program.frame, lambda: program.viewer.frame.field_map is None)
        assert not any("Esc once more" in text for text in program.hud.messages)


def test_a_click_on_cancel_ends_the_wait_for_the_compiler(program, user, monkeypatch, tmp_path):
    loop, clicked = program.loop, threading.Event()
    cancel, water = loop.cancel, loop.world.water
    monkeypatch.setattr(loop, "cancel", lambda: (cancel(), clicked.set()))
    loop.post(ReplaceWater(compiled_water(monkeypatch, tmp_path, lambda: clicked.wait(PATIENCE))))
    until(program.frame, lambda: loop.can_cancel and "cancel" in boxes(program))
    assert loop.world.water is not water
    program.frame()
    left, top, right, bottom = boxes(program)["cancel"]
    x, y = program.window.position
    user.click(x + 0.5 * (left + right), y + 0.5 * (top + bottom))
    until(program.frame, lambda: any("cancelled" in text for text in program.hud.messages))
    assert loop.world.water is water and not loop.can_cancel
    until(program.frame, lambda: "cancel" not in boxes(program))


def test_esc_while_a_number_is_typed_ends_only_the_typing(program, user):
    user.key("F2")
    until(program.frame, lambda: "params.wave_speed" in program.panel.places)
    for _ in range(3):
        program.frame()
    x, y, width, height = program.panel.places["params.wave_speed"]
    left, top = program.window.position
    user.do("keydown", "ctrl")
    user.click(left + x + 0.3 * width, top + y + 0.5 * height)
    until(program.frame, lambda: imgui.get_io().want_text_input)
    user.do("keyup", "ctrl")
    user.key("Escape")
    until(program.frame, lambda: not imgui.get_io().want_text_input)
    assert program.panel.shown


def test_a_session_is_kept_at_the_end_if_something_was_done(program, user):
    user.key("Page_Up")
    until(program.frame, lambda: program.viewer.frame.grid.level != 0.0)
    level = program.viewer.frame.grid.level
    program.window.close()
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(program, "release", lambda: None)  # the fixture does it
        program.run()
    assert program.autosave.rescued.name == "last.waterview"
    program.viewer.act("rescue")
    until(program.frame, lambda: program.viewer.title == "session last.waterview")
    assert program.viewer.frame.grid.level == level


def test_ctrl_s_saves_and_ctrl_o_asks_for_a_file(program, user, monkeypatch):
    asked = []
    monkeypatch.setattr(program.panel.dialog, "show", lambda: asked.append(True))
    assert not program.autosave.saved.exists()
    user.key("ctrl+s")
    until(program.frame, program.autosave.saved.exists)
    user.key("ctrl+o")
    until(program.frame, lambda: asked == [True])


BOXES = (
    "figures",
    "toolbar",
    "Settings###panel",
    "messages",
    "row",
    "field",
    "probe",
    "gauges",
    "keys",
    "advice",
    "Choose a world###worlds",
    "own body",
    "cancel",
    "timeline",
)
"""ImGui's names of all that lies over the picture."""


def boxes(program):
    """The boxes that are shown, by name: left, top, right, bottom."""
    found = {}
    for name in BOXES:
        window = imgui.internal.find_window_by_name(name)
        if window is not None and window.active and not window.hidden:  # in the newest picture
            found[name] = (window.pos.x, window.pos.y, window.pos.x + window.size.x, window.pos.y + window.size.y)
    return found


def assert_apart_and_inside(program):
    shown, (width, height) = boxes(program), program.window.size
    for name, (left, top, right, bottom) in shown.items():
        assert left >= -0.5 and top >= -0.5 and right <= width + 0.5 and bottom <= height + 0.5, name
    for one, other in combinations(shown, 2):
        a, b = shown[one], shown[other]
        across, upward = min(a[2], b[2]) - max(a[0], b[0]), min(a[3], b[3]) - max(a[1], b[1])
        assert min(across, upward) <= 0.5, f"{one} {a} lies over {other} {b}"
    return shown


def test_no_overlay_lies_over_another_and_all_stay_in_a_window_that_shrinks(program):
    viewer = program.viewer
    x, z = widest_water(viewer.frame.grid, viewer.frame.fixed)
    for name in ("A", "B", "C"):
        viewer.post(AddGauge(name, x, z))
    viewer.probe = Probe(x, z)
    viewer.act("field")
    viewer.act("columns")
    until(program.frame, lambda: {"row", "field", "probe", "gauges"} <= boxes(program).keys())
    program.hud.notify("a message of more than a few words, so that it needs some room of its own")
    for _ in range(4):  # a box that fits its content has the size of the last frame
        program.picture()
    assert_apart_and_inside(program)
    viewer.act("panel")
    for size in ((900, 900), (640, 420), (420, 420), (800, 500)):
        program.window.size = size
        until(program.frame, lambda size=size: program.window.size == size)
        for scale in (1.0, 1.4):
            viewer.change("interaction", "text_scale", scale)
            for _ in range(4):
                program.picture()
            assert {"figures", "toolbar", "Settings###panel"} <= assert_apart_and_inside(program).keys()
    viewer.change("interaction", "text_scale", 1.0)
    viewer.act("gallery")
    for _ in range(6):
        program.picture()
    assert {"toolbar", "Settings###panel", "Choose a world###worlds"} <= assert_apart_and_inside(program).keys()
    viewer.act("panel")
    program.window.size = (520, 420)
    until(program.frame, lambda: program.window.size == (520, 420))
    for _ in range(6):
        program.picture()
    assert {"toolbar", "figures", "Choose a world###worlds"} <= assert_apart_and_inside(program).keys()
    viewer.act("panel")
    viewer.act("help")
    for _ in range(3):
        program.picture()
    assert assert_apart_and_inside(program).keys() - {"messages"} == {"figures", "toolbar", "keys"}


def test_in_a_small_window_and_in_large_text_nothing_lies_over_another(program):
    viewer = program.viewer
    x, z = widest_water(viewer.frame.grid, viewer.frame.fixed)
    for name in ("A", "B", "C"):
        viewer.post(AddGauge(name, x, z))
    until(program.frame, lambda: len(viewer.frame.gauges) == 3)
    program.welcome.memory = WelcomeMemory(gallery=True, click=False)

    def shown():
        for _ in range(4):
            program.picture()
        return assert_apart_and_inside(program).keys()

    for size, scale in (((520, 420), 1.0), ((520, 420), 2.0), ((1000, 720), 2.0)):
        program.window.size = size
        until(program.frame, lambda size=size: program.window.size == size)
        viewer.change("interaction", "text_scale", scale)
        assert shown() >= {"toolbar", "figures", "advice"}
        viewer.act("help")
        assert shown() >= {"toolbar", "figures", "keys"}
        viewer.act("help")
        viewer.act("panel")
        assert shown() >= {"toolbar", "figures", "Settings###panel"}
        viewer.act("gallery")
        assert shown() >= {"toolbar", "figures", "Choose a world###worlds"}
        viewer.act("panel")
        assert shown() >= {"toolbar", "figures", "Choose a world###worlds"}
        viewer.act("gallery")
        viewer.probe = Probe(x, z)
        viewer.act("field")
        viewer.act("columns")
        until(program.frame, lambda: {"row", "field"} <= boxes(program).keys())
        assert shown() >= {"toolbar", "figures", "row", "field"}
        viewer.act("columns")
        viewer.act("close field")
        until(program.frame, lambda: not {"row", "field"} & boxes(program).keys())
        viewer.probe = None


def test_the_panel_is_as_large_as_before_when_the_gallery_and_a_small_window_are_gone(program):
    viewer, whole = program.viewer, program.window.size
    viewer.act("panel")

    def panel():
        for _ in range(4):
            program.picture()
        left, top, right, bottom = boxes(program)["Settings###panel"]
        return right - left, bottom - top

    first = panel()
    viewer.act("gallery")
    assert panel()[1] < first[1]
    viewer.act("gallery")
    assert panel() == first
    program.window.size = (420, 420)
    until(program.frame, lambda: program.window.size == (420, 420))
    assert panel()[1] < first[1]
    program.window.size = whole
    until(program.frame, lambda: program.window.size == whole)
    assert panel() == first


def test_the_wheel_scrolls_the_help_in_a_small_window_and_leaves_the_camera(program, user):
    program.window.size = (520, 420)
    until(program.frame, lambda: program.window.size == (520, 420))
    user.key("h")
    until(program.frame, lambda: "keys" in boxes(program))
    for _ in range(3):
        program.frame()
    left, top, right, bottom = map(round, boxes(program)["keys"])
    before, camera = program.picture()[top:bottom, left : right - 40], repr(program.viewer.camera)
    x, y = program.window.position
    user.do("mousemove", x + 0.5 * (left + right), y + 0.5 * (top + bottom))
    for _ in range(3):
        program.frame()
    user.do("click", "--repeat", 3, 5)
    until(program.frame, lambda: np.mean(program.picture()[top:bottom, left : right - 40] != before) > 0.05)
    assert repr(program.viewer.camera) == camera


def press(program, user, name):
    until(program.frame, lambda: name in program.toolbar.places)
    x, y, width, height = program.toolbar.places[name]
    left, top = program.window.position
    user.click(left + x + 0.5 * width, top + y + 0.5 * height)


def test_the_toolbar_does_what_its_buttons_say(program, user):
    viewer = program.viewer
    press(program, user, "pause")
    until(program.frame, lambda: program.loop.paused)
    assert not np.any(viewer.frame.heights), "the click went to the button, not to the water"
    time = viewer.frame.time
    press(program, user, "step")
    until(program.frame, lambda: viewer.frame.time > time)
    press(program, user, "pause")
    until(program.frame, lambda: not program.loop.paused)
    press(program, user, "rain")
    until(program.frame, lambda: np.any(viewer.frame.heights))
    press(program, user, "rain")
    until(program.frame, lambda: viewer.interaction.rain == 0.0)
    press(program, user, "field")
    until(program.frame, lambda: viewer.frame.field_map is not None)
    press(program, user, "save")
    until(program.frame, program.autosave.saved.exists)
    press(program, user, "panel")
    until(program.frame, lambda: program.panel.shown)
    user.key("F4")
    until(program.frame, lambda: not program.toolbar.places)


def test_calm_home_and_film_on_the_toolbar_and_what_a_button_says(program, user, tmp_path):
    viewer, program.film.folder = program.viewer, tmp_path
    program.loop.post(Pause(True))
    user.key("l")
    until(program.frame, lambda: np.any(viewer.frame.heights))
    press(program, user, "calm")
    until(program.frame, lambda: not np.any(viewer.frame.heights))
    home = viewer.camera.distance
    left, top = program.window.position
    user.do("mousemove", left + 360, top + 600, "click", 4)
    until(program.frame, lambda: viewer.camera.distance < home)
    press(program, user, "view")
    until(program.frame, lambda: viewer.camera.distance == home)

    def tooltip():
        shown = [window.name for window in imgui.get_current_context().windows if window.active]
        return any("Tooltip" in name for name in shown)

    assert not program.film.on
    press(program, user, "film")
    until(program.frame, lambda: program.film.on)
    until(program.frame, tooltip)  # the pointer rests on the button
    press(program, user, "film")
    until(program.frame, lambda: not program.film.on)
    assert len(list(tmp_path.glob("*.mp4"))) == 1


def test_tools_say_what_a_click_does(program, user):
    viewer = program.viewer
    x, z = widest_water(viewer.frame.grid, viewer.frame.fixed)
    place = on_screen(program, x, z)
    press(program, user, "body")
    until(program.frame, lambda: viewer.pointer.tool == "body")
    user.click(*place)
    until(program.frame, lambda: len(viewer.frame.bodies) == 1)
    user.key("ctrl+z")
    until(program.frame, lambda: not viewer.frame.bodies)
    press(program, user, "gauge")
    until(program.frame, lambda: viewer.pointer.tool == "gauge")
    user.click(*place)
    until(program.frame, lambda: len(viewer.frame.gauges) == 1)
    press(program, user, "wall")
    until(program.frame, lambda: viewer.pointer.tool == "wall")
    walls = np.count_nonzero(viewer.frame.fixed)
    user.click(*place)
    until(program.frame, lambda: np.count_nonzero(viewer.frame.fixed) > walls)
