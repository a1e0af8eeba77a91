"""Shader programs: their files with includes, compilation, uniforms and textures."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from pathlib import Path

import moderngl

from waterview.core.errors import WaterviewError
from waterview.core.files import data_path

VIEW_BINDING = 0
"""Where the uniform block `View` (include/view.glsl) is bound in every program."""

_COVERING = ("material", "screen")
"""Vertex shaders of one triangle that covers the picture; they can pass the view on as flat varyings."""
_SOFTWARE = ("llvmpipe", "softpipe", "swiftshader", "software")

_INCLUDE = re.compile(r'^\s*#\s*include\s+"([^"]+)"\s*$')
# GL_SAMPLER_2D, _3D, _2D_ARRAY, GL_INT_SAMPLER_2D, GL_UNSIGNED_INT_SAMPLER_2D
_SAMPLERS = {0x8B5E, 0x8B5F, 0x8DC1, 0x8DCA, 0x8DD2}
_LOCATION = re.compile(r"\b0(?::(?=\d)|\()(\d+)\)?")

AnyTexture = moderngl.Texture | moderngl.Texture3D | moderngl.TextureArray
Uniform = float | int | bool | Sequence[float]


def is_software(ctx: moderngl.Context) -> bool:
    """Whether OpenGL is software that runs on the processor, without a graphics card."""
    return any(name in ctx.info["GL_RENDERER"].lower() for name in _SOFTWARE)


def light_type(ctx: moderngl.Context) -> str:
    """Type of the numbers in textures of light, for `Target`.

    Half floats are precise enough, but software OpenGL would pack and unpack them for every pixel and lookup.
    """
    return "f4" if is_software(ctx) else "f2"


class ShaderError(WaterviewError):
    """A shader is missing or does not compile; the message names the file and the line."""


class Source:
    """The text of one shader with its includes put in.

    Args:
        path: the file. `#include "name.glsl"` puts in a file from the folder `include` beside it, once;
            `#include "name.list"` puts one in each time.
        defines: names and values defined after the first line.

    Raises:
        ShaderError: a file is missing (the message names it and the line that includes it), or the shader does not
            begin with #version.

    Attributes:
        text: what the compiler gets.
        places: file name and line number of the origin of each line.
    """

    def __init__(self, path: Path, defines: Mapping[str, float] | None = None) -> None:
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
        """A compiler's message in which line numbers of `text` are replaced by files and their lines.

        #line could do this, but Mesa forgets the file's number inside functions.
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
        defines: names and values defined in both.
        folder: where the files are, if not in the program's own folder.
        varyings: outputs of the vertex shader, each of which is written into a buffer of its own; there is no fragment
            shader then.

    Raises:
        ShaderError: a file is missing or does not compile; the message says where.
    """

    def __init__(
        self,
        ctx: moderngl.Context,
        name: str,
        *,
        vertex: str | None = None,
        defines: Mapping[str, float] | None = None,
        folder: Path | None = None,
        varyings: Sequence[str] = (),
    ) -> None:
        self.name, self.ctx = name, ctx
        folder = folder or data_path("shaders")
        defines = {"VIEW_AS_VARYINGS": int(vertex in _COVERING and is_software(ctx)), **(defines or {})}
        vert = Source(folder / f"{vertex or name}.vert", defines)
        frag = vert if varyings else Source(folder / f"{name}.frag", defines)
        try:
            self.program = ctx.program(
                vertex_shader=vert.text,
                fragment_shader=None if varyings else frag.text,
                varyings=tuple(varyings),
                varyings_capture_mode="separate",
            )
        except moderngl.Error as error:
            message = str(error)
            source = vert if "vertex_shader" in message else frag
            raise ShaderError(f"the shader '{name}' does not compile: {source.located(message)}") from error
        block = self.program.get("View", None)
        if isinstance(block, moderngl.UniformBlock):
            block.binding = VIEW_BINDING
        types = {name: getattr(self.program[name], "gl_type", None) for name in self.program}
        self._samplers = {name for name, kind in types.items() if kind in _SAMPLERS}
        self._units: dict[str, int] = {}  # that the samplers stand at

    def set(self, **values: Uniform) -> None:
        """Set uniforms; one that the compiler has dropped because nothing uses it is ignored."""
        for name, value in values.items():
            member = self.program.get(name, None)
            if isinstance(member, moderngl.Uniform):
                member.value = value

    def use(self, **textures: AnyTexture) -> None:
        """Bind textures to the samplers with these names; other names are ignored.

        Raises:
            ShaderError: the program has a sampler that no texture is given for.
        """
        missing = self._samplers - textures.keys()
        if missing:
            names = ", ".join(sorted(missing))
            raise ShaderError(f"the shader '{self.name}' was given no {names}: add it to what the pass reads")
        bound = (name for name in textures if name in self._samplers)
        for unit, name in enumerate(bound):
            textures[name].use(unit)
            if self._units.get(name) != unit:
                self.set(**{name: unit})
                self._units[name] = unit

    def release(self) -> None:
        """Free the program."""
        self.program.release()


class Fill(Shader):
    """A program that fills the bound framebuffer with one triangle, which its vertex shader makes from numbers alone.

    Args and errors as `Shader`.
    """

    def __init__(
        self, ctx: moderngl.Context, name: str, *, vertex: str = "screen", defines: Mapping[str, float] | None = None
    ) -> None:
        super().__init__(ctx, name, vertex=vertex, defines=defines)
        self._vao = ctx.vertex_array(self.program, [])

    def draw(self, textures: Mapping[str, AnyTexture], **values: Uniform) -> None:
        """Fill the bound framebuffer, with these textures and uniforms."""
        self.use(**textures)
        self.set(**values)
        self._vao.render(moderngl.TRIANGLES, vertices=3)

    def release(self) -> None:
        """Free the program and its triangle."""
        self._vao.release()
        super().release()


class Variants:
    """One `Fill` in several variants, each compiled when it is first needed.

    Args:
        ctx: the OpenGL context.
        name: of the shader.
        vertex: name of the vertex shader.
        defines: names and values that all variants share.
        flags: names that are defined as 1 in the variants that have them and as 0 in the others.
    """

    def __init__(
        self, ctx: moderngl.Context, name: str, vertex: str, defines: Mapping[str, float], flags: Sequence[str]
    ) -> None:
        self.ctx, self._name, self._vertex = ctx, name, vertex
        self._defines, self._flags = dict(defines), tuple(flags)
        self._made: dict[frozenset[str], Fill] = {}

    def render(self, flags: frozenset[str], textures: Mapping[str, AnyTexture], **values: Uniform) -> None:
        """Fill the bound framebuffer with the variant that has `flags`, these textures and uniforms."""
        if flags not in self._made:
            defines = {flag: int(flag in flags) for flag in self._flags} | self._defines
            self._made[flags] = Fill(self.ctx, self._name, vertex=self._vertex, defines=defines)
        self._made[flags].draw(textures, **values)

    def release(self) -> None:
        """Free all variants."""
        for variant in self._made.values():
            variant.release()
