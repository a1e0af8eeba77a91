"""Gauges in a real window: set with a real key, listed in the panel, with the bits of other programs."""

from dataclasses import replace

import numpy as np
import pytest
from support.screen import shown, until

from waterview.cli import run
from waterview.core.commands import AddGauge, Drop, Pause, SetMeasured
from waterview.core.series import read_series
from waterview.scene.arguments import GaugePlace
from waterview.scene.scene import Scene, SceneParams
from waterview.terrain.library import resolve

SETTINGS = {"damping": 0.5}
PLACES = (GaugePlace("west", -3.0, 1.0), GaugePlace("east", 4.0, -2.0))


def scene(model, gauges=PLACES):
    return Scene(resolve("basin").load(), SceneParams(model=model, grid=48), SETTINGS, gauges=gauges)


def gauges_of(program):
    return program.viewer.frame.gauges


@pytest.mark.parametrize("model", ["wave-equation", "shallow-water"])
def test_window_render_and_python_measure_the_same_bits(screen, tmp_path, model):
    world = scene(model).make_world()
    world.apply(Drop(0.0, 0.0, 0.5, 2.0))
    world.advance(120)
    with shown(scene(model), [resolve("basin")], (480, 360), 0, {0: [Drop(0.0, 0.0, 0.5, 2.0)]}) as program:
        until(program.frame, lambda: len(gauges_of(program)[0].times) > 60)
        window = gauges_of(program)
    out = tmp_path / "a.csv"
    flags = [word for place in PLACES for word in ("--gauge", f"{place.name}:{place.x},{place.z}")]
    how = ["--model", model, "--grid", "48", "--damping", "0.5", "--drop", "0,0,0.5,2", "--seconds", "1"]
    assert run(["render", "basin", *how, *flags, "--out", str(tmp_path / "a.npz"), "--gauges-out", str(out)]) == 0
    table = read_series(out)
    for gauge, seen in zip(world.gauges, window, strict=True):
        shared = min(len(gauge.times), len(seen.times))
        assert shared > 60
        rendered = table.columns[f"{gauge.name} surface"].astype(np.float32)
        for times, surface in ((seen.times, seen.surface), (table.times, rendered)):
            assert np.array_equal(times[:shared], gauge.times[:shared])
            assert np.array_equal(surface[:shared], gauge.surface[:shared])
    assert np.abs(world.gauges["west"].surface).max() > 1e-3


def test_ctrl_g_sets_a_gauge_that_is_marked_plotted_listed_and_removed(screen, user):
    with shown(scene("wave-equation", ()), [resolve("basin")], (640, 480)) as program:
        program.loop.post(Pause(True))
        bare = program.picture().astype(int)
        x, y, _ = program.viewer.camera.project((1.0, program.viewer.frame.grid.level, 1.0), program.window.size)
        left, top = program.window.position
        user.do("mousemove", round(left + x), round(top + y))
        until(program.frame, lambda: program.viewer.pointer.position is not None)
        user.key("ctrl+g")
        until(program.frame, lambda: gauges_of(program))
        (gauge,) = gauges_of(program)
        assert (gauge.x, gauge.z) == (pytest.approx(1.0, abs=0.1), pytest.approx(1.0, abs=0.1))
        program.loop.post(SetMeasured(gauge.name, (0.0, 1.0, 2.0), (0.0, 0.1, 0.0)))
        until(program.frame, lambda: gauges_of(program)[0].measured is not None)
        changed = np.abs(program.picture().astype(int) - bare).max(axis=-1) > 24
        assert changed[round(y) - 26 : round(y), round(x) - 2 : round(x) + 3].any(), "the mark"
        assert changed[60:200, 400:].mean() > 0.2, "the plot"
        program.panel.toggle()
        opened = tuple(title for title in program.panel.memory.closed if title != "Gauges")
        program.panel.memory = replace(program.panel.memory, closed=opened)
        program.picture()
        program.panel.toggle()
        user.key("ctrl+g")
        until(program.frame, lambda: not gauges_of(program))


def test_what_is_refused_is_told(screen):
    with shown(scene("wave-equation"), [resolve("basin")], (480, 360)) as program:
        program.loop.post(AddGauge("west", 0.0, 0.0))
        until(program.frame, lambda: any("two gauges called 'west'" in text for text in program.hud.messages))
        assert len(gauges_of(program)) == 2
