"""What flows in through the faces of a side of the grid, as the step takes it from there."""

from __future__ import annotations

import numpy as np

from waterview.simd.jit import Static, jit
from waterview.simd.vectors import SIZE, load_anywhere, store_anywhere

from .fluxes import Cells, Water, central_upwind_flux, primitive, reconstruct, turned
from .layout import Floats, Stage

STRIP = 16
"""Cells that are taken at a time."""

WIDTH = Static(STRIP)


@jit
def _water(cells: Floats, bed: Floats, row: int, j: int, is_along_x: bool, stage: Stage) -> Water:
    """Primitive variables of a strip of a row, for faces across x or across z."""
    plane, at = cells.shape[1] * cells.shape[2], row * cells.shape[2] + j
    first, ground = cells.ctypes.data + at * SIZE, bed.ctypes.data + at * SIZE
    three = Cells(
        load_anywhere(WIDTH, first),
        load_anywhere(WIDTH, first + plane * SIZE),
        load_anywhere(WIDTH, first + 2 * plane * SIZE),
    )
    water = primitive(three, load_anywhere(WIDTH, ground), stage)
    return water if is_along_x else turned(water)


@jit
def fill_side_flow(cells: Floats, bed: Floats, is_along_x: bool, out: Floats, stage: Stage) -> None:
    """Depth times velocity through the faces between the second and the third of four rows of cells.

    Args:
        cells: conserved variables of four rows along a side, in the order of rising x or z; shape (3, 4, n), n a
            multiple of `STRIP`.
        bed: height of their ground above still water [m], shape (4, n).
        is_along_x: whether the rows follow each other along x.
        out: output, to higher x or z [m²/s], shape (n,).
        stage: gravity and the depths that count as thin and dry.
    """
    for j in range(0, cells.shape[2], STRIP):
        a, b = _water(cells, bed, 0, j, is_along_x, stage), _water(cells, bed, 1, j, is_along_x, stage)
        c, d = _water(cells, bed, 2, j, is_along_x, stage), _water(cells, bed, 3, j, is_along_x, stage)
        _, before = reconstruct(a, b, c, stage)
        after, _ = reconstruct(b, c, d, stage)
        store_anywhere(out.ctypes.data + j * SIZE, central_upwind_flux(before, after, stage.gravity).mass)


def side_flow(cells: Floats, bed: Floats, side: str, stage: Stage) -> float:
    """What flows in through a side, for each metre along it and added up over its cells [m²/s].

    Args:
        cells: conserved variables with two rows of ghost cells all around, shape (3, nz + 4, nx + 4).
        bed: height of the ground above still water [m], shape (nz + 4, nx + 4).
        side: its name.
        stage: gravity and the depths that count as thin and dry.
    """
    rows = {"west": np.s_[..., :4], "east": np.s_[..., -4:], "north": np.s_[..., :4, :], "south": np.s_[..., -4:, :]}
    is_along_x, is_low = side in {"west", "east"}, side in {"west", "north"}
    four, ground = cells[rows[side]], bed[rows[side]]
    if is_along_x:
        four, ground = four.swapaxes(1, 2), ground.swapaxes(0, 1)
    four, ground = four[..., 2:-2], ground[..., 2:-2]
    n = four.shape[2]
    strips = -(-n // STRIP) * STRIP
    padded, padded_ground, out = (np.zeros(shape, np.float32) for shape in ((3, 4, strips), (4, strips), strips))
    padded[..., :n], padded_ground[..., :n] = four, ground
    fill_side_flow(padded, padded_ground, is_along_x, out, stage)
    total = float(out[:n].sum(dtype=np.float64))
    return total if is_low else -total
