"""Kinds of borders are objects in one list: a kind that is added there can be stepped beside, without another line."""

import numpy as np
import pytest
from reference import equations as reference
from support.fields import dry, everywhere, field_of

from waterview.core.commands import Drop
from waterview.simd.layout import PAD
from waterview.waters.common.borders import BORDER_KINDS, BorderKind, border_sides
from waterview.waters.wave.domain import Domain
from waterview.waters.wave.step import advance
from waterview.waters.wave.wave_equation import WaveEquationWater


@pytest.fixture
def inverting(monkeypatch):
    """A ghost point holds what lies beside it, upside down: a surface held at 0 half a cell beyond the edge."""
    kind = BorderKind("inverting", "a surface held at 0, half a cell outside", weight=-1.0, keeps_energy=True)
    monkeypatch.setitem(BORDER_KINDS, kind.name, kind)
    return kind


def test_its_ghost_points_hold_what_it_says(inverting):
    heights = np.random.default_rng(0).uniform(-1.0, 1.0, (7, 16)).astype(np.float32)
    field = field_of(heights)
    advance(field, Domain(dry(heights.shape), everywhere("inverting")), stencil="isotropic", damping=0.0, courant=0.5)
    after = field.heights
    halo = field.now[:, PAD - 1 : PAD + 17]
    np.testing.assert_array_equal(halo[0, 1:-1], -after[0])
    np.testing.assert_array_equal(halo[-1, 1:-1], -after[-1])
    np.testing.assert_array_equal(halo[1:-1, 0], -after[:, 0])
    np.testing.assert_array_equal(halo[1:-1, -1], -after[:, -1])
    np.testing.assert_array_equal(halo[0, 0], after[0, 0])


def test_its_modes_follow_their_recurrence(inverting):
    """Sines that are 0 half a cell beyond both ends are modes, whose symbol is known."""
    shape, tx, tz = reference.mode((24, 37), 3, 2, "inverting")
    field = field_of(shape)
    domain = Domain(dry(shape.shape), everywhere("inverting"))
    advance(field, domain, stencil="isotropic", damping=0.002, courant=0.6, steps=500)
    expected = reference.amplitude(reference.symbol("isotropic", tx, tz), 0.002, 0.6, 500)
    assert np.abs(field.heights - expected * shape).max() < 1e-4


def test_layers_end_beside_it(inverting):
    sides = border_sides("open,north=inverting")
    field = field_of(np.ones((30, 20)))
    advance(field, Domain(dry((30, 20)), sides), stencil="nine-point", damping=0.1, courant=0.4, steps=300)
    assert np.abs(field.heights).max() < 0.1


def test_users_can_name_it(inverting):
    assert border_sides("inverting,east=zero").north == "inverting"
    assert inverting.on_gpu


@pytest.mark.parametrize("kind", BORDER_KINDS.values(), ids=lambda kind: kind.name)
def test_every_kind_says_what_it_does(kind):
    assert kind.name in BORDER_KINDS and kind.doc
    assert kind.on_gpu == (kind.memory == "none")
    if kind.keeps_volume:
        assert kind.weight == 1.0 and kind.on_gpu


@pytest.mark.parametrize("kind", [kind for kind in BORDER_KINDS.values() if kind.on_gpu], ids=lambda kind: kind.name)
@pytest.mark.parametrize("keeps", ["energy", "volume"])
def test_it_keeps_what_it_says(kind, keeps):
    """Noise in a closed box: what is lost in 200 steps is a rounding, or it is not kept."""
    start = np.random.default_rng(2).uniform(0.0, 1.0, (16, 18))
    field = field_of(start)
    advance(
        field,
        Domain(dry(start.shape), everywhere(kind.name)),
        stencil="five-point",
        damping=0.0,
        courant=0.3,
        steps=200,
    )
    if keeps == "volume":
        assert (abs(field.heights.mean(dtype=float) - start.mean()) < 1e-4) == kind.keeps_volume
    elif kind.keeps_energy:
        assert np.abs(field.heights).max() > 0.1


@pytest.mark.parametrize("kind", [*(kind.name for kind in BORDER_KINDS.values() if kind.keeps_energy), "inverting"])
@pytest.mark.parametrize("shoreline", ["no-flux", "zero"])
def test_the_totals_of_a_kind_that_keeps_energy_stay(inverting, kind, shoreline):
    water = WaveEquationWater(
        *(10.0, 8.0, 41), border=kind, shoreline=shoreline, stencil="five-point", damping=0.0, wave_speed=2.0
    )
    water.disturb(Drop(3.0, 2.0, height=0.5, radius=1.5))
    water.advance(20)
    before = water.totals()
    water.advance(500)
    after, energy = water.totals(), water.field_maps()["energy"]
    total = after.kinetic + after.potential
    assert total == pytest.approx(before.kinetic + before.potential, rel=1e-4)
    assert energy.values.sum(dtype=float) * water.grid.spacing**2 == pytest.approx(total, rel=1e-3)
