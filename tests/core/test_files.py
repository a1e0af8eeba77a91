"""Files: the program's own are found, and a user's are only opened if ordinary, as a pipe could block for ever."""

import os

import pytest

from waterview.cli import run
from waterview.core.errors import InputError, WaterviewError
from waterview.core.files import check_ordinary, data_path, read_text
from waterview.output.recording import read_recording
from waterview.output.session import read_session
from waterview.render.camera.camera_path import parse_path
from waterview.scene.presets import find_preset
from waterview.terrain.library import resolve
from waterview.ui.panel.memory import PanelMemory, read_memory

pytestmark = pytest.mark.timeout(20)


@pytest.fixture
def pipe(tmp_path):
    """pipe(name) → a pipe of that name that nobody writes to or reads from."""

    def pipe(name):
        os.mkfifo(tmp_path / name)
        return tmp_path / name

    return pipe


def test_text_is_read_from_an_ordinary_file(tmp_path):
    (tmp_path / "a.txt").write_text("wäter\n", encoding="utf-8")
    assert read_text(tmp_path / "a.txt") == "wäter\n"
    check_ordinary(tmp_path / "a.txt")


def test_what_is_no_ordinary_file_is_refused(tmp_path, pipe):
    with pytest.raises(FileNotFoundError):
        check_ordinary(tmp_path / "nothing")
    with pytest.raises(IsADirectoryError):
        check_ordinary(tmp_path)
    for check in (check_ordinary, read_text):
        path = pipe(check.__name__)
        with pytest.raises(OSError, match="pipe, socket or device"):
            check(path)


@pytest.mark.parametrize(
    ("open_it", "name"),
    [
        (lambda path: find_preset(str(path)), "a.toml"),
        (lambda path: parse_path(str(path)), "path.toml"),
        (lambda path: resolve(path).load(), "a.png"),
        (read_session, "a.waterview"),
        (read_recording, "a.recording"),
    ],
)
def test_a_pipe_is_one_line_wherever_a_file_is_asked_for(pipe, open_it, name):
    path = pipe(name)
    with pytest.raises(InputError, match="pipe, socket or device") as caught:
        open_it(path)
    assert str(path) in str(caught.value) and "\n" not in str(caught.value)


def test_a_panel_that_cannot_be_remembered_is_as_at_first(pipe):
    assert read_memory(pipe("panel.json")) == PanelMemory()


def test_the_command_line_tells_it(pipe, capfd):
    assert run(["render", "--preset", str(pipe("a.toml"))]) == 2
    assert "pipe, socket or device" in capfd.readouterr().err


def test_the_folders_of_data_are_found():
    assert (data_path("assets") / "terrains" / "bay.npz").is_file()
    assert data_path("shaders").is_dir()


def test_a_missing_folder_says_where_it_was_looked_for():
    with pytest.raises(WaterviewError, match=r"'cellar' is missing: looked for .*_data.*; install waterview again"):
        data_path("cellar")
