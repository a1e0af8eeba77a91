"""The wheel that users install: built, unpacked elsewhere, and run from a folder that knows nothing of the sources."""

import os
import re
import subprocess
import sys
import tarfile
import tomllib
import zipfile
from pathlib import Path

import pytest
import yaml

from waterview import __version__

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
def test_modules_shaders_and_assets_are_inside(wheel):
    names = set(zipfile.ZipFile(wheel).namelist())
    sources = {path.relative_to(ROOT).as_posix() for path in (ROOT / "waterview").rglob("*.py")}
    sources |= {
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
    # Nothing is compiled there yet, and Airy's water has few kernels.
    options = ("--grid", 48, "--size", "64x36", "--seconds", 0.1, "--quality", "low", "--out", "a.png")
    done = run(installed, tmp_path, "render", "basin", "--model", "airy", *options)
    assert done.returncode == 0, done.stderr
    assert (tmp_path / "a.png").stat().st_size > 500


@pytest.mark.slow
def test_the_readme_of_a_package_index_has_no_link_into_the_repository(wheel):
    with zipfile.ZipFile(wheel) as archive:
        (name,) = (name for name in archive.namelist() if name.endswith(".dist-info/METADATA"))
        told = archive.read(name).decode().partition("\n\n")[2]
    assert told.startswith("# waterview") and "pip install waterview" in told.partition("make run")[0]
    assert not re.findall(r"\]\((?!https:)", told) and "![" not in told
    assert "They are checked against exact solutions" in told


@pytest.mark.slow
def test_a_desktop_finds_the_program_and_its_icon(wheel):
    names = {name.partition(".data/data/")[2] for name in zipfile.ZipFile(wheel).namelist()}
    assert {"share/applications/waterview.desktop", "share/icons/hicolor/scalable/apps/waterview.svg"} <= names


@pytest.mark.slow
def test_the_source_archive_has_all_that_builds_and_tests_but_no_pictures_of_the_pages(tmp_path):
    command = [sys.executable, "-m", "build", "--sdist", "--no-isolation", "--outdir", tmp_path, ROOT]
    subprocess.run(list(map(str, command)), check=True, capture_output=True, timeout=200)
    (path,) = tmp_path.glob("*.tar.gz")
    with tarfile.open(path) as archive:
        names = {name.partition("/")[2] for name in archive.getnames()}
    assert {"Makefile", ".ci/run", "LICENSE", "docs/index.md", "shaders/water.frag", "tests/test_packaging.py"} <= names
    assert not [name for name in names if name.startswith("docs/pictures/")]


def test_every_file_that_names_a_version_names_the_same():
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    citation = yaml.safe_load((ROOT / "CITATION.cff").read_text())
    recipe = yaml.safe_load((ROOT / ".ci/conda/recipe.yaml").read_text())
    assert {project["version"], citation["version"], recipe["context"]["version"]} == {__version__}


def test_the_conda_recipe_asks_for_the_same_versions_as_pip():
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    everything = [each for name in ("film", "geo", "panel") for each in project["optional-dependencies"][name]]
    wanted = [each for each in project["dependencies"] if not each.startswith("waterview[")] + everything
    recipe = yaml.safe_load((ROOT / ".ci/conda/recipe.yaml").read_text())["requirements"]["run"]
    names = {entry.replace("pyglfw", "glfw").replace(" ", "") for entry in recipe if not entry.startswith("python ")}
    assert names == set(wanted)


@pytest.mark.slow
def test_the_core_distribution_leaves_out_what_the_extras_bring(tmp_path):
    command = [sys.executable, ROOT / ".ci/core-distribution", tmp_path]
    subprocess.run(list(map(str, command)), check=True, capture_output=True, timeout=200)
    (path,) = tmp_path.glob("waterview_core-*.whl")
    with zipfile.ZipFile(path) as archive:
        (name,) = (name for name in archive.namelist() if name.endswith(".dist-info/METADATA"))
        told = archive.read(name).decode()
        assert "waterview/_data/shaders/water.frag" in archive.namelist()
    needed = [line for line in told.splitlines() if line.startswith("Requires-Dist") and "extra ==" not in line]
    assert not [line for line in needed for missing in ("av", "imgui", "rasterio", "waterview") if missing in line]
    assert "Provides-Extra: geo" in told


@pytest.mark.parametrize("name", ["test", "release"])
def test_workflows_name_files_that_exist(name):
    text = (ROOT / f".github/workflows/{name}.yml").read_text()
    steps = [step for job in yaml.safe_load(text)["jobs"].values() for step in job.get("steps", [])]
    commands = " ".join(step.get("run", "") for step in steps)
    assert all((ROOT / path).exists() for path in commands.split() if path.startswith((".ci/", "tests/")))
    assert all("@" in step["uses"] for step in steps if "uses" in step)
