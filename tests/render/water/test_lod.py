"""The water's mesh grows coarser with distance, without cracks, holes or jumps."""

import numpy as np
import pytest
from support.scenes import make_frame
from support.transfers import counted

from waterview.core.grid import Grid
from waterview.render.camera.bounds import Bounds
from waterview.render.camera.camera import OrbitCamera
from waterview.render.daylight import Light
from waterview.render.gbuffer import GBufferPass
from waterview.render.materials import FOAMY_WATER, TERRAIN, WATER, WATER_SIDE
from waterview.render.quality import TIERS
from waterview.render.renderer import Renderer
from waterview.render.settings import ViewParams
from waterview.render.view import View, in_sight
from waterview.render.water.lod import QUADS, LevelsOfDetail, corners_of_a_patch, corners_of_a_side, sides
from waterview.render.water.water_mesh import WaterMesh, wet_squares

REACHES = [tier.water_reach for tier in TIERS.values()]
BEGIN = 0.85  # as in include/lod.glsl
EYES = [(10.0, 3.0, 5.0), (-4.0, 0.5, 8.0), (31.0, 40.0, 22.0), (20.0, 0.01, 10.0), (500.0, 300.0, 10.0)]


def share_now(patches, index, scale, eye, reach):
    """The plain twin of include/lod.glsl: points in these columns and rows, in squares of this size."""
    squares = QUADS * np.array(patches.roots)
    share = index * scale / squares
    coarse = np.where(scale < 1.0, index - index % 2, index) * scale / squares
    far = np.hypot(np.linalg.norm(share * patches.size - np.asarray(eye)[[0, 2]], axis=-1), eye[1])[..., None]
    moved = np.clip((far / (reach * patches.diagonal(0) * scale) - BEGIN) / (1.0 - BEGIN), 0.0, 1.0)
    return np.where(moved < 1.0, (1.0 - moved) * share + moved * coarse, coarse)


def mesh(patches, eye, reach):
    """Points as drawn, shape (m, 2), and triangles that are not mere lines."""
    chosen = patches.seen_from(np.array(eye), reach)
    placed = np.concatenate([patches.placed(own, depth) for depth, own in enumerate(chosen)]).astype(float)
    corners, squares = corners_of_a_patch()
    points = share_now(patches, placed[:, None, :2] + corners, placed[:, None, 2:], eye, reach).reshape(-1, 2)
    triangles = (squares.reshape(-1, 3) + len(corners) * np.arange(len(placed))[:, None, None]).reshape(-1, 3)
    drawn, number = np.unique(np.round(points, 12), axis=0, return_inverse=True)
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
    corners, triangles = corners_of_a_side()
    area = 0.0
    for depth, own in enumerate(chosen):
        walls = sides(own, patches.placed(own, depth), tuple(np.array(patches.roots) * 2**depth - 1)).astype(float)
        index = walls[:, None, :2] + corners[:, :1] * walls[:, None, 3:]
        share = index * walls[:, None, 2:3] / (QUADS * np.array(patches.roots))
        assert ((share == 0.0) | (share == 1.0)).any(axis=-1).all()
        height = np.broadcast_to(corners[:, 1:], (*share.shape[:2], 1))
        points = np.concatenate((share[..., :1], height, share[..., 1:]), axis=-1) - 0.5
        a, b, c = (points[:, triangles[:, i]].reshape(-1, 3) for i in range(3))
        normal, middle = np.cross(b - a, c - a), (a + b + c) / 3.0
        assert ((normal * middle)[:, [0, 2]].sum(axis=1) > 0.0).all()
        area += 0.5 * np.linalg.norm(normal, axis=1).sum()
    assert area == pytest.approx(4.0, rel=1e-5)


