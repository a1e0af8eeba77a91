"""The toolbar: what people do most, as buttons with icons."""

from __future__ import annotations

from collections.abc import Callable, Collection
from dataclasses import dataclass

from waterview.ui.dear_imgui import imgui
from waterview.ui.keys import ACTIONS, ON_MAC, key_label

from .boxes import PADDING
from .dock import Area, in_rows

_CHOSEN = (0.20, 0.52, 0.62, 1.0)
_PLAIN = (0.10, 0.16, 0.20, 0.75)


@dataclass(frozen=True)
class Button:
    """A button of the toolbar.

    Attributes:
        name: of the action in `waterview.ui.keys.ACTIONS` that it does, or of the tool that it chooses.
        icon: its sign in Font Awesome.
        label: what it shows where that font is missing, and the beginning of its tooltip.
        tool: whether it chooses what the left button of the mouse does.
        hint: the rest of its tooltip; "" is what the help says of its action.
    """

    name: str
    icon: str
    label: str
    tool: bool = False
    hint: str = ""

    @property
    def tooltip(self) -> str:
        """What it does, with its key."""
        action = next((action for action in ACTIONS if action.name == self.name), None)
        if action is None or self.tool:
            return f"{self.label}: {self.hint}"
        return f"{self.label}: {self.hint or action.doc} ({key_label(action.key, ON_MAC)})"


BUTTONS = (
    Button("pause", "\uf04c", "Pause"),
    Button("step", "\uf051", "Step"),
    Button("calm", "\uf773", "Calm"),
    Button("view", "\uf015", "Home"),
    Button("drop", "\uf043", "Drop", True, "a click lets a drop fall, a drag draws a wake"),
    Button("body", "\uf21a", "Body", True, "a click adds a floating body; its kind is chosen in the panel or with N"),
    Button("wall", "\ue58a", "Wall", True, "a drag paints a wall; with the right button and Ctrl it is removed"),
    Button("gauge", "\uf201", "Gauge", True, "a click adds a gauge, or takes away the one there"),
    Button("rain", "\uf740", "Rain", hint="let it rain, or stop the rain (U, Y: more, less)"),
    Button("field", "\uf279", "Map"),
    Button("save", "\uf0c7", "Save"),
    Button("film", "\uf03d", "Film"),
    Button("panel", "\uf1de", "Settings"),
)
"""The buttons, from left to right."""

TOOLS = tuple(button.name for button in BUTTONS if button.tool)
"""What the left button of the mouse may do."""

_PLAY = "\uf04b"


class Toolbar:
    """Draws the buttons in a row, in several where the window is narrow.

    Args:
        has_icons: whether the interface's font has the icons.

    Attributes:
        places: of the buttons on the screen, by name: x, y, width, height; empty while it is hidden.
    """

    def __init__(self, has_icons: bool) -> None:
        self._has_icons = has_icons
        self._area: Area | None = None
        self.places: dict[str, tuple[float, float, float, float]] = {}

    def contains(self, x: float, y: float) -> bool:
        """Whether the toolbar lies at x, y in the window."""
        area = self._area
        return area is not None and area.left <= x <= area.right and area.top <= y <= area.bottom

    def hide(self) -> None:
        """It is not drawn."""
        self._area = None
        self.places.clear()

    def draw(self, area: Area, chosen: Collection[str], paused: bool, do: Callable[[Button], None]) -> float:
        """Draw it into the upper left of `area`; returns where it ends.

        Args:
            area: of the window.
            chosen: names of the buttons that are on.
            paused: whether time stands still.
            do: what a click on a button does.
        """
        self.places.clear()
        gap, pad = 0.25 * imgui.get_font_size(), 0.5 * PADDING
        height = 1.9 * imgui.get_font_size()
        widths = [self._width(button, height) for button in BUTTONS]
        rows = in_rows(widths, gap, max(area.width - 2.0 * pad, height))
        width = max(sum(widths[k] for k in row) + gap * (len(row) - 1) for row in rows) + 2.0 * pad
        whole = Area(area.left, area.top, area.left + width, area.top + len(rows) * (height + gap) - gap + 2.0 * pad)
        self._area = whole
        flags = imgui.WindowFlags_
        imgui.set_next_window_pos(imgui.ImVec2(whole.left, whole.top))
        imgui.set_next_window_size(imgui.ImVec2(whole.width, whole.height))
        imgui.set_next_window_bg_alpha(0.45)
        quiet = flags.no_nav | flags.no_saved_settings | flags.no_focus_on_appearing | flags.no_bring_to_front_on_focus
        imgui.push_style_var(imgui.StyleVar_.window_padding, imgui.ImVec2(pad, pad))
        imgui.push_style_var(imgui.StyleVar_.window_min_size, imgui.ImVec2(1.0, 1.0))
        imgui.begin("toolbar", None, flags.no_decoration | flags.no_move | quiet)
        for number, row in enumerate(rows):
            x, y = whole.left + pad, whole.top + pad + number * (height + gap)
            for k in row:
                self._draw_button(BUTTONS[k], (x, y, widths[k], height), BUTTONS[k].name in chosen, paused, do)
                x += widths[k] + gap
        imgui.end()
        imgui.pop_style_var(2)
        return whole.bottom

    def _width(self, button: Button, height: float) -> float:
        if self._has_icons:
            return 1.15 * height
        return float(imgui.calc_text_size(button.label).x) + 2.0 * PADDING

    def _draw_button(
        self,
        button: Button,
        place: tuple[float, float, float, float],
        is_on: bool,
        paused: bool,
        do: Callable[[Button], None],
    ) -> None:
        x, y, width, height = self.places[button.name] = place
        icon = _PLAY if button.name == "pause" and paused else button.icon
        text = icon if self._has_icons else button.label
        imgui.set_cursor_screen_pos(imgui.ImVec2(x, y))
        imgui.push_style_color(imgui.Col_.button, imgui.ImVec4(*(_CHOSEN if is_on else _PLAIN)))
        if imgui.button(f"{text}##{button.name}", imgui.ImVec2(width, height)):
            do(button)
        imgui.pop_style_color()
        imgui.set_item_tooltip(button.tooltip.replace("%", "%%"))
