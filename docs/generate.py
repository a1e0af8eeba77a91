"""Writes the pages, and a module, that follow from the program's declarations.

`make docs` runs it before the site is built; a test compares the committed pages with what it would write.
"""

from __future__ import annotations

import inspect
import re
import textwrap
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

HERE = Path(__file__).resolve().parent


def pages() -> dict[str, str]:
    """The text of every generated page, by its path in this folder."""
    return {
        "parameters.md": parameters_page(),
        "models/index.md": models_page(),
        "api.md": api_page(),
        "../waterview/core/parameter_names.py": parameter_names(),
    }


def main() -> None:
    """Write every generated page that has changed."""
    for name, text in pages().items():
        path = HERE / name
        if not path.exists() or path.read_text(encoding="utf-8") != text:
            path.write_text(text, encoding="utf-8")
            print(path)


# Names of parameters, for type checkers


def parameter_names() -> str:
    """A module with parameters by name, which type checkers know `open_scene` and the constructors of waters by."""
    from waterview.bodies.collection import BodyParams
    from waterview.scene.presets import known_settings
    from waterview.waters import MODELS
    from waterview.waters.eddies.detail import DetailParams

    waters = {name: entry for model in MODELS.values() for name, entry in _by_name(model.Params).items()}
    scene = {name: entry for model in MODELS for name, entry in known_settings(model).items()}
    rate = {"steps_per_second": waters.pop("steps_per_second")}  # `open_scene` takes "auto", too
    return "\n".join(
        [
            '"""Parameters by name, for type checkers. `make docs` writes this module from the declarations."""',
            "",
            "from __future__ import annotations",
            "",
            "from typing import TypedDict",
            *_typed("ModelParameters(TypedDict", "Parameters of all models but the rate of time steps.", waters),
            *_typed("WaterParameters(ModelParameters", "What waters may be given by name, each model its own.", rate),
            *_typed(
                "Settings(ModelParameters",
                "What `open_scene` may be given by name; which of it a scene has depends on its model.",
                {name: scene[name] for name in scene.keys() - waters.keys() - rate.keys()},
            ),
            *_typed("SceneSettings(Settings, WaterParameters", "What `LiveScene.set` may be given by name.", {}),
            *_typed("LakeSettings(TypedDict", "What `bake` may be given by name.", _lake(scene)),
            *_typed("BodyParameters(TypedDict", "What `Bodies` may be given by name.", _by_name(BodyParams)),
            *_typed("DetailParameters(TypedDict", "What `Detail` may be given by name.", _by_name(DetailParams)),
            "",
        ]
    )


def _lake(scene: Mapping[str, Any]) -> dict[str, Any]:
    """Settings of a lake; in place of the parameter `drops` it has an argument of this name."""
    from waterview.lakes.scene import BAKED, OF_THE_GRID, lake_settings

    found = {name: entry for model in BAKED.values() for name, entry in lake_settings(model).items() if name != "drops"}
    return found | {name: scene[name] for name in OF_THE_GRID}


def _by_name(params: Any) -> dict[str, Any]:
    from waterview.core.params import declarations

    return {entry.name: entry for entry in declarations(params)}


def _typed(head: str, doc: str, entries: Mapping[str, Any]) -> Iterator[str]:
    """A class of typed names; whole numbers may be given as floats."""
    yield from ("", "", f"class {head}, total=False):", f'    """{doc}"""', *([""] if entries else []))
    for name in sorted(entries):
        kind = entries[name].kind
        yield f"    {name}: {'float' if kind is int else kind.__name__}"


# Keys and parameters


def parameters_page() -> str:
    """All that can be set and pressed, as Markdown."""
    return "\n".join(
        [
            "# Keyboard shortcuts and parameters",
            "",
            "`make docs` writes this page from the declarations in the program.",
            "",
            "## Mouse",
            "",
            *_mouse(),
            "",
            "## Keyboard shortcuts",
            "",
            "Shortcuts follow the labels of your keyboard layout. Shift with a key of a parameter takes small steps.",
            "On macOS the command key does what Ctrl does here. Ctrl does it too, where the system leaves it free.",
            "",
            *_keys(),
            "",
            "## Commands",
            "",
            *_commands(),
            "## Parameters",
            "",
            _prose(
                """Each parameter is declared once, as a name in Python; most are also a flag, and some have keys.
                `waterview view` and `waterview render` take the same flags, except those of the interaction, which
                belong to the window; `waterview inspect` takes those of the terrain. Presets use the names of the flags
                with `_` instead of `-`. In Python, `Bodies` and `Detail` omit the first word: `--bodies-drag` is the
                parameter `drag` of `Bodies`. The defaults are those in Python. A scene replaces four of them unless
                you give them: the wave speed (waves cross the longer side in ten seconds), the height of waves that
                come in (a two-hundredth of that side), the size of the detail (a twentieth of it) and the seed of the
                detail (the scene's)."""
            ),
            "",
            *_parameters(),
        ]
    )


