"""The general step beside the one for plain borders, and beside itself in u and v."""

from itertools import product

import numpy as np
import pytest
from reference import equations as reference
from reference import shores as reference_shores
from support.fields import PLAIN_BORDERS, everywhere
from support.thinned import thinned

from waterview.simd.layout import TwoLevels, interior, padded
from waterview.waters.common.active_tiles import ActiveTiles
from waterview.waters.common.borders import BORDER_KINDS
from waterview.waters.wave.domain import SHORES, Domain
from waterview.waters.wave.step import STENCILS, Velocity, advance


def start(seed=0, shape=(31, 45), land=0.1):
    rng = np.random.default_rng(seed)
    fixed = rng.random(shape) < land
    fields = []
    for _ in range(2):
        fields.append(TwoLevels(shape))
    heights = np.where(fixed, 0.0, rng.uniform(-1.0, 1.0, shape))
    for field in fields:
        field.heights[...] = field.heights_before[...] = heights
    return fields, fixed


@pytest.mark.parametrize(("kind", "shore", "stencil"), thinned(BORDER_KINDS, SHORES, STENCILS))
def test_height_and_velocity_are_the_same_wave(kind, shore, stencil):
    """v ← s(v + c²L(u)/Δx²·Δt), u ← u + vΔt is Bressler's step at 1 − κ = s and λ² = s(cΔt/Δx)²."""
    (one, other), fixed = start(1)
    time_step, speed, keep = 0.02, 22.0, 0.98
    velocity = padded(one.shape)
    interior(velocity, one.shape)[...] = np.where(fixed, 0.0, np.random.default_rng(2).uniform(-5.0, 5.0, one.shape))
    other.heights_before[...] = other.heights - time_step * interior(velocity, one.shape)
    domains = [Domain(fixed, everywhere(kind), shore) for _ in range(2)]
    rules = {"stencil": stencil, "steps": 120}
    rules |= {"damping": 1.0 - keep}
    courant = speed * time_step
    advance(one, domains[0], velocity=Velocity(velocity, time_step), courant=courant, **rules)
    advance(other, domains[1], courant=np.sqrt(keep) * courant, **rules)
    np.testing.assert_allclose(one.heights, other.heights, atol=2e-5)
    motion = other.heights - other.heights_before
    np.testing.assert_allclose(time_step * interior(velocity, one.shape), motion, atol=2e-5)
    assert not interior(velocity, one.shape)[fixed].any()


@pytest.mark.parametrize(("stencil", "border"), list(product(STENCILS, PLAIN_BORDERS)))
def test_height_and_velocity_equal_their_plain_loop(stencil, border):
    (field, _), fixed = start(2)
    velocity = Velocity(padded(field.shape), 0.02)
    v = interior(velocity.buffer, field.shape)
    v[...] = np.where(fixed, 0.0, np.random.default_rng(2).uniform(-5.0, 5.0, field.shape))
    twin = {"stencil": stencil, "border": border, "keep": 0.995, "speed": 22.0, "time_step": 0.02, "steps": 200}
    exact = reference.velocity_run(field.heights.astype(float), v.astype(float), fixed, **twin)
    rules = {"stencil": stencil, "damping": 0.005, "courant": 0.44, "steps": 200}
    advance(field, Domain(fixed, everywhere(border), "zero"), velocity=velocity, **rules)
    np.testing.assert_allclose(field.heights, exact[0], atol=5e-6)
    np.testing.assert_allclose(v, exact[1], atol=2e-4)


@pytest.mark.parametrize("pull", [-0.01, -1.0])
def test_a_pull_enters_the_recurrence(pull):
    """z² − (2 − κ − λ²S + pull)z + (1 − κ) = 0: that of a larger λ²S."""
    shape, tx, tz = reference.mode((20, 30), 3, 2, "reflecting")
    field = TwoLevels(shape.shape)
    field.heights[...] = field.heights_before[...] = shape
    domain = Domain(np.zeros(shape.shape, bool), everywhere("reflecting"))
    advance(field, domain, stencil="five-point", damping=0.01, courant=0.5, pull=pull, steps=300)
    s = reference.symbol("five-point", tx, tz) - pull / 0.25
    expected = reference.amplitude(s, 0.01, 0.5, 300)
    assert np.abs(field.heights - expected * shape).max() < 1e-4


def test_slow_waves_keep_their_speed_in_u_and_v():
    """Where a step changes heights by less than a float can hold beside them, v holds what u forgets."""
    shape = (4, 64)
    crest = 1.0 + 0.01 * np.cos(np.pi * (np.arange(64) + 0.5) / 64) * np.ones((4, 1))
    field, velocity = TwoLevels(shape), padded(shape)
    field.heights[...] = crest
    domain = Domain(np.zeros(shape, bool), everywhere("reflecting"))
    speed, time_step = 1.0, 1e-3
    rules = {"stencil": "isotropic", "damping": 0.0, "courant": speed * time_step}
    advance(field, domain, velocity=Velocity(velocity, time_step), **rules, steps=20_000)
    omega = 2.0 * speed * np.sin(np.pi / 128)
    swing = np.cos(omega * 20.0)
    assert (field.heights[0, 0] - 1.0) / (crest[0, 0] - 1.0) == pytest.approx(swing, abs=0.02)


