"""The same water and the same picture without a window, frame by frame and independent of the machine's speed."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from waterview.core.commands import Drop
from waterview.core.errors import DisplayError, InputError
from waterview.core.frame import Frame
from waterview.output.heights import save_heights
from waterview.output.picture import save_picture
from waterview.tank import Tank

if TYPE_CHECKING:
    import moderngl

    from waterview.render.camera import OrbitCamera
    from waterview.render.settings import ViewParams


@dataclass(frozen=True)
class TimedDrop:
    """A drop that falls at `time` [s] of simulated time."""

    drop: Drop
    time: float = 0.0


def run(tank: Tank, seconds: float, frames_per_second: float, drops: Sequence[TimedDrop] = ()) -> Iterator[Frame]:
    """Simulate `seconds` [s] and yield a frame for every 1/frames_per_second [s], the first at time 0.

    Frames fall on whole time steps, so two runs with the same inputs give the same bits.
    """
    waiting = deque(sorted(drops, key=lambda timed: timed.time))
    rate = tank.water.params.steps_per_second
    taken = 0
    for number in range(frame_count(seconds, frames_per_second)):
        due = round(number / frames_per_second * rate)
        while True:
            while waiting and waiting[0].time * rate < taken + 0.5:
                tank.obey(waiting.popleft().drop)
            if taken == due:
                break
            tank.step()
            taken += 1
        yield tank.publish(number)


def frame_count(seconds: float, frames_per_second: float) -> int:
    """Number of frames that `run` yields."""
    return int(seconds * frames_per_second + 1e-9) + 1


@contextmanager
def opengl() -> Iterator[moderngl.Context]:
    """An OpenGL 3.3 context without a window, through EGL, current inside the `with`.

    Raises:
        DisplayError: there is no OpenGL 3.3 here.
    """
    import moderngl

    settings: dict[str, Any] = {"backend": "egl"}
    try:
        ctx = moderngl.create_context(standalone=True, require=330, **settings)
    except Exception as error:  # glcontext raises bare Exception
        raise DisplayError(
            f"no OpenGL 3.3 can be had without a window ({error}): install Mesa (libegl1, libgl1) or a graphics driver"
        ) from error
    try:
        # Left current, it would keep this thread from ever making a window's context current.
        with ctx:
            yield ctx
    finally:
        ctx.release()


@dataclass(frozen=True)
class Look:
    """How pictures are made.

    Attributes:
        size: width and height [pixels].
        view: exposure, quality, sun and so on.
        aim: makes the camera from the first frame; None frames the whole scene.
    """

    size: tuple[int, int]
    view: ViewParams
    aim: Callable[[Frame], OrbitCamera] | None = None

    def camera(self, frame: Frame) -> OrbitCamera:
        """The camera for a scene that begins with `frame`."""
        from waterview.render.camera import OrbitCamera

        return self.aim(frame) if self.aim else OrbitCamera.framing(frame, self.size[0] / self.size[1])


def draw(frames: Iterable[Frame], out: Path, look: Look, progress: Callable[[], None] = lambda: None) -> list[Path]:
    """Draw frames into numbered pictures, or the last one into one picture where `out` has no number.

    Args:
        frames: what to draw.
        out: a .png file; with a number such as %04d in its name every frame is drawn.
        look: how.
        progress: called after every frame.

    Returns:
        The paths written.

    Raises:
        DisplayError: there is no OpenGL.
        InputError: the place cannot be written to.
    """
    from waterview.render.renderer import Renderer

    numbered = is_numbered(out)
    written: list[Path] = []
    last: Frame | None = None
    camera: OrbitCamera | None = None
    with opengl() as ctx:
        target = ctx.simple_framebuffer(look.size)
        renderer = Renderer(ctx)

        def draw_one(frame: Frame, path: Path) -> None:
            nonlocal camera
            camera = camera or look.camera(frame)
            renderer.render(frame, camera, look.size, target, look.view)
            save_picture(renderer.snapshot(target, look.size), path)
            written.append(path)

        for number, frame in enumerate(frames):
            if numbered:
                draw_one(frame, out.with_name(out.name % number))
            last = frame
            progress()
        if not numbered and last is not None:
            draw_one(last, out)
        renderer.release()
    return written


def is_numbered(out: Path) -> bool:
    """Whether a file name has a place for a number, such as frame_%04d.png.

    Raises:
        InputError: it has something like one that cannot be filled in with a single number.
    """
    if "%" not in out.name:
        return False
    try:
        return out.name % 0 != out.name
    except (TypeError, ValueError) as error:
        raise InputError(f"{out.name}: one number such as %04d is allowed in the name, as in frame_%04d.png") from error


def check_out(out: Path) -> None:
    """Refuse what `write` could not write, before any work is done.

    Raises:
        InputError: the ending is none of .png and .npz, or the number in the name is not usable.
    """
    if out.suffix not in {".png", ".npz"}:
        raise InputError(
            f"cannot write {out}: allowed endings are .png, %04d.png (numbered pictures) and .npz (heights)"
        )
    is_numbered(out)


def write(
    tank: Tank,
    out: Path,
    seconds: float,
    frames_per_second: float,
    drops: Sequence[TimedDrop],
    look: Look,
    progress: Callable[[], None] = lambda: None,
) -> list[Path]:
    """Simulate and write a picture (.png), numbered pictures (%04d.png) or numbers (.npz); returns the paths written.

    Raises:
        InputError: the ending is another one, or the place cannot be written to.
        DisplayError: a picture is asked for and there is no OpenGL.
    """
    check_out(out)
    frames = run(tank, seconds, frames_per_second, drops)
    if out.suffix == ".npz":
        save_heights(_counted(frames, progress), frame_count(seconds, frames_per_second), tank.water.grid, out)
        return [out]
    return draw(frames, out, look, progress)


def _counted(frames: Iterable[Frame], progress: Callable[[], None]) -> Iterator[Frame]:
    for frame in frames:
        yield frame
        progress()
