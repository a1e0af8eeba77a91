"""Films of what is seen: right in time however the pictures come."""

import os

import av
import numpy as np
import pytest

from waterview.ui.capture.film import FilmCapture

SIZE = (64, 48)


@pytest.fixture
def filming(tmp_path, messages):
    return FilmCapture(messages.append, tmp_path)


def picture(grey):
    return lambda: np.full((SIZE[1], SIZE[0], 3), grey, np.uint8)


def decoded(folder):
    (path,) = folder.glob("*.mp4")
    with av.open(str(path)) as container:
        frames = list(container.decode(container.streams.video[0]))
    return [frame.time for frame in frames], [np.median(frame.to_ndarray(format="rgb24")) for frame in frames]


def test_quick_pictures_are_left_out_and_late_ones_shown_late(filming, tmp_path, messages):
    filming.toggle(SIZE, 100.0)
    assert filming.on
    # 120 pictures a second, then a pause of 0.4 s, then one more; the end comes 0.1 s later.
    for number in range(12):
        filming.offer(picture(10 * number), SIZE, 100.0 + number / 120.0)
    filming.offer(picture(200), SIZE, 100.5)
    filming.toggle(SIZE, 100.6)
    assert not filming.on
    times, greys = decoded(tmp_path)
    assert times == pytest.approx([0.0, 1 / 30, 2 / 30, 0.1, 0.5, 0.6], abs=1e-3)
    assert greys[-2:] == pytest.approx([200, 200], abs=4)
    assert "saved" in messages[-1] and ".mp4" in messages[-1]


def test_another_size_ends_the_film(filming, tmp_path, messages):
    filming.toggle(SIZE, 0.0)
    filming.offer(picture(50), SIZE, 0.0)
    filming.offer(picture(50), (20, 20), 1.0)
    assert not filming.on
    assert "another size" in messages[1]
    assert decoded(tmp_path)[0] == pytest.approx([0.0, 1.0])


def test_a_full_disk_ends_the_film_with_a_message(filming, tmp_path, messages, monkeypatch):
    os.symlink("/dev/full", tmp_path / "full.mp4")
    monkeypatch.setattr("waterview.ui.capture.film.dated_path", lambda folder, ending: tmp_path / "full.mp4")
    filming.toggle(SIZE, 0.0)
    rng = np.random.default_rng(1)
    for number in range(40):
        filming.offer(lambda: rng.integers(0, 255, (48, 64, 3), np.uint8), SIZE, number / 30.0)
    filming.end(2.0)
    assert not filming.on
    assert "No space left" in messages[-1]


def test_a_folder_that_cannot_be_made_is_reported(tmp_path, messages):
    (tmp_path / "file").touch()
    filming = FilmCapture(messages.append, tmp_path / "file")
    filming.toggle(SIZE, 0.0)
    assert not filming.on
    assert "cannot write the film" in messages[-1]
