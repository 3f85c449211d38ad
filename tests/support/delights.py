"""Positions of Delights & Dragons in named cards, reached by playing."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from duelgym.envs.core import State
from duelgym.envs.delights_and_dragons import DelightsAndDragons

CARDS = {
    "name": "workbench",
    "characters": [
        {"name": "Hero", "attack": 8, "defense": 4},
        {"name": "Guard", "attack": 5, "defense": 6},
        {"name": "Page", "attack": 0, "defense": 1},
        {"name": "Queen", "attack": 3, "defense": 6, "legendary": True},
    ],
    "items": [
        {"name": "Sword", "attack": 3},
        {"name": "Shield", "defense": 4},
        {"name": "Ring", "attack": 1, "defense": 1},
        {"name": "Button", "defense": 1},
    ],
    "decks": {
        "all": {
            **{"Hero": 4, "Guard": 4, "Page": 4, "Queen": 4},
            **{"Sword": 4, "Shield": 4, "Ring": 4, "Button": 32},
        }
    },
}
"""Buttons are there to be drawn."""


def begin(
    hands: Sequence[Sequence[str]], *, card_set: dict[str, Any] = CARDS, **options: Any
) -> State:
    """The first decision, with these opening hands filled up with buttons."""
    size = max(1, *map(len, hands))
    game = DelightsAndDragons(card_set=card_set, opening_hand=size, **options)
    state = game.start(seed=0, explicit_chance=True)
    for hand in hands:
        for card in [*hand, *["Button"] * (size - len(hand))]:
            state.apply(card)
    return state


def play(state: State, *moves: str) -> State:
    """Moves one after the other."""
    for move in moves:
        state.apply(move)
    return state


def end_turn(state: State, draw: str = "Button") -> State:
    """End the attack phase, unless it has ended by itself, and draw a card."""
    if not state.is_chance:
        state.apply("end phase")
    if state.is_chance:
        state.apply(draw)
    return state


def battle(
    own: Sequence[str],
    rival: Sequence[str],
    own_items: Sequence[tuple[str, int]] = (),
    rival_items: Sequence[tuple[str, int]] = (),
    **options: Any,
) -> State:
    """Seat 0's turn, with these characters in the slots from 1 on and items (name, slot) on them."""
    hands = [[*own, *(item for item, _ in own_items)], [*rival, *(item for item, _ in rival_items)]]
    state = begin(hands, **options)
    left = [(list(own), list(own_items)), (list(rival), list(rival_items))]
    while any(cards or items for cards, items in left):
        for seat, (cards, items) in enumerate(left):
            if cards:
                state.apply(f"play {cards.pop(0)}")
            if items and state.record.in_play[seat] >= items[0][1]:
                item, slot = items.pop(0)
                state.apply(f"play {item}")
                if f"on slot {slot}" in legal(state):
                    state.apply(f"on slot {slot}")
            end_turn(state)
    return state


def attack(state: State, slot: int, target: int | None = None) -> State:
    """Attack with a slot; the target is named where there is a choice."""
    state.apply(f"attack with slot {slot}")
    if target is not None:
        state.apply(f"target slot {target}")
    return state


def legal(state: State) -> list[str]:
    """What the player to move may do, or which cards may be drawn."""
    name = state.outcome_name if state.is_chance else state.action_name
    return [name(action) for action in state.legal_actions()]


def sees(state: State, seat: int) -> dict[str, Any]:
    """An observation in words."""
    return state.game.describe(state.observation(seat))


def hand(state: State, seat: int) -> dict[str, int]:
    """The cards in a seat's hand."""
    return sees(state, seat)["own_hand"]


def health(state: State) -> list[int]:
    """Health of both seats."""
    return state.record.health.tolist()
