"""What rays know of bodies (include/bodies.glsl), evaluated point by point."""

import shutil

import moderngl
import numpy as np
import pytest

from waterview.bodies.kinds import shape_of
from waterview.core.body import BodyState, Mesh
from waterview.core.files import data_path
from waterview.render.bodies.bodies import table_row
from waterview.render.bodies.distance_volume import POINTS, distance_volume
from waterview.render.gl.shaders import Shader

MET = (
    "int body; vec3 albedo; float path = body_hit(point, direction, 10.0, body);"
    "body_surface(0, point + path * direction, albedo); result = vec4(albedo, body < 0 ? -1.0 : path);"
)
"""Albedo where a ray meets a body, and how far that is; -1 if it meets none."""


@pytest.fixture
def evaluate(ctx, tmp_path):
    """evaluate(statements, bodies, points, directions) → what they leave in `result`, shape (n, 4)."""
    shutil.copytree(data_path("shaders") / "include", tmp_path / "include")
    shutil.copy(data_path("shaders") / "screen.vert", tmp_path)
    made = []

    def value(statements, bodies, points, directions):
        volumes = [distance_volume(body.mesh) for body in bodies]
        rows = [
            table_row(body, volume, layer) for layer, (body, volume) in enumerate(zip(bodies, volumes, strict=True))
        ]
        texels = np.concatenate([volume.texels for volume in volumes])
        given = [np.insert(vectors, 3, 0.0, axis=1).astype(np.float32) for vectors in (points, directions)]
        textures = {
            "body_table": ctx.texture((rows[0].shape[0], len(rows)), 4, np.stack(rows).tobytes(), dtype="f4"),
            "body_volumes": ctx.texture3d((POINTS, POINTS, POINTS * len(bodies)), 4, texels.tobytes(), dtype="f2"),
            "points": ctx.texture((len(points), 1), 4, given[0].tobytes(), dtype="f4"),
            "directions": ctx.texture((len(points), 1), 4, given[1].tobytes(), dtype="f4"),
        }
        (tmp_path / "probe.frag").write_text(
            "#version 330\nin vec2 uv;\nout vec4 result;\nuniform sampler2D points;\nuniform sampler2D directions;\n"
            'const float PI = 3.14159265358979;\n#include "bodies.glsl"\nvoid main() {\n'
            "    vec3 point = texelFetch(points, ivec2(gl_FragCoord.xy), 0).xyz;\n"
            "    vec3 direction = texelFetch(directions, ivec2(gl_FragCoord.xy), 0).xyz;\n"
            f"    {statements}\n}}\n"
        )
        shader = Shader(ctx, "probe", vertex="screen", defines={"FINE": 0}, folder=tmp_path)
        target = ctx.texture((len(points), 1), 4, dtype="f4")
        framebuffer = ctx.framebuffer([target])
        framebuffer.use()
        ctx.enable_only(moderngl.NOTHING)
        shader.use(**{name: texture for name, texture in textures.items() if name in shader.program})
        vertices = ctx.vertex_array(shader.program, [])
        vertices.render(moderngl.TRIANGLES, vertices=3)
        made.extend((*textures.values(), framebuffer, target, shader, vertices))
        return np.frombuffer(target.read(), np.float32).reshape(-1, 4).astype(np.float64)

    yield value
    ctx.simple_framebuffer((1, 1)).use()
    for thing in made:
        thing.release()


def body_of(mesh, position=(0.0, 0.0, 0.0), rotation=None, size=1.0):
    rotation = np.eye(3) if rotation is None else rotation
    return BodyState(1, "body", mesh, np.array(position), rotation, np.full(3, size), 500.0)


@pytest.mark.slow
@pytest.mark.parametrize("thickness", [0.0115, 0.013, 0.02])
def test_a_thin_plank_has_the_colour_of_the_face_that_a_ray_meets(evaluate, thickness):
    """A boat's side is thinner than the shortest step of a ray, 1/64."""
    unit = shape_of("box").visual_mesh
    front = unit.normals[:, 2] > 0.5
    colours = np.where(front[:, None], (255, 0, 0), (0, 0, 255)).astype(np.uint8)
    plank = Mesh(unit.vertices * np.array((1.0, 0.5, thickness), np.float32), unit.normals, unit.indices, colours)
    random = np.random.default_rng(1)
    aims = np.insert(random.uniform((-0.4, -0.2), (0.4, 0.2), (400, 2)), 2, 0.0, axis=1)
    starts = np.insert(random.uniform((-0.4, -0.4), (0.4, 0.4), (400, 2)), 2, 0.5, axis=1)
    rays = aims - starts
    rays /= np.linalg.norm(rays, axis=1, keepdims=True)
    seen = evaluate(
        MET,
        (body_of(plank),),
        starts,
        rays,
    )
    assert (seen[:, 3] > 0.0).all()
    assert (seen[:, 0] > 0.9).all() and (seen[:, 2] < 0.1).all()
    met = starts + seen[:, 3:] * rays
    assert np.abs(met[:, 2] - 0.5 * thickness).max() < 0.5 / POINTS


