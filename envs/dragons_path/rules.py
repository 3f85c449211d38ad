"""The rules of Dragon's Path, basic and advanced, in the order of the rule sheet.

Path cards of one element are alike, and a deck is a multiset until something is drawn from it, so
all places are counts by element. A card stays its owner's wherever it lies.

What is pending is a stack of steps, and the topmost happens next. A card, a response or a spell is
a short function that lays down the steps that it consists of, the last one first; ``proceed``
works them off until somebody has a choice. A question is put whenever there is something to choose
from, by what is public, even if there is only one answer.
"""

from __future__ import annotations

import numpy as np
from numba import njit

from ..core.randomness import pick_weighted, random_word
from ..core.records import CHANCE, TERMINAL, state_fields

FIRE, WATER, EARTH, WIND, THUNDER = 0, 1, 2, 3, 4
NUM_ELEMENTS = 5

# Effects that can be declared, and the element of each.
FIRE_A, FIRE_B, WATER_A, WATER_B, EARTH_A, EARTH_B, WIND_A, THUNDER_A = 0, 1, 2, 3, 4, 5, 6, 7
NUM_EFFECTS = 8
ELEMENT = np.array([FIRE, FIRE, WATER, WATER, EARTH, EARTH, WIND, THUNDER])

TITANS_EMBERFORGE, CINDERSTORM_PROPHECY, SCALDING_DELUGE, MOLTEN_HELLSTRIKE = 0, 1, 2, 3
SKYSHARD_SHIFT, PRIMORDIAL_MAELSTROM, RUNEBOLT_INVOCATION, TEMPEST_OF_OMENS = 4, 5, 6, 7
STORMVEIL_REVERSAL, MINDSTORM_DOMINION = 8, 9
NUM_SPELLS = 10
COST = np.array(
    [
        [FIRE, EARTH],
        [FIRE, WIND],
        [FIRE, WATER],
        [FIRE, THUNDER],
        [EARTH, WIND],
        [EARTH, WATER],
        [EARTH, THUNDER],
        [WATER, WIND],
        [THUNDER, WIND],
        [WATER, THUNDER],
    ]
)

# Actions. From STOP on they belong to the advanced game. ``PLAY`` also says which effect a card
# has that is revealed or searched for; ``CARD`` is a card of the player it lies before, ``FOREIGN``
# one of the other player.
PLAY, WIND_REACTION, THUNDER_REACTION, ACTIVE_PLAYER, OTHER_PLAYER = 0, 8, 9, 10, 11
CARD, PASS, REFUSE = 12, 17, 18
STOP, GO_ON, CANCEL, FOREIGN, KEEP, CAST = 19, 20, 21, 22, 27, 37
NUM_BASIC_ACTIONS, NUM_ACTIONS = 19, 47

# Chance outcomes: an element, or from DEALT on a spell.
DEALT = 5

# Steps. First those in which chance draws a card ...
NO_STEP, DEAL, DRAW, PLAY_TOP, MILL, REVEAL = 0, 1, 2, 3, 4, 5
# ... then questions of the basic game and of the advanced one ...
MAIN, RESPOND, CHOOSE_PLAYER, REMOVE, SEARCH = 6, 7, 8, 9, 10
EXCHANGE, EXCHANGE_FOR, PLAY_ANOTHER, RETURN, DISCARD = 11, 12, 13, 14, 15
KEEP_SPELL, COUNTER, USE_REVEALED, REVEAL_AGAIN, REMOVE_UP_TO = 16, 17, 18, 19, 20
SWITCH, SWITCH_FOR, SHUFFLE_IN, SEARCH_AND_PLAY, DISCARD_SEEN = 21, 22, 23, 24, 25
# ... then what happens by itself.
RESOLVE_EFFECT, RESOLVE_SPELL, DISCARD_REVEALED, SHUFFLE, END_TURN = 26, 27, 28, 29, 30
MAX_STEPS = 8

# Where a spell is; those from DEALT_TO on plus a seat.
IN_THE_BOX, DEALT_TO, HELD_BY, USED_BY = 0, 1, 3, 5

# How a match ended.
FOUR_ALIKE, FIVE_DIFFERENT, DECK_OUT = 1, 2, 3

NO_CARD = NO_EFFECT = NO_SPELL = NOBODY = -1
MAX_MATCHES = 3

FIELDS = state_fields(
    sources=1 + 2 * MAX_MATCHES,  # the spells, and each player's deck in each match
    fields=[
        # Options.
        ("advanced", np.int8),
        ("copies", np.int8),
        ("opening_hand", np.int8),
        ("search_to_top", np.int8),
        ("replay_returned_earth", np.int8),
        ("alternate_first", np.int8),
        # Steps, the lowest first: what, whom it concerns, how often still.
        ("pending", np.int8, (MAX_STEPS,)),
        ("who", np.int8, (MAX_STEPS,)),
        ("left", np.int8, (MAX_STEPS,)),
        ("depth", np.int8),
        # The match.
        ("match", np.int8),  # from 0
        ("tokens", np.int8, (2,)),
        ("match_winner", np.int8, (MAX_MATCHES,)),
        ("match_ending", np.int8, (MAX_MATCHES,)),
        ("first", np.int8),  # seat that began this match
        ("turn", np.int8),  # seat whose turn it is
        ("turn_number", np.int8),  # of this match, from 1
        # Cards by element.
        ("hand", np.int8, (2, NUM_ELEMENTS)),
        ("deck", np.int8, (2, NUM_ELEMENTS)),
        ("discard", np.int8, (2, NUM_ELEMENTS)),
        ("path", np.int8, (2, 2, NUM_ELEMENTS)),  # before whom, and whose the card is
        ("revealed", np.int8),  # by Cinderstorm Prophecy, until it is discarded
        # What the opponent knows: so many cards of the hand at least; and of these cards at least
        # ``sure_in_deck`` are in the deck.
        ("known_in_hand", np.int8, (2, NUM_ELEMENTS)),
        ("known_in_deck", np.int8, (2, NUM_ELEMENTS)),
        ("sure_in_deck", np.int8, (2,)),
        # The top of the deck after a search, and whether the opponent knows it too.
        ("top", np.int8, (2,)),
        ("top_seen", np.int8, (2,)),
        # This turn.
        ("effect", np.int8),  # declared, and neither cancelled nor over
        ("returned", np.int8),  # 1 once Thunder returned the card that was played
        ("spell", np.int8),  # cast last, and not cancelled
        ("chosen_seat", np.int8),  # whose path and discard pile are exchanged
        ("chosen_card", np.int8),  # the first card of an exchange or switch, see ``path_card``
        ("controller", np.int8),  # caster of a Mindstorm, from then on to the end of the next turn
        # Spells.
        ("spell_place", np.int8, (NUM_SPELLS,)),
        ("kept", np.int8),  # by seat 0, while seat 1 has not chosen yet
    ],
)


