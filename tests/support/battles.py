"""Positions of Dragon Deck's battle phase."""

from __future__ import annotations

import numpy as np
from duelgym.envs.core import State
from duelgym.envs.dragon_deck import DragonDeck


def dealt(game: DragonDeck, seed: int) -> State:
    """A position at the start of the battles, after a random draft."""
    state, rng = game.start(seed), np.random.default_rng(seed)
    while len(state.legal_actions()) == 2 and state.legal_actions() == [0, 1]:
        state.apply(int(rng.integers(2)))
    return state


def after(state: State, *actions: int) -> State:
    state = state.clone()
    for action in actions:
        state.apply(action)
    return state


def later(state: State, battles: int, seed: int) -> State:
    """The position some random battles later, as far as the match goes on."""
    rng = np.random.default_rng(seed)
    for _ in range(battles):
        following = state
        for _ in range(2):
            following = after(following, int(rng.choice(following.legal_actions())))
        if following.is_over:
            return state
        state = following
    return state
