"""Presets: scenes with all their settings, in TOML files, bundled or the user's own."""

from __future__ import annotations

import math
import os
import tomllib
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, NoReturn

from platformdirs import user_config_path

from waterview.core.commands import AddBody, Drop, PaintWall
from waterview.core.errors import InputError, ParameterError
from waterview.core.files import data_path, read_text
from waterview.core.params import Declaration, Params, Value, as_float, declarations, nearest, values_for
from waterview.render.settings import ViewParams
from waterview.sim.world import world_declarations
from waterview.terrain.library import TerrainSource, bundled, resolve
from waterview.terrain.options import TerrainOptions
from waterview.waters import MODELS

from .arguments import GaugePlace, parse_camera, parse_gauge
from .given_start import GivenStart
from .interaction import InteractionParams
from .scene import SIZED, SceneParams

if TYPE_CHECKING:
    from waterview.core.frame import Frame
    from waterview.render.camera.camera import OrbitCamera

FIRST_SCENE = "bay"
"""The preset that the window opens with where nothing else is asked for."""

_START_KEYS = tuple(entry.name for entry in fields(GivenStart))
_KEYS = (
    "title",
    "terrain",
    "camera",
    "in_gallery",
    "drape",
    *_START_KEYS,
    "settings",
    "walls",
    "drops",
    "gauges",
    "bodies",
)
_WALL_KEYS = ("from", "to", "radius")
_DROP_KEYS = ("x", "z", "height", "radius")


@dataclass(frozen=True)
class Preset:
    """A scene with all its settings, read from a file.

    Attributes:
        name: its name on the command line: that of the file without ".toml".
        title: one line about it.
        path: its file.
        ground: the name of a bundled terrain, or a heightmap file relative to the preset's folder.
        settings: declared parameters of scene, terrain, model, bodies, detail, view and interaction, by name.
        walls, drops: applied to the water at the start.
        camera: makes the first camera from the first frame; None looks at the whole scene.
        start: the files of the surface and flow that it starts with.
        gauges: those that it begins with.
        bodies: what floats on it at the start.
        drape: the file of an aerial picture over the land, or None.
        in_gallery: whether the gallery shows it; all presets can be had by name.
    """

    name: str
    title: str
    path: Path
    ground: str
    settings: Mapping[str, Value]
    walls: tuple[PaintWall, ...]
    drops: tuple[Drop, ...]
    camera: Callable[[Frame], OrbitCamera] | None
    start: GivenStart = field(default_factory=GivenStart)
    gauges: tuple[GaugePlace, ...] = ()
    bodies: tuple[AddBody, ...] = ()
    drape: Path | None = None
    in_gallery: bool = True

    def overridden_by(self, declared: Mapping[str, Value], keeps_place: bool) -> dict[str, Value]:
        """Its settings, overridden by those `declared`.

        Settings of its own model are dropped if another is declared. Unless it `keeps_place`, those of its terrain are,
        and `SIZED`.
        """
        model = str(declared.get("model", self.settings.get("model", SceneParams().model)))
        known = set(known_settings(model))
        if not keeps_place:
            known -= {entry.name for entry in declarations(TerrainOptions)} | SIZED
        return {name: value for name, value in self.settings.items() if name in known} | dict(declared)

    def terrain(self) -> TerrainSource:
        """Its terrain with the preset's options; the file is not opened yet.

        Raises:
            TerrainError: there is none of that name.
        """
        own = self.path.parent / self.ground
        source = resolve(own if self.ground not in bundled() and os.path.exists(own) else self.ground)
        return source.with_options(source.options.changed(**values_for(TerrainOptions, self.settings)))


@dataclass(frozen=True)
class PresetPreview:
    """What a gallery shows of a preset: its name, a line about it, and the file of its small picture, if it has one."""

    name: str
    title: str
    picture: Path | None


def user_folder() -> Path:
    """The folder of the user's own presets; it need not exist."""
    return user_config_path("waterview", appauthor=False) / "presets"


def preset_paths() -> dict[str, Path]:
    """The files of all presets by name; the user's own override bundled ones."""
    folders = (data_path("assets") / "presets", user_folder())
    return {path.stem: path for folder in folders for path in sorted(folder.glob("*.toml"))}


