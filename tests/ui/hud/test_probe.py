from dataclasses import replace

import numpy as np
import pytest
from support.scenes import make_frame

from waterview.ui.hud.probe import SPAN, Probe


def test_a_probe_notes_heights_once_and_forgets_old_ones():
    still = make_frame()
    probe = Probe(1.0, 2.0)
    for number in range(30):
        frame = replace(still, time=0.5 * number, heights=np.full_like(still.heights, 0.1 * number))
        probe.note(frame)
        probe.note(frame)
    assert probe.heights[-1] == pytest.approx(2.9)
    assert probe.times[-1] - probe.times[0] == pytest.approx(SPAN)
    assert len(probe.times) == len(probe.heights) == 21


def test_a_probe_begins_anew_when_time_does():
    probe = Probe(0.0, 0.0)
    still = make_frame()
    probe.note(replace(still, time=7.0))
    probe.note(replace(still, time=0.0))
    assert list(probe.times) == [0.0]
