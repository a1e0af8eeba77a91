"""What lies outside the grid: known continuations first, then exact modes, then open water."""

from itertools import product

import numpy as np
import pytest
import reflection
from reference import equations as reference
from support.fields import bump, dry, everywhere, field_of
from support.thinned import thinned

from waterview.simd.layout import PAD, TwoLevels
from waterview.waters.common.active_tiles import ActiveTiles
from waterview.waters.common.borders import BORDER_KINDS, Sides
from waterview.waters.wave.domain import Domain
from waterview.waters.wave.step import STENCILS, advance

COURANT = {name: 0.99 * np.sqrt(4.0 / stencil.largest_symbol) for name, stencil in STENCILS.items()}
MIXED = (
    ("open",) * 4,
    ("open", "zero", "reflecting", "open"),
    ("open", "wrapping") * 2,
    ("open-ghost", "open", "zero", "open"),
    ("open-ghost",) * 4,
)


class TestHalo:
    def halo(self, sides, heights):
        field = field_of(heights)
        advance(field, Domain(dry(heights.shape), sides), stencil="isotropic", damping=0.0, courant=0.5, steps=0)
        return field.now[:, PAD - 1 : PAD + heights.shape[1] + 1]

    @pytest.mark.parametrize(("kind", "mode"), [("zero", "constant"), ("reflecting", "edge"), ("wrapping", "wrap")])
    @pytest.mark.parametrize("shape", [(2, 2), (3, 17), (7, 16)])
    def test_it_goes_on_as_it_says(self, kind, mode, shape):
        heights = np.random.default_rng(0).uniform(-1.0, 1.0, shape).astype(np.float32)
        np.testing.assert_array_equal(self.halo(everywhere(kind), heights), np.pad(heights, 1, mode=mode))

    def test_each_side_goes_on_its_own_way(self):
        heights = np.random.default_rng(0).uniform(-1.0, 1.0, (5, 6)).astype(np.float32)
        halo = self.halo(Sides(north="reflecting", east="wrapping", south="zero", west="wrapping"), heights)
        np.testing.assert_array_equal(halo[0, 1:-1], heights[0])
        np.testing.assert_array_equal(halo[-1], 0.0)
        np.testing.assert_array_equal(halo[1:-1, 0], heights[:, -1])
        np.testing.assert_array_equal(halo[1:-1, -1], heights[:, 0])
        halo = self.halo(Sides(north="zero", east="reflecting", south="reflecting", west="zero"), heights)
        np.testing.assert_array_equal(halo[0], 0.0)
        np.testing.assert_array_equal(halo[1:, 0], 0.0)
        np.testing.assert_array_equal(halo[1:, -1], [*heights[:, -1], heights[-1, -1]])

    def test_a_ghost_point_follows_the_edge(self):
        """g ← (λu + g)/(1 + λ), here with λ = ½."""
        field, domain = field_of(bump((4, 5), 1, 3, 2.0)), Domain(dry((4, 5)), everywhere("open-ghost"))
        ghosts = np.zeros((4, 5))
        for _ in range(5):
            advance(field, domain, stencil="isotropic", damping=0.0, courant=0.5)
            h = field.heights
            for side, edge in enumerate((h[0], h[:, -1], h[-1], h[:, 0])):
                ghosts[side, : edge.size] = (0.5 * edge + ghosts[side, : edge.size]) / 1.5
            north, east, south, west = ghosts
            np.testing.assert_allclose(field.now[0, PAD - 1 : PAD + 6], [north[0], *north, north[-1]], rtol=1e-5)
            np.testing.assert_allclose(field.now[-1, PAD - 1 : PAD + 6], [south[0], *south, south[-1]], rtol=1e-5)
            np.testing.assert_allclose(field.now[1:-1, PAD - 1], west[:4], rtol=1e-5)
            np.testing.assert_allclose(field.now[1:-1, PAD + 5], east[:4], rtol=1e-5)

    @pytest.mark.parametrize(
        "sides", [Sides("wrapping", "zero", "zero", "zero"), Sides("zero", "open", "zero", "wrapping")]
    )
    def test_one_wrapping_side_alone_is_refused(self, sides):
        with pytest.raises(ValueError, match="opposite sides"):
            Domain(dry((4, 4)), sides)


