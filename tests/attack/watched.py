"""Cases tried in forked processes, which are watched: what they raise and print, processor time, memory."""

import contextlib
import faulthandler
import json
import math
import os
import random
import resource
import shutil
import signal
import sys
import tempfile
import time
import traceback
from collections.abc import Callable
from dataclasses import dataclass, field
from mmap import mmap
from pathlib import Path

import numpy as np

from waterview.core.errors import InputError

CPU_SECONDS = 2.0
"""Processor time after which a case counts as a hang [s]."""

MEMORY = 256 << 20
"""Most memory that a case may take above what was in use before it [bytes]."""

LONGEST_MESSAGE = 2000
"""Most letters of a refusal."""

_OURS = tuple(Path(__file__).parents[2] / folder for folder in ("waterview", "tests"))
_PATIENCE = 120.0  # for cases that use no processor time, because they wait for something
_FAILED = 70
"""Exit code of a process in which the attack itself went wrong."""
_SLOTS = ("number", "began", "tried", "refused", "most_seconds", "most_memory", "end", "is_done")


@dataclass
class Tally:
    """What became of the cases.

    Attributes:
        tried: how many there were.
        refused: how many ended with an InputError, as bad input should; the others were used.
        most_seconds: most processor time that one took [s].
        most_memory: most memory that one took [bytes].
        findings: number, kind and detail of each that went wrong.
    """

    tried: int = 0
    refused: int = 0
    most_seconds: float = 0.0
    most_memory: float = 0.0
    findings: list[tuple[int, str, str]] = field(default_factory=list)


Case = Callable[[random.Random, Path], None]
"""Tries one thing by random numbers, in a folder of its own; an InputError is a refusal, any other error a finding."""


def attack(
    case: Case,
    *,
    name: str,
    count: int,
    lasting: float = math.inf,
    warm_up: Callable[[Path], None] = lambda folder: None,
    processes: int = 1,
    seconds: float = CPU_SECONDS,
    memory: int = MEMORY,
    first: int = 0,
) -> Tally:
    """Try `count` cases, or as many as there is time for.

    Args:
        case: what to try; the random numbers of case n follow from `name` and n alone.
        name: of the attack.
        count: most cases.
        lasting: time after which no case is begun, counted in each process from when it is warmed up [s].
        warm_up: called first in every process, so that no case pays for imports and compiled code.
        processes: how many processes try cases.
        seconds: processor time that a case may take [s].
        memory: that a case may take [bytes].
        first: number of the first case.
    """
    with tempfile.TemporaryDirectory(prefix="waterview-attack-") as folder:
        watch = _Watch(case, name, lasting, warm_up, seconds, memory, Path(folder))
        watch.run([range(first + k, first + count, processes) for k in range(processes)])
        return watch.tally()


