"""The viewer without a window: events go in, commands and camera movements come out."""

import math
from collections import Counter
from dataclasses import replace

import numpy as np
import pytest
from support.scenes import make_frame
from support.viewers import SIZE, FakeScenes, TunedParams, pointer_over

from waterview.bodies.params import BodyParams
from waterview.core.body import BodyState, Mesh
from waterview.core.commands import (
    AddBody,
    Gust,
    Pause,
    RaiseWaterLevel,
    ReleaseBody,
    RemoveBodies,
    RemoveGauge,
    ReplaceWater,
    Reset,
    SetBodyDensity,
    SetMeasured,
    SetParameter,
    SetRain,
    ShowNextField,
    StepOnce,
)
from waterview.core.gauges import GaugeSeries
from waterview.core.georeference import Georeference
from waterview.core.params import declarations
from waterview.render.settings import ViewParams
from waterview.scene.navigator import Navigator
from waterview.scene.scene import Scene, SceneParams
from waterview.terrain.library import resolve
from waterview.ui.border_keys import kinds_of
from waterview.ui.keys import ACTIONS
from waterview.ui.pointer import LEFT, MIDDLE, RIGHT
from waterview.ui.viewer import Viewer
from waterview.waters import MODELS
from waterview.waters.eddies.detail import DetailParams


def test_a_click_drops_where_the_pointer_is(viewer, loop):
    viewer.pointer.press(LEFT, *pointer_over(viewer, 3.0, 4.0), SIZE)
    viewer.pointer.release()
    (drop,) = loop.drops()
    assert (drop.x, drop.z) == pytest.approx((3.0, 4.0), abs=1e-6)
    assert drop.neutral


def test_a_click_on_land_drops_nothing(viewer, loop):
    px, py, _ = viewer.camera.project((0.0, 3.0, -9.0), SIZE)
    viewer.pointer.press(LEFT, px, py, SIZE)
    assert loop.posted == []


def test_a_click_beside_the_block_drops_nothing(viewer, loop):
    viewer.pointer.press(LEFT, 1.0, 1.0, SIZE)
    assert loop.posted == []


@pytest.mark.parametrize(("button", "shift"), [(MIDDLE, False), (LEFT, True)])
def test_middle_or_shift_drag_moves_the_view_and_leaves_the_water(viewer, loop, button, shift):
    target = viewer.camera.target
    viewer.pointer.press(button, 300.0, 200.0, SIZE, {"shift"} if shift else set())
    viewer.pointer.drag(320.0, 210.0, 20.0, 10.0, SIZE)
    assert viewer.camera.target != target
    assert loop.posted == []


def test_right_drag_turns_the_view(viewer, loop):
    azimuth = viewer.camera.azimuth
    viewer.pointer.press(RIGHT, 300.0, 200.0, SIZE)
    viewer.pointer.drag(330.0, 200.0, 30.0, 0.0, SIZE)
    assert viewer.camera.azimuth != azimuth
    assert loop.posted == []


def test_the_wheel_zooms_and_keeps_what_is_under_the_pointer(viewer):
    before = viewer.camera.distance
    px, py = pointer_over(viewer, 2.0, 1.0)
    viewer.pointer.scroll(1.0, px, py, SIZE)
    assert viewer.camera.distance < before
    assert pointer_over(viewer, 2.0, 1.0) == pytest.approx((px, py), abs=1.0)


def test_the_wheel_brings_the_eye_nearer_to_what_is_under_the_pointer(viewer):
    """Land is higher than what is looked at: to come nearer to the plane of that would lead through the land."""
    px, py, _ = viewer.camera.project((3.0, 3.0, -9.0), SIZE)
    viewer.pointer.move(px, py, SIZE)
    hit = viewer.pointer.hit()
    assert hit.kind == "terrain" and hit.y == pytest.approx(3.0)
    place, camera = np.array((hit.x, hit.y, hit.z)), viewer.camera
    before = np.linalg.norm(camera.eye - place), camera.distance
    viewer.pointer.scroll(2.0, px, py, SIZE)
    assert np.linalg.norm(camera.eye - place) / before[0] == pytest.approx(camera.distance / before[1], rel=1e-4)


