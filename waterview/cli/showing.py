"""What `waterview view` does: the window first, the scene meanwhile, a preview of it at once, then the real thing."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field, replace
from functools import partial
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING

from waterview.core.errors import DisplayError
from waterview.core.params import Value
from waterview.scene.arguments import parse_size

from .signals import EndSignals

if TYPE_CHECKING:
    from moderngl import Context
    from moderngl_window.context.glfw.window import Window

    from waterview.core.commands import Drop
    from waterview.core.frame import Frame
    from waterview.output.recording import Recording
    from waterview.render.shot import Shot
    from waterview.scene.scene import Scene
    from waterview.sim.loop import Simulation
    from waterview.waters.common.water import Water

    from .starting import Start


@dataclass(frozen=True)
class Wish:
    """What the arguments of `waterview view` ask for, and what is shown without any."""

    heightmap: str | None = None
    window_size: str = "1280x720"
    fps_limit: float = 60.0
    exit_after: float | None = None
    without_display: Path | None = None
    camera: str | None = None
    camera_path: str | None = None
    bodies: tuple[str, ...] = ()
    preset: str | None = None
    record: Path | None = None
    replay: Path | None = None
    solver: str = "cpu"
    declared: Mapping[str, Value] = field(default_factory=dict)


@dataclass(frozen=True)
class _Found:
    """What was read from files for a wish."""

    start: Start
    shot: Shot
    recording: Recording | None


def show(wish: Wish) -> None:
    """Open the window and stay until it is closed.

    While the window is made, which takes the graphics driver a while, another thread reads the scene.

    Raises:
        InputError: a value is not allowed or a file cannot be read.
        DisplayError: there is no window to be had.
    """
    from waterview.ui.glfw_window import open_window

    signals = EndSignals()
    size = parse_size("--window-size", wish.window_size)
    with ThreadPoolExecutor(1) as reader:
        finding = reader.submit(_find, wish)
        try:
            window = open_window("waterview", size)
        except DisplayError as error:
            found = finding.result()
            if wish.without_display is None:
                raise
            unrecorded = "" if wish.record is None else ", and nothing is recorded"
            print(f"waterview: {error}; drawing into {wish.without_display}/ instead{unrecorded}", file=sys.stderr)
            _draw_instead(found, wish.without_display, wish.solver)
            return
        try:
            _show_in(window, wish, finding.result(), signals)
        finally:
            window.destroy()


def _find(wish: Wish) -> _Found:
    from .starting import check, check_replay, check_solver, shot_from, start_from

    check("--fps-limit", wish.fps_limit, 1.0, 1000.0)
    if wish.exit_after is not None:
        check("--exit-after", wish.exit_after, 0.0, 1e9)
    start = start_from(wish.heightmap, wish.preset, wish.bodies, wish.declared)
    check_replay(wish.replay, wish.bodies)
    check_solver(wish.solver, start, wish.record, wish.replay)
    shot = shot_from("--window-size", wish.window_size, wish.camera, start, wish.camera_path)
    recording = None if wish.replay is None else _recording(wish.replay)
    for needed_next in ("waterview.scene.replay", "waterview.render.preview", "waterview.render.camera.camera"):
        import_module(needed_next)
    return _Found(start, shot, recording)


def _recording(path: Path) -> Recording:
    from waterview.output.recording import read_recording

    return read_recording(path)


def _show_in(window: Window, wish: Wish, found: _Found, signals: EndSignals) -> None:
    from waterview.scene.navigator import Navigator
    from waterview.scene.replay import simulating
    from waterview.terrain.library import bundled
    from waterview.ui.glfw_window import title_of

    start, shot, recording = found.start, found.shot, found.recording
    window.title = title_of(start.scene.heightmap.title)
    scene, kind = _solved_by(wish.solver, start.scene, window.ctx)
    others = [source for source in bundled().values() if source.path != start.terrain.path]
    navigator = Navigator(scene, [start.terrain, *others], None if start.preset is None else start.preset.name)
    with simulating(scene, wish.record, recording, kind) as simulation:
        aim = shot.aim if recording is None else None
        _draw_preview(window, simulation.latest(), replace(shot, aim=aim))
        signals.check()

        from waterview.bodies.precompile import BodyKernels
        from waterview.ui.window import WindowProgram

        program = WindowProgram(
            window, simulation, shot.view, navigator, aim, wish.fps_limit, wish.exit_after, signals.check, shot.flight
        )
        program.viewer.interaction = program.viewer.interaction.changed(**_of_hand(start))
        for drop in start.drops if recording is None else ():
            simulation.post(drop)
        simulation.prepare(BodyKernels())
        # The first picture comes before the kernels are loaded or compiled: still water needs none.
        program.frame()
        with simulation:
            program.run()


def _of_hand(start: Start) -> dict[str, Value]:
    from waterview.scene.interaction import InteractionParams

    from .starting import part

    return part(InteractionParams, start.settings)


def _draw_preview(window: Window, frame: Frame, shot: Shot) -> None:
    """Show something at once: the real picture waits for its shaders, and the text in it for its fonts."""
    from waterview.render.preview import ScenePreview

    preview = ScenePreview(window.ctx)
    preview.draw(frame, shot.camera(frame), window.buffer_size, window.ctx.screen)
    window.swap_buffers()
    preview.release()


def _solved_by(solver: str, scene: Scene, ctx: Context) -> tuple[Scene, type[Simulation]]:
    """`scene` computed by `solver`, and the simulation that can step it."""
    from waterview.sim.loop import Simulation

    if solver == "cpu":
        return scene, Simulation
    from waterview.gpu.loop import FrameLoop
    from waterview.gpu.water import card_models

    return replace(scene, models=card_models(ctx)), FrameLoop


def _draw_instead(found: _Found, folder: Path, solver: str) -> None:
    """A picture and a short sequence: what the window would have shown after a click, or of the recording."""
    from waterview.core.commands import TimedDrop
    from waterview.output import offline as headless
    from waterview.scene.replay import play

    from .starting import solved_without_window

    with solved_without_window(solver, found.start.scene, found.shot) as (scene, shot):
        drops = [TimedDrop(drop) for drop in (*found.start.drops, *_click(scene.make_water()))]
        for out, seconds, frames_per_second in (
            (folder / "waterview.png", 1.0, 1.0),
            (folder / "frame_%04d.png", 2.0, 6.0),
        ):
            if found.recording is None:
                paths = headless.write(scene.make_world(), out, seconds, frames_per_second, drops, shot)
            else:
                paths = headless.write_replay(partial(play, found.recording), out, frames_per_second, shot)
            for path in paths:
                print(path)


def _click(water: Water) -> tuple[Drop, ...]:
    """The drop of a click into the middle of the water, where it is one that can be touched."""
    from waterview.core.commands import usual_drop
    from waterview.core.shore import widest_water

    if not water.can_be_disturbed:
        return ()
    return (usual_drop(water.grid, *widest_water(water.grid, water.fixed)),)
