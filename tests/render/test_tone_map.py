"""From light to picture."""

import math
from itertools import pairwise

import moderngl
import numpy as np
import pytest

from waterview.render.bloom import Bloom
from waterview.render.tone_map import ToneMap

SIZE = (64, 36)


@pytest.fixture
def picture_of(ctx):
    tone_map = ToneMap(ctx)
    target = ctx.simple_framebuffer(SIZE)
    made = []

    def picture(light, stops=0.0, automatic=False, smooth=False, seconds=0.0, bloom=False, trees=False):
        light = np.asarray(light, np.float16)
        if light.ndim == 1:
            light = np.broadcast_to(light, (SIZE[1], SIZE[0], 4))
        texture = ctx.texture(light.shape[1::-1], 4, light.tobytes(), dtype="f2")
        texture.filter = moderngl.LINEAR, moderngl.LINEAR
        texture.repeat_x = texture.repeat_y = False
        made.append(texture)
        if automatic:
            tone_map.meter(texture, seconds)
        scattered = tone_map.scatter(texture) if bloom else None
        target.use()
        tone_map.draw(texture, stops, automatic=automatic, smooth=smooth, trees=trees, scattered=scattered)
        pixels = np.frombuffer(target.read(components=3, alignment=1), np.uint8)
        return pixels.reshape(SIZE[1], SIZE[0], 3).astype(float)

    yield picture
    ctx.rest.use()
    for thing in (*made, tone_map, target):
        thing.release()
    assert ctx.error == "GL_NO_ERROR"


def slow(light, exposure):
    """The curve and sRGB, plainly."""
    x = exposure * light
    y = np.clip(x * (2.51 * x + 0.065) / (x * (2.43 * x + 0.60) + 0.145), 0.0, 1.0)
    return 255.0 * np.where(y <= 0.0031308, 12.92 * y, 1.055 * y ** (1 / 2.4) - 0.055)


def test_the_curve_is_that_of_the_slow_twin(picture_of):
    ramp = np.zeros((SIZE[1], SIZE[0], 4))
    ramp[..., :3] = np.geomspace(1e-3, 50.0, SIZE[0])[None, :, None]
    ramp = ramp.astype(np.float16).astype(float)
    np.testing.assert_allclose(picture_of(ramp)[..., 0], slow(ramp[..., 0], 0.44), atol=1.1)
    np.testing.assert_allclose(picture_of(ramp, stops=2.0)[..., 1], slow(ramp[..., 1], 4 * 0.44), atol=1.1)


def linear(picture):
    share = picture / 255.0
    return np.where(share <= 0.04045, share / 12.92, ((share + 0.055) / 1.055) ** 2.4)


@pytest.mark.parametrize("colour", [(1.0, 0.4, 0.1), (0.1, 0.7, 1.0), (0.3, 1.0, 0.9)])
def test_hue_stays_as_it_is_however_bright_the_light(picture_of, colour):
    middle = np.argsort(colour)[1]
    low, high = min(colour), max(colour)
    for stops in (-2.0, 0.0, 2.0):
        shown = linear(picture_of((*colour, 1.0), stops=stops).mean(axis=(0, 1)))
        place = (shown[middle] - shown.min()) / np.ptp(shown)
        assert place == pytest.approx((colour[middle] - low) / (high - low), abs=0.02)


def test_bright_places_shine_over_what_is_around_them_and_even_light_does_not(picture_of):
    light = np.full((SIZE[1], SIZE[0], 4), 0.02)
    light[18, 32] = 1000.0
    plain, shining = picture_of(light)[..., 1], picture_of(light, bloom=True)[..., 1]
    gain = shining - plain
    assert gain[18, 28] > 5.0 and gain[18, 28] > gain[18, 16] > gain[18, 2] >= -1.0
    even = np.full((SIZE[1], SIZE[0], 4), 0.4)
    np.testing.assert_array_equal(picture_of(even), picture_of(even, bloom=True))


