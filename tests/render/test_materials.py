"""Pixels of one material are picked by their depth, which no driver's rounding takes for that of another."""

import shutil

import moderngl
import numpy as np
import pytest

from waterview.core.files import data_path
from waterview.render.gl.shaders import Shader
from waterview.render.gl.targets import Target
from waterview.render.materials import BACKGROUND, FOAMY_WATER, MaterialDepth

MATERIALS = np.arange(BACKGROUND, FOAMY_WATER + 1)
STEPS = 2**24 - 1
"""Of a depth buffer of 24 bits."""
WHITE = "#version 330\nout vec4 colour;\nvoid main() { colour = vec4(1.0); }\n"


@pytest.fixture
def prepared(ctx):
    """A target with the depths of a geometry buffer that has a column of each material."""
    gbuffer, target = (Target(ctx, "4f2", depth=True, size=(len(MATERIALS), 2)) for _ in range(2))
    gbuffer.colour.write(np.broadcast_to(MATERIALS[:, None], (2, len(MATERIALS), 4)).astype(np.float16).tobytes())
    shader = MaterialDepth(ctx)
    shader.fill(gbuffer.as_gbuffer, target, clear=True)
    yield target
    ctx.rest.use()
    for thing in (shader, gbuffer, target):
        thing.release()


@pytest.mark.parametrize("material", MATERIALS)
def test_a_material_is_drawn_on_its_own_pixels_and_on_no_others(ctx, prepared, tmp_path, material):
    shutil.copytree(data_path("shaders") / "include", tmp_path / "include")
    shutil.copy(data_path("shaders") / "material.vert", tmp_path)
    (tmp_path / "white.frag").write_text(WHITE)
    defines = {"MATERIAL": material, "VIEW_AS_VARYINGS": 0}
    shader = Shader(ctx, "white", vertex="material", defines=defines, folder=tmp_path)
    prepared.framebuffer.use()
    ctx.enable_only(moderngl.DEPTH_TEST)
    ctx.depth_func = "=="
    vertices = ctx.vertex_array(shader.program, [])
    vertices.render(moderngl.TRIANGLES, vertices=3)
    ctx.depth_func = "<"
    drawn = np.frombuffer(prepared.colour.read(), np.float16).reshape(2, -1, 4)[..., 0]
    np.testing.assert_array_equal(drawn, np.broadcast_to(material == MATERIALS, drawn.shape))
    for thing in (vertices, shader):
        thing.release()


def test_no_material_s_depth_lies_half_way_between_two_steps(prepared):
    """Drivers may round what lies half way either way, and the cut sides' pixels would be lost."""
    read = prepared.framebuffer.read(components=1, attachment=-1, dtype="f4")
    depths = np.frombuffer(read, np.float32).reshape(2, -1)[0]
    eighths = np.round(depths * 32.0) / 32.0
    np.testing.assert_allclose(depths, eighths, atol=1.0 / STEPS)
    steps = eighths.astype(float) * STEPS
    assert np.abs(steps % 1.0 - 0.5).min() > 0.02
