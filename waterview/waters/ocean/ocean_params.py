"""The parameters of the ocean."""

from __future__ import annotations

from dataclasses import dataclass

from waterview.core.errors import ParameterError
from waterview.core.params import param
from waterview.waters.common.water import WaterParams
from waterview.waters.common.wave_params import steps_param

from .spectra import GROWTHS, SPECTRA, SPREADINGS

SMALLEST_SEA = 1e-3
"""Smallest sea that the water represents [m]; as a scale model of less, its numbers would leave their range."""


@dataclass(frozen=True, kw_only=True)
class OceanParams(WaterParams):
    """The parameters of `OceanWater`; lengths are metres of sea, see `sea_size`."""

    steps_per_second: float = steps_param(60.0, doc="the sea is exact at any number")
    wind_speed: float = param(
        10.0,
        unit="m/s",
        low=0.0,
        high=60.0,
        step=1.0,
        keys=("ctrl+down", "ctrl+up"),
        doc="Wind 10 m above the water; below 0.1 the sea is flat.",
    )
    wind_direction: float = param(
        30.0,
        unit="°",
        low=-360.0,
        high=360.0,
        step=15.0,
        keys=("ctrl+left", "ctrl+right"),
        doc="Where the wind blows to, from the x axis towards the z axis.",
    )
    choppiness: float = param(
        1.0,
        low=0.0,
        high=2.0,
        step=0.1,
        keys=("ctrl+[", "ctrl+]"),
        doc="How sharp crests are: 0 for round ones, 1 for those of real waves; above 1 they may fold over.",
    )
    fetch: float = param(
        100_000.0,
        unit="m",
        low=1.0,
        high=1e7,
        step=1.5,
        scale="log",
        doc="How far the wind has blown over water: more makes longer and higher waves, up to a limit.",
    )
    depth: float = param(
        200.0,
        unit="m",
        low=0.01,
        high=11_000.0,
        step=1.5,
        scale="log",
        doc="Depth of the sea for its waves: it slows long ones, and limits their height with the tma spectrum.",
    )
    spectrum: str = param(
        "jonswap",
        choices=(*SPECTRA, "gerstner"),
        doc="Which waves a wind raises; gerstner is a sum of few, of a jonswap sea's height and lengths.",
    )
    gerstner_waves: int = param(
        8, low=1, high=64, step=1.5, scale="log", doc="Number of waves that the spectrum gerstner sums up."
    )
    growth: str = param(
        "measured",
        choices=GROWTHS,
        doc="Whether the peak of a jonswap or tma sea flattens as it grows up, as at sea; a constant peak is too high.",
    )
    spreading: str = param("hasselmann", choices=SPREADINGS, doc="How far directions spread about the wind's.")
    swell: float = param(0.0, low=0.0, high=1.0, step=0.1, doc="Share of swell, long crests of one direction.")
    upwind: float = param(1.0, low=0.0, high=1.0, step=0.1, doc="Share of the waves against the wind that remains.")
    smallest: float = param(
        0.0,
        unit="m",
        low=0.0,
        high=1000.0,
        step=1.5,
        scale="log",
        smallest=0.01,
        doc="Removes waves much shorter than six times this length.",
    )
    sea_size: float = param(
        1000.0,
        unit="m",
        low=0.0,
        high=1e7,
        step=1.5,
        scale="log",
        smallest=1.0,
        doc="Length of sea that the longer side of the water represents: it is a scale model; 0 for its true size.",
    )
    cascades: int = param(2, low=1, high=3, step=1, doc="Number of periodic patches whose sum is the sea.")
    loop_period: float = param(
        0.0, unit="s", low=0.0, high=3600.0, step=1.0, doc="Time after which the sea repeats exactly; 0 for never."
    )
    seed: int = param(0, low=0, high=2**31 - 1, step=1, doc="Random seed: the same seed gives the same sea.")
    foam: float = param(
        0.75,
        low=0.0,
        high=1.0,
        step=0.05,
        doc="Threshold of foam: it appears where the surface is squeezed to less than this; 0: none.",
    )
    foam_life: float = param(
        4.0, unit="s", low=0.01, high=600.0, step=1.25, scale="log", doc="Time in which foam decays to a third."
    )
    shore: float = param(
        1.0, low=0.0, high=20.0, step=0.25, doc="Waves fade where it is shallower than this many wave heights."
    )

    def __post_init__(self) -> None:
        super().__post_init__()
        if 0.0 < self.sea_size < SMALLEST_SEA:
            raise ParameterError(
                f"sea size {self.sea_size:g} m: allowed are 0 and {SMALLEST_SEA:g} to 1e+07 m; choose one of them"
            )
