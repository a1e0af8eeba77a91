"""Simple waters for tests of bodies: still or of a given shape. They ignore bodies, or only record what bodies add."""

import numpy as np

from waterview.bodies.collection import Bodies
from waterview.bodies.kinds import shape_of
from waterview.core.grid import Grid
from waterview.core.params import Params


class Pond:
    """A square pond around x = z = 0 whose surface is what a test makes it; `levels` time levels note what is added."""

    def __init__(self, size=12.0, points=121, depth=6.0, level=0.0, levels=0, fixed=None):
        self.params, self.effective = Params(), {}
        self.grid = Grid.from_size(size, size, points, (-size / 2, level, -size / 2))
        self.bed = np.full(self.grid.shape, level - depth, np.float32)
        self.fixed = np.zeros(self.grid.shape, bool) if fixed is None else fixed
        self.height = np.zeros(self.grid.shape, np.float32)
        self.neutral_levels = tuple(np.zeros(self.grid.shape, np.float32) for _ in range(levels))

    def shape(self, function):
        """Make the surface function(x, z) above still water [m]."""
        self.height = np.ascontiguousarray(
            np.broadcast_to(function(self.grid.x[None, :], self.grid.z[:, None]), self.grid.shape), np.float32
        )

    def on_pushed(self, rows, columns):
        pass

    @property
    def added(self):
        """What bodies have added to the first time level since it was last asked."""
        added = self.neutral_levels[0].copy()
        for level in self.neutral_levels:
            level[:] = 0.0
        return added


def run(bodies, water, seconds, rate=60.0):
    """Step bodies, and the water before them if it can."""
    for _ in range(round(seconds * rate)):
        if hasattr(water, "step"):
            water.step()
        bodies.step(water, 1.0 / rate)


def mass_of(state):
    """Mass of a body [kg], by its density and the volume of its shape."""
    return state.density * shape_of(state.kind).volume * float(np.prod(state.scale))


def inertia_of(state):
    """Moments of inertia about the world's axes [kg m²]."""
    return state.rotation @ shape_of(state.kind).inertia(mass_of(state), state.scale) @ state.rotation.T


def only(bodies):
    """The only body."""
    (state,) = bodies.states()
    return state


def one_body(
    water, kind="sphere", density=500.0, x=0.0, z=0.0, size=0.6, *, y=None, rotation=(1, 0, 0, 0), **parameters
):
    """Bodies with one of a kind, and its number."""
    bodies = Bodies(**parameters)
    return bodies, bodies.add(water, kind, density, x, z, size, y=y, rotation=rotation)
