"""Aerial pictures on a map: every pixel lies where its coordinates say, and what is no picture is refused in a line."""

import numpy as np
import pytest
import rasterio
from PIL import Image

from waterview.core.errors import TerrainError
from waterview.terrain import drape
from waterview.terrain.drape import read_drape
from waterview.terrain.heightmap import Heightmap

UTM, WEST, NORTH = "EPSG:32654", 400_000.0, 4_660_000.0


@pytest.fixture
def ground(write_tiff):
    """2 km × 1.6 km in UTM."""
    return Heightmap.load(write_tiff(np.zeros((17, 21), np.float32), corner=(WEST, NORTH), cell=(100, 100), crs=UTM))


def colour_wheel(rows, columns):
    """Red grows to the east and green to the south, blue is 40."""
    red = np.broadcast_to(np.linspace(0.0, 250.0, columns), (rows, columns))
    green = np.broadcast_to(np.linspace(0.0, 250.0, rows)[:, None], (rows, columns))
    return np.stack([red, green, np.full((rows, columns), 40.0)]).astype(np.uint8)


def test_a_picture_in_degrees_lies_where_its_coordinates_say(write_tiff, ground):
    west, north, step = 139.80, 42.09, 5e-5
    picture = colour_wheel(800, 1000)
    path = write_tiff(picture, "a.tif", corner=(west, north), cell=(step, step), crs="EPSG:4326", photometric="RGB")
    colours = read_drape(path, ground).colours
    nz, nx = colours.shape[:2]
    columns, rows = (np.arange(count) + 0.5 for count in (nx, nz))
    x = ground.size[0] * (columns / nx - 0.5)
    z = ground.size[1] * (rows / nz - 0.5)
    longitude, latitude = ground.to_longitude(x[None, :], z[:, None])
    red, green = (longitude - west) / step / 999.0 * 250.0, (north - latitude) / step / 799.0 * 250.0
    inside = (red > 1.0) & (red < 249.0) & (green > 1.0) & (green < 249.0)
    assert inside.mean() > 0.5
    assert (colours[..., 3] == 255)[inside].all()
    assert np.abs(colours[..., 0] - red)[inside].max() < 1.5
    assert np.abs(colours[..., 1] - green)[inside].max() < 1.5
    outside = (red < -1.0) | (red > 251.0) | (green < -1.0) | (green > 251.0)
    assert outside.any()
    assert not colours[..., 3][outside].any()


@pytest.mark.parametrize("silent", ["picture", "terrain"])
def test_without_coordinates_it_covers_the_map_corner_to_corner_and_that_is_said(write_tiff, ground, silent):
    place = {} if silent == "picture" else {"corner": (WEST, NORTH), "crs": UTM}
    path = write_tiff(colour_wheel(60, 80), "a.tif", photometric="RGB", **place)
    if silent == "terrain":
        ground = Heightmap.from_array(np.zeros((17, 21)), cell=100.0)
    found = read_drape(path, ground)
    assert np.array_equal(found.colours[..., :3], np.moveaxis(colour_wheel(60, 80), 0, -1))
    assert (found.colours[..., 3] == 255).all()
    whose = "a.tif does" if silent == "picture" else "the terrain does"
    assert found.notes == (f"{whose} not say where on Earth it lies: a.tif is laid over the terrain corner to corner",)


def test_a_picture_with_a_world_file_takes_the_system_of_the_terrain(write_tiff, ground):
    path = write_tiff(colour_wheel(80, 100), "a.tif", corner=(WEST, NORTH), cell=(22, 22), photometric="RGB")
    found = read_drape(path, ground)
    assert found.notes[0] == "a.tif names no coordinate reference system: that of the other is taken for both"
    assert found.colours[..., 3].all()


def test_large_pictures_are_thinned_and_that_is_said(write_tiff, ground, monkeypatch):
    monkeypatch.setattr(drape, "MAX_SIDE", 50)
    found = read_drape(write_tiff(colour_wheel(80, 100), "a.tif", photometric="RGB"), ground)
    assert found.colours.shape == (40, 50, 4)
    assert found.notes[-1] == "a.tif is thinned from 100 × 80 to 50 × 40 pixels"


def test_colours_of_a_palette_are_not_mixed_where_it_is_thinned(tmp_path, ground, monkeypatch):
    monkeypatch.setattr(drape, "MAX_SIDE", 50)
    picture = Image.fromarray(np.tile(np.array([0, 2], np.uint8), (80, 50)), "P")
    picture.putpalette([200, 0, 0, 100, 0, 100, 0, 0, 200])
    picture.save(tmp_path / "a.png")
    seen = {tuple(colour) for row in read_drape(tmp_path / "a.png", ground).colours.tolist() for colour in row}
    assert seen <= {(200, 0, 0, 255), (0, 0, 200, 255)}


