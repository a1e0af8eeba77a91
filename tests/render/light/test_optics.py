"""The shaders' own functions against closed forms, evaluated pixel by pixel."""

import math
import re
import shutil

import moderngl
import numpy as np
import pytest
from support.scenes import make_frame

from waterview.core.files import data_path
from waterview.render.camera.bounds import Bounds
from waterview.render.camera.camera import OrbitCamera
from waterview.render.daylight import SUN_POWER, Light
from waterview.render.gl.shaders import Shader
from waterview.render.gl.targets import field_texture
from waterview.render.ground.free_space import LEVEL_RISE, free_space
from waterview.render.noise import SIZE, noise_tile, train_tile
from waterview.render.render_pass import FEATURES
from waterview.render.settings import ViewParams
from waterview.render.view import View, ViewBlock

COUNT = 64
TILE = 0.25
INCLUDES = ("water", "waves", "open_sea", "bicubic", "foam", "glints")
DECLARED = {"bed", "albedo_map", "relief_map", "caustic_map", "sky_map", "waves", "detail", "noise", "trains", "sea"}
"""Textures that these already know of."""


@pytest.fixture
def frame():
    return make_frame()


@pytest.fixture
def view(frame, request):
    bounds = Bounds.of(frame)
    settings = dict(getattr(request, "param", {}))
    known = {name: settings.pop(name) for name in ("level_floor", "grain") if name in settings}
    time = settings.pop("time", 0.0)
    light = Light.of(ViewParams(**settings), bounds)
    return View(OrbitCamera.framing(frame), frame.grid, bounds, light, (640, 360), time, tile=TILE, **known)


@pytest.fixture
def evaluate(ctx, tmp_path, view):
    """Value of a GLSL expression at `COUNT` values of t between 0 and 1, shape (COUNT, 4)."""
    shutil.copytree(data_path("shaders") / "include", tmp_path / "include")
    shutil.copy(data_path("shaders") / "screen.vert", tmp_path)
    block = ViewBlock(ctx)
    block.write(view)
    result = ctx.texture((COUNT, 1), 4, dtype="f4")
    framebuffer = ctx.framebuffer([result])

    def value(expression, features=(), **textures):
        samplers = "".join(f"uniform sampler2D {name};\n" for name in textures if name not in DECLARED)
        body = "".join(f'#include "{name}.glsl"\n' for name in INCLUDES) + samplers
        main = f"void main() {{ float t = uv.x; result = vec4({expression}); }}"
        (tmp_path / "probe.frag").write_text(f"#version 330\nin vec2 uv;\nout vec4 result;\n{body}{main}\n")
        shader = Shader(
            ctx,
            "probe",
            vertex="screen",
            defines={
                "FINE": int("FINE" in features),
                "GRAIN_RELIEF": int("GRAIN_RELIEF" in features),
                "DIRECT_VIEW": 0,
                **{name: int(name in features) for name in FEATURES},
            },
            folder=tmp_path,
        )
        framebuffer.use()
        ctx.enable_only(moderngl.NOTHING)
        shader.use(**textures)
        vertices = ctx.vertex_array(shader.program, [])
        vertices.render(moderngl.TRIANGLES, vertices=3)
        shader.release()
        return np.frombuffer(result.read(), np.float32).reshape(COUNT, 4).astype(np.float64)

    yield value
    ctx.simple_framebuffer((1, 1)).use()
    for thing in (framebuffer, result, block):
        thing.release()


T = (np.arange(COUNT) + 0.5) / COUNT


def test_fresnel_is_exact_for_water(evaluate):
    cosine = T
    inside = np.sqrt(1.0 - (1.0 - cosine**2) / 1.333**2)  # Snell
    across = ((cosine - 1.333 * inside) / (cosine + 1.333 * inside)) ** 2
    along = ((inside - 1.333 * cosine) / (inside + 1.333 * cosine)) ** 2
    np.testing.assert_allclose(evaluate("fresnel(t)")[:, 0], 0.5 * (across + along), rtol=1e-4)


def test_refraction_obeys_snell(evaluate):
    angle = "1.5 * t"
    ray = evaluate(f"refract(vec3(sin({angle}), -cos({angle}), 0.0), vec3(0.0, 1.0, 0.0), 1.0 / INDEX), 0.0")
    np.testing.assert_allclose(1.333 * ray[:, 0], np.sin(1.5 * T), atol=1e-5)


def test_from_below_all_is_mirrored_beyond_48_6_degrees_and_before_as_from_above(evaluate):
    mirrored = evaluate("fresnel_below(cos(0.5 * PI * t))")[:, 0]
    angle = 0.5 * np.pi * T
    beyond = angle > np.radians(48.61)
    np.testing.assert_array_equal(mirrored[beyond], 1.0)
    inside, outside = np.cos(angle[~beyond]), np.sqrt(1.0 - (1.333 * np.sin(angle[~beyond])) ** 2)
    across = ((outside - 1.333 * inside) / (outside + 1.333 * inside)) ** 2
    along = ((inside - 1.333 * outside) / (inside + 1.333 * outside)) ** 2
    np.testing.assert_allclose(mirrored[~beyond], 0.5 * (across + along), rtol=2e-3)


def test_rough_water_mirrors_less_at_the_horizon_and_the_same_from_above(evaluate):
    smooth, rough = (evaluate(f"fresnel(rough_cosine(t, {spread}))")[:, 0] for spread in ("0.0", "0.04"))
    assert rough[0] < 0.6 * smooth[0]
    np.testing.assert_allclose(rough[-8:], smooth[-8:], rtol=0.02)


