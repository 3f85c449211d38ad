"""The rules of Leduc poker: two private cards, a betting round, a public card, a betting round.

A card is its index ``2 * rank + suit``; ranks are jack, queen, king, in ascending order.
"""

from __future__ import annotations

import numpy as np
from numba import njit

from ..core.randomness import below, random_word
from ..core.records import CHANCE, TERMINAL, state_fields

NUM_SUITS = 2
NUM_CARDS = 3 * NUM_SUITS
ANTE = 1
MAX_RAISES = 2  # in a betting round

# Turns of a betting round: at most call, raise, raise and an answer. Seat 0 has the even ones.
MAX_TURNS = MAX_RAISES + 2
# What a seat has done is flags: in each betting round call, raise, then call, then raise.
NUM_FLAGS = 2 * MAX_TURNS

# A call that has nothing to match is a check.
FOLD, CALL, RAISE = 0, 1, 2

NO_CARD = -1
NOBODY = -1

# Where in an observation its sections begin; ``LeducPoker.sections`` says what they mean.
OWN_CARD, PUBLIC_CARD, RIVAL_CARD = 0, NUM_CARDS, 2 * NUM_CARDS
OWN_MOVES = 3 * NUM_CARDS
RIVAL_MOVES = OWN_MOVES + NUM_FLAGS
OWN_CHIPS = RIVAL_MOVES + NUM_FLAGS
RIVAL_CHIPS, ACTS_FIRST, FOLDED = OWN_CHIPS + 1, OWN_CHIPS + 2, OWN_CHIPS + 3

FIELDS = state_fields(
    sources=1,
    fields=[
        ("private_card", np.int8, (2,)),
        ("public_card", np.int8),
        ("chips", np.int8, (2,)),  # what each seat has put into the pot
        ("betting_round", np.int8),  # 0 before the public card, 1 after it
        ("raises", np.int8),  # in this betting round
        ("turn", np.int8),  # in this betting round
        ("moves", np.int8, (2, NUM_FLAGS)),  # of each seat
    ],
)


@njit(cache=True)
def rank(card):
    """0 jack, 1 queen, 2 king."""
    return int(card) // NUM_SUITS


@njit(cache=True)
def strength(state, seat):
    """How good a hand is at the showdown: a pair beats no pair, then the higher rank wins."""
    own = rank(state.private_card[seat])
    return own + 3 if own == rank(state.public_card) else own


@njit(cache=True)
def setup(state):
    """Both seats pay the ante and the deck is about to be dealt."""
    state.private_card[:] = NO_CARD
    state.public_card = NO_CARD
    state.chips[:] = ANTE
    state.player = CHANCE


@njit(cache=True)
def chance(state, weights):
    """Any card still in the deck may be dealt, each as likely as the others."""
    weights[:] = 1
    total = NUM_CARDS
    for seat in range(2):
        if state.private_card[seat] != NO_CARD:
            weights[state.private_card[seat]] = 0
            total -= 1
    return total


@njit(cache=True)
def legal(state, mask):
    """Fold only to a raise; call always; raise twice a betting round between the two."""
    mask[FOLD] = state.chips[0] != state.chips[1]
    mask[CALL] = 1
    mask[RAISE] = state.raises < MAX_RAISES


@njit(cache=True)
def apply(state, action):
    """A card is dealt, or a seat moves."""
    if state.player == CHANCE:
        deal(state, action)
        return
    if action == FOLD:
        state.player = TERMINAL
        return
    note(state, action)
    if action == CALL:
        call(state)
    else:
        raise_stakes(state)


@njit(cache=True)
def receiver(state):
    """The seat that the next card is dealt to, face down; ``NOBODY`` for the public card."""
    for seat in range(2):
        if state.private_card[seat] == NO_CARD:
            return seat
    return NOBODY


@njit(cache=True)
def deal(state, card):
    """First a private card for each seat, later the public one; then seat 0 opens the betting."""
    seat = receiver(state)
    if seat == NOBODY:
        state.public_card = card
    else:
        state.private_card[seat] = card
    if receiver(state) == NOBODY:
        state.player = 0


