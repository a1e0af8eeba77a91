"""Trees of several forms stand on wooded ground that is dry and not steep, always at the same places."""

from itertools import combinations
from types import SimpleNamespace

import numpy as np
import pytest
from PIL import Image, ImageDraw
from scipy.spatial import ConvexHull
from support.scenes import make_frame

from waterview.render.camera.bounds import Bounds
from waterview.render.camera.camera import OrbitCamera
from waterview.render.ground.tree_forms import BROAD, BUSH, CONIFER, FORMS, TALL, tree_mesh
from waterview.render.ground.trees import has_room_for_trees, planted
from waterview.render.quality import TIERS
from waterview.render.renderer import Renderer
from waterview.render.settings import ViewParams

FOREST, GRASS = (10, 19, 7, 0), (30, 38, 14, 0)
SIZE = (96, 64)


def slope_to_sea():
    """A square of 200 m whose east is under water."""
    x = np.linspace(-100.0, 100.0, 101)
    return make_frame((101, 101), 2.0, bed=np.broadcast_to(-0.2 * x, (101, 101)))


def grown(colours, slope=0.2, frame=None):
    frame = frame or slope_to_sea()
    context = SimpleNamespace(frame=frame, view=SimpleNamespace(bounds=Bounds.of(frame)), settings=ViewParams())
    relief = np.zeros((50, 50, 4), np.float16)
    relief[...] = slope, 0.0, 0.75, 1.0
    return planted(context, np.asarray(colours, np.uint8), relief)


def test_trees_stand_on_dry_wooded_ground_of_the_same_height():
    colours = np.empty((50, 50, 4), np.uint8)
    colours[:25], colours[25:] = FOREST, GRASS
    trees = grown(colours)
    assert len(trees) > 100
    x, y, z, height, width, _, sun, lean, tint, form = trees.T
    assert x.max() < -9.0 + 2.0
    assert z.max() < 4.0
    assert np.abs(y + 0.04 * height + 0.2 * x).max() < 0.5
    for number, limits in enumerate(FORMS):
        for values, (low, high) in ((height, limits.heights), (width, limits.widths), (tint, limits.tints)):
            of_form = values[form == number]
            assert low - 1e-6 <= of_form.min(initial=high) and of_form.max(initial=low) <= high + 1e-6
    assert height[form != BUSH].min() >= 4.5 and height.max() <= 10.0
    assert lean.min() >= 0.0 and lean.max() <= 0.08
    assert (sun == 0.75).all()
    assert np.array_equal(trees, grown(colours))


def test_a_wood_too_small_for_trees_has_a_bush():
    """Spots of 8 m, dark enough that three of ten places have a tree."""
    colours = np.empty((50, 50, 4), np.uint8)
    colours[...] = GRASS
    spots = [(row, column) for row in range(4, 44, 8) for column in range(2, 20, 8)]
    for row, column in spots:
        colours[row : row + 2, column : column + 2] = 13, 19, 7, 0
    trees = grown(colours)
    middles = 4.0 * np.array(spots) - 96.0  # a texel is 4 m wide; the first two of a spot meet in its middle
    apart = np.linalg.norm(trees[:, None, [2, 0]] - middles, axis=2)
    assert apart.min(axis=0).max() < 8.0 and apart.min(axis=1).max() < 8.0
    assert share_of(trees, BUSH) > 0.5


@pytest.mark.parametrize("axis", [0, 1])
def test_none_stand_on_moles(axis):
    across = np.where(np.abs(np.linspace(-100.0, 100.0, 101)) < 6.0, 3.0, -3.0)
    mole = make_frame((101, 101), 2.0, bed=np.broadcast_to(np.expand_dims(across, axis), (101, 101)))
    assert not len(grown(np.broadcast_to(np.uint8(FOREST), (50, 50, 4)), frame=mole))


def test_none_stand_on_steep_or_rocky_ground():
    colours = np.broadcast_to(np.uint8(FOREST), (50, 50, 4)).copy()
    assert not len(grown(colours, slope=1.2))
    colours[..., 3] = 200
    assert not len(grown(colours))


