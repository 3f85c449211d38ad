"""The rules of Gem Duel, phase by phase.

A card is its index ``element * max_power + power - 1``; the deck may hold several copies of it.
Elements are water, fire, plant, in the order in which each beats the next, then the two special
ones, light and shadow.
"""

from __future__ import annotations

import numpy as np
from numba import njit

from ..core.randomness import below, below_large, pick_weighted, random_word
from ..core.records import CHANCE, TERMINAL, state_fields

MAX_PLAYERS = 5
MAX_HAND = 6
MAX_POWER = 13
NUM_ELEMENTS = 5
MAX_CARDS = NUM_ELEMENTS * MAX_POWER

LIGHT, SHADOW = 3, 4

# Sets of elements, one bit each.
BASIC, SPECIALS, ALL_ELEMENTS = 0b00111, 0b11000, 0b11111

# What can be told about a card. The first two are also the types of a duel.
ELEMENT, POWER, SPECIAL = 0, 1, 2
NUM_PROPERTIES = 3

# Phases. Chance decides in DEAL and REFILL, the seat whose turn it is in TURN and CLUE, the seat
# that is asked in ANSWER, and both duellists in PLAY, the challenger first.
DEAL, TURN, ANSWER, CLUE, PLAY, REFILL = 0, 1, 2, 3, 4, 5

# What is in a slot: nothing, a card that only its holder sees, one that all others see, one that
# has been played face up in the duel that goes on.
EMPTY, HIDDEN, OPEN, PLAYED = 0, 1, 2, 3

# Where a drawn card comes from: the deck of the start, or the discard shuffled into a new one.
FIRST_DECK, RESHUFFLED = 0, 1

NOBODY = -1
NO_SLOT = -1
NO_DUEL = -1

# Streams of random words that ``resample`` draws from; those of own cards go on from the last one.
SEED, COMMITMENT, RIVALS_CARDS, OWN_CARDS = 0, 1, 2, 3

FIELDS = state_fields(
    sources=2,
    fields=[
        ("hand_size", np.int8),
        ("open_cards", np.int8),  # in each hand at the start
        ("max_power", np.int8),
        ("target", np.int8),
        ("clue_marks_specials", np.int8),
        ("num_cards", np.int16),
        ("copies", np.int8, (MAX_CARDS,)),  # of each card, in the whole game
        ("phase", np.int8),
        ("turn", np.int8),  # seat
        ("partner", np.int8),  # seat that is asked or challenged
        ("asked_slot", np.int8),  # of the seat whose turn it is
        ("duel_type", np.int8),
        ("duel_round", np.int8),  # from 1, which is also the stake in gems
        ("committed", np.int8),  # slot, the challenger's secret choice
        ("winner", np.int8),  # of the last duel; NOBODY when the victory is shared
        ("gems", np.int8, (MAX_PLAYERS,)),
        ("deck", np.int8, (MAX_CARDS,)),
        ("deck_size", np.int16),
        ("discard", np.int8, (MAX_CARDS,)),
        ("shuffles", np.int16),  # of the discard into a new deck
        ("place", np.int8, (MAX_PLAYERS, MAX_HAND)),
        ("card", np.int8, (MAX_PLAYERS, MAX_HAND)),
        ("drawn_in", np.int16, (MAX_PLAYERS, MAX_HAND)),  # ``shuffles`` when the card was drawn
        # What the holder of an open card has been told: properties, and what they leave possible,
        # each a set of bits.
        ("told", np.int8, (MAX_PLAYERS, MAX_HAND)),
        ("possible_elements", np.int8, (MAX_PLAYERS, MAX_HAND)),
        ("possible_powers", np.int16, (MAX_PLAYERS, MAX_HAND)),
    ],
)


@njit(cache=True)
def has_bit(bits, number):
    """Whether a set, given as bits, contains a number."""
    return (int(bits) >> number) & 1 == 1


# Cards.


@njit(cache=True)
def num_kinds(state):
    """How many different cards the tables of counts have room for."""
    return NUM_ELEMENTS * int(state.max_power)


@njit(cache=True)
def element(state, card):
    """0 water, 1 fire, 2 plant, 3 light, 4 shadow."""
    return int(card) // int(state.max_power)


