"""What gauges have measured, on disk."""

import csv

import numpy as np
import pytest

from waterview.core.commands import AddGauge, Drop
from waterview.core.errors import InputError
from waterview.core.gauges import QUANTITIES
from waterview.core.series import read_series
from waterview.output.gauge_files import save_gauges
from waterview.sim.world import World
from waterview.waters import MODELS


def measured(name="shallow-water"):
    """Two gauges, the second from the fourth reading on."""
    world = World(MODELS[name](12.0, 9.0, 49, (-6.0, 0.0, -4.5)))
    world.apply(AddGauge("A", 1.0, 0.3))
    world.apply(Drop(0.0, 0.0, 0.3, 1.0))
    world.advance(3)
    world.apply(AddGauge("buoy 2", -1.0, 0.3))
    world.advance(20)
    return tuple(world.gauges)


def test_a_table_is_read_back_to_the_bit(tmp_path):
    first, second = measured()
    save_gauges((first, second), tmp_path / "new folder" / "a.csv")
    with (tmp_path / "new folder" / "a.csv").open(newline="") as file:
        head, *rows = csv.reader(file)
    assert head == [
        "time [s]",
        *("A surface [m]", "A depth [m]", "A velocity x [m/s]", "A velocity z [m/s]"),
        *("buoy 2 surface [m]", "buoy 2 depth [m]", "buoy 2 velocity x [m/s]", "buoy 2 velocity z [m/s]"),
    ]
    columns = list(zip(*rows, strict=True))
    assert np.array_equal(np.array(columns[0], float), first.times)
    for number, gauge in enumerate((first, second)):
        late = len(first.times) - len(gauge.times)
        for place, values in enumerate(gauge.values, 1 + number * len(QUANTITIES)):
            assert columns[place][:late] == ("",) * late
            assert np.array_equal(np.array(columns[place][late:], np.float32), values)


def test_a_table_can_be_laid_over_another_run_and_has_no_empty_columns(tmp_path):
    first, _ = measured("wave-equation")
    save_gauges((first,), tmp_path / "a.csv")
    table = read_series(tmp_path / "a.csv")
    assert list(table.columns) == ["A surface", "A depth"]
    assert np.array_equal(table.column("A", "A surface").astype(np.float32), first.surface)


def test_what_cannot_be_written_is_told(tmp_path):
    gauges = measured("wave-equation")
    with pytest.raises(InputError, match="there are no gauges"):
        save_gauges((), tmp_path / "a.csv")
    with pytest.raises(InputError, match="allowed endings are"):
        save_gauges(gauges, tmp_path / "a.txt")
    (tmp_path / "folder.csv").mkdir()
    with pytest.raises(InputError, match=r"folder\.csv"):
        save_gauges(gauges, tmp_path / "folder.csv")
