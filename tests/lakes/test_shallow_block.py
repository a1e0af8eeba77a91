"""Blocks of shallow water, on owners that run beside each other, have the bits of the same water in one piece."""

from concurrent.futures import Future, ThreadPoolExecutor

import numpy as np
import pytest
from support.coast import COAST

from waterview.core.commands import Drop, TimedDrop
from waterview.core.errors import InputError, ParameterError
from waterview.lakes.cluster import assigned
from waterview.lakes.owner import owner_of
from waterview.lakes.recorded import open_lake
from waterview.lakes.run import SingleProcess, bake
from waterview.lakes.scene import plan_lake
from waterview.output.offline import run
from waterview.scene.arguments import GaugePlace
from waterview.scene.scene import Scene, SceneParams

DROPS = (TimedDrop(Drop(-125.0, 85.0, 12.0, 25.0), 0.0), TimedDrop(Drop(-150.0, 80.0, 4.0, 9.0), 2.0))
SECONDS, FRAMES_PER_SECOND = 10.0, 0.5
GAUGES = (GaugePlace("offshore", -125.0, 85.0), GaugePlace("beach", -100.0, 60.0))
MEASURED = {"gauges_interval": 0.6, "maxima_interval": 0.3}
SETTINGS = {"gravity": 9.81, "steps_per_second": 4.0, "keep_volume": False}


def lake(side=64, border="open", drops=DROPS, **settings):
    given = {
        "model": "shallow-water",
        "grid": 150,
        "border": border,
        "maxima": True,
        **SETTINGS,
        **MEASURED,
        **settings,
    }
    every = 1.0 / FRAMES_PER_SECOND
    return plan_lake(COAST, given, seconds=SECONDS, every=every, drops=drops, side=side, flow=True, gauges=GAUGES)


def world(border="open"):
    params = SceneParams(grid=150, model="shallow-water", maxima=True)
    return Scene(COAST.load(), params, {"border": border, **SETTINGS, **MEASURED}, gauges=GAUGES).make_world()


class Direct:
    """An owner as another one sees it, without a cluster between."""

    def __init__(self, owner):
        self.owner = owner

    def receive(self, *message):
        with pytest.raises(StopIteration):
            self.owner.receive(*message).send(None)
        arrived = Future()
        arrived.set_result(None)
        return arrived


class Group:
    """Owners of all blocks of a lake, each on a thread."""

    def __init__(self, planned, count):
        owners = assigned(planned, count)
        self.owners = [owner_of(planned)(planned, owners, me) for me in range(max(owners.values()) + 1)]
        for me, owner in enumerate(self.owners):
            owner.connect([None if k == me else Direct(other) for k, other in enumerate(self.owners)])
        self.lake = planned

    def run(self, frame):
        with ThreadPoolExecutor(len(self.owners)) as pool:
            for done in [pool.submit(owner.run, self.lake.actions(frame)) for owner in self.owners]:
                done.result(60.0)

    def heights(self):
        whole = np.full(self.lake.blocks.shape, np.nan, np.float32)
        for owner in self.owners:
            for number, heights in owner.heights().items():
                own = self.lake.blocks.owned(number)
                whole[own.top : own.bottom, own.left : own.right] = heights
        return whole


@pytest.mark.slow
@pytest.mark.parametrize(
    ("border", "side", "count"), [("open", 64, 4), ("zero", 64, 2), ("reflecting", 128, 2), ("open", 192, 1)]
)
def test_owners_of_blocks_have_the_bits_of_the_whole(border, side, count):
    whole, group = world(border), Group(lake(side, border), count)
    land = whole.water.fixed
    for frame in run(whole, SECONDS, FRAMES_PER_SECOND, DROPS):
        group.run(frame.serial)
        np.testing.assert_array_equal(group.heights().view(np.uint32), frame.heights.view(np.uint32))
    assert (land & ~whole.water.fixed).any(), "nothing has run up the shore"
    assert whole.water.effective["substeps"] > 1