@njit(cache=True)
def power(state, card):
    """1 to ``max_power``."""
    return int(card) % int(state.max_power) + 1


@njit(cache=True)
def is_special(state, card):
    """Whether a card is light or shadow."""
    return element(state, card) >= LIGHT


@njit(cache=True)
def element_lead(own, rival):
    """1 if the element ``own`` wins against ``rival``, -1 if it loses, 0 for a tie."""
    if own == rival:
        return 0
    if own == LIGHT or rival == SHADOW:
        return 1
    if rival == LIGHT or own == SHADOW:
        return -1
    return 1 if (own + 1) % 3 == rival else -1


@njit(cache=True)
def lead(state, duel_type, own, rival):
    """Above 0 if the card ``own`` wins a duel against ``rival``, below 0 if it loses, 0 for a tie."""
    if duel_type == ELEMENT:
        return element_lead(element(state, own), element(state, rival))
    return power(state, own) - power(state, rival)


# Actions: the three answers, then clues by property and slot, cards to play by slot, challenges by
# rival and type, questions by rival and slot. Rivals count clockwise from the mover.


@njit(cache=True)
def first_play(state):
    """The first action that plays a card."""
    return NUM_PROPERTIES + NUM_PROPERTIES * int(state.hand_size)


@njit(cache=True)
def first_challenge(state):
    """The first action that challenges."""
    return first_play(state) + int(state.hand_size)


@njit(cache=True)
def first_ask(state):
    """The first action that asks."""
    return first_challenge(state) + 2 * (int(state.num_players) - 1)


@njit(cache=True)
def num_actions(state):
    """How many actions there are."""
    return first_ask(state) + (int(state.num_players) - 1) * int(state.hand_size)


@njit(cache=True)
def rival_of(state, seat, number):
    """The rival that is ``number`` further clockwise than the next one."""
    return (int(seat) + 1 + number) % int(state.num_players)


# The start and the turn.


@njit(cache=True)
def setup(state):
    """All cards are in the deck and about to be dealt, seat by seat."""
    state.deck[:] = state.copies
    state.deck_size = state.num_cards
    state.partner = NOBODY
    state.asked_slot = NO_SLOT
    state.duel_type = NO_DUEL
    state.committed = NO_SLOT
    state.phase = DEAL
    state.source = FIRST_DECK
    state.player = CHANCE


@njit(cache=True)
def legal(state, mask):
    """What the phase allows."""
    if state.phase == TURN:
        legal_turn(state, mask)
    elif state.phase == ANSWER:
        for told in range(NUM_PROPERTIES):
            mask[told] = can_be_told(state, state.turn, state.asked_slot, told)
    elif state.phase == CLUE:
        legal_clues(state, mask)
    else:
        for slot in range(int(state.hand_size)):
            mask[first_play(state) + slot] = is_in_hand(state, state.player, slot)


@njit(cache=True)
def is_in_hand(state, holder, slot):
    """Whether a slot holds a card that has not been played."""
    return state.place[holder, slot] in (HIDDEN, OPEN)


@njit(cache=True)
def legal_turn(state, mask):
    """Any challenge, and any question about an own open card that is not complete."""
    size = int(state.hand_size)
    mask[first_challenge(state) : first_ask(state)] = 1
    for slot in range(size):
        if not is_complete(state, state.turn, slot):
            for rival in range(int(state.num_players) - 1):
                mask[first_ask(state) + rival * size + slot] = 1


@njit(cache=True)
def legal_clues(state, mask):
    """Whatever can still be told about an open card of the rival."""
    size = int(state.hand_size)
    for slot in range(size):
        if not is_complete(state, state.partner, slot):
            for told in range(NUM_PROPERTIES):
                clue = NUM_PROPERTIES + told * size + slot
                mask[clue] = can_be_told(state, state.partner, slot, told)


@njit(cache=True)
def is_complete(state, holder, slot):
    """Whether nothing is left to tell about what is in a slot: all was told, or it is not open."""
    told = state.told[holder, slot]
    all_told = (told & 0b100) != 0 or (told & 0b011) == 0b011
    return all_told or state.place[holder, slot] != OPEN


