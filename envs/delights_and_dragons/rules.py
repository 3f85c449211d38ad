"""The rules of Delights & Dragons, phase by phase.

A card is its number in the list of the cards that the game is played with: characters first, then
items. A deck is a sorted list of card numbers, one a copy, and every copy has a place. Copies of a
card that lie side by side in that list are kept in the order of their places, so that a state says
how many copies are where and nothing else: they cannot be told apart.

Nobody's draw order is in the state. What the other player knows about a hand follows from ``pile``:
the cards that a deck was last shuffled from. A hidden card (in deck or hand) that is not from there
must be in the hand.
"""

from __future__ import annotations

import numpy as np
from numba import njit

from ..core.randomness import below, random_word
from ..core.records import CHANCE, TERMINAL, TRUNCATED, state_fields

MAX_DECK = 60
MAX_SLOTS = 16
MAX_CARDS = 2 * MAX_DECK
MAX_DECKS = 8

# Actions are the cards, to be played, then three runs of slots: of an item's holder, an attacker and a
# target; then these, counted from the end.
END_PHASE, RESHUFFLE, FORFEIT = -3, -2, -1

# Phases. In DEAL and DRAW chance turns up a card of a deck. ATTACK is the attack phase; in HOLDER an
# item that was played waits for its character, in TARGET an attacker for its target. RUN_OUT: a draw
# is due from an empty deck.
DEAL, ATTACK, HOLDER, TARGET, DRAW, RUN_OUT = 0, 1, 2, 3, 4, 5

# Places of a copy. An item that was played is on the table until it has a holder, in whose slot it lies
# then. From DISCARD on everybody sees it.
DECK, HAND, DISCARD, TABLE, FIRST_SLOT = 0, 1, 2, 3, 4

NOTHING = -1
# Chance sources: each seat's deck, as shuffled at first, once, twice, and three times or more.
SHUFFLES = 4

FIELDS = state_fields(
    sources=2 * SHUFFLES,
    fields=[
        # The options.
        ("num_cards", np.int8),
        ("num_characters", np.int8),  # cards from here on are items
        ("num_slots", np.int8),
        ("num_decks", np.int8),  # that a player may be thought to have
        ("attack", np.int8, (MAX_CARDS,)),  # of a character, or what an item adds
        ("defense", np.int8, (MAX_CARDS,)),
        ("legendary", np.int8, (MAX_CARDS,)),
        ("holder_entry", np.int16, (MAX_CARDS,)),  # of an item's first copy in the observation
        ("num_holder_entries", np.int16),
        ("decks", np.int8, (MAX_DECKS, MAX_DECK)),
        ("deck_sizes", np.int8, (MAX_DECKS,)),
        ("own_decks", np.int8, (2,)),
        ("starting_health", np.int16),
        ("opening_hand", np.int8),
        ("max_turns", np.int16),
        ("open_decklists", np.int8),
        # The position.
        ("deck", np.int8, (2,)),  # number of each seat's deck
        ("place", np.int8, (2, MAX_DECK)),  # of each copy in it
        (
            "pile",
            np.int8,
            (2, MAX_CARDS),
        ),  # copies of each card that the deck was last shuffled from
        ("shuffles", np.int8, (2,)),  # of the discard, up to SHUFFLES - 1
        ("possible", np.int8, (2, MAX_DECKS)),  # decks that a seat may have, by what it has shown
        ("deck_size", np.int8, (2,)),
        ("hand_size", np.int8, (2,)),
        ("discard_size", np.int8, (2,)),
        ("in_play", np.int8, (2,)),  # characters
        ("character", np.int8, (2, MAX_SLOTS)),  # card in each slot, or NOTHING
        ("slot_attack", np.int16, (2, MAX_SLOTS)),  # items included
        ("slot_defense", np.int16, (2, MAX_SLOTS)),
        (
            "marks",
            np.int8,
            (2, MAX_SLOTS),
        ),  # attacks survived: 1 is injured, or up to 2 of a legendary
        ("ready", np.int8, (2, MAX_SLOTS)),  # may attack this turn
        ("health", np.int16, (2,)),
        ("turn", np.int8),  # seat
        ("turn_number", np.int16),  # from 1, both players' turns counted
        ("phase", np.int8),
        ("may_play_character", np.int8),
        ("may_play_item", np.int8),
        ("chosen", np.int8),  # the item of HOLDER, the attacker's slot of TARGET, or NOTHING
        ("winner", np.int8),
    ],
)


