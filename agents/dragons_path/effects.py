"""What becomes of the table by the effect of a card, if those who choose choose well.

Each function takes a table, tries out what can be chosen and puts everything back. It returns how
``judge`` finds the best outcome in the eyes of the one who chooses.
"""

from __future__ import annotations

from numba import njit

from ...envs.dragons_path import rules
from .judging import WON, judge
from .reading import DECK, DISCARD, HAND, OWN, PATH

NONE_YET = 1000.0


@njit(cache=True)
def sign_of(table, side):
    """1 if the observer chooses for a side and -1 if the opponent does."""
    chooser = table.controls if table.controls >= 0 and side == table.turn else side
    return 1.0 if chooser == OWN else -1.0


@njit(cache=True)
def better(sign, one, other):
    """The higher of two values for sign 1, the lower one for -1; ``other`` may be ``NONE_YET``."""
    return one if other == NONE_YET or sign * one > sign * other else other


@njit(cache=True)
def move(cards, source, side, goal, goal_side, element, count):
    """Cards of an element go from a place of a side to another place."""
    cards[source, side, element] -= count
    cards[goal, goal_side, element] += count


@njit(cache=True)
def size_of(cards, place, side):
    """How many cards there are at a place."""
    count = 0.0
    for element in range(rules.NUM_ELEMENTS):
        count += cards[place, side, element]
    return count


@njit(cache=True)
def after_effect(table, side, effect):
    """The effect of a card of ``side`` is carried out."""
    if effect == rules.FIRE_A:
        return after_best_move(table, side, PATH, DISCARD, 1 - side, 0.5)
    if effect == rules.FIRE_B:
        return after_best_move(table, side, DECK, HAND, side, 0.1)
    if effect == rules.EARTH_A:
        return after_play_another(table, side)
    if effect == rules.EARTH_B:
        return after_best_move(table, side, DISCARD, HAND, side, 0.5)
    if effect == rules.WIND_A:
        return after_discard(table, 1 - side)
    sign = sign_of(table, side)
    active = after_player(table, side, effect, side)
    return better(sign, active, after_player(table, side, effect, 1 - side))


@njit(cache=True)
def after_player(table, side, effect, player):
    """Water or Thunder A: a player has been chosen."""
    if effect == rules.WATER_A:
        return after_draw_and_discard(table, player)
    if effect == rules.WATER_B:
        return after_exchange(table, side, player)
    return after_draw(table, player, 1)


@njit(cache=True)
def after_move(table, source, side, goal, goal_side, element):
    """A card goes from a place to another, as far as it is there."""
    cards = table.cards
    count = min(1.0, cards[source, side, element])
    move(cards, source, side, goal, goal_side, element, count)
    value = judge(table)
    move(cards, source, side, goal, goal_side, element, -count)
    return value


@njit(cache=True)
def after_best_move(table, side, source, goal, owner, least):
    """``side`` moves the best of the cards of ``owner``, of which there is more than ``least``."""
    sign, best = sign_of(table, side), NONE_YET
    for element in range(rules.NUM_ELEMENTS):
        if table.cards[source, owner, element] > least:
            value = after_move(table, source, owner, goal, owner, element)
            best = better(sign, value, best)
    return judge(table) if best == NONE_YET else best


@njit(cache=True)
def after_play_another(table, side):
    """Earth A: another card of the hand goes to the path, if it is in the hand."""
    sign, best, as_it_is = sign_of(table, side), NONE_YET, judge(table)
    cards = table.cards
    for element in range(rules.NUM_ELEMENTS):
        count = cards[HAND, side, element]
        if element == rules.EARTH:
            count -= table.returned
        if count > 0.05:
            move(cards, HAND, side, PATH, side, element, 1.0)
            value = min(1.0, count) * (judge(table) - as_it_is) + as_it_is
            move(cards, HAND, side, PATH, side, element, -1.0)
            best = better(sign, value, best)
    return as_it_is if best == NONE_YET else best


@njit(cache=True)
def after_draw(table, side, count):
    """A side draws cards: so many of each element as can be expected."""
    cards = table.cards
    left = size_of(cards, DECK, side)
    if left < count - 0.5:
        return -WON if side == OWN else WON
    saved = cards.copy()
    draw(table, side, count / left)
    value = judge(table)
    cards[:] = saved
    return value


@njit(cache=True)
def after_draw_and_discard(table, side):
    """Water A: a side draws three cards and discards the three that it needs least."""
    cards = table.cards
    left = size_of(cards, DECK, side)
    if left < 2.5:
        return -WON if side == OWN else WON
    saved = cards.copy()
    draw(table, side, 3 / left)
    for _ in range(3):
        discard_one(table, side, sign_of(table, side))
    value = judge(table)
    cards[:] = saved
    return value


@njit(cache=True)
def after_discard(table, side):
    """Wind A: a side discards the card that it needs least."""
    saved = table.cards.copy()
    discard_one(table, side, sign_of(table, side))
    value = judge(table)
    table.cards[:] = saved
    return value


@njit(cache=True)
def draw(table, side, share):
    """A share of a deck goes to the hand."""
    cards = table.cards
    for element in range(rules.NUM_ELEMENTS):
        move(cards, DECK, side, HAND, side, element, share * cards[DECK, side, element])


@njit(cache=True)
def discard_one(table, side, sign):
    """A side discards the card, or parts of cards, that ``sign`` likes best to see go."""
    cards = table.cards
    left = min(1.0, size_of(cards, HAND, side))
    while left > 0.01:
        best, best_element = NONE_YET, 0
        for element in range(rules.NUM_ELEMENTS):
            if cards[HAND, side, element] > 0.001:
                value = after_move(table, HAND, side, DISCARD, side, element)
                if better(sign, value, best) != best:
                    best, best_element = value, element
        gone = min(left, cards[HAND, side, best_element])
        move(cards, HAND, side, DISCARD, side, best_element, gone)
        left -= gone


@njit(cache=True)
def after_exchange(table, side, player):
    """Water B: a card of a player's path goes for one of that player's discard pile."""
    sign, best = sign_of(table, side), NONE_YET
    for element in range(rules.NUM_ELEMENTS):
        if table.cards[PATH, player, element] > 0.5:
            value = after_exchange_of(table, side, player, element)
            best = better(sign, value, best)
    return judge(table) if best == NONE_YET else best


@njit(cache=True)
def after_exchange_of(table, side, player, element):
    """The same when the card of the path has been chosen."""
    sign, best = sign_of(table, side), NONE_YET
    for other in range(rules.NUM_ELEMENTS):
        if table.cards[DISCARD, player, other] > 0.5:
            value = after_exchange_for(table, player, element, other)
            best = better(sign, value, best)
    return judge(table) if best == NONE_YET else best


@njit(cache=True)
def after_exchange_for(table, player, element, other):
    """The same when both cards have been chosen."""
    move(table.cards, PATH, player, DISCARD, player, element, 1.0)
    value = after_move(table, DISCARD, player, PATH, player, other)
    move(table.cards, PATH, player, DISCARD, player, element, -1.0)
    return value


@njit(cache=True)
def after_play(table, side, place, effect):
    """A card goes from a place of a side to its path, and its effect is carried out."""
    element = rules.ELEMENT[effect]
    move(table.cards, place, side, PATH, side, element, 1.0)
    value = after_effect(table, side, effect)
    move(table.cards, place, side, PATH, side, element, -1.0)
    return value
