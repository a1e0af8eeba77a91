"""The terrains that come with the program, and where a named terrain is loaded from."""

from __future__ import annotations

import os
import tomllib
from dataclasses import dataclass, field, replace
from pathlib import Path

from waterview.core.files import data_path
from waterview.core.params import nearest

from .heightmap import Heightmap
from .options import TerrainOptions
from .raster import DEFAULT_POINTS, one_line, refusal

_CATALOGUE = "terrains.toml"


@dataclass(frozen=True)
class TerrainSource:
    """A terrain's file and the options to read it with.

    Attributes:
        name: its name on the command line.
        title: its name for people.
        path: its file.
        options: how to interpret the file.
    """

    name: str
    title: str
    path: Path
    options: TerrainOptions = field(default_factory=TerrainOptions)

    def with_options(self, options: TerrainOptions) -> TerrainSource:
        """The same terrain with other options."""
        return replace(self, options=options)

    def load(self, points: int = DEFAULT_POINTS) -> Heightmap:
        """Read it, so fine that a grid of `points` along the longer side finds a sample for each.

        Raises:
            TerrainError: as `Heightmap.load`.
        """
        most = max(points, DEFAULT_POINTS)
        return replace(Heightmap.load(self.path, max_points=most, options=self.options), title=self.title)


def bundled() -> dict[str, TerrainSource]:
    """The terrains of `assets/terrains/terrains.toml` by name, in its order.

    Raises:
        WaterviewError: the installation is incomplete.
        ParameterError: an option in the catalogue is not allowed.
    """
    folder = data_path("assets") / "terrains"
    entries = tomllib.loads((folder / _CATALOGUE).read_text(encoding="utf-8"))
    return {
        name: TerrainSource(name, entry["title"], folder / entry["file"], TerrainOptions().changed(**entry["options"]))
        for name, entry in entries.items()
    }


def resolve(name_or_path: str | os.PathLike[str]) -> TerrainSource:
    """The bundled terrain of that name, or else the file at that path with default options.

    A file that has the name of a bundled terrain is reached as "./name". No file is opened.

    Raises:
        TerrainError: neither exists.
    """
    known = bundled()
    text = os.fspath(name_or_path)
    if text in known:
        return known[text]
    path = Path(text)
    # Path.exists would raise where a name is too long or a folder may not be read.
    if os.sep not in text and not path.suffix and not os.path.exists(path):
        hint = f"terrains that come along are {', '.join(known)}{nearest(text, known)}"
        raise refusal(text, "there is no such file or terrain", hint)
    return TerrainSource(one_line(path.stem), one_line(path.name), path)
