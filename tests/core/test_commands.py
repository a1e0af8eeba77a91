import pytest

from waterview.core.commands import DROP_RADIUS, MAX_HEIGHT, Drop, usual_drop
from waterview.core.errors import ParameterError
from waterview.core.grid import Grid


@pytest.mark.parametrize(
    "numbers",
    [
        (float("nan"), 0.0, 1.0, 1.0),
        (0.0, float("inf"), 1.0, 1.0),
        (0.0, 0.0, 2 * MAX_HEIGHT, 1.0),
        (0.0, 0.0, 1.0, 0.0),
        (0.0, 0.0, 1.0, -1.0),
    ],
)
def test_senseless_drops_are_refused(numbers):
    with pytest.raises(ParameterError, match="drop"):
        Drop(*numbers)


def test_the_usual_drop_suits_the_water():
    assert usual_drop(Grid((101, 201), 2.0), 0.0, 0.0).radius == pytest.approx(400.0 * DROP_RADIUS)
    assert usual_drop(Grid((101, 201), 0.02), 0.0, 0.0, size=2.0).radius == pytest.approx(8.0 * DROP_RADIUS)
