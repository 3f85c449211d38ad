"""What the scripted players read from an observation of Gem Duel.

The options of the game have the names that they have in a state, so the rules of the game read
them like one: ``rules.power(options, card)``.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numba import njit

from ...envs.core.game import Game
from ...envs.core.randomness import below, pick_legal
from ...envs.core.records import Field
from ...envs.gem_duel import rules
from ..compiled import next_word

CLOSE = 1e-9
"""Worths that differ by less are the same, but for how they were added up."""


class Options(NamedTuple):
    """The options of the game that a player goes by."""

    num_players: int
    hand_size: int
    max_power: int
    target: int
    clue_marks_specials: int
    num_cards: int


FIELDS: list[Field] = [(name, np.int16) for name in Options._fields]
"""The options, in the record of a player."""


def parameters(game: Game) -> dict[str, Any]:
    """Values of ``FIELDS``."""
    known = {**game.parameters(), "num_players": game.num_players}
    return {name: known[name] for name in Options._fields}


@njit(cache=True)
def options_of(agent):
    """The options in the record of a player."""
    return Options(
        int(agent.num_players),
        int(agent.hand_size),
        int(agent.max_power),
        int(agent.target),
        int(agent.clue_marks_specials),
        int(agent.num_cards),
    )


# What is to be decided.


@njit(cache=True)
def phase(observation):
    """``rules.TURN``, ``ANSWER``, ``CLUE`` or ``PLAY``."""
    return rules.TURN + observation[:4].argmax()


@njit(cache=True)
def partner(options, observation):
    """The rival, from 0 clockwise, with whom the observer has to do in this turn."""
    players = options.num_players
    turn = observation[4 + players : 4 + 2 * players].argmax()
    if turn == 0:
        return observation[4 + 2 * players : 4 + 3 * players].argmax() - 1
    return turn - 1


@njit(cache=True)
def asked_slot(options, observation):
    """The slot that is asked about."""
    at = 4 + 3 * options.num_players
    return observation[at : at + options.hand_size].argmax()


@njit(cache=True)
def duel_type(options, observation):
    """``rules.ELEMENT`` or ``rules.POWER``, of the duel that is announced or fought."""
    at = 4 + 3 * options.num_players + options.hand_size
    return observation[at : at + 2].argmax()


@njit(cache=True)
def stake(options, observation):
    """Gems for the winner of this round."""
    at = 4 + 3 * options.num_players + options.hand_size + 2
    return int(observation[at : at + options.hand_size].sum())


@njit(cache=True)
def gems_needed(options, observation):
    """Gems that each player still needs, the observer first: int64 ``[players]``."""
    needed = np.empty(options.num_players, np.int64)
    at = rules.gems_at(options)
    for player in range(options.num_players):
        needed[player] = options.target - int(observation[at : at + options.target].sum())
        at += options.target
    return needed


# Cards.


class Table(NamedTuple):
    """What the observer knows of the cards; a hand has a row for each slot, a row an entry a card.

    Attributes:
        own_places: What is in the own slots, ``rules.EMPTY``, ``HIDDEN``, ``OPEN`` or ``PLAYED``:
            int64 ``[slots]``.
        own: The chance of each card to be the one in a slot; no chances for a card that is not
            in hand: float64 ``[slots, cards]``.
        rival_places: int64 ``[rivals, slots]``.
        rivals: float64 ``[rivals, slots, cards]``.
        possible: Which cards a rival's open slot can hold for all that its holder has been told:
            bool ``[rivals, slots, cards]``.
        unseen: How many of each card are expected in the deck and hidden in rivals' hands:
            float64 ``[cards]``.
    """

    own_places: np.ndarray
    own: np.ndarray
    rival_places: np.ndarray
    rivals: np.ndarray
    possible: np.ndarray
    unseen: np.ndarray


@njit(cache=True)
def own_slot_at(options, slot):
    """Where an own slot begins in an observation."""
    return rules.own_slots_at(options) + slot * rules.own_slot_size(options)


@njit(cache=True)
def rival_slot_at(options, rival, slot):
    """Where a rival's slot begins in an observation."""
    number = rival * options.hand_size + slot
    return rules.rival_slots_at(options) + number * rules.rival_slot_size(options)


@njit(cache=True)
def place(observation, at):
    """What is in the slot that begins at ``at``."""
    for number in range(3):
        if observation[at + number] == 1:
            return rules.HIDDEN + number
    return rules.EMPTY


@njit(cache=True)
def card(options, observation, at):
    """The card whose element and power the entries from ``at`` on give."""
    elements = rules.NUM_ELEMENTS
    element = observation[at : at + elements].argmax()
    power = observation[at + elements : at + elements + options.max_power].argmax()
    return element * options.max_power + power