# The options, as numbers of one type, so that no function is compiled twice.


@njit(cache=True)
def num_cards(state):
    """How many different cards there are."""
    return np.int64(state.num_cards)


@njit(cache=True)
def num_slots(state):
    """How many characters a side has room for: as many as there are in a deck."""
    return np.int64(state.num_slots)


@njit(cache=True)
def num_decks(state):
    """How many decks a player may be thought to have."""
    return np.int64(state.num_decks)


@njit(cache=True)
def active_seat(state):
    """The player whose turn it is."""
    return np.int64(state.turn)


@njit(cache=True)
def chosen(state):
    """The item or the attacking slot that waits for a choice."""
    return np.int64(state.chosen)


# Cards and places.


@njit(cache=True)
def is_item(state, card):
    """Whether a card is an item and no character."""
    return card >= state.num_characters


@njit(cache=True)
def copies(state, seat):
    """How many cards a seat's deck has, wherever they are."""
    return np.int64(state.deck_sizes[state.deck[seat]])


@njit(cache=True)
def card_of(state, seat, copy):
    """The card that a copy in a seat's deck is of."""
    return np.int64(state.decks[state.deck[seat], copy])


@njit(cache=True)
def move(state, seat, card, origin, destination):
    """Bring one copy of ``card`` from a place to another; copies stay in the order of their places."""
    copy = 0
    while card_of(state, seat, copy) != card or state.place[seat, copy] != origin:
        copy += 1
    last = copies(state, seat) - 1
    while (
        copy < last
        and card_of(state, seat, copy + 1) == card
        and state.place[seat, copy + 1] < destination
    ):
        state.place[seat, copy] = state.place[seat, copy + 1]
        copy += 1
    while (
        copy > 0
        and card_of(state, seat, copy - 1) == card
        and state.place[seat, copy - 1] > destination
    ):
        state.place[seat, copy] = state.place[seat, copy - 1]
        copy -= 1
    state.place[seat, copy] = destination


# Set-up.


@njit(cache=True)
def setup(state):
    """Both decks are shuffled, and the first card is about to be dealt."""
    state.winner = NOTHING
    state.chosen = NOTHING
    for seat in range(2):
        own = np.int64(state.own_decks[seat])
        state.deck[seat] = own
        state.deck_size[seat] = state.deck_sizes[own]
        state.health[seat] = state.starting_health
        for copy in range(copies(state, seat)):
            state.pile[seat, card_of(state, seat, copy)] += 1
        for deck in range(num_decks(state)):
            size_fits = state.deck_sizes[deck] == state.deck_sizes[own]
            state.possible[seat, deck] = size_fits and (not state.open_decklists or deck == own)
        for slot in range(MAX_SLOTS):
            state.character[seat, slot] = NOTHING
    state.phase = DEAL
    deal(state)


@njit(cache=True)
def deal(state):
    """Both opening hands, one after the other; then seat 0 begins."""
    for seat in range(2):
        if state.hand_size[seat] < state.opening_hand:
            await_card(state, seat)
            return
    start_turn(state, 0)


# Chance: the next card of a deck.


@njit(cache=True)
def await_card(state, seat):
    """Chance decides which card of a seat's deck is the top one."""
    state.player = CHANCE
    state.source = seat + 2 * int(state.shuffles[seat])


@njit(cache=True)
def chance(state, weights):
    """Each copy in the deck is as likely as the others; the outcome is its card."""
    seat = np.int64(state.source) % 2
    for copy in range(copies(state, seat)):
        if state.place[seat, copy] == DECK:
            weights[card_of(state, seat, copy)] += 1
    return int(state.deck_size[seat])


@njit(cache=True)
def draw(state, card):
    """A card goes from the deck to its owner's hand; after a draw phase the turn ends."""
    seat = np.int64(state.source) % 2
    move(state, seat, card, DECK, HAND)
    state.hand_size[seat] += 1
    state.deck_size[seat] -= 1
    if state.deck_size[seat] == 0:
        # All hidden cards are in the hand now: nothing in it is from a pile that is still unknown.
        for other in range(num_cards(state)):
            state.pile[seat, other] = 0
    if state.phase == DEAL:
        deal(state)
    else:
        pass_turn(state)


