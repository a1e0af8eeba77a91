"""How keys and mouse act on the water: parameters declared once."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from waterview.core.commands import MAX_RAIN, Command, SetBodyDensity, SetRain
from waterview.core.params import Params, param
from waterview.core.playback import MOST_LIVE_POINTS

BODY_KINDS = ("sphere", "box", "duck", "boat")
"""Kinds of bodies that a key steps through."""


@dataclass(frozen=True, kw_only=True)
class InteractionParams(Params):
    """What a click or key does to the water, and what the window shows beside it."""

    drop_size: float = param(
        1.0, low=0.1, high=10.0, step=1.25, scale="log", keys=("-", "+"), doc="Size of drops, 1 is the usual one."
    )
    rain: float = param(
        0.0,
        unit="1/s",
        low=0.0,
        high=MAX_RAIN,
        step=2.0,
        scale="log",
        smallest=5.0,
        keys=("y", "u"),
        doc="Drops of rain a second on the whole water.",
    )
    body_kind: str = param("sphere", choices=BODY_KINDS, keys=("shift+n", "n"), doc="What the next body will be.")
    density: float = param(
        500.0,
        unit="kg/m³",
        low=10.0,
        high=8000.0,
        step=1.25,
        scale="log",
        keys=("j", "k"),
        doc="Density of bodies; those above 1000 kg/m³ sink.",
    )
    time_scale: float = param(
        1.0,
        low=1.0 / 64.0,
        high=64.0,
        step=2.0,
        scale="log",
        keys=("[", "]"),
        doc="How fast time runs: below 1 is slow motion, above 1 fast forward; a slow machine may do less.",
    )
    text_scale: float = param(
        1.0,
        low=0.5,
        high=4.0,
        step=0.1,
        keys=("ctrl+-", "ctrl++"),
        doc="Size of text in the window, 1 suits the screen.",
    )
    pivot: str = param(
        "view",
        choices=("view", "scene", "pointer"),
        doc="What the view turns about: the middle of the view or of the scene, or the point under the pointer.",
    )
    left_drag: str = param(
        "wake",
        choices=("wake", "turn"),
        doc="What dragging with the left button does: draw a wake, or turn the view as in Blender; a click lets a drop "
        "fall either way.",
    )
    gauge_span: float = param(
        60.0,
        unit="s",
        low=1.0,
        high=1e6,
        step=2.0,
        scale="log",
        doc="Simulated time that the plots of gauges show; a measured series is shown whole.",
    )
    click_starts: bool = param(False, doc="Let paused water go on when a click or a key drops something into it.")
    live_points: int = param(
        2048,
        low=64,
        high=MOST_LIVE_POINTS,
        step=2.0,
        scale="log",
        doc="Most points along the longer side of a live scene that is made of a recording (key S).",
    )
    columns: bool = param(
        False, doc="Show the columns of one row of the water, under the pointer or at the probe, from the side (key C)."
    )


INTERACTION_COMMANDS: dict[str, Callable[[float], Command]] = {"rain": SetRain, "density": SetBodyDensity}
"""The command that a change of such a parameter posts, by the name of the parameter."""
