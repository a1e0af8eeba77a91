"""The card's water against the processor's, and what goes between them."""

import numpy as np
import pytest
from support.loops import FakeLoop
from support.thinned import thinned
from support.transfers import counted
from support.viewers import SIZE, FakeScenes
from support.waters import Ground

from waterview.core.commands import (
    AddBody,
    Drop,
    Gust,
    PaintWall,
    RaiseWaterLevel,
    Reset,
    SetHeight,
    SetParameter,
)
from waterview.core.diagnostics import FieldMap
from waterview.core.errors import InputError, ParameterError
from waterview.gpu.water import GpuWaveWater
from waterview.render.camera.camera import OrbitCamera
from waterview.render.gl.gpu_frame import GpuFrame, height_near, highest
from waterview.render.renderer import Renderer
from waterview.render.settings import ViewParams
from waterview.sim.world import World
from waterview.ui.pointer import RIGHT
from waterview.ui.viewer import Viewer
from waterview.waters.common.borders import BORDER_KINDS
from waterview.waters.eddies.detail import Detail
from waterview.waters.wave.step import STENCILS
from waterview.waters.wave.wave_equation import WaveEquationWater

PLACE = (20.0, 15.0, 81, (-10.0, 0.0, -7.5))
ON_GPU = [kind.name for kind in BORDER_KINDS.values() if kind.on_gpu]
NOT_ON_GPU = [name for name in BORDER_KINDS if name not in ON_GPU]
BORDERS = (*ON_GPU, "reflecting,north=zero", "zero,east=wrapping,west=wrapping")


ISLANDS = Ground(lambda x, z: np.sin(0.9 * x) * np.cos(1.1 * z) + 0.6 * np.sin(2.3 * x + z) - 0.5)
"""Ragged land: a third of the points."""


@pytest.fixture
def make(ctx):
    """Make the same water on the card and in memory."""
    made = []

    def make(**parameters):
        parameters = {"wave_speed": 4.0, "damping": 0.1, **parameters}
        made.append(GpuWaveWater(ctx, *PLACE, **parameters))
        return made[-1], WaveEquationWater(*PLACE, **parameters)

    yield make
    ctx.rest.use()
    for water in made:
        water.release()


def assert_alike(card, memory, atol=1e-5):
    np.testing.assert_allclose(card.height, memory.height, atol=atol)
    np.testing.assert_allclose(card.publish(1).normals, memory.publish(1).normals, atol=1e-3)
    assert card.time == memory.time
    assert card.effective == memory.effective


def test_it_starts_from_a_given_surface_and_flow_as_the_processors_water(make):
    waters = make(border="reflecting")
    for water in waters:
        water.set_height_map(ISLANDS)
        water.disturb(Drop(1.0, 2.0, height=0.5, radius=1.5))
        water.advance(20)
        hump = 0.2 * np.exp(-0.2 * (water.grid.x**2 + water.grid.z[:, None] ** 2))
        water.set_state(hump, np.array([4.0 * hump, -2.0 * hump]))
        water.advance(40)
    assert np.abs(waters[1].height).max() > 0.02
    assert_alike(*waters)


@pytest.mark.parametrize(("border", "shoreline", "stencil"), thinned(BORDERS, ("no-flux", "zero"), STENCILS, rounds=1))
def test_it_is_the_processors_water(make, stencil, shoreline, border):
    waters = make(stencil=stencil, shoreline=shoreline, border=border, keep_volume=False)
    for water in waters:
        water.set_height_map(ISLANDS)
        assert 0.2 < water.fixed.mean() < 0.5
        water.disturb(Drop(1.0, 2.0, height=0.5, radius=1.5))
        water.advance(150)
        water.set_height(40, 40, 0.3)
        water.disturb(Drop(-8.0, -6.0, height=-0.5, radius=1.0))
        water.advance(250)
    assert np.abs(waters[1].height).max() > 0.05
    assert_alike(*waters)


def test_changes_between_steps_are_those_of_the_processor(make):
    waters = make(border="reflecting", wave_speed=9.0, keep_volume=False)
    for water in waters:
        water.disturb(Drop(1.0, 2.0, height=0.5, radius=1.5))
        water.advance(30)
        water.set_height_map(ISLANDS)
        water.advance(30)
        water.set_parameter("wave_speed", 3.0)
        water.set_parameter("border", "zero")
        water.advance(30)
        water.paint_wall(0.0, 0.0, 1.0)
        water.blow(Gust(-4.0, 0.0, 6.0, 0.0, strength=0.1, width=3.0))
        water.set_water_level(0.1)
        water.advance(30)
    assert_alike(*waters)
    for name, view in waters[1].field_maps().items():
        assert isinstance(view, FieldMap)
        np.testing.assert_allclose(waters[0].field_maps()[name].values, view.values, rtol=1e-3, atol=2e-3)
    waters[0].reset()
    waters[0].advance(3)
    assert not np.any(waters[0].height)