class Ends(SingleProcess):
    """Ends with an error after so many frames."""

    left = 3

    def run(self, actions):
        self.left -= 1
        if self.left < 0:
            raise KeyboardInterrupt
        return super().run(actions)


@pytest.mark.slow
def test_what_was_ended_goes_on_to_the_same_bits_and_keeps_the_flow(tmp_path):
    path = tmp_path / "lake.zarr"
    with pytest.raises(KeyboardInterrupt):
        bake(lake(), path, Ends(), checkpoint_seconds=0.0)
    bake(lake(), path, SingleProcess(), resume=True)
    whole, baked = world(), open_lake(path)
    frames = list(run(whole, SECONDS, FRAMES_PER_SECOND, DROPS))
    for frame in frames:
        np.testing.assert_array_equal(baked.heights(frame.serial), frame.heights)
    seen = whole.water.observe()
    depth = np.maximum(frames[-1].heights - (frames[-1].bed - frames[-1].grid.level), 0.0)
    flow = baked.flow(len(baked) - 1)
    np.testing.assert_allclose(flow[:, seen.wet], (seen.velocity * depth)[:, seen.wet], atol=1e-3)
    assert np.abs(flow).max() > 1.0
    for measured, gauge in zip(baked.gauges, whole.gauges, strict=True):
        assert (measured.name, measured.x, measured.z) == (gauge.name, gauge.x, gauge.z)
        for ours, theirs in zip((measured.times, *measured.values), (gauge.times, *gauge.values), strict=True):
            np.testing.assert_array_equal(ours, theirs)
    for name, field in whole.maxima.field_maps().items():
        np.testing.assert_array_equal(baked.maxima(name.replace(" ", "_")), field.values)
    coarse = baked.maxima("arrival_time", 1)[:50, :75]
    fine = baked.maxima("arrival_time")[:100, :150].reshape(50, 2, 75, 2)
    np.testing.assert_array_equal(coarse, np.fmin.reduce(np.fmin.reduce(fine, axis=3), axis=1))
    assert baked.to_xarray().largest_speed.attrs["units"] == "m s-1"
    shown = baked.frame(len(baked) - 1, 0)
    assert shown.params.gravity == 9.81
    assert not shown.fixed[(shown.heights != 0.0)].any()
    assert baked.to_xarray().flow_x.attrs["units"] == "m2 s-1"


@pytest.mark.slow
def test_a_lake_in_which_nothing_moves_is_written_as_calm(tmp_path):
    bake(lake(drops=()), tmp_path / "lake.zarr", SingleProcess())
    baked, (first, *_) = open_lake(tmp_path / "lake.zarr"), run(world(), 0.0, 1.0, ())
    np.testing.assert_array_equal(baked.heights(len(baked) - 1), first.heights)
    assert not baked.flow(1).any()


@pytest.mark.parametrize(
    ("settings", "reason"),
    [
        ({"gravity": 0.0}, "--gravity: a lake of shallow water needs it given"),
        ({"scheme": "boussinesq"}, "--scheme boussinesq: its pressure"),
        ({"scheme": "kass-miller"}, "--scheme kass-miller"),
        ({"border": "wrapping"}, "wrapping"),
        ({"bodies_drag": 2.0}, "--bodies-drag"),
        ({"model": "wave-equation", "gravity": None, "scheme": None}, "the flow is kept of shallow water alone"),
    ],
)
def test_what_blocks_cannot_do_is_refused(settings, reason):
    with pytest.raises(ParameterError, match=reason):
        lake(**settings)


def test_a_drop_beside_another_basin_is_refused():
    group = Group(lake(drops=(TimedDrop(Drop(-125.0, 85.0, 1.0, 150.0), 0.0),)), 1)
    with pytest.raises(InputError, match=r"land may keep apart|too little water around it"):
        group.owners[0].run(group.lake.actions(0))
