"""Every kind of file that the program reads: how a good one is made and damaged, and what must hold for what is read.

What is put into the files is drawn from the program's own tables: readers, declared parameters, commands, kinds.
"""

import base64
import contextlib
import gzip
import io
import json
import math
import os
import random
import resource
import shutil
import struct
import sys
import tempfile
import warnings
import zipfile
import zlib
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path
from typing import Any, get_args

import numpy as np
import rasterio
from rasterio import Affine
from rasterio.errors import NotGeoreferencedWarning
from support.worlds import water_of

from attack.mutation import NUMBERS, TEXTS, damaged_array, damaged_bytes, damaged_plain, damaged_text
from attack.watched import MEMORY
from waterview.bodies.kinds import kinds
from waterview.core import commands
from waterview.core.apart import limit_processor
from waterview.core.georeference import Georeference
from waterview.core.params import Declaration, declarations
from waterview.core.series import read_series
from waterview.output import recording as recordings
from waterview.output.session import save_session
from waterview.render.camera.camera import OrbitCamera
from waterview.render.camera.camera_path import read_path
from waterview.render.settings import ViewParams
from waterview.scene.arguments import measured_series
from waterview.scene.given_start import GivenStart
from waterview.scene.interaction import InteractionParams
from waterview.scene.landscape import grow
from waterview.scene.presets import load_preset
from waterview.scene.replay import Recorder, play
from waterview.scene.scene import Scene, SceneParams, split_settings
from waterview.scene.serialise import open_session, view_to_dict, world_to_dict
from waterview.sim.world import World, world_declarations
from waterview.terrain import library
from waterview.terrain.drape import ENDINGS, MAX_SIDE, read_drape
from waterview.terrain.heightmap import Heightmap
from waterview.terrain.inspect import inspect_file
from waterview.terrain.options import TerrainOptions
from waterview.terrain.readers import READERS, apart, gdal_reader, hdf5_links, picture_reader  # noqa: F401  # for forks
from waterview.ui.panel.memory import PanelMemory, read_memory, write_memory
from waterview.waters import MODELS
from waterview.waters.eddies.detail import Detail

_RAIN = 300.0
"""Most drops a second that presets of the attack bring along, like their grids: each is computed by itself."""
HIGHEST = 2.0 * commands.MAX_HEIGHT
"""Heights of water are clipped to `MAX_HEIGHT`; a step may go a little beyond before it is clipped again [m]."""


@dataclass(frozen=True)
class FileKind:
    """A kind of file.

    Attributes:
        name: its name in the table.
        write: writes a damaged file, and those beside it, into a folder; returns its path.
        read: reads it as the program does and checks what came of it; an InputError is a refusal.
    """

    name: str
    write: Callable[[random.Random, Path], Path]
    read: Callable[[Path], None]

    def case(self, rng: random.Random, folder: Path) -> None:
        """Write a damaged file and read it."""
        self.read(self.write(rng, folder))


# --- the words of the program


def every_declaration() -> list[Declaration]:
    """All parameters that files may name."""
    sets = [InteractionParams, SceneParams, TerrainOptions, ViewParams, *(model.Params for model in MODELS.values())]
    return [*(entry for params in sets for entry in declarations(params)), *world_declarations()]


@cache
def words() -> tuple[str, ...]:
    """Names and choices that mean something in files."""
    found = {name for entry in every_declaration() for name in (entry.name, *entry.choices)}
    found |= {*MODELS, *kinds(), *library.bundled(), *(kind.__name__ for kind in get_args(commands.Command))}
    found |= {"north", "south", "east", "west", "middle", "top", "bottom", "height", "array", "shape", "zlib", "step"}
    return tuple(sorted(found))


def value_of(rng: random.Random, entry: Declaration, wrong: float = 0.03) -> Any:
    """A value that a declaration allows, often at its bounds; for a share `wrong` of them a number it may not."""
    if rng.random() < wrong:
        return rng.choice(NUMBERS)
    if entry.choices:
        return rng.choice(entry.choices)
    if entry.kind is bool:
        return rng.random() < 0.5
    if entry.kind is str:
        return rng.choice((entry.default, "0 0;1 0.1;2 0", "0.1:12:30", *TEXTS))
    low, high = entry.low if entry.low is not None else -1e6, entry.high if entry.high is not None else 1e6
    share = rng.choice((0.0, 1.0, rng.random(), rng.random() ** 6, 1e-6))
    value = low + share * (high - low)
    return round(value) if entry.kind is int else value


# --- checks of what was read


def check_world(world: World, steps: int = 3, highest: float = HIGHEST) -> None:
    """Everything is finite and within bounds now and after some steps."""
    for number in range(2):
        frame = world.publish(number)
        check_frame(frame, highest)
        if number == 0:
            for _ in range(steps):
                world.step()


def check_frame(frame, highest: float = HIGHEST) -> None:
    """A frame holds finite numbers, and its surface none above `highest` [m]."""
    for name in ("heights", "normals", "bed"):
        assert np.isfinite(getattr(frame, name)).all(), f"{name} are not finite"
    assert np.abs(frame.heights).max() <= highest, f"heights up to {np.abs(frame.heights).max():g} m"
    assert math.isfinite(frame.time)
    for body in frame.bodies:
        assert np.isfinite(body.position).all() and np.isfinite(body.rotation).all(), "a body is nowhere"
    assert frame.detail is None or np.isfinite(frame.detail.slopes).all(), "the fine detail is not finite"


def check_camera(camera: OrbitCamera) -> None:
    """A camera is somewhere."""
    assert np.isfinite(camera.eye).all() and np.isfinite(camera.view()).all(), "the camera is nowhere"


# --- terrains


