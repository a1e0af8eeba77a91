"""Bodies from triangle meshes: those that come with the program, and the user's own."""

from __future__ import annotations

import hashlib
import tomllib
from functools import cache, lru_cache
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from waterview.bodies.kernels.records import MESH
from waterview.core.body import MOST_FACES, BodyMesh, Mesh, check_body_mesh
from waterview.core.errors import InputError
from waterview.core.files import data_path

from .mending import joined
from .shapes import Shape

Array = NDArray[np.float64]

MOST_BYTES = 64 << 20
"""Largest mesh file that is opened [bytes]."""

MOST_SPHERES = 12
"""Most collision spheres for a hull."""

MOST_FILLED = 1_000
"""Most triangles that spheres are fitted to; finer hulls are made coarser for that."""

PLACES_ACROSS = 15
"""Places tried along the longest side of a hull."""

GREY = (168, 168, 172)

OWN_DENSITY = 500.0
"""Usual density of bodies from files [kg/m³]."""


@cache
def bundled() -> dict[str, dict[str, Any]]:
    """What assets/bodies/bodies.toml says of each mesh that comes with the program, by name."""
    return tomllib.loads((data_path("assets") / "bodies" / "bodies.toml").read_text(encoding="utf-8"))


@cache
def bundled_shape(kind: str) -> Shape:
    """The shape of a mesh that comes with the program; `kind` is a key of `bundled`."""
    folder, facts = data_path("assets") / "bodies", bundled()[kind]
    return mesh_shape(
        folder / f"{kind}.hull.ply",
        kind=kind,
        looks=folder / f"{kind}.ply",
        density=facts["density"],
        ballast=facts["ballast"],
        at=tuple(facts["at"]),
    )


def mesh_shape(
    path: str | Path,
    *,
    kind: str | None = None,
    looks: str | Path | None = None,
    density: float = OWN_DENSITY,
    ballast: float = 0.0,
    at: tuple[float, float, float] = (0.0, 0.0, 0.0),
) -> Shape:
    """A body from a mesh file: PLY, OBJ, STL, GLB and whatever else trimesh reads. y is up.

    Args:
        path: a closed surface of at most `MOST_FACES` triangles; its longest side becomes 1.
        kind: what to call it; else the file's name.
        looks: another file in the same coordinates to draw instead, which may be open.
        density: usual density [kg/m³].
        ballast: share of the mass that sits in one place, 0 to 1; the rest fills the surface evenly.
        at: that place, in the file's coordinates.

    Raises:
        InputError: a file cannot be read, or the surface is not closed, turned inside out or too fine.
    """
    hull = _read(Path(path))
    hull.merge_vertices(merge_norm=True, merge_tex=True)
    if len(hull.faces) > MOST_FACES:
        raise InputError(f"{path} has {len(hull.faces)} triangles: allowed are {MOST_FACES}; simplify it first")
    seen = hull if looks is None else _read(Path(looks))
    drawn = np.asarray(seen.vertices, np.float64), np.asarray(seen.faces), _colours(seen)
    return _shape(kind or Path(path).stem, str(path), hull, drawn, density, ballast, at)


def own_shape(kind: str, mesh: BodyMesh) -> Shape:
    """A body of one's own called `kind`: the same object for the same mesh, as long as few others were made.

    Raises:
        ParameterError: the mesh is none.
        InputError: its surface is not closed.
    """
    check_body_mesh(mesh)
    return _own_shape(kind, _Content(mesh))


class _Content:
    """A mesh, equal to every other of the same numbers."""

    def __init__(self, mesh: BodyMesh) -> None:
        self.mesh = mesh
        self._digest = hashlib.sha256(b"".join(repr(a.shape).encode() + a.tobytes() for a in mesh)).digest()

    def __hash__(self) -> int:
        return hash(self._digest)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _Content) and other._digest == self._digest


