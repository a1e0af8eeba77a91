"""The panel in a real window, touched by a real mouse and keyboard."""

import json
from contextlib import contextmanager
from dataclasses import replace

import glfw
import numpy as np
import pytest
from imgui_bundle import imgui
from support.screen import settings, shown, until
from support.viewers import FakeScenes

from waterview.core.commands import Pause, ShowField
from waterview.core.params import declaration
from waterview.render.settings import ViewParams
from waterview.scene.presets import preset_paths
from waterview.scene.scene import Scene, SceneParams
from waterview.scene.sections import MODEL, VIEW
from waterview.terrain.library import resolve
from waterview.ui.panel.memory import PanelMemory, memory_path
from waterview.ui.panel.rows import describe
from waterview.ui.panel.view import NAME, Panel
from waterview.ui.window import WindowProgram
from waterview.waters.ocean.ocean_params import OceanParams


@pytest.fixture
def panel(program, user):
    """The panel, opened with its key; its rows are in place."""
    user.key("F2")
    until(program.frame, lambda: "params.wave_speed" in program.panel.places)
    for _ in range(3):
        program.frame()
    return program.panel


def on_screen(program, key, share):
    """Screen place at `share` of the width of a row's widget."""
    x, y, width, height = program.panel.places[key]
    left, top = program.window.position
    return round(left + x + share * width), round(top + y + 0.5 * height)


def drag(program, user, key, start, end):
    """Drag along a row, each event seen before the next: X user them over when it likes."""
    io = imgui.get_io()

    def move(share):
        x, y = on_screen(program, key, share)
        left, top = program.window.position
        user.do("mousemove", x, y)
        until(program.frame, lambda: abs(io.mouse_pos.x - x + left) < 2.0 and abs(io.mouse_pos.y - y + top) < 2.0)

    move(start)
    user.do("mousedown", 1)
    until(program.frame, lambda: imgui.is_mouse_down(0) and imgui.is_any_item_active())
    move(end)
    program.frame()
    user.do("mouseup", 1)
    until(program.frame, lambda: not imgui.is_mouse_down(0))
    program.frame()


def type_into(program, user, key, text):
    user.do("mousemove", *on_screen(program, key, 0.3))
    program.frame()
    user.do("keydown", "ctrl", "click", 1, "keyup", "ctrl")
    until(program.frame, lambda: imgui.get_io().want_text_input)
    for letter in text:
        user.do("key", letter)
        program.frame()


def test_f2_shows_and_hides_it_and_the_picture_changes(program, user):
    plain = program.picture()
    user.key("F2")
    until(program.frame, lambda: program.panel.shown)
    for _ in range(3):
        program.frame()
    with_panel = program.picture()
    assert np.mean(plain[100:600, 20:380] != with_panel[100:600, 20:380]) > 0.8
    user.key("F2")
    until(program.frame, lambda: not program.panel.shown)


def test_it_stays_under_the_pointer_while_a_line_comes_above_it(program, user, panel):
    user.key("space")
    until(program.frame, lambda: program.loop.paused)

    def line():
        for _ in range(3):
            program.frame()
        return imgui.internal.find_window_by_name("figures").size

    program.window.size = wide = (round(line().x) + 80, 900)
    until(program.frame, lambda: program.window.size == wide)
    before = line().y
    user.do("mousemove", *on_screen(program, "params.damping", 0.5))
    program.frame()
    place = panel.places["params.damping"]
    user.key("bracketleft")
    until(program.frame, lambda: line().y > 1.3 * before)
    assert panel.places["params.damping"] == place
    left, top = program.window.position
    user.do("mousemove", left + wide[0] - 20, top + 500)
    until(program.frame, lambda: panel.places["params.damping"][1] > place[1] + 5.0)


