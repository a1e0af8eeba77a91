"""Water models, one file each; MODELS maps their names to their classes.

Importing this does not import numba: the kernels' wrappers wait with that until the first step.
"""

import inspect
from collections.abc import Callable, Mapping

from waterview.core.errors import ParameterError
from waterview.waters.common.water import Water
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


_IN_A_LINE = {
    WaveEquationWater.name: "damped waves of one speed: quick, true to closed forms, with every border and shore",
    DualBufferWater.name: "the classic two-buffer ripples: waves run half a cell's diagonal a step",
    HeightFieldWater.name: "heights and velocities: splashes, lowered breakers, volume kept",
    WaveParticleWater.name: "fronts of particles that spread, split and are thrown back by shores",
    ShallowWater.name: "waves that feel the ground: they slow down, bend, steepen and run up the beach",
    OceanWater.name: "a sea under wind with choppy crests and foam; nothing disturbs it",
    LayeredWater.name: "a sea under wind with ripples on it that answer to the hand",
}


def in_a_line(model: type[Water]) -> str:
    """What a model is, for people who choose one; for one of your own the first line of its docstring."""
    return _IN_A_LINE.get(model.name) or (inspect.getdoc(model) or "").partition("\n")[0]


__all__ = [
    "MODELS",
    "DualBufferWater",
    "HeightFieldWater",
    "LayeredWater",
    "Models",
    "OceanWater",
    "ShallowWater",
    "Water",
    "WaveEquationWater",
    "WaveParticleWater",
    "in_a_line",
    "maker",
]
