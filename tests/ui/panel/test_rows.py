"""The panel as plain values: what it shows for a state, and how it corrects what is typed."""

import importlib
import math
import pkgutil
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
import pytest
from support.scenes import make_frame

import waterview
from waterview.cli import run
from waterview.cli.options import declared_parameters, offered_parameters
from waterview.core.diagnostics import Totals
from waterview.core.params import Params, declaration, declarations, param, prefixed_declarations
from waterview.render.settings import ViewParams
from waterview.scene.interaction import InteractionParams
from waterview.scene.navigator import Navigator, StartParams
from waterview.scene.scene import Scene, SceneParams
from waterview.scene.sections import in_sections
from waterview.sim.playback import PlaybackParams
from waterview.sim.world import WORLD_PARAMS, World, world_declarations
from waterview.terrain.library import resolve
from waterview.terrain.options import TerrainOptions
from waterview.ui.hud.text import effective_value, help_lines
from waterview.ui.imgui_layer import KEYS
from waterview.ui.keys import key_label
from waterview.ui.panel.memory import PanelMemory, read_memory, write_memory
from waterview.ui.panel.plots import History
from waterview.ui.panel.rows import Row, describe
from waterview.waters import MODELS
from waterview.waters.common.water import WaterParams


@dataclass(frozen=True, kw_only=True)
class Tuned(WaterParams):
    wave_speed: float = param(
        20.0,
        unit="m/s",
        low=0.0,
        high=1e4,
        step=2.0,
        scale="log",
        smallest=0.01,
        keys=("down", "up"),
        doc="How fast waves run.",
    )
    share: float = param(0.5, unit="%", low=0.25, high=0.75, step=0.1, doc="A share.")
    count: int = param(3, low=1, high=9, step=1, doc="How many.")
    seed: int = param(0, low=0, high=2**31 - 1, doc="Chance.")
    border: str = param("zero", choices=("zero", "open"), doc="The border.")
    quiet: bool = param(False, doc="No sound.")


class State:
    def __init__(self, frame, params, scenes=None):
        self.frame, self.params = frame, params
        self.view, self.interaction = ViewParams(), InteractionParams()
        self.world_params = frame.world_params
        self._scenes = scenes

    def scene_settings(self):
        return self._scenes.settings() if self._scenes else []


def rows(state):
    return {row.key: row for group in describe(state) for row in group.rows}


def row(name, value=None):
    entry = declaration(Tuned, name)
    return Row("params", entry, entry.default if value is None else value)


@pytest.fixture
def state():
    return State(make_frame(params=Tuned()), Tuned())


def test_every_declared_parameter_is_a_row_of_its_group(state):
    shown = rows(state)
    for owner, params in (("params", Tuned), ("view", ViewParams), ("interaction", InteractionParams)):
        for entry in declarations(params):
            assert shown[f"{owner}.{entry.name}"].value == entry.default


def test_rows_know_what_they_are_changed_with():
    kinds = {entry.name: row(entry.name).kind for entry in declarations(Tuned)}
    assert kinds == {
        "steps_per_second": "number",
        "wave_speed": "number",
        "share": "number",
        "count": "whole",
        "seed": "typed",
        "border": "choice",
        "quiet": "check",
    }
    assert row("wave_speed").logarithmic and not row("share").logarithmic
    assert row("share").bounds == (0.25, 0.75)


@pytest.mark.parametrize(
    ("name", "value", "text"),
    [
        ("wave_speed", 20.0, "20.00 m/s"),
        ("share", 0.3333333, "0.3333 %"),
        ("count", 4, "4"),
    ],
)
def test_values_are_written_with_their_unit(name, value, text):
    assert row(name).pattern % value == text


def test_the_tooltip_says_what_it_means_and_what_is_allowed():
    text = row("wave_speed").tooltip
    for part in ("How fast waves run.", "0 to 10000 m/s", "double-click for 20", "↓ / ↑"):
        assert part in text
    assert "At first: zero" in row("border").tooltip


