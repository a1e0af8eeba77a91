"""Vectors of floats in kernels: numbers that are added and multiplied 16, 8 or 4 at a time.

In compiled code a vector is a value like a float: `a + b`, `gain * a`, `fma(gain, a, b)`. It is loaded from a raw
address and stored to one. How many floats it holds is fixed when a kernel is compiled: `load` takes the number as a
`jit.Static`, everything else follows from its arguments. LLVM makes the machine's own instructions of vectors of any
length, so every length gives the same bits on every machine; `processor.VECTOR_WIDTH` suits the processor.

Written out like this a row of the wave step is twice as fast as the best plain loop that the compiler turns into
vectors by itself: it does not see that a vector's left and right neighbours are already in registers.
"""

from __future__ import annotations

import operator
from collections.abc import Callable
from typing import Any

import llvmlite.binding
from llvmlite import ir
from numba import types
from numba.core.cgutils import get_or_insert_function
from numba.core.typing.templates import AbstractTemplate, infer_global, signature
from numba.extending import intrinsic, lower_builtin, models, register_model

from .processor import FUSED, VALIGND

SIZE = 4  # of a float, and of a pair of half floats [bytes]

FLOAT, HALF, INT, SHORT = ir.FloatType(), ir.HalfType(), ir.IntType(32), ir.IntType(16)

if VALIGND:
    llvmlite.binding.initialize_native_asmparser()  # of inline assembly


class Vector(types.Type):  # type: ignore[misc]
    """A vector of `width` floats, or a block of `rows` such vectors, as numba sees it.

    What is done with a block is done with each of its rows: code that is written for a vector steps several rows at
    once where it is given a block.
    """

    def __init__(self, width: int, rows: int = 0) -> None:
        self.width, self.rows = width, rows
        super().__init__(f"float32x{width}x{rows}" if rows else f"float32x{width}")


@register_model(Vector)
class _VectorModel(models.PrimitiveModel):  # type: ignore[misc]
    def __init__(self, manager: Any, vector: Vector) -> None:
        kind = ir.VectorType(FLOAT, vector.width)
        super().__init__(manager, vector, ir.ArrayType(kind, vector.rows) if vector.rows else kind)


def block(builder: Any, rows: list[Any]) -> Any:
    """A block of LLVM vectors."""
    value = ir.Constant(ir.ArrayType(rows[0].type, len(rows)), ir.Undefined)
    for k, row in enumerate(rows):
        value = builder.insert_value(value, row, k)
    return value


def by_rows(builder: Any, function: Callable[..., Any], *values: Any) -> Any:
    """What `function` makes of vectors, or of the rows of blocks, one after the other; floats count for every row."""
    counts = [value.type.count for value in values if isinstance(value.type, ir.ArrayType)]
    if not counts:
        return function(*values)

    def row(value: Any, k: int) -> Any:
        return builder.extract_value(value, k) if isinstance(value.type, ir.ArrayType) else value

    return block(builder, [function(*(row(value, k) for value in values)) for k in range(counts[0])])


def broadcast(builder: Any, value: Any, width: int) -> Any:
    """`value` in every lane; a vector stays as it is."""
    if isinstance(value.type, ir.VectorType):
        return value
    nothing = ir.Constant(ir.VectorType(FLOAT, width), ir.Undefined)
    first = builder.insert_element(nothing, value, INT(0))
    return builder.shuffle_vector(first, nothing, ir.Constant(ir.VectorType(INT, width), [0] * width))


def _has_lanes(*kinds: types.Type) -> bool:
    return all(isinstance(kind, Vector | types.Float) for kind in kinds)


# --- operators


def _declare(symbol: Any, instruction: str) -> None:
    """Give vectors the operator `symbol`; a float on its left counts for every lane."""

    class Operator(AbstractTemplate):  # type: ignore[misc]
        def generic(self, arguments: Any, named: Any) -> Any:
            if len(arguments) == 2 and isinstance(arguments[1], Vector) and _has_lanes(arguments[0]):
                left, right = arguments
                return signature(right, left if isinstance(left, Vector) else types.float32, right)
            return None

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        def of_vectors(left: Any, right: Any) -> Any:
            return getattr(builder, instruction)(broadcast(builder, left, right.type.count), right)

        return by_rows(builder, of_vectors, *arguments)

    infer_global(symbol)(Operator)
    lower_builtin(symbol, Vector, Vector)(generate)
    lower_builtin(symbol, types.Float, Vector)(generate)


_declare(operator.add, "fadd")
_declare(operator.sub, "fsub")
_declare(operator.mul, "fmul")


@intrinsic  # type: ignore[untyped-decorator]
def fma(typing_context: Any, factor: Any, vector: Any, term: Any) -> Any:
    """factor·vector + term, rounded once where the processor can; for floats, too. `factor` may be a float."""
    if not _has_lanes(factor, vector, term):
        return None
    kind = types.float32 if isinstance(factor, types.Float) else factor

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        def of_vectors(a: Any, x: Any, y: Any) -> Any:
            width = getattr(x.type, "count", None)
            a = a if width is None else broadcast(builder, a, width)
            if not FUSED:
                return builder.fadd(builder.fmul(a, x), y)
            name = "llvm.fma.f32" if width is None else f"llvm.fma.v{width}f32"
            function = get_or_insert_function(builder.module, ir.FunctionType(x.type, [x.type] * 3), name)
            return builder.call(function, [a, x, y])

        return by_rows(builder, of_vectors, *arguments)

    return vector(kind, vector, vector), generate


