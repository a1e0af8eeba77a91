"""What `import waterview` gives to other programs."""

import subprocess
import sys

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
