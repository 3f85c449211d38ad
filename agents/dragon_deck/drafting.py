"""How the scripted players of Dragon Deck recruit: by what a card changes in random battles."""

from __future__ import annotations

from numba import njit

from ...envs.dragon_deck import rules
from .reading import TURNED_UP, UNSEEN, cards_in, is_pile_b, result


@njit(cache=True)
def worth(agent, card):
    """What it changes to have a card oneself instead of leaving it to the opponent.

    Judge two hands by what random battles bring: the results of every own card against every
    card of the opponent, added up. In the own hand a card adds its results against the opponent's
    cards, in the other hand it subtracts its results against the own ones, and an undrawn card
    will be one or the other. So the difference is the sum of its results against all other
    dragons, whoever has them, the whole draft long. With values 1 to 8 it is -6, -4, .. 6 for the
    values 2, 3, .. 8, and 0 for value 1, whose double prize against one type makes up for losing
    to all the rest.
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
    size, total = unseen.shape[0], 0
    for other in unseen:
        total += worth(agent, other)
    expected = total / size
    if not is_pile_b(agent, observation):
        expected = 0.0
        for other in unseen:
            at_pile_b = worth(agent, other)
            expected += max(at_pile_b, (total - at_pile_b) / (size - 1)) / size
    return rules.KEEP if worth(agent, card) >= expected else rules.REFUSE
