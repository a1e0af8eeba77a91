"""The compiled step of some rows from one time level to the next, with what lies outside the grid beside them.

Rows and columns count from 0 here; a level is given by the address of its first point.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numba
import numpy as np

from waterview.simd.jit import call_at, index_pointer, part
from waterview.waters.common.active_tiles import TILE_ROWS

from .halo import GHOST, OPEN, surround_rows
from .wave_runs import step_rows


class Rule(NamedTuple):
    """How to step a field, in numbers.

    Attributes:
        keep: 1 − κ, of the motion.
        gain: λ² times the gain of the stencil's sum, over Δt for velocities [1/s].
        centre: what the sum "cross" multiplies a point itself by: −4, or less where heights are drawn to 0.
        rest: tiles of smaller heights become 0 now and then [m]; 0 for never.
        time_step: Δt, where motion is known by velocities [s].
        velocity: then the address of the first point's; 0 where motion is known by h⁻.
        north, east, south, west: what lies outside a side, by its place in `borders.KINDS`.
        nz, nx: points along z and along x.
        width: nx rounded up to whole vectors of 16.
        stride: bytes from one row of heights to the next.
        free: address of a bit for each point of the first row, set where there is water.
        bits: bytes from one row of these to the next.
        first, ends: addresses of the arrays of `awake.Marks`.
        shores: address of the first block of `shores.Shores.bits`, or 0 where there are no walls.
        shores_row: bytes from one row of these to the next.
        first_run, runs: addresses of the other arrays.
        memory: address of the numbers of `absorbing.Memory`, or 0 where no side remembers anything.
        beside: then the address of the code of `open_levels.take_along`.
    """

    keep: np.float32
    gain: np.float32
    centre: np.float32
    rest: np.float32
    time_step: np.float32
    velocity: int
    north: int
    east: int
    south: int
    west: int
    nz: int
    nx: int
    width: int
    stride: int
    free: int
    bits: int
    first: int
    ends: int
    shores: int
    shores_row: int
    first_run: int
    runs: int
    memory: int
    beside: int


# --- one step


@part
def step_level(form: Any, lanes: Any, now: int, out: int, top: int, bottom: int, rule: Rule) -> None:
    """Take a step of the rows `top` to `bottom` − 1, at most `shores.ROWS`, from `now` over h⁻ in `out`.

    Four rows may lie in two rows of tiles; the spans of the upper one hold those of both.
    """
    tile, number, at = top // TILE_ROWS, bottom - top, top * rule.stride
    motion = rule.velocity - out if rule.velocity else 0
    remembers = rule.west in (GHOST, OPEN) or rule.east in (GHOST, OPEN) or top == 0 or bottom == rule.nz
    takes_along = rule.memory and remembers
    first = numba.carray(index_pointer(rule.first), tile + 2)
    ends = numba.carray(index_pointer(rule.ends), 2 * first[tile + 1])
    for k in range(first[tile], first[tile + 1]):
        start, stop = ends[2 * k], min(ends[2 * k + 1], rule.width)
        step_rows(form, lanes, out + at, motion, now + at, top, number, start, stop, rule)
        if not takes_along:
            surround_rows(out, top, bottom, start, min(stop, rule.nx), rule)
    if takes_along:
        call_at(rule.beside, (now, out, top, bottom, rule.memory))
