"""The best of the actions, by their values."""

from __future__ import annotations

from numba import njit

from ...envs.core.randomness import below
from ..compiled import next_word

_EQUAL = 1e-9


@njit(cache=True)
def best_of(agent, values, mask):
    """The legal action of the highest value; equally good ones are drawn from at random."""
    best, ties = -1, 0
    for action in range(mask.shape[0]):
        if mask[action]:
            if best < 0 or values[action] > values[best] + _EQUAL:
                best, ties = action, 1
            elif values[action] > values[best] - _EQUAL:
                ties += 1
                if below(next_word(agent), ties) == 0:
                    best = action
    return best