# Turns.


@njit(cache=True)
def start_turn(state, seat):
    """A new attack phase: every character in play may attack once."""
    state.turn = seat
    state.turn_number += 1
    state.may_play_character = 1
    state.may_play_item = 1
    for slot in range(num_slots(state)):
        state.ready[seat, slot] = state.character[seat, slot] != NOTHING
    if may_act(state):
        ask(state, ATTACK)
    else:
        # Nothing in hand and nothing in play: all cards are in deck and discard.
        allow_nothing(state)
        draw_phase(state)


@njit(cache=True)
def ask(state, phase):
    """The player whose turn it is has to decide."""
    state.phase = phase
    state.player = state.turn


@njit(cache=True)
def may_act(state):
    """Whether, by what everybody knows, the player whose turn it is could do more than end the phase."""
    seat = active_seat(state)
    may_play_item = state.may_play_item and state.in_play[seat] > 0
    if state.hand_size[seat] > 0 and (state.may_play_character or may_play_item):
        return True
    return state.ready[seat].any()


@njit(cache=True)
def go_on(state):
    """The attack phase lasts until its player ends it or nothing is left to do."""
    state.chosen = NOTHING
    if may_act(state):
        ask(state, ATTACK)
    else:
        end_attack_phase(state)


@njit(cache=True)
def end_attack_phase(state):
    """The draw phase follows; with neither deck nor discard there is nothing to draw."""
    seat = active_seat(state)
    allow_nothing(state)
    if state.deck_size[seat] + state.discard_size[seat] > 0:
        draw_phase(state)
    else:
        pass_turn(state)


@njit(cache=True)
def draw_phase(state):
    """Draw a card; from an empty deck only if the player decides to shuffle the discard."""
    seat = active_seat(state)
    if state.deck_size[seat] > 0:
        state.phase = DRAW
        await_card(state, seat)
    else:
        ask(state, RUN_OUT)


@njit(cache=True)
def allow_nothing(state):
    """The attack phase is over."""
    state.may_play_character = 0
    state.may_play_item = 0
    for slot in range(num_slots(state)):
        state.ready[active_seat(state), slot] = 0


@njit(cache=True)
def pass_turn(state):
    """The turn of the other player begins, unless the limit of turns is reached."""
    if state.turn_number >= state.max_turns:
        state.player = TRUNCATED
    else:
        start_turn(state, 1 - active_seat(state))


@njit(cache=True)
def reshuffle(state):
    """The discard becomes the deck, and a card of it is drawn."""
    seat = active_seat(state)
    for copy in range(copies(state, seat)):
        if state.place[seat, copy] == DISCARD:
            card = card_of(state, seat, copy)
            state.pile[seat, card] += 1
            move(state, seat, card, DISCARD, DECK)
    state.deck_size[seat] = state.discard_size[seat]
    state.discard_size[seat] = 0
    state.shuffles[seat] = min(SHUFFLES - 1, int(state.shuffles[seat]) + 1)
    state.phase = DRAW
    await_card(state, seat)


# Moves.


@njit(cache=True)
def first_holder(state):
    """The action that gives an item to the character in the first slot."""
    return num_cards(state)


@njit(cache=True)
def first_attacker(state):
    """The action that attacks with the first slot."""
    return num_cards(state) + num_slots(state)


@njit(cache=True)
def first_target(state):
    """The action that attacks the opponent's first slot."""
    return num_cards(state) + 2 * num_slots(state)


@njit(cache=True)
def num_actions(state):
    """How many actions there are."""
    return num_cards(state) + 3 * num_slots(state) + 3


@njit(cache=True)
def legal(state, mask):
    """What the phase allows."""
    seat = active_seat(state)
    if state.phase == ATTACK:
        mask[num_actions(state) + END_PHASE] = 1
        mask_hand(state, seat, mask)
        first = first_attacker(state)
        for slot in range(num_slots(state)):
            mask[first + slot] = state.ready[seat, slot]
    elif state.phase == HOLDER:
        mask_characters(state, seat, mask, first_holder(state))
    elif state.phase == TARGET:
        mask_characters(state, 1 - seat, mask, first_target(state))
    else:
        mask[num_actions(state) + RESHUFFLE] = 1
        mask[num_actions(state) + FORFEIT] = 1


