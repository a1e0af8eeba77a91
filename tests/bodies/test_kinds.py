"""Bodies as users write them."""

import pytest

from waterview.bodies.kinds import parse_body
from waterview.core.commands import AddBody
from waterview.core.errors import InputError, ParameterError


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("sphere", AddBody("sphere")),
        ("box:250", AddBody("box", 250.0)),
        ("duck::1.5,-2", AddBody("duck", None, 1.5, -2.0)),
        ("boat:400:0,1e1", AddBody("boat", 400.0, 0.0, 10.0)),
        ("boat:::90@2.5", AddBody("boat", None, None, None, 90.0, 2.5)),
        ("boat:400: 1,2 : -45 @ 3", AddBody("boat", 400.0, 1.0, 2.0, -45.0, 3.0)),
        (" sphere: 300 : 1 , 2 ", AddBody("sphere", 300.0, 1.0, 2.0)),
    ],
)
def test_what_is_understood(text, expected):
    assert parse_body(text) == expected


@pytest.mark.parametrize(
    ("text", "kind", "message"),
    [
        ("dukc", InputError, "no body is called 'dukc'; allowed are sphere, box, duck, boat; did you mean 'duck'?"),
        ("Spere:300", InputError, "did you mean 'sphere'?"),
        ("", InputError, "no body is called ''"),
        ("sphere:heavy", ParameterError, "density 'heavy' is not allowed; allowed are 1 to 25000 kg/m³"),
        ("sphere:0.5", ParameterError, "density '0.5' is not allowed"),
        ("sphere:nan", ParameterError, "density 'nan' is not allowed"),
        ("sphere:300:1", ParameterError, "place '1' is not allowed; needed is X,Z in metres"),
        ("sphere:300:1,b", ParameterError, "place '1,b' is not allowed"),
        ("sphere:300:inf,0", ParameterError, "place 'inf,0' is not allowed"),
        ("sphere:300:", ParameterError, "place '' is not allowed"),
        ("boat:300:1,2:3", ParameterError, "course '3' is not allowed; needed is HEADING@SPEED in degrees"),
        ("boat:::", ParameterError, "course '' is not allowed"),
        ("boat:::north@3", ParameterError, "course 'north@3' is not allowed"),
        ("boat:::nan@3", ParameterError, "course 'nan@3' is not allowed"),
        ("boat:::400@3", ParameterError, "a course of 400 degrees: allowed are −360 to 360"),
        ("boat:::90@-1", ParameterError, "a course at -1 m/s: allowed are 0 to 100 m/s"),
        ("sphere:300:1,2:90@1:4", ParameterError, "needed is KIND[@SIZE][:DENSITY[:X,Z[:HEADING@SPEED]]]"),
    ],
)
def test_errors_are_one_line(text, kind, message):
    with pytest.raises(kind) as caught:
        parse_body(text)
    text_of_error = str(caught.value)
    assert text_of_error.startswith(f"--body '{text}'")
    assert message in text_of_error
    assert "\n" not in text_of_error
