"""Damaged files, and files larger than the memory to hold them."""

import os
import struct
import subprocess
import sys
import zlib
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from waterview.core.errors import TerrainError
from waterview.terrain.heightmap import Heightmap
from waterview.terrain.raster import DEFAULT_POINTS
from waterview.terrain.readers import read_raster
from waterview.terrain.readers.native_words import without_native_words

# Prints how much the peak of resident memory rose [MiB] while argv[1] was loaded, and what came of it.
MEASURE = """
import resource, sys
import rasterio.warp
import waterview.terrain.readers.gdal_reader
from waterview.terrain.heightmap import Heightmap
before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
heightmap = Heightmap.load(sys.argv[1])
after = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
print((after - before) // 1024, *heightmap.heights.shape, *heightmap.cell, *heightmap.range)
"""


def test_pathlib_and_strings_are_both_paths(write_tiff):
    path = write_tiff(np.ones((3, 3), "float32"))
    assert read_raster(str(path)).source == read_raster(path).source == str(path)


def test_a_name_with_odd_characters_is_read_and_told_on_one_line(tmp_path, write_tiff):
    path = write_tiff(np.ones((3, 3), "float32"))
    odd = path.rename(tmp_path / "a\nb:c!d é.tif")
    assert read_raster(odd).values.shape == (3, 3)
    odd.write_bytes(odd.read_bytes()[:20])
    with pytest.raises(TerrainError) as caught:
        read_raster(odd)
    assert str(caught.value).isprintable()


# Damage


@pytest.fixture
def small_files(tmp_path, write_tiff, write_asc):
    levels = (np.arange(24 * 20).reshape(24, 20) ** 2) % 251
    Image.fromarray(levels.astype(np.uint8)).save(tmp_path / "8.png")
    Image.fromarray((levels * 257).astype(np.uint16)).save(tmp_path / "16.png")
    Image.fromarray(levels.astype(np.uint8)).convert("P").save(tmp_path / "palette.png")
    np.save(tmp_path / "a.npy", levels.astype(np.float32))
    np.savez(tmp_path / "a.npz", topo=levels, longitude=np.arange(20) / 10, latitude=np.arange(24) / 10)
    np.savez_compressed(tmp_path / "b.npz", heights=levels)
    write_tiff(levels.astype("float32"), "geo.tif", corner=(5e5, 5e6), crs="EPSG:32631", nodata=-9999)
    write_tiff(levels.astype("int16"), "deflate.tif", compress="deflate", predictor=2)
    write_tiff(levels.astype("float32"), "tiles.tif", tiled=True, blockxsize=16, blockysize=16, compress="lzw")
    write_tiff(levels.astype("uint8"), "jpeg.tif", compress="jpeg")
    write_asc(levels)
    return sorted(path for path in tmp_path.iterdir() if path.is_file())


def damaged(original: bytes, random: np.random.Generator) -> bytes:
    content = bytearray(original)
    for _ in range(random.integers(1, 8)):
        content[random.integers(len(content))] = random.integers(256)
    match random.integers(4):
        case 0:
            del content[random.integers(len(content)) :]
        case 1:
            content += random.bytes(40)
    return bytes(content)


def load(path: Path) -> tuple[Heightmap | None, str]:
    """The heightmap, or None and what the refusal says; any other exception fails the test."""
    try:
        return Heightmap.load(path), ""
    except TerrainError as error:
        return None, str(error)


@pytest.mark.slow
def test_damaged_files_load_sanely_or_say_so_in_one_line(tmp_path, small_files, capfd):
    random = np.random.default_rng(9)
    loaded = refused = 0
    for original in small_files:
        content, path = original.read_bytes(), tmp_path / f"damaged{original.suffix}"
        for _ in range(50):
            path.write_bytes(damaged(content, random))
            heightmap, message = load(path)
            if heightmap is None:
                assert message.isprintable() and str(path) in message
                refused += 1
            else:
                assert np.isfinite(heightmap.heights).all()
                assert min(heightmap.heights.shape) >= 2 and max(heightmap.heights.shape) <= DEFAULT_POINTS
                loaded += 1
    assert loaded > 20 and refused > 200  # both kinds were really met
    assert capfd.readouterr() == ("", "")


