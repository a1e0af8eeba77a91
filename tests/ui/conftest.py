"""What tests of what people see and do share."""

import numpy as np
import pytest
from support.loops import FakeLoop
from support.scenes import make_frame
from support.viewers import FakeScenes, TunedParams

from waterview.render.settings import ViewParams
from waterview.ui.viewer import Viewer


@pytest.fixture
def messages():
    """What the user was messages, message by message."""
    return []


@pytest.fixture
def performed():
    """What was asked of the window."""
    return []


@pytest.fixture
def loop():
    """Shows water beside a strip of land."""
    bed = np.full((41, 61), -2.0)
    bed[:8] = 3.0
    return FakeLoop(make_frame(bed=bed, params=TunedParams()))


@pytest.fixture
def viewer(loop, messages, performed):
    return Viewer(loop, ViewParams(), FakeScenes(), messages.append, performed.append)
