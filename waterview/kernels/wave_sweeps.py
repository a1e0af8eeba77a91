"""The compiled order in which the wave step visits the rows: many steps in one sweep, on one thread or several.

Row i of a step needs rows i − 1, i and i + 1 of the step before and replaces row i of the one before that, which nobody
needs any more. So two buffers are enough for any number of time levels, and a sweep down the rows can take many steps,
each a row behind the one before it: the rows it works on stay in the cache (a wavefront in place; Wellein et al. 2009).

For several threads the rows are cut into bands. At a cut level t stops t rows short on both sides, for what lies
between needs both; once all threads are done, the triangles between the bands are filled. Where the first row lies once
more behind the last there is such a cut, too, a seam.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numba
import numpy as np
from numba.extending import overload

from .awake import TILE_ROWS, Indices, Marks
from .awake_tiles import look, mark_around, note_changes, settle, spread
from .jit import INLINED, Codes, Static, jit, parallel_jit, part, shared_turn
from .open_levels import surround
from .processor import LANES
from .shores import ROWS
from .slope_rows import write_rows
from .slopes import Surface
from .vectors import settle_memory
from .wave_levels import Rule, step_level
from .wave_outside import WRAPPING
from .wave_stencils import form_name

__all__ = ["Rule", "call", "form_name", "shared_turn"]  # what `wave` takes from here

ALONE, TOGETHER = "alone", "together"
"""On the calling thread, or on all that numba has: then never call it from two threads at once."""

REST_PERIOD = 64
"""Steps from one search for tiles whose heights are too small to matter to the next, counted from the field's first."""

ZERO = np.float32(0.0)
LOOK, SWEEP, FILL, SETTLE = 0, 1, 2, 3  # kinds of tasks


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


# --- the order of rows


@part
def _take(form: Any, lanes: Any, level: int, top: int, bottom: int, block: Block, rule: Rule, surface: Surface) -> None:
    """Take one step, if any of its rows are left, or write the surface."""
    now, out = (block.here, block.there) if level % 2 else (block.there, block.here)
    if top >= bottom:
        return
    if level <= block.levels:
        step_level(form, lanes, now, out, top, bottom, rule)
    else:
        write_rows(lanes, now, top, bottom, surface)


@part
def _sweep(
    form: Any, lanes: Any, top: int, bottom: int, above: int, below: int, block: Block, rule: Rule, surface: Surface
) -> None:
    """Take all steps of the rows `top` to `bottom` − 1 but those that need what lies beyond a cut.

    `above` and `below` are 1 at a cut, and 0 where there is nothing to wait for.
    """
    levels = block.levels + block.shown
    for front in range(top + 1, bottom + levels + ROWS, ROWS):
        for level in range(1, levels + 1):
            first = max(front - level, top + above * level)
            last = min(front - level + ROWS, bottom - below * level)
            _take(form, lanes, level, first, last, block, rule, surface)


@part
def _fill(form: Any, lanes: Any, cut: int, block: Block, rule: Rule, surface: Surface) -> None:
    """Take the steps that the sweeps on both sides of a cut have left; behind the last row the first ones go on."""
    seam = cut == rule.nz
    for level in range(1, block.levels + block.shown + 1):
        for beyond in range(1 + seam):
            top = 0 if beyond else max(cut - level, level)
            bottom = cut if seam and not beyond else cut % rule.nz + level
            for first in range(top, bottom, ROWS):
                _take(form, lanes, level, first, min(first + ROWS, bottom), block, rule, surface)


@part
def _has_seam(cuts: Indices, rule: Rule) -> bool:
    """Whether the first of some bands needs the last; where either end sleeps, it is all zeros beyond the other."""
    return rule.north == WRAPPING and cuts[0] == 0 and cuts[cuts.size - 1] == rule.nz


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


