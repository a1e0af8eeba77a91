"""Software OpenGL without a window."""

import moderngl
import numpy as np
import pytest
from scenes import make_frame


@pytest.fixture(scope="session")
def context():
    context = moderngl.create_context(standalone=True, backend="egl", require=330)
    # Left current, it would keep tests with a real window on this thread from making theirs current.
    context.rest = context.simple_framebuffer((1, 1))
    context.__exit__(None, None, None)
    yield context
    context.release()


@pytest.fixture
def ctx(context):
    with context:
        # moderngl binds anew what was bound before it makes a framebuffer: let that be one that stays.
        context.rest.use()
        yield context
        context.rest.use()


@pytest.fixture
def island():
    """A round island in water that is 4 m deep, with a ring of waves beside it; 60 m × 40 m."""
    x, z = np.linspace(-30.0, 30.0, 91)[None, :], np.linspace(-20.0, 20.0, 61)[:, None]
    bed = -4.0 + 12.0 * np.exp(-((x - 6.0) ** 2 + z**2) / 60.0)
    ring = np.hypot(x + 18.0, z - 6.0)
    heights = np.where(bed > 0.0, 0.0, 0.3 * np.cos(2.0 * ring) * np.exp(-ring / 4.0))
    return make_frame((61, 91), 60.0 / 90.0, bed=bed, heights=heights)
