import dataclasses

import moderngl
import numpy as np
import pytest
from support.scenes import make_frame

from waterview.core.commands import Drop
from waterview.core.errors import InputError
from waterview.render.camera.bounds import Bounds
from waterview.render.camera.camera import OrbitCamera
from waterview.render.daylight import Light
from waterview.render.gl.targets import check_texture_size
from waterview.render.quality import TIERS
from waterview.render.render_pass import Setup
from waterview.render.settings import ViewParams
from waterview.render.view import View, ViewBlock
from waterview.render.water.surface import SurfacePass
from waterview.waters import WaveEquationWater

FOAM_LIFE = 2.0


@pytest.fixture
def surface(ctx):
    surface = SurfacePass(Setup(ctx, dataclasses.replace(TIERS["high"], waves=64)))
    yield surface
    ctx.rest.use()
    surface.release()
    assert ctx.error == "GL_NO_ERROR"


@pytest.fixture
def upload(ctx, surface):
    bed = ctx.texture((1, 1), 2, np.array((-2.0, 1.0), np.float32).tobytes(), dtype="f4")
    block = ViewBlock(ctx)

    def upload(frame):
        bounds = Bounds.of(frame)
        light = Light.of(ViewParams(), bounds)
        block.write(View(OrbitCamera.framing(frame), frame.grid, bounds, light, (64, 36), frame.time))
        surface.upload(frame, bed, FOAM_LIFE)

    yield upload
    ctx.rest.use()
    bed.release()
    block.release()


@pytest.fixture
def written(monkeypatch):
    """What is written into textures: pairs of the texture and the data."""
    written = []
    write = moderngl.Texture.write

    def watched(texture, data, **more):
        written.append((texture, data))
        write(texture, data, **more)

    monkeypatch.setattr(moderngl.Texture, "write", watched)
    return written


def read(texture, dtype):
    return np.frombuffer(texture.read(), dtype)


def test_a_frame_is_uploaded_once_and_as_it_is(surface, upload):
    frame = make_frame((5, 7), heights=np.arange(35.0).reshape(5, 7))
    for _ in range(3):
        upload(frame)
    assert surface.uploads == 1
    np.testing.assert_array_equal(read(surface.heights, np.float32).reshape(5, 7), frame.heights)
    np.testing.assert_array_equal(read(surface.slopes, np.float16).reshape(5, 7, 2), frame.normals)


def test_what_goes_to_the_gpu_is_the_frame_s_own_memory(surface, upload, written):
    """No copy lies between the field and the card but the frame itself."""
    water = WaveEquationWater(8.0, 6.0, 81)
    water.disturb(Drop(4.0, 3.0, 0.1, 1.0))
    upload(water.publish(0))
    water.advance(3, shown=True)
    frame = water.publish(1)
    written.clear()
    upload(frame)
    for texture, array in ((surface.heights, frame.heights), (surface.slopes, frame.normals)):
        (data,) = (data for place, data in written if place is texture)
        assert data.nbytes == array.nbytes
        assert data.ctypes.data == array.ctypes.data


def test_water_at_rest_is_uploaded_once(surface, upload, written):
    def is_written(frame):
        written.clear()
        upload(frame)
        return any(place is surface.heights for place, _ in written)

    rests = (False, True, True, True, False, True)
    frames = [make_frame(serial=serial, at_rest=at_rest) for serial, at_rest in enumerate(rests)]
    frames.append(make_frame((5, 7), serial=9, at_rest=True))
    assert [frame.serial for frame in frames if is_written(frame)] == [0, 1, 4, 5, 9]


def test_a_new_serial_is_uploaded(surface, upload):
    upload(make_frame(serial=1))
    upload(make_frame(serial=2, heights=np.ones((41, 61))))
    assert surface.uploads == 2
    assert read(surface.heights, np.float32).min() == 1.0


def test_another_water_with_the_same_serial_is_uploaded(surface, upload):
    upload(make_frame(serial=1))
    upload(make_frame(serial=1, heights=np.ones((41, 61))))
    assert surface.uploads == 2


def test_grids_of_any_shape_follow_each_other(surface, upload):
    for serial, shape in enumerate(((2, 2), (3, 101), (101, 3), (64, 64))):
        upload(make_frame(shape, serial=serial, heights=np.full(shape, float(serial))))
        assert surface.heights.size == surface.slopes.size == shape[::-1]
        assert read(surface.heights, np.float32).max() == serial


