"""The arguments of the commands that show a scene, as plain values."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from waterview.core.params import Value


@dataclass(frozen=True, kw_only=True)
class SceneArguments:
    """What `view` and `render` share, with the defaults; flags and help are in `options.SCENE_OPTIONS`.

    Attributes:
        heightmap, preset: what the scene is made of; None is the usual terrain without a preset.
        drape: an aerial picture over the land.
        surface, flow_x, flow_z, fault: files that the water starts from.
        body, gauge: what is put into the water, as texts.
        gauges_out, maxima_out: where to write what the gauges measured, and the fields over the run.
        camera, camera_path: where the scene is seen from.
        replay: a recording to replay.
        solver: where waves are computed.
        declared: parameters that were given, by name.
    """

    heightmap: str | None = None
    camera: str | None = None
    camera_path: str | None = None
    body: list[str] | None = None
    gauge: list[str] | None = None
    gauges_out: Path | None = None
    maxima_out: Path | None = None
    preset: str | None = None
    drape: Path | None = None
    surface: Path | None = None
    flow_x: Path | None = None
    flow_z: Path | None = None
    fault: Path | None = None
    replay: Path | None = None
    solver: str = "cpu"
    declared: Mapping[str, Value] = field(default_factory=dict)


@dataclass(frozen=True, kw_only=True)
class ViewArguments(SceneArguments):
    """The arguments of `waterview view`; see `view_command`."""

    window_size: str = "1280x720"
    fps_limit: float = 60.0
    exit_after: float | None = None
    without_display: Path | None = None
    record: Path | None = None
    cache: float = 64.0
