"""Sides of a lake by which waves and tides come in: each block has the part of them that it holds.

What comes in is a function of place and time, so each block works out its own, with a clock of its own. What must be
known of a whole side is little: its ground, and for random seas which places lie on one crest.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from waterview.core.rectangle import Rectangle
from waterview.waters.common.borders import Sides
from waterview.waters.common.stability import StableStep, stable_step
from waterview.waters.common.wavemaker import SIDES, Places, Wavemaker, inwards, mean_depth, middle
from waterview.waters.shallow.driven_sides import DrivenSides
from waterview.waters.shallow.kernels.layout import GHOSTS
from waterview.waters.shallow.shallow_params import ShallowWaterParams
from waterview.waters.wave.step import STENCILS
from waterview.waters.wave.wave_equation import WaveEquationParams, speed_of
from waterview.waters.wave.wave_source import Ints, WaveSource, find_pairs, places_of

from .blocks import LakeGrid
from .ground import Ground, still_depth

CLOCK = "wavemaker time"
"""What the clock of a block's wavemaker is called in its state."""

DRIVEN = "open"
"""The border of a driven side in a lake of the wave equation."""


def beside(side: str, shape: tuple[int, int], lines: int) -> Rectangle:
    """The outermost lines of points along a side of a grid of `shape` (nz, nx)."""
    nz, nx = shape
    return {
        "north": Rectangle(0, min(lines, nz), 0, nx),
        "south": Rectangle(max(nz - lines, 0), nz, 0, nx),
        "west": Rectangle(0, nz, 0, min(lines, nx)),
        "east": Rectangle(0, nz, max(nx - lines, 0), nx),
    }[side]


def reaches(place: Rectangle, side: str, shape: tuple[int, int]) -> bool:
    """Whether a rectangle holds points of a side of a grid of `shape` (nz, nx)."""
    return not place.and_(beside(side, shape, 1)).is_empty


def along(place: Rectangle, side: str) -> slice:
    """The rows or columns of a rectangle, whichever follow each other along a side."""
    return slice(place.left, place.right) if side in {"north", "south"} else slice(place.top, place.bottom)


def is_land(side: str, ground: Ground) -> bool:
    """Whether all of a side of a lake is land."""
    return bool(ground.fixed(beside(side, ground.grid.shape, 1)).all())


def depth_along(side: str, ground: Ground) -> NDArray[np.float32]:
    """Depth of still water at the outermost points along a side of a lake [m], shape (n,)."""
    depth = np.asarray(ground.grid.level - ground.bed(beside(side, ground.grid.shape, 1)), np.float32)
    along: NDArray[np.float32] = inwards(depth, side)[0]
    return along


def wavemaker_of(
    params: WaveEquationParams | ShallowWaterParams, edge: NDArray[np.float32], grid: LakeGrid
) -> Wavemaker:
    """The wavemaker of a lake that was baked, from its start on.

    Args:
        params: of its model; its gravity is given if that is shallow water.
        edge: depth of still water at the outermost points along the first driven side [m], shape (n,).
        grid: of the lake.
    """
    if isinstance(params, ShallowWaterParams):
        wavemaker = Wavemaker()
        origin = middle(grid, params.driven_sides[0])
        wavemaker.ask(params, origin, mean_depth(edge), params.gravity, sum(grid.size))
        return wavemaker
    source, symbol = WaveSource(), STENCILS[params.stencil].largest_symbol
    plan = stable_step(params.wave_speed, params.damping, 1.0 / params.steps_per_second, grid.spacing, symbol)
    source.ask(params, edge, grid, speed_of(plan, params.stencil))
    return source.wavemaker


# --- the wave equation


