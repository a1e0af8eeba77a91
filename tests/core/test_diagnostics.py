import numpy as np
import pytest

from waterview.core.diagnostics import FieldMap


def test_a_diverging_quantity_reaches_as_far_below_zero_as_above():
    values = np.array([[-1.0, 3.0], [0.0, 2.0]], np.float32)
    assert FieldMap("velocity", values, "m/s", diverging=True).range == (-3.0, 3.0)
    assert FieldMap("velocity", -values, "m/s", diverging=True).range == (-3.0, 3.0)
    assert FieldMap("energy", values, "J", diverging=False).range == (-1.0, 3.0)


def test_its_values_cannot_be_written():
    view = FieldMap("height", np.zeros((2, 2)), "m", diverging=True)
    with pytest.raises(ValueError, match="read-only"):
        view.values[0, 0] = 1.0
