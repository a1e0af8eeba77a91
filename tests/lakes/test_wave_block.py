"""Blocks of a lake, stepped in turn, have the bits of the same water in one piece."""

import numpy as np
import pytest

from waterview.core.commands import Drop
from waterview.core.errors import InputError
from waterview.lakes.blocks import Blocks, LakeGrid
from waterview.lakes.ground import Ground
from waterview.lakes.wave_block import WaveBlock, WaveLaw
from waterview.terrain.heightmap import Heightmap
from waterview.waters.common.borders import border_sides
from waterview.waters.wave.wave_equation import WaveEquationWater

SHAPE = 150, 200
DROPS = {
    0: Drop(10.0, -20.0, 1.0, 9.0),
    7: Drop(-98.0, 70.0, 0.5, 12.0),  # in a corner
    30: Drop(60.0, -60.0, 0.3, 90.0, neutral=False),  # on many blocks
    50: Drop(97.0, 0.0, -0.5, 6.0, neutral=True),  # at an edge
}


def coast(land=True):
    """A bay with an island, and land at three sides."""
    heights = -np.random.default_rng(0).random((12, 16)) * 3.0 - 1.0
    if land:
        heights[4:6, 3:9] = 2.0
        heights[0, 5] = heights[8, :2] = heights[9, -1] = 3.0
    return Heightmap.from_array(heights, size=(SHAPE[1] - 1.0, SHAPE[0] - 1.0))


class Pair:
    """A water in one piece, and the same in blocks."""

    def __init__(self, border="zero", *, side=64, reach=16, land=True, **parameters):
        ground = coast(land)
        given = {"wave_speed": 40.0, "border": border, "keep_volume": False, **parameters}
        origin = (-0.5 * ground.size[0], 0.0, -0.5 * ground.size[1])
        self.whole = WaveEquationWater(*ground.size, SHAPE[1], origin, **given)
        self.whole.set_height_map(ground)
        sides, params = border_sides(border), self.whole.params
        blocks = Blocks(SHAPE, side, reach + 1, sides)
        lake = Ground(ground, LakeGrid(SHAPE, self.whole.grid.spacing, origin), sides.wraps)
        law = WaveLaw(self.whole.plan, params.stencil, params.shoreline)
        self.blocks = {number: WaveBlock(number, blocks, lake, law) for number in blocks.numbers}
        self.transfers = [transfer for number in blocks.numbers for transfer in blocks.transfers_to(number)]
        self.reach = reach

    def drop(self, drop):
        self.whole.disturb(drop)
        for block in self.blocks.values():
            block.drop(drop)

    def advance(self, steps):
        self.whole.advance(steps)
        left = steps * self.whole.plan.substeps
        while left:
            done = self.blocks[0, 0].parts
            for block in self.blocks.values():
                block.settle()
            given = [self.blocks[transfer.sender].pack_halo(transfer) for transfer in self.transfers]
            for transfer, message in zip(self.transfers, given, strict=True):
                self.blocks[transfer.receiver].unpack_halo(transfer, message)
            together = min(left, self.reach, 64 - done % 64)
            for block in self.blocks.values():
                block.advance(together)
            left -= together

    @property
    def in_blocks(self):
        heights = np.full(SHAPE, np.nan, np.float32)
        for block in self.blocks.values():
            own = block.owned
            heights[own.top : own.bottom, own.left : own.right] = block.heights
        return heights

    def check(self):
        np.testing.assert_array_equal(self.in_blocks.view(np.uint32), self.whole.height.view(np.uint32))


def run(pair, steps=120):
    for step, drop in DROPS.items():
        pair.advance(step - round(pair.whole.time / pair.whole.time_step))
        pair.drop(drop)
    pair.advance(steps - max(DROPS))
    pair.check()
    assert np.abs(pair.whole.height).max() > 0.01


@pytest.mark.slow
@pytest.mark.parametrize(
    "border",
    [
        "zero",
        "reflecting",
        "wrapping",
        "open",
        "open-ghost",
        "open,west=zero",
        "north=open,east=wrapping,west=wrapping",
    ],
)
@pytest.mark.parametrize(("side", "reach"), [(64, 16), (128, 7), (192, 32)])
def test_blocks_of_any_size_have_the_bits_of_the_whole(border, side, reach):
    run(Pair(border, side=side, reach=reach))


