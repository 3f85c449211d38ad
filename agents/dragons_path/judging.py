"""How the scripted players of Dragon's Path judge a table: by the turns to the victories.

For each side they count the turns that each victory takes: one for each card that is missing in the
path, and more for those that are not in the hand yet. There are seven: four of an element, five
different, and an opponent who runs out of cards. A side's prospects are the sum of
1 / (1 + turns) ** 3 over its victories, so the nearest counts most, and a second one that is nearly
as near is worth something, too. The table is as good as the own prospects less the opponent's. The
weights are the best of a few that were tried, in games of these players against each other.
"""

from __future__ import annotations

from numba import njit

from ...envs.dragons_path import rules
from .reading import DECK, HAND, OWN, PATH

WON = 0.5
"""What a won match counts beside prospects: so that a fair chance of it is worth a gamble."""
FOUND_LATER = 1.0
"""Turns more for a card that is not in the hand."""
NOT_IN_DECK = 2.0
"""Turns more if the deck does not hold the cards either."""
MOVES_LATER = 1.0
"""Turns more for the side that has just had its turn."""
CARD = 0.004
"""What any card in hand is worth besides."""
WIND_KEPT, THUNDER_KEPT = 0.75, 0.3
"""Share that a Wind in hand adds to the own prospects, and a Thunder takes from the opponent's."""


@njit(cache=True)
def judge(table):
    """How good the table is for the observer if this turn ends with it."""
    turn = table.turn
    if is_complete(table.cards[PATH, turn]):
        return WON if turn == OWN else -WON
    value = 0.0
    for side in range(2):
        value += prospects(table, side) if side == OWN else -prospects(table, side)
    return value


@njit(cache=True)
def is_complete(path):
    """Whether a path, float64 ``[5]``, holds all elements or four cards of one."""
    different = 0
    for element in range(rules.NUM_ELEMENTS):
        if path[element] > 3.5:
            return True
        different += path[element] > 0.5
    return different == rules.NUM_ELEMENTS


@njit(cache=True)
def prospects(table, side):
    """What all the victories of a side promise, and its hand."""
    cards = table.cards
    hand = cards[HAND, side]
    wait = MOVES_LATER if side == table.turn else 0.0
    value = promise(wait + turns_to_five_different(table, side))
    for element in range(rules.NUM_ELEMENTS):
        value += promise(wait + turns_to_four_alike(table, side, element))
    if table.keeps_reactions:
        value *= 1.0 + WIND_KEPT * min(1.0, hand[rules.WIND])
        value *= 1.0 - THUNDER_KEPT * min(1.0, cards[HAND, 1 - side, rules.THUNDER])
    for element in range(rules.NUM_ELEMENTS):
        value += CARD * hand[element]
    return value + promise(turns_to_deck_out(table, 1 - side))


@njit(cache=True)
def promise(turns):
    """What a victory is worth that takes so many turns: 1, 1/8, 1/27, 1/64, .."""
    more = 1.0 + max(0.0, turns)
    return 1.0 / (more * more * more)


@njit(cache=True)
def turns_to_four_alike(table, side, element):
    """Turns until a path holds four cards of an element, playing one a turn, and earths in pairs."""
    cards = table.cards
    missing = max(0.0, 4.0 - cards[PATH, side, element])
    at_hand = min(missing, cards[HAND, side, element])
    turns = missing + FOUND_LATER * (missing - at_hand)
    if (
        at_hand + cards[DECK, side, element] < missing - 0.01
    ):  # Parts of cards do not add up exactly.
        turns += NOT_IN_DECK
    if element == rules.EARTH:
        turns -= int(at_hand) // 2
    return turns


@njit(cache=True)
def turns_to_five_different(table, side):
    """Turns until a path holds all elements, playing one a turn, and two with an earth."""
    path, hand, deck = table.cards[PATH, side], table.cards[HAND, side], table.cards[DECK, side]
    turns = at_hand = 0.0
    for element in range(rules.NUM_ELEMENTS):
        if path[element] < 0.5:
            has = min(1.0, hand[element])
            at_hand += has
            turns += 1.0 + FOUND_LATER * (1.0 - has)
            if hand[element] + deck[element] < 0.5:
                turns += NOT_IN_DECK
    if path[rules.EARTH] < 0.5 and hand[rules.EARTH] > 0.5 and at_hand > 1.5:
        turns -= 1.0
    return turns


@njit(cache=True)
def turns_to_deck_out(table, side):
    """Turns until a side has to draw from an empty deck, of which the next may be its own."""
    turns = MOVES_LATER if side == table.turn else 0.0
    for element in range(rules.NUM_ELEMENTS):
        turns += table.cards[DECK, side, element]
    return turns
