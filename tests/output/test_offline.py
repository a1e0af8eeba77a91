"""Pictures from many frames."""

import dataclasses
from functools import partial

import numpy as np
import pytest
from PIL import Image
from support import pictures as reference_pictures
from support.worlds import make_world

from waterview.core.commands import Drop, TimedDrop
from waterview.output.offline import Output, run, sea_before, write, write_replay
from waterview.output.recording import Entry, Recording
from waterview.render.camera.camera import OrbitCamera
from waterview.render.settings import ViewParams
from waterview.render.shot import Shot
from waterview.scene.replay import play
from waterview.scene.serialise import world_to_dict
from waterview.sim.world import World
from waterview.waters import WaveEquationWater

pytestmark = pytest.mark.usefixtures("one_context")

# The exposure of a film comes from the pictures before, that of a single picture does not.
SMALL = Shot((160, 90), ViewParams(quality="low", water="sea", auto_exposure=False), OrbitCamera.framing)
STEEP = Drop(0.5, -0.5, 1.6, 1.5)


@pytest.mark.slow
def test_a_single_picture_shows_the_foam_of_the_moments_before_it_as_the_last_of_many_does(tmp_path):
    drawn = reference_pictures.coast()
    before, now = drawn.frames
    frames = dataclasses.replace(before, foam=np.full(before.grid.shape, 0.9, np.float32)), now
    shot = Shot(
        reference_pictures.SIZE,
        ViewParams(quality="low", **drawn.settings | {"auto_exposure": False}),
        lambda _: drawn.camera,
    )
    many = Output(tmp_path / "%d.png", shot, 10.0).write(frames)
    (one,) = Output(tmp_path / "one.png", shot, 10.0, count=2).write(frames)
    (none,) = Output(tmp_path / "none.png", shot).write(frames[1:])
    shown, expected, without = (np.asarray(Image.open(path)) for path in (one, many[-1], none))
    np.testing.assert_array_equal(shown, expected)
    assert (np.abs(shown.astype(int) - without).max(axis=-1) > 8).mean() > 0.05


def pond():
    return World(WaveEquationWater(12.0, 12.0, 48, steps_per_second=60.0, wave_speed=2.0))


def pixels(path):
    return np.asarray(Image.open(path)).astype(int)


@pytest.mark.slow
def test_the_foam_of_pictures_far_apart_is_that_of_pictures_close_together(tmp_path):
    drops = [TimedDrop(STEEP, 0.1)]
    seldom = write(pond(), tmp_path / "seldom%d.png", 2.0, 1.0, drops, SMALL)
    close = write(pond(), tmp_path / "close%d.png", 16.0 / 15.0, 15.0, drops, SMALL)
    assert [len(seldom), len(close)] == [2, 16]
    np.testing.assert_array_equal(pixels(seldom[-1]), pixels(close[-1]))
    *_, end = run(pond(), 1.0, 1.0, drops)
    (bare,) = Output(tmp_path / "bare.png", SMALL).write([end])
    assert (np.abs(pixels(bare) - pixels(close[-1])).max(axis=-1) > 8).any()


@pytest.mark.slow
def test_the_end_of_a_recording_shows_the_foam_of_the_moments_before_it(tmp_path):
    recording = Recording(world_to_dict(pond()), (Entry(6, STEEP),), 60)
    (one,) = write_replay(partial(play, recording), tmp_path / "one.png", 30.0, SMALL)
    many = write_replay(partial(play, recording), tmp_path / "many%d.png", 15.0, SMALL)
    np.testing.assert_array_equal(pixels(one), pixels(many[-1]))


@pytest.mark.slow
def test_a_film_of_a_sea_begins_with_foam_and_the_sea_is_as_it_was(tmp_path):
    def storm():
        return make_world("ocean", wind_speed=25.0, sea_size=200.0, foam=0.9)

    written = write(storm(), tmp_path / "with%d.png", 4.0, 1.0, [], SMALL)
    first, last = (pixels(path).mean() for path in (written[0], written[-1]))
    (bare,) = Output(tmp_path / "bare.png", SMALL).write([next(run(storm(), 1.0, 1.0))])
    assert first - pixels(bare).mean() > 0.3 * (last - pixels(bare).mean()) > 1.0
    sea, same = storm(), storm()
    followed = list(sea_before(sea))
    assert [followed[0].time, followed[-1].time] == pytest.approx([-4.0, -1.0 / 15.0])
    one, other = next(run(sea, 1.0, 1.0)), next(run(same, 1.0, 1.0))
    assert one.time == 0.0
    np.testing.assert_array_equal(one.heights, other.heights)
    np.testing.assert_array_equal(one.foam, other.foam)
    assert not list(sea_before(pond()))