# The course of a game.


@njit(cache=True)
def setup(state):
    """The first match lies ready; in the advanced game the spells come before it."""
    state.match_winner[:] = NOBODY
    state.kept = NO_SPELL
    begin_match(state, 0)
    if state.advanced:
        for seat in (1, 0):
            push(state, KEEP_SPELL, seat, 1)
        for seat in (1, 0):
            push(state, DEAL, seat, 2)
    proceed(state)


@njit(cache=True)
def apply(state, action):
    """One answer or one card from chance, and all that follows by itself."""
    step, seat = step_now(state), seat_now(state)
    if step >= MAIN and action == STOP:
        drop(state)
    else:
        count_down(state)
        if step < MAIN:
            turn_up(state, step, seat, action)
        else:
            answer(state, step, seat, action)
    proceed(state)


@njit(cache=True)
def proceed(state):
    """Work off steps until somebody has to choose, chance draws a card, or the game is over."""
    while True:
        step, seat = step_now(state), seat_now(state)
        if step == DRAW and total(state.deck[seat]) == 0:
            end_match(state, 1 - seat, DECK_OUT)
        elif not can_happen(state, step, seat):
            drop(state)
        elif step >= RESOLVE_EFFECT:
            drop(state)
            happen(state, step, seat)
        elif step >= MAIN:
            state.player = decider(state, seat)
            return
        else:
            state.player = CHANCE
            state.source = 0 if step == DEAL else 1 + 2 * int(state.match) + seat
            return
        if state.player == TERMINAL:
            return


@njit(cache=True)
def can_happen(state, step, seat):
    """Whether there is anything to turn up or to choose from, which everybody can tell."""
    if step in (RESPOND, DISCARD):
        return total(state.hand[seat]) >= 1
    if step == PLAY_ANOTHER:
        return total(state.hand[seat]) > returned_earths(state)
    if step == RETURN:
        return total(state.discard[seat]) >= 1
    if step in (REMOVE, REMOVE_UP_TO, SHUFFLE_IN):
        return path_size(state, 1 - seat) >= 1
    if step == EXCHANGE:
        chosen = int(state.chosen_seat)
        return path_size(state, chosen) >= 1 and total(state.discard[chosen]) >= 1
    if step == SWITCH:
        return path_size(state, 0) >= 1 and path_size(state, 1) >= 1
    if step == COUNTER:
        return total(state.hand[seat]) >= 2
    if step == DISCARD_SEEN:
        return total(state.hand[1 - seat]) >= 1
    if step in (SEARCH, SEARCH_AND_PLAY, REVEAL_AGAIN):
        return total(state.deck[seat]) >= 1
    if PLAY_TOP <= step <= REVEAL:
        return total(state.deck[seat]) >= 1
    return True


@njit(cache=True)
def happen(state, step, seat):
    """What needs neither a choice nor chance."""
    if step == END_TURN:
        end_turn(state, seat)
    elif step == RESOLVE_EFFECT:
        resolve_effect(state, seat)
    elif step == RESOLVE_SPELL:
        resolve_spell(state, seat)
    elif step == DISCARD_REVEALED:
        discard_revealed(state, seat)
    else:
        shuffle(state, seat)


@njit(cache=True)
def turn_up(state, step, seat, outcome):
    """Chance has dealt a spell, or turned up the top card of a deck."""
    if step == DRAW:
        draw_card(state, seat, outcome)
    elif step == DEAL:
        state.spell_place[outcome - DEALT] = DEALT_TO + seat
    else:
        leave_deck(state, seat, outcome, True)
        if step == PLAY_TOP:
            state.path[seat, seat, outcome] += 1
        elif step == MILL:
            state.discard[seat, outcome] += 1
        else:
            state.revealed = outcome
            push(state, DISCARD_REVEALED, seat, 1)
            push(state, USE_REVEALED, seat, 1)


@njit(cache=True)
def answer(state, step, seat, action):
    """A question that was put to ``seat`` has been answered."""
    if step == MAIN:
        take_main_action(state, seat, action)
    elif step == RESPOND:
        respond(state, seat, action)
    elif step == DISCARD:
        discard_card(state, seat, action - CARD)
    elif step == CHOOSE_PLAYER:
        choose_player(state, seat if action == ACTIVE_PLAYER else 1 - seat)
    elif step in (REMOVE, REMOVE_UP_TO):
        remove(state, 1 - seat, path_card(action))
    elif step == SEARCH:
        search(state, seat, action - CARD)
    elif step in (EXCHANGE, SWITCH):
        state.chosen_card = path_card(action)
        push(state, EXCHANGE_FOR if step == EXCHANGE else SWITCH_FOR, seat, 1)
    elif step == EXCHANGE_FOR:
        exchange(state, action - CARD)
    elif step == PLAY_ANOTHER:
        play_another(state, seat, action - CARD)
    elif step == RETURN:
        return_card(state, seat, action - CARD)
    else:
        answer_about_spells(state, step, seat, action)


