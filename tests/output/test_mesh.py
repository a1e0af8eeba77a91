"""Meshes for other programs: the triangles of the frame, in files that those can read."""

import json
import struct

import numpy as np
import pytest
import trimesh
from support.scenes import make_frame

from waterview.core.errors import InputError
from waterview.output.mesh import meshes_of, save_mesh


@pytest.fixture
def frame():
    """A hill that rises out of water with a bump in it."""
    z, x = np.mgrid[-5:5:21j, -7.5:7.5:31j]
    bed = 3.0 - np.hypot(x + 3.0, z)
    return make_frame((21, 31), 0.5, level=0.25, bed=bed, heights=0.3 * np.exp(-((x - 4.0) ** 2) - z**2) * (bed < 0))


def test_water_leaves_land_out_and_faces_up(frame):
    water, terrain = meshes_of(frame)
    assert len(terrain.triangles) == 2 * 20 * 30
    assert len(water.triangles) == len(frame.grid.triangles(frame.fixed))
    assert set(np.unique(water.triangles)) == set(range(len(water.vertices)))
    assert len(water.vertices) < np.count_nonzero(~frame.fixed) + 1
    for mesh in (water, terrain):
        a, b, c = (mesh.vertices[mesh.triangles[:, corner]].astype(np.float64) for corner in range(3))
        across = np.cross(b - a, c - a)
        assert np.all(across[:, 1] > 0.0)
        assert np.linalg.norm(mesh.normals, axis=1) == pytest.approx(1.0, abs=1e-5)
        # The vertices' normals point where their triangles do.
        facing = np.sum(across / np.linalg.norm(across, axis=1, keepdims=True) * mesh.normals[mesh.triangles[:, 0]], 1)
        assert facing.min() > 0.5
    assert water.vertices[:, 1].max() == pytest.approx(0.25 + frame.heights.max())


def test_choppy_water_is_moved_sideways(frame):
    shift = np.zeros((*frame.grid.shape, 2), np.float32)
    shift[..., 0], shift[..., 1] = 0.1, -0.2
    moved = make_frame((21, 31), 0.5, level=0.25, bed=frame.bed, heights=frame.heights, shift=shift)
    difference = meshes_of(moved)[0].vertices - meshes_of(frame)[0].vertices
    assert difference == pytest.approx(np.broadcast_to((0.1, 0.0, -0.2), difference.shape), abs=1e-5)


def test_a_glb_holds_the_arrays_it_names(frame, tmp_path):
    save_mesh(frame, tmp_path / "a.glb")
    data = (tmp_path / "a.glb").read_bytes()
    magic, version, length = struct.unpack("<4sII", data[:12])
    assert (magic, version, length) == (b"glTF", 2, len(data))
    size, kind = struct.unpack("<I4s", data[12:20])
    assert kind == b"JSON" and size % 4 == 0
    content = json.loads(data[20 : 20 + size])
    binary = data[28 + size :]
    assert struct.unpack("<I4s", data[20 + size : 28 + size]) == (len(binary), b"BIN\0")
    assert content["buffers"][0]["byteLength"] == len(binary)

    def array(number):
        accessor = content["accessors"][number]
        view = content["bufferViews"][accessor["bufferView"]]
        dtype = {5126: "<f4", 5125: "<u4"}[accessor["componentType"]]
        found = np.frombuffer(binary[view["byteOffset"] :][: view["byteLength"]], dtype)
        assert found.size == accessor["count"] * {"VEC3": 3, "SCALAR": 1}[accessor["type"]]
        return found.reshape(-1, 3), accessor

    for written, mesh in zip(content["meshes"], meshes_of(frame), strict=True):
        (primitive,) = written["primitives"]
        places, accessor = array(primitive["attributes"]["POSITION"])
        assert np.array_equal(places, mesh.vertices)
        assert accessor["min"] == mesh.vertices.min(axis=0).tolist()
        assert array(primitive["attributes"]["NORMAL"])[0] == pytest.approx(mesh.normals, abs=1e-6)
        assert np.array_equal(array(primitive["indices"])[0], mesh.triangles)
        assert written["name"] == mesh.name


def test_an_obj_holds_the_same_triangles(frame, tmp_path):
    save_mesh(frame, tmp_path / "a.obj")
    lines = (tmp_path / "a.obj").read_text().splitlines()
    places = np.array([line.split()[1:] for line in lines if line.startswith("v ")], float)
    faces = [[int(corner.split("//")[0]) for corner in line.split()[1:]] for line in lines if line.startswith("f ")]
    water, terrain = meshes_of(frame)
    assert places == pytest.approx(np.concatenate((water.vertices, terrain.vertices)), abs=1e-5)
    wanted = np.concatenate((water.triangles + 1, terrain.triangles + 1 + len(water.vertices)))
    assert np.array_equal(faces, wanted)
    assert [line for line in lines if line.startswith("o ")] == ["o water", "o terrain"]


def test_a_ply_holds_the_same_triangles_with_the_colours_of_water_and_ground(frame, tmp_path):
    save_mesh(frame, tmp_path / "a.ply")
    found = trimesh.load(tmp_path / "a.ply", process=False)
    water, terrain = meshes_of(frame)
    assert np.array_equal(found.vertices, np.concatenate((water.vertices, terrain.vertices)))
    assert np.array_equal(found.faces, np.concatenate((water.triangles, terrain.triangles + len(water.vertices))))
    assert found.vertex_normals == pytest.approx(np.concatenate((water.normals, terrain.normals)), abs=1e-6)
    (blue,), (brown,) = (
        np.unique(part, axis=0) for part in np.split(found.visual.vertex_colors, [len(water.vertices)])
    )
    assert blue[2] > 2 * blue[0] and brown[0] > brown[2]


def test_z_is_up_in_an_stl(frame, tmp_path):
    save_mesh(frame, tmp_path / "a.stl")
    found = trimesh.load(tmp_path / "a.stl", process=False)
    wanted = np.concatenate([mesh.vertices[mesh.triangles] for mesh in meshes_of(frame)])
    assert found.triangles == pytest.approx(np.stack((wanted[..., 0], -wanted[..., 2], wanted[..., 1]), -1), abs=1e-6)
    assert found.face_normals[:, 2].min() > 0.0


def test_dry_land_has_no_water(tmp_path):
    frame = make_frame((5, 5), bed=np.ones((5, 5)))
    save_mesh(frame, tmp_path / "a.glb")
    save_mesh(frame, tmp_path / "a.obj")
    save_mesh(frame, tmp_path / "a.ply")
    assert len(trimesh.load(tmp_path / "a.ply").faces) == 2 * 4 * 4
    assert "o water" not in (tmp_path / "a.obj").read_text()


def test_a_place_that_cannot_be_written_is_reported(frame, tmp_path):
    (tmp_path / "a.glb").mkdir()
    with pytest.raises(InputError, match="cannot write the mesh"):
        save_mesh(frame, tmp_path / "a.glb")
    assert [path.name for path in tmp_path.iterdir()] == ["a.glb"]