class TestWrapping:
    @pytest.mark.parametrize("damping", [0.0, 0.02])
    @pytest.mark.parametrize(("p", "q"), [(0, 1), (3, 2), (7, 5), (0, 12)])
    @pytest.mark.parametrize("stencil", STENCILS)
    def test_a_periodic_wave_follows_its_recurrence(self, stencil, p, q, damping):
        nz, nx = 24, 37
        tx, tz = 2.0 * np.pi * p / nx, 2.0 * np.pi * q / nz
        shape = np.cos(tx * np.arange(nx) + tz * np.arange(nz)[:, None] + 0.3)
        field = field_of(shape)
        courant = 0.8 * COURANT[stencil]
        domain = Domain(dry(shape.shape), everywhere("wrapping"))
        advance(field, domain, stencil=stencil, damping=damping, courant=courant, steps=1000)
        expected = reference.amplitude(reference.symbol(stencil, tx, tz), damping, courant, 1000)
        assert np.abs(field.heights - expected * shape).max() < 2e-4

    def test_it_does_not_matter_where_the_edges_lie(self):
        start = bump((16, 20), 3, 4, 3.0) + 0.5 * bump((16, 20), 12, 15, 2.0)
        one, other = field_of(start), field_of(np.roll(start, (7, 11), (0, 1)))
        fixed = dry((16, 20))
        fixed[5:7, 8:12] = True
        for field, land in ((one, fixed), (other, np.roll(fixed, (7, 11), (0, 1)))):
            domain = Domain(land, everywhere("wrapping"))
            advance(field, domain, stencil="isotropic", damping=0.0, courant=0.6, steps=200)
        np.testing.assert_array_equal(np.roll(one.heights, (7, 11), (0, 1)), other.heights)


class TestOpen:
    @pytest.mark.slow
    @pytest.mark.parametrize("angle", reflection.ANGLES)
    @pytest.mark.parametrize("wavelength", reflection.WAVELENGTHS)
    def test_less_than_a_hundredth_of_the_energy_comes_back(self, wavelength, angle):
        assert reflection.returned("open", wavelength, angle) < 2e-4

    @pytest.mark.parametrize("stencil", STENCILS)
    def test_also_at_the_largest_stable_courant_number(self, stencil):
        for wavelength, angle in ((8.0, 0.0), (16.0, 60.0)):
            assert reflection.returned("open", wavelength, angle, stencil, COURANT[stencil]) < 0.01

    @pytest.mark.slow
    def test_a_ghost_point_returns_what_is_known_of_it(self):
        """Of the height 28, 15, 7 and 4 % at 8, 16, 32 and 64 cells; (1 − cos θ)/(1 + cos θ) where cells are fine."""
        heights = [np.sqrt(reflection.returned("open-ghost", each, 0.0)) for each in reflection.WAVELENGTHS]
        np.testing.assert_allclose(heights, [0.28, 0.15, 0.07, 0.04], rtol=0.1)
        slanting = [np.sqrt(reflection.returned("open-ghost", 64.0, angle)) for angle in (45.0, 60.0)]
        np.testing.assert_allclose(slanting, [0.172, 1.0 / 3.0], rtol=0.06)

    @pytest.mark.parametrize("kind", ["zero", "reflecting"])
    def test_walls_and_zeros_return_everything(self, kind):
        assert reflection.returned(kind, 16.0, 45.0) == pytest.approx(1.0, abs=1e-4)

    @pytest.mark.parametrize("courant", [0.2, 0.9])
    def test_it_is_as_if_the_water_went_on(self, courant):
        start = bump((40, 50), 12, 31, 3.0)
        steps = round(90 / courant)
        small, large = field_of(start), field_of(np.pad(start, 100))
        rules = {"stencil": "isotropic", "damping": 0.002, "courant": courant, "steps": steps}
        advance(small, Domain(dry((40, 50)), everywhere("open")), **rules)
        advance(large, Domain(dry((240, 250)), everywhere("zero")), **rules)
        seen = large.heights[100:140, 100:150]
        assert np.abs(small.heights - seen).max() < 1e-3  # of a bump of height 1

    @pytest.mark.parametrize("shore", ["no-flux", "zero"])
    def test_a_channel_goes_on_outwards(self, shore):
        """Land at the edge goes on beyond it, so a wave leaves a channel without an echo."""
        fixed = dry((12, 120))
        fixed[:3] = fixed[9:] = True
        # Held at 0 on both sides, a channel only lets waves pass that are shorter than twice its width.
        shape = np.ones(6) if shore == "no-flux" else np.sin(np.pi * np.arange(1, 7) / 7)
        along = np.arange(120) - 60
        start = np.zeros((12, 120))
        start[3:9] = shape[:, None] * np.exp(-((along / 9.0) ** 2)) * np.cos(0.9 * along)
        field = field_of(start)
        domain = Domain(fixed, Sides("zero", "open", "zero", "open"), shore)
        advance(field, domain, stencil="isotropic", damping=0.0, courant=0.6, steps=600)
        assert np.abs(field.heights).max() < 0.01

    @pytest.mark.parametrize(("stencil", "sides"), thinned(STENCILS, MIXED, rounds=1), ids=str)
    def test_noise_never_grows_at_the_largest_stable_step(self, stencil, sides):
        rng = np.random.default_rng(1)
        for damping, shore in product((0.0, 0.5, 1.0), ("no-flux", "zero")):
            fixed = rng.random((20, 24)) < 0.15
            field = field_of(np.where(fixed, 0.0, rng.uniform(-1.0, 1.0, fixed.shape)))
            courant = np.sqrt((2.0 * 0.99 - damping) * 2.0 / STENCILS[stencil].largest_symbol)
            domain = Domain(fixed, Sides(*sides), shore)
            for _ in range(10):
                advance(field, domain, stencil=stencil, damping=damping, courant=courant, steps=150)
                assert np.abs(field.heights).max() < 10.0

    @pytest.mark.slow
    @pytest.mark.parametrize("sides", [*MIXED, ("wrapping", "open") * 2, ("wrapping", "open-ghost") * 2], ids="-".join)
    def test_depth_threads_calls_and_sleep_change_no_bit(self, sides):
        rng = np.random.default_rng(3)
        fixed = rng.random((70, 150)) < 0.1
        start = np.where(fixed, 0.0, bump(fixed.shape, 30, 90, 9.0))
        results = set()
        ways = (
            {"threads": 1, "depth": 1},
            {"threads": 3, "depth": 5},
            {"threads": 2},
            {"tiles": ActiveTiles(fixed.shape)},
        )
        for way in ways:
            field, domain = field_of(start), Domain(fixed, Sides(*sides))
            for steps in (1, 60, 39) if "depth" in way else (100,):
                advance(field, domain, stencil="isotropic", damping=0.01, courant=0.7, rest=1e-4, steps=steps, **way)
            results.add(field.heights.tobytes() + field.heights_before.tobytes())
        assert len(results) == 1

    def test_a_key_press_while_a_crest_is_half_out_returns_little_of_it(self):
        field = field_of(np.exp(-(((np.arange(80) - 60) / 6.0) ** 2)) * np.ones((6, 1)))
        field.heights_before[...] = np.exp(-(((np.arange(80) - 59.2) / 6.0) ** 2))
        domain = Domain(dry((6, 80)), Sides("reflecting", "open", "reflecting", "reflecting"))
        advance(field, domain, stencil="isotropic", damping=0.0, courant=0.8, steps=24)
        field.heights_before[...] = field.heights - 0.8 * (field.heights - field.heights_before)
        domain.border_memory.scale_motion(0.8)
        advance(field, domain, stencil="isotropic", damping=0.0, courant=0.64, steps=80)
        assert np.abs(field.heights).max() < 0.1


