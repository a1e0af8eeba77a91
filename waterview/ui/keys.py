"""Names of keys, and the actions they do; keys that change a parameter are in its declaration."""

from __future__ import annotations

import sys
from dataclasses import dataclass

import glfw

_NAMED = {
    glfw.KEY_UP: "up",
    glfw.KEY_DOWN: "down",
    glfw.KEY_LEFT: "left",
    glfw.KEY_RIGHT: "right",
    glfw.KEY_PAGE_UP: "page up",
    glfw.KEY_PAGE_DOWN: "page down",
    glfw.KEY_SPACE: "space",
    glfw.KEY_ESCAPE: "esc",
    glfw.KEY_TAB: "tab",
    glfw.KEY_ENTER: "enter",
    glfw.KEY_BACKSPACE: "backspace",
    glfw.KEY_DELETE: "delete",
    glfw.KEY_HOME: "home",
    glfw.KEY_KP_ADD: "+",
    glfw.KEY_KP_SUBTRACT: "-",
    **{getattr(glfw, f"KEY_F{number}"): f"f{number}" for number in range(1, 13)},
}
_SAME = {"=": "+", "*": "+", "_": "-"}
_SIGNS = {
    "up": "↑",
    "down": "↓",
    "left": "←",
    "right": "→",
    "-": "−",
    "page up": "PgUp",
    "page down": "PgDn",
    "delete": "Del",
}


MODIFIERS = {
    "shift": (glfw.KEY_LEFT_SHIFT, glfw.KEY_RIGHT_SHIFT),
    "ctrl": (glfw.KEY_LEFT_CONTROL, glfw.KEY_RIGHT_CONTROL),
    "alt": (glfw.KEY_LEFT_ALT, glfw.KEY_RIGHT_ALT),
    "super": (glfw.KEY_LEFT_SUPER, glfw.KEY_RIGHT_SUPER),
}
"""glfw's codes of the modifier keys."""


@dataclass(frozen=True)
class Action:
    """What a key does: `name` stands for it in the viewer or the window, `doc` in the help; `also` does the same."""

    name: str
    key: str
    doc: str
    also: str = ""

    @property
    def keys(self) -> tuple[str, ...]:
        """Every key that does it."""
        return (self.key, self.also) if self.also else (self.key,)


ACTIONS = (
    Action("pause", "space", "pause or go on"),
    Action("step", ".", "one step while paused; one frame of a recording"),
    Action("back", ",", "one frame of a recording back"),
    Action("live", "s", "simulate from here: a live scene of what is seen of a recording; once more: back"),
    Action("calm", "r", "calm the water"),
    Action("drop", "l", "let a drop fall somewhere on the water"),
    Action("body", "b", "add a floating body under the pointer"),
    Action("course", "m", "send the body under the pointer, or the last, towards the pointer; or stop it"),
    Action("delete", "delete", "take the body under the pointer away"),
    Action("clear", "backspace", "take all bodies away"),
    Action("undo", "ctrl+z", "undo: walls, bodies, water level, settings, calm"),
    Action("redo", "ctrl+shift+z", "do again what was undone", "ctrl+y"),
    Action("gust", "g", "a gust of wind under the pointer"),
    Action("field", "v", "next map of what is inside the water"),
    Action("close field", "shift+v", "close the map"),
    Action("gauge", "ctrl+g", "add a gauge under the pointer, or take away the one there"),
    Action("columns", "c", "columns of one row of the water, seen from the side"),
    Action("north", "alt+up", "next border in the north (upwards on a map)"),
    Action("east", "alt+right", "next border in the east"),
    Action("south", "alt+down", "next border in the south"),
    Action("west", "alt+left", "next border in the west"),
    Action("terrain", "t", "next terrain"),
    Action("model", "tab", "next model"),
    Action("raise", "page up", "raise the water level"),
    Action("lower", "page down", "lower the water level"),
    Action("view", "home", "look at everything again", "f"),
    Action("dive", "d", "dive into the water that is looked at, or come out of it"),
    Action("deeper", "shift+d", "deeper under water"),
    Action("shallower", "alt+d", "less deep under water"),
    Action("keyframe", "f7", "save where the camera is, for it to fly through"),
    Action("new path", "shift+f7", "begin another camera path"),
    Action("fly", "f8", "fly along the camera path, or around; or stop"),
    Action("wireframe", "w", "wireframe"),
    Action("panel", "f2", "panel with every setting"),
    Action("gallery", "f3", "choose among the presets by their pictures"),
    Action("toolbar", "f4", "show or hide the toolbar"),
    Action("keyboard", "f6", "keys go to the panel, or back to the water"),
    Action("fullscreen", "f11", "full screen", "alt+enter"),
    Action("screenshot", "f12", "save a picture"),
    Action("film", "f10", "film what is seen, or end the film"),
    Action("open", "ctrl+o", "open a heightmap, preset, session or recording, or a mesh that floats"),
    Action("save", "f5", "save the session", "ctrl+s"),
    Action("load", "f9", "go back to the session saved"),
    Action("rescue", "shift+f9", "go on where the program ended the last time, also by a crash"),
    Action("help", "h", "this help"),
    Action("close", "esc", "close list, presets, help, panel, map, film; then, pressed twice, quit"),
)

ON_MAC = sys.platform == "darwin"

MOUSE = (
    ("left click", "drop"),
    ("left drag", "draw a wake; on a body: move and throw it"),
    ("Ctrl+left / right drag", "paint / remove walls"),
    ("Alt+left click", "watch the height there over time"),
    ("right drag", "turn the view"),
    ("Alt+right drag", "move the sun"),
    ("middle or Shift+left drag", "move the view"),
    ("wheel", "zoom to the pointer"),
    ("Shift / Alt+wheel or two fingers", "move / turn the view"),
)
"""What the mouse does (`waterview.ui.pointer`), for help and documentation."""


def key_name(code: int) -> str | None:
    """The name of glfw's key `code` on the user's keyboard layout, or None if it has no name here.

    A printable key is named by what it prints without Shift, so "t" is where the user's T is.
    """
    if code in _NAMED:
        return _NAMED[code]
    printed = glfw.get_key_name(code, 0)
    return _SAME.get(printed, printed.lower()) if printed else None


def key_label(key: str, on_mac: bool = False) -> str:
    """A key's name as the help shows it; `on_mac` with the command key, which does there what Ctrl does elsewhere."""
    held, plus, rest = key.partition("+")
    if plus and rest:
        held = "cmd" if on_mac and held == "ctrl" else held
        return f"{held.capitalize()}+{key_label(rest, on_mac)}"
    return _SIGNS.get(key, key.upper() if len(key) == 1 or key[1:].isdigit() else key.capitalize())