def facets(still, down, spread):
    """What facets of random slopes mirror to an eye that looks down by `down`, if level ones mirror a ray so high.

    Each counts by how much of it is seen and by its reflectance. Returns reflectance, and mean height of the mirrored
    rays and its deviation; rays below the horizon meet other waves, and count as if they rose as far.
    """
    slope = np.tan(0.5 * (np.arcsin(still) - np.arcsin(down))) + np.sqrt(0.5 * spread) * np.linspace(-5.0, 5.0, 2001)
    tilt, weight = np.arctan(slope), np.exp(-0.5 * np.linspace(-5.0, 5.0, 2001) ** 2)
    cosine = np.sin(np.arcsin(down) + tilt)
    seen = weight * np.maximum(cosine, 0.0) / np.cos(tilt)
    height = np.abs(np.sin(np.arcsin(down) + 2.0 * tilt))
    root = np.sqrt(1.333**2 - 1.0 + cosine**2)
    across = ((root - cosine) / (root + cosine)) ** 2
    along = ((cosine * (root + cosine) - 1.0) / (cosine * (root - cosine) + 1.0)) ** 2
    mirrored = seen * 0.5 * across * (1.0 + along)
    mean = (mirrored * height).sum() / mirrored.sum()
    return mirrored.sum() / seen.sum(), mean, np.sqrt((mirrored * (height - mean) ** 2).sum() / mirrored.sum())


@pytest.mark.parametrize("spread", [0.003, 0.01, 0.04])
@pytest.mark.parametrize("down", [0.05, 0.15, 0.4])
def test_rough_water_mirrors_what_all_its_facets_mirror(evaluate, down, spread):
    """As much light and from as high, where waves face the eye and where they face away."""
    steep, angle = np.sqrt(spread), f"(asin({down}) + (2.0 * t - 1.0) * 1.5 * sqrt({spread}))"
    still = np.sin(np.arcsin(down) + (2.0 * T - 1.0) * 1.5 * steep)
    faces = still > -down
    reflectance, height, deviation = np.array([facets(each, down, spread) for each in still[faces]]).T
    got = evaluate(f"rough_fresnel(sin(0.5 * ({angle} + asin({down}))), {spread})")[faces, 0]
    np.testing.assert_allclose(got, reflectance, atol=0.03)
    mean = f"lobe_height(sin({angle}), {spread})"
    drawn = evaluate(f"{mean}, lobe_deviation({mean}, {spread}), 0.0, 0.0")[faces]
    np.testing.assert_allclose(drawn[:, 0], height, atol=0.45 * steep)
    np.testing.assert_allclose(drawn[:, 1], deviation, atol=0.45 * steep)


@pytest.mark.parametrize("view", [{"sun_elevation": degrees} for degrees in (40.0, 60.0, 85.0)], indirect=True)
@pytest.mark.parametrize("spread", [0.0, 0.002, 0.005])
def test_facets_spread_the_sun_that_is_seen_from_under_water_as_far_as_they_refract_it(evaluate, view, spread):
    """Against rays from below that facets of random slopes refract; no light is gained or lost."""
    sun, ray = view.light.towards_sun, -view.light.refracted_sun
    slopes = np.random.default_rng(4).normal(scale=np.sqrt(0.5 * spread), size=(20000, 2))
    up = np.insert(slopes, 1, 1.0, axis=1)
    up /= np.linalg.norm(up, axis=1, keepdims=True)
    cosine = up @ ray
    bend = 1.333 * cosine - np.sqrt(np.maximum(1.0 - 1.333**2 * (1.0 - cosine**2), 0.0))
    turned = np.square(1.333 * ray - bend[:, None] * up - sun).sum(axis=1).mean()
    still = 1.333 * ray[1] - sun[1]
    off = 0.4 * np.square(T)
    lobe = evaluate(
        "sun_through(normalize(cos(0.4 * t * t) * towards_sun + sin(0.4 * t * t) * normalize(towards_sun.yzx - "
        f"dot(towards_sun.yzx, towards_sun) * towards_sun)), {still}, {spread})"
    )[:, 0]
    ring = lobe * 2.0 * np.pi * np.sin(off) * 0.8 * T / COUNT
    assert ring.sum() == pytest.approx(1.0, abs=0.04)
    assert (ring * off**2).sum() / ring.sum() == pytest.approx(turned + math.radians(0.6) ** 2, rel=0.15)
    assert lobe.max() * SUN_POWER < np.finfo(np.float16).max


@pytest.mark.parametrize("view", [{"sun_elevation": degrees} for degrees in (5.0, 40.0, 80.0)], indirect=True)
def test_a_calm_pool_mirrors_the_sun_as_small_as_it_is(evaluate, view):
    """Nearly all of it within the degree that the background shows, and as much as Fresnel says."""
    sun = view.light.towards_sun
    off = np.radians(2.0) * np.square(T)
    angle = f"{math.radians(2.0)} * t * t"
    aside = "normalize(vec3(towards_sun.z, 0.0, -towards_sun.x))"
    eye = f"cos({angle}) * vec3(-towards_sun.x, towards_sun.y, -towards_sun.z) + sin({angle}) * {aside}"
    light = evaluate(f"glitter(vec3(0.0, 1.0, 0.0), {eye}, towards_sun.y, 0.0)", features=("POOL",))[:, 0]
    ring = light * 2.0 * np.pi * np.sin(off) * np.radians(4.0) * T / COUNT
    if sun[1] > 0.1:  # lower suns are brighter than half floats hold; sideways a facet turns the image by less
        assert ring.sum() == pytest.approx(sun[1] * evaluate("fresnel(towards_sun.y)")[0, 0], rel=0.05)
    assert ring[off < np.radians(1.0)].sum() > 0.95 * ring.sum()
    assert light.max() * SUN_POWER < np.finfo(np.float16).max


@pytest.mark.parametrize("view", [{"sun_elevation": 30.0}], indirect=True)
@pytest.mark.parametrize("off", [0.0, 8.0])
def test_the_sun_sparkles_on_open_water_and_no_light_is_gained_or_lost(evaluate, off):
    """Pixels beside the middle of the path of light are dark but for a few; along one wave all are the same."""
    turn = f"{math.radians(off)}"
    eye = f"(cos({turn}) * vec3(-towards_sun.x, towards_sun.y, -towards_sun.z) + sin({turn}) * vec3(0.0, 1.0, 0.0))"
    line = f"vec3(0.0, 1.0, 0.0), normalize({eye}), 0.5, 0.02"
    smooth = evaluate(f"glitter({line})")[0, 0]
    places, sharp = [f"vec2({9.0 * k}, 700.0 * t)" for k in range(60)], ("GRAIN_RELIEF",)
    found = np.stack([evaluate(f"glints({line}, {place}, 50.0)", sharp)[:, 0] for place in places])
    assert found.mean() == pytest.approx(smooth, rel=0.08)
    assert found.std() > (1.0 if off else 0.7) * found.mean()
    near = evaluate(f"glints({line}, vec2(31.01 + 0.001 * t, 7.03), 50.0)", sharp)[:, 0]
    assert near.std() == 0.0


