"""Sunlight in the water: energy, focus, shadow, and refraction against Snell's law."""

import dataclasses

import numpy as np
import pytest
from support.pictures import floating
from support.scenes import make_frame

from waterview.bodies.kinds import shape_of
from waterview.core.body import BodyState
from waterview.render.camera.bounds import Bounds
from waterview.render.camera.camera import OrbitCamera
from waterview.render.daylight import Light, refracted_sun
from waterview.render.light.caustics import caustic_area
from waterview.render.settings import ViewParams

SIZE = (32, 18)


@pytest.fixture
def cast(ctx, renderers):
    """The light map of a frame, shape (rows, columns, 4), the first row at the lowest z."""

    def light(frame, quality="medium", **settings):
        renderer = renderers[quality]
        params = ViewParams(quality=quality, **settings)
        renderer.render(frame, OrbitCamera.framing(frame), SIZE, ctx.rest, params)
        texture = renderer.textures["caustic_map"]
        width, height = texture.size
        return np.frombuffer(texture.read(), np.float16).reshape(height, width, 4).astype(np.float64)

    return light


def waves(amplitude, seed=1):
    random = np.random.default_rng(seed)
    frame = make_frame((129, 193), 30.0 / 192)
    x, z = frame.grid.x[None, :], frame.grid.z[:, None]
    heights = np.zeros(frame.grid.shape)
    for _ in range(12):
        direction, length = 2 * np.pi * random.random(), 1.0 + 2.0 * random.random()
        phase = 2 * np.pi / length * (np.cos(direction) * x + np.sin(direction) * z) + 6.0 * random.random()
        heights += amplitude * length / 12**0.5 * np.sin(phase)
    return make_frame((129, 193), 30.0 / 192, heights=heights)


def middle(light, share=0.7):
    """The part of a light map that no light from beyond its edges could reach."""
    rows, columns, _ = light.shape
    cut = 0.5 - 0.5 * share
    return light[round(cut * rows) : round((1 - cut) * rows), round(cut * columns) : round((1 - cut) * columns), :3]


@pytest.mark.slow
def test_triangles_without_area_leave_no_hole_in_the_light(cast):
    """Where these waves focus a low sun. One bad texel spoils the coarse levels of the map, by which bodies are lit."""
    heights = 0.4 * np.random.default_rng(4).standard_normal((121, 161))
    frame = make_frame((121, 161), 0.5, bed=np.full((121, 161), -20.0), heights=heights)
    assert np.isfinite(cast(frame, "ultra", sun_elevation=2.0, surroundings="sea", look="natural")).all()


@pytest.mark.slow
@pytest.mark.parametrize("quality", ["low", "medium", "high"])
@pytest.mark.parametrize("amplitude", [0.0, 0.004, 0.02, 0.05])
def test_light_is_neither_lost_nor_won(cast, quality, amplitude):
    light = cast(waves(amplitude), quality, sun_elevation=50.0)
    np.testing.assert_allclose(middle(light).mean(axis=(0, 1)), 1.0, atol=0.02)


@pytest.mark.slow
def test_calm_water_lets_light_through_evenly(cast):
    light = middle(cast(make_frame(), sun_elevation=60.0))
    # All but the breath of wind.
    assert light.std() < 0.35 and light.min() > 0.3


@pytest.mark.slow
def test_foam_throws_a_shadow(cast):
    x = np.linspace(-15.0, 15.0, 61)
    foam = np.where(x < 0.0, 1.0, 0.0).astype(np.float32) * np.ones((41, 1), np.float32)
    light = middle(cast(make_frame(foam=foam), "low", sun_elevation=90.0)).mean(axis=(0, 2))
    half = len(light) // 2
    assert light[: half - 8].mean() < 0.4
    assert light[half + 8 :].mean() == pytest.approx(1.0, abs=0.05)


