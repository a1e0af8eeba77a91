"""Water and ground as triangle meshes: glTF (.glb) and Wavefront (.obj)."""

from __future__ import annotations

from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from waterview.core.extras import extra
from waterview.core.frame import Frame

from .atomic import write_atomically

_MATERIALS = {
    "water": {"baseColorFactor": [0.05, 0.25, 0.35, 0.8], "roughnessFactor": 0.05, "alphaMode": "BLEND"},
    "terrain": {"baseColorFactor": [0.45, 0.4, 0.3, 1.0], "roughnessFactor": 0.9},
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


def _write_glb(meshes: list[Mesh], path: Path) -> None:
    with extra("mesh", "a .glb file"):
        import trimesh
        from trimesh.visual.material import PBRMaterial

    material: Any = PBRMaterial  # trimesh declares no types for these
    visuals: Any = trimesh.visual.TextureVisuals
    scene: Any = trimesh.Scene()
    for mesh in meshes:
        looks = material(name=mesh.name, metallicFactor=0.0, doubleSided=True, **_MATERIALS[mesh.name])
        shape = trimesh.Trimesh(mesh.vertices, mesh.triangles, vertex_normals=mesh.normals, process=False)
        shape.visual = visuals(material=looks)
        scene.add_geometry(shape, node_name=mesh.name, geom_name=mesh.name)
    path.write_bytes(scene.export(file_type="glb", include_normals=True))