@njit(cache=True)
def answer_about_spells(state, step, seat, action):
    """The same for the questions of the advanced game."""
    if step == KEEP_SPELL:
        keep_spell(state, seat, action - KEEP)
    elif step == COUNTER:
        counter(state, seat, action)
    elif step == USE_REVEALED:
        state.effect = action - PLAY
        resolve_effect(state, seat)
    elif step == REVEAL_AGAIN:
        push(state, REVEAL, seat, 1)
    elif step == SWITCH_FOR:
        switch(state, seat, path_card(action))
    elif step == SHUFFLE_IN:
        shuffle_in(state, 1 - seat, path_card(action))
    elif step == SEARCH_AND_PLAY:
        search_and_play(state, seat, action - PLAY)
    else:
        discard_card(state, 1 - seat, action - CARD)


# Matches and turns.


@njit(cache=True)
def begin_match(state, first):
    """Fresh decks and hands; a pending Mindstorm is lost."""
    state.first = first
    state.turn_number = 0
    state.deck[:] = state.copies
    state.hand[:] = 0
    state.discard[:] = 0
    state.path[:] = 0
    state.known_in_hand[:] = 0
    state.known_in_deck[:] = 0
    state.sure_in_deck[:] = 0
    state.top[:] = NO_CARD
    state.top_seen[:] = 0
    state.revealed = NO_CARD
    state.controller = NOBODY
    clear_steps(state)
    begin_turn(state, first)
    for seat in (1, 0):
        push(state, DRAW, seat, int(state.opening_hand))


@njit(cache=True)
def begin_turn(state, seat):
    """Draw, but not in the first turn of a match; play; check for victory."""
    state.turn = seat
    state.turn_number += 1
    state.effect = NO_EFFECT
    state.returned = 0
    state.spell = NO_SPELL
    state.chosen_seat = NOBODY
    state.chosen_card = NO_CARD
    push(state, END_TURN, seat, 1)
    push(state, MAIN, seat, 1)
    if state.turn_number > 1:
        push(state, DRAW, seat, 1)


@njit(cache=True)
def take_main_action(state, seat, action):
    """Play a path card and declare its effect, or cast a spell, or pass."""
    if action >= CAST:
        cast(state, seat, action - CAST)
    elif action != PASS:
        effect = action - PLAY
        leave_hand(state, seat, ELEMENT[effect])
        state.path[seat, seat, ELEMENT[effect]] += 1
        state.effect = effect
        push(state, RESOLVE_EFFECT, seat, 1)
        push(state, RESPOND, 1 - seat, 1)


@njit(cache=True)
def end_turn(state, seat):
    """Victory counts only here: on the player's own path, at the end of the player's own turn."""
    ending = victory(state, seat)
    if ending:
        end_match(state, seat, ending)
        return
    if state.controller != seat:
        state.controller = NOBODY
    begin_turn(state, 1 - seat)


@njit(cache=True)
def victory(state, seat):
    """How the path of a seat wins: ``FOUR_ALIKE``, ``FIVE_DIFFERENT``, or 0 if it does not."""
    if most_alike(state, seat) >= 4:
        return FOUR_ALIKE
    return FIVE_DIFFERENT if num_different(state, seat) == NUM_ELEMENTS else 0


@njit(cache=True)
def end_match(state, winner, ending):
    """The winner takes a token: one wins the basic game, two the advanced one. Else another match."""
    state.match_winner[state.match] = winner
    state.match_ending[state.match] = ending
    state.tokens[winner] += 1
    if state.tokens[winner] > state.advanced:
        state.player = TERMINAL
        clear_steps(state)
        return
    state.match += 1
    begin_match(state, int(state.match) % 2 if state.alternate_first else 1 - winner)


@njit(cache=True)
def returns(state, out):
    """+1 for the winner of the game, -1 for the other."""
    winner = 0 if state.tokens[0] > state.tokens[1] else 1
    out[winner] = 1
    out[1 - winner] = -1


# Responses.


@njit(cache=True)
def respond(state, seat, action):
    """To a path card: Wind, Thunder, Stormveil Reversal, or nothing."""
    if action == WIND_REACTION:
        discard_card(state, seat, WIND)
        state.effect = NO_EFFECT
    elif action == THUNDER_REACTION:
        discard_card(state, seat, THUNDER)
        return_played_card(state, 1 - seat)
    elif action != REFUSE:
        cast(state, seat, action - CAST)


@njit(cache=True)
def return_played_card(state, seat):
    """Thunder: the card goes back to the hand, and its effect still resolves."""
    element = ELEMENT[int(state.effect)]
    state.path[seat, seat, element] -= 1
    enter_hand(state, seat, element, True)
    state.returned = 1


@njit(cache=True)
def counter(state, seat, action):
    """To a spell: the same two elements, so that nothing of it resolves; or nothing."""
    if action == CANCEL:
        pay(state, seat, int(state.spell))
        state.spell = NO_SPELL


# The elements. A target is chosen only now, after the response.


@njit(cache=True)
def resolve_effect(state, seat):
    """The declared effect, unless it was cancelled."""
    effect = int(state.effect)
    if effect == FIRE_A:
        push(state, REMOVE, seat, 1)
    elif effect == FIRE_B:
        push(state, SEARCH, seat, 1)
    elif effect == EARTH_A:
        push(state, PLAY_ANOTHER, seat, 1)
    elif effect == EARTH_B:
        push(state, RETURN, seat, 1)
    elif effect == WIND_A:
        push(state, DISCARD, 1 - seat, 1)
    elif effect != NO_EFFECT:
        push(state, CHOOSE_PLAYER, seat, 1)


@njit(cache=True)
def choose_player(state, chosen):
    """Water A: draws 3, then discards 3. Water B: path and discard pile. Thunder A: draws 1."""
    if state.effect == WATER_A:
        push(state, DISCARD, chosen, 3)
        push(state, DRAW, chosen, 3)
    elif state.effect == WATER_B:
        state.chosen_seat = chosen
        push(state, EXCHANGE, int(state.turn), 1)
    else:
        push(state, DRAW, chosen, 1)


