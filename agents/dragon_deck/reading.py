"""What the scripted players read from an observation of Dragon Deck, and how they judge cards.

The record of such a player holds the options of the game under the names that they have in a
state, so the rules of the game read it like one: ``rules.beats(agent, card, other)``.
"""

from __future__ import annotations

import numpy as np
from numba import njit

from ...envs.core.records import Field
from ...envs.dragon_deck import rules

FIELDS: list[Field] = [("values_per_type", np.int8), ("target", np.int8)]

# The sections of the observation that have one entry a card, in their order.
OWN_HAND, RIVAL_HAND, UNSEEN, TURNED_UP = 0, 1, 2, 3


@njit(cache=True)
def cards_in(agent, observation, section):
    """The cards in a section of the observation, ascending: int64 ``[how many]``."""
    cards = rules.num_cards(agent)
    return np.flatnonzero(observation[section * cards : (section + 1) * cards])


@njit(cache=True)
def is_pile_b(agent, observation):
    """Whether the turned-up card is from pile B, not A."""
    return observation[5 * rules.num_cards(agent) + 3] == 1


@njit(cache=True)
def still_needed(agent, observation):
    """Victory cards that the observer and the opponent need to win the match."""
    target = int(agent.target)
    at = 5 * rules.num_cards(agent) + 4 + int(agent.values_per_type)
    own = observation[at : at + target].sum()
    rival = observation[at + target : at + 2 * target].sum()
    return target - int(own), target - int(rival)


@njit(cache=True)
def result(agent, card, other):
    """Victory cards that ``card`` wins in a battle against ``other``; below 0 what it loses."""
    if rules.beats(agent, card, other):
        return rules.prize(agent, card)
    return -rules.prize(agent, other)
