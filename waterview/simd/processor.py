"""What the processor can do with vectors: how many floats fit into one, and which instructions there are for them.

Compiled code holds all of this as constants.
"""

from __future__ import annotations

import os
import platform

import llvmlite.binding
from numba.core import config

WIDTHS = (16, 8, 4)
"""Floats to a vector, on the processors that there are."""

VARIABLES = "WATERVIEW_VECTOR_WIDTH", "WATERVIEW_LANES"
"""Variables of the environment that say how many floats to put into a vector; the second is the name of earlier."""


def vector_width() -> int:
    """Floats to a vector: 16, 8 or 4 by the processor. LLVM makes single instructions of 4 where there are no vectors.

    The environment's WATERVIEW_VECTOR_WIDTH, if it is one of these, comes first.
    """
    for variable in VARIABLES:
        wanted = os.environ.get(variable, "")
        if wanted in map(str, WIDTHS):
            return int(wanted)
    features = processor_features()
    for width, feature in ((16, "avx512f"), (8, "avx2")):
        if platform.machine().lower() not in ("arm64", "aarch64") and features.get(feature, False):
            return width
    return 4


def processor_features() -> dict[str, bool]:
    """What the processor can do, as far as numba may make use of it."""
    if config.CPU_NAME or config.CPU_FEATURES is not None:  # numba was told to compile for another processor
        return {name[1:]: name[0] == "+" for name in (config.CPU_FEATURES or "").split(",") if name}
    try:
        return dict(llvmlite.binding.get_host_cpu_features())
    except RuntimeError:  # LLVM does not know this kind of processor
        return {}


VECTOR_WIDTH = vector_width()

_X86 = platform.machine().lower() in ("x86_64", "amd64", "i386", "i686")
# Without an instruction for it every product and sum in one rounding would be a call into the C library.
FUSED = not _X86 or processor_features().get("fma", False)
HALVES = not _X86 or processor_features().get("f16c", False)
"""Whether the processor turns floats into half floats."""
# valignd shifts two vectors in half the time that the permutation takes which LLVM makes of a shuffle of floats: 15 %
# of the whole wave step on a Zen 4. Inline assembly is the only way to ask for it.
VALIGND = _X86 and processor_features().get("avx512vl", False)
