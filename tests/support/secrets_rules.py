"""A game of two that tells searches which look at what is hidden from those that do not.

Seat 0 secretly says heads or tails, or is safe. Seat 1 guesses what it was. Seat 0 wins 1 if the
guess is wrong and loses 1 if it is right; being safe costs it a half, or 3 if that is guessed. So
against somebody who says anything, safe is the best guess, but safe is no good thing to say. In
the long game safe is no guess, and seat 0 may also plan: then it decides once more, and wins 1 with
its first action and loses 1 with the others, before anybody guesses.
"""

from __future__ import annotations

import numpy as np
from duelgym.envs.core.randomness import below, random_word
from duelgym.envs.core.records import TERMINAL, state_fields
from numba import njit

HEADS, TAILS, SAFE, PLAN = 0, 1, 2, 3
NOTHING = -1

FIELDS = state_fields(
    sources=1,
    fields=[("long", np.int8), ("said", np.int8), ("planning", np.int8), ("payoff", np.float32)],
)


@njit(cache=True)
def setup(state):
    state.player = 0
    state.said = NOTHING


@njit(cache=True)
def chance(state, weights):
    weights[0] = 1
    return 1


@njit(cache=True)
def legal(state, mask):
    mask[HEADS] = 1
    mask[TAILS] = 1
    mask[SAFE] = state.player == 0 or not state.long
    mask[PLAN] = state.player == 0 and state.long


@njit(cache=True)
def apply(state, action):
    if state.planning:
        state.payoff = 1 if action == HEADS else -1
        state.player = TERMINAL
    elif state.player == 0 and action == PLAN:
        state.planning = 1
    elif state.player == 0:
        state.said = action
        state.player = 1
    else:
        state.payoff = 1
        if state.said == SAFE:
            state.payoff = -3 if action == SAFE else -0.5
        elif state.said == action:
            state.payoff = -1
        state.player = TERMINAL


@njit(cache=True)
def returns(state, out):
    out[0] = state.payoff
    out[1] = -state.payoff


@njit(cache=True)
def observe(state, seat, out):
    out[0] = seat == 0 and state.said != NOTHING
    out[1] = state.player == TERMINAL


@njit(cache=True)
def resample(state, seat, seed):
    state.seed = random_word(seed, 0, 0)
    if seat == 1 and state.said != NOTHING and state.player != TERMINAL:
        state.said = below(random_word(seed, 0, 1), 3)


@njit(cache=True)
def retract(state, seat):
    if seat == 1 and state.said != NOTHING and state.player != TERMINAL:
        state.said = NOTHING
        state.player = 0


@njit(cache=True)
def seen(state, action, seat):
    if state.player == 0 and not state.planning and action != PLAN and seat == 1:
        return 1
    return 2 + action
