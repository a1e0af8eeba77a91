"""What users choose about a pool: its tiles, their joints and the ripples of its water."""

import numpy as np
import pytest
from support.scenes import make_frame

from waterview.render.camera.camera import OrbitCamera

SIZE = (240, 240)
PLAIN = {"look": "pool", "quality": "medium", "auto_exposure": False, "sun_elevation": 80.0, "clarity": 20.0}


@pytest.fixture
def pool():
    """12 m × 12 m, 2 m deep, its rim 1.5 m above the water."""
    x = np.linspace(-6.0, 6.0, 121)
    inside = (np.abs(x[None, :]) < 5.55) & (np.abs(x[:, None]) < 5.55)
    return make_frame((121, 121), 0.1, bed=np.where(inside, -2.0, 1.5))


@pytest.fixture
def draw(drawing):
    return drawing(SIZE, **PLAIN)


@pytest.fixture
def from_above(pool):
    """A camera that sees 8 m of the floor's middle; the floor is about 30 pixels for each metre."""
    camera = OrbitCamera.framing(pool)
    camera.target, camera.distance, camera.azimuth, camera.elevation = (0.0, 0.0, 0.0), 40.0, 0.0, 1.55
    camera.fov = 2.0 * np.arctan(4.0 / 41.5)
    return camera


def lines(picture):
    """How many dark lines cross the picture from top to bottom."""
    dark = picture[..., 1].mean(axis=0) < 0.93 * np.median(picture[..., 1])
    return np.count_nonzero(dark[1:] & ~dark[:-1])


@pytest.mark.parametrize("side", [1.0, 2.0])
def test_tiles_are_as_large_as_chosen(draw, pool, from_above, side):
    seen = lines(draw(pool, from_above, tile_size=side, ripples=0.0))
    assert seen == pytest.approx(8.0 / side, abs=1)


def test_grout_may_be_black_or_white(draw, pool, from_above):
    black, grey, white = (
        draw(pool, from_above, tile_size=1.0, ripples=0.0, grout=grout)[..., 1] for grout in ("black", "grey", "white")
    )
    joints = grey - black > 8.0
    assert 0.03 < joints.mean() < 0.3
    assert (white - grey)[joints].mean() > 30.0
    np.testing.assert_allclose(np.median(black), np.median(white), atol=2.0)  # of the tiles themselves


def test_rows_of_chosen_tiles_are_dark_as_a_whole_at_the_waterline(draw, pool):
    camera = OrbitCamera.framing(pool)
    camera.target, camera.distance, camera.azimuth, camera.elevation = (0.5, 0.8, -5.5), 6.0, 0.0, 0.05
    picture = draw(pool, camera, tile_size=1.0)
    heights = np.array([camera.project((0.5, y, -5.5), SIZE)[:2] for y in (0.4, 0.6, 0.8, 1.15, 1.35)]).round()
    red = [picture[int(y), int(x), 0] for x, y in heights]
    assert max(red[:3]) < 0.7 * min(red[3:])


def test_ripples_are_as_strong_as_chosen_also_while_the_water_is_paused(draw, pool, from_above):
    """They make bright and dark places on the floor; without them still water leaves it evenly lit."""
    pictures = [draw(pool, from_above, tile_size=100.0, ripples=share, exposure=-2.5) for share in (0.0, 0.5, 1.0, 0.0)]
    tiles = [picture[20:110, 20:110, 1] for picture in pictures]  # a single one
    uneven = [tile.std() / tile.mean() for tile in tiles]
    assert uneven[0] == uneven[3]
    assert 2.0 * uneven[0] < uneven[1] < 0.7 * uneven[2]


def test_the_coping_of_a_wall_reaches_to_its_edges(draw, from_above):
    """Its dark rows of tiles lie on its sides; slopes rounded off over its edges would lay them on its top."""
    bed = np.full((121, 121), -2.0)
    bed[:, 57:64] = 0.3  # 0.6 m wide
    frame = make_frame((121, 121), 0.1, bed=bed)
    picture = draw(frame, from_above, tile_size=0.3, ripples=0.0)
    middle = [from_above.project((x, 0.3, 0.0), SIZE)[0] for x in (-0.27, 0.0, 0.27)]
    red = picture[100:140, np.round(middle).astype(int), 0].mean(axis=0)
    assert min(red[0], red[2]) > 0.85 * red[1]