def test_a_message_is_not_hidden_behind_it(program, panel):
    imgui.set_window_pos(NAME, imgui.ImVec2(0.0, 0.0))
    imgui.set_window_size(NAME, imgui.ImVec2(*program.window.size))
    program.hud.notify("a message that everyone should be able to read")
    program.frame()
    imgui.set_window_focus(NAME)
    program.frame()
    height = program.window.size[1]
    bottom = slice(height - 40, height - 12), slice(12, 300)
    bright = np.mean(program.picture()[bottom] > 200)
    assert bright > 0.045, "its letters are dimmed by the panel"


def test_a_dragged_slider_moves_the_waters_parameter(program, user, panel):
    before = program.viewer.params.wave_speed
    picture = program.picture()
    drag(program, user, "params.wave_speed", 0.5, 0.9)
    assert program.viewer.params.wave_speed > 10.0 * before
    until(program.frame, lambda: program.viewer.frame.params.wave_speed == program.viewer.params.wave_speed)
    assert not np.any(program.viewer.frame.heights), "the water under the panel was touched"
    x, y, width, height = (round(number) for number in panel.places["params.wave_speed"])
    place = (slice(y, y + height), slice(x, x + width))
    assert np.mean(program.picture()[place] != picture[place]) > 0.05
    beside = (slice(y, y + height), slice(x + width + 2, x + width + 90))
    user.do("mousemove", *on_screen(program, "scene.model", -0.5))  # no tooltip lies over it there
    until(program.frame, lambda: program.picture()[place].max() < 200 < program.picture()[beside].max())


@pytest.mark.parametrize("key", ["bodies.drag", "detail.strength"])
def test_a_dragged_slider_moves_what_bodies_and_detail_go_by(program, user, key):
    titles = {group.title for group in describe(program.viewer)} | {"Presets"}
    closed = titles - {"Floating bodies" if key.startswith("bodies") else "Fine detail"}
    program.panel.memory = replace(PanelMemory(), closed=tuple(closed))
    user.key("F2")
    until(program.frame, lambda: key in program.panel.places)
    for _ in range(3):
        program.frame()
    owner, name = key.split(".")
    before = getattr(program.viewer.frame.world_params[owner], name)
    drag(program, user, key, 0.3, 0.9)
    assert getattr(program.viewer.world_params[owner], name) > 2.0 * before
    until(program.frame, lambda: program.viewer.frame.world_params[owner] == program.viewer.world_params[owner])


def test_a_double_click_brings_the_default_back(program, user, panel):
    drag(program, user, "params.damping", 0.5, 0.9)
    changed = program.viewer.params.damping
    assert changed > 5.0
    io = imgui.get_io()
    io.mouse_double_click_time, io.mouse_single_click_delay = 60.0, 61.0  # however slow this machine is
    user.do("mousemove", *on_screen(program, "params.damping", 0.2))
    program.frame()
    for event in ("mousedown", "mouseup", "mousedown"):
        user.do(event, 1)
        program.frame()
        program.frame()
    user.do("mouseup", 1)
    until(program.frame, lambda: program.viewer.params.damping == pytest.approx(0.3))
    for _ in range(5):
        program.frame()
    assert program.viewer.params.damping == pytest.approx(0.3)


def test_what_is_typed_is_kept_from_the_water_and_corrected(program, user, panel):
    type_into(program, user, "params.damping", "t")
    user.do("key", "BackSpace", "9", "9", "9", "9")
    for _ in range(3):
        program.frame()
    assert settings(program)["terrain"] == "Empty basin", "the letter reached the water"
    assert program.viewer.params.damping == 0.5, "half a number was taken"
    user.key("Return")
    until(program.frame, lambda: program.viewer.params.damping == 1000.0)
    assert program.hud.messages
    until(program.frame, lambda: not program.imgui.wants_keyboard)
    user.key("space")
    until(program.frame, lambda: program.loop.paused)


def choose(program, user, key, number):
    """Choose from the list of a row, by the number of the choice."""
    user.click(*on_screen(program, key, 0.5))
    for _ in range(5):
        program.frame()
    line = program.panel.places[key][3]
    x, y = on_screen(program, key, 0.4)
    below = 0.5 * line + imgui.get_style().window_padding.y + (number + 0.5) * imgui.get_text_line_height_with_spacing()
    for nearly in (0.3 * line, 0.0):
        user.do("mousemove", x, round(y + below - nearly))
        program.frame()
        program.frame()
    user.do("click", 1)


