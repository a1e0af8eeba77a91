"""Software OpenGL without a window, and an island in it."""

import numpy as np
import pytest
from contexts import context, ctx
from scenes import make_frame

__all__ = ["context", "ctx", "island"]


@pytest.fixture
def island():
    """A round island in water that is 4 m deep, with a ring of waves beside it; 60 m × 40 m."""
    x, z = np.linspace(-30.0, 30.0, 91)[None, :], np.linspace(-20.0, 20.0, 61)[:, None]
    bed = -4.0 + 12.0 * np.exp(-((x - 6.0) ** 2 + z**2) / 60.0)
    ring = np.hypot(x + 18.0, z - 6.0)
    heights = np.where(bed > 0.0, 0.0, 0.3 * np.cos(2.0 * ring) * np.exp(-ring / 4.0))
    return make_frame((61, 91), 60.0 / 90.0, bed=bed, heights=heights)
