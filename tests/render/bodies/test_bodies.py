"""Floating bodies in the picture, in the water and in the sunlight."""

import dataclasses

import numpy as np
import pytest
from support.scenes import make_frame

from waterview.core.body import BodyState, Mesh
from waterview.core.frame import OpenSea
from waterview.render.bodies.bodies import body_matrix
from waterview.render.camera.camera import OrbitCamera
from waterview.render.gbuffer import GBufferPass
from waterview.render.materials import FOAMY_WATER, WATER
from waterview.render.water.open_sea import usual_sea

SIZE = (320, 180)
RED = (230, 20, 20)


def ball(colour=RED, rings=12):
    """A sphere of diameter 1."""
    latitude = np.linspace(0.0, np.pi, rings + 1)[:, None]
    longitude = np.linspace(0.0, 2 * np.pi, 2 * rings + 1)[None, :]
    normals = np.stack(
        (np.sin(latitude) * np.cos(longitude), np.cos(latitude) + 0 * longitude, np.sin(latitude) * np.sin(longitude)),
        axis=-1,
    ).reshape(-1, 3)
    number = np.arange(len(normals), dtype=np.uint32).reshape(rings + 1, 2 * rings + 1)
    a, b, c, d = number[:-1, :-1], number[:-1, 1:], number[1:, :-1], number[1:, 1:]
    indices = np.stack((a, b, c, b, d, c), axis=-1).reshape(-1, 3)
    colours = np.tile(np.array(colour, np.uint8), (len(normals), 1))
    return Mesh((0.5 * normals).astype(np.float32), normals.astype(np.float32), indices, colours)


MESH = ball()


def body(x, y, z, diameter=3.0, mesh=MESH, rotation=None, number=1):
    rotation = np.eye(3) if rotation is None else rotation
    return BodyState(number, "ball", mesh, np.array((x, y, z)), rotation, np.full(3, diameter), 500.0)


@pytest.fixture
def draw(drawing):
    return drawing(SIZE, water="pool")


def from_above(frame):
    camera = OrbitCamera.framing(frame)
    camera.elevation, camera.distance, camera.target = np.pi / 2, 30.0, (0.0, 0.0, 0.0)
    return camera


def at(picture, camera, point):
    x, y, _ = camera.project(point, SIZE)
    return picture[round(y) - 2 : round(y) + 3, round(x) - 2 : round(x) + 3].reshape(-1, 3).mean(axis=0)


def is_red(colour):
    return colour[0] > colour[1] + 40 and colour[0] > colour[2] + 30


def test_the_matrix_places_vertices_as_the_state_says():
    turn = np.array(((0.0, 0.0, 1.0), (0.0, 1.0, 0.0), (-1.0, 0.0, 0.0)))
    state = dataclasses.replace(body(1.0, 2.0, 3.0, rotation=turn), scale=np.array((2.0, 3.0, 4.0)))
    vertex = np.array((0.5, -0.25, 0.125))
    expected = state.position + turn @ (state.scale * vertex)
    np.testing.assert_allclose(body_matrix(state) @ np.append(vertex, 1.0), expected, atol=1e-6)


@pytest.mark.slow
def test_a_ball_is_seen_where_it_floats_and_nowhere_else(draw):
    frame = make_frame(bodies=(body(-5.0, 0.0, 3.0), body(6.0, 0.2, -4.0, number=2)))
    camera = from_above(frame)
    picture = draw(frame, camera)
    assert is_red(at(picture, camera, (-5.0, 1.4, 3.0))) and is_red(at(picture, camera, (6.0, 1.6, -4.0)))
    assert not is_red(at(picture, camera, (0.0, 0.0, 0.0)))
    moved = draw(dataclasses.replace(frame, serial=2, bodies=(body(0.0, 0.0, 0.0),)), camera)
    assert is_red(at(moved, camera, (0.0, 1.4, 0.0))) and not is_red(at(moved, camera, (-5.0, 1.4, 3.0)))
    gone = draw(dataclasses.replace(frame, serial=3, bodies=()), camera)
    assert not is_red(at(gone, camera, (0.0, 1.4, 0.0)))