def test_a_list_is_chosen_from(program, user, panel):
    choose(program, user, "scene.preset", 1)
    until(program.frame, lambda: settings(program)["preset"] != "none")
    preset = settings(program)["preset"]
    assert preset in preset_paths()
    until(program.frame, lambda: max(program.viewer.frame.grid.shape) == settings(program)["grid"])


def told(pixels):
    """How many pixels have the colour of what a grid costs."""
    red, green, blue = np.moveaxis(pixels.astype(int), -1, 0)
    return np.count_nonzero((red > 180) & (green > 130) & (blue < green - 30))


def test_the_grid_changes_only_when_the_slider_is_let_go(program, user, panel):
    x, y, _, height = map(round, panel.places["scene.grid"])
    below = (slice(y + height, y + 3 * height), slice(x, x + 100))
    before = told(program.picture()[below])
    user.do("mousemove", *on_screen(program, "scene.grid", 0.0))
    program.frame()
    user.do("mousedown", 1)
    program.frame()
    user.do("mousemove", *on_screen(program, "scene.grid", 0.04))
    for _ in range(4):
        program.frame()
    assert max(program.viewer.frame.grid.shape) == 48
    assert told(program.picture()[below]) > before + 50, "its cost is not told"
    user.do("mouseup", 1)
    until(program.frame, lambda: max(program.viewer.frame.grid.shape) != 48)
    assert max(program.viewer.frame.grid.shape) == settings(program)["grid"] < 8, "the slider is logarithmic"
    assert program.viewer.params.damping == 0.5, "what was set before is lost"


def click_row(program, user, key):
    until(program.frame, lambda: key in program.panel.places)
    program.frame()
    user.click(*on_screen(program, key, 0.5))


def test_a_large_grid_is_begun_only_when_its_cost_was_agreed_to(program, user, panel):
    type_into(program, user, "scene.grid", "6000")
    user.key("Return")
    until(program.frame, lambda: "take grid" in panel.places)
    for _ in range(3):
        program.frame()
    assert settings(program)["grid"] == 48
    click_row(program, user, "cancel grid")
    until(program.frame, lambda: "take grid" not in panel.places)
    assert settings(program)["grid"] == 48
    type_into(program, user, "scene.grid", "64")
    user.key("Return")
    until(program.frame, lambda: max(program.viewer.frame.grid.shape) == 64)


@pytest.mark.parametrize(("key", "typed", "told"), [("scene.grid", "99999", "8192"), ("params.damping", "9999", "")])
def test_a_number_out_of_range_is_told(program, user, panel, key, typed, told):
    type_into(program, user, key, typed)
    user.key("Return")
    until(program.frame, lambda: any("corrected to" in text for text in program.hud.messages))
    assert any(f"{typed}: corrected to {told}" in text for text in program.hud.messages)
    assert any("allowed are" in text for text in program.hud.messages)


def test_what_the_left_button_does_is_chosen_from_a_list_and_stays_the_next_time(program, user):
    titles = {group.title for group in describe(program.viewer)} | {"Presets"}
    program.panel.memory = replace(PanelMemory(), closed=tuple(titles - {VIEW}))
    user.key("F2")
    until(program.frame, lambda: "interaction.left_drag" in program.panel.places)
    for _ in range(3):
        program.frame()
    user.do("mousemove", *on_screen(program, "view.quality", 0.1))
    program.frame()

    def turn_the_wheel():
        user.do("click", 5)
        for _ in range(3):
            program.frame()

    until(turn_the_wheel, lambda: program.panel.places["interaction.left_drag"][1] < 700.0)
    choose(program, user, "interaction.left_drag", 1)
    until(program.frame, lambda: program.viewer.interaction.left_drag == "turn")
    program.frame()
    program.panel.save()
    assert Panel(memory_path(), print, program.imgui.picture).habits["left_drag"] == "turn"


# What models leave to choose


