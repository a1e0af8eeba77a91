"""A refusal is one line that can be printed, whatever a file or a name holds."""

import pytest

from waterview.core.errors import InputError, ParameterError, TerrainError


@pytest.mark.parametrize("kind", [InputError, ParameterError, TerrainError])
def test_signs_that_cannot_be_printed_are_escaped(kind):
    assert str(kind("no body is called 'a\nb\x1b[31m\u202e'")) == r"no body is called 'a\nb\x1b[31m\u202e'"
    assert str(kind("Höhe − 3 m²; allowed: λ")) == "Höhe − 3 m²; allowed: λ"


def test_of_what_is_very_long_the_middle_is_left_out():
    text = str(InputError(f"cannot read {'x' * 5000}.tif; choose another file"))
    assert len(text) < 500 and text.startswith("cannot read xxx") and text.endswith("xxx.tif; choose another file")
    text = str(InputError(f"allowed are {'name, ' * 2000}; did you mean 'a'?"))
    assert len(text) < 2000 and text.startswith("allowed are name, ") and text.endswith("did you mean 'a'?")
