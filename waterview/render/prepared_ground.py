"""What the renderer needs of new ground, worked out from arrays alone: on any thread, before the ground is drawn."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from waterview.core.frame import Frame
from waterview.render.camera.bounds import Bounds
from waterview.render.ground.free_space import free_space
from waterview.render.ground.ground_maps import FLAT, steep_slope, wildness
from waterview.render.ground.ground_mesh import Mesh, ground_meshes
from waterview.render.water.lod import LevelsOfDetail
from waterview.render.water.water_mesh import wet_squares

from .quality import TIERS


@dataclass(frozen=True, eq=False)
class PreparedGround:
    """What follows from the ground of a frame alone.

    Attributes:
        bounds: of the scene.
        wildness, steep: as the functions of these names.
        free: as `free_space`.
        meshes: as `ground_mesh`, by the largest number of vertices.
        fixed: points that are dry at first.
        wet: squares of the water's mesh with these points, as `wet_squares`.
    """

    bounds: Bounds
    wildness: float
    steep: float
    free: NDArray[np.float32]
    meshes: Mapping[int, Mesh]
    fixed: NDArray[np.bool_]
    wet: list[NDArray[np.bool_]]

    @property
    def nbytes(self) -> int:
        """Memory that it takes beside the ground [bytes]."""
        meshes = (array for mesh in self.meshes.values() for array in mesh)
        return sum(array.nbytes for array in (self.free, *meshes, *self.wet))

    def moved(self, offset: NDArray[np.float64]) -> PreparedGround | None:
        """The same for ground that was moved by −`offset` [m], shape (3,); None if heights have changed."""
        if offset[1] != 0.0:
            return None
        low, high = (tuple((np.array(corner) - offset).tolist()) for corner in (self.bounds.low, self.bounds.high))
        shift = offset.astype(np.float32)
        meshes = {most: (points - shift, triangles) for most, (points, triangles) in self.meshes.items()}
        return replace(self, bounds=replace(self.bounds, low=low, high=high), meshes=meshes)


def prepare_ground(frame: Frame, points: Iterable[int] = ()) -> PreparedGround:
    """Work out what new ground needs before it is drawn.

    Args:
        frame: its heights are not looked at.
        points: largest numbers of vertices of the meshes that may be drawn; those of all levels of detail by default.
    """
    bounds = Bounds.of(frame)
    wanted = tuple(points) or tuple(tier.ground_points for tier in TIERS.values())
    return PreparedGround(
        bounds,
        wildness(frame),
        steep_slope(frame),
        free_space(frame.bed, frame.grid.spacing, FLAT * bounds.depth),
        ground_meshes(frame, bounds, wanted),
        frame.fixed,
        wet_squares(frame.fixed, LevelsOfDetail.over(frame.grid)),
    )
