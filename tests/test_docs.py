"""README and docs: what they show runs, their links lead somewhere, the site builds, generated pages are up to date.

How blocks are run, page by page, in order, each page in an empty folder of its own:

- `python` blocks run unchanged, each in a namespace of its own. The one that opens a window is the file
  `docs/examples/embed.py`; here it is only held to be the same text, `test_examples.py` runs it.
- In `sh` blocks, lines of `waterview` run in this process, but small: `--grid`, `--size`, `--seconds`, `--fps` and
  `--quality` are given once more, which overrides what the page says. `view` (also when it is left out) has no display
  here and draws into a folder instead: its options are read and used, a window is not opened; `tests/window` does that.
  What the reader has by then, a GeoTIFF of their own, an aerial picture and the recording of a window, is made before.
- `toml` blocks are written to the file that their first line names, for those lines to read.
- Lines of `make` are checked with `make --dry-run`, which knows the targets but starts nothing.
- What gets the program (`git clone`, `cd`, activating its environment, `pip install`) is not run; anything else in an
  `sh` block fails.
"""

import re
import shlex
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path

import numpy as np
import pytest
import rasterio
from rasterio.transform import from_origin

from waterview import Drop, WaveEquationWater
from waterview.cli import run
from waterview.output.recording import RecordingFile
from waterview.output.writers import WRITERS
from waterview.scene.serialise import world_to_dict
from waterview.sim.world import World
from waterview.terrain.readers import ENDINGS, READERS

ROOT = Path(__file__).parent.parent
DOCS = ROOT / "docs"
PAGES = [ROOT / "README.md", *sorted(DOCS.rglob("*.md"))]
BLOCK = re.compile(r"^```(\w+)\n(.*?)^```$", re.M | re.S)
LINK = re.compile(r"!?\[[^\]]*\]\(([^)\s]+)\)")
SMALL = {
    "view": ("--without-display", "window", "--window-size", "64x36", "--grid", "24", "--quality", "low"),
    "view lake.zarr": ("--without-display", "window", "--window-size", "64x36", "--quality", "low"),
    "bench": ("--grid", "24", "--threads", "1", "--turns", "1"),
    "bake": ("--grid", "96", "--seconds", "0.2", "--every", "0.1", "--workers", "0"),
    "render lake.zarr": ("--size", "64x36", "--quality", "low"),
    "render": ("--grid", "24", "--size", "64x36", "--quality", "low", "--seconds", "0.2", "--fps", "4"),
}
COMMANDS = {"view", "render", "bake", "inspect", "doctor", "presets", "models", "bench"}
NOT_RUN = ("git clone ", "cd ", ". .venv/bin/activate", "pip install ")


def name_of(page):
    return page.relative_to(ROOT).as_posix()


def blocks(page):
    return BLOCK.findall(page.read_text(encoding="utf-8"))


def make_coast(path):
    """The reader's own GeoTIFF, for pages that do not make it themselves: a hill in the sea, cells of 10 m."""
    z, x = np.mgrid[-1:1:61j, -1:1:81j]
    heights = (60.0 * np.exp(-4.0 * (x**2 + z**2)) - 20.0).astype(np.float32)
    where = {"crs": "EPSG:32633", "transform": from_origin(500_000, 5_200_000, 10, 10)}
    with rasterio.open(path, "w", driver="GTiff", width=81, height=61, count=1, dtype="float32", **where) as file:
        file.write(heights, 1)


def make_photo(path):
    """An aerial picture of the same place, half as wide."""
    colours = np.full((3, 30, 40), [[[90]], [[120]], [[60]]], np.uint8)
    where = {"crs": "EPSG:32633", "transform": from_origin(500_200, 5_199_850, 10, 10)}
    with rasterio.open(path, "w", driver="GTiff", width=40, height=30, count=3, dtype="uint8", **where) as file:
        file.write(colours)


def make_recording(path):
    """What `--record` would have written, had there been a window: a drop in a pool, a fifth of a second."""
    with RecordingFile(path, world_to_dict(World(WaveEquationWater(12.0, 9.0, 24)))) as file:
        file.note(5, Drop(6.0, 4.5, 0.1, 1.0))
        file.end(24)


def run_python(text):
    examples = [path.read_text(encoding="utf-8") for path in (DOCS / "examples").glob("*.py")]
    if text not in examples:
        exec(compile(text, "block", "exec"), {"__name__": "__main__"})


def write_named(text):
    """A file under the name in its first line, `# name`, for the lines of `waterview` below it."""
    name = text.splitlines()[0].removeprefix("# ")
    Path(name).write_text(text, encoding="utf-8")


