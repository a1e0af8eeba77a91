"""How high a body floats in still water."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from waterview.bodies.kernels.records import SPHERE

from .shapes import Shape

Array = NDArray[np.float64]

_HALVINGS = 60


def floating_height(shape: Shape, scale: Array, rotation: Array, share: float) -> float:
    """Height of the centre of mass above still water [m] at which `share` of the volume is wet.

    With a share of 1 or more the body is just under water.

    Args:
        shape: its kind.
        scale: metres for one unit of the shape along each of its axes, shape (3,).
        rotation: from its axes to those of the world, shape (3, 3). It is taken as fixed, stable or not.
        share: density of the body over that of the water.
    """
    if shape.geometry == SPHERE:
        low, high = -0.5 * float(scale[0]), 0.5 * float(scale[0])
    else:
        heights = (shape.vertices * scale) @ rotation.T[:, 1]
        low, high = -float(heights.max()), -float(heights.min())
    volume = shape.volume * float(np.prod(scale))
    for _ in range(_HALVINGS):
        middle = 0.5 * (low + high)
        wet = volume_below(shape, scale, rotation, -middle)
        low, high = (middle, high) if wet > share * volume else (low, middle)
    return low


def volume_below(shape: Shape, scale: Array, rotation: Array, level: float) -> float:
    """Volume of a body below a horizontal plane [m³]; arguments as in `floating_height`.

    Args:
        shape: its kind.
        scale: see above.
        rotation: see above.
        level: height of the plane above the centre of mass [m].
    """
    if shape.geometry == SPHERE:
        radius = 0.5 * float(scale[0])
        depth = min(max(radius + level, 0.0), 2.0 * radius)
        return math.pi * depth**2 * (radius - depth / 3.0)
    return wet_volume((shape.vertices * scale) @ rotation.T, shape.faces, level)


def volume_and_moment(shape: Shape, scale: Array, rotation: Array, level: float) -> tuple[float, float]:
    """`volume_below` a horizontal plane [m³] and ∫ (level − y)⁺ over that volume [m⁴]; arguments as there.

    The moment times ρg is the work that presses the body into still water.
    """
    if shape.geometry == SPHERE:
        radius = 0.5 * float(scale[0])
        depth = min(max(radius + level, 0.0), 2.0 * radius)  # ∫₀^depth π h²(radius − h/3) dh, and what is above it
        above = max(level - radius, 0.0) * 4.0 / 3.0 * math.pi * radius**3
        moment = math.pi * depth**3 * (radius / 3.0 - depth / 12.0) + above
        return volume_below(shape, scale, rotation, level), moment
    shadow, depths = _shadows((shape.vertices * scale) @ rotation.T, shape.faces, level)
    first, second, last = depths
    whole = first**2 + second**2 + last**2 + first * second + second * last + last * first
    one = _ratio(first**4, (first - second) * (first - last))
    two = whole - _ratio(last**4, (first - last) * (second - last))
    mean = np.where(last >= 0.0, whole, np.where(second > 0.0, two, np.where(first > 0.0, one, 0.0)))
    return _volume(shadow, depths), -float(shadow @ mean) / 12.0


def wet_volume(corners: Array, faces: NDArray[np.int64], level: float) -> float:
    """Volume of a closed surface below the height `level`: the sum of ∫ (level − y)⁺ over its faces, seen from above.

    Args:
        corners: shape (n, 3), y up.
        faces: counter-clockwise from outside, shape (m, 3).
        level: in the same coordinates.
    """
    return _volume(*_shadows(corners, faces, level))


def _volume(shadow: Array, depths: Array) -> float:
    first, second, last = depths
    one = _ratio(first**3, (first - second) * (first - last))
    two = first + second + last + _ratio(-(last**3), (first - last) * (second - last))
    mean = np.where(last >= 0.0, first + second + last, np.where(second > 0.0, two, np.where(first > 0.0, one, 0.0)))
    return -float(shadow @ mean) / 3.0


def _shadows(corners: Array, faces: NDArray[np.int64], level: float) -> tuple[Array, Array]:
    """Area of each face seen from above, below 0 from inside, and how deep its corners lie, the deepest first."""
    x, y, z = corners.T[:, faces]
    ax, az, bx, bz = x[:, 1] - x[:, 0], z[:, 1] - z[:, 0], x[:, 2] - x[:, 0], z[:, 2] - z[:, 0]
    return 0.5 * (az * bx - ax * bz), np.sort(level - y, axis=1)[:, ::-1].T


def _ratio(a: Array, b: Array) -> Array:
    return np.divide(a, b, out=np.zeros_like(a), where=b != 0.0)
