"""Leduc poker in the names of its cards and moves."""

from __future__ import annotations

from duelgym.envs import make
from duelgym.envs.core import State

LEDUC = make("leduc_poker")
CARDS = {LEDUC.chance_name(card): card for card in range(6)}


def play(*moves: str) -> State:
    """A game in which these cards are dealt and these moves made, in turn."""
    state = LEDUC.start(0, explicit_chance=True)
    for move in moves:
        state.apply(CARDS[move] if state.is_chance else move)
    return state
