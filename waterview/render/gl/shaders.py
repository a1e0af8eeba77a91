"""Shader programs: found, put together from included files, compiled, and given their values."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from pathlib import Path

import moderngl

from waterview.core.errors import WaterviewError
from waterview.core.resources import data_path

VIEW_BINDING = 0
"""Where the uniform block `View` (include/view.glsl) is bound in every program."""

_COVERING = ("layer", "screen")
"""Vertex shaders of one triangle that covers the picture, which can hand on what is the same in all of it."""
_SOFTWARE = ("llvmpipe", "softpipe", "swiftshader", "software")

_INCLUDE = re.compile(r'^\s*#\s*include\s+"([^"]+)"\s*$')
_LOCATION = re.compile(r"\b0(?::(?=\d)|\()(\d+)\)?")

Uniform = float | int | bool | Sequence[float]


def is_software(ctx: moderngl.Context) -> bool:
    """Whether the processor draws, for want of a graphics card."""
    return any(name in ctx.info["GL_RENDERER"].lower() for name in _SOFTWARE)


class ShaderError(WaterviewError):
    """A shader is missing or does not compile; the message names the file and the line."""


class Source:
    """The text of one shader with its includes in place.

    Args:
        path: the file; `#include "name.glsl"` is looked for in the folder `include` beside it, each file once;
            lists, `#include "name.list"`, as often as they are asked for.
        defines: names and values set before the second line.

    Raises:
        ShaderError: a file is missing (the message names it and the line that asked for it), or it does not begin
            with #version.

    Attributes:
        text: what the compiler gets.
        places: file name and line number that each of its lines comes from.
    """

    def __init__(self, path: Path, defines: Mapping[str, int | float] | None = None) -> None:
        self._folder = path.parent / "include"
        self._included: set[Path] = set()
        self.places: list[tuple[str, int]] = []
        lines = self._lines(path, f"the shader '{path.name}'")
        if not lines or not lines[0].startswith("#version"):
            raise ShaderError(f"{path.name}:1: a shader begins with #version 330")
        defined = [f"#define {name} {value}" for name, value in (defines or {}).items()]
        self.places[1:1] = [(path.name, 1)] * len(defined)
        self.text = "\n".join([lines[0], *defined, *lines[1:]]) + "\n"

    def _lines(self, path: Path, wanted_by: str) -> list[str]:
        if not path.is_file():
            raise ShaderError(f"{wanted_by}: no file {path}; install waterview again")
        lines = []
        for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), start=1):
            match = _INCLUDE.match(line)
            if match is None:
                lines.append(line)
                self.places.append((path.name, number))
                continue
            included = self._folder / match[1]
            if included.suffix == ".list" or included not in self._included:
                self._included.add(included)
                lines += self._lines(included, f'{path.name}:{number}: #include "{match[1]}"')
        return lines

    def located(self, message: str) -> str:
        """A compiler's message with line numbers of `text` replaced by files and their lines.

        #line could do the same, but Mesa forgets the file's number within functions.
        """

        def name(match: re.Match[str]) -> str:
            number = int(match[1]) - 1
            return "{}:{}".format(*self.places[number]) if 0 <= number < len(self.places) else match[0]

        return _LOCATION.sub(name, message)


class Shader:
    """A compiled program.

    Args:
        ctx: the OpenGL context.
        name: `<name>.frag` in the folder `shaders`, and `<name>.vert` unless `vertex` names another.
        vertex: name of the vertex shader if it is not `name`.
        defines: names and values set before the first line of both.
        folder: where the files lie, if not in the program's own folder.
        varyings: what the vertex shader writes into a buffer; there is no fragment shader then.

    Raises:
        ShaderError: a file is missing or does not compile; the message says where.
    """

    def __init__(
        self,
        ctx: moderngl.Context,
        name: str,
        *,
        vertex: str | None = None,
        defines: Mapping[str, int | float] | None = None,
        folder: Path | None = None,
        varyings: Sequence[str] = (),
    ) -> None:
        self.name, self.ctx = name, ctx
        folder = folder or data_path("shaders")
        defines = {"FLAT_VIEW": int(vertex in _COVERING and is_software(ctx)), **(defines or {})}
        vert = Source(folder / f"{vertex or name}.vert", defines)
        frag = vert if varyings else Source(folder / f"{name}.frag", defines)
        try:
            self.program = ctx.program(
                vertex_shader=vert.text, fragment_shader=None if varyings else frag.text, varyings=tuple(varyings)
            )
        except moderngl.Error as error:
            message = str(error)
            source = vert if "vertex_shader" in message else frag
            raise ShaderError(f"the shader '{name}' does not compile: {source.located(message)}") from error
        block = self.program.get("View", None)
        if isinstance(block, moderngl.UniformBlock):
            block.binding = VIEW_BINDING

    def set(self, **values: Uniform) -> None:
        """Give uniforms their values; one that the compiler has dropped because nothing uses it is passed over."""
        for name, value in values.items():
            member = self.program.get(name, None)
            if isinstance(member, moderngl.Uniform):
                member.value = value

    def use(self, **textures: moderngl.Texture) -> None:
        """Bind textures to the samplers of these names, each to a unit of its own; names it has not are passed over."""
        unit = 0
        for name, texture in textures.items():
            member = self.program.get(name, None)
            if isinstance(member, moderngl.Uniform):
                texture.use(unit)
                member.value = unit
                unit += 1

    def release(self) -> None:
        """Free the program."""
        self.program.release()


class Fill(Shader):
    """A program that fills what is bound with one triangle, which its vertex shader makes of numbers alone.

    Args and errors as `Shader`.
    """

    def __init__(
        self,
        ctx: moderngl.Context,
        name: str,
        *,
        vertex: str = "screen",
        defines: Mapping[str, int | float] | None = None,
    ) -> None:
        super().__init__(ctx, name, vertex=vertex, defines=defines)
        self._vao = ctx.vertex_array(self.program, [])

    def draw(self, textures: Mapping[str, moderngl.Texture], **values: Uniform) -> None:
        """Fill what is bound, with these textures and uniforms."""
        self.use(**textures)
        self.set(**values)
        self._vao.render(moderngl.TRIANGLES, vertices=3)

    def release(self) -> None:
        """Free the program and its triangle."""
        self._vao.release()
        super().release()


class Variants:
    """One `Fill` in several forms, each made when it is first needed.

    Args:
        ctx: the OpenGL context.
        name: of the shader.
        vertex: name of the vertex shader.
        defines: names and values that all forms share.
        flags: names that are 1 in the forms that have them and 0 in the others.
    """

    def __init__(
        self, ctx: moderngl.Context, name: str, vertex: str, defines: Mapping[str, float], flags: Sequence[str]
    ) -> None:
        self._ctx, self._name, self._vertex = ctx, name, vertex
        self._defines, self._flags = dict(defines), tuple(flags)
        self._made: dict[frozenset[str], Fill] = {}

    def render(self, flags: frozenset[str], textures: Mapping[str, moderngl.Texture], **values: Uniform) -> None:
        """Draw one triangle over the picture with the form that has `flags`, these textures and uniforms."""
        if flags not in self._made:
            defines = {flag: int(flag in flags) for flag in self._flags} | self._defines
            self._made[flags] = Fill(self._ctx, self._name, vertex=self._vertex, defines=defines)
        self._made[flags].draw(textures, **values)

    def release(self) -> None:
        """Free all forms."""
        for form in self._made.values():
            form.release()
