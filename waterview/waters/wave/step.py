"""The step of the damped wave equation (Bressler 2007, eq. 2), for every stencil, border, coast and land.

This module checks and names. The compiled code is imported when it is first needed, so that programs that take no step
need not wait for numba. `kernels/stencils` has the formula and the Laplacians, `kernels/rows` the rows, `kernels/halo`
and `kernels/pml` what lies beyond the borders, and `kernels/sweep` takes many steps in one pass over the grid.
"""

from __future__ import annotations

import functools
from types import ModuleType
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numpy.typing import NDArray

from waterview.simd.layout import PAD, TwoLevels, address
from waterview.simd.threads import most_threads, shared_turn
from waterview.waters.common.active_tiles import TILE_ROWS, ActiveTiles
from waterview.waters.common.published_surface import PublishedSurface, surface_in

from .domain import Domain

if TYPE_CHECKING:
    from .kernels.sweep import Step


class Stencil(NamedTuple):
    """A discrete Laplacian L = (1 − 2w)·Σ sides + w·Σ corners − (4 − 4w)·c times `laplacians`.

    Attributes:
        sum: the sum that kernels take over a point's neighbours, a key of `stencils.SUMS`.
        gain: L = gain · sum.
        corner: the corners' weight w; 0 if only the four sides count.
        largest_symbol: the largest value S of −L on any wave, which bounds the stable time step. It is that of one of
            the shortest waves, max(8 − 16w, 4) · `laplacians`.
        laplacians: L approximates this multiple of Δx²·∇², so that waves run √laplacians times as fast as set.
    """

    sum: str
    gain: float
    corner: float
    largest_symbol: float
    laplacians: float


STENCILS = {
    "five-point": Stencil("cross", gain=1.0, corner=0.0, largest_symbol=8.0, laplacians=1.0),
    "nine-point": Stencil("square", gain=0.5, corner=0.25, largest_symbol=8.0, laplacians=2.0),
    "isotropic": Stencil("square", gain=0.25, corner=0.25, largest_symbol=4.0, laplacians=1.0),
    "compact": Stencil("compact", gain=1.0 / 6.0, corner=1.0 / 6.0, largest_symbol=16.0 / 3.0, laplacians=1.0),
}
"""Bressler 2007, eq. (3); eq. (4) as printed, which approximates 2∇²; eq. (4) halved, whose waves keep their speed;
and [1 4 1; 4 −20 4; 1 4 1]/6, on which waves of a radian a cell run at the same speed to 0.07 % in all directions."""

DEPTH = 32
"""Most steps that are taken in one sweep."""

SWEPT_BYTES = 3 << 19
"""What a sweep works on should stay in a processor's second-level cache, or nearly: so wide grids take fewer steps."""


class Velocity:
    """Velocities v, for steps v⁺ = (1 − damping)(v + (λ²/Δt)·L(h)), h⁺ = h + v⁺Δt (Müller 2008).

    With vΔt for h − h⁻ that is the step by h⁻, with (1 − damping)·λ² for λ². As a number of its own v does not lose the
    digits that the difference of two heights loses.

    Args:
        buffer: v [m/s], made by `layout.padded`.
        time_step: Δt [s].

    The attribute `place` is the address of the velocity of the first point.
    """

    def __init__(self, buffer: NDArray[np.float32], time_step: float) -> None:
        self.buffer, self.time_step, self.place = buffer, time_step, address(buffer[1, PAD:])


LEAST_GAIN = 1e-20
"""Of a step with a pull: far below what a float of 1 can tell."""

NO_SURFACE = surface_in(None, np.zeros((0, 0, 2), np.float16), 1.0)._replace(slopes=0)
"""Stands for none in compiled code."""


