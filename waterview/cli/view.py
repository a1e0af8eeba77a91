"""What `waterview view` does: open the window while the scene is read, show a preview, then the water.

It does not import typer, so that the program without arguments starts sooner.
"""

from __future__ import annotations

import sys
import threading
import time
from collections.abc import Callable
from concurrent.futures import Future, wait
from contextlib import nullcontext
from dataclasses import dataclass, replace
from functools import partial
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

from waterview.core.errors import DisplayError, InputError
from waterview.core.params import declarations, values_for
from waterview.scene.arguments import parse_size

from .arguments import ViewArguments
from .end_signals import EndSignals

if TYPE_CHECKING:
    from moderngl import Context
    from moderngl_window.context.glfw.window import Window

    from waterview.core.commands import AddBody, Drop
    from waterview.core.frame import Frame
    from waterview.lakes.remote import StorePath
    from waterview.output.recording import Recording
    from waterview.render.shot import Shot
    from waterview.scene.scene import Scene
    from waterview.sim.loop import Simulation
    from waterview.sim.playback import PlayedWater
    from waterview.waters.common.water import Water

    from .scene_setup import SceneSetup

_T = TypeVar("_T")

_LOOK_SECONDS = 0.01
"""How often the window is looked after while the scene is read [s]."""
_TELL_SECONDS = 1.0
"""After this time the window says that something is read [s]."""
_STEP_SECONDS = 0.3
"""How long a closed window waits for the step under way [s]; one that compiles kernels takes longer."""
_MEASURED_SECONDS = 10.0
"""How long it waits where measurements shall be written [s]."""


@dataclass(frozen=True)
class _Loaded:
    """What was read from files."""

    setup: SceneSetup
    shot: Shot
    recording: Recording | None
    played: PlayedWater | None = None


class _ClosedError(Exception):
    """The window was closed before the water was shown."""


def view(arguments: ViewArguments) -> None:
    """Open the window and run until it is closed.

    Opening takes the graphics driver a while, so another thread reads the scene meanwhile. If the window is closed
    sooner, nobody waits for that thread: a decoder in native code cannot be stopped.

    Raises:
        InputError: a value is not allowed or a file cannot be read.
        DisplayError: no window can be opened.
    """
    from waterview.ui.glfw_window import open_window

    size = parse_size("--window-size", arguments.window_size)
    loading = _started(partial(_load, arguments))
    with EndSignals(raises=False) as signals:
        try:
            window = open_window("waterview", size)
        except DisplayError as error:
            no_window = error
        else:
            try:
                _run_window(window, arguments, _while_open(window, signals, loading), signals)
            except _ClosedError:
                pass
            finally:
                window.destroy()
            return
    loaded = loading.result()
    if arguments.without_display is None:
        raise no_window
    unrecorded = "" if arguments.record is None else ", and nothing is recorded"
    print(f"waterview: {no_window}; drawing into {arguments.without_display}/ instead{unrecorded}", file=sys.stderr)
    _draw_into(loaded, arguments.without_display, arguments)


def _started(work: Callable[[], _T]) -> Future[_T]:
    """What `work` gives or raises, from a thread of its own."""
    future = Future[_T]()

    def run() -> None:
        try:
            future.set_result(work())
        except BaseException as error:  # it goes to whoever asks for the result
            future.set_exception(error)

    threading.Thread(target=run, name="waterview reader", daemon=True).start()
    return future


def _load(arguments: ViewArguments) -> _Loaded:
    from .recording import recording_asked_for
    from .scene_setup import (
        check_added,
        check_keeps,
        check_range,
        check_solver,
        set_up_scene,
        set_up_shot,
    )

    check_range("--fps-limit", arguments.fps_limit, 1.0, 1000.0)
    check_range("--cache", arguments.cache, 16.0, 1e6)
    if arguments.exit_after is not None:
        check_range("--exit-after", arguments.exit_after, 0.0, 1e9)
    path = recording_asked_for(arguments)
    if path is not None:
        return _load_recording(path, arguments)
    if _wants_first_scene(arguments):
        from waterview.scene.presets import FIRST_SCENE

        arguments = replace(arguments, preset=FIRST_SCENE)
    setup = set_up_scene(arguments)
    check_added(arguments)
    check_solver(arguments, setup, arguments.record)
    check_keeps("--record", arguments.record, arguments, setup)
    shot = set_up_shot("--window-size", arguments.window_size, arguments, setup)
    recording = None
    if arguments.replay is not None:
        from waterview.output.recording import read_recording

        recording = read_recording(arguments.replay)
    for needed_soon in ("waterview.scene.replay", "waterview.render.preview", "waterview.render.camera.camera"):
        import_module(needed_soon)
    return _Loaded(setup, shot, recording)