def tub(shift, thickness):
    """A box of side 0.5 and before it a board, seen from −x; the faces that look there are red, all others blue."""
    unit = shape_of("box").visual_mesh
    block = 0.5 * unit.vertices + np.array((0.25, 0.0, 0.0), np.float32)
    board = unit.vertices * np.array((thickness, 0.5, 0.5), np.float32)
    board += np.array((-0.4 + shift, 0.0, 0.0), np.float32)
    colours = np.where(unit.normals[:, :1] < -0.5, (255, 0, 0), (0, 0, 255)).astype(np.uint8)
    return Mesh(
        np.concatenate((block, board)),
        np.tile(unit.normals, (2, 1)),
        np.concatenate((unit.indices, unit.indices + len(unit.vertices))).astype(np.uint32),
        np.tile(colours, (2, 1)),
    )


@pytest.mark.slow
@pytest.mark.parametrize("thickness", [0.001, 0.004, 0.012])
def test_no_ray_goes_through_a_board_between_two_points_of_the_volume(evaluate, thickness):
    """Before, a boat's mirror image had no stern: its bulwark is thinner than the points are apart."""
    random = np.random.default_rng(3)
    for share in np.arange(0.0, 1.0, 0.17):
        mesh = tub(share * 1.1 / POINTS, thickness)
        face = mesh.vertices[:, 0].min()
        aims = np.insert(random.uniform(-0.22, 0.22, (300, 2)), 0, face, axis=1)
        starts = np.insert(random.uniform(-0.22, 0.22, (300, 2)), 0, face - 0.3, axis=1)
        rays = unit(aims - starts)
        seen = evaluate(
            MET,
            (body_of(mesh),),
            starts,
            rays,
        )
        assert (seen[:, 3] > 0.0).all()
        met = starts + seen[:, 3:] * rays
        assert np.abs(met[:, 0] - face).max() < 0.5 / POINTS
        assert (seen[:, 0] > 0.9).mean() > 0.99


@pytest.mark.slow
def test_the_colours_of_a_ball_end_where_they_end_on_its_mesh(evaluate):
    """Before, seen by rays, their borders had steps of half a point of a volume beside those that are seen directly."""
    random = np.random.default_rng(4)
    points = 0.5 * unit(random.normal(size=(3000, 3)))
    albedo = evaluate(
        "vec3 albedo; body_surface(0, point, albedo); result = vec4(albedo, 1.0);",
        (body_of(shape_of("sphere").visual_mesh), body_of(tub(0.0, 0.01))),
        points,
        points,
    )
    sector = np.arctan2(-points[:, 2], points[:, 0]) / (np.pi / 3.0) % 6.0  # of six; every other one is red
    aside = np.abs((sector + 0.5) % 1.0 - 0.5) * (np.pi / 3.0) * np.hypot(points[:, 0], points[:, 2])
    clear = aside > 0.25 / POINTS
    assert clear.mean() > 0.9
    expected = np.where(sector.astype(int) % 2 == 1, (42 / 255) ** 2.2, (238 / 255) ** 2.2)
    np.testing.assert_allclose(albedo[clear, 1], expected[clear], atol=0.01)


@pytest.mark.slow
def test_the_borders_of_a_balls_colours_are_no_stairs(evaluate):
    """Along one, each place has about as much of either colour; stairs would be all the one or all the other."""
    height = np.linspace(-0.3, 0.3, 200)
    out, angle = np.sqrt(0.25 - height**2), np.pi / 3.0
    points = np.stack((out * np.cos(angle), height, -out * np.sin(angle)), axis=1)
    albedo = evaluate(
        "vec3 albedo; body_surface(0, point, albedo); result = vec4(albedo, 1.0);",
        (body_of(shape_of("sphere").visual_mesh),),
        points,
        points,
    )
    assert albedo[:, 1].std() < 0.06


