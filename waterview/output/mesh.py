"""Water and ground as triangle meshes: glTF (.glb) and Wavefront (.obj)."""

from __future__ import annotations

import json
import struct
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from waterview.core.frame import Frame

from .atomic import write_atomically

_FLOAT, _UNSIGNED = 5126, 5125
_VERTICES, _INDICES = 34962, 34963
_MATERIALS = {
    "water": {"baseColorFactor": [0.05, 0.25, 0.35, 0.8], "metallicFactor": 0.0, "roughnessFactor": 0.05},
    "terrain": {"baseColorFactor": [0.45, 0.4, 0.3, 1.0], "metallicFactor": 0.0, "roughnessFactor": 0.9},
}


class Mesh(NamedTuple):
    """One of the meshes in a file.

    Attributes:
        name: "water" or "terrain".
        vertices: world positions [m], y up, shape (n, 3) float32.
        normals: unit normals, shape (n, 3) float32.
        triangles: indices of vertices, shape (m, 3) uint32, counter-clockwise seen from above.
    """

    name: str
    vertices: NDArray[np.float32]
    normals: NDArray[np.float32]
    triangles: NDArray[np.uint32]


def meshes_of(frame: Frame) -> list[Mesh]:
    """The water without its dry points, and the ground under and around it."""
    grid = frame.grid
    water = _positions(frame, grid.level + frame.heights)
    if frame.shift is not None:
        water[..., ::2] += frame.shift
    dz, dx = np.gradient(frame.bed.astype(np.float64), grid.spacing)
    slopes = np.stack((-dx, -dz), axis=-1)
    return [
        _compact(Mesh("water", water.reshape(-1, 3), _normals(frame.normals), grid.triangles(frame.fixed))),
        Mesh("terrain", _positions(frame, frame.bed).reshape(-1, 3), _normals(slopes), grid.triangles()),
    ]


def _positions(frame: Frame, heights: NDArray[np.floating]) -> NDArray[np.float32]:
    flat = frame.grid.positions()
    return np.stack((flat[..., 0], heights, flat[..., 1]), axis=-1).astype(np.float32)


def _normals(slopes: NDArray[np.floating]) -> NDArray[np.float32]:
    x, z = slopes[..., 0].ravel().astype(np.float64), slopes[..., 1].ravel().astype(np.float64)
    normals = np.stack((x, np.ones_like(x), z), axis=-1)
    return np.asarray(normals / np.linalg.norm(normals, axis=-1, keepdims=True), np.float32)


def _compact(mesh: Mesh) -> Mesh:
    """The mesh without the vertices that no triangle uses."""
    used, numbers = np.unique(mesh.triangles, return_inverse=True)
    triangles = numbers.reshape(-1, 3).astype(np.uint32)
    return Mesh(mesh.name, mesh.vertices[used], mesh.normals[used], triangles)


def save_mesh(frame: Frame, path: Path) -> None:
    """Write water and ground as .glb or .obj, by the ending of `path`; an existing file is replaced.

    Raises:
        InputError: the place cannot be written to.
    """
    meshes = [mesh for mesh in meshes_of(frame) if len(mesh.triangles)]
    write = _write_glb if path.suffix == ".glb" else _write_obj
    write_atomically(path, "mesh", lambda place: write(meshes, place))


def _write_obj(meshes: list[Mesh], path: Path) -> None:
    first = 1
    with path.open("w", encoding="ascii") as file:
        file.write("# waterview: metres, y up\n")
        for mesh in meshes:
            file.write(f"o {mesh.name}\n")
            np.savetxt(file, mesh.vertices, "v %.7g %.7g %.7g")
            np.savetxt(file, mesh.normals, "vn %.5f %.5f %.5f")
            corners = np.repeat(mesh.triangles.astype(np.int64) + first, 2, axis=1)
            np.savetxt(file, corners, "f %d//%d %d//%d %d//%d")
            first += len(mesh.vertices)


class _Arrays:
    """The binary chunk of a glTF file, and its description: buffer views and accessors."""

    def __init__(self) -> None:
        self.data = b""
        self.views: list[dict[str, Any]] = []
        self.accessors: list[dict[str, Any]] = []

    def add_vectors(self, array: NDArray[np.float32], **entries: Any) -> int:
        """Add an array of shape (n, 3); returns the index of its accessor."""
        return self._add(array.astype("<f4"), _VERTICES, "VEC3", _FLOAT, len(array), **entries)

    def add_indices(self, array: NDArray[np.uint32]) -> int:
        """Add an array of any shape; returns the index of its accessor."""
        return self._add(array.astype("<u4"), _INDICES, "SCALAR", _UNSIGNED, array.size)

    def _add(self, array: NDArray[Any], target: int, kind: str, component: int, count: int, **entries: Any) -> int:
        view = {"buffer": 0, "byteOffset": len(self.data), "byteLength": array.nbytes, "target": target}
        accessor = {"bufferView": len(self.views), "componentType": component, "count": count, "type": kind}
        self.data += array.tobytes()
        self.views.append(view)
        self.accessors.append(accessor | entries)
        return len(self.views) - 1


def _write_glb(meshes: list[Mesh], path: Path) -> None:
    """GlTF 2.0 in one binary file: a header, a JSON chunk and a binary chunk (Khronos 2021, §4.4)."""
    arrays = _Arrays()
    text = json.dumps(_content(meshes, arrays)).encode()
    text += b" " * (-len(text) % 4)
    with path.open("wb") as file:
        file.write(struct.pack("<4sII", b"glTF", 2, 28 + len(text) + len(arrays.data)))
        file.write(struct.pack("<I4s", len(text), b"JSON") + text)
        file.write(struct.pack("<I4s", len(arrays.data), b"BIN\0") + arrays.data)


def _content(meshes: list[Mesh], arrays: _Arrays) -> dict[str, Any]:
    """The JSON chunk; the arrays of the meshes are added to `arrays`."""
    return {
        "asset": {"version": "2.0", "generator": "waterview"},
        "scene": 0,
        "scenes": [{"nodes": list(range(len(meshes)))}],
        "nodes": [{"mesh": number, "name": mesh.name} for number, mesh in enumerate(meshes)],
        "meshes": [_mesh(mesh, number, arrays) for number, mesh in enumerate(meshes)],
        "materials": [_material(mesh.name) for mesh in meshes],
        "accessors": arrays.accessors,
        "bufferViews": arrays.views,
        "buffers": [{"byteLength": len(arrays.data)}],
    }


def _mesh(mesh: Mesh, material: int, arrays: _Arrays) -> dict[str, Any]:
    box = {"min": mesh.vertices.min(axis=0).tolist(), "max": mesh.vertices.max(axis=0).tolist()}
    attributes = {"POSITION": arrays.add_vectors(mesh.vertices, **box), "NORMAL": arrays.add_vectors(mesh.normals)}
    indices = arrays.add_indices(mesh.triangles)
    return {"name": mesh.name, "primitives": [{"attributes": attributes, "indices": indices, "material": material}]}


def _material(name: str) -> dict[str, Any]:
    transparent = {"alphaMode": "BLEND"} if name == "water" else {}
    return {"name": name, "pbrMetallicRoughness": _MATERIALS[name], "doubleSided": True, **transparent}
