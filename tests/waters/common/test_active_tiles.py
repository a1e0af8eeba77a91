"""Sleeping water: what waves cannot reach is left out, and no bit of the result shows it."""

from itertools import pairwise

import numpy as np
import pytest
from support.fields import advance, field_of

from waterview.simd.layout import TwoLevels
from waterview.waters.common.active_tiles import HORIZON, PATIENCE, TILE_COLUMNS, TILE_ROWS, ActiveTiles

SHAPE = (200, 410)  # 13 × 7 tiles, the last ones cut off
RULES = {"stencil": "isotropic", "border": "zero", "damping": 0.02, "courant": 0.6}


def drop(row, column, height=1.0):
    z, x = np.mgrid[: SHAPE[0], : SHAPE[1]]
    return np.where(np.hypot(z - row, x - column) < 4.0, height, 0.0)


def land(share=0.1):
    return np.random.default_rng(3).random(SHAPE) < share


def nowhere():
    return np.zeros(SHAPE, bool)


def marked(tiles):
    return {(int(i), int(j)) for i, j in np.argwhere(tiles)}


class TestMarks:
    def test_at_first_everything_may_move(self):
        tiles = ActiveTiles(SHAPE)
        assert tiles.marks.awake.shape == (13, 7)
        assert tiles.marks.awake.mean() == 1.0

    def test_after_a_step_only_tiles_with_waves_are_awake_and_their_neighbours_busy(self):
        field, tiles = field_of(drop(72, 100)), ActiveTiles(SHAPE)
        advance(field, nowhere(), **RULES, tiles=tiles)
        assert marked(tiles.marks.awake) == {(4, 1)}
        assert marked(tiles.marks.busy) == {(i, j) for i in (3, 4, 5) for j in (0, 1, 2)}

    def test_spans_join_busy_columns_of_a_row_of_tiles_and_the_next(self):
        field, tiles = field_of(drop(72, 100) + drop(72, 360)), ActiveTiles(SHAPE)
        advance(field, nowhere(), **RULES, tiles=tiles)
        spans = tiles.marks.ends // TILE_COLUMNS
        rows = [spans[start:stop].tolist() for start, stop in pairwise(tiles.marks.first)]
        busy = [[0, 3], [4, 7]]
        assert rows == [[], [], busy, busy, busy, busy, [], [], [], [], [], [], []]

    @pytest.mark.parametrize("threads", [1, 2])
    def test_waves_wake_what_they_reach(self, threads):
        field, tiles = field_of(drop(72, 100)), ActiveTiles(SHAPE)
        shares = []
        for _ in range(8):
            advance(field, nowhere(), **RULES, steps=HORIZON, tiles=tiles, threads=threads)
            shares.append(tiles.marks.awake.mean())
        assert shares == sorted(shares) and shares[0] < 0.02 and shares[-1] > 0.5

    @pytest.mark.parametrize("shape", [(49, 129), (16, 193), (65, 64), (16, 64), (33, 200), (81, 64)])
    @pytest.mark.parametrize("place", [0, HORIZON, 5, -3])
    def test_where_the_grid_goes_on_at_its_other_end_waves_wake_what_they_reach_there(self, shape, place):
        """The last tiles may be as narrow as a point, and then waves come out behind them: at once, or a call later."""
        field, other, tiles = TwoLevels(shape), TwoLevels(shape), ActiveTiles(shape)
        at = place % shape[0], place % shape[1]
        for each in (field, other):
            each.heights[at] = each.heights_before[at] = 1.0
        free = np.zeros(shape, bool)
        for number in range(4):
            before = field.heights.copy()
            tiles.take_changed()
            for each, known in ((field, tiles), (other, None)):
                advance(each, free, **(RULES | {"border": "wrapping"}), steps=HORIZON, tiles=known)
            assert field.heights.tobytes() == other.heights.tobytes()
            rows, columns = np.nonzero(field.heights != before)
            assert tiles.marks.changed[rows // TILE_ROWS, columns // TILE_COLUMNS].all()
            assert number or shape == (16, 64) or not tiles.marks.awake.all(), "at first something sleeps"

    @pytest.mark.slow
    def test_water_that_has_come_to_rest_sleeps_altogether(self):
        field, tiles = field_of(drop(72, 100)), ActiveTiles(SHAPE)
        advance(field, nowhere(), **(RULES | {"damping": 0.01}), steps=6000, rest=1e-9, tiles=tiles)
        assert not field.now.any() and not field.before.any()
        assert tiles.marks.awake.mean() == 0.0 and not tiles.marks.busy.any()

    def test_tiles_are_woken_by_rows_and_columns(self):
        tiles = ActiveTiles(SHAPE)
        advance(TwoLevels(SHAPE), nowhere(), **RULES, tiles=tiles)
        assert tiles.marks.awake.mean() == 0.0
        tiles.wake(slice(TILE_ROWS - 1, TILE_ROWS + 1), slice(0, TILE_COLUMNS))
        assert marked(tiles.marks.awake) == {(0, 0), (1, 0)}
        tiles.wake(slice(199, 200), slice(409, 410))
        assert marked(tiles.marks.awake) == {(0, 0), (1, 0), (12, 6)}
        tiles.wake()
        assert tiles.marks.awake.mean() == 1.0

    def test_where_everything_moves_it_is_looked_at_less_often(self):
        field, tiles = field_of(np.ones(SHAPE)), ActiveTiles(SHAPE)
        advance(field, nowhere(), **RULES, tiles=tiles)
        assert tiles.marks.left[0] == PATIENCE - 1


class TestSameBits:
    """As if every tile had been stepped."""

    def both(self, heights, calls, free=None, threads=1, **rules):
        """Two fields after `calls` of so many steps each: with sleeping tiles, and without."""
        free = land() if free is None else free
        sleeping, wakeful = field_of(heights), field_of(heights)
        tiles = ActiveTiles(SHAPE)
        for steps in calls:
            advance(sleeping, free, **(RULES | rules), steps=steps, tiles=tiles, threads=threads)
            advance(wakeful, free, **(RULES | rules), steps=steps)
        return sleeping, wakeful

    def assert_same(self, sleeping, wakeful):
        assert sleeping.heights.tobytes() == wakeful.heights.tobytes()
        assert sleeping.heights_before.tobytes() == wakeful.heights_before.tobytes()

    @pytest.mark.slow
    @pytest.mark.parametrize("border", ["zero", "reflecting", "wrapping"])
    @pytest.mark.parametrize("threads", [1, 3])
    @pytest.mark.parametrize("calls", [(1,) * 40, (3, 16, 1, 40, 64, 7), (300,)])
    def test_however_many_steps_a_call(self, border, threads, calls):
        heights = np.where(land(), 0.0, drop(30, 60) - drop(150, 407) + drop(0, 0))
        self.assert_same(*self.both(heights, calls, border=border, threads=threads))

    @pytest.mark.slow
    @pytest.mark.parametrize("border", ["zero", "reflecting", "wrapping"])
    def test_until_everything_rests(self, border):
        heights = np.where(land(), 0.0, drop(30, 60, 1e-3))
        sleeping, wakeful = self.both(heights, (16,) * 60, border=border, damping=0.3, rest=1e-6)
        self.assert_same(sleeping, wakeful)
        assert not sleeping.heights.any()

    @pytest.mark.slow
    def test_heights_too_small_for_normal_floats(self):
        self.assert_same(*self.both(drop(30, 60, 1e-42) + drop(100, 200, -1e-38), (5,) * 30, nowhere()))

    def test_a_wave_that_is_woken_where_everything_slept(self):
        sleeping, wakeful = self.both(np.zeros(SHAPE), ())
        tiles = ActiveTiles(SHAPE)
        for row, column in ((100, 200), (5, 5), (199, 0)):
            for field in (sleeping, wakeful):
                for level in (field.heights, field.heights_before):
                    level[row, column] += 1.0
            tiles.wake(slice(row, row + 1), slice(column, column + 1))
            advance(sleeping, nowhere(), **RULES, steps=21, tiles=tiles)
            advance(wakeful, nowhere(), **RULES, steps=21)
            self.assert_same(sleeping, wakeful)

    def test_borders_that_change_while_most_of_the_water_sleeps(self):
        sleeping, wakeful = self.both(np.zeros(SHAPE), ())
        tiles = ActiveTiles(SHAPE)
        for field in (sleeping, wakeful):
            field.heights[90:110, :6] = field.heights_before[90:110, :6] = 1.0
        for border in ("reflecting", "zero", "reflecting", "wrapping", "zero"):
            rules = RULES | {"border": border}
            advance(sleeping, nowhere(), **rules, steps=21, tiles=tiles)
            advance(wakeful, nowhere(), **rules, steps=21)
            self.assert_same(sleeping, wakeful)
        assert 0.0 < tiles.marks.awake.mean() < 0.7


@pytest.mark.slow
@pytest.mark.parametrize("border", ["zero", "reflecting", "wrapping"])
def test_what_is_written_again_and_again_moves_as_if_nothing_ever_slept(border):
    """Mostly into tiles that are awake, now and then at an edge or far away in sleeping water."""
    rng, rules = np.random.default_rng(8), {**RULES, "border": border}
    field, other = field_of(drop(100, 200)), field_of(drop(100, 200))
    tiles, free = ActiveTiles(SHAPE), nowhere()
    for number in range(60):
        row, column = ((100, 200), (0, 190), (180, 400))[(number % 10 == 7) + (number % 20 == 17)] + rng.integers(
            -6, 7, 2
        )
        rows, columns = slice(max(row, 0), max(row, 0) + 9), slice(column, column + 9)
        for each in (field, other):
            for level in (each.heights, each.heights_before):
                level[rows, columns] += np.float32(0.01 * number)
        tiles.wake(rows, columns)
        steps = int(rng.integers(1, 6))
        advance(field, free, steps=steps, tiles=tiles, **rules)
        advance(other, free, steps=steps, **rules)
        np.testing.assert_array_equal(field.heights, other.heights, f"round {number}")
    assert tiles.marks.awake.mean() < 1.0 or border == "wrapping"