def _heights(rng: random.Random) -> np.ndarray:
    nz, nx = rng.choice(((2, 2), (3, 7), (16, 16), (33, 20), (70, 90)))
    x, z = np.meshgrid(np.linspace(-1, 1, nx), np.linspace(-1, 1, nz))
    made = 200.0 * (np.hypot(x, z) - 0.6) + 10.0 * np.sin(9.0 * x)
    return made.astype(np.float32)


def _raster(rng: random.Random, path: Path, driver: str, **profile: Any) -> None:
    bands = np.repeat(_heights(rng)[None], profile.pop("bands", 1), axis=0).astype(profile.pop("dtype"))
    count, height, width = bands.shape
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", NotGeoreferencedWarning)
        shape = {"count": count, "height": height, "width": width, "dtype": bands.dtype}
        with rasterio.open(path, "w", driver=driver, **shape, **profile) as dataset:
            dataset.write(bands)


def _place(rng: random.Random) -> dict[str, Any]:
    if rng.random() < 0.3:
        return {}
    crs = rng.choice((None, "EPSG:4326", "EPSG:3857", "EPSG:32610", "EPSG:2193"))
    cell = rng.choice((1e-3, 10.0, 0.5, 1e6, 1e15, -3.0))
    west, north = rng.choice(((0.0, 0.0), (-124.0, 48.0), (5e5, 5.3e6), (180.0, 90.0), (1e9, -1e9)))
    return {"transform": Affine(cell, 0.0, west, 0.0, -abs(cell), north)} | ({"crs": crs} if crs else {})


def _png(rng: random.Random, folder: Path) -> Path:
    path = folder / "a.png"
    _raster(rng, path, "PNG", dtype=rng.choice(("uint8", "uint16")))
    if rng.random() < 0.1:
        (folder / "a.pgw").write_text(damaged_text(rng, "10\n0\n0\n-10\n500\n900\n", words()))
    (folder / "a.png.aux.xml").unlink(missing_ok=True)
    data = path.read_bytes()
    path.write_bytes(damaged_bytes(rng, data) if rng.random() < 0.4 else _png_with_sums(rng, data))
    return path


def _png_with_sums(rng: random.Random, data: bytes) -> bytes:
    """Chunks changed, left out, repeated or put in, all with right checksums."""
    chunks, at = [], 8
    while at < len(data):
        (length,) = struct.unpack_from(">I", data, at)
        chunks.append((data[at + 4 : at + 8], data[at + 8 : at + 8 + length]))
        at += length + 12
    way, which = rng.randrange(5), rng.randrange(len(chunks))
    kind, content = chunks[which]
    if way == 0:
        width, height, *rest = struct.unpack(">IIBBBBB", chunks[0][1])
        numbers = [width, height, *rest]
        choices = (0, 1, 2, 3, 4, 6, 8, 16, 77, 255), (0, 1, 5000, 20_000, 65_536, 2**31 - 1, 2**32 - 1)
        place = rng.randrange(7)
        numbers[place] = rng.choice(choices[place < 2])
        chunks[0] = (b"IHDR", struct.pack(">IIBBBBB", *numbers))
    elif way == 1:
        del chunks[which]
    elif way == 2:
        new = rng.choice((b"PLTE", b"tRNS", b"gAMA", b"iCCP", b"tEXt", b"zTXt", b"pHYs", b"sBIT", b"acTL", b"XXXX"))
        chunks.insert(which, (new, rng.randbytes(rng.choice((0, 1, 3, 6, 300, 768)))))
    elif way == 3 and kind == b"IDAT":
        rows = damaged_bytes(rng, zlib.decompress(content))
        chunks[which] = (kind, zlib.compress(rows + b"\0" * rng.choice((0, 10_000_000))))
    else:
        chunks[which] = (kind, damaged_bytes(rng, content))
    made = (struct.pack(">I", len(c)) + k + c + struct.pack(">I", zlib.crc32(k + c)) for k, c in chunks)
    return data[:8] + b"".join(made)


def _tiff(rng: random.Random, folder: Path) -> Path:
    path = folder / "a.tif"
    profile: dict[str, Any] = {"dtype": rng.choice(("uint8", "int16", "uint16", "int32", "float32", "float64"))}
    profile["compress"] = rng.choice(("none", "deflate", "lzw", "packbits", "lzma", "zstd", "none"))
    if rng.random() < 0.3:
        profile |= {"tiled": True, "blockxsize": 16, "blockysize": 16}
    if rng.random() < 0.3:
        profile["nodata"] = rng.choice((0, 1, 100))
    if rng.random() < 0.1:
        profile["BIGTIFF"] = "YES"
    _raster(rng, path, "GTiff", **profile, **_place(rng))
    data = path.read_bytes()
    path.write_bytes(damaged_bytes(rng, data) if rng.random() < 0.35 else _tiff_with_tags(rng, data))
    if rng.random() < 0.05:
        Path(f"{path}.aux.xml").write_text(damaged_text(rng, _AUX, words()))
    return path


_AUX = '<PAMDataset><Metadata domain="OVERVIEWS"><MDI key="OVERVIEW_FILE">/dev/zero</MDI></Metadata></PAMDataset>'


def _tiff_with_tags(rng: random.Random, data: bytes) -> bytes:
    """Entries of the first directory with another tag, type, count or value (TIFF 6.0, §2)."""
    made = bytearray(data)
    if data[2] == 43 or data[:2] != b"II":
        return damaged_bytes(rng, data)
    (at,) = struct.unpack_from("<I", data, 4)
    (count,) = struct.unpack_from("<H", data, at)
    for _ in range(rng.choice((1, 1, 2))):
        place = at + 2 + 12 * rng.randrange(count)
        way = rng.randrange(4)
        if way == 0:
            tags = (256, 257, 258, 259, 262, 273, 277, 278, 279, 284, 317, 320, 322, 323, 338, 339, 33550, 34735, 42113)
            struct.pack_into("<H", made, place, rng.choice(tags))
        elif way == 1:
            struct.pack_into("<H", made, place + 2, rng.choice((0, 1, 2, 3, 4, 5, 11, 12, 13, 16, 99)))
        elif way == 2:
            struct.pack_into("<I", made, place + 4, rng.choice((0, 1, 2, 1000, 2**16, 2**31, 2**32 - 1)))
        else:
            struct.pack_into(
                "<I", made, place + 8, rng.choice((0, 1, 2, 3, 5, 8, 100, 3000, 50_000, 2**16, 2**31, 2**32 - 1))
            )
    return bytes(made)


