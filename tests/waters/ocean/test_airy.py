"""Deep water that can be touched: the speeds of its waves, its energy, its open sides, land, and ships' wakes."""

import numpy as np
import pytest
from support.waters import Ground, run

from waterview.core.commands import Drop
from waterview.waters.ocean.airy import AiryWater

GRAVITY = 9.81


def still_water(depth, **parameters):
    """200 m × 60 m of water with points 1 m apart, `depth` deep."""
    water = AiryWater(200.0, 60.0, 201, **({"damping": 0.0} | parameters))
    water.set_height_map(Ground(lambda x, z: np.full(np.broadcast(x, z).shape, -depth)))
    return water


def energy(water):
    totals = water.totals()
    return totals.kinetic + totals.potential


@pytest.mark.sampled
@pytest.mark.parametrize("depth", [0.5, 5.0, 100.0])
@pytest.mark.parametrize("waves", [6, 20, 45])
def test_waves_run_at_their_true_speed(depth, waves):
    """The phase of a long train of waves in its middle, which its ends do not reach."""
    water = still_water(depth)
    assert water.depth == pytest.approx(depth)
    state = water.state()
    rows, columns = state["heights"].shape
    k = 2.0 * np.pi * waves / columns
    state["heights"] = np.tile(0.01 * np.cos(k * np.arange(columns)), (rows, 1)).astype(np.float32)
    state["conjugate"] = np.tile(0.01 * np.sin(k * np.arange(columns)), (rows, 1)).astype(np.float32)
    water.load_state(state | {"moves": True})
    omega = np.sqrt(GRAVITY * k * np.tanh(k * depth))
    phases = []
    for _ in range(90):
        phases.append(np.angle(complex(water.height[30, 100], water.conjugate[30, 100])))
        water.step()
    measured = -np.polyfit(np.arange(90) * water.time_step, np.unwrap(phases), 1)[0]
    assert measured == pytest.approx(omega, rel=1e-3)


@pytest.mark.parametrize("depth", [1.0, 100.0])
@pytest.mark.slow
def test_a_given_flow_sends_a_group_of_waves_one_way(depth):
    """q = (ω/k)η along x makes each wave run to higher x; without a flow half of the energy runs each way."""
    water = still_water(depth, steps_per_second=30.0)
    k = 2.0 * np.pi / 12.0
    omega = np.sqrt(GRAVITY * k * np.tanh(k * depth))
    x = water.grid.x - 100.0
    group = 0.01 * np.exp(-((x / 20.0) ** 2)) * np.cos(k * x) * np.ones(water.grid.shape)
    water.set_state(group, np.array([omega / k * group, 0.0 * group]))
    assert np.allclose(water.height, group, atol=1e-7)
    before = energy(water)
    group_speed = 0.5 * omega / k * (1.0 + 2.0 * k * depth / np.sinh(min(2.0 * k * depth, 700.0)))
    run(water, round(40.0 / group_speed * 30.0))
    row = np.square(water.height[30]) + np.square(water.conjugate[30])
    assert (row * x).sum() / row.sum() == pytest.approx(40.0, rel=0.1)
    assert row[x < 0.0].sum() < 0.01 * row.sum()
    assert energy(water) < 1.02 * before
    water.set_state(group)
    assert water.totals().kinetic == 0.0
    run(water, 60)
    row = np.square(water.height[30]) + np.square(water.conjugate[30])
    assert row[x < 0.0].sum() == pytest.approx(row[x > 0.0].sum(), rel=0.01)


def test_a_given_surface_takes_the_place_of_what_was_there_and_leaves_land_dry():
    water = still_water(5.0)
    fixed = np.zeros(water.grid.shape, bool)
    fixed[:, 150:] = True
    water.set_ground(np.where(fixed, 1.0, -5.0).astype(np.float32), np.zeros_like(fixed))
    water.disturb(Drop(50.0, 30.0, 0.2, 3.0))
    run(water, 5)
    water.set_state(np.full(water.grid.shape, 0.1), np.full((2, *water.grid.shape), 0.3))
    assert np.allclose(water.height, np.where(fixed, 0.0, 0.1)) and not water.conjugate[fixed].any()
    water.set_state(np.zeros(water.grid.shape), np.zeros((2, *water.grid.shape)))
    run(water, 5)
    assert not water.height.any() and not water.conjugate.any()


@pytest.mark.slow
def test_undamped_waves_keep_their_energy_until_they_leave():
    water = still_water(100.0)
    water.disturb(Drop(100.0, 30.0, 0.2, 3.0))
    before = energy(water)
    run(water, 200)
    assert energy(water) == pytest.approx(before, rel=2e-3)
    assert 0.4 < water.totals().kinetic / energy(water) < 0.6


@pytest.mark.slow
def test_damping_takes_energy_at_its_rate():
    water = still_water(100.0, damping=0.4)
    water.disturb(Drop(100.0, 30.0, 0.2, 3.0))
    before = energy(water)
    run(water, 120)
    assert energy(water) == pytest.approx(before * np.exp(-0.4 * 2.0), rel=5e-3)


@pytest.mark.slow
def test_open_sides_give_back_little():
    """Beside the same drop on water so wide that nothing comes back."""
    rules = {"damping": 0.0, "steps_per_second": 12.0}
    small, wide = (
        AiryWater(*(60.0 * size,) * 2, 60 * size + 1, (-30.0 * size, 0.0, -30.0 * size), **rules) for size in (1, 5)
    )
    inside = slice(120, 181)
    for water in (small, wide):
        water.set_height_map(Ground(lambda x, z: np.full(np.broadcast(x, z).shape, -20.0)))
        water.disturb(Drop(10.0, 5.0, 0.5, 4.0))
    before, worst = energy(small), 0.0
    for _ in range(12):
        run(small, 30)
        run(wide, 30)
        back = np.square(small.height - wide.height[inside, inside]).sum()
        back += np.square(small.conjugate - wide.conjugate[inside, inside]).sum()
        worst = max(worst, float(back))
    assert worst * 0.5 * 1000.0 * GRAVITY < 0.01 * before
    assert energy(small) < 0.3 * before


