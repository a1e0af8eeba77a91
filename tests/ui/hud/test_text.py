from contextlib import contextmanager
from dataclasses import dataclass

import pytest
from imgui_bundle import imgui
from support.scenes import make_frame

from waterview.core.params import Params, param
from waterview.ui.hud.text import Hud, figures, help_lines, solver_lines
from waterview.ui.keys import ACTIONS, MOUSE, key_label
from waterview.waters.common.water import WaterParams


@dataclass(frozen=True, kw_only=True)
class Tuned(Params):
    wave_speed: float = param(20.0, unit="m/s", low=0.0, high=1e4, step=2.0, keys=("down", "up"))
    quiet: float = param(1.0, low=0.0, high=2.0, step=0.1)


def test_the_line_shows_requested_and_effective_values_where_they_differ():
    params = Tuned(wave_speed=900.0)
    frame = make_frame(params=params, effective={"wave_speed": 400.0, "courant": 0.7, "substeps": 8.0})
    assert figures(frame, params, 119.6) == ["wave speed 900 m/s (effective 400)"]
    assert solver_lines(frame) == ["Courant number 0.700", "8 sub-steps"]
    fast = Tuned(wave_speed=9000.0)
    frame = make_frame(params=fast, effective={"wave_speed": 12345.6})
    assert figures(frame, fast, 119.6) == ["wave speed 9000 m/s (effective 12346)"]


def test_the_line_is_short_where_they_agree():
    params = Tuned()
    frame = make_frame(params=params, effective={"wave_speed": 20.0, "courant": 0.4, "substeps": 1.0})
    assert figures(frame, params, 120.0) == ["wave speed 20 m/s"]
    assert solver_lines(frame) == ["Courant number 0.400"]


def test_a_frame_older_than_the_last_key_press_raises_no_false_alarm():
    frame = make_frame(params=Tuned(wave_speed=20.0), effective={"wave_speed": 20.0})
    assert figures(frame, Tuned(wave_speed=40.0), 1.0)[0] == "wave speed 40 m/s"


def test_help_names_the_mouse_every_parameter_key_and_every_action():
    lines = help_lines((Tuned,))
    assert ("↑ / ↓", "wave speed up / down (Shift: finely)") in lines
    assert set(MOUSE) <= set(lines)
    assert {(", ".join(map(key_label, action.keys)), action.doc) for action in ACTIONS} <= set(lines)
    assert not any("quiet" in meaning for _, meaning in lines)


@contextmanager
def interface(size, scale):
    """ImGui without a window, for a screen of this size and text of this scale."""
    context = imgui.create_context()
    try:
        io = imgui.get_io()
        io.display_size = imgui.ImVec2(*size)
        io.backend_flags |= imgui.BackendFlags_.renderer_has_textures
        io.set_ini_filename("")
        imgui.get_style().font_scale_dpi = scale
        yield
    finally:
        imgui.destroy_context(context)


@pytest.mark.parametrize(("size", "scale"), [((1280.0, 720.0), 1.0), ((640.0, 480.0), 1.0), ((800.0, 600.0), 2.5)])
def test_the_help_fits_into_the_window_below_the_figures(size, scale):
    with interface(size, scale):
        hud = Hud()
        hud.help_shown = True
        for _ in range(3):
            imgui.new_frame()
            hud.draw(["wave speed 20 m/s", "Courant 0.400"], help_lines((Tuned,)), 0.0)
            imgui.end_frame()
        shown, above = (imgui.internal.find_window_by_name(name) for name in ("keys", "figures"))
        width = shown.content_size.x + 2.0 * shown.window_padding.x
        height = shown.content_size.y + 2.0 * shown.window_padding.y
        assert above.pos.y + above.size.y < shown.pos.y and shown.pos.x >= 0.0
        assert shown.pos.x + width <= size[0] and shown.pos.y + height <= size[1]


@pytest.mark.parametrize("scale", [1.0, 1.3])
def test_in_a_small_window_the_help_stays_readable_and_can_be_scrolled_to_its_end(scale):
    lines = help_lines((Tuned,))
    with interface((520.0, 420.0), scale):
        hud = Hud()
        hud.help_shown = True
        for _ in range(3):
            imgui.new_frame()
            usual = imgui.get_text_line_height()
            hud.draw(["wave speed 20 m/s"], lines, 0.0)
            imgui.end_frame()
        (table,) = (window for window in imgui.get_current_context().windows if window.name.startswith("keys/"))
        assert table.content_size.y >= 0.75 * usual * len(lines), "every line is as high as letters that can be read"
        assert table.content_size.x <= table.size.x
        hidden = table.content_size.y + 2.0 * table.window_padding.y - table.size.y
        assert hidden > 0.0 and table.scroll_max.y == pytest.approx(hidden, abs=1.0)
        assert not table.flags & imgui.WindowFlags_.no_mouse_inputs


def test_water_that_falls_behind_time_says_so():
    params = WaterParams(steps_per_second=60.0)
    frame = make_frame(params=params)
    assert figures(frame, params, 24.0) == ["0.4 × real time"]
    assert figures(frame, params, 55.0) == [] == figures(frame, params, 0.0)


def test_slow_motion_and_fast_forward_are_told_with_the_pace_that_is_reached():
    params = WaterParams(steps_per_second=60.0)
    frame = make_frame(params=params)
    assert figures(frame, params, 15.0, 0.25) == ["0.25 × real time"]
    assert figures(frame, params, 240.0, 4.0) == ["4 × real time"]
    assert figures(frame, params, 90.0, 4.0) == ["1.5 × real time"]
    assert figures(frame, params, 0.0, 4.0) == ["4 × real time"]
