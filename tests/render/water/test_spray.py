"""Spray, the foam it leaves, and bubbles."""

import dataclasses
import math

import numpy as np
import pytest
from support.scenes import make_frame

from waterview.core.frame import OpenSea
from waterview.render.camera.camera import OrbitCamera
from waterview.render.renderer import Renderer
from waterview.render.settings import ViewParams
from waterview.render.water.spray import SprayPass, spindrift

SIZE = (64, 36)
RESTING, DROP, BUBBLE, LANDED = range(4)


@pytest.fixture
def run(ctx):
    renderers = []

    def particles(count, seconds=1 / 30, foam=None, quality="medium", sea=None, first=None):
        """State of the particles after each frame, shape (frames, particles, 8)."""
        renderer = Renderer(ctx, ViewParams(quality=quality))
        renderers.append(renderer)
        first = first or sine()
        states = []
        for number in range(count):
            grown = None if foam is None else np.full(first.grid.shape, foam(number), np.float32)
            frame = dataclasses.replace(first, serial=number, time=number * seconds, foam=grown, sea=sea)
            renderer.render(frame, OrbitCamera.framing(frame), SIZE, ctx.rest)
            states.append(renderer.find(SprayPass).particles())
        assert ctx.error == "GL_NO_ERROR"
        return np.array(states)

    yield particles
    ctx.rest.use()
    for renderer in renderers:
        renderer.release()


def sine():
    x = np.linspace(0.0, 30.0, 61)[None, :] * np.ones((41, 1))
    return make_frame(heights=0.5 * np.sin(0.6 * x))


def growing(number):
    return min(0.08 * number, 0.9)


@pytest.mark.slow
def test_spray_is_thrown_up_where_foam_is_born_and_not_elsewhere(run):
    kinds = run(8, foam=growing)[..., 3]
    assert (kinds[-1] == DROP).sum() > 200
    assert (run(8, foam=lambda number: 0.0)[..., 3] == RESTING).all()


@pytest.mark.slow
def test_spray_is_thrown_up_in_the_part_of_the_block_where_foam_is_born(run):
    """Even where all of it is born in one frame, as when something falls into the water."""

    def in_a_corner(number):
        foam = np.zeros((41, 61), np.float32)
        foam[25:40, 5:20] = min(number, 1)
        return foam

    last = run(2, foam=in_a_corner)[-1]
    flying = last[last[:, 3] == DROP]
    assert len(flying) > 400
    x, z = flying[:, 0] + 15.0, flying[:, 2] + 10.0  # from the block's corner; a step of the grid is 0.5 m
    assert ((x > 2.0) & (x < 10.2) & (z > 12.0) & (z < 20.2)).all()
    # They fill it.
    assert np.histogram2d(x, z, bins=4, range=((2.5, 9.5), (12.5, 19.5)))[0].min() > 10


@pytest.mark.slow
def test_a_breaker_has_its_spray_however_small_a_part_of_the_block_it_is(ctx):
    """Foam is born in a thousandth of the block, as along the shore of a bay."""
    renderer = Renderer(ctx, ViewParams(quality="medium"))
    x, z = np.meshgrid(np.arange(121), np.arange(81))
    first = make_frame(x.shape, 5.0, heights=np.full(x.shape, 2.0), bed=np.full(x.shape, -20.0, np.float32))
    for number in range(8):
        foam = growing(2 * number) * ((abs(x - 30) < 2) & (abs(z - 40) < 2)).astype(np.float32)
        frame = dataclasses.replace(first, serial=number, time=number / 30, foam=foam)
        renderer.render(frame, OrbitCamera.framing(frame), SIZE, ctx.rest)
    particles = renderer.find(SprayPass).particles()
    ctx.rest.use()
    renderer.release()
    flying = particles[particles[:, 3] == DROP]
    assert len(flying) > 60


@pytest.mark.slow
def test_a_wave_that_is_only_about_to_break_throws_up_nothing(run):
    assert (run(8, foam=lambda number: min(0.04 * number, 0.18))[..., 3] == RESTING).all()


@pytest.mark.slow
def test_drops_rise_no_higher_than_the_water_is_deep(run):
    """A wave has run up land of 1 m; what breaks there is 5 cm of water."""
    flooded = make_frame(heights=np.full((41, 61), 1.05), bed=np.full((41, 61), 1.0))
    last = run(8, foam=growing, first=flooded)[-1]
    flying = last[last[:, 3] == DROP]
    assert len(flying) > 50
    assert flying[:, 1].max() < 1.05 + 1.6 * 0.05


