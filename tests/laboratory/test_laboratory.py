"""Measured waves on coarse grids: the short form of `make laboratory`, whose full table is in docs/laboratory.md."""

import sys
from pathlib import Path

import numpy as np
import pytest

BENCHMARKS = Path(__file__).parents[2] / "benchmarks"
SCHEME = "kurganov-petrova"


@pytest.fixture(scope="module")
def laboratory():
    sys.path.insert(0, str(BENCHMARKS))
    import laboratory

    yield laboratory
    sys.path.remove(str(BENCHMARKS))


def errors_of(run):
    return {(result.problem, result.quantity): result.error for result in run.results}


@pytest.mark.slow
def test_a_wave_on_a_beach_follows_the_exact_solution_and_what_was_measured(laboratory):
    run = laboratory.plane_beach(SCHEME, 0.5)
    errors = errors_of(run)
    assert errors["plane beach, exact", "surface, of the largest height"] < 8.0
    assert errors["plane beach, H = 0.0185 d", "surface, rms of H"] < 20.0
    assert errors["plane beach, H = 0.3 d", "surface, rms of H"] < 20.0


@pytest.mark.slow
@pytest.mark.parametrize(("height", "measured"), [(0.019, 0.077), (0.056, 0.207), (0.25, 0.506)])
def test_waves_run_up_a_beach_as_high_as_was_measured(laboratory, height, measured):
    assert laboratory.run_up(height, SCHEME, 10.0) == pytest.approx(measured, rel=0.15)


@pytest.mark.slow
def test_a_wave_runs_around_an_island(laboratory):
    run = laboratory.conical_island("b", SCHEME, 0.5)
    errors = errors_of(run)
    assert abs(errors["conical island, wave b", "largest run-up"]) < 15.0
    assert errors["conical island, wave b", "run-up, mean over angles, of the largest"] < 18.0
    for gauge in ("6", "9", "16"):
        curves = run.panels[f"gauge {gauge} [m]"]
        (times, measured), (own_times, surface) = curves["measured"], curves[SCHEME]
        assert surface.max() == pytest.approx(measured.max(), rel=0.15), gauge
        assert own_times[surface.argmax()] == pytest.approx(times[measured.argmax()], abs=0.4), gauge


@pytest.mark.slow
def test_the_tsunami_of_monai_reaches_its_gauges_and_its_gully(laboratory):
    run = laboratory.monai(SCHEME, 0.35)
    errors = errors_of(run)
    for gauge in (5, 7, 9):
        assert errors["Monai", f"gauge {gauge}, rms of the range"] < 15.0, gauge
    assert "run-up in the gully, outside 8 to 10 cm" in {quantity for _, quantity in errors}


def test_harmonics_are_found_in_a_curve_of_known_ones(laboratory):
    times = 0.05 * np.arange(1400.0)
    phase = 2.0 * np.pi * times / laboratory.BAR_PERIOD
    curve = 0.7 + 0.02 * np.cos(phase - 1.0) + 0.01 * np.sin(2.0 * phase) + 0.003 * np.cos(4.0 * phase + 2.0)
    np.testing.assert_allclose(laboratory.harmonics(times, curve), [0.02, 0.01, 0.0, 0.003], atol=1e-9)


@pytest.mark.slow
def test_waves_break_up_into_their_harmonics_behind_a_bar(laboratory):
    run = laboratory.bar("boussinesq", 0.5)
    errors = errors_of(run)
    assert errors["submerged bar", "four harmonics up to its top, rms of them"] < 15.0
    assert errors["submerged bar", "four harmonics behind it, rms of them"] < 30.0  # half of that with all cells
    second = run.panels["harmonic 2 [mm]"]["boussinesq"][1]
    assert second[-1] > 8.0 * second[0]


def test_a_result_tells_whether_it_is_good_enough(laboratory):
    good, bad = (laboratory.Result("a", "b", error, 10.0) for error in (-9.0, 11.0))
    assert good.passed and not bad.passed
    names = [SCHEME, "boussinesq"]
    by_scheme = {SCHEME: laboratory.Run([good, bad]), "boussinesq": laboratory.Run([bad, good])}
    rows = laboratory.table_of({"a": by_scheme}, names)
    assert [row[3] for row in rows] == ["-9.0 %", "11.0 % missed"]
    assert [row[5] for row in rows] == ["11.0 % missed", "-9.0 %"]
    assert len(laboratory.headings(names)) == len(rows[0])


def test_the_largest_surface_is_kept_and_dry_land_does_not_count(laboratory):
    class Water:
        def __init__(self):
            from waterview.core.grid import Grid

            self.grid, self.height, self.wet = Grid((2, 3), 1.0), np.zeros((2, 3)), np.ones((2, 3), bool)

    water = Water()
    shoreline = laboratory.Shoreline(water)
    for height, wet in ((0.2, [True, True, False]), (0.1, [True, True, True]), (0.3, [True, False, False])):
        water.height, water.wet = np.full((2, 3), height), np.array([wet, wet])
        shoreline.look()
    assert shoreline.largest[0].tolist() == [0.3, 0.2, 0.1]
    assert shoreline.along([(2.0, 0.0), (0.0, 0.0)]) == pytest.approx(0.1)
    assert shoreline.at(1.0, 0.0, 0.5) == pytest.approx(0.2)
