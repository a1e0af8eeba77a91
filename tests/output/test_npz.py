"""Heights as .npz: every number of a water is in it, and nothing is begun that cannot be ended."""

from types import SimpleNamespace

import numpy as np
import pytest
from support.scenes import make_frame

from waterview.core.errors import InputError
from waterview.core.grid import Grid
from waterview.output.npz import save_npz

GRID = Grid((21, 31), 0.25, (-3.0, 1.5, 7.0))


def frames(count):
    """Of a water that rises by a centimetre in a seventh of a second."""
    bed = np.full(GRID.shape, -2.0)
    bed[:3] = 4.0
    for number in range(count):
        frame = make_frame(GRID.shape, bed=bed, heights=np.full(GRID.shape, 0.01 * number), serial=number)
        yield frame.changed(grid=GRID, time=number / 7.0)


def test_everything_is_read_as_it_was(tmp_path):
    save_npz(frames(4), 4, GRID, tmp_path / "a.npz")
    (first, *_, last) = frames(4)
    with np.load(tmp_path / "a.npz") as saved:
        assert set(saved) == {"heights", "times", "bed", "fixed", "spacing", "origin"}
        assert saved["heights"].dtype == np.float32 and saved["heights"].shape == (4, *GRID.shape)
        np.testing.assert_array_equal(saved["heights"][[0, 3]], (first.heights, last.heights))
        np.testing.assert_array_equal(saved["times"], np.arange(4) / 7.0)
        np.testing.assert_array_equal(saved["bed"], last.bed)
        np.testing.assert_array_equal(saved["fixed"], last.fixed)
        assert saved["spacing"] == 0.25
        assert saved["origin"].tolist() == [-3.0, 1.5, 7.0]


def test_what_the_disk_has_no_room_for_is_refused_before_it_is_computed(tmp_path, monkeypatch):
    monkeypatch.setattr("shutil.disk_usage", lambda path: SimpleNamespace(free=4 * 21 * 31 * 3, total=10**9))
    save_npz(frames(3), 3, GRID, tmp_path / "a.npz")
    whole = (tmp_path / "a.npz").read_bytes()

    def computed():
        pytest.fail("a frame was asked for")
        yield

    with pytest.raises(InputError, match=r"0\.0 MB are free: choose fewer seconds or frames, or a smaller grid"):
        save_npz(computed(), 4, GRID, tmp_path / "a.npz")
    assert (tmp_path / "a.npz").read_bytes() == whole