@njit(cache=True)
def can_be_told(state, holder, slot, told):
    """Whether a property of an open card may be told: "special" of light and shadow, else the others."""
    special = is_special(state, state.card[holder, slot])
    return special == (told == SPECIAL) and not has_bit(state.told[holder, slot], told)


@njit(cache=True)
def has_more_to_learn(state, holder):
    """Whether something can still be told about an open card of a seat."""
    more = False
    for slot in range(int(state.hand_size)):
        more |= not is_complete(state, holder, slot)
    return more


@njit(cache=True)
def chance(state, weights):
    """Any card in the deck may be the next, each copy as likely as the others."""
    for card in range(num_kinds(state)):
        weights[card] = state.deck[card]
    return int(state.deck_size)


@njit(cache=True)
def apply(state, action):
    """One move or chance outcome, by phase."""
    if state.player == CHANCE:
        draw(state, action)
    elif state.phase == ANSWER:
        answer(state, action)
    elif state.phase == CLUE:
        clue(state, action)
    elif state.phase == PLAY:
        play(state, action - first_play(state))
    elif action >= first_ask(state):
        ask(state, action - first_ask(state))
    else:
        challenge(state, action - first_challenge(state))


@njit(cache=True)
def begin_turn(state, seat):
    """A seat asks or challenges."""
    state.turn = seat
    state.phase = TURN
    state.player = seat


@njit(cache=True)
def pass_turn(state):
    """The turn goes clockwise."""
    begin_turn(state, rival_of(state, state.turn, 0))


# Questions and clues.


@njit(cache=True)
def ask(state, question):
    """Ask a rival about an own open card."""
    rival, slot = divmod(question, int(state.hand_size))
    state.partner = rival_of(state, state.turn, rival)
    state.asked_slot = slot
    state.phase = ANSWER
    state.player = state.partner


@njit(cache=True)
def answer(state, told):
    """Tell the asking seat one thing about the card, which ends its turn."""
    tell(state, int(state.turn), int(state.asked_slot), told)
    state.asked_slot = NO_SLOT
    state.partner = NOBODY
    pass_turn(state)


@njit(cache=True)
def tell(state, holder, slot, told):
    """Tell the holder of an open card one property, and point out its other open cards that have it."""
    pointed_out = cards_with(state, holder, slot, told)
    has, lacks = elements_after(state, holder, slot, told)
    for other in range(int(state.hand_size)):
        if state.place[holder, other] == OPEN:
            if has_bit(pointed_out, other):
                state.told[holder, other] |= 1 << told
                state.possible_elements[holder, other] &= has
            else:
                state.possible_elements[holder, other] &= lacks
    if told == POWER:
        tell_powers(state, holder, slot, pointed_out)
    if not state.clue_marks_specials:
        forget_powers_of_specials(state, holder)


@njit(cache=True)
def tell_powers(state, holder, slot, pointed_out):
    """What the power of the card in ``slot`` says: it is basic, or "special" would have been told."""
    told = 1 << (power(state, state.card[holder, slot]) - 1)
    state.possible_elements[holder, slot] &= BASIC
    for other in range(int(state.hand_size)):
        if state.place[holder, other] == OPEN:
            state.possible_powers[holder, other] &= told if has_bit(pointed_out, other) else ~told


@njit(cache=True)
def forget_powers_of_specials(state, holder):
    """What power clues said of a card in case it is basic is void if it cannot be."""
    for slot in range(int(state.hand_size)):
        is_open = state.place[holder, slot] == OPEN
        if is_open and state.possible_elements[holder, slot] & BASIC == 0:
            state.possible_powers[holder, slot] = all_powers(state)


@njit(cache=True)
def all_powers(state):
    """Every power, as a set."""
    return (1 << int(state.max_power)) - 1


@njit(cache=True)
def cards_with(state, holder, slot, told):
    """The holder's open cards that share the told property of the one in ``slot``: bits by slot."""
    card = state.card[holder, slot]
    found = 0
    for other in range(int(state.hand_size)):
        is_open = state.place[holder, other] == OPEN
        if is_open and shares(state, card, state.card[holder, other], told):
            found |= 1 << other
    return found