def preset_lines() -> list[str]:
    """A line about each preset, or why it cannot be used; then the folder for the user's own."""
    lines = []
    for name, path in preset_paths().items():
        try:
            lines.append(f"{name:16} {load_preset(path).title}")
        except InputError as error:
            lines.append(f"{name:16} cannot be used: {error}")
    return [*lines, "", f"Put your own .toml files into {user_folder()}"]


def preset_previews() -> Iterator[PresetPreview]:
    """A preview of every preset in the gallery that can be used, the first scene foremost.

    Its picture is the file NAME.jpg or NAME.png beside it.
    """
    for name, path in sorted(preset_paths().items(), key=lambda item: item[0] != FIRST_SCENE):
        try:
            preset = load_preset(path)
        except InputError:
            continue  # `preset_lines` says why
        if preset.in_gallery:
            pictures = (path.with_suffix(ending) for ending in (".jpg", ".png"))
            yield PresetPreview(name, preset.title, next((picture for picture in pictures if picture.is_file()), None))


def find_preset(name: str) -> Preset:
    """The preset called `name`, or that in the file `name` (.toml).

    Raises:
        InputError: there is none, or it makes no sense.
    """
    known = preset_paths()
    if name in known:
        return load_preset(known[name])
    if Path(name).suffix.lower() == ".toml":
        return load_preset(Path(name))
    raise ParameterError(f"no preset is called '{name}': there are {', '.join(known)}{nearest(name, known)}")


def load_preset(path: Path) -> Preset:
    """Read a preset from its file.

    Raises:
        InputError: it cannot be read; the message names file and key.
    """
    try:
        content = tomllib.loads(read_text(path))
    except (OSError, UnicodeDecodeError) as error:
        reason = getattr(error, "strerror", None) or "it is no text in UTF-8"
        raise InputError(f"preset '{path}' cannot be read: {reason}; give a .toml file") from error
    except (ValueError, RecursionError) as error:
        raise InputError(f"preset '{path}' is no TOML: {error}") from error
    return _PresetReader(path, content).preset()