@njit(cache=True)
def mask_hand(state, seat, mask):
    """A character and an item a turn; an item needs a character to hold it."""
    items = state.may_play_item and state.in_play[seat] > 0
    for copy in range(copies(state, seat)):
        if state.place[seat, copy] == HAND:
            card = card_of(state, seat, copy)
            mask[card] = items if is_item(state, card) else state.may_play_character


@njit(cache=True)
def mask_characters(state, seat, mask, first):
    """Every slot of a seat in which there is a character."""
    for slot in range(num_slots(state)):
        mask[first + slot] = state.character[seat, slot] != NOTHING


@njit(cache=True)
def apply(state, action):
    """One move, or one drawn card."""
    if state.player == CHANCE:
        draw(state, action)
    elif action < first_holder(state):
        play_card(state, action)
    elif action < first_attacker(state):
        equip(state, chosen(state), action - first_holder(state))
    elif action < first_target(state):
        declare_attack(state, action - first_attacker(state))
    elif action < num_actions(state) + END_PHASE:
        attack_character(state, chosen(state), action - first_target(state))
    elif action == num_actions(state) + END_PHASE:
        end_attack_phase(state)
    elif action == num_actions(state) + RESHUFFLE:
        reshuffle(state)
    else:
        win(state, 1 - active_seat(state))


@njit(cache=True)
def play_card(state, card):
    """A character comes into play; an item is given to one, by choice if there are several."""
    seat = active_seat(state)
    leave_hand(state, card)
    if not is_item(state, card):
        play_character(state, card)
    elif state.in_play[seat] > 1:
        state.chosen = card
        ask(state, HOLDER)
    else:
        equip(state, card, only_character(state, seat))


@njit(cache=True)
def leave_hand(state, card):
    """A card from the hand is shown to everybody."""
    seat = active_seat(state)
    move(state, seat, card, HAND, TABLE)
    state.hand_size[seat] -= 1
    if not state.open_decklists:
        rule_out_decks(state, seat, card)


@njit(cache=True)
def only_character(state, seat):
    """The first slot with a character in it."""
    slot = 0
    while state.character[seat, slot] == NOTHING:
        slot += 1
    return slot


@njit(cache=True)
def play_character(state, card):
    """It takes the first free slot and may attack from the next turn on."""
    seat = active_seat(state)
    slot = 0
    while state.character[seat, slot] != NOTHING:
        slot += 1
    state.character[seat, slot] = card
    state.slot_attack[seat, slot] = state.attack[card]
    state.slot_defense[seat, slot] = state.defense[card]
    state.in_play[seat] += 1
    state.may_play_character = 0
    move(state, seat, card, TABLE, FIRST_SLOT + slot)
    go_on(state)


@njit(cache=True)
def equip(state, item, slot):
    """A character holds one more item, which adds to its attack and defense."""
    seat = active_seat(state)
    state.slot_attack[seat, slot] += state.attack[item]
    state.slot_defense[seat, slot] += state.defense[item]
    state.may_play_item = 0
    move(state, seat, item, TABLE, FIRST_SLOT + slot)
    go_on(state)


# Attacks.


@njit(cache=True)
def declare_attack(state, slot):
    """An attack goes at a character, by choice if there are several, or with none at the player."""
    seat = active_seat(state)
    rival = 1 - seat
    state.ready[seat, slot] = 0
    if state.in_play[rival] == 0:
        damage(state, rival, np.int64(state.slot_attack[seat, slot]))
    elif state.in_play[rival] == 1:
        attack_character(state, slot, only_character(state, rival))
    else:
        state.chosen = slot
        ask(state, TARGET)


@njit(cache=True)
def attack_character(state, slot, target):
    """Compare attack and defense: the target is injured, marked or destroyed."""
    seat = active_seat(state)
    rival = 1 - seat
    if destroys(state, seat, slot, target):
        excess = excess_damage(state, seat, slot, target)
        discard_character(state, rival, target)
        damage(state, rival, excess)
    else:
        state.marks[rival, target] += 1
        go_on(state)


