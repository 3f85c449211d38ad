"""When it pays in Gem Duel to ask instead of challenging, and about which card."""

from __future__ import annotations

import numpy as np
from numba import njit

from ...envs.gem_duel import rules
from .duels import by_value, expected, odds, worth_of_card, worth_of_tie, worths
from .reading import own_slot_at

CHOICE = 0.1
"""What it is worth in gems to choose the rival and the type of a duel."""


@njit(cache=True)
def worth_of_turn(rivals):
    """What a turn is worth, in gems: a fair duel for one gem, of one's own choice.

    The gem is won or goes to one of ``rivals`` rivals, who share that harm: with two players this is
    nothing but the choice, with more it is better to duel than to look on.
    """
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
        best_other = -np.inf
        for other, worth in enumerate(worths(duel, against, places, 1, prizes)):
            best_now = max(best_now, worth)
            if other != slot:
                best_other = max(best_other, worth)
        against_values = odds(duel.duel_type, against)
        after_tie = worth_of_tie(duel, places, slot, 1, prizes)
        for told in range(cards_after.shape[0]):
            if chances_after[told] > 0:
                values = values_after[told] / chances_after[told]
                worth = worth_of_card(duel, against_values, values, after_tie, 1, prizes)
                best_after[told] = max(best_after[told], best_other, worth)
    total = 0.0
    for told in range(cards_after.shape[0]):
        if chances_after[told] > 0:
            total += chances_after[told] * best_after[told]
    return total - best_now


@njit(cache=True)
def worths_of_questions(options, observation, mask, table, duels, prizes):
    """``worth_of_asking`` for each own slot, -inf where nothing is left to ask: float64 ``[slots]``."""
    found = np.full(options.hand_size, -np.inf)
    for slot in range(options.hand_size):
        if mask[rules.first_ask(options) + slot]:
            found[slot] = worth_of_asking(options, observation, table, duels, prizes, slot)
    return found
