"""Waves that come into a field of the wave equation: the whole field inside, and what leaves along the driven sides.

The outermost points along driven sides have only the scattered field, the whole field less the waves that come in; all
other points have the whole field. The step is linear, so it serves both. Only where a point of one kind reads a point
of the other kind the wave must be added or taken away (total field and scattered field: Taflove and Hagness, ch. 5).
What then leaves runs into the layer of an open border, which lets it out at any angle.
"""

from __future__ import annotations

import copy
from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from waterview.core.commands import MAX_HEIGHT
from waterview.core.grid import Grid
from waterview.waters.common.borders import Sides
from waterview.waters.common.wavemaker import Places, Wavemaker, WavemakerParams, mean_depth, middle

Ints = NDArray[np.int64]

_NEIGHBOURS = ((-1, 0), (1, 0), (0, -1), (0, 1), (-1, -1), (-1, 1), (1, -1), (1, 1))


class Pairs(NamedTuple):
    """Points that read points of the other kind.

    Attributes:
        points: flat indices of all points that are read or read, shape (p,), in order.
        reader, read: places among them of each reading point and of the one that it reads, shape (m,).
        weight: 1 where the wave is added, −1 where it is taken away, times what a border leaves of it, shape (m,).
        diagonal: whether they touch at a corner, shape (m,).
    """

    points: Ints
    reader: Ints
    read: Ints
    weight: NDArray[np.float64]
    diagonal: NDArray[np.bool_]


class WaveSource:
    """What comes in by all driven sides of a grid.

    Attributes:
        wavemaker: what comes in.
        names: the driven sides.
    """

    def __init__(self) -> None:
        self.wavemaker = Wavemaker()
        self.names: tuple[str, ...] = ()
        self._pairs: Pairs | None = None
        self._places = Places(np.zeros(0), np.zeros(0))

    def ask(self, params: WavemakerParams, edge: NDArray[np.floating], grid: Grid, speed: float) -> None:
        """Let what `params` ask for come in from now on; `fit` must follow.

        Args:
            params: of the water.
            edge: depth of still water along the first driven side [m], shape (n,); only a solitary wave and a spectrum
                depend on it.
            grid: where the points lie.
            speed: of waves [m/s].
        """
        origin, depth = (0.0, 0.0), 1.0
        if params.has_driven_sides:
            origin, depth = middle(grid, params.driven_sides[0]), mean_depth(edge) or 1.0
        self.wavemaker.ask(params, origin, depth, speed * speed / depth, sum(grid.size))
        self.names = self.wavemaker.sides

    def fit(self, fixed: NDArray[np.bool_], sides: Sides, grid: Grid) -> None:
        """Find the points where the wave is added and taken away.

        Args:
            fixed: points of land, shape (nz, nx).
            sides: the kinds of the borders.
            grid: where the points lie.
        """
        self._pairs = None
        if self.names:
            self._pairs = find_pairs(lambda z, x: fixed[z, x], fixed.shape, sides, self.names)
            self._places = places_of(self._pairs.points, grid)

    def in_part(
        self,
        names: tuple[str, ...],
        fixed: NDArray[np.bool_],
        sides: Sides,
        places: Callable[[Ints], Places],
    ) -> WaveSource:
        """What comes in by some of the driven sides of a part of the grid, with a clock of its own.

        Args:
            names: those that the part reaches.
            fixed: points of land in the part, shape (nz, nx).
            sides: the kinds of its borders.
            places: gives the places of points by their flat indices in the part.
        """
        part = WaveSource()
        part.wavemaker, part.names = copy.deepcopy(self.wavemaker), names
        part._pairs = find_pairs(lambda z, x: fixed[z, x], fixed.shape, sides, names)
        part._places = places(part._pairs.points)
        return part

    @property
    def has_ended(self) -> bool:
        """Whether what faded at a side has gone."""
        return self.names != self.wavemaker.sides

    def add_to(self, heights: NDArray[np.float32], gain: float, corner: float) -> None:
        """Put right a step of `heights`, shape (nz, nx), that has just been taken.

        Args:
            heights: changed in place.
            gain: λ², of the true wave speed.
            corner: the weight of the corners in the Laplacian.
        """
        if self._pairs is None:
            return
        points, reader, read, weight, diagonal = self._pairs
        weights = weight * np.where(diagonal, corner, 1.0 - 2.0 * corner)
        added = gain * np.bincount(reader, weights * self._wave()[read], minlength=len(points))
        heights[np.divmod(points, heights.shape[1])] += added.astype(np.float32)

    def whole(self, heights: NDArray[np.float32], fixed: NDArray[np.bool_]) -> NDArray[np.float32]:
        """The whole field: `heights` with the wave along the driven sides, where it stays within ±`MAX_HEIGHT`."""
        if self._pairs is None:
            return heights
        places = np.divmod(self._pairs.points, heights.shape[1])
        outermost = _is_outermost(*places, heights.shape, self.names) & ~fixed[places]
        whole = heights.copy()
        wave = np.where(outermost, self._wave(), 0.0).astype(np.float32)
        whole[places] = np.clip(whole[places] + wave, -MAX_HEIGHT, MAX_HEIGHT)
        return whole

    def advance(self, seconds: float) -> None:
        """Let `seconds` [s] go by."""
        self.wavemaker.time += seconds

    def _wave(self) -> NDArray[np.float64]:
        """The wave now at all points of the pairs [m]."""
        return self.wavemaker.waves_at(self._places).surface

    def state(self) -> dict[str, Any]:
        """Everything that changes."""
        return self.wavemaker.state()

    def load_state(self, state: Mapping[str, Any]) -> None:
        """Go on from what `state` gave; raises a KeyError or ValueError where it makes no sense."""
        self.wavemaker.load_state(state)