def run_shell(text):
    for line in text.splitlines():
        words = shlex.split(line, comments=True)
        match words[:1]:
            case []:
                continue
            case ["waterview"]:
                run_waterview(words[1:])
            case ["make"]:
                command = ["make", "--dry-run", "--directory", ROOT, *words[1:]]
                subprocess.run(list(map(str, command)), check=True, capture_output=True)
            case ["python"]:
                check_benchmark(words[1], [word for word in words[2:] if word.startswith("--")])
            case _:
                assert line.startswith(NOT_RUN), f"nobody can tell whether this works: {line}"


def check_benchmark(script, flags):
    """Benchmarks take too long for a test; that they start and know their flags does not."""
    help_text = subprocess.run(
        [sys.executable, ROOT / script, "--help"], check=True, capture_output=True, text=True
    ).stdout
    assert [flag for flag in flags if flag not in help_text] == [], script


def run_waterview(arguments):
    command = arguments[0] if arguments and arguments[0] in COMMANDS else "view"
    general = bool(arguments) and arguments[0].startswith("--") and arguments[0] in {"--version", "--help"}
    small = SMALL.get(" ".join(arguments[:2]), SMALL.get(command, ()))
    code = run([*arguments, *(() if general else small)])
    assert code == 0, f"waterview {' '.join(arguments)}"


def test_what_the_pages_import_is_public():
    shown = [(name_of(page), text) for page in PAGES for language, text in blocks(page) if language == "python"]
    shown += [(path.name, path.read_text(encoding="utf-8")) for path in (DOCS / "examples").iterdir() if path.is_file()]
    assert len(shown) > 20
    assert [name for name, text in shown if re.search(r"(from|import) waterview\.", text)] == []


