"""The program in a process where some libraries cannot be imported, as where they are not installed."""

import subprocess
import sys

LIBRARIES = ("rasterio", "av", "imgui_bundle")

_BLOCK = """
import sys
class Missing:
    def find_spec(self, name, path=None, target=None):
        if name.partition('.')[0] in {names!r}:
            raise ModuleNotFoundError(f'No module named {{name!r}}', name=name)
sys.meta_path.insert(0, Missing())
"""


def command_without(program, *arguments, names=LIBRARIES):
    """The command that runs the text `program` where the modules `names` are missing."""
    return [sys.executable, "-c", _BLOCK.format(names=set(names)) + program, *map(str, arguments)]


def run_without(program, *arguments, names=LIBRARIES, **options):
    """Run it to its end."""
    command = command_without(program, *arguments, names=names)
    return subprocess.run(command, capture_output=True, text=True, timeout=250, check=False, **options)
