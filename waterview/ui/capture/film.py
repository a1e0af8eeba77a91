"""Films of the window in real time: a late picture is shown late, so that the timing stays right."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from platformdirs import user_videos_path

from waterview.core.errors import InputError
from waterview.output.film import Film
from waterview.output.picture import dated_path

FRAMES_PER_SECOND = 30.0
"""Most frames a second of such a film: encoding takes processor time from the simulation."""


class FilmCapture:
    """Begins and ends films, and adds pictures to them.

    Args:
        notify: shows a message to the user.
        folder: where films go; None is the user's folder of videos.

    Attributes:
        folder: where the next film goes.
    """

    def __init__(self, notify: Callable[[str], None], folder: Path | None = None) -> None:
        self._notify = notify
        self.folder = folder
        self._film: Film | None = None
        self._start = 0.0
        self._last: NDArray[np.uint8] | None = None

    @property
    def on(self) -> bool:
        """Whether a film is being recorded."""
        return self._film is not None

    def toggle(self, size: tuple[int, int], now: float) -> None:
        """Begin a film of pictures of `size` [pixels] at time `now` [s], or end it."""
        if self._film is not None:
            self.end(now)
            return
        folder = self.folder or user_videos_path() / "waterview"
        try:
            self._film = Film(dated_path(folder, ".mp4"), size, FRAMES_PER_SECOND)
        except InputError as error:
            self._notify(str(error))
            return
        self._start, self._last = now, None
        self._notify("filming; F10 ends it")

    def offer(self, take: Callable[[], NDArray[np.uint8]], size: tuple[int, int], now: float) -> None:
        """Add the picture at time `now` [s] to the film; `take` is called only if the next frame is due."""
        film = self._film
        if film is None:
            return
        if size != film.given_size:
            self._notify("the window has another size now, so the film ends")
            self.end(now)
        elif self._number(now) >= film.frames:
            self._last = take()
            self._add(film, self._last, self._number(now))

    def end(self, now: float) -> None:
        """End the film at time `now` [s], if there is one; its last picture is shown until then."""
        film = self._film
        if film is None:
            return
        if self._last is not None and self._number(now) >= film.frames:
            self._add(film, self._last, self._number(now))
        if self._film is None:
            return
        self._film = None
        try:
            film.close()
            self._notify(f"saved {film.path}")
        except InputError as error:
            self._notify(str(error))

    def _number(self, now: float) -> int:
        return round((now - self._start) * FRAMES_PER_SECOND)

    def _add(self, film: Film, picture: NDArray[np.uint8], number: int) -> None:
        try:
            film.add(picture, number)
        except InputError as error:
            self._film = None
            film.abandon()
            self._notify(str(error))