def test_the_wheel_does_not_move_the_eye_into_the_ground(viewer):
    """It moves backwards, low above the water, to where the land begins."""
    viewer.camera.azimuth, viewer.camera.elevation = math.pi, 0.05
    viewer.camera.target, viewer.camera.distance = (0.0, 0.0, -4.0), 2.5
    heights = {}
    for _ in range(8):
        viewer.pointer.scroll(-1.0, 320.0, 180.0, SIZE)
        heights[viewer.camera.eye[2]] = viewer.camera.eye[1]
    over_land = [y for z, y in heights.items() if z < -6.5]
    assert over_land and min(over_land) > 3.0


def test_parameter_keys_follow_their_declaration(viewer, loop):
    viewer.key("up")
    viewer.key("up")
    viewer.key("down", {"shift"})
    values = [command.value for command in loop.posted if isinstance(command, SetParameter)]
    assert values == pytest.approx([4.0, 8.0, 8.0 / 2.0**0.2], rel=1e-4)
    assert all(command.name == "wave_speed" for command in loop.posted)


def test_plus_and_minus_change_the_drops(viewer, loop, messages):
    viewer.key("+")
    viewer.pointer.press(LEFT, *pointer_over(viewer, 0.0, 4.0), SIZE)
    viewer.key("-")
    viewer.key("-")
    viewer.pointer.press(LEFT, *pointer_over(viewer, 0.0, 4.0), SIZE)
    larger, smaller = loop.drops()
    assert larger.radius == pytest.approx(1.25**2 * smaller.radius, rel=1e-4)
    assert "drop size" in messages[-1]


def test_a_plus_that_is_typed_with_shift_takes_a_whole_step(viewer):
    viewer.key("+", frozenset({"shift"}))
    assert viewer.interaction.drop_size == pytest.approx(1.25)
    viewer.key("+", frozenset({"ctrl", "shift"}))
    assert viewer.interaction.text_scale == pytest.approx(1.1)
    viewer.key("-", frozenset({"shift"}))
    assert 1.0 < viewer.interaction.drop_size < 1.25


def test_time_and_water_keys(viewer, loop):
    for name in ("space", ".", "r", "t", "page up", "page down"):
        viewer.key(name)
    assert [type(command) for command in loop.posted] == [
        Pause,
        StepOnce,
        Reset,
        ReplaceWater,
        RaiseWaterLevel,
        RaiseWaterLevel,
    ]
    assert loop.posted[4].by == -loop.posted[5].by > 0.0
    assert loop.posted[0].on is None  # whatever the loop has made of the last press


def test_l_lets_drops_fall_on_the_water_here_and_there(viewer, loop, messages):
    loop.frame = replace(loop.frame, params=MODELS["wave-equation"].Params())
    viewer.update()
    for _ in range(20):
        viewer.key("l")
    places, grid = {(drop.x, drop.z) for drop in loop.drops()}, loop.frame.grid
    assert len(places) > 15 and not messages
    for x, z in places:
        ix, iz = grid.nearest(x, z)
        assert not loop.frame.fixed[iz, ix]


def test_where_nothing_disturbs_the_water_l_says_so(viewer, loop, messages):
    loop.frame = replace(loop.frame, params=MODELS["ocean"].Params())
    viewer.update()
    viewer.key("l")
    assert not loop.posted
    assert messages == ["no water here that a drop disturbs"]


@pytest.mark.parametrize("asked_for", [False, True])
@pytest.mark.parametrize("paused", [False, True])
def test_a_click_lets_paused_water_go_on_if_that_is_asked_for(viewer, loop, asked_for, paused):
    loop.paused = paused
    viewer.change("interaction", "click_starts", asked_for)
    viewer.pointer.press(LEFT, *pointer_over(viewer, 3.0, 4.0), SIZE)
    viewer.pointer.release()
    assert len(loop.drops()) == 1
    assert (Pause(False) in loop.posted) == (asked_for and paused)


def test_a_level_is_reported_once_it_is_seen_and_not_when_other_water_brings_it(viewer, loop, messages):
    viewer.key("page up")
    assert messages == []
    frame = loop.frame
    loop.frame = frame.changed(grid=frame.grid.with_level(0.25))
    viewer.update()
    viewer.update()
    assert messages == ["water level 0.25 m"]
    viewer.key("t")
    loop.goes_on(make_frame(bed=frame.bed.copy(), params=TunedParams()))
    viewer.update()
    assert messages[1:] == ["another coast"]


