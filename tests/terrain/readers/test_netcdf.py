"""NetCDF as GEBCO, ETOPO and EMODnet publish it, written by the library of its makers and by SciPy."""

import numpy as np
import pytest
from support.refusals import refused

from waterview.core.errors import TerrainError
from waterview.terrain.georeference import degrees_to_metres
from waterview.terrain.heightmap import Heightmap
from waterview.terrain.options import TerrainOptions
from waterview.terrain.readers import apart, read_raster
from waterview.terrain.readers.hdf5_links import link_outwards

LATITUDE, LONGITUDE = 40.0 + 0.05 * np.arange(13), 10.0 + 0.04 * np.arange(17)
HEIGHTS = (np.arange(13)[:, None] * 100 + np.arange(17)).astype(np.int16)
"""Heights that rise northwards and eastwards, as they lie in such files: the south first."""


@pytest.fixture
def write(tmp_path):
    """write(kind="NETCDF4", **variables) → path; a variable is its type, its attributes and, if wanted, its values."""

    import netCDF4

    def write(kind="NETCDF4", **variables):
        path = tmp_path / "a.nc"
        with netCDF4.Dataset(path, "w", format=kind) as file:
            for name, values, unit in (("lat", LATITUDE, "degrees_north"), ("lon", LONGITUDE, "degrees_east")):
                file.createDimension(name, len(values))
                axis = file.createVariable(name, "f8", (name,))
                axis[:], axis.units = values, unit
            for name, (dtype, attributes, *values) in variables.items():
                fill = attributes.pop("_FillValue", None)
                variable = file.createVariable(name, dtype, ("lat", "lon"), fill_value=fill)
                variable.setncatts(attributes)
                variable[:] = values[0] if values else HEIGHTS
        return path

    return write


@pytest.mark.sampled
@pytest.mark.parametrize("kind", ["NETCDF4", "NETCDF4_CLASSIC", "NETCDF3_CLASSIC", "NETCDF3_64BIT_OFFSET"])
def test_every_kind_is_turned_north_first_and_measured_in_metres(write, kind):
    raster = read_raster(write(kind, elevation=("i2", {"units": "m"})))
    assert np.array_equal(raster.values, HEIGHTS[::-1]) and raster.valid.all()
    assert raster.cell == pytest.approx(degrees_to_metres((0.04, 0.05), 40.3))
    assert raster.format == "NetCDF, variable 'elevation'" and not raster.notes
    assert (raster.place.west, raster.place.north) == pytest.approx((10.0, 40.6))


@pytest.mark.slow
def test_the_classic_format_of_another_library(tmp_path):
    import xarray

    array = xarray.DataArray(HEIGHTS, {"y": LATITUDE, "x": LONGITUDE}, ("y", "x"), "z")
    array.to_netcdf(tmp_path / "bare.grd", engine="scipy")
    raster = read_raster(tmp_path / "bare.grd")
    assert np.array_equal(raster.values, HEIGHTS[::-1]) and raster.cell == (1.0, 1.0)
    assert "bare.grd marks no coordinates" in raster.notes[0]
    for name in array.dims:
        array[name].attrs["axis"] = name.upper()
    array.to_netcdf(tmp_path / "a.grd", engine="scipy")
    assert "taken as degrees" in read_raster(tmp_path / "a.grd").notes[0]  # its axes say nothing of a unit
    assert read_raster(tmp_path / "a.grd", options=TerrainOptions(units="metres")).cell == pytest.approx((0.04, 0.05))


@pytest.mark.slow
def test_the_variable_with_the_heights_is_found_or_chosen(write):
    path = write(tid=("i1", {}, HEIGHTS * 0 + 7), elevation=("i2", {}), stdev=("f4", {}, HEIGHTS / 2))
    assert np.array_equal(read_raster(path).values, HEIGHTS[::-1])
    assert (read_raster(path, options=TerrainOptions(variable="tid")).values == 7).all()
    with pytest.raises(
        TerrainError, match="has no variable 'stdv'; it has tid, elevation, stdev; did you mean 'stdev'"
    ):
        read_raster(path, options=TerrainOptions(variable="stdv"))
    path = write(one=("i2", {}), two=("i2", {}))
    assert "has 2 variables and none is named as heights are; choose with --variable NAME among one, two" in refused(
        path
    )
    path = write(one=("i2", {}))
    assert read_raster(path, options=TerrainOptions(variable="one")).valid.all()
    with pytest.raises(TerrainError, match="has no variable 'two'"):
        read_raster(path, options=TerrainOptions(variable="two"))


