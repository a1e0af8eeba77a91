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
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from waterview.core.diagnostics import FieldMap
from waterview.waters.common.wavemaker import SIDES

from .finite_volume import THIN, FiniteVolumes
from .kernels.layout import DEEPEST, TILE_COLUMNS, TILE_ROWS

ALPHA = 1.2
"""α. With 1 waves run as those of Serre, Green and Naghdi, 13 % slower than Airy's at kh = 3. With 1.2 they run as
those of Madsen and Sørensen (1992) with B = 1/15: within 2.4 % of Airy's up to kh = 3."""

OUTSIDE = {"zero": 2.0, "reflecting": 0.0, "open": 0.0}
"""How the pressure at each border is coupled to what lies outside (`kernels.boussinesq.Numbers`)."""

CALM_DEPTHS, CALM_SHARE, CALM_RATE = 2.0, 0.125, 4.5
"""Width of the strip along open borders in which waves fade, in depths, and at most as a share of the grid; and the
rate at its end, in √(gd) over the width. The ghost cells let out what runs at √(gd), and shorter waves are slower."""

FIRST_CYCLES = 4
"""V-cycles of the first push. After it one is enough, for the pressure goes on nearly as it went."""

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
        from .kernels.boussinesq import FIELDS, RING
        from .kernels.multigrid import make_levels

        super().__init__(np.ascontiguousarray(bed), spacing, border, vector_width)
        nz, nx = self.still.shape
        self._levels, self._table = make_levels(nz, nx)
        self._planes = np.zeros((FIELDS, nz + 2 * RING, nx + 2 * RING), np.float32)
        self._owed, self._last_part = 0.0, 0.0  # time since the last push, and what that was for [s]
        wet = self.still[self.still > 0.0]
        self._mean_depth = float(wet.mean(dtype=np.float64)) if wet.size else 0.0

    @property
    def breaking(self) -> Floats:
        """How much water breaks, 0–1, shape (nz, nx); a view."""
        from .kernels.boussinesq import BREAKING

        return self._inside(BREAKING)

    def state(self) -> dict[str, Any]:
        """Everything that moves, the volumes to be kept, and what the next pressure is found from."""
        made = super().state()
        pressures = {name: plane.copy() for name, plane in self._pressures().items()}
        made["solver"] |= {"dispersion": pressures | {"seconds": self._last_part, "owed": self._owed}}
        return made

    def load_state(self, state: Mapping[str, Any]) -> None:
        """Go on from what `state` gave over the same bed; one of `FiniteVolumes` does, too.

        Raises:
            KeyError, TypeError, ValueError: it makes no sense.
        """
        saved = state["solver"].get("dispersion", {})
        planes = self._pressures()
        found = {name: np.asarray(saved.get(name, np.zeros_like(planes[name])), np.float32) for name in planes}
        for name, plane in found.items():
            if plane.shape != planes[name].shape or not np.isfinite(plane).all():
                raise ValueError(f"{name} of shape {plane.shape}, or not finite")
        seconds, owed = (float(saved.get(name, 0.0)) for name in ("seconds", "owed"))
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
        from .kernels.boussinesq import Numbers, fill_fields, find_shares, push, remember_breaking, set_up
        from .kernels.multigrid import run
        from .kernels.tiles import find_spans

        lead = min(seconds / self._last_part, MAX_LEAD) if self._last_part else 0.0
        self._last_part = seconds
        outside = 4 * [OUTSIDE[self.border]]
        numbers = tuple(Numbers(*map(np.float32, (self.spacing, gravity, seconds, ALPHA, lead, *outside))))
        shape = (self.still.shape[0], self.still.shape[1])
        fill_fields(self.conserved, self.still, self.land, np.float32(THIN * self.spacing), self._planes)
        find_shares(self._planes, shape, self._allowed(), numbers)
        remember_breaking(self._planes, shape)
        set_up(self._planes, self._levels, self._table, shape, numbers)
        run(self._levels, self._table, _program(self._depth_of_levels(), 1 if lead else FIRST_CYCLES))
        spans, tile = self._spans[: find_spans(self.active, self._spans)], (TILE_ROWS, TILE_COLUMNS)
        calm = self._calm(seconds, gravity)
        push(spans, tile, self.conserved, self._planes, self._levels, self._table, calm, numbers)

    def _depth_of_levels(self) -> int:
        """How many levels the multigrid needs: on the coarsest, water is hardly deeper than a cell is wide."""
        highest = float(self._peaks[DEEPEST].max(where=self.active, initial=0.0))
        cells = max(highest, self._deepest) / self.spacing
        return min(max(1, math.ceil(math.log2(max(cells, 1e-3)) + 1.5)), len(self._table))

    def _allowed(self) -> tuple[Floats, Floats]:
        """The share of dispersion that may act in each column, `RING` more at each end, and row.

        What comes in by driven sides are waves of shallow water. Dispersion begins inside, so gently that hardly
        anything is thrown back; they come in as much lower as it lifts them (`IncomingWaves.entering`).
        """
        from .kernels.boussinesq import RING

        names = self.driven.names if self.driven is not None else ()
        (nz, nx), width = self.still.shape, max(CALM_DEPTHS * self._mean_depth / self.spacing, 1.0)
        shares = []
        for n, sides, ring in ((nx, ("west", "east"), RING), (nz, ("north", "south"), 0)):
            cells = np.arange(-ring, n + ring)
            ends = (cells, n - 1 - cells)
            distance = np.minimum(*(np.where(side in names, end, width) for side, end in zip(sides, ends, strict=True)))
            shares.append(np.asarray(np.clip(distance / width, 0.0, 1.0), np.float32))
        return shares[0], shares[1]

    def _calm(self, seconds: float, gravity: float) -> tuple[Floats, Floats]:
        """What is left of the motion of each column and row after `seconds` beside open sides; empty if all is."""
        driven = self.driven.names if self.driven is not None else ()
        fading = {name: self.border == "open" and name not in driven for name in SIDES}
        if not any(fading.values()):
            return np.zeros(0, np.float32), np.zeros(0, np.float32)
        nz, nx = self.still.shape
        columns = self._calm_along(nx, (fading["west"], fading["east"]), seconds, gravity)
        return columns, self._calm_along(nz, (fading["north"], fading["south"]), seconds, gravity)

    def _calm_along(self, n: int, ends: tuple[bool, bool], seconds: float, gravity: float) -> Floats:
        """As `_calm`, along one axis with n cells; `ends` tells which of its two are open."""
        width = max(min(CALM_DEPTHS * self._mean_depth / self.spacing, CALM_SHARE * n), 0.5)
        cells = np.arange(n) + 0.5
        distance = np.minimum(*(np.where(end, each, n) for end, each in zip(ends, (cells, n - cells), strict=True)))
        rate = CALM_RATE * math.sqrt(gravity * self._mean_depth) / (width * self.spacing)
        return np.asarray(np.exp(-seconds * rate * np.maximum(1.0 - distance / width, 0.0) ** 2), np.float32)

    def _pressures(self) -> dict[str, Floats]:
        """Views of what is remembered from step to step, shape (nz, nx)."""
        from .kernels.boussinesq import BREAKING, EARLIER
        from .kernels.multigrid import SOLUTION

        (nz, nx), (_, rows, columns) = self.still.shape, self._table[0]
        finest = self._levels[SOLUTION * rows * columns :][: rows * columns].reshape(rows, columns)
        return {
            "pressure": finest[1 : nz + 1, 1 : nx + 1],
            "pressure_before": self._inside(EARLIER),
            "breaking": self._inside(BREAKING),
        }

    def _inside(self, plane: int) -> Floats:
        from .kernels.boussinesq import RING

        return np.asarray(self._planes[plane, RING:-RING, RING:-RING])


@lru_cache(maxsize=32)
def _program(depth: int, cycles: int) -> NDArray[np.int64]:
    """What the multigrid does in a part of a step, over so many levels."""
    from .kernels.multigrid import coarsening, v_cycle

    return np.concatenate((coarsening(depth), *(cycles * [v_cycle(depth)])))
