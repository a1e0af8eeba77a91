import numpy as np

from waterview.core.diagnostics import FieldMap, Totals
from waterview.ui.hud.field_map import LONGEST, colour_bar, colours, range_lines
from waterview.ui.hud.text import totals_lines


def test_light_shows_the_value_of_a_sequential_map():
    view = FieldMap("energy", np.linspace(0.0, 5.0, 64, dtype=np.float32).reshape(8, 8), "J/m²", diverging=False)
    picture = colours(view).astype(float)
    lightness = (picture[..., :3] @ (0.2126, 0.7152, 0.0722)).ravel()
    assert np.all(np.diff(lightness) > 0.0)
    assert range_lines(view) == ("energy", "5 J/m²", "0 J/m²")


def test_a_diverging_map_is_pale_at_zero_and_blue_or_orange_at_its_ends():
    view = FieldMap("height", np.array([[-1.0, 0.0], [0.5, 0.25]], np.float32), "m", diverging=True)
    picture = colours(view).astype(int)
    assert view.range == (-1.0, 1.0)
    assert picture[0, 1, :3].min() > 230
    assert picture[0, 0, 2] > picture[0, 0, 0]
    assert picture[1, 0, 0] > picture[1, 0, 2]


def test_yes_and_no_large_and_constant_fields_are_drawn_too():
    assert len(np.unique(colours(FieldMap("fixed", np.eye(5, dtype=bool), "", False)).reshape(-1, 4), axis=0)) == 2
    flat = colours(FieldMap("u", np.zeros((3, 9), np.float32), "m", True))
    assert flat.shape == (3, 9, 4)
    assert flat[..., :3].min() > 230, "still water is 0, which is pale"
    assert max(colours(FieldMap("u", np.zeros((20, 2000), np.float32), "m", True)).shape) <= LONGEST
    assert colour_bar(False, 10).shape == (10, 1, 4)


def test_a_flat_map_is_0_and_never_minus_0():
    assert range_lines(FieldMap("u", np.zeros((3, 9), np.float32), "m", True)) == ("u", "0 m", "0 m")


def test_totals_say_what_the_model_knows():
    assert totals_lines(Totals(0.0125)) == ["mean level 0.0125 m"]
    assert totals_lines(Totals(0.0, 3.0, 4.0)) == ["mean level 0 m", "potential energy 4 J", "kinetic energy 3 J"]