class _PresetReader:
    """Turns the content of one file into a preset; every error names file and key."""

    def __init__(self, path: Path, content: Mapping[str, Any]) -> None:
        self._path, self._content = path, content

    def preset(self) -> Preset:
        content = self._content
        self._check_keys("", content, _KEYS)
        return Preset(
            self._path.stem,
            self._text("title", self._path.stem),
            self._path,
            self._text("terrain", "basin"),
            self._settings(self._table("settings", content.get("settings", {}))),
            tuple(self._wall(table) for table in self._tables("walls")),
            tuple(self._drop(table) for table in self._tables("drops")),
            self._camera(),
            self._start(),
            self._gauges(),
            self._bodies(),
            self._path.parent / self._text("drape", "") if "drape" in content else None,
            self._in_gallery(),
        )

    def _settings(self, table: Mapping[str, Any]) -> dict[str, Value]:
        known = known_settings(self._model(table.get("model")))
        self._check_keys("settings.", table, tuple(known))
        checked = {}
        for name, value in table.items():
            # A file is looked for beside the preset first.
            beside = str(self._path.parent / str(value))
            is_beside = known[name].is_file and os.path.isfile(beside)  # Path.is_file fails where a name is too long
            try:
                checked[name] = known[name].check(beside if is_beside else value)
            except InputError as error:
                self._fail(f"settings.{name}", str(error))
        return checked

    def _model(self, name: object) -> str:
        if name is None:
            return SceneParams().model
        if name not in tuple(MODELS):  # a tuple, because a table or a list of TOML cannot be looked up in a dict
            self._fail(
                "settings.model", f"'{name}' is no model: allowed are {', '.join(MODELS)}{nearest(str(name), MODELS)}"
            )
        return str(name)

    def _wall(self, table: Mapping[str, Any]) -> PaintWall:
        self._check_keys("walls.", table, _WALL_KEYS)
        start, (x, z) = (self._place(f"walls.{key}", table.get(key)) for key in ("from", "to"))
        radius = self._number("walls.radius", table.get("radius"), above=0.0)
        try:
            return PaintWall(x, z, radius, start=start)
        except ParameterError:
            self._fail("walls.to", f"[{x:g}, {z:g}] is too far from [{start[0]:g}, {start[1]:g}]")

    def _drop(self, table: Mapping[str, Any]) -> Drop:
        self._check_keys("drops.", table, _DROP_KEYS)
        x, z, height, radius = (self._number(f"drops.{key}", table.get(key)) for key in _DROP_KEYS)
        try:
            return Drop(x, z, height, radius)
        except ParameterError as error:
            self._fail("drops", str(error))

    def _camera(self) -> Callable[[Frame], OrbitCamera] | None:
        text = self._text("camera", "")
        if not text:
            return None
        try:
            return parse_camera(text).of
        except ParameterError as error:
            self._fail("camera", str(error).removeprefix("--camera "))

    def _start(self) -> GivenStart:
        """Files are named relative to the preset's folder."""
        named = {key: self._text(key, "") for key in _START_KEYS if key in self._content}
        return GivenStart(**{key: self._path.parent / name for key, name in named.items()})

    def _gauges(self) -> tuple[GaugePlace, ...]:
        """Each is written as for --gauge; files are named relative to the preset's folder."""
        texts = self._texts("gauges", "A:12,-3.5")
        try:
            gauges = tuple(map(parse_gauge, texts))
        except ParameterError as error:
            self._fail("gauges", str(error).removeprefix("--gauge "))
        return tuple(
            gauge if gauge.measured is None else replace(gauge, measured=self._path.parent / gauge.measured)
            for gauge in gauges
        )

    def _bodies(self) -> tuple[AddBody, ...]:
        """Each is written as for --body."""
        from waterview.bodies.kinds import parse_body

        texts = self._texts("bodies", "boat::-5,0:90@2")
        try:
            return tuple(map(parse_body, texts))
        except InputError as error:
            self._fail("bodies", str(error).removeprefix("--body "))

    def _in_gallery(self) -> bool:
        value = self._content.get("in_gallery", True)
        if not isinstance(value, bool):
            self._fail("in_gallery", f"{value!r}: needed is true or false")
        return value

    def _texts(self, key: str, example: str) -> list[str]:
        texts = self._content.get(key, [])
        if not isinstance(texts, list) or not all(isinstance(text, str) for text in texts):
            self._fail(key, f'needed is a list of texts such as "{example}"')
        return texts

    # --- parts of TOML

    def _text(self, key: str, default: str) -> str:
        value = self._content.get(key, default)
        if not isinstance(value, str) or "\n" in value:
            self._fail(key, f"{value!r} is not a line of text")
        return value

    def _tables(self, key: str) -> list[Mapping[str, Any]]:
        value = self._content.get(key, [])
        if not isinstance(value, list):
            self._fail(key, f"needed are tables, each begun with [[{key}]]")
        return [self._table(key, entry) for entry in value]

    def _table(self, key: str, value: object) -> Mapping[str, Any]:
        if not isinstance(value, dict):
            self._fail(key, f"{value!r} is no table")
        return value

    def _place(self, key: str, value: object) -> tuple[float, float]:
        if not isinstance(value, list) or len(value) != 2:
            self._fail(key, f"{value!r}: needed are two numbers [x, z] in metres")
        return self._number(key, value[0]), self._number(key, value[1])

    def _number(self, key: str, value: object, above: float = -math.inf) -> float:
        number = as_float(value) if isinstance(value, int | float) and not isinstance(value, bool) else math.nan
        if not above < number < math.inf:
            bound = "" if above == -math.inf else f" above {above:g}"
            self._fail(key, f"{repr(value)[:40]}: a finite number{bound} is needed")
        return number

    def _check_keys(self, prefix: str, table: Mapping[str, Any], allowed: Sequence[str]) -> None:
        for key in table:
            if key not in allowed:
                self._fail(
                    f"{prefix}{key}", f"there is no such key: allowed are {', '.join(allowed)}{nearest(key, allowed)}"
                )

    def _fail(self, key: str, problem: str) -> NoReturn:
        raise InputError(f"preset '{self._path}', {key}: {problem}")


def known_settings(model: str) -> dict[str, Declaration]:
    """Everything that may be set in a scene with the model called `model`, by name."""
    sets: tuple[type[Params], ...] = (InteractionParams, SceneParams, TerrainOptions, ViewParams, MODELS[model].Params)
    known = [entry for params in sets for entry in declarations(params)]
    return {entry.name: entry for entry in (*known, *world_declarations())}
