"""Okada's rectangular fault against his own printed numbers, a point source, and what symmetry demands."""

import math

import numpy as np
import pytest

from waterview.scene.okada import Fault, surface_displacement

FAULT = Fault(0.0, 0.0, depth=10e3, length=30e3, width=12e3, strike=30.0, dip=40.0, rake=70.0, slip=2.0)


# Okada (1985), table 2, cases 2 and 3: length 3, width 2, depth 4, slip 1.
@pytest.mark.parametrize(
    ("place", "dip", "slips", "printed"),
    [
        ((2.0, 3.0), 70.0, (1.0, 0.0), (-8.689e-3, -4.298e-3, -2.747e-3)),
        ((2.0, 3.0), 70.0, (0.0, 1.0), (-4.682e-3, -3.527e-2, -3.564e-2)),
        ((0.0, 0.0), 90.0, (1.0, 0.0), (0.0, 5.253e-3, 0.0)),
        ((0.0, 0.0), 90.0, (0.0, 1.0), (0.0, 0.0, 0.0)),
    ],
)
def test_the_printed_numbers(place, dip, slips, printed):
    found = surface_displacement(*place, 4.0, math.radians(dip), 3.0, 2.0, *slips)
    assert np.allclose(found, printed, rtol=2e-4, atol=1e-12)


@pytest.mark.parametrize("slips", [(1.0, 0.0), (0.0, 1.0)])
def test_from_afar_it_is_a_point(slips):
    dip, depth, x, y, side = math.radians(35.0), 10.0, 14.0, -11.0, 0.02
    sin, cos = math.sin(dip), math.cos(dip)
    # Okada (1985), eq. 8 and 9: vertical displacement by a point source.
    r = math.sqrt(x * x + y * y + depth * depth)
    p, q = y * cos + depth * sin, y * sin - depth * cos
    i4 = -0.5 * x * y * (2.0 * r + depth) / (r**3 * (r + depth) ** 2)
    i5 = 0.5 * (1.0 / (r * (r + depth)) - x * x * (2.0 * r + depth) / (r**3 * (r + depth) ** 2))
    strike_slip = -(3.0 * x * depth * q / r**5 + i4 * sin) / (2.0 * math.pi)
    dip_slip = -(3.0 * depth * p * q / r**5 - i5 * sin * cos) / (2.0 * math.pi)
    expected = side * side * (slips[0] * strike_slip + slips[1] * dip_slip)
    middle = (x + 0.5 * side, y + 0.5 * side * cos), depth + 0.5 * side * sin
    found = surface_displacement(*middle[0], middle[1], dip, side, side, *slips)[2]
    assert found == pytest.approx(expected, rel=1e-3)


def test_corners_lie_along_the_strike_and_as_far_aside_as_the_dip_leaves():
    """A fault that strikes north dips to the east, where its lower edge is: Okada's y runs to the left, up the dip."""
    north = Fault(100.0, 200.0, depth=10e3, length=30e3, width=12e3, strike=0.0, dip=60.0, rake=90.0, slip=1.0)
    assert np.allclose(north.corners() - (100.0, 200.0), [(3e3, -15e3), (3e3, 15e3), (-3e3, 15e3), (-3e3, -15e3)])
    east = Fault(0.0, 0.0, depth=10e3, length=30e3, width=12e3, strike=90.0, dip=60.0, rake=90.0, slip=1.0)
    assert np.allclose(east.corners(), [(-15e3, -3e3), (15e3, -3e3), (15e3, 3e3), (-15e3, 3e3)])


def test_an_upright_fault_is_the_limit_of_a_steep_one():
    x, y = np.meshgrid(np.linspace(-9.0, 9.0, 13), np.linspace(-8.0, 8.0, 12))
    upright, steep = (surface_displacement(x, y, 4.0, math.radians(dip), 3.0, 2.0, 1.0, 1.0) for dip in (90.0, 89.99))
    assert np.allclose(upright, steep, atol=1e-4) and np.abs(upright).max() > 0.01