def test_sunlight_in_water_comes_from_around_the_suns_direction(evaluate):
    """Ground that it grazes has the mean of what comes from a fifth of a radian around; other ground, its middle."""
    facing = "(2.0 * t - 1.0)"
    aside = "normalize(vec3(refracted_sun.z, 0.0, -refracted_sun.x))"
    normal = f"sqrt(1.0 - {facing} * {facing}) * {aside} - {facing} * refracted_sun"
    at = "vec3(0.0, water_level, 0.0)"
    whole, here = (
        evaluate(f"lit_in_water({at}, {way}, vec3(1.0), 0.0, vec3(1.0)), 0.0")[:, 1]
        for way in ("-refracted_sun", normal)
    )
    cosine = 2.0 * T - 1.0
    around = cosine[:, None] + np.linspace(-0.2, 0.2, 401)
    np.testing.assert_allclose(here / whole, np.maximum(around, 0.0).mean(axis=1), atol=2e-3)
    np.testing.assert_allclose((here / whole)[cosine > 0.2], cosine[cosine > 0.2], rtol=1e-4)


def flat_texture(ctx, *values):
    texture = ctx.texture((1, 1), 4, np.array(values, np.float32).tobytes(), dtype="f4")
    texture.repeat_x = texture.repeat_y = False
    return texture


def test_light_fades_exponentially_on_its_way_to_the_eye_each_colour_for_itself(ctx, evaluate, view):
    """What albedo adds to light seen through the water, over what it has on the ground, is exp(−σℓ)."""
    depth = np.linspace(0.0, 2.0, 61)
    bed = bed_texture(ctx, np.tile(-depth, (41, 1)))
    made = {"relief_map": flat_texture(ctx, 0, 0, 1, 1), "caustic_map": flat_texture(ctx, 1, 1, 1, -1)}
    white, black = flat_texture(ctx, 1, 1, 1, 0), flat_texture(ctx, 0, 0, 0, 0)
    place = "vec3(-15.0 + 30.0 * t, {}, 0.0)"
    start = place.format("0.0")
    seen = [
        evaluate(
            f"seen_through({start}, 0.0, vec3(0.0, -1.0, 0.0), 1.0, ground_under({start}.xz), vec3(1.0)), 0.0",
            bed=bed,
            albedo_map=albedo,
            **made,
        )[:, :3]
        for albedo in (white, black)
    ]
    on_ground = evaluate(
        f"lit_below({place.format('-2.0 * t')}, vec3(0.0, 1.0, 0.0), vec3(0.7), 1.0, 1.0, 0.1), 0.0", **made
    )
    expected = np.exp(-view.light.absorption * (2.0 * T)[:, None])
    np.testing.assert_allclose((seen[0] - seen[1]) / on_ground[:, :3], expected, rtol=0.02)
    for texture in (bed, white, black, *made.values()):
        texture.release()


@pytest.mark.parametrize(("feature", "beyond"), [("OPEN_SIDES", 1.0), ("SEA", 1.0), ("POOL", 3.0)])
def test_beyond_the_map_of_caustics_light_is_even_where_water_goes_on(ctx, evaluate, feature, beyond):
    """Its last texels would be drawn out to stripes; only the walls of a pool take them."""
    caustic_map = flat_texture(ctx, 3, 3, 3, 0)
    light = evaluate("caustics_at(vec3(2.0 * t, water_level, 0.5), 0.1)", {feature}, caustic_map=caustic_map)[:, :3]
    np.testing.assert_allclose(light[(T > 0.05) & (T < 0.45)], 3.0)
    np.testing.assert_allclose(light[T > 0.55], beyond)
    caustic_map.release()


def test_sunlight_shines_through_crests_and_not_through_still_water(evaluate):
    """The more the higher the crest, most where one looks towards the sun, and red is lost first."""

    def through(height, towards):
        level = f"normalize({towards} * vec3(towards_sun.x, 0.0, towards_sun.z))"
        at, onward = f"vec3(0.0, water_level + {height}, 0.0)", f"normalize({level} - vec3(0.0, 0.2, 0.0))"
        return evaluate(f"through_crest({at}, {onward}, vec3(0.0, 1.0, 0.0)), 0.0")[:, :3]

    sunwards, away = through("0.05 * t", 1.0), through("0.05 * t", -1.0)
    assert (np.diff(sunwards.sum(axis=1)) > 0.0).all()
    assert (sunwards > 4.0 * away).all()
    assert (np.diff(sunwards[:, 0] / sunwards[:, 1]) < 0.0).all()
    np.testing.assert_array_equal(through("-0.05 * t", 1.0), 0.0)


@pytest.mark.parametrize("view", [{"sun_elevation": 4.0}, {"sun_elevation": 60.0}], indirect=True)
def test_level_foam_sends_back_what_falls_on_it_and_its_shaded_side_is_not_black(evaluate, view):
    light = evaluate("lit_foam(vec3(0.0, 1.0, 0.0), vec3(1.0), 1.0, 0.0), 0.0")[:, :3]
    level = view.light.sun * view.light.towards_sun[1] / np.pi
    np.testing.assert_allclose(light, np.broadcast_to(level, light.shape), rtol=1e-4)
    away = "vec3(0.0, 1.0, 0.0) - 1.2 * towards_sun.y * towards_sun"
    shaded = evaluate(f"lit_foam({away}, vec3(1.0), 1.0, 0.0), 0.0")[:, :3]
    assert (shaded > 0.1 * level).all() and (shaded < 0.5 * level).all()


