"""How much of a wave each kind of border returns, by angle and wavelength.

Run it as `python benchmarks/reflection.py`. A packet of plane waves runs into the border in the east; rows go on at
their other end, so that it is as wide as it likes. The shares are of its energy; their square roots are those of its
height. A packet consists of waves of a tenth more and less than its wavelength and its angle.
"""

from __future__ import annotations

import argparse
import math

import numpy as np
from numpy.typing import NDArray
from rich.console import Console
from rich.table import Table

from waterview.simd.layout import TwoLevels
from waterview.waters.common.borders import BORDER_KINDS, Sides
from waterview.waters.wave.domain import Domain
from waterview.waters.wave.step import STENCILS, advance

WAVELENGTHS = (8.0, 16.0, 32.0, 64.0)
ANGLES = (0.0, 30.0, 45.0, 60.0)
LENGTH = 7.0
"""Length of the domain, in widths of the packet's bell curve: it begins in the middle, with nothing at the ends."""


def whole_waves(wavelength: float, angle: float) -> tuple[int, int]:
    """How many waves lie on how many rows, for their number to be whole and the angle [°] close to what is asked."""
    wanted = math.sin(math.radians(angle)) / wavelength
    if wanted == 0.0:
        return 0, 2
    choices = [(waves, round(waves / wanted)) for waves in range(1, 6)]
    return min(choices, key=lambda choice: (round(abs(choice[0] / choice[1] / wanted - 1.0), 2), choice[1]))


def packet(wavelength: float, angle: float, stencil: str, courant: float) -> tuple[TwoLevels, int]:
    """A packet that runs to the east, and the number of steps until what comes back is where it began.

    Args:
        wavelength: its wavelength [cells].
        angle: between its direction and the border's normal [°].
        stencil: a key of `STENCILS`.
        courant: the Courant number.
    """
    waves, rows = whole_waves(wavelength, angle)
    kz = 2.0 * np.pi * waves / rows
    kx = math.sqrt((2.0 * np.pi / wavelength) ** 2 - kz**2)
    width = 1.5 * wavelength * (2.0 * np.pi / wavelength) / kx
    columns = math.ceil(LENGTH * width)
    x, z = np.arange(columns), np.arange(rows)[:, None]
    now = np.exp(-(((x - columns / 2) / width) ** 2) + 1j * kx * x)
    # Exactly the same packet a step earlier: each of its waves turned back by its own ωΔt.
    turn = omega(2.0 * np.pi * np.fft.fftfreq(columns), kz, stencil, courant)
    before = np.fft.ifft(np.fft.fft(now) * np.exp(1j * turn))
    field = TwoLevels((rows, columns))
    field.heights[...] = (now * np.exp(1j * kz * z)).real
    field.heights_before[...] = (before * np.exp(1j * kz * z)).real
    near = omega(np.array([kx - 1e-4, kx + 1e-4]), kz, stencil, courant)
    return field, round(columns / ((near[1] - near[0]) / 2e-4))


def omega(kx: NDArray[np.float64], kz: float, stencil: str, courant: float) -> NDArray[np.float64]:
    """ωΔt of the undamped step on waves of kx and kz [rad/cell], with the sign of kx: from 2 − 2 cos ωΔt = λ²S."""
    sx, sz = 2.0 - 2.0 * np.cos(kx), 2.0 - 2.0 * math.cos(kz)
    symbol = STENCILS[stencil].laplacians * (sx + sz - STENCILS[stencil].corner * sx * sz)
    return np.asarray(np.copysign(np.arccos(1.0 - 0.5 * courant**2 * symbol), kx))


def returned(kind: str, wavelength: float, angle: float, stencil: str = "isotropic", courant: float = 0.5) -> float:
    """The share of a packet's energy that a border of `kind` returns.

    Args:
        kind: one of `BORDER_KINDS` other than "wrapping".
        wavelength: of the packet [cells].
        angle: at which it meets the border, from its normal [°].
        stencil: a key of `STENCILS`.
        courant: the Courant number.
    """
    field, steps = packet(wavelength, angle, stencil, courant)
    energy = float(np.square(field.heights, dtype=np.float64).sum())
    domain = Domain(np.zeros(field.shape, bool), Sides("wrapping", kind, "wrapping", "zero"))
    advance(field, domain, stencil=stencil, damping=0.0, courant=courant, steps=steps)
    return float(np.square(field.heights, dtype=np.float64).sum()) / energy


def main() -> None:
    """Measure the kinds asked for and print a table for each."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    kinds = [kind for kind in BORDER_KINDS if kind != "wrapping"]
    parser.add_argument("--kinds", nargs="+", choices=kinds, default=kinds)
    parser.add_argument("--stencil", choices=list(STENCILS), default="isotropic")
    parser.add_argument("--courant", type=float, default=0.5)
    options = parser.parse_args()
    for kind in options.kinds:
        table = Table(title=f"{kind}: energy returned, {options.stencil} stencil, Courant number {options.courant}")
        for heading in ("angle", *(f"{wavelength:g} cells" for wavelength in WAVELENGTHS)):
            table.add_column(heading, justify="right")
        for angle in ANGLES:
            shares = [returned(kind, each, angle, options.stencil, options.courant) for each in WAVELENGTHS]
            table.add_row(f"{angle:g}°", *(f"{100.0 * share:.4g} %" for share in shares))
        Console().print(table)


if __name__ == "__main__":
    main()
