"""How the ground moves when a rectangular fault slips beneath it (Okada, BSSA 75, 1985, equations 25 to 30).

The ground is an elastic half space with Poisson's ratio ¼. Okada's axes: x along the strike, y to the left of it, z up;
the origin lies over the beginning of the fault's lower edge. The fault rises from there along y under the angle δ.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

Doubles = NDArray[np.float64]

MU_SHARE = 0.5
"""μ/(λ + μ) = 1 − 2ν with Lamé's constants λ, μ and Poisson's ratio ν = ¼."""

NEARLY_UPRIGHT = 1e-4
"""cos δ below which a fault counts as upright: the other equations lose digits as 1/cos² δ."""


@dataclass(frozen=True)
class Fault:
    """A rectangle in the ground along which rock has slipped.

    Attributes:
        east, north: horizontal position of the middle of the rectangle [m].
        depth: of its middle below the ground [m].
        length: along the strike [m].
        width: down the dip [m].
        strike: direction of its horizontal edges, clockwise from north [degrees]; it dips to the right of that.
        dip: 0 lies flat, 90 stands upright [degrees].
        rake: direction in which the upper side has slipped, counter-clockwise from the strike [degrees]: 90 is a
            thrust, −90 a normal fault, 0 left-lateral.
        slip: how far [m].
    """

    east: float
    north: float
    depth: float
    length: float
    width: float
    strike: float
    dip: float
    rake: float
    slip: float

    @property
    def top_depth(self) -> float:
        """Depth of the upper edge [m]; below 0 it would stand out of the ground."""
        return self.depth - 0.5 * self.width * math.sin(math.radians(self.dip))

    def corners(self) -> Doubles:
        """East and north [m] of the four corners in turn, seen from above, shape (4, 2)."""
        half_width = 0.5 * self.width * math.cos(math.radians(self.dip))
        along, left = (0.5 * self.length * each for each in (-1, 1, 1, -1)), (half_width * s for s in (-1, -1, 1, 1))
        return np.array([self._to_map(x, y) for x, y in zip(along, left, strict=True)])

    def displacement(self, east: ArrayLike, north: ArrayLike) -> tuple[Doubles, Doubles, Doubles]:
        """How far the ground moves to the east, to the north and upwards [m] at places [m], which broadcast."""
        strike, dip, rake = (math.radians(angle) for angle in (self.strike, self.dip, self.rake))
        e, n = np.asarray(east, np.float64) - self.east, np.asarray(north, np.float64) - self.north
        along = e * math.sin(strike) + n * math.cos(strike)
        left = n * math.sin(strike) - e * math.cos(strike)
        x = along + 0.5 * self.length
        y = left + 0.5 * self.width * math.cos(dip)
        bottom = self.depth + 0.5 * self.width * math.sin(dip)
        slips = self.slip * math.cos(rake), self.slip * math.sin(rake)
        ux, uy, uz = surface_displacement(x, y, bottom, dip, self.length, self.width, *slips)
        return ux * math.sin(strike) - uy * math.cos(strike), ux * math.cos(strike) + uy * math.sin(strike), uz

    def _to_map(self, along: float, left: float) -> tuple[float, float]:
        strike = math.radians(self.strike)
        east = self.east + along * math.sin(strike) - left * math.cos(strike)
        return east, self.north + along * math.cos(strike) + left * math.sin(strike)


def surface_displacement(
    x: ArrayLike,
    y: ArrayLike,
    depth: float,
    dip: float,
    length: float,
    width: float,
    strike_slip: float,
    dip_slip: float,
) -> tuple[Doubles, Doubles, Doubles]:
    """Displacement of the ground along Okada's x, y and z [m] (1985, eq. 24 to 30).

    Args:
        x: of places on the ground [m]; broadcasts with y.
        y: of places on the ground [m].
        depth: of the lower edge [m].
        dip: δ [rad].
        length: along x [m].
        width: up the dip [m].
        strike_slip: U₁ [m].
        dip_slip: U₂ [m].
    """
    x, y = np.broadcast_arrays(np.asarray(x, np.float64), np.asarray(y, np.float64))
    p, q = y * math.cos(dip) + depth * math.sin(dip), y * math.sin(dip) - depth * math.cos(dip)
    total = np.zeros((3, *x.shape))
    for sign, xi, eta in ((1, x, p), (-1, x, p - width), (-1, x - length, p), (1, x - length, p - width)):
        strike_part, dip_part = _corner(xi, eta, q, dip)
        for axis in range(3):
            total[axis] -= sign / (2.0 * math.pi) * (strike_slip * strike_part[axis] + dip_slip * dip_part[axis])
    return total[0], total[1], total[2]


Triple = tuple[Doubles, Doubles, Doubles]


def _corner(xi: Doubles, eta: Doubles, q: Doubles, dip: float) -> tuple[Triple, Triple]:
    """What stands in the brackets of eq. 25 (strike slip) and eq. 26 (dip slip) for x, y and z, at one corner."""
    sin, cos = math.sin(dip), math.cos(dip)
    y, d = eta * cos + q * sin, eta * sin - q * cos
    r = np.sqrt(xi**2 + eta**2 + q**2)
    by_eta, by_xi = _inverse(r * (r + eta)), _inverse(r * (r + xi))
    angle = np.arctan(xi * eta * _inverse(q * r))
    i1, i2, i3, i4, i5 = _integrals(xi, eta, q, y, d, r, dip)
    strike_slip = (
        xi * q * by_eta + angle + i1 * sin,
        y * q * by_eta + q * cos * _inverse(r + eta) + i2 * sin,
        d * q * by_eta + q * sin * _inverse(r + eta) + i4 * sin,
    )
    dip_slip = (
        q * _inverse(r) - i3 * sin * cos,
        y * q * by_xi + cos * angle - i1 * sin * cos,
        d * q * by_xi + sin * angle - i5 * sin * cos,
    )
    return strike_slip, dip_slip


def _integrals(
    xi: Doubles, eta: Doubles, q: Doubles, y: Doubles, d: Doubles, r: Doubles, dip: float
) -> tuple[Doubles, Doubles, Doubles, Doubles, Doubles]:
    """I₁ to I₅, eq. 28, and eq. 29 for an upright fault."""
    sin, cos, share = math.sin(dip), math.cos(dip), MU_SHARE
    rd = _inverse(r + d)
    # Where the fault's line runs through the place, R + η is 0, and only −ln(R − η) is left of it.
    is_on_line = r + eta <= 1e-12 * r
    log_eta = np.where(is_on_line, -np.log(np.maximum(r - eta, 1e-300)), np.log(np.where(is_on_line, 1.0, r + eta)))
    if abs(cos) < NEARLY_UPRIGHT:
        i1 = -0.5 * share * xi * q * rd**2
        i3 = 0.5 * share * (eta * rd + y * q * rd**2 - log_eta)
        i4, i5 = -share * q * rd, -share * xi * sin * rd
    else:
        big = np.sqrt(xi**2 + q**2)
        over = eta * (big + q * cos) + big * (r + big) * sin
        i5 = share * 2.0 / cos * np.arctan(over * _inverse(xi * (r + big) * cos))
        i4 = share / cos * (np.log(np.maximum(r + d, 1e-300)) - sin * log_eta)
        i3 = share * (y * rd / cos - log_eta) + sin / cos * i4
        i1 = -share * xi * rd / cos - sin / cos * i5
    return i1, -share * log_eta - i3, i3, i4, i5


def _inverse(value: Doubles) -> Doubles:
    """1/value, and 0 where that is 0 or as good as 0: there Okada drops the term."""
    is_zero = np.abs(value) < 1e-300
    return np.asarray(np.where(is_zero, 0.0, 1.0 / np.where(is_zero, 1.0, value)))
