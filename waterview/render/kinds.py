"""The kinds of surface that a picture shows, and a pass that shades the pixels of one kind."""

from __future__ import annotations

from collections.abc import Mapping

import moderngl

from waterview.render.gl.shaders import Fill, Variants
from waterview.render.gl.targets import Target

from .quality import Tier

STAGE, TERRAIN, SIDE, WATER, CURTAIN, BODY, FOAMY = range(7)
"""Nothing, ground, the block's cut sides, water, the water's cut sides, floating bodies, water with foam on it."""

FLAGS = ("POOL", "OPEN", "BODIES", "SHIFTED", "DETAIL", "DIVED", "MIRROR", "FOAM", "SEA")
"""What a scene may have; shaders leave out what is not there, as software OpenGL cannot skip what an `if` rules out."""


class KindPass:
    """Shades the pixels of one kind, which the depth test picks (`SortPass`), so that others cost nothing.

    Args:
        ctx: the OpenGL context.
        name: of the shader.
        kind: which pixels.
        tier: how finely.
        defines: names and values for the shader beyond those of the tier.
    """

    def __init__(self, ctx: moderngl.Context, name: str, kind: int, tier: Tier, **defines: float) -> None:
        self._ctx = ctx
        self._forms = Variants(ctx, name, "layer", {"FINE": int(tier.fine), "KIND": kind} | defines, FLAGS)

    def draw(self, inputs: Mapping[str, moderngl.Texture], flags: frozenset[str]) -> None:
        """Shade, with textures by the shader's names for them, in a scene that has what `flags` of `FLAGS` say."""
        self._ctx.enable_only(moderngl.DEPTH_TEST)
        self._ctx.depth_func = "=="
        self._forms.render(flags, inputs)

    def release(self) -> None:
        """Free everything."""
        self._forms.release()


class SortPass:
    """Sorts the pixels of a target by the kinds that meshes have marked, for the depth test to pick."""

    def __init__(self, ctx: moderngl.Context) -> None:
        self._ctx = ctx
        self._shader = Fill(ctx, "sort")

    def draw(self, marks: moderngl.Texture, target: Target, *, clear: bool) -> None:
        """Sort `target`, which is bound then; with `clear` all of it is black, else as it was."""
        framebuffer = target.framebuffer
        framebuffer.color_mask = clear, clear, clear, clear
        framebuffer.use()
        self._ctx.enable_only(moderngl.DEPTH_TEST)
        self._ctx.depth_func = "1"
        self._shader.draw({"marks": marks})
        framebuffer.color_mask = True, True, True, True
        framebuffer.use()  # only now does the mask hold

    def release(self) -> None:
        """Free everything."""
        self._shader.release()
