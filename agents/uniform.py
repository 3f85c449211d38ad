"""The random agent: the floor that every other agent has to beat."""

from __future__ import annotations

import sys

from numba import njit

from ..envs.core.randomness import pick_legal
from .compiled import MixingAgent, next_word


@njit(cache=True)
def choose(agent, observation, mask):
    """Any legal action, each as likely as the others."""
    return pick_legal(mask, next_word(agent))


@njit(cache=True)
def policy(agent, observation, mask, out):
    """The same probability for every legal action."""
    legal = 0
    for action in range(mask.shape[0]):
        legal += mask[action]
    for action in range(mask.shape[0]):
        out[action] = mask[action] / legal


class RandomAgent(MixingAgent):
    """Plays every legal action with equal probability, in any game."""

    name = "random"
    module = sys.modules[__name__]
