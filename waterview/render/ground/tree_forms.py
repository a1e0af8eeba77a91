"""The forms of trees, and a mesh of each: crowns that are made of clumps of leaves."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

HIGHEST = 10.0
"""Height of the highest trees [m]."""

_STEM = 4
"""Points around the foot of a stem."""


@dataclass(frozen=True, kw_only=True)
class Form:
    """What trees of one kind have in common: a crown of clumps of leaves, and how far single trees differ.

    Attributes:
        heights: lowest and highest [m].
        widths: narrowest and widest, as shares of the height.
        tints: darkest and lightest, from 0 for the green of firs to 1 for that of young leaves.
        foot: height at which the crown begins, as a share of the tree's.
        clumps: how many.
        size: radius of a clump as a share of the crown's.
        tiers: whether the clumps are tiers of boughs, one above the other and ever narrower.
        seed: of what chance disturbs.
    """

    heights: tuple[float, float]
    widths: tuple[float, float]
    tints: tuple[float, float]
    foot: float
    clumps: int
    size: float = 1.0
    tiers: bool = False
    seed: int


BROAD, TALL, CONIFER, BUSH = range(4)
"""Places in `FORMS`."""

FORMS = (
    Form(heights=(4.5, 9.0), widths=(0.75, 1.05), tints=(0.3, 0.9), foot=0.2, clumps=12, size=0.38, seed=3),
    Form(heights=(5.5, HIGHEST), widths=(0.45, 0.62), tints=(0.25, 0.8), foot=0.14, clumps=11, size=0.5, seed=5),
    Form(heights=(5.0, HIGHEST), widths=(0.38, 0.52), tints=(0.05, 0.25), foot=0.08, clumps=7, tiers=True, seed=7),
    Form(heights=(1.5, 3.0), widths=(1.0, 1.6), tints=(0.35, 1.0), foot=0.0, clumps=8, size=0.45, seed=11),
)
"""Trees with broad and with tall crowns, slender conifers, and bushes."""


def tree_mesh(form: Form, *, fine: bool) -> tuple[NDArray[np.float32], NDArray[np.uint32]]:
    """A tree of height and width 1 with its foot at the origin.

    Args:
        form: what kind of tree.
        fine: whether it is for trees near the eye.

    Returns:
        Positions, normals and the share of light that reaches them, 0 for the stem, shape (n, 7); and triangles. Each
        clump is one closed surface, and the stem a cone that is open at its foot.
    """
    chance = np.random.default_rng(form.seed)
    centres, radii = _clumps(form, chance)
    ball, faces = _clump(form.tiers, fine)
    number = np.arange(len(centres))
    turned = ball @ _turns(len(centres), form.tiers, chance)
    # Between few points is less of a ball than between many.
    rough = chance.uniform(*((0.5, 1.06) if fine else (0.7, 1.25)), (*turned.shape[:2], 1))
    at = centres[:, None] + radii[:, None] * turned * rough
    outwards = (at - (0.0, 0.5 + 0.5 * form.foot, 0.0)) / (0.5, 0.5 - 0.5 * form.foot, 0.5)
    # Less light falls between clumps, to the middle of the crown, and to where boughs leave the stem.
    apart = np.linalg.norm((at[:, :, None] - centres) / radii, axis=-1)
    apart[number, :, number] = np.inf
    light = np.clip(1.6 * apart.min(axis=-1) - 0.6, 0.4, 1.0) * np.clip(np.linalg.norm(outwards, axis=-1), 0.5, 1.0)
    if form.tiers:
        light = np.broadcast_to(0.35 + 0.65 * np.hypot(ball[:, 0], ball[:, 2]), light.shape)
    normals = turned + 0.7 * outwards
    normals /= np.linalg.norm(normals, axis=-1, keepdims=True)
    at[..., 1] = form.foot + (1.0 - form.foot) * (at[..., 1] - at[..., 1].min()) / np.ptp(at[..., 1])
    at[..., ::2] *= 0.5 / np.hypot(at[..., 0], at[..., 2]).max()
    leaves = np.concatenate([at, normals, light[..., None]], axis=-1).reshape(-1, 7)
    angles = 2.0 * math.pi * np.arange(_STEM) / _STEM
    foot = np.column_stack([np.cos(angles), 0.0 * angles, np.sin(angles)])
    sides = np.column_stack([0.04 * foot, foot, 0.0 * angles])
    top = [0.0, form.foot + 0.3 * (1.0 - form.foot), 0.0, 0.0, 1.0, 0.0, 0.0]
    first = len(leaves) + np.arange(_STEM)
    stem = np.column_stack([first, np.full(_STEM, first[-1] + 1), np.roll(first, -1)])
    crown = (faces + len(ball) * number[:, None, None]).reshape(-1, 3)
    return np.vstack([leaves, sides, top]).astype(np.float32), np.vstack([crown, stem]).astype(np.uint32)


def _clumps(form: Form, chance: np.random.Generator) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Middles and radii of the clumps of a crown, both of shape (clumps, 3), before it is scaled to its height."""
    share = (np.arange(form.clumps) + 0.5) / form.clumps
    turn = math.pi * (3.0 - math.sqrt(5.0)) * np.arange(form.clumps)  # the golden angle: never above one another
    disturbed = chance.uniform(0.85, 1.15, (form.clumps, 1))
    if form.tiers:
        across, level = np.full(form.clumps, 0.03), form.foot + (1.0 - form.foot) * share
        radii = np.column_stack([0.06 + 0.44 * (1.0 - share), np.full(form.clumps, 1.1 / form.clumps)])[:, [0, 1, 0]]
        return np.column_stack([across * np.cos(turn), level, across * np.sin(turn)]), radii * disturbed
    level = 1.0 - 1.7 * share
    across = np.sqrt(1.0 - level**2)
    half = 0.5 * (1.0 - form.foot)
    radius = 0.5 * form.size
    radii = np.full((form.clumps, 3), (radius, min(radius * sum(form.widths) / 2.0, 0.8 * half), radius)) * disturbed
    outermost = (0.5, half, 0.5) - radii
    centres = outermost * np.column_stack([across * np.cos(turn), level, across * np.sin(turn)])
    centres[:, 1] += form.foot + half
    return centres, radii


