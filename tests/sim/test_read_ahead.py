"""What is read before it is needed, and how much of it is kept."""

import threading

import numpy as np
import pytest

from waterview.sim.read_ahead import ReadAhead


def numbered(read):
    def work(key):
        read.append(key)
        return {key: (np.full(1000, key, np.float32),)}

    return work


def test_what_is_requested_is_read_in_order_and_only_once():
    read = []
    ahead = ReadAhead(numbered(read), 1 << 20)
    assert ahead.get(3) is None and not ahead.take_news()
    ahead.request([3, 1, 2])
    assert ahead.wait(10.0) and ahead.take_news() and not ahead.take_news()
    ahead.request([2, 3, 1])
    assert ahead.wait(10.0)
    assert read == [3, 1, 2]
    assert [ahead.get(k)[0][0] for k in (1, 2, 3)] == [1.0, 2.0, 3.0]


def test_memory_is_bounded_and_what_was_asked_for_last_stays():
    read = []
    ahead = ReadAhead(numbered(read), 10_000)  # two arrays and a half
    for key in range(6):
        ahead.request([key])
        assert ahead.wait(10.0)
        assert ahead.size <= 10_000
        assert ahead.get(0 if key < 2 else key) is not None
    assert [key for key in range(6) if ahead.get(key) is not None] == [4, 5]


def test_what_is_forgotten_makes_room_at_once_and_can_be_read_again():
    read = []
    ahead = ReadAhead(numbered(read), 1 << 20)
    ahead.request([1, 2, 3])
    assert ahead.wait(10.0) and ahead.size == 12_000
    ahead.forget(lambda key: key != 2)
    assert ahead.size == 4_000 and ahead.get(1) is None and ahead.get(2) is not None
    ahead.request([1])
    assert ahead.wait(10.0) and read == [1, 2, 3, 1]


def test_what_is_read_along_with_others_counts_once():
    array = np.zeros(1000, np.float32)
    ahead = ReadAhead(lambda key: {key: (array,), 0: (array,)}, 1 << 20)
    ahead.request([1, 2, 3])
    assert ahead.wait(10.0) and ahead.size == 16_000


def test_a_new_request_takes_the_place_of_what_was_not_begun_yet():
    read, gate = [], threading.Event()

    def work(key):
        gate.wait()
        return numbered(read)(key)

    ahead = ReadAhead(work, 1 << 20)
    ahead.request([1, 2, 3])
    ahead.request([7])
    gate.set()
    assert ahead.wait(10.0)
    assert set(read) <= {1, 7} and 7 in read


def test_small_things_do_not_wait_for_large_ones():
    gate = threading.Event()

    def work(key):
        if key == "large":
            gate.wait()
        return {key: (np.zeros(4, np.float32),)}

    ahead = ReadAhead(work, 1 << 20)
    ahead.request(["small"], ["large"])
    assert not ahead.wait(0.05)
    while ahead.get("small") is None:
        ahead.wait(0.01)
    assert ahead.get("large") is None
    gate.set()
    assert ahead.wait(10.0) and ahead.get("large") is not None


def test_an_error_of_the_reader_is_raised_where_something_is_asked_for():
    def work(key):
        raise ZeroDivisionError("ours")

    ahead = ReadAhead(work, 1 << 20)
    ahead.request([1])
    with pytest.raises(ZeroDivisionError, match="ours"):
        ahead.wait(10.0)
    with pytest.raises(ZeroDivisionError, match="ours"):
        ahead.get(1)