def test_what_libraries_print_stays_away_and_all_else_is_printed(capfd):
    with without_native_words():
        os.write(2, b"_tiffSeekProc: Invalid argument.\nfrom another thread\nError: Key 3076 of unknown type.\n")
        print("and from Python", file=sys.stderr)
        with without_native_words():  # another thread reads, too
            os.write(2, b"TIFFReadDirectory: Warning, unknown field.\n")
    os.write(2, b"after it\n")
    said = capfd.readouterr().err
    assert sorted(said.splitlines()) == ["after it", "and from Python", "from another thread"]


def test_a_strip_that_lies_nowhere_is_refused_in_one_line(write_tiff, capfd):
    path = write_tiff(np.ones((4, 4), "float32"), BIGTIFF="YES")
    content = bytearray(path.read_bytes())
    (directory,) = struct.unpack_from("<Q", content, 8)
    entries = range(directory + 8, len(content), 20)
    (offset,) = [at + 12 for at in entries if struct.unpack_from("<H", content, at) == (273,)]
    struct.pack_into("<Q", content, offset, 255 << 48)
    path.write_bytes(content)
    assert load(path)[0] is None
    assert capfd.readouterr() == ("", "")


def test_damaged_srtm_tiles_too(tmp_path):
    random = np.random.default_rng(10)
    content, path = bytes(2 * 1201 * 1201), tmp_path / "N10E010.hgt"
    for _ in range(5):
        path.write_bytes(content[: random.integers(len(content))])
        with pytest.raises(TerrainError, match="is damaged or cut short"):
            Heightmap.load(path)


@pytest.mark.slow
def test_a_file_cut_short_is_refused_or_lacks_nothing(small_files):
    random = np.random.default_rng(12)
    for path in small_files:
        content, whole = path.read_bytes(), Heightmap.load(path).heights
        # All the ends, where only check sums are missing, and some cuts before. A text may end inside its last number.
        end = len(content) - (4 if path.suffix == ".asc" else 0)
        for length in [*range(end - 30, end), *random.integers(1, end - 30, 20)]:
            path.write_bytes(content[:length])
            heightmap, _ = load(path)
            assert heightmap is None or (path.suffix == ".png" and np.array_equal(heightmap.heights, whole))
            assert heightmap is None or length >= len(content) - 12  # the chunk that marks a PNG's end


def test_running_out_of_memory_is_reported_and_survived(write_tiff, monkeypatch):
    def exhausted(*_, **__):
        raise MemoryError

    monkeypatch.setattr("waterview.terrain.readers.gdal_reader.ground_cell", exhausted)
    with pytest.raises(TerrainError, match="needs more memory than there is; cut it into tiles"):
        read_raster(write_tiff(np.ones((3, 3), "float32")))


# Size


@pytest.mark.parametrize(
    ("side", "text"), [(100_000, "at most 65,536"), (2**31 - 1, "damaged"), (60_000, "would unpack")]
)
def test_a_forged_picture_is_refused(forge_png, side, text):
    with pytest.raises(TerrainError, match=text):
        read_raster(forge_png(side, side, 16, zlib.compress(bytes(1000))))


def peak_while_loading(path: Path) -> tuple[int, list[float]]:
    command = [sys.executable, "-c", MEASURE, str(path)]
    figures = subprocess.run(command, capture_output=True, text=True, check=True).stdout.split()
    return int(figures[0]), [float(figure) for figure in figures[1:]]


@pytest.mark.slow
def test_a_huge_geotiff_loads_in_bounded_memory(write_tiff):
    import rasterio
    from rasterio.windows import Window

    path = write_tiff(np.zeros((2, 2), "int16"))
    profile = {"driver": "GTiff", "width": 30_000, "height": 30_000, "count": 1, "dtype": "int16", "sparse_ok": True}
    transform = rasterio.Affine(10, 0, 0, 0, -10, 0)
    with rasterio.open(path, "w", **profile, tiled=True, compress="deflate", transform=transform) as dataset:
        dataset.write(np.full((512, 512), 700, "int16"), 1, window=Window(1024, 2048, 512, 512))
    peak, figures = peak_while_loading(path)  # 1.8 GB unpacked
    assert peak < 400
    assert figures[:2] == [2048, 2048] and figures[4:] == [0.0, 700.0]
    assert figures[2] == pytest.approx(10 * 30_000 / 2048)


@pytest.mark.slow
def test_a_huge_picture_loads_in_bounded_memory(huge_png):
    path = huge_png(16_000)  # 256 MB unpacked
    peak, figures = peak_while_loading(path)
    assert peak < 200
    assert figures[:2] == [2048, 2048]
    assert figures[5] - figures[4] == pytest.approx(0.25 * 2047 * 16_000 / 2048, rel=1e-6)
