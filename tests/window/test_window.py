"""A real window on a virtual screen, touched by a real mouse and keyboard."""

import ctypes
import time

import glfw
import numpy as np
import pytest
from support.coast import COAST
from support.screen import shown, until

from waterview.core.commands import AddBody, Pause, Reset, StepOnce, usual_drop
from waterview.core.grid import widest_water
from waterview.scene.scene import Scene, SceneParams
from waterview.terrain.library import resolve
from waterview.waters import MODELS

SIZE = (640, 400)


@pytest.fixture
def terrains():
    return [COAST, resolve("basin")]


@pytest.fixture
def program(screen, terrains):
    scene = Scene(terrains[0].load(), SceneParams(grid=128), {"damping": 0.5})
    with shown(scene, terrains, SIZE, frames_per_second=120.0) as program:
        yield program


def test_what_hands_do_while_the_window_rests_is_in_the_next_picture(terrains, user):
    pending = ctypes.CDLL("libX11.so.6").XPending  # events that X has handed over and nobody has looked at yet
    pending.argtypes = [ctypes.c_void_p]
    scene = Scene(terrains[1].load(), SceneParams(grid=48))
    with shown(scene, terrains, SIZE, 0, frames_per_second=0.1) as program, pytest.MonkeyPatch.context() as patched:

        def rest(seconds):
            patched.undo()
            assert seconds > 0.0
            before = pending(glfw.get_x11_display())
            user.key("h")
            until(lambda: None, lambda: pending(glfw.get_x11_display()) > before)

        assert not program.hud.help_shown
        patched.setattr("waterview.ui.plain_window.time.sleep", rest)
        program.frame()
        assert program.hud.help_shown


def on_screen(program, x, z):
    frame = program.viewer.frame
    px, py, depth = program.viewer.camera.project((x, frame.grid.level, z), program.window.size)
    assert depth > 0.0
    left, top = program.window.position
    return left + px, top + py


def test_a_click_changes_the_water_under_the_pointer_and_nowhere_far(program, user):
    program.loop.post(Pause(True))
    until(program.frame, lambda: program.loop.paused)
    x, z = widest_water(program.viewer.frame.grid, program.viewer.frame.fixed)
    user.click(*on_screen(program, x, z))
    until(program.frame, lambda: np.any(program.viewer.frame.heights))
    frame = program.viewer.frame
    moved = np.argwhere(np.abs(frame.heights) > 1e-3)
    distance = np.hypot(frame.grid.x[moved[:, 1]] - x, frame.grid.z[moved[:, 0]] - z)
    assert np.abs(frame.heights).max() == pytest.approx(np.abs(frame.heights[tuple(moved[distance.argmin()])]), rel=0.3)
    assert distance.min() < 2.0 * frame.grid.spacing
    assert distance.max() < 0.1 * max(frame.grid.size)


def test_a_drag_draws_a_wake(program, user):
    program.loop.post(Pause(True))
    until(program.frame, lambda: program.loop.paused)
    x, z = widest_water(program.viewer.frame.grid, program.viewer.frame.fixed)
    reach = 0.05 * max(program.viewer.frame.grid.size)
    start, end = on_screen(program, x - reach, z), on_screen(program, x + reach, z)
    user.do("mousemove", round(start[0]), round(start[1]), "mousedown", 1)
    program.frame()
    user.do("mousemove", round(end[0]), round(end[1]))
    program.frame()
    user.do("mouseup", 1)

    def is_drawn():
        frame = program.viewer.frame
        row = frame.heights[round(frame.grid.to_cell(x, z)[1])]
        return np.count_nonzero(np.abs(row) > 1e-3) * frame.grid.spacing > 1.8 * reach

    until(program.frame, is_drawn)


