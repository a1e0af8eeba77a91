"""How kernels are compiled."""

import os
import subprocess
import sys
from pathlib import Path

import numba
import numpy as np
import pytest
from support.fields import advance

from waterview.simd import jit as compiling
from waterview.simd import vectors
from waterview.simd.cache import sources
from waterview.simd.layout import TwoLevels
from waterview.simd.vectors import width_of
from waterview.waters.wave.kernels import sweep


def doubled(x):
    return x + x


def test_a_compiled_function_computes_the_same():
    assert compiling.jit(doubled)(21) == 42


def test_kernels_release_the_lock_and_are_kept_on_disk():
    options = sweep.sweep_band.targetoptions
    assert options["nogil"] is True
    assert not options.get("fastmath", False)
    assert compiling.cache_place(sweep.sweep_band) is not None


def test_where_nothing_can_be_cached_the_kernel_still_runs():
    no_file = eval("lambda x: x + x")  # numba finds no place for code that is in no file
    with pytest.raises(RuntimeError, match="cannot cache"):
        numba.njit(cache=True)(no_file)
    compiled = compiling.jit(no_file)
    assert compiled(21) == 42
    assert compiling.cache_place(compiled) is None


def test_other_errors_of_the_compiler_are_not_hidden(monkeypatch):
    def broken(**options):
        raise RuntimeError("the compiler is broken")

    monkeypatch.setattr(numba, "njit", broken)
    with pytest.raises(RuntimeError, match="the compiler is broken"):
        compiling.jit(doubled)


KERNEL = """
from waterview.simd.jit import jit
from .part import half

@jit
def halved(x):
    return half(x)
"""

PART = """
from .number import TWO
from waterview.simd.jit import part

@part
def half(x):
    return x / TWO
"""

PAIR = """
from typing import NamedTuple

class Pair(NamedTuple):
    x: float
"""

OF_A_PAIR = """
from waterview.simd.jit import jit
from .number import Pair

@jit
def halved(pair):
    return pair.x / 2
"""


@compiling.task
def add_to(many, numbers, pair):
    """As many times as a `Static` says."""
    for _ in range(width_of(many)):
        numbers += pair[0] * pair[1]
    if numbers[0] > 100.0:
        raise OverflowError("too much")


@compiling.jit
def calls(place, times, numbers, pair):
    for _ in range(times):
        compiling.call_at(place, (numbers, pair))


class TestTasks:
    @pytest.fixture
    def addresses(self):
        return compiling.Addresses(add_to)

    @pytest.mark.slow
    def test_kernels_call_them_by_their_address(self, addresses):
        numbers, pair = np.zeros(3), (2, 0.5)
        calls(addresses.of((3,), (numbers, pair)), 5, numbers, pair)
        assert numbers.tolist() == [15.0] * 3

    @pytest.mark.slow
    def test_each_static_has_a_code_of_its_own_that_is_kept(self, addresses):
        arguments = np.zeros(3), (2, 0.5)
        one, two = (addresses.of((many,), arguments) for many in (1, 2))
        assert one != two and addresses.of((1,), arguments) == one
        assert compiling.cache_place(add_to) is not None

    def test_their_errors_come_through(self, addresses):
        numbers, pair = np.full(3, 99.0), (2, 0.5)
        with pytest.raises(OverflowError, match="too much"):
            calls(addresses.of((1,), (numbers, pair)), 9, numbers, pair)
        assert numbers[0] == 101.0

    def test_one_code_serves_one_thread_and_several(self):
        field, fixed = TwoLevels((40, 40)), np.zeros((40, 40), bool)
        numbers = []
        for threads in (1, 2):
            advance(field, fixed, stencil="isotropic", border="zero", damping=0.1, courant=0.5, threads=threads)
            numbers.append(len(sweep.sweep_band.overloads))
        assert numbers[0] == numbers[1] > 0


