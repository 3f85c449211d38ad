"""Dragon's Path in the names of its cards: positions, moves, and exactly which cards moved."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from duelgym.envs.core import State
from duelgym.envs.dragons_path import DragonsPath, rules
from duelgym.envs.dragons_path.names import ELEMENTS, SPELLS

BASIC, ADVANCED = DragonsPath("basic"), DragonsPath("advanced")


def counts(cards: str) -> list[int]:
    """``"fire fire earth"`` as numbers by element."""
    names = cards.split()
    assert set(names) <= set(ELEMENTS)
    return [names.count(element) for element in ELEMENTS]


def words(numbers: Any) -> str:
    """The other way round."""
    return " ".join(
        name for name, count in zip(ELEMENTS, numbers, strict=True) for _ in range(count)
    )


def table(
    game: DragonsPath = BASIC,
    *,
    hand: str = "",
    rival_hand: str = "",
    path: str = "",
    rival_path: str = "",
    foreign: str = "",
    rival_foreign: str = "",
    discard: str = "",
    rival_discard: str = "",
    deck: str | None = None,
    rival_deck: str | None = None,
    spells: Sequence[str] = (),
    rival_spells: Sequence[str] = (),
) -> State:
    """Seat 0 is to play, chance is explicit, and "rival" is seat 1.

    ``foreign`` are the rival's cards in the path of seat 0. A deck that is not given holds all the
    other cards; with one that is, those are in the discard pile besides ``discard``.
    """
    states = game.start(0)._states.copy()
    state = states[0]
    if game.options.advanced:
        state.spell_place[:] = rules.IN_THE_BOX
        for seat, held in enumerate((spells, rival_spells)):
            for spell in held:
                state.spell_place[SPELLS.index(spell)] = rules.HELD_BY + seat
        state.player, state.kept = 0, rules.NO_SPELL
        state.pending[:] = state.who[:] = state.left[:] = 0
        state.pending[:2], state.left[:2], state.depth = (rules.END_TURN, rules.MAIN), 1, 2
    state.known_in_hand[:] = 0
    places = [
        (hand, discard, path, foreign, rival_foreign, deck),
        (rival_hand, rival_discard, rival_path, rival_foreign, foreign, rival_deck),
    ]
    for seat, (held, gone, own, others, lent, stock) in enumerate(places):
        state.hand[seat], state.path[seat, seat] = counts(held), counts(own)
        state.path[seat, 1 - seat] = counts(others)
        used = [sum(n) for n in zip(*map(counts, (held, own, lent, gone)), strict=True)]
        rest = np.full(len(ELEMENTS), game.options.copies) - used
        assert (rest >= 0).all()
        state.deck[seat] = rest if stock is None else counts(stock)
        state.discard[seat] = counts(gone) + rest - state.deck[seat]
    return State(game, states, explicit_chance=True)


def play(state: State, *moves: str) -> State:
    """Moves, and cards from chance, in turn; the same state."""
    for move in moves:
        state.apply(move)
    return state


def legal(state: State) -> list[str]:
    """The possible moves by name, or the cards that chance may bring."""
    name = state.outcome_name if state.is_chance else state.action_name
    return [name(action) for action in state.legal_actions()]


def places(state: State) -> dict[str, np.ndarray]:
    """Every place by name, as numbers by element."""
    record, found = state.record, {}
    for seat in range(2):
        found[f"hand {seat}"] = record.hand[seat]
        found[f"deck {seat}"] = record.deck[seat]
        found[f"discard {seat}"] = record.discard[seat]
        found[f"path {seat}"] = record.path[seat, seat]
        found[f"foreign in path {seat}"] = record.path[seat, 1 - seat]
    revealed = "" if record.revealed == rules.NO_CARD else ELEMENTS[record.revealed]
    found["revealed"] = np.array(counts(revealed))
    return {name: np.array(place, np.int64) for name, place in found.items()}


def moved(before: State, after: State) -> dict[str, str]:
    """What each place gained and lost, such as ``{"hand 0": "-fire", "path 0": "+fire"}``."""
    old, new = places(before), places(after)
    found = {}
    for name in old:
        change = new[name] - old[name]
        gained, lost = words(change.clip(0)).split(), words((-change).clip(0)).split()
        if gained or lost:
            found[name] = " ".join([f"+{card}" for card in gained] + [f"-{card}" for card in lost])
    return found


def sees(state: State, seat: int) -> dict[str, Any]:
    """What a seat observes, in words."""
    return state.game.describe(state.observation(seat))


def question(state: State) -> str:
    """What is asked, from the observation of the seat that decides."""
    seen = sees(state, state.player)
    asked = [*seen["question"], *seen.get("spell_question", [])]
    assert len(asked) == 1
    return asked[0]


def turn(state: State) -> tuple[int, int]:
    """Whose turn it is, and its number in the match."""
    return int(state.record.turn), int(state.record.turn_number)


def hand(state: State, seat: int) -> str:
    """The cards in a hand."""
    return words(state.record.hand[seat])


def known(state: State, seat: int) -> str:
    """The cards of a hand that the opponent observes to be in it."""
    seen = sees(state, 1 - seat)["rival_hand_known"]
    assert seen == sees(state, seat)["own_hand_known"]
    return words([seen.get(element, 0) for element in ELEMENTS])
