"""Slow, plain versions of the wave step in float64, written from the equations. Tests compare kernels with them.

Stencils and borders come from what `STENCILS` and `BORDER_KINDS` declare, so a new one needs no line here. A kind of
border whose waves are none of those in `mode` does.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from waterview.waters.common.borders import BORDER_KINDS
from waterview.waters.wave.step import STENCILS

Field = NDArray[np.float64]


def with_ghosts(h: Field, border: str) -> Field:
    """`h` with a ghost point beyond each point at the edge, w·h or the opposite edge; corners follow from both.

    Raises:
        ValueError: the kind has a memory, so heights alone do not say what lies outside.
    """
    kind = BORDER_KINDS[border]
    if kind.memory != "none":
        raise ValueError(f"no ghost points known for border {border}")
    around = np.pad(h, 1, mode="wrap" if kind.wraps else "edge")
    if not kind.wraps:
        for edge in (np.s_[0], np.s_[-1], np.s_[:, 0], np.s_[:, -1]):
            around[edge] *= kind.weight
    return around


def laplacian(h: Field, stencil: str, border: str) -> Field:
    """L(h) from the corners' weight and the number of Laplacians that `STENCILS` declares (see `Stencil`)."""
    corner, laplacians = STENCILS[stencil].corner, STENCILS[stencil].laplacians
    around = with_ghosts(h, border)
    sides = around[1:-1, 2:] + around[1:-1, :-2] + around[2:, 1:-1] + around[:-2, 1:-1]
    corners = around[:-2, 2:] + around[2:, :-2] + around[2:, 2:] + around[:-2, :-2]
    return laplacians * ((1.0 - 2.0 * corner) * sides + corner * corners - (4.0 - 4.0 * corner) * h)


def wave_step(
    h: Field, before: Field, fixed: NDArray[np.bool_], stencil: str, border: str, damping: float, courant: float
) -> Field:
    """h⁺ of Bressler 2007, eq. (2), with 0 at fixed points."""
    after = h + (1.0 - damping) * (h - before) + courant**2 * laplacian(h, stencil, border)
    return np.where(fixed, 0.0, after)


def wave_run(
    h: Field,
    before: Field,
    fixed: NDArray[np.bool_],
    stencil: str,
    border: str,
    damping: float,
    courant: float,
    steps: int,
) -> Field:
    """h after `steps` of `wave_step`."""
    for _ in range(steps):
        h, before = wave_step(h, before, fixed, stencil, border, damping, courant), h
    return h


def velocity_run(
    u: Field,
    v: Field,
    fixed: NDArray[np.bool_],
    stencil: str,
    border: str,
    keep: float,
    speed: float,
    time_step: float,
    steps: int,
) -> tuple[Field, Field]:
    """u and v after steps v ← keep·(v + c²L(u)/Δx²·Δt), u ← u + vΔt (Müller 2008) at c/Δx = `speed`."""
    for _ in range(steps):
        v = np.where(fixed, 0.0, keep * (v + speed**2 * laplacian(u, stencil, border) * time_step))
        u = np.where(fixed, 0.0, u + v * time_step)
    return u, v


def mode(shape: tuple[int, int], p: int, q: int, border: str) -> tuple[Field, float, float]:
    """A wave that the step only scales, p half waves along x and q along z, and its angles a point along x and z.

    Under the zero border p and q count from 1 and the zeros lie half a wave apart from one point outside the grid to
    the other; under one that inverts (weight −1) they lie half a point outside. Under the reflecting border p and q
    count from 0 and the crests lie half a point outside. Under the wrapping border they count whole waves.

    Raises:
        ValueError: no such wave is known for the border.
    """
    nz, nx = shape
    kind = BORDER_KINDS[border]
    if kind.memory != "none" or (not kind.wraps and kind.weight not in (-1.0, 0.0, 1.0)):
        raise ValueError(f"no mode known for border {border}")
    if kind.wraps:
        tx, tz = 2.0 * np.pi * p / nx, 2.0 * np.pi * q / nz
        along_x, along_z = np.cos(tx * np.arange(nx) + 0.3), np.cos(tz * np.arange(nz))
    elif kind.weight == 0.0:
        tx, tz = np.pi * p / (nx + 1), np.pi * q / (nz + 1)
        along_x, along_z = np.sin(tx * (np.arange(nx) + 1)), np.sin(tz * (np.arange(nz) + 1))
    else:
        wave = np.cos if kind.weight == 1.0 else np.sin
        tx, tz = np.pi * p / nx, np.pi * q / nz
        along_x, along_z = wave(tx * (np.arange(nx) + 0.5)), wave(tz * (np.arange(nz) + 0.5))
    return along_z[:, None] * along_x[None, :], tx, tz


def symbol(stencil: str, tx: float, tz: float) -> float:
    """S of −L(h) = S·h on a wave of angles tx and tz a point."""
    corner, laplacians = STENCILS[stencil].corner, STENCILS[stencil].laplacians
    sides, corners = 4.0 - 2.0 * np.cos(tx) - 2.0 * np.cos(tz), 4.0 - 4.0 * np.cos(tx) * np.cos(tz)
    return float(laplacians * ((1.0 - 2.0 * corner) * sides + corner * corners))


def amplitude(s: float, damping: float, courant: float, steps: int) -> float:
    """What a wave of symbol `s` and height 1, released from rest, has become after `steps`.

    It is αz₁ⁿ + βz₂ⁿ with the roots of z² − (2 − κ − λ²S)z + (1 − κ) = 0, and 1 at n = 0 and at n = −1.
    """
    z1, z2 = np.roots([1.0, -(2.0 - damping - courant**2 * s), 1.0 - damping]).astype(complex)
    alpha = (1.0 - 1.0 / z2) / (1.0 / z1 - 1.0 / z2)
    return float((alpha * z1**steps + (1.0 - alpha) * z2**steps).real)


def slopes(h: Field, spacing: float) -> Field:
    """(−∂h/∂x, −∂h/∂z), central inside and one-sided at the edges, shape (nz, nx, 2)."""
    along_z, along_x = np.gradient(h, spacing)
    return np.stack((-along_x, -along_z), axis=-1)
