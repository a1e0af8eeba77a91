"""The water's mesh grows coarser with distance, without cracks, holes or jumps."""

import numpy as np
import pytest
from support.scenes import make_frame

from waterview.core.grid import Grid
from waterview.render.camera.camera import OrbitCamera
from waterview.render.gbuffer import GBufferPass
from waterview.render.materials import FOAMY_WATER, TERRAIN, WATER
from waterview.render.quality import TIERS
from waterview.render.renderer import Renderer
from waterview.render.settings import ViewParams
from waterview.render.water.lod import QUADS, LevelsOfDetail, sides, squares
from waterview.render.water.water_mesh import in_sight, wet_squares

REACHES = [tier.water_reach for tier in TIERS.values()]
BEGIN = 0.85  # as in include/patch.glsl
EYES = [(10.0, 3.0, 5.0), (-4.0, 0.5, 8.0), (31.0, 40.0, 22.0), (20.0, 0.01, 10.0), (500.0, 300.0, 10.0)]


def share_now(points, size, eye):
    """The plain twin of include/patch.glsl."""
    share, coarse, reach = points[:, :2].astype(float), points[:, 2:4].astype(float), points[:, 4]
    far = np.hypot(np.linalg.norm(share * size - np.asarray(eye)[[0, 2]], axis=1), eye[1])
    moved = np.clip((far / reach - BEGIN) / (1.0 - BEGIN), 0.0, 1.0)[:, None]
    return np.where(moved < 1.0, (1.0 - moved) * share + moved * coarse, coarse)


def mesh(patches, eye, reach):
    """Points as drawn, shape (m, 2), and triangles that are not mere lines."""
    chosen = patches.seen_from(np.array(eye), reach)
    points = np.concatenate([patches.points(own, depth, reach) for depth, own in enumerate(chosen)]).reshape(-1, 5)
    triangles = squares(sum(map(len, chosen))).reshape(-1, 3)
    drawn, number = np.unique(np.round(share_now(points, patches.size, eye), 12), axis=0, return_inverse=True)
    triangles = number.ravel()[triangles]
    lines = (np.diff(np.sort(triangles, axis=1), axis=1) == 0).any(axis=1)
    return drawn, triangles[~lines]


def test_patches_are_square_and_as_fine_as_the_grid():
    patches = LevelsOfDetail.over(Grid((100, 400), 0.5))
    assert patches.roots == (4, 1)
    width = patches.size[0] / (patches.roots[0] * QUADS * 2**patches.depth)
    assert 0.25 < width <= 0.5 and patches.size[1] == 99 * 0.5
    assert LevelsOfDetail.over(Grid((2, 2), 1.0)).depth == 0
    assert LevelsOfDetail.over(Grid((2, 4000), 1.0)).roots[0] <= 16


@pytest.mark.sampled
@pytest.mark.parametrize("reach", REACHES)
@pytest.mark.parametrize("eye", EYES)
def test_the_mesh_has_no_cracks(eye, reach):
    """Every edge within the water belongs to two triangles; together they cover it once."""
    points, triangles = mesh(LevelsOfDetail.over(Grid((61, 81), 0.5)), eye, reach)
    a, b, c = (points[triangles[:, i]] for i in range(3))
    doubled = (b[:, 0] - a[:, 0]) * (c[:, 1] - a[:, 1]) - (b[:, 1] - a[:, 1]) * (c[:, 0] - a[:, 0])
    assert (doubled <= 0.0).all()  # counter-clockwise from above, as z points to the viewer
    assert -0.5 * doubled.sum() == pytest.approx(1.0, abs=1e-6)
    edges = np.sort(np.concatenate((triangles[:, :2], triangles[:, 1:], triangles[:, [2, 0]])), axis=1)
    kinds, counts = np.unique(edges, axis=0, return_counts=True)
    ends = points[kinds]
    border = ((ends == 0.0).all(axis=1) | (ends == 1.0).all(axis=1)).any(axis=1)
    assert (counts[~border] == 2).all()
    assert (counts[border] <= 2).all()  # 2 where points on the border have come to lie in one line


@pytest.mark.parametrize("reach", [4.0, 6.5])
def test_nothing_jumps_when_patches_are_exchanged(reach):
    patches = LevelsOfDetail.over(Grid((61, 81), 0.5))

    def chosen(eye):
        return [len(own) for own in patches.seen_from(eye, reach)]

    near, far = np.array((20.0, 2.0, 14.0)), np.array((20.0, 40.0, 14.0))
    first = chosen(near)
    assert first != chosen(far)
    for _ in range(45):  # to the place where patches are first exchanged, to the bit
        middle = 0.5 * (near + far)
        near, far = (middle, far) if chosen(middle) == first else (near, middle)
    before, after = (set(map(tuple, np.round(mesh(patches, eye, reach)[0], 5))) for eye in (near, far))
    for some, others in ((before, after), (after, before)):
        known = np.array(sorted(others))
        for point in some - others:
            assert np.abs(known - point).max(axis=1).min() < 3e-5


