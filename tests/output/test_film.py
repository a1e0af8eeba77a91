"""Films: decoded again, they have every frame at its time; killed half way they still play."""

import os
import subprocess
import sys

import av
import numpy as np
import pytest

from waterview.core.errors import InputError
from waterview.output.film import Film, check_film, cut_to_whole_fragments, film_frame_count

ENDINGS = (".mp4", ".webm", ".gif")
SIZE = (96, 64)


def picture(number, size=SIZE):
    """Grey that rises with the number, and a bar that walks."""
    out = np.full((size[1], size[0], 3), 40 + 5 * (number % 32), np.uint8)
    out[:, number % size[0]] = (250, 20, 20)
    return out


def decoded(path):
    """Times [s] and pictures of a film."""
    with av.open(str(path)) as container:
        frames = list(container.decode(container.streams.video[0]))
        return np.array([frame.time for frame in frames]), [frame.to_ndarray(format="rgb24") for frame in frames]


@pytest.mark.parametrize("ending", ENDINGS)
@pytest.mark.parametrize("rate", [50.0, 12.5])
def test_every_frame_is_there_at_its_time(tmp_path, ending, rate):
    path = tmp_path / f"new folder/film{ending}"
    with Film(path, SIZE, rate) as film:
        for number in range(31):
            film.add(picture(number))
    times, pictures = decoded(path)
    assert len(times) == 31
    resolution = {".mp4": 1e-6, ".webm": 1e-3, ".gif": 1e-2}[ending]
    assert times == pytest.approx(np.arange(31) / rate, abs=0.51 * resolution + 1e-9)
    for number in (0, 17, 30):
        grey = np.median(pictures[number])
        assert grey == pytest.approx(40 + 5 * number, abs=4)


def test_an_mp4_lasts_as_long_as_its_frames(tmp_path):
    with Film(tmp_path / "a.mp4", SIZE, 60.0) as film:
        for number in range(60):
            film.add(picture(number))
    with av.open(str(tmp_path / "a.mp4")) as container:
        assert container.duration / 1e6 == pytest.approx(1.0, abs=1e-3)
        assert container.streams.video[0].average_rate == 60


def test_odd_sides_lose_a_column_and_a_row(tmp_path):
    with Film(tmp_path / "a.mp4", (65, 49), 10.0) as film:
        film.add(picture(0, (65, 49)))
    assert decoded(tmp_path / "a.mp4")[1][0].shape == (48, 64, 3)


def test_pictures_may_come_late(tmp_path):
    with Film(tmp_path / "a.mp4", SIZE, 10.0) as film:
        for number in (0, 1, 7, 30):
            film.add(picture(number), number)
    assert decoded(tmp_path / "a.mp4")[0] == pytest.approx([0.0, 0.1, 0.7, 3.0])


KILLED = """
import os, sys
from pathlib import Path
import numpy as np
from waterview.output.film import Film
film = Film(Path(sys.argv[1]), (96, 64), 20.0)
rng = np.random.default_rng(0)
for number in range(90):
    film.add(rng.integers(0, 255, (64, 96, 3), np.uint8))
os._exit(9)
"""


@pytest.mark.slow
@pytest.mark.parametrize("ending", ENDINGS)
def test_a_film_killed_half_way_still_plays(tmp_path, ending):
    path = tmp_path / f"film{ending}"
    done = subprocess.run([sys.executable, "-c", KILLED, str(path)], check=False, timeout=120)
    assert done.returncode == 9
    times, _ = decoded(path)
    assert 20 <= len(times) <= 90
    assert np.all(np.diff(times) > 0.0)


@pytest.mark.parametrize("ending", ENDINGS)
def test_a_full_disk_is_one_line(tmp_path, ending):
    path = tmp_path / f"film{ending}"
    os.symlink("/dev/full", path)  # writes there fail as on a full disk

    def write():
        with Film(path, SIZE, 10.0) as film:
            for number in range(40):
                film.add(picture(number))

    with pytest.raises(InputError, match="No space left") as caught:
        write()
    assert "\n" not in str(caught.value)
    assert "can be played" not in str(caught.value), "nothing was written"


FILL = """
import resource, signal, sys
from pathlib import Path
import numpy as np
from waterview.core.errors import InputError
from waterview.output.film import Film
signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
resource.setrlimit(resource.RLIMIT_FSIZE, (int(sys.argv[2]), int(sys.argv[2])))
chance = np.random.default_rng(1)
try:
    with Film(Path(sys.argv[1]), (96, 64), 10.0) as film:
        for number in range(200):
            film.add(chance.integers(0, 255, (64, 96, 3), np.uint8))
except InputError as error:
    print(error)
"""