@njit(cache=True)
def shares(state, card, other, told):
    """Whether ``other`` is pointed out too when a property of ``card`` is told."""
    if told == ELEMENT:
        return element(state, card) == element(state, other)
    if told == POWER:
        marked = state.clue_marks_specials == 1 or not is_special(state, other)
        return marked and power(state, card) == power(state, other)
    return is_special(state, other)


@njit(cache=True)
def elements_after(state, holder, slot, told):
    """The elements that a clue leaves possible for cards that are pointed out, and for the others."""
    if told == ELEMENT:
        named = 1 << element(state, state.card[holder, slot])
        return named, ALL_ELEMENTS & ~named
    if told == SPECIAL:
        return SPECIALS, BASIC
    return (ALL_ELEMENTS if state.clue_marks_specials else BASIC), ALL_ELEMENTS


@njit(cache=True)
def is_possible(state, holder, slot, card):
    """Whether a card agrees with all that the holder of an open slot has been told.

    Where power clues do not point out light and shadow, they say nothing about these.
    """
    if not has_bit(state.possible_elements[holder, slot], element(state, card)):
        return False
    if is_special(state, card) and not state.clue_marks_specials:
        return True
    return has_bit(state.possible_powers[holder, slot], power(state, card) - 1)


# Duels.


@njit(cache=True)
def challenge(state, announced):
    """Challenge a rival by element or power. A clue comes first, unless there is none left to give."""
    rival, duel_type = divmod(announced, 2)
    state.partner = rival_of(state, state.turn, rival)
    state.duel_type = duel_type
    state.duel_round = 1
    state.phase = CLUE if has_more_to_learn(state, state.partner) else PLAY


@njit(cache=True)
def clue(state, given):
    """The challenger tells the rival one thing about a card that the challenger picks."""
    told, slot = divmod(given - NUM_PROPERTIES, int(state.hand_size))
    tell(state, int(state.partner), slot, told)
    state.phase = PLAY


@njit(cache=True)
def play(state, slot):
    """The challenger commits a card, which stays where it is for all to see; then the rival plays one."""
    if state.player == state.turn:
        state.committed = slot
        state.player = state.partner
    else:
        reveal(state, slot)


@njit(cache=True)
def reveal(state, slot):
    """Both cards are laid face up, and the round has a winner or is a tie."""
    challenger, rival = int(state.turn), int(state.partner)
    own = lay_face_up(state, challenger, int(state.committed))
    other = lay_face_up(state, rival, slot)
    state.committed = NO_SLOT
    result = lead(state, state.duel_type, own, other)
    if result > 0:
        win_duel(state, challenger)
    elif result < 0:
        win_duel(state, rival)
    elif state.duel_round == state.hand_size:
        share_victory(state)
    else:
        state.duel_round += 1
        state.player = challenger


@njit(cache=True)
def lay_face_up(state, seat, slot):
    """Play a card; what was told about it no longer matters. Gives the card."""
    state.place[seat, slot] = PLAYED
    state.told[seat, slot] = 0
    state.possible_elements[seat, slot] = 0
    state.possible_powers[seat, slot] = 0
    return int(state.card[seat, slot])


@njit(cache=True)
def win_duel(state, seat):
    """The winner takes the stake of this round. The first to reach the target wins at once."""
    state.winner = seat
    state.gems[seat] += state.duel_round
    end_duel(state)
    if state.gems[seat] >= state.target:
        state.player = TERMINAL
    else:
        state.phase = REFILL
        next_draw(state)


@njit(cache=True)
def share_victory(state):
    """The last cards tied too: the game ends and nobody has won."""
    state.winner = NOBODY
    end_duel(state)
    state.player = TERMINAL


@njit(cache=True)
def end_duel(state):
    """The played cards go to the discard."""
    state.duel_type = NO_DUEL
    state.duel_round = 0
    for slot in range(int(state.hand_size)):
        for seat in (int(state.turn), int(state.partner)):
            if state.place[seat, slot] == PLAYED:
                state.discard[state.card[seat, slot]] += 1
                state.place[seat, slot] = EMPTY
                state.card[seat, slot] = 0
    state.partner = NOBODY


