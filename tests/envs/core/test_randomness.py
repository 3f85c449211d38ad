"""Random words: pure, uniform, and the same compiled and not."""

from __future__ import annotations

import numpy as np
import pytest
from duelgym.envs.core import randomness
from duelgym.envs.core.randomness import (
    below,
    below_large,
    mix64,
    pick_legal,
    pick_weighted,
    random_word,
)


def words(count: int, seed: int = 1, stream: int = 0) -> list[np.uint64]:
    # Compiled functions give Python integers to Python.
    seed_ = np.uint64(seed)
    with np.errstate(over="ignore"):
        return [np.uint64(random_word(seed_, stream, counter)) for counter in range(count)]


def splitmix64(state: int) -> int:
    """The generator as its authors print it, in whole numbers without a limit."""
    z = (state + 0x9E3779B97F4A7C15) % 2**64
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9 % 2**64
    z = (z ^ (z >> 27)) * 0x94D049BB133111EB % 2**64
    return z ^ (z >> 31)


@pytest.mark.parametrize("state", [0, 1, 1234567, 2**63, 2**64 - 1])
def test_mix64_is_the_finaliser_of_splitmix64(state):
    with np.errstate(over="ignore"):
        word = mix64(np.uint64((state + int(randomness.GOLDEN)) % 2**64))
    assert int(word) == splitmix64(state)


def test_mix64_of_1234567_is_the_published_value():
    """First output of the reference implementation for this seed (Rosetta Code, "Splitmix64")."""
    with np.errstate(over="ignore"):
        assert int(mix64(np.uint64(1234567) + randomness.GOLDEN)) == 6457827717110365317


def test_words_differ_by_seed_stream_and_counter():
    with np.errstate(over="ignore"):
        found = {
            int(random_word(np.uint64(seed), stream, counter))
            for seed in range(20)
            for stream in range(20)
            for counter in range(20)
        }
    assert len(found) == 20**3


def test_below_is_uniform():
    counts = np.bincount([below(word, 7) for word in words(70_000)], minlength=7)
    # Each count is binomial(70000, 1/7): five standard deviations are 463.
    assert len(counts) == 7
    assert np.abs(counts - 10_000).max() < 463


@pytest.mark.parametrize("total", [1, 2, 2**31 - 1])
def test_below_stays_below(total):
    for word in (np.uint64(0), np.uint64(2**64 - 1), *words(100)):
        assert 0 <= below(word, total) < total


@pytest.mark.parametrize("total", [1, 7, 2**31, 975**6, 2**63 - 1])
def test_below_large_is_the_upper_half_of_the_product(total):
    for word in (np.uint64(0), np.uint64(2**32 - 1), np.uint64(2**64 - 1), *words(100)):
        assert below_large(word, total) == int(word) * total // 2**64


def test_pick_weighted_follows_the_weights():
    weights = np.array([0, 1, 0, 3, 0], np.int32)
    counts = np.bincount([pick_weighted(weights, 4, word) for word in words(40_000)], minlength=5)
    assert counts[[0, 2, 4]].tolist() == [0, 0, 0]
    assert abs(counts[1] - 10_000) < 433  # five standard deviations


def test_pick_legal_is_uniform_over_legal_actions():
    mask = np.array([0, 1, 0, 0, 1, 1], np.int8)
    counts = np.bincount([pick_legal(mask, word) for word in words(30_000)], minlength=6)
    assert counts[[0, 2, 3]].tolist() == [0, 0, 0]
    assert np.abs(counts[[1, 4, 5]] - 10_000).max() < 409
    assert pick_legal(np.zeros(6, np.int8), np.uint64(1)) == -1