def _asc(rng: random.Random, folder: Path) -> Path:
    heights = _heights(rng)[:12, :12]
    nz, nx = heights.shape
    head = {"ncols": nx, "nrows": nz, "xllcorner": 1000, "yllcorner": 2000, "cellsize": rng.choice((5, 0.001, 30.5))}
    head |= {"NODATA_value": -9999} if rng.random() < 0.5 else {}
    text = "".join(f"{key} {value}\n" for key, value in head.items())
    text += "\n".join(" ".join(f"{value:g}" for value in row) for row in heights.tolist()) + "\n"
    path = folder / "a.asc"
    keys = ("ncols", "nrows", "xllcorner", "yllcenter", "cellsize", "dx", "dy", "nodata_value")
    path.write_text(damaged_text(rng, text, keys), encoding="utf-8", errors="surrogatepass")
    if rng.random() < 0.1:
        (folder / "a.prj").write_text(damaged_text(rng, rasterio.crs.CRS.from_epsg(32610).to_wkt(), words()))
    return path


def _hgt(rng: random.Random, folder: Path) -> Path:
    names = ("N48W124.hgt", "S90E180.hgt", "N99W999.hgt", "a.hgt", "n00e000.HGT", "N48W124.SRTMSWBD.hgt")
    path = folder / rng.choice(names)
    side = rng.choice((1201, 1201, 1201, 3601)) if rng.random() < 0.1 else 1201
    data = bytearray(2 * side * side)
    row = np.arange(side, dtype=">i2").tobytes()
    data[: len(row)] = row
    path.write_bytes(damaged_bytes(rng, bytes(data)))
    return path


def _array_file(rng: random.Random) -> bytes:
    """An .npy with a damaged array or a damaged header of the right length."""
    heights = _heights(rng).astype(rng.choice(("<f4", "<f8", ">i2", "<u1", "?", "<f2")))
    stream, way = io.BytesIO(), rng.random()
    array = damaged_array(rng, heights) if way < 0.4 else heights
    if rng.random() < 0.2 and array.ndim == 2:
        array = np.asfortranarray(array)
    np.lib.format.write_array(stream, array)
    data = stream.getvalue()
    if way < 0.4:
        return data
    if way < 0.65:
        return damaged_bytes(rng, data)
    (length,) = struct.unpack_from("<H", data, 8)
    text = damaged_text(
        rng, data[10 : 10 + length].decode("latin-1"), ("descr", "fortran_order", "shape", "True", "|O", "'<f4'")
    )
    head = text.encode("utf-8", "surrogatepass")[:60_000]
    return data[:8] + struct.pack("<H", len(head)) + head + data[10 + length :]


def _npy(rng: random.Random, folder: Path) -> Path:
    path = folder / "a.npy"
    path.write_bytes(_array_file(rng))
    return path


def _npz(rng: random.Random, folder: Path) -> Path:
    path, heights = folder / "a.npz", _heights(rng)
    names = rng.choice((("x", "y"), ("lon", "lat"), ("longitude", "latitude")))
    arrays: dict[str, Any] = {"heights": heights}
    if rng.random() < 0.7:
        arrays |= {
            names[0]: np.linspace(-10.0, 10.0, heights.shape[1]),
            names[1]: np.linspace(40.0, 50.0, heights.shape[0]),
        }
    if rng.random() < 0.6:
        name = rng.choice(list(arrays))
        arrays[name] = damaged_array(rng, arrays[name])
    if rng.random() < 0.2:
        name = rng.choice(list(arrays))
        arrays[rng.choice(("z", "topo", "x", "y", "elevation", *TEXTS[2:9]))] = arrays.pop(name)
    arrays = {name: array for name, array in arrays.items() if "\0" not in name}
    (np.savez_compressed if rng.random() < 0.5 else np.savez)(
        path, **{name or "e": value for name, value in arrays.items()}
    )
    if rng.random() < 0.5:
        path.write_bytes(damaged_bytes(rng, path.read_bytes()))
    return path


def _by_gdal(driver: str, ending: str, *dtypes: str, **profile: Any) -> Callable[[random.Random, Path], Path]:
    """A writer of damaged files that GDAL wrote."""

    def write(rng: random.Random, folder: Path) -> Path:
        path = folder / f"a{ending}"
        _raster(rng, path, driver, dtype=rng.choice(dtypes), **profile, **_place(rng))
        path.with_name(f"{path.name}.aux.xml").unlink(missing_ok=True)
        path.write_bytes(damaged_bytes(rng, path.read_bytes()))
        return path

    return write


def _netcdf(rng: random.Random, folder: Path) -> Path:
    import netCDF4  # a part of the tests' own environment, slow to load

    path, heights = folder / "a.nc", _heights(rng)
    kind = rng.choice(("NETCDF4", "NETCDF3_CLASSIC", "NETCDF3_64BIT_OFFSET"))
    with netCDF4.Dataset(path, "w", format=kind) as file:
        for name, count, unit in (
            ("lat", heights.shape[0], "degrees_north"),
            ("lon", heights.shape[1], "degrees_east"),
        ):
            file.createDimension(name, count)
            axis = file.createVariable(name, "f8", (name,))
            axis[:] = np.linspace(10.0, rng.choice((12.0, 12.0, 9.0, 10.0, 1e300)), count)
            axis.units = rng.choice((unit, unit, "m", ""))
        variable = file.createVariable(
            rng.choice(("elevation", "z", "Band1")), rng.choice(("i2", "f4")), ("lat", "lon")
        )
        variable[:] = heights
        variable.setncatts(
            {"units": rng.choice(("m", "km", "x"))} | ({"scale_factor": 1e300} if rng.random() < 0.1 else {})
        )
    if rng.random() < 0.8:
        path.write_bytes(damaged_bytes(rng, path.read_bytes()))
    return path


