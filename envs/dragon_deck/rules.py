"""The rules of Dragon Deck, phase by phase.

A card is its index ``type * values_per_type + value - 1``; types are fire, forest, water, in the
order in which each beats the next.
"""

from __future__ import annotations

import numpy as np
from numba import njit

from ..core.randomness import below, random_word
from ..core.records import CHANCE, TERMINAL, state_fields

MAX_VALUES = 8
MAX_CARDS = 3 * MAX_VALUES

# Actions: the two of the draft, then one a card.
KEEP, REFUSE, FIRST_CARD = 0, 1, 2

# Phases. In TURN_UP chance turns up a card; in RECRUIT the active player decides about it.
TURN_UP, RECRUIT, BATTLE = 0, 1, 2

# Where a card is: undrawn, turned up, in the hand of seat 0 or 1, discarded.
UNSEEN, TURNED_UP, HAND, DISCARD = 0, 1, 2, 4

NO_CARD = -1
PILE_C = 2

FIELDS = state_fields(
    sources=1,
    fields=[
        ("values_per_type", np.int8),
        ("target", np.int8),
        ("phase", np.int8),
        ("draft_round", np.int8),  # of the draft, from 0
        ("pile", np.int8),  # A, B, C: the pile of the card that is or will be turned up
        ("kept", np.int8),  # 1 once the active player has a card this round
        ("turned_up", np.int8),  # card that waits for a decision
        ("committed", np.int8),  # seat 0's secret choice of this battle
        ("victory_cards", np.int8, (2,)),
        ("place", np.int8, (MAX_CARDS,)),
    ],
)


@njit(cache=True)
def num_cards(state):
    """How many dragons there are."""
    return 3 * int(state.values_per_type)


@njit(cache=True)
def card_type(state, card):
    """0 fire, 1 forest, 2 water."""
    return card // int(state.values_per_type)


@njit(cache=True)
def card_value(state, card):
    """1 to ``values_per_type``."""
    return card % int(state.values_per_type) + 1


@njit(cache=True)
def beats(state, card, other):
    """Whether ``card`` wins the battle against ``other``."""
    own, rival = card_type(state, card), card_type(state, other)
    if own == rival:
        return card > other
    return (own + 1) % 3 == rival


@njit(cache=True)
def prize(state, card):
    """Victory cards for a won battle: one, or two if the winning dragon has value 1."""
    return 2 if card_value(state, card) == 1 else 1


@njit(cache=True)
def active_seat(state):
    """The seat that recruits in this round of the draft: they alternate, seat 0 begins."""
    return int(state.draft_round) % 2


@njit(cache=True)
def setup(state):
    """The shuffled piles lie face down and the first card of pile A is about to be turned up."""
    state.phase = TURN_UP
    state.turned_up = NO_CARD
    state.committed = NO_CARD
    state.player = CHANCE


@njit(cache=True)
def chance(state, weights):
    """Any undrawn card may be the next of a pile, each as likely as the others."""
    total = 0
    for card in range(num_cards(state)):
        weights[card] = state.place[card] == UNSEEN
        total += weights[card]
    return total


@njit(cache=True)
def legal(state, mask):
    """Keep or refuse in the draft; any card in hand in a battle."""
    if state.phase == RECRUIT:
        mask[KEEP] = 1
        mask[REFUSE] = 1
    else:
        hand = HAND + int(state.player)
        for card in range(num_cards(state)):
            mask[FIRST_CARD + card] = state.place[card] == hand


@njit(cache=True)
def apply(state, action):
    """One move or chance outcome, by phase."""
    if state.phase == TURN_UP:
        turn_up(state, action)
    elif state.phase == RECRUIT:
        recruit(state, action)
    elif state.player == 0:
        commit(state, action - FIRST_CARD)
    else:
        reveal(state, action - FIRST_CARD)


@njit(cache=True)
def turn_up(state, card):
    """The next card of a pile: to be decided about, unless it is settled who gets it."""
    active = active_seat(state)
    if state.kept:
        give(state, card, 1 - active)
    elif state.pile == PILE_C:
        give(state, card, active)
    else:
        state.place[card] = TURNED_UP
        state.turned_up = card
        state.phase = RECRUIT
        state.player = active


@njit(cache=True)
def recruit(state, action):
    """Keep the card, or let the opponent have it."""
    card = int(state.turned_up)
    active = active_seat(state)
    state.turned_up = NO_CARD
    state.phase = TURN_UP
    state.player = CHANCE
    if action == KEEP:
        state.kept = 1
        give(state, card, active)
    else:
        give(state, card, 1 - active)