@intrinsic  # type: ignore[untyped-decorator]
def root(typing_context: Any, vector: Any) -> Any:
    """The square root of every lane."""

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        kind = arguments[0].type
        name = f"llvm.sqrt.v{vector.width}f32"
        return builder.call(get_or_insert_function(builder.module, ir.FunctionType(kind, [kind]), name), arguments)

    return vector(vector), generate


@intrinsic  # type: ignore[untyped-decorator]
def filled(typing_context: Any, width: Any, value: Any) -> Any:
    """A vector of `width` lanes, a `jit.Static`, with the float `value` in each."""
    kind = Vector(width.value)

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        return broadcast(builder, arguments[1], kind.width)

    return kind(width, types.float32), generate


# --- memory


@intrinsic  # type: ignore[untyped-decorator]
def width_of(typing_context: Any, width: Any) -> Any:
    """The number that a `jit.Static` holds."""

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        return ir.Constant(ir.IntType(64), width.value)

    return types.int64(width), generate


def pointer(builder: Any, address: Any, kind: Any) -> Any:
    """A pointer to an LLVM `kind` at `address`."""
    return builder.inttoptr(address, kind.as_pointer())


@intrinsic  # type: ignore[untyped-decorator]
def load(typing_context: Any, width: Any, address: Any) -> Any:
    """The vector of `width` floats, a `jit.Static`, at `address`, a multiple of its length."""
    kind = Vector(width.value)

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        vector = builder.load(pointer(builder, arguments[1], context.get_value_type(kind)))
        vector.align = kind.width * SIZE
        return vector

    return kind(width, types.int64), generate


@intrinsic  # type: ignore[untyped-decorator]
def store(typing_context: Any, address: Any, vector: Any) -> Any:
    """Write `vector` to `address`, a multiple of its length."""

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        written = builder.store(arguments[1], pointer(builder, arguments[0], arguments[1].type))
        written.align = vector.width * SIZE
        return context.get_dummy_value()

    return types.void(types.int64, vector), generate


@intrinsic  # type: ignore[untyped-decorator]
def load_anywhere(typing_context: Any, width: Any, address: Any) -> Any:
    """As `load`, at any address of a float."""
    kind = Vector(width.value)

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        vector = builder.load(pointer(builder, arguments[1], context.get_value_type(kind)))
        vector.align = SIZE
        return vector

    return kind(width, types.int64), generate


@intrinsic  # type: ignore[untyped-decorator]
def store_anywhere(typing_context: Any, address: Any, vector: Any) -> Any:
    """As `store`, at any address of a float."""

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        _give(builder, arguments[0], arguments[1], SIZE, False)
        return context.get_dummy_value()

    return types.void(types.int64, vector), generate


def _give(builder: Any, address: Any, vector: Any, length: int, past_caches: bool) -> None:
    written = builder.store(vector, pointer(builder, address, vector.type))
    written.align = length if past_caches else SIZE
    if past_caches:
        written.set_metadata("nontemporal", builder.module.add_metadata([INT(1)]))


@intrinsic  # type: ignore[untyped-decorator]
def give(typing_context: Any, past_caches: Any, address: Any, vector: Any) -> Any:
    """Write `vector` for others to read: anywhere, or past the caches at a multiple of its length.

    `past_caches` is a `jit.Static` of 0 or 1. What goes past the caches pushes nothing out of them, and memory need not
    be read before it is written; `settle_memory` must follow.
    """

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        _give(builder, arguments[1], arguments[2], vector.width * SIZE, bool(past_caches.value))
        return context.get_dummy_value()

    return types.void(past_caches, types.int64, vector), generate


@intrinsic  # type: ignore[untyped-decorator]
def give_halves(typing_context: Any, past_caches: Any, address: Any, x: Any, z: Any) -> Any:
    """As `give`, for the pairs (x, z) of every lane as half floats, rounded to the nearest, ties to even."""

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        width = x.width
        halves, bits = ir.VectorType(HALF, width), ir.VectorType(SHORT, width)
        first, second = (builder.bitcast(builder.fptrunc(each, halves), bits) for each in arguments[2:])
        order = [number for k in range(width) for number in (k, width + k)]
        pairs = builder.shuffle_vector(first, second, ir.Constant(ir.VectorType(INT, 2 * width), order))
        _give(builder, arguments[1], pairs, width * SIZE, bool(past_caches.value))
        return context.get_dummy_value()

    return types.void(past_caches, types.int64, x, z), generate


@intrinsic  # type: ignore[untyped-decorator]
def settle_memory(typing_context: Any) -> Any:
    """Let everything that was written be seen by other threads before what is written after."""

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        builder.fence("seq_cst")
        return context.get_dummy_value()

    return types.void(), generate


