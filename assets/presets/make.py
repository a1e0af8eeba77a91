"""Draw the small pictures of the presets in the gallery: python make.py [NAME ...], then look at each of them."""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path

from PIL import Image

from waterview.cli import run
from waterview.scene.presets import load_preset

FOLDER = Path(__file__).resolve().parent
SIZE = (240, 135)
SECONDS = {"monai": "17", "storm-sea": "4"}
"""When a scene is drawn [s], if not after one and a half seconds."""


def draw(preset: Path) -> None:
    """Write NAME.jpg beside NAME.toml: the scene a moment after it has opened."""
    with tempfile.TemporaryDirectory() as folder:
        large = Path(folder) / "large.png"
        seconds = SECONDS.get(preset.stem, "1.5")
        options = ("--preset", preset, "--seconds", seconds, "--fps", "2", "--size", "960x540", "--quality", "high")
        assert run(["render", *map(str, options), "--out", str(large)]) == 0
        with Image.open(large) as picture:
            picture.resize(SIZE, Image.Resampling.LANCZOS).save(preset.with_suffix(".jpg"), quality=85)


for path in sorted(FOLDER.glob("*.toml")):
    if load_preset(path).in_gallery and (path.stem in sys.argv[1:] or not sys.argv[1:]):
        draw(path)
