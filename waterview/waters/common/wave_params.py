"""Parameters that several models have, declared once: keys and ranges are the same in all of them."""

from __future__ import annotations

from typing import Any

from waterview.core.params import param


def steps_param(default: float = 120.0, doc: str = "more steps are more accurate and allow faster waves") -> Any:
    """The number of fixed time steps per second [1/s]."""
    return param(
        default,
        unit="1/s",
        low=1.0,
        high=10_000.0,
        step=1.25,
        scale="log",
        doc=f"Fixed time steps per second of simulated time; {doc}.",
    )


def wave_speed_param(doc: str = "Speed of waves; 0 stops them.") -> Any:
    """The wave speed c [m/s], on the keys up and down."""
    return param(
        20.0,
        unit="m/s",
        low=0.0,
        high=100_000.0,
        step=1.25,
        scale="log",
        smallest=0.01,
        keys=("down", "up"),
        doc=doc,
    )


_FADING = "How fast waves lose energy: half of it in 0.69/damping seconds; at 0 they never do."


def damping_param(default: float, doc: str = _FADING) -> Any:
    """The damping k [1/s], on the keys left and right."""
    return param(
        default,
        unit="1/s",
        low=0.0,
        high=1000.0,
        step=1.25,
        scale="log",
        smallest=0.001,
        keys=("left", "right"),
        doc=doc,
    )


def keep_volume_param() -> Any:
    """Whether closed basins keep their volume (`waterview.waters.common.volume`)."""
    return param(
        True, doc="Keep the volume of closed basins: what rounding, a push or a clamped spike changes is compensated."
    )
