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

    @property
    def slopes(self) -> moderngl.Texture:
        """Slopes −∂h/∂x and −∂h/∂z, RG16F."""

    @property
    def crests(self) -> NDArray[np.float32]:
        """Highest points [m] of blocks that cover the grid, shape (rows, columns), as of a frame or two ago."""

    def read_heights(self) -> NDArray[np.float32]:
        """The heights [m], shape (nz, nx); waits for the GPU."""

    def read_slopes(self) -> NDArray[np.float16]:
        """The slopes, shape (nz, nx, 2); waits for the GPU."""


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


def highest(frame: Frame) -> float:
    """The highest point of the water above still water [m]; of a `GpuFrame` as it was a frame or two ago."""
    return float((frame.surface.crests if isinstance(frame, GpuFrame) else frame.heights).max())


def height_near(frame: Frame, x: float, z: float) -> float:
    """The water above still water at world x, z [m]; of a `GpuFrame` the highest around there a frame or two ago."""
    if not isinstance(frame, GpuFrame):
        return frame.grid.sample(frame.heights, x, z)
    crests, cell = frame.surface.crests, frame.grid.to_cell(x, z)
    column, row = (
        min(max(int(at * blocks / points), 0), blocks - 1)
        for at, blocks, points in zip(cell, crests.shape[::-1], frame.grid.shape[::-1], strict=True)
    )
    return float(crests[row, column])


def without_reading(frame: Frame) -> Frame:
    """The frame, or one with still water in place of heights that would have to be read back from the GPU."""
    if not isinstance(frame, GpuFrame):
        return frame
    return frame.changed(heights=np.broadcast_to(np.float32(0.0), frame.grid.shape))
