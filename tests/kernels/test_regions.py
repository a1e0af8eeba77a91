"""Waters that land keeps apart, their volumes, and spikes in them."""

import numpy as np
import pytest

from waterview.kernels.borders import Sides
from waterview.kernels.regions import clamp_spikes, regions_of, remove_means

WALLS = Sides(*["reflecting"] * 4)
WRAPPING = Sides(*["wrapping"] * 4)


def mask(*rows):
    """Land where a row has a #."""
    return np.array([[point == "#" for point in row] for row in rows])


def flooded(fixed, wraps):
    """The waters, found by spreading from point to point; as sets of points."""
    nz, nx = fixed.shape
    left = {(i, j) for i, j in np.argwhere(~fixed).tolist()}
    waters = []
    while left:
        water, waiting = set(), [min(left)]
        while waiting:
            i, j = waiting.pop()
            if wraps:
                i, j = i % nz, j % nx
            if (i, j) in left:
                left.remove((i, j))
                water.add((i, j))
                waiting += [(i + 1, j), (i - 1, j), (i, j + 1), (i, j - 1)]
        waters.append(water)
    return waters


class TestRegions:
    @pytest.mark.parametrize("sides", [WALLS, WRAPPING], ids=["walls", "wrapping"])
    @pytest.mark.parametrize("land", [0.1, 0.4, 0.6])
    def test_they_are_what_spreading_from_point_to_point_finds(self, sides, land):
        for seed in range(5):
            fixed = np.random.default_rng(seed).random((11, 14)) < land
            regions = regions_of(fixed, sides, flowing=True)
            found = [set(map(tuple, np.argwhere(regions.labels == n).tolist())) for n in range(1, len(regions.sizes))]
            assert sorted(map(sorted, found)) == sorted(map(sorted, flooded(fixed, sides is WRAPPING)))
            assert regions.sizes.tolist() == [int(fixed.sum()), *map(len, found)]
            assert regions.closed.tolist() == [False] + [True] * len(found)

    LAKES = mask(
        "..#....",
        "..#.##.",
        "###.#..",
        "....###",
        "###.#..",
    )

    def closed(self, sides, flowing=True):
        regions = regions_of(self.LAKES, sides, flowing)
        return {name: bool(regions.closed[regions.labels[at]]) for name, at in
                {"north-west": (0, 0), "middle": (0, 3), "south-east": (4, 6)}.items()}  # fmt: skip

    def test_a_water_is_open_where_it_touches_a_side_that_is(self):
        assert all(self.closed(WALLS).values())
        assert not any(self.closed(Sides(*["open"] * 4)).values())
        south = self.closed(Sides("reflecting", "reflecting", "zero", "reflecting"))
        assert south == {"north-west": True, "middle": False, "south-east": False}
        west = self.closed(Sides("reflecting", "reflecting", "reflecting", "open-ghost"))
        assert west == {"north-west": False, "middle": False, "south-east": True}

    def test_land_that_holds_the_water_at_zero_opens_all_beside_it(self):
        assert not any(self.closed(WALLS, flowing=False).values())
        assert regions_of(np.zeros((3, 4), bool), WALLS, flowing=False).closed[1]

    def test_means_are_taken_from_closed_waters_alone(self):
        array = np.random.default_rng(0).uniform(-1.0, 1.0, self.LAKES.shape).astype(np.float32)
        base = np.random.default_rng(1).uniform(-1.0, 1.0, self.LAKES.shape).astype(np.float32)
        regions = regions_of(self.LAKES, Sides("reflecting", "zero", "reflecting", "reflecting"), flowing=True)
        before = array.copy()
        remove_means(array, regions, base)
        for label, closed in enumerate(regions.closed):
            water = regions.labels == label
            if closed:
                assert (array - base)[water].mean() == pytest.approx(0.0, abs=1e-7)
                assert np.ptp((array - before)[water]) < 1e-6
            else:
                np.testing.assert_array_equal(array[water], before[water])

    def test_all_land_has_no_water(self):
        regions = regions_of(np.ones((3, 4), bool), WALLS, flowing=True)
        assert len(regions.sizes) == 1
        remove_means(np.ones((3, 4), np.float32), regions)


