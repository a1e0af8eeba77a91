"""Reference pictures: the scenes that are drawn, and how pictures are compared."""

import dataclasses
import itertools
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from PIL import Image

from support.scenes import make_frame
from waterview.core.body import BodyState, Mesh
from waterview.render.camera.camera import OrbitCamera
from waterview.render.quality import TIERS
from waterview.render.renderer import Renderer
from waterview.render.settings import ViewParams

FOLDER = Path(__file__).parents[1] / "render" / "references"
SIZE = (320, 180)
TILE = (160, 90)
CLOSE, SHARE = 2, 0.005
"""Pictures agree if all but a share `SHARE` of their pixels differ by at most `CLOSE` of 255 steps."""

_TYPES = {"f1": np.uint8, "f2": np.float16, "f4": np.float32}
ENCODED = {
    "gbuffer": lambda v: v[..., 0] / 8.0,
    "sky_map": lambda v: v / (1.0 + v),
    "floor_map": lambda v: v,
    "albedo_map": lambda v: v,
    "relief_map": lambda v: 0.5 + 0.5 * v / (1.0 + np.abs(v)),
    "waves": lambda v: 0.5 + 2.0 * v,
    "caustic_map": lambda v: v / (1.0 + v),
    "reflection": lambda v: v / (1.0 + v),
    "body_colour": lambda v: v / (1.0 + v),
    "light_shafts": lambda v: v / (0.05 + v),
    "light": lambda v: v / (1.0 + v),
}
"""What passes leave, and how it is made into 0 to 1, row by row of a sheet of three columns."""


@dataclass(frozen=True)
class Drawn:
    """A scene: two frames, of which the second is shown, a camera and settings."""

    frames: tuple
    camera: OrbitCamera
    settings: dict


def ripples(x, z, places, long, high):
    """Heights of rings around places."""
    total = np.zeros(np.broadcast_shapes(x.shape, z.shape))
    for place_x, place_z in places:
        far = np.hypot(x - place_x, z - place_z)
        total += high * np.cos(2.0 * np.pi * far / long) * np.exp(-far / (2.0 * long))
    return total


def pair(heights, later, **more):
    """Two frames a tenth of a second apart."""
    first = make_frame(heights=heights, **more)
    grid, spacing = first.grid, first.grid.spacing
    dz, dx = np.gradient(later, spacing)
    slopes = np.stack((-dx, -dz), axis=-1).astype(np.float16)
    second = dataclasses.replace(first, serial=2, time=0.1, heights=later.astype(np.float32), normals=slopes)
    assert second.grid is grid
    return first, second


def floating():
    """A red body with eight faces."""
    corners = np.array([(1, 0, 0), (0, 1, 0), (0, 0, 1), (-1, 0, 0), (0, -1, 0), (0, 0, -1)], np.float32)
    signs = itertools.product((0, 3), (1, 4), (2, 5))
    faces = [(i, j, k) if (i + j + k) % 2 else (k, j, i) for i, j, k in signs]
    points = np.concatenate([corners[list(face)] for face in faces])
    normals = np.repeat([corners[list(face)].sum(axis=0) / 3**0.5 for face in faces], 3, axis=0).astype(np.float32)
    colours = np.full((24, 3), (200, 40, 30), np.uint8)
    mesh = Mesh(0.5 * points, normals, np.arange(24, dtype=np.uint32).reshape(8, 3), colours)
    return BodyState(1, "diamond", mesh, np.array((-0.6, 0.05, 0.9)), np.eye(3), np.full(3, 1.6), 500.0)


def pool():
    """A tiled pool with rings on the water and something that floats."""
    x, z = np.linspace(-6.0, 6.0, 121)[None, :], np.linspace(-4.5, 4.5, 91)[:, None]
    bed = np.where((np.abs(x) < 5.5) & (np.abs(z) < 4.0), -2.0 + 0.8 * (x > 1.0), 0.4)
    places = (-2.5, 0.5), (2.0, -1.0), (0.5, 2.5)
    heights, later = (ripples(x, z, places, long, 0.05) * (bed < 0.0) for long in (0.9, 1.0))
    frames = pair(heights, later, shape=bed.shape, spacing=0.1, bed=bed, bodies=(floating(),))
    camera = OrbitCamera.framing(frames[1])
    camera.distance, camera.azimuth, camera.elevation, camera.target = 10.0, 0.6, 0.55, (0.0, 0.0, 0.3)
    return Drawn(frames, camera, {"look": "pool", "sun_elevation": 42.0})


