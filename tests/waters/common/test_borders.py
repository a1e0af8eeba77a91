import pytest

from waterview.core.errors import ParameterError
from waterview.waters.common.borders import BORDER_KINDS, Sides, border_sides, border_text


@pytest.mark.parametrize("kind", BORDER_KINDS)
def test_one_name_is_for_all_sides(kind):
    assert border_sides(kind) == Sides(kind, kind, kind, kind)
    assert border_text(kind) == kind


@pytest.mark.parametrize(
    ("text", "sides"),
    [
        ("north=open,south=zero,east=open-ghost,west=reflecting", ("open", "open-ghost", "zero", "reflecting")),
        ("north=open", ("open", "reflecting", "reflecting", "reflecting")),
        ("open,west=reflecting", ("open", "open", "open", "reflecting")),
        ("west=wrapping,east=wrapping", ("reflecting", "wrapping", "reflecting", "wrapping")),
        (" zero , north = open ", ("open", "zero", "zero", "zero")),
    ],
)
def test_sides_may_differ(text, sides):
    assert border_sides(text) == Sides(*sides)
    assert border_sides(border_text(text)) == Sides(*sides)


def test_four_like_sides_become_one_name():
    assert border_text("north=open,east=open,south=open,west=open") == "open"
    assert border_text("north=open") == "north=open,east=reflecting,south=reflecting,west=reflecting"


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("beach", f"'beach' is no border; allowed are {', '.join(BORDER_KINDS)}"),
        ("", "'' is no border"),
        ("north=", "'' is no border"),
        ("up=open", "each of north, east, south and west"),
        ("north=open,north=zero", "at most once"),
        ("north=open,zero", "as in north=zero"),
        ("north=wrapping", "north and south must both be wrapping"),
        ("wrapping,east=open", "east and west must both be wrapping"),
    ],
)
def test_a_wrong_text_is_told_in_one_line(text, words):
    with pytest.raises(ParameterError, match=words) as caught:
        border_sides(text)
    assert "\n" not in str(caught.value)