@part
def _task(
    form: Any, lanes: Any, kind: int, k: int, block: Block, rule: Rule, cuts: Indices, marks: Marks, surface: Surface
) -> None:
    if kind == LOOK:
        look(lanes, marks, k, block.here, block.there, rule)
    elif kind == SWEEP:
        seam = _has_seam(cuts, rule)
        above, below = int(seam or k > 0), int(seam or k < cuts.size - 2)
        _sweep(form, lanes, cuts[k], cuts[k + 1], above, below, block, rule, surface)
    elif kind == FILL:
        _fill(form, lanes, cuts[k + 1], block, rule, surface)
    else:
        settle(lanes, marks, k, block.here, block.there, rule)
    if block.shown:
        settle_memory()


@parallel_jit
def _share_tasks(
    form: Any,
    lanes: Any,
    kind: int,
    number: int,
    block: Block,
    rule: Rule,
    cuts: Indices,
    marks: Marks,
    surface: Surface,
) -> None:
    for k in numba.prange(number):
        _task(form, lanes, kind, k, block, rule, cuts, marks, surface)


def do_tasks(crew: Any, form: Any, lanes: Any, kind: int, number: int, *rest: Any) -> None:
    """Do the tasks 0 to `number` − 1 of a kind, one after the other or on all threads."""


def _alone(crew: Any, form: Any, lanes: Any, kind: int, number: int, *rest: Any) -> None:
    for k in range(number):
        _task(form, lanes, kind, k, *rest)


def _together(crew: Any, form: Any, lanes: Any, kind: int, number: int, *rest: Any) -> None:
    _share_tasks(form, lanes, kind, number, *rest)


@overload(do_tasks, jit_options=INLINED)  # type: ignore[untyped-decorator]
def _do_tasks(crew: Any, form: Any, lanes: Any, kind: int, number: int, *rest: Any) -> Any:
    return _alone if crew.value == ALONE else _together


@part
def _surround_levels(form: Any, here: int, there: int, rule: Rule) -> None:
    """Fill what lies outside both levels."""
    for level in (here, there):
        surround(form, level, rule)


@jit
def advance_rows(
    crew: Any,
    form: Any,
    lanes: Any,
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
        form: key of `wave_stencils.FORMS`, a `Static`.
        lanes: floats to a vector, a `Static`.
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
    if not closed:
        _surround_levels(form, here, there, rule)
    taken, rows = 0, marks.busy.shape[0]
    if marks.left[0] > 0 and steps > 0:
        note_changes(marks)
    while taken < steps:
        nothing, done = Block(here, there, 0, 0), count + taken
        if rule.rest > ZERO and done > 0 and done % REST_PERIOD == 0:
            do_tasks(crew, form, lanes, SETTLE, rows, nothing, rule, cuts, marks, surface)
            note_changes(marks)
            if WRAPPING in (rule.north, rule.west):
                _surround_levels(form, here, there, rule)
        if marks.left[0] == 0:
            do_tasks(crew, form, lanes, LOOK, rows, nothing, rule, cuts, marks, surface)
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
        do_tasks(crew, form, lanes, SWEEP, bands, block, rule, cuts[: bands + 1], marks, surface)
        inner = bands - 1 + _has_seam(cuts[: bands + 1], rule)
        if inner > 0:
            do_tasks(crew, form, lanes, FILL, inner, block, rule, cuts[: bands + 1], marks, surface)
        if shown:
            surface.fresh[cuts[0] // TILE_ROWS : -(-cuts[bands] // TILE_ROWS)] = True
        if levels % 2:
            here, there = there, here
        marks.left[0] -= levels
        taken += levels


_codes = Codes(advance_rows)


def call(form: str, lanes: int | None, crew: int, numbers: tuple[Any, ...]) -> None:
    """`advance_rows` on `crew` threads, with `lanes` floats to a vector or as many as suit the processor.

    `numbers` are its arguments from `here` to `surface`.
    """
    kinds = TOGETHER if crew > 1 else ALONE, form, LANES if lanes is None else lanes
    arguments = *(Static(kind) for kind in kinds), *numbers, np.zeros(crew + 1, np.int64)
    _codes.of(kinds, arguments)(*arguments)
