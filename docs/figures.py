"""Draws the plots of the page on physics, the README's moving picture and that of the page on terrain: `make figures`.

What is plotted is measured with the program's own water, beside the closed form; a test holds the one to the other.
"""

from __future__ import annotations

import math
import re
import shlex
import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from PIL import Image

HERE = Path(__file__).resolve().parent
PICTURES = HERE / "pictures" / "physics"
sys.path.insert(0, str(HERE.parent / "benchmarks"))  # what is drawn is measured there

POINTS = 64
DIRECTIONS = ((20, 0), (20, 4), (19, 7), (17, 11), (14, 14), (11, 17), (7, 19), (4, 20), (0, 20))
"""Half waves along x and z over `POINTS` cells: all about 6.4 cells long, from 0° to 90°."""
COURANT = 0.35
COLOURS = {
    "five-point": "#0072b2",
    "nine-point": "#d55e00",
    "isotropic": "#009e73",
    "compact": "#cc79a7",
}  # distinguishable with any colour vision


def standing_wave(p: int, q: int) -> NDArray[np.float64]:
    """Make p half waves along x and q along z, which a closed basin only lets swing, shape (POINTS, POINTS)."""
    along = np.arange(POINTS) + 0.5
    return np.outer(np.cos(np.pi * q * along / POINTS), np.cos(np.pi * p * along / POINTS))


def swing(p: int, q: int, stencil: str, damping: float = 0.0, steps: int = 200) -> NDArray[np.float64]:
    """The amplitude of a standing wave after each step, released from rest at 1, shape (steps + 1,)."""
    from waterview import WaveEquationWater

    side = POINTS - 1.0  # cells of 1 m
    water = WaveEquationWater(
        side, side, POINTS, wave_speed=COURANT * 100.0, steps_per_second=100.0, damping=damping,
        stencil=stencil, border="reflecting",
    )  # fmt: skip
    shape = standing_wave(p, q)
    for level in water.time_levels:
        level[...] = shape
    amplitudes = [1.0]
    for _ in range(steps):
        water.step()
        amplitudes.append(float(np.vdot(shape, water.height) / np.vdot(shape, shape)))
    return np.array(amplitudes)


def measured_speed(p: int, q: int, stencil: str) -> float:
    """Phase speed of a standing wave as a multiple of the wave speed set, from a run.

    An undamped swing obeys a(t + Δt) + a(t − Δt) = 2 cos(ωΔt)·a(t): ω follows by least squares.
    """
    a = swing(p, q, stencil)
    cosine = 0.5 * float(np.vdot(a[1:-1], a[2:] + a[:-2]) / np.vdot(a[1:-1], a[1:-1]))
    return math.acos(cosine) / (COURANT * math.pi * math.hypot(p, q) / POINTS)


def expected_speed(tx: float, tz: float, stencil: str) -> float:
    """The same from the equation, for a wave that turns by tx and tz a cell [rad]: 2 − 2 cos ωΔt = λ²S."""
    sx, sz = 2.0 - 2.0 * math.cos(tx), 2.0 - 2.0 * math.cos(tz)
    symbol = {
        "five-point": sx + sz,
        "nine-point": 2.0 * (sx + sz) - 0.5 * sx * sz,
        "isotropic": sx + sz - 0.25 * sx * sz,
        "compact": sx + sz - sx * sz / 6.0,
    }[stencil]
    return math.acos(1.0 - 0.5 * COURANT**2 * symbol) / (COURANT * math.hypot(tx, tz))


def expected_swing(p: int, q: int, damping: float, steps: int) -> NDArray[np.float64]:
    """`swing` of the isotropic stencil from its recurrence a⁺ = (2 − κ − λ²S)·a − (1 − κ)·a⁻."""
    sx, sz = (2.0 - 2.0 * math.cos(math.pi * n / POINTS) for n in (p, q))
    kappa, symbol = damping / 100.0, sx + sz - 0.25 * sx * sz
    a = [1.0, 1.0 - COURANT**2 * symbol]
    while len(a) <= steps:
        a.append((2.0 - kappa - COURANT**2 * symbol) * a[-1] - (1.0 - kappa) * a[-2])
    return np.array(a)


