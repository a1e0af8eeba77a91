"""Plain data from files is what is declared, or refused."""

import math
from dataclasses import dataclass

import numpy as np
import pytest
from numpy.typing import NDArray

from waterview.core.saved import LARGEST, array_of, check_numbers, declared, entry_of, fields_of, made_of, random_state


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


def test_whole_numbers_become_those_with_a_point_where_these_are_declared():
    made = made_of(Waves, {"direction": [0, 1], "height": 2})
    assert [type(number) for number in (made.height, *made.direction)] == [float] * 3


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


@pytest.mark.parametrize("values", [None, 7, "waves", [], [("kind", "none")], np.zeros(3)])
def test_fields_come_in_a_table(values):
    with pytest.raises(ValueError, match="Waves"):
        made_of(Waves, values)


@dataclass(frozen=True)
class Place:
    x: float
    name: str = ""


def test_a_field_without_a_default_must_be_there():
    assert fields_of(Place, {"x": 1.0}) == {"x": 1.0}
    with pytest.raises(ValueError, match="x of Place is missing"):
        fields_of(Place, {"name": "here"})


ONES = np.ones((2, 3), np.float32)


@pytest.mark.parametrize(
    ("kind", "value", "made"),
    [
        (float, 3, 3.0),
        (float, np.float32(0.5), 0.5),
        (int, np.int64(3), 3),
        (bool, np.True_, True),
        (str, "west", "west"),
        (list, (1, "a"), [1, "a"]),
        (list[float], [1, 2.5], [1.0, 2.5]),
        (list[tuple[int, float]], [[1, 2], (3, 4.5)], [(1, 2.0), (3, 4.5)]),
        (tuple[float, ...], [], ()),
        (dict, {"a": None}, {"a": None}),
        (dict[str, list[int]], {"a": [1]}, {"a": [1]}),
        (dict | None, None, None),
        (float | None, 2, 2.0),
        (np.ndarray, ONES, ONES),
        (NDArray[np.float32], ONES, ONES),
        (tuple[NDArray[np.int32], str] | None, [ONES, "a"], (ONES, "a")),
        (float | int | str | bool, 3, 3),
        (float | int | str | bool, 10**12, 10**12),
        (float | int | str | bool, True, True),
        (float | int | str | bool, "3", "3"),
    ],
)
def test_an_entry_has_the_type_that_is_declared_for_it(kind, value, made):
    found = entry_of({"it": value}, "it", kind)
    assert found is made or (type(found) is type(made) and found == made)


@pytest.mark.parametrize(
    ("kind", "value"),
    [
        (float, "3"),
        (float, True),
        (float, None),
        (float, 10**400),
        (float, np.ones(1)),
        (int, 3.0),
        (int, False),
        (bool, 1),
        (str, 3),
        (str, b"west"),
        (list, "west"),
        (list, {"a": 1}),
        (list, ONES),
        (list[float], [1.0, "2"]),
        (tuple[int, float], [1]),
        (tuple[int, float], [1, 2.0, 3.0]),
        (dict, [["a", 1]]),
        (dict[str, list[int]], {"a": 1}),
        (dict | None, 0),
        (None | dict, 0),
        (float | None, "3"),
        (float | int | str | bool, None),
        (float | int | str | bool, [3]),
        (NDArray[np.float32], 1.0),
        (np.ndarray, [1.0]),
        (np.ndarray, np.array(["1"])),
        (np.ndarray, np.ones(2, complex)),
        (np.ndarray, np.array([None])),
    ],
)
def test_an_entry_of_another_type_is_refused_by_its_name(kind, value):
    with pytest.raises(ValueError, match="'it' is no"):
        declared(value, kind, "it")


@pytest.mark.parametrize("state", [{}, {"other": 1.0}, None, 7, "it", ["it"]])
def test_an_entry_is_missing_unless_it_has_a_default(state):
    with pytest.raises(KeyError if isinstance(state, dict) else ValueError, match="it"):
        entry_of(state, "it", float)
    if isinstance(state, dict):
        assert entry_of(state, "it", float, 0.0) == 0.0


