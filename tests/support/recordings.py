"""A recording in memory, whose heights say which frame, level and place they are of; and its frames as it is played."""

import numpy as np

from waterview.core.diagnostics import FieldMap
from waterview.core.gauges import GaugeSeries
from waterview.core.georeference import LOCAL
from waterview.core.grid import Grid


class MemoryRecording:
    """Frame t holds heights t + x/1000 [m] at every level: all levels agree, so that each can stand for another.

    `read` notes what was read, by number and level; `gate` is waited for before levels finer than `coarse` are read.
    """

    title, place, model, settings = "memory", LOCAL, "wave-equation", {"wave_speed": 3.0, "border": "reflecting"}
    map_names, damage = ("largest surface",), ""

    def __init__(self, shape=(600, 1000), frames=12, levels=4, gate=None, coarse=2):
        self.times = [0.5 * k for k in range(frames)]
        self.levels, self.read, self.damaged = levels, [], {}
        self._grid, self._gate, self._coarse = Grid(shape, 2.0, (-999.0, 1.0, -599.0)), gate, coarse
        times, zeros = np.array(self.times), np.zeros(frames, np.float32)
        self.gauges = (GaugeSeries("G1", 0.0, 0.0, times, zeros, zeros, zeros, zeros),)

    def grid(self, level):
        step, (nz, nx) = 1 << level, self._grid.shape
        return Grid((-(-nz // step), -(-nx // step)), self._grid.spacing * step, self._grid.origin)

    def together(self, number):
        return range(number, number + 1)

    def ground(self, part):
        bed = np.full(part.shape, -5.0, np.float32)
        bed[:, : part.shape[1] // 4] = 2.0
        return bed, bed > 1.0

    def heights(self, numbers, part):
        if self._gate is not None and part.level < self._coarse:
            self._gate.wait()
        self.read += [(number, part.level) for number in numbers]
        x = part.grid(self.grid(part.level)).x / 1000.0
        found = [np.broadcast_to(np.float32(number) + x, part.shape) for number in numbers]
        return np.array(found, np.float32), self.damaged.get(numbers.start, "")

    def incoming(self, time):
        return None

    def flow(self, number, part):
        return None

    def field_map(self, name, part):
        return FieldMap(name, np.full(part.shape, 7.0, np.float32), "m", diverging=False)


def settled(water):
    """The frame of a `PlayedWater` once all that is wanted of it has been read."""
    frame = water.publish(1)
    while not frame.playback.is_finest:
        assert water.wait(20.0)
        frame = water.publish(1)
    return frame
