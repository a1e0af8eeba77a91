import re
from contextlib import nullcontext
from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import pytest
from support.scenes import make_frame

from waterview.core.files import data_path
from waterview.core.frame import LandDetail
from waterview.render.camera.bounds import Bounds
from waterview.render.camera.camera import OrbitCamera
from waterview.render.daylight import Light
from waterview.render.gbuffer import GBufferPass
from waterview.render.gl.shaders import Shader, ShaderError
from waterview.render.materials import GROUND_SIDE, GroundSidePass
from waterview.render.passes import Passes
from waterview.render.quality import TIERS
from waterview.render.settings import ViewParams
from waterview.render.view import REFLECTION_WIDER, View, ViewBlock


@pytest.fixture
def view():
    frame = make_frame(level=1.5)
    bounds = Bounds.of(frame)
    return View(OrbitCamera.framing(frame), frame.grid, bounds, Light.of(ViewParams(), bounds), (640, 360), 3.0)


def test_the_block_is_laid_out_as_the_shaders_say(ctx, view):
    shader = Shader(ctx, "floor_map", vertex="screen")
    assert shader.program["View"].size == view.packed().nbytes
    shader.release()
    text = (data_path("shaders") / "include" / "view.list").read_text(encoding="utf-8")
    rows = {name: 4 if kind == "mat4" else 1 for kind, name in re.findall(r"^MEMBER\((mat4|vec4), (\w+)\)", text, re.M)}
    assert {name: len(values) for name, values in view.members().items()} == rows
    assert list(rows) == list(view.members())


def test_the_block_holds_what_was_written_last(ctx, view, monkeypatch):
    make = ctx.buffer
    made = []
    monkeypatch.setattr(ctx, "buffer", lambda **options: made.append(make(**options)) or made[-1])
    block, other = ViewBlock(ctx), replace(view, time=view.time + 1.0)
    for written, mirrored in ((view, False), (view, False), (view, True), (view, False), (other, False), (view, False)):
        block.write(written, mirrored=mirrored)
        held = np.frombuffer(made[0].read(), np.float32)
        np.testing.assert_array_equal(held, written.packed(mirrored=mirrored))
    block.release()


def test_the_matrix_is_stored_column_by_column(view):
    matrix = view.packed()[:16].reshape(4, 4).T.astype(np.float64)
    expected = view.camera.projection(640 / 360) @ view.camera.view()
    np.testing.assert_allclose(matrix, expected, rtol=1e-5, atol=1e-5)


def test_the_picture_ray_of_a_corner_is_the_cameras_ray(view):
    right, up, forward = (
        view.members()[name][0, :3] for name in ("right_and_near", "up_and_far", "forward_and_extent")
    )
    corner = forward + right + up
    _, ray = view.camera.ray(640.0, 0.0, (640, 360))
    np.testing.assert_allclose(corner / np.linalg.norm(corner), ray, atol=1e-5)


def test_depths_are_turned_back_into_distances(view):
    near, far = view.camera.near_far()
    matrix = view.camera.projection(640 / 360)
    for distance in (near, 3.0 * near, far):
        clip = matrix @ [0.0, 0.0, -distance, 1.0]
        depth = 0.5 + 0.5 * clip[2] / clip[3]
        assert near * far / (far - depth * (far - near)) == pytest.approx(distance)


def test_time_and_level_are_where_the_shaders_look(view):
    assert view.members()["eye_and_time"][0, 3] == 3.0
    assert view.members()["box_low_and_level"][0, 3] == 1.5


def test_the_mirrored_view_shows_what_lies_above_where_the_water_mirrors_it(view):
    """A point and its mirror image in the water fall on one spot, the one seen mirrored, the other directly."""
    own, mirrored = view.members(), view.members(mirrored=True)
    point = np.array([2.0, 4.0, -3.0, 1.0])
    image = point * [1.0, -1.0, 1.0, 1.0] + [0.0, 2.0 * 1.5, 0.0, 0.0]
    seen = own["view_projection"].T @ image
    found = mirrored["view_projection"].T @ point
    np.testing.assert_allclose(found[:2] / found[3] * REFLECTION_WIDER, seen[:2] / seen[3], atol=1e-9)
    np.testing.assert_allclose(own["reflection_projection"], mirrored["view_projection"])
    # Its rays start at the mirrored eye and lead back to the point.
    uv = found[:2] / found[3]
    ray = mirrored["forward_and_extent"][0, :3] + uv @ [
        mirrored["right_and_near"][0, :3],
        mirrored["up_and_far"][0, :3],
    ]
    np.testing.assert_allclose(mirrored["eye_and_time"][0, :3] + found[3] * ray, point[:3], atol=1e-6)


