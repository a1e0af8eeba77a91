import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import moderngl
import pytest
from support import pictures
from support.shader_variants import asked_for, drawn_with, variants

from waterview.core.files import data_path
from waterview.render.gl.shaders import Shader, ShaderError, Source
from waterview.render.render_pass import FEATURES

VERTEX = "#version 330\nvoid main() { gl_Position = vec4(0.0); }\n"


@pytest.fixture
def folder(tmp_path):
    (tmp_path / "include").mkdir()

    def write(**files):
        for name, text in files.items():
            stem, _, kind = name.rpartition("_")
            place = tmp_path / "include" if kind == "glsl" else tmp_path
            (place / f"{stem}.{kind}").write_text(text)
        return tmp_path

    return write


def test_includes_are_put_in_place_once_and_lines_keep_their_numbers(folder):
    path = folder(
        a_frag='#version 330\n#include "b.glsl"\n#include "c.glsl"\n#include "b.glsl"\nvoid main() {}\n',
        b_glsl="float b;\n",
        c_glsl='#include "b.glsl"\nfloat c;\n',
    )
    source = Source(path / "a.frag", {"DETAIL": 3})
    assert source.text.splitlines() == ["#version 330", "#define DETAIL 3", "float b;", "float c;", "void main() {}"]
    assert source.places[2:] == [("b.glsl", 1), ("c.glsl", 2), ("a.frag", 5)]


def test_lists_are_put_in_place_as_often_as_they_are_asked_for(folder):
    path = folder(a_frag='#version 330\n#include "b.list"\n#include "b.list"\n')
    (path / "include" / "b.list").write_text("MEMBER(float, b)\n")
    source = Source(path / "a.frag")
    assert source.text.splitlines()[1:] == ["MEMBER(float, b)"] * 2
    assert source.places[1:] == [("b.list", 1)] * 2


def test_messages_of_several_drivers_are_located(folder):
    source = Source(folder(a_frag='#version 330\n#include "b.glsl"\nvoid main() {}\n', b_glsl="\nfloat b\n") / "a.frag")
    assert source.located("0:3(2): error: x") == "b.glsl:2(2): error: x"
    assert source.located("0(4) : error C0000: x") == "a.frag:3 : error C0000: x"
    assert source.located("ERROR: 0:3: x") == "ERROR: b.glsl:2: x"
    assert source.located("0:99: x") == "0:99: x"


def test_a_missing_include_names_the_line_that_asked_for_it(folder):
    path = folder(a_frag='#version 330\n\n#include "gone.glsl"\n')
    with pytest.raises(ShaderError, match=r'a\.frag:3: #include "gone\.glsl": no file .*gone\.glsl'):
        Source(path / "a.frag")


def test_a_missing_shader_is_named(tmp_path):
    with pytest.raises(ShaderError, match=r"'a\.frag'"):
        Source(tmp_path / "a.frag")


def test_a_shader_has_to_begin_with_its_version(folder):
    with pytest.raises(ShaderError, match=r"a\.frag:1: .*#version 330"):
        Source(folder(a_frag="void main() {}\n") / "a.frag")


def test_compile_errors_name_file_and_line_through_includes(ctx, folder):
    path = folder(
        a_vert=VERTEX,
        a_frag='#version 330\n#include "b.glsl"\nout vec4 c;\nvoid main() { c = vec4(1.0); }\n',
        b_glsl="float fine() { return 1.0; }\n\nfloat broken() { return nonsense; }\n",
    )
    with pytest.raises(ShaderError, match=r"(?s)'a' does not compile.*b\.glsl:3.*nonsense"):
        Shader(ctx, "a", folder=path)


def test_errors_after_an_include_count_on_in_the_including_file(ctx, folder):
    path = folder(a_vert=VERTEX, a_frag='#version 330\n#include "b.glsl"\n\nwrong;\n', b_glsl="float b;\n\n\n\n\n")
    with pytest.raises(ShaderError, match=r"a\.frag:4"):
        Shader(ctx, "a", folder=path)


def test_defines_reach_both_stages_and_unused_uniforms_may_be_set(ctx, folder):
    path = folder(
        a_vert="#version 330\nvoid main() { gl_Position = vec4(VALUE); }\n",
        a_frag="#version 330\nuniform float used, unused;\nout vec4 c;\nvoid main() { c = vec4(used * VALUE); }\n",
    )
    shader = Shader(ctx, "a", defines={"VALUE": 0.5}, folder=path)
    shader.set(used=2.0, unused=3.0, unknown=4.0)
    assert shader.program["used"].value == 2.0
    shader.release()


def test_samplers_find_their_textures_in_whatever_order_they_are_given(ctx, folder):
    path = folder(
        a_vert="#version 330\n"
        "void main() { gl_Position = vec4(4.0 * vec2(gl_VertexID & 1, gl_VertexID >> 1) - 1.0, 0.0, 1.0); }\n",
        a_frag="#version 330\nuniform sampler2D one, two;\nout vec4 c;\n"
        "void main() { c = vec4(texelFetch(one, ivec2(0), 0).r, texelFetch(two, ivec2(0), 0).r, 0.0, 1.0); }\n",
    )
    shader = Shader(ctx, "a", folder=path)
    one, two = (ctx.texture((1, 1), 1, bytes([value])) for value in (50, 200))
    target, triangle = ctx.simple_framebuffer((1, 1)), ctx.vertex_array(shader.program, [])
    ctx.enable_only(moderngl.NOTHING)  # other tests draw with a depth test
    for textures in ({"one": one, "two": two}, {"two": two, "one": one}, {"two": one, "one": two}):
        target.use()
        shader.use(**textures)
        triangle.render(moderngl.TRIANGLES, vertices=3)
        expected = bytes([50, 200]) if textures["one"] is one else bytes([200, 50])
        assert target.read(components=2) == expected
    ctx.rest.use()
    for each in (triangle, target, one, two, shader):
        each.release()