def clamped(u, v, depth, fixed, most, step, share):
    """The rules of `clamp_spikes`, point by point, without giving back: heights and velocities."""
    out, moving = u.copy(), v.copy()
    nz, nx = u.shape

    def at(i, j, own):
        return out[i, j] if 0 <= i < nz and 0 <= j < nx and not fixed[i, j] else own

    for i, j in sorted(np.argwhere(~fixed).tolist(), key=lambda point: sum(point) % 2):
        c = out[i, j]
        left, right, above, below = (at(i, j - 1, c), at(i, j + 1, c), at(i - 1, j, c), at(i + 1, j, c))
        offset = (left + right + above + below) / 4.0 - c
        changes = [0.0]
        for behind, ahead in ((left, right), (right, left), (above, below), (below, above)):
            if c - behind > step and c > ahead:
                deep = depth[i, j] + c
                changes.append(share * (max(0.0, 0.5 * (deep + depth[i, j] + ahead)) - deep))
        if abs(offset) > most:
            changes = [offset - np.copysign(most, offset)]
        out[i, j] += max(changes, key=abs)
        if max(changes, key=abs) * moving[i, j] < 0.0:
            moving[i, j] = 0.0
    return out, moving


RULES = {"most": 0.5, "step": 0.8, "share": 0.3}


class TestSpikes:
    @pytest.mark.parametrize("shape", [(2, 2), (3, 9), (12, 2), (14, 17)])
    def test_they_are_clamped_as_the_plain_rules_say(self, shape):
        for seed in range(6):
            rng = np.random.default_rng(seed)
            fixed = rng.random(shape) < 0.2
            u = np.where(fixed, 0.0, rng.normal(0.0, 0.6, shape)).astype(np.float32)
            depth = rng.uniform(0.0, 1.0, shape).astype(np.float32)
            v = np.where(fixed, 0.0, rng.normal(0.0, 2.0, shape)).astype(np.float32)
            expected, moving = clamped(u.astype(float), v, depth.astype(float), fixed, **RULES)
            changed = np.count_nonzero(expected != u)
            regions = regions_of(fixed, WALLS, flowing=True)
            assert abs(clamp_spikes(u, v, depth, regions, **RULES, give_back=False) - changed) <= 1
            np.testing.assert_allclose(u, expected, atol=1e-6)
            np.testing.assert_array_equal(v, moving)

    def test_a_spike_loses_volume_that_its_own_water_gets_back(self):
        fixed = np.zeros((9, 11), bool)
        fixed[:, 5] = True
        regions, depth = regions_of(fixed, WALLS, flowing=True), np.ones((9, 11), np.float32)
        for give_back, volume in ((False, 0.7), (True, 1.0)):
            u = np.zeros((9, 11), np.float32)
            u[4, 2] = 1.0
            assert (
                clamp_spikes(u, np.zeros_like(u), depth, regions, most=0.7, step=9.0, share=0.3, give_back=give_back)
                == 1
            )
            assert u.sum(dtype=float) == pytest.approx(volume, abs=1e-6)
            assert not u[:, 5:].any()
        assert u[4, 2] == pytest.approx(0.7 + 0.3 / 45.0)
        assert u[0, 0] == pytest.approx(0.3 / 45.0)

    def test_smooth_water_is_left_alone(self):
        z, x = np.mgrid[:20, :30] / 10.0
        u = (np.sin(x) * np.cos(z)).astype(np.float32)
        kept = u.copy()
        regions = regions_of(np.zeros(u.shape, bool), WALLS, flowing=True)
        assert clamp_spikes(u, np.zeros_like(u), np.ones_like(u), regions, **RULES, give_back=True) == 0
        np.testing.assert_array_equal(u, kept)

    def test_a_breaking_crest_is_lowered_but_never_below_the_ground(self):
        u = np.zeros((3, 7), np.float32)
        u[:, 3:] = np.linspace(1.0, 0.4, 4, dtype=np.float32)
        regions = regions_of(np.zeros(u.shape, bool), WALLS, flowing=True)
        clamp_spikes(u, np.zeros_like(u), np.ones_like(u), regions, most=9.0, step=0.8, share=0.5, give_back=False)
        assert u[1, 3] == pytest.approx(1.0 - 0.5 * 0.1)
        u[:, 3:] = [-0.2, -0.9, -0.9, -0.9]
        u[:, :3] = -1.5
        clamp_spikes(u, np.zeros_like(u), np.full_like(u, 0.5), regions, most=9.0, step=0.8, share=0.5, give_back=False)
        assert u[1, 3] == pytest.approx(-0.2 - 0.5 * 0.3)  # half of the way to the ground
