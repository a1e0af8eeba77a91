"""Only tiles that have moved go to the card, and none is ever forgotten."""

import contextlib

import moderngl
import numpy as np
import pytest
from support.scenes import make_frame
from support.transfers import counted
from support.waters import Ground

from waterview.core.commands import (
    BeginChange,
    Drop,
    PaintWall,
    RaiseWaterLevel,
    RedoChange,
    Reset,
    SetHeight,
    SetParameter,
    UndoChange,
)
from waterview.core.errors import InputError
from waterview.render.camera.camera import OrbitCamera
from waterview.render.gl import uploads
from waterview.render.renderer import Renderer
from waterview.render.settings import ViewParams
from waterview.sim.world import World
from waterview.waters import OceanWater, ShallowWater, WaveEquationWater
from waterview.waters.common.compared_surface import ComparedSurfaces

from .test_surface import surface, upload

__all__ = ["surface", "upload"]


def water(points=513, **parameters):
    return WaveEquationWater(20.0, 20.0, points, (-10.0, 0.0, -10.0), border="reflecting", **parameters)


def assert_uploaded(surface, frame):
    """The textures hold the frame, to the bit."""
    heights = np.frombuffer(surface.heights.read(), np.uint32).reshape(frame.grid.shape)
    slopes = np.frombuffer(surface.slopes.read(), np.uint16).reshape(*frame.grid.shape, 2)
    np.testing.assert_array_equal(heights, frame.heights.view(np.uint32))
    np.testing.assert_array_equal(slopes, frame.normals.view(np.uint16))


def test_still_water_costs_nothing_and_a_drop_what_it_moves(surface, upload, monkeypatch):
    pond = water()
    whole = 8 * pond.grid.shape[0] * pond.grid.shape[1]
    with counted(monkeypatch) as transfers:

        def cost(serial):
            frame = pond.publish(serial)
            transfers.clear()
            upload(frame)
            own = sum(size for place, size in transfers.up if place in (surface.heights, surface.slopes))
            assert_uploaded(surface, frame)
            return own

        assert cost(0) == whole
        pond.advance(80)  # it looks now and then which of the water moves
        cost(1)
        pond.advance(2, shown=True)
        assert cost(2) == 0
        pond.disturb(Drop(4.0, -3.0, height=0.1, radius=0.2))
        costs = [cost(3)]
        for serial in range(4, 10):
            pond.advance(2, shown=True)
            costs.append(cost(serial))
        assert min(costs) > 0 and max(costs) < 0.3 * whole