def draw_speeds() -> None:
    """How fast waves run in each direction, by stencil."""
    figure, (true, fast) = _figure(2)
    angles = np.radians(np.arange(0.0, 90.5, 1.0))
    turn = math.pi * 20.0 / POINTS
    for stencil, colour in COLOURS.items():
        axes = fast if stencil == "nine-point" else true
        line = [expected_speed(turn * math.cos(angle), turn * math.sin(angle), stencil) for angle in angles]
        axes.plot(np.degrees(angles), line, color=colour, label=f"{stencil}, closed form")
        dots = [(math.degrees(math.atan2(q, p)), measured_speed(p, q, stencil)) for p, q in DIRECTIONS]
        axes.plot(*zip(*dots, strict=True), "o", color=colour, label=f"{stencil}, measured")
    true.axhline(1.0, color="grey", linewidth=0.8)
    fast.axhline(math.sqrt(2.0), color="grey", linewidth=0.8, label="√2")
    true.set_ylim(0.95, 1.045)  # room for the legend
    for axes in (true, fast):
        axes.set(xlabel="direction [°]", ylabel="phase speed / c", xticks=range(0, 91, 15))
        axes.legend(frameon=False)
    _save(figure, "speeds")


def draw_damping() -> None:
    """How a wave of a closed basin dies away."""
    figure, (axes,) = _figure(1)
    steps, damping = 300, 1.5
    times = np.arange(steps + 1) / 100.0
    axes.plot(times, expected_swing(4, 3, damping, steps), color=COLOURS["isotropic"], label="closed form")
    axes.plot(times[::6], swing(4, 3, "isotropic", damping, steps)[::6], "o", markersize=4,
              color=COLOURS["nine-point"], label="measured")  # fmt: skip
    axes.plot(times, np.exp(-0.5 * damping * times), color="grey", linewidth=0.8, label="e^(−kt/2), k = 1.5 1/s")
    axes.set(xlabel="time [s]", ylabel="amplitude")
    axes.legend(frameon=False)
    _save(figure, "damping")


def draw_reflection() -> None:
    """How much of a wave's height comes back from each border, by angle."""
    import reflection

    figure, (axes,) = _figure(1)
    borders = {"reflecting": "wall", "open-ghost": "open, ghost points", "open": "open, matched layer"}
    for (kind, name), colour in zip(borders.items(), COLOURS.values(), strict=False):
        shares = [math.sqrt(max(reflection.returned(kind, 16.0, angle), 1e-12)) for angle in reflection.ANGLES]
        axes.semilogy(reflection.ANGLES, shares, "o-", color=colour, label=name)
    theory = np.arange(0.0, 61.0, 1.0)
    cosine = np.cos(np.radians(theory))
    axes.semilogy(theory[5:], ((1.0 - cosine) / (1.0 + cosine))[5:], "--", color="grey", linewidth=0.8,
                  label="(1 − cos θ)/(1 + cos θ)")  # fmt: skip
    axes.set(xlabel="angle from the border's normal [°]", ylabel="share of the height that comes back")
    axes.legend(frameon=False)
    _save(figure, "reflection")


def draw_waves() -> None:
    """Energy of a ring of wave particles as it splits, and spectra of seas by their heights against their formulas."""
    import laws

    from waterview.waters.ocean.spectra import SPECTRA

    figure, (ring, sea) = _figure(2)
    ways, energy = laws.ring_energy()
    ring.axhspan(0.95, 1.0, color="#dddddd", label="within 5 %")
    ring.plot(ways, energy / energy.max(), color=COLOURS["five-point"], label="measured")
    ring.set(xlabel="radius of the ring over that of its particles", ylabel="∫η² over its greatest", ylim=(0.8, 1.02))
    ring.legend(frameon=False)
    for spectrum, colour in zip(SPECTRA, COLOURS.values(), strict=False):
        omega, found, wind = laws.measured_spectrum(spectrum)
        fine = np.linspace(0.4, 1.9, 200)
        sea.plot(fine, SPECTRA[spectrum](fine, wind), color=colour, label=spectrum)
        sea.plot(omega, found, "o", color=colour, markersize=4)
    sea.set(xlabel="frequency ω [rad/s]", ylabel="variance by frequency [m² s]")
    sea.legend(frameon=False)
    _save(figure, "waves")


def draw_shores() -> None:
    """Height of a wave on a slope against Green's law, and run-up of solitary waves against Synolakis'."""
    import laws

    figure, (slope, beach) = _figure(2)
    depth, height = laws.greens_law()
    slope.plot(depth, (depth / depth[0]) ** -0.25, color="#888888", label="Green's law")
    slope.plot(depth, height / height[0], "o", color=COLOURS["five-point"], markersize=4, label="measured")
    slope.set(xlabel="depth over the first", ylabel="height over the first", xlim=(1.02, 0.23))
    slope.legend(frameon=False)
    heights = np.array((0.005, 0.0075, 0.01, 0.0135, 0.0185, 0.025))
    found = [laws.run_up(height)[1].max() for height in heights]
    beach.plot(heights, [laws.synolakis(height) for height in heights], color="#888888", label="Synolakis' law")
    beach.plot(heights, found, "o", color=COLOURS["nine-point"], markersize=4, label="measured")
    beach.set(xlabel="height of the wave over the depth", ylabel="run-up over the depth")
    beach.legend(frameon=False)
    _save(figure, "shores")


