"""Vectors of floats in kernels: numbers that are added and multiplied 16, 8 or 4 at a time.

In compiled code a vector is a value like a float: `a + b`, `gain * a`, `fma(gain, a, b)`. It is loaded from a raw
address and stored to one. How many floats it holds is fixed when a kernel is compiled: `load` takes the number as a
`jit.Static`, everything else follows from its arguments. LLVM makes the machine's own instructions of vectors of any
length, so every length gives the same bits on every machine; `lanes()` is the one that suits the processor.

Written out like this a row of the wave step is twice as fast as the best plain loop that the compiler turns into
vectors by itself: it does not see that a vector's left and right neighbours are already in registers.
"""

from __future__ import annotations

import operator
import os
import platform
from collections.abc import Callable
from typing import Any

import llvmlite.binding
from llvmlite import ir
from numba import types
from numba.core import config
from numba.core.cgutils import get_or_insert_function
from numba.core.typing.templates import AbstractTemplate, infer_global, signature
from numba.extending import intrinsic, lower_builtin, models, register_model

SIZE = 4  # of a float, and of a pair of half floats [bytes]

WIDTHS = (16, 8, 4)
"""Floats to a vector, on the processors that there are."""

PLAIN = 1
"""Stands for plain loops in place of vectors."""

LANES_VARIABLE = "WATERVIEW_LANES"

FLOAT, HALF, INT, SHORT = ir.FloatType(), ir.HalfType(), ir.IntType(32), ir.IntType(16)


def lanes() -> int:
    """Floats to a vector: 16, 8 or 4 by the processor, or `PLAIN`: plain loops, on processors without vectors.

    The environment's WATERVIEW_LANES, if it is one of these, comes first.
    """
    wanted = os.environ.get(LANES_VARIABLE, "")
    if wanted in map(str, (*WIDTHS, PLAIN)):
        return int(wanted)
    if platform.machine().lower() in ("arm64", "aarch64"):
        return 4
    features = processor_features()
    for width, feature in ((16, "avx512f"), (8, "avx2"), (4, "sse2")):
        if features.get(feature, False):
            return width
    return PLAIN


def processor_features() -> dict[str, bool]:
    """What the processor can do, as far as numba may make use of it."""
    if config.CPU_NAME or config.CPU_FEATURES is not None:  # numba was told to compile for another processor
        return {name[1:]: name[0] == "+" for name in (config.CPU_FEATURES or "").split(",") if name}
    try:
        return dict(llvmlite.binding.get_host_cpu_features())
    except RuntimeError:  # LLVM does not know this kind of processor
        return {}


LANES = lanes()

_X86 = platform.machine().lower() in ("x86_64", "amd64", "i386", "i686")
# Without an instruction for it every product and sum in one rounding would be a call into the C library.
FUSED = not _X86 or processor_features().get("fma", False)
HALVES = not _X86 or processor_features().get("f16c", False)
"""Whether the processor turns floats into half floats."""
# valignd shifts two vectors in half the time that the permutation takes which LLVM makes of a shuffle of floats: 15 %
# of the whole wave step on a Zen 4. Inline assembly is the only way to ask for it.
_VALIGND = _X86 and processor_features().get("avx512vl", False)
if _VALIGND:
    llvmlite.binding.initialize_native_asmparser()


class Vector(types.Type):  # type: ignore[misc]
    """A vector of `width` floats, as numba sees it."""

    def __init__(self, width: int) -> None:
        self.width = width
        super().__init__(f"float32x{width}")


@register_model(Vector)
class _VectorModel(models.PrimitiveModel):  # type: ignore[misc]
    def __init__(self, manager: Any, vector: Vector) -> None:
        super().__init__(manager, vector, ir.VectorType(FLOAT, vector.width))


def _broadcast(builder: Any, value: Any, width: int) -> Any:
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
        left, right = arguments
        return getattr(builder, instruction)(_broadcast(builder, left, right.type.count), right)

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
        a, x, y = arguments
        width = getattr(x.type, "count", None)
        a = a if width is None else _broadcast(builder, a, width)
        if not FUSED:
            return builder.fadd(builder.fmul(a, x), y)
        name = "llvm.fma.f32" if width is None else f"llvm.fma.v{width}f32"
        function = get_or_insert_function(builder.module, ir.FunctionType(x.type, [x.type] * 3), name)
        return builder.call(function, [a, x, y])

    return vector(kind, vector, vector), generate


# --- memory


@intrinsic  # type: ignore[untyped-decorator]
def width_of(typing_context: Any, width: Any) -> Any:
    """The number that a `jit.Static` holds."""

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        return ir.Constant(ir.IntType(64), width.value)

    return types.int64(width), generate