def test_window_keys_are_passed_on_and_toggles_do_not_repeat(viewer, performed):
    for name in ("f11", "f12", "h", "esc"):
        viewer.key(name)
        viewer.key(name, repeated=True)
    assert performed == ["fullscreen", "screenshot", "help", "close"]
    viewer.key("w")
    assert viewer.view.wireframe
    viewer.key("home")


@pytest.mark.parametrize("key", ["f", "home"])
def test_a_scene_that_was_lost_is_framed_again(viewer, key):
    first = viewer.camera.target, viewer.camera.distance, viewer.camera.azimuth, viewer.camera.elevation
    for _ in range(40):
        viewer.pointer.scroll(-1.0, 3.0, 3.0, SIZE)
    viewer.camera.pan(5000.0, 5000.0, SIZE)
    assert viewer.camera.distance != first[1]
    viewer.key(key)
    assert (viewer.camera.target, viewer.camera.distance, viewer.camera.azimuth, viewer.camera.elevation) == first


def test_no_key_is_declared_twice(viewer):
    keys = [key for action in ACTIONS for key in action.keys]
    for params in (viewer.params, viewer.view, viewer.interaction):
        keys += [key for entry in declarations(type(params)) for key in entry.keys or ()]
    assert [key for key, count in Counter(keys).items() if count > 1] == []


def test_another_terrain_is_looked_at_as_a_whole_and_brings_its_parameters(viewer, loop):
    viewer.key("up")
    viewer.key("t")
    loop.goes_on(make_frame((21, 21), 4.0, params=TunedParams(wave_speed=7.0)))
    viewer.update()
    assert viewer.params.wave_speed == 7.0
    assert viewer.camera.bounds.extent == pytest.approx(80.0, rel=0.2)


def test_the_names_are_those_of_what_is_shown_until_the_scene_that_was_asked_for_is_there(loop, messages, performed):
    basin = resolve("basin")
    loop.frame = make_frame()
    scenes = Navigator(Scene(basin.load(), SceneParams(grid=32)), [basin])
    viewer = Viewer(loop, ViewParams(), scenes, messages.append, performed.append)
    assert viewer.names() == ["wave-equation"]
    viewer.change("scene", "model", "dual-buffer")
    viewer.update()
    assert viewer.names() == ["wave-equation"]
    loop.goes_on(make_frame())
    viewer.update()
    assert viewer.names() == ["dual-buffer"]


def test_another_terrain_is_looked_at_though_another_model_outdates_it_before_it_is_made(viewer, loop):
    viewer.key("t")
    viewer.key("tab")
    del loop.posted[0]
    loop.goes_on(make_frame((21, 21), 4.0, params=TunedParams()))
    viewer.update()
    assert viewer.camera.bounds.extent == pytest.approx(80.0, rel=0.2)


def test_a_painted_wall_moves_no_camera(viewer, loop):
    camera = viewer.camera
    loop.frame = make_frame(params=TunedParams())
    viewer.update()
    assert viewer.camera is camera


def test_another_model_keeps_camera_and_level(viewer, loop, messages):
    viewer.key("tab")
    assert messages == ["another model"]
    assert loop.posted[-1].keep_level
    camera = viewer.camera
    loop.goes_on(make_frame(bed=loop.frame.bed.copy(), params=TunedParams(wave_speed=9.0)))
    viewer.update()
    assert viewer.camera is camera
    assert viewer.params.wave_speed == 9.0


def test_weather_and_body_keys_ask_the_water(viewer, loop, messages):
    for name in ("u", "k", "n", "b", "g", "v", "backspace"):
        viewer.key(name)
    kinds = [type(command) for command in loop.posted]
    assert kinds == [SetRain, SetBodyDensity, AddBody, Gust, ShowNextField, RemoveBodies]
    assert loop.posted[0].rate == 5.0
    assert loop.posted[2].kind == "box"
    assert loop.posted[2].density == pytest.approx(625.0)
    viewer.key("n", {"shift"})
    assert "sphere" in messages[-1]


