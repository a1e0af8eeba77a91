import io
import math
import struct
import tracemalloc
import warnings
import zipfile

import numpy as np
import pytest
from support.refusals import refused

from waterview.core.commands import SetState
from waterview.core.errors import ParameterError, TerrainError
from waterview.core.georeference import Georeference
from waterview.terrain.georeference import metres_per_degree
from waterview.terrain.heightmap import Heightmap
from waterview.terrain.options import TerrainOptions
from waterview.terrain.readers import read_raster

SIGNALLING_NAN = 0x7FF0_0000_0000_0001


def header(shape, dtype="<f4"):
    stream = io.BytesIO()
    np.lib.format.write_array_header_1_0(stream, {"descr": dtype, "fortran_order": False, "shape": shape})
    return stream.getvalue()


@pytest.fixture
def pattern():
    return np.arange(35).reshape(7, 5)


@pytest.fixture
def save(tmp_path):
    def save(array):
        np.save(tmp_path / "a.npy", array)
        return tmp_path / "a.npy"

    return save


@pytest.fixture
def zipped(tmp_path):
    """zipped(name=chunks) → path of an .npz with these raw members."""

    def write(**members):
        with zipfile.ZipFile(tmp_path / "a.npz", "w", zipfile.ZIP_DEFLATED, compresslevel=1) as archive:
            for name, chunks in members.items():
                with archive.open(f"{name}.npy", "w", force_zip64=True) as stream:
                    for chunk in chunks:
                        stream.write(chunk)
        return tmp_path / "a.npz"

    return write


@pytest.mark.parametrize("dtype", ["u1", "<i2", ">i2", "<u2", "<i4", "<i8", "<f2", "<f4", ">f4", "<f8", "bool"])
def test_npy_round_trip(save, pattern, dtype):
    raster = read_raster(save(pattern.astype(dtype)))
    assert np.array_equal(raster.values, pattern.astype(dtype)) and raster.values.dtype == np.float32
    assert raster.cell == (1.0, 1.0) and not raster.relative and raster.valid.all()


def test_fortran_order_is_turned_back(save, pattern):
    assert np.array_equal(read_raster(save(np.asfortranarray(pattern))).values, pattern)


def test_nan_and_infinity_are_gaps(save, pattern):
    heights = pattern.astype(float)
    heights[1, 2], heights[3, 4], heights[0, 0] = np.nan, -np.inf, 1e300
    assert np.argwhere(~read_raster(save(heights)).valid).tolist() == [[0, 0], [1, 2], [3, 4]]


def test_signalling_nan_is_a_gap_without_a_warning(save, pattern):
    """Damaged files may hold them: as single precision they are invalid, which numpy would print."""
    heights = pattern.astype(float)
    heights.view(np.uint64)[1, 2] = SIGNALLING_NAN
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert np.argwhere(~read_raster(save(heights)).valid).tolist() == [[1, 2]]
        assert np.isfinite(Heightmap.from_array(heights).heights).all()
        with pytest.raises(ParameterError, match="1 values that are not finite"):
            SetState(heights)


@pytest.mark.parametrize("order", ["C", "F"])
def test_decimation_is_strided(save, order):
    heights = np.asarray(np.random.default_rng(8).normal(size=(30, 50)), np.float32, order=order)
    raster = read_raster(save(heights), max_points=20)
    assert np.array_equal(raster.values, heights[::3, ::3]) and raster.cell == (3.0, 3.0)
    assert raster.full_shape == (30, 50)


@pytest.mark.parametrize("order", ["C", "F"])
def test_a_long_narrow_array_keeps_two_lines(save, order):
    heights = np.asarray(np.arange(600.0).reshape(300, 2), order=order)
    raster = read_raster(save(heights), max_points=30)
    assert np.array_equal(raster.values, heights[::10]) and raster.cell == (1.0, 10.0)


@pytest.mark.parametrize("turn", [1, -1])
def test_a_decimated_array_lies_where_the_samples_lie_that_were_kept(tmp_path, turn):
    heights, y = np.arange(1500.0).reshape(30, 50), 10.0 * np.arange(30)[::turn]
    np.savez(tmp_path / "a.npz", heights=heights, x=7.0 * np.arange(50), y=y)
    raster = read_raster(tmp_path / "a.npz", max_points=20)
    assert raster.place == Georeference("", 0.0, y[::3].max(), 21.0, 30.0)
    assert np.array_equal(raster.values, heights[::3, ::3][::-turn])