def test_the_left_button_turns_the_view_if_that_is_chosen(program, user):
    viewer = program.viewer
    viewer.change("interaction", "left_drag", "turn")
    azimuth = viewer.camera.azimuth
    x, y = map(round, on_screen(program, *widest_water(viewer.frame.grid, viewer.frame.fixed)))
    user.do("mousemove", x, y, "mousedown", 1)
    until(program.frame, lambda: viewer.pointer.position is not None)  # a press is where the pointer is when it is read
    user.do("mousemove", x + 60, y)
    until(program.frame, lambda: viewer.camera.azimuth != azimuth)
    user.do("mouseup", 1)
    program.frame()
    assert not np.any(viewer.frame.heights), "no drop falls at the end of a drag"
    user.click(*on_screen(program, *widest_water(viewer.frame.grid, viewer.frame.fixed)))
    until(program.frame, lambda: np.any(viewer.frame.heights))


def test_the_point_under_the_pointer_stays_while_the_view_turns_if_that_is_chosen(program, user):
    viewer, frame = program.viewer, program.viewer.frame
    viewer.change("interaction", "pivot", "pointer")
    azimuth, place = viewer.camera.azimuth, widest_water(frame.grid, frame.fixed)
    x, y = before = on_screen(program, *place)
    user.do("mousemove", round(x), round(y), "mousedown", 3)
    for _ in range(3):
        program.frame()
    user.do("mousemove", round(x) + 40, round(y))
    until(program.frame, lambda: abs(viewer.camera.azimuth - azimuth) > 0.05)
    user.do("mouseup", 3)
    assert np.hypot(*np.subtract(on_screen(program, *place), before)) < 5.0


