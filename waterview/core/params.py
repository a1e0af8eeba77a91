"""Parameters, each declared once: flags, keys, HUD, panel, session files and docs follow from the declaration."""

from __future__ import annotations

import difflib
import math
from collections.abc import Callable, Iterable, Mapping
from dataclasses import MISSING, Field, asdict, dataclass, field, fields, replace
from typing import Any, Literal, Self

import numpy as np

from .errors import ParameterError

Value = float | int | str | bool
_KEY = "waterview"


@dataclass(frozen=True)
class Declaration:
    """The declaration of one parameter.

    Attributes:
        name: the attribute's name, such as "wave_speed".
        default: its value unless another is given.
        unit: SI unit, "" for pure numbers and names.
        low, high: smallest and largest value allowed (numbers only).
        step: what a key press adds, or multiplies by if `scale` is "log".
        scale: "linear" or "log".
        smallest: smallest value above 0 of a log scale that includes 0.
        keys: the pair of keys (less, more), as named in `waterview.ui.keys`, or None.
        choices: allowed strings; with `parse`, those that panel and keys offer.
        parse: checks and normalises a string, or raises a ParameterError; None allows `choices` alone.
        syntax: what `parse` allows beside `choices`, as text for help.
        is_file: whether `parse` takes the name of a file, too, whose content then is the value.
        doc: one sentence for help, tooltips and the documentation.
    """

    name: str
    default: Value
    unit: str
    low: float | None
    high: float | None
    step: float | None
    scale: Literal["linear", "log"]
    smallest: float | None
    keys: tuple[str, str] | None
    choices: tuple[str, ...]
    parse: Callable[[str], str] | None
    syntax: str
    is_file: bool
    doc: str

    @property
    def kind(self) -> type[Value]:
        """bool, int, float or str."""
        return type(self.default)

    @property
    def label(self) -> str:
        """The name for people, such as "wave speed", without a unit at its end, which is shown with the value."""
        return self.name.removesuffix(f"_{self.unit}").replace("_", " ")

    @property
    def flag(self) -> str:
        """The command-line option, such as "--wave-speed"."""
        return "--" + self.name.replace("_", "-")

    @property
    def allowed(self) -> str:
        """The allowed values, as text."""
        if self.choices:
            return ", ".join(self.choices) + (f", or {self.syntax}" if self.syntax else "")
        if self.kind is str:
            return self.syntax
        unit = f" {self.unit}" if self.unit else ""
        return f"{_short(self.low)} to {_short(self.high)}{unit}"

    def check(self, value: object) -> Value:
        """`value` in the parameter's own type.

        Raises:
            ParameterError: it has another type, is not finite, or lies outside `allowed`.
        """
        if self.parse is not None:
            return self.parse(str(value))
        if self.choices:
            if value not in self.choices:
                hint = nearest(str(value), self.choices)
                raise ParameterError(f"{self.label} '{value}': allowed are {self.allowed}; choose one of them{hint}")
            return str(value)
        if self.kind is bool:
            if not isinstance(value, bool | np.bool_):
                raise ParameterError(f"{self.label} '{value}': allowed are true and false")
            return bool(value)
        if isinstance(value, bool) or not isinstance(value, int | float | np.integer | np.floating):
            raise ParameterError(f"{self.label} {value!r}: a number is needed, {self.allowed}")
        number = as_float(value)
        outside = (self.low is not None and number < self.low) or (self.high is not None and number > self.high)
        if not math.isfinite(number) or outside or (self.kind is int and number != int(number)):
            unit = f" {self.unit}" if self.unit else ""
            whole = "whole numbers from " if self.kind is int else ""
            raise ParameterError(
                f"{self.label} {_short(number)}{unit}: allowed are {whole}{self.allowed}; choose a value in that range"
            )
        return int(value) if self.kind is int else number

    def stepped(self, value: Value, direction: int, *, fine: bool = False) -> Value:
        """The value one key press away: `direction` is +1 or −1; `fine` takes a fifth of the step.

        On a log scale with `smallest`, a step below it gives 0, and a step up from 0 gives it. From a string that is
        not in `choices`, any step leads to the first choice.
        """
        if self.choices:
            if value not in self.choices:
                return self.choices[0]
            index = self.choices.index(str(value)) + direction
            return self.choices[index % len(self.choices)]
        assert self.step is not None and isinstance(value, int | float), f"{self.name} has no step"
        if self.scale == "log":
            result = self._log_stepped(float(value), direction, self.step ** (0.2 if fine else 1.0))
        else:
            result = value + direction * self.step * (0.2 if fine else 1.0)
        result = max(result, -math.inf if self.low is None else self.low)
        result = min(result, math.inf if self.high is None else self.high)
        return round(result) if self.kind is int else float(f"{result:.6g}")

    def _log_stepped(self, value: float, direction: int, factor: float) -> float:
        smallest = self.smallest or 0.0
        if value < smallest:
            return smallest if direction > 0 else 0.0
        result = value * factor**direction
        return 0.0 if result < smallest * 0.999 else result


