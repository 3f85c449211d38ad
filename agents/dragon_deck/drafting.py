"""How the scripted players of Dragon Deck recruit: by what a card changes in random battles."""

from __future__ import annotations

import numpy as np
from numba import njit

from ...envs.dragon_deck import rules
from .reading import TURNED_UP, UNSEEN, cards_in, is_pile_b, result


@njit(cache=True)
def worth(agent, card):
    """What it changes to have a card oneself instead of leaving it to the opponent.

    Judge two hands by what random battles bring: the results of every own card against every
    card of the opponent, added up. A card that changes sides changes this sum by its results
    against all other cards, whoever has them: an own card gains what it would have cost, and an
    opposing one it now meets. So the worth of a card is the sum of its results against all other
    dragons, the whole draft long. With values 1 to 8 it is -6, -4, .. 6 for the values 2, 3, .. 8
    and 0 for value 1, whose double prize against one type makes up for losing to all the rest.
    """
    total = 0
    for other in range(rules.num_cards(agent)):
        if other != card:
            total += result(agent, card, other)
    return total


@njit(cache=True)
def recruit(agent, observation):
    """``KEEP`` if the turned-up card is worth at least what can be expected after refusing it.

    Of the three cards of a round the active player gets one and the opponent the other two, so
    only which one it is counts. After refusing at pile B it is C: any undrawn card. After refusing
    at pile A it is B, or C where that promises more.
    """
    card = cards_in(agent, observation, TURNED_UP)[0]
    unseen = cards_in(agent, observation, UNSEEN)
    worths = np.zeros(unseen.shape[0])
    for index in range(unseen.shape[0]):
        worths[index] = worth(agent, unseen[index])
    expected = worths.mean()
    if not is_pile_b(agent, observation):
        total = worths.sum()
        others = unseen.shape[0] - 1
        for index in range(unseen.shape[0]):
            worths[index] = max(worths[index], (total - worths[index]) / others)
        expected = worths.mean()
    return rules.KEEP if worth(agent, card) >= expected else rules.REFUSE
