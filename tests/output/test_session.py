"""Sessions on disk: exact, whole or not at all, and damage is reported."""

import json
import os
import zipfile

import numpy as np
import pytest

from waterview.core.errors import InputError
from waterview.output.session import read_session, save_session

STATE = {
    "water": {"heights": np.linspace(-1.0, 1.0, 12, dtype=np.float32).reshape(3, 4), "time": 1 / 3},
    "walls": np.eye(3, dtype=bool),
    "records": np.array([(1, 0.5)], [("number", "i4"), ("mass", "f8")]),
    "list": [1, "two", None, True, {"deep": np.arange(3)}],
    "small": np.float32(0.1),
}


def flipped(path, at):
    data = bytearray(path.read_bytes())
    data[at] ^= 0x10
    path.write_bytes(bytes(data))


def test_everything_comes_back_exactly(tmp_path):
    path = tmp_path / "new folder" / "a.waterview"
    save_session(path, STATE)
    state = read_session(path)
    assert state["water"]["time"] == 1 / 3
    assert state["small"] == float(np.float32(0.1))
    assert state["list"][:4] == [1, "two", None, True]
    pairs = (
        (state["water"]["heights"], STATE["water"]["heights"]),
        (state["walls"], STATE["walls"]),
        (state["records"], STATE["records"]),
        (state["list"][4]["deep"], np.arange(3)),
    )
    for found, wanted in pairs:
        assert found.dtype == wanted.dtype
        assert np.array_equal(found, wanted)


def test_the_same_words_give_the_same_bytes(tmp_path):
    for name in ("a", "b"):
        save_session(tmp_path / name, STATE)
    assert (tmp_path / "a").read_bytes() == (tmp_path / "b").read_bytes()


@pytest.mark.parametrize("what", ["words", "array"])
def test_a_session_that_says_something_else_than_was_saved_is_damage(tmp_path, what):
    """Its zip archive is whole, so that nothing but the session's own checksums can tell."""
    path = tmp_path / "a.waterview"
    save_session(path, STATE)
    with zipfile.ZipFile(path) as archive:
        parts = {name: archive.read(name) for name in archive.namelist()}
    if what == "words":
        head = json.loads(parts["session.json"])
        assert '"two"' in head["words"]
        parts["session.json"] = json.dumps(head | {"words": head["words"].replace('"two"', '"too"')}).encode()
    else:
        parts["0000.npy"] = parts["0000.npy"][:-1] + bytes([parts["0000.npy"][-1] ^ 1])
    with zipfile.ZipFile(path, "w") as archive:
        for name, data in parts.items():
            archive.writestr(name, data)
    with pytest.raises(InputError, match="no session or damaged"):
        read_session(path)


@pytest.mark.slow
def test_every_flipped_byte_is_reported_or_does_not_matter(tmp_path):
    path = tmp_path / "a.waterview"
    save_session(path, STATE)
    whole = path.read_bytes()
    reported = 0
    for at in range(0, len(whole), 7):
        flipped(path, at)
        try:
            state = read_session(path)
        except InputError:
            reported += 1
        else:
            assert np.array_equal(state["water"]["heights"], STATE["water"]["heights"])
            assert state["water"]["time"] == 1 / 3
        path.write_bytes(whole)
    assert reported > 100


@pytest.mark.parametrize("values", [(1, 8), (0, 8), (0, 12), (0, 14), (0, 99)])
def test_flags_and_methods_that_were_never_written_are_damage(tmp_path, values):
    """Encrypted, deflated, packed by others: zipfile has an exception of its own for each."""
    path = tmp_path / "a.waterview"
    save_session(path, STATE)
    data = bytearray(path.read_bytes())
    for signature, place in ((b"PK\x03\x04", 6), (b"PK\x01\x02", 8)):
        at = data.find(signature)
        while at >= 0:
            data[at + place], data[at + place + 2] = values
            at = data.find(signature, at + 4)
    path.write_bytes(bytes(data))
    with pytest.raises(InputError, match="choose another file"):
        read_session(path)


def test_a_short_file_another_file_and_a_later_version_are_reported(tmp_path):
    path = tmp_path / "a.waterview"
    save_session(path, STATE)
    path.write_bytes(path.read_bytes()[:-50])
    with pytest.raises(InputError, match="no session or damaged"):
        read_session(path)
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("session.json", json.dumps({"waterview session": 7}))
    with pytest.raises(InputError, match="version 7"):
        read_session(path)
    with pytest.raises(InputError, match="No such file"):
        read_session(tmp_path / "nowhere")


def test_what_fails_leaves_the_old_file(tmp_path, monkeypatch):
    path = tmp_path / "a.waterview"
    save_session(path, STATE)
    whole = path.read_bytes()

    def full(*_):
        raise OSError(28, os.strerror(28))

    monkeypatch.setattr("zipfile.ZipFile.writestr", full)
    with pytest.raises(InputError, match="No space left"):
        save_session(path, {"other": 1})
    assert path.read_bytes() == whole
    assert list(tmp_path.iterdir()) == [path]


def test_a_path_may_be_a_string(tmp_path):
    save_session(str(tmp_path / "a.waterview"), {"time": 1.5})
    assert read_session(str(tmp_path / "a.waterview")) == {"time": 1.5}


def test_objects_are_refused(tmp_path):
    with pytest.raises((TypeError, ValueError)):
        save_session(tmp_path / "a", {"x": np.array([object()])})
    assert not list(tmp_path.iterdir())
