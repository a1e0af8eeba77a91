"""The layers of open sides beside their plain twin, and what symmetry asks of them."""

import numpy as np
import pytest
from reference.layers import open_run
from support.fields import bump, dry, everywhere, field_of

from waterview.waters.common.borders import Sides
from waterview.waters.wave.domain import Domain
from waterview.waters.wave.step import STENCILS, advance

OPEN = everywhere("open")


def stepped(start, steps, sides=OPEN, fixed=None, stencil="isotropic", courant=0.6, together=True):
    """Heights after some steps from rest, all in one call or one by one."""
    field, domain = field_of(start), Domain(dry(start.shape) if fixed is None else fixed, sides)
    for _ in range(1 if together else steps):
        advance(field, domain, stencil=stencil, damping=0.003, courant=courant, steps=steps if together else 1)
    return field.heights.copy()


@pytest.mark.parametrize("stencil", STENCILS)
@pytest.mark.parametrize("shape", [(3, 5), (26, 18), (21, 50)])
def test_layers_and_corners_agree_with_the_plain_twin(shape, stencil):
    start, form = bump(shape, 0.8 * shape[0], 0.2 * shape[1], 3.0), STENCILS[stencil]
    expected = open_run(start, form.corner, 0.003, 0.5, form.laplacians, 90)
    assert np.abs(stepped(start, 90, stencil=stencil, courant=0.5) - expected).max() < 3e-6


@pytest.mark.parametrize("turn", [np.fliplr, np.flipud])
def test_every_side_is_the_mirror_image_of_the_opposite_one(turn):
    start = bump((21, 40), 5, 31, 3.0)
    np.testing.assert_allclose(turn(stepped(turn(start), 120)), stepped(start, 120), atol=2e-6)


def test_rows_and_columns_are_stepped_alike():
    """With five points: the layers of a turned domain are its layers turned, though they lie otherwise in memory."""
    start = bump((21, 40), 5, 31, 3.0)
    turned = stepped(np.ascontiguousarray(start.T), 120, stencil="five-point")
    np.testing.assert_allclose(turned.T, stepped(start, 120, stencil="five-point"), atol=2e-6)


@pytest.mark.parametrize("column", [0, 17, 39])
def test_land_at_the_far_end_changes_nothing_before_waves_come_back_from_it(column):
    """Layers beside land take another way through the code than those beside open water, to the same bits."""
    start, fixed = bump((90, 40), 8, 20, 3.0), dry((90, 40))
    fixed[84:, column] = True
    shown = slice(0, 50)  # nothing runs farther than a row a step
    steps = 33
    np.testing.assert_array_equal(stepped(start, steps, fixed=fixed)[shown], stepped(start, steps)[shown])


def test_a_layer_beside_a_wall_in_the_middle_of_a_side_agrees_with_two_basins():
    """A wall that splits a side splits its layer, so each half is as if it were alone."""
    fixed = dry((31, 40))
    fixed[15] = True
    start = bump((31, 40), 7, 36, 3.0)
    start[15:] = 0.0
    sides = Sides("reflecting", "open", "reflecting", "open")
    both = stepped(start, 150, sides, fixed)
    np.testing.assert_allclose(both[:15], stepped(start[:15], 150, sides), atol=2e-6)
    assert not both[15:].any()


@pytest.mark.parametrize(
    "sides", [OPEN, Sides("zero", "open", "zero", "open"), Sides("open", "reflecting", "open", "zero")]
)
def test_single_steps_are_those_of_a_long_call(sides):
    start = bump((50, 33), 30, 4, 3.0)
    np.testing.assert_array_equal(stepped(start, 41, sides, together=False), stepped(start, 41, sides))