@pytest.mark.slow
def test_textures_are_the_frame_whatever_happens_between(surface, upload, monkeypatch):
    """Some frames are skipped, as a slow picture does, and some shown again; waters take turns."""
    random = np.random.default_rng(8)
    worlds = [World(water(201, wave_speed=0.5, shoreline=shoreline)) for shoreline in ("zero", "no-flux")]
    for world in worlds:
        world.advance(80)
    commands = (
        *(3 * [lambda x, z: Drop(x, z, height=0.1, radius=0.5)]),
        lambda x, z: PaintWall(x, z, 0.4, start=(x + 1.0, z)),
        lambda x, z: PaintWall(x, z, 0.6, wall=False),
        lambda x, z: SetHeight(int(10.0 * x) + 100, int(10.0 * z) + 100, 0.2),
        lambda x, z: RaiseWaterLevel(0.05),
        lambda x, z: SetParameter("damping", 0.5 * abs(x)),
        lambda x, z: Reset(),
    )
    kept, partly, changes = None, 0, [0, 0]
    with counted(monkeypatch) as transfers:
        for serial in range(300):
            number = int(random.random() < 0.05) ^ (serial // 150)
            world = worlds[number]
            if random.random() < 0.08:
                if changes[number] and random.random() < 0.3:
                    again = random.random() < 0.5
                    with contextlib.suppress(InputError):  # it may have changed nothing
                        world.apply(UndoChange(changes[number]))
                        if again:
                            world.apply(RedoChange(changes[number]))
                else:
                    changes[number] += 1
                    world.apply(BeginChange(changes[number]))
                    world.apply(commands[random.integers(len(commands))](*random.uniform(-9.0, 9.0, 2)))
            world.advance(int(random.integers(0, 9)), publish_next=True)
            frame = world.publish(serial)
            if random.random() < 0.4:
                continue
            transfers.clear()
            upload(frame)
            partly += 0 < sum(size for place, size in transfers.up if place is surface.heights) < 4 * 201**2
            assert_uploaded(surface, frame)
            if kept is not None and random.random() < 0.1:
                upload(kept)
                assert_uploaded(surface, kept)
            kept = frame if random.random() < 0.2 else kept
    assert partly > 15


def test_replaced_heights_are_uploaded_though_nothing_has_moved(surface, upload):
    pond = water(201)
    upload(pond.publish(1))
    higher = pond.publish(2).changed(heights=np.ones(pond.grid.shape, np.float32))
    upload(higher)
    assert_uploaded(surface, higher)
    upload(pond.publish(3))
    assert not np.frombuffer(surface.heights.read(), np.float32).any()


@pytest.mark.parametrize("changes", [True, False])
def test_what_says_nothing_of_changes_is_uploaded_whole(surface, upload, monkeypatch, changes):
    pond = water(201)
    upload(pond.publish(1))
    frame = make_frame((201, 201)) if changes else pond.publish(2).changed(changes=None)
    with counted(monkeypatch) as transfers:
        upload(frame)
        assert transfers.uploaded >= 8 * 201**2


def test_the_counts_of_two_waters_have_nothing_to_do_with_each_other(surface, upload):
    moved, calm = water(201), water(201)
    moved.disturb(Drop(4.0, -3.0, height=0.1, radius=1.0))
    upload(moved.publish(1))
    calm.publish(1)
    upload(calm.publish(2))
    assert not np.frombuffer(surface.heights.read(), np.float32).any()


def cost_of(surface, transfers, upload, frame):
    """Bytes of a frame that go into textures; what they hold then is the frame."""
    transfers.clear()
    upload(frame)
    assert_uploaded(surface, frame)
    return sum(size for place, size in transfers.up if isinstance(place, moderngl.Texture))


@pytest.mark.parametrize("scheme", ["kurganov-petrova", "kass-miller"])
def test_a_coast_costs_what_has_moved_of_its_water(surface, upload, monkeypatch, scheme):
    n, spacing = 289, 1.0
    coast = ShallowWater((n - 1) * spacing, (n - 1) * spacing, n, scheme=scheme, border="open")
    coast.set_height_map(Ground(lambda x, z: 40.0 * (x / (n - 1)) ** 8 - 12.0))
    with counted(monkeypatch) as transfers:
        assert cost_of(surface, transfers, upload, coast.publish(0)) >= 8 * n * n
        for serial in range(1, 3):
            coast.advance(2)
            assert cost_of(surface, transfers, upload, coast.publish(serial)) == 0
        coast.disturb(Drop(60.0, 60.0, height=0.3, radius=12.0))
        costs = []
        for serial in range(3, 8):
            coast.advance(2)
            costs.append(cost_of(surface, transfers, upload, coast.publish(serial)))
        if scheme == "kurganov-petrova":  # the other is implicit: all of its water moves at once
            assert 0 < max(costs) < 0.2 * 8 * n * n


@pytest.mark.slow
def test_a_large_coast_of_which_a_tenth_moves_sends_four_megabytes(surface, upload, monkeypatch):
    shape = 1536, 2048
    frame = make_frame(shape)
    x, z = np.arange(2048.0)[None, :], np.arange(1536.0)[:, None]
    moving = np.hypot(x - 700.0, z - 500.0) < 316.0
    assert np.mean(moving) == pytest.approx(0.1, abs=0.001)
    surfaces = ComparedSurfaces(shape)
    with counted(monkeypatch) as transfers:
        costs = []
        for serial, high in enumerate((0.0, 0.1, 0.2), start=1):
            shown = surfaces.surface(np.float32(high) * moving, np.zeros((*shape, 2), np.float16))
            moved = frame.changed(serial=serial, heights=shown.heights, normals=shown.normals, changes=shown.changes)
            costs.append(cost_of(surface, transfers, upload, moved))
        assert costs[0] >= 25e6 and 0 < costs[1] == costs[2] <= 4e6


def test_an_ocean_sends_thirteen_bytes_a_point(surface, upload, monkeypatch):
    sea = OceanWater(400.0, 400.0, 128, wind_speed=20.0)
    upload(sea.publish(0))
    with counted(monkeypatch) as transfers:
        for serial in range(1, 4):
            sea.advance(2)
            cost = cost_of(surface, transfers, upload, sea.publish(serial))
            assert cost / 128**2 * 2048**2 <= 55e6


@pytest.mark.slow
def test_a_picture_of_an_ocean_sends_little_more_than_its_surface(ctx, monkeypatch):
    """With the sea around it and the patches of its mesh; what a finer grid adds is 13 bytes a point."""
    sea, target = OceanWater(400.0, 400.0, 128, wind_speed=20.0), ctx.simple_framebuffer((96, 54))
    renderer = Renderer(ctx, ViewParams(quality="low", look="natural"))
    with counted(monkeypatch) as transfers:
        for serial in range(3):
            sea.advance(2)
            frame = sea.publish(serial)
            transfers.clear()
            renderer.render(frame, OrbitCamera.framing(frame), (96, 54), target)
        assert any(isinstance(place, moderngl.TextureArray) for place, _ in transfers.up)
        assert 13 * (2048**2 - 128**2) + transfers.uploaded <= 55e6
        assert transfers.downloaded == 0
    ctx.rest.use()
    renderer.release()
    target.release()


def test_on_a_card_arrays_go_through_a_ring_of_three_buffers(ctx, monkeypatch):
    monkeypatch.setattr(uploads, "is_software", lambda ctx: False)
    used = []
    texture = ctx.texture((256, 128), 1, dtype="f4")
    write = type(texture).write
    monkeypatch.setattr(
        type(texture), "write", lambda self, data, **more: (used.append(data), write(self, data, **more))
    )
    sent = uploads.Uploads(ctx)
    values = np.arange(256.0 * 128.0, dtype=np.float32).reshape(128, 256)
    whole = slice(0, 128), slice(0, 256)
    with counted(monkeypatch) as transfers:
        for number in range(5):
            sent.write(texture, values + number, whole)
            np.testing.assert_array_equal(np.frombuffer(texture.read(), np.float32), (values + number).ravel())
        assert transfers.uploaded == 5 * values.nbytes
    assert len({id(buffer) for buffer in used}) == 3 and used[0] is used[3]
    small = slice(3, 7), slice(64, 128)
    sent.write(texture, np.zeros((4, 64), np.float32), small)
    assert not np.frombuffer(texture.read(), np.float32).reshape(128, 256)[small].any()
    sent.release()
    texture.release()
