"""Make the terrains that come with the program: python make.py. The same numbers come out each time.

The bay, the fjord, the lagoon and the harbour are our own: noise with a given spectrum, and shapes laid over it. x runs
east and z south, in metres from the middle of the map; heights are in metres above still water.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

FOLDER = Path(__file__).resolve().parent
FINEST = 64.0
"""Steps of height in a metre: finer ones would only make the files larger."""

Array = NDArray[np.float64]


@dataclass(frozen=True)
class Map:
    """The points of a map of `width` × `height` metres, `spacing` apart."""

    width: float
    height: float
    spacing: float

    @property
    def axes(self) -> tuple[Array, Array]:
        """X and z of columns and rows [m]."""
        return self._axis(self.width), self._axis(self.height)

    def _axis(self, length: float) -> Array:
        return np.arange(round(length / self.spacing) + 1) * self.spacing - 0.5 * length

    def noise(self, size: float, seed: int, fall: float) -> Array:
        """Random hills of mean 0 and standard deviation 1; amplitudes fall with k^-fall from waves of `size` [m] on."""
        nx, nz = (len(axis) for axis in self.axes)
        white = np.random.default_rng(seed).standard_normal((2 * nz, 2 * nx))
        k = np.hypot(np.fft.fftfreq(2 * nz, self.spacing)[:, None], np.fft.rfftfreq(2 * nx, self.spacing)[None, :])
        amplitudes = (1.0 + (k * size) ** 2) ** -(0.5 * fall + 0.25)
        hills = np.fft.irfft2(np.fft.rfft2(white) * amplitudes)[:nz, :nx]
        return (hills - hills.mean()) / hills.std()

    def ridges(self, size: float, seed: int, fall: float) -> Array:
        """As `noise`, with a sharp ridge of height 1 where that is 0."""
        return 1.0 - np.abs(self.noise(size, seed, fall))

    def bent(self, by: float, size: float, seed: int) -> tuple[Array, Array]:
        """X and z of all points, shifted `by` metres at random so that what is drawn with them has natural outlines."""
        x, z = np.meshgrid(*self.axes)
        return x + by * self.noise(size, seed, 3.0), z + by * self.noise(size, seed + 1, 3.0)

    def save(self, name: str, heights: Array) -> None:
        """Write NAME.npz: heights and coordinates, y to the north."""
        x, z = (axis.astype(np.float32) for axis in self.axes)
        rounded = (np.round(heights * FINEST) / FINEST).astype(np.float32)
        np.savez_compressed(FOLDER / f"{name}.npz", z=rounded, x=x, y=-z)


def rise(values: Array, low: float, high: float) -> Array:
    """A smooth step from 0 at `low` to 1 at `high`."""
    share = np.clip((values - low) / (high - low), 0.0, 1.0)
    return share * share * (3.0 - 2.0 * share)


def make_bay() -> None:
    """A bay of 640 m × 480 m, open to the sea in the south-west, with islets and a river."""
    place = Map(640.0, 480.0, 2.5)
    x, z = np.meshgrid(*place.axes)
    bent_x, bent_z = place.bent(26.0, 110.0, 3)
    ridges = place.ridges(120.0, 7, 2.2)
    # How far inland a point lies [m], below 0 in the sea: outside a round bay, on a headland, not in the open west.
    inland = np.hypot((bent_x + 110.0) / 1.15, bent_z - 150.0) - 235.0 + 0.55 * np.maximum(-bent_z - 60.0, 0.0)
    headland = 50.0 - 0.6 * np.hypot((bent_x - 200.0) * 0.9, (bent_z - 210.0) * 1.4)
    inland = np.maximum(np.minimum(inland, 400.0), headland)
    west = rise(-bent_x, 120.0, 300.0) * rise(bent_z + 110.0, 0.0, 160.0)
    inland = inland - inland.clip(0.0) * west - 90.0 * west
    up, out = inland.clip(0.0), (-inland).clip(0.0)
    land = 0.10 * up + 0.0016 * up**1.75 * (0.75 + 0.5 * ridges) + rise(up, 4.0, 60.0) * 3.0 * place.noise(50.0, 8, 2.4)
    floor = -0.055 * out - 0.00042 * out**2 + rise(out, 10.0, 80.0) * 1.6 * place.noise(60.0, 9, 2.5)
    heights = np.where(inland > 0.0, land, floor)
    heights = np.where(heights > 20.0, 20.0 + 20.0 * np.tanh((heights - 20.0) / 20.0), heights)  # hills, no mountains
    rock = np.exp(-((x + 262.0) ** 2 + (z + 205.0) ** 2) / 46.0**2)
    heights += 30.0 * rock * (0.6 + 0.5 * ridges) * rise(inland, 0.0, 30.0)
    for islet_x, islet_z, radius, top in (
        (-60.0, 10.0, 34.0, 7.5),
        (-108.0, 46.0, 17.0, 4.0),
        (60.0, 150.0, 22.0, 6.0),
    ):
        away = np.hypot(bent_x - islet_x, (bent_z - islet_z) * 1.25) / radius
        islet = top * np.exp(-1.4 * away**2) * (1.0 + 0.35 * (ridges - 0.3)) - 6.0 * rise(away, 0.8, 2.6) - 0.3
        islet -= 0.06 * radius * (away - 1.7).clip(0.0) ** 2  # farther out down to the floor, however deep that is
        heights = np.maximum(heights, islet)
    place.save("bay", _with_river(heights, x, z).clip(-26.0, 70.0))


def _with_river(heights: Array, x: Array, z: Array) -> Array:
    """`heights` with a river that winds down from the north-east, wider towards its mouth."""
    t = np.linspace(0.0, 1.0, 200)
    course = np.stack((40.0 + 250.0 * t + 28.0 * np.sin(5.0 * t), -20.0 - 215.0 * t**1.2 + 20.0 * np.sin(7.0 * t)))
    away = np.hypot(x[..., None] - course[0], z[..., None] - course[1])
    upstream, distance = t[away.argmin(axis=-1)], away.min(axis=-1)
    width = 15.0 - 7.0 * upstream
    bank = -1.8 + 0.075 * (distance - width).clip(0.0) ** 1.25 + rise(distance / (1.4 * width), 0.0, 1.0)
    valley = rise(90.0 - distance, 0.0, 30.0)
    return np.where(heights > bank, np.minimum(heights, bank) * valley + heights * (1.0 - valley), heights)


def make_fjord() -> None:
    """A fjord of 2.4 km × 1.8 km between mountains of 400 m, with an arm to the north."""
    place = Map(2400.0, 1800.0, 10.0)
    bent_x, bent_z = place.bent(70.0, 500.0, 11)
    middle = 260.0 * np.sin(bent_x / 520.0) - 80.0
    beside = np.abs(bent_z - middle) - 150.0  # how far from the shore [m], below 0 in the water
    arm = np.maximum(np.abs(bent_x - 330.0 - 0.25 * bent_z) - 105.0, -bent_z)
    arm = np.where(bent_z < middle, np.maximum(arm, -bent_z - 620.0), np.inf)
    beside = np.minimum(beside, arm)
    up, out = beside.clip(0.0), (-beside).clip(0.0)
    massifs = 0.5 + 0.5 * np.tanh(0.8 * place.noise(700.0, 15, 2.6))
    valleys = 1.0 - rise(place.ridges(480.0, 13, 2.6), 0.45, 0.97)
    slopes = 430.0 * (1.0 - np.exp(-up / 330.0)) * (0.35 + 0.75 * massifs) * (1.0 - 0.38 * valleys)
    slopes += rise(up, 0.0, 300.0) * 46.0 * (place.ridges(150.0, 14, 2.6) - 0.6)
    land = np.maximum(slopes, 0.02 * up + 0.5)
    place.save("fjord", np.where(beside > 0.0, land, -1.1 * out * (1.0 - out / 520.0)).clip(-110.0, 520.0))


def make_lagoon() -> None:
    """An atoll of 768 m × 576 m: a reef with flat islands and two passes, coral inside, and a rock."""
    place = Map(768.0, 576.0, 3.0)
    x, z = np.meshgrid(*place.axes)
    bent_x, bent_z = place.bent(20.0, 120.0, 21)
    beyond = (np.hypot(bent_x / 300.0, bent_z / 215.0) - 1.0) * 230.0  # outwards from the crest of the reef [m]
    angle = np.arctan2(bent_z, bent_x)
    islands = place.noise(150.0, 23, 3.0) + 0.9 * np.cos(angle + 2.3) + 0.35 * np.cos(3.0 * angle)
    passes = np.exp(-(((angle - 1.75) / 0.16) ** 2)) + np.exp(-(((angle + 0.35) / 0.10) ** 2))
    crest = -1.3 + 4.2 * rise(islands, -0.15, 1.1) - 5.0 * passes
    reef = crest - 1.5 * (np.abs(beyond) / np.where(beyond > 0.0, 26.0, 38.0)) ** 1.8
    floor = np.where(beyond > 0.0, -4.0 - 0.32 * beyond.clip(0.0), -5.5 + 1.1 * place.noise(60.0, 24, 2.6))
    heights = np.maximum(reef, floor) + 0.35 * np.exp(-np.abs(reef - floor) / 1.5)
    heights = np.where(beyond < -30.0, heights + 3.2 * rise(place.noise(26.0, 25, 2.2), 1.5, 2.4), heights)
    heights += 0.12 * place.noise(14.0, 26, 2.0) * rise(heights, -3.0, 0.0)
    heights = np.where(heights > 0.4, 0.4 + 0.62 * (heights - 0.4), heights)
    away = np.hypot(x - 205.0, 1.1 * (z + 62.0)) / 34.0
    rock = 13.0 * np.exp(-1.5 * away**2) * (1.0 + 0.3 * place.noise(30.0, 27, 2.2)) - 7.0 * rise(away, 1.0, 2.4) - 1.0
    place.save("lagoon", np.maximum(heights, rock).clip(-34.0, 20.0))


def make_harbour() -> None:
    """A harbour of 320 m × 240 m: a quay, a pier, and two breakwaters with an entrance between them."""
    place = Map(320.0, 240.0, 1.25)
    x, z = np.meshgrid(*place.axes)
    bent_x, bent_z = place.bent(9.0, 60.0, 31)
    inland = -bent_z - 38.0 + 26.0 * np.cos(bent_x / 70.0)
    up, out = inland.clip(0.0), (-inland).clip(0.0)
    hills = 0.09 * up + 0.0022 * up**1.8 * (0.7 + 0.6 * place.ridges(70.0, 33, 2.2))
    heights = np.maximum(np.where(inland > 0.0, hills, -0.085 * out), -11.0)
    heights += rise(up, 6.0, 40.0) * 1.2 * place.noise(26.0, 34, 2.3)
    heights += rise(out, 10.0, 40.0) * 0.35 * place.noise(26.0, 35, 2.5)
    for points, half_width, top, slope in (
        (((-92.0, -50.0), (-88.0, 18.0), (-52.0, 50.0), (-6.0, 58.0)), 2.2, 2.6, 1.1),
        (((104.0, -50.0), (92.0, 8.0), (58.0, 34.0), (26.0, 40.0)), 2.2, 2.6, 1.1),
        (((-12.0, -60.0), (-12.0, -6.0)), 3.0, 1.6, 3.5),
    ):
        heights = np.maximum(heights, top - slope * (_distance(x, z, points) - half_width).clip(0.0))
    quay = rise(inland, -16.0, -10.0) * rise(-inland, -16.0, -2.0) * rise(x, -84.0, -70.0) * rise(-x, -92.0, -78.0)
    place.save("harbour", (heights * (1.0 - quay) + 1.7 * quay).clip(-12.0, 34.0))


def _distance(x: Array, z: Array, points: Sequence[tuple[float, float]]) -> Array:
    """Distance of each point of the map from a line through `points` [m]."""
    found = np.full(x.shape, np.inf)
    for (ax, az), (bx, bz) in pairwise(points):
        along = ((x - ax) * (bx - ax) + (z - az) * (bz - az)) / ((bx - ax) ** 2 + (bz - az) ** 2)
        share = along.clip(0.0, 1.0)
        found = np.minimum(found, np.hypot(x - ax - share * (bx - ax), z - az - share * (bz - az)))
    return found


def make_basin() -> None:
    """Write basin.npz: 12 m × 9 m, a flat floor at −2 m inside a rim at +0.5 m with steep walls half a metre thick."""
    basin = Map(12.0, 9.0, 12.0 / 256.0)
    x, z = basin.axes
    inside = np.minimum(6.0 - np.abs(x[None, :]), 4.5 - np.abs(z[:, None]))
    basin.save("basin", 0.5 - 2.5 * np.clip((inside - 0.4) / 0.1, 0.0, 1.0))


if __name__ == "__main__":
    make_bay()
    make_fjord()
    make_lagoon()
    make_harbour()
    make_basin()
