import numpy as np
import pytest

from waterview.core.fields import FieldView


def test_a_diverging_quantity_reaches_as_far_below_zero_as_above():
    values = np.array([[-1.0, 3.0], [0.0, 2.0]], np.float32)
    assert FieldView("velocity", values, "m/s", diverging=True).range == (-3.0, 3.0)
    assert FieldView("energy", values, "J", diverging=False).range == (-1.0, 3.0)


def test_its_values_cannot_be_written():
    view = FieldView("height", np.zeros((2, 2)), "m", diverging=True)
    with pytest.raises(ValueError, match="read-only"):
        view.values[0, 0] = 1.0