def share_of(trees, form):
    return np.mean(trees[:, 9] == form)


def test_conifers_stand_high_up_and_on_slopes_and_bushes_at_the_edge_of_a_wood():
    wood = np.broadcast_to(np.uint8(FOREST), (50, 50, 4))
    trees = grown(wood)
    assert all(share_of(trees, form) > 0.1 for form in (BROAD, TALL, CONIFER))
    assert not share_of(trees, BUSH)
    low, high = trees[trees[:, 1] < 8.0], trees[trees[:, 1] > 12.0]
    assert share_of(high, CONIFER) > 2.0 * share_of(low, CONIFER)
    assert share_of(grown(wood, slope=0.8), CONIFER) > 1.2 * share_of(trees, CONIFER)
    edge = grown(np.broadcast_to(np.uint8((24, 36, 14, 0)), (50, 50, 4)))
    assert share_of(edge, BUSH) > 0.3


every_mesh = pytest.mark.parametrize(("form", "fine"), [(form, fine) for form in FORMS for fine in (True, False)])


@every_mesh
def test_a_mesh_is_a_tree_of_height_and_width_one(form, fine):
    vertices, triangles = tree_mesh(form, fine=fine)
    assert (vertices[:, 1].min(), vertices[:, 1].max()) == (0.0, 1.0)
    assert np.hypot(vertices[:, 0], vertices[:, 2]).max() == pytest.approx(0.5)
    assert np.linalg.norm(vertices[:, 3:6], axis=1) == pytest.approx(1.0, abs=1e-6)
    assert set(triangles.ravel()) == set(range(len(vertices)))
    edges = np.sort(np.concatenate([triangles[:, [0, 1]], triangles[:, [1, 2]], triangles[:, [2, 0]]]), axis=1)
    _, counts = np.unique(edges, axis=0, return_counts=True)
    assert sorted(set(counts)) == [1, 2], "closed clumps, and a stem that is open at the foot"
    assert np.count_nonzero(counts == 1) == 4
    light = vertices[:, 6]
    assert np.count_nonzero(light == 0.0) == 5, "the stem"
    assert light.max() <= 1.0
    assert len(triangles) < 130 or fine, "most trees are far away, and there are thousands"


def outline(form, fine, turn):
    """The shape of a tree of middling width from the side, drawn 100 pixels high."""
    vertices, triangles = tree_mesh(form, fine=fine)
    x = np.mean(form.widths) * (vertices[:, 0] * np.cos(turn) - vertices[:, 2] * np.sin(turn))
    image = Image.new("1", (180, 102))
    for triangle in np.column_stack([90.0 + 100.0 * x, 101.0 - 100.0 * vertices[:, 1]])[triangles]:
        ImageDraw.Draw(image).polygon([tuple(corner) for corner in triangle], fill=1)
    return np.asarray(image)


def unlike(one, other):
    """Share of the pixels of two outlines that only one of them has."""
    return np.sum(one ^ other) / np.sum(one | other)


def test_outlines_differ_by_form_and_turn_but_not_by_how_fine_they_are():
    coarse, fine, turned = ([outline(form, *how) for form in FORMS] for how in ((False, 0.0), (True, 0.0), (True, 1.6)))
    assert min(unlike(one, other) for one, other in combinations(fine, 2)) > 0.3
    assert min(map(unlike, fine, turned)) > 0.08
    assert max(map(unlike, fine, coarse)) < 0.3


@every_mesh
def test_crowns_are_lobed(form, fine):
    """Between the clumps is sky; of the hull of a round crown less than 5 % was."""
    shares = []
    for turn in range(4):
        crown = outline(form, fine, turn)[: 1 + int(100 * (1.0 - form.foot))]
        corners = np.argwhere(crown)[:, None] + [[0, 0], [0, 1], [1, 0], [1, 1]]
        shares.append(1.0 - crown.sum() / ConvexHull(corners.reshape(-1, 2)).volume)
    assert np.mean(shares) > 0.07


