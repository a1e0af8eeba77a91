"""Shader programs: found, put together from included files, compiled, and given their values."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from pathlib import Path

import moderngl

from waterview.core.errors import WaterviewError
from waterview.resources import data_path

VIEW_BINDING = 0
"""Where the uniform block `View` (include/view.glsl) is bound in every program."""

_INCLUDE = re.compile(r'^\s*#\s*include\s+"([^"]+)"\s*$')
_LOCATION = re.compile(r"^(\d+)(?::|\()(\d+)", re.MULTILINE)

Uniform = float | int | bool | Sequence[float]


class ShaderError(WaterviewError):
    """A shader is missing or does not compile; the message names the file and the line."""


class Source:
    """The text of one shader with its includes in place.

    Args:
        path: the file; `#include "name.glsl"` is looked for in the folder `include` beside it, each file once.
        defines: names and values set before the first line.

    Raises:
        ShaderError: a file is missing (the message names it and the line that asked for it), or it does not begin
            with #version.

    Attributes:
        files: every file that went in; in the text, line numbers refer to them by their place in this list.
        text: what the compiler gets.
    """

    def __init__(self, path: Path, defines: Mapping[str, int | float] | None = None) -> None:
        self.files: list[Path] = []
        self._folder = path.parent / "include"
        lines = self._lines(path, f"the shader '{path.name}'")
        # The language asks for #version in front of everything, also of #line.
        if len(lines) < 2 or not lines[1].startswith("#version"):
            raise ShaderError(f"{path.name}:1: a shader begins with #version 330")
        head = [lines[1], *(f"#define {name} {value}" for name, value in (defines or {}).items()), "#line 2 0"]
        self.text = "\n".join([*head, *lines[2:]]) + "\n"

    def _lines(self, path: Path, wanted_by: str) -> list[str]:
        if not path.is_file():
            raise ShaderError(f"{wanted_by}: no file {path}; install waterview again")
        number = len(self.files)
        self.files.append(path)
        lines = [f"#line 1 {number}"]
        for at, line in enumerate(path.read_text(encoding="utf-8").splitlines(), start=1):
            match = _INCLUDE.match(line)
            if match is None:
                lines.append(line)
                continue
            included = self._folder / match[1]
            if included not in self.files:
                lines += self._lines(included, f'{path.name}:{at}: #include "{match[1]}"')
            lines.append(f"#line {at + 1} {number}")
        return lines

    def located(self, message: str) -> str:
        """A compiler's message with the numbers of files replaced by their names."""

        def name(match: re.Match[str]) -> str:
            number = int(match[1])
            return f"{self.files[number].name}:{match[2]}" if number < len(self.files) else match[0]

        return _LOCATION.sub(name, message)


class Shader:
    """A compiled program.

    Args:
        ctx: the OpenGL context.
        name: `<name>.frag` in the folder `shaders`, and `<name>.vert` unless `vertex` names another.
        vertex: name of the vertex shader if it is not `name`.
        defines: names and values set before the first line of both.
        folder: where the files lie, if not in the program's own folder.

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
    ) -> None:
        self.name, self.ctx = name, ctx
        folder = folder or data_path("shaders")
        vert = Source(folder / f"{vertex or name}.vert", defines)
        frag = Source(folder / f"{name}.frag", defines)
        try:
            self.program = ctx.program(vertex_shader=vert.text, fragment_shader=frag.text)
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
        """Bind textures to the samplers of these names, each to a unit of its own."""
        for unit, (name, texture) in enumerate(textures.items()):
            texture.use(unit)
            self.set(**{name: unit})

    def release(self) -> None:
        """Free the program."""
        self.program.release()


def load_program(ctx: moderngl.Context, name: str) -> moderngl.Program:
    """The bare program of `<name>.vert` and `<name>.frag`, for those who set its values themselves.

    Raises:
        ShaderError: a file is missing or does not compile; the message says where.
    """
    return Shader(ctx, name).program