@pytest.mark.parametrize("kind", BORDER_KINDS)
def test_what_lies_outside_can_be_calmed_and_bounded(kind):
    field, domain = field_of(bump((16, 16), 2, 2, 4.0)), Domain(dry((16, 16)), everywhere(kind))
    advance(field, domain, stencil="isotropic", damping=0.0, courant=0.6, steps=10)
    domain.border_memory.clip(1e-3)
    heights = [
        array for name, array in domain.border_memory.arrays.items() if name.endswith(("ghosts", "now", "before"))
    ]
    largest = max(np.abs(array).max(initial=0.0) for array in heights)
    assert largest == (np.float32(1e-3) if BORDER_KINDS[kind].memory != "none" else 0.0)
    domain.border_memory.calm()
    still = TwoLevels((16, 16))
    advance(still, domain, stencil="isotropic", damping=0.0, courant=0.6, steps=10)
    assert not still.heights.any()


@pytest.mark.parametrize("kind", BORDER_KINDS)
def test_many_steps_a_call_give_the_same_bits_as_one(kind):
    start = bump((9, 21), 4, 8, 3.0)
    together, single = field_of(start), field_of(start)
    domains = [Domain(dry((9, 21)), everywhere(kind)) for _ in range(2)]
    advance(together, domains[0], stencil="isotropic", damping=0.01, courant=0.7, steps=33)
    for _ in range(33):
        advance(single, domains[1], stencil="isotropic", damping=0.01, courant=0.7)
    np.testing.assert_array_equal(together.heights, single.heights)


def changed(domain, how):
    """A domain after something was done to what lies memory."""
    memory = domain.border_memory
    if how == "refitted":
        return domain.refitted(domain.fixed, domain.sides, "zero")
    if how == "written":
        for array in memory.arrays.values():
            np.multiply(array, 0.5, out=array)
    elif how == "bounded":
        memory.clip(1e-3)
    elif how == "slowed":
        memory.scale_motion(0.5)
    else:
        memory.calm()
    return domain


@pytest.mark.parametrize("kind", ["open", "open-ghost"])
@pytest.mark.parametrize("change", ["calmed", "bounded", "slowed", "written", "refitted"])
def test_what_was_changed_outside_is_shown_to_the_next_step(change, kind):
    """Who brings tiles is not shown it anew before every call, and must see the same."""
    known, anew = (field_of(bump((18, 40), 3, 8, 6.0)) for _ in range(2))
    for field, way in ((known, {"tiles": ActiveTiles((18, 40))}), (anew, {})):
        domain = Domain(dry((18, 40)), everywhere(kind))
        for number in range(14):
            if number == 7:
                domain = changed(domain, change)
            advance(field, domain, stencil="isotropic", damping=0.0, courant=0.7, **way)
    np.testing.assert_array_equal(known.heights, anew.heights)