def _vrt(rng: random.Random, folder: Path) -> Path:
    _raster(rng, folder / "tile.tif", "GTiff", dtype="float32", transform=Affine(10.0, 0.0, 0.0, 0.0, -10.0, 0.0))
    text = """<VRTDataset rasterXSize="16" rasterYSize="16"><GeoTransform>0, 10, 0, 0, 0, -10</GeoTransform>
<VRTRasterBand dataType="Float32" band="1"><NoDataValue>-9999</NoDataValue>
<SimpleSource><SourceFilename relativeToVRT="1">tile.tif</SourceFilename><SourceBand>1</SourceBand>
<SrcRect xOff="0" yOff="0" xSize="16" ySize="16"/><DstRect xOff="0" yOff="0" xSize="16" ySize="16"/>
</SimpleSource></VRTRasterBand></VRTDataset>"""
    names = ("/vsicurl/http://localhost/a.tif", "/dev/zero", "../a.tif", "KernelFilteredSource", "VRTWarpedDataset")
    path = folder / "a.vrt"
    path.write_bytes(
        damaged_text(rng, text, (*names, "ComplexSource", "LUT", "Float32")).encode("utf-8", "surrogatepass")
    )
    return path


def _xyz(rng: random.Random, folder: Path) -> Path:
    heights = _heights(rng)[:8, :8].tolist()
    rows = [f"{10 * x} {-10 * z} {h:g}" for z, row in enumerate(heights) for x, h in enumerate(row)]
    text = rng.choice(("", "x y z\n", "lon,lat,elevation\n")) + "\n".join(rows) + "\n"
    path = folder / rng.choice(("a.xyz", "a.csv"))
    path.write_bytes(damaged_text(rng, text, ("x", "y", "z", "nan", "1e400")).encode("utf-8", "surrogatepass"))
    return path


def _archive(rng: random.Random, folder: Path) -> Path:
    """NumPy's archives, and other heightmaps that are zipped."""
    if rng.random() < 0.6:
        return _npz(rng, folder)
    inside = TERRAINS[rng.choice(("GTiff", "AAIGrid", "PNG", "npy"))](rng, folder)
    path = folder / "a.zip"
    with zipfile.ZipFile(path, "w", rng.choice((zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED))) as archive:
        archive.write(inside, rng.choice((inside.name, f"folder/{inside.name}", f"../{inside.name}", "a.zip")))
    if rng.random() < 0.6:
        path.write_bytes(damaged_bytes(rng, path.read_bytes()))
    return path


def _packed_alone(rng: random.Random, folder: Path) -> Path:
    inside = TERRAINS[rng.choice(("GTiff", "AAIGrid", "npy"))](rng, folder)
    path = folder / f"{inside.name}.gz"
    data = gzip.compress(inside.read_bytes(), 1)
    path.write_bytes(damaged_bytes(rng, data) if rng.random() < 0.6 else data)
    return path


def _points(rng: random.Random, folder: Path) -> Path:
    path = folder / "a.las"
    path.write_bytes(b"LASF" + rng.randbytes(rng.randrange(400)))
    return path


TERRAINS: dict[str, Callable[[random.Random, Path], Path]] = {
    "PNG": _png,
    "GTiff": _tiff,
    "AAIGrid": _asc,
    "netCDF": _netcdf,
    "SRTMHGT": _hgt,
    "HFA": _by_gdal("HFA", ".img", "uint8", "int16", "float32"),
    "JP2OpenJPEG": _by_gdal("JP2OpenJPEG", ".jp2", "uint8", "uint16", QUALITY="100", REVERSIBLE="YES"),
    "WEBP": _by_gdal("WEBP", ".webp", "uint8", bands=3),
    "VRT": _vrt,
    "XYZ": _xyz,
    "npy": _npy,
    "zip": _archive,
    "gzip": _packed_alone,
    "LAS": _points,
}
"""Writers of damaged heightmaps by the short name of their format, as in `READERS`."""

assert TERRAINS.keys() == {reader.format for reader in READERS}, "every format that is read is attacked"


class Fork:
    """A `Question` to a reader whose answer comes from a process that need not import anything first."""

    def __init__(self, module: str, request: str, seconds: float) -> None:
        self._ask, self._request, self._seconds = sys.modules[module].answer, request, seconds

    def answer(self) -> tuple[int, bytes]:
        """As `Question.answer`."""
        used = Path("/proc/self/statm").read_text().split()[1]
        reading, writing = os.pipe()
        child = os.fork()
        if not child:
            code = 1
            try:
                os.close(reading)
                os.dup2(os.open(os.devnull, os.O_WRONLY), 2)
                limit_processor(self._seconds)
                code, answered = self._ask(self._request)
                with os.fdopen(writing, "wb") as pipe:
                    pipe.write(answered)
            finally:
                os._exit(code)
        os.close(writing)
        with os.fdopen(reading, "rb") as pipe:
            answered = pipe.read()
        _, status, usage = os.wait4(child, 0)
        taken = (usage.ru_maxrss << 10) - int(used) * resource.getpagesize()
        assert taken <= MEMORY, f"the process that reads took {taken >> 20} MiB"
        return os.waitstatus_to_exitcode(status), answered


