"""How fast wave particles are: their field against the sum over all pairs, and a million of them as they live.

Run it by hand: `python benchmarks/wave_particles.py`. Every figure is the median of `ROUNDS` rounds of one process,
and ratios are taken between figures of the same run.
"""

from __future__ import annotations

import math
import statistics
import time
from collections.abc import Callable

import numba
import numpy as np

from waterview.waters.particles.particle_set import ParticleSet
from waterview.waters.particles.wave_field import AmplitudeGrid, WaveField
from waterview.waters.particles.wave_particles import WaveParticleWater

POINTS = 512
RADIUS = 16.0
PARTICLES = 100_000
ROUNDS = 7
ROWS_SUMMED = 4  # of all rows, by the sum over all pairs; the rest would only repeat them


@numba.njit(parallel=True, nogil=True)
def all_pairs(field, x, z, amplitude, radius, first, last):
    """Every particle at every point of rows `first` to `last` − 1, on all threads: the field as Qin and Zeng sum it."""
    for i in numba.prange(first, last):
        for j in range(field.shape[1]):
            total = 0.0
            for k in range(x.shape[0]):
                dx, dz = j - x[k], i - z[k]
                squared = dx * dx + dz * dz
                if squared < radius * radius:
                    total += 0.5 * amplitude[k] * (math.cos(math.pi * math.sqrt(squared) / radius) + 1.0)
            field[i, j] = total


@numba.njit(nogil=True)
def pairs_in_reach(field, x, z, amplitude, radius):
    """Every particle at the points that it reaches: what a careful programmer without a filter would do."""
    for k in range(x.shape[0]):
        for i in range(max(int(z[k] - radius), 0), min(int(z[k] + radius) + 2, field.shape[0])):
            for j in range(max(int(x[k] - radius), 0), min(int(x[k] + radius) + 2, field.shape[1])):
                dx, dz = j - x[k], i - z[k]
                squared = dx * dx + dz * dz
                if squared < radius * radius:
                    field[i, j] += 0.5 * amplitude[k] * (math.cos(math.pi * math.sqrt(squared) / radius) + 1.0)


def median_seconds(work: Callable[[], object], rounds: int = ROUNDS) -> float:
    """Median of the time that `work` takes [s], after one round that nobody times."""
    work()
    times = []
    for _ in range(rounds):
        start = time.perf_counter()
        work()
        times.append(time.perf_counter() - start)
    return statistics.median(times)


def random_particles(number: int, radius: float, seed: int = 1) -> ParticleSet:
    """Particles all over the grid, in all directions."""
    rng = np.random.default_rng(seed)
    particles = ParticleSet(radius)
    particles.border = "reflecting"
    where = rng.uniform(0.0, POINTS - 1, number), rng.uniform(0.0, POINTS - 1, number)
    particles.add(where, rng.uniform(0.0, 2.0 * math.pi, number), 0.01 * rng.standard_normal(number), 1e-3)
    return particles


def compare_fields() -> None:
    """The field of `PARTICLES` particles: by filters, by Fourier transform, and by pairs."""
    particles = random_particles(PARTICLES, RADIUS)
    grid = AmplitudeGrid((POINTS, POINTS), 1.0, RADIUS)
    height, everything = np.zeros((POINTS, POINTS), np.float32), WaveField.zeros((POINTS, POINTS))

    def filtered() -> None:
        height.fill(0.0)
        grid.collect(particles)
        grid.add_height(height)

    def all_five() -> None:
        grid.collect(particles)
        grid.add_separable(everything)

    def transformed() -> None:
        grid.collect(particles)
        grid.add_radial(everything)

    exact = np.zeros((POINTS, POINTS), np.float32)
    arguments = particles.x, particles.z, particles.strength, np.float32(RADIUS)
    rows = POINTS // 2, POINTS // 2 + ROWS_SUMMED
    pairs = median_seconds(lambda: all_pairs(exact, *arguments, *rows), 5) * POINTS / ROWS_SUMMED
    reach = median_seconds(lambda: pairs_in_reach(exact, *arguments), 5)
    fast = median_seconds(filtered)
    print(f"field of {PARTICLES:,} particles of radius {RADIUS:g} on {POINTS}²")
    print(f"  height by filters            {1e3 * fast:10.2f} ms")
    print(f"  height, slopes and shift     {1e3 * median_seconds(all_five):10.2f} ms")
    print(f"  the same by Fourier transform{1e3 * median_seconds(transformed):10.2f} ms")
    print(
        f"  all pairs, {numba.get_num_threads()} threads         {1e3 * pairs:10.0f} ms   {pairs / fast:,.0f} × "
        f"(timed on {ROWS_SUMMED} of {POINTS} rows and scaled)"
    )
    print(f"  pairs in reach, 1 thread     {1e3 * reach:10.0f} ms   {reach / fast:,.0f} ×")


def live(number: int) -> None:
    """Steps of a water with `number` particles: they run, meet an island and the borders, and are drawn each step."""

    class Island:
        def height_at(self, x, z):
            return np.where(np.hypot(x, z) < 8.0, 1.0, -9.0)

    water = WaveParticleWater(
        102.2, 102.2, POINTS, (-51.1, 0.0, -51.1), most_particles=number, damping=0.0, border="reflecting"
    )
    water.set_height_map(Island())
    rng = np.random.default_rng(2)
    places = rng.uniform(-51.0, 51.0, (number + number // 5, 2))
    places = places[np.hypot(*places.T) > 8.5][:number]
    turned = rng.uniform(0.0, 2.0 * math.pi, len(places))
    normals = np.stack((np.cos(turned), np.sin(turned)), axis=-1)
    water.add_faces(places, normals, 0.05 * rng.choice([-1.0, 1.0], len(places)), RADIUS * 0.2, spread=1e-4)
    serial = iter(range(1_000_000))

    def step_and_publish() -> None:
        water.step()
        water.publish(next(serial))

    stepping = median_seconds(water.step)
    both = median_seconds(step_and_publish)
    print(f"{water.particle_count:,} live particles on {POINTS}², one thread")
    print(f"  a step                       {1e3 * stepping:10.2f} ms   {1.0 / stepping:,.0f} a second")
    print(f"  a step and its frame         {1e3 * both:10.2f} ms   {1.0 / both:,.0f} a second")


if __name__ == "__main__":
    compare_fields()
    live(100_000)
    live(1_000_000)
