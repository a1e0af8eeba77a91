"""Combinations of many values: all of them in `make test`, a few in `make quick` in which every value occurs."""

from itertools import product

import pytest


def thinned(*axes, rounds=2):
    """Every combination of one value from each axis, for `parametrize`.

    Those that run in `make quick` are few: as many rounds as given, each with every value of the longest axis once and
    every value of the others at least once. The others carry the marker `slow`.
    """
    axes = [list(axis) for axis in axes]
    longest = max(map(len, axes))
    quick = {
        tuple((k + turn * number) % len(axis) for number, axis in enumerate(axes))
        for turn in range(rounds)
        for k in range(longest)
    }
    return [
        pytest.param(
            *(axis[k] for axis, k in zip(axes, numbers, strict=True)),
            marks=() if numbers in quick else pytest.mark.slow,
        )
        for numbers in product(*(range(len(axis)) for axis in axes))
    ]