def test_the_effective_value_is_reported_only_where_it_differs():
    params = Tuned(wave_speed=900.0)
    frame = make_frame(params=params, effective={"wave_speed": 400.0, "share": 0.5})
    shown = rows(State(frame, params))
    assert shown["params.wave_speed"].effective_text == "effective 400 m/s"
    assert shown["params.share"].effective_text == ""
    # The frame belongs to an older request: no false alarm.
    assert effective_value(declaration(Tuned, "wave_speed"), Tuned(wave_speed=800.0), frame) is None


@pytest.mark.parametrize(
    ("name", "wish", "kept", "noted"),
    [
        ("wave_speed", 12.3456789, 12.346, False),
        ("wave_speed", 1e9, 1e4, True),
        ("wave_speed", -3.0, 0.0, True),
        ("wave_speed", 0.004, 0.0, False),
        ("wave_speed", math.nan, 20.0, True),
        ("wave_speed", math.inf, 20.0, True),
        ("share", 0.0, 0.25, True),
        ("count", 77, 9, True),
        ("count", 5, 5, False),
        ("quiet", True, True, False),
        ("border", "open", "open", False),
    ],
)
def test_what_is_typed_is_corrected_into_the_range_with_a_note(name, wish, kept, noted):
    value, note = row(name).corrected(wish)
    assert value == pytest.approx(kept) if isinstance(kept, float) else value == kept
    assert bool(note) is noted
    assert declaration(Tuned, name).check(value) == value
    assert not noted or declaration(Tuned, name).allowed in note


def test_every_bound_of_every_declaration_survives_its_own_correction():
    for params in every_params_class():
        for entry in declarations(params):
            for value in (entry.low, entry.high, entry.default):
                if value is not None:
                    kept, note = Row("params", entry, entry.default).corrected(value)
                    assert (kept, note) == (pytest.approx(value), "") if entry.kind is float else kept == value
                    entry.check(kept)


def test_the_end_of_a_slider_is_no_number_out_of_range():
    for params in every_params_class():
        for entry in declarations(params):
            for bound in (entry.low, entry.high):
                if bound is not None and entry.kind is float:
                    end = float(np.float32(bound))  # what a slider of single precision gives there
                    kept, note = Row("params", entry, entry.default).corrected(end)
                    assert (kept, note) == (pytest.approx(bound), "")
                    entry.check(kept)


# Reachability: every declared parameter by flag, and by key or panel, and documented


def viewer_of(model):
    terrain = resolve("basin")
    scene = Scene(terrain.load(), SceneParams(grid=8, model=model))
    water = scene.make_water()
    return State(World(water).publish_still(), water.params, Navigator(scene, [terrain]))


def panel_of(model):
    return rows(viewer_of(model))


def name_of(row):
    """The name of a row's parameter among all parameters."""
    return f"{row.owner}_{row.entry.name}" if row.owner in WORLD_PARAMS else row.entry.name


def every_params_class():
    """Every set of parameters that the package declares, found in its modules."""
    for module in pkgutil.walk_packages(waterview.__path__, "waterview."):
        if not module.name.endswith("__main__"):
            importlib.import_module(module.name)
    found, new = set(), {Params}
    while new:
        new = {child for known in new for child in known.__subclasses__() if child.__module__.startswith("waterview.")}
        found |= new
    return found


