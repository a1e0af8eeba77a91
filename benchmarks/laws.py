"""Wave particles, the ocean and shallow water against closed forms: what `shown.py` prints and the plots draw."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from waterview.waters.eddies.detail import Detail
from waterview.waters.ocean.cascades import Cascade, random_waves
from waterview.waters.ocean.ocean import OceanWater
from waterview.waters.ocean.ocean_surface import OceanSurface
from waterview.waters.ocean.spectra import Sea, frequency, significant_height
from waterview.waters.particles.obstacles import Outlines, Shore
from waterview.waters.particles.particle_set import ParticleSet
from waterview.waters.particles.wave_field import AmplitudeGrid, WaveField
from waterview.waters.particles.wave_particles import WaveParticleWater
from waterview.waters.shallow.finite_volume import FiniteVolumes

Array = NDArray[np.float64]

G = 9.81


# --- wave particles


def kernel_error(kernel: str) -> float:
    """The largest error of one particle's height against ½(cos π|v| + 1), in amplitudes, over forty places."""
    rng, worst, shape, radius = np.random.default_rng(0), 0.0, (65, 65), 16.0
    grid = AmplitudeGrid(shape, 1.0, radius)
    z, x = np.mgrid[:65, :65]
    for column, row in rng.uniform(28.0, 36.0, (40, 2)):
        particles, field = ParticleSet(radius), WaveField.zeros(shape)
        particles.border = "open"
        particles.add((np.array([column]), np.array([row])), np.zeros(1), np.ones(1), 1.0)
        grid.collect(particles)
        (grid.add_radial if kernel == "radial" else grid.add_separable)(field)
        v = np.minimum(np.hypot(x - column, z - row) / radius, 1.0)
        worst = max(worst, float(np.abs(field.height - 0.5 * (np.cos(np.pi * v) + 1.0)).max()))
    return worst


def ring_energy() -> tuple[Array, Array]:
    """Radius [m] of a ring over its particles' and ∫η², as a share of its first, over three subdivisions of each."""
    water = WaveParticleWater(64.0, 64.0, 257, (-32.0, 0.0, -32.0), wave_speed=10.0, damping=0.0, border="open")
    angles = 2.0 * np.pi * np.arange(28) / 28
    normals = np.stack((np.cos(angles), np.sin(angles)), axis=-1)
    water.add_faces(np.zeros((28, 2)), normals, np.full(28, 0.01), 1.0, spread=2.0 * np.pi / 28)
    energies, counts, ways = [], [], []
    for _ in range(330):
        water.step()
        energies.append(float((water.height.astype(float) ** 2).sum()))
        counts.append(water.particle_count)
        ways.append(10.0 * water.time)
    kept = slice(counts.index(84) - 1, None)
    return np.array(ways)[kept], np.array(energies)[kept] / energies[kept.start]


def reflection_error() -> tuple[float, float]:
    """The largest error of the direction after a wall and after a body's side [rad]."""
    worst = [0.0, 0.0]
    side = np.array([[40.0, 0.0], [60.0, 0.0], [60.0, 63.0], [40.0, 63.0]])
    for number, outlines in enumerate(([], [side])):
        for angle in np.linspace(-1.2, 1.2, 25):
            particles = ParticleSet(4.0)
            particles.border = "reflecting"
            particles.add((np.array([30.0]), np.array([32.0])), np.array([angle]), np.ones(1), 1e-6)
            bodies, way = Outlines.of(outlines, (64, 64)), (34.0 if number == 0 else 14.0) / math.cos(angle)
            if abs(way * math.sin(angle)) > 28.0:
                continue
            for _ in range(math.ceil(way / 0.5)):
                particles.advance(0.5, 1.0, 0.0, Shore.of(np.zeros((64, 64), bool)), 10, bodies)
            found = math.atan2(particles.direction[1, 0], -particles.direction[0, 0])
            worst[number] = max(worst[number], abs(found - angle))
    return worst[0], worst[1]


# --- the ocean


def sea_height_error(spectrum: str) -> float:
    """4√m₀ of twenty seas over the spectrum's integral, less 1."""
    parameters = {"spectrum": spectrum, "depth": 25.0, "wind_speed": 12.0, "sea_size": 0.0, "cascades": 1}
    seas = [OceanWater(1200.0, 1200.0, 192, seed=seed, **parameters) for seed in range(20)]
    height = 4.0 * math.sqrt(np.mean([sea.height.astype(float).var() for sea in seas]))
    return height / significant_height(seas[0].sea) - 1.0


