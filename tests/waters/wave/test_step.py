"""The compiled wave step: exact solutions first, then equality with the plain twin."""

import threading
from itertools import product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from reference import equations as reference
from support.fields import PLAIN_BORDERS, advance, field_of
from support.thinned import thinned

from waterview.simd.layout import TwoLevels
from waterview.simd.processor import WIDTHS
from waterview.waters.common.borders import Sides
from waterview.waters.wave.step import STENCILS

# 0.6 of the largest λ² that is stable, which is 4/S for the largest symbol S of each stencil.
COURANT = {name: np.sqrt(0.6 * 4.0 / stencil.largest_symbol) for name, stencil in STENCILS.items()}


def random_drops(shape, rng, number=3):
    z, x = np.mgrid[: shape[0], : shape[1]]
    heights = np.zeros(shape)
    for _ in range(number):
        distance = np.hypot(x - rng.uniform(0, shape[1]), z - rng.uniform(0, shape[0])) / rng.uniform(1.0, 8.0)
        heights += rng.uniform(-1.0, 1.0) * np.where(distance < 1.0, 0.5 * (np.cos(np.pi * distance) + 1.0), 0.0)
    return heights


def nothing_fixed(shape):
    return np.zeros(shape, bool)


PRINTED = {
    "five-point": [[0, 1, 0], [1, -4, 1], [0, 1, 0]],
    "nine-point": [[0.5, 1, 0.5], [1, -6, 1], [0.5, 1, 0.5]],
    "isotropic": [[0.25, 0.5, 0.25], [0.5, -3, 0.5], [0.25, 0.5, 0.25]],
    "compact": [[1 / 6, 4 / 6, 1 / 6], [4 / 6, -20 / 6, 4 / 6], [1 / 6, 4 / 6, 1 / 6]],
}
"""Bressler 2007: eq. (3), eq. (4) as printed, or eq. (4) halved; and the compact one."""


@pytest.mark.parametrize("stencil", PRINTED)
def test_what_a_stencil_declares_are_the_weights_as_printed(stencil):
    point = np.zeros((5, 5))
    point[2, 2] = 1.0
    np.testing.assert_allclose(reference.laplacian(point, stencil, "zero")[1:-1, 1:-1], PRINTED[stencil], atol=1e-12)


@pytest.mark.parametrize("stencil", STENCILS)
def test_the_largest_symbol_is_that_of_the_shortest_waves(stencil):
    shortest = [(0.0, np.pi), (np.pi, np.pi)]
    largest = max(reference.symbol(stencil, tx, tz) for tx, tz in shortest)
    assert STENCILS[stencil].largest_symbol == pytest.approx(largest, rel=1e-12)


class TestExactSolutions:
    """Single modes over 1,000 steps, for which the whole run has a closed form."""

    SHAPE = (24, 37)
    STEPS = 1000
    MODES = ((1, 1), (3, 2), (10, 5), (18, 12), (1, 20))

    @pytest.mark.parametrize(
        ("stencil", "border", "mode", "damping"),
        thinned(STENCILS, PLAIN_BORDERS, MODES, (0.0, 0.002, 0.05), rounds=4),
    )
    def test_a_mode_keeps_its_shape_and_follows_its_recurrence(self, stencil, border, mode, damping):
        p, q = mode
        shape, tx, tz = reference.mode(self.SHAPE, p, q, border)
        courant = COURANT[stencil]
        field = field_of(shape)
        advance(
            field,
            nothing_fixed(self.SHAPE),
            stencil=stencil,
            border=border,
            damping=damping,
            courant=courant,
            steps=self.STEPS,
        )
        expected = reference.amplitude(reference.symbol(stencil, tx, tz), damping, courant, self.STEPS)
        measured = np.vdot(shape, field.heights) / np.vdot(shape, shape)
        assert abs(measured - expected) < 1e-4
        assert np.abs(field.heights - expected * shape).max() < 1e-4 * np.abs(shape).max()

    @pytest.mark.parametrize("stencil", STENCILS)
    def test_a_level_surface_stays_level_in_a_closed_basin(self, stencil):
        level = np.float32(0.37)
        field = field_of(np.full((9, 21), level))
        advance(
            field, nothing_fixed((9, 21)), stencil=stencil, border="reflecting", damping=0.0, courant=0.6, steps=1000
        )
        assert (field.heights == level).all()


