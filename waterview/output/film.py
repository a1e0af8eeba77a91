"""Films on disk, written so that what is there can be played at any moment, even after a crash."""

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
from PIL import Image

from waterview.core.errors import InputError

if TYPE_CHECKING:
    import av

GIF_FASTEST = 50.0
"""Most frames a second of a GIF: it counts in hundredths of a second, and players show 1/100 s as 1/10 s."""


@dataclass(frozen=True)
class _Format:
    """How films of one ending are made: encoders with their settings, best first, and the settings of the file."""

    encoders: tuple[tuple[str, dict[str, str]], ...]
    pixels: str = "yuv420p"
    file: dict[str, str] = field(default_factory=dict)


_FORMATS = {
    # Fragments that each stand for themselves, instead of one table at the end that a crash would lose. Without
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
"""FFmpeg's number for the colours of high-definition television."""

FILM_ENDINGS = tuple(_FORMATS)
"""Endings of the names of films."""


def is_film(path: Path) -> bool:
    """Whether the ending of `path` is a film's."""
    return path.suffix in _FORMATS


def check_film(path: Path, frames_per_second: float) -> None:
    """Refuse a film that could not be made, before any work is done.

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
    """A film file, written picture by picture; used as a context manager it is complete at the end.

    What is on disk can be played at any moment up to about the last second. Sides are made even by leaving out the
    last column or row, as video codecs ask for, except in a GIF.

    Args:
        path: the file, .mp4, .webm or .gif; one of that name is replaced.
        size: width and height of the pictures [pixels], each at least 2.
        frames_per_second: the time base: one frame is shown for 1/frames_per_second.

    Raises:
        InputError: the ending is another one, a side is too short, or the place cannot be written to.
    """

    def __init__(self, path: Path, size: tuple[int, int], frames_per_second: float) -> None:
        if not is_film(path):
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
        self._failed = False
        self._rate = Fraction(frames_per_second).limit_denominator(1001)
        with self._told():
            path.parent.mkdir(parents=True, exist_ok=True)
            self._open()

    def _open(self) -> None:
        import av

        # Every packet goes to the disk at once, or a crash would take with it what still waits in a buffer.
        options = {**self._format.file, "flush_packets": "1"}
        self._container = av.open(str(self.path), "w", options=options)
        name, settings = next(entry for entry in self._format.encoders if _exists(entry[0]))
        stream: Any = self._container.add_stream(name, rate=self._rate)
        stream.width, stream.height = self.size
        stream.pix_fmt = self._format.pixels
        stream.options = settings
        # A key frame a second: fragments and clusters end there.
        stream.codec_context.gop_size = max(round(self._rate), 1)
        stream.codec_context.time_base = 1 / self._rate
        if self._format.pixels != "pal8":
            # Untagged, players guess the colours from the size of the picture.
            context = stream.codec_context
            context.colorspace = context.color_primaries = context.color_trc = _BT709
        self._stream: av.VideoStream = stream

    def add(self, picture: NDArray[np.uint8], number: int | None = None) -> None:
        """Append a picture, shape (height, width, 3), top row first, sRGB.

        Args:
            picture: it must have the size that was announced.
            number: shown from number/frames_per_second [s] on, more than that of the picture before; None is next.

        Raises:
            InputError: the disk is full, or gone.
        """
        assert picture.shape[1::-1] == self.given_size, f"a picture of shape {picture.shape} in {self.given_size}"
        number = self.frames if number is None else number
        assert number >= self.frames, f"frame {number} after frame {self.frames - 1}"
        with self._told():
            frame = self._frame(picture[: self.size[1], : self.size[0]])
            frame.pts, frame.time_base = number, 1 / self._rate
            self._container.mux(self._stream.encode(frame))
        self.frames = number + 1

    def _frame(self, picture: NDArray[np.uint8]) -> av.VideoFrame:
        import av

        if self._format.pixels != "pal8":
            frame = av.VideoFrame.from_ndarray(np.ascontiguousarray(picture), format="rgb24")
            return frame.reformat(format=self._format.pixels, dst_colorspace="ITU709")
        indexed = Image.fromarray(picture).quantize(256)
        colours = np.array(indexed.getpalette(), np.uint8).reshape(-1, 3)
        palette = np.full((256, 4), 255, np.uint8)
        palette[: len(colours), 1:] = colours
        return av.VideoFrame.from_ndarray((np.asarray(indexed), palette), format="pal8")  # type: ignore[arg-type]

    def close(self) -> None:
        """Write what the encoder still holds, and end the file.

        Raises:
            InputError: the disk is full, or gone.
        """
        with self._told():
            try:
                # FFmpeg crashes when it goes on with a file whose beginning could not be written.
                if not self._failed:
                    self._container.mux(self._stream.encode(None))
            finally:
                try:
                    self._container.close()
                finally:
                    if self._failed:
                        cut_to_whole_fragments(self.path)

    def abandon(self) -> None:
        """End the file as well as it goes, after something went wrong: that is what the user must hear of.

        A full disk fails once more here.
        """
        with contextlib.suppress(InputError):
            self.close()

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
    def _told(self) -> Iterator[None]:
        """Errors of the disk and of encoders as one line."""
        import av

        try:
            yield
        except (OSError, av.error.FFmpegError) as error:
            self._failed = True
            is_begun = self.path.is_file() and self.path.stat().st_size > 0
            plays = "what was written so far can be played; " if is_begun else ""
            raise InputError(
                f"cannot write the film {self.path}: {error.strerror or error}; "
                f"{plays}choose a place with room that can be written to"
            ) from error


def cut_to_whole_fragments(path: Path) -> None:
    """Take off what a full disk left of a fragment at the end of an .mp4, which players would stumble over.

    A box of the format begins with its length and its name, 4 bytes each; a fragment is a `moof` and the `mdat` with
    its pictures (ISO/IEC 14496-12). Other files, and what cannot be cut, stay as they are.
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