def _load_recording(path: StorePath, arguments: ViewArguments) -> _Loaded:
    from waterview.lakes.played import open_recording
    from waterview.render.prepared_ground import prepare_ground
    from waterview.render.settings import ViewParams
    from waterview.scene.interaction import InteractionParams
    from waterview.sim.playback import PlayedWater

    from .recording import check_played, shot_of_recording
    from .scene_setup import set_up_scene

    check_played(arguments, [ViewParams, InteractionParams], record=arguments.record)
    shot = shot_of_recording("--window-size", arguments.window_size, arguments)
    own = {entry.name for entry in declarations(InteractionParams)}
    kept = {name: value for name, value in arguments.declared.items() if name in own}
    # What T, the panel and the gallery go on from.
    setup = replace(set_up_scene(ViewArguments()), settings=kept)
    return _Loaded(setup, shot, None, PlayedWater(open_recording(path), arguments.cache, prepare=prepare_ground))


def _wants_first_scene(arguments: ViewArguments) -> bool:
    """Whether no other scene is asked for. The graphics card's solver lets no waves in, and gets the plain terrain."""
    asked = arguments.heightmap, arguments.preset, arguments.replay
    return asked == (None, None, None) and arguments.solver == "cpu"


def _run_window(window: Window, arguments: ViewArguments, loaded: _Loaded, signals: EndSignals) -> None:
    from waterview.scene.interaction import InteractionParams
    from waterview.scene.navigator import Navigator
    from waterview.scene.replay import simulating
    from waterview.sim.loop import Simulation
    from waterview.terrain.library import bundled
    from waterview.ui import window_program
    from waterview.ui.glfw_window import title_of

    from .scene_setup import telling_new_folders, write_measurements

    setup, shot, recording, played = loaded.setup, loaded.shot, loaded.recording, loaded.played
    window.title = title_of(setup.scene.heightmap.title if played is None else played.recorded.title)
    scene, kind = _window_solver(arguments.solver, setup.scene, window.ctx)
    # The preset's bodies come as commands: water moves before their kernels, which may have to be compiled.
    scene = replace(scene, bodies=scene.bodies[len(setup.floating) :])
    others = [source for source in bundled().values() if source.path != setup.terrain.path]
    navigator = Navigator(scene, [setup.terrain, *others], None if setup.preset is None else setup.preset.name)
    with (
        telling_new_folders(arguments.record, arguments),
        simulating(scene, arguments.record, recording, kind)
        if played is None
        else nullcontext(Simulation(played)) as simulation,
    ):
        if arguments.maxima_out is not None and simulation.world.maxima is None:
            simulation.world.gather_maxima()
        simulation.patience = _STEP_SECONDS
        aim = shot.aim if recording is None else None
        _draw_preview(window, simulation.latest(), replace(shot, aim=aim))
        # ImGui takes seconds to load on a busy machine.
        program_of_window = _while_open(window, signals, _started(window_program))

        from waterview.bodies.precompile import BodyKernels
        from waterview.ui.welcome import Welcome, memory_path

        program = program_of_window(
            window,
            simulation,
            shot.view,
            navigator,
            aim,
            arguments.fps_limit,
            arguments.exit_after,
            signals.check,
            shot.flight,
            Welcome(memory_path(), opens_gallery=_wants_first_scene(arguments)),
            arguments.cache,
        )
        _check(window, signals)
        own = values_for(InteractionParams, setup.settings)
        program.viewer.interaction = program.viewer.interaction.changed(**own)
        opening: tuple[Drop | AddBody, ...] = (*setup.drops, *setup.floating)
        for command in opening if recording is None else ():
            simulation.post(command)
        simulation.prepare(BodyKernels())
        # The first picture shows still water: it needs no kernel, which may have to be compiled.
        program.frame()
        with simulation:
            program.run()
    simulation.latest()  # raises what ended the loop
    if arguments.gauges_out is None and arguments.maxima_out is None:
        return
    if not simulation.kill(_MEASURED_SECONDS):
        raise InputError("the water was still being made when the window was closed: nothing measured is written")
    with telling_new_folders(None, arguments):
        write_measurements(simulation.world, arguments)


