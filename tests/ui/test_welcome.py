"""What a new user has met is remembered, and damaged memory is that of a new user."""

import pytest

from waterview.ui.welcome import ADVICE, Welcome, WelcomeMemory, read_memory


def test_the_gallery_is_open_at_the_first_start_alone(tmp_path):
    path = tmp_path / "config" / "welcome.json"
    first = Welcome(path, opens_gallery=True)
    assert first.shown and first.advice(True) == ADVICE and first.advice(False) == ""
    assert not Welcome(path, opens_gallery=False).shown, "a scene that was asked for is not covered"
    first.note_click()
    assert first.advice(True) == "" == Welcome(path).advice(True)
    assert read_memory(path) == WelcomeMemory(gallery=False, click=True)


def test_without_a_memory_nobody_is_welcomed():
    welcome = Welcome(opens_gallery=True)
    assert not welcome.shown and welcome.advice(True) == ""
    welcome.toggle()
    assert welcome.shown


@pytest.mark.parametrize("text", ["", "[]", "{}", '{"gallery": 1, "click": "yes"}', "[" * 100_000])
def test_damaged_memory_is_that_of_a_new_user(tmp_path, text):
    path = tmp_path / "welcome.json"
    path.write_text(text)
    assert read_memory(path) == WelcomeMemory()


def test_what_cannot_be_written_is_no_error(tmp_path):
    (tmp_path / "file").write_text("")
    welcome = Welcome(tmp_path / "file" / "welcome.json")
    welcome.note_click()
    assert welcome.memory.click
