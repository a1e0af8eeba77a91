"""What this installation runs on, for bug reports."""

from __future__ import annotations

import os
import platform
from collections.abc import Iterator
from importlib.metadata import PackageNotFoundError, version

from waterview import __version__
from waterview.core.errors import DisplayError

PACKAGES = ("numpy", "numba", "moderngl", "moderngl-window", "glfw", "pyrr", "pillow")

EXTRAS = {"rasterio": "geo", "av": "film", "imgui-bundle": "panel", "trimesh": "mesh"}
"""Packages that not every installation has, and the extra that each comes with."""


def report() -> Iterator[tuple[str, str]]:
    """(name, value) of everything worth knowing; something missing is reported, never raised."""
    yield "waterview", __version__
    yield "Python", f"{platform.python_version()} on {platform.platform()}"
    for package in PACKAGES:
        yield package, _version(package)
    for package, extra in EXTRAS.items():
        yield package, _version(package, f"none: pip install 'waterview[{extra}]'")
    yield from _opengl()
    yield from _numba()
    yield "display", os.environ.get("WAYLAND_DISPLAY") or os.environ.get("DISPLAY") or "none"


def _version(package: str, missing: str = "missing: pip install waterview") -> str:
    try:
        return version(package)
    except PackageNotFoundError:
        return missing


def _opengl() -> Iterator[tuple[str, str]]:
    from waterview.render.offscreen import opengl

    try:
        with opengl() as ctx:
            yield "OpenGL renderer", ctx.info["GL_RENDERER"]
            yield "OpenGL version", ctx.info["GL_VERSION"]
            yield "largest texture", f"{ctx.info['GL_MAX_TEXTURE_SIZE']} pixels"
    except DisplayError as error:
        yield "OpenGL", str(error)


def _numba() -> Iterator[tuple[str, str]]:
    from waterview.simd.about import cache_folder, threading_layer, threads

    yield "numba threading layer", threading_layer()
    yield "numba threads", str(threads())
    yield "numba cache", cache_folder() or "none that can be written to: kernels are compiled anew in every process"