@njit(cache=True)
def destroys(state, seat, slot, target):
    """Whether an attack of ``seat``'s slot on the opponent's slot ``target`` destroys it.

    A legendary character falls with the third attack. Another one falls with the second, or with
    the first if the attack is greater than the defense.
    """
    rival = 1 - seat
    if state.legendary[state.character[rival, target]]:
        return state.marks[rival, target] == 2
    return state.marks[rival, target] == 1 or excess_damage(state, seat, slot, target) > 0


@njit(cache=True)
def excess_damage(state, seat, slot, target):
    """By how much the attack is greater than the defense; 0 if it is not."""
    return max(
        0, np.int64(state.slot_attack[seat, slot]) - np.int64(state.slot_defense[1 - seat, target])
    )


@njit(cache=True)
def discard_character(state, seat, slot):
    """A destroyed character and its items go to the discard of their player."""
    for copy in range(copies(state, seat)):
        if state.place[seat, copy] == FIRST_SLOT + slot:
            move(state, seat, card_of(state, seat, copy), FIRST_SLOT + slot, DISCARD)
            state.discard_size[seat] += 1
    state.character[seat, slot] = NOTHING
    state.slot_attack[seat, slot] = 0
    state.slot_defense[seat, slot] = 0
    state.marks[seat, slot] = 0
    state.in_play[seat] -= 1


@njit(cache=True)
def damage(state, seat, amount):
    """Health of 0 or less ends the game at once."""
    state.health[seat] -= amount
    if state.health[seat] <= 0:
        win(state, 1 - seat)
    else:
        go_on(state)


@njit(cache=True)
def win(state, seat):
    """The game is over."""
    state.winner = seat
    state.chosen = NOTHING
    state.player = TERMINAL


@njit(cache=True)
def returns(state, out):
    """+1 for the winner, -1 for the other; 0 for both if the game was cut off."""
    if state.winner != NOTHING:
        out[int(state.winner)] = 1
        out[1 - int(state.winner)] = -1


# What is known of hidden cards.


@njit(cache=True)
def copies_in(state, deck, card):
    """How many copies of a card a deck has."""
    count = 0
    for copy in range(state.deck_sizes[deck]):
        count += state.decks[deck, copy] == card
    return count


@njit(cache=True)
def copies_shown(state, seat, card):
    """How many copies of a card lie where everybody sees them: in play or in the discard."""
    count = 0
    for copy in range(copies(state, seat)):
        if card_of(state, seat, copy) == card and state.place[seat, copy] >= DISCARD:
            count += 1
    return count


@njit(cache=True)
def rule_out_decks(state, seat, card):
    """A seat has shown ``card``: it does not have a deck with too few of it, or with a hand too large."""
    shown = copies_shown(state, seat, card)
    for deck in range(num_decks(state)):
        if shown > copies_in(state, deck, card) or hand_needed(state, seat, deck) > int(
            state.hand_size[seat]
        ):
            state.possible[seat, deck] = 0


@njit(cache=True)
def hand_needed(state, seat, deck):
    """How many cards must be in a seat's hand, if it plays ``deck``, because they are not from the pile."""
    if is_first_pile(state, seat):
        return 0
    needed = 0
    for card in range(num_cards(state)):
        hidden = copies_in(state, deck, card) - copies_shown(state, seat, card)
        needed += max(0, hidden - int(state.pile[seat, card]))
    return needed


@njit(cache=True)
def is_first_pile(state, seat):
    """Whether a seat still draws from its deck as it was shuffled at the start."""
    return state.shuffles[seat] == 0 and state.deck_size[seat] > 0


@njit(cache=True)
def resample(state, seat, seed):
    """The other player's hand is drawn anew, with closed decklists from a deck that it may have."""
    state.seed = random_word(seed, 0, 0)
    rival = 1 - seat
    if not state.open_decklists:
        number = 0
        for deck in range(num_decks(state)):
            number += state.possible[rival, deck]
        left = below(random_word(seed, 0, 1), number)
        deck = 0
        while left > 0 or not state.possible[rival, deck]:
            left -= state.possible[rival, deck]
            deck += 1
        exchange_deck(state, rival, deck)
    redraw_hand(state, rival, seed)


