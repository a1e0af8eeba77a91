"""How bodies float, bob, sink and right themselves: closed forms first."""

import math

import numpy as np
import pytest
from support.ponds import Pond, inertia_of, mass_of, one_body, only, run

from waterview.waters.wave.wave_equation import WaveEquationWater

RHO, G = 1000.0, 9.81


def draught(radius, share):
    """Depth at which a sphere of so many times the water's density floats (Archimedes)."""
    low, high = 0.0, 2.0 * radius
    for _ in range(60):
        middle = 0.5 * (low + high)
        wet = math.pi * middle**2 * (radius - middle / 3.0)
        low, high = (middle, high) if wet < share * 4.0 / 3.0 * math.pi * radius**3 else (low, middle)
    return low


def basin(**parameters):
    """A real water of 12 m × 12 m in a closed basin, 3 m deep."""
    return WaveEquationWater(
        12.0, 12.0, 128, (-6.0, 0.0, -6.0), border="reflecting", steps_per_second=60.0, **parameters
    )


class TestArchimedes:
    @pytest.mark.parametrize("density", [50.0, 300.0, 500.0, 900.0])
    def test_a_sphere_rests_at_its_draught(self, density):
        pond, radius = Pond(), 0.3
        bodies, _ = one_body(pond, density=density, y=0.25)
        run(bodies, pond, 25.0)
        assert radius - only(bodies).position[1] == pytest.approx(draught(radius, density / RHO), rel=0.01)

    @pytest.mark.slow
    @pytest.mark.parametrize("wave_speed", [2.0, 20.0])
    def test_and_so_it_does_on_water_that_it_moves(self, wave_speed):
        water, radius = basin(wave_speed=wave_speed), 0.3
        bodies, _ = one_body(water, density=300.0, y=0.25)
        run(bodies, water, 25.0)
        rest = only(bodies).position[1] - water.grid.sample(water.height, *only(bodies).position[[0, 2]])
        assert radius - rest == pytest.approx(draught(radius, 0.3), rel=0.01)

    @pytest.mark.parametrize("water_density", [700.0, 1025.0, 13_534.0])
    def test_the_denser_the_water_the_higher_a_sphere_floats(self, water_density):
        """Alcohol, the sea and mercury: the draught is that of the share of densities."""
        pond, radius = Pond(), 0.3
        bodies, number = one_body(pond, density=500.0, water_density=water_density)
        expected = draught(radius, 500.0 / water_density)
        assert radius - only(bodies).position[1] == pytest.approx(expected, rel=1e-6), "it appears as high as it floats"
        run(bodies, pond, 10.0)
        assert radius - only(bodies).position[1] == pytest.approx(expected, rel=0.01)
        assert bodies.wet_volume(number) * water_density == pytest.approx(mass_of(only(bodies)), rel=0.01)

    @pytest.mark.parametrize("density", [200.0, 500.0, 800.0])
    def test_a_plate_sinks_by_its_share_of_its_height(self, density):
        pond = Pond()
        bodies, _ = one_body(pond, "box", density, size=(1.0, 0.3, 1.0), y=0.0)
        run(bodies, pond, 20.0)
        assert 0.15 - only(bodies).position[1] == pytest.approx(0.3 * density / RHO, rel=0.01)

    @pytest.mark.parametrize("kind", ["duck", "boat"])
    def test_a_mesh_displaces_its_weight_and_floats_upright(self, kind):
        pond = Pond()
        bodies, number = one_body(pond, kind, None, size=1.0)
        run(bodies, pond, 20.0)
        state = only(bodies)
        assert bodies.wet_volume(number) * RHO == pytest.approx(mass_of(state), rel=0.01)
        assert state.rotation[1, 1] > 0.99

    @pytest.mark.parametrize("kind", ["duck", "boat"])
    def test_a_mesh_rests_on_an_even_keel(self, kind):
        pond = Pond()
        bodies, _ = one_body(pond, kind, None, size=1.0)
        run(bodies, pond, 20.0)
        assert abs(math.degrees(math.asin(only(bodies).rotation[1, 0]))) < 0.3

    def test_the_boat_lies_in_the_water_up_to_her_red_bottom(self):
        """A strip of it shows, less than a hundredth of her length."""
        pond = Pond()
        bodies, _ = one_body(pond, "boat", None, size=1.0)
        state = only(bodies)
        heights = state.position[1] + state.mesh.vertices[:, 1]
        red = (state.mesh.colours == (170, 66, 54)).all(axis=1) & (heights < 0.1)
        assert 0.0 < heights[red].max() < 0.01

    @pytest.mark.parametrize("kind", ["sphere", "box", "duck", "boat"])
    def test_it_appears_as_high_as_it_floats(self, kind):
        pond = Pond(level=3.0)
        bodies, number = one_body(pond, kind, 350.0, size=0.8)
        bodies.step(pond, 1e-6)
        assert bodies.wet_volume(number) * RHO == pytest.approx(mass_of(only(bodies)), rel=1e-3)

    @pytest.mark.parametrize("kind", ["sphere", "box", "duck"])
    def test_what_is_heavier_than_water_lies_on_the_ground(self, kind):
        pond = Pond(depth=1.5)
        bodies, number = one_body(pond, kind, 2500.0, size=0.5)
        run(bodies, pond, 12.0)
        assert -1.5 < only(bodies).position[1] < -1.1
        assert np.linalg.norm(bodies.motion(number)[0]) < 0.01


