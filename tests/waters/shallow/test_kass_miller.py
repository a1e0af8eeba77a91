"""Implicit waves: equality with dense matrices, then the laws of waves over varying depth."""

import numpy as np
import pytest

from waterview.waters.shallow.kass_miller import DEPTH_BOUNDS, MAX_COURANT, KassMiller, least_dissipation
from waterview.waters.shallow.shallow_params import BORDERS

G = 9.81


def operator(still, depth, scale, axis, border):
    """The matrix of −gΔt² ∂(d ∂h) along an axis over all points of a grid, and the diagonal of what leaves."""
    shape, points = still.shape, np.arange(still.size).reshape(still.shape)
    matrix, leaving = np.zeros((still.size, still.size)), np.zeros(still.size)
    for place in np.ndindex(shape):
        here = points[place]
        for side in (-1, 1):
            other = (place[0] + side, place[1]) if axis == 0 else (place[0], place[1] + side)
            if 0 <= other[axis] < shape[axis]:
                if still[place] > 0 and still[other] > 0:
                    pull = 0.5 * scale * (depth[place] + depth[other])
                    matrix[here, here] += pull
                    matrix[here, points[other]] -= pull
            elif border == "zero":
                matrix[here, here] += scale * depth[place]
            elif border == "open":
                leaving[here] += np.sqrt(scale * depth[place])
    return matrix, leaving


def dense_step(now, before, still, dt, dx, damping, dissipation, border):
    """One step by its definition, with dense matrices."""
    dissipation = max(dissipation, least_dissipation(np.sqrt(2.0 * G * still.max()) * dt / dx))
    new, old = 0.25 * (1 + dissipation) ** 2, 0.25 * (1 - dissipation) ** 2
    depth = np.where(still > 0, np.clip(still + now, DEPTH_BOUNDS[0] * still, DEPTH_BOUNDS[1] * still), 0.0)
    scale = G * (dt / dx) ** 2
    (x, leave_x), (z, leave_z) = (operator(still, depth, scale, axis, border) for axis in (1, 0))
    h, h_old, one = now.ravel(), before.ravel(), np.eye(still.size)
    mixed = 0.5 * (1 - dissipation**2) * h + old * h_old
    right = h + np.exp(-damping * dt) * (h - h_old) - (x + z) @ mixed
    half = np.linalg.solve(one + new * x + np.diag(leave_x), right + leave_x * h)
    return np.linalg.solve(one + new * z + np.diag(leave_z), half + leave_z * h).reshape(still.shape)


@pytest.mark.parametrize("border", BORDERS)
@pytest.mark.parametrize("dissipation", [0.05, 0.3, 1.0])
@pytest.mark.parametrize("shape", [(2, 2), (6, 9)])
def test_a_step_is_the_one_with_dense_matrices(shape, dissipation, border):
    rng = np.random.default_rng(1)
    bed = rng.normal(size=shape) - 0.7
    water = KassMiller(bed, 0.5, border)
    wet = bed < 0
    water.now[...], water.before[...] = (np.where(wet, 0.3 * rng.normal(size=shape), 0.0) for _ in range(2))
    expected = dense_step(water.now, water.before, water.still, 0.1, 0.5, 0.2, dissipation, border)
    water.advance(0.1, gravity=G, damping=0.2, dissipation=dissipation)
    np.testing.assert_allclose(water.now, expected, atol=1e-12)
    assert not water.now[~wet].any()


