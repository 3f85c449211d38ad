"""Slices of a batch on threads."""

from __future__ import annotations

import threading

import pytest
from duelgym.envs.core import threads


@pytest.mark.parametrize(
    ("rows", "num_threads", "slices"),
    [(1, 8, 1), (2048, 8, 1), (4095, 8, 1), (4096, 8, 2), (20_000, 1, 1), (20_000, 3, 3)],
)
def test_small_batches_run_on_one_thread(rows, num_threads, slices):
    assert threads.num_slices(rows, num_threads) == slices


def test_by_default_there_is_a_thread_for_each_core():
    assert threads.num_slices(10**6) == threads.num_cores() >= 1


@pytest.mark.parametrize("slices", [1, 2, 3, 7])
def test_every_row_is_in_one_slice(slices):
    done: list[tuple[int, int, int]] = []
    threads.run(lambda slot, low, high: done.append((slot, low, high)), 100, slices)
    done.sort()
    assert [slot for slot, _, _ in done] == list(range(slices))
    assert [low for _, low, _ in done] == [0, *(high for _, _, high in done)][:-1]
    assert done[-1][2] == 100


def test_slices_run_at_the_same_time():
    together = threading.Barrier(3)
    met = []

    def task(slot: int, low: int, high: int) -> None:
        together.wait(60)  # an error unless all three get here
        met.append(slot)

    threads.run(task, 3000, 3)
    assert sorted(met) == [0, 1, 2]


@pytest.mark.parametrize("broken", [0, 1])
def test_an_error_comes_out_after_all_slices_have_ended(broken):
    ended = []

    def task(slot: int, low: int, high: int) -> None:
        if slot == broken:
            raise ZeroDivisionError
        ended.append(slot)

    with pytest.raises(ZeroDivisionError):
        threads.run(task, 3000, 3)
    assert sorted(ended) == sorted({0, 1, 2} - {broken})