@pytest.mark.parametrize("kind", ["island", "rimmed", "drawn higher"])
def test_no_side_of_the_block_is_left_out_where_the_picture_shows_one(drawing, renderers, island, kind):
    """Cameras all around the block and above it, so near that sides are often out of sight."""
    random, size = np.random.default_rng(4), (96, 54)
    draw, skipped, shown, parts = drawing(size), 0, 0, 0
    # A rim as high as the highest ground: its sides reach the top of the box.
    rim = np.minimum(np.where(np.pad(np.zeros((59, 89)), 1, constant_values=1.0), 3.0, island.bed), 3.0)
    more = LandDetail(np.full((121, 181), 9.0, np.float32), np.zeros((121, 181), np.float32))
    ground = {
        "island": island,
        "rimmed": island.changed(bed=rim.astype(np.float32)),
        "drawn higher": island.changed(bed=rim.astype(np.float32), land=SimpleNamespace(detail=more)),
    }[kind]
    camera = OrbitCamera.framing(ground)
    bounds = camera.bounds
    for _ in range(60):
        camera.azimuth, camera.elevation = random.uniform(-np.pi, np.pi), np.radians(random.uniform(2.0, 88.0))
        camera.distance = bounds.extent * 10.0 ** random.uniform(-1.2, 0.3)
        camera.target = tuple(random.uniform(bounds.low, bounds.high))
        draw(ground, camera, surroundings="floor")
        sides = renderers["low"].find(GBufferPass).materials() == GROUND_SIDE
        picture = sides.shape[::-1]
        expected = View(camera, ground.grid, bounds, Light.of(ViewParams(), bounds), picture, 0.0).sides_in_picture()
        left, bottom, width, height = expected or (0, 0, 0, 0)
        assert not np.delete(sides, np.s_[left : left + width], axis=1).any()
        assert not np.delete(sides, np.s_[bottom : bottom + height], axis=0).any()
        skipped, shown = skipped + (expected is None), shown + sides.any()
        parts += expected is not None and width * height < 0.8 * sides.size
    assert skipped > 10 and shown > 10 and parts > 10


def test_a_side_that_runs_past_the_eye_may_be_anywhere_in_the_picture(island):
    camera = OrbitCamera.framing(island)
    camera.target, camera.distance = (0.0, 1.0, camera.bounds.high[2] + 1.0), 2.0
    camera.azimuth, camera.elevation = np.radians(-90.0), np.radians(5.0)  # the eye looks along x
    seen = View(camera, island.grid, camera.bounds, Light.of(ViewParams(), camera.bounds), (96, 54), 0.0)
    assert seen.sides_in_picture() == (0, 0, 96, 54)


@pytest.mark.parametrize("fails", [False, True])
def test_sides_are_shaded_in_their_rectangle_as_in_the_whole_picture(ctx, island, monkeypatch, fails):
    passes = Passes(ctx, TIERS["low"], block := ViewBlock(ctx))
    passes.light.resize((96, 54))
    camera = OrbitCamera.framing(island)
    camera.azimuth, camera.elevation = np.radians(30.0), np.radians(20.0)
    passes.update(island, camera, ViewParams(quality="low", surroundings="floor"))
    monkeypatch.setattr(passes.find(GroundSidePass), "inputs", lambda context: {}) if fails else None
    _, _, width, height = passes.context.view.sides_in_picture()
    assert width * height < 0.8 * 96 * 54
    pictures = []
    for whole in (False, True):
        if whole:
            monkeypatch.setattr(View, "sides_in_picture", lambda view: (0, 0, *view.size))
        passes.light.framebuffer.use()
        passes.light.framebuffer.clear(0.3, 0.1, 0.7, 1.0)
        with pytest.raises(ShaderError) if fails else nullcontext():
            passes.draw()
        assert passes.light.framebuffer.scissor == (0, 0, 96, 54)
        read = passes.light.framebuffer.read(components=3, dtype="f4")
        pictures.append(np.frombuffer(read, np.float32).reshape(54, 96, 3))
    if not fails:
        np.testing.assert_array_equal(pictures[0], pictures[1])
        sides = passes.find(GBufferPass).materials() == GROUND_SIDE
        assert sides.sum() > 50 and (np.abs(pictures[0][sides] - (0.3, 0.1, 0.7)).max(axis=1) > 0.01).all()
    ctx.simple_framebuffer((1, 1)).use()
    passes.release()
    block.release()
