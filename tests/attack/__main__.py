"""`python -m attack`: all attacks for an hour, or as long as is asked for, and a table of what they found.

With --docs the table is kept in docs/reliability.md. It ends with 1 where something went wrong.
"""

import argparse
import json
import os
import platform
import random
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path

from support import screen, shutdown

from attack import failing_disk, files, scenes, watched, window, writers
from waterview.waters import MODELS

PAGE = Path(__file__).resolve().parents[2] / "docs" / "reliability.md"
BEGIN, END = "<!-- make attack -->", "<!-- end -->"
HEAD = "| what | tried | of these | longest, most memory | went wrong |\n| --- | ---: | --- | --- | ---: |"

STEPS_SECONDS = 120.0
"""Processor time that a scene may take [s]: so long only compiled code that is not yet on disk takes."""

EVENTS = 10_000
"""Events in a window before it is closed and another opened."""


@dataclass
class Row:
    """A row of the table: what was tried, and what went wrong."""

    name: str
    tried: int = 0
    notes: str = ""
    most: str = ""
    findings: list[str] = field(default_factory=list)

    def __str__(self) -> str:
        return f"| {self.name} | {self.tried:,} | {self.notes} | {self.most} | {len(self.findings)} |"


@dataclass(frozen=True)
class Plan:
    """How much is tried.

    Attributes:
        seconds: for all parts together [s].
        cases: most cases of a row.
        processes: how many are at work at once.
        first: number of the first case.
    """

    seconds: float
    cases: int
    processes: int
    first: int


def on_files(plan: Plan, only: tuple[str, ...]) -> Iterator[Row]:
    """A row for each kind of file; what the ones before did not need of their time is shared by those that follow."""
    kinds = [kind for kind in files.FILES if not only or kind.name.startswith(only)]
    until = time.monotonic() + plan.seconds
    for number, kind in enumerate(kinds):
        lasting = (until - time.monotonic()) / (len(kinds) - number)
        tally = watched.attack(
            kind.case,
            name=kind.name,
            count=plan.cases,
            lasting=lasting,
            warm_up=partial(files.warm_up, kind),
            processes=plan.processes,
            first=plan.first,
        )
        yield _row(f"files: {kind.name}", tally, f"{tally.refused:,} refused, the others used")


def _row(name: str, tally: watched.Tally, notes: str) -> Row:
    most = f"{tally.most_seconds:.2f} s, {tally.most_memory / 2**20:.0f} MiB"
    return Row(name, tally.tried, notes, most, [f"{what} in case {n}: {detail}" for n, what, detail in tally.findings])


def on_disk(plan: Plan, only: tuple[str, ...]) -> Iterator[Row]:
    """A row for each writer."""
    if not failing_disk.is_traceable():
        yield Row("a failing disk", notes="not tried: needs Linux on x86-64")
        return
    made = writers.writers(writers.FRAMES + plan.first % 100)  # other lengths fail at other calls
    chosen = [writer for writer in made if not only or writer.name.startswith(only)]
    points = min(plan.cases, 10_000)
    for writer in chosen:
        with tempfile.TemporaryDirectory(prefix="waterview-disk-") as folder:
            place, until = Path(folder) / "out", time.monotonic() + plan.seconds / len(chosen)
            rng = random.Random(f"{writer.name} {plan.first}")
            tally = writers.attack_disk(writer, place, until=until, points=points, rng=rng)
        notes = f"{tally.failed} calls failed, {tally.killed} kills"
        yield Row(f"a failing disk: {writer.name}", tally.failed + tally.killed, notes, "", tally.findings)


def on_scenes(plan: Plan, only: tuple[str, ...]) -> Iterator[Row]:
    """Random settings, commands, and the graphics card's solver beside the processor's."""
    lasts, count = f"{scenes.STEPS} steps each", scenes.SETTINGS
    settings = f"{lasts}, {count} in turn on one water, all finite and below {scenes.CLIP:g} m"
    parts: tuple[tuple[str, watched.Case, int, str], ...] = (
        ("guard", scenes.guard_case, 1, f"settings of the wave equation, {lasts}, none grows tenfold"),
        *((f"settings of {name}", partial(scenes.settings_case, name), count, settings) for name in MODELS),
        ("commands", scenes.commands_case, 1, "scripts; recording and sessions saved on the way agree to the bit"),
        ("gpu", scenes.gpu_case, 1, "scripts on the card's solver, within 1e-5 of the processor's"),
    )
    chosen = [part for part in parts if not only or part[0].startswith(only)]
    for name, case, in_each, notes in chosen:
        tally = watched.attack(
            case,
            name=name,
            count=plan.cases,
            lasting=plan.seconds / len(chosen),
            processes=plan.processes,
            seconds=STEPS_SECONDS,
            memory=1 << 30,
            first=plan.first,
        )
        row = _row(f"scenes: {name}", tally, notes)
        row.tried *= in_each
        yield row