def test_full_dissipation_is_the_printed_scheme_of_kass_and_miller():
    """(1 + gΔt²(d₋ + 2d + d₊)/2Δx²) h⁺ − gΔt²(d + d±)/2Δx² h⁺± = 2h − h⁻ inside a row of a narrow channel."""
    depth = np.linspace(1.0, 2.0, 30)
    water = KassMiller(-np.stack((depth, depth)), 0.5, "reflecting")
    h, h_old = 1e-9 * np.sin(np.arange(30.0)), 1e-9 * np.cos(np.arange(30.0))
    water.now[...], water.before[...] = h, h_old
    water.advance(0.3, gravity=G, damping=0.0, dissipation=1.0)
    new, half = water.now[0], 0.5 * G * 0.3**2 / 0.5**2
    i = np.arange(1, 29)
    left = (1 + half * (depth[i - 1] + 2 * depth[i] + depth[i + 1])) * new[i]
    left -= half * ((depth[i - 1] + depth[i]) * new[i - 1] + (depth[i] + depth[i + 1]) * new[i + 1])
    np.testing.assert_allclose(left, 2 * h[i] - h_old[i], rtol=1e-6, atol=1e-15)


def running_wave(depth, spacing, middle, width, seconds, steps, dissipation=0.0, height=1e-4):
    """A crest that runs to higher x over `depth`, which is even where it starts; the heights of a row at the end."""
    x, dt = spacing * np.arange(len(depth)), seconds / steps
    water = KassMiller(-np.stack((depth, depth)), spacing, "reflecting")
    speed = np.sqrt(G * depth[0])
    water.now[...] = height * np.exp(-(((x - middle) / width) ** 2))
    water.before[...] = height * np.exp(-(((x + speed * dt - middle) / width) ** 2))
    for _ in range(steps):
        water.advance(dt, gravity=G, damping=0.0, dissipation=dissipation)
    return x, water.now[0] / height


@pytest.mark.parametrize("depth", [0.5, 2.0])
@pytest.mark.parametrize("dissipation", [0.0, 0.1, 1.0])
def test_waves_run_at_the_root_of_gd(depth, dissipation):
    x, h = running_wave(np.full(400, depth), 0.1, 10.0, 2.0, 15.0 / np.sqrt(G * depth), 1500, dissipation)
    assert (h * x).sum() / h.sum() - 10.0 == pytest.approx(15.0, rel=1e-3)


@pytest.mark.slow
def test_their_height_follows_greens_law_on_a_slope():
    x = 0.1 * np.arange(1300)
    x, h = running_wave(np.interp(x, [20.0, 110.0], [1.0, 0.25]), 0.1, 10.0, 3.0, 45.0, 4500)
    assert x[h.argmax()] > 112.0  # beyond the slope
    assert h.max() == pytest.approx(0.998 * 4.0**0.25, rel=0.003)


def test_a_wave_decays_as_the_docstring_says():
    dt, length = 1.0 / 60.0, 20.0
    water = KassMiller(np.full((2, 200), -1.0), 0.1, "reflecting")
    omega = np.sqrt(G) * 2.0 * np.pi / length
    shape = np.cos(2.0 * np.pi * (np.arange(200) + 0.5) * 0.1 / length)
    water.now[...], water.before[...] = 1e-4 * shape, 1e-4 * shape * np.cos(omega * dt)
    energy = []
    for _ in range(2):
        for _ in range(600):
            water.advance(dt, gravity=G, damping=0.0, dissipation=1.0)
        velocity = (water.now - water.before) / dt
        energy.append(((omega * water.now) ** 2 + velocity**2).sum())
    assert 0.5 * np.log(energy[0] / energy[1]) / 10.0 == pytest.approx(0.5 * omega**2 * dt, rel=0.05)


def test_water_between_walls_keeps_its_volume():
    rng = np.random.default_rng(2)
    bed = rng.normal(size=(30, 40)) - 1.0
    water = KassMiller(bed, 0.5, "reflecting")
    everything = slice(None), slice(None)
    water.add(everything, 0.2 * rng.random((30, 40)), 1e5)
    volume = water.rise.sum()
    for _ in range(1000):
        water.advance(0.05, gravity=G, damping=0.0, dissipation=0.1)
    assert water.rise.sum() == pytest.approx(volume, rel=1e-9)
    assert 0.001 < np.abs(water.rise).max() < 0.2


