"""How the scripted players of Gem Duel judge a duel: what to expect of the rival, and of each card.

A duel goes by one property of the cards: *values* are elements or powers, from 0.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numba import njit

from ...envs.gem_duel import rules
from .reading import CLOSE, in_hand

SKILL = 0.5
"""How often a rival is expected to play what looks best to it, and else any of its cards."""


class Prizes(NamedTuple):
    """What the outcomes of a round are worth, by its stake, in own gems at this standing.

    Attributes:
        won: float64 ``[stakes]``, from a stake of 0, which is no outcome, to a further round after
            the last one, for convenience.
        lost: What it costs if a rival wins: float64 ``[rivals, stakes]``.
        shared: A shared victory.
    """

    won: np.ndarray
    lost: np.ndarray
    shared: float


class Duel(NamedTuple):
    """A duel with a rival, as the observer sees it before a round.

    Attributes:
        duel_type: ``rules.ELEMENT`` or ``rules.POWER``.
        rival: From 0 clockwise.
        own: The chances of the values of each own card: float64 ``[slots, values]``.
        cards: The same for the rival's cards.
        any_card: The chances of values if the rival plays any card in its hand: float64 ``[values]``.
        any_odds: The ``odds`` of each value then: float64 ``[2, values]``.
        unseen: How many of each card the rival does not see: float64 ``[cards]``.
        opinion: How good the rival thinks that each value is: its edge over the observer's cards,
            float64 ``[values]``.
        best_hidden: The chance that each value is the best of the rival's hidden cards in its
            opinion; no chances if it has none: float64 ``[values]``.
    """

    duel_type: int
    rival: int
    own: np.ndarray
    cards: np.ndarray
    any_card: np.ndarray
    any_odds: np.ndarray
    unseen: np.ndarray
    opinion: np.ndarray
    best_hidden: np.ndarray


@njit(cache=True)
def value_of(options, card, duel_type):
    """The value that a card has in a duel."""
    if duel_type == rules.ELEMENT:
        return rules.element(options, card)
    return rules.power(options, card) - 1


@njit(cache=True)
def by_value(options, cards, duel_type):
    """Chances of values from chances of cards, row by row: float64 ``[slots, values]``."""
    num_values = rules.NUM_ELEMENTS if duel_type == rules.ELEMENT else options.max_power
    values = np.zeros((cards.shape[0], num_values))
    for row in range(cards.shape[0]):
        for card in range(cards.shape[1]):
            values[row, value_of(options, card, duel_type)] += cards[row, card]
    return values


@njit(cache=True)
def lead(duel_type, own, rival):
    """1 if the value ``own`` wins a duel against ``rival``, -1 if it loses, 0 for a tie."""
    if duel_type == rules.ELEMENT:
        return rules.element_lead(own, rival)
    return np.sign(own - rival)


@njit(cache=True)
def odds(duel_type, against):
    """The chances of each value to win and to lose, against these chances of values of the rival.

    float64 ``[2, values]``.
    """
    found = np.zeros((2, against.shape[0]))
    for value in range(against.shape[0]):
        for other in range(against.shape[0]):
            result = lead(duel_type, value, other)
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
def mean_row(values, places):
    """The mean of the rows that belong to cards in hand."""
    total, count = np.zeros(values.shape[1]), 0
    for slot in range(values.shape[0]):
        if in_hand(places[slot]):
            total += values[slot]
            count += 1
    return total / count


@njit(cache=True)
def duel_with(options, table, rival, duel_type):
    """A duel with a rival, before a round."""
    own = by_value(options, table.own, duel_type)
    cards = by_value(options, table.rivals[rival], duel_type)
    any_card = mean_row(cards, table.rival_places[rival])
    unseen = unseen_by_rival(table, rival)
    opinion = opinion_of_rival(options, table, duel_type, own, unseen)
    best_hidden = best_of_hidden(table.rival_places[rival], cards, opinion)
    any_odds = odds(duel_type, any_card)
    return Duel(duel_type, rival, own, cards, any_card, any_odds, unseen, opinion, best_hidden)


@njit(cache=True)
def unseen_by_rival(table, rival):
    """How many there are of each card in what a rival does not see, as expected: float64 ``[cards]``.

    That is the deck, others' hidden cards and its own open ones.
    """
    unseen = table.unseen.copy()
    for slot in range(table.own_places.shape[0]):
        if table.own_places[slot] == rules.HIDDEN:
            unseen += table.own[slot]
        if table.rival_places[rival, slot] == rules.OPEN:
            unseen += table.rivals[rival, slot]
    return unseen


@njit(cache=True)
def opinion_of_rival(options, table, duel_type, own, unseen):
    """The edge of each value over the observer's cards, hidden ones being any that the rival does not see."""
    any_unseen = by_value(options, unseen.reshape(1, -1), duel_type)[0] / unseen.sum()
    seen = own.copy()
    for slot in range(own.shape[0]):
        if table.own_places[slot] == rules.HIDDEN:
            seen[slot] = any_unseen
    against = mean_row(seen, table.own_places)
    wins, losses = odds(duel_type, against)
    return wins - losses