@pytest.fixture
def foamy(drawing):
    """foamy(frame, camera, **settings) → pictures as floats, of foam just born and of foam that has been there."""

    def pictures(first, camera, **settings):
        draw = drawing((160, 90), quality="high", auto_exposure=False, **settings)
        seen = []
        for serial, foam in ((100, growing), (200, lambda number: growing(7))):
            for number in range(8):
                covered = np.full((41, 61), foam(number), np.float32)
                frame = dataclasses.replace(first, serial=serial + number, time=number / 30, foam=covered)
                picture = draw(frame, camera)
            seen.append(picture)
        return seen

    return pictures


@pytest.mark.slow
def test_a_puff_of_drops_is_soft(foamy):
    """What spray adds to a picture changes little from pixel to pixel, seen so near that each puff covers several."""
    camera = OrbitCamera.framing(sine())
    camera.target, camera.distance, camera.azimuth, camera.elevation = (1.0, 0.75, 0.0), 4.0, 0.3, 0.06
    camera.fov = 0.07
    pictures = [picture.mean(axis=2) for picture in foamy(sine(), camera, exposure=-1.0, water="sea")]
    added = pictures[0] - pictures[1]
    assert added.mean() > 1.0
    assert np.abs(np.diff(added, axis=1)).max() < 30.0


@pytest.mark.slow
def test_drops_in_the_air_are_not_seen_from_under_water(foamy):
    """From 3 m under the crests foam and surface are all that is seen."""
    first = dataclasses.replace(sine(), bed=np.full((41, 61), -6.0, np.float32))
    camera = OrbitCamera.framing(first)
    camera.dive, camera.fov, camera.distance, camera.azimuth, camera.elevation = True, 1.0, 1.0, 0.3, -0.2
    camera.target = (0.0, -3.0 + math.sin(0.2), 0.0)
    with_drops, without = foamy(first, camera, look="natural", water="sea", sun_elevation=12.0)
    assert np.abs(with_drops - without).max() < 3.0


BROAD = (320, 180)


@pytest.fixture
def spraying(ctx):
    """spraying(frames, camera, **settings) → linear light before and after spray is drawn over the last frame, and
    the particles then."""

    def around(frames, camera, **settings):
        seen = []
        renderer = Renderer(ctx, ViewParams(quality="medium", **settings))

        def lap(name):
            if name in ("underwater", "spray") and "light" in renderer.textures:
                texture = renderer.textures["light"]
                light = np.frombuffer(texture.read(), texture.dtype).reshape(*BROAD[::-1], 4)
                seen.append(light[::-1, :, :3].astype(float))

        renderer.lap = lap
        target = ctx.simple_framebuffer(BROAD)
        for frame in frames:
            renderer.render(frame, camera, BROAD, target)
        particles = renderer.find(SprayPass).particles()
        ctx.rest.use()
        target.release()
        renderer.release()
        return *seen[-2:], particles

    return around


def foam_frames(first, count=8, foam=growing):
    for number in range(count):
        covered = np.full((41, 61), foam(number), np.float32)
        yield dataclasses.replace(first, serial=number, time=number / 30, foam=covered)


@pytest.fixture
def high_waves():
    """Three times as high as `sine`, so that much spray rises above the crests."""
    return dataclasses.replace(sine(), heights=3.0 * sine().heights, bed=np.full((41, 61), -6.0, np.float32))


@pytest.fixture
def over_crests(high_waves):
    """A camera, 40 m away, that sees spray before the sky, towards −z."""
    camera = OrbitCamera.framing(high_waves)
    camera.target, camera.distance, camera.azimuth, camera.elevation = (1.0, 1.6, 0.0), 40.0, 0.0, 0.0
    camera.fov = 0.05
    return camera