@pytest.mark.slow
def test_waves_gather_light_and_more_so_where_they_focus(cast):
    """η = a cos kx focuses at a depth of about 1/((1 − 1/n) a k²); far above it the light is nearly even."""
    frame = make_frame((33, 257), 30.0 / 256)
    k = 2 * np.pi / 1.5
    peaks = []
    for depth in (0.4, 3.0):
        amplitude = 1.0 / (0.25 * 3.0 * k * k)
        heights = amplitude * np.cos(k * frame.grid.x)[None, :] * np.ones((33, 1))
        bed = np.full((33, 257), -depth)
        light = cast(make_frame((33, 257), 30.0 / 256, bed=bed, heights=heights), "high", sun_elevation=90.0)
        peaks.append(middle(light)[..., 1].mean(axis=0).max())
    assert peaks[1] > 2.0 * peaks[0] > 2.0


def rings(time):
    """Rings that run outwards at 1.6 m/s."""
    shape, spacing = (97, 129), 12.0 / 128
    frame = make_frame(shape, spacing)
    x, z = frame.grid.x[None, :], frame.grid.z[:, None]
    heights = np.zeros(shape)
    for middle_x, middle_z in ((-2.0, 0.5), (1.7, -1.1), (0.3, 2.0)):
        far = np.hypot(x - middle_x, z - middle_z) - 1.6 * time
        heights += 0.012 * np.cos(2.0 * np.pi * far / 0.6) * np.exp(-(((far - 1.5) / 0.8) ** 2))
    frame = make_frame(shape, spacing, bed=np.full(shape, -1.7), heights=heights, serial=1 + round(1000 * time))
    return dataclasses.replace(frame, time=time)


@pytest.mark.slow
def test_light_moves_and_does_not_boil(cast):
    """At 30 pictures a second, second differences are smaller than first ones; of white noise they are 1.73 times."""
    light = np.array([middle(cast(rings(number / 30.0), sun_elevation=50.0))[..., 1] for number in range(1, 8)])[1:]
    assert light.max() > 3.0, "rings focus"
    once, twice = (np.square(np.diff(light, order, axis=0)).mean() ** 0.5 for order in (1, 2))
    assert twice < 1.1 * once


@pytest.mark.slow
def test_light_is_that_of_two_pictures_if_hardly_any_time_lies_between_them(cast):
    now = dataclasses.replace(rings(0.6), time=10.0)
    cast(rings(0.0))
    alone = cast(now)
    for before, share in ((1.0 / 24.0, 0.5), (0.1, 0.0), (-0.01, 0.0)):
        earlier = cast(dataclasses.replace(rings(0.3), time=10.0 - before))
        shown = cast(dataclasses.replace(now))
        np.testing.assert_allclose(shown, (1.0 - share) * alone + share * earlier, rtol=2e-3, atol=2e-3)
        assert np.abs(alone - earlier).max() > 1.0


@pytest.mark.slow
def test_colours_part_in_the_finest_tier_only(cast):
    frame = waves(0.03)
    fringes = middle(cast(frame, "high", sun_elevation=40.0))
    assert np.abs(fringes[..., 0] - fringes[..., 2]).mean() > 0.02
    plain = middle(cast(frame, "medium", sun_elevation=40.0))
    np.testing.assert_array_equal(plain[..., 0], plain[..., 2])


@pytest.mark.slow
@pytest.mark.parametrize("azimuth", [0.0, 90.0, 180.0, 270.0])
def test_the_colours_of_a_shadow_end_as_far_apart_as_they_are_refracted(cast, azimuth):
    """By Snell's law, with the indices of caustics_rays.frag; the water slopes by a tenth along the sun's azimuth."""
    spacing, depths, axis = 12.0 / 192, (1.7, 0.9), 0 if azimuth in (90.0, 270.0) else 1
    along = (np.arange(193) - 96.0) * spacing * np.ones((129, 1))
    foam = np.where(along < 0.0, 1.0, 0.0).astype(np.float32)
    bed = np.where(np.arange(129)[:, None] < 64, -depths[0], -depths[1]) + 0.0 * along
    fields = [each if axis == 0 else each.T for each in (bed, 0.1 * along, foam)]
    frame = make_frame(fields[0].shape, spacing, bed=fields[0], heights=fields[1], foam=fields[2])
    params = ViewParams(sun_azimuth=azimuth, sun_elevation=50.0)
    light = cast(frame, "high", sun_azimuth=azimuth, sun_elevation=50.0)
    light = light if axis == 0 else light.swapaxes(0, 1)
    area = caustic_area(Bounds.of(frame), Light.of(params, Bounds.of(frame)))
    low, side, count = area[axis], area[2 + axis], light.shape[1]
    place = low + side * (np.arange(count) + 0.5) / count
    across = area[1 - axis] + area[3 - axis] * (np.arange(len(light)) + 0.5) / len(light)
    edge = np.abs(place) < 0.7
    normal = np.array((-0.1, 1.0)) / np.hypot(0.1, 1.0)
    towards_sun = params.towards_sun[[2 * axis, 1]]
    cosine = towards_sun @ normal
    for depth, middle_of_half in zip(depths, (-2.0, 2.0), strict=True):
        half = light[np.abs(across - middle_of_half) < 1.0].mean(axis=0)
        dark, bright = (half[(place > near) & (place < near + 0.5), 0].mean() for near in (-1.2, 0.7))
        assert bright > 2.0 * dark
        landed = []
        for index in (1.329, 1.333, 1.338):
            ray = (cosine - np.sqrt(index**2 - 1.0 + cosine**2)) * normal - towards_sun
            landed.append(ray[0] / -ray[1] * depth)
        for other in (1, 2):
            apart = (half[:, other] - half[:, 0])[edge].sum() * side / count / (bright - dark)
            assert apart == pytest.approx(landed[0] - landed[other], rel=0.15)


