"""Help of the commands with many options: a dozen lines, and with --help-all every option under its section."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from typer.core import TyperCommand

from waterview.scene.sections import in_sections

from .options import offered_parameters

BRIEF = {
    "view": {
        "heightmap": "a heightmap file, or the name of a bundled terrain",
        "preset": "a whole scene; waterview presets lists them",
        "model": "how water is computed; waterview models lists them",
        "body": "a sphere, box, duck, boat or mesh file that floats",
        "camera": "what is looked at, and from how far, in metres",
        "record": "record what is done, to --replay it to the bit",
    },
    "render": {
        "heightmap": "a heightmap file, or the name of a bundled terrain",
        "out": "what to write: .png, .mp4, .gif, .npz, .nc and more",
        "seconds": "how long to simulate",
        "fps": "frames a second of simulated time",
        "preset": "a whole scene; waterview presets lists them",
        "model": "how water is computed; waterview models lists them",
        "drop": "a drop at X,Z in metres; may be repeated",
        "body": "a sphere, box, duck, boat or mesh file that floats",
        "camera": "what is looked at, and from how far, in metres",
    },
    "bake": {
        "heightmap": "a heightmap file, or the name of a bundled terrain",
        "out": "the store to make",
        "seconds": "how long to simulate",
        "every": "simulated seconds between two frames",
        "grid": "points along the longer side",
        "drop": "a drop at X,Z in metres; may be repeated",
        "workers": "workers on this machine",
        "resume": "go on with a store that was begun",
    },
}
"""What the short help of a command says of the options that people begin with, in lines of 80 letters."""


class SceneCommand(TyperCommand):
    """A command with an option for every declared parameter."""

    def format_help(self, ctx: Any, formatter: Any) -> None:
        """Write the short help."""
        brief = BRIEF[str(self.name)]
        by_name = {parameter.name: parameter for parameter in self.get_params(ctx)}
        self.format_usage(ctx, formatter)
        self.format_help_text(ctx, formatter)
        rows = [(_usage(by_name[name], ctx), words) for name, words in brief.items()]
        sections = "; ".join(self._sections(by_name))
        formatter.write_paragraph()
        with formatter.indentation():
            formatter.write_dl([*rows, ("--help-all", f"every option, in the panel's sections: {sections}")])

    def full_help(self, ctx: Any) -> str:
        """The help with every option."""
        formatter = ctx.make_formatter()
        self.format_usage(ctx, formatter)
        self.format_help_text(ctx, formatter)
        by_name = {parameter.name: parameter for parameter in self.get_params(ctx)}
        declared = self._sections(by_name)
        found = {name for names in declared.values() for name in names}
        own = {"Options": [name for name in by_name if name not in found]}
        for title, names in (own | declared).items():
            records = [by_name[name].get_help_record(ctx) for name in names]
            with formatter.section(title):
                formatter.write_dl([record for record in records if record is not None])
        return str(formatter.getvalue()).rstrip("\n")

    def _sections(self, by_name: Mapping[str, Any]) -> dict[str, list[str]]:
        """Names of the declared parameters of this command, by the title of their section."""
        offered = [entry for entry in offered_parameters() if entry.name in by_name]
        return {title: [entry.name for entry in own] for title, own in in_sections(offered).items()}


def _usage(parameter: Any, ctx: Any) -> str:
    """An option and what it takes, in a few letters."""
    if parameter.param_type_name == "argument":
        return str(parameter.metavar)
    return str(parameter.get_help_record(ctx)[0]).partition("[")[0]
