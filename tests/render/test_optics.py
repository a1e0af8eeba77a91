"""The shaders' own functions against closed forms, evaluated pixel by pixel."""

import shutil

import moderngl
import numpy as np
import pytest
from scenes import make_frame

from waterview.render.bounds import Bounds
from waterview.render.camera import OrbitCamera
from waterview.render.kinds import FLAGS
from waterview.render.light import RAYLEIGH, Light, air_mass
from waterview.render.settings import ViewParams
from waterview.render.shaders import Shader
from waterview.render.view import View, ViewBlock
from waterview.resources import data_path

COUNT = 64
INCLUDES = ("water", "bicubic")


@pytest.fixture
def frame():
    return make_frame()


@pytest.fixture
def view(frame):
    bounds = Bounds.of(frame)
    return View(OrbitCamera.framing(frame), frame.grid, bounds, Light.of(ViewParams(), bounds), (640, 360), 0.0)


@pytest.fixture
def evaluate(ctx, tmp_path, view):
    """Value of a GLSL expression at `COUNT` values of t between 0 and 1, shape (COUNT, 4)."""
    shutil.copytree(data_path("shaders") / "include", tmp_path / "include")
    shutil.copy(data_path("shaders") / "screen.vert", tmp_path)
    block = ViewBlock(ctx)
    block.write(view)
    result = ctx.texture((COUNT, 1), 4, dtype="f4")
    framebuffer = ctx.framebuffer([result])

    def value(expression, **textures):
        samplers = "".join(f"uniform sampler2D {name};\n" for name in textures if name != "bed")
        body = "".join(f'#include "{name}.glsl"\n' for name in INCLUDES) + samplers
        main = f"void main() {{ float t = uv.x; result = vec4({expression}); }}"
        (tmp_path / "probe.frag").write_text(f"#version 330\nin vec2 uv;\nout vec4 result;\n{body}{main}\n")
        shader = Shader(
            ctx,
            "probe",
            vertex="screen",
            defines={"STEEP": 1, "FINE": 0, "DIRECT": 0, **dict.fromkeys(FLAGS, 0)},
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


def test_daylight_fades_exponentially(evaluate, view):
    light = evaluate("daylight_under_water(5.0 * t), 1.0")[:, :3]
    slope = np.diff(np.log(light), axis=0) / (5.0 / COUNT)
    expected = np.broadcast_to(-0.65 * view.light.absorption, slope.shape)
    np.testing.assert_allclose(slope, expected, rtol=1e-2)


def test_sky_directions_survive_the_map(evaluate):
    circle = "0.7 * cos(20.0 * t), 0.2 + 0.5 * t, 0.7 * sin(20.0 * t)"
    there = evaluate(f"normalize(vec3({circle})), 0.0")
    back = evaluate(f"sky_direction(sky_uv(normalize(vec3({circle})))), 0.0")
    np.testing.assert_allclose(back, there, atol=1e-5)


def test_air_mass_is_the_same_in_both_languages(evaluate):
    expected = [air_mass(2.0 * t - 1.0) for t in T]
    np.testing.assert_allclose(evaluate("air_mass(2.0 * t - 1.0)")[:, 0], expected, rtol=1e-5)


def test_the_sky_is_blue_above_and_brighter_at_the_horizon(evaluate):
    sky = evaluate("sky_radiance(normalize(vec3(1.0 - t, t, -0.3))), 0.0")[:, :3]
    assert np.isfinite(sky).all() and (sky > 0.0).all()
    assert sky[-1, 2] > 1.8 * sky[-1, 0]
    assert sky[0].sum() > 1.5 * sky[-1].sum()
    assert RAYLEIGH[2] > RAYLEIGH[0]


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


def bed_texture(ctx, bed):
    texture = ctx.texture(bed.shape[::-1], 1, bed.astype(np.float32).tobytes(), dtype="f4")
    texture.repeat_x = texture.repeat_y = False
    texture.filter = moderngl.LINEAR, moderngl.LINEAR
    return texture


def test_rays_end_on_flat_and_on_inclined_ground(ctx, evaluate, frame):
    ray = "normalize(vec3(t - 0.5, -1.0, 0.3))"
    downward = 1.0 / np.sqrt((T - 0.5) ** 2 + 1.0 + 0.09)
    flat = bed_texture(ctx, np.full((41, 61), -2.0))
    ways = evaluate(f"way_to_ground(vec3(1.0, 0.0, 2.0), {ray}, 99.0)", bed=flat)[:, 0]
    np.testing.assert_allclose(ways, 2.0 / downward, rtol=1e-3)
    inclined = bed_texture(ctx, np.tile(-2.0 + 0.4 * frame.grid.x, (41, 1)))
    ways = evaluate(f"way_to_ground(vec3(1.0, 0.0, 2.0), {ray}, 99.0)", bed=inclined)[:, 0]
    # 0 − w·down = −2 + 0.4 (1 + w·across)
    expected = 1.6 / (downward + 0.4 * (T - 0.5) * downward)
    np.testing.assert_allclose(ways, expected, rtol=0.01)
    for texture in (flat, inclined):
        texture.release()


def test_rays_end_at_a_steep_wall(ctx, evaluate, frame):
    wall = bed_texture(ctx, np.where(frame.grid.x[None, :] > 5.0, 1.0, -2.0) * np.ones((41, 1)))
    start = "vec3(2.0 + 3.0 * t, 0.0, 0.0)"
    ways = evaluate(f"way_to_ground({start}, normalize(vec3(1.0, -1.0, 0.0)), 99.0)", bed=wall)[:, 0]
    x = 2.0 + 3.0 * T + ways / np.sqrt(2.0)
    floor, hit_wall = ways / np.sqrt(2.0) > 1.97, (x > 4.97) & (x < 5.53)
    assert (floor | hit_wall).all()
    assert hit_wall[-20:].all() and floor[:10].all()
    wall.release()


def test_rays_leave_the_block_at_its_sides(evaluate, view):
    ways = evaluate("way_out(vec3(0.0, -1.0, 0.0), normalize(vec3(cos(6.0 * t), -0.01, sin(6.0 * t))))")[:, 0]
    across = np.abs(np.stack((np.cos(6.0 * T), np.sin(6.0 * T)), axis=1)) / np.sqrt(1.0001)
    np.testing.assert_allclose(ways, (np.array([15.0, 10.0]) / across).min(axis=1), rtol=1e-2)
