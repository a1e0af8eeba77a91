"""Plain data from files is what is declared, or refused."""

import math
from dataclasses import dataclass

import numpy as np
import pytest

from waterview.core.saved import LARGEST, check_numbers, made_of


@dataclass(frozen=True)
class Waves:
    kind: str = "none"
    height: float = 0.0
    direction: tuple[float, float] = (1.0, 0.0)
    sides: tuple[str, ...] = ()


def test_what_is_declared_is_made_with_tuples_for_lists():
    assert made_of(Waves, {"direction": [0, 1.0], "sides": ["west"], "height": 2}) == Waves(
        "none", 2, (0, 1.0), ("west",)
    )


@pytest.mark.parametrize(
    "values",
    [
        {"kind": 3},
        {"height": "high"},
        {"height": True},
        {"height": math.nan},
        {"height": 2.0 * LARGEST},
        {"height": 10**400},
        {"direction": [1.0]},
        {"direction": 1.0},
        {"direction": [1.0, -math.inf]},
        {"sides": "west"},
        {"sides": [1]},
    ],
)
def test_another_type_or_a_number_too_large_is_refused(values):
    with pytest.raises(ValueError, match=next(iter(values))):
        made_of(Waves, values)


def test_an_unknown_field_is_refused():
    with pytest.raises(KeyError):
        made_of(Waves, {"colour": "blue"})


@pytest.mark.parametrize("wrong", [math.nan, math.inf, -math.inf, 10**40, -(10**40), np.array([None])])
def test_numbers_that_were_never_saved_are_found_anywhere(wrong):
    data = {"water": [1, 2.5, "name", None, True, {"state": (0.0, wrong)}], "array": np.array([math.nan])}
    with pytest.raises(ValueError, match=r"number|objects"):
        check_numbers(data)


def test_what_is_saved_passes():
    check_numbers({"state": 2**127, "values": np.array([math.nan, 1.0]), "calmed_at": -math.inf, "deep": [[[1.0]]]})