@njit(cache=True)
def give(state, card, seat):
    """Lay a card face up before its owner and go on to the next pile, round or phase."""
    state.place[card] = HAND + seat
    state.pile += 1
    if state.pile > PILE_C:
        state.pile = 0
        state.kept = 0
        state.draft_round += 1
        if state.draft_round == state.values_per_type:
            state.phase = BATTLE
            state.player = 0


@njit(cache=True)
def commit(state, card):
    """Seat 0 lays its card face down; it stays in its hand for all to see until the reveal."""
    state.committed = card
    state.player = 1


@njit(cache=True)
def reveal(state, card):
    """Both cards are turned over and leave the game; the better one earns victory cards."""
    first = int(state.committed)
    state.committed = NO_CARD
    state.place[first] = DISCARD
    state.place[card] = DISCARD
    state.player = 0
    if beats(state, first, card):
        win_battle(state, 0, first)
    else:
        win_battle(state, 1, card)


@njit(cache=True)
def win_battle(state, seat, card):
    """The first to reach the target wins at once."""
    state.victory_cards[seat] += prize(state, card)
    if state.victory_cards[seat] >= state.target:
        state.player = TERMINAL


@njit(cache=True)
def winner(state):
    """The seat that has reached the target, once one has."""
    return 0 if state.victory_cards[0] >= state.target else 1


@njit(cache=True)
def returns(state, out):
    """+1 for the winner, -1 for the other."""
    out[winner(state)] = 1
    out[1 - winner(state)] = -1


@njit(cache=True)
def observe(state, seat, out):
    """All cards are public but the undrawn ones and seat 0's commitment."""
    cards = num_cards(state)
    own_hand, rival_hand = HAND + seat, HAND + 1 - seat
    for card in range(cards):
        place = state.place[card]
        out[card] = place == own_hand
        out[cards + card] = place == rival_hand
        out[2 * cards + card] = place == UNSEEN
        out[3 * cards + card] = place == TURNED_UP
    if seat == 0 and state.committed != NO_CARD:
        out[4 * cards + int(state.committed)] = 1
    at = 5 * cards
    out[at] = seat == 1 and state.committed != NO_CARD
    drafting = state.phase != BATTLE
    out[at + 1] = drafting and active_seat(state) == seat
    out[at + 2] = drafting and active_seat(state) != seat
    out[at + 3] = drafting and state.pile == 1
    at += 4
    for step in range(int(state.draft_round)):
        out[at + step] = 1
    at += int(state.values_per_type)
    target = int(state.target)
    for step in range(min(target, int(state.victory_cards[seat]))):
        out[at + step] = 1
    at += target
    for step in range(min(target, int(state.victory_cards[1 - seat]))):
        out[at + step] = 1
    at += target
    count_beaten(state, own_hand, rival_hand, out, at)


@njit(cache=True)
def count_beaten(state, own_hand, rival_hand, out, at):
    """Write from ``out[at]`` on how many of the other hand each card of a hand beats, own hand first."""
    values = int(state.values_per_type)
    for kind in range(3):
        weaker = (kind + 1) % 3
        beaten_by_own = beaten_by_rival = 0
        for card in range(weaker * values, (weaker + 1) * values):
            beaten_by_own += state.place[card] == rival_hand
            beaten_by_rival += state.place[card] == own_hand
        for card in range(kind * values, (kind + 1) * values):
            own, rival = state.place[card] == own_hand, state.place[card] == rival_hand
            out[at + card] = own * beaten_by_own
            out[at + 3 * values + card] = rival * beaten_by_rival
            beaten_by_own += rival
            beaten_by_rival += own


@njit(cache=True)
def resample(state, seat, seed):
    """The undrawn cards have no order yet; only seat 0's commitment can be unknown to a seat."""
    state.seed = random_word(seed, 0, 0)
    if seat == 1 and state.committed != NO_CARD:
        left = below(random_word(seed, 0, 1), hand_size(state, 0))
        for card in range(num_cards(state)):
            if state.place[card] == HAND:
                if left == 0:
                    state.committed = card
                left -= 1


@njit(cache=True)
def retract(state, seat):
    """Seat 0 takes its commitment back, which seat 1 has not seen."""
    if seat == 1 and state.committed != NO_CARD:
        state.committed = NO_CARD
        state.player = 0


@njit(cache=True)
def hand_size(state, seat):
    """How many cards a seat has, a committed one included."""
    size = 0
    for card in range(num_cards(state)):
        if state.place[card] == HAND + seat:
            size += 1
    return size


@njit(cache=True)
def seen(state, action, seat):
    """Everybody sees everything but seat 0's commitment, which shows as 1 until the reveal."""
    if state.phase != BATTLE:
        return 2 + action
    if state.player == 0:
        return 2 + action if seat == 0 else 1
    return 2 + action + (num_cards(state) + 2) * (1 + int(state.committed))
