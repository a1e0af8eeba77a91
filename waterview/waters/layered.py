"""A sea that can be touched: the ocean with an interactive surface laid over it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, ClassVar

import numpy as np
from numpy.typing import ArrayLike, NDArray

from waterview.core.commands import Drop
from waterview.core.diagnostics import FieldMap
from waterview.core.frame import Frame
from waterview.core.params import Value, declarations
from waterview.core.saved import entry_of
from waterview.waters.common.water import Water, WaterParams
from waterview.waters.common.wave_params import steps_param
from waterview.waters.ocean.ocean import OceanWater, bounded
from waterview.waters.ocean.ocean_params import OceanParams
from waterview.waters.wave.wave_equation import WaveEquationParams, WaveEquationWater


@dataclass(frozen=True, kw_only=True)
class LayeredParams(OceanParams, WaveEquationParams):
    """The parameters of both layers. Lengths of the sea are metres of sea, those of the ripples metres of the scene."""

    steps_per_second: float = steps_param(doc="more steps are finer and allow faster ripples")


_LAYERS = (OceanWater, WaveEquationWater)


class LayeredWater(Water):
    """The sum of an `OceanWater` and a `WaveEquationWater` (Jensen and Golias 2001: no single model fits all needs).

    The ocean is a function of time and cannot be disturbed; drops, bodies and wakes act on the ripples, which ride on
    the sea: they are carried along where its points move sideways, and their slopes are squeezed and stretched with
    it. Nothing else passes between the layers. The ocean fades towards shores, the ripples run up to them.

    Args and errors as `Water`.

    Attributes:
        ocean: the layer of the wind's waves, which carries the sum.
        ripples: the layer of drops and wakes.
    """

    name: ClassVar[str] = "layered"
    summary: ClassVar[str] = "a sea under wind that can be touched: drops and bodies raise ripples on it"
    memory_per_point: ClassVar[int] = 400
    Params: ClassVar[type[WaterParams]] = LayeredParams
    calm: ClassVar[Mapping[str, Value]] = OceanWater.calm
    can_be_given_state: ClassVar[bool] = True
    params: LayeredParams

    def _create_state(self) -> None:
        ocean, ripples = ({name: getattr(self.params, name) for name in _names(layer)} for layer in _LAYERS)
        place = *self.extent, self.grid.shape[1], self.grid.origin
        self.ocean = OceanWater(*place, **ocean)
        self.ripples = WaveEquationWater(*place, **ripples)
        self._superposed = False
        self.on_fixed_changed()  # each layer has made a ground of its own

    # --- the water

    def step(self) -> None:
        """Take one fixed time step of 1/steps_per_second in both layers."""
        for ix, iz, height in self._take_pending():
            self.ripples.set_height(ix, iz, height)
        self.ripples.step()
        self._superposed = False
        self._superpose()
        self.ocean.step()
        self._let_time_pass()

    def set_height(self, ix: int, iz: int, height: float) -> None:
        """Set the ripples' height [m] at a point at the start of the next step; the sea moves on beneath it.

        Raises:
            ParameterError: the point is not on the grid or the height not finite.
        """
        super().set_height(ix, iz, height)

    def disturb(self, drop: Drop) -> None:
        """Release a drop from rest, at once, at those points of the surface that the sea has moved to its place."""
        self.disturb_all([drop])

    def disturb_all(self, drops: Sequence[Drop]) -> None:
        """As `disturb`, one after the other; where they fall is found for all at once, which takes most of the time."""
        x, z = self.ocean.undisplaced([drop.x for drop in drops], [drop.z for drop in drops])
        places = zip(x.tolist(), z.tolist(), strict=True)
        self.ripples.disturb_all([replace(drop, x=x, z=z) for drop, (x, z) in zip(drops, places, strict=True)])
        self._superposed = False

    def _set_state(self, heights: NDArray[np.float32], flow: NDArray[np.float32] | None) -> None:
        self._take_pending()
        self.ripples.set_state(heights, flow)
        self._superposed = False

    def reset(self) -> None:
        """Calm both layers; under wind the sea rises again within seconds."""
        self._take_pending()
        self.ripples.reset()
        self.ocean.reset()
        self._superposed = False

    def publish(self, serial: int) -> Frame:
        """The surface as it is now; the frame's arrays are its own and will not change."""
        self._superpose()
        frame = self.ocean.publish(serial)
        return replace(
            frame,
            heights=bounded(frame.heights, self.ripples.heights_are_extreme),
            time=self.time,
            place=self.place,
            params=self.params,
            effective=self.effective,
        )

    @property
    def effective(self) -> dict[str, float]:
        """What both layers really use, by name."""
        return self.ripples.effective | self.ocean.effective

    @property
    def height(self) -> NDArray[np.float32]:
        """Sum of both heights [m] at the points before they move sideways, shape (nz, nx); read-only."""
        self._superpose()
        return bounded(self.ocean.height, self.ripples.heights_are_extreme)

    @property
    def time_levels(self) -> tuple[NDArray[np.float32], ...]:
        """Those of the ripples: the sea itself cannot be pushed."""
        self._superposed = False  # the caller is about to change them
        return self.ripples.time_levels

    @property
    def neutral_levels(self) -> tuple[NDArray[np.float32], ...]:
        """Those of the ripples, and a sum made for this: in it bodies feel what they push up in the same step."""
        self._superposed = False  # frames that were published keep the last sum
        self._superpose()
        return (*self.ripples.neutral_levels, self.ocean.sum_to_push)

    def on_pushed(self, rows: slice, columns: slice) -> None:
        """Tell the ripples; a sum that was made while they were pushed is out of date."""
        self._superposed = False
        self.ripples.on_pushed(rows, columns)

    def height_at(self, x: ArrayLike, z: ArrayLike) -> NDArray[np.float64]:
        """Height of the surface above still water [m] at world x and z [m], which broadcast."""
        self._superpose()
        return self.ocean.height_at(x, z)

    def undisplaced(self, x: ArrayLike, z: ArrayLike) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Where the points that the sea has moved to world x and z [m] would lie on flat water [m]."""
        self._superpose()
        return self.ocean.undisplaced(x, z)

    def field_maps(self) -> dict[str, FieldMap]:
        """Maps of the sum, and of the ripples alone."""
        self._superpose()
        alone = FieldMap("ripples", self.ripples.height.copy(), "m", diverging=True)
        return self.ocean.field_maps() | {alone.name: alone}

    # --- parameters, ground and level

    def set_parameter(self, name: str, value: Value) -> None:
        """Change one declared parameter, in each layer that has it.

        Raises:
            ParameterError: the name is unknown or the value not allowed; nothing has changed then.
        """
        super().set_parameter(name, value)
        for layer in (self.ocean, self.ripples):
            if name in _names(type(layer)):
                layer.set_parameter(name, value)
        self._superposed = False

    def on_fixed_changed(self) -> None:
        """Give both layers the new ground."""
        for layer in (self.ocean, self.ripples):
            layer.grid, layer.bed, layer.fixed = self.grid, self.bed, self.fixed
            layer.on_fixed_changed()
        self._superposed = False

    def _state(self) -> dict[str, Any]:
        return {"ocean": self.ocean.state(), "ripples": self.ripples.state()}

    def _load_state(self, state: Mapping[str, Any]) -> None:
        self.ocean.load_state(entry_of(state, "ocean", dict))
        self.ripples.load_state(entry_of(state, "ripples", dict))
        self._superposed = False

    def bring_back(self, state: Mapping[str, Any]) -> None:
        """As `Water.bring_back`, with the time of both waters."""
        ocean, ripples = self.ocean.time, self.ripples.time
        super().bring_back(state)
        self.ocean.time, self.ripples.time = ocean, ripples

    def _superpose(self) -> None:
        if not self._superposed:
            self.ocean.superpose(self.ripples.height)
            self._superposed = True


def _names(model: type[Water]) -> set[str]:
    """The names of the parameters that a model declares."""
    return {entry.name for entry in declarations(model.Params)}
