"""Has the reference compiler read every variant of every shader: `python tests/support/shader_variants.py`.

glslangValidator keeps to the standard where drivers are generous (Debian's package glslang-tools). A variant is a
shader with the features of a scene (`FEATURES`) and the numbers of a quality put in. Those that `#if` makes the same
text count once. All are compiled. Of all variants with the same inputs one is linked with each vertex shader, as
linking only compares what one stage hands to the other. It takes some minutes of one core.
"""

import itertools
import re
import subprocess
import sys
import tempfile
from pathlib import Path
from types import SimpleNamespace

import moderngl
import numpy as np

from waterview.core.files import data_path
from waterview.gpu.wave import GpuWave
from waterview.render.bodies.bodies import LIT_UNDER_WATER
from waterview.render.gl import shaders
from waterview.render.ground.drape import Drape
from waterview.render.materials import LevelMap, MaterialDepth, MaterialPass
from waterview.render.passes import PASSES
from waterview.render.preview import ScenePreview
from waterview.render.quality import TIERS
from waterview.render.render_pass import FEATURES
from waterview.render.renderer import Renderer
from waterview.render.settings import ViewParams

TOGETHER = 200
"""Shaders that are compiled at once: glslangValidator takes longer to start than to compile."""

NEEDED = {
    "near_water": {"UNDERWATER"},
    "underwater_surface": {"UNDERWATER"},
    "light_shafts": {"UNDERWATER"},
    "waterline": {"UNDERWATER"},
}
"""Features without which passes that shade no material draw nothing."""


def asked_for(ctx):
    """Shaders that renderers make in all qualities: name, vertex shader, defines and the names that are 0 or 1."""
    asked = [("clouds", "screen", {"CLOUDS": 0, "AIR": 0, "SHADE": shade}, ()) for shade in (0, 1)]
    plain, many = shaders.Shader.__init__, shaders.Variants.__init__

    def note(self, ctx, name, *, vertex=None, defines=None, **more):
        asked.append((name, vertex or name, dict(defines or {}), ()))
        plain(self, ctx, name, vertex=vertex, defines=defines, **more)

    def note_many(self, ctx, name, vertex, defines, flags):
        asked.append((name, vertex, dict(defines), tuple(flags)))
        many(self, ctx, name, vertex, defines, flags)

    shaders.Shader.__init__, shaders.Variants.__init__ = note, note_many
    try:
        for tier in TIERS:
            Renderer(ctx, ViewParams(quality=tier)).release()
        LevelMap(ctx).release()
        MaterialDepth(ctx, nested=True).release()
        ScenePreview(ctx).release()
        Drape(ctx, np.zeros((2, 2, 4), np.uint8)).release()
        GpuWave(ctx, (4, 4), 1.0)
    finally:
        shaders.Shader.__init__, shaders.Variants.__init__ = plain, many
    # Those of bodies are made when the first one is drawn.
    others = dict.fromkeys(set(FEATURES) - {*LIT_UNDER_WATER, "BODIES", "CLOUDS"}, 0)
    asked += [("body", "body", others | {"BODIES": 1, "CLOUDS": 1, "FINE": fine}, LIT_UNDER_WATER) for fine in (0, 1)]
    return [each for k, each in enumerate(asked) if each not in asked[:k]]


def scenes():
    """The sets of features that a scene can have (`Passes.update`)."""
    for chosen in itertools.product((False, True), repeat=len(FEATURES)):
        has = {name for name, on in zip(FEATURES, chosen, strict=True) if on}
        apart = {"WIND", "DETAIL"} <= has or {"DRAPE", "POOL"} <= has or {"DRAPE", "TREES"} <= has
        if not apart and "FOAM" not in has and ("SWELL" not in has or "SEA" in has):
            yield frozenset(has)


def drawn_with(name, scene):
    """The sets of features that a shader is compiled with for a scene."""
    if not NEEDED.get(name, set()) <= scene:
        return set()
    if name == "underwater_surface":
        return {scene, scene | {"FOAM"}}
    kinds = [kind for kind in PASSES if issubclass(kind, MaterialPass) and kind.shaders == (name,)]
    context = SimpleNamespace(features=scene, view=None)
    return {kind.features(kind, context) for kind in kinds} - {None} if kinds else {scene}


def holds(condition, defined):
    """Whether an `#if` is met, whose condition has names, `!`, `&&` and `||`."""
    values = {name: bool(value) for name, value in defined.items()}
    terms = ([term.strip() for term in part.split("&&")] for part in condition.split("||"))
    return any(all(values[term.lstrip("! ")] != term.startswith("!") for term in part) for part in terms)


def parts(text):
    """A shader's lines in runs that `#if` keeps or leaves out as a whole, each with the words of its directive."""
    runs = [([""], [])]
    for line in text:
        words = line.partition("//")[0].split(maxsplit=1)
        if words and words[0] in {"#if", "#elif", "#else", "#endif", "#define"}:
            runs.append((words, []))
        runs[-1][1].append(line)
    return runs


