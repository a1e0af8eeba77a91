"""What the mouse does in the scene: drops and wakes, walls, grabbed bodies, probes, and the camera."""

from __future__ import annotations

import math
from collections.abc import Callable, Hashable
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, replace
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from waterview.core.body import BodyState
from waterview.core.commands import (
    DROP_RADIUS,
    DROP_STEEPNESS,
    Command,
    DragBody,
    GrabBody,
    PaintWall,
    ReleaseBody,
    usual_drop,
)
from waterview.core.frame import Frame
from waterview.render.camera.camera import OrbitCamera
from waterview.render.camera.picking import Hit, pick, pick_body
from waterview.render.gl.gpu_frame import without_reading
from waterview.render.settings import ViewParams
from waterview.scene.interaction import InteractionParams

from .hud.probe import Probe

LEFT, RIGHT, MIDDLE = 1, 2, 3
"""Mouse buttons as moderngl-window numbers them."""

_WAKE_SPACING = 0.5
"""Distance between the drops of a wake, in radii of a drop: so close that they join."""
_WAKE_HEIGHT = 0.3
"""Height of these drops, as a share of that of a single drop."""
_WALL_RADIUS = 0.008
"""Radius of painted walls, as a share of the longer side of the scene."""
_WALL_SPACING = 0.5
"""Shortest way between two points of a wall, in radii: a quick mouse sends a thousand events a second."""

_CLICK_REACH = 4.0
"""How far the pointer may go between press and release of a click [window units]."""
_NOTCH = 40.0
"""Way of a drag that one notch of the wheel stands for [window units]."""

Array = NDArray[np.float64]


class SceneView(Protocol):
    """The part of a `waterview.ui.viewer.Viewer` that the mouse acts on."""

    frame: Frame
    camera: OrbitCamera
    view: ViewParams
    interaction: InteractionParams
    probe: Probe | None

    def post(self, command: Command) -> None:
        """Send a command to the simulation."""

    def drop(self, x: float, z: float) -> None:
        """Let a drop of the size that was chosen fall at world x, z [m]."""

    def edit(self, label: str, *commands: Command, key: Hashable = None) -> None:
        """Send commands that make one change, which can be undone; commands of one `key` are one change."""

    def act(self, name: str) -> None:
        """Do the action called `name` in `waterview.ui.keys.ACTIONS`."""

    def change_view(self, view: ViewParams) -> None:
        """Give the view other settings."""


@dataclass(frozen=True)
class Position:
    """A position of the pointer.

    Attributes:
        x, y: from the upper left corner, in window units.
        size: of the window.
        dx, dy: since the last event.
    """

    x: float
    y: float
    size: tuple[int, int]
    dx: float = 0.0
    dy: float = 0.0

    def ray(self, camera: OrbitCamera) -> tuple[Array, Array]:
        """Origin [m] and direction of the ray from the eye through the pointer."""
        return camera.ray(self.x, self.y, self.size)


Drag = Callable[[Position], None]
"""What a pressed button does with the next position of the pointer."""


def body_under(at: Position, scene: SceneView) -> tuple[BodyState, Array] | None:
    """The body under the pointer and the point of it [m], shape (3,); None if there is none, or if land hides it."""
    origin, direction = at.ray(scene.camera)
    found = pick_body(scene.frame.bodies, origin, direction)
    if found is None:
        return None
    hit = pick(scene.frame, origin, direction)
    distance = float(np.linalg.norm(found[1] - origin))
    if hit is not None and hit.kind == "terrain" and math.dist((hit.x, hit.y, hit.z), origin) < distance:
        return None
    return found


class BodyDrag:
    """Moves a floating body on the plane through the point where it was grabbed that faces the camera.

    Args:
        scene: where it floats.
        point: where it was grabbed [m], shape (3,).
    """

    def __init__(self, scene: SceneView, point: Array) -> None:
        self._scene, self._point, self._normal = scene, point, scene.camera.backward

    @classmethod
    def under(cls, at: Position, scene: SceneView) -> BodyDrag | None:
        """Grab the body under the pointer; None if there is none, or if land hides it."""
        found = body_under(at, scene)
        if found is None:
            return None
        body, point = found
        x, y, z = map(float, point)
        scene.edit(f"{body.kind} {body.number} moved", GrabBody(body.number, (x, y, z)))
        return cls(scene, point)

    def drag(self, to: Position) -> None:
        """Move the body to where the ray meets the plane; to the grabbed point where it does not."""
        origin, direction = to.ray(self._scene.camera)
        towards = float(direction @ self._normal)
        distance = float((self._point - origin) @ self._normal) / towards if towards < 0.0 else -1.0
        x, y, z = map(float, origin + distance * direction if distance > 0.0 else self._point)
        self._scene.post(DragBody((x, y, z)))


