from dataclasses import replace

import numpy as np
import pytest
from support.scenes import make_frame

from waterview.core.frame import LandDetail
from waterview.core.grid import Grid
from waterview.render.camera.bounds import Bounds
from waterview.render.ground.ground_mesh import GroundMesh, ground_mesh, ground_walls
from waterview.render.ground.mesh import (
    FinerNearby,
    adaptive_mesh,
    even_shape,
    free_nearby,
    interpolated,
    split_errors,
    straight_mesh,
)
from waterview.render.quality import TIERS


def hills(size, seed=1):
    random = np.random.default_rng(seed)
    x = np.linspace(0.0, 1.0, size + 1)
    field = sum(
        random.normal()
        * np.sin(9 * random.random() * x[None, :] + 6 * random.random() + 8 * random.random() * x[:, None])
        for _ in range(6)
    )
    return field + 0.01 * random.normal(size=field.shape)


def slow_errors(heights, weight):
    """Triangle by triangle, as the definition says."""
    errors = np.zeros_like(heights)
    size = heights.shape[0] - 1

    def visit(a, b, c):
        middle = ((a[0] + b[0]) // 2, (a[1] + b[1]) // 2)
        if max(abs(a[0] - b[0]), abs(a[1] - b[1])) <= 1:
            return 0.0
        own = abs(heights[middle] - 0.5 * (heights[a] + heights[b])) * weight[middle]
        worst = max(own, visit(c, a, middle), visit(b, c, middle))
        errors[middle] = max(errors[middle], worst)
        return errors[middle]

    # Both sides of an edge have to agree: go on until nothing changes.
    before = None
    while before is None or not np.array_equal(before, errors):
        before = errors.copy()
        visit((size, size), (0, 0), (size, 0))
        visit((0, 0), (size, size), (0, size))
        errors = np.maximum(errors, before)
    return errors


@pytest.mark.parametrize("size", [2, 4, 16])
def test_errors_agree_with_the_plain_recursion(size):
    heights = hills(size)
    weight = 1.0 + np.abs(hills(size, 2))
    errors = split_errors(heights, weight)
    expected = slow_errors(heights, weight)
    inner = np.isfinite(errors)
    assert inner.sum() == errors.size - 4
    np.testing.assert_allclose(errors[inner], expected[inner], rtol=1e-6)


def assert_covers(points, triangles, size):
    """A mesh covers a square, with no cracks and nothing twice."""
    a, b, c = (points[triangles[:, i]].astype(float) for i in range(3))
    doubled = (b[:, 1] - a[:, 1]) * (c[:, 0] - a[:, 0]) - (b[:, 0] - a[:, 0]) * (c[:, 1] - a[:, 1])
    # Rows point to the viewer, so counter-clockwise from above is negative here.
    assert (doubled < 0.0).all()
    assert -0.5 * doubled.sum() == pytest.approx(size * size)
    edges = np.sort(np.concatenate((triangles[:, :2], triangles[:, 1:], triangles[:, [2, 0]])), axis=1)
    kinds, counts = np.unique(edges, axis=0, return_counts=True)
    ends = points[kinds]
    border = ((ends == 0).all(axis=1) | (ends == size).all(axis=1)).any(axis=1)
    np.testing.assert_array_equal(counts, np.where(border, 1, 2))


@pytest.mark.parametrize("most", [4, 50, 700, 10_000])
def test_the_mesh_covers_the_square_without_cracks(most):
    heights = hills(32)
    points, triangles = adaptive_mesh(split_errors(heights, np.ones_like(heights)), most)
    assert len(points) <= max(most, 4)
    assert_covers(points, triangles, 32)


def test_flat_ground_needs_two_triangles():
    _, triangles = adaptive_mesh(split_errors(np.zeros((17, 17)), np.ones((17, 17))), 10_000)
    assert len(triangles) == 2


def test_more_points_come_closer_to_the_ground():
    heights = hills(64)
    errors = split_errors(heights, np.ones_like(heights))
    missed = []
    for most in (30, 300, 3000):
        points, _ = adaptive_mesh(errors, most)
        left_out = np.ones(errors.shape, bool)
        left_out[points[:, 0], points[:, 1]] = False
        missed.append(errors[left_out].max())
    assert missed[0] > missed[1] > missed[2]


SHARE = 0.004


def near_places(size):
    """Hills of a mesh of few points, with places of an eye over them, beside them and far away."""
    heights = hills(size)
    errors = split_errors(heights, np.ones_like(heights))
    mesh = adaptive_mesh(errors, 60)
    places = ((0.3 * size, 0.7 * size), (0.0, 0.0), (0.5 * size, 1.2 * size))
    return heights, mesh, FinerNearby(heights, errors, mesh, (1.5, 0.5)), places


def heights_on(points, heights, triangles, at):
    """Heights of a mesh at rows and columns `at`."""
    a, b, c = (points[triangles[:, i]].astype(float) for i in range(3))
    found = np.empty(len(at))
    for number, place in enumerate(np.asarray(at, float)):
        parts = [
            (p[:, 0] - place[0]) * (q[:, 1] - place[1]) - (p[:, 1] - place[1]) * (q[:, 0] - place[0])
            for p, q in ((b, c), (c, a), (a, b))
        ]
        shares = np.stack(parts) / sum(parts)
        inside = shares.min(axis=0).argmax()
        found[number] = shares[:, inside] @ heights[triangles[inside]]
    return found


def near(heights, mesh, finer, place):
    """Points, heights and triangles of the finer mesh."""
    added, own, triangles = finer.around(*place, 0.5, SHARE)
    return np.concatenate((mesh[0], added)), np.concatenate((heights[tuple(mesh[0].T)], own)), triangles


def test_a_mesh_that_is_finer_near_an_eye_covers_the_square_without_cracks():
    heights, mesh, finer, places = near_places(64)
    for place in (*places, places[0]):
        points, _, triangles = near(heights, mesh, finer, place)
        assert len(np.unique(points, axis=0)) == len(points) > 1.5 * len(mesh[0])
        assert_covers(points, triangles, 64)


def test_a_mesh_near_an_eye_is_as_true_as_its_distance_asks():
    heights, mesh, finer, places = near_places(64)
    rows, columns = np.divmod(np.random.default_rng(5).choice(65 * 65, 700, replace=False), 65)
    at, most = np.stack((rows, columns), axis=1), []
    for place in places:
        allowed = SHARE * np.maximum(np.hypot(1.5 * (rows - place[0]), 0.5 * (columns - place[1])), 0.5)
        plain, fine = (
            np.abs(heights_on(*each, at) - heights[rows, columns]) / allowed
            for each in ((mesh[0], heights[tuple(mesh[0].T)], mesh[1]), near(heights, mesh, finer, place))
        )
        assert fine.max() < 1.6, "errors of triangles within triangles add up"
        most.append(plain.max())
    assert max(most) > 5.0


def test_nothing_jumps_while_an_eye_moves():
    heights, mesh, finer, places = near_places(64)
    at = np.stack(np.divmod(np.random.default_rng(6).choice(65 * 65, 500, replace=False), 65), axis=1)
    moves = []
    for step in np.linspace(0.0, 1.0, 6):
        place = places[0][0] + 0.05 * step, places[0][1]
        moves.append(heights_on(*near(heights, mesh, finer, place), at))
    distance = np.maximum(np.hypot(1.5 * (at[:, 0] - places[0][0]), 0.5 * (at[:, 1] - places[0][1])), 0.5)
    moved = np.abs(np.diff(moves, axis=0)).max(axis=0)
    assert 0.0 < (moved / (SHARE * distance)).max() < 0.06


def test_nothing_is_added_where_the_mesh_counts_as_far_away():
    """So nothing jumps where an eye comes so near that it is asked for."""
    _, _, finer, _ = near_places(64)
    away = finer.left / SHARE + finer.reach
    for row, column in ((64.0 + away / 1.5, 32.0), (32.0, -away / 0.5)):
        assert len(finer.around(row, column, 0.5, SHARE)[0]) == 0
    assert len(finer.around(64.0 + 0.5 * (away - finer.reach) / 1.5, 32.0, 0.5, SHARE)[0]) > 0


def test_far_from_an_eye_a_mesh_is_as_it_was():
    _, mesh, finer, places = near_places(64)
    added, heights, triangles = finer.around(*places[0], 1e6, SHARE)
    assert len(added) == len(heights) == 0
    np.testing.assert_array_equal(triangles, mesh[1])
    assert finer.left > 0.0


def test_free_nearby_agrees_with_a_plain_search():
    random = np.random.default_rng(3)
    fixed = random.random((40, 57)) < 0.97
    shape = (9, 14)
    near = free_nearby(fixed, shape)
    for j in range(8):
        for i in range(13):
            z0, z1 = (39 * k / 8 for k in (j, j + 1))
            x0, x1 = (56 * k / 13 for k in (i, i + 1))
            rows = slice(max(int(np.floor(z0)) - 1, 0), int(np.ceil(z1)) + 2)
            columns = slice(max(int(np.floor(x0)) - 1, 0), int(np.ceil(x1)) + 2)
            assert near[j, i] == (~fixed[rows, columns]).any()


def test_water_mesh_is_no_finer_than_asked_and_than_the_grid():
    assert even_shape(Grid((100, 400), 1.0), 64) == (16, 64)
    assert even_shape(Grid((5, 7), 1.0), 64) == (5, 7)
    assert even_shape(Grid((2, 4000), 1.0), 64) == (2, 64)


class Sending:
    """A context that notes what is sent to the graphics card."""

    def __init__(self, ctx):
        self._ctx, self.sent = ctx, []

    def __getattr__(self, name):
        return getattr(self._ctx, name)

    def buffer(self, data):
        self.sent.append(data)
        return self._ctx.buffer(data)


@pytest.fixture
def rough_shore():
    x = np.linspace(0.0, 1.0, 65)
    bed = (-4.0 + 8.0 * x + 0.2 * np.sin(40.0 * x) * np.sin(50.0 * x[:, None])).astype(np.float32)
    return make_frame((65, 65), 0.5, bed=bed)


def test_the_mesh_is_made_anew_where_nothing_but_the_level_has_changed(ctx, rough_shore):
    """It is densest along the shore, and the shore has moved."""
    sending, far = Sending(ctx), np.array((0.0, 1e4, 0.0))
    mesh = GroundMesh(sending, replace(TIERS["low"], ground_points=400))
    for level, meshes in ((0.0, 1), (0.0, 1), (2.0, 2)):
        shown = rough_shore.changed(grid=rough_shore.grid.with_level(level))
        mesh.update(shown, Bounds.of(shown), far)
        vertices, _ = ground_mesh(shown, Bounds.of(shown), 400)
        assert sending.sent[-4] == vertices.tobytes()
        assert len(sending.sent) == 4 * meshes
    mesh.release()
    assert sending.sent[0] != sending.sent[4]


class Grown:
    """Land on which nothing has grown."""

    detail = LandDetail(np.zeros((65, 65), np.float32), np.zeros((65, 65), np.float32))


def test_the_mesh_of_grown_land_is_finer_near_the_eye_and_sent_where_that_changes_it(ctx, rough_shore):
    sending, bounds, land = Sending(ctx), Bounds.of(rough_shore), rough_shore.changed(land=Grown())
    mesh = GroundMesh(sending, replace(TIERS["low"], ground_points=400))
    counts = []
    for eye in ((1e5, 1.0, 0.0), (2e5, 1.0, 0.0), (0.0, 1e4, 0.0), (15.9, 1.0, 3.0), (15.9, 1.0, 3.0), (1e5, 1.0, 0.0)):
        mesh.update(land, bounds, np.array(eye))
        counts.append(len(sending.sent) // 4)
        vertices, walls = (np.frombuffer(sending.sent[number], np.float32).reshape(-1, 3) for number in (-4, -2))
        assert (len(vertices) > 420) == (eye[0] == 15.9)
        # The cut sides reach up to it.
        border = vertices[np.abs(vertices[:, 0] - bounds.high[0]) < 1e-3]
        tops = walls[(np.abs(walls[:, 0] - bounds.high[0]) < 1e-3) & (walls[:, 1] > bounds.base)]
        assert {tuple(point) for point in border} <= {tuple(point) for point in tops}
    mesh.release()
    assert counts == [1, 1, 1, 2, 2, 3]


def test_all_walls_face_outwards(island):
    bounds = Bounds.of(island)
    surface, _ = ground_mesh(island, bounds, 2000)
    walls, triangles = ground_walls(surface, bounds)
    a, b, c = (walls[triangles[:, i], :3] for i in range(3))
    normal = np.cross(b - a, c - a)
    area = np.linalg.norm(normal, axis=1)
    assert (area > 0.0).all()
    half = np.array((30.0, 20.0))
    middle = ((a + b + c) / 3.0)[:, [0, 2]]
    outward = np.sign(middle) * (np.abs(middle) > half - 1e-3)
    np.testing.assert_allclose(normal[:, [0, 2]] / area[:, None], outward, atol=1e-4)


def test_walls_close_the_block(island):
    bounds = Bounds.of(island)
    surface, _ = ground_mesh(island, bounds, 2000)
    walls, _ = ground_walls(surface, bounds)
    tops = walls[walls[:, 1] > bounds.base + 1e-3]
    border = surface[
        np.isclose(np.abs(surface[:, 0]), 30.0, atol=1e-3) | np.isclose(np.abs(surface[:, 2]), 20.0, atol=1e-3)
    ]
    assert {tuple(point) for point in tops[:, :3]} == {tuple(point) for point in border}


def test_ground_mesh_keeps_the_shoreline_better_than_the_rest(island):
    bounds = Bounds.of(island)
    positions, triangles = ground_mesh(island, bounds, 500)
    assert len(positions) <= 500
    assert positions[:, 1].min() == pytest.approx(island.bed.min(), abs=1e-3)
    near_shore = np.abs(positions[:, 1]) < 0.6
    share_of_area = float((np.abs(island.bed) < 0.6).mean())
    assert near_shore.mean() > 2.0 * share_of_area
    assert triangles.max() == len(positions) - 1


@pytest.mark.parametrize("shape", [(2, 2), (2, 50), (50, 2), (3, 3)])
def test_the_smallest_grounds_have_a_mesh(shape):
    random = np.random.default_rng(0)
    frame = make_frame(shape, bed=random.normal(size=shape))
    positions, triangles = ground_mesh(frame, Bounds.of(frame), 4000)
    assert np.isfinite(positions).all() and len(triangles) >= 2
    corner = positions[np.argmin(positions[:, 0] + positions[:, 2])]
    assert corner[1] == pytest.approx(frame.bed[0, 0], rel=1e-6)


def test_rows_between_two_are_interpolated():
    values = np.array([[0.0, 1.0], [1.0, 2.0], [3.0, 0.0]])
    np.testing.assert_allclose(
        interpolated(values, np.array([0.0, 0.5, 1.5, 2.0])), [[0, 1], [0.5, 1.5], [2, 1], [3, 0]]
    )


def pool(shape=(40, 60)):
    """A floor with two steps, walls and a rim, in whole metres."""
    inside = np.full(shape, -2.0)
    inside[:, 30:] = -3.0
    inside[:6] = inside[-6:] = 0.5
    inside[:, :6] = inside[:, -6:] = 0.5
    return inside


def test_a_pool_needs_few_points_and_is_met_exactly():
    bed = pool()
    points, triangles = straight_mesh(bed, 1e-6, 1000)
    rows, columns = points.T
    assert len(points) == 6 * 8
    assert sorted(set(rows)) == [0, 5, 6, 33, 34, 39] and {29, 30} <= set(columns)
    corners = points[triangles].astype(float)
    b, c = corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0]
    doubled = b[:, 0] * c[:, 1] - b[:, 1] * c[:, 0]
    assert (doubled < 0.0).all() or (doubled > 0.0).all()
    assert 0.5 * np.abs(doubled).sum() == pytest.approx(39 * 59)
    kept = bed[np.ix_(np.unique(rows), np.unique(columns))]
    by_rows = np.array([np.interp(np.arange(60), np.unique(columns), row) for row in kept])
    whole = np.array([np.interp(np.arange(40), np.unique(rows), column) for column in by_rows.T]).T
    np.testing.assert_allclose(whole, bed, atol=1e-12)


def test_ground_that_is_bent_everywhere_or_twisted_has_no_straight_mesh():
    assert straight_mesh(hills(32), 1e-6, 500) is None
    x = np.linspace(0.0, 1.0, 33)
    assert straight_mesh(x[:, None] * x, 1e-6, 500) is None
    assert straight_mesh(pool(), 1e-6, 40) is None
