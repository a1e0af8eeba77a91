"""Locks that end with whoever holds them."""

import subprocess
import sys

import pytest

from waterview.core.lock import lock_file

HOLD = "import sys; from pathlib import Path; from waterview.core.lock import lock_file; "
HOLD += "held = lock_file(Path(sys.argv[1])); print('held', flush=True); sys.stdin.read()"


def test_a_lock_is_had_once_until_it_is_let_go(tmp_path):
    path = tmp_path / "new folder" / "a.lock"
    with lock_file(path):
        assert lock_file(path) is None
    with lock_file(path) as file:
        assert file is not None


def test_a_killed_program_holds_nothing(tmp_path):
    path = tmp_path / "a.lock"
    command = [sys.executable, "-c", HOLD, str(path)]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as other:
        assert other.stdout.readline() == "held\n"
        assert lock_file(path) is None
        other.kill()
        other.wait(60)
        with lock_file(path) as file:
            assert file is not None


def test_a_place_that_cannot_be_written_to_is_an_error(tmp_path):
    (tmp_path / "file").touch()
    with pytest.raises(OSError, match="File exists"):
        lock_file(tmp_path / "file" / "a.lock")
