"""Maps of the surface: read again they lie where the water lies."""

import os
import subprocess
import sys

import numpy as np
import pytest
import rasterio
from support.scenes import make_frame

from waterview.core.errors import InputError
from waterview.output.geotiff import save_geotiff


def test_a_map_has_the_surface_at_its_place(tmp_path):
    bed = np.full((21, 31), -2.0)
    bed[:4] = 5.0
    heights = np.zeros((21, 31))
    heights[10, 20] = 0.75
    frame = make_frame((21, 31), 0.5, level=0.25, bed=bed, heights=heights)
    save_geotiff(frame, tmp_path / "new folder" / "a.tif")
    with rasterio.open(tmp_path / "new folder" / "a.tif") as raster:
        surface = raster.read(1)
        assert np.array_equal(np.isnan(surface), frame.fixed)
        assert surface[10, 20] == 1.0
        assert surface[15, 5] == 0.25
        # The middle of a cell is the grid's point; north is −z.
        place = raster.transform
        assert (place.a, place.b, place.d, place.e) == (0.5, 0.0, 0.0, -0.5)
        assert place.c + 20.5 * place.a == pytest.approx(frame.grid.x[20])
        assert place.f + 10.5 * place.e == pytest.approx(-frame.grid.z[10])


def test_a_place_that_cannot_be_written_is_reported(tmp_path):
    (tmp_path / "file").touch()
    with pytest.raises(InputError, match="cannot write the map"):
        save_geotiff(make_frame(), tmp_path / "file" / "a.tif")


FULL = """
import resource, signal, sys
from pathlib import Path
import numpy as np
from support.scenes import make_frame
from waterview.core.errors import InputError
from waterview.output.geotiff import save_geotiff
frame = make_frame((65, 65), heights=np.random.default_rng(1).random((65, 65)))
signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
resource.setrlimit(resource.RLIMIT_FSIZE, (5000, 5000))
try:
    save_geotiff(frame, Path(sys.argv[1]))
except InputError as error:
    print(error)
"""


@pytest.mark.slow
def test_a_full_disk_is_one_line_and_what_was_there_stays(tmp_path):
    (tmp_path / "a.tif").write_text("before")
    here = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    command = [sys.executable, "-c", FULL, str(tmp_path / "a.tif")]
    done = subprocess.run(command, capture_output=True, text=True, timeout=120, check=True, env=here)
    assert "cannot write the map" in done.stdout and len(done.stdout.splitlines()) == 1, done.stdout
    assert done.stderr == ""
    assert [(path.name, path.read_text()) for path in tmp_path.iterdir()] == [("a.tif", "before")]
