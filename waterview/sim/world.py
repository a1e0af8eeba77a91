"""A water with all that acts on it: rain, floating bodies, fine detail. Plain, single-threaded and deterministic."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from waterview.bodies.params import BodyParams
from waterview.core.body import BodyState
from waterview.core.commands import (
    AddBody,
    Capture,
    Command,
    DragBody,
    Drop,
    GrabBody,
    Gust,
    PaintWall,
    RaiseWaterLevel,
    ReleaseBody,
    RemoveBodies,
    ReplaceWater,
    Reset,
    SetBodyDensity,
    SetHeight,
    SetParameter,
    SetRain,
    SetWaterLevel,
    ShowField,
    ShowNextField,
)
from waterview.core.diagnostics import FieldMap, Totals
from waterview.core.errors import InputError
from waterview.core.frame import DetailMap, Frame
from waterview.core.params import Declaration, Params, Value, prefixed_declarations
from waterview.waters.common.rain import Rain
from waterview.waters.common.walls import walls_on
from waterview.waters.common.water import Water
from waterview.waters.eddies.detail import Detail, DetailParams

if TYPE_CHECKING:
    from waterview.bodies.collection import Bodies
    from waterview.bodies.wakes import Wakes

WORLD_PARAMS: Mapping[str, type[Params]] = {"bodies": BodyParams, "detail": DetailParams}
"""The parameters of what acts on the water, by whose they are."""

BODY_TIME = (1.0 - 1e-9) / 60.0
"""Time after which bodies are stepped, within what a sum of steps is rounded by, or the water's step if longer [s]."""

DETAIL_TIME = 1.0 / 30.0
"""Time after which the fine detail is stepped [s]; it is stable at any, and the eye asks for no more."""

TOTALS_INTERVAL = 1.0
"""Simulated time for which mean level and energy are published before they are summed up anew [s]."""

DRAG_RATE = 2.0
"""How fast water around a body takes on its speed, in the fine detail [1/s]."""


def world_declarations() -> tuple[Declaration, ...]:
    """The declarations of all of `WORLD_PARAMS` as flags, presets and commands name them, such as "bodies_drag"."""
    return tuple(entry for owner, params in WORLD_PARAMS.items() for entry in prefixed_declarations(owner, params))