def test_deep_water_sends_its_own_colour_back(evaluate):
    """The glow of ever more water comes to rest, and no way of it has none."""
    glow = evaluate("inscatter(0.0, vec3(0.0, -1.0, 0.0), 200.0 * t * t, vec3(1.0), absorption), 0.0")[:, :3]
    assert (np.diff(glow, axis=0) >= -1e-6).all()
    np.testing.assert_allclose(glow[-1], glow[-8], rtol=1e-3)
    assert (glow[0] < 0.05 * glow[-1]).all()


def test_daylight_fades_exponentially(evaluate, view):
    light = evaluate("daylight_under_water(5.0 * t), 1.0", {"POOL"})[:, :3]
    slope = np.diff(np.log(light), axis=0) / (5.0 / COUNT)
    expected = np.broadcast_to(-0.65 * view.light.absorption, slope.shape)
    np.testing.assert_allclose(slope, expected, rtol=1e-2)


@pytest.mark.parametrize("view", [{"water": "sea"}, {"water": "jerlov-1"}], indirect=True)
def test_the_deep_is_the_blue_of_480_nm(evaluate, view):
    """At first green fades as its absorption says; what is left in the deep is blue light, shown in part as green."""
    way = 30.0 / view.light.absorption[1] * T
    light = evaluate(f"left_after({30.0 / view.light.absorption[1]} * t), 1.0")[:, :3]
    red, green, blue = (np.exp(-share * way) for share in view.light.absorption)
    np.testing.assert_allclose(light[:, 0], red, rtol=1e-3, atol=1e-12)
    np.testing.assert_allclose(light[:, 2], blue, rtol=1e-3)
    np.testing.assert_allclose(light[0, 1], green[0], rtol=0.02)
    # CIE 1931 at 480 nm is (0.0956, 0.1390, 0.8130); sRGB of that is red below 0, green 0.202 and blue 0.836.
    assert light[-1, 1] / light[-1, 2] == pytest.approx(0.202 / 0.836, rel=0.03)
    assert (np.diff(light[:, 1]) < 0.0).all()


@pytest.mark.parametrize("view", [{"water": "lake"}], indirect=True)
def test_where_blue_light_fades_first_each_colour_is_by_itself(evaluate, view):
    light = evaluate(f"left_after({8.0 / view.light.absorption[1]} * t), 1.0")[:, :3]
    expected = np.exp(-view.light.absorption * (8.0 / view.light.absorption[1] * T)[:, None])
    np.testing.assert_allclose(light, expected, rtol=1e-4)


def test_sky_directions_survive_the_map(evaluate):
    circle = "0.7 * cos(20.0 * t), 0.2 + 0.5 * t, 0.7 * sin(20.0 * t)"
    there = evaluate(f"normalize(vec3({circle})), 0.0")
    back = evaluate(f"sky_direction(sky_uv(normalize(vec3({circle})))), 0.0")
    np.testing.assert_allclose(back, there, atol=1e-5)


def test_depth_is_turned_back_into_distance(evaluate, view):
    near, far = view.camera.near_far()
    np.testing.assert_allclose(evaluate("linear_depth(t)")[:, 0], near * far / (far - T * (far - near)), rtol=1e-4)


def test_bicubic_interpolation_keeps_straight_lines(ctx, evaluate):
    ramp = ctx.texture((16, 16), 1, np.tile(np.arange(16, dtype=np.float32), (16, 1)).tobytes(), dtype="f4")
    ramp.repeat_x = ramp.repeat_y = False
    ramp.filter = moderngl.LINEAR, moderngl.LINEAR
    got = evaluate("bicubic(field, vec2(0.15 + 0.7 * t, 0.5), vec2(1.0 / 16.0)).r", field=ramp)[:, 0]
    np.testing.assert_allclose(got, 16.0 * (0.15 + 0.7 * T) - 0.5, atol=0.02)
    ramp.release()


def bed_texture(ctx, bed, spacing=0.5):
    bed = bed.astype(np.float32)
    texels = np.dstack((bed, np.ones_like(bed), free_space(bed, spacing, 0.008)))
    texture = ctx.texture(bed.shape[::-1], 4, texels.astype(np.float32).tobytes(), dtype="f4")
    texture.repeat_x = texture.repeat_y = False
    texture.filter = moderngl.LINEAR, moderngl.LINEAR
    return texture


def way_to_ground(evaluate, start, ray, farthest, bed):
    """Distance along rays to the ground, shape (COUNT,)."""
    return evaluate(f"distance_to_ground({start}, {ray}, {farthest}, ground_under({start}.xz))", bed=bed)[:, 0]


def test_rays_end_on_flat_and_on_inclined_ground(ctx, evaluate, frame):
    ray = "normalize(vec3(t - 0.5, -1.0, 0.3))"
    downward = 1.0 / np.sqrt((T - 0.5) ** 2 + 1.0 + 0.09)
    flat = bed_texture(ctx, np.full((41, 61), -2.0))
    ways = way_to_ground(evaluate, "vec3(1.0, 0.0, 2.0)", ray, 99.0, bed=flat)
    np.testing.assert_allclose(ways, 2.0 / downward, rtol=1e-3)
    inclined = bed_texture(ctx, np.tile(-2.0 + 0.4 * frame.grid.x, (41, 1)))
    ways = way_to_ground(evaluate, "vec3(1.0, 0.0, 2.0)", ray, 99.0, bed=inclined)
    # 0 − w·down = −2 + 0.4 (1 + w·across)
    expected = 1.6 / (downward + 0.4 * (T - 0.5) * downward)
    np.testing.assert_allclose(ways, expected, rtol=0.01)
    for texture in (flat, inclined):
        texture.release()


def test_rays_end_at_a_steep_wall(ctx, evaluate, frame):
    wall = bed_texture(ctx, np.where(frame.grid.x[None, :] > 5.0, 1.0, -2.0) * np.ones((41, 1)))
    start = "vec3(2.0 + 3.0 * t, 0.0, 0.0)"
    ways = way_to_ground(evaluate, start, "normalize(vec3(1.0, -1.0, 0.0))", 99.0, bed=wall)
    x = 2.0 + 3.0 * T + ways / np.sqrt(2.0)
    floor, hit_wall = ways / np.sqrt(2.0) > 1.97, (x > 4.97) & (x < 5.53)
    assert (floor | hit_wall).all()
    assert hit_wall[-20:].all() and floor[:10].all()
    wall.release()


