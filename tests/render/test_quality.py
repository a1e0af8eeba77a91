import itertools

import numpy as np
import pytest

from waterview.render.quality import TIERS, TierChooser

FAST, SLOW, FINE = 0.005, 0.2, 0.03


def feed(chooser, seconds, frames):
    for _ in range(frames):
        chooser.note(seconds)
    return chooser.tier.name


def test_tiers_go_from_quick_to_fine():
    tiers = list(TIERS.values())
    assert [tier.name for tier in tiers] == ["low", "medium", "high", "ultra"] == list(TIERS)
    for rough, fine in itertools.pairwise(tiers):
        assert rough.scale < fine.scale
        assert rough.water_reach < fine.water_reach
        assert rough.ground_points < fine.ground_points
        assert rough.ground_map < fine.ground_map


def test_slow_frames_lower_the_tier_down_to_the_lowest():
    chooser = TierChooser("high", window=5)
    assert feed(chooser, SLOW, 4) == "high"
    assert feed(chooser, SLOW, 1) == "medium"
    assert feed(chooser, SLOW, 5) == "low"
    assert feed(chooser, SLOW, 50) == "low"


def test_fast_frames_raise_it_up_to_the_highest():
    chooser = TierChooser("low", window=5)
    assert feed(chooser, FAST, 5) == "medium"
    assert feed(chooser, FAST, 5) == "high"
    assert feed(chooser, FAST, 5) == "ultra"
    assert feed(chooser, FAST, 50) == "ultra"


def test_good_frames_change_nothing():
    assert feed(TierChooser("medium", window=5), FINE, 500) == "medium"


def test_single_hiccups_change_nothing():
    chooser = TierChooser("medium", window=5)
    for _ in range(50):
        chooser.note(10.0)
        feed(chooser, FINE, 4)
    assert chooser.tier.name == "medium"


def test_what_proved_too_slow_is_tried_again_ever_later():
    chooser = TierChooser("medium", window=5)
    waits = []
    for _ in range(3):
        feed(chooser, SLOW, 5)
        assert chooser.tier.name == "low"
        frames = 0
        while chooser.tier.name == "low":
            chooser.note(FAST)
            frames += 1
        waits.append(frames)
    assert waits[0] < waits[1] < waits[2]


def test_times_that_are_no_times_are_ignored():
    chooser = TierChooser("high", window=2)
    for seconds in (0.0, -1.0, float("nan")):
        assert feed(chooser, seconds, 10) == "high"


@pytest.mark.parametrize(
    ("costs", "held"),
    [
        ((0.02, 0.036, 0.110, 0.3), "medium"),
        ((0.004, 0.008, 0.015, 0.06), "high"),
        ((0.001, 0.002, 0.004, 0.010), "ultra"),
        ((0.035, 0.07, 0.3, 0.9), "low"),
    ],
)
@pytest.mark.parametrize("start", ["low", "high"])
def test_auto_holds_the_frame_rate_of_a_machine(costs, held, start):
    """A clock that runs as fast as each tier draws: after a while nine of ten frames come at 24 a second or more."""
    random = np.random.default_rng(4)
    seconds_of = dict(zip(TIERS, costs, strict=True))
    chooser = TierChooser(start)
    clock, frames = 0.0, []
    while clock < 120.0:
        taken = max(seconds_of[chooser.tier.name] * random.uniform(0.95, 1.1), 1 / 60)
        chooser.note(taken)
        clock += taken
        frames.append((clock, taken, chooser.tier.name))
    late = [(taken, name) for clock, taken, name in frames if clock > 30.0]
    assert np.mean([name == held for _, name in late]) > 0.9
    assert np.mean([taken < 1 / 24 for taken, _ in late]) > 0.9


def test_auto_follows_a_machine_that_slows_down_and_recovers():
    chooser = TierChooser("high")
    names = []
    for load in (1.0, 8.0, 1.0):
        for _ in range(900):
            chooser.note(load * {"low": 0.004, "medium": 0.008, "high": 0.025, "ultra": 0.1}[chooser.tier.name])
        names.append(chooser.tier.name)
    assert names == ["high", "low", "high"]
