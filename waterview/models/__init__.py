"""Water models, one file each; MODELS maps their names to their classes.

Importing this does not import numba: the kernels' wrappers wait with that until the first step.
"""

from .base import Water
from .dual_buffer import DualBufferWater
from .height_field import HeightFieldWater
from .layered import LayeredWater
from .ocean import OceanWater
from .wave_equation import WaveEquationWater
from .wave_particles import WaveParticleWater

MODELS: dict[str, type[Water]] = {
    model.name: model
    for model in (
        WaveEquationWater,
        DualBufferWater,
        HeightFieldWater,
        WaveParticleWater,
        OceanWater,
        LayeredWater,
    )
}
"""Every model by the name that users call it."""

__all__ = [
    "MODELS",
    "DualBufferWater",
    "HeightFieldWater",
    "LayeredWater",
    "OceanWater",
    "Water",
    "WaveEquationWater",
    "WaveParticleWater",
]