@pytest.mark.parametrize("kind", ["sphere", "box"])
@pytest.mark.parametrize("water_density", [800.0, 1240.0])
def test_in_water_of_another_density_what_weighs_half_as_much_lies_half_under_water(kind, water_density):
    bodies, number = one_body(Pond(), kind, 0.5 * water_density, y=0.0, settling=0.0, water_density=water_density)
    bodies.step(Pond(), 1e-3)
    assert abs(bodies.motion(number)[0][1]) < 1e-6 * G


class TestBobbing:
    """The period 2π √((m + ½ρV)/(ρ g A)): half the displaced mass moves with a sphere, A is its waterline's area."""

    def period(self, bodies, water, rest, rate=120.0, seconds=6.0):
        heights = []
        for _ in range(round(seconds * rate)):
            if hasattr(water, "step"):
                water.step()
            bodies.step(water, 1.0 / rate)
            heights.append(only(bodies).position[1] - rest)
        y = np.array(heights)
        down = np.flatnonzero((y[:-1] > 0.0) & (y[1:] <= 0.0))
        crossings = down + y[down] / (y[down] - y[down + 1])
        assert len(crossings) >= 3
        return np.diff(crossings).mean() / rate

    def theory(self, radius, density):
        deep, mass = draught(radius, density / RHO), density * 4.0 / 3.0 * math.pi * radius**3
        waterline = math.pi * (radius**2 - (radius - deep) ** 2)
        return 2.0 * math.pi * math.sqrt((mass + 0.5 * mass) / (RHO * G * waterline)), radius - deep

    @pytest.mark.parametrize("density", [300.0, 500.0, 700.0])
    @pytest.mark.parametrize("radius", [0.05, 0.3])
    def test_on_water_that_stays_still(self, radius, density):
        pond, (expected, rest) = Pond(), self.theory(radius, density)
        bodies, _ = one_body(pond, density=density, size=2.0 * radius, y=rest + 0.03 * radius)
        assert self.period(bodies, pond, rest) == pytest.approx(expected, rel=0.05)

    @pytest.mark.slow
    @pytest.mark.parametrize("density", [300.0, 700.0])
    def test_on_water_that_it_moves(self, density):
        water, (expected, rest) = basin(wave_speed=20.0), self.theory(0.3, density)
        water.set_parameter("steps_per_second", 120.0)
        bodies, _ = one_body(water, density=density, y=rest + 0.03)
        assert self.period(bodies, water, rest) == pytest.approx(expected, rel=0.05)

    @pytest.mark.slow
    def test_it_comes_to_rest(self):
        water = basin(wave_speed=3.0)
        bodies, number = one_body(water, density=300.0, y=0.5)
        run(bodies, water, 40.0)
        assert np.linalg.norm(bodies.motion(number)[0]) < 0.003
        assert np.abs(water.height).max() < 1e-3