def _pointer(builder: Any, address: Any, kind: Any) -> Any:
    return builder.inttoptr(address, kind.as_pointer())


@intrinsic  # type: ignore[untyped-decorator]
def load(typing_context: Any, width: Any, address: Any) -> Any:
    """The vector of `width` floats, a `jit.Static`, at `address`, a multiple of its length."""
    kind = Vector(width.value)

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        vector = builder.load(_pointer(builder, arguments[1], context.get_value_type(kind)))
        vector.align = kind.width * SIZE
        return vector

    return kind(width, types.int64), generate


@intrinsic  # type: ignore[untyped-decorator]
def store(typing_context: Any, address: Any, vector: Any) -> Any:
    """Write `vector` to `address`, a multiple of its length."""

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        written = builder.store(arguments[1], _pointer(builder, arguments[0], arguments[1].type))
        written.align = vector.width * SIZE
        return context.get_dummy_value()

    return types.void(types.int64, vector), generate


@intrinsic  # type: ignore[untyped-decorator]
def load_anywhere(typing_context: Any, width: Any, address: Any) -> Any:
    """As `load`, at any address of a float."""
    kind = Vector(width.value)

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        vector = builder.load(_pointer(builder, arguments[1], context.get_value_type(kind)))
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
    written = builder.store(vector, _pointer(builder, address, vector.type))
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


# --- neighbours


def _shifted(lanes_to_the_right: Callable[[int], int]) -> Any:
    """An intrinsic that takes a vector's length of lanes out of two that lie side by side."""

    def shifted(typing_context: Any, low: Any, high: Any) -> Any:
        by = lanes_to_the_right(low.width)

        def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
            kind = arguments[0].type
            if _VALIGND and low.width in (8, 16):
                align = ir.InlineAsm(ir.FunctionType(kind, [kind, kind]), f"valignd $${by}, $1, $2, $0", "=v,v,v")
                return builder.call(align, arguments)
            taken = ir.Constant(ir.VectorType(INT, low.width), [by + k for k in range(low.width)])
            return builder.shuffle_vector(*arguments, taken)

        return low(low, low), generate

    return intrinsic(shifted)


left_of = _shifted(lambda width: width - 1)
"""left_of(before, here): every lane's left neighbour; the first lane's is the last of the vector `before` it."""

right_of = _shifted(lambda width: 1)
"""right_of(here, after): every lane's right neighbour; the last lane's is the first of the vector `after` it."""


# --- choices


def _chosen(builder: Any, bits: Any, column: Any, width: int) -> Any:
    """The bits from number `column` on at the address `bits`, one for each lane."""
    byte = builder.add(bits, builder.ashr(column, column.type(3)))
    mask = builder.load(_pointer(builder, byte, ir.IntType(max(width, 8))))
    mask.align = 1
    if width < 8:
        first = builder.trunc(builder.and_(column, column.type(7)), mask.type)
        mask = builder.trunc(builder.lshr(mask, first), ir.IntType(width))
    return builder.bitcast(mask, ir.VectorType(ir.IntType(1), width))


@intrinsic  # type: ignore[untyped-decorator]
def where_set(typing_context: Any, vector: Any, bits: Any, column: Any) -> Any:
    """`vector` where the bits from number `column` on at the address `bits` are set, and 0 elsewhere.

    Bit k of a byte is its k-th lowest; `column` is a multiple of the vector's length.
    """

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        chosen = _chosen(builder, arguments[1], arguments[2], vector.width)
        return builder.select(chosen, arguments[0], ir.Constant(arguments[0].type, None))

    return vector(vector, types.int64, types.int64), generate


@intrinsic  # type: ignore[untyped-decorator]
def choose(typing_context: Any, vector: Any, other: Any, bits: Any, column: Any) -> Any:
    """As `where_set`, and the lanes of `other` elsewhere."""

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        return builder.select(_chosen(builder, arguments[2], arguments[3], vector.width), *arguments[:2])

    return vector(vector, vector, types.int64, types.int64), generate


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
        high = _broadcast(builder, arguments[0], vector.width)
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
        return _broadcast(builder, arguments[1], kind.width)

    return kind(width, types.float32), generate


@intrinsic  # type: ignore[untyped-decorator]
def any_beyond(typing_context: Any, bound: Any, vector: Any) -> Any:
    """Whether any lane of `vector` is as large as `bound`, a float, in size, or no number."""

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        kind, width = arguments[1].type, vector.width
        fabs = get_or_insert_function(builder.module, ir.FunctionType(kind, [kind]), f"llvm.fabs.v{width}f32")
        sizes, bounds = builder.call(fabs, [arguments[1]]), _broadcast(builder, arguments[0], width)
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
