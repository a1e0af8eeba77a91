"""What tests of what people see and do share."""

import pytest


@pytest.fixture
def told():
    """What the user was told, message by message."""
    return []