# Drawing cards.


@njit(cache=True)
def receiver(state):
    """The seat that draws next, ``NOBODY`` if all hands are full.

    After a duel only winner and loser have room; at the start seat 0 counts as the winner.
    """
    for step in range(int(state.num_players)):
        seat = (int(state.winner) + step) % int(state.num_players)
        if empty_slot(state, seat) != NO_SLOT:
            return seat
    return NOBODY


@njit(cache=True)
def empty_slot(state, seat):
    """The first empty slot of a seat, ``NO_SLOT`` if there is none."""
    for slot in range(int(state.hand_size)):
        if state.place[seat, slot] == EMPTY:
            return slot
    return NO_SLOT


@njit(cache=True)
def place_of_draw(state, seat, slot):
    """``OPEN`` or ``HIDDEN``: the last cards of the deal and the winner's new ones are open."""
    if state.phase == DEAL:
        return OPEN if slot >= state.hand_size - state.open_cards else HIDDEN
    return OPEN if seat == state.winner else HIDDEN


@njit(cache=True)
def draw(state, card):
    """A card from the deck goes to the next empty slot."""
    seat = receiver(state)
    slot = empty_slot(state, seat)
    state.deck[card] -= 1
    state.deck_size -= 1
    state.place[seat, slot] = place_of_draw(state, seat, slot)
    state.card[seat, slot] = card
    state.drawn_in[seat, slot] = state.shuffles
    if state.place[seat, slot] == OPEN:
        state.possible_elements[seat, slot] = ALL_ELEMENTS
        state.possible_powers[seat, slot] = all_powers(state)
    next_draw(state)


@njit(cache=True)
def next_draw(state):
    """Chance draws for the seat that is next; when all hands are full, somebody's turn begins."""
    if receiver(state) == NOBODY:
        if state.phase == DEAL:
            begin_turn(state, 0)
        else:
            pass_turn(state)
    else:
        if state.deck_size == 0:
            reshuffle(state)
        state.player = CHANCE


@njit(cache=True)
def reshuffle(state):
    """The discard becomes the deck."""
    for card in range(num_kinds(state)):
        state.deck[card] = state.discard[card]
        state.deck_size += state.discard[card]
        state.discard[card] = 0
    state.shuffles += 1
    state.source = RESHUFFLED


@njit(cache=True)
def may_reshuffle(state):
    """Whether the deck can run out: a game without a winner yet has handed out so many gems at most."""
    players = int(state.num_players)
    rounds = players * (int(state.target) - 1)
    return players * int(state.hand_size) + 2 * rounds > state.num_cards


# The end.


@njit(cache=True)
def returns(state, out):
    """+1 for the winner, the loss of it shared by the others; nothing if the victory is shared."""
    if state.winner != NOBODY:
        out[:] = -1 / (int(state.num_players) - 1)
        out[state.winner] = 1


# What a seat knows.


@njit(cache=True)
def sees(state, seat, holder, slot):
    """Whether a seat sees the face of what is in a slot."""
    place = state.place[holder, slot]
    return place == PLAYED or place == (HIDDEN if holder == seat else OPEN)


@njit(cache=True)
def is_unseen(state, seat, holder, slot):
    """Whether there is a card in a slot whose face a seat does not see."""
    return state.place[holder, slot] == (OPEN if holder == seat else HIDDEN)


# Where in an observation its sections begin; ``GemDuel.sections`` says what they mean. A scripted
# player whose record has the same options finds its way with these too.


@njit(cache=True)
def gems_at(state):
    """Gems, seat by seat, ``target`` entries each, after what is to be decided."""
    return 4 + 3 * int(state.num_players) + 2 * int(state.hand_size) + 2


@njit(cache=True)
def deck_at(state):
    """The deck size; then, by card, what is unseen, the discard, if need be what is unseen and new."""
    return gems_at(state) + int(state.num_players) * int(state.target)


@njit(cache=True)
def own_slots_at(state):
    """The observer's slots: place, element, power, told, committed, if need be whether it is new."""
    return deck_at(state) + 1 + (2 + may_reshuffle(state)) * num_kinds(state)


