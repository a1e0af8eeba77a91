"""The attack finds what it should, and a short one finds nothing."""

import errno
import os
import random
import signal
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest

from attack import failing_disk, mutation, watched
from attack.__main__ import PARTS
from waterview.core.errors import InputError
from waterview.output.atomic import put_in_place, write_atomically

TRACEABLE = pytest.mark.skipif(not failing_disk.is_traceable(), reason="calls can fail on Linux on x86-64 alone")


def fine(rng, folder):
    (folder / "a").write_text(str(rng.random()))


def refused(rng, folder):
    raise InputError("a wave of 7 m: allowed are 0 to 5 m")


def broken(rng, folder):
    if rng.random() < 0.5:
        raise KeyError("height")


def endless(rng, folder):
    while True:
        pass


def greedy(rng, folder):
    np.ones(40 << 20, np.uint8).sum()


def talkative(rng, folder):
    os.write(2, b"libtiff: something is wrong")


def mistaken(rng, folder):
    """A mistake in the program's own lines that a reader takes for damage of the file."""
    try:
        len(7)
    except TypeError as error:
        raise InputError("it is damaged or cut short") from error


def crashing(rng, folder):
    os.kill(os.getpid(), signal.SIGTRAP)


def leaving(rng, folder):
    """A library ends the process."""
    os._exit(0)


@pytest.mark.parametrize(
    ("case", "found", "what"),
    [
        (fine, 0, ""),
        (refused, 0, ""),
        (mistaken, 4, "hidden"),
        (greedy, 4, "memory"),
        (talkative, 4, "words"),
        (crashing, 4, "crash"),
        (leaving, 4, "crash"),
    ],
)
def test_cases_that_go_wrong_are_found(case, found, what):
    tally = watched.attack(case, name="test", count=4, memory=32 << 20)
    assert tally.tried == 4 and tally.refused == (4 if case in (refused, mistaken) else 0)
    assert [kind for _, kind, _ in tally.findings] == [what] * found


@pytest.mark.parametrize("array", [np.arange(-2, 4, dtype=np.float32), np.zeros(3, [("a", "f4"), ("b", "i4")])])
def test_arrays_are_damaged_again_and_again_without_a_word_or_an_error(array):
    for number in range(200):
        rng, damaged = random.Random(number), array
        for _ in range(6):
            damaged = mutation.damaged_array(rng, damaged)


@pytest.mark.slow
@pytest.mark.timeout(1200)  # where no kernel was compiled before, all are
@pytest.mark.parametrize(
    ("name", "count"),
    [
        *(("terrain netCDF", 12), ("terrain HFA", 12), ("terrain JP2OpenJPEG", 12), ("aerial picture", 24)),
        *(("camera path", 150), ("session", 150), ("recording", 150)),
    ],
)
def test_damaged_files_are_used_and_not_only_refused(name, count):
    """Also those that are read in a process of their own; none is refused for a mistake of those who read it."""
    (row,) = rows_of("files", count, [name])
    tried, refused = int(row[2]), int(row[3].split()[0])
    assert tried == count and 0 < refused < count and int(row[5]) == 0


def test_an_endless_case_ends_and_the_next_ones_are_tried():
    tally = watched.attack(endless, name="test", count=2, seconds=0.1)
    assert tally.tried == 2 and [kind for _, kind, _ in tally.findings] == ["hang", "hang"]


def test_tracebacks_come_with_the_number_of_the_case_which_is_the_same_again():
    tally = watched.attack(broken, name="test", count=20)
    numbers = [number for number, _, _ in tally.findings]
    assert 0 < len(numbers) < 20 and all("KeyError" in detail for _, _, detail in tally.findings)
    for number in numbers[:2]:
        assert watched.attack(broken, name="test", first=number, count=1).findings
    assert watched.attack(broken, name="test", count=20, processes=2).tried == 20