def first_ground(bed, grid, start, rays, farthest):
    """Where rays first go below the ground that is interpolated between the grid's points, in steps of 2 mm."""
    ways = np.arange(0.0, farthest, 0.002)
    points = np.asarray(start)[:, None, :] + ways[None, :, None] * np.asarray(rays)[:, None, :]
    x, z = ((points[..., axis] - grid.origin[axis]) / grid.spacing for axis in (0, 2))
    i, j = (
        np.clip(np.floor(place).astype(int), 0, count - 2) for place, count in ((x, bed.shape[1]), (z, bed.shape[0]))
    )
    s, t = np.clip(x - i, 0.0, 1.0), np.clip(z - j, 0.0, 1.0)
    ground = (1 - t) * ((1 - s) * bed[j, i] + s * bed[j, i + 1]) + t * ((1 - s) * bed[j + 1, i] + s * bed[j + 1, i + 1])
    under = points[..., 1] < ground
    return np.where(under.any(axis=1), ways[under.argmax(axis=1)], np.inf)


def test_a_step_into_a_wall_goes_back_to_where_it_went_in_at_the_wall_s_foot_too(ctx, evaluate, frame):
    """There the ground bends within the step, so a straight line alone ends far too near."""
    bed = np.where(frame.grid.x[None, :] > 5.0, 4.0, -2.0) * np.ones((41, 1))
    wall = bed_texture(ctx, bed)
    for height, sink in ((0.0, 0.2), (-1.8, 0.02)):
        start, ray = f"vec3(2.0 + 2.0 * t, {height}, 0.0)", np.array((1.0, -sink, 0.37))
        found = way_to_ground(evaluate, start, f"normalize(vec3(1.0, {-sink}, 0.37))", 99.0, bed=wall)
        starts = np.stack((2.0 + 2.0 * T, height + 0.0 * T, 0.0 * T), axis=1)
        expected = first_ground(bed, frame.grid, starts, np.tile(ray / np.linalg.norm(ray), (COUNT, 1)), 9.0)
        assert (np.abs(found - expected) < 0.005).all(), np.abs(found - expected).max()
    wall.release()


@pytest.mark.parametrize("sink", [0.03, 0.3, 0.9, 3.0])
def test_no_ray_misses_a_thin_wall_however_level_or_steep_it_is(ctx, evaluate, frame, sink):
    """A wall two cells thick, on a floor with a step and a hill."""
    x, z = frame.grid.x[None, :], frame.grid.z[:, None]
    bed = np.where(np.abs(x - 5.0) < 0.6, 0.3, -2.0 + 0.8 * (x > 8.0) + 0.5 * np.exp(-((x + 4.0) ** 2) - z**2))
    texture = bed_texture(ctx, bed)
    starts = np.stack((-9.0 + 0.0 * T, -0.4 + 0.0 * T, -3.0 + 6.0 * T), axis=1)
    starts[:, 0] = 12.0 * T - 8.0 if sink > 0.1 else starts[:, 0]
    ray = np.array((1.0, -sink, 0.1)) / np.linalg.norm((1.0, -sink, 0.1))
    start = f"vec3({'12.0 * t - 8.0' if sink > 0.1 else '-9.0'}, -0.4, 6.0 * t - 3.0)"
    found = way_to_ground(evaluate, start, f"normalize(vec3(1.0, {-sink}, 0.1))", 60.0, bed=texture)
    texture.release()
    expected = first_ground(bed, frame.grid, starts, np.tile(ray, (COUNT, 1)), 30.0)
    assert np.isfinite(expected).all()
    # A ray ends where it is as near as this to the ground.
    near = 0.01 / sink + 0.03
    assert (np.abs(found - expected) < near).all(), np.abs(found - expected).max()


@pytest.mark.parametrize("share", [0.05, 0.3, 1.0, 2.0])
def test_water_is_as_rough_as_its_slopes_change_within_a_pixel(ctx, evaluate, frame, share):
    """Slopes change evenly; a tent over each pixel has a variance of a sixth of its width squared.

    Here no mipmaps hold what larger pixels do not show.
    """
    slope = 0.01 * np.arange(128, dtype=np.float32) * np.ones((128, 1), np.float32)
    values = np.stack((slope, 0.0 * slope, slope**2, 0.0 * slope), axis=-1)
    expected = pytest.approx((0.01 * min(share, 1.0)) ** 2 / 6.0, rel=0.05)
    texture = field_texture(ctx, (128, 128), 4, "f4")
    texture.write(values)
    width = share * frame.grid.size[0] / 60.0 * 61.0 / 128.0
    mapped = evaluate(f"mapped_waves(vec2(20.0 * t - 10.0, 0.0), {width}).spread", waves=texture)[:, 0]
    assert mapped.mean() == expected
    # The view says that fine waves repeat after a metre.
    fine = evaluate(f"ripples(vec2(0.1 + 0.7071 * t, 0.5), {share / 128.0}), 0.0", ("DETAIL",), detail=texture)[:, 2]
    assert fine.mean() == expected
    texture.release()
    patches = ctx.texture_array((128, 128, 2), 4, np.stack((0.0 * values, values)).tobytes(), dtype="f4")
    patches.filter = moderngl.LINEAR, moderngl.LINEAR
    beyond = f"patch_slopes(vec2(0.1 + 0.7071 * t, 0.5), vec2(0.5), 1.0, {2.0 * share / 128.0}), 0.0"
    assert evaluate(beyond, sea=patches)[:, 2].mean() == expected
    patches.release()


@pytest.fixture
def tiles(ctx):
    """The tiles of noise and of short waves with their mipmaps, by name."""
    textures = {}
    for name, tile in (("noise", noise_tile()), ("trains", train_tile())):
        texture = textures[name] = ctx.texture((SIZE, SIZE), 4, tile.tobytes(), dtype="f4")
        texture.build_mipmaps()
        texture.filter = moderngl.LINEAR_MIPMAP_LINEAR, moderngl.LINEAR
    yield textures
    for texture in textures.values():
        texture.release()


