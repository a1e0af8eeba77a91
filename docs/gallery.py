"""Draws the gallery: `make gallery`, or `python docs/gallery.py NAME ...` for some of it; look at each picture."""

from __future__ import annotations

import math
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from PIL import Image

from waterview.bodies.collection import Bodies
from waterview.core.commands import Drop, PaintWall, SetCourse, TimedDrop
from waterview.core.frame import Frame
from waterview.core.params import Value
from waterview.output import offline as headless
from waterview.render import offscreen
from waterview.render.camera.bounds import Bounds
from waterview.render.camera.camera import OrbitCamera
from waterview.render.renderer import Renderer
from waterview.render.settings import ViewParams
from waterview.scene.scene import Scene, split_settings
from waterview.sim.world import World
from waterview.terrain.heightmap import Heightmap
from waterview.terrain.library import resolve

FOLDER = Path(__file__).parent / "pictures" / "gallery"
SIZE = (1280, 720)
SUPERSAMPLE = 2
LEAD_IN = 12.0
"""Frames a second that are followed, in small, before a picture whose foam or spray has a past."""

Point = tuple[float, float, float]


@dataclass(frozen=True, kw_only=True)
class Body:
    """A floating body: its kind, where, how large [m], its density [kg/m³], and how it is turned (a quaternion).

    One with a heading [degrees from north] goes there at its speed [m/s].
    """

    kind: str
    x: float
    z: float
    size: float
    density: float | None = None
    y: float | None = None
    turned: Sequence[float] = (1.0, 0.0, 0.0, 0.0)
    heading: float | None = None
    speed: float = 0.0


@dataclass(frozen=True, kw_only=True)
class Shot:
    """A picture: a scene, what happens in it, and the camera.

    Attributes:
        ground: the terrain.
        seconds: simulated before the picture is taken [s].
        eye, target: where the camera is, and a point that it looks at [m].
        fov: vertical field of view [degrees].
        settings: of scene, model and view, by name.
        drops: what falls into the water.
        bodies: what floats.
        walls: painted from x, z to x, z [m].
        followed: seconds before the picture from which on foam and spray are followed [s].
        floats: whether the eye's height is above the water as it is there, not above the world's zero.
    """

    ground: Callable[[], Heightmap]
    seconds: float
    eye: Point
    target: Point
    fov: float = 36.0
    settings: Mapping[str, Value] = field(default_factory=dict)
    drops: tuple[TimedDrop, ...] = ()
    bodies: tuple[Body, ...] = ()
    walls: tuple[tuple[float, float, float, float], ...] = ()
    followed: float = 0.0
    floats: bool = False


def bundled(name: str) -> Callable[[], Heightmap]:
    """A terrain that comes with the program."""
    return resolve(name).load


HEAPS = (
    (-5.6, 4.9, 2.0, 2.6),
    (-7.4, 2.8, 2.4, 3.9),
    (-4.3, 6.9, 0.9, 0.9),
    (-3.4, 3.8, 1.2, 1.5),
    (1.6, 6.8, 1.1, 1.3),
    (2.9, 5.6, 1.5, 2.4),
    (4.6, 5.0, 1.7, 1.7),
    (0.2, 7.8, 0.7, 0.7),
    (-0.6, -0.6, 1.6, 1.5),
    (2.0, -2.1, 2.4, 2.4),
    (6.5, 0.4, 2.0, 2.8),
    (-4.6, -1.6, 1.5, 1.9),
    (-0.2, 4.4, 0.5, 0.5),
)
"""Heaps of boulders of the reef: x and z of the middle, half their width, height over the sand [m]."""


def tank(rim: float = 0.5) -> Heightmap:
    """A square pool of 6.4 m, 3.2 m deep, its rim so far above the water [m], cut open on two sides."""
    x = np.linspace(-3.4, 3.2, 331)
    inside = np.minimum(x[None, :], x[:, None]) + 3.2
    heights = rim - (3.2 + rim) * np.clip((inside + 0.04) / 0.04, 0.0, 1.0)
    return Heightmap(heights.astype(np.float32), (0.02, 0.02), title="tank")


