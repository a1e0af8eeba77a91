"""How fast the ocean is beside the bare transforms that it cannot do without, in one process.

Run it as `python benchmarks/ocean.py`. The bare transforms are three inverse ones of n × n complex64, enough for the
five real fields of a choppy sea (height, two slopes, two shifts). Of the libraries found (rocket-fft, numpy, and scipy
and pyfftw where they are installed) the fastest counts. An update of the ocean is all of it: the waves at a new time,
their transforms, slopes of the moved surface, foam, and a frame with arrays of its own; with one cascade, which takes
transforms of the same size, and with two as by default. The programs take turns; medians are printed.
"""

from __future__ import annotations

import argparse
import importlib.util
import statistics
import time
from collections.abc import Callable

import numba
import numpy as np
from numpy.typing import NDArray
from rich.console import Console
from rich.table import Table
from rocket_fft import c2c

from waterview.waters.ocean.ocean import OceanWater

Complex = NDArray[np.complex64]


@numba.njit(nogil=True)
def rocket_inverse(spectra, fields, threads):  # type: ignore[no-untyped-def]
    """Inverse transforms over the last two axes."""
    c2c(spectra, fields, np.array([1, 2]), False, 1.0, threads)


def bare_transforms(n: int, threads: int) -> dict[str, Callable[[], object]]:
    """Three inverse transforms of n × n complex64 by every library that is here."""
    rng = np.random.default_rng(0)
    spectra: Complex = (rng.normal(size=(3, n, n)) + 1j * rng.normal(size=(3, n, n))).astype(np.complex64)
    fields = np.empty_like(spectra)

    def one_by_one() -> None:
        for number in range(3):
            rocket_inverse(spectra[number : number + 1], fields[number : number + 1], threads)

    found: dict[str, Callable[[], object]] = {
        "rocket-fft": one_by_one,
        "rocket-fft, at once": lambda: rocket_inverse(spectra, fields, threads),
        "numpy": lambda: np.fft.ifft2(spectra),
    }
    if importlib.util.find_spec("scipy"):
        import scipy.fft

        found["scipy"] = lambda: scipy.fft.ifft2(spectra, workers=threads)
    if importlib.util.find_spec("pyfftw"):
        import pyfftw

        plan = pyfftw.FFTW(
            pyfftw.byte_align(spectra), pyfftw.byte_align(fields), (1, 2), "FFTW_BACKWARD", ("FFTW_MEASURE",), threads
        )
        found["pyfftw"] = plan
    return found


def ocean_update(n: int, cascades: int) -> Callable[[], object]:
    """An update of an n × n ocean; thirty steps a second are as many as look for new foam."""
    water = OceanWater(1000.0, 1000.0, n, sea_size=0.0, cascades=cascades, steps_per_second=30.0, wind_speed=20.0)

    def update() -> object:
        water.step()
        return water.publish(0)

    return update


def milliseconds(work: Callable[[], object], times: int) -> float:
    """How long `work` takes [ms], the mean of so many times in a row."""
    began = time.perf_counter()
    for _ in range(times):
        work()
    return 1e3 * (time.perf_counter() - began) / times


def measure(n: int, threads: int, turns: int) -> dict[str, float]:
    """Median time [ms] of every program."""
    numba.set_num_threads(threads)
    programs = bare_transforms(n, threads) | {"one cascade": ocean_update(n, 1), "two cascades": ocean_update(n, 2)}
    times: dict[str, list[float]] = {name: [] for name in programs}
    for turn in range(turns + 2):
        for name, work in programs.items():
            elapsed = milliseconds(work, max(1, round(1e6 / n**2)))
            if turn >= 2:  # the first ones compile and warm up
                times[name].append(elapsed)
    return {name: statistics.median(taken) for name, taken in times.items()}


def main() -> None:
    """Measure the sizes asked for and print a table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--sizes", type=int, nargs="+", default=[256, 512, 1024, 2048], metavar="N")
    parser.add_argument("--turns", type=int, default=11, help="turns each; the median is printed")
    options = parser.parse_args()
    table = Table(title=f"ocean, median of {options.turns} turns, ms")
    for heading in (
        "points",
        "threads",
        "best bare transforms",
        "one cascade",
        "ratio",
        "two cascades",
        "updates a second",
    ):
        table.add_column(heading, justify="right")
    for n in options.sizes:
        for threads in range(1, min(2, numba.config.NUMBA_NUM_THREADS) + 1):
            found = measure(n, threads, options.turns)
            one, two = found.pop("one cascade"), found.pop("two cascades")
            best = min(found, key=lambda name: found[name])
            cells = f"{n} × {n}", str(threads), f"{best} {found[best]:.2f}", f"{one:.2f}", f"{one / found[best]:.2f}"
            table.add_row(*cells, f"{two:.2f}", f"{1e3 / min(one, two):.0f}")
    Console(width=120).print(table)


if __name__ == "__main__":
    main()
