"""What the schemer gives away: how much a clue or an answer tells, and which tells least."""

from __future__ import annotations

import numpy as np
from numba import njit

from ...envs.gem_duel import rules
from .reading import PLACES, POSSIBLE, card_in, is_told


@njit(cache=True)
def can_be_told(options, observation, table, rival, slot, told):
    """Whether a property of a rival's card may be told: it is open, has it, and was not told it."""
    if table[PLACES][rival, slot] != rules.OPEN:
        return False
    special = rules.is_special(options, card_in(options, observation, rival, slot))
    fits = special == (told == rules.SPECIAL)
    return fits and not is_told(options, observation, rival, slot, told)


@njit(cache=True)
def possible_after(options, observation, table, rival, slot, told):
    """``table.possible[rival]`` once the rival was told a property of the card in ``slot``."""
    after = table[POSSIBLE][rival].copy()
    card = card_in(options, observation, rival, slot)
    for other in range(options.hand_size):
        if table[PLACES][rival, other] == rules.OPEN:
            other_card = card_in(options, observation, rival, other)
            pointed_out = rules.shares(options, card, other_card, told)
            for maybe in range(after.shape[1]):
                if rules.shares(options, card, maybe, told) != pointed_out:
                    after[other, maybe] = False
    for maybe in range(after.shape[1]):
        # Of a special card something else would have been told.
        if told == rules.POWER and rules.is_special(options, maybe):
            after[slot, maybe] = False
    return after


@njit(cache=True)
def told_bits(options, table, rival, unseen, after):
    """How much a rival learns about its open cards, in bits.

    One bit for each time that the cards are halved which can be the one, of those that the rival does
    not see: ``unseen`` float64 ``[cards]``.
    """
    bits = 0.0
    for slot in range(after.shape[0]):
        if table[PLACES][rival, slot] == rules.OPEN:
            could_be = can_be = 0.0
            for card in range(after.shape[1]):
                could_be += unseen[card] * table[POSSIBLE][rival, slot, card]
                can_be += unseen[card] * after[slot, card]
            bits += np.log2(could_be / can_be)
    return bits
