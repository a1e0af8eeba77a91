"""The first minute of a new user: a living scene, its presets, and advice that goes once it was followed."""

import pytest
from support.screen import PATIENCE, settings, shown, until

from waterview.core.commands import AddBody, Drop
from waterview.scene.presets import FIRST_SCENE, find_preset
from waterview.scene.scene import Scene, split_settings
from waterview.ui.welcome import Welcome, memory_path


@pytest.fixture
def program(screen):
    preset = find_preset(FIRST_SCENE)
    params, values = split_settings({**preset.settings, "grid": 96})
    scene = Scene(preset.terrain().load(), params, values)
    welcome = Welcome(memory_path(), opens_gallery=True)
    options = {"aim": preset.camera, "welcome": welcome, "frames_per_second": 120.0}
    with shown(scene, [preset.terrain()], (960, 540), **options) as program:
        for command in (*preset.drops, *preset.bodies):
            program.loop.post(command)
        yield program


def at(program, x, y):
    left, top = program.window.position
    return left + x, top + y


def test_the_first_scene_is_in_motion_with_a_drop_and_a_boat_and_mostly_water(program):
    preset = find_preset(FIRST_SCENE)
    assert [type(command) for command in (*preset.drops, *preset.bodies)] == [Drop, AddBody]
    until(program.frame, lambda: program.viewer.frame.bodies, 10.0 * PATIENCE)
    until(program.frame, lambda: abs(program.viewer.frame.heights).max() > 0.05)
    frame = program.viewer.frame
    assert max(frame.grid.size) / frame.params.wave_speed > 30.0, "rings cross it in less than half a minute"
    picture = program.picture().astype(int)[100:430]  # without figures and gallery
    bluer = picture[..., 2] > picture[..., 0] + 10
    assert bluer.mean() > 0.5, f"water takes {bluer.mean():.2f} of the picture"
    (boat,) = program.viewer.frame.bodies
    x, y, depth = program.viewer.camera.project(tuple(boat.position), program.window.size)
    assert 0 < x < 960 and 60 < y < 400 and depth > 0.0, "the boat is seen, above the gallery"


def test_a_click_into_the_water_is_the_end_of_the_advice(program, user):
    assert program.welcome.advice(program.viewer.can_be_disturbed)
    x, y, _ = program.viewer.camera.project((0.0, 0.0, 70.0), program.window.size)
    user.do("mousemove", *map(round, at(program, x, y)))
    for _ in range(3):  # the interface knows where the pointer is from the last picture
        program.frame()
    user.click(*at(program, x, y))
    until(program.frame, lambda: program.welcome.memory.click)
    program.frame()
    assert not program.welcome.advice(program.viewer.can_be_disturbed)
    assert not Welcome(memory_path()).advice(True), "nor at the next start"


def test_the_gallery_leads_to_another_world_and_f3_hides_and_shows_it(program, user):
    until(program.frame, lambda: len(program.panel.gallery.places) == 8)
    for x, y, width, height in program.panel.gallery.places.values():
        assert x >= 0 and x + width <= 960 and y > 270 and y + height <= 540, "cards lie in the lower half"
    x, y, width, height = program.panel.gallery.places["pool"]
    user.click(*at(program, x + 0.5 * width, y + 0.5 * height))
    until(program.frame, lambda: settings(program)["preset"] == "pool" and program.viewer.title.startswith("A pool"))
    assert program.viewer.view.sun_elevation == 52.0
    user.key("F3")
    until(program.frame, lambda: not program.welcome.shown)
    user.key("F3")
    until(program.frame, lambda: program.welcome.shown)
    assert not Welcome(memory_path(), opens_gallery=True).shown, "it opens by itself only once"
