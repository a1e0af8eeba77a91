"""Scenes far from the world's origin look like those near it."""

from dataclasses import replace

import numpy as np
import pytest
from support.pictures import floating
from support.scenes import make_frame

from waterview.core.grid import Grid
from waterview.render.camera.camera import OrbitCamera
from waterview.render.camera.near_origin import FAR, NearOrigin, far_offset

SIZE = (160, 90)
UTM = (500_000.0, 0.0, 5_000_000.0)
HIGH = (0.0, 9_000.0, 0.0)


def moved(frame, offset):
    """The same scene elsewhere."""
    grid = replace(frame.grid, origin=tuple(np.add(frame.grid.origin, offset).tolist()))
    bodies = tuple(replace(body, position=body.position + offset) for body in frame.bodies)
    bed = frame.bed if offset[1] == 0.0 else (frame.bed.astype(np.float64) + offset[1]).astype(np.float32)
    return replace(frame, grid=grid, bed=bed, bodies=bodies)


@pytest.mark.slow
@pytest.mark.parametrize("place", [UTM, HIGH])
def test_a_scene_looks_the_same_far_away(drawing, island, place):
    draw = drawing(SIZE, quality="medium", auto_exposure=False)
    here = replace(island, bodies=(replace(floating(), scale=np.full(3, 6.0)),))
    there = moved(here, place)
    pictures = [draw(frame, OrbitCamera.framing(frame)) for frame in (here, there)]
    # Heights in single precision are a millimetre apart nine kilometres up.
    assert np.abs(pictures[0] - pictures[1]).mean() < 0.3


def test_what_lies_near_stays_as_it_is():
    frame = make_frame()
    camera = OrbitCamera.framing(frame)
    assert NearOrigin().move(frame, camera) == (frame, camera)
    size = max(frame.grid.size)
    origin = 0.9 * FAR * size, -0.9 * FAR * size, 0.0
    assert not far_offset(Grid(frame.grid.shape, frame.grid.spacing, origin)).any()


@pytest.mark.parametrize(("away", "moves"), [(15e3, False), (20e3, True)])
def test_a_large_scene_moves_where_numbers_are_as_far_apart_as_the_finest_grain_is_wide(away, moves):
    assert far_offset(Grid((41, 61), 40.0, (away - 1200.0, 0.0, 0.0))).any() == moves


def test_the_eye_moves_with_the_scene_and_nothing_is_made_anew():
    frames = [moved(make_frame(serial=serial), np.add(UTM, HIGH)) for serial in (1, 2)]
    frames[1] = replace(frames[1], bed=frames[0].bed)
    camera, near = OrbitCamera.framing(frames[0]), NearOrigin()
    first, seen = near.move(frames[0], camera)
    assert near.move(frames[0], camera)[0] is first
    assert near.move(frames[1], camera)[0].bed is first.bed
    np.testing.assert_allclose(camera.eye - seen.eye, far_offset(frames[0].grid), atol=1e-6)
    np.testing.assert_allclose(camera.near_far(), seen.near_far(), rtol=1e-6)
    assert abs(first.grid.level) < 1e-6
    assert first.bed.max() == -2.0
