"""The frame: what a water publishes and everyone else reads."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, Protocol, Self

import numpy as np
from numpy.typing import NDArray

from .body import BodyState, freeze
from .diagnostics import FieldMap, Totals
from .gauges import GaugeSeries
from .georeference import LOCAL, Georeference
from .grid import Grid
from .params import Params
from .playback import PlaybackState


@dataclass(frozen=True, eq=False)
class DetailMap:
    """Slopes of fine waves, a seamless tile that is added to those of the surface.

    Attributes:
        slopes: as `Frame.normals`, shape (n, n, 2) float16, read-only; row i and column j lie at world
            z = i·size/n, x = j·size/n, and again after every `size`.
        size: side of the tile [m].
    """

    slopes: NDArray[np.float16]
    size: float

    def __post_init__(self) -> None:
        self.slopes.setflags(write=False)


@dataclass(frozen=True, eq=False)
class WavePatch:
    """Waves that repeat after the side of a patch, by their wave vectors; m = n/2 + 1.

    Their Fourier transform is h̃ = (p cos ωt + q sin ωt) + i(u cos ωt + v sin ωt), and their height at world x, z the
    sum of h̃ e^{i(kx·x + kz·z)}, with x and z from the grid's lowest, over all kx, of which those below 0 are left out
    as in numpy.fft.irfft2.

    Attributes:
        terms: p, q, u, v [m], shape (4, n, m) float32.
        frequency: ω [rad/s], shape (n, m) float64.
        kx: wave numbers of the columns [rad/m], shape (m,).
        kz: of the rows [rad/m], shape (n,), in the order of numpy.fft.fftfreq.
    """

    terms: NDArray[np.float32]
    frequency: NDArray[np.float64]
    kx: NDArray[np.floating]
    kz: NDArray[np.floating]

    @property
    def size(self) -> tuple[float, float]:
        """Length along x and z after which it repeats [m]."""
        return 2.0 * np.pi / float(self.kx[1]), 2.0 * np.pi / float(self.kz[1])

    @cached_property
    def steepness(self) -> float:
        """Mean square of the slopes over all time, without choppiness; a column with kx > 0 counts for −kx, too."""
        square = self.kx[None, :] ** 2 + self.kz[:, None] ** 2
        return float((np.square(self.terms).sum(axis=0) * np.where(self.kx > 0.0, 1.0, 0.5) * square).sum())


@dataclass(frozen=True, eq=False)
class OpenSea:
    """What a model knows of the sea beyond its sides; the same object from frame to frame while that is the same.

    Attributes:
        patches: periodic waves whose sum is the sea, longest first.
        choppiness: factor of the points' sideways shift Σ i(k/|k|) h̃ e^{ik·x}.
        roughness: mean square of the slopes of waves too short for the grid.
        scale: metres of the scene for one metre of sea.
        wind: direction that it blows to, from the x axis towards the z axis [rad].
        wind_speed: ten metres above the sea [m/s]; 0 where it is not known.
    """

    patches: tuple[WavePatch, ...]
    choppiness: float
    roughness: float
    scale: float
    wind: float
    wind_speed: float


@dataclass(frozen=True, eq=False)
class LandDetail:
    """Land that is finer than the grid, for the picture alone: points at even distances, corner to corner of the grid.

    Attributes:
        offset: height above the grid's ground without walls, where that is interpolated linearly [m], shape (n, m)
            float32.
        flow: logarithm to base ten of how many points drain through each, in fifths, shape (n, m) float32.
    """

    offset: NDArray[np.float32]
    flow: NDArray[np.float32]

    def __post_init__(self) -> None:
        self.offset.setflags(write=False)
        self.flow.setflags(write=False)


def linear(field: NDArray[np.float32], shape: tuple[int, int]) -> NDArray[np.float32]:
    """A field at so many points over the same area, corner to corner, linearly interpolated."""
    for count in shape:
        places = np.linspace(0.0, len(field) - 1.0, count)
        low = np.minimum(places.astype(np.intp), len(field) - 2)
        share = (places - low).astype(np.float32)[:, None]
        field = ((np.float32(1.0) - share) * field[low] + share * field[low + 1]).T
    return field


class Land(Protocol):
    """Land that is grown when its detail is first asked for; the same object from frame to frame."""

    @property
    def detail(self) -> LandDetail:
        """Heights and flow, finer than the grid."""
        ...


@dataclass(frozen=True, eq=False)
class Changes:
    """When each tile of a surface last changed, so that who has an earlier one need copy only what has changed since.

    Attributes:
        source: who counts; the counts of two sources have nothing to do with each other.
        count: how many surfaces it had published, with this one.
        tiles: the count at which each tile last changed, shape (m, n) int64.
        tile: rows and columns of points of a tile; those at the end may be smaller.
        heights: of the surface that this is true of.
    """

    source: object
    count: int
    tiles: NDArray[np.int64]
    tile: tuple[int, int]
    heights: NDArray[np.float32]

    def since(self, earlier: Changes | None) -> NDArray[np.bool_] | None:
        """The tiles that have changed since, shape (m, n); None if it is not known."""
        if earlier is None or earlier.source is not self.source or earlier.count > self.count:
            return None
        return self.tiles > earlier.count


@dataclass(frozen=True, eq=False)
class Frame:
    """One moment of a water surface; every array is read-only, so a frame may be kept and shared between threads.

    `bed` and `fixed` are the same objects from frame to frame until terrain or water level change: compare with `is`.

    Attributes:
        serial: rises with every published frame.
        time: simulated time [s].
        grid: where the points lie; `grid.level` is still water [m].
        heights: height above still water [m], shape (nz, nx) float32.
        normals: slopes (−∂h/∂x, −∂h/∂z), shape (nz, nx, 2) float16; the unit normal is (x, 1, z) normalised.
        bed: world height of the ground [m], shape (nz, nx) float32.
        fixed: points that stay dry, shape (nz, nx) bool.
        params: the parameters as requested.
        effective: values that the solver used, by name. They differ from `params` where those are not stable; models
            add figures such as the Courant number "courant".
        shift: sideways displacement (x, z) [m], shape (nz, nx, 2) float16 or float32, or None; for choppy water.
        foam: share of the surface covered with foam, in 255ths, shape (nz, nx) uint8, or None; float32 from 0 to 1 is
            drawn as well.
        detail: finer waves laid over the surface, or None.
        bodies: the floating bodies.
        field_map: the map that was asked for, or None.
        at_rest: whether nothing moves but what the renderer adds: ripples, short waves at beaches and glints.
        totals: mean level and energy, at most a second old.
        world_params: parameters of bodies, detail, gauges and fields over the run, by owner, also while there are none.
        gauges: what gauges have measured so far.
        place: coordinates of the terrain's file by world x and z [m].
        velocity: horizontal velocity along x and along z, averaged over the depth [m/s], shape (2, nz, nx) float32, or
            None; only frames that numbers are written of have it.
        maxima: fields over the run by name; only those frames have them, too.
        playback: what of a recording it shows, or None.
        incoming: sines of the sea beyond the sides by which waves come in, shape (n, 4) float32, or None: with columns
            kx, kz [rad/m], a [m] and φ [rad] its surface is Σ a cos(kx·x + kz·z + φ) at world x, z.
        around: the same moment on a larger and coarser grid, which is drawn where this one ends, or None.
        prepared: what the renderer needs of the ground, worked out beforehand by who made the frame
            (`render.prepared_ground`), or None.
        changes: which tiles of heights and normals have changed since earlier frames, or None if it is not known.
        sea: the sea beyond the sides, as far as the model knows it, or None.
        sea_gain: factor of its waves now.
        drape: an aerial picture over the land, from corner to corner of the grid: sRGB colours and how opaque they are,
            shape (n, m, 4) uint8, northernmost row first; or None.
        land: finer land for the picture, or None.
    """

    serial: int
    time: float
    grid: Grid
    heights: NDArray[np.float32]
    normals: NDArray[np.float16]
    bed: NDArray[np.float32]
    fixed: NDArray[np.bool_]
    params: Params
    effective: Mapping[str, float] = field(default_factory=dict)
    shift: NDArray[np.floating] | None = None
    foam: NDArray[np.uint8] | NDArray[np.float32] | None = None
    detail: DetailMap | None = None
    bodies: tuple[BodyState, ...] = ()
    field_map: FieldMap | None = None
    totals: Totals | None = None
    at_rest: bool = False
    world_params: Mapping[str, Params] = field(default_factory=dict)
    gauges: tuple[GaugeSeries, ...] = ()
    place: Georeference = LOCAL
    velocity: NDArray[np.float32] | None = None
    maxima: Mapping[str, FieldMap] = field(default_factory=dict)
    playback: PlaybackState | None = None
    incoming: NDArray[np.float32] | None = None
    around: Frame | None = None
    prepared: Any = None
    changes: Changes | None = None
    sea: OpenSea | None = None
    sea_gain: float = 1.0
    drape: NDArray[np.uint8] | None = None
    land: Land | None = None

    def __post_init__(self) -> None:
        freeze(self)

    def changed(self, **parts: Any) -> Self:
        """A copy with some parts replaced."""
        return replace(self, **parts)
