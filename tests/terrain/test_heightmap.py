import numpy as np
import pytest
from PIL import Image

from waterview.core.errors import ParameterError, TerrainError
from waterview.terrain.georeference import metres_per_degree
from waterview.terrain.heightmap import Heightmap, TerrainOptions
from waterview.terrain.raster import Raster


@pytest.fixture
def rough():
    return np.random.default_rng(11).normal(size=(7, 5)).astype(np.float32)


@pytest.fixture
def mountain(write_tiff):
    """Metres, 10 m × 20 m cells, 7 rows and 5 columns."""
    heights = np.arange(35, dtype=np.float32).reshape(7, 5) - 10
    return write_tiff(heights, corner=(5e5, 5e6), cell=(10.0, 20.0), crs="EPSG:32631")


# Where it lies


def test_it_is_centred_and_its_samples_reach_the_edges(rough):
    heightmap = Heightmap.from_array(rough, cell=(2.0, 3.0))
    assert heightmap.size == (8.0, 18.0)
    x, z = np.linspace(-4, 4, 5)[None, :], np.linspace(-9, 9, 7)[:, None]
    assert np.array_equal(heightmap.height_at(x, z), rough)
    assert heightmap.height_at(-4.0, -9.0) == rough[0, 0] and heightmap.height_at(4.0, -9.0) == rough[0, -1]


def test_north_is_towards_lower_z_and_east_towards_higher_x(write_tiff):
    heights = np.zeros((5, 5), np.float32)
    heights[0], heights[:, -1] = 10.0, 5.0  # the north edge, the east edge
    heightmap = Heightmap.load(write_tiff(heights, corner=(5e5, 5e6), crs="EPSG:32631"))
    assert heightmap.height_at(0.0, -20.0) == 10.0 and heightmap.height_at(20.0, 0.0) == 5.0
    assert heightmap.height_at(0.0, 20.0) == 0.0 and heightmap.height_at(-20.0, 0.0) == 0.0


def test_size_and_cell_are_two_ways_to_say_it(rough):
    by_size = Heightmap.from_array(rough, size=(8.0, 18.0))
    assert by_size.cell == (2.0, 3.0)
    assert Heightmap.from_array(rough).cell == (1.0, 1.0)
    assert Heightmap.from_array(rough, cell=4).cell == (4, 4)
    with pytest.raises(ParameterError, match="allowed is one of them"):
        Heightmap.from_array(rough, cell=1.0, size=(8.0, 18.0))


def test_heights_are_read_only_and_a_copy(rough):
    heightmap = Heightmap.from_array(rough)
    with pytest.raises(ValueError, match="read-only"):
        heightmap.heights[0, 0] = 1.0
    rough[0, 0] = 99.0
    assert heightmap.heights[0, 0] != 99.0


def test_height_at_has_the_broadcast_shape_and_clamps_outside(rough):
    heightmap = Heightmap.from_array(rough)
    assert heightmap.height_at(np.zeros((1, 4)), np.zeros((3, 1))).shape == (3, 4)
    assert heightmap.height_at([0.0, 1.0], [0.0, 1.0]).shape == (2,)
    assert heightmap.height_at(0.0, 0.0).shape == ()
    assert heightmap.height_at(1e9, -1e9) == rough[0, -1]
    assert heightmap.height_at(-np.inf, np.inf) == rough[-1, 0]
    with pytest.raises(ParameterError, match="NaN"):
        heightmap.height_at([0.0, np.nan], 0.0)


def test_a_slope_is_a_slope_everywhere():
    z, x = np.mgrid[0:9, 0:6].astype(float)
    heightmap = Heightmap.from_array(3.0 * x - z, cell=(2.0, 0.5))
    xs, zs = np.linspace(-5, 5, 33)[None, :], np.linspace(-2, 2, 29)[:, None]
    middle = 3.0 * 2.5 - 4.0
    assert np.allclose(heightmap.height_at(xs, zs), middle + 1.5 * xs - 2.0 * zs, atol=1e-4)


# What the options do


def test_metres_stay_metres(mountain):
    heightmap = Heightmap.load(mountain)
    assert heightmap.cell == (10.0, 20.0) and heightmap.size == (40.0, 120.0)
    assert heightmap.range == (-10.0, 24.0) and heightmap.water_level == 0.0
    assert (heightmap.source, heightmap.title) == (str(mountain), "a.tif")


