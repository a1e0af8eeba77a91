"""Signed distances to meshes, against closed forms."""

import numpy as np
import pytest

from waterview.bodies.kinds import shape_of
from waterview.core.body import Mesh
from waterview.render.bodies.distance_volume import BOX, POINTS, SPHERE, VOLUME, distance_volume


def sheared_box(colours=None):
    """A box of sides 1, 0.5 and 0.25 that is no cube, so that it needs a volume."""
    unit = shape_of("box").visual_mesh
    scale = np.array((1.0, 0.5, 0.25), np.float32)
    return Mesh(unit.vertices * scale, unit.normals, unit.indices, unit.colours if colours is None else colours)


def points_of(volume):
    """World coordinates of the volume's points, shape (64, 64, 64, 3), x last."""
    axes = [volume.low[k] + volume.size[k] * np.linspace(0.0, 1.0, POINTS) for k in range(3)]
    z, y, x = np.meshgrid(*axes[::-1], indexing="ij")
    return np.stack((x, y, z), axis=-1)


def distance_to_box(points, half):
    """Exact signed distance to a box of half sides `half`."""
    off = np.abs(points) - half
    return np.linalg.norm(np.maximum(off, 0.0), axis=-1) + np.minimum(off.max(axis=-1), 0.0)


@pytest.mark.slow
def test_a_box_has_its_exact_distances_near_its_surface_and_lower_bounds_elsewhere():
    volume = distance_volume(sheared_box())
    found, exact = volume.texels[..., 3].astype(float), distance_to_box(points_of(volume), (0.5, 0.25, 0.125))
    assert volume.geometry == VOLUME
    near = np.abs(exact) < volume.size.min() / POINTS
    np.testing.assert_allclose(found[near], exact[near], atol=2e-3)
    assert (np.abs(found) <= np.abs(exact) + 2e-3).all()
    clear = np.abs(exact) > 2e-3
    np.testing.assert_array_equal(found[clear] < 0.0, exact[clear] < 0.0)


@pytest.mark.slow
def test_without_a_lid_a_box_keeps_its_inside():
    whole = sheared_box()
    top = (whole.normals[whole.indices].mean(axis=1)[:, 1]) > 0.5
    opened = Mesh(whole.vertices, whole.normals, np.ascontiguousarray(whole.indices[~top]), whole.colours)
    volume = distance_volume(opened)
    exact = distance_to_box(points_of(volume), (0.5, 0.25, 0.125))
    deep = exact < -0.03
    assert (volume.texels[..., 3][deep] < 0.0).mean() > 0.99
    assert (volume.texels[..., 3][exact > 0.03] > 0.0).mean() > 0.99


@pytest.mark.slow
def test_points_by_the_surface_have_its_colour():
    unit = shape_of("box").visual_mesh
    east = unit.normals[:, 0] > 0.5
    colours = np.where(east[:, None], (255, 0, 0), (0, 0, 255)).astype(np.uint8)
    volume = distance_volume(sheared_box(colours))
    places = points_of(volume)
    by_east = (np.abs(places[..., 0] - 0.5) < 0.02) & (np.abs(places[..., 1]) < 0.2) & (np.abs(places[..., 2]) < 0.1)
    by_west = (np.abs(places[..., 0] + 0.5) < 0.02) & (np.abs(places[..., 1]) < 0.2) & (np.abs(places[..., 2]) < 0.1)
    np.testing.assert_allclose(volume.texels[by_east][:, :3], [(1.0, 0.0, 0.0)] * by_east.sum(), atol=1e-3)
    np.testing.assert_allclose(volume.texels[by_west][:, :3], [(0.0, 0.0, 1.0)] * by_west.sum(), atol=1e-3)


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["duck", "boat"])
def test_the_inside_of_bundled_meshes_has_their_volume(kind):
    shape = shape_of(kind)
    volume = distance_volume(shape.visual_mesh)
    inside = (volume.texels[..., 3] < 0.0).sum() * np.prod(volume.size / (POINTS - 1))
    assert inside == pytest.approx(shape.volume, rel=0.15)  # the hull that water acts on is simpler


@pytest.mark.slow
def test_balls_and_cubes_are_known_by_their_vertices():
    assert distance_volume(shape_of("sphere").visual_mesh).geometry == SPHERE
    assert distance_volume(shape_of("box").visual_mesh).geometry == BOX


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["sphere", "box", "boat"])
def test_all_that_a_volume_holds_is_finite(kind):
    """The filter weighs what lies beyond a volume's last points with 0, which must not be infinite."""
    assert np.isfinite(distance_volume(shape_of(kind).visual_mesh).texels).all()