def draw_detail() -> None:
    """Stam's flow on its own: velocity over speed, and pressure."""
    from waterview.waters.eddies.detail import Detail

    detail = Detail(size=10.0, points=128)
    for _ in range(90):
        detail.step(1.0 / 30.0)
    figure, (flow, push) = _figure(2)
    places = (np.arange(128) + 0.5) * 10.0 / 128
    u, w = detail.velocity[..., 0], detail.velocity[..., 1]
    drift = float(u.mean()), float(w.mean())
    shown = flow.pcolormesh(places, places, np.hypot(u, w), cmap="Blues")
    some = slice(4, None, 8)
    flow.quiver(places[some], places[some], u[some, some] - drift[0], w[some, some] - drift[1], width=0.004)
    figure.colorbar(shown, ax=flow, label="speed [m/s]; arrows less the drift")
    most = float(np.abs(detail.pressure).max())
    shown = push.pcolormesh(places, places, detail.pressure, cmap="RdBu_r", vmin=-most, vmax=most)
    figure.colorbar(shown, ax=push, label="pressure over density [m²/s²]")
    for axes in (flow, push):
        axes.set(aspect="equal", xlabel="x [m]", ylabel="z [m]")
    _save(figure, "detail")


def draw_step() -> None:
    """How a step is taken: the points it reads, the order of rows in a sweep, and the way from click to pixel."""
    import matplotlib.pyplot as plt

    plt.switch_backend("agg")
    blue, red, green, pink = COLOURS.values()
    figure, (points, rows, way) = plt.subplots(
        1, 3, figsize=(13.0, 4.6), layout="constrained", width_ratios=(0.8, 1.0, 1.4)
    )
    for axes in (points, rows, way):
        axes.axis("off")
    figure.get_layout_engine().set(wspace=0.06)
    # The points of three time levels that a step reads and writes, as slanted planes.
    points.set_title("one point of one step")
    for level, (name, colour) in enumerate((("h⁻", pink), ("h", blue), ("h⁺", red))):
        y = 1.6 * level
        for j in range(-1, 2):
            for i in range(-1, 2):
                used = level == 1 or (i, j) == (0, 0)
                place = (i + 0.45 * j, y + 0.33 * j)
                points.plot(*place, "o", markersize=12, color=colour if used else "#e4e4e4")
                if level == 1:
                    points.plot((place[0], 0.0), (place[1], 3.2), color=colour, linewidth=0.8, zorder=0)
        points.text(-2.2, y, name, fontsize=14, color=colour, va="center")
    points.plot((0.0, 0.0), (0.0, 3.2), color=pink, linewidth=0.8, zorder=0)
    points.text(0.0, -0.85, "h⁺ = h + (1 − κ)(h − h⁻) + λ²·L(h)", ha="center", fontsize=10)
    points.set(xlim=(-2.5, 2.0), ylim=(-1.1, 4.0))
    # A sweep of four steps over rows, on two bands with a triangle between them.
    rows.set_title("a sweep: many steps in one pass, two threads")
    cut, last, levels = 8, 16, 4
    for level in range(1, levels + 1):
        for row in range(last):
            band = row < cut - level or row >= cut + level
            colour = green if not band else blue if row < cut else red
            rows.add_patch(plt.Rectangle((row, level), 0.92, 0.86, color=colour, alpha=0.85))
            if band and row < cut:
                rows.text(
                    row + 0.46, level + 0.42, str(row + level), ha="center", va="center", color="white", fontsize=8
                )
    rows.text(cut / 2 - 1, 5.25, "thread 1", color=blue, ha="center")
    rows.text((cut + last) / 2 + 1, 5.25, "thread 2", color=red, ha="center")
    rows.text(cut, 5.25, "filled last", color=green, ha="center")
    rows.annotate("", (last, 0.6), (0.0, 0.6), arrowprops={"arrowstyle": "->"})
    rows.text(
        last / 2, 0.0, "row of the grid (numbers: the order in which thread 1 takes the rows)", ha="center", va="center"
    )
    rows.annotate("", (-0.5, 5.0), (-0.5, 0.9), arrowprops={"arrowstyle": "->"})
    rows.text(-1.1, 3.0, "step", rotation=90, va="center", ha="center")
    rows.set(xlim=(-1.6, last + 0.3), ylim=(-0.6, 6.0))
    # From click to pixel.
    way.set_title("from click to pixel")
    boxes = (
        ("click", "ui/window, ui/pointer", 0.0, 3.0, pink),
        ("command", "core/commands", 0.0, 1.5, pink),
        ("loop", "sim/loop: queue, clock", 0.0, 0.0, green),
        ("world", "sim/world: apply, advance", 2.6, 0.0, green),
        ("water", "waters/wave/wave_equation", 5.2, 0.0, blue),
        ("kernels", "sweep → rows → stencils", 5.2, 1.5, blue),
        ("frame", "core/frame: heights, slopes", 2.6, 1.5, green),
        ("passes", "render/renderer", 2.6, 3.0, red),
        ("pixels", "window, picture, film", 5.2, 3.0, red),
    )
    for name, place, x, y, colour in boxes:
        way.add_patch(plt.Rectangle((x, y), 2.2, 0.9, facecolor="white", edgecolor=colour, linewidth=2.0))
        way.text(x + 1.1, y + 0.58, name, ha="center", va="center", fontsize=11, color=colour)
        way.text(x + 1.1, y + 0.24, place, ha="center", va="center", fontsize=7)
    arrows = (
        ((1.1, 3.0), (1.1, 2.4)), ((1.1, 1.5), (1.1, 0.9)), ((2.2, 0.45), (2.6, 0.45)), ((4.8, 0.45), (5.2, 0.45)),
        ((6.3, 0.9), (6.3, 1.5)), ((5.2, 1.95), (4.8, 1.95)), ((3.7, 2.4), (3.7, 3.0)), ((4.8, 3.45), (5.2, 3.45)),
    )  # fmt: skip
    for start, end in arrows:
        way.annotate("", end, start, arrowprops={"arrowstyle": "-|>", "color": "#444444"})
    way.set(xlim=(-0.1, 7.5), ylim=(-0.5, 4.2))
    _save(figure, "../step")


