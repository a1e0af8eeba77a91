"""Water whose first step compiles a kernel that nobody has compiled before."""

import importlib
import sys

from numba.core import event

from waterview.simd.jit import jit

from .counting import CountingWater

KERNEL = """
from waterview.simd.jit import jit, part

@part
def inner(x):
    return x + 1

@jit
def outer(x):
    return inner(x)
"""


def compiled_water(monkeypatch, folder, begins):
    """A class of such water; `begins()` is called when the compiler begins with the kernel, and with its part."""
    (folder / "parted_kernel.py").write_text(KERNEL)
    monkeypatch.syspath_prepend(folder)
    monkeypatch.delitem(sys.modules, "parted_kernel", raising=False)
    kernels = importlib.import_module("parted_kernel")

    class Teller(event.Listener):
        def on_start(self, event):
            begins()

        def on_end(self, event):
            pass

    class CompiledWater(CountingWater):
        def step(self):
            with event.install_listener("numba:compile", Teller()):
                kernels.outer(1.0)
            super().step()

    return CompiledWater


def callable_from_python(function):
    """A `callee`, which other kernels call, compiled anew in a form that Python can call."""
    return jit(function.py_func)
