"""Files dropped into a real window, and the camera's path that it keeps in one.

xdotool cannot drag a file out of another program: the drop is given to the callback as glfw would give it.
"""

import ctypes

import glfw
import numpy as np
import pytest
from imgui_bundle import imgui
from support.screen import settings, until

from waterview.render.camera.camera_path import read_path


def test_f7_saves_keyframes_and_f8_flies_along_them_until_a_hand_turns_the_view(program, user, tmp_path):
    program.flight.folder = tmp_path
    first = program.viewer.camera
    user.key("F7")
    until(program.frame, lambda: len(program.flight.keyframes) == 1)
    before = program.picture()
    first.azimuth += 1.0
    user.key("F7")
    until(program.frame, lambda: len(program.flight.keyframes) == 2)
    (file,) = tmp_path.glob("*.toml")
    assert len(read_path(file).keyframes) == 2
    user.key("F8")
    until(program.frame, lambda: program.flight.on)
    until(program.frame, lambda: program.viewer.camera.azimuth < first.azimuth - 0.5)
    start = program.viewer.camera.azimuth
    assert np.abs(program.picture().astype(int) - before).mean() < 20.0, "it begins at the first keyframe"
    until(program.frame, lambda: program.viewer.camera.azimuth > start + 0.1)
    left, top = program.window.position
    user.do("mousemove", left + 300, top + 400, "mousedown", 3)
    program.frame()
    user.do("mousemove", left + 340, top + 400)
    until(program.frame, lambda: not program.flight.on)
    user.do("mouseup", 3)


def drop(program, *paths):
    """Call what glfw's own library calls when files are dropped, with paths as C has them."""
    called_by_glfw = glfw.set_drop_callback(glfw.get_current_context(), None)
    names = (ctypes.c_char_p * len(paths))(*(str(path).encode() for path in paths))
    called_by_glfw(glfw.get_current_context(), len(paths), names)


def test_a_heightmap_dropped_becomes_the_terrain(program, tmp_path):
    bed = np.full((40, 60), -5.0, np.float32)
    bed[:, 40:] = 7.0
    np.save(tmp_path / "cliff.npy", bed)
    drop(program, tmp_path / "cliff.npy")
    until(program.frame, lambda: program.viewer.frame.bed.max() == pytest.approx(7.0))
    assert settings(program)["terrain"] == "cliff.npy"
    assert program.viewer.camera.bounds.extent > 40.0


def test_a_preset_dropped_is_applied(program, tmp_path):
    path = tmp_path / "mine.toml"
    path.write_text('terrain = "basin"\n[settings]\ngrid = 33\nwave_speed = 1.5\nwireframe = true\nrain = 9.0\n')
    drop(program, path)
    until(program.frame, lambda: max(program.viewer.frame.grid.shape) == 33)
    assert program.viewer.params.wave_speed == 1.5
    assert program.viewer.view.wireframe
    assert program.viewer.interaction.rain == 9.0
    until(program.frame, lambda: np.any(program.viewer.frame.heights))


def test_a_mesh_dropped_asks_for_its_size_and_a_click_places_it(program, user, tmp_path):
    viewer, own = program.viewer, program.viewer.own_body
    import trimesh

    trimesh.creation.icosphere(1).export(tmp_path / "stone.stl")
    drop(program, tmp_path / "stone.stl")
    until(program.frame, lambda: own.found is not None)
    assert own.size == pytest.approx(0.05 * max(viewer.frame.grid.size))
    own.size, own.density = 0.3, 250.0
    for _ in range(3):
        program.frame()
    px, py, _ = viewer.camera.project((0.5, viewer.frame.grid.level, 0.2), program.window.size)
    left, top = program.window.position
    user.click(left + px, top + py)
    until(program.frame, lambda: viewer.frame.bodies)
    (stone,) = viewer.frame.bodies
    assert (stone.kind, stone.density) == ("stone", pytest.approx(250.0))
    assert stone.scale.max() == pytest.approx(0.3)
    assert np.hypot(stone.position[0] - 0.5, stone.position[2] - 0.2) < 0.2
    user.key("ctrl+z")
    until(program.frame, lambda: not viewer.frame.bodies)
    user.key("Escape")
    until(program.frame, lambda: own.found is None)
    assert viewer.pointer.tool == "drop"


def test_a_size_or_density_out_of_range_is_told_when_it_was_typed(program, user, tmp_path):
    own = program.viewer.own_body
    import trimesh

    trimesh.creation.icosphere(1).export(tmp_path / "stone.stl")
    drop(program, tmp_path / "stone.stl")
    until(program.frame, lambda: own.found is not None)
    for _ in range(3):
        program.frame()
    box, style = imgui.internal.find_window_by_name("own body"), imgui.get_style()
    line = imgui.get_frame_height() + style.item_spacing.y
    left, top = program.window.position
    bottom = top + box.pos.y + box.size.y - style.window_padding.y - 0.5 * imgui.get_frame_height()  # of the buttons
    for lines_up, text, name, told in ((2, "9999", "size", "longest side 9999"), (1, "0.5", "density", "density 0.5")):
        user.do("mousemove", round(left + box.pos.x + 30), round(bottom - lines_up * line))
        for _ in range(3):
            program.frame()
        user.do("keydown", "ctrl", "click", 1, "keyup", "ctrl")
        until(program.frame, lambda: imgui.get_io().want_text_input)
        before = getattr(own, name)
        user.do("type", text)
        for _ in range(3):
            program.frame()
        assert getattr(own, name) == before, "half a number was taken"
        user.key("Return")
        until(program.frame, lambda told=told: any(told in text for text in program.hud.messages))
        assert any("corrected to" in text and "allowed are" in text for text in program.hud.messages)
    assert own.size == pytest.approx(own.most) and own.density == pytest.approx(1.0)


@pytest.mark.parametrize(
    ("name", "reason"),
    [
        ("broken.stl", "triangles"),
        ("missing.tif", "there is no such file"),
        ("broken.npy", "does not begin as a .npy file does"),
        ("wrong.toml", "settings.wave_sped"),
    ],
)
def test_a_file_that_cannot_be_used_is_told_and_the_old_terrain_stays(program, tmp_path, name, reason):
    (tmp_path / "broken.npy").write_bytes(b"no array")
    (tmp_path / "broken.stl").write_bytes(b"solid x\nend")
    (tmp_path / "wrong.toml").write_text("[settings]\nwave_sped = 3\n")
    bed, camera = program.viewer.frame.bed, program.viewer.camera
    drop(program, tmp_path / name, "another")
    until(program.frame, lambda: any(name in text and reason in text for text in program.hud.messages))
    for _ in range(3):
        program.frame()
    assert program.viewer.frame.bed is bed
    assert program.viewer.camera is camera
    assert settings(program)["terrain"] == "Empty basin"