@pytest.fixture
def of_model(screen, user):
    """of_model(model) → a program whose water is of that model, with its panel opened, as a context."""

    @contextmanager
    def opened(model):
        terrain = resolve("basin")
        with shown(Scene(terrain.load(), SceneParams(grid=48, model=model)), [terrain], (720, 940)) as program:
            closed = {group.title for group in describe(program.viewer)} | {"Presets"}
            program.panel.memory = replace(PanelMemory(), closed=tuple(closed - {MODEL}))
            user.key("F2")
            until(program.frame, lambda: "scene.model" in program.panel.places)
            for _ in range(3):
                program.frame()
            yield program

    return opened


def test_the_simplest_ocean_is_chosen_from_the_list_of_spectra(of_model, user):
    with of_model("ocean") as program:
        choices = declaration(OceanParams, "spectrum").choices
        choose(program, user, "params.spectrum", choices.index("gerstner"))
        until(program.frame, lambda: program.viewer.frame.params.spectrum == "gerstner")
        until(program.frame, lambda: np.any(program.viewer.frame.heights))


def test_what_wave_particles_go_by_is_typed_into_the_panel(of_model, user):
    with of_model("wave-particles") as program:
        for name, keys, value in (
            ("wave_speed", "3", 3.0),
            ("death_threshold", ("0", "period", "0", "1"), 0.01),
            ("trough_delay", "2", 2.0),
        ):
            type_into(program, user, f"params.{name}", keys)
            user.key("Return")
            until(
                program.frame,
                lambda name=name, value=value: getattr(program.viewer.frame.params, name) == pytest.approx(value),
            )


def test_the_panel_follows_while_paused(program, user, panel):
    program.loop.post(Pause(True))
    until(program.frame, lambda: program.loop.paused)
    for _ in range(40):
        program.frame()
    drag(program, user, "params.damping", 0.5, 0.8)
    until(program.frame, lambda: program.viewer.frame.params.damping > 1.0)


def test_it_comes_back_where_it_was(program, user, panel, config_folder):
    x, y, *_ = panel.places["scene.preset"]
    left, top = program.window.position
    before = panel.memory
    em = imgui.get_font_size()
    grip = (left + round(before.x * em) + 150, top + round(before.y * em) + 10)
    user.do("mousemove", *grip)
    program.frame()
    user.do("mousedown", 1)
    program.frame()
    user.do("mousemove", grip[0] + 200, grip[1] + 30)
    until(program.frame, lambda: panel.places["scene.preset"][0] > x + 150 and panel.places["scene.preset"][1] > y)
    user.do("mouseup", 1)
    program.frame()
    panel.save()
    kept = json.loads((config_folder / "waterview" / "panel.json").read_text())
    assert kept["shown"] is True
    assert (kept["x"], kept["y"]) == pytest.approx((before.x + 200.0 / em, before.y + 30.0 / em), abs=0.02)
    program.panel.toggle()
    program.frame()
    again = Panel(memory_path(), print, program.imgui.picture)
    assert (again.memory.x, again.shown) == (pytest.approx(kept["x"]), False)


def test_plots_follow_the_water_with_a_map(program, user, panel):
    program.loop.post(ShowField("height"))
    until(program.frame, lambda: len(panel.history.plots()) >= 3)


# Without a mouse, and for all eyes


def test_f6_gives_the_panel_the_keyboard_and_takes_it_back(program, user, panel):
    terrain = settings(program)["terrain"]
    user.key("F6")
    until(program.frame, lambda: panel.has_keyboard)
    for name in ("t", "Tab", "Down", "Down", "Down", "Up"):
        user.key(name)
        for _ in range(3):
            program.frame()
    assert settings(program)["terrain"] == terrain and program.viewer.params == program.viewer.frame.params
    assert imgui.get_io().nav_visible, "nothing is marked"
    assert panel.shown
    user.key("F6")
    until(program.frame, lambda: not panel.has_keyboard)
    user.key("space")
    until(program.frame, lambda: program.loop.paused)


