"""What stands above the water as the water mirrors it, seen by a camera mirrored at still water."""

from __future__ import annotations

from collections.abc import Mapping

import moderngl

from waterview.render.bodies.bodies import BodyPass
from waterview.render.camera.bounds import Bounds
from waterview.render.gl.targets import Target, clamped_size, free
from waterview.render.ground.terrain import GroundMesh
from waterview.render.kinds import BODY, TERRAIN, KindPass, SortPass
from waterview.render.quality import Tier

_LIFT_SHARE = 0.4


class MirrorPass:
    """Draws the mirrored picture.

    Attributes:
        picture: its light; alpha is 0 where only sky is mirrored.
    """

    def __init__(self, ctx: moderngl.Context, tier: Tier) -> None:
        self._ctx, self._tier = ctx, tier
        self._sort = SortPass(ctx)
        self._terrain = KindPass(ctx, "terrain", TERRAIN, tier, FINE=0, DIRECT=1)
        self._body = KindPass(ctx, "body_shown", BODY, tier)
        self._geometry = Target(ctx, "f2", depth=True, components=1)
        self._bodies = Target(ctx, "f2", depth=True)
        self.picture = Target(ctx, "f2", depth=True)

    def lift(self, bounds: Bounds, *, bodies: bool) -> float:
        """How far above still water rays are looked up in the picture [m]; 0 where there is nothing to be mirrored.

        Rays that waves bend meet what stands higher up farther away: the plane lies at part of its height.
        """
        height = max(bounds.high[1] - bounds.level, 0.02 * bounds.extent if bodies else 0.0)
        return max(_LIFT_SHARE * height, 1e-3 * bounds.extent) if height > 0.0 and self._tier.mirror > 0.0 else 0.0

    def draw(
        self,
        ground: GroundMesh,
        bodies: BodyPass,
        bounds: Bounds,
        size: tuple[int, int],
        inputs: Mapping[str, moderngl.Texture],
        flags: frozenset[str],
    ) -> None:
        """Draw for a scene of `size`, else as `KindPass.draw`; the mirrored view must have been written."""
        scaled = clamped_size(self._ctx, size, self._tier.mirror)
        self._geometry.resize(scaled)
        self.picture.resize(scaled)
        self._geometry.framebuffer.use()
        self._geometry.framebuffer.clear(depth=1.0)
        ground.draw_above(bounds.level)
        if "BODIES" in flags:
            bodies.mark_above(bounds.level)
            bodies.draw(self._bodies, scaled, inputs)
        self._sort.draw(self._geometry.colour, self.picture, clear=True)
        seen = {**inputs, **self._geometry.left, "body_colour": self._bodies.colour}
        self._terrain.draw(seen, flags - {"DIVED"})
        if "BODIES" in flags:
            self._body.draw(seen, frozenset())
        self.picture.colour.build_mipmaps()
        self.picture.colour.filter = self._tier.mipmaps, moderngl.LINEAR

    def release(self) -> None:
        """Free everything."""
        free(self._sort, self._terrain, self._body, self._geometry, self._bodies, self.picture)
