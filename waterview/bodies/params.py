"""The parameters of floating bodies."""

from __future__ import annotations

from dataclasses import dataclass

from waterview.core.params import Params, param


@dataclass(frozen=True, kw_only=True)
class BodyParams(Params):
    """What may be chosen about all bodies together; each has a field of its name in `kernels.records.ENVIRONMENT`."""

    displacement: float = param(
        0.5,
        low=0.0,
        high=1.0,
        step=0.1,
        doc="Share of the water that a moving body displaces which lifts the surface; 0 leaves the water alone.",
    )
    drag: float = param(0.5, low=0.0, high=5.0, step=0.1, doc="Drag coefficient of every wet face.")
    lift: float = param(0.3, low=0.0, high=5.0, step=0.1, doc="Lift coefficient of every wet face.")
    skin_friction: float = param(
        0.02, low=0.0, high=1.0, step=0.01, doc="Friction coefficient of water that slides along a face."
    )
    added_mass: float = param(
        0.5, low=0.0, high=2.0, step=0.1, doc="Mass of water that moves with a body, as a share of what it displaces."
    )
    settling: float = param(
        1.0,
        unit="1/s",
        low=0.0,
        high=20.0,
        step=0.2,
        doc="How fast bobbing and rolling die away, for the small waves that no grid shows.",
    )
    wave_push: float = param(
        0.0,
        unit="1/(m s)",
        low=-1000.0,
        high=1000.0,
        step=5.0,
        doc="Extra sideways push where the water rises unevenly; 0 leaves only the pressure of the waves.",
    )
    bounce: float = param(0.3, low=0.0, high=1.0, step=0.1, doc="Share of its speed with which a body bounces back.")
    friction: float = param(0.4, low=0.0, high=2.0, step=0.1, doc="Friction between bodies, ground and walls.")
    water_density: float = param(
        1000.0, unit="kg/m³", low=1.0, high=20_000.0, step=1.1, scale="log", doc="Density of the water."
    )
    gravity: float = param(9.81, unit="m/s²", low=0.0, high=100.0, step=0.5, doc="Gravity that bodies feel.")