@njit(cache=True)
def remove(state, holder, card):
    """Fire A: a card of the opponent's path goes to its owner's discard pile."""
    owner = take_from_path(state, holder, card)
    state.discard[owner, card % NUM_ELEMENTS] += 1


@njit(cache=True)
def search(state, seat, element):
    """Fire B: a card of the own deck goes to the hand, or by an option on top, after a shuffle."""
    controlled = is_controlled(state, seat)
    if state.search_to_top:
        shuffle(state, seat)
        state.top[seat] = element
        state.top_seen[seat] = controlled
        return
    leave_deck(state, seat, element, controlled)
    enter_hand(state, seat, element, controlled)


@njit(cache=True)
def exchange(state, element):
    """Water B: the card chosen in a path for one of the discard pile of the player of that path."""
    seat, card = int(state.chosen_seat), int(state.chosen_card)
    state.discard[seat, element] -= 1
    remove(state, seat, card)
    state.path[seat, seat, element] += 1
    state.chosen_card = NO_CARD


@njit(cache=True)
def returned_earths(state):
    """1 if Thunder returned an Earth that is then not "another" card for its own effect."""
    if state.effect == EARTH_A and state.returned and not state.replay_returned_earth:
        return 1
    return 0


@njit(cache=True)
def play_another(state, seat, element):
    """Earth A: another card from the hand, without effect and without response."""
    aside = returned_earths(state) if element == EARTH else 0
    state.known_in_hand[seat, element] -= aside  # The returned one stays in hand, for all to know.
    leave_hand(state, seat, element)
    state.known_in_hand[seat, element] += aside
    state.path[seat, seat, element] += 1


@njit(cache=True)
def return_card(state, seat, element):
    """Earth B: from the own discard pile to the hand."""
    state.discard[seat, element] -= 1
    enter_hand(state, seat, element, True)


# The spells.


@njit(cache=True)
def keep_spell(state, seat, spell):
    """Each player keeps one of the two spells dealt and gives the other away, both at once."""
    if seat == 0:
        state.kept = spell
        return
    for other in range(NUM_SPELLS):
        if state.spell_place[other] == DEALT_TO:
            state.spell_place[other] = HELD_BY + (other != state.kept)
        elif state.spell_place[other] == DEALT_TO + 1:
            state.spell_place[other] = HELD_BY + (other == spell)
    state.kept = NO_SPELL


@njit(cache=True)
def can_pay(state, seat, spell):
    """Whether a hand holds the two elements of a spell."""
    return state.hand[seat, COST[spell, 0]] > 0 and state.hand[seat, COST[spell, 1]] > 0


@njit(cache=True)
def can_cast(state, seat, spell):
    """Whether a seat has a spell, unused, and the elements for it."""
    return state.spell_place[spell] == HELD_BY + seat and can_pay(state, seat, spell)


@njit(cache=True)
def pay(state, seat, spell):
    """The two elements of a spell are discarded from the hand."""
    discard_card(state, seat, COST[spell, 0])
    discard_card(state, seat, COST[spell, 1])


@njit(cache=True)
def cast(state, seat, spell):
    """The cost is paid and the spell is used up, whether it is cancelled or not."""
    pay(state, seat, spell)
    state.spell_place[spell] = USED_BY + seat
    state.spell = spell
    push(state, RESOLVE_SPELL, seat, 1)
    push(state, COUNTER, 1 - seat, 1)


@njit(cache=True)
def resolve_spell(state, seat):
    """The spell that was cast, unless it was cancelled."""
    spell = int(state.spell)
    if spell == TITANS_EMBERFORGE:
        titans_emberforge(state, seat)
    elif spell == CINDERSTORM_PROPHECY:
        cinderstorm_prophecy(state, seat)
    elif spell == SCALDING_DELUGE:
        scalding_deluge(state, seat)
    elif spell == MOLTEN_HELLSTRIKE:
        molten_hellstrike(state, seat)
    elif spell == SKYSHARD_SHIFT:
        skyshard_shift(state, seat)
    elif spell == PRIMORDIAL_MAELSTROM:
        primordial_maelstrom(state, seat)
    elif spell == RUNEBOLT_INVOCATION:
        runebolt_invocation(state, seat)
    elif spell == TEMPEST_OF_OMENS:
        tempest_of_omens(state, seat)
    elif spell == STORMVEIL_REVERSAL:
        stormveil_reversal(state, seat)
    elif spell == MINDSTORM_DOMINION:
        mindstorm_dominion(state, seat)


@njit(cache=True)
def titans_emberforge(state, seat):
    """Fire and Earth: play the top two cards of the own deck without effects."""
    push(state, PLAY_TOP, seat, 2)


@njit(cache=True)
def cinderstorm_prophecy(state, seat):
    """Fire and Wind: reveal the top card of the own deck, apply an effect of it, discard it.

    Up to three times in all. The revealed card lies nowhere until its effect is done.
    """
    push(state, REVEAL_AGAIN, seat, 2)
    push(state, REVEAL, seat, 1)


@njit(cache=True)
def discard_revealed(state, seat):
    """Cinderstorm: the effect of the revealed card is done."""
    state.discard[seat, state.revealed] += 1
    state.revealed = NO_CARD
    state.effect = NO_EFFECT


@njit(cache=True)
def scalding_deluge(state, seat):
    """Fire and Water: the opponent puts the top 9 cards of the deck into the discard pile."""
    push(state, MILL, 1 - seat, 9)


@njit(cache=True)
def molten_hellstrike(state, seat):
    """Fire and Thunder: remove up to 3 of the opponent's path, then the opponent's top is played."""
    push(state, PLAY_TOP, 1 - seat, 1)
    push(state, REMOVE_UP_TO, seat, 3)


@njit(cache=True)
def skyshard_shift(state, seat):
    """Earth and Wind: switch a card of the own path with one of the opponent's, then draw 2."""
    push(state, DRAW, seat, 2)
    push(state, SWITCH, seat, 1)


