"""The parameters of `shallow_water`."""

from __future__ import annotations

from dataclasses import dataclass

from waterview.core.errors import ParameterError
from waterview.core.params import param
from waterview.waters.common.wave_params import damping_param, keep_volume_param, wave_speed_param
from waterview.waters.common.wavemaker import TidalParams

BORDERS = ("zero", "reflecting", "open")
"""What waves meet at the ends of the grid: the level of still water, which throws them back upside down; a wall; or a
sea at rest, into which they leave."""

SCHEMES = ("kurganov-petrova", "boussinesq", "kass-miller")
"""Non-linear waves that run up the beach; the same with dispersion, for waves that are not long; or the implicit ones
of Kass and Miller, whose shores stay where they are."""


@dataclass(frozen=True, kw_only=True)
class ShallowWaterParams(TidalParams):
    """The parameters of `ShallowWater`."""

    scheme: str = param(
        "kurganov-petrova",
        choices=SCHEMES,
        doc="How water moves: with run-up on the beach, with dispersion too, or implicitly and with shores that stay.",
    )
    wave_speed: float = wave_speed_param(
        "How fast long waves run over the mean depth; gravity follows from it. 0 holds them where they are."
    )
    gravity: float = param(
        0.0,
        unit="m/s²",
        low=0.0,
        high=1e6,
        step=1.25,
        scale="log",
        smallest=0.01,
        doc="Gravity, 9.81 on Earth; 0 takes as much as gives the wave speed.",
    )
    damping: float = damping_param(0.1)
    friction: float = param(
        0.003,
        low=0.0,
        high=1.0,
        step=1.25,
        scale="log",
        smallest=1e-4,
        doc="Drag of the ground on the water above it, c in c|u|u; 0.003 is smooth sand. Only with run-up.",
    )
    dissipation: float = param(
        0.1,
        low=0.0,
        high=1.0,
        step=0.1,
        doc="Loss of short waves in the Kass-Miller scheme: 1 is theirs, 0 none.",
    )
    border: str = param(
        "open",
        choices=BORDERS,
        doc="What waves meet at the grid's ends: still water that throws them back upside down, a wall, or open water.",
    )
    keep_volume: bool = keep_volume_param()

    def __post_init__(self) -> None:
        """As every wavemaker's parameters.

        Raises:
            ParameterError: the scheme has no sides by which waves could come in.
        """
        super().__post_init__()
        if self.has_driven_sides and self.scheme == "kass-miller":
            others = ", ".join(scheme for scheme in SCHEMES if scheme != self.scheme)
            raise ParameterError(f"waves and tides cannot come in with the scheme kass-miller: choose {others} first")