@pytest.mark.parametrize(
    ("array", "reason"),
    [
        (np.zeros((4, 4), complex), "complex128"),
        (np.array([["a", "b"], ["c", "d"]]), "<U1"),
        (np.zeros((4, 4), "S3"), "|S3"),
        (np.zeros((4, 4), "datetime64[D]"), "datetime64[D]"),
        (np.zeros((4, 4), [("a", "f4"), ("b", "f4")]), "heights must be real numbers"),
        (np.zeros(4), "has 1 dimensions"),
        (np.float32(3), "has 0 dimensions"),
        (np.zeros((2, 4, 4)), "has 3 dimensions"),
        (np.zeros((1, 4)), "each side needs at least 2"),
        (np.zeros((0, 4)), "each side needs at least 2"),
    ],
)
def test_what_is_no_heightmap_is_refused(save, array, reason):
    assert reason in refused(save(array))


def test_pickles_are_never_opened(tmp_path):
    class Bomb:
        def __reduce__(self):
            return (pytest.fail, ("it was unpickled",))

    np.save(tmp_path / "a.npy", np.array([[Bomb()] * 3] * 3, dtype=object), allow_pickle=True)
    assert "pickled Python objects" in refused(tmp_path / "a.npy")
    np.savez(tmp_path / "a.npz", topo=np.array([[Bomb()] * 3] * 3, dtype=object), allow_pickle=True)
    assert "pickled Python objects" in refused(tmp_path / "a.npz")


@pytest.mark.slow
def test_a_file_shorter_than_its_header_says_is_cut_short(save, pattern):
    path = save(pattern)
    path.write_bytes(path.read_bytes()[:-1])
    assert "is cut short" in refused(path)


def test_a_forged_header_is_refused_before_memory_is_taken(tmp_path):
    (tmp_path / "a.npy").write_bytes(header((10**6, 10**6)) + bytes(1000))
    (tmp_path / "b.npy").write_bytes(header((60_000, 60_000)) + bytes(1000))
    tracemalloc.start()
    assert "at most 65,536 a side" in refused(tmp_path / "a.npy")
    assert "is cut short" in refused(tmp_path / "b.npy")
    assert tracemalloc.get_traced_memory()[1] < 1 << 20
    tracemalloc.stop()


def test_an_unknown_version_is_refused(tmp_path):
    (tmp_path / "a.npy").write_bytes(b"\x93NUMPY\x09\x00" + bytes(100))
    assert "version 9.0" in refused(tmp_path / "a.npy")


# .npz


@pytest.mark.parametrize("name", ["topo", "heights", "elevation", "z", "whatever"])
@pytest.mark.parametrize("save_as", [np.savez, np.savez_compressed])
def test_npz_finds_its_heights(tmp_path, pattern, name, save_as):
    save_as(tmp_path / "a.npz", **{name: pattern, "line": np.arange(3)})
    raster = read_raster(tmp_path / "a.npz")
    assert np.array_equal(raster.values, pattern) and raster.format == f"NumPy archive, array '{name}'"


def test_npz_prefers_the_known_name(tmp_path, pattern):
    np.savez(tmp_path / "a.npz", other=pattern + 100, elevation=pattern)
    assert np.array_equal(read_raster(tmp_path / "a.npz").values, pattern)


def test_npz_with_no_clear_choice_lists_what_it_holds(tmp_path, pattern):
    np.savez(tmp_path / "a.npz", one=pattern, two=pattern)
    assert "has 2 arrays and none is named as heights are; choose with --variable NAME among one, two" in refused(
        tmp_path / "a.npz"
    )


def test_npz_with_a_chosen_array(tmp_path, pattern):
    np.savez(tmp_path / "a.npz", one=pattern, two=pattern + 5)
    options = TerrainOptions(variable="two")
    assert np.array_equal(read_raster(tmp_path / "a.npz", options=options).values, pattern + 5)
    with pytest.raises(TerrainError, match="has no array 'twos'; it has one, two; did you mean 'two'"):
        read_raster(tmp_path / "a.npz", options=TerrainOptions(variable="twos"))


