"""What belongs to a scene waits for the first frame of its water."""

import pytest
from support.scenes import make_frame

from waterview.core.commands import ReplaceWater
from waterview.core.errors import InputError
from waterview.ui.pending_scenes import PendingScenes


def fail():
    raise InputError("no such terrain")


def test_a_scene_whose_water_failed_never_arrives_and_one_that_is_not_made_waits():
    pending, before, after, last = PendingScenes(), make_frame(), make_frame(), make_frame()
    scenes = {"bad": fail, "good": lambda: "water", "later": lambda: "more water"}
    makes = {name: pending.expect(name, [ReplaceWater(make)])[0].make for name, make in scenes.items()}
    with pytest.raises(InputError):
        makes["bad"]()
    assert makes["good"]() == "water"
    assert pending.is_awaited
    assert pending.arrived(before, before) == [], "no frame shows it yet"
    assert pending.arrived(after, before) == ["good"]
    assert pending.arrived(last, after) == [], "another ground is not its own"
    makes["later"]()
    assert pending.arrived(before, last) == ["later"]


def test_a_scene_whose_water_was_taken_away_never_arrives():
    pending, before, after, told = PendingScenes(), make_frame(), make_frame(), []
    command = ReplaceWater(lambda: "water", cancelled=lambda: told.append("back"))
    (posted,) = pending.expect("cancelled", [command])
    assert posted.make() == "water"
    assert pending.is_awaited
    posted.cancelled()
    assert told == ["back"] and not pending.is_awaited
    assert pending.arrived(after, before) == []
