"""Draw the small pictures of the presets: python make.py, then look at each of them."""

from __future__ import annotations

import tempfile
from pathlib import Path

from PIL import Image

from waterview.cli import run

FOLDER = Path(__file__).resolve().parent
SIZE = (240, 135)
SECONDS = {"monai": "17", "wake": "18"}
"""When a scene is drawn [s], if not after four seconds."""


def draw(preset: Path) -> None:
    """Write NAME.jpg beside NAME.toml: the scene as it opens, a few seconds later."""
    with tempfile.TemporaryDirectory() as folder:
        large = Path(folder) / "large.png"
        seconds = SECONDS.get(preset.stem, "4")
        options = ("--preset", preset, "--seconds", seconds, "--fps", "1", "--size", "960x540", "--quality", "high")
        assert run(["render", *map(str, options), "--out", str(large)]) == 0
        with Image.open(large) as picture:
            picture.resize(SIZE, Image.Resampling.LANCZOS).save(preset.with_suffix(".jpg"), quality=85)


for path in sorted(FOLDER.glob("*.toml")):
    draw(path)
