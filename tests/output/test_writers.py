"""What every writer owes its callers, run over the whole table: files are written, read back and refused alike."""

import itertools
from functools import partial
from pathlib import Path

import av
import numpy as np
import pytest
import rasterio
from PIL import Image
from support.peers import load_meshes, open_zarr

from waterview.core.commands import Drop, TimedDrop
from waterview.core.errors import InputError
from waterview.output.offline import run, write, write_replay, written_frame_count
from waterview.output.recording import Entry, Recording
from waterview.output.writers import (
    WRITERS,
    FilmWriter,
    FrameWriter,
    PictureWriter,
    SeriesWriter,
    allowed_endings,
    writer_for,
)
from waterview.render.settings import ViewParams
from waterview.render.shot import Shot
from waterview.scene.replay import play
from waterview.scene.serialise import world_to_dict
from waterview.sim.world import World
from waterview.waters import WaveEquationWater

pytestmark = pytest.mark.usefixtures("one_context")

SHOT = Shot((96, 64), ViewParams(quality="low"))
SECONDS, FPS = 0.3, 10.0
DROP = Drop(0.5, -0.5, 1.6, 1.5)
POINTS = 16


def pond():
    return World(WaveEquationWater(12.0, 12.0, POINTS, steps_per_second=60.0, wave_speed=2.0))


def last_frame():
    *_, last = run(pond(), SECONDS, FPS, [TimedDrop(DROP)])
    return last


def pictures_in_film(path):
    with av.open(str(path)) as container:
        return [frame.to_ndarray(format="rgb24") for frame in container.decode(video=0)]


def check_picture(path, frames):
    assert np.asarray(Image.open(path)).shape == (SHOT.size[1], SHOT.size[0], 3)


def check_film(path, frames):
    pictures = pictures_in_film(path)
    assert len(pictures) == (3 if frames > 1 else frames)  # a film of 0.3 s at 10 frames a second
    assert pictures[0].shape == (SHOT.size[1], SHOT.size[0], 3)


def check_npz(path, frames):
    with np.load(path) as content:
        assert content["heights"].shape == (frames, POINTS, POINTS)
        np.testing.assert_array_equal(content["heights"][-1], last_frame().heights)
        np.testing.assert_array_equal(content["bed"], last_frame().bed)


def check_zarr(path, frames):
    heights = open_zarr(path)["heights"]
    assert heights.shape == (frames, POINTS, POINTS)
    np.testing.assert_array_equal(heights[-1], last_frame().heights)


def check_netcdf(path, frames):
    import xarray

    with xarray.open_dataset(path) as content:
        assert content.heights.dims == ("time", "y", "x") and content.heights.shape == (frames, POINTS, POINTS)
        np.testing.assert_array_equal(content.heights[-1], last_frame().heights)


def check_map(path, frames):
    with rasterio.open(path) as raster:
        np.testing.assert_allclose(raster.read(1), last_frame().heights + last_frame().grid.level, atol=1e-6)


def check_mesh(path, frames):
    meshes = load_meshes(path)
    up = 2 if path.suffix == ".stl" else 1
    highest = max(mesh.vertices[:, up].max() for mesh in meshes)
    assert highest == pytest.approx(last_frame().heights.max() + last_frame().grid.level, abs=1e-5)
    assert sum(len(mesh.faces) for mesh in meshes) == 2 * 2 * (POINTS - 1) ** 2  # the water and the ground under it


CHECKS = {
    ".png": check_picture,
    ".mp4": check_film,
    ".webm": check_film,
    ".gif": check_film,
    ".npz": check_npz,
    ".zarr": check_zarr,
    ".nc": check_netcdf,
    ".tif": check_map,
    ".glb": check_mesh,
    ".obj": check_mesh,
    ".ply": check_mesh,
    ".stl": check_mesh,
}
"""How a file of each ending is read back; a new writer needs one, too."""


@pytest.fixture(params=WRITERS)
def ending(request):
    if request.param not in CHECKS:
        pytest.fail(
            f"WRITERS has {request.param!r}: add a function to CHECKS here that reads such a file and checks it"
        )
    return request.param


def is_drawn(ending):
    return isinstance(WRITERS[ending], PictureWriter | FilmWriter)