def active(runs, defined):
    """Which of a shader's runs `#if` keeps, as numbers."""
    kept, open_now, met, defined = [], [True], [True], dict(defined)
    for number, ((word, *rest), _) in enumerate(runs):
        if word == "#if":
            met.append(open_now[-1] and holds(rest[0], defined))
            open_now.append(met[-1])
        elif word in {"#elif", "#else"}:
            open_now[-1] = open_now[-2] and not met[-1] and (word == "#else" or holds(rest[0], defined))
            met[-1] = met[-1] or open_now[-1]
        elif word == "#endif":
            open_now.pop()
            met.pop()
        if open_now[-1]:
            kept.append(number)
            if word == "#define" and re.fullmatch(r"\w+ \d+", rest[0].strip()):
                defined[rest[0].split()[0]] = int(rest[0].split()[1])
    return tuple(kept)


def variants(folder, name, suffix, defines, flags, known):
    """The different texts of one stage of a shader, with the `Source` that says where their lines are from.

    Args:
        folder: where shaders are.
        name, suffix: of the file.
        defines: names with fixed values.
        flags: names that are 0 or 1: either `FEATURES` or independent of each other.
        known: all sets of features that scenes can have.
    """
    source = shaders.Source(folder / f"{name}{suffix}", defines | dict.fromkeys(flags, 0))
    text, head = source.text.splitlines(), 1 + len(defines | dict.fromkeys(flags, 0))
    runs = parts(text[head:])
    conditions = " ".join(rest[0] for (word, *rest), _ in runs if word in {"#if", "#elif"})
    used = frozenset(flag for flag in flags if re.search(rf"\b{flag}\b", conditions))
    if set(flags) == set(FEATURES):
        choices = {features & used for scene in known for features in drawn_with(name, scene)}
    else:
        choices = {frozenset(some) for count in range(len(used) + 1) for some in itertools.combinations(used, count)}
    seen = set()
    for choice in choices:
        defined = {flag: int(flag in choice) for flag in flags} | defines
        kept = active(runs, defined)
        if kept not in seen:
            seen.add(kept)
            lines = [text[0], *(f"#define {key} {value}" for key, value in defined.items()), *text[head:]]
            yield source, "\n".join(lines) + "\n", "\n".join(line for k in kept for line in runs[k][1])


def told(paths, *options):
    """What glslangValidator says of shaders, line by line, by their paths."""
    done = subprocess.run(["glslangValidator", *options, *paths], capture_output=True, text=True, check=False)
    said, path = {}, str(paths[0])
    for line in filter(None, map(str.strip, (done.stdout + done.stderr).splitlines())):
        if line in map(str, paths):
            path = line
        else:
            said.setdefault(path, []).append(line)
    if done.returncode and not said:
        said[path] = [f"glslangValidator ends with {done.returncode}"]
    return said


def main():
    """Compile all, link each kind of pair, and print what the compiler has to say."""
    folder, known = data_path("shaders"), list(scenes())
    with moderngl.create_context(standalone=True, backend="egl", require=330) as ctx:
        asked = asked_for(ctx)
    texts, pairs = {}, {}
    for (name, vertex, defines, flags), as_varyings in itertools.product(asked, (0, 1)):
        defined = {"VIEW_AS_VARYINGS": as_varyings * (vertex in ("material", "screen"))} | defines
        front = next(variants(folder, vertex, ".vert", defined, flags, known))
        texts[front[1]] = (front[0], ".vert")
        if not (folder / f"{name}.frag").is_file():
            continue
        for source, text, kept in variants(folder, name, ".frag", defined, flags, known):
            texts[text] = (source, ".frag")
            inputs = frozenset(re.findall(r"^(?:flat )?in .*|^#define MEMBER.*", kept, re.MULTILINE))
            pairs.setdefault((front[1], inputs), text)
    print(
        f"{len(texts)} variants of {len({name for name, *_ in asked})} shaders, {len(pairs)} pairs to link", flush=True
    )
    faults = 0
    with tempfile.TemporaryDirectory() as temporary:
        place = Path(temporary)
        waiting = list(texts.items())
        for first in range(0, len(waiting), TOGETHER):
            files = {}
            for number, (text, (source, suffix)) in enumerate(waiting[first : first + TOGETHER]):
                path = place / f"{number}{suffix}"
                path.write_text(text, encoding="utf-8")
                files[str(path)] = source
            for path, lines in told(list(files)).items():
                faults += 1
                print("\n".join(files[path].located(line) for line in lines), flush=True)
            for path in files:
                Path(path).unlink()
        for (front, _), text in pairs.items():
            paths = place / "linked.vert", place / "linked.frag"
            for path, content in zip(paths, (front, text), strict=True):
                path.write_text(content, encoding="utf-8")
            for lines in told(paths, "-l").values():
                faults += 1
                print("\n".join(texts[text][0].located(line) for line in lines), flush=True)
    print(f"{faults} with a word" if faults else "all without a word")
    return bool(faults)


if __name__ == "__main__":
    sys.exit(main())