@pytest.mark.slow
@pytest.mark.parametrize("room", [130_001, 250_000, 333_333])
def test_an_mp4_cut_by_a_full_disk_ends_with_a_whole_fragment_and_plays_to_its_end(tmp_path, room):
    path = tmp_path / "a.mp4"
    ended = subprocess.run(
        [sys.executable, "-c", FILL, str(path), str(room)], capture_output=True, text=True, timeout=120, check=True
    )
    assert "File too large" in ended.stdout and "can be played" in ended.stdout and len(ended.stdout.splitlines()) == 1
    with av.open(str(path)) as container:
        packets = [packet for packet in container.demux(video=0) if packet.size]
        assert not any(packet.is_corrupt for packet in packets)
    times, _ = decoded(path)
    assert len(times) == len(packets) and len(times) >= 10
    assert times == pytest.approx(np.arange(len(times)) / 10.0, abs=1e-6)
    assert boxes_end(path) == path.stat().st_size <= room


def boxes_end(path):
    """Where the last whole box of an .mp4 ends."""
    data, place = path.read_bytes(), 0
    while place + 8 <= len(data):
        length = int.from_bytes(data[place : place + 4], "big")
        if length < 8 or place + length > len(data):
            break
        place += length
    return place


def test_only_what_is_broken_is_cut_off(tmp_path):
    path = tmp_path / "a.mp4"
    with Film(path, SIZE, 10.0) as film:
        for number in range(30):
            film.add(picture(number))
    whole = path.read_bytes()
    cut_to_whole_fragments(path)
    assert path.read_bytes() == whole
    last = whole.rindex(b"moof") - 4
    for length in (last + 4, last + 60, len(whole[: whole.rindex(b"mfra")]) - 40):
        path.write_bytes(whole[:length])
        cut_to_whole_fragments(path)
        assert path.read_bytes() == whole[:last]
    path.write_bytes(b"")
    cut_to_whole_fragments(path)
    cut_to_whole_fragments(tmp_path / "none.mp4")
    assert path.read_bytes() == b""


def test_what_cannot_be_filmed_is_reported(tmp_path):
    (tmp_path / "a file").touch()
    with pytest.raises(InputError, match="at least 2"):
        Film(tmp_path / "a.mp4", (1, 5), 10.0)
    with pytest.raises(InputError, match=r"\.mp4, \.webm, \.gif"):
        Film(tmp_path / "a.avi", SIZE, 10.0)
    with pytest.raises(InputError, match="cannot write"):
        Film(tmp_path / "a file" / "b.mp4", SIZE, 10.0)
    with pytest.raises(InputError, match="at most 50"):
        check_film(tmp_path / "a.gif", 60.0)


def test_a_film_lasts_as_long_as_asked_for():
    assert film_frame_count(20.0, 60.0) == 1200
    assert film_frame_count(0.1, 30.0) == 3
    assert film_frame_count(0.0, 30.0) == 1


@pytest.mark.slow
def test_a_disk_that_is_full_at_the_very_end_is_told_and_the_film_plays_to_there(tmp_path):
    """The last bytes are written when the container is closed."""
    path = tmp_path / "whole.mp4"
    fill = [sys.executable, "-c", FILL]
    whole = subprocess.run([*fill, path, str(1 << 30)], capture_output=True, text=True, timeout=120, check=True)
    assert not whole.stdout
    for missing in (1, 40, 3000):
        path, room = tmp_path / f"{missing}.mp4", (tmp_path / "whole.mp4").stat().st_size - missing
        ended = subprocess.run([*fill, path, str(room)], capture_output=True, text=True, timeout=120, check=True)
        assert "File too large" in ended.stdout, missing
        assert len(decoded(path)[0]) >= 150
        assert boxes_end(path) == path.stat().st_size <= room


@pytest.mark.parametrize("ending", ENDINGS)
def test_an_earlier_film_stays_until_the_new_one_is_complete(tmp_path, ending):
    path, beside = tmp_path / f"a{ending}", tmp_path / f"a.part{ending}"
    with Film(path, SIZE, 10.0) as film:
        film.add(picture(0))
    earlier = path.read_bytes()
    with Film(path, SIZE, 10.0) as film:
        for number in range(25):
            film.add(picture(number))
        assert path.read_bytes() == earlier and beside.exists()
    assert len(decoded(path)[0]) == 25 and not beside.exists()
    film = Film(path, SIZE, 10.0)
    film.add(picture(0))
    film.abandon()
    assert len(decoded(path)[0]) == 25 and len(decoded(beside)[0]) == 1
