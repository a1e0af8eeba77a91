"""The program ends when it is asked to, whatever it is doing; `support.shutdown` lists the phases and the ways."""

import pytest
from support.shutdown import PHASES, SIGNALS, WINDOW_WAYS, end, in_phase

CASES = [
    ("start", "SIGINT"),
    ("start", "SIGTERM"),
    ("a terrain is read", "SIGTERM"),
    ("a terrain is read", "close"),
    ("a terrain is read", "Escape"),
    ("ImGui is imported", "SIGINT"),
    ("ImGui is imported", "close"),
    ("ImGui takes long to import", "close"),
    ("kernels are compiled", "SIGHUP"),
    ("kernels are compiled", "close"),
    ("the water runs", "close"),
    ("it is recorded", "SIGTERM"),
    ("it is recorded", "close"),
    ("a film is made", "SIGTERM"),
    ("render reads a terrain", "SIGTERM"),
    ("render compiles", "SIGINT"),
    ("render writes", "SIGHUP"),
    ("inspect reads", "SIGTERM"),
]
"""Every phase, every way; all pairs take too long here."""


def test_the_cases_hold_every_phase_and_every_way():
    assert {phase for phase, _ in CASES} == set(PHASES)
    assert {way for _, way in CASES} == {*SIGNALS, *WINDOW_WAYS}


@pytest.mark.parametrize(("phase", "way"), CASES)
def test_it_ends_with_its_code_and_without_a_word(screen, tmp_path, phase, way):
    with in_phase(phase, tmp_path) as (process, window):
        _, code, said = end(process, way, window)
    assert code == {**SIGNALS, **WINDOW_WAYS}[way]
    assert said == ""
    if phase != "render compiles":  # what it leaves there is removed when the file is written again
        assert not list(tmp_path.glob(".waterview-*"))


@pytest.mark.parametrize("way", ["SIGTERM", "close"])
def test_a_recording_is_ended_though_kernels_are_compiled(screen, tmp_path, way, monkeypatch):
    patch, arguments, _ = PHASES["kernels are compiled"]
    monkeypatch.setitem(PHASES, "recorded", (patch, [*arguments, "--record", "a.jsonl"], True))
    (tmp_path / "a.jsonl").write_text("an earlier one")
    with in_phase("recorded", tmp_path) as (process, window):
        _, code, said = end(process, way, window)
    assert (code, said) == ({**SIGNALS, **WINDOW_WAYS}[way], "")
    lines = (tmp_path / "a.jsonl").read_text().splitlines()
    assert lines[-1] == '{"step": 0}' and len(lines) == 2