def test_what_is_written_can_be_read(ending, tmp_path):
    out = tmp_path / "new folder" / f"a{ending}"
    for _ in range(1 if is_drawn(ending) else 2):  # the second replaces the first
        steps = itertools.count()
        assert write(pond(), out, SECONDS, FPS, [TimedDrop(DROP)], SHOT, partial(next, steps)) == [out]
        CHECKS[ending](out, 4)
        assert next(steps) == written_frame_count(out, SECONDS, FPS)
    assert [path.name for path in out.parent.iterdir()] == [out.name]


@pytest.mark.slow
def test_an_earlier_file_is_replaced(ending, tmp_path):
    out = tmp_path / f"a{ending}"
    for seconds in (0.0, SECONDS):
        write(pond(), out, seconds, FPS, [TimedDrop(DROP)], SHOT)
    CHECKS[ending](out, 4)
    assert [path.name for path in tmp_path.iterdir()] == [out.name]


@pytest.mark.slow
def test_a_number_in_the_name_gives_each_frame_its_file_or_is_refused(ending, tmp_path):
    out = tmp_path / f"a%02d{ending}"
    if isinstance(WRITERS[ending], FilmWriter | SeriesWriter):
        with pytest.raises(InputError, match="leave the number out"):
            write(pond(), out, SECONDS, FPS, [TimedDrop(DROP)], SHOT)
        return
    paths = write(pond(), out, SECONDS, FPS, [TimedDrop(DROP)], SHOT)
    count = written_frame_count(out, SECONDS, FPS)
    assert count == (3 if isinstance(WRITERS[ending], PictureWriter) else 4)
    assert [path.name for path in paths] == [f"a{number:02d}{ending}" for number in range(count)]
    CHECKS[ending](paths[-1], 1)


@pytest.mark.slow
def test_a_replay_writes_the_same_kinds(ending, tmp_path):
    replay = partial(play, Recording(world_to_dict(pond()), (Entry(0, DROP),), round(60 * SECONDS)))
    out = tmp_path / f"a{ending}"
    assert write_replay(replay, out, FPS, SHOT) == [out]
    if CHECKS[ending] is check_film:
        assert len(pictures_in_film(out)) == 4
    else:
        CHECKS[ending](out, 1)  # of numbers and pictures the end alone


@pytest.mark.slow
def test_a_place_that_cannot_be_written_is_reported_in_one_line(ending, tmp_path):
    (tmp_path / "file").touch()
    out = tmp_path / "file" / f"a{ending}"
    with pytest.raises(InputError, match="cannot write the") as caught:
        write(pond(), out, SECONDS, FPS, [], SHOT)
    assert str(out) in str(caught.value) and str(caught.value).isprintable()


def test_unknown_endings_and_bad_numbers_are_refused_before_any_work(tmp_path):
    with pytest.raises(InputError, match="allowed endings are") as caught:
        writer_for(tmp_path / "a.jpg", FPS)
    assert all(ending in str(caught.value) for ending in WRITERS)
    with pytest.raises(InputError, match="what gauges measure is written with --gauges-out"):
        writer_for(tmp_path / "a.csv", FPS)
    assert isinstance(writer_for(tmp_path / "a.nc", FPS), SeriesWriter)  # heights; gauges have --gauges-out
    with pytest.raises(InputError, match="one number such as %04d"):
        writer_for(tmp_path / "a%d%d.png", FPS)
    with pytest.raises(InputError, match="at most 50"):
        writer_for(tmp_path / "a.gif", 60.0)


def test_a_new_format_needs_one_entry_in_the_table(tmp_path, monkeypatch):
    def save_dummy(frame, path):
        np.savetxt(path, frame.heights, delimiter=",")

    monkeypatch.setitem(WRITERS, ".dummy", FrameWriter(save_dummy, "tables"))
    assert ".dummy, %04d.dummy (tables)" in allowed_endings()
    (path,) = write(pond(), tmp_path / "a.dummy", SECONDS, FPS, [TimedDrop(DROP)], SHOT)
    np.testing.assert_allclose(np.loadtxt(path, delimiter=","), last_frame().heights, rtol=1e-6)


def test_numbered_pictures_end_as_films_do_and_one_picture_shows_the_end():
    assert written_frame_count(Path("a_%d.png"), 0.5, 10.0) == written_frame_count(Path("a.mp4"), 0.5, 10.0) == 5
    assert written_frame_count(Path("a.png"), 0.5, 10.0) == written_frame_count(Path("a.npz"), 0.5, 10.0) == 6
