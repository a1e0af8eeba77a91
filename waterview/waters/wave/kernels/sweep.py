"""The order in which a step visits the rows, compiled: many steps in one sweep, on one thread or several.

Row i of a step needs rows i − 1, i and i + 1 of the step before and replaces row i of the one before that, which nobody
needs any more. So two buffers are enough for any number of time levels, and a sweep down the rows can take many steps,
each a row behind the one before it: the rows it works on stay in the cache (a wavefront in place; Wellein et al. 2009).

For several threads the rows are cut into bands. At a cut level t stops t rows short on both sides, for what lies
between needs both; once all threads are done, the triangles between the bands are filled. Where the first row lies once
more behind the last there is such a cut, too, a seam.

`take_steps` calls `work`, nearly all that a step is made of, through its address: so `work` is compiled once for a
stencil, for one thread and for several. As a part of both it would be compiled twice, and the parallel loop compiles
what it contains several times over. `pml.take_along` is called in the same way, so that it is compiled once for all
stencils.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numba
import numpy as np
from numba.extending import overload

from waterview.simd.jit import (
    INLINED,
    Addresses,
    Codes,
    Static,
    call_at,
    index_pointer,
    jit,
    parallel_callee,
    part,
    task,
)
from waterview.simd.processor import VECTOR_WIDTH
from waterview.simd.vectors import settle_memory
from waterview.waters.common.active_tiles import TILE_ROWS, Indices, Marks
from waterview.waters.common.kernels.slopes import write_rows
from waterview.waters.wave.coast import ROWS

from .active_tiles import mark_around, note_changes, search, settle, spread
from .halo import surround, surround_rows
from .pml import take_along
from .rows import step_rows

if TYPE_CHECKING:
    from waterview.waters.common.published_surface import PublishedSurface

ALONE, TOGETHER = "alone", "together"
"""On the calling thread, or on all that numba has: then never call it from two threads at once."""

REST_PERIOD = 64
"""Steps from one search for tiles whose heights are too small to matter to the next, counted from the field's first."""

SEARCH, SWEEP, FILL, SETTLE, SURROUND = range(5)
"""Kinds of work: to search for tiles that rest and to settle them, a row of tiles each; to sweep a band of rows and to
fill a cut between two; to surround a level."""

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
        first_span, spans: addresses of `Marks.first` and `Marks.ends`.
        coast: address of the first point's block in `Coast.bits`, or 0 where there are no walls.
        coast_stride: bytes from one row of it to the next.
        first_run, runs: addresses of `Coast.first` and `Coast.runs`.
        north_remembers, east_remembers, south_remembers, west_remembers: whether the side remembers something.
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
    first_span: int
    spans: int
    coast: int
    coast_stride: int
    first_run: int
    runs: int
    north_remembers: bool
    east_remembers: bool
    south_remembers: bool
    west_remembers: bool
    borders: int
    take_along: int