def _read_terrain(path: Path) -> None:
    heightmap = Heightmap.load(path)
    assert np.isfinite(heightmap.heights).all() and all(map(math.isfinite, heightmap.size)), "ground is not finite"
    assert min(heightmap.size) > 0.0
    x, z = np.linspace(-0.6, 0.6, 5) * heightmap.size[0], np.linspace(-0.6, 0.6, 5) * heightmap.size[1]
    assert np.isfinite(heightmap.height_at(x[None], z[:, None])).all()
    lines = inspect_file(path).lines()
    assert all(line.isprintable() for line in lines), lines


@cache
def _small_ground() -> Heightmap:
    x, z = np.meshgrid(np.linspace(-1, 1, 33), np.linspace(-1, 1, 25))
    return Heightmap.from_array(8.0 * np.hypot(x, z) - 6.0, cell=10.0)


def _read_overlay(path: Path) -> None:
    """A raster as the surface that water starts with."""
    scene = Scene(_small_ground(), SceneParams(grid=17), start=GivenStart(surface=path))
    check_world(scene.make_world())


def _overlaid(rng: random.Random, folder: Path) -> Path:
    return TERRAINS[rng.choice(("GTiff", "npy", "zip", "AAIGrid"))](rng, folder)


# --- aerial pictures


def _picture_tiff(rng: random.Random, folder: Path) -> Path:
    path, bands = folder / rng.choice(("a.tif", "a.tiff")), rng.choice((1, 2, 3, 3, 4, 4))
    profile: dict[str, Any] = {"dtype": "uint8" if rng.random() < 0.9 else "uint16", "bands": bands}
    profile["compress"] = rng.choice(("none", "deflate", "lzw", "jpeg", "webp", "none"))
    if profile["compress"] in ("jpeg", "webp"):
        profile |= {"dtype": "uint8", "bands": 3}
    if profile["bands"] >= 3:
        profile |= {"photometric": "YCBCR"} if profile["compress"] == "jpeg" else {"photometric": "RGB"}
    if rng.random() < 0.4:
        profile |= {"tiled": True, "blockxsize": 16, "blockysize": 16}
    if profile.get("photometric") != "YCBCR":
        profile["interleave"] = rng.choice(("pixel", "band"))
    if rng.random() < 0.2:
        profile["nodata"] = rng.choice((0, 255))
    _raster(rng, path, "GTiff", **profile, **_place_of_picture(rng))
    if rng.random() < 0.7:
        data = path.read_bytes()
        path.write_bytes(damaged_bytes(rng, data) if rng.random() < 0.5 else _tiff_with_tags(rng, data))
    return path


def _place_of_picture(rng: random.Random) -> dict[str, Any]:
    """Mostly somewhere on or about `_placed_ground`, in one coordinate system or another."""
    if rng.random() < 0.3:
        return _place(rng)
    cell = rng.choice((0.2, 5.0, 20.0, 1e4, 1e-9))
    crs, west, north = rng.choice((("EPSG:32610", 5e5, 5.3e6), ("EPSG:3857", -1.3692e7, 6.0797e6), (None, 5e5, 5.3e6)))
    turned = rng.choice((0.0, 0.0, 0.3, 1.0)) * cell
    transform = Affine(cell, turned, west - 10.0 * cell, turned, -cell, north + 10.0 * cell)
    return {"transform": transform} | ({"crs": crs} if crs else {})


def _jpeg(rng: random.Random, folder: Path) -> Path:
    path = folder / rng.choice(("a.jpg", "a.jpeg"))
    profile = {"bands": rng.choice((1, 3, 3)), "QUALITY": "60", "PROGRESSIVE": rng.choice(("YES", "NO"))}
    _raster(rng, path, "JPEG", dtype="uint8", **profile)
    if rng.random() < 0.2:
        path.with_suffix(".jgw").write_text(damaged_text(rng, "10\n0\n0\n-10\n500000\n5300000\n", words()))
    path.write_bytes(damaged_bytes(rng, path.read_bytes()))
    return path


def _picture_vrt(rng: random.Random, folder: Path) -> Path:
    colours = {"dtype": "uint8", "bands": 3, "photometric": "RGB"}
    _raster(rng, folder / "tile.tif", "GTiff", **colours, **_place_of_picture(rng))
    bands = "".join(
        f'<VRTRasterBand dataType="Byte" band="{number}"><ColorInterp>{colour}</ColorInterp><SimpleSource>'
        f'<SourceFilename relativeToVRT="1">tile.tif</SourceFilename><SourceBand>{number}</SourceBand>'
        '<SrcRect xOff="0" yOff="0" xSize="16" ySize="16"/><DstRect xOff="0" yOff="0" xSize="16" ySize="16"/>'
        "</SimpleSource></VRTRasterBand>\n"
        for number, colour in enumerate(("Red", "Green", "Blue"), 1)
    )
    text = '<VRTDataset rasterXSize="16" rasterYSize="16"><SRS>EPSG:32610</SRS>'
    text += f"<GeoTransform>500000, 10, 0, 5300000, 0, -10</GeoTransform>\n{bands}</VRTDataset>"
    names = ("/vsicurl/http://localhost/a.tif", "/dev/zero", "../a.tif", "Alpha", "Palette", "UInt16", "LUT", "mask")
    path = folder / "a.vrt"
    path.write_bytes(damaged_text(rng, text, names).encode("utf-8", "surrogatepass"))
    return path


PICTURES: dict[tuple[str, ...], Callable[[random.Random, Path], Path]] = {
    (".jpg", ".jpeg"): _jpeg,
    (".tif", ".tiff"): _picture_tiff,
    (".png",): _png,
    (".jp2", ".j2k"): _by_gdal("JP2OpenJPEG", ".jp2", "uint8", bands=3, QUALITY="100", REVERSIBLE="YES"),
    (".webp",): _by_gdal("WEBP", ".webp", "uint8", bands=3),
    (".vrt",): _picture_vrt,
}
"""Writers of damaged pictures by the endings of their format."""

assert {ending for endings in PICTURES for ending in endings} == {*ENDINGS}, "every picture that is read is attacked"


