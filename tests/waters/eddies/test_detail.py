"""Surface detail: eddies that wind, clicks and bodies stir, and the map that they make."""

import tracemalloc

import numpy as np
import pytest

from waterview.core.errors import ParameterError
from waterview.core.params import declarations
from waterview.waters.eddies.detail import Detail, DetailParams


def detail(**parameters):
    return Detail(**{"points": 64, "size": 5.0, **parameters})


def run(eddies, steps, time_step=1.0 / 60.0):
    for _ in range(steps):
        eddies.step(time_step)


@pytest.fixture(scope="module")
def blown():
    result = detail(points=128)
    run(result, 120)
    return result


@pytest.mark.slow
def test_the_flow_stays_free_of_divergence(blown):
    u, w = np.fft.fft2(blown.flow.velocity.astype(float))
    k = np.fft.fftfreq(128)
    whole = np.hypot(k[None, :], k[:, None]) * np.hypot(np.abs(u), np.abs(w))
    assert np.linalg.norm(k[None, :] * u + k[:, None] * w) < 1e-5 * np.linalg.norm(whole)


def test_the_map_tiles_without_a_seam(blown):
    slopes = blown.publish().astype(float)
    for axis in (0, 1):
        steps = np.abs(np.diff(slopes, axis=axis)).reshape(-1, 2) if axis == 0 else np.abs(np.diff(slopes, axis=1))
        seam = np.abs(np.take(slopes, 0, axis) - np.take(slopes, -1, axis))
        assert seam.max() <= steps.max()
        assert seam.mean() == pytest.approx(steps.mean(), rel=0.3)


def test_the_map_is_that_of_a_surface(blown):
    """Slopes of a surface have no rotation, and add up to nothing around the square."""
    slopes = blown.publish().astype(float)
    along_x, along_z = np.fft.fft2(slopes[..., 0]), np.fft.fft2(slopes[..., 1])
    k = np.fft.fftfreq(128)
    whole = np.hypot(k[None, :], k[:, None]) * np.hypot(np.abs(along_x), np.abs(along_z))
    # Half floats keep eleven bits, which is all that is lost.
    assert np.linalg.norm(k[None, :] * along_z - k[:, None] * along_x) < 1e-3 * np.linalg.norm(whole)
    assert np.abs(slopes.mean(axis=(0, 1))).max() < 1e-5


@pytest.mark.slow
def test_the_map_is_about_as_steep_as_asked_for(blown):
    slopes = blown.publish()
    assert (slopes.shape, slopes.dtype) == ((128, 128, 2), np.float16)
    assert 0.5 < slopes.astype(float).std() / blown.params.strength < 2.0
    blown.set_parameter("strength", 2.0 * blown.params.strength)
    np.testing.assert_allclose(blown.publish(), 2.0 * slopes.astype(float), rtol=2e-3, atol=1e-5)


def test_streamlines_run_along_the_flow(blown):
    """What particles leave changes less along the flow than across it."""
    slopes, velocity = blown.publish().astype(float), blown.velocity.astype(float)
    along = (slopes * velocity).sum(axis=-1)
    across = slopes[..., 0] * velocity[..., 1] - slopes[..., 1] * velocity[..., 0]
    assert np.square(along).mean() < 0.25 * np.square(across).mean()


def test_wind_drags_the_surface_along_and_stirs_it():
    eddies = detail(wind_speed=10.0, wind_direction=90.0)
    run(eddies, 60)
    mean = eddies.velocity.mean(axis=(0, 1))
    np.testing.assert_allclose(mean, [0.0, 0.3], atol=1e-4)
    assert 0.1 < (eddies.velocity - mean).std() < 1.0


def test_in_still_air_only_pushes_move_it():
    eddies = detail(wind_speed=0.0)
    run(eddies, 10)
    assert not eddies.velocity.any() and not eddies.publish().any()
    eddies.add_force(1.0, 4.0, 0.5, 0.0)
    eddies.step(0.01)
    speed = np.hypot(eddies.velocity[..., 0], eddies.velocity[..., 1])
    assert np.unravel_index(speed.argmax(), speed.shape) == pytest.approx((4.0 / 5.0 * 64, 1.0 / 5.0 * 64), abs=2)
    run(eddies, 20)
    assert eddies.publish().any() and np.isfinite(eddies.publish()).all()
    assert np.isfinite(eddies.pressure).all() and eddies.pressure.any()


def test_a_push_is_felt_alike_in_every_square():
    here, there = (detail(wind_speed=0.0) for _ in "ab")
    here.add_force(1.0, 4.0, 0.5, 0.2)
    there.add_force(1.0 - 15.0, 4.0 + 10.0, 0.5, 0.2)
    np.testing.assert_allclose(here.velocity, there.velocity, atol=1e-6)