@pytest.mark.slow
def test_one_of_several_layers_is_chosen_by_its_number(tmp_path):
    import netCDF4

    with netCDF4.Dataset(tmp_path / "a.nc", "w") as file:
        for name, count in (("time", 3), ("y", 13), ("x", 17)):
            file.createDimension(name, count)
        file.createVariable("depth", "f4", ("time", "y", "x"))[:] = np.stack([HEIGHTS, HEIGHTS + 1, HEIGHTS + 2])
    assert "has 3 bands" in refused(tmp_path / "a.nc")
    for name in ("depth:2", "2"):
        values = read_raster(tmp_path / "a.nc", options=TerrainOptions(variable=name)).values
        assert values.min() == HEIGHTS.min() + 1


@pytest.mark.sampled
@pytest.mark.parametrize("says", [{"positive": "down"}, {"standard_name": "sea_floor_depth_below_mean_sea_level"}])
def test_depths_that_the_file_counts_downwards_are_turned(write, says):
    path = write(depth=("i2", says))
    assert Heightmap.load(path).range == (-float(HEIGHTS.max()), 0.0)
    assert Heightmap.load(path, options=TerrainOptions(depth_positive_down=True)).range[0] == -float(HEIGHTS.max())


@pytest.mark.slow
def test_gaps_scale_and_feet_are_heeded(write):
    scaled = {"scale_factor": 0.5, "add_offset": 10.0, "units": "ft"}
    heights = np.ma.masked_equal(HEIGHTS, 305)
    path = write(elevation=("i2", {"_FillValue": np.int16(-99), **scaled}, heights))
    raster = read_raster(path)
    assert np.argwhere(~raster.valid).tolist() == [[13 - 1 - 3, 5]]
    assert np.allclose(raster.values[raster.valid], HEIGHTS[::-1][raster.valid] * 0.3048, atol=0.16)


def _link(file, other):
    import h5py

    file["elsewhere"] = h5py.ExternalLink(str(other), "/secret")


def _deep_link(file, other):
    import h5py

    file.create_group("a/b")["elsewhere"] = h5py.ExternalLink(str(other), "/secret")


def _view(file, other):
    import h5py

    layout = h5py.VirtualLayout((13, 17), "i2")
    layout[:] = h5py.VirtualSource(str(other), "secret", (13, 17))
    file.create_virtual_dataset("elsewhere", layout)


def _raw_data(file, other):
    file.create_dataset("elsewhere", (13, 17), "i2", external=[(str(other), 0, 442)])


@pytest.mark.parametrize("add", [_link, _deep_link, _view, _raw_data])
@pytest.mark.parametrize("libver", ["earliest", "latest"])
def test_what_takes_values_from_another_file_is_refused_before_that_is_opened(write, tmp_path, add, libver):
    import h5py

    other = tmp_path / "other"
    with h5py.File(other, "w") as file:
        file["secret"] = HEIGHTS
    path = tmp_path / "forged.nc"
    with h5py.File(path, "w", libver=libver) as file:
        file["harmless"] = HEIGHTS
        add(file, other)
    assert link_outwards(path).endswith("'elsewhere'")


@pytest.mark.slow
def test_such_a_file_is_refused_in_a_line(tmp_path):
    import h5py

    with h5py.File(tmp_path / "forged.nc", "w") as file:
        file["heights"] = HEIGHTS
        _link(file, tmp_path / "other")
    assert "takes the link 'elsewhere' from another file; save all of it in one file" in refused(tmp_path / "forged.nc")


def test_a_file_that_keeps_to_itself_has_no_link_outwards(write, tmp_path):
    import h5py

    assert link_outwards(write(elevation=("i2", {}))) == ""
    with h5py.File(tmp_path / "round.nc", "w") as file:
        file["group/heights"] = HEIGHTS
        file["group/up"] = file["/"]
        file["soft"] = h5py.SoftLink("/group/heights")
    assert link_outwards(tmp_path / "round.nc") == ""


def test_what_has_no_map_is_refused_in_a_line(tmp_path):
    import netCDF4

    with netCDF4.Dataset(tmp_path / "a.nc", "w") as file:
        file.createDimension("side", 9)
        file.createVariable("z", "f4", ("side",))[:] = np.arange(9)
    assert "; " in refused(tmp_path / "a.nc")


@pytest.mark.slow
def test_a_header_that_crashes_its_library_is_refused_in_a_line(write, capfd):
    path = write("NETCDF3_CLASSIC", elevation=("f4", {}))
    content, variables = bytearray(path.read_bytes()), bytes((0, 0, 0, 11, 0, 0, 0, 3))
    content[content.index(variables) + 4] = 0x40  # a thousand million variables
    path.write_bytes(content)
    for _ in range(2):  # the program goes on
        assert "crashed, or did not end" in refused(path) or "not understood" in refused(path)
    assert capfd.readouterr() == ("", "")


@pytest.mark.slow
def test_a_process_that_reads_ends_when_it_takes_too_long(write, monkeypatch):
    """Its time is taken away, which stands for a file that takes for ever."""
    path = write(elevation=("i2", {}))
    monkeypatch.setattr(apart, "PROCESSOR_SECONDS", 1e-6)
    assert "did not end" in refused(path)
