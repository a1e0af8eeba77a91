"""Films on disk, which can be played at any moment while they are written, even after a crash."""

from __future__ import annotations

import contextlib
import os
import struct
from collections.abc import Iterator
from dataclasses import dataclass, field
from fractions import Fraction
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Any, Self

import numpy as np
from numpy.typing import NDArray

from waterview.core.errors import InputError
from waterview.core.extras import extra

from .atomic import KeepsError, place_beside, put_in_place

if TYPE_CHECKING:
    import av

GIF_FASTEST = 50.0
"""Most frames a second of a GIF: its unit of time is 1/100 s, and players show a frame of 1/100 s for 1/10 s."""


@dataclass(frozen=True)
class _Format:
    """A format of films: encoders with their settings, best first, format of the pixels, settings of the file."""

    encoders: tuple[tuple[str, dict[str, str]], ...]
    pixels: str = "yuv420p"
    file: dict[str, str] = field(default_factory=dict)


_FORMATS = {
    # Fragments that can be played by themselves, instead of one table at the end, which a crash would lose. Without
    # B-frames the first picture is shown at time 0 exactly.
    ".mp4": _Format(
        (
            ("libx264", {"crf": "18", "preset": "veryfast", "bf": "0"}),
            ("mpeg4", {"qmin": "2", "qmax": "5"}),
        ),
        file={"movflags": "frag_keyframe+empty_moov+default_base_moof"},
    ),
    ".webm": _Format(
        (("libvpx-vp9", {"crf": "28", "b": "0", "deadline": "realtime", "cpu-used": "6", "row-mt": "1"}),),
        file={"cluster_time_limit": "1000"},
    ),
    ".gif": _Format((("gif", {}),), pixels="pal8"),
}

_BT709 = 1
"""FFmpeg's number of the colour space of high-definition television (ITU-R BT.709)."""

FILM_ENDINGS = tuple(_FORMATS)
"""Endings of the names of films."""


def check_film(path: Path, frames_per_second: float) -> None:
    """Refuse a film that is too fast for its format, before any work is done.

    Raises:
        InputError: a GIF of more than `GIF_FASTEST` frames a second.
    """
    if path.suffix == ".gif" and frames_per_second > GIF_FASTEST:
        raise InputError(
            f"{path} at {frames_per_second:g} frames a second: a GIF shows at most {GIF_FASTEST:g}; "
            "choose --fps 50 or fewer, or the ending .mp4"
        )


def film_frame_count(seconds: float, frames_per_second: float) -> int:
    """Number of frames of a film that lasts `seconds` [s], at least 1: every frame is shown for 1/frames_per_second."""
    return max(round(seconds * frames_per_second), 1)


