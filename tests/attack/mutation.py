"""Ways to damage what a file holds: bytes, text, plain data as in JSON and TOML, and arrays."""

import random
import struct
from collections.abc import Sequence
from typing import Any

import numpy as np

NUMBERS = (
    *(0, 1, -1, 2, 3, 7, 255, 256, -128, 65_535, 65_536, 2**31 - 1, -(2**31), 2**31, 2**32 - 1, 2**32, 2**63, -(2**63)),
    *(0.0, -0.0, 0.5, 1e-3, -1.5, 1e-308, 5e-324, 1e5, 1e6, 1e30, -1e30, 3.4e38, 1e39, 1e300, 1.7e308, 2**53 + 1),
    *(float("nan"), float("inf"), float("-inf"), 10**400, -(10**400), 10**30),
)
"""Numbers at the edges of types and of what is allowed."""

TEXTS = (
    "",
    " ",
    "\0",
    "a\nb",
    "\x1b[31m",
    "ä",
    "𝄞",
    "\u202e",
    "x" * 5000,
    "%s%n",
    "../../etc",
    "/dev/zero",
    "1e999",
    "nan",
)
"""Texts that break lines, names or terminals."""

DTYPES = (
    "f4",
    "f8",
    "f2",
    "i1",
    "i2",
    "i4",
    "i8",
    "u1",
    "u2",
    "u8",
    "?",
    "c8",
    "c16",
    "S3",
    "U2",
    "M8[s]",
    ">f4",
    ">i2",
)
"""Types of arrays, some of which are no numbers."""


def any_value(rng: random.Random, words: Sequence[str] = ()) -> Any:
    """A value of any kind; `words` are names that mean something."""
    kind = rng.random()
    if kind < 0.5:
        return rng.choice(NUMBERS)
    if kind < 0.75:
        return rng.choice((*TEXTS, *words) if not words or rng.random() < 0.3 else words)
    if kind < 0.85:
        return rng.choice((None, True, False))
    if kind < 0.95:
        return [any_value(rng, words) for _ in range(rng.choice((0, 1, 2, 3, 4, 7)))]
    return {rng.choice(words or TEXTS): any_value(rng, words) for _ in range(rng.randrange(3))}


def damaged_plain(rng: random.Random, value: Any, words: Sequence[str]) -> Any:
    """A copy of plain data in which one thing, anywhere, is another."""
    places = list(_places(value))
    if not places:
        return any_value(rng, words)
    path = rng.choice(places)
    return _changed(rng, value, path, words)


def _places(value: Any, path: tuple = ()):
    if isinstance(value, dict):
        for key, entry in value.items():
            yield (*path, key)
            yield from _places(entry, (*path, key))
    elif isinstance(value, list | tuple):
        for index, entry in enumerate(value):
            yield (*path, index)
            yield from _places(entry, (*path, index))


def _changed(rng, value, path, words):
    if len(path) > 1:
        return _with(value, path[0], _changed(rng, value[path[0]], path[1:], words))
    key = path[0]
    way = rng.random()
    if way < 0.55:
        return _with(value, key, _other(rng, value[key], words))
    if way < 0.75:
        return _without(value, key)
    if way < 0.9:
        other = rng.choice(list(value)) if isinstance(value, dict) else rng.randrange(len(value))
        return _with(_with(value, key, value[other]), other, value[key])
    if isinstance(value, dict):
        return {**value, (rng.choice(words) if words else "x"): any_value(rng, words)}
    return [*value, *([value[key]] * rng.choice((1, 2, 300)))]


def _other(rng, value, words):
    if isinstance(value, np.ndarray) and rng.random() < 0.8:
        return damaged_array(rng, value)
    if isinstance(value, int | float) and not isinstance(value, bool) and rng.random() < 0.6:
        return rng.choice(NUMBERS)
    if isinstance(value, str) and rng.random() < 0.4:
        return rng.choice((*words, *TEXTS))
    if isinstance(value, str) and rng.random() < 0.4:
        return damaged_text(rng, value, words)
    return any_value(rng, words)


def _with(value, key, entry):
    made = dict(value) if isinstance(value, dict) else list(value)
    made[key] = entry
    return made


def _without(value, key):
    if isinstance(value, dict):
        return {name: entry for name, entry in value.items() if name != key}
    return [entry for index, entry in enumerate(value) if index != key]


