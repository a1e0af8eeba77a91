"""Bloom: the part of the light that a lens scatters around bright places."""

from __future__ import annotations

import moderngl

from waterview.render.gl.shaders import Fill
from waterview.render.gl.targets import Owner, Target

_FINEST = 200
"""Most rows of the finest level [pixels], so that bloom is about as wide in a small picture as in a large one."""
_LEVELS = 4


class Bloom(Owner):
    """Scatters the light of a picture, without a threshold and without gaining or losing any.

    The mean of every 4 × 4 pixels is halved in size again and again. The last four of these pictures are added up, the
    smallest first, each smoothed as it grows (after Jimenez 2014). All four have the same share: at an angle θ from its
    source, light scattered in an eye or a lens falls with θ² (Holladay 1926), so each octave of θ has as much of it.
    """

    shaders = ("bloom_down", "bloom_up")

    def __init__(self, ctx: moderngl.Context) -> None:
        super().__init__()
        self._ctx = ctx
        self._down, self._up = (self._own(Fill(ctx, name)) for name in self.shaders)
        self._means: list[Target] = []
        self._sums = [self._own(Target(ctx, "4f2")) for _ in range(_LEVELS - 1)]

    def draw(self, light: moderngl.Texture) -> moderngl.Texture:
        """The light as it is scattered, a texture of fewer pixels; `light` must be interpolated linearly."""
        self._ctx.enable_only(moderngl.NOTHING)
        count = _LEVELS
        while light.height > 4 * _FINEST * 2 ** (count - _LEVELS):
            count += 1
        self._means += [self._own(Target(self._ctx, "4f2")) for _ in range(count - len(self._means))]
        smaller = light
        for level, mean in enumerate(self._means[:count]):
            mean.resize((max(light.width >> level + 2, 1), max(light.height >> level + 2, 1)))
            mean.framebuffer.use()
            # The means overlap, or the glow of a small place would be square and lie aside of it.
            reach = 0.25 if level == 0 else 0.5
            self._down.draw({"light": smaller}, reach=(reach / mean.size[0], reach / mean.size[1]))
            smaller = mean.colour
        pairs = zip(reversed(self._means[count - _LEVELS : count - 1]), self._sums, strict=True)
        for added, (mean, total) in enumerate(pairs, 1):
            total.resize(mean.size)
            total.framebuffer.use()
            self._up.draw({"light": mean.colour, "smaller": smaller}, share=added / (added + 1))
            smaller = total.colour
        return smaller
