"""A start that is given by files: a surface, a flow, or faults in the ground whose slip has lifted the water."""

from __future__ import annotations

import math
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any, NoReturn

import numpy as np
from numpy.typing import NDArray

from waterview.core.commands import SetState
from waterview.core.errors import InputError, ParameterError
from waterview.core.files import read_text
from waterview.core.params import as_float, nearest
from waterview.terrain.overlay import Overlay
from waterview.terrain.placed_map import PlacedMap
from waterview.waters.common.water import Water

from .okada import Fault

Doubles = NDArray[np.float64]

REFERENCES = {"middle": 0.5, "top": 0.0, "bottom": 1.0}
"""What the place and depth of a fault mean, the middle of it or of an edge; and how far down the dip that lies."""

_NUMBERS = {
    "depth": (0.0, 1e6),
    "length": (1e-3, 1e7),
    "width": (1e-3, 1e7),
    "strike": (-360.0, 360.0),
    "dip": (0.0, 90.0),
    "rake": (-360.0, 360.0),
    "slip": (-1e3, 1e3),
}
_PLACES = (("longitude", "latitude"), ("x", "z"))
_FAULT_KEYS = ("reference", *(key for pair in _PLACES for key in pair), *_NUMBERS)


@dataclass(frozen=True)
class GivenStart:
    """The files that a scene starts from; what is None is still water.

    Attributes:
        surface: a raster of heights above still water [m].
        flow_x, flow_z: rasters of the discharge along x (to the east) and along z (to the south) [m²/s].
        fault: a TOML file of faults; what they lift comes on top of `surface`.
    """

    surface: Path | None = None
    flow_x: Path | None = None
    flow_z: Path | None = None
    fault: Path | None = None

    def __bool__(self) -> bool:
        return any(getattr(self, entry.name) is not None for entry in fields(self))

    def overridden_by(self, other: GivenStart) -> GivenStart:
        """This start, with the files that `other` names instead of its own."""
        both = {entry.name: getattr(other, entry.name) or getattr(self, entry.name) for entry in fields(self)}
        return GivenStart(**both)

    def give(self, water: Water, ground: PlacedMap) -> None:
        """Let `water`, at rest on `ground`, start so. Land starts dry: nothing is given to it.

        Raises:
            InputError: a file cannot be used, or the water has no surface that could be given.
        """
        grid = water.grid
        state = self.on(ground).at(grid.x, grid.z, grid.spacing, water.fixed)
        water.set_state(state.heights, state.flow)

    def on(self, ground: PlacedMap) -> StartFields:
        """What its files say on a map.

        Raises:
            InputError: a file cannot be read, or makes no sense.
        """
        return StartFields(self, ground)


STILL_WATER = GivenStart()
"""What a scene starts from unless files are named."""


class StartFields:
    """The files of a start, read, on a map.

    Args:
        files: which.
        ground: the map.

    Raises:
        InputError: a file cannot be read, or makes no sense.
    """

    def __init__(self, files: GivenStart, ground: PlacedMap) -> None:
        self._ground = ground
        self._surface, *self._flow = (
            None if path is None else Overlay(path, ground) for path in (files.surface, files.flow_x, files.flow_z)
        )
        self._faults, self._horizontal = (
            ([], False) if files.fault is None else _FaultReader(files.fault, ground).content()
        )

    def at(self, x: Doubles, z: Doubles, spacing: float, fixed: NDArray[np.bool_], is_whole: bool = True) -> SetState:
        """The start at points of a grid.

        Args:
            x: of its columns [m], shape (nx,), two or more.
            z: of its rows [m], shape (nz,), two or more.
            spacing: of the points [m].
            fixed: land, which starts dry, shape (nz, nx).
            is_whole: whether that is all of the map, which every raster must overlap.

        Raises:
            InputError: a raster cannot be laid on the map.
        """
        heights = np.zeros(fixed.shape)
        if self._surface is not None:
            heights += _laid(self._surface, x, z, is_whole)
        if self._faults:
            heights += self._uplift(x, z, spacing)
        flow = None
        if any(raster is not None for raster in self._flow):
            flow = np.zeros((2, *fixed.shape), np.float32)
            for axis, raster in enumerate(self._flow):
                if raster is not None:
                    flow[axis] = np.where(fixed, np.float32(0.0), _laid(raster, x, z, is_whole))
        return SetState(np.where(fixed, 0.0, heights).astype(np.float32), flow)

    def _uplift(self, x: Doubles, z: Doubles, spacing: float) -> Doubles:
        """How far the faults lift the ground [m], shape (nz, nx).

        With `horizontal` in the file, a slope that is moved sideways counts as well: up − east·∂b/∂x − south·∂b/∂z,
        with the ground moved up, to the east (along x) and to the south (along z), and its height b (Tanioka and
        Satake 1996). The map itself stays as it is.
        """
        east, north = x[None, :], -z[:, None]
        lifted = np.zeros((len(z), len(x)))
        slopes = np.zeros((2, 1, 1))
        if self._horizontal:
            ground = np.asarray(self._ground.height_at(east, z[:, None]), np.float64)
            slopes = np.array(np.gradient(ground, spacing))
        for fault in self._faults:
            moved_east, moved_north, moved_up = fault.displacement(east, north)
            lifted += moved_up
            if self._horizontal:
                lifted -= moved_east * slopes[1] - moved_north * slopes[0]
        return lifted


