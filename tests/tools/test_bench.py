"""`waterview bench`: what it measures, tells and writes. How fast anything is, no test asks."""

import json
from contextlib import contextmanager

import numpy as np
import pytest

from waterview.cli import run
from waterview.core.errors import DisplayError
from waterview.tools import bench
from waterview.waters.common.borders import BORDER_KINDS
from waterview.waters.wave.step import STENCILS


@pytest.fixture(autouse=True)
def _quick(monkeypatch):
    monkeypatch.setattr(bench, "TURN", 0.0)
    monkeypatch.setattr(bench, "PICTURE", (64, 36))
    monkeypatch.setenv("COLUMNS", "150")


@pytest.mark.slow
def test_every_stencil_border_and_shore_is_told_and_written(tmp_path, capfd):
    file = tmp_path / "figures.json"
    assert run(["bench", "--grid", "16", "--grid", "33", "--threads", "1", "--turns", "1", "--json", str(file)]) == 0
    figures = json.loads(file.read_text())
    names = ("grid", "stencil", "border", "shore", "motion")
    cases = {tuple(each[name] for name in names) for each in figures["results"]}
    shores = [*((kind, "zero", "heights") for kind in BORDER_KINDS), ("zero", "no-flux", "heights")]
    shores.append(("reflecting", "zero", "velocity"))
    assert cases == {(n, stencil, *shore) for n in (16, 33) for stencil in STENCILS for shore in shores}
    assert len(figures["results"]) == len(cases)
    for each in figures["results"]:
        assert each["threads"] == 1 and each["gcups"] > 0.0
        (limit,) = (memory["gcups"] for memory in figures["memory"] if memory["grid"] == each["grid"])
        assert each["roofline"] == pytest.approx(each["gcups"] / limit)
    assert [frame["grid"] for frame in figures["frames"]] == [16, 33]
    assert all(frame["publish_ms"] > 0.0 and frame["draw_ms"] > 0.0 for frame in figures["frames"])
    models = [(each["grid"], each["model"]) for each in figures["models"]]
    assert models == [(n, name) for n in (16, 33) for name in ("wave-equation", "dual-buffer", "height-field")]
    assert all(each["gcups"] > 0.0 for each in figures["models"])
    out, _ = capfd.readouterr()
    assert "whole steps of 33²" in out
    assert all(word in out for word in (*STENCILS, *BORDER_KINDS, "16², 1 thread", "memory", "frame of 33²"))


def test_without_opengl_no_time_of_drawing_is_told(monkeypatch):
    @contextmanager
    def none():
        raise DisplayError("no OpenGL")
        yield

    monkeypatch.setattr("waterview.render.offscreen.opengl", none)
    assert bench.frame_costs(16, turns=1)["draw_ms"] is None


def test_work_is_repeated_until_a_turn_is_long_enough(monkeypatch):
    """Three turns of ten, after one to compile and one to see how long it takes."""
    now = [0.0]
    monkeypatch.setattr(bench.time, "perf_counter", lambda: now[0])
    monkeypatch.setattr(bench, "TURN", 1.0)
    times = iter([9.0, 0.125, *[0.125] * 8, *[0.5] * 8, *[0.25] * 8])

    def work():
        now[0] += next(times)

    assert bench.median_time(work, turns=3) == 0.25
    assert next(times, None) is None


def test_the_scene_has_some_land_and_water_that_moves():
    heights, fixed = bench.scene(256)
    assert 0.04 < fixed.mean() < 0.08
    assert not heights[fixed].any() and (heights[~fixed] != 0.0).all()
    assert np.abs(heights).max() <= 0.1


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("--grid", "15"), "--grid 15: allowed are whole numbers from 16 to 8192"),
        (("--grid", "8193"), "--grid 8193"),
        (("--grid", "wide"), "--grid"),
        (("--threads", "0"), "--threads 0: allowed are whole numbers from 1 to"),
        (("--threads", "4096"), "--threads 4096"),
        (("--turns", "0"), "--turns 0: allowed are whole numbers from 1 to 1000"),
        pytest.param(
            ("--grid", "16", "--threads", "1", "--turns", "1", "--json", "/proc/nowhere/a.json"),
            "cannot write the figures",
            marks=pytest.mark.slow,
        ),
    ],
)
def test_a_wrong_value_is_one_line_and_exit_code_2(arguments, words, capfd):
    assert run(["bench", *arguments]) == 2
    _, err = capfd.readouterr()
    assert words in err
    assert err.count("\n") == 1