def test_near_water_is_finer_than_far_water():
    patches = LevelsOfDetail.over(Grid((1025, 1025), 0.25))
    counts = [len(own) for own in patches.seen_from(np.array((128.0, 2.0, 0.0)), 4.0)]
    assert counts[patches.depth] > 0 and sum(counts[:5]) > 0
    assert sum(counts) * QUADS**2 < 0.03 * 1024**2


def test_sides_stand_under_the_border_and_face_outwards():
    patches = LevelsOfDetail.over(Grid((61, 91), 0.5))
    chosen = patches.seen_from(np.array((3.0, 2.0, 40.0)), 4.0)
    area = 0.0
    for depth, own in enumerate(chosen):
        points = patches.points(own, depth, 4.0)
        walls, triangles = sides(own, points, tuple(np.array(patches.roots) * 2**depth - 1))
        assert ((walls[:, :2] == 0.0) | (walls[:, :2] == 1.0)).any(axis=1).all()
        a, b, c = (walls[triangles[:, i]][:, [0, 5, 1]].astype(float) - 0.5 for i in range(3))
        normal, middle = np.cross(b - a, c - a), (a + b + c) / 3.0
        assert ((normal * middle)[:, [0, 2]].sum(axis=1) > 0.0).all()
        area += 0.5 * np.linalg.norm(normal, axis=1).sum()
    assert area == pytest.approx(4.0, rel=1e-5)


def test_dry_squares_are_left_out_at_every_depth():
    random = np.random.default_rng(3)
    fixed = random.random((65, 65)) < 0.995
    patches = LevelsOfDetail.over(Grid(fixed.shape, 1.0))
    masks = wet_squares(fixed, patches)
    for depth, mask in enumerate(masks):
        count = QUADS * 2**depth
        assert mask.shape == (count, count)
        for row, column in random.integers(0, count, (60, 2)):
            z, x = (slice(64 * k // count, 64 * (k + 1) // count + 1) for k in (row, column))
            assert mask[row, column] or fixed[z, x].all()
    assert not wet_squares(np.ones((65, 65), bool), patches)[-1].any()
    assert masks[-1].mean() < 0.2


def test_boxes_out_of_the_picture_are_found():
    frame = make_frame()
    camera = OrbitCamera.framing(frame)
    matrix = camera.projection(16 / 9) @ camera.view()
    behind = camera.eye[[0, 2]] + 3.0 * camera.backward[[0, 2]]
    low = np.array([(-1.0, -1.0), behind, (900.0, 0.0)])
    np.testing.assert_array_equal(in_sight(matrix, low, low + 2.0, (-0.1, 0.1)), [True, False, False])


@pytest.mark.slow
@pytest.mark.parametrize("quality", ["low", "medium"])
def test_no_hole_is_seen_from_any_distance(ctx, quality):
    """Over deep water all ground lies hidden: a pixel among water that shows any is a hole between patches."""
    random = np.random.default_rng(1)
    z, x = np.mgrid[:129, :193] * 0.25
    heights = sum(
        0.05 * random.normal() * np.sin(k * (np.cos(a) * x + np.sin(a) * z) + 6.0 * a)
        for k, a in zip(random.uniform(0.5, 4.0, 12), random.uniform(0.0, 6.3, 12), strict=True)
    )
    frame = make_frame((129, 193), 0.25, bed=np.full((129, 193), -3.0), heights=heights)
    renderer = Renderer(ctx, ViewParams(quality=quality))
    target = ctx.simple_framebuffer((160, 90))
    camera = OrbitCamera.framing(frame)
    camera.elevation = 0.6
    for distance in np.geomspace(1.5, 120.0, 14):
        camera.distance = distance
        renderer.render(frame, camera, (160, 90), target)
        kinds = renderer.find(GBufferPass).materials()
        water = (kinds == WATER) | (kinds == FOAMY_WATER)
        inside = water[:-2, 1:-1] & water[2:, 1:-1] & water[1:-1, :-2] & water[1:-1, 2:]
        assert not (inside & (kinds[1:-1, 1:-1] == TERRAIN)).any()
        assert water.mean() > 0.03
    ctx.rest.use()
    renderer.release()
    target.release()