@pytest.mark.usefixtures("one_context")
@pytest.mark.slow
@pytest.mark.filterwarnings("ignore:Use `@` matmul:PendingDeprecationWarning")  # rasterio's own from_origin
@pytest.mark.parametrize("page", [page for page in PAGES if blocks(page)], ids=name_of)
def test_every_block_runs(page, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for name in ("DISPLAY", "WAYLAND_DISPLAY"):
        monkeypatch.delenv(name, raising=False)
    make_coast(tmp_path / "coast.tif")
    make_photo(tmp_path / "photo.tif")
    make_recording(tmp_path / "play.jsonl")
    for language, text in blocks(page):
        match language:
            case "python":
                run_python(text)
            case "sh":
                run_shell(text)
            case "toml":
                write_named(text)
            case _:
                assert language == "text", f"{name_of(page)} has a block of {language}, which nobody runs"


@pytest.mark.parametrize("page", PAGES, ids=name_of)
def test_links_lead_somewhere(page):
    text = BLOCK.sub("", page.read_text(encoding="utf-8"))
    for link in LINK.findall(text):
        if not link.startswith(("https://", "#")):
            path = (page.parent / link.split("#")[0]).resolve()
            assert path.exists(), link
            assert page.parent == ROOT or path.is_relative_to(DOCS), f"{link} leaves the site"


@pytest.mark.parametrize("page", PAGES, ids=name_of)
def test_every_target_of_make_that_is_named_exists(page):
    for target in set(re.findall(r"\bmake ([a-z]+)`", page.read_text(encoding="utf-8"))):
        run_shell(f"make {target}")


def test_a_page_shows_an_example_as_it_is():
    assert ("python", (DOCS / "examples" / "embed.py").read_text(encoding="utf-8")) in blocks(DOCS / "embedding.md")


def test_every_public_name_is_described():
    import waterview

    text = (DOCS / "embedding.md").read_text(encoding="utf-8")
    assert [name for name in waterview.__all__ if not name.startswith("_") and f"| `{name}` |" not in text] == []


@pytest.mark.parametrize("page", [ROOT / "README.md", DOCS / "terrain.md"], ids=name_of)
def test_every_format_that_is_read_or_written_is_named(page):
    text = page.read_text(encoding="utf-8")
    listed = re.search(r"(?:\*\*Terrain\*\*: PNG|waterview reads) .*?\.\s", text, re.S)
    read = [reader.endings[0] for reader in READERS if reader.endings[0] in ENDINGS]
    assert [ending for ending in read if f"`{ending}`" not in listed[0]] == []
    assert [ending for ending in WRITERS if not re.search(rf"{re.escape(ending)}\b", text)] == []


def test_the_architecture_names_every_room():
    text = (DOCS / "architecture.md").read_text(encoding="utf-8")
    rooms = {path.parent.name + "/" for path in (ROOT / "waterview").glob("*/__init__.py")}
    assert [room for room in sorted(rooms) if f"`{room}`" not in text] == []


@pytest.mark.parametrize("page", PAGES, ids=name_of)
def test_every_file_and_folder_that_is_named_exists(page):
    """Paths are written from the repository, the package or the shaders; `kernels/` lies beside each solver."""
    places = (ROOT, ROOT / "waterview", ROOT / "shaders", ROOT / "waterview" / "bodies")
    text = page.read_text(encoding="utf-8")
    named = re.findall(r"`((?:[\w-]+/)+(?:[\w-]+\.(?:py|toml))?|(?:[\w-]+/)*[\w-]+\.(?:frag|vert|glsl))`", text)
    assert [name for name in named if not any((place / name).exists() for place in places)] == []


class TestGenerated:
    @pytest.fixture
    def generate(self, monkeypatch):
        monkeypatch.syspath_prepend(DOCS)
        import generate

        return generate

    def test_committed_pages_are_what_the_declarations_say(self, generate):
        for name, text in generate.pages().items():
            assert (DOCS / name).read_text(encoding="utf-8") == text, f"docs/{name} is out of date: run make docs"

    def test_every_declared_parameter_and_key_is_on_the_page(self, generate):
        from waterview.cli.options import declared_parameters
        from waterview.ui.keys import ACTIONS, key_label

        page = generate.parameters_page()
        assert [entry.flag for entry in declared_parameters() if f"| `{entry.flag}` |" not in page] == []
        keys = [key for action in ACTIONS for key in action.keys]
        assert [
            key for key in keys if not re.search(rf"^\| .*<kbd>{re.escape(key_label(key))}</kbd>.* \|", page, re.M)
        ] == []

    def test_an_option_that_is_called_like_a_parameter_and_is_none_is_on_the_page(self, generate):
        _, _, bench = generate.parameters_page().partition("### waterview bench\n")
        assert "| `--grid N` | Points along a side" in bench.partition("\n#")[0]


def named_pages(part):
    """Every page that a part of the site's navigation names."""
    if isinstance(part, str):
        return [part]
    return [page for entry in (part.values() if isinstance(part, dict) else part) for page in named_pages(entry)]


def test_every_page_has_one_place_in_the_navigation():
    named = named_pages(tomllib.loads((ROOT / "zensical.toml").read_text(encoding="utf-8"))["project"]["nav"])
    assert sorted(named) == sorted(page.relative_to(DOCS).as_posix() for page in DOCS.rglob("*.md"))


@pytest.mark.slow
def test_the_site_builds_without_a_warning(tmp_path):
    shutil.copy(ROOT / "zensical.toml", tmp_path)
    shutil.copytree(DOCS, tmp_path / "docs", ignore=shutil.ignore_patterns("*.py", "__pycache__"))
    command = [sys.executable, "-m", "zensical", "build", "--strict"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, timeout=120, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    pages = list((tmp_path / "out" / "docs").rglob("*.html"))
    assert len(pages) >= len(PAGES)
    for page in pages:
        loaded = re.findall(r"<(?:script|link|img)[^>]*(?:src|href)=\"?(https?:)?//", page.read_text(encoding="utf-8"))
        assert loaded == [], f"{page.name} loads something from the network"


@pytest.mark.slow
def test_what_is_plotted_lies_on_the_closed_forms(monkeypatch):
    monkeypatch.syspath_prepend(DOCS)
    import figures

    for stencil in figures.COLOURS:
        for p, q in figures.DIRECTIONS[:5]:
            exact = figures.expected_speed(np.pi * p / figures.POINTS, np.pi * q / figures.POINTS, stencil)
            assert figures.measured_speed(p, q, stencil) == pytest.approx(exact, rel=1e-7)
    measured, exact = figures.swing(4, 3, "isotropic", 1.5, 300), figures.expected_swing(4, 3, 1.5, 300)
    assert np.abs(measured - exact).max() < 1e-5


def test_the_tests_that_contributors_are_sent_to_exist():
    page, named = (ROOT / "docs" / "contributing.md").read_text(encoding="utf-8"), 0
    for cell in re.findall(r"^\|.* \| (`[\w/]+\.py`: .*) \|$", page, re.MULTILINE):
        for part in cell.split("; "):
            file, _, names = part.partition(": ")
            folder = ROOT if "/" in file else ROOT / "tests" / "window"
            text = (folder / file.strip("`")).read_text(encoding="utf-8")
            for name in names.split(", "):
                assert f"def {name.strip('`')}(" in text, f"{name} is not in {file}"
                named += 1
    assert named == len(re.findall(r"`test_\w+`", page)) > 80