class _Watch:
    def __init__(self, case, name, lasting, warm_up, seconds, memory, folder):
        self._case, self._name, self._lasting, self._warm_up = case, name, lasting, warm_up
        self._seconds, self._memory, self._folder = seconds, memory, folder
        self._findings = folder / "findings.jsonl"
        self._rows: list[np.ndarray] = []

    def run(self, shares):
        children = {}
        for numbers in shares:
            row = np.frombuffer(mmap(-1, 8 * len(_SLOTS)), np.float64)
            self._rows.append(row)
            children[self._fork(numbers, row)] = numbers, row
        while children:
            time.sleep(0.02)
            for child, (numbers, row) in list(children.items()):
                if row[1] and time.monotonic() - row[1] > _PATIENCE + 10.0 * self._seconds:
                    self._end_waiting(child, row)
                found, status = os.waitpid(child, os.WNOHANG)
                if not found:
                    continue
                del children[child]
                if row[7]:
                    continue
                number = int(row[0])
                if os.WIFEXITED(status) and os.WEXITSTATUS(status) == _FAILED:
                    self._note(number, "harness", "the attack itself failed, and ended early")
                    continue
                row[2] += 1
                if os.WIFSIGNALED(status):
                    by = signal.Signals(os.WTERMSIG(status)).name
                    self._note(number, "hang" if by in ("SIGPROF", "SIGKILL") else "crash", f"ended by {by}")
                else:
                    self._note(number, "crash", f"ended with code {os.WEXITSTATUS(status)}")
                rest = numbers[numbers.index(number) + 1 :] if number in numbers else ()
                if rest:
                    children[self._fork(rest, row)] = rest, row

    def tally(self) -> Tally:
        tally = Tally()
        for row in self._rows:
            tally.tried += int(row[2])
            tally.refused += int(row[3])
            tally.most_seconds = max(tally.most_seconds, float(row[4]))
            tally.most_memory = max(tally.most_memory, float(row[5]))
        if self._findings.exists():
            tally.findings = [tuple(json.loads(line)) for line in self._findings.read_text().splitlines()]
        return tally

    def _end_waiting(self, child, row):
        """End a process that does nothing, and note where it waits; on a busy machine it may only not have its turn.

        R stands for a process that could run, D for one that waits for the disk.
        """
        state = Path(f"/proc/{child}/stat").read_text().rpartition(")")[2].split()[0]
        if state in "RD":
            row[1] = time.monotonic()
            return
        os.kill(child, signal.SIGUSR1)
        time.sleep(1.0)
        self._note(int(row[0]), f"waits in state {state}", (self._folder / str(child) / "stderr").read_text()[-1000:])
        os.kill(child, signal.SIGKILL)

    def _note(self, number, kind, detail):
        with self._findings.open("a") as file:
            file.write(json.dumps([number, kind, detail]) + "\n")

    def _fork(self, numbers, row):
        row[1] = 0.0
        sys.stdout.flush()
        child = os.fork()
        if child:
            return child
        status = _FAILED
        try:
            self._try_all(numbers, row)
            row[7], status = 1.0, 0
        except BaseException:
            self._note(int(row[0]), "harness", traceback.format_exc())
        finally:
            os._exit(status)

    def _try_all(self, numbers, row):
        folder = self._folder / str(os.getpid())
        folder.mkdir()
        errors = os.open(folder / "stderr", os.O_RDWR | os.O_CREAT | os.O_APPEND)
        os.dup2(errors, 2)
        os.dup2(errors, 1)
        faulthandler.register(signal.SIGUSR1)
        self._warm_up(folder)
        row[6] = row[6] or time.monotonic() + self._lasting
        for number in numbers:
            if time.monotonic() >= row[6]:
                return
            row[0] = number
            place = folder / "case"
            place.mkdir()
            os.ftruncate(errors, 0)
            self._try(number, place, row)
            row[2] += 1
            said = os.pread(errors, 400, 0)
            if said:
                self._note(number, "words", repr(said))
            shutil.rmtree(place)

    def _try(self, number, folder, row):
        rng = random.Random(f"{self._name} {number}")
        before, used = _forget_peak(), _processor_time()
        row[1] = time.monotonic()
        signal.setitimer(signal.ITIMER_PROF, self._seconds)
        try:
            self._case(rng, folder)
        except InputError as error:
            row[3] += 1
            if not str(error).isprintable() or not str(error) or len(str(error)) > LONGEST_MESSAGE:
                self._note(number, "message", repr(str(error))[:400])
            if hidden := _error_of_ours(error):
                self._note(number, "hidden", "".join(traceback.format_exception(hidden))[-1500:])
        except Exception:
            self._note(number, "traceback", traceback.format_exc()[-1500:])
        finally:
            signal.setitimer(signal.ITIMER_PROF, 0.0)
            row[1] = 0.0
        used = _processor_time() - used
        row[4] = max(row[4], used)
        if used > self._seconds:  # in processes of its own
            self._note(number, "hang", f"{used:.1f} s of processor time")
        taken = _peak() - before
        row[5] = max(row[5], taken)
        if taken > self._memory:
            self._note(number, "memory", f"{taken / 2**20:.0f} MiB")


def _error_of_ours(refusal: BaseException) -> BaseException | None:
    """What made a file refused as damaged, where it is a mistake in the program's own lines."""
    cause = refusal.__cause__
    while cause is not None:
        frames = traceback.extract_tb(cause.__traceback__)
        raised_in = Path(frames[-1].filename if frames else "/")
        if isinstance(cause, TypeError | NameError | AttributeError) and any(map(raised_in.is_relative_to, _OURS)):
            return cause
        cause = cause.__cause__
    return None


def _processor_time() -> float:
    usages = map(resource.getrusage, (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN))
    return sum(usage.ru_utime + usage.ru_stime for usage in usages)


def _forget_peak() -> int:
    """Let Linux forget the most memory that this process had, and tell what it has [bytes]."""
    with contextlib.suppress(OSError):
        Path("/proc/self/clear_refs").write_text("5")
    return _peak()


def _peak() -> int:
    for line in Path("/proc/self/status").read_text().splitlines():
        if line.startswith("VmHWM"):
            return int(line.split()[1]) << 10
    raise AssertionError("Linux tells the most memory that a process had")
