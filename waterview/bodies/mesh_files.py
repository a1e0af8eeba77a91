"""Mesh files that users bring: read in a process of their own, and mended where water could not act on them."""

from __future__ import annotations

import io
import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from waterview.core.apart import Question, serve
from waterview.core.body import MOST_DRAWN, MOST_FACES, BodyMesh
from waterview.core.errors import InputError
from waterview.core.files import check_ordinary

from .mending import closed_around, joined
from .meshes import GREY, MOST_BYTES

ENDINGS = (".stl", ".glb", ".obj", ".ply")
"""Endings of mesh files that are read."""

PROCESSOR_SECONDS = 30.0
"""Processor time that reading and mending a mesh may take [s], and one more for each of `BYTES_A_SECOND`."""

BYTES_A_SECOND = 1 << 20

MOST_MEMORY = 3 << 30
"""Memory that it may take [bytes], where the system can limit it."""

_REFUSED = 2
_ARRAYS = ("vertices", "faces", "seen", "seen_faces", "colours")


@dataclass(frozen=True, eq=False)
class BodyFile:
    """A mesh from a file.

    Attributes:
        name: of the file, without its ending.
        mesh: what water acts on, and what is drawn.
        extent: its longest side, in the file's own unit.
        note: what was done about it, one line; "" if nothing was.
    """

    name: str
    mesh: BodyMesh
    extent: float
    note: str


def is_mesh_file(name: str) -> bool:
    """Whether a name ends as those of mesh files do."""
    return name.lower().endswith(ENDINGS)