def _picture(rng: random.Random, folder: Path) -> Path:
    return rng.choice(list(PICTURES.values()))(rng, folder)


@cache
def _placed_ground() -> Heightmap:
    place = Georeference("EPSG:32610", 5e5, 5.3e6, 10.0, 10.0)
    return replace(_small_ground(), place=place)


def _read_picture(path: Path) -> None:
    """A picture laid corner to corner over one map, and warped to the coordinates of another."""
    for ground in (_small_ground(), _placed_ground()):
        drape = read_drape(path, ground)
        assert drape.colours.dtype == np.uint8 and drape.colours.shape[2:] == (4,)
        assert 0 < max(drape.colours.shape) <= MAX_SIDE
        assert all(note.isprintable() for note in drape.notes), drape.notes


# --- text files


def toml_text(content: Mapping[str, Any]) -> str:
    """TOML of a dictionary of values, tables and lists of tables."""
    lines, tables = [], []
    for key, value in content.items():
        if isinstance(value, dict):
            tables += [
                "",
                f"[{_toml_key(key)}]",
                *(f"{_toml_key(name)} = {_toml(entry)}" for name, entry in value.items()),
            ]
        elif isinstance(value, list) and value and all(isinstance(entry, dict) for entry in value):
            for entry in value:
                tables += ["", f"[[{_toml_key(key)}]]", *(f"{_toml_key(k)} = {_toml(v)}" for k, v in entry.items())]
        else:
            lines.append(f"{_toml_key(key)} = {_toml(value)}")
    return "\n".join([*lines, *tables]) + "\n"


def _toml_key(key: Any) -> str:
    text = str(key)
    return text if text and text.replace("_", "a").isascii() and text.replace("_", "a").isalnum() else json.dumps(text)


def _toml(value: Any) -> str:
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, float):
        return (
            "nan" if value != value else "inf" if value == math.inf else "-inf" if value == -math.inf else repr(value)
        )
    if isinstance(value, int):
        return str(value)
    if isinstance(value, list | tuple):
        return f"[{', '.join(map(_toml, value))}]"
    if isinstance(value, dict):
        return "{" + ", ".join(f"{_toml_key(key)} = {_toml(entry)}" for key, entry in value.items()) + "}"
    return json.dumps(value if isinstance(value, str) else "")


def _damaged_toml(rng: random.Random, content: Mapping[str, Any], path: Path) -> Path:
    if rng.random() < 0.6:
        for _ in range(rng.choice((1, 1, 2))):
            content = damaged_plain(rng, content, (*words(), *content))
        text = toml_text(content) if isinstance(content, dict) else str(content)
    else:
        text = damaged_text(rng, toml_text(content), words())
    path.write_bytes(text.encode("utf-8", "surrogatepass"))
    return path


def _preset(rng: random.Random, folder: Path) -> Path:
    model = rng.choice(list(MODELS))
    known = [entry for entry in every_declaration() if entry.name != "grid"]
    own = {entry.name for entry in declarations(MODELS[model].Params)}
    others = {entry.name for params in MODELS.values() for entry in declarations(params.Params)} - own
    settings = {
        entry.name: value_of(rng, entry)
        for entry in rng.sample(known, rng.choice((0, 2, 6)))
        if entry.name not in others or rng.random() < 0.05
    }
    content = {
        "title": "A pond",
        "terrain": rng.choice(("basin", "a.npy", "bay")),
        "camera": "0,0,50,200,15",
        "gauges": rng.choice(([], [], ["A:1,2", "B:3,-2@map"])),
        "settings": {**settings, "model": model, "grid": 17},
        "walls": [{"from": [0.0, 1.0], "to": [5.0, 2], "radius": 1.0}],
        "drops": [{"x": 0.0, "z": 1.0, "height": 0.5, "radius": 3}],
    }
    if content["terrain"] == "a.npy":
        np.save(folder / "a.npy", _heights(rng))
    if rng.random() < 0.2:
        content["fault"] = "fault.toml"
        (folder / "fault.toml").write_text(toml_text(_FAULT))
    if rng.random() < 0.6:
        return _damaged_toml(rng, content, folder / "preset.toml")
    path = folder / "preset.toml"
    path.write_text(toml_text(content), encoding="utf-8", errors="surrogatepass")
    return path


def _read_preset(path: Path) -> None:
    preset = load_preset(path)
    source = preset.terrain()
    points = preset.settings.get("grid", SceneParams().grid)
    rain = min(preset.settings.get("rain", 0.0), _RAIN)
    params, values = split_settings({**preset.settings, "grid": min(points, 33), "rain": rain})
    ground = source.load() if source.path.parent == path.parent else _small_ground()
    scene = Scene(ground, params, values, preset.walls, (), preset.start, preset.gauges)
    world = scene.make_world()
    for drop in preset.drops:
        if world.water.can_be_disturbed:
            world.apply(drop)
    check_world(world)
    if preset.camera is not None:
        check_camera(preset.camera(world.publish(0)))


_FAULT = {
    "horizontal": True,
    "faults": [
        {
            "x": 0.0,
            "z": 10.0,
            "depth": 50.0,
            "length": 100.0,
            "width": 40.0,
            "strike": 30.0,
            "dip": 20.0,
            "rake": 90.0,
            "slip": 2.0,
        },
        {
            "x": 5,
            "z": 1,
            "reference": "top",
            "depth": 5,
            "length": 50,
            "width": 20,
            "strike": 0,
            "dip": 90,
            "rake": 0,
            "slip": 1,
        },
    ],
}


def _fault(rng: random.Random, folder: Path) -> Path:
    return _damaged_toml(rng, _FAULT, folder / "fault.toml")


def _read_fault(path: Path) -> None:
    check_world(Scene(_small_ground(), SceneParams(grid=17), start=GivenStart(fault=path)).make_world())