@njit(cache=True)
def switch(state, seat, rivals_card):
    """Skyshard: both cards change paths, and stay their owners'."""
    own_card = int(state.chosen_card)
    own_owner = take_from_path(state, seat, own_card)
    rivals_owner = take_from_path(state, 1 - seat, rivals_card)
    state.path[1 - seat, own_owner, own_card % NUM_ELEMENTS] += 1
    state.path[seat, rivals_owner, rivals_card % NUM_ELEMENTS] += 1
    state.chosen_card = NO_CARD


@njit(cache=True)
def primordial_maelstrom(state, seat):
    """Earth and Water: shuffle up to 2 cards of the opponent's path into their owner's deck."""
    push(state, SHUFFLE_IN, seat, 2)


@njit(cache=True)
def shuffle_in(state, holder, card):
    """Maelstrom: everybody knows that the card is in the deck until cards have left it unseen."""
    owner = take_from_path(state, holder, card)
    shuffle(state, owner)
    state.deck[owner, card % NUM_ELEMENTS] += 1
    learn_in_deck(state, owner, card % NUM_ELEMENTS)


@njit(cache=True)
def runebolt_invocation(state, seat):
    """Earth and Thunder: search the own deck for a card, play it with an effect, then shuffle."""
    push(state, SHUFFLE, seat, 1)
    push(state, SEARCH_AND_PLAY, seat, 1)


@njit(cache=True)
def search_and_play(state, seat, effect):
    """Runebolt: the card goes to the path, and nobody may respond."""
    leave_deck(state, seat, ELEMENT[effect], True)
    state.path[seat, seat, ELEMENT[effect]] += 1
    state.effect = effect
    resolve_effect(state, seat)


@njit(cache=True)
def tempest_of_omens(state, seat):
    """Water and Wind: the opponent reveals the hand and discards up to two cards of the caster's choice."""
    show_hand(state, 1 - seat)
    push(state, DISCARD_SEEN, seat, 2)


@njit(cache=True)
def stormveil_reversal(state, seat):
    """Thunder and Wind, as a response: cancel the effect, remove the card played, then draw 1."""
    remove(state, 1 - seat, ELEMENT[int(state.effect)])
    state.effect = NO_EFFECT
    push(state, DRAW, seat, 1)


@njit(cache=True)
def mindstorm_dominion(state, seat):
    """Water and Thunder: the caster makes the opponent's choices in the opponent's next turn."""
    state.controller = seat


# What is legal, and what chance may bring.


@njit(cache=True)
def legal(state, mask):
    """The answers to the question that is put."""
    step, seat = step_now(state), seat_now(state)
    if step == MAIN:
        mask[PASS] = 1
        offer_effects(mask, state.hand[seat])
        if state.advanced and not is_controlled(state, seat):
            for spell in range(NUM_SPELLS):
                if spell != STORMVEIL_REVERSAL and can_cast(state, seat, spell):
                    mask[CAST + spell] = 1
    elif step == RESPOND:
        mask[REFUSE] = 1
        mask[WIND_REACTION] = state.hand[seat, WIND] > 0
        mask[THUNDER_REACTION] = state.hand[seat, THUNDER] > 0
        if can_cast(state, seat, STORMVEIL_REVERSAL):
            mask[CAST + STORMVEIL_REVERSAL] = 1
    elif step == DISCARD:
        offer_cards(mask, state.hand[seat])
    elif step == CHOOSE_PLAYER:
        mask[ACTIVE_PLAYER] = 1
        mask[OTHER_PLAYER] = 1
    elif step == REMOVE:
        offer_path(state, mask, 1 - seat)
    elif step == SEARCH:
        offer_cards(mask, state.deck[seat])
    elif step == EXCHANGE:
        offer_path(state, mask, int(state.chosen_seat))
    elif step == EXCHANGE_FOR:
        offer_cards(mask, state.discard[int(state.chosen_seat)])
    elif step == PLAY_ANOTHER:
        offer_cards(mask, state.hand[seat])
        mask[CARD + EARTH] = state.hand[seat, EARTH] > returned_earths(state)
    elif step == RETURN:
        offer_cards(mask, state.discard[seat])
    else:
        legal_about_spells(state, step, seat, mask)


@njit(cache=True)
def legal_about_spells(state, step, seat, mask):
    """The same for the questions of the advanced game."""
    if step == KEEP_SPELL:
        for spell in range(NUM_SPELLS):
            mask[KEEP + spell] = state.spell_place[spell] == DEALT_TO + seat
    elif step == COUNTER:
        mask[REFUSE] = 1
        mask[CANCEL] = can_pay(state, seat, int(state.spell))
    elif step == USE_REVEALED:
        for effect in range(NUM_EFFECTS):
            mask[PLAY + effect] = ELEMENT[effect] == state.revealed
    elif step == SEARCH_AND_PLAY:
        offer_effects(mask, state.deck[seat])
    elif step == SWITCH:
        offer_path(state, mask, seat)
    elif step == SWITCH_FOR:
        offer_path(state, mask, 1 - seat)
    else:
        mask[STOP] = 1
        if step == REVEAL_AGAIN:
            mask[GO_ON] = 1
        elif step == DISCARD_SEEN:
            offer_cards(mask, state.hand[1 - seat])
        else:
            offer_path(state, mask, 1 - seat)


@njit(cache=True)
def offer_cards(mask, cards):
    """Any card of a place, from its counts int8 ``[5]``."""
    for element in range(NUM_ELEMENTS):
        mask[CARD + element] = cards[element] > 0


@njit(cache=True)
def offer_effects(mask, cards):
    """Any effect of any card of a place."""
    for effect in range(NUM_EFFECTS):
        mask[PLAY + effect] = cards[ELEMENT[effect]] > 0


@njit(cache=True)
def offer_path(state, mask, holder):
    """Any card of a path, those of its player and those of the other one."""
    offer_cards(mask, state.path[holder, holder])
    if state.advanced:
        for element in range(NUM_ELEMENTS):
            mask[FOREIGN + element] = state.path[holder, 1 - holder, element] > 0


