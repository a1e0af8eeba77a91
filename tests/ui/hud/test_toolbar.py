"""The toolbar and the dock, without a window."""

import pytest

from waterview.ui.hud.boxes import MARGIN
from waterview.ui.hud.dock import Area
from waterview.ui.hud.toolbar import BUTTONS, TOOLS
from waterview.ui.keys import ACTIONS


def test_every_button_is_a_tool_or_an_action_or_the_rain():
    actions = {action.name for action in ACTIONS}
    assert {button.name for button in BUTTONS if not button.tool} - actions == {"rain"}
    assert TOOLS == ("drop", "body", "wall", "gauge")
    icons = [button.icon for button in BUTTONS]
    assert len(set(icons)) == len(icons)


def test_tooltips_name_the_key():
    tooltips = {button.name: button.tooltip for button in BUTTONS}
    assert tooltips["pause"] == "Pause: pause or go on (Space)"
    assert "a drag paints a wall" in tooltips["wall"]
    assert "U, Y" in tooltips["rain"]


@pytest.mark.parametrize(
    ("panel", "left", "right"),
    [
        (None, MARGIN, 788.0),
        (Area(10.0, 50.0, 300.0, 500.0), 308.0, 788.0),
        (Area(500.0, 50.0, 790.0, 500.0), MARGIN, 492.0),
        (Area(0.0, 0.0, 800.0, 600.0), 788.0, 788.0),
    ],
)
def test_what_is_left_beside_the_panel(panel, left, right):
    area = Area.beside((800.0, 600.0), panel)
    assert (area.left, area.right) == (left, right)
    assert area.width == right - left
    assert (area.top, area.bottom) == (MARGIN, 600.0 - MARGIN)


def test_parts_of_an_area_never_turn_inside_out():
    area = Area(0.0, 0.0, 100.0, 50.0)
    assert area.below(20.0) == Area(0.0, 20.0, 100.0, 50.0)
    assert area.below(80.0).height == 0.0
    assert area.above(-5.0).height == 0.0
    assert area.left_of(-5.0).width == 0.0
    assert area.left_of(500.0) == area
