"""From linear light to a picture: smooth edges, exposure by hand or by itself, a filmic curve, sRGB."""

from __future__ import annotations

import math

import moderngl

from waterview.render.gl.shaders import Fill, Variants
from waterview.render.gl.targets import Target, free

_PATCHES = (16, 8)
_ADAPTATION = 0.4
"""Time in which the exposure comes within a third of a new brightness [s]."""


class DevelopPass:
    """Develops the picture.

    Args:
        ctx: the OpenGL context.
    """

    def __init__(self, ctx: moderngl.Context) -> None:
        self._ctx = ctx
        self._meter, self._adapt = Fill(ctx, "meter"), Fill(ctx, "adapt")
        self._develop = Variants(ctx, "develop", "develop", {}, ("SMOOTH", "SAME_SIZE"))
        self._texels = ctx.sampler(repeat_x=False, repeat_y=False, filter=(moderngl.NEAREST, moderngl.NEAREST))
        self._brightness = Target(ctx, "f2")
        self._brightness.resize(_PATCHES)
        self._adapted, self._before = Target(ctx, "f4"), Target(ctx, "f4")
        self._used_to_it = False

    def meter(self, light: moderngl.Texture, seconds: float) -> None:
        """See how bright the scene is; `seconds` since the last picture [s], 0 to get used to it at once."""
        self._ctx.enable_only(moderngl.NOTHING)
        self._brightness.framebuffer.use()
        self._meter.draw({"light": light})
        self._adapted, self._before = self._before, self._adapted
        self._adapted.framebuffer.use()
        share = 1.0 - math.exp(-seconds / _ADAPTATION) if seconds > 0.0 and self._used_to_it else 1.0
        self._adapt.draw({"brightness": self._brightness.colour, "before": self._before.colour}, share=share)
        self._used_to_it = True

    def draw(self, light: moderngl.Texture, stops: float, *, automatic: bool, smooth: bool) -> None:
        """Fill the bound framebuffer with the scene `light`.

        Args:
            light: the scene in linear light.
            stops: exposure by hand [EV].
            automatic: let the exposure follow the brightness as well (see `meter`).
            smooth: smooth edges.
        """
        self._ctx.enable_only(moderngl.NOTHING)
        has = {"SMOOTH": smooth, "SAME_SIZE": light.size == self._ctx.viewport[2:]}
        flags = frozenset(flag for flag, there in has.items() if there)
        textures = {"light": light, "adapted": self._adapted.colour}
        if flags:
            textures = {"texels": light, **textures}
            self._texels.use(0)  # the first texture's unit
        self._develop.render(flags, textures, stops=stops, automatic=float(automatic))
        self._texels.clear(0)

    def release(self) -> None:
        """Free everything."""
        free(self._meter, self._adapt, self._develop, self._texels, self._brightness, self._adapted, self._before)
