"""Columns of water that bodies displace: exact shapes, and a plain twin that shoots rays."""

import math

import numpy as np
import pytest
from support.ponds import Pond, one_body

from waterview.bodies.flotation import wet_volume
from waterview.bodies.kinds import shape_of
from waterview.bodies.records import whole_strips


def columns_of(kind, rotation, place, size=1.5, points=121):
    """The columns that a body displaces in still water, over the whole pond, and its state."""
    pond = Pond(points=points, levels=1)
    bodies, _ = one_body(pond, kind, 500.0, place[0], place[2], size, y=place[1], rotation=rotation, gravity=0.0)
    bodies.step(pond, 1e-9)
    state, field = bodies.state(), np.zeros(pond.grid.shape)
    row, column, rows, width = state["records"]["columns"][0]
    start, stride = state["records"]["pool_start"][0], whole_strips(width)
    columns = state["pool"][start : start + rows * stride].reshape(rows, stride)
    assert not columns[:, width:].any(), "what fills the last strip would be added to the water"
    field[row : row + rows, column : column + width] = columns[:, :width]
    return pond, field, bodies.states()[0]


@pytest.mark.parametrize("height", [-0.5, 0.0, 0.3])
def test_those_of_a_sphere(height):
    pond, field, _ = columns_of("sphere", (1, 0, 0, 0), (0.013, height, -0.027))
    x, z = pond.grid.x[None] - 0.013, pond.grid.z[:, None] + 0.027
    half = np.sqrt(np.maximum(0.75**2 - x * x - z * z, 0.0))
    expected = np.maximum(np.minimum(height + half, 0.0) - (height - half), 0.0)
    np.testing.assert_allclose(field, expected, atol=1e-6)


def rays(kind, state, pond):
    """The same for a mesh, by shooting a ray up through every point: sum of what lies between hits and below 0."""
    shape = shape_of(kind)
    corners = shape.vertices * state.scale @ state.rotation.T + state.position
    a, b, c = (corners[shape.faces[:, k]] for k in range(3))
    field = np.zeros(pond.grid.shape)
    for i, z in enumerate(pond.grid.z):
        for j, x in enumerate(pond.grid.x):
            if math.hypot(x - state.position[0], z - state.position[2]) > 1.6:
                continue
            w0 = (b[:, 0] - x) * (c[:, 2] - z) - (b[:, 2] - z) * (c[:, 0] - x)
            w1 = (c[:, 0] - x) * (a[:, 2] - z) - (c[:, 2] - z) * (a[:, 0] - x)
            w2 = (a[:, 0] - x) * (b[:, 2] - z) - (a[:, 2] - z) * (b[:, 0] - x)
            hit = ((w0 > 0) & (w1 > 0) & (w2 > 0)) | ((w0 < 0) & (w1 < 0) & (w2 < 0))
            area = (w0 + w1 + w2)[hit]
            y = (w0[hit] * a[hit, 1] + w1[hit] * b[hit, 1] + w2[hit] * c[hit, 1]) / area
            field[i, j] = (np.minimum(y, 0.0) * -np.sign(area)).sum()
    return field


@pytest.mark.parametrize("kind", ["box", "duck", "boat"])
@pytest.mark.parametrize("rotation", [(1.0, 0.31, 0.17, -0.23), (0.12, 1.0, 0.53, 0.21)])
@pytest.mark.slow
def test_those_of_a_mesh_are_what_rays_find(kind, rotation):
    pond, field, state = columns_of(kind, rotation, (0.0131, 0.0517, -0.0273))
    np.testing.assert_allclose(field, rays(kind, state, pond), atol=2e-6)


@pytest.mark.parametrize("kind", ["box", "duck", "boat"])
@pytest.mark.parametrize("rotation", [(1, 0, 0, 0), (1, 0, 0.2, 0), (1, 0.3, 0.2, -0.1), (0, 1, 0, 0), (1, 0, 1, 0)])
def test_no_column_is_lost_or_counted_twice_at_an_edge(kind, rotation):
    """Bodies that lie exactly on grid lines, where a point may lie on an edge or a corner of several faces."""
    pond, field, state = columns_of(kind, rotation, (0.0, 0.05, 0.0), points=241)
    shape = shape_of(kind)
    corners = shape.vertices * state.scale @ state.rotation.T + state.position
    volume = wet_volume(corners, shape.faces, 0.0)
    assert field.sum() * pond.grid.spacing**2 == pytest.approx(volume, rel=0.08)
    assert field.max() <= np.ptp(corners[:, 1]) + 1e-6
    # A lost face would leave a column that is far from its neighbours' in the middle of the body.
    inside = (field[1:-1, :-2] > 0) & (field[1:-1, 2:] > 0) & (field[:-2, 1:-1] > 0) & (field[2:, 1:-1] > 0)
    assert (field[1:-1, 1:-1][inside] > 0.0).all()