@njit(cache=True)
def own_slot_size(state):
    """Entries of a slot of the observer."""
    return 3 + NUM_ELEMENTS + int(state.max_power) + NUM_PROPERTIES + 1 + may_reshuffle(state)


@njit(cache=True)
def rival_slots_at(state):
    """The rivals' slots: place, element, power, told, what is possible, if need be whether it is new."""
    return own_slots_at(state) + int(state.hand_size) * own_slot_size(state)


@njit(cache=True)
def rival_slot_size(state):
    """Entries of a slot of a rival."""
    return 3 + 2 * (NUM_ELEMENTS + int(state.max_power)) + NUM_PROPERTIES + may_reshuffle(state)


@njit(cache=True)
def observe(state, seat, out):
    """Write section by section what a seat knows."""
    players, size = int(state.num_players), int(state.hand_size)
    observe_decision(state, seat, out)
    at = gems_at(state)
    for step in range(players):
        gems = int(state.gems[(seat + step) % players])
        out[at : at + min(gems, int(state.target))] = 1
        at += int(state.target)
    out[at] = state.deck_size
    observe_unseen(state, seat, out, at + 1)
    at = own_slots_at(state)
    for slot in range(size):
        if state.place[seat, slot] != EMPTY:
            observe_own_slot(state, seat, slot, out, at)
        at += own_slot_size(state)
    for rival in range(players - 1):
        holder = rival_of(state, seat, rival)
        for slot in range(size):
            if state.place[holder, slot] != EMPTY:
                observe_rival_slot(state, holder, slot, out, at)
            at += rival_slot_size(state)


@njit(cache=True)
def observe_decision(state, seat, out):
    """What is to be decided, by whom, in whose turn, and the question or duel that it is about."""
    players, size = int(state.num_players), int(state.hand_size)
    if state.player >= 0:
        out[int(state.phase) - TURN] = 1
        out[4 + (int(state.player) - seat) % players] = 1
        out[4 + players + (int(state.turn) - seat) % players] = 1
    at = 4 + 2 * players
    if state.partner != NOBODY:
        out[at + (int(state.partner) - seat) % players] = 1
    at += players
    if state.asked_slot != NO_SLOT:
        out[at + int(state.asked_slot)] = 1
    at += size
    if state.duel_type != NO_DUEL:
        out[at + int(state.duel_type)] = 1
        out[at + 2 : at + 2 + int(state.duel_round)] = 1


@njit(cache=True)
def observe_unseen(state, seat, out, at):
    """Counts of the cards that the seat does not see, of the discard, if need be of what is unseen and new."""
    kinds = num_kinds(state)
    deck_may_change = may_reshuffle(state)
    for card in range(kinds):
        out[at + card] = state.deck[card]
        out[at + kinds + card] = state.discard[card]
        if deck_may_change:
            out[at + 2 * kinds + card] = state.deck[card]
    for holder in range(int(state.num_players)):
        for slot in range(int(state.hand_size)):
            if is_unseen(state, seat, holder, slot):
                card = int(state.card[holder, slot])
                out[at + card] += 1
                if deck_may_change:
                    out[at + 2 * kinds + card] += is_new(state, holder, slot)


@njit(cache=True)
def is_new(state, holder, slot):
    """Whether a card in hand was drawn since the discard was last shuffled, if it ever was."""
    return is_in_hand(state, holder, slot) and state.drawn_in[holder, slot] == state.shuffles


@njit(cache=True)
def observe_own_slot(state, seat, slot, out, at):
    """The card, or for an open one what is possible after what was told."""
    out[at + int(state.place[seat, slot]) - HIDDEN] = 1
    if state.place[seat, slot] == OPEN:
        observe_possible(state, seat, slot, out, at + 3)
    else:
        observe_card(state, state.card[seat, slot], out, at + 3)
    at += 3 + NUM_ELEMENTS + int(state.max_power)
    observe_told(state, seat, slot, out, at)
    out[at + NUM_PROPERTIES] = state.committed == slot and state.turn == seat
    if may_reshuffle(state):
        out[at + NUM_PROPERTIES + 1] = is_new(state, seat, slot)