def test_a_smaller_map_keeps_its_heights_and_proportions(mountain):
    heightmap = Heightmap.load(mountain, options=TerrainOptions(size_m=6.0))
    assert heightmap.size == pytest.approx((2.0, 6.0)) and heightmap.range == (-10.0, 24.0)


def test_vertical_scale_takes_the_water_level_along(mountain):
    heightmap = Heightmap.load(mountain, options=TerrainOptions(vertical_scale=0.5, water_level=4.0))
    assert heightmap.range == (-5.0, 12.0) and heightmap.water_level == 2.0
    assert heightmap.land_share == pytest.approx(20 / 35)  # 5…24 of −10…24, whatever the scale


def test_depth_that_counts_downwards_is_turned_round(mountain):
    heightmap = Heightmap.load(mountain, options=TerrainOptions(depth_positive_down=True))
    assert heightmap.range == (-24.0, 10.0) and heightmap.heights[0, 0] == 10.0


def test_smoothing_keeps_the_mean(rough):
    smooth = Heightmap.from_array(rough, options=TerrainOptions(smoothing=1.5))
    assert smooth.heights.mean() == pytest.approx(rough.mean(), abs=1e-6)
    assert np.ptp(smooth.heights) < 0.5 * np.ptp(rough)


def test_gaps_are_filled_and_counted(rough):
    rough[2, 2:4] = np.nan
    rough[0, 0] = np.inf
    heightmap = Heightmap.from_array(rough)
    assert heightmap.nodata_count == 3 and np.isfinite(heightmap.heights).all()
    assert heightmap.range == (np.nanmin(rough), np.max(rough[np.isfinite(rough)]))


def test_max_points_bounds_what_is_kept(mountain):
    heightmap = Heightmap.load(mountain, max_points=4)
    assert heightmap.heights.shape == (4, 3) and heightmap.cell == pytest.approx((10 * 5 / 3, 20 * 7 / 4))


# Plain pictures


