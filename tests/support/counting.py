"""A water that only counts its steps, and a wait for the loop that runs it."""

import threading
import time

import numpy as np

from waterview.core.frame import Frame
from waterview.waters.common.water import Water, WaterParams

PATIENCE = 20.0


class CountingWater(Water):
    """Its height is the number of steps taken; it can be told to fail or to wait in a step."""

    name = "counting"
    Params = WaterParams

    def __init__(self, **parameters):
        super().__init__(4.0, 4.0, 5, **parameters)
        self.steps = 0
        self.drops = []
        self.fail = None
        self.gate = None
        self.in_step = threading.Event()
        self.reached = {}

    def event_at(self, steps):
        return self.reached.setdefault(steps, threading.Event())

    def step(self):
        if self.fail is not None:
            raise self.fail
        self.in_step.set()
        if self.gate is not None:
            assert self.gate.wait(PATIENCE)
        self.steps += 1
        self.time += self.time_step
        for steps, event in list(self.reached.items()):
            if self.steps >= steps:
                event.set()

    def disturb(self, drop):
        self.drops.append((self.steps, drop))

    def reset(self):
        self.steps = 0

    @property
    def height(self):
        return np.full(self.grid.shape, float(self.steps), np.float32)

    def publish(self, serial):
        slopes = np.zeros((*self.grid.shape, 2), np.float16)
        return Frame(serial, self.time, self.grid, self.height, slopes, self.bed, self.fixed, self.params)


def wait_for(condition):
    """Poll until `condition` holds; the loop runs on its own thread and clock."""
    end = time.monotonic() + PATIENCE
    pause = threading.Event()
    while not condition():
        assert time.monotonic() < end, "the loop did not get there"
        pause.wait(0.002)