@njit(cache=True)
def chance(state, weights):
    """Each spell in the box, or each card of the deck unless its top is known."""
    step, seat = step_now(state), seat_now(state)
    count = 0
    if step == DEAL:
        for spell in range(NUM_SPELLS):
            weights[DEALT + spell] = state.spell_place[spell] == IN_THE_BOX
            count += weights[DEALT + spell]
        return count
    if state.top[seat] != NO_CARD:
        weights[state.top[seat]] = 1
        return 1
    for element in range(NUM_ELEMENTS):
        weights[element] = state.deck[seat, element]
        count += weights[element]
    return count


# Steps.


@njit(cache=True)
def push(state, step, seat, times):
    """Before everything that is still to be done, do ``step`` with a seat, ``times`` times."""
    at = int(state.depth)
    state.pending[at] = step
    state.who[at] = seat
    state.left[at] = times
    state.depth = at + 1


@njit(cache=True)
def drop(state):
    """The topmost step is done with."""
    at = int(state.depth) - 1
    state.pending[at] = NO_STEP
    state.who[at] = 0
    state.left[at] = 0
    state.depth = at


@njit(cache=True)
def clear_steps(state):
    """Nothing is pending any more."""
    while state.depth > 0:
        drop(state)


@njit(cache=True)
def count_down(state):
    """The topmost step happens now, once."""
    at = int(state.depth) - 1
    state.left[at] -= 1
    if state.left[at] == 0:
        drop(state)


@njit(cache=True)
def step_now(state):
    """The topmost step; ``NO_STEP`` when the game is over."""
    return int(state.pending[int(state.depth) - 1]) if state.depth > 0 else NO_STEP


@njit(cache=True)
def seat_now(state):
    """The seat that the topmost step concerns: its question, its deck."""
    return int(state.who[int(state.depth) - 1]) if state.depth > 0 else NOBODY


@njit(cache=True)
def left_now(state):
    """How often the topmost step still happens, at most."""
    return int(state.left[int(state.depth) - 1]) if state.depth > 0 else 0


# Counting.


@njit(cache=True)
def total(cards):
    """How many cards a place holds, from its counts int8 ``[5]``."""
    count = 0
    for element in range(NUM_ELEMENTS):
        count += int(cards[element])
    return count


@njit(cache=True)
def in_path(state, holder, element):
    """How many cards of an element lie in a path, whoever owns them."""
    return int(state.path[holder, 0, element]) + int(state.path[holder, 1, element])


@njit(cache=True)
def path_size(state, holder):
    """How many cards lie in a path."""
    return total(state.path[holder, 0]) + total(state.path[holder, 1])


@njit(cache=True)
def most_alike(state, holder):
    """How many cards of one element a path has at most."""
    most = 0
    for element in range(NUM_ELEMENTS):
        most = max(most, in_path(state, holder, element))
    return most


@njit(cache=True)
def num_different(state, holder):
    """How many elements a path has."""
    count = 0
    for element in range(NUM_ELEMENTS):
        count += in_path(state, holder, element) > 0
    return count


@njit(cache=True)
def path_card(action):
    """Number of the card in a path that an action names: an element, and 5 more if it is foreign."""
    return action - CARD if action < CARD + NUM_ELEMENTS else action - FOREIGN + NUM_ELEMENTS


@njit(cache=True)
def owner_of(holder, card):
    """Whose a path card is, by its number and the seat that it lies before."""
    return holder if card < NUM_ELEMENTS else 1 - holder


# Mindstorm Dominion's borrowed turn.


@njit(cache=True)
def is_controlled(state, seat):
    """Whether the opponent makes the choices of ``seat`` in this turn, and sees its hand."""
    return seat == state.turn and state.controller == 1 - seat


@njit(cache=True)
def decider(state, seat):
    """The seat that answers a question that is put to ``seat``."""
    return 1 - seat if is_controlled(state, seat) else seat


# Moving cards. ``seen`` is whether the opponent sees which card it is; what leaves for a path or a
# discard pile is always seen.


@njit(cache=True)
def enter_hand(state, seat, element, seen):
    """A card comes to a hand."""
    state.hand[seat, element] += 1
    if seen:
        state.known_in_hand[seat, element] += 1


@njit(cache=True)
def leave_hand(state, seat, element):
    """A card leaves a hand for all to see: a known one, as far as anybody can tell."""
    state.hand[seat, element] -= 1
    if state.known_in_hand[seat, element] > 0:
        state.known_in_hand[seat, element] -= 1
    else:
        fit_known_in_deck(state, seat)


@njit(cache=True)
def leave_deck(state, seat, element, seen):
    """The top card leaves a deck, or one that was searched for.

    A card that nobody sees may be any of those that are known to be in the deck.
    """
    state.deck[seat, element] -= 1
    state.top[seat] = NO_CARD
    state.top_seen[seat] = 0
    if state.sure_in_deck[seat] > 0:
        if not seen:
            state.sure_in_deck[seat] -= 1
        elif state.known_in_deck[seat, element] > 0:
            state.sure_in_deck[seat] -= 1
            state.known_in_deck[seat, element] -= 1
        if state.sure_in_deck[seat] == 0:
            state.known_in_deck[seat, :] = 0


@njit(cache=True)
def fit_known_in_deck(state, seat):
    """No more cards of an element can be in the deck than the opponent has not seen elsewhere."""
    known = 0
    for element in range(NUM_ELEMENTS):
        unseen = (
            int(state.hand[seat, element])
            + int(state.deck[seat, element])
            - int(state.known_in_hand[seat, element])
        )
        if state.known_in_deck[seat, element] > unseen:
            state.known_in_deck[seat, element] = unseen
        known += int(state.known_in_deck[seat, element])
    state.sure_in_deck[seat] = min(int(state.sure_in_deck[seat]), known)


