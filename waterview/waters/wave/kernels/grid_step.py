"""The step of every grid model, for every border, shore, stencil and set of fixed points."""

from __future__ import annotations

import functools

import numpy as np
from numpy.typing import NDArray

from waterview.simd.layout import TwoLevels
from waterview.waters.common.kernels.awake import AwakeTiles
from waterview.waters.common.kernels.borders import Outside, Sides
from waterview.waters.common.kernels.shores import Shores, shores_of
from waterview.waters.common.kernels.slopes import Surface

from . import wave
from .wave import Velocity, free_points

SHORES = ("no-flux", "zero")
"""What water meets at fixed points: a wall, which throws waves back upright, or a surface held at 0 (Bressler 2007)."""


class Basin:
    """What a field of the shape of `fixed` lies in: its land, its shores and its borders, with what these remember.

    Args:
        fixed: fixed points, shape (nz, nx) bool.
        sides: kinds of the four borders.
        shore: one of `SHORES`.

    Attributes:
        free: the points that are not fixed.
        outside: the borders.

    Raises:
        ValueError: the shore is unknown or the borders do not fit together.
    """

    def __init__(self, fixed: NDArray[np.bool_], sides: Sides, shore: str = "no-flux") -> None:
        if shore not in SHORES:
            raise ValueError(f"shore '{shore}': allowed are {', '.join(SHORES)}")
        self.shape = fixed.shape
        self.sides = sides
        self.shore = shore
        self.fixed = fixed
        self.outside = Outside(sides, fixed, flowing=shore == "no-flux")
        self.free = free_points(fixed)

    def refitted(self, fixed: NDArray[np.bool_], sides: Sides, shore: str) -> Basin:
        """A basin of the same shape with other land, borders or shore; where borders stay, so does what they remember.

        Raises:
            ValueError: as when it is made.
        """
        basin = Basin(fixed, sides, shore)
        basin.outside.take_over(self.outside)
        return basin

    @functools.cached_property
    def shores(self) -> Shores | None:
        """Where walls are, if there are any; found when first asked for."""
        if self.shore == "zero" or not self.fixed.any():
            return None
        return shores_of(self.fixed, (self.sides.north == "wrapping", self.sides.west == "wrapping"))


def advance(
    field: TwoLevels,
    basin: Basin,
    *,
    stencil: str,
    kappa: float,
    courant: float,
    pull: float = 0.0,
    velocity: Velocity | None = None,
    steps: int = 1,
    rest: float = 0.0,
    tiles: AwakeTiles | None = None,
    threads: int | None = None,
    depth: int | None = None,
    lanes: int | None = None,
    surface: Surface | None = None,
) -> None:
    """Take `steps` steps h⁺ = h + (1 − κ)(h − h⁻) + λ²·L(h) + pull·h in place; fixed points become 0.

    Several steps are taken in one sweep over the grid, and only where water moves.

    Args:
        field: h and h⁻ [m].
        basin: where it lies; what its borders remember goes on with it.
        stencil: a key of `STENCILS`.
        kappa: κ = k·Δt, damping times time step.
        courant: λ = c·Δt/Δx. Not checked here; the limits are those of `wave.advance`.
        pull: draws heights to 0 where it is below 0, with the five-point stencil; 0 for the wave equation.
        velocity: as for `wave.advance`.
        steps: 0 or more.
        rest: as for `wave.advance`.
        tiles: likewise.
        threads: likewise.
        depth: likewise.
        lanes: likewise.
        surface: likewise.

    Raises:
        KeyError: no stencil is called so.
        ValueError: field and basin differ in shape, or a pull is asked of another stencil.
    """
    if field.shape != basin.shape:
        raise ValueError(f"a basin of shape {basin.shape} for a field of shape {field.shape}: they must agree")
    wave.advance(
        field,
        basin.free,
        border=basin.outside,
        stencil=stencil,
        kappa=kappa,
        courant=courant,
        pull=pull,
        velocity=velocity,
        shores=basin.shores,
        steps=steps,
        rest=rest,
        tiles=tiles,
        threads=threads,
        depth=depth,
        lanes=lanes,
        surface=surface,
    )
