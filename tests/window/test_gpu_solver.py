"""A real window whose water is computed by the GPU."""

import numpy as np
import pytest
from support.coast import COAST
from support.screen import until

from waterview.core.commands import AddBody, Pause, SetParameter, SetRain, usual_drop
from waterview.core.grid import widest_water
from waterview.gpu.loop import FrameLoop
from waterview.gpu.water import GpuWaveWater, gpu_models
from waterview.render.gl.gpu_frame import GpuFrame
from waterview.render.settings import ViewParams
from waterview.scene.navigator import Navigator
from waterview.scene.replay import simulating
from waterview.scene.scene import Scene, SceneParams
from waterview.terrain.library import resolve
from waterview.ui.window import WindowProgram, open_window

SIZE = (480, 300)


@pytest.fixture
def program(screen):
    terrains = [COAST, resolve("basin")]
    window = open_window("waterview test", SIZE)
    try:
        scene = Scene(terrains[0].load(), SceneParams(grid=128), {"damping": 0.5}, models=gpu_models(window.ctx))
        with simulating(scene, None, None, FrameLoop) as loop:
            program = WindowProgram(window, loop, ViewParams(quality="low"), Navigator(scene, terrains))
            try:
                program.frame()
                with loop:
                    yield program
            finally:
                program.release()
    finally:
        window.destroy()


def test_a_drop_runs_over_the_gpu_and_is_seen(program):
    until(program.frame, lambda: isinstance(program.viewer.frame, GpuFrame))
    frame = program.viewer.frame
    assert program.window.ctx.error == "GL_NO_ERROR"
    still = program.picture()
    program.loop.post(usual_drop(frame.grid, *widest_water(frame.grid, frame.fixed), 3.0))
    until(program.frame, lambda: program.viewer.frame.time > frame.time + 0.3)
    assert np.abs(program.viewer.frame.heights).max() > 1e-3
    assert np.mean(program.picture() != still) > 0.01


def test_a_click_is_in_the_next_frame_even_while_time_stands_still(program, user):
    program.loop.post(Pause(True))
    until(program.frame, lambda: program.loop.paused)
    frame = program.viewer.frame
    x, z = widest_water(frame.grid, frame.fixed)
    px, py, _ = program.viewer.camera.project((x, frame.grid.level, z), program.window.size)
    left, top = program.window.position
    user.click(left + px, top + py)
    until(program.frame, lambda: np.any(program.viewer.frame.heights))


def test_terrains_parameters_and_sessions_go_on_on_the_gpu(program, user):
    bed = program.viewer.frame.bed
    user.key("t")
    until(program.frame, lambda: program.viewer.frame.bed is not bed)
    program.loop.post(SetParameter("damping", 2.0))
    program.loop.post(SetRain(30.0))
    until(program.frame, lambda: np.any(program.viewer.frame.heights))
    user.key("F5")
    until(program.frame, program.autosave.saved.exists)
    bed = program.viewer.frame.bed
    user.key("F9")
    until(program.frame, lambda: program.viewer.frame.bed is not bed)
    assert isinstance(program.viewer.frame, GpuFrame)
    assert program.viewer.frame.params.damping == 2.0
    program.picture()


def test_what_the_gpu_cannot_do_is_reported_and_all_goes_on(program, user):
    problems = []
    program.hud.notify = problems.append
    program.loop.post(AddBody("sphere", 500.0, 0.0, 0.0))
    until(program.frame, lambda: any("no floating bodies" in text for text in problems))
    user.key("Tab")
    until(program.frame, lambda: any("dual-buffer" in text and "--solver cpu" in text for text in problems))
    program.loop.post(SetParameter("border", "open"))
    until(program.frame, lambda: any("border 'open'" in text for text in problems))
    time = program.viewer.frame.time
    until(program.frame, lambda: program.viewer.frame.time > time)


def test_a_failing_gpu_ends_the_program_with_its_reason(program, monkeypatch):
    def broken(self, *arguments, **more):
        raise ZeroDivisionError("broken on purpose")

    monkeypatch.setattr(GpuWaveWater, "publish", broken)
    with pytest.raises(Exception, match="broken on purpose"):
        until(program.frame, lambda: False)
    monkeypatch.undo()
