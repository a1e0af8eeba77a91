"""A recording in a real window: the slider, the keys of a player, and a file that is dropped."""

from itertools import combinations

import numpy as np
import pytest
from support.screen import until

FRAMES = 9


@pytest.fixture
def heights(tmp_path):
    """A .npz as `waterview render` writes it: a wave that moves one column a frame."""
    bed = np.full((40, 60), -5.0, np.float32)
    bed[:, 50:] = 4.0
    surface = np.zeros((FRAMES, 40, 60), np.float32)
    for number in range(FRAMES):
        surface[number, :, 10 + number] = 0.5
    path = tmp_path / "wave.npz"
    origin = np.array([-59.0, 0.0, -39.0])
    times = 0.5 * np.arange(FRAMES)
    np.savez(path, heights=surface, times=times, bed=bed, fixed=bed > 0.0, spacing=2.0, origin=origin)
    return path


def test_a_recording_is_played_stepped_dragged_and_brought_to_life(program, user, heights):
    viewer = program.viewer
    viewer.open(heights)
    until(program.frame, lambda: viewer.frame.playback is not None)

    def number():
        return viewer.frame.playback.number

    assert program.hud_line()[:1] == ["playing wave.npz"]
    until(program.frame, lambda: number() >= 2)
    user.key("space")
    until(program.frame, lambda: program.loop.paused)
    for _ in range(10):  # what was published before it stood still arrives
        program.frame()
    here = number()
    user.key("period")
    until(program.frame, lambda: number() == (here + 1) % FRAMES)
    user.key("comma")
    until(program.frame, lambda: number() == here)

    left, top = program.window.position
    x, y, width, height = program.timeline.places["slider"]
    camera = repr(viewer.camera)
    user.do("mousemove", round(left + x + 0.5 * width), round(top + y + 0.5 * height), "mousedown", 1)
    until(program.frame, lambda: number() == FRAMES // 2)
    user.do("mousemove", round(left + x + width - 3), round(top + y + 0.5 * height))
    until(program.frame, lambda: number() == FRAMES - 1)
    user.do("mouseup", 1)
    until(program.frame, lambda: program.timeline.asked is None)
    until(program.frame, lambda: viewer.frame.playback.is_finest and viewer.frame.heights[0, 10 + FRAMES - 1] == 0.5)
    assert repr(viewer.camera) == camera and program.loop.paused, "the scene behind the slider was not touched"

    x, y, width, height = program.timeline.places["loop"]
    user.click(left + x + 0.5 * width, top + y + 0.5 * height)
    until(program.frame, lambda: not viewer.frame.params.loop)

    x, y, width, height = program.timeline.places["live"]
    user.click(left + x + 0.5 * width, top + y + 0.5 * height)
    until(program.frame, lambda: viewer.frame.playback is None)
    program.frame()
    assert program.loop.paused and viewer.frame.time == 0.0
    assert list(program.timeline.places) == ["live"] and viewer.frame.heights[0, 10 + FRAMES - 1] == 0.5
    assert any("live from 4 s of wave.npz" in message for message in program.hud.messages)

    x, y, width, height = program.timeline.places["live"]
    user.click(left + x + 0.5 * width, top + y + 0.5 * height)
    until(program.frame, lambda: viewer.frame.playback is not None and viewer.frame.playback.is_finest)
    assert number() == FRAMES - 1
    program.frame()
    assert "slider" in program.timeline.places


def test_nothing_of_the_timeline_lies_over_another_however_large_text_is_and_small_the_window(program, user, heights):
    viewer = program.viewer
    viewer.open(heights)
    until(program.frame, lambda: viewer.frame.playback is not None)
    for size, scale in (((720, 480), 1.0), ((720, 480), 1.3), ((420, 420), 1.3), ((1000, 480), 1.3)):
        program.window.size = size
        until(program.frame, lambda size=size: program.window.size == size)
        while viewer.interaction.text_scale < scale - 0.01:
            before = viewer.interaction.text_scale
            user.key("ctrl+equal")
            until(program.frame, lambda before=before: viewer.interaction.text_scale > before)
        for _ in range(2):
            program.frame()
        places = program.timeline.places
        assert {"pause", "back", "step", "loop", "live", "slider"} <= places.keys()
        assert sum(name.startswith("frame ") for name in places) == 1 and places["slider"][2] > 100.0
        for x, y, width, height in places.values():
            assert min(x, y) >= 0.0 and x + width <= size[0] and y + height <= size[1]
        for one, other in combinations(places, 2):
            a, b = places[one], places[other]
            across, down = (min(a[k] + a[k + 2], b[k] + b[k + 2]) - max(a[k], b[k]) for k in (0, 1))
            assert min(across, down) <= 0.5, f"{one} {a} lies over {other} {b}"
