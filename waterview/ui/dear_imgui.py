"""Dear ImGui, which draws the interface; None where it is not installed, and the window shows the water alone."""

from typing import Any

__all__ = ["imgui", "implot"]

try:
    import imgui_bundle
except ModuleNotFoundError:
    imgui: Any = None
    implot: Any = None
else:
    imgui, implot = imgui_bundle.imgui, imgui_bundle.implot
