"""What was computed before and is played back: where its frames come from, and which of them is shown."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from .diagnostics import FieldMap
from .gauges import GaugeSeries
from .georeference import Georeference
from .grid import Grid
from .params import Value
from .rectangle import Rectangle

MOST_LIVE_POINTS = 4096
"""Most points along the longer side of a part that is brought to life."""


class Part(NamedTuple):
    """A rectangle of points of a level, in which 2^level points are one."""

    level: int
    rectangle: Rectangle

    @property
    def shape(self) -> tuple[int, int]:
        """(nz, nx)."""
        return self.rectangle.shape

    def grid(self, whole: Grid) -> Grid:
        """Where its points lie, on the `whole` grid of its level."""
        x, y, z = whole.origin
        corner = x + self.rectangle.left * whole.spacing, y, z + self.rectangle.top * whole.spacing
        return Grid(self.shape, whole.spacing, corner)

    @classmethod
    def over(cls, grid: Grid, whole: Grid, level: int) -> Part:
        """The smallest part of a level, whose `whole` grid is given, with all places of another `grid`."""
        low, high = whole.to_cell(grid.origin[0], grid.origin[2]), whole.to_cell(float(grid.x[-1]), float(grid.z[-1]))
        (left, right), (top, bottom) = (
            _within(first, last, points) for first, last, points in zip(low, high, reversed(whole.shape), strict=True)
        )
        return cls(level, Rectangle(top, bottom, left, right))


def _within(first: float, last: float, points: int) -> tuple[int, int]:
    """Where to begin and end for all places from `first` to `last` among so many points; at least two."""
    begin = min(max(int(np.floor(first)), 0), points - 2)
    return begin, max(min(int(np.ceil(last)) + 1, points), begin + 2)


class Recorded(Protocol):
    """Frames of a water that were computed before, at levels each half as fine as the one before."""

    @property
    def title(self) -> str:
        """What users call it."""

    @property
    def times(self) -> Sequence[float]:
        """Simulated time of every frame, rising [s]."""

    @property
    def levels(self) -> int:
        """Number of levels."""

    @property
    def place(self) -> Georeference:
        """Coordinates of the terrain's file by world x and z [m]."""

    @property
    def model(self) -> str:
        """Name of the model that computed it, or of the one that goes on best from what is kept of it."""

    @property
    def settings(self) -> Mapping[str, Value]:
        """Parameters of that model by name, as far as they are known."""

    @property
    def gauges(self) -> tuple[GaugeSeries, ...]:
        """What gauges measured over the whole run."""

    @property
    def map_names(self) -> tuple[str, ...]:
        """Names of the fields over the run that are kept."""

    @property
    def damage(self) -> str:
        """What could not be read of that, as a line for the user; "" if all could."""

    def grid(self, level: int) -> Grid:
        """All points of a level."""

    def incoming(self, time: float) -> NDArray[np.float32] | None:
        """The sea beyond the sides at a simulated time [s], as `Frame.incoming`; None where no waves come in."""

    def together(self, number: int) -> range:
        """The frames that are read for the price of this one."""

    def ground(self, part: Part) -> tuple[NDArray[np.float32], NDArray[np.bool_]]:
        """World height of the ground [m], and points that stay dry; of the shape of `part`.

        Raises:
            InputError: it cannot be read.
        """

    def heights(self, numbers: range, part: Part) -> tuple[NDArray[np.float32], str]:
        """Heights above still water [m], shape (frames, nz, nx), and what is damaged in them, "" if nothing is.

        What is damaged is taken from coarser levels; where these are damaged, too, it is 0.
        """

    def flow(self, number: int, part: Part) -> NDArray[np.float32] | None:
        """Depth times velocity along x and along z [m²/s], shape (2, nz, nx); None if it is not kept.

        Raises:
            InputError: it is damaged.
        """

    def field_map(self, name: str, part: Part) -> FieldMap:
        """A field over the run.

        Raises:
            InputError: it is damaged.
        """


@dataclass(frozen=True, eq=False)
class PlaybackState:
    """What of a recording a frame shows.

    Attributes:
        recorded: what is played.
        number: of the frame.
        is_finest: whether it is as fine as the view needs; a finer one is being read where it is not.
        problem: what was found damaged last, as a line for the user; "" if nothing was.
    """

    recorded: Recorded
    number: int
    is_finest: bool
    problem: str = ""
