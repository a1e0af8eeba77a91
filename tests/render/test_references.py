"""Pictures of every pass and tier are as they were when somebody last looked at them (references/make.py)."""

import numpy as np
import pytest
from support import pictures as references

from waterview.core.files import data_path
from waterview.render.gl import shaders

TOO_LARGE = 3_000_000


@pytest.mark.slow
@pytest.mark.parametrize(("scene", "tier"), references.NAMES)
def test_pictures_are_as_they_were(ctx, scene, tier):
    picture, sheet = references.draw(ctx, scene, tier)
    there, left = (references.load(path) for path in references.paths(scene, tier))
    changed = {"picture": references.missed(picture, there)}
    before = references.tiles(left)
    changed |= {name: references.missed(tile, before[name]) for name, tile in references.tiles(sheet).items()}
    changed = {name: share for name, share in changed.items() if share > references.SHARE}
    assert not changed, "if it was meant to: python tests/render/references/make.py, look, commit"


@pytest.mark.slow
@pytest.mark.parametrize("scene", ["dive", "pool"])
def test_a_graphics_card_reads_the_moment_from_its_block_keeps_light_in_half_floats_and_draws_the_same(
    ctx, monkeypatch, scene
):
    monkeypatch.setattr(shaders, "is_software", lambda ctx: False)
    picture, _ = references.draw(ctx, scene, "medium")
    there, _ = references.paths(scene, "medium")
    assert references.missed(picture, references.load(there)) <= references.SHARE


class NoCleanMemory:
    """A context whose new textures hold "not a number" until they are written, as recycled memory may."""

    def __init__(self, ctx):
        object.__setattr__(self, "inner", ctx)

    def __getattr__(self, name):
        return getattr(self.inner, name)

    def __setattr__(self, name, value):
        setattr(self.inner, name, value)

    def texture(self, size, components, data=None, dtype="f1", **options):
        if data is None and dtype != "f1" and not options:
            values = np.full((*size, components), np.nan, {"f2": np.float16, "f4": np.float32}[dtype])
            return self.inner.texture(size, components, values.tobytes(), dtype=dtype, alignment=1)
        return self.inner.texture(size, components, data, dtype=dtype, **options)


@pytest.mark.slow
def test_no_picture_shows_what_memory_held_before(ctx):
    clean, _ = references.draw(ctx, "coast", "low")
    other, _ = references.draw(NoCleanMemory(ctx), "coast", "low")
    np.testing.assert_array_equal(other, clean)


def test_there_is_a_reference_for_every_scene_and_tier_and_no_other():
    expected = {path for name in references.NAMES for path in references.paths(*name)}
    assert set(references.FOLDER.glob("*.png")) == expected
    assert sum(path.stat().st_size for path in expected) < TOO_LARGE


@pytest.mark.slow
@pytest.mark.parametrize(
    ("shader", "old", "new"),
    [
        ("include/optics.glsl", "INDEX = 1.333", "INDEX = 1.40"),
        ("include/pool_tiles.glsl", "GROUT = 0.055", "GROUT = 0.10"),
        ("tone_map.vert", "BASE = 0.44", "BASE = 0.47"),
        ("include/light.glsl", "DOWNWARD = 0.65", "DOWNWARD = 0.80"),
    ],
)
def test_a_changed_constant_in_a_shader_is_found(ctx, tmp_path, monkeypatch, shader, old, new):
    for path in data_path("shaders").rglob("*.*"):
        copy = tmp_path / path.relative_to(data_path("shaders"))
        copy.parent.mkdir(exist_ok=True)
        text = path.read_text(encoding="utf-8")
        if path == data_path("shaders") / shader:
            assert old in text
            text = text.replace(old, new)
        copy.write_text(text, encoding="utf-8")
    monkeypatch.setattr(shaders, "data_path", lambda room: tmp_path)
    picture, _ = references.draw(ctx, "pool", "low")
    there, _ = references.paths("pool", "low")
    assert references.missed(picture, references.load(there)) > references.SHARE


def test_what_differs_a_little_is_passed_and_what_differs_more_is_not():
    picture = np.full((100, 100, 3), 100, np.uint8)
    near, far = picture + np.uint8(2), picture.copy()
    assert references.missed(picture, near) == 0.0
    far[0, :50, 1] += 3
    assert references.missed(picture, far) == 0.005 <= references.SHARE
    far[1, 0, 2] -= 3
    assert references.missed(picture, far) > references.SHARE