@njit(cache=True)
def show_hand(state, seat):
    """The opponent sees the whole hand, and so knows what the deck holds."""
    for element in range(NUM_ELEMENTS):
        state.known_in_hand[seat, element] = state.hand[seat, element]
    fit_known_in_deck(state, seat)
    state.sure_in_deck[seat] = total(state.known_in_deck[seat])


@njit(cache=True)
def draw_card(state, seat, element):
    """From the top of the deck to the hand."""
    controlled = is_controlled(state, seat)
    seen = controlled or state.top_seen[seat] == 1
    leave_deck(state, seat, element, seen)
    enter_hand(state, seat, element, seen)
    if controlled:
        show_hand(state, seat)


@njit(cache=True)
def discard_card(state, seat, element):
    """From the hand to the discard pile."""
    leave_hand(state, seat, element)
    state.discard[seat, element] += 1


@njit(cache=True)
def take_from_path(state, holder, card):
    """A path card, by its number, is lifted; returns its owner."""
    owner = owner_of(holder, card)
    state.path[holder, owner, card % NUM_ELEMENTS] -= 1
    return owner


@njit(cache=True)
def shuffle(state, seat):
    """The order of a deck is forgotten; that a card that was seen on top is in it is not."""
    if state.top_seen[seat]:
        learn_in_deck(state, seat, int(state.top[seat]))
    state.top[seat] = NO_CARD
    state.top_seen[seat] = 0


@njit(cache=True)
def learn_in_deck(state, seat, element):
    """The opponent knows that a certain card is in the deck."""
    state.known_in_deck[seat, element] += 1
    state.sure_in_deck[seat] += 1


# What a seat knows.


@njit(cache=True)
def observe(state, seat, out):
    """Everything but the opponent's hand and spells in the draft, and the order of the decks."""
    rival = 1 - seat
    step = step_now(state)
    at = put_cards(out, 0, state.hand[seat])
    at = put_cards(out, at, state.known_in_hand[seat])
    at = put_cards(out, at, state.deck[seat])
    at = put_cards(out, at, state.discard[seat])
    at = put_cards(out, at, state.known_in_hand[rival])
    at = put_cards(out, at, state.discard[rival])
    for element in range(NUM_ELEMENTS):
        unseen = int(state.hand[rival, element]) + int(state.deck[rival, element])
        out[at + element] = unseen
        out[at + 5 + element] = in_path(state, seat, element)
        out[at + 10 + element] = in_path(state, rival, element)
    at += 15
    for other in range(2):
        player = rival if other else seat
        out[at] = total(state.hand[player])
        out[at + 1] = total(state.deck[player])
        at = put_level(out, at + 2, most_alike(state, player), 4)
        at = put_level(out, at, num_different(state, player), NUM_ELEMENTS)
    out[at] = state.first == seat
    out[at + 1] = state.turn == seat
    out[at + 2] = state.player == seat
    out[at + 3] = state.player == rival
    at = put_one(out, at + 4, step - MAIN, 10)
    at = put_level(out, at, left_now(state) if step >= MAIN else 0, 3)
    at = put_one(out, at, int(state.effect), NUM_EFFECTS)
    out[at] = state.returned
    exchanging = step in (EXCHANGE, EXCHANGE_FOR)
    out[at + 1] = exchanging and state.chosen_seat == seat
    out[at + 2] = exchanging and state.chosen_seat == rival
    at = put_one(out, at + 3, chosen_element(state), NUM_ELEMENTS)
    if state.advanced:
        at = observe_spells(state, seat, out, at)
    if state.search_to_top:
        observe_tops(state, seat, out, at)


@njit(cache=True)
def observe_spells(state, seat, out, at):
    """What the advanced game adds, from ``out[at]`` on; returns where it ends."""
    rival = 1 - seat
    step, asked = step_now(state), seat_now(state)
    at = put_level(out, at, int(state.tokens[seat]), 2)
    at = put_level(out, at, int(state.tokens[rival]), 2)
    for spell in range(NUM_SPELLS):
        place = state.spell_place[spell]
        out[at + spell] = place == HELD_BY + seat
        out[at + 10 + spell] = place == HELD_BY + rival
        out[at + 20 + spell] = place == USED_BY + seat
        out[at + 30 + spell] = place == USED_BY + rival
        out[at + 40 + spell] = place == DEALT_TO + seat
        out[at + 50 + spell] = seat == 0 and state.kept == spell
    at = put_one(out, at + 60, int(state.spell), NUM_SPELLS)
    at = put_one(out, at, step - KEEP_SPELL, 10)
    at = put_one(out, at, int(state.revealed), NUM_ELEMENTS)
    at = put_level(out, at, reveals_left(state), 2)
    out[at] = state.chosen_card >= NUM_ELEMENTS
    out[at + 1] = is_controlled(state, rival)
    out[at + 2] = is_controlled(state, seat)
    out[at + 3] = step >= MAIN and asked == seat
    out[at + 4] = step >= MAIN and asked == rival
    at += 5
    at = put_cards(out, at, state.path[seat, rival])
    at = put_cards(out, at, state.path[rival, seat])
    at = put_cards(out, at, state.known_in_deck[seat])
    at = put_cards(out, at, state.known_in_deck[rival])
    out[at] = state.sure_in_deck[seat]
    out[at + 1] = state.sure_in_deck[rival]
    return at + 2


@njit(cache=True)
def observe_tops(state, seat, out, at):
    """What searching to the top of the deck adds, from ``out[at]`` on."""
    rival = 1 - seat
    at = put_one(out, at, int(state.top[seat]), NUM_ELEMENTS)
    at = put_one(out, at, int(state.top[rival]) if state.top_seen[rival] else NO_CARD, NUM_ELEMENTS)
    out[at] = state.top_seen[seat]
    out[at + 1] = state.top[rival] != NO_CARD


@njit(cache=True)
def put_cards(out, at, cards):
    """Counts by element; returns where they end."""
    for element in range(NUM_ELEMENTS):
        out[at + element] = cards[element]
    return at + NUM_ELEMENTS


