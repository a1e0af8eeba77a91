"""Bodies from mesh files: what is read and mended, and that sessions and recordings need no file again."""

import io
import json

import numpy as np
import pytest
import trimesh
from support.worlds import assert_same, make_world

from waterview.bodies.kinds import parse_body
from waterview.bodies.mending import joined
from waterview.bodies.mesh_files import BodyFile, MeshReading, answer
from waterview.bodies.meshes import own_shape
from waterview.core.body import MOST_DRAWN, MOST_FACES, check_body_mesh
from waterview.core.commands import AddBody
from waterview.core.errors import InputError, ParameterError
from waterview.output.recording import RecordingFile, read_recording
from waterview.scene.serialise import world_from_dict, world_to_dict

BAR = trimesh.creation.box((2.0, 1.0, 0.5))


def answered(path):
    """What the process gives for a file, read in this one."""
    code, found = answer(json.dumps(str(path)))
    if code:
        raise InputError(found.decode())
    with np.load(io.BytesIO(found)) as arrays:
        told = json.loads(arrays["told"].tobytes())
        mesh = tuple(arrays[name] for name in ("vertices", "faces", "seen", "seen_faces", "colours"))
    return BodyFile(path.stem, mesh, told["extent"], told["note"])


def exported(mesh, path):
    mesh.export(path)
    return path


def bar(tmp_path, name="bar.obj"):
    return answered(exported(BAR, tmp_path / name)).mesh


@pytest.mark.slow
def test_a_file_is_read_in_a_process_of_its_own(tmp_path):
    path = exported(BAR, tmp_path / "bar.stl")
    reading = MeshReading(path)
    found = reading.result()
    assert (found.name, found.extent, found.note) == ("bar", 2.0, "")
    path.write_bytes(b"solid x\nend")
    reading = MeshReading(path)
    with pytest.raises(InputError, match="mesh of triangles"):
        reading.result()


class TestFormats:
    @pytest.mark.parametrize(("ending", "up"), [("stl", 2), ("obj", 1), ("ply", 1), ("glb", 1)])
    def test_z_is_up_in_stl_files_and_y_in_all_others(self, tmp_path, ending, up):
        found = answered(exported(BAR, tmp_path / f"bar.{ending}"))
        height = np.ptp(found.mesh[0], axis=0)[1] * found.extent
        assert height == pytest.approx(BAR.extents[up])
        assert own_shape("bar", found.mesh).volume == pytest.approx(1.0 / 8.0, rel=1e-5)  # faces look outwards still

    @pytest.mark.parametrize("content", [b"", b"v 1 2", b"ply\nformat ascii 1.0\n", b"\x00\xff" * 50])
    @pytest.mark.parametrize("ending", ["obj", "ply", "stl", "glb"])
    def test_broken_files_are_refused(self, tmp_path, ending, content):
        path = tmp_path / f"broken.{ending}"
        path.write_bytes(content)
        with pytest.raises(InputError):
            answered(path)

    def test_a_mesh_that_names_other_files_is_read_without_them(self, tmp_path):
        secret = tmp_path / "secret.mtl"
        secret.write_text("newmtl red\nKd 1 0 0\n")
        text = trimesh.exchange.obj.export_obj(BAR, include_texture=False)
        path = tmp_path / "bar.obj"
        path.write_text(f"mtllib {secret}\nusemtl red\n{text}")
        colours = answered(path).mesh[4]
        assert not (colours[:, 0] > colours[:, 1]).any()

    def test_other_endings_folders_and_large_files_are_refused_before_anything_is_read(self, tmp_path, monkeypatch):
        text = tmp_path / "bar.txt"
        text.write_text("x")
        for path in (text, tmp_path, tmp_path / "none.stl"):
            with pytest.raises(InputError, match=r"\.stl, \.glb"):
                MeshReading(path)
        monkeypatch.setattr("waterview.bodies.mesh_files.MOST_BYTES", 10)
        with pytest.raises(InputError, match="simplify"):
            MeshReading(exported(BAR, tmp_path / "bar.ply"))