class MeshReading:
    """A mesh file that is read while the program goes on.

    Args:
        path: the file.

    Raises:
        InputError: there is no such file, it has another ending or is too large.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        try:
            check_ordinary(path)
            size = path.stat().st_size
        except (OSError, ValueError) as error:
            raise InputError(f"{path}: no mesh file ({error}); give one that ends in {', '.join(ENDINGS)}") from error
        if not is_mesh_file(path.name):
            raise InputError(f"{path}: allowed are meshes that end in {', '.join(ENDINGS)}")
        if size > MOST_BYTES:
            raise InputError(f"{path} has {size >> 20} MiB: allowed are {MOST_BYTES >> 20}; simplify it first")
        self._question = Question(__name__, json.dumps(str(path.absolute())), PROCESSOR_SECONDS + size / BYTES_A_SECOND)

    @property
    def is_done(self) -> bool:
        """Whether it is read."""
        return self._question.is_answered

    def result(self) -> BodyFile:
        """What is in the file; waits for it.

        Raises:
            InputError: it cannot be read, or encloses no space.
        """
        code, answered = self._question.answer()
        if code == _REFUSED:
            raise InputError(f"{self.path}: {answered.decode()}")
        if code:
            raise InputError(f"{self.path}: not a mesh that can be read, or one that takes too long; export it again")
        with np.load(io.BytesIO(answered)) as arrays:
            told = json.loads(arrays["told"].tobytes())
            vertices, faces, seen, seen_faces, colours = (arrays[name] for name in _ARRAYS)
        note = f"{self.path.name}: {told['note']}" if told["note"] else ""
        return BodyFile(self.path.stem, (vertices, faces, seen, seen_faces, colours), told["extent"], note)

    def end(self) -> None:
        """Give it up."""
        self._question.end()


def main() -> None:
    """Run in the process."""
    import trimesh  # noqa: F401  # what is imported is not counted

    serve(answer, MOST_MEMORY)


def answer(request: str) -> tuple[int, bytes]:
    """Read and mend the mesh whose path `request` is, as JSON; returns 0 and arrays, or another code and why not."""
    import trimesh

    path = Path(json.loads(request))
    try:
        with path.open("rb") as file:  # without its path: a mesh may name further files, and these are not read
            found = trimesh.load_mesh(file, file_type=path.suffix[1:].lower(), process=False)
        if not isinstance(found, trimesh.Trimesh) or not len(found.faces) or not np.isfinite(found.vertices).all():
            return _REFUSED, b"it has no triangles with finite corners; give a mesh of triangles"
        return _mended(found, is_z_up=path.suffix.lower() == ".stl")
    except Exception as error:  # trimesh lets its readers' own errors through, of any kind
        return _REFUSED, f"not a mesh that can be read ({type(error).__name__}: {error}); export it again".encode(
            "utf-8", "replace"
        )


def _mended(found: Any, *, is_z_up: bool) -> tuple[int, bytes]:
    """The mesh as arrays with a closed surface of few triangles; returns as `answer`.

    Args:
        found: a trimesh.Trimesh.
        is_z_up: whether the file's z is up, as in programs that make things; else y is.
    """
    done = []
    seen, colours = np.asarray(found.vertices, np.float64), _colours(found)
    if is_z_up:
        seen = seen[:, [0, 2, 1]] * (1.0, 1.0, -1.0)
    found.vertices = seen
    extent = float(np.ptp(seen, axis=0).max())
    if not 0.0 < extent < 1e30:
        return _REFUSED, b"it has no size; give a mesh that encloses space"
    seen_faces = np.asarray(found.faces, np.int64)
    hull = found.copy()
    hull.merge_vertices(merge_norm=True, merge_tex=True)
    hull.update_faces(hull.nondegenerate_faces())
    vertices, faces = np.asarray(hull.vertices), np.asarray(hull.faces)
    is_closed, is_oriented = bool(hull.is_watertight and hull.is_winding_consistent), bool(hull.is_winding_consistent)
    if is_closed and hull.volume < 0.0:
        faces = faces[:, ::-1]
        seen_faces = seen_faces[:, ::-1]
        done.append("its faces looked inwards and are turned")
    if not is_closed or len(faces) > MOST_FACES:
        why = f"it has {len(faces)} triangles" if is_closed else "it is not closed"
        vertices, faces = closed_around(vertices, faces, MOST_FACES, is_oriented=is_oriented)
        if not len(faces):
            return _REFUSED, b"it encloses no space; close its holes, or give it a thickness"
        done.append(f"{why}: water acts on a closed surface of {len(faces)} triangles around it")
    if len(seen_faces) > MOST_DRAWN:
        count = len(seen_faces)
        both, seen_faces = joined(np.column_stack((seen, colours)), seen_faces, MOST_DRAWN)
        seen, colours = both[:, :3], both[:, 3:]
        done.append(f"{len(seen_faces)} of {count} triangles are drawn")
    used, seen_faces = np.unique(seen_faces, return_inverse=True)
    told = json.dumps({"note": "; ".join(done), "extent": extent}).encode()
    scale = 1.0 / extent  # any unit will do, and single precision is enough at this size
    middle = 0.5 * (vertices.min(axis=0) + vertices.max(axis=0))
    stream = io.BytesIO()
    np.savez(
        stream,
        told=np.frombuffer(told, np.uint8),
        vertices=((vertices - middle) * scale).astype(np.float32),
        faces=np.ascontiguousarray(faces, np.int32),
        seen=((seen[used] - middle) * scale).astype(np.float32),
        seen_faces=np.ascontiguousarray(seen_faces.reshape(-1, 3), np.int32),
        colours=np.ascontiguousarray(colours[used].round(), np.uint8),
    )
    return 0, stream.getvalue()


def _colours(mesh: Any) -> NDArray[np.float64]:
    """SRGB of the vertices, shape (n, 3): theirs, those of a texture or a material there, or grey."""
    visual = mesh.visual
    if visual.kind == "texture":
        visual = visual.to_color()
    if visual.kind in {"vertex", "face"} and len(visual.vertex_colors) == len(mesh.vertices):
        return np.asarray(visual.vertex_colors, np.float64)[:, :3]
    return np.tile(np.array(GREY, np.float64), (len(mesh.vertices), 1))
