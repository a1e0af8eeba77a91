"""Surface detail: eddies in a periodic square, whose streamlines roughen any water (Jensen and Golias 2001)."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Unpack

import numpy as np
from numpy.typing import NDArray

from waterview.core.diagnostics import FieldMap
from waterview.core.errors import ParameterError
from waterview.core.parameter_names import DetailParameters
from waterview.core.params import Params, Value, param
from waterview.core.saved import entry_of, random_state
from waterview.waters.common.water import restore

if TYPE_CHECKING:
    from .kernels.stable_fluids import PeriodicFlow

WIND_DRIFT = 0.03
"""The speed of water at the surface as a share of the wind's (Wu 1983 finds 3 %)."""

EDDIES = ((1, 2), (2, 1), (2, -1), (1, -2), (3, 1), (1, 3), (3, -2), (2, 3), (3, 0), (4, -1))
"""Wave vectors of the gusts (column, row), in units of 2π/size: waves of a quarter to a half of the square's side."""

_STRONGEST = 100.0  # gust in a file; their mean square is 1
_LARGEST = 1e4  # of velocities and trails in a file: slopes are half precision

LEAST_SPEED = 0.03
"""Speed of the surface [m/s] that its motion is measured by in still air, where only clicks and bodies move it."""

FORCING, DRAG = 2.0, 0.5
"""Strength of the gusts and drag on the eddies, in units of the turnover: so eddies run about as fast as the drift."""

SMOOTHING = 1.25
"""Width of the Gaussian that smooths streamlines, in points: they stay fine and lose the grain of single particles."""

SPLASH = 3.0
"""Speed with which a drop drives the surface apart, in units of the surface's own."""

STEEPNESS = 4.5
"""Factor that makes `strength` the usual slope of the map; measured."""


@dataclass(frozen=True, kw_only=True)
class DetailParams(Params):
    """The parameters of `Detail`."""

    size: float = param(
        10.0, unit="m", low=0.01, high=100_000.0, step=1.25, scale="log", doc="Length that the detail repeats after."
    )
    points: int = param(
        256, low=16, high=2048, step=16, doc="Points along each side of the detail; of an odd number, one less."
    )
    wind_speed: float = param(8.0, unit="m/s", low=0.0, high=60.0, step=1.0, doc="Wind that stirs the surface.")
    wind_direction: float = param(
        30.0, unit="°", low=-360.0, high=360.0, step=15.0, doc="Where the wind blows to, from x towards z."
    )
    viscosity: float = param(
        1e-4,
        unit="m²/s",
        low=0.0,
        high=100.0,
        step=2.0,
        scale="log",
        smallest=1e-7,
        doc="How fast small eddies die; water's own is 1e-6, eddies smaller than a point make it more.",
    )
    trail: float = param(
        0.6, unit="s", low=0.01, high=60.0, step=1.25, scale="log", doc="Time in which streamlines fade to a third."
    )
    strength: float = param(
        0.12, low=0.0, high=10.0, step=1.25, scale="log", smallest=0.001, doc="How steep the detail is on average."
    )
    seed: int = param(0, low=0, high=2**31 - 1, step=1, doc="Chance: the same seed gives the same gusts.")