def test_no_two_squares_end_in_the_same_corner():
    """Each square is drawn or left out by what its last corner says."""
    corners, squares = corners_of_a_patch()
    last = squares[..., [2, 5]]
    assert (last[..., 0] == last[..., 1]).all() and len(np.unique(last)) == QUADS**2
    place = np.stack(np.meshgrid(np.arange(QUADS), np.arange(QUADS)), axis=-1)
    np.testing.assert_array_equal(corners[last[..., 0]] - 1, place)


@pytest.mark.sampled
@pytest.mark.parametrize("quality", ["low", "medium"])
def test_dry_squares_are_not_drawn_and_wet_ones_are(ctx, quality):
    """Straight down on water with dry squares here and there, which no ground hides."""
    fixed = np.zeros((65, 65), bool)
    fixed[20:36, 8:30] = fixed[50:, 40:60] = True
    frame = make_frame(fixed.shape, 0.5, bed=np.full(fixed.shape, -2.0)).changed(fixed=fixed)
    camera = OrbitCamera.framing(frame)
    camera.target, camera.elevation, camera.azimuth, camera.distance = (0.0, 0.0, 0.0), 0.5 * np.pi, 0.0, 40.0
    renderer = Renderer(ctx, ViewParams(quality=quality))
    target = ctx.simple_framebuffer((96, 96))
    renderer.render(frame, camera, (96, 96), target)
    kinds = renderer.find(GBufferPass).materials()
    water = (kinds == WATER) | (kinds == FOAMY_WATER)
    rows, columns = np.indices(kinds.shape)
    side, middle = kinds.shape[0], 0.5 * (kinds.shape[0] - 1)
    metres = 2.0 * 40.0 * np.tan(0.5 * camera.fov) / side
    x, z = (columns - middle) * metres, (middle - rows) * metres
    column, row = np.round(x / 0.5 + 32.0).astype(int), np.round(z / 0.5 + 32.0).astype(int)
    inside = (column >= 0) & (column < 65) & (row >= 0) & (row < 65)
    around = np.pad(fixed, 6, mode="edge")
    surely_dry, surely_wet = (np.zeros(kinds.shape, bool) for _ in range(2))
    for r, c in zip(*np.nonzero(inside), strict=True):
        patch = around[row[r, c] + 2 : row[r, c] + 11, column[r, c] + 2 : column[r, c] + 11]
        surely_dry[r, c], surely_wet[r, c] = patch.all(), not patch.any()
    assert surely_dry.sum() > 30 and surely_wet.sum() > 1000
    assert not water[surely_dry].any() and water[surely_wet].all()
    ctx.rest.use()
    renderer.release()
    target.release()


@pytest.mark.slow
def test_a_moving_eye_costs_a_few_bytes_a_patch_and_a_still_one_none(ctx, monkeypatch):
    x, z = np.meshgrid(np.linspace(-1.0, 1.0, 1025), np.linspace(-1.0, 1.0, 1025))
    frame = make_frame((1025, 1025), 0.5, bed=np.sin(9.0 * x) * np.cos(7.0 * z) - 0.4)
    camera = OrbitCamera.framing(frame)
    camera.distance, camera.elevation = 120.0, 0.2
    size, mesh = (960, 540), WaterMesh(ctx, TIERS["high"])
    bounds = Bounds.of(frame)
    mesh.update(frame)
    targets = ctx.texture((9, 9), 4, dtype="f4")
    textures = dict.fromkeys(("heights", "shift", "waves", "bed"), targets)

    def bytes_of(azimuth):
        camera.azimuth = azimuth
        transfers.clear()
        view = View(camera, frame.grid, bounds, Light.of(ViewParams(), bounds), size, 0.0)
        mesh.draw(textures, view, side=WATER_SIDE, both=False)
        return transfers.uploaded

    with counted(monkeypatch) as transfers:
        moved = [bytes_of(0.1 * number) for number in range(5)]
        assert min(moved) > 10_000 and max(moved) <= 100_000
        assert bytes_of(0.4) == 0
    ctx.rest.use()
    mesh.release()
    targets.release()


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
