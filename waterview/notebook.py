"""A live scene in a notebook: the browser asks for pictures and sends what the mouse and the sliders do."""

from __future__ import annotations

import io
import math
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

import anywidget
import traitlets
from PIL import Image

from waterview.core.commands import DROP_STEEPNESS, Reset, usual_drop
from waterview.core.errors import InputError, ParameterError
from waterview.core.files import data_path
from waterview.core.params import declarations
from waterview.render.camera.camera import OrbitCamera
from waterview.render.camera.picking import pick
from waterview.render.offscreen import standalone_context
from waterview.render.renderer import Renderer

if TYPE_CHECKING:
    from waterview.core.frame import Frame
    from waterview.live_scene import LiveScene

MOST_SECONDS = 0.1
"""Most time that the water runs between two pictures [s]: where pictures take longer, it runs slower than life."""

_WAKE = 0.3
"""Height of the drops of a wake, as a share of that of a single drop."""
_JPEG_QUALITY = 85


class SceneWidget(anywidget.AnyWidget):  # type: ignore[misc]  # anywidget has no types
    """A scene that lives in a notebook's cell. It takes steps only when the browser asks for a picture.

    Messages from the browser are objects with a `kind`: "frame" (`seconds` since the last), "drop" and "wake" (`x`, `y`
    [pixels]), "orbit" and "pan" (`dx`, `dy`), "zoom" (`notches`, `x`, `y`), "set" (`name`, `value`), "calm". The answer
    to "frame" is {"kind": "frame", "time": …} with the picture as JPEG; what is refused is answered by a "note".

    Args:
        scene: what is shown; it goes on in it.
        size: width and height of the pictures [pixels].

    Attributes:
        scene: as given.
        camera: where it is seen from; None before the first picture.
    """

    _esm = (data_path("assets") / "notebook" / "widget.js").read_text(encoding="utf-8")
    size = traitlets.List([640, 360]).tag(sync=True)
    settings = traitlets.List([]).tag(sync=True)

    def __init__(self, scene: LiveScene, size: tuple[int, int] = (640, 360)) -> None:
        super().__init__(size=list(size), settings=sliders(scene))
        self.scene = scene
        self.camera: OrbitCamera | None = None
        self._frame: Frame | None = None
        self._ctx = standalone_context()
        with self._ctx:
            self._renderer = Renderer(self._ctx)
            self._target = self._ctx.simple_framebuffer(size)
        self.on_msg(self._on_message)

    def receive(self, message: Mapping[str, Any]) -> None:
        """Do what a message from the browser asks for; what cannot be done is answered by a note.

        Args:
            message: as above.
        """
        try:
            self._handlers[str(message.get("kind"))](message)
        except InputError as error:
            self.send({"kind": "note", "text": str(error)})

    def _on_message(self, _: object, content: object, buffers: object) -> None:
        if isinstance(content, Mapping) and content.get("kind") in self._handlers:
            self.receive(content)

    @property
    def _handlers(self) -> dict[str, Callable[[Mapping[str, Any]], None]]:
        return {
            "frame": self._send_frame,
            "drop": lambda message: self._touch(message, 1.0),
            "wake": lambda message: self._touch(message, _WAKE),
            "orbit": lambda message: self._move(OrbitCamera.orbit, message),
            "pan": lambda message: self._move(OrbitCamera.pan, message),
            "zoom": self._zoom,
            "set": lambda message: self._set(str(message.get("name")), message.get("value")),
            "calm": lambda message: self._calm(),
        }

    def _send_frame(self, message: Mapping[str, Any]) -> None:
        self.scene.run(min(max(_number(message, "seconds"), 0.0), MOST_SECONDS))
        frame = self._frame = self.scene.frame
        if self.camera is None:
            self.camera = self.scene.shot.camera(frame)
        size = self._target.size
        with self._ctx:  # current only here, so that other contexts of this thread are left alone
            self._renderer.render(frame, self.camera, size, self._target, self.scene.shot.view)
            picture = self._renderer.snapshot(self._target, size)
        data = io.BytesIO()
        Image.fromarray(picture).save(data, "JPEG", quality=_JPEG_QUALITY)
        self.send({"kind": "frame", "time": self.scene.time}, [data.getvalue()])

    def _touch(self, message: Mapping[str, Any], share: float) -> None:
        """Let a drop fall under a pixel, if there is water; its height is a `share` of the usual one."""
        if self.camera is None or self._frame is None:
            return
        hit = pick(self._frame, *self.camera.ray(_number(message, "x"), _number(message, "y"), self._target.size))
        if hit is not None and hit.kind == "water":
            self.scene.apply(usual_drop(self._frame.grid, hit.x, hit.z, 1.0, DROP_STEEPNESS * share))

    def _move(self, move: Callable[..., None], message: Mapping[str, Any]) -> None:
        if self.camera is not None and self._frame is not None:
            move(self.camera, _number(message, "dx"), _number(message, "dy"), self._target.size)
            self.camera.keep_above(self._frame)

    def _zoom(self, message: Mapping[str, Any]) -> None:
        if self.camera is None or self._frame is None:
            return
        at, size = (_number(message, "x"), _number(message, "y")), self._target.size
        hit = pick(self._frame, *self.camera.ray(*at, size))
        self.camera.zoom(_number(message, "notches"), at, size, None if hit is None else (hit.x, hit.y, hit.z))
        self.camera.keep_above(self._frame)

    def _set(self, name: str, value: Any) -> None:
        own = {entry.name: entry for entry in declarations(type(self.scene.water.params))}
        if name not in own:
            raise ParameterError(f"no parameter of this water is called '{name}': allowed are {', '.join(own)}")
        if own[name].kind is int and isinstance(value, float) and math.isfinite(value):
            value = round(value)
        self.scene.set(**{name: value})

    def _calm(self) -> None:
        self.scene.apply(Reset())

    def close(self) -> None:
        """Take the widget out of the page, and free what it drew with."""
        if self.comm is not None:
            with self._ctx:
                self._renderer.release()
                self._target.release()
            self._ctx.release()
        super().close()


def sliders(scene: LiveScene) -> list[dict[str, Any]]:
    """The numbers and choices among the parameters of a scene's water for the browser; first those that have keys."""
    params = scene.water.params
    return [
        {
            "name": entry.name,
            "label": entry.label,
            "doc": entry.doc,
            "unit": entry.unit,
            "low": entry.low,
            "high": entry.high,
            "scale": entry.scale,
            "smallest": entry.smallest,
            "choices": list(entry.choices),
            "value": getattr(params, entry.name),
        }
        for entry in sorted(declarations(type(params)), key=lambda entry: entry.keys is None)
        if entry.parse is None and (entry.choices or (entry.low is not None and entry.high is not None))
    ]


def _number(message: Mapping[str, Any], name: str) -> float:
    """A number in a message.

    Raises:
        ParameterError: it is none, or not finite.
    """
    value = message.get(name)
    if isinstance(value, bool) or not isinstance(value, int | float) or not abs(value) < 1e9:
        raise ParameterError(f"{name} in a message of the widget is {value!r}: a finite number is needed")
    return float(value)