class TestMending:
    def test_a_mesh_that_looks_inwards_is_turned(self, tmp_path):
        inwards = trimesh.Trimesh(BAR.vertices, BAR.faces[:, ::-1], process=False)
        found = answered(exported(inwards, tmp_path / "bar.obj"))
        assert "turned" in found.note
        assert own_shape("bar", found.mesh).volume == pytest.approx(1.0 / 8.0, rel=1e-5)

    @pytest.mark.slow
    @pytest.mark.parametrize("turned", [False, True], ids=["even", "uneven"])
    def test_a_mesh_with_holes_gets_a_closed_surface_of_about_its_volume(self, tmp_path, turned):
        ball = trimesh.creation.icosphere(3)
        faces = ball.faces[60:].copy()
        if turned:  # neighbours that look to different sides
            faces[::2] = faces[::2, ::-1]
        found = answered(exported(trimesh.Trimesh(ball.vertices, faces, process=False), tmp_path / "ball.ply"))
        assert found.note.startswith("it is not closed: water acts on a closed surface of ")
        shape = own_shape("ball", found.mesh)
        assert len(shape.faces) <= MOST_FACES
        whole = np.pi / 6.0 * np.ptp(found.mesh[2], axis=0).max() ** 3
        extent = np.ptp(found.mesh[0], axis=0).max()
        assert shape.volume * extent**3 == pytest.approx(whole, rel=0.15)

    def test_a_sheet_is_refused(self, tmp_path):
        sheet = trimesh.Trimesh(BAR.vertices, BAR.faces[:2], process=False)
        with pytest.raises(InputError, match="encloses no space"):
            answered(exported(sheet, tmp_path / "sheet.obj"))

    @pytest.mark.slow
    def test_of_a_fine_mesh_less_is_drawn_and_less_is_stepped(self, tmp_path):
        found = answered(exported(trimesh.creation.icosphere(6), tmp_path / "ball.ply"))
        _, faces, seen, seen_faces, _ = found.mesh
        assert len(faces) <= MOST_FACES and len(seen_faces) <= MOST_DRAWN
        assert "81920 triangles" in found.note and "are drawn" in found.note
        assert np.linalg.norm(seen, axis=1) == pytest.approx(0.5, rel=0.05)
        check_body_mesh(found.mesh)

    def test_colours_stay_with_the_vertices_that_are_joined(self):
        ball = trimesh.creation.icosphere(3)
        reddish = ball.vertices[:, :1] > 0.0
        both, faces = joined(np.column_stack((ball.vertices, reddish)), ball.faces, 200)
        assert 4 < len(faces) <= 200
        far = np.abs(both[:, 0]) > 0.5
        assert np.array_equal(both[far, 3], (both[far, 0] > 0.0).astype(float))


class TestArrays:
    @pytest.mark.parametrize(
        "change",
        [
            lambda m: (m[0].astype(float), *m[1:]),
            lambda m: (m[0] * np.nan, *m[1:]),
            lambda m: (m[0], m[1] + 7, *m[2:]),
            lambda m: (m[0], m[1] - 1, *m[2:]),
            lambda m: (m[0], np.tile(m[1], (MOST_FACES, 1)), *m[2:]),
            lambda m: (*m[:3], m[3] + 99, m[4]),
            lambda m: (*m[:4], m[4][:-1]),
            lambda m: (m[0].ravel(), *m[1:]),
        ],
    )
    def test_what_no_file_should_hold_is_refused(self, tmp_path, change):
        with pytest.raises(ParameterError):
            AddBody("bar", mesh=change(bar(tmp_path)))

    def test_a_surface_that_is_open_is_refused_when_the_body_is_made(self, tmp_path):
        vertices, faces, *seen = bar(tmp_path)
        world = make_world()
        with pytest.raises(InputError, match="closed surface"):
            world.apply(AddBody("bar", mesh=(vertices, faces[:-1], *seen)))
        assert world.bodies is None


