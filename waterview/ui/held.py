"""A body held by the mouse."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class BodyDrag:
    """It follows the pointer on the plane through the grabbed point that faces the camera.

    Attributes:
        point: where it was grabbed [m], shape (3,).
        facing: unit normal of that plane, shape (3,).
    """

    point: Array
    facing: Array

    def point_under(self, origin: Array, direction: Array) -> tuple[float, float, float]:
        """Where a ray meets the plane [m]; the grabbed point where it does not."""
        towards = float(direction @ self.facing)
        distance = float((self.point - origin) @ self.facing) / towards if towards < 0.0 else -1.0
        x, y, z = origin + distance * direction if distance > 0.0 else self.point
        return float(x), float(y), float(z)
