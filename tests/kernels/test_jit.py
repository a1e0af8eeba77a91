"""How kernels are compiled."""

import numba
import pytest

from waterview.kernels import jit as compiling
from waterview.kernels import wave_sweeps


def doubled(x):
    return x + x


def test_a_compiled_function_computes_the_same():
    assert compiling.jit(doubled)(21) == 42


def test_kernels_release_the_lock_and_are_kept_on_disk():
    options = wave_sweeps.advance_rows.targetoptions
    assert options["nogil"] is True
    assert not options.get("fastmath", False)
    assert compiling.cache_place(wave_sweeps.advance_rows) is not None


def test_where_nothing_can_be_cached_the_kernel_still_runs():
    no_file = eval("lambda x: x + x")  # numba finds no place for code that is in no file
    with pytest.raises(RuntimeError, match="cannot cache"):
        numba.njit(cache=True)(no_file)
    compiled = compiling.jit(no_file)
    assert compiled(21) == 42
    assert compiling.cache_place(compiled) is None


def test_other_errors_of_the_compiler_are_not_hidden(monkeypatch):
    def broken(**options):
        raise RuntimeError("the compiler is broken")

    monkeypatch.setattr(numba, "njit", broken)
    with pytest.raises(RuntimeError, match="the compiler is broken"):
        compiling.jit(doubled)