@pytest.mark.slow
def test_a_sunken_ball_is_seen_through_the_water_where_refraction_puts_it(draw):
    bed = np.full((41, 61), -6.0)
    frame = make_frame(bed=bed, bodies=(body(0.0, -4.0, 0.0, 2.0),))
    camera = OrbitCamera.framing(frame)
    camera.elevation, camera.azimuth, camera.distance, camera.target = np.radians(50.0), 0.0, 20.0, (0.0, 0.0, 0.0)
    picture = draw(frame, camera, clarity=5.0)
    red = picture[..., 0] - picture[..., 1]
    _, y = (float(np.median(axis)) for axis in np.nonzero(red > 0.5 * red.max())[::-1])
    # The flat surface lifts what lies below it: the ray to the middle of the ball meets the water where Snell says.
    eye = camera.eye
    z = np.linspace(-2.0, 6.0, 4001)
    sine_in = (eye[2] - z) / np.hypot(eye[2] - z, eye[1])
    sine_below = z / np.hypot(z, 4.0)
    surface = z[np.argmin(np.abs(sine_in - 1.333 * sine_below))]
    _, expected, _ = camera.project((0.0, 0.0, surface), SIZE)
    straight = camera.project((0.0, -4.0, 0.0), SIZE)[1]
    assert abs(y - expected) < 4.0 < abs(y - straight)


