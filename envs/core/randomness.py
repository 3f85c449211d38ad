"""Random words as pure functions of (seed, stream, counter): no generator state anywhere.

All 64-bit mixing of Duelgym is in this file. The mixer is the finaliser of SplitMix64
(Steele, Lea and Flood, "Fast splittable pseudorandom number generators", 2014).
"""

from __future__ import annotations

import numpy as np
from numba import njit

from .compilation import borrowed, kernel

GOLDEN = np.uint64(0x9E3779B97F4A7C15)
_FIRST = np.uint64(0xBF58476D1CE4E5B9)
_SECOND = np.uint64(0x94D049BB133111EB)
_30, _27, _31, _32 = np.uint64(30), np.uint64(27), np.uint64(31), np.uint64(32)
_LOW = np.uint64(0xFFFFFFFF)


@njit(cache=True)
def mix64(word):
    """Scramble a uint64 (scalar, or an array outside compiled code) into another, one to one."""
    word = (word ^ (word >> _30)) * _FIRST
    word = (word ^ (word >> _27)) * _SECOND
    return word ^ (word >> _31)


@njit(cache=True)
def random_word(seed, stream, counter):
    """Word number ``counter`` of stream ``stream`` under ``seed``: uint64, uniform.

    ``seed`` is a uint64; ``stream`` and ``counter`` are integers of at least 0.
    """
    key = mix64(seed + np.uint64(stream) * _SECOND + GOLDEN)
    return mix64(key + np.uint64(counter) * GOLDEN)


@njit(cache=True)
def below(word, total):
    """An integer from 0 to ``total - 1`` from a uint64 word; ``total`` is less than 2**31."""
    return np.int64(((word >> _32) * np.uint64(total)) >> _32)


@njit(cache=True)
def below_large(word, total):
    """The same for a ``total`` of less than 2**63: the upper half of their 128-bit product."""
    total = np.uint64(total)
    high, low = word >> _32, word & _LOW
    total_high, total_low = total >> _32, total & _LOW
    middle = high * total_low + (low * total_low >> _32)
    carried = low * total_high + (middle & _LOW)
    return np.int64(high * total_high + (middle >> _32) + (carried >> _32))


@njit(cache=True)
def pick_weighted(weights, total, word):
    """An index of ``weights`` (integers, at least 0, summing to ``total``), in proportion to them."""
    left = below(word, total)
    for index in range(weights.shape[0]):
        left -= weights[index]
        if left < 0:
            return index
    return weights.shape[0] - 1


@njit(cache=True)
def pick_legal(mask, word):
    """A uniformly random index where ``mask`` is not zero; -1 if there is none."""
    count = 0
    for index in range(mask.shape[0]):
        count += mask[index]
    if count == 0:
        return -1
    left = below(word, count)
    for index in range(mask.shape[0]):
        left -= mask[index]
        if left < 0:
            return index
    return -1


@kernel
def row_seeds(seed, rows):
    """A seed for each of ``rows`` rows from one uint64 ``seed``: uint64 ``[rows]``."""
    seeds = np.zeros(rows, np.uint64)
    for row in range(rows):
        seeds[row] = random_word(seed, 2, row)
    return seeds


@kernel
def random_rows(masks, seeds, step, actions, low, high):
    """A uniformly random legal action for every row; ``seeds`` uint64 ``[rows]``."""
    masks = borrowed(masks)
    for row in range(low, high):
        actions[row] = pick_legal(masks[row], random_word(seeds[row], 0, step))