@pytest.mark.slow
class TestKept:
    def world(self, mesh):
        world = make_world()
        for body in (AddBody("bar", 300.0, -1.0, 0.0, size=1.0, mesh=mesh), AddBody("duck", x=2.0, z=1.0)):
            world.apply(body)
        world.apply(AddBody("bar", 700.0, 1.0, -1.0, size=0.5, mesh=tuple(array.copy() for array in mesh)))
        return world

    def test_bodies_of_one_mesh_share_a_shape(self, tmp_path):
        first, _, third = self.world(bar(tmp_path)).bodies.states()
        assert first.mesh is third.mesh
        assert first.kind == "bar" and first.scale[0] == 1.0

    def test_a_world_goes_on_to_the_bit(self, tmp_path):
        world = self.world(bar(tmp_path))
        for _ in range(5):
            world.step()
        again = world_from_dict(json_and_back(tmp_path, world))
        for each in (world, again):
            for _ in range(5):
                each.step()
        assert_same(world.publish(0), again.publish(0))

    def test_damaged_meshes_are_refused(self, tmp_path):
        data = json_and_back(tmp_path, self.world(bar(tmp_path)))
        own = data["beside"]["bodies"]["own"][0]
        assert own["bodies"] == [1, 3]
        for broken in ([], own["mesh"][:4], [own["mesh"][0], own["mesh"][1] + 100, *own["mesh"][2:]], [1, 2, 3, 4, 5]):
            with pytest.raises(InputError):
                world_from_dict(changed(data, mesh=broken))
        with pytest.raises(InputError):
            world_from_dict(changed(data, bodies=[1, 99]))

    def test_a_recording_holds_the_mesh(self, tmp_path):
        command = AddBody("bar", 300.0, -1.0, 0.0, size=1.0, mesh=bar(tmp_path))
        with RecordingFile(tmp_path / "run.jsonl", world_to_dict(make_world())) as file:
            file.note(0, command)
            file.end(1)
        read = read_recording(tmp_path / "run.jsonl").entries[0].command
        assert read == command
        assert all(np.array_equal(a, b) and a.dtype == b.dtype for a, b in zip(read.mesh, command.mesh, strict=True))


def json_and_back(tmp_path, world):
    """The words of a world as a recording gives them back."""
    with RecordingFile(tmp_path / "world.jsonl", world_to_dict(world)) as file:
        file.end(0)
    return read_recording(tmp_path / "world.jsonl").world


def changed(data, **own):
    bodies = data["beside"]["bodies"]
    bodies = {**bodies, "own": [{**bodies["own"][0], **own}]}
    return {**data, "beside": {**data["beside"], "bodies": bodies}}


class TestAsText:
    def read(self, path):
        return BodyFile(path.stem, None, 1.0, str(path))

    @pytest.mark.parametrize(
        ("text", "kind", "size", "density", "place"),
        [
            ("hull.stl", "hull", None, None, (None, None)),
            ("a/hull.OBJ@2.5:300:1,2", "hull", 2.5, 300.0, (1.0, 2.0)),
            ("odd@name.ply:300", "odd@name", None, 300.0, (None, None)),
            ("odd@name.glb@3", "odd@name", 3.0, None, (None, None)),
            ("duck@0.5::1,2", "duck", 0.5, None, (1.0, 2.0)),
            (r"C:/ships/hull.glb@4:250", "hull", 4.0, 250.0, (None, None)),
        ],
    )
    def test_files_stand_where_kinds_do(self, text, kind, size, density, place):
        body = parse_body(text, self.read)
        assert (body.kind, body.size, body.density, (body.x, body.z)) == (kind, size, density, place)

    @pytest.mark.parametrize("text", ["duck@0", "duck@-1", "duck@big", "duck@nan", "hull.stl@x"])
    def test_sizes_that_make_no_sense(self, text):
        with pytest.raises(ParameterError, match="longest side in metres"):
            parse_body(text, self.read)

    def test_a_preset_names_no_file(self):
        with pytest.raises(InputError, match="allowed are sphere"):
            parse_body("hull.stl")