# --- blocks


@intrinsic  # type: ignore[untyped-decorator]
def load_rows(typing_context: Any, width: Any, rows: Any, address: Any, stride: Any) -> Any:
    """A block of rows, a `jit.Static`: as `load`, each `stride` bytes after the one before."""
    kind = Vector(width.value, rows.value)

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        return _loaded_rows(builder, kind, arguments[2], arguments[3])

    return kind(width, rows, types.int64, types.int64), generate


@intrinsic  # type: ignore[untyped-decorator]
def load_rows_and_neighbours(typing_context: Any, width: Any, rows: Any, address: Any, stride: Any) -> Any:
    """As `load_rows`, with the row above the first and the one below the last: two rows more."""
    kind = Vector(width.value, rows.value + 2)

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        return _loaded_rows(builder, kind, builder.sub(arguments[2], arguments[3]), arguments[3])

    return kind(width, rows, types.int64, types.int64), generate


def _loaded_rows(builder: Any, kind: Vector, address: Any, stride: Any) -> Any:
    rows = []
    for _ in range(kind.rows):
        vector = builder.load(pointer(builder, address, ir.VectorType(FLOAT, kind.width)))
        vector.align = kind.width * SIZE
        rows.append(vector)
        address = builder.add(address, stride)
    return block(builder, rows)


@intrinsic  # type: ignore[untyped-decorator]
def store_rows(typing_context: Any, address: Any, stride: Any, rows: Any) -> Any:
    """Write a block: as `store`, each row `stride` bytes after the one before."""

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        address, stride, value = arguments
        for k in range(rows.rows):
            row = builder.extract_value(value, k)
            builder.store(row, pointer(builder, address, row.type)).align = rows.width * SIZE
            address = builder.add(address, stride)
        return context.get_dummy_value()

    return types.void(types.int64, types.int64, rows), generate


def _without(first: int, last: int) -> Any:
    """An intrinsic that leaves out rows of a block at its beginning or its end."""

    def without(typing_context: Any, rows: Any) -> Any:
        kind = Vector(rows.width, rows.rows - first - last)

        def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
            kept = range(first, rows.rows - last)
            return block(builder, [builder.extract_value(arguments[0], k) for k in kept])

        return kind(rows), generate

    return intrinsic(without)


upper = _without(0, 1)
"""upper(rows): a block without its last row."""

lower = _without(1, 0)
"""lower(rows): a block without its first row. Row k of lower(rows) lies below row k of upper(rows)."""


# --- neighbours


def _shifted(lanes_to_the_right: Callable[[int], int]) -> Any:
    """An intrinsic that takes a vector's length of lanes out of two that lie side by side."""

    def shifted(typing_context: Any, low: Any, high: Any) -> Any:
        by = lanes_to_the_right(low.width)

        def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
            def of_vectors(low: Any, high: Any) -> Any:
                kind, width = low.type, low.type.count
                if VALIGND and width in (8, 16):
                    align = ir.InlineAsm(ir.FunctionType(kind, [kind, kind]), f"valignd $${by}, $1, $2, $0", "=v,v,v")
                    # Without these LLVM takes it for a write to memory, and computes it where nobody needs it.
                    return builder.call(align, [low, high], attrs=("readnone", "nounwind"))
                taken = ir.Constant(ir.VectorType(INT, width), [by + k for k in range(width)])
                return builder.shuffle_vector(low, high, taken)

            return by_rows(builder, of_vectors, *arguments)

        return low(low, low), generate

    return intrinsic(shifted)


left_of = _shifted(lambda width: width - 1)
"""left_of(before, here): every lane's left neighbour; the first lane's is the last of the vector `before` it."""

right_of = _shifted(lambda width: 1)
"""right_of(here, after): every lane's right neighbour; the last lane's is the first of the vector `after` it."""


# --- every other lane


def _chosen(lanes: Callable[[int], range | list[int]]) -> Any:
    """An intrinsic that takes some lanes, by their numbers, out of two vectors that lie side by side."""

    def chosen(typing_context: Any, low: Any, high: Any) -> Any:
        def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
            return builder.shuffle_vector(*arguments, ir.Constant(ir.VectorType(INT, low.width), [*lanes(low.width)]))

        return low(low, low), generate

    return intrinsic(chosen)


even_lanes = _chosen(lambda width: range(0, 2 * width, 2))
"""even_lanes(low, high): lanes 0, 2, 4 … of two vectors that lie side by side."""

odd_lanes = _chosen(lambda width: range(1, 2 * width, 2))
"""odd_lanes(low, high): lanes 1, 3, 5 … of two vectors that lie side by side."""


def _paired(width: int) -> list[int]:
    return [lane for k in range(width) for lane in (k, width + k)]


first_pairs = _chosen(lambda width: _paired(width)[:width])
"""first_pairs(evens, odds): the first of the two vectors that have these even and odd lanes."""

last_pairs = _chosen(lambda width: _paired(width)[width:])
"""last_pairs(evens, odds): the second of them."""