@pytest.mark.parametrize("azimuth", [0.3, 2.0])
def test_a_gust_blows_away_from_the_viewer_over_the_place_of_the_pointer(viewer, loop, azimuth):
    viewer.camera.azimuth = azimuth
    viewer.pointer.move(*pointer_over(viewer, 1.0, 4.0), SIZE)
    viewer.key("g")
    (gust,) = loop.posted
    ahead = -viewer.camera.backward[[0, 2]]
    assert np.array((gust.dx, gust.dz)) / np.hypot(gust.dx, gust.dz) == pytest.approx(ahead / np.linalg.norm(ahead))
    assert (gust.x + 0.5 * gust.dx, gust.z + 0.5 * gust.dz) == pytest.approx((1.0, 4.0), abs=1e-6)


def test_alt_right_drag_moves_the_sun_and_nothing_else(viewer, loop):
    azimuth, view = viewer.camera.azimuth, viewer.view
    viewer.pointer.press(RIGHT, 300.0, 200.0, SIZE, {"alt"})
    viewer.pointer.drag(310.0, 180.0, 10.0, -20.0, SIZE)
    assert viewer.view.sun_elevation > view.sun_elevation and viewer.view.sun_azimuth < view.sun_azimuth
    assert viewer.camera.azimuth == azimuth
    viewer.pointer.drag(310.0, 5000.0, 1e5, 4820.0, SIZE)
    assert viewer.view.sun_elevation == 2.0 and 0.0 <= viewer.view.sun_azimuth < 360.0
    assert loop.posted == []


def test_alt_click_sets_a_probe_and_beside_the_water_takes_it_away(viewer, loop):
    viewer.pointer.press(LEFT, *pointer_over(viewer, 3.0, 4.0), SIZE, {"alt"})
    viewer.update()
    assert (viewer.probe.x, viewer.probe.z) == pytest.approx((3.0, 4.0), abs=1e-5)
    assert list(viewer.probe.heights) == [0.0]
    viewer.pointer.press(LEFT, 1.0, 1.0, SIZE, {"alt"})
    assert viewer.probe is None
    assert loop.posted == []


def test_a_body_under_the_pointer_is_grabbed_dragged_and_let_go(viewer, loop):
    corners = np.array([[-1, 0, -1], [1, 0, -1], [0, 0, 2], [0, 2, 0]], np.float32)
    triangles = np.array([(0, 1, 2), (0, 1, 3), (1, 2, 3), (2, 0, 3)], np.uint32)
    mesh = Mesh(corners, corners, triangles, np.zeros((4, 3), np.uint8))
    body = BodyState(7, "box", mesh, np.array([3.0, 0.0, 4.0]), np.eye(3), np.ones(3), 500.0)
    loop.frame = make_frame(params=TunedParams(), bodies=(body,))
    viewer.update()
    px, py, _ = viewer.camera.project((3.0, 0.7, 4.0), SIZE)
    viewer.pointer.press(LEFT, px, py, SIZE)
    viewer.pointer.drag(px + 30.0, py - 20.0, 30.0, -20.0, SIZE)
    viewer.pointer.release()
    grab, drag, let_go = loop.posted
    assert grab.number == 7
    assert drag.point[1] > grab.point[1]
    assert isinstance(let_go, ReleaseBody)


def test_m_begins_the_course_of_a_body_and_ends_it(viewer, loop, messages):
    viewer.key("m")
    assert loop.posted == [] and "add one with B" in messages[-1]
    mesh = Mesh(*np.zeros((2, 3, 3), np.float32), np.array([(0, 1, 2)], np.uint32), np.zeros((3, 3), np.uint8))
    boats = [
        BodyState(number, "boat", mesh, np.array([3.0, 0.0, 4.0]), np.eye(3), np.full(3, 2.5), 500.0)
        for number in (4, 7)
    ]
    loop.frame = make_frame(params=TunedParams(), bodies=tuple(boats))
    viewer.update()
    viewer.key("m")
    ahead = -viewer.camera.backward
    assert loop.posted[-1].number == 7, "the last one"
    assert loop.posted[-1].heading == pytest.approx(np.degrees(np.arctan2(ahead[0], -ahead[2])) % 360.0)
    assert loop.posted[-1].speed == pytest.approx(0.4 * np.sqrt(9.81 * 2.5))
    viewer.pointer.move(*pointer_over(viewer, 5.0, 4.0), SIZE)
    viewer.key("m")
    assert loop.posted[-1].heading == pytest.approx(90.0, abs=0.1), "towards the pointer"
    loop.goes_on(make_frame(params=TunedParams(), bodies=(boats[0], replace(boats[1], course=(90.0, 2.0)))))
    viewer.update()
    viewer.key("m")
    assert (loop.posted[-1].number, loop.posted[-1].heading) == (7, None)
    assert messages[-1] == "boat 7 is adrift"