@TRACEABLE
@pytest.mark.parametrize("error", [errno.ENOSPC, errno.EIO])
@pytest.mark.slow
def test_calls_fail_in_turn_and_each_is_met(tmp_path, error):
    def tried(name, **end):
        """How the writing of a file over an earlier one ended, in a folder of its own, and what the file holds then."""
        path = tmp_path / name / "a"
        path.parent.mkdir()
        path.write_text("old")
        ended = failing_disk.run(
            lambda: write_atomically(path, "note", lambda place: place.write_text("new")), path.parent, **end
        )
        return ended, path.read_text()

    whole, text = tried("whole")
    assert {"mkdir", "openat", "write", "fsync", "rename"} <= set(whole.calls) and text == "new"
    for at, call in enumerate(whole.calls):
        failed, text = tried(f"failed {at}", at=at, error=error)
        assert failed.calls[: at + 1] == whole.calls[: at + 1]
        # A folder that cannot be made, because it is there already, and a lock that cannot be had are no failures.
        outcomes = {("refused", "old")} | (set() if call in ("write", "fsync", "rename") else {("done", "new")})
        assert (failed.end, text) in outcomes
        killed, text = tried(f"killed {at}", at=at)
        assert (killed.end, text) == ("killed", "old")


@TRACEABLE
def test_a_folder_that_is_replaced_is_there_at_every_moment(tmp_path):
    def killed(at):
        """What the folder holds when the program is killed at call number `at` while it replaces it; None kills not."""
        place = tmp_path / str(at)
        for name in ("a", "a.part"):
            (place / name).mkdir(parents=True)
            (place / name / "content").write_text(name)
        run = failing_disk.run(lambda: put_in_place(place / "a.part", place / "a"), place, at)
        return run, (place / "a" / "content").read_text()

    whole, text = killed(None)
    assert text == "a.part" and "renameat2" in whole.calls
    assert all(killed(at)[1] in ("a", "a.part") for at in range(len(whole.calls)))


@TRACEABLE
def test_a_careless_writer_is_found(tmp_path):
    def write():
        with (tmp_path / "a").open("wb", buffering=0) as file:
            file.write(b"new")

    (tmp_path / "a").write_text("old")
    assert "OSError" in failing_disk.run(write, tmp_path, 1, errno.ENOSPC).end
    assert (tmp_path / "a").read_text() == ""


SHORT = (
    ("files", 15, ["terrain", "aerial", "camera", "measured", "panel"]),
    ("files", 6, ["preset", "fault", "session", "recording", "incoming", "given"]),
    ("disk", 1, []),
    ("scenes", 2, ["guard", "commands", "gpu"]),
    ("scenes", 1, ["settings of airy", "settings of wave-particles"]),
    ("windows", 60, ["random"]),
    ("endings", 1, ["inspect"]),
)
"""What is tried in every run of the tests: part, number of cases, rows."""


def test_every_part_is_tried():
    assert {part for part, _, _ in SHORT} == set(PARTS)


@pytest.mark.slow
@pytest.mark.timeout(1200)  # where no kernel was compiled before, all are
@pytest.mark.parametrize(("part", "cases", "only"), SHORT)
def test_a_short_attack_finds_nothing(part, cases, only):
    assert len(rows_of(part, cases, only)) >= len(only)


def rows_of(part, cases, only):
    """The rows of an attack that finds nothing, as columns; in a process of its own, as one with OpenMP cannot fork."""
    root = Path(__file__).resolve().parents[2]
    # Cases end it, not the clock: on a busy machine, or while kernels are compiled, none would be tried.
    command = [sys.executable, "-m", "attack", part, "--cases", str(cases), "--minutes", "60", "--processes", "1"]
    environment = {**os.environ, "PYTHONPATH": f"{root}{os.pathsep}{root / 'tests'}"}
    began = time.monotonic()
    done = subprocess.run(
        [*command, "--only", *only], env=environment, capture_output=True, text=True, timeout=1100, check=False
    )
    assert done.returncode == 0, f"{done.stdout}\n{done.stderr}\n{time.monotonic() - began:.0f} s"
    rows = [row.split("|") for row in done.stdout.splitlines()[2:] if "not tried" not in row]
    assert all(row[2].strip() != "0" for row in rows), done.stdout
    return rows
