"""Frames whose surface lies on the graphics card already."""

from __future__ import annotations

from typing import Any, Protocol, Self

import moderngl
import numpy as np
from numpy.typing import NDArray

from waterview.core.frame import Frame


class CardSurface(Protocol):
    """A surface on the graphics card, as it is at the time; a texel a grid point."""

    @property
    def heights(self) -> moderngl.Texture:
        """As `render.water.surface.Surface.heights`."""
        ...

    @property
    def slopes(self) -> moderngl.Texture:
        """As `render.water.surface.Surface.slopes`."""
        ...

    def read_heights(self) -> NDArray[np.float32]:
        """The heights [m], shape (nz, nx); waits for the card."""
        ...

    def read_slopes(self) -> NDArray[np.float16]:
        """The slopes, shape (nz, nx, 2); waits for the card."""
        ...


class CardFrame(Frame):
    """A frame that is drawn from the card's own textures; `heights` and `normals` are read back when first asked for.

    They are then as they are on the card at that time: ask before the water goes on, or the frame is a newer one's.

    Args:
        frame: everything else; its heights and normals are left aside.
        surface: where they are.

    Attributes:
        surface: as given.
    """

    surface: CardSurface

    def __init__(self, frame: Frame, surface: CardSurface) -> None:
        self.__dict__.update(vars(frame), surface=surface)
        del self.__dict__["heights"], self.__dict__["normals"]

    def __getattr__(self, name: str) -> Any:
        if name == "heights":
            value: Any = self.surface.read_heights()
        elif name == "normals":
            value = self.surface.read_slopes()
        else:
            raise AttributeError(f"a frame has no '{name}'")
        self.__dict__[name] = value
        return value

    def changed(self, **parts: Any) -> Self:
        """A copy with some parts replaced; nothing is read back for it."""
        copy = object.__new__(type(self))
        copy.__dict__.update(vars(self), **parts)
        return copy
