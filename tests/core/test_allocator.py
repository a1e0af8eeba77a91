"""What glibc does with freed memory, before and after the program has told it."""

import platform
import subprocess
import sys

import pytest

FILL_AND_FREE = """
import ctypes, resource, sys
from waterview.core import allocator

for call in sys.argv[1:]:
    getattr(allocator, call)()
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


@pytest.fixture
def pages_made():
    """How many pages are made anew when 26 MB are filled and freed for the third time, after these calls."""

    def run(*calls):
        done = subprocess.run([sys.executable, "-c", FILL_AND_FREE, *calls], check=True, capture_output=True, text=True)
        return int(done.stdout)

    return run


@pytest.mark.skipif(platform.libc_ver()[0] != "glibc", reason="other C libraries are left as they are")
def test_memory_that_software_frees_stays_with_the_program(pages_made):
    assert pages_made() > 5000, "by itself glibc gives it back"
    assert pages_made("keep_freed_memory") < 500


@pytest.mark.skipif(platform.libc_ver()[0] != "glibc", reason="other C libraries are left as they are")
@pytest.mark.parametrize("order", [1, -1])
def test_large_arrays_still_go_back_once_a_file_of_frames_is_open(order):
    """Whichever of the two was called first."""
    script = """
import sys
import numpy as np
from waterview.core import allocator

def resident():
    return int(open("/proc/self/statm").read().split()[1]) * 4096

for call in sys.argv[1:]:
    getattr(allocator, call)()
arrays = [np.ones(1 << 20, np.float32) for each in range(40)]
kept = np.ones(1000)
full = resident()
del arrays
print((full - resident()) >> 20)
"""
    calls = ["keep_freed_memory", "give_back_freed_memory"][::order]
    done = subprocess.run([sys.executable, "-c", script, *calls], check=True, capture_output=True, text=True)
    assert int(done.stdout) > 120, "MB of 160"
