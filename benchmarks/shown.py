"""Every figure on the pages about wave particles, the ocean, shallow water and detail, in one place.

Run it as `python benchmarks/shown.py` on a quiet machine; `--laws` leaves the times out. Beside each figure stands what
is asked of it.
"""

from __future__ import annotations

import argparse

import laws
import numpy as np
import ocean
import shallow_water
import wave_particles
from rich.console import Console

console = Console(width=120, highlight=False)


def say(what: str, found: str, asked: str = "") -> None:
    """Print one line."""
    console.print(f"  {what:<58}{found:>16}   {asked}")


def show_particles() -> None:
    """Kernels, energy and reflection of wave particles."""
    console.print("[bold]wave particles")
    for kernel, most in (("separable", 0.07), ("radial", 0.01)):
        say(
            f"one particle, {kernel} kernel, against the exact bump",
            f"{laws.kernel_error(kernel):.4f} a",
            f"≤ {most} a",
        )
    _, energy = laws.ring_energy()
    say("energy of a ring over three subdivisions and more", f"{100 * (energy.min() / energy.max() - 1):+.1f} %", "5 %")
    wall, side = laws.reflection_error()
    say("angle after a wall, and after a body's side", f"{wall:.0e}, {side:.0e}", "exact, in float32")


def show_ocean() -> None:
    """Statistics and motion of the ocean."""
    console.print("[bold]ocean")
    for spectrum in ("jonswap", "tma", "phillips"):
        error = laws.sea_height_error(spectrum)
        say(f"4√m₀ of 20 seeds against the integral, {spectrum}", f"{100 * error:+.1f} %", "5 %")
    for depth in (5.0, 4000.0):
        say(f"ω(k) measured in a run, over {depth:g} m", f"{laws.frequency_error(depth)[0]:.1e}", "1e-4")
    say("transforms against the direct sum, in standard deviations", f"{laws.direct_sum_error():.1e}")
    say("after a loop against its start", f"{laws.loop_error():.1e}", "1e-5")


def show_shallow_water() -> None:
    """Laws of shallow water."""
    console.print("[bold]shallow water")
    say("a lake over a rough bed with islands, change", f"{laws.lake_at_rest():g} m", "rounding")
    for depth in (0.5, 2.0):
        say(f"speed √(gd) over {depth:g} m", f"{100 * laws.long_wave_speed_error(depth):+.2f} %", "1 %")
    for cells in (50, 30):
        depth, height = laws.greens_law(cells)
        error = height[-1] * depth[-1] ** 0.25 - 1.0
        say(f"Green's law from depth 1 to ¼, {cells} cells at half height", f"{100 * error:+.1f} %", "stated")
    for spacing in (0.1, 0.05):
        error = laws.run_up(0.0185, spacing)[1].max() / laws.synolakis(0.0185) - 1.0
        say(f"run-up of a solitary wave, 1:{round(1 / spacing)} of the depth a cell", f"{100 * error:+.1f} %", "stated")
    say("volume between walls", f"{laws.volume_drift():+.1e}", "1e-6")


def show_detail() -> None:
    """Divergence and seam of the fine detail."""
    console.print("[bold]detail")
    divergence, seam = laws.detail_errors()
    say("divergence as a share of what it could be", f"{divergence:.1e}", "1e-5")
    say("steps over the seam against those inside", f"{100 * seam:+.0f} %", "none to be seen")


def show_times() -> None:
    """What each costs, by the benchmarks of its own."""
    console.print("[bold]times")
    wave_particles.compare_fields()
    wave_particles.live(1_000_000)
    for n, threads in ((512, 1), (512, 2), (1024, 2)):
        found = ocean.measure(n, threads, 11)
        one, two = found.pop("one patch"), found.pop("two patches")
        ratio = f"{one / min(found.values()):.2f} × transforms"
        say(f"ocean {n}², {threads} thread(s), an update", ratio, f"{1e3 / min(one, two):.0f} a second")
    shallow_water.main(["--points", "256", "512"])


def main() -> None:
    """Print them all."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--laws", action="store_true", help="no times")
    options = parser.parse_args()
    with np.errstate(over="ignore"):
        for show in (show_particles, show_ocean, show_shallow_water, show_detail):
            show()
    if not options.laws:
        show_times()


if __name__ == "__main__":
    main()
