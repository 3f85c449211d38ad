"""When the scripted players of Gem Duel ask instead of challenging, and about which card."""

from __future__ import annotations

import numpy as np
from numba import njit

from ...envs.core.randomness import below
from ...envs.gem_duel import rules
from ..compiled import next_word
from .duels import by_value, expected, others, worth_of_card, worths
from .reading import own_slot_at

CHOICE = 0.1
"""What it is worth in gems to choose the rival and the type of a duel."""


@njit(cache=True)
def worth_of_turn(rivals):
    """What a later turn is worth: a fair duel for one gem, and that one can choose it."""
    return (1 - 1 / rivals) / 2 + CHOICE


@njit(cache=True)
def is_told(options, observation, slot, told):
    """Whether the holder of an own open card was told this property."""
    at = own_slot_at(options, slot) + 3 + rules.NUM_ELEMENTS + options.max_power
    return observation[at + told] == 1


@njit(cache=True)
def answers(options, observation, table, slot):
    """The cards that an own open card can be after each answer, weighed by how likely both are.

    Of element and power either is told as likely, unless it was told before: float64
    ``[elements + powers, cards]``, where the special elements stand for being told so.
    """
    kinds = rules.num_kinds(options)
    after = np.zeros((rules.NUM_ELEMENTS + options.max_power, kinds))
    by_element = not is_told(options, observation, slot, rules.ELEMENT)
    by_power = not is_told(options, observation, slot, rules.POWER)
    for card in range(kinds):
        chance = table.own[slot, card]
        if rules.is_special(options, card):
            after[rules.LIGHT, card] = chance
        else:
            chance /= int(by_element) + int(by_power)
            if by_element:
                after[rules.element(options, card), card] = chance
            if by_power:
                after[rules.NUM_ELEMENTS + rules.power(options, card) - 1, card] = chance
    return after


@njit(cache=True)
def worth_of_asking(options, observation, table, duels, prizes, slot):
    """How much better the best duel is expected to be once something is told about an own card."""
    places = table.own_places
    cards_after = answers(options, observation, table, slot)
    chances_after = cards_after.sum(axis=1)
    best_after = np.full(cards_after.shape[0], -np.inf)
    best_now = -np.inf
    for duel in duels:
        values_after = by_value(options, cards_after, duel.duel_type)
        against = expected(options, table, duel, table.possible[duel.rival])
        rest = others(duel.own, places, slot)
        best_other = -np.inf
        for other, worth in enumerate(worths(duel, against, places, 1, prizes)):
            best_now = max(best_now, worth)
            if other != slot:
                best_other = max(best_other, worth)
        for told in range(cards_after.shape[0]):
            if chances_after[told] > 0:
                values = values_after[told] / chances_after[told]
                worth = max(best_other, worth_of_card(duel, against, values, rest, 1, prizes))
                best_after[told] = max(best_after[told], worth)
    total = 0.0
    for told in range(cards_after.shape[0]):
        if chances_after[told] > 0:
            total += chances_after[told] * best_after[told]
    return total - best_now


@njit(cache=True)
def question(agent, options, observation, mask, table, duels, prizes):
    """The own slot that is best to be asked about, and how much that is worth; -1 if there is none."""
    best_slot, best_worth, ties = -1, 0.0, 0
    for slot in range(options.hand_size):
        if mask[rules.first_ask(options) + slot]:
            worth = worth_of_asking(options, observation, table, duels, prizes, slot)
            if best_slot < 0 or worth > best_worth:
                best_slot, best_worth, ties = slot, worth, 1
            elif worth == best_worth:
                ties += 1
                if below(next_word(agent), ties) == 0:
                    best_slot = slot
    return best_slot, best_worth