@pytest.mark.slow
@pytest.mark.parametrize("centre", [(0.0, 0.0), (0.039, 0.014), (0.117, 0.025), (0.130, 0.010)])
def test_a_line_where_light_focuses_is_no_row_of_beads(cast, centre):
    """Rings of waves on calm water gather light to rings, which are as bright all around, wherever their centre is."""
    shape, spacing = (193, 257), 12.0 / 256
    grid = make_frame(shape, spacing).grid
    far = np.hypot(grid.x[None, :] - centre[0], grid.z[:, None] - centre[1])
    heights = 0.02 * np.cos(2.0 * np.pi * far / 0.6) * np.exp(-(((far - 1.5) / 0.8) ** 2))
    frame = make_frame(shape, spacing, bed=np.full(shape, -1.7), heights=heights)
    light = cast(frame, "high", sun_elevation=90.0)[..., 1]
    rows, columns = light.shape
    x = (np.arange(columns)[None, :] + 0.5) / columns * 12.0 - 6.0 - centre[0]
    z = ((np.arange(rows)[:, None] + 0.5) / rows - 0.5) * grid.size[1] - centre[1]
    out_there, angle = np.hypot(x, z), np.arctan2(z, x)
    ring = np.abs(out_there - 1.2) < 0.2
    sector = ((angle + np.pi) / (2.0 * np.pi) * 240).astype(int) % 240
    peaks = np.array([light[ring & (sector == each)].max() for each in range(240)])
    assert np.median(peaks) > 3.0, "light focuses"
    assert peaks.std() < 0.125 * peaks.mean()
    assert peaks.max() < 1.35 * peaks.mean()


@pytest.mark.slow
def test_hue_changes_smoothly_where_light_focuses(cast):
    """Where triangles are thinner than texels, colours must not hit texels by chance."""
    light = middle(cast(waves(0.03), "high", sun_elevation=40.0))
    hue = (light[..., 0] - light[..., 2]) / (light.sum(axis=-1) + 1e-3)
    bright = light[:, 2:-2, 1] > 2.0
    near, far = (np.abs(hue[:, 2 + off : hue.shape[1] - 2 + off] - hue[:, 2:-2])[bright].mean() for off in (1, 2))
    assert near < 0.7 * far


@pytest.mark.slow
def test_no_light_is_lost_where_the_mesh_is_divided_around_a_body(cast):
    """A body too small to throw a shadow changes nothing, although the mesh around it is drawn apart."""
    tiny = dataclasses.replace(floating(), scale=np.full(3, 1e-3))
    without, beside = (
        cast(dataclasses.replace(rings(0.6), bodies=bodies), sun_elevation=40.0) for bodies in ((), (tiny,))
    )
    assert np.count_nonzero(np.abs(without - beside).max(axis=-1) > 0.02) <= 4
    shaded = cast(dataclasses.replace(rings(0.6), bodies=(floating(),)), sun_elevation=40.0)
    assert np.count_nonzero(without[..., 1] - shaded[..., 1] > 0.5) > 500


