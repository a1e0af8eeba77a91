"""Vectors whose lanes belong together four by four, as the points of a layer beside four rows of the grid do."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from llvmlite import ir
from numba import types
from numba.extending import intrinsic

from waterview.simd.vectors import FLOAT, INT, Vector, pointer


def _rearranged(lanes_of: Callable[[int], list[int]]) -> Any:
    """An intrinsic that takes lanes out of two vectors of a length; the second one's numbers begin where that ends."""

    def rearranged(typing_context: Any, one: Any, other: Any) -> Any:
        def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
            taken = ir.Constant(ir.VectorType(INT, one.width), lanes_of(one.width))
            return builder.shuffle_vector(*arguments, taken)

        return one(one, one), generate

    return intrinsic(rearranged)


before_in_fours = _rearranged(lambda width: [k - 1 if k % 4 else width + k for k in range(width)])
"""before_in_fours(vector, first): every lane's left neighbour; the first lane of each four is taken from `first`."""

after_in_fours = _rearranged(lambda width: [k + 1 if k % 4 < 3 else width + k for k in range(width)])
"""after_in_fours(vector, last): every lane's right neighbour; the last lane of each four is taken from `last`."""


@intrinsic  # type: ignore[untyped-decorator]
def spread(typing_context: Any, vector: Any) -> Any:
    """Every lane four times, one after the other."""
    kind = Vector(4 * vector.width)

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        nothing = ir.Constant(arguments[0].type, ir.Undefined)
        taken = ir.Constant(ir.VectorType(INT, kind.width), [k // 4 for k in range(kind.width)])
        return builder.shuffle_vector(arguments[0], nothing, taken)

    return kind(vector), generate


@intrinsic  # type: ignore[untyped-decorator]
def load_column(typing_context: Any, rows: Any, address: Any, apart: Any) -> Any:
    """The points above some in a column, these, and those below, as a vector each.

    Of `rows` points, a `jit.Static`, the first is at `address` and the next `apart` bytes on.
    """
    kind = Vector(rows.value)

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        _, at, step = arguments
        at, points = builder.sub(at, step), []
        for _ in range(kind.width + 2):
            points.append(builder.load(pointer(builder, at, FLOAT)))
            at = builder.add(at, step)
        return context.make_tuple(
            builder, signature.return_type, [_joined(builder, points[k : k + kind.width]) for k in range(3)]
        )

    return types.UniTuple(kind, 3)(rows, types.int64, types.int64), generate


def _joined(builder: Any, points: list[Any]) -> Any:
    vector = ir.Constant(ir.VectorType(FLOAT, len(points)), ir.Undefined)
    for lane, point in enumerate(points):
        vector = builder.insert_element(vector, point, INT(lane))
    return vector


@intrinsic  # type: ignore[untyped-decorator]
def store_firsts(typing_context: Any, address: Any, apart: Any, vector: Any) -> Any:
    """Write the first lane of each four into a column: that of the first to `address`, the next `apart` bytes on."""

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        at, step, lanes = arguments
        for lane in range(0, vector.width, 4):
            builder.store(builder.extract_element(lanes, INT(lane)), pointer(builder, at, FLOAT))
            at = builder.add(at, step)
        return context.get_dummy_value()

    return types.void(types.int64, types.int64, vector), generate