@njit(cache=True)
def best_of_hidden(places, cards, opinion):
    """The chance that each value is the best of the rival's hidden cards, 0 if it has none."""
    num_values = opinion.shape[0]
    any_hidden, count = np.zeros(num_values), 0
    for slot in range(places.shape[0]):
        if places[slot] == rules.HIDDEN:
            any_hidden += cards[slot]
            count += 1
    best = np.zeros(num_values)
    if count == 0:
        return best
    any_hidden /= count
    for value in range(num_values):
        # The best card is as good as this one if none is better, but not if all are worse.
        worse = same = 0.0
        for other in range(num_values):
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
    best_open, equals, promised = np.zeros(duel.any_card.shape[0]), 0, -np.inf
    for slot in range(possible.shape[0]):
        if table.rival_places[duel.rival, slot] == rules.OPEN:
            promise = promise_of(options, duel, possible[slot])
            if promise > promised + CLOSE:
                best_open[:], equals, promised = 0, 0, promise
            if promise > promised - CLOSE:
                best_open += duel.cards[slot]
                equals += 1
    best = duel.best_hidden.copy()
    if equals > 0:
        best *= duel.opinion > promised - CLOSE
        best += (1 - best.sum()) * best_open / equals
    return SKILL * best + (1 - SKILL) * duel.any_card


@njit(cache=True)
def promise_of(options, duel, possible):
    """How good an open card is in the rival's opinion that can be one of these: bool ``[cards]``."""
    total = count = 0.0
    for card in range(possible.shape[0]):
        if possible[card]:
            total += duel.unseen[card] * duel.opinion[value_of(options, card, duel.duel_type)]
            count += duel.unseen[card]
    return total / count


@njit(cache=True)
def worths(duel, against, places, stake, prizes):
    """What it is worth to play each card in a round for ``stake`` gems, -inf for other slots.

    float64 ``[slots]``. ``against`` are the chances of the values that the rival plays.
    """
    against_values = odds(duel.duel_type, against)
    found = np.full(places.shape[0], -np.inf)
    for slot in range(places.shape[0]):
        if in_hand(places[slot]):
            after = worth_of_tie(duel, places, slot, stake, prizes)
            found[slot] = worth_of_card(duel, against_values, duel.own[slot], after, stake, prizes)
    return found


@njit(cache=True)
def worth_of_card(duel, against_values, own, after, stake, prizes):
    """What it is worth to play a card whose values have these chances; ``after`` is that of a tie."""
    win, lose = chances(own, against_values)
    won, lost = prizes.won[stake], prizes.lost[duel.rival, stake]
    return win * won - lose * lost + (1 - win - lose) * after


@njit(cache=True)
def worth_of_tie(duel, places, slot, stake, prizes):
    """What a tie with the card in ``slot`` is worth.

    The duel goes on with any of the other cards in hand, on both sides, for one gem more. Without
    other cards the victory is shared.
    """
    total, count = np.zeros(duel.own.shape[1]), 0
    for other in range(places.shape[0]):
        if other != slot and in_hand(places[other]):
            total += duel.own[other]
            count += 1
    if count == 0:
        return prizes.shared
    win, lose = chances(total / count, duel.any_odds)
    return win * prizes.won[stake + 1] - lose * prizes.lost[duel.rival, stake + 1]


@njit(cache=True)
def even_prizes(needed, size):
    """Gems count as such up to those that win; what one rival gets is shared out among all rivals."""
    rivals = needed.shape[0] - 1
    won, lost = np.zeros(size + 2), np.zeros((rivals, size + 2))
    for stake in range(size + 2):
        won[stake] = min(stake, needed[0])
        for rival in range(rivals):
            lost[rival, stake] = min(stake, needed[1 + rival]) / rivals
    return Prizes(won, lost, 0.0)