def test_d_lets_the_camera_under_water_and_back_up(viewer, loop):
    viewer.key("d")
    viewer.pointer.press(RIGHT, 300.0, 200.0, SIZE)
    viewer.camera.target = (0.0, -1.0, 5.0)
    viewer.camera.distance = 3.0
    viewer.pointer.drag(300.0, -200.0, 0.0, -400.0, SIZE)
    assert viewer.camera.eye[1] < viewer.frame.grid.level
    viewer.key("d")
    assert viewer.camera.eye[1] > viewer.frame.grid.level
    assert loop.posted == []


def test_c_shows_the_row_under_the_pointer_and_then_that_of_the_probe(viewer, loop):
    assert viewer.row is None
    viewer.key("c")
    viewer.update()
    assert not loop.frame.fixed[viewer.row.row].all()
    x, z = 3.0, float(loop.frame.grid.z[25])
    px, py, _ = viewer.camera.project((x, 0.0, z), SIZE)
    viewer.pointer.move(px, py, SIZE)
    viewer.update()
    assert viewer.row.row == 25
    px, py, _ = viewer.camera.project((x, 0.0, float(loop.frame.grid.z[30])), SIZE)
    viewer.pointer.press(LEFT, px, py, SIZE, {"alt"})
    viewer.pointer.release()
    viewer.pointer.move(1.0, 1.0, SIZE)
    viewer.update()
    assert viewer.row.row == 30
    viewer.key("c")
    assert viewer.row is None


def test_alt_and_an_arrow_change_the_border_on_that_side(viewer, loop, messages):
    viewer.key("up", {"alt"})
    assert messages[-1] == "this water goes on beyond its edges: it has no borders to choose"
    assert not loop.posted
    viewer.params = MODELS["height-field"].Params()
    viewer.key("up", {"alt"})
    (posted,) = loop.posted
    assert posted.name == "border"
    assert kinds_of(viewer.params.border)["north"] != "reflecting"
    assert kinds_of(viewer.params.border)["south"] in {"reflecting", "wrapping"}
    assert messages[-1].startswith("border in the north: ")


def test_parameters_of_bodies_and_detail_are_asked_of_the_tank_and_come_with_another_scene(loop, messages):
    loop.frame = loop.frame.changed(world_params={"bodies": BodyParams(drag=2.0), "detail": DetailParams()})
    viewer = Viewer(loop, ViewParams(), FakeScenes(), messages.append, messages.append)
    assert viewer.world_params["bodies"].drag == 2.0
    viewer.change("bodies", "drag", 3.0)
    viewer.change("detail", "wind_speed", 12.0)
    assert loop.posted == [SetParameter("bodies_drag", 3.0), SetParameter("detail_wind_speed", 12.0)]
    viewer.update()  # an older frame does not take back what was asked for
    assert (viewer.world_params["bodies"].drag, viewer.world_params["detail"].wind_speed) == (3.0, 12.0)
    viewer.key("t")
    loop.goes_on(
        make_frame(bed=np.full((41, 61), -1.0), params=TunedParams(), world_params={"bodies": BodyParams(drag=1.5)})
    )
    viewer.update()
    assert viewer.world_params == {"bodies": BodyParams(drag=1.5)}