def test_a_grid_larger_than_textures_is_refused_in_words(ctx):
    limit = ctx.info["GL_MAX_TEXTURE_SIZE"]
    check_texture_size(ctx, (limit, limit))
    with pytest.raises(InputError, match=f"{limit + 1} × 2 points.*{limit}.*--grid"):
        check_texture_size(ctx, (limit + 1, 2))


def waves(surface):
    width, height = surface.waves.size
    return read(surface.waves, np.float16).reshape(height, width, 4).astype(np.float64)


def test_the_wave_map_holds_slopes_and_their_squares(surface, upload):
    x, z = np.linspace(0.0, 6.0, 61)[None, :], np.linspace(0.0, 4.0, 41)[:, None]
    frame = make_frame(heights=0.1 * np.sin(x) * np.cos(z))
    upload(frame)
    got = waves(surface)
    assert got.shape[1] == 64
    np.testing.assert_allclose(got[..., 2], (got[..., :2] ** 2).sum(axis=-1), atol=1e-4)
    places = (np.arange(64) + 0.5) / 64 * 61 - 0.5
    expected = np.interp(places, np.arange(61), frame.normals[20, :, 0].astype(float))
    np.testing.assert_allclose(got[21, :, 0], expected, atol=1e-4)


def test_a_shift_is_uploaded_and_forgotten(surface, upload):
    shift = np.random.default_rng(1).normal(size=(41, 61, 2)).astype(np.float32)
    upload(make_frame(shift=shift))
    np.testing.assert_array_equal(read(surface.shift, np.float32).reshape(41, 61, 2), shift)
    upload(make_frame(serial=2, shift=shift.astype(np.float16)))
    np.testing.assert_array_equal(read(surface.shift, np.float16).reshape(41, 61, 2), shift.astype(np.float16))
    upload(make_frame(serial=3))
    assert surface.shift.size == (1, 1) and not read(surface.shift, surface.shift.dtype).any()


@pytest.mark.parametrize(("kind", "whole"), [(np.float32, 1.0), (np.uint8, 255)])
def test_published_foam_is_shown_and_fades_with_simulated_time(surface, upload, kind, whole):
    foam = np.zeros((41, 61), kind)
    foam[18:24, 26:34] = 0.8 * whole
    first = make_frame(foam=foam)
    upload(first)
    assert waves(surface)[..., 3].max() == pytest.approx(0.8, abs=0.02)
    later = dataclasses.replace(first, serial=2, time=1.0, foam=0 * foam)
    upload(later)
    assert waves(surface)[..., 3].max() == pytest.approx(0.8 * np.exp(-1.0 / FOAM_LIFE), abs=0.02)
    upload(dataclasses.replace(later, serial=3))
    assert waves(surface)[..., 3].max() == pytest.approx(0.8 * np.exp(-1.0 / FOAM_LIFE), abs=0.02)


def test_water_that_runs_down_its_slope_carries_foam(surface, upload):
    """On an even slope of s the surface gains speed at g s."""
    foam = np.zeros((41, 61), np.float32)
    foam[:, 28:33] = 0.8
    x = np.linspace(-15.0, 15.0, 61)[None, :]
    first = make_frame(heights=-0.2 * np.clip(x, -3.0, 3.0) * np.ones((41, 1)), foam=foam)
    upload(first)

    def middle():
        columns = waves(surface)[5:-5, :, 3].mean(axis=0)
        at = np.linspace(-15.0, 15.0, len(columns))
        return (columns * at).sum() / columns.sum()

    before = middle()
    for number in range(1, 11):
        upload(dataclasses.replace(first, serial=number + 1, time=0.05 * number, foam=0.0 * foam))
    # Half of 9.81 · 0.2 · 0.5² would be 0.245 m; motion dies down a little, time steps come late.
    assert 0.15 < middle() - before < 0.30


def test_steep_waves_break_and_gentle_ones_do_not(surface, upload):
    x = np.linspace(0.0, 30.0, 61)[None, :] * np.ones((41, 1))
    upload(make_frame(heights=0.02 * np.sin(2.0 * x)))
    assert waves(surface)[..., 3].max() == 0.0
    upload(make_frame(serial=2, heights=0.8 * np.sin(2.0 * x)))
    assert waves(surface)[..., 3].max() > 0.9
    # A model that publishes foam knows better where waves break; much later the old foam has gone.
    upload(make_frame(serial=3, level=1.0, heights=0.8 * np.sin(2.0 * x), foam=np.zeros((41, 61), np.float32)))
    assert waves(surface)[..., 3].max() < 0.1
