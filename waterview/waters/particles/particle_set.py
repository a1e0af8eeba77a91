"""Wave particles of one radius: their arrays, the drops and spheres that add some, and how they advance.

After Yuksel, House and Keyser (2007). Every length here is in cells and grid coordinates: (0, 0) is the first point, x
runs along columns, z along rows. The position of a particle follows from its origin, direction and travelled distance,
x = O + d·û, so rounding errors never accumulate. Its strength is its amplitude times its gain (`kernels.motion.gain`)
minus its gain offset.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from waterview.core.saved import array_of, check_within, entry_of

from .obstacles import BORDERS, NO_BODIES, Outlines, Shore

if TYPE_CHECKING:
    from .kernels.reflection import Particles

RING = 28
"""Particles of a new ring. Yuksel et al. (2007, §4) start with one of dispersion angle 2π, which has split into 27
before they are an arm's length apart. One more makes the ring symmetric on all four sides."""

_ANGLES = 2.0 * math.pi * np.arange(RING) / RING
RING_DIRECTIONS = np.stack((np.cos(_ANGLES), np.sin(_ANGLES)))
"""Unit vectors (x, z) of the particles of a ring, shape (2, `RING`)."""

DIRECTIONS = 8
"""Directions in which a moving sphere emits particles (Qin and Zeng, §3.2.3)."""

_STATE_ROWS, _NOW_ROWS = 8, 4  # of the arrays below
_CAPACITY = 1024  # of a new set
_SPREAD = 5  # row of the dispersion angles
_WIDEST_SPREAD = 6.3  # that saved particles may have, a little more than 2π [rad]
_FARTHEST = 1e9  # that saved particles may have run, and bound of their other numbers [cells, m]

Array = NDArray[np.float64]
Floats = NDArray[np.float32]


