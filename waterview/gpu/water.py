"""The wave equation's model with its state on the graphics card."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from typing import ClassVar, Unpack

import moderngl
import numpy as np
from numpy.typing import NDArray

from waterview.core.commands import Drop
from waterview.core.errors import ParameterError
from waterview.core.frame import Frame
from waterview.core.parameter_names import WaterParameters
from waterview.core.params import Value
from waterview.render.gl.gpu_frame import GpuFrame
from waterview.simd.layout import TwoLevels
from waterview.waters.common.borders import BORDER_KINDS, border_sides
from waterview.waters.common.drops import drop_heights
from waterview.waters.common.water import Water
from waterview.waters.wave.step import STENCILS
from waterview.waters.wave.wave_equation import WaveEquationWater

from .wave import GpuWave, links_of


class GpuWaveWater(WaveEquationWater):
    """`WaveEquationWater` stepped by the graphics card; heights have the bits of the processor's.

    The state lies on the card as long as nothing but steps, drops and set heights happens. Whatever else reads or
    writes it, such as a change of land, brings it to memory first, and the next step takes it back.

    Closed waters keep their volume as in memory, but that what rounding adds in the course of steps is not taken out.

    Args:
        ctx: an OpenGL context, current whenever the water is used.
        others: as `WaveEquationWater`; open borders are not known.

    Raises:
        ParameterError: as `WaveEquationWater`, a border is open, or waves are to come in.
        InputError: the grid is larger than the graphics card's textures.
    """

    can_be_coupled: ClassVar[bool] = False

    def __init__(
        self,
        ctx: moderngl.Context,
        x_size: float,
        z_size: float,
        x_res: int,
        origin: tuple[float, float, float] = (0.0, 0.0, 0.0),
        **parameters: Unpack[WaterParameters],
    ) -> None:
        self._on_gpu = False
        self._level_kept = True
        self._land: tuple[NDArray[np.bool_], bool, tuple[bool, bool]] | None = None
        super().__init__(x_size, z_size, x_res, origin, **parameters)
        _check_border(self.params.border)
        _check_waves(self.params.wavemaker)
        self._gpu = GpuWave(ctx, self.grid.shape, self.grid.spacing)

    def release(self) -> None:
        """Free everything on the graphics card; the water cannot be used afterwards."""
        self._gpu.release()

    # --- where the state is

    @property
    def _field(self) -> TwoLevels:
        """The state in memory, for whoever reads or writes it between steps."""
        if self._on_gpu:
            self._memory.heights[:], self._memory.heights_before[:] = self._gpu.read()
            self._on_gpu = False
        return self._memory

    @_field.setter
    def _field(self, memory: TwoLevels) -> None:
        self._memory = memory

    def _send(self) -> None:
        """Let the state be on the card."""
        sides = self._domain.sides
        walls, wraps = self._domain.shore == "no-flux", sides.wraps
        if self._land is None or self._land[0] is not self.fixed or self._land[1:] != (walls, wraps):
            self._gpu.set_links(links_of(self.fixed, walls, wraps))
            self._land = self.fixed, walls, wraps
        if not self._on_gpu:
            self._gpu.write(self._memory.heights, self._memory.heights_before)
            self._on_gpu = True

    # --- the water

    def advance(self, steps: int, shown: bool = False) -> None:
        """Take several fixed time steps."""
        stencil = STENCILS[self.params.stencil]
        for taken, _ in self._sweeps(steps, shown):
            self._fit_motion()
            plan = self.plan
            self._send()
            parts, sides = taken * plan.substeps, self._domain.sides
            self._gpu.step(parts, sides, stencil=stencil, damping=plan.step_damping, courant=plan.courant)

    def disturb(self, drop: Drop) -> None:
        """Add a drop at once: it moves nothing yet, so it starts from rest. One on dry ground does nothing."""
        shape = drop_heights(drop, self.grid, self.fixed)
        if shape is not None:
            self._send()
            self._gpu.add(*shape)
            if not drop.neutral:
                self._forget_volume()

    def publish(self, serial: int) -> Frame:
        """The surface as it is now, on the card (see `GpuFrame`)."""
        self._send()
        self._gpu.draw_slopes()
        self._gpu.find_crests()
        still = self.publish_still().changed(serial=serial, effective=self.effective)
        return GpuFrame(still, self._gpu)

    @property
    def at_rest(self) -> bool:
        """False: nobody looks at the heights."""
        return False

    @property
    def height(self) -> NDArray[np.float32]:
        """Height above still water [m], shape (nz, nx); a read-only copy."""
        return self._gpu.read_heights() if self._on_gpu else super().height

    def set_parameter(self, name: str, value: Value) -> None:
        """Change one declared parameter from the next step on.

        Raises:
            ParameterError: as `WaveEquationWater`, a border would be open, or waves are to come in.
        """
        if name == "border":
            _check_border(str(value))
        elif name == "wavemaker":
            _check_waves(str(value))
        super().set_parameter(name, value)

    def _release(self, ix: int, iz: int, height: float) -> None:
        self._send()
        self._gpu.set_height(ix, iz, height)
        self._forget_volume()
        self._level_kept = False  # it takes the motion of this point away

    def _refit(self) -> None:
        super()._refit()
        self._level_kept = False  # new land or another border cuts motion off

    def _keep_volume(self) -> None:
        if not (self._on_gpu and self._level_kept):
            super()._keep_volume()
        self._level_kept = True


def gpu_models(ctx: moderngl.Context) -> Mapping[str, Callable[..., Water]]:
    """The models that can be had on the graphics card of `ctx`, by name."""
    return {GpuWaveWater.name: partial(GpuWaveWater, ctx)}


def _check_waves(kind: str) -> None:
    """Raise a ParameterError if waves are to come in."""
    if kind != "none":
        raise ParameterError("the graphics card's solver lets no waves in by its sides: start with --solver cpu")


def _check_border(text: str) -> None:
    known = [kind.name for kind in BORDER_KINDS.values() if kind.on_gpu]
    unknown = set(border_sides(text)) - set(known)
    if unknown:
        raise ParameterError(
            f"border '{text}': the graphics card's solver knows {', '.join(known)}; choose one of them or --solver cpu"
        )
