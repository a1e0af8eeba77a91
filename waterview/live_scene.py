"""A scene in Python: opened in one line, stepped, touched, measured, drawn, saved, and shown in the window."""

from __future__ import annotations

import io
import math
from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Unpack, cast

import numpy as np
from numpy.typing import NDArray

from waterview.bodies.mesh_files import is_mesh_file
from waterview.cli.arguments import SceneArguments
from waterview.cli.scene_setup import read_mesh, set_up_scene, set_up_shot
from waterview.core.commands import (
    AddBody,
    AddGauge,
    Command,
    Drop,
    PaintWall,
    SetCourse,
    SetParameter,
    SetRain,
    usual_drop,
)
from waterview.core.constants import GRAVITY
from waterview.core.errors import ParameterError
from waterview.core.extras import extra
from waterview.core.grid import Grid
from waterview.core.parameter_names import SceneSettings, Settings
from waterview.core.params import Value, declarations, nearest
from waterview.scene.presets import find_preset, known_settings
from waterview.scene.scene import Scene, SceneParams
from waterview.terrain.drape import read_drape
from waterview.terrain.heightmap import Heightmap
from waterview.waters import MODELS

if TYPE_CHECKING:
    from waterview.core.frame import Frame
    from waterview.core.gauges import GaugeSeries
    from waterview.lakes.recorded import RecordedLake
    from waterview.notebook import SceneWidget
    from waterview.render.shot import Shot
    from waterview.sim.maxima import Maxima
    from waterview.sim.world import World
    from waterview.terrain.library import TerrainSource
    from waterview.waters.common.water import Water

COURANT = 0.4
"""Cells that the fastest wave crosses in a step of a scene whose steps are chosen by themselves."""
_PICTURE = "960x540"
_DEFAULT_RATE = 120.0
BODY_RATE = 60.0
"""Time steps that floating bodies need [1/s]."""


def open_scene(
    terrain: str | Path | Heightmap | None = None,
    *,
    preset: str | None = None,
    camera: str | None = None,
    gauges: Sequence[str] = (),
    bodies: Sequence[str] = (),
    drape: str | Path | None = None,
    surface: Path | None = None,
    flow_x: Path | None = None,
    flow_z: Path | None = None,
    fault: Path | None = None,
    steps_per_second: float | str = "auto",
    **settings: Unpack[Settings],
) -> LiveScene:
    """Open a scene: a terrain with a water on it, and all that floats in it and measures it.

    What is not given is physical: gravity is 9.81 m/s² where the model has a gravity, and nothing damps the waves. A
    preset brings its own settings.

    Args:
        terrain: a heightmap file, the name of a terrain that comes with waterview ("bay", "basin"), or a `Heightmap`;
            None is that of the preset, or "bay".
        preset: the name of a preset, or its .toml file.
        camera: "X,Z,DISTANCE[,AZIMUTH[,ELEVATION]]" in metres and degrees; None looks at the whole scene.
        gauges: "NAME:X,Z" for each, in metres.
        bodies: "KIND[:DENSITY[:X,Z]]" for each, such as "duck:500:0,0".
        drape: an aerial picture that is laid over the land by its coordinates.
        surface: a raster of the heights that the water starts from [m].
        flow_x: a raster of its flow to the east at the start [m²/s].
        flow_z: a raster of its flow to the south at the start [m²/s].
        fault: a .toml file with faults in the ground.
        steps_per_second: time steps [1/s]; "auto" takes as many as the fastest wave on this grid needs.
        settings: parameters by name, such as `model="shallow-water"`, `grid=256`, `damping=0.1`, `border="open"`,
            `water_level=1.0`, `sun_azimuth=120.0`: those of the command line, with underscores.

    Raises:
        ParameterError: a name is unknown, or a value is not allowed.
        InputError: a file cannot be read.
    """
    found = None if preset is None else find_preset(preset)
    model = str(
        settings.get("model", "wave-equation" if found is None else found.settings.get("model", "wave-equation"))
    )
    if model not in MODELS:
        raise ParameterError(f"model '{model}': allowed are {', '.join(MODELS)}{nearest(model, MODELS)}")
    known = known_settings(model)
    for name in settings:
        if name not in known:
            raise ParameterError(f"no setting of a scene with {model} is called '{name}'{nearest(name, known)}")
    declared: dict[str, Value] = {name: known[name].check(value) for name, value in settings.items()}
    if found is None:
        own = {entry.name for entry in declarations(MODELS[model].Params)}
        physical: dict[str, Value] = {"damping": 0.0, "dissipation": 0.0}
        if "wave_speed" not in declared:
            physical["gravity"] = GRAVITY
        declared = {name: value for name, value in physical.items() if name in own} | declared
    if steps_per_second != "auto":
        declared["steps_per_second"] = known["steps_per_second"].check(steps_per_second)
    arguments = SceneArguments(
        heightmap="bay" if isinstance(terrain, Heightmap) else None if terrain is None else str(terrain),
        camera=camera,
        body=list(bodies),
        gauge=list(gauges),
        preset=preset,
        drape=None if drape is None or isinstance(terrain, Heightmap) else Path(drape),
        surface=surface,
        flow_x=flow_x,
        flow_z=flow_z,
        fault=fault,
        declared=declared,
    )
    setup = set_up_scene(arguments)
    scene = setup.scene
    if isinstance(terrain, Heightmap):
        scene = replace(scene, heightmap=terrain, drape=None if drape is None else read_drape(drape, terrain))
    world = scene.make_world()
    if steps_per_second == "auto" and found is None:
        _choose_steps(world.water)
        if scene.bodies:
            _step_for_bodies(world.water)
    for drop in setup.drops:
        world.apply(drop)
    shot = set_up_shot("size", _PICTURE, arguments, setup)
    return LiveScene(world, scene.heightmap, shot, setup.terrain)


