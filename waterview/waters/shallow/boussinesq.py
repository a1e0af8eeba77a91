"""Waves that are not long: shallow water with dispersion (Serre 1953, Green and Naghdi 1976, Bonneton et al. 2011).

Water under a short crest must also speed up upwards, and that takes part of the pressure away which would drive it
along. The equations are those of `finite_volume` with a force on the momentum,

    (hu)_t + … = … − ∇Π − (3/2)(Π/h) ∇b,

where Π is what the pressure differs from the weight of the water, over the water's density, summed over the depth
[m³/s²]. It follows from how the water speeds up, α(−h³/3 ∇·a + h²/2 ∇b·a), and moves, 2h³/3 ((∇·u)² − det ∇u) +
h²/2 u·(u·∇)∇b, with a = −(g/α)∇η − (∇Π + (3/2)(Π/h) ∇b)/h. So Π solves one equation of five points for each cell,
symmetric and positive. Of Serre, Green and Naghdi's terms one is left out, a force of ¼ of h(∇b)² times the speeding
up: 2 % of it on a slope of 1:4.

Waves that are not high run as

    ω² = gk²h (1 + (α − 1)k²h²/3)/(1 + αk²h²/3).

Where water breaks Π is dropped, and a bore of shallow water takes over.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from functools import lru_cache
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from waterview.core.diagnostics import FieldMap
from waterview.core.saved import array_of, entry_of
from waterview.simd.layout import PAD, address, aligned_zeros, row_stride
from waterview.waters.common.wavemaker import SIDES

from .finite_volume import FiniteVolumes
from .kernels.layout import DEEPEST, GHOSTS, interior, padded

if TYPE_CHECKING:
    from .kernels.boussinesq import Places

ALPHA = 1.2
"""α. With 1 waves run as those of Serre, Green and Naghdi, 13 % slower than Airy's at kh = 3. With 1.2 they run as
those of Madsen and Sørensen (1992) with B = 1/15: within 2.4 % of Airy's up to kh = 3."""

OUTSIDE_COUPLING = {"zero": 2.0, "reflecting": 0.0, "open": 0.0}
"""How the pressure at each border is coupled to what lies outside (`kernels.boussinesq.OUTSIDE`)."""

CALM_DEPTHS, CALM_SHARE, CALM_RATE = 2.0, 0.125, 4.5
"""Width of the strip along open borders in which waves fade, in depths, and at most as a share of the grid; and the
rate at its end, in √(gd) over the width. The ghost cells let out what runs at √(gd), and shorter waves are slower."""

FIRST_CYCLES, CYCLES = 5, 4
"""V-cycles of the multigrid in the first push, and in each later one, which continues the pressures of the last two.
Forty steps after a drop of two cells' radius in water of many, heights lie within 1.4 % of those of a solver run to its
end; with 3 cycles within 5 %, with 1, a fifth cheaper, within 60 %."""

MAX_LEAD = 2.0
"""Bound of the time of a push over that of the last one, for the pressure to be continued from both."""

PUSH_COURANT = 0.95
"""Greatest Courant number of a push: how many cells the fastest wave may run from one to the next. A part of a step has
half as much at most; from about 2 on the shortest waves would grow."""

Floats = NDArray[np.float32]