@njit(cache=True)
def exchange_deck(state, seat, deck):
    """Let a seat have another deck, of which the same cards have been shown."""
    shown = state.place[seat].copy()
    old = np.int64(state.deck[seat])
    if is_first_pile(state, seat):
        for card in range(num_cards(state)):
            state.pile[seat, card] = copies_in(state, deck, card)
    state.deck[seat] = deck
    for copy in range(copies(state, seat)):
        state.place[seat, copy] = DECK
    for copy in range(state.deck_sizes[old] - 1, -1, -1):
        if shown[copy] >= DISCARD:
            # The copies are sorted by card and place: the last free one of this card takes it.
            free = copies(state, seat) - 1
            while (
                card_of(state, seat, free) != state.decks[old, copy]
                or state.place[seat, free] != DECK
            ):
                free -= 1
            state.place[seat, free] = shown[copy]


@njit(cache=True)
def redraw_hand(state, seat, seed):
    """What must be in the hand stays there; the rest of it is drawn from the other hidden cards."""
    hand_left = int(state.hand_size[seat])
    hidden_left = hand_left + int(state.deck_size[seat])
    for card in range(num_cards(state)):
        known = known_in_hand(state, seat, card)
        hand_left -= known
        hidden_left -= known
    copy = 0
    while copy < copies(state, seat):
        card = card_of(state, seat, copy)
        hidden = hidden_copies(state, seat, card)
        in_hand = known_in_hand(state, seat, card)
        for _ in range(hidden - in_hand):
            if below(random_word(seed, 1, hidden_left), hidden_left) < hand_left:
                in_hand += 1
                hand_left -= 1
            hidden_left -= 1
        for number in range(hidden):
            state.place[seat, copy + number] = DECK if number < hidden - in_hand else HAND
        while copy < copies(state, seat) and card_of(state, seat, copy) == card:
            copy += 1


@njit(cache=True)
def hidden_copies(state, seat, card):
    """How many copies of a card a seat has in deck and hand."""
    count = 0
    for copy in range(copies(state, seat)):
        if card_of(state, seat, copy) == card and state.place[seat, copy] < DISCARD:
            count += 1
    return count


@njit(cache=True)
def known_in_hand(state, seat, card):
    """How many copies of a card must be in a seat's hand: the hidden ones that the pile had not."""
    return max(0, hidden_copies(state, seat, card) - int(state.pile[seat, card]))


@njit(cache=True)
def seen(state, action, seat):
    """Everybody sees everything but which card somebody else draws, which shows as 1."""
    if state.player == CHANCE and int(state.source) % 2 != seat:
        return 1
    return 2 + action


# Observation.


@njit(cache=True)
def observe(state, seat, out):
    """Cards by number, both sides slot by slot, items by copy, and what the turn allows."""
    at = observe_cards(state, seat, out)
    for number in range(2):
        side = seat if number == 0 else 1 - seat
        at = observe_slots(state, side, out, at)
        at = observe_items(state, side, out, at)
    at = observe_attack(state, out, at)
    observe_turn(state, seat, out, at)


@njit(cache=True)
def observe_cards(state, seat, out):
    """Where the copies of each card are; returns the next free entry."""
    cards = num_cards(state)
    hand, deck, discard, rival_discard, rival_hidden = 0, cards, 2 * cards, 3 * cards, 4 * cards
    own, rival = np.int64(state.deck[seat]), np.int64(state.deck[1 - seat])
    for copy in range(state.deck_sizes[own]):
        card, place = np.int64(state.decks[own, copy]), state.place[seat, copy]
        out[hand + card] += place == HAND
        out[deck + card] += place == DECK
        out[discard + card] += place == DISCARD
    for copy in range(state.deck_sizes[rival]):
        card, place = np.int64(state.decks[rival, copy]), state.place[1 - seat, copy]
        out[rival_discard + card] += place == DISCARD
        out[rival_hidden + card] += place < DISCARD and state.open_decklists
    if state.open_decklists:
        at = observe_known_hands(state, seat, out, hand, deck, rival_hidden)
    else:
        at = observe_shuffled(state, seat, out, rival_hidden)
    for card in range(cards):
        if state.attack[card] > 0:
            out[at] = state.attack[card] * (out[hand + card] > 0)
            at += 1
    for card in range(cards):
        if state.defense[card] > 0:
            out[at] = state.defense[card] * (out[hand + card] > 0)
            at += 1
    return at


