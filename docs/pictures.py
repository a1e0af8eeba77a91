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
    render("coast.png", "coast", "--seconds", "1.1", "--drop", "-150,100,5,9")
    render("ripple.png", "coast", "--seconds", "1.3", "--drop", "-125,85,4,8", "--drop", "-105,95,3,6,0.5",
           "--camera", "-115,80,130,215,22")  # fmt: skip
    render("shore.png", "coast", "--seconds", "0.8", "--drop", "-112,72,2.2,5", "--camera", "-98,70,52,205,20")
    render("basin.png", "basin", "--seconds", "0.9", "--drop", "-2,1,0.2,0.5", "--drop", "2,-1.5,0.2,0.4,0.2")


if __name__ == "__main__":
    main()