def test_a_shore_beside_a_dazzling_path_of_light_keeps_its_contrast(picture_of):
    light = np.full((SIZE[1], SIZE[0], 4), 0.05)
    light[:, : SIZE[0] // 2] = 4.0
    plain, shining = picture_of(light)[..., 1], picture_of(light, bloom=True)[..., 1]
    veil = (shining - plain)[SIZE[1] // 2, SIZE[0] // 2 + 4]
    assert 2.0 < veil < 25.0


def test_bloom_neither_gains_nor_loses_light(ctx):
    bloom = Bloom(ctx)
    light = np.zeros((64, 128, 4), np.float16)
    light[32, 64] = 4000.0
    texture = ctx.texture((128, 64), 4, light.tobytes(), dtype="f2")
    try:
        scattered = bloom.draw(texture)
        found = np.frombuffer(scattered.read(), np.float16).reshape(scattered.height, scattered.width, 4)
        assert found[..., :3].astype(float).mean() == pytest.approx(light[..., :3].astype(float).mean(), rel=0.01)
        assert found[0, 0, 0] < 0.01 * found.max()
    finally:
        ctx.rest.use()
        texture.release()
        bloom.release()


def test_each_octave_of_distance_has_as_much_of_the_scattered_light(ctx):
    """Glare falls with the square of the angle (Holladay 1926): small bright places have a soft wide glow."""
    bloom = Bloom(ctx)
    light = np.zeros((256, 256, 4), np.float16)
    light[128:132, 128:132] = 4000.0
    texture = ctx.texture((256, 256), 4, light.tobytes(), dtype="f2")
    try:
        scattered = bloom.draw(texture)
        found = np.frombuffer(scattered.read(), np.float16).reshape(scattered.height, scattered.width, 4)[..., 0]
        y, x = np.mgrid[: scattered.height, : scattered.width]
        far = 4.0 * np.hypot(x - scattered.width / 2, y - scattered.height / 2)
        edges = (0.0, 8.0, 16.0, 32.0, 64.0)
        share = [found[(far >= near) & (far < end)].sum(dtype=float) for near, end in pairwise(edges)]
        share = np.array(share) / found.sum(dtype=float)
        assert share[0] < 0.5 and share[1:].max() < 2.0 * share[1:].min()
    finally:
        ctx.rest.use()
        texture.release()
        bloom.release()


@pytest.mark.parametrize("at", [(96, 100), (113, 141), (157, 121)])
def test_the_glow_of_a_small_place_lies_around_it(ctx, at):
    """Not around the middle of the coarsest texel in which it lies."""
    bloom = Bloom(ctx)
    row, column = at
    light = np.zeros((256, 256, 4), np.float16)
    light[row, column] = 60000.0
    texture = ctx.texture((256, 256), 4, light.tobytes(), dtype="f2")
    try:
        scattered = bloom.draw(texture)
        found = np.frombuffer(scattered.read(), np.float16).reshape(scattered.height, scattered.width, 4)[..., 0]
        y, x = 4.0 * (np.mgrid[: scattered.height, : scattered.width] + 0.5)
        for way, place in ((y, row), (x, column)):
            middle = (way * found).sum(dtype=float) / found.sum(dtype=float)
            assert middle == pytest.approx(place + 0.5, abs=3.5)
    finally:
        ctx.rest.use()
        texture.release()
        bloom.release()


def test_brightness_never_falls_with_light(picture_of):
    ramp = np.zeros((SIZE[1], SIZE[0], 4))
    ramp[..., :3] = np.geomspace(1e-3, 500.0, SIZE[0])[None, :, None]
    assert (np.diff(picture_of(ramp).mean(axis=(0, 2))) >= -0.6).all()


@pytest.mark.parametrize("light", [0.02, 0.05, 0.3])
def test_between_two_levels_pixels_take_both_in_proportion(picture_of, light):
    """Else smooth skies would show bands."""
    pixels, wanted = picture_of((light,) * 4)[..., 0], slow(float(np.float16(light)), 0.44)
    assert set(np.unique(pixels)) == {math.floor(wanted), math.ceil(wanted)}
    assert pixels.mean() == pytest.approx(wanted, abs=0.1)


def test_automatic_exposure_draws_dark_and_bright_scenes_together(picture_of):
    by_hand = [picture_of((light,) * 4).mean() for light in (0.06, 2.0)]
    by_itself = [picture_of((light,) * 4, automatic=True).mean() for light in (0.06, 2.0)]
    assert by_itself[1] > by_itself[0]
    assert by_itself[1] - by_itself[0] < 0.6 * (by_hand[1] - by_hand[0])


def test_automatic_exposure_takes_time_where_time_goes_by(picture_of):
    picture_of((2.0,) * 4, automatic=True)
    slowly = picture_of((0.06,) * 4, automatic=True, seconds=0.02).mean()
    at_once = picture_of((0.06,) * 4, automatic=True).mean()
    assert slowly < at_once - 10.0


def test_edges_are_smoothed_and_even_light_is_left_alone(picture_of):
    x, y = np.meshgrid(np.arange(SIZE[0]), np.arange(SIZE[1]))
    edge = np.repeat(np.where(y > 0.25 * x + 8.0, 1.2, 0.05)[..., None], 4, axis=2)
    hard, soft = picture_of(edge)[..., 0], picture_of(edge, smooth=True)[..., 0]
    between = (soft > hard.min() + 20.0) & (soft < hard.max() - 20.0)
    assert not ((hard > hard.min() + 20.0) & (hard < hard.max() - 20.0)).any()
    assert between.sum() > 20
    assert np.abs(soft - hard)[:4, 20:].max() < 1.5


@pytest.mark.parametrize("size", [SIZE, (96, 54)])
def test_a_tilted_edge_and_its_mirror_image_are_smoothed_alike(picture_of, size):
    """Each takes light from both of its sides."""
    row, column = np.indices(size[::-1])
    light = np.where(row - 0.3 * column > 8.0, 0.3, 0.02)[..., None] * np.ones(4)
    there, mirrored = picture_of(light, smooth=True), picture_of(light[:, ::-1], smooth=True)[:, ::-1]
    np.testing.assert_allclose(there, mirrored, atol=1.5)  # dither


def test_lines_a_pixel_wide_keep_their_contrast(picture_of):
    """Such as joints between tiles."""
    x, y = np.meshgrid(np.arange(SIZE[0]), np.arange(SIZE[1]))
    on_line = y == np.round(0.35 * x + 6.0)
    light = np.repeat(np.where(on_line, 0.1, 1.0)[..., None], 4, axis=2)
    hard, soft = picture_of(light)[..., 0], picture_of(light, smooth=True)[..., 0]
    inside = on_line & (x > 2) & (x < SIZE[0] - 3)
    left = (soft.max() - soft[inside]).mean() / (hard.max() - hard[inside]).mean()
    assert 0.7 < left < 0.95


@pytest.mark.parametrize("rows_of_land", [21, 22, 23])
def test_an_outline_before_a_dazzling_sky_lies_where_its_texels_say(picture_of, rows_of_land):
    """With one and a half texels a pixel it lies within pixels; where a plain mean has any sky it is all sky."""
    light = np.full((SIZE[1] * 3 // 2, SIZE[0] * 3 // 2, 4), 0.05)
    light[rows_of_land:] = 15.0
    column = linear(picture_of(light, smooth=True)[:, SIZE[0] // 2, 0])
    sky = (column - column[4]) / (column[-4] - column[4])
    assert (np.diff(sky) > -0.02).all()
    assert sky.sum() == pytest.approx(SIZE[1] - rows_of_land / 1.5, abs=0.25)


def test_trees_are_means_of_the_texels_around_and_what_is_beside_none_is_not(picture_of):
    """A dark speck has no edge to follow: smoothing along edges leaves most of its contrast."""
    light = np.ones((SIZE[1], SIZE[0], 4))
    specks = (slice(4, 32, 4), slice(4, 60, 4))
    light[(*specks, slice(None, 3))] = 0.05
    light[18:, :, 3] = np.where(light[18:, :, 0] < 0.5, 0.0, 1.0)
    plain, soft = picture_of(light, smooth=True)[..., 1], picture_of(light, smooth=True, trees=True)[..., 1]
    contrast, left = (picture.max() - picture[specks] for picture in (plain, soft))
    np.testing.assert_array_equal(plain[:16], soft[:16])
    assert (left[4:] < 0.75 * contrast[4:]).all()