@njit(cache=True)
def put_level(out, at, level, size):
    """As many entries of 1 as ``level``, at most ``size``; returns where the entries end."""
    for step in range(min(level, size)):
        out[at + step] = 1
    return at + size


@njit(cache=True)
def put_one(out, at, index, size):
    """A single 1 at ``index`` if that is one of ``size`` entries; returns where they end."""
    if 0 <= index < size:
        out[at + index] = 1
    return at + size


@njit(cache=True)
def chosen_element(state):
    """Of the path card that is about to be exchanged or switched, ``NO_CARD`` if there is none."""
    card = int(state.chosen_card)
    return card if card < NUM_ELEMENTS else card - NUM_ELEMENTS


@njit(cache=True)
def reveals_left(state):
    """How many more cards Cinderstorm Prophecy may reveal."""
    for at in range(int(state.depth)):
        if state.pending[at] == REVEAL_AGAIN:
            return int(state.left[at])
    return 0


@njit(cache=True)
def seen(state, action, seat):
    """A move or outcome as it is, or 1 for one that is hidden; with what else it uncovers."""
    step, asked = step_now(state), seat_now(state)
    if step == KEEP_SPELL and asked == 1:
        return 2 + draft_code(state, action - KEEP)
    if uncovers_hand(state, step, action):
        return 2 + action + NUM_ACTIONS * hand_code(state, 1 - int(state.turn))
    if step in (DEAL, KEEP_SPELL):
        return 2 + action if seat == asked else 1
    if step in (DRAW, SEARCH):
        if is_controlled(state, asked):
            return 2 + action + NUM_ACTIONS * hand_code(state, asked)
        public = step == DRAW and state.top_seen[asked]
        return 2 + action if seat == asked or public else 1
    return 2 + action


@njit(cache=True)
def uncovers_hand(state, step, action):
    """Whether Tempest of Omens goes through with this move, so that the caster sees the hand."""
    if step == MAIN:
        return action == CAST + TEMPEST_OF_OMENS and total(state.hand[1 - int(state.turn)]) < 2
    return step == COUNTER and action == REFUSE and state.spell == TEMPEST_OF_OMENS


@njit(cache=True)
def hand_code(state, seat):
    """A hand as a number."""
    code = 1
    for element in range(NUM_ELEMENTS):
        code = 32 * code + int(state.hand[seat, element])
    return code


@njit(cache=True)
def draft_code(state, kept):
    """Which spells each seat keeps and gives, as a number, when seat 1 keeps ``kept``."""
    code = 0
    for spell in range(NUM_SPELLS):
        place = int(state.spell_place[spell])
        if spell == kept or spell == state.kept:
            place += 2
        code = 5 * code + place
    return code


@njit(cache=True)
def resample(state, seat, seed):
    """Redraw the rival's hand, deck and secret choices: any that fit what ``seat`` has seen.

    A hand is drawn from the cards that may be in it, each as likely as the others, as if it had
    been dealt; what its owner would have searched for or kept is not considered.
    """
    state.seed = random_word(seed, 0, 0)
    redraw_hand(state, 1 - seat, seed)
    redraw_top(state, 1 - seat, seed)
    redraw_draft(state, 1 - seat, seed)


@njit(cache=True)
def retract(state, seat):
    """Seat 0 chooses anew which spell it keeps, which seat 1 has not seen."""
    if seat == 1 and state.kept != NO_SPELL:
        state.kept = NO_SPELL
        push(state, KEEP_SPELL, 0, 1)
        state.player = 0


@njit(cache=True)
def redraw_hand(state, seat, seed):
    """Unknown cards of a hand come from all unseen ones but those that are surely in the deck."""
    unknown = 0
    free = np.zeros(NUM_ELEMENTS, np.int64)
    for element in range(NUM_ELEMENTS):
        hidden = int(state.hand[seat, element]) - int(state.known_in_hand[seat, element])
        state.hand[seat, element] -= hidden
        state.deck[seat, element] += hidden
        free[element] = state.deck[seat, element]
        unknown += hidden
    set_aside_for_deck(state, seat, free, seed)
    for draw in range(unknown):
        element = pick_weighted(free, total(free), random_word(seed, 1, draw))
        free[element] -= 1
        state.deck[seat, element] -= 1
        state.hand[seat, element] += 1


@njit(cache=True)
def set_aside_for_deck(state, seat, free, seed):
    """Take from ``free``, int64 ``[5]``, cards that are in the deck for sure."""
    known = state.known_in_deck[seat].astype(np.int64)
    sure = int(state.sure_in_deck[seat])
    if state.top_seen[seat]:
        top = int(state.top[seat])
        free[top] -= 1
        if known[top] > 0:
            known[top] -= 1
            sure -= 1
    for draw in range(sure):
        element = pick_weighted(known, total(known), random_word(seed, 2, draw))
        known[element] -= 1
        free[element] -= 1


@njit(cache=True)
def redraw_top(state, seat, seed):
    """A card that was searched for in secret and lies on top may be any of the deck."""
    if state.top[seat] != NO_CARD and not state.top_seen[seat]:
        deck = state.deck[seat]
        state.top[seat] = pick_weighted(deck, total(deck), random_word(seed, 3, 0))


@njit(cache=True)
def redraw_draft(state, seat, seed):
    """The two spells dealt to a seat, and which of them seat 0 keeps, until both have chosen."""
    weights = np.zeros(NUM_SPELLS, np.int64)
    boxed = dealt = 0
    for spell in range(NUM_SPELLS):
        if state.spell_place[spell] == DEALT_TO + seat:
            state.spell_place[spell] = IN_THE_BOX
            dealt += 1
        weights[spell] = state.spell_place[spell] == IN_THE_BOX
        boxed += weights[spell]
    for draw in range(dealt):
        spell = pick_weighted(weights, boxed - draw, random_word(seed, 4, draw))
        weights[spell] = 0
        state.spell_place[spell] = DEALT_TO + seat
        # Both are drawn alike, so the last one is a fair choice of one to keep.
        if seat == 0 and state.kept != NO_SPELL:
            state.kept = spell
