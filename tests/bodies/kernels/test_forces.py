"""Forces of water on faces, spheres and meshes: closed forms, then plain integrals over the volume."""

import math
from functools import cache

import numpy as np
import pytest
from support.compiled import callable_from_python
from support.ponds import Pond, one_body

from waterview.bodies.flotation import wet_volume
from waterview.bodies.kernels import drag
from waterview.bodies.kernels.records import ENVIRONMENT
from waterview.bodies.kinds import shape_of
from waterview.bodies.meshes import winding

RHO, G = 1000.0, 9.81
face_force = callable_from_python(drag.face_force)


def environment(**values):
    record = np.zeros(1, ENVIRONMENT)
    record["water_density"], record["gravity"] = RHO, G
    for name, value in values.items():
        record[name] = value
    return record[0]


def forces_on(pond, kind, rotation, y, **more):
    """Force and torque of pressure, drag and its torque on a body that hardly moves in one tiny step."""
    bodies, number = one_body(pond, kind, 500.0, size=1.0, y=y, rotation=rotation, **more)
    bodies.step(pond, 1e-9)
    return record_of(bodies), bodies.states()[0], bodies.wet_volume(number)


def record_of(bodies):
    """What is saved of the only body: its forces among others."""
    return {name: values[0] for name, values in bodies.state()["records"].items()}


class TestFaces:
    def test_drag_acts_only_where_the_face_moves_into_the_water(self):
        coefficients = environment(drag=0.8)
        into, out = (face_force((1.0, 0.0, 0.0), 2.0, (s * 3.0, 0.0, 0.0), coefficients) for s in (1.0, -1.0))
        assert into == pytest.approx((-0.5 * RHO * 0.8 * 2.0 * 9.0, 0.0, 0.0))
        assert out == (0.0, 0.0, 0.0)

    def test_drag_is_against_the_motion_on_the_area_that_it_sees(self):
        angle, speed = 0.6, 2.0
        normal = (math.cos(angle), math.sin(angle), 0.0)
        force = face_force(normal, 1.5, (speed, 0.0, 0.0), environment(drag=1.1))
        assert force == pytest.approx((-0.5 * RHO * 1.1 * 1.5 * math.cos(angle) * speed**2, 0.0, 0.0))

    def test_lift_is_square_to_the_motion_in_the_plane_of_the_normal(self):
        """−½ρ C_L A |U| (U × (N × U)/|N × U|) with the area that U sees."""
        rng = np.random.default_rng(0)
        for _ in range(20):
            normal, motion = rng.normal(size=(2, 3))
            normal /= np.linalg.norm(normal)
            if normal @ motion < 0.0:
                normal = -normal
            seen, speed = 0.7 * (normal @ motion) / np.linalg.norm(motion), np.linalg.norm(motion)
            turned = np.cross(normal, motion)
            expected = -0.5 * RHO * 0.9 * seen * speed * np.cross(motion, turned) / np.linalg.norm(turned)
            force = face_force(tuple(normal), 0.7, tuple(motion), environment(lift=0.9))
            np.testing.assert_allclose(force, expected, rtol=1e-9)

    def test_friction_is_along_every_wet_face(self):
        force = face_force((0.0, 1.0, 0.0), 2.0, (3.0, -4.0, 0.0), environment(skin_friction=0.1))
        assert force == pytest.approx((-0.5 * RHO * 0.1 * 2.0 * 5.0 * 3.0, 0.0, 0.0))

    def test_at_rest_there_is_none(self):
        assert face_force(
            (0.0, 1.0, 0.0), 2.0, (0.0, 0.0, 0.0), environment(drag=1.0, lift=1.0, skin_friction=1.0)
        ) == (0.0, 0.0, 0.0)