def test_ctrl_g_adds_a_gauge_under_the_pointer_and_takes_it_away_again(viewer, loop, messages):
    viewer.key("g", {"ctrl"})
    assert loop.posted == [] and "no water under the pointer" in messages[-1]
    px, py = pointer_over(viewer, 1.0, 2.0)
    viewer.pointer.move(px, py, SIZE)
    viewer.key("g", {"ctrl"})
    (added,) = loop.posted
    assert (added.name, added.x, added.z) == ("G1", pytest.approx(1.0, abs=0.02), pytest.approx(2.0, abs=0.02))
    assert "G1" in messages[-1]
    numbers = np.zeros((4, 1), np.float32)
    loop.frame = loop.frame.changed(gauges=(GaugeSeries("G1", added.x, added.z, np.zeros(1), *numbers),))
    viewer.update()
    viewer.key("g", {"ctrl"})
    assert loop.posted[-1] == RemoveGauge("G1")
    viewer.pointer.move(*pointer_over(viewer, -3.0, 2.0), SIZE)
    viewer.key("g", {"ctrl"})
    assert loop.posted[-1].name == "G2"


def test_measurements_are_laid_over_a_gauge_or_the_user_is_told(viewer, loop, messages, tmp_path):
    (tmp_path / "a.csv").write_text("0,1\n1,2\n")
    viewer.lay_over("G1", tmp_path / "a.csv")
    assert loop.posted == [SetMeasured("G1", (0.0, 1.0), (1.0, 2.0))]
    viewer.lay_over("G1", tmp_path / "b.csv")
    assert len(loop.posted) == 1 and "cannot read the series" in messages[-1]


def test_longitude_and_latitude_under_the_pointer_are_told_where_they_are_known(viewer, loop):
    viewer.pointer.move(*pointer_over(viewer, 4.0, 2.0), SIZE)
    viewer.update()
    assert viewer.pointed == ""
    loop.frame = viewer.frame.changed(place=Georeference("EPSG:4326", 15.0, -54.0, 0.001, 0.001))
    viewer.update()
    assert viewer.pointed == "54.00200° S 15.00400° E"
    loop.frame = viewer.frame.changed(place=Georeference('LOCAL_CS["site",UNIT["metre",1]]', 0.0, 0.0, 1.0, 1.0))
    viewer.update()
    assert viewer.pointed == ""


def test_a_request_beyond_what_the_solver_can_do_stops_there_and_comes_back_from_there(viewer, loop, messages):
    loop.goes_on(replace(viewer.frame, effective={"wave_speed": 1.5}))
    viewer.update()
    assert viewer.params.wave_speed > 1.5
    viewer.key("up")
    assert viewer.params.wave_speed == 1.5
    assert "1.5" in messages[-1] and "the most that this grid and step allow" in messages[-1]
    viewer.change("params", "wave_speed", 9.0)
    loop.goes_on(replace(viewer.frame, params=viewer.params, effective={"wave_speed": 1.5}))
    viewer.update()
    viewer.key("down")
    assert viewer.params.wave_speed < 1.5


def test_a_key_at_the_end_of_a_range_says_so(viewer, messages):
    viewer.change("view", "exposure", 6.0)
    viewer.key("p")
    assert viewer.view.exposure == 6.0 and "exposure 6 EV is the highest that is allowed" in messages


def test_brackets_slow_time_down_and_speed_it_up(viewer, loop):
    viewer.key("[")
    viewer.key("[")
    viewer.update()
    assert loop.time_scale == viewer.interaction.time_scale == 0.25
    for _ in range(3):
        viewer.key("]")
    viewer.update()
    assert loop.time_scale == 2.0


def test_dive_puts_the_eye_under_the_surface_near_what_is_looked_at_and_back(viewer, messages):
    before, target = viewer.camera.eye, viewer.camera.target
    viewer.key("d")
    eye, grid = viewer.camera.eye, viewer.frame.grid
    assert viewer.camera.dive and -2.0 < eye[1] < 0.0, "between the ground and the surface"
    assert math.dist((eye[0], eye[2]), (target[0], target[2])) < 0.5 * max(grid.size)
    assert "under water" in messages[-1]
    depths = [-viewer.camera.eye[1]]
    for key in ("shift", "shift", "alt"):
        viewer.key("d", {key})
        depths.append(-viewer.camera.eye[1])
    assert depths[0] < depths[1] < depths[2] > depths[3]
    for _ in range(20):
        viewer.key("d", {"shift"})
    assert -2.0 < viewer.camera.eye[1] < -1.5, "never into the ground"
    viewer.key("d")
    assert not viewer.camera.dive and viewer.camera.eye == pytest.approx(before)