def test_small_scenes_aerial_pictures_and_low_qualities_have_none():
    frame = slope_to_sea()
    bounds = Bounds.of(frame)
    assert has_room_for_trees(frame, bounds, 1.0, TIERS["high"])
    assert not has_room_for_trees(frame, bounds, 1.0, TIERS["medium"])
    assert not has_room_for_trees(frame, bounds, 0.0, TIERS["high"])
    assert not has_room_for_trees(frame.changed(drape=np.zeros((2, 2, 4), np.uint8)), bounds, 1.0, TIERS["high"])
    small = make_frame((41, 41), 2.0, bed=np.broadcast_to(np.linspace(-5.0, 5.0, 41), (41, 41)))
    assert not has_room_for_trees(small, Bounds.of(small), 1.0, TIERS["high"])


def wooded():
    x, z = np.linspace(-150.0, 150.0, 101)[None, :], np.linspace(-150.0, 150.0, 101)[:, None]
    return make_frame((101, 101), 3.0, bed=12.0 - 0.15 * x + 5.0 * np.sin(x / 25.0) * np.cos(z / 31.0))


def geometry(textures):
    """The geometry buffer, shape (height, width, components), lowest row first."""
    gbuffer = textures["gbuffer"]
    return np.frombuffer(gbuffer.read(alignment=1), np.float16).reshape(*gbuffer.size[::-1], gbuffer.components)


@pytest.fixture
def draw(ctx):
    """draw(frame, camera, **settings) → picture, and the share of it that trees cover."""
    settings = ViewParams(quality="high", auto_exposure=False, look="natural", surroundings="floor")
    renderer, target = Renderer(ctx, settings), ctx.simple_framebuffer(SIZE)

    def draw(frame, camera, **more):
        renderer.render(frame, camera, SIZE, target, settings.changed(**more))
        texels = geometry(renderer.textures)
        trees = np.mean(texels[..., 1] > 2.0) if texels.shape[-1] > 1 else 0.0
        return renderer.snapshot(target, SIZE).astype(int), trees

    draw.textures = renderer.textures
    yield draw
    renderer.release()
    target.release()


def lonely(draw, frame):
    """The trees that have been drawn, the farthest from all others first."""
    colours, relief = (
        np.frombuffer(draw.textures[name].read(alignment=1), kind).reshape(*draw.textures[name].size[::-1], 4)
        for name, kind in (("albedo_map", np.uint8), ("relief_map", np.float16))
    )
    context = SimpleNamespace(frame=frame, view=SimpleNamespace(bounds=Bounds.of(frame)), settings=ViewParams())
    trees = planted(context, colours, relief)
    apart = np.hypot(*(trees[:, None, [0, 2]] - trees[None, :, [0, 2]]).transpose(2, 0, 1)) + 1e3 * np.eye(len(trees))
    return trees[np.argsort(-apart.min(axis=1))]


def one_tree(draw, form):
    """A wood, a camera that sees it, and a tree of this form in it that stands apart from others."""
    frame = wooded()
    camera = OrbitCamera(Bounds.of(frame), (-40.0, 10.0, 0.0), 160.0, 0.4, 0.6)
    draw(frame, camera)
    return frame, camera, next(tree for tree in lonely(draw, frame) if tree[9] == form)


@pytest.mark.slow
def test_trees_can_be_taken_away_and_come_again(draw):
    frame = wooded()
    camera = OrbitCamera(Bounds.of(frame), (-40.0, 10.0, 0.0), 160.0, 0.4, 0.6)
    shown, trees = zip(*(draw(frame, camera, trees=wanted) for wanted in (True, False, True)), strict=True)
    assert trees[0] == trees[2] > 0.01
    assert trees[1] == 0.0
    assert np.array_equal(shown[0], shown[2])
    assert np.mean(np.abs(shown[0] - shown[1]).max(axis=-1) > 12) > 0.02


