"""Ground that water has left is wet, and dries."""

import dataclasses

import numpy as np
import pytest
from support.scenes import make_frame

from waterview.core.commands import Drop, TimedDrop
from waterview.output import offline as headless
from waterview.render.camera.camera import OrbitCamera
from waterview.render.gbuffer import GBufferPass
from waterview.render.materials import WATER
from waterview.render.water.surface import DRYING
from waterview.scene.scene import Scene, split_settings
from waterview.terrain.library import resolve

SIZE = (96, 54)
X = np.linspace(-6.0, 6.0, 61)[None, :] * np.ones((41, 1))


@pytest.mark.slow
@pytest.mark.parametrize("ground", ["sand", "grass"])
def test_a_wave_leaves_a_beach_wet_until_it_dries(drawing, ground):
    """A wave runs 3 m up a beach and back: sand below its mark is dark, and light again after some minutes.

    Leaves have no pores for the water to fill: grass stays as light as it is.
    """
    beach = 0.1 * X
    photo = np.full((41, 61, 4), (*{"sand": (204, 192, 166), "grass": (95, 112, 67)}[ground], 255), np.uint8)
    draw = drawing(SIZE, look="natural", auto_exposure=False, surroundings="floor", exposure=-1.0)
    flooded = np.where(X < 3.0, 0.4, beach - 0.01)
    calm = np.where(X < 0.0, 0.0, beach - 0.01)
    first = make_frame((41, 61), 0.2, bed=beach, heights=calm, serial=1)
    first = first.changed(drape=photo)
    camera = OrbitCamera.framing(first)
    camera.target, camera.distance, camera.azimuth, camera.elevation = (2.0, 0.2, 0.0), 7.0, 0.0, 1.55
    dry = draw(first, camera)
    level = dataclasses.replace(first, heights=flooded.astype(np.float32), serial=2, time=0.5)
    draw(level, camera)
    wet = draw(dataclasses.replace(first, serial=3, time=1.0), camera)
    for number in range(1, 1 + round(2.0 * DRYING)):
        later = draw(dataclasses.replace(first, serial=3 + number, time=1.0 + 2.0 * number), camera)
        if number == round(0.5 * DRYING):
            drying = later
    columns = [camera.project((x, 0.1 * x, 0.0), SIZE)[0] for x in (1.5, 2.5, 3.5, 4.5)]
    left, right, far, end = (round(column) for column in columns)

    def brightness(picture):
        covered, beyond = picture[24:30, left:right].mean(), picture[24:30, far:end].mean()
        return covered, beyond

    (was, there), (is_wet, beside), (in_between, _), (is_dry, _) = map(brightness, (dry, wet, drying, later))
    assert beside == pytest.approx(there, rel=0.01)
    if ground == "sand":
        assert is_wet < 0.85 * was and is_wet < in_between < is_dry
    else:
        assert (is_wet, in_between) == pytest.approx((was, was), rel=0.03)
    assert is_dry == pytest.approx(was, rel=0.03)


@pytest.mark.slow
def test_a_film_of_water_on_land_is_as_bright_as_the_wet_ground_that_it_leaves(drawing):
    """A quarter of the depth from which on water looks like water lies on a shelf, and runs off."""
    shelf = np.where(X < -2.0, -2.0, 0.3)
    draw = drawing(SIZE, look="natural", auto_exposure=False, surroundings="floor")
    first = make_frame((41, 61), 0.2, bed=shelf, heights=np.where(X < -2.0, 0.0, 0.306), serial=1)
    first = dataclasses.replace(first, fixed=np.zeros((41, 61), bool))
    camera = OrbitCamera.framing(first)
    camera.target, camera.distance, camera.azimuth, camera.elevation = (2.0, 0.3, 0.0), 6.0, 0.0, 1.0
    film = draw(first, camera)[20:34, 40:56]
    left = dataclasses.replace(first, heights=np.where(X < -2.0, 0.0, 0.29).astype(np.float32), serial=2, time=0.1)
    wet = draw(left, camera)[20:34, 40:56]
    assert np.abs(film - wet).max() > 0.0
    assert film.mean(axis=(0, 1)) == pytest.approx(wet.mean(axis=(0, 1)), rel=0.015)


@pytest.fixture(scope="module")
def run_off():
    """Frames of waves that run over an island and off again, and a camera before it."""
    settings = {"wave_speed": 16.0, "damping": 0.0, "friction": 0.001, "grid": 256}
    params, values = split_settings({"model": "shallow-water", **settings})
    world = Scene(resolve("bay").load(), params, values).make_world()
    drops = [TimedDrop(Drop(x, z, 5.0, 26.0), 0.0) for x, z in ((-288.0, 178.0), (-268.0, 197.0), (-248.0, 216.0))]
    frames = list(headless.run(world, 11.05, 30.0, drops))[-61:]
    back = np.subtract((-150.0, 20.0, 62.0), (-101.0, 0.0, 18.0))
    camera = dataclasses.replace(
        OrbitCamera.framing(frames[-1]), target=(-101.0, 0.0, 18.0), distance=float(np.linalg.norm(back)),
        azimuth=float(np.arctan2(back[0], back[2])), elevation=float(np.arcsin(back[1] / np.linalg.norm(back))),
        fov=0.42,
    )  # fmt: skip
    return frames, camera


@pytest.mark.slow
def test_a_film_of_water_that_runs_off_is_as_bright_as_the_wet_ground_that_it_leaves(drawing, run_off):
    """A wave has run over an island; what is left of it on the land is a film with an edge."""
    frames, camera = run_off
    draw = drawing((400, 225), look="natural", auto_exposure=False, sun_elevation=38.0, sun_azimuth=300.0)
    for frame in frames:
        seen = draw(frame, camera)
    film, bare = seen[138:142, 276:288].mean(), seen[138:142, 294:302].mean()
    assert film == pytest.approx(bare, rel=0.12)


@pytest.mark.slow
def test_ground_under_a_film_of_water_that_runs_off_has_its_grain(drawing, run_off):
    """The film is a few centimetres thick, over rock; the same rock lies bare beside it."""
    frames, camera = run_off
    settings = {"look": "natural", "auto_exposure": False, "sun_elevation": 38.0, "sun_azimuth": 300.0}
    draw = drawing((400, 225), quality="medium", **settings)
    for frame in frames:
        seen = draw(frame, camera)
    film, beside = seen[150:160, 300:335].mean(axis=2), seen[152:168, 350:390].mean(axis=2)
    changes = [np.abs(np.diff(each, axis=1)).mean() for each in (film, beside)]
    assert changes[0] > 0.8 * changes[1]


@pytest.mark.slow
def test_shores_of_still_water_stay_where_they_are_when_land_has_been_flooded_elsewhere(drawing, renderers):
    draw = drawing((320, 180), surroundings="floor")
    beach = make_frame((41, 61), 0.2, bed=0.06 * (X - 0.1), serial=1)
    camera = OrbitCamera.framing(beach)
    camera.target, camera.distance, camera.azimuth, camera.elevation, camera.fov = (0.0, 0.0, 0.0), 4.0, 0.0, 1.4, 0.4
    fixed = beach.fixed.copy()
    fixed[0, -1] = False
    pixels = []
    for frame in (beach, dataclasses.replace(beach, fixed=fixed, serial=2)):
        draw(frame, camera)
        pixels.append((renderers["low"].find(GBufferPass).materials() == WATER).sum())
    assert pixels[0] > 10_000
    assert pixels[1] == pytest.approx(pixels[0], abs=180)  # a pixel in each row