def _while_open(window: Window, signals: EndSignals, loading: Future[_T]) -> _T:
    """What is being loaded, while the window can be closed and says how long it takes.

    Raises:
        _ClosedError, SystemExit: as `_check`.
    """
    from waterview.ui.glfw_window import title_of

    began = time.monotonic()
    while not wait([loading], _LOOK_SECONDS).done:
        _check(window, signals)
        seconds = time.monotonic() - began
        if seconds > _TELL_SECONDS:
            window.title = title_of(f"loading … {seconds:.0f} s")
    return loading.result()


def _check(window: Window, signals: EndSignals) -> None:
    """Take the events that have come.

    Raises:
        _ClosedError: the window was closed.
        SystemExit: a signal asked for the end.
    """
    from waterview.ui.glfw_window import take_events

    take_events()
    signals.check()
    if window.is_closing:
        raise _ClosedError


def _draw_preview(window: Window, frame: Frame, shot: Shot) -> None:
    """Show something at once: the real picture has to wait for its shaders and fonts."""
    from waterview.render.preview import ScenePreview

    preview = ScenePreview(window.ctx)
    preview.draw(frame, shot.camera(frame), window.buffer_size, window.ctx.screen)
    window.swap_buffers()
    preview.release()


def _window_solver(solver: str, scene: Scene, ctx: Context) -> tuple[Scene, type[Simulation]]:
    """`scene` with the models of `solver`, and the class of simulation that steps them."""
    from waterview.sim.loop import Simulation

    if solver == "cpu":
        return scene, Simulation
    from waterview.gpu.loop import FrameLoop
    from waterview.gpu.water import gpu_models

    return replace(scene, models=gpu_models(ctx)), FrameLoop


def _draw_into(loaded: _Loaded, folder: Path, arguments: ViewArguments) -> None:
    """Draw a picture and a short sequence into a folder: the water after a click, or the recording."""
    from waterview.core.commands import TimedDrop
    from waterview.output import offline as headless
    from waterview.scene.replay import play

    if loaded.played is not None:
        from waterview.lakes.played import write_recording

        for path in write_recording(loaded.played.recorded, folder / "waterview.png", loaded.shot):
            print(path)
        return

    from .scene_setup import offscreen_solver, replayed_world, write_measurements

    with offscreen_solver(arguments.solver, loaded.setup.scene, loaded.shot) as (scene, shot):
        drops = [TimedDrop(drop) for drop in (*loaded.setup.drops, *_click_in_the_middle(scene.make_water()))]
        for out, seconds, frames_per_second in (
            (folder / "waterview.png", 1.0, 1.0),
            (folder / "frame_%04d.png", 2.0, 6.0),
        ):
            if loaded.recording is None:
                world = scene.make_world()
                paths = headless.write(world, out, seconds, frames_per_second, drops, shot)
            else:
                world = replayed_world(loaded.recording, arguments)
                paths = headless.write_replay(
                    partial(play, loaded.recording, world=world), out, frames_per_second, shot
                )
            for path in paths:
                print(path)
    write_measurements(world, arguments)


def _click_in_the_middle(water: Water) -> tuple[Drop, ...]:
    """The drop of a click into the middle of the widest water; none where the model has no drops."""
    from waterview.core.commands import usual_drop
    from waterview.core.grid import widest_water

    if not water.can_be_disturbed:
        return ()
    return (usual_drop(water.grid, *widest_water(water.grid, water.fixed)),)
