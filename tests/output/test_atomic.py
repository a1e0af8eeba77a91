"""Files written whole or not at all."""

import errno
import os
import signal
import stat
import subprocess
import sys
from pathlib import Path

import pytest

from waterview.core.errors import InputError
from waterview.output.atomic import put_in_place, write_atomically


def written(text):
    return lambda place: place.write_text(text)


@pytest.mark.parametrize(("mask", "rights"), [(0o022, 0o644), (0o077, 0o600), (0o002, 0o664)])
def test_a_file_has_the_rights_that_the_user_gives_new_files(tmp_path, mask, rights):
    before = os.umask(mask)
    try:
        write_atomically(tmp_path / "a.txt", "text", written("one"))
    finally:
        os.umask(before)
    assert stat.S_IMODE((tmp_path / "a.txt").stat().st_mode) == rights


def test_it_replaces_a_file_and_leaves_nothing_else(tmp_path):
    for text in ("one", "two"):
        write_atomically(tmp_path / "folder" / "a.txt", "text", written(text))
    assert (tmp_path / "folder" / "a.txt").read_text() == "two"
    assert [path.name for path in (tmp_path / "folder").iterdir()] == ["a.txt"]


@pytest.mark.parametrize("make", [os.mkfifo, os.mkdir, lambda path: os.symlink("/dev/null", path)])
def test_what_is_no_file_is_never_replaced(tmp_path, make):
    """As root, a file would take the place of /dev/null for everybody."""
    make(tmp_path / "a.txt")
    with pytest.raises(InputError, match="no file has that name"):
        write_atomically(tmp_path / "a.txt", "text", written("one"))
    assert not (tmp_path / "a.txt").is_file()
    assert [path.name for path in tmp_path.iterdir()] == ["a.txt"]


@pytest.mark.parametrize("error", [OSError(28, "No space left"), ValueError("a fault of the program")])
def test_what_fails_leaves_what_was_there(tmp_path, error):
    write_atomically(tmp_path / "a.txt", "text", written("one"))

    def fail(place):
        place.write_text("half")
        raise error

    with pytest.raises(InputError if isinstance(error, OSError) else ValueError):
        write_atomically(tmp_path / "a.txt", "text", fail)
    assert (tmp_path / "a.txt").read_text() == "one"
    assert [path.name for path in tmp_path.iterdir()] == ["a.txt"]


def test_a_signal_that_comes_while_the_folder_is_made_leaves_nothing(tmp_path, monkeypatch):
    make = os.mkdir

    def interrupted(*place, **how):
        make(*place, **how)
        raise KeyboardInterrupt

    monkeypatch.setattr(os, "mkdir", interrupted)
    with pytest.raises(KeyboardInterrupt):
        write_atomically(tmp_path / "a.txt", "text", written("one"))
    assert list(tmp_path.iterdir()) == []


def test_a_name_that_no_disk_takes_is_reported(tmp_path):
    with pytest.raises(InputError, match="too long"):
        write_atomically(tmp_path / ("a" * 300), "text", written("one"))


KILLED = """
import os, signal, sys
from pathlib import Path
from waterview.output.atomic import write_atomically

def write(place):
    place.write_text("half")
    print("here", flush=True)
    sys.stdin.read()

write_atomically(Path(sys.argv[1]), "text", write)
"""


def writing(path):
    """A process that has written half of a file."""
    command = [sys.executable, "-c", KILLED, str(path)]
    process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    assert process.stdout.readline() == "here\n"
    return process


def test_what_a_killed_program_left_is_removed_when_the_file_is_written_again(tmp_path):
    path = tmp_path / "a.txt"
    for _ in range(3):
        with writing(path) as process:
            process.send_signal(signal.SIGKILL)
    assert len(list(tmp_path.iterdir())) == 1, "not one for each time"
    write_atomically(path, "text", written("one"))
    assert [each.name for each in tmp_path.iterdir()] == ["a.txt"] and path.read_text() == "one"


def test_two_programs_that_write_one_file_do_not_disturb_each_other(tmp_path):
    path = tmp_path / "a.txt"
    with writing(path) as process:
        write_atomically(path, "text", written("one"))
        assert path.read_text() == "one"
        process.stdin.close()
        assert process.wait() == 0
    assert path.read_text() == "half" and [each.name for each in tmp_path.iterdir()] == ["a.txt"]


@pytest.fixture
def two_folders(tmp_path):
    """A folder and the new one that shall take its place; each holds a file with its own name."""
    for name in ("a", "a.part"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "content").write_text(name)
    return tmp_path / "a.part", tmp_path / "a"


@pytest.mark.parametrize("system", [sys.platform, "win32"])  # win32: folders cannot be swapped
def test_a_folder_takes_the_place_of_another(two_folders, monkeypatch, system):
    monkeypatch.setattr(sys, "platform", system)
    put_in_place(*two_folders)
    assert (two_folders[1] / "content").read_text() == "a.part"
    assert [each.name for each in two_folders[1].parent.iterdir()] == ["a"]


@pytest.mark.parametrize("error", [OSError(errno.EIO, "it is broken"), SystemExit(143)])
def test_a_folder_that_cannot_be_put_in_place_leaves_the_earlier_one(two_folders, monkeypatch, error):
    replace = os.replace

    def failing(source, target):
        if Path(source).name == "a.part":
            raise error
        replace(source, target)

    monkeypatch.setattr(sys, "platform", "win32")
    monkeypatch.setattr("waterview.output.atomic.os.replace", failing)
    with pytest.raises(type(error)):
        put_in_place(*two_folders)
    assert [(each / "content").read_text() for each in two_folders] == ["a.part", "a"]