def measured_spectrum(spectrum: str, depth: float = 12.0, seeds: int = 20) -> tuple[Array, Array, Sea]:
    """Frequencies ω [rad/s], variance by ω [m² s] that heights of `seeds` seas have there, and what these are."""
    edges, total, points = np.arange(0.4, 2.0, 0.08), np.zeros(19), 192
    for seed in range(seeds):
        water = OceanWater(
            1200.0, 1200.0, points, seed=seed, spectrum=spectrum, depth=depth, sea_size=0.0, cascades=1, wind_speed=12.0
        )
        power = np.abs(np.fft.fft2(water.height.astype(float))) ** 2 / points**4
        k = 2.0 * np.pi * np.fft.fftfreq(points, water.grid.spacing)
        total += np.histogram(frequency(np.hypot(k, k[:, None]), depth), edges, weights=power)[0] / seeds
    return 0.5 * (edges[1:] + edges[:-1]), total / np.diff(edges), water.sea


def frequency_error(depth: float) -> tuple[float, int]:
    """The largest relative error of ω(k) measured in a run, and the number of waves measured.

    Whichever way a wave runs, h̃(t + τ) + h̃(t − τ) = 2 cos(ωτ) h̃(t).
    """
    parameters = {"depth": depth, "steps_per_second": 2.0, "choppiness": 0.0, "foam": 0.0, "sea_size": 0.0}
    water, series = OceanWater(600.0, 600.0, 128, cascades=1, **parameters), []
    for _ in range(40):
        series.append(np.fft.rfft2(water.height.astype(float)))
        water.step()
    now, around = np.array(series[1:-1]), np.array(series[2:]) + np.array(series[:-2])
    cosine = (around * now.conj()).real.sum(axis=0) / (2.0 * (np.abs(now) ** 2).sum(axis=0) + 1e-300)
    step = 600.0 / 127.0
    k = np.hypot(2 * np.pi * np.fft.rfftfreq(128, step), 2 * np.pi * np.fft.fftfreq(128, step)[:, None])
    expected = frequency(k, depth)
    # Where ωτ is close to a whole number of half turns its cosine says little about it.
    measurable = (np.abs(np.sin(0.5 * expected)) > 0.2) & (0.5 * expected < math.pi)
    measurable &= np.abs(now[0]) > 1e-3 * np.abs(now[0]).max()
    measured = 2.0 * np.arccos(np.clip(cosine[measurable], -1.0, 1.0))
    return float(np.abs(measured / expected[measurable] - 1.0).max()), int(measurable.sum())


def direct_sum_error(time: float = 12.3) -> float:
    """The largest difference of a cascade from the sum of its waves one by one, in standard deviations."""
    n, spacing, sea = 48, 5.0, Sea()
    waves = random_waves(Cascade((n, n), 1, 0.0, math.inf), spacing, sea, 1.0, [3], 0.0)
    cascades = OceanSurface([waves])
    cascades.evaluate(time)
    p, q, u, v = waves.terms.astype(float)
    turn = 2.0 * np.pi * waves.turns * time
    h = (p * np.cos(turn) + q * np.sin(turn)) + 1j * (u * np.cos(turn) + v * np.sin(turn))
    place = spacing * np.arange(n)
    twice = np.where(np.arange(waves.kx.size) == 0, 1.0, 2.0)
    exact = (np.exp(1j * np.outer(place, waves.kz)) @ (twice * h) @ np.exp(1j * np.outer(waves.kx, place))).real
    return float(np.abs(cascades.fields[0][:, 0] - exact).max() / exact.std())


def loop_error(period: float = 5.0) -> float:
    """How far the sea is from its start after a loop, as a share of its highest wave."""
    water = OceanWater(1000.0, 1000.0, 128, sea_size=0.0, loop_period=period, steps_per_second=30.0)
    start = water.height.copy()
    for _ in range(round(30 * period)):
        water.step()
    return float(np.abs(water.height - start).max() / np.abs(start).max())


# --- shallow water


def shallows(bed: Array, spacing: float, surface: Array, speed: Array | float = 0.0) -> FiniteVolumes:
    """A channel between walls, three cells wide: bed, surface [m] and velocity [m/s] along it, shape (n,)."""
    water = FiniteVolumes(np.tile(bed, (3, 1)), spacing, "reflecting")
    depth = np.maximum(np.maximum(surface, bed) - bed, 0.0)
    water.conserved[0] = depth - water.still
    water.conserved[1] = depth * speed
    return water