def _turns(count: int, tiers: bool, chance: np.random.Generator) -> NDArray[np.float64]:
    """Matrices that turn clumps at random, and tiers at random about the stem; shape (count, 3, 3)."""
    if not tiers:
        return np.linalg.qr(chance.normal(size=(count, 3, 3)))[0]
    angles = chance.uniform(0.0, 2.0 * math.pi, count)
    cos, sin, zero, one = np.cos(angles), np.sin(angles), np.zeros(count), np.ones(count)
    return np.array([[cos, zero, -sin], [zero, one, zero], [sin, zero, cos]]).transpose(2, 0, 1)


def _clump(tier: bool, fine: bool) -> tuple[NDArray[np.float64], NDArray[np.intp]]:
    """A ball of radius 1, or a tier of boughs that hang down: points, shape (n, 3), and triangles."""
    if tier:
        rings = [(-0.8, 0.95), (-0.5, 0.7), (0.1, 0.4)] if fine else [(-0.8, 1.0)]
    else:
        rings = [(-0.7, 0.75), (0.0, 1.0), (0.65, 0.78)] if fine else [(0.0, 1.0)]
    number = 8 if fine else 5
    points = [[0.0, -0.3 if tier else -1.0, 0.0]]
    for k, (level, radius) in enumerate(rings):
        angles = 2.0 * math.pi * (np.arange(number) + 0.5 * k) / number
        points += [[radius * math.cos(angle), level, radius * math.sin(angle)] for angle in angles]
    points.append([0.0, 1.0, 0.0])
    triangles, top = [], len(points) - 1
    for k in range(number):
        after = (k + 1) % number
        triangles.append([0, 1 + k, 1 + after])
        for ring in range(1, top - number, number):
            a, b = ring + k, ring + after
            triangles += [[a, a + number, b], [b, a + number, b + number]]
        triangles.append([top - number + k, top, top - number + after])
    return np.array(points), np.array(triangles)