@pytest.mark.slow
@pytest.mark.parametrize("border", ["open", "open,north=zero", "open,east=wrapping,west=wrapping"])
def test_corners_where_layers_meet_have_the_bits_of_the_whole_in_blocks_narrower_than_a_layer(border):
    pair = Pair(border, side=64, reach=32)
    assert pair.blocks[2, 3].owned.shape == (22, 8)
    for x in (-97.0, 97.0):
        for z in (-72.0, 72.0):
            pair.drop(Drop(x, z, 0.5, 7.0, neutral=False))
    for _ in range(3):
        pair.advance(25)
        pair.check()
    assert all(np.abs(pair.whole.height[row, column]).max() > 1e-6 for row in (2, -3) for column in (2, -3))


@pytest.mark.slow
@pytest.mark.parametrize("stencil", ["five-point", "nine-point", "compact"])
def test_every_stencil_and_shore_has_the_bits_of_the_whole(stencil):
    run(Pair("open,west=zero", stencil=stencil, shoreline="zero"))


@pytest.mark.slow
def test_steps_that_are_divided_have_the_bits_of_the_whole():
    pair = Pair("reflecting", reach=32, wave_speed=300.0)
    assert pair.whole.plan.substeps > 2
    run(pair, steps=70)


@pytest.mark.slow
def test_tiles_that_come_to_rest_do_so_as_in_the_whole():
    pair = Pair("reflecting", land=False, damping=8.0)
    pair.drop(Drop(40.0, 20.0, 3e-6, 20.0))
    moving = []
    for steps in (64, 1, 63, 1, 63, 1):
        pair.advance(steps)
        pair.check()
        moving.append(np.count_nonzero(pair.whole.height))
    assert 0 < moving[1] < moving[0]  # in the step after the 64th some tiles are set to rest


def test_memory_beside_calm_blocks_stays_untouched():
    pair = Pair("zero", land=False)
    pair.drop(Drop(-80.0, -60.0, 1.0, 9.0))
    pair.advance(8)
    assert [number for number, block in pair.blocks.items() if not block.is_calm] == [(0, 0)]
    pair.check()


def test_a_block_goes_on_from_what_it_was():
    pair, other = Pair("open"), Pair("open")
    pair.drop(DROPS[7])
    pair.advance(20)
    other.whole = pair.whole
    for number, block in pair.blocks.items():
        other.blocks[number].load_state({name: array.copy() for name, array in block.state().items()}, block.parts)
    other.advance(20)
    other.check()


def test_a_neutral_drop_without_water_around_it_is_refused():
    pair = Pair()
    with pytest.raises(InputError, match="too little water"):
        pair.blocks[0, 0].drop(Drop(0.0, 0.0, 1.0, 500.0, neutral=True))


def test_a_neutral_drop_that_no_worker_should_know_all_of_is_refused(monkeypatch):
    monkeypatch.setattr("waterview.lakes.block.WIDEST_DROP", 1000)
    with pytest.raises(InputError, match="37 points wide"):
        Pair().blocks[0, 0].drop(Drop(-60.0, -40.0, 1.0, 9.0))


def test_waves_that_would_be_clipped_are_refused():
    pair = Pair(land=False)
    for block in pair.blocks.values():
        with pytest.raises(InputError, match="1000 m"):
            block.drop(Drop(0.0, 0.0, 4e4, 500.0, neutral=False))


@pytest.mark.parametrize("border", ["zero", "wrapping", "open,east=wrapping,west=wrapping"])
@pytest.mark.parametrize("side", [64, 128])
def test_every_point_has_one_owner_and_every_halo_is_filled_once(border, side):
    blocks = Blocks(SHAPE, side, 33, border_sides(border))
    owners = np.zeros(SHAPE, int)
    for number in blocks.numbers:
        own, held = blocks.owned(number), blocks.held(number)
        owners[own.top : own.bottom, own.left : own.right] += 1
        filled = np.zeros(held.shape, int)
        filled[own.of(held)] += 1
        for transfer in blocks.transfers_to(number):
            assert transfer.sent.shape == transfer.received.shape
            filled[transfer.received.of(held)] += 1
        assert (filled == 1).all()
    assert (owners == 1).all()


def test_windows_of_the_ground_are_those_of_the_whole_also_beyond_its_ends():
    pair = Pair("wrapping", side=128, reach=32)
    for block in pair.blocks.values():
        rows = np.arange(block.held.top, block.held.bottom) % SHAPE[0]
        columns = np.arange(block.held.left, block.held.right) % SHAPE[1]
        np.testing.assert_array_equal(block.fixed, pair.whole.fixed[np.ix_(rows, columns)])
