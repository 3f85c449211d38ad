"""What the scripted players read from an observation of Gem Duel.

``options`` everywhere is a record of the type ``OPTIONS``, whose fields have the names that they
have in a state, so the rules of the game read it like one: ``rules.power(options, card)``.
"""

from __future__ import annotations

import numpy as np
from numba import njit

from ...envs.gem_duel import rules


@njit(cache=True)
def marked(observation, at, size):
    """The first of ``size`` entries that is not 0, counted from ``at``; ``size`` if there is none."""
    for number in range(size):
        if observation[at + number] != 0:
            return number
    return size


# What is to be decided.


@njit(cache=True)
def phase(options, observation):
    """``rules.TURN``, ``ANSWER``, ``CLUE`` or ``PLAY``."""
    return rules.TURN + marked(observation, 0, 4)


@njit(cache=True)
def partner(options, observation):
    """The player, clockwise from the observer, with whom the observer has to do in this turn."""
    players = options.num_players
    turn = marked(observation, 4 + players, players)
    return turn if turn > 0 else marked(observation, 4 + 2 * players, players)


@njit(cache=True)
def asked_slot(options, observation):
    """The slot that is asked about."""
    return marked(observation, 4 + 3 * options.num_players, options.hand_size)


@njit(cache=True)
def duel_type(options, observation):
    """``rules.ELEMENT`` or ``rules.POWER``, of the duel that is announced or fought."""
    return marked(observation, 4 + 3 * options.num_players + options.hand_size, 2)


@njit(cache=True)
def level(observation, at, size):
    """How many of ``size`` entries from ``at`` on are set."""
    count = 0
    for number in range(size):
        count += observation[at + number] != 0
    return count


@njit(cache=True)
def stake(options, observation):
    """Gems for the winner of this round."""
    at = 4 + 3 * options.num_players + options.hand_size + 2
    return level(observation, at, options.hand_size)


@njit(cache=True)
def gems_needed(options, observation):
    """Gems that each player still needs, the observer first: int64 ``[players]``."""
    needed = np.empty(options.num_players, np.int64)
    for player in range(options.num_players):
        at = rules.gems_at(options) + player * options.target
        needed[player] = options.target - level(observation, at, options.target)
    return needed


# Cards.


# What the observer knows of the cards is a *table*, a tuple with these parts. Players count clockwise
# and the observer is 0. (A tuple of a class of its own would be stored in Numba's cache by the name of
# the class, and the cache could not be read any more once that has another name.)
PLACES = 0
"""What is in the slots, ``rules.EMPTY``, ``HIDDEN``, ``OPEN`` or ``PLAYED``: int64 ``[players, slots]``."""
CARDS = 1
"""The chance of each card to be the one in a slot, all 0 for a card that is not in hand: float64
``[players, slots, cards]``."""
POSSIBLE = 2
"""Which cards an open slot can hold for all that its holder was told: bool ``[players, slots, cards]``."""
UNSEEN = 3
"""How many of each card are expected in the deck and hidden in rivals' hands: float64 ``[cards]``."""


@njit(cache=True)
def slot_at(options, player, slot):
    """Where a slot begins in an observation."""
    if player == 0:
        return rules.own_slots_at(options) + slot * rules.own_slot_size(options)
    number = (player - 1) * options.hand_size + slot
    return rules.rival_slots_at(options) + number * rules.rival_slot_size(options)


@njit(cache=True)
def faces_at(options, player, slot):
    """Where the elements and powers begin that the card can have for its holder, if it is open."""
    at = slot_at(options, player, slot) + 3
    return at if player == 0 else told_at(options, player, slot) + rules.NUM_PROPERTIES


@njit(cache=True)
def told_at(options, player, slot):
    """Where it begins what the holder of an open card was told."""
    return slot_at(options, player, slot) + 3 + rules.NUM_ELEMENTS + options.max_power


@njit(cache=True)
def is_told(options, observation, player, slot, told):
    """Whether the holder of an open card was told this property."""
    return observation[told_at(options, player, slot) + told] == 1


@njit(cache=True)
def is_new(options, observation, player, slot):
    """1 if a card was drawn since the discard was last shuffled, if it ever was; else 0."""
    if not rules.may_reshuffle(options):
        return 1
    own, rival = rules.own_slot_size(options), rules.rival_slot_size(options)
    end = slot_at(options, player, slot) + (own if player == 0 else rival)
    return int(observation[end - 1])


@njit(cache=True)
def card_in(options, observation, player, slot):
    """A card that the observer sees in a slot."""
    at = slot_at(options, player, slot) + 3
    element = marked(observation, at, rules.NUM_ELEMENTS)
    power = marked(observation, at + rules.NUM_ELEMENTS, options.max_power)
    return element * options.max_power + power