class Wake:
    """Draws a wake: drops along the way of the pointer, so close that they join.

    Args:
        scene: where it is drawn.
        start: where it begins; None begins at the first water that the pointer reaches.
    """

    def __init__(self, scene: SceneView, start: Hit | None = None) -> None:
        self._scene, self._last = scene, start

    @classmethod
    def with_drop(cls, at: Position, scene: SceneView) -> Wake:
        """Begin with a drop under the pointer, if there is water."""
        hit = water_under(at, scene)
        if hit is not None:
            scene.drop(hit.x, hit.z)
        return cls(scene, hit)

    def drag(self, to: Position) -> None:
        """Draw the wake up to the pointer; over land it is interrupted."""
        hit = water_under(to, self._scene)
        grid, size = self._scene.frame.grid, self._scene.interaction.drop_size
        places = _points_between(self._last, hit, _WAKE_SPACING * size * DROP_RADIUS * max(grid.size))
        for x, z in places:
            self._scene.post(usual_drop(grid, x, z, size, DROP_STEEPNESS * _WAKE_HEIGHT))
        if places or hit is None or self._last is None:
            self._last = hit


class WallStroke:
    """Paints a wall along the way of the pointer, or removes walls there.

    Args:
        scene: where it is painted.
        at: where it begins.
        raises: whether walls are raised; else they are removed.
    """

    def __init__(self, scene: SceneView, at: Position, *, raises: bool) -> None:
        self._scene, self._raises = scene, raises
        self._last: Hit | None = None
        self.drag(at)

    def drag(self, to: Position) -> None:
        """Paint up to the pointer."""
        scene, last, hit = self._scene, self._last, self._hit(to)
        # On a wall the pointer is on its near side. A stroke that removes it has to reach its far side, too.
        width = _WALL_RADIUS if self._raises else 3.0 * _WALL_RADIUS
        radius = width * scene.interaction.drop_size * max(scene.frame.grid.size)
        if hit is not None:
            start = None if last is None else (last.x, last.z)
            if start is not None and math.dist(start, (hit.x, hit.z)) < _WALL_SPACING * radius:
                return
            label = "wall" if self._raises else "wall removed"
            scene.edit(label, PaintWall(hit.x, hit.z, radius, self._raises, start), key=self)
        self._last = hit

    def _hit(self, to: Position) -> Hit | None:
        """What is under the pointer where the stroke begins; afterwards, where the ray meets the height of that point.

        The new wall stands at once under the pointer, and the pointer is on its near side: if later points were picked
        on the wall, the stroke would creep towards the eye.
        """
        origin, direction = to.ray(self._scene.camera)
        if self._last is None:
            return pick(self._scene.frame, origin, direction)
        distance = (self._last.y - origin[1]) / direction[1] if direction[1] else -1.0
        if distance <= 0.0:
            return None
        x, _, z = map(float, origin + distance * direction)
        return replace(self._last, x=x, z=z)


class Turning:
    """Turns the view, and is a click where the pointer stays almost where it was pressed.

    Args:
        scene: what is seen.
        at: where the button was pressed.
    """

    def __init__(self, scene: SceneView, at: Position) -> None:
        self._scene, self._start, self._about = scene, at, pivot_of(scene, at)
        self.is_click = True

    def drag(self, to: Position) -> None:
        """Turn on; the pivot stays where it is on the screen."""
        self.is_click = self.is_click and math.dist((to.x, to.y), (self._start.x, self._start.y)) < _CLICK_REACH
        camera = self._scene.camera
        camera.orbit(to.dx, to.dy, to.size, self._about)
        camera.keep_above(self._scene.frame)


def pivot_of(scene: SceneView, at: Position) -> tuple[float, float, float] | None:
    """The point [m] that the view turns about when a drag begins; None is what is looked at."""
    if scene.interaction.pivot == "scene":
        x, y, z = map(float, scene.camera.bounds.middle)
        return x, y, z
    hit = pick(scene.frame, *at.ray(scene.camera)) if scene.interaction.pivot == "pointer" else None
    return None if hit is None else (hit.x, hit.y, hit.z)


