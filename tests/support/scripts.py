"""Scripts of the documentation as modules, for tests of what they do."""

import importlib.util
import sys
from contextlib import contextmanager
from pathlib import Path

DOCS = Path(__file__).parents[2] / "docs"


@contextmanager
def script(name):
    """The module in docs/<name>.py, while tests use it."""
    spec = importlib.util.spec_from_file_location(name, DOCS / f"{name}.py")
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module  # dataclasses look there for what their annotations name
    try:
        spec.loader.exec_module(module)
        yield module
    finally:
        del sys.modules[name]
