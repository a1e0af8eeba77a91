"""Water and ground as triangle meshes: glTF (.glb), Wavefront (.obj), Stanford (.ply) and STL (.stl)."""

from __future__ import annotations

from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from waterview.core.frame import Frame

from .atomic import write_atomically

_MATERIALS: dict[str, dict[str, Any]] = {
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
    """Write water and ground as .glb, .obj, .ply or .stl, by the ending of `path`; an existing file is replaced.

    The last two hold one mesh: in .ply its vertices have the colours of water and ground, in .stl z is up, as programs
    for construction and printing have it.

    Raises:
        InputError: the place cannot be written to.
    """
    meshes = [mesh for mesh in meshes_of(frame) if len(mesh.triangles)]
    write_atomically(path, "mesh", lambda place: _WRITERS[path.suffix](meshes, place))


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
    trimesh = _trimesh()
    scene = trimesh.Scene()
    for mesh, shape in zip(meshes, _shapes(meshes), strict=True):
        material = trimesh.visual.material.PBRMaterial(
            name=mesh.name, metallicFactor=0.0, doubleSided=True, **_MATERIALS[mesh.name]
        )
        shape.visual = trimesh.visual.TextureVisuals(material=material)
        scene.add_geometry(shape, node_name=mesh.name, geom_name=mesh.name)
    path.write_bytes(scene.export(file_type="glb", include_normals=True))


def _write_ply(meshes: list[Mesh], path: Path) -> None:
    shapes = _shapes(meshes)
    for mesh, shape in zip(meshes, shapes, strict=True):
        *light, opacity = _MATERIALS[mesh.name]["baseColorFactor"]
        colour = np.round(255.0 * np.array([*np.power(light, 1.0 / 2.2), opacity]))  # glTF counts light, files colours
        shape.visual.vertex_colors = np.tile(colour.astype(np.uint8), (len(mesh.vertices), 1))
    whole = _trimesh().util.concatenate(shapes)
    path.write_bytes(whole.export(file_type="ply", vertex_normal=True))


def _write_stl(meshes: list[Mesh], path: Path) -> None:
    whole = _trimesh().util.concatenate(_shapes(meshes))
    whole.vertices = whole.vertices[:, (0, 2, 1)] * (1.0, -1.0, 1.0)
    path.write_bytes(whole.export(file_type="stl"))


_WRITERS = {".glb": _write_glb, ".obj": _write_obj, ".ply": _write_ply, ".stl": _write_stl}


def _shapes(meshes: list[Mesh]) -> list[Any]:
    trimesh = _trimesh()
    return [
        trimesh.Trimesh(mesh.vertices, mesh.triangles, vertex_normals=mesh.normals, process=False) for mesh in meshes
    ]


def _trimesh() -> Any:  # it declares no types for much of this
    import trimesh

    return trimesh