def param(
    default: Value,
    *,
    unit: str = "",
    low: float | None = None,
    high: float | None = None,
    step: float | None = None,
    scale: Literal["linear", "log"] = "linear",
    smallest: float | None = None,
    keys: tuple[str, str] | None = None,
    choices: tuple[str, ...] = (),
    parse: Callable[[str], str] | None = None,
    syntax: str = "",
    is_file: bool = False,
    doc: str = "",
) -> Any:
    """A field of a `Params` class; the arguments are those of `Declaration`."""
    options = {
        "unit": unit,
        "low": low,
        "high": high,
        "step": step,
        "scale": scale,
        "smallest": smallest,
        "keys": keys,
        "choices": choices,
        "parse": parse,
        "syntax": syntax,
        "is_file": is_file,
        "doc": doc,
    }
    return field(default=default, metadata={_KEY: options})


@dataclass(frozen=True, kw_only=True)
class Params:
    """Base of every set of parameters: a frozen dataclass whose fields are made with `param`.

    Raises:
        ParameterError: when made with a value that its declaration does not allow.
    """

    def __post_init__(self) -> None:
        for declaration in declarations(type(self)):
            value = declaration.check(getattr(self, declaration.name))
            object.__setattr__(self, declaration.name, value)

    def changed(self, **values: Value) -> Self:
        """A copy with some values replaced.

        Raises:
            ParameterError: a name is unknown or a value is not allowed.
        """
        for name in values:
            declaration(type(self), name)
        return replace(self, **values)


def declarations(params: type[Params]) -> tuple[Declaration, ...]:
    """The declarations of a `Params` class, in order."""
    # A subclass without the dataclass decorator would silently lose its parameters.
    assert not any(isinstance(value, Field) for value in vars(params).values()), f"{params.__name__} is no dataclass"
    return tuple(
        Declaration(name=entry.name, default=entry.default, **entry.metadata[_KEY])
        for entry in fields(params)
        if _KEY in entry.metadata and entry.default is not MISSING
    )


def declaration(params: type[Params], name: str) -> Declaration:
    """The declaration called `name`.

    Raises:
        ParameterError: there is none.
    """
    known = declarations(params)
    for entry in known:
        if entry.name == name:
            return entry
    names = [entry.name for entry in known]
    raise ParameterError(f"no parameter is called '{name}': allowed are {', '.join(names)}{nearest(name, names)}")


def values_for(params: type[Params], values: Mapping[str, Value]) -> dict[str, Value]:
    """Those of `values` that `params` declares, by name, in the order of the declarations."""
    return {entry.name: values[entry.name] for entry in declarations(params) if entry.name in values}


def prefixed_declarations(owner: str, params: type[Params]) -> tuple[Declaration, ...]:
    """The declarations of `params`, named as flags, presets and commands name them: "bodies_drag" for bodies' drag."""
    return tuple(replace(entry, name=f"{owner}_{entry.name}") for entry in declarations(params))


def prefixed_values(params: Mapping[str, Params]) -> dict[str, Value]:
    """All values of some sets of parameters, given by owner, under their prefixed names."""
    return {f"{owner}_{name}": value for owner, own in params.items() for name, value in asdict(own).items()}


def unprefixed_values(owner: str, values: Mapping[str, Value]) -> dict[str, Value]:
    """Those of `values` whose names begin with `owner`, under their own names."""
    prefix = f"{owner}_"
    return {name.removeprefix(prefix): value for name, value in values.items() if name.startswith(prefix)}


def nearest(name: str, known: Iterable[str]) -> str:
    """A hint for an error about the unknown `name`: the most similar of the `known` names, or ""."""
    found = difflib.get_close_matches(name.lower(), list(known), n=1, cutoff=0.5)
    return f"; did you mean '{found[0]}'?" if found else ""


def as_float(value: float | np.number) -> float:
    """`value` as a float; integers too large for one, which files can hold, become ±∞."""
    try:
        return float(value)
    except OverflowError:
        return math.inf if value > 0 else -math.inf


def _short(value: float | None) -> str:
    return "any" if value is None else f"{value:g}"