def test_nothing_is_read_back_by_steps_drops_and_frames(make, monkeypatch):
    card, _ = make()
    card.advance(1)

    def refuse(self):
        raise AssertionError("read back")

    for name in ("read", "read_heights", "read_slopes"):
        monkeypatch.setattr(f"waterview.gpu.wave.GpuWave.{name}", refuse)
    world = World(card, rain=50.0)
    for number in range(5):
        card.set_height(3, 4, 0.1)
        card.disturb(Drop(1.0, 2.0, height=0.5, radius=1.5))
        world.step()
        assert isinstance(world.publish(number), GpuFrame)
    with pytest.raises(AssertionError, match="read back"):
        assert world.publish(9).heights.any()


def test_a_frame_reads_heights_and_slopes_when_asked_and_once(make):
    card, memory = make()
    for water in (card, memory):
        water.disturb(Drop(0.0, 0.0, height=0.5, radius=1.5))
        water.advance(5)
    frame, wanted = card.publish(7), memory.publish(7)
    np.testing.assert_allclose(frame.heights, wanted.heights, atol=1e-6)
    assert frame.heights is frame.heights
    assert frame.normals.shape == (*card.grid.shape, 2)
    assert (frame.serial, frame.bed is card.bed, frame.params) == (7, True, card.params)
    with pytest.raises(AttributeError, match="depths"):
        frame.depths  # noqa: B018


def test_a_saved_state_goes_on_in_memory(make):
    card, memory = make()
    card.disturb(Drop(0.0, 0.0, height=0.5, radius=1.5))
    card.advance(20)
    memory.load_state(card.state())
    for water in (card, memory):
        water.advance(20)
    assert_alike(card, memory)


@pytest.mark.slow
def test_a_closed_basin_keeps_its_volume_to_rounding(make):
    card, _ = make(border="reflecting", damping=0.0)
    card.disturb(Drop(3.0, 2.0, height=0.5, radius=1.5))
    before = card.height.mean(dtype=np.float64)
    card.advance(4000)
    assert card.height.mean(dtype=np.float64) == pytest.approx(before, abs=1e-4)
    assert np.abs(card.height).max() > 0.02


def test_a_closed_basin_does_not_rise_for_ever_where_a_point_in_motion_is_held(make):
    card, _ = make(border="reflecting", damping=0.0)
    card.disturb(Drop(3.0, 2.0, height=0.5, radius=1.5))
    card.advance(20)
    card.set_height(50, 40, 0.5)
    card.advance(12)
    motion = [level.mean(dtype=np.float64) for level in card.time_levels]
    assert motion[0] == pytest.approx(motion[1], abs=1e-8)


def test_the_volume_that_is_kept_is_measured_anew_after_each_change(make):
    """The level of before was kept: water that was added vanished, and motion that was cut off let the water rise."""
    card, memory = waters = make(border="reflecting", damping=0.0)
    for water in waters:
        water.disturb(Drop(3.0, 2.0, height=0.5, radius=1.5))
        water.advance(20)
        water.set_height(50, 40, 0.5)
        water.advance(20)
        water.disturb(Drop(-3.0, 1.0, height=0.4, radius=2.0, neutral=False))
        water.set_height(52, 50, 0.5)
        water.advance(12)
    motion = [level.mean(dtype=np.float64) for level in card.time_levels]
    assert motion[0] == pytest.approx(motion[1], abs=1e-8)
    for water in waters:
        water.advance(64)
    assert card.height.mean(dtype=np.float64) == pytest.approx(memory.height.mean(dtype=np.float64), abs=1e-7)
    assert memory.height.mean() > 1e-3


def test_what_it_cannot_do_is_said_in_a_line(make):
    for border in (*NOT_ON_GPU, "reflecting,north=open"):
        with pytest.raises(ParameterError, match=r"^[^\n]*--solver cpu$"):
            make(border=border)
    card, _ = make()
    with pytest.raises(ParameterError, match=r"^[^\n]*--solver cpu$"):
        card.set_parameter("border", "open")
    assert card.params.border == "zero"
    with pytest.raises(InputError, match=r"no floating bodies: start with --solver cpu$"):
        World(card).apply(AddBody("sphere", 500.0, 0.0, 0.0))
    with pytest.raises(InputError, match=r"no fine detail: start with --solver cpu$"):
        World(card, detail=Detail(size=1.0, seed=0))


