"""Tuples of vectors: the several numbers of a point, each of them a vector, loaded, stored and shifted together."""

from __future__ import annotations

from typing import Any

from numba import types
from numba.extending import intrinsic

from .vectors import SIZE, Vector, left_of, pointer, right_of


@intrinsic  # type: ignore[untyped-decorator]
def load_each(typing_context: Any, width: Any, count: Any, address: Any, distance: Any) -> Any:
    """A tuple of `count` vectors of `width` floats, both `jit.Static`, `distance` bytes apart from `address` on.

    `address` and `distance` are multiples of a vector's length.
    """
    kind = types.UniTuple(Vector(width.value), count.value)

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        _, _, address, distance = arguments
        vectors = []
        for _ in range(kind.count):
            vectors.append(builder.load(pointer(builder, address, context.get_value_type(kind.dtype))))
            vectors[-1].align = kind.dtype.width * SIZE
            address = builder.add(address, distance)
        return context.make_tuple(builder, kind, vectors)

    return kind(width, count, types.int64, types.int64), generate


@intrinsic  # type: ignore[untyped-decorator]
def store_each(typing_context: Any, address: Any, distance: Any, vectors: Any) -> Any:
    """Write a tuple of vectors `distance` bytes apart from `address` on, as `load_each` reads them."""

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        address, distance, values = arguments
        for k in range(len(vectors)):
            vector = builder.extract_value(values, k)
            builder.store(vector, pointer(builder, address, vector.type)).align = vector.type.count * SIZE
            address = builder.add(address, distance)
        return context.get_dummy_value()

    return types.void(types.int64, types.int64, vectors), generate


def _of_each(shift: Any) -> Any:
    """An intrinsic that does with every vector of two tuples what `shift` does with two vectors."""

    def shifted(typing_context: Any, low: Any, high: Any) -> Any:
        function = typing_context.resolve_value_type(shift)
        kind = function.get_call_type(typing_context, (low[0], low[0]), {})

        def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
            of_vectors, value = context.get_function(function, kind), arguments[0]
            for k in range(len(low)):
                pair = [builder.extract_value(each, k) for each in arguments]
                value = builder.insert_value(value, of_vectors(builder, pair), k)
            return value

        return low(low, low), generate

    return intrinsic(shifted)


each_left_of = _of_each(left_of)
"""As `left_of`, of every vector in two named tuples."""

each_right_of = _of_each(right_of)
"""As `right_of`, of every vector in two named tuples."""