class DrivenWaves(NamedTuple):
    """What comes in by the sides of a lake of the wave equation.

    Attributes:
        source: what was asked for.
        points: flat indices of all points of the lake where a wave is added, read or taken away, in order.
        grid: of the lake.
        seconds: length of a part of a step [s].
        gain, corner: as `WaveSource.add_to`.
    """

    source: WaveSource
    points: Ints
    grid: LakeGrid
    seconds: float
    gain: float
    corner: float

    def within(self, held: Rectangle, sides: Sides, fixed: NDArray[np.bool_]) -> WaveSource | None:
        """What comes in by the part of the sides that a block holds; None where it holds none.

        Args:
            held: its points.
            sides: the kinds of its borders.
            fixed: those that stay dry, shape of `held`.
        """
        names = tuple(name for name in self.source.names if getattr(sides, name) == DRIVEN)
        if not names:
            return None
        (nz, nx), (_, columns) = self.grid.shape, held.shape

        def places(points: Ints) -> Places:
            z, x = np.divmod(points, columns)
            whole = (z + held.top) % nz * nx + (x + held.left) % nx
            return places_of(self.points, self.grid, np.searchsorted(self.points, whole))

        return self.source.in_part(names, fixed, sides, places)


def driven_waves(
    params: WaveEquationParams, ground: Ground, sides: Sides, plan: StableStep, time_step: float
) -> DrivenWaves:
    """What `params` let come in by the sides of a lake.

    Args:
        params: of the model.
        ground: what the lake stands on.
        sides: the kinds of its borders, driven ones open.
        plan: how a step is taken.
        time_step: its length [s].
    """
    grid, stencil, source = ground.grid, STENCILS[params.stencil], WaveSource()
    source.ask(params, depth_along(params.driven_sides[0], ground), grid, speed_of(plan, params.stencil))
    strips = [(place, ground.fixed(place)) for place in (beside(name, grid.shape, 2) for name in source.names)]

    def is_land(z: Ints, x: Ints) -> NDArray[np.bool_]:
        land = np.zeros(z.shape, bool)
        for place, fixed in strips:
            inside = (z >= place.top) & (z < place.bottom) & (x >= place.left) & (x < place.right)
            land[inside] = fixed[z[inside] - place.top, x[inside] - place.left]
        return land

    points = find_pairs(is_land, grid.shape, sides, source.names).points
    gain = stencil.laplacians * plan.courant**2
    return DrivenWaves(source, points, grid, time_step / plan.substeps, gain, stencil.corner)


# --- shallow water


class DrivenShores(NamedTuple):
    """What comes in by the sides of a lake of shallow water.

    Attributes:
        sides: what was asked for, by all sides whole.
        shape: (nz, nx) of the lake's grid.
    """

    sides: DrivenSides
    shape: tuple[int, int]

    def within(self, held: Rectangle) -> DrivenSides | None:
        """The parts of driven sides that a block holds; None where it holds none."""
        parts = self.parts(held)
        return self.sides.in_parts(parts) if parts else None

    def parts(self, place: Rectangle) -> dict[str, slice]:
        """The parts of driven sides in a rectangle, by rows or columns of the grid."""
        return {name: along(place, name) for name in self.sides.names if reaches(place, name, self.shape)}


def driven_shores(params: ShallowWaterParams, ground: Ground) -> DrivenShores:
    """What `params` let come in by the sides of a lake; their gravity must be given."""
    shape, depths = ground.grid.shape, dict[str, NDArray[np.float32]]()
    for name in SIDES:
        place = beside(name, shape, GHOSTS)
        depths[name] = inwards(still_depth(ground, place, ground.fixed(place)), name)
    sides = DrivenSides(ground.grid)
    sides.between(depths)
    sides.ask(params, params.gravity)
    return DrivenShores(sides, shape)


def moved(parts: Mapping[str, slice], held: Rectangle) -> dict[str, slice]:
    """Parts of sides, counted from where those of a block begin that holds these points."""
    firsts = {name: along(held, name).start for name in parts}
    return {name: slice(part.start - firsts[name], part.stop - firsts[name]) for name, part in parts.items()}