def test_two_fingers_zoom_and_with_shift_move_the_view_and_f_brings_a_lost_scene_back(program, user):
    viewer = program.viewer
    distance, target = viewer.camera.distance, viewer.camera.target
    left, top = program.window.position
    user.do("mousemove", left + SIZE[0] // 2, top + SIZE[1] // 2, "click", 4)  # a touchpad's gesture comes as a wheel's
    until(program.frame, lambda: viewer.camera.distance < distance)
    nearer = viewer.camera.distance
    user.do("keydown", "shift", "click", 5, "keyup", "shift")
    until(program.frame, lambda: viewer.camera.target != target)
    assert viewer.camera.distance == nearer
    elevation = viewer.camera.elevation
    user.do("keydown", "alt", "click", 5, "keyup", "alt")
    until(program.frame, lambda: viewer.camera.elevation != elevation)
    assert viewer.camera.distance == nearer
    user.key("shift+d")  # a key with a modifier that was let go since
    until(program.frame, lambda: any("dive first" in text for text in program.hud.messages))
    user.do("click", 4)
    until(program.frame, lambda: viewer.camera.distance < nearer)
    user.key("f")
    until(program.frame, lambda: viewer.camera.target == target)
    assert viewer.camera.distance == distance


def test_l_lets_a_drop_fall_and_a_click_starts_paused_water_if_that_is_chosen(program, user):
    viewer = program.viewer
    program.loop.post(Pause(True))
    user.key("l")
    until(program.frame, lambda: np.any(viewer.frame.heights))
    assert program.loop.paused
    viewer.change("interaction", "click_starts", True)
    user.click(*on_screen(program, *widest_water(viewer.frame.grid, viewer.frame.fixed)))
    until(program.frame, lambda: not program.loop.paused)


def test_arrow_keys_change_what_the_hud_shows(program, user):
    before = program.hud_line()
    user.key("Up", "Right")
    until(program.frame, lambda: program.hud_line()[:3] != before[:3])
    until(program.frame, lambda: program.viewer.frame.params.damping == pytest.approx(0.5 * 1.25))
    speed = MODELS["wave-equation"].Params
    assert program.viewer.frame.params.wave_speed == pytest.approx(program.viewer.params.wave_speed)
    assert program.hud_line()[0] == "wave-equation" and "0.625" in program.hud_line()[2]
    assert speed().damping != program.viewer.params.damping
    user.do("key", "shift+Left")
    until(program.frame, lambda: program.viewer.frame.params.damping == pytest.approx(0.625 / 1.25**0.2, rel=1e-4))


def test_the_line_of_figures_is_for_people_and_brackets_change_the_pace(program, user):
    line = "   ".join(program.hud_line())
    solvers = ("Courant", "energy", "steps/s", "frames/s")
    assert line.startswith("wave-equation") and not any(word in line for word in solvers)
    user.key("bracketleft", "bracketleft")
    until(program.frame, lambda: program.loop.time_scale == 0.25)
    assert any("× real time" in part for part in program.hud_line())
    before, now = program.viewer.frame.time, time.monotonic()
    until(program.frame, lambda: time.monotonic() > now + 1.0)
    assert 0.0 < program.viewer.frame.time - before < 0.6
    user.key("space")
    until(program.frame, lambda: program.loop.paused)
    assert program.hud_line()[0] == "PAUSED" and not any("steps" in part for part in program.hud_line())


def test_a_key_stops_at_the_fastest_wave_and_says_so(program, user):
    program.viewer.change("params", "wave_speed", 9000.0)
    until(program.frame, lambda: program.viewer.frame.effective["wave_speed"] < program.viewer.frame.params.wave_speed)
    most = program.viewer.frame.effective["wave_speed"]
    user.key("Up")
    until(program.frame, lambda: program.viewer.params.wave_speed == most)
    assert "most that this grid and step allow" in program.hud.messages[-1]
    user.key("Down")
    until(program.frame, lambda: program.viewer.frame.params.wave_speed < most)


def test_help_is_drawn_and_goes_away(program, user):
    plain = program.picture()
    user.key("h")
    until(program.frame, lambda: program.hud.help_shown)
    program.frame()
    with_help = program.picture()
    middle = (slice(120, 280), slice(220, 420))
    assert np.mean(plain[middle] != with_help[middle]) > 0.5
    user.key("h")
    until(program.frame, lambda: not program.hud.help_shown)


def test_t_brings_the_next_terrain_and_the_camera_looks_at_it(program, user):
    bed = program.viewer.frame.bed
    user.key("t")
    until(program.frame, lambda: program.viewer.frame.bed is not bed)
    second = program.viewer.frame.bed
    assert program.viewer.camera.bounds.extent < 100.0
    assert program.window.title == "waterview — Empty basin"
    user.key("t")
    until(program.frame, lambda: program.viewer.frame.bed is not second)
    assert np.array_equal(program.viewer.frame.bed, bed)


def test_tab_goes_through_every_model_and_keeps_the_camera(program, user):
    camera, seen = program.viewer.camera, set()
    for _ in MODELS:
        bed = program.viewer.frame.bed
        user.key("Tab")
        until(program.frame, lambda bed=bed: program.viewer.frame.bed is not bed)
        seen.add(type(program.viewer.frame.params))
        assert program.viewer.camera is camera
        assert np.isfinite(program.viewer.frame.heights).all()
    assert seen == {model.Params for model in MODELS.values()}
    program.picture()


def test_the_mouse_grabs_a_ball_and_throws_it(program, user):
    frame = program.viewer.frame
    x, z = widest_water(frame.grid, frame.fixed)
    program.loop.post(AddBody("sphere", 400.0, x, z))
    until(program.frame, lambda: program.viewer.frame.bodies)
    (body,) = program.viewer.frame.bodies
    top = body.position + np.array((0.0, 0.4 * float(body.scale[1]), 0.0))
    px, py, _ = program.viewer.camera.project(tuple(top), program.window.size)
    left, top_edge = program.window.position
    user.do("mousemove", round(left + px), round(top_edge + py), "mousedown", 1)
    until(program.frame, lambda: program.viewer.frame.bodies[0].grabbed)
    for number in range(1, 9):
        user.do("mousemove", round(left + px + 6 * number), round(top_edge + py - 4 * number))
        program.frame()
    until(program.frame, lambda: program.viewer.frame.bodies[0].position[1] > body.position[1] + 0.3 * body.scale[1])
    user.do("mouseup", 1)
    until(program.frame, lambda: not program.viewer.frame.bodies[0].grabbed)
    thrown = program.viewer.frame.bodies[0].position
    assert np.linalg.norm(thrown - body.position) > 0.3 * float(body.scale[1])
    assert np.any(program.viewer.frame.heights)


def test_control_drag_paints_a_wall_that_is_land(program, user):
    frame = program.viewer.frame
    x, z = widest_water(frame.grid, frame.fixed)
    px, py = on_screen(program, x, z)
    user.do("keydown", "ctrl", "mousemove", round(px), round(py), "mousedown", 1)
    program.frame()
    user.do("mousemove", round(px + 20), round(py), "mouseup", 1, "keyup", "ctrl")
    until(program.frame, lambda: program.viewer.frame.fixed.sum() > frame.fixed.sum())
    ix, iz = frame.grid.nearest(x, z)
    assert program.viewer.frame.fixed[iz, ix]


def test_c_shows_the_columns_of_the_row_under_the_pointer(program, user):
    program.loop.post(Pause(True))
    until(program.frame, lambda: program.loop.paused)
    frame = program.viewer.frame
    x, z = widest_water(frame.grid, frame.fixed)
    user.do("mousemove", *(round(place) for place in on_screen(program, x, z)))
    until(program.frame, lambda: not program.is_changing())
    before = program.picture()
    user.key("c")
    until(program.frame, lambda: program.viewer.row is not None)
    assert program.viewer.row.row == pytest.approx(frame.grid.to_cell(x, z)[1], abs=1.5)
    shown = program.picture()
    box = shown[-100:-20, 30:380].astype(int)
    blue = (box[..., 2] > box[..., 0] + 80) & (box[..., 2] > 150)
    blue |= box[..., 0] > box[..., 2] + 80  # the column under the pointer is red
    brown = np.abs(box - (140, 115, 84)).max(axis=-1) < 12
    wet = ~program.viewer.row.dry
    # Land where the row is land, water where it is water: seen column by column.
    places = (np.arange(30, 380) - 20) * len(wet) // round(0.6 * SIZE[0])
    np.testing.assert_array_equal(brown.any(axis=0), np.ones(len(places), bool))
    assert np.mean(blue.any(axis=0) == wet[places]) > 0.9
    assert np.mean(shown[:60] != before[:60]) < 0.01, "above, only the figure of the frame rate may change"
    program.loop.post(StepOnce())
    until(program.frame, lambda: program.viewer.row.velocity is not None)
    user.key("c")
    until(program.frame, lambda: program.viewer.row is None)
    assert np.abs(program.picture()[-100:].astype(int) - before[-100:]).max() <= 2


def test_alt_and_an_arrow_change_one_border_while_the_water_runs(program, user):
    before = program.viewer.frame.params.border
    user.key("alt+Right")
    until(program.frame, lambda: program.viewer.frame.params.border != before)
    sides = dict(part.split("=") for part in program.viewer.frame.params.border.split(","))
    assert sides["east"] != before
    assert sides["north"] == sides["south"] == before
    program.picture()


def test_the_water_level_moves_the_shore(program, user):
    fixed = program.viewer.frame.fixed
    user.key("Prior", "Prior", "Prior")
    until(program.frame, lambda: program.viewer.frame.fixed.sum() < fixed.sum())


def test_a_resize_to_tiny_and_back_survives(program):
    for size in ((1, 1), (3, 200), (900, 2), SIZE):
        program.window.size = size
        until(program.frame, lambda size=size: program.window.size == size)
        program.frame()
    assert program.picture().shape == (SIZE[1], SIZE[0], 3)
    assert program.picture().std() > 5.0


def test_a_minimise_and_a_fullscreen_survive(program, user):
    # Without a window manager nobody unmaps the window: the event that glfw would bring is given by hand.
    program.window.glfw_window_iconify(None, 1)
    for _ in range(3):
        program.frame()
    program.window.glfw_window_iconify(None, 0)
    user.key("F11")
    until(program.frame, lambda: program.window.fullscreen)
    for _ in range(3):
        program.frame()
    assert program.picture().std() > 5.0
    user.key("alt+Return")  # where F11 is the system's, as on macOS
    until(program.frame, lambda: not program.window.fullscreen)
    program.frame()


def test_f12_saves_the_picture_that_is_seen(program, user, tmp_path, monkeypatch):
    from PIL import Image

    monkeypatch.setattr("platformdirs.user_pictures_path", lambda: tmp_path)
    user.key("F12")
    until(program.frame, lambda: list(tmp_path.rglob("*.png")))
    (path,) = tmp_path.rglob("*.png")
    with Image.open(path) as picture:
        assert picture.size == SIZE
        assert np.asarray(picture).std() > 5.0


def test_a_paused_window_draws_no_more_until_something_changes(program, user, monkeypatch):
    drawn = []
    monkeypatch.setattr(program.window, "swap_buffers", lambda: drawn.append(1))
    program.loop.post(Pause(True))
    until(program.frame, lambda: program.loop.paused and program.loop.steps_per_second == 0.0)

    def drew_nothing():
        count = len(drawn)
        program.frame()
        return len(drawn) == count

    until(program.frame, drew_nothing)
    count = len(drawn)
    for _ in range(5):
        program.frame()
    assert len(drawn) == count
    user.key("h")
    until(program.frame, lambda: len(drawn) > count)


def test_esc_closes(program, user):
    user.key("Escape", "Escape")
    until(program.frame, lambda: program.window.is_closing)


def test_a_closed_window_is_gone_before_anything_is_waited_for(program):
    seen = []
    program.window.close()
    with pytest.MonkeyPatch.context() as patched:
        window = glfw.get_current_context()
        patched.setattr(program, "release", lambda: seen.append(glfw.get_window_attrib(window, glfw.VISIBLE)))
        program.run()
    assert seen == [0]


def test_f10_films_what_is_seen(program, user, tmp_path, monkeypatch):
    import av

    monkeypatch.setattr("waterview.ui.capture.film.user_videos_path", lambda: tmp_path)
    user.key("F10")
    until(program.frame, lambda: program.film.on)
    began = program.viewer.frame.time
    until(program.frame, lambda: program.viewer.frame.time > began + 0.5)
    user.key("F10")
    until(program.frame, lambda: not program.film.on)
    (path,) = tmp_path.rglob("*.mp4")
    with av.open(str(path)) as container:
        frames = list(container.decode(container.streams.video[0]))
    assert (frames[0].width, frames[0].height) == SIZE
    assert frames[-1].time > 0.3
    assert frames[0].to_ndarray(format="rgb24").std() > 5.0


def test_f5_saves_and_f9_goes_back(program, user):
    x, z = widest_water(program.viewer.frame.grid, program.viewer.frame.fixed)
    program.loop.post(usual_drop(program.viewer.frame.grid, x, z, 3.0))
    until(program.frame, lambda: program.viewer.frame.time > 0.1 and np.any(program.viewer.frame.heights))
    program.loop.post(Pause(True))
    until(program.frame, lambda: program.loop.paused)
    distance = program.viewer.camera.distance
    user.key("F5")
    until(program.frame, program.autosave.saved.exists)
    saved = program.loop.latest()
    program.loop.post(Reset())
    until(program.frame, lambda: not np.any(program.viewer.frame.heights))
    program.viewer.camera.distance *= 0.5
    user.key("F9")
    until(program.frame, lambda: np.any(program.viewer.frame.heights))
    assert np.array_equal(program.viewer.frame.heights, saved.heights)
    assert program.viewer.frame.time == saved.time
    assert program.viewer.camera.distance == pytest.approx(distance)
