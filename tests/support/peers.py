"""Libraries of others that read our files back. Each is imported with its first file: some take a second or more."""


def open_zarr(path):
    """The group of arrays in a Zarr store."""
    import zarr

    return zarr.open_group(path, mode="r")


def open_netcdf(path):
    """The data set in a NetCDF file, for `with`."""
    import xarray

    return xarray.open_dataset(path)


def load_meshes(path):
    """The meshes in a file, without their names."""
    import trimesh

    return trimesh.load_scene(path).geometry.values()
