"""Deep water that can be touched: small waves at their true speeds, ω² = gk tanh kd (Airy 1845), by Fourier transforms.

Of two fields, the height η and its conjugate ψ, each wave turns one into the other: η_t = ωψ and ψ_t = −ωη. For the
complex field Z = η + iψ that is Z_t = −iωZ, so a step of any length is exact: every wave is multiplied by e^(−iωΔt).
In terms of the velocity potential φ at the surface ψ = (ω/g)φ, wave by wave. ½ρgη² is the potential energy of a column
of water and ½ρgψ² the kinetic energy, so energy is the sum of |Z|², which turning does not change.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from waterview.core.commands import MAX_HEIGHT, Drop
from waterview.core.constants import GRAVITY, WATER_DENSITY
from waterview.core.diagnostics import FieldMap, Totals
from waterview.core.frame import Frame
from waterview.core.saved import entry_of
from waterview.simd.layout import TwoLevels
from waterview.waters.common.basins import find_basins
from waterview.waters.common.borders import Sides
from waterview.waters.common.drops import drop_heights
from waterview.waters.common.given_state import rising_speed
from waterview.waters.common.published_surface import ShoreSlopes, slopes
from waterview.waters.common.water import Water, WaterParams, restore
from waterview.waters.common.wave_params import damping_param, steps_param

from .cascades import smooth_size

LAYER = 0.5
"""Width of the absorbing layer as a share of the grid's longer side; it lies between opposite sides."""

LEAST_LAYER = 32
"""Its least width [points]."""

FADING = 4.0
"""The exponent by which a wave as long as the layer is wide has faded when it has crossed it."""

REST = 1e-7
"""Water whose height and conjugate are both below this share of a cell everywhere comes to rest."""

REST_PERIOD = 64
"""Steps from one look whether it has come to rest to the next."""

OPEN = Sides("open", "open", "open", "open")
"""What lies beyond the grid."""

Floats = NDArray[np.float32]


@dataclass(frozen=True, kw_only=True)
class AiryParams(WaterParams):
    """The parameters of `AiryWater`."""

    steps_per_second: float = steps_param(60.0, doc="waves are exact at any number, land and open sides with many")
    damping: float = damping_param(0.05)


