"""The four borders by keys: every kind can be reached on every side, and nothing that is not allowed."""

import pytest

from waterview.core.params import declarations
from waterview.ui.border_keys import SIDES, kinds_of, next_border
from waterview.waters import MODELS
from waterview.waters.common.borders import BORDER_KINDS, border_sides


def border_of(params):
    return next((entry for entry in declarations(type(params)) if entry.name == "border"), None)


@pytest.mark.parametrize("side", SIDES)
@pytest.mark.parametrize("name", ["wave-equation", "dual-buffer", "height-field"])
def test_a_side_goes_through_every_kind_and_the_others_stay(name, side):
    params, seen = MODELS[name].Params(), []
    for _ in BORDER_KINDS:
        before = params.border
        border, message = next_border(params, side)
        params = params.changed(border=border)
        kind = getattr(border_sides(params.border), side)
        assert message == f"border in the {side}: {kind}"
        seen.append(kind)
        left = {other for other in SIDES if kinds_of(params.border)[other] != kinds_of(before)[other]} - {side}
        assert len(left) <= 1, "only the opposite side of one that wraps goes along"
        assert not left or "wrapping" in (kind, kinds_of(before)[side])
    assert sorted(seen) == sorted(BORDER_KINDS)


def test_sides_that_were_chosen_apart_stay_apart():
    params = MODELS["height-field"].Params().changed(border="north=open,south=zero,east=zero")
    border, _ = next_border(params, "east")
    sides = border_sides(border)
    assert (sides.north, sides.south, sides.west) == ("open", "zero", "reflecting")
    kinds = list(BORDER_KINDS)
    assert sides.east == kinds[(kinds.index("zero") + 1) % len(kinds)]


@pytest.mark.parametrize("name", MODELS)
def test_every_model_takes_it_or_says_in_a_line_why_not(name):
    params = MODELS[name].Params()
    border, message = next_border(params, "north")
    assert "\n" not in message and message
    if border_of(params) is None:
        assert border is None
    else:
        assert params.changed(border=border).border != params.border
