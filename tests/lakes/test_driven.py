"""Waves and tides that come in by the sides of a lake: blocks have the bits of the same water in one piece."""

from types import SimpleNamespace

import numpy as np
import pytest
from lakes.test_shallow_block import Ends, Group
from support.coast import COAST

from waterview.core.commands import Drop, TimedDrop
from waterview.core.errors import ParameterError
from waterview.lakes.played import open_recording
from waterview.lakes.recorded import open_lake
from waterview.lakes.run import SingleProcess, bake
from waterview.lakes.scene import plan_lake
from waterview.lakes.shallow_block import ShallowBlock
from waterview.output.offline import run
from waterview.scene.arguments import GaugePlace
from waterview.scene.scene import Scene, SceneParams
from waterview.sim.playback import PlayedWater

GAUGES = (GaugePlace("offshore", -125.0, 85.0),)
WAVE = {"wavemaker_height": 0.5, "wavemaker_period": 0.7}
FLAT = {"keep_volume": False, "damping": 0.1}
SHALLOW = {"gravity": 9.81, "steps_per_second": 8.0, "wavemaker_period": 4.0, "tide": "0.6:20", "keep_volume": False}


def lake(seconds, every, drops=(), side=64, **settings):
    given = {"grid": 150, "maxima": True, **settings}
    return plan_lake(COAST, given, seconds=seconds, every=every, drops=drops, side=side, gauges=GAUGES)


def world(model="wave-equation", **settings):
    return Scene(COAST.load(), SceneParams(grid=150, model=model, maxima=True), settings, gauges=GAUGES).make_world()


def check(group, whole, seconds, every, drops=()):
    for frame in run(whole, seconds, 1.0 / every, drops):
        group.run(frame.serial)
        np.testing.assert_array_equal(group.heights().view(np.uint32), frame.heights.view(np.uint32))
    return frame.heights


@pytest.mark.slow
@pytest.mark.parametrize(
    ("settings", "side", "count"),
    [
        ({"wavemaker": "sine", "wavemaker_sides": "west,south", "wavemaker_angle": -40.0, "border": "open"}, 64, 3),
        # At 45° points of several rows lie on one crest.
        ({"wavemaker": "spectrum", "wavemaker_angle": 45.0, "border": "wrapping"}, 64, 2),
        ({"wavemaker": "spectrum", "wavemaker_spreading": 20.0, "border": "reflecting"}, 128, 2),
        ({"wavemaker": "solitary", "wavemaker_sides": "east,west,north,south"}, 64, 1),
    ],
)
def test_waves_come_into_blocks_of_the_wave_equation_as_into_the_whole(settings, side, count):
    given = {**WAVE, **FLAT, **settings}
    drops = (TimedDrop(Drop(-125.0, 85.0, 0.5, 20.0), 0.2),)
    last = check(Group(lake(1.2, 0.6, drops, side, **given), count), world(**given), 1.2, 0.6, drops)
    assert np.abs(last[:, :30]).max() > 0.05


@pytest.mark.slow
@pytest.mark.parametrize(
    ("settings", "side", "count"),
    [
        ({"wavemaker": "sine", "wavemaker_sides": "west,south", "wavemaker_angle": -30.0, "border": "open"}, 64, 4),
        (
            {"wavemaker": "spectrum", "wavemaker_spreading": 15.0, "border": "reflecting", "wavemaker_period": 2.0},
            64,
            2,
        ),
        ({"wavemaker": "series", "wavemaker_series": "0 0 0;2 1 3;4 0 0", "tide": "", "border": "zero"}, 128, 1),
    ],
)
def test_waves_and_tides_come_into_blocks_of_shallow_water_as_into_the_whole(settings, side, count):
    given = {"wavemaker_height": 0.8, **SHALLOW, **settings}
    # Beside the driven side, near the end of a block: what leaves runs along the side into the next block.
    drops = (TimedDrop(Drop(-190.0, 35.0, 3.0, 12.0, neutral=False), 0.0),)
    group = Group(lake(6.0, 3.0, drops, side, model="shallow-water", **given), count)
    last = check(group, world("shallow-water", **given), 6.0, 3.0, drops)
    assert np.abs(last[:, :30]).max() > 0.1


def test_what_leaves_by_a_driven_side_goes_with_the_halo():
    planned = lake(1.0, 0.5, model="shallow-water", **SHALLOW)
    sender, receiver = (
        ShallowBlock(number, planned.blocks, planned.ground, planned.law) for number in ((1, 0), (0, 0))
    )
    state = {name: array.copy() for name, array in sender.state().items()}
    leaving = state["leaving west"]
    leaving[...] = np.random.default_rng(0).random(leaving.shape)
    sender.load_state(state, 0)
    (transfer,) = (each for each in planned.blocks.transfers_to((0, 0)) if each.sender == (1, 0))
    receiver.unpack_halo(transfer, sender.pack_halo(transfer))
    found, halo = receiver.state()["leaving west"], transfer.received.shape[0]
    np.testing.assert_array_equal(found[:, -halo:], leaving[:, halo : 2 * halo])
    assert not found[:, :-halo].any()


@pytest.mark.slow
@pytest.mark.parametrize("model", ["wave-equation", "shallow-water"])
def test_what_was_ended_goes_on_with_its_waves_and_gauges(tmp_path, model):
    own = {**WAVE, **FLAT} if model == "wave-equation" else {**SHALLOW, "border": "open"}
    given, every = {**own, "wavemaker": "sine"}, 0.3 if model == "wave-equation" else 1.5
    planned = lake(4 * every, every, model=model, **given)
    path = tmp_path / "lake.zarr"
    with pytest.raises(KeyboardInterrupt):
        bake(planned, path, Ends(), checkpoint_seconds=0.0)
    bake(planned, path, SingleProcess(), resume=True)
    whole, baked = world(model, **given), open_lake(path)
    for frame in run(whole, 4 * every, 1.0 / every, ()):
        np.testing.assert_array_equal(baked.heights(frame.serial), frame.heights)
        np.testing.assert_array_equal(baked.incoming(frame.time), frame.incoming)
    played = PlayedWater(open_recording(path))
    played.show(frame.serial)
    np.testing.assert_array_equal(played.publish(0).incoming, frame.incoming)
    (gauge,) = whole.gauges
    np.testing.assert_array_equal(baked.gauges[0].values, gauge.values)
    for name, field in whole.maxima.field_maps().items():
        np.testing.assert_array_equal(baked.maxima(name.replace(" ", "_")), field.values)


def test_the_usual_height_is_that_of_a_scene_and_is_written_into_the_store():
    planned = lake(1.0, 0.5, wavemaker="sine")
    params = SimpleNamespace(**dict(planned.about)["params"])
    assert params.wavemaker_height == world(wavemaker="sine", keep_volume=False).water.params.wavemaker_height
    assert params.wavemaker == "sine"


@pytest.mark.parametrize(
    ("settings", "reason"),
    [
        ({"wavemaker": "sine", "wavemaker_sides": "up"}, "no side"),
        ({"wavemaker": "series"}, "has no series"),
        (
            {"wavemaker": "sine", "wavemaker_sides": "east"},
            "nothing can come in by the east, which is land: choose west",
        ),
        ({"model": "shallow-water", "tide": "1:600"}, "--gravity"),
    ],
)
def test_waves_that_cannot_come_in_are_refused(settings, reason):
    with pytest.raises(ParameterError, match=reason):
        lake(1.0, 0.5, **settings)