@pytest.mark.slow
@pytest.mark.parametrize("quality", ["low", "medium", "high"])
def test_the_shadow_of_a_sunken_ball_is_an_ellipse_without_teeth(cast, quality):
    """Under sloping water all rays are parallel, but not as in still water."""
    (rows, columns), depth, middle, radius = (97, 129), 2.5, np.array((0.2, -0.9, -0.1)), 0.5
    grid = make_frame((rows, columns), 12.0 / 128).grid
    heights = 0.1 * grid.x[None, :] + 0.05 * grid.z[:, None]
    sphere = shape_of("sphere").visual_mesh
    ball = BodyState(1, "sphere", sphere, middle, np.eye(3), np.full(3, 2.0 * radius), density=2000.0)
    bed = np.full((rows, columns), -depth)
    frame = make_frame((rows, columns), 12.0 / 128, bed=bed, heights=heights, bodies=(ball,))
    light = cast(frame, quality, sun_elevation=52.0, sun_azimuth=150.0)[..., 1]
    params = ViewParams(sun_elevation=52.0, sun_azimuth=150.0)
    west, north, across, along = caustic_area(Bounds.of(frame), Light.of(params, Bounds.of(frame)))
    rows, columns = light.shape
    x = west + across * (np.arange(columns)[None, :] + 0.5) / columns + 0.0 * light
    z = north + along * (np.arange(rows)[:, None] + 0.5) / rows + 0.0 * light
    still, _ = refracted_sun(params.towards_sun)
    ground = np.stack((x, 0.0 * x, z), axis=-1) - depth / still[1] * still
    up = np.array((-0.1, 1.0, -0.05)) / np.linalg.norm((-0.1, 1.0, -0.05))
    cosine = params.towards_sun @ up
    ray = (cosine - np.sqrt(1.333**2 - 1.0 + cosine**2)) * up - params.towards_sun
    beside = np.linalg.norm(np.cross(ground - middle, ray / 1.333), axis=-1) - radius
    edge = 1.5 * across / columns  # as wide as the map's own filter
    inside, around = light[beside < -edge], light[(beside > edge) & (beside < 0.5 * radius)]
    assert inside.size > 100
    assert inside.max() < 0.3
    assert around.min() > 0.45


@pytest.mark.slow
def test_light_on_a_body_is_as_sharp_as_on_ground_at_its_depth(cast):
    """The lid of a box is lit as ground that lies as deep, however far the ground below it is out of focus."""
    on_ground = rings(0.6)
    box = shape_of("box").visual_mesh
    lid = BodyState(1, "box", box, np.array((0.0, -2.2, 0.0)), np.eye(3), np.array((7.0, 1.0, 5.0)), 2000.0)
    deep = np.full_like(on_ground.bed, -4.0)
    wanted = cast(on_ground, sun_elevation=90.0)[..., 1]
    found = cast(dataclasses.replace(on_ground, bed=deep, bodies=(lid,)), sun_elevation=90.0)[..., 3]
    rows, columns = wanted.shape
    x, z = np.linspace(-6.0, 6.0, columns)[None, :], np.linspace(-4.5, 4.5, rows)[:, None]
    on_lid = (np.abs(x) < 3.2) & (np.abs(z) < 2.2)
    assert wanted[on_lid].std() > 0.2
    assert found[on_lid].std() == pytest.approx(wanted[on_lid].std(), rel=0.05)
    assert np.abs(found - wanted)[on_lid].mean() < 0.1 * wanted[on_lid].std()


@pytest.mark.slow
def test_no_light_falls_where_land_shades_the_water(cast):
    """A wall towards the sun throws a shadow on the water; what lies under it stays dark."""
    frame = make_frame((81, 121), 0.25)
    wall = (np.abs(frame.grid.z[:, None] + 9.0) < 0.6) & (np.abs(frame.grid.x[None, :]) < 30.0)
    bed = np.where(wall, 4.0, -1.0)
    light = cast(make_frame((81, 121), 0.25, bed=bed), sun_azimuth=180.0, sun_elevation=45.0)
    rows = light[..., 1].mean(axis=1)
    area = caustic_area(Bounds.of(make_frame((81, 121), 0.25, bed=bed)), Light.of(ViewParams(), Bounds.of(frame)))
    z = area[1] + (np.arange(len(rows)) + 0.5) / len(rows) * area[3]
    assert rows[(z > -7.5) & (z < -5.5)].max() < 0.1
    assert rows[(z > -2.0) & (z < 8.0)].min() > 0.7