SKY = "result = vec4(sky_past_bodies(point, direction));"


def directions(normal, count=250):
    """Directions over a surface, `count`² as evenly spread as its light counts (cosine-weighted), shape (n, 3)."""
    steps = (np.arange(count) + 0.5) / count
    radius, angle = (grid.ravel() for grid in np.meshgrid(np.sqrt(steps), 2.0 * np.pi * steps))
    one = np.cross(normal, np.eye(3)[np.argmin(np.abs(normal))])
    one /= np.linalg.norm(one)
    height = np.sqrt(1.0 - radius**2)
    aside = np.stack((radius * np.cos(angle), radius * np.sin(angle), height), axis=1)
    return aside @ np.stack((one, np.cross(normal, one), normal))


def sees_ball(point, rays):
    """Which rays from a point meet the ball of radius 1/2 around the origin."""
    ahead = -(rays @ point)
    return (ahead > 0.0) & (point @ point - ahead**2 < 0.25)


def sees_box(point, rays):
    """Which rays from a point meet the cube of side 1 around the origin."""
    planes = (np.array(((-0.5,), (0.5,)))[:, :, None] - point) / (rays + 1e-12)
    enter, leave = planes.min(axis=0).max(axis=1), planes.max(axis=0).min(axis=1)
    return (leave > 0.0) & (enter < leave)


def unit(vectors):
    return vectors / np.linalg.norm(vectors, axis=-1, keepdims=True)


@pytest.mark.slow
def test_balls_hide_as_much_of_the_sky_as_their_form_factors_say(evaluate):
    """Against rays counted one by one, also where the surface's horizon cuts the ball."""
    random = np.random.default_rng(2)
    points = unit(random.normal(size=(50, 3))) * random.uniform(0.52, 1.6, (50, 1))
    normals = unit(random.normal(size=(50, 3)))
    found = 1.0 - evaluate(SKY, (body_of(shape_of("sphere").visual_mesh),), points, normals)[:, 0]
    expected = [sees_ball(point, directions(normal)).mean() for point, normal in zip(points, normals, strict=True)]
    assert (np.array(expected) > 0.2).sum() > 5
    np.testing.assert_allclose(found, expected, atol=0.04)
    assert np.abs(found - expected).mean() < 0.004
    uncut = ((points * normals).sum(axis=1) < -0.5) | (found == 0.0)
    np.testing.assert_allclose(found[uncut], np.array(expected)[uncut], atol=0.004)


@pytest.mark.slow
def test_boxes_hide_about_as_much_of_the_sky_as_their_form_factors_say(evaluate):
    """On the ground at their foot, under them, and some way off."""
    x, z = (grid.ravel() for grid in np.meshgrid(np.linspace(0.53, 3.0, 8), np.linspace(0.0, 1.5, 4)))
    points, level = np.stack((x, np.full(32, -0.5), z), axis=1), np.tile((0.0, 1.0, 0.0), (32, 1))
    found = 1.0 - evaluate(SKY, (body_of(shape_of("box").visual_mesh),), points, level)[:, 0]
    expected = [sees_box(point, directions(normal)).mean() for point, normal in zip(points, level, strict=True)]
    np.testing.assert_allclose(found, expected, atol=0.1)
    assert found[0] == pytest.approx(0.5, abs=0.08)


@pytest.mark.slow
def test_light_around_a_point_is_shaded_by_as_much_of_a_body_as_is_near_it(evaluate):
    """In the shade of a ball: its outline within a narrow beam, hardly anything of it within a wide one."""
    aside = np.linspace(0.0, 2.0, 41)
    points = np.stack((aside, np.full(41, -2.0), np.zeros(41)), axis=1)
    ball, up = (body_of(shape_of("sphere").visual_mesh),), np.tile((0.0, 1.0, 0.0), (41, 1))
    narrow, middle, wide = (
        evaluate(f"result = vec4(sunlight_around(point, direction, {width}));", ball, points, up)[:, 0]
        for width in (0.0, 0.5, 3.0)
    )
    np.testing.assert_array_equal(narrow[aside < 0.48], 0.0)
    np.testing.assert_array_equal(narrow[aside > 0.52], 1.0)
    assert middle[0] < 0.1 and middle[aside > 1.0].min() == 1.0
    assert (np.diff(middle) > -1e-6).all() and np.diff(middle).max() < 0.12
    assert 0.97 < wide.min() < 0.995
