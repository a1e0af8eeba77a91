"""Sessions saved by a key and automatically, and what a crash leaves behind."""

import os

import pytest

from waterview.core.commands import SaveWorld
from waterview.core.errors import InputError
from waterview.ui.capture.autosave import AUTOSAVE_SECONDS, Autosave


class Loop:
    """Applies commands at once."""

    paused = False

    def post(self, command):
        assert isinstance(command, SaveWorld)
        command.save("the world")

    def latest(self):
        raise AssertionError("what is applied at once is not waited for")


class BusyLoop:
    """Applies nothing before it is asked for a frame for the third time."""

    def __init__(self):
        self.commands, self.asked = [], 0

    def post(self, command):
        self.commands.append(command)

    def latest(self):
        self.asked += 1
        if self.asked == 3:
            for command in self.commands:
                command.save("the world")


class Saver:
    """Writes what it is given, unless it is broken."""

    broken = False

    def __call__(self, path, world, seen):
        if self.broken:
            raise InputError("cannot be saved")
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(f"{world} {seen}")


@pytest.fixture
def saver():
    return Saver()


@pytest.fixture
def folder(tmp_path):
    return tmp_path / "data"


@pytest.fixture
def autosave(saver, messages, folder):
    return Autosave(Loop(), saver, messages.append, folder)


def test_a_session_is_saved_and_reported(autosave, messages):
    autosave.save({"view": 1})
    assert autosave.saved.read_text() == "the world {'view': 1}"
    autosave.update(0.0, dict)
    assert "saved" in messages[-1] and "F9" in messages[-1]


def sessions(folder):
    return sorted(path.name for path in folder.glob("*.waterview"))


def run_for(autosave, seconds):
    for now in range(0, round(seconds) + 1, 5):
        autosave.update(float(now), lambda now=now: {"at": now})


def run_until(autosave, error):
    with autosave:
        run_for(autosave, 2.0 * AUTOSAVE_SECONDS)
        raise error


def test_every_half_minute_it_is_saved_and_a_clean_end_removes_that(autosave, folder, messages):
    with autosave:
        run_for(autosave, AUTOSAVE_SECONDS - 5.0)
        assert not sessions(folder)
        run_for(autosave, 2.0 * AUTOSAVE_SECONDS + 10.0)
        assert (folder / "running.waterview").read_text() == "the world {'at': 60}"
    assert not sessions(folder)
    assert messages == []


@pytest.mark.parametrize("error", [KeyboardInterrupt, SystemExit])
def test_signals_are_a_clean_end(autosave, folder, error):
    with pytest.raises(error):
        run_until(autosave, error)
    assert not sessions(folder)


def test_what_a_crash_leaves_behind_is_offered_once(autosave, saver, folder, messages):
    with pytest.raises(RuntimeError):
        run_until(autosave, RuntimeError)
    with Autosave(Loop(), saver, messages.append, folder) as again:
        pass
    assert "did not end well" in messages[-1] and "Shift+F9" in messages[-1]
    assert again.rescued.read_text().startswith("the world")
    with Autosave(Loop(), saver, messages.append, folder):
        pass
    assert len(messages) == 1
    assert again.rescued.exists()


def test_programs_that_run_at_once_leave_each_other_alone(autosave, saver, folder, messages):
    with autosave:
        run_for(autosave, AUTOSAVE_SECONDS)
        with Autosave(Loop(), saver, messages.append, folder) as other:
            run_for(other, 2.0 * AUTOSAVE_SECONDS)
            assert sessions(folder) == ["running-2.waterview", "running.waterview"]
        assert sessions(folder) == ["running.waterview"]
        with pytest.raises(RuntimeError):
            run_until(Autosave(Loop(), saver, messages.append, folder), RuntimeError)
        assert messages == []
        with Autosave(Loop(), saver, messages.append, folder):
            assert len(messages) == 1
        assert sessions(folder) == ["rescued.waterview", "running.waterview"]


def test_what_the_second_of_two_programs_left_behind_is_found_by_the_next(autosave, saver, folder, messages):
    with autosave, pytest.raises(RuntimeError):
        run_until(Autosave(Loop(), saver, messages.append, folder), RuntimeError)
    assert sessions(folder) == ["running-2.waterview"]
    with Autosave(Loop(), saver, messages.append, folder):
        assert len(messages) == 1
    assert sessions(folder) == ["rescued.waterview"]


def test_a_folder_that_cannot_be_written_to_costs_only_the_saving(saver, tmp_path, messages):
    (tmp_path / "file").touch()
    with Autosave(Loop(), saver, messages.append, tmp_path / "file" / "data") as autosave:
        autosave.update(0.0, dict)
    assert messages == []


def test_a_session_that_cannot_be_removed_at_the_end_is_no_error(autosave, folder, monkeypatch):
    def refuse(path, missing_ok=False):
        raise PermissionError("held by somebody")

    with autosave:
        run_for(autosave, 2.0 * AUTOSAVE_SECONDS)
        monkeypatch.setattr("pathlib.Path.unlink", refuse)
    assert sessions(folder) == ["running.waterview"]


def test_what_cannot_be_saved_is_reported_only_when_asked_for(autosave, saver, folder, messages):
    saver.broken = True
    run_for(autosave, 2.0 * AUTOSAVE_SECONDS)
    assert messages == []
    with pytest.raises(InputError):
        autosave.save({})
    assert not folder.exists()


def test_a_clean_end_can_be_gone_on_with(saver, folder, messages):
    with Autosave(Loop(), saver, messages.append, folder) as autosave:
        autosave.keep_last({"view": 2})
    assert messages == []
    with Autosave(Loop(), saver, messages.append, folder) as again:
        assert again.rescued.read_text() == "the world {'view': 2}"
    assert messages == ["Shift+F9 goes on where you were the last time"]
    with Autosave(Loop(), saver, messages.append, folder):
        pass
    assert len(messages) == 1, "it is told once, not at every start"


def test_of_a_crash_and_a_clean_end_the_later_one_is_gone_on_with(saver, folder, messages):
    with Autosave(Loop(), saver, messages.append, folder) as autosave:
        autosave.keep_last({"view": 2})
    os.utime(autosave.rescued, (1.0, 1.0))
    with pytest.raises(RuntimeError):
        run_until(Autosave(Loop(), saver, messages.append, folder), RuntimeError)
    messages.clear()
    with Autosave(Loop(), saver, messages.append, folder) as again:
        assert "'at': 60" in again.rescued.read_text()
        assert len(messages) == 1 and "did not end well" in messages[0]
        os.utime(again.rescued, (2.0, 2.0))
        again.keep_last({"view": 3})
        assert again.rescued.read_text() == "the world {'view': 3}"


def test_the_end_waits_for_the_water_but_not_for_ever(saver, folder, messages):
    loop = BusyLoop()
    autosave = Autosave(loop, saver, messages.append, folder)
    autosave.keep_last({}, patience=0.0)
    assert not autosave.rescued.exists()
    autosave.keep_last({}, patience=60.0)
    assert autosave.rescued.exists()
    saver.broken = True
    loop.asked = 0
    autosave.keep_last({}, patience=60.0)  # what cannot be saved is no error
    assert loop.asked == 3
