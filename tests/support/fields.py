"""Fields of heights and their domains, for tests of the wave step."""

import numpy as np
import pytest

from waterview.simd import processor
from waterview.simd.layout import TwoLevels
from waterview.waters.common.borders import BORDER_KINDS, Sides
from waterview.waters.wave import step
from waterview.waters.wave.domain import Domain

PLAIN_BORDERS = tuple(kind.name for kind in BORDER_KINDS.values() if kind.memory == "none")

needs_fma = pytest.mark.skipif(not processor.FUSED, reason="this processor rounds products before they are added")


def field_of(heights, before=None):
    """A field at rest at these heights, shape (nz, nx), or with others a step before."""
    field = TwoLevels(heights.shape)
    field.heights[...] = heights
    field.heights_before[...] = heights if before is None else before
    return field


def bump(shape, row, column, radius):
    """A round hill of height 1 on a field of `shape`."""
    z, x = np.mgrid[: shape[0], : shape[1]]
    return np.exp(-((x - column) ** 2 + (z - row) ** 2) / radius**2)


def dry(shape):
    """No fixed points."""
    return np.zeros(shape, bool)


def everywhere(kind):
    """The same border on all sides."""
    return Sides(kind, kind, kind, kind)


def advance(field, fixed, *, border="zero", shore="zero", **how):
    """Step a field with land on `fixed` and one border all round, or with the `Sides` that `border` is."""
    sides = border if isinstance(border, Sides) else everywhere(border)
    step.advance(field, Domain(fixed, sides, shore), **how)
