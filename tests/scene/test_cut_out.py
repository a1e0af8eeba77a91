"""A part of a recording becomes the start of a water."""

import numpy as np
import pytest
from support.recordings import MemoryRecording

from waterview.core.errors import InputError, ParameterError
from waterview.core.playback import Part
from waterview.core.rectangle import Rectangle
from waterview.scene.cut_out import cut_out, part_around

PART = Part(0, Rectangle(100, 133, 500, 549))


def test_a_part_has_the_heights_the_ground_and_the_motion_of_its_moment():
    recorded = MemoryRecording()
    cut = cut_out(recorded, 4, PART)
    water = cut.water
    there = PART.grid(recorded.grid(0))
    assert water.grid.shape == (33, 49) and water.grid.spacing == pytest.approx(2.0)
    assert cut.middle == pytest.approx((float(there.x.mean()), float(there.z.mean())))
    assert water.grid.x[0] == -water.grid.x[-1] and water.grid.level == 1.0
    wet = ~water.fixed
    assert wet.any() and water.fixed.any()
    np.testing.assert_array_equal(water.height[wet], recorded.heights(range(4, 5), PART)[0][0][wet])
    assert not water.height[water.fixed].any()
    # From frame to frame all heights rise by 1 m in 0.5 s.
    before = water.height.copy()
    water.step()
    inside = wet.copy()
    inside[[0, -1]], inside[:, :15], inside[:, -1] = False, False, False
    np.testing.assert_allclose((water.height - before)[inside], 2.0 * water.time_step, rtol=0.05)
    assert cut.note == "live from 2 s of memory: 49 × 33 points, heights and their motion between frames 1 s apart"


def test_the_first_and_the_last_frame_have_one_neighbour_and_a_single_one_is_at_rest():
    for number in (0, 11):
        assert cut_out(MemoryRecording(), number, PART).note.endswith("frames 0.5 s apart")
    single = cut_out(MemoryRecording(frames=1), 0, PART)
    assert single.note.endswith("heights at rest")


def test_sides_that_were_inside_are_open_and_others_stay_as_they_were():
    assert cut_out(MemoryRecording(), 0, PART).water.params.border == "open"
    corner = cut_out(MemoryRecording(), 0, Part(0, Rectangle(0, 40, 0, 60))).water.params
    assert corner.border == "north=reflecting,east=open,south=open,west=reflecting"
    assert corner.wave_speed == 3.0
    whole = Part(3, Rectangle(0, 75, 0, 125))
    assert cut_out(MemoryRecording(), 0, whole).water.params.border == "reflecting"


def test_a_recording_that_wraps_does_so_only_where_both_sides_are_there():
    recorded = MemoryRecording()
    recorded.settings = {"border": "wrapping"}
    assert cut_out(recorded, 0, Part(3, Rectangle(10, 40, 0, 125))).water.params.border == (
        "north=open,east=wrapping,south=open,west=wrapping"
    )
    for columns in ((0, 60), (60, 125)):
        assert cut_out(recorded, 0, Part(3, Rectangle(10, 40, *columns))).water.params.border == "open"


def test_flow_that_was_kept_becomes_the_flow_of_the_water():
    recorded = MemoryRecording()
    recorded.model, recorded.settings = "shallow-water", {}
    recorded.flow = lambda number, part: np.stack((np.full(part.shape, 3.0), np.zeros(part.shape))).astype(np.float32)
    recorded.heights = lambda numbers, part: (np.zeros((1, *part.shape), np.float32), "")
    cut = cut_out(recorded, 0, Part(0, Rectangle(100, 133, 500, 549)))
    seen = cut.water.observe()
    assert cut.note.endswith("heights and flow")
    assert seen.velocity[0][16, 30] == pytest.approx(3.0 / 6.0, rel=0.05)


def test_the_finest_level_that_is_small_enough_is_taken():
    recorded = MemoryRecording()
    whole = recorded.grid(0)
    assert part_around(recorded, whole) == Part(0, Rectangle(0, 600, 0, 1000))
    assert part_around(recorded, whole, 500) == Part(1, Rectangle(0, 300, 0, 500))
    assert part_around(recorded, PART.grid(whole)) == PART


def test_what_cannot_be_brought_to_life_is_refused():
    recorded = MemoryRecording()
    with pytest.raises(ParameterError, match="frame 12 of memory"):
        cut_out(recorded, 12, PART)
    with pytest.raises(ParameterError, match="allowed are 4096"):
        cut_out(recorded, 0, Part(0, Rectangle(0, 5000, 0, 10)))
    recorded.damaged[3] = "damaged there"
    with pytest.raises(InputError, match="damaged there"):
        cut_out(recorded, 3, PART)
