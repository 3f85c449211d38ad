"""What a seat may know in Dragon's Path, found by trying out every game that fits its log.

The log is what the rules let a seat see. All worlds are kept in which it would have seen the same:
the hands in them are what the observation's lower bounds must allow, no more and no fewer, and
redrawing must lead into one of them.
"""

from __future__ import annotations

import itertools
from collections import Counter

import numpy as np
import pytest
from duelgym.envs.core import State
from duelgym.envs.dragons_path import DragonsPath
from duelgym.envs.dragons_path.names import ELEMENTS
from support.dragons_path import sees

DEALS = [
    ("Primordial Maelstrom", "Tempest of Omens", "Mindstorm Dominion", "Stormveil Reversal"),
    ("Mindstorm Dominion", "Primordial Maelstrom", "Runebolt Invocation", "Cinderstorm Prophecy"),
    ("Titan's Emberforge", "Scalding Deluge", "Molten Hellstrike", "Primordial Maelstrom"),
    ("Skyshard Shift", "Primordial Maelstrom", "Tempest of Omens", "Mindstorm Dominion"),
]


def allowed_hands(state: State, seat: int) -> set[tuple[int, ...]]:
    """Hands of the rival that fit the observation of ``seat``."""
    seen = sees(state, seat)

    def numbers(name: str) -> np.ndarray:
        return np.array([seen[name].get(element, 0) for element in ELEMENTS])

    known, unseen = numbers("rival_hand_known"), numbers("rival_unseen")
    in_deck, sure = numbers("rival_deck_known"), seen["rival_deck_sure"]
    top = np.array([element in seen.get("rival_top", []) for element in ELEMENTS])
    hands = itertools.product(*(range(k, u + 1) for k, u in zip(known, unseen, strict=True)))
    return {
        hand
        for hand in hands
        if sum(hand) == seen["rival_hand_size"]
        and np.minimum(unseen - hand, in_deck).sum() >= sure
        and (unseen - hand >= top).all()
    }


def worlds_after(worlds: dict[bytes, State], log: tuple[int, ...], seat: int) -> dict[bytes, State]:
    """Every world one move on, in which a seat has seen this."""
    found = {}
    for world in worlds.values():
        for action in world.legal_actions():
            after = world.clone()
            after.apply(action)
            if after.information_state(seat) == log:
                found[after.record.tobytes()] = after
    return found


@pytest.mark.parametrize("fire_search_to", ["hand", "deck_top"])
def test_lower_bounds_and_redrawing_fit_exactly_what_was_seen(fire_search_to):
    cast: Counter[str] = Counter()
    for seed in range(16):
        game = DragonsPath(
            advanced=True, copies=2 + seed % 2, hand=3, fire_search_to=fire_search_to
        )
        seat = seed % 2
        moves = np.random.default_rng(seed)
        state = game.start(seed, explicit_chance=True)
        for spell in DEALS[seed // 2 % len(DEALS)]:
            state.apply(spell)
        for _ in range(2):
            state.apply(moves.choice(state.legal_actions()))
        worlds = {state.record.tobytes(): state.clone()}
        while not state.is_over and state.record.match == 0:
            legal = state.legal_actions()
            spells = [n for n in legal if game.action_name(n).startswith("cast ")]
            action = state.sample_chance() if state.is_chance else moves.choice(spells or legal)
            cast.update([game.action_name(action)] if action in spells else [])
            state.apply(action)
            worlds = worlds_after(worlds, state.information_state(seat), seat)
            hands = {tuple(world.record.hand[1 - seat].tolist()) for world in worlds.values()}
            assert hands == allowed_hands(state, seat)
            assert state.record.tobytes() in worlds
            for number in range(2):
                record = state.resample(seat, number).record.copy()
                record.seed = state.record.seed
                assert record.tobytes() in worlds
    assert set(cast) >= {f"cast {DEALS[0][n]}" for n in range(4)}