def test_no_set_of_parameters_is_forgotten():
    # Other tests walk these names: a class declared anywhere in the package must be among them, one way or another.
    reached = {entry.name for entry in (*declared_parameters(), *declarations(InteractionParams))}
    shown = {name_of(row) for model in MODELS for row in panel_of(model).values()}
    shown |= {row.entry.name for row in rows(State(make_frame(params=PlaybackParams()), PlaybackParams())).values()}
    classes = every_params_class()
    assert {
        *WORLD_PARAMS.values(),
        ViewParams,
        SceneParams,
        InteractionParams,
        *(m.Params for m in MODELS.values()),
    } <= classes
    for params in classes:
        owners = [owner for owner, of_it in WORLD_PARAMS.items() if of_it is params]
        entries = prefixed_declarations(owners[0], params) if owners else declarations(params)
        for entry in entries:
            assert entry.name in shown, f"{params.__name__}.{entry.name} is not in the panel"
            # What a scene is begun from is an argument of the commands, and an option with names of its own. How a
            # recording is played is chosen while it plays.
            assert entry.name in reached or params in (StartParams, PlaybackParams), (
                f"{params.__name__}.{entry.name} is no flag"
            )


def test_no_two_sets_of_parameters_share_a_name_for_different_things():
    models = {entry.name for model in MODELS.values() for entry in declarations(model.Params)}
    others = [
        entry.name
        for params in (SceneParams, TerrainOptions, ViewParams, InteractionParams)
        for entry in declarations(params)
    ]
    beside = [entry.name for entry in world_declarations()]
    assert len(set(beside)) == len(beside)
    assert not set(beside) & (models | set(others))
    # A command goes by the first word of a name: no model may have a parameter that begins like these.
    assert not [name for name in models if name.partition("_")[0] in WORLD_PARAMS]


@pytest.mark.parametrize("model", MODELS)
def test_every_parameter_is_reached_by_flag_and_panel_and_is_documented(model):
    in_panel = {name_of(row) for row in panel_of(model).values()}
    others = {entry.name for other in MODELS.values() for entry in declarations(other.Params)}
    own = {entry.name for entry in declarations(MODELS[model].Params)}
    for entry in (*declared_parameters(), *declarations(InteractionParams)):
        if entry.name in own or entry.name not in others:
            assert entry.name in in_panel, f"{entry.name} is not in the panel"
        assert entry.doc.endswith("."), f"{entry.name} is not documented"


def test_every_parameter_is_a_flag_and_stands_in_the_documentation(capfd, monkeypatch):
    monkeypatch.setenv("COLUMNS", "200")
    assert run(["view", "--help-all"]) == 0
    help_text = capfd.readouterr().out
    page = (Path(__file__).parents[3] / "docs" / "parameters.md").read_text(encoding="utf-8")
    for entry in (*declared_parameters(), *declarations(InteractionParams)):
        assert entry.flag in help_text, f"{entry.flag} is no flag"
        assert f"`{entry.flag}" in page, f"{entry.flag} is not in docs/parameters.md"


@pytest.mark.parametrize("model", MODELS)
def test_the_panel_and_the_help_have_the_same_sections(model):
    in_help = {entry.name: title for title, own in in_sections(offered_parameters()).items() for entry in own}
    for group in describe(viewer_of(model)):
        for row in group.rows:
            name = name_of(row)
            if name == "seed" and row.owner == "params":  # one flag gives it to the scene and to the model
                continue
            assert in_help.get(name, group.title) == group.title, name


def test_every_key_of_a_parameter_stands_in_the_help():
    shown = {
        keys for keys, _ in help_lines((ViewParams, InteractionParams, *(model.Params for model in MODELS.values())))
    }
    for params in (ViewParams, InteractionParams, *(model.Params for model in MODELS.values())):
        for entry in declarations(params):
            if entry.keys is not None:
                assert f"{key_label(entry.keys[1])} / {key_label(entry.keys[0])}" in shown


def test_the_water_level_is_a_world_height_that_suits_the_terrain():
    shown = panel_of("wave-equation")["scene.water_level"]
    assert not shown.slow
    assert shown.bounds == pytest.approx((-2.0, 1.75))
    assert shown.value == 0.0


