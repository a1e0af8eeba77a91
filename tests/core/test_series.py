"""Tables of values over time from text files."""

import numpy as np
import pytest

from waterview.core.errors import InputError
from waterview.core.series import read_series


def written(path, text):
    path.write_text(text, encoding="utf-8")
    return path


@pytest.mark.parametrize("separator", [",", ";", "\t", "  ", ", "])
def test_every_separator_is_read(tmp_path, separator):
    rows = [separator.join(row) for row in (("0", "0.5"), ("1.5", "-2e-1"), ("2", "0"))]
    table = read_series(written(tmp_path / "wave.csv", "\n".join(rows)))
    assert table.times.tolist() == [0.0, 1.5, 2.0]
    assert table.column().tolist() == [0.5, -0.2, 0.0]


def test_columns_are_named_and_in_metres(tmp_path):
    table = read_series(written(tmp_path / "gauges.txt", "time\tch5(cm)\tch7 [mm]\n# a note\n0\t2.5\t3\n1\t5\t4\n"))
    assert list(table.columns) == ["ch5", "ch7"]
    assert np.allclose(table.columns["ch5"], [0.025, 0.05])
    assert np.allclose(table.column("buoy", "ch7"), [0.003, 0.004])
    assert table.column("buoy") is table.columns["ch5"]


def test_a_head_that_does_not_fit_the_rows_names_nothing(tmp_path):
    table = read_series(written(tmp_path / "input.txt", "time(s)     water surface(m)\n0 1\n1 2\n"))
    assert table.column().tolist() == [1.0, 2.0]


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("", "is empty"),
        ("0,1\n", "two or more rows"),
        ("time [s],height [m]\n", "two or more rows"),
        ("0\n1\n", "a time"),
        ("0,1\n1,2\n1,3\n", "line 3: time 1 s does not come after 1 s"),
        ("0,1\n2,2\n1,3\n", "line 3: time 1 s does not come after 2 s"),
        ("0,1\n1,nan\n", "line 2: 'nan'"),
        ("0,1\n1,\n", "line 2: ''"),
        ("0,1\n1,2,3\n", "line 2: 3 values where 2"),
        ("time [s],height [ft]\n0,1\n1,2\n", r"the unit of 'height \[ft\]' is unknown"),
    ],
)
def test_what_makes_no_sense_is_refused_in_one_line(tmp_path, text, reason):
    with pytest.raises(InputError, match=reason) as caught:
        read_series(written(tmp_path / "wave.csv", text))
    assert "wave.csv" in str(caught.value) and "\n" not in str(caught.value)


def test_files_that_are_none_are_refused(tmp_path):
    (tmp_path / "noise.csv").write_bytes(b"\xff\xfe\x00\x80")
    for name in ("missing.csv", "noise.csv", "."):
        with pytest.raises(InputError, match="cannot read the series"):
            read_series(tmp_path / name)


def test_numbers_too_large_for_their_unit_are_refused(tmp_path):
    path = tmp_path / "a.csv"
    path.write_text("t [min],h [m]\n0,0\n1e308,1\n")
    with pytest.raises(InputError, match="too large for their unit"):
        read_series(path)
