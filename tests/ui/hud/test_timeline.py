"""The words beside the slider of a recording."""

from types import SimpleNamespace

from waterview.core.playback import PlaybackState
from waterview.ui.hud.timeline import timeline_words

RECORDED = SimpleNamespace(times=[0.0, 2.0, 4.0, 10.0])


def test_they_tell_the_time_that_is_left_at_the_speed_of_playing():
    playback = PlaybackState(RECORDED, 1, is_finest=True)
    assert timeline_words(playback, None, 1.0) == "2 / 10 s   frame 2 / 4   1 × real time   8 s left"
    assert timeline_words(playback, None, 4.0).endswith("4 × real time   2 s left")
    assert timeline_words(playback, 3, 1.0).endswith("   0 s left"), "the frame that the slider was dragged to"
    assert "left" not in timeline_words(playback, None, 0.0)
    assert "250 × real time" in timeline_words(playback, None, 250.0)
