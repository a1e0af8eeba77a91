"""Deep water under wind: a random sea of thousands of waves, summed by inverse Fourier transforms (Tessendorf 2001).

Or, as the simplest ocean, a few waves summed one by one: `gerstner`.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from types import MappingProxyType
from typing import Any, ClassVar

import numpy as np
from numpy.typing import ArrayLike, NDArray

from waterview.core.commands import MAX_HEIGHT
from waterview.core.diagnostics import FieldMap
from waterview.core.frame import Frame, OpenSea
from waterview.core.params import Value
from waterview.core.saved import entry_of
from waterview.waters.common.water import Water, WaterParams, restore

from .cascades import REACH, divide, mean_square_slope, patch_of, random_waves
from .foam import FoamUpdate, decay, steps_between
from .gerstner import GerstnerSurface, gerstner_waves
from .ocean_params import OceanParams
from .ocean_surface import DisplacedSurface, OceanSurface, SeaSurface
from .spectra import Sea, peak_length, significant_height, slope_variance

MOST_PATCHES = 2
"""Cascades that go on beyond the grid."""

RISE = 10.0
"""Seconds in which the sea comes back after `OceanWater.reset`."""

HIGH = 0.01 * MAX_HEIGHT
"""Significant height [m] above which single waves may reach `MAX_HEIGHT`."""

_SEA = (
    *("spectrum", "growth", "wind_speed", "wind_direction", "fetch", "depth"),
    *("swell", "spreading", "upwind", "smallest"),
)
_WAVES = (*_SEA, "loop_period", "sea_size", "cascades", "gerstner_waves", "seed")  # what the waves are made of


class OceanWater(Water):
    """A random sea: heights are a function of time alone, so nothing disturbs it and no step is too long.

    It is a scale model: the longer side of the water stands for `sea_size` metres of sea. Lengths, heights and depths
    shrink or grow with that scale, time and slopes do not.

    Args and errors as `Water`.

    Attributes:
        scale: metres of the scene for one metre of sea.
        sea: what the parameters say of wind and waves.
    """

    name: ClassVar[str] = "ocean"
    summary: ClassVar[str] = "a sea under wind with choppy crests and foam; nothing disturbs it"
    memory_per_point: ClassVar[int] = 200
    Params: ClassVar[type[WaterParams]] = OceanParams
    can_be_disturbed: ClassVar[bool] = False
    calm: ClassVar[Mapping[str, Value]] = MappingProxyType({"wind_speed": 0.0})
    params: OceanParams

    def _create_state(self) -> None:
        self._steps = 0
        self._calmed_at = -math.inf
        self._ripples: NDArray[np.float32] | None = None
        self._foam = np.zeros(self.grid.shape, np.float32)
        self._shown_foam: NDArray[np.uint8] | None = None
        self._waves: SeaSurface | None = None
        self._fade: NDArray[np.float32] | None = None
        self._surface: DisplacedSurface | None = None
        self._effective: dict[str, float] = {}
        self._prepared = False
        self._beyond: OpenSea | None = None

    # --- the water

    def step(self) -> None:
        """Take one fixed time step of 1/steps_per_second."""
        self._let_time_pass()
        self._steps += 1
        self._surface = None
        every = steps_between(self.params.steps_per_second)
        if self.params.foam > 0.0 and self._steps % every == 0:
            remaining = decay(every * self.time_step, self.params.foam_life)
            self._surface = self._composed(FoamUpdate(self._foam, self.params.foam, remaining))

    def reset(self) -> None:
        """Calm the sea: every height 0 and no foam. If there is wind, the waves come back within `RISE` seconds."""
        self._calmed_at = self.time
        self._foam = np.zeros(self.grid.shape, np.float32)
        self._surface = self._shown_foam = None

    def publish(self, serial: int) -> Frame:
        """The surface as it is now; the frame's arrays are its own and will not change."""
        surface, params = self._current(), self.params
        shift = surface.shown_shift if params.choppiness > 0.0 else None
        foam = self._foam_in_bytes().view() if params.foam > 0.0 else None
        heights = bounded(surface.heights, self._is_extreme)
        frame = self._frame(serial, heights, surface.slopes, shift, foam)
        return frame.changed(sea=self._open_sea(), sea_gain=self._gain)

    @property
    def height(self) -> NDArray[np.float32]:
        """Height above still water [m] of the points before they move sideways, shape (nz, nx); read-only."""
        view = bounded(self._current().heights, self._is_extreme).view()
        view.setflags(write=False)
        return view

    @property
    def _is_extreme(self) -> bool:
        """Whether waves may be near ±`MAX_HEIGHT`: in a scene that stands for a thousandth of its own length of sea."""
        return self.effective["significant_height"] > HIGH

    @property
    def sum_to_push(self) -> NDArray[np.float32]:
        """The heights that `height` shows, or clips where waves are extreme; what is added lasts for this step."""
        return self._current().heights

    def field_maps(self) -> dict[str, FieldMap]:
        """Maps by name: height, fixed points, how far points have moved sideways, and foam."""
        moved = np.hypot(self._current().shift[..., 0], self._current().shift[..., 1])
        views = (
            FieldMap("shift", moved, "m", diverging=False),
            FieldMap("foam", self._foam.copy(), "", diverging=False),
        )
        return super().field_maps() | {view.name: view for view in views}

    def height_at(self, x: ArrayLike, z: ArrayLike) -> NDArray[np.float64]:
        """Height of the surface above still water [m] at world x and z [m], which broadcast."""
        return self.grid.samples(self.height, *self.undisplaced(x, z))

    def undisplaced(self, x: ArrayLike, z: ArrayLike) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Where the points that are now at world x and z [m] would lie on flat water [m].

        Found by repeating X = x − s(X), which at least halves the error each time where the surface is not squeezed
        or stretched to less or more than half; where it folds there is no one answer.
        """
        at_x, at_z = np.broadcast_arrays(np.asarray(x, np.float64), np.asarray(z, np.float64))
        shift, (from_x, from_z) = self._current().shift, (at_x, at_z)
        for _ in range(6):
            moved_x, moved_z = (self.grid.samples(shift[..., axis], from_x, from_z) for axis in (0, 1))
            from_x, from_z = at_x - moved_x, at_z - moved_z
        return from_x, from_z

    def superpose(self, ripples: NDArray[np.floating]) -> None:
        """Lay other heights [m], shape (nz, nx), over the sea from now on; they ride on its waves."""
        if self._ripples is None:
            self._ripples = np.zeros((self.grid.shape[0] + 2, self.grid.shape[1] + 2), np.float32)
        wide = self._ripples
        wide[1:-1, 1:-1] = ripples
        # Straight on beyond the edges: central differences are one-sided there.
        wide[0], wide[-1] = 2.0 * wide[1] - wide[2], 2.0 * wide[-2] - wide[-3]
        wide[:, 0], wide[:, -1] = 2.0 * wide[:, 1] - wide[:, 2], 2.0 * wide[:, -2] - wide[:, -3]
        self._surface = None

    # --- parameters and shores

    @property
    def scale(self) -> float:
        """Metres of the scene for one metre of sea."""
        return max(self.grid.size) / self.params.sea_size if self.params.sea_size > 0.0 else 1.0

    @property
    def sea(self) -> Sea:
        """What the parameters say of wind and waves, in metres of sea; Gerstner's waves stand for a jonswap sea."""
        values = {name: getattr(self.params, name) for name in _SEA}
        if self.params.spectrum == "gerstner":
            values["spectrum"] = "jonswap"
        return Sea(**values | {"wind_direction": math.radians(self.params.wind_direction)})

    @property
    def effective(self) -> dict[str, float]:
        """Significant height and length of the highest waves [m of the scene], and the number of cascades.

        With the spectrum gerstner the length is that of the middle wave, and in place of cascades there are the number
        of waves and the choppiness that lets no crest loop.
        """
        self._prepare()
        return dict(self._effective)

    def set_parameter(self, name: str, value: Value) -> None:
        """Change one declared parameter at once; of the sea's waves each keeps its phase.

        Raises:
            ParameterError: the name is unknown or the value not allowed; nothing has changed then.
        """
        super().set_parameter(name, value)
        if name in _WAVES:
            self._waves = None
        self._fade = None
        self._surface, self._prepared, self._beyond = None, False, None

    def on_fixed_changed(self) -> None:
        """Shores have moved: waves fade elsewhere now."""
        self._surface, self._prepared = None, False

    def _prepare(self) -> SeaSurface:
        """Prepare what time does not change: the waves, and how they fade towards the shores."""
        if self._waves is None:
            self._waves = self._made_waves()
        if not self._prepared:
            self._fade = self._shore_fade()
            self._effective = {
                "significant_height": self.scale * significant_height(self.sea),
                "peak_length": self.scale * peak_length(self.sea),
            }
            if isinstance(self._waves, GerstnerSurface):
                self._effective["peak_length"] = self._waves.waves.middle_length
                self._effective["gerstner_waves"] = float(self.params.gerstner_waves)
                self._effective["choppiness"] = self._choppiness()
            else:
                self._effective["cascades"] = float(len(self._waves.fields))
            self._prepared = True
        return self._waves

    def _made_waves(self) -> SeaSurface:
        params, spacing, sea, scale = self.params, self.grid.spacing, self.sea, self.scale
        if params.spectrum == "gerstner":
            waves = gerstner_waves(params.gerstner_waves, spacing, sea, scale, params.seed, params.loop_period)
            return GerstnerSurface(waves, self.grid.shape, spacing)
        parts = divide(self.grid.shape, spacing, params.cascades, sea, scale)
        return OceanSurface(
            [
                random_waves(part, spacing, sea, scale, [params.seed, number], params.loop_period)
                for number, part in enumerate(parts)
            ]
        )

    def _choppiness(self) -> float:
        """The choppiness asked for, less where crests of Gerstner's waves would loop."""
        wanted = self.params.choppiness
        return self._waves.waves.choppiness(wanted) if isinstance(self._waves, GerstnerSurface) else wanted

    def _shore_fade(self) -> NDArray[np.float32] | None:
        """The factor of the waves at every point and `REACH` points beyond the edges; None where it is 1 everywhere."""
        limit = self.params.shore * self.scale * significant_height(self.sea)
        depth = (self.grid.level - self.bed.astype(np.float64)) / max(limit, 1e-300)
        share = np.clip(depth, 0.0, 1.0)
        fade = np.where(self.fixed, 0.0, share * share * (3.0 - 2.0 * share))
        return None if (fade == 1.0).all() else np.pad(fade, REACH, mode="edge").astype(np.float32)

    # --- state to save

    def _state(self) -> dict[str, Any]:
        return {"steps": self._steps, "calmed_at": self._calmed_at, "foam": self._foam.copy()}

    def _load_state(self, state: Mapping[str, Any]) -> None:
        restore(self._foam, state["foam"], 0.0, 1.0)
        self._shown_foam = None
        self._steps = entry_of(state, "steps", int, low=0)
        # −∞ for a sea that was never calmed; none is to be calmed later.
        self._calmed_at = entry_of(state, "calmed_at", float, low=-math.inf, high=entry_of(state, "time", float))
        self._surface = None

    # --- the surface

    @property
    def _gain(self) -> float:
        """Factor of every wave: less than 1 for a while after `reset`."""
        risen = min((self.time - self._calmed_at) / RISE, 1.0)
        return risen * risen * (3.0 - 2.0 * risen)

    def _open_sea(self) -> OpenSea | None:
        """`Frame.sea`: cascades are periodic, so they go on beyond the grid; Gerstner's waves are no patches."""
        waves = self._prepare()
        if self._beyond is None and isinstance(waves, OceanSurface):
            resolved = sum(mean_square_slope(each) for each in waves.waves)
            roughness = max(slope_variance(self.params.wind_speed) - resolved, 0.0)
            patches = tuple(patch_of(each) for each in waves.waves[:MOST_PATCHES])
            wind, speed = math.radians(self.params.wind_direction), self.params.wind_speed
            self._beyond = OpenSea(patches, self._choppiness(), roughness, self.scale, wind, speed)
        return self._beyond

    def _foam_in_bytes(self) -> NDArray[np.uint8]:
        if self._shown_foam is None:
            self._shown_foam = np.rint(255.0 * self._foam).astype(np.uint8)
        return self._shown_foam

    def _current(self) -> DisplacedSurface:
        if self._surface is None:
            self._surface = self._composed()
        return self._surface

    def _composed(self, foam: FoamUpdate | None = None) -> DisplacedSurface:
        """The surface now, with the foam that an update makes."""
        waves = self._prepare()
        waves.evaluate(self.time, self._gain)
        surface = waves.compose(
            self.grid.shape,
            self.grid.spacing,
            choppiness=self._choppiness(),
            fade=self._fade,
            ripples=self._ripples,
            foam=foam,
        )
        if surface.foam is not None:
            self._foam, self._shown_foam = surface.foam, surface.shown_foam
        return surface


def bounded(heights: NDArray[np.float32], are_extreme: bool) -> NDArray[np.float32]:
    """Heights within ±`MAX_HEIGHT`, read-only; the same array unless they `are_extreme`, as in no sea on Earth."""
    if not are_extreme:
        return heights
    within = np.clip(heights, -MAX_HEIGHT, MAX_HEIGHT)
    within.setflags(write=False)
    return within
