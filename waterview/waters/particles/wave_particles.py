"""Wave particles: fronts of particles that split as they spread (Yuksel, House and Keyser 2007; Qin and Zeng)."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any, ClassVar, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from waterview.core.commands import MAX_HEIGHT, Drop
from waterview.core.errors import ParameterError
from waterview.core.frame import Frame
from waterview.core.params import Value
from waterview.core.saved import LARGEST, array_of, entry_of
from waterview.waters.common.published_surface import MAX_SLOPE
from waterview.waters.common.water import Water, WaterParams

from .obstacles import Outlines
from .particle_params import WaveParticleParams
from .particle_set import DIRECTIONS, RING
from .particle_system import ParticleSystem
from .wave_field import VOLUME, WaveField

_MOST_OWED = 1e40  # energy in a file [m²·cells²]


class _Trough(NamedTuple):
    """The second ring of a drop, which has yet to start at `time` [s], at x and z, `delay` [s] after the first."""

    time: float
    delay: float
    x: float
    z: float
    radius: float
    height: float
    taken_back: float
    balance: float


class WaveParticleWater(Water):
    """Fronts of particles that move, split, fade and are reflected by shores and borders; points of land stay at 0.

    Speeds do not depend on depth. A step of any length is stable: if particles would run more than a cell it is divided
    into parts, and if those are too many, waves are slowed.

    Args and errors as `Water`.
    """

    name: ClassVar[str] = "wave-particles"
    summary: ClassVar[str] = "wave fronts made of particles, which spread, split and are reflected by shores"
    Params: ClassVar[type[WaterParams]] = WaveParticleParams
    params: WaveParticleParams

    def _create_state(self) -> None:
        self._particles = ParticleSystem(self.grid, self.params, self.fixed)
        self._field: WaveField | None = None
        self._bodies: list[NDArray[np.float64]] = []
        self._troughs: list[_Trough] = []

    # --- the water

    def step(self) -> None:
        """Take one fixed time step of 1/steps_per_second."""
        for ix, iz, height in self._take_pending():
            self._raise_point(ix, iz, height)
        self._send_troughs()
        self._particles.advance(self.time_step)
        self._let_time_pass()
        self._field = None

    def disturb(self, drop: Drop) -> None:
        """Release a drop at once; it gets the closest radius of 2·√2ⁿ cells. One outside the water does nothing."""
        self.disturb_all([drop])

    def disturb_all(self, drops: Sequence[Drop]) -> None:
        """Release drops at once, as `disturb`; where weak particles have to go for them, room is made for many."""
        columns, rows, basins = self._places(drops)
        heights, taken_back = np.array([(drop.height, drop.neutral) for drop in drops], np.float64).reshape(-1, 2).T
        balance, delay = np.ones(len(drops)), self.params.trough_delay
        for particles, basin, each in self._particles.with_rings(basins, [drop.radius for drop in drops], 2):
            neutral = each[taken_back[each] > 0.0]
            balance[neutral] = self._particles.balances(particles, basin, columns[neutral], rows[neutral])
            shapes = heights[each], taken_back[each], balance[each]
            particles.add_drops(columns[each], rows[each], *shapes, delay == 0.0)
        if delay > 0.0:
            for drop, basin, share in zip(drops, basins, balance.tolist(), strict=True):
                if basin:
                    numbers = drop.x, drop.z, drop.radius, drop.height, float(drop.neutral), share
                    self._troughs.append(_Trough(self.time + delay, delay, *numbers))
        self._field = None

    def _send_troughs(self) -> None:
        """Send the troughs that are due, as low as damping has made the crests before them."""
        soon = self.time + 0.5 * self.time_step
        due = [trough for trough in self._troughs if trough.time < soon]
        if not due:
            return
        self._troughs = [trough for trough in self._troughs if not trough.time < soon]
        columns, rows, basins = self._places(due)
        numbers = np.array([(each.height, each.taken_back, each.balance, each.delay) for each in due])
        heights, taken_back, balance, delays = numbers.T
        for particles, _, each in self._particles.with_rings(basins, [trough.radius for trough in due], 1):
            lowered = heights[each] * np.exp(-self._particles.damping * delays[each])
            lags = self._particles.way(particles.radius, 1.0, self.time_step) * delays[each]
            particles.add_troughs(columns[each], rows[each], lowered, taken_back[each], balance[each], lags)

    def _places(
        self, drops: Sequence[Drop | _Trough]
    ) -> tuple[NDArray[np.float64], NDArray[np.float64], NDArray[np.int32]]:
        """Columns, rows [cells] and basins of drops, each of shape (m,)."""
        columns, rows = np.array([self.grid.to_cell(drop.x, drop.z) for drop in drops]).reshape(-1, 2).T
        return columns, rows, self._basins_at(columns, rows)

    def reset(self) -> None:
        """Calm the water: remove all particles, and the heights that wait to be set."""
        self._take_pending()
        self._particles.clear()
        self._troughs = []
        self._field = None

    def publish(self, serial: int) -> Frame:
        """The surface as it is now; the frame's arrays are its own and will not change."""
        field = self._summed()
        normals = np.stack((field.slope_x, field.slope_z), axis=-1)
        np.clip(np.negative(normals, out=normals), -MAX_SLOPE, MAX_SLOPE, out=normals)
        shift = None
        if self.params.choppiness > 0.0:
            shift = np.stack((field.shift_x, field.shift_z), axis=-1)
            shift *= np.float32(self.params.choppiness)
        return self._frame(serial, field.height, normals.astype(np.float16), shift)

    @property
    def effective(self) -> dict[str, float]:
        """What the solver really uses, by name, and the number of particles."""
        speed, parts = self._particles.plan(self.time_step)
        return {
            "wave_speed": speed,
            "damping": self._particles.damping,
            "courant": speed * self.time_step / (parts * self.grid.spacing),
            "substeps": float(parts),
            "particles": float(self._particles.count),
        }

    @property
    def height(self) -> NDArray[np.float32]:
        """Height above still water [m], shape (nz, nx), read-only; summed when first asked for after a step."""
        return self._summed().height

    @property
    def particle_count(self) -> int:
        """Number of wave particles."""
        return self._particles.count

    @property
    def particle_positions(self) -> NDArray[np.float64]:
        """World (x, z) of every wave particle [m], shape (n, 2), narrow ones first."""
        cells = [np.stack((each.x, each.z), axis=-1, dtype=np.float64) for each in self._particles.sets]
        return np.asarray(self.grid.origin[::2]) + self.grid.spacing * np.concatenate([np.empty((0, 2)), *cells])

    def on_fixed_changed(self) -> None:
        """Particles meet the new shores from the next step on."""
        self._particles.set_land(self.fixed)
        self._field = None

    def set_parameter(self, name: str, value: Value) -> None:
        """Change one declared parameter: how particles move from the next step on, how they look at once."""
        super().set_parameter(name, value)
        self._particles.params = self.params
        self._field = None

    def _state(self) -> dict[str, Any]:
        owed = self._particles.bodies.owed.copy()
        troughs = [list(trough) for trough in self._troughs]
        return {"particles": self._particles.saved(), "bodies": self._bodies, "owed": owed, "troughs": troughs}

    def _load_state(self, state: Mapping[str, Any]) -> None:
        self._particles.load(entry_of(state, "particles", list[dict[str, Any]]))
        self.set_bodies(entry_of(state, "bodies", list[np.ndarray]))
        owed = self._particles.bodies.owed  # in cells: metres and back would not give the same bits
        # Missing in files of older versions.
        owed[...] = array_of(state, "owed", np.float64, owed.shape, owed, low=-_MOST_OWED, high=_MOST_OWED)
        troughs = entry_of(state, "troughs", list[tuple[float, ...]], [])
        if not all(
            len(row) == len(_Trough._fields) and all(map(math.isfinite, row)) and row[1] > 0.0 for row in troughs
        ):
            raise ValueError("a trough that comes at no time or place")
        self._troughs = [_Trough(*row) for row in troughs]
        self._field = None

    # --- for bodies

    def add_faces(
        self,
        positions: NDArray[np.floating],
        normals: NDArray[np.floating],
        volumes: NDArray[np.floating],
        radius: float,
        spread: float = 2.0 * math.pi / DIRECTIONS,
        most: float = math.inf,
        troughs: bool = False,
    ) -> float:
        """Add one particle at every face of a body that pushes water aside in this step.

        A face of area A that moves at v displaces E = A (v·n) Δt; the amplitude of its particle is that with this
        volume, E/(0.934 r²) for radial ones. A negative volume makes a trough. Faces on land or outside are left out.

        Args:
            positions: world (x, z) of the faces [m], shape (m, 2).
            normals: their outward normals in the plane (x, z), shape (m, 2); need not be unit vectors.
            volumes: E [m³], shape (m,).
            radius: of the particles [m].
            spread: dispersion angle of each [rad], above 0.
            most: largest energy of all of them, divided by ½ρg [m⁴]; the particles are lower where they had more.
            troughs: whether a trough follows each that takes back what it grows by as it spreads, so that volume stays.

        Returns:
            The energy that they have, divided by ½ρg [m⁴].

        Raises:
            ParameterError: the shapes do not agree, a number is not finite, or radius or spread is not above 0.
        """
        positions, normals, volumes = (np.asarray(array, np.float64) for array in (positions, normals, volumes))
        if volumes.ndim != 1 or not positions.shape == normals.shape == (len(volumes), 2):
            raise ParameterError(
                f"faces with positions {positions.shape}, normals {normals.shape} and volumes {volumes.shape}: "
                "allowed are shapes (m, 2), (m, 2) and (m,)"
            )
        if not all(np.isfinite(array).all() for array in (positions, normals, volumes, radius, spread)):
            raise ParameterError("faces with numbers that are not finite: allowed are finite positions and volumes")
        if radius <= 0.0 or spread <= 0.0:
            raise ParameterError(f"faces with radius {radius} m and spread {spread} rad: allowed are values above 0")
        column, row = ((positions - self.grid.origin[::2]) / self.grid.spacing).T
        basins = self._basins_at(column, row)
        angle = np.arctan2(normals[:, 1], normals[:, 0])
        area, given = self.grid.spacing**2, 0.0
        for basin in np.unique(basins[basins > 0]):
            here = basins == basin
            particles = self._particles.with_room(int(basin), radius, 2 * int(here.sum()))
            cell = particles.radius * self.grid.spacing
            heights = volumes[here] / (VOLUME[self.params.kernel] * cell * cell)
            left = (most - given) / area
            given += area * particles.add_limited(
                (column[here], row[here]), angle[here], heights, spread, most=left, troughs=troughs
            )
        self._field = None
        return given

    def add_sphere(
        self, x: float, z: float, moved_x: float, moved_z: float, waterline: float, most: float = math.inf
    ) -> float:
        """Add the fronts of a sphere that has moved in this step, in eight directions.

        Args:
            x: its centre in the world [m]; on land or outside the grid it makes no waves.
            z: see `x`.
            moved_x: how far it has moved along x [m].
            moved_z: how far it has moved along z [m].
            waterline: radius of its section with the surface [m].
            most: as of `add_faces`.

        Returns:
            As `add_faces`.

        Raises:
            ParameterError: a number is not finite, or the radius not above 0.
        """
        if not all(map(math.isfinite, (x, z, moved_x, moved_z, waterline))) or waterline <= 0.0:
            raise ParameterError(
                f"a sphere at {x}, {z} with a waterline of {waterline} m: allowed are finite numbers, radius above 0"
            )
        basin = self._basin_at(x, z)
        if not basin:
            return 0.0
        particles, area = self._particles.with_room(basin, waterline, 2 * DIRECTIONS), self.grid.spacing**2
        self._field = None
        spread = math.radians(self.params.sphere_dispersion)
        return area * particles.add_sphere(*self.grid.to_cell(x, z), (moved_x, moved_z), most / area, spread)

    def set_bodies(self, outlines: Sequence[NDArray[np.floating]], owed: Sequence[float] = ()) -> None:
        """Reflect waves at bodies from the next step on; these replace the bodies of the last call.

        Args:
            outlines: of each body at the surface, in the world [m]: x, z and radius of a disc, shape (3,), or the
                corners (x, z) of a convex outline in order, shape (n, 2) with n ≥ 3. One thinner than a cell may let
                waves through.
            owed: energy that each takes from the waves that it throws back, divided by ½ρg [m⁴]; none takes nothing.

        Raises:
            ParameterError: a shape is another one, or a number is not finite or larger than `LARGEST`.
        """
        places = [np.asarray(outline, np.float64) for outline in outlines]
        for outline in places:
            corners = outline.ndim == 2 and outline.shape[0] >= 3 and outline.shape[1] == 2
            if not (corners or outline.shape == (3,)):
                raise ParameterError(f"an outline of shape {outline.shape}: allowed are (3,) and (n, 2), n ≥ 3")
            if not (np.abs(outline) <= LARGEST).all():
                raise ParameterError(f"an outline with numbers that are not finite, or larger than {LARGEST:g} m")
        if len(owed) not in {0, len(places)} or not np.isfinite(owed).all():
            raise ParameterError(f"energies {owed} of {len(places)} bodies: allowed is a finite one for each")
        self._bodies = places
        area = self.grid.spacing**2
        x, _, z = self.grid.origin
        corner = {1: np.array((x, z, 0.0)), 2: np.array((x, z))}
        cells = [(outline - corner[outline.ndim]) / self.grid.spacing for outline in places]
        self._particles.bodies = Outlines.of(cells, self.grid.shape, np.array(owed or [0.0] * len(places)) / area)

    @property
    def owed(self) -> NDArray[np.float64]:
        """What is left of the energies that `set_bodies` gave [m⁴], shape (m,)."""
        return self._particles.bodies.owed * self.grid.spacing**2

    def level_at(self, x: float, z: float) -> float:
        """World height of the surface at world x and z [m]; outside the grid that of the edge."""
        return self.grid.level + self.grid.sample(self.height, x, z)

    def velocity_at(self, x: ArrayLike, z: ArrayLike) -> NDArray[np.float32]:
        """Velocity (x, y, z) of the water's surface at world x and z [m/s]; they broadcast, the result adds an axis.

        Places outside the grid have the value of the edge.
        """
        places = np.broadcast_arrays(np.asarray(x, np.float64), np.asarray(z, np.float64))
        edges = self.grid.shape[::-1]
        column, row = (
            np.clip((place.ravel() - low) / self.grid.spacing, 0.0, points - 1.0)
            for place, low, points in zip(places, self.grid.origin[::2], edges, strict=True)
        )
        felt = self._particles.velocities(column, row, self._basins_at(column, row), self.time_step)
        return felt.reshape(*places[0].shape, 3).astype(np.float32)

    # --- inside

    def _raise_point(self, ix: int, iz: int, height: float) -> None:
        """Set one point's height: a drop of the smallest radius makes up the difference."""
        basin = int(self._particles.shore.basins[iz, ix])
        if basin:
            missing = min(max(height, -MAX_HEIGHT), MAX_HEIGHT) - float(self.height[iz, ix])
            particles = self._particles.with_room(basin, 0.0, 2 * RING)
            column, row, rise, taken_back, balance = np.array([[ix], [iz], [missing], [0.0], [1.0]])
            particles.add_drops(column, row, rise, taken_back, balance)
            self._field = None

    def _basin_at(self, x: float, z: float) -> int:
        """Number of the basin at world x and z [m]; 0 on land and outside the grid."""
        at = self.grid.nearest(x, z)
        return 0 if at is None else int(self._particles.shore.basins[at[1], at[0]])

    def _basins_at(self, column: NDArray[np.float64], row: NDArray[np.float64]) -> NDArray[np.int32]:
        """The same for many places at once [cells]; shape (m,)."""
        (nz, nx), x, z = self.grid.shape, np.rint(column), np.rint(row)
        inside = (x >= 0) & (x < nx) & (z >= 0) & (z < nz)
        basins = np.zeros(len(column), np.int32)
        basins[inside] = self._particles.shore.basins[z[inside].astype(int), x[inside].astype(int)]
        return basins

    def _summed(self) -> WaveField:
        if self._field is None:
            self._field = self._particles.field()
        return self._field