class TestSpheres:
    @pytest.mark.parametrize("height", [-0.9, -0.5, -0.3, 0.0, 0.2, 0.49, 0.6])
    def test_the_wet_volume_is_that_of_the_cap(self, height):
        record, _, volume = forces_on(Pond(), "sphere", (1, 0, 0, 0), height)
        deep = min(max(0.5 - height, 0.0), 1.0)
        assert volume == pytest.approx(math.pi * deep**2 * (0.5 - deep / 3.0), abs=1e-9)
        np.testing.assert_allclose(record["force"], (0.0, RHO * G * volume, 0.0), atol=1e-6)

    def test_on_tilted_water_the_cap_is_square_to_it(self):
        pond = Pond()
        pond.shape(lambda x, z: 0.3 * x - 0.1 * z)
        record, _, volume = forces_on(pond, "sphere", (1, 0, 0, 0), 0.2)
        deep = 0.5 - 0.2 / math.sqrt(1.0 + 0.3**2 + 0.1**2)
        assert volume == pytest.approx(math.pi * deep**2 * (0.5 - deep / 3.0), rel=1e-5)
        np.testing.assert_allclose(record["force"], RHO * G * volume * np.array((-0.3, 1.0, 0.1)), rtol=1e-5)

    def test_nothing_pushes_a_falling_sphere_aside(self):
        bodies, number = one_body(Pond(), size=1.0, y=-2.0)
        bodies.set_velocity(number, (0.0, -3.0, 0.0))
        bodies.step(Pond(), 1e-6)
        drag = record_of(bodies)["drag"]
        assert drag[1] > 0.0
        assert np.abs(drag[[0, 2]]).max() < 1e-12 * drag[1]

    @pytest.mark.parametrize("axis", [0, 1, 2])
    def test_friction_turns_against_the_spin(self, axis):
        """The integral over the sphere of ½ρ C_F U² and its lever, U the speed of its surface: ⅜π² ρ C_F ω² r⁵."""
        spin = 2.0 * np.eye(3)[axis]
        bodies, number = one_body(Pond(), size=1.0, y=-2.0, drag=0.0, lift=0.0, skin_friction=0.1)
        bodies.set_velocity(number, (0.0, 0.0, 0.0), spin)
        bodies.step(Pond(), 1e-9)
        wanted = 3.0 / 8.0 * math.pi**2 * RHO * 0.1 * 2.0 * 0.5**5
        np.testing.assert_allclose(record_of(bodies)["drag_torque"], -wanted * spin, rtol=0.02, atol=0.02 * wanted)


@cache
def places_inside(kind, cuts=22):
    """A grid of places in a shape, from its centre of mass, and the volume that each stands for."""
    shape = shape_of(kind)
    low, high = shape.vertices.min(axis=0), shape.vertices.max(axis=0)
    axes = [a + (b - a) * (np.arange(cuts) + 0.5) / cuts for a, b in zip(low, high, strict=True)]
    places = np.stack(np.meshgrid(*axes, indexing="ij"), axis=-1).reshape(-1, 3)
    return places[winding(places, shape.vertices, shape.faces) > 0.5], np.prod((high - low) / cuts)


ROTATIONS = [(1, 0, 0, 0), (1, 0.4, 0.3, -0.2), (0.1, 1, 0.5, 0.2), (0, 1, 0, 0), (1, 1, 0, 0)]


@pytest.mark.parametrize("rotation", ROTATIONS)
@pytest.mark.parametrize("kind", ["box", "duck", "boat"])
class TestMeshes:
    @pytest.mark.parametrize("y", [-0.15, 0.0, 0.12])
    def test_pressure_over_wet_faces_is_the_weight_of_the_displaced_water(self, kind, rotation, y):
        record, state, volume = forces_on(Pond(), kind, rotation, y)
        shape = shape_of(kind)
        corners = shape.vertices @ state.rotation.T
        assert volume == pytest.approx(wet_volume(corners, shape.faces, -y), rel=1e-5, abs=1e-7)
        np.testing.assert_allclose(record["force"], (0.0, RHO * G * volume, 0.0), atol=1e-5 * RHO * G)

    @pytest.mark.slow
    def test_and_acts_in_its_middle(self, kind, rotation):
        record, state, volume = forces_on(Pond(), kind, rotation, -0.05)
        places, each = places_inside(kind)
        turned = places @ state.rotation.T
        wet = turned[turned[:, 1] < 0.05]
        assert len(wet) * each == pytest.approx(volume, rel=0.1)  # upright, the level falls between two layers
        expected = np.cross(wet.mean(axis=0), (0.0, RHO * G * volume, 0.0))
        np.testing.assert_allclose(record["torque"], expected, atol=0.02 * RHO * G * volume)

    def test_deep_down_it_is_the_whole_volume(self, kind, rotation):
        _, _, volume = forces_on(Pond(), kind, rotation, -3.0)
        assert volume == pytest.approx(shape_of(kind).volume, rel=1e-4)


@pytest.mark.parametrize("level", [0.05, 0.2, 0.35, 0.55, 0.8, 0.95])
def test_the_wet_part_of_a_face_is_the_share_that_its_heights_give(level):
    """(w − y₀)²/((y₁ − y₀)(y₂ − y₀)) below y₁, else 1 − (y₂ − w)²/((y₂ − y₁)(y₂ − y₀)), seen by friction alone."""
    bodies, number = one_body(Pond(), "box", 500.0, size=1.0, y=0.5 - level, drag=0.0, lift=0.0, skin_friction=1.0)
    bodies.set_velocity(number, (1.0, 0.0, 0.0))
    bodies.step(Pond(), 1e-9)
    # The sides along x and the bottom rub; every side is cut into triangles of all three kinds by the level.
    assert -record_of(bodies)["drag"][0] == pytest.approx(0.5 * RHO * (1.0 + 2.0 * level), rel=1e-6)