@pytest.mark.slow
@pytest.mark.parametrize("azimuth", [0.0, 180.0])
@pytest.mark.parametrize("sky", [{"turbidity": 6.0, "sun_elevation": 12.0}, {"turbidity": 15.0}, {"clouds": 1.0}])
def test_spray_is_not_darker_than_the_sky_wherever_the_sun_is(spraying, high_waves, over_crests, sky, azimuth):
    before, after, _ = spraying(foam_frames(high_waves), over_crests, sun_azimuth=azimuth, surroundings="sea", **sky)
    above = slice(0, BROAD[1] // 2)
    added = (after - before)[above]
    assert (added != 0.0).any(axis=2).mean() > 0.01
    assert (added / before[above]).min() > -0.001


@pytest.mark.slow
def test_spray_in_the_shadow_of_land_does_not_shine(spraying, high_waves, over_crests):
    """A ridge hides the sun behind it from the spray."""
    bed = high_waves.bed.copy()
    bed[:3] = 30.0
    first = dataclasses.replace(high_waves, bed=bed)
    before, after, _ = spraying(foam_frames(first), over_crests, sun_azimuth=180.0, sun_elevation=12.0)
    ridge = before.max(axis=2) < 1.0
    added = (after - before)[ridge].mean(axis=1)
    assert (added != 0.0).mean() > 0.1
    assert added.max() < 0.05  # 0.8 in full sun


@pytest.fixture
def spray_nearby(spraying):
    """spray_nearby(frames) → what spray adds to the light, seen so near that a puff covers several pixels, shape
    (height, width); the way that its drops go now and that they went at first, to the right and down, 3 pixels long.

    Foam is born in the first nine frames, in a patch on a crest.
    """
    shape, spacing = (41, 61), 10.0
    x = spacing * np.arange(61)[None, :] * np.ones((41, 1))
    heights = 2.0 * np.sin(2.0 * np.pi * x / 100.0)
    first = make_frame(shape, spacing, heights=heights, bed=np.full(shape, -20.0, np.float32))
    patch = np.zeros(shape)
    patch[19:22, 29:33] = 1.0
    camera = OrbitCamera.framing(first)
    camera.target, camera.distance, camera.azimuth, camera.elevation = (2.5, 1.4, -0.8), 60.0, 0.0, 0.02
    camera.fov = 0.06

    def seen(count):
        frames = foam_frames(first, count, lambda number: growing(min(number, 8)) * patch)
        before, after, particles = spraying(frames, camera, surroundings="sea")
        drops = particles[particles[:, 3] == DROP]
        assert len(drops) > 100
        velocity, flown = drops[:, 4:7], 4.0 - drops[:, 7:]
        here, *there = (
            camera.project(drops[:, :3] + 0.02 * way, BROAD)[:, :2]
            for way in (0.0 * velocity, velocity, velocity + 9.81 * flown * np.array([0.0, 1.0, 0.0]))
        )
        ways = (np.median(place - here, axis=0) for place in there)
        return (after - before).sum(axis=2), *(np.round(3.0 * way / np.linalg.norm(way)).astype(int) for way in ways)

    return seen


def change(picture, x, y):
    """Mean square of the change from a pixel to the one so far to the right and down."""
    return ((np.roll(picture, (-y, -x), (0, 1)) - picture)[4:-4, 4:-4] ** 2).mean()


@pytest.mark.slow
def test_spray_is_seen_as_drops_in_flight_and_not_as_disks(spray_nearby):
    """A puff has grain, and is longer along its flight than across it. Just thrown, it is thin."""
    added, (right, down), _ = spray_nearby(9)
    assert (added > 0.0).mean() > 0.1
    assert (added > 0.01).mean() < 0.21  # twice as wide at first, 0.24
    assert (np.diff(added, 2, axis=1) ** 2).mean() > 0.24**2 * (added**2).mean()
    assert change(added, -down, right) > 1.1 * change(added, right, down)


@pytest.mark.slow
def test_gaps_in_spray_are_no_hairs_side_by_side(spray_nearby):
    """Across its flight, its mean square change in a pixel is a sixth of that in eight; between hairs it is a fifth."""
    added, *_ = spray_nearby(9)
    assert change(added, 1, 0) < 0.185 * change(added, 8, 0)


@pytest.mark.slow
def test_a_jet_is_drawn_out_along_the_way_it_was_thrown(spray_nearby):
    """Later, near the top of their flight, most of its drops go aside, but those that were thrown faster are higher."""
    added, now, (right, down) = spray_nearby(12)
    assert abs(now[0]) > abs(now[1]) and abs(down) > abs(right)
    assert change(added, -down, right) > 1.05 * change(added, right, down)


@pytest.mark.slow
def test_a_jet_breaks_up_into_a_cloud_without_fibres(spray_nearby):
    """After half a second it changes 1.2 times as much across its throw as along it; with long gaps 1.46 times."""
    added, _, (right, down) = spray_nearby(17)
    assert change(added, -down, right) < 1.32 * change(added, right, down)


@pytest.mark.slow
@pytest.mark.parametrize("azimuth", [0.0, 180.0])
def test_spray_fades_into_the_air_before_it(spraying, high_waves, over_crests, azimuth):
    """Through so much air that 1 % of the contrast is left."""
    air = {"turbidity": 15.0, "air": 80.0, "sun_azimuth": azimuth, "surroundings": "sea"}
    before, after, particles = spraying(foam_frames(high_waves), over_crests, **air)
    assert (particles[:, 3] == DROP).sum() > 200
    np.testing.assert_allclose(after, before, rtol=0.01)


@pytest.mark.slow
def test_bubbles_in_the_water_are_not_seen_from_the_air(spraying):
    """The eye is so low that a part of the picture might be seen from under water."""
    first = sine()
    camera = OrbitCamera.framing(first)
    camera.dive, camera.distance, camera.azimuth, camera.elevation, camera.fov = True, 6.0, 0.3, 0.12, 0.8
    camera.target = (0.0, 0.0, 0.0)
    frames = foam_frames(first, 45, lambda number: growing(min(number, 7)))
    before, after, particles = spraying(frames, camera, look="natural")
    assert (particles[:, 3] == BUBBLE).sum() > 50
    drops = particles[particles[:, 3] == DROP]
    assert len(drops) == 0
    assert np.abs(after - before).max() == 0.0


@pytest.mark.slow
def test_each_drop_in_the_air_is_drawn_and_nothing_else(ctx):
    """The sun is low, so that no drop is by chance as bright as what it hides."""
    size, seen, drawn, first = (320, 180), [], [], sine()
    renderer = Renderer(ctx, ViewParams(quality="medium", sun_elevation=10.0))

    def lap(name):
        if name in ("underwater", "spray") and "light" in renderer.textures:
            texture = renderer.textures["light"]
            seen.append(np.frombuffer(texture.read(), texture.dtype).reshape(*size[::-1], 4)[::-1])
            if name == "spray":
                drawn.append((seen[-1] != seen[-2]).any(axis=2))

    renderer.lap = lap
    target = ctx.simple_framebuffer(size)
    for number in range(5):
        time = number / 30 + 100.0 * (number == 4)  # then the air is clear again
        foam = np.full((41, 61), 0.22 * (number > 0), np.float32)  # so little that few drops fly, apart from each other
        frame = dataclasses.replace(first, serial=number, time=time, foam=foam)
        camera = OrbitCamera.framing(frame)
        renderer.render(frame, camera, size, target)
        particles = renderer.find(SprayPass).particles()
        if number == 3:
            flying = particles[particles[:, 3] == DROP]
    ctx.rest.use()
    target.release()
    renderer.release()
    *_, with_drops, clear = drawn
    assert not clear.any()
    at = camera.project(flying[:, :3], size)[:, :2]
    pixels = np.argwhere(with_drops)[:, ::-1] + 0.5
    apart = np.linalg.norm(at[:, None] - pixels[None], axis=2)
    assert len(flying) > 300
    assert apart.min(axis=1).max() < 3.0
    assert apart.min(axis=0).max() < 4.0


@pytest.mark.slow
def test_drops_are_thrown_down_the_slope_of_the_wave(run):
    first = run(8, foam=growing)[-1]
    flying = first[first[:, 3] == DROP]
    x = np.linspace(-15.0, 15.0, 61)
    falls = -np.interp(flying[:, 0], x, 0.3 * np.cos(0.6 * (x + 15.0)))
    steep = np.abs(falls) > 0.1
    assert steep.sum() > 100
    assert np.mean(np.sign(flying[steep, 4]) == np.sign(falls[steep])) > 0.9


@pytest.mark.slow
def test_drops_leave_a_crest_as_fast_as_its_water_goes_on(run):
    """However high they are thrown: slow ones stay with the breaker."""
    first = dataclasses.replace(sine(), bed=np.full((41, 61), -0.6, np.float32))
    last = run(8, foam=growing, first=first)[-1]
    young = last[(last[:, 3] == DROP) & (last[:, 7] > 4.0 - 1 / 30)]
    young = young[(young[:, 1] > 0.2) & (np.abs(np.cos(0.6 * (young[:, 0] + 15.0))) > 0.4)]
    assert len(young) > 30
    water = young[:, 1] * np.sqrt(9.81 / (young[:, 1] + 0.6))
    ahead = np.linalg.norm(young[:, [4, 6]], axis=1) / water
    assert np.percentile(ahead, 10) > 0.55 and np.median(ahead) < 1.3


@pytest.mark.slow
def test_drops_fly_as_gravity_has_it(run):
    states = run(10, foam=growing)
    before, after = states[-2], states[-1]
    flying = (before[:, 3] == DROP) & (after[:, 3] == DROP)
    assert flying.sum() > 50
    drag = np.exp(-1.5 / 30)
    np.testing.assert_allclose(after[flying, 5], (before[flying, 5] - 9.81 / 30) * drag, atol=1e-3)
    moved = after[flying, :3] - before[flying, :3]
    np.testing.assert_allclose(moved[:, 0], before[flying, 4] / 30, atol=1e-3)
    np.testing.assert_allclose(moved[:, 1], before[flying, 5] / 30 - 0.5 * 9.81 / 900, atol=1e-3)


@pytest.mark.slow
def test_what_goes_up_comes_down_and_some_of_it_bubbles(run):
    kinds = run(45, foam=lambda number: growing(min(number, 10)))[..., 3]
    assert (kinds == LANDED).any() and (kinds == BUBBLE).any()
    assert (kinds[-1] == DROP).sum() < (kinds[11] == DROP).sum()


@pytest.mark.slow
def test_foam_that_drops_leave_throws_up_no_more_drops(run):
    kinds = run(90, seconds=1 / 15, foam=lambda number: growing(number) if number < 8 else 0.0)[..., 3]
    assert (kinds[8] == DROP).sum() > 200
    assert (kinds[-1] == DROP).sum() == 0


@pytest.mark.slow
def test_two_runs_throw_the_same_spray(run):
    np.testing.assert_array_equal(run(6, foam=growing), run(6, foam=growing))


@pytest.mark.slow
def test_spray_stays_where_it_is_when_ripples_are_chosen_while_paused(ctx):
    renderer = Renderer(ctx, ViewParams(quality="medium", look="pool"))
    for frame in foam_frames(sine()):
        renderer.render(frame, OrbitCamera.framing(frame), SIZE, ctx.rest)
    before, foam = renderer.find(SprayPass).particles(), foam_map(renderer)
    chosen = ViewParams(quality="medium", look="pool", ripples=0.5)
    renderer.render(frame, OrbitCamera.framing(frame), SIZE, ctx.rest, chosen)
    after, kept = renderer.find(SprayPass).particles(), foam_map(renderer)
    ctx.rest.use()
    renderer.release()
    assert (before[:, 3] == DROP).sum() > 200
    np.testing.assert_array_equal(after, before)
    np.testing.assert_allclose(kept, foam, atol=1e-3)


def foam_map(renderer):
    waves = renderer.textures["waves"]
    return np.frombuffer(waves.read(), np.float16).reshape(-1, 4)[:, 3].astype(float)


@pytest.mark.slow
def test_a_jump_in_time_lets_the_air_clear(run):
    kinds = run(4, seconds=50.0, foam=growing)[..., 3]
    assert (kinds == RESTING).all()


def windy(speed, direction=0.0, scale=1.0):
    return OpenSea((), choppiness=0.0, roughness=0.0, scale=scale, wind=direction, wind_speed=speed)


@pytest.mark.parametrize(
    ("sea", "wind", "share"),
    [
        (None, (0.0, 0.0), 0.0),
        (windy(15.0), (15.0, 0.0), 0.0),
        (windy(20.0, np.pi / 2, scale=0.1), (0.0, 2.0), 0.5),
        (windy(40.0, np.pi), (-40.0, 0.0), 1.0),
    ],
)
def test_a_strong_wind_tears_drops_off_crests(sea, wind, share):
    blown, torn = spindrift(sea)
    assert blown == pytest.approx(wind, abs=1e-9)
    assert torn == pytest.approx(share)


@pytest.mark.slow
def test_spindrift_flies_with_the_wind_and_sinks_slowly(run):
    states = run(20, foam=growing, sea=windy(30.0, np.pi / 2))
    one_flight = states[-8, :, 7] - states[-1, :, 7] > 6.9 / 30  # seconds left; a drop that lands is thrown up again
    flying = (states[-1, :, 3] == DROP) & (states[-8, :, 3] == DROP) & one_flight
    assert flying.sum() > 50
    # Within seven steps a drop comes near to the wind's speed, and to g over the drag downwards.
    left = np.exp(-5.0 * 7 / 30)
    before, after = states[-8, flying, 4:7], states[-1, flying, 4:7]
    np.testing.assert_allclose(after[:, 0], left * before[:, 0], atol=1e-3)
    np.testing.assert_allclose(after[:, 2], 30.0 + left * (before[:, 2] - 30.0), rtol=1e-3)
    assert after[:, 1].min() > -2.0
    assert run(20, foam=growing, sea=windy(14.0))[-1, :, 6].max() < 10.0


@pytest.mark.slow
def test_spindrift_does_not_lie_over_the_sea_as_a_haze(run):
    """Eddies would carry some of it for as long as drops fly at most."""
    first = make_frame((41, 61), 10.0, heights=np.full((41, 61), 2.0), bed=np.full((41, 61), -20.0))
    last = run(60, foam=growing, sea=windy(30.0), first=first)[-1]
    flown = 4.0 - last[last[:, 3] == DROP][:, 7]
    assert 1.3 < flown.max() < 1.6


@pytest.mark.slow
def test_a_gale_tears_spindrift_off_foam_that_lies_on_crests_and_only_there(run):
    """No foam is born after the first frame."""
    still = run(16, foam=lambda number: 0.9, sea=windy(12.0))[-1]
    states = run(16, foam=lambda number: 0.9, sea=windy(25.0))
    assert (still[:, 3] == DROP).sum() == 0
    young = (states[..., 3] == DROP) & (states[..., 7] > 4.0 - 1 / 30)
    young[:2] = False
    assert young.sum() > 200
    x = states[..., 0][young]
    height = 0.5 * np.sin(0.6 * (x + 15.0))
    assert np.percentile(height, 2) > 0.0


@pytest.mark.slow
def test_spindrift_comes_in_gusts_with_gaps_between_them(run):
    """Crest and foam are the same everywhere. Thrown up evenly, counts in cells would vary as much as their mean is."""
    first = make_frame((41, 61), 10.0, heights=np.full((41, 61), 2.0), bed=np.full((41, 61), -20.0))
    states = run(3, foam=lambda number: 0.9, sea=windy(30.0), first=first)[1:]
    flown = 4.0 - states[..., 7]
    young = (states[..., 3] == DROP) & (flown < 1 / 30)
    begun = (states[..., :3:2] - flown[..., None] * states[..., 4:7:2])[young]
    cells = 128  # along each side, where one of these 16,000 drops may be thrown up
    counts = np.histogram2d(*begun.T, bins=cells, range=((-300.0, 300.0), (-200.0, 200.0)))[0]
    assert counts.var() > 1.5 * counts.mean() > 0.1


@pytest.mark.slow
def test_flecks_of_foam_throw_up_no_spray(run):
    """As much foam is born in one patch as in flecks as wide as a point of the grid, with clear water around each."""
    shape = (101, 151)
    first = make_frame(shape, 4.0, heights=np.full(shape, 2.0), bed=np.full(shape, -20.0))
    flecks, patch = np.zeros(shape), np.zeros(shape)
    flecks[5::10, 5::10] = 1.0
    patch[40:50, 40:55] = 1.0
    assert flecks.sum() == patch.sum()

    def thrown(where):
        return (run(8, foam=lambda number: growing(number) * where, first=first)[-1, :, 3] == DROP).sum()

    from_patch = thrown(patch)
    assert from_patch > 200
    assert 20 * thrown(flecks) < from_patch


@pytest.mark.slow
def test_a_gale_tears_nothing_off_single_rows_of_foam(run):
    """Rows of one point of the grid, with clear water between them, and a patch of as much foam; none of it is new."""
    shape = (101, 151)
    first = make_frame(shape, 4.0, heights=np.full(shape, 2.0), bed=np.full(shape, -20.0))
    rows, patch = np.zeros(shape), np.zeros(shape)
    rows[5::10] = 1.0
    patch[40:50] = 1.0
    assert rows.sum() == patch.sum()

    def torn(where):
        states = run(4, foam=lambda number: 0.9 * where, sea=windy(30.0), first=first)
        return ((states[1:, :, 3] == DROP) & (states[1:, :, 7] > 4.0 - 1 / 30)).sum()

    from_patch = torn(patch)
    assert from_patch > 200
    assert 20 * torn(rows) < from_patch