@pytest.mark.parametrize(
    ("view", "finer"), [({"grain": 320.0}, 0), ({"grain": 2400.0}, 1), ({"grain": 6000.0}, 2)], indirect=["view"]
)
def test_ripples_near_the_eye_are_as_short_in_a_scene_of_any_size(view, evaluate, tiles, finer):
    """And what pixels do not show of them makes the water rough: slopes are neither lost nor gained."""
    steepness = 0.006 + 0.001 * finer
    places = [f"{view.grain} * vec2(0.99 * t + {0.03 * k}, 0.66 * t - {0.017 * k})" for k in range(16)]

    def slopes_and_lost(width, aside=0.0):
        line = "ripples({} + vec2({}, 0.0), {}), 0.0"
        return np.concatenate([evaluate(line.format(place, aside, width), ("FINE",), **tiles) for place in places])

    def mean_square(slopes):
        return (slopes[:, :2] ** 2).sum(axis=1).mean()

    for width in (0.01, 0.1, 1.0, view.grain / 3.0):
        found = slopes_and_lost(width)
        assert 0.85 < (mean_square(found) + found[:, 2].mean()) / steepness < 1.1
    assert mean_square(found) < 1e-6
    near = slopes_and_lost(0.01)
    assert mean_square(slopes_and_lost(0.01, aside=0.3) - near) > 0.003
    # Gusts and longer ripples make some places rougher than others: were all alike, this would be 2, as of Gaussian
    # waves.
    changes = ((slopes_and_lost(0.01, aside=0.3) - near)[:, :2] ** 2).sum(axis=1)
    assert (changes**2).mean() > 2.5 * changes.mean() ** 2
    # Pixels show no waves that are as short as they are wide.
    assert mean_square(slopes_and_lost(0.2, aside=0.05) - slopes_and_lost(0.2)) < 0.03 * steepness


def test_crests_of_ripples_lie_across_the_wind_and_turn_with_it(evaluate, tiles):
    """It blows along x; waves that run aside of it run along z. None of their squares is lost."""
    for aside, along, across in (("1.0, 0.0", 0, 1), ("0.0, 1.0", 1, 0)):
        found = evaluate(f"wave_trains(vec2(97.0 * t, 61.0 * t), vec2({aside}), 0.001, 1.0)", **tiles)
        squares = (found[:, :2] ** 2).mean(axis=0)
        assert squares[along] > 2.0 * squares[across]
        assert squares.sum() == pytest.approx(1.0, rel=0.3)
    hazy = evaluate("wave_trains(vec2(97.0 * t, 61.0 * t), vec2(1.0, 0.0), 1.0, 1.0)", **tiles)
    assert hazy[:, 2].mean() == pytest.approx(1.0, rel=0.05)


@pytest.mark.parametrize("view", [{}, {"time": 1.7}], indirect=True)
def test_ripples_are_the_tile_s_waves_and_run_with_the_wind(evaluate, tiles, view):
    """Along (0.6, 0.8), in a wind along x; slopes are turned there. They are as fast as waves of a tenth of a tile."""
    tile, side, along, across = train_tile(), 256.0, np.array((0.6, 0.8)), np.array((-0.8, 0.6))
    run = view.time * np.sqrt(0.1 * 9.81 / (2.0 * np.pi * side))  # [sides]
    places = T[:, None] * np.array((97.0, 61.0)) / side
    at = np.stack((places @ along, places @ across), axis=-1)
    bend = (0.38 * at[:, ::-1] + at * (0.14, -0.11)) % 1.0 - 0.5
    at = (at + bend * (0.8 - 1.6 * np.abs(bend)) - (run, 0.0)) * SIZE - 0.5
    low = np.floor(at).astype(int)
    (x, z), (right, far) = low.T, (at - low).T[..., None]
    rows = (z % SIZE, (z + 1) % SIZE)
    here, beyond = ((1.0 - right) * tile[row, x % SIZE] + right * tile[row, (x + 1) % SIZE] for row in rows)
    expected = (1.0 - far) * here + far * beyond
    found = evaluate(f"wave_trains(vec2(97.0, 61.0) * t, vec2(0.6, 0.8), 0.1, {side})", **tiles)
    np.testing.assert_allclose(found[:, :2], expected[:, :1] * along + expected[:, 1:2] * across, atol=0.03)
    np.testing.assert_allclose(found[:, 3], expected[:, 3], atol=0.03)


@pytest.mark.parametrize("rise", [-0.5, 0.0, 0.5, 1.0])
def test_what_the_surface_mirrors_is_the_integral_beyond_snell_s_window(evaluate, rise):
    """Of even light from below, on a face whose normal rises by this sine."""
    down, turn = np.meshgrid((np.arange(2000) + 0.5) / 2000 * np.pi / 2, (np.arange(720) + 0.5) / 720 * 2.0 * np.pi)
    beyond = np.sin(down) > 1.0 / 1.333
    cosine = rise * np.cos(down) + np.sqrt(1.0 - rise * rise) * np.sin(down) * np.cos(turn)
    whole = (np.maximum(cosine, 0.0) * np.sin(down) * beyond).sum() * (np.pi / 2 / 2000) * (2.0 * np.pi / 720) / np.pi
    assert evaluate(f"mirrored_share({rise}), vec3(0.0)")[0, 0] == pytest.approx(whole, abs=0.006)


FLOOR = -6.0, -4.0, 5.0, 3.0


@pytest.mark.parametrize("view", [{"level_floor": FLOOR}], indirect=True)
def test_over_the_level_floor_of_a_pool_a_ray_goes_on_to_it_or_to_its_edge(evaluate):
    for start, ray, expected in (
        ((1.0, 0.0, 1.0), (0.3, -1.0, 0.2), 2.0),  # the floor
        ((4.0, 0.0, 1.0), (1.0, -0.1, 0.2), 1.0),  # its edges
        ((-4.0, 0.0, 1.0), (-1.0, -0.1, 0.2), 2.0),
        ((1.0, 0.0, 2.0), (0.1, -0.1, 0.5), 2.0),
        ((1.0, 0.0, -3.0), (0.1, 0.1, -0.5), 2.0),
        ((1.0, 0.0, -3.0), (0.0, -0.1, -0.5), 2.0),
        ((5.5, 0.0, 1.0), (-1.0, -0.1, 0.2), 0.0),  # from beside it
        ((1.0, 0.0, -4.5), (0.1, -0.1, 0.5), 0.0),
    ):
        at, along = (f"vec3({', '.join(map(str, each))})" for each in (start, ray))
        found = evaluate(f"way_over_floor({at}, {along}, {2.0 / max(-ray[1], 1e-4)})", ("POOL",))[:, 0]
        np.testing.assert_allclose(found, expected, rtol=1e-5)


