"""Sums of waves by Fourier transforms, held against the same sums taken wave by wave."""

import math

import numba
import numpy as np
import pytest

from waterview.simd.threads import ThreadChoice
from waterview.waters.ocean.cascades import Waves, spline_loss, terms_of
from waterview.waters.ocean.foam import FoamUpdate
from waterview.waters.ocean.ocean_surface import OceanSurface

SPACING = 0.3
NYQUIST = math.pi / SPACING


class Sea:
    """A random cascade of nz × nx points, and the same cascade wave by wave."""

    def __init__(self, nz, nx, stretch=1, longest=0.0, shortest=1.5 * NYQUIST, seed=1):
        rng = np.random.default_rng(seed)
        m = nx // 2 + 1
        step = SPACING * stretch
        self.kx, self.kz = 2.0 * np.pi * np.arange(m) / (nx * step), 2.0 * np.pi * np.fft.fftfreq(nz, step)
        self.k = np.hypot(self.kx, self.kz[:, None])
        self.omega = np.sqrt(9.81 * self.k)
        size = np.where((self.k > longest) & (self.k <= shortest), 0.0006 / np.maximum(self.k, 1e-9) ** 2, 0.0)
        size[nz // 2] = size[:, -1] = 0.0
        self.forward, self.backward = (size * (rng.normal(size=(nz, m)) + 1j * rng.normal(size=(nz, m))) for _ in "ab")
        self.backward[:, 0] = np.conj(self.forward[-np.arange(nz), 0])
        loss = spline_loss(self.kz, SPACING, stretch)[:, None]
        self.waves = Waves(
            terms_of(self.forward / loss, self.backward / loss),
            self.omega / (2.0 * np.pi),
            self.kx.astype(np.float32),
            self.kz.astype(np.float32),
            stretch,
        )

    def fields(self, x, z, time):
        """h, ∂h/∂x, ∂h/∂z and the shift by direct sums, float64."""
        h = self.forward * np.exp(-1j * self.omega * time) + self.backward * np.exp(1j * self.omega * time)
        twice = np.where(np.arange(self.kx.size) == 0, 1.0, 2.0)
        along_x, along_z = np.exp(1j * np.outer(self.kx, x)), np.exp(1j * np.outer(z, self.kz))
        k = np.where(self.k == 0.0, 1.0, self.k)
        kx, kz = 1j * self.kx[None, :], 1j * self.kz[:, None]
        return np.stack([(along_z @ (twice * f) @ along_x).real for f in (h, kx * h, kz * h, kx * h / k, kz * h / k)])


def places(shape):
    return SPACING * np.arange(shape[1]), SPACING * np.arange(shape[0])


def single_wave(n, number, amplitude):
    """A wave of `number` crests along x on n × n points, h = a·cos(kx) at time 0 and standing still."""
    m = n // 2 + 1
    forward = np.zeros((n, m), complex)
    forward[0, number] = 0.5 * amplitude  # with its conjugate, half of it each
    kx = 2.0 * np.pi * np.arange(m) / (n * SPACING)
    kz = 2.0 * np.pi * np.fft.fftfreq(n, SPACING)
    waves = Waves(terms_of(forward, 0.0 * forward), np.zeros((n, m)), kx.astype("f4"), kz.astype("f4"), 1)
    return waves, float(kx[number])


def composed(waves, shape, time=0.0, choppiness=1.0, **more):
    cascades = OceanSurface(waves)
    cascades.evaluate(time)
    return cascades.compose(shape, SPACING, choppiness=choppiness, **more)


@pytest.mark.parametrize("time", [0.0, 0.37, 4000.1])
@pytest.mark.parametrize("shape", [(48, 64), (36, 30)])
def test_one_cascade_is_the_direct_sum(shape, time):
    sea = Sea(*shape)
    surface = composed([sea.waves], shape, time)
    h, _, _, shift_x, shift_z = sea.fields(*places(shape), time)
    np.testing.assert_allclose(surface.heights, h, atol=2e-6 * h.std())
    np.testing.assert_allclose(surface.shift[..., 0], shift_x, atol=2e-6 * h.std())
    np.testing.assert_allclose(surface.shift[..., 1], shift_z, atol=2e-6 * h.std())


def test_slopes_come_from_the_waves_not_from_differences():
    shape = (48, 64)
    sea = Sea(*shape)
    surface = composed([sea.waves], shape, 3.0, choppiness=0.0)
    _, along_x, along_z, _, _ = sea.fields(*places(shape), 3.0)
    # Half floats keep eleven bits; differences would miss waves of two to four points by a third.
    np.testing.assert_allclose(surface.slopes[..., 0], -along_x, rtol=6e-4, atol=1e-6)
    np.testing.assert_allclose(surface.slopes[..., 1], -along_z, rtol=6e-4, atol=1e-6)


def test_several_cascades_add_up_to_their_direct_sums():
    shape, parts = (70, 90), []
    bounds = [0.0, NYQUIST / 8, NYQUIST / 4, 1.5 * NYQUIST]
    for number, (size, stretch) in enumerate([((20, 24), 4), ((24, 30), 2), ((30, 36), 1)]):
        parts.append(Sea(*size, stretch, bounds[number], bounds[number + 1], seed=number))
    surface = composed([part.waves for part in parts], shape, 7.0, choppiness=0.7)
    h, _, _, shift_x, shift_z = sum(part.fields(*places(shape), 7.0) for part in parts)
    # Blending between the rows of a coarse cascade costs a part in two hundred, along x nothing.
    np.testing.assert_allclose(surface.heights, h, atol=5e-3 * h.std())
    np.testing.assert_allclose(surface.shift[..., 0], 0.7 * shift_x, atol=5e-3 * h.std())
    np.testing.assert_allclose(surface.shift[..., 1], 0.7 * shift_z, atol=5e-3 * h.std())
    on_rows = slice(0, None, 4)
    np.testing.assert_allclose(surface.heights[on_rows], h[on_rows], atol=1e-5 * h.std())


def test_cascades_repeat_and_join_without_a_seam():
    sea = Sea(24, 30)
    surface = composed([sea.waves], (60, 64), 2.0)
    np.testing.assert_array_equal(surface.heights[24:48, 30:60], surface.heights[:24, :30])
    np.testing.assert_array_equal(surface.slopes[24:48, 30:60], surface.slopes[:24, :30])


def test_gain_scales_every_wave():
    cascades = OceanSurface([Sea(24, 30).waves])
    cascades.evaluate(1.0)
    whole = cascades.compose((24, 30), SPACING, choppiness=1.0)
    cascades.evaluate(1.0, 0.25)
    quarter = cascades.compose((24, 30), SPACING, choppiness=1.0)
    np.testing.assert_array_equal(quarter.heights, 0.25 * whole.heights)
    np.testing.assert_array_equal(quarter.shift, 0.25 * whole.shift)


class TestChoppiness:
    """A single wave h = a cos kX, x = X − a sin kX is Gerstner's, whose slope is known."""

    def test_points_move_towards_the_crests(self):
        waves, k = single_wave(64, 2, 0.1)
        surface = composed([waves], (64, 64))
        x = places((64, 64))[0]
        np.testing.assert_allclose(surface.heights[5], 0.1 * np.cos(k * x), atol=1e-7)
        np.testing.assert_allclose(surface.shift[5, :, 0], -0.1 * np.sin(k * x), atol=1e-7)
        assert not surface.shift[..., 1].any()

    @pytest.mark.parametrize("steepness", [0.1, 0.6])
    def test_the_slope_is_that_of_the_moved_surface(self, steepness):
        waves, k = single_wave(256, 4, 1.0)
        surface = composed([Waves(waves.terms * np.float32(steepness / k), *waves[1:])], (256, 256))
        phase = k * places((256, 256))[0]
        exact = steepness * np.sin(phase) / (1.0 - steepness * np.cos(phase))
        np.testing.assert_allclose(surface.slopes[9, :, 0], exact, rtol=3e-3, atol=1e-5)

    def test_a_fold_stays_finite(self):
        waves, k = single_wave(64, 4, 1.0)
        surface = composed([Waves(waves.terms * np.float32(3.0 / k), *waves[1:])], (64, 64))
        assert np.isfinite(surface.slopes).all()


class TestFoam:
    def test_it_is_where_the_surface_is_squeezed(self):
        waves, k = single_wave(256, 4, 1.0)
        gentle = Waves(waves.terms * np.float32(0.5 / k), *waves[1:])
        foam = composed([gentle], (256, 256), foam=FoamUpdate(np.zeros((256, 256), np.float32), 0.6, 1.0)).foam
        squeezed = 1.0 - 0.5 * np.cos(k * places((256, 256))[0])  # J's smaller eigenvalue
        np.testing.assert_allclose(foam[3], np.clip((0.6 - squeezed) / 0.15, 0.0, 1.0), atol=1e-3)

    def test_a_diagonal_wave_squeezes_as_much(self):
        n, number = 256, 4
        forward = np.zeros((n, n // 2 + 1), complex)
        k = 2.0 * np.pi * number / (n * SPACING)
        forward[number, number] = 0.5 * 0.5 / (k * math.sqrt(2.0))
        waves = single_wave(n, number, 0.0)[0]
        diagonal = Waves(terms_of(forward, 0.0 * forward), *waves[1:])
        foam = composed([diagonal], (n, n), foam=FoamUpdate(np.zeros((n, n), np.float32), 0.6, 1.0)).foam
        assert foam.max() == pytest.approx(0.1 / 0.15, rel=1e-2)

    def test_old_foam_decays(self):
        old = np.random.default_rng(0).uniform(size=(32, 32)).astype(np.float32)
        foam = composed([single_wave(32, 2, 0.0)[0]], (32, 32), foam=FoamUpdate(old, 0.6, 0.5)).foam
        np.testing.assert_array_equal(foam, 0.5 * old)

    def test_there_is_none_unless_asked_for(self):
        assert composed([single_wave(32, 2, 0.1)[0]], (32, 32)).foam is None


def test_fading_is_taken_into_the_slopes():
    shape = (64, 64)
    sea = Sea(*shape, shortest=NYQUIST / 4)
    x, z = places(shape)
    wide_x, wide_z = (
        np.concatenate([[c[0] - 2 * SPACING, c[0] - SPACING], c, c[-1] + SPACING * np.array([1, 2])]) for c in (x, z)
    )
    fade = 0.5 + 0.4 * np.outer(np.sin(0.2 * wide_z), np.cos(0.3 * wide_x))
    surface = composed([sea.waves], shape, 1.0, choppiness=0.0, fade=fade.astype(np.float32))
    h, along_x, along_z, _, _ = sea.fields(x, z, 1.0)
    f = fade[2:-2, 2:-2]
    np.testing.assert_allclose(surface.heights, f * h, atol=1e-6 * h.std())
    slope_x = f * along_x - 0.12 * np.outer(np.sin(0.2 * z), np.sin(0.3 * x)) * h
    slope_z = f * along_z + 0.08 * np.outer(np.cos(0.2 * z), np.cos(0.3 * x)) * h
    np.testing.assert_allclose(surface.slopes[..., 0], -slope_x, rtol=1e-3, atol=2e-5)
    np.testing.assert_allclose(surface.slopes[..., 1], -slope_z, rtol=1e-3, atol=2e-5)


def test_where_all_is_faded_nothing_moves():
    surface = composed([Sea(32, 32).waves], (32, 32), fade=np.zeros((36, 36), np.float32))
    assert not surface.heights.any() and not surface.shift.any() and not surface.slopes.any()


def test_ripples_ride_on_the_waves():
    shape = (64, 64)
    waves, k = single_wave(64, 2, 0.4)
    x, z = (np.arange(-1, 65) * SPACING for _ in "xz")
    ripples = (0.05 * np.cos(0.9 * z))[:, None] * np.sin(1.1 * x)[None, :]
    surface = composed([waves], shape, ripples=ripples.astype(np.float32))
    np.testing.assert_allclose(surface.heights, 0.4 * np.cos(k * x[1:-1]) + ripples[1:-1, 1:-1], atol=1e-6)
    along_x = (ripples[1:-1, 2:] - ripples[1:-1, :-2]) / (2.0 * SPACING) - 0.4 * k * np.sin(k * x[1:-1])
    along_z = (ripples[2:, 1:-1] - ripples[:-2, 1:-1]) / (2.0 * SPACING)
    squeezed = 1.0 - 0.4 * k * np.cos(k * x[1:-1])
    np.testing.assert_allclose(surface.slopes[..., 0], -along_x / squeezed, rtol=2e-3, atol=1e-4)
    np.testing.assert_allclose(surface.slopes[..., 1], -along_z, rtol=2e-3, atol=1e-5)


def test_any_number_of_threads_gives_the_same_bits(monkeypatch):
    parts = [Sea(60, 72, 2, 0.0, NYQUIST / 4).waves, Sea(80, 90, 1, NYQUIST / 4).waves]
    foam, results = np.zeros((120, 144), np.float32), []
    monkeypatch.setattr(ThreadChoice, "end", lambda _: None)
    for number in (1, numba.config.NUMBA_NUM_THREADS):
        monkeypatch.setattr(ThreadChoice, "begin", lambda _, number=number: number)
        surface = composed(parts, foam.shape, 5.0, foam=FoamUpdate(foam, 0.9, 1.0))
        results.append([array.tobytes() for array in surface])
    assert results[0] == results[1]


@pytest.mark.parametrize(("name", "shape"), [("fade", (32, 32)), ("ripples", (32, 32)), ("foam", (31, 32))])
def test_arrays_of_another_shape_are_refused(name, shape):
    array = np.zeros(shape, np.float32)
    with pytest.raises(ValueError, match="wider on every side"):
        composed([Sea(32, 32).waves], (32, 32), **{name: FoamUpdate(array, 0.5, 1.0) if name == "foam" else array})
