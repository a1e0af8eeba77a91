"""The program called in this process, and a heightmap to call it with."""

import numpy as np
import pytest

from waterview.cli import run


@pytest.fixture
def call(capfd):
    """Run the program in this process: exit code, standard output, standard error."""

    def call(*arguments):
        code = run([str(argument) for argument in arguments])
        out, err = capfd.readouterr()
        return code, out, err

    return call


@pytest.fixture
def islands(tmp_path):
    """A heightmap of 40 × 30 metres with an island in the middle, as .npy."""
    z, x = np.mgrid[-15:15:31j, -20:20:41j]
    path = tmp_path / "island.npy"
    np.save(path, (3.0 - 0.5 * np.hypot(x, z)).astype(np.float32))
    return path