def _camera_path(rng: random.Random, folder: Path) -> Path:
    keys = [
        {
            "time": 2.0 * number,
            "target": [1.0, 0.0, number],
            "distance": 10.0 + number,
            "azimuth": 20.0,
            "elevation": 30.0,
            "fov": 36.0,
        }
        for number in range(rng.choice((1, 2, 4)))
    ]
    return _damaged_toml(rng, {"dive": rng.random() < 0.5, "keyframes": keys}, folder / "path.toml")


def _read_camera_path(path: Path) -> None:
    flight, frame = read_path(path), _still_frame()
    for time in (0.0, 0.5 * flight.seconds, flight.seconds, 1e9):
        check_camera(flight(OrbitCamera.framing(frame), frame, time))


@cache
def _still_frame():
    return Scene(_small_ground(), SceneParams(grid=17)).make_water().publish_still()


def _series(rng: random.Random, folder: Path) -> Path:
    separator = rng.choice((",", ";", "\t", " "))
    head = rng.choice(("", "time (s),A surface (m),A flow (m2/s)\n", "# by hand\nt [min],h [cm],q [m2/s]\n"))
    rows = [separator.join((f"{0.5 * n:g}", f"{0.1 * math.sin(n):g}", "0.0")) for n in range(rng.choice((2, 5, 40)))]
    path = folder / "series.csv"
    text = damaged_text(
        rng, head.replace(",", separator) + "\n".join(rows) + "\n", ("time", "[m]", "(cm)", "#", '"', "s", "m2/s")
    )
    path.write_bytes(text.encode("utf-8", "surrogatepass"))
    return path


def _read_measured(path: Path) -> None:
    table = read_series(path)
    assert all(np.isfinite(column).all() for column in (table.times, *table.columns.values()))
    world = World(water_of("wave-equation"))
    world.apply(commands.AddGauge("A", -6.0, 1.0))
    world.apply(measured_series("A", path))
    world.step()
    assert np.isfinite(next(iter(world.gauges)).measured.surface).all()


def _read_incoming(path: Path) -> None:
    """A series of waves that come in, and a tide of the same file, in shallow water."""
    params = {"wavemaker": "series", "wavemaker_series": str(path), "tide": str(path)}
    world = World(water_of("shallow-water", **{"wavemaker_sides": "west", **params}))
    check_world(world, highest=math.inf)  # what comes in piles up, see docs/reliability.md


def _panel(rng: random.Random, folder: Path) -> Path:
    path = folder / "panel.json"
    write_memory(PanelMemory(True), path)
    content = json.loads(path.read_text())
    way = rng.random()
    if way < 0.6:
        text = json.dumps(damaged_plain(rng, content, words()))
    else:
        text = damaged_text(
            rng, path.read_text(), ("shown", "closed", "null", "true", "[", "{", "1" * 400, "NaN", "-Infinity")
        )
    path.write_bytes(text.encode("utf-8", "surrogatepass"))
    return path


def _read_panel(path: Path) -> None:
    memory = read_memory(path)
    numbers = (memory.x, memory.y, memory.width, memory.height, memory.text_scale)
    assert all(type(number) is float and math.isfinite(number) for number in numbers), memory
    assert isinstance(memory.shown, bool) and all(isinstance(title, str) for title in memory.closed)


# --- sessions and recordings

SAMPLES: tuple[tuple[str, Mapping[str, Any]], ...] = (
    *((name, {}) for name in MODELS),
    ("shallow-water", {"scheme": "kass-miller"}),
    ("shallow-water", {"scheme": "boussinesq", "border": "reflecting"}),
    ("shallow-water", {"wavemaker": "sine", "wavemaker_sides": "west", "wavemaker_height": 0.05, "tide": "0.1:60"}),
    ("wave-equation", {"border": "wrapping", "stencil": "five-point"}),
    ("wave-equation", {"border": "north=open,east=open-ghost,south=reflecting,west=open"}),
)
"""Models and parameters of the sessions and recordings that are damaged."""


@cache
def _sample(number: int) -> tuple[Mapping[str, Any], bytes]:
    """A world as plain data after some steps with everything in it, and the recording of how it went on."""
    name, values = SAMPLES[number]
    world = World(water_of(name, **values), detail=Detail(points=16, size=5.0), seed=3)
    disturbed = MODELS[name].can_be_disturbed
    first = [commands.PaintWall(-4.0, 2.0, 1.1), commands.AddGauge("A", -6.0, 1.0), commands.ShowField("height")]
    first += [commands.SetMeasured("A", (0.0, 0.5), (0.0, 0.1)), commands.AddBody("boat", None, -6.0, -2.0, 20.0, 1.0)]
    if disturbed:
        first += [commands.SetRain(20.0), commands.Drop(-6.0, 1.0, 0.4, 2.0), commands.AddBody("box", 500.0, -7.0, 2.0)]
    for command in first:
        world.apply(command)
    world.gather_maxima()
    for _ in range(5):
        world.step()
    return world_to_dict(world), _record(world, disturbed)


def _record(world: World, disturbed: bool) -> bytes:
    script = {
        1: [commands.SetParameter("bodies_drag", 2.0), commands.RaiseWaterLevel(0.1), commands.SetBodyDensity(300.0)],
        2: [
            commands.PaintWall(-5.0, 1.0, 1.0, False, (-6.0, 0.0)),
            commands.SetCourse(1, 90.0, 2.0),
            commands.ShowNextField(),
        ],
        3: [
            commands.GrabBody(1, (-6.0, 0.0, -2.0)),
            commands.DragBody((-5.0, 0.5, -2.0)),
            commands.AddGauge("B", -5.0, 2.0),
        ],
        4: [commands.ReleaseBody(), commands.RemoveGauge("A"), commands.SetWaterLevel(0.0), commands.RemoveBodies()],
        5: [commands.ReplaceWater(lambda: water_of("wave-equation"), keep_walls=True), commands.Reset()],
    }
    if disturbed:
        script[2] += [
            commands.Drop(-6.0, 0.0, 0.2, 1.0),
            commands.SetHeight(3, 3, 0.1),
            commands.Gust(-6.0, 0.0, 1.0, 0.0, 0.1, 1.0),
        ]
    if world.water.can_be_given_state:
        script[3] += [commands.SetState(np.zeros(world.water.grid.shape, np.float32))]
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "a.jsonl"
        with recordings.RecordingFile(path, world_to_dict(world)) as file:
            recorder = Recorder(file, world)
            for step in range(8):
                for command in script.get(step, ()):
                    world.apply(command)
                    recorder.note(step, command, world)
                world.step()
            file.end(8)
        return path.read_bytes()