@pytest.mark.parametrize(("dtype", "top"), [(np.uint8, 255), (np.uint16, 65535)])
def test_a_picture_spans_a_quarter_of_its_shorter_side_around_zero(tmp_path, dtype, top):
    levels = np.tile(np.array([0, top // 5, top], dtype), (9, 7))
    Image.fromarray(levels).save(tmp_path / "a.png")
    heightmap = Heightmap.load(tmp_path / "a.png")
    assert heightmap.size == (20.0, 8.0) and heightmap.range == pytest.approx((-1.0, 1.0))
    assert np.unique(heightmap.heights) == pytest.approx([-1.0, 0.4 - 1.0, 1.0])


def test_a_picture_keeps_its_form_when_its_size_changes(tmp_path):
    Image.fromarray(np.tile(np.array([10, 200], np.uint8), (9, 9))).save(tmp_path / "a.png")
    heightmap = Heightmap.load(tmp_path / "a.png", options=TerrainOptions(size_m=170.0, vertical_scale=2.0))
    assert heightmap.size == (170.0, 80.0) and heightmap.range == pytest.approx((-20.0, 20.0))


def test_a_picture_of_one_grey_is_flat_at_zero(tmp_path):
    Image.new("L", (4, 4), 77).save(tmp_path / "a.png")
    assert Heightmap.load(tmp_path / "a.png").range == (0.0, 0.0)


def test_a_picture_counts_its_gaps_as_neither_land_nor_sea(tmp_path):
    grey, alpha = np.full((6, 6), 100, np.uint8), np.full((6, 6), 255, np.uint8)
    grey[0, 0], grey[5, 5], alpha[2, 2], grey[2, 2] = 50, 150, 0, 255
    Image.merge("LA", (Image.fromarray(grey), Image.fromarray(alpha))).save(tmp_path / "a.png")
    heightmap = Heightmap.load(tmp_path / "a.png")
    assert heightmap.nodata_count == 1 and heightmap.range == pytest.approx((-0.625, 0.625))


# Degrees


def test_degrees_become_metres(write_tiff):
    path = write_tiff(np.zeros((11, 21), np.int16), corner=(8.0, 47.055), cell=(0.02, 0.01), crs="EPSG:4326")
    per_x, per_z = metres_per_degree(47.0)
    assert Heightmap.load(path).size == pytest.approx((20 * 0.02 * per_x, 10 * 0.01 * per_z))


# What cannot be


@pytest.mark.parametrize(
    "array",
    [np.zeros(4), np.zeros((1, 4)), np.zeros((4, 0)), np.zeros((2, 3, 4)), np.zeros((3, 3), complex), [["a", "b"]] * 2],
)
def test_what_is_no_heightmap_is_refused(array):
    with pytest.raises(TerrainError, match="a 2-D array of real numbers with 2 or more a side is needed"):
        Heightmap.from_array(array)


@pytest.mark.parametrize("value", [np.nan, np.inf, -np.inf])
def test_nothing_but_gaps_is_refused(value, write_tiff):
    with pytest.raises(TerrainError, match="has no data in any sample"):
        Heightmap.from_array(np.full((3, 3), value))
    with pytest.raises(TerrainError, match=r"a\.tif: has no data in any sample"):
        Heightmap.load(write_tiff(np.full((3, 3), value, "float32")))


def test_all_nodata_is_refused(write_tiff, write_asc):
    for path in (write_tiff(np.full((3, 3), 7, "int16"), nodata=7), write_asc(np.full((3, 3), 7), nodata_value=7)):
        with pytest.raises(TerrainError, match="has no data in any sample"):
            Heightmap.load(path)


def test_heights_beyond_all_bounds_are_refused():
    with pytest.raises(TerrainError, match="heights up to 200000 m; allowed are ±100000 m"):
        Heightmap.from_array([[0.0, 2e5], [0.0, 0.0]])
    with pytest.raises(TerrainError, match="choose a smaller vertical scale"):
        Heightmap.from_array([[0.0, 3e38], [0.0, 0.0]], options=TerrainOptions(vertical_scale=1000.0))


@pytest.mark.parametrize("cell", [0.0, -1.0, np.nan, np.inf, 1e9])
def test_cells_beyond_all_bounds_are_refused(cell):
    with pytest.raises(TerrainError, match="has cells of"):
        Heightmap.from_array(np.zeros((3, 3)), cell=cell)


def test_readers_and_arrays_share_one_path(rough):
    raster = Raster("x", "test", rough, np.ones(rough.shape, bool), (2.0, 2.0), rough.shape)
    options = TerrainOptions(vertical_scale=3.0, smoothing=1.0, size_m=100.0)
    assert np.array_equal(
        Heightmap.from_raster(raster, options).heights,
        Heightmap.from_array(rough, cell=2.0, options=options).heights,
    )


# Hints


def test_flat_relief_is_hinted_at():
    bump = np.zeros((11, 11))
    bump[5, 5] = 1.0
    assert Heightmap.from_array(bump, cell=1.0).relief_hint() == ""
    assert (
        "only 1 % of the width: a --vertical-scale 10 times larger" in Heightmap.from_array(bump, cell=10).relief_hint()
    )
    assert "perfectly flat" in Heightmap.from_array(np.ones((3, 3))).relief_hint()


# Arrays as people have them


def test_what_is_masked_has_no_data(rough):
    masked = np.ma.masked_array(rough, np.zeros(rough.shape, bool))
    masked[2:4, 1:3] = np.ma.masked
    holes = np.where(np.ma.getmaskarray(masked), np.nan, rough)
    masked.data[2:4, 1:3] = -9999.0
    heightmap = Heightmap.from_array(masked)
    assert heightmap.nodata_count == 4
    assert np.array_equal(heightmap.heights, Heightmap.from_array(holes).heights)
    whole_numbers = np.ma.masked_equal(np.array([[1, 2, 3], [4, -32768, 6]], np.int16), -32768)
    assert Heightmap.from_array(whole_numbers).range == (1.0, 6.0)


def test_lengths_may_be_numbers_of_numpy(rough):
    for cell in (np.float32(2), np.int64(2), np.array([2, 2]), [2, 2]):
        assert Heightmap.from_array(rough, cell=cell).cell == (2.0, 2.0)
    assert Heightmap.from_array(rough, size=np.array([8, 18])).cell == (2.0, 3.0)


@pytest.mark.parametrize("lengths", [{"cell": "wide"}, {"cell": (1.0, 2.0, 3.0)}, {"size": 40.0}, {"size": (40.0,)}])
def test_lengths_that_are_not_two_are_reported(rough, lengths):
    (name,) = lengths
    with pytest.raises(ParameterError, match=f"heightmap's {name} of .* along x and along z") as caught:
        Heightmap.from_array(rough, **lengths)
    assert "\n" not in str(caught.value)


def test_rows_of_different_lengths_are_reported():
    with pytest.raises(TerrainError, match="rows of different lengths"):
        Heightmap.from_array([[1.0, 2.0], [3.0]])