@pytest.mark.slow
def test_land_gets_no_light_from_the_water(cast):
    bed = np.full((41, 61), -1.0)
    bed[:, :20] = 1.0
    light = cast(make_frame(bed=bed), sun_azimuth=0.0, sun_elevation=80.0)[..., 1]
    columns = light.mean(axis=0)
    assert columns[: len(columns) // 4].max() < 0.05
    assert columns[len(columns) // 2 :].mean() > 0.9


@pytest.mark.slow
@pytest.mark.parametrize("azimuth", [90.0, 270.0])
def test_ground_is_lit_up_to_the_front_of_a_wave_that_runs_up_a_beach(cast, azimuth):
    """No dark line lies under the front, whether the sun stands over the land or over the sea."""
    x = np.linspace(-15.0, 15.0, 61)[None, :] * np.ones((41, 1))
    bed, surface = -0.1 * x, 0.6
    frame = make_frame(bed=bed, heights=np.where(bed < surface, surface, 0.0))
    frame = frame.changed(fixed=bed > surface, normals=np.zeros_like(frame.normals))  # as models publish them
    light = cast(frame, sun_azimuth=azimuth, sun_elevation=40.0)[..., 1].mean(axis=0)
    # As light.glsl looks it up: all points along a ray of the sun share a place.
    flooded = np.linspace(-5.7, -1.0, 60)
    settings = ViewParams(sun_azimuth=azimuth, sun_elevation=40.0)
    sun, bounds = settings.towards_sun, Bounds.of(frame)
    west, _, across, _ = caustic_area(bounds, Light.of(settings, bounds))
    place = flooded - sun[0] / sun[1] * (-0.1 * flooded)
    seen = np.interp((place - west) / across * len(light) - 0.5, np.arange(len(light)), light)
    assert seen.min() > 0.6


@pytest.mark.parametrize("elevation", [5.0, 20.0, 40.0, 65.0, 90.0])
def test_sunlight_enters_still_water_by_snell_and_fresnel(elevation):
    towards_sun = ViewParams(sun_elevation=elevation, sun_azimuth=70.0).towards_sun
    sunk, entering = refracted_sun(towards_sun)
    assert np.linalg.norm(sunk) == pytest.approx(1.0)
    assert 1.333 * np.hypot(sunk[0], sunk[2]) == pytest.approx(np.cos(np.radians(elevation)))
    assert np.cross(sunk, towards_sun) @ [0.0, 1.0, 0.0] == pytest.approx(0.0, abs=1e-12)
    outside, inside = np.sin(np.radians(elevation)), -sunk[1]
    across = ((outside - 1.333 * inside) / (outside + 1.333 * inside)) ** 2
    along = ((inside - 1.333 * outside) / (inside + 1.333 * outside)) ** 2
    assert entering == pytest.approx(1.0 - 0.5 * (across + along))


def test_the_map_reaches_towards_the_sun_where_water_is_cut(island):
    bounds = Bounds.of(island)
    light = Light.of(ViewParams(sun_azimuth=90.0, sun_elevation=30.0), bounds)
    west, north, across, along = caustic_area(bounds, light)
    assert (west, north) == (bounds.low[0], bounds.low[2])
    depth = bounds.level - bounds.low[1]
    assert across == pytest.approx(60.0 + depth * abs(light.refracted_sun[0] / light.refracted_sun[1]))
    assert along == pytest.approx(40.0, abs=1e-6)


def test_a_closed_pool_has_light_from_its_own_water_only():
    bed = np.full((41, 61), -2.0)
    bed[[0, -1]] = 1.0
    bed[:, [0, -1]] = 1.0
    bounds = Bounds.of(make_frame(bed=bed))
    assert not bounds.open
    area = caustic_area(bounds, Light.of(ViewParams(), bounds))
    assert area == pytest.approx((-15.0, -10.0, 30.0, 20.0))