@lru_cache(maxsize=32)
def _own_shape(kind: str, content: _Content) -> Shape:
    import trimesh

    vertices, faces, seen, seen_faces, colours = content.mesh
    hull = trimesh.Trimesh(vertices.astype(np.float64), faces.astype(np.int64), process=False)
    drawn = seen.astype(np.float64), seen_faces.astype(np.int64), colours
    return _shape(kind, kind, hull, drawn, OWN_DENSITY, mesh=content.mesh)


def _shape(
    kind: str,
    where: str,
    hull: Any,
    drawn: tuple[Array, NDArray[np.int64], NDArray[np.uint8]],
    density: float,
    ballast: float = 0.0,
    at: tuple[float, float, float] = (0.0, 0.0, 0.0),
    mesh: BodyMesh | None = None,
) -> Shape:
    """The shape of a hull, a trimesh.Trimesh; `where` it is from, and vertices, faces and colours that are drawn."""
    if not (hull.is_watertight and hull.is_winding_consistent and hull.volume > 0.0):
        raise InputError(f"{where}: a body needs a closed surface whose faces look outwards; close its holes first")
    size = 1.0 / float(hull.extents.max())
    centre = (1.0 - ballast) * hull.center_mass + ballast * np.asarray(at)
    moments = (1.0 - ballast) * _uniform_moments(hull, centre) + ballast * np.outer(at - centre, at - centre)
    vertices = np.ascontiguousarray((hull.vertices - centre) * size, np.float64)
    faces = np.ascontiguousarray(hull.faces, np.int64)
    return Shape(
        kind=kind,
        geometry=MESH,
        density=density,
        visual_mesh=_drawn(*drawn, centre, size),
        vertices=vertices,
        faces=faces,
        volume=float(hull.volume) * size**3,
        second_moments=moments * size**2,
        collision_spheres=np.ascontiguousarray(fill_with_spheres(*joined(vertices, faces, MOST_FILLED))),
        mesh=mesh,
    )


def _read(path: Path) -> Any:
    """The triangles of a file as a trimesh.Trimesh."""
    import trimesh

    if not path.is_file():
        raise InputError(f"{path}: no such file; give a mesh such as PLY, OBJ or STL")
    if path.stat().st_size > MOST_BYTES:
        raise InputError(
            f"{path} has {path.stat().st_size >> 20} MiB: allowed are {MOST_BYTES >> 20}; simplify it first"
        )
    try:
        mesh = trimesh.load_mesh(path, process=False)
    except Exception as error:  # trimesh lets its readers' own errors through, of any kind
        raise InputError(f"{path}: not a mesh that can be read ({type(error).__name__}: {error})") from error
    if not isinstance(mesh, trimesh.Trimesh) or len(mesh.faces) == 0 or not np.isfinite(mesh.vertices).all():
        raise InputError(f"{path} has no triangles with finite corners: give a mesh of triangles")
    return mesh


def _uniform_moments(hull: Any, centre: Array) -> Array:
    """Mean of (x − centre)(x − centre)ᵀ over the inside of a closed surface."""
    inertia = np.asarray(hull.moment_inertia, np.float64) / float(hull.volume)
    away = hull.center_mass - centre
    return np.asarray(0.5 * np.trace(inertia) * np.eye(3) - inertia + np.outer(away, away), np.float64)


def _colours(mesh: Any) -> NDArray[np.uint8]:
    """SRGB of the vertices of a trimesh.Trimesh, shape (n, 3); grey where it has no colours of vertices."""
    if mesh.visual.kind == "vertex":
        return np.ascontiguousarray(mesh.visual.vertex_colors, np.uint8)[:, :3]
    return np.broadcast_to(np.array(GREY, np.uint8), mesh.vertices.shape)