def test_an_array_is_copied_and_has_the_shape_that_is_needed(recwarn):
    made = array_of({"it": ONES}, "it", np.float64, (2, -1))
    assert made.dtype == np.float64 and (made == ONES).all() and not np.shares_memory(made, ONES)
    assert array_of({}, "it", np.float64, (2, 3), ONES).shape == (2, 3)
    for shape in ((2,), (2, 4), (3, -1), ()):
        with pytest.raises(ValueError, match="'it' has shape"):
            array_of({"it": ONES}, "it", np.float32, shape)
    with pytest.raises(ValueError, match="'it' is no"):
        array_of({"it": 1j * ONES}, "it", np.float32, (2, 3))
    with pytest.raises(ValueError, match="it has numbers outside"):
        array_of({"it": np.array([1e300])}, "it", np.float32, (1,))
    assert not recwarn.list


def test_the_state_of_a_random_generator_is_one():
    state = np.random.default_rng(3).bit_generator.state
    assert random_state({"chance": state}, "chance") == state
    for change in (
        {"bit_generator": "MT19937"},
        {"state": {"state": 1}},
        {"state": {"state": -1, "inc": 1}},
        {"state": [1, 1]},
        {"has_uint32": 2},
        {"uinteger": 1 << 32},
        {"uinteger": "1"},
    ):
        with pytest.raises((KeyError, ValueError)):
            random_state({"chance": {**state, **change}}, "chance")


@pytest.mark.parametrize("wrong", [math.nan, math.inf, -math.inf, 10**40, -(10**40), np.array([None])])
def test_numbers_that_were_never_saved_are_found_anywhere(wrong):
    data = {"water": [1, 2.5, "name", None, True, {"state": (0.0, wrong)}], "array": np.array([math.nan])}
    with pytest.raises(ValueError, match=r"number|objects"):
        check_numbers(data)


def test_what_is_saved_passes():
    check_numbers({"state": 2**127, "values": np.array([math.nan, 1.0]), "calmed_at": -math.inf, "deep": [[[1.0]]]})


@pytest.mark.parametrize(
    "value",
    [10**400, -1, 2.5, math.nan, [0.5, 3.0], [[1.0], [math.nan]], np.array([1.0, np.inf]), np.array([1.0, 3.0j])],
)
def test_an_entry_outside_its_bounds_is_refused(value):
    kind = type(value) if isinstance(value, list | np.ndarray) else float | int
    with pytest.raises(ValueError, match="it"):
        entry_of({"it": value}, "it", kind, low=0.0, high=2.0)


def test_an_entry_without_bounds_of_its_own_has_usual_ones():
    assert entry_of({"it": LARGEST}, "it", float) == LARGEST
    for value in (1.01 * LARGEST, -1.01 * LARGEST):
        with pytest.raises(ValueError, match="outside"):
            entry_of({"it": value}, "it", float)
        with pytest.raises(ValueError, match="outside"):
            array_of({"it": np.array([value])}, "it", np.float32, (1,))


def test_only_where_it_may_lack_a_number_is_nan():
    state = {"it": np.array([np.nan, 1.0])}
    assert np.isnan(array_of(state, "it", np.float32, (2,), may_lack=True)[0])
    with pytest.raises(ValueError, match="outside"):
        array_of(state, "it", np.float32, (2,))
    with pytest.raises(ValueError, match="outside"):
        array_of({"it": np.array([np.nan, np.inf])}, "it", np.float32, (2,), may_lack=True)


def test_the_least_whole_number_is_outside():
    with pytest.raises(ValueError, match="outside"):
        array_of({"it": np.array([np.iinfo(np.int64).min])}, "it", np.int64, (1,))


def test_truth_values_are_true_or_false():
    check_numbers({"it": np.array([True, False])})
    with pytest.raises(ValueError, match="neither"):
        check_numbers({"it": np.array([7], np.uint8).view(bool)})