@njit(cache=True)
def mark_possible(options, observation, player, slot, out):
    """Mark the cards that an open one can be for all that its holder was told: bool ``[cards]``."""
    at = faces_at(options, player, slot)
    card = 0
    for element in range(rules.NUM_ELEMENTS):
        # Where clues about power do not mark special cards, the powers are those of a basic one.
        any_power = element >= rules.LIGHT and not options.clue_marks_specials
        for power in range(options.max_power):
            has_power = any_power or observation[at + rules.NUM_ELEMENTS + power] == 1
            out[card] = has_power and observation[at + element] == 1
            card += 1


@njit(cache=True)
def unseen_cards(options, observation):
    """Counts of the cards that the observer does not see: float64 ``[2, cards]``.

    First those from a former deck, then those that are new.
    """
    kinds = rules.num_kinds(options)
    at = rules.deck_at(options) + 1
    counts = np.zeros((2, kinds))
    for card in range(kinds):
        unseen = observation[at + card]
        counts[1, card] = unseen
        if rules.may_reshuffle(options):
            counts[1, card] = observation[at + 2 * kinds + card]
            counts[0, card] = unseen - counts[1, card]
    return counts


@njit(cache=True)
def read(options, observation):
    """The table of an observation.

    An own open card is any card that it can be for all that was told, as likely as there are such
    cards unseen; a rival's hidden card is any of the unseen ones that are not expected there.
    """
    players, size, kinds = options.num_players, options.hand_size, rules.num_kinds(options)
    places = np.zeros((players, size), np.int64)
    cards = np.zeros((players, size, kinds))
    possible = np.zeros((players, size, kinds), np.bool_)
    unseen = unseen_cards(options, observation)
    for player in range(players):
        for slot in range(size):
            lies = marked(observation, slot_at(options, player, slot), 3)
            places[player, slot] = rules.HIDDEN + lies if lies < 3 else rules.EMPTY
            if places[player, slot] == rules.OPEN:
                mark_possible(options, observation, player, slot, possible[player, slot])
            if places[player, slot] == (rules.HIDDEN if player == 0 else rules.OPEN):
                cards[player, slot, card_in(options, observation, player, slot)] = 1
    for slot in range(size):
        if places[0, slot] == rules.OPEN:
            new = is_new(options, observation, 0, slot)
            spread(unseen[new], possible[0, slot], cards[0, slot])
    for slot in range(size):
        if places[0, slot] == rules.OPEN:
            new = is_new(options, observation, 0, slot)
            for card in range(kinds):
                unseen[new, card] = max(0.0, unseen[new, card] - cards[0, slot, card])
    anything = np.ones(kinds, np.bool_)
    for player in range(1, players):
        for slot in range(size):
            if places[player, slot] == rules.HIDDEN:
                new = is_new(options, observation, player, slot)
                spread(unseen[new], anything, cards[player, slot])
    return places, cards, possible, unseen[0] + unseen[1]


@njit(cache=True)
def spread(counts, allowed, out):
    """Write chances in proportion to the counts of the cards that are allowed: float64 ``[cards]``."""
    total = 0.0
    for card in range(counts.shape[0]):
        if allowed[card]:
            total += counts[card]
    for card in range(counts.shape[0]):
        if allowed[card]:
            out[card] = counts[card] / total


@njit(cache=True)
def is_in_hand(options, place):
    """Whether a slot with this place holds a card that can be played."""
    return place == rules.HIDDEN or place == rules.OPEN


# Choosing: every action has a worth, and the best one is taken.


@njit(cache=True)
def worths_of_legal(mask):
    """0 for every legal action, -inf for the others: float64 ``[actions]``."""
    worths = np.full(mask.shape[0], -np.inf)
    for action in range(mask.shape[0]):
        if mask[action]:
            worths[action] = 0
    return worths


@njit(cache=True)
def write(some, worths, first):
    """Write the worths of some actions where these begin."""
    for number in range(some.shape[0]):
        worths[first + number] = some[number]


@njit(cache=True)
def greatest(worths):
    """The greatest of some worths."""
    found = -np.inf
    for worth in worths:
        found = max(found, worth)
    return found


@njit(cache=True)
def avoid_clues_for_duel(options, observation, worths):
    """Lower the worths of the clues about the property that the duel goes by."""
    first = rules.NUM_PROPERTIES + duel_type(options, observation) * options.hand_size
    for slot in range(options.hand_size):
        worths[first + slot] -= 1
