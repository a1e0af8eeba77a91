"""The scene in plain colours: a first picture that is there at once, while the real one waits for its shaders."""

from __future__ import annotations

import moderngl
import numpy as np
from numpy.typing import NDArray

from waterview.core.frame import Frame
from waterview.core.grid import Grid
from waterview.render.camera.bounds import Bounds
from waterview.render.camera.camera import OrbitCamera
from waterview.render.gl.shaders import Shader
from waterview.render.gl.targets import free
from waterview.render.ground.mesh import even_shape, wall_strip

SIDE = 128
"""Largest number of points along a side of the preview; software OpenGL takes half a microsecond for each."""

BACKGROUND = (0.35, 0.41, 0.43)
_GROUND = np.array(((0.80, 0.74, 0.63), (0.38, 0.46, 0.20), (0.30, 0.35, 0.16), (0.46, 0.45, 0.43), (0.90, 0.92, 0.95)))
_HEIGHTS = (0.0, 0.08, 0.4, 0.65, 0.9)  # where these colours are, as shares of the highest land
_WATER = np.array(((0.76, 0.72, 0.60), (0.22, 0.58, 0.63), (0.10, 0.45, 0.58), (0.08, 0.36, 0.50)))
_DEPTHS = (0.02, 0.15, 0.7, 3.0)  # where these colours are, as shares of the mean depth
_SIDE, _WET_SIDE = (0.24, 0.20, 0.18), (0.03, 0.10, 0.28)
_SUN = np.array((-0.5, 0.7, -0.5))

Floats = NDArray[np.float64]


class ScenePreview:
    """Draws still water and ground without light or waves."""

    def __init__(self, ctx: moderngl.Context) -> None:
        self._ctx = ctx
        self._shader = Shader(ctx, "preview")

    def draw(self, frame: Frame, camera: OrbitCamera, size: tuple[int, int], target: moderngl.Framebuffer) -> None:
        """Draw `frame`, seen by `camera`, into the lower left `size` [pixels] of `target`."""
        target.use()
        self._ctx.viewport = (0, 0, *size)
        target.clear(*BACKGROUND, depth=1.0)
        self._ctx.enable_only(moderngl.DEPTH_TEST)
        self._ctx.depth_func = "<"
        matrix = camera.projection(size[0] / size[1]) @ camera.view()
        self._shader.program["view_projection"].write(matrix.T.astype(np.float32).tobytes())  # type: ignore[union-attr]
        points, triangles = _mesh(frame)
        buffers = self._ctx.buffer(points.tobytes()), self._ctx.buffer(triangles.tobytes())
        layout = [(buffers[0], "3f 3f", "in_place", "in_colour")]
        vao = self._ctx.vertex_array(self._shader.program, layout, buffers[1])
        vao.render(moderngl.TRIANGLES)
        free(vao, *buffers)
        self._ctx.enable_only(moderngl.NOTHING)

    def release(self) -> None:
        """Free everything."""
        self._shader.release()


def _mesh(frame: Frame) -> tuple[NDArray[np.float32], NDArray[np.uint32]]:
    """Points with position and colour, shape (n, 6), and triangles, shape (m, 3)."""
    grid, bounds = frame.grid, Bounds.of(frame)
    rows, columns = (
        np.linspace(0, n - 1, count).round().astype(int)
        for n, count in zip(grid.shape, even_shape(grid, SIDE), strict=True)
    )
    bed, fixed = frame.bed[np.ix_(rows, columns)].astype(np.float64), frame.fixed[np.ix_(rows, columns)]
    x, z = np.meshgrid(grid.x[columns], grid.z[rows])
    colours = _colours(bed, fixed, bounds, grid.x[columns], grid.z[rows])
    top = np.stack((x, np.where(fixed, bed, grid.level), z, *colours), axis=-1)
    points, triangles = [top.reshape(-1, 6)], [Grid(bed.shape, 1.0).triangles()]
    for edge in (np.s_[0, :], np.s_[-1, :], np.s_[:, 0], np.s_[:, -1]):
        for high, low, colour in ((top[edge][:, 1], bed[edge], _WET_SIDE), (bed[edge], bounds.base, _SIDE)):
            triangles.append(wall_strip(len(bed[edge]), sum(map(len, points))))
            wall = np.repeat(top[edge][None], 2, axis=0)  # its upper points, then its lower ones
            wall[0, :, 1], wall[1, :, 1], wall[..., 3:] = high, low, colour
            points.append(wall.reshape(-1, 6))
    return np.concatenate(points).astype(np.float32), np.concatenate(triangles)


def _colours(bed: Floats, fixed: NDArray[np.bool_], bounds: Bounds, x: Floats, z: Floats) -> Floats:
    """Red, green and blue of every point, shape (3, nz, nx)."""
    relief = max(bounds.high[1] - bounds.level, 1e-9)
    along_z, along_x = np.gradient(bed, z, x)
    light = (_SUN[1] - _SUN[0] * along_x - _SUN[2] * along_z) / np.sqrt(1.0 + along_x**2 + along_z**2)
    light = np.clip(0.55 + 0.6 * light, 0.35, 1.15)
    land = [light * np.interp((bed - bounds.level) / relief, _HEIGHTS, channel) for channel in _GROUND.T]
    water = [np.interp((bounds.level - bed) / bounds.depth, _DEPTHS, channel) for channel in _WATER.T]
    return np.where(fixed, land, water)
