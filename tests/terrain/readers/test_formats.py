"""Tables of points, tiles of web maps, archives and virtual rasters."""

import gzip
import zipfile
from pathlib import Path

import numpy as np
import pytest
import rasterio
import rasterio.shutil
from PIL import Image
from support.refusals import refused

from waterview.core.errors import TerrainError
from waterview.terrain.options import TerrainOptions
from waterview.terrain.readers import read_raster
from waterview.terrain.readers.archives import MAX_UNPACKED

HEIGHTS = (np.arange(7)[:, None] * 10 + np.arange(5)).astype(np.float32)
PLACE = {"corner": (5e5, 5e6), "crs": "EPSG:32631"}


# Tables


def lines(heights, step=10.0):
    z, x = np.mgrid[: heights.shape[0], : heights.shape[1]]
    return np.stack((1000.0 + step * x, 2000.0 - step * z, heights), axis=-1)


@pytest.mark.parametrize(
    ("name", "header", "delimiter"),
    [("a.xyz", "", " "), ("a.csv", "x,y,z", ","), ("a.csv", "lon;lat;depth", ";"), ("a.CSV", "x\ty\televation", "\t")],
)
@pytest.mark.parametrize("order", ["rows", "columns", "south first"])
def test_tables_in_every_order(tmp_path, name, header, delimiter, order):
    table = {"rows": lines(HEIGHTS), "columns": lines(HEIGHTS).swapaxes(0, 1), "south first": lines(HEIGHTS)[::-1]}
    np.savetxt(tmp_path / name, table[order].reshape(-1, 3), "%g", delimiter, header=header, comments="")
    raster = read_raster(tmp_path / name)
    assert np.array_equal(raster.values, HEIGHTS) and raster.cell == (10.0, 10.0)
    assert (raster.place.west, raster.place.north) == (1000.0, 2000.0)


def test_columns_are_found_by_their_names_and_missing_points_are_gaps(tmp_path):
    table = np.delete(lines(HEIGHTS - 20).reshape(-1, 3), [7, 8, 20], axis=0)[:, [2, 0, 1]]
    np.savetxt(tmp_path / "a.csv", table, "%g", ",", header="z,x,y", comments="")
    raster = read_raster(tmp_path / "a.csv")
    assert np.flatnonzero(~raster.valid).tolist() == [7, 8, 20]
    assert np.array_equal(raster.values[raster.valid], HEIGHTS[raster.valid] - 20)


def test_points_that_are_no_grid_are_refused_with_advice(tmp_path):
    chance = np.random.default_rng(3)
    np.savetxt(tmp_path / "a.xyz", chance.permutation(lines(HEIGHTS).reshape(-1, 3)), "%g")
    assert "rasterise scattered points first" in refused(tmp_path / "a.xyz")


def test_clouds_of_points_are_refused_with_advice(tmp_path):
    (tmp_path / "a.laz").write_bytes(b"LASF" + bytes(400))
    assert "is a cloud of points (LAS); make a raster of it first" in refused(tmp_path / "a.laz")


# Tiles of web maps, encoded as their makers say: Mapzen's Terrarium, and Mapbox' Terrain-RGB


