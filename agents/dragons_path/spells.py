"""What becomes of the table by a spell, if those who choose choose well; like ``effects``."""

from __future__ import annotations

from numba import njit

from ...envs.dragons_path import rules
from .effects import (
    NONE_YET,
    after_draw,
    after_effect,
    after_move,
    after_play,
    better,
    discard_one,
    move,
    sign_of,
    size_of,
)
from .judging import judge
from .reading import DECK, DISCARD, HAND, PATH


@njit(cache=True)
def pay(table, side, spell, count):
    """A side discards the elements of a spell from the hand; a count of -1 takes them back."""
    for part in range(2):
        move(table.cards, HAND, side, DISCARD, side, rules.COST[spell, part], count)


@njit(cache=True)
def after_cast(table, side, spell):
    """A side pays for a spell, and it is carried out."""
    pay(table, side, spell, 1.0)
    value = after_spell(table, side, spell)
    pay(table, side, spell, -1.0)
    return value


@njit(cache=True)
def after_spell(table, side, spell):
    """A spell of ``side`` is carried out; one that is paid for, in the main phase."""
    saved = table.cards.copy()
    if spell == rules.TITANS_EMBERFORGE:
        value = after_top_two(table, side)
    elif spell == rules.CINDERSTORM_PROPHECY:
        value = after_reveal(table, side)
    elif spell == rules.SCALDING_DELUGE:
        value = after_mill(table, 1 - side)
    elif spell == rules.MOLTEN_HELLSTRIKE:
        for _ in range(3):
            clear_one(table, side, DISCARD)
        value = after_top(table, 1 - side)
    elif spell == rules.SKYSHARD_SHIFT:
        value = after_switch_and_draw(table, side)
    elif spell == rules.PRIMORDIAL_MAELSTROM:
        for _ in range(2):
            clear_one(table, side, DECK)
        value = judge(table)
    elif spell == rules.RUNEBOLT_INVOCATION:
        value = after_search_and_play(table, side)
    elif spell == rules.TEMPEST_OF_OMENS:
        for _ in range(2):
            discard_one(table, 1 - side, sign_of(table, side))
        value = judge(table)
    else:
        value = after_borrowed_turn(table, side)
    table.cards[:] = saved
    return value


@njit(cache=True)
def after_top(table, side):
    """The top card of a deck is played without effect: any of them, on average."""
    left = size_of(table.cards, DECK, side)
    if left < 0.5:
        return judge(table)
    value = 0.0
    for element in range(rules.NUM_ELEMENTS):
        share = table.cards[DECK, side, element] / left
        if share > 0.0:
            move(table.cards, DECK, side, PATH, side, element, 1.0)
            value += share * judge(table)
            move(table.cards, DECK, side, PATH, side, element, -1.0)
    return value


@njit(cache=True)
def after_top_two(table, side):
    """Titan's Emberforge: that twice."""
    left = size_of(table.cards, DECK, side)
    if left < 0.5:
        return judge(table)
    value = 0.0
    for element in range(rules.NUM_ELEMENTS):
        share = table.cards[DECK, side, element] / left
        if share > 0.0:
            move(table.cards, DECK, side, PATH, side, element, 1.0)
            value += share * after_top(table, side)
            move(table.cards, DECK, side, PATH, side, element, -1.0)
    return value


@njit(cache=True)
def after_reveal(table, side):
    """Cinderstorm Prophecy: the effect of any card of the deck, on average."""
    left = size_of(table.cards, DECK, side)
    if left < 0.5:
        return judge(table)
    sign, value = sign_of(table, side), 0.0
    for element in range(rules.NUM_ELEMENTS):
        share = table.cards[DECK, side, element] / left
        if share > 0.0:
            move(table.cards, DECK, side, DISCARD, side, element, 1.0)
            best = NONE_YET
            for effect in range(rules.NUM_EFFECTS):
                if rules.ELEMENT[effect] == element:
                    best = better(sign, after_effect(table, side, effect), best)
            value += share * best
            move(table.cards, DECK, side, DISCARD, side, element, -1.0)
    return value


