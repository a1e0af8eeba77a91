"""Water models, one folder for each family. To add one: write its file, enter its class here, write its page of docs.

Importing this does not import numba; models import their kernels when they first need them.
"""

from collections.abc import Callable, Mapping

from waterview.core.errors import ParameterError
from waterview.waters.common.water import Water
from waterview.waters.ocean.airy import AiryWater
from waterview.waters.ocean.ocean import OceanWater
from waterview.waters.particles.wave_particles import WaveParticleWater
from waterview.waters.shallow.shallow_water import ShallowWater
from waterview.waters.wave.dual_buffer import DualBufferWater
from waterview.waters.wave.height_field import HeightFieldWater
from waterview.waters.wave.wave_equation import WaveEquationWater

from .layered import LayeredWater

MODELS: dict[str, type[Water]] = {
    model.name: model
    for model in (
        WaveEquationWater,
        DualBufferWater,
        HeightFieldWater,
        WaveParticleWater,
        ShallowWater,
        AiryWater,
        OceanWater,
        LayeredWater,
    )
}
"""Every model by the name that users call it."""

Models = Mapping[str, Callable[..., Water]]
"""What makes waters, by the names of `MODELS`; called like a `Water`."""


def maker(models: Models, name: str) -> Callable[..., Water]:
    """What makes the model called `name`.

    Raises:
        KeyError: there is no such model.
        ParameterError: it is one of `MODELS`, but not of `models`.
    """
    if name in MODELS and name not in models:
        raise ParameterError(
            f"the {name} model cannot be had from the graphics card's solver: it knows {', '.join(models)}; "
            "choose one of them or --solver cpu"
        )
    return models[name]


__all__ = [
    "MODELS",
    "AiryWater",
    "DualBufferWater",
    "HeightFieldWater",
    "LayeredWater",
    "Models",
    "OceanWater",
    "ShallowWater",
    "Water",
    "WaveEquationWater",
    "WaveParticleWater",
    "maker",
]
