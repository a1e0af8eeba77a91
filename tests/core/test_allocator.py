"""What glibc does with freed memory, before and after the program has told it."""

import platform
import subprocess
import sys

import pytest

pytestmark = pytest.mark.skipif(platform.libc_ver()[0] != "glibc", reason="other C libraries are left as they are")

CALLS = """
import sys
from waterview.core import allocator
for call in sys.argv[1:]:
    getattr(allocator, call)()
"""
FILL_AND_FREE_BLOCKS = """
import ctypes, resource
libc = ctypes.CDLL(None)
libc.malloc.restype, libc.malloc.argtypes, libc.free.argtypes = ctypes.c_void_p, [ctypes.c_size_t], [ctypes.c_void_p]
for turn in range(3):
    before = resource.getrusage(resource.RUSAGE_SELF).ru_minflt
    blocks = [libc.malloc(65536) for each in range(400)]
    for block in blocks:
        ctypes.memset(block, 1, 65536)
    for block in reversed(blocks):
        libc.free(block)
print(resource.getrusage(resource.RUSAGE_SELF).ru_minflt - before)
"""
FILL_AND_FREE_ARRAYS = """
import numpy as np

def resident():
    return int(open("/proc/self/statm").read().split()[1]) * 4096

arrays = [np.ones(1 << 20, np.float32) for each in range(40)]
kept = np.ones(1000)
full = resident()
del arrays
print((full - resident()) >> 20)
"""


def told(script, *calls):
    """The number that a script prints in a process of its own, after these calls."""
    command = [sys.executable, "-c", CALLS + script, *calls]
    return int(subprocess.run(command, check=True, capture_output=True, text=True).stdout)


def test_memory_that_software_frees_stays_with_the_program():
    assert told(FILL_AND_FREE_BLOCKS) > 5000, "pages of 6400 made anew: by itself glibc gives memory back"
    assert told(FILL_AND_FREE_BLOCKS, "keep_freed_memory") < 500


@pytest.mark.parametrize("order", [1, -1])
def test_large_arrays_still_go_back_once_a_file_of_frames_is_open(order):
    """Whichever of the two was called first."""
    calls = ["keep_freed_memory", "give_back_freed_memory"][::order]
    assert told(FILL_AND_FREE_ARRAYS, *calls) > 120, "MB of 160"