def simulate_from(
    recording: str | Path | RecordedLake, at: float, window: tuple[float, float, float] | None = None
) -> LiveScene:
    """Bring a part of what was computed before to life, at one of its moments.

    The scene goes on from the heights of the frame nearest to that moment. Its motion is the flow of the frame if that
    was kept; for the wave equation it is how far the frames before and after lie apart, which is right for waves that
    take much longer to pass than the time between frames. Else it starts from rest. The middle of the window becomes
    x = z = 0, and sides that were inside the recording are open.

    Args:
        recording: a baked lake, its folder, or a .npz or .zarr of heights.
        at: simulated time [s].
        window: x and z of its middle and its width [m], cut where the recording ends; None takes all. The finest level
            with at most 4096 points a side is taken.

    Raises:
        ParameterError: the window's middle lies outside, or a number is not allowed.
        InputError: the recording cannot be read.
    """
    from waterview.lakes.played import PlayedLake, open_recording
    from waterview.render.settings import ViewParams
    from waterview.render.shot import Shot
    from waterview.scene.arguments import parse_size
    from waterview.scene.cut_out import cut_out, part_around
    from waterview.scene.navigator import SavedTerrain
    from waterview.sim.world import World
    from waterview.terrain.options import TerrainOptions

    recorded = open_recording(recording) if isinstance(recording, str | Path) else PlayedLake(recording)
    whole = recorded.grid(0)
    if not math.isfinite(at) or not recorded.times[0] <= at <= recorded.times[-1]:
        raise ParameterError(f"at {at} s: {recorded.title} has {recorded.times[0]:g} to {recorded.times[-1]:g} s")
    grid: Grid = whole
    if window is not None:
        x, z, width = window
        if not (math.isfinite(width) and width > whole.spacing) or whole.nearest(x, z) is None:
            raise ParameterError(f"a window of {width:g} m around {x:g}, {z:g}: its middle must be on {recorded.title}")
        grid = Grid((2, 2), width, (x - 0.5 * width, whole.level, z - 0.5 * width))
    number = int(np.argmin(np.abs(np.asarray(recorded.times) - at)))
    cut = cut_out(recorded, number, part_around(recorded, grid))
    options = TerrainOptions(water_level=cut.water.grid.level)
    source = SavedTerrain(recorded.title, recorded.title, Path(recorded.title), options, ground=cut.ground)
    return LiveScene(World(cut.water), cut.ground, Shot(parse_size("size", _PICTURE), ViewParams()), source)


def _choose_steps(water: Water) -> None:
    """Take as few steps a second as the fastest wave allows, if the usual number is larger."""
    speed = water.effective.get("wave_speed", 0.0)
    gravity = water.effective.get("gravity")
    if gravity is not None:
        deepest = max(water.grid.level - float(water.ground.min()), 0.0) if water.ground.size else 0.0
        speed = max(speed, math.sqrt(gravity * deepest))
    if speed > 0.0:
        rate = speed / (COURANT * water.grid.spacing)
        water.set_parameter("steps_per_second", min(max(rate, 1.0), _DEFAULT_RATE))


def _step_for_bodies(water: Water) -> None:
    """Take at least as many steps a second as floating bodies need."""
    if water.params.steps_per_second < BODY_RATE:
        water.set_parameter("steps_per_second", BODY_RATE)