class TestTwin:
    """Equality with the plain twin."""

    RULES = st.fixed_dictionaries(
        {
            "stencil": st.sampled_from(list(STENCILS)),
            "border": st.sampled_from(PLAIN_BORDERS),
            "damping": st.sampled_from([0.0, 0.002, 0.1, 0.5, 1.0]),
            "share": st.floats(0.01, 0.9),  # of the largest stable λ²
        }
    )

    def assert_equal(self, shape, rules, land, steps, seed):
        rng = np.random.default_rng(seed)
        fixed = rng.random(shape) < land
        start = np.where(fixed, 0.0, random_drops(shape, rng)).astype(np.float32)
        rules = dict(rules)
        most = (2.0 - rules["damping"]) * 2.0 / STENCILS[rules["stencil"]].largest_symbol
        rules["courant"] = np.sqrt(rules.pop("share") * most)
        field, exact = field_of(start), start.astype(np.float64)
        advance(field, (fixed), **rules, steps=steps)
        exact = reference.wave_run(exact, exact, fixed, **rules, steps=steps)
        assert np.abs(field.heights - exact).max() < 5e-6 * max(1.0, np.abs(start).max())
        assert not field.heights[fixed].any()

    @pytest.mark.slow
    @settings(max_examples=150)
    @given(
        shape=st.tuples(st.integers(2, 40), st.integers(2, 70)),
        rules=RULES,
        land=st.sampled_from([0.0, 0.06, 0.5, 1.0]),
        steps=st.integers(0, 40),
        seed=st.integers(0, 2**32 - 1),
    )
    def test_random_masks_and_drops_on_any_grid(self, shape, rules, land, steps, seed):
        self.assert_equal(shape, rules, land, steps, seed)

    @pytest.mark.slow
    @settings(max_examples=40)
    @given(rules=RULES, land=st.sampled_from([0.0, 0.06, 0.5]), seed=st.integers(0, 2**32 - 1))
    def test_random_masks_and_drops_for_longer(self, rules, land, seed):
        self.assert_equal((33, 71), rules, land, 150, seed)

    SIZES = ((2, 2), (2, 17), (17, 2), (5, 16), (7, 31), (3, 1024), (3, 1025), (4, 2100))

    @pytest.mark.parametrize(("shape", "stencil", "border"), thinned(SIZES, STENCILS, PLAIN_BORDERS))
    def test_every_size_of_row(self, shape, stencil, border):
        rng = np.random.default_rng(5)
        now, before = rng.uniform(-1.0, 1.0, (2, *shape)).astype(np.float32)
        fixed = np.zeros(shape, bool)
        field = field_of(now, before)
        rules = {"stencil": stencil, "border": border, "damping": 0.01, "courant": COURANT[stencil]}
        advance(field, (fixed), **rules, steps=19)
        exact = reference.wave_run(now.astype(float), before.astype(float), fixed, **rules, steps=19)
        assert np.abs(field.heights - exact).max() < 5e-6 * max(1.0, np.abs(exact).max())

    @pytest.mark.parametrize("border", PLAIN_BORDERS)
    def test_one_step_of_one_raised_point_shows_the_stencil(self, border):
        weights = {
            "five-point": [[0, 1, 0], [1, -4, 1], [0, 1, 0]],
            "nine-point": [[0.5, 1, 0.5], [1, -6, 1], [0.5, 1, 0.5]],
            "isotropic": [[0.25, 0.5, 0.25], [0.5, -3, 0.5], [0.25, 0.5, 0.25]],
            "compact": np.array([[1, 4, 1], [4, -20, 4], [1, 4, 1]]) / 6,
        }
        for stencil, expected in weights.items():
            start = np.zeros((5, 5))
            start[2, 2] = 1.0
            field = field_of(start)
            advance(field, nothing_fixed((5, 5)), stencil=stencil, border=border, damping=0.25, courant=0.5)
            np.testing.assert_allclose((field.heights - start)[1:-1, 1:-1] / 0.25, expected, rtol=1e-6)


class TestRounding:
    """Floats of 32 bits beside those of 64."""

    @pytest.mark.slow
    @pytest.mark.parametrize("damping", [0.0, 0.002])
    @pytest.mark.parametrize(("stencil", "border"), list(product(STENCILS, PLAIN_BORDERS)))
    def test_after_1024_steps_heights_of_decimetres_are_right_to_5_micrometres(self, stencil, border, damping):
        """Drops of up to 0.5 m that have spread over 128 × 160 points with 6 % of land, at λ² = 0.6 of the limit."""
        rng = np.random.default_rng(12)
        shape = (128, 160)
        z, x = np.mgrid[: shape[0], : shape[1]]
        fixed = np.sin(x / 9.0) + np.sin(z / 11.0) + 0.3 * np.sin(x * z / 200.0) > 1.75
        start = np.where(fixed, 0.0, 0.5 * random_drops(shape, rng, 12)).astype(np.float32)
        rules = {"stencil": stencil, "border": border, "damping": damping, "courant": COURANT[stencil], "steps": 1024}
        field, exact = field_of(start), start.astype(np.float64)
        advance(field, (fixed), **rules)
        exact = reference.wave_run(exact, exact, fixed, **rules)
        assert np.abs(field.heights - exact).max() <= 5e-6
        assert np.abs(exact).max() > (0.05 if damping == 0.0 else 0.01)


