"""Gem Duel in the names of its cards and moves."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
from duelgym.envs.core import State
from duelgym.envs.gem_duel import GemDuel

TWO, THREE, FOUR, FIVE = (GemDuel(num_players=players) for players in (2, 3, 4, 5))

ODD = {
    "many reshuffles": GemDuel(
        hand_size=2, open_cards=1, powers=((2, 1), (1, 1), (1,), (0, 1), (1,)), target=4
    ),
    "few cards, all open": GemDuel(
        num_players=3, hand_size=3, open_cards=3, target=3, clue_marks_specials=False,
        powers=((1, 1, 1), (1, 0, 2), (1, 1), (1, 1), (0, 1, 1)),
    ),
    "all hidden": GemDuel(
        num_players=5, hand_size=6, open_cards=0, target=4, clue_marks_specials=False
    ),
    "powers to 13, hand of 6": GemDuel(
        hand_size=6, open_cards=5, target=12,
        powers=((1,) * 13, (2,) * 13, (0, 1) * 6, (1,) * 13, (0,) * 12 + (2,)),
    ),
    "one card": GemDuel(hand_size=1, target=1),
}  # fmt: skip
"""Games with unusual options, whose rules are the same."""

EVERY = [GemDuel(variant) for variant in GemDuel.variants] + list(ODD.values())
EVERY_ID = [*GemDuel.variants, *ODD]


def play(state: State, *moves: str) -> State:
    """Cards that are drawn and moves, in order."""
    for move in moves:
        state.apply(move)
    return state


def deal(game: GemDuel, *hands: str) -> State:
    """A game in which the seats are dealt these cards, each hand a list with commas."""
    state = game.start(0, explicit_chance=True)
    for hand in hands:
        play(state, *hand.split(", "))
    return state


def legal(state: State) -> list[str]:
    """The names of what may happen."""
    name = state.outcome_name if state.is_chance else state.action_name
    return [name(action) for action in state.legal_actions()]


def sees(state: State, seat: int) -> dict[str, Any]:
    """A seat's observation in words."""
    return state.game.describe(state.observation(seat))


def random_game(game: GemDuel, seed: int) -> Iterator[tuple[State, str]]:
    """Every position of a random game with the name of what happens next; "" at the end."""
    moves = np.random.default_rng(seed)
    state = game.start(seed, explicit_chance=True)
    while not state.is_over:
        chance = state.is_chance
        action = state.sample_chance() if chance else int(moves.choice(state.legal_actions()))
        yield state, state.outcome_name(action) if chance else state.action_name(action)
        state.apply(action)
    yield state, ""