class World:
    """What the simulation and the headless program step.

    Args:
        water: the water.
        rain: drops a second.
        detail: fine waves to be laid over the surface, or None.
        seed: chance of the rain.
        body_params: what bodies will go by; None for the defaults.
        detail_params: what fine detail would go by where there is none; None for the defaults.

    Raises:
        InputError: rain is asked for and this water feels none.
    """

    def __init__(
        self,
        water: Water,
        *,
        rain: float = 0.0,
        detail: Detail | None = None,
        seed: int = 0,
        body_params: BodyParams | None = None,
        detail_params: DetailParams | None = None,
    ) -> None:
        self.water = water
        self._body_params, self._detail_params = body_params or BodyParams(), detail_params or DetailParams()
        self.rain = Rain(0.0, seed)
        self._set_rain(rain)
        if detail is not None:
            self._check_bears("fine detail")
        self.detail = detail
        self.bodies: Bodies | None = None
        self._wakes: Wakes | None = None
        self._shown_map: str | None = None
        self._detail_time = 0.0
        self._body_time = 0.0
        self._totals: Totals | None = None
        self._summed_at = self._published_at = 0.0

    @property
    def time_step(self) -> float:
        """Length of one step [s]."""
        return self.water.time_step

    @property
    def body_params(self) -> BodyParams:
        """What bodies go by, also before there are any."""
        return self._body_params if self.bodies is None else self.bodies.params

    @property
    def detail_params(self) -> DetailParams:
        """What the fine detail goes by, or would if there were any."""
        return self._detail_params if self.detail is None else self.detail.params

    @property
    def params(self) -> dict[str, Params]:
        """The parameters of what acts on the water, by the names of `WORLD_PARAMS`."""
        return {"bodies": self.body_params, "detail": self.detail_params}

    def step(self, shown: bool = False) -> None:
        """Take one time step of everything; `shown` as for `advance`."""
        self._take(1, shown)

    def advance(self, steps: int, shown: bool = False) -> None:
        """Take time steps of everything: the same to the bit as one by one, and faster while only water moves.

        `shown` tells that `publish` comes next: some of it may then be done with the last step.
        """
        while steps > 0:
            together = self._undisturbed(steps)
            self._take(together, shown and together == steps)
            steps -= together

    def publish_still(self) -> Frame:
        """The surface as if at rest: a first picture for which nothing has to be compiled."""
        return self.water.publish_still().changed(world_params=self.params)

    def publish(self, serial: int) -> Frame:
        """Everything as it is now.

        The frame's arrays are its own and will not change.
        """
        frame = self.water.publish(serial)
        bodies = self.bodies.states(ahead=self._body_time) if self.bodies is not None else ()
        detail = DetailMap(self.detail.publish(), self.detail.params.size) if self.detail is not None else None
        field_map = self._field_maps().get(self._shown_map) if self._shown_map is not None else None
        totals = self._recent_totals() if self.water.bears_others or field_map is not None else None
        return frame.changed(
            bodies=bodies,
            detail=detail,
            field_map=field_map,
            totals=totals,
            at_rest=self._is_at_rest,
            world_params=self.params,
        )

    @property
    def _is_at_rest(self) -> bool:
        return self.water.at_rest and self.bodies is None and self.detail is None and self.rain.rate == 0.0

    def _recent_totals(self) -> Totals:
        """Mean level and energy, at most `TOTALS_INTERVAL` old; with a map, or where time stands still, as of now."""
        now, published_at, self._published_at = self.water.time, self._published_at, self.water.time
        is_recent = published_at != now and 0.0 <= now - self._summed_at < TOTALS_INTERVAL
        if self._totals is None or self._shown_map is not None or not is_recent:
            self._totals, self._summed_at = self.water.totals(), now
        return self._totals

    def apply(self, command: Command) -> None:
        """Do what is asked, at once.

        Raises:
            InputError: it cannot be done with this water; nothing has changed.
        """
        match command:
            case Capture() | ReplaceWater() | SetWaterLevel() | RaiseWaterLevel():
                self._apply_to_all(command)
            case Drop():
                self.water.disturb(command)
                if self.detail is not None:
                    self.detail.drive_apart(command.x, command.z, command.radius)
            case SetHeight(ix, iz, height):
                self.water.set_height(ix, iz, height)
            case SetParameter(name, value):
                self._set_parameter(name, value)
            case PaintWall(x, z, radius, wall, start):
                self.water.paint_wall(x, z, radius, wall, start)
            case Gust():
                self.water.blow(command)
            case SetRain(rate):
                self._set_rain(rate)
            case Reset():
                self.water.reset()
            case ShowField(name):
                self._shown_map = name
            case ShowNextField():
                names = [None, *self._field_maps()]
                place = names.index(self._shown_map) if self._shown_map in names else 0
                self._shown_map = names[(place + 1) % len(names)]
            case _:
                self._apply_to_bodies(command)

    def _set_parameter(self, name: str, value: Value) -> None:
        owner, _, own = name.partition("_")
        if owner not in WORLD_PARAMS:
            self.water.set_parameter(name, value)
        elif owner == "bodies":
            self._go_by(self.body_params.changed(**{own: value}))
        elif self.detail is not None:
            self.detail.set_parameter(own, value)
        else:
            self._detail_params = self._detail_params.changed(**{own: value})

    def _go_by(self, params: BodyParams) -> None:
        self._body_params = params
        if self.bodies is not None:
            self.bodies.params = params

    def _apply_to_all(self, command: Capture | ReplaceWater | SetWaterLevel | RaiseWaterLevel) -> None:
        match command:
            case Capture(take):
                take(self)
            case ReplaceWater(make):
                self._replace_water(make(), command)
            case SetWaterLevel(level):
                self.water.set_water_level(level)
            case RaiseWaterLevel(by):
                self.water.set_water_level(self.water.grid.level + by)

    def _apply_to_bodies(self, command: Command) -> None:
        match command:
            case AddBody(kind, density, x, z):
                self._check_bears("floating bodies")
                self._made_bodies().add(self.water, kind, density, x, z)
            case RemoveBodies():
                self._remove_bodies()
            case GrabBody(number, point) if self.bodies is not None:
                self.bodies.grab(number, point)
            case DragBody(point) if self.bodies is not None:
                self.bodies.drag_to(point)
            case ReleaseBody() if self.bodies is not None:
                self.bodies.release()
            case SetBodyDensity(density) if self.bodies is not None:
                self.bodies.set_density(density)

    def _check_bears(self, others: str) -> None:
        if not self.water.bears_others:
            raise InputError(f"the graphics card's solver knows no {others}: start with --solver cpu")

    def _set_rain(self, rate: float) -> None:
        if rate > 0.0 and not self.water.can_be_disturbed:
            raise InputError(f"the {self.water.name} model feels no rain: choose another with Tab or --model")
        self.rain = Rain(rate, self.rain.seed)

    def _replace_water(self, made: Water | World, command: ReplaceWater) -> None:
        walls, level = self.water.walls, self.water.grid.level
        self.water = made.water if isinstance(made, World) else made
        if command.keep_level:
            self.water.set_water_level(level)
        if command.keep_walls and (walls.any() or self.water.walls.any()):
            self.water.set_ground(self.water.ground, walls_on(walls, self.water.grid.shape))
        self._totals = None
        if isinstance(made, World) and made.bodies is not None:
            self.bodies, self._wakes = made.bodies, made._wakes
        elif not command.keep_bodies:
            self._remove_bodies()
        if isinstance(made, World):
            self.rain, self._shown_map = made.rain, made._shown_map or self._shown_map
            self._go_by(made.body_params)
            self._detail_params = made.detail_params
            if made.detail is not self.detail:
                self.detail, self._detail_time = made.detail, made._detail_time
        if not self.water.can_be_disturbed:
            self.rain = Rain(0.0, self.rain.seed)

    def _made_bodies(self) -> Bodies:
        if self.bodies is None:
            from waterview.bodies.collection import Bodies
            from waterview.bodies.wakes import Wakes

            self.bodies, self._wakes = Bodies(**asdict(self._body_params)), Wakes()
        return self.bodies

    def _remove_bodies(self) -> None:
        if self.bodies is None:
            return
        from waterview.bodies.wakes import ParticleWater

        self._body_params, self.bodies = self.bodies.params, None
        if isinstance(self.water, ParticleWater):
            self.water.set_bodies(())

    # --- to be saved

    def state(self) -> dict[str, Any]:
        """Everything that moves beside the water, and which map is shown: as numbers, names and arrays.

        Raises:
            InputError: a body cannot be saved.
        """
        bodies, wakes = self.bodies, self._wakes
        return {
            "bodies": None if bodies is None else bodies.state(),
            "wakes": {} if wakes is None else wakes.state(),
            "detail": None if self.detail is None else self.detail.state(),
            "detail_time": self._detail_time,
            "body_time": self._body_time,
            "map": self._shown_map,
            "params": {owner: asdict(params) for owner, params in self.params.items()},
        }

    def load_state(self, state: Mapping[str, Any]) -> None:
        """Go on from what `state` of a world with the same water and detail gave.

        Raises:
            InputError: a kind of body is unknown.
            KeyError, TypeError, ValueError: it makes no sense.
        """
        # Files of older versions know them only where there are bodies or detail.
        kept = state.get("params", {})
        self._body_params = BodyParams().changed(**kept.get("bodies", {}))
        self._detail_params = DetailParams().changed(**kept.get("detail", {}))
        if state["bodies"] is not None:
            self._check_bears("floating bodies")
            self._made_bodies().load_state(state["bodies"], self.water.grid)
            assert self._wakes is not None
            self._wakes.load_state(state["wakes"])
        if self.detail is not None and state["detail"] is not None:
            self.detail.load_state(state["detail"])
        self._detail_time = float(state["detail_time"])
        self._body_time = float(state.get("body_time", 0.0))  # files of older versions stepped bodies with the water
        self._shown_map = None if state["map"] is None else str(state["map"])

    # --- inside

    def _undisturbed(self, steps: int) -> int:
        """How many of the next `steps` the water takes before rain, bodies or detail may change it."""
        if self.rain.rate > 0.0:
            return 1
        bodies_time, detail_time, step = self._body_time, self._detail_time, self.water.time_step
        for taken in range(1, steps):
            bodies_time, detail_time = bodies_time + step, detail_time + step
            due = self.bodies is not None and bodies_time >= BODY_TIME
            if due or (self.detail is not None and detail_time >= DETAIL_TIME):
                return taken
        return steps

    def _take(self, steps: int, shown: bool) -> None:
        """Take steps between which nothing but the water moves."""
        for drop in self.rain.due(self.water.time, self.water.time_step, self.water.grid, self.water.fixed):
            self.water.disturb(drop)
        self.water.advance(steps, shown)
        for _ in range(steps):
            if self.bodies is not None:
                self._step_bodies(self.bodies)
            if self.detail is not None:
                self._step_detail(self.detail)

    def _step_bodies(self, bodies: Bodies) -> None:
        self._body_time += self.water.time_step
        if self._body_time < BODY_TIME:
            return
        elapsed, self._body_time = self._body_time, 0.0
        bodies.step(self.water, elapsed)
        if self._wakes is not None:
            self._wakes.send(bodies, self.water)

    def _step_detail(self, detail: Detail) -> None:
        self._detail_time += self.water.time_step
        if self._detail_time < DETAIL_TIME:
            return
        for body in self.bodies.states() if self.bodies is not None else ():
            self._drag_along(detail, body)
        detail.step(self._detail_time)
        self._detail_time = 0.0

    def _drag_along(self, detail: Detail, body: BodyState) -> None:
        """A body takes the water around it along."""
        assert self.bodies is not None
        (x, _, z), (u, _, w) = body.position.tolist(), self.bodies.motion(body.number)[0].tolist()
        share = min(self._detail_time * DRAG_RATE, 1.0)
        detail.add_force(x, z, share * u, share * w)

    def _field_maps(self) -> dict[str, FieldMap]:
        """The maps of the water, and those of the detail."""
        own = self.water.field_maps()
        return own if self.detail is None else own | self.detail.field_maps()