class TestPromises:
    """What callers rely on beside the numbers."""

    @pytest.mark.parametrize(("stencil", "border"), list(product(STENCILS, PLAIN_BORDERS)))
    def test_many_steps_a_call_give_the_same_bits_as_one(self, stencil, border):
        rng = np.random.default_rng(2)
        shape, rules = (11, 45), {"stencil": stencil, "border": border, "damping": 0.02, "courant": 0.6}
        fixed = rng.random(shape) < 0.2
        start = np.where(fixed, 0.0, rng.standard_normal(shape))
        together, single, mixed = field_of(start), field_of(start), field_of(start)
        runs = fixed
        advance(together, runs, **rules, steps=67)
        for _ in range(67):
            advance(single, runs, **rules)
        for steps in (1, 0, 16, 17, 33):
            advance(mixed, runs, **rules, steps=steps)
        np.testing.assert_array_equal(together.now, single.now)
        np.testing.assert_array_equal(together.heights, mixed.heights)
        np.testing.assert_array_equal(together.heights_before, single.heights_before)

    @pytest.mark.parametrize(("stencil", "border"), list(product(STENCILS, PLAIN_BORDERS)))
    def test_whatever_lies_in_the_halo_does_not_matter(self, stencil, border):
        rng = np.random.default_rng(3)
        start = rng.standard_normal((6, 20))
        clean, dirty = field_of(start), field_of(start)
        for buffer, inside in ((dirty.now, dirty.heights), (dirty.before, dirty.heights_before)):
            kept = inside.copy()
            buffer[:] = 7.0
            inside[...] = kept
        runs = nothing_fixed((6, 20))
        for field in (clean, dirty):
            advance(field, runs, stencil=stencil, border=border, damping=0.0, courant=0.5, steps=5)
        np.testing.assert_array_equal(clean.heights, dirty.heights)

    def test_a_changed_border_holds_from_the_next_step_on(self):
        start = np.random.default_rng(4).standard_normal((8, 8))
        field, runs = field_of(start), nothing_fixed((8, 8))
        advance(field, runs, stencil="isotropic", border="reflecting", damping=0.0, courant=0.5, steps=3)
        same = field_of(field.heights, field.heights_before)
        for each in (field, same):
            advance(each, runs, stencil="isotropic", border="zero", damping=0.0, courant=0.5, steps=3)
        np.testing.assert_array_equal(field.heights, same.heights)

    @pytest.mark.sampled
    @pytest.mark.parametrize(("stencil", "border"), list(product(STENCILS, PLAIN_BORDERS)))
    def test_threads_and_depth_of_the_sweeps_change_no_bit(self, stencil, border):
        """Bands of 1 to 4 threads with levels of 1 to 16 and more, beside each step on its own."""
        rng = np.random.default_rng(6)
        shape, rules = (140, 37), {"stencil": stencil, "border": border, "damping": 0.02, "courant": 0.6, "steps": 53}
        fixed = rng.random(shape) < 0.1
        start, free = np.where(fixed, 0.0, rng.standard_normal(shape)), fixed
        plain = field_of(start)
        advance(plain, free, **rules, threads=1, depth=1)
        for threads, depth in product((1, 2, 3, 4), (1, 4, 16, 32)):
            field = field_of(start)
            advance(field, free, **rules, threads=threads, depth=depth)
            assert field.heights.tobytes() == plain.heights.tobytes(), (threads, depth)
            assert field.heights_before.tobytes() == plain.heights_before.tobytes(), (threads, depth)

    @pytest.mark.parametrize("vector_width", WIDTHS)
    def test_the_length_of_vectors_changes_no_bit(self, vector_width):
        rng = np.random.default_rng(7)
        start = rng.standard_normal((35, 75))
        free = rng.random(start.shape) < 0.1
        usual, field = field_of(start), field_of(start)
        rules = {
            "stencil": "isotropic",
            "border": "reflecting",
            "damping": 0.02,
            "courant": 0.6,
            "steps": 21,
            "threads": 1,
        }
        advance(usual, free, **rules, rest=1e-3)
        advance(field, free, **rules, rest=1e-3, vector_width=vector_width)
        assert field.heights.tobytes() == usual.heights.tobytes()

    @pytest.mark.slow
    @pytest.mark.parametrize("border", PLAIN_BORDERS)
    @pytest.mark.parametrize("calls", [(200,), (1,) * 200, (61, 1, 2, 136)])
    def test_small_heights_come_to_rest_at_the_same_steps_however_many_a_call(self, calls, border):
        start = np.zeros((120, 300))
        start[:20, :30] = 1e-3 * random_drops((20, 30), np.random.default_rng(8))
        field, usual = field_of(start), field_of(start)
        rules = {"stencil": "isotropic", "border": border, "damping": 0.2, "courant": 0.6, "rest": 1e-7}
        for steps in calls:
            advance(field, nothing_fixed(start.shape), **rules, steps=steps)
        for _ in range(200):
            advance(usual, nothing_fixed(start.shape), **rules, depth=1)
        np.testing.assert_array_equal(field.heights, usual.heights)
        assert field.steps == usual.steps == 200
        never = field_of(start)
        advance(never, nothing_fixed(start.shape), **(rules | {"rest": 0.0}), steps=200)
        assert field.heights.any() and (field.heights != never.heights).any()

    @pytest.mark.parametrize("rest", [1e-7, 1e-6, 1e-3])
    def test_coming_to_rest_takes_away_no_more_than_it_may(self, rest):
        start = np.zeros((60, 150))
        start[:20, :30] = random_drops((20, 30), np.random.default_rng(9))
        field, never = field_of(start), field_of(start)
        rules = {"stencil": "isotropic", "border": "zero", "damping": 0.2, "courant": 0.6, "steps": 200}
        advance(field, nothing_fixed(start.shape), **rules, rest=rest)
        advance(never, nothing_fixed(start.shape), **rules)
        assert 0.0 < np.abs(field.heights - never.heights).max() < 2.0 * rest

    @pytest.mark.parametrize("stencil", STENCILS)
    def test_each_side_may_have_its_own_border(self, stencil):
        """A wall is a mirror: what it holds is one quarter of a basin twice as wide and twice as long."""
        quarter = np.random.default_rng(10).standard_normal((20, 27))
        whole = np.block([[quarter[::-1, ::-1], quarter[::-1]], [quarter[:, ::-1], quarter]])
        corner, basin = field_of(quarter), field_of(whole)
        rules = {"stencil": stencil, "damping": 0.01, "courant": 0.5, "steps": 90}
        sides = Sides(north="reflecting", east="zero", south="zero", west="reflecting")
        advance(corner, nothing_fixed(quarter.shape), border=sides, **rules)
        advance(basin, nothing_fixed(whole.shape), border="zero", **rules)
        np.testing.assert_allclose(corner.heights, basin.heights[20:, 27:], atol=1e-5)

    @pytest.mark.slow
    def test_two_python_threads_at_once_get_the_same_as_one(self):
        """The second finds the numba threads taken and goes alone, rather than end the program."""
        start = random_drops((300, 200), np.random.default_rng(11))
        rules = {"stencil": "isotropic", "border": "zero", "damping": 0.01, "courant": 0.6, "steps": 64, "threads": 2}
        fields = [field_of(start) for _ in range(3)]
        free = nothing_fixed(start.shape)

        def run(field):
            for _ in range(20):
                advance(field, free, **rules)

        workers = [threading.Thread(target=run, args=[field]) for field in fields[:2]]
        for worker in workers:
            worker.start()
        for worker in workers:
            worker.join()
        run(fields[2])
        for field in fields[:2]:
            np.testing.assert_array_equal(field.heights, fields[2].heights)

    def test_fixed_points_of_another_shape_are_refused(self):
        with pytest.raises(ValueError, match=r"shape \(3, 4\) for a field of shape \(4, 3\)"):
            advance(
                TwoLevels((4, 3)), nothing_fixed((3, 4)), stencil="isotropic", border="zero", damping=0.0, courant=0.5
            )

    def test_unknown_names_are_refused(self):
        field, runs = TwoLevels((3, 3)), nothing_fixed((3, 3))
        with pytest.raises(ValueError, match="border 'beach': allowed are zero, "):
            advance(field, runs, stencil="isotropic", border="beach", damping=0.0, courant=0.5)
        alone = Sides("wrapping", "zero", "zero", "zero")
        with pytest.raises(ValueError, match="opposite sides must both be wrapping or neither"):
            advance(field, runs, stencil="isotropic", border=alone, damping=0.0, courant=0.5)
        with pytest.raises(KeyError, match="round"):
            advance(field, runs, stencil="round", border="zero", damping=0.0, courant=0.5)
