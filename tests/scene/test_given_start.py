"""A start that is given by files: where it lies on the map, what it does to the water, and what is refused."""

from pathlib import Path

import numpy as np
import pytest
import rasterio
from rasterio import Affine

from waterview.core.errors import InputError
from waterview.scene.given_start import GivenStart
from waterview.scene.navigator import Navigator
from waterview.scene.okada import Fault
from waterview.scene.presets import load_preset
from waterview.scene.scene import Scene, SceneParams
from waterview.terrain.georeference import transformed
from waterview.terrain.heightmap import Heightmap
from waterview.terrain.library import resolve
from waterview.waters import MODELS

UTM = "EPSG:32654"
WEST, NORTH = 350_000.0, 4_660_000.0

FAULT = """
[[faults]]
x = 0
z = 0
depth = 5000
length = 12_000
width = 6000
strike = 0
dip = 30
rake = 90
slip = 3
"""


def write_tiff(path, values, corner, cell, crs=UTM):
    with rasterio.open(
        path,
        "w",
        driver="GTiff",
        width=values.shape[1],
        height=values.shape[0],
        count=1,
        dtype="float32",
        crs=crs,
        transform=Affine(cell, 0.0, corner[0], 0.0, -cell, corner[1]),
    ) as dataset:
        dataset.write(values.astype(np.float32), 1)
    return path


@pytest.fixture
def ground(tmp_path):
    """40 km × 30 km of sea 1000 m deep, with land in the west."""
    bed = np.full((31, 41), -1000.0)
    bed[:, :6] = 50.0
    return Heightmap.load(write_tiff(tmp_path / "bed.tif", bed, (WEST, NORTH), 1000.0))


@pytest.fixture
def fault(tmp_path):
    def write(text=FAULT):
        path = tmp_path / "fault.toml"
        path.write_text(text, encoding="utf-8")
        return path

    return write


def water_of(ground, start, model="shallow-water", points=41):
    return Scene(ground, SceneParams(model=model, grid=points), start=start).make_water()