class Pointer:
    """The mouse over the scene.

    Args:
        scene: what it acts on.

    Attributes:
        position: where it is; None before it first moved.
        has_disturbed: whether a click has let a drop fall.
        tool: what the left button does, one of `waterview.ui.hud.toolbar.TOOLS`.
    """

    def __init__(self, scene: SceneView) -> None:
        self._scene = scene
        self.tool = "drop"
        self._drag: Drag | None = None
        self._body: BodyDrag | None = None
        self._click: Turning | None = None
        self.position: Position | None = None
        self.has_disturbed = False

    def press(
        self, button: int, x: float, y: float, size: tuple[int, int], modifiers: AbstractSet[str] = frozenset()
    ) -> None:
        """A button was pressed at x, y in a window of `size`, with the `modifiers` "shift", "ctrl", "alt" held."""
        self.position = Position(x, y, size)
        if self._body is None:  # a body stays grabbed until a button is released
            self._drag = self._begin(button, self.position, modifiers)

    def _begin(self, button: int, at: Position, modifiers: AbstractSet[str]) -> Drag | None:
        """What dragging does after this press."""
        scene = self._scene
        if "ctrl" in modifiers and button in (LEFT, RIGHT):
            return WallStroke(scene, at, raises=button == LEFT).drag
        if button == MIDDLE or (button == LEFT and "shift" in modifiers):
            return self._pan
        if button == RIGHT:
            return self._move_sun if "alt" in modifiers else Turning(scene, at).drag
        return self._begin_left(at, modifiers) if button == LEFT else None

    def _begin_left(self, at: Position, modifiers: AbstractSet[str]) -> Drag | None:
        scene = self._scene
        if "alt" in modifiers:
            hit = water_under(at, scene)
            scene.probe = None if hit is None else Probe(hit.x, hit.z)
            return Wake(scene).drag
        if self.tool == "wall":
            return WallStroke(scene, at, raises=True).drag
        if self.tool == "gauge":
            scene.act("gauge")
            return None
        return self._grab_or_touch(at)

    def _grab_or_touch(self, at: Position) -> Drag | None:
        """Grab the body under the pointer; where there is none, use the tool on the water."""
        self._body = BodyDrag.under(at, self._scene)
        if self._body is not None:
            return self._body.drag
        if self.tool == "body":
            if water_under(at, self._scene) is not None:
                self._scene.act("body")
            return None
        if self._scene.interaction.left_drag == "turn":
            self._click = Turning(self._scene, at)
            return self._click.drag
        return self._touch(at)

    def _touch(self, at: Position) -> Drag:
        """Let a drop fall, and draw a wake from there."""
        self.has_disturbed = self.has_disturbed or water_under(at, self._scene) is not None
        return Wake.with_drop(at, self._scene).drag

    def move(self, x: float, y: float, size: tuple[int, int]) -> None:
        """The pointer moved to x, y with no button pressed."""
        self.position = Position(x, y, size)

    def drag(self, x: float, y: float, dx: float, dy: float, size: tuple[int, int]) -> None:
        """The pointer moved by dx, dy to x, y with a button pressed."""
        self.position = Position(x, y, size, dx, dy)
        if self._drag is not None:
            self._drag(self.position)

    def release(self) -> None:
        """A button was released."""
        if self._body is not None:
            self._scene.post(ReleaseBody())
        if self._click is not None and self._click.is_click and self.position is not None:
            self._touch(self.position)
        self._drag = self._body = self._click = None

    def _pan(self, to: Position) -> None:
        self._scene.camera.pan(to.dx, to.dy, to.size)
        self._scene.camera.keep_above(self._scene.frame)

    def _move_sun(self, to: Position) -> None:
        self._scene.change_view(self._scene.view.with_sun_dragged(to.dx, to.dy, to.size))

    def scroll(
        self,
        amount: float,
        x: float,
        y: float,
        size: tuple[int, int],
        across: float = 0.0,
        modifiers: AbstractSet[str] = frozenset(),
    ) -> None:
        """The wheel turned, or two fingers moved on a touchpad, with the pointer at x, y in a window of `size`.

        Args:
            amount: notches upwards: they zoom; with Shift they move the view, with Alt they turn it.
            x: the pointer, from the left.
            y: the pointer, from the top.
            size: of the window.
            across: notches to the left; without a modifier nothing.
            modifiers: "shift", "ctrl", "alt" where held.
        """
        scene = self._scene
        if modifiers & {"shift", "alt"}:
            way = Position(x, y, size, _NOTCH * across, _NOTCH * amount)
            (self._pan if "shift" in modifiers else Turning(scene, way).drag)(way)
            return
        hit = pick(without_reading(scene.frame), *Position(x, y, size).ray(scene.camera))
        scene.camera.zoom(amount, (x, y), size, None if hit is None else (hit.x, hit.y, hit.z))
        scene.camera.keep_above(scene.frame)

    def hit(self) -> Hit | None:
        """The water or ground under the pointer; None if there is none."""
        return None if self.position is None else pick(self._scene.frame, *self.position.ray(self._scene.camera))

    def place(self) -> tuple[float, float] | None:
        """World x, z of the water under the pointer [m]; None if there is none."""
        hit = None if self.position is None else water_under(self.position, self._scene)
        return None if hit is None else (hit.x, hit.z)

    def body(self) -> BodyState | None:
        """The body under the pointer; None if there is none."""
        found = None if self.position is None else body_under(self.position, self._scene)
        return None if found is None else found[0]


def water_under(at: Position, scene: SceneView) -> Hit | None:
    """The water under the pointer; None if there is none, or if land hides it."""
    hit = pick(scene.frame, *at.ray(scene.camera))
    return hit if hit is not None and hit.kind == "water" else None


def _points_between(start: Hit | None, end: Hit | None, spacing: float) -> list[tuple[float, float]]:
    """World x, z of points after `start` up to `end`, about `spacing` [m] apart; none if they are closer than that."""
    if start is None or end is None:
        return []
    count = int(math.hypot(end.x - start.x, end.z - start.z) / spacing)
    shares = [number / count for number in range(1, count + 1)]
    return [(start.x + share * (end.x - start.x), start.z + share * (end.z - start.z)) for share in shares]