def advance(
    field: TwoLevels,
    domain: Domain,
    *,
    stencil: str,
    damping: float,
    courant: float,
    pull: float = 0.0,
    velocity: Velocity | None = None,
    steps: int = 1,
    rest: float = 0.0,
    tiles: ActiveTiles | None = None,
    threads: int | None = None,
    depth: int | None = None,
    vector_width: int | None = None,
    surface: PublishedSurface | None = None,
) -> None:
    """Take `steps` steps h⁺ = h + (1 − damping)(h − h⁻) + λ²·L(h) + pull·h in place; fixed points become 0.

    Several steps are taken in one sweep over the grid, and only where water moves. Several steps a call are faster than
    one. The bits of the result depend on nothing but the arguments up to `rest`, and not on how many steps a call they
    are taken in.

    Args:
        field: h and h⁻ [m].
        domain: where it lies; what its borders remember goes on with it.
        stencil: a key of `STENCILS`.
        damping: k·Δt, the damping of a step.
        courant: λ = c·Δt/Δx. Not checked here: `waterview.waters.common.stability` says which damping and λ are stable.
        pull: draws heights to 0 where it is below 0, with the five-point stencil; 0 for the wave equation.
        velocity: what motion is known by, in place of h⁻: then `before` is only room for the next heights.
        steps: 0 or more.
        rest: tiles in which all heights are smaller than this become 0, every 64 steps [m]; 0 for never, as
            where no wave runs (λ = 0).
        tiles: which tiles of the field may move: only these are stepped, and it is kept up to date. All by default.
        threads: how many to use; by default as many as numba may, or one for small grids and where another Python
            thread is in a parallel kernel.
        depth: most steps to take in one sweep; by default as many as suit the caches.
        vector_width: floats to a vector, one of `processor.WIDTHS`; by default what suits the processor.
        surface: to be written behind the last step while its rows are in the cache, where it is stale or has become
            so by tiles that changed. Whole rows of tiles are done or left: see `surface.fresh`.

    Raises:
        KeyError: no stencil is called so.
        ValueError: field, domain and velocities differ in shape, or a pull is asked of another stencil.
    """
    sweep, chosen = _compiled(), STENCILS[stencil]
    _check(field, domain, chosen, pull, velocity)
    tiles_given, tiles = tiles is not None, tiles or ActiveTiles(field.shape, sleepless=True)
    memory = domain.border_memory
    closed = tiles.surround(domain.sides) and tiles_given and memory.is_shown
    gain = chosen.laplacians * courant**2 * (1.0 if velocity is None else 1.0 - damping)
    stride = field.now.strides[0]
    borders = memory.record(field.addresses, stride, damping=damping, corner=chosen.corner, gain=gain, pull=pull)
    # A row shorter than a vector would be written beyond its end.
    surface = NO_SURFACE if surface is None or surface.nx < PAD else surface
    (here, there), taken = field.addresses, 0
    rest = rest if courant > 0.0 else 0.0
    motion = (0, 1.0) if velocity is None else (velocity.place, velocity.time_step)
    step = _step(chosen, damping, courant, pull, rest, motion, domain.places, tiles.addresses, borders)
    if not closed:
        sweep.surround_both(here, there, step)
    with shared_turn(most_threads(field.shape) if threads is None else threads) as number:
        most, cuts = _depth(field, number) if depth is None else depth, np.zeros(number + 1, np.int64)
        sweep_band = sweep.sweep_band_on(number, chosen.sum, velocity is not None, vector_width)
        while taken < steps:
            asked = here, there, steps - taken, most, field.steps + taken
            levels, shown, bands, fills = sweep.find_block(vector_width, *asked, step, tiles.marks, surface, cuts)
            work = sweep.Block(here, there, levels, shown), step, cuts[: bands + 1], surface
            sweep_band(bands, sweep.BANDS, *work)
            sweep_band(fills, sweep.CUTS, *work)
            if shown:
                surface.fresh[cuts[0] // TILE_ROWS : -(-cuts[bands] // TILE_ROWS)] = True
            here, there = (there, here) if levels % 2 else (here, there)
            taken += levels
    memory.leave(steps)
    field.steps += steps
    if steps % 2:
        field.swap()


def _check(field: TwoLevels, domain: Domain, stencil: Stencil, pull: float, velocity: Velocity | None) -> None:
    if field.shape != domain.shape:
        raise ValueError(f"a domain of shape {domain.shape} for a field of shape {field.shape}: they must agree")
    if velocity is not None and velocity.buffer.shape != field.now.shape:
        raise ValueError(f"velocities of shape {velocity.buffer.shape} for a field's buffer of {field.now.shape}")
    if pull and stencil.sum != "cross":
        raise ValueError(f"a pull of {pull} with a stencil of eight neighbours: it can be had with five-point only")


@functools.lru_cache(maxsize=64)
def _step(
    stencil: Stencil,
    damping: float,
    courant: float,
    pull: float,
    rest: float,
    velocity: tuple[int, float],
    domain: tuple[float, ...],
    tiles: tuple[int, ...],
    borders: int,
) -> Step:
    """How to step, for compiled code. `velocity` is its place and time step; 0 and 1 where motion is known by h⁻.

    Kept, for the next call mostly asks for the same. It holds nothing but numbers, addresses among them.
    """
    sweep, (place, time_step) = _compiled(), velocity
    gain = stencil.gain * courant * courant / time_step
    if pull:  # it acts by the gain, too, which may be 0 but for it
        gain = max(gain, LEAST_GAIN)
    centre = -4.0 + pull / gain if pull else -4.0
    numbers = map(np.float32, (gain, centre, rest, time_step))
    along = sweep.take_along_address() if borders else 0
    return sweep.Step(float(damping), *numbers, place, *domain, *tiles, borders, along)  # type: ignore[no-any-return]


@functools.cache
def _compiled() -> ModuleType:
    """The compiled part. An import statement costs some microseconds wherever it is met, a small step takes twenty."""
    from .kernels import sweep

    return sweep


def _depth(field: TwoLevels, threads: int) -> int:
    """Steps a sweep: so few that its rows stay in the cache and the cuts between threads are a small part of them."""
    cached = SWEPT_BYTES // (2 * field.now.strides[0])
    uncut = DEPTH if threads == 1 else field.shape[0] // (8 * threads)
    return max(min(DEPTH, cached, uncut), 4)
