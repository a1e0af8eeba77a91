"""The gallery: every picture has its place on the page, and its scene can be made."""

import importlib.util
import re
import sys
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from waterview.render.settings import ViewParams
from waterview.scene.scene import split_settings

pytestmark = pytest.mark.usefixtures("one_context")

DOCS = Path(__file__).parent.parent / "docs"


@pytest.fixture(scope="module")
def gallery():
    spec = importlib.util.spec_from_file_location("gallery", DOCS / "gallery.py")
    module = importlib.util.module_from_spec(spec)
    sys.modules["gallery"] = module  # dataclasses look there for what their annotations name
    spec.loader.exec_module(module)
    yield module
    del sys.modules["gallery"]


def test_every_picture_is_on_the_page_and_there(gallery):
    shown = re.findall(r"pictures/gallery/([\w-]+)\.jpg", (DOCS / "gallery.md").read_text(encoding="utf-8"))
    assert sorted(shown) == sorted(gallery.SHOTS)
    assert {path.stem for path in gallery.FOLDER.glob("*.jpg")} == set(gallery.SHOTS)


def test_every_setting_is_allowed(gallery):
    for shot in gallery.SHOTS.values():
        own = {name for name in shot.settings if name in ViewParams.__dataclass_fields__}
        ViewParams().changed(**{name: shot.settings[name] for name in own})
        split_settings({name: value for name, value in shot.settings.items() if name not in own})


@pytest.mark.slow
def test_a_picture_is_drawn_with_its_bodies(gallery, monkeypatch):
    monkeypatch.setattr(gallery, "SIZE", (64, 36))
    shot = gallery.SHOTS["waterline"]
    shot = replace(shot, seconds=0.1, settings={**shot.settings, "grid": 32, "quality": "low"})
    with_bodies = gallery.picture(shot, 1).astype(float)
    without = gallery.picture(replace(shot, bodies=()), 1).astype(float)
    assert with_bodies.shape == (36, 64, 3)
    assert np.abs(with_bodies - without).max() > 60.0