def test_two_halves_make_the_whole():
    x, y = np.meshgrid(np.linspace(-9.0, 9.0, 13), np.linspace(-8.0, 8.0, 12))
    dip = math.radians(50.0)
    whole = surface_displacement(x, y, 4.0, dip, 3.0, 2.0, 0.3, 1.0)
    first = surface_displacement(x, y, 4.0, dip, 1.2, 2.0, 0.3, 1.0)
    second = surface_displacement(x - 1.2, y, 4.0, dip, 1.8, 2.0, 0.3, 1.0)
    assert np.allclose(whole, np.add(first, second), atol=1e-12)


def test_it_turns_with_its_strike():
    east, north = np.array([4e3, -9e3, 12e3]), np.array([7e3, 2e3, -5e3])
    angle = math.radians(50.0)  # clockwise, as strikes are
    turned_east = east * math.cos(angle) + north * math.sin(angle)
    turned_north = north * math.cos(angle) - east * math.sin(angle)
    turned = Fault(0.0, 0.0, 10e3, 30e3, 12e3, FAULT.strike + 50.0, 40.0, 70.0, 2.0)
    before, after = FAULT.displacement(east, north), turned.displacement(turned_east, turned_north)
    assert np.allclose(after[2], before[2])
    assert np.allclose(after[0], before[0] * math.cos(angle) + before[1] * math.sin(angle))


def test_a_thrust_lifts_the_side_over_which_it_slips():
    # Strike north: it dips to the east, so rock from the east is thrust up to the west, over the upper edge.
    thrust = Fault(0.0, 0.0, 6e3, 40e3, 10e3, 0.0, 30.0, 90.0, 1.0)
    east = np.linspace(-30e3, 30e3, 601)
    moved_east, _, up = thrust.displacement(east, 0.0)
    assert up.max() > 0.3 and -6e3 < east[up.argmax()] < 3e3
    assert moved_east[np.abs(east - 5e3).argmin()] < 0.0
    normal = Fault(0.0, 0.0, 6e3, 40e3, 10e3, 0.0, 30.0, -90.0, 1.0)
    assert np.allclose(normal.displacement(east, 0.0)[2], -up)


def test_corners_and_edge_lie_where_its_numbers_say():
    fault = Fault(100.0, 200.0, 6e3, 40e3, 10e3, 90.0, 60.0, 90.0, 1.0)  # strike east, dips south
    assert np.allclose(fault.corners().mean(axis=0), (100.0, 200.0))
    assert np.ptp(fault.corners()[:, 0]) == pytest.approx(40e3)
    assert np.ptp(fault.corners()[:, 1]) == pytest.approx(5e3)
    assert fault.top_depth == pytest.approx(6e3 - 5e3 * math.sqrt(0.75))


@pytest.mark.parametrize("rake", [0.0, 90.0])
def test_an_upright_fault_moves_the_ground_as_one_that_is_nearly_so(rake):
    """Its terms are other ones: those of a dip have its cosine below the line."""
    x, y = np.meshgrid(np.linspace(-9e3, 9e3, 13), np.linspace(-7e3, 7e3, 12))
    upright, nearly = (
        np.array(Fault(0.0, 0.0, 3e3, 8e3, 4e3, 0.0, dip, rake, 1.0).displacement(x, y)) for dip in (90.0, 89.9)
    )
    assert np.abs(upright).max() > 0.05
    np.testing.assert_allclose(upright, nearly, atol=5e-3)


def test_lines_on_which_terms_vanish_are_finite():
    fault = Fault(0.0, 0.0, 500.0, 1000.0, 1000.0, 0.0, 90.0, 30.0, 1.0)
    along = np.linspace(-2000.0, 2000.0, 401)
    assert np.isfinite(fault.displacement(0.0, along)).all()
    assert np.isfinite(fault.displacement(along, 500.0)).all()


def test_what_is_as_good_as_level_is_as_level():
    """The inverse of a number next to 0 overflowed, with a warning of numpy's."""
    places = np.linspace(-200.0, 200.0, 41)[None, :], np.linspace(-200.0, 200.0, 41)[:, None]
    with np.errstate(all="raise", under="ignore"):
        nearly = Fault(0.0, 10.0, 5e-324, 100.0, 40.0, 30.0, 5e-324, 90.0, 2.0).displacement(*places)
    level = Fault(0.0, 10.0, 0.0, 100.0, 40.0, 30.0, 0.0, 90.0, 2.0).displacement(*places)
    np.testing.assert_allclose(nearly, level, atol=1e-12)