def run(water: FiniteVolumes, seconds: float, steps: int = 1) -> FiniteVolumes:
    """Let time go by without damping or drag."""
    for _ in range(steps):
        water.advance(seconds / steps, gravity=G, damping=0.0, friction=0.0, max_substeps=10_000)
    return water


def long_wave_speed_error(depth: float) -> float:
    """Relative error of the speed √(gd) of a low bump over a flat bed."""
    x = 0.1 * np.arange(400)
    water = shallows(np.full(400, -depth), 0.1, 1e-3 * np.exp(-((x - 20.0) ** 2)))
    run(water, 10.0 / math.sqrt(G * depth))
    right = np.where(x > 20.0, water.surface[1], 0.0)
    return float((right * x).sum() / right.sum() / 30.0 - 1.0) * 3.0


def greens_law(cells: float = 50.0) -> tuple[Array, Array]:
    """Depth [m] that a low hump has reached on a slope of 900 cells, and its height over the first, as it runs.

    At half its height the hump is `cells` cells wide.
    """
    x = 0.1 * np.arange(1300)
    bed = -np.interp(x, [20.0, 110.0], [1.0, 0.25])
    wave = 1e-4 * 0.5 ** (((x - 10.0) / (0.05 * cells)) ** 2)
    water = shallows(bed, 0.1, wave, math.sqrt(G) * wave)
    depths, heights = [], []
    for _ in range(45):
        run(water, 1.0)
        crest = int(water.surface[1].argmax())
        depths.append(-bed[crest])
        heights.append(float(water.surface[1, crest]) / 1e-4)
    return np.array(depths), np.array(heights)


def run_up(height: float, spacing: float = 0.1) -> tuple[Array, Array]:
    """Time [s] and height of the waterline [m] of a solitary wave of `height` on a 1:19.85 beach, over depth 1 m."""
    cotangent, gamma = 19.85, math.sqrt(0.75 * height)
    middle = cotangent + math.acosh(math.sqrt(20.0)) / gamma
    x = np.arange(-10.0, middle + 30.0, spacing)
    wave = height / np.cosh(gamma * (x - middle)) ** 2
    bed = np.where(x < cotangent, -x / cotangent, -1.0)
    water = shallows(bed, spacing, wave, -math.sqrt(G) * wave)
    line = []
    for _ in range(240):
        run(water, 0.1)
        line.append(float(water.surface[1, np.nonzero(water.depth[1] > 1e-3 * spacing)[0][0]]))
    return 0.1 * np.arange(1, 241), np.array(line)


def synolakis(height: float) -> float:
    """Run-up that the law 2.831 √cot β H^(5/4) gives (Synolakis 1987), H over the depth 1 m."""
    return 2.831 * math.sqrt(19.85) * height**1.25


def volume_drift() -> float:
    """Relative change of the volume between walls after a dam has broken over islands for a minute."""
    rng = np.random.default_rng(5)
    bed = rng.normal(size=(60, 80)) - 1.0
    water = FiniteVolumes(bed, 1.0, "reflecting")
    water.conserved[0, :, :30] = np.maximum(1.0 - np.maximum(bed, 0.0), 0.0)[:, :30]
    before = float(water.depth.sum(dtype=np.float64))
    run(water, 60.0, 200)
    return float(water.depth.sum(dtype=np.float64)) / before - 1.0


def lake_at_rest() -> float:
    """The largest change of still water over a rough bed with islands after a minute [m]."""
    water = FiniteVolumes(np.random.default_rng(1).normal(size=(60, 80)) - 0.7, 1.0, "reflecting")
    water.active[:] = True  # or nothing would be computed
    return float(np.abs(run(water, 60.0).conserved).max())


# --- detail


def detail_errors() -> tuple[float, float]:
    """Divergence as a share of what it could be, and the mean step over the seam over that inside, less 1."""
    detail = Detail(points=256)
    for _ in range(120):
        detail.step(1.0 / 30.0)
    u, w = np.fft.fft2(detail.flow.velocity.astype(float))
    k = np.fft.fftfreq(256)
    whole = np.hypot(k[None, :], k[:, None]) * np.hypot(np.abs(u), np.abs(w))
    divergence = np.linalg.norm(k[None, :] * u + k[:, None] * w) / np.linalg.norm(whole)
    slopes = detail.publish().astype(float)
    seam = np.abs(slopes[:, 0] - slopes[:, -1]).mean() / np.abs(np.diff(slopes, axis=1)).mean()
    return float(divergence), float(seam - 1.0)
