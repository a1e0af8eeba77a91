"""What bodies are made of: closed surfaces, mass, collision spheres, and mesh files of all conditions."""

import numpy as np
import pytest

from waterview.bodies.flotation import floating_height, wet_volume
from waterview.bodies.kernels.records import SPHERE
from waterview.bodies.kinds import kinds, shape_of
from waterview.bodies.meshes import fill_with_spheres, mesh_shape, winding
from waterview.bodies.shapes import box_surface
from waterview.core.errors import InputError


def solid(vertices, faces):
    """Volume, centre and mean of x xᵀ of a closed surface, by tetrahedra from the origin."""
    a, b, c = (vertices[faces[:, k]] for k in range(3))
    volumes = np.einsum("ij,ij->i", a, np.cross(b, c)) / 6.0
    total, corners = volumes.sum(), np.stack((a, b, c), axis=1)
    centre = (volumes[:, None] * corners.sum(axis=1) / 4.0).sum(axis=0) / total
    sums = corners.sum(axis=1)
    products = np.einsum("nki,nkj->nij", corners, corners) + np.einsum("ni,nj->nij", sums, sums)
    return total, centre, (volumes[:, None, None] * products / 20.0).sum(axis=0) / total


def tetrahedron(path, *, faces="3 2 1\nf 2 4 1\nf 3 4 2\nf 1 4 3"):
    path.write_text(f"v 0 0 0\nv 0 0 2\nv 3 0 0\nv 0 1 0\nf {faces}\n")
    return path


@pytest.mark.parametrize("kind", ["sphere", "box", "duck", "boat"])
class TestKinds:
    def test_they_are_made_once_and_are_read_only(self, kind):
        shape = shape_of(kind)
        assert shape_of(kind) is shape
        assert shape.kind == kind
        assert not shape.vertices.flags.writeable

    def test_what_is_drawn_looks_outwards_and_is_about_one_long(self, kind):
        looks = shape_of(kind).visual_mesh
        corners = looks.vertices.astype(float)[looks.indices]
        faces = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
        toward = np.einsum("ij,ikj->ik", faces, looks.normals.astype(float)[looks.indices])
        assert (toward > -1e-9).mean() > 0.995
        np.testing.assert_allclose(np.linalg.norm(looks.normals, axis=1), 1.0, atol=1e-5)
        assert np.ptp(looks.vertices, axis=0).max() == pytest.approx(1.0, abs=0.02)
        assert looks.colours.shape == looks.vertices.shape

    def test_the_surface_that_water_acts_on_is_closed(self, kind):
        shape = shape_of(kind)
        if shape.geometry == SPHERE:
            return
        edges = np.concatenate([shape.faces[:, [0, 1]], shape.faces[:, [1, 2]], shape.faces[:, [2, 0]]])
        there, back = {tuple(edge) for edge in edges}, {tuple(edge[::-1]) for edge in edges}
        assert len(there) == len(edges)
        assert there == back
        volume, _, _ = solid(shape.vertices, shape.faces)
        assert volume == pytest.approx(shape.volume, rel=1e-5)

    def test_what_is_drawn_fits_what_the_water_sees(self, kind):
        shape = shape_of(kind)
        low, high = (getattr(shape.visual_mesh.vertices, end)(axis=0) for end in ("min", "max"))
        if shape.geometry != SPHERE:
            np.testing.assert_allclose(shape.vertices.min(axis=0), low, atol=0.04)
            np.testing.assert_allclose(shape.vertices[:, [0, 2]].max(axis=0), high[[0, 2]], atol=0.04)

    def test_inertia_is_symmetric_and_that_of_a_real_body(self, kind):
        principal = np.linalg.eigvalsh(shape_of(kind).inertia(2.0, np.full(3, 1.5)))
        assert (principal > 0.0).all()
        assert principal[2] <= principal[0] + principal[1] + 1e-12

    def test_it_floats_with_the_share_that_it_should(self, kind):
        shape, turned = shape_of(kind), np.array([[0.0, -1.0, 0.0], [1.0, 0.0, 0.0], [0.0, 0.0, 1.0]])
        for share in (0.1, 0.5, 0.9):
            height = floating_height(shape, np.full(3, 2.0), turned, share)
            if shape.geometry == SPHERE:
                deep = 1.0 - height
                wet = np.pi * deep**2 * (1.0 - deep / 3.0)
            else:
                wet = wet_volume(2.0 * shape.vertices @ turned.T, shape.faces, -height)
            assert wet == pytest.approx(share * 8.0 * shape.volume, rel=1e-5)