def _mouse() -> Iterator[str]:
    from waterview.ui.keys import MOUSE

    yield from _table(("mouse", "what it does"), MOUSE)


def _keys() -> Iterator[str]:
    from waterview.ui.keys import ACTIONS, key_label

    rows = [(" ".join(_keyboard(key_label(key)) for key in action.keys), action.doc) for action in ACTIONS]
    seen: set[tuple[str, ...]] = set()
    for _, declared in _groups():
        for entry in declared:
            if entry.keys and entry.keys not in seen:
                seen.add(entry.keys)
                rows.append((_keys_of(entry.keys), f"{entry.label}, less and more"))
    yield from _table(("key", "what it does"), rows)


def _keys_of(keys: Sequence[str]) -> str:
    from waterview.ui.keys import key_label

    return " ".join(_keyboard(key_label(key)) for key in keys)


def _keyboard(name: str) -> str:
    return f"<kbd>{name}</kbd>"


def _commands() -> Iterator[str]:
    """The commands with the options of their own; those of parameters follow in their tables."""
    declared = {(entry.name, entry.doc) for _, group in _groups() for entry in group} | {("help", "Show this message")}
    for name, command in _program().items():
        own = [
            entry
            for entry in command.params
            if not any(entry.name == known and _one_line(entry.help).startswith(doc) for known, doc in declared)
        ]
        yield from (f"### waterview {name}", "", _one_line(command.help), "")
        rows = [(f"`{_spelled(entry)}`", _one_line(entry.help), _default(entry.default)) for entry in own]
        if rows:
            yield from _table(("option", "what it is", "default"), rows)
            yield ""


def _program() -> dict[str, Any]:
    """The commands by name."""
    import typer

    from waterview.cli import make_app

    return dict(typer.main.get_command(make_app()).commands)  # type: ignore[attr-defined]


def _spelled(entry: Any) -> str:
    words = [word for word in entry.opts if word.startswith("-")]
    metavar = entry.metavar or ("" if getattr(entry, "is_flag", False) else entry.name.upper())
    return " ".join([*words[:1], metavar]).strip()


def _default(value: object) -> str:
    return "" if value in (None, False, "", []) else f"{value:g}" if isinstance(value, float) else str(value)


_OWNERS = {"bodies": "Floating bodies", "detail": "Fine detail", "gauges": "Gauges", "maxima": "Fields over the run"}


def _groups() -> Iterator[tuple[str, Sequence[Any]]]:
    """Every set of declarations under its title."""
    from waterview.core.params import declarations, prefixed_declarations
    from waterview.render.settings import ViewParams
    from waterview.scene.interaction import InteractionParams
    from waterview.scene.scene import SceneParams
    from waterview.sim.world import WORLD_PARAMS
    from waterview.terrain.options import TerrainOptions
    from waterview.waters import MODELS

    yield "Scene", declarations(SceneParams)
    yield "Terrain", declarations(TerrainOptions)
    for name, model in MODELS.items():
        yield f"Model: {name}", declarations(model.Params)
    for owner, params in WORLD_PARAMS.items():
        yield _OWNERS[owner], prefixed_declarations(owner, params)
    yield "Picture", declarations(ViewParams)
    yield "Interaction", declarations(InteractionParams)


def _parameters() -> Iterator[str]:
    flagged = {entry.name for command in _program().values() for entry in command.params}
    for title, declared in _groups():
        yield from (f"### {title}", "")
        rows = [
            (
                f"`{entry.flag}`" if entry.name in flagged else f"`{entry.name}`",
                f"`{_number(entry.default)}`" if entry.default != "" else "",
                _allowed(entry),
                _keys_of(entry.keys) if entry.keys else "",
                entry.doc,
            )
            for entry in declared
        ]
        yield from _table(("parameter", "default", "allowed", "keys", "what it is"), rows)
        yield ""


def _allowed(entry: Any) -> str:
    if entry.kind is bool:
        return f"{entry.flag}, --no-{entry.flag[2:]}"
    return str(entry.allowed)


def _number(value: object) -> str:
    return f"{value:g}" if isinstance(value, float) else str(value)


# Public names of Python