def test_what_is_inside_can_be_looked_at():
    eddies = detail(wind_speed=0.0)
    at = np.arange(64) * 5.0 / 64.0
    k = 2.0 * np.pi / 5.0
    eddies.flow.velocity[0] = np.sin(k * at)[:, None]
    fields = eddies.field_maps()
    np.testing.assert_allclose(
        fields["rotation"].values, np.broadcast_to(k * np.cos(k * at)[:, None], (64, 64)), atol=1e-5
    )
    np.testing.assert_allclose(fields["detail speed"].values, np.abs(eddies.velocity[..., 0]))
    assert set(fields) == {"detail speed", "rotation", "pressure", "streamlines"}
    for view in fields.values():
        assert view.values.shape == (64, 64) and not view.values.flags.writeable
    eddies.step(0.1)


def test_the_same_seed_gives_the_same_detail():
    maps = []
    for seed in (3, 3, 4):
        eddies = detail(seed=seed)
        run(eddies, 30)
        maps.append(eddies.publish())
    assert maps[0].tobytes() == maps[1].tobytes() != maps[2].tobytes()


def test_a_published_map_does_not_change_any_more():
    eddies = detail()
    run(eddies, 5)
    kept = eddies.publish()
    copy = kept.copy()
    run(eddies, 5)
    np.testing.assert_array_equal(kept, copy)


def test_every_bound_of_every_parameter_leaves_it_finite():
    for entry in declarations(DetailParams):
        high = () if entry.name == "points" else (entry.high,)  # that many take too long
        for value in (entry.low, entry.stepped(entry.default, +1), *high):
            eddies = detail()
            eddies.set_parameter(entry.name, value)
            run(eddies, 3)
            assert np.isfinite(eddies.publish()).all(), (entry.name, value)
            assert getattr(eddies.params, entry.name) == value


def test_steps_of_any_length_are_stable():
    eddies = detail()
    for time_step in (1e-6, 1.0, 1e4):
        run(eddies, 5, time_step)
        assert np.isfinite(eddies.velocity).all() and np.abs(eddies.velocity).max() < 1e3


class TestErrors:
    def test_odd_and_small_squares(self):
        assert detail(points=63).publish().shape == (62, 62, 2)
        with pytest.raises(ParameterError, match="points"):
            detail(points=8)
        eddies = detail()
        before = eddies.publish()
        with pytest.raises(ParameterError, match="points"):
            eddies.set_parameter("points", 8)
        assert eddies.params.points == 64 and eddies.publish().shape == before.shape

    @pytest.mark.parametrize("time_step", [0.0, -1.0, float("nan"), float("inf")])
    def test_time_steps(self, time_step):
        with pytest.raises(ParameterError, match="time step"):
            detail().step(time_step)

    def test_pushes(self):
        for push in ((float("nan"), 0.0, 1.0, 1.0, 1.0), (0.0, 0.0, 1.0, 1.0, 0.0), (0.0, 0.0, float("inf"), 1.0, 1.0)):
            with pytest.raises(ParameterError, match="push"):
                detail().add_force(*push)


def test_the_finest_detail_fits_into_little_memory():
    """At 2048² points 28 bytes a point are 112 MiB. With copies of transforms and of k² it was 72 while published."""
    points = 512
    detail(points=16).publish()
    tracemalloc.start()
    try:
        eddies = detail(points=points)
        eddies.step(0.03)
        held, _ = tracemalloc.get_traced_memory()
        eddies.publish()
        _, most = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert held < 28 * points**2
    assert most < 46 * points**2


@pytest.mark.parametrize("points", [16, 30, 64])
def test_transforms_in_place_are_those_of_numpy(points):
    eddies = detail(points=points)
    run(eddies, 3)
    k = 2.0 * np.pi * np.fft.fftfreq(points, eddies.flow.spacing)
    k[points // 2] = 0.0
    spectrum = np.fft.fft2(eddies.trails.astype(float)) * np.exp(-0.005 * (k[None, :] ** 2 + k[:, None] ** 2))
    spectrum[points // 2] = spectrum[:, points // 2] = 0.0
    slopes = [np.fft.ifft2(-1j * along * spectrum).real for along in (k[None, :], k[:, None])]
    found = eddies.flow.slopes(eddies.trails, 0.1)
    assert np.allclose(found, np.moveaxis(slopes, 0, -1), atol=1e-5 * np.abs(slopes).max())