class TestSurface:
    def hump(self, tmp_path, crs=UTM):
        """Heights of up to 2 m around a place 12 km east and 9 km south of the corner, on a raster of part of it."""
        x, y = np.meshgrid(
            WEST + 8000.0 + 250.0 * np.arange(40) + 125.0, NORTH - 5000.0 - 250.0 * np.arange(40) - 125.0
        )
        heights = 2.0 * np.exp(-((x - WEST - 12e3) ** 2 + (y - NORTH + 9e3) ** 2) / 1500.0**2)
        return write_tiff(tmp_path / "hump.tif", heights, (WEST + 8000.0, NORTH - 5000.0), 250.0, crs)

    def test_it_lies_where_its_coordinates_say(self, ground, tmp_path):
        water = water_of(ground, GivenStart(self.hump(tmp_path)))
        x, y = ground.to_coordinates(water.grid.x[None, :], water.grid.z[:, None])
        expected = 2.0 * np.exp(-((x - WEST - 12e3) ** 2 + (y - NORTH + 9e3) ** 2) / 1500.0**2)
        assert expected.max() > 1.0
        assert np.allclose(water.height, expected, atol=1e-3)
        assert not water.height[:, -8:].any()  # outside the raster there is still water

    def test_another_system_leads_to_the_same_place(self, ground, tmp_path):
        lon, lat = transformed(WEST + 12e3, NORTH - 9e3, UTM, "EPSG:4326")
        cell = 0.003
        x, y = np.meshgrid(float(lon) + cell * np.arange(-20, 21), float(lat) - cell * np.arange(-20, 21))
        heights = 2.0 * np.exp(-(((x - lon) * 82e3) ** 2 + ((y - lat) * 111e3) ** 2) / 1500.0**2)
        corner = float(lon) - 20.5 * cell, float(lat) + 20.5 * cell
        path = write_tiff(tmp_path / "degrees.tif", heights, corner, cell, "EPSG:4326")
        one, other = (water_of(ground, GivenStart(each)) for each in (self.hump(tmp_path), path))
        assert np.abs(one.height - other.height).max() < 0.05

    def test_numbers_without_coordinates_cover_the_map(self, ground, tmp_path):
        path = tmp_path / "plane.npy"
        np.save(path, np.tile(np.linspace(0.0, 4.0, 9), (5, 1)))
        water = water_of(ground, GivenStart(path))
        assert np.allclose(water.height[3, 6:], np.linspace(0.0, 4.0, 41)[6:], atol=1e-4)

    def test_gaps_outside_of_the_map_do_no_harm(self, ground, tmp_path):
        values = np.full((60, 60), 0.5)
        values[:15] = np.inf  # 5 km and more north of the map
        water = water_of(ground, GivenStart(write_tiff(tmp_path / "wide.tif", values, (WEST, NORTH + 20e3), 1000.0)))
        assert np.allclose(water.height[:, 6:], 0.5)

    def test_land_starts_dry(self, ground, tmp_path):
        path = tmp_path / "high.npy"
        np.save(path, np.full((4, 4), 60.0))
        water = water_of(ground, GivenStart(path))
        assert water.fixed[:, :6].all() and not water.height[:, :6].any()
        assert (water.height[:, 6:] == 60.0).all()

    def test_a_flow_moves_the_water(self, ground, tmp_path):
        rasters = [tmp_path / "x.npy", tmp_path / "z.npy"]
        for path, value in zip(rasters, (50.0, -20.0), strict=True):
            np.save(path, np.full((4, 4), value))
        water = water_of(ground, GivenStart(flow_x=rasters[0], flow_z=rasters[1]))
        speed = water.field_maps()["speed"].values
        assert speed[15, 20] == pytest.approx(np.hypot(50.0, 20.0) / 1000.0, rel=1e-4)
        assert not speed[:, :6].any()

    @pytest.mark.parametrize(
        ("values", "corner", "crs", "words"),
        [
            (np.zeros((4, 4)), (WEST + 90e3, NORTH), UTM, "does not overlap the map"),
            (np.zeros((4, 4)), (WEST, NORTH), None, "names no coordinate reference system"),
            (np.full((9, 9), np.nan), (WEST, NORTH), UTM, "81 samples without a number"),
            (np.full((9, 9), 2e5), (WEST, NORTH), UTM, "allowed are"),
        ],
    )
    def test_what_is_wrong_is_told_in_a_line(self, ground, tmp_path, values, corner, crs, words):
        path = write_tiff(tmp_path / "wrong.tif", values, corner, 1000.0, crs)
        with pytest.raises(InputError, match=words) as told:
            water_of(ground, GivenStart(path))
        assert "\n" not in str(told.value)

    def test_a_raster_of_earth_needs_a_map_of_earth(self, tmp_path):
        flat = Heightmap.from_array(np.full((9, 9), -10.0), cell=1000.0)
        with pytest.raises(InputError, match="array: names no coordinate reference system"):
            water_of(flat, GivenStart(self.hump(tmp_path)))

    def test_a_model_without_a_surface_says_so(self, ground, tmp_path):
        with pytest.raises(InputError, match="the ocean model cannot start"):
            water_of(ground, GivenStart(self.hump(tmp_path)), "ocean")