@pytest.mark.slow
@pytest.mark.parametrize("elevation", [0.6, 0.02, 0.0])
def test_the_alpha_of_the_scene_tells_of_trees_alone_with_the_eye_half_under_water_too(draw, elevation):
    frame = wooded()
    camera = OrbitCamera(Bounds.of(frame), (-40.0, 0.0, 0.0), 160.0, 0.4, elevation, dive=True)
    _, trees = draw(frame, camera)
    light = draw.textures["light"]
    alpha = np.frombuffer(light.read(alignment=1), light.dtype).reshape(-1, 4)[:, 3]
    assert set(alpha) == {0.0, 1.0}
    assert np.mean(alpha == 0.0) == pytest.approx(trees)


@pytest.mark.slow
def test_none_stand_where_the_ground_is_tiled_as_a_pool(draw):
    frame = wooded()
    camera = OrbitCamera(Bounds.of(frame), (-40.0, 10.0, 0.0), 160.0, 0.4, 0.6)
    shown, trees = zip(*(draw(frame, camera, look="pool", trees=wanted) for wanted in (True, False)), strict=True)
    assert trees == (0.0, 0.0)
    assert np.array_equal(*shown)


@pytest.mark.slow
def test_a_narrower_view_shows_trees_that_were_too_small(draw):
    frame = wooded()
    camera = OrbitCamera(Bounds.of(frame), (-40.0, 10.0, 0.0), 200.0, 0.4, 0.6)
    trees = []
    for camera.fov in (2.6, 0.6):
        trees.append(draw(frame, camera)[1])
    assert trees[0] == 0.0 < trees[1]


