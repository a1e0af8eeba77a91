"""What every pass declares, and the order of passes that follows from it."""

import re

import moderngl
import numpy as np
import pytest
from support import pictures
from support.scenes import make_frame

from waterview.core.files import data_path
from waterview.render.camera.camera import OrbitCamera
from waterview.render.gl.shaders import Fill, ShaderError, Source
from waterview.render.passes import PASSES, Passes, check_order, table
from waterview.render.quality import TIERS
from waterview.render.render_pass import RenderPass
from waterview.render.renderer import Renderer
from waterview.render.settings import ViewParams
from waterview.render.view import ViewBlock

SAMPLER = re.compile(r"^uniform u?sampler[23]D(?:Array)? (\w+);", re.M)


def samplers(name):
    """All that a shader and its includes may read."""
    files = [data_path("shaders") / f"{name}{ending}" for ending in (".vert", ".frag")]
    return {found for path in files if path.is_file() for found in SAMPLER.findall(Source(path).text)}


@pytest.mark.parametrize("kind", PASSES, ids=lambda kind: kind.name)
def test_a_pass_declares_shaders_that_are_there_and_reads_what_they_can_read(kind):
    for name in kind.shaders:
        assert any((data_path("shaders") / f"{name}{ending}").is_file() for ending in (".vert", ".frag"))
    assert set(kind.reads) <= set().union(*map(samplers, kind.shaders))
    assert kind.writes


def test_names_are_unique_and_the_table_has_them_all():
    names = [kind.name for kind in PASSES]
    assert len(set(names)) == len(names)
    lines = table().splitlines()
    assert len(lines) == 2 + len(PASSES) + 1  # and the tone map
    for kind, line in zip(PASSES, lines[2:], strict=False):
        assert all(word in line for word in (kind.name, *kind.shaders, *kind.reads, *kind.writes))


def test_a_pass_reads_only_what_is_written_before_it():
    check_order(PASSES)
    for number, kind in enumerate(PASSES):
        for name in kind.reads:
            with pytest.raises(ValueError, match=f"'{kind.name}' reads.*{name}"):
                check_order([kind, *PASSES[:number]])


def test_passes_know_the_level_floor_of_a_pool_and_none_of_nature(ctx):
    bed = np.full((40, 60), 0.5, np.float32)
    bed[7:31, 5:52] = -2.0
    passes = Passes(ctx, TIERS["low"], block := ViewBlock(ctx))
    for look, ground in (("pool", bed), ("natural", bed), ("pool", bed + 0.01 * np.eye(40, 60, dtype=np.float32))):
        frame = make_frame(bed.shape, bed=ground)
        passes.update(frame, OrbitCamera.framing(frame), ViewParams(quality="low", look=look))
        west, north, east, south = passes.context.view.level_floor
        if look == "natural":
            assert west > east and north > south
            continue
        x, z = frame.grid.x, frame.grid.z
        inside = (x[None, :] >= west) & (x[None, :] <= east) & (z[:, None] >= north) & (z[:, None] <= south)
        assert (ground[inside] == -2.0).all() and {west, east} <= set(x) and {north, south} <= set(z)
        assert inside.sum() > (0.9 if ground is bed else 0.2) * (ground == -2.0).sum()
    ctx.simple_framebuffer((1, 1)).use()
    passes.release()
    block.release()


@pytest.mark.sampled
@pytest.mark.parametrize("scene", pictures.SCENES)
def test_passes_write_what_they_declare(ctx, scene):
    drawn = pictures.SCENES[scene]()
    renderer = Renderer(ctx, ViewParams(quality="medium", **drawn.settings))
    target = ctx.simple_framebuffer(pictures.TILE)
    for frame in drawn.frames:
        renderer.render(frame, drawn.camera, pictures.TILE, target)
    assert set(renderer.textures) == {name for kind in PASSES for name in kind.writes}
    target.use()
    renderer.release()


class Dimmed(RenderPass):
    """Halves the light of the scene."""

    name, shaders = "dimmed", ("dimmed",)
    reads, writes = ("floor_map",), ("light",)

    def __init__(self, setup):
        super().__init__(setup)
        self._shader = self._own(Fill(setup.ctx, "dimmed"))

    def draw(self, context):
        context.light.framebuffer.use()
        self._ctx.enable_only(moderngl.BLEND)
        self._ctx.blend_func = moderngl.ZERO, moderngl.SRC_COLOR
        self._shader.draw(self.inputs(context))
        self._ctx.disable(moderngl.BLEND)


@pytest.fixture
def dimmed(monkeypatch, tmp_path):
    """Installs a pass: its class, its shader, and its place in the list."""

    def install(text):
        for path in data_path("shaders").rglob("*.*"):
            copy = tmp_path / path.relative_to(data_path("shaders"))
            copy.parent.mkdir(exist_ok=True)
            copy.write_bytes(path.read_bytes())
        (tmp_path / "dimmed.frag").write_text(text)
        monkeypatch.setattr("waterview.render.gl.shaders.data_path", lambda room: tmp_path)
        monkeypatch.setattr("waterview.render.renderer.Passes", lambda *setup: Passes(*setup, (*PASSES, Dimmed)))

    return install


HALF = "#version 330\nin vec2 uv;\nout vec4 colour;\nvoid main() { colour = vec4(0.5); }\n"
UNDECLARED = (
    "#version 330\nuniform sampler2D bed;\nin vec2 uv;\nout vec4 colour;\nvoid main() { colour = texture(bed, uv); }\n"
)


@pytest.mark.slow
def test_a_pass_is_added_by_its_class_its_shader_and_its_place_in_the_list(ctx, dimmed):
    plain, _ = pictures.draw(ctx, "pool", "low")
    dimmed(HALF)
    dark, _ = pictures.draw(ctx, "pool", "low")
    assert dark.mean() < 0.9 * plain.mean()
    assert (dark <= plain.astype(int) + 1).mean() > 0.99


@pytest.mark.slow
def test_a_shader_that_reads_what_its_pass_has_not_declared_is_refused(ctx, dimmed):
    dimmed(UNDECLARED)
    with pytest.raises(ShaderError, match=r"'dimmed' was given no bed"):
        pictures.draw(ctx, "pool", "low")
