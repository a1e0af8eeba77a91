"""The parameters of `wave_particles`."""

from __future__ import annotations

from dataclasses import dataclass

from waterview.core.params import param
from waterview.waters.common.water import WaterParams
from waterview.waters.common.wave_params import damping_param, wave_speed_param

from .obstacles import BORDERS
from .wave_field import KERNELS


@dataclass(frozen=True, kw_only=True)
class WaveParticleParams(WaterParams):
    """The parameters of `WaveParticleWater`."""

    wave_speed: float = wave_speed_param()
    damping: float = damping_param(
        0.15, "How fast waves lose height; it rises when there are more particles than `most_particles`."
    )
    border: str = param(
        "zero",
        choices=tuple(BORDERS),
        doc="What is beyond the grid's ends: still water, which reflects waves upside down, a wall, or open water.",
    )
    most_particles: int = param(
        200_000,
        low=1000,
        high=4_000_000,
        step=1.25,
        scale="log",
        doc="Number of wave particles above which damping rises; there are never more than twice as many.",
    )
    kernel: str = param(
        "separable",
        choices=KERNELS,
        doc="Shape of a wave particle: a product of two cosines, which is fast, or radial, by Fourier transform.",
    )
    spreading: str = param(
        "energy",
        choices=("energy", "amplitude"),
        doc="What a spreading ring conserves: energy, or the sum of its particles' amplitudes (it then fades sooner).",
    )
    dispersion: bool = param(
        False,
        doc="Let long waves run faster than short ones, as on deep water; the usual drop's keep the wave speed.",
    )
    subdivision: float = param(
        0.5,
        low=0.05,
        high=2.0,
        step=1.25,
        scale="log",
        doc="Longest piece of a front that one particle stands for, in its radii; longer ones split into three.",
    )
    death_threshold: float = param(
        1e-4,
        low=0.0,
        high=0.1,
        step=1.5,
        scale="log",
        smallest=1e-7,
        doc="Particles lower than this share of their radius are removed; 0 keeps them all.",
    )
    trough_delay: float = param(
        0.0,
        unit="s",
        low=0.0,
        high=10.0,
        step=1.5,
        scale="log",
        smallest=0.01,
        doc="Time after which a drop's second ring, a trough, starts at its middle; 0: at once, around the drop.",
    )
    sphere_dispersion: float = param(
        45.0,
        unit="°",
        low=45.0,
        high=180.0,
        step=45.0,
        doc="Angle of each of a sphere's eight fronts: 45 makes one closed ring, 180 is that of Qin and Zeng.",
    )
    choppiness: float = param(
        1.0,
        low=0.0,
        high=2.0,
        step=0.1,
        doc="Sideways shift that sharpens crests; 1 is that of Yuksel et al.",
    )
