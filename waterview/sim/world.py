"""A water with all that acts on it: rain, floating bodies, fine detail. Plain, single-threaded and deterministic."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from waterview.bodies.params import BodyParams
from waterview.core.body import BodyMesh, BodyState
from waterview.core.commands import (
    AddBody,
    AddGauge,
    BeginChange,
    Command,
    DragBody,
    Drop,
    GrabBody,
    Gust,
    LookAt,
    PaintWall,
    RaiseWaterLevel,
    RedoChange,
    ReleaseBody,
    RemoveBodies,
    RemoveBody,
    RemoveGauge,
    ReplaceWater,
    Reset,
    SaveWorld,
    SetBodyDensity,
    SetCourse,
    SetHeight,
    SetMeasured,
    SetParameter,
    SetRain,
    SetState,
    SetWaterLevel,
    ShowField,
    ShowFrame,
    ShowNextField,
    UndoChange,
)
from waterview.core.diagnostics import FieldMap, Totals
from waterview.core.errors import InputError
from waterview.core.frame import DetailMap, Frame
from waterview.core.params import Declaration, Params, Value, prefixed_declarations
from waterview.core.saved import entry_of, params_of
from waterview.waters.common.rain import Rain
from waterview.waters.common.walls import walls_on
from waterview.waters.common.water import Water
from waterview.waters.eddies.detail import Detail, DetailParams

from .gauges import GaugeParams, Gauges
from .history import History
from .maxima import Maxima, MaximaParams, maxima_names
from .playback import PlayedWater

if TYPE_CHECKING:
    from collections.abc import Iterable

    from waterview.bodies.collection import Bodies, BodyCopy
    from waterview.bodies.shapes import Shape
    from waterview.bodies.wakes import Wakes

WORLD_PARAMS: Mapping[str, type[Params]] = {
    "bodies": BodyParams,
    "detail": DetailParams,
    "gauges": GaugeParams,
    "maxima": MaximaParams,
}
"""The parameters of what acts on the water, by owner."""

BODY_TIME = (1.0 - 1e-9) / 60.0
"""Time step of bodies [s], a little less than 1/60 s for rounding; the water's own step where that is longer."""

DETAIL_TIME = 1.0 / 30.0
"""Time step of the fine detail [s]; it is stable at any, and the eye needs no shorter one."""

TOTALS_INTERVAL = 1.0
"""Simulated time after which mean level and energy are summed up anew [s]."""

DRAG_RATE = 2.0
"""Rate at which the fine detail around a body takes on its velocity [1/s]."""


_WHILE_PLAYED = (
    *(SaveWorld, ReplaceWater, SetParameter, ShowField, ShowNextField, ShowFrame, LookAt),
    *(BeginChange, UndoChange, RedoChange, ReleaseBody, RemoveBodies),
)
"""Commands that make sense while a recording is played; they do not change what was computed."""


def world_declarations() -> tuple[Declaration, ...]:
    """The declarations of all `WORLD_PARAMS`, named as in flags and presets: "bodies_drag"."""
    return tuple(entry for owner, params in WORLD_PARAMS.items() for entry in prefixed_declarations(owner, params))