def coast(**more):
    """Hills by the sea, with foam on waves that the wind has sharpened."""
    x, z = np.linspace(-200.0, 200.0, 161)[None, :], np.linspace(-150.0, 150.0, 121)[:, None]
    bed = 0.12 * x + 9.0 * np.sin(0.031 * x + 0.9) * np.cos(0.027 * z) + 3.0 * np.sin(0.11 * x) * np.sin(0.09 * z + 1.0)
    waves = [1.1 * np.sin(0.16 * x + 0.05 * z + phase) + 0.5 * np.sin(0.21 * z - 0.1 * x) for phase in (0.0, 0.2)]
    heights, later = (np.where(bed > 0.0, 0.0, high) for high in waves)
    foam = np.clip(waves[1] - 0.9, 0.0, 1.0).astype(np.float32) * (bed <= 0.0)
    shift = np.stack((-0.8 * np.cos(0.16 * x + 0.05 * z), 0.0 * x + 0.0 * z), axis=-1).astype(np.float32)
    frames = pair(heights, later, shape=bed.shape, spacing=2.5, bed=bed, foam=foam, shift=shift)
    camera = OrbitCamera.framing(frames[1])
    return Drawn(frames, camera, {"look": "natural", "sun_elevation": 25.0, **more})


def dive():
    """The pool from under water, just beneath the surface."""
    above = pool()
    camera = OrbitCamera.framing(above.frames[1])
    camera.dive, camera.fov = True, 1.2
    camera.distance, camera.azimuth, camera.elevation, camera.target = 1.0, 0.9, -0.12, (3.0, -0.02, 1.0)
    return Drawn(above.frames, camera, above.settings)


SCENES = {"pool": pool, "coast": coast, "dive": dive}
NAMES = tuple((scene, tier) for scene in SCENES for tier in TIERS if tier != "ultra")  # as high, only finer


def draw(ctx, scene, tier):
    """What a scene looks like at a tier, shape (180, 320, 3), and what its passes left, as a sheet; both uint8."""
    drawn = SCENES[scene]()
    settings = ViewParams(quality=tier, **drawn.settings)
    renderer = Renderer(ctx, settings)
    target = ctx.simple_framebuffer(SIZE)
    try:
        for number, frame in enumerate(drawn.frames):
            renderer.render(frame, drawn.camera, SIZE, target, seconds=0.1 * number)
        light = renderer.textures["light"]
        values = np.frombuffer(light.read(alignment=1), light.dtype)
        assert np.isfinite(values.astype(np.float16)).all(), "graphics cards keep light in half floats"
        return renderer.snapshot(target, SIZE), sheet(renderer.textures)
    finally:
        target.use()
        renderer.release()


def sheet(textures):
    """Small pictures of what passes have left, shape (360, 480, 3) uint8."""
    width, height = TILE
    rows = -(-len(ENCODED) // 3)
    whole = np.zeros((rows * height, 3 * width, 3), np.uint8)
    for number, (name, encode) in enumerate(ENCODED.items()):
        texture = textures[name]
        if texture.size == (1, 1):  # nothing has been drawn into it
            continue
        values = np.frombuffer(texture.read(alignment=1), _TYPES[texture.dtype])
        values = values.reshape(texture.height, texture.width, texture.components)
        values = values / 255.0 if texture.dtype == "f1" else values
        step = max(-(-texture.width // width), -(-texture.height // height))
        small = np.clip(encode(values[::-step, ::step, :3].astype(np.float64)), 0.0, 1.0)
        small = np.atleast_3d(small)[..., [0, 1, 2] if small.ndim == 3 and small.shape[2] > 2 else [0, 0, 0]]
        row, column = divmod(number, 3)
        place = whole[row * height :, column * width :]
        place[: small.shape[0], : small.shape[1]] = np.round(255.0 * small)
    return whole


def tiles(whole):
    """The parts of a sheet by name."""
    width, height = TILE
    parts = {}
    for number, name in enumerate(ENCODED):
        row, column = divmod(number, 3)
        parts[name] = whole[row * height : (row + 1) * height, column * width : (column + 1) * width]
    return parts


def missed(picture, reference):
    """Share of the pixels that differ by more than is allowed."""
    assert picture.shape == reference.shape
    return float((np.abs(picture.astype(int) - reference.astype(int)).max(axis=-1) > CLOSE).mean())


def paths(scene, tier, folder=FOLDER):
    """Where a scene's picture and sheet lie."""
    return folder / f"{scene}-{tier}.png", folder / f"{scene}-{tier}-passes.png"


def load(path):
    """A picture's pixels."""
    with Image.open(path) as picture:
        return np.asarray(picture.convert("RGB"))
