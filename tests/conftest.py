"""How hypothesis runs in all tests, which members of large families `make quick` runs, and OpenGL without a window."""

import pytest
from hypothesis import settings
from support.contexts import context, ctx, one_context

__all__ = ["context", "ctx", "one_context", "pytest_collection_modifyitems"]

# No test measures time, and the same examples are tried everywhere: a failure is one of the change at hand.
settings.register_profile("waterview", deadline=None, derandomize=True)
settings.load_profile("waterview")


def pytest_collection_modifyitems(items):
    """Of a family marked `sampled` all members but the first are slow."""
    seen = set()
    for item in items:
        if item.get_closest_marker("sampled"):
            family = item.nodeid.partition("[")[0]
            if family in seen:
                item.add_marker(pytest.mark.slow)
            seen.add(family)
