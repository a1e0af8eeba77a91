"""Choices among the lanes of vectors: by the bits of a mask, by their size, or one by its number."""

from __future__ import annotations

from typing import Any

from llvmlite import ir
from numba import types
from numba.core.cgutils import get_or_insert_function
from numba.extending import intrinsic

from .vectors import broadcast, by_rows, pointer

# --- by the bits of a mask


def _chosen(builder: Any, bits: Any, column: Any, width: int) -> Any:
    """The bits from number `column` on at the address `bits`, one for each lane."""
    byte = builder.add(bits, builder.ashr(column, column.type(3)))
    mask = builder.load(pointer(builder, byte, ir.IntType(max(width, 8))))
    mask.align = 1
    if width < 8:
        first = builder.trunc(builder.and_(column, column.type(7)), mask.type)
        mask = builder.trunc(builder.lshr(mask, first), ir.IntType(width))
    return builder.bitcast(mask, ir.VectorType(ir.IntType(1), width))


def _selected(builder: Any, vector: Any, other: Any, bits: Any, line: Any, column: Any) -> Any:
    """`vector` where bits are set and `other` elsewhere; the bits of a block's rows lie `line` bytes apart."""

    def of_vectors(one: Any, other: Any) -> Any:
        nonlocal bits
        chosen = builder.select(_chosen(builder, bits, column, one.type.count), one, other)
        bits = builder.add(bits, line)
        return chosen

    return by_rows(builder, of_vectors, vector, other)


@intrinsic  # type: ignore[untyped-decorator]
def where_set(typing_context: Any, vector: Any, bits: Any, line: Any, column: Any) -> Any:
    """`vector` where the bits from number `column` on at the address `bits` are set, and 0 elsewhere.

    Bit k of a byte is its k-th lowest; `column` is a multiple of the vector's length. The bits of the rows of a block
    lie `line` bytes apart.
    """

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        zeros = ir.Constant(arguments[0].type, None)
        return _selected(builder, arguments[0], zeros, *arguments[1:])

    return vector(vector, types.int64, types.int64, types.int64), generate


@intrinsic  # type: ignore[untyped-decorator]
def choose(typing_context: Any, vector: Any, other: Any, bits: Any, line: Any, column: Any) -> Any:
    """As `where_set`, and the lanes of `other` elsewhere."""

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        return _selected(builder, *arguments)

    return vector(vector, vector, types.int64, types.int64, types.int64), generate


# --- by number and by size


@intrinsic  # type: ignore[untyped-decorator]
def with_lane(typing_context: Any, vector: Any, lane: Any, value: Any) -> Any:
    """`vector` with the float `value` in one lane."""

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        return builder.insert_element(arguments[0], arguments[2], arguments[1])

    return vector(vector, types.int64, types.float32), generate


@intrinsic  # type: ignore[untyped-decorator]
def within(typing_context: Any, bound: Any, vector: Any) -> Any:
    """`vector`, held within ±`bound`, a float."""

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        high = broadcast(builder, arguments[0], vector.width)
        low, held = builder.fneg(high), arguments[1]
        held = builder.select(builder.fcmp_ordered("<", held, high), held, high)
        return builder.select(builder.fcmp_ordered(">", held, low), held, low)

    return vector(types.float32, vector), generate


@intrinsic  # type: ignore[untyped-decorator]
def least(typing_context: Any, one: Any, other: Any) -> Any:
    """The smaller of two vectors, lane by lane."""

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        return builder.select(builder.fcmp_ordered("<", *arguments), *arguments)

    return one(one, one), generate


@intrinsic  # type: ignore[untyped-decorator]
def greatest(typing_context: Any, one: Any, other: Any) -> Any:
    """The larger of two vectors, lane by lane."""

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        return builder.select(builder.fcmp_ordered(">", *arguments), *arguments)

    return one(one, one), generate


# --- whether there is any


@intrinsic  # type: ignore[untyped-decorator]
def any_beyond(typing_context: Any, bound: Any, vector: Any) -> Any:
    """Whether any lane of `vector` is as large as `bound`, a float, in size, or no number."""

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        kind, width = arguments[1].type, vector.width
        fabs = get_or_insert_function(builder.module, ir.FunctionType(kind, [kind]), f"llvm.fabs.v{width}f32")
        sizes, bounds = builder.call(fabs, [arguments[1]]), broadcast(builder, arguments[0], width)
        lanes_beyond = builder.bitcast(builder.fcmp_unordered(">=", sizes, bounds), ir.IntType(width))
        return builder.icmp_unsigned("!=", lanes_beyond, ir.IntType(width)(0))

    return types.boolean(types.float32, vector), generate


@intrinsic  # type: ignore[untyped-decorator]
def any_bits(typing_context: Any, vector: Any) -> Any:
    """Whether any bit of `vector` is set: False for zeros only, and not for −0."""

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        bits = ir.IntType(32 * vector.width)
        return builder.icmp_unsigned("!=", builder.bitcast(arguments[0], bits), bits(0))

    return types.boolean(vector), generate
