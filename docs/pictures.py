"""Draws the pictures of the documentation: run `make pictures`, then look at each of them."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

HERE = Path(__file__).parent / "pictures"
SIZE = "1280x720"


def render(name: str, *arguments: str) -> None:
    """Draw one picture with the program's own command line."""
    command = [sys.executable, "-m", "waterview", "render", "--size", SIZE, "--quality", "high"]
    subprocess.run([*command, *arguments, "--out", str(HERE / name)], check=True)


def main() -> None:
    """Draw them all."""
    HERE.mkdir(exist_ok=True)
    render("coast.png")


if __name__ == "__main__":
    main()
