"""The timeline of a recording: a slider over its frames, with buttons to play it, at the lower edge of the window."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from imgui_bundle import imgui

from waterview.core.playback import PlaybackState
from waterview.ui.keys import ACTIONS, ON_MAC, key_label

from .boxes import PADDING
from .dock import Area, in_rows


@dataclass(frozen=True)
class _Button:
    name: str
    icon: str
    label: str

    @property
    def tooltip(self) -> str:
        doc, key = next(((action.doc, action.key) for action in ACTIONS if action.name == self.name), ("", ""))
        return f"{doc or 'begin again after the last frame'}{f' ({key_label(key, ON_MAC)})' if key else ''}"


_BUTTONS = (
    _Button("pause", "\uf04c", "Pause"),
    _Button("back", "\uf048", "Back"),
    _Button("step", "\uf051", "Step"),
    _Button("loop", "\uf01e", "Loop"),
)
_LIVE = _Button("live", "\uf773", "Simulate from here")
_PLAY = "\uf04b"
_CHOSEN = (0.20, 0.52, 0.62, 1.0)
_PLAIN = (0.10, 0.16, 0.20, 0.75)
_APART = "   "
"""What stands between the words beside the slider."""
_SHORTEST = 8.0
"""Least length of the slider beside them, in heights of the font; where there is less it has a row of its own."""


class Timeline:
    """Draws the timeline and tells what is asked for.

    Args:
        has_icons: whether the interface's font has the icons.

    Attributes:
        places: of the buttons, the words and the slider, by name: x, y, width, height; empty while it is not drawn.
        asked: the frame that the slider was dragged to; None while nobody drags it.
    """

    def __init__(self, has_icons: bool) -> None:
        self._has_icons = has_icons
        self._area: Area | None = None
        self.places: dict[str, tuple[float, float, float, float]] = {}
        self.asked: int | None = None

    def contains(self, x: float, y: float) -> bool:
        """Whether it lies at x, y in the window."""
        area = self._area
        return area is not None and area.left <= x <= area.right and area.top <= y <= area.bottom

    def hide(self) -> None:
        """It is not drawn."""
        self._area, self.asked = None, None
        self.places.clear()

    def draw(
        self,
        area: Area,
        playback: PlaybackState,
        *,
        paused: bool,
        loop: bool,
        speed: float,
        act: Callable[[str], None],
        show: Callable[[int], None],
    ) -> float:
        """Draw it at the lower edge of `area`; returns where it begins.

        Args:
            area: of the window.
            playback: what is shown.
            paused: whether it stands still.
            loop: whether it begins again after the last frame.
            speed: seconds of the recording that pass in one.
            act: does the action of a button, by its name.
            show: goes to a frame.
        """
        self.places.clear()
        em = imgui.get_font_size()
        height, gap, pad = 1.9 * em, 0.25 * em, 0.5 * PADDING
        buttons, words = (*_BUTTONS, _LIVE), timeline_words(playback, self.asked, speed).split(_APART)
        widths = [self._width(button, height) for button in buttons]
        widths += [imgui.calc_text_size(word).x + PADDING for word in words]
        room = area.width - 2.0 * pad - sum(widths) - gap * len(widths)  # for the slider among them
        rows = in_rows(widths, gap, area.width - 2.0 * pad)
        count = 1 if room >= _SHORTEST * em else len(rows) + 1
        top = area.bottom - count * height - (count - 1) * gap - 2.0 * pad
        self._begin(Area(area.left, top, area.right, area.bottom))
        slider = area.left + pad, area.bottom - pad - height, area.width - 2.0 * pad, height
        for number, row in enumerate(rows):
            x, y = area.left + pad, top + pad + number * (height + gap)
            for k in row:
                if k == len(buttons) and count == 1:
                    slider = x, y, room, height
                    x += room + gap
                if k < len(buttons):
                    is_on = paused if buttons[k].name == "pause" else loop and buttons[k].name == "loop"
                    self._draw_button(buttons[k], (x, y), height, is_on, paused, act)
                else:
                    self._draw_words(words[k - len(buttons)], (x, y, widths[k], height))
                x += widths[k] + gap
        self._draw_slider(slider, playback, show)
        _end()
        return top

    def draw_way_back(self, area: Area, title: str, act: Callable[[str], None]) -> float:
        """Draw a button that leads back to the recording `title`, at the lower edge; returns where it begins."""
        self.places.clear()
        height, pad = 1.9 * imgui.get_font_size(), 0.5 * PADDING
        button = _Button("live", _LIVE.icon, f"Back to {title}")
        width = self._width(button, height) + 2.0 * pad
        top = area.bottom - height - 2.0 * pad
        self._begin(Area(area.left, top, min(area.left + width, area.right), area.bottom))
        self._draw_button(button, (area.left + pad, top + pad), height, False, False, act)
        _end()
        return top

    def _begin(self, area: Area) -> None:
        """Begin what is drawn in `area`."""
        self._area = area
        flags = imgui.WindowFlags_
        imgui.set_next_window_pos(imgui.ImVec2(area.left, area.top))
        imgui.set_next_window_size(imgui.ImVec2(area.width, area.bottom - area.top))
        imgui.set_next_window_bg_alpha(0.45)
        quiet = flags.no_nav | flags.no_saved_settings | flags.no_focus_on_appearing | flags.no_bring_to_front_on_focus
        pad = 0.5 * PADDING
        imgui.push_style_var(imgui.StyleVar_.window_padding, imgui.ImVec2(pad, pad))
        imgui.begin("timeline", None, flags.no_decoration | flags.no_move | quiet)

    def _has_icon(self, button: _Button) -> bool:
        return self._has_icons and button.name != _LIVE.name

    def _width(self, button: _Button, height: float) -> float:
        return 1.15 * height if self._has_icon(button) else imgui.calc_text_size(button.label).x + 2.0 * PADDING

    def _draw_button(
        self,
        button: _Button,
        corner: tuple[float, float],
        height: float,
        is_on: bool,
        paused: bool,
        act: Callable[[str], None],
    ) -> None:
        icon = _PLAY if button.name == "pause" and paused else button.icon
        text = icon if self._has_icon(button) else button.label
        width = self._width(button, height)
        self.places[button.name] = (*corner, width, height)
        imgui.set_cursor_screen_pos(imgui.ImVec2(*corner))
        imgui.push_style_color(imgui.Col_.button, imgui.ImVec4(*(_CHOSEN if is_on else _PLAIN)))
        if imgui.button(f"{text}##{button.name}", imgui.ImVec2(width, height)):
            act(button.name)
        imgui.pop_style_color()
        imgui.set_item_tooltip(button.tooltip.replace("%", "%%"))

    def _draw_words(self, words: str, place: tuple[float, float, float, float]) -> None:
        x, y, _, height = self.places[words] = place
        imgui.set_cursor_screen_pos(imgui.ImVec2(x + 0.5 * PADDING, y + 0.5 * (height - imgui.get_font_size())))
        imgui.text_unformatted(words)

    def _draw_slider(
        self, place: tuple[float, float, float, float], playback: PlaybackState, show: Callable[[int], None]
    ) -> None:
        x, y, width, height = self.places["slider"] = place
        last = len(playback.recorded.times) - 1
        imgui.set_cursor_screen_pos(imgui.ImVec2(x, y))
        imgui.set_next_item_width(max(width, 1.0))
        imgui.push_style_var(
            imgui.StyleVar_.frame_padding, imgui.ImVec2(PADDING, 0.5 * (height - imgui.get_font_size()))
        )
        number = playback.number if self.asked is None else self.asked
        changed, wanted = imgui.slider_int("##frame", number, 0, max(last, 1), "", imgui.SliderFlags_.no_input)
        imgui.pop_style_var()
        if changed:
            self.asked = min(wanted, last)
            show(self.asked)
        if not imgui.is_item_active():
            self.asked = None


def _end() -> None:
    imgui.end()
    imgui.pop_style_var()


def timeline_words(playback: PlaybackState, asked: int | None, speed: float) -> str:
    """Where a recording is, how fast it is played, and in how many seconds it will have been played to its end.

    Args:
        playback: what is shown.
        asked: the frame that the slider was dragged to, which goes before what is shown; or None.
        speed: seconds of the recording that pass in one.
    """
    times, number = playback.recorded.times, playback.number if asked is None else asked
    pace = f"{speed:.2g}" if speed < 100.0 else f"{speed:.0f}"
    words = [f"{times[number]:.5g} / {times[-1]:.5g} s", f"frame {number + 1} / {len(times)}", f"{pace} × real time"]
    words += [f"{(times[-1] - times[number]) / speed:.0f} s left"] if speed > 0.0 else []
    return _APART.join(words)
