"""Kernels keep their own memory for as long as they use its address."""

import ast
from pathlib import Path

import pytest

import waterview

_ROOT = Path(waterview.__file__).parent
KERNELS = sorted((path for path in _ROOT.rglob("*.py") if {"kernels", "simd"} & set(path.parts)), key=str)
_MAKERS = {"zeros", "empty", "ones", "full", "zeros_like", "empty_like"}
_PASS_ADDRESSES = {"place_of", "carray", "float_pointer", "_floats", "floats_at", "int"}


def early_ends(source: str) -> list[str]:
    """Arrays that functions make and mention for the last time before the last use of an address in them.

    numba frees an array after its last mention; an address does not keep it.
    """
    found = []
    for function in ast.walk(ast.parse(source)):
        if isinstance(function, ast.FunctionDef):
            for statement in ast.walk(function):
                if isinstance(statement, ast.Assign) and _is_new_array(statement.value):
                    for target in statement.targets:
                        names = [node.id for node in ast.walk(target) if isinstance(node, ast.Name)]
                        found += [f"{function.name}: {name}" for name in names if _ends_early(function, name)]
    return found


def _is_new_array(value: ast.expr) -> bool:
    parts = value.elts if isinstance(value, ast.Tuple) else [value]
    return any(
        isinstance(part, ast.Call) and isinstance(part.func, ast.Attribute) and part.func.attr in _MAKERS
        for part in parts
    )


def _ends_early(function: ast.FunctionDef, array: str) -> bool:
    addresses, before = set[str](), None
    while addresses != before:
        before = set(addresses)
        for statement in ast.walk(function):
            if isinstance(statement, ast.Assign) and _is_address(statement.value, array, addresses):
                nodes = (node for target in statement.targets for node in ast.walk(target))
                addresses |= {node.id for node in nodes if isinstance(node, ast.Name)}
    return _last_mention(function, addresses) > _last_mention(function, {array})


def _is_address(value: ast.expr, array: str, addresses: set[str]) -> bool:
    match value:
        case ast.Name(id=name):
            return name in addresses
        case ast.Attribute(value=ast.Attribute(value=ast.Name(id=name), attr="ctypes"), attr="data"):
            return name == array
        case ast.Call(func=ast.Name(id=called) | ast.Attribute(attr=called), args=[first, *_]):
            given = isinstance(first, ast.Name) and first.id == array and called == "place_of"
            return called in _PASS_ADDRESSES and (given or _is_address(first, array, addresses))
        case ast.BinOp(left=left, right=right):
            return _is_address(left, array, addresses) or _is_address(right, array, addresses)
        case ast.Tuple(elts=parts):
            return any(_is_address(part, array, addresses) for part in parts)
    return False


def _last_mention(function: ast.FunctionDef, names: set[str]) -> int:
    return max((n.lineno for n in ast.walk(function) if isinstance(n, ast.Name) and n.id in names), default=0)


def test_kernels_mention_their_memory_after_the_last_use_of_its_address():
    assert len(KERNELS) > 30
    found = {path.relative_to(_ROOT).as_posix(): early_ends(path.read_text(encoding="utf-8")) for path in KERNELS}
    assert not {path: names for path, names in found.items() if names}


@pytest.mark.parametrize(("last", "found"), [("pass", ["f: memory"]), ("memory[0] = 0.0", []), ("return memory", [])])
def test_memory_that_is_freed_early_is_found(last, found):
    source = f"""
def f(n):
    memory = np.zeros(n + 16, np.float32)
    start = memory.ctypes.data
    start += 64 - start % 64
    before, here = start, start + 4 * n
    for i in range(n):
        before, here = here, before
        give(here + i)
    {last}
"""
    assert early_ends(source) == found
