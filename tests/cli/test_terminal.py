"""What becomes of the program when what it prints cannot be read: one line or none, and never a trace."""

import logging
import os
import re
import subprocess
import sys

import pytest

import waterview
from waterview.cli import run
from waterview.cli.terminal import progress_bar

FULL = "waterview: standard output cannot be written to (No space left on device): send it elsewhere\n"
PRINTING = [("presets",), ("models",), ("--version",), ("render", "--help"), ("inspect", "bay")]


@pytest.fixture
def run_into(monkeypatch, capfd):
    """run_into(place, *arguments) → exit code and what standard error is told, with standard output into a file."""

    def run_into(place, *arguments):
        with open(place, "w", encoding="utf-8") as stream, monkeypatch.context() as patched:
            patched.setattr(sys, "stdout", stream)
            code = run(arguments)
        return code, capfd.readouterr().err

    return run_into


@pytest.fixture
def closed_pipe():
    """The end of a pipe that nobody reads any more."""
    read, write = os.pipe()
    os.close(read)
    yield write
    os.close(write)


@pytest.mark.parametrize("arguments", PRINTING)
def test_a_full_device_is_one_line(run_into, arguments):
    assert run_into("/dev/full", *arguments) == (2, FULL)


@pytest.mark.parametrize("arguments", PRINTING)
def test_a_reader_that_has_gone_is_told_nothing(run_into, closed_pipe, arguments):
    assert run_into(os.dup(closed_pipe), *arguments) == (1, "")


def test_what_is_printed_is_all_there(run_into, tmp_path):
    for arguments in PRINTING:
        assert run_into(tmp_path / "out.txt", *arguments) == (0, "")
        assert len((tmp_path / "out.txt").read_text(encoding="utf-8")) > 10


def test_a_picture_is_there_even_if_its_path_cannot_be_told(run_into, tmp_path):
    path = tmp_path / "a.npz"
    arguments = ("render", "basin", "--grid", "16", "--seconds", "0", "--out", str(path))
    assert run_into("/dev/full", *arguments) == (2, FULL)
    assert path.stat().st_size > 0


@pytest.mark.parametrize("arguments", [("inspect", "basin", "-v"), ("--verbose", "inspect", "basin")])
def test_what_happens_inside_is_told_to_who_asks(call, arguments):
    code, out, err = call(*arguments)
    assert code == 0
    first, *rest = err.splitlines()
    assert " INFO waterview: waterview " in first
    assert any("INFO waterview.terrain.heightmap: " in line and "257 × 193 samples" in line for line in rest)
    assert call("inspect", "basin") == (0, out, "")  # the end of the command ends it


def test_the_environment_asks_too(call, monkeypatch):
    monkeypatch.setenv("WATERVIEW_VERBOSE", "1")
    assert " INFO waterview: waterview " in call("models")[2]


def test_programs_that_use_the_library_see_nothing_unless_they_ask(tmp_path, capfd, caplog):
    places = "\n".join(f"{8.0 + 0.001 * x},{54.0 + 0.001 * y},{-x - y}" for y in range(5) for x in range(5))
    (tmp_path / "table.csv").write_text(f"x,y,z\n{places}\n")
    with caplog.at_level(logging.WARNING):
        ground = waterview.Heightmap.load(tmp_path / "table.csv")
    assert capfd.readouterr() == ("", "")
    assert [(record.name, record.message) for record in caplog.records] == [
        ("waterview.terrain.heightmap", note) for note in ground.notes
    ]
    assert "degrees" in ground.notes[0]


def test_a_progress_bar_counts_and_tells_the_time_that_is_left(monkeypatch, capsys):
    monkeypatch.setenv("FORCE_COLOR", "1")  # as on a terminal
    with progress_bar(4, "steps") as advance:
        for _ in range(4):
            advance()
    told = re.sub("\x1b[^A-Za-z]*[A-Za-z]", "", capsys.readouterr().err)
    assert re.search("steps .* 4/4 0:00:00", told)


def test_another_error_of_the_system_is_not_taken_for_one_of_printing(monkeypatch):
    def fail():
        raise OSError("a fault of the program")

    monkeypatch.setattr("waterview.scene.presets.preset_lines", fail)
    with pytest.raises(OSError, match="a fault of the program"):
        run(["presets"])


@pytest.mark.slow
@pytest.mark.parametrize("unbuffered", ["", "1"])
def test_the_whole_program_ends_so(closed_pipe, unbuffered):
    def ended(out):
        environment = {**os.environ, "PYTHONUNBUFFERED": unbuffered}
        program = [sys.executable, "-m", "waterview", "models"]
        done = subprocess.run(program, env=environment, stdout=out, stderr=subprocess.PIPE, text=True, check=False)
        return done.returncode, done.stderr

    with open("/dev/full", "w", encoding="utf-8") as full:
        assert ended(full) == (2, FULL)
    assert ended(closed_pipe) == (1, "")


def test_the_program_ends_without_taking_down_what_the_system_frees_at_once():
    program = (
        "import atexit, threading, time\n"
        "atexit.register(print, 'taken down')\n"
        "threading.Thread(target=time.sleep, args=(1e6,)).start()\n"  # the interpreter's own end would wait for it
        "from waterview.__main__ import main; main()"
    )
    done = subprocess.run([sys.executable, "-c", program, "--version"], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout == f"waterview {waterview.__version__}\n"