@njit(cache=True)
def mark_possible(options, observation, at, out):
    """Mark the cards that the possible elements and powers from ``at`` on allow: bool ``[cards]``."""
    powers_at = at + rules.NUM_ELEMENTS
    for number in range(rules.num_kinds(options)):
        if observation[at + rules.element(options, number)] == 1:
            # Without such marks the powers are those of a basic card.
            unmarked = rules.is_special(options, number) and not options.clue_marks_specials
            power = rules.power(options, number)
            out[number] = unmarked or observation[powers_at + power - 1] == 1


@njit(cache=True)
def is_new(options, observation, at, size):
    """1 if a card was drawn since the discard was last shuffled, if it ever was; else 0."""
    return 1 if not rules.may_reshuffle(options) else int(observation[at + size - 1])


@njit(cache=True)
def unseen_cards(options, observation):
    """Counts of the cards that the observer does not see, those that are not new and those that are.

    The first are from a former deck: float64 ``[2, cards]``.
    """
    kinds = rules.num_kinds(options)
    at = rules.deck_at(options) + 1
    counts = np.zeros((2, kinds))
    counts[1] = observation[at : at + kinds]
    if rules.may_reshuffle(options):
        new_at = at + 2 * kinds
        counts[0] = observation[at : at + kinds] - observation[new_at : new_at + kinds]
        counts[1] = observation[new_at : new_at + kinds]
    return counts


@njit(cache=True)
def read(options, observation):
    """The ``Table`` of an observation.

    An own open card is any card that it can be for all that was told, as likely as there are such
    cards unseen; a rival's hidden card is any of the unseen ones that are not expected there.
    """
    size, rivals, kinds = options.hand_size, options.num_players - 1, rules.num_kinds(options)
    own_places, own = np.zeros(size, np.int64), np.zeros((size, kinds))
    rival_places = np.zeros((rivals, size), np.int64)
    of_rivals, possible = np.zeros((rivals, size, kinds)), np.zeros((rivals, size, kinds), np.bool_)
    unseen = unseen_cards(options, observation)
    left = unseen.copy()
    for slot in range(size):
        at = own_slot_at(options, slot)
        own_places[slot] = place(observation, at)
        if own_places[slot] == rules.HIDDEN:
            own[slot, card(options, observation, at + 3)] = 1
        elif own_places[slot] == rules.OPEN:
            allowed = np.zeros(kinds, np.bool_)
            mark_possible(options, observation, at + 3, allowed)
            new = is_new(options, observation, at, rules.own_slot_size(options))
            own[slot] = unseen[new] * allowed
            own[slot] /= own[slot].sum()
            left[new] -= own[slot]
    left = np.maximum(left, 0.0)
    for rival in range(rivals):
        for slot in range(size):
            at = rival_slot_at(options, rival, slot)
            rival_places[rival, slot] = place(observation, at)
            if rival_places[rival, slot] == rules.HIDDEN:
                new = is_new(options, observation, at, rules.rival_slot_size(options))
                of_rivals[rival, slot] = left[new] / left[new].sum()
            elif rival_places[rival, slot] == rules.OPEN:
                of_rivals[rival, slot, card(options, observation, at + 3)] = 1
                faces = rules.NUM_ELEMENTS + options.max_power
                possible_at = at + 3 + faces + rules.NUM_PROPERTIES
                mark_possible(options, observation, possible_at, possible[rival, slot])
    return Table(own_places, own, rival_places, of_rivals, possible, left[0] + left[1])


@njit(cache=True)
def in_hand(where):
    """Whether a slot with this place holds a card that can be played."""
    return where == rules.HIDDEN or where == rules.OPEN


# Choosing.


@njit(cache=True)
def best_of(agent, worths):
    """The index of the greatest of some worths, drawn among equals."""
    best, ties = 0, 1
    for index in range(1, worths.shape[0]):
        if worths[index] > worths[best] + CLOSE:
            best, ties = index, 1
        elif worths[index] > worths[best] - CLOSE:
            ties += 1
            if below(next_word(agent), ties) == 0:
                best = index
    return best


@njit(cache=True)
def careless_clue(agent, options, observation, mask):
    """Any clue that says nothing about the property that the duel goes by, or any if there is none."""
    about = mask.copy()
    size = options.hand_size
    first = rules.NUM_PROPERTIES + duel_type(options, observation) * size
    about[first : first + size] = 0
    chosen = pick_legal(about, next_word(agent))
    return chosen if chosen >= 0 else pick_legal(mask, next_word(agent))