class TestFaults:
    def test_the_water_rises_as_the_ground_does(self, ground, fault):
        water = water_of(ground, GivenStart(fault=fault()))
        grid = water.grid
        expected = Fault(0.0, 0.0, 5e3, 12e3, 6e3, 0.0, 30.0, 90.0, 3.0).displacement(
            grid.x[None, :], -grid.z[:, None]
        )[2]
        sea = ~water.fixed
        assert expected.max() > 0.5
        assert np.allclose(water.height[sea], expected[sea], atol=1e-6)
        assert not water.height[~sea].any()
        assert water.bed.min() == -1000.0  # the bed stays

    @pytest.mark.parametrize(
        ("reference", "moved", "depth"), [("top", 1.0, 5e3 - 1.5e3), ("bottom", -1.0, 5e3 + 1.5e3)]
    )
    def test_an_edge_can_be_named_instead_of_the_middle(self, ground, fault, reference, moved, depth):
        # Strike north, so it dips to the east: its upper edge lies to the west.
        x = -moved * 3e3 * np.cos(np.radians(30.0))
        text = FAULT.replace("x = 0", f'x = {x}\nreference = "{reference}"').replace("depth = 5000", f"depth = {depth}")
        given, same = (water_of(ground, GivenStart(fault=fault(each))).height.copy() for each in (FAULT, text))
        assert np.allclose(given, same, atol=1e-5)

    def test_faults_add_up_and_may_be_placed_by_longitude(self, ground, fault):
        lon, lat = transformed(*ground.to_coordinates(0.0, 0.0), UTM, "EPSG:4326")
        by_degrees = FAULT.replace("x = 0\nz = 0", f"longitude = {lon}\nlatitude = {lat}")
        one, two = (
            water_of(ground, GivenStart(fault=fault(text))).height.copy() for text in (FAULT, FAULT + by_degrees)
        )
        assert np.allclose(two, 2.0 * one, atol=1e-3)

    def test_a_slope_moved_sideways_counts_if_asked_for(self, tmp_path, fault):
        slope = np.tile(np.linspace(-3000.0, -1000.0, 41), (31, 1))
        ground = Heightmap.from_array(slope, cell=1000.0)
        one, other = (water_of(ground, GivenStart(fault=fault(text))) for text in (FAULT, "horizontal = true" + FAULT))
        grid = one.grid
        east = Fault(0.0, 0.0, 5e3, 12e3, 6e3, 0.0, 30.0, 90.0, 3.0).displacement(grid.x[None, :], -grid.z[:, None])[0]
        assert np.allclose(other.height - one.height, -0.05 * east, atol=5e-4)
        assert np.abs(other.height - one.height).max() > 0.01

    @pytest.mark.parametrize(
        ("text", "words"),
        [
            ("[[faults]", "is no TOML"),
            ("", "at least one table"),
            (FAULT + "colour = 3", r"faults\[1\].colour: there is no such key"),
            (FAULT.replace("dip = 30", "dip = 95"), r"faults\[1\].dip: 95; a number from 0 to 90"),
            (FAULT.replace("slip = 3", ""), r"slip: it is missing"),
            (FAULT.replace("slip = 3", "slip = nan"), r"slip: nan; a number"),
            (FAULT.replace("x = 0", "x = 60_000"), r"faults\[1\]: the fault lies outside the map"),
            (FAULT.replace("depth = 5000", "depth = 500"), "stand 1000 m out of the ground"),
            (FAULT.replace("x = 0", "longitude = 3"), "either longitude and latitude"),
            (FAULT.replace("x = 0", 'x = 0\nreference = "side"'), "allowed are middle, top, bottom"),
        ],
    )
    def test_what_is_wrong_is_told_in_a_line(self, ground, fault, text, words):
        with pytest.raises(InputError, match=words) as told:
            water_of(ground, GivenStart(fault=fault(text)))
        assert "\n" not in str(told.value) and "fault.toml" in str(told.value)


def test_a_preset_names_its_start_beside_itself(tmp_path, fault):
    fault()
    (tmp_path / "wave.toml").write_text('terrain = "basin"\nfault = "fault.toml"\n')
    preset = load_preset(tmp_path / "wave.toml")
    assert preset.start == GivenStart(fault=tmp_path / "fault.toml")
    other = GivenStart(fault=tmp_path / "other.toml")
    assert preset.start.overridden_by(other) == other


def test_the_start_goes_along_to_the_next_model_and_not_to_the_next_terrain(ground, fault):
    source = resolve(ground.source)
    scene = Scene(ground, SceneParams(model="shallow-water", grid=41), start=GivenStart(fault=fault()))
    navigator = Navigator(scene, [source, resolve("basin")])
    for _ in MODELS:
        model, command = navigator.next_model()
        water = command.make()
        assert water.height.any() == (water.can_be_given_state or model in ("ocean",))
    navigator.open(Path(ground.source))
    (command,) = navigator.next_terrain().commands
    assert not command.make().height.any()