@pytest.mark.slow
@pytest.mark.parametrize("form", range(len(FORMS)))
def test_a_tree_keeps_its_form_and_tint_from_near_and_far_and_all_sides(draw, form):
    frame, camera, (x, foot, z, height, width, _, _, _, tint, _) = one_tree(draw, form)
    camera.target, camera.elevation, camera.fov = (x, foot + 0.5 * height, z), 0.7, 0.5
    shapes = []
    for camera.distance, camera.azimuth in ((2.6 * height, 0.5), (2.6 * height, 2.5), (6.0 * height, 4.0)):
        draw(frame, camera)
        texels = geometry(draw.textures)
        row, column = (side // 2 for side in texels.shape[:2])
        metre = row / (camera.distance * np.tan(0.5 * camera.fov))
        high, wide = (int(0.6 * height * size * metre) for size in (1.0, max(width, 0.6)))
        middle = texels[max(row - high, 0) : row + high, max(column - wide, 0) : column + wide]
        is_it = (middle[..., 1] > 2.0) & (np.floor(middle[..., 3]) == 1 + np.floor(14.0 * tint + 0.5))
        assert np.mean(is_it) > 0.1
        shapes.append(np.divide(*np.std(np.nonzero(is_it), axis=1)))
    assert shapes == pytest.approx([np.mean(shapes)] * 3, rel=0.12), shapes


@pytest.mark.slow
def test_a_tree_that_the_eye_is_in_is_left_out(draw):
    """Within a crown only other trees are seen; two radii away it is whole."""
    frame = wooded()
    camera = OrbitCamera(Bounds.of(frame), (-40.0, 10.0, 0.0), 160.0, 0.4, 0.6)
    draw(frame, camera)
    alone = lonely(draw, frame)[0]
    x, foot, z, height = alone[:4]
    shares = []
    for radii in (0.2, 3.0):
        # Straight down is no other tree.
        camera.target, camera.distance = (x, foot + (0.6 + 0.42 * radii) * height - 1.0, z), 1.0
        camera.elevation = 0.5 * np.pi
        shares.append(draw(frame, camera)[1])
    assert shares[0] < 0.02
    assert shares[1] > 0.15


@pytest.mark.slow
def test_a_crown_near_the_eye_is_made_of_leaves_with_shade_between_them(draw):
    """They differ in tint and face all ways; the deeper they lie, the less of the sun they see."""
    frame, camera, (x, foot, z, height, *_) = one_tree(draw, BROAD)
    camera.target, camera.distance, camera.elevation = (x, foot + 0.6 * height, z), 2.0 * height, 0.7
    crowns = []
    for camera.fov in (0.12, 1.2):  # the tree is 400 and 35 pixels high
        draw(frame, camera)
        texels = geometry(draw.textures).astype(float)
        row, column = (side // 2 for side in texels.shape[:2])
        crowns.append(texels[row - 6 : row + 6, column - 6 : column + 6])
    near, far = (crown[(crown[..., 1] > 2.0) & (crown[..., 3] >= 1.0)] for crown in crowns)
    assert len(near) > 100
    assert len(far) > 100
    tints = np.floor(near[:, 3])
    (tint,) = set(np.floor(far[:, 3]))
    assert len(set(tints)) > 3
    assert tints.min() >= tint - 1.0, "where leaves lie deeper is a gap"
    assert np.corrcoef(tints, near[:, 3] - tints)[0, 1] > 0.5
    assert np.median(np.abs(np.diff(crowns[0][..., 1:3], axis=1))) > 0.025, "clumps of one normal face one way"


@pytest.mark.slow
def test_leaves_face_away_from_the_gaps_beside_them(draw):
    """Where light rises to the right, a leaf rises out of a gap, and faces left."""
    frame, camera, (x, foot, z, height, *_) = one_tree(draw, BROAD)
    camera.target, camera.distance, camera.elevation, camera.fov = (x, foot + 0.6 * height, z), 2.0 * height, 0.7, 0.03
    draw(frame, camera)
    texels = geometry(draw.textures).astype(float)
    light, right = texels[..., 3] % 1.0, (texels[..., 1:3] - 4.0) @ camera.right[[0, 2]]
    inside = (texels[..., 1] > 2.0)[:, :-2] & (texels[..., 1] > 2.0)[:, 2:]
    rises = (light[:, 2:] - light[:, :-2])[inside]
    assert len(rises) > 5000
    assert np.corrcoef(rises, right[:, 1:-1][inside])[0, 1] < -0.2


@pytest.mark.slow
def test_a_stem_stands_in_dappled_light_and_goes_with_its_crown(draw):
    """In the light of the sky alone it was violet. Between the eye in the crown and the ground it is not seen."""
    frame, camera, (x, foot, z, height, *_) = one_tree(draw, BROAD)
    camera.target, camera.fov = (x, foot + 0.12 * height, z), 0.1
    stems = []
    for away, camera.elevation in ((2.0, 0.1), (0.6, 0.1), (0.5, 0.5 * np.pi)):
        camera.distance = away * height
        draw(frame, camera)
        texels = geometry(draw.textures).astype(float)
        stems.append(texels[(texels[..., 1] > 2.0) & (texels[..., 3] < 1.0)])
    far, beside, above = stems
    assert len(far) > 50
    assert 0.2 < np.median(far[:, 3]) < 0.5
    assert len(beside) > 2 * len(far), "whole where leaves are left out one by one"
    assert not len(above)


@pytest.mark.slow
def test_no_stem_stands_without_its_crown(draw):
    """Near the eye a crown thinned out long before its stem, which was left as a thorn."""
    frame, camera, (x, foot, z, height, *_) = one_tree(draw, BROAD)
    camera.target, camera.elevation, camera.fov = (x, foot + 0.4 * height, z), 0.15, 0.9
    crowns = []
    for away in np.linspace(0.4, 1.6, 13):
        camera.distance = away * height
        draw(frame, camera)
        texels = geometry(draw.textures).astype(float)
        is_tree, is_stem = texels[..., 1] > 2.0, texels[..., 3] < 1.0
        if np.mean(is_tree & is_stem) > 0.003:  # not that of another tree
            crowns.append(away**2 * np.mean(is_tree & ~is_stem))
    assert len(crowns) > 7
    assert min(crowns) > 0.4