def test_what_does_not_fit_is_refused():
    domain = Domain(np.zeros((4, 5), bool), everywhere("zero"))
    with pytest.raises(ValueError, match=r"domain of shape \(4, 5\) for a field of shape \(5, 4\)"):
        advance(TwoLevels((5, 4)), domain, stencil="isotropic", damping=0.0, courant=0.5)
    rules = {"stencil": "isotropic", "damping": 0.0, "courant": 0.5}
    with pytest.raises(ValueError, match="velocities of shape"):
        advance(TwoLevels((4, 5)), domain, velocity=Velocity(padded((5, 4)), 0.1), **rules)
    with pytest.raises(ValueError, match="shore 'beach': allowed are no-flux, zero"):
        Domain(np.zeros((4, 5), bool), everywhere("zero"), "beach")


class Pool:
    """Drops in one corner of ragged land, still water elsewhere; stepped by h⁻ or by velocities."""

    def __init__(self, kind, shore, motion="levels", shape=(75, 150)):
        rng = np.random.default_rng(3)
        fixed = rng.random(shape) < 0.2
        self.domain = Domain(fixed, everywhere(kind), shore)
        self.field, self.velocity = TwoLevels(shape), Velocity(padded(shape), 0.02)
        self.field.heights[:14, :30] = rng.uniform(-1.0, 1.0, (14, 30))
        self.field.heights[fixed] = 0.0
        self.motion = self.velocity if motion == "velocity" else None
        if self.motion is None:
            self.field.heights_before[...] = self.field.heights

    def advance(self, steps, stencil="isotropic", **how):
        rules = {"stencil": stencil, "damping": 0.02, "courant": 0.5, "velocity": self.motion}
        advance(self.field, self.domain, **rules, steps=steps, **how)

    @property
    def bits(self):
        other = self.field.heights_before if self.motion is None else interior(self.velocity.buffer, self.field.shape)
        return self.field.heights.tobytes() + other.tobytes()


# Each stencil is compiled anew with open sides, on one thread and on several: here one of them stands for all.
WAYS = [
    (kind, *case)
    for kind in BORDER_KINDS
    for case in [("zero", "isotropic"), *product(["no-flux"], STENCILS if kind in PLAIN_BORDERS else ["isotropic"])]
]


@pytest.mark.slow
@pytest.mark.parametrize("motion", ["levels", "velocity"])
@pytest.mark.parametrize(("kind", "shore", "stencil"), WAYS)
def test_threads_depth_vectors_and_calls_change_no_bit(kind, shore, stencil, motion):
    results = set()
    ways = [(1, 1, None), *product((1, 2, 3, 4), (4, 16), (None,))]
    if stencil == "isotropic" and kind in PLAIN_BORDERS:
        ways += [(1, 4, 4), (1, 16, 8)]
    for threads, depth, vector_width in ways:
        pool = Pool(kind, shore, motion)
        for steps in (33,) if depth > 1 else (1,) * 33:
            pool.advance(steps, stencil, threads=threads, depth=depth, vector_width=vector_width)
        results.add(pool.bits)
    assert len(results) == 1


@pytest.mark.parametrize("motion", ["levels", "velocity"])
@pytest.mark.parametrize("kind", BORDER_KINDS)
class TestBits:
    """What must not change a bit: what is left out because it sleeps or has come to rest."""

    @pytest.mark.sampled
    @pytest.mark.parametrize("shore", SHORES)
    def test_sleep(self, kind, shore, motion):
        asleep, awake = (Pool(kind, shore, motion, (180, 330)) for _ in range(2))
        tiles = ActiveTiles(asleep.field.shape)
        for steps in (1, 16, 7, 20):
            asleep.advance(steps, tiles=tiles)
            awake.advance(steps)
            assert asleep.bits == awake.bits
        assert not tiles.marks.busy.all()

    @pytest.mark.slow
    def test_rest(self, kind, motion):
        """Tiles that have come to rest become 0, at the same steps however the work is cut up, and then they sleep."""
        ways = ({"tiles": ActiveTiles((75, 150))}, {}, {"threads": 3, "depth": 5})
        ways += ({"vector_width": 4},) if kind in PLAIN_BORDERS else ()
        results = set()
        for way in ways:
            pool = Pool(kind, "zero", motion)
            for steps in (1, 40, 2000) if way else (2041,):
                pool.advance(steps, rest=1e-3, **way)
            results.add(pool.bits)
        assert len(results) == 1
        still = not (pool.field.now.any() or pool.velocity.buffer.any())
        assert still == (kind in PLAIN_BORDERS)
        assert ways[0]["tiles"].marks.awake.mean() == 0.0 or kind not in PLAIN_BORDERS


def test_a_pull_is_had_with_four_neighbours_only():
    field, domain = TwoLevels((4, 4)), Domain(np.zeros((4, 4), bool), everywhere("zero"))
    with pytest.raises(ValueError, match=r"pull of -0.1 .* five-point only"):
        advance(field, domain, stencil="compact", damping=0.0, courant=0.5, pull=-0.1)


@pytest.mark.parametrize("shore", SHORES)
def test_a_pull_acts_beside_land_and_where_nothing_else_does(shore):
    (field, same), fixed = start(4)
    levels = field.heights.astype(float), field.heights_before.astype(float)
    rules = {"damping": 0.1, "courant": 0.5, "pull": -0.3, "steps": 20}
    domain = Domain(fixed, everywhere("zero"), shore)
    advance(field, domain, stencil="five-point", **rules)
    exact = reference_shores.run(*levels, fixed, everywhere("zero"), shore, corner=0.0, laplacians=1.0, **rules)
    np.testing.assert_allclose(field.heights, exact, atol=2e-6)
    before = same.heights.copy()
    advance(same, domain, stencil="five-point", damping=1.0, courant=0.0, pull=-1.0)
    assert np.abs(same.heights).max() < 1e-6 * np.abs(before).max()