def _laid(raster: Overlay, x: Doubles, z: Doubles, is_whole: bool) -> NDArray[np.float32]:
    """Values of a raster; 0 where it does not lie."""
    values = raster.at(x, z)
    if values is None and is_whole:
        raise raster.no_overlap()
    return np.zeros((len(z), len(x)), np.float32) if values is None else values


class _FaultReader:
    """Turns the content of a file into faults on a map; every error names file and key."""

    def __init__(self, path: Path, ground: PlacedMap) -> None:
        self._path, self._ground = path, ground
        try:
            self._content: Mapping[str, Any] = tomllib.loads(read_text(path))
        except (OSError, UnicodeDecodeError) as error:
            reason = getattr(error, "strerror", None) or "it is no text in UTF-8"
            raise InputError(f"fault '{path}' cannot be read: {reason}; give a .toml file") from error
        except (ValueError, RecursionError) as error:
            raise InputError(f"fault '{path}' is no TOML: {error}") from error

    def content(self) -> tuple[list[Fault], bool]:
        """The faults, and whether horizontal motion counts."""
        self._check_keys("", self._content, ("faults", "horizontal"))
        horizontal, tables = self._content.get("horizontal", False), self._content.get("faults")
        if not isinstance(horizontal, bool):
            self._fail("horizontal", "allowed are true and false")
        if not isinstance(tables, list) or not tables or not all(isinstance(table, dict) for table in tables):
            self._fail("faults", "needed is at least one table, each begun with [[faults]]")
        return [self._fault(f"faults[{number}].", table) for number, table in enumerate(tables, 1)], horizontal

    def _fault(self, prefix: str, table: Mapping[str, Any]) -> Fault:
        self._check_keys(prefix, table, _FAULT_KEYS)
        reference = table.get("reference", "middle")
        if not isinstance(reference, str) or reference not in REFERENCES:
            self._fail(f"{prefix}reference", f"allowed are {', '.join(REFERENCES)}")
        number = {key: self._number(prefix, table, key, *bounds) for key, bounds in _NUMBERS.items()}
        x, z = self._place(prefix, table)
        # From the point that is named to the middle, up the dip: to the left of the strike, and less deep.
        up = (REFERENCES[reference] - 0.5) * number["width"]
        dip, strike = math.radians(number["dip"]), math.radians(number["strike"])
        left = up * math.cos(dip)
        number["depth"] -= up * math.sin(dip)
        fault = Fault(x - left * math.cos(strike), -z + left * math.sin(strike), **number)
        if fault.top_depth < -1e-9 * fault.width:
            self._fail(f"{prefix}depth", f"its upper edge would stand {-fault.top_depth:g} m out of the ground")
        self._check_on_map(prefix, fault)
        return fault

    def _place(self, prefix: str, table: Mapping[str, Any]) -> tuple[float, float]:
        """World x and z [m] of the point that a table names."""
        given = [pair for pair in _PLACES if any(key in table for key in pair)]
        if len(given) != 1:
            self._fail(prefix + "x", "needed are either longitude and latitude in degrees or x and z in metres")
        first, second = (self._number(prefix, table, key, -1e9, 1e9) for key in given[0])
        if given[0] == ("x", "z"):
            return first, second
        x, z = self._ground.at_longitude(first, second)
        if not (math.isfinite(x) and math.isfinite(z)):
            self._fail(prefix + "longitude", "the map has no such place")
        return float(x), float(z)

    def _check_on_map(self, prefix: str, fault: Fault) -> None:
        """Refuse a fault no part of which lies under the map, seen from above."""
        first, second, third, fourth = fault.corners()
        s, t = np.linspace(0.0, 1.0, 65)[:, None, None], np.linspace(0.0, 1.0, 65)[None, :, None]
        east, north = np.moveaxis((1 - t) * ((1 - s) * first + s * second) + t * ((1 - s) * fourth + s * third), -1, 0)
        width, depth = self._ground.size
        if not ((np.abs(east) <= 0.5 * width) & (np.abs(north) <= 0.5 * depth)).any():
            middle = f"x {fault.east:.6g} m and z {-fault.north:.6g} m"
            reach = f"±{0.5 * width:.6g} m and ±{0.5 * depth:.6g} m"
            self._fail(prefix[:-1], f"the fault lies outside the map: its middle is at {middle}, allowed are {reach}")

    def _number(self, prefix: str, table: Mapping[str, Any], key: str, low: float, high: float) -> float:
        value = table.get(key)
        number = as_float(value) if isinstance(value, int | float) and not isinstance(value, bool) else math.nan
        if not low <= number <= high:
            found = "it is missing" if value is None else repr(value)[:40]
            self._fail(prefix + key, f"{found}; a number from {low:g} to {high:g} is needed")
        return number

    def _check_keys(self, prefix: str, table: Mapping[str, Any], allowed: tuple[str, ...]) -> None:
        for key in table:
            if key not in allowed:
                self._fail(
                    prefix + key, f"there is no such key: allowed are {', '.join(allowed)}{nearest(key, allowed)}"
                )

    def _fail(self, key: str, problem: str) -> NoReturn:
        raise ParameterError(f"fault '{self._path}', {key}: {problem}")