@njit(cache=True)
def observe_rival_slot(state, holder, slot, out, at):
    """The card if it is open or played, and for an open one what its holder has been told."""
    out[at + int(state.place[holder, slot]) - HIDDEN] = 1
    if state.place[holder, slot] != HIDDEN:
        observe_card(state, state.card[holder, slot], out, at + 3)
    at += 3 + NUM_ELEMENTS + int(state.max_power)
    if state.place[holder, slot] == OPEN:
        observe_told(state, holder, slot, out, at)
        observe_possible(state, holder, slot, out, at + NUM_PROPERTIES)
    if may_reshuffle(state):
        out[at + NUM_PROPERTIES + NUM_ELEMENTS + int(state.max_power)] = is_new(state, holder, slot)


@njit(cache=True)
def observe_card(state, card, out, at):
    """One element and one power."""
    out[at + element(state, card)] = 1
    out[at + NUM_ELEMENTS + power(state, card) - 1] = 1


@njit(cache=True)
def observe_possible(state, holder, slot, out, at):
    """Elements and powers that an open card can have for its holder."""
    for number in range(NUM_ELEMENTS):
        out[at + number] = has_bit(state.possible_elements[holder, slot], number)
    at += NUM_ELEMENTS
    for number in range(int(state.max_power)):
        out[at + number] = has_bit(state.possible_powers[holder, slot], number)


@njit(cache=True)
def observe_told(state, holder, slot, out, at):
    """Which properties the holder of an open card has been told."""
    for told in range(NUM_PROPERTIES):
        out[at + told] = has_bit(state.told[holder, slot], told)


@njit(cache=True)
def seen(state, action, seat):
    """What a seat sees of a drawn card, of a clue, of a card that is played; all else is public."""
    if state.player == CHANCE:
        holder = receiver(state)
        place = place_of_draw(state, holder, empty_slot(state, holder))
        return 2 + action if place == (HIDDEN if holder == seat else OPEN) else 1
    if state.phase == ANSWER:
        return 2 + action + num_actions(state) * said(state, state.turn, state.asked_slot, action)
    if state.phase == CLUE:
        told, slot = divmod(action - NUM_PROPERTIES, int(state.hand_size))
        return 2 + action + num_actions(state) * said(state, state.partner, slot, told)
    if state.phase == PLAY and state.player == state.turn:
        return 2 + action if seat == state.turn else 1
    if state.phase == PLAY:
        return 2 + action + num_actions(state) * revealed(state, action - first_play(state))
    return 2 + action


@njit(cache=True)
def said(state, holder, slot, told):
    """What the holder of a card hears: the element or power, and which cards are pointed out."""
    card = state.card[holder, slot]
    value = 0
    if told == ELEMENT:
        value = element(state, card)
    elif told == POWER:
        value = power(state, card)
    return value + (MAX_POWER + 1) * cards_with(state, holder, slot, told)


@njit(cache=True)
def revealed(state, slot):
    """The challenger's slot, and both cards, when the rival plays from ``slot``."""
    own = int(state.card[state.turn, state.committed])
    other = int(state.card[state.partner, slot])
    return int(state.committed) + MAX_HAND * (own + MAX_CARDS * other)


# Redrawing what a seat does not know.


@njit(cache=True)
def resample(state, seat, seed):
    """Redraw the cards that a seat does not see, as all it has been told allows, and a rival's commitment.

    Cards that were drawn from one deck, before the discard was shuffled again, stay among themselves.
    """
    state.seed = random_word(seed, SEED, 0)
    if state.committed != NO_SLOT and state.turn != seat:
        recommit(state, random_word(seed, COMMITMENT, 0))
    for shuffle in range(int(state.shuffles) + 1):
        redraw(state, seat, shuffle, seed)


@njit(cache=True)
def retract(state, seat):
    """The challenger takes its commitment back, which the rival has not seen."""
    if seat == state.partner and state.committed != NO_SLOT:
        state.committed = NO_SLOT
        state.player = state.turn