class World:
    """A water, its rain, bodies, fine detail and gauges: what the simulation loop and offline output step.

    Args:
        water: the water.
        rain: drops a second.
        detail: fine waves laid over the surface, or None.
        seed: of the rain's random numbers.
        body_params: parameters of bodies; None means the defaults.
        detail_params: parameters of fine detail that is added later; None means the defaults.
        gauge_params: parameters of gauges; None means the defaults.
        maxima_params: parameters of fields over the run; None means the defaults.

    Raises:
        InputError: rain or detail is given, and this water cannot have it.

    Attributes:
        history: what can be undone.
        gauges: what gauges have measured, by name.
        maxima: fields over the run; None until `gather_maxima`, or until one of their maps is shown.
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
        gauge_params: GaugeParams | None = None,
        maxima_params: MaximaParams | None = None,
    ) -> None:
        self.water = water
        self.history = History()
        self.gauges = Gauges(gauge_params)
        self.maxima: Maxima | None = None
        self._maxima_params = maxima_params or MaximaParams()
        self._body_params, self._detail_params = body_params or BodyParams(), detail_params or DetailParams()
        self.rain = Rain(0.0, seed)
        self._set_rain(rain)
        if detail is not None:
            self._check_allows("fine detail")
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
        """Parameters of bodies, also while there are none."""
        return self._body_params if self.bodies is None else self.bodies.params

    @property
    def detail_params(self) -> DetailParams:
        """Parameters of the fine detail, also while there is none."""
        return self._detail_params if self.detail is None else self.detail.params

    @property
    def params(self) -> dict[str, Params]:
        """All parameters, by owner as in `WORLD_PARAMS`."""
        return {
            "bodies": self.body_params,
            "detail": self.detail_params,
            "gauges": self.gauges.params,
            "maxima": self._maxima_params,
        }

    def gather_maxima(self) -> None:
        """Gather fields over the run anew, from now on.

        Raises:
            InputError: this water cannot be looked at as a whole all the time.
        """
        self._check_allows("fields over the run")
        self.maxima = Maxima(self.water, self._maxima_params)

    def step(self) -> None:
        """Take one time step of everything."""
        self.advance(1)

    def advance(self, steps: int, publish_next: bool = False) -> None:
        """Take time steps of everything: the same to the bit as one by one, and faster while only water moves.

        With `publish_next` the caller promises that `publish` comes next: part of it may be done with the last step.
        """
        while steps > 0:
            together = self._steps_of_water_alone(steps)
            rain = self.rain.due(self.water.time, self.water.time_step, self.water.grid, self.water.fixed)
            if rain:
                self.water.disturb_all(rain)
            self.water.advance(together, publish_next and together == steps)
            for _ in range(together):
                if self.bodies is not None:
                    self._step_bodies(self.bodies)
                if self.detail is not None:
                    self._step_detail(self.detail)
            self.gauges.note(self.water, together, self.water.time_step)
            if self.maxima is not None:
                self.maxima.note(self.water, together, self.water.time_step)
            steps -= together

    def publish_still(self) -> Frame:
        """The surface as if at rest: a first picture that needs no compiled kernel."""
        frame = self.water.publish_still()
        return frame.changed(world_params=self.params, gauges=(*frame.gauges, *self.gauges))

    def publish(self, serial: int) -> Frame:
        """Everything as it is now, in a frame whose arrays will not change."""
        frame = self.water.publish(serial)
        bodies = self.bodies.states(ahead=self._body_time) if self.bodies is not None else ()
        detail = DetailMap(self.detail.publish(), self.detail.params.size) if self.detail is not None else None
        field_map = self._field_maps().get(self._shown_map) if self._shown_map is not None else None
        totals = self._recent_totals() if self.water.can_be_coupled or field_map is not None else None
        return frame.changed(
            bodies=bodies,
            detail=detail,
            field_map=field_map,
            totals=totals,
            at_rest=self._is_at_rest,
            world_params=self.params,
            gauges=(*frame.gauges, *self.gauges),
        )

    @property
    def awaits_news(self) -> bool:
        """Whether there may soon be something new to publish, though no step is taken: what is read from disk."""
        return isinstance(self.water, PlayedWater) and self.water.awaits_news

    def take_news(self) -> bool:
        """Whether there is something new to publish since the last call, though no step was taken."""
        return isinstance(self.water, PlayedWater) and self.water.take_news()

    @property
    def _is_at_rest(self) -> bool:
        return self.water.at_rest and self.bodies is None and self.detail is None and self.rain.rate == 0.0

    def _recent_totals(self) -> Totals:
        """Mean level and energy, at most `TOTALS_INTERVAL` old; as of now with a map, or while time stands still."""
        now, published_at, self._published_at = self.water.time, self._published_at, self.water.time
        is_recent = published_at != now and 0.0 <= now - self._summed_at < TOTALS_INTERVAL
        if self._totals is None or self._shown_map is not None or not is_recent:
            self._totals, self._summed_at = self.water.totals(), now
        return self._totals

    def apply(self, command: Command) -> None:
        """Carry out a command at once, and note how it can be undone if a change has begun.

        Raises:
            InputError: it cannot be done with this water; nothing has changed.
        """
        if isinstance(self.water, PlayedWater) and not isinstance(command, _WHILE_PLAYED):
            self.water.refuse()
        match command:
            case BeginChange(number):
                self.history.begin(number)
            case UndoChange(number):
                self.history.undo(self, number)
            case RedoChange(number):
                self.history.redo(self, number)
            case _:
                with self.history.noting(self, command):
                    self.carry_out(command)

    def carry_out(self, command: Command) -> None:
        """Carry out a command without a note of how to undo it; otherwise as `apply`."""
        match command:
            case SaveWorld() | ReplaceWater() | SetState() | SetWaterLevel() | RaiseWaterLevel() | Reset():
                self._apply_to_water(command)
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
            case AddGauge() | RemoveGauge() | SetMeasured():
                self._check_allows("gauges")
                self.gauges.apply(command, self.water)
            case ShowField(name):
                self._show_map(name)
            case ShowNextField():
                names = list(dict.fromkeys((None, *self._field_maps(), *maxima_names(self.water))))
                place = names.index(self._shown_map) if self._shown_map in names else 0
                self._show_map(names[(place + 1) % len(names)])
            case _:
                self._apply_to_bodies(command)

    def _apply_to_recording(self, command: ShowFrame | LookAt) -> None:
        if not isinstance(self.water, PlayedWater):
            raise InputError(f"the {self.water.name} model is computed as time goes on: it has no frames to go to")
        match command:
            case ShowFrame(number):
                self.water.show(number)
            case LookAt(x, z, distance):
                self.water.look_at(x, z, distance)

    def _show_map(self, name: str | None) -> None:
        """Publish a map from now on; one of a field over the run begins to be gathered."""
        self._shown_map = name
        if self.maxima is None and name in maxima_names(self.water):
            self.gather_maxima()

    def parameter(self, name: str) -> Value | None:
        """The value of a parameter, named as in `SetParameter`; None if there is none of that name."""
        owner, _, own = name.partition("_")
        params, name = (self.params[owner], own) if owner in WORLD_PARAMS else (self.water.params, name)
        value: Value | None = getattr(params, name, None)
        return value

    def _set_parameter(self, name: str, value: Value) -> None:
        owner, _, own = name.partition("_")
        if owner not in WORLD_PARAMS:
            self.water.set_parameter(name, value)
        elif owner == "bodies":
            self._set_body_params(self.body_params.changed(**{own: value}))
        elif owner == "gauges":
            self.gauges.params = self.gauges.params.changed(**{own: value})
        elif owner == "maxima":
            self._maxima_params = self._maxima_params.changed(**{own: value})
            if self.maxima is not None:
                self.maxima.params = self._maxima_params
        elif self.detail is not None:
            self.detail.set_parameter(own, value)
        else:
            self._detail_params = self._detail_params.changed(**{own: value})

    def _set_body_params(self, params: BodyParams) -> None:
        self._body_params = params
        if self.bodies is not None:
            self.bodies.params = params

    def _apply_to_water(
        self, command: SaveWorld | ReplaceWater | SetState | SetWaterLevel | RaiseWaterLevel | Reset
    ) -> None:
        match command:
            case SaveWorld(save):
                save(self)
                return
            case SetState(heights, flow):
                self.water.set_state(heights, flow)
            case ReplaceWater(make):
                self._replace_water(make(), command)
            case SetWaterLevel(level):
                self.water.set_water_level(level)
            case RaiseWaterLevel(by):
                self.water.set_water_level(self.water.grid.level + by)
            case Reset():
                self.water.reset()
        if self.maxima is not None and not isinstance(command, ReplaceWater):
            self.gather_maxima()

    def _apply_to_bodies(self, command: Command) -> None:
        match command:
            case AddBody(kind, density, x, z, heading, speed, size, mesh):
                self._check_allows("floating bodies")
                bodies, wakes = self._bodies_and_wakes()
                number = bodies.add(
                    self.water, kind if mesh is None else _own_shape(kind, mesh), density, x, z, size, heading=heading
                )
                bodies.set_course(number, heading, speed)
                self.bodies, self._wakes = bodies, wakes
            case RemoveBodies():
                self._remove_bodies()
            case RemoveBody(number):
                if self.bodies is None:
                    raise InputError(f"no body has the number {number}: there are none")
                self.bodies.remove(number)
                if not len(self.bodies):
                    self._remove_bodies()
            case GrabBody(number, point) if self.bodies is not None:
                self.bodies.grab(number, point)
            case DragBody(point) if self.bodies is not None:
                self.bodies.drag_to(point)
            case ReleaseBody() if self.bodies is not None:
                self.bodies.release()
            case SetBodyDensity(density) if self.bodies is not None:
                self.bodies.set_density(density)
            case SetCourse(number, heading, speed):
                if self.bodies is None:
                    raise InputError(f"no body has the number {number}: there are none")
                self.bodies.set_course(number, heading, speed)
            case ShowFrame() | LookAt():
                self._apply_to_recording(command)

    def _check_allows(self, what: str) -> None:
        if not self.water.can_be_coupled:
            raise InputError(f"the graphics card's solver knows no {what}: start with --solver cpu")

    def _set_rain(self, rate: float) -> None:
        if rate > 0.0 and not self.water.can_be_disturbed:
            raise InputError(f"the {self.water.name} model feels no rain: choose another with Tab or --model")
        self.rain = Rain(rate, self.rain.seed)

    def _replace_water(self, made: Water | World, command: ReplaceWater) -> None:
        walls, water = self.water.walls, made.water if isinstance(made, World) else made
        if command.keep_level:
            water.set_water_level(self.water.grid.level)
        if command.keep_walls and (walls.any() or water.walls.any()):
            water.set_ground(water.ground, walls_on(walls, water.grid.shape))
        self.water, self._totals = water, None
        self.history.clear()
        if isinstance(made, World) and made.bodies is not None:
            self.bodies, self._wakes = made.bodies, made._wakes
        elif not command.keep_bodies:
            self._remove_bodies()
        if isinstance(made, World):
            self.rain, self._shown_map = made.rain, made._shown_map or self._shown_map
            self._body_time = made._body_time
            self._set_body_params(made.body_params)
            self._detail_params = made.detail_params
            self.gauges.params = made.gauges.params
            if made.detail is not self.detail:
                self.detail, self._detail_time = made.detail, made._detail_time
        if isinstance(made, World) and len(made.gauges):
            self.gauges = made.gauges
        else:
            self.gauges.move_to(self.water, keep=command.keep_bodies and self.water.can_be_coupled)
        self._replace_maxima(made)
        if not self.water.can_be_disturbed:
            self.rain = Rain(0.0, self.rain.seed)

    def take_back(self, before: Mapping[str, Any]) -> None:
        """Be again as `vars(self)` was just before a `ReplaceWater`; what came before cannot be undone any more."""
        vars(self).update(before)
        self.gauges.move_to(self.water, keep=self.water.can_be_coupled)
        self.history.clear()

    def _replace_maxima(self, made: Water | World) -> None:
        """Take up the fields over the run of a new world, or begin anew in a new water where they are asked for."""
        wanted = self.maxima is not None
        self.maxima = None
        if isinstance(made, World):
            self.maxima, self._maxima_params, wanted = made.maxima, made._maxima_params, False
        if self.maxima is None and maxima_names(self.water) and (wanted or self._shown_map in maxima_names(self.water)):
            self.gather_maxima()

    def _bodies_and_wakes(self) -> tuple[Bodies, Wakes]:
        """Those of the world; new ones while there are none, which are not yet the world's."""
        if self.bodies is not None and self._wakes is not None:
            return self.bodies, self._wakes
        from waterview.bodies.collection import Bodies
        from waterview.bodies.wakes import Wakes

        return Bodies(**asdict(self._body_params)), Wakes()

    def put_back_bodies(self, copies: Iterable[BodyCopy]) -> None:
        """Let bodies be again as they were copied; see `Bodies.put_back`.

        Raises:
            ParameterError: there are too many.
        """
        for body in copies:
            self.bodies, self._wakes = self._bodies_and_wakes()
            self.bodies.put_back(body)

    def _remove_bodies(self) -> None:
        if self.bodies is None:
            return
        from waterview.bodies.wakes import ParticleWater

        self._body_params, self.bodies = self.bodies.params, None
        if isinstance(self.water, ParticleWater):
            self.water.set_bodies(())

    # --- saving

    def state(self) -> dict[str, Any]:
        """All state but the water's, as numbers, names and arrays: bodies, detail, and which map is shown.

        Raises:
            InputError: a body cannot be saved.
        """
        bodies, wakes = self.bodies, self._wakes
        return {
            "bodies": None if bodies is None else bodies.state(self.water.grid),
            "wakes": {} if wakes is None or bodies is None else wakes.state(bodies),
            "detail": None if self.detail is None else self.detail.state(),
            "detail_time": self._detail_time,
            "body_time": self._body_time,
            "map": self._shown_map,
            "gauges": self.gauges.state(),
            "maxima": None if self.maxima is None else self.maxima.state(),
            "params": {owner: asdict(params) for owner, params in self.params.items()},
        }

    def load_state(self, state: Mapping[str, Any]) -> None:
        """Restore what `state` of a world with the same water and detail gave.

        Raises:
            InputError: a kind of body is unknown, or a gauge makes no sense.
            KeyError, ValueError: the state makes no sense.
        """
        saved = entry_of(state, "params", dict, {})  # missing in files of older versions
        self._body_params = params_of(saved, "bodies", BodyParams, {})
        self._detail_params = params_of(saved, "detail", DetailParams, {})
        self.gauges = Gauges(params_of(saved, "gauges", GaugeParams, {}))
        if "gauges" in state:
            self.gauges.load_state(entry_of(state, "gauges", dict))
        if len(self.gauges):
            self._check_allows("gauges")
        self._maxima_params = params_of(saved, "maxima", MaximaParams, {})
        if state.get("maxima") is not None:
            self.gather_maxima()
            assert self.maxima is not None
            self.maxima.load_state(entry_of(state, "maxima", dict))
        if (saved_bodies := entry_of(state, "bodies", dict | None)) is not None:
            self._check_allows("floating bodies")
            bodies, wakes = self._bodies_and_wakes()
            bodies.load_state(saved_bodies, self.water.grid)
            wakes.load_state(entry_of(state, "wakes", dict))
            self.bodies, self._wakes = bodies, wakes
        saved_detail = entry_of(state, "detail", dict | None)
        if self.detail is not None and saved_detail is not None:
            self.detail.load_state(saved_detail)
        self._detail_time = entry_of(state, "detail_time", float, low=0.0, high=DETAIL_TIME)
        # Missing in files of older versions, which stepped bodies with the water.
        self._body_time = entry_of(state, "body_time", float, 0.0, low=0.0, high=BODY_TIME)
        self._shown_map = entry_of(state, "map", str | None)

    # --- inside

    def _steps_of_water_alone(self, steps: int) -> int:
        """How many of the next `steps` come before anything but the water has to do something again; at least 1."""
        if self.rain.rate > 0.0:
            return 1
        steps = self.gauges.steps_until_due(steps, self.water.time_step)
        if self.maxima is not None:
            steps = self.maxima.steps_until_due(steps, self.water.time_step)
        bodies_time, detail_time, step = self._body_time, self._detail_time, self.water.time_step
        for taken in range(1, steps):
            bodies_time, detail_time = bodies_time + step, detail_time + step
            due = self.bodies is not None and bodies_time >= BODY_TIME
            if due or (self.detail is not None and detail_time >= DETAIL_TIME):
                return taken
        return steps

    def _step_bodies(self, bodies: Bodies) -> None:
        self._body_time += self.water.time_step
        if self._body_time < BODY_TIME:
            return
        elapsed, self._body_time = self._body_time, 0.0
        bodies.step(self.water, elapsed)
        if self._wakes is not None:
            self._wakes.send(bodies, self.water, elapsed)

    def _step_detail(self, detail: Detail) -> None:
        self._detail_time += self.water.time_step
        if self._detail_time < DETAIL_TIME:
            return
        for body in self.bodies.states() if self.bodies is not None else ():
            self._drag_along(detail, body)
        detail.step(self._detail_time)
        self._detail_time = 0.0

    def _drag_along(self, detail: Detail, body: BodyState) -> None:
        """Let a body drag the fine detail around it along."""
        assert self.bodies is not None
        (x, _, z), (u, _, w) = body.position.tolist(), self.bodies.motion(body.number)[0].tolist()
        share = min(self._detail_time * DRAG_RATE, 1.0)
        detail.add_force(x, z, share * u, share * w)

    def _field_maps(self) -> dict[str, FieldMap]:
        """Field maps of the water, of the detail and over the run."""
        maps = self.water.field_maps()
        for other in (self.detail, self.maxima):
            maps |= {} if other is None else other.field_maps()
        return maps


def _own_shape(kind: str, mesh: BodyMesh) -> Shape:
    from waterview.bodies.meshes import own_shape  # bodies are loaded when the first one is added

    return own_shape(kind, mesh)
