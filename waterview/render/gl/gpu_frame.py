"""Frames whose water surface is already on the graphics card (the GPU)."""

from __future__ import annotations

from typing import Any, Protocol, Self

import moderngl
import numpy as np
from numpy.typing import NDArray

from waterview.core.frame import Frame


class GpuSurface(Protocol):
    """A water surface in textures with one texel per grid point, as it is at the time of reading."""

    @property
    def heights(self) -> moderngl.Texture:
        """Heights above still water [m], R32F."""
        ...

    @property
    def slopes(self) -> moderngl.Texture:
        """Slopes −∂h/∂x and −∂h/∂z, RG16F."""
        ...

    def read_heights(self) -> NDArray[np.float32]:
        """The heights [m], shape (nz, nx); waits for the GPU."""
        ...

    def read_slopes(self) -> NDArray[np.float16]:
        """The slopes, shape (nz, nx, 2); waits for the GPU."""
        ...


class GpuFrame(Frame):
    """A frame that is drawn from textures on the GPU; `heights` and `normals` are read back when first asked for.

    They hold what the textures hold at that moment: ask before the next step, or they belong to a newer frame.

    Args:
        frame: everything but heights and normals, which are ignored.
        surface: the textures.

    Attributes:
        surface: the textures.
    """

    surface: GpuSurface

    def __init__(self, frame: Frame, surface: GpuSurface) -> None:
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
