import moderngl
import numpy as np
import pytest

from waterview.render.gl.targets import Target, clamped_size


def test_sizes_are_at_least_one_pixel_and_at_most_a_texture(ctx):
    limit = ctx.info["GL_MAX_TEXTURE_SIZE"]
    assert clamped_size(ctx, (0, 0)) == (1, 1)
    assert clamped_size(ctx, (1, 3), 0.25) == (1, 1)
    assert clamped_size(ctx, (1280, 720), 0.75) == (960, 540)
    assert clamped_size(ctx, (limit, 10 * limit), 1.5) == (limit, limit)


@pytest.mark.parametrize(("dtype", "depth"), [("f2", True), ("f1", False)])
def test_a_target_can_be_drawn_into_and_resized(ctx, dtype, depth):
    target = Target(ctx, f"4{dtype}", depth=depth)
    other = ctx.simple_framebuffer((1, 1))
    for size in ((1, 1), (31, 17), (8, 90)):
        other.use()
        target.resize(size)
        assert target.size == size
        target.framebuffer.use()
        target.framebuffer.clear(0.25, 0.5, 1.0, 1.0)
        pixels = np.frombuffer(target.colour.read(), np.float16 if dtype == "f2" else np.uint8).reshape(-1, 4)
        expected = (0.25, 0.5, 1.0, 1.0) if dtype == "f2" else (64, 128, 255, 255)
        np.testing.assert_allclose(pixels, np.tile(expected, (size[0] * size[1], 1)), atol=0.0 if dtype == "f2" else 1)
    assert (target.depth is not None) == depth
    other.use()
    target.release()
    assert ctx.error == "GL_NO_ERROR"


def test_the_same_size_keeps_what_was_drawn(ctx):
    target = Target(ctx, "4f2")
    target.resize((4, 4))
    colour = target.colour
    target.resize((4, 4))
    assert target.colour is colour
    target.release()


def test_several_colours_are_drawn_at_once_and_take_on_other_formats(ctx):
    target = Target(ctx, "1f4", "2f2", size=(3, 2))
    target.framebuffer.use()
    target.framebuffer.clear(0.5, 0.25)
    assert np.all(np.frombuffer(target.colours[0].read(), np.float32) == 0.5)
    assert np.all(np.frombuffer(target.colours[1].read(), np.float16).reshape(-1, 2) == (0.5, 0.25))
    target.resize((3, 2), "4f1", "1f2")
    assert [(each.components, each.dtype) for each in target.colours] == [(4, "f1"), (1, "f2")]
    ctx.rest.use()
    target.release()
    assert ctx.error == "GL_NO_ERROR"


def test_depth_can_be_drawn_without_the_colours(ctx):
    target = Target(ctx, "4f2", depth=True, size=(4, 4))
    target.framebuffer.use()
    target.framebuffer.clear(0.5, 0.5, 0.5, 0.5, depth=1.0)
    target.depth_alone.use()
    target.depth_alone.clear(depth=0.25)
    assert np.all(np.frombuffer(target.colour.read(), np.float16) == 0.5)
    assert np.allclose(np.frombuffer(target.depth.read(alignment=1), np.float32), 0.25, atol=1e-6)
    target.resize((6, 4))
    assert target.depth_alone.size == (6, 4)
    ctx.rest.use()
    target.release()
    assert ctx.error == "GL_NO_ERROR"


@pytest.mark.parametrize("nearest", [False, True])
def test_colours_are_interpolated_unless_they_are_read_texel_by_texel(ctx, nearest):
    expected = (moderngl.NEAREST if nearest else moderngl.LINEAR,) * 2
    target = Target(ctx, "4f2", "1f4", nearest=nearest)
    assert [each.filter for each in target.colours] == [expected] * 2
    target.resize((3, 2))
    assert [each.filter for each in target.colours] == [expected] * 2
    ctx.rest.use()
    target.release()


def test_half_floats_hold_light_brighter_than_white(ctx):
    target = Target(ctx, "4f2")
    target.framebuffer.use()
    target.framebuffer.clear(300.0, 0.0, 0.0, 1.0)
    assert np.frombuffer(target.colour.read(), np.float16)[0] == 300.0
    target.release()
