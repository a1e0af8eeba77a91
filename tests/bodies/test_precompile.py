"""Compiled before it is needed."""

import subprocess
import sys

import pytest

from waterview.bodies import precompile
from waterview.bodies.kernels.step import step_bodies
from waterview.bodies.precompile import BodyKernels, compile_all


@pytest.fixture
def started(monkeypatch):
    """Processes that were asked for; what they run waits for a line of input instead of compiling."""
    started, popen = [], subprocess.Popen

    def start(command, **options):
        started.append(command)
        process = popen([sys.executable, "-c", "input()"], stdin=subprocess.PIPE)
        started.append(process)
        return process

    monkeypatch.setattr(subprocess, "Popen", start)
    yield started
    for process in started[1::2]:
        process.kill()
        process.communicate()


def test_what_is_kept_needs_no_process(monkeypatch, started):
    monkeypatch.setattr(precompile, "is_compiled", lambda: True)
    work = BodyKernels()
    work.start()
    assert work.is_done
    assert not started


def test_a_process_of_its_own_compiles_and_bodies_wait_for_its_end(monkeypatch, started):
    monkeypatch.setattr(precompile, "is_compiled", lambda: False)
    work = BodyKernels()
    work.start()
    command, process = started
    assert command[0] == sys.executable
    assert not work.is_done
    process.communicate(b"\n")
    assert work.is_done
    work.end()


def test_it_is_given_up_when_the_program_ends(monkeypatch, started):
    monkeypatch.setattr(precompile, "is_compiled", lambda: False)
    work = BodyKernels()
    work.start()
    work.end()
    assert work.is_done
    assert started[1].returncode is not None


def test_stepping_a_body_compiles_all_there_is_and_leaves_it_on_disk():
    compile_all()
    assert precompile.is_compiled()
    assert len(step_bodies.signatures) == 1, "another kind of arguments would be compiled anew"