class Film:
    """A film file, written picture by picture; a context manager that completes the file at its end.

    At any moment the file can be played up to about the last second. Where a film has that name already, it stays until
    the new one is complete; until then that is beside it, as NAME.part.END (see `atomic.place_beside`). Video codecs
    need even sides, so an odd last column or row is left out, except in a GIF.

    Args:
        path: the file, .mp4, .webm or .gif; an existing one is replaced.
        size: width and height of the pictures [pixels], each at least 2.
        frames_per_second: every frame is shown for 1/frames_per_second [s].

    Raises:
        InputError: the ending is unknown, a side is too short, or the place cannot be written to.
    """

    def __init__(self, path: Path, size: tuple[int, int], frames_per_second: float) -> None:
        if path.suffix not in _FORMATS:
            raise InputError(f"cannot write the film {path}: allowed endings are {', '.join(FILM_ENDINGS)}")
        if min(size) < 2:
            raise InputError(f"a film of {size[0]} × {size[1]} pixels: each side needs at least 2")
        check_film(path, frames_per_second)
        self.path = path
        self.given_size = size
        self._format = _FORMATS[path.suffix]
        even = 1 if self._format.pixels == "pal8" else 2
        self.size = (size[0] // even * even, size[1] // even * even)
        self.frames = 0
        self._rate = Fraction(frames_per_second).limit_denominator(1001)
        self._file: KeepsError | None = None
        with extra("film", "a film"):
            import av  # noqa: F401
        with self._disk_errors():
            path.parent.mkdir(parents=True, exist_ok=True)
            self._place = place_beside(path)
            self._file = KeepsError(self._place, "wb")
            self._open(self._file)

    def _open(self, file: KeepsError) -> None:
        import av

        # Every packet goes to the disk at once: a crash would lose what is still in a buffer.
        options = {**self._format.file, "flush_packets": "1"}
        self._container = av.open(file, "w", format=self.path.suffix[1:], options=options)
        name, settings = next(entry for entry in self._format.encoders if _exists(entry[0]))
        stream: Any = self._container.add_stream(name, rate=self._rate)
        stream.width, stream.height = self.size
        stream.pix_fmt = self._format.pixels
        stream.options = settings
        # A key frame a second, because fragments and clusters end there.
        stream.codec_context.gop_size = max(round(self._rate), 1)
        stream.codec_context.time_base = 1 / self._rate
        if self._format.pixels != "pal8":
            # Without this tag players guess the colour space from the size of the picture.
            context = stream.codec_context
            context.colorspace = context.color_primaries = context.color_trc = _BT709
        self._stream: av.VideoStream = stream

    def add(self, picture: NDArray[np.uint8], number: int | None = None) -> None:
        """Append a picture, shape (height, width, 3), top row first, sRGB.

        Args:
            picture: has the size given to the film.
            number: it is shown from number/frames_per_second [s] on. Numbers rise; None is the next one.

        Raises:
            InputError: the disk is full, or gone.
        """
        assert picture.shape[1::-1] == self.given_size, f"a picture of shape {picture.shape} in {self.given_size}"
        number = self.frames if number is None else number
        assert number >= self.frames, f"frame {number} after frame {self.frames - 1}"
        with self._disk_errors():
            frame = self._frame(picture[: self.size[1], : self.size[0]])
            frame.pts, frame.time_base = number, 1 / self._rate
            self._container.mux(self._stream.encode(frame))
        self.frames = number + 1

    def _frame(self, picture: NDArray[np.uint8]) -> av.VideoFrame:
        import av
        from PIL import Image

        if self._format.pixels != "pal8":
            frame = av.VideoFrame.from_ndarray(np.ascontiguousarray(picture), format="rgb24")
            return frame.reformat(format=self._format.pixels, dst_colorspace="ITU709")
        indexed = Image.fromarray(picture).quantize(256)
        colours = np.array(indexed.getpalette(), np.uint8).reshape(-1, 3)
        palette = np.full((256, 4), 255, np.uint8)
        palette[: len(colours), 1:] = colours
        return av.VideoFrame.from_ndarray((np.asarray(indexed), palette), format="pal8")  # type: ignore[arg-type]

    def close(self) -> None:
        """Write what the encoder still holds and end the file, which then takes the place of an earlier one.

        Raises:
            InputError: the disk is full, or gone.
        """
        with self._disk_errors():
            self._end()
        with self._disk_errors():
            put_in_place(self._place, self.path)

    def abandon(self) -> None:
        """End the file as well as possible after an error, and leave an earlier one. No other error is raised."""
        with contextlib.suppress(InputError), self._disk_errors():
            self._end()

    def _end(self) -> None:
        assert self._file is not None, "opened"
        if self._file.closed:
            return
        try:
            self._container.mux(self._stream.encode(None))
        finally:
            try:
                self._container.close()
            finally:
                self._file.close()
                if self._file.failure is not None:
                    cut_to_whole_fragments(self._place)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if error is None:
            self.close()
            return
        self.abandon()

    @contextlib.contextmanager
    def _disk_errors(self) -> Iterator[None]:
        """Raise errors of the disk and of encoders as one line."""
        import av

        try:
            yield
            if self._file is not None and self._file.failure is not None:
                raise self._file.failure
        except (OSError, av.error.FFmpegError) as error:
            is_begun = self._file is not None and self._place.is_file() and self._place.stat().st_size > 0
            plays = f"what was written so far can be played: {self._place}; " if is_begun else ""
            raise InputError(
                f"cannot write the film {self.path}: {error.strerror or error}; "
                f"{plays}choose a place with room that can be written to"
            ) from error


def cut_to_whole_fragments(path: Path) -> None:
    """Cut off the incomplete fragment that a full disk left at the end of an .mp4: players would fail there.

    A box of the format begins with its length and its name, 4 bytes each; a fragment is a `moof` box and the `mdat` box
    with its pictures (ISO/IEC 14496-12). Files of other formats are not changed, nor those that cannot be cut.
    """
    if path.suffix != ".mp4" or not path.is_file():
        return
    with contextlib.suppress(OSError), path.open("r+b") as file:
        size, place, whole = file.seek(0, os.SEEK_END), 0, 0
        while place + 8 <= size:
            file.seek(place)
            length, name = struct.unpack(">I4s", file.read(8))
            if length < 8 or place + length > size:
                break
            place += length
            whole = place if name != b"moof" else whole
        file.truncate(whole)


def _exists(encoder: str) -> bool:
    import av

    try:
        av.Codec(encoder, "w")
    except av.codec.codec.UnknownCodecError:
        return False
    return True