def opened(sides: Sides, names: tuple[str, ...]) -> Sides:
    """Borders with driven sides open; opposite an open side none can wrap, and is open, too."""
    changed = sides._replace(**dict.fromkeys(names, "open"))
    for one, other in (("north", "south"), ("east", "west")):
        pair = {side: getattr(changed, side) for side in (one, other)}
        if "open" in pair.values():
            changed = changed._replace(**{side: "open" for side, kind in pair.items() if kind == "wrapping"})
    return changed


def _is_outermost(z: Ints, x: Ints, shape: tuple[int, int], names: tuple[str, ...]) -> NDArray[np.bool_]:
    """Whether points in rows z and columns x are the outermost along the driven sides."""
    ends = {"west": x == 0, "east": x == shape[1] - 1, "north": z == 0, "south": z == shape[0] - 1}
    return np.asarray(np.logical_or.reduce([ends[name] for name in names]))


def places_of(points: Ints, grid: Grid, chosen: Ints | None = None) -> Places:
    """Places of points by their flat indices, or of those `chosen` of them."""
    z, x = np.divmod(points, grid.shape[1])
    return Places(grid.x[x], grid.z[z], chosen)


def find_pairs(
    is_land: Callable[[Ints, Ints], NDArray[np.bool_]], shape: tuple[int, int], sides: Sides, names: tuple[str, ...]
) -> Pairs:
    """Points along driven sides that read points of the other kind.

    Args:
        is_land: whether points in rows z and columns x are land; asked of the two lines of points along driven sides.
        shape: (nz, nx) of the grid.
        sides: the kinds of the borders.
        names: the driven sides.
    """
    (nz, nx), both = shape, np.arange(2)
    rows, columns = np.arange(nz), np.arange(nx)
    lines = {
        "west": (rows, both),
        "east": (rows, nx - 1 - both),
        "north": (both, columns),
        "south": (nz - 1 - both, columns),
    }
    near = [np.add.outer(i * nx, j).ravel() for i, j in (lines[name] for name in names)]
    z, x = np.divmod(np.unique(np.concatenate(near)), nx)
    outermost = _is_outermost(z, x, shape, names)
    weights = dict(zip(sides._fields, (kind.weight for kind in sides.kinds), strict=True))
    found = []
    for dz, dx in _NEIGHBOURS:
        i, j = z + dz, x + dx
        # Beyond a border lies what it mirrors, or what wraps around.
        left = np.ones(len(z))
        for side, beyond in (("north", i < 0), ("south", i >= nz), ("west", j < 0), ("east", j >= nx)):
            left *= np.where(beyond, weights[side], 1.0)
        i = i % nz if sides.wraps[0] else np.clip(i, 0, nz - 1)
        j = j % nx if sides.wraps[1] else np.clip(j, 0, nx - 1)
        pairs = np.flatnonzero((_is_outermost(i, j, shape, names) != outermost) & (left > 0.0))
        pairs = pairs[~is_land(z[pairs], x[pairs]) & ~is_land(i[pairs], j[pairs])]
        sign = np.where(outermost, -left, left)
        diagonal = np.full(len(pairs), bool(dz and dx))
        found.append(((z * nx + x)[pairs], (i * nx + j)[pairs], sign[pairs], diagonal))
    reader, read, weight, diagonal = (np.concatenate(each) for each in zip(*found, strict=True))
    points, places = np.unique(np.concatenate((reader, read)), return_inverse=True)
    return Pairs(points, places[: len(reader)], places[len(reader) :], weight, diagonal)
