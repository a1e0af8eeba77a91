"""The order in which a step visits the rows, compiled: many steps in one sweep, on one thread or several.

Row i of a step needs rows i − 1, i and i + 1 of the step before and replaces row i of the one before that, which nobody
needs any more. So two buffers are enough for any number of time levels, and a sweep down the rows can take many steps,
each a row behind the one before it: the rows it works on stay in the cache (a wavefront in place; Wellein et al. 2009).

For several threads the rows are cut into bands. At a cut level t stops t rows short on both sides, for what lies
between needs both; once all threads are done, the triangles between the bands are filled. Where the first row lies once
more behind the last there is such a cut, too, a seam.

Threads call `sweep_band` through its address: so it is compiled once for a stencil, for one thread and for several. As
a part of a parallel loop it would be compiled several times over. `pml.take_along` is called in the same way, so that
it is compiled once for all stencils.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, NamedTuple

import numba
import numpy as np

from waterview.simd.jit import Addresses, Codes, Static, call_at, jit, parallel_jit, part
from waterview.simd.processor import VECTOR_WIDTH
from waterview.simd.vectors import settle_memory
from waterview.waters.common.active_tiles import REST_PERIOD, TILE_ROWS, Indices, Marks
from waterview.waters.common.kernels.slopes import write_rows
from waterview.waters.wave.domain import ROWS

from .active_tiles import mark_around, note_changes, search, settle, spread
from .halo import surround, surround_rows
from .pml import take_along
from .rows import ALL_ROWS, ONE_ROW, step_rows

if TYPE_CHECKING:
    from waterview.waters.common.published_surface import PublishedSurface

BANDS, CUTS = 0, 1
"""What `sweep_band` works on: a band of rows, or the triangles at the cut below it."""

ZERO = np.float32(0.0)


class Step(NamedTuple):
    """How to step a field.

    Attributes:
        damping: of a step.
        gain: λ² times the gain of the stencil's sum, over Δt for velocities [1/s].
        centre: what the sum "cross" multiplies a point itself by: −4, or less where heights are drawn to 0.
        rest: tiles of smaller heights become 0 now and then [m]; 0 for never.
        time_step: Δt, where motion is known by velocities [s].
        velocity: then the address of the first point's; 0 where motion is known by h⁻.
        north, east, south, west: as in `halo.Edges`.
        wraps_z, wraps_x: as in `halo.Edges`.
        nz, nx: points along z and along x.
        width: nx rounded up to whole vectors of 16.
        stride: bytes from one row of heights to the next.
        water: address of `Domain.water`.
        water_stride: bytes from one row of it to the next.
        coast: address of the first point's block in `Coast.bits`, or 0 where there are no walls.
        coast_stride: bytes from one row of it to the next.
        first_run, runs: addresses of `Coast.first` and `Coast.runs`.
        north_remembers, east_remembers, south_remembers, west_remembers: whether the side remembers something.
        first_span, spans: addresses of `Marks.first` and `Marks.ends`.
        borders: address of a record `border_memory.BORDERS`, or 0 where no side remembers anything.
        take_along: then the address of the code of `pml.take_along`.
    """

    damping: float
    gain: np.float32
    centre: np.float32
    rest: np.float32
    time_step: np.float32
    velocity: int
    north: np.float32
    east: np.float32
    south: np.float32
    west: np.float32
    wraps_z: bool
    wraps_x: bool
    nz: int
    nx: int
    width: int
    stride: int
    water: int
    water_stride: int
    coast: int
    coast_stride: int
    first_run: int
    runs: int
    north_remembers: bool
    east_remembers: bool
    south_remembers: bool
    west_remembers: bool
    first_span: int
    spans: int
    borders: int
    take_along: int


class Block(NamedTuple):
    """Some steps to take together in one sweep.

    Attributes:
        here: address of the first point of the newest level.
        there: of the level before.
        levels: number of steps.
        shown: 1 if the surface is written after them, as if that were one more step; or 0.
    """

    here: int
    there: int
    levels: int
    shown: int


# --- one sweep of a band of rows


@jit
def sweep_band(
    stencil: Any, by_velocity: Any, width: Any, k: int, kind: int, block: Block, step: Step, cuts: Indices,
    surface: PublishedSurface,
) -> None:  # fmt: skip
    """Take all steps of a block in a band of rows, or fill the triangles at a cut: what one thread does at a time.

    The step of each level t goes from the row `top` + `above`·t to `bottom` − `below`·t − 1. `above` and `below` are 1
    at a cut, for what lies beyond it is needed, 0 where there is nothing to wait for, and −1 to fill what sweeps on
    both sides of a cut have left. Behind the last row the first ones go on.

    Args:
        stencil: key of `stencils.SUMS`, a `Static`.
        by_velocity: as for `step_rows`, a `Static`.
        width: floats to a vector, a `Static`.
        k: number of the band.
        kind: `BANDS` or `CUTS`.
        block: the steps.
        step: how to take them.
        cuts: first row of each band, and the row after the last.
        surface: what is written after the steps.
    """
    seam = _has_seam(cuts, step)
    top, bottom, above, below = cuts[k], cuts[k + 1], int(seam or k > 0), int(seam or k < cuts.size - 2)
    if kind == CUTS:
        top, above, below = bottom, -1, -1
    levels, nz = block.levels + block.shown, step.nz
    for front in range(top + 1 + min(above, 0), bottom + (1 - below) * levels, ROWS):
        for level in range(1, levels + 1):
            now, out = (block.here, block.there) if level % 2 else (block.there, block.here)
            end = min(bottom - below * level, 2 * nz)
            row, stop = max(front - level, top + above * level, end - nz), min(front - level + ROWS, end)
            while row < stop:
                first = row - nz if row >= nz else row
                number = min(stop - row, nz - first)
                if level > block.levels:
                    write_rows(width, now, first, first + number, surface)
                else:
                    if number == ROWS:
                        step_rows(stencil, by_velocity, width, ALL_ROWS, now, out, first, step)
                    else:
                        for i in range(first, first + number):
                            step_rows(stencil, by_velocity, width, ONE_ROW, now, out, i, step)
                    _close_rows(now, out, first, first + number, step)
                row += number
    if block.shown:
        settle_memory()


@part
def _close_rows(now: int, out: int, top: int, bottom: int, step: Step) -> None:
    """Write what lies beside rows that were stepped from `now` to `out`; layers beside them are stepped along."""
    remembers = step.west_remembers or step.east_remembers or top == 0 or bottom == step.nz
    if step.borders and remembers:
        call_at(step.take_along, (now, out, top, bottom, step.borders))
    else:
        surround_rows(out, top, bottom, step)


@part
def _has_seam(cuts: Indices, step: Step) -> bool:
    """Whether the first of some bands needs the last; where either end sleeps, it is all zeros beyond the other."""
    return step.wraps_z and cuts[0] == 0 and cuts[cuts.size - 1] == step.nz


# --- which steps to take together, and where


@jit
def surround_both(here: int, there: int, step: Step) -> None:
    """Write all ghost points of both levels."""
    for level in (here, there):
        if step.borders:
            call_at(step.take_along, (0, level, 0, step.nz, step.borders))
        else:
            surround(level, step)


@jit
def next_block(
    width: Any,
    here: int,
    there: int,
    steps: int,
    depth: int,
    done: int,
    step: Step,
    marks: Marks,
    surface: PublishedSurface,
    cuts: Indices,
) -> tuple[int, int, int, int]:
    """Find out which steps to take next in one sweep, and in which rows; tiles at rest are put to sleep.

    Args:
        width: as for `sweep_band`.
        here: address of the first point of h.
        there: of h⁻.
        steps: how many are to be taken.
        depth: most steps to take in one sweep.
        done: number of steps of this field so far.
        step: how to take them.
        marks: which tiles may move, and for how long that is known; `step` has the addresses of its spans.
        surface: what to write after the last step; its `slopes` are 0 for nothing.
        cuts: filled; room for the ends of as many bands as may be made, two numbers for one band.

    Returns:
        The number of steps, whether the surface is written after them, and the numbers of bands and of cuts to fill.
    """
    if step.rest > ZERO and done > 0 and done % REST_PERIOD == 0:
        settle(width, marks, here, there, step)
        note_changes(marks)
        if step.wraps_z or step.wraps_x:
            surround_both(here, there, step)
    if marks.left[0] == 0:
        search(width, marks, here, there, step)
        marks.left[0] = spread(marks, step.wraps_z, step.wraps_x)
    note_changes(marks)
    levels = min(depth, steps, marks.left[0], REST_PERIOD - done % REST_PERIOD)
    if step.wraps_z:
        levels = min(levels, max(step.nz // 2, 1))  # or the triangle at the seam would overlap itself
    shown = int(surface.slopes != 0 and levels == steps)
    if shown:
        mark_around(marks.changed, surface.stale, False, False)
    marks.left[0] -= levels
    bands = _cut(levels + shown, marks, step.nz, cuts)
    return levels, shown, bands, bands - 1 + int(_has_seam(cuts[: bands + 1], step))


@part
def _cut(levels: int, marks: Marks, nz: int, cuts: Indices) -> Any:
    """Share the busy rows in at most len(cuts) − 1 bands of about the same work; returns the number of bands.

    A band has at least two rows for each level, or the triangles at its cuts would overlap.
    """
    first, ends = marks.first, marks.ends
    rows, work = first.size - 1, 0
    top, bottom = rows, 0
    for i in range(rows):
        for k in range(first[i], first[i + 1]):
            top, bottom = min(top, i), i + 1
            work += ends[k, 1] - ends[k, 0]
    cuts[0], end = top * TILE_ROWS, min(bottom * TILE_ROWS, nz)
    least = 2 * levels
    bands = max(min(cuts.size - 1, (end - cuts[0]) // least), 1)
    band, done = 1, 0
    for i in range(rows):
        for k in range(first[i], first[i + 1]):
            done += ends[k, 1] - ends[k, 0]
        while band < bands and done * bands >= work * band:
            cuts[band] = min(max((i + 1) * TILE_ROWS, cuts[band - 1] + least), end - (bands - band) * least)
            band += 1
    cuts[bands] = end
    return bands


# --- on one thread or several


@parallel_jit
def _share(
    code: int, number: int, kind: int, block: Block, step: Step, cuts: Indices, surface: PublishedSurface
) -> None:
    for k in numba.prange(number):
        call_at(code, (k, kind, block, step, cuts, surface))


_blocks, _bands, _shared = Codes(next_block), Codes(sweep_band), Codes(_share)
_addresses, _take_along = Addresses(sweep_band), Addresses(take_along)


def take_along_address() -> int:
    """The address of the code of `pml.take_along`."""
    return _take_along.of((), (0,) * 5)


def find_block(vector_width: int | None, *arguments: Any) -> tuple[int, int, int, int]:
    """`next_block`, compiled for a number of floats to a vector, or for as many as suit the processor."""
    arguments = Static(vector_width or VECTOR_WIDTH), *arguments
    found: tuple[int, int, int, int] = _blocks.of(vector_width, arguments)(*arguments)
    return found


@functools.cache
def sweep_band_on(threads: int, stencil: str, by_velocity: bool, vector_width: int | None) -> Callable[..., None]:
    """`sweep_band`, compiled for its first arguments, as a function of a number of pieces in place of that of one.

    With more than one thread it runs on all that numba has: then never call it from two threads at once.
    """
    statics = stencil, int(by_velocity), vector_width or VECTOR_WIDTH
    kinds = tuple(Static(value) for value in statics)

    def on_one(number: int, *arguments: Any) -> None:
        for k in range(number):
            given = *kinds, k, *arguments
            _bands.of(statics, given)(*given)

    def on_several(number: int, *arguments: Any) -> None:
        if number < 2:  # as the one cut of two bands: nobody has to be woken for it, nor waited for
            on_one(number, *arguments)
        else:
            arguments = _addresses.of(statics, (0, *arguments)), number, *arguments
            _shared.of((), arguments)(*arguments)

    return on_one if threads == 1 else on_several
