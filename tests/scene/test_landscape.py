"""Land that is grown: water runs down and adds up, and nothing that was measured changes."""

import numpy as np
import pytest
from support.scenes import make_frame

from waterview.core.frame import linear
from waterview.core.grid import Grid
from waterview.live_scene import open_scene
from waterview.render.ground.land import land_heights
from waterview.scene import landscape
from waterview.scene.kernels.erosion import POND, incise, let_fall, route_flow
from waterview.scene.landscape import GrownLand, divisions, grow
from waterview.terrain.heightmap import Heightmap

CELL = 10.0


@pytest.fixture(autouse=True)
def _own_folder(tmp_path, monkeypatch):
    monkeypatch.setattr(landscape, "user_cache_path", lambda *_, **__: tmp_path)


def hills(shape=(33, 41)):
    """Hills of 40 m in a sea with islands."""
    z, x = np.meshgrid(*(CELL * np.arange(count) for count in shape), indexing="ij")
    return (20.0 * np.sin(x / 47.0 + 0.4) * np.cos(z / 39.0) + 6.0 * np.sin((x + z) / 23.0) + 4.0).astype(np.float32)


def routed(heights, level=-1e9):
    points = heights.size
    order, receivers = np.empty(points, np.int32), np.empty(points, np.int32)
    area = np.empty(points, np.float32)
    route_flow(np.ascontiguousarray(heights, np.float32), level, order, receivers, area)
    return order, receivers, area.reshape(heights.shape)


def test_on_a_plane_as_much_drains_through_each_point_as_lies_above_it():
    rows, columns = 24, 9
    heights = np.repeat(np.arange(rows, dtype=np.float32)[:, None], columns, axis=1)
    heights += 0.01 * np.abs(np.arange(columns) - 4)  # a gutter is not needed for the sum, only for a way
    _, receivers, area = routed(heights)
    ends = receivers.reshape(heights.shape) == np.arange(heights.size).reshape(heights.shape)
    assert area[ends].sum() == heights.size, "every drop arrives somewhere, once"
    inner = area[1:-1, 1:-1]
    assert (np.diff(inner.sum(axis=1)) < 0).all(), "the lower, the more"
    assert np.array_equal(routed(heights[:, 3:6])[2][1:-1, 1], np.arange(1, rows - 1)[::-1])


def test_each_point_comes_after_the_one_that_it_drains_to_which_is_a_neighbour():
    heights = hills()
    order, receivers, area = routed(heights, 0.0)
    place = np.empty_like(order)
    place[order] = np.arange(order.size)
    goes_on = receivers != np.arange(receivers.size)
    assert (place[receivers] < place)[goes_on].all()
    rows, columns = np.divmod(np.arange(receivers.size), heights.shape[1])
    assert np.abs(rows - rows[receivers]).max() <= 1
    assert np.abs(columns - columns[receivers]).max() <= 1
    assert (area.ravel()[~goes_on & (heights.ravel() > 0.0)] >= 1.0).all()


def test_water_stands_in_a_depression_and_leaves_by_its_lowest_edge():
    heights = np.full((31, 31), 10.0, np.float32)
    heights[1:-1, 1:-1] = 2.0
    heights[15, 0] = 5.0
    _, receivers, area = routed(heights)
    assert receivers[15 * 31 + 1] == 15 * 31
    assert area[1:-1, 1:-1].max() == POND
    assert area[15, 0] == 29 * 29 + 1


def test_a_stream_cuts_in_as_the_implicit_step_says_and_steep_ground_falls():
    heights = np.array([[0.0, 4.0, 5.0]], np.float32).repeat(1, axis=0)
    incise(heights, np.array([0, 1, 2], np.int32), np.array([0, 0, 1], np.int32), np.array([3, 2, 1], np.float32), 0.5)
    second = 4.0 / (1.0 + 0.5 * np.sqrt(2.0))
    assert heights.ravel() == pytest.approx([0.0, second, (5.0 + 0.5 * second) / 1.5], rel=1e-6)
    slope = np.array([[0.0, 10.0], [0.0, 0.5]], np.float32)
    let_fall(slope, np.empty_like(slope), 1.0)
    assert slope.sum() == pytest.approx(10.5)
    assert slope[0, 1] - slope[0, 0] < 7.0
    assert abs(slope[1, 0]) + abs(slope[1, 1] - 0.5) > 0.0  # from the row above


def test_heights_at_the_rasters_own_points_stay_as_measured():
    heights, parts = hills(), 4
    grown, flow = grow(heights, CELL, 0.0, parts)
    assert grown.shape == flow.shape == (129, 161)
    assert not grown[::parts, ::parts].any()
    assert grown.astype(np.float64).std() > 0.05
    again, _ = grow(heights, CELL, 0.0, parts)
    assert np.array_equal(grown, again)


@pytest.mark.parametrize("points", [41, 81, 25])
def test_the_drawn_land_has_the_measured_heights_and_the_shore_of_the_grid(points):
    heightmap = Heightmap.from_array(hills(), cell=CELL)
    grid = Grid.from_size(*heightmap.size, points, (-200.0, 0.0, -160.0))
    bed = heightmap.height_at(grid.x[None, :], grid.z[:, None])
    frame = make_frame(grid.shape, grid.spacing, bed=bed, land=GrownLand(heightmap, grid))
    drawn = land_heights(frame)
    plain = linear(bed, drawn.shape)
    assert (np.sign(drawn) == np.sign(plain)).all()
    assert np.array_equal(drawn[plain <= 0.0], plain[plain <= 0.0])
    assert frame.bed is bed
    parts = (drawn.shape[1] - 1) // 40
    measured, own = heightmap.heights, drawn[::parts, ::parts]
    if points != 25:  # of a coarser grid the shore is the grid's
        dry = measured > 0.0
        assert np.abs(own - measured)[dry].max() < 2e-5
    assert np.abs(drawn - plain).max() > 0.3


@pytest.mark.slow
def test_fine_rasters_are_not_grown_and_lakes_of_any_size_are_bounded():
    assert [divisions((n, n)) for n in (2, 129, 257, 500, 600, 1025, 5000)] == [8, 8, 4, 2, 1, 1, 1]
    fine = np.tile(hills((65, 65)), (20, 20))
    assert grow(fine, CELL, 0.0, 1)[0].shape == (1025, 1025)


def test_grown_land_is_kept_on_disk_and_a_damaged_file_is_made_anew(tmp_path):
    heightmap = Heightmap.from_array(hills(), cell=CELL)
    grid = Grid.from_size(*heightmap.size, 41, (-200.0, 0.0, -160.0))
    first = GrownLand(heightmap, grid).detail
    (kept,) = (tmp_path / "land").iterdir()
    written = kept.stat().st_mtime_ns
    assert np.array_equal(GrownLand(heightmap, grid).detail.offset, first.offset)
    assert kept.stat().st_mtime_ns == written
    kept.write_bytes(b"no land")
    assert np.array_equal(GrownLand(heightmap, grid).detail.offset, first.offset)
    assert kept.stat().st_size > 100


def test_landscapes_are_grown_and_pools_are_not():
    assert open_scene("bay", grid=32).frame.land is not None
    assert open_scene("basin", grid=32).frame.land is None
