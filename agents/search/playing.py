"""One playout: a world that a seat may be in, played to its end."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numba import njit

from ...envs.core.dispatch import apply, observe, resample, retract, returns
from ...envs.core.loops import advance, fill_mask
from ...envs.core.randomness import pick_legal, random_word
from ..compiled import choose

# Streams of random words under the seed of a decision.
WORLDS, ROLLOUTS, CHOICES, FINAL = 0, 1, 2, 3


class Table(NamedTuple):
    """What one thread plays on."""

    world: np.ndarray  # a state [1]
    rollout: np.ndarray  # the agent that plays on, a record [1]
    other: np.ndarray | None  # who plays on in every second world, if that is not the same
    turn: np.ndarray  # int64 [1], 1 in the worlds of ``other``
    mask: np.ndarray  # int8 [actions]
    weights: np.ndarray  # int32 [outcomes]
    observation: np.ndarray  # float32 [observation_size], or [0] if these agents look at none
    returns: np.ndarray  # float32 [seats]


@njit(cache=True)
def lay_out(table, state, seat, seed, number):
    """Lay out world ``number`` of those that ``seat`` cannot tell from ``state``, luck to come included.

    What a rival has chosen at the same time is undecided again.
    """
    table.world[0] = state
    resample(table.world[0], seat, random_word(seed, WORLDS, number))
    retract(table.world[0], seat)
    table.turn[0] = number % 2
    word = random_word(seed, ROLLOUTS, number)
    start_afresh(table.rollout, word)
    start_afresh(table.other, word)


@njit(cache=True)
def start_afresh(rollout, word):
    """Give a rollout agent a seed, if there is one: what is None is compiled to nothing."""
    if rollout is not None:
        rollout[0].seed = word
        rollout[0].words = 0


@njit(cache=True)
def considered(table, count):
    """What the rollout agent does in the world; ``table.mask`` has ``count`` legal actions.

    A forced move takes no thought.
    """
    state = table.world[0]
    mask, observation = table.mask, table.observation
    if count == 1:
        return pick_legal(mask, np.uint64(0))
    if observation.shape[0]:
        observation[:] = 0
        observe(state, np.int64(state.player), observation)
    return chosen(table.rollout, table.other, table.turn[0], observation, mask)


@njit(cache=True)
def chosen(agents, other, turn, observation, mask):
    """What the rollout agent whose turn it is does, of ``agents`` and ``other``, records ``[1]``."""
    if other is None:
        return choose(agents[0], observation, mask)
    if turn:
        return choose(other[0], observation, mask)
    return choose(agents[0], observation, mask)


@njit(cache=True)
def approach(table, seat):
    """Let rivals choose what they choose at the same time as ``seat``, until it is asked itself."""
    state = table.world[0]
    while state.player != seat:
        count = fill_mask(state, table.mask)
        apply(state, considered(table, count))
        advance(state, table.weights)


@njit(cache=True)
def play_out(table):
    """Play the world to its end and write its returns."""
    state = table.world[0]
    while state.player >= 0:
        count = fill_mask(state, table.mask)
        apply(state, considered(table, count))
        advance(state, table.weights)
    table.returns[:] = 0
    returns(state, table.returns)
