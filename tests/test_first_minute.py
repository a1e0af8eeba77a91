"""The script of the film of the first minute: it names what there is, waits for it, and ends loudly where it cannot."""

from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace

import pytest
from support.scenes import make_frame
from support.scripts import script

from waterview.core.params import declarations
from waterview.render.settings import ViewParams
from waterview.scene.interaction import InteractionParams
from waterview.scene.presets import find_preset, preset_previews
from waterview.ui.hud.toolbar import BUTTONS, TOOLS
from waterview.ui.keys import ACTIONS
from waterview.waters.wave.wave_equation import WaveEquationWater


@pytest.fixture(scope="module")
def minute():
    with script("first_minute") as module:
        yield module


@pytest.fixture
def events(minute):
    return [minute.Event.parse(line) for line in minute.EVENTS.splitlines() if line]


def test_twelve_screenshots_are_taken_in_their_order_while_it_films(events):
    shots = [event.words[0] for event in events if event.what == "shot"]
    assert [name[:3] for name in shots] == [f"{number:02d}-" for number in range(1, 13)]
    film = [number for number, event in enumerate(events) if event.what == "key" and "F10" in event.words]
    places = [number for number, event in enumerate(events) if event.what == "shot"]
    assert len(film) == 2 and film[0] < places[0] and places[-1] < film[1]
    assert ("film", "off") in [wait for event in events[film[1] :] for wait in event.waits]


def test_all_that_is_pressed_and_waited_for_exists(minute, events):
    keys = {key for action in ACTIONS for key in action.keys}
    for params in (WaveEquationWater.Params, ViewParams, InteractionParams):
        keys |= {key for entry in declarations(params) for key in entry.keys or ()}
    buttons, gallery = {button.name for button in BUTTONS}, {preview.name for preview in preset_previews()}
    for event in events:
        assert event.what in {"key", "shot", "point", "click", "drag", "turn", "wheel"}
        for name, argument in event.waits:
            assert name == "seconds" or name in minute.STATES, event
            assert name != "tool" or argument in TOOLS
            assert name != "preset" or find_preset(argument).in_gallery
        for word in event.words:
            kind, _, name = word.rpartition(":")
            assert not kind or name in {"button": buttons, "preset": gallery}[kind], event
            if event.what == "key":
                assert {"escape": "esc"}.get(word.lower(), word.lower()) in keys, event
            elif event.what in {"point", "click", "drag", "turn"} and not kind:
                assert all(0.0 < float(share) < 1.0 for share in word.split(",")), event


def make_program(frame=None):
    """A program that has nothing but what is asked of it."""
    viewer = SimpleNamespace(frame=frame or make_frame(), title="", scene_settings=list)
    return SimpleNamespace(
        viewer=viewer,
        loop=SimpleNamespace(preparing="compiling the water: kernel 3 of 9"),
        film=SimpleNamespace(on=False),
        panel=SimpleNamespace(shown=False),
        window=SimpleNamespace(position=(0, 0), size=(100, 100)),
    )


def hand(minute, program, lines, done, **options):
    events = [minute.Event.parse(line) for line in lines]
    return iter(minute.Hand(program, events, Path("shots"), do=lambda *words: done.append(words), **options))


def test_an_event_waits_for_its_state_however_long_that_takes(minute):
    program, done = make_program(), []
    playing = hand(minute, program, ["film on  key F2", "panel open  key Escape"], done, clock=lambda: 0.0)
    for _ in range(100):
        next(playing)
    assert done == []
    program.film.on = True
    for _ in range(100):
        next(playing)
    assert done == [("key", "F2")]
    program.panel.shown = True
    assert list(playing) == [] and done[-1] == ("key", "Escape")


def test_seconds_are_those_of_the_water_since_the_last_event_and_those_of_a_new_one_from_its_start(minute):
    first, second = make_frame(), make_frame()
    program, done = make_program(replace(first, time=5.0)), []
    playing = hand(minute, program, ["seconds 2  key F2", "seconds 2  key F3"], done, clock=lambda: 0.0)

    def at(frame, time):
        program.viewer.frame = replace(frame, time=time)
        for _ in range(10):
            next(playing, None)
        return len(done)

    assert [at(first, time) for time in (5.0, 6.9, 7.0, 8.9)] == [0, 0, 1, 1]
    assert [at(second, time) for time in (1.9, 2.0)] == [1, 2]


def test_what_never_comes_ends_it_and_is_told_with_what_the_program_is_doing(minute):
    now = iter(range(10_000))
    playing = hand(minute, make_program(), ["film on  shot 01-film"], [], patience=60.0, clock=lambda: next(now))
    with pytest.raises(TimeoutError, match=r"60 s of waiting for 'film on' before shot 01-film: compiling .* 3 of 9"):
        list(playing)