@njit(cache=True)
def observe_known_hands(state, seat, out, hand, deck, rival_hidden):
    """Open decklists: which cards of both hands the other player knows by counting."""
    cards = num_cards(state)
    rival_known, own_known = rival_hidden + cards, rival_hidden + 2 * cards
    for card in range(cards):
        known = max(0, int(out[rival_hidden + card]) - int(state.pile[1 - seat, card]))
        out[rival_known + card] = known
        out[rival_hidden + card] -= known
        hidden = int(out[hand + card]) + int(out[deck + card])
        out[own_known + card] = max(0, hidden - int(state.pile[seat, card]))
    return own_known + cards


@njit(cache=True)
def observe_shuffled(state, seat, out, at):
    """Closed decklists: what decks were last shuffled from, and which decks are possible."""
    for number in range(2):
        side = 1 - seat if number == 0 else seat
        if state.shuffles[side] > 0:
            for card in range(num_cards(state)):
                out[at + card] = state.pile[side, card]
        at += num_cards(state)
    for number in range(2):
        side = 1 - seat if number == 0 else seat
        for deck in range(num_decks(state)):
            out[at + deck] = state.possible[side, deck]
        at += num_decks(state)
    return at


@njit(cache=True)
def observe_slots(state, side, out, at):
    """The characters of one side; returns the next free entry."""
    slots = num_slots(state)
    for slot in range(slots):
        card = int(state.character[side, slot])
        if card != NOTHING:
            out[at + slot] = 1 + card
            out[at + slots + slot] = state.slot_attack[side, slot]
            out[at + 2 * slots + slot] = state.slot_defense[side, slot]
            out[at + 3 * slots + slot] = state.legendary[card]
            out[at + 4 * slots + slot] = state.marks[side, slot]
            out[at + 5 * slots + slot] = state.ready[side, slot]
            out[at + 6 * slots + slot] = number_destroyed(state, side, slot)
    return at + 7 * slots


@njit(cache=True)
def number_destroyed(state, side, slot):
    """How many of the opponent's characters an attack of this one would destroy."""
    count = 0
    for target in range(num_slots(state)):
        if state.character[1 - side, target] != NOTHING:
            count += destroys(state, side, slot, target)
    return count


@njit(cache=True)
def observe_items(state, side, out, at):
    """The slot of every item that a side has in play; returns the next free entry."""
    previous, number = NOTHING, 0
    for copy in range(copies(state, side)):
        card, place = card_of(state, side, copy), int(state.place[side, copy])
        if is_item(state, card) and place >= FIRST_SLOT:
            number = number + 1 if card == previous else 0
            previous = card
            out[at + int(state.holder_entry[card]) + number] = 1 + place - FIRST_SLOT
    return at + int(state.num_holder_entries)


@njit(cache=True)
def observe_attack(state, out, at):
    """What waits for a choice: an item for its holder, or an attacker and what it would do."""
    characters, slots = int(state.num_characters), num_slots(state)
    items = num_cards(state) - characters
    if state.phase == HOLDER:
        out[at + chosen(state) - characters] = 1
    elif state.phase == TARGET and state.chosen != NOTHING:
        seat, slot = active_seat(state), chosen(state)
        at += items
        out[at + slot] = 1
        for target in range(slots):
            if state.character[1 - seat, target] != NOTHING and destroys(state, seat, slot, target):
                out[at + slots + target] = 1
                out[at + 2 * slots + target] = excess_damage(state, seat, slot, target)
        at -= items
    return at + items + 3 * slots


@njit(cache=True)
def observe_turn(state, seat, out, at):
    """Health, counts, and what this turn still allows."""
    for number in range(2):
        side = seat if number == 0 else 1 - seat
        out[at + number] = max(0, int(state.health[side]))
        out[at + 2 + number] = state.hand_size[side]
        out[at + 4 + number] = state.deck_size[side]
    out[at + 6] = state.turn_number
    out[at + 7] = state.turn == seat
    out[at + 8] = state.may_play_character
    out[at + 9] = state.may_play_item
    if state.player >= 0:
        decision = int(state.phase) - ATTACK if state.phase < DRAW else 3
        out[at + 10 + decision] = 1
