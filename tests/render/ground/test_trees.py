"""Trees stand on wooded ground that is dry and not steep, always at the same places."""

from types import SimpleNamespace

import numpy as np
import pytest
from support.scenes import make_frame

from waterview.render.camera.bounds import Bounds
from waterview.render.camera.camera import OrbitCamera
from waterview.render.ground.trees import has_room_for_trees, planted, tree_mesh
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
    x, y, z, height, width, _, sun = trees.T
    assert x.max() < -9.0 + 2.0
    assert z.max() < 4.0
    assert np.abs(y + 0.04 * height + 0.2 * x).max() < 0.5
    assert height.min() >= 4.5 and height.max() <= 10.0
    assert width.min() >= 0.5 and width.max() <= 0.85
    assert (sun == 0.75).all()
    assert np.array_equal(trees, grown(colours))


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


def test_the_mesh_is_a_tree_of_height_and_width_one():
    vertices, triangles = tree_mesh()
    assert (vertices[:, 1].min(), vertices[:, 1].max()) == (0.0, 1.0)
    assert np.hypot(vertices[:, 0], vertices[:, 2]).max() == pytest.approx(0.5)
    assert np.linalg.norm(vertices[:, 3:], axis=1) == pytest.approx(1.0, abs=1e-6)
    assert set(triangles.ravel()) == set(range(len(vertices)))
    edges = np.sort(np.concatenate([triangles[:, [0, 1]], triangles[:, [1, 2]], triangles[:, [2, 0]]]), axis=1)
    _, counts = np.unique(edges, axis=0, return_counts=True)
    assert sorted(set(counts)) == [1, 2], "one surface, open at the foot"
    assert np.count_nonzero(counts == 1) == 8


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


@pytest.fixture
def draw(ctx):
    """draw(frame, camera, **settings) → picture, and the share of it that trees cover."""
    settings = ViewParams(quality="high", auto_exposure=False, look="natural", surroundings="floor")
    renderer, target = Renderer(ctx, settings), ctx.simple_framebuffer(SIZE)

    def draw(frame, camera, **more):
        renderer.render(frame, camera, SIZE, target, settings.changed(**more))
        gbuffer = renderer.textures["gbuffer"]
        texels = np.frombuffer(gbuffer.read(alignment=1), np.float16).reshape(-1, gbuffer.components)
        trees = np.mean(texels[:, 1] > 2.0) if gbuffer.components > 1 else 0.0
        return renderer.snapshot(target, SIZE).astype(int), trees

    draw.textures = renderer.textures
    yield draw
    renderer.release()
    target.release()


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
def test_a_narrower_view_shows_trees_that_were_too_small(draw):
    frame = wooded()
    camera = OrbitCamera(Bounds.of(frame), (-40.0, 10.0, 0.0), 200.0, 0.4, 0.6)
    trees = []
    for camera.fov in (2.6, 0.6):
        trees.append(draw(frame, camera)[1])
    assert trees[0] == 0.0 < trees[1]


@pytest.mark.slow
def test_a_tree_that_the_eye_is_in_is_left_out(draw):
    """Within a crown only other trees are seen; two radii away it is whole."""
    frame = wooded()
    camera = OrbitCamera(Bounds.of(frame), (-40.0, 10.0, 0.0), 160.0, 0.4, 0.6)
    draw(frame, camera)
    colours, relief = (
        np.frombuffer(draw.textures[name].read(alignment=1), kind).reshape(*draw.textures[name].size[::-1], 4)
        for name, kind in (("albedo_map", np.uint8), ("relief_map", np.float16))
    )
    context = SimpleNamespace(frame=frame, view=SimpleNamespace(bounds=Bounds.of(frame)), settings=ViewParams())
    trees = planted(context, colours, relief)
    apart = np.hypot(*(trees[:, None, [0, 2]] - trees[None, :, [0, 2]]).transpose(2, 0, 1)) + 1e3 * np.eye(len(trees))
    alone = trees[apart.min(axis=1).argmax()]
    x, foot, z, height = alone[:4]
    shares = []
    for radii in (0.2, 3.0):
        # Straight down is no other tree.
        camera.target, camera.distance = (x, foot + (0.6 + 0.42 * radii) * height - 1.0, z), 1.0
        camera.elevation = 0.5 * np.pi
        shares.append(draw(frame, camera)[1])
    assert shares[0] < 0.02
    assert shares[1] > 0.15