class TestSinking:
    def test_it_falls_freely_through_air(self):
        pond = Pond(depth=60.0, level=-50.0)
        bodies, number = one_body(pond, y=10.0)
        bodies.set_velocity(number, (1.0, 2.0, -0.5))
        run(bodies, pond, 1.0, rate=240.0)
        np.testing.assert_allclose(bodies.motion(number)[0], (1.0, 2.0 - G, -0.5), rtol=1e-12)
        np.testing.assert_allclose(only(bodies).position, (1.0, 10.0 + 2.0 - 0.5 * G, -0.5), atol=0.03)

    def test_a_heavy_sphere_reaches_the_speed_at_which_drag_holds_it(self):
        pond, radius = Pond(depth=100.0), 0.1
        bodies, number = one_body(pond, density=3000.0, size=2 * radius, y=-1.0, drag=0.5, skin_friction=0.03)
        run(bodies, pond, 6.0)
        # Skin friction ½ρC_F|U|U_t sums to C_F·8/3 of the section.
        coefficient = 0.5 + 0.03 * 8.0 / 3.0
        pull = 2000.0 * G * 4.0 / 3.0 * math.pi * radius**3
        expected = math.sqrt(2.0 * pull / (RHO * coefficient * math.pi * radius**2))
        velocity, _ = bodies.motion(number)
        assert -velocity[1] == pytest.approx(expected, rel=0.03)
        assert abs(velocity[0]) + abs(velocity[2]) < 1e-6 * expected

    @pytest.mark.parametrize("kind", ["box", "boat"])
    def test_drag_never_turns_a_motion_round(self, kind):
        pond = Pond(depth=100.0)
        bodies, number = one_body(pond, kind, 1000.0, size=0.5, y=-20.0, drag=5.0, lift=5.0, gravity=0.0)
        bodies.set_velocity(number, (300.0, 0.0, 0.0), (0.0, 80.0, 40.0))
        energy = math.inf
        for _ in range(60):
            bodies.step(pond, 1.0 / 30.0)
            velocity, spin = bodies.motion(number)
            state = only(bodies)
            now = 0.5 * mass_of(state) * 1.5 * velocity @ velocity + 0.5 * 1.25 * spin @ inertia_of(state) @ spin
            assert now <= energy * (1.0 + 1e-9)
            energy = now
        assert np.linalg.norm(velocity) < 30.0


class TestWaves:
    @pytest.mark.parametrize("density", [200.0, 800.0])
    def test_a_slope_drives_a_floating_body_as_it_drives_the_water(self, density):
        """(m + m_a) v' = −ρgV∇η − m_a g∇η with m = ρV gives v' = −g∇η, whatever the body weighs."""
        pond, slope = Pond(), 0.02
        pond.shape(lambda x, z: slope * x)
        bodies, number = one_body(pond, density=density)
        run(bodies, pond, 0.5, rate=240.0)
        velocity, _ = bodies.motion(number)
        assert velocity[0] == pytest.approx(-G * slope * 0.5, rel=0.02)
        assert abs(velocity[2]) < 1e-9

    def test_pressure_on_a_mesh_gives_the_same_slope_force(self):
        pond, slope = Pond(), 0.02
        pond.shape(lambda x, z: -slope * z)
        bodies, number = one_body(pond, "box", 500.0, size=(0.6, 0.3, 0.6), y=0.0)
        run(bodies, pond, 0.25, rate=240.0)
        assert bodies.motion(number)[0][2] == pytest.approx(G * slope * 0.25, rel=0.05)

    @pytest.mark.slow
    def test_a_ball_rides_a_long_wave(self):
        """In a wave a·cos(kx − ωt) the water at the surface moves by a up and down and at ga·k/ω to and fro."""
        pond, a, k, omega, rate = Pond(size=40.0, points=201), 0.1, 2.0 * math.pi / 20.0, 2.0, 120.0
        bodies, number = one_body(pond, density=400.0, size=0.4)
        rest, heights, speeds = only(bodies).position[1], [], []
        for step in range(round(6.0 * math.pi / omega * rate)):
            pond.shape(lambda x, z, t=step / rate: a * min(t, 1.0) * np.cos(k * x - omega * t))
            bodies.step(pond, 1.0 / rate)
            heights.append(only(bodies).position[1] - rest)
            speeds.append(bodies.motion(number)[0][0])
        period = round(2.0 * math.pi / omega * rate)
        assert np.ptp(heights[-period:]) == pytest.approx(2.0 * a, rel=0.1)
        assert np.mean(heights[-period:]) == pytest.approx(0.0, abs=0.1 * a)
        assert np.ptp(speeds[-period:]) == pytest.approx(2.0 * a * G * k / omega, rel=0.1)

    def test_the_extra_push_drives_along_where_the_water_rises_ahead(self):
        pond, rate = Pond(), 120.0
        pushed = []
        for gain in (0.0, 500.0):
            bodies, number = one_body(pond, wave_push=gain)
            for step in range(30):
                pond.shape(lambda x, z, t=step / rate: 0.02 * t * x)
                bodies.step(pond, 1.0 / rate)
            pushed.append(bodies.motion(number)[0][0])
        # gain · 2Δx²·∂(slope)/∂t over the time
        expected = 500.0 * 2.0 * pond.grid.spacing**2 * 0.02 * (29.0 / rate)
        assert pushed[1] - pushed[0] == pytest.approx(expected, rel=0.05)


