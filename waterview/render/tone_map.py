"""Tone mapping, from linear light to a picture: antialiased edges, bloom, exposure, a filmic curve, sRGB."""

from __future__ import annotations

import math
from typing import ClassVar

import moderngl

from waterview.render.bloom import Bloom
from waterview.render.gl.shaders import Fill, Variants
from waterview.render.gl.targets import Owner, Target

_PATCHES = (16, 8)
_ADAPTATION = 0.4
"""Time in which two thirds of a change of brightness are adapted to [s]."""


class ToneMap(Owner):
    """Turns the scene's light into the picture, after all passes."""

    name: ClassVar = "tone map"
    shaders: ClassVar = ("log_luminance", "eye_adaptation", *Bloom.shaders, "tone_map")
    reads: ClassVar = ("light",)
    writes: ClassVar = ("picture",)

    def __init__(self, ctx: moderngl.Context) -> None:
        super().__init__()
        self._ctx = ctx
        self._luminance_shader = self._own(Fill(ctx, "log_luminance"))
        self._adapt_shader = self._own(Fill(ctx, "eye_adaptation"))
        self._shader = self._own(Variants(ctx, "tone_map", "tone_map", {}, ("SMOOTH", "SAME_SIZE", "BLOOM", "TREES")))
        self._bloom = self._own(Bloom(ctx))
        nearest = moderngl.NEAREST, moderngl.NEAREST
        self._texels = self._own(ctx.sampler(repeat_x=False, repeat_y=False, filter=nearest))
        self._brightness = self._own(Target(ctx, "4f2", size=_PATCHES))
        self._adapted, self._before = (self._own(Target(ctx, "4f4")) for _ in range(2))
        self._has_adapted = False

    def meter(self, light: moderngl.Texture, seconds: float) -> None:
        """Adapt to the brightness of the scene, `seconds` after the last picture [s]; 0 adapts at once."""
        self._ctx.enable_only(moderngl.NOTHING)
        self._brightness.framebuffer.use()
        self._luminance_shader.draw({"light": light})
        self._adapted, self._before = self._before, self._adapted
        self._adapted.framebuffer.use()
        share = 1.0 - math.exp(-seconds / _ADAPTATION) if seconds > 0.0 and self._has_adapted else 1.0
        self._adapt_shader.draw({"brightness": self._brightness.colour, "before": self._before.colour}, share=share)
        self._has_adapted = True

    def scatter(self, light: moderngl.Texture) -> moderngl.Texture:
        """The scene `light` as a lens scatters it, for `draw`."""
        return self._bloom.draw(light)

    def draw(
        self,
        light: moderngl.Texture,
        stops: float,
        *,
        automatic: bool,
        smooth: bool,
        trees: bool = False,
        scattered: moderngl.Texture | None = None,
    ) -> None:
        """Fill the bound framebuffer with the scene `light`.

        Args:
            light: the scene in linear light.
            stops: exposure set by the user [EV].
            automatic: let the exposure follow the brightness as well (see `meter`).
            smooth: antialias edges.
            trees: the light has trees in it, whose alpha is 0.
            scattered: the light as `scatter` makes it, to let bright places shine over what is around them.
        """
        self._ctx.enable_only(moderngl.NOTHING)
        same_size = light.size == self._ctx.viewport[2:]
        has = {"SMOOTH": smooth, "BLOOM": scattered is not None}
        has |= {"SAME_SIZE": smooth and same_size, "TREES": smooth and trees}
        flags = frozenset(flag for flag, there in has.items() if there)
        textures = {"light": light, "adapted": self._adapted.colour}
        if scattered is not None:
            textures["bloom"] = scattered
        if smooth:
            textures = {"texels": light, **textures}
            self._texels.use(0)  # the unit of the first texture
        self._shader.render(flags, textures, stops=stops, automatic=float(automatic))
        self._texels.clear(0)