def reef() -> Heightmap:
    """Rippled sand under water, 28 m × 28 m, and on it heaps of boulders that the sea has rounded."""
    chance = np.random.default_rng(3)
    share = np.linspace(-14.0, 14.0, 512)
    x, z = np.meshgrid(share, share)
    waves = np.hypot(np.fft.fftfreq(512, 1 / 512)[:, None], np.fft.rfftfreq(512, 1 / 512)[None, :])

    def rough(longest: float, steepness: float) -> NDArray[np.float64]:
        """Fractal noise of deviation 1 whose longest waves are so long [m]."""
        power = np.where(waves >= 28.0 / longest, np.maximum(waves, 1.0) ** -steepness, 0.0)
        field = np.fft.irfft2(power * np.exp(2j * np.pi * chance.random(power.shape)), (512, 512))
        return np.asarray(field / field.std())

    sand = -5.3 + 0.12 * rough(16.0, 2.5) + 0.03 * (1.0 - np.abs(np.sin(5.2 * z + 1.6 * x + 0.7 * rough(6.0, 2.5))))
    warped = x + 0.1 * rough(2.0, 2.2), z + 0.1 * rough(2.0, 2.2)
    relief = 0.05 * rough(3.0, 2.2), 0.01 * rough(0.7, 1.6)
    rocks = sand
    for at_x, at_z, width, height in HEAPS:
        # The largest lies in the middle, and the farther out, the smaller they are.
        for out in (0.0, *np.sort(1.3 * np.sqrt(chance.random(int(5.0 + 9.0 * width))))):
            size = width * (0.8 if out == 0.0 else 0.5 * chance.uniform(0.3, 1.0) * (1.2 - 0.4 * out))
            turn, spin, longer = chance.uniform(0.0, 2.0 * np.pi), chance.uniform(0.0, np.pi), chance.uniform(1.0, 1.3)
            across = warped[0] - at_x - out * width * np.cos(turn)
            along = warped[1] - at_z - out * width * np.sin(turn)
            one = (across * np.cos(spin) + along * np.sin(spin)) / (size * longer)
            other = (along * np.cos(spin) - across * np.sin(spin)) / (size / longer)
            # Steeper at its foot than a sphere, and flatter on top, which leans.
            blunt = chance.uniform(2.2, 3.2)
            inside = 1.0 - np.abs(one) ** blunt - np.abs(other) ** blunt
            top = min(height * (1.0 - 0.6 * out) * chance.uniform(0.7, 1.0), chance.uniform(1.4, 2.0) * size)
            lean = 1.0 + 0.22 * (chance.normal() * one + chance.normal() * other)
            rock = top * np.maximum(inside, 0.0) ** 0.45 * lean + min(size, 1.0) * relief[0] + relief[1]
            rocks = np.maximum(rocks, np.where(inside > 0.0, rock - 5.45, -9.0))
    return Heightmap(rocks.astype(np.float32), (28.0 / 511.0, 28.0 / 511.0), title="reef")


def open_sea() -> Heightmap:
    """Sea of 400 m × 400 m over level ground."""
    return Heightmap(np.full((65, 65), -40.0, np.float32), (6.25, 6.25), title="sea")


def drop(x: float, z: float, height: float, radius: float, time: float = 0.0) -> TimedDrop:
    """A drop at a time [s]."""
    return TimedDrop(Drop(x, z, height, radius), time)


def soft_shower(
    count: int, height: float, radius: float, *, seconds: float, reach: float, seed: int
) -> tuple[TimedDrop, ...]:
    """So many drops at random in the square within `reach` metres of the middle, and within the time [s].

    Each falls in 17 parts, 1/60 s apart, as large as binomial coefficients. A drop that falls at once makes rings with
    sharp edges, and those of many drops draw a fine mesh over the net of light on the floor.
    """
    chance = np.random.default_rng(seed)
    places = [(*chance.uniform(-reach, reach, 2), chance.uniform(0.0, seconds)) for _ in range(count)]
    return tuple(
        drop(x, z, height * math.comb(16, part) / 2.0**16, radius, time + part / 60.0)
        for x, z, time in places
        for part in range(17)
    )