def test_where_water_is_shallow_in_the_middle_the_eye_dives_into_the_nearest_that_is_deep(viewer, loop, messages):
    grid = viewer.frame.grid
    bed = np.full(grid.shape, -0.01, np.float32)
    bed[2:5, 3:6], bed[-2:, -2:] = -1.0, -1.0
    loop.goes_on(make_frame(bed=bed, params=viewer.params))
    viewer.update()
    x, _, z = viewer.camera.target
    viewer.key("d")
    eye = viewer.camera.eye
    assert viewer.camera.dive and -1.0 < eye[1] < 0.0 and "under water" in messages[-1]
    deep = [(grid.x[column], grid.z[row]) for row, column in np.argwhere(bed == -1.0)]
    assert math.dist((eye[0], eye[2]), (x, z)) == pytest.approx(min(math.dist(place, (x, z)) for place in deep))


def test_where_there_is_no_water_dive_says_so(viewer, loop, messages):
    bed = np.full(viewer.frame.grid.shape, 5.0, np.float32)
    loop.goes_on(make_frame(bed=bed, params=viewer.params))
    viewer.update()
    viewer.key("d")
    assert not viewer.camera.dive and "there is no water deep enough" in messages[-1]
    viewer.key("d", {"shift"})
    assert "dive first" in messages[-1]


class TestTurning:
    def turned(self, viewer, button):
        px, py = pointer_over(viewer, 3.0, 4.0)
        camera = replace(viewer.camera)
        viewer.pointer.press(button, px, py, SIZE)
        viewer.pointer.drag(px + 30.0, py + 5.0, 30.0, 5.0, SIZE)
        viewer.pointer.release()
        return camera, viewer.camera

    def test_the_middle_of_the_view_stays_at_first(self, viewer):
        before, after = self.turned(viewer, RIGHT)
        assert after.target == before.target and after.azimuth != before.azimuth

    def test_the_point_under_the_pointer_stays_if_that_is_chosen(self, viewer):
        viewer.change("interaction", "pivot", "pointer")
        px, py = pointer_over(viewer, 3.0, 4.0)
        before, after = self.turned(viewer, RIGHT)
        assert after.azimuth != before.azimuth
        assert pointer_over(viewer, 3.0, 4.0) == pytest.approx((px, py), abs=0.5)

    def test_the_middle_of_the_scene_stays_if_that_is_chosen(self, viewer):
        viewer.change("interaction", "pivot", "scene")
        viewer.camera.pan(60.0, 10.0, SIZE)
        middle = tuple(map(float, viewer.camera.bounds.middle))
        place = viewer.camera.project(middle, SIZE)
        self.turned(viewer, RIGHT)
        np.testing.assert_allclose(viewer.camera.project(middle, SIZE)[:2], place[:2], atol=0.5)

    def test_the_left_button_turns_the_view_if_that_is_chosen_and_a_click_is_a_drop(self, viewer, loop):
        viewer.change("interaction", "left_drag", "turn")
        before, after = self.turned(viewer, LEFT)
        assert after.azimuth != before.azimuth
        assert not loop.drops()
        px, py = pointer_over(viewer, 3.0, 4.0)
        viewer.pointer.press(LEFT, px, py, SIZE)
        assert not loop.drops(), "it may become a drag"
        viewer.pointer.release()
        (drop,) = loop.drops()
        assert (drop.x, drop.z) == pytest.approx((3.0, 4.0), abs=0.3)

    def test_two_fingers_move_the_view_with_shift_and_turn_it_with_alt(self, viewer):
        before = replace(viewer.camera)
        viewer.pointer.scroll(0.5, 320.0, 180.0, SIZE, 1.0, {"alt"})
        assert viewer.camera.azimuth != before.azimuth and viewer.camera.distance == before.distance
        before = replace(viewer.camera)
        viewer.pointer.scroll(0.5, 320.0, 180.0, SIZE, 1.0, {"shift"})
        assert viewer.camera.target != before.target and viewer.camera.azimuth == before.azimuth
        viewer.pointer.scroll(0.0, 320.0, 180.0, SIZE, 1.0)
        assert viewer.camera.distance == before.distance
