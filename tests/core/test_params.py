from dataclasses import dataclass

import numpy as np
import pytest

from waterview.core.errors import ParameterError
from waterview.core.params import Params, declaration, declarations, param


def even(text):
    if len(text) % 2:
        raise ParameterError(f"'{text}' has an odd number of letters: allowed are even ones")
    return text.upper()


@dataclass(frozen=True, kw_only=True)
class Example(Params):
    speed: float = param(2.0, unit="m/s", low=0.0, high=100.0, step=2.0, scale="log", smallest=0.5, doc="How fast.")
    count: int = param(3, low=1, high=9, step=1)
    tilt: float = param(0.0, unit="°", low=-90.0, high=0.0, step=10.0)
    kind: str = param("a", choices=("a", "b", "c"))
    on: bool = param(False)
    word: str = param("AA", choices=("AA", "BB"), parse=even, syntax="any word of an even number of letters")


def test_declarations_know_flags_and_labels():
    entry = declaration(Example, "speed")
    assert (entry.flag, entry.label, entry.allowed) == ("--speed", "speed", "0 to 100 m/s")
    assert [entry.name for entry in declarations(Example)] == ["speed", "count", "tilt", "kind", "on", "word"]


@pytest.mark.parametrize(
    ("name", "value", "words"),
    [
        ("speed", 101.0, "0 to 100 m/s"),
        ("speed", float("nan"), "0 to 100 m/s"),
        ("speed", -0.1, "choose a value"),
        ("speed", 10**400, "0 to 100 m/s"),
        ("count", -(10**400), "whole numbers"),
        ("speed", "fast", "a number is needed"),
        ("speed", True, "a number is needed"),
        ("count", 2.5, "whole numbers"),
        ("kind", "d", "a, b, c"),
        ("on", 1, "true and false"),
        ("word", "abc", "even ones"),
        ("weight", 1.0, "no parameter is called 'weight'"),
    ],
)
def test_a_wrong_value_is_told_in_one_line(name, value, words):
    with pytest.raises(ParameterError, match=words) as caught:
        Example().changed(**{name: value})
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(("name", "limits"), [("speed", (0.0, 100.0)), ("count", (1, 9)), ("tilt", (-90.0, 0.0))])
def test_the_limits_themselves_are_allowed(name, limits):
    for limit in limits:
        assert getattr(Example().changed(**{name: limit}), name) == limit


def test_values_take_the_declared_type():
    example = Example(speed=5)
    assert isinstance(example.speed, float)
    assert example.changed(count=4.0).count == 4


def test_numbers_of_numpy_are_numbers():
    example = Example(speed=np.float32(1.5), count=np.int64(4), on=np.bool_(True))
    assert (example.speed, example.count, example.on) == (1.5, 4, True)
    assert [type(value) for value in (example.speed, example.count, example.on)] == [float, int, bool]
    with pytest.raises(ParameterError, match="0 to 100 m/s"):
        Example(speed=np.float32("nan"))
    with pytest.raises(ParameterError, match="a number is needed"):
        Example(count=np.bool_(True))


def test_log_steps_multiply_and_reach_zero_and_come_back():
    entry = declaration(Example, "speed")
    assert entry.stepped(2.0, +1) == pytest.approx(4.0)
    assert entry.stepped(2.0, +1, fine=True) == pytest.approx(2.0 * 2.0**0.2, rel=1e-5)
    assert entry.stepped(0.5, -1) == 0.0
    assert entry.stepped(0.0, -1) == 0.0
    assert entry.stepped(0.0, +1) == 0.5
    assert entry.stepped(80.0, +1) == 100.0


def test_linear_steps_stay_inside():
    assert declaration(Example, "count").stepped(9, +1) == 9
    assert declaration(Example, "tilt").stepped(-5.0, +1) == 0.0
    assert declaration(Example, "tilt").stepped(-5.0, -1) == -15.0
    assert declaration(Example, "tilt").stepped(-5.0, -1, fine=True) == -7.0


def test_choices_go_round():
    assert declaration(Example, "kind").stepped("c", +1) == "a"
    assert declaration(Example, "kind").stepped("a", -1) == "c"


def test_a_text_that_is_parsed_is_kept_in_its_usual_form():
    assert Example(word="abba").word == "ABBA"
    assert Example().changed(word="bb").word == "BB"
    entry = declaration(Example, "word")
    assert entry.allowed == "AA, BB, or any word of an even number of letters"
    assert entry.stepped("AA", +1) == "BB"
    assert entry.stepped("ABBA", +1) == entry.stepped("ABBA", -1) == "AA"