def _seen() -> dict[str, Any]:
    return view_to_dict(ViewParams(), InteractionParams(), OrbitCamera.framing(_still_frame()))


def _session(rng: random.Random, folder: Path) -> Path:
    """A session with forged sums, or damaged bytes."""
    state, _ = _sample(rng.randrange(len(SAMPLES)))
    content = {"tank": state, "seen": _seen()}
    path = folder / "a.waterview"
    if rng.random() < 0.85:
        for _ in range(rng.choice((1, 1, 1, 2, 4))):
            content = damaged_plain(rng, content, words())
        save_session(path, content if isinstance(content, dict) else {"tank": content})
    else:
        save_session(path, content)
        path.write_bytes(damaged_bytes(rng, path.read_bytes()))
    return path


def _read_session(path: Path) -> None:
    session = open_session(path)
    camera = session.camera(session.world.publish(0))
    check_camera(camera)
    ViewParams().changed(**session.view)
    check_world(session.world, highest=math.inf)
    world_to_dict(session.world)


def _recording(rng: random.Random, folder: Path) -> Path:
    _, data = _sample(rng.randrange(len(SAMPLES)))
    path, way = folder / "a.jsonl", rng.random()
    if way < 0.2:
        path.write_bytes(damaged_bytes(rng, data))
        return path
    lines = data.decode().split("\n")
    at = rng.choice((0, rng.randrange(len(lines) - 1), rng.randrange(len(lines) - 1)))
    if way < 0.4:
        lines[at] = (
            damaged_text(rng, lines[at], words())
            if len(lines[at]) < 5000
            else damaged_bytes(rng, lines[at].encode()).decode("latin-1")
        )
    else:
        content = json.loads(lines[at], object_hook=_with_arrays)
        content = damaged_plain(rng, content, (*words(), "water", "keep_bodies", "detail_goes_on"))
        lines[at] = json.dumps(content, default=_packed)
    path.write_bytes("\n".join(lines).encode("utf-8", "surrogatepass"))
    return path


def _with_arrays(found: dict[str, Any]) -> Any:
    """Arrays of a recording as arrays, so that they are damaged as such."""
    if found.keys() != {"array", "shape", "zlib"}:
        return found
    data = zlib.decompress(base64.b64decode(found["zlib"]))
    return np.frombuffer(
        data, np.dtype([tuple(e) for e in found["array"]] if isinstance(found["array"], list) else found["array"])
    ).reshape(found["shape"])


def _packed(value: Any) -> Any:
    if isinstance(value, np.ndarray):
        packed = base64.b64encode(zlib.compress(np.ascontiguousarray(value).tobytes(), 1)).decode()
        return {"array": value.dtype.str, "shape": value.shape, "zlib": packed}
    return value.item() if isinstance(value, np.generic) else str(value)


def _read_recording(path: Path) -> None:
    recording = recordings.read_recording(path)
    for number, frame in enumerate(play(recording._replace(steps=min(recording.steps, 12)))):
        check_frame(frame, math.inf)
        if number >= 20:
            break


FILES = (
    *(FileKind(f"terrain {name}", write, _read_terrain) for name, write in TERRAINS.items()),
    FileKind("aerial picture", _picture, _read_picture),
    FileKind("given surface", _overlaid, _read_overlay),
    FileKind("preset", _preset, _read_preset),
    FileKind("fault", _fault, _read_fault),
    FileKind("camera path", _camera_path, _read_camera_path),
    FileKind("measured series", _series, _read_measured),
    FileKind("incoming waves", _series, _read_incoming),
    FileKind("panel.json", _panel, _read_panel),
    FileKind("session", _session, _read_session),
    FileKind("recording", _recording, _read_recording),
)
"""Every kind of file that is read."""


def warm_up(kind: FileKind, folder: Path) -> None:
    """Compile or load what reading needs, so that no case pays for it; called in a process of the attack's own."""
    apart.Question = Fork
    if kind.name in ("given surface", "fault", "preset"):
        start = GivenStart(surface=folder / "warm.npy")
        np.save(start.surface, np.zeros((3, 3), np.float32))
        for name in MODELS if kind.name == "preset" else ():
            world = Scene(_small_ground(), SceneParams(grid=17, model=name)).make_world()
            if world.water.can_be_disturbed:
                world.apply(commands.Drop(0.0, 1.0, 0.5, 3.0))
            check_world(world)
        check_world(Scene(_small_ground(), SceneParams(grid=17), start=start).make_world())
    if kind.name in ("preset", "session"):
        grow(_small_ground().heights, cell=10.0, level=0.0, parts=2)  # a camera keeps above land as drawn
    if kind.name in ("session", "recording"):
        for number in range(len(SAMPLES)):
            state, data = _sample(number)
            if kind.name == "session":
                save_session(folder / "warm.waterview", {"tank": state, "seen": _seen()})
            else:
                (folder / "warm.waterview").write_bytes(data)
            kind.read(folder / "warm.waterview")
    rng, place = random.Random(1), folder / "warm"
    for _ in range(5):
        place.mkdir()
        with contextlib.suppress(Exception):
            kind.case(rng, place)
        shutil.rmtree(place)