def in_windows(plan: Plan, only: tuple[str, ...]) -> Iterator[Row]:
    """Random events in one window after the other, then one window that runs for long."""
    until, row, seed = time.monotonic() + 0.5 * plan.seconds, Row("a window: random events"), plan.first
    count = min(EVENTS, plan.cases)
    while row.tried < plan.cases and (time.monotonic() < until or not row.tried):
        found = _window("storm", str(seed), str(count))
        row.findings += [f"seed {seed}: {found}"] if isinstance(found, str) else []
        row.tried, seed = row.tried + count, seed + 1
    row.notes = f"{seed - plan.first} seeds"
    yield row
    if only and not "soak".startswith(only):
        return
    found = _window("soak", f"{plan.seconds / 120.0:.3f}")
    if isinstance(found, str):
        yield Row("a window: soak", findings=[found])
        return
    first, last = found["rows"][window.WARM_ROUNDS - 1], found["rows"][-1]
    kept = [f"{name} {first[name]:,} → {last[name]:,}" for name in first]
    grown = [name for name in ("threads", "handles", "objects") if last[name] > first[name]]
    grown += ["memory"] if last["memory"] > 1.01 * first["memory"] else []
    notes = f"rounds of all models; {found['frames']:,} frames, {found['steps']:,} steps; {', '.join(kept)}"
    yield Row("a window: soak", len(found["rows"]), notes, "", [f"{name} grew" for name in grown])


def on_endings(plan: Plan, only: tuple[str, ...]) -> Iterator[Row]:
    """A row for each phase of the program's life, which is ended there in every way."""
    until, (server, display) = time.monotonic() + plan.seconds, screen.start_screen()
    os.environ.pop("WAYLAND_DISPLAY", None)
    os.environ.update(DISPLAY=display, XDG_SESSION_TYPE="x11")
    try:
        for phase, (_, _, has_window) in shutdown.PHASES.items():
            if (only and not phase.startswith(only)) or time.monotonic() > until:
                continue
            ways = shutdown.SIGNALS | (shutdown.WINDOW_WAYS if has_window else {})
            row, took = Row(f"an ending: {phase}"), {}
            for way, right in ways.items():
                with tempfile.TemporaryDirectory(prefix="waterview-end-") as folder:
                    try:
                        with shutdown.in_phase(phase, Path(folder)) as (process, window):
                            took[way], code, said = shutdown.end(process, way, window)
                    except AssertionError as error:
                        row.findings.append(f"{way}: {error}")
                        continue
                if code != right or said:
                    row.findings.append(f"{way}: code {code} for {right}, {said[-500:]!r}")
            row.tried, row.most = len(ways), f"{max(took.values(), default=0.0):.2f} s"
            load = f"load {os.getloadavg()[0]:.0f} on {os.cpu_count()} cores"
            row.notes = ", ".join([*(f"{way} {seconds:.2f}" for way, seconds in took.items()), load])
            yield row
    finally:
        server.terminate()
        server.wait()


def _window(*arguments: str) -> dict | str:
    """What `attack.window` printed as JSON, or its errors."""
    command = [sys.executable, "-m", "attack.window", *arguments]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode:
        return done.stderr[-1500:]
    return json.loads(done.stdout.splitlines()[-1])


PARTS: dict[str, tuple[float, Callable[[Plan, tuple[str, ...]], Iterator[Row]]]] = {
    "files": (0.45, on_files),
    "disk": (0.15, on_disk),
    "scenes": (0.20, on_scenes),
    "windows": (0.12, in_windows),
    "endings": (0.08, on_endings),
}
"""The attacks by name, with their share of the time."""


def main() -> int:
    """Run what the command line asks for; returns the exit code."""
    parser = argparse.ArgumentParser(prog="python -m attack", description=__doc__)
    parser.add_argument("parts", nargs="*", default=[], help=f"which of {', '.join(PARTS)}; all if none is named")
    parser.add_argument("--only", nargs="*", default=[], help="beginnings of the names of rows")
    parser.add_argument("--minutes", type=float, default=60.0, help="for all parts together")
    parser.add_argument("--cases", type=int, default=10**9, help="most cases of each row")
    parser.add_argument("--first", type=int, default=0, help="number of the first case, to try others than before")
    parser.add_argument("--processes", type=int, default=os.cpu_count() or 1, help="at work at once")
    parser.add_argument("--docs", action="store_true", help=f"keep the table in {PAGE.name}")
    given = parser.parse_args()
    chosen = {name: PARTS[name] for name in given.parts or PARTS}
    whole, began, rows = sum(share for share, _ in chosen.values()), time.monotonic(), []
    print(HEAD, flush=True)
    for share, attack in chosen.values():
        seconds = 60.0 * given.minutes * share / whole
        for row in attack(Plan(seconds, given.cases, given.processes, given.first), tuple(given.only)):
            rows.append(row)
            print(row, flush=True)
            for line, count in Counter(map(_gist, row.findings)).most_common(12):
                print(f"    {count} × {line}", file=sys.stderr, flush=True)
    if given.docs:
        write_table(rows, (time.monotonic() - began) / 60.0)
    return 1 if any(row.findings for row in rows) else 0


def _gist(finding: str) -> str:
    """A finding in few lines; alike ones become equal but for the number of their case."""
    lines = finding.strip().splitlines()
    return lines[0][:300] if len(lines) == 1 else f"{lines[0][:60]} … {' | '.join(lines[-4:])[-500:]}"


def write_table(rows: list[Row], minutes: float) -> None:
    """Put the table into the page about reliability, with how and where it was made."""
    before, rest = PAGE.read_text(encoding="utf-8").split(BEGIN)
    after = rest.split(END)[1]
    where = f"{minutes:.0f} minutes on {os.cpu_count()} cores, {platform.system()}, Python {platform.python_version()}:"
    text = "\n".join([before + BEGIN, "", where, "", HEAD, *map(str, rows), "", END])
    PAGE.write_text(text + after, encoding="utf-8")


if __name__ == "__main__":
    sys.exit(main())