def _drawn(vertices: Array, faces: NDArray[np.int64], colours: NDArray[np.uint8], centre: Array, size: float) -> Mesh:
    """What is drawn; normals are means over the faces of a vertex, so faces that share none meet in an edge."""
    a, b, c = (vertices[faces[:, k]] for k in range(3))
    normals = np.zeros_like(vertices)
    for k in range(3):
        np.add.at(normals, faces[:, k], np.cross(b - a, c - a))
    lengths = np.linalg.norm(normals, axis=1, keepdims=True)
    normals = np.where(lengths > 0.0, normals / np.maximum(lengths, 1e-300), (0.0, 1.0, 0.0))
    return Mesh(
        ((vertices - centre) * size).astype(np.float32),
        normals.astype(np.float32),
        faces.astype(np.uint32),
        np.ascontiguousarray(colours),
    )


# --- collision spheres


def fill_with_spheres(vertices: Array, faces: NDArray[np.int64]) -> Array:
    """Spheres that fill most of the inside of a closed surface, shape (p, 4): centre and radius; at least one.

    They are chosen one by one from a grid of places inside. Next comes the place whose largest sphere covers most
    places that no sphere covers yet.

    Args:
        vertices: shape (n, 3).
        faces: counter-clockwise from outside, shape (m, 3).
    """
    low, high = vertices.min(axis=0), vertices.max(axis=0)
    step = (high - low).max() / PLACES_ACROSS
    counts = np.maximum(((high - low) / step).astype(int), 1)
    axes = [0.5 * (a + b) + step * (np.arange(n) - 0.5 * (n - 1)) for a, b, n in zip(low, high, counts, strict=True)]
    places = np.stack(np.meshgrid(*axes, indexing="ij"), axis=-1).reshape(-1, 3)
    places = places[winding(places, vertices, faces) > 0.5]
    if len(places) == 0:
        places = vertices.mean(axis=0)[None]
    radii = np.linalg.norm(places[:, None] - surface_points(vertices, faces, step)[None], axis=-1).min(axis=1)
    covers = np.linalg.norm(places[:, None] - places[None], axis=-1) < radii[:, None]
    chosen: list[int] = []
    left = np.ones(len(places), bool)
    while len(chosen) < MOST_SPHERES and (left.any() or not chosen):
        best = int(np.argmax(np.count_nonzero(covers & left, axis=1)))
        if chosen and not (covers[best] & left).any():
            break
        chosen.append(best)
        left &= ~covers[best]
    return np.concatenate((places[chosen], radii[chosen, None]), axis=1)


def winding(points: Array, vertices: Array, faces: NDArray[np.int64]) -> Array:
    """How often a closed surface goes around each point: 1 inside, 0 outside (van Oosterom and Strackee 1983)."""
    a, b, c = (vertices[faces[:, k]][None] - points[:, None] for k in range(3))
    la, lb, lc = (np.linalg.norm(side, axis=-1) for side in (a, b, c))
    volume = np.einsum("ijk,ijk->ij", a, np.cross(b, c))
    spread = la * lb * lc + np.einsum("ijk,ijk->ij", a, b) * lc
    spread += np.einsum("ijk,ijk->ij", b, c) * la + np.einsum("ijk,ijk->ij", c, a) * lb
    return np.asarray(np.arctan2(volume, spread).sum(axis=1) / (2.0 * np.pi), np.float64)


def surface_points(vertices: Array, faces: NDArray[np.int64], spacing: float) -> Array:
    """Points on the triangles, no more than about `spacing` apart."""
    longest = np.linalg.norm(vertices[faces] - vertices[np.roll(faces, 1, axis=1)], axis=-1).max()
    cuts = int(np.clip(np.ceil(longest / spacing), 1, 12))
    u, v = (field.ravel() / cuts for field in np.meshgrid(np.arange(cuts + 1), np.arange(cuts + 1)))
    u, v = u[u + v <= 1.0 + 1e-9], v[u + v <= 1.0 + 1e-9]
    weights = np.stack((1.0 - u - v, u, v), axis=1)
    return np.unique((weights @ vertices[faces]).reshape(-1, 3).round(6), axis=0)
