"""Bodies against each other, against walls and against the ground."""

import math

import numpy as np
import pytest
from support.ponds import Pond, inertia_of, mass_of, one_body, only, run

from waterview.bodies.collection import Bodies

DT = 1.0 / 240.0
SPACE = -1000.0  # level of a pond that is far below


def pair(first, second, **parameters):
    """Two bodies in empty space, each (kind, density, size, position, velocity, spin), and their numbers."""
    pond, bodies, numbers = Pond(level=SPACE), Bodies(gravity=0.0, **parameters), []
    for kind, density, size, position, velocity, spin in (first, second):
        number = bodies.add(pond, kind, density, position[0], position[2], size, y=position[1])
        bodies.set_velocity(number, velocity, spin)
        numbers.append(number)
    return pond, bodies, numbers


def momenta(bodies):
    """Momentum, angular momentum and energy of all bodies."""
    momentum, angular, energy = np.zeros(3), np.zeros(3), 0.0
    for state in bodies.states():
        (velocity, spin), mass = bodies.motion(state.number), mass_of(state)
        own = inertia_of(state) @ spin
        momentum += mass * velocity
        angular += np.cross(state.position, mass * velocity) + own
        energy += 0.5 * mass * velocity @ velocity + 0.5 * spin @ own
    return momentum, angular, energy


class TestEachOther:
    @pytest.mark.parametrize("bounce", [0.0, 0.5, 1.0])
    def test_spheres_that_meet_head_on_part_as_newton_says(self, bounce):
        pond, bodies, (a, b) = pair(
            ("sphere", 500.0, 0.4, (-0.5, 0.0, 0.0), (2.0, 0.0, 0.0), (0.0, 0.0, 0.0)),
            ("sphere", 1500.0, 0.4, (0.5, 0.0, 0.0), (-1.0, 0.0, 0.0), (0.0, 0.0, 0.0)),
            bounce=bounce,
            friction=0.0,
        )
        run(bodies, pond, 0.6, rate=240.0)
        first, second = bodies.motion(a)[0][0], bodies.motion(b)[0][0]
        common = (500.0 * 2.0 - 1500.0 * 1.0) / 2000.0
        assert second - first == pytest.approx(bounce * 3.0, abs=1e-9)
        assert (500.0 * first + 1500.0 * second) / 2000.0 == pytest.approx(common, abs=1e-12)

    @pytest.mark.sampled
    @pytest.mark.parametrize("kinds", [("sphere", "box"), ("box", "box"), ("boat", "duck"), ("duck", "box")])
    def test_momentum_is_kept_and_energy_not_made(self, kinds):
        pond, bodies, _ = pair(
            (kinds[0], 500.0, 0.5, (-0.7, 0.05, 0.1), (2.0, 0.0, 0.0), (0.0, 1.0, 3.0)),
            (kinds[1], 800.0, 0.6, (0.7, 0.0, 0.0), (-1.0, 0.1, 0.0), (2.0, 0.0, 0.0)),
        )
        before = momenta(bodies)
        met = False
        for _ in range(480):
            bodies.step(pond, DT)
            now = momenta(bodies)
            np.testing.assert_allclose(now[0], before[0], atol=1e-9 * np.abs(before[0]).max())
            met = met or now[2] < 0.99 * before[2]
            assert now[2] < before[2] * 1.02
        assert met
        # The shift that parts them moves them a little, so their angular momentum is kept less exactly.
        np.testing.assert_allclose(momenta(bodies)[1], before[1], atol=0.05 * np.linalg.norm(before[1]))

    def test_a_sphere_meets_a_box_exactly_at_its_side(self):
        pond, bodies, (ball, crate) = pair(
            ("sphere", 500.0, 0.2, (-1.0, 0.1, 0.1), (1.0, 0.0, 0.0), (0.0, 0.0, 0.0)),
            ("box", 25_000.0, (1.0, 2.0, 2.0), (0.0, 0.0, 0.0), (0.0, 0.0, 0.0), (0.0, 0.0, 0.0)),
            bounce=1.0,
        )
        farthest = -math.inf
        for _ in range(240):
            bodies.step(pond, DT)
            farthest = max(farthest, bodies.states()[0].position[0])
        assert farthest == pytest.approx(-0.6, abs=2.0 * DT)
        assert bodies.motion(ball)[0][0] < -0.9
        assert bodies.motion(crate)[0][0] > 0.0

    @pytest.mark.parametrize("kind", ["sphere", "box", "duck", "boat"])
    def test_bodies_put_into_each_other_part(self, kind):
        pond, bodies, _ = pair(
            (kind, 500.0, 0.5, (0.0, 0.0, 0.0), (0.0, 0.0, 0.0), (0.0, 0.0, 0.0)),
            (kind, 500.0, 0.5, (0.02, 0.01, 0.0), (0.0, 0.0, 0.0), (0.0, 0.0, 0.0)),
        )
        run(bodies, pond, 2.0, rate=240.0)
        first, second = (state.position for state in bodies.states())
        assert np.linalg.norm(first - second) > 0.08
        assert max(np.linalg.norm(bodies.motion(number)[0]) for number in bodies.numbers) < 1.0

    def test_spheres_in_a_crowd_stay_apart_and_inside(self):
        pond, bodies, rng = Pond(size=3.0, points=61, depth=1.5), Bodies(), np.random.default_rng(1)
        for _ in range(40):
            bodies.add(
                pond, "sphere", rng.uniform(200.0, 2500.0), *rng.uniform(-1.2, 1.2, 2), 0.4, y=rng.uniform(0.0, 3.0)
            )
        run(bodies, pond, 15.0)
        places = np.array([state.position for state in bodies.states()])
        gaps = np.linalg.norm(places[:, None] - places[None], axis=-1)[np.triu_indices(40, 1)]
        assert gaps.min() > 0.97 * 0.4
        assert np.abs(places[:, [0, 2]]).max() < 1.5 - 0.19
        assert places[:, 1].min() > -1.5 + 0.19


