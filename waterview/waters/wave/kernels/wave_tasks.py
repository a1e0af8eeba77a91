"""The compiled work of the wave step that one thread does at a time, as a kernel of its own.

So it is compiled once, for one thread and for several: it is nearly all that a step is made of.
"""

from __future__ import annotations

from typing import Any, NamedTuple

from waterview.simd.jit import call_at, part, task
from waterview.simd.vectors import settle_memory
from waterview.waters.common.active_tiles import Indices, Marks
from waterview.waters.common.kernels.slopes import write_rows
from waterview.waters.common.published_surface import PublishedSurface as Surface
from waterview.waters.wave.coast import ROWS

from .active_tiles import look, settle
from .halo import WRAPPING, surround
from .wave_levels import Rule, step_level

LOOK, SWEEP, FILL, SETTLE, SURROUND = range(5)
"""Kinds of tasks: to look which tiles rest and to settle them, a row of tiles each; to sweep a band of rows and to fill
a cut between two; to surround a level."""


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


@part
def has_seam(cuts: Indices, rule: Rule) -> bool:
    """Whether the first of some bands needs the last; where either end sleeps, it is all zeros beyond the other."""
    return rule.north == WRAPPING and cuts[0] == 0 and cuts[cuts.size - 1] == rule.nz


@part
def _take(form: Any, lanes: Any, level: int, top: int, bottom: int, block: Block, rule: Rule, surface: Surface) -> None:
    """Take one step of some rows, or write the surface."""
    now, out = (block.here, block.there) if level % 2 else (block.there, block.here)
    if level <= block.levels:
        step_level(form, lanes, now, out, top, bottom, rule)
    else:
        write_rows(lanes, now, top, bottom, surface)


@part
def _sweep(
    form: Any, lanes: Any, top: int, bottom: int, above: int, below: int, block: Block, rule: Rule, surface: Surface
) -> None:
    """Take all steps, that of each level t from the row `top` + `above`·t to `bottom` − `below`·t − 1.

    `above` and `below` are 1 at a cut, for what lies beyond it is needed, 0 where there is nothing to wait for, and −1
    to fill what sweeps on both sides of a cut have left. Behind the last row the first ones go on.
    """
    levels, nz = block.levels + block.shown, rule.nz
    for front in range(top + 1 + min(above, 0), bottom + (1 - below) * levels, ROWS):
        for level in range(1, levels + 1):
            end = min(bottom - below * level, 2 * nz)
            row, stop = max(front - level, top + above * level, end - nz), min(front - level + ROWS, end)
            while row < stop:
                first = row - nz if row >= nz else row
                number = min(stop - row, nz - first)
                _take(form, lanes, level, first, first + number, block, rule, surface)
                row += number


@task
def do_task(
    form: Any, lanes: Any, kind: int, k: int, block: Block, rule: Rule, cuts: Indices, marks: Marks, surface: Surface
) -> None:
    """Do the task number `k` of a kind; for the other arguments see `wave_sweeps.advance_rows`."""
    if kind == LOOK:
        look(lanes, marks, k, block.here, block.there, rule)
    elif kind == SETTLE:
        settle(lanes, marks, k, block.here, block.there, rule)
    elif kind == SURROUND:
        level = block.there if k else block.here
        if rule.memory:
            call_at(rule.beside, (0, level, 0, rule.nz, rule.memory))
        else:
            surround(level, rule)
    else:
        seam = has_seam(cuts, rule)
        top, bottom, above, below = cuts[k], cuts[k + 1], int(seam or k > 0), int(seam or k < cuts.size - 2)
        if kind == FILL:
            top, above, below = bottom, -1, -1
        _sweep(form, lanes, top, bottom, above, below, block, rule, surface)
    if block.shown:
        settle_memory()
