"""The surface and the ground as triangles for other programs: glTF (.glb) and Wavefront (.obj)."""

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


class Part(NamedTuple):
    """Triangles of one kind.

    Attributes:
        name: "water" or "terrain".
        places: world places of the vertices [m], y up, shape (n, 3) float32.
        normals: unit normals, shape (n, 3) float32.
        triangles: vertex numbers, shape (m, 3) uint32, counter-clockwise seen from above.
    """

    name: str
    places: NDArray[np.float32]
    normals: NDArray[np.float32]
    triangles: NDArray[np.uint32]


def parts_of(frame: Frame) -> list[Part]:
    """The water, without its dry points, and the ground under it and around it."""
    grid = frame.grid
    water = _places(frame, grid.level + frame.heights)
    if frame.shift is not None:
        water[..., ::2] += frame.shift
    dz, dx = np.gradient(frame.bed.astype(np.float64), grid.spacing)
    slopes = np.stack((-dx, -dz), axis=-1)
    return [
        _used(Part("water", water.reshape(-1, 3), _normals(frame.normals), grid.triangles(frame.fixed))),
        Part("terrain", _places(frame, frame.bed).reshape(-1, 3), _normals(slopes), grid.triangles()),
    ]


def _places(frame: Frame, heights: NDArray[np.floating]) -> NDArray[np.float32]:
    flat = frame.grid.positions()
    return np.stack((flat[..., 0], heights, flat[..., 1]), axis=-1).astype(np.float32)


def _normals(slopes: NDArray[np.floating]) -> NDArray[np.float32]:
    x, z = slopes[..., 0].ravel().astype(np.float64), slopes[..., 1].ravel().astype(np.float64)
    normals = np.stack((x, np.ones_like(x), z), axis=-1)
    return np.asarray(normals / np.linalg.norm(normals, axis=-1, keepdims=True), np.float32)


def _used(part: Part) -> Part:
    """The part without vertices that no triangle has."""
    used, numbers = np.unique(part.triangles, return_inverse=True)
    triangles = numbers.reshape(-1, 3).astype(np.uint32)
    return Part(part.name, part.places[used], part.normals[used], triangles)


def save_mesh(frame: Frame, path: Path) -> None:
    """Write water and ground as .glb or .obj; a file of that name is replaced.

    Raises:
        InputError: the place cannot be written to.
    """
    parts = [part for part in parts_of(frame) if len(part.triangles)]
    write = _write_glb if path.suffix == ".glb" else _write_obj
    write_atomically(path, "mesh", lambda place: write(parts, place))


def _write_obj(parts: list[Part], path: Path) -> None:
    first = 1
    with path.open("w", encoding="ascii") as file:
        file.write("# waterview: metres, y up\n")
        for part in parts:
            file.write(f"o {part.name}\n")
            np.savetxt(file, part.places, "v %.7g %.7g %.7g")
            np.savetxt(file, part.normals, "vn %.5f %.5f %.5f")
            corners = np.repeat(part.triangles.astype(np.int64) + first, 2, axis=1)
            np.savetxt(file, corners, "f %d//%d %d//%d %d//%d")
            first += len(part.places)


class _Arrays:
    """The chunk of arrays of a glTF file, and what its chunk of JSON says of them."""

    def __init__(self) -> None:
        self.data = b""
        self.views: list[dict[str, Any]] = []
        self.accessors: list[dict[str, Any]] = []

    def add_vectors(self, array: NDArray[np.float32], **more: Any) -> int:
        """The number that the array is known by, shape (n, 3)."""
        return self._add(array.astype("<f4"), _VERTICES, "VEC3", _FLOAT, len(array), **more)

    def add_indices(self, array: NDArray[np.uint32]) -> int:
        """Likewise, of any shape."""
        return self._add(array.astype("<u4"), _INDICES, "SCALAR", _UNSIGNED, array.size)

    def _add(self, array: NDArray[Any], target: int, kind: str, component: int, count: int, **more: Any) -> int:
        view = {"buffer": 0, "byteOffset": len(self.data), "byteLength": array.nbytes, "target": target}
        place = {"bufferView": len(self.views), "componentType": component, "count": count, "type": kind}
        self.data += array.tobytes()
        self.views.append(view)
        self.accessors.append(place | more)
        return len(self.views) - 1


def _write_glb(parts: list[Part], path: Path) -> None:
    """GlTF 2.0 in one binary file: a header, a chunk of JSON and a chunk of arrays (Khronos 2021, §4.4)."""
    arrays = _Arrays()
    text = json.dumps(_content(parts, arrays)).encode()
    text += b" " * (-len(text) % 4)
    with path.open("wb") as file:
        file.write(struct.pack("<4sII", b"glTF", 2, 28 + len(text) + len(arrays.data)))
        file.write(struct.pack("<I4s", len(text), b"JSON") + text)
        file.write(struct.pack("<I4s", len(arrays.data), b"BIN\0") + arrays.data)


def _content(parts: list[Part], arrays: _Arrays) -> dict[str, Any]:
    """What the chunk of JSON says; the parts' arrays are added to `arrays`."""
    return {
        "asset": {"version": "2.0", "generator": "waterview"},
        "scene": 0,
        "scenes": [{"nodes": list(range(len(parts)))}],
        "nodes": [{"mesh": number, "name": part.name} for number, part in enumerate(parts)],
        "meshes": [_mesh(part, number, arrays) for number, part in enumerate(parts)],
        "materials": [_material(part.name) for part in parts],
        "accessors": arrays.accessors,
        "bufferViews": arrays.views,
        "buffers": [{"byteLength": len(arrays.data)}],
    }


def _mesh(part: Part, material: int, arrays: _Arrays) -> dict[str, Any]:
    box = {"min": part.places.min(axis=0).tolist(), "max": part.places.max(axis=0).tolist()}
    attributes = {"POSITION": arrays.add_vectors(part.places, **box), "NORMAL": arrays.add_vectors(part.normals)}
    indices = arrays.add_indices(part.triangles)
    return {"name": part.name, "primitives": [{"attributes": attributes, "indices": indices, "material": material}]}


def _material(name: str) -> dict[str, Any]:
    transparent = {"alphaMode": "BLEND"} if name == "water" else {}
    return {"name": name, "pbrMetallicRoughness": _MATERIALS[name], "doubleSided": True, **transparent}
