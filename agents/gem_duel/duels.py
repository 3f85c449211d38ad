"""How the scripted players of Gem Duel judge a duel: what to expect of the rival, and of each card.

A duel goes by one property of the cards: *values* are elements or powers, from 0.
"""

from __future__ import annotations

import numpy as np
from numba import njit

from ...envs.gem_duel import rules
from ..compiled import CLOSE
from .reading import CARDS, PLACES, UNSEEN, greatest, is_in_hand

SKILL = 0.5
"""How often a rival is expected to play what looks best to it, and else any of its cards."""


# *Prizes* are what the outcomes of a round are worth to the observer, in own gems: a tuple.
WON_BY = 0
"""If a player wins this round or, after a tie, the next: float64 ``[2, players]``."""
SHARED = 1
"""If the victory is shared: float."""

# A *duel*, as the observer sees it before a round, is a tuple too.
DUEL_TYPE = 0
"""``rules.ELEMENT`` or ``rules.POWER``."""
RIVAL = 1
"""A player."""
OWN_VALUES = 2
"""The chances of the values of each own card: float64 ``[slots, values]``."""
RIVAL_VALUES = 3
"""The same for the rival's cards."""
ANY_CARD = 4
"""The chances of the values of any card in the rival's hand: float64 ``[values]``."""
ANY_ODDS = 5
"""The ``odds`` of each value against any card: float64 ``[2, values]``."""
RIVAL_UNSEEN = 6
"""How many of each card the rival does not see: float64 ``[cards]``."""
OPINION = 7
"""How good the rival thinks that each value is: the chance to win with it less that to lose, float64
``[values]``."""
BEST_HIDDEN = 8
"""The chance that each value is the best of the rival's hidden cards in its opinion, all 0 if it has
none: float64 ``[values]``."""


@njit(cache=True)
def by_value(options, cards, duel_type):
    """Chances of values from chances of cards, row by row: float64 ``[slots, values]``."""
    num_values = rules.NUM_ELEMENTS if duel_type == rules.ELEMENT else options.max_power
    values = np.zeros((cards.shape[0], num_values))
    for row in range(cards.shape[0]):
        card = 0
        for element in range(rules.NUM_ELEMENTS):
            for power in range(options.max_power):
                values[row, element if duel_type == rules.ELEMENT else power] += cards[row, card]
                card += 1
    return values


@njit(cache=True)
def lead(options, duel_type, own, rival):
    """1 if the value ``own`` wins a duel against ``rival``, -1 if it loses, 0 for a tie."""
    if duel_type == rules.ELEMENT:
        return rules.element_lead(own, rival)
    return np.sign(own - rival)


@njit(cache=True)
def odds(options, duel_type, against):
    """The chances of each value to win and to lose, against these chances of values of the rival.

    float64 ``[2, values]``.
    """
    found = np.zeros((2, against.shape[0]))
    for value in range(against.shape[0]):
        for other in range(against.shape[0]):
            result = lead(options, duel_type, value, other)
            if result > 0:
                found[0, value] += against[other]
            elif result < 0:
                found[1, value] += against[other]
    return found


@njit(cache=True)
def chances(own, against_values):
    """The chances to win and to lose with a card, from those of its values and their ``odds``."""
    win = lose = 0.0
    for value in range(own.shape[0]):
        win += own[value] * against_values[0, value]
        lose += own[value] * against_values[1, value]
    return win, lose


@njit(cache=True)
def in_hand(options, places):
    """Which slots hold a card that can be played: bool ``[slots]``."""
    found = np.zeros(places.shape[0], np.bool_)
    for slot in range(places.shape[0]):
        found[slot] = is_in_hand(options, places[slot])
    return found


@njit(cache=True)
def mean_of(rows, counted):
    """The mean of the rows that count; 0 if none does."""
    mean, count = np.zeros(rows.shape[1]), 0
    for row in range(rows.shape[0]):
        count += counted[row]
    for row in range(rows.shape[0]):
        if counted[row]:
            for column in range(rows.shape[1]):
                mean[column] += rows[row, column] / count
    return mean


@njit(cache=True)
def duel_with(options, table, rival, duel_type):
    """A duel with a rival, before a round."""
    own = by_value(options, table[CARDS][0], duel_type)
    cards = by_value(options, table[CARDS][rival], duel_type)
    any_card = mean_of(cards, in_hand(options, table[PLACES][rival]))
    any_odds = odds(options, duel_type, any_card)
    unseen = unseen_by(options, table, rival)
    opinion = opinion_of_rival(options, table, duel_type, own, unseen)
    best_hidden = best_of_hidden(options, table[PLACES][rival], cards, opinion)
    return duel_type, rival, own, cards, any_card, any_odds, unseen, opinion, best_hidden


