"""How hypothesis runs in all tests."""

from hypothesis import settings

# No test measures time, and the same examples are tried everywhere: a failure is one of the change at hand.
settings.register_profile("waterview", deadline=None, derandomize=True)
settings.load_profile("waterview")