SHOTS: dict[str, Shot] = {
    "noon-coast": Shot(
        ground=bundled("bay"),
        seconds=1.3,
        eye=(-190.0, 44.0, 150.0),
        target=(-85.0, -6.0, 5.0),
        settings={"wave_speed": 40.0, "sun_elevation": 52.0, "sun_azimuth": 120.0, "surroundings": "sea"},
        drops=(drop(-140, 75, 2.5, 9), drop(-90, 75, 1.8, 6, 0.5)),
    ),
    "low-sun": Shot(
        ground=bundled("bay"),
        seconds=3.0,
        eye=(-128.0, 2.4, 92.0),
        target=(-72.0, 6.0, 24.0),
        fov=38.0,
        settings={
            "clouds": 0.12,
            "sun_elevation": 7.0,
            "sun_azimuth": 305.0,
            "turbidity": 3.0,
            "model": "layered",
            "wind_speed": 0.15,
            "surroundings": "sea",
        },
    ),
    "pool": Shot(
        ground=tank,
        seconds=2.2,
        eye=(7.25, 5.95, 10.35),
        target=(0.13, -1.83, 0.16),
        fov=38.0,
        settings={
            "look": "pool",
            "sun_elevation": 55.0,
            "sun_azimuth": 300.0,
            "wave_speed": 2.0,
            "damping": 0.12,
            "border": "reflecting",
            "exposure": -0.9,
            "turbidity": 1.4,
        },
        drops=(drop(-1.8, 1.7, 0.2, 0.5), drop(1.4, -1.3, 0.2, 0.45, 0.5), drop(0.9, 1.2, 0.26, 0.4, 1.3)),
        bodies=(Body(kind="sphere", x=-0.9, z=-0.5, size=1.5, density=250.0),),
    ),
    "tank": Shot(  # as moderngl's example of water shows its pool (docs/light.md)
        ground=partial(tank, rim=0.64),  # two rows of tiles
        seconds=3.6,
        eye=(7.5, 3.35, 4.35),
        target=(0.0, -1.6, 0.0),
        fov=60.0,
        settings={
            "look": "pool",
            "quality": "ultra",
            "sun_elevation": 44.0,
            "sun_azimuth": 135.0,
            "wave_speed": 2.0,
            "damping": 0.12,
            "border": "reflecting",
            "exposure": -2.1,
            "turbidity": 1.4,
            "tile_size": 0.32,
            "grout": "black",
            "ripples": 0.0,
        },
        # Long low waves, most of whose crests focus the sun near the floor (docs/light.md).
        drops=(
            *soft_shower(60, 0.075, 0.5, seconds=3.0, reach=3.2, seed=22),
            drop(0.3, -1.2, 0.52, 0.42, 2.95),
        ),
        bodies=(Body(kind="sphere", x=-0.1, z=0.65, y=-2.4, size=1.6, density=2000.0),),
    ),
    "drop": Shot(
        ground=bundled("basin"),
        seconds=0.95,
        eye=(0.5, 3.4, 4.6),
        target=(0.0, -0.9, 0.0),
        settings={"sun_elevation": 60.0, "sun_azimuth": 40.0, "wave_speed": 2.0},
        drops=(drop(0.0, 0.0, 0.25, 0.4),),
    ),
    "shafts": Shot(
        ground=reef,
        seconds=3.0,
        eye=(-1.4, -3.7, 12.0),
        target=(-1.5, -2.65, 6.4),
        fov=75.0,
        settings={
            "model": "ocean",
            "wind_speed": 4.0,
            "sea_size": 42.0,
            "sun_elevation": 42.0,
            "sun_azimuth": 215.0,
            "water": "tropical",
            "clarity": 2.45,
            "look": "natural",
        },
    ),
    "waterline": Shot(
        ground=bundled("basin"),
        seconds=2.0,
        eye=(2.9, 0.0002, 2.6),
        target=(-1.0, 0.0, -0.6),
        fov=50.0,
        floats=True,
        settings={"sun_elevation": 50.0, "sun_azimuth": 150.0, "wave_speed": 2.0},
        drops=(drop(-1.0, 0.5, 0.14, 0.5), drop(1.0, -1.5, 0.14, 0.5, 0.5)),
        bodies=(
            Body(kind="duck", x=0.9, z=0.9, size=1.1, turned=(0.9, 0.0, 0.4, 0.0)),
            Body(kind="sphere", x=-0.9, z=0.9, size=0.9),
        ),
    ),
    "shore-foam": Shot(
        ground=bundled("bay"),
        seconds=57.5,
        followed=8.0,
        eye=(-118.0, 7.5, -52.0),
        target=(-220.0, 0.0, -50.0),
        fov=34.0,
        settings={
            "model": "shallow-water",
            "grid": 512,
            "wave_speed": 16.0,
            "damping": 0.0,
            "friction": 0.001,
            "wavemaker": "sine",
            "wavemaker_sides": "west,south",
            "wavemaker_angle": -40.0,
            "wavemaker_height": 3.0,
            "wavemaker_period": 8.0,
            "sun_elevation": 38.0,
            "sun_azimuth": 300.0,
            "water": "tropical",
            "surroundings": "sea",
        },
    ),
    "storm": Shot(
        ground=open_sea,
        seconds=11.0,
        followed=3.0,
        eye=(-48.6, 0.8, 56.6),
        target=(-53.5, 0.8, 91.3),
        fov=45.0,
        settings={
            "model": "ocean",
            "wind_speed": 28.0,
            "sea_size": 800.0,
            "choppiness": 1.3,
            "foam": 0.82,
            "turbidity": 3.0,
            "clouds": 0.6,
            "sun_elevation": 25.0,
            "exposure": 0.2,
            "look": "natural",
        },
    ),
    "ball-shadow": Shot(
        ground=bundled("basin"),
        seconds=1.3,
        eye=(0.55, 3.7, 4.6),
        target=(-0.2, -0.9, 0.25),
        settings={"sun_elevation": 52.0, "sun_azimuth": 150.0},
        drops=(drop(-2.0, 1.5, 0.18, 0.5),),
        bodies=(Body(kind="sphere", x=0.0, z=0.0, size=0.9, density=400.0, y=0.5),),
    ),
    "wide": Shot(
        ground=bundled("lagoon"),
        seconds=1.5,
        eye=(-571.0, 556.0, 674.0),
        target=(-20.0, -80.0, 68.0),
        settings={"sun_elevation": 36.0, "sun_azimuth": 95.0, "grid": 768, "surroundings": "floor"},
        drops=(drop(-230, 190, 5.0, 18),),
    ),
    "sunset": Shot(
        ground=open_sea,
        seconds=5.0,
        eye=(-120.0, 5.0, 120.0),
        target=(0.0, 19.0, -10.0),
        settings={
            "model": "ocean",
            "wind_speed": 8.0,
            "sea_size": 500.0,
            "sun_elevation": 3.0,
            "sun_azimuth": 141.0,
            "grid": 512,
            "turbidity": 2.8,
            "clouds": 0.4,
            "look": "natural",
        },
    ),
    "snell": Shot(
        ground=bundled("basin"),
        seconds=1.5,
        eye=(0.2, -1.8, 0.65),
        target=(0.2, 0.0, 0.38),
        fov=108.0,
        settings={"sun_elevation": 44.0, "sun_azimuth": 75.0, "wave_speed": 1.5},
        drops=(
            drop(-0.6, 0.9, 0.1, 0.3),
            drop(1.9, -0.9, 0.1, 0.3, 0.2),
            drop(1.1, 1.2, 0.08, 0.25, 0.5),
            drop(-0.9, -0.3, 0.08, 0.25, 0.7),
        ),
        bodies=(
            Body(kind="boat", x=-0.3, z=-0.95, size=1.5, turned=(0.97, 0.0, 0.24, 0.0)),
            Body(kind="sphere", x=-0.75, z=1.05, size=0.55),
        ),
    ),
    "below": Shot(
        ground=bundled("basin"),
        seconds=0.9,
        eye=(1.5, -1.0, 3.0),
        target=(0.0, -0.25, 0.0),
        fov=50.0,
        settings={"sun_elevation": 42.0, "sun_azimuth": 22.0, "wave_speed": 1.5},
        drops=(drop(-2.4, 0.4, 0.05, 0.4),),
        bodies=(
            Body(kind="sphere", x=0.0, z=0.0, size=1.2, density=500.0),
            Body(kind="boat", x=-1.6, z=-1.0, size=1.8),
        ),
    ),
    "sunken": Shot(
        ground=bundled("basin"),
        seconds=1.7,
        eye=(1.9, -1.6, 2.1),
        target=(-0.75, -1.15, -0.1),
        fov=58.0,
        settings={"sun_elevation": 58.0, "sun_azimuth": 160.0, "wave_speed": 1.5},
        drops=(
            drop(-1.2, 0.9, 0.06, 0.3),
            drop(1.0, -1.4, 0.06, 0.3, 0.3),
            drop(0.3, 1.6, 0.05, 0.25, 0.6),
            drop(0.9, 0.7, 0.05, 0.25, 0.9),
        ),
        bodies=(
            Body(kind="sphere", x=-0.1, z=0.2, y=-1.5, size=0.9, density=3000.0),
            Body(kind="box", x=-2.1, z=1.0, y=-1.6, size=0.7, density=3000.0, turned=(0.93, 0.0, 0.37, 0.0)),
            Body(kind="boat", x=-0.6, z=-1.5, size=1.4, turned=(0.9, 0.0, 0.43, 0.0)),
        ),
    ),
    "boats": Shot(
        ground=bundled("bay"),
        seconds=7.0,
        followed=5.0,
        eye=(-166.0, 4.6, 124.0),
        target=(-152.5, 1.6, 102.0),
        settings={
            "model": "layered",
            "wind_speed": 2.5,
            "sun_elevation": 18.0,
            "sun_azimuth": 320.0,
            "surroundings": "sea",
            "turbidity": 4.0,
        },
        bodies=(
            Body(kind="boat", x=-169.0, z=108.0, size=9.0, heading=75.0, speed=2.2),
            Body(kind="boat", x=-140.0, z=103.0, size=9.0, turned=(0.35, 0.0, 0.94, 0.0)),
            Body(kind="sphere", x=-156.0, z=114.5, size=0.8, density=300.0),
        ),
    ),
    "fjord": Shot(
        ground=bundled("fjord"),
        seconds=31.0,
        followed=20.0,
        eye=(-434.0, 30.0, -300.0),
        target=(-150.0, 2.0, -46.0),
        fov=46.0,
        settings={
            "model": "airy",
            "grid": 768,
            "steps_per_second": 30.0,
            "sun_elevation": 17.0,
            "sun_azimuth": 290.0,
            "turbidity": 2.3,
            "clouds": 0.09,
            "snow_line": 280.0,
            "surroundings": "sea",
        },
        bodies=(Body(kind="boat", x=-559.0, z=-309.0, size=24.0, heading=112.0, speed=8.0),),
    ),
    "cape": Shot(
        ground=bundled("aonae"),
        seconds=2.0,
        eye=(-1205.0, 14.0, 960.0),
        target=(-1300.0, 6.0, 300.0),
        fov=46.0,
        settings={
            "model": "ocean",
            "wind_speed": 6.0,
            "grid": 512,
            "sea_size": 600.0,
            "sun_elevation": 24.0,
            "sun_azimuth": 75.0,
            "turbidity": 3.0,
            "clouds": 0.35,
            "exposure": 0.15,
            "look": "natural",
            "surroundings": "sea",
        },
    ),
    "wake": Shot(
        ground=open_sea,
        seconds=22.0,
        followed=20.0,
        eye=(0.0, 26.0, 62.0),
        target=(14.0, 0.0, 5.0),
        fov=31.0,
        settings={
            "model": "airy",
            "grid": 768,
            "sun_elevation": 24.0,
            "sun_azimuth": 215.0,
            "look": "natural",
            "surroundings": "sea",
        },
        bodies=(Body(kind="boat", x=-60.0, z=0.0, size=14.0, heading=90.0, speed=4.0),),
    ),
    "harbour": Shot(
        ground=bundled("basin"),
        seconds=3.4,
        eye=(-2.6, 3.4, -6.2),
        target=(0.95, -0.55, -0.2),
        fov=35.0,
        settings={
            "grid": 384,
            "wave_speed": 2.0,
            "damping": 0.1,
            "sun_elevation": 33.0,
            "sun_azimuth": 214.0,
        },
        walls=((0.8, -4.6, 0.8, -0.7), (0.8, 0.7, 0.8, 4.6)),
        drops=(drop(-3.6, 0.0, 0.4, 1.2), drop(-3.8, 0.4, 0.3, 1.0, 1.6)),
        bodies=(
            Body(kind="boat", x=4.7, z=2.4, size=1.5, turned=(0.28, 0.0, 0.96, 0.0), heading=302.0, speed=1.1),
            Body(kind="boat", x=3.2, z=-1.5, size=1.5, turned=(0.3, 0.0, 0.95, 0.0)),
            Body(kind="sphere", x=-0.6, z=-1.6, size=0.45, density=450.0),
        ),
    ),
}
"""The pictures by name."""


