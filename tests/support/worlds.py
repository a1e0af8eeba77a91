"""Small worlds: one to measure in; a beach to save, and whether two of its frames are equal to the bit."""

import numpy as np

from waterview.sim.world import World
from waterview.waters import MODELS

from . import waters

BEACH = waters.Ground(lambda x, z: 0.25 * x - 0.6)
"""The shore of still water at x = 2.4."""


def make_water(name="wave-equation", ground=None, **parameters):
    """A water of 12 m × 9 m about the origin with points 0.25 m apart, over `ground`."""
    water = MODELS[name](12.0, 9.0, 49, (-6.0, 0.0, -4.5), **parameters)
    if ground is not None:
        water.set_height_map(ground)
    return water


def make_world(name="wave-equation", ground=None, **parameters):
    """A world of such a water alone."""
    return World(make_water(name, ground, **parameters))


SIZE = (20.0, 14.0, 41, (-10.0, 0.0, -7.0))


class Ground:
    """A sloping beach with waves in it, turned about the middle by `turn` [rad]."""

    def __init__(self, turn=0.0):
        self.turn = turn

    def height_at(self, x, z):
        along, across = x * np.cos(self.turn) + z * np.sin(self.turn), z * np.cos(self.turn) - x * np.sin(self.turn)
        return 0.35 * along - 1.5 + 0.2 * np.sin(1.3 * across)


def water_of(name, **params):
    water = MODELS[name](*SIZE, **params)
    water.set_height_map(Ground())
    return water


def assert_same(one, other):
    for name in ("heights", "normals", "bed", "fixed"):
        assert np.array_equal(getattr(one, name), getattr(other, name), equal_nan=True), name
    assert len(one.bodies) == len(other.bodies)
    for a, b in zip(one.bodies, other.bodies, strict=True):
        assert np.array_equal(a.position, b.position) and np.array_equal(a.rotation, b.rotation)
    assert one.world_params == other.world_params
    assert [gauge.name for gauge in one.gauges] == [gauge.name for gauge in other.gauges]
    for a, b in zip(one.gauges, other.gauges, strict=True):
        assert a.times.tobytes() == b.times.tobytes()
        assert [series.tobytes() for series in a.values] == [series.tobytes() for series in b.values]
        assert (a.measured is None) == (b.measured is None)
    assert (one.detail is None) == (other.detail is None)
    if one.detail is not None:
        assert np.array_equal(one.detail.slopes, other.detail.slopes)