class AiryWater(Water):
    """Small waves on water of one depth, each at its own speed: √(g/k · tanh kd) for the wave number k.

    The depth d is the mean depth of still water. Long waves outrun short ones, and what moves draws Kelvin's wake.
    All four sides are open: the transforms are periodic, and a layer that absorbs waves lies between one side and the
    opposite one. Land holds η and ψ at 0, as the mask of Tessendorf's iWave (2004) does; a wave's energy stays before
    it, and a basin in which nothing moves is not reached through land.

    Args and errors as `Water`.
    """

    name: ClassVar[str] = "airy"
    summary: ClassVar[str] = "deep water that can be touched: waves at their true speeds, ships' wakes"
    memory_per_point: ClassVar[int] = 250
    Params: ClassVar[type[WaterParams]] = AiryParams
    params: AiryParams
    can_be_given_state: ClassVar[bool] = True

    def _create_state(self) -> None:
        layer = max(LEAST_LAYER, math.ceil(LAYER * max(self.grid.shape)))
        self._size = smooth_size(self.grid.shape[0] + layer), smooth_size(self.grid.shape[1] + layer)
        self._inside = slice(0, self.grid.shape[0]), slice(0, self.grid.shape[1])
        self._whole_height, self._whole_conjugate = np.zeros((2, *self._size), np.float32)
        self._moves = False
        self._steps = 0
        self._known: dict[str, Any] = {}

    # --- the water

    def step(self) -> None:
        """Take one fixed time step of 1/steps_per_second."""
        for ix, iz, height in self._take_pending():
            if not self.fixed[iz, ix]:
                self._whole_height[iz, ix] = min(max(height, -MAX_HEIGHT), MAX_HEIGHT)
                self._whole_conjugate[iz, ix] = 0.0
                self._moves = True
        if self._moves:
            self._turn()
            self._steps += 1
            if self._steps % REST_PERIOD == 0:
                self._come_to_rest()
        self._let_time_pass()

    def _turn(self) -> None:
        """Multiply every wave by e^(−iωΔt), and what reaches land and the layer by what they leave of it."""
        retained = self._retained()
        waves = np.empty(self._size, np.complex64)
        waves.real, waves.imag = self._whole_height, self._whole_conjugate
        waves = np.fft.ifft2(np.fft.fft2(waves) * self._phases()).astype(np.complex64, copy=False)
        np.multiply(waves.real, retained, out=self._whole_height)
        np.multiply(waves.imag, retained, out=self._whole_conjugate)
        for field in (self._whole_height, self._whole_conjugate):
            np.clip(field, -MAX_HEIGHT, MAX_HEIGHT, out=field)

    def _come_to_rest(self) -> None:
        largest = max(float(np.abs(field).max()) for field in (self._whole_height, self._whole_conjugate))
        if largest < REST * self.grid.spacing:
            self.reset()

    def disturb(self, drop: Drop) -> None:
        """Add a drop at once: it moves nothing yet, so it starts from rest.

        Heights stay within ±`MAX_HEIGHT`. A drop on dry ground does nothing.
        """
        shape = drop_heights(drop, self.grid, self.fixed)
        if shape is not None:
            window, added = shape
            heights = self.time_levels[0]
            heights[window] = np.clip(heights[window] + added, -MAX_HEIGHT, MAX_HEIGHT)

    def _set_state(self, heights: NDArray[np.float32], flow: NDArray[np.float32] | None) -> None:
        """Start from a surface that rises as the flow makes it: of η_t = −∇·q = ωψ follows ψ, wave by wave."""
        self.reset()
        self._whole_height[self._inside] = np.where(self.fixed, np.float32(0.0), heights)
        if flow is not None:
            rising = np.zeros(self._size)
            rising[self._inside] = rising_speed(flow, heights, 0.0, self.grid.spacing, self.fixed, OPEN)
            frequencies = self._frequencies()
            # What the level of all of the water would rise by is no wave.
            waves = np.divide(
                np.fft.fft2(rising), frequencies, out=np.zeros(self._size, complex), where=frequencies > 0
            )
            conjugate = np.clip(np.fft.ifft2(waves).real, -MAX_HEIGHT, MAX_HEIGHT)
            self._whole_conjugate[...] = conjugate
            self._whole_conjugate[self._inside][self.fixed] = 0.0
        self._moves = True

    def reset(self) -> None:
        """Calm the water: every height 0 and at rest; heights waiting to be set are dropped."""
        self._take_pending()
        self._whole_height[...] = self._whole_conjugate[...] = 0.0
        self._moves = False

    def publish(self, serial: int) -> Frame:
        """The surface as it is now; the frame's arrays are its own and will not change."""
        field = TwoLevels(self.grid.shape)
        field.heights[...] = self.height
        heights, normals = self.height.copy(), slopes(field, self.grid.spacing)
        if self.fixed.any():
            if "slopes" not in self._known:
                self._known["slopes"] = ShoreSlopes(self.fixed, self.grid.spacing)
            self._known["slopes"].mend(normals, heights)
        return self._frame(serial, heights, normals)

    @property
    def at_rest(self) -> bool:
        """Whether every height is 0 and nothing was written since."""
        return not (self._pending or self._moves)

    @property
    def height(self) -> Floats:
        """Height above still water [m], shape (nz, nx); a read-only view of the state, valid until the next step."""
        view = self._whole_height[self._inside]
        view.setflags(write=False)
        return view

    @property
    def conjugate(self) -> Floats:
        """ψ [m], shape (nz, nx): the height a quarter of a period ago, wave by wave; read-only as `height`."""
        view = self._whole_conjugate[self._inside]
        view.setflags(write=False)
        return view

    @property
    def time_levels(self) -> tuple[Floats, ...]:
        """The array of heights that the next step starts from, shape (nz, nx): a view to be written before it."""
        self._moves = True
        return (self._whole_height[self._inside],)

    @property
    def depth(self) -> float:
        """Mean depth of still water [m]; 1 where there is none."""
        if "depth" not in self._known:
            depths = (self.grid.level - self.bed)[~self.fixed]
            mean = float(depths.mean(dtype=np.float64)) if depths.size else 0.0
            self._known["depth"] = mean if mean > 0.0 else 1.0
        return float(self._known["depth"])

    @property
    def effective(self) -> dict[str, float]:
        """Depth [m], speed of the longest waves [m/s] and damping [1/s]."""
        return {
            "wave_speed": math.sqrt(GRAVITY * self.depth),
            "depth": self.depth,
            "damping": self.params.damping,
        }

    def on_fixed_changed(self) -> None:
        """Newly fixed points go to 0; newly freed ones start from there, and the depth is that of the new ground."""
        self._known.clear()
        for field in (self._whole_height, self._whole_conjugate):
            field[self._inside][self.fixed] = 0.0

    # --- what is inside

    def field_maps(self) -> dict[str, FieldMap]:
        """Maps of height, fixed points, vertical velocity and energy, by name."""
        energy = 0.5 * WATER_DENSITY * GRAVITY * (np.square(self.height) + np.square(self.conjugate))
        views = (
            FieldMap("velocity", self._velocity(), "m/s", diverging=True),
            FieldMap("energy", np.asarray(energy, np.float32), "J/m²", diverging=False),
        )
        return super().field_maps() | {view.name: view for view in views}

    def totals(self) -> Totals:
        """Mean level, and the energies of the water on the grid."""
        share = 0.5 * WATER_DENSITY * GRAVITY * self.grid.spacing**2
        kinetic, potential = (
            share * float(np.square(field, dtype=np.float64).sum()) for field in (self.conjugate, self.height)
        )
        return Totals(super().totals().mean_level, kinetic, potential)

    def _velocity(self) -> Floats:
        """How fast the surface rises [m/s], η_t = ωψ."""
        frequencies = self._frequencies()
        velocity = np.fft.ifft2(np.fft.fft2(self._whole_conjugate) * frequencies).real[self._inside]
        return np.where(self.fixed, np.float32(0.0), velocity.astype(np.float32))

    # --- to be saved

    def _state(self) -> dict[str, Any]:
        fields = {"heights": self._whole_height.copy(), "conjugate": self._whole_conjugate.copy()}
        return fields | {"moves": self._moves, "steps": self._steps}

    def _load_state(self, state: Mapping[str, Any]) -> None:
        restore(self._whole_height, state["heights"])
        restore(self._whole_conjugate, state["conjugate"])
        self._moves, self._steps = entry_of(state, "moves", bool), entry_of(state, "steps", int, low=0)

    # --- what time does not change

    def _frequencies(self) -> NDArray[np.float64]:
        """ω of every wave [rad/s], in the order of `numpy.fft.fft2`."""
        if "frequencies" not in self._known:
            kz, kx = (2.0 * math.pi * np.fft.fftfreq(n, self.grid.spacing) for n in self._size)
            k = np.hypot(kz[:, None], kx[None, :])
            self._known["frequencies"] = np.sqrt(GRAVITY * k * np.tanh(k * self.depth))
        return np.asarray(self._known["frequencies"])

    def _phases(self) -> NDArray[np.complex64]:
        """What a step multiplies every wave by: e^(−iωΔt − ½·damping·Δt), so that energy falls by e^(−damping·t)."""
        key = self.time_step, self.params.damping
        if self._known.get("phases", (None,))[0] != key:
            rate = 1j * self._frequencies() + 0.5 * self.params.damping
            self._known["phases"] = key, np.exp(-rate * self.time_step).astype(np.complex64)
        return np.asarray(self._known["phases"][1])

    def _retained(self) -> Floats:
        """What a step leaves of Z: less than 1 in the layer, 0 on land and in basins where nothing moves."""
        if "labels" not in self._known:
            (nz, nx), (rows, columns) = self.grid.shape, self._size
            # Land at an edge goes on outwards, up to the middle of the layer.
            near_z, near_x = (_nearest(n, size) for n, size in ((nz, rows), (nx, columns)))
            labels = find_basins(self.fixed, OPEN, flowing=True).labels[near_z][:, near_x]
            self._known["labels"] = labels, int(labels.max(initial=0))
        labels, count = self._known["labels"]
        moving: tuple[int, ...] = tuple(range(1, count + 1))
        if count > 1:
            moving = tuple(np.unique(labels[(self._whole_height != 0.0) | (self._whole_conjugate != 0.0)]))
        key = self.time_step, moving
        if self._known.get("retained", (None,))[0] != key:
            retained = np.where(
                np.isin(labels, moving) & (labels > 0), np.exp(-self._absorption() * self.time_step), 0.0
            )
            self._known["retained"] = key, retained.astype(np.float32)
        return np.asarray(self._known["retained"][1])

    def _absorption(self) -> NDArray[np.float64]:
        """How fast waves fade at every point [1/s]: 0 on the grid, and it rises and falls smoothly across the layer.

        A wave as long as the layer is wide fades to e^−`FADING` on its way through, at the speed of its energy; shorter
        ones are slower and fade more.
        """
        rates = []
        for n, size in zip(self.grid.shape, self._size, strict=True):
            width = (size - n + 1) * self.grid.spacing
            k = 2.0 * math.pi / width
            kd = k * self.depth
            speed = 0.5 * math.sqrt(GRAVITY / k * math.tanh(kd)) * (1.0 + 2.0 * kd / math.sinh(min(2.0 * kd, 700.0)))
            across = np.maximum(np.arange(size) - n + 1, 0) / (size - n + 1)
            rates.append(2.0 * FADING * speed / width * np.sin(math.pi * across) ** 2)
        return np.add.outer(*rates)


def _nearest(n: int, size: int) -> NDArray[np.intp]:
    """The nearest of the first `n` points of a periodic row of `size`."""
    place = np.arange(size)
    return np.where(place < n, place, np.where(place - n < (size - n + 1) // 2, n - 1, 0))
