"""A surface and a flow that a water is given, in terms of the heights alone: how fast the flow makes the surface rise.

A model of waves of small height has no flow of its own. What a flow does to its surface follows from the volume:
η_t = −∇·q with the discharge q.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from .borders import Sides

Doubles = NDArray[np.float64]


def rising_speed(
    flow: NDArray[np.floating],
    heights: NDArray[np.floating],
    lead: float | Doubles,
    spacing: float,
    fixed: NDArray[np.bool_],
    sides: Sides,
) -> Doubles:
    """How fast the surface rises, −∇·(q + lead·∇η) [m/s], shape (nz, nx); 0 at fixed points.

    Volumes go through the faces of cells around the points, so that what leaves one enters the next. None goes through
    the shore, and none through a side that keeps volume.

    A solver that knows its motion as a difference of heights needs the velocity half a step before the heights: that is
    the one with lead = ½Δt·c², for η_tt = c²∇²η.

    Args:
        flow: discharge q along x and z [m²/s], shape (2, nz, nx).
        heights: η [m], shape (nz, nx).
        lead: a number, or shape (nz, nx) [m²/s].
        spacing: Δx [m].
        fixed: land, shape (nz, nx).
        sides: the kinds of the four sides.
    """
    lead = np.broadcast_to(np.asarray(lead, np.float64), heights.shape)
    open_along_x = [not kind.keeps_volume for kind in (sides.kinds[3], sides.kinds[1])]
    open_along_z = [not kind.keeps_volume for kind in (sides.kinds[0], sides.kinds[2])]
    wraps_z, wraps_x = sides.wraps
    rising = -_divergence(flow[0], heights, lead, spacing, fixed, open_along_x, wraps_x)
    rising -= _divergence(flow[1].T, heights.T, lead.T, spacing, fixed.T, open_along_z, wraps_z).T
    return np.where(fixed, 0.0, rising)


def _divergence(
    flow: NDArray[np.floating],
    heights: NDArray[np.floating],
    lead: Doubles,
    spacing: float,
    fixed: NDArray[np.bool_],
    is_open: list[bool],
    wraps: bool,
) -> Doubles:
    """What leaves each cell along the rows, for its width; `is_open` tells of the sides at their beginning and end."""
    width = ((0, 0), (1, 1))
    flow, heights, lead = (
        np.pad(np.asarray(each, np.float64), width, mode="wrap" if wraps else "edge") for each in (flow, heights, lead)
    )
    land = np.pad(fixed, width, mode="wrap") if wraps else np.pad(fixed, width)
    if not wraps:
        land[:, 0], land[:, -1] = not is_open[0], not is_open[1]
    gradient = np.diff(heights, axis=1) / spacing
    faces = 0.5 * (flow[:, 1:] + flow[:, :-1] + (lead[:, 1:] + lead[:, :-1]) * gradient)
    faces[land[:, 1:] | land[:, :-1]] = 0.0
    return np.asarray(np.diff(faces, axis=1) / spacing)
