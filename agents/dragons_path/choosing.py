"""The value of every answer to every question, as ``judge`` finds the table after it."""

from __future__ import annotations

import numpy as np
from numba import njit

from ...envs.core.fingerprint import fingerprint
from ...envs.core.records import Field
from ...envs.dragons_path import rules
from .effects import (
    after_draw,
    after_effect,
    after_exchange_for,
    after_exchange_of,
    after_move,
    after_play,
    after_player,
    move,
)
from .judging import judge
from .reading import DECK, DISCARD, HAND, PATH
from .spells import after_cast, after_reveal, after_spell, after_switch_for, after_switch_of, pay

# The record type carries the code that works on it, so that no stale code is ever loaded for it. So a
# function takes the table if it uses another file, be it only a constant.
_CODE = f"code_{fingerprint([__name__])}"
TABLE = np.dtype(
    (
        np.record,
        np.dtype(
            [
                # Cards by place, side and element. Where the opponent's cards are not known they
                # are what can be expected, so there are parts of cards.
                ("cards", np.float64, (4, 2, rules.NUM_ELEMENTS)),
                ("keeps_reactions", np.int64),  # whether it is worth something, see ``judging``
                ("turn", np.int64),  # whose turn it is
                ("asked", np.int64),  # whose choice is to be made, by the observer
                ("controls", np.int64),  # side that makes the choices of the one on turn, or -1
                ("question", np.int64),  # a step of the rules
                ("effect", np.int64),
                ("spell", np.int64),
                ("returned", np.int64),  # whether Thunder returned the card that was played
                ("exchanging", np.int64),  # side whose path and discard pile are exchanged
                ("chosen", np.int64),  # element of the card that is about to change places
                (_CODE, np.int8, (0,)),
            ],
            align=True,
        ),
    )
)
FIELDS: list[Field] = [("table", TABLE)]

SPELL_RANK = np.array([3, 6, 9, 4, 7, 5, 1, 0, 8, 2])
"""Of each spell in the draft: the higher, the more it helped to win games between mages."""


@njit(cache=True)
def values_of(table, mask):
    """The value of every action: float64 ``[num_actions]``, -inf for illegal ones."""
    values = np.full(mask.shape[0], -np.inf)
    for action in range(mask.shape[0]):
        if mask[action]:
            values[action] = value_of(table, action)
    return values


@njit(cache=True)
def value_of(table, action):
    """The value of one answer to the question that is put."""
    question, asked = table.question, table.asked
    if action in (rules.PASS, rules.STOP):
        return judge(table)
    if question == rules.MAIN:
        if action >= rules.CAST:
            return after_cast(table, asked, action - rules.CAST)
        return after_play(table, asked, HAND, action - rules.PLAY)
    if question == rules.RESPOND:
        return after_response(table, action)
    if question == rules.COUNTER:
        return after_counter(table, asked, action)
    if question == rules.CHOOSE_PLAYER:
        player = asked if action == rules.ACTIVE_PLAYER else 1 - asked
        return after_player(table, asked, table.effect, player)
    if question == rules.USE_REVEALED:
        return after_effect(table, asked, action - rules.PLAY)
    if question == rules.REVEAL_AGAIN:
        return after_reveal(table, asked)
    if question == rules.SEARCH_AND_PLAY:
        return after_play(table, asked, DECK, action - rules.PLAY)
    if question == rules.KEEP_SPELL:
        return float(SPELL_RANK[action - rules.KEEP])
    element = action - (rules.CARD if action < rules.FOREIGN else rules.FOREIGN)
    return after_card(table, question, asked, element)


@njit(cache=True)
def after_card(table, question, asked, element):
    """A card has been chosen."""
    other = 1 - asked
    if question in (rules.REMOVE, rules.REMOVE_UP_TO):
        return after_move(table, PATH, other, DISCARD, other, element)
    if question == rules.SHUFFLE_IN:
        return after_move(table, PATH, other, DECK, other, element)
    if question == rules.SEARCH:
        return after_move(table, DECK, asked, HAND, asked, element)
    if question == rules.RETURN:
        return after_move(table, DISCARD, asked, HAND, asked, element)
    if question == rules.PLAY_ANOTHER:
        return after_move(table, HAND, asked, PATH, asked, element)
    if question == rules.DISCARD:
        return after_move(table, HAND, asked, DISCARD, asked, element)
    if question == rules.DISCARD_SEEN:
        return after_move(table, HAND, other, DISCARD, other, element)
    if question == rules.EXCHANGE:
        return after_exchange_of(table, asked, table.exchanging, element)
    if question == rules.EXCHANGE_FOR:
        return after_exchange_for(table, table.exchanging, table.chosen, element)
    if question == rules.SWITCH:
        return after_switch_of(table, asked, element)
    return after_switch_for(table, asked, table.chosen, element)


@njit(cache=True)
def after_response(table, action):
    """The observer responds to a card of the opponent, whose effect is then carried out or not."""
    side, effect, cards = table.turn, table.effect, table.cards
    if action == rules.REFUSE:
        return after_effect(table, side, effect)
    if action == rules.WIND_REACTION:
        return after_move(table, HAND, 1 - side, DISCARD, 1 - side, rules.WIND)
    if action == rules.THUNDER_REACTION:
        move(cards, HAND, 1 - side, DISCARD, 1 - side, rules.THUNDER, 1.0)
        value = after_thunder(table, side, effect)
        move(cards, HAND, 1 - side, DISCARD, 1 - side, rules.THUNDER, -1.0)
        return value
    spell = action - rules.CAST
    pay(table, 1 - side, spell, 1.0)
    value = after_stormveil(table, 1 - side)
    pay(table, 1 - side, spell, -1.0)
    return value


@njit(cache=True)
def after_thunder(table, side, effect):
    """The card that a side has played goes back to its hand, and the effect is carried out."""
    element = rules.ELEMENT[effect]
    move(table.cards, PATH, side, HAND, side, element, 1.0)
    table.returned = 1
    value = after_effect(table, side, effect)
    table.returned = 0
    move(table.cards, PATH, side, HAND, side, element, -1.0)
    return value


@njit(cache=True)
def after_stormveil(table, side):
    """Stormveil Reversal of ``side``, paid for: the card that was played is removed, and a draw."""
    other, element = 1 - side, rules.ELEMENT[table.effect]
    move(table.cards, PATH, other, DISCARD, other, element, 1.0)
    value = after_draw(table, side, 1)
    move(table.cards, PATH, other, DISCARD, other, element, -1.0)
    return value


@njit(cache=True)
def after_counter(table, asked, action):
    """A spell of the other side is cancelled or let through."""
    spell, stormveil = table.spell, table.spell == rules.STORMVEIL_REVERSAL
    if action == rules.REFUSE:
        if stormveil:
            return after_stormveil(table, 1 - asked)
        return after_spell(table, 1 - asked, spell)
    pay(table, asked, spell, 1.0)
    value = after_effect(table, asked, table.effect) if stormveil else judge(table)
    pay(table, asked, spell, -1.0)
    return value