@pytest.mark.slow
def test_bodies_throw_shadows_through_the_water(draw, renderers):
    bed = np.full((81, 121), -2.0)
    frame = make_frame((81, 121), 0.25, bed=bed, bodies=(body(0.0, 0.0, 0.0, 4.0),))
    draw(frame, from_above(frame), sun_elevation=90.0)
    texture = renderers["low"].textures["caustic_map"]
    width, height = texture.size
    light = np.frombuffer(texture.read(), np.float16).reshape(height, width, 4).astype(float)
    # What falls on bodies in the water is kept apart; on this one none does, as it is afloat and the sun is overhead.
    assert light[..., 3].max() < 0.6 and light[height // 4, width // 4, 3] == 0.0
    assert light[height // 2, width // 2, 1] < 0.1  # a ball that rises out of the water lets no light into it
    assert light[height // 4, width // 4, 1] == pytest.approx(1.0, abs=0.3)
    camera = from_above(frame)
    low_sun = draw(frame, camera, sun_elevation=45.0, sun_azimuth=90.0, clarity=5.0)
    # At 45° the sun goes on at 32° from the vertical: 2 m below the water the shadow lies 1.25 m further.
    shade, sunlit = at(low_sun, camera, (-3.0, -2.0, 0.0)).sum(), at(low_sun, camera, (-8.0, -2.0, 3.0)).sum()
    assert shade < 0.75 * sunlit


@pytest.mark.slow
def test_the_shade_of_a_body_in_deep_water_has_no_edge(draw):
    """Light comes back from metres below, and is scattered there. The shade was a sharp shape on the water."""
    frame = make_frame((81, 121), 1.0, bed=np.full((81, 121), -40.0), bodies=(body(0.0, 0.0, 0.0, 10.0),))
    camera = from_above(frame)
    camera.azimuth, camera.distance = 0.0, 60.0
    settings = {
        "water": "jerlov-3",
        "sun_elevation": 35.0,
        "sun_azimuth": 90.0,
        "look": "natural",
        "auto_exposure": False,
    }
    afloat = draw(frame, camera, **settings)
    without = draw(dataclasses.replace(frame, serial=2, bodies=()), camera, **settings)
    begins, ends = (round(camera.project((x, 0.0, 0.0), SIZE)[0]) for x in (-25.0, -5.6))
    shade = (without - afloat).sum(axis=2)[84:96, begins:ends].mean(axis=0)
    assert shade[0] < 1.0 and shade.max() > 5.0
    assert np.abs(np.diff(shade)).max() < 0.15 * shade.max()


@pytest.mark.slow
def test_still_water_mirrors_what_floats(draw):
    frame = make_frame(bodies=(body(0.0, 2.0, -4.0, 4.0),))
    camera = OrbitCamera.framing(frame)
    camera.elevation, camera.azimuth, camera.distance = np.radians(8.0), 0.0, 25.0
    camera.target = (0.0, 0.0, 0.0)
    with_ball = draw(frame, camera, sun_azimuth=20.0)
    without = draw(dataclasses.replace(frame, serial=2, bodies=()), camera, sun_azimuth=20.0)
    # The mirror image of the ball's middle.
    x, y, _ = camera.project((0.0, -2.0, -4.0), SIZE)
    change = (with_ball - without)[round(y) - 3 : round(y) + 4, round(x) - 3 : round(x) + 4].mean(axis=(0, 1))
    assert change[2] < -8.0 and change[0] > change[2] + 10.0


@pytest.mark.slow
def test_the_film_of_water_on_a_hull_goes_with_it(draw):
    """Wherever a ball floats on still water, it is wet to the same edge."""
    bands = []
    for serial, x in enumerate((0.0, 1.7)):
        grey = body(x, 0.0, 0.0, 8.0, ball((200, 200, 200), 48))
        frame = make_frame(bodies=(grey,), serial=serial)
        camera = OrbitCamera.framing(frame)
        camera.elevation, camera.azimuth, camera.distance, camera.target = 0.05, 0.0, 8.0, (x, 0.2, 4.0)
        picture = draw(frame, camera, water="sea", sun_azimuth=170.0)
        low, high = (round(camera.project((x, y, 4.0), SIZE)[1]) for y in (0.02, 0.4))
        bands.append(picture[high:low, SIZE[0] // 2 - 60 : SIZE[0] // 2 + 60].mean(axis=2))
    assert abs(bands[1] - bands[0]).max() < 2.0


@pytest.mark.slow
def test_many_bodies_of_several_kinds(draw):
    random = np.random.default_rng(1)
    other = ball((20, 230, 20), rings=6)
    bodies = tuple(
        body(x, 0.0, z, 1.0, MESH if number % 2 else other, number=number)
        for number, (x, z) in enumerate(random.uniform((-14.0, -9.0), (14.0, 9.0), (60, 2)))
    )
    frame = make_frame(bodies=bodies)
    camera = from_above(frame)
    picture = draw(frame, camera)
    for state in bodies[:10]:
        colour = at(picture, camera, state.position + np.array((0.0, 0.5, 0.0)))
        assert (colour[0] > colour[1]) == (state.mesh is MESH)


@pytest.mark.slow
def test_sunlight_in_the_water_falls_on_a_sunken_ball_and_not_below_it(draw, renderers):
    bed = np.full((81, 121), -4.0)
    frame = make_frame((81, 121), 0.25, bed=bed, bodies=(body(0.0, -2.5, 0.0, 2.0),))
    draw(frame, from_above(frame), sun_elevation=90.0)
    texture = renderers["low"].textures["caustic_map"]
    width, height = texture.size
    light = np.frombuffer(texture.read(), np.float16).reshape(height, width, 4).astype(float)
    on_ground, on_body = light[height // 2, width // 2, 1], light[height // 2, width // 2, 3]
    assert on_ground < 0.05 and on_body == pytest.approx(1.0, abs=0.3)
    assert light[height // 4, width // 4, 1] == pytest.approx(1.0, abs=0.3) and light[height // 4, width // 4, 3] == 0.0
    # No light is lost between the two.
    assert (light[..., 1] + light[..., 3]).mean() == pytest.approx(1.0, abs=0.02)


@pytest.mark.slow
def test_the_mirror_image_hangs_on_what_floats(draw):
    """A ball half out of still water and its image are one shape: no sky between them."""
    frame = make_frame(bodies=(body(0.0, 0.0, 0.0, 4.0),))
    camera = OrbitCamera.framing(frame)
    camera.elevation, camera.azimuth, camera.distance, camera.target = np.radians(4.0), 0.0, 18.0, (0.0, 0.0, 0.0)
    settings = {"look": "natural", "sun_azimuth": 180.0, "auto_exposure": False}
    afloat = draw(frame, camera, **settings)
    without = draw(dataclasses.replace(frame, serial=2, bodies=()), camera, **settings)
    changed = np.abs(afloat - without).sum(axis=2) > 12.0
    (left, top, _), (right, bottom, _) = (camera.project((side, -side, 0.0), SIZE) for side in (-1.2, 1.2))
    assert changed[round(top) : round(bottom), round(left) : round(right)].mean() > 0.97


@pytest.mark.slow
def test_in_a_rough_sea_the_mirror_image_is_blurred_and_no_specks(draw):
    """Ripples of a fresh wind blur it evenly. Before, single pixels of it were as dark as the ball."""
    sea = OpenSea(usual_sea(30.0).patches, choppiness=0.0, roughness=0.04, scale=1.0, wind=0.5, wind_speed=12.0)
    frame = make_frame(bodies=(body(0.0, 1.0, -4.0, 3.0, ball((10, 10, 10))),), sea=sea)
    camera = OrbitCamera.framing(frame)
    camera.elevation, camera.azimuth, camera.distance, camera.target = np.radians(10.0), 0.0, 18.0, (0.0, 0.0, 0.0)
    settings = {"look": "natural", "sun_azimuth": 180.0, "auto_exposure": False, "quality": "medium"}
    afloat = draw(frame, camera, **settings)
    without = draw(dataclasses.replace(frame, serial=2, bodies=()), camera, **settings)
    _, foot, _ = camera.project((0.0, -0.5, -4.0), SIZE)
    image = (without - afloat).mean(axis=2)[round(foot) + 4 : round(foot) + 40, 120:200]
    around = np.stack([image[i : i + image.shape[0] - 2, j : j + 78] for i in range(3) for j in range(3)])
    specks = np.abs(image[1:-1, 1:-1] - np.median(around, axis=0))
    assert image.mean() > 0.3
    assert specks.max() < 4.0


@pytest.mark.slow
@pytest.mark.parametrize(("quality", "least"), [("high", 1.8), ("ultra", 2.45)])
def test_ripples_break_up_the_outline_of_the_mirror_image(drawing, quality, least):
    """Before, no ripple bent the rays that meet bodies: a ball's outline was as smooth as in still water."""
    draw = drawing((2 * SIZE[0], 2 * SIZE[1]), water="pool")
    sea = OpenSea(usual_sea(60.0).patches, choppiness=0.0, roughness=0.01, scale=1.0, wind=0.0, wind_speed=4.0)
    frame = make_frame(bed=np.full((41, 61), -6.0), sea=sea)
    afloat = dataclasses.replace(frame, serial=2, bodies=(body(0.0, 0.6, 0.0, 3.0, ball(rings=48)),))
    camera = OrbitCamera.framing(frame)
    camera.elevation, camera.azimuth, camera.distance, camera.target = np.radians(16.0), 0.0, 9.0, (0.0, -1.0, 0.0)
    settings = {"look": "natural", "auto_exposure": False, "quality": quality}
    plain, seen = (draw(each, camera, **settings) for each in (frame, afloat))
    changed = np.abs(seen - plain).mean(axis=2)[144:204, :420] > 6.0
    outline = [np.flatnonzero(row).max() for row in changed]
    assert np.abs(np.diff(outline, 2)).mean() > least  # 2.6 and 2.5 as it is


@pytest.mark.slow
def test_far_crests_mirror_no_dots(draw):
    """A crest turns by more within a pixel than a body is wide. Before, single pixels were as dark as the ball."""
    shape, spacing = (81, 121), 0.25
    z = spacing * np.arange(shape[0])[:, None]
    heights = 0.25 * np.cos(2.0 * np.pi * z / 4.0 + 0.02 * np.arange(shape[1]))
    frame = make_frame(shape, spacing, heights=heights, bodies=(body(0.0, 1.2, -8.0, 3.0, ball((10, 10, 10))),))
    camera = OrbitCamera.framing(frame)
    camera.elevation, camera.azimuth, camera.distance, camera.target = np.radians(9.0), 0.0, 30.0, (0.0, 0.0, 0.0)
    settings = {"look": "natural", "sun_azimuth": 30.0, "auto_exposure": False, "quality": "low"}
    afloat = draw(frame, camera, **settings)
    without = draw(dataclasses.replace(frame, serial=2, bodies=()), camera, **settings)
    _, foot, _ = camera.project((0.0, -0.4, -8.0), SIZE)
    _, front, _ = camera.project((0.0, 0.0, 10.0), SIZE)
    image = (without - afloat).mean(axis=2)[round(foot) + 2 : round(front), 80:240]
    around = np.stack([image[i : i + image.shape[0] - 2, j : j + 158] for i in range(3) for j in range(3)])
    specks = np.abs(image[1:-1, 1:-1] - np.median(around, axis=0))
    assert image.mean() > 0.1
    assert specks.max() < 4.0


@pytest.mark.slow
def test_from_below_the_surface_mirrors_a_body(draw):
    """Seen at a slant from under water all is mirrored: a ball is as high above the waterline as it is below."""
    frame = make_frame(bed=np.full((41, 61), -6.0))
    afloat = dataclasses.replace(frame, bodies=(body(0.0, 0.0, 0.0),))
    camera = OrbitCamera.framing(frame)
    camera.dive, camera.target, camera.distance = True, (0.0, -0.4, 0.0), 7.0
    camera.azimuth, camera.elevation = 0.0, np.radians(-6.0)
    _, line, _ = camera.project((0.0, 0.0, 1.5), SIZE)
    plain, seen = (draw(each, camera, look="pool", auto_exposure=False) for each in (frame, afloat))
    rows = np.flatnonzero((plain - seen)[:, 150:170, 1].mean(axis=1) > 15.0)
    below, above = rows.max() - line, line - rows.min()
    assert below > 40.0
    assert above == pytest.approx(below, rel=0.3)


@pytest.mark.slow
@pytest.mark.parametrize("quality", ["low", "medium"])
def test_sunlight_on_a_ball_has_no_dark_seam_at_the_waterline(draw, quality):
    """Under still water a ball's sunny side turns away from the sun from the waterline down, so light becomes less."""
    afloat = body(0.0, -0.3, 0.0, 1.0, ball((250, 250, 250), rings=48))
    frame = make_frame(bed=np.full((41, 61), -6.0), bodies=(afloat,))
    camera = OrbitCamera.framing(frame)
    camera.dive, camera.target, camera.distance = True, (0.0, -0.15, 0.0), 1.8
    camera.azimuth, camera.elevation = 0.0, np.radians(-8.0)
    # Over sand, which sends little light up; the tiles of a pool light a ball from below.
    exposed = {"look": "natural", "auto_exposure": False, "exposure": -1.5}
    picture = draw(frame, camera, quality=quality, sun_elevation=42.0, sun_azimuth=0.0, **exposed)
    first, last = (camera.project((0.0, height, z), SIZE)[1] for height, z in ((0.0, 0.4), (-0.55, 0.43)))
    light = picture[round(first) + 1 : round(last), 150:170, 1].mean(axis=1)
    assert light[0] > 180.0 and light[-1] < 130.0
    assert (light - np.minimum.accumulate(light)).max() < 4.0


@pytest.mark.slow
def test_a_ball_afloat_is_wet_above_the_water_and_lit_by_it_from_below(draw):
    """The shaded side of a grey ball: a pool's floor makes it blue, and a film of water makes it dark."""
    afloat = body(0.0, 0.3, 0.0, 2.0, ball((120, 120, 120), rings=48))
    frame = make_frame(bed=np.full((41, 61), -2.0), bodies=(afloat,))
    camera = OrbitCamera.framing(frame)
    camera.target, camera.distance, camera.azimuth, camera.elevation = (0.0, 0.3, 0.0), 4.0, 0.0, np.radians(12.0)
    picture = draw(frame, camera, look="pool", auto_exposure=False, sun_elevation=30.0, sun_azimuth=180.0)

    def seen(height):
        out = np.sqrt(1.0 - (height - 0.3) ** 2)
        _, row, _ = camera.project((0.0, height, out), SIZE)
        return picture[round(row), 150:170].mean(axis=0)

    low, wet = seen(0.1), seen(0.02)
    assert low[2] > 2.2 * low[0]
    assert wet.mean() < 0.85 * low.mean()


@pytest.mark.slow
def test_the_film_of_water_on_a_body_ends_in_an_uneven_edge(draw):
    """Where waves have run up. Before, it faded evenly, and bodies stood in the water as if cut out."""
    afloat = body(0.0, 0.0, 0.0, 8.0, ball((120, 120, 120), rings=96))
    frame = make_frame(bed=np.full((41, 61), -20.0), bodies=(afloat,))
    camera = OrbitCamera.framing(frame)
    camera.target, camera.distance, camera.azimuth, camera.elevation = (0.0, 0.2, 0.0), 7.0, 0.0, np.radians(2.0)
    camera.fov = np.radians(20.0)
    picture = draw(frame, camera, look="natural", auto_exposure=False, sun_elevation=40.0, sun_azimuth=0.0).mean(axis=2)
    first, last = (round(camera.project((0.0, height, 4.0), SIZE)[1]) for height in (0.34, 0.11))
    steps = picture[first : last - 6, 100:220] - picture[first + 6 : last, 100:220]
    edge = steps.argmax(axis=0)
    assert np.median(steps.max(axis=0)) > 20.0
    assert np.ptp(edge) > 6


@pytest.mark.slow
@pytest.mark.parametrize(("level", "height", "elevation"), [(-0.5, -0.2, 4.0), (0.5, 0.2, -8.0)])
def test_the_waves_tell_what_of_a_body_is_lit_in_air_and_what_in_water(draw, level, height, elevation):
    """A trough lays bare what lies below still water, and a crest covers what lies above it."""
    afloat = body(0.0, height, 0.0, 1.6, ball((250, 250, 250), rings=48))
    frame = make_frame(bed=np.full((41, 61), -6.0), heights=np.full((41, 61), level), bodies=(afloat,))
    camera = OrbitCamera.framing(frame)
    camera.dive, camera.target, camera.distance = True, (0.0, 0.0, 0.0), 4.0
    camera.azimuth, camera.elevation = 0.0, np.radians(elevation)
    settings = {"look": "pool", "clarity": 5.0, "auto_exposure": False, "exposure": -1.5}
    picture = draw(frame, camera, sun_elevation=18.0, sun_azimuth=0.0, **settings)
    line = camera.project((0.0, 0.0, 0.8), SIZE)[1]
    light = picture[round(line) - 5 : round(line) + 6, 150:170, 1].mean(axis=1)
    assert light.min() > 40.0
    assert np.abs(np.diff(light)).max() < 4.0


@pytest.mark.slow
def test_the_shade_on_the_floor_of_a_pool_has_light_that_the_surface_reflects(draw):
    """From below the surface is a mirror beyond Snell's window. Sky alone would leave the shade 72 of 255 in blue."""
    frame = make_frame(bed=np.full((41, 61), -4.0), bodies=(body(0.0, 0.0, 0.0),))
    camera = from_above(frame)
    still = {"look": "pool", "ripples": 0.0, "tile_size": 100.0, "auto_exposure": False, "exposure": -1.0}
    picture = draw(frame, camera, sun_elevation=45.0, sun_azimuth=0.0, **still)
    far = 4.0 * np.tan(np.arcsin(np.cos(np.radians(45.0)) / 1.333))
    shade, lit = (at(picture, camera, (x, -4.0, -far)) for x in (0.0, 8.0))
    assert shade[2] > 85.0
    assert shade[1] < 0.5 * lit[1]
    assert shade[0] < 0.2 * lit[0]  # on so long a way the water takes red light


def linear(renderer):
    """The scene that was drawn last, in linear light, shape (height, width, 3)."""
    texture = renderer.textures["light"]
    values = np.frombuffer(texture.read(alignment=1), texture.dtype).astype(float)
    return values.reshape(*texture.size[::-1], 4)[::-1, :, :3]


def rays_of(camera, side):
    """Directions through the pixels of a square picture, `backward` of length 1 each, shape (side, side, 3)."""
    across = np.tan(0.5 * camera.fov) * ((np.arange(side) + 0.5) * 2.0 / side - 1.0)
    return -camera.backward + across[None, :, None] * camera.right - across[:, None, None] * camera.up


@pytest.mark.slow
def test_the_shaded_side_of_a_ball_in_a_pool_has_the_light_of_all_that_it_sees(drawing, renderers):
    """Against the sum over six pictures of its surroundings. Before, it had a fifth more, and twice as much red."""
    bed = np.full((41, 51), -2.0)
    bed[:3], bed[-3:], bed[:, :3], bed[:, -3:] = (0.5,) * 4
    place, camera = np.array((0.5, -0.4, 0.3)), OrbitCamera.framing(make_frame((41, 51), 0.2, bed=bed))
    camera.dive, camera.distance = True, 0.4
    draw = drawing((48, 48), look="pool", ripples=0.0, auto_exposure=False, sun_elevation=45.0, sun_azimuth=90.0)
    white = ball((255, 255, 255), rings=48)
    afloat = make_frame((41, 51), 0.2, bed=bed, bodies=(body(*place, 0.15, white),), serial=2)
    camera.fov, sums = np.radians(90.0), []
    for azimuth, elevation in ((0.0, 0.0), (90.0, 0.0), (180.0, 0.0), (270.0, 0.0), (0.0, 89.9), (0.0, -89.9)):
        camera.azimuth, camera.elevation = np.radians((azimuth, elevation))
        camera.target = tuple(place - camera.distance * camera.backward)
        draw(make_frame((41, 51), 0.2, bed=bed), camera)
        light = linear(renderers["low"])
        rays = rays_of(camera, len(light))
        far = np.linalg.norm(rays, axis=-1, keepdims=True)
        sums.append((rays / far, light, 4.0 / len(light) ** 2 / far**3))
    camera.fov, camera.target, ratios = np.radians(30.0), tuple(place), []
    for azimuth, elevation in ((270.0, 0.0), (270.0, -30.0), (0.0, -40.0), (180.0, -40.0)):  # none sees the sun
        camera.azimuth, camera.elevation = np.radians((azimuth, elevation))
        falls = sum(
            (np.maximum(rays @ camera.backward, 0.0)[..., None] * light * weight).sum(axis=(0, 1)) / np.pi
            for rays, light, weight in sums
        )
        draw(afloat, camera)
        light = linear(renderers["low"])
        middle = len(light) // 2
        shown = light[middle - 2 : middle + 2, middle - 2 : middle + 2].mean(axis=(0, 1))
        ratios.append(shown / falls)
    np.testing.assert_allclose(np.array(ratios)[:, 1:], 1.0, atol=0.1)
    np.testing.assert_allclose(np.array(ratios)[:, 0], 1.0, atol=0.3)


@pytest.mark.slow
def test_under_water_a_black_ball_mirrors_the_water_at_its_edge_alone(draw):
    frame = make_frame(bed=np.full((41, 61), -4.0), bodies=(body(0.0, -2.0, 0.0, 1.2, ball((0, 0, 0), rings=48)),))
    camera = OrbitCamera.framing(frame)
    camera.dive, camera.target, camera.distance = True, (0.0, -2.0, 0.0), 2.0
    camera.azimuth, camera.elevation, camera.fov = 0.0, 0.0, np.radians(20.0)
    picture = draw(frame, camera, look="pool", clarity=20.0, auto_exposure=False)[90, :, 2]
    inside = [picture[round(camera.project((x, -2.0, 0.0), SIZE)[0])] for x in (0.0, 0.3, 0.614)]
    assert inside[1] < inside[0] + 10.0
    assert inside[2] > inside[0] + 20.0


@pytest.mark.slow
def test_deep_water_lights_what_is_in_it_from_below(draw):
    """The lower side of a white ball is about as bright as the water beside it, not darker."""
    sunken = body(0.0, -4.0, 0.0, 3.0, ball((250, 250, 250), rings=48))
    frame = make_frame(bed=np.full((41, 61), -80.0), bodies=(sunken,))
    camera = OrbitCamera.framing(frame)
    camera.dive, camera.target, camera.distance = True, (0.0, -4.0, 0.0), 6.0
    camera.azimuth, camera.elevation = 0.0, np.radians(-10.0)
    deep = {"look": "natural", "water": "tropical", "surroundings": "sea", "sun_elevation": 70.0}
    picture = draw(frame, camera, auto_exposure=False, **deep)
    low = at(picture, camera, (0.0, -5.1, np.sqrt(1.5**2 - 1.1**2)))
    assert low[1:] == pytest.approx(picture[90, 20, 1:], rel=0.15)


@pytest.mark.slow
def test_the_underside_of_a_ball_is_dark_where_it_lies_on_the_ground(draw):
    """The ground that sends light up to it is in its own shadow; high above, that is a small part of what it sees."""
    frame = make_frame(bed=np.full((41, 61), -4.0))
    camera = OrbitCamera.framing(frame)
    camera.dive, camera.distance, camera.azimuth, camera.elevation = True, 3.0, 0.0, np.radians(2.0)
    white, light = ball((250, 250, 250), rings=48), {}
    for y in (-3.4, -1.2):
        camera.target = (0.0, y, 0.0)
        sunken = dataclasses.replace(frame, bodies=(body(0.0, y, 0.0, 1.2, white),))
        picture = draw(
            sunken, camera, look="pool", clarity=5.0, sun_elevation=80.0, auto_exposure=False, surroundings="floor"
        )
        light[y] = [
            at(picture, camera, (0.0, y - 0.6 * np.sin(angle), 0.6 * np.cos(angle)))[1]
            for angle in np.radians((15.0, 30.0, 45.0, 60.0))
        ]
    lying, hanging = light.values()
    assert np.ptp(hanging) < 10.0
    assert (np.diff(lying) < 0.0).all()
    assert lying[-1] < 0.6 * hanging[-1] and lying[0] > 0.8 * hanging[0]


@pytest.mark.slow
def test_the_underside_of_a_white_ball_is_about_as_bright_as_the_tiles_that_light_it(draw):
    """High over the floor of a pool its lowest point sees nothing else, but for the shadow of the ball."""
    frame = make_frame(bed=np.full((41, 61), -6.0))
    white = ball((250, 250, 250), rings=48)
    afloat = dataclasses.replace(frame, bodies=(body(0.0, -1.6, 0.0, 1.2, white),))
    camera = OrbitCamera.framing(frame)
    camera.dive, camera.distance, camera.azimuth = True, 3.0, 0.0
    settings = {"look": "pool", "clarity": 20.0, "auto_exposure": False, "exposure": -2.0, "surroundings": "floor"}
    green = []
    for seen, point, elevation in ((afloat, (0.0, -2.19, 0.0), -35.0), (frame, (0.0, -5.0, 0.0), 70.0)):
        camera.target, camera.elevation = point, np.radians(elevation)
        picture = draw(seen, camera, sun_elevation=45.0, sun_azimuth=90.0, **settings)
        green.append(picture[60:120, 100:220, 1].mean() if seen is frame else at(picture, camera, point)[1])
    underside, floor = green
    assert 0.75 * floor < underside < floor


def steep(x, z):
    """Height of steep waves, and their slopes along x and z."""
    one, other = 3.2 * x + 2.4 * z, 1.6 * x - 2.7 * z + 1.0
    height = 0.12 * np.sin(one) + 0.06 * np.sin(other)
    return height, 0.384 * np.cos(one) + 0.096 * np.cos(other), 0.288 * np.cos(one) - 0.162 * np.cos(other)


def surface_seen(camera, size):
    """Unit rays through pixels, and the points where they meet steep waves; shape (height, width, 3) each."""
    across, up = (np.tan(0.5 * camera.fov) * ((np.arange(side) + 0.5) * 2.0 - side) / size[1] for side in size)
    rays = -camera.backward + across[None, :, None] * camera.right - up[:, None, None] * camera.up
    rays /= np.linalg.norm(rays, axis=-1, keepdims=True)
    eye = camera.eye
    high, low = ((level - eye[1]) / rays[..., 1:2] for level in (0.2, -0.2))
    way = low.copy()
    for share in np.linspace(1.0, 0.0, 240):
        at = eye + rays * (high + share * (low - high))
        way = np.where(at[..., 1:2] < steep(at[..., 0], at[..., 2])[0][..., None], high + share * (low - high), way)
    return rays, eye + rays * way


def ball_refracted(camera, size, middle, radius):
    """Which pixels show a ball under steep waves by Snell's law, shape (height, width)."""
    rays, points = surface_seen(camera, size)
    _, along_x, along_z = steep(points[..., 0], points[..., 2])
    normal = np.stack((-along_x, np.ones_like(along_x), -along_z), axis=-1)
    normal /= np.linalg.norm(normal, axis=-1, keepdims=True)
    cosine = -(rays * normal).sum(axis=-1, keepdims=True)
    bent = rays / 1.333 + (cosine / 1.333 - np.sqrt(1.0 - (1.0 - cosine**2) / 1.333**2)) * normal
    off = points - middle
    ahead = -(off * bent).sum(axis=-1)
    return (ahead > 0.0) & ((off**2).sum(axis=-1) - ahead**2 < radius**2)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("middle", "diameter", "most_missed", "most_added"),
    [((0.0, 0.0, 0.0), 1.5, 0.03, 0.25), ((0.0, -1.2, 0.0), 1.2, 0.03, 0.03)],
)
def test_under_steep_waves_a_ball_is_whole(draw, renderers, middle, diameter, most_missed, most_added):
    x, z = np.linspace(-6.0, 6.0, 241)[None, :], np.linspace(-4.5, 4.5, 181)[:, None]
    afloat = body(*middle, diameter, ball(rings=48))
    frame = make_frame((181, 241), 0.05, bed=np.full((181, 241), -3.0), heights=steep(x, z)[0], bodies=(afloat,))
    camera = OrbitCamera.framing(frame)
    camera.target = (0.0, -0.3 + 0.8 * middle[1], 0.0)
    shown = missed = added = 0
    for azimuth, elevation, distance in ((0.3, 0.5, 6.0), (1.5, 0.9, 5.0), (2.8, 0.35, 6.0), (-1.2, 0.65, 5.0)):
        camera.azimuth, camera.elevation, camera.distance = azimuth, elevation, distance
        draw(frame, camera, look="pool", clarity=5.0, sun_elevation=60.0, surroundings="floor")
        texture = renderers["low"].textures["light"]
        values = np.frombuffer(texture.read(alignment=1), texture.dtype).astype(float)
        light = values.reshape(*texture.size[::-1], 4)[::-1]
        water = np.isin(renderers["low"].find(GBufferPass).materials()[::-1], (WATER, FOAMY_WATER))
        expected = ball_refracted(camera, texture.size, np.array(middle), 0.5 * diameter) & water
        seen = (light[..., 0] > 1.5 * light[..., 1]) & water
        shown, missed = shown + expected.sum(), missed + (expected & ~seen).sum()
        added += (seen & ~expected).sum()
    assert shown > 800
    assert missed < most_missed * shown  # glitter hides some
    assert added < most_added * shown  # waves mirror the ball afloat


def test_a_body_is_finite_where_it_faces_the_eye(draw, renderers):
    """There the scalar product of two unit vectors may be a rounding error above 1; here it is so all over."""
    frame = make_frame((81, 81), 0.25)
    camera = from_above(frame)
    mesh = ball(rings=60)
    towards = camera.eye - (4.0 * mesh.vertices + (0.0, 1.0, 0.0))
    normals = (towards / np.linalg.norm(towards, axis=1, keepdims=True)).astype(np.float32)
    frame = dataclasses.replace(frame, bodies=(body(0.0, 1.0, 0.0, 4.0, dataclasses.replace(mesh, normals=normals)),))
    draw(frame, camera)
    texture = renderers["low"].textures["light"]
    light = np.frombuffer(texture.read(), texture.dtype)
    assert np.isfinite(light.astype(np.float16)).all()
