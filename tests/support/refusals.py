"""The error message for a file that is no heightmap."""

import pytest

from waterview.core.errors import TerrainError
from waterview.terrain.readers import read_raster


def refused(path):
    """The message about a file that cannot be read: printable, and with the file's name in it."""
    with pytest.raises(TerrainError) as caught:
        read_raster(path)
    message = str(caught.value)
    assert message.isprintable() and str(path) in message
    return message