def test_no_shader_asks_for_more_than_opengl_3_3():
    shaders = [path for path in data_path("shaders").rglob("*") if path.suffix in {".vert", ".frag", ".glsl"}]
    assert len(shaders) > 15
    for path in shaders:
        first = path.read_text().splitlines()[0]
        assert first.startswith("#version 330") if path.suffix != ".glsl" else not first.startswith("#version"), path


@pytest.mark.slow
@pytest.mark.skipif(shutil.which("glslangValidator") is None, reason="glslangValidator is not installed")
def test_the_reference_compiler_links_what_a_scene_draws_without_a_word(ctx, tmp_path, monkeypatch):
    """glslangValidator keeps to the standard where drivers are generous (Debian's package glslang-tools)."""
    compile_here, seen = moderngl.Context.program, set()

    def program(self, *, vertex_shader, fragment_shader=None, **more):
        seen.add((vertex_shader, fragment_shader))
        return compile_here(self, vertex_shader=vertex_shader, fragment_shader=fragment_shader, **more)

    monkeypatch.setattr(moderngl.Context, "program", program)
    pictures.draw(ctx, "dive", "medium")
    assert len(seen) > 20
    for vertex, fragment in seen:
        paths = [tmp_path / "a.vert", tmp_path / "a.frag"][: 1 + (fragment is not None)]
        for path, text in zip(paths, (vertex, fragment), strict=False):
            path.write_text(text)
        done = subprocess.run(["glslangValidator", "-l", *paths], capture_output=True, text=True, check=False)
        told = [line for line in done.stdout.splitlines() if line and line not in map(str, paths)]
        assert (done.returncode, told) == (0, []), fragment


def test_variants_that_conditions_make_the_same_count_once(folder):
    lines = "#if A && !B", "float first;", "#elif B || C", "float second;", "#if C", "float third;", "#endif", "#endif"
    path = folder(a_frag="\n".join(("#version 330", "#define C 1", *lines, "void main() {}", "")))
    texts = [kept for *_, kept in variants(path, "a", ".frag", {}, ("A", "B", "UNUSED"), [])]
    assert sorted(len(re.findall("float", text)) for text in texts) == [1, 2]
    assert {name for text in texts for name in re.findall(r"float (\w+)", text)} == {"first", "second", "third"}


DRAW_EVERYTHING = """
import moderngl
from support.scenes import make_frame
from waterview.render.camera.camera import OrbitCamera
from waterview.render.renderer import Renderer
from waterview.render.settings import ViewParams

ctx = moderngl.create_context(standalone=True, backend="egl", require=330)
print(ctx.version_code)
frame = make_frame()
target = ctx.simple_framebuffer((64, 36))
for quality in ("low", "medium", "high"):
    renderer = Renderer(ctx, ViewParams(quality=quality))
    renderer.render(frame, OrbitCamera.framing(frame), (64, 36), target)
    assert renderer.snapshot(target, (64, 36)).std() > 5.0
    assert ctx.error == "GL_NO_ERROR", ctx.error
"""


@pytest.mark.slow
def test_every_pass_works_on_opengl_4_1_as_macs_have_it():
    here = str(Path(__file__).parents[2])
    environment = {
        **os.environ,
        "PYTHONPATH": os.pathsep.join(filter(None, (here, os.environ.get("PYTHONPATH")))),
        "MESA_GL_VERSION_OVERRIDE": "4.1FC",
        "MESA_GLSL_VERSION_OVERRIDE": "410",
    }
    done = subprocess.run(
        [sys.executable, "-c", DRAW_EVERYTHING],
        env=environment,
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout.strip() == "410"


SAMPLERS = {0x8B5E, 0x8B5F, 0x8DC1, 0x8DCA, 0x8DD2}
"""OpenGL's numbers of the kinds of samplers that shaders have: 2D, 3D, arrays of 2D, and integer 2D, signed or not."""


@pytest.mark.slow
@pytest.mark.parametrize("never", [{"SWELL", "DETAIL"}, {"SWELL", "WIND"}, {"SHIFTED", "WIND", "DETAIL"}])
@pytest.mark.parametrize("under_water", [False, True])
def test_no_shader_looks_up_more_textures_than_every_card_has_units(ctx, never, under_water):
    """Sixteen, on some. Waves come in where nothing moves sideways and no wind is known; a wind's sea has no detail."""
    scene = frozenset(FEATURES) - never - {"POOL", "DRAPE"} - (set() if under_water else {"UNDERWATER"})
    counts = {}
    for name, vertex, defines, flags in asked_for(ctx):
        if "POOL" in flags and defines.get("FINE", 1):
            for features in drawn_with(name, scene):
                chosen = {flag: int(flag in features) for flag in flags} | defines
                shader = Shader(ctx, name, vertex=vertex, defines=chosen)
                kinds = [getattr(shader.program[member], "gl_type", None) for member in shader.program]
                counts[name] = max(counts.get(name, 0), sum(kind in SAMPLERS for kind in kinds))
                shader.release()
    assert 8 < max(counts.values()) <= 16, counts
