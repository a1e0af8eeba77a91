"""Draws the reference pictures anew: `python tests/render/references/make.py`; then look at what has changed.

With `--into FOLDER` they are drawn there instead, and compared with those that are here.
"""

import argparse
import sys
from pathlib import Path

import moderngl
from PIL import Image

sys.path.insert(0, str(Path(__file__).parents[2]))

from support import pictures as references


def main() -> None:
    """Draw them all."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--into", type=Path, default=references.FOLDER)
    folder = parser.parse_args().into
    folder.mkdir(parents=True, exist_ok=True)
    ctx = moderngl.create_context(standalone=True, backend="egl", require=330)
    for scene, tier in references.NAMES:
        drawn = zip(
            references.draw(ctx, scene, tier),
            references.paths(scene, tier),
            references.paths(scene, tier, folder),
            strict=True,
        )
        for pixels, here, there in drawn:
            share = references.missed(pixels, references.load(here)) if here.exists() else 1.0
            Image.fromarray(pixels).save(there, optimize=True)
            print(f"{there.name:28} {100.0 * share:6.2f} % of the pixels have changed")


if __name__ == "__main__":
    main()