@njit(cache=True)
def flag(betting_round, turn, action):
    """Which flag of the seat whose turn it is stands for its call or raise."""
    return 4 * int(betting_round) + 2 * (int(turn) // 2) + action - CALL


@njit(cache=True)
def note(state, action):
    """Write down a call or raise of the seat to move."""
    state.moves[state.player, flag(state.betting_round, state.turn, action)] = 1
    state.turn += 1


@njit(cache=True)
def call(state):
    """Match the rival's chips. That ends a betting round, unless it is its first move."""
    seat = int(state.player)
    state.chips[seat] = state.chips[1 - seat]
    if state.turn == 1:
        state.player = 1 - seat
    elif state.betting_round == 0:
        state.betting_round = 1
        state.raises = 0
        state.turn = 0
        state.player = CHANCE
    else:
        state.player = TERMINAL


@njit(cache=True)
def raise_stakes(state):
    """Match the rival's chips and add 2 in the first betting round, 4 in the second."""
    seat = int(state.player)
    state.chips[seat] = state.chips[1 - seat] + 2 * (1 + int(state.betting_round))
    state.raises += 1
    state.player = 1 - seat


@njit(cache=True)
def folder(state):
    """The seat that has folded: the chips are uneven then; ``NOBODY`` after a showdown."""
    if state.player != TERMINAL or state.chips[0] == state.chips[1]:
        return NOBODY
    return 0 if state.chips[0] < state.chips[1] else 1


@njit(cache=True)
def is_showdown(state):
    """Whether the game ended with both private cards turned over."""
    return state.player == TERMINAL and state.chips[0] == state.chips[1]


@njit(cache=True)
def winner(state):
    """The seat that takes the pot, or ``NOBODY`` if it is split."""
    loser = folder(state)
    if loser != NOBODY:
        return 1 - loser
    lead = strength(state, 0) - strength(state, 1)
    if lead == 0:
        return NOBODY
    return 0 if lead > 0 else 1


@njit(cache=True)
def returns(state, out):
    """The winner gains what the other has put into the pot."""
    best = winner(state)
    if best != NOBODY:
        out[best] = state.chips[1 - best]
        out[1 - best] = -out[best]


@njit(cache=True)
def observe(state, seat, out):
    """Everything but the rival's private card, which a showdown turns over."""
    rival = 1 - seat
    if state.private_card[seat] != NO_CARD:
        out[OWN_CARD + state.private_card[seat]] = 1
    if state.public_card != NO_CARD:
        out[PUBLIC_CARD + state.public_card] = 1
    if is_showdown(state):
        out[RIVAL_CARD + state.private_card[rival]] = 1
    for entry in range(NUM_FLAGS):
        out[OWN_MOVES + entry] = state.moves[seat, entry]
        out[RIVAL_MOVES + entry] = state.moves[rival, entry]
    out[OWN_CHIPS] = state.chips[seat]
    out[RIVAL_CHIPS] = state.chips[rival]
    out[ACTS_FIRST] = seat == 0
    out[FOLDED] = folder(state) == seat
    out[FOLDED + 1] = folder(state) == rival


@njit(cache=True)
def resample(state, seat, seed):
    """Only the rival's private card can be unknown: it is any that the seat does not see."""
    state.seed = random_word(seed, 0, 0)
    rival = 1 - seat
    if state.private_card[rival] == NO_CARD or is_showdown(state):
        return
    hidden = NUM_CARDS
    for card in range(NUM_CARDS):
        if card == state.private_card[seat] or card == state.public_card:
            hidden -= 1
    left = below(random_word(seed, 0, 1), hidden)
    for card in range(NUM_CARDS):
        if card != state.private_card[seat] and card != state.public_card:
            if left == 0:
                state.private_card[rival] = card
            left -= 1


@njit(cache=True)
def seen(state, action, seat):
    """The rival's card is dealt face down and shows as 1, until a call leads to the showdown."""
    if state.player == CHANCE:
        return 1 if receiver(state) == 1 - seat else 2 + action
    if action == CALL and state.betting_round == 1 and state.turn > 0:
        return 4 + int(state.private_card[1 - seat])
    return 1 + action