class Detail:
    """A detail map that tiles without a seam: slopes that are added to those of the water beneath.

    Wind drags the surface along and drives it with gusts: large eddies, whose strength and phase wander. They break
    into smaller ones by themselves (`PeriodicFlow`). The flow carries particles, which leave their speed behind as
    trails, and the trails fade. So streamlines stand out where the flow is fast; their slopes are the map.

    Args:
        parameters: values for `DetailParams`; those left out keep their defaults.

    Raises:
        ParameterError: a number or name is not allowed.

    Attributes:
        params: the parameters.
        time: simulated time [s].
        flow: the eddies.
        trails: trails of the particles, 1 on average where the flow has its usual speed, shape (n, n) float32.
    """

    def __init__(self, **parameters: Unpack[DetailParameters]) -> None:
        self.params = DetailParams().changed(**parameters)
        self.time = 0.0
        self._start()

    def _start(self) -> None:
        from .kernels.stable_fluids import PeriodicFlow

        points = self.params.points // 2 * 2
        self._rng = np.random.default_rng(self.params.seed)
        self._gusts = self._random_gusts()
        self.flow: PeriodicFlow = PeriodicFlow(points, self.params.size)
        self.trails = np.zeros((points, points), np.float32)
        # One particle for every four points: fewer leave gaps in the streamlines, more blur them.
        self._particles = (points * self._rng.random((points * points // 4, 2))).astype(np.float32)
        self._drive(0.5 * self.turnover)  # or large eddies would take minutes to come up

    def set_parameter(self, name: str, value: Value) -> None:
        """Change one declared parameter; another size, number of points or seed starts from rest.

        Raises:
            ParameterError: the name is unknown or the value not allowed; nothing has changed then.
        """
        self.params = self.params.changed(**{name: value})
        if name in ("size", "points", "seed"):
            self._start()

    def step(self, time_step: float) -> None:
        """Advance by `time_step` [s]; any is stable.

        Raises:
            ParameterError: it is not above 0 or not finite.
        """
        if not (math.isfinite(time_step) and time_step > 0.0):
            raise ParameterError(f"a time step of {time_step} s: allowed are finite values above 0")
        self._drive(time_step)
        self._leave_trails(time_step)
        self.time += time_step

    @property
    def speed(self) -> float:
        """Usual speed of the surface in this wind [m/s]."""
        return WIND_DRIFT * self.params.wind_speed

    @property
    def turnover(self) -> float:
        """Time in which an eddy turns about itself [s]."""
        return 0.25 * self.params.size / max(self.speed, LEAST_SPEED)

    def drive_apart(self, x: float, z: float, distance: float) -> None:
        """Push the surface away from world x and z [m] on four sides, `distance` [m] off, as a drop does."""
        speed = SPLASH * self.speed
        for along_x, along_z in ((1, 0), (-1, 0), (0, 1), (0, -1)):
            place = x + along_x * distance, z + along_z * distance
            self.add_force(*place, along_x * speed, along_z * speed)

    def add_force(self, x: float, z: float, vx: float, vz: float, radius: float | None = None) -> None:
        """Push the surface at world x and z [m] to move by (vx, vz) [m/s] more, as a click or a body does.

        Args:
            x: the detail repeats, so the same happens in every square.
            z: as x.
            vx: velocity to add along x.
            vz: velocity to add along z.
            radius: distance at which a third of it is left [m]; None for a twentieth of the square's side.

        Raises:
            ParameterError: a number is not finite or the radius not above 0.
        """
        radius = 0.05 * self.params.size if radius is None else radius
        if not (all(map(math.isfinite, (x, z, vx, vz, radius))) and radius > 0.0):
            raise ParameterError(
                f"a push of ({vx}, {vz}) m/s at ({x}, {z}) over {radius} m: allowed are finite numbers"
            )
        self.flow.add_force(x, z, vx, vz, radius)

    @property
    def velocity(self) -> NDArray[np.float32]:
        """Velocity (x, z) [m/s], shape (n, n, 2)."""
        return np.ascontiguousarray(np.moveaxis(self.flow.velocity, 0, -1))

    @property
    def pressure(self) -> NDArray[np.float32]:
        """Pressure over density [m²/s²], shape (n, n)."""
        return self.flow.pressure()

    def field_maps(self) -> dict[str, FieldMap]:
        """Maps of what is inside, shape (n, n): speed, rotation, pressure over density, and the streamlines.

        None is called like a map of any water: both are offered together.
        """
        u, w = self.flow.velocity
        # The rotation ∂u/∂z − ∂w/∂x; slopes come with a minus.
        rotation = self.flow.slopes(w, 0.0)[..., 0] - self.flow.slopes(u, 0.0)[..., 1]
        views = (
            FieldMap("detail speed", np.hypot(u, w), "m/s", diverging=False),
            FieldMap("rotation", rotation, "1/s", diverging=True),
            FieldMap("pressure", self.pressure, "m²/s²", diverging=True),
            FieldMap("streamlines", self.trails.copy(), "", diverging=False),
        )
        return {view.name: view for view in views}

    def publish(self) -> NDArray[np.float16]:
        """The detail map: slopes (−∂/∂x, −∂/∂z) as in a frame's normals, shape (n, n, 2) float16, the caller's own.

        The point in row i and column j lies at x = j·size/n, z = i·size/n, and again after every `size`.
        """
        spacing = self.flow.spacing
        # Trails are no heights in metres: they are scaled to a surface as steep as asked for.
        heights = self.trails * np.float32(STEEPNESS * self.params.strength * spacing)
        return self.flow.slopes(heights, SMOOTHING * spacing).astype(np.float16, order="C")

    def state(self) -> dict[str, Any]:
        """Everything that moves, as numbers and arrays."""
        return {
            "time": self.time,
            "chance": self._rng.bit_generator.state,
            "gusts": self._gusts.copy(),
            "velocity": self.flow.velocity.copy(),
            "trails": self.trails.copy(),
            "places": self._particles.copy(),
        }

    def load_state(self, state: Mapping[str, Any]) -> None:
        """Go on from what `state` of a detail with the same parameters gave; only the map of pressures starts from 0.

        Raises:
            KeyError, ValueError: it makes no sense.
        """
        chance, time = random_state(state, "chance"), entry_of(state, "time", float, low=0.0)
        restore(self.flow.velocity, state["velocity"], -_LARGEST, _LARGEST)
        restore(self.trails, state["trails"], -_LARGEST, _LARGEST)
        restore(self._particles, state["places"])
        restore(self._gusts, state["gusts"], -_STRONGEST, _STRONGEST)
        self._rng.bit_generator.state = chance
        self.time = time

    def _drive(self, time_step: float) -> None:
        params, angle = self.params, math.radians(self.params.wind_direction)
        strength = FORCING * self.speed / self.turnover
        forces = [(*eddy, complex(strength * gust)) for eddy, gust in zip(EDDIES, self._gusts, strict=True)]
        self.flow.step(time_step, params.viscosity, DRAG / self.turnover, forces)
        self.flow.set_mean(self.speed * math.cos(angle), self.speed * math.sin(angle))
        # Each gust forgets itself within a turnover, while its mean square stays 1.
        memory = math.exp(-time_step / self.turnover)
        self._gusts = memory * self._gusts + math.sqrt(1.0 - memory * memory) * self._random_gusts()

    def _random_gusts(self) -> NDArray[np.complex128]:
        real, imaginary = self._rng.standard_normal((2, len(EDDIES)))
        return np.asarray(math.sqrt(0.5) * (real + 1j * imaginary))

    def _leave_trails(self, time_step: float) -> None:
        fading = math.exp(-time_step / self.params.trail)
        self.trails *= np.float32(fading)
        # In the long run 1/(1 − fading) steps add up, of one particle for every four points.
        weight = 4.0 * (1.0 - fading) / max(self.speed, LEAST_SPEED)
        self.flow.advect_particles(self._particles, time_step, self.trails, weight)