def test_the_kinds_are_those_that_the_command_line_promises():
    assert list(kinds()) == ["sphere", "box", "duck", "boat"]


def test_moments_of_a_box_and_a_sphere():
    np.testing.assert_allclose(
        np.diag(shape_of("box").inertia(3.0, np.array((1.0, 2.0, 4.0)))), 3.0 / 12.0 * np.array((20.0, 17.0, 5.0))
    )
    np.testing.assert_allclose(np.diag(shape_of("sphere").inertia(3.0, np.full(3, 2.0))), 3.0 * 0.4)


def test_ballast_moves_the_centre_of_mass_and_nothing_else(tmp_path):
    path = tetrahedron(tmp_path / "body.obj")
    even = mesh_shape(path)
    volume, centre, moments = solid(even.vertices, even.faces)
    np.testing.assert_allclose(centre, 0.0, atol=1e-9)
    np.testing.assert_allclose(even.second_moments, moments, atol=1e-9)
    assert even.volume == pytest.approx(1.0 / 27.0)
    assert volume == pytest.approx(even.volume)
    at = np.array((0.0, 0.9, 0.0))
    heavy = mesh_shape(path, ballast=0.5, at=tuple(at))
    middle = np.array((0.75, 0.25, 0.5))
    np.testing.assert_allclose(heavy.vertices - even.vertices, np.tile(0.5 * (middle - at) / 3.0, (4, 1)), atol=1e-9)
    arm = 0.5 * (at - middle) / 3.0
    np.testing.assert_allclose(heavy.second_moments, 0.5 * moments + np.outer(arm, arm), atol=1e-9)


class TestFiles:
    def test_formats_without_colours_are_grey(self, tmp_path):
        shape = mesh_shape(tetrahedron(tmp_path / "body.obj"))
        assert shape.kind == "body"
        assert len(np.unique(shape.visual_mesh.colours, axis=0)) == 1
        assert len(shape.faces) == 4

    @pytest.mark.parametrize(
        ("faces", "message"),
        [("3 2 1\nf 2 4 1\nf 3 4 2", "closed surface"), ("1 2 3\nf 1 4 2\nf 2 4 3\nf 3 4 1", "look outwards")],
    )
    def test_surfaces_that_are_open_or_inside_out(self, tmp_path, faces, message):
        with pytest.raises(InputError, match=message):
            mesh_shape(tetrahedron(tmp_path / "body.obj", faces=faces))

    @pytest.mark.parametrize("content", [b"", b"v 1 2", b"ply\nformat ascii 1.0\n", b"\x00\xff" * 50, b"solid x\nend"])
    @pytest.mark.parametrize("suffix", [".obj", ".ply", ".stl", ".glb"])
    def test_broken_files_are_told_in_one_line(self, tmp_path, suffix, content):
        path = tmp_path / f"broken{suffix}"
        path.write_bytes(content)
        with pytest.raises(InputError) as caught:
            mesh_shape(path)
        assert str(path) in str(caught.value)

    def test_files_that_are_not_there(self, tmp_path):
        with pytest.raises(InputError, match="no such file"):
            mesh_shape(tmp_path / "none.ply")
        with pytest.raises(InputError, match="no such file"):
            mesh_shape(tmp_path)


class TestCollisionSpheres:
    @pytest.mark.slow
    def test_they_lie_inside_and_fill_most(self):
        vertices, _, faces = box_surface(4)
        vertices = vertices * (2.0, 1.0, 1.0)
        spheres = fill_with_spheres(vertices, faces)
        assert 2 <= len(spheres) <= 12
        assert (np.abs(spheres[:, :3]) + spheres[:, 3:] <= np.array((1.0, 0.5, 0.5)) + 0.05).all()
        places = np.random.default_rng(0).uniform(-1.0, 1.0, (4000, 3)) * (1.0, 0.5, 0.5)
        covered = (np.linalg.norm(places[:, None] - spheres[None, :, :3], axis=-1) < spheres[:, 3]).any(axis=1)
        assert covered.mean() > 0.6

    def test_a_surface_goes_once_around_what_is_inside(self):
        vertices, _, faces = box_surface(2)
        places = np.array([(0.0, 0.0, 0.0), (0.4, -0.4, 0.4), (0.6, 0.0, 0.0), (5.0, 5.0, 5.0)])
        np.testing.assert_allclose(winding(places, vertices, faces), (1.0, 1.0, 0.0, 0.0), atol=1e-9)
