"""glfw's keys as ImGui calls them, for text fields."""

from __future__ import annotations

import glfw
from imgui_bundle import imgui

_RENAMED = {
    "left": "left_arrow",
    "right": "right_arrow",
    "up": "up_arrow",
    "down": "down_arrow",
    "left_control": "left_ctrl",
    "right_control": "right_ctrl",
    **{str(digit): f"_{digit}" for digit in range(10)},
    **{
        f"kp_{name}": f"keypad_{name}"
        for name in ("add", "decimal", "divide", "enter", "equal", "multiply", "subtract")
    },
    **{f"kp_{digit}": f"keypad{digit}" for digit in range(10)},
}


def _known_keys() -> dict[int, imgui.Key]:
    names = {name.removeprefix("KEY_").lower(): code for name, code in vars(glfw).items() if name.startswith("KEY_")}
    keys = {code: getattr(imgui.Key, _RENAMED.get(name, name), None) for name, code in names.items()}
    return {code: key for code, key in keys.items() if isinstance(key, imgui.Key) and code != glfw.KEY_UNKNOWN}


KEYS: dict[int, imgui.Key] = _known_keys()
"""ImGui's key by glfw's code."""

MODIFIERS = {
    "shift": (glfw.KEY_LEFT_SHIFT, glfw.KEY_RIGHT_SHIFT),
    "ctrl": (glfw.KEY_LEFT_CONTROL, glfw.KEY_RIGHT_CONTROL),
    "alt": (glfw.KEY_LEFT_ALT, glfw.KEY_RIGHT_ALT),
}
"""glfw's codes of the modifier keys."""
