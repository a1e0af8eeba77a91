# ruff: noqa: D102 -- what run and heights do is said once, in `peers`
# No deferred annotations here: both libraries read the annotations of their kernels.
"""The step in Warp and Taichi, which compile kernels from Python; see `peers`."""

import os
from typing import Any

import numpy as np
from peers import GAIN, KEEP, Padded


class Warp(Padded):
    """NVIDIA Warp on the processor, on one thread: it has no others there."""

    def __init__(self, heights: Any, fixed: Any, threads: int) -> None:
        super().__init__(heights, fixed, threads)
        import warp as wp

        wp.config.quiet = True

        @wp.kernel
        def step(
            h: wp.array2d(dtype=wp.float32),  # type: ignore[valid-type]
            before: wp.array2d(dtype=wp.float32),  # type: ignore[valid-type]
            free: wp.array2d(dtype=wp.float32),  # type: ignore[valid-type]
            keep: wp.float32,
            gain: wp.float32,
        ):
            i, j = wp.tid()
            i, j = i + 1, j + 1
            c = h[i, j]
            sides = h[i, j - 1] + h[i, j + 1] + h[i - 1, j] + h[i + 1, j]
            corners = h[i - 1, j - 1] + h[i - 1, j + 1] + h[i + 1, j - 1] + h[i + 1, j + 1]
            after = c + keep * (c - before[i, j]) + gain * (sides + 0.5 * corners - 6.0 * c)
            before[i, j] = free[i, j] * after

        self.levels = [wp.array(level, dtype=wp.float32, device="cpu") for level in (self.now, self.before)]
        free = wp.array((~self.fixed).astype(np.float32), dtype=wp.float32, device="cpu")
        size = heights.shape
        self.launch = lambda: wp.launch(step, dim=size, inputs=[*self.levels, free, KEEP, GAIN], device="cpu")

    def run(self, steps: int) -> None:
        for _ in range(steps):
            self.launch()
            self.levels.reverse()

    def heights(self) -> Any:
        return self.levels[0].numpy()[1:-1, 1:-1]


class Taichi(Padded):
    """Taichi on the processor."""

    def __init__(self, heights: Any, fixed: Any, threads: int) -> None:
        super().__init__(heights, fixed, threads)
        os.environ["ENABLE_TAICHI_HEADER_PRINT"] = "0"
        import taichi as ti

        ti.init(arch=ti.cpu, cpu_max_num_threads=threads, default_fp=ti.f32, fast_math=False, log_level=ti.ERROR)
        array = ti.types.ndarray(dtype=ti.f32, ndim=2)
        size = heights.shape[0]

        @ti.kernel
        def step(h: array, before: array, free: array, keep: ti.f32, gain: ti.f32):
            for i, j in ti.ndrange((1, size + 1), (1, size + 1)):
                c = h[i, j]
                sides = h[i, j - 1] + h[i, j + 1] + h[i - 1, j] + h[i + 1, j]
                corners = h[i - 1, j - 1] + h[i - 1, j + 1] + h[i + 1, j - 1] + h[i + 1, j + 1]
                after = c + keep * (c - before[i, j]) + gain * (sides + 0.5 * corners - 6.0 * c)
                before[i, j] = free[i, j] * after

        free = (~self.fixed).astype(np.float32)
        self.step = lambda: step(self.now, self.before, free, float(KEEP), float(GAIN))

    def run(self, steps: int) -> None:
        for _ in range(steps):
            self.step()
            self.now, self.before = self.before, self.now
