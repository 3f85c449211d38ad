"""When it pays in Gem Duel to ask instead of challenging, and about which card."""

from __future__ import annotations

import numpy as np
from numba import njit

from ...envs.gem_duel import rules
from .duels import (
    DUEL_TYPE,
    RIVAL,
    by_value,
    expected,
    odds,
    worth_of_card,
    worth_of_tie,
    worths_of_cards,
)
from .reading import CARDS, PLACES, POSSIBLE, greatest, is_told

CHOICE = 0.1
"""What it is worth, in gems, to be the one who chooses the rival and the type of a duel."""


@njit(cache=True)
def add_questions(options, observation, table, duels, prizes, worths):
    """Write the worths of legal questions, beside those of the challenges: float64 ``[actions]``.

    To ask gives up a turn for what is learned, before the same challenge is made in a later turn.
    """
    size, rivals = options.hand_size, options.num_players - 1
    first = rules.first_ask(options)
    challenge = greatest(worths[rules.first_challenge(options) : first])
    for slot in range(size):
        if worths[first + slot] == 0:
            learned = worth_of_learning(options, observation, table, duels, prizes, slot)
            for rival in range(rivals):
                question = first + rival * size + slot
                worths[question] = challenge + learned - worth_of_turn(rivals)


@njit(cache=True)
def worth_of_turn(rivals):
    """What a turn is worth, in gems: a fair duel for one gem, of one's own choice.

    The gem is won or goes to one of the rivals, who share that harm. So with two players this is
    nothing but the choice, and with more it is better to duel than to look on.
    """
    return (1 - 1 / rivals) / 2 + CHOICE


@njit(cache=True)
def worth_of_learning(options, observation, table, duels, prizes, slot):
    """How much better the best duel is expected to be once something is told about an own card."""
    cards_after = answers(options, observation, table, slot)
    num_answers = cards_after.shape[0]
    best_after = np.full(num_answers, -np.inf)
    best_now = -np.inf
    for duel in duels:
        against = expected(options, table, duel, table[POSSIBLE][duel[RIVAL]])
        worths = worths_of_cards(options, duel, against, table[PLACES][0], prizes)
        best_now = max(best_now, greatest(worths))
        worths[slot] = -np.inf
        best_other = greatest(worths)
        against_values = odds(options, duel[DUEL_TYPE], against)
        after_tie = worth_of_tie(options, duel, table[PLACES][0], slot, prizes)
        values_after = by_value(options, cards_after, duel[DUEL_TYPE])
        for told in range(num_answers):
            best_after[told] = max(best_after[told], best_other)
            chance = values_after[told].sum()
            if chance > 0:
                values = values_after[told] / chance
                worth = worth_of_card(duel, against_values, values, after_tie, prizes)
                best_after[told] = max(best_after[told], worth)
    learned = 0.0
    for told in range(num_answers):
        chance = cards_after[told].sum()
        if chance > 0:
            learned += chance * (best_after[told] - best_now)
    return learned


@njit(cache=True)
def answers(options, observation, table, slot):
    """The chances of each answer about an own open card together with each card that it can be.

    Element and power are told as likely, unless they were told before: float64
    ``[elements + powers, cards]``, where the row of light stands for being told "special".
    """
    kinds = rules.num_kinds(options)
    after = np.zeros((rules.NUM_ELEMENTS + options.max_power, kinds))
    by_element = not is_told(options, observation, 0, slot, rules.ELEMENT)
    by_power = not is_told(options, observation, 0, slot, rules.POWER)
    for card in range(kinds):
        chance = table[CARDS][0, slot, card]
        if rules.is_special(options, card):
            after[rules.LIGHT, card] = chance
        else:
            chance /= int(by_element) + int(by_power)
            if by_element:
                after[rules.element(options, card), card] = chance
            if by_power:
                after[rules.NUM_ELEMENTS + rules.power(options, card) - 1, card] = chance
    return after
