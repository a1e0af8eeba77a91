"""Several levels of detail in one picture: a fine part inside a coarse whole."""

from dataclasses import replace

import numpy as np
import pytest
from support.scenes import make_frame

from waterview.core.grid import Grid
from waterview.render.camera.camera import OrbitCamera
from waterview.render.camera.near_origin import NearOrigin
from waterview.render.prepared_ground import prepare_ground

SIZE = (96, 64)


def landscape(points, side, middle=(0.0, 0.0), waves=0.0, **more):
    """A square of a coast with a wave over it, the same place whatever the spacing."""
    spacing = side / (points - 1)
    x = middle[0] + spacing * (np.arange(points) - 0.5 * (points - 1))[None, :]
    z = middle[1] + spacing * (np.arange(points) - 0.5 * (points - 1))[:, None]
    bed = -6.0 + 0.1 * x + 3.0 * np.sin(0.05 * z) + 0.0 * x
    heights = np.where(bed < 0.0, waves * np.sin(0.9 * (x + z)), 0.0)
    frame = make_frame((points, points), spacing, bed=bed, heights=heights, **more)
    return frame.changed(grid=Grid((points, points), spacing, (float(x[0, 0]), 0.0, float(z[0, 0]))))


@pytest.fixture(scope="module")
def whole():
    return landscape(51, 200.0)


@pytest.fixture(scope="module")
def part():
    return landscape(65, 40.0, (10.0, 5.0), waves=0.4)


@pytest.fixture(scope="module")
def camera(whole):
    home = OrbitCamera.framing(whole)
    return replace(home, target=(10.0, 0.0, 5.0), distance=90.0, elevation=0.7)


def shown_inside(part, camera):
    """Which pixels lie over a part, away from its edges; shape (height, width)."""
    inside = np.zeros(SIZE[::-1], bool)
    low, high = part.grid.origin, (part.grid.x[-1], 0.0, part.grid.z[-1])
    for row in range(SIZE[1]):
        for column in range(SIZE[0]):
            eye, along = camera.ray(column + 0.5, row + 0.5, SIZE)
            if along[1] < 0.0:
                x, _, z = eye - along * (eye[1] / along[1])
                inside[row, column] = low[0] + 4 < x < high[0] - 4 and low[2] + 4 < z < high[2] - 4
    return inside


@pytest.mark.slow
def test_a_part_is_fine_and_the_rest_as_without_it(drawing, whole, part, camera):
    draw = drawing(SIZE)
    coarse = draw(whole, camera)
    nested = draw(part.changed(around=whole, serial=2), camera)
    inside = shown_inside(part, camera)
    assert 0.05 < inside.mean() < 0.6
    changed = np.abs(nested - coarse).max(axis=2)
    assert np.mean(changed[inside] > 6.0) > 0.5, "the waves of the part show"
    # Around it ripples are finer and the wet sand is narrower: they suit the distance of the eye.
    assert np.median(changed[~inside]) < 8.0 and np.mean(changed[~inside] > 24.0) < 0.15
    again = draw(whole, camera)
    np.testing.assert_array_equal(again, coarse)


@pytest.mark.slow
def test_a_part_that_is_no_finer_does_not_show(drawing, whole, camera):
    draw = drawing(SIZE)
    coarse = draw(whole, camera)
    rows = slice(15, 36)
    grid = whole.grid
    origin = (float(grid.x[15]), 0.0, float(grid.z[15]))
    cut = whole.changed(
        grid=Grid((21, 21), grid.spacing, origin),
        **{
            name: np.ascontiguousarray(getattr(whole, name)[rows, rows])
            for name in ("heights", "normals", "bed", "fixed")
        },
    )
    nested = draw(cut.changed(around=whole, serial=3), camera)
    assert np.abs(nested - coarse).mean() < 4.0, "colours of ground and water go on"


@pytest.mark.slow
def test_new_ground_of_a_part_is_made_over_several_pictures(drawing, renderers, whole, part, camera):
    draw, renderer = drawing(SIZE), renderers["low"]
    moved = landscape(65, 40.0, (-10.0, -5.0), waves=0.4).changed(around=whole, serial=5)
    coarse = draw(whole, camera)
    expected = draw(part.changed(around=whole, serial=4), camera)
    renderer.turns = 3
    try:
        pictures, complete = zip(*((draw(moved, camera), renderer.is_complete) for _ in range(7)), strict=True)
    finally:
        renderer.turns = 1
    assert complete == (False,) * 5 + (True,) * 2, "a window at rest goes on until all is there"
    for waiting in pictures[:4]:
        assert np.abs(waiting - coarse).mean() < 2.0, "the whole is shown until the part is there"
    np.testing.assert_array_equal(pictures[5], pictures[6])
    assert np.abs(pictures[6] - coarse).mean() > 2.0
    np.testing.assert_array_equal(draw(part.changed(around=whole, serial=6), camera), expected)


@pytest.mark.slow
def test_three_levels_are_drawn_in_one_picture(drawing, whole, part, camera):
    draw = drawing(SIZE)
    two = draw(part.changed(around=whole, serial=7), camera)
    between = landscape(61, 80.0, (10.0, 5.0))
    three = draw(part.changed(around=between.changed(around=whole), serial=8), camera)
    inside = shown_inside(part, camera)
    assert np.abs(three - two)[inside].mean() < 3.0


def pool(points, side, waves=0.0):
    """A square of a pool 6 m deep with waves of 15 m that run over all of it."""
    spacing = side / (points - 1)
    along = np.linspace(-0.5 * side, 0.5 * side, points)
    heights = waves * np.sin(0.3 * (along[None, :] + along[:, None]))
    frame = make_frame((points, points), spacing, bed=np.full((points, points), -6.0), heights=heights)
    return frame.changed(grid=Grid((points, points), spacing, (along[0] + 10.0, 0.0, along[0] + 5.0)))