@njit(cache=True)
def all_duels(options, table):
    """Every duel that the observer can announce, in the order of the challenges."""
    return [
        duel_with(options, table, 1 + announced // 2, announced % 2)
        for announced in range(2 * (options.num_players - 1))
    ]


@njit(cache=True)
def unseen_by(options, table, rival):
    """How many there are of each card in what a rival does not see, as expected: float64 ``[cards]``.

    That is the deck, others' hidden cards and its own open ones.
    """
    unseen = table[UNSEEN].copy()
    for slot in range(table[PLACES].shape[1]):
        for card in range(unseen.shape[0]):
            if table[PLACES][0, slot] == rules.HIDDEN:
                unseen[card] += table[CARDS][0, slot, card]
            if table[PLACES][rival, slot] == rules.OPEN:
                unseen[card] += table[CARDS][rival, slot, card]
    return unseen


@njit(cache=True)
def opinion_of_rival(options, table, duel_type, own, unseen):
    """How good each value is against the observer's cards, hidden ones being any that the rival does not see."""
    any_unseen = by_value(options, unseen.reshape(1, -1), duel_type)[0] / unseen.sum()
    seen = own.copy()
    for slot in range(own.shape[0]):
        if table[PLACES][0, slot] == rules.HIDDEN:
            for value in range(own.shape[1]):
                seen[slot, value] = any_unseen[value]
    against_values = odds(options, duel_type, mean_of(seen, in_hand(options, table[PLACES][0])))
    opinion = np.empty(own.shape[1])
    for value in range(own.shape[1]):
        opinion[value] = against_values[0, value] - against_values[1, value]
    return opinion


@njit(cache=True)
def best_of_hidden(options, places, cards, opinion):
    """The chance that each value is the best of the rival's hidden cards, 0 if it has none."""
    hidden = places == rules.HIDDEN
    count = hidden.sum()
    any_hidden = mean_of(cards, hidden)
    best = np.zeros(opinion.shape[0])
    for value in range(opinion.shape[0]):
        # The best card is as good as this one if none is better, but not if all are worse.
        worse = same = 0.0
        for other in range(opinion.shape[0]):
            if opinion[other] < opinion[value] - CLOSE:
                worse += any_hidden[other]
            elif opinion[other] < opinion[value] + CLOSE:
                same += any_hidden[other]
        if same > 0:
            best[value] = any_hidden[value] / same * ((worse + same) ** count - worse**count)
    return best


@njit(cache=True)
def expected(options, table, duel, possible):
    """The chance that the rival plays each value: float64 ``[values]``.

    Often it is what looks best to the rival, else any of its cards. It knows its hidden cards, and
    judges an open one by all cards that it does not see and that this one can be: ``possible``
    bool ``[slots, cards]``.
    """
    promises = np.full(possible.shape[0], -np.inf)
    for slot in range(possible.shape[0]):
        if table[PLACES][duel[RIVAL], slot] == rules.OPEN:
            promises[slot] = promise_of(options, duel, possible[slot])
    promised = greatest(promises)
    best_open = mean_of(duel[RIVAL_VALUES], promises > promised - CLOSE)
    played = np.empty(duel[OPINION].shape[0])
    rest = 1.0
    for value in range(played.shape[0]):
        played[value] = 0
        if duel[OPINION][value] > promised - CLOSE:
            played[value] = duel[BEST_HIDDEN][value]
            rest -= played[value]
    for value in range(played.shape[0]):
        best = played[value] + rest * best_open[value]
        played[value] = SKILL * best + (1 - SKILL) * duel[ANY_CARD][value]
    return played


@njit(cache=True)
def promise_of(options, duel, possible):
    """How good an open card is in the rival's opinion that can be one of these: bool ``[cards]``."""
    total = count = 0.0
    card = 0
    for element in range(rules.NUM_ELEMENTS):
        for power in range(options.max_power):
            if possible[card]:
                value = element if duel[DUEL_TYPE] == rules.ELEMENT else power
                total += duel[RIVAL_UNSEEN][card] * duel[OPINION][value]
                count += duel[RIVAL_UNSEEN][card]
            card += 1
    return total / count


@njit(cache=True)
def worths_of_cards(options, duel, against, places, prizes):
    """What it is worth to play each card in this round, -inf for other slots: float64 ``[slots]``.

    ``against`` are the chances of the values that the rival plays.
    """
    against_values = odds(options, duel[DUEL_TYPE], against)
    worths = np.full(places.shape[0], -np.inf)
    for slot in range(places.shape[0]):
        if is_in_hand(options, places[slot]):
            after_tie = worth_of_tie(options, duel, places, slot, prizes)
            worths[slot] = worth_of_card(
                duel, against_values, duel[OWN_VALUES][slot], after_tie, prizes
            )
    return worths


@njit(cache=True)
def worth_of_card(duel, against_values, own, after_tie, prizes):
    """What it is worth to play a card whose values have these chances."""
    win, lose = chances(own, against_values)
    worth = win * prizes[WON_BY][0, 0] + lose * prizes[WON_BY][0, duel[RIVAL]]
    return worth + (1 - win - lose) * after_tie


@njit(cache=True)
def worth_of_tie(options, duel, places, slot, prizes):
    """What a tie with the card in ``slot`` is worth.

    The duel goes on with any of the other cards in hand, on both sides, for one gem more. Without
    other cards the victory is shared.
    """
    left = in_hand(options, places)
    left[slot] = False
    if not left.any():
        return prizes[SHARED]
    win, lose = chances(mean_of(duel[OWN_VALUES], left), duel[ANY_ODDS])
    return win * prizes[WON_BY][1, 0] + lose * prizes[WON_BY][1, duel[RIVAL]]


@njit(cache=True)
def worth_of_duel(options, table, duel, possible, prizes):
    """What a duel is worth with the best card; ``possible`` as in ``expected``."""
    against = expected(options, table, duel, possible)
    return greatest(worths_of_cards(options, duel, against, table[PLACES][0], prizes))
