"""What `import waterview` gives to other programs."""

import subprocess
import sys
from pathlib import Path

import pytest

import waterview


def test_every_name_is_there_and_documented():
    for name in waterview.__all__:
        value = getattr(waterview, name)
        if isinstance(value, type):
            assert value.__doc__, name


@pytest.mark.slow
def test_importing_costs_nothing_and_numpy_programs_need_no_graphics():
    heavy = "{'numba', 'moderngl', 'rasterio', 'imgui_bundle', 'pyrr', 'glfw', 'typer'}"
    program = f"""
import sys
import waterview
assert not {heavy} & set(sys.modules), {heavy} & set(sys.modules)
water = waterview.WaveEquationWater(4.0, 3.0, 33, wave_speed=1.0)
water.disturb(waterview.Drop(2.0, 1.5, 0.1, 0.5))
water.simulate(0.5)
assert abs(water.height).max() > 0.0
assert not ({heavy} - {{'numba'}}) & set(sys.modules)
"""
    subprocess.run([sys.executable, "-c", program], check=True, timeout=120)


TYPED = """
import waterview
from waterview.bodies.collection import Bodies
from waterview.waters.eddies.detail import Detail
from waterview.waters.ocean.ocean import OceanWater

water = waterview.WaveEquationWater(4.0, 3.0, 33, wave_speed=4, border="open", steps_per_second=60.0)
waterview.WaveEquationWater(4.0, 3.0, 33, wave_sped=4.0)  # wrong
waterview.WaveEquationWater(4.0, 3.0, 33, border=4.0)  # wrong
OceanWater(4.0, 3.0, 33, wind_speed=9.0)
OceanWater(4.0, 3.0, 33, wind_sped=9.0)  # wrong
waterview.MODELS["shallow-water"](4.0, 3.0, 33, gravity=9.81)
waterview.MODELS["shallow-water"](4.0, 3.0, 33, gravty=9.81)  # wrong
Bodies(drag=1.0)
Bodies(dragg=1.0)  # wrong
Detail(size=1.0)
Detail(sise=1.0)  # wrong
scene = waterview.open_scene("bay", wave_speed=4, sun_azimuth=120.0, steps_per_second=60.0)
waterview.open_scene("bay", wave_sped=4)  # wrong
waterview.open_scene("bay", sun_azimuth="east")  # wrong
scene.set(damping=0.2, bodies_drag=0.5)
scene.set(dampin=0.2)  # wrong
waterview.bake("bay", "bay.zarr", seconds=1.0, grid=16384, border="open", maxima=True, gauges_interval=0.1)
waterview.bake("bay", "bay.zarr", seconds=1.0, gird=16384)  # wrong
"""


@pytest.mark.slow
def test_a_type_checker_finds_misspelt_parameters_and_wrong_types(tmp_path):
    program = tmp_path / "program.py"
    program.write_text(TYPED)
    root = Path(waterview.__file__).parents[1]
    command = [sys.executable, "-m", "mypy", "--config-file", root / "pyproject.toml", program]
    done = subprocess.run(command, cwd=root, capture_output=True, text=True, timeout=280, check=False)
    found = {int(line.split(":")[1]) for line in done.stdout.splitlines() if ": error:" in line}
    assert found == {number for number, line in enumerate(TYPED.splitlines(), 1) if "# wrong" in line}, done.stdout