@pytest.mark.parametrize("view", [{"level_floor": FLOOR}], indirect=True)
def test_rays_take_the_word_of_the_view_that_a_floor_is_level(ctx, evaluate, frame):
    """A post on it that is not known is not met, as it would be if rays looked for ground on their way."""
    post = np.where(np.hypot(frame.grid.x[None, :] - 2.0, frame.grid.z[:, None]) < 0.8, -0.5, -2.0)
    texture = bed_texture(ctx, post)
    start, ray = "vec3(0.0, 0.0, 0.1 * t)", "normalize(vec3(2.0, -1.0, 0.0))"
    way = f"distance_to_ground({start}, {ray}, 60.0, ground_under({start}.xz))"
    past, met = (evaluate(way, features, bed=texture)[:, 0] for features in (("POOL",), ()))
    texture.release()
    np.testing.assert_allclose(past, 2.0 * np.sqrt(5.0), rtol=1e-3)
    assert (met < 1.0 * np.sqrt(5.0)).all()


def test_what_counts_as_level_is_less_than_how_near_to_the_ground_rays_end():
    text = (data_path("shaders") / "include" / "water_rays.glsl").read_text(encoding="utf-8")
    assert float(re.search(r"CLOSE = ([\d.]+);", text)[1]) > LEVEL_RISE


@pytest.mark.parametrize("sink", [-0.2, 0.1, 0.8, 3.0])
@pytest.mark.parametrize("view", [{"level_floor": FLOOR}], indirect=True)
def test_rays_in_a_pool_end_at_its_floor_and_walls_wherever_they_begin(ctx, evaluate, frame, sink):
    x, z = frame.grid.x[None, :], frame.grid.z[:, None]
    beside = np.maximum(np.maximum(FLOOR[0] - x, x - FLOOR[2]), np.maximum(FLOOR[1] - z, z - FLOOR[3]))
    bed = np.clip(-2.0 + 1.3 * np.maximum(beside, 0.0), -2.0, 0.6)
    texture = bed_texture(ctx, bed)
    starts = np.stack((20.0 * T - 10.0, 0.0 * T, 5.0 * np.sin(40.0 * T)), axis=1)
    rays = np.stack((np.cos(25.0 * T), 0.0 * T - sink, np.sin(25.0 * T)), axis=1) / np.hypot(1.0, sink)
    start = "vec3(20.0 * t - 10.0, 0.0, 5.0 * sin(40.0 * t))"
    ray = f"normalize(vec3(cos(25.0 * t), {-sink}, sin(25.0 * t)))"
    way = f"distance_to_ground({start}, {ray}, 60.0, ground_under({start}.xz))"
    found = evaluate(way, ("POOL",), bed=texture)[:, 0]
    texture.release()
    expected = first_ground(bed, frame.grid, starts, rays, 30.0)
    over = np.isfinite(expected)
    assert (found[~over] > 30.0).all()
    near = 0.01 / max(sink, 0.1) + 0.03
    assert (np.abs(found - expected)[over] < near).all(), np.abs(found - expected)[over].max()


def test_rays_end_nowhere_where_there_is_no_ground(ctx, evaluate):
    texture = bed_texture(ctx, np.full((41, 61), -2.0))
    found = way_to_ground(evaluate, "vec3(0.0, -1.0, 0.0)", "normalize(vec3(1.0, t, 0.3))", 20.0, bed=texture)
    assert (found > 20.0).all()
    texture.release()


def test_rays_leave_the_block_at_its_sides(evaluate):
    ray = "normalize(vec3(cos(6.0 * t), -0.01, sin(6.0 * t)))"
    ways = evaluate(f"distance_to_side(vec3(0.0, -1.0, 0.0), {ray}, 0.0)")[:, 0]
    across = np.abs(np.stack((np.cos(6.0 * T), np.sin(6.0 * T)), axis=1)) / np.sqrt(1.0001)
    np.testing.assert_allclose(ways, (np.array([15.0, 10.0]) / across).min(axis=1), rtol=1e-2)


@pytest.mark.parametrize("view", [{"turbidity": 3.0}, {"air": 8.0}], indirect=True)
def test_what_is_far_away_fades_into_the_horizon_by_koschmieder_s_law(ctx, view, evaluate):
    """Beer's law on the light of the surface, and as much of the horizon's as is missing."""
    horizon = np.array([0.5, 1.0, 2.0])
    sky = ctx.texture((1, 1), 4, np.array([*horizon, 1.0], np.float32).tobytes(), dtype="f4")
    far = 40_000.0 * T[:, None]
    expression = "through_air(vec3(0.25), vec3(0.6, 0.0, 0.8), 40000.0 * t), 1.0"
    found = evaluate(expression, ("AIR",), sky_map=sky)[:, :3]
    left = np.exp(-view.light.air_dimming(float(view.camera.eye[1])) * far)
    np.testing.assert_allclose(found, 0.25 * left + horizon * (1.0 - left), rtol=2e-3)
    np.testing.assert_allclose(evaluate(expression, sky_map=sky)[:, :3], 0.25)
    sky.release()