def make_world(shot: Shot) -> World:
    """The scene of a picture, its bodies afloat."""
    view = {entry for entry in shot.settings if entry in ViewParams.__dataclass_fields__}
    params, values = split_settings({name: value for name, value in shot.settings.items() if name not in view})
    made = Scene(shot.ground(), params, values).make_world()
    for x, z, to_x, to_z in shot.walls:
        for share in np.linspace(0.0, 1.0, 80):
            made.apply(PaintWall(x + share * (to_x - x), z + share * (to_z - z), 0.12))
    if shot.bodies:
        made.bodies = Bodies()
        for body in shot.bodies:
            number = made.bodies.add(
                made.water, body.kind, body.density, body.x, body.z, body.size, y=body.y, rotation=body.turned
            )
            made.apply(SetCourse(number, body.heading, body.speed))
    return made


def camera_of(shot: Shot, frame: Frame) -> OrbitCamera:
    """The camera of a picture; it dives where it is under water."""
    x, y, z = shot.eye
    lift = frame.grid.sample(frame.heights, x, z) if shot.floats else 0.0
    back = np.subtract((x, y + lift, z), shot.target)
    distance = float(np.linalg.norm(back))
    azimuth, elevation = math.atan2(back[0], back[2]), math.asin(back[1] / distance)
    return OrbitCamera(Bounds.of(frame), shot.target, distance, azimuth, elevation, math.radians(shot.fov), dive=True)


