"""Parameters that several models have: waves go on, whatever becomes of them while they run."""

import numpy as np
import pytest
from support.waters import raise_to, run

from waterview.core.commands import Drop
from waterview.core.params import declaration
from waterview.waters import HeightFieldWater, WaveEquationWater


@pytest.fixture(params=[WaveEquationWater, HeightFieldWater], ids=lambda model: model.name)
def model(request):
    return request.param


def crests(*middles):
    """Heights along 161 points, with a crest at each of `middles`."""
    return sum(np.exp(-(((np.arange(161) - middle) / 6.0) ** 2)) for middle in middles)


@pytest.fixture
def pulse(model):
    """A crest along z that has split in two, which run away to both sides: at 50 and 110 of 161 points, 1 m apart."""
    water = model(160.0, 4.0, 161, border="reflecting", wave_speed=20.0, damping=0.0, steps_per_second=50.0)
    raise_to(water, crests(80))
    run(water, 75)
    return water


@pytest.mark.parametrize("changed", [{"wave_speed": 60.0}, {"wave_speed": 5.0}, {"steps_per_second": 10.0}])
def test_running_waves_keep_height_shape_and_direction(pulse, changed):
    for name, value in changed.items():
        pulse.set_parameter(name, value)
    # Both halves run 20 m farther.
    run(pulse, round(20.0 / pulse.params.wave_speed * pulse.params.steps_per_second))
    assert np.abs(pulse.height[2] - 0.5 * crests(30, 130)).max() < 0.06


def test_a_wave_speed_of_zero_holds_waves_where_they_are(pulse):
    held = pulse.height.copy()
    pulse.set_parameter("wave_speed", 0.0)
    run(pulse, 50)
    np.testing.assert_array_equal(pulse.height, held)
    pulse.set_parameter("wave_speed", 20.0)
    run(pulse, 10)
    assert not np.array_equal(pulse.height, held)


@pytest.mark.parametrize("rhythm", [1, 3, 10])
@pytest.mark.parametrize(("model", "most"), [(WaveEquationWater, 1.0), (HeightFieldWater, 1.05)])
def test_keys_held_down_do_not_pump_waves_up(model, most, rhythm):
    water = model(30.0, 30.0, 61, damping=0.0)
    water.disturb(Drop(12.0, 15.0, 1.0, 3.0))
    speed = declaration(water.Params, "wave_speed")
    for direction in [+1] * 12 + [-1] * 24 + [+1] * 12:
        water.set_parameter("wave_speed", speed.stepped(water.params.wave_speed, direction))
        run(water, rhythm)
        assert np.abs(water.height).max() <= most