@pytest.mark.slow
def test_water_at_rest_stays_at_rest_to_the_bit():
    water = still_water(10.0)
    run(water, 70)
    assert water.at_rest and not water.height.any() and not water.conjugate.any()
    water.time_levels[0][10, 10] += 1e-9
    run(water, 64)
    assert water.at_rest and not water.height.any() and not water.conjugate.any()


@pytest.mark.slow
def test_land_throws_waves_back_and_adds_nothing():
    waters = [still_water(20.0, steps_per_second=20.0) for _ in range(2)]
    waters[0].set_height_map(Ground(lambda x, z: np.where(x > 120.0, 1.0, -20.0)))
    for water in waters:
        for z in water.grid.z:
            water.disturb(Drop(100.0, z, 0.1, 6.0, neutral=False))
    coast, free = waters
    before, largest = coast.grid.x < 120.0, energy(coast)
    for _ in range(32):
        run(coast, 10)
        run(free, 10)
        assert energy(coast) <= largest * (1.0 + 1e-5)
        largest = energy(coast)
    assert not coast.height[:, ~before & (coast.grid.x > 120.0)].any()
    assert np.square(coast.height[:, before]).sum() > 1.5 * np.square(free.height[:, before]).sum()


@pytest.mark.slow
def test_another_step_gives_the_same_water():
    """Steps are exact at any length where there is neither land nor an edge in reach."""
    waters = [still_water(20.0, steps_per_second=rate) for rate in (10.0, 80.0)]
    for water in waters:
        water.disturb(Drop(100.0, 30.0, 0.2, 3.0))
        water.simulate(2.0)
    np.testing.assert_allclose(waters[0].height, waters[1].height, atol=2e-4)


@pytest.mark.slow
def test_it_goes_on_from_its_state_to_the_bit():
    water, other = still_water(20.0), still_water(20.0)
    water.disturb(Drop(100.0, 30.0, 0.2, 3.0))
    run(water, 30)
    other.load_state(water.state())
    run(water, 40)
    run(other, 40)
    assert other.height.tobytes() == water.height.tobytes() and water.height.any()
    with pytest.raises(Exception, match="makes no sense"):
        other.load_state(water.state() | {"conjugate": np.zeros((3, 3), np.float32)})


# --- ships' wakes


def wake(speed):
    """A hump that runs along the middle of deep water for some 45 of its transverse wavelengths / 2π².

    Returns:
        The water, how far behind the hump each column lies [m], and the length 2πU²/g of transverse waves [m].
    """
    length = 2.0 * np.pi * speed**2 / GRAVITY
    spacing = length / 5.8
    water = AiryWater(340.0 * spacing, 150.0 * spacing, 341, steps_per_second=24.0 / speed, damping=0.0)
    x, z, start = water.grid.x, water.grid.z, 30.0 * spacing
    seconds = 280.0 * spacing / speed
    there = np.zeros(water.grid.shape)
    for step in range(int(seconds * water.params.steps_per_second)):
        time = step / water.params.steps_per_second
        place = x[0] + start + speed * time
        distance = (x[None, :] - place) ** 2 + (z[:, None] - z[len(z) // 2]) ** 2
        hump = 0.05 * min(1.0, time * speed / (3.0 * length)) * np.exp(-distance / (2.0 * (0.2 * length) ** 2))
        water.time_levels[0][...] += (hump - there).astype(np.float32)
        there = hump
        water.step()
    return water, place - x, length


AT_THE_CUSP = 0.663
"""Ai(0) / max Ai: across the cusp line the amplitude is Airy's function, whose turning point lies on it."""


@pytest.mark.slow
@pytest.mark.parametrize("speed", [1.5, 3.0, 6.0])
def test_what_moves_draws_kelvins_wake(speed):
    water, behind, length = wake(speed)
    amplitude = np.hypot(water.height, water.conjugate)
    half = np.maximum(amplitude, amplitude[::-1])[len(amplitude) // 2 :]
    places = []
    for distance in np.arange(3.0, 10.0, 0.5) * length:
        column = np.abs(behind - distance).argmin()
        across, crest = half[:, column], half[:, column].argmax()
        bound = AT_THE_CUSP * across[crest]
        k = crest + np.nonzero(across[crest:] < bound)[0][0]
        places.append((behind[column], k - 1 + (across[k - 1] - bound) / (across[k - 1] - across[k])))
    along, sideways = np.array(places).T
    half_angle = np.degrees(np.arctan(np.polyfit(along, sideways * water.grid.spacing, 1)[0]))
    assert half_angle == pytest.approx(np.degrees(np.arcsin(1.0 / 3.0)), abs=0.5)

    on_track = (behind > 1.5 * length) & (behind < 6.0 * length)
    d, heights = behind[on_track], water.height[len(amplitude) // 2, on_track].astype(float)

    def misfit(stretch):
        turn = 2.0 * np.pi * d / (stretch * length)
        waves = np.stack((np.cos(turn), np.sin(turn), np.ones_like(d)), axis=1) / np.sqrt(d)[:, None]
        return np.square(heights - waves @ np.linalg.lstsq(waves, heights, rcond=None)[0]).sum()

    assert min(np.linspace(0.8, 1.2, 401), key=misfit) == pytest.approx(1.0, abs=0.02)