def test_a_grid_larger_than_the_cards_textures_is_refused(ctx):
    limit = ctx.info["GL_MAX_TEXTURE_SIZE"]
    with pytest.raises(InputError, match="--grid"):
        GpuWaveWater(ctx, 1000.0, 1.0, limit + 1)


@pytest.mark.slow
@pytest.mark.parametrize(
    "command",
    [
        Drop(-2.0, 1.0, height=0.3, radius=1.0),
        Drop(-2.0, 1.0, height=0.3, radius=1.0, neutral=False),
        SetHeight(30, 20, 0.4),
        PaintWall(-1.0, 0.0, 0.4, start=(2.0, 4.0)),
        Gust(-4.0, 0.0, 6.0, 0.0, strength=0.05, width=3.0),
        RaiseWaterLevel(0.2),
        SetParameter("wave_speed", 2.0),
        SetParameter("border", "zero,east=reflecting"),
        SetParameter("shoreline", "zero"),
        SetParameter("keep_volume", False),
        Reset(),
    ],
    ids=lambda command: type(command).__name__,
)
def test_every_command_in_moving_water_leaves_what_it_leaves_in_memory(make, command):
    waters = make(border="reflecting", damping=0.0)
    for water in waters:
        world = World(water)
        world.apply(Drop(3.0, 2.0, height=0.5, radius=1.5))
        world.advance(45)
        world.apply(command)
        world.advance(600)
    assert_alike(*waters, atol=1e-3)
    levels = [water.height.mean(dtype=np.float64) for water in waters]
    assert levels[0] == pytest.approx(levels[1], abs=1e-4)


@pytest.mark.slow
def test_nothing_is_read_back_to_orbit_zoom_and_draw(make, ctx, monkeypatch):
    """Only the highest points of blocks come back, with every frame, long after the card has found them."""
    card, _ = make(border="reflecting")
    card.advance(1)
    loop = FakeLoop(card.publish(0))
    viewer = Viewer(loop, ViewParams(quality="low"), FakeScenes(), print, print)
    renderer, target = Renderer(ctx, viewer.view), ctx.simple_framebuffer(SIZE)
    with counted(monkeypatch) as transfers:
        for number in range(1, 4):
            card.disturb(Drop(1.0, 2.0, height=0.5, radius=1.5))
            card.advance(3)
            loop.frame = card.publish(number)
            viewer.update()
            assert transfers.downloaded <= 4 * 32**2
            transfers.clear()
            viewer.pointer.press(RIGHT, 300.0, 200.0, SIZE)
            viewer.pointer.drag(280.0, 190.0, -20.0, -10.0, SIZE)
            viewer.pointer.release()
            viewer.pointer.scroll(1.0, 300.0, 200.0, SIZE)
            viewer.camera.dive = number > 1
            renderer.render(viewer.frame, viewer.camera, SIZE, target)
            assert transfers.downloaded == 0
            transfers.clear()
        assert viewer.frame.heights.any() and transfers.downloaded == 4 * 81 * 61
    ctx.rest.use()
    renderer.release()
    target.release()


def test_the_eye_stays_above_waves_that_are_on_the_card(make):
    card, memory = make(border="reflecting")
    for water in (card, memory):
        water.disturb(Drop(5.0, 4.0, height=2.0, radius=1.5))
        water.advance(3)
    frame = memory.publish(0)
    for number in range(3):
        seen = card.publish(number)
    assert highest(seen) == pytest.approx(frame.heights.max(), abs=1e-5)
    place = np.random.default_rng(2).uniform((-10.0, -7.5), (10.0, 7.5), (200, 2))
    near = np.array([height_near(seen, x, z) for x, z in place])
    at = np.array([frame.grid.sample(frame.heights, x, z) for x, z in place])
    assert (near >= at - 1e-5).all() and (near < 0.5 * near.max()).mean() > 0.8
    camera = OrbitCamera.framing(seen)
    camera.target, camera.distance, camera.elevation = (5.0, 0.0, 4.0), 0.5, 0.01
    camera.keep_above(seen)
    assert camera.eye[1] > frame.grid.sample(frame.heights, *camera.eye[[0, 2]])
