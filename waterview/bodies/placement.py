"""Size and place of a new body on a water."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from waterview.bodies.kernels.records import BOX
from waterview.core.errors import ParameterError
from waterview.core.grid import Grid, widest_water

from .shapes import Shape
from .water import WaterAroundBodies

Array = NDArray[np.float64]

USUAL_SIZE = 0.05
"""Longest side of a body of the usual size, as a share of the water's longer side."""

LARGEST_SIZE = 0.5
"""Longest side allowed, as a share of the water's shorter side."""

_PLACES = 400
_GOLDEN_ANGLE = math.pi * (3.0 - math.sqrt(5.0))


def scale_of(grid: Grid, shape: Shape, size: float | Sequence[float] | None) -> Array:
    """Metres for one unit of a shape along each of its axes, shape (3,); `size` as in `Bodies.add`.

    Raises:
        ParameterError: a side is not above 0 and finite or too long for the water, or three were given for no box.
    """
    if size is None:
        size = min(USUAL_SIZE * max(grid.size), LARGEST_SIZE * min(grid.size))
    sides = np.atleast_1d(np.asarray(size, np.float64))
    if sides.shape not in ((1,), (3,)) or (sides.shape == (3,) and shape.geometry != BOX):
        raise ParameterError(f"a {shape.kind} of size {size}: needed is one number, or for a box its three sides")
    most = LARGEST_SIZE * min(grid.size)
    if not (np.isfinite(sides).all() and sides.min() > 0.0 and sides.max() <= most):
        raise ParameterError(f"a {shape.kind} of size {size} m: allowed are values above 0 up to {most:g} m")
    return np.broadcast_to(sides, 3).copy()


def place_on(water: WaterAroundBodies, x: float | None, z: float | None) -> tuple[float, float]:
    """World x, z [m]; where one is None, that of the middle of the widest water.

    Raises:
        ParameterError: the place is not on the grid.
    """
    if x is None or z is None:
        middle = widest_water(water.grid, water.fixed)
        x, z = middle[0] if x is None else x, middle[1] if z is None else z
    if not (math.isfinite(x) and math.isfinite(z)) or water.grid.nearest(x, z) is None:
        (width, depth), (left, _, near) = water.grid.size, water.grid.origin
        raise ParameterError(
            f"a body at {x:g}, {z:g} lies outside the water: allowed are x from {left:g} to {left + width:g} m "
            f"and z from {near:g} to {near + depth:g} m"
        )
    return x, z


def free_place(
    water: WaterAroundBodies, place: tuple[float, float], reach: float, others: NDArray[np.void]
) -> tuple[float, float]:
    """The first of places on a spiral from world x, z [m] that is in the water and beside all other bodies.

    Args:
        water: the water.
        place: where the spiral begins; it is also what is returned where no place is free.
        reach: of the body [m].
        others: records of the bodies that are there.
    """
    for number in range(_PLACES):
        distance, angle = 0.6 * reach * math.sqrt(number), number * _GOLDEN_ANGLE
        x, z = place[0] + distance * math.cos(angle), place[1] + distance * math.sin(angle)
        nearest = water.grid.nearest(x, z)
        apart = np.hypot(others["position"][:, 0] - x, others["position"][:, 2] - z) > reach + others["bounding_radius"]
        if nearest is not None and not water.fixed[nearest[1], nearest[0]] and apart.all():
            return x, z
    return place
