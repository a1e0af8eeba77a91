"""Published surfaces: always as the field is, never changed under anyone's hands, and written only where it moved."""

import gc
import weakref
from itertools import product

import numpy as np
import pytest
from support.fields import PLAIN_BORDERS, advance

from waterview.simd.layout import TwoLevels
from waterview.simd.processor import WIDTHS
from waterview.waters.common import published_surface
from waterview.waters.common.active_tiles import TILE_ROWS, ActiveTiles
from waterview.waters.common.published_surface import (
    SPARE,
    PublishedSurfaces,
    ShoreSlopes,
    slopes,
    slopes_of_part,
    surface_in,
    write,
)

SHAPE = (100, 333)
SPACING = 0.5


class Sea:
    """A field that is stepped with sleeping tiles, and its surfaces."""

    def __init__(self, shape=SHAPE):
        self.field, self.tiles = TwoLevels(shape), ActiveTiles(shape)
        self.surfaces = PublishedSurfaces(shape, SPACING, self.tiles)
        self.free = np.zeros(shape, bool)

    def drop(self, row, column):
        for level in (self.field.heights, self.field.heights_before):
            level[row : row + 3, column : column + 3] += 1.0
        self.tiles.wake(slice(row, row + 3), slice(column, column + 3))

    def step(self, steps=5, border="reflecting", **ways):
        rules = {"stencil": "isotropic", "damping": 0.02, "courant": 0.6} | ways
        advance(self.field, self.free, border=border, **rules, steps=steps, tiles=self.tiles)

    def step_and_write(self, steps=5, **ways):
        """Returns the rows of tiles in which the steps have written the surface."""
        with self.surfaces.written_ahead() as surface:
            self.step(steps, surface=surface, **ways)
        return surface.fresh.copy()

    def copy(self):
        return self.surfaces.copy(self.field)


def marked_sea():
    """A sea that moves on the left, with marks left in the memory of its surface: one there, one where it sleeps."""
    sea = Sea()
    sea.drop(50, 20)
    sea.step()
    heights, normals = sea.copy()
    heights[50, 21] = heights[50, 300] = 7.0
    del heights, normals
    return sea


def assert_like(field, surface):
    assert surface[0].tobytes() == field.heights.tobytes()
    assert surface[1].tobytes() == slopes(field, SPACING).tobytes()


@pytest.mark.slow
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


def memory_of(array):
    """The array whose memory `array` is a view of."""
    return array if array.base is None else memory_of(array.base)


@pytest.mark.slow
def test_memory_that_was_held_for_a_while_is_given_back():
    sea = Sea()
    sea.drop(50, 100)
    held, memory = [], []
    for _ in range(9):
        sea.step()
        held.append(sea.copy())
        memory.append(weakref.ref(memory_of(held[-1][0])))
    held.clear()
    gc.collect()
    for _ in range(3):
        sea.step()
        sea.copy()
    gc.collect()
    assert sum(each() is not None for each in memory) <= SPARE + 1


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
    sea = marked_sea()
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


@pytest.mark.parametrize("vector_width", WIDTHS)
@pytest.mark.parametrize("shape", [(5, 16), (20, 65), (33, 130), (3, 17), (40, 8)])
def test_vectors_of_every_length_write_the_same_bits(vector_width, shape):
    field = TwoLevels(shape)
    field.heights[...] = np.random.default_rng(1).standard_normal(shape)
    heights, normals = np.full(shape, 9.0, np.float32), np.full((*shape, 2), 9.0, np.float16)
    write(field, surface_in(heights, normals, SPACING), vector_width=vector_width)
    assert_like(field, (heights, normals))


@pytest.mark.slow
def test_large_surfaces_are_written_past_the_caches_to_the_same_bits():
    shape = (1025, 2048)
    field = TwoLevels(shape)
    field.heights[...] = np.random.default_rng(2).standard_normal(shape, np.float32)
    sea = PublishedSurfaces(shape, SPACING, ActiveTiles(shape))
    heights, normals = sea.copy(field)
    np.testing.assert_array_equal(heights, field.heights)
    along_z, along_x = np.gradient(field.heights, SPACING)
    np.testing.assert_allclose(normals[..., 0], -along_x, rtol=6e-4, atol=1e-5)
    np.testing.assert_allclose(normals[..., 1], -along_z, rtol=6e-4, atol=1e-5)