def test_a_value_is_changed_without_a_mouse(program, user, panel):
    user.key("F6")
    until(program.frame, lambda: panel.has_keyboard)

    def press(name):
        user.key(name)
        for _ in range(6):
            program.frame()

    # Over the gallery's header, the button and the lists to the first slider, that of the water level.
    until(lambda: press("Tab"), lambda: imgui.get_io().want_text_input)
    press("ctrl+a")
    press("period")
    press("5")
    press("Return")
    until(program.frame, lambda: program.viewer.frame.grid.level == 0.5)


def test_a_picture_of_the_gallery_brings_its_preset(program, user, panel):
    x, *_ = panel.places["scene.preset"]
    header = round(panel.memory.y * imgui.get_font_size() + 2.3 * imgui.get_font_size())
    left, top = program.window.position
    user.click(left + round(x), top + header)
    until(program.frame, lambda: "pool" in panel.gallery.places)
    x, y, width, height = panel.gallery.places["pool"]
    pixels = program.picture()[round(y) : round(y + height), round(x) : round(x + width)]
    assert pixels.std() > 15.0, "no picture is seen"
    user.click(left + x + width / 2, top + y + height / 2)
    until(program.frame, lambda: settings(program)["preset"] == "pool")


def test_text_grows_with_its_keys(program, user, panel):
    height = panel.places["params.wave_speed"][3]
    user.do("key", "ctrl+equal")
    until(program.frame, lambda: program.viewer.interaction.text_scale > 1.05)
    until(program.frame, lambda: panel.places.get("params.wave_speed", (0, 0, 0, 0))[3] > 1.05 * height)
    user.do("key", "ctrl+minus")
    until(program.frame, lambda: panel.places["params.wave_speed"][3] == height)


def test_text_stays_as_large_the_next_time(program, user, panel, config_folder):
    user.do("key", "ctrl+equal")
    until(program.frame, lambda: program.viewer.interaction.text_scale == 1.1)
    program.frame()
    panel.save()
    again = WindowProgram(
        program.window, program.loop, ViewParams(quality="low"), FakeScenes(), frames_per_second=120.0
    )
    try:
        assert again.viewer.interaction.text_scale == 1.1
    finally:
        again.release()


def test_text_is_copied_and_pasted(program, user, panel):
    glfw.set_clipboard_string(None, "0.75")
    type_into(program, user, "params.damping", "")
    user.do("key", "ctrl+a", "ctrl+v")
    for _ in range(4):
        program.frame()
    user.key("Return")
    until(program.frame, lambda: program.viewer.params.damping == 0.75)
    type_into(program, user, "params.wave_speed", "")
    user.do("key", "ctrl+a", "ctrl+c")
    until(program.frame, lambda: glfw.get_clipboard_string(None) != b"0.75")
    shown = float(glfw.get_clipboard_string(None).split()[0])
    assert shown == pytest.approx(program.viewer.params.wave_speed, rel=0.1)


def test_the_dialogs_answer_is_opened_and_its_absence_told(program, user, panel, tmp_path, monkeypatch):
    class Answered:
        def __init__(self):
            self.asked = 0

        def ready(self, timeout):
            self.asked += 1
            return self.asked > 3

        def result(self):
            return [str(tmp_path / "flat.npy")]

    np.save(tmp_path / "flat.npy", np.full((20, 20), -3.0, np.float32))
    program.loop.post(Pause(True))
    until(program.frame, lambda: not program.is_changing())
    with monkeypatch.context() as patched:
        patched.setattr("waterview.ui.panel.file_dialog.shutil.which", lambda name: name)
        patched.setattr("imgui_bundle.portable_file_dialogs.open_file", lambda *_: Answered())
        assert panel.dialog.show() == ""
    assert panel.is_waiting
    until(program.frame, lambda: program.viewer.frame.bed.max() == pytest.approx(-3.0))
    assert not panel.is_waiting
    monkeypatch.setattr("waterview.ui.panel.file_dialog.shutil.which", lambda name: None)
    assert "drop the file into the window" in panel.dialog.show()
