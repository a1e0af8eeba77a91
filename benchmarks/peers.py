# ruff: noqa: D102 -- what run and heights do is said once, for all peers
"""Other ways to take the same wave step: h⁺ = h + keep·(h − h⁻) + gain·(sides + ½ corners − 6h), 0 at fixed points.

Each peer is a class with `run(steps)`, an even number, and `heights()`, shape (n, n). One whose library is missing
raises an ImportError when it is made, and is then named as missing in the table.
"""

from __future__ import annotations

import ctypes
import os
import subprocess
import tempfile
from pathlib import Path
from typing import Any

import numpy as np

DAMPING, COURANT = 0.002, 0.4
KEEP, GAIN = np.float32(1.0 - DAMPING), np.float32(0.5 * COURANT**2)
KERNEL = np.array([[0.5, 1.0, 0.5], [1.0, -6.0, 1.0], [0.5, 1.0, 0.5]], np.float32)


class Padded:
    """Both levels with a row and column of zeros around."""

    def __init__(self, heights: Any, fixed: Any, threads: int) -> None:
        self.now, self.before = np.pad(heights, 1), np.pad(heights, 1)
        self.fixed, self.free = np.pad(fixed, 1), ~fixed

    def heights(self) -> Any:
        return self.now[1:-1, 1:-1]


class Ours:
    """waterview."""

    def __init__(self, heights: Any, fixed: Any, threads: int) -> None:
        from waterview.simd.layout import TwoLevels
        from waterview.waters.common.borders import Sides
        from waterview.waters.wave.domain import Domain

        domain = Domain(fixed, Sides("zero", "zero", "zero", "zero"), "zero")
        self.field, self.domain, self.threads = TwoLevels(heights.shape), domain, threads
        self.field.heights[...] = self.field.heights_before[...] = heights

    def run(self, steps: int) -> None:
        from waterview.waters.wave.step import advance

        rules = {"stencil": "isotropic", "damping": DAMPING, "courant": COURANT}
        advance(self.field, self.domain, **rules, steps=steps, threads=self.threads)

    def heights(self) -> Any:
        return self.field.heights


class PlainC(Padded):
    """C by gcc -O3 -march=native with OpenMP."""

    def __init__(self, heights: Any, fixed: Any, threads: int) -> None:
        super().__init__(heights, fixed, threads)
        self.dry = self.fixed.astype(np.uint8)
        source, library = Path(__file__).with_name("wave_step.c"), Path(tempfile.mkdtemp()) / "wave_step.so"
        options = ["-O3", "-march=native", "-fopenmp", "-shared", "-fPIC"]
        try:
            subprocess.run(["gcc", *options, str(source), "-o", str(library)], check=True)
        except FileNotFoundError as error:
            raise ImportError("gcc is not installed") from error
        self.code = ctypes.CDLL(str(library)).wave_steps

    def run(self, steps: int) -> None:
        arrays = (ctypes.c_void_p(a.ctypes.data) for a in (self.now, self.before, self.dry))
        size = self.now.shape[0] - 2
        self.code(*arrays, size, ctypes.c_float(KEEP), ctypes.c_float(GAIN), steps)


class NumPy(Padded):
    """Slices."""

    def run(self, steps: int) -> None:
        for _ in range(steps):
            h, c, p = self.now, self.now[1:-1, 1:-1], self.before[1:-1, 1:-1]
            sides = h[1:-1, :-2] + h[1:-1, 2:] + h[:-2, 1:-1] + h[2:, 1:-1]
            corners = h[:-2, :-2] + h[:-2, 2:] + h[2:, :-2] + h[2:, 2:]
            p[...] = (c + KEEP * (c - p) + GAIN * (sides + np.float32(0.5) * corners - np.float32(6.0) * c)) * self.free
            self.now, self.before = self.before, self.now


class Numba(Padded):
    """Two plain loops."""

    def __init__(self, heights: Any, fixed: Any, threads: int) -> None:
        super().__init__(heights, fixed, threads)
        import numba

        def step(h, before, fixed, keep, gain):  # type: ignore[no-untyped-def]
            half, six, zero = np.float32(0.5), np.float32(6.0), np.float32(0.0)
            for i in numba.prange(1, h.shape[0] - 1):
                for j in range(1, h.shape[1] - 1):
                    c = h[i, j]
                    sides = h[i, j - 1] + h[i, j + 1] + h[i - 1, j] + h[i + 1, j]
                    corners = h[i - 1, j - 1] + h[i - 1, j + 1] + h[i + 1, j - 1] + h[i + 1, j + 1]
                    after = c + keep * (c - before[i, j]) + gain * (sides + half * corners - six * c)
                    before[i, j] = zero if fixed[i, j] else after

        self.step = numba.njit(parallel=threads > 1)(step)

    def run(self, steps: int) -> None:
        for _ in range(steps):
            self.step(self.now, self.before, self.fixed, KEEP, GAIN)
            self.now, self.before = self.before, self.now