class TestWalls:
    @pytest.mark.parametrize("kind", ["sphere", "box", "boat"])
    @pytest.mark.parametrize("direction", [(1.0, 0.0), (-1.0, 0.0), (0.0, 1.0), (0.0, -1.0)])
    def test_they_throw_bodies_back(self, kind, direction):
        pond = Pond(level=SPACE)
        bodies, number = one_body(pond, kind, size=0.6, y=0.0, gravity=0.0, bounce=1.0, friction=0.0)
        bodies.set_velocity(number, (8.0 * direction[0], 0.0, 8.0 * direction[1]))
        farthest = 0.0
        for _ in range(300):
            bodies.step(pond, DT)
            farthest = max(farthest, *abs(only(bodies).position[[0, 2]]))
        assert 5.4 < farthest < 5.97
        velocity, _ = bodies.motion(number)
        assert velocity[[0, 2]] @ direction < -5.0

    def test_a_wall_gives_back_the_share_that_is_asked_for(self):
        pond = Pond(level=SPACE)
        bodies, number = one_body(pond, y=0.0, gravity=0.0, bounce=0.6, friction=0.0)
        bodies.set_velocity(number, (10.0, 0.0, 0.0))
        run(bodies, pond, 0.8, rate=240.0)
        assert bodies.motion(number)[0][0] == pytest.approx(-6.0, rel=1e-9)

    @pytest.mark.parametrize("kind", ["sphere", "box", "duck"])
    def test_nobody_leaves_however_fast(self, kind):
        pond = Pond(size=3.0, points=31, depth=1.0)
        bodies, number = one_body(pond, kind, size=0.3, y=0.5)
        for step in range(300):
            if step % 50 == 0:
                bodies.set_velocity(number, (1e6, 1e5, -1e6))
            bodies.step(pond, 1.0 / 30.0)
            place = only(bodies).position
            assert np.isfinite(place).all()
            assert np.abs(place[[0, 2]]).max() <= 1.5
            assert place[1] > -1.3


class TestGround:
    @pytest.mark.parametrize("kind", ["sphere", "box", "duck", "boat"])
    def test_it_carries_what_lies_on_it(self, kind):
        pond = Pond(depth=-1.0)  # dry: the ground is a metre above the water
        bodies, number = one_body(pond, kind, size=0.5, y=1.6)
        run(bodies, pond, 6.0)
        lowest = min((only(bodies).mesh.vertices * only(bodies).scale @ only(bodies).rotation.T)[:, 1])
        assert only(bodies).position[1] + lowest == pytest.approx(1.0, abs=0.02)
        assert np.linalg.norm(bodies.motion(number)[0]) < 0.01

    def test_a_drop_onto_the_ground_bounces_to_the_share_squared(self):
        pond = Pond(depth=-1.0)
        bodies, _ = one_body(pond, size=0.4, y=3.2, bounce=0.5)
        heights = []
        for _ in range(480):
            bodies.step(pond, DT)
            heights.append(only(bodies).position[1] - 1.2)
        landed = next(k for k, height in enumerate(heights) if height <= 0.0)
        assert max(heights[landed + 5 :]) == pytest.approx(0.25 * 2.0, rel=0.06)

    def test_a_ball_rolls_down_a_slope_as_a_ball_does(self):
        """A full ball that does not slip: 5/7 of g sin α along the slope."""
        pond, slope = Pond(size=20.0, points=201, depth=-1.0), 0.2
        pond.bed = np.ascontiguousarray(
            np.broadcast_to(5.0 - slope * pond.grid.x[None, :], pond.grid.shape), np.float32
        )
        angle = math.atan(slope)
        bodies, number = one_body(pond, x=-5.0, size=0.4, y=6.0 + 0.2 / math.cos(angle), friction=1.0, bounce=0.0)
        run(bodies, pond, 1.0, rate=240.0)
        velocity, spin = bodies.motion(number)
        assert np.linalg.norm(velocity) == pytest.approx(5.0 / 7.0 * 9.81 * math.sin(angle), rel=0.05)
        assert -spin[2] * 0.2 == pytest.approx(np.linalg.norm(velocity), rel=0.05)

    def test_a_steep_shore_holds_floating_bodies_off(self):
        pond = Pond()
        pond.bed[:, pond.grid.x > 2.0] = 1.0
        for kind in ("sphere", "box"):
            bodies, number = one_body(pond, kind, 400.0, size=0.5)
            farthest = 0.0
            for _ in range(240):
                bodies.set_velocity(number, (2.0, 0.0, 0.0), bodies.motion(number)[1])
                bodies.step(pond, 1.0 / 60.0)
                farthest = max(farthest, only(bodies).position[0])
            assert 1.6 < farthest < 2.0