def test_names_in_an_archive_are_shown_short_and_printable(tmp_path, pattern):
    np.savez(tmp_path / "a.npz", **{"\u202e\x1b[31m": pattern})
    assert read_raster(tmp_path / "a.npz").format == r"NumPy archive, array '\u202e\x1b[31m'"
    np.savez(tmp_path / "a.npz", **{"x" * 3000: pattern}, **{f"array {n}": pattern for n in range(30)})
    message = refused(tmp_path / "a.npz")
    assert "array 29" in message and len(message) < 1500


@pytest.mark.parametrize("x", [[-1e308, 0.0, 1e308], [0.0, 1e200, 2e200], [0.0, math.nan, 2.0]])
def test_npz_with_coordinates_beyond_all_bounds_is_refused(tmp_path, x):
    np.savez(tmp_path / "a.npz", heights=np.zeros((2, 3)), x=x, y=[0.0, 1.0])
    assert "coordinates 'x' that are not evenly spaced" in refused(tmp_path / "a.npz")


def test_npz_with_coordinates_in_degrees(tmp_path, pattern):
    np.savez(tmp_path / "a.npz", topo=pattern, longitude=234 + 0.1 * np.arange(5), latitude=48 + 0.05 * np.arange(7))
    raster = read_raster(tmp_path / "a.npz")
    per_x, per_z = metres_per_degree(48.15)
    assert raster.cell == pytest.approx((0.1 * per_x, 0.05 * per_z), rel=1e-9)
    assert np.array_equal(raster.values, pattern[::-1])  # latitudes rise, north comes first


def test_npz_with_coordinates_in_metres(tmp_path, pattern):
    np.savez(tmp_path / "a.npz", z=pattern, x=-2.5 * np.arange(5), y=-4.0 * np.arange(7))
    raster = read_raster(tmp_path / "a.npz", max_points=4)
    assert np.array_equal(raster.values, pattern[::2, ::2][:, ::-1]) and raster.cell == (5.0, 8.0)


def test_npz_with_uneven_coordinates_is_refused(tmp_path, pattern):
    np.savez(tmp_path / "a.npz", z=pattern, x=np.arange(5.0) ** 2, y=np.arange(7.0))
    assert "coordinates 'x' that are not evenly spaced" in refused(tmp_path / "a.npz")
    np.savez(tmp_path / "a.npz", z=pattern, lon=np.arange(5.0), lat=np.arange(7.0) + 100)
    assert "latitude" in refused(tmp_path / "a.npz")
    np.savez(tmp_path / "a.npz", z=pattern, x=np.array(list("abcde")), y=np.arange(7.0))
    assert "coordinates 'x' of type <U1" in refused(tmp_path / "a.npz")


def test_a_zip_without_heightmaps_is_refused(tmp_path):
    with zipfile.ZipFile(tmp_path / "a.npz", "w") as archive:
        archive.writestr("readme.txt", "hello")
    assert "holds no heightmap of a known kind; unpack it" in refused(tmp_path / "a.npz")


def test_a_zip_bomb_is_refused_on_its_header(zipped):
    zeros = bytes(1 << 20)
    path = zipped(topo=[header((10**6, 10**6))] + [zeros] * 64)
    tracemalloc.start()
    assert "at most 65,536 a side" in refused(path)
    assert tracemalloc.get_traced_memory()[1] < 4 << 20
    tracemalloc.stop()


@pytest.mark.slow
def test_a_header_that_is_itself_a_bomb_is_not_unpacked(zipped):
    blanks = b" " * (1 << 20)
    path = zipped(topo=[b"\x93NUMPY\x02\x00" + struct.pack("<I", 64 << 20)] + [blanks] * 64)
    tracemalloc.start()
    assert "is damaged or cut short" in refused(path)
    assert tracemalloc.get_traced_memory()[1] < 4 << 20
    tracemalloc.stop()


@pytest.mark.slow
def test_a_large_archive_is_read_line_by_line(zipped):
    line = np.repeat(np.arange(8, dtype="<f4"), 1024)
    path = zipped(heights=[header((4096, 8192))] + [line.tobytes()] * 4096)  # 128 MiB unpacked
    tracemalloc.start()
    raster = read_raster(path, max_points=256)
    assert tracemalloc.get_traced_memory()[1] < 8 << 20
    tracemalloc.stop()
    assert np.array_equal(raster.values, np.tile(line[::32], (128, 1)))