def nested(*frames, serial):
    """A frame of several levels, of which the finest comes first."""
    around = None
    for frame in reversed(frames):
        around = frame.changed(around=around, serial=serial)
    return around


POOLS = (65, 40.0), (61, 80.0), (51, 200.0)


def places(camera):
    """Where each pixel looks at still water: the larger distance from the pools' middle, by x or z [m]."""
    found = np.full(SIZE[::-1], np.nan)
    for row in range(SIZE[1]):
        for column in range(SIZE[0]):
            eye, along = camera.ray(column + 0.5, row + 0.5, SIZE)
            if along[1] < 0.0:
                x, _, z = eye - along * (eye[1] / along[1])
                found[row, column] = max(abs(x - 10.0), abs(z - 5.0))
    return found


@pytest.mark.slow
def test_each_of_three_levels_is_seen_up_to_where_the_next_finer_begins(drawing, camera):
    draw, apart = drawing(SIZE), places(camera)
    calm = [pool(*each) for each in POOLS]
    still = draw(nested(*calm, serial=20), camera)
    for level, (begins, ends) in enumerate([(0.0, 20.0), (20.0, 40.0), (40.0, 100.0)]):
        frames = list(calm)
        frames[level] = pool(*POOLS[level], waves=1.0)
        changed = np.abs(draw(nested(*frames, serial=21 + level), camera) - still).max(axis=2) > 6.0
        inside = (apart > begins + 4.0) & (apart < ends - 4.0)
        assert inside.mean() > 0.1, "it is in the picture"
        assert changed[inside].mean() > 0.4, f"waves of level {level} are seen"
        assert changed[(apart < begins - 4.0) | (apart > ends + 4.0)].mean() < 0.01, f"level {level} ends"


@pytest.mark.parametrize("elevation", [0.25, 0.7, 1.3])
@pytest.mark.slow
def test_levels_of_calm_water_join_without_a_seam(drawing, camera, elevation):
    draw, eye = drawing(SIZE), replace(camera, distance=70.0, elevation=elevation)
    whole = draw(pool(*POOLS[2]).changed(serial=30), eye)
    three = draw(nested(*(pool(*each) for each in POOLS), serial=31), eye)
    assert np.abs(three - whole).max() < 12.0


@pytest.mark.slow
def test_ground_that_was_prepared_gives_the_same_picture_and_nothing_is_worked_out(drawing, whole, camera, monkeypatch):
    draw = drawing(SIZE)
    expected = draw(whole, camera)
    copy = whole.changed(bed=whole.bed.copy(), serial=9)
    prepared = prepare_ground(copy)
    assert prepared.nbytes > 8 * whole.bed.size
    for name in ("ground_maps.free_space", "ground_mesh.ground_mesh"):
        monkeypatch.delattr(f"waterview.render.ground.{name}")
    for name in ("passes.wildness", "passes.steep_slope", "water.water_mesh.wet_squares"):
        monkeypatch.delattr(f"waterview.render.{name}")
    np.testing.assert_array_equal(draw(copy.changed(prepared=prepared), camera), expected)


@pytest.mark.slow
def test_ground_that_was_prepared_has_finer_shores_than_the_lowest_quality_asks_for(drawing, camera):
    draw = drawing(SIZE)
    bed = np.random.default_rng(3).random((161, 161)) * 6.0 - 3.0
    islands = make_frame((161, 161), 1.25, bed=bed).changed(grid=Grid((161, 161), 1.25, (-100.0, 0.0, -100.0)))
    lowest, least = 4_000, 16_000
    prepared = prepare_ground(islands, [lowest, least])
    assert len(prepared.meshes[least][0]) > 3 * len(prepared.meshes[lowest][0])
    coarse = draw(islands, camera)

    def drawn(meshes, serial):
        copy = islands.changed(bed=islands.bed.copy(), serial=serial)
        return draw(copy.changed(prepared=replace(prepared, meshes=meshes, fixed=copy.fixed)), camera)

    np.testing.assert_array_equal(drawn({lowest: prepared.meshes[lowest]}, 2), coarse)
    fine = drawn({least: prepared.meshes[least]}, 3)
    assert np.abs(fine.astype(float) - coarse).mean() > 1.0
    np.testing.assert_array_equal(drawn(dict(prepared.meshes), 4), fine)


def test_levels_far_from_the_origin_are_moved_together(whole, part):
    far = 1e6

    def away(frame, **more):
        x, y, z = frame.grid.origin
        return frame.changed(grid=replace(frame.grid, origin=(x + far, y, z)), **more)

    camera = OrbitCamera.framing(away(whole))
    outer = away(whole)
    frame = away(part, around=outer.changed(prepared=prepare_ground(outer, [100])))
    moved, _ = NearOrigin().move(frame, camera)
    assert moved.grid.x[0] - moved.around.grid.x[0] == pytest.approx(part.grid.x[0] - whole.grid.x[0])
    assert abs(moved.grid.x[0]) < 1e3 and moved.around.bed is whole.bed
    points, _ = moved.around.prepared.meshes[100]
    assert points[:, 0].min() == pytest.approx(moved.around.grid.x[0], abs=0.1)
    assert prepare_ground(whole, [100]).moved(np.array([0.0, 5.0, 0.0])) is None, "its heights are others"
    assert moved.around.prepared.bounds.low[0] == pytest.approx(moved.around.grid.x[0])
