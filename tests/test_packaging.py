"""The wheel that users install: built, unpacked elsewhere, and run from a folder that knows nothing of the sources."""

import os
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent


@pytest.fixture(scope="module")
def wheel(tmp_path_factory):
    folder = tmp_path_factory.mktemp("wheel")
    command = [sys.executable, "-m", "build", "--wheel", "--no-isolation", "--outdir", folder, ROOT]
    done = subprocess.run(list(map(str, command)), capture_output=True, text=True, timeout=200, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    (path,) = folder.glob("*.whl")
    return path


@pytest.fixture(scope="module")
def installed(wheel, tmp_path_factory):
    """A folder with the wheel installed; the dependencies come from this environment."""
    folder = tmp_path_factory.mktemp("site")
    command = [sys.executable, "-m", "pip", "install", "--quiet", "--no-deps", "--no-index", "--target", folder, wheel]
    subprocess.run(list(map(str, command)), check=True, timeout=200)
    return folder


def run(installed, where, *arguments):
    environment = {**os.environ, "PYTHONPATH": str(installed)}
    command = [sys.executable, "-m", "waterview", *map(str, arguments)]
    return subprocess.run(command, cwd=where, env=environment, capture_output=True, text=True, timeout=250, check=False)


@pytest.mark.slow
def test_shaders_and_assets_are_inside(wheel):
    names = set(zipfile.ZipFile(wheel).namelist())
    sources = {
        f"waterview/_data/{path.relative_to(ROOT)}"
        for room in ("shaders", "assets")
        for path in (ROOT / room).rglob("*.*")
    }
    assert sources - names == set()
    assert "waterview/py.typed" in names


@pytest.mark.slow
def test_it_runs_from_any_folder(installed, tmp_path):
    where = subprocess.run(
        [sys.executable, "-c", "import waterview; print(waterview.__file__)"],
        cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": str(installed)},
        capture_output=True,
        text=True,
        check=True,
    ).stdout
    assert Path(where.strip()).is_relative_to(installed)
    options = ("--grid", 48, "--size", "64x36", "--seconds", 0.1, "--quality", "low", "--out", "a.png")
    done = run(installed, tmp_path, "render", "basin", *options)
    assert done.returncode == 0, done.stderr
    assert (tmp_path / "a.png").stat().st_size > 500