def api_page() -> str:
    """Signatures and docstrings of everything that `waterview` gives to other programs, as Markdown."""
    import waterview

    lines = [
        "# Python reference",
        "",
        _prose(
            """Everything that `waterview` gives to other programs; [In Python](embedding.md) shows how to use it. `make
            docs` writes this page from the program. The world is in metres with y up; arrays are `[z, x]`."""
        ),
    ]
    for name in waterview.__all__:
        value = getattr(waterview, name)
        if isinstance(value, type) or inspect.isfunction(value):
            lines += ["", f"## {name}", "", *_documented(f"waterview.{name}", value)]
            if isinstance(value, type) and not issubclass(value, Exception):
                for owner, member in _members(value):
                    lines += ["", f"### {name}.{owner}", "", *_documented(owner, member)]
    return "\n".join([*lines, ""])


def _members(value: type) -> Iterator[tuple[str, Any]]:
    """Public methods and properties that a class defines itself."""
    for name, member in vars(value).items():
        function = getattr(member, "__func__", member)  # of a class method
        if not name.startswith("_") and (inspect.isfunction(function) or isinstance(function, property)):
            yield name, function


def _documented(name: str, value: Any) -> Iterator[str]:
    """The signature of a function, method or class, and its docstring."""
    if not isinstance(value, property) and not (isinstance(value, type) and issubclass(value, Exception)):
        yield from ("```text", f"{name}{inspect.signature(value)}".replace("'", ""), "```", "")
    text = inspect.cleandoc((value.fget if isinstance(value, property) else value).__doc__ or "")
    # Sections such as "Args:" become lists; in Markdown, their indented lines would be code.
    for line in text.splitlines():
        section = re.fullmatch(r"(Args|Returns|Raises|Attributes|Yields):", line)
        if section:
            yield f"**{section[1]}**"
            yield ""
        elif line.startswith("        "):
            yield "  " + line.strip()
        elif re.match(r"    \S.*?: ", line):
            words, _, rest = line.strip().partition(": ")
            yield f"- `{words}`: {rest}"
        elif line.startswith("    "):
            yield "- " + line.strip()
        else:
            yield line


# Models


def models_page() -> str:
    """Every model in a sentence, with a link to its page, as Markdown."""
    return "\n".join(
        [
            "# Models",
            "",
            _prose(
                """A model computes how water moves. Choose one with `--model NAME`, or press Tab in the window. The
                [list of parameters](../parameters.md) has those of each model."""
            ),
            "",
            *_models(),
            "",
            _prose(
                """Every model keeps the same promises, and the same tests run over all of them. Still water stays
                still, drops move it, no value is ever NaN or infinite, and two runs with the same inputs give the same
                bits. [Architecture](../architecture.md) says how to add a model."""
            ),
            "",
            *_other_pages(),
        ]
    )


def _models() -> Iterator[str]:
    from waterview.waters import MODELS

    rows = [(_linked(name), f"{model.summary[0].upper()}{model.summary[1:]}.") for name, model in MODELS.items()]
    yield from _table(("model", "what it is"), rows)


def _linked(name: str) -> str:
    page = _page_of(name)
    return f"[`{name}`]({page})" if page else f"`{name}`"


def _page_of(model: str) -> str:
    """The model's page in the folder of models, "" if it has none; hyphens and underscores are the same."""
    pages = {path.stem.replace("_", "-"): path.name for path in (HERE / "models").glob("*.md")}
    return pages.get(model, "")


def _other_pages() -> Iterator[str]:
    """Pages beside the models' own, such as what is laid over every model."""
    from waterview.waters import MODELS

    taken = {"index.md", *map(_page_of, MODELS)}
    others = [path for path in sorted((HERE / "models").glob("*.md")) if path.name not in taken]
    if others:
        yield from ("## What goes with every model", "")
        yield from (f"- [{_title(path)}]({path.name})" for path in others)
        yield ""


def _title(path: Path) -> str:
    return path.read_text(encoding="utf-8").splitlines()[0].removeprefix("# ")


# Words and tables


def _prose(text: str) -> str:
    return textwrap.fill(_one_line(text), 120, break_long_words=False, break_on_hyphens=False)


def _one_line(text: str | None) -> str:
    return " ".join((text or "").split())


def _table(head: Sequence[str], rows: Sequence[Sequence[str]]) -> Iterator[str]:
    yield "| " + " | ".join(head) + " |"
    yield "|" + " --- |" * len(head)
    for row in rows:
        yield "| " + " | ".join(cell.replace("\\|", "|").replace("|", "\\|") for cell in row) + " |"


if __name__ == "__main__":
    main()