def damaged_array(rng: random.Random, array: np.ndarray) -> np.ndarray:
    """An array with another shape, type or content."""
    way = rng.randrange(6)
    with np.errstate(all="ignore"):
        if way == 0:
            return _cast(array, np.dtype(rng.choice(DTYPES)))
        if way == 1:
            single = array.ravel()[:1].reshape(()) if array.size else np.zeros((), array.dtype)
            shorter = (array[..., :-1], array[:0]) if array.ndim else (array, array)
            return rng.choice((*shorter, array[None], array.ravel(), array.T, single))
        if way == 2:
            return np.concatenate([array, array]) if array.ndim else array
        if way == 3:
            return np.zeros(tuple(rng.choice((0, 1, 2, 3, 41)) for _ in range(rng.randrange(4))), array.dtype)
        made = np.array(array)
        if made.dtype.kind in "fc" and made.size:
            where = rng.choice((slice(None), slice(0, 1), slice(-1, None), rng.randrange(made.size)))
            made.reshape(-1)[where] = np.float64(
                rng.choice([n for n in NUMBERS if abs(n) < 10**29 or n != n or n == n + 1])
            )
        elif made.dtype.kind in "iu" and made.size:
            info = np.iinfo(made.dtype)
            made.reshape(-1)[rng.randrange(made.size)] = rng.choice((info.min, info.max, 0, info.max // 2))
        elif made.dtype.kind == "b" and made.size:
            made[...] = rng.random() < 0.5
        elif made.dtype.kind == "V" and made.size:
            return np.frombuffer(damaged_bytes(rng, made.tobytes(), cut=False), made.dtype).reshape(made.shape)
        return made


def _cast(array: np.ndarray, dtype: np.dtype) -> np.ndarray:
    """An array as another type; its real parts where that is real, zeros where one of the two holds no numbers."""
    if array.dtype.kind not in "fiubc" or dtype.kind == "M":
        return np.zeros(array.shape, dtype)
    return (array if dtype.kind in "cSU" else array.real).astype(dtype)


def damaged_bytes(rng: random.Random, data: bytes, cut: bool = True) -> bytes:
    """Bytes with some of them changed and, if `cut`, some taken out, put in or repeated."""
    made = bytearray(data)
    for _ in range(rng.choice((1, 1, 1, 2, 3, 8))):
        if not made:
            return bytes(made)
        # Headers lie at the beginning and directories at the end: these are hit more often.
        span = rng.choice((min(64, len(made)), min(512, len(made)), len(made)))
        at = rng.randrange(span) if rng.random() < 0.8 else len(made) - 1 - rng.randrange(span)
        way = rng.randrange(7 if cut else 4)
        if way == 0:
            made[at] ^= 1 << rng.randrange(8)
        elif way == 1:
            made[at] = rng.randrange(256)
        elif way in (2, 3):
            number = rng.choice((0, 1, 0x7F, 0xFF, 0x7FFF, 0xFFFF, 0x7FFFFFFF, 0xFFFFFFFF, 2**63 - 1, 2**64 - 1))
            form = rng.choice("BHIQ")
            packed = struct.pack(rng.choice("<>") + form, number & ((1 << (8 * struct.calcsize("<" + form))) - 1))
            made[at : at + len(packed)] = packed[: len(made) - at]
        elif way == 4:
            del made[at:]
        elif way == 5:
            end = at + rng.choice((1, 4, 100))
            made[at:at] = made[at:end] if rng.random() < 0.5 else rng.randbytes(end - at)
        else:
            del made[at : at + rng.choice((1, 2, 16, 300))]
    return bytes(made)


def damaged_text(rng: random.Random, text: str, words: Sequence[str]) -> str:
    """Text with a word, a line or a letter changed."""
    way = rng.randrange(8)
    if way == 0:
        lines = text.split("\n")
        at = rng.randrange(len(lines))
        return "\n".join(rng.choice((lines[:at] + lines[at + 1 :], lines[:at] + [lines[at]] * 3 + lines[at + 1 :])))
    if way == 1:
        at = rng.randrange(len(text) + 1)
        return text[:at] + rng.choice((*TEXTS, *words)) + text[at:]
    if way == 2:
        return text[: rng.randrange(len(text) + 1)]
    if way == 3:
        return damaged_bytes(rng, text.encode()).decode("latin-1")
    # Of what is left, words and numbers are replaced by others.
    pieces = _tokens(text)
    at = [index for index, piece in enumerate(pieces) if piece.strip()]
    if not at:
        return text + str(any_value(rng, words))
    for _ in range(rng.choice((1, 1, 2))):
        chosen = rng.choice(at)
        is_number = pieces[chosen][:1] in "0123456789-+."
        if is_number and rng.random() < 0.8:
            pieces[chosen] = str(rng.choice(NUMBERS))
        else:
            pieces[chosen] = rng.choice(
                (str(rng.choice(NUMBERS)), rng.choice(words or TEXTS), rng.choice(TEXTS), pieces[rng.choice(at)])
            )
    return "".join(pieces)


def _tokens(text: str) -> list[str]:
    pieces, last = [], ""
    for sign in text:
        kind = "w" if sign.isalnum() or sign in "._+-" else sign
        if kind == "w" == last:
            pieces[-1] += sign
        else:
            pieces.append(sign)
        last = kind
    return pieces