def terrarium(heights):
    value = heights + 32768.0
    return np.stack((value // 256, value % 256, value % 1 * 256), axis=-1).astype(np.uint8)


def mapbox(heights):
    value = np.rint((heights + 10_000.0) * 10.0).astype(np.int64)
    return np.stack((value >> 16, value >> 8 & 255, value & 255), axis=-1).astype(np.uint8)


def coast(side=64):
    z, x = np.mgrid[:side, :side]
    return 400.0 * np.sin(x / 21.0) + 300.0 * np.cos(z / 13.0) + 3.0 * np.sin(x * z / 7.0)


@pytest.mark.parametrize(("encode", "step"), [(terrarium, 1 / 256), (mapbox, 0.1)])
@pytest.mark.parametrize("ending", [".png", ".webp"])
def test_tiles_of_web_maps_are_recognised_and_decoded(tmp_path, encode, step, ending):
    path = tmp_path / f"tile{ending}"
    Image.fromarray(encode(coast())).save(path, lossless=True)
    for chosen in ("auto", encode.__name__):
        raster = read_raster(path, options=TerrainOptions(encoding=chosen))
        assert raster.format.endswith(f"{encode.__name__} tile") and not raster.relative
        assert np.abs(raster.values - coast()).max() <= step


def test_a_photograph_is_no_tile(tmp_path):
    z, x = np.mgrid[:64, :64]
    chance = np.random.default_rng(1).integers(0, 4, (64, 64))
    sky = np.stack((100 + z // 2 + chance, 120 + z // 2 + chance, 180 + z // 4 + chance), axis=-1)
    dark = np.stack((x // 32, z // 2 + chance, 40 + x // 2 + chance), axis=-1)
    for number, picture in enumerate((sky, dark, np.full((64, 64, 3), (130, 20, 60)))):
        path = tmp_path / f"{number}.png"
        Image.fromarray(picture.astype(np.uint8)).save(path)
        assert "is a colour picture" in refused(path) and "--encoding terrarium or mapbox" in refused(path)
    assert read_raster(path, options=TerrainOptions(encoding="terrarium")).values.mean() == pytest.approx(
        532.23, abs=0.01
    )


def test_an_encoding_without_colours_is_refused(tmp_path):
    Image.fromarray(HEIGHTS.astype(np.uint8)).save(tmp_path / "a.png")
    with pytest.raises(TerrainError, match="is no colour picture; leave --encoding away"):
        read_raster(tmp_path / "a.png", options=TerrainOptions(encoding="mapbox"))


# Archives


def test_a_zipped_geotiff_and_its_like(tmp_path, write_tiff, write_asc):
    tiff, grid = write_tiff(HEIGHTS, **PLACE), write_asc(HEIGHTS)
    grid.with_suffix(".prj").write_text(rasterio.crs.CRS.from_epsg(32631).to_wkt(version="WKT1_ESRI"))
    for name, members in (("tiff.zip", [tiff]), ("grid.zip", [grid, grid.with_suffix(".prj")])):
        with zipfile.ZipFile(tmp_path / name, "w", zipfile.ZIP_DEFLATED) as archive:
            archive.writestr("readme.txt", "hello")
            for member in members:
                archive.write(member, f"folder/{member.name}")
        raster, plain = read_raster(tmp_path / name), read_raster(members[0])
        assert np.array_equal(raster.values, plain.values) and raster.crs == plain.crs and "UTM" in raster.crs
        assert raster.place == plain.place and raster.source == str(tmp_path / name)
        assert raster.format == f"{plain.format}, packed as {members[0].name}"


@pytest.mark.slow
def test_srtm_tiles_as_they_are_published(tmp_path):
    heights = np.random.default_rng(7).integers(0, 900, (1201, 1201)).astype(">i2")
    (tmp_path / "N48W124.hgt.gz").write_bytes(gzip.compress(heights.tobytes(), 1))
    with zipfile.ZipFile(tmp_path / "N48W124.SRTMGL3.hgt.zip", "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("N48W124.hgt", heights.tobytes())
    for name in ("N48W124.hgt.gz", "N48W124.SRTMGL3.hgt.zip"):
        raster = read_raster(tmp_path / name)
        assert np.array_equal(raster.values, heights) and raster.place.north == pytest.approx(49.0)


def test_archives_with_several_or_no_heightmaps_say_so(tmp_path, write_tiff):
    path = write_tiff(HEIGHTS)
    with zipfile.ZipFile(tmp_path / "a.zip", "w") as archive:
        archive.write(path, "a.tif")
        archive.write(path, "b.tif")
    assert "holds several heightmaps: a.tif, b.tif; unpack it and name" in refused(tmp_path / "a.zip")


def test_an_archive_of_archives_and_a_bomb_are_refused(tmp_path, write_tiff, monkeypatch):
    path = tmp_path / "a.gz"
    path.write_bytes(gzip.compress(gzip.compress(write_tiff(HEIGHTS).read_bytes())))
    assert "is packed more than once" in refused(path)
    monkeypatch.setattr("waterview.terrain.readers.archives.MAX_UNPACKED", 1 << 20)
    assert MAX_UNPACKED > 1 << 33
    path.write_bytes(gzip.compress(b"II*\0" + bytes(5 << 20)))
    assert "holds more than" in refused(path)


def test_a_damaged_heightmap_in_an_archive_is_told_under_the_archives_name(tmp_path, write_tiff):
    path = tmp_path / "a.tif.gz"
    path.write_bytes(gzip.compress(write_tiff(HEIGHTS).read_bytes()[:60]))
    assert refused(path).startswith(f"{path}: ") and "waterview-" not in refused(path)


# Virtual rasters


@pytest.fixture
def mosaic(tmp_path, write_tiff):
    """A virtual raster of two tiles beside each other, in a folder of its own."""
    tiles = [write_tiff(HEIGHTS + 100 * n, f"{n}.tif", corner=(5e5 + 50.0 * n, 5e6), crs="EPSG:32631") for n in (0, 1)]
    source = """<SimpleSource><SourceFilename relativeToVRT="1">{name}</SourceFilename><SourceBand>1</SourceBand>
      <SrcRect xOff="0" yOff="0" xSize="5" ySize="7"/><DstRect xOff="{x}" yOff="0" xSize="5" ySize="7"/>
      </SimpleSource>"""
    path = tmp_path / "mosaic.vrt"
    path.write_text(
        '<VRTDataset rasterXSize="10" rasterYSize="7"><SRS>EPSG:32631</SRS>'
        "<GeoTransform>500000, 10, 0, 5000000, 0, -10</GeoTransform>"
        '<VRTRasterBand dataType="Float32" band="1"><NoDataValue>-9999</NoDataValue>'
        + "".join(source.format(name=tile.name, x=5 * number) for number, tile in enumerate(tiles))
        + "</VRTRasterBand></VRTDataset>"
    )
    return path


def test_a_mosaic_is_read_from_the_files_beside_it(mosaic):
    raster = read_raster(mosaic)
    assert np.array_equal(raster.values, np.concatenate((HEIGHTS, HEIGHTS + 100), axis=1))
    assert raster.format == "virtual raster" and "UTM zone 31N" in raster.crs and raster.cell == (10.0, 10.0)


def test_one_written_by_gdal_is_read(tmp_path, write_tiff):
    tile = write_tiff(HEIGHTS, nodata=-9999, **PLACE)
    rasterio.shutil.copy(tile, tmp_path / "a.vrt", driver="VRT")
    assert np.array_equal(read_raster(tmp_path / "a.vrt").values, HEIGHTS)


@pytest.mark.parametrize(
    "name",
    [
        "http://127.0.0.1:9/a.tif",
        "/vsicurl/http://127.0.0.1:9/a.tif",
        "/vsizip/1.zip/a.tif",
        "../1.tif",
        "/etc/passwd",
        'NETCDF:"1.nc":z',
        "<VRTDataset/>",
        "mosaic.vrt",
        "missing.tif",
        "a.asc",
        "",
    ],
)
def test_a_mosaic_names_nothing_but_rasters_beside_it(mosaic, name, tmp_path, write_asc):
    write_asc(HEIGHTS)
    (tmp_path.parent / "1.tif").write_bytes((tmp_path / "1.tif").read_bytes())
    mosaic.write_text(mosaic.read_text().replace(">1.tif<", f">{name.replace('<', '&lt;')}<"))
    with pytest.raises(TerrainError, match=r"names|no such file|is a directory"):
        read_raster(mosaic)


def test_a_link_out_of_the_folder_is_refused(mosaic, tmp_path):
    other = tmp_path.parent / "other.tif"
    (tmp_path / "1.tif").rename(other)
    (tmp_path / "1.tif").symlink_to(other)
    assert "no file beside it" in refused(mosaic)


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ('relativeToVRT="1"', 'relativeToVRT="0"'),
        ('band="1"', 'band="1" subClass="VRTDerivedRasterBand"'),
        ("<VRTDataset ", '<VRTDataset subClass="VRTWarpedDataset" '),
        ("<NoDataValue>-9999</NoDataValue>", "<PixelFunctionType>sqrt</PixelFunctionType>"),
        ("<NoDataValue>-9999</NoDataValue>", "<Overview><SourceFilename>/vsicurl/x</SourceFilename></Overview>"),
        ("<SourceBand>", "<OpenOptions><OOI key='a'>b</OOI></OpenOptions><SourceBand>"),
        ("<GeoTransform>", "<MaskBand/><GeoTransform>"),
        ("<VRTDataset", '<!DOCTYPE a [<!ENTITY b "c">]><VRTDataset'),
        ("VRTDataset", "GDAL_WMS"),
    ],
)
def test_what_could_compute_or_read_elsewhere_is_refused(mosaic, old, new):
    text = mosaic.read_text()
    assert old in text
    mosaic.write_text(text.replace(old, new).replace("<GDAL_WMS", "<?xml version='1.0'?><GDAL_WMS"))
    assert "; " in refused(mosaic)


def test_the_overviews_of_a_tile_are_not_followed(mosaic, tmp_path, write_tiff):
    """A tile can name another file for its overviews, which a decimated mosaic would be read from."""
    heights = np.arange(256 * 256, dtype=np.float32).reshape(256, 256)
    tile = write_tiff(heights, "big.tif", **PLACE)
    other = write_tiff(np.zeros((128, 128), np.float32), "other.tif", corner=(5e5, 5e6), cell=(20.0, 20.0))
    with rasterio.open(tile, "r+") as raster:
        raster.update_tags(ns="OVERVIEWS", OVERVIEW_FILE=str(other))
    rasterio.shutil.copy(tile, tmp_path / "a.vrt", driver="VRT")
    text = Path(tmp_path / "a.vrt").read_text()
    assert "OVERVIEW_FILE" not in text
    assert read_raster(tmp_path / "a.vrt", 128).values.mean() == pytest.approx(heights.mean(), rel=0.01)