class TestWrittenAhead:
    """With the last step, while its rows are in the cache: the same bits as afterwards."""

    @pytest.fixture
    def written_apart(self, monkeypatch):
        """The numbers of stale tiles that each pass of its own had to write."""
        written = []

        def count(field, surface):
            if surface.heights:  # a copy to be handed out, and not slopes alone
                written.append(np.count_nonzero(surface.stale))
            write(field, surface)

        monkeypatch.setattr(published_surface, "write", count)
        return written

    @staticmethod
    def rough_sea(shape, seed=4):
        sea = Sea(shape)
        for level in (sea.field.heights, sea.field.heights_before):
            level[...] = np.random.default_rng(seed).standard_normal(shape)
        return sea

    @pytest.mark.slow
    @pytest.mark.parametrize("border", PLAIN_BORDERS)
    @pytest.mark.parametrize("shape", [(2, 16), (3, 40), (20, 65), (33, 130), (100, 333)])
    def test_with_bands_of_any_number_of_threads_and_levels(self, written_apart, shape, border):
        for threads, depth, steps in product((1, 2, 3), (1, 4, 32), (1, 2, 7)):
            sea = self.rough_sea(shape)
            fresh = sea.step_and_write(steps, border=border, threads=threads, depth=depth)
            assert fresh.all(), (threads, depth, steps)
            assert_like(sea.field, sea.copy())
        assert not written_apart

    @pytest.mark.parametrize("vector_width", WIDTHS)
    def test_with_vectors_of_any_length(self, written_apart, vector_width):
        sea = self.rough_sea((33, 130))
        assert sea.step_and_write(vector_width=vector_width, threads=1).all()
        assert_like(sea.field, sea.copy())
        assert not written_apart

    def test_rows_shorter_than_a_vector_are_left_for_later(self):
        sea = self.rough_sea((30, 15))
        assert not sea.step_and_write().any()
        assert_like(sea.field, sea.copy())

    @pytest.mark.slow
    def test_large_surfaces_past_the_caches(self, written_apart):
        sea = self.rough_sea((1025, 2048))
        assert sea.step_and_write(2, threads=2).all()
        heights, normals = sea.copy()
        np.testing.assert_array_equal(heights, sea.field.heights)
        np.testing.assert_array_equal(normals, slopes(sea.field, SPACING))
        assert not written_apart

    @pytest.mark.slow
    @pytest.mark.parametrize("threads", [1, 2])
    def test_whatever_happens_before_and_after(self, threads):
        """Waves that rise and come to rest, some surfaces written with the step and others not, some of them held."""
        sea, rng = Sea(), np.random.default_rng(threads)
        held, shares = [], []
        for k in range(120):
            if k % 7 == 0:
                sea.drop(int(rng.integers(SHAPE[0] - 3)), int(rng.integers(SHAPE[1] - 3)))
            shares.append(sea.tiles.marks.awake.mean())
            rules = {"damping": 0.3, "rest": 1e-2, "threads": threads, "border": PLAIN_BORDERS[k // 40]}
            if rng.random() < 0.7:
                sea.step_and_write(int(rng.integers(1, 30)), **rules)
            else:
                sea.step(int(rng.integers(1, 30)), **rules)
            if k % 10 == 0:
                sea.drop(int(rng.integers(SHAPE[0] - 3)), int(rng.integers(SHAPE[1] - 3)))
            if k % 11:  # else nobody looks at what was written
                surface = sea.copy()
                assert_like(sea.field, surface)
                held = [*held, surface][-int(rng.integers(1, 4)) :]
                del surface
        assert min(shares) < 0.2 and max(shares) > 0.5

    def test_only_where_water_moves(self):
        """As `test_only_what_has_moved_is_written`."""
        sea = marked_sea()
        fresh = sea.step_and_write()
        assert fresh[50 // TILE_ROWS] and not fresh.all()
        heights, _ = sea.copy()
        assert heights[50, 300] == 7.0
        assert heights[50, 21] == sea.field.heights[50, 21]

    def test_what_is_written_afterwards_is_all_that_is_left(self, written_apart):
        sea = self.rough_sea((200, 410))
        sea.step_and_write()
        sea.drop(50, 100)
        assert_like(sea.field, sea.copy())
        assert written_apart == [9]  # a tile and those around it

    def test_that_nobody_holds_does_not_change_what_somebody_does(self):
        sea = self.rough_sea(SHAPE)
        sea.step_and_write()
        first = sea.copy()
        then = [array.copy() for array in first]
        for _ in range(4):
            sea.step_and_write()
        for array, before in zip(first, then, strict=True):
            np.testing.assert_array_equal(array, before)

    def test_is_mended_like_the_others(self):
        sea, mended = self.rough_sea(SHAPE), []
        sea.step_and_write()
        for _ in range(2):
            sea.surfaces.copy(sea.field, lambda normals, heights: mended.append(heights.shape))
        assert mended == [SHAPE]

    def test_steps_that_fail_leave_nothing_wrong(self):
        sea = self.rough_sea(SHAPE)
        with pytest.raises(KeyError), sea.surfaces.written_ahead() as surface:  # noqa: PT012
            sea.step(surface=surface)
            raise KeyError
        assert_like(sea.field, sea.copy())


@pytest.mark.parametrize("shape", [(9, 23), (2, 30)])
def test_slopes_of_a_part_are_those_of_a_field(shape):
    rng = np.random.default_rng(3)
    field, walls = TwoLevels(shape), rng.random(shape) < 0.2
    field.heights[...] = np.where(walls, 0.0, rng.standard_normal(shape))
    wanted = slopes(field, SPACING)
    ShoreSlopes(walls, SPACING).mend(wanted, field.heights)
    for k, got in enumerate(slopes_of_part(field.heights, walls, SPACING)):
        assert np.array_equal(got.astype(np.float16), wanted[..., k])
