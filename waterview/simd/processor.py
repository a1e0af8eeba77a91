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

PLAIN = 1
"""Stands for plain loops in place of vectors."""

LANES_VARIABLE = "WATERVIEW_LANES"


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
VALIGND = _X86 and processor_features().get("avx512vl", False)