def picture(shot: Shot, supersample: int = SUPERSAMPLE) -> NDArray[np.uint8]:
    """Draw one, shape (height, width, 3)."""
    view = ViewParams(quality="high").changed(
        **{name: value for name, value in shot.settings.items() if name in ViewParams.__dataclass_fields__}
    )
    frames = list(headless.run(make_world(shot), shot.seconds, LEAD_IN, shot.drops))
    frames = frames[-1 - round(shot.followed * LEAD_IN) :]
    camera, (width, height) = camera_of(shot, frames[-1]), (side * supersample for side in SIZE)
    with offscreen.opengl() as ctx:
        target = ctx.simple_framebuffer((width, height))
        renderer = Renderer(ctx, view)
        for frame in frames[:-1]:
            renderer.follow(frame, camera)
        renderer.render(frames[-1], camera, (width, height), target)
        drawn = renderer.snapshot(target, (width, height))
        renderer.release()
    return np.asarray(Image.fromarray(drawn).reduce(supersample))


def main(names: Sequence[str]) -> None:
    """Draw those named, or all."""
    FOLDER.mkdir(parents=True, exist_ok=True)
    for name in names or SHOTS:
        Image.fromarray(picture(SHOTS[name])).save(FOLDER / f"{name}.jpg", quality=90)
        print(FOLDER / f"{name}.jpg")


if __name__ == "__main__":
    main(sys.argv[1:])