class Boussinesq(FiniteVolumes):
    """Depth and motion of water whose waves need not be long: short ones run more slowly.

    Args and attributes as `FiniteVolumes`.
    """

    name: ClassVar[str] = "boussinesq"
    dispersion: ClassVar[float] = ALPHA

    def __init__(
        self,
        bed: NDArray[np.floating],
        spacing: float,
        border: str = "zero",
        vector_width: int | None = None,
    ) -> None:
        from .kernels.boussinesq import FIELDS
        from .kernels.multigrid import make_levels

        super().__init__(bed, spacing, border, vector_width)
        nz, nx = shape = bed.shape
        self._levels, self._table = make_levels(nz, nx)
        self._planes, self._breaking, self._broken = padded(shape, FIELDS), padded(shape, 1), padded(shape, 1)
        self._columns, self._rows = aligned_zeros(3, row_stride(nx)), np.zeros((2, nz), np.float32)
        self._owed, self._last_part = 0.0, 0.0  # time since the last push, and what that was for [s]
        wet = self.still[self.still > 0.0]
        self._mean_depth = float(wet.mean(dtype=np.float64)) if wet.size else 0.0

    @property
    def breaking(self) -> Floats:
        """How much water breaks, 0–1, shape (nz, nx); a view until the next step."""
        return np.asarray(interior(self._breaking[0], self.still.shape))

    def state(self) -> dict[str, Any]:
        """Everything that moves, the volumes to be kept, and what the next pressure is found from."""
        made = super().state()
        pressures = {name: plane.copy() for name, plane in self._pressures().items()}
        made["solver"] |= {"dispersion": pressures | {"seconds": self._last_part, "owed": self._owed}}
        return made

    def load_state(self, state: Mapping[str, Any]) -> None:
        """Go on from what `state` gave over the same bed; one of `FiniteVolumes` does, too.

        Raises:
            KeyError, ValueError: it makes no sense.
        """
        saved = entry_of(entry_of(state, "solver", dict), "dispersion", dict, {})
        planes = self._pressures()
        found = {
            name: array_of(saved, name, np.float32, plane.shape, np.zeros_like(plane)) for name, plane in planes.items()
        }
        seconds, owed = (entry_of(saved, name, float, 0.0, low=0.0) for name in ("seconds", "owed"))
        super().load_state(state)
        for name, plane in found.items():
            planes[name][...] = plane
        self._last_part, self._owed = seconds, owed

    def field_maps(self) -> tuple[FieldMap, ...]:
        """Depth, speed and breaking."""
        return (*super().field_maps(), FieldMap("breaking", self.breaking.copy(), "", False))

    # --- inside a step

    def _substep(self, seconds: float, gravity: float, damping_factor: float, friction: float) -> int:
        """Step as shallow water, and push by the pressure for all time since the last push once that is long enough.

        Taken in turns like this, both are of second order in time.
        """
        flooded = super()._substep(seconds, gravity, damping_factor, friction)
        self._owed += seconds
        if gravity == 0.0 or not self.active.any():
            self._owed = 0.0
        elif (self._owed + seconds) * self._fastest(gravity) > PUSH_COURANT * self.spacing:
            self._push(self._owed, gravity)
            self._owed = 0.0
        return flooded

    def _push(self, seconds: float, gravity: float) -> None:
        """Find the pressure of the water as it is, and let it push for `seconds`."""
        from .kernels.boussinesq import Numbers, push, set_up
        from .kernels.multigrid import run
        from .kernels.tiles import find_spans

        lead = min(seconds / self._last_part, MAX_LEAD) if self._last_part else 0.0
        self._last_part = seconds
        fades = self._give(seconds, gravity)
        outside = OUTSIDE_COUPLING[self.border]
        numbers = Numbers(*map(np.float32, (self.spacing, gravity, seconds, ALPHA, lead, outside, fades)))
        spans = self._spans[: find_spans(self.active, self._spans)]
        water = self._levels, self._table, self._rows, self._places(), numbers, self._stage(gravity)
        set_up((spans, *water), self._vector_width)
        cycles = CYCLES if lead else FIRST_CYCLES
        run(self._levels, self._table, _program(self._depth_of_levels(), cycles), self._vector_width)
        drains = bool(fades and self.driven is not None and self.driven.names)
        held = self.rise.sum(dtype=np.float64) if drains else 0.0
        push((spans, *water), self._vector_width)
        if drains and self.driven is not None:  # what fades beside open sides leaves by them
            self.driven.inflow += self.spacing**2 * float(self.rise.sum(dtype=np.float64) - held)
        self._breaking, self._broken = self._broken, self._breaking

    def _places(self) -> Places:
        """Where the arrays lie."""
        from .kernels.boussinesq import Places

        (nz, nx), (plane, row, _) = self.still.shape, self._cells.strides
        arrays = self._cells, self._bed, self._planes, self._breaking, self._broken
        firsts = [address(array[0, GHOSTS, PAD:]) for array in arrays]
        return Places._make((*firsts, address(self._columns[0, PAD:]), nz, nx, row, plane))

    def _depth_of_levels(self) -> int:
        """How many levels the multigrid needs: on the coarsest, water is hardly deeper than a cell is wide."""
        highest = float(self._peaks[DEEPEST].max(where=self.active, initial=0.0))
        cells = max(highest, self.deepest) / self.spacing
        return min(max(1, math.ceil(math.log2(max(cells, 1e-3)) + 1.5)), len(self._table))

    def _give(self, seconds: float, gravity: float) -> bool:
        """Fill in what columns and rows are given for a push; whether motion fades anywhere.

        What comes in by driven sides are waves of shallow water. Dispersion begins inside, so gently that hardly
        anything is thrown back; they come in as much lower as it lifts them (`IncomingWaves.entering`). Motion fades
        beside open sides.
        """
        from .kernels.boussinesq import ALLOWED, CALM, OUTSIDE

        driven = self.driven.names if self.driven is not None else ()
        fading = {name: self.border == "open" and name not in driven for name in SIDES}
        nz, nx = self.still.shape
        columns = self._columns[:, PAD : PAD + nx]
        for given, n, (low, high) in ((columns, nx, ("west", "east")), (self._rows, nz, ("north", "south"))):
            given[ALLOWED] = self._allowed_along(n, (low in driven, high in driven))
            given[CALM] = self._calm_along(n, (fading[low], fading[high]), seconds, gravity)
        columns[OUTSIDE] = 0.0
        columns[OUTSIDE, [0, -1]] = OUTSIDE_COUPLING[self.border]
        return any(fading.values())

    def _allowed_along(self, n: int, ends: tuple[bool, bool]) -> Floats:
        """The share of dispersion that may act along one axis of n cells; `ends` tells which of its two are driven."""
        width = max(CALM_DEPTHS * self._mean_depth / self.spacing, 1.0)
        cells = np.arange(n)
        distance = np.minimum(
            *(np.where(end, each, width) for end, each in zip(ends, (cells, cells[::-1]), strict=True))
        )
        return np.asarray(np.clip(distance / width, 0.0, 1.0), np.float32)

    def _calm_along(self, n: int, ends: tuple[bool, bool], seconds: float, gravity: float) -> Floats:
        """What is left of motion after `seconds` along one axis of n cells; `ends` tells which of its two are open."""
        width = max(min(CALM_DEPTHS * self._mean_depth / self.spacing, CALM_SHARE * n), 0.5)
        cells = np.arange(n) + 0.5
        distance = np.minimum(*(np.where(end, each, n) for end, each in zip(ends, (cells, n - cells), strict=True)))
        rate = CALM_RATE * math.sqrt(gravity * self._mean_depth) / (width * self.spacing)
        return np.asarray(np.exp(-seconds * rate * np.maximum(1.0 - distance / width, 0.0) ** 2), np.float32)

    def _pressures(self) -> dict[str, Floats]:
        """Views of what is remembered from step to step, shape (nz, nx)."""
        from .kernels.boussinesq import EARLIER
        from .kernels.multigrid import SOLUTION, planes_of

        return {
            "pressure": planes_of(self._levels, self._table, 0)[SOLUTION],
            "pressure_before": interior(self._planes[EARLIER], self.still.shape),
            "breaking": self.breaking,
        }


@lru_cache(maxsize=32)
def _program(depth: int, cycles: int) -> NDArray[np.int64]:
    """What the multigrid does in a part of a step, over so many levels."""
    from .kernels.multigrid import coarsening, v_cycle

    return np.concatenate((coarsening(depth), *(cycles * [v_cycle(depth)])))
