"""A three-player game that is as unlike the real ones as the engine allows.

Chance deals seat 0 a secret card of 1 to 3 and flips a public coin (from a source of its own).
Then seats 0 and 1 take turns to wait or to stop; on tails seat 1 can only wait. Whoever stops
wins the secret card's value from the other two, half each. After six waits the game is cut off.
Seat 2 never decides anything.
"""

from __future__ import annotations

import numpy as np
from duelgym.envs.core.randomness import below, random_word
from duelgym.envs.core.records import CHANCE, TERMINAL, TRUNCATED, state_fields
from numba import njit

WAIT, STOP = 0, 1
DEAL, FLIP = 0, 1
LIMIT = 6

FIELDS = state_fields(
    sources=2,
    fields=[
        ("card", np.int8),
        ("coin", np.int8),
        ("waits", np.int8),
        ("stopper", np.int8),
        ("big", np.int64),  # out of order on purpose: registration sorts wide fields to the front
    ],
)


@njit(cache=True)
def setup(state):
    state.player = CHANCE
    state.source = DEAL
    state.stopper = -1


@njit(cache=True)
def chance(state, weights):
    if state.source == DEAL:
        weights[:] = 1
        return 3
    weights[0] = 1
    weights[1] = 2
    return 3


@njit(cache=True)
def legal(state, mask):
    mask[WAIT] = 1
    mask[STOP] = state.player == 0 or state.coin == 1


@njit(cache=True)
def apply(state, action):
    if state.player == CHANCE and state.source == DEAL:
        state.card = action + 1
        state.source = FLIP
    elif state.player == CHANCE:
        state.coin = action
        state.player = 0
    elif action == STOP:
        state.stopper = state.player
        state.player = TERMINAL
    else:
        state.waits += 1
        state.player = TRUNCATED if state.waits == LIMIT else 1 - int(state.player)


@njit(cache=True)
def returns(state, out):
    if state.stopper >= 0:
        out[:] = -0.5 * int(state.card)
        out[state.stopper] = state.card


@njit(cache=True)
def observe(state, seat, out):
    out[0] = state.card if seat == 0 or state.player == TERMINAL else 0
    out[1] = state.coin
    out[2] = state.waits


@njit(cache=True)
def resample(state, seat, seed):
    state.seed = random_word(seed, 0, 0)
    if seat != 0 and state.card > 0 and state.player != TERMINAL:
        state.card = 1 + below(random_word(seed, 0, 1), 3)


@njit(cache=True)
def seen(state, action, seat):
    if state.player == CHANCE and state.source == DEAL and seat != 0:
        return 1
    revealed = int(state.card) if action == STOP and state.player != CHANCE else 0
    return 2 + action + 8 * revealed
