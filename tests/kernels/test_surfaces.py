"""Published surfaces: always as the field is, never changed under anyone's hands, and written only where it moved."""

import gc

import numpy as np
import pytest

from waterview.kernels.awake import AwakeTiles, tiles_of
from waterview.kernels.layout import TwoLevels
from waterview.kernels.slopes import slopes, write
from waterview.kernels.surfaces import SPARE, Surfaces
from waterview.kernels.vectors import PLAIN, WIDTHS
from waterview.kernels.wave import advance, free_points

SHAPE = (100, 333)
SPACING = 0.5


class Sea:
    """A field that is stepped with sleeping tiles, and its surfaces."""

    def __init__(self, shape=SHAPE):
        self.field, self.tiles = TwoLevels(shape), AwakeTiles(shape)
        self.surfaces = Surfaces(shape, SPACING, self.tiles)
        self.free = free_points(np.zeros(shape, bool))

    def drop(self, row, column):
        for level in (self.field.heights, self.field.heights_before):
            level[row : row + 3, column : column + 3] += 1.0
        self.tiles.wake(slice(row, row + 3), slice(column, column + 3))

    def step(self, steps=5):
        rules = {"stencil": "isotropic", "border": "reflecting", "kappa": 0.02, "courant": 0.6}
        advance(self.field, self.free, **rules, steps=steps, tiles=self.tiles)

    def copy(self):
        return self.surfaces.copy(self.field)


def assert_like(field, surface):
    np.testing.assert_array_equal(surface[0], field.heights)
    np.testing.assert_array_equal(surface[1], slopes(field, SPACING))


def test_they_are_as_the_field_is_whatever_happens_to_it():
    sea, rng = Sea(), np.random.default_rng(0)
    held = []
    for k in range(60):
        if k % 7 == 0:
            sea.drop(int(rng.integers(SHAPE[0] - 3)), int(rng.integers(SHAPE[1] - 3)))
        if k % 3:
            sea.step(int(rng.integers(1, 30)))
        surface = sea.copy()
        assert_like(sea.field, surface)
        held = [*held, surface][-int(rng.integers(1, 4)) :]
        del surface


def test_what_somebody_holds_does_not_change():
    sea = Sea()
    sea.drop(50, 100)
    kept = []
    for _ in range(6):
        sea.step()
        heights, normals = sea.copy()
        part = normals[10:20, ::2, 0]  # a part of it counts as well
        kept.append((heights, heights.copy(), part, part.copy()))
        del normals
    for heights, then, part, part_then in kept:
        np.testing.assert_array_equal(heights, then)
        np.testing.assert_array_equal(part, part_then)


def test_memory_that_nobody_holds_is_used_again():
    sea = Sea()
    sea.drop(50, 100)
    places = set()
    for _ in range(12):
        sea.step()
        heights, _ = sea.copy()
        places.add(heights.ctypes.data)
        del heights, _
    assert len(places) <= SPARE


def test_memory_that_was_held_for_a_while_is_given_back():
    sea = Sea()
    sea.drop(50, 100)
    held = []
    for _ in range(9):
        sea.step()
        held.append(sea.copy())
    held.clear()
    gc.collect()
    for _ in range(3):
        sea.step()
        sea.copy()
    assert len(sea.surfaces._copies) <= SPARE + 1


def test_water_at_rest_is_not_written_again():
    sea = Sea()
    sea.step()
    first = sea.copy()
    sea.step()
    second = sea.copy()
    assert first[0].ctypes.data == second[0].ctypes.data
    assert first[0] is not second[0]


def test_only_what_has_moved_is_written():
    """Marks left in the memory of a surface stay where the water sleeps, and go where it moves."""
    sea = Sea()
    sea.drop(50, 20)
    sea.step()
    heights, normals = sea.copy()
    heights[50, 21] = heights[50, 300] = 7.0
    del heights, normals
    sea.step()
    heights, _ = sea.copy()
    assert heights[50, 300] == 7.0
    assert heights[50, 21] == sea.field.heights[50, 21]


def test_slopes_are_mended_whenever_they_were_written():
    sea, mended = Sea(), []

    def mend(normals, heights):
        mended.append((normals.shape, heights.shape))

    sea.drop(50, 20)
    for _ in range(2):
        sea.step()
        sea.surfaces.copy(sea.field, mend)
        sea.surfaces.copy(sea.field, mend)
    assert mended == [((*SHAPE, 2), SHAPE)] * 2


@pytest.mark.parametrize("lanes", [*WIDTHS, PLAIN])
@pytest.mark.parametrize("shape", [(5, 16), (20, 65), (33, 130), (3, 17), (40, 8)])
def test_vectors_of_every_length_write_the_same_bits(lanes, shape):
    field = TwoLevels(shape)
    field.heights[...] = np.random.default_rng(1).standard_normal(shape)
    heights, normals = np.full(shape, 9.0, np.float32), np.full((*shape, 2), 9.0, np.float16)
    write(field, SPACING, normals, heights, np.ones(tiles_of(shape), bool), lanes=lanes)
    assert_like(field, (heights, normals))


def test_large_surfaces_are_written_past_the_caches_to_the_same_bits():
    shape = (1025, 2048)
    field = TwoLevels(shape)
    field.heights[...] = np.random.default_rng(2).standard_normal(shape, np.float32)
    sea = Surfaces(shape, SPACING, AwakeTiles(shape))
    heights, normals = sea.copy(field)
    np.testing.assert_array_equal(heights, field.heights)
    along_z, along_x = np.gradient(field.heights, SPACING)
    np.testing.assert_allclose(normals[..., 0], -along_x, rtol=6e-4, atol=1e-5)
    np.testing.assert_allclose(normals[..., 1], -along_z, rtol=6e-4, atol=1e-5)