class SciPy(Padded):
    """scipy.ndimage.convolve."""

    def run(self, steps: int) -> None:
        from scipy.ndimage import convolve

        for _ in range(steps):
            c, p = self.now[1:-1, 1:-1], self.before[1:-1, 1:-1]
            p[...] = (c + KEEP * (c - p) + GAIN * convolve(c, KERNEL, mode="constant")) * self.free
            self.now, self.before = self.before, self.now


class OpenCV(Padded):
    """cv2.filter2D."""

    def __init__(self, heights: Any, fixed: Any, threads: int) -> None:
        super().__init__(heights, fixed, threads)
        import cv2

        cv2.setNumThreads(threads)
        self.filter = lambda c: cv2.filter2D(c, -1, KERNEL, borderType=cv2.BORDER_CONSTANT)

    def run(self, steps: int) -> None:
        for _ in range(steps):
            c, p = np.ascontiguousarray(self.now[1:-1, 1:-1]), self.before[1:-1, 1:-1]
            p[...] = (c + KEEP * (c - p) + GAIN * self.filter(c)) * self.free
            self.now, self.before = self.before, self.now


class Jax:
    """jax.jit with fori_loop."""

    def __init__(self, heights: Any, fixed: Any, threads: int) -> None:
        import jax
        import jax.numpy as jnp

        self.now = self.before = jnp.asarray(heights)
        free = jnp.asarray(~fixed)

        def step(_: Any, levels: Any) -> Any:
            c, p = levels
            h = jnp.pad(c, 1)
            sides = h[1:-1, :-2] + h[1:-1, 2:] + h[:-2, 1:-1] + h[2:, 1:-1]
            corners = h[:-2, :-2] + h[:-2, 2:] + h[2:, :-2] + h[2:, 2:]
            return jnp.where(free, c + KEEP * (c - p) + GAIN * (sides + 0.5 * corners - 6.0 * c), 0.0), c

        self.steps = jax.jit(lambda now, before, n: jax.lax.fori_loop(0, n, step, (now, before)))

    def run(self, steps: int) -> None:
        self.now, self.before = self.steps(self.now, self.before, steps)
        self.now.block_until_ready()

    def heights(self) -> Any:
        return np.asarray(self.now)


class Devito:
    """A Devito operator, optimised as "advanced" with OpenMP."""

    def __init__(self, heights: Any, fixed: Any, threads: int) -> None:
        import devito

        devito.configuration["log-level"] = "ERROR"
        devito.configuration["language"] = "openmp" if threads > 1 else "C"
        grid = devito.Grid(shape=heights.shape, dtype=np.float32)
        self.u = devito.TimeFunction(name="u", grid=grid, time_order=2, space_order=2)
        free = devito.Function(name="free", grid=grid, space_order=0)
        free.data[:] = ~fixed
        self.u.data[:] = heights
        (x, z), t, u = grid.dimensions, grid.stepping_dim, self.u
        at = lambda i, j: u[t, x + i, z + j]  # noqa: E731
        sides = at(-1, 0) + at(1, 0) + at(0, -1) + at(0, 1)
        corners = at(-1, -1) + at(-1, 1) + at(1, -1) + at(1, 1)
        around = sides + 0.5 * corners - 6.0 * u
        after = (u + float(KEEP) * (u - u.backward) + float(GAIN) * around) * free
        self.operator, self.newest = devito.Operator([devito.Eq(u.forward, after)]), 0
        self.tuned = False

    def run(self, steps: int) -> None:
        first = self.newest + 1
        options = {} if self.tuned else {"autotune": "aggressive"}
        self.operator.apply(time_m=first, time_M=first + steps - 1, **options)
        self.newest, self.tuned = self.newest + steps, True

    def heights(self) -> Any:
        return self.u.data[(self.newest + 1) % 3]


PEERS = {
    "waterview": Ours,
    "plain C, OpenMP": PlainC,
    "numba, plain loops": Numba,
    "NumPy slices": NumPy,
    "Devito": Devito,
    "JAX": Jax,
    "OpenCV filter2D": OpenCV,
    "scipy.ndimage": SciPy,
}


def bind(threads: int) -> None:
    """Give every library of this process `threads` processors, each thread its own."""
    if hasattr(os, "sched_setaffinity"):
        os.sched_setaffinity(0, set(sorted(os.sched_getaffinity(0))[:threads]))
    os.environ |= {"OMP_NUM_THREADS": str(threads), "NUMBA_NUM_THREADS": str(threads), "OMP_PROC_BIND": "true"}
