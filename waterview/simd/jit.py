"""How every kernel is compiled: the only compile options of the program, and floats at a raw address.

`nogil` lets the window go on while a kernel runs, `cache` keeps the compiled code on disk. There is no `fastmath`: it
reorders sums, and then two runs need not give the same bits.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable
from typing import Any, TypeVar

import numba
from llvmlite import ir
from numba import types
from numba.core import cgutils
from numba.core.imputils import lower_constant
from numba.extending import NativeValue, intrinsic, models, register_model, typeof_impl, unbox

from .cache import mend_cache

Function = TypeVar("Function", bound=Callable[..., Any])

CALLED = {"nogil": True, "no_cpython_wrapper": True, "no_cfunc_wrapper": True}
INLINED = CALLED | {"forceinline": True}
"""Options of `part`, for `numba.extending.overload` to share: calls with many arguments cost as much as a short row."""


def jit(function: Function) -> Function:
    """`function` compiled to machine code when it is first called.

    numba keeps the code beside the source, or else in the user's cache folder, or in NUMBA_CACHE_DIR. Where none of
    these can be written it raises; the kernel then is compiled anew in every process, a few seconds in all.
    """
    return _compiled(function)


def parallel_jit(function: Function) -> Function:
    """As `jit`, with `numba.prange` on several threads. Never call such a kernel from two threads at once.

    Two at once end the program where numba has no other threading layer than "workqueue".
    """
    return _compiled(function, parallel=True)


def part(function: Function) -> Function:
    """A function that kernels are made of: it becomes part of each that calls it and is not kept on its own."""
    return numba.njit(**INLINED)(function)  # type: ignore[no-any-return]


def task(function: Function) -> Function:
    """A kernel of its own for other kernels to call at its address (`Addresses`, `call_at`); it returns nothing.

    They are compiled without it, and share one code. A `part`, and a `callee` too, is compiled again with each kernel
    that it goes into, and on the way with every part that it is a part of.
    """
    return _compiled(function, no_cpython_wrapper=True, no_cfunc_wrapper=True)


def callee(function: Function) -> Function:
    """A function for kernels to call that stays on its own: where it would be too long to be part of each of them."""
    return numba.njit(**CALLED)(function)  # type: ignore[no-any-return]


class Static:
    """A number or name that kernels are compiled for: each gives a kernel of its own, with `value` as a constant.

    Functions of `part` choose by it with `numba.extending.overload`.
    """

    def __init__(self, value: int | str) -> None:
        self.value = value


class StaticType(types.Type):  # type: ignore[misc]
    """A `Static` as numba sees it: the value belongs to the type."""

    def __init__(self, value: int | str) -> None:
        self.value = value
        super().__init__(f"Static({value!r})")


@register_model(StaticType)
class _NothingModel(models.StructModel):  # type: ignore[misc]
    """The value of a `Static` is in the code already: nothing is passed for it."""

    def __init__(self, manager: Any, kind: StaticType) -> None:
        super().__init__(manager, kind, [])


@typeof_impl.register(Static)  # type: ignore[untyped-decorator]
def _typeof_static(static: Static, context: Any) -> StaticType:
    return StaticType(static.value)


@lower_constant(StaticType)  # type: ignore[untyped-decorator]
def _lower_static(context: Any, builder: Any, kind: Any, value: Any) -> Any:
    return _nothing(context, kind)


@unbox(StaticType)  # type: ignore[untyped-decorator]
def _unbox_static(kind: Any, static: Any, call: Any) -> NativeValue:
    return NativeValue(_nothing(call.context, kind))


def _nothing(context: Any, kind: Any) -> Any:
    return ir.Constant(context.get_value_type(kind), [])


class Codes:
    """The codes of a `jit` kernel, found by a key.

    numba itself looks at every argument of every call to find them, which takes longer than to step a small grid.

    Args:
        kernel: the kernel.
    """

    def __init__(self, kernel: Callable[..., Any]) -> None:
        self._kernel: Any = kernel
        self._codes: dict[Hashable, Callable[..., Any]] = {}

    def of(self, key: Hashable, arguments: tuple[Any, ...]) -> Callable[..., Any]:
        """The code for arguments of these types, which must be the same whenever `key` is; compiled if need be."""
        if key not in self._codes:
            self._codes[key] = self._kernel.compile(tuple(map(numba.typeof, arguments)))
        return self._codes[key]


class Addresses:
    """The addresses of the codes of a `task` whose first arguments are `Static`.

    Args:
        kernel: the kernel.
    """

    def __init__(self, kernel: Callable[..., Any]) -> None:
        self._kernel: Any = kernel
        self._addresses: dict[tuple[int | str, ...], int] = {}

    def of(self, statics: tuple[int | str, ...], arguments: tuple[Any, ...]) -> int:
        """As `Codes.of`, the address of the code for what the first arguments hold; the others are always alike."""
        if statics not in self._addresses:
            kinds = tuple(map(numba.typeof, (*map(Static, statics), *arguments)))
            self._kernel.compile(kinds)
            code = self._kernel.overloads[kinds]
            self._addresses[statics] = code.library.get_pointer_to_function(code.fndesc.llvm_func_name)
        return self._addresses[statics]


@intrinsic  # type: ignore[untyped-decorator]
def call_at(typing_context: Any, address: Any, arguments: Any) -> Any:
    """For compiled code: call the code of a `task` at `address` with a tuple of arguments.

    They must be of the types that it was compiled for; nothing checks it. A `Static` is left out.
    """
    kinds = tuple(map(types.unliteral, arguments))

    def generate(context: Any, builder: Any, signature: Any, values: Any) -> Any:
        convention = context.call_conv
        code = builder.inttoptr(values[0], convention.get_function_type(types.none, kinds).as_pointer())
        given = cgutils.unpack_tuple(builder, values[1])
        status, _ = convention.call_function(builder, code, types.none, kinds, given)
        with cgutils.if_unlikely(builder, status.is_error):
            convention.return_status_propagate(builder, status)
        return context.get_dummy_value()

    return types.void(types.int64, arguments), generate


def _compiled(function: Function, **options: bool) -> Function:
    try:
        kernel: Function = numba.njit(nogil=True, cache=True, **options)(function)
    except RuntimeError as error:
        if "cannot cache" not in str(error):
            raise
        return numba.njit(nogil=True, **options)(function)  # type: ignore[no-any-return]
    mend_cache(kernel)
    return kernel


def cache_place(kernel: Callable[..., Any]) -> str | None:
    """The folder that a `jit` function is kept in; None where no place could be written."""
    path: str | None = kernel.stats.cache_path  # type: ignore[attr-defined]
    return path


def is_kept(kernel: Callable[..., Any]) -> bool:
    """Whether the code of a `jit` function lies on disk, for one kind of arguments at least."""
    return bool(kernel._cache._cache_file._load_index())  # type: ignore[attr-defined]


def pointer_to(element: types.Type) -> Callable[..., Any]:
    """For compiled code: what makes a pointer to an `element` of an address."""

    def pointer(typing_context: Any, address: Any) -> Any:
        def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
            return builder.inttoptr(arguments[0], context.get_value_type(signature.return_type))

        return types.CPointer(element)(types.int64), generate

    return intrinsic(pointer)  # type: ignore[no-any-return]


# Array arguments cost about 200 cycles a row, raw addresses next to nothing: `numba.carray(float_pointer(a), n)` makes
# a row of n floats of the address a (an int64). Nothing checks it: whoever hands out addresses must have checked.
float_pointer = pointer_to(types.float32)
word_pointer = pointer_to(types.uint32)
int_pointer = pointer_to(types.int32)
index_pointer = pointer_to(types.int64)
double_pointer = pointer_to(types.float64)