def test_sand_and_soil_darken_as_water_fills_their_pores_rock_less_and_leaves_hardly(evaluate):
    """Albedos as in ground_maps.frag and ground_materials.glsl."""

    def darkened(red, green, blue, rock=0.0):
        dry = np.array((red, green, blue))
        wet = evaluate(f"wetted(vec3({red}, {green}, {blue}), {rock:.1f}, t), 1.0")[:, :3] / dry
        assert (np.diff(wet, axis=0) <= 1e-6).all()
        np.testing.assert_allclose(wet[0], 1.0, atol=0.01)
        return wet[-1].mean()

    for porous in ((0.60, 0.52, 0.38), (0.150, 0.125, 0.090), (0.20, 0.21, 0.19)):
        assert 0.4 < darkened(*porous) < 0.62
    rock = darkened(0.22, 0.21, 0.20, rock=1.0)
    assert 0.65 < rock < 0.8
    for leaves in ((0.090, 0.130, 0.042), (0.155, 0.172, 0.066), (0.040, 0.075, 0.028), (0.024, 0.048, 0.020)):
        assert darkened(*leaves) > 0.93
    half = darkened(0.155, 0.150, 0.078)  # grass with as much heath and earth between it
    assert darkened(0.150, 0.125, 0.090) < half < 0.95


def joint_share(places, width):
    """Share of joints, 0.055 of a tile wide, within a width around places, both in tiles."""
    around = places[:, None] + np.linspace(-0.5 * width, 0.5 * width, 4001)
    return (around % 1.0 < 0.055).mean(axis=1)


@pytest.mark.parametrize("azimuth", [0.0, 35.0, 90.0])
@pytest.mark.parametrize("on", ["floor", "wall across x", "wall across z"])
def test_joints_of_tiles_are_blurred_along_the_ray_alone(evaluate, on, azimuth):
    slant, across = 0.2, 0.35  # so little of a tile is left in a pixel that no tile has a colour of its own
    first, second = math.sqrt(1.0 - slant**2) * np.array(
        (math.cos(math.radians(azimuth)), math.sin(math.radians(azimuth)))
    )
    place, normal, ray = {
        "floor": ("vec3(3.0 * t, -2.0, 0.3 + t)", "vec3(0.0, 1.0, 0.0)", (first, -slant, second)),
        "wall across x": ("vec3(5.0, -2.0 + t, 3.0 * t)", "vec3(-1.0, 0.0, 0.0)", (slant, second, first)),
        "wall across z": ("vec3(3.0 * t, -2.0 + t, 5.0)", "vec3(0.0, 0.0, -1.0)", (first, second, slant)),
    }[on]
    seen = evaluate(
        f"vec4(pool_albedo({place}, {normal}, vec3{tuple(map(float, ray))}, {across * TILE}), 1.0)", {"POOL"}
    )
    lines = [
        joint_share(at / TILE, across * math.sqrt(1.0 + (way / slant) ** 2))
        for at, way in ((3.0 * T, first), ((0.3 if on == "floor" else -2.0) + T, second))
    ]
    joint = lines[0] + lines[1] - lines[0] * lines[1]
    assert joint.max() > 1.2 * joint.min()
    np.testing.assert_allclose(seen[:, 1], 0.63 + (0.17 - 0.63) * joint, atol=0.003)


@pytest.mark.parametrize("view", [{"clarity": 20.0, "sun_elevation": 50.0}], indirect=True)
def test_the_sunlit_floor_of_a_pool_shines_on_its_walls(ctx, evaluate, frame, view):
    """Against the sum over the whole floor, 30 m × 20 m, of what its parts send to a wall."""
    ones = ctx.texture((1, 1), 4, np.ones(4, np.float32).tobytes(), dtype="f4")
    wall = "vec3(box_low.x, lowest_ground * (1.0 - t), 0.0), vec3(1.0, 0.0, 0.0), vec3(1.0), 1.0"
    floor = "lit_in_water(vec3(0.0, lowest_ground, 0.0), vec3(0.0, 1.0, 0.0), LINING, 1.0, vec3(1.0))"
    mirrored = "light_mirrored(water_level - lowest_ground * (1.0 - t), vec3(1.0, 0.0, 0.0))"
    own = f"lit_in_water({wall}, vec3(1.0)) + {mirrored}"
    shares = evaluate(f"vec4((lit_below({wall}, 1.0, 0.1) - ({own})) / {floor}, 1.0)", {"POOL"}, caustic_map=ones)
    ones.release()
    x, z = np.meshgrid(np.arange(0.005, 30.0, 0.01), np.arange(-9.95, 10.0, 0.1))
    for t, share in zip(T[2::8], shares[2::8, 1], strict=True):
        height = -view.bounds.low[1] * t
        apart = x**2 + z**2 + height**2
        assert share == pytest.approx((height * x / (np.pi * apart**2)).sum() * 0.01 * 0.1, rel=0.15)


@pytest.mark.parametrize("view", [{"sun_elevation": 90.0}], indirect=True)
def test_a_wall_has_its_own_sunlight_and_that_of_the_floor_before_it(ctx, evaluate, view):
    """The sun stands overhead, and half of the caustic map, which covers a square metre here, is dark."""
    texture = ctx.texture((64, 1), 4, np.repeat(np.arange(64) >= 32, 4).astype(np.float32).tobytes(), dtype="f4")
    texture.repeat_x = texture.repeat_y = False
    # Walls beside the middle of the map that look across it; the patch of floor that lights them lies beyond.
    at = "vec3(0.5 + 0.05 * {}, mix(lowest_ground, water_level, 0.5 + 0.3 * t), 0.0)"
    plain = "lit_in_water({0}, {1}, vec3(1.0), 0.0, vec3({2}))"
    for side in (-1, 1):
        wall, normal = at.format(float(-side)), f"vec3({side}.0, 0.0, 0.0)"
        seen = evaluate(f"lit_below({wall}, {normal}, vec3(1.0), 0.0, 1.0, 0.01), 1.0", {"POOL"}, caustic_map=texture)[
            :, :3
        ]
        own = evaluate(f"{plain.format(wall, normal, '0.0' if side > 0 else '1.0')}, 1.0", {"POOL"})[:, :3]
        floor = evaluate(f"light_from_floor({wall}, {normal}, 0.0, vec3({int(side > 0)}.0)), 1.0", {"POOL"})[:, :3]
        np.testing.assert_allclose(seen, own + floor, rtol=1e-3, atol=1e-4)
        assert (own.max(axis=1) > 0.0).all() == (side < 0) and (floor.max(axis=1) > 0.0).all() == (side > 0)
    texture.release()