@njit(cache=True)
def recommit(state, word):
    """The challenger's secret choice is any card in its hand."""
    left = below(word, int(state.hand_size) - int(state.duel_round) + 1)
    for slot in range(int(state.hand_size)):
        if state.place[state.turn, slot] != PLAYED:
            if left == 0:
                state.committed = slot
            left -= 1


@njit(cache=True)
def redraw(state, seat, shuffle, seed):
    """Deal anew what a seat does not see of the cards from one deck, that deck included if it is in use."""
    pool = np.zeros(MAX_CARDS, np.int64)
    if shuffle == state.shuffles:
        pool[:] = state.deck
    for holder in range(int(state.num_players)):
        for slot in range(int(state.hand_size)):
            if is_redrawn(state, seat, holder, slot, shuffle):
                pool[state.card[holder, slot]] += 1
    redraw_own_cards(state, seat, shuffle, pool, seed)
    for holder in range(int(state.num_players)):
        for slot in range(int(state.hand_size)):
            if holder != seat and is_redrawn(state, seat, holder, slot, shuffle):
                word = random_word(seed, RIVALS_CARDS, holder * MAX_HAND + slot)
                card = pick_weighted(pool, pool.sum(), word)
                state.card[holder, slot] = card
                pool[card] -= 1
    if shuffle == state.shuffles:
        state.deck[:] = pool


@njit(cache=True)
def is_redrawn(state, seat, holder, slot, shuffle):
    """Whether a card is unseen by a seat and from the given deck."""
    return is_unseen(state, seat, holder, slot) and state.drawn_in[holder, slot] == shuffle


@njit(cache=True)
def redraw_own_cards(state, seat, shuffle, pool, seed):
    """Take cards for a seat's open slots from the pool, every way that agrees with the clues alike.

    Each single card of the pool goes to one of the slots or to none, the last card first, in
    proportion to the number of ways to fill the remaining slots with the cards before it.
    """
    slots = np.zeros(MAX_HAND, np.int64)
    count = 0
    for slot in range(int(state.hand_size)):
        if is_redrawn(state, seat, seat, slot, shuffle):
            slots[count] = slot
            count += 1
    if count == 0:
        return
    cards = single_cards(pool)
    ways = ways_to_fill(state, seat, slots[:count], cards)
    unfilled = (1 << count) - 1
    for number in range(cards.shape[0] - 1, -1, -1):
        word = random_word(seed, OWN_CARDS + shuffle, number)
        left = below_large(word, ways[number + 1, unfilled]) - ways[number, unfilled]
        if left >= 0:
            card = cards[number]
            place = place_to_fill(state, seat, slots, card, ways[number], unfilled, left)
            state.card[seat, slots[place]] = card
            pool[card] -= 1
            unfilled ^= 1 << place


@njit(cache=True)
def place_to_fill(state, seat, slots, card, ways, unfilled, left):
    """The place in ``slots`` for a card, in proportion to the ways to fill the others before it."""
    place = -1
    while left >= 0:
        place += 1
        if has_bit(unfilled, place) and is_possible(state, seat, slots[place], card):
            left -= ways[unfilled ^ (1 << place)]
    return place


@njit(cache=True)
def single_cards(pool):
    """The cards of a pool one by one, ascending."""
    cards = np.zeros(pool.sum(), np.int64)
    count = 0
    for card in range(MAX_CARDS):
        cards[count : count + pool[card]] = card
        count += pool[card]
    return cards


@njit(cache=True)
def ways_to_fill(state, seat, slots, cards):
    """Ways to fill each set of slots with some of the first cards: int64 ``[cards + 1, sets]``.

    A set has a bit for each place in ``slots``; at most 975 ** 6 ways fit well into 63 bits.
    """
    ways = np.zeros((cards.shape[0] + 1, 1 << slots.shape[0]), np.int64)
    ways[0, 0] = 1
    for number in range(cards.shape[0]):
        ways[number + 1] = ways[number]
        for place in range(slots.shape[0]):
            if is_possible(state, seat, slots[place], cards[number]):
                for filled in range(ways.shape[1]):
                    if has_bit(filled, place):
                        ways[number + 1, filled] += ways[number, filled ^ (1 << place)]
    return ways
