"""The compiled order in which the wave step visits the rows: many steps in one sweep, on one thread or several.

Row i of a step needs rows i − 1, i and i + 1 of the step before and replaces row i of the one before that, which nobody
needs any more. So two buffers are enough for any number of time levels, and a sweep down the rows can take many steps,
each a row behind the one before it: the rows it works on stay in the cache (a wavefront in place; Wellein et al. 2009).

For several threads the rows are cut into bands. At a cut level t stops t rows short on both sides, for what lies
between needs both; once all threads are done, the triangles between the bands are filled. Where the first row lies once
more behind the last there is such a cut, too, a seam.
"""

from __future__ import annotations

from typing import Any

import numba
import numpy as np
from numba.extending import overload

from waterview.simd.jit import INLINED, Addresses, Codes, Static, call_at, jit, parallel_callee, part, shared_turn
from waterview.simd.processor import LANES
from waterview.waters.common.active_tiles import TILE_ROWS, Indices, Marks
from waterview.waters.common.published_surface import PublishedSurface as Surface

from .active_tiles import mark_around, note_changes, spread
from .halo import WRAPPING
from .pml import take_along
from .stencils import form_name
from .wave_levels import Rule
from .wave_tasks import FILL, LOOK, SETTLE, SURROUND, SWEEP, Block, do_task, has_seam

__all__ = ["Rule", "call", "form_name", "shared_turn", "taker"]  # what `wave` takes from here

ALONE, TOGETHER = "alone", "together"
"""On the calling thread, or on all that numba has: then never call it from two threads at once."""

REST_PERIOD = 64
"""Steps from one search for tiles whose heights are too small to matter to the next, counted from the field's first."""

ZERO = np.float32(0.0)


# --- the order of rows


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
def _share_tasks(
    task: int, kind: int, number: int, block: Block, rule: Rule, cuts: Indices, marks: Marks, surface: Surface
) -> None:
    for k in numba.prange(number):
        call_at(task, (kind, k, block, rule, cuts, marks, surface))


def do_tasks(crew: Any, task: int, kind: int, number: int, *rest: Any) -> None:
    """Do the tasks 0 to `number` − 1 of a kind, one after the other or on all threads."""


def _alone(crew: Any, task: int, kind: int, number: int, *rest: Any) -> None:
    for k in range(number):
        call_at(task, (kind, k, *rest))


def _together(crew: Any, task: int, kind: int, number: int, *rest: Any) -> None:
    if number == 1:  # the one cut of two bands: nobody has to be woken for it, nor waited for
        call_at(task, (kind, 0, *rest))
    else:
        _share_tasks(task, kind, number, *rest)


@overload(do_tasks, jit_options=INLINED)  # type: ignore[untyped-decorator]
def _do_tasks(crew: Any, task: int, kind: int, number: int, *rest: Any) -> Any:
    return _alone if crew.value == ALONE else _together


@part
def _surround_levels(task: int, block: Block, rule: Rule, cuts: Indices, marks: Marks, surface: Surface) -> None:
    """Fill what lies outside both levels."""
    for k in range(2):
        call_at(task, (SURROUND, k, block, rule, cuts, marks, surface))


@jit
def advance_rows(
    crew: Any,
    task: int,
    here: int,
    there: int,
    steps: int,
    depth: int,
    count: int,
    closed: bool,
    rule: Rule,
    marks: Marks,
    surface: Surface,
    cuts: Indices,
) -> None:
    """`wave.advance` with everything checked; after an odd number of steps the newest heights are in `there`.

    Args:
        crew: `ALONE` or `TOGETHER`, a `Static`.
        task: address of `wave_tasks.do_task` for a form and floats to a vector.
        here: address of the first point of h.
        there: likewise of h⁻.
        steps: their number.
        depth: most steps to take in one sweep.
        count: number of steps taken in earlier calls.
        closed: whether all that lies outside is already filled as the borders want it.
        rule: how to step.
        marks: which tiles may move, and for how long that is known; `rule` has the addresses of its spans.
        surface: what to write after the last step, or `NO_SURFACE`.
        cuts: room for the ends of as many bands as may be made; two numbers for one band.
    """
    taken, rows = 0, marks.busy.shape[0]
    if not closed:
        _surround_levels(task, Block(here, there, 0, 0), rule, cuts, marks, surface)
    if marks.left[0] > 0 and steps > 0:
        note_changes(marks)
    while taken < steps:
        nothing, done = Block(here, there, 0, 0), count + taken
        if rule.rest > ZERO and done > 0 and done % REST_PERIOD == 0:
            do_tasks(crew, task, SETTLE, rows, nothing, rule, cuts, marks, surface)
            note_changes(marks)
            if WRAPPING in (rule.north, rule.west):
                _surround_levels(task, nothing, rule, cuts, marks, surface)
        if marks.left[0] == 0:
            do_tasks(crew, task, LOOK, rows, nothing, rule, cuts, marks, surface)
            marks.left[0] = spread(marks, rule.north == WRAPPING, rule.west == WRAPPING)
            note_changes(marks)
        levels = min(depth, steps - taken, marks.left[0], REST_PERIOD - done % REST_PERIOD)
        if rule.north == WRAPPING:
            levels = min(levels, max(rule.nz // 2, 1))  # or the triangle at the seam would overlap itself
        shown = int(surface.slopes != 0 and taken + levels == steps)
        if shown:
            mark_around(marks.changed, surface.stale, False, False)
        block = Block(here, there, levels, shown)
        bands = _cut(levels + shown, marks, rule.nz, cuts)
        do_tasks(crew, task, SWEEP, bands, block, rule, cuts[: bands + 1], marks, surface)
        inner = bands - 1 + has_seam(cuts[: bands + 1], rule)
        if inner > 0:
            do_tasks(crew, task, FILL, inner, block, rule, cuts[: bands + 1], marks, surface)
        if shown:
            surface.fresh[cuts[0] // TILE_ROWS : -(-cuts[bands] // TILE_ROWS)] = True
        if levels % 2:
            here, there = there, here
        marks.left[0] -= levels
        taken += levels


_codes, _tasks, _takers = Codes(advance_rows), Addresses(do_task), Addresses(take_along)
_NO_BLOCK = Block(0, 0, 0, 0)


def taker() -> int:
    """The address of the code that takes along what sides remember."""
    return _takers.of((), (0,) * 5)


def call(form: str, lanes: int | None, crew: int, numbers: tuple[Any, ...]) -> None:
    """`advance_rows` on `crew` threads, with `lanes` floats to a vector or as many as suit the processor.

    `numbers` are its arguments from `here` to `surface`.
    """
    kinds, team = (form, LANES if lanes is None else lanes), TOGETHER if crew > 1 else ALONE
    cuts = np.zeros(crew + 1, np.int64)
    rule, marks, surface = numbers[-3:]
    task = _tasks.of(kinds, (SWEEP, 0, _NO_BLOCK, rule, cuts, marks, surface))
    arguments = Static(team), task, *numbers, cuts
    _codes.of(team, arguments)(*arguments)