@pytest.mark.parametrize("colours", ["grey", "palette", "transparent"])
def test_other_pictures_have_their_colours(tmp_path, ground, colours):
    rows = np.repeat(np.arange(12, dtype=np.uint8)[:, None], 9, axis=1)
    picture = Image.fromarray(rows * 20)
    if colours == "palette":
        picture = Image.fromarray(rows, "P")
        picture.putpalette([channel for number in range(256) for channel in (200, 10 * number % 256, 7)])
    elif colours == "transparent":
        picture = Image.merge("RGBA", [picture] * 4)
    path = tmp_path / "a.png"
    picture.save(path)
    found = read_drape(path, ground).colours[:, 4]
    wanted = [[200, 10 * row, 7] if colours == "palette" else [20 * row] * 3 for row in range(12)]
    assert found[:, :3].tolist() == wanted
    assert found[:, 3].tolist() == ([20 * row for row in range(12)] if colours == "transparent" else [255] * 12)


@pytest.mark.parametrize("place", [{}, {"corner": (WEST, NORTH), "cell": (22, 22), "crs": UTM}])
def test_holes_of_a_picture_are_transparent(write_tiff, ground, place):
    picture = colour_wheel(80, 100)
    picture[:, 30:50, 40:60] = 0
    found = read_drape(write_tiff(picture, "a.tif", nodata=0, photometric="RGB", **place), ground)
    assert (found.colours[35:40, 45:50, 3] == 0).all()
    assert (found.colours[5:25, 5:35, 3] == 255).all()


def test_colours_of_a_palette_are_not_mixed(write_tiff, ground):
    rows = np.arange(80, dtype=np.uint8)[:, None] // 4 % 2 * np.full(100, 19, np.uint8)
    place = {"corner": (WEST - 7.0, NORTH + 5.0), "cell": (31, 19), "crs": UTM}
    path = write_tiff(rows, "a.tif", photometric="palette", **place)
    with rasterio.open(path, "r+") as dataset:
        dataset.write_colormap(1, {number: (number * 97 % 256, number * 31 % 256, 7) for number in range(256)})
    found = read_drape(path, ground).colours
    seen = {tuple(colour) for colour in found[found[..., 3] == 255][:, :3].tolist()}
    assert seen == {(0, 0, 7), (19 * 97 % 256, 19 * 31 % 256, 7)}


@pytest.mark.parametrize(
    ("name", "bands", "words"),
    [
        ("a.tif", np.zeros((3, 4, 5), np.uint16), "holds uint16 numbers, no picture of 8 bits a colour"),
        ("a.tif", np.zeros((2, 4, 5), np.uint8), "has 2 bands of colour"),
        ("a.tif", np.zeros((65, 4, 5), np.uint8), "has 65 bands, allowed are 64"),
        ("far.tif", np.zeros((3, 4, 5), np.uint8), "does not overlap the map; it reaches from 10 to 10.05"),
        ("site.tif", np.zeros((3, 4, 5), np.uint8), "site.tif: lies in a coordinate system that does not fit the map"),
    ],
)
def test_what_cannot_be_laid_is_refused_in_a_line(write_tiff, ground, name, bands, words):
    place = {"corner": (10.0, 50.0), "cell": (0.01, 0.01), "crs": "EPSG:4326"} if name == "far.tif" else {}
    place |= {"corner": (10.0, 50.0), "crs": 'LOCAL_CS["site",UNIT["metre",1]]'} if name == "site.tif" else {}
    with pytest.raises(TerrainError) as refused:
        read_drape(write_tiff(bands, name, **place), ground)
    assert words in str(refused.value)
    assert "\n" not in str(refused.value)


def test_what_is_no_picture_is_refused(tmp_path, ground):
    (tmp_path / "a.jpg").write_bytes(b"\xff\xd8\xff\xe0 and nothing more")
    (tmp_path / "a.txt").write_text("trees")
    remote = "<VRTRasterBand dataType='Byte' band='1'><SimpleSource><SourceFilename>/vsicurl/http://x/a.tif"
    size = "<VRTDataset rasterXSize='4' rasterYSize='4'>"
    (tmp_path / "a.vrt").write_text(f"{size}{remote}</SourceFilename></SimpleSource></VRTRasterBand></VRTDataset>")
    for name, words in (
        ("a.jpg", "is damaged or cut short"),
        ("a.txt", "is no picture of a known kind"),
        ("a.vrt", "which is no file beside it"),
        ("b.jpg", "there is no such file; allowed are .jpg"),
    ):
        with pytest.raises(TerrainError, match=words):
            read_drape(tmp_path / name, ground)
