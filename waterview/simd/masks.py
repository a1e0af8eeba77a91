"""Masks: what a comparison of vectors gives, one truth a lane; and the arithmetic that formulas with cases need.

In compiled code `a < b` of vectors is a mask, `masks & masks`, `masks ^ masks` are masks, and `where(mask, a, b)` takes
each lane of `a` or of `b`: so a vector goes through a formula with cases without a branch. Beside these there are
`a / b`, `max` and `min` of two or three, and `abs(a)`. A float counts for every lane.
"""

from __future__ import annotations

import functools
import itertools
import operator
from collections.abc import Callable
from typing import Any

from llvmlite import ir
from numba import types
from numba.core.cgutils import get_or_insert_function
from numba.core.typing.templates import AbstractTemplate, infer_global, signature
from numba.extending import intrinsic, lower_builtin, models, register_model

from .vectors import INT, Vector, broadcast

BIT = ir.IntType(1)


class Mask(types.Type):  # type: ignore[misc]
    """A truth for each of `width` lanes, as numba sees it."""

    def __init__(self, width: int) -> None:
        self.width = width
        super().__init__(f"maskx{width}")


@register_model(Mask)
class _MaskModel(models.PrimitiveModel):  # type: ignore[misc]
    def __init__(self, manager: Any, mask: Mask) -> None:
        super().__init__(manager, mask, ir.VectorType(BIT, mask.width))


def _vector_among(kinds: tuple[types.Type, ...]) -> Vector | None:
    """The vector among some vectors and floats; None where there is none, or anything else."""
    vectors = [kind for kind in kinds if isinstance(kind, Vector)]
    return vectors[0] if vectors and all(isinstance(kind, Vector | types.Float) for kind in kinds) else None


def _declare(symbol: Any, counts: tuple[int, ...], result: Callable[[Vector], types.Type], generate: Any) -> None:
    """Give vectors, and floats among them, the operator or function `symbol` of so many arguments."""

    class Operator(AbstractTemplate):  # type: ignore[misc]
        def generic(self, arguments: Any, named: Any) -> Any:
            vector = _vector_among(arguments)
            if vector is None or len(arguments) not in counts:
                return None
            return signature(result(vector), *(kind if kind == vector else types.float32 for kind in arguments))

    def of_vectors(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        width = next(kind.width for kind in signature.args if isinstance(kind, Vector))
        vectors = [broadcast(builder, value, width) for value in arguments]
        return functools.reduce(functools.partial(generate, builder), vectors)

    infer_global(symbol)(Operator)
    for count in counts:
        for kinds in itertools.product((Vector, types.Float), repeat=count):
            if Vector in kinds:
                lower_builtin(symbol, *kinds)(of_vectors)


def _same(vector: Vector) -> Vector:
    return vector


def _mask(vector: Vector) -> Mask:
    return Mask(vector.width)


_declare(operator.truediv, (2,), _same, lambda builder, a, b: builder.fdiv(a, b))
_declare(operator.lt, (2,), _mask, lambda builder, a, b: builder.fcmp_ordered("<", a, b))
_declare(operator.gt, (2,), _mask, lambda builder, a, b: builder.fcmp_ordered(">", a, b))
_declare(max, (2, 3), _same, lambda builder, a, b: builder.select(builder.fcmp_ordered(">", a, b), a, b))
_declare(min, (2, 3), _same, lambda builder, a, b: builder.select(builder.fcmp_ordered("<", a, b), a, b))


@infer_global(abs)
class _Absolute(AbstractTemplate):  # type: ignore[misc]
    def generic(self, arguments: Any, named: Any) -> Any:
        return signature(arguments[0], arguments[0]) if isinstance(arguments[0], Vector) else None


@lower_builtin(abs, Vector)  # type: ignore[untyped-decorator]
def _absolute(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
    kind = arguments[0].type
    name = f"llvm.fabs.v{kind.count}f32"
    return builder.call(get_or_insert_function(builder.module, ir.FunctionType(kind, [kind]), name), arguments)


def _declare_of_masks(symbol: Any, instruction: str) -> None:
    @infer_global(symbol)
    class Operator(AbstractTemplate):  # type: ignore[misc]
        def generic(self, arguments: Any, named: Any) -> Any:
            return signature(arguments[0], *arguments) if all(isinstance(kind, Mask) for kind in arguments) else None

    @lower_builtin(symbol, Mask, Mask)  # type: ignore[untyped-decorator]
    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        return getattr(builder, instruction)(*arguments)


_declare_of_masks(operator.and_, "and_")
_declare_of_masks(operator.or_, "or_")
_declare_of_masks(operator.xor, "xor")


@intrinsic  # type: ignore[untyped-decorator]
def where(typing_context: Any, mask: Any, one: Any, other: Any) -> Any:
    """The lanes of `one` where `mask` is true, and those of `other` elsewhere; a float counts for every lane."""
    kind = Vector(mask.width)

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        return builder.select(arguments[0], *(broadcast(builder, value, mask.width) for value in arguments[1:]))

    return kind(mask, *(each if isinstance(each, Vector) else types.float32 for each in (one, other))), generate


@intrinsic  # type: ignore[untyped-decorator]
def all_lanes(typing_context: Any, mask: Any) -> Any:
    """Whether a mask is true in every lane."""

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        bits = ir.IntType(mask.width)
        return builder.icmp_unsigned("==", builder.bitcast(arguments[0], bits), ir.Constant(bits, -1))

    return types.boolean(mask), generate


@intrinsic  # type: ignore[untyped-decorator]
def first_lanes(typing_context: Any, width: Any, count: Any) -> Any:
    """The mask of the first `count` of `width` lanes, a `jit.Static`: none of them if below 1."""
    kind = Mask(width.value)

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        nothing = ir.Constant(ir.VectorType(count_kind, kind.width), ir.Undefined)
        counts = builder.insert_element(nothing, arguments[1], INT(0))
        counts = builder.shuffle_vector(counts, nothing, ir.Constant(ir.VectorType(INT, kind.width), [0] * kind.width))
        numbers = ir.Constant(ir.VectorType(count_kind, kind.width), list(range(kind.width)))
        return builder.icmp_signed("<", numbers, counts)

    count_kind = ir.IntType(64)
    return kind(width, types.int64), generate


@intrinsic  # type: ignore[untyped-decorator]
def alternate_lanes(typing_context: Any, width: Any, first: Any) -> Any:
    """The mask of every other one of `width` lanes, a `jit.Static`: from lane `first` on, 0 or 1."""
    kind = Mask(width.value)

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        even, odd = (
            ir.Constant(ir.VectorType(BIT, kind.width), [k % 2 == n for k in range(kind.width)]) for n in (0, 1)
        )
        is_odd = builder.icmp_signed("!=", arguments[1], ir.Constant(arguments[1].type, 0))
        return builder.select(is_odd, odd, even)

    return kind(width, types.int64), generate


@intrinsic  # type: ignore[untyped-decorator]
def largest_lane(typing_context: Any, vector: Any) -> Any:
    """The largest number in a vector."""

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        value, width = arguments[0], vector.width
        while width > 1:
            width //= 2
            halves = (ir.Constant(ir.VectorType(INT, width), [*range(k, k + width)]) for k in (0, width))
            low, high = (builder.shuffle_vector(value, value, half) for half in halves)
            value = builder.select(builder.fcmp_ordered(">", low, high), low, high)
        return builder.extract_element(value, INT(0))

    return types.float32(vector), generate