def test_choices_of_the_scene_are_those_there_are():
    shown = panel_of("wave-equation")
    assert set(shown["scene.preset"].entry.choices) >= {"none", "pool"}
    assert shown["scene.terrain"].value in shown["scene.terrain"].entry.choices
    assert shown["scene.model"].entry.choices == tuple(MODELS)


# Plots


def test_plots_show_frames_steps_and_what_the_water_publishes():
    history = History()
    frame = make_frame()
    assert history.plots() == []
    for number in range(3):
        history.note(replace(frame, serial=number), 0.016, 120.0)
    assert [plot.title for plot in history.plots()] == ["time of a frame 16.0 ms", "steps a second 120"]
    for number in range(3, 6):
        history.note(replace(frame, serial=number, totals=Totals(0.25, 2.0, 3.0)), 0.02, 120.0)
    titles = [plot.title for plot in history.plots()]
    assert titles[2:] == ["mean level 0.25 m", "energy 5 J"]
    assert all(plot.values.dtype == np.float32 for plot in history.plots())
    history.note(replace(frame, serial=9), 0.02, 120.0)
    assert len(history.plots()) == 2


# Memory and keys


def test_it_remembers_and_forgets_without_an_error(tmp_path):
    path = tmp_path / "deep" / "panel.json"
    memory = PanelMemory(True, 10.0, 20.0, 300.0, 400.0, ("Plots",), 1.5)
    assert read_memory(path) == PanelMemory()
    assert write_memory(memory, path)
    assert read_memory(path) == memory
    (tmp_path / "file").write_text("")
    assert not write_memory(memory, tmp_path / "file" / "panel.json")


def test_a_memory_that_cannot_be_written_whole_leaves_the_one_before(tmp_path, monkeypatch):
    path = tmp_path / "panel.json"
    write_memory(PanelMemory(x=3.0), path)

    def fails(*places):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("os.replace", fails)
    assert not write_memory(PanelMemory(x=5.0), path)
    assert read_memory(path).x == 3.0


@pytest.mark.parametrize(
    "text",
    [
        "",
        "[]",
        "{}",
        "nonsense",
        '{"shown": true, "x": "left"}',
        '{"shown": true, "x": NaN, "y": 0, "width": 0, "height": 0, "closed": []}',
        f'{{"shown": true, "x": {"9" * 400}, "y": 0, "width": 0, "height": 0, "closed": []}}',
        '{"shown": true, "x": -1e9, "y": 0, "width": 0, "height": 0, "closed": []}',
        '{"shown": true, "x": 0, "y": 0, "width": 0, "height": 0, "closed": 3}',
        '{"shown": true, "x": 0, "y": 0, "width": 0, "height": 0, "closed": [], "text_scale": 99}',
        '{"shown": true, "x": 0, "y": 0, "width": 0, "height": 0, "closed": [], "text_scale": "large"}',
    ],
)
def test_a_damaged_memory_is_as_none(tmp_path, text):
    path = tmp_path / "panel.json"
    path.write_text(text)
    assert read_memory(path) == PanelMemory()


def test_a_memory_of_older_versions_has_text_of_the_usual_size(tmp_path):
    path = tmp_path / "panel.json"
    path.write_text('{"shown": true, "x": 1, "y": 2, "width": 3, "height": 4, "closed": []}')
    assert read_memory(path) == PanelMemory(True, 1.0, 2.0, 3.0, 4.0, ())


def test_keys_that_text_fields_need_are_known():
    import glfw
    from imgui_bundle import imgui

    assert KEYS[glfw.KEY_LEFT] == imgui.Key.left_arrow
    assert KEYS[glfw.KEY_BACKSPACE] == imgui.Key.backspace
    assert KEYS[glfw.KEY_KP_ENTER] == imgui.Key.keypad_enter
    assert KEYS[glfw.KEY_A] == imgui.Key.a
    assert KEYS[glfw.KEY_7] == imgui.Key._7
    assert KEYS[glfw.KEY_LEFT_CONTROL] == imgui.Key.left_ctrl