class Block(NamedTuple):
    """Some steps to take together.

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


# --- one step of some rows


@part
def _step_level(stencil: Any, formula: Any, width: Any, now: int, out: int, top: int, bottom: int, step: Step) -> None:
    """Take a step of the rows `top` to `bottom` − 1, at most `ROWS`, from `now` over h⁻ in `out`.

    Four rows may lie in two rows of tiles; the spans of the upper one hold those of both.
    """
    tile = top // TILE_ROWS
    remembers = step.west_remembers or step.east_remembers or top == 0 or bottom == step.nz
    takes_along = step.borders and remembers
    first = numba.carray(index_pointer(step.first_span), tile + 2)
    ends = numba.carray(index_pointer(step.spans), 2 * first[tile + 1])
    for k in range(first[tile], first[tile + 1]):
        start, stop = ends[2 * k], min(ends[2 * k + 1], step.width)
        step_rows(stencil, formula, width, out, now, top, bottom - top, start, stop, step)
        if not takes_along:
            surround_rows(out, top, bottom, start, min(stop, step.nx), step)
    if takes_along:
        call_at(step.take_along, (now, out, top, bottom, step.borders))


# --- many steps of a band of rows


@part
def _has_seam(cuts: Indices, step: Step) -> bool:
    """Whether the first of some bands needs the last; where either end sleeps, it is all zeros beyond the other."""
    return step.wraps_z and cuts[0] == 0 and cuts[cuts.size - 1] == step.nz


@part
def _sweep(
    stencil: Any, formula: Any, width: Any, top: int, bottom: int, above: int, below: int, block: Block, step: Step,
    surface: PublishedSurface,
) -> None:  # fmt: skip
    """Take all steps, that of each level t from the row `top` + `above`·t to `bottom` − `below`·t − 1.

    `above` and `below` are 1 at a cut, for what lies beyond it is needed, 0 where there is nothing to wait for, and −1
    to fill what sweeps on both sides of a cut have left. Behind the last row the first ones go on.
    """
    levels, nz = block.levels + block.shown, step.nz
    for front in range(top + 1 + min(above, 0), bottom + (1 - below) * levels, ROWS):
        for level in range(1, levels + 1):
            now, out = (block.here, block.there) if level % 2 else (block.there, block.here)
            end = min(bottom - below * level, 2 * nz)
            row, stop = max(front - level, top + above * level, end - nz), min(front - level + ROWS, end)
            while row < stop:
                first = row - nz if row >= nz else row
                number = min(stop - row, nz - first)
                if level <= block.levels:
                    _step_level(stencil, formula, width, now, out, first, first + number, step)
                else:
                    write_rows(width, now, first, first + number, surface)
                row += number


@task
def work(
    stencil: Any, formula: Any, width: Any, kind: int, k: int, block: Block, step: Step, cuts: Indices, marks: Marks,
    surface: PublishedSurface,
) -> None:  # fmt: skip
    """Do the piece number `k` of a kind of work: what one thread does at a time.

    Args:
        stencil: as for `rows.step_rows`.
        formula: as for `rows.step_rows`.
        width: as for `rows.step_rows`.
        kind: `SEARCH` to `SURROUND`.
        k: a row of tiles, a band, a cut, or a level.
        block: the steps.
        step: as for `take_steps`.
        cuts: first row of each band, and the row after the last.
        marks: as for `take_steps`.
        surface: as for `take_steps`.
    """
    if kind == SEARCH:
        search(width, marks, k, block.here, block.there, step)
    elif kind == SETTLE:
        settle(width, marks, k, block.here, block.there, step)
    elif kind == SURROUND:
        level = block.there if k else block.here
        if step.borders:
            call_at(step.take_along, (0, level, 0, step.nz, step.borders))
        else:
            surround(level, step)
    else:
        seam = _has_seam(cuts, step)
        top, bottom, above, below = cuts[k], cuts[k + 1], int(seam or k > 0), int(seam or k < cuts.size - 2)
        if kind == FILL:
            top, above, below = bottom, -1, -1
        _sweep(stencil, formula, width, top, bottom, above, below, block, step, surface)
    if block.shown:
        settle_memory()


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


# --- threads


@parallel_callee
def _share(
    code: int, kind: int, number: int, block: Block, step: Step, cuts: Indices, marks: Marks, surface: PublishedSurface
) -> None:
    for k in numba.prange(number):
        call_at(code, (kind, k, block, step, cuts, marks, surface))


def _do_all(threads: Any, code: int, kind: int, number: int, *rest: Any) -> None:
    """Do the pieces 0 to `number` − 1 of a kind of work, one after the other or on all threads."""


def _alone(threads: Any, code: int, kind: int, number: int, *rest: Any) -> None:
    for k in range(number):
        call_at(code, (kind, k, *rest))


def _together(threads: Any, code: int, kind: int, number: int, *rest: Any) -> None:
    if number == 1:  # the one cut of two bands: nobody has to be woken for it, nor waited for
        call_at(code, (kind, 0, *rest))
    else:
        _share(code, kind, number, *rest)


@overload(_do_all, jit_options=INLINED)  # type: ignore[untyped-decorator]
def _do_all_of(threads: Any, code: int, kind: int, number: int, *rest: Any) -> Any:
    return _alone if threads.value == ALONE else _together


@part
def _surround_both(code: int, block: Block, step: Step, cuts: Indices, marks: Marks, surface: PublishedSurface) -> None:
    """Write the ghost points of both levels."""
    for k in range(2):
        call_at(code, (SURROUND, k, block, step, cuts, marks, surface))


@jit
def take_steps(
    threads: Any,
    code: int,
    here: int,
    there: int,
    steps: int,
    depth: int,
    count: int,
    closed: bool,
    step: Step,
    marks: Marks,
    surface: PublishedSurface,
    cuts: Indices,
) -> None:
    """`step.advance` with everything checked; after an odd number of steps the newest heights are in `there`.

    Args:
        threads: `ALONE` or `TOGETHER`, a `Static`.
        code: address of the code of `work` for a stencil, a formula and a vector width.
        here: address of the first point of h.
        there: of h⁻.
        steps: their number.
        depth: most steps to take in one sweep.
        count: number of steps taken in earlier calls.
        closed: whether all ghost points are already as the borders want them.
        step: how to step.
        marks: which tiles may move, and for how long that is known; `step` has the addresses of its spans.
        surface: what to write after the last step; its `slopes` are 0 for nothing.
        cuts: room for the ends of as many bands as may be made; two numbers for one band.
    """
    taken, rows = 0, marks.busy.shape[0]
    if not closed:
        _surround_both(code, Block(here, there, 0, 0), step, cuts, marks, surface)
    if marks.left[0] > 0 and steps > 0:
        note_changes(marks)
    while taken < steps:
        nothing, done = Block(here, there, 0, 0), count + taken
        if step.rest > ZERO and done > 0 and done % REST_PERIOD == 0:
            _do_all(threads, code, SETTLE, rows, nothing, step, cuts, marks, surface)
            note_changes(marks)
            if step.wraps_z or step.wraps_x:
                _surround_both(code, nothing, step, cuts, marks, surface)
        if marks.left[0] == 0:
            _do_all(threads, code, SEARCH, rows, nothing, step, cuts, marks, surface)
            marks.left[0] = spread(marks, step.wraps_z, step.wraps_x)
            note_changes(marks)
        levels = min(depth, steps - taken, marks.left[0], REST_PERIOD - done % REST_PERIOD)
        if step.wraps_z:
            levels = min(levels, max(step.nz // 2, 1))  # or the triangle at the seam would overlap itself
        shown = int(surface.slopes != 0 and taken + levels == steps)
        if shown:
            mark_around(marks.changed, surface.stale, False, False)
        block = Block(here, there, levels, shown)
        bands = _cut(levels + shown, marks, step.nz, cuts)
        _do_all(threads, code, SWEEP, bands, block, step, cuts[: bands + 1], marks, surface)
        inner = bands - 1 + _has_seam(cuts[: bands + 1], step)
        if inner > 0:
            _do_all(threads, code, FILL, inner, block, step, cuts[: bands + 1], marks, surface)
        if shown:
            surface.fresh[cuts[0] // TILE_ROWS : -(-cuts[bands] // TILE_ROWS)] = True
        if levels % 2:
            here, there = there, here
        marks.left[0] -= levels
        taken += levels


_codes, _work, _take_along = Codes(take_steps), Addresses(work), Addresses(take_along)
_NO_BLOCK = Block(0, 0, 0, 0)


def take_along_address() -> int:
    """The address of the code of `pml.take_along`."""
    return _take_along.of((), (0,) * 5)


def call(stencil: str, formula: str, vector_width: int | None, threads: int, numbers: tuple[Any, ...]) -> None:
    """`take_steps` on a number of threads, with as many floats to a vector as suit the processor, or as told.

    `numbers` are its arguments from `here` to `surface`.
    """
    kinds, team = (stencil, formula, vector_width or VECTOR_WIDTH), TOGETHER if threads > 1 else ALONE
    cuts = np.zeros(threads + 1, np.int64)
    step, marks, surface = numbers[-3:]
    code = _work.of(kinds, (SWEEP, 0, _NO_BLOCK, step, cuts, marks, surface))
    arguments = Static(team), code, *numbers, cuts
    _codes.of(team, arguments)(*arguments)