class ParticleSet:
    """All particles of one radius.

    Args:
        radius: r [cells], above 0.

    Attributes:
        radius: r [cells].
        border: one of `BORDERS`.
        conserves_energy: rings conserve their energy as they spread, their amplitude falling like 1/√d; otherwise the
            sum of a front's amplitudes is constant, as published, and falls like 1/d.
        subdivision: longest arc d·φ of a particle's piece of the front, over r; a longer one splits.
        count: number of particles.
        path: distance that particles of this radius have travelled since the beginning [cells].
        state: origin x and z, direction x and z, amplitude [m], dispersion angle [rad], lag [cells], gain offset; shape
            (8, capacity) float32, the first `count` columns in use.
        born: `path` when each particle was at its origin, shape (capacity,) float64.
        now: x, z, travelled distance [cells] and strength [m]; shape (4, capacity) float32.
    """

    def __init__(self, radius: float) -> None:
        self.radius = radius
        self.border = "zero"
        self.conserves_energy = True
        self.subdivision = 0.5
        self.count = 0
        self.path = 0.0
        self.state = np.zeros((_STATE_ROWS, _CAPACITY), np.float32)
        self.born = np.zeros(_CAPACITY, np.float64)
        self.now = np.zeros((_NOW_ROWS, _CAPACITY), np.float32)

    @property
    def x(self) -> Floats:
        """Column of every particle, fractional; shape (count,), a view."""
        return self.now[0, : self.count]

    @property
    def z(self) -> Floats:
        """Row of every particle, fractional; shape (count,), a view."""
        return self.now[1, : self.count]

    @property
    def strength(self) -> Floats:
        """Present amplitude of every particle [m], shape (count,); a view."""
        return self.now[3, : self.count]

    @property
    def direction(self) -> Floats:
        """Unit direction (x, z) of every particle, shape (2, count); a view."""
        return self.state[2:4, : self.count]

    # --- sources

    def add(
        self,
        origin: tuple[NDArray[np.floating], NDArray[np.floating]],
        angle: NDArray[np.floating],
        amplitude: NDArray[np.floating],
        spread: float,
        ahead: float = 0.0,
        lag: float = 0.0,
        gain_offset: float = 0.0,
    ) -> None:
        """Add one particle for every entry of the arrays, which all have shape (m,).

        Args:
            origin: column and row that its front spreads from.
            angle: its direction, from the x axis towards the z axis [rad].
            amplitude: its strength now [m], if `gain_offset` is 0.
            spread: dispersion angle φ of the front that it represents [rad], above 0.
            ahead: distance from its origin now [cells]; if negative, it still runs towards it.
            lag: how far it runs behind the front whose growth it shares [cells], so that pairs cancel exactly.
            gain_offset: subtracted from its gain: with 1 it is the trough that takes back what a crest has grown by.
        """
        from .kernels.motion import gain, place

        new = slice(self.count, self.count + len(amplitude))
        self._reserve(new.stop)
        at_gain_one = np.asarray(amplitude) / float(gain(np.float32(ahead + lag), self._growth))
        rows = (*origin, np.cos(angle), np.sin(angle), at_gain_one, spread, lag, gain_offset)
        for row, values in zip(self.state, rows, strict=True):
            row[new] = values
        self.born[new] = self.path - ahead
        self.count = new.stop
        place(self._particles, new.start, new.stop, self.path, self._growth)

    def add_limited(
        self,
        origin: tuple[NDArray[np.floating], NDArray[np.floating]],
        angle: NDArray[np.floating],
        amplitude: NDArray[np.floating],
        spread: float,
        ahead: float = 0.0,
        most: float = math.inf,
        troughs: bool = False,
    ) -> float:
        """As `add`, with no more than a given energy.

        A particle of a ring of dispersion φ has (9π/8)r²a²/φ, the share of its ring in ∫(η² + (q/c)²), at any distance:
        a ring of n = 2π/φ particles that has spread by d ≫ r has ∫η² = (9/16) r²(na)² · gain² · (2/3π)(r/d).

        Args:
            origin: as of `add`.
            angle: as of `add`.
            amplitude: as of `add`.
            spread: as of `add`.
            ahead: as of `add`.
            most: largest energy [m²·cells²]; all amplitudes are smaller where they would have more. Below 0, as what
                is left of an account may be by rounding, it counts as 0.
            troughs: a trough behind each takes back what it grows by, so that the volume is constant. Without them what
                a slowly moving body sends adds up to a wave whose volume and energy come from nowhere.

        Returns:
            The energy that they have [m²·cells²].
        """
        from .kernels.motion import gain

        grown = float(gain(np.float32(ahead), self._growth))
        troughs, most = troughs and self.conserves_energy, max(most, 0.0)
        energy = (
            (2.0 if troughs else 1.0)
            * 1.125
            * math.pi
            * self.radius**2
            * float(np.square(amplitude / grown).sum())
            / spread
        )
        amplitude = amplitude * math.sqrt(min(1.0, most / max(energy, 1e-30)))
        self.add(origin, angle, amplitude, spread, ahead=ahead)
        if troughs:
            behind = self.radius + 1.0
            self.add(origin, angle, -amplitude, spread, ahead=ahead - behind, lag=behind, gain_offset=grown)
        return min(energy, most)

    def add_drops(
        self, columns: Array, rows: Array, heights: Array, taken_back: Array, balance: Array, troughs: bool = True
    ) -> None:
        """Release bumps, each as a ring that a trough follows; all arrays have shape (m,).

        As on real water the trough takes back what the crest grows by as it spreads, so that the volume is constant.
        A neutral drop has a volume of 0: `taken_back` = 1. This is the rain drop of Qin and Zeng (§3.1.2), who send a
        negative ring after the positive one. Here it follows at a distance of little more than r, so in the beginning
        it lies around the bump and still runs towards the middle: no second bump springs up.

        Args:
            columns: middles of the drops [cells].
            rows: see `columns`.
            heights: of the bumps [m].
            taken_back: share of a drop's own volume that its trough takes back, 0–1.
            balance: factors of the troughs, for drops near land that hides more of one ring than of the other.
            troughs: whether the troughs are sent now; if not, `add_troughs` sends them.
        """
        behind = self.radius + 1.0
        rings = np.zeros((len(columns), 2, 6))
        rings[..., 0], rings[..., 1] = columns[:, None], rows[:, None]
        rings[:, 0, 2], rings[:, 1, 2] = heights, -balance * heights
        rings[:, 1, 3], rings[:, 1, 4], rings[:, 1, 5] = -behind, behind, 1.0 - taken_back
        sent = np.full((len(columns), 2), True)
        sent[:, 1] = self._followed(taken_back) if troughs else False
        self._add_rings(rings[sent])

    def add_troughs(
        self, columns: Array, rows: Array, heights: Array, taken_back: Array, balance: Array, lags: Array
    ) -> None:
        """Send the troughs of drops, each of which runs `lags` [cells] behind its crest; the rest as of `add_drops`."""
        zeros = np.zeros(len(columns))
        rings = np.stack((columns, rows, -balance * heights, zeros, lags, 1.0 - taken_back), axis=-1)
        self._add_rings(rings[self._followed(taken_back)])

    def _followed(self, taken_back: Array) -> NDArray[np.bool_]:
        """Whether a trough follows each drop: it takes back the drop's own volume, or what the crest grows by."""
        return (taken_back > 0.0) | self.conserves_energy

    def _add_rings(self, rings: Array) -> None:
        """Add rings of `RING` particles, shape (m, 6): see `kernels.rings.add_rings`."""
        from .kernels.rings import add_rings

        self._reserve(self.count + RING * len(rings))
        arguments = self.count, self.path, self._growth, RING_DIRECTIONS, rings
        self.count = add_rings(self.state, self.born, self.now, *arguments)

    def add_sphere(
        self,
        column: float,
        row: float,
        moved: tuple[float, float],
        most: float = math.inf,
        spread: float = 2.0 * math.pi / DIRECTIONS,
    ) -> float:
        """Add the fronts of a sphere that has moved in a step, in eight directions (Qin and Zeng, §3.2.3).

        The radius of the set is that of the sphere's section with the surface, where they start. Their amplitudes
        ½ û·(p − p_old) are crests before the sphere and troughs behind it, with a sum of 0; each is followed by its
        opposite, which takes back what it grows by.

        Fronts of a wider dispersion φ lie over each other. The sum of many a cos θ over their angles φ has the energy
        of fronts side by side times 16 sin²(φ/2)/(πφ), and no less here: with φ = π 1.62 times as much.

        Args:
            column: where it is now [cells].
            row: see `column`.
            moved: distance along x and z [m].
            most: largest energy [m²·cells²].
            spread: dispersion angle φ of each [rad]; π is that of the paper.

        Returns:
            The energy that they have.
        """
        angles = 2.0 * math.pi * np.arange(DIRECTIONS) / DIRECTIONS
        amplitudes = 0.5 * (moved[0] * np.cos(angles) + moved[1] * np.sin(angles))
        where = np.full(DIRECTIONS, column), np.full(DIRECTIONS, row)
        overlap = max(1.0, 16.0 * math.sin(0.5 * spread) ** 2 / (math.pi * spread))
        limit = most / overlap
        return overlap * self.add_limited(where, angles, amplitudes, spread, self.radius, limit, troughs=True)

    # --- motion

    def advance(
        self, step: float, decay: float, faintest: float, shore: Shore, most: int, bodies: Outlines = NO_BODIES
    ) -> None:
        """Move every particle by `step` [cells]; damp, split, reflect and remove them.

        Args:
            step: at most 1, or particles might jump over land.
            decay: factor of every amplitude, 0–1.
            faintest: particles of less strength and amplitude are removed [m].
            shore: of the grid that they run on.
            most: number of particles above which none splits.
            bodies: what floats there; no particle is inside one afterwards.
        """
        from .kernels.motion import advance

        self.path += step
        if self.count == 0:
            return
        # A particle that finds no room splits in the next step. Room depends on the count alone, not on the capacity.
        most = max(min(most, self.count + self.count // 2 + _CAPACITY), self.count)
        self._reserve(most)
        numbers = self.path, step, np.float32(decay), np.float32(faintest), self.radius
        growth = np.float32(self.subdivision * self.radius), self._growth
        arguments = *numbers, *growth, *BORDERS[self.border], shore.land, shore.normals, shore.has_land, *bodies
        self.count = advance(self.state, self.born, self.now, self.count, most, *arguments)

    def motion_at(
        self, column: NDArray[np.float64], row: NDArray[np.float64], shape: tuple[int, int]
    ) -> NDArray[np.float64]:
        """How the particles and their images at the borders move the water [m], to be multiplied by πv/r.

        Along their directions it is their height; upwards, how far the surface rises as their shape runs past.

        Args:
            column: of each place [cells], shape (m,).
            row: of each place [cells], shape (m,).
            shape: (nz, nx) of the grid.

        Returns:
            Along x, up and along z, shape (m, 3).
        """
        from .kernels.field import sum_motion

        out = np.zeros((len(column), 3))
        sum_motion(out, column, row, self._particles, self.count, self.radius, shape, *BORDERS[self.border])
        return out

    # --- particles as a whole

    def take(self, other: ParticleSet, chosen: NDArray[np.bool_]) -> None:
        """Add copies of the `chosen` particles, shape (other.count,), of another set of the same radius."""
        if self.count == 0:
            self.path = other.path
        new = slice(self.count, self.count + int(np.count_nonzero(chosen)))
        self._reserve(new.stop)
        for mine, others in zip(self._arrays, other._arrays, strict=True):
            mine[..., new] = others[..., : other.count][..., chosen]
        self.born[new] += self.path - other.path
        self.count = new.stop

    def drop_weakest(self, number: int) -> None:
        """Remove the `number` weakest particles, of equally weak ones the oldest."""
        from .kernels.motion import remove_weakest

        self.count = remove_weakest(self._particles, self.count, number)

    def saved(self) -> dict[str, Any]:
        """Everything that changes in time, for `loaded`."""
        state, born, now = (array[..., : self.count].copy() for array in self._arrays)
        return {"path": self.path, "state": state, "born": born, "now": now}

    @classmethod
    def loaded(cls, radius: float, saved: Mapping[str, Any]) -> ParticleSet:
        """The particles of `radius` [cells] that `saved` returned.

        Raises:
            KeyError, ValueError: it makes no sense.
        """
        particles = cls(radius)
        born = array_of(saved, "born", np.float64, (-1,))
        state, now = (
            array_of(saved, name, np.float32, (rows, len(born)), low=-_FARTHEST, high=_FARTHEST)
            for name, rows in (("state", _STATE_ROWS), ("now", _NOW_ROWS))
        )
        path, arrays, n = entry_of(saved, "path", float), (state, born, now), len(born)
        check_within(path - born, -_FARTHEST, _FARTHEST, "distances")
        check_within(state[_SPREAD], 0.0, _WIDEST_SPREAD, "dispersion angles")
        if not (np.abs(np.square(state[2:4]).sum(axis=0) - 1.0) < 1e-3).all():
            raise ValueError("particles that run in no direction")
        particles._reserve(n)
        for mine, array in zip(particles._arrays, arrays, strict=True):
            mine[..., :n] = array
        particles.path, particles.count = path, n
        return particles

    # --- inside

    @property
    def _arrays(self) -> tuple[NDArray[Any], ...]:
        return self.state, self.born, self.now

    @property
    def _particles(self) -> Particles:
        from .kernels.reflection import Particles

        return Particles(self.state, self.born, self.now)

    @property
    def _growth(self) -> np.float32:
        return np.float32(1.0 / self.radius if self.conserves_energy else 0.0)

    def _reserve(self, number: int) -> None:
        capacity = self.state.shape[1]
        if number > capacity:
            more = (0, max(number, 2 * capacity) - capacity)
            self.state, self.now = np.pad(self.state, ((0, 0), more)), np.pad(self.now, ((0, 0), more))
            self.born = np.pad(self.born, more)