class LiveScene:
    """A scene that is stepped, touched and drawn from Python; `open_scene` makes it.

    Heights are metres above still water, arrays have the shape (nz, nx), x runs east and z south. Two scenes with the
    same inputs give the same bits. In a notebook a scene shows itself as a picture.

    Attributes:
        world: the water with all that acts on it.
        heightmap: the ground under it.
        shot: how it is drawn: size, view and camera.
    """

    def __init__(self, world: World, heightmap: Heightmap, shot: Shot, source: TerrainSource) -> None:
        self.world, self.heightmap, self.shot = world, heightmap, shot
        self._source = source
        self._serial = 0
        self._due = 0.0  # time steps that have been asked for, but not taken: less than one

    def __repr__(self) -> str:
        nz, nx = self.water.grid.shape
        return f"<{self.water.name} on {self.heightmap.title}, {nx} × {nz} points, {self.time:.6g} s>"

    # --- the water

    @property
    def water(self) -> Water:
        """The water itself."""
        return self.world.water

    @property
    def time(self) -> float:
        """Simulated time [s]."""
        return self.water.time

    @property
    def height(self) -> NDArray[np.float32]:
        """Heights above still water [m], shape (nz, nx); valid until the next step."""
        return self.water.height

    @property
    def frame(self) -> Frame:
        """Everything as it is now, in arrays that stay as they are."""
        self._serial += 1
        return self.world.publish(self._serial)

    def run(self, seconds: float) -> LiveScene:
        """Simulate `seconds` [s] in whole time steps; the rest is kept for the next call. Returns the scene itself.

        Raises:
            ParameterError: `seconds` is negative or not finite.
        """
        if not (math.isfinite(seconds) and seconds >= 0.0):
            raise ParameterError(f"{seconds} s to run: allowed are finite values of 0 or more")
        self._due += seconds / self.water.time_step
        steps = round(self._due)
        self._due -= steps
        self.world.advance(steps)
        return self

    # --- touching it

    def apply(self, command: Command) -> LiveScene:
        """Carry out a command of `waterview.core.commands`; returns the scene itself.

        Raises:
            InputError: it cannot be done; nothing has changed.
        """
        self.world.apply(command)
        return self

    def drop(self, x: float, z: float, height: float | None = None, radius: float | None = None) -> LiveScene:
        """Let a drop fall at x, z; its height and radius [m] suit the scene unless they are given.

        Raises:
            InputError: the model takes no drops, or a number is not allowed.
        """
        usual = usual_drop(self.water.grid, x, z)
        return self.apply(
            Drop(x, z, usual.height if height is None else height, usual.radius if radius is None else radius)
        )

    def add_body(self, kind: str, x: float, z: float, density: float = 500.0, size: float | None = None) -> LiveScene:
        """Put a floating body of `density` [kg/m³] into the water at x, z [m]: a kind such as "box", or a mesh file.

        Its longest side is `size` [m], or a twentieth of the water's longer side.

        Raises:
            InputError: there is no such kind, the file cannot be read, or a body cannot be there.
        """
        mesh = read_mesh(Path(kind)) if is_mesh_file(kind) else None
        name = kind if mesh is None else mesh.name
        self.apply(AddBody(name, density, x, z, size=size, mesh=None if mesh is None else mesh.mesh))
        _step_for_bodies(self.water)
        return self

    def set_course(self, number: int, heading: float | None, speed: float = 0.0) -> LiveScene:
        """Let body `number` go by itself from now on; the first has number 1.

        Args:
            number: of the body.
            heading: where to, in degrees clockwise from north (−z); None leaves it adrift.
            speed: over the ground [m/s].

        Raises:
            InputError: no body has that number, or heading or speed is not allowed.
        """
        return self.apply(SetCourse(number, heading, speed))

    def paint_wall(self, x: float, z: float, radius: float) -> LiveScene:
        """Make a wall of a disc [m].

        Raises:
            InputError: a number is not allowed.
        """
        return self.apply(PaintWall(x, z, radius))

    def rain(self, rate: float) -> LiveScene:
        """Let `rate` drops a second fall from now on.

        Raises:
            InputError: the model feels no rain, or the rate is not allowed.
        """
        return self.apply(SetRain(rate))

    def set(self, **settings: Unpack[SceneSettings]) -> LiveScene:
        """Change parameters of the water, its bodies and its detail: `scene.set(damping=0.2, bodies_drag=0.5)`.

        Raises:
            ParameterError: a name is unknown or a value is not allowed; those before it are set.
        """
        for name, value in cast("Mapping[str, Value]", settings).items():
            self.apply(SetParameter(name, value))
        return self

    # --- measuring it

    def add_gauge(self, name: str, x: float, z: float) -> LiveScene:
        """Read surface, depth and flow at x, z [m] from now on.

        Raises:
            InputError: the name is taken, or the place is outside or on land.
        """
        return self.apply(AddGauge(name, x, z))

    @property
    def gauges(self) -> Mapping[str, GaugeSeries]:
        """What the gauges have measured, by name: `times` [s], `surface` and `depth` [m], `velocity_x` and so on."""
        return {gauge.name: gauge for gauge in self.world.gauges}

    def save_gauges(self, path: str | Path) -> Path:
        """Write what the gauges have measured: a table (.csv) or NetCDF (.nc).

        Raises:
            InputError: there is no gauge, the ending is unknown, or the place cannot be written to.
        """
        from waterview.output.gauge_files import check_gauges_out, save_gauges

        check_gauges_out(Path(path))
        save_gauges(tuple(self.world.gauges), Path(path), self.water.place)
        return Path(path)

    @property
    def maxima(self) -> Maxima:
        """Largest surface, arrival time and largest speed since this was first asked for, or since `maxima=True`."""
        if self.world.maxima is None:
            self.world.gather_maxima()
        assert self.world.maxima is not None
        return self.world.maxima

    # --- showing it

    def picture(self, size: tuple[int, int] | None = None, camera: str | None = None) -> NDArray[np.uint8]:
        """The scene as the window would draw it, shape (height, width, 3).

        Args:
            size: width and height [pixels].
            camera: as of `open_scene`.

        Raises:
            DisplayError: there is no OpenGL.
            InputError: the camera or the size is not allowed.
        """
        from waterview.render.offscreen import offscreen_renderer

        with offscreen_renderer(self._shot(size, camera)) as renderer:
            return renderer.render(self.frame, 0.0)

    def save(self, path: str | Path, size: tuple[int, int] | None = None) -> Path:
        """Write the scene as it is now; the ending says how.

        Pictures (.png), heights (.npz, .nc, .zarr, .tif), meshes (.glb, .obj, .ply, .stl), or a session
        (.waterview), which can be dropped into the window.

        Raises:
            InputError: the ending is unknown, or the place cannot be written to.
            DisplayError: a picture is asked for and there is no OpenGL.
        """
        path = Path(path)
        if path.suffix == ".waterview":
            self._save_session(path)
        else:
            from waterview.output.offline import Output

            Output(path, self._shot(size, None), count=1).write([self.frame])
        return path

    def film(self, path: str | Path, seconds: float, fps: float = 30.0, size: tuple[int, int] | None = None) -> Path:
        """Simulate `seconds` [s] and write every frame: a film (.mp4, .webm, .gif) or all heights (.npz, .nc, .zarr).

        Raises:
            InputError: the ending is unknown, or the place cannot be written to.
            DisplayError: there is no OpenGL.
        """
        from waterview.output.offline import write

        write(self.world, Path(path), seconds, fps, (), self._shot(size, None))
        return Path(path)

    def widget(self, size: tuple[int, int] = (640, 360)) -> SceneWidget:
        """The scene, alive in a notebook: a click lets a drop fall, the right button turns the view, sliders set it.

        It needs `pip install 'waterview[notebook]'`. The water takes steps only while the cell is shown and the kernel
        is not busy.

        Args:
            size: width and height of the pictures [pixels].

        Raises:
            MissingError: anywidget is not installed.
            DisplayError: there is no OpenGL.
        """
        with extra("notebook", "a widget"):
            from waterview.notebook import SceneWidget

        return SceneWidget(self, size)

    def show(self) -> None:
        """Open the window with this scene, and go on when it is closed; the scene has lived on meanwhile.

        Raises:
            DisplayError: there is no display.
        """
        from waterview.scene.navigator import Navigator
        from waterview.sim.loop import Simulation
        from waterview.terrain.library import bundled
        from waterview.ui import window_program
        from waterview.ui.glfw_window import open_window, title_of

        grid = self.water.grid
        params = SceneParams().changed(model=self.water.name, grid=max(grid.shape))
        scene = Scene(self.heightmap, params)
        others = [source for source in bundled().values() if source.path != self._source.path]
        with ExitStack() as stack:
            window = open_window(title_of(self.heightmap.title), (1280, 720))
            stack.callback(window.destroy)
            simulation = Simulation(self.world)
            program = window_program()(
                window, simulation, self.shot.view, Navigator(scene, [self._source, *others]), self.shot.aim
            )
            with simulation:
                program.run()
        simulation.latest()  # raises what ended the loop
        self.world = simulation.world

    def _repr_png_(self) -> bytes:
        from PIL import Image

        data = io.BytesIO()
        Image.fromarray(self.picture()).save(data, "PNG")
        return data.getvalue()

    def _shot(self, size: tuple[int, int] | None, camera: str | None) -> Shot:
        from waterview.scene.arguments import parse_camera

        shot = self.shot if size is None else replace(self.shot, size=size)
        return shot if camera is None else replace(shot, aim=parse_camera(camera).of)

    def _save_session(self, path: Path) -> None:
        from waterview.scene.interaction import InteractionParams
        from waterview.scene.serialise import view_to_dict, write_session

        seen = view_to_dict(self.shot.view, InteractionParams(), self.shot.camera(self.frame))
        write_session(path, self.world, seen)


__all__ = ["LiveScene", "open_scene", "simulate_from"]