@pytest.mark.slow
def test_over_an_open_border_waves_leave():
    waves = {}
    for border in BORDERS:
        water = KassMiller(np.full((121, 80), -1.0), 0.5, border)
        x = 0.5 * np.arange(80)
        water.now[...] = np.exp(-(((x - 25.0) / 3.0) ** 2))
        water.before[...] = np.exp(-(((x + np.sqrt(G) / 60 - 25.0) / 3.0) ** 2))
        for _ in range(480):
            water.advance(1 / 60, gravity=1e-9 + G, damping=0.0, dissipation=0.0)
        waves[border] = water.now[60]
    assert np.abs(waves["open"]).max() < 0.1  # crests of 1 over a depth of 1 are steep for this border
    assert waves["reflecting"].max() > 0.7
    assert waves["zero"].min() < -0.7


@pytest.mark.slow
def test_any_step_is_stable():
    rng = np.random.default_rng(3)
    for _ in range(100):
        shape = tuple(rng.integers(2, 20, 2))
        bed = 10.0 ** rng.uniform(-3, 3) * (rng.normal(size=shape) - rng.uniform(-1, 3))
        water = KassMiller(bed, 10.0 ** rng.uniform(-3, 3), str(rng.choice(BORDERS)))
        start = np.abs(bed).max() * 0.05
        water.add((slice(None), slice(None)), start * rng.normal(size=shape), 1e5)
        highest = np.abs(water.rise).max()
        dt, dissipation = 10.0 ** rng.uniform(-3, 1), rng.choice([0.0, rng.uniform()])
        for _ in range(200):
            water.advance(dt, gravity=G, damping=0.0, dissipation=dissipation)
            assert np.isfinite(water.rise).all()
        assert np.abs(water.rise).max() <= 5.0 * highest


def test_steps_that_are_far_too_long_are_slowed():
    water = KassMiller(np.full((3, 9), -4.0), 1.0)
    taken = water.advance(100.0, gravity=G, damping=0.0, dissipation=0.0)
    assert taken.courant == MAX_COURANT
    assert taken.time_share == pytest.approx(MAX_COURANT / (100.0 * np.sqrt(8.0 * G)))


def test_a_step_of_another_length_goes_on_at_the_same_speed():
    x = 0.1 * np.arange(300)
    results = []
    for lengths in ((1 / 120,) * 360, (1 / 120,) * 120 + (1 / 240,) * 480):
        water = KassMiller(np.full((2, 300), -1.0), 0.1, "reflecting")
        water.now[...] = 1e-3 * np.exp(-(((x - 10.0) / 2.0) ** 2))
        water.before[...] = water.now
        for dt in lengths:
            water.advance(dt, gravity=G, damping=0.0, dissipation=0.0)
        results.append(water.now[0])
    assert np.abs(results[0] - results[1]).max() < 0.02 * np.abs(results[0]).max()


def test_waves_go_on_over_a_changed_bed():
    x = np.arange(40.0)
    water = KassMiller(np.full((3, 40), -2.0), 1.0)
    water.now[...] = np.exp(-(((x - 20) / 4) ** 2))
    water.advance(0.1, gravity=G, damping=0.0, dissipation=0.0)
    changed = water.over(np.repeat(np.where(x < 35, -3.0, 1.0)[None], 3, axis=0))
    np.testing.assert_array_equal(changed.now[:, :35], water.now[:, :35])
    np.testing.assert_array_equal(changed.before[:, :35], water.before[:, :35])
    assert not changed.now[:, 35:].any()


def test_raising_and_setting_leave_land_alone():
    water = KassMiller(np.array([[-1.0, 1.0, -1.0]] * 2), 1.0)
    water.add((slice(0, 1), slice(0, 2)), np.array([[7.0, 7.0]]), 5.0)
    np.testing.assert_array_equal(water.now, [[5, 0, 0], [0, 0, 0]])
    np.testing.assert_array_equal(water.before, water.now)
    water.set((slice(0, 1), slice(0, 3)), np.array([[2.0, 2.0, 2.0]]))
    np.testing.assert_array_equal(water.now, [[2, 0, 2], [0, 0, 0]])
