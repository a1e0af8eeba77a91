"""Textures and framebuffers that passes draw into."""

from __future__ import annotations

from typing import Protocol, TypeVar

import moderngl

from waterview.core.errors import InputError

Size = tuple[int, int]
"""Width and height [pixels]."""

CLIP_DISTANCE = 0x3000
"""OpenGL's number of `gl_ClipDistance[0]`, for `enable_direct`."""


class Resource(Protocol):
    """Anything that holds memory on the GPU."""

    def release(self) -> object:
        """Free it."""


R = TypeVar("R", bound=Resource)


def free(*parts: Resource) -> None:
    """Free all of them, in this order."""
    for part in parts:
        part.release()


class Owner:
    """Something with GPU resources of its own."""

    def __init__(self) -> None:
        self._resources: list[Resource] = []

    def release(self) -> None:
        """Free everything."""
        free(*reversed(self._resources))

    def _own(self, resource: R) -> R:
        """Free `resource` in `release`."""
        self._resources.append(resource)
        return resource


def field_texture(ctx: moderngl.Context, size: Size, components: int, dtype: str) -> moderngl.Texture:
    """A texture with linear interpolation that is clamped at its edges."""
    texture = ctx.texture(size, components, dtype=dtype)
    texture.repeat_x = texture.repeat_y = False
    texture.filter = moderngl.LINEAR, moderngl.LINEAR
    return texture


def clamped_size(ctx: moderngl.Context, size: Size, scale: float = 1.0) -> Size:
    """`size` times `scale` in whole pixels: at least 1 (a minimised window has 0), at most what a texture can have."""
    limit = int(ctx.info["GL_MAX_TEXTURE_SIZE"])
    width, height = (min(max(round(side * scale), 1), limit) for side in size)
    return width, height


def scaled(sides: tuple[float, float], longest: int) -> Size:
    """Whole numbers in the proportions of `sides`: the larger is `longest`, the smaller at least 2."""
    width, height = (max(2, round(side * longest / max(sides))) for side in sides)
    return width, height


def check_texture_size(ctx: moderngl.Context, size: Size) -> None:
    """Raise an InputError if the graphics card cannot hold a texture of `size`."""
    limit = int(ctx.info["GL_MAX_TEXTURE_SIZE"])
    if max(size) > limit:
        raise InputError(
            f"a grid of {size[0]} × {size[1]} points cannot be drawn here: the graphics card allows {limit} "
            "along a side; choose a smaller --grid"
        )


class Target:
    """A framebuffer with one or more colour textures and, if wanted, a depth texture.

    Args:
        ctx: the OpenGL context.
        formats: components and type of each colour texture: "4f2" for linear light, "4f1" for finished pictures, "1f4"
            for numbers.
        depth: whether it has a depth texture, which shaders can read; it is not interpolated.
        nearest: whether colour textures are not interpolated, either.
        size: width and height to begin with [pixels].

    Attributes:
        colours: the colour textures.
        depth: the depth texture, or None.
        framebuffer: all of them.
        depth_alone: the depth without the colours, if there is one.
    """

    def __init__(
        self, ctx: moderngl.Context, *formats: str, depth: bool = False, nearest: bool = False, size: Size = (1, 1)
    ) -> None:
        self._ctx, self._has_depth, self._nearest = ctx, depth, nearest
        self._allocate(size, formats)

    @property
    def colour(self) -> moderngl.Texture:
        """The first colour texture."""
        return self.colours[0]

    @property
    def size(self) -> Size:
        """Width and height [pixels]."""
        width, height = self.colour.size
        return width, height

    @property
    def as_gbuffer(self) -> dict[str, moderngl.Texture | moderngl.Texture3D | moderngl.TextureArray]:
        """Its textures by the names that shaders have for a geometry buffer (include/gbuffer.glsl)."""
        assert self.depth is not None, "a geometry buffer has a depth"
        return {"gbuffer": self.colour, "gbuffer_depth": self.depth}

    def resize(self, size: Size, *formats: str) -> None:
        """Take on `size`, and `formats` if given; if they change, the content is lost and the new framebuffer bound."""
        formats = formats or self._formats
        if (size, formats) != (self.size, self._formats):
            old = self._textures
            self._allocate(size, formats)
            self.framebuffer.use()  # the old one may be bound, and nothing may be released while it is
            free(*old)

    def _allocate(self, size: Size, formats: tuple[str, ...]) -> None:
        self._formats = formats
        self.colours = [field_texture(self._ctx, size, int(each[0]), each[1:]) for each in formats]
        if self._nearest:
            for each in self.colours:
                each.filter = moderngl.NEAREST, moderngl.NEAREST
        self.depth = self._ctx.depth_texture(size) if self._has_depth else None
        if self.depth is not None:
            # Shaders read the depth itself, not the result of a comparison.
            self.depth.compare_func = ""
            self.depth.filter = moderngl.NEAREST, moderngl.NEAREST
            self.depth.repeat_x = self.depth.repeat_y = False
        self.framebuffer = self.depth_alone = self._ctx.framebuffer(self.colours, self.depth)
        if self.depth is not None:
            self.depth_alone = self._ctx.framebuffer([], self.depth)

    @property
    def _textures(self) -> list[Resource]:
        with_depth: list[Resource] = [] if self.depth is None else [self.depth_alone, self.depth]
        return [self.framebuffer, *with_depth, *self.colours]

    def release(self) -> None:
        """Free the framebuffer and its textures."""
        free(*self._textures)
