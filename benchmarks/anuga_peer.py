"""How fast shallow water is beside ANUGA, which solves the same equations with finite volumes on triangles.

Run it as `python benchmarks/anuga_peer.py`, with the extra `bench` installed, or with `--anuga PATH`, where PATH is the
Python of another environment with ANUGA in it. `compare.py` runs it, too. Waves 0.3 m high run in a square basin 2 m
deep between walls, everything is wet and nothing is stored. ANUGA steps triangles, four to a square, by its algorithm
DE0: second order in space, one evaluation of the fluxes a step. waterview steps as many square cells with two. Each
program runs in a process of its own; they take turns of a second, so a machine busy with other work slows both alike,
and only the ratios mean anything there.
"""

from __future__ import annotations

import argparse
import contextlib
import json
import os
import statistics
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from typing import Any

DEPTH, HEIGHT, SPACING, GRAVITY = 2.0, 0.3, 0.1, 9.8


def surface(np: Any, x: Any, z: Any) -> Any:
    """Height of the waves [m]."""
    return HEIGHT * np.sin(x) * np.cos(1.3 * z)


def waterview(points: int, threads: int) -> Callable[[], int]:
    """What takes a few steps of `points`² cells and returns their number."""
    import numba
    import numpy as np

    from waterview.waters.shallow.finite_volume import COURANT, FiniteVolumes

    numba.set_num_threads(threads)
    water = FiniteVolumes(np.full((points, points), -DEPTH), SPACING, "reflecting")
    along = SPACING * np.arange(points)
    water.conserved[0] = surface(np, along[None, :], along[:, None])
    step = COURANT * SPACING / (GRAVITY * 2.0 * DEPTH) ** 0.5

    def steps() -> int:
        for _ in range(8):
            water.advance(step, gravity=GRAVITY, damping=0.0, friction=0.0, max_substeps=1)
        return 8

    return steps


def anuga(points: int, threads: int) -> Callable[[], int]:
    """What takes a few steps of `points`² triangles and returns their number."""
    import anuga as program
    import numpy as np

    side = SPACING * points
    domain = program.rectangular_cross_domain(points // 2, points // 2, len1=side, len2=side)
    domain.set_flow_algorithm("DE0")
    domain.set_store(False)
    domain.set_quantity("elevation", -DEPTH)
    domain.set_quantity("friction", 0.0)
    domain.set_quantity("stage", lambda x, z: surface(np, x, z))
    wall = program.Reflective_boundary(domain)
    domain.set_boundary(dict.fromkeys(domain.get_boundary_tags(), wall))

    def steps() -> int:
        taken = 0
        for _ in domain.evolve(duration=0.1):
            taken += domain.number_of_steps
        return taken

    return steps


def serve(program: str, points: int, threads: int) -> None:
    """Answer each line with cell updates a second, in a turn of about a second."""
    steps = {"waterview": waterview, "anuga": anuga}[program](points, threads)
    steps()
    for _ in sys.stdin:
        began, taken = time.perf_counter(), 0
        while (spent := time.perf_counter() - began) < 1.0:
            taken += steps()
        print("rate", json.dumps(taken * points**2 / spent), flush=True)


class Program:
    """A process that steps water when it is asked to."""

    def __init__(self, python: str, program: str, points: int, threads: int) -> None:
        self._name = program
        self._process = subprocess.Popen(
            [python, __file__, "--serve", program, "--points", str(points), "--threads", str(threads)],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
            env={**os.environ, "OMP_NUM_THREADS": str(threads)},
        )  # fmt: skip

    def rate(self) -> float:
        """Cell updates a second in one turn."""
        assert self._process.stdin is not None and self._process.stdout is not None
        with contextlib.suppress(BrokenPipeError):  # it has ended, and there is no answer
            print(file=self._process.stdin, flush=True)
        for line in self._process.stdout:  # ANUGA prints what it does
            if line.startswith("rate "):
                return float(json.loads(line[5:]))
        raise SystemExit(
            f"{self._name} has ended. Is it installed (pip install 'waterview[bench]')? Its own words are above."
        )

    def end(self) -> None:
        """Let the process end."""
        assert self._process.stdin is not None
        self._process.stdin.close()
        self._process.wait()


def compare(points: int, threads: int, turns: int, python: str) -> tuple[float, float, float]:
    """Cells and triangles that the programs step a second, and how many times as fast waterview is: medians of turns.

    Args:
        points: cells along a side.
        threads: of each program.
        turns: of each program.
        python: the interpreter that has ANUGA.
    """
    programs = [Program(sys.executable, "waterview", points, threads), Program(python, "anuga", points, threads)]
    rates = [[each.rate() for each in programs] for _ in range(turns)]
    for each in programs:
        each.end()
    ours, theirs = (statistics.median(each) for each in zip(*rates, strict=True))
    return ours, theirs, statistics.median(one / other for one, other in rates)


def main(arguments: Sequence[str] | None = None) -> None:
    """Compare the sizes and numbers of threads asked for, and print a line for each."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument(
        "--anuga", metavar="PATH", default=sys.executable, help="the Python of an environment with ANUGA"
    )
    parser.add_argument("--points", type=int, nargs="+", default=[512], help="cells along a side")
    parser.add_argument("--threads", type=int, nargs="+", default=[1, 2])
    parser.add_argument("--turns", type=int, default=9)
    parser.add_argument("--serve", choices=("waterview", "anuga"), help=argparse.SUPPRESS)
    options = parser.parse_args(arguments)
    if options.serve:
        serve(options.serve, options.points[0], options.threads[0])
        return
    for points in options.points:
        for threads in options.threads:
            ours, theirs, ratio = compare(points, threads, options.turns, options.anuga)
            rates = f"{1e-6 * ours:.1f} and {1e-6 * theirs:.2f} million a second"
            print(f"{points}², {threads} threads: {rates}, {ratio:.1f} ×")


if __name__ == "__main__":
    main()
