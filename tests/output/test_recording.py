"""Recordings on disk: exact, versioned, and whole up to the moment of a crash."""

import json
import os

import numpy as np
import pytest

from waterview.core.commands import Drop, GrabBody, Gust, Pause, SetHeight, SetParameter, StepOnce
from waterview.core.errors import InputError
from waterview.output.recording import RecordingFile, read_recording

TANK = {"ground": np.array([[0.1, -np.pi], [1e-30, 7.0]], np.float32), "walls": np.eye(3, dtype=bool), "name": "pool"}
COMMANDS = (
    (0, Drop(0.1, 1 / 3, -1e-7, 2.5)),
    (0, SetParameter("stencil", "isotropic")),
    (7, SetHeight(np.int64(3), 4, 0.5)),
    (9, GrabBody(2, (0.1, np.float64(0.2), 0.3))),
    (2**40, Gust(0.0, 1.0, 2.0, 3.0, 0.5, 1.0)),
)


@pytest.fixture
def path(tmp_path):
    path = tmp_path / "new folder" / "a.jsonl"
    with RecordingFile(path, TANK) as file:
        for step, command in COMMANDS:
            file.note(step, command)
        file.note(2**40, Pause(True))
        file.note(2**40, StepOnce())
        file.note_water(2**40, TANK, keep_bodies=True)
        file.end(2**40 + 5)
    return path


def test_everything_comes_back_exactly(path):
    recording = read_recording(path)
    assert [(entry.step, entry.command) for entry in recording.entries[:-1]] == list(COMMANDS)
    assert recording.steps == 2**40 + 5
    last = recording.entries[-1]
    for words in (recording.world, last.water):
        assert words["name"] == "pool"
        for name in ("ground", "walls"):
            assert words[name].dtype == TANK[name].dtype
            assert np.array_equal(words[name], TANK[name])
    assert last.keep_bodies


def test_a_crash_costs_at_most_the_line_being_written(path):
    data = path.read_bytes()
    whole = data[: data.index(b'{"step": 9')]
    path.write_bytes(whole + b'{"step": 9, "Grab')
    recording = read_recording(path)
    assert len(recording.entries) == 3
    assert recording.steps == 7


@pytest.mark.parametrize(
    ("line", "words"),
    [
        ("{}", "no recording"),
        ("not json", "damaged in line 1"),
        (json.dumps({"waterview recording": 99, "tank": {}}), "version 99"),
    ],
)
def test_another_file_is_reported(path, line, words):
    path.write_text(line + "\n")
    with pytest.raises(InputError, match=words):
        read_recording(path)