class TestCache:
    """Compiled code is kept on disk until something that it was made of changes."""

    @pytest.fixture
    def package(self, tmp_path):
        folder = tmp_path / "tiny"
        folder.mkdir()
        for name, text in (("__init__", ""), ("kernel", KERNEL), ("part", PART), ("number", "TWO = 2.0\n")):
            (folder / f"{name}.py").write_text(text)
        return folder

    def run(self, package, call="halved(6.0)"):
        """What `call` gives in a new process, and how often compiled code was found on disk."""
        program = f"from tiny.kernel import halved; print({call}, sum(halved.stats.cache_hits.values()))"
        places = {"PYTHONPATH": os.pathsep.join([str(package.parent), os.getcwd()]), "NUMBA_CACHE_DIR": str(package)}
        run = subprocess.run(
            [sys.executable, "-c", program], env=os.environ | places, capture_output=True, text=True, check=True
        )
        result, hits = run.stdout.split()
        return float(result), int(hits)

    @pytest.mark.slow
    def test_code_is_found_again_for_every_kind_of_argument(self, package):
        assert self.run(package) == (3.0, 0)
        assert self.run(package, "halved(6)") == (3.0, 0)
        assert self.run(package) == (3.0, 1)
        assert self.run(package, "halved(6) + halved(6.0)") == (6.0, 2)

    @pytest.mark.slow
    def test_it_is_compiled_anew_when_a_file_changes_that_it_was_made_of(self, package):
        self.run(package)
        (package / "number.py").write_text("TWO = 4.0  # no longer\n")
        assert self.run(package) == (1.5, 0)

    @pytest.mark.slow
    def test_it_is_found_again_when_the_files_are_written_again_as_they_were(self, package):
        """As when a version is installed once more, or after a look at another branch."""
        self.run(package)
        for file in package.glob("*.py"):
            os.utime(file, ns=(0, 0))
        assert self.run(package) == (3.0, 1)

    @pytest.mark.slow
    def test_it_is_compiled_anew_when_a_module_that_it_names_has_moved(self, package):
        """As after an upgrade: numba looks for the old module before it compares the sources."""
        (package / "number.py").write_text(PAIR)
        (package / "kernel.py").write_text(OF_A_PAIR)
        call = "halved(__import__('tiny.kernel').kernel.Pair(6.0))"
        assert self.run(package, call) == (3.0, 0)
        assert self.run(package, call) == (3.0, 1)
        (package / "number.py").rename(package / "pair.py")
        (package / "kernel.py").write_text(OF_A_PAIR.replace(".number", ".pair"))
        assert self.run(package, call) == (3.0, 0)

    @pytest.mark.slow
    def test_of_processes_that_need_it_at_once_one_compiles_it(self, package):
        program = "import sys; from tiny.kernel import halved; print('ready', flush=True); sys.stdin.readline(); "
        program += "print(halved(6.0), sum(halved.stats.cache_hits.values()))"
        places = {"PYTHONPATH": os.pathsep.join([str(package.parent), os.getcwd()]), "NUMBA_CACHE_DIR": str(package)}
        pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "text": True}
        runs = [subprocess.Popen([sys.executable, "-c", program], env=os.environ | places, **pipes) for _ in range(3)]
        assert [run.stdout.readline() for run in runs] == ["ready\n"] * 3
        for run in runs:
            run.stdin.write("\n")
            run.stdin.flush()
        assert sorted(run.communicate(timeout=120)[0] for run in runs) == ["3.0 0\n", "3.0 1\n", "3.0 1\n"]

    def test_the_files_that_count_are_those_imported_from_beside(self, package):
        names = {path.stem for path in sources(package / "kernel.py")} & {"__init__", "kernel", "part", "number"}
        assert names == {"kernel", "part", "number"}

    @pytest.mark.slow
    @pytest.mark.parametrize(
        "statement", ["from ...far.away.number import TWO", "from far.away import number as n; TWO = n.TWO"]
    )
    def test_a_change_two_packages_away_counts(self, package, statement):
        """Kernels lie beside what uses them, what they are written in elsewhere."""
        nested = package / "near" / "by"
        away = package / "far" / "away"
        for folder in (nested, away):
            folder.mkdir(parents=True)
            for each in (folder, folder.parent):
                (each / "__init__.py").touch()
        (away / "number.py").write_text("TWO = 2.0\n")
        if statement.startswith("from far"):
            statement = statement.replace("from far", "from tiny.far")
        (nested / "half.py").write_text(PART.replace("from .number import TWO", statement))
        (package / "kernel.py").write_text(KERNEL.replace("from .part", "from tiny.near.by.half"))
        assert self.run(package) == (3.0, 0)
        assert self.run(package) == (3.0, 1)
        (away / "number.py").write_text("TWO = 4.0  # no longer\n")
        assert self.run(package) == (1.5, 0)

    def test_absolute_imports_of_the_program_count_for_kernels_elsewhere(self, package):
        """As for the kernels of tests: a change in the words that they are written in must reach them."""
        assert Path(vectors.__file__).resolve() in sources(Path(__file__))
        assert Path(compiling.__file__).resolve() in sources(package / "kernel.py")

    def test_installed_packages_do_not_count(self):
        assert not any("site-packages" in path.parts for path in sources(Path(__file__)))