@njit(cache=True)
def after_mill(table, side):
    """Scalding Deluge: nine cards of a deck, as many of each as can be expected."""
    cards = table.cards
    left = size_of(cards, DECK, side)
    if left > 0.5:
        for element in range(rules.NUM_ELEMENTS):
            gone = min(1.0, 9.0 / left) * cards[DECK, side, element]
            move(cards, DECK, side, DISCARD, side, element, gone)
    return judge(table)


@njit(cache=True)
def clear_one(table, side, place):
    """Hellstrike and Maelstrom: a card leaves the path of the other side, if that is wanted."""
    sign, best, best_element = sign_of(table, side), judge(table), -1
    for element in range(rules.NUM_ELEMENTS):
        if table.cards[PATH, 1 - side, element] > 0.5:
            value = after_move(table, PATH, 1 - side, place, 1 - side, element)
            if sign * value > sign * best:
                best, best_element = value, element
    if best_element >= 0:
        move(table.cards, PATH, 1 - side, place, 1 - side, best_element, 1.0)


@njit(cache=True)
def after_switch_and_draw(table, side):
    """Skyshard Shift."""
    sign, best, given, taken = sign_of(table, side), NONE_YET, -1, -1
    for element in range(rules.NUM_ELEMENTS):
        if table.cards[PATH, side, element] > 0.5:
            for other in range(rules.NUM_ELEMENTS):
                if table.cards[PATH, 1 - side, other] > 0.5:
                    value = after_switch_for(table, side, element, other)
                    if best == NONE_YET or sign * value > sign * best:
                        best, given, taken = value, element, other
    if given >= 0:
        move(table.cards, PATH, side, PATH, 1 - side, given, 1.0)
        move(table.cards, PATH, 1 - side, PATH, side, taken, 1.0)
    return after_draw(table, side, 2)


@njit(cache=True)
def after_switch_of(table, side, element):
    """The card of the path of ``side`` has been chosen."""
    sign, best = sign_of(table, side), NONE_YET
    for other in range(rules.NUM_ELEMENTS):
        if table.cards[PATH, 1 - side, other] > 0.5:
            value = after_switch_for(table, side, element, other)
            best = better(sign, value, best)
    return best


@njit(cache=True)
def after_switch_for(table, side, element, other):
    """Both cards have been chosen."""
    move(table.cards, PATH, side, PATH, 1 - side, element, 1.0)
    move(table.cards, PATH, 1 - side, PATH, side, other, 1.0)
    value = judge(table)
    move(table.cards, PATH, side, PATH, 1 - side, element, -1.0)
    move(table.cards, PATH, 1 - side, PATH, side, other, -1.0)
    return value


@njit(cache=True)
def after_search_and_play(table, side):
    """Runebolt Invocation."""
    sign, best = sign_of(table, side), NONE_YET
    for effect in range(rules.NUM_EFFECTS):
        if table.cards[DECK, side, rules.ELEMENT[effect]] > 0.5:
            value = after_play(table, side, DECK, effect)
            best = better(sign, value, best)
    return judge(table) if best == NONE_YET else best


@njit(cache=True)
def after_borrowed_turn(table, side):
    """Mindstorm Dominion: the next turn of the other side, with ``side`` choosing."""
    victim, turn, controls = 1 - side, table.turn, table.controls
    table.turn, table.controls = victim, side
    cards, sign, best = table.cards, sign_of(table, victim), judge(table)
    left = size_of(cards, DECK, victim)
    if left > 0.5:
        for element in range(rules.NUM_ELEMENTS):
            move(cards, DECK, victim, HAND, victim, element, cards[DECK, victim, element] / left)
    as_it_is = best
    for effect in range(rules.NUM_EFFECTS):
        share = min(1.0, cards[HAND, victim, rules.ELEMENT[effect]])
        if share > 0.0:
            value = after_play(table, victim, HAND, effect)
            best = better(sign, as_it_is + share * (value - as_it_is), best)
    table.turn, table.controls = turn, controls
    return best
