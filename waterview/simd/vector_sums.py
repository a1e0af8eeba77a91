"""Sums of many floats, in vectors of doubles: they hardly round, and have the same bits on every processor."""

from __future__ import annotations

from typing import Any

import numba
from llvmlite import ir
from numba import types
from numba.extending import intrinsic, models, register_model

from .jit import Static, float_pointer, part
from .vectors import SIZE, Vector, load_anywhere

WIDTH = 8
"""Doubles to a vector, on every processor: as many as the largest vectors hold."""

AT_ONCE = 4 * WIDTH
"""Floats that are added side by side: a single sum would wait for each addition before the next."""

_FLOATS = Static(WIDTH)
_PAIRS = ir.VectorType(ir.DoubleType(), WIDTH)


class Sums(types.Type):  # type: ignore[misc]
    """A vector of `WIDTH` doubles, as numba sees it."""

    def __init__(self) -> None:
        super().__init__(f"float64x{WIDTH}")


@register_model(Sums)
class _SumsModel(models.PrimitiveModel):  # type: ignore[misc]
    def __init__(self, manager: Any, sums: Sums) -> None:
        super().__init__(manager, sums, _PAIRS)


SUMS = Sums()


@intrinsic  # type: ignore[untyped-decorator]
def _nothing(typing_context: Any) -> Any:
    """Sums of nothing yet."""

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        return ir.Constant(_PAIRS, None)

    return SUMS(), generate


@intrinsic  # type: ignore[untyped-decorator]
def _with(typing_context: Any, sums: Any, vector: Any) -> Any:
    """`sums`, and `vector` added lane by lane."""

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        return builder.fadd(arguments[0], builder.fpext(arguments[1], _PAIRS))

    return SUMS(SUMS, Vector(WIDTH)), generate


def _across(builder: Any, sums: Any) -> Any:
    """The sum of all lanes, in pairs."""
    width = sums.type.count
    while width > 1:
        width //= 2
        low, high = (ir.Constant(ir.VectorType(ir.IntType(32), width), [*range(k, k + width)]) for k in (0, width))
        sums = builder.fadd(*(builder.shuffle_vector(sums, sums, half) for half in (low, high)))
    return builder.extract_element(sums, ir.IntType(32)(0))


@intrinsic  # type: ignore[untyped-decorator]
def _total(typing_context: Any, a: Any, b: Any, c: Any, d: Any) -> Any:
    """The sum of all lanes of four."""

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        a, b, c, d = arguments
        return _across(builder, builder.fadd(builder.fadd(a, b), builder.fadd(c, d)))

    return types.float64(SUMS, SUMS, SUMS, SUMS), generate


@part
def sum_of(start: int, n: int) -> float:
    """The sum of the `n` floats from the address `start` on."""
    a, b, c, d = _nothing(), _nothing(), _nothing(), _nothing()
    whole = n - n % AT_ONCE
    for j in range(0, whole, AT_ONCE):
        at = start + j * SIZE
        a = _with(a, load_anywhere(_FLOATS, at))
        b = _with(b, load_anywhere(_FLOATS, at + WIDTH * SIZE))
        c = _with(c, load_anywhere(_FLOATS, at + 2 * WIDTH * SIZE))
        d = _with(d, load_anywhere(_FLOATS, at + 3 * WIDTH * SIZE))
    row, result = numba.carray(float_pointer(start), n), float(_total(a, b, c, d))
    for j in range(whole, n):
        result += row[j]
    return result