@pytest.mark.parametrize(
    "line",
    [
        '{"step": -1}',
        '{"step": 0, "Drop": {"x": 0}}',
        '{"step": 0, "Drop": {"x": NaN, "z": 0, "height": 1, "radius": 1}}',
        '{"step": 0, "__import__": {}}',
        '{"step": 0, "ReplaceWater": {"make": 1}}',
        '{"step": 0, "ReplaceWater": 3}',
        '{"step": 0, "Drop": 3}',
        '{"step": 0, "SetHeight": {"ix": [], "iz": 1, "height": 1.0}}',
        '{"step": 0, "SetHeight": {"ix": 1.5, "iz": 1, "height": 1.0}}',
        '{"step": 0, "SetHeight": {"ix": 1, "iz": true, "height": 1.0}}',
        '{"step": 0, "SetParameter": {"name": null, "value": 1.0}}',
        '{"step": 0, "SetParameter": {"name": "damping", "value": [1.0]}}',
        '{"step": 0, "AddBody": {"kind": "box", "density": "heavy"}}',
        '{"step": 0, "DragBody": {"point": [0.0, "", 0.0]}}',
        '{"step": 0, "DragBody": {"point": [0.0, 1.0]}}',
        '{"step": 0, "PaintWall": {"x": 0.0, "z": 0.0, "radius": 1.0, "wall": []}}',
        f'{{"step": 0, "SetRain": {{"rate": {"9" * 400}}}}}',
        f'{{"step": 0, "AddBody": {{"kind": "box", "density": 1.0, "x": {"9" * 400}}}}}',
        '{"Reset": {}}',
        "[1]",
        '{"step": 0, "ReplaceWater": {"water": {"a": {"array": "|O", "shape": [1], "zlib": "eJxjYBgFo2AU"}}}}',
        '{"step": 0, "ReplaceWater": {"water": {"a": {"array": "<f4,", "shape": [0], "zlib": "eJwDAAAAAAE="}}}}',
        '{"step": 0, "ReplaceWater": {"water": {"a": {"array": "<f", "shape": [1e99], "zlib": "eJwDAAAAAAE="}}}}',
        '{"step": 0, "ReplaceWater": {"water": {"a": {"array": "(", "shape": [0], "zlib": "eJwDAAAAAAE="}}}}',
        '{"step": 0, "ReplaceWater": {"water": {"a": {"array": 7, "shape": [1], "zlib": "eJwDAAAAAAE="}}}}',
        '{"step": 0, "ReplaceWater": {"water": {"a": {"array": "<f4", "shape": 0, "zlib": "eJwDAAAAAAE="}}}}',
        '{"step": 0, "ReplaceWater": {"water": {"a": {"array": "<f4", "shape": [-1], "zlib": "eJwDAAAAAAE="}}}}',
        '{"step": 0, "ReplaceWater": {"water": {"a": {"array": "<f4", "shape": [0], "zlib": 7}}}}',
        '{"step": 0, "ReplaceWater": {"water": [], "keep_bodies": true}}',
        '{"step": 0, "ReplaceWater": {"water": {}, "keep_bodies": "no"}}',
        '{"step": 0, "Drop": {"x": 0.0, "z": 0.0, "height": 0.1}}',
        '{"step": 0, "Drop": 7}',
        '{"step": 0, "Splash": {}}',
        '{"step": 0, "SetRain": {"rate": 1.0, "colour": "blue"}}',
        '{"step": 0, "Reset": {}, "ShowNextField": {}}',
        '{"step": true}',
        f'{{"step": {"9" * 5000}}}',
        "[" * 100_000,
    ],
    ids=lambda line: line[:60],
)
def test_damage_is_reported_with_its_line(path, line):
    first = path.read_text().split("\n")[0]
    path.write_text(f"{first}\n{line}\n")
    with pytest.raises(InputError, match="damaged in line 2") as caught:
        read_recording(path)
    assert "\n" not in str(caught.value)


def test_a_place_that_cannot_be_written_is_reported(tmp_path):
    (tmp_path / "file").touch()
    with pytest.raises(InputError, match="cannot write the recording"):
        RecordingFile(tmp_path / "file" / "a.jsonl", TANK)
    os.symlink("/dev/full", tmp_path / "full.jsonl")
    with pytest.raises(InputError, match="No space left"):
        RecordingFile(tmp_path / "full.jsonl", TANK)
    with pytest.raises(InputError, match="No such file"):
        read_recording(tmp_path / "nowhere.jsonl")


def test_an_earlier_recording_stays_until_the_new_one_is_complete(path):
    with RecordingFile(path, TANK) as file:
        file.end(3)
    earlier, beside = path.read_bytes(), path.with_name(f"{path.stem}.part{path.suffix}")
    with RecordingFile(path, TANK) as file:
        file.note(1, SetParameter("stencil", "isotropic"))
        assert path.read_bytes() == earlier
        assert [entry.step for entry in read_recording(beside).entries] == [1], "what a killed program leaves is read"
        file.end(5)
    assert read_recording(path).steps == 5
    assert [each.name for each in path.parent.iterdir()] == [path.name]


def test_no_recording_begins_with_a_part_of_its_world(tmp_path, monkeypatch):
    def killed(*places):
        raise KeyboardInterrupt

    monkeypatch.setattr(os, "replace", killed)
    with pytest.raises(KeyboardInterrupt):
        RecordingFile(tmp_path / "a.jsonl", TANK)
    assert not (tmp_path / "a.jsonl").exists()
