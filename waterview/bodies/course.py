"""A course: a body's engine and helm bring it to a speed and turn its bow to a heading."""

from __future__ import annotations

import math
from typing import Any, NamedTuple

from waterview.core.commands import MAX_SPEED, check_course
from waterview.core.constants import GRAVITY

MOST_THRUST = 0.5
"""Largest thrust of the engine, as a share of the body's weight."""

HELM_RATE = 1.0
"""How fast the bow comes to its heading [1/s]: it turns at this rate times the angle that is left."""

FASTEST_TURN = 0.5
"""Fastest turn that the helm asks for [rad/s]."""

HELM = 2.0
"""Largest angular acceleration by the helm [rad/s²]."""

USUAL_FROUDE_NUMBER = 0.4
"""Speed over √(g length) of a boat that is not hurried: its transverse waves are as long as its hull."""


class Course(NamedTuple):
    """Where a body goes and how fast.

    Attributes:
        heading: degrees clockwise from north (−z), so that 90 is east (+x).
        speed: over the ground [m/s].
    """

    heading: float
    speed: float

    @classmethod
    def checked(cls, heading: float, speed: float) -> Course:
        """A course of numbers that came from outside.

        Raises:
            ParameterError: one is not allowed.
        """
        check_course(heading, speed)
        return cls(float(heading), float(speed))


def facing(heading: float) -> tuple[float, float, float, float]:
    """The rotation of a level body whose bow, its own +x, has that heading [degrees]: a unit quaternion w, x, y, z."""
    half = 0.5 * math.radians(90.0 - heading)
    return math.cos(half), 0.0, math.sin(half), 0.0


def heading_of(east: float, south: float) -> float:
    """The heading [degrees, 0 to 360] of a way along world x and z, of any length."""
    return math.degrees(math.atan2(east, -south)) % 360.0


def usual_speed(length: float) -> float:
    """A speed for a hull of that length [m]: its Froude number is `USUAL_FROUDE_NUMBER`."""
    return min(USUAL_FROUDE_NUMBER * math.sqrt(GRAVITY * length), MAX_SPEED)


def steer(record: Any, course: Course, gravity: float, dt: float) -> None:
    """Change velocity and spin of a record of `BODY` by what engine and helm do in `dt` [s].

    The engine pushes along the heading, wherever the bow is: just as much as is missing to the speed, and at most
    `MOST_THRUST` of the weight. The helm turns the body about the vertical. Neither does anything while all of the
    body is out of the water, or while the pointer holds it.
    """
    if record["wet_volume"] <= 0.0 or record["grabbed"]:
        return
    heading, velocity = math.radians(course.heading), record["velocity"]
    east, south = math.sin(heading), -math.cos(heading)
    missing = course.speed - (float(velocity[0]) * east + float(velocity[2]) * south)
    gain = _within(missing, MOST_THRUST * gravity * dt)
    velocity[0] += gain * east
    velocity[2] += gain * south
    bow_east, bow_south = float(record["rotation"][0, 0]), float(record["rotation"][2, 0])
    # The angle from the bow to the heading about +y, which is anticlockwise seen from above.
    left = math.atan2(bow_south * east - bow_east * south, bow_east * east + bow_south * south)
    turn = _within(HELM_RATE * left, FASTEST_TURN)
    record["spin"][1] += _within(turn - float(record["spin"][1]), HELM * dt)


def _within(value: float, most: float) -> float:
    return min(max(value, -most), most)