class TestRighting:
    def test_a_small_heel_is_righted_with_the_metacentric_moment(self):
        """Torque ρgV·GM·θ with GM = KB + I/V − KG, against 1.25 times the moment of inertia: water turns along."""
        pond, heel, dt = Pond(), 0.02, 1e-4
        breadth, height = 1.0, 0.4
        rotation = (math.cos(heel / 2), 0.0, 0.0, math.sin(heel / 2))
        bodies, number = one_body(
            pond, "box", 500.0, size=(breadth, height, 1.0), y=0.0, rotation=rotation, settling=0.0
        )
        bodies.step(pond, dt)
        deep = 0.5 * height
        metacentre = 0.5 * deep + breadth**2 / (12.0 * deep) - 0.5 * height
        mass = 500.0 * breadth * height
        inertia = mass * (breadth**2 + height**2) / 12.0
        expected = -RHO * G * breadth * deep * metacentre * math.sin(heel) / (1.25 * inertia)
        assert bodies.motion(number)[1][2] / dt == pytest.approx(expected, rel=0.01)

    def test_a_standing_plank_falls_flat(self):
        pond = Pond()
        rotation = (math.cos(0.75), 0.0, 0.0, math.sin(0.75))  # 86°
        bodies, _ = one_body(pond, "box", 400.0, size=(1.5, 0.2, 0.6), y=0.0, rotation=rotation)
        run(bodies, pond, 20.0)
        assert abs(only(bodies).rotation[1, 1]) > 0.999

    def test_a_square_beam_of_half_the_waters_density_floats_on_its_edge(self):
        """Known since Huygens: between the densities 0.21 and 0.79 it does not float flat."""
        pond = Pond()
        bodies, _ = one_body(pond, "box", 500.0, size=(0.4, 0.4, 2.0), y=0.0, rotation=(1.0, 0.0, 0.0, 0.05))
        run(bodies, pond, 25.0)
        assert np.abs(only(bodies).rotation[1, :2]) == pytest.approx([math.sqrt(0.5)] * 2, abs=0.02)

    @pytest.mark.parametrize("kind", ["duck", "boat"])
    def test_capsized_they_right_themselves(self, kind):
        pond = Pond()
        bodies, _ = one_body(pond, kind, None, size=1.0, y=0.1, rotation=(0.03, 1.0, 0.0, 0.0))
        bodies.step(pond, 1.0 / 60.0)
        assert only(bodies).rotation[1, 1] < -0.9
        run(bodies, pond, 20.0)
        assert only(bodies).rotation[1, 1] > 0.98


def test_a_tumbling_box_keeps_its_angular_momentum_and_its_energy():
    pond = Pond(level=-1000.0)
    bodies, number = one_body(pond, "box", 500.0, size=(1.0, 0.3, 0.6), y=0.0, gravity=0.0)
    bodies.set_velocity(number, (0.0, 0.0, 0.0), (0.1, 3.0, 0.2))

    def momentum_and_energy():
        _, spin = bodies.motion(number)
        momentum = inertia_of(only(bodies)) @ spin
        return momentum, 0.5 * float(spin @ momentum)

    (momentum, energy), first = momentum_and_energy(), only(bodies).rotation
    run(bodies, pond, 10.0, rate=240.0)
    later, energy_later = momentum_and_energy()
    np.testing.assert_allclose(later, momentum, rtol=1e-9)
    assert energy_later == pytest.approx(energy, rel=0.02)
    assert np.linalg.norm(only(bodies).rotation - first) > 0.5
    np.testing.assert_allclose(only(bodies).rotation @ only(bodies).rotation.T, np.eye(3), atol=1e-12)