def draw_own_terrain() -> None:
    """The picture that a reader of the page on terrain gets: by its first program and its own command, but smaller."""
    page = (HERE / "terrain.md").read_text(encoding="utf-8")
    program = re.search(r"```python\n(.*?)```", page, re.S)
    command = re.search(r"^waterview (render .* --out coast\.png)$", page, re.M)
    assert program is not None and command is not None
    with tempfile.TemporaryDirectory() as folder:
        subprocess.run([sys.executable, "-c", program[1]], cwd=folder, check=True)
        words = [*shlex.split(command[1]), "--size", "960x540"]
        subprocess.run([sys.executable, "-m", "waterview", *words], cwd=folder, check=True)
        Image.open(Path(folder) / "coast.png").save(PICTURES.parent / "own-terrain.jpg", quality=88, optimize=True)


RIPPLES = (
    "--preset", "bay", "--drop", "-20,60,3,9,0.7", "--drop", "-95,75,2.5,8,1.8", "--seconds", "5", "--fps", "12",
)  # fmt: skip
"""What the window opens on, with drops where people click."""


def draw_ripples() -> None:
    """The moving picture that the README opens with; takes a minute without a graphics card."""
    with tempfile.TemporaryDirectory() as folder:
        look = ("--size", "720x405", "--quality", "high", "--out", "f_%04d.png")
        subprocess.run([sys.executable, "-m", "waterview", "render", *RIPPLES, *look], cwd=folder, check=True)
        first, *others = [Image.open(path) for path in sorted(Path(folder).glob("*.png"))]
        path = PICTURES.parent / "ripples.webp"
        first.save(path, save_all=True, append_images=others, duration=83, loop=0, quality=70, method=4)


def _figure(panels: int):  # type: ignore[no-untyped-def]
    import matplotlib.pyplot as plt

    plt.switch_backend("agg")
    figure, axes = plt.subplots(1, panels, figsize=(9.0 if panels == 2 else 6.0, 3.6), layout="constrained")
    return figure, np.atleast_1d(axes)


def _save(figure, name: str) -> None:  # type: ignore[no-untyped-def]
    PICTURES.mkdir(parents=True, exist_ok=True)
    path = PICTURES / f"{name}.png"
    figure.savefig(path, dpi=100, metadata={"Software": None})
    # In few colours: what is committed stays small.
    Image.open(path).convert("RGB").quantize(64).save(path, optimize=True)


def main() -> None:
    """Draw them all."""
    draw_speeds()
    draw_damping()
    draw_reflection()
    draw_waves()
    draw_shores()
    draw_detail()
    draw_step()
    draw_own_terrain()
    draw_ripples()


if __name__ == "__main__":
    main()
