"""What blocks of all models have in common: the points that they own and hold, and how wide a drop on them may be."""

from __future__ import annotations

from waterview.core.commands import Drop
from waterview.core.errors import InputError
from waterview.core.rectangle import Rectangle
from waterview.waters.common.drops import Window

from .blocks import Blocks, Number
from .ground import Ground

WIDEST_DROP = 1 << 23
"""Most points of the square around a drop: all of it is looked at by each block that it falls on."""


class Block:
    """A block of a lake, at rest.

    Args:
        number: which block.
        blocks: all of them.
        ground: what the lake stands on.

    Attributes:
        owned, held: the points of the grid that it owns and holds.
        fixed: points that it holds that stay dry, at least at first; shape of `held`, bool.
        parts: parts of steps, or steps, that were taken.
    """

    def __init__(self, number: Number, blocks: Blocks, ground: Ground) -> None:
        self.owned, self.held = blocks.owned(number), blocks.held(number)
        self._ground = ground
        self.fixed = ground.fixed(self.held)
        self.parts, self._is_calm = 0, True

    @property
    def _inside(self) -> Window:
        """What it owns, among what it holds."""
        return self.owned.of(self.held)

    @property
    def is_calm(self) -> bool:
        """Whether it is known that nothing moves in all that it holds."""
        return self._is_calm


def check_width(drop: Drop, window: Rectangle) -> None:
    """Refuse a drop of which a block would have to know too many points.

    Args:
        drop: what falls.
        window: the points that it may change.

    Raises:
        InputError: they are more than `WIDEST_DROP`.
    """
    if window.points > WIDEST_DROP:
        raise InputError(
            f"the drop at {drop.x:g},{drop.z:g} is {window.shape[1]:,} points wide with the ring that its volume is "
            f"taken from: allowed are {WIDEST_DROP**0.5:,.0f} where a lake is baked"
        )
